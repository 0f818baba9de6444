// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ask.c - answers in advance, from the governor's model: see ask.h */
#include <errno.h>

#include "ask.h"

/*
 * Moments at which gating may begin that are tried; further apart than a frame
 * when the time asked for is long. A plant that leaks is stepped in slices,
 * which is slow: fewer.
 */
#define MOMENTS_MAX 64
#define MOMENTS_LEAKY 3

/* As governor.c: what the decay factors of one frame are good to. */
#define MODEL_MARGIN_MC 20

struct plan {
	const struct nst_governor *g;
	const struct nst_profile_sensor *s;
	struct nst_plant plant;		/* at the next boundary */
	u32 boundary_us;		/* from now to it */
	u32 period_us;
	u32 exposure_us;
	u32 readout_us;
	u32 frames_until;		/* boundaries from it to the exposure */
	u32 frames;			/* exposures */
};

static u32 first_of(u32 a, u32 b, u32 c)
{
	return a ? a : b ? b : c;
}

/* The model at the boundary that comes next. */
static int start_plan(struct plan *p, u64 now_us)
{
	const struct nst_governor *g = p->g;
	u64 next_us;

	p->period_us = first_of(g->state.frame_period_us,
				g->pc.frame_period_us, 33333);
	p->exposure_us = first_of(g->light.exposure_us, g->pc.exposure_us,
				  p->period_us);
	p->readout_us = p->s->shutter == NST_SHUTTER_ROLLING
		? first_of(g->state.readout_us, p->s->readout_us, 0) : 0;
	next_us = g->state.next_start_us ? g->state.next_start_us
					 : g->state.frame_start_us +
					   p->period_us;
	if (now_us < g->obs_us)
		now_us = g->obs_us;
	/* The tick that will bring this up to date has not come yet. */
	while (next_us <= now_us)
		next_us += p->period_us;
	p->boundary_us = (u32)(next_us - now_us);
	p->plant = g->obs.plant;
	return nst_history_advance(&g->history, &p->plant, g->obs_us, next_us);
}

