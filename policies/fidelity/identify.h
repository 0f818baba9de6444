/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * identify.h - a stack's thermal figures while it runs, with intervals
 *
 * What temperature alone can tell. The die is
 *
 *	T = z + R_jp * f,   dz/dt = (T_amb + R_pa * P - z) / tau_p
 *
 * with f the power behind the die's own lag and z the slow mode of plant.h.
 * Power enters only as R times P. So of the profile's figures are seen
 *
 *	R_pa * P	the rise at steady power
 *	R_jp * P	the jump at an edge of the gate
 *	tau_p		how long the package takes
 *	T_amb + (R_jp + R_pa) * P_gated		where a gated stack comes to rest
 *
 * Two readings of the same facts are given: with the profile's powers, R_pa,
 * R_jp and the ambient temperature; with the profile's R_pa, the near power.
 * Which of them it was that differs, no thermometer tells, and no prediction
 * of a temperature needs it. (Who trusts both has rise and jump wrong by
 * the same factor in one case and not in the other.) The die's own constant
 * is over before a sensor that is read once a frame can see it: it is the
 * profile's, and @tolerance goes on to hold for it.
 *
 * The method is an extended Kalman filter of five states: slow mode, ambient
 * temperature, and the ratios of R_pa, R_jp and tau_p to the profile's. It
 * starts from the profile and its tolerance, so while nothing has been seen
 * the answer is the profile's. The ambient temperature wanders; the rest does
 * not change unless readings say so (see nst_identify_reading()).
 *
 * Doubles, no allocation, 0.3 us a step; no clock.
 */
#ifndef NST_IDENTIFY_H
#define NST_IDENTIFY_H

#include "fit_num.h"
#include "plant.h"

enum nst_identify_param {
	NST_IDENT_AMBIENT,	/* degC */
	NST_IDENT_R_PA,		/* K/W, with the profile's powers */
	NST_IDENT_R_JP,		/* K/W, likewise */
	NST_IDENT_TAU_P,	/* s */
	NST_IDENT_NEAR,		/* W, with the profile's R_pa */
	NST_IDENT_JUMP,		/* K, die at an edge between near and gated */
	NST_IDENT_PARAMS
};

/**
 * struct nst_identify_config - what is known beforehand
 * @params, @near_w, @gated_w: the profile's
 * @tolerance: standard deviation of each of its figures, as a share of it
 * @ambient_c, @ambient_sd_c: of the room when it starts
 * @wander_c: standard deviation of the room's temperature after one second;
 *	it grows with the square root of time
 */
struct nst_identify_config {
	struct nst_plant_params params;
	double near_w;
	double gated_w;
	double tolerance;
	double ambient_c;
	double ambient_sd_c;
	double wander_c;
};

/* 1 K in an hour. */
#define NST_IDENT_WANDER_C 0.0167

#define NST_IDENT_STATES 5

/**
 * struct nst_identify - the filter
 * @changes: times that the stack turned out to be another one
 * Read @changes and @primed; the rest is private.
 */
struct nst_identify {
	struct nst_identify_config config;
	bool primed;
	unsigned int changes;

	double gain_fast, gain_slow;	/* K/W, of the profile's modes */
	double tau_fast, tau_slow;	/* s */
	double drive_w;			/* power behind the fast lag */
	double slant_w;			/* by the logarithm of tau_fast */
	double mean_w;			/* drive_w over a second */
	double x[NST_IDENT_STATES];
	double p[NST_IDENT_STATES][NST_IDENT_STATES];
	double trend;			/* of the last deviations, in sigmas */
	unsigned int wild;		/* deviations in a row beyond reason */
	double keep_fast, keep_slow, keep_mean, kept_dt, kept_tau;
};

/**
 * nst_identify_init() - Return: 0, or -ERANGE as nst_plant_init(), for a
 * near power that is not above the gated one, and for what is not finite or
 * not positive, with @id untouched.
 */
int nst_identify_init(struct nst_identify *id,
		      const struct nst_identify_config *config);

