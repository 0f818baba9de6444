// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * plan.c - tables and seasons of a situation, see plan.h
 *
 * Exposures. Under constant power only the fast mode bends within a frame,
 * and how far the exposure is from the slow part is a function of one
 * number, the deviation of the fast mode at the start. It is convex in it, so
 * a straight line between two entries errs to the hot side, by less than
 * 4 mK at the steps taken here. A frame that warms is hottest in its last
 * row, one that cools in its first. Every other frame (a hot start, leakage,
 * a package that moves against the die) is integrated.
 */
#include "lookahead.h"
#include "plan.h"

/* Fast mode beyond its target by this much: a rounding, not a hot start. */
#define BEYOND_MC 100

/* The seasons are worked out again when their distances moved by this. */
#define SEASON_MOVED_MC 100

/* The fast mode has settled after so many near periods. */
#define SETTLING_PERIODS 20

/* Swings tried: from all of the way to T_ss downwards by 3/32 each. */
#define SWINGS 96

static bool same_params(const struct nst_plant_params *a,
			const struct nst_plant_params *b)
{
	return !((a->r_jp_mk_per_w ^ b->r_jp_mk_per_w) |
		 (a->r_pa_mk_per_w ^ b->r_pa_mk_per_w) |
		 (a->c_j_uj_per_k ^ b->c_j_uj_per_k) |
		 (a->c_p_uj_per_k ^ b->c_p_uj_per_k) |
		 (a->leak_ref_uw ^ b->leak_ref_uw) |
		 (a->leak_beta_ppm_per_k ^ b->leak_beta_ppm_per_k));
}

static bool same_key(const struct nst_policy_plan_key *key,
		     const struct nst_policy_config *config,
		     const struct nst_plant_params *params)
{
	return !((key->near_mw ^ config->near_mw) |
		 (key->gated_mw ^ config->gated_mw) |
		 (key->far_mw ^ config->far_mw) |
		 (key->switch_uj ^ config->switch_uj) |
		 (key->frame_period_us ^ config->frame_period_us) |
		 (key->exposure_us ^ config->exposure_us) |
		 (key->readout_us ^ config->readout_us) |
		 (key->doubling_mc ^ config->doubling_mc) |
		 (key->vpu_busy_us ^ config->vpu_busy_us) |
		 (key->gate_enter_us ^ config->gate_enter_us)) &&
	       same_params(&key->params, params);
}

static bool window_init(struct nst_window_map *map,
			const struct nst_policy_config *config,
			const struct nst_plant *model, u32 heat_us,
			u32 heat_mw, u32 span_mc)
{
	const struct nst_window w = {
		.period_us = config->frame_period_us,
		.heat_us = heat_us,
		.idle_mw = config->gated_mw,
		.heat_mw = heat_us ? heat_mw : config->gated_mw,
		.exposure_us = config->exposure_us ? config->exposure_us : 1,
		.readout_us = config->readout_us,
		.doubling_mc = config->doubling_mc,
	};

	return !nst_window_map_init(map, &w, model, span_mc);
}

/* What a near season adds to the slow mode once the fast one has settled. */
static void season_over(struct nst_policy_plan *plan,
			const struct nst_plant *model, s32 ambient_mc)
{
	const struct nst_plant_mode mode[2] = {
		model->mode[0], { .gain_q32 = 0 },
	};
	s64 z_q32[2] = { 0, 0 };
	u64 z_low[2] = { 0, 0 };
	int i;

	if (!plan->mapped) {
		/* Long since cold again, and bounded by the hottest moment. */
		plan->die_over_mc =
			nst_plant_jump_mc(&model->params,
					  plan->heat[NST_PERIOD_RUN].mw,
					  plan->heat[NST_PERIOD_RUN].us);
		plan->exposure_over_mc = plan->die_over_mc;
		return;
	}
	for (i = 0; i < SETTLING_PERIODS; i++)
		plan->die_over_mc =
			nst_window_step(&plan->window[NST_PERIOD_RUN], mode,
					z_q32, z_low, ambient_mc);
	plan->exposure_over_mc =
		nst_window_map_mc(&plan->window[NST_PERIOD_RUN], mode, z_q32,
				  ambient_mc);
}

