// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * plant_kunit.c - the two-node plant
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "plant.h"

#define AMBIENT_MC 26400

/* A slow one, a fast one, a big one, the corners of the ranges. */
static const struct nst_plant_params stacks[] = {
	{ 5500, 28500, 909, 700000, 0, 7500 },
	{ 13100, 20900, 1527, 954545, 0, 7500 },
	{ 5500, 28500, 909, 350000, 0, 7500 },
	{ 10, 1000000, 200, 100000000, 0, 7500 },
	{ 1000000, 1000000, 4000000, 100000000, 0, 7500 },
	{ 200, 10, 10, 1000000, 0, 7500 },
	{ 30000, 5000, 100, 3000000, 0, 7500 },
};

static void stack_describe(const struct nst_plant_params *p, char *desc)
{
	static const char hex[] = "0123456789abcdef";
	int i;

	/* No snprintf in the shared part: the resistances in hex. */
	for (i = 0; i < 5; i++)
		desc[i] = hex[p->r_jp_mk_per_w >> (16 - 4 * i) & 15];
	desc[5] = '/';
	for (i = 0; i < 5; i++)
		desc[6 + i] = hex[p->r_pa_mk_per_w >> (16 - 4 * i) & 15];
	desc[11] = '\0';
}

KUNIT_ARRAY_PARAM(stacks, stacks, stack_describe);

static s64 die_q32(const struct nst_plant *plant)
{
	return plant->z_q32[0] + plant->z_q32[1];
}

static s64 abs64(s64 v)
{
	return v < 0 ? -v : v;
}

/* Sums that hold whatever the constants are. */
static void modes_are_consistent(struct kunit *test)
{
	const struct nst_plant_params *params = test->param_value;
	u64 a = (u64)params->r_jp_mk_per_w * params->c_j_uj_per_k;
	u64 b = (u64)params->r_pa_mk_per_w * params->c_p_uj_per_k;
	u64 d = (u64)params->r_pa_mk_per_w * params->c_j_uj_per_k;
	struct nst_plant plant;
	s64 sum, ratio;

	KUNIT_ASSERT_EQ(test, nst_plant_init(&plant, params, AMBIENT_MC), 0);
	KUNIT_EXPECT_EQ(test, plant.mode[0].ambient_q32 +
			plant.mode[1].ambient_q32, (s64)1 << 32);
	/* Vieta: the sum of the constants is A + B + D */
	sum = (s64)(plant.mode[0].tau_ns + plant.mode[1].tau_ns) -
	      (s64)(a + b + d);
	KUNIT_EXPECT_LE(test, abs64(sum), (s64)((a + b + d) >> 30) + 2);
	KUNIT_EXPECT_LT(test, plant.mode[0].tau_ns, a);
	KUNIT_EXPECT_GT(test, plant.mode[1].tau_ns, b);
	/* total resistance */
	sum = plant.mode[0].gain_q32 + plant.mode[1].gain_q32;
	ratio = (s64)nst_div_u64(((u64)params->r_jp_mk_per_w +
				  params->r_pa_mk_per_w) << 32, 1000);
	KUNIT_EXPECT_LE(test, abs64(sum - ratio), (s64)2);
}

static void steady_state_is_r_times_p(struct kunit *test)
{
	const struct nst_plant_params *params = test->param_value;
	u32 power_mw = params->r_pa_mk_per_w > 100000 ? 20 : 2500;
	struct nst_plant plant;
	s32 die_mc, package_mc;

	die_mc = AMBIENT_MC +
		 (s32)nst_div_u64(((u64)params->r_jp_mk_per_w +
				   params->r_pa_mk_per_w) * power_mw, 1000);
	package_mc = AMBIENT_MC +
		     (s32)nst_div_u64((u64)params->r_pa_mk_per_w * power_mw,
				      1000);
	KUNIT_ASSERT_EQ(test, nst_plant_init(&plant, params, AMBIENT_MC), 0);
	KUNIT_EXPECT_EQ(test, nst_plant_die_mc(&plant), (s32)AMBIENT_MC);
	KUNIT_EXPECT_EQ(test, nst_plant_package_mc(&plant),
			(s32)AMBIENT_MC);
	KUNIT_ASSERT_EQ(test, nst_plant_set_steady(&plant, power_mw,
						   AMBIENT_MC), 0);
	KUNIT_EXPECT_EQ(test, nst_plant_die_mc(&plant), die_mc);
	KUNIT_EXPECT_EQ(test, nst_plant_package_mc(&plant), package_mc);
	KUNIT_EXPECT_EQ(test, nst_plant_steady_die_mc(params, power_mw,
						      AMBIENT_MC), die_mc);
	/* An hour later it is still there. */
	KUNIT_ASSERT_EQ(test, nst_plant_step(&plant, power_mw, AMBIENT_MC,
					     NST_DT_MAX_US), 0);
	KUNIT_EXPECT_EQ(test, nst_plant_die_mc(&plant), die_mc);
}

