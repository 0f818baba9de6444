// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * observer_kunit.c - readings, the observer and the health of a sensor
 *
 * A rig is a true plant, a sensor with its faults, and an observer that
 * sees the true power but only the sensor's readings.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "observer.h"

#define AMBIENT_MC 26400
#define PERIOD_US 33333
#define NEAR_MW 2500
#define GATED_MW 100

struct rig {
	struct nst_plant truth;
	struct nst_observer obs;
	u64 now_us;
	s32 ambient_mc;
	u32 power_mw;
	/* the sensor */
	s32 lsb_mc;
	bool floor;
	s32 noise_mc;		/* largest deviation, either way */
	s32 sigma_mc;		/* or the standard deviation of a normal one */
	u32 seed;
	bool stuck;
	s32 stuck_mc;
	int read_err;
	s32 rail_mc;		/* high rail, 0 for none */
};

static s32 abs32(s32 v)
{
	return v < 0 ? -v : v;
}

static void rig_init(struct kunit *test, struct rig *rig,
		     const struct nst_observer_config *config)
{
	memset(rig, 0, sizeof(*rig));
	rig->ambient_mc = AMBIENT_MC;
	rig->power_mw = GATED_MW;
	rig->seed = 1;
	if (config) {
		rig->lsb_mc = (s32)config->lsb_mc;
		rig->floor = config->floor;
	}
	KUNIT_ASSERT_EQ(test, nst_plant_init(&rig->truth,
					     &nst_plant_reference,
					     AMBIENT_MC), 0);
	KUNIT_ASSERT_EQ(test, nst_observer_init(&rig->obs, config,
						&nst_plant_reference,
						AMBIENT_MC), 0);
}

static s32 floor_div(s32 v, s32 d)
{
	return v >= 0 ? v / d : -((-v + d - 1) / d);
}

static u32 rig_random(struct rig *rig)
{
	rig->seed = rig->seed * 1664525u + 1013904223u;
	return rig->seed >> 16;
}

/* The sum of twelve even ones, which is as good as normal to 3.5 sigma. */
static s32 rig_normal(struct rig *rig)
{
	s32 sum = -6 * 65536, i;

	for (i = 0; i < 12; i++)
		sum += (s32)rig_random(rig);
	return (s32)nst_div_s64((s64)sum * rig->sigma_mc, 65536);
}

static struct nst_sample rig_read(struct rig *rig)
{
	struct nst_sample sample = { .t_us = rig->now_us };
	s32 mc = nst_plant_die_mc(&rig->truth);

	sample.state = (u8)nst_sample_from_errno(rig->read_err);
	if (rig->read_err)
		return sample;
	if (rig->noise_mc)
		mc += (s32)(rig_random(rig) % (2 * (u32)rig->noise_mc + 1)) -
		      rig->noise_mc;
	if (rig->sigma_mc)
		mc += rig_normal(rig);
	if (rig->lsb_mc)
		mc = floor_div(rig->floor ? mc : mc + rig->lsb_mc / 2,
			       rig->lsb_mc) * rig->lsb_mc;
	if (rig->stuck)
		mc = rig->stuck_mc;
	if (rig->rail_mc && mc >= rig->rail_mc) {
		mc = rig->rail_mc;
		sample.bound = NST_BOUND_AT_LEAST;
	}
	sample.value_mc = mc;
	return sample;
}

static void rig_advance(struct rig *rig, u32 us)
{
	nst_plant_step(&rig->truth, rig->power_mw, rig->ambient_mc, us);
	nst_observer_advance(&rig->obs, rig->power_mw, us);
	rig->now_us += us;
}

/* Time passes and a reading is taken. */
static enum nst_observer_verdict rig_tick(struct rig *rig)
{
	struct nst_sample sample;

	rig_advance(rig, PERIOD_US);
	sample = rig_read(rig);
	return nst_observer_sample(&rig->obs, &sample, rig->power_mw);
}

static void rig_ticks(struct rig *rig, u32 n)
{
	while (n--)
		rig_tick(rig);
}

static s32 rig_error_mc(const struct rig *rig)
{
	return nst_observer_die_mc(&rig->obs) -
	       nst_plant_die_mc(&rig->truth);
}

static void states_and_errno_agree(struct kunit *test)
{
	static const struct {
		enum nst_sample_state state;
		int err;
	} cases[] = {
		{ NST_SAMPLE_VALID, 0 },
		{ NST_SAMPLE_NOT_READY, -EAGAIN },
		{ NST_SAMPLE_NO_DATA, -ENODATA },
		{ NST_SAMPLE_BUS_FAULT, -EIO },
		{ NST_SAMPLE_GONE, -ENODEV },
	};
	struct nst_sample sample = { .value_mc = 40000 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		sample.state = (u8)cases[i].state;
		KUNIT_EXPECT_EQ(test, nst_sample_errno(&sample),
				cases[i].err);
		KUNIT_EXPECT_EQ(test, (int)nst_sample_from_errno(
							cases[i].err),
				(int)cases[i].state);
		KUNIT_EXPECT_EQ(test, (int)nst_sample_usable(&sample),
				(int)(cases[i].state == NST_SAMPLE_VALID));
	}
	/* Whatever else goes wrong is a fault, never a temperature. */
	KUNIT_EXPECT_EQ(test, (int)nst_sample_from_errno(-EINVAL),
			(int)NST_SAMPLE_BUS_FAULT);
	KUNIT_EXPECT_EQ(test, (int)nst_sample_from_errno(1),
			(int)NST_SAMPLE_BUS_FAULT);
	sample.state = NST_SAMPLE_IMPLAUSIBLE;
	KUNIT_EXPECT_EQ(test, nst_sample_errno(&sample), -EIO);
	sample.state = 200;
	KUNIT_EXPECT_EQ(test, nst_sample_errno(&sample), -EIO);
	KUNIT_EXPECT_FALSE(test, nst_sample_usable(&sample));
}

