// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pol_predictive_stop.c - near or dropped, as many delivered as possible
 *
 * A frame is delivered when it was cold enough in its exposure and the
 * period after that runs. To run for a frame that is too hot only heats, so
 * every period that runs delivers one, and most delivered is most run. The
 * rule: run when the frame before fits the continuous limit and the die
 * stays below its own bound.
 *
 * The package settles where that is just so. With long exposures stop and
 * run alternate, and every second frame is a cold one, exposed in the stop
 * and processed in the run after it; with short exposures the frame of the
 * first run is exposed before the die has warmed, and there are two runs to
 * a stop; with a short read-out and a limit on the die only there is one
 * stop in many runs, which is stop-capture-go. Nothing of this is told to
 * the policy: it follows from the exposure of the frame before.
 *
 * A capture stops at once.
 */
#include "lookahead.h"
#include "policies.h"

enum { PHASE_GO = 0, PHASE_STOP };

/* The fast mode further from its prediction: the gate was not as decided. */
#define STRANGE_Q32 (100 * NST_ONE_Q32)

/*
 * Room of the frame exposed before, under the limit of its time. It was
 * predicted when its period was decided; what the observer has learned
 * since moves it as it moved the package.
 */
static s32 room_mc(const struct nst_policy_state *state,
		   const struct nst_lookahead *ahead)
{
	s32 temp_mc = state->exposed.temp_mc +
		      nst_round_q32(ahead->at.slow_q32 -
				    state->exposed.end.slow_q32);

	/* Run in place of gated: as hot as the die is now, at most. */
	if (ahead->at.fast_q32 - state->exposed.end.fast_q32 > STRANGE_Q32 &&
	    ahead->start_mc > temp_mc)
		temp_mc = ahead->start_mc;
	return state->exposed.limit_mc - temp_mc;
}

/* The frame of the period decided about, for the decision after this one. */
static void expose(const struct nst_policy_config *config,
		   struct nst_policy_state *state,
		   const struct nst_policy_inputs *in,
		   const struct nst_lookahead *ahead, enum nst_period period)
{
	struct nst_policy_plan *plan = &state->plan;
	s32 bound_mc = ahead->start_mc;

	/* A gate that takes time to close lets the die go on warming. */
	if (period == NST_PERIOD_RUN || plan->split)
		bound_mc = ahead->near_peak_mc;
	if (period == NST_PERIOD_RUN) {
		state->exposed.end.fast_q32 = ahead->near_end.fast_q32;
		state->exposed.end.slow_q32 = ahead->near_end.slow_q32;
	} else if (plan->split) {
		nst_policy_plan_gated_end(plan, in, ahead, period,
					  &state->exposed.end);
	} else {
		nst_lookahead_gated_end(state, in, ahead, &state->exposed.end);
	}
	state->exposed.known = true;
	state->exposed.limit_mc = config->vision_max_mc - NST_PLAN_GUARD_MC;
	/* What the hottest moment allows needs no looking up. */
	if (bound_mc > state->exposed.limit_mc -
		       nst_lookahead_margin_mc(in) - NST_PLAN_GUARD_MC)
		bound_mc = nst_policy_plan_exposure_mc(plan, config, in,
						       &ahead->at, ahead,
						       period);
	state->exposed.temp_mc = bound_mc;
}

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

static void predictive_stop_decide(const struct nst_policy_config *config,
				   struct nst_policy_state *state,
				   const struct nst_policy_inputs *in,
				   struct nst_policy_outputs *out)
{
	s32 margin_mc = nst_lookahead_margin_mc(in);
	enum nst_reason why = NST_WHY_STEADY;
	enum nst_period gated = nst_policy_plan_gated(state);
	struct nst_policy_plan *plan;
	struct nst_lookahead ahead;
	bool cold;

	if (nst_inputs_blind(in)) {
		state->exposed.known = false;
		stop(state, out, NST_WHY_NO_SENSOR);
		return;
	}
	plan = nst_policy_plan_get(config, state, in);
	nst_lookahead(config, state, in, &ahead);
	if (plan->split)
		nst_policy_plan_split(plan, config, state, in, &ahead);
	/* Before the first frame there is none to lose. */
	cold = state->exposed.known && room_mc(state, &ahead) >= margin_mc;
	if (in->capture_pending) {
		stop(state, out, NST_WHY_CAPTURE);
	} else if (ahead.start_mc > config->die_max_mc - margin_mc) {
		stop(state, out, NST_WHY_ABOVE_HIGH);
	} else if (!cold) {
		stop(state, out, NST_WHY_TOO_HOT);
	} else if (ahead.near_die_mc > config->die_max_mc - margin_mc ||
		   ahead.near_peak_mc >
			   nst_lookahead_burst_max_mc(config) - margin_mc) {
		stop(state, out, NST_WHY_WOULD_CROSS);
	} else if (state->phase == PHASE_STOP &&
		   state->frames_in_phase < config->stop_frames) {
		stop(state, out, NST_WHY_DWELL);
	} else {
		if (state->phase == PHASE_STOP)
			why = NST_WHY_COOL_ENOUGH;
		state->phase = PHASE_GO;
		nst_decided(state, out, NST_NEAR, why);
	}
	expose(config, state, in, &ahead,
	       out->placement == NST_NEAR ? NST_PERIOD_RUN : gated);
}

const struct nst_policy_ops nst_pol_predictive_stop = {
	.name = "predictive-stop",
	.drops = true,
	.decide = predictive_stop_decide,
};
