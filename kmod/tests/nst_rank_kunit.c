// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_rank_kunit.c - who decides about a gate, against a plain statement
 */
#include <kunit/test.h>
#include <linux/module.h>

/* Pure, and small: tested as a part of the suite. */
#include "../nst-rank.c"

/*
 * All that the ranks can say, with each pair of gates, against the rules in
 * their own words.
 */
static void decide_every_combination(struct kunit *test)
{
	u32 bits, holder, manual;

	for (bits = 0; bits < 128; bits++) {
		for (holder = 0; holder < NST_GATE_COUNT; holder++) {
			for (manual = 0; manual < NST_GATE_COUNT; manual++) {
				const struct nst_rank_inputs in = {
					.leased = bits & 1,
					.engine_gates = bits & 2,
					.capture = bits & 4,
					.bound_closes = bits & 8,
					.sensor_bad = bits & 16,
					.ceiling = bits & 32,
					.waking = bits & 64,
					.holder_gate = (u8)holder,
					.manual_gate = (u8)manual,
				};
				struct nst_rank_outputs out;
				u32 base = manual;

				nst_rank_decide(&in, &out);
				if (in.leased)
					base = holder;
				else if (in.engine_gates && !base)
					base = NST_GATE_STANDBY;
				KUNIT_EXPECT_EQ(test, base, (u32)out.base);

				/* Stricter ranks close, and never open. */
				if (bits & 0x7c)
					KUNIT_EXPECT_GE(test, (u32)out.gate,
							1u);
				KUNIT_EXPECT_GE(test, out.gate, out.base);
				/* Nor do they close deeper than standby. */
				if (out.base != NST_GATE_RUN)
					KUNIT_EXPECT_EQ(test, out.gate,
							out.base);
				else
					KUNIT_EXPECT_EQ(test, out.gate > 0,
							(bits & 0x7c) > 0);
				if (out.gate != out.base)
					KUNIT_EXPECT_TRUE(test, out.guard);
			}
		}
	}
}

struct failsafe_case {
	const char *name;
	struct nst_rank_inputs in;
	u8 failsafe;
	bool guard;
};

static const struct failsafe_case failsafe_cases[] = {
	{ "nothing", { 0 }, 0, false },
	{ "the engine holds", { .engine_gates = true },
	  NST_FAILSAFE_HOLD, true },
	{ "the engine has no say under a lease",
	  { .leased = true, .engine_gates = true }, 0, false },
	{ "ceiling against a holder", { .leased = true, .ceiling = true },
	  NST_FAILSAFE_CEILING, true },
	{ "ceiling that nobody wants to pass",
	  { .leased = true, .holder_gate = NST_GATE_STANDBY,
	    .ceiling = true }, 0, false },
	{ "bad sensor above all",
	  { .leased = true, .ceiling = true, .sensor_bad = true },
	  NST_FAILSAFE_SENSOR, true },
	{ "bad sensor, gated already",
	  { .leased = true, .holder_gate = NST_GATE_OFF,
	    .sensor_bad = true }, NST_FAILSAFE_SENSOR, true },
	{ "nor does a sensor that wakes up fail",
	  { .leased = true, .waking = true }, 0, true },
	{ "a bound is no fail-safe", { .leased = true, .bound_closes = true },
	  0, true },
	{ "nor is a capture", { .leased = true, .capture = true }, 0, true },
};

static void failsafe_case_name(const struct failsafe_case *c, char *desc)
{
	size_t i;

	/* Neither snprintf() nor strscpy() is everywhere that this is run. */
	for (i = 0; i < KUNIT_PARAM_DESC_SIZE - 1 && c->name[i]; i++)
		desc[i] = c->name[i];
	desc[i] = '\0';
}

KUNIT_ARRAY_PARAM(failsafe, failsafe_cases, failsafe_case_name);

static void failsafe_is_named(struct kunit *test)
{
	const struct failsafe_case *c = test->param_value;
	struct nst_rank_outputs out;

	nst_rank_decide(&c->in, &out);
	KUNIT_EXPECT_EQ(test, c->failsafe, out.failsafe);
	KUNIT_EXPECT_EQ(test, c->guard, out.guard);
}

static void dwell_delays_opening_only(struct kunit *test)
{
	const u8 run = NST_GATE_RUN, standby = NST_GATE_STANDBY;
	const u8 off = NST_GATE_OFF;

	/* from, to, since, now, dwell */
	KUNIT_EXPECT_EQ(test, standby,
			nst_rank_dwell(run, standby, 1000, 1000, 500));
	KUNIT_EXPECT_EQ(test, standby,
			nst_rank_dwell(standby, run, 1000, 1499, 500));
	KUNIT_EXPECT_EQ(test, run,
			nst_rank_dwell(standby, run, 1000, 1500, 500));
	KUNIT_EXPECT_EQ(test, run,
			nst_rank_dwell(standby, run, 1000, 1000, 0));
	/* Before its own start: not over. */
	KUNIT_EXPECT_EQ(test, standby,
			nst_rank_dwell(standby, run, 1000, 900, 500));
	KUNIT_EXPECT_EQ(test, off,
			nst_rank_dwell(standby, off, 1000, 1001, 500));
	KUNIT_EXPECT_EQ(test, off,
			nst_rank_dwell(off, standby, 1000, 1001, 500));
}

static void thresholds_of_the_reference(struct kunit *test)
{
	struct nst_thresholds thr = { .max_mc = 1 };

	KUNIT_EXPECT_EQ(test, 0,
			nst_rank_thresholds(&thr, &nst_plant_reference, 2500,
					    100, 105000));
	KUNIT_EXPECT_EQ(test, 105000, thr.max_mc);
	KUNIT_EXPECT_EQ(test, 103000, thr.high_mc);
	/* 13.2 K of jump and 4 K: physics.md 12.4. */
	KUNIT_EXPECT_LE(test, thr.low_mc, 103000 - 13200 - 4000 + 50);
	KUNIT_EXPECT_GE(test, thr.low_mc, 103000 - 13200 - 4000 - 50);
	KUNIT_EXPECT_EQ(test, NST_TEMP_NONE_MC, thr.capture_mc);
	KUNIT_EXPECT_EQ(test, 0, nst_thresholds_check(&thr));

	/* A gate that saves nothing still leaves a band. */
	KUNIT_EXPECT_EQ(test, 0,
			nst_rank_thresholds(&thr, &nst_plant_reference, 100,
					    2500, 70000));
	KUNIT_EXPECT_EQ(test, 64000, thr.low_mc);

	KUNIT_EXPECT_EQ(test, -ERANGE,
			nst_rank_thresholds(&thr, &nst_plant_reference, 2500,
					    100, -50000));
	KUNIT_EXPECT_EQ(test, 64000, thr.low_mc);
}

static struct kunit_case nst_rank_cases[] = {
	KUNIT_CASE(decide_every_combination),
	KUNIT_CASE_PARAM(failsafe_is_named, failsafe_gen_params),
	KUNIT_CASE(dwell_delays_opening_only),
	KUNIT_CASE(thresholds_of_the_reference),
	{}
};

static struct kunit_suite nst_rank_suite = {
	.name = "nst-rank",
	.test_cases = nst_rank_cases,
};

kunit_test_suite(nst_rank_suite);

MODULE_DESCRIPTION("KUnit suite of the ranks of the guard");
MODULE_LICENSE("GPL");
