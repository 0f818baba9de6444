/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * measure_frames.h - synthetic frames whose noise is known
 *
 * Noise is drawn pixel by pixel: the sum of two entries of a table of normal
 * quantiles, which is normal to 0.1 % of its variance.
 */
#ifndef NST_TESTS_MEASURE_FRAMES_H
#define NST_TESTS_MEASURE_FRAMES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

#define SYN_POOL 65536u
#define SYN_PIXELS_MAX (640 * 480)

/**
 * struct syn - a camera
 * @signal: over black, @temporal, @fixed: standard deviations, in DN
 * @row_temporal: of a level common to a row, new in each frame
 * @column_fixed: of a level common to a column, for good
 * @memory: correlation of a pixel's noise from frame to frame
 * @hot_every: each so many pixels one is @hot_dn brighter, 0 for none
 */
struct syn {
	struct nst_view_format format;
	double black, signal, temporal, fixed;
	double row_temporal, column_fixed, memory;
	uint32_t hot_every;
	double hot_dn;
	uint32_t dark_rows;
	uint64_t random;
	float *pattern, *state;
	uint8_t *pixels;
	size_t size;
};

static float syn_pool[SYN_POOL];

static inline void syn_init(void)
{
	/* quantiles by Newton's method on erf */
	double z = -4.3;

	for (unsigned int i = 0; i < SYN_POOL; i++) {
		double p = (i + 0.5) / SYN_POOL;

		for (int k = 0; k < 4; k++)
			z -= (0.5 * erfc(-z / M_SQRT2) - p) /
			     (exp(-z * z / 2) / sqrt(2 * M_PI));
		syn_pool[i] = (float)(z / M_SQRT2);
	}
}

static inline uint64_t syn_random(struct syn *s)
{
	/* splitmix64 */
	uint64_t x = s->random += 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static inline double syn_normal(struct syn *s)
{
	uint64_t x = syn_random(s);

	return (double)(syn_pool[x & (SYN_POOL - 1)] +
			syn_pool[(x >> 32) & (SYN_POOL - 1)]);
}

static inline void syn_alloc(struct syn *s)
{
	size_t n = (size_t)s->format.width * s->format.height;

	s->pattern = malloc(n * sizeof(*s->pattern));
	s->state = calloc(n, sizeof(*s->state));
	s->size = (size_t)s->format.stride * s->format.height;
	s->pixels = calloc(s->size, 1);
	if (!s->pattern || !s->state || !s->pixels)
		abort();
}

static inline void syn_free(struct syn *s)
{
	free(s->pattern);
	free(s->state);
	free(s->pixels);
}

/* A new sensor: another fixed pattern. */
static inline void syn_seed(struct syn *s, uint64_t seed)
{
	double column[4096];
	size_t at = 0;

	s->random = seed * 0x2545f4914f6cdd1dULL + 1;
	for (uint32_t x = 0; x < s->format.width; x++)
		column[x] = s->column_fixed ? s->column_fixed * syn_normal(s)
					    : 0;
	for (uint32_t y = 0; y < s->format.height; y++)
		for (uint32_t x = 0; x < s->format.width; x++, at++) {
			s->pattern[at] = (float)(s->fixed * syn_normal(s) +
						 column[x]);
			if (s->hot_every && at % s->hot_every == 0)
				s->pattern[at] += (float)s->hot_dn;
			if (s->memory > 0)
				s->state[at] = (float)syn_normal(s);
		}
}

static inline double syn_noise(struct syn *s, size_t at)
{
	double z = syn_normal(s);

	if (s->memory <= 0)
		return z;
	z = s->memory * (double)s->state[at] +
	    sqrt(1 - s->memory * s->memory) * z;
	s->state[at] = (float)z;
	return z;
}

static inline void syn_put(struct syn *s, uint32_t x, uint32_t y, double dn)
{
	double max = nst_view_max(&s->format);
	uint8_t *to = s->pixels + (size_t)y * s->format.stride +
		      (size_t)x * s->format.bytes;
	uint32_t v;

	dn = floor(dn + 0.5);
	v = (uint32_t)(dn < 0 ? 0 : dn > max ? max : dn);
	to[0] = (uint8_t)v;
	if (s->format.bytes == 2)
		to[1] = (uint8_t)(v >> 8);
}

/* The next frame, brighter by @more DN. */
static inline struct nst_view syn_frame(struct syn *s, double more)
{
	size_t at = 0;

	for (uint32_t y = 0; y < s->format.height; y++) {
		double level = s->black;

		if (y >= s->dark_rows)
			level += s->signal + more;
		if (s->row_temporal > 0)
			level += s->row_temporal * syn_normal(s);
		for (uint32_t x = 0; x < s->format.width; x++, at++)
			syn_put(s, x, y, level + (double)s->pattern[at] +
				s->temporal * syn_noise(s, at));
	}
	return (struct nst_view){
		.format = s->format, .pixels = s->pixels, .size = s->size,
	};
}

static inline struct syn syn_of(uint32_t width, uint32_t height,
				uint32_t bits)
{
	struct syn s = {
		.format = {
			.width = width, .height = height,
			.bytes = bits > 8 ? 2 : 1, .bits = bits,
		},
		.black = bits > 8 ? 64 : 16,
		.signal = 400, .temporal = 8, .fixed = 5,
	};

	if (bits == 8) {
		s.signal = 100;
		s.temporal = 2;
		s.fixed = 1.5;
	}
	/* a stride that is no multiple of the width */
	s.format.stride = width * s.format.bytes + 32;
	return s;
}

#endif /* NST_TESTS_MEASURE_FRAMES_H */
