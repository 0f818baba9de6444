// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sim.c - a run from options to result
 *
 * Sets the engine up, warms it, takes it through the trace and adds up.
 *
 * Avoidable violations. When a limit falls or the ambient temperature rises,
 * a second plant starts from the present state and is gated from then on.
 * Until its exposures meet the limit no policy could have met it; from then
 * on every violation is avoidable. Heat that the run itself had let in above
 * the old limit is taken off the second plant first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "optimum.h"
#include "sim_private.h"
#include "told.h"

#define WARM_UP_CONSTANTS 10
#define WARM_UP_FRAMES_MAX 300000
#define ALIGN_FRAMES_MAX 20000
#define CEILING_WATCH_MC 3000

/* --------------------------------------------------------- situation --- */

static void cause_seen(struct run *run, s32 old_limit_mc)
{
	s32 over_mc = run->last.true_mc - old_limit_mc;

	if (run->out_of_reach)
		return;
	run->reach = run->plant;
	if (run->last.there && over_mc > 0 && run->last.avoidable)
		nst_plant_shift(&run->reach, -over_mc);
	run->out_of_reach = true;
}

/* Gates that take time and a VPU that is busy for a part of the frame. */
static int split_set(struct run *run, FILE *err)
{
	const struct nst_policy_config *cfg = &run->sit.policy;
	const struct nst_profile_sensor *s = run->sensor;

	run->sub = (struct nst_subframe){
		.near_mw = cfg->near_mw,
		.gated_mw = cfg->gated_mw,
		.period_us = cfg->frame_period_us,
		.busy_us = s->vpu_busy_us,
		.enter_us = s->gate_enter_us,
	};
	run->split = nst_subframe_splits(&run->sub);
	run->windowed = false;
	if (!nst_subframe_check(&run->sub))
		return 0;
	if (err)
		fprintf(err,
			"sensor '%s': near_mw %u in vpu_busy_us %u of a frame of %u us is more than %d mW\n",
			s->name, s->near_mw, s->vpu_busy_us,
			cfg->frame_period_us, NST_POWER_MAX_MW);
	return -ERANGE;
}

/* What the stack draws at most: all of its work in the time that it takes. */
static u32 busiest_mw(const struct run *run)
{
	const struct nst_subframe *sub = &run->sub;
	u64 vpu_nj = (u64)(sub->near_mw - sub->gated_mw) * sub->period_us;

	if (!sub->busy_us || sub->busy_us >= sub->period_us)
		return sub->near_mw;
	return sub->gated_mw + (u32)(vpu_nj / sub->busy_us);
}

/* Light and weather from a step of the trace on. */
static int run_situation(struct run *run, const struct nst_trace_step *step,
			 FILE *err)
{
	const struct nst_sim_options *opt = run->opt;
	s32 old_limit_mc = run->sit.vision_max_mc;
	s32 old_ambient_mc = run->ambient_mc;
	struct nst_situation sit;
	int r;

	/* Where the light changes, it may for a time not do for the task. */
	r = nst_situation_get_any(&sit, opt->profile, opt->sensor,
				  step->exposure_us, step->iso);
	if (!r && sit.no_vision && opt->trace->count == 1)
		r = -EDOM;
	if (r) {
		const char *what = "its tasks give no valid thresholds";

		if (r == -ENOENT)
			what = "it has no vision task, so no policy governs it";
		else if (r == -EDOM)
			what = "a task asks for an SNR that no temperature gives";
		if (err)
			fprintf(err, "sensor '%s' at %u us, ISO %u: %s\n",
				run->sensor->name, step->exposure_us,
				step->iso, what);
		return r;
	}
	if (step->has_ambient)
		run->ambient_mc = step->ambient_mc;
	run->lux_milli = step->lux_milli;
	run->sit = sit;
	if (!opt->switch_cost)
		run->sit.policy.switch_uj = 0;
	run->impossible = sit.no_vision;
	/* A fifth of a millisecond, and a day has a thousand steps. */
	if (!run->mapped || run->map.exposure_us != sit.exposure_us ||
	    run->map.readout_us != sit.policy.readout_us)
		run->mapped = !nst_exposure_map_init(&run->map,
						     &sit.policy.params,
						     sit.exposure_us,
						     sit.policy.readout_us,
						     sit.policy.doubling_mc);
	r = split_set(run, err);
	if (r)
		return r;
	/* A near period takes the die up by less than this. */
	run->guard_from_mc = sit.policy.thr.max_mc - CEILING_WATCH_MC -
			     nst_plant_jump_mc(&sit.policy.params,
					       busiest_mw(run),
					       sit.policy.frame_period_us);
	r = run->observed ? nst_told_situation(run, step->exposure_us,
					       step->iso) : 0;
	if (r) {
		if (err)
			fprintf(err, "sensor '%s': the governor's profile: %s\n",
				run->sensor->name, strerror(-r));
		return r;
	}
	if (sit.vision_max_mc < old_limit_mc ||
	    run->ambient_mc > old_ambient_mc)
		cause_seen(run, old_limit_mc);
	return 0;
}