static void rails_and_ranges(struct kunit *test)
{
	struct nst_sample sample = { .value_mc = 80000 };

	sample.bound = NST_BOUND_AT_LEAST;
	KUNIT_EXPECT_TRUE(test, nst_sample_usable(&sample));
	sample.bound = NST_BOUND_AT_MOST;
	KUNIT_EXPECT_FALSE(test, nst_sample_usable(&sample));
	sample.bound = NST_BOUND_NONE;
	sample.value_mc = NST_TEMP_MAX_MC + 1;
	KUNIT_EXPECT_FALSE(test, nst_sample_usable(&sample));
	sample.value_mc = NST_TEMP_MIN_MC - 1;
	KUNIT_EXPECT_FALSE(test, nst_sample_usable(&sample));
	sample.value_mc = NST_TEMP_MIN_MC;
	KUNIT_EXPECT_TRUE(test, nst_sample_usable(&sample));
}

static void init_checks_its_config(struct kunit *test)
{
	struct nst_observer_config bad[6];
	struct nst_observer *obs, *before;
	size_t i;

	obs = kunit_kzalloc(test, sizeof(*obs), GFP_KERNEL);
	before = kunit_kzalloc(test, sizeof(*before), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, obs);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, before);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = nst_observer_default;
	bad[0].lsb_mc = 20001;
	bad[1].noise_mc = 20001;
	bad[2].implausible_mc = 0;
	bad[3].implausible_mc = 200001;
	bad[4].bad_max = 0;
	bad[5].good_min = 0;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ(test, nst_observer_init(obs, &bad[i],
							&nst_plant_reference,
							AMBIENT_MC), -ERANGE);
	KUNIT_EXPECT_EQ(test, nst_observer_init(obs, NULL,
						&nst_plant_reference,
						NST_TEMP_MAX_MC + 1),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, memcmp(obs, before, sizeof(*obs)), 0);
	KUNIT_EXPECT_EQ(test, nst_observer_init(obs, NULL,
						&nst_plant_reference,
						AMBIENT_MC), 0);
	KUNIT_EXPECT_FALSE(test, obs->healthy);
	KUNIT_EXPECT_FALSE(test, obs->primed);
	memcpy(before, obs, sizeof(*obs));
	KUNIT_EXPECT_EQ(test, nst_observer_advance(obs, NST_POWER_MAX_MW + 1,
						   1), -ERANGE);
	KUNIT_EXPECT_EQ(test, memcmp(obs, before, sizeof(*obs)), 0);
}

/* A hot start: the first reading tells, and the third makes it healthy. */
static void first_readings_prime(struct kunit *test)
{
	struct rig rig;

	rig_init(test, &rig, NULL);
	nst_plant_set_state(&rig.truth, 95000, 81250);
	rig.power_mw = NEAR_MW;
	KUNIT_EXPECT_EQ(test, (int)rig_tick(&rig), (int)NST_OBSERVED);
	KUNIT_EXPECT_TRUE(test, rig.obs.primed);
	KUNIT_EXPECT_FALSE(test, rig.obs.healthy);
	/* The package was guessed from the power. */
	KUNIT_EXPECT_LE(test, abs32(nst_plant_package_mc(&rig.obs.plant) -
				    nst_plant_package_mc(&rig.truth)),
			(s32)100);
	KUNIT_EXPECT_EQ(test, (int)rig_tick(&rig), (int)NST_OBSERVED);
	KUNIT_EXPECT_FALSE(test, rig.obs.healthy);
	KUNIT_EXPECT_EQ(test, (int)rig_tick(&rig), (int)NST_OBSERVED);
	KUNIT_EXPECT_TRUE(test, rig.obs.healthy);
	KUNIT_EXPECT_LE(test, abs32(rig_error_mc(&rig)), (s32)1);
	/* and after an edge the model alone knows the jump */
	rig.power_mw = GATED_MW;
	rig_advance(&rig, PERIOD_US);
	KUNIT_EXPECT_LE(test, abs32(rig_error_mc(&rig)), (s32)100);
}

struct sensor_case {
	const char *name;
	u32 lsb_mc;
	bool floor;
	s32 noise_mc;
};

static const struct sensor_case sensor_cases[] = {
	{ "exact", 0, false, 0 },
	{ "1 K rounded", 1000, false, 0 },
	{ "1 K floor", 1000, true, 0 },
	{ "3 K floor", 3000, true, 0 },
	{ "1 K floor, noise", 1000, true, 300 },
	{ "62.5 mK, noise", 62, false, 500 },
};

static void sensor_describe(const struct sensor_case *c, char *desc)
{
	size_t i;

	for (i = 0; c->name[i] && i < KUNIT_PARAM_DESC_SIZE - 1; i++)
		desc[i] = c->name[i];
	desc[i] = '\0';
}

KUNIT_ARRAY_PARAM(sensors, sensor_cases, sensor_describe);

/*
 * Seasons of 5 s with a true model: the truth stays within the uncertainty
 * that is reported, and that is no more than the sensor's own.
 */
static void estimate_keeps_its_promise(struct kunit *test)
{
	const struct sensor_case *c = test->param_value;
	struct nst_observer_config config = nst_observer_default;
	s32 worst_excess = 0, worst_width = 0, worst_error = 0;
	struct rig rig;
	u32 i;

	config.lsb_mc = c->lsb_mc;
	config.floor = c->floor;
	/* uniform noise: the bound is 1.7 standard deviations */
	config.noise_mc = (u32)c->noise_mc * 10 / 17;
	rig_init(test, &rig, &config);
	rig.noise_mc = c->noise_mc;
	for (i = 0; i < 3000; i++) {
		s32 error;

		rig.power_mw = i / 150 & 1 ? GATED_MW : NEAR_MW;
		KUNIT_EXPECT_EQ(test, (int)rig_tick(&rig),
				(int)NST_OBSERVED);
		error = abs32(rig_error_mc(&rig));
		if (i < 30)
			continue;
		if (error > worst_error)
			worst_error = error;
		if (error - rig.obs.uncertainty_mc > worst_excess)
			worst_excess = error - rig.obs.uncertainty_mc;
		if (rig.obs.uncertainty_mc > worst_width)
			worst_width = rig.obs.uncertainty_mc;
	}
	kunit_info(test, "error %d mC, uncertainty %d mC\n", worst_error,
		   worst_width);
	KUNIT_EXPECT_LE(test, worst_excess, (s32)2);
	KUNIT_EXPECT_LE(test, worst_width, (s32)(c->lsb_mc / 2 +
						 3 * config.noise_mc + 100));
	KUNIT_EXPECT_TRUE(test, rig.obs.healthy);
	KUNIT_EXPECT_EQ(test, rig.obs.bad_count, (u32)0);
}