/* One step of a second, a thousand, a million: the same state. */
static void splitting_a_step_changes_nothing(struct kunit *test)
{
	const struct nst_plant_params *params = test->param_value;
	u32 power_mw = params->r_pa_mk_per_w > 100000 ? 20 : 2500;
	struct nst_plant one, thousand, million;
	s64 error;
	u32 i;

	KUNIT_ASSERT_EQ(test, nst_plant_init(&one, params, AMBIENT_MC), 0);
	KUNIT_ASSERT_EQ(test, nst_plant_set_state(&one, 87000, 60000), 0);
	thousand = one;
	million = one;
	KUNIT_ASSERT_EQ(test, nst_plant_step(&one, power_mw, AMBIENT_MC,
					     1000000), 0);
	for (i = 0; i < 1000; i++)
		nst_plant_step(&thousand, power_mw, AMBIENT_MC, 1000);
	for (i = 0; i < 1000000; i++)
		nst_plant_step(&million, power_mw, AMBIENT_MC, 1);
	/* A microkelvin is 2^22 and a bit; a millikelvin was asked for. */
	error = abs64(die_q32(&one) - die_q32(&thousand));
	KUNIT_EXPECT_LE(test, error, (s64)1 << 22);
	error = abs64(die_q32(&one) - die_q32(&million));
	KUNIT_EXPECT_LE(test, error, (s64)1 << 22);
	KUNIT_EXPECT_EQ(test, nst_plant_package_mc(&one),
			nst_plant_package_mc(&million));
}

/*
 * The slowest stack there can be loses 1e-11 of a difference in 1 us; of a
 * difference of 1 mC that is a fortieth of the last bit of the state.
 */
static void small_increments_are_never_lost(struct kunit *test)
{
	const struct nst_plant_params params = {
		1000, 1000000, 1000000, 100000000, 0, 7500
	};
	struct nst_plant fine, coarse;
	s64 moved;
	u32 i;

	KUNIT_ASSERT_EQ(test, nst_plant_init(&fine, &params, 0), 0);
	nst_plant_set_steady(&fine, 1, 0);
	coarse = fine;
	/* 1 mC of ambient is all that drives it. */
	for (i = 0; i < 2000000; i++)
		nst_plant_step(&fine, 1, 1, 1);
	nst_plant_step(&coarse, 1, 1, 2000000);
	moved = coarse.z_q32[1] - (fine.z_q32[1] - 0);
	KUNIT_EXPECT_LE(test, abs64(moved), (s64)1);
	/* and it did move: 2 s of 1e5 s, 2e-5 of 2^32 */
	nst_plant_set_steady(&coarse, 1, 0);
	KUNIT_EXPECT_GT(test, fine.z_q32[1] - coarse.z_q32[1], (s64)70000);
}