/* Return: whether a period has parts, and what their heat is. */
static bool make_heat(struct nst_policy_plan *plan,
		      const struct nst_policy_config *config)
{
	u32 period_us = config->frame_period_us, busy_us = period_us;
	u32 enter_us = config->gate_enter_us, busy_mw = config->near_mw;

	if (config->vpu_busy_us && config->vpu_busy_us < period_us) {
		busy_us = config->vpu_busy_us;
		busy_mw = config->gated_mw +
			  (u32)nst_div_u64((u64)(config->near_mw -
						 config->gated_mw) *
					   period_us, busy_us);
	}
	if (enter_us > period_us)
		enter_us = period_us;
	plan->heat[NST_PERIOD_RUN].us = busy_us;
	plan->heat[NST_PERIOD_RUN].mw = busy_mw;
	plan->heat[NST_PERIOD_CLOSING].us = enter_us;
	plan->heat[NST_PERIOD_CLOSING].mw = config->near_mw;
	plan->heat[NST_PERIOD_IDLE].us = 0;
	plan->heat[NST_PERIOD_IDLE].mw = config->gated_mw;
	return (busy_us < period_us || enter_us) && busy_mw <= NST_POWER_MAX_MW;
}

/* Not for a leaking stack, nor for periods that are long for the package. */
static bool make_windows(struct nst_policy_plan *plan,
			 const struct nst_policy_config *config,
			 const struct nst_plant *model)
{
	u32 i, span_mc;

	span_mc = (u32)nst_div_u64((u64)model->params.r_jp_mk_per_w *
				   (plan->heat[NST_PERIOD_RUN].mw -
				    config->gated_mw), 1000) + 1;
	for (i = 0; i < NST_PERIOD_COUNT; i++) {
		if (!window_init(&plan->window[i], config, model,
				 plan->heat[i].us, plan->heat[i].mw, span_mc))
			return false;
	}
	return true;
}

static void make(struct nst_policy_plan *plan,
		 const struct nst_policy_config *config,
		 const struct nst_plant *model, s32 ambient_mc)
{
	const struct nst_plant_mode *fast = &model->mode[0];
	s64 span_q32 = fast->gain_q32 *
		       (s64)(config->near_mw - config->gated_mw);
	u32 exposure_us = config->exposure_us ? config->exposure_us : 1;
	s32 step_mc;
	u32 i;

	plan->key = (struct nst_policy_plan_key){
		.params = model->params,
		.near_mw = config->near_mw,
		.gated_mw = config->gated_mw,
		.far_mw = config->far_mw,
		.switch_uj = config->switch_uj,
		.frame_period_us = config->frame_period_us,
		.exposure_us = config->exposure_us,
		.readout_us = config->readout_us,
		.doubling_mc = config->doubling_mc,
		.vpu_busy_us = config->vpu_busy_us,
		.gate_enter_us = config->gate_enter_us,
	};
	plan->step_shift = 32;
	while ((s64)NST_PLAN_STEPS << plan->step_shift <
	       span_q32 + BEYOND_MC * NST_ONE_Q32)
		plan->step_shift++;
	step_mc = (s32)(1 << (plan->step_shift - 32));
	plan->slow_tau_ns = model->mode[1].tau_ns;
	plan->slow_q64 = nst_lose_q64(&model->mode[1].rate, 1);
	for (i = 0; i <= NST_PLAN_STEPS; i++) {
		s32 dev_mc = (s32)i * step_mc;

		plan->near[i] = nst_exposure_map_entry(fast, -dev_mc,
						       config->readout_us,
						       exposure_us,
						       config->doubling_mc);
		plan->gated[i] = nst_exposure_map_entry(fast, dev_mc, 0,
							exposure_us,
							config->doubling_mc);
	}
	plan->bends = model->params.leak_ref_uw ||
		      ((u64)exposure_us + config->readout_us) * 64000 >
			      model->mode[1].tau_ns;
	plan->split = make_heat(plan, config);
	plan->mapped = plan->split && make_windows(plan, config, model);
	if (plan->split)
		season_over(plan, model, ambient_mc);
	plan->seasons.made = false;
	plan->made = true;
}

