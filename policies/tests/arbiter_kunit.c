// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* arbiter_kunit.c - who gets a share of a capacity, and who after that */
#include <kunit/test.h>
#include <linux/module.h>

#include "arbiter.h"

#define STEP_US 50000

static void room_for_all(struct kunit *test)
{
	const struct nst_arbiter_request r[] = {
		{ true, 4000, 0 }, { true, 6000, 9000 }, { false, 9000, 0 },
	};
	struct nst_arbiter_grant g[3] = { { 0 } };

	KUNIT_EXPECT_EQ(test, 2, nst_arbiter_decide(r, g, 3, 10000, 0));
	KUNIT_EXPECT_EQ(test, (int)NST_ARBITER_ROOM, (int)g[0].why);
	KUNIT_EXPECT_EQ(test, (int)NST_ARBITER_ROOM, (int)g[1].why);
	KUNIT_EXPECT_FALSE(test, g[2].granted);
	KUNIT_EXPECT_EQ(test, (int)NST_ARBITER_IDLE, (int)g[2].why);
}

/* Two that cannot have it both: turn by turn, half the time each. */
static void equals_take_turns(struct kunit *test)
{
	const struct nst_arbiter_request r[] = {
		{ true, 6000, 5000 }, { true, 6000, 5000 },
	};
	struct nst_arbiter_grant g[2] = { { 0 } };
	u32 had[2] = { 0, 0 }, changes = 0, i;
	bool was = true;

	for (i = 0; i < 2000; i++) {
		u64 now_us = (u64)i * STEP_US;

		KUNIT_ASSERT_EQ(test, 1, nst_arbiter_decide(r, g, 2, 10000,
							    now_us));
		KUNIT_ASSERT_NE(test, g[0].granted, g[1].granted);
		had[0] += g[0].granted;
		had[1] += g[1].granted;
		changes += g[0].granted != was;
		was = g[0].granted;
	}
	/* 100 s in turns of 2 s */
	KUNIT_EXPECT_EQ(test, 49u, changes);
	KUNIT_EXPECT_EQ(test, had[0], had[1]);
}

static void urgency_is_worth_time(struct kunit *test)
{
	const struct nst_arbiter_request r[] = {
		{ true, 10000, 1000 }, { true, 10000, 9000 },
	};
	struct nst_arbiter_grant g[2] = { { 0 } };
	u32 had[2] = { 0, 0 }, i;

	nst_arbiter_decide(r, g, 2, 10000, 0);
	KUNIT_EXPECT_TRUE(test, g[1].granted);
	KUNIT_EXPECT_EQ(test, (int)NST_ARBITER_FIRST, (int)g[1].why);
	KUNIT_EXPECT_EQ(test, (int)NST_ARBITER_WAITS, (int)g[0].why);
	for (i = 0; i < 4000; i++) {
		nst_arbiter_decide(r, g, 2, 10000, (u64)i * STEP_US);
		had[0] += g[0].granted;
		had[1] += g[1].granted;
	}
	KUNIT_EXPECT_EQ(test, 4000u, had[0] + had[1]);
	KUNIT_EXPECT_GT(test, had[1], had[0]);
	/* and the other one does not starve */
	KUNIT_EXPECT_GT(test, had[0], 400u);
}

/* Small ones fill the gaps, and do not keep the large one out for ever. */
static void the_large_one_does_not_starve(struct kunit *test)
{
	struct nst_arbiter_request r[] = {
		{ true, 9000, 0 }, { true, 3000, 10000 }, { true, 3000, 10000 },
		{ true, 3000, 10000 },
	};
	struct nst_arbiter_grant g[4] = { { 0 } };
	u32 had[4] = { 0 }, i, k;

	for (i = 0; i < 6000; i++) {
		u32 sum = 0;

		/* they come and go, too */
		r[1].wants = i % 97 < 90;
		r[2].wants = i % 89 < 80;
		nst_arbiter_decide(r, g, 4, 10000, (u64)i * STEP_US);
		for (k = 0; k < 4; k++) {
			had[k] += g[k].granted;
			sum += g[k].granted ? r[k].load : 0;
			KUNIT_ASSERT_GE(test, r[k].wants, g[k].granted);
		}
		KUNIT_ASSERT_LE(test, sum, 10000u);
	}
	for (k = 0; k < 4; k++)
		KUNIT_EXPECT_GT(test, had[k], 600u);
}

