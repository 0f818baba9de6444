/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fit_num.h - least squares with intervals, for the fits of this folder
 *
 * Small, dense and without memory of its own: the caller brings the scratch.
 */
#ifndef NST_FIT_NUM_H
#define NST_FIT_NUM_H

#include "host.h"

#define NST_FIT_PARAMS_MAX 32

/**
 * struct nst_fit_value - a figure and its 95 % interval
 * Infinite ends where the data do not say.
 */
struct nst_fit_value {
	double value;
	double lo;
	double hi;
};

/**
 * nst_fit_t975() - 97.5 % quantile of Student's t
 * @dof: degrees of freedom; below 1 gives infinity. Right to 1 % from 3 on,
 * exact for 1 and 2.
 */
double nst_fit_t975(double dof);

/** nst_fit_normal_cdf() - share of the normal distribution below @z */
double nst_fit_normal_cdf(double z);

/**
 * nst_fit_invert() - a symmetric positive definite matrix, in place
 * @a: @n by @n, row by row
 * Return: 0; -EDOM when it has no inverse, @a is destroyed then.
 */
int nst_fit_invert(double *a, int n);

/**
 * struct nst_fit_lm - a non-linear least-squares problem and its answer
 * @params: parameters, at most NST_FIT_PARAMS_MAX
 * @points: observations
 * @model: what @p predicts for all observations
 * @y, @weight: observations and one over their variance; weight 0 leaves
 *	one out
 * @prior, @prior_weight: what is known of a parameter beforehand and one
 *	over its variance, 0 for nothing
 * @fixed: parameters that stay as they are
 * @scratch: @points * (@params + 2) numbers
 * @cov: covariance of the parameters, from the weights as they are given
 * @chi2: weighted sum of squares at the minimum, priors included
 * @dof: observations, and priors, less free parameters
 */
struct nst_fit_lm {
	int params;
	int points;
	void (*model)(const double *p, double *ret, const void *arg);
	const void *arg;
	const double *y;
	const double *weight;
	double prior[NST_FIT_PARAMS_MAX];
	double prior_weight[NST_FIT_PARAMS_MAX];
	bool fixed[NST_FIT_PARAMS_MAX];
	double *scratch;
	double cov[NST_FIT_PARAMS_MAX * NST_FIT_PARAMS_MAX];
	double chi2;
	int dof;
};

/**
 * nst_fit_lm() - Levenberg and Marquardt, derivatives by differences
 * @p: start; the minimum on return
 *
 * Parameters should be of the order of one or less, or logarithms: the step
 * of a difference is 1e-5 of 1 + |p|.
 *
 * Return: 0; -ENODATA with fewer observations than parameters; -EDOM when
 * there is no minimum that the observations determine: @cov is of no use
 * then, and @p is the best that was seen.
 */
int nst_fit_lm(struct nst_fit_lm *fit, double *p);

/** nst_fit_sd() - standard error of parameter @i, infinite when negative */
double nst_fit_sd(const struct nst_fit_lm *fit, int i);

/**
 * nst_fit_blocks() - standard errors when residuals hang together in blocks
 * @fit: as the last call of nst_fit_lm() left it, scratch included
 * @first, @blocks: index of each block's first observation, the first is 0
 * @ret_sd: per parameter, 0 for one that is fixed
 *
 * Within a block residuals may be correlated as they like; from one to the
 * next they are taken for independent (the sandwich of Liang and Zeger,
 * Biometrika 73, 1986, with the usual correction for few blocks).
 *
 * Return: 0; -ENODATA when there are no more blocks than parameters.
 */
int nst_fit_blocks(const struct nst_fit_lm *fit, const int *first, int blocks,
		   double *ret_sd);

#endif /* NST_FIT_NUM_H */
