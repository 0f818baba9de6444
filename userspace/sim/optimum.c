// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* optimum.c - the oracle's word on a run, see optimum.h */
#include <math.h>
#include <stdlib.h>

#include "cleanup.h"
#include "optimum.h"
#include "situation.h"

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
	/* What no temperature gives is not waited for. */
	double imaging_c = sit->no_capture ?
				   INFINITY :
				   limit_c(sit->imaging_max_mc, s->accuracy_mc);
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

/* Leakage makes the plant non-linear: the oracle has no form for it. */
static bool has_form(const struct nst_profile_sensor *s, u32 period_us)
{
	return !s->plant.leak_ref_uw && !s->gate_enter_us &&
	       (!s->vpu_busy_us || s->vpu_busy_us >= period_us);
}

/* Optimum of steady light, for as long as the stretch is. */
static void steady(struct nst_optimum *ret, struct nst_oracle *oracle,
		   const struct nst_oracle_stretch *stretch, double time_s,
		   bool drops)
{
	const struct nst_oracle_case *c = &stretch->c;
	struct nst_oracle_result best = { .power_w = drops ? c->gated_w :
							     c->far_w };

	/* Where nothing meets the limits: gated, nothing delivered. */
	if (!stretch->never && drops)
		nst_oracle_stop(oracle, c, &best);
	else if (!stretch->never)
		nst_oracle_migration(oracle, c, &best);
	ret->frames = time_s / c->period_s;
	ret->energy_j = time_s * best.power_w;
	ret->delivered = ret->frames * best.delivered_share;
	ret->foreseen_energy_j = ret->energy_j;
	ret->foreseen_delivered = ret->delivered;
}

/* Where light or weather change, or the stack starts cold. */
static int changing(struct nst_optimum *ret,
		    const struct nst_oracle_stretch *stretches, size_t n,
		    double end_s, bool drops, bool cold)
{
	struct nst_oracle_sum learning, foreseeing;

	if (nst_oracle_trace(stretches, n, end_s, drops, cold, &learning,
			     &foreseeing))
		return -1;
	for (size_t i = 0; i < n; i++)
		ret->frames += ((i + 1 < n ? stretches[i + 1].from_s : end_s) -
				stretches[i].from_s) / stretches[i].c.period_s;
	ret->energy_j = learning.energy_j;
	ret->delivered = learning.delivered;
	ret->foreseen_energy_j = foreseeing.energy_j;
	ret->foreseen_delivered = foreseeing.delivered;
	return 0;
}

static void note_bound(struct nst_optimum *ret,
		       const struct nst_oracle_stretch *stretch)
{
	enum nst_oracle_bound bound = stretch->never ?
					      NST_ORACLE_NEVER :
					      nst_oracle_bound(&stretch->c);

	if (bound == NST_ORACLE_BINDS || ret->bound == NST_ORACLE_FREE)
		ret->bound = bound;
}

/* Return: how many stretches there are until @time_us, 0 for no form. */
static size_t stretches_get(const struct nst_sim_options *opt, u64 time_us,
			    struct nst_oracle_stretch *ret)
{
	const struct nst_profile_sensor *s =
		&opt->profile->sensors[opt->sensor];
	const struct nst_trace *trace = opt->trace;
	s32 ambient_mc = opt->has_ambient ? opt->ambient_mc : s->ambient_mc;
	size_t n = 0;

	for (size_t i = 0; i < trace->count; i++) {
		const struct nst_trace_step *step = &trace->steps[i];
		struct nst_situation sit;

		if (step->t_us >= time_us)
			break;
		if (step->has_ambient)
			ambient_mc = step->ambient_mc;
		if (nst_situation_get_any(&sit, opt->profile, opt->sensor,
					  step->exposure_us, step->iso) ||
		    !has_form(s, sit.policy.frame_period_us))
			return 0;
		case_set(&ret[n].c, s, &sit, ambient_mc, opt->switch_cost);
		ret[n].from_s = (double)step->t_us / 1e6;
		ret[n].never = sit.no_vision;
		n++;
	}
	return n;
}

void nst_optimum_get(struct nst_optimum *ret, struct nst_oracle *oracle,
		     const struct nst_sim_options *opt, u64 time_us,
		     bool drops)
{
	_cleanup_free_ struct nst_oracle_stretch *stretches =
		calloc(opt->trace->count, sizeof(*stretches));
	double end_s = (double)time_us / 1e6;
	size_t n;

	*ret = (struct nst_optimum){ .there = false };
	n = stretches ? stretches_get(opt, time_us, stretches) : 0;
	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		note_bound(ret, &stretches[i]);
	if (n == 1 && !opt->cold_start)
		steady(ret, oracle, &stretches[0], end_s, drops);
	else if (changing(ret, stretches, n, end_s, drops, opt->cold_start))
		return;
	/* Nothing meets the limits at any time: nothing to compare with. */
	ret->there = ret->delivered > 0.0;
}

void nst_optimum_compare(struct nst_sim_result *result,
			 const struct nst_optimum *optimum)
{
	double gap, time_us = (double)result->time_us;

	result->oracle = optimum->there && result->time_us;
	if (!result->oracle)
		return;
	result->oracle_power_mw =
		(u32)lround(optimum->energy_j * 1e9 / time_us);
	result->oracle_frames_delivered = (u64)llround(optimum->delivered);
	result->foreseen_power_mw =
		(u32)lround(optimum->foreseen_energy_j * 1e9 / time_us);
	result->foreseen_frames_delivered =
		(u64)llround(optimum->foreseen_delivered);
	if (result->policy->drops)
		gap = 1.0 - (double)result->frames_delivered /
				    optimum->delivered;
	else
		gap = (double)result->energy_uj / 1e6 / optimum->energy_j -
		      1.0;
	result->oracle_gap_permyriad =
		isfinite(gap) ? (s32)lround(gap * NST_PERMYRIAD) : 0;
}
