// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-guard.c - the kernel's own loop: sample, rank, decide, act
 *
 * With frames it runs once at each boundary and decides about the period
 * after: the die is predicted to the end of that period as if the VPU ran,
 * so both the ceiling and the hold engine close before the frame that would
 * cross and not after it. What a lease holder has gated crosses nothing.
 * Without frames (none, or a source that has stopped) it runs from a timer at
 * 100 Hz at most and acts at once.
 *
 * The temperature is the observer's (policies/core/observer.h): a model
 * driven by the gate, corrected by every good sample. A sensor that stays
 * bad closes the gate until good samples are back. One at the upper end of its
 * range closes it too, as the ceiling does: the die may be anything above.
 */
#include <linux/jiffies.h>

#include "nst.h"
#include "nst-trace.h"

/* Without frames: the die is looked ahead by two samples at the least. */
#define FREE_RUN_AHEAD_MIN_US (2 * NST_SAMPLE_MS * 1000)
#define FREE_RUN_AHEAD_MAX_US 1000000

/* The jump of the die is over by then, on any stack. */
#define SETTLE_US 200000

void nst_guard_init(struct nst *nst)
{
	nst->engine = NST_ENGINE_HOLD;
	nst->policy_auto = true;
	nst->stop_frames = 1;
	nst->lease_ms = NST_LEASE_DEFAULT_MS;
	/*
	 * A VPU in standby may be there because it was hot, when another
	 * driver had it: the guard decides anew. Deeper is somebody's will.
	 */
	nst->manual_gate = nst->gate == NST_GATE_STANDBY ? NST_GATE_RUN :
							   nst->gate;
	nst->placement = nst->gate == NST_GATE_RUN ? NST_NEAR : NST_PAUSED;
	nst->ahead_mc = NST_TEMP_MIN_MC;
	nst->peak_mc = NST_TEMP_MIN_MC;
	nst->past_peak_mc = NST_TEMP_MIN_MC;
}

/* nst_guard_timing() - take over what the provider said about timing */
void nst_guard_timing(struct nst *nst)
{
	struct nst_timing timing;
	bool pending;

	spin_lock_irq(&nst->pending_lock);
	timing = nst->pending_timing;
	pending = nst->timing_pending;
	nst->timing_pending = false;
	spin_unlock_irq(&nst->pending_lock);

	/* What the edges say about the period is better than hearsay. */
	if (nst->frames_by == NST_UFRAMES_GPIO && nst->sync.period_us)
		timing.frame_period_us = nst->timing.frame_period_us;
	if (!pending || !memcmp(&timing, &nst->timing, sizeof(timing)))
		return;
	nst->timing = timing;
	nst_event_param(nst, NST_PARAM_TIMING, timing.frame_period_us);
}

/* ------------------------------------------------------------- sampling */

static void sensor_changed(struct nst *nst, bool bad)
{
	const struct nst_uapi_event ev = {
		.type = NST_EVENT_FAULT,
		.code = nst->last_die.state,
		.t_us = nst->settled_us,
		.seq = nst->frame_seq,
	};

	nst->sensor_bad = bad;
	if (!bad) {
		dev_info_ratelimited(&nst->dev,
				     "temperature of the die is back\n");
		return;
	}
	nst_event(nst, &ev);
	dev_warn_ratelimited(&nst->dev, "no trustworthy temperature (%d)%s\n",
			     nst_sample_errno(&nst->last_die),
			     nst_has_gate(nst) ? ", VPU goes to standby" : "");
}

/* Not healthy yet is not bad: only a run of bad samples is. */
static void watch_health(struct nst *nst)
{
	const struct nst_observer *obs = &nst->observer;

	if (nst->sensor_bad && obs->healthy)
		sensor_changed(nst, false);
	else if (!nst->sensor_bad && !obs->healthy &&
		 obs->bad_run >= obs->config.bad_max)
		sensor_changed(nst, true);
}

static void envelope_push(struct nst *nst, s32 temp_mc, bool estimated)
{
	struct nst_envelope *slot = &nst->envelope[nst->envelope_head];

	slot->t_us = nst->settled_us;
	slot->temp_mc = temp_mc;
	slot->estimated = estimated;
	nst->envelope_head = (nst->envelope_head + 1) %
			     ARRAY_SIZE(nst->envelope);
	if (nst->envelope_len < ARRAY_SIZE(nst->envelope))
		nst->envelope_len++;
}

/*
 * Where the gate closed inside a period the die was hotter than any reading
 * of a boundary, and only the model knows. A reading that moves the model by
 * @correction_mc says as much of the time before it.
 */
static s32 take_peak(struct nst *nst, s32 correction_mc)
{
	nst->past_peak_mc = nst->peak_mc;
	if (nst->past_peak_mc > NST_TEMP_MIN_MC)
		nst->past_peak_mc += correction_mc;
	nst->peak_mc = NST_TEMP_MIN_MC;
	return nst->past_peak_mc;
}

/* Between two readings of a slow part the model stands in. */
static bool sample_due(const struct nst *nst)
{
	return !nst->sampled_us ||
	       nst->settled_us - nst->sampled_us >= nst->sample_min_us;
}

/*
 * After a resume the part may need its time: readings that fail are not held
 * against it for a while. The VPU waits until good ones are back, or until
 * enough have failed after that to call the sensor bad, which stops it too.
 */
