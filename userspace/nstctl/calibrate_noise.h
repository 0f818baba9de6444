/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * calibrate_noise.h - parts of the noise calibration
 */
#ifndef NST_CALIBRATE_NOISE_H
#define NST_CALIBRATE_NOISE_H

#include "calibrate.h"
#include "calibrate_shoot.h"

/** struct nst_cal - a calibration under way */
struct nst_cal {
	const struct nst_cal_args *args;
	struct nst_cal_shoot shoot;
	struct nst_cal_state state;
	enum nst_capture_scene scene;	/* what a person has been asked for */
	u32 done, of;
};

/** nst_cal_measure() - blocks that the state does not have yet; 0 or said */
int nst_cal_measure(struct nst_cal *c);

/** nst_cal_complete() - every block is there */
bool nst_cal_complete(const struct nst_cal *c);

/**
 * struct nst_cal_fits - what the points say
 */
struct nst_cal_fits {
	u32 gains;
	u32 iso[NST_FIT_GAINS_MAX];
	struct nst_fit_transfer transfer[NST_FIT_GAINS_MAX];
	struct nst_fit_dark dark;
	struct nst_fit_fixed fixed;
	struct nst_fit_value full_well_e;
	double temp_sd_mc;
	double coldest_mc, hottest_mc;
	double hot_ppm, hot_median, hot_sigma;
	bool hot_known;
};

/** nst_cal_fit() - 0 or a negative errno, said with what is missing */
int nst_cal_fit(const struct nst_cal_state *st, u32 gains, double white_dn,
		struct nst_cal_fits *ret);

/** nst_cal_fits_print() - as a table, or as JSON */
void nst_cal_fits_print(const struct nst_cal_fits *f, bool json, FILE *out);

/** nst_cal_fits_file() - as a calibration; identity and date are the caller's */
void nst_cal_fits_file(const struct nst_cal_fits *f, u32 bits,
		       struct nst_calibration *ret);

/** nst_cal_fits_draw() - photon transfer and dark current; 0 or said */
int nst_cal_fits_draw(const struct nst_cal_state *st,
		      const struct nst_cal_fits *f, const char *path,
		      const char *title);

#endif /* NST_CALIBRATE_NOISE_H */
