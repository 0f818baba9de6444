// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * result.c - derived figures of a run, and the oracle beside it
 *
 * The oracle is told the limits of the tasks and the constants of the
 * profile; how a capture's limit becomes a bound on the die it works out
 * for itself. Where the light changes, each stretch of it has an optimum of
 * its own, as if there had been no other, and the day's is the sum of them:
 * heat that a stretch leaves to the next one is not in it.
 */
#include <math.h>

#include "oracle.h"
#include "sim_private.h"

static u64 div_round(u64 num, u64 den)
{
	return den ? (num + den / 2) / den : 0;
}

u32 nst_sim_mean_power_mw(const struct nst_sim_result *r)
{
	/* uJ per us is W */
	return (u32)div_round(r->energy_uj * 1000, r->time_us);
}

u32 nst_sim_full_far_power_mw(const struct nst_sim_result *r)
{
	return (u32)div_round(r->full_far_energy_uj * 1000, r->time_us);
}

u32 nst_sim_energy_per_frame_uj(const struct nst_sim_result *r)
{
	return (u32)div_round(r->energy_uj, r->frames_delivered);
}

s32 nst_sim_saving_permyriad(const struct nst_sim_result *r)
{
	double mine, far;

	if (!r->frames_delivered || !r->frames || !r->full_far_energy_uj)
		return 0;
	mine = (double)r->energy_uj / (double)r->frames_delivered;
	far = (double)r->full_far_energy_uj / (double)r->frames;
	return (s32)lround(NST_PERMYRIAD * (1.0 - mine / far));
}

u32 nst_sim_duty_permyriad(const struct nst_sim_result *r)
{
	return (u32)div_round(r->near_us * NST_PERMYRIAD, r->time_us);
}

double nst_sim_effective_fps(const struct nst_sim_result *r)
{
	return r->time_us ? (double)r->frames_delivered * 1e6 /
				    (double)r->time_us :
			    0.0;
}

static double limit_c(s32 limit_mc, s32 accuracy_mc)
{
	if (limit_mc == NST_TEMP_NONE_MC)
		return INFINITY;
	return (limit_mc - accuracy_mc) / 1000.0;
}

static void case_set(struct nst_oracle_case *c,
		     const struct nst_profile_sensor *s,
		     const struct nst_situation *sit, s32 ambient_mc,
		     bool switch_cost)
{
	double imaging_c = limit_c(sit->imaging_max_mc, s->accuracy_mc);
	double latency_s = sit->latency_us / 1e6, jump_k;

	c->r_jp = s->plant.r_jp_mk_per_w / 1e3;
	c->r_pa = s->plant.r_pa_mk_per_w / 1e3;
	c->c_j = s->plant.c_j_uj_per_k / 1e6;
	c->c_p = s->plant.c_p_uj_per_k / 1e6;
	c->ambient_c = ambient_mc / 1000.0;
	c->near_w = s->near_mw / 1e3;
	c->gated_w = s->capture_mw / 1e3;
	c->far_w = s->far_mw / 1e3;
	c->period_s = sit->policy.frame_period_us / 1e6;
	c->exposure_s = sit->exposure_us / 1e6;
	c->readout_s = sit->policy.readout_us / 1e6;
	c->doubling_k = s->doubling_mc / 1e3;
	c->exposure_max_c = limit_c(sit->vision_max_mc, s->accuracy_mc);
	jump_k = c->r_jp * (c->near_w - c->gated_w) *
		 -expm1(-latency_s / (c->r_jp * c->c_j));
	c->die_max_c = fmin(imaging_c + jump_k,
			    limit_c(s->max_temp_mc, s->accuracy_mc));
	c->switch_j = 0.0;
	if (switch_cost)
		c->switch_j = s->switch_us / 1e6 * (c->near_w + c->far_w) +
			      c->period_s * c->near_w;
}

/* --------------------------------------------------------- the oracle --- */

/**
 * struct best - the optimum of one setting
 * @time_s: how long it held, in all
 */
struct best {
	u32 exposure_us;
	u32 iso;
	s32 ambient_mc;
	u32 period_us;
	double time_s;
	struct nst_oracle_result result;
};

struct oracle {
	const struct nst_sim_options *opt;
	const struct nst_profile_sensor *sensor;
	bool drops;
	struct best best[NST_SIM_ORACLE_SETTINGS_MAX];
	size_t count;
	double energy_j;
	double delivered;
};

