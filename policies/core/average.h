/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * average.h - the mean of noisy readings of something that drifts
 *
 * An estimate follows readings by a share 1/n of what each of them is off.
 * What is left of the error has two parts, and both are followed exactly:
 *
 *  - what noise put in, of which the variance is known;
 *  - what the model does wrong between two readings, of which only a bound
 *    is known. It is as large as the error that the model would settle at.
 *
 * A large n averages the noise away and lets the second grow, a small one the
 * other way round; n goes where twice the second is as much as
 * NST_AVERAGE_SIGMAS of the first, which is where their sum is least.
 */
#ifndef NST_AVERAGE_H
#define NST_AVERAGE_H

#include "fixp.h"

/* Standard deviations of the noise that the bound takes in. */
#define NST_AVERAGE_SIGMAS 4
/* No more readings than this in one mean. */
#define NST_AVERAGE_MAX 4096

/**
 * struct nst_average - zero means that there is none
 * @n: an average is kept; the next reading counts for 1/@n
 * @bias_q32: bound of the error that is no noise, mC
 * @var_q16: variance of the rest, mC^2
 * @sigma_q32: its root, mC: asked for often, and changed by a reading only
 * @carry_q32: what rounding to a millikelvin left of the corrections
 * @trend_q32: mean of the last few readings' deviations, mC
 * @trend_of_mc2, @trend_sigma_q32: variance of a reading that the deviation
 *	of such a mean was worked out for, and that deviation, mC
 */
struct nst_average {
	u32 n;
	s64 bias_q32;
	u64 var_q16;
	s64 sigma_q32;
	s64 carry_q32;
	s64 trend_q32;
	u32 trend_of_mc2;
	s64 trend_sigma_q32;
};

/** nst_average_begin() - from an estimate that is off by @bound_q32 at most */
void nst_average_begin(struct nst_average *avg, s64 bound_q32);

/**
 * nst_average_advance() - time passes
 * @keep_q64: share of an error of the model that is left of it
 * @model_mc: error that the model would settle at, at most
 */
void nst_average_advance(struct nst_average *avg, u64 keep_q64, s32 model_mc);

/**
 * nst_average_reading() - take one reading
 * @off_mc: reading less estimate
 * @var_mc2: its variance
 * @ret_surprise: the last readings are further off than noise and bound can
 *	explain: the model's error is larger than was said. The estimate then
 *	goes where they are.
 * Return: by how much the estimate moves, mC.
 */
s32 nst_average_reading(struct nst_average *avg, s32 off_mc, u32 var_mc2,
			bool *ret_surprise);

/** nst_average_bound_q32() - how far off the estimate is, at most, mC */
s64 nst_average_bound_q32(const struct nst_average *avg);

#endif /* NST_AVERAGE_H */
