/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fit_noise.h - the terms of the `emva` model, from statistics of frames
 *
 * What goes in are figures of pairs of frames of one setting, made one right
 * after the other: their mean, half the variance of their difference, which
 * is temporal noise alone, and their covariance over the pixels, which is the
 * fixed pattern alone. Nothing is averaged over many frames, so a sensor that
 * warms up meanwhile spoils nothing.
 *
 * Every figure comes with a 95 % interval: scatter of the data about the fit
 * and Student's t for their number; where the scatter is less than the counts
 * of pixels explain, the counts hold.
 */
#ifndef NST_FIT_NOISE_H
#define NST_FIT_NOISE_H

#include "fit_num.h"

/* Read noise below this cannot be told from rounding, DN. */
#define NST_FIT_READ_LEAST_DN 0.6
#define NST_FIT_PAIRS_MAX 1024
#define NST_FIT_VISITS_MAX 24
#define NST_FIT_GAINS_MAX 6

/**
 * struct nst_fit_pair - two frames of one setting
 * @mean_dn: of all pixels of both
 * @temporal_dn2: half the variance of their difference, rounding included
 * @fixed_dn2: covariance over the pixels; may come out below 0
 * @pixels: how many were counted
 */
struct nst_fit_pair {
	double mean_dn;
	double temporal_dn2;
	double fixed_dn2;
	double pixels;
};

/**
 * struct nst_fit_read - read noise of one gain
 * @dn, @e: where @below is false
 * @below: it cannot be told from rounding: @upper_dn and @upper_e bound it
 */
struct nst_fit_read {
	struct nst_fit_value dn;
	struct nst_fit_value e;
	bool below;
	double upper_dn;
	double upper_e;
};

/**
 * struct nst_fit_transfer - photon transfer of one gain
 * @black_dn: mean of the dark pairs
 * @dn_per_e: slope of temporal variance against the mean over black
 * @residual: rms of the variances about the line, share of the variance
 * @levels: flat pairs that were used; saturated ones are not
 */
struct nst_fit_transfer {
	double black_dn;
	struct nst_fit_value dn_per_e;
	struct nst_fit_read read;
	double residual;
	int levels;
};

/**
 * nst_fit_transfer() - gain and read noise from pairs
 * @flat, @flats: of a flat field at several levels
 * @dark, @darks: shortest exposure without light, cold
 * @white_dn: largest value there is
 *
 * Variances are weighted by what they say, and those far off the line are
 * left out step by step (Tukey's biweight): a level at which something else
 * moved does not turn the line.
 *
 * Return: 0; -ENODATA with fewer than three levels below saturation, or no
 * dark pair; -ERANGE when the dark frames are cut off at 0 DN; -EDOM when
 * the variance does not rise with the mean.
 */
int nst_fit_transfer(const struct nst_fit_pair *flat, int flats,
		     const struct nst_fit_pair *dark, int darks,
		     double white_dn, struct nst_fit_transfer *ret);

/**
 * nst_fit_rounded_upper() - largest noise that rounds to this variance
 * @var_dn2: variance of whole numbers
 * Return: standard deviation before rounding, DN, which no position of the
 * mean between two numbers makes larger.
 */
double nst_fit_rounded_upper(double var_dn2);

/**
 * struct nst_fit_dark_point - mean of dark frames at a temperature
 * @gain: index of the gain
 * @visit: pairs of one visit share the error of the thermometer
 * @sd_dn: standard error of @mean_dn
 */
struct nst_fit_dark_point {
	double temp_mc;
	double exposure_us;
	double mean_dn;
	double sd_dn;
	int gain;
	int visit;
};

/**
 * struct nst_fit_dark - dark current against temperature
 * @e_per_s: at @ref_mc
 * @doubling_mc: warming that doubles it
 * @black_dn: per gain, at no exposure
 * @residual_dn: rms of the means about the fit
 * @temp_error_mc: rms of what the fit moved the visits by
 * @span_mc: coldest to hottest visit
 */
struct nst_fit_dark {
	double ref_mc;
	struct nst_fit_value e_per_s;
	struct nst_fit_value doubling_mc;
	double black_dn[NST_FIT_GAINS_MAX];
	double residual_dn;
	double temp_error_mc;
	double span_mc;
};

/**
 * nst_fit_dark() - I_ref and T_d
 * @gain: DN per electron of each index, with their intervals
 * @temp_sd_mc: standard error of the thermometer in one visit
 * @ref_mc: where the dark current is told for; when that is outside what was
 *	visited, the whole degree next to the middle is taken
 * @scratch: NST_FIT_PAIRS_MAX * (NST_FIT_PARAMS_MAX + 4) numbers
 *
 * Each visit has an error of the thermometer of its own, which is fitted
 * with @temp_sd_mc as what is known of it: a sensor of whole degrees widens
 * the intervals and bends nothing.
 *
 * Return: 0; -ENODATA with too few points, or fewer than three visits;
 * -ERANGE when the visits span less than five degrees; -EDOM when the dark
 * level does not rise with exposure and temperature.
 */
int nst_fit_dark(const struct nst_fit_dark_point *point, int points,
		 const struct nst_fit_value *gain, int gains,
		 double temp_sd_mc, double ref_mc, double *scratch,
		 struct nst_fit_dark *ret);

/**
 * struct nst_fit_fixed_point - fixed pattern of a pair
 * @signal_dn: mean of the light, @dark_dn: mean dark signal
 */
struct nst_fit_fixed_point {
	double signal_dn;
	double dark_dn;
	struct nst_fit_pair pair;
};

/**
 * struct nst_fit_fixed - fixed patterns
 * @offset_dn: without light and dark signal
 * @residual: rms of the variances about the fit, share of the variance
 */
struct nst_fit_fixed {
	double offset_dn;
	struct nst_fit_value prnu;
	struct nst_fit_value dsnu;
	double residual;
};

/**
 * nst_fit_fixed() - PRNU and DSNU as shares of signal and dark signal
 * Return: 0; -ENODATA; -EDOM when the points do not tell the two apart.
 */
int nst_fit_fixed(const struct nst_fit_fixed_point *point, int points,
		  struct nst_fit_fixed *ret);

#endif /* NST_FIT_NOISE_H */