static bool waking_forgives(const struct nst *nst,
			    const struct nst_sample *sample)
{
	return nst->waking && nst->settled_us < nst->waking_until_us &&
	       !nst_sample_usable(sample);
}

static void guard_sample(struct nst *nst)
{
	bool edge_now = nst->gate_since_us == nst->settled_us &&
			nst->gate_real == nst->gate;
	u32 power_mw = nst_gate_power(nst, edge_now ? nst->gate_prev :
						      nst->gate_real);
	bool primed = nst->observer.primed;
	enum nst_observer_verdict verdict;
	struct nst_uapi_event ev = {
		.type = NST_EVENT_SAMPLE,
		.seq = nst->frame_seq,
	};
	struct nst_sample sample;
	s32 before_mc, after_mc, peak_mc;

	if (!sample_due(nst)) {
		if (primed && !nst->sensor_bad)
			envelope_push(nst, max(take_peak(nst, 0),
					       nst_observer_die_mc(&nst->observer)),
				      true);
		return;
	}
	nst->sampled_us = nst->settled_us;
	nst_read_channel(nst, 0, &sample);
	if (waking_forgives(nst, &sample))
		return;
	before_mc = nst_observer_die_mc(&nst->observer);
	verdict = nst_observer_sample(&nst->observer, &sample, power_mw);
	after_mc = nst_observer_die_mc(&nst->observer);
	/* A model that has just begun knows nothing of before. */
	if (!primed)
		nst->peak_mc = NST_TEMP_MIN_MC;
	peak_mc = take_peak(nst, after_mc - before_mc);
	if (verdict == NST_OBSERVED_BAD && sample.state == NST_SAMPLE_VALID)
		sample.state = NST_SAMPLE_IMPLAUSIBLE;
	nst->last_die = sample;
	/* In force by the ceiling's band, so that it is told and counted. */
	nst_rail_observe(&nst->rail, &nst->last_die, &nst->observer,
			 nst_gate_power(nst, NST_GATE_RUN));

	trace_nst_sample(nst->id, sample.t_us, sample.value_mc, sample.state,
			 verdict, after_mc);
	ev.code = sample.state;
	ev.t_us = sample.t_us;
	if (nst->observer.primed)
		ev.value = after_mc;
	if (sample.state == NST_SAMPLE_VALID)
		ev.temp_mc = sample.value_mc;
	nst_event(nst, &ev);

	watch_health(nst);
	if (nst->observer.healthy || nst->sensor_bad)
		nst->waking = false;
	if (verdict == NST_OBSERVED_BAD) {
		/* One bad sample is bridged by the model. */
		if (nst->observer.primed && !nst->sensor_bad)
			envelope_push(nst, max(after_mc, peak_mc), true);
		return;
	}
	peak_mc = max(after_mc, peak_mc);
	envelope_push(nst, max(sample.value_mc, peak_mc),
		      peak_mc > sample.value_mc);
	nst_capture_confirm(nst, primed ? after_mc - before_mc : 0);
}

/*
 * nst_guard_envelope() - highest die temperature of the last dither period
 * At least two frames, at most the levels of the cooling device. Readings at
 * boundaries, and the model's where the gate closed in between.
 * @ret_estimated: it is the model's; NULL if that does not matter
 * Return: 0, or -EAGAIN when there is no present and trusted number.
 */
int nst_guard_envelope(struct nst *nst, s32 *ret_mc, bool *ret_estimated)
{
	u32 frames = max(2u, nst_duty_period(nst->duty_state, nst->levels));
	u32 period_us = nst_has_frames(nst) ? nst->timing.frame_period_us :
					      NST_STALL_MS * 1000;
	s32 highest_mc = NST_TEMP_MIN_MC;
	bool estimated = false;
	unsigned int i;

	if (nst->sensor_bad)
		return -EAGAIN;
	for (i = 0; i < frames && i < nst->envelope_len; i++) {
		const struct nst_envelope *slot =
			&nst->envelope[(nst->envelope_head +
					ARRAY_SIZE(nst->envelope) - 1 - i) %
				       ARRAY_SIZE(nst->envelope)];

		if (nst->settled_us - slot->t_us >
		    (u64)(frames + 1) * period_us)
			break;
		if (i && slot->temp_mc <= highest_mc)
			continue;
		highest_mc = slot->temp_mc;
		estimated = slot->estimated;
	}
	if (!i)
		return -EAGAIN;
	*ret_mc = highest_mc;
	if (ret_estimated)
		*ret_estimated = estimated;
	return 0;
}

/*
 * nst_guard_slope() - how fast the stack will warm in its present state
 * From the model, with the mean power of the state of the cooling device, so
 * that neither the dithering nor the delay of a measured slope is in it, and
 * with the drift that samples keep correcting. In mK a second. Return: 0, or
 * -EAGAIN when there is none or the plant is only a guess.
 */
int nst_guard_slope(struct nst *nst, s32 *ret_mc_per_s)
{
	const struct nst_observer *obs = &nst->observer;
	u8 gate = nst->claim.holder ? nst->held.gate : nst->manual_gate;
	u32 power_mw = nst_gate_power(nst, gate);

	if (!obs->primed || nst->sensor_bad || obs->config.plant_guessed)
		return -EAGAIN;
	if (gate == NST_GATE_RUN)
		power_mw = nst_duty_power_mw(nst->duty_state, nst->levels,
					     power_mw,
					     nst_gate_power(nst, NST_GATE_STANDBY));
	*ret_mc_per_s = nst_plant_peek_die_mc(&obs->plant, power_mw,
					      obs->ambient_mc,
					      SETTLE_US + USEC_PER_SEC) -
			nst_plant_peek_die_mc(&obs->plant, power_mw,
					      obs->ambient_mc, SETTLE_US) +
			nst_observer_drift_mc(obs, USEC_PER_SEC);
	return 0;
}