struct nst_policy_plan *
nst_policy_plan_get(const struct nst_policy_config *config,
		    struct nst_policy_state *state,
		    const struct nst_policy_inputs *in)
{
	struct nst_policy_plan *plan = &state->plan;

	if (!plan->made || !same_key(&plan->key, config, &in->model->params))
		make(plan, config, in->model, in->ambient_mc);
	return plan;
}

/* ---------------------------------------------------------- lookahead */

enum nst_period nst_policy_plan_gated(const struct nst_policy_state *state)
{
	return state->gated_bits & 1 ? NST_PERIOD_IDLE : NST_PERIOD_CLOSING;
}

/* The plant at the end of the first part. Return: the hotter end of it. */
static s32 heat_up(const struct nst_policy_plan *plan, enum nst_period period,
		   const struct nst_policy_inputs *in,
		   const struct nst_modes *at, struct nst_plant *ret)
{
	s32 start_mc, end_mc;

	*ret = *in->model;
	ret->z_q32[0] = at->fast_q32;
	ret->z_q32[1] = at->slow_q32;
	start_mc = nst_plant_die_mc(ret);
	nst_plant_step(ret, plan->heat[period].mw, in->ambient_mc,
		       plan->heat[period].us);
	end_mc = nst_plant_die_mc(ret);
	return start_mc > end_mc ? start_mc : end_mc;
}

static s32 pass_stepped(const struct nst_policy_plan *plan,
			enum nst_period period,
			const struct nst_policy_inputs *in,
			struct nst_modes *at)
{
	struct nst_plant plant;
	s32 peak_mc = heat_up(plan, period, in, at, &plant);

	nst_plant_step(&plant, plan->key.gated_mw, in->ambient_mc,
		       plan->key.frame_period_us - plan->heat[period].us);
	at->fast_q32 = plant.z_q32[0];
	at->slow_q32 = plant.z_q32[1];
	return peak_mc;
}

static s32 pass(struct nst_policy_plan *plan, enum nst_period period,
		const struct nst_policy_inputs *in, struct nst_modes *at)
{
	s64 z_q32[2] = { at->fast_q32, at->slow_q32 };
	u64 z_low[2] = { 0, 0 };
	s32 peak_mc;

	if (!plan->mapped)
		return pass_stepped(plan, period, in, at);
	peak_mc = nst_window_step(&plan->window[period], in->model->mode,
				  z_q32, z_low, in->ambient_mc);
	at->fast_q32 = z_q32[0];
	at->slow_q32 = z_q32[1];
	return peak_mc;
}

void nst_policy_plan_split(struct nst_policy_plan *plan,
			   const struct nst_policy_config *config,
			   const struct nst_policy_state *state,
			   const struct nst_policy_inputs *in,
			   struct nst_lookahead *ret)
{
	u32 i;

	ret->at.fast_q32 = in->model->z_q32[0];
	ret->at.slow_q32 = in->model->z_q32[1];
	for (i = config->act_delay_frames; i; i--) {
		u32 bits = state->gated_bits >> (i - 1);

		pass(plan, !(bits & 1) ? NST_PERIOD_RUN :
		     bits & 2 ? NST_PERIOD_IDLE : NST_PERIOD_CLOSING, in,
		     &ret->at);
	}
	ret->start_mc = nst_round_q32(ret->at.fast_q32 + ret->at.slow_q32);
	ret->near_end = ret->at;
	ret->near_peak_mc = pass(plan, NST_PERIOD_RUN, in, &ret->near_end);
	if (ret->start_mc > ret->near_peak_mc)
		ret->near_peak_mc = ret->start_mc;
	/*
	 * The slow mode may be what it may be under the mean power. Where the
	 * stack leaks, what nst_lookahead() has made of that power stands.
	 */
	if (plan->mapped)
		ret->near_die_mc =
			nst_round_q32(ret->near_end.slow_q32 +
				      ret->near.fast_q32);
}

