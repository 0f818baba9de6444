// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ask_kunit.c - answers in advance on the reference stack
 *
 * 10,000 random ones are checked in tests/userspace/test_ask.c.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "ask.h"

#define NONE NST_TEMP_NONE_MC
#define PERIOD_US 33333

struct situation {
	struct nst_plant plant;
	struct nst_ask_stack stack;
	struct nst_ask_question q;
	struct nst_ask_answer a;
};

/* 87 degC at 2.5 W, the stack of the publications; 32 ms exposures. */
static void begin(struct kunit *test, struct situation *s)
{
	const struct nst_ask_stack stack = {
		.plant = &s->plant,
		.ambient_mc = 26400,
		.near_mw = 2500,
		.gated_mw = 100,
		.high_mc = NONE,
		.frame_period_us = PERIOD_US,
		.exposure_us = 32000,
		.readout_us = 1000,
		.doubling_mc = 7000,
		.drops = true,
		.near_sys_mw = 2500,
		.gated_sys_mw = 100,
	};

	memset(s, 0, sizeof(*s));
	KUNIT_ASSERT_EQ(test, 0, nst_plant_init(&s->plant,
						&nst_plant_reference, 26400));
	KUNIT_ASSERT_EQ(test, 0, nst_plant_set_state(&s->plant, 87000,
						     73250));
	s->stack = stack;
	s->q.frames = 1;
}

static void ask(struct kunit *test, struct situation *s, s32 temp_mc,
		u32 time_us)
{
	s->q.temp_mc = temp_mc;
	s->q.time_us = time_us;
	KUNIT_EXPECT_EQ(test, 0, nst_ask(&s->stack, &s->q, &s->a));
}

/* physics.md 12.5, 12: 74.1 a frame after the edge, 76.6 from the edge on */
static void request_from_87_degrees(struct kunit *test)
{
	struct situation s;

	begin(test, &s);
	ask(test, &s, 74100, PERIOD_US);
	KUNIT_EXPECT_EQ(test, (int)NST_ASK_YES, (int)s.a.verdict);
	KUNIT_EXPECT_EQ(test, 1u, s.a.exposure_frame);
	KUNIT_EXPECT_TRUE(test, s.a.gate);
	KUNIT_EXPECT_EQ(test, 0u, s.a.gate_frame);
	KUNIT_EXPECT_EQ(test, 1u, s.a.late_frame);
	KUNIT_EXPECT_EQ(test, 2u, s.a.gated_frames);
	KUNIT_EXPECT_EQ(test, 2u, s.a.lost_frames);
	/* 2.4 W less in two frames */
	KUNIT_EXPECT_EQ(test, -159998, (int)s.a.cost_uj);

	ask(test, &s, 76300, PERIOD_US - 1);
	KUNIT_EXPECT_EQ(test, (int)NST_ASK_NO, (int)s.a.verdict);
	KUNIT_EXPECT_EQ(test, 0u, s.a.late_frame);
	KUNIT_EXPECT_FALSE(test, s.a.gate);
	ask(test, &s, 76700, PERIOD_US - 1);
	KUNIT_EXPECT_EQ(test, (int)NST_ASK_YES, (int)s.a.verdict);
}

static void without_a_gate(struct kunit *test)
{
	struct situation s;

	begin(test, &s);
	ask(test, &s, 88000, 10 * PERIOD_US);
	KUNIT_EXPECT_EQ(test, (int)NST_ASK_YES, (int)s.a.verdict);
	KUNIT_EXPECT_FALSE(test, s.a.gate);
	KUNIT_EXPECT_EQ(test, 0u, s.a.gated_frames);
	KUNIT_EXPECT_EQ(test, NST_ASK_NEVER, s.a.late_frame);
	KUNIT_EXPECT_EQ(test, 0, (int)s.a.cost_uj);
}

/* The first of some frames may do without what the last one needs. */
static void gating_may_begin_among_the_frames(struct kunit *test)
{
	struct situation s;

	begin(test, &s);
	s.q.frames = 20;
	ask(test, &s, 87700, PERIOD_US);
	KUNIT_EXPECT_EQ(test, (int)NST_ASK_YES, (int)s.a.verdict);
	KUNIT_EXPECT_TRUE(test, s.a.gate);
	KUNIT_EXPECT_GT(test, s.a.gate_frame, s.a.exposure_frame);
	KUNIT_EXPECT_LT(test, s.a.gate_frame, s.a.exposure_frame + 20);
	KUNIT_EXPECT_GT(test, s.a.late_frame, s.a.gate_frame);
	KUNIT_EXPECT_LE(test, s.a.late_frame, s.a.gate_frame + 2);
}

