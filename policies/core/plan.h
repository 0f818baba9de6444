/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * plan.h - what a planning policy works out once for a situation
 *
 * Two things are dear and change only with the situation: the table of
 * exposure temperatures, and the length of the seasons where a change of
 * placement costs energy. They are kept in the policy's state and redone
 * when a number they were made from differs.
 */
#ifndef NST_POLICY_PLAN_H
#define NST_POLICY_PLAN_H

#include "window.h"

struct nst_policy_config;
struct nst_policy_inputs;
struct nst_policy_state;
struct nst_lookahead;

/* Both modes of the plant in the die, mC in Q32; their sum is the die. */
struct nst_modes {
	s64 fast_q32;
	s64 slow_q32;
};

/*
 * Exposures by the plan's table are at most this far from those of
 * nst_exposure_frame_mc() and nst_exposure_map_mc(), and it is taken off
 * the continuous limit.
 */
#define NST_PLAN_GUARD_MC 15

/* Intervals of the table over the deviation of the fast mode. */
#define NST_PLAN_STEPS 32

/* Everything that the tables and seasons are made from. */
struct nst_policy_plan_key {
	struct nst_plant_params params;
	u32 near_mw;
	u32 gated_mw;
	u32 far_mw;
	u32 switch_uj;
	u32 frame_period_us;
	u32 exposure_us;
	u32 readout_us;
	u32 doubling_mc;
	u32 vpu_busy_us;
	u32 gate_enter_us;
};

/* What the VPU does in a period. */
enum nst_period {
	NST_PERIOD_RUN = 0,
	NST_PERIOD_CLOSING,	/* gated, and the gate was open before */
	NST_PERIOD_IDLE,	/* gated as before */
	NST_PERIOD_COUNT
};

/**
 * struct nst_policy_plan - private to the policies
 * @made: there is one
 * @step_shift: a deviation in Q32 shifted by it is an interval
 * @slow_q64, @slow_tau_ns: slow mode: part lost per microsecond, constant
 * @near: last row of a frame that warms, by how far its start is below
 * @gated: first row of a frame that cools, by how far its start is above
 * @bends: a stack that leaks, or frames that are long for the package: their
 *	exposures are integrated
 * @split: a period has parts: a VPU that is busy for some of it only, or a gate
 *	that takes time to close. Exposures come from @window then.
 * @mapped: there is a @window. Else, with leakage or periods that are long for
 *	the package, periods are stepped and their exposures bounded by @heat.
 * @heat: the first part of a period; the rest is gated
 * @die_over_mc, @exposure_over_mc: of a long near season, over the slow mode
 * @seasons: for @warm_mc from the release of a near season to where it
 *	tends, @cool_mc to where a far one tends: near again when the slow
 *	mode is @swing_mc under where the near season ended; < 0 for never
 */
struct nst_policy_plan {
	bool made;
	struct nst_policy_plan_key key;
	u32 step_shift;
	u64 slow_q64;
	u64 slow_tau_ns;
	struct nst_exposure_map_entry near[NST_PLAN_STEPS + 1];
	struct nst_exposure_map_entry gated[NST_PLAN_STEPS + 1];
	bool bends;
	bool split;
	bool mapped;
	struct {
		u32 us;
		u32 mw;
	} heat[NST_PERIOD_COUNT];
	s32 die_over_mc;
	s32 exposure_over_mc;
	struct nst_window_map window[NST_PERIOD_COUNT];
	struct {
		bool made;
		s32 warm_mc;
		s32 cool_mc;
		s32 swing_mc;
	} seasons;
};

/** nst_policy_plan_get() - the plan of this situation, made anew when it has to be */
struct nst_policy_plan *
nst_policy_plan_get(const struct nst_policy_config *config,
		    struct nst_policy_state *state,
		    const struct nst_policy_inputs *in);

/**
 * nst_policy_plan_split() - nst_lookahead() again where periods are split
 * @ret: what that made of whole periods
 */
void nst_policy_plan_split(struct nst_policy_plan *plan,
			   const struct nst_policy_config *config,
			   const struct nst_policy_state *state,
			   const struct nst_policy_inputs *in,
			   struct nst_lookahead *ret);

/**
 * nst_policy_plan_gated_end() - as nst_lookahead_gated_end(), where split
 * @period: closing or idle
 */
void nst_policy_plan_gated_end(struct nst_policy_plan *plan,
			       const struct nst_policy_inputs *in,
			       const struct nst_lookahead *ahead,
			       enum nst_period period, struct nst_modes *ret);

/**
 * nst_policy_plan_exposure_mc() - exposure temperature of a frame, hottest row
 * @at: the modes at the start of its period
 * @ahead: for where they tend to
 */
s32 nst_policy_plan_exposure_mc(struct nst_policy_plan *plan,
				const struct nst_policy_config *config,
				const struct nst_policy_inputs *in,
				const struct nst_modes *at,
				const struct nst_lookahead *ahead,
				enum nst_period period);

/** nst_policy_plan_gated() - the kind of a gated period, before it is decided */
enum nst_period nst_policy_plan_gated(const struct nst_policy_state *state);

/**
 * nst_policy_plan_release() - may a near season begin?
 * @top_q32: the slow mode at which a near season ends, margin taken off
 *
 * Near until the limit and far down to a level below it is a cycle of
 *
 *	t_near = tau * ln((warm + swing) / warm)
 *	t_far  = tau * ln(cool / (cool - swing))
 *
 * of the slow mode, with warm and cool the distances from the end of the
 * near season to where near and far seasons tend. The swing is the one that
 * makes (t_near*P_near + t_far*P_far + 2*E_switch) / (t_near + t_far) least.
 * Return: false where waiting, or staying far for ever, costs less.
 */
bool nst_policy_plan_release(struct nst_policy_plan *plan,
			     const struct nst_lookahead *ahead, s64 top_q32);

#endif /* NST_POLICY_PLAN_H */
