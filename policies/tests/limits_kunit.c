// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * limits_kunit.c - thresholds from demands, the band, the rail, the dither
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "limits.h"
#include "rail.h"

#define NONE NST_TEMP_NONE_MC

static struct nst_demand demand_of(s32 vision_mc, s32 imaging_mc)
{
	const struct nst_demand demand = {
		.vision_max_mc = vision_mc,
		.imaging_max_mc = imaging_mc,
		.ceiling_mc = 105000,
		.latency_us = 33333,
		.near_mw = 2500,
		.capture_mw = 100,
	};

	return demand;
}

static s32 abs32(s32 v)
{
	return v < 0 ? -v : v;
}

struct demand_case {
	s32 vision_mc;
	s32 imaging_mc;
	s32 accuracy_mc;
	u32 latency_us;
	u32 gap_mc;
	s32 high_mc;
	s32 low_mc;
	s32 capture_mc;
	s32 max_mc;
};

/*
 * T_jump of 2.4 W is 13.2 K; 26 dB at dim light is 74.0 degC, so T_high is
 * 87.2 less what is left of the jump at the latency.
 */
static const struct demand_case demand_cases[] = {
	{ 74000, NONE, 0, 33333, 0, 74000, 56800, NONE, 105000 },
	{ NONE, 74000, 0, 33333, 0, 87183, 69983, 74000, 105000 },
	{ NONE, 74000, 0, 5000, 0, 82345, 65145, 74000, 105000 },
	{ NONE, 74000, 0, 0, 0, 74000, 56800, 74000, 105000 },
	{ 81100, 74000, 0, 33333, 0, 81100, 63900, 74000, 105000 },
	{ 98100, 74000, 0, 33333, 0, 87183, 69983, 74000, 105000 },
	{ NONE, NONE, 0, 33333, 0, 105000, 87800, NONE, 105000 },
	{ 116100, 109000, 0, 33333, 0, 105000, 87800, 109000, 105000 },
	{ NONE, 74000, 1500, 33333, 0, 85683, 68483, 72500, 103500 },
	{ 74000, NONE, 0, 33333, 5000, 74000, 69000, NONE, 105000 },
};

static void demand_describe(const struct demand_case *c, char *desc)
{
	desc[0] = c->vision_mc == NONE ? '-' : 'v';
	desc[1] = c->imaging_mc == NONE ? '-' : 'i';
	desc[2] = c->accuracy_mc ? 'a' : '-';
	desc[3] = c->gap_mc ? 'g' : '-';
	desc[4] = (char)('0' + c->latency_us / 5000);
	desc[5] = '\0';
}

KUNIT_ARRAY_PARAM(demands, demand_cases, demand_describe);

static void thresholds_follow_the_demand(struct kunit *test)
{
	const struct demand_case *c = test->param_value;
	struct nst_demand demand = demand_of(c->vision_mc, c->imaging_mc);
	struct nst_thresholds thr;

	demand.accuracy_mc = c->accuracy_mc;
	demand.latency_us = c->latency_us;
	demand.gap_mc = c->gap_mc;
	KUNIT_ASSERT_EQ(test, nst_thresholds_from_demand(&thr, &demand,
						&nst_plant_reference), 0);
	KUNIT_EXPECT_LE(test, abs32(thr.high_mc - c->high_mc), (s32)1);
	KUNIT_EXPECT_LE(test, abs32(thr.low_mc - c->low_mc), (s32)1);
	KUNIT_EXPECT_EQ(test, thr.capture_mc, c->capture_mc);
	KUNIT_EXPECT_EQ(test, thr.max_mc, c->max_mc);
	KUNIT_EXPECT_EQ(test, nst_thresholds_check(&thr), 0);
}

