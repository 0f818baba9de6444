/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fit_synthetic.h - numbers with a known truth for the tests of the fits
 */
#ifndef NST_TESTS_FIT_SYNTHETIC_H
#define NST_TESTS_FIT_SYNTHETIC_H

#include <math.h>
#include <stdint.h>

#include "fit_num.h"

static uint64_t synthetic_state;

static inline void synthetic_seed(uint64_t seed)
{
	synthetic_state = seed * 0x9e3779b97f4a7c15 + 1;
}

/* splitmix64, to (0, 1) */
static inline double synthetic_uniform(void)
{
	uint64_t x = synthetic_state += 0x9e3779b97f4a7c15;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	x ^= x >> 31;
	return ((double)(x >> 11) + 0.5) / 9007199254740992.0;
}

static inline double synthetic_normal(void)
{
	double u = synthetic_uniform(), v = synthetic_uniform();

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static inline bool covers(const struct nst_fit_value *v, double truth)
{
	return v->lo <= truth && truth <= v->hi;
}

/* Of the value, percent. */
static inline double off_percent(const struct nst_fit_value *v, double truth)
{
	return 100 * fabs(v->value / truth - 1);
}

#endif /* NST_TESTS_FIT_SYNTHETIC_H */