static void refusals_change_nothing(struct kunit *test)
{
	struct nst_plant *plant, *before;

	plant = kunit_kzalloc(test, sizeof(*plant), GFP_KERNEL);
	before = kunit_kzalloc(test, sizeof(*before), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, plant);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, before);
	KUNIT_ASSERT_EQ(test, nst_plant_init(plant, &nst_plant_reference,
					     AMBIENT_MC), 0);
	nst_plant_step(plant, 2500, AMBIENT_MC, 1234567);
	memcpy(before, plant, sizeof(*plant));

	KUNIT_EXPECT_EQ(test, nst_plant_step(plant, NST_POWER_MAX_MW + 1,
					     AMBIENT_MC, 1000), -ERANGE);
	KUNIT_EXPECT_EQ(test, nst_plant_step(plant, 100, AMBIENT_MC,
					     NST_DT_MAX_US + 1), -ERANGE);
	KUNIT_EXPECT_EQ(test, nst_plant_step(plant, 100, NST_TEMP_MAX_MC + 1,
					     1000), -ERANGE);
	KUNIT_EXPECT_EQ(test, nst_plant_step(plant, 100, NST_TEMP_MIN_MC - 1,
					     1000), -ERANGE);
	KUNIT_EXPECT_EQ(test, nst_plant_set_state(plant, 20000,
						  NST_TEMP_MAX_MC + 1),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, nst_plant_set_state(plant, NST_TEMP_MIN_MC - 1,
						  20000), -ERANGE);
	KUNIT_EXPECT_EQ(test, nst_plant_set_steady(plant,
						   NST_POWER_MAX_MW + 1,
						   AMBIENT_MC), -ERANGE);
	KUNIT_EXPECT_EQ(test, nst_plant_set_steady(plant, 100,
						   NST_TEMP_MAX_MC + 1),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, nst_plant_init(plant, &nst_plant_reference,
					     NST_TEMP_MAX_MC + 1), -ERANGE);
	KUNIT_EXPECT_EQ(test, nst_plant_step(plant, 100, AMBIENT_MC, 0), 0);
	KUNIT_EXPECT_EQ(test, memcmp(before, plant, sizeof(*plant)), 0);
	/* The limits themselves are in range. */
	KUNIT_EXPECT_EQ(test, nst_plant_step(plant, NST_POWER_MAX_MW,
					     NST_TEMP_MAX_MC, NST_DT_MAX_US),
			0);
	KUNIT_EXPECT_EQ(test, nst_plant_die_mc(plant),
			(s32)(NST_TEMP_MAX_MC + 34 * NST_POWER_MAX_MW));
}

/* Each parameter one step outside of what is allowed. */
static const struct nst_plant_params bad_stacks[] = {
	{ 9, 28500, 909, 700000, 0, 7500 },
	{ 1000001, 28500, 909, 700000, 0, 7500 },
	{ 5500, 9, 909, 700000, 0, 7500 },
	{ 5500, 1000001, 909, 700000, 0, 7500 },
	{ 5500, 28500, 9, 700000, 0, 7500 },
	{ 5500, 28500, 909, 100000001, 0, 7500 },
	{ 5500, 28500, 909, 18180, 0, 7500 },	/* 20 times */
	{ 199, 28500, 10, 700000, 0, 7500 },	/* 2 us */
	{ 100000, 1000, 909, 300000, 0, 7500 },	/* package too fast */
	{ 5500, 28500, 909, 700000, 50000001, 7500 },
	{ 5500, 28500, 909, 700000, 50000, 100001 },
};

static void bad_parameters_are_refused(struct kunit *test)
{
	struct nst_plant plant, before;
	size_t i;

	memset(&plant, 0x5a, sizeof(plant));
	memcpy(&before, &plant, sizeof(plant));
	for (i = 0; i < ARRAY_SIZE(bad_stacks); i++) {
		KUNIT_EXPECT_EQ(test, nst_plant_params_check(&bad_stacks[i]),
				-ERANGE);
		KUNIT_EXPECT_EQ(test, nst_plant_init(&plant, &bad_stacks[i],
						     AMBIENT_MC), -ERANGE);
	}
	KUNIT_EXPECT_EQ(test, memcmp(&before, &plant, sizeof(plant)), 0);
	KUNIT_EXPECT_EQ(test, nst_plant_params_check(&nst_plant_reference),
			0);
	KUNIT_EXPECT_EQ(test, nst_plant_params_check(&nst_plant_ar0330), 0);
}

static void state_is_what_was_set(struct kunit *test)
{
	const struct nst_plant_params *params = test->param_value;
	static const s32 pairs[][2] = {
		{ 87000, 60000 }, { -60000, 250000 }, { 250000, -60000 },
		{ 0, 0 }, { 25, -25 },
	};
	struct nst_plant plant;
	size_t i;

	KUNIT_ASSERT_EQ(test, nst_plant_init(&plant, params, AMBIENT_MC), 0);
	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		KUNIT_EXPECT_EQ(test, nst_plant_set_state(&plant, pairs[i][0],
							  pairs[i][1]), 0);
		KUNIT_EXPECT_EQ(test, nst_plant_die_mc(&plant), pairs[i][0]);
		KUNIT_EXPECT_EQ(test, nst_plant_package_mc(&plant),
				pairs[i][1]);
		nst_plant_shift(&plant, -4321);
		KUNIT_EXPECT_EQ(test, nst_plant_die_mc(&plant),
				pairs[i][0] - 4321);
		KUNIT_EXPECT_EQ(test, nst_plant_package_mc(&plant),
				pairs[i][1] - 4321);
	}
}

