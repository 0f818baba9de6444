// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * policy_kunit.c - the policies in closed loop and one decision at a time
 */
#include <linux/module.h>

#include "loop_kunit.h"

#define SCG "stop-capture-go"
#define SEASONS "seasonal-migration"

static void the_table_has_every_policy(struct kunit *test)
{
	static const struct {
		const char *name;
		int drops;
	} want[] = {
		{ "full-near", 0 }, { "full-far", 0 }, { SCG, 1 },
		{ SEASONS, 0 }, { "predictive", 0 },
		{ "predictive-stop", 1 }, { "phase-locked", 1 },
		{ "auto", 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		const struct nst_policy_ops *ops;

		ops = nst_policy_find(want[i].name);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ops);
		KUNIT_EXPECT_STREQ(test, ops->name, want[i].name);
		KUNIT_EXPECT_EQ(test, (int)ops->drops, want[i].drops);
		KUNIT_EXPECT_PTR_EQ(test, (const void *)nst_policies[i],
				    (const void *)ops);
	}
	KUNIT_EXPECT_PTR_EQ(test, (const void *)nst_policies[i]->name, NULL);
	KUNIT_EXPECT_PTR_EQ(test, (const void *)nst_policies[i + 1], NULL);
	KUNIT_EXPECT_PTR_EQ(test, (const void *)nst_policy_find(""), NULL);
	KUNIT_EXPECT_PTR_EQ(test, (const void *)nst_policy_find("full"),
			    NULL);
	KUNIT_EXPECT_PTR_EQ(test, (const void *)nst_policy_find("full-nearer"),
			    NULL);
}

static void everything_has_a_name(struct kunit *test)
{
	int i, k;

	KUNIT_EXPECT_STREQ(test, nst_gate_name(NST_GATE_RUN), "run");
	KUNIT_EXPECT_STREQ(test, nst_gate_name(NST_GATE_STANDBY), "standby");
	KUNIT_EXPECT_STREQ(test, nst_gate_name(NST_GATE_CLEARED), "cleared");
	KUNIT_EXPECT_STREQ(test, nst_gate_name(NST_GATE_OFF), "off");
	KUNIT_EXPECT_STREQ(test, nst_gate_name(NST_GATE_COUNT), "invalid");
	KUNIT_EXPECT_STREQ(test, nst_placement_name(NST_NEAR), "near");
	KUNIT_EXPECT_STREQ(test, nst_placement_name(NST_FAR), "far");
	KUNIT_EXPECT_STREQ(test, nst_placement_name(NST_PAUSED), "paused");
	KUNIT_EXPECT_STREQ(test, nst_placement_name(NST_PLACEMENT_COUNT),
			   "invalid");
	KUNIT_EXPECT_STREQ(test, nst_reason_text(NST_REASON_COUNT),
			   "invalid");
	/* Every reason has a text of its own. */
	for (i = 0; i < NST_REASON_COUNT; i++)
		for (k = i + 1; k <= NST_REASON_COUNT; k++)
			KUNIT_EXPECT_NE(test,
				strcmp(nst_reason_text((enum nst_reason)i),
				       nst_reason_text((enum nst_reason)k)),
				0);
}

