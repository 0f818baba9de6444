// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-lease.c - what the holder of the lease may do, and what its end does
 *
 * nst-claim.h has the rules of taking, keeping and losing it. The heartbeat
 * runs on the wall clock: it watches a program, not a stack. What the holder
 * asks for is kept as asked, so a stricter rank only masks it. When the lease
 * ends the engine takes over with the gate it finds.
 */
#include <linux/jiffies.h>
#include <linux/pid.h>
#include <linux/sysfs.h>

#include "nst.h"

static u64 wall_ms(void)
{
	return jiffies64_to_msecs(get_jiffies_64());
}

static void owner_changed(struct nst *nst)
{
	if (nst->owner_kn)
		sysfs_notify_dirent(nst->owner_kn);
}

static void arm_heartbeat(struct nst *nst)
{
	u64 now_ms = wall_ms(), wait_ms = 0;

	if (nst->claim.until_ms > now_ms)
		wait_ms = nst->claim.until_ms - now_ms;
	mod_delayed_work(nst_system_wq, &nst->lease_work,
			 msecs_to_jiffies((unsigned int)wait_ms) + 1);
}

static int claim_event(struct nst *nst, enum nst_claim_event event,
		       const struct nst_file *file, u32 heartbeat_ms)
{
	const struct nst_claim_call call = {
		.who = file,
		.may_write = file && file->may_write,
		.heartbeat_ms = heartbeat_ms,
		.default_ms = nst->lease_ms,
	};
	int err = nst_claim_event(&nst->claim, event, &call, wall_ms());

	if (!err && nst->claim.holder)
		arm_heartbeat(nst);
	return err;
}

/* nst_lease_check() - 0 for the holder, -EBUSY or -EPERM for others */
int nst_lease_check(const struct nst *nst, const struct nst_file *file)
{
	if (nst->claim.holder == file)
		return 0;
	return nst->claim.holder ? -EBUSY : -EPERM;
}

/*
 * nst_lease_take() - @file governs from now on
 * Its gate is the one in force until it asks for another. Taking what one
 * holds renews it. Return: 0, -EPERM without write access, -EBUSY, -EINVAL.
 */
int nst_lease_take(struct nst *nst, struct nst_file *file,
		   struct nst_uapi_lease *req)
{
	bool renewed = nst->claim.holder == file;
	int err;

	if (req->flags || req->reserved)
		return -EINVAL;
	err = claim_event(nst, NST_CLAIM_TAKE, file, req->heartbeat_ms);
	if (err)
		return err;
	req->heartbeat_ms = nst->claim.lease_ms;
	if (renewed)
		return 0;

	nst->holder_pid = task_tgid_nr(current);
	get_task_comm(nst->holder_comm, current->group_leader);
	nst->held = (struct nst_request){
		.gate = nst->gate,
	};
	/* A gate that only a stricter rank keeps closed is not a wish. */
	if (nst->guard && nst->failsafe != NST_FAILSAFE_HOLD)
		nst->held.gate = nst->manual_gate;
	nst->held.placement = nst->held.gate == NST_GATE_RUN ? NST_NEAR :
							       NST_PAUSED;
	nst->queue_full = false;
	nst->window_us = 0;
	nst->offset.active = false;
	owner_changed(nst);
	nst_guard_replan(nst, nst->settled_us);
	return 0;
}

int nst_lease_renew(struct nst *nst, struct nst_file *file,
		    struct nst_uapi_lease *req)
{
	int err;

	if (req->flags || req->reserved)
		return -EINVAL;
	err = claim_event(nst, NST_CLAIM_RENEW, file, req->heartbeat_ms);
	if (!err)
		req->heartbeat_ms = nst->claim.lease_ms;
	return err;
}

/* @code: 1 heartbeat, 2 close, 0 given back. */
static void lease_end(struct nst *nst, u32 code)
{
	const struct nst_uapi_event ev = {
		.type = NST_EVENT_LEASE_LOST,
		.code = code,
		.t_us = nst->settled_us,
		.seq = nst->frame_seq,
		.value = nst->holder_pid,
	};

	nst->queue_full = false;
	nst->offset.active = false;
	cancel_delayed_work(&nst->lease_work);
	if (nst->frame_source == NST_UFRAMES_USER ||
	    nst->frame_source == NST_UFRAMES_TIMER) {
		nst->frame_source = NST_UFRAMES_NONE;
		cancel_delayed_work(&nst->frame_work);
		nst_guard_rearm(nst);
	}
	if (code)
		nst_event(nst, &ev);
	nst_guard_engine_reset(nst);
	owner_changed(nst);
	nst_guard_replan(nst, nst->settled_us);
}

