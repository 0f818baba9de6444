// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_plan_kunit.c - planned gates: what the provider hears, what comes about
 *
 * A provider that keeps edges is modelled in its own words (nst-provider.h):
 * each call drops every waiting edge of its time or later. Whatever is
 * planned in whatever order, it has to end with the edges of the last plan.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "policy.h"
#include "../nst-plan.c"

#define RUN ((u8)NST_GATE_RUN)
#define STANDBY ((u8)NST_GATE_STANDBY)
#define OFF ((u8)NST_GATE_OFF)

struct provider {
	struct nst_edge edge[2 * NST_PLAN_MAX];
	unsigned int edges;
	unsigned int calls;
	u8 gate;
};

static void provider_set(struct provider *p, u8 gate, u64 at_us)
{
	p->calls++;
	while (p->edges && p->edge[p->edges - 1].at_us >= at_us)
		p->edges--;
	p->edge[p->edges].at_us = at_us;
	p->edge[p->edges].gate = gate;
	p->edges++;
}

static u8 provider_gate_at(const struct provider *p, u64 t_us)
{
	u8 gate = p->gate;
	unsigned int i;

	for (i = 0; i < p->edges && p->edge[i].at_us <= t_us; i++)
		gate = p->edge[i].gate;
	return gate;
}

static struct nst_edge boundary(u64 at_us, u64 seq, u8 gate)
{
	return (struct nst_edge){
		.at_us = at_us, .seq = seq, .gate = gate, .boundary = true,
	};
}

static struct nst_edge inside(u64 at_us, u64 seq, u8 gate)
{
	return (struct nst_edge){ .at_us = at_us, .seq = seq, .gate = gate };
}

static unsigned int replace(struct nst_plan *plan, struct provider *p,
			    const struct nst_edge *edge, unsigned int edges)
{
	struct nst_plan_call call[NST_PLAN_MAX + 1];
	unsigned int calls, i;

	calls = nst_plan_replace(plan, edge, edges, p->gate, true, call);
	for (i = 0; i < calls; i++)
		provider_set(p, call[i].gate, call[i].at_us);
	return calls;
}

static void an_edge_that_stays_costs_nothing(struct kunit *test)
{
	const struct nst_edge edge[] = {
		inside(100, 1, STANDBY), boundary(200, 2, RUN),
	};
	struct provider p = { .gate = RUN };
	struct nst_plan plan = { .edges = 0 };

	KUNIT_EXPECT_EQ(test, 2u, replace(&plan, &p, edge, 2));
	KUNIT_EXPECT_EQ(test, 0u, replace(&plan, &p, edge, 2));
	KUNIT_EXPECT_EQ(test, 2u, plan.edges);
	KUNIT_EXPECT_TRUE(test, plan.edge[0].sent);
	KUNIT_EXPECT_TRUE(test, plan.edge[1].sent);
}

static void nothing_to_change_costs_nothing(struct kunit *test)
{
	const struct nst_edge edge = boundary(200, 2, RUN);
	struct provider p = { .gate = RUN };
	struct nst_plan plan = { .edges = 0 };

	KUNIT_EXPECT_EQ(test, 0u, replace(&plan, &p, &edge, 1));
	KUNIT_EXPECT_EQ(test, 1u, plan.edges);
}

static void a_withdrawn_edge_is_overridden(struct kunit *test)
{
	const struct nst_edge close = boundary(200, 2, STANDBY);
	const struct nst_edge open = boundary(200, 2, RUN);
	struct provider p = { .gate = RUN };
	struct nst_plan plan = { .edges = 0 };

	replace(&plan, &p, &close, 1);
	KUNIT_EXPECT_EQ(test, STANDBY, provider_gate_at(&p, 200));
	replace(&plan, &p, &open, 1);
	KUNIT_EXPECT_EQ(test, RUN, provider_gate_at(&p, 200));
	replace(&plan, &p, &close, 1);
	replace(&plan, &p, NULL, 0);
	KUNIT_EXPECT_EQ(test, RUN, provider_gate_at(&p, 1000));
}

