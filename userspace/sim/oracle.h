/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * oracle.h - the best that any policy could do in steady light
 *
 * Doubles, own equations, nothing from policies/: what it says can be held
 * against a policy because it cannot share a mistake with it.
 */
#ifndef NST_ORACLE_H
#define NST_ORACLE_H

#include <stdbool.h>

/**
 * struct nst_oracle_case - one steady situation, SI units and degC
 * @die_max_c: highest die temperature at any time (on-demand bound with its
 *	jump, ceiling), INFINITY for none
 * @exposure_max_c: highest exposure temperature of a delivered frame
 * @switch_j: energy of one change of placement
 */
struct nst_oracle_case {
	double r_jp, r_pa, c_j, c_p;
	double ambient_c;
	double near_w, gated_w, far_w;
	double period_s, exposure_s, readout_s;
	double doubling_k;
	double die_max_c;
	double exposure_max_c;
	double switch_j;
};

/**
 * struct nst_oracle_result - the optimum
 * @power_w: mean power of the system
 * @near_share: share of time with the VPU running
 * @delivered_share: frames delivered to frames exposed
 * @near_s, @far_s: seasons of the optimum; 0 where there are none
 */
struct nst_oracle_result {
	double power_w;
	double near_share;
	double delivered_share;
	double near_s;
	double far_s;
};

/**
 * nst_oracle_migration() - least mean power with every frame delivered
 *
 * Periodic seasons of any real length of at least a frame: their steady
 * cycle is solved exactly, and the near season's length is searched.
 * Return: false when not even a gated stack meets the limits.
 */
bool nst_oracle_migration(const struct nst_oracle_case *c,
			  struct nst_oracle_result *ret);

/**
 * nst_oracle_stop() - most frames delivered when frames may be dropped
 *
 * All gate patterns of up to ten frames on the timeline (a frame is
 * processed in the period after its exposure), mixed at will over times in
 * which the package does not move.
 */
bool nst_oracle_stop(const struct nst_oracle_case *c,
		     struct nst_oracle_result *ret);

#endif /* NST_ORACLE_H */