int nst_lease_give_back(struct nst *nst, struct nst_file *file)
{
	int err = claim_event(nst, NST_CLAIM_GIVE_BACK, file, 0);

	if (!err)
		lease_end(nst, 0);
	return err;
}

/* nst_lease_close() - @file is gone, by close() or with its process */
void nst_lease_close(struct nst *nst, struct nst_file *file)
{
	bool held = nst->claim.holder == file;

	if (!held)
		return;
	claim_event(nst, NST_CLAIM_CLOSE, file, 0);
	lease_end(nst, 2);
}

void nst_lease_expire(struct work_struct *work)
{
	struct nst *nst = container_of(to_delayed_work(work), struct nst,
				       lease_work);
	bool held;

	if (nst_lock(nst))
		return;
	if (nst->asleep)
		goto out;
	held = nst->claim.holder;
	/* Renewed while this was on its way to the lock? */
	claim_event(nst, NST_CLAIM_TIME, NULL, 0);
	if (held && !nst->claim.holder) {
		nst_settle(nst, nst_now_us(nst));
		nst->stats.lease_expiries++;
		dev_warn_ratelimited(&nst->dev,
				     "no heartbeat from %s (%d), the kernel governs\n",
				     nst->holder_comm, nst->holder_pid);
		lease_end(nst, 1);
	}
out:
	nst_unlock(nst);
}

static int gate_args(const struct nst *nst, const struct nst_uapi_gate *req)
{
	if ((nst_has_gate(nst) ? !nst_gate_exists(nst, req->gate) :
				 req->gate >= NST_GATE_COUNT) ||
	    req->when > NST_GATE_WHEN_OFFSET || req->reserved)
		return -EINVAL;
	if (req->flags & ~(NST_GATE_EVERY_FRAME | NST_GATE_PLACEMENT |
			   NST_GATE_WINDOW))
		return -EINVAL;
	if (req->flags & NST_GATE_WINDOW) {
		if (req->when != NST_GATE_WHEN_FRAME || !req->window_us ||
		    req->gate != NST_GATE_RUN ||
		    req->flags & NST_GATE_EVERY_FRAME)
			return -EINVAL;
	} else if (req->window_us) {
		return -EINVAL;
	}
	if (req->flags & NST_GATE_PLACEMENT) {
		if (req->placement >= NST_PLACEMENT_COUNT)
			return -EINVAL;
	} else if (req->placement) {
		return -EINVAL;
	}
	if (req->when != NST_GATE_WHEN_OFFSET &&
	    ((req->offset_us && !(req->flags & NST_GATE_WINDOW)) ||
	     req->flags & NST_GATE_EVERY_FRAME))
		return -EINVAL;
	if (req->when != NST_GATE_WHEN_FRAME && req->frame_seq)
		return -EINVAL;
	return 0;
}

/*
 * nst_lease_set_gate() - the holder wants a gate
 * What the ranks make of it comes back in @req. Return: 0, -EINVAL, -EPERM
 * or -EBUSY for who is not the holder, -EPERM beyond the wear budget,
 * -EOPNOTSUPP for anything but run where there is no gate,
 * -ENODATA for an offset or a window without frames, -ERANGE for one that is
 * not inside the frame, -EOPNOTSUPP for a window without a gate,
 * or what the hardware said to a change at once.
 */
int nst_lease_set_gate(struct nst *nst, struct nst_file *file,
		       struct nst_uapi_gate *req)
{
	bool framed = nst_has_frames(nst);
	struct nst_request want = { 0 };
	u64 next_seq = nst->frame_seq + 1;
	u64 now_us = nst->settled_us;
	int err;