void nst_policy_plan_gated_end(struct nst_policy_plan *plan,
			       const struct nst_policy_inputs *in,
			       const struct nst_lookahead *ahead,
			       enum nst_period period, struct nst_modes *ret)
{
	*ret = ahead->at;
	pass(plan, period, in, ret);
}

/* ---------------------------------------------------------- exposures */

static s32 integrated_mc(const struct nst_policy_config *config,
			 const struct nst_policy_inputs *in,
			 const struct nst_modes *at, bool run)
{
	struct nst_plant plant = *in->model;

	plant.z_q32[0] = at->fast_q32;
	plant.z_q32[1] = at->slow_q32;
	return nst_exposure_frame_mc(&plant, run ? config->near_mw :
						   config->gated_mw,
				     in->ambient_mc, config->exposure_us,
				     config->readout_us, config->doubling_mc);
}

/*
 * A bound: no row sees more of the hottest moment than the first part is long,
 * nor less of the fall behind it than what is left of its exposure.
 */
static s32 bounded_mc(const struct nst_policy_plan *plan,
		      const struct nst_policy_inputs *in,
		      const struct nst_modes *at, enum nst_period period)
{
	const struct nst_policy_plan_key *key = &plan->key;
	u32 hot_us = plan->heat[period].us, all_us = key->exposure_us;
	struct nst_plant plant;
	s32 peak_mc = heat_up(plan, period, in, at, &plant), fall_mc;
	s64 octaves_q16;
	u64 sum;

	if (hot_us >= all_us)
		return peak_mc;
	fall_mc = nst_exposure_row_mc(&plant, key->gated_mw, in->ambient_mc, 0,
				      all_us - hot_us, key->doubling_mc);
	/* A start below rest: the stack warms all the time. */
	if (fall_mc >= peak_mc)
		return fall_mc;
	octaves_q16 = nst_div_s64(((s64)fall_mc - peak_mc) * 65536,
				  (s32)key->doubling_mc);
	sum = (u64)hot_us << 32;
	if (octaves_q16 > -32 * 65536)
		sum += nst_exp2_q32((s32)octaves_q16) * (all_us - hot_us);
	return peak_mc +
	       (s32)((nst_log2_q16(nst_div_u64(sum, all_us)) *
		      (s64)key->doubling_mc) >> 16);
}

static s32 split_mc(struct nst_policy_plan *plan,
		    const struct nst_policy_config *config,
		    const struct nst_policy_inputs *in,
		    const struct nst_modes *at, enum nst_period period)
{
	const s64 z_q32[2] = { at->fast_q32, at->slow_q32 };
	u32 heat_us = plan->heat[period].us;

	if (!plan->mapped && heat_us && heat_us < config->frame_period_us)
		return bounded_mc(plan, in, at, period);
	if (!plan->mapped)
		return integrated_mc(config, in, at, heat_us);
	return nst_window_map_mc(&plan->window[period], in->model->mode, z_q32,
				 in->ambient_mc);
}

s32 nst_policy_plan_exposure_mc(struct nst_policy_plan *plan,
				const struct nst_policy_config *config,
				const struct nst_policy_inputs *in,
				const struct nst_modes *at,
				const struct nst_lookahead *ahead,
				enum nst_period period)
{
	bool run = period == NST_PERIOD_RUN;
	const struct nst_modes *target = run ? &ahead->near : &ahead->gated;
	s64 fast_q32 = at->fast_q32 - target->fast_q32;
	s64 slow_q32 = at->slow_q32 - target->slow_q32;
	s64 dev_q32 = run ? -fast_q32 : fast_q32;
	const struct nst_exposure_map_entry *entry;
	s64 over_q32 = 0;
	u64 index;
	u32 us;