/* What a sensor of the reference matrix and a known model leave open. */
struct margin_case {
	const char *name;
	u32 noise_mc;
	u32 near_of;		/* a near frame of so many */
	s32 off_mc;		/* the room, from where the model has it */
};

static const struct margin_case margin_cases[] = {
	{ "exact steps, every second near", 0, 2, 0 },
	{ "exact steps, every third near", 0, 3, 0 },
	{ "exact steps, never near", 0, 0, 0 },
	{ "exact steps, always near", 0, 1, 0 },
	{ "exact steps, the model is off", 0, 2, 300 },
	{ "exact steps, off the other way", 0, 3, -300 },
	{ "noise, every second near", 500, 2, 0 },
	{ "noise, every fifth near", 500, 5, 0 },
	{ "noise, never near", 500, 0, 0 },
	{ "noise, always near", 500, 1, 0 },
	{ "noise, the model is off", 500, 3, 300 },
	{ "noise, off the other way", 500, 2, -300 },
};

static void margin_describe(const struct margin_case *c, char *desc)
{
	size_t i;

	for (i = 0; c->name[i] && i < KUNIT_PARAM_DESC_SIZE - 1; i++)
		desc[i] = c->name[i];
	desc[i] = '\0';
}

KUNIT_ARRAY_PARAM(margins, margin_cases, margin_describe);

/*
 * Whole degrees and a model that is good to 0.3 K: after a minute of steady
 * running no more than that is open, and at no time less than the error.
 */
static void a_known_model_leaves_little_open(struct kunit *test)
{
	const struct margin_case *c = test->param_value;
	struct nst_observer_config config = nst_observer_default;
	s32 worst_excess = 0, worst_margin = 0;
	s64 sum = 0;
	struct rig rig;
	u32 i;

	config.lsb_mc = 1000;
	config.floor = true;
	config.noise_mc = c->noise_mc;
	rig_init(test, &rig, &config);
	rig.obs.model_mc = 300;
	rig.sigma_mc = (s32)c->noise_mc;
	rig.ambient_mc += c->off_mc;
	for (i = 0; i < 6000; i++) {
		s32 error;

		rig.power_mw = c->near_of && i % c->near_of == 0 ? NEAR_MW :
								   GATED_MW;
		rig_tick(&rig);
		error = abs32(rig_error_mc(&rig));
		if (error - rig.obs.uncertainty_mc > worst_excess)
			worst_excess = error - rig.obs.uncertainty_mc;
		if (i < 1800)
			continue;
		sum += rig.obs.uncertainty_mc;
		if (rig.obs.uncertainty_mc > worst_margin)
			worst_margin = rig.obs.uncertainty_mc;
	}
	kunit_info(test, "margin %d mC, at most %d mC\n",
		   (s32)nst_div_s64(sum, 4200), worst_margin);
	KUNIT_EXPECT_LE(test, worst_excess, (s32)2);
	KUNIT_EXPECT_LE(test, worst_margin, (s32)302);
	KUNIT_EXPECT_LE(test, nst_div_s64(sum, 4200), (s64)300);
	KUNIT_EXPECT_EQ(test, rig.obs.surprises, (u32)0);
	KUNIT_EXPECT_EQ(test, rig.obs.bad_count, (u32)0);
}

/* The sun comes out: the model is no longer as good as was said. */
static void a_model_that_is_worse_surprises(struct kunit *test)
{
	struct nst_observer_config config = nst_observer_default;
	u32 i, noisy;

	for (noisy = 0; noisy <= 1; noisy++) {
		struct rig rig;

		config.lsb_mc = 1000;
		config.floor = true;
		config.noise_mc = noisy * 500;
		rig_init(test, &rig, &config);
		rig.sigma_mc = (s32)noisy * 500;
		rig.obs.model_mc = 300;
		rig_ticks(&rig, 1800);
		KUNIT_EXPECT_EQ(test, rig.obs.surprises, (u32)0);
		rig.ambient_mc += 10000;
		for (i = 0; i < 300 && !rig.obs.surprises; i++)
			rig_tick(&rig);
		/* half a kelvin a second, and a step of one to see it by */
		KUNIT_EXPECT_LE(test, i, (u32)90);
		/* whoever knows of it says so, and the bound holds again */
		rig.obs.model_mc = 10000;
		rig_ticks(&rig, 90);
		for (i = 0; i < 1800; i++) {
			rig_tick(&rig);
			KUNIT_EXPECT_LE(test, abs32(rig_error_mc(&rig)),
					rig.obs.uncertainty_mc + 2);
		}
	}
}

