// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-gate.c - the gate machine: edges under way, and the books
 *
 * An edge is a gate at a time. With NST_CAP_GATE_AT_TIME the provider gets it
 * ahead and makes it on time; else it is made here when its time has come:
 * with the frame boundary it belongs to, or by a timer inside the frame.
 *
 * nst_settle() brings everything up to a time: edges that are due come into
 * force in order, the model of the die is advanced piece by piece with the
 * power of each gate, time and wear are counted, events are told with the
 * time of the edge rather than of whoever noticed. Every entry into the
 * driver settles first, so nobody sees half a past.
 */
#include <linux/sysfs.h>

#include "nst.h"
#include "nst-trace.h"

/* The model, and the time in run, up to @t_us with the gate in force. */
static void advance_to(struct nst *nst, u64 t_us)
{
	u64 dt_us;

	if (t_us <= nst->settled_us)
		return;
	dt_us = t_us - nst->settled_us;
	if (nst->gate == NST_GATE_RUN)
		nst->stats.time_in_run_us += dt_us;
	nst->settled_us = t_us;

	if (dt_us > NST_DT_MAX_US) {
		/* Too long ago: the next good sample is a new start. */
		nst->observer.primed = false;
		return;
	}
	nst_observer_advance(&nst->observer, nst_gate_power(nst, nst->gate),
			     (u32)dt_us);
}

static void set_placement(struct nst *nst, u8 placement, u64 t_us, u64 seq)
{
	struct nst_uapi_event ev = {
		.type = NST_EVENT_SEASON,
		.code = placement,
		.t_us = t_us,
		.seq = seq,
		.value = nst->placement,
	};

	if (placement == nst->placement)
		return;
	nst->placement = placement;
	nst_event(nst, &ev);
}

static void set_gate(struct nst *nst, u8 gate, u64 t_us, u64 seq)
{
	struct nst_uapi_event ev = {
		.type = NST_EVENT_GATE,
		.code = gate,
		.t_us = t_us,
		.seq = seq,
		.value = nst->gate,
	};

	if (gate == nst->gate)
		return;
	if (nst->observer.primed)
		ev.temp_mc = nst_observer_die_mc(&nst->observer);
	trace_nst_gate(nst->id, seq, t_us, nst->gate, gate);
	nst->gate_prev = nst->gate;
	nst->gate = gate;
	nst->gate_since_us = t_us;
	nst->cycles[gate]++;
	nst->stats.gate_changes++;
	nst_event(nst, &ev);
	if (nst->gate_kn)
		sysfs_notify_dirent(nst->gate_kn);
}

static void edge_take_effect(struct nst *nst, const struct nst_edge *edge)
{
	advance_to(nst, edge->at_us);
	if (!edge->sent) {
		int err = nst->ops->set_gate(nst->priv, edge->gate, 0);
		unsigned int i;

		/* Tried again at the next boundary, see nst_gate_verify(). */
		if (err)
			nst->stats.gate_retries++;
		/* For now: the provider has dropped what waits. */
		for (i = 0; i < nst->edges; i++)
			nst->edge[i].sent = false;
	}
	/* The season first, so that the gate's record carries it. */
	set_placement(nst, edge->placement, edge->at_us, edge->seq);
	set_gate(nst, edge->gate, edge->at_us, edge->seq);
}

static void drop_first_edge(struct nst *nst)
{
	memmove(&nst->edge[0], &nst->edge[1],
		(nst->edges - 1) * sizeof(nst->edge[0]));
	nst->edges--;
}

/* nst_settle() - bring edges, model and books up to @now_us */
void nst_settle(struct nst *nst, u64 now_us)
{
	while (nst->edges && nst->edge[0].at_us <= now_us) {
		struct nst_edge edge = nst->edge[0];

		drop_first_edge(nst);
		edge_take_effect(nst, &edge);
	}
	advance_to(nst, now_us);
}

/*
 * nst_gate_boundary() - settle up to the start of period @seq
 * Edges of a boundary that came earlier than computed are due with it.
 */
void nst_gate_boundary(struct nst *nst, u64 seq, u64 start_us)
{
	nst_settle(nst, start_us);
	while (nst->edges &&
	       (nst->edge[0].seq < seq ||
		(nst->edge[0].seq == seq && nst->edge[0].boundary))) {
		struct nst_edge edge = nst->edge[0];

		drop_first_edge(nst);
		edge.at_us = start_us;
		edge.sent = false;
		edge_take_effect(nst, &edge);
	}
}

/*
 * nst_gate_now() - change the gate at once
 * Edges that wait are dropped, here and in the provider.
 * Return: 0 or the provider's error, and nothing has changed.
 */
int nst_gate_now(struct nst *nst, u8 gate, u8 placement, u64 now_us)
{
	int err;

	nst_settle(nst, now_us);
	if (gate == nst->gate && !nst->edges) {
		set_placement(nst, placement, now_us, nst->frame_seq);
		return 0;
	}
	err = nst->ops->set_gate(nst->priv, gate, 0);
	if (err)
		return err;
	nst->edges = 0;
	set_placement(nst, placement, now_us, nst->frame_seq);
	set_gate(nst, gate, now_us, nst->frame_seq);
	return 0;
}

