// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * v4l2_gain.c - what the gain codes of image sensors mean
 *
 * From the data sheets of the parts, which libcamera's sensor helpers agree
 * with: three forms, a constant each.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "v4l2_subdev.h"

enum form {
	INVERSE,	/* n / (n - code) */
	LINEAR,		/* code / n */
	DECIBEL,	/* n hundredths of a decibel a step */
};

static const struct {
	const char *part;
	enum form form;
	int n;
} gains[] = {
	{ "imx219", INVERSE, 256 },
	{ "imx258", INVERSE, 512 },
	{ "imx290", DECIBEL, 30 },
	{ "imx296", DECIBEL, 10 },
	{ "imx327", DECIBEL, 30 },
	{ "imx335", DECIBEL, 30 },
	{ "imx415", DECIBEL, 30 },
	{ "imx462", DECIBEL, 30 },
	{ "imx477", INVERSE, 1024 },
	{ "imx500", INVERSE, 1024 },
	{ "imx708", INVERSE, 1024 },
	{ "ov2740", LINEAR, 128 },
	{ "ov5640", LINEAR, 16 },
	{ "ov5647", LINEAR, 16 },
};

/* "imx708_wide 10-001a" is an imx708. */
static bool is_part(const char *name, const char *part)
{
	size_t len = strlen(part);

	return !strncmp(name, part, len) && !isalnum((unsigned char)name[len]);
}

static double gain_of(enum form form, double n, double code)
{
	switch (form) {
	case INVERSE:
		return code < n ? n / (n - code) : 0;
	case LINEAR:
		return code / n;
	case DECIBEL:
		return pow(10, n * code / 100 / 20);
	}
	return 0;
}

u32 nst_gain_iso(const char *part, s64 code)
{
	double iso;

	if (code < 0)
		return 0;
	for (size_t i = 0; i < sizeof(gains) / sizeof(gains[0]); i++) {
		if (!is_part(part, gains[i].part))
			continue;
		iso = 100 * gain_of(gains[i].form, gains[i].n, (double)code);
		return iso >= 1 && iso < 1e7 ? (u32)lround(iso) : 0;
	}
	return 0;
}