static void bad_configs_are_refused(struct kunit *test)
{
	struct loop *loop = loop_new(test, SCG, 2500, NONE, 74000);
	struct nst_policy_config good = loop->config, bad;

	KUNIT_EXPECT_EQ(test, nst_policy_config_check(&good), 0);
#define EXPECT_BAD(field, value, err)					\
	do {								\
		bad = good;						\
		bad.field = value;					\
		KUNIT_EXPECT_EQ(test, nst_policy_config_check(&bad),	\
				err);					\
	} while (0)
	EXPECT_BAD(thr.low_mc, good.thr.high_mc, -EINVAL);
	EXPECT_BAD(thr.max_mc, NONE, -ERANGE);
	EXPECT_BAD(params.r_jp_mk_per_w, 0, -ERANGE);
	EXPECT_BAD(near_mw, NST_POWER_MAX_MW + 1, -ERANGE);
	EXPECT_BAD(near_mw, 99, -EINVAL);
	EXPECT_BAD(gated_mw, NST_POWER_MAX_MW + 1, -ERANGE);
	EXPECT_BAD(far_mw, NST_POWER_MAX_MW + 1, -ERANGE);
	EXPECT_BAD(switch_uj, NST_SWITCH_MAX_UJ + 1, -ERANGE);
	EXPECT_BAD(vpu_busy_us, NST_FRAME_PERIOD_MAX_US + 1, -ERANGE);
	EXPECT_BAD(gate_enter_us, NST_FRAME_PERIOD_MAX_US + 1, -ERANGE);
	EXPECT_BAD(gate_exit_us, NST_FRAME_PERIOD_MAX_US + 1, -ERANGE);
	EXPECT_BAD(frame_period_us, NST_FRAME_PERIOD_MIN_US - 1, -ERANGE);
	EXPECT_BAD(frame_period_us, NST_FRAME_PERIOD_MAX_US + 1, -ERANGE);
	EXPECT_BAD(exposure_us, 32334, -EINVAL);
	EXPECT_BAD(exposure_us, 4294967295u, -ERANGE);
	EXPECT_BAD(readout_us, 4294967295u, -ERANGE);
	EXPECT_BAD(doubling_mc, NST_DOUBLING_MIN_MC - 1, -ERANGE);
	EXPECT_BAD(doubling_mc, NST_DOUBLING_MAX_MC + 1, -ERANGE);
	EXPECT_BAD(stop_frames, 0, -ERANGE);
	EXPECT_BAD(stop_frames, NST_SEASON_FRAMES_MAX + 1, -ERANGE);
	EXPECT_BAD(dwell_frames, 0, -ERANGE);
	EXPECT_BAD(dwell_frames, NST_SEASON_FRAMES_MAX + 1, -ERANGE);
	EXPECT_BAD(act_delay_frames, NST_ACT_DELAY_MAX + 1, -ERANGE);
	EXPECT_BAD(vision_max_mc, NST_TEMP_MAX_MC + 1, -ERANGE);
	EXPECT_BAD(die_max_mc, NONE, -ERANGE);
	EXPECT_BAD(die_max_mc, good.thr.max_mc + 1, -EINVAL);
#undef EXPECT_BAD
	bad = good;
	bad.exposure_us = 32333;
	bad.near_mw = 100;
	KUNIT_EXPECT_EQ(test, nst_policy_config_check(&bad), 0);
}

/* Table 12.4 and the band values under it, in permyriad. */
struct duty_case {
	u32 near_mw;
	s32 stop[3];
	s32 seasons[3];
};

static const struct duty_case duty_cases[] = {
	{ 1000, { 10000, 10000, 10000 }, { 10000, 10000, 10000 } },
	{ 1300, { 9730, 10000, 10000 }, { 9290, 10000, 10000 } },
	{ 2000, { 6150, 8160, 9460 }, { 5790, 7810, 9140 } },
	{ 2500, { 4870, 6460, 7490 }, { 4570, 6170, 7200 } },
	{ 3000, { 4030, 5350, 6200 }, { 3780, 5110, 5960 } },
};

static void duty_describe(const struct duty_case *c, char *desc)
{
	desc[0] = (char)('0' + c->near_mw / 1000);
	desc[1] = '.';
	desc[2] = (char)('0' + c->near_mw / 100 % 10);
	desc[3] = 'W';
	desc[4] = '\0';
}

KUNIT_ARRAY_PARAM(duties, duty_cases, duty_describe);

static void check_duty(struct kunit *test, const char *policy, u32 near_mw,
		       const s32 want[3])
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(dim_mc); i++) {
		struct loop *loop = loop_new(test, policy, near_mw, NONE,
					     dim_mc[i]);

		loop_settle_and_run(loop, 27000);
		KUNIT_EXPECT_LE(test, abs32(loop_duty_permyriad(loop) -
					    want[i]), (s32)150);
		/* and the die did not pass T_high */
		KUNIT_EXPECT_LE(test, loop->hottest_mc,
				loop->config.thr.high_mc);
	}
}

static void stop_capture_go_reaches_the_table(struct kunit *test)
{
	const struct duty_case *c = test->param_value;

	check_duty(test, SCG, c->near_mw, c->stop);
}

static void seasonal_migration_reaches_its_band_values(struct kunit *test)
{
	const struct duty_case *c = test->param_value;

	check_duty(test, SEASONS, c->near_mw, c->seasons);
}

/* Against full-far at 3.9 W, switches for nothing: 1.4 W * duty / 3.9 W. */
static void seasonal_migration_saves_what_its_band_gives(struct kunit *test)
{
	static const s32 band_permyriad[3] = { 4570, 6170, 7200 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(dim_mc); i++) {
		struct loop *loop = loop_new(test, SEASONS, 2500, NONE,
					     dim_mc[i]);
		s32 saving, want = band_permyriad[i] * 14 / 39;

		loop_settle_and_run(loop, 27000);
		KUNIT_EXPECT_EQ(test, loop->config.far_mw, (u32)3900);
		saving = NST_PERMYRIAD -
			 loop_mean_mw(loop) * NST_PERMYRIAD / 3900;
		kunit_info(test, "saving %d, band %d permyriad\n", saving,
			   want);
		KUNIT_EXPECT_LE(test, abs32(saving - want), (s32)100);
		KUNIT_EXPECT_EQ(test, loop->dropped, (u32)0);
	}
}