/* A plant that is known better is taken over without a new start. */
static void a_better_plant_is_taken_over(struct kunit *test)
{
	struct nst_plant_params params = nst_plant_reference, bad;
	struct nst_observer before;
	struct rig rig;

	rig_init(test, &rig, NULL);
	params.r_jp_mk_per_w += params.r_jp_mk_per_w / 5;
	nst_plant_init(&rig.truth, &params, AMBIENT_MC);
	rig.power_mw = NEAR_MW;
	rig_ticks(&rig, 300);
	before = rig.obs;
	bad = params;
	bad.c_p_uj_per_k = 0;
	KUNIT_EXPECT_EQ(test, nst_observer_set_model(&rig.obs, &bad, 50000),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, nst_observer_set_model(&rig.obs, &params,
						     NST_TEMP_MAX_MC + 1),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, memcmp(&before, &rig.obs, sizeof(before)), 0);
	KUNIT_ASSERT_EQ(test, nst_observer_set_model(
				&rig.obs, &params,
				nst_plant_package_mc(&rig.truth)), 0);
	KUNIT_EXPECT_TRUE(test, rig.obs.healthy);
	KUNIT_EXPECT_LE(test, abs32(rig_error_mc(&rig)), (s32)5);
	/* Now the edge is right, which it was not with the old one. */
	rig.power_mw = GATED_MW;
	rig_advance(&rig, PERIOD_US);
	KUNIT_EXPECT_LE(test, abs32(rig_error_mc(&rig)), (s32)10);
	KUNIT_EXPECT_GE(test, rig.obs.uncertainty_mc,
			abs32(rig_error_mc(&rig)));
}

/* The observer's ambient is 10 K off, the room's is not: samples rule. */
static void wrong_ambient_is_corrected(struct kunit *test)
{
	struct nst_observer_config config = nst_observer_default;
	s32 worst = 0;
	struct rig rig;
	u32 i;

	config.lsb_mc = 1000;
	config.floor = true;
	rig_init(test, &rig, &config);
	rig.ambient_mc = AMBIENT_MC + 10000;
	nst_plant_set_steady(&rig.truth, GATED_MW, rig.ambient_mc);
	for (i = 0; i < 6000; i++) {
		rig.power_mw = i / 150 & 1 ? GATED_MW : NEAR_MW;
		rig_tick(&rig);
		if (abs32(rig_error_mc(&rig)) > worst)
			worst = abs32(rig_error_mc(&rig));
	}
	KUNIT_EXPECT_LE(test, worst, (s32)1100);
	KUNIT_EXPECT_TRUE(test, rig.obs.healthy);
	KUNIT_EXPECT_EQ(test, rig.obs.bad_count, (u32)0);
}

static void uncertainty_grows_without_samples(struct kunit *test)
{
	struct rig rig;
	s32 before;

	rig_init(test, &rig, NULL);
	rig_ticks(&rig, 10);
	before = rig.obs.uncertainty_mc;
	rig_advance(&rig, 10000000);
	KUNIT_EXPECT_LE(test, abs32(rig.obs.uncertainty_mc - before -
				    10 * NST_OBSERVER_DRIFT_MC_PER_S),
			(s32)1);
	rig_tick(&rig);
	KUNIT_EXPECT_LE(test, rig.obs.uncertainty_mc, (s32)2);
}

/* Every kind of bad sample, once: a counter moves and nothing else. */
static void one_bad_sample_never_acts(struct kunit *test)
{
	static const struct nst_sample bad[] = {
		{ .state = NST_SAMPLE_NOT_READY },
		{ .state = NST_SAMPLE_NO_DATA },
		{ .state = NST_SAMPLE_BUS_FAULT },
		{ .state = NST_SAMPLE_GONE },
		{ .state = NST_SAMPLE_IMPLAUSIBLE },
		{ .value_mc = -20000, .bound = NST_BOUND_AT_MOST },
		{ .value_mc = 0 },
		{ .value_mc = 127000 },
		{ .value_mc = 127000, .bound = NST_BOUND_AT_LEAST },
		{ .value_mc = NST_TEMP_MAX_MC + 1 },
	};
	struct rig rig;
	size_t i;

	rig_init(test, &rig, NULL);
	rig.power_mw = NEAR_MW;
	rig_ticks(&rig, 200);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		s32 die_mc, width_mc;

		rig_advance(&rig, PERIOD_US);
		die_mc = nst_observer_die_mc(&rig.obs);
		width_mc = rig.obs.uncertainty_mc;
		KUNIT_EXPECT_EQ(test, (int)nst_observer_sample(&rig.obs,
							&bad[i], NEAR_MW),
				(int)NST_OBSERVED_BAD);
		KUNIT_EXPECT_EQ(test, nst_observer_die_mc(&rig.obs), die_mc);
		KUNIT_EXPECT_EQ(test, rig.obs.uncertainty_mc, width_mc);
		KUNIT_EXPECT_TRUE(test, rig.obs.healthy);
		KUNIT_EXPECT_EQ(test, rig.obs.bad_count, (u32)(i + 1));
		KUNIT_EXPECT_EQ(test, (int)rig_tick(&rig),
				(int)NST_OBSERVED);
		KUNIT_EXPECT_EQ(test, (int)rig.obs.bad_run, 0);
	}
}

static void a_dead_bus_is_unhealthy_and_recovers(struct kunit *test)
{
	struct rig rig;
	u32 i;

	rig_init(test, &rig, NULL);
	rig.power_mw = NEAR_MW;
	rig_ticks(&rig, 200);
	rig.read_err = -EIO;
	rig_ticks(&rig, 4);
	KUNIT_EXPECT_TRUE(test, rig.obs.healthy);
	rig_tick(&rig);
	KUNIT_EXPECT_FALSE(test, rig.obs.healthy);
	/* Gated from here, as its user does; the model goes on. */
	rig.power_mw = GATED_MW;
	for (i = 0; i < 100; i++)
		rig_tick(&rig);
	KUNIT_EXPECT_LE(test, abs32(rig_error_mc(&rig)), (s32)2);
	KUNIT_EXPECT_FALSE(test, rig.obs.healthy);
	rig.read_err = 0;
	rig_ticks(&rig, 2);
	KUNIT_EXPECT_FALSE(test, rig.obs.healthy);
	rig_tick(&rig);
	KUNIT_EXPECT_TRUE(test, rig.obs.healthy);
	/* A good one in between starts the count of bad ones anew. */
	for (i = 0; i < 20; i++) {
		rig.read_err = i % 5 == 4 ? 0 : -EAGAIN;
		rig_tick(&rig);
		KUNIT_EXPECT_TRUE(test, rig.obs.healthy);
	}
}

