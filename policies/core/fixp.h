/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fixp.h - fixed-point arithmetic of the core
 *
 * Fractions of one are Q64 where an error would accumulate (decay factors of
 * the plant) and Q32 elsewhere. One itself is not a Q64 number; the closest
 * is ~0, which is 5e-20 short of it.
 */
#ifndef NST_FIXP_H
#define NST_FIXP_H

#include "host.h"

/* A temperature in mC becomes Q32 by multiplication: shifts lose the sign. */
#define NST_ONE_Q32 ((s64)1 << 32)

/**
 * struct nst_rate - 1/tau per microsecond, with 63 bits of precision
 *
 * The rate is norm * 2^-(64 + shift); norm has its top bit set.
 */
struct nst_rate {
	u64 norm;
	u32 shift;
};

/** nst_ratio_q64() - @num / @den in Q64, rounded down; @num < @den < 2^63 */
u64 nst_ratio_q64(u64 num, u64 den);

/** nst_rate_from_tau() - @tau_ns 100..2^50 */
struct nst_rate nst_rate_from_tau(u64 tau_ns);

/**
 * nst_lose_q64() - 1 - exp(-dt/tau) in Q64
 *
 * Relative error below 1e-11 for every dt, however small against tau.
 */
u64 nst_lose_q64(const struct nst_rate *rate, u32 dt_us);

/**
 * nst_keep_q64() - exp(-dt/tau) in Q64, the cheap one
 *
 * Error below 2e-8 of one. For look-ahead, not for state.
 */
u64 nst_keep_q64(const struct nst_rate *rate, u32 dt_us);

/** nst_sqrt_u64() - square root rounded down */
u32 nst_sqrt_u64(u64 v);

/** nst_exp2_frac_q31() - 2^(frac/2^32) in Q31; relative error below 1e-8 */
u32 nst_exp2_frac_q31(u32 frac_q32);

/** nst_mul_q64() - @a * @frac, rounded towards minus infinity */
static inline s64 nst_mul_q64(s64 a, u64 frac)
{
	s64 hi = 0;
	u64 lo = 0;

	nst_mac_q64(&hi, &lo, a, frac);
	return hi;
}

/** nst_round_q32() - nearest integer of a Q32 number that fits 32 bits */
static inline s32 nst_round_q32(s64 v_q32)
{
	return (s32)((v_q32 + ((s64)1 << 31)) >> 32);
}

#endif /* NST_FIXP_H */
