// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pol_phase_locked.c - the VPU works while the pixels collect no light
 *
 * The die forgets heat in 20 ms. Where the VPU is done before the frame time
 * is over, its work can be put where it hurts the exposures least: most often
 * right behind the last row, so that the die is cold again for the next
 * frame. What is left is the package, which knows mean power only.
 *
 *	exposure	|#####|              |#####|
 *	VPU		      |=====|              |=====|
 *	die		______/~~~~~\_______ ______/~~~~~\____
 *
 * The place is chosen once per situation: of some places of the window the
 * one with which the package carries most frames, over five patterns of run
 * and stop that repeat. Which pattern comes about is not planned but follows
 * from one rule, applied frame by frame:
 *
 *	run if the frame that would be processed is cold enough
 *
 * so no run is wasted on a frame that has to be withheld. Where the heat of
 * the window before spoils the next frame, the rule leaves every second or
 * third frame out by itself; at the limit of the package it dithers. It also
 * wants the window to end below the ceiling, and a frame that follows the
 * next stop to be cold enough for a capture.
 *
 * Where the work of a frame takes the whole period, or the gate too long for a
 * window to fit, whole frames are all there is.
 */
#include "lookahead.h"
#include "policies.h"

#define PLACES 12
#define FINER_PLACES 6

/* What others make of the same exposure differs by less. */
#define EXPOSURE_ERROR_MC 15

/* A new place for an ambient temperature that far from the plan's. */
#define AMBIENT_MOVES_MC 2000

enum { PLAN_NONE = 0, PLAN_WINDOW, PLAN_WHOLE };

/* ---------------------------------------------------------- the place --- */

/* Patterns that the rule leads to: period k runs if bit k is set. */
static const struct pattern {
	u8 bits;
	u8 len;
} patterns[] = {
	{ 0x1, 1 }, { 0x3, 3 }, { 0x1, 2 }, { 0x3, 4 }, { 0x1, 3 },
};

#define PATTERNS 5

struct planning {
	const struct nst_policy_config *config;
	const struct nst_plant *model;
	struct nst_phase_plan *plan;
	s32 ambient_mc;
	u32 mean_mw;		/* of a period with a window */
};

static struct nst_window idle_window(const struct nst_policy_config *c)
{
	struct nst_window w = {
		.period_us = c->frame_period_us,
		.idle_mw = c->gated_mw,
		.heat_mw = c->gated_mw,
		.exposure_us = c->exposure_us ? c->exposure_us : 1,
		.readout_us = c->readout_us,
		.doubling_mc = c->doubling_mc,
	};

	return w;
}

/*
 * Hottest of the frames that a pattern delivers, over a package whose slow
 * mode is at 0: what ambient and gated power do to it is left out.
 */
static s32 pattern_over_mc(struct nst_phase_plan *plan,
			   const struct nst_plant_mode *fast,
			   const struct pattern *p)
{
	/* A slow mode that does not move. */
	const struct nst_plant_mode mode[2] = {
		{ .gain_q32 = fast->gain_q32 },
		{ .gain_q32 = 0 },
	};
	s64 z_q32[2] = { 0, 0 };
	u64 z_low[2] = { 0, 0 };
	s32 hottest = NST_TEMP_MIN_MC;
	u32 i, rounds = 4u * p->len + 12;

	for (i = 0; i < rounds; i++) {
		struct nst_window_map *map = p->bits >> i % p->len & 1 ?
						     &plan->run : &plan->stop;

		/* The last round is looked at. */
		if (i + p->len >= rounds && p->bits >> (i + 1) % p->len & 1) {
			s32 mc = nst_window_map_mc(map, mode, z_q32, 0);

			if (mc > hottest)
				hottest = mc;
		}
		nst_window_step(map, mode, z_q32, z_low, 0);
	}
	return hottest;
}

/*
 * What the peak of a window may reach. The bound that leaves room for
 * captures is made for the jump of whole frames; windows look at the capture
 * itself. A threshold set by hand is no such bound.
 */
static s32 peak_max_mc(const struct nst_policy_config *config)
{
	return config->thr.capture_mc == NST_TEMP_NONE_MC ?
		       config->die_max_mc : nst_lookahead_burst_max_mc(config);
}

static s64 min_s64(s64 a, s64 b)
{
	return a < b ? a : b;
}

