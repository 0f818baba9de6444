// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_claim_kunit.c - every state and event of the lease, by whom
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "../nst-claim.c"

static const char us, them;

#define NOW_MS 5000

enum who { US, THEM, READER };

struct claim_case {
	const char *name;
	bool held;		/* by us */
	enum nst_claim_event event;
	enum who who;
	u32 heartbeat_ms;
	int err;
	char holder;		/* u, t or - afterwards */
	u64 until_ms;		/* 0: as it was */
};

/* Held since 4800 with 300 ms: until 5100. */
static const struct claim_case claim_cases[] = {
	{ "free, take", false, NST_CLAIM_TAKE, US, 0, 0, 'u', NOW_MS + 1000 },
	{ "free, take with a heartbeat", false, NST_CLAIM_TAKE, US, 250, 0,
	  'u', NOW_MS + 250 },
	{ "free, take by a reader", false, NST_CLAIM_TAKE, READER, 0, -EPERM,
	  '-', 0 },
	{ "free, take too fast", false, NST_CLAIM_TAKE, US, 9, -EINVAL, '-',
	  0 },
	{ "free, take the fastest", false, NST_CLAIM_TAKE, US, 10, 0, 'u',
	  NOW_MS + 10 },
	{ "free, take too slow", false, NST_CLAIM_TAKE, US, 600001, -EINVAL,
	  '-', 0 },
	{ "free, take the slowest", false, NST_CLAIM_TAKE, US, 600000, 0, 'u',
	  NOW_MS + 600000 },
	{ "free, renew", false, NST_CLAIM_RENEW, US, 0, -EPERM, '-', 0 },
	{ "free, use", false, NST_CLAIM_USE, US, 0, -EPERM, '-', 0 },
	{ "free, give back", false, NST_CLAIM_GIVE_BACK, US, 0, -EPERM, '-',
	  0 },
	{ "free, close", false, NST_CLAIM_CLOSE, US, 0, 0, '-', 0 },
	{ "free, time", false, NST_CLAIM_TIME, US, 0, 0, '-', 0 },
	{ "held, take again", true, NST_CLAIM_TAKE, US, 0, 0, 'u',
	  NOW_MS + 300 },
	{ "held, take again with another heartbeat", true, NST_CLAIM_TAKE, US,
	  700, 0, 'u', NOW_MS + 700 },
	{ "held, take by another", true, NST_CLAIM_TAKE, THEM, 0, -EBUSY, 'u',
	  0 },
	{ "held, take by a reader", true, NST_CLAIM_TAKE, READER, 0, -EPERM,
	  'u', 0 },
	{ "held, renew", true, NST_CLAIM_RENEW, US, 0, 0, 'u', NOW_MS + 300 },
	{ "held, renew with another heartbeat", true, NST_CLAIM_RENEW, US, 20,
	  0, 'u', NOW_MS + 20 },
	{ "held, renew too fast", true, NST_CLAIM_RENEW, US, 1, -EINVAL, 'u',
	  0 },
	{ "held, renew by another", true, NST_CLAIM_RENEW, THEM, 0, -EBUSY,
	  'u', 0 },
	{ "held, use", true, NST_CLAIM_USE, US, 0, 0, 'u', NOW_MS + 300 },
	{ "held, use by another", true, NST_CLAIM_USE, THEM, 0, -EBUSY, 'u',
	  0 },
	{ "held, give back", true, NST_CLAIM_GIVE_BACK, US, 0, 0, '-', 0 },
	{ "held, give back by another", true, NST_CLAIM_GIVE_BACK, THEM, 0,
	  -EBUSY, 'u', 0 },
	{ "held, close", true, NST_CLAIM_CLOSE, US, 0, 0, '-', 0 },
	{ "held, close by another", true, NST_CLAIM_CLOSE, THEM, 0, 0, 'u',
	  0 },
	{ "held, time", true, NST_CLAIM_TIME, US, 0, 0, 'u', 0 },
	{ "no such event", true, NST_CLAIM_EVENT_COUNT, US, 0, -EINVAL, 'u',
	  0 },
};

static void claim_case_name(const struct claim_case *c, char *desc)
{
	size_t i;

	for (i = 0; i < KUNIT_PARAM_DESC_SIZE - 1 && c->name[i]; i++)
		desc[i] = c->name[i];
	desc[i] = '\0';
}

KUNIT_ARRAY_PARAM(claim, claim_cases, claim_case_name);

static void states_and_events(struct kunit *test)
{
	const struct claim_case *c = test->param_value;
	struct nst_claim claim = { .holder = NULL };
	const struct nst_claim_call call = {
		.who = c->who == US ? &us : &them,
		.may_write = c->who != READER,
		.heartbeat_ms = c->heartbeat_ms,
		.default_ms = 1000,
	};

	if (c->held)
		claim = (struct nst_claim){ &us, 300, 5100 };
	KUNIT_EXPECT_EQ(test, c->err,
			nst_claim_event(&claim, c->event, &call, NOW_MS));
	KUNIT_EXPECT_PTR_EQ(test, claim.holder,
			    c->holder == 'u' ? (const void *)&us : NULL);
	if (c->until_ms)
		KUNIT_EXPECT_EQ(test, c->until_ms, claim.until_ms);
	else if (c->held)
		KUNIT_EXPECT_EQ(test, 5100ull,
				(unsigned long long)claim.until_ms);
}

static void a_heartbeat_ends_on_time(struct kunit *test)
{
	const struct nst_claim_call call = {
		.who = &us, .may_write = true, .default_ms = 100,
	};
	struct nst_claim claim = { .holder = NULL };

	KUNIT_ASSERT_EQ(test, 0,
			nst_claim_event(&claim, NST_CLAIM_TAKE, &call, 1000));
	nst_claim_event(&claim, NST_CLAIM_TIME, &call, 1099);
	KUNIT_EXPECT_PTR_EQ(test, claim.holder, (const void *)&us);
	nst_claim_event(&claim, NST_CLAIM_USE, &call, 1099);
	nst_claim_event(&claim, NST_CLAIM_TIME, &call, 1198);
	KUNIT_EXPECT_PTR_EQ(test, claim.holder, (const void *)&us);
	nst_claim_event(&claim, NST_CLAIM_TIME, &call, 1199);
	KUNIT_EXPECT_PTR_EQ(test, claim.holder, NULL);
	/* And is free for anybody. */
	KUNIT_EXPECT_EQ(test, -EPERM,
			nst_claim_event(&claim, NST_CLAIM_USE, &call, 1200));
	KUNIT_EXPECT_EQ(test, 0,
			nst_claim_event(&claim, NST_CLAIM_TAKE, &call, 1200));
}

static struct kunit_case nst_claim_cases[] = {
	KUNIT_CASE_PARAM(states_and_events, claim_gen_params),
	KUNIT_CASE(a_heartbeat_ends_on_time),
	{}
};

static struct kunit_suite nst_claim_suite = {
	.name = "nst-claim",
	.test_cases = nst_claim_cases,
};

kunit_test_suite(nst_claim_suite);

MODULE_DESCRIPTION("KUnit suite of the lease");
MODULE_LICENSE("GPL");