/*
 * nst_gate_at() - gate in force just before @t_us, as far as is planned
 * @ret_since_us: since when it is in force then
 */
u8 nst_gate_at(const struct nst *nst, u64 t_us, u64 *ret_since_us)
{
	u8 gate = nst->gate;
	unsigned int i;

	*ret_since_us = nst->gate_since_us;
	for (i = 0; i < nst->edges && nst->edge[i].at_us < t_us; i++) {
		if (nst->edge[i].gate == gate)
			continue;
		gate = nst->edge[i].gate;
		*ret_since_us = nst->edge[i].at_us;
	}
	return gate;
}

/*
 * Edges at boundaries come with their boundary; one inside a frame that the
 * provider could not take needs a wake-up, a jiffy late at the most. On a
 * clock that is not the wall's this is an estimate, and made again.
 */
static void arm_edge_timer(struct nst *nst, u64 now_us)
{
	u64 wait_us;

	if (!nst->edges || nst->edge[0].sent || nst->edge[0].boundary)
		return;
	wait_us = nst->edge[0].at_us - now_us;
	mod_delayed_work(system_wq, &nst->edge_work,
			 usecs_to_jiffies((u32)min_t(u64, wait_us, 1000000)) +
			 1);
}

/*
 * nst_gate_plan() - the edges that are to come, in order of time
 *
 * Replaces what was planned. The provider hears only of differences: an edge
 * that stays costs no call, and one that is no longer wanted is overridden
 * by the gate that stays in force at its time.
 */
void nst_gate_plan(struct nst *nst, const struct nst_edge *edge,
		   unsigned int edges, u64 now_us)
{
	struct nst_edge plan[NST_GATE_PENDING_MAX];
	unsigned int same, i;
	u8 before;

	edges = min_t(unsigned int, edges, NST_GATE_PENDING_MAX);
	for (same = 0; same < edges && same < nst->edges; same++) {
		const struct nst_edge *old = &nst->edge[same];

		if (old->at_us != edge[same].at_us ||
		    old->gate != edge[same].gate)
			break;
	}

	before = nst->gate;
	for (i = 0; i < same; i++) {
		plan[i] = edge[i];
		plan[i].sent = nst->edge[i].sent;
		before = edge[i].gate;
	}

	if (!(nst->caps & NST_CAP_GATE_AT_TIME)) {
		for (; i < edges; i++) {
			plan[i] = edge[i];
			plan[i].sent = false;
		}
		goto out;
	}

	/* An old edge before the first new one has to go. */
	if (same < nst->edges &&
	    (same == edges || nst->edge[same].at_us < edge[same].at_us))
		nst->ops->set_gate(nst->priv, before, nst->edge[same].at_us);
	for (; i < edges; i++) {
		plan[i] = edge[i];
		plan[i].sent = true;
		/* One that changes nothing, with nothing to override. */
		if (plan[i].gate == before && same >= nst->edges)
			continue;
		if (nst->ops->set_gate(nst->priv, plan[i].gate,
				       plan[i].at_us))
			plan[i].sent = false;
		before = plan[i].gate;
	}
out:
	memcpy(nst->edge, plan, edges * sizeof(plan[0]));
	nst->edges = edges;
	nst_settle(nst, now_us);
	arm_edge_timer(nst, now_us);
}

/* nst_gate_edge_timer() - an edge that the provider does not have is due */
void nst_gate_edge_timer(struct work_struct *work)
{
	struct nst *nst = container_of(to_delayed_work(work), struct nst,
				       edge_work);
	u64 now_us;

	if (nst_lock(nst))
		return;
	now_us = nst_now_us(nst);
	nst_settle(nst, now_us);
	arm_edge_timer(nst, now_us);
	nst_unlock(nst);
}

/*
 * nst_gate_verify() - does the hardware have the gate that it was given?
 * A gate that takes its time is left alone for twice its cost.
 */
void nst_gate_verify(struct nst *nst, u64 now_us)
{
	u64 cost_us = 2 * ((u64)nst->gate_enter_us[nst->gate] +
			   nst->gate_exit_us[nst->gate_prev]);
	enum nst_gate real;

	/* A boundary told late may lie before the change. */
	if (now_us < nst->gate_since_us + cost_us)
		return;
	if (nst->ops->get_gate(nst->priv, &real) || real == nst->gate)
		return;
	nst->stats.gate_retries++;
	/* For now: everything that waits is dropped there, so send it anew. */
	if (!nst->ops->set_gate(nst->priv, nst->gate, 0))
		nst->edges = 0;
}

/* nst_gate_affordable() - -EPERM beyond the wear budget of a deep gate */
int nst_gate_affordable(const struct nst *nst, u8 gate, u8 from)
{
	if (gate == from || gate <= NST_GATE_STANDBY || !nst->budget[gate])
		return 0;
	return nst->cycles[gate] >= nst->budget[gate] ? -EPERM : 0;
}
