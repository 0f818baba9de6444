// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sim.c - a policy in closed loop with the model plant
 *
 * One period per turn of run_period(): decide, settle the fate of the frame
 * exposed before, expose the next, let time pass. Between two changes of
 * light or weather nothing is set up again, so the loop runs at tens of
 * nanoseconds a frame.
 *
 * A coarse sensor is read at the start of a period, after the decision about
 * that period: as in the daemon, what it says serves the decision after.
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

#include "captures.h"
#include "cleanup.h"
#include "observer.h"
#include "sim.h"
#include "sim_private.h"
#include "situation.h"

#define NOISE_1C_MC 500
#define STEP_1C_MC 1000
#define WARM_UP_CONSTANTS 10
#define ALIGN_FRAMES_MAX 20000

struct sums {
	u64 placed_us[NST_PLACEMENT_COUNT];
	u64 switch_nj;
	u64 switches;
	u64 frames;
	u64 delivered;
	u64 dropped;
	u64 withheld;
	u64 violations;
	u64 avoidable;
	u64 capture_violations;
	s32 max_temp_mc;
};

/* The frame exposed last; it is processed in the coming period. */
struct exposed {
	bool there;
	bool avoidable;
	s32 true_mc;
	s32 seen_mc;		/* with the margin of the governor */
	s32 limit_mc;		/* of the task */
	s32 seen_limit_mc;	/* less the accuracy of the sensor */
	struct nst_rec_frame rec;
};

struct run {
	const struct nst_sim_options *opt;
	const struct nst_profile_sensor *sensor;
	const struct nst_policy_ops *ops;
	struct nst_situation sit;
	struct nst_exposure_map map;
	bool mapped;
	struct nst_policy_state state;
	struct nst_plant plant;
	struct nst_observer obs;
	bool observed;
	bool out_of_reach;
	struct nst_plant reach;
	struct nst_rng noise;
	struct nst_captures captures;
	struct exposed last;
	struct sums sums;
	s32 ambient_mc;
	u32 lux_milli;
	u8 placement;
	u8 gate;
	u64 t_us;
	u64 seq;
	struct nst_rec_writer *record;
	int error;
};

/* ------------------------------------------------------------- fates --- */

static u32 system_power_mw(const struct run *run, u8 placement)
{
	switch (placement) {
	case NST_NEAR:
		return run->sensor->near_mw;
	case NST_FAR:
		return run->sensor->far_mw;
	default:
		return run->sensor->capture_mw;
	}
}

static void count_switch(struct run *run, u8 placement)
{
	const struct nst_profile_sensor *s = run->sensor;

	run->sums.switches++;
	if (!run->opt->switch_cost || placement == NST_PAUSED ||
	    run->placement == NST_PAUSED)
		return;
	/* hand-shake with both sides on, and one frame of pre-copy */
	run->sums.switch_nj += (u64)s->switch_us * (s->near_mw + s->far_mw) +
			       (u64)run->sit.policy.frame_period_us *
				       s->near_mw;
}

static void record_fate(struct run *run, const struct nst_policy_outputs *out,
			bool delivered, bool withheld)
{
	struct nst_rec_frame *rec = &run->last.rec;
	int r;

	rec->placement = (enum nst_placement)out->placement;
	rec->power_mw = system_power_mw(run, out->placement);
	rec->delivered = delivered;
	rec->reason_text = withheld ?
				   "withheld: too hot for the task" :
				   nst_reason_text((enum nst_reason)out->reason);
	r = nst_rec_writer_frame(run->record, rec);
	if (r && !run->error)
		run->error = r;
}

static inline void settle_frame(struct run *run,
				const struct nst_policy_outputs *out,
				bool plain)
{
	const struct exposed *last = &run->last;
	struct sums *sums = &run->sums;
	bool delivered = false, withheld = false;

	if (!last->there)
		return;
	sums->frames++;
	if (out->placement == NST_PAUSED) {
		sums->dropped++;
	} else if (last->seen_mc > last->seen_limit_mc &&
		   out->reason != NST_WHY_FIXED) {
		sums->withheld++;
		withheld = true;
	} else {
		sums->delivered++;
		delivered = true;
		if (last->true_mc > last->limit_mc) {
			sums->violations++;
			sums->avoidable += last->avoidable;
		}
	}
	if (!plain && run->record)
		record_fate(run, out, delivered, withheld);
}

/* ---------------------------------------------------------- exposure --- */