/* A zone whose governor sleeps longer than a frame learns of a crossing. */
static void tell_zone(struct nst *nst)
{
	s32 temp_mc;
	u8 level;

	if (nst_guard_envelope(nst, &temp_mc, NULL))
		return;
	level = (temp_mc >= nst->thr.low_mc) + (temp_mc >= nst->thr.high_mc) +
		(temp_mc >= nst->thr.max_mc);
	if (level == nst->zone_level)
		return;
	nst->zone_level = level;
	nst_thermal_kick(nst);
}

/* ------------------------------------------------------------- deciding */

static void set_failsafe(struct nst *nst, u8 failsafe)
{
	struct nst_uapi_event ev = {
		.t_us = nst->settled_us,
		.seq = nst->frame_seq,
	};

	if (failsafe == nst->failsafe)
		return;
	if (nst->observer.primed)
		ev.temp_mc = nst_observer_die_mc(&nst->observer);
	if (nst->failsafe) {
		ev.type = NST_EVENT_FAILSAFE_LEAVE;
		ev.code = nst->failsafe;
		nst_event(nst, &ev);
	}
	nst->failsafe = failsafe;
	if (!failsafe)
		return;
	ev.type = NST_EVENT_FAILSAFE_ENTER;
	ev.code = failsafe;
	nst_event(nst, &ev);
	if (failsafe != NST_FAILSAFE_HOLD)
		nst->stats.failsafe_entries++;
}

/* What the lease holder asked for period @seq. */
static const struct nst_request *holder_request(const struct nst *nst,
						u64 seq)
{
	if (nst->queue_full && nst->queued_seq <= seq)
		return &nst->queued;
	/* An edge inside the frame, once, is what holds after it. */
	if (nst->offset.active && !nst->offset.every && nst->offset.seq < seq)
		return &nst->offset.req;
	return &nst->held;
}

/* nst_guard_request() - what the holder asked for that is in force now */
const struct nst_request *nst_guard_request(const struct nst *nst)
{
	return holder_request(nst, nst->frame_seq);
}

/* The part of each period that a request is for; NULL when it is for all. */
static const struct nst_request *window_of(const struct nst *nst, u64 seq)
{
	const struct nst_request *req = holder_request(nst, seq);

	return nst->claim.holder && req->len_us ? req : NULL;
}

/* That of the present period if it has edges: a period may have shrunk. */
static const struct nst_request *window_now(const struct nst *nst)
{
	const struct nst_request *req = window_of(nst, nst->frame_seq);

	if (!req || nst->offset.active ||
	    req->from_us >= nst->timing.frame_period_us)
		return NULL;
	return req;
}

/*
 * What a request wants at a time of the present period. Without frames there
 * is no phase, and a window has no place: the gate stays closed.
 */
static u8 wanted_at(const struct nst *nst, const struct nst_request *req,
		    u64 t_us)
{
	u64 from_us = nst->frame_start_us + req->from_us;

	if (!req->len_us ||
	    (nst_has_frames(nst) && t_us >= from_us &&
	     t_us < from_us + req->len_us))
		return req->gate;
	return max_t(u8, req->gate, NST_GATE_STANDBY);
}

static void rank(const struct nst *nst, u8 holder_gate, bool bound_closes,
		 struct nst_rank_outputs *out)
{
	const struct nst_rank_inputs in = {
		.leased = nst->claim.holder,
		.holder_gate = holder_gate,
		.manual_gate = nst->manual_gate,
		.engine_gates = nst->engine == NST_ENGINE_HOLD &&
				nst->hold.state == NST_BAND_GATED,
		.capture = nst_capture_wants(nst),
		.bound_closes = bound_closes,
		.sensor_bad = nst->sensor_bad,
		.waking = nst->waking,
		.ceiling = nst->ceiling.state == NST_BAND_GATED,
	};

	nst_rank_decide(&in, out);
}

static u8 placement_of(const struct nst *nst, const struct nst_request *req,
		       const struct nst_rank_outputs *out)
{
	u8 placement = NST_NEAR;

	if (nst->claim.holder)
		placement = req->placement;
	/* Without a gate nothing is paused, whatever the ranks wish. */
	if (placement == NST_NEAR && out->gate != NST_GATE_RUN &&
	    nst_has_gate(nst))
		placement = NST_PAUSED;
	return placement;
}

/*
 * The die from now to @t_us: the gate stays, but for a window still to come.
 * Return: the hottest that it is by then.
 */
