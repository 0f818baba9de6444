// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * lookahead.c - the model run ahead by the frames in flight and one more
 *
 * The two modes are linear, so a frame is z += (target - z) * lost, with the
 * factors of the frame period computed once. Within the frame each mode is
 * monotone, hence the sum of the higher ends is a bound of the die.
 */
#include "lookahead.h"

struct modes {
	s64 z_q32[2];
};

static const u64 *frame_lose(struct nst_policy_state *state,
			     const struct nst_plant *model, u32 period_us)
{
	if (state->frame.dt_us != period_us ||
	    state->frame_tau_ns[0] != model->mode[0].tau_ns ||
	    state->frame_tau_ns[1] != model->mode[1].tau_ns) {
		nst_plant_factors_set(&state->frame, model, period_us);
		state->frame_tau_ns[0] = model->mode[0].tau_ns;
		state->frame_tau_ns[1] = model->mode[1].tau_ns;
	}
	return state->frame.lose_q64;
}

static void modes_step(struct modes *ret, const struct modes *from,
		       const struct nst_plant *model, const u64 lose_q64[2],
		       u32 power_mw, s32 ambient_mc, u32 leak_uw)
{
	int i;

	for (i = 0; i < 2; i++) {
		s64 target = nst_plant_target_q32(&model->mode[i], power_mw,
						  ambient_mc);

		if (leak_uw)
			target += nst_plant_leak_target_q32(&model->mode[i],
							    leak_uw);
		ret->z_q32[i] = from->z_q32[i] +
				nst_mul_q64(target - from->z_q32[i],
					    lose_q64[i]);
	}
}

static s32 modes_die_mc(const struct modes *m)
{
	return nst_round_q32(m->z_q32[0] + m->z_q32[1]);
}

/*
 * One frame. Leakage follows the temperature within the frame: a first pass
 * with that of the start tells where the frame ends, the second takes the
 * leakage of there, so that it errs to the hot side while the stack warms.
 */
static void frame_step(struct modes *ret, const struct modes *from,
		       const struct nst_plant *model, const u64 lose_q64[2],
		       u32 power_mw, s32 ambient_mc)
{
	const struct nst_plant_params *params = &model->params;
	u32 leak_uw = 0, end_uw;

	if (params->leak_ref_uw)
		leak_uw = nst_plant_leak_uw(params, modes_die_mc(from));
	modes_step(ret, from, model, lose_q64, power_mw, ambient_mc, leak_uw);
	if (!params->leak_ref_uw)
		return;
	end_uw = nst_plant_leak_uw(params, modes_die_mc(ret));
	if (end_uw > leak_uw)
		modes_step(ret, from, model, lose_q64, power_mw, ambient_mc,
			   end_uw);
}

struct nst_lookahead nst_lookahead(const struct nst_policy_config *config,
				   struct nst_policy_state *state,
				   const struct nst_policy_inputs *in)
{
	const struct nst_plant *model = in->model;
	const u64 *lose_q64 = frame_lose(state, model,
					 config->frame_period_us);
	struct modes at = { { model->z_q32[0], model->z_q32[1] } };
	struct nst_lookahead ret;
	struct modes end;
	u32 in_flight;
	s64 peak;
	int i;

	for (in_flight = config->act_delay_frames; in_flight; in_flight--) {
		bool gated = state->gated_bits >> (in_flight - 1) & 1;

		frame_step(&end, &at, model, lose_q64,
			   gated ? config->gated_mw : config->near_mw,
			   in->ambient_mc);
		at = end;
	}
	frame_step(&end, &at, model, lose_q64, config->near_mw,
		   in->ambient_mc);
	peak = 0;
	for (i = 0; i < 2; i++)
		peak += end.z_q32[i] > at.z_q32[i] ? end.z_q32[i] :
						     at.z_q32[i];
	ret.start_mc = modes_die_mc(&at);
	ret.near_peak_mc = nst_round_q32(peak);
	return ret;
}