static void warmer_is_later(struct kunit *test)
{
	struct situation s;
	u32 was = 0, no = 0;
	s32 mc;

	begin(test, &s);
	for (mc = 50000; mc < 95000; mc += 1000) {
		ask(test, &s, mc, 3000000);
		no += s.a.verdict == NST_ASK_NO;
		if (s.a.verdict != NST_ASK_YES)
			continue;
		if (!s.a.gate)
			break;
		KUNIT_EXPECT_GE(test, s.a.gate_frame, was);
		was = s.a.gate_frame;
	}
	KUNIT_EXPECT_GT(test, no, 5u);
	KUNIT_EXPECT_GE(test, was, 85u);
}

/* Near, and warm before: there is less to cool when a threshold held it. */
static void a_threshold_holds_the_die(struct kunit *test)
{
	struct situation s;
	u32 free;

	begin(test, &s);
	ask(test, &s, 74000, 10000000);
	KUNIT_EXPECT_EQ(test, (int)NST_ASK_YES, (int)s.a.verdict);
	free = s.a.gate_frame;
	s.stack.high_mc = 87200;
	ask(test, &s, 74100, 10000000);
	KUNIT_EXPECT_EQ(test, (int)NST_ASK_YES, (int)s.a.verdict);
	KUNIT_EXPECT_GT(test, s.a.gate_frame, free);
	/* The threshold is of the limit's own making: T_jump above it. */
	KUNIT_EXPECT_GE(test, s.a.gate_frame, s.a.exposure_frame - 2);
	KUNIT_EXPECT_EQ(test, NST_ASK_NEVER, s.a.late_frame);
	s.stack.high_mc = 60000;
	ask(test, &s, 74000, 10000000);
	KUNIT_EXPECT_EQ(test, (int)NST_ASK_YES, (int)s.a.verdict);
	KUNIT_EXPECT_FALSE(test, s.a.gate);
}

struct doubt_case {
	const char *name;
	struct nst_ask_bounds bounds;
	int bound;
};

static const struct doubt_case doubt_cases[] = {
	{ "temperature", { 2000, 10, 5, 1, 10 }, NST_ASK_BY_STATE },
	{ "ambient", { 10, 5000, 5, 1, 10 }, NST_ASK_BY_AMBIENT },
	{ "power", { 10, 10, 5, 90, 10 }, NST_ASK_BY_POWER },
	{ "package", { 10, 10, 5, 1, 2000 }, NST_ASK_BY_PACKAGE },
};

static void doubt_describe(const struct doubt_case *c, char *desc)
{
	size_t i;

	for (i = 0; c->name[i]; i++)
		desc[i] = c->name[i];
	desc[i] = '\0';
}

KUNIT_ARRAY_PARAM(doubts, doubt_cases, doubt_describe);

static void the_bound_that_decides_is_named(struct kunit *test)
{
	const struct doubt_case *c = test->param_value;
	struct situation s;
	s32 off_mc;

	begin(test, &s);
	ask(test, &s, 60000, 5000000);
	off_mc = s.a.reached_mc;
	s.stack.bounds = c->bounds;
	ask(test, &s, off_mc + 30, 5000000);
	KUNIT_EXPECT_EQ(test, (int)NST_ASK_UNCERTAIN, (int)s.a.verdict);
	KUNIT_EXPECT_EQ(test, c->bound, (int)s.a.bound);
	KUNIT_EXPECT_GT(test, s.a.bound_mc, 30u);
	KUNIT_EXPECT_LT(test, s.a.cold_mc, s.a.reached_mc);
	KUNIT_EXPECT_GT(test, s.a.hot_mc, s.a.reached_mc);
	KUNIT_EXPECT_TRUE(test, s.a.gate);
	KUNIT_EXPECT_EQ(test, 0u, s.a.gate_frame);
	KUNIT_EXPECT_STREQ(test, c->name, nst_ask_bound_text(s.a.bound));
	/* Far from it there is no doubt. */
	ask(test, &s, s.a.hot_mc, 5000000);
	KUNIT_EXPECT_EQ(test, (int)NST_ASK_YES, (int)s.a.verdict);
	ask(test, &s, s.a.cold_mc - 1, 5000000);
	KUNIT_EXPECT_EQ(test, (int)NST_ASK_NO, (int)s.a.verdict);
}