static void peeking_changes_nothing(struct kunit *test)
{
	struct nst_plant plant, before;
	s32 peeked_mc;

	KUNIT_ASSERT_EQ(test, nst_plant_init(&plant, &nst_plant_reference,
					     AMBIENT_MC), 0);
	nst_plant_step(&plant, 2500, AMBIENT_MC, 5000000);
	memcpy(&before, &plant, sizeof(plant));
	peeked_mc = nst_plant_peek_die_mc(&plant, 100, AMBIENT_MC, 33333);
	KUNIT_EXPECT_EQ(test, memcmp(&before, &plant, sizeof(plant)), 0);
	/* Out of range: no time passes. */
	KUNIT_EXPECT_EQ(test, nst_plant_peek_die_mc(&plant,
						    NST_POWER_MAX_MW + 1,
						    AMBIENT_MC, 33333),
			nst_plant_die_mc(&plant));
	nst_plant_step(&plant, 100, AMBIENT_MC, 33333);
	KUNIT_EXPECT_EQ(test, nst_plant_die_mc(&plant), peeked_mc);
}

/* Three lengths in turn, so that every one misses the two cached. */
static void cached_factors_are_the_right_ones(struct kunit *test)
{
	static const u32 lengths_us[] = { 20000, 13333, 7, 20000, 7, 13333 };
	struct nst_plant plant, fresh;
	size_t i;

	KUNIT_ASSERT_EQ(test, nst_plant_init(&plant, &nst_plant_reference,
					     AMBIENT_MC), 0);
	fresh = plant;
	for (i = 0; i < 60; i++) {
		u32 power_mw = i & 1 ? 2500 : 100;
		u32 us = lengths_us[i % ARRAY_SIZE(lengths_us)];

		nst_plant_step(&plant, power_mw, AMBIENT_MC, us);
		memset(fresh.cache, 0, sizeof(fresh.cache));
		nst_plant_step(&fresh, power_mw, AMBIENT_MC, us);
	}
	KUNIT_EXPECT_EQ(test, plant.z_q32[0], fresh.z_q32[0]);
	KUNIT_EXPECT_EQ(test, plant.z_q32[1], fresh.z_q32[1]);
}

