// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * number.c - strict numbers from text, see number.h
 *
 * strtoll() and strtod() accept leading blanks, "0x", "inf" and "nan";
 * what they may see is therefore checked character by character first.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

static size_t digits(const char *s)
{
	return strspn(s, "0123456789");
}

int nst_number_int(const char *text, long long min, long long max,
		   long long *ret)
{
	const char *s = text;
	long long value;

	if (*s == '-' || *s == '+')
		s++;
	if (!digits(s) || s[digits(s)])
		return -EINVAL;
	errno = 0;
	value = strtoll(text, NULL, 10);
	if (errno || value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

/* sign? digits ('.' digits)? (e sign? digits)? */
static int is_real(const char *s)
{
	size_t n;

	if (*s == '-' || *s == '+')
		s++;
	n = digits(s);
	if (!n)
		return 0;
	s += n;
	if (*s == '.') {
		n = digits(s + 1);
		if (!n)
			return 0;
		s += 1 + n;
	}
	if (*s == 'e' || *s == 'E') {
		s++;
		if (*s == '-' || *s == '+')
			s++;
		n = digits(s);
		if (!n)
			return 0;
		s += n;
	}
	return !*s;
}

int nst_number_real(const char *text, double min, double max, double *ret)
{
	double value;

	if (!is_real(text))
		return -EINVAL;
	value = strtod(text, NULL);
	if (!isfinite(value) || value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

int nst_number_milli(const char *text, long long min_milli,
		     long long max_milli, long long *ret_milli)
{
	const char *s = text, *point;
	long long whole, milli = 0;
	char buf[24];
	size_t n, decimals = 0;
	int r;

	if (*s == '-' || *s == '+')
		s++;
	n = digits(s);
	if (!n || (s[n] && s[n] != '.'))
		return -EINVAL;
	point = s + n;
	if (*point) {
		decimals = digits(point + 1);
		if (!decimals || decimals > 3 || point[1 + decimals])
			return -EINVAL;
	}
	if (n > 15)
		return -ERANGE;
	memcpy(buf, s, n);
	buf[n] = '\0';
	r = nst_number_int(buf, 0, 999999999999999ll, &whole);
	if (r)
		return r;
	for (size_t i = 0; i < 3; i++)
		milli = milli * 10 + (i < decimals ? point[1 + i] - '0' : 0);
	milli += whole * 1000;
	if (*text == '-')
		milli = -milli;
	if (milli < min_milli || milli > max_milli)
		return -ERANGE;
	*ret_milli = milli;
	return 0;
}