/* Share of periods that the package carries at a temperature, in ppm. */
static s64 carried_ppm(const struct planning *pl, s64 package_mc)
{
	s64 rise_mc = package_mc - pl->ambient_mc;
	s64 budget_uw = nst_div_s64(rise_mc * 1000000,
				    (s32)pl->config->params.r_pa_mk_per_w);
	s64 over_uw = budget_uw - (s64)pl->config->gated_mw * 1000;
	s32 run_mw = (s32)(pl->mean_mw - pl->config->gated_mw);

	if (over_uw <= 0)
		return 0;
	if (!run_mw)
		return 1000000;
	return min_s64(nst_div_s64(over_uw * 1000, run_mw), 1000000);
}

/* Most frames that can be delivered with the window where it is, in ppm. */
static s64 share_ppm(const struct planning *pl)
{
	const struct nst_policy_config *c = pl->config;
	const struct nst_window *w = &pl->plan->run.w;
	s64 best = 0, heat_mc, ceiling_mc;
	u32 i;

	heat_mc = (s64)c->params.r_jp_mk_per_w *
		  (s64)(w->heat_mw - w->idle_mw);
	heat_mc = nst_mul_q64(nst_div_s64(heat_mc, 1000),
			      pl->plan->run.lose_q64[1][0]);
	ceiling_mc = peak_max_mc(c) - heat_mc -
		     nst_div_s64((s64)c->params.r_jp_mk_per_w *
				 (s64)c->gated_mw, 1000);
	for (i = 0; i < PATTERNS; i++) {
		const struct pattern *p = &patterns[i];
		s64 limit_mc = c->vision_max_mc, share;
		u32 runs = (p->bits & 1) + (p->bits >> 1 & 1);

		limit_mc -= pattern_over_mc(pl->plan, &pl->model->mode[0], p);
		share = carried_ppm(pl, min_s64(limit_mc, ceiling_mc));
		share = min_s64(share, (s64)nst_div_u64(1000000 * (u64)runs,
							p->len));
		if (share > best)
			best = share;
	}
	return best;
}

static int run_map_init(const struct planning *pl, const struct nst_window *w)
{
	return nst_window_map_init(&pl->plan->run, w, pl->model,
				   nst_window_rest_mc(w, pl->model));
}

static s64 share_at(const struct planning *pl, struct nst_window *w,
		    u32 from_us)
{
	w->from_us = from_us;
	if (run_map_init(pl, w))
		return -1;
	return share_ppm(pl);
}

struct best {
	s64 share;
	u32 from_us;
};

static void try_places(const struct planning *pl, struct nst_window *w,
		       u32 first_us, u32 last_us, u32 count, struct best *best)
{
	u32 i;

	for (i = 0; i <= count; i++) {
		u32 at_us = first_us + (u32)nst_div_u64((u64)(last_us -
						first_us) * i, count);
		s64 share = share_at(pl, w, at_us);

		if (share <= best->share)
			continue;
		best->share = share;
		best->from_us = at_us;
	}
}

/* The place behind the exposure wins where others are no better. */
static struct best best_place(const struct planning *pl, struct nst_window *w,
			      u32 first_us, u32 last_us)
{
	u32 apart_us = (last_us - first_us) / PLACES;
	u32 after_us = w->exposure_us + w->readout_us;
	struct best best = { -1, first_us };
	u32 lo_us, hi_us;

	if (after_us > first_us && after_us < last_us)
		try_places(pl, w, after_us, after_us, 1, &best);
	try_places(pl, w, first_us, last_us, PLACES, &best);
	lo_us = best.from_us - first_us > apart_us ? best.from_us - apart_us :
						     first_us;
	hi_us = last_us - best.from_us > apart_us ? best.from_us + apart_us :
						    last_us;
	try_places(pl, w, lo_us, hi_us, FINER_PLACES, &best);
	return best;
}

static u8 plan_place(struct planning *pl)
{
	const struct nst_policy_config *c = pl->config;
	struct nst_window idle = idle_window(c), w = idle;
	u64 vpu_nj = (u64)(c->near_mw - c->gated_mw) * c->frame_period_us;
	u64 busy_mw, heat_us = (u64)c->vpu_busy_us + c->gate_enter_us;
	struct best best;
	u32 last_us;

	if (!c->vpu_busy_us || heat_us + c->gate_exit_us >= c->frame_period_us)
		return PLAN_WHOLE;
	busy_mw = c->gated_mw + nst_div_u64(vpu_nj, c->vpu_busy_us);
	if (busy_mw > NST_POWER_MAX_MW)
		return PLAN_WHOLE;
	w.heat_mw = (u32)busy_mw;
	w.heat_us = (u32)heat_us;
	last_us = c->frame_period_us - (u32)heat_us;
	/* The die is hottest at the boundary when the window ends there. */
	w.from_us = last_us;
	if (nst_window_map_init(&pl->plan->stop, &idle, pl->model,
				nst_window_rest_mc(&w, pl->model)))
		return PLAN_WHOLE;
	pl->mean_mw = c->gated_mw +
		      (u32)nst_div_u64((busy_mw - c->gated_mw) * heat_us,
				       c->frame_period_us);
	best = best_place(pl, &w, c->gate_exit_us, last_us);
	if (best.share < 0)
		return PLAN_WHOLE;
	w.from_us = best.from_us;
	return run_map_init(pl, &w) ? PLAN_WHOLE : PLAN_WINDOW;
}

