// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pol_stop_capture_go.c - run while it fits, stop, let the die cool, go on
 *
 * Sensors 2021 21(3) 926, section 4: gating the VPU for one frame cools the
 * die by the jump and the package by next to nothing, so the policy dithers
 * at frame rate and the package settles where the share of running frames is
 *
 *	d_max = ((T_high - alpha*P_near - T_amb)/R_pa - P_cap)/(P_near - P_cap)
 *
 * The published rule stops when T_high has been crossed. Here the decision
 * precedes the frame: it runs when it would end at or below T_high, so the
 * crossing does not happen.
 *
 *	         coming frame does not fit
 *	 go ---------------------------------> stop
 *	  ^                                     |
 *	  +-- stop_frames over and a near frame +
 *	      fits again
 *
 * A stop that is not enough goes on until the next near frame fits: below
 * d_max = 1/2 stops grow by themselves. Where no near frame ever fits the
 * stop has no end; its reason then stays NST_WHY_WOULD_CROSS.
 */
#include "lookahead.h"
#include "policies.h"

enum { PHASE_GO = 0, PHASE_STOP };

static void stop(struct nst_policy_state *state,
		 struct nst_policy_outputs *out, enum nst_reason reason)
{
	if (state->phase != PHASE_STOP) {
		state->phase = PHASE_STOP;
		state->frames_in_phase = 0;
	}
	if (state->frames_in_phase < NST_SEASON_FRAMES_MAX)
		state->frames_in_phase++;
	nst_decided(state, out, NST_PAUSED, reason);
}

static void stop_capture_go_decide(const struct nst_policy_config *config,
				   struct nst_policy_state *state,
				   const struct nst_policy_inputs *in,
				   struct nst_policy_outputs *out)
{
	s32 high_mc = nst_lookahead_high_mc(config, in);
	enum nst_reason why = NST_WHY_STEADY;
	struct nst_lookahead ahead;

	if (nst_inputs_blind(in)) {
		stop(state, out, NST_WHY_NO_SENSOR);
		return;
	}
	if (in->capture_pending) {
		stop(state, out, NST_WHY_CAPTURE);
		return;
	}
	nst_lookahead(config, state, in, &ahead);
	if (ahead.start_mc > high_mc) {
		stop(state, out, NST_WHY_ABOVE_HIGH);
		return;
	}
	if (state->phase == PHASE_STOP) {
		if (state->frames_in_phase < config->stop_frames) {
			stop(state, out, NST_WHY_DWELL);
			return;
		}
		why = NST_WHY_COOL_ENOUGH;
	}
	if (ahead.near_peak_mc > high_mc) {
		stop(state, out, NST_WHY_WOULD_CROSS);
		return;
	}
	state->phase = PHASE_GO;
	nst_decided(state, out, NST_NEAR, why);
}

const struct nst_policy_ops nst_pol_stop_capture_go = {
	.name = "stop-capture-go",
	.drops = true,
	.decide = stop_capture_go_decide,
};
