// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * lookahead.c - the model run ahead by the frames in flight and one more
 *
 * The two modes are linear, so a frame is z += (target - z) * lost, with the
 * factors of the frame period computed once. Within the frame each mode is
 * monotone, hence the sum of the higher ends is a bound of the die.
 */
#include "lookahead.h"

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

static struct nst_modes modes_step(struct nst_modes from,
				   struct nst_modes target,
				   const u64 lose_q64[2])
{
	struct nst_modes end = {
		from.fast_q32 + nst_mul_q64(target.fast_q32 - from.fast_q32,
					    lose_q64[0]),
		from.slow_q32 + nst_mul_q64(target.slow_q32 - from.slow_q32,
					    lose_q64[1]),
	};

	return end;
}

static s32 modes_die_mc(struct nst_modes m)
{
	return nst_round_q32(m.fast_q32 + m.slow_q32);
}

/*
 * Leakage follows the temperature within the frame: a first pass with that
 * of the start tells where the frame ends, the second takes the leakage of
 * there, so that it errs to the hot side while the stack warms.
 */
static struct nst_modes leaky_step(struct nst_modes from,
				   struct nst_modes target,
				   const struct nst_plant *model,
				   const u64 lose_q64[2])
{
	const struct nst_plant_mode *mode = model->mode;
	u32 leak_uw = nst_plant_leak_uw(&model->params, modes_die_mc(from));
	struct nst_modes leaky, end;
	u32 end_uw;

	leaky.fast_q32 = target.fast_q32 +
			 nst_plant_leak_target_q32(&mode[0], leak_uw);
	leaky.slow_q32 = target.slow_q32 +
			 nst_plant_leak_target_q32(&mode[1], leak_uw);
	end = modes_step(from, leaky, lose_q64);
	end_uw = nst_plant_leak_uw(&model->params, modes_die_mc(end));
	if (end_uw <= leak_uw)
		return end;
	leaky.fast_q32 = target.fast_q32 +
			 nst_plant_leak_target_q32(&mode[0], end_uw);
	leaky.slow_q32 = target.slow_q32 +
			 nst_plant_leak_target_q32(&mode[1], end_uw);
	return modes_step(from, leaky, lose_q64);
}

static struct nst_modes frame_step(struct nst_modes from,
				   struct nst_modes target,
				   const struct nst_plant *model,
				   const u64 lose_q64[2])
{
	if (model->params.leak_ref_uw)
		return leaky_step(from, target, model, lose_q64);
	return modes_step(from, target, lose_q64);
}

static s64 higher(s64 a, s64 b)
{
	return a > b ? a : b;
}

/*
 * Field by field: copies of pairs are moved as vectors, and the processor
 * then waits for the halves that were just stored.
 */
void nst_lookahead(const struct nst_policy_config *config,
		   struct nst_policy_state *state,
		   const struct nst_policy_inputs *in,
		   struct nst_lookahead *ret)
{
	const struct nst_plant *model = in->model;
	const struct nst_plant_mode *mode = model->mode;
	const u64 *lose_q64 = frame_lose(state, model,
					 config->frame_period_us);
	s64 fast = model->z_q32[0], slow = model->z_q32[1];
	s64 near_fast, near_slow, end_fast, end_slow;
	u32 i;

	near_fast = nst_plant_target_q32(&mode[0], config->near_mw,
					 in->ambient_mc);
	near_slow = nst_plant_target_q32(&mode[1], config->near_mw,
					 in->ambient_mc);
	ret->near.fast_q32 = near_fast;
	ret->near.slow_q32 = near_slow;
	ret->gated.fast_q32 = nst_plant_target_q32(&mode[0], config->gated_mw,
						   in->ambient_mc);
	ret->gated.slow_q32 = nst_plant_target_q32(&mode[1], config->gated_mw,
						   in->ambient_mc);
	for (i = config->act_delay_frames; i; i--) {
		struct nst_modes at = { fast, slow };

		at = frame_step(at, state->gated_bits >> (i - 1) & 1 ?
				ret->gated : ret->near, model, lose_q64);
		fast = at.fast_q32;
		slow = at.slow_q32;
	}
	if (model->params.leak_ref_uw) {
		const struct nst_modes at = { fast, slow };
		struct nst_modes end = leaky_step(at, ret->near, model,
						  lose_q64);

		end_fast = end.fast_q32;
		end_slow = end.slow_q32;
	} else {
		end_fast = fast + nst_mul_q64(near_fast - fast, lose_q64[0]);
		end_slow = slow + nst_mul_q64(near_slow - slow, lose_q64[1]);
	}
	ret->at.fast_q32 = fast;
	ret->at.slow_q32 = slow;
	ret->near_end.fast_q32 = end_fast;
	ret->near_end.slow_q32 = end_slow;
	ret->start_mc = nst_round_q32(fast + slow);
	ret->near_peak_mc = nst_round_q32(higher(fast, end_fast) +
					  higher(slow, end_slow));
	ret->near_die_mc = ret->near_peak_mc;
}

void nst_lookahead_gated_end(const struct nst_policy_state *state,
			     const struct nst_policy_inputs *in,
			     const struct nst_lookahead *ahead,
			     struct nst_modes *ret)
{
	const u64 *lose_q64 = state->frame.lose_q64;

	if (in->model->params.leak_ref_uw) {
		*ret = leaky_step(ahead->at, ahead->gated, in->model, lose_q64);
		return;
	}
	ret->fast_q32 = ahead->at.fast_q32 +
			nst_mul_q64(ahead->gated.fast_q32 - ahead->at.fast_q32,
				    lose_q64[0]);
	ret->slow_q32 = ahead->at.slow_q32 +
			nst_mul_q64(ahead->gated.slow_q32 - ahead->at.slow_q32,
				    lose_q64[1]);
}
