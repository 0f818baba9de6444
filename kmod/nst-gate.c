// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-gate.c - the gate: changes under way, what the hardware made of them,
 * and the books
 *
 * What is to come is a plan (nst-plan.h). With NST_CAP_GATE_AT_TIME the
 * provider has it ahead and makes it on time; else it is made here when its
 * time has come: with the frame boundary it belongs to, or by a timer inside
 * the frame. A gate that refuses or lies is watched by nst-obey.h; the books
 * then follow what the hardware reports, so that the model of the die is that
 * of the real stack.
 *
 * nst_settle() brings everything up to a time: edges that are due come into
 * force in order, the model of the die is advanced piece by piece with the
 * power of each gate, time and wear are counted, events are told with the
 * time of the edge rather than of whoever noticed. Every entry into the
 * driver settles first, so nobody sees half a past.
 */
#include <linux/delay.h>
#include <linux/sysfs.h>
#include <linux/wait.h>

#include "nst.h"
#include "nst-trace.h"

static_assert(NST_PLAN_MAX == NST_GATE_PENDING_MAX);

/* How long a close that was refused waits; nst-obey.h makes it longer. */
#define CLOSE_RETRY_US 1000

static void arm_edge_timer(struct nst *nst, u64 now_us);

/* The model, and the time in run, up to @t_us with the gate in force. */
static void advance_to(struct nst *nst, u64 t_us)
{
	u64 dt_us;

	if (t_us <= nst->settled_us)
		return;
	dt_us = t_us - nst->settled_us;
	if (nst->gate_real == NST_GATE_RUN)
		nst->stats.time_in_run_us += dt_us;
	nst->settled_us = t_us;

	if (dt_us > NST_DT_MAX_US) {
		/* Too long ago: the next good sample is a new start. */
		nst->observer.primed = false;
		return;
	}
	nst_observer_advance(&nst->observer,
			     nst_gate_power(nst, nst->gate_real), (u32)dt_us);
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
	/* Inside a frame no reading will tell. */
	if (nst->observer.primed && gate > nst->gate)
		nst->peak_mc = max(nst->peak_mc, ev.temp_mc);
	trace_nst_gate(nst->id, seq, t_us, nst->gate, gate);
	nst->gate_prev = nst->gate;
	nst->gate = gate;
	/* A gate that was seen to lie is not believed until it is seen to obey. */
	if (!nst->obey.contradicted || gate != nst->obey.gate)
		nst->gate_real = gate;
	nst->gate_since_us = t_us;
	nst->cycles[gate]++;
	nst->stats.gate_changes++;
	nst_event(nst, &ev);
	if (nst->gate_kn)
		sysfs_notify_dirent(nst->gate_kn);
}

/* ------------------------------------------------------ told, and obeyed? */

static void watch_gate(struct nst *nst, enum nst_obey_event event, u8 gate,
		       u64 t_us)
{
	switch (nst_obey_event(&nst->obey, event, gate, t_us)) {
	case NST_OBEY_IS_FAULT:
		nst->stats.gate_faults++;
		nst_fault_locked(nst, NST_FAULT_GATE, gate);
		dev_warn_ratelimited(&nst->dev,
				     "the gate does not obey, it should be %s\n",
				     nst_gate_name((enum nst_gate)gate));
		break;
	case NST_OBEY_IS_BACK:
		dev_info_ratelimited(&nst->dev, "the gate obeys again\n");
		break;
	default:
		break;
	}
}

/*
 * A gate that stays open is not left so till the next boundary, whatever the
 * request of the present period says: a close may be an offset's, or that of
 * a period whose frame was lost.
 */
static void retry_close(struct nst *nst, u8 gate, u64 now_us)
{
	if (gate <= nst->gate)
		return;
	nst->close_retry_us = max(now_us + CLOSE_RETRY_US, nst->obey.next_us);
	nst->close_retry_gate = gate;
	arm_edge_timer(nst, now_us);
}

/*
 * Change the gate now. A gate that has failed is asked as seldom as
 * nst-obey.h says; in between the answer is that of the last time.
 */