static bool same_plant(const struct nst_plant_params *a,
		       const struct nst_plant_params *b)
{
	return a->r_jp_mk_per_w == b->r_jp_mk_per_w &&
	       a->r_pa_mk_per_w == b->r_pa_mk_per_w &&
	       a->c_j_uj_per_k == b->c_j_uj_per_k &&
	       a->c_p_uj_per_k == b->c_p_uj_per_k &&
	       a->leak_ref_uw == b->leak_ref_uw;
}

static bool same_situation(const struct nst_policy_config *a,
			   const struct nst_policy_config *b)
{
	return a->near_mw == b->near_mw && a->gated_mw == b->gated_mw &&
	       a->frame_period_us == b->frame_period_us &&
	       a->exposure_us == b->exposure_us &&
	       a->readout_us == b->readout_us &&
	       a->doubling_mc == b->doubling_mc &&
	       a->vision_max_mc == b->vision_max_mc &&
	       peak_max_mc(a) == peak_max_mc(b) &&
	       a->vpu_busy_us == b->vpu_busy_us &&
	       a->gate_enter_us == b->gate_enter_us &&
	       a->gate_exit_us == b->gate_exit_us &&
	       same_plant(&a->params, &b->params);
}

/* The modes are the model's: it may be another stack than the profile's. */
static bool plan_holds(const struct nst_phase_plan *plan,
		       const struct nst_policy_config *config,
		       const struct nst_policy_inputs *in)
{
	const struct nst_plant_mode *mode = in->model->mode;

	return plan->kind != PLAN_NONE &&
	       in->ambient_mc - plan->ambient_mc <= AMBIENT_MOVES_MC &&
	       plan->ambient_mc - in->ambient_mc <= AMBIENT_MOVES_MC &&
	       plan->tau_ns[0] == mode[0].tau_ns &&
	       plan->tau_ns[1] == mode[1].tau_ns &&
	       plan->gain_q32[0] == mode[0].gain_q32 &&
	       plan->gain_q32[1] == mode[1].gain_q32 &&
	       same_situation(&plan->config, config);
}

static void plan_renew(struct nst_phase_plan *plan,
		       const struct nst_policy_config *config,
		       const struct nst_policy_inputs *in)
{
	struct planning pl = { config, in->model, plan, in->ambient_mc, 0 };
	u32 i;

	plan->config = *config;
	plan->ambient_mc = in->ambient_mc;
	for (i = 0; i < 2; i++) {
		plan->tau_ns[i] = in->model->mode[i].tau_ns;
		plan->gain_q32[i] = in->model->mode[i].gain_q32;
	}
	plan->have_last = false;
	plan->kind = plan_place(&pl);
}

/* ----------------------------------------------------------- the rule --- */

struct ahead {
	s64 z_q32[2];
	u64 z_low[2];
	bool known;		/* how hot the frame is that may be processed */
	s32 last_mc;
};

/* A period passes, and its frame is the next one to be processed. */
static s32 pass(struct nst_phase_plan *plan,
		const struct nst_policy_inputs *in, bool run,
		struct ahead *at)
{
	struct nst_window_map *map = run ? &plan->run : &plan->stop;
	const struct nst_plant_mode *mode = in->model->mode;

	at->last_mc = nst_window_map_mc(map, mode, at->z_q32, in->ambient_mc);
	at->known = true;
	return nst_window_step(map, mode, at->z_q32, at->z_low,
			       in->ambient_mc);
}

static s32 die_mc(const struct ahead *at)
{
	return nst_round_q32(at->z_q32[0] + at->z_q32[1]);
}

