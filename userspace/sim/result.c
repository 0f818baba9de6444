// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * result.c - derived figures of a run, and the oracle beside it
 *
 * The oracle is told the limits of the tasks and the constants of the
 * profile; how a capture's limit becomes a bound on the die it works out
 * for itself.
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

void nst_sim_oracle(struct nst_sim_result *result,
		    const struct nst_sim_options *opt,
		    const struct nst_situation *sit, s32 ambient_mc)
{
	const struct nst_profile_sensor *s =
		&opt->profile->sensors[opt->sensor];
	struct nst_oracle_result best;
	struct nst_oracle_case c;
	double gap, delivered;
	bool found;

	/* Leakage makes the plant non-linear: the oracle has no form for it. */
	if (opt->trace->count != 1 || s->plant.leak_ref_uw ||
	    s->gate_enter_us ||
	    (s->vpu_busy_us &&
	     s->vpu_busy_us < sit->policy.frame_period_us))
		return;
	case_set(&c, s, sit, ambient_mc, opt->switch_cost);
	found = result->policy->drops ? nst_oracle_stop(&c, &best) :
					nst_oracle_migration(&c, &best);
	if (!found)
		return;

	result->oracle = true;
	result->oracle_power_mw = (u32)lround(best.power_w * 1e3);
	delivered = best.delivered_share * (double)result->frames;
	result->oracle_frames_delivered = (u64)llround(delivered);
	if (result->policy->drops)
		gap = 1.0 - (double)result->frames_delivered / delivered;
	else
		gap = (double)result->energy_uj / (double)result->time_us /
			      best.power_w - 1.0;
	result->oracle_gap_permyriad =
		isfinite(gap) ? (s32)lround(gap * NST_PERMYRIAD) : 0;
}