/* A register that reads zero for ever is not a die at 0 degC. */
static void a_dead_sensor_is_never_cold(struct kunit *test)
{
	static const s32 garbage_mc[] = { 0, -20000, 20000, 127000 };
	struct rig rig;
	size_t i;
	u32 t;

	for (i = 0; i < ARRAY_SIZE(garbage_mc); i++) {
		rig_init(test, &rig, NULL);
		rig.power_mw = NEAR_MW;
		rig_ticks(&rig, 1000);
		rig.stuck = true;
		rig.stuck_mc = garbage_mc[i];
		for (t = 0; t < 5; t++)
			KUNIT_EXPECT_EQ(test, (int)rig_tick(&rig),
					(int)NST_OBSERVED_BAD);
		KUNIT_EXPECT_FALSE(test, rig.obs.healthy);
		rig.power_mw = GATED_MW;
		for (t = 0; t < 3000; t++) {
			rig_tick(&rig);
			if (rig.obs.healthy)
				break;
			/* never colder than the truth */
			if (rig_error_mc(&rig) < -100)
				break;
		}
		KUNIT_EXPECT_EQ(test, t, (u32)3000);
	}
}

/* Two wild readings in turn move, but not with the model. */
static void changing_garbage_stays_lost(struct kunit *test)
{
	struct rig rig;
	u32 t;

	rig_init(test, &rig, NULL);
	rig.power_mw = NEAR_MW;
	rig_ticks(&rig, 1000);
	rig.stuck = true;
	for (t = 0; t < 1000; t++) {
		rig.stuck_mc = t & 1 ? 0 : 127000;
		rig_tick(&rig);
		if (rig.obs.healthy && t >= 4)
			break;
		/* nor is either of them taken for the temperature */
		if (abs32(rig_error_mc(&rig)) > 100)
			break;
		rig.power_mw = rig.obs.healthy ? NEAR_MW : GATED_MW;
	}
	KUNIT_EXPECT_EQ(test, t, (u32)1000);
}

/* Far off is far off, also where the model has been pulled the other way. */
static void an_offset_does_not_excuse_a_wild_reading(struct kunit *test)
{
	struct nst_sample sample = { 0 };
	struct rig rig;
	s32 die_mc;

	rig_init(test, &rig, NULL);
	rig.ambient_mc = AMBIENT_MC - 15000;
	rig_ticks(&rig, 3000);
	KUNIT_ASSERT_TRUE(test, rig.obs.healthy);
	die_mc = nst_observer_die_mc(&rig.obs);
	sample.value_mc = die_mc + 25000;
	KUNIT_EXPECT_EQ(test, (int)nst_observer_sample(&rig.obs, &sample,
						       GATED_MW),
			(int)NST_OBSERVED_BAD);
	KUNIT_EXPECT_EQ(test, nst_observer_die_mc(&rig.obs), die_mc);
}

/* Read every millisecond, an edge is spread over twenty readings. */
static void a_frozen_sensor_is_found_at_any_sampling_rate(struct kunit *test)
{
	struct nst_observer_config config = nst_observer_default;
	struct nst_sample sample;
	struct rig rig;
	u32 t;

	/* a step that one millisecond of an edge does not reach */
	config.lsb_mc = 1000;
	rig_init(test, &rig, &config);
	rig.power_mw = NEAR_MW;
	rig_ticks(&rig, 200);
	rig.stuck = true;
	rig.stuck_mc = nst_plant_die_mc(&rig.truth);
	for (t = 0; t < 1000 && rig.obs.healthy; t++) {
		rig.power_mw = t / 33 & 1 ? NEAR_MW : GATED_MW;
		rig_advance(&rig, 1000);
		sample = rig_read(&rig);
		nst_observer_sample(&rig.obs, &sample, rig.power_mw);
	}
	/* three edges; one takes 33 readings */
	KUNIT_EXPECT_LE(test, t, (u32)4 * 33);
}

/* Stuck at a temperature that was true: found by the edges of dithering. */
static void a_frozen_sensor_is_found_at_gate_edges(struct kunit *test)
{
	struct rig rig;
	u32 t;

	rig_init(test, &rig, NULL);
	rig.power_mw = NEAR_MW;
	rig_ticks(&rig, 200);
	rig.stuck = true;
	rig.stuck_mc = nst_plant_die_mc(&rig.truth);
	for (t = 0; t < 100 && rig.obs.healthy; t++) {
		rig.power_mw = t % 3 ? NEAR_MW : GATED_MW;
		rig_tick(&rig);
	}
	/* three edges, of two in three frames, and five bad samples */
	KUNIT_EXPECT_LE(test, t, (u32)12);
	/* Gated, it stays lost: its reading does not move. */
	rig.power_mw = GATED_MW;
	rig_ticks(&rig, 1000);
	KUNIT_EXPECT_FALSE(test, rig.obs.healthy);
	/* Alive again, and colder by seconds of gating: that is a movement. */
	rig.stuck = false;
	rig_ticks(&rig, 10);
	KUNIT_EXPECT_TRUE(test, rig.obs.healthy);
	KUNIT_EXPECT_LE(test, abs32(rig_error_mc(&rig)), (s32)10);
}

/*
 * Stuck while nothing switches: the die warms and the reading does not. It
 * is found when the estimate would be 20 K from the model, and the die may
 * have gone that far above the reading, no further.
 */
static void a_sensor_stuck_while_the_die_warms_is_found(struct kunit *test)
{
	struct rig rig;
	u32 t;

	rig_init(test, &rig, NULL);
	rig.power_mw = NEAR_MW;
	rig_ticks(&rig, 200);
	rig.stuck = true;
	rig.stuck_mc = nst_plant_die_mc(&rig.truth);
	for (t = 0; t < 3000 && rig.obs.healthy; t++)
		rig_tick(&rig);
	KUNIT_EXPECT_FALSE(test, rig.obs.healthy);
	KUNIT_EXPECT_LE(test, nst_plant_die_mc(&rig.truth) - rig.stuck_mc,
			(s32)21000);
	rig.power_mw = GATED_MW;
	rig_ticks(&rig, 3000);
	KUNIT_EXPECT_FALSE(test, rig.obs.healthy);
}

