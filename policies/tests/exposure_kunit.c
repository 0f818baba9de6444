// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * exposure_kunit.c - exposure temperatures of rows and frames
 *
 * The reference is the definition itself: the plant stepped through the
 * exposure in 20 us steps, the dark rate summed, the logarithm taken.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "exposure.h"

#define AMBIENT_MC 26400
#define FINE_US 20

static s32 abs32(s32 v)
{
	return v < 0 ? -v : v;
}

static s32 fine_row_mc(const struct nst_plant *plant, u32 power_mw,
		       s32 ambient_mc, u32 start_us, u32 exposure_us,
		       s32 doubling_mc)
{
	struct nst_plant p = *plant;
	s32 ref_mc, die_mc;
	u64 sum = 0;
	u32 us, n = 0;

	nst_plant_step(&p, power_mw, ambient_mc, start_us);
	ref_mc = nst_plant_die_mc(&p);
	nst_plant_step(&p, power_mw, ambient_mc, FINE_US / 2);
	for (us = 0; us < exposure_us; us += FINE_US) {
		die_mc = nst_plant_die_mc(&p);
		/* +-15 octaves in Q32, summed in Q24 */
		sum += nst_exp2_q32((s32)nst_div_s64((s64)(die_mc - ref_mc) *
						     65536, doubling_mc)) >>
		       8;
		n++;
		nst_plant_step(&p, power_mw, ambient_mc, FINE_US);
	}
	return ref_mc + (s32)nst_div_s64((s64)nst_log2_q16(
				nst_div_u64(sum, n) << 8) * doubling_mc,
				65536);
}

static s32 fine_frame_mc(const struct nst_plant *plant, u32 power_mw,
			 s32 ambient_mc, u32 exposure_us, u32 readout_us,
			 s32 doubling_mc)
{
	s32 hottest = NST_TEMP_MIN_MC;
	u32 i;

	for (i = 0; i <= 16; i++) {
		s32 row_mc = fine_row_mc(plant, power_mw, ambient_mc,
					 readout_us * i / 16, exposure_us,
					 doubling_mc);

		if (row_mc > hottest)
			hottest = row_mc;
	}
	return hottest;
}

struct shot {
	const char *name;
	s32 die_mc;
	s32 package_mc;
	u32 power_mw;
	s32 ambient_mc;
	u32 exposure_us;
	u32 readout_us;
	u32 doubling_mc;
};

static const struct shot shots[] = {
	{ "stop at 87", 87000, 73250, 100, 26400, 32000, 1000, 7000 },
	{ "go at 74", 74000, 73200, 2500, 26400, 32000, 1000, 7000 },
	{ "steady", 60400, 54900, 1000, 26400, 32000, 1000, 7000 },
	{ "daylight", 87000, 73250, 100, 26400, 16000, 8000, 7000 },
	{ "dim", 87000, 73250, 100, 26400, 64000, 1000, 7000 },
	{ "short", 87000, 73250, 100, 26400, 1000, 16000, 7000 },
	{ "one line", 87000, 73250, 100, 26400, 40, 0, 7000 },
	{ "steep doubling", 87000, 73250, 100, 26400, 32000, 1000, 2000 },
	{ "flat doubling", 87000, 73250, 100, 26400, 32000, 1000, 30000 },
	{ "cold start", 26400, 26400, 3000, 26400, 32000, 1000, 7000 },
	{ "far jump down", 110000, 60000, 0, 20000, 32000, 4000, 7000 },
	{ "far jump up", 20000, 60000, 4000, 20000, 32000, 4000, 7000 },
	{ "warms in a cooling package", 60000, 90000, 1000, 26400, 16000,
	  16000, 7000 },
	{ "peak between the rows", 60000, 90000, 0, 26400, 1000, 100000,
	  7000 },
	{ "90 K from its target", 110000, 20000, 0, 20000, 32000, 1000,
	  5000 },
	{ "two seconds", 87000, 73250, 100, 26400, 2000000, 1000, 7000 },
	{ "freezing", -20000, -25000, 500, -30000, 32000, 1000, 7000 },
};

static void shot_describe(const struct shot *shot, char *desc)
{
	size_t i;

	for (i = 0; shot->name[i] && i < KUNIT_PARAM_DESC_SIZE - 1; i++)
		desc[i] = shot->name[i];
	desc[i] = '\0';
}

KUNIT_ARRAY_PARAM(shots, shots, shot_describe);

