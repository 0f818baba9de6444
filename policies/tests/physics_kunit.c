// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * physics_kunit.c - the twelve acceptance tests, from published numbers
 *
 * Sensors 2021 21(3) 926 and US patent 11,107,181 state these; the numbers
 * of the cases are those of the list in the design documents.
 */
#include <linux/module.h>

#include "loop_kunit.h"

/* An AR0330 at 26.5 degC: 35.0 degC at 250 mW, 31.6 degC at 150 mW. */
static void test_01_ar0330_steady_states(struct kunit *test)
{
	struct nst_plant plant;
	s32 fall_mc;

	KUNIT_ASSERT_EQ(test, nst_plant_init(&plant, &nst_plant_ar0330,
					     26500), 0);
	nst_plant_step(&plant, 250, 26500, 400000000);
	KUNIT_EXPECT_LE(test, abs32(nst_plant_die_mc(&plant) - 35000),
			(s32)300);
	/* of the fall to 150 mW, 30 % happen within 30 ms */
	fall_mc = nst_plant_die_mc(&plant) -
		  nst_plant_peek_die_mc(&plant, 150, 26500, 30000);
	KUNIT_EXPECT_LE(test, abs32(fall_mc - 1020), (s32)50);
	nst_plant_step(&plant, 150, 26500, 400000000);
	KUNIT_EXPECT_LE(test, abs32(nst_plant_die_mc(&plant) - 31600),
			(s32)300);
}

/* 1 W in the stack: 60.7 degC */
static void test_02_one_watt(struct kunit *test)
{
	struct nst_plant plant;

	KUNIT_ASSERT_EQ(test, nst_plant_init(&plant, &nst_plant_reference,
					     LOOP_AMBIENT_MC), 0);
	nst_plant_step(&plant, 1000, LOOP_AMBIENT_MC, 400000000);
	KUNIT_EXPECT_LE(test, abs32(nst_plant_die_mc(&plant) - 60700),
			(s32)500);
}

/* 2.5 W to 0.1 W: a jump of 13.2 K, at least 12.9 K of it within 20 ms */
static void test_03_jump(struct kunit *test)
{
	struct nst_plant plant;
	s32 before_mc;

	KUNIT_EXPECT_EQ(test, nst_plant_jump_mc(&nst_plant_reference, 2400,
						NST_DT_MAX_US), (s32)13200);
	KUNIT_ASSERT_EQ(test, nst_plant_init(&plant, &nst_plant_reference,
					     LOOP_AMBIENT_MC), 0);
	nst_plant_step(&plant, 2500, LOOP_AMBIENT_MC, 20000000);
	before_mc = nst_plant_die_mc(&plant);
	nst_plant_step(&plant, 100, LOOP_AMBIENT_MC, 20000);
	KUNIT_EXPECT_GE(test, before_mc - nst_plant_die_mc(&plant),
			(s32)12900);
	KUNIT_EXPECT_LE(test, before_mc - nst_plant_die_mc(&plant),
			(s32)13300);
}

/* Heated to 87 degC by 2.5 W, stopped for a frame: 74 degC */
static void heat_to(struct nst_plant *plant, s32 die_mc)
{
	while (nst_plant_die_mc(plant) < die_mc)
		nst_plant_step(plant, 2500, LOOP_AMBIENT_MC, 1000);
}

static void test_04_one_frame_stop(struct kunit *test)
{
	struct nst_plant plant;

	KUNIT_ASSERT_EQ(test, nst_plant_init(&plant, &nst_plant_reference,
					     LOOP_AMBIENT_MC), 0);
	heat_to(&plant, 87000);
	nst_plant_step(&plant, 100, LOOP_AMBIENT_MC, 33333);
	KUNIT_EXPECT_LE(test, abs32(nst_plant_die_mc(&plant) - 74000),
			(s32)500);
}