/* When what is decided now takes effect. */
static struct ahead ahead_of(struct nst_phase_plan *plan,
			     const struct nst_policy_config *config,
			     const struct nst_policy_state *state,
			     const struct nst_policy_inputs *in)
{
	struct ahead at = {
		.z_q32 = { in->model->z_q32[0], in->model->z_q32[1] },
		.known = plan->have_last,
		.last_mc = plan->last_mc,
	};
	s32 over_mc = die_mc(&at) - plan->end_mc;
	u32 i;

	/*
	 * What a sample has corrected since, it has corrected then: the package.
	 * A colder die alone says that the gate was kept closed, which helps the
	 * frame only where the window was before its end.
	 */
	if (over_mc <= 0)
		over_mc = nst_round_q32(at.z_q32[1] - plan->end_slow_q32);
	at.last_mc += over_mc;
	for (i = config->act_delay_frames; i; i--)
		pass(plan, in, !(state->gated_bits >> (i - 1) & 1), &at);
	return at;
}

/* Would a frame behind the next stop do for a capture? */
static bool capture_fits(struct nst_phase_plan *plan,
			 const struct nst_policy_config *config,
			 const struct nst_policy_inputs *in,
			 struct ahead after, s32 margin_mc)
{
	if (config->thr.capture_mc == NST_TEMP_NONE_MC)
		return true;
	pass(plan, in, false, &after);
	pass(plan, in, false, &after);
	return after.last_mc + EXPOSURE_ERROR_MC + margin_mc <=
	       config->thr.capture_mc;
}

static enum nst_reason choose(struct nst_phase_plan *plan,
			      const struct nst_policy_config *config,
			      const struct nst_policy_inputs *in,
			      const struct ahead *at, bool *ret_run)
{
	s32 margin_mc = in->margin_mc, peak_mc;
	struct ahead after = *at;

	*ret_run = false;
	if (margin_mc < 0)
		margin_mc = 0;
	if (margin_mc > NST_TEMP_NONE_MC)
		margin_mc = NST_TEMP_NONE_MC;
	if (in->capture_pending)
		return NST_WHY_CAPTURE;
	if (config->vision_max_mc != NST_TEMP_NONE_MC &&
	    (!at->known ||
	     at->last_mc + EXPOSURE_ERROR_MC + margin_mc >
		     config->vision_max_mc))
		return NST_WHY_TOO_HOT;
	peak_mc = pass(plan, in, true, &after);
	if (peak_mc + margin_mc > peak_max_mc(config) ||
	    die_mc(at) + margin_mc > peak_max_mc(config) ||
	    !capture_fits(plan, config, in, after, margin_mc))
		return NST_WHY_WOULD_CROSS;
	*ret_run = true;
	return NST_WHY_STEADY;
}

static void phase_locked_decide(const struct nst_policy_config *config,
				struct nst_policy_state *state,
				const struct nst_policy_inputs *in,
				struct nst_policy_outputs *out)
{
	struct nst_phase_plan *plan = &state->phase_plan;
	enum nst_reason why;
	struct ahead at;
	bool run;

	if (nst_inputs_blind(in)) {
		plan->have_last = false;
		state->exposed.known = false;
		nst_decided(state, out, NST_PAUSED, NST_WHY_NO_SENSOR);
		return;
	}
	if (!plan_holds(plan, config, in))
		plan_renew(plan, config, in);
	if (plan->kind == PLAN_WHOLE) {
		nst_pol_predictive_stop.decide(config, state, in, out);
		return;
	}
	/* What whole frames know of an exposure is older than this period. */
	state->exposed.known = false;

	at = ahead_of(plan, config, state, in);
	why = choose(plan, config, in, &at, &run);
	if (run && state->gated_bits & 1)
		why = NST_WHY_COOL_ENOUGH;
	/* The frame of the first period in flight is the next call's last. */
	if (config->act_delay_frames) {
		at = (struct ahead){
			.z_q32 = { in->model->z_q32[0], in->model->z_q32[1] },
		};
		pass(plan, in, !(state->gated_bits >>
				 (config->act_delay_frames - 1) & 1), &at);
	} else {
		pass(plan, in, run, &at);
	}
	plan->have_last = true;
	plan->last_mc = at.last_mc;
	plan->end_mc = die_mc(&at);
	plan->end_slow_q32 = at.z_q32[1];
	nst_decided(state, out, run ? NST_NEAR : NST_PAUSED, why);
	if (!run)
		return;
	out->run_from_us = plan->run.w.from_us - config->gate_exit_us;
	out->run_us = config->gate_exit_us + config->vpu_busy_us;
}

const struct nst_policy_ops nst_pol_phase_locked = {
	.name = "phase-locked",
	.drops = true,
	.decide = phase_locked_decide,
};
