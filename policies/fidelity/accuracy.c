// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* accuracy.c - accuracy against SNR and back, see accuracy.h */
#include <math.h>

#include "accuracy.h"

static double noise_ratio(double snr_db)
{
	return pow(10.0, -snr_db / 20.0);
}

int nst_accuracy_check(const struct nst_accuracy *c)
{
	/* Written so that a NaN fails every test. */
	if (!c->points || c->points > NST_ACCURACY_POINTS_MAX ||
	    !(c->clean > 0.0 && c->clean <= 1e6))
		return -ERANGE;
	for (unsigned int i = 0; i < c->points; i++) {
		const struct nst_accuracy_point *p = &c->point[i];

		if (!(p->snr_db >= -60.0 && p->snr_db <= 120.0) ||
		    !(p->accuracy >= 0.0 && p->accuracy <= c->clean))
			return -ERANGE;
		if (i && !(p->snr_db > p[-1].snr_db &&
			   p->accuracy >= p[-1].accuracy))
			return -ERANGE;
	}
	return 0;
}

/* Point @i; behind the last one the clean image. */
static void end_at(const struct nst_accuracy *c, unsigned int i,
		   double *ret_ratio, double *ret_accuracy)
{
	if (i >= c->points) {
		*ret_ratio = 0.0;
		*ret_accuracy = c->clean;
		return;
	}
	*ret_ratio = noise_ratio(c->point[i].snr_db);
	*ret_accuracy = c->point[i].accuracy;
}

double nst_accuracy_at(const struct nst_accuracy *c, double snr_db)
{
	double ratio = noise_ratio(snr_db), x[2], a[2];
	unsigned int i = 0;

	if (!(snr_db >= c->point[0].snr_db))
		return 0.0;
	while (i + 1 < c->points && c->point[i + 1].snr_db <= snr_db)
		i++;
	end_at(c, i, &x[0], &a[0]);
	end_at(c, i + 1, &x[1], &a[1]);
	return a[0] + (a[1] - a[0]) * (x[0] - ratio) / (x[0] - x[1]);
}

int nst_accuracy_snr_min_db(const struct nst_accuracy *c, double drop,
			    double *ret_db)
{
	double target = c->clean * (1.0 - drop), x[2], a[2], ratio;
	unsigned int i = 0;

	if (!(drop >= 0.0 && drop <= 1.0))
		return -ERANGE;
	if (c->point[0].accuracy >= target) {
		*ret_db = c->point[0].snr_db;
		return 0;
	}
	while (i + 1 < c->points && c->point[i + 1].accuracy < target)
		i++;
	/* From below the target to at least it. */
	end_at(c, i, &x[0], &a[0]);
	end_at(c, i + 1, &x[1], &a[1]);
	ratio = x[0] - (x[0] - x[1]) * (target - a[0]) / (a[1] - a[0]);
	if (!(ratio > 0.0))
		return -EDOM;
	*ret_db = -20.0 * log10(ratio);
	return 0;
}
