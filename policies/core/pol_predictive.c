// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pol_predictive.c - near as much as the limits allow, far for the rest
 *
 * Every frame is delivered, and least mean power is least time far. A near
 * frame fits when
 *
 *	- the die stays below its own bound to the end of it,
 *	- its exposure temperature stays below the continuous limit, and
 *	- so does that of a far frame after it, whose exposure begins on the
 *	  hot die: the frame that must be possible next, whatever comes.
 *
 * The die forgets a gate in a few constants, the package in a minute, and
 * each pattern of near and far frames has its fixed distance from the
 * package. So where changes are free it is best to run whenever the coming
 * frame fits: the package is then as warm as the coolest pattern that is
 * needed allows, and isolated near frames, which are exposed before the die
 * has warmed, come out by themselves where they help.
 *
 * Where a change costs energy a near season goes on as long as its frames
 * fit, and a far one until the package is cool enough for a season that
 * pays (plan.h). A capture gates at once; the season that it broke off
 * begins again under the same rule.
 */
#include "lookahead.h"
#include "policies.h"

enum { PHASE_NEAR = 0, PHASE_FAR };

static void go_far(struct nst_policy_state *state,
		   struct nst_policy_outputs *out, enum nst_reason reason)
{
	if (state->phase != PHASE_FAR) {
		state->phase = PHASE_FAR;
		state->frames_in_phase = 0;
	}
	if (state->frames_in_phase < NST_SEASON_FRAMES_MAX)
		state->frames_in_phase++;
	nst_decided(state, out, NST_FAR, reason);
}

static bool near_fits(const struct nst_policy_config *config,
		      struct nst_policy_plan *plan,
		      const struct nst_policy_inputs *in,
		      const struct nst_lookahead *ahead, s32 margin_mc)
{
	s32 limit_mc = config->vision_max_mc - margin_mc;

	if (ahead->near_die_mc > config->die_max_mc - margin_mc ||
	    ahead->near_peak_mc > nst_lookahead_burst_max_mc(config) - margin_mc)
		return false;
	limit_mc -= NST_PLAN_GUARD_MC;
	/*
	 * No exposure is above the hottest moment, which is not behind the near
	 * frame unless the gate takes its time to close.
	 */
	if (!plan->split && ahead->near_peak_mc <= limit_mc)
		return true;
	return nst_policy_plan_exposure_mc(plan, config, in, &ahead->at, ahead,
					   NST_PERIOD_RUN) <= limit_mc &&
	       nst_policy_plan_exposure_mc(plan, config, in, &ahead->near_end,
					   ahead, NST_PERIOD_CLOSING) <=
		       limit_mc;
}

/* Where the slow mode is when a near season ends. */
static s64 season_end_q32(const struct nst_policy_config *config,
			  const struct nst_policy_plan *plan,
			  const struct nst_lookahead *ahead, s32 margin_mc)
{
	s32 over_mc = nst_round_q32(ahead->near.fast_q32);
	s32 frame_mc = config->vision_max_mc - NST_PLAN_GUARD_MC;
	s32 end_mc = config->die_max_mc - over_mc;
	s32 burst_mc = nst_lookahead_burst_max_mc(config) - plan->die_over_mc;

	if (plan->split) {
		over_mc = plan->exposure_over_mc;
		if (burst_mc < end_mc)
			end_mc = burst_mc;
	}
	if (frame_mc - over_mc < end_mc)
		end_mc = frame_mc - over_mc;
	return (end_mc - margin_mc) * NST_ONE_Q32;
}

static void predictive_decide(const struct nst_policy_config *config,
			      struct nst_policy_state *state,
			      const struct nst_policy_inputs *in,
			      struct nst_policy_outputs *out)
{
	s32 margin_mc = nst_lookahead_margin_mc(in);
	struct nst_lookahead ahead;
	struct nst_policy_plan *plan;

	if (nst_inputs_blind(in)) {
		go_far(state, out, NST_WHY_NO_SENSOR);
		return;
	}
	if (in->capture_pending) {
		go_far(state, out, NST_WHY_CAPTURE);
		return;
	}
	plan = nst_policy_plan_get(config, state, in);
	nst_lookahead(config, state, in, &ahead);
	if (plan->split)
		nst_policy_plan_split(plan, config, state, in, &ahead);
	if (ahead.start_mc > config->die_max_mc - margin_mc) {
		go_far(state, out, NST_WHY_ABOVE_HIGH);
		return;
	}
	if (!near_fits(config, plan, in, &ahead, margin_mc)) {
		go_far(state, out, NST_WHY_WOULD_CROSS);
		return;
	}
	if (state->phase == PHASE_NEAR && config->far_mw > config->near_mw) {
		nst_decided(state, out, NST_NEAR, NST_WHY_STEADY);
		return;
	}
	if (!nst_policy_plan_release(plan, &ahead,
				     season_end_q32(config, plan, &ahead,
						    margin_mc))) {
		go_far(state, out, NST_WHY_NO_GAIN);
		return;
	}
	if (state->frames_in_phase < config->dwell_frames) {
		go_far(state, out, NST_WHY_DWELL);
		return;
	}
	state->phase = PHASE_NEAR;
	nst_decided(state, out, NST_NEAR, NST_WHY_COOL_ENOUGH);
}

const struct nst_policy_ops nst_pol_predictive = {
	.name = "predictive",
	.drops = false,
	.decide = predictive_decide,
};