static void read_sensor(struct run *run, u32 power_before_mw)
{
	struct nst_sample sample = { .t_us = run->t_us };
	s32 value = nst_plant_die_mc(&run->plant), rest;

	if (run->opt->sensor_model == NST_SIM_1C_NOISY)
		value += (s32)(((s64)nst_rng_normal_q16(&run->noise) *
				NOISE_1C_MC) >> 16);
	rest = value % STEP_1C_MC;
	if (rest < 0)
		rest += STEP_1C_MC;
	sample.value_mc = value - rest;
	sample.state = NST_SAMPLE_VALID;
	nst_observer_sample(&run->obs, &sample, power_before_mw);
	if (run->record)
		run->last.rec.temp_mc = sample.value_mc;
}

/* By the table, but for exposures that are long for the package. */
static s32 exposure_mc(const struct run *run, const struct nst_plant *plant,
		       u32 power_mw, s32 ambient_mc)
{
	const struct nst_policy_config *cfg = &run->sit.policy;

	if (run->mapped)
		return nst_exposure_map_mc(&run->map, plant, power_mw,
					   ambient_mc);
	return nst_exposure_frame_mc(plant, power_mw, ambient_mc,
				     cfg->exposure_us, cfg->readout_us,
				     cfg->doubling_mc);
}

static void watch_reach(struct run *run)
{
	const struct nst_policy_config *cfg = &run->sit.policy;

	if (exposure_mc(run, &run->reach, cfg->gated_mw, run->ambient_mc) <=
	    run->sit.vision_max_mc)
		run->out_of_reach = false;
	else
		nst_plant_step(&run->reach, cfg->gated_mw, run->ambient_mc,
			       cfg->frame_period_us);
}

static void serve_captures(struct run *run, s32 true_mc, s32 seen_mc)
{
	const struct nst_policy_config *cfg = &run->sit.policy;
	int n;

	if (seen_mc > cfg->thr.capture_mc) {
		nst_captures_expire(&run->captures,
				    run->t_us + cfg->frame_period_us);
		return;
	}
	n = nst_captures_serve(&run->captures, run->t_us,
			       cfg->exposure_us + run->sensor->readout_us);
	if (n < 0) {
		run->error = n;
		return;
	}
	if (true_mc > run->sit.imaging_max_mc)
		run->sums.capture_violations += (u64)n;
}

static void record_exposure(struct run *run, s32 true_mc)
{
	const struct nst_policy_config *cfg = &run->sit.policy;
	struct nst_rec_frame *rec = &run->last.rec;

	rec->seq = run->seq;
	rec->t_us = run->t_us;
	if (!run->observed)
		rec->temp_mc = nst_plant_die_mc(&run->plant);
	rec->temp_state = NST_SAMPLE_VALID;
	rec->gate = (enum nst_gate)run->gate;
	rec->exposure_temp_mc = true_mc;
	rec->limit_mc = run->sit.vision_max_mc;
	rec->high_mc = cfg->thr.high_mc;
	rec->low_mc = cfg->thr.low_mc;
	rec->max_mc = cfg->thr.max_mc;
	rec->ambient_mc = run->ambient_mc;
	rec->exposure_us = cfg->exposure_us;
	rec->iso = run->sit.iso;
	rec->lux_milli = run->lux_milli;
}

/* Is the exposure temperature of this frame needed as a number? */
static inline bool exposure_matters(const struct run *run, s32 peak_mc,
				    bool plain)
{
	if (!plain && (run->observed || run->record || run->out_of_reach ||
		       run->captures.waiting_count))
		return true;
	return peak_mc > run->sit.policy.vision_max_mc;
}

static inline s32 hotter_ends_mc(const s64 start[2], const s64 end[2])
{
	s64 sum = (start[0] > end[0] ? start[0] : end[0]) +
		  (start[1] > end[1] ? start[1] : end[1]);

	return (s32)(sum >> 32) + 1;
}

/*
 * Let the period pass and take the exposure in it. An exposure is a mean
 * and never hotter than the die at its hottest. Each mode of the plant is
 * monotone within a period, so the hotter ends of both add up to a bound:
 * with that below the limit the frame is fine whatever the mean is.
 */
