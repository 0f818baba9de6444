// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-cci-board-spec.c - parse the name of a board's thermometer, pure
 */
#include "nst-cci-board-spec.h"

/* What follows @prefix, or NULL. */
static const char *after(const char *text, const char *prefix)
{
	while (*prefix) {
		if (*text++ != *prefix++)
			return NULL;
	}
	return text;
}

/* The last @c in a text, or NULL. */
static const char *last(const char *text, char c)
{
	const char *found = NULL;

	for (; *text; text++) {
		if (*text == c)
			found = text;
	}
	return found;
}

/* @from up to @to, which has to be something and has to fit. */
static int take(char *dst, size_t size, const char *from, const char *to)
{
	size_t i, len = (size_t)(to - from);

	if (!len || len >= size)
		return -EINVAL;
	for (i = 0; i < len; i++)
		dst[i] = from[i];
	dst[len] = '\0';
	return 0;
}

static const char *end(const char *text)
{
	while (*text)
		text++;
	return text;
}

/* temp and a number that begins with 1 to 9 */
static bool is_temp(const char *channel)
{
	const char *digit = after(channel, "temp");

	if (!digit || *digit < '1' || *digit > '9')
		return false;
	for (; *digit; digit++) {
		if (*digit < '0' || *digit > '9')
			return false;
	}
	return true;
}

static int parse_hwmon(const char *text, struct nst_cci_board_spec *spec)
{
	const char *colon = last(text, ':');
	const char *name_end = colon, *at;

	if (!colon)
		return -EINVAL;
	for (at = text; at < colon; at++) {
		if (*at != '@')
			continue;
		if (take(spec->device, sizeof(spec->device), at + 1, colon))
			return -EINVAL;
		name_end = at;
		break;
	}
	if (take(spec->name, sizeof(spec->name), text, name_end) ||
	    take(spec->channel, sizeof(spec->channel), colon + 1,
		 end(colon + 1)))
		return -EINVAL;
	return is_temp(spec->channel) ? 0 : -EINVAL;
}

static int parse_iio(const char *text, struct nst_cci_board_spec *spec)
{
	const char *colon = last(text, ':');

	if (colon) {
		if (take(spec->name, sizeof(spec->name), text, colon))
			return -EINVAL;
		text = colon + 1;
	}
	return take(spec->channel, sizeof(spec->channel), text, end(text));
}

int nst_cci_board_spec_parse(const char *text,
			     struct nst_cci_board_spec *ret)
{
	struct nst_cci_board_spec spec = { 0 };
	const char *rest;
	int err = -EINVAL;

	rest = after(text, "hwmon:");
	if (rest) {
		spec.kind = NST_CCI_BOARD_HWMON;
		err = parse_hwmon(rest, &spec);
	}
	rest = after(text, "zone:");
	if (rest) {
		spec.kind = NST_CCI_BOARD_ZONE;
		err = take(spec.name, sizeof(spec.name), rest, end(rest));
	}
	rest = after(text, "iio:");
	if (rest) {
		spec.kind = NST_CCI_BOARD_IIO;
		err = parse_iio(rest, &spec);
	}
	if (err)
		return err;
	*ret = spec;
	return 0;
}