static void shot_plant(struct kunit *test, struct nst_plant *plant)
{
	const struct shot *shot = test->param_value;

	KUNIT_ASSERT_EQ(test, nst_plant_init(plant, &nst_plant_reference,
					     shot->ambient_mc), 0);
	KUNIT_ASSERT_EQ(test, nst_plant_set_state(plant, shot->die_mc,
						  shot->package_mc), 0);
}

static void row_agrees_with_the_definition(struct kunit *test)
{
	const struct shot *shot = test->param_value;
	struct nst_plant plant;
	s32 row_mc, fine_mc;

	shot_plant(test, &plant);
	row_mc = nst_exposure_row_mc(&plant, shot->power_mw,
				     shot->ambient_mc, shot->readout_us,
				     shot->exposure_us, shot->doubling_mc);
	fine_mc = fine_row_mc(&plant, shot->power_mw, shot->ambient_mc,
			      shot->readout_us, shot->exposure_us,
			      (s32)shot->doubling_mc);
	KUNIT_EXPECT_LE(test, abs32(row_mc - fine_mc), (s32)5);
}

static void frame_is_its_hottest_row(struct kunit *test)
{
	const struct shot *shot = test->param_value;
	struct nst_plant plant;
	s32 frame_mc, fine_mc;

	shot_plant(test, &plant);
	frame_mc = nst_exposure_frame_mc(&plant, shot->power_mw,
					 shot->ambient_mc, shot->exposure_us,
					 shot->readout_us, shot->doubling_mc);
	fine_mc = fine_frame_mc(&plant, shot->power_mw, shot->ambient_mc,
				shot->exposure_us, shot->readout_us,
				(s32)shot->doubling_mc);
	KUNIT_EXPECT_LE(test, abs32(frame_mc - fine_mc), (s32)10);
}

/* The largest difference for one deviation of the die, any power. */
static s32 map_worst_mc(const struct nst_exposure_map *map,
			struct nst_plant *plant, s32 dev_mc, s32 package_mc)
{
	s32 worst = 0;
	u32 power_mw;

	if (nst_plant_set_state(plant, package_mc + dev_mc, package_mc))
		return 0;
	for (power_mw = 0; power_mw <= 3000; power_mw += 750) {
		s32 map_mc = nst_exposure_map_mc(map, plant, power_mw,
						 AMBIENT_MC);
		s32 frame_mc = nst_exposure_frame_mc(plant, power_mw,
						     AMBIENT_MC,
						     map->exposure_us,
						     map->readout_us,
						     map->doubling_mc);

		if (abs32(map_mc - frame_mc) > worst)
			worst = abs32(map_mc - frame_mc);
	}
	return worst;
}

/* Deviations, package temperatures and powers that a run goes through. */
static void map_agrees_with_the_integral(struct kunit *test)
{
	static const struct {
		u32 exposure_us;
		u32 readout_us;
		u32 doubling_mc;
	} settings[] = {
		{ 32000, 1000, 7000 }, { 64000, 1000, 7000 },
		{ 16000, 16000, 7000 }, { 4000, 0, 5700 },
		{ 300000, 10000, 7000 },
	};
	struct nst_exposure_map *map;
	struct nst_plant plant;
	s32 worst = 0, dev_mc;
	size_t i;

	map = kunit_kzalloc(test, sizeof(*map), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, map);
	KUNIT_ASSERT_EQ(test, nst_plant_init(&plant, &nst_plant_reference,
					     AMBIENT_MC), 0);
	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		int err = nst_exposure_map_init(map, &nst_plant_reference,
						settings[i].exposure_us,
						settings[i].readout_us,
						settings[i].doubling_mc);

		KUNIT_ASSERT_EQ(test, err, 0);
		for (dev_mc = -70000; dev_mc <= 70000; dev_mc += 2333) {
			s32 package_mc = 25000;

			for (; package_mc <= 105000; package_mc += 20000) {
				s32 mc = map_worst_mc(map, &plant, dev_mc,
						      package_mc);

				if (mc > worst)
					worst = mc;
			}
		}
	}
	kunit_info(test, "largest difference %d mC\n", worst);
	KUNIT_EXPECT_LE(test, worst, (s32)10);
}

