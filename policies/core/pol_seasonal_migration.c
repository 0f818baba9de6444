// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pol_seasonal_migration.c - near while cool, far while it cools
 *
 * Sensors 2021 21(3) 926, section 4, with T_low itself as the end of the
 * cooling phase (erratum C4). The published rule migrates when T_high has
 * been crossed; here a near season ends before the frame that would cross.
 *
 *	          a near frame would pass T_high
 *	near -------------------------------------> far
 *	  ^                                          |
 *	  +-- temp <= T_low, dwell over, and a near -+
 *	      frame fits
 *
 * The loss of the sensor gates at once and begins a far season. An on-demand
 * capture gates at once as well, and where it interrupts a near season that
 * goes on after it, once the dwell is over, as long as a near frame fits: the
 * season ends at T_high and not because somebody took a picture.
 *
 * T_low may lie below what the far placement can reach: the die tends to
 * T_ss = T_amb + R*P_gated and T_low would be met never, or only after
 * minutes. Then the season ends at a level that is reached: a quarter of
 * the way from T_ss up to T_high - T_jump, the die temperature at which a
 * far season begins once the jump is over. It takes ln(4) = 1.4 package
 * constants to get there. The reason of such a begin is COOL_ENOUGH, that
 * of a begin at T_low BELOW_LOW. Where T_ss leaves no room for a near frame
 * at all the task stays far, with reason WOULD_CROSS from then on.
 */
#include "lookahead.h"
#include "policies.h"

enum { PHASE_NEAR = 0, PHASE_FAR, PHASE_BREAK };

/* Closer to T_ss than this T_low counts as out of reach: 3.5 constants. */
#define REACH_MC 1000

static void go_far(struct nst_policy_state *state,
		   struct nst_policy_outputs *out, u8 phase,
		   enum nst_reason reason)
{
	/* Counted over a break and the season it may turn into; near is 0. */
	state->phase = phase;
	if (state->frames_in_phase < NST_SEASON_FRAMES_MAX)
		state->frames_in_phase++;
	nst_decided(state, out, NST_FAR, reason);
}

/* Die temperature after a long time in the far placement. */
static s32 far_steady_mc(const struct nst_policy_config *config,
			 const struct nst_policy_inputs *in)
{
	const struct nst_plant_mode *mode = in->model->mode;
	s64 steady_q32 = 0;
	int i;

	if (in->model->params.leak_ref_uw)
		return nst_plant_steady_die_mc(&in->model->params,
					       config->gated_mw,
					       in->ambient_mc);
	for (i = 0; i < 2; i++)
		steady_q32 += nst_plant_target_q32(&mode[i], config->gated_mw,
						   in->ambient_mc);
	return nst_round_q32(steady_q32);
}

/* Where a far season ends: T_low, or what can be reached in its stead. */
static s32 release_mc(const struct nst_policy_config *config,
		      const struct nst_policy_inputs *in, s32 high_mc,
		      bool *ret_raised)
{
	s32 low_mc = config->thr.low_mc - (config->thr.high_mc - high_mc);
	s32 steady_mc = far_steady_mc(config, in);
	s32 room_mc;

	*ret_raised = low_mc < steady_mc + REACH_MC;
	if (!*ret_raised)
		return low_mc;
	room_mc = high_mc - steady_mc -
		  (s32)((in->model->mode[0].gain_q32 *
			 (s64)(config->near_mw - config->gated_mw)) >> 32);
	return room_mc <= 0 ? steady_mc : steady_mc + room_mc / 4;
}

static void seasonal_migration_decide(const struct nst_policy_config *config,
				      struct nst_policy_state *state,
				      const struct nst_policy_inputs *in,
				      struct nst_policy_outputs *out)
{
	s32 high_mc = nst_lookahead_high_mc(config, in);
	struct nst_lookahead ahead;
	bool raised;

	if (nst_inputs_blind(in)) {
		go_far(state, out, PHASE_FAR, NST_WHY_NO_SENSOR);
		return;
	}
	if (in->capture_pending) {
		go_far(state, out, state->phase == PHASE_FAR ? PHASE_FAR :
							       PHASE_BREAK,
		       NST_WHY_CAPTURE);
		return;
	}
	nst_lookahead(config, state, in, &ahead);
	if (ahead.start_mc > high_mc) {
		go_far(state, out, PHASE_FAR, NST_WHY_ABOVE_HIGH);
		return;
	}
	if (state->phase == PHASE_NEAR) {
		if (ahead.near_peak_mc > high_mc)
			go_far(state, out, PHASE_FAR, NST_WHY_WOULD_CROSS);
		else
			nst_decided(state, out, NST_NEAR, NST_WHY_STEADY);
		return;
	}

	if (state->phase == PHASE_BREAK) {
		raised = true;
	} else if (ahead.start_mc > release_mc(config, in, high_mc, &raised)) {
		go_far(state, out, PHASE_FAR, NST_WHY_STEADY);
		return;
	}
	if (state->frames_in_phase < config->dwell_frames) {
		go_far(state, out, state->phase, NST_WHY_DWELL);
		return;
	}
	if (ahead.near_peak_mc > high_mc) {
		go_far(state, out, PHASE_FAR, NST_WHY_WOULD_CROSS);
		return;
	}
	state->phase = PHASE_NEAR;
	state->frames_in_phase = 0;
	nst_decided(state, out, NST_NEAR,
		    raised ? NST_WHY_COOL_ENOUGH : NST_WHY_BELOW_LOW);
}

const struct nst_policy_ops nst_pol_seasonal_migration = {
	.name = "seasonal-migration",
	.drops = false,
	.decide = seasonal_migration_decide,
};