static void bad_demands_change_nothing(struct kunit *test)
{
	struct nst_plant_params bad = nst_plant_reference;
	struct nst_thresholds thr = { 4, 3, 2, 5 };
	struct nst_demand demands[12];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(demands); i++)
		demands[i] = demand_of(74000, NONE);
	demands[0].vision_max_mc = NST_TEMP_MAX_MC + 1;
	demands[1].imaging_max_mc = NST_TEMP_MIN_MC - 1;
	demands[2].ceiling_mc = NONE;
	demands[3].accuracy_mc = -1;
	demands[4].accuracy_mc = 2000000000;
	demands[5].latency_us = NST_DT_MAX_US + 1;
	demands[6].near_mw = NST_POWER_MAX_MW + 1;
	demands[7].capture_mw = NST_POWER_MAX_MW + 1;
	demands[8].gap_mc = 4000000000u;
	/* T_low would be below the range: no task can be met near */
	demands[9].vision_max_mc = NST_TEMP_MIN_MC;
	demands[10].accuracy_mc = 150000;
	/* a jump of 275 K */
	demands[11].near_mw = NST_POWER_MAX_MW;
	for (i = 0; i < ARRAY_SIZE(demands); i++)
		KUNIT_EXPECT_EQ(test, nst_thresholds_from_demand(&thr,
						&demands[i],
						&nst_plant_reference),
				-ERANGE);
	demands[0] = demand_of(74000, NONE);
	demands[0].near_mw = 99;
	KUNIT_EXPECT_EQ(test, nst_thresholds_from_demand(&thr, &demands[0],
						&nst_plant_reference),
			-EINVAL);
	bad.r_jp_mk_per_w = 0;
	demands[0] = demand_of(74000, NONE);
	KUNIT_EXPECT_EQ(test, nst_thresholds_from_demand(&thr, &demands[0],
							 &bad), -ERANGE);
	KUNIT_EXPECT_EQ(test, thr.high_mc, (s32)4);
	KUNIT_EXPECT_EQ(test, thr.low_mc, (s32)3);
	KUNIT_EXPECT_EQ(test, thr.capture_mc, (s32)2);
	KUNIT_EXPECT_EQ(test, thr.max_mc, (s32)5);
}