/* A continuous limit binds every frame that is processed, from the start. */
static void no_delivered_frame_passes_the_continuous_limit(struct kunit *test)
{
	static const char *const policies[] = { SCG, SEASONS };
	size_t p, i;

	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		for (i = 0; i < ARRAY_SIZE(dim_mc); i++) {
			struct loop *loop = loop_new(test, policies[p], 2500,
						     dim_mc[i], NONE);

			loop_run(loop, 20000);
			KUNIT_EXPECT_EQ(test, loop->violations, (u32)0);
			KUNIT_EXPECT_GT(test, loop->near, (u32)3000);
		}
	}
}

/* Thresholds of the user above the limit of the task: the limit counts. */
static void the_continuous_limit_beats_the_thresholds(struct kunit *test)
{
	static const char *const policies[] = { SCG, SEASONS };
	size_t p;

	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		struct loop *loop = loop_new(test, policies[p], 2500, 74000,
					     NONE);

		loop->config.thr.high_mc = 100000;
		loop->config.thr.low_mc = 82800;
		loop_run(loop, 20000);
		KUNIT_EXPECT_EQ(test, loop->violations, (u32)0);
		KUNIT_EXPECT_LE(test, loop->hottest_mc, (s32)74000);
		KUNIT_EXPECT_GT(test, loop->hottest_mc, (s32)73000);
		/* and the gap went down with it */
		KUNIT_EXPECT_GT(test, loop->near, (u32)3000);
	}
}

static void the_margin_comes_off_both_thresholds(struct kunit *test)
{
	static const char *const policies[] = { SCG, SEASONS };
	size_t p;

	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		struct loop *loop = loop_new(test, policies[p], 2500, NONE,
					     74000);
		struct loop *lower = loop_new(test, policies[p], 2500, NONE,
					      72000);

		loop->margin_mc = 2000;
		loop_run(loop, 20000);
		loop_run(lower, 20000);
		/* The same as thresholds lower by as much. */
		KUNIT_EXPECT_EQ(test, loop->near, lower->near);
		KUNIT_EXPECT_EQ(test, loop->hottest_mc, lower->hottest_mc);
	}
}

/* Above T_high at the start: gated in the first frame, and until it fits. */
static void a_hot_start_begins_gated(struct kunit *test)
{
	static const char *const policies[] = { SCG, SEASONS };
	size_t p;

	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		struct loop *loop = loop_new(test, policies[p], 2500, NONE,
					     74000);
		u32 n = 0;

		nst_plant_set_state(&loop->plant, 100000, 95000);
		loop_period(loop);
		KUNIT_EXPECT_EQ(test, (int)loop->out.gate,
				(int)NST_GATE_STANDBY);
		KUNIT_EXPECT_EQ(test, (int)loop->out.reason,
				(int)NST_WHY_ABOVE_HIGH);
		while (loop->out.gate != NST_GATE_RUN && n++ < 3000)
			loop_period(loop);
		KUNIT_EXPECT_LT(test, n, (u32)3000);
		KUNIT_EXPECT_LE(test, loop->end_mc, loop->config.thr.high_mc);
		KUNIT_EXPECT_EQ(test, (int)loop->out.reason,
				p ? (int)NST_WHY_BELOW_LOW :
				    (int)NST_WHY_COOL_ENOUGH);
	}
}

/* The light falls in the middle of a near season. */
static void falling_thresholds_gate_the_next_frame(struct kunit *test)
{
	static const char *const policies[] = { SCG, SEASONS };
	size_t p;

	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		struct loop *loop = loop_new(test, policies[p], 2500, NONE,
					     81100);

		loop_run(loop, 5000);
		while (loop->out.gate != NST_GATE_RUN)
			loop_period(loop);
		loop->config.thr.high_mc -= 20000;
		loop->config.thr.low_mc -= 20000;
		loop_period(loop);
		KUNIT_EXPECT_EQ(test, (int)loop->out.gate,
				(int)NST_GATE_STANDBY);
	}
}