static void more_than_all_of_it(struct kunit *test)
{
	const struct nst_arbiter_request r[] = {
		{ true, 10001, 10000 }, { true, 500, 0 },
	};
	struct nst_arbiter_grant g[2] = { { 0 } };

	KUNIT_EXPECT_EQ(test, 1, nst_arbiter_decide(r, g, 2, 10000, 7));
	KUNIT_EXPECT_FALSE(test, g[0].granted);
	KUNIT_EXPECT_EQ(test, (int)NST_ARBITER_NEVER, (int)g[0].why);
	KUNIT_EXPECT_EQ(test, (int)NST_ARBITER_ROOM, (int)g[1].why);
}

static void who_gave_it_back_waits_from_now_on(struct kunit *test)
{
	struct nst_arbiter_request r[] = {
		{ true, 6000, 0 }, { true, 6000, 0 },
	};
	struct nst_arbiter_grant g[2] = { { 0 } };

	nst_arbiter_decide(r, g, 2, 10000, 1000000);
	KUNIT_EXPECT_TRUE(test, g[0].granted);
	r[0].wants = false;
	nst_arbiter_decide(r, g, 2, 10000, 1100000);
	KUNIT_EXPECT_TRUE(test, g[1].granted);
	KUNIT_EXPECT_EQ(test, 1100000, (int)g[1].since_us);
	r[0].wants = true;
	nst_arbiter_decide(r, g, 2, 10000, 2000000);
	KUNIT_EXPECT_TRUE(test, g[1].granted);
	KUNIT_EXPECT_EQ(test, (int)NST_ARBITER_TURN, (int)g[1].why);
	KUNIT_EXPECT_EQ(test, 2000000, (int)g[0].since_us);
	nst_arbiter_decide(r, g, 2, 10000, 3100000);
	KUNIT_EXPECT_TRUE(test, g[0].granted);
}

/* A capacity that shrinks takes back at once what does not fit. */
static void less_capacity(struct kunit *test)
{
	const struct nst_arbiter_request r[] = {
		{ true, 4000, 0 }, { true, 4000, 0 },
	};
	struct nst_arbiter_grant g[2] = { { 0 } };

	KUNIT_EXPECT_EQ(test, 2, nst_arbiter_decide(r, g, 2, 10000, 0));
	KUNIT_EXPECT_EQ(test, 1, nst_arbiter_decide(r, g, 2, 5000, 1));
	KUNIT_EXPECT_EQ(test, 0, nst_arbiter_decide(r, g, 2, 3000, 2));
	KUNIT_EXPECT_EQ(test, 0, nst_arbiter_decide(r, g, 0, 3000, 3));
}

static void nonsense_changes_nothing(struct kunit *test)
{
	struct nst_arbiter_request r[] = { { true, 4000, 0 } };
	struct nst_arbiter_grant g[1] = { { 0 } };

	nst_arbiter_decide(r, g, 1, 10000, 5);
	KUNIT_EXPECT_EQ(test, -ERANGE,
			nst_arbiter_decide(r, g, 1, NST_ARBITER_LOAD_MAX + 1,
					   9));
	KUNIT_EXPECT_EQ(test, -ERANGE,
			nst_arbiter_decide(r, g, NST_ARBITER_MAX + 1, 10000,
					   9));
	r[0].urgency = NST_PERMYRIAD + 1;
	KUNIT_EXPECT_EQ(test, -ERANGE,
			nst_arbiter_decide(r, g, 1, 10000, 9));
	KUNIT_EXPECT_TRUE(test, g[0].granted);
	KUNIT_EXPECT_EQ(test, 5, (int)g[0].since_us);
	/* A clock that goes back ages nothing. */
	r[0].urgency = 0;
	KUNIT_EXPECT_EQ(test, 1, nst_arbiter_decide(r, g, 1, 10000, 1));
}

static struct kunit_case arbiter_cases[] = {
	KUNIT_CASE(room_for_all),
	KUNIT_CASE(equals_take_turns),
	KUNIT_CASE(urgency_is_worth_time),
	KUNIT_CASE(the_large_one_does_not_starve),
	KUNIT_CASE(more_than_all_of_it),
	KUNIT_CASE(who_gave_it_back_waits_from_now_on),
	KUNIT_CASE(less_capacity),
	KUNIT_CASE(nonsense_changes_nothing),
	{}
};

static struct kunit_suite arbiter_suite = {
	.name = "arbiter",
	.test_cases = arbiter_cases,
};
kunit_test_suite(arbiter_suite);

MODULE_DESCRIPTION("KUnit suite of the arbiter");
MODULE_LICENSE("Dual MIT/GPL");
