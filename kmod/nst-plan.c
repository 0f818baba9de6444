// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-plan.c - gate changes that are to come; see nst-plan.h
 */
#include "nst-plan.h"

static void take_first(struct nst_plan *plan, struct nst_edge *ret)
{
	unsigned int i;

	*ret = plan->edge[0];
	plan->edges--;
	for (i = 0; i < plan->edges; i++)
		plan->edge[i] = plan->edge[i + 1];
}

bool nst_plan_due(struct nst_plan *plan, u64 now_us, struct nst_edge *ret)
{
	if (!plan->edges || plan->edge[0].at_us > now_us)
		return false;
	take_first(plan, ret);
	return true;
}

bool nst_plan_boundary(struct nst_plan *plan, u64 seq, struct nst_edge *ret)
{
	const struct nst_edge *first = &plan->edge[0];

	if (!plan->edges || first->seq > seq ||
	    (first->seq == seq && !first->boundary))
		return false;
	take_first(plan, ret);
	return true;
}

bool nst_plan_pointless(const struct nst_plan *plan,
			const struct nst_edge *edge, u64 now_us)
{
	const struct nst_edge *next = &plan->edge[0];

	return plan->edges && !edge->sent && !next->sent &&
	       next->at_us <= now_us && edge->gate < next->gate;
}

u8 nst_plan_gate_at(const struct nst_plan *plan, u8 gate, u64 since_us,
		    u64 t_us, u64 *ret_since_us)
{
	unsigned int i;

	*ret_since_us = since_us;
	for (i = 0; i < plan->edges && plan->edge[i].at_us < t_us; i++) {
		if (plan->edge[i].gate == gate)
			continue;
		gate = plan->edge[i].gate;
		*ret_since_us = plan->edge[i].at_us;
	}
	return gate;
}

/* How many edges of the new plan are the old one's first. */
static unsigned int common(const struct nst_plan *plan,
			   const struct nst_edge *edge, unsigned int edges)
{
	unsigned int n;

	for (n = 0; n < edges && n < plan->edges; n++) {
		if (plan->edge[n].at_us != edge[n].at_us ||
		    plan->edge[n].gate != edge[n].gate)
			break;
	}
	return n;
}

unsigned int nst_plan_replace(struct nst_plan *plan,
			      const struct nst_edge *edge, unsigned int edges,
			      u8 gate, bool at_time,
			      struct nst_plan_call *call)
{
	struct nst_plan fresh = { .edges = edges };
	unsigned int same, i, calls = 0;

	if (fresh.edges > NST_PLAN_MAX)
		fresh.edges = NST_PLAN_MAX;
	same = common(plan, edge, fresh.edges);
	for (i = 0; i < fresh.edges; i++) {
		fresh.edge[i] = edge[i];
		fresh.edge[i].sent = i < same && plan->edge[i].sent;
		if (i < same)
			gate = edge[i].gate;
	}

	/* An old edge before the first new one has to go. */
	if (at_time && same < plan->edges &&
	    (same == fresh.edges ||
	     plan->edge[same].at_us < edge[same].at_us))
		call[calls++] = (struct nst_plan_call){
			.at_us = plan->edge[same].at_us,
			.edge = -1,
			.gate = gate,
		};
	for (i = same; at_time && i < fresh.edges; i++) {
		fresh.edge[i].sent = true;
		/* One that changes nothing, with nothing to override. */
		if (edge[i].gate == gate && same >= plan->edges)
			continue;
		call[calls++] = (struct nst_plan_call){
			.at_us = edge[i].at_us,
			.edge = (int)i,
			.gate = edge[i].gate,
		};
		gate = edge[i].gate;
	}
	*plan = fresh;
	return calls;
}

void nst_plan_unsend(struct nst_plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->edges; i++)
		plan->edge[i].sent = false;
}
