// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_cooling_kunit.c - the map between states, duty and power
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "limits.h"
#include "units.h"
#include "../nst-duty.c"

/* The dither pattern repeats after nst_duty_period(), and not before. */
static void duty_period_is_the_pattern(struct kunit *test)
{
	u32 levels, state;

	for (levels = 1; levels <= NST_COOLING_LEVELS_MAX; levels++) {
		for (state = 0; state <= levels; state++) {
			u32 period = nst_duty_period(state, levels);
			struct nst_dither dither = { 0 };
			u32 frame, runs = 0;

			KUNIT_ASSERT_GE(test, period, 1u);
			KUNIT_ASSERT_LE(test, period, levels);
			for (frame = 0; frame < period; frame++) {
				if (frame)
					KUNIT_EXPECT_NE(test, 0u,
							dither.error);
				runs += nst_dither_step(&dither,
							levels - state,
							levels);
			}
			KUNIT_EXPECT_EQ(test, 0u, dither.error);
			KUNIT_EXPECT_EQ(test, runs * levels,
					(levels - state) * period);
		}
	}
}

static void power_and_state_are_inverse(struct kunit *test)
{
	const u32 run_mw = 2500, gated_mw = 100;
	u32 levels, state;

	for (levels = 1; levels <= NST_COOLING_LEVELS_MAX; levels++) {
		for (state = 0; state <= levels; state++) {
			u32 mw = nst_duty_power_mw(state, levels, run_mw,
						   gated_mw);

			KUNIT_EXPECT_EQ(test, state,
					nst_duty_state(mw, levels, run_mw,
						       gated_mw));
			if (mw > gated_mw)
				KUNIT_EXPECT_EQ(test, state + 1,
						nst_duty_state(mw - 1, levels,
							       run_mw,
							       gated_mw));
		}
		KUNIT_EXPECT_EQ(test, run_mw,
				nst_duty_power_mw(0, levels, run_mw,
						  gated_mw));
		KUNIT_EXPECT_EQ(test, gated_mw,
				nst_duty_power_mw(levels, levels, run_mw,
						  gated_mw));
		/* Less than anything gives: as little as there is. */
		KUNIT_EXPECT_EQ(test, levels,
				nst_duty_state(0, levels, run_mw, gated_mw));
	}
}

/* A stack whose gate saves nothing has one power, whatever the state. */
static void a_gate_that_saves_nothing(struct kunit *test)
{
	u32 state;

	for (state = 0; state <= 16; state++)
		KUNIT_EXPECT_EQ(test, 100u,
				nst_duty_power_mw(state, 16, 100, 2500));
	KUNIT_EXPECT_EQ(test, 0u, nst_duty_state(100, 16, 100, 2500));
}

/* Every state has less power than the one before, all of them between both. */
static void power_falls_with_the_state(struct kunit *test)
{
	u32 levels, state;

	for (levels = 1; levels <= NST_COOLING_LEVELS_MAX; levels++) {
		for (state = 1; state <= levels; state++)
			KUNIT_EXPECT_LT(test,
					nst_duty_power_mw(state, levels, 2500,
							  100),
					nst_duty_power_mw(state - 1, levels,
							  2500, 100));
	}
	/* The largest stack there is does not overflow. */
	KUNIT_EXPECT_EQ(test, (u32)NST_POWER_MAX_MW,
			nst_duty_power_mw(0, 32, NST_POWER_MAX_MW, 0));
	KUNIT_EXPECT_EQ(test, (u32)NST_POWER_MAX_MW / 32,
			nst_duty_power_mw(31, 32, NST_POWER_MAX_MW, 0));
}

struct sustainable_case {
	const char *name;
	s32 high_mc;
	s32 ambient_mc;
	u32 run_mw;
	u32 mw;
};

/*
 * Reference stack, 100 mW gated. Duties of the published cases at dim light:
 * 48.7, 64.6 and 74.9 % of 2400 mW over 100, at 76.3, 87.2 and 94.3 degC.
 */
static const struct sustainable_case sustainable_cases[] = {
	{ "35 dB at 2.5 W", 76300, 26400, 2500, 1268 },
	{ "26 dB at 2.5 W", 87200, 26400, 2500, 1650 },
	{ "20 dB at 2.5 W", 94300, 26400, 2500, 1900 },
	{ "1 W runs for ever", 87200, 26400, 1000, 1000 },
	{ "too hot a place", 40000, 60000, 2500, 100 },
	{ "below zero", -10000, -20000, 2500, 100 },
	{ "the cold helps", 60000, -40000, 2500, 2500 },
};

static void sustainable_case_name(const struct sustainable_case *c,
				  char *desc)
{
	size_t i;

	for (i = 0; i < KUNIT_PARAM_DESC_SIZE - 1 && c->name[i]; i++)
		desc[i] = c->name[i];
	desc[i] = '\0';
}

KUNIT_ARRAY_PARAM(sustainable, sustainable_cases, sustainable_case_name);

static void sustainable_power(struct kunit *test)
{
	const struct sustainable_case *c = test->param_value;
	u32 mw = nst_duty_sustainable_mw(c->high_mc, c->ambient_mc, c->run_mw,
					 100, &nst_plant_reference);

	KUNIT_EXPECT_GE(test, mw + 5, c->mw);
	KUNIT_EXPECT_LE(test, mw, c->mw + 5);
}

/* One sixteenth of 2.4 W into 0.7 J/K. */
static void slope_of_a_state(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 214,
			nst_duty_slope_mc_per_s(16, 2500, 100,
						&nst_plant_reference));
	KUNIT_EXPECT_EQ(test, 0,
			nst_duty_slope_mc_per_s(16, 100, 100,
						&nst_plant_reference));
	KUNIT_EXPECT_EQ(test, 0,
			nst_duty_slope_mc_per_s(1, 100, 2500,
						&nst_plant_reference));
}

static struct kunit_case nst_cooling_cases[] = {
	KUNIT_CASE(duty_period_is_the_pattern),
	KUNIT_CASE(power_and_state_are_inverse),
	KUNIT_CASE(a_gate_that_saves_nothing),
	KUNIT_CASE(power_falls_with_the_state),
	KUNIT_CASE_PARAM(sustainable_power, sustainable_gen_params),
	KUNIT_CASE(slope_of_a_state),
	{}
};

static struct kunit_suite nst_cooling_suite = {
	.name = "nst-cooling",
	.test_cases = nst_cooling_cases,
};

kunit_test_suite(nst_cooling_suite);

MODULE_DESCRIPTION("KUnit suite of the map of the cooling device");
MODULE_LICENSE("GPL");