	err = gate_args(nst, req);
	if (err)
		return err;
	err = nst_lease_check(nst, file);
	if (err)
		return err;
	if (!nst_has_gate(nst) && req->gate != NST_GATE_RUN)
		return -EOPNOTSUPP;
	if (req->when == NST_GATE_WHEN_OFFSET) {
		if (!framed)
			return -ENODATA;
		if (req->offset_us >= nst->timing.frame_period_us)
			return -ERANGE;
	}
	if (req->flags & NST_GATE_WINDOW) {
		if (!nst_has_gate(nst))
			return -EOPNOTSUPP;
		if (!framed)
			return -ENODATA;
		if ((u64)req->offset_us + req->window_us >
		    nst->timing.frame_period_us)
			return -ERANGE;
	}
	err = nst_gate_affordable(nst, (u8)req->gate, nst->gate);
	if (err)
		return err;
	claim_event(nst, NST_CLAIM_USE, file, 0);
	nst_obey_asked(&nst->obey, (u8)req->gate);

	want.gate = (u8)req->gate;
	want.reason = req->reason;
	if (req->flags & NST_GATE_PLACEMENT)
		want.placement = (u8)req->placement;
	else
		want.placement = want.gate == NST_GATE_RUN ? NST_NEAR :
							     NST_PAUSED;

	if (want.gate == NST_GATE_RUN)
		nst->window_us = req->window_us;
	if (req->when == NST_GATE_WHEN_NOW || !framed) {
		const struct nst_request held = nst->held;
		bool queue_full = nst->queue_full;
		bool offset_active = nst->offset.active;

		nst->held = want;
		nst->queue_full = false;
		nst->offset.active = false;
		if (want.gate == NST_GATE_RUN && nst->gate != NST_GATE_RUN)
			nst_guard_foresee(nst, now_us);
		err = nst_guard_act_now(nst, now_us);
		if (err) {
			nst->held = held;
			nst->queue_full = queue_full;
			nst->offset.active = offset_active;
		}
		nst_guard_replan(nst, now_us);
		if (err)
			return err;
		req->ret_frame_seq = nst->frame_seq;
		req->ret_applied = nst->gate;
	} else if (req->when == NST_GATE_WHEN_FRAME) {
		if (req->flags & NST_GATE_WINDOW) {
			want.from_us = req->offset_us;
			want.len_us = req->window_us;
		}
		nst->queued = want;
		nst->queued_seq = max(req->frame_seq, next_seq);
		nst->queue_full = true;
		nst_guard_replan(nst, now_us);
		req->ret_frame_seq = nst->queued_seq;
		req->ret_applied = nst->queued_seq == next_seq ?
					   nst_guard_gate_next(nst) :
					   want.gate;
	} else {
		/* One program of edges at a time: the gate is held without. */
		nst->held.from_us = 0;
		nst->held.len_us = 0;
		nst->queued.from_us = 0;
		nst->queued.len_us = 0;
		nst->window_us = 0;
		nst->offset = (struct nst_offset_program){
			.req = want,
			.seq = nst->frame_start_us + req->offset_us > now_us ?
				       nst->frame_seq : next_seq,
			.offset_us = req->offset_us,
			.active = true,
			.every = req->flags & NST_GATE_EVERY_FRAME,
		};
		nst_guard_replan(nst, now_us);
		req->ret_frame_seq = nst->offset.seq;
		req->ret_applied = want.gate;
		if (nst->offset.seq == nst->frame_seq && nst->plan.edges &&
		    !nst->plan.edge[0].boundary)
			req->ret_applied = nst->plan.edge[0].gate;
	}
	req->ret_clamped = req->ret_applied != want.gate;
	return 0;
}

static int frame_args(const struct nst *nst, const struct nst_uapi_frame *req)
{
	if (req->flags)
		return -EINVAL;
	if (req->period_us < NST_FRAME_PERIOD_MIN_US ||
	    req->period_us > NST_FRAME_PERIOD_MAX_US ||
	    req->exposure_us > req->period_us ||
	    req->readout_us > req->period_us)
		return -ERANGE;
	/* Not from the future, and not before the last one. */
	if (req->start_us > nst->settled_us + req->period_us)
		return -ERANGE;
	return 0;
}

/*
 * The timer has made the boundary that the holder tells of, or later ones:
 * there is nothing to do for it, but the phase and the count are the
 * holder's. Return: false when it is news.
 */