/* 63 / 86 / 95 / 98.2 / 99.9 % of 13.2 K after 5 / 10 / 15 / 20 / 33 ms */
static void jump_grows_with_time(struct kunit *test)
{
	static const struct {
		u32 t_us;
		s32 want_mc;
	} cases[] = {
		{ 0, 0 }, { 5000, 8345 }, { 10000, 11415 }, { 15000, 12543 },
		{ 20000, 12958 }, { 33000, 13182 }, { NST_DT_MAX_US, 13200 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		s32 jump_mc = nst_plant_jump_mc(&nst_plant_reference, 2400,
						cases[i].t_us);

		KUNIT_EXPECT_LE(test, (s32)abs64(jump_mc - cases[i].want_mc),
				(s32)2);
	}
}

/*
 * 50 mW at 300 K, 7500 ppm/K: at 60 degC exp(0.248625) times that. The
 * fixed point of T = 60.4 + 34 * leak(T) is 62.623 degC, with 65.4 mW.
 */
static void leakage_raises_the_steady_state(struct kunit *test)
{
	struct nst_plant_params params = nst_plant_reference;
	struct nst_plant plant, split;
	s32 steady_mc;
	u32 i;

	params.leak_ref_uw = 50000;
	KUNIT_EXPECT_EQ(test, nst_plant_leak_uw(&params, 26850), (u32)50000);
	KUNIT_EXPECT_LE(test, (s32)abs64((s64)nst_plant_leak_uw(&params,
								60000) -
					 64113), (s32)2);
	KUNIT_EXPECT_EQ(test, nst_plant_leak_uw(&nst_plant_reference, 60000),
			(u32)0);
	steady_mc = nst_plant_steady_die_mc(&params, 1000, AMBIENT_MC);
	KUNIT_EXPECT_LE(test, (s32)abs64(steady_mc - 62623), (s32)5);

	KUNIT_ASSERT_EQ(test, nst_plant_init(&plant, &params, AMBIENT_MC),
			0);
	split = plant;
	nst_plant_step(&plant, 1000, AMBIENT_MC, 400000000);
	KUNIT_EXPECT_LE(test, (s32)abs64(nst_plant_die_mc(&plant) -
					 steady_mc), (s32)2);
	nst_plant_set_steady(&plant, 1000, AMBIENT_MC);
	KUNIT_EXPECT_LE(test, (s32)abs64(nst_plant_die_mc(&plant) -
					 steady_mc), (s32)2);

	/* A step of two slices of unequal length loses no microsecond. */
	plant = split;
	for (i = 0; i < 100; i++) {
		nst_plant_step(&plant, 2500, AMBIENT_MC, 5001);
		nst_plant_step(&split, 2500, AMBIENT_MC, 2501);
		nst_plant_step(&split, 2500, AMBIENT_MC, 2500);
	}
	KUNIT_EXPECT_EQ(test, die_q32(&plant), die_q32(&split));

	/* Splitting costs next to nothing here too. */
	plant = split;
	nst_plant_step(&plant, 2500, AMBIENT_MC, 1000000);
	for (i = 0; i < 100000; i++)
		nst_plant_step(&split, 2500, AMBIENT_MC, 10);
	KUNIT_EXPECT_LE(test, (s32)abs64(nst_plant_die_mc(&plant) -
					 nst_plant_die_mc(&split)), (s32)15);
}

/* Leakage that feeds itself stops at the end of the power range. */
static void runaway_is_bounded(struct kunit *test)
{
	struct nst_plant_params params = nst_plant_reference;
	struct nst_plant plant;
	u32 i;

	params.leak_ref_uw = 50000000;
	params.leak_beta_ppm_per_k = NST_LEAK_BETA_MAX;
	KUNIT_ASSERT_EQ(test, nst_plant_init(&plant, &params, AMBIENT_MC),
			0);
	for (i = 0; i < 100; i++)
		KUNIT_ASSERT_EQ(test, nst_plant_step(&plant, 50000,
						     AMBIENT_MC, 10000000),
				0);
	KUNIT_EXPECT_EQ(test, nst_plant_die_mc(&plant),
			(s32)(AMBIENT_MC + 34 * 100000));
	KUNIT_EXPECT_EQ(test, nst_plant_steady_die_mc(&params, 50000,
						      AMBIENT_MC),
			(s32)(AMBIENT_MC + 34 * 100000));
	KUNIT_EXPECT_EQ(test, nst_plant_leak_uw(&params, -2000000000),
			(u32)0);
	KUNIT_EXPECT_EQ(test, nst_plant_leak_uw(&params, 30000),
			(u32)50000000);
	/* a microwatt at 300 K, and ten thousand octaves above */
	params.leak_ref_uw = 1;
	KUNIT_EXPECT_EQ(test, nst_plant_leak_uw(&params, 2000000000),
			(u32)50000000);
}

static struct kunit_case plant_cases[] = {
	KUNIT_CASE_PARAM(modes_are_consistent, stacks_gen_params),
	KUNIT_CASE_PARAM(steady_state_is_r_times_p, stacks_gen_params),
	KUNIT_CASE_PARAM(splitting_a_step_changes_nothing,
			 stacks_gen_params),
	KUNIT_CASE(small_increments_are_never_lost),
	KUNIT_CASE(refusals_change_nothing),
	KUNIT_CASE(bad_parameters_are_refused),
	KUNIT_CASE_PARAM(state_is_what_was_set, stacks_gen_params),
	KUNIT_CASE(peeking_changes_nothing),
	KUNIT_CASE(cached_factors_are_the_right_ones),
	KUNIT_CASE(jump_grows_with_time),
	KUNIT_CASE(leakage_raises_the_steady_state),
	KUNIT_CASE(runaway_is_bounded),
	{}
};

static struct kunit_suite plant_suite = {
	.name = "plant",
	.test_cases = plant_cases,
};
kunit_test_suite(plant_suite);

MODULE_DESCRIPTION("KUnit suite of the plant");
MODULE_LICENSE("Dual MIT/GPL");