/**
 * nst_identify_begin() - before the first reading, and the first behind a gap:
 * the die has settled at @power_w
 */
void nst_identify_begin(struct nst_identify *id, double power_w);

/**
 * nst_identify_advance() - @dt_s pass with @power_w in the die, leakage
 * included
 */
void nst_identify_advance(struct nst_identify *id, double power_w,
			  double dt_s);

/**
 * nst_identify_reading() - the die's temperature now
 * @var_c2: variance of @temp_c; errors of two readings are independent
 *
 * Where readings in a row, or their trend, are further off than all that is
 * uncertain, the stack is not the one it was: a cap on the lens, a fan, the
 * sun. Then the profile holds again, with more than its tolerance.
 *
 * Return: true when that happened.
 */
bool nst_identify_reading(struct nst_identify *id, double temp_c,
			  double var_c2);

/**
 * nst_identify_gap() - nobody knows what happened for @dt_s
 * Figures of the stack stay; where the package is, is open, and the ambient
 * has wandered for so long.
 */
void nst_identify_gap(struct nst_identify *id, double dt_s);

/**
 * nst_identify_move_ambient() - a thermometer of the air has moved
 * What the stack has around it moves with it, within a quarter of that.
 */
void nst_identify_move_ambient(struct nst_identify *id, double by_c);

/** nst_identify_value() - the estimate and its 95 % interval */
struct nst_fit_value nst_identify_value(const struct nst_identify *id,
					enum nst_identify_param param);

/** "ambient", "r_pa", "r_jp", "tau_p", "near", "jump", and their units */
const char *nst_identify_name(enum nst_identify_param param);
const char *nst_identify_unit(enum nst_identify_param param);

/**
 * nst_identify_plant() - the estimate as a plant, for the observer
 * Return: 0, or -ERANGE when it is none, with @ret untouched.
 */
int nst_identify_plant(const struct nst_identify *id,
		       struct nst_plant_params *ret);

/** nst_identify_ambient_c(), nst_identify_slow_c() - estimates */
double nst_identify_ambient_c(const struct nst_identify *id);
double nst_identify_slow_c(const struct nst_identify *id);

/** nst_identify_die_c() - the die now, by the estimate */
double nst_identify_die_c(const struct nst_identify *id);

/** nst_identify_above_c() - by how much the die is above its package now */
double nst_identify_above_c(const struct nst_identify *id);

/** nst_identify_ratio() - estimate over the profile's: R_PA, R_JP or TAU_P */
double nst_identify_ratio(const struct nst_identify *id,
			  enum nst_identify_param param);

/** nst_identify_span_w() - between near and gated, the profile's */
double nst_identify_span_w(const struct nst_identify *id);

/** nst_identify_jump_c() - of the die at an edge between near and gated */
double nst_identify_jump_c(const struct nst_identify *id);

/**
 * nst_identify_settle_off_c() - how far from the estimate's place another
 * model would see the slow mode settle, as nst_identify_settle_sd_c()
 */
double nst_identify_settle_off_c(const struct nst_identify *id,
				 double ambient_c, double ratio_r_pa,
				 double ln_tau);

/**
 * nst_identify_settle_sd_c() - how far off the place is that the slow mode
 * tends to at the mean power of late: one standard deviation
 */
double nst_identify_settle_sd_c(const struct nst_identify *id);

/** nst_identify_jump_sd_c() - and the jump of the die at an edge */
double nst_identify_jump_sd_c(const struct nst_identify *id);

/**
 * nst_identify_ahead() - the die, some time ahead
 * @power_w, @dt_s: @steps stretches of constant power
 * @ret_c, @ret_sd_c: at the end of each: the prediction and the standard
 *	deviation of its error, without the reading's own
 */
void nst_identify_ahead(const struct nst_identify *id, const double *power_w,
			const double *dt_s, int steps, double *ret_c,
			double *ret_sd_c);

#endif /* NST_IDENTIFY_H */