static bool correct_phase(struct nst *nst, const struct nst_uapi_frame *req)
{
	u64 period_us = req->period_us, since;

	if (!nst_has_frames(nst) || nst->frame_start_us <= nst->phase_us ||
	    req->start_us >= nst->frame_start_us + period_us / 2)
		return false;
	since = 0;
	if (req->start_us < nst->frame_start_us)
		since = div64_u64(nst->frame_start_us - req->start_us +
				  period_us / 2, period_us);
	nst->frame_seq = req->frame_seq + since;
	nst->frame_start_us = req->start_us + since * period_us;
	return true;
}

static void arm_frame_timer(struct nst *nst, u64 now_us)
{
	mod_delayed_work(nst_system_wq, &nst->frame_work,
			 nst_delay(nst, nst->frame_timer_us, now_us));
}

/*
 * nst_lease_frame() - the holder saw a frame begin
 * Between calls a timer carries the phase on. A call for a boundary that the
 * timer has made already only sets the phase right.
 */
int nst_lease_frame(struct nst *nst, struct nst_file *file,
		    const struct nst_uapi_frame *req)
{
	int err = frame_args(nst, req);
	bool known, waited;

	if (err)
		return err;
	err = nst_lease_check(nst, file);
	if (err)
		return err;
	if (nst->frames_by != NST_UFRAMES_NONE)
		return -EBUSY;
	/* What is told comes in order, however far the timer has gone. */
	if (nst_has_frames(nst) && req->start_us <= nst->phase_us)
		return -ERANGE;
	waited = nst_guard_window_waits(nst, nst->settled_us);
	known = correct_phase(nst, req);
	claim_event(nst, NST_CLAIM_USE, file, 0);

	nst->frame_source = NST_UFRAMES_USER;
	nst->phase_us = req->start_us;
	nst->timing.frame_period_us = req->period_us;
	nst->timing.exposure_us = req->exposure_us;
	nst->timing.readout_us = req->readout_us;
	if (known)
		nst_guard_phase(nst, waited, nst->settled_us);
	else
		nst_guard_boundary(nst, req->frame_seq, req->start_us);
	/*
	 * One that the holder does not tell is made half a frame later; with
	 * a holder that is late by more than a frame it is made on time.
	 */
	nst->frame_timer_us = max(req->start_us + (u64)req->period_us * 3 / 2,
				  nst->frame_start_us + req->period_us);
	arm_frame_timer(nst, nst->settled_us);
	return 0;
}

/*
 * No FRAME for half a frame longer than a period: carry on in phase. The
 * first boundary is made that late, because the holder was to tell it; those
 * after it are made on time.
 */
void nst_lease_frame_timer(struct work_struct *work)
{
	struct nst *nst = container_of(to_delayed_work(work), struct nst,
				       frame_work);
	u64 now_us, next_us, missed;

	if (nst_lock(nst))
		return;
	next_us = nst->frame_timer_us;
	nst_unlock(nst);
	nst_await(nst, next_us);

	if (nst_lock(nst))
		return;
	if (nst->asleep || (nst->frame_source != NST_UFRAMES_USER &&
			    nst->frame_source != NST_UFRAMES_TIMER))
		goto out;
	now_us = nst_now_us(nst);
	next_us = nst->frame_start_us + nst->timing.frame_period_us;
	if (now_us >= nst->frame_timer_us && now_us >= next_us) {
		/* After a pause: the boundaries in between are history. */
		missed = div_u64(now_us - next_us,
				 nst->timing.frame_period_us);
		next_us += missed * nst->timing.frame_period_us;
		nst->frame_source = NST_UFRAMES_TIMER;
		nst_guard_boundary(nst, nst->frame_seq + 1 + missed, next_us);
		nst->frame_timer_us = next_us + nst->timing.frame_period_us;
	}
	arm_frame_timer(nst, now_us);
out:
	nst_unlock(nst);
}

/* nst_lease_wake() - after a sleep: the holder gets a whole heartbeat */
void nst_lease_wake(struct nst *nst)
{
	if (nst->claim.holder) {
		nst->claim.until_ms = wall_ms() + nst->claim.lease_ms;
		arm_heartbeat(nst);
	}
	if (nst->frame_source == NST_UFRAMES_USER ||
	    nst->frame_source == NST_UFRAMES_TIMER) {
		nst->frame_timer_us = nst->settled_us +
				      nst->timing.frame_period_us;
		arm_frame_timer(nst, nst->settled_us);
	}
}