static s32 look_ahead(const struct nst *nst, struct nst_plant *plant, u64 t_us)
{
	const struct nst_request *req = window_of(nst, nst->frame_seq);
	u64 at_us[4] = { nst->settled_us, nst->settled_us, nst->settled_us,
			 t_us };
	u32 power_mw[3] = { nst_gate_power(nst, nst->gate_real), 0, 0 };
	s32 peak_mc = nst_plant_die_mc(plant);
	unsigned int i;

	if (req) {
		u64 from_us = nst->frame_start_us + req->from_us;

		at_us[1] = clamp(from_us, at_us[0], t_us);
		at_us[2] = clamp(from_us + req->len_us, at_us[0], t_us);
		power_mw[1] = nst_gate_power(nst, NST_GATE_RUN);
		power_mw[2] = nst_gate_power(nst, NST_GATE_STANDBY);
		/* One that should have closed by now did not. */
		if (at_us[2] == at_us[0])
			power_mw[2] = power_mw[0];
	} else {
		at_us[1] = t_us;
		at_us[2] = t_us;
	}
	for (i = 0; i < 3; i++) {
		if (at_us[i + 1] > at_us[i])
			nst_plant_step(plant, power_mw[i],
				       nst->observer.ambient_mc,
				       (u32)(at_us[i + 1] - at_us[i]));
		peak_mc = max(peak_mc, nst_plant_die_mc(plant));
	}
	return peak_mc;
}

/* What the period after the present one will be. */
enum coming {
	COMING_RUN = 0,		/* it runs, or may */
	COMING_UNTOLD,		/* as the one before, if the holder is silent */
	COMING_GATED,		/* the holder has said so */
};

static enum coming what_comes(const struct nst *nst)
{
	u64 seq = nst->frame_seq + 1;

	if (!nst->claim.holder || !nst_has_frames(nst))
		return COMING_RUN;
	if (nst->offset.active && nst->offset.req.gate == NST_GATE_RUN)
		return COMING_RUN;
	if (holder_request(nst, seq)->gate != NST_GATE_RUN)
		return COMING_GATED;
	return nst->queue_full && nst->queued_seq <= seq ? COMING_RUN :
							   COMING_UNTOLD;
}

/*
 * The ceiling. @seen_mc is what comes about whatever is asked from now on,
 * @nst->ahead_mc what a run in the next period makes of it. One that the
 * holder has gated crosses nothing. One that the holder has yet to tell of is
 * planned closed and is no trip before its time has come: a governor speaks
 * in the middle of a period. Opening again waits until a run would be cool
 * enough, whoever asks for it.
 */
static void step_ceiling(struct nst *nst, s32 seen_mc, u64 t_us)
{
	s32 near_mc = max(seen_mc, nst->ahead_mc);
	enum coming coming = what_comes(nst);

	nst->near_crosses = false;
	if (nst->rail.left) {
		near_mc = NST_TEMP_MAX_MC;
	} else if (nst->ceiling.state == NST_BAND_OPEN &&
		   coming != COMING_RUN) {
		nst->near_crosses = coming == COMING_UNTOLD &&
				    near_mc >= nst->thr.max_mc;
		near_mc = seen_mc;
	}
	nst_band_step(&nst->ceiling, nst->thr.max_mc,
		      nst->thr.max_mc - NST_CEILING_RELEASE_MC, 0, near_mc,
		      t_us);
}

/* The period that nobody told of has come, and it is to run: a trip. */
static void untold_run(struct nst *nst, u64 t_us)
{
	if (!nst->near_crosses || !nst->claim.holder ||
	    holder_request(nst, nst->frame_seq)->gate != NST_GATE_RUN)
		return;
	nst_band_step(&nst->ceiling, nst->thr.max_mc,
		      nst->thr.max_mc - NST_CEILING_RELEASE_MC, 0,
		      nst->thr.max_mc, t_us);
}

/*
 * nst_guard_foresee() - the holder wants the gate open at once
 * Trips the ceiling if the rest of the period would cross it.
 */
void nst_guard_foresee(struct nst *nst, u64 now_us)
{
	u64 end_us = nst->frame_start_us + nst->timing.frame_period_us;
	const struct nst_observer *obs = &nst->observer;
	s32 end_mc;

	if (!obs->primed || !nst_has_frames(nst) || end_us <= now_us ||
	    nst->ceiling.state == NST_BAND_GATED)
		return;
	end_mc = nst_plant_peek_die_mc(&obs->plant,
				       nst_gate_power(nst, NST_GATE_RUN),
				       obs->ambient_mc, (u32)(end_us - now_us));
	nst_band_step(&nst->ceiling, nst->thr.max_mc,
		      nst->thr.max_mc - NST_CEILING_RELEASE_MC, 0, end_mc,
		      now_us);
}

/*
 * The two bands. @t_us is when the decision takes effect, @span_us how long
 * nothing can be changed afterwards. With a window the VPU runs for as long
 * as that only, and not before its time has come.
 */
