// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* oracle_modes.c - the oracle's own plant, see oracle_modes.h */
#include <math.h>

#include "oracle_modes.h"

#define POINTS 48		/* of a mean over an exposure */

void nst_oracle_modes_get(struct nst_oracle_modes *ret,
			  const struct nst_oracle_case *c)
{
	double a = 1.0 / (c->r_jp * c->c_j);
	double b = 1.0 / (c->r_jp * c->c_p);
	double d = b + 1.0 / (c->r_pa * c->c_p);
	double half = (a + d) / 2.0;
	double root = sqrt(half * half - a * (d - b));
	double r_tot = c->r_jp + c->r_pa;

	ret->rate[0] = half + root;
	ret->rate[1] = a * (d - b) / ret->rate[0];
	/* A step of 1 W: gains add up to r_tot, the first slope is 1/c_j. */
	ret->gain[0] = (1.0 / c->c_j - ret->rate[1] * r_tot) /
		       (ret->rate[0] - ret->rate[1]);
	ret->gain[1] = r_tot - ret->gain[0];
}

double nst_oracle_exposure_k(double dev_k, double rate, double from_s,
			     double exposure_s, double doubling_k)
{
	double kept = dev_k * exp(-rate * from_s) *
		      exp(-rate * exposure_s * 0.5 / POINTS);
	double step = exp(-rate * exposure_s / POINTS), sum = 0.0;

	for (int i = 0; i < POINTS; i++) {
		sum += exp2(kept / doubling_k);
		kept *= step;
	}
	return doubling_k * log2(sum / POINTS);
}