static int run_init(struct run *run, const struct nst_sim_options *opt,
		    FILE *err)
{
	const struct nst_profile_task *task;
	int r;

	memset(run, 0, sizeof(*run));
	run->opt = opt;
	run->sensor = &opt->profile->sensors[opt->sensor];
	task = nst_profile_vision_task(opt->profile, opt->sensor);
	run->ops = opt->policy ? opt->policy : task ? task->policy : NULL;
	run->ambient_mc = opt->has_ambient ? opt->ambient_mc :
					     run->sensor->ambient_mc;
	run->observed = opt->told || opt->sensor_model != NST_SIM_EXACT;
	run->told = &run->sit.policy;
	run->noise.state = opt->seed ^ 0x5eed5eed5eed5eedull;
	run->placement = NST_NEAR;
	run->gate = NST_GATE_STANDBY;
	run->power_before_mw = run->sensor->capture_mw;
	run->sit.vision_max_mc = NST_TEMP_NONE_MC;
	run->captures.next_us = NST_CAPTURES_NEVER;
	nst_policy_reset(&run->state);

	r = nst_plant_init(&run->plant, &run->sensor->plant, run->ambient_mc);
	if (!r && opt->has_start)
		r = nst_plant_set_state(&run->plant, opt->start_die_mc,
					opt->start_package_mc);
	if (r)
		return r;
	run->die_mc = nst_plant_die_mc(&run->plant);
	r = run->observed ? nst_told_init(run) : 0;
	if (r)
		return r;
	return run_situation(run, &opt->trace->steps[0], err);
}

/*
 * Until the package has settled, and then to the start of a near season, so
 * that a short run is not counted from the middle of one. A package of many
 * hours is not waited for.
 */
static void warm_up(struct run *run)
{
	const struct nst_plant_params *p = &run->sensor->plant;
	u64 tau_us = (u64)(p->r_jp_mk_per_w + p->r_pa_mk_per_w) *
		     p->c_p_uj_per_k / 1000;
	u64 most_us = (u64)WARM_UP_FRAMES_MAX *
		      run->sit.policy.frame_period_us;
	u64 warm_us = WARM_UP_CONSTANTS * tau_us;
	u8 before;

	nst_engine_until(run, (warm_us < most_us ? warm_us : most_us) + 1);
	for (int i = 0; i < ALIGN_FRAMES_MAX; i++) {
		before = run->placement;
		nst_engine_frame(run);
		if (run->placement == NST_NEAR && before != NST_NEAR)
			break;
	}
}

static int run_trace(struct run *run, FILE *err)
{
	const struct nst_trace *trace = run->opt->trace;
	u64 end_us = run->opt->duration_us;
	int r;

	for (size_t i = 0; i < trace->count && run->t_us < end_us; i++) {
		u64 until_us = end_us;

		if (i + 1 < trace->count &&
		    trace->steps[i + 1].t_us < until_us)
			until_us = trace->steps[i + 1].t_us;
		if (run->t_us >= until_us)
			continue;
		if (i) {
			r = run_situation(run, &trace->steps[i], err);
			if (r)
				return r;
		}
		if (trace->steps[i].has_captures && !run->opt->without_captures)
			nst_captures_rate(&run->captures,
					  (double)trace->steps[i].captures_hz,
					  trace->steps[i].t_us);
		nst_engine_until(run, until_us);
	}
	return run->error;
}

/* ------------------------------------------------------------ result --- */