static void stops_are_whole_and_as_long_as_asked(struct kunit *test)
{
	static const u32 asked[] = { 1, 2, 5 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(asked); i++) {
		struct loop *loop = loop_new(test, SCG, 2000, NONE, 81100);
		u32 n, length = 0, shortest = 1000, dwells = 0;

		loop->config.stop_frames = asked[i];
		for (n = 0; n < 20000; n++) {
			loop_period(loop);
			if (loop->out.placement == NST_PAUSED) {
				length++;
				if (loop->out.reason == NST_WHY_DWELL)
					dwells++;
				continue;
			}
			if (length && length < shortest)
				shortest = length;
			length = 0;
		}
		/* At 94.6 % a frame is enough: stops are just as asked. */
		KUNIT_EXPECT_EQ(test, shortest, asked[i]);
		KUNIT_EXPECT_LE(test, loop->hottest_mc,
				loop->config.thr.high_mc);
		KUNIT_EXPECT_EQ(test, (int)(dwells > 0), (int)(i > 0));
	}
}

/* d_max 40 %: one-frame stops alternating with one frame would be 50 %. */
static void stops_grow_below_half_duty(struct kunit *test)
{
	struct loop *loop = loop_new(test, SCG, 3000, NONE, 63100);
	u32 n, length = 0, longest = 0, longest_go = 0, go = 0;

	loop_run(loop, 9000);
	for (n = 0; n < 9000; n++) {
		loop_period(loop);
		if (loop->out.placement == NST_PAUSED) {
			length++;
			go = 0;
		} else {
			length = 0;
			go++;
		}
		if (length > longest)
			longest = length;
		if (go > longest_go)
			longest_go = go;
	}
	KUNIT_EXPECT_EQ(test, longest, (u32)2);
	KUNIT_EXPECT_EQ(test, longest_go, (u32)1);
}

/* 5 W and 50 degC: no near frame ever fits, and the reason says so. */
static void what_never_fits_stays_gated_and_says_so(struct kunit *test)
{
	static const char *const policies[] = { SCG, SEASONS };
	size_t p;

	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		struct loop *loop = loop_new(test, policies[p], 5000, 50000,
					     NONE);

		loop->ambient_mc = 40000;
		nst_plant_set_steady(&loop->plant, LOOP_GATED_MW, 40000);
		loop_run(loop, 30000);
		KUNIT_EXPECT_EQ(test, loop->near, (u32)0);
		KUNIT_EXPECT_EQ(test, (int)loop->out.reason,
				(int)NST_WHY_WOULD_CROSS);
	}
}

/*
 * At 26.4 degC the far placement tends to 29.8 degC. A T_low at, below or
 * just above that is never met or only after minutes: the season must end.
 */
static void a_low_out_of_reach_does_not_end_the_cycle(struct kunit *test)
{
	static const s32 lows_mc[] = { -20000, 26400, 29800, 30700 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lows_mc); i++) {
		struct loop *loop = loop_new(test, SEASONS, 2500, NONE,
					     74000);
		u32 begins = 0, n, length = 0, longest = 0;
		u8 before = NST_NEAR;

		loop->config.thr.low_mc = lows_mc[i];
		for (n = 0; n < 30000; n++) {
			loop_period(loop);
			if (loop->out.placement == NST_NEAR &&
			    before == NST_FAR) {
				begins++;
				KUNIT_EXPECT_EQ(test, (int)loop->out.reason,
						(int)NST_WHY_COOL_ENOUGH);
			}
			before = loop->out.placement;
			length = before == NST_FAR ? length + 1 : 0;
			if (length > longest)
				longest = length;
		}
		KUNIT_EXPECT_GE(test, begins, (u32)10);
		/* ln(4) = 1.39 package constants of 20 s are 832 frames */
		KUNIT_EXPECT_LE(test, longest, (u32)850);
		KUNIT_EXPECT_GE(test, longest, (u32)815);
		KUNIT_EXPECT_LE(test, loop->hottest_mc,
				loop->config.thr.high_mc);
	}
}

/* Leakage keeps the far placement hotter: its steady state is 31.7 degC. */
static void leakage_may_put_low_out_of_reach(struct kunit *test)
{
	struct loop *loop = loop_new(test, SEASONS, 2500, NONE, 74000);
	u32 n, begins = 0;

	loop->config.params.leak_ref_uw = 50000;
	KUNIT_ASSERT_EQ(test, nst_plant_init(&loop->plant,
					     &loop->config.params,
					     LOOP_AMBIENT_MC), 0);
	loop->config.thr.low_mc = 31000;
	for (n = 0; n < 30000; n++) {
		u8 before = loop->out.placement;

		loop_period(loop);
		begins += n && before == NST_FAR &&
			  loop->out.placement == NST_NEAR;
	}
	KUNIT_EXPECT_GE(test, begins, (u32)10);
}

