/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * optimum.h - the oracle's word on the situation of a simulated run
 *
 * The oracle is told the limits of the tasks and the constants of the
 * profile; how a capture's limit becomes a bound on the die is worked out
 * here a second time, away from policies/.
 */
#ifndef NST_OPTIMUM_H
#define NST_OPTIMUM_H

#include "oracle_trace.h"
#include "sim.h"

/**
 * struct nst_optimum - what could have been had in the same time
 * @there: there is one; all else is 0 when not (power changes within a
 *	period, or more than NST_ORACLE_SETTINGS_MAX situations)
 * @bound: of the limits at the first setting that has any effect, the
 *	strictest: BINDS before NEVER before FREE
 * @frames: exposed in the time
 * @energy_j, @delivered: of the best policy that learns of a change of light
 *	or weather when it comes
 * @foreseen_energy_j, @foreseen_delivered: of one that knows the whole trace
 *	beforehand; the same in steady light
 */
struct nst_optimum {
	bool there;
	enum nst_oracle_bound bound;
	double frames;
	double energy_j;
	double delivered;
	double foreseen_energy_j;
	double foreseen_delivered;
};

/**
 * nst_optimum_get() - work it out
 * @oracle: remembers patterns from call to call, or NULL
 * @opt: profile, sensor, trace, ambient temperature, switch cost
 * @time_us: how long the run is, from the start of the trace
 * @drops: frames may be dropped, else each is delivered
 */
void nst_optimum_get(struct nst_optimum *ret, struct nst_oracle *oracle,
		     const struct nst_sim_options *opt, u64 time_us,
		     bool drops);

/** nst_optimum_compare() - the fields of a run's result about the oracle */
void nst_optimum_compare(struct nst_sim_result *result,
			 const struct nst_optimum *optimum);

#endif /* NST_OPTIMUM_H */