static int tell_now(struct nst *nst, u8 gate, u64 now_us)
{
	int err;

	if (!nst_has_gate(nst))
		return gate == NST_GATE_RUN ? 0 : -EOPNOTSUPP;
	/* One that lies has no error of its own. */
	if (!nst_obey_may_try(&nst->obey, gate, now_us)) {
		retry_close(nst, gate, now_us);
		return nst->gate_err ?: -EIO;
	}
	err = nst->ops->set_gate(nst->priv, (enum nst_gate)gate, 0);
	if (err) {
		nst->gate_err = err;
		nst->stats.gate_retries++;
	} else {
		/* What waited there is dropped. */
		nst_plan_unsend(&nst->plan);
		nst->close_retry_us = 0;
	}
	watch_gate(nst, err ? NST_OBEY_REFUSED : NST_OBEY_ACCEPTED, gate,
		   now_us);
	if (err)
		retry_close(nst, gate, now_us);
	return err;
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
	int err;

	if (!nst_has_gate(nst))
		return;
	/* A boundary told late may lie before the change. */
	if (now_us < nst->gate_since_us + cost_us)
		return;
	if (nst->ops->get_gate(nst->priv, &real) ||
	    !nst_gate_exists(nst, real))
		return;
	if (real == nst->gate) {
		nst->gate_real = nst->gate;
		watch_gate(nst, NST_OBEY_AGREED, nst->gate, now_us);
		return;
	}

	/* The model went with the wrong power: it starts anew. */
	if (nst->gate_real != real)
		nst->observer.primed = false;
	nst->gate_real = (u8)real;
	watch_gate(nst, NST_OBEY_CONTRADICTED, nst->gate, now_us);
	if (!nst_obey_may_try(&nst->obey, nst->gate, now_us))
		return;
	nst->stats.gate_retries++;
	err = nst->ops->set_gate(nst->priv, (enum nst_gate)nst->gate, 0);
	if (err) {
		nst->gate_err = err;
		watch_gate(nst, NST_OBEY_REFUSED, nst->gate, now_us);
		return;
	}
	nst_obey_tried(&nst->obey, now_us);
	/* What waited there is dropped, so send it anew. */
	if (nst->caps & NST_CAP_GATE_AT_TIME)
		nst->plan.edges = 0;
}

/* ------------------------------------------------------------------ edges */

/* @t_us: when it comes into force; its own time if the provider made it. */
static void edge_take_effect(struct nst *nst, const struct nst_edge *edge,
			     u64 t_us)
{
	int err = 0;

	advance_to(nst, t_us);
	if (edge->sent) {
		watch_gate(nst, NST_OBEY_ACCEPTED, edge->gate, t_us);
	} else if (edge->gate != nst->gate) {
		if (edge->gate == NST_GATE_RUN && t_us > edge->at_us)
			nst_guard_window_opens(nst, edge->seq,
					       t_us - edge->at_us);
		err = tell_now(nst, edge->gate, t_us);
	}
	/* The season first, so that the gate's record carries it. */
	if (!err || edge->placement == NST_FAR)
		set_placement(nst, edge->placement, t_us, edge->seq);
	/* One that is refused comes again, with a plan or by the timer. */
	if (!err)
		set_gate(nst, edge->gate, t_us, edge->seq);
}

/* nst_settle() - bring edges, model and books up to @now_us */
void nst_settle(struct nst *nst, u64 now_us)
{
	struct nst_edge edge;
	bool took = false;

	while (nst_plan_due(&nst->plan, now_us, &edge)) {
		took = true;
		if (nst_plan_pointless(&nst->plan, &edge, now_us)) {
			nst_guard_window_late(nst, edge.seq);
			continue;
		}
		/* One that is made here is made now, however late that is. */
		edge_take_effect(nst, &edge, edge.sent ? edge.at_us : now_us);
	}
	advance_to(nst, now_us);
	/* Whoever came by made this one; the next is waited for. */
	if (took)
		arm_edge_timer(nst, now_us);
}

/*
 * nst_gate_boundary() - settle up to the start of period @seq
 * @now_us: what edges of the boundary are made at: the start of the period
 * where the provider's clock stands there during the call, else later.
 */
