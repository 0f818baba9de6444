// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* forecast.c - the governor's model, asked: see forecast.h */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "forecast.h"
#include "identified.h"
#include "lookahead.h"

/* Standard deviations that a bound is taken at, as in follow.h. */
#define SIGMAS 3

static u32 first_of(u32 a, u32 b, u32 c)
{
	return a ? a : b ? b : c;
}

/*
 * What the policy keeps the die below until the gate closes. Those that go by
 * exposures may let it be hotter in between: then nothing is taken for granted
 * and the VPU is thought to run.
 */
static s32 kept_below_mc(const struct nst_governor *g)
{
	static const char *const keeps[] = {
		"stop-capture-go", "seasonal-migration",
	};
	const struct nst_policy_inputs in = {
		.margin_mc = g->obs.uncertainty_mc,
	};

	for (unsigned int i = 0; i < 2 && !g->pc_err && !g->workers.any; i++) {
		if (!strcmp(g->policy->name, keeps[i]))
			return nst_lookahead_high_mc(&g->pc, &in);
	}
	return NST_TEMP_NONE_MC;
}

static void set_timing(struct nst_ask_stack *stack,
		       const struct nst_governor *g)
{
	const struct nst_profile_sensor *s = &g->profile->sensors[g->sensor];

	stack->frame_period_us = first_of(g->state.frame_period_us,
					  g->pc.frame_period_us, 33333);
	if (s->shutter == NST_SHUTTER_ROLLING)
		stack->readout_us = first_of(g->state.readout_us,
					     s->readout_us, 0);
	if (stack->readout_us >= stack->frame_period_us)
		stack->readout_us = stack->frame_period_us - 1;
	stack->exposure_us = first_of(g->light.exposure_us, g->pc.exposure_us,
				      stack->frame_period_us);
	if (stack->exposure_us > stack->frame_period_us - stack->readout_us)
		stack->exposure_us = stack->frame_period_us -
				     stack->readout_us;
	stack->gate_enter_us = s->gate_enter_us < stack->frame_period_us
		? s->gate_enter_us : stack->frame_period_us - 1;
}

static void set_costs(struct nst_ask_stack *stack,
		      const struct nst_governor *g)
{
	const struct nst_profile_sensor *s = &g->profile->sensors[g->sensor];

	stack->drops = g->policy->drops || g->far == NST_FAR_REFUSED;
	stack->near_sys_mw = s->near_mw;
	stack->gated_sys_mw = stack->drops ? s->capture_mw : s->far_mw;
	/* There, and back. */
	if (!stack->drops && !g->pc_err)
		stack->switch_uj = 2 * g->pc.switch_uj;
}

/* The model at the boundary that comes next. Return: 0 or -ERANGE. */
static int start(struct nst_ask_stack *stack, struct nst_plant *plant,
		 const struct nst_governor *g, u64 now_us, u32 *ret_in_us)
{
	u64 next_us = g->state.next_start_us
		? g->state.next_start_us
		: g->state.frame_start_us + stack->frame_period_us;

	if (now_us < g->obs_us)
		now_us = g->obs_us;
	/* The tick that will bring this up to date has not come yet. */
	while (next_us <= now_us)
		next_us += stack->frame_period_us;
	*ret_in_us = (u32)(next_us - now_us);
	*plant = g->obs.plant;
	stack->plant = plant;
	stack->gated = nst_history_gate(&g->history, now_us) != NST_GATE_RUN;
	return nst_history_advance(&g->history, plant, g->obs_us, next_us);
}

/*
 * What the stack tends to is known less well than where it is: by how much the
 * die may be off for that after so long a time at one power. The errors of
 * ambient, resistance and constant go together, so what counts is that of what
 * they predict, and not each one's own.
 */
static double open_c(const struct nst_governor *g, u32 power_mw, u32 span_us)
{
	const double power_w[2] = { power_mw / 1e3, power_mw / 1e3 };
	const double dt_s[2] = { 1e-3, span_us / 1e6 };
	double die_c[2], sd_c[2], var_c2;

	nst_identify_ahead(&g->ident.id, power_w, dt_s, 2, die_c, sd_c);
	var_c2 = sd_c[1] * sd_c[1] - sd_c[0] * sd_c[0];
	return var_c2 > 0 ? SIGMAS * sqrt(var_c2) : 0;
}

/* An ambient that is off by so much does as much in that time. */
static u32 open_ambient_mc(const struct nst_governor *g, u32 span_us)
{
	const struct nst_profile_sensor *s = &g->profile->sensors[g->sensor];
	double come = (double)nst_lose_q64(&g->obs.plant.mode[1].rate,
					   span_us) * 0x1p-64;
	double mc = fmax(open_c(g, s->near_mw, span_us),
			 open_c(g, s->capture_mw, span_us)) * 1e3 / come;

	/* What is no number is not known at all. */
	return mc < NST_TEMP_MAX_MC ? (u32)mc : NST_TEMP_MAX_MC;
}