static inline void expose_frame(struct run *run, u32 power_mw, bool plain)
{
	const struct nst_policy_config *cfg = &run->sit.policy;
	struct nst_plant *plant = &run->plant;
	struct exposed *last = &run->last;
	s64 start[2] = { plant->z_q32[0], plant->z_q32[1] }, end[2];
	s32 die_mc, peak_mc;

	nst_plant_step(plant, power_mw, run->ambient_mc,
		       cfg->frame_period_us);
	die_mc = nst_plant_die_mc(plant);
	if (die_mc > run->sums.max_temp_mc)
		run->sums.max_temp_mc = die_mc;
	peak_mc = hotter_ends_mc(start, plant->z_q32);

	last->there = true;
	last->limit_mc = run->sit.vision_max_mc;
	last->seen_limit_mc = cfg->vision_max_mc;
	last->true_mc = peak_mc;
	last->seen_mc = peak_mc;
	last->avoidable = true;
	if (!exposure_matters(run, peak_mc, plain))
		return;

	/* The state at the start of the period, for as long as it is asked. */
	memcpy(end, plant->z_q32, sizeof(end));
	memcpy(plant->z_q32, start, sizeof(start));
	last->true_mc = exposure_mc(run, plant, power_mw, run->ambient_mc);
	last->seen_mc = last->true_mc;
	if (!plain && run->record)
		record_exposure(run, last->true_mc);
	memcpy(plant->z_q32, end, sizeof(end));
	if (plain)
		return;

	if (run->observed)
		last->seen_mc = exposure_mc(run, &run->obs.plant, power_mw,
					    run->obs.ambient_mc) +
				run->obs.uncertainty_mc;
	if (run->out_of_reach)
		watch_reach(run);
	last->avoidable = !run->out_of_reach;
	if (run->captures.waiting_count)
		serve_captures(run, last->true_mc, last->seen_mc);
}

/* ------------------------------------------------------------ period --- */

/*
 * One period. @plain, a constant to the compiler: the policy knows the true
 * plant, nobody records, no capture waits, every limit is within reach.
 */
static inline __attribute__((always_inline)) void
run_period(struct run *run, bool plain)
{
	const struct nst_policy_config *cfg = &run->sit.policy;
	u32 period_us = cfg->frame_period_us, power_mw, before_mw;
	struct nst_policy_inputs in = {
		.frame_seq = run->seq,
		.t_us = run->t_us,
		.model = &run->plant,
		.ambient_mc = run->ambient_mc,
		.sensor_ok = true,
	};
	struct nst_policy_outputs out;

	if (!plain) {
		while (run->captures.next_us <= run->t_us)
			nst_captures_arrive(&run->captures, run->t_us,
					    period_us, run->sit.deadline_us);
		in.capture_pending = run->captures.waiting_count > 0;
	}
	if (!plain && run->observed) {
		in.model = &run->obs.plant;
		in.ambient_mc = run->obs.ambient_mc;
		in.margin_mc = run->obs.uncertainty_mc;
		in.sensor_ok = run->obs.primed && run->obs.healthy;
	}
	run->ops->decide(cfg, &run->state, &in, &out);

	settle_frame(run, &out, plain);
	if (out.placement != run->placement)
		count_switch(run, out.placement);
	run->sums.placed_us[out.placement] += period_us;
	run->placement = out.placement;

	before_mw = run->gate == NST_GATE_RUN ? cfg->near_mw : cfg->gated_mw;
	run->gate = out.gate;
	power_mw = out.gate == NST_GATE_RUN ? cfg->near_mw : cfg->gated_mw;
	if (!plain && run->observed)
		read_sensor(run, before_mw);
	expose_frame(run, power_mw, plain);
	if (!plain && run->observed)
		nst_observer_advance(&run->obs, power_mw, period_us);
	run->t_us += period_us;
	run->seq++;
}

static void run_until(struct run *run, u64 until_us)
{
	while (run->t_us < until_us && !run->error) {
		bool plain = !run->observed && !run->record &&
			     !run->out_of_reach &&
			     !run->captures.waiting_count;
		u64 plain_us = until_us < run->captures.next_us ?
				       until_us :
				       run->captures.next_us;

		while (plain && run->t_us < plain_us)
			run_period(run, true);
		if (run->t_us < until_us)
			run_period(run, false);
	}
}

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

