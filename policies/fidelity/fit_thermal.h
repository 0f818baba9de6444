/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fit_thermal.h - the two-node RC model, from steps of power
 *
 *	dTj/dt = (P - (Tj - Tp)/R_jp) / C_j		tau_j = R_jp * C_j
 *	dTp/dt = ((Tj - Tp)/R_jp - (Tp - T_amb)/R_pa) / C_p
 *							tau_p = R_pa * C_p
 *
 * Readings may be coarse, noisy and uneven in time. The model is solved
 * exactly between two readings, so nothing depends on how often they come.
 * A sensor that shows the same number for a while has said one thing, not
 * many: readings in a run count as one together. Intervals are as wide as the
 * residuals make them, blocks of which may hang together, and have in them that
 * it is not known when in its bounds a power came into force.
 *
 * Resistances are relative to the powers that are given. What the readings
 * do not determine is told so, with what would be enough; it is never
 * returned as a figure.
 */
#ifndef NST_FIT_THERMAL_H
#define NST_FIT_THERMAL_H

#include "fit_num.h"

#define NST_FIT_THERMAL_READINGS_MAX 8192
/* Numbers of scratch for that many readings. */
#define NST_FIT_THERMAL_SCRATCH (12 * NST_FIT_THERMAL_READINGS_MAX)

/**
 * struct nst_fit_reading - one line of a recording
 * @temp_c: NAN for a change of power alone
 * @power_w: into the die, from this time to the next one
 * @late_s: where @power_w is another than before: it came into force at @t_s
 *	or up to so much later, which is fitted; 0 for exactly then
 */
struct nst_fit_reading {
	double t_s;
	double temp_c;
	double power_w;
	double late_s;
};

/* Changes of power, by what may delay them alike. */
enum nst_fit_edge {
	NST_FIT_RISE = 0,
	NST_FIT_FALL,
	NST_FIT_EDGES,
};

enum nst_fit_thermal_param {
	NST_FIT_R_JP = 0,	/* K/W */
	NST_FIT_R_PA,		/* K/W */
	NST_FIT_TAU_J,		/* s */
	NST_FIT_TAU_P,		/* s */
	NST_FIT_AMBIENT,	/* degC */
	NST_FIT_THERMAL_PARAMS,
};

/** nst_fit_thermal_name() - "r_jp" and so on; unit: "K/W" and so on */
const char *nst_fit_thermal_name(enum nst_fit_thermal_param p);
const char *nst_fit_thermal_unit(enum nst_fit_thermal_param p);

/**
 * struct nst_fit_thermal - what came out
 * @param: figures; wide ones too
 * @weak: bit per parameter whose interval is too wide to be used
 * @package_c: temperature of the package at the first reading
 * @lsb_c: step of the sensor as it was seen
 * @late: share of @late_s after which power rises and falls, 0.5 where nothing
 *	says so
 * @noise_c: standard deviation of the readings about the fit
 * @follow: correlation of a residual with the next one; noise and steps of the
 *	sensor leave little, what the model does not have leaves much
 * @steps: changes of power that have readings on both sides
 * @readings: that were used; @told: runs of equal readings among them
 * @span_c: lowest to highest reading
 * @gap_s: shortest time from a step, as late as it may be, to the first reading
 *	after it
 * @longest_s: longest time at one power
 * @enough_s: that time would be long enough for tau_p, R_pa and the ambient
 *	temperature; 0 when it is, or no time would
 * @enough_steps: so many steps would be enough for R_jp and tau_j; 0 as above
 * @enough_lsb_c: a sensor of that resolution would be enough as it is; 0 as
 *	above
 * @enough_gap_s: a reading is needed that soon after a step; 0 as above
 * @coarse: the steps of the sensor swallow what is weak: nothing can be said of
 *	how fine a one would be enough
 */
struct nst_fit_thermal {
	struct nst_fit_value param[NST_FIT_THERMAL_PARAMS];
	unsigned int weak;
	double package_c;
	double late[NST_FIT_EDGES];
	double lsb_c;
	double noise_c;
	double follow;
	double span_c;
	double gap_s;
	double longest_s;
	int steps;
	int readings;
	int told;
	double enough_s;
	int enough_steps;
	double enough_lsb_c;
	double enough_gap_s;
	bool coarse;
};

/**
 * nst_fit_thermal() - constants from a recording
 * @reading, @readings: in order of time
 * @widest: half of the interval that is accepted, as a share of the figure
 *	(of the rise at the highest power for the ambient temperature)
 * @scratch: NST_FIT_THERMAL_SCRATCH numbers
 *
 * Return: 0 when every figure is good; -EDOM when some are weak, @ret says
 * which and what would help; -ENODATA with fewer than eight readings or no
 * step of power; -EINVAL for readings out of order or without a number.
 */
int nst_fit_thermal(const struct nst_fit_reading *reading, int readings,
		    double widest, double *scratch,
		    struct nst_fit_thermal *ret);

/**
 * nst_fit_thermal_predict() - the model's die temperature at each reading
 * @param: as in struct nst_fit_thermal, @package_c: at the first reading
 * @late: per enum nst_fit_edge
 */
void nst_fit_thermal_predict(const double *param, double package_c,
			     const double *late,
			     const struct nst_fit_reading *reading,
			     int readings, double *ret_c);

#endif /* NST_FIT_THERMAL_H */