/* The power that ends @dt_us just at the limit; all of it when that fits. */
static u32 power_within(const struct plan *p, const struct nst_plant *plant,
			s32 high_mc, u32 dt_us)
{
	u32 lo = p->s->capture_mw, hi = p->s->near_mw;

	if (nst_plant_peek_die_mc(plant, hi, p->g->obs.ambient_mc, dt_us) <=
	    high_mc)
		return hi;
	for (int i = 0; i < 8; i++) {
		u32 mid = lo + (hi - lo) / 2;

		if (nst_plant_peek_die_mc(plant, mid, p->g->obs.ambient_mc,
					  dt_us) <= high_mc)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

/* Hottest exposure of all frames, with @power_mw from @plant on. */
static s32 hottest_mc(const struct plan *p, const struct nst_plant *plant,
		      u32 wait_us, u32 power_mw)
{
	struct nst_plant at = *plant;
	s32 ambient_mc = p->g->obs.ambient_mc, first_mc, last_mc;

	if (nst_plant_step(&at, power_mw, ambient_mc, wait_us))
		return NST_TEMP_NONE_MC;
	first_mc = nst_exposure_frame_mc(&at, power_mw, ambient_mc,
					 p->exposure_us, p->readout_us,
					 p->s->doubling_mc);
	if (p->frames == 1)
		return first_mc;
	/* Constant power: the first or the last of them is the hottest. */
	if (nst_plant_step(&at, power_mw, ambient_mc,
			   (p->frames - 1) * p->period_us))
		return NST_TEMP_NONE_MC;
	last_mc = nst_exposure_frame_mc(&at, power_mw, ambient_mc,
					p->exposure_us, p->readout_us,
					p->s->doubling_mc);
	return first_mc > last_mc ? first_mc : last_mc;
}

static void set_cost(const struct plan *p, u32 from_frame,
		     struct nst_asked *ret)
{
	bool drops = p->g->policy->drops;
	s64 mw = drops ? p->s->capture_mw : p->s->far_mw;
	u64 gated_us;

	ret->gate = true;
	ret->gate_in_us = p->boundary_us + from_frame * p->period_us;
	ret->gated_frames = p->frames_until - from_frame + p->frames;
	ret->lost_frames = drops ? ret->gated_frames : 0;
	gated_us = (u64)ret->gated_frames * p->period_us;
	ret->cost_uj = (mw - (s64)p->s->near_mw) * (s64)gated_us / 1000;
}

/* The latest moment of those tried that is still early enough. */
static void find_latest(const struct plan *p, struct nst_asked *ret)
{
	u32 most = p->s->plant.leak_ref_uw ? MOMENTS_LEAKY : MOMENTS_MAX;
	u32 step = (p->frames_until + most - 1) / most, latest = 0;
	s32 limit_mc = ret->temp_mc - ret->margin_mc;
	s32 high_mc = p->g->pc.thr.high_mc;
	struct nst_plant plant = p->plant;

	for (u32 at = 0; step && at + step <= p->frames_until;) {
		u32 dt_us = step * p->period_us, left;
		u32 power = power_within(p, &plant, high_mc, dt_us);

		if (nst_plant_step(&plant, power, p->g->obs.ambient_mc, dt_us))
			break;
		at += step;
		left = p->frames_until - at;
		if (hottest_mc(p, &plant, left * p->period_us,
			       p->s->capture_mw) <= limit_mc)
			latest = at;
		/* Not even without a gate it gets too warm. */
		if (at == p->frames_until &&
		    hottest_mc(p, &plant, 0, p->s->near_mw) <= limit_mc)
			return;
	}
	set_cost(p, latest, ret);
}

static int doubt(struct nst_asked *ret, const char *why)
{
	ret->answer = NST_ASK_UNCERTAIN;
	ret->why = why;
	return 0;
}

static void judge(const struct plan *p, struct nst_asked *ret)
{
	const struct nst_observer *obs = &p->g->obs;
	u32 span_us = p->boundary_us +
		      (p->frames_until + p->frames) * p->period_us;
	s32 drift_mc = nst_observer_drift_mc(obs, span_us);

	ret->reached_mc = hottest_mc(p, &p->plant,
				     p->frames_until * p->period_us,
				     p->s->capture_mw);
	ret->margin_mc = obs->uncertainty_mc + MODEL_MARGIN_MC +
			 (drift_mc < 0 ? -drift_mc : drift_mc);
	if (ret->reached_mc - ret->margin_mc > ret->temp_mc) {
		ret->answer = NST_ASK_NO;
		ret->why = "gated from the next frame on it is still too warm "
			   "then";
		return;
	}
	if (ret->reached_mc + ret->margin_mc > ret->temp_mc) {
		doubt(ret, "it depends on what the model does not know that "
			   "well");
		set_cost(p, 0, ret);
		return;
	}
	ret->answer = NST_ASK_YES;
	find_latest(p, ret);
	ret->why = ret->gate ? "cold enough when gated in time"
			     : "cold enough without gating";
}

int nst_ask(const struct nst_governor *g, const struct nst_ask *ask,
	    u64 now_us, struct nst_asked *ret)
{
	struct plan p = {
		.g = g, .s = &g->profile->sensors[g->sensor],
		.frames = ask->frames,
	};

	if (ask->in_us > NST_ASK_MAX_MS * 1000u || !ask->frames ||
	    ask->frames > NST_ASK_FRAMES_MAX)
		return -ERANGE;
	*ret = (struct nst_asked){
		.temp_mc = ask->temp_mc == NST_TEMP_NONE_MC
			? ask->temp_mc : ask->temp_mc - p.s->accuracy_mc,
		.reached_mc = NST_TEMP_NONE_MC,
	};
	if (!nst_gov_trusted(g))
		return doubt(ret, "there is no trustworthy temperature");
	if (start_plan(&p, now_us))
		return doubt(ret, "the model is not up to date");
	if (p.boundary_us > ask->in_us) {
		ret->answer = NST_ASK_NO;
		ret->why = "no frame begins before then";
		ret->exposure_in_us = p.boundary_us;
		return 0;
	}
	p.frames_until = (ask->in_us - p.boundary_us) / p.period_us;
	ret->exposure_in_us = p.boundary_us + p.frames_until * p.period_us;
	if (ret->temp_mc == NST_TEMP_NONE_MC) {
		ret->answer = NST_ASK_YES;
		ret->why = "any temperature will do";
		return 0;
	}
	judge(&p, ret);
	if (g->obs.config.plant_guessed && ret->answer != NST_ASK_UNCERTAIN)
		return doubt(ret, "the constants of the stack are a guess");
	return 0;
}

const char *nst_ask_text(enum nst_ask_answer answer)
{
	static const char *const text[] = {
		[NST_ASK_NO] = "no",
		[NST_ASK_YES] = "yes",
		[NST_ASK_UNCERTAIN] = "uncertain",
	};

	return text[answer];
}