void nst_gate_boundary(struct nst *nst, u64 seq, u64 start_us, u64 now_us)
{
	struct nst_edge edge;

	/* The boundary decides anew. */
	nst->close_retry_us = 0;
	while (nst_plan_due(&nst->plan, start_us, &edge)) {
		if (!nst_plan_pointless(&nst->plan, &edge, now_us))
			edge_take_effect(nst, &edge,
					 edge.sent ? edge.at_us : now_us);
		else
			nst_guard_window_late(nst, edge.seq);
	}
	advance_to(nst, start_us);
	/* Edges of a boundary that came earlier than computed are due with it. */
	while (nst_plan_boundary(&nst->plan, seq, &edge)) {
		edge.sent = false;
		if (nst_plan_pointless(&nst->plan, &edge, now_us))
			continue;
		edge_take_effect(nst, &edge, now_us);
	}
	nst_settle(nst, start_us);
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
	/* What was refused before is no longer what is wanted. */
	nst->close_retry_us = 0;
	/* There is nothing to tell who has nothing that waits. */
	if (gate == nst->gate &&
	    (!nst->plan.edges || !(nst->caps & NST_CAP_GATE_AT_TIME))) {
		nst->plan.edges = 0;
		set_placement(nst, placement, now_us, nst->frame_seq);
		return 0;
	}
	err = tell_now(nst, gate, now_us);
	if (err)
		return err;
	nst->plan.edges = 0;
	set_placement(nst, placement, now_us, nst->frame_seq);
	set_gate(nst, gate, now_us, nst->frame_seq);
	return 0;
}

/*
 * nst_gate_wake() - after a sleep: the books begin with what the hardware has
 * What it reports is taken, for it may have lost its power meanwhile.
 */
void nst_gate_wake(struct nst *nst, u64 now_us)
{
	enum nst_gate real;

	nst->plan.edges = 0;
	nst->close_retry_us = 0;
	nst->settled_us = max(nst->settled_us, now_us);
	if (!nst_has_gate(nst) || nst->ops->get_gate(nst->priv, &real) ||
	    !nst_gate_exists(nst, real))
		return;
	set_gate(nst, (u8)real, nst->settled_us, nst->frame_seq);
	nst->gate_real = (u8)real;
	nst->gate_since_us = nst->settled_us;
}

/* nst_gate_at() - gate in force just before @t_us, as far as is planned */
u8 nst_gate_at(const struct nst *nst, u64 t_us, u64 *ret_since_us)
{
	return nst_plan_gate_at(&nst->plan, nst->gate, nst->gate_since_us,
				t_us, ret_since_us);
}

/* ------------------------------------------------------------------ timer */

/*
 * When somebody has to wake up for the first edge that is made here, 0 for
 * never. One at a boundary comes with it; if its frame edge is lost, a
 * quarter of a period later. One that changes nothing is nobody's concern, but
 * what comes after it is. On a clock that is not the wall's the wait is an
 * estimate, and made again.
 */
static u64 plan_wake_us(const struct nst *nst)
{
	u8 gate = nst->gate;
	unsigned int i;

	for (i = 0; i < nst->plan.edges; i++) {
		const struct nst_edge *edge = &nst->plan.edge[i];

		/* The provider makes what it was sent by itself. */
		if (!edge->sent && !edge->boundary)
			return edge->at_us;
		if (!edge->sent && edge->gate != gate && !nst->ops->now_us)
			return edge->at_us + nst->timing.frame_period_us / 4;
		gate = edge->gate;
	}
	return 0;
}

static u64 wake_us(const struct nst *nst)
{
	u64 at_us = plan_wake_us(nst), retry_us = nst->close_retry_us;

	if (retry_us && (!at_us || retry_us < at_us))
		return retry_us;
	return at_us;
}

/* Who waits for an edge already may have to wake up for an earlier one. */
static void arm_edge_timer(struct nst *nst, u64 now_us)
{
	u64 at_us = wake_us(nst);

	WRITE_ONCE(nst->edge_wake, nst->edge_wake + 1);
	wake_up(&nst->edge_wait);
	if (at_us && !nst->asleep)
		mod_delayed_work(nst_system_wq, &nst->edge_work,
				 nst_delay(nst, at_us, now_us));
}

