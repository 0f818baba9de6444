// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-guard-band.c - the ceiling, the hold engine and the cooling state's share
 *
 * With frames the die is predicted to the end of the next period as if the VPU
 * ran, so both bands close before the frame that would cross and not after it.
 * What a lease holder has gated crosses nothing. Without frames it is looked
 * ahead by some samples.
 */
#include "nst-guard.h"

/*
 * The die from now to @t_us: the gate stays, but for a window still to come.
 * Return: the hottest that it is by then.
 */
static s32 look_ahead(const struct nst *nst, struct nst_plant *plant, u64 t_us)
{
	const struct nst_request *req =
		nst_guard_window_of(nst, nst->frame_seq);
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
	if (nst_guard_request_of(nst, seq)->gate != NST_GATE_RUN)
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

/*
 * nst_guard_untold_run() - the period that nobody told of has come
 * And it is to run: a trip.
 */
void nst_guard_untold_run(struct nst *nst, u64 t_us)
{
	if (!nst->near_crosses || !nst->claim.holder ||
	    nst_guard_request_of(nst, nst->frame_seq)->gate != NST_GATE_RUN)
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
 * nst_guard_step_bands() - the ceiling and the hold engine
 * @t_us is when the decision takes effect, @span_us how long nothing can be
 * changed afterwards. With a window the VPU runs for as long as that only, and
 * not before its time has come.
 */
void nst_guard_step_bands(struct nst *nst, u64 t_us, u32 span_us)
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
	window = nst_has_frames(nst) ?
			 nst_guard_window_of(nst, nst->frame_seq + 1) : NULL;
	if (window) {
		nst_plant_step(&plant, nst_gate_power(nst, NST_GATE_STANDBY),
			       ambient_mc, window->from_us);
		run_us = window->len_us;
	} else if (nst->claim.holder && nst->window_us &&
		   nst_guard_request_of(nst, nst->frame_seq + 1)->gate !=
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

/* nst_guard_step_bound() - does the cooling state take the next period? */
void nst_guard_step_bound(struct nst *nst)
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