/* One that is reached, if late, is the published rule. */
static void a_low_within_reach_is_waited_for(struct kunit *test)
{
	struct loop *loop = loop_new(test, SEASONS, 2500, NONE, 74000);
	u32 n;

	loop->config.thr.low_mc = 31000;
	loop_run(loop, 1500);
	for (n = 0; n < 6000; n++) {
		u8 before = loop->out.placement;

		loop_period(loop);
		if (before == NST_FAR && loop->out.placement == NST_NEAR)
			break;
	}
	KUNIT_EXPECT_LT(test, n, (u32)6000);
	KUNIT_EXPECT_EQ(test, (int)loop->out.reason, (int)NST_WHY_BELOW_LOW);
	KUNIT_EXPECT_LE(test, loop->start_mc, (s32)31000);
	KUNIT_EXPECT_GT(test, loop->start_mc, (s32)30950);
}

static void far_seasons_dwell_and_near_seasons_do_not(struct kunit *test)
{
	struct loop *loop = loop_new(test, SEASONS, 2500, NONE, 74000);
	u32 n, length = 0, shortest = 100000, dwells = 0;

	loop->config.dwell_frames = 300;
	loop->config.thr.low_mc = loop->config.thr.high_mc - 14000;
	for (n = 0; n < 20000; n++) {
		loop_period(loop);
		if (loop->out.placement == NST_FAR) {
			length++;
			dwells += loop->out.reason == NST_WHY_DWELL;
			continue;
		}
		if (length && length < shortest)
			shortest = length;
		length = 0;
	}
	/* 0.8 K of cooling would take a few frames */
	KUNIT_EXPECT_EQ(test, shortest, (u32)300);
	KUNIT_EXPECT_GT(test, dwells, (u32)1000);
	KUNIT_EXPECT_LE(test, loop->hottest_mc, loop->config.thr.high_mc);
}

/* A gap below the jump: the season begins when a near frame fits. */
static void a_small_gap_does_not_cross(struct kunit *test)
{
	struct loop *loop = loop_new(test, SEASONS, 2500, NONE, 74000);

	loop->config.thr.low_mc = loop->config.thr.high_mc - 2000;
	loop_settle_and_run(loop, 9000);
	KUNIT_EXPECT_LE(test, loop->hottest_mc, loop->config.thr.high_mc);
	/* that is the gap of T_jump, whose duty is d_max */
	KUNIT_EXPECT_LE(test, abs32(loop_duty_permyriad(loop) - 6460),
			(s32)150);
}

/*
 * Captures at seeded random times. The frame of the period in which the
 * gate closes has warm rows; the next one starts a frame after the edge and
 * has to keep the limit.
 */
static void captures_are_cold(struct kunit *test)
{
	static const char *const policies[] = { SCG, SEASONS };
	size_t p, i;

	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		for (i = 0; i < ARRAY_SIZE(dim_mc); i++) {
			struct loop *loop = loop_new(test, policies[p], 2500,
						     NONE, dim_mc[i]);
			u32 seed = 12345, captures = 0, n;
			s32 worst = NST_TEMP_MIN_MC;

			loop->expose = true;
			loop_run(loop, 3000);
			for (n = 0; n < 12000; n++) {
				seed = seed * 1664525u + 1013904223u;
				if (seed >> 16 & 31) {
					loop_period(loop);
					continue;
				}
				loop->capture_pending = true;
				loop_period(loop);
				KUNIT_EXPECT_EQ(test, (int)loop->out.gate,
						(int)NST_GATE_STANDBY);
				KUNIT_EXPECT_EQ(test, (int)loop->out.reason,
						(int)NST_WHY_CAPTURE);
				loop_period(loop);
				if (loop->exposure_mc > worst)
					worst = loop->exposure_mc;
				captures++;
				loop->capture_pending = false;
			}
			KUNIT_EXPECT_GT(test, captures, (u32)300);
			KUNIT_EXPECT_LE(test, worst, dim_mc[i]);
			KUNIT_EXPECT_LE(test, loop->hottest_mc,
					loop->config.thr.high_mc);
		}
	}
}

/*
 * Two frames of capture in a second: seasons go on after each of them. By
 * duty that is 61.7 % less two frames of the thirty.
 */