static void order_of_thresholds_is_checked(struct kunit *test)
{
	static const struct {
		struct nst_thresholds thr;
		int want;
	} cases[] = {
		/* high, low, capture, max */
		{ { 87000, 70000, NONE, 105000 }, 0 },
		{ { 87000, 86999, 74000, 87000 }, 0 },
		{ { 87000, 87000, NONE, 105000 }, -EINVAL },
		{ { 87000, 87001, NONE, 105000 }, -EINVAL },
		{ { 87000, 70000, NONE, 86999 }, -EINVAL },
		{ { NST_TEMP_MAX_MC + 1, 70000, NONE, NST_TEMP_MAX_MC + 2 },
		  -ERANGE },
		{ { 87000, NST_TEMP_MIN_MC - 1, NONE, 105000 }, -ERANGE },
		{ { 87000, 70000, NONE - 1, 105000 }, -ERANGE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ(test, nst_thresholds_check(&cases[i].thr),
				cases[i].want);
}

struct band_event {
	s32 temp_mc;
	u64 now_us;
	int want;
};

#define OPEN NST_BAND_OPEN
#define GATED NST_BAND_GATED

/* high 87000, low 70000, dwell 1000 us */
static const struct band_event band_events[] = {
	{ 20000, 0, OPEN },
	{ 86999, 10, OPEN },		/* below high is open */
	{ 87000, 20, GATED },		/* at high it gates */
	{ 71000, 30, GATED },		/* between the two nothing changes */
	{ 70001, 2000, GATED },		/* dwell over, but not cool */
	{ 70000, 2010, OPEN },		/* at low it opens */
	{ 75000, 2020, OPEN },		/* between the two nothing changes */
	{ 90000, 2021, GATED },		/* gating does not wait */
	{ 60000, 3020, GATED },		/* cool, dwell not over */
	{ 60000, 3021, OPEN },		/* to the microsecond */
	{ 99000, 3022, GATED },
	{ 99000, 5000, GATED },		/* the dwell runs from the gating */
	{ 60000, 5001, OPEN },
	{ 99000, 6000, GATED },
	{ 60000, 5500, GATED },		/* clock set back: dwell anew */
	{ 60000, 6499, GATED },
	{ 60000, 6500, OPEN },
};

static void band_walks_its_states(struct kunit *test)
{
	struct nst_band band = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(band_events); i++) {
		const struct band_event *e = &band_events[i];
		int got = nst_band_step(&band, 87000, 70000, 1000,
					e->temp_mc, e->now_us);

		if (got != e->want)
			kunit_info(test, "event %d\n", (int)i);
		KUNIT_EXPECT_EQ(test, got, e->want);
		KUNIT_EXPECT_EQ(test, (int)band.state, e->want);
	}
}

static void band_without_dwell(struct kunit *test)
{
	struct nst_band band = { 0 };

	KUNIT_EXPECT_EQ(test, (int)nst_band_step(&band, 87000, 70000, 0,
						 88000, 5), (int)GATED);
	KUNIT_EXPECT_EQ(test, (int)nst_band_step(&band, 87000, 70000, 0,
						 70000, 5), (int)OPEN);
	/* thresholds that fall gate at the next observation */
	KUNIT_EXPECT_EQ(test, (int)nst_band_step(&band, 69000, 60000, 0,
						 70000, 6), (int)GATED);
	/* a low threshold above the high one does not open a hot band */
	KUNIT_EXPECT_EQ(test, (int)nst_band_step(&band, 69000, 75000, 0,
						 70000, 7), (int)GATED);
}

/* Every duty of a few level counts: exact over a pattern, and even. */
static void dither_is_exact_and_even(struct kunit *test)
{
	static const u32 level_counts[] = { 1, 2, 3, 7, 10, 100 };
	size_t l;

	for (l = 0; l < ARRAY_SIZE(level_counts); l++) {
		u32 levels = level_counts[l], duty;

		for (duty = 0; duty <= levels; duty++) {
			struct nst_dither dither = { 0 };
			u32 run = 0, i;
			bool even = true;

			for (i = 1; i <= 3 * levels; i++) {
				run += nst_dither_step(&dither, duty,
						       levels);
				/* floor(i * duty / levels) ran so far */
				even = even && run == i * duty / levels;
			}
			KUNIT_EXPECT_EQ(test, run, 3 * duty);
			KUNIT_EXPECT_TRUE(test, even);
		}
	}
}

static void dither_takes_any_argument(struct kunit *test)
{
	struct nst_dither dither = { 0 };
	u32 i, run = 0;

	KUNIT_EXPECT_FALSE(test, nst_dither_step(&dither, 5, 0));
	KUNIT_EXPECT_TRUE(test, nst_dither_step(&dither, 9, 3));
	/* more than all was all */
	KUNIT_EXPECT_FALSE(test, nst_dither_step(&dither, 1, 3));
	/* the largest numbers do not wrap */
	dither.error = 0;
	for (i = 0; i < 100; i++)
		run += nst_dither_step(&dither, 0xfffffffeu, 0xffffffffu);
	KUNIT_EXPECT_EQ(test, run, (u32)99);
	/* what a finer pattern left behind is not a debt of frames */
	dither.error = 99;
	KUNIT_EXPECT_FALSE(test, nst_dither_step(&dither, 0, 10));
	run = 0;
	for (i = 0; i < 10; i++)
		run += nst_dither_step(&dither, 5, 10);
	KUNIT_EXPECT_LE(test, run, (u32)6);
}

static bool at_rail(struct nst_rail *rail, s32 value_mc, u8 bound, s32 work_mc)
{
	const struct nst_sample sample = {
		.value_mc = value_mc,
		.state = NST_SAMPLE_VALID,
		.bound = bound,
	};

	return nst_rail_step(rail, &sample, work_mc);
}

/* A sensor that ends at 80 degC, on a stack whose limits are far above. */
static void rail_is_left_with_room(struct kunit *test)
{
	const struct nst_sample lost = {
		.value_mc = 20000,
		.state = NST_SAMPLE_BUS_FAULT,
	};
	struct nst_rail rail = {};
	unsigned int i;

	KUNIT_EXPECT_FALSE(test, at_rail(&rail, 79000, NST_BOUND_NONE, 95000));
	KUNIT_EXPECT_TRUE(test,
			  at_rail(&rail, 80000, NST_BOUND_AT_LEAST, 70000));
	/* Below the rail, and work would lead back to it. */
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_TRUE(test, at_rail(&rail, 70000, NST_BOUND_NONE,
						80000 - NST_RAIL_ROOM_MC));
	/* Room, but not often enough in a row. */
	for (i = 1; i < NST_RAIL_GOOD; i++)
		KUNIT_EXPECT_TRUE(test, at_rail(&rail, 60000, NST_BOUND_NONE,
						77999));
	/* A dead sensor is no cold one. */
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_TRUE(test, nst_rail_step(&rail, &lost, 20000));
	KUNIT_EXPECT_TRUE(test,
			  at_rail(&rail, 70000, NST_BOUND_NONE, 78500));
	for (i = 1; i < NST_RAIL_GOOD; i++)
		KUNIT_EXPECT_TRUE(test, at_rail(&rail, 60000, NST_BOUND_NONE,
						77999));
	KUNIT_EXPECT_FALSE(test,
			   at_rail(&rail, 60000, NST_BOUND_NONE, 77999));
	KUNIT_EXPECT_FALSE(test,
			   at_rail(&rail, 79900, NST_BOUND_NONE, 99000));
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE_PARAM(thresholds_follow_the_demand, demands_gen_params),
	KUNIT_CASE(bad_demands_change_nothing),
	KUNIT_CASE(order_of_thresholds_is_checked),
	KUNIT_CASE(band_walks_its_states),
	KUNIT_CASE(band_without_dwell),
	KUNIT_CASE(rail_is_left_with_room),
	KUNIT_CASE(dither_is_exact_and_even),
	KUNIT_CASE(dither_takes_any_argument),
	{}
};

static struct kunit_suite limits_suite = {
	.name = "limits",
	.test_cases = limits_cases,
};
kunit_test_suite(limits_suite);

MODULE_DESCRIPTION("KUnit suite of thresholds, band and dither");
MODULE_LICENSE("Dual MIT/GPL");