static void step_bands(struct nst *nst, u64 t_us, u32 span_us)
{
	struct nst_plant plant = nst->observer.plant;
	s32 ambient_mc = nst->observer.ambient_mc;
	s32 seen_mc = max(nst_observer_die_mc(&nst->observer),
			  nst->past_peak_mc);
	u32 dwell_us = nst->dwell_ms * 1000, run_us = span_us;
	const struct nst_request *window;
	s32 next_mc, hold_mc;

	nst->near_crosses = false;
	if (!nst->observer.primed)
		return;
	if (t_us > nst->settled_us)
		seen_mc = max(seen_mc, look_ahead(nst, &plant, t_us));
	next_mc = nst_plant_die_mc(&plant);
	window = nst_has_frames(nst) ? window_of(nst, nst->frame_seq + 1) :
				       NULL;
	if (window) {
		nst_plant_step(&plant, nst_gate_power(nst, NST_GATE_STANDBY),
			       ambient_mc, window->from_us);
		run_us = window->len_us;
	} else if (nst->claim.holder && nst->window_us &&
		   holder_request(nst, nst->frame_seq + 1)->gate !=
			   NST_GATE_RUN) {
		/* What it would run next, if it ran. */
		run_us = min(nst->window_us, span_us);
	}
	nst->ahead_mc = nst_plant_peek_die_mc(&plant,
					      nst->gate_power_mw[NST_GATE_RUN],
					      ambient_mc, run_us);
	nst->ahead_mc = max(nst->ahead_mc, next_mc);

	step_ceiling(nst, seen_mc, t_us);
	if (nst->claim.holder || nst->engine != NST_ENGINE_HOLD)
		return;
	if (nst_has_frames(nst)) {
		u64 stop_us = (u64)nst->stop_frames * span_us;

		dwell_us = (u32)clamp_t(u64, stop_us, dwell_us, U32_MAX);
	}
	hold_mc = nst->hold.state == NST_BAND_OPEN ? nst->ahead_mc : next_mc;
	nst_band_step(&nst->hold, nst->thr.high_mc, nst->thr.low_mc, dwell_us,
		      hold_mc, t_us);
}

/* nst_guard_engine_reset() - the engine takes over with the gate it finds */
void nst_guard_engine_reset(struct nst *nst)
{
	bool gated = nst->gate != NST_GATE_RUN &&
		     nst->manual_gate == NST_GATE_RUN;

	nst->hold.state = gated ? NST_BAND_GATED : NST_BAND_OPEN;
	nst->hold.since_us = nst->gate_since_us;
}

static void step_bound(struct nst *nst)
{
	nst->bound_now = nst->bound_next;
	nst->bound_next = false;
	if (!nst->duty_state)
		return;
	nst->bound_next = !nst_dither_step(&nst->dither,
					   nst->levels - nst->duty_state,
					   nst->levels);
	if (nst->bound_next)
		nst->stats.frames_bound++;
}

/*
 * What of a wanted gate comes about at @t_us: opening waits for the dwell,
 * and a deep gate whose wear is used up is not entered again.
 */
static u8 attainable(const struct nst *nst, u8 from, u8 to, u64 since_us,
		     u64 t_us)
{
	u8 gate = nst_rank_dwell(from, to, since_us, t_us,
				 nst->dwell_ms * 1000);

	if (!nst_has_gate(nst))
		return NST_GATE_RUN;
	if (nst_gate_affordable(nst, gate, from))
		return max_t(u8, from, NST_GATE_STANDBY);
	return gate;
}

/* nst_guard_gate_now() - the gate that the ranks give the present request */
u8 nst_guard_gate_now(struct nst *nst, u64 now_us)
{
	struct nst_rank_outputs out;

	rank(nst, wanted_at(nst, holder_request(nst, nst->frame_seq), now_us),
	     nst->bound_now, &out);
	return attainable(nst, nst->gate, out.gate, nst->gate_since_us,
			  now_us);
}

/*
 * nst_guard_act_now() - bring the gate to what the ranks say, at once
 * Return: 0 or the provider's error; it is tried again at the next boundary.
 */
int nst_guard_act_now(struct nst *nst, u64 now_us)
{
	const struct nst_request *req = holder_request(nst, nst->frame_seq);
	struct nst_rank_outputs out;
	u8 gate, placement;

	rank(nst, req->gate, nst->bound_now, &out);
	set_failsafe(nst, out.failsafe);
	nst->guard = out.guard && nst_has_gate(nst);
	/* Who processes in the period does not hang on where its window is. */
	placement = placement_of(nst, req, &out);
	rank(nst, wanted_at(nst, req, now_us), nst->bound_now, &out);
	gate = attainable(nst, nst->gate, out.gate, nst->gate_since_us,
			  now_us);
	trace_nst_decision(nst->id, nst->frame_seq, out.base, gate,
			   out.failsafe, nst->bound_now,
			   nst_observer_die_mc(&nst->observer),
			   nst->ahead_mc);
	return nst_gate_now(nst, gate, placement, now_us);
}

/* The next period is to begin open. */
static bool opens_with(const struct nst *nst)
{
	const struct nst_request *req = holder_request(nst, nst->frame_seq + 1);

	return req->gate == NST_GATE_RUN && !(req->len_us && req->from_us);
}

/*
 * The edges of a window in the present period that are still to come. The
 * last of them closes, so that the next boundary finds the gate closed.
 */
static unsigned int window_edges(const struct nst *nst, u64 now_us,
				 struct nst_edge edge[2], bool *ret_guard)
{
	const struct nst_request *req = window_now(nst);
	u64 next_us = nst->frame_start_us + nst->timing.frame_period_us;
	u64 from_us, end_us, since_us = nst->gate_since_us;
	struct nst_rank_outputs out;
	unsigned int edges = 0;
	u8 placement;