/* Below 1 W the VPU never stops, at every fidelity. */
static void test_05_full_duty_below_one_watt(struct kunit *test)
{
	static const char *const policies[] = {
		"stop-capture-go", "seasonal-migration",
	};
	size_t p, i;

	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		for (i = 0; i < ARRAY_SIZE(dim_mc); i++) {
			struct loop *loop = loop_new(test, policies[p], 990,
						     NONE, dim_mc[i]);

			loop_run(loop, 18000);
			KUNIT_EXPECT_EQ(test, loop->near, loop->frames);
		}
	}
}

/* Delivered rate is duty times 30: 98 % is 29.4 fps, 40 % is 12 fps. */
static void test_06_frame_rate_follows_duty(struct kunit *test)
{
	struct loop *loop = loop_new(test, "stop-capture-go", 3000, NONE,
				     63100);
	struct nst_dither dither = { 0 };
	u32 i, delivered = 0;

	for (i = 0; i < 1000; i++)
		delivered += nst_dither_step(&dither, 98, 100);
	KUNIT_EXPECT_EQ(test, delivered * 30 / 100, (u32)294);
	dither.error = 0;
	delivered = 0;
	for (i = 0; i < 1000; i++)
		delivered += nst_dither_step(&dither, 40, 100);
	KUNIT_EXPECT_EQ(test, delivered * 30 / 100, (u32)120);

	/* The policy's 40 % cell: 3 W, 35 dB. Counted at the consumer. */
	loop_run(loop, 9000);
	loop_count_from_here(loop);
	delivered = 0;
	for (i = 0; i < 9000; i++) {
		loop_period(loop);
		delivered += loop->delivered;
	}
	KUNIT_EXPECT_EQ(test, delivered, loop->near);
	KUNIT_EXPECT_EQ(test, delivered + loop->dropped, loop->frames);
	/* tenths of a frame a second */
	KUNIT_EXPECT_LE(test, abs32((s32)(delivered * 300 / 9000) - 120),
			(s32)4);
}

/* 1080p34: 2.7 W far, 1.3 W near, 52 % saved where the task fits near. */
static void test_07_headline_saving(struct kunit *test)
{
	struct loop *loop = loop_new(test, "seasonal-migration", 1300,
				     NONE, 81100);
	s32 saving;

	loop->config.frame_period_us = 29412;
	loop->config.exposure_us = 28000;
	KUNIT_ASSERT_EQ(test, nst_policy_config_check(&loop->config), 0);
	loop_settle_and_run(loop, 3000);
	KUNIT_EXPECT_EQ(test, loop->config.far_mw, (u32)2700);
	saving = NST_PERMYRIAD - loop_mean_mw(loop) * NST_PERMYRIAD / 2700;
	KUNIT_EXPECT_LE(test, abs32(saving - 5200), (s32)50);
}

/*
 * Power: stop-capture-go < seasonal migration < full-far, at every fidelity.
 * With higher fidelity migration takes more, stop-capture-go less, full-far
 * the same.
 */
static void test_08_order_and_trends_of_power(struct kunit *test)
{
	static const char *const policies[3] = {
		"stop-capture-go", "seasonal-migration", "full-far",
	};
	static const s32 stop_mw[3] = { 1270, 1650, 1900 };
	s32 mw[3][3];
	size_t p, i;

	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		for (i = 0; i < ARRAY_SIZE(dim_mc); i++) {
			struct loop *loop = loop_new(test, policies[p], 2500,
						     NONE, dim_mc[i]);

			loop->config.far_mw = 4000;
			loop_settle_and_run(loop, 18000);
			mw[p][i] = loop_mean_mw(loop);
		}
	}
	for (i = 0; i < ARRAY_SIZE(dim_mc); i++) {
		KUNIT_EXPECT_LT(test, mw[0][i], mw[1][i]);
		KUNIT_EXPECT_LT(test, mw[1][i], mw[2][i]);
		KUNIT_EXPECT_EQ(test, mw[2][i], (s32)4000);
		KUNIT_EXPECT_LE(test, abs32(mw[0][i] - stop_mw[i]),
				(s32)20);
	}
	/* dim_mc falls with fidelity: 35 dB is the first */
	for (i = 1; i < ARRAY_SIZE(dim_mc); i++) {
		KUNIT_EXPECT_LT(test, mw[0][i - 1], mw[0][i]);
		KUNIT_EXPECT_GT(test, mw[1][i - 1], mw[1][i]);
	}
}

