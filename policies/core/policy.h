/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * policy.h - the two structs at the seam, and the table of policies
 *
 * A policy answers one question per frame: what does the stack do in the
 * period that starts at the next boundary? It is called before that period
 * with a model whose state is the one expected at its start, so it decides
 * before the frame instead of after the crossing.
 *
 * Timeline (period n): frame n is exposed while frame n-1 is processed.
 * PAUSED means that frame n-1 is dropped and frame n is the cold one.
 */
#ifndef NST_POLICY_H
#define NST_POLICY_H

#include "limits.h"
#include "plan.h"
#include "window.h"

enum nst_gate {
	NST_GATE_RUN = 0,
	NST_GATE_STANDBY,	/* clock-gated, network kept */
	NST_GATE_CLEARED,	/* network dropped */
	NST_GATE_OFF,		/* power removed */
	NST_GATE_COUNT
};

enum nst_placement {
	NST_NEAR = 0,
	NST_FAR,
	NST_PAUSED,
	NST_PLACEMENT_COUNT
};

enum nst_reason {
	NST_WHY_STEADY = 0,	/* nothing changed */
	NST_WHY_BELOW_LOW,	/* cool enough: a near season begins */
	NST_WHY_WOULD_CROSS,	/* the coming frame would pass T_high */
	NST_WHY_ABOVE_HIGH,	/* it is above T_high already */
	NST_WHY_CAPTURE,	/* an on-demand capture is due */
	NST_WHY_DWELL,		/* held by the dwell or the stop length */
	NST_WHY_COOL_ENOUGH,	/* the coming near frame fits again */
	NST_WHY_NO_SENSOR,	/* no trustworthy temperature */
	NST_WHY_FIXED,		/* the policy never decides otherwise */
	NST_WHY_NO_FAR,		/* the far placement is refused */
	NST_WHY_TOO_HOT,	/* the frame before is, for the task */
	NST_WHY_NO_GAIN,	/* a season now does not pay for its changes */
	NST_REASON_COUNT
};

/**
 * struct nst_policy_config - constant between two changes of the situation
 * @thr: thresholds in force
 * @params: the plant
 * @near_mw: stack power with the gate in run
 * @gated_mw: stack power with the VPU gated (capture power)
 * @far_mw: power of the whole system while a frame is processed far; that of
 *	a near frame is near_mw, that of a dropped one gated_mw
 * @switch_uj: energy of one change between near and far, hand-shake and
 *	pre-copy; 0 where it is free. Changes from and to paused cost nothing.
 * @vpu_busy_us: the VPU's work for a frame, drawn at the start of the window
 *	that the gate is run for; 0 for the whole period. near_mw is the mean
 *	over the period.
 * @gate_enter_us, @gate_exit_us: from the decision until the gate is closed,
 *	and until it is open
 * @frame_period_us, @exposure_us, @readout_us: camera timing
 * @doubling_mc: T_d of the sensor
 * @vision_max_mc: continuous limit on exposure temperature, or NONE; a
 *	policy keeps the die below this and below thr.high_mc
 * @die_max_mc: what the die may reach at any time, at most thr.max_mc: the
 *	bound that leaves room for a capture, the ceiling, a high threshold
 *	set by hand, but not the continuous limit, which is of exposures and
 *	not of the die. Policies that plan by exposures go by it and by
 *	vision_max_mc in place of thr.high_mc.
 * @die_max_firm: die_max_mc is what somebody asks for, and binds bursts and
 *	windows within a period as well. Room for a capture is made for the
 *	mean power of a period: a burst may pass that bound, to thr.max_mc.
 * @stop_frames: shortest stop, 1..NST_SEASON_FRAMES_MAX
 * @dwell_frames: shortest far season, likewise. A near season ends whenever
 *	the limit demands it.
 * @act_delay_frames: frames between a decision and its effect that the
 *	caller's model does not already include, 0..NST_ACT_DELAY_MAX
 * @no_far: there is no far placement to go to at present; for auto
 *
 * Exposure and readout together fit into the frame period. near_mw is not
 * below gated_mw.
 */
#define NST_SWITCH_MAX_UJ 1000000000
#define NST_ACT_DELAY_MAX 8
#define NST_SEASON_FRAMES_MAX 1000000