/* Leakage makes the plant non-linear: the oracle has no form for it. */
static bool has_form(const struct nst_profile_sensor *s, u32 period_us)
{
	return !s->plant.leak_ref_uw && !s->gate_enter_us &&
	       (!s->vpu_busy_us || s->vpu_busy_us >= period_us);
}

/* Takes a few ms: once for each setting, and not before all are known. */
static bool search(const struct oracle *o, struct best *b)
{
	struct nst_situation sit;
	struct nst_oracle_case c;

	if (nst_situation_get_any(&sit, o->opt->profile, o->opt->sensor,
				  b->exposure_us, b->iso) || sit.no_vision)
		return false;
	case_set(&c, o->sensor, &sit, b->ambient_mc, o->opt->switch_cost);
	return o->drops ? nst_oracle_stop(NULL, &c, &b->result) :
			  nst_oracle_migration(NULL, &c, &b->result);
}

/* NULL where there is no situation, or too many of them. */
static struct best *best_of(struct oracle *o, const struct nst_trace_step *step,
			    s32 ambient_mc)
{
	struct nst_situation sit;
	struct best *b;

	for (size_t i = 0; i < o->count; i++) {
		b = &o->best[i];
		if (b->exposure_us == step->exposure_us &&
		    b->iso == step->iso && b->ambient_mc == ambient_mc)
			return b;
	}
	if (o->count == NST_SIM_ORACLE_SETTINGS_MAX ||
	    nst_situation_get_any(&sit, o->opt->profile, o->opt->sensor,
				  step->exposure_us, step->iso) ||
	    !has_form(o->sensor, sit.policy.frame_period_us))
		return NULL;
	b = &o->best[o->count++];
	*b = (struct best){
		.exposure_us = step->exposure_us,
		.iso = step->iso,
		.ambient_mc = ambient_mc,
		.period_us = sit.policy.frame_period_us,
	};
	return b;
}

static bool add_trace(struct oracle *o, u64 end_us)
{
	const struct nst_trace *trace = o->opt->trace;
	s32 ambient_mc = o->opt->has_ambient ? o->opt->ambient_mc :
					       o->sensor->ambient_mc;

	for (size_t i = 0; i < trace->count; i++) {
		const struct nst_trace_step *step = &trace->steps[i];
		u64 until_us = end_us;
		struct best *b;

		if (step->t_us >= end_us)
			break;
		if (i + 1 < trace->count && step[1].t_us < until_us)
			until_us = step[1].t_us;
		if (step->has_ambient)
			ambient_mc = step->ambient_mc;
		b = best_of(o, step, ambient_mc);
		if (!b)
			return false;
		b->time_s += (double)(until_us - step->t_us) / 1e6;
	}
	return true;
}

static void add_up(struct oracle *o)
{
	const struct nst_profile_sensor *s = o->sensor;

	for (size_t i = 0; i < o->count; i++) {
		struct best *b = &o->best[i];

		if (!search(o, b)) {
			/* as the daemon does: gated, nothing delivered */
			o->energy_j += b->time_s * (o->drops ? s->capture_mw :
							       s->far_mw) / 1e3;
			continue;
		}
		o->energy_j += b->time_s * b->result.power_w;
		o->delivered += b->time_s * 1e6 / b->period_us *
				b->result.delivered_share;
	}
}

void nst_sim_oracle(struct nst_sim_result *result,
		    const struct nst_sim_options *opt)
{
	struct oracle o = {
		.opt = opt,
		.sensor = &opt->profile->sensors[opt->sensor],
		.drops = result->policy->drops,
	};
	double gap;

	if (!add_trace(&o, result->time_us))
		return;
	add_up(&o);
	/* Nothing meets the limits at any time: nothing to compare with. */
	result->oracle = o.delivered > 0.0;
	if (!result->oracle)
		return;
	result->oracle_power_mw = (u32)lround(o.energy_j * 1e9 /
					      (double)result->time_us);
	result->oracle_frames_delivered = (u64)llround(o.delivered);
	if (o.drops)
		gap = 1.0 - (double)result->frames_delivered / o.delivered;
	else
		gap = (double)result->energy_uj / 1e6 / o.energy_j - 1.0;
	result->oracle_gap_permyriad =
		isfinite(gap) ? (s32)lround(gap * NST_PERMYRIAD) : 0;
}
