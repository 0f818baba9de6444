// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * engine.c - the closed loop, period by period
 *
 * One period per turn of run_period(): decide, settle the fate of the frame
 * exposed before, expose the next, let time pass. Between two changes of
 * light or weather nothing is set up again, and a period in which nobody
 * looks closer costs some twenty nanoseconds.
 *
 * A coarse sensor is read at the start of a period, after the decision about
 * that period: as in the daemon, what it says serves the decision after.
 */
#include <errno.h>
#include <string.h>

#include "engine.h"
#include "told.h"

#define CEILING_RELEASE_MC 2000

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
	run->sums.switches++;
	if (!run->opt->switch_cost || placement == NST_PAUSED ||
	    run->placement == NST_PAUSED)
		return;
	run->sums.switch_nj +=
		(u64)nst_situation_switch_uj(run->sensor,
					     run->sit.policy.frame_period_us) *
		1000;
}

static void record_fate(struct run *run, const struct nst_policy_outputs *out,
			bool delivered, bool withheld)
{
	struct nst_rec_frame *rec = &run->last.rec;
	int r;

	rec->placement = (enum nst_placement)out->placement;
	rec->power_mw = system_power_mw(run, out->placement);
	rec->delivered = delivered;
	rec->reason_text = nst_reason_text((enum nst_reason)out->reason);
	if (withheld)
		rec->reason_text = run->last.impossible ?
			"withheld: no temperature gives what the task asks" :
			"withheld: too hot for the task";
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
		sums->withheld_avoidable += last->avoidable;
		sums->impossible += last->impossible;
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
	s32 value = nst_plant_die_mc(&run->plant), rest = 0;

	if (run->opt->sensor_model == NST_SIM_1C_NOISY)
		value += (s32)(((s64)nst_rng_normal_q16(&run->noise) *
				NST_ENGINE_NOISE_1C_MC) >> 16);
	if (run->opt->sensor_model != NST_SIM_EXACT)
		rest = value % NST_ENGINE_STEP_1C_MC;
	if (rest < 0)
		rest += NST_ENGINE_STEP_1C_MC;
	sample.value_mc = value - rest;
	sample.state = NST_SAMPLE_VALID;
	nst_told_sample(run, &sample, power_before_mw);
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

	if (run->sit.no_capture || seen_mc > run->told->thr.capture_mc) {
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
		rec->temp_mc = run->start_mc;
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

/* What hangs on the exposure temperature, on the plant and as it is seen. */
static void take_exposure(struct run *run, s32 true_mc, s32 seen_mc)
{
	struct exposed *last = &run->last;

	last->true_mc = true_mc;
	last->seen_mc = seen_mc;
	if (run->out_of_reach)
		watch_reach(run);
	last->avoidable = !run->out_of_reach && !run->impossible;
	if (run->captures.waiting_count)
		serve_captures(run, true_mc, seen_mc);
	if (run->record)
		record_exposure(run, true_mc);
}

static inline void frame_begins(struct run *run)
{
	run->last.there = true;
	run->last.impossible = run->impossible;
	run->last.limit_mc = run->sit.vision_max_mc;
	run->last.seen_limit_mc = run->sit.policy.vision_max_mc;
	run->start_mc = run->die_mc;
}

static inline void note_die(struct run *run)
{
	run->die_mc = nst_plant_die_mc(&run->plant);
	if (run->die_mc > run->sums.max_temp_mc)
		run->sums.max_temp_mc = run->die_mc;
}

/* A period of two pieces; nothing about it can be told in advance. */
static void expose_split(struct run *run, bool run_before)
{
	const struct nst_policy_config *cfg = &run->sit.policy;
	struct nst_power_piece pieces[NST_PIECES_MAX];
	unsigned int count;
	s32 true_mc, seen_mc;

	count = nst_subframe_pieces(&run->sub, run->gate == NST_GATE_RUN,
				    run_before, pieces);
	frame_begins(run);
	true_mc = nst_subframe_exposure_mc(&run->plant, pieces, count,
					   run->ambient_mc, cfg->exposure_us,
					   cfg->readout_us, cfg->doubling_mc);
	seen_mc = run->observed ? nst_told_split(run, run_before) : true_mc;
	for (unsigned int i = 0; i < count; i++) {
		nst_plant_step(&run->plant, pieces[i].power_mw,
			       run->ambient_mc, pieces[i].len_us);
		note_die(run);
	}
	/* Closing takes power that is not in the work of a frame. */
	if (run->gate != NST_GATE_RUN)
		run->sums.switch_nj += (u64)pieces[0].len_us *
				       (pieces[0].power_mw - cfg->gated_mw);
	take_exposure(run, true_mc, seen_mc);
}

/*
 * The gate takes its time to open, so that the VPU works from then on, and to
 * close, so that it draws power a little longer.
 */
static void window_set(struct run *run, const struct nst_policy_outputs *out)
{
	const struct nst_policy_config *cfg = &run->sit.policy;
	const struct nst_profile_sensor *s = run->sensor;
	u64 vpu_nj = (u64)(cfg->near_mw - cfg->gated_mw) *
		     cfg->frame_period_us;
	u32 busy_us = out->run_us - s->gate_exit_us;
	struct nst_window w = {
		.period_us = cfg->frame_period_us,
		.from_us = out->run_from_us + s->gate_exit_us,
		.heat_us = busy_us + s->gate_enter_us,
		.idle_mw = cfg->gated_mw,
		.exposure_us = cfg->exposure_us,
		.readout_us = cfg->readout_us,
		.doubling_mc = cfg->doubling_mc,
	};
	int r = -ERANGE;

	/* What a policy asks for has to be enough for the work of a frame. */
	if (out->run_us > s->gate_exit_us && busy_us >= s->vpu_busy_us) {
		w.heat_mw = cfg->gated_mw + (u32)(vpu_nj / busy_us);
		r = nst_window_map_init(&run->window, &w, &run->plant,
					nst_window_rest_mc(&w, &run->plant));
		if (!r && run->observed)
			r = nst_told_window_set(run, &w, busy_us);
	}
	if (r && !run->error)
		run->error = r;
	run->windowed = !r;
	run->window_from_us = out->run_from_us;
	run->window_run_us = out->run_us;
}

/* A period in which the gate is run for a part of the time. */
static void expose_window(struct run *run, bool plain)
{
	struct nst_window_map *map = &run->window;
	struct nst_plant *plant = &run->plant;
	s32 true_mc, seen_mc, peak_mc;

	frame_begins(run);
	true_mc = nst_window_map_mc(map, plant->mode, plant->z_q32,
				    run->ambient_mc);
	peak_mc = nst_window_step(map, plant->mode, plant->z_q32,
				  plant->z_low, run->ambient_mc);
	note_die(run);
	if (peak_mc > run->sums.max_temp_mc)
		run->sums.max_temp_mc = peak_mc;
	/* Closing takes power that is not in the work of a frame. */
	run->sums.switch_nj += (u64)run->sub.enter_us *
			       (map->w.heat_mw - map->w.idle_mw);
	if (plain) {
		run->last.true_mc = true_mc;
		run->last.seen_mc = true_mc;
		run->last.avoidable = true;
		return;
	}
	seen_mc = run->observed ? nst_told_window(run) : true_mc;
	take_exposure(run, true_mc, seen_mc);
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
static inline void expose_whole(struct run *run, u32 power_mw, bool plain)
{
	const struct nst_policy_config *cfg = &run->sit.policy;
	struct nst_plant *plant = &run->plant;
	s64 start[2] = { plant->z_q32[0], plant->z_q32[1] }, end[2];
	s32 true_mc, seen_mc;

	frame_begins(run);
	nst_plant_step(plant, power_mw, run->ambient_mc,
		       cfg->frame_period_us);
	note_die(run);
	if (plain) {
		s32 peak_mc = hotter_ends_mc(start, plant->z_q32);

		run->last.true_mc = peak_mc;
		run->last.seen_mc = peak_mc;
		run->last.avoidable = true;
		if (peak_mc <= cfg->vision_max_mc)
			return;
	}

	/* The state at the start of the period, for as long as it is asked. */
	memcpy(end, plant->z_q32, sizeof(end));
	memcpy(plant->z_q32, start, sizeof(start));
	true_mc = exposure_mc(run, plant, power_mw, run->ambient_mc);
	memcpy(plant->z_q32, end, sizeof(end));
	if (plain) {
		run->last.true_mc = true_mc;
		run->last.seen_mc = true_mc;
		return;
	}

	seen_mc = true_mc;
	if (run->observed)
		seen_mc = nst_told_whole(run);
	take_exposure(run, true_mc, seen_mc);
}

/* ------------------------------------------------------------ period --- */

/* The hottest end of a piece of a near period that is split. */
static s32 split_peak_mc(const struct run *run)
{
	struct nst_power_piece pieces[NST_PIECES_MAX];
	struct nst_plant plant = run->plant;
	s32 peak_mc = NST_TEMP_MIN_MC;
	unsigned int count;

	count = nst_subframe_pieces(&run->sub, true, run->whole_before,
				    pieces);
	for (unsigned int i = 0; i < count; i++) {
		s32 end_mc;

		nst_plant_step(&plant, pieces[i].power_mw, run->ambient_mc,
			       pieces[i].len_us);
		end_mc = nst_plant_die_mc(&plant);
		if (end_mc > peak_mc)
			peak_mc = end_mc;
	}
	return peak_mc;
}

/* The die at the end of a near period, or of the work or window in it. */
static s32 near_peak_mc(const struct run *run,
			const struct nst_policy_outputs *out)
{
	const struct nst_policy_config *cfg = &run->sit.policy;
	s64 z_q32[2] = { run->plant.z_q32[0], run->plant.z_q32[1] };
	u64 z_low[2] = { 0, 0 };

	if (out->run_us && run->windowed)
		return nst_window_step(&run->window, run->plant.mode, z_q32,
				       z_low, run->ambient_mc);
	if (run->split)
		return split_peak_mc(run);
	return nst_plant_peek_die_mc(&run->plant, cfg->near_mw,
				     run->ambient_mc, cfg->frame_period_us);
}

/*
 * The kernel's guard holds the ceiling whatever the policy says: it closes
 * before the period that would cross, and opens 2 K below. A policy may plan
 * up to the ceiling itself.
 */
static void guard(struct run *run, struct nst_policy_outputs *out)
{
	const struct nst_policy_config *cfg = &run->sit.policy;
	s32 ahead_mc = run->die_mc, near_mc;

	/* What a policy does not ask for would cross nothing. */
	if (out->gate == NST_GATE_RUN || run->ceiling.state) {
		near_mc = near_peak_mc(run, out);
		if (near_mc > ahead_mc)
			ahead_mc = near_mc;
	}
	if (nst_band_step(&run->ceiling, cfg->thr.max_mc + 1,
			  cfg->thr.max_mc - CEILING_RELEASE_MC, 0, ahead_mc,
			  run->t_us) == NST_BAND_OPEN ||
	    out->gate != NST_GATE_RUN)
		return;
	out->gate = NST_GATE_STANDBY;
	out->run_from_us = 0;
	out->run_us = 0;
	if (out->placement == NST_NEAR)
		out->placement = NST_PAUSED;
	out->reason = NST_WHY_ABOVE_HIGH;
	run->sums.guarded++;
}

/* Heat would buy nothing: as the daemon does, gate and keep the frames. */
static void decide_impossible(const struct run *run,
			      struct nst_policy_outputs *out)
{
	*out = (struct nst_policy_outputs){
		.gate = NST_GATE_STANDBY,
		.placement = run->ops->drops ? NST_PAUSED : NST_FAR,
		.reason = NST_WHY_ABOVE_HIGH,
	};
}

/*
 * One period. @plain, a constant to the compiler: the policy knows the true
 * plant, nobody records, no capture waits, every limit is within reach.
 */
static inline __attribute__((always_inline)) void
run_period(struct run *run, bool plain)
{
	const struct nst_policy_config *cfg = &run->sit.policy;
	u32 period_us = cfg->frame_period_us;
	struct nst_policy_inputs in = {
		.frame_seq = run->seq,
		.t_us = run->t_us,
		.model = &run->plant,
		.ambient_mc = run->ambient_mc,
		.sensor_ok = true,
	};
	struct nst_policy_outputs out;
	bool window;

	if (!plain) {
		while (run->captures.next_us <= run->t_us)
			nst_captures_arrive(&run->captures, run->t_us,
					    period_us, run->sit.deadline_us);
		in.capture_pending = run->captures.waiting_count > 0;
	}
	if (!plain && run->observed) {
		in.model = &run->obs.plant;
		in.ambient_mc = run->obs.ambient_mc;
		in.margin_mc = nst_told_margin_mc(run);
		in.sensor_ok = run->obs.primed && run->obs.healthy;
	}
	if (!plain && run->impossible)
		decide_impossible(run, &out);
	else
		run->ops->decide(plain ? cfg : run->told, &run->state, &in, &out);
	if (out.run_us && (!run->windowed ||
			   out.run_from_us != run->window_from_us ||
			   out.run_us != run->window_run_us))
		window_set(run, &out);
	if (run->die_mc > run->guard_from_mc || run->ceiling.state)
		guard(run, &out);

	settle_frame(run, &out, plain);
	if (out.placement != run->placement)
		count_switch(run, out.placement);
	run->sums.placed_us[out.placement] += period_us;
	run->placement = out.placement;

	run->gate = out.gate;
	/* A reading may call for another window, but of the period after. */
	window = out.run_us && run->windowed;
	if (!plain && run->observed)
		read_sensor(run, run->power_before_mw);
	if (window) {
		expose_window(run, plain);
		run->whole_before = false;
		run->power_before_mw = run->window.len_us[2] ?
			run->window.w.idle_mw : run->window.w.heat_mw;
	} else {
		bool whole = out.gate == NST_GATE_RUN;
		u32 power_mw = whole ? cfg->near_mw : cfg->gated_mw;

		/* A gated period behind one that ended gated is whole. */
		if (run->split && (whole || run->whole_before))
			expose_split(run, run->whole_before);
		else
			expose_whole(run, power_mw, plain);
		run->whole_before = whole;
		run->power_before_mw = power_mw;
	}
	run->t_us += period_us;
	run->seq++;
}

void nst_engine_until(struct run *run, u64 until_us)
{
	while (run->t_us < until_us && !run->error) {
		bool plain = !run->observed && !run->record &&
			     !run->out_of_reach &&
			     !run->impossible &&
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

void nst_engine_frame(struct run *run)
{
	run_period(run, false);
}
