/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * accuracy.h - what a task makes of noisy images: accuracy against SNR
 *
 * A curve is a few measured points and the accuracy on clean images. Between
 * points accuracy goes in a straight line over the noise ratio
 * 10^(-SNR/20), in which a clean image is at 0 and no point is far away: a
 * loss that sets in slowly, as those measured do, is then never understated
 * between the clean image and the first point. Below the lowest point
 * nothing is known, and the accuracy is taken as 0.
 *
 * The SNR is the total SNR of a flat patch of middle grey, as the `emva`
 * model has it; a curve says nothing about the dark-frame SNR of `paper`.
 */
#ifndef NST_ACCURACY_H
#define NST_ACCURACY_H

#include "units.h"

#define NST_ACCURACY_POINTS_MAX 16

struct nst_accuracy_point {
	double snr_db;
	double accuracy;
};

/**
 * struct nst_accuracy - a curve
 * @clean: accuracy without noise, above 0
 * @points, @point: rising SNR; accuracy does not fall from point to point,
 *	and not from the last one to @clean
 */
struct nst_accuracy {
	double clean;
	unsigned int points;
	struct nst_accuracy_point point[NST_ACCURACY_POINTS_MAX];
};

/** nst_accuracy_check() - 0, or -ERANGE: no curve */
int nst_accuracy_check(const struct nst_accuracy *c);

/** nst_accuracy_at() - accuracy at an SNR; 0 below the lowest point */
double nst_accuracy_at(const struct nst_accuracy *c, double snr_db);

/**
 * nst_accuracy_snr_min_db() - lowest SNR at which a task loses so little
 * @drop: share of the clean accuracy that may be lost, above 0, to 1
 * Return: 0; -EDOM when noise costs more at any SNR (a drop of 0); -ERANGE
 * for a drop that is no share. @ret_db is left alone then.
 */
int nst_accuracy_snr_min_db(const struct nst_accuracy *c, double drop,
			    double *ret_db);

#endif /* NST_ACCURACY_H */
