// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-guard-request.c - what the lease holder asked for, period by period
 *
 * A request is for a period and those after it, all of each or a window in
 * it. Here is only what was asked for; what comes of it is nst-guard-plan.c's.
 */
#include "nst-guard.h"

/* nst_guard_request_of() - what the lease holder asked for period @seq */
const struct nst_request *nst_guard_request_of(const struct nst *nst, u64 seq)
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
	return nst_guard_request_of(nst, nst->frame_seq);
}

/*
 * nst_guard_window_of() - the part of each period that a request is for
 * That of period @seq; NULL when it is for all.
 */
const struct nst_request *nst_guard_window_of(const struct nst *nst, u64 seq)
{
	const struct nst_request *req = nst_guard_request_of(nst, seq);

	return nst->claim.holder && req->len_us ? req : NULL;
}

/*
 * nst_guard_window_now() - that of the present period if it has edges
 * A period may have shrunk.
 */
const struct nst_request *nst_guard_window_now(const struct nst *nst)
{
	const struct nst_request *req =
		nst_guard_window_of(nst, nst->frame_seq);

	if (!req || nst->offset.active ||
	    req->from_us >= nst->timing.frame_period_us)
		return NULL;
	return req;
}

/*
 * nst_guard_wanted_at() - what a request wants at a time of this period
 * Without frames there is no phase, and a window has no place: the gate stays
 * closed.
 */
u8 nst_guard_wanted_at(const struct nst *nst, const struct nst_request *req,
		       u64 t_us)
{
	u64 from_us = nst->frame_start_us + req->from_us;

	if (!req->len_us ||
	    (nst_has_frames(nst) && t_us >= from_us &&
	     t_us < from_us + req->len_us))
		return req->gate;
	return max_t(u8, req->gate, NST_GATE_STANDBY);
}

/*
 * nst_guard_take_over() - what was asked for period @seq is in force
 * Or for an earlier one: U64_MAX when there will be no periods.
 */
void nst_guard_take_over(struct nst *nst, u64 seq)
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
 * nst_guard_window_late() - the window of period @seq is cut or left out
 * Nothing is, where the period has none.
 */
void nst_guard_window_late(struct nst *nst, u64 seq)
{
	if (!nst_guard_window_of(nst, seq) || nst->window_late_seq == seq)
		return;
	nst->window_late_seq = seq;
	nst->stats.windows_late++;
}

/* nst_guard_window_opens() - that of period @seq, @late_us after its time */
void nst_guard_window_opens(struct nst *nst, u64 seq, u64 late_us)
{
	const struct nst_request *req = nst_guard_window_of(nst, seq);

	if (req && 8 * late_us > req->len_us)
		nst_guard_window_late(nst, seq);
}

/* nst_guard_window_waits() - it has not opened yet */
bool nst_guard_window_waits(const struct nst *nst, u64 now_us)
{
	const struct nst_request *req = nst_guard_window_now(nst);

	return req && now_us < nst->frame_start_us + req->from_us;
}
