/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * rng.h - seeded numbers for requests and sensor noise
 *
 * splitmix64: one 64-bit state, the same sequence on every machine.
 */
#ifndef NST_RNG_H
#define NST_RNG_H

#include "host.h"

struct nst_rng {
	u64 state;
};

static inline u64 nst_rng_u64(struct nst_rng *rng)
{
	u64 x = rng->state += 0x9e3779b97f4a7c15ull;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

/**
 * nst_rng_normal_q16() - about normal, mean 0, deviation 1, in Q16
 *
 * Sum of the four 16-bit parts of one draw: its variance is 4 * 2^32/12,
 * its tails end at 3.46 deviations.
 */
static inline s32 nst_rng_normal_q16(struct nst_rng *rng)
{
	u64 x = nst_rng_u64(rng);
	s64 sum = (s64)(x & 0xffff) + (s64)((x >> 16) & 0xffff) +
		  (s64)((x >> 32) & 0xffff) + (s64)(x >> 48) - 2 * 65535;

	/* deviation of the sum is 65536/sqrt(3): times sqrt(3) in Q16 */
	return (s32)((sum * 113512) >> 16);
}

#endif /* NST_RNG_H */