static void captures_interrupt_seasons_only(struct kunit *test)
{
	struct loop *loop = loop_new(test, SEASONS, 2500, NONE, 74000);
	u32 n, resumed = 0;

	loop_run(loop, 9000);
	loop_count_from_here(loop);
	for (n = 0; n < 18000; n++) {
		u8 before = loop->out.reason;

		loop->capture_pending = n % 30 < 2;
		loop_period(loop);
		resumed += before == NST_WHY_CAPTURE &&
			   loop->out.reason == NST_WHY_COOL_ENOUGH;
	}
	KUNIT_EXPECT_GT(test, resumed, (u32)300);
	KUNIT_EXPECT_GT(test, loop_duty_permyriad(loop), (s32)5500);
	KUNIT_EXPECT_LE(test, loop->hottest_mc, loop->config.thr.high_mc);

	/* but not before the dwell is over */
	loop = loop_new(test, SEASONS, 1000, NONE, 74000);
	loop->config.dwell_frames = 10;
	loop_run(loop, 100);
	loop->capture_pending = true;
	loop_period(loop);
	loop->capture_pending = false;
	for (n = 1; n < 10; n++) {
		loop_period(loop);
		KUNIT_EXPECT_EQ(test, (int)loop->out.reason,
				(int)NST_WHY_DWELL);
	}
	loop_period(loop);
	KUNIT_EXPECT_EQ(test, (int)loop->out.gate, (int)NST_GATE_RUN);

	/* and a break that got too hot to go on is a season */
	loop = loop_new(test, SEASONS, 2500, NONE, 74000);
	loop_run(loop, 200);
	loop->capture_pending = true;
	loop_period(loop);
	loop->capture_pending = false;
	nst_plant_set_state(&loop->plant, 80000, 79000);
	loop_period(loop);
	KUNIT_EXPECT_EQ(test, (int)loop->out.reason,
			(int)NST_WHY_WOULD_CROSS);
	loop_period(loop);
	KUNIT_EXPECT_EQ(test, (int)loop->out.reason, (int)NST_WHY_STEADY);
}

/* What no observer gives is not trusted, and harms nobody. */
static void wild_inputs_gate(struct kunit *test)
{
	static const char *const policies[] = { SCG, SEASONS };
	static const s32 ambients_mc[] = {
		NST_TEMP_MAX_MC + 1, NST_TEMP_MIN_MC - 1, 2147483647,
		-2147483647 - 1,
	};
	size_t p, i;

	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		struct loop *loop = loop_new(test, policies[p], 1000, NONE,
					     74000);
		struct nst_policy_inputs in = {
			.model = &loop->plant,
			.sensor_ok = true,
		};

		for (i = 0; i < ARRAY_SIZE(ambients_mc); i++) {
			in.ambient_mc = ambients_mc[i];
			loop->ops->decide(&loop->config, &loop->state, &in,
					  &loop->out);
			KUNIT_EXPECT_EQ(test, (int)loop->out.reason,
					(int)NST_WHY_NO_SENSOR);
			KUNIT_EXPECT_EQ(test, (int)loop->out.gate,
					(int)NST_GATE_STANDBY);
		}
		nst_policy_reset(&loop->state);
		in.ambient_mc = LOOP_AMBIENT_MC;
		in.margin_mc = 2147483647;
		loop->ops->decide(&loop->config, &loop->state, &in,
				  &loop->out);
		KUNIT_EXPECT_EQ(test, (int)loop->out.gate,
				(int)NST_GATE_STANDBY);
		/* A margin does not raise a threshold. */
		loop->config.thr.high_mc = -10000;
		loop->ops->decide(&loop->config, &loop->state, &in,
				  &loop->out);
		KUNIT_EXPECT_EQ(test, (int)loop->out.gate,
				(int)NST_GATE_STANDBY);
		loop->config.thr.high_mc = 87000;
		nst_policy_reset(&loop->state);
		in.margin_mc = -50000;
		nst_plant_set_state(&loop->plant,
				    loop->config.thr.high_mc + 1, 20000);
		loop->ops->decide(&loop->config, &loop->state, &in,
				  &loop->out);
		KUNIT_EXPECT_EQ(test, (int)loop->out.reason,
				(int)NST_WHY_ABOVE_HIGH);
	}
}

static void no_sensor_gates_at_once(struct kunit *test)
{
	static const struct {
		const char *policy;
		int placement;
	} cases[] = {
		{ SCG, NST_PAUSED }, { SEASONS, NST_FAR },
		{ "full-near", NST_PAUSED },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct loop *loop = loop_new(test, cases[i].policy, 1000,
					     NONE, 81100);
		u32 n;

		loop_run(loop, 100);
		KUNIT_EXPECT_EQ(test, (int)loop->out.gate,
				(int)NST_GATE_RUN);
		loop->sensor_ok = false;
		/* Even a capture that is due does not change the reason. */
		loop->capture_pending = true;
		for (n = 0; n < 1000; n++) {
			loop_period(loop);
			if (loop->out.gate != NST_GATE_STANDBY ||
			    loop->out.placement != cases[i].placement ||
			    loop->out.reason != NST_WHY_NO_SENSOR)
				break;
		}
		KUNIT_EXPECT_EQ(test, n, (u32)1000);
		loop->sensor_ok = true;
		loop->capture_pending = false;
		for (n = 0; n < 3000 && loop->out.gate != NST_GATE_RUN; n++)
			loop_period(loop);
		KUNIT_EXPECT_LT(test, n, (u32)3000);
	}
}

