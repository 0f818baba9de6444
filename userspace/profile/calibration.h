/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * calibration.h - what has been measured on one sensor, as a file
 *
 * A calibration file is YAML: `version: 1`, `kind: noise` or `kind:
 * thermal`, the sensor it belongs to, when it was made, and values with
 * their 95 % interval beside them (NAME, NAME_lo, NAME_hi) and the residuals
 * of the fits. Unit in every key. `nstctl calibrate` writes such files,
 * profiles name them (noise.calibration, thermal.calibration), and a person
 * can read and correct them.
 *
 *	version: 1
 *	kind: noise
 *	sensor: { name: sim0, card: "nst-sim sim0" }
 *	date: 2026-01-31T12:00:00Z
 *	ref_mc: 60000
 *	dark_e_per_s: 244.1
 *	dark_e_per_s_lo: 241.0
 *	dark_e_per_s_hi: 247.3
 *	...
 *	gains:
 *	  - iso: 100
 *	    dn_per_e: 0.12139
 *	    read_noise_max_e: 4.9	# below quantisation: a bound
 */
#ifndef NST_CALIBRATION_H
#define NST_CALIBRATION_H

#include <stdbool.h>
#include <stdio.h>

#include "emva.h"
#include "plant.h"

#define NST_CALIBRATION_NAME_LEN 64

enum nst_calibration_kind {
	NST_CALIBRATION_NOISE = 0,
	NST_CALIBRATION_THERMAL,
};

/**
 * struct nst_calibration_value - a measured quantity
 * @known: the file has it
 * @interval: @lo to @hi is its 95 % interval, value inside
 */
struct nst_calibration_value {
	double value;
	double lo;
	double hi;
	bool known;
	bool interval;
};

/**
 * struct nst_calibration_gain - one gain
 * @read_noise_e: unknown where quantisation hides it; then
 * @read_noise_max_e: is the upper bound, and stands for it
 */
struct nst_calibration_gain {
	unsigned int iso;
	struct nst_calibration_value dn_per_e;
	struct nst_calibration_value read_noise_e;
	double read_noise_max_e;
};

/**
 * struct nst_calibration_noise - emva.h has the meanings
 * @dark_residual_permyriad: rms of the dark current's fit, of the value
 * @gain_residual_permyriad: rms of the photon transfer's fit, of the variance
 */
struct nst_calibration_noise {
	double ref_mc;
	struct nst_calibration_value dark_e_per_s;
	struct nst_calibration_value doubling_mc;
	struct nst_calibration_value full_well_e;
	struct nst_calibration_value prnu_permyriad;
	struct nst_calibration_value dsnu_permyriad;
	struct nst_calibration_value hot_ppm;
	struct nst_calibration_value hot_median_permyriad;	/* of the mean dark current */
	struct nst_calibration_value hot_sigma_permyriad;	/* of the natural logarithm */
	unsigned int bits;
	unsigned int black_dn;
	unsigned int gains;
	struct nst_calibration_gain gain[NST_EMVA_GAINS_MAX];
	struct nst_calibration_value dark_residual_permyriad;
	struct nst_calibration_value gain_residual_permyriad;
};

/** struct nst_calibration_thermal - plant.h has the meanings */
struct nst_calibration_thermal {
	struct nst_calibration_value r_jp_mk_per_w;
	struct nst_calibration_value r_pa_mk_per_w;
	struct nst_calibration_value tau_j_us;
	struct nst_calibration_value tau_p_us;
	struct nst_calibration_value ambient_mc;
	struct nst_calibration_value residual_mc;
};

/**
 * struct nst_calibration - a file
 * @name: nst name of the sensor (sim0), required
 * @model, @card: part, V4L2 card name; "" when not known
 * @date: when it was made, UTC, as in 2026-01-31T12:00:00Z
 */
struct nst_calibration {
	enum nst_calibration_kind kind;
	char name[NST_CALIBRATION_NAME_LEN];
	char model[NST_CALIBRATION_NAME_LEN];
	char card[NST_CALIBRATION_NAME_LEN];
	char date[32];
	union {
		struct nst_calibration_noise noise;
		struct nst_calibration_thermal thermal;
	};
};

/**
 * nst_calibration_load() - read and check one file
 * @err: "path:line:column: text" per message, or NULL
 * Return: 0; errno of opening; -EINVAL after at least one message;
 * -ENOMEM. @ret is untouched then.
 */
int nst_calibration_load(struct nst_calibration *ret, const char *path,
			 FILE *err);

/**
 * nst_calibration_save() - a file that loads to the same calibration
 * Return: 0, -EINVAL for what could not be read back, -EIO.
 */
int nst_calibration_save(const struct nst_calibration *c, FILE *out);

/**
 * nst_calibration_emva() - the model that a noise calibration stands for
 * Hot pixels are in it when all three of their values are known.
 * Return: 0; -EINVAL for the other kind; -ERANGE when it is no sensor.
 */
int nst_calibration_emva(const struct nst_calibration *c,
			 struct nst_emva *ret);

/**
 * nst_calibration_plant() - constants that a thermal calibration stands for
 * Leakage is left as @ret has it. Return: as above.
 */
int nst_calibration_plant(const struct nst_calibration *c,
			  struct nst_plant_params *ret);

#endif /* NST_CALIBRATION_H */