/*
 * nst_delay() - jiffies to sleep for something at @at_us
 * On the wall clock it ends early, and nst_await() does the rest; on another
 * it ends late.
 */
unsigned long nst_delay(const struct nst *nst, u64 at_us, u64 now_us)
{
	u64 wait_us = at_us > now_us ? at_us - now_us : 0;
	unsigned long wait;

	wait = usecs_to_jiffies((u32)min_t(u64, wait_us, 1000000));
	if (nst->ops->now_us)
		return wait + 1;
	return wait > 2 ? wait - 2 : 0;
}

/*
 * nst_await() - sleep till @at_us; without the lock, from a work
 * A jiffy is long against a frame. Return: false when that is still too far,
 * or not to be told in wall time.
 */
bool nst_await(const struct nst *nst, u64 at_us)
{
	u64 now_us, wait_us;

	if (nst->ops->now_us)
		return true;
	now_us = (u64)ktime_to_us(ktime_get());
	if (at_us <= now_us)
		return true;
	wait_us = at_us - now_us;
	if (wait_us > 4 * jiffies_to_usecs(1))
		return false;
	usleep_range((unsigned long)wait_us, (unsigned long)wait_us + 50);
	return true;
}

/*
 * As nst_await(), but a work does not run twice at a time: one that slept on
 * for a lost boundary would hold up the close of the window that came with it.
 */
static void await_edge(struct nst *nst, u64 at_us, u32 wake)
{
	u64 now_us, wait_us;

	if (nst->ops->now_us)
		return;
	now_us = (u64)ktime_to_us(ktime_get());
	wait_us = at_us > now_us ? at_us - now_us : 0;
	if (wait_us && wait_us <= 4 * jiffies_to_usecs(1))
		wait_event_hrtimeout(nst->edge_wait,
				     READ_ONCE(nst->edge_wake) != wake,
				     ns_to_ktime(wait_us * NSEC_PER_USEC));
}

/* nst_gate_edge_timer() - an edge is due that the provider does not have */
void nst_gate_edge_timer(struct work_struct *work)
{
	struct nst *nst = container_of(to_delayed_work(work), struct nst,
				       edge_work);
	u64 now_us, at_us;
	u32 wake;

	if (nst_lock(nst))
		return;
	at_us = wake_us(nst);
	wake = nst->edge_wake;
	nst_unlock(nst);
	if (at_us)
		await_edge(nst, at_us, wake);

	if (nst_lock(nst))
		return;
	now_us = nst_now_us(nst);
	nst_settle(nst, now_us);
	if (nst->close_retry_us && now_us >= nst->close_retry_us)
		nst_guard_retry(nst, now_us);
	arm_edge_timer(nst, now_us);
	nst_unlock(nst);
}

/* nst_gate_plan() - the edges that are to come, in order of time */
void nst_gate_plan(struct nst *nst, const struct nst_edge *edge,
		   unsigned int edges, u64 now_us)
{
	struct nst_plan_call call[NST_PLAN_MAX + 1];
	unsigned int calls, i;

	calls = nst_plan_replace(&nst->plan, edge, edges, nst->gate,
				 nst->caps & NST_CAP_GATE_AT_TIME, call);
	for (i = 0; i < calls; i++) {
		int err = -EBUSY;

		/* A gate that failed is told when it is due, and not before. */
		if (call[i].edge < 0 || nst->obey.state == NST_OBEY_GOOD ||
		    call[i].gate != nst->obey.gate)
			err = nst->ops->set_gate(nst->priv,
						 (enum nst_gate)call[i].gate,
						 call[i].at_us);
		if (err && call[i].edge >= 0)
			nst->plan.edge[call[i].edge].sent = false;
	}
	nst_settle(nst, now_us);
	arm_edge_timer(nst, now_us);
}

/* nst_gate_affordable() - -EPERM beyond the wear budget of a deep gate */
int nst_gate_affordable(const struct nst *nst, u8 gate, u8 from)
{
	if (gate == from || gate <= NST_GATE_STANDBY || !nst->budget[gate])
		return 0;
	return nst->cycles[gate] >= nst->budget[gate] ? -EPERM : 0;
}