static void fixed_policies_are_fixed(struct kunit *test)
{
	struct loop *near = loop_new(test, "full-near", 3000, 63100, 63100);
	struct loop *far = loop_new(test, "full-far", 3000, 63100, 63100);

	near->capture_pending = true;
	far->capture_pending = true;
	loop_run(near, 9000);
	KUNIT_EXPECT_EQ(test, near->near, (u32)9000);
	KUNIT_EXPECT_EQ(test, (int)near->out.reason, (int)NST_WHY_FIXED);
	KUNIT_EXPECT_GT(test, near->hottest_mc, (s32)120000);
	KUNIT_EXPECT_GT(test, near->violations, (u32)8000);
	far->sensor_ok = false;
	loop_run(far, 9000);
	KUNIT_EXPECT_EQ(test, far->near + far->dropped, (u32)0);
	KUNIT_EXPECT_EQ(test, (int)far->out.gate, (int)NST_GATE_STANDBY);
	KUNIT_EXPECT_EQ(test, (int)far->out.reason, (int)NST_WHY_FIXED);
	KUNIT_EXPECT_EQ(test, loop_mean_mw(far), (s32)4400);
}

/*
 * Decisions that take effect k frames late, with a model of now. The policy
 * has to look through what is in flight: T_high holds all the same, and the
 * duty stays what it was.
 */
static void late_decisions_do_not_cross(struct kunit *test)
{
	static const char *const policies[] = { SCG, SEASONS };
	size_t p;
	u32 delay;

	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		for (delay = 1; delay <= NST_ACT_DELAY_MAX; delay++) {
			struct loop *loop = loop_new(test, policies[p], 2500,
						     NONE, 74000);
			u32 in_flight = 0;	/* bit 0 newest, 1 gated */
			s32 hottest = NST_TEMP_MIN_MC;
			u32 n, near = 0;

			loop->config.act_delay_frames = delay;
			for (n = 0; n < 30000; n++) {
				struct nst_policy_inputs in = {
					.frame_seq = n,
					.model = &loop->plant,
					.ambient_mc = loop->ambient_mc,
					.sensor_ok = true,
				};
				bool gated;

				loop->ops->decide(&loop->config,
						  &loop->state, &in,
						  &loop->out);
				in_flight = in_flight << 1 |
					    (loop->out.gate != NST_GATE_RUN);
				gated = in_flight >> delay & 1;
				nst_plant_step(&loop->plant,
					       gated ? LOOP_GATED_MW : 2500,
					       loop->ambient_mc,
					       LOOP_PERIOD_US);
				if (nst_plant_die_mc(&loop->plant) > hottest)
					hottest = nst_plant_die_mc(
								&loop->plant);
				near += n >= 9000 && !gated;
			}
			KUNIT_EXPECT_LE(test, hottest,
					loop->config.thr.high_mc);
			KUNIT_EXPECT_LE(test, abs32((s32)(near * 10 / 21) -
						    (p ? 6170 : 6460)),
					(s32)150);
		}
	}
}

