/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-plan.h - gate changes that are to come, in order of time
 *
 * An edge is a gate at a time. It belongs to a frame boundary, or lies inside
 * a frame. It is *sent* when the provider has it and makes it on its own;
 * else whoever keeps the plan makes it when it is due.
 *
 *	     replace			 due, or its boundary came
 *	(none) ----> planned, sent or not ----------------------> made
 *			   |  replace, now
 *			   +------------------------> overridden
 *
 * A provider that has edges drops every one of its own time or later with
 * each call, so a new plan is told by its differences: an edge that stays
 * costs no call, and one that nobody wants any more is overridden by the gate
 * that stays in force at its time.
 *
 * Pure: no clock, no provider; calls to make are handed out as a list.
 */
#ifndef NST_PLAN_H
#define NST_PLAN_H

#include "host.h"

#define NST_PLAN_MAX 4

/**
 * struct nst_edge - a change of the gate at a known time
 * @seq: the period it belongs to
 * @boundary: it is at the start of that period, not inside
 * @sent: the provider has it
 */
struct nst_edge {
	u64 at_us;
	u64 seq;
	u8 gate;
	u8 placement;
	bool boundary;
	bool sent;
};

struct nst_plan {
	struct nst_edge edge[NST_PLAN_MAX];
	unsigned int edges;
};

/**
 * struct nst_plan_call - something to tell the provider
 * @edge: number of the edge that it sends, -1 for one that only overrides
 */
struct nst_plan_call {
	u64 at_us;
	int edge;
	u8 gate;
};

/** nst_plan_due() - take the first edge off if it is due at @now_us */
bool nst_plan_due(struct nst_plan *plan, u64 now_us, struct nst_edge *ret);

/**
 * nst_plan_boundary() - take the first edge off if it is one of a period
 * before @seq, or the one at the start of @seq, whatever its time says
 */
bool nst_plan_boundary(struct nst_plan *plan, u64 seq, struct nst_edge *ret);

/**
 * nst_plan_pointless() - @edge opens what the first edge left closes at once
 * Both are made here, and the second is due at @now_us as well.
 */
bool nst_plan_pointless(const struct nst_plan *plan,
			const struct nst_edge *edge, u64 now_us);

/**
 * nst_plan_gate_at() - gate in force just before @t_us
 * @gate, @since_us: in force now. @ret_since_us: since when it is then
 */
u8 nst_plan_gate_at(const struct nst_plan *plan, u8 gate, u64 since_us,
		    u64 t_us, u64 *ret_since_us);

/**
 * nst_plan_replace() - a new plan of @edges edges in order of time
 * @gate: in force now
 * @at_time: the provider takes edges ahead of their time
 * @call: room for NST_PLAN_MAX + 1 calls, to be made in order
 * Edges beyond NST_PLAN_MAX are left out. Return: number of calls.
 */
unsigned int nst_plan_replace(struct nst_plan *plan,
			      const struct nst_edge *edge, unsigned int edges,
			      u8 gate, bool at_time,
			      struct nst_plan_call *call);

/** nst_plan_unsend() - the provider has dropped what it had */
void nst_plan_unsend(struct nst_plan *plan);

#endif /* NST_PLAN_H */