/* Every plan of up to two edges after every other one. */
static void whatever_was_planned_before(struct kunit *test)
{
	static const u8 gates[] = { RUN, STANDBY, OFF };
	/* Too much for a stack. */
	static struct nst_edge plans[32][2];
	unsigned int len[32], n = 0, i, j, a, b;
	u64 t_us;

	len[n++] = 0;
	for (a = 0; a < 3; a++) {
		plans[n][0] = boundary(200, 2, gates[a]);
		len[n++] = 1;
		plans[n][0] = boundary(210, 2, gates[a]);
		len[n++] = 1;
		for (b = 0; b < 3; b++) {
			plans[n][0] = inside(150, 1, gates[a]);
			plans[n][1] = boundary(200, 2, gates[b]);
			len[n++] = 2;
			plans[n][0] = inside(120, 1, gates[a]);
			plans[n][1] = boundary(200, 2, gates[b]);
			len[n++] = 2;
		}
	}
	for (i = 0; i < n; i++) {
		for (j = 0; j < n; j++) {
			struct provider p = { .gate = RUN };
			struct nst_plan plan = { .edges = 0 };

			replace(&plan, &p, plans[i], len[i]);
			replace(&plan, &p, plans[j], len[j]);
			for (t_us = 100; t_us <= 220; t_us += 10) {
				u8 want = RUN;
				unsigned int k;

				for (k = 0; k < len[j] &&
				     plans[j][k].at_us <= t_us; k++)
					want = plans[j][k].gate;
				KUNIT_EXPECT_EQ(test, want,
						provider_gate_at(&p, t_us));
			}
		}
	}
}

static void without_times_nobody_is_told_ahead(struct kunit *test)
{
	const struct nst_edge edge[] = {
		inside(100, 1, STANDBY), boundary(200, 2, RUN),
	};
	struct nst_plan_call call[NST_PLAN_MAX + 1];
	struct nst_plan plan = { .edges = 0 };

	KUNIT_EXPECT_EQ(test, 0u,
			nst_plan_replace(&plan, edge, 2, RUN, false, call));
	KUNIT_EXPECT_EQ(test, 2u, plan.edges);
	KUNIT_EXPECT_FALSE(test, plan.edge[0].sent);
	KUNIT_EXPECT_FALSE(test, plan.edge[1].sent);
}

static void edges_come_off_in_order(struct kunit *test)
{
	const struct nst_edge edge[] = {
		inside(100, 1, STANDBY), boundary(200, 2, RUN),
		inside(250, 2, STANDBY), boundary(300, 3, RUN),
	};
	struct provider p = { .gate = RUN };
	struct nst_plan plan = { .edges = 0 };
	struct nst_edge got;

	replace(&plan, &p, edge, 4);
	KUNIT_EXPECT_FALSE(test, nst_plan_due(&plan, 99, &got));
	KUNIT_EXPECT_TRUE(test, nst_plan_due(&plan, 100, &got));
	KUNIT_EXPECT_EQ(test, 100ull, (unsigned long long)got.at_us);
	KUNIT_EXPECT_FALSE(test, nst_plan_due(&plan, 199, &got));
	/* The boundary comes before its computed time; what is inside does not. */
	KUNIT_EXPECT_FALSE(test, nst_plan_boundary(&plan, 1, &got));
	KUNIT_EXPECT_TRUE(test, nst_plan_boundary(&plan, 2, &got));
	KUNIT_EXPECT_EQ(test, 200ull, (unsigned long long)got.at_us);
	KUNIT_EXPECT_FALSE(test, nst_plan_boundary(&plan, 2, &got));
	/* A boundary of later: what belongs before it is due too. */
	KUNIT_EXPECT_TRUE(test, nst_plan_boundary(&plan, 3, &got));
	KUNIT_EXPECT_EQ(test, 250ull, (unsigned long long)got.at_us);
	KUNIT_EXPECT_TRUE(test, nst_plan_boundary(&plan, 3, &got));
	KUNIT_EXPECT_FALSE(test, nst_plan_boundary(&plan, 9, &got));
	KUNIT_EXPECT_FALSE(test, nst_plan_due(&plan, 1000, &got));
}

static void the_gate_of_a_time(struct kunit *test)
{
	const struct nst_edge edge[] = {
		inside(100, 1, STANDBY), inside(150, 1, STANDBY),
		boundary(200, 2, RUN),
	};
	struct provider p = { .gate = RUN };
	struct nst_plan plan = { .edges = 0 };
	u64 since_us;

	replace(&plan, &p, edge, 3);
	KUNIT_EXPECT_EQ(test, RUN,
			nst_plan_gate_at(&plan, RUN, 7, 100, &since_us));
	KUNIT_EXPECT_EQ(test, 7ull, (unsigned long long)since_us);
	KUNIT_EXPECT_EQ(test, STANDBY,
			nst_plan_gate_at(&plan, RUN, 7, 200, &since_us));
	KUNIT_EXPECT_EQ(test, 100ull, (unsigned long long)since_us);
	KUNIT_EXPECT_EQ(test, RUN,
			nst_plan_gate_at(&plan, RUN, 7, 201, &since_us));
	KUNIT_EXPECT_EQ(test, 200ull, (unsigned long long)since_us);
}