/* 50 mW of leakage at 300 K: it has to be seen coming. */
static void leakage_is_looked_ahead(struct kunit *test)
{
	/* below half duty every near frame starts cold and ends at T_high */
	static const struct {
		const char *policy;
		s32 imaging_mc;
	} cases[] = {
		{ SCG, 74000 }, { SCG, 63100 }, { SEASONS, 74000 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct loop *dry = loop_new(test, cases[i].policy, 2500,
					    NONE, cases[i].imaging_mc);
		struct loop *leaky = loop_new(test, cases[i].policy, 2500,
					      NONE, cases[i].imaging_mc);

		leaky->config.params.leak_ref_uw = 50000;
		nst_plant_init(&leaky->plant, &leaky->config.params,
			       LOOP_AMBIENT_MC);
		loop_settle_and_run(dry, 9000);
		loop_settle_and_run(leaky, 9000);
		KUNIT_EXPECT_LE(test, leaky->hottest_mc,
				leaky->config.thr.high_mc);
		/* and not by staying far below */
		KUNIT_EXPECT_GT(test, leaky->hottest_mc,
				leaky->config.thr.high_mc - 150);
		/* 74 mW of 2400 is 3 points of duty */
		KUNIT_EXPECT_LT(test, leaky->near, dry->near);
		KUNIT_EXPECT_GT(test, leaky->near + 600, dry->near);
	}
}

/* The camera goes to 15 fps under the policy: its factors have to follow. */
static void a_new_frame_period_is_noticed(struct kunit *test)
{
	struct loop *loop = loop_new(test, SCG, 2500, NONE, 74000);

	loop_run(loop, 3000);
	loop->config.frame_period_us = 66667;
	loop_run(loop, 3000);
	loop->config.frame_period_us = 5000;
	loop_run(loop, 3000);
	loop->config.frame_period_us = LOOP_PERIOD_US;
	loop_run(loop, 3000);
	KUNIT_EXPECT_LE(test, loop->hottest_mc, loop->config.thr.high_mc);
	/* Another stack in the same place: its constants are others. */
	loop->config.params = nst_plant_ar0330;
	nst_plant_init(&loop->plant, &nst_plant_ar0330, LOOP_AMBIENT_MC);
	loop_count_from_here(loop);
	loop_run(loop, 3000);
	KUNIT_EXPECT_LE(test, loop->hottest_mc, loop->config.thr.high_mc);
	KUNIT_EXPECT_GT(test, loop->hottest_mc,
			loop->config.thr.high_mc - 500);

	/* A slow die first: the fast one must not be taken for it. */
	loop = loop_new(test, SCG, 2500, NONE, 63100);
	loop->config.params = nst_plant_ar0330;
	nst_plant_init(&loop->plant, &nst_plant_ar0330, LOOP_AMBIENT_MC);
	loop_run(loop, 10);
	loop->config.params = nst_plant_reference;
	nst_plant_init(&loop->plant, &nst_plant_reference, LOOP_AMBIENT_MC);
	loop_run(loop, 9000);
	KUNIT_EXPECT_LE(test, loop->hottest_mc, loop->config.thr.high_mc);
}

/* Two sensors in turn: nothing is kept outside of the state. */
static void instances_do_not_meet(struct kunit *test)
{
	struct loop *a = loop_new(test, SCG, 2500, NONE, 74000);
	struct loop *b = loop_new(test, SCG, 2000, NONE, 63100);
	struct loop *alone = loop_new(test, SCG, 2500, NONE, 74000);
	u32 n;

	b->config.frame_period_us = 40000;
	for (n = 0; n < 6000; n++) {
		loop_period(a);
		loop_period(b);
		loop_period(alone);
		if (memcmp(&a->out, &alone->out, sizeof(a->out)) ||
		    a->end_mc != alone->end_mc)
			break;
	}
	KUNIT_EXPECT_EQ(test, n, (u32)6000);
}

static struct kunit_case policy_cases[] = {
	KUNIT_CASE(the_table_has_every_policy),
	KUNIT_CASE(everything_has_a_name),
	KUNIT_CASE(bad_configs_are_refused),
	KUNIT_CASE_PARAM(stop_capture_go_reaches_the_table,
			 duties_gen_params),
	KUNIT_CASE_PARAM(seasonal_migration_reaches_its_band_values,
			 duties_gen_params),
	KUNIT_CASE(seasonal_migration_saves_what_its_band_gives),
	KUNIT_CASE(no_delivered_frame_passes_the_continuous_limit),
	KUNIT_CASE(the_continuous_limit_beats_the_thresholds),
	KUNIT_CASE(the_margin_comes_off_both_thresholds),
	KUNIT_CASE(a_hot_start_begins_gated),
	KUNIT_CASE(falling_thresholds_gate_the_next_frame),
	KUNIT_CASE(stops_are_whole_and_as_long_as_asked),
	KUNIT_CASE(stops_grow_below_half_duty),
	KUNIT_CASE(what_never_fits_stays_gated_and_says_so),
	KUNIT_CASE(a_low_out_of_reach_does_not_end_the_cycle),
	KUNIT_CASE(leakage_may_put_low_out_of_reach),
	KUNIT_CASE(a_low_within_reach_is_waited_for),
	KUNIT_CASE(far_seasons_dwell_and_near_seasons_do_not),
	KUNIT_CASE(a_small_gap_does_not_cross),
	KUNIT_CASE(captures_are_cold),
	KUNIT_CASE(captures_interrupt_seasons_only),
	KUNIT_CASE(wild_inputs_gate),
	KUNIT_CASE(no_sensor_gates_at_once),
	KUNIT_CASE(fixed_policies_are_fixed),
	KUNIT_CASE(late_decisions_do_not_cross),
	KUNIT_CASE(leakage_is_looked_ahead),
	KUNIT_CASE(a_new_frame_period_is_noticed),
	KUNIT_CASE(instances_do_not_meet),
	{}
};

static struct kunit_suite policy_suite = {
	.name = "policy",
	.test_cases = policy_cases,
};

kunit_test_suite(policy_suite);

MODULE_DESCRIPTION("KUnit suite of the policies");
MODULE_LICENSE("Dual MIT/GPL");
