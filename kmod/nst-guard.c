// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-guard.c - the kernel's own loop: sample, rank, decide, act
 *
 * With frames it runs once at each boundary and decides about the period
 * after. Without frames (none, or a source that has stopped) it runs from a
 * timer at 100 Hz at most and acts at once.
 */
#include <linux/jiffies.h>

#include "nst-guard.h"

/* Without frames: the die is looked ahead by two samples at the least. */
#define FREE_RUN_AHEAD_MIN_US (2 * NST_SAMPLE_MS * 1000)
#define FREE_RUN_AHEAD_MAX_US 1000000

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
		nst_guard_step_bands(nst, now_us, FREE_RUN_AHEAD_MIN_US);
		nst_guard_act_now(nst, now_us);
		return;
	}
	/*
	 * A window whose end is over by a corrected phase has no closing edge
	 * any more. It closes before anybody looks at what comes of its being
	 * open.
	 */
	if (nst_guard_window_of(nst, nst->frame_seq) &&
	    nst_guard_gate_now(nst, now_us) > nst->gate)
		nst_guard_act_now(nst, now_us);
	nst_guard_step_bands(nst,
			     nst->frame_start_us + nst->timing.frame_period_us,
			     nst->timing.frame_period_us);
	/*
	 * What the ceiling allows a window it may not allow the whole period
	 * that has come instead: that does not wait for the boundary.
	 */
	if (nst->ceiling.state == NST_BAND_GATED &&
	    nst_guard_gate_now(nst, now_us) > nst->gate)
		nst_guard_act_now(nst, now_us);
	nst_guard_plan_next(nst, now_us);
}

/*
 * nst_guard_phase() - the phase of the present period was set right
 * @waited: its window had not opened
 */
void nst_guard_phase(struct nst *nst, bool waited, u64 now_us)
{
	nst_guard_replan(nst, now_us);
	if (!waited || nst->capture_now ||
	    !nst_guard_window_is_late(nst, now_us))
		return;
	nst_guard_act_now(nst, now_us);
	nst_guard_plan_next(nst, now_us);
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
	nst_guard_take_over(nst, seq);
	nst->frame_seq = seq;
	nst->frame_start_us = start_us;
	nst->frame_count++;
	ev.value = nst->timing.frame_period_us;
	nst_event(nst, &ev);

	nst_guard_sample(nst);
	nst_guard_step_bound(nst);
	nst_guard_untold_run(nst, start_us);
	nst_guard_step_bands(nst, start_us + nst->timing.frame_period_us,
			     nst->timing.frame_period_us);
	/* Nothing of this period is past: closing need not wait. */
	if (nst_guard_window_is_late(nst, now_us) ||
	    nst_guard_gate_now(nst, now_us) > nst->gate)
		nst_guard_act_now(nst, now_us);
	nst_guard_close_at_offset(nst, now_us);
	/* The ticket may have all it wants with the frame that begins here. */
	nst->capture_now = nst_capture_wants(nst);
	nst_capture_boundary(nst, seq, start_us);
	nst_guard_plan_next(nst, now_us);
	nst_guard_tell_zone(nst);
}

/* nst_guard_free_run() - an evaluation without a frame */
void nst_guard_free_run(struct nst *nst, u64 now_us)
{
	u64 span_us = 2 * (now_us - nst->free_run_us);

	nst_settle(nst, now_us);
	nst->free_run_us = now_us;
	nst_gate_verify(nst, now_us);
	nst_guard_sample(nst);
	nst_capture_expire(nst);
	nst_guard_step_bound(nst);
	nst->bound_now = nst->bound_next;
	nst_guard_step_bands(nst, now_us,
			     (u32)clamp_t(u64, span_us, FREE_RUN_AHEAD_MIN_US,
					  FREE_RUN_AHEAD_MAX_US));
	nst_guard_act_now(nst, now_us);
	nst_guard_tell_zone(nst);
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
	nst_guard_sample(nst);
	nst_guard_step_bands(nst, now_us, nst->timing.frame_period_us);
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
	nst_guard_take_over(nst, U64_MAX);
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