	*ret_guard = false;
	/* A capture is exposed cold to its end. */
	if (!req || nst->capture_now)
		return 0;
	from_us = nst->frame_start_us + req->from_us;
	end_us = from_us + req->len_us;
	rank(nst, req->gate, nst->bound_now, &out);
	placement = placement_of(nst, req, &out);
	*ret_guard = out.guard && from_us > now_us;
	if (from_us > now_us)
		edge[edges++] = (struct nst_edge){
			.at_us = from_us,
			.seq = nst->frame_seq,
			.gate = attainable(nst, nst->gate, out.gate, since_us,
					   from_us),
			.placement = placement,
		};
	if (end_us > now_us &&
	    (end_us < next_us || (end_us == next_us && !opens_with(nst))))
		edge[edges++] = (struct nst_edge){
			.at_us = end_us,
			.seq = nst->frame_seq,
			.gate = max_t(u8, out.gate, NST_GATE_STANDBY),
			.placement = placement,
		};
	return edges;
}

/* Rank and edges of the period after the present one. */
static void plan_next(struct nst *nst, u64 now_us)
{
	u64 next_us = nst->frame_start_us + nst->timing.frame_period_us;
	u64 next_seq = nst->frame_seq + 1;
	const struct nst_request *req = holder_request(nst, next_seq);
	struct nst_edge edge[NST_PLAN_MAX];
	struct nst_rank_outputs out;
	u8 from, gate, placement;
	unsigned int edges;
	bool guarded;
	u64 since_us;

	edges = window_edges(nst, now_us, edge, &guarded);
	if (nst->offset.active && nst->offset.seq <= nst->frame_seq &&
	    nst->frame_start_us + nst->offset.offset_us > now_us) {
		u64 at_us = nst->frame_start_us + nst->offset.offset_us;

		rank(nst, nst->offset.req.gate, nst->bound_now, &out);
		edge[edges++] = (struct nst_edge){
			.at_us = at_us,
			.seq = nst->frame_seq,
			.gate = attainable(nst, nst->gate, out.gate,
					   nst->gate_since_us, at_us),
			.placement = placement_of(nst, &nst->offset.req,
						  &out),
		};
	}

	rank(nst, req->gate, nst->bound_next, &out);
	set_failsafe(nst, out.failsafe);
	nst->guard = (out.guard || guarded) && nst_has_gate(nst);
	if (nst->near_crosses)
		out.gate = max_t(u8, out.gate, NST_GATE_STANDBY);
	placement = placement_of(nst, req, &out);
	gate = out.gate;
	/* A window that does not begin with the period begins closed. */
	if (nst->claim.holder && req->len_us && req->from_us)
		gate = max_t(u8, gate, NST_GATE_STANDBY);
	from = nst_gate_at(nst, next_us, &since_us);
	if (edges) {
		from = edge[edges - 1].gate;
		since_us = edge[edges - 1].at_us;
	}
	edge[edges] = (struct nst_edge){
		.at_us = next_us,
		.seq = next_seq,
		.gate = attainable(nst, from, gate, since_us, next_us),
		.placement = placement,
		.boundary = true,
	};
	trace_nst_decision(nst->id, next_seq, out.base, edge[edges].gate,
			   out.failsafe, nst->bound_next,
			   nst_observer_die_mc(&nst->observer),
			   nst->ahead_mc);
	edges++;
	/* One that opens with the period closes even if nobody tells of it. */
	if (nst->claim.holder && req->len_us && !req->from_us &&
	    req->len_us < nst->timing.frame_period_us &&
	    edge[edges - 1].gate == NST_GATE_RUN) {
		edge[edges] = edge[edges - 1];
		edge[edges].at_us += req->len_us;
		edge[edges].gate = NST_GATE_STANDBY;
		edge[edges].boundary = false;
		edges++;
	}
	nst_gate_plan(nst, edge, edges, now_us);
}

/*
 * nst_guard_gate_next() - gate planned for the period after this one
 * With a window, the gate in it.
 */
u8 nst_guard_gate_next(struct nst *nst)
{
	const struct nst_request *req = window_of(nst, nst->frame_seq + 1);
	struct nst_rank_outputs out;
	unsigned int i;

	if (req) {
		rank(nst, req->gate, nst->bound_next, &out);
		return nst->near_crosses ?
			       max_t(u8, out.gate, NST_GATE_STANDBY) :
			       out.gate;
	}
	for (i = 0; i < nst->plan.edges; i++) {
		if (nst->plan.edge[i].boundary)
			return nst->plan.edge[i].gate;
	}
	return nst->gate;
}

/*
 * nst_guard_replan() - a request or a parameter has changed
 * Settled to @now_us by the caller.
 */
void nst_guard_replan(struct nst *nst, u64 now_us)
{
	if (!nst->duty_state)
		nst->bound_next = false;
	else if (nst->duty_state == nst->levels)
		nst->bound_next = true;

	if (!nst_has_frames(nst)) {
		nst->bound_now = nst->bound_next;
		step_bands(nst, now_us, FREE_RUN_AHEAD_MIN_US);
		nst_guard_act_now(nst, now_us);
		return;
	}
	/*
	 * A window whose end is over by a corrected phase has no closing edge
	 * any more. It closes before anybody looks at what comes of its being
	 * open.
	 */
	if (window_of(nst, nst->frame_seq) &&
	    nst_guard_gate_now(nst, now_us) > nst->gate)
		nst_guard_act_now(nst, now_us);
	step_bands(nst, nst->frame_start_us + nst->timing.frame_period_us,
		   nst->timing.frame_period_us);
	/*
	 * What the ceiling allows a window it may not allow the whole period
	 * that has come instead: that does not wait for the boundary.
	 */
	if (nst->ceiling.state == NST_BAND_GATED &&
	    nst_guard_gate_now(nst, now_us) > nst->gate)
		nst_guard_act_now(nst, now_us);
	plan_next(nst, now_us);
}

