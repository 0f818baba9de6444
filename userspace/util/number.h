/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * number.h - strict numbers from text
 *
 * The whole text is the number or the call fails: no blanks, no trailing
 * letters, no hexadecimal, no overflow. Decimal point always '.'.
 */
#ifndef NST_NUMBER_H
#define NST_NUMBER_H

/** nst_number_int() - 0; -EINVAL not an integer; -ERANGE outside min..max */
int nst_number_int(const char *text, long long min, long long max,
		   long long *ret);

/** nst_number_real() - as above for "12", "-0.5", "1e3"; finite only */
int nst_number_real(const char *text, double min, double max, double *ret);

/** nst_number_milli() - "3.2" to 3200; at most three decimals */
int nst_number_milli(const char *text, long long min_milli,
		     long long max_milli, long long *ret_milli);

#endif /* NST_NUMBER_H */
