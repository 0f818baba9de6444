// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* average.c - the mean of noisy readings of something that drifts */
#include "average.h"

/* Readings in the trend: 1/16 of each is taken, so its variance is 1/31. */
#define TREND_SHIFT 4
#define TREND_VAR 31
/* It is over 30 readings long, so a few sigma are a rare accident. */
#define TREND_SIGMAS 6

static u64 trend_var_q16(u32 var_mc2)
{
	return nst_div_u64((u64)var_mc2 << 16, TREND_VAR);
}

static s64 sigma_q32(u64 var_q16)
{
	/* the root of a Q16 is a Q8 */
	return (s64)nst_sqrt_u64(var_q16) << 24;
}

void nst_average_begin(struct nst_average *avg, s64 bound_q32)
{
	const struct nst_average fresh = { .n = 2, .bias_q32 = bound_q32 };

	*avg = fresh;
}

void nst_average_advance(struct nst_average *avg, u64 keep_q64, s32 model_mc)
{
	s64 model_q32 = model_mc * NST_ONE_Q32;

	avg->bias_q32 = model_q32 + nst_mul_q64(avg->bias_q32 - model_q32,
						keep_q64);
}

static void set_var(struct nst_average *avg, u64 var_q16)
{
	avg->var_q16 = var_q16;
	avg->sigma_q32 = sigma_q32(var_q16);
}

/* The variance is the sensor's, hence the same for every reading. */
static s64 trend_sigma_q32(struct nst_average *avg, u32 var_mc2)
{
	if (avg->trend_of_mc2 != var_mc2) {
		avg->trend_of_mc2 = var_mc2;
		avg->trend_sigma_q32 = sigma_q32(trend_var_q16(var_mc2));
	}
	return avg->trend_sigma_q32;
}

static void adapt(struct nst_average *avg)
{
	if (2 * avg->bias_q32 <= NST_AVERAGE_SIGMAS * avg->sigma_q32) {
		if (avg->n < NST_AVERAGE_MAX)
			avg->n++;
	} else if (avg->n > 2) {
		avg->n -= 1 + avg->n / 64;
	}
}

s32 nst_average_reading(struct nst_average *avg, s32 off_mc, u32 var_mc2,
			bool *ret_surprise)
{
	s64 off_q32 = off_mc * NST_ONE_Q32, limit_q32, by_q32;
	u32 share_q16 = (1u << 16) / avg->n;
	u64 keep_q16 = (1u << 16) - share_q16, var_q16;
	s32 by_mc;

	/* Deviations from an estimate that moves: the trend moves with it. */
	avg->trend_q32 += (off_q32 - avg->trend_q32) >> TREND_SHIFT;
	limit_q32 = nst_average_bound_q32(avg) +
		    TREND_SIGMAS * trend_sigma_q32(avg, var_mc2);
	*ret_surprise = avg->trend_q32 > limit_q32 ||
			avg->trend_q32 < -limit_q32;
	if (*ret_surprise) {
		by_q32 = avg->trend_q32;
		avg->n = 1u << TREND_SHIFT;
		avg->bias_q32 += by_q32 < 0 ? -by_q32 : by_q32;
		set_var(avg, trend_var_q16(var_mc2));
		avg->carry_q32 = 0;
		avg->trend_q32 = 0;
		return nst_round_q32(by_q32);
	}
	by_q32 = (off_q32 >> 16) * share_q16;
	avg->bias_q32 = (avg->bias_q32 >> 16) * (s64)keep_q16;
	var_q16 = (avg->var_q16 * keep_q16 >> 16) * keep_q16 >> 16;
	set_var(avg, var_q16 +
		     ((u64)var_mc2 * share_q16 >> 16) * share_q16);
	avg->trend_q32 -= by_q32;
	by_q32 += avg->carry_q32;
	by_mc = nst_round_q32(by_q32);
	avg->carry_q32 = by_q32 - by_mc * NST_ONE_Q32;
	adapt(avg);
	return by_mc;
}

s64 nst_average_bound_q32(const struct nst_average *avg)
{
	return avg->bias_q32 + NST_AVERAGE_SIGMAS * avg->sigma_q32;
}