static void result_set(struct nst_sim_result *ret, struct run *run)
{
	const struct nst_profile_sensor *s = run->sensor;
	const struct sums *sums = &run->sums;
	const u64 *us = sums->placed_us;
	u64 nj = us[NST_NEAR] * s->near_mw + us[NST_FAR] * s->far_mw +
		 us[NST_PAUSED] * s->capture_mw + sums->switch_nj;

	ret->policy = run->ops;
	ret->time_us = us[NST_NEAR] + us[NST_FAR] + us[NST_PAUSED];
	ret->energy_uj = (nj + 500) / 1000;
	ret->full_far_energy_uj = (ret->time_us * s->far_mw + 500) / 1000;
	ret->frames = sums->frames;
	ret->frames_delivered = sums->delivered;
	ret->frames_dropped = sums->dropped;
	ret->frames_withheld = sums->withheld;
	ret->frames_withheld_avoidable = sums->withheld_avoidable;
	ret->frames_impossible = sums->impossible;
	ret->near_us = us[NST_NEAR];
	ret->switches = sums->switches;
	ret->max_temp_mc = sums->max_temp_mc;
	ret->guarded = sums->guarded;
	ret->violations = sums->violations + sums->capture_violations;
	/* A capture handed out too hot could always have been withheld. */
	ret->violations_avoidable = sums->avoidable + sums->capture_violations;
	ret->capture_violations = sums->capture_violations;
	ret->captures = run->captures.served;
	ret->captures_missed = run->captures.missed;
	ret->capture_latency_us_p50 =
		nst_captures_latency_us(&run->captures, 50);
	ret->capture_latency_us_p99 =
		nst_captures_latency_us(&run->captures, 99);
}

static bool asks_captures(const struct nst_sim_options *opt)
{
	if (opt->without_captures)
		return false;
	for (size_t i = 0; i < opt->trace->count; i++) {
		if (opt->trace->steps[i].has_captures &&
		    opt->trace->steps[i].captures_hz > 0.0f)
			return true;
	}
	return opt->capture_rate_hz > 0.0;
}

static int check_options(const struct nst_sim_options *opt, FILE *err)
{
	s32 vision_mc, imaging_mc;

	if (opt->sensor >= opt->profile->sensor_count || !opt->trace->count)
		return -EINVAL;
	if (opt->duration_us < NST_FRAME_PERIOD_MAX_US ||
	    opt->duration_us > NST_SIM_DURATION_MAX_US) {
		if (err)
			fprintf(err, "duration out of range; valid: %d to %llu s\n",
				NST_FRAME_PERIOD_MAX_US / 1000000,
				(unsigned long long)(NST_SIM_DURATION_MAX_US /
						     1000000));
		return -ERANGE;
	}
	nst_profile_demand(opt->profile, opt->sensor,
			   opt->trace->steps[0].exposure_us,
			   opt->trace->steps[0].iso, &vision_mc, &imaging_mc);
	if (asks_captures(opt) && imaging_mc == NST_TEMP_NONE_MC) {
		if (err)
			fprintf(err,
				"captures are asked for, and no imaging task is on sensor '%s'\n",
				opt->profile->sensors[opt->sensor].name);
		return -EINVAL;
	}
	return 0;
}

int nst_sim_run(struct nst_sim_result *ret, const struct nst_sim_options *opt,
		FILE *err)
{
	struct nst_sim_result result;
	struct nst_optimum optimum;
	struct run *run;
	int r;

	r = check_options(opt, err);
	if (r)
		return r;
	run = malloc(sizeof(*run));
	if (!run)
		return -ENOMEM;
	r = run_init(run, opt, err);
	if (r)
		goto out_free;

	memset(&result, 0, sizeof(result));
	result.first.frame_period_us = run->sit.policy.frame_period_us;
	result.first.stretched = run->sit.stretched;
	result.first.exposure_us = run->sit.exposure_us;
	result.first.iso = run->sit.iso;
	result.first.ambient_mc = run->ambient_mc;
	result.first.vision_max_mc = run->sit.vision_max_mc;
	result.first.imaging_max_mc = run->sit.imaging_max_mc;
	result.first.thr = run->sit.policy.thr;
	result.situations = (u32)opt->trace->count;

	if (!opt->cold_start && !opt->has_start)
		warm_up(run);
	memset(&run->sums, 0, sizeof(run->sums));
	run->sums.max_temp_mc = NST_TEMP_MIN_MC;
	run->t_us = 0;
	run->seq = 0;
	run->last.there = false;
	run->record = opt->record;
	memset(&run->last.rec, 0, sizeof(run->last.rec));
	strcpy(run->last.rec.sensor, run->sensor->name);
	nst_captures_init(&run->captures,
			  opt->without_captures ? 0.0 : opt->capture_rate_hz,
			  opt->seed, 0);

	r = run_trace(run, err);
	if (!r) {
		result_set(&result, run);
		if (!opt->without_oracle) {
			nst_optimum_get(&optimum, NULL, opt, result.time_us,
					result.policy->drops);
			nst_optimum_compare(&result, &optimum);
		}
		*ret = result;
	}
	nst_captures_free(&run->captures);
out_free:
	nst_told_free(run);
	free(run);
	return r;
}
