/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rng.h - seeded numbers for test cells (splitmix64); equal everywhere
 */
#ifndef TESTS_RNG_H
#define TESTS_RNG_H

#include <stdint.h>

static inline uint64_t rng_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* lo..hi, both included */
static inline uint32_t rng_between(uint64_t *state, uint32_t lo, uint32_t hi)
{
	return lo + (uint32_t)(rng_next(state) % (hi - lo + 1u));
}

#endif /* TESTS_RNG_H */