/* 30 s of rest, then seasons: a steady reading of a live sensor is fine. */
static void a_steady_reading_is_healthy(struct kunit *test)
{
	struct nst_observer_config config = nst_observer_default;
	struct rig rig;
	u32 i;

	config.lsb_mc = 1000;
	config.floor = true;
	rig_init(test, &rig, &config);
	rig_ticks(&rig, 900);
	KUNIT_EXPECT_TRUE(test, rig.obs.healthy);
	for (i = 0; i < 20; i++) {
		/* 60 s near, 20 s far: slow drifts between the edges */
		rig.power_mw = i & 1 ? GATED_MW : NEAR_MW;
		rig_ticks(&rig, i & 1 ? 600 : 1800);
	}
	KUNIT_EXPECT_TRUE(test, rig.obs.healthy);
	KUNIT_EXPECT_EQ(test, rig.obs.bad_count, (u32)0);
	/* a hot package that cools by more than the die jumps, while near */
	rig_init(test, &rig, &config);
	nst_plant_set_state(&rig.truth, 110000, 104500);
	for (i = 0; i < 8; i++) {
		rig.power_mw = i & 1 ? GATED_MW : 1000;
		rig_ticks(&rig, i & 1 ? 10 : 300);
	}
	KUNIT_EXPECT_TRUE(test, rig.obs.healthy);
	KUNIT_EXPECT_EQ(test, rig.obs.bad_count, (u32)0);
	KUNIT_EXPECT_EQ(test, (int)rig.obs.frozen_run, 0);
	/* and when it is read every millisecond through an edge */
	for (i = 0; i < 2000; i++) {
		struct nst_sample sample;

		rig.power_mw = i / 100 & 1 ? NEAR_MW : GATED_MW;
		rig_advance(&rig, 1000);
		sample = rig_read(&rig);
		nst_observer_sample(&rig.obs, &sample, rig.power_mw);
	}
	KUNIT_EXPECT_TRUE(test, rig.obs.healthy);
	KUNIT_EXPECT_EQ(test, rig.obs.bad_count, (u32)0);
}

#define PAST_MS 512

/* A sensor that shows the die as it was @late_ms ago, in whole degrees. */
struct late_rig {
	struct rig rig;
	s32 past_mc[PAST_MS];
	u32 ms;
	u32 late_ms;
	s32 worst_mc;
};

static void late_ms(struct late_rig *late, u32 ms)
{
	while (ms--) {
		rig_advance(&late->rig, 1000);
		late->past_mc[++late->ms % PAST_MS] =
			nst_plant_die_mc(&late->rig.truth);
	}
}

static void late_sample(struct late_rig *late)
{
	struct nst_sample sample = { .t_us = late->rig.now_us };
	s32 mc = late->past_mc[(late->ms - late->late_ms) % PAST_MS];
	s32 error_mc;

	sample.value_mc = floor_div(mc + 500, 1000) * 1000;
	if (late->rig.stuck)
		sample.value_mc = late->rig.stuck_mc;
	nst_observer_sample(&late->rig.obs, &sample, late->rig.power_mw);
	error_mc = abs32(rig_error_mc(&late->rig));
	/* The first reading may be of before a jump. */
	if (late->ms > 500 && error_mc > late->worst_mc)
		late->worst_mc = error_mc;
}

/* @runs of 3 frames of 33 ms near for 10 s, then seasons of 2 s. */
static void late_life(struct late_rig *late, u32 runs)
{
	u32 i;

	for (i = 0; i < 300; i++) {
		late->rig.power_mw = i % 3 < runs ? NEAR_MW : GATED_MW;
		late_ms(late, 33);
		late_sample(late);
	}
	for (i = 0; i < 300; i++) {
		late->rig.power_mw = i / 60 & 1 ? GATED_MW : NEAR_MW;
		late_ms(late, 33);
		late_sample(late);
	}
}

static void late_init(struct kunit *test, struct late_rig *late,
		      u32 conversion_us, u32 by_ms)
{
	struct nst_observer_config config = nst_observer_default;

	memset(late, 0, sizeof(*late));
	config.lsb_mc = 1000;
	config.conversion_us = conversion_us;
	rig_init(test, &late->rig, &config);
	late->late_ms = by_ms;
	late_ms(late, by_ms < 64 ? 64 : PAST_MS);
}

/* However late within its conversion: healthy, and not misleading. */
static void a_late_reading_is_healthy(struct kunit *test)
{
	static const u32 late[] = { 0, 7, 21, 40 };
	static struct late_rig rig;
	u32 i, runs;

	for (i = 0; i < ARRAY_SIZE(late); i++) {
		for (runs = 1; runs <= 2; runs++) {
			late_init(test, &rig, 40000, late[i]);
			late_life(&rig, runs);
			KUNIT_EXPECT_EQ(test, rig.rig.obs.bad_count, (u32)0);
			KUNIT_EXPECT_EQ(test, (int)rig.rig.obs.frozen_run, 0);
			KUNIT_EXPECT_TRUE(test, rig.rig.obs.healthy);
			KUNIT_EXPECT_LE(test, rig.worst_mc, (s32)1600);
		}
	}
	/* Whoever takes it for a prompt one is misled by the whole jump. */
	late_init(test, &rig, 0, 40);
	late_life(&rig, 2);
	KUNIT_EXPECT_GE(test, rig.worst_mc, (s32)9000);
}