/*
 * nst_guard_window_late() - the window of period @seq is cut or left out
 * Nothing is, where the period has none.
 */
void nst_guard_window_late(struct nst *nst, u64 seq)
{
	if (!window_of(nst, seq) || nst->window_late_seq == seq)
		return;
	nst->window_late_seq = seq;
	nst->stats.windows_late++;
}

/* nst_guard_window_opens() - that of period @seq, @late_us after its time */
void nst_guard_window_opens(struct nst *nst, u64 seq, u64 late_us)
{
	const struct nst_request *req = window_of(nst, seq);

	if (req && 8 * late_us > req->len_us)
		nst_guard_window_late(nst, seq);
}

/* nst_guard_window_waits() - it has not opened yet */
bool nst_guard_window_waits(const struct nst *nst, u64 now_us)
{
	const struct nst_request *req = window_now(nst);

	return req && now_us < nst->frame_start_us + req->from_us;
}

/*
 * A period was told of after its window should have opened, or the one before
 * was lost and nothing is planned for this one. What is left of it is used;
 * less than seven eighths is counted. Return: there is something to open.
 */
static bool window_is_late(struct nst *nst, u64 now_us)
{
	const struct nst_request *req = window_now(nst);
	struct nst_rank_outputs out;
	u64 from_us;

	if (!req)
		return false;
	from_us = nst->frame_start_us + req->from_us;
	if (now_us < from_us)
		return false;
	/* One that is open, or that may not open, has lost nothing. */
	rank(nst, req->gate, nst->bound_now, &out);
	if (out.gate >= nst->gate)
		return false;
	nst_guard_window_opens(nst, nst->frame_seq, now_us - from_us);
	return now_us < from_us + req->len_us &&
	       nst_guard_gate_now(nst, now_us) < nst->gate;
}

/*
 * nst_guard_phase() - the phase of the present period was set right
 * @waited: its window had not opened
 */
void nst_guard_phase(struct nst *nst, bool waited, u64 now_us)
{
	nst_guard_replan(nst, now_us);
	if (!waited || nst->capture_now || !window_is_late(nst, now_us))
		return;
	nst_guard_act_now(nst, now_us);
	plan_next(nst, now_us);
}

/* nst_guard_retry() - a close that was refused is tried again */
void nst_guard_retry(struct nst *nst, u64 now_us)
{
	u8 placement = nst->placement == NST_FAR ? NST_FAR : NST_PAUSED;
	int err;

	nst->close_retry_us = 0;
	if (nst->asleep)
		return;
	if (nst_guard_gate_now(nst, now_us) > nst->gate)
		err = nst_guard_act_now(nst, now_us);
	else if (nst->close_retry_gate > nst->gate)
		err = nst_gate_now(nst, nst->close_retry_gate, placement,
				   now_us);
	else
		return;
	if (!err)
		nst_guard_replan(nst, now_us);
}

/*
 * The boundary was told after the offset at which the gate was to close: it
 * closes with it. Opening has missed its time, and waits for the next.
 */
static void close_at_offset(struct nst *nst, u64 now_us)
{
	struct nst_rank_outputs out;
	u8 gate;

	if (!nst->offset.active || nst->offset.seq > nst->frame_seq ||
	    nst->frame_start_us + nst->offset.offset_us > now_us)
		return;
	rank(nst, nst->offset.req.gate, nst->bound_now, &out);
	gate = attainable(nst, nst->gate, out.gate, nst->gate_since_us, now_us);
	if (gate > nst->gate)
		nst_gate_now(nst, gate,
			     placement_of(nst, &nst->offset.req, &out), now_us);
}

/* --------------------------------------------------------------- acting */

/* What the holder asked for a period is in force from its start on. */
static void take_over_requests(struct nst *nst, u64 seq)
{
	if (nst->queue_full && nst->queued_seq <= seq) {
		nst->held = nst->queued;
		nst->queue_full = false;
		/* A window has its own edges. */
		if (nst->held.len_us)
			nst->offset.active = false;
	}
	if (nst->offset.active && !nst->offset.every &&
	    nst->offset.seq < seq) {
		nst->held = nst->offset.req;
		nst->offset.active = false;
	}
}

/*
 * nst_guard_boundary() - period @seq began at @start_us
 * A provider that counts frames itself stands at that time while it tells of
 * it; anybody else tells later, and what is done then is done then.
 */