static void more_than_fits_is_left_out(struct kunit *test)
{
	struct nst_edge edge[NST_PLAN_MAX + 2];
	struct provider p = { .gate = RUN };
	struct nst_plan plan = { .edges = 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(edge); i++)
		edge[i] = inside(100 + i, 1, i & 1 ? RUN : STANDBY);
	KUNIT_EXPECT_EQ(test, (unsigned int)NST_PLAN_MAX,
			replace(&plan, &p, edge, ARRAY_SIZE(edge)));
	KUNIT_EXPECT_EQ(test, (unsigned int)NST_PLAN_MAX, plan.edges);
}

static void what_the_provider_dropped_is_made_here(struct kunit *test)
{
	const struct nst_edge edge[] = {
		inside(100, 1, STANDBY), boundary(200, 2, RUN),
	};
	struct provider p = { .gate = RUN };
	struct nst_plan plan = { .edges = 0 };

	replace(&plan, &p, edge, 2);
	nst_plan_unsend(&plan);
	KUNIT_EXPECT_FALSE(test, plan.edge[0].sent);
	KUNIT_EXPECT_FALSE(test, plan.edge[1].sent);
}

/* An opening whose closing is due as well says nothing to the hardware. */
static void a_window_that_is_over_does_not_open(struct kunit *test)
{
	const struct nst_edge edge[] = {
		boundary(200, 2, RUN), inside(300, 2, STANDBY),
	};
	struct nst_plan_call call[NST_PLAN_MAX + 1];
	struct nst_plan plan = { .edges = 0 };
	struct nst_edge first;

	KUNIT_EXPECT_EQ(test, 0u, nst_plan_replace(&plan, edge, 2, STANDBY,
						   false, call));
	KUNIT_ASSERT_TRUE(test, nst_plan_due(&plan, 200, &first));
	KUNIT_EXPECT_FALSE(test, nst_plan_pointless(&plan, &first, 200));
	KUNIT_EXPECT_FALSE(test, nst_plan_pointless(&plan, &first, 299));
	KUNIT_EXPECT_TRUE(test, nst_plan_pointless(&plan, &first, 300));
	/* What the provider has made has been. */
	first.sent = true;
	KUNIT_EXPECT_FALSE(test, nst_plan_pointless(&plan, &first, 300));
	first.sent = false;
	plan.edge[0].sent = true;
	KUNIT_EXPECT_FALSE(test, nst_plan_pointless(&plan, &first, 300));
	plan.edge[0].sent = false;
	/* A closing is never left out. */
	KUNIT_ASSERT_TRUE(test, nst_plan_due(&plan, 300, &first));
	KUNIT_EXPECT_FALSE(test, nst_plan_pointless(&plan, &first, 400));
	plan.edge[plan.edges++] = inside(310, 2, RUN);
	KUNIT_EXPECT_FALSE(test, nst_plan_pointless(&plan, &first, 400));
}

static struct kunit_case nst_plan_cases[] = {
	KUNIT_CASE(an_edge_that_stays_costs_nothing),
	KUNIT_CASE(nothing_to_change_costs_nothing),
	KUNIT_CASE(a_withdrawn_edge_is_overridden),
	KUNIT_CASE(whatever_was_planned_before),
	KUNIT_CASE(without_times_nobody_is_told_ahead),
	KUNIT_CASE(edges_come_off_in_order),
	KUNIT_CASE(the_gate_of_a_time),
	KUNIT_CASE(more_than_fits_is_left_out),
	KUNIT_CASE(what_the_provider_dropped_is_made_here),
	KUNIT_CASE(a_window_that_is_over_does_not_open),
	{}
};

static struct kunit_suite nst_plan_suite = {
	.name = "nst-plan",
	.test_cases = nst_plan_cases,
};

kunit_test_suite(nst_plan_suite);

MODULE_DESCRIPTION("KUnit suite of planned gate changes");
MODULE_LICENSE("GPL");