/* The same 150 ms after each edge: a gate that takes longer than it says. */
static void a_gate_that_is_slow_makes_no_frozen_sensor(struct kunit *test)
{
	static struct late_rig rig;
	u32 i;

	late_init(test, &rig, 21000, 150);
	rig.rig.power_mw = NEAR_MW;
	for (i = 0; i < 30; i++) {
		late_ms(&rig, 33);
		late_sample(&rig);
	}
	for (i = 0; i < 400; i++) {
		/* a third of a second each way */
		rig.rig.power_mw = i / 10 & 1 ? NEAR_MW : GATED_MW;
		late_ms(&rig, 33);
		late_sample(&rig);
		KUNIT_EXPECT_LE(test, (int)rig.rig.obs.frozen_run, 1);
		KUNIT_ASSERT_TRUE(test, rig.rig.obs.healthy);
	}
	/* What comes later than that has not followed. */
	late_init(test, &rig, 21000, 450);
	for (i = 0; i < 400 && (i < 60 || rig.rig.obs.healthy); i++) {
		rig.rig.power_mw = i / 20 & 1 ? NEAR_MW : GATED_MW;
		late_ms(&rig, 33);
		late_sample(&rig);
	}
	KUNIT_EXPECT_FALSE(test, rig.rig.obs.healthy);
}

static void a_late_sensor_that_is_frozen_is_found(struct kunit *test)
{
	static struct late_rig rig;
	u32 i;

	late_init(test, &rig, 40000, 40);
	late_life(&rig, 2);
	KUNIT_ASSERT_TRUE(test, rig.rig.obs.healthy);
	rig.rig.stuck = true;
	rig.rig.stuck_mc = nst_plant_die_mc(&rig.rig.truth);
	for (i = 0; i < 200 && rig.rig.obs.healthy; i++) {
		/* a third of a second each way */
		rig.rig.power_mw = i / 10 & 1 ? GATED_MW : NEAR_MW;
		late_ms(&rig, 33);
		late_sample(&rig);
	}
	/* three edges, and five bad samples */
	KUNIT_EXPECT_LE(test, i, (u32)50);
	KUNIT_EXPECT_EQ(test, (int)rig.rig.obs.frozen_run, 3);
	/* Alive again. */
	rig.rig.stuck = false;
	late_life(&rig, 2);
	KUNIT_EXPECT_TRUE(test, rig.rig.obs.healthy);
}

static void a_conversion_has_a_range(struct kunit *test)
{
	struct nst_observer_config config = nst_observer_default;
	struct nst_observer obs;

	config.conversion_us = NST_OBSERVER_CONVERSION_MAX_US + 1;
	KUNIT_EXPECT_EQ(test, nst_observer_init(&obs, &config,
						&nst_plant_reference,
						AMBIENT_MC), -ERANGE);
	config.conversion_us = NST_OBSERVER_CONVERSION_MAX_US;
	KUNIT_EXPECT_EQ(test, nst_observer_init(&obs, &config,
						&nst_plant_reference,
						AMBIENT_MC), 0);
	/* The shortest there is has parts of its own, too. */
	config.conversion_us = 1;
	KUNIT_EXPECT_EQ(test, nst_observer_init(&obs, &config,
						&nst_plant_reference,
						AMBIENT_MC), 0);
	KUNIT_EXPECT_EQ(test, nst_observer_advance(&obs, NEAR_MW, 1000000), 0);
}

/*
 * A real part with the reference plant for want of a better one: a jump of a
 * quarter, in a place that is 25 K warmer, through seasons.
 */
static u32 unlike_the_plant(struct kunit *test, bool guessed, bool stuck)
{
	struct nst_observer_config config = nst_observer_default;
	struct nst_plant_params params = nst_plant_reference;
	struct rig rig;
	u32 i;

	config.lsb_mc = 1000;
	config.plant_guessed = guessed;
	if (guessed)
		config.implausible_mc = 60000;
	rig_init(test, &rig, &config);
	params.r_jp_mk_per_w /= 4;
	params.c_j_uj_per_k *= 4;
	rig.ambient_mc = AMBIENT_MC + 25000;
	KUNIT_ASSERT_EQ(test, nst_plant_init(&rig.truth, &params,
					     rig.ambient_mc), 0);
	for (i = 0; i < 3000; i++) {
		rig.power_mw = i / 30 & 1 ? GATED_MW : NEAR_MW;
		if (i == 300) {
			rig.stuck = stuck;
			rig.stuck_mc = nst_plant_die_mc(&rig.truth);
		}
		rig_tick(&rig);
	}
	return rig.obs.bad_count;
}

static void a_guessed_plant_blames_nobody(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, unlike_the_plant(test, true, false), (u32)0);
	KUNIT_EXPECT_GE(test, unlike_the_plant(test, false, false), (u32)100);
	/* And a dead sensor is one. */
	KUNIT_EXPECT_GE(test, unlike_the_plant(test, true, true), (u32)100);
}

/* What is computed from elsewhere need not jump with the gate. */
static void an_estimate_is_never_frozen(struct kunit *test)
{
	struct nst_observer_config config = nst_observer_default;
	struct rig rig;
	u32 i;

	config.estimated = true;
	rig_init(test, &rig, &config);
	rig.power_mw = NEAR_MW;
	rig_ticks(&rig, 200);
	rig.stuck = true;
	rig.stuck_mc = nst_plant_die_mc(&rig.truth);
	for (i = 0; i < 60; i++) {
		rig.power_mw = i % 3 ? NEAR_MW : GATED_MW;
		rig_tick(&rig);
	}
	KUNIT_EXPECT_EQ(test, (int)rig.obs.frozen_run, 0);
	KUNIT_EXPECT_TRUE(test, rig.obs.healthy);
}

/* 10 K warmer than the model has it, and settled: half a kelvin a second. */
static void drift_is_what_samples_correct(struct kunit *test)
{
	struct rig rig;
	s32 drift_mc;

	rig_init(test, &rig, NULL);
	KUNIT_EXPECT_EQ(test, nst_observer_drift_mc(&rig.obs, 1000000),
			(s32)0);
	rig.ambient_mc = AMBIENT_MC + 10000;
	rig_ticks(&rig, 6000);
	drift_mc = nst_observer_drift_mc(&rig.obs, 1000000);
	KUNIT_EXPECT_GE(test, drift_mc, (s32)450);
	KUNIT_EXPECT_LE(test, drift_mc, (s32)520);
}