static void leakage_widens_both_ways(struct kunit *test)
{
	struct nst_plant_params params = nst_plant_reference;
	struct situation s;

	begin(test, &s);
	params.leak_ref_uw = 50000;
	KUNIT_ASSERT_EQ(test, 0, nst_plant_init(&s.plant, &params, 26400));
	nst_plant_set_state(&s.plant, 87000, 73250);
	ask(test, &s, 74000, PERIOD_US / 2);
	KUNIT_EXPECT_GT(test, s.a.hot_mc, s.a.reached_mc + 10);
	KUNIT_EXPECT_LT(test, s.a.cold_mc, s.a.reached_mc - 10);
	KUNIT_EXPECT_LT(test, s.a.hot_mc - s.a.cold_mc, 150);
	ask(test, &s, 74000, 20000000);
	KUNIT_EXPECT_LT(test, s.a.hot_mc - s.a.cold_mc, 50);
}

static void elsewhere_costs_and_pays_for_the_way(struct kunit *test)
{
	struct situation s;

	begin(test, &s);
	s.stack.drops = false;
	s.stack.gated_sys_mw = 3900;
	s.stack.switch_uj = 168000;
	ask(test, &s, 74100, PERIOD_US);
	KUNIT_EXPECT_EQ(test, 2u, s.a.gated_frames);
	KUNIT_EXPECT_EQ(test, 0u, s.a.lost_frames);
	KUNIT_EXPECT_EQ(test, 93332 + 168000, (int)s.a.cost_uj);
}

static void nonsense_is_refused(struct kunit *test)
{
	struct situation s, bad;

	begin(test, &s);
	s.q.temp_mc = 74000;
	s.q.time_us = PERIOD_US;

#define REFUSED(err, member, value)                                     \
	do {                                                            \
		bad = s;                                                \
		bad.stack.plant = &bad.plant;                           \
		bad.member = value;                                     \
		bad.a.verdict = 77;                                     \
		KUNIT_EXPECT_EQ(test, err, nst_ask(&bad.stack, &bad.q,  \
						   &bad.a));            \
		KUNIT_EXPECT_EQ(test, 77, (int)bad.a.verdict);          \
	} while (0)

	REFUSED(-ERANGE, q.frames, 0);
	REFUSED(-ERANGE, q.frames, NST_ASK_FRAMES_MAX + 1);
	REFUSED(-ERANGE, q.temp_mc, NONE);
	REFUSED(-ERANGE, q.temp_mc, NST_TEMP_MIN_MC - 1);
	REFUSED(-ERANGE, q.time_us, NST_DT_MAX_US);
	REFUSED(-ERANGE, stack.ambient_mc, NONE);
	REFUSED(-ERANGE, stack.high_mc, NST_TEMP_MAX_MC + 1);
	REFUSED(-ERANGE, stack.near_mw, NST_POWER_MAX_MW + 1);
	REFUSED(-ERANGE, stack.frame_period_us, 0);
	REFUSED(-ERANGE, stack.exposure_us, 0);
	REFUSED(-ERANGE, stack.doubling_mc, 0);
	REFUSED(-ERANGE, stack.bounds.state_mc, NONE);
	REFUSED(-ERANGE, stack.bounds.package_permyriad,
		NST_ASK_PACKAGE_MAX + 1);
	REFUSED(-ERANGE, plant.params.c_p_uj_per_k, 1);
	REFUSED(-EINVAL, stack.gated_mw, 2501);
	REFUSED(-EINVAL, stack.exposure_us, PERIOD_US);
	REFUSED(-EINVAL, stack.gate_enter_us, PERIOD_US);
#undef REFUSED
}

static struct kunit_case ask_cases[] = {
	KUNIT_CASE(request_from_87_degrees),
	KUNIT_CASE(without_a_gate),
	KUNIT_CASE(gating_may_begin_among_the_frames),
	KUNIT_CASE(warmer_is_later),
	KUNIT_CASE(a_threshold_holds_the_die),
	KUNIT_CASE_PARAM(the_bound_that_decides_is_named, doubts_gen_params),
	KUNIT_CASE(leakage_widens_both_ways),
	KUNIT_CASE(elsewhere_costs_and_pays_for_the_way),
	KUNIT_CASE(nonsense_is_refused),
	{}
};

static struct kunit_suite ask_suite = {
	.name = "ask",
	.test_cases = ask_cases,
};
kunit_test_suite(ask_suite);

MODULE_DESCRIPTION("KUnit suite of answers in advance");
MODULE_LICENSE("Dual MIT/GPL");
