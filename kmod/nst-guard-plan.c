// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-guard-plan.c - requests and bands, by rank, into edges of the gate
 *
 * What holds now is done now; what holds from the next boundary on, and the
 * edges of windows, is planned, for the provider or a timer to make in time.
 */
#include "nst-guard.h"
#include "nst-trace.h"

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
	const struct nst_request *req = nst_guard_request(nst);
	struct nst_rank_outputs out;

	rank(nst, nst_guard_wanted_at(nst, req, now_us), nst->bound_now, &out);
	return attainable(nst, nst->gate, out.gate, nst->gate_since_us,
			  now_us);
}

/*
 * nst_guard_act_now() - bring the gate to what the ranks say, at once
 * Return: 0 or the provider's error; it is tried again at the next boundary.
 */
int nst_guard_act_now(struct nst *nst, u64 now_us)
{
	const struct nst_request *req = nst_guard_request(nst);
	struct nst_rank_outputs out;
	u8 gate, placement;

	rank(nst, req->gate, nst->bound_now, &out);
	set_failsafe(nst, out.failsafe);
	nst->guard = out.guard && nst_has_gate(nst);
	/* Who processes in the period does not hang on where its window is. */
	placement = placement_of(nst, req, &out);
	rank(nst, nst_guard_wanted_at(nst, req, now_us), nst->bound_now, &out);
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
	const struct nst_request *req =
		nst_guard_request_of(nst, nst->frame_seq + 1);

	return req->gate == NST_GATE_RUN && !(req->len_us && req->from_us);
}

/*
 * The edges of a window in the present period that are still to come. The
 * last of them closes, so that the next boundary finds the gate closed.
 */
static unsigned int window_edges(const struct nst *nst, u64 now_us,
				 struct nst_edge edge[2], bool *ret_guard)
{
	const struct nst_request *req = nst_guard_window_now(nst);
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

/* nst_guard_plan_next() - rank and edges of the period after the present one */
void nst_guard_plan_next(struct nst *nst, u64 now_us)
{
	u64 next_us = nst->frame_start_us + nst->timing.frame_period_us;
	u64 next_seq = nst->frame_seq + 1;
	const struct nst_request *req = nst_guard_request_of(nst, next_seq);
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
	const struct nst_request *req =
		nst_guard_window_of(nst, nst->frame_seq + 1);
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
 * nst_guard_window_is_late() - is there what is left of a window to open?
 * A period was told of after its window should have opened, or the one before
 * was lost and nothing is planned for this one. What is left of it is used;
 * less than seven eighths is counted.
 */
bool nst_guard_window_is_late(struct nst *nst, u64 now_us)
{
	const struct nst_request *req = nst_guard_window_now(nst);
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
 * nst_guard_close_at_offset() - the edge inside the frame, told late
 * The boundary was told after the offset at which the gate was to close: it
 * closes with it. Opening has missed its time, and waits for the next.
 */
void nst_guard_close_at_offset(struct nst *nst, u64 now_us)
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