/* Light and weather from a step of the trace on. */
static int run_situation(struct run *run, const struct nst_trace_step *step,
			 FILE *err)
{
	const struct nst_sim_options *opt = run->opt;
	s32 old_limit_mc = run->sit.vision_max_mc;
	s32 old_ambient_mc = run->ambient_mc;
	struct nst_situation sit;
	int r;

	r = nst_situation_get(&sit, opt->profile, opt->sensor,
			      step->exposure_us, step->iso);
	if (r) {
		if (err)
			fprintf(err,
				r == -ENOENT ?
					"sensor '%s' has no vision task, so no policy governs it\n" :
				r == -EDOM ?
					"a task on sensor '%s' asks for an SNR that no temperature gives at %u us, ISO %u\n" :
					"the tasks of sensor '%s' give no valid thresholds at %u us, ISO %u\n",
				run->sensor->name, step->exposure_us,
				step->iso);
		return r;
	}
	if (step->has_ambient)
		run->ambient_mc = step->ambient_mc;
	run->lux_milli = step->lux_milli;
	run->sit = sit;
	run->mapped = !nst_exposure_map_init(&run->map, &sit.policy.params,
					     sit.exposure_us,
					     sit.policy.readout_us,
					     sit.policy.doubling_mc);
	if (sit.vision_max_mc < old_limit_mc ||
	    run->ambient_mc > old_ambient_mc)
		cause_seen(run, old_limit_mc);
	return 0;
}

static int run_init(struct run *run, const struct nst_sim_options *opt,
		    FILE *err)
{
	const struct nst_profile_task *task;
	struct nst_observer_config config;
	int r;

	memset(run, 0, sizeof(*run));
	run->opt = opt;
	run->sensor = &opt->profile->sensors[opt->sensor];
	task = nst_profile_vision_task(opt->profile, opt->sensor);
	run->ops = opt->policy ? opt->policy : task ? task->policy : NULL;
	run->ambient_mc = opt->has_ambient ? opt->ambient_mc :
					     run->sensor->ambient_mc;
	run->observed = opt->sensor_model != NST_SIM_EXACT;
	run->noise.state = opt->seed ^ 0x5eed5eed5eed5eedull;
	run->placement = NST_NEAR;
	run->gate = NST_GATE_STANDBY;
	run->sit.vision_max_mc = NST_TEMP_NONE_MC;
	run->captures.next_us = NST_CAPTURES_NEVER;
	nst_policy_reset(&run->state);

	r = nst_plant_init(&run->plant, &run->sensor->plant, run->ambient_mc);
	if (r)
		return r;
	config = run->sensor->observer;
	config.lsb_mc = STEP_1C_MC;
	config.floor = true;
	config.noise_mc = opt->sensor_model == NST_SIM_1C_NOISY ? NOISE_1C_MC :
								  0;
	r = nst_observer_init(&run->obs, &config, &run->sensor->plant,
			      run->ambient_mc);
	if (r)
		return r;
	return run_situation(run, &opt->trace->steps[0], err);
}

/*
 * Until the package has settled, and then to the start of a near season, so
 * that a short run is not counted from the middle of one.
 */
static void warm_up(struct run *run)
{
	const struct nst_plant_params *p = &run->sensor->plant;
	u64 tau_us = (u64)(p->r_jp_mk_per_w + p->r_pa_mk_per_w) *
		     p->c_p_uj_per_k / 1000;
	u8 before;

	run_until(run, WARM_UP_CONSTANTS * tau_us + 1);
	for (int i = 0; i < ALIGN_FRAMES_MAX; i++) {
		before = run->placement;
		run_period(run, false);
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
		run_until(run, until_us);
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
	ret->near_us = us[NST_NEAR];
	ret->switches = sums->switches;
	ret->max_temp_mc = sums->max_temp_mc;
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
	if (opt->capture_rate_hz > 0.0 && imaging_mc == NST_TEMP_NONE_MC) {
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

	if (!opt->cold_start)
		warm_up(run);
	memset(&run->sums, 0, sizeof(run->sums));
	run->sums.max_temp_mc = NST_TEMP_MIN_MC;
	run->t_us = 0;
	run->seq = 0;
	run->last.there = false;
	run->record = opt->record;
	memset(&run->last.rec, 0, sizeof(run->last.rec));
	strcpy(run->last.rec.sensor, run->sensor->name);
	nst_captures_init(&run->captures, opt->capture_rate_hz, opt->seed, 0);

	r = run_trace(run, err);
	if (!r) {
		result_set(&result, run);
		nst_sim_oracle(&result, opt, &run->sit, run->ambient_mc);
		*ret = result;
	}
	nst_captures_free(&run->captures);
out_free:
	free(run);
	return r;
}