/* How far the model may be off over so long a time. */
static struct nst_ask_bounds bounds_of(const struct nst_governor *g,
				       u32 span_us)
{
	s32 drift_mc = nst_observer_drift_mc(&g->obs, span_us);
	struct nst_ask_bounds b = {
		.state_mc = (u32)g->obs.uncertainty_mc +
			    (u32)nst_identified_margin_mc(g) +
			    (u32)(drift_mc < 0 ? -drift_mc : drift_mc),
	};

	if (g->identifies)
		b.ambient_mc = open_ambient_mc(g, span_us);
	return b;
}

static const char *reason(const struct nst_ask_answer *a)
{
	static const char *const doubt[NST_ASK_BOUND_COUNT] = {
		[NST_ASK_BY_STATE] = "it depends on the temperature, which is "
				     "not known that well",
		[NST_ASK_BY_AMBIENT] = "it depends on the ambient, which is "
				       "not known that well",
		[NST_ASK_BY_POWER] = "it depends on the power, which is not "
				     "known that well",
		[NST_ASK_BY_PACKAGE] = "it depends on how fast the package "
				       "cools",
		[NST_ASK_BY_MODEL] = "it is too close to tell",
	};

	if (a->verdict == NST_ASK_NO)
		return "gated from the next frame on it is still too warm "
		       "then";
	if (a->verdict == NST_ASK_YES)
		return a->gate ? "cold enough when gated in time"
			       : "cold enough without gating";
	return doubt[a->bound];
}

static int doubt(struct nst_forecast *ret, enum nst_ask_bound bound,
		 const char *why)
{
	ret->answer.verdict = NST_ASK_UNCERTAIN;
	ret->answer.bound = (u8)bound;
	ret->why = why;
	return 0;
}

static int ask(struct nst_forecast *ret, const struct nst_ask_stack *stack,
	       const struct nst_ask_question *q, u32 boundary_us)
{
	struct nst_ask_answer *a = &ret->answer;
	s32 up_mc, down_mc;
	int r;

	r = nst_ask(stack, q, a);
	/* A profile is in range; what a device told need not be. */
	if (r)
		return doubt(ret, NST_ASK_BY_MODEL, "the device tells of a "
			     "situation that nothing can be said from");
	up_mc = a->hot_mc - a->reached_mc;
	down_mc = a->reached_mc - a->cold_mc;
	ret->reached_mc = a->reached_mc;
	ret->margin_mc = (u32)(up_mc > down_mc ? up_mc : down_mc);
	if (a->gate)
		ret->gate_in_us = boundary_us +
				  a->gate_frame * stack->frame_period_us;
	if (a->late_frame != NST_ASK_NEVER)
		ret->late_in_us = boundary_us +
				  a->late_frame * stack->frame_period_us;
	ret->why = reason(a);
	return 0;
}

int nst_forecast(const struct nst_governor *g,
		 const struct nst_forecast_query *query, u64 now_us,
		 struct nst_forecast *ret)
{
	const struct nst_profile_sensor *s = &g->profile->sensors[g->sensor];
	struct nst_ask_question q = { .frames = query->frames };
	struct nst_ask_stack stack = {
		.ambient_mc = g->obs.ambient_mc,
		.near_mw = s->near_mw,
		.gated_mw = s->capture_mw,
		.high_mc = kept_below_mc(g),
		.doubling_mc = s->doubling_mc,
	};
	struct nst_plant plant;
	u32 boundary_us = 0;
	int r;

	if (query->in_us > NST_FORECAST_MAX_MS * 1000u || !query->frames ||
	    query->frames > NST_FORECAST_FRAMES_MAX)
		return -ERANGE;
	*ret = (struct nst_forecast){
		.temp_mc = query->temp_mc == NST_TEMP_NONE_MC
			? query->temp_mc : query->temp_mc - s->accuracy_mc,
		.reached_mc = NST_TEMP_NONE_MC,
		.late_in_us = UINT32_MAX,
	};
	set_timing(&stack, g);
	set_costs(&stack, g);
	if (!nst_gov_trusted(g))
		return doubt(ret, NST_ASK_BY_SENSOR, "there is no trustworthy "
			     "temperature");
	r = start(&stack, &plant, g, now_us, &boundary_us);
	if (r)
		return doubt(ret, NST_ASK_BY_SENSOR, "the model is not up to "
			     "date");
	if (boundary_us > query->in_us) {
		ret->why = "no frame begins before then";
		ret->exposure_in_us = boundary_us;
		ret->late_in_us = 0;
		return 0;
	}
	q.time_us = query->in_us - boundary_us;
	ret->exposure_in_us = boundary_us + q.time_us / stack.frame_period_us *
			      stack.frame_period_us;
	if (ret->temp_mc == NST_TEMP_NONE_MC) {
		ret->answer.verdict = NST_ASK_YES;
		ret->why = "any temperature will do";
		return 0;
	}
	/* Colder than anything: no answer but no. */
	q.temp_mc = ret->temp_mc > NST_TEMP_MIN_MC ? ret->temp_mc
						   : NST_TEMP_MIN_MC;
	stack.bounds = bounds_of(g, query->in_us +
				 query->frames * stack.frame_period_us);
	r = ask(ret, &stack, &q, boundary_us);
	if (!r && g->obs.config.plant_guessed &&
	    ret->answer.verdict != NST_ASK_UNCERTAIN)
		return doubt(ret, NST_ASK_BY_PLANT, "the constants of the "
			     "stack are a guess");
	return r;
}
