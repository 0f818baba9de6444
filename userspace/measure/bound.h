/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * bound.h - one-sided 99.9 % bounds
 */
#ifndef NST_MEASURE_BOUND_H
#define NST_MEASURE_BOUND_H

#include <stddef.h>

/**
 * nst_bound_t() - 99.9 % quantile of Student's t
 * @freedom: degrees of it, at least 1
 */
double nst_bound_t(unsigned int freedom);

/**
 * nst_bound_mean() - how far above the mean of @value their expectation may
 * be, with 99.9 % confidence
 * @skewness: of one value, where it is known and to the right: without it
 *	the bound of few values would be too low (the first term of Hall's
 *	expansion of the t statistic)
 * Return: the distance; INFINITY below four values.
 */
double nst_bound_mean(const double *value, size_t count, double skewness);

#endif /* NST_MEASURE_BOUND_H */