/* 2.5 W, 26 dB, 20 to 40 degC: 74.0 / 66.7 / 59.4 / 52.1 / 44.8 % */
static void test_09_duty_falls_with_ambient(struct kunit *test)
{
	static const s32 want_permyriad[5] = { 7400, 6670, 5940, 5210, 4480 };
	s32 last[2] = { NST_PERMYRIAD + 1, NST_PERMYRIAD + 1 };
	static const char *const policies[2] = {
		"stop-capture-go", "seasonal-migration",
	};
	size_t p, i;

	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		for (i = 0; i < ARRAY_SIZE(want_permyriad); i++) {
			struct loop *loop = loop_new(test, policies[p], 2500,
						     NONE, 74000);
			s32 duty;

			loop->ambient_mc = 20000 + 5000 * (s32)i;
			loop_settle_and_run(loop, 18000);
			duty = loop_duty_permyriad(loop);
			KUNIT_EXPECT_LT(test, duty, last[p]);
			last[p] = duty;
			if (!p)
				KUNIT_EXPECT_LE(test,
						abs32(duty -
						      want_permyriad[i]),
						(s32)150);
		}
	}
}

/*
 * Two owners of a task and the messages between them. The pre-copy takes a
 * frame, hence decisions are a frame late (act_delay_frames). At the
 * boundary the old owner sends the number of the first frame it will not
 * process, the new one acknowledges it with the same number.
 */
struct owner {
	bool owns;
	u32 sent;		/* messages */
	u32 next_frame;		/* content of the last one */
};

static void hand_over(struct owner *from, struct owner *to, u32 frame)
{
	from->owns = false;
	from->next_frame = frame;
	from->sent++;
	to->owns = true;
	to->next_frame = from->next_frame;
	to->sent++;
}

static void test_10_hand_over_is_one_message_each_way(struct kunit *test)
{
	struct loop *loop = loop_new(test, "seasonal-migration", 2500,
				     NONE, 74000);
	struct owner near = { .owns = true }, far = { 0 };
	u32 n, processed = 0, migrations = 0, wrong = 0;
	u8 now = NST_NEAR, next = NST_NEAR;

	loop->config.act_delay_frames = 1;
	for (n = 1; n < 12000; n++) {
		struct nst_policy_inputs in = {
			.frame_seq = n,
			.model = &loop->plant,
			.ambient_mc = loop->ambient_mc,
			.sensor_ok = true,
		};
		u32 frame = n - 1;

		/* decided in period n - 1, prepared in it, in force in n */
		if (next != now) {
			if (next == NST_FAR)
				hand_over(&near, &far, frame);
			else
				hand_over(&far, &near, frame);
			migrations++;
			now = next;
		}
		loop->ops->decide(&loop->config, &loop->state, &in,
				  &loop->out);
		next = loop->out.placement;
		/* exactly one of them takes frame n - 1 */
		processed += near.owns + far.owns;
		wrong += near.owns != (now == NST_NEAR);
		wrong += near.next_frame > frame || far.next_frame > frame;
		nst_plant_step(&loop->plant,
			       now == NST_NEAR ? 2500 : LOOP_GATED_MW,
			       loop->ambient_mc, LOOP_PERIOD_US);
		wrong += nst_plant_die_mc(&loop->plant) >
			 loop->config.thr.high_mc;
	}
	KUNIT_EXPECT_EQ(test, processed, (u32)11999);
	KUNIT_EXPECT_EQ(test, wrong, (u32)0);
	KUNIT_EXPECT_GT(test, migrations, (u32)50);
	KUNIT_EXPECT_EQ(test, near.sent, migrations);
	KUNIT_EXPECT_EQ(test, far.sent, migrations);
}

/*
 * Modes change on frame boundaries only. The plant is followed in steps of
 * an eleventh of a frame with what the policy decided for the frame; a
 * policy that changed its mind inside one, or kept state of wall time,
 * would make another trace than one that is asked once a frame.
 */