static void map_follows_leakage(struct kunit *test)
{
	struct nst_plant_params params = nst_plant_reference;
	struct nst_exposure_map *map;
	struct nst_plant plant;
	s32 cold_mc, leaky_mc;

	map = kunit_kzalloc(test, sizeof(*map), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, map);
	params.leak_ref_uw = 50000;
	KUNIT_ASSERT_EQ(test, nst_exposure_map_init(map, &params, 32000,
						    1000, 7000), 0);
	KUNIT_ASSERT_EQ(test, nst_plant_init(&plant, &params, AMBIENT_MC),
			0);
	nst_plant_set_state(&plant, 80000, 75000);
	leaky_mc = nst_exposure_frame_mc(&plant, 900, AMBIENT_MC, 32000,
					 1000, 7000);
	KUNIT_EXPECT_LE(test, abs32(nst_exposure_map_mc(map, &plant, 900,
							AMBIENT_MC) -
				    leaky_mc), (s32)10);
	plant.params.leak_ref_uw = 0;
	cold_mc = nst_exposure_frame_mc(&plant, 900, AMBIENT_MC, 32000,
					1000, 7000);
	/* 74 mW more, 5.5 K/W: about 0.4 K once the die has followed */
	KUNIT_EXPECT_GT(test, leaky_mc - cold_mc, (s32)200);
	KUNIT_EXPECT_LT(test, leaky_mc - cold_mc, (s32)500);
}

static void bad_settings_leave_the_map_alone(struct kunit *test)
{
	struct nst_plant_params bad = nst_plant_reference;
	struct nst_exposure_map *map, *before;

	map = kunit_kzalloc(test, sizeof(*map), GFP_KERNEL);
	before = kunit_kzalloc(test, sizeof(*before), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, map);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, before);
	bad.c_j_uj_per_k = 0;
	KUNIT_EXPECT_EQ(test, nst_exposure_map_init(map, &bad, 32000, 1000,
						    7000), -ERANGE);
	bad = nst_plant_reference;
	KUNIT_EXPECT_EQ(test, nst_exposure_map_init(map, &bad, 0, 1000,
						    7000), -ERANGE);
	KUNIT_EXPECT_EQ(test, nst_exposure_map_init(map, &bad, 32000,
				NST_FRAME_PERIOD_MAX_US + 1, 7000), -ERANGE);
	KUNIT_EXPECT_EQ(test, nst_exposure_map_init(map, &bad, 32000, 1000,
				NST_DOUBLING_MIN_MC - 1), -ERANGE);
	KUNIT_EXPECT_EQ(test, nst_exposure_map_init(map, &bad, 32000, 1000,
				NST_DOUBLING_MAX_MC + 1), -ERANGE);
	/* The package moves too far in a window that long. */
	KUNIT_EXPECT_EQ(test, nst_exposure_map_init(map, &bad, 400000, 1000,
						    7000), -ERANGE);
	KUNIT_EXPECT_EQ(test, memcmp(map, before, sizeof(*map)), 0);
}

/* What is out of range counts as the nearest that is not. */
static void arguments_are_clamped(struct kunit *test)
{
	struct nst_plant plant;

	KUNIT_ASSERT_EQ(test, nst_plant_init(&plant, &nst_plant_reference,
					     AMBIENT_MC), 0);
	nst_plant_set_state(&plant, 87000, 73250);
	KUNIT_EXPECT_EQ(test, nst_exposure_row_mc(&plant, 100, AMBIENT_MC, 0,
						  0, 7000),
			nst_exposure_row_mc(&plant, 100, AMBIENT_MC, 0, 1,
					    7000));
	KUNIT_EXPECT_EQ(test, nst_exposure_row_mc(&plant, 4000000000u,
						  2000000000, 0, 32000, 0),
			nst_exposure_row_mc(&plant, NST_POWER_MAX_MW,
					    NST_TEMP_MAX_MC, 0, 32000,
					    NST_DOUBLING_MIN_MC));
	KUNIT_EXPECT_EQ(test, nst_exposure_frame_mc(&plant, 100, -2000000000,
						    4000000000u, 4000000000u,
						    4000000000u),
			nst_exposure_frame_mc(&plant, 100, NST_TEMP_MIN_MC,
					      NST_FRAME_PERIOD_MAX_US,
					      NST_FRAME_PERIOD_MAX_US,
					      NST_DOUBLING_MAX_MC));
}

static struct kunit_case exposure_cases[] = {
	KUNIT_CASE_PARAM(row_agrees_with_the_definition, shots_gen_params),
	KUNIT_CASE_PARAM(frame_is_its_hottest_row, shots_gen_params),
	KUNIT_CASE(map_agrees_with_the_integral),
	KUNIT_CASE(map_follows_leakage),
	KUNIT_CASE(bad_settings_leave_the_map_alone),
	KUNIT_CASE(arguments_are_clamped),
	{}
};

static struct kunit_suite exposure_suite = {
	.name = "exposure",
	.test_cases = exposure_cases,
};
kunit_test_suite(exposure_suite);

MODULE_DESCRIPTION("KUnit suite of exposure temperatures");
MODULE_LICENSE("Dual MIT/GPL");