	if (plan->split)
		return split_mc(plan, config, in, at, period);
	if ((run ? slow_q32 > 0 : slow_q32 < 0) ||
	    dev_q32 < -BEYOND_MC * NST_ONE_Q32 ||
	    plan->bends)
		return integrated_mc(config, in, at, run);
	if (dev_q32 < 0) {
		/* Constant, and at the hotter end. */
		if (run)
			over_q32 = -dev_q32;
		dev_q32 = 0;
	}
	index = (u64)dev_q32 >> plan->step_shift;
	if (index >= NST_PLAN_STEPS)
		return integrated_mc(config, in, at, run);
	entry = (run ? plan->near : plan->gated) + index;
	over_q32 += entry[0].fast_mc * NST_ONE_Q32 +
		    (entry[1].fast_mc - entry[0].fast_mc) *
		    ((dev_q32 - (s64)(index << plan->step_shift)) >>
		     (plan->step_shift - 32));
	/* The hotter of the two times. */
	us = (entry[0].slow_us > entry[1].slow_us) == run ? entry[0].slow_us :
							    entry[1].slow_us;
	return nst_round_q32(target->fast_q32 + over_q32 + at->slow_q32 -
			     nst_mul_q64(slow_q32, us * plan->slow_q64));
}

/* ------------------------------------------------------------ seasons */

/* log2 of num / den in Q16, both below 2^31 and num >= den > 0. */
static s64 log2_ratio_q16(s32 num, s32 den)
{
	return nst_log2_q16(nst_div_u64((u64)num << 32, (u64)den));
}

/*
 * The swing that costs least, in mC, or -1 for staying far. Power over that
 * of near for ever, in mW: times are in constants of the slow mode over
 * log2(e), and @change is what two changes cost in mW of one such time, Q16.
 */
static s32 best_swing_mc(s32 warm_mc, s32 cool_mc, s64 gain_mw, s64 change)
{
	s64 swing_q16 = (s64)cool_mc * 65536 - cool_mc * 64;
	s64 least = gain_mw * 65536;
	s32 best_mc = -1;
	int i;

	for (i = 0; i < SWINGS; i++) {
		s32 swing_mc = (s32)(swing_q16 >> 16);
		s64 near, far, over;

		if (swing_mc < 1)
			break;
		near = log2_ratio_q16(warm_mc + swing_mc, warm_mc);
		far = log2_ratio_q16(cool_mc, cool_mc - swing_mc);
		if (near + far <= 0)
			break;
		/* the sum of both times fits 32 bits: logarithms are < 64 */
		over = nst_div_s64((far * gain_mw + change) * 256,
				   (s32)(near + far)) * 256;
		if (over < least) {
			least = over;
			best_mc = swing_mc;
		}
		swing_q16 -= swing_q16 / 32 * 3;
	}
	return best_mc;
}

static bool moved(s32 was_mc, s32 is_mc)
{
	return is_mc > was_mc + SEASON_MOVED_MC ||
	       is_mc < was_mc - SEASON_MOVED_MC;
}

bool nst_policy_plan_release(struct nst_policy_plan *plan,
			     const struct nst_lookahead *ahead, s64 top_q32)
{
	s64 gain_mw = (s64)plan->key.far_mw - plan->key.near_mw;
	s32 warm_mc, cool_mc;

	if (gain_mw <= 0)
		return false;
	if (!plan->key.switch_uj)
		return true;
	warm_mc = nst_round_q32(ahead->near.slow_q32 - top_q32);
	cool_mc = nst_round_q32(top_q32 - ahead->gated.slow_q32);
	if (warm_mc <= 0)
		return true;
	if (cool_mc <= 0)
		return false;
	if (!plan->seasons.made || moved(plan->seasons.warm_mc, warm_mc) ||
	    moved(plan->seasons.cool_mc, cool_mc)) {
		/* 2 uJ per 1000 us are a mW; log2(e) in Q16 is 94548 */
		u64 tau_us = nst_div_u64(plan->slow_tau_ns, 1000);
		s64 change = (s64)nst_div_u64((u64)plan->key.switch_uj * 2000 *
					      94548, tau_us);

		plan->seasons.made = true;
		plan->seasons.warm_mc = warm_mc;
		plan->seasons.cool_mc = cool_mc;
		plan->seasons.swing_mc = best_swing_mc(warm_mc, cool_mc,
						       gain_mw, change);
	}
	return plan->seasons.swing_mc >= 0 &&
	       ahead->at.slow_q32 <=
		       top_q32 - plan->seasons.swing_mc * NST_ONE_Q32;
}