struct nst_policy_config {
	struct nst_thresholds thr;
	struct nst_plant_params params;
	u32 near_mw;
	u32 gated_mw;
	u32 far_mw;
	u32 switch_uj;
	u32 vpu_busy_us;
	u32 gate_enter_us;
	u32 gate_exit_us;
	u32 frame_period_us;
	u32 exposure_us;
	u32 readout_us;
	u32 doubling_mc;
	s32 vision_max_mc;
	s32 die_max_mc;
	u32 stop_frames;
	u32 dwell_frames;
	u32 act_delay_frames;
	bool die_max_firm;
	bool no_far;
};

/**
 * struct nst_policy_inputs - what is known when period @frame_seq is decided
 * @frame_seq: the period decided about
 * @t_us: its start, device clock
 * @model: plant state expected at @t_us
 * @ambient_mc: ambient temperature of the model
 * @margin_mc: uncertainty of the model, taken off every threshold
 * @sensor_ok: the model is backed by a healthy sensor
 * @capture_pending: a capture asks for its cold frame
 */
struct nst_policy_inputs {
	u64 frame_seq;
	u64 t_us;
	const struct nst_plant *model;
	s32 ambient_mc;
	s32 margin_mc;
	bool sensor_ok;
	bool capture_pending;
};

/**
 * struct nst_policy_outputs - the decision
 * @gate: NST_GATE_RUN or NST_GATE_STANDBY
 * @placement: who processes the previous frame in this period
 * @reason: enum nst_reason
 * @run_from_us, @run_us: the part of the period in which the gate is run;
 *	both 0 for the whole of it, and with any gate but run
 */
struct nst_policy_outputs {
	u8 gate;
	u8 placement;
	u8 reason;
	u32 run_from_us;
	u32 run_us;
};

/*
 * Of phase-locked, see there: the place of the window, and the situation that
 * it was chosen for.
 */
struct nst_phase_plan {
	u8 kind;
	bool have_last;
	s32 last_mc;		/* exposure of the frame to be processed next */
	s32 end_mc;		/* the die when that period ends */
	s64 end_slow_q32;	/* its slow mode then */
	s32 ambient_mc;
	u64 tau_ns[2];
	s64 gain_q32[2];
	struct nst_policy_config config;
	struct nst_window_map run;
	struct nst_window_map stop;
};

/*
 * Private to the policies; all zero is a fresh start.
 *
 * @gated_bits: past decisions, newest in bit 0, 1 = gated. What was decided
 * before the start is taken as run, the hotter guess.
 * @frame: decay factors of one frame, with the constants they belong to
 * @no_far: as it was at the last decision of auto
 * @exposed: the frame exposed in the period decided last: what its end was
 *	expected to be, the exposure temperature, the limit on it
 * @plan: what is worked out once for a situation
 */
struct nst_policy_state {
	u8 phase;
	bool no_far;
	u32 frames_in_phase;
	u32 gated_bits;
	struct nst_plant_factors frame;
	u64 frame_tau_ns[2];
	struct {
		bool known;
		s32 temp_mc;
		s32 limit_mc;
		struct nst_modes end;
	} exposed;
	struct nst_policy_plan plan;
	struct nst_phase_plan phase_plan;
};

/**
 * struct nst_policy_ops - one entry of the table
 * @drops: frames may be dropped (stop mode), else every frame is delivered
 * @decide: called once per frame period, in order
 */
struct nst_policy_ops {
	const char *name;
	bool drops;
	void (*decide)(const struct nst_policy_config *config,
		       struct nst_policy_state *state,
		       const struct nst_policy_inputs *in,
		       struct nst_policy_outputs *out);
};

/*
 * The table. An entry without a name ends it, and a NULL pointer follows
 * that, so that either may be looked for.
 */
extern const struct nst_policy_ops *const nst_policies[];

/** nst_policy_find() - by name (full near-far strings of the profile) */
const struct nst_policy_ops *nst_policy_find(const char *name);

/**
 * nst_policy_config_check() - ranges and order of everything in a config
 * Return: 0, -ERANGE for a value out of range, -EINVAL for values that do not
 * go together.
 */
int nst_policy_config_check(const struct nst_policy_config *config);

void nst_policy_reset(struct nst_policy_state *state);

const char *nst_gate_name(enum nst_gate gate);
const char *nst_placement_name(enum nst_placement placement);
const char *nst_reason_text(enum nst_reason reason);

#endif /* NST_POLICY_H */