/* Rail at 80: what is above is only known to be above. */
static void a_high_rail_is_a_lower_bound(struct kunit *test)
{
	enum nst_observer_verdict verdict;
	struct rig rig;
	u32 t, bounds = 0;

	rig_init(test, &rig, NULL);
	rig.rail_mc = 80000;
	/* The room is hotter than the model thinks: it lags without help. */
	rig.ambient_mc = AMBIENT_MC + 8000;
	nst_plant_set_state(&rig.truth, 76000, 62000);
	rig.power_mw = NEAR_MW;
	for (t = 0; t < 300; t++) {
		verdict = rig_tick(&rig);
		KUNIT_EXPECT_NE(test, (int)verdict, (int)NST_OBSERVED_BAD);
		if (verdict == NST_OBSERVED_BOUND)
			bounds++;
		if (nst_plant_die_mc(&rig.truth) >= 80000 &&
		    nst_observer_die_mc(&rig.obs) < 80000)
			break;
	}
	KUNIT_EXPECT_EQ(test, t, (u32)300);
	KUNIT_EXPECT_TRUE(test, rig.obs.healthy);
	/* A model above the rail is not pulled down to it. */
	KUNIT_EXPECT_GT(test, nst_observer_die_mc(&rig.obs), (s32)80000);

	/* A first reading at the rail: at least that. */
	rig_init(test, &rig, NULL);
	rig.rail_mc = 80000;
	nst_plant_set_state(&rig.truth, 100000, 90000);
	KUNIT_EXPECT_EQ(test, (int)rig_tick(&rig), (int)NST_OBSERVED_BOUND);
	KUNIT_EXPECT_GE(test, nst_observer_die_mc(&rig.obs), (s32)80000);
	/* and nobody knows how much above */
	KUNIT_EXPECT_GT(test, rig.obs.uncertainty_mc, (s32)20000);

	/* A model below the rail is raised, and less sure than before. */
	rig_init(test, &rig, NULL);
	nst_plant_set_state(&rig.truth, 70000, 69500);
	rig_ticks(&rig, 5);
	nst_plant_shift(&rig.truth, 15000);
	rig.rail_mc = 80000;
	KUNIT_EXPECT_EQ(test, (int)rig_tick(&rig), (int)NST_OBSERVED_BOUND);
	KUNIT_EXPECT_GE(test, nst_observer_die_mc(&rig.obs), (s32)80000);
	KUNIT_EXPECT_GE(test, rig.obs.uncertainty_mc,
			-rig_error_mc(&rig));
}

/* Both nodes set to 90 degC from outside: believed once it is confirmed. */
static void a_true_step_of_the_die_is_believed_in_the_end(struct kunit *test)
{
	struct rig rig;
	u32 t;

	rig_init(test, &rig, NULL);
	rig.power_mw = NEAR_MW;
	rig_ticks(&rig, 60);
	nst_plant_set_state(&rig.truth, 90000, 90000);
	for (t = 0; t < 60; t++) {
		rig_tick(&rig);
		rig.power_mw = rig.obs.healthy ? NEAR_MW : GATED_MW;
		/* lost, gated, moved, confirmed */
		if (t > 4 && rig.obs.healthy)
			break;
	}
	KUNIT_EXPECT_LE(test, t, (u32)12);
	KUNIT_EXPECT_GE(test, t, (u32)5);
	rig_ticks(&rig, 3);
	KUNIT_EXPECT_LE(test, abs32(rig_error_mc(&rig)), (s32)100);
}

static struct kunit_case observer_cases[] = {
	KUNIT_CASE(states_and_errno_agree),
	KUNIT_CASE(rails_and_ranges),
	KUNIT_CASE(init_checks_its_config),
	KUNIT_CASE(first_readings_prime),
	KUNIT_CASE_PARAM(estimate_keeps_its_promise, sensors_gen_params),
	KUNIT_CASE_PARAM(a_known_model_leaves_little_open, margins_gen_params),
	KUNIT_CASE(a_model_that_is_worse_surprises),
	KUNIT_CASE(a_better_plant_is_taken_over),
	KUNIT_CASE(wrong_ambient_is_corrected),
	KUNIT_CASE(uncertainty_grows_without_samples),
	KUNIT_CASE(one_bad_sample_never_acts),
	KUNIT_CASE(a_dead_bus_is_unhealthy_and_recovers),
	KUNIT_CASE(a_dead_sensor_is_never_cold),
	KUNIT_CASE(changing_garbage_stays_lost),
	KUNIT_CASE(an_offset_does_not_excuse_a_wild_reading),
	KUNIT_CASE(a_frozen_sensor_is_found_at_any_sampling_rate),
	KUNIT_CASE(a_frozen_sensor_is_found_at_gate_edges),
	KUNIT_CASE(a_late_reading_is_healthy),
	KUNIT_CASE(a_gate_that_is_slow_makes_no_frozen_sensor),
	KUNIT_CASE(a_late_sensor_that_is_frozen_is_found),
	KUNIT_CASE(a_conversion_has_a_range),
	KUNIT_CASE(a_guessed_plant_blames_nobody),
	KUNIT_CASE(an_estimate_is_never_frozen),
	KUNIT_CASE(drift_is_what_samples_correct),
	KUNIT_CASE(a_sensor_stuck_while_the_die_warms_is_found),
	KUNIT_CASE(a_steady_reading_is_healthy),
	KUNIT_CASE(a_high_rail_is_a_lower_bound),
	KUNIT_CASE(a_true_step_of_the_die_is_believed_in_the_end),
	{}
};

static struct kunit_suite observer_suite = {
	.name = "observer",
	.test_cases = observer_cases,
};
kunit_test_suite(observer_suite);

MODULE_DESCRIPTION("KUnit suite of samples and the observer");
MODULE_LICENSE("Dual MIT/GPL");
