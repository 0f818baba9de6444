// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-guard-sample.c - readings on their way into the guard's model
 *
 * The temperature is the observer's (policies/core/observer.h): a model
 * driven by the gate, corrected by every good sample. A sensor that stays
 * bad closes the gate until good samples are back. One at the upper end of its
 * range closes it too, as the ceiling does: the die may be anything above.
 * What hwmon and the zone tell of the last frames comes from here as well.
 */
#include "nst-guard.h"
#include "nst-trace.h"

/* The jump of the die is over by then, on any stack. */
#define SETTLE_US 200000

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

/* nst_guard_sample() - a reading, if one is due, into the observer and out */
void nst_guard_sample(struct nst *nst)
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

/*
 * nst_guard_tell_zone() - the die has crossed a threshold
 * A zone whose governor sleeps longer than a frame learns of it.
 */
void nst_guard_tell_zone(struct nst *nst)
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
