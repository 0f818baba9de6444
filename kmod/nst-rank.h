/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-rank.h - who may decide what about a gate, as pure functions
 *
 * Strictest first:
 *
 *	ceiling, bad sensor	 at least standby
 *	no reading after resume	 at least standby, until there is one
 *	bound (cooling device)	 at least standby in frames it does not grant
 *	capture ticket		 at least standby
 *	lease holder		 its gate
 *	else			 the deeper of sysfs "gate" and the engine
 *
 * A stricter rank deepens the gate and never opens it. What the lower ranks
 * asked for is kept and comes back when the stricter one lets go.
 */
#ifndef NST_RANK_H
#define NST_RANK_H

#include "policy.h"

#define NST_CEILING_RELEASE_MC 2000
#define NST_HIGH_BELOW_MAX_MC 2000

/**
 * struct nst_rank_inputs - what each rank says about one period
 * @leased: somebody holds the lease
 * @holder_gate: its gate
 * @manual_gate: sysfs "gate", without a lease
 * @engine_gates: policy/engine closes, without a lease
 * @capture: a ticket waits for its cold frame
 * @bound_closes: this frame is not one that the cooling device grants
 * @sensor_bad: there is no trustworthy temperature
 * @waking: there is none yet since the system slept; not a failure
 * @ceiling: running in this period would pass the ceiling
 */
struct nst_rank_inputs {
	bool leased;
	u8 holder_gate;
	u8 manual_gate;
	bool engine_gates;
	bool capture;
	bool bound_closes;
	bool sensor_bad;
	bool waking;
	bool ceiling;
};

/**
 * struct nst_rank_outputs - the gate and whose it is
 * @base: what the holder, or without one the kernel's own policy, wants
 * @gate: what it gets
 * @failsafe: NST_FAILSAFE_* (uapi) that is in force, 0 for none
 * @guard: the kernel gates by itself
 */
struct nst_rank_outputs {
	u8 base;
	u8 gate;
	u8 failsafe;
	bool guard;
};

void nst_rank_decide(const struct nst_rank_inputs *in,
		     struct nst_rank_outputs *out);

/**
 * nst_rank_dwell() - hold back the opening of a gate until its time is up
 * @from: gate in force, @since_us: since when
 * Closing never waits. Return: the gate at @t_us.
 */
u8 nst_rank_dwell(u8 from, u8 to, u64 since_us, u64 t_us, u32 dwell_us);

/**
 * nst_rank_thresholds() - what holds until a governor or a user says better
 * high 2 K under the maximum, low the default gap of seasons (the jump of
 * the die plus 4 K) under that, no capture limit. Return: 0 or -ERANGE.
 */
int nst_rank_thresholds(struct nst_thresholds *ret,
			const struct nst_plant_params *params, u32 run_mw,
			u32 gated_mw, s32 max_mc);

#endif /* NST_RANK_H */