void nst_guard_boundary(struct nst *nst, u64 seq, u64 start_us)
{
	bool at_time = nst->caps & NST_CAP_GATE_AT_TIME;
	u64 now_us = start_us;
	struct nst_uapi_event ev = {
		.type = NST_EVENT_FRAME,
		.seq = seq,
		.t_us = start_us,
	};

	if (nst->frame_source != NST_UFRAMES_PROVIDER)
		now_us = max(start_us, nst_now_us(nst));
	/* The gate of the period before, unless it has changed on its own. */
	if (!at_time)
		nst_gate_verify(nst, start_us);
	nst_gate_boundary(nst, seq, start_us, now_us);
	if (at_time)
		nst_gate_verify(nst, start_us);
	nst->stalled = false;
	nst_guard_timing(nst);
	take_over_requests(nst, seq);
	nst->frame_seq = seq;
	nst->frame_start_us = start_us;
	nst->frame_count++;
	ev.value = nst->timing.frame_period_us;
	nst_event(nst, &ev);

	guard_sample(nst);
	step_bound(nst);
	untold_run(nst, start_us);
	step_bands(nst, start_us + nst->timing.frame_period_us,
		   nst->timing.frame_period_us);
	/* Nothing of this period is past: closing need not wait. */
	if (window_is_late(nst, now_us) ||
	    nst_guard_gate_now(nst, now_us) > nst->gate)
		nst_guard_act_now(nst, now_us);
	close_at_offset(nst, now_us);
	/* The ticket may have all it wants with the frame that begins here. */
	nst->capture_now = nst_capture_wants(nst);
	nst_capture_boundary(nst, seq, start_us);
	plan_next(nst, now_us);
	tell_zone(nst);
}

/* nst_guard_free_run() - an evaluation without a frame */
void nst_guard_free_run(struct nst *nst, u64 now_us)
{
	u64 span_us = 2 * (now_us - nst->free_run_us);

	nst_settle(nst, now_us);
	nst->free_run_us = now_us;
	nst_gate_verify(nst, now_us);
	guard_sample(nst);
	nst_capture_expire(nst);
	step_bound(nst);
	nst->bound_now = nst->bound_next;
	step_bands(nst, now_us,
		   (u32)clamp_t(u64, span_us, FREE_RUN_AHEAD_MIN_US,
				FREE_RUN_AHEAD_MAX_US));
	nst_guard_act_now(nst, now_us);
	tell_zone(nst);
}

/*
 * nst_guard_alert() - look at the die between two boundaries
 * Closes at once if the ranks say so; opening waits for its boundary.
 */
void nst_guard_alert(struct nst *nst, u64 now_us)
{
	if (!nst_has_frames(nst)) {
		nst_guard_free_run(nst, now_us);
		return;
	}
	nst_settle(nst, now_us);
	/* It is a reading that the alert tells of: it cannot be too early. */
	nst->sampled_us = 0;
	guard_sample(nst);
	step_bands(nst, now_us, nst->timing.frame_period_us);
	if (nst_guard_gate_now(nst, now_us) > nst->gate)
		nst_guard_act_now(nst, now_us);
	nst_guard_replan(nst, now_us);
}

static unsigned long sample_delay(const struct nst *nst)
{
	return msecs_to_jiffies(max_t(u32, NST_SAMPLE_MS,
				      DIV_ROUND_UP(nst->sample_min_us, 1000)));
}

/* nst_guard_rearm() - the frame source has changed */
void nst_guard_rearm(struct nst *nst)
{
	if (!nst->dead && !nst->asleep)
		mod_delayed_work(nst_system_wq, &nst->tick_work,
				 sample_delay(nst));
}

/*
 * nst_guard_wake() - after a sleep, with the gate known
 * The model starts anew with the first good reading.
 */
void nst_guard_wake(struct nst *nst)
{
	const struct nst_observer_config config = nst->observer.config;
	const struct nst_plant_params params = nst->observer.plant.params;

	/* Both have been taken once: this cannot fail. */
	nst_observer_init(&nst->observer, &config, &params,
			  nst->observer.ambient_mc);
	nst->rail = (struct nst_rail){};
	nst->envelope_len = 0;
	nst->peak_mc = NST_TEMP_MIN_MC;
	nst->past_peak_mc = NST_TEMP_MIN_MC;
	memset(nst->seen_us, 0, sizeof(nst->seen_us));
	nst->sampled_us = 0;
	nst->waking = true;
	nst->waking_until_us = nst->settled_us + NST_WAKING_MS * 1000;
	nst->stalled = false;
	nst->frame_start_us = nst->settled_us;
	nst->phase_us = nst->settled_us;
	nst->free_run_us = nst->settled_us;
	/* The next edge is a new start; frames are counted on from there. */
	nst->sync.started = false;
	nst->dither = (struct nst_dither){};
	nst_guard_rearm(nst);
}

/*
 * The frames have stopped. What waits for one is in force from now on, and
 * the guard goes on by the clock until they are back.
 */
static void frames_stopped(struct nst *nst)
{
	nst->stalled = true;
	take_over_requests(nst, U64_MAX);
}

/*
 * Frames that come on their own need no tick. Whether they still do is told
 * by the device's clock, so a clock that stands still is not a stall.
 */
void nst_guard_tick(struct work_struct *work)
{
	struct nst *nst = container_of(to_delayed_work(work), struct nst,
				       tick_work);
	unsigned long delay = msecs_to_jiffies(NST_STALL_MS);
	u64 now_us;

	if (nst_lock(nst))
		return;
	if (nst->asleep)
		goto out;
	now_us = nst_now_us(nst);
	if (nst_has_frames(nst) &&
	    now_us > nst->frame_start_us + nst_max_gap_us(nst) +
		     NST_STALL_MS * 1000)
		frames_stopped(nst);
	if (!nst_has_frames(nst)) {
		delay = sample_delay(nst);
		nst_guard_timing(nst);
		nst_guard_free_run(nst, now_us);
	}
	mod_delayed_work(nst_system_wq, &nst->tick_work, delay);
out:
	nst_unlock(nst);
}
