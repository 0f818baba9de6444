// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* bound.c - one-sided 99.9 % bounds: see bound.h */
#include <math.h>

#include "bound.h"

#define Z 3.0902323		/* 99.9 % of the normal distribution */

/*
 * Below seven the exact values; above, Fisher's expansion about the normal
 * quantile, whose error is 0.06 % at seven and less beyond (Abramowitz and
 * Stegun 26.7.5).
 */
double nst_bound_t(unsigned int freedom)
{
	static const double few[] = {
		INFINITY, 318.31, 22.327, 10.215, 7.173, 5.893, 5.208,
	};
	const double z2 = Z * Z, v = freedom;
	double g1, g2, g3, g4;

	if (freedom < sizeof(few) / sizeof(few[0]))
		return few[freedom];
	g1 = Z * (z2 + 1) / 4;
	g2 = Z * ((5 * z2 + 16) * z2 + 3) / 96;
	g3 = Z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
	g4 = Z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) /
	     92160;
	return Z + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

double nst_bound_mean(const double *value, size_t count, double skewness)
{
	double n = (double)count, mean = 0, square = 0, t, sigma;

	if (count < 4)
		return INFINITY;
	for (size_t i = 0; i < count; i++)
		mean += value[i] / n;
	for (size_t i = 0; i < count; i++)
		square += (value[i] - mean) * (value[i] - mean);
	sigma = sqrt(square / (n - 1));
	t = nst_bound_t((unsigned int)count - 1);
	return sigma * (t / sqrt(n) + skewness * (2 * t * t + 1) / (6 * n));
}
