/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * calibrate_pair.h - what two frames of one setting say
 *
 * Half the variance of their difference is temporal noise, their covariance
 * over the pixels the fixed pattern. Both are taken about the mean of small
 * tiles, so that a shadow of the lens is no pattern, and of each place of a
 * two by two mosaic, so that colours are none.
 */
#ifndef NST_CALIBRATE_PAIR_H
#define NST_CALIBRATE_PAIR_H

#include "fit_noise.h"
#include "view.h"

/**
 * struct nst_cal_hot - pixels far above the others of a dark pair
 * @pixels: how many of @of, with sums of the logarithm of their dark signal
 *	over the mean one, and of its square
 */
struct nst_cal_hot {
	double pixels;
	double of;
	double log_sum;
	double log2_sum;
};

/**
 * struct nst_cal_stat - figures of a pair
 * @clipped: share of the pixels at 0 or at white
 */
struct nst_cal_stat {
	struct nst_fit_pair pair;
	struct nst_cal_hot hot;
	double clipped;
};

struct nst_cal_frames {
	struct nst_view_format format;
	struct nst_rect rect;
	u16 *pixels[2];		/* of @rect */
};

/**
 * nst_cal_frames_init() - room for two frames
 * Return: 0; -EINVAL for a rectangle that is not inside; -ENOMEM.
 */
int nst_cal_frames_init(struct nst_cal_frames *f,
			const struct nst_view_format *format,
			const struct nst_rect *rect);
void nst_cal_frames_free(struct nst_cal_frames *f);

/** nst_cal_frames_copy() - @view as frame @which; as nst_view_check() */
int nst_cal_frames_copy(struct nst_cal_frames *f, int which,
			const struct nst_view *view);

/**
 * nst_cal_frames_stat() - figures of the two
 * @black_dn: to tell hot pixels by; 0 leaves that out
 *
 * Pixels more than five standard deviations off, in mean or difference, are
 * left out, over and over until no more are.
 * Return: 0; -ENODATA when next to nothing is left.
 */
int nst_cal_frames_stat(const struct nst_cal_frames *f, double black_dn,
			struct nst_cal_stat *ret);

#endif /* NST_CALIBRATE_PAIR_H */
