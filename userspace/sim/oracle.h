/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * oracle.h - the best that any policy could do in steady light
 *
 * Doubles, own equations, nothing from policies/ and no header but the
 * oracle's own (tests/style/includes.sh sees to that): what it says can be
 * held against a policy because it cannot share a mistake with it.
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
 * @pattern, @pattern_len: frames of the gate pattern that sets the pace,
 *	1 = near, the first in bit 0; length 0 where seasons are longer
 */
struct nst_oracle_result {
	double power_w;
	double near_share;
	double delivered_share;
	double near_s;
	double far_s;
	unsigned int pattern;
	int pattern_len;
};

/**
 * enum nst_oracle_bound - what the limits of a case do
 * @NST_ORACLE_FREE: the VPU may run for ever
 * @NST_ORACLE_BINDS: it may not
 * @NST_ORACLE_NEVER: not even a gated stack meets them
 */
enum nst_oracle_bound {
	NST_ORACLE_FREE = 0,
	NST_ORACLE_BINDS,
	NST_ORACLE_NEVER,
};

enum nst_oracle_bound nst_oracle_bound(const struct nst_oracle_case *c);

/**
 * struct nst_oracle - gate patterns of one stack and camera setting, worked
 * out once for all cases that differ in weather, limits and switch cost only
 */
struct nst_oracle;

/** nst_oracle_new() - NULL without memory; freed with nst_oracle_free() */
struct nst_oracle *nst_oracle_new(void);
void nst_oracle_free(struct nst_oracle *o);

/**
 * nst_oracle_migration() - least mean power with every frame delivered
 * @o: remembers the patterns from call to call, NULL for one call
 *
 * Switches are free: a mix of gate patterns of up to ten frames, in which no
 * frame's exposure is too hot. Isolated near frames are colder than those of
 * a season, so that they may come on a warmer package.
 * They are not: those patterns, or periodic seasons of any real length, whose
 * steady cycle is solved exactly and whose length is searched.
 * Return: false when not even a gated stack meets the limits.
 */
bool nst_oracle_migration(struct nst_oracle *o,
			  const struct nst_oracle_case *c,
			  struct nst_oracle_result *ret);

/**
 * nst_oracle_stop() - most frames delivered when frames may be dropped, and
 * of the ways to deliver as many the one that needs least energy
 *
 * All gate patterns of up to ten frames on the timeline (a frame is
 * processed in the period after its exposure), mixed at will over times in
 * which the package does not move.
 */
bool nst_oracle_stop(struct nst_oracle *o, const struct nst_oracle_case *c,
		     struct nst_oracle_result *ret);

#endif /* NST_ORACLE_H */