static void test_11_changes_on_frame_boundaries_only(struct kunit *test)
{
	static const char *const policies[2] = {
		"stop-capture-go", "seasonal-migration",
	};
	size_t p;

	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		struct loop *loop = loop_new(test, policies[p], 2500, NONE,
					     74000);
		struct nst_plant fine = loop->plant;
		u32 n, sub, off_boundary = 0, edges = 0;
		u64 edge_us = 0;
		u8 gate = NST_GATE_RUN;

		loop->config.frame_period_us = 33000;
		loop->config.exposure_us = 32000;
		for (n = 0; n < 9000; n++) {
			s32 before_mc = nst_plant_die_mc(&fine);
			s32 sign = 0;

			loop_period(loop);
			if (loop->out.gate != gate) {
				u64 now_us = (loop->seq - 1) * 33000ull;
				u64 frames = nst_div_u64(now_us - edge_us,
							 33000);

				off_boundary += frames * 33000 !=
						now_us - edge_us;
				edge_us = now_us;
				edges++;
				gate = loop->out.gate;
			}
			for (sub = 0; sub < 11; sub++) {
				s32 die_mc, way;

				nst_plant_step(&fine,
					       gate == NST_GATE_RUN ?
					       2500 : LOOP_GATED_MW,
					       loop->ambient_mc, 3000);
				die_mc = nst_plant_die_mc(&fine);
				way = die_mc - before_mc;
				/* one direction from boundary to boundary */
				if (way * sign < 0)
					off_boundary++;
				if (way)
					sign = way > 0 ? 1 : -1;
				before_mc = die_mc;
			}
			if (abs32(nst_plant_die_mc(&fine) - loop->end_mc) > 1)
				off_boundary++;
		}
		KUNIT_EXPECT_EQ(test, off_boundary, (u32)0);
		KUNIT_EXPECT_GT(test, edges, (u32)40);
	}
}

/*
 * A request at 87 degC and 2.5 W: what starts 20 ms after the edge is cold
 * enough, what starts at the edge is not.
 */
static void test_12_exposure_after_the_edge(struct kunit *test)
{
	struct nst_plant plant;
	s32 late_mc, early_mc;

	KUNIT_ASSERT_EQ(test, nst_plant_init(&plant, &nst_plant_reference,
					     LOOP_AMBIENT_MC), 0);
	heat_to(&plant, 87000);
	late_mc = nst_exposure_row_mc(&plant, 100, LOOP_AMBIENT_MC, 20000,
				      32000, NST_DOUBLING_DEFAULT_MC);
	early_mc = nst_exposure_row_mc(&plant, 100, LOOP_AMBIENT_MC, 0,
				       32000, NST_DOUBLING_DEFAULT_MC);
	kunit_info(test, "after 20 ms %d mC, at the edge %d mC\n", late_mc,
		   early_mc);
	KUNIT_EXPECT_LE(test, late_mc, (s32)74100);
	KUNIT_EXPECT_GE(test, late_mc, (s32)73500);
	KUNIT_EXPECT_LE(test, abs32(early_mc - 76600), (s32)300);
}

static struct kunit_case physics_cases[] = {
	KUNIT_CASE(test_01_ar0330_steady_states),
	KUNIT_CASE(test_02_one_watt),
	KUNIT_CASE(test_03_jump),
	KUNIT_CASE(test_04_one_frame_stop),
	KUNIT_CASE(test_05_full_duty_below_one_watt),
	KUNIT_CASE(test_06_frame_rate_follows_duty),
	KUNIT_CASE(test_07_headline_saving),
	KUNIT_CASE(test_08_order_and_trends_of_power),
	KUNIT_CASE(test_09_duty_falls_with_ambient),
	KUNIT_CASE(test_10_hand_over_is_one_message_each_way),
	KUNIT_CASE(test_11_changes_on_frame_boundaries_only),
	KUNIT_CASE(test_12_exposure_after_the_edge),
	{}
};

static struct kunit_suite physics_suite = {
	.name = "physics",
	.test_cases = physics_cases,
};

kunit_test_suite(physics_suite);

MODULE_DESCRIPTION("KUnit suite of the published numbers");
MODULE_LICENSE("Dual MIT/GPL");
