// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * phase_kunit.c - windows of the VPU, and the policy that places them
 *
 * What a window does is held against the plant stepped in slices of a
 * hundredth of a period, with the dark rate summed slice by slice.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "policy.h"

#define NONE NST_TEMP_NONE_MC
#define SLICES 100
#define AMBIENT_MC 26400

struct loop {
	const struct nst_policy_ops *ops;
	struct nst_policy_config config;
	struct nst_policy_state state;
	struct nst_plant plant;
	struct nst_policy_outputs out;
	struct nst_policy_outputs late[NST_ACT_DELAY_MAX + 1];
	bool capture_pending;
	u32 guard_every;	/* periods kept gated, whatever is decided */
	bool busy_first;	/* whole frames are a burst at their start */
	s32 margin_mc;
	u64 seq;
	s32 exposure_mc;

	u32 frames;
	u32 delivered;
	u32 violations;
	s32 peak_mc;
};

static u32 heat_mw(const struct nst_policy_config *c)
{
	u64 vpu_nj = (u64)(c->near_mw - c->gated_mw) * c->frame_period_us;

	return c->gated_mw + (u32)nst_div_u64(vpu_nj, c->vpu_busy_us);
}

static void loop_init(struct kunit *test, struct loop *loop, s32 vision_mc,
		      u32 exposure_us, u32 readout_us, u32 busy_us)
{
	loop->ops = nst_policy_find("phase-locked");
	KUNIT_ASSERT_TRUE(test, loop->ops);
	loop->config = (struct nst_policy_config){
		.thr = { .high_mc = 105000, .low_mc = 90000,
			 .capture_mc = NONE, .max_mc = 105000 },
		.params = nst_plant_reference,
		.near_mw = 2500,
		.gated_mw = 100,
		.far_mw = 3900,
		.vpu_busy_us = busy_us,
		.frame_period_us = 33300,
		.exposure_us = exposure_us,
		.readout_us = readout_us,
		.doubling_mc = NST_DOUBLING_DEFAULT_MC,
		.vision_max_mc = vision_mc,
		.die_max_mc = 105000,
		.stop_frames = 1,
		.dwell_frames = 1,
	};
	KUNIT_ASSERT_EQ(test, nst_policy_config_check(&loop->config), 0);
	KUNIT_ASSERT_EQ(test, nst_plant_init(&loop->plant,
					     &loop->config.params,
					     AMBIENT_MC), 0);
}

static struct loop *loop_new(struct kunit *test, s32 vision_mc,
			     u32 exposure_us, u32 readout_us, u32 busy_us)
{
	struct loop *loop = kunit_kzalloc(test, sizeof(*loop), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, loop);
	loop_init(test, loop, vision_mc, exposure_us, readout_us, busy_us);
	return loop;
}

/* Mean power over a piece of time; the gate takes its time both ways. */
static u32 power_mw(const struct nst_policy_config *c,
		    const struct nst_policy_outputs *out, u32 at_us, u32 len_us)
{
	u32 from_us = out->run_from_us + c->gate_exit_us;
	u32 to_us = out->run_from_us + out->run_us + c->gate_enter_us;

	if (out->gate != NST_GATE_RUN)
		return c->gated_mw;
	if (!out->run_us)
		return c->near_mw;
	if (from_us < at_us)
		from_us = at_us;
	if (to_us > at_us + len_us)
		to_us = at_us + len_us;
	if (to_us <= from_us)
		return c->gated_mw;
	return c->gated_mw + (heat_mw(c) - c->gated_mw) * (to_us - from_us) /
			     len_us;
}

/* Dark rate at a temperature, 1 at 120 degC. */
static u64 rate_q32(s32 mc, u32 doubling_mc)
{
	return nst_exp2_q32((s32)nst_div_s64(((s64)mc - 120000) * 65536,
					     (s32)doubling_mc));
}

static s32 rate_mc(u64 sum, u32 slices, u32 doubling_mc)
{
	u64 mean = nst_div_u64(sum, slices);

	return 120000 + (s32)((nst_log2_q16(mean ? mean : 1) *
			       (s64)doubling_mc) >> 16);
}

/* One period, slice by slice; the rows begin and end at slices. */
static s32 fine_period_mc(struct nst_plant *plant,
			  const struct nst_policy_config *c,
			  const struct nst_policy_outputs *out, s32 *peak_mc)
{
	u32 slice_us = c->frame_period_us / SLICES, i, row;
	u32 exposed = c->exposure_us / slice_us;
	u64 sum[SLICES + 1] = { 0 };
	s32 hottest = NST_TEMP_MIN_MC;

	for (i = 0; i < SLICES; i++) {
		u32 at_us = i * slice_us, half_us = slice_us / 2;
		s32 mc;

		nst_plant_step(plant, power_mw(c, out, at_us, half_us),
			       AMBIENT_MC, half_us);
		mc = nst_plant_die_mc(plant);
		sum[i + 1] = sum[i] + rate_q32(mc, c->doubling_mc);
		nst_plant_step(plant, power_mw(c, out, at_us + half_us,
					       slice_us - half_us),
			       AMBIENT_MC, slice_us - half_us);
		mc = nst_plant_die_mc(plant);
		if (mc > *peak_mc)
			*peak_mc = mc;
	}
	for (row = 0; row <= c->readout_us / slice_us; row++) {
		s32 mc = rate_mc(sum[row + exposed] - sum[row], exposed,
				 c->doubling_mc);

		if (mc > hottest)
			hottest = mc;
	}
	return hottest;
}

static void loop_period(struct loop *loop)
{
	const struct nst_policy_config *c = &loop->config;
	const struct nst_policy_inputs in = {
		.frame_seq = loop->seq,
		.t_us = loop->seq * c->frame_period_us,
		.model = &loop->plant,
		.ambient_mc = AMBIENT_MC,
		.margin_mc = loop->margin_mc,
		.sensor_ok = true,
		.capture_pending = loop->capture_pending,
	};
	u32 delay = c->act_delay_frames, i;
	bool near;

	for (i = NST_ACT_DELAY_MAX; i; i--)
		loop->late[i] = loop->late[i - 1];
	loop->ops->decide(c, &loop->state, &in, &loop->late[0]);
	/* Before the first decision takes effect the stack is gated. */
	loop->out = loop->late[delay];
	if (loop->out.placement == NST_NEAR && loop->guard_every &&
	    !(loop->seq % loop->guard_every))
		loop->out = (struct nst_policy_outputs){
			.gate = NST_GATE_STANDBY, .placement = NST_PAUSED,
		};
	if (loop->seq < delay)
		loop->out = (struct nst_policy_outputs){
			.gate = NST_GATE_STANDBY, .placement = NST_PAUSED,
		};
	near = loop->out.placement == NST_NEAR;
	loop->frames++;
	if (loop->seq && near && loop->exposure_mc <= c->vision_max_mc)
		loop->delivered++;
	if (loop->seq && near && loop->exposure_mc > c->vision_max_mc)
		loop->violations++;
	if (loop->busy_first && near) {
		loop->out.run_from_us = 0;
		loop->out.run_us = c->gate_exit_us + c->vpu_busy_us;
	}
	loop->exposure_mc = fine_period_mc(&loop->plant, c, &loop->out,
					   &loop->peak_mc);
	loop->seq++;
}

static void loop_run(struct loop *loop, u32 periods)
{
	while (periods--)
		loop_period(loop);
}

/* From where the package ends up about, and then settled and counted. */
static s32 loop_delivered_permyriad(struct loop *loop, s32 package_mc)
{
	nst_plant_set_state(&loop->plant, package_mc, package_mc);
	loop_run(loop, 4000);
	loop->frames = 0;
	loop->delivered = 0;
	loop->violations = 0;
	loop->peak_mc = NST_TEMP_MIN_MC;
	loop_run(loop, 2000);
	return (s32)nst_div_u64((u64)loop->delivered * NST_PERMYRIAD,
				loop->frames);
}

/* -------------------------------------------------------------- windows */

static u32 next_random(u32 *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void windows_are_what_fine_steps_say(struct kunit *test)
{
	struct nst_window_map *map = kunit_kzalloc(test, sizeof(*map),
						   GFP_KERNEL);
	struct loop *loop = loop_new(test, 70000, 4000, 0, 8000);
	struct nst_policy_config *c = &loop->config;
	u32 random = 7, i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, map);
	for (i = 0; i < 60; i++) {
		struct nst_policy_outputs out = { .gate = NST_GATE_RUN };
		s32 package_mc = 20000 + (s32)(next_random(&random) % 60000);
		s32 over_mc = (s32)(next_random(&random) % 25000);
		s32 peak_mc = NST_TEMP_MIN_MC, got_mc, want_mc, step_mc;
		struct nst_window w;
		struct nst_plant fine;

		c->exposure_us = 333 * (1 + next_random(&random) % 60);
		c->readout_us = 333 * (next_random(&random) % 40);
		c->vpu_busy_us = 333 * (15 + next_random(&random) % 50);
		out.run_us = c->vpu_busy_us;
		out.run_from_us = 333 * (next_random(&random) % 35);
		w = (struct nst_window){
			.period_us = c->frame_period_us,
			.from_us = out.run_from_us,
			.heat_us = out.run_us,
			.idle_mw = c->gated_mw,
			.heat_mw = heat_mw(c),
			.exposure_us = c->exposure_us,
			.readout_us = c->readout_us,
			.doubling_mc = c->doubling_mc,
		};
		nst_plant_set_state(&loop->plant, package_mc + over_mc,
				    package_mc);
		KUNIT_ASSERT_EQ(test, nst_window_map_init(map, &w,
				&loop->plant,
				nst_window_rest_mc(&w, &loop->plant)), 0);
		fine = loop->plant;
		want_mc = fine_period_mc(&fine, c, &out, &peak_mc);
		got_mc = nst_window_map_mc(map, loop->plant.mode,
					   loop->plant.z_q32, AMBIENT_MC);
		/* A chord of the map is on the hot side, as are rows between ours. */
		KUNIT_EXPECT_GE(test, got_mc, want_mc - 15);
		KUNIT_EXPECT_LE(test, got_mc, want_mc + 80);
		step_mc = nst_window_step(map, loop->plant.mode,
					  loop->plant.z_q32,
					  loop->plant.z_low, AMBIENT_MC);
		KUNIT_EXPECT_LE(test, nst_plant_die_mc(&loop->plant),
				nst_plant_die_mc(&fine) + 5);
		KUNIT_EXPECT_GE(test, nst_plant_die_mc(&loop->plant),
				nst_plant_die_mc(&fine) - 5);
		KUNIT_EXPECT_LE(test, step_mc, peak_mc + 5);
	}
}

static void bad_windows_are_refused(struct kunit *test)
{
	static const struct {
		u32 from_us, heat_us, exposure_us, readout_us;
		u32 idle_mw, heat_mw, span_mc, period_us, leak_uw;
	} bad[] = {
		{ 20000, 20000, 4000, 0, 100, 5000, 5000, 33300, 0 },
		{ 0, 10000, 0, 0, 100, 5000, 5000, 33300, 0 },
		{ 0, 10000, 30000, 4000, 100, 5000, 5000, 33300, 0 },
		{ 0, 10000, 4000, 0, 5001, 5000, 5001, 33300, 0 },
		{ 0, 10000, 4000, 0, 100, 5000, 1000001, 33300, 0 },
		{ 0, 10000, 4000, 0, 100, 50001, 50001, 33300, 0 },
		{ 0, 400, 400, 0, 100, 5000, 5000, 999, 0 },
		{ 0, 10000, 4000, 0, 100, 5000, 5000, 1000000, 0 },
		{ 0, 10000, 4000, 0, 100, 5000, 5000, 33300, 50000 },
		{ UINT32_MAX, 2, 4000, 0, 100, 5000, 5000, 33300, 0 },
	};
	struct nst_window_map *map = kunit_kzalloc(test, sizeof(*map),
						   GFP_KERNEL);
	struct loop *loop = loop_new(test, 70000, 4000, 0, 8000);
	size_t i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, map);
	map->step_mc = 4711;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct nst_window w = {
			.period_us = bad[i].period_us,
			.from_us = bad[i].from_us,
			.heat_us = bad[i].heat_us,
			.idle_mw = bad[i].idle_mw,
			.heat_mw = bad[i].heat_mw,
			.exposure_us = bad[i].exposure_us,
			.readout_us = bad[i].readout_us,
			.doubling_mc = NST_DOUBLING_DEFAULT_MC,
		};

		loop->plant.params.leak_ref_uw = bad[i].leak_uw;
		KUNIT_EXPECT_EQ(test,
				nst_window_map_init(map, &w, &loop->plant,
						    bad[i].span_mc),
				-ERANGE);
	}
	KUNIT_EXPECT_EQ(test, map->step_mc, 4711u);
}

/* --------------------------------------------------------------- policy */

/*
 * Delivered frames of tests/bench/phase_map.c for a period of 33.3 ms, and
 * the share that the best pattern of whole frames delivers.
 */
static const struct cell {
	s32 vision_mc;
	u32 exposure_us, readout_us, busy_us;
	s32 package_mc;
	s32 best, whole;	/* permyriad */
} cells[] = {
	/* a quarter of the frame for work, and room for it */
	{ 60000, 3996, 0, 8325, 59000, 4415, 3780 },
	{ 60000, 7992, 5328, 8325, 59000, 4414, 3390 },
	/* half: the plain one, and two where the window has to overlap */
	{ 75000, 3996, 5328, 16650, 72000, 6178, 5120 },
	{ 65000, 7992, 16317, 16650, 63000, 5000, 4120 },
	{ 80000, 15984, 0, 16650, 74000, 6667, 5910 },
	/* the peak meets the ceiling */
	{ 95000, 3996, 0, 8325, 61000, 4735, 7600 },
};

static void windows_deliver_what_the_map_says(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cells); i++) {
		const struct cell *cell = &cells[i];
		struct loop *loop = loop_new(test, cell->vision_mc,
					     cell->exposure_us,
					     cell->readout_us, cell->busy_us);
		s32 share = loop_delivered_permyriad(loop, cell->package_mc);

		KUNIT_EXPECT_EQ(test, loop->violations, 0u);
		KUNIT_EXPECT_LE(test, loop->peak_mc, 105005);
		KUNIT_EXPECT_EQ(test, share > cell->whole,
				cell->best > cell->whole);
		KUNIT_EXPECT_GE(test, share, cell->best * 99 / 100);
		KUNIT_EXPECT_LE(test, share, cell->best * 101 / 100);
	}
}

static void the_window_is_as_long_as_the_work(struct kunit *test)
{
	struct loop *loop = loop_new(test, 75000, 3996, 5328, 8325);
	u32 i;

	loop->config.gate_enter_us = 666;
	loop->config.gate_exit_us = 333;
	for (i = 0; i < 300; i++) {
		loop_period(loop);
		if (loop->out.placement != NST_NEAR) {
			KUNIT_EXPECT_EQ(test, loop->out.run_us, 0u);
			KUNIT_EXPECT_EQ(test, loop->out.run_from_us, 0u);
			continue;
		}
		KUNIT_EXPECT_EQ(test, loop->out.run_us, 8325u + 333u);
		KUNIT_EXPECT_LE(test, loop->out.run_from_us +
				loop->out.run_us + 666u, 33300u);
	}
	KUNIT_EXPECT_GT(test, loop->delivered, 0u);
	KUNIT_EXPECT_EQ(test, loop->violations, 0u);
}

/* Nothing to place, or no room for it: whole frames. */
static void falls_back_where_it_cannot_win(struct kunit *test)
{
	static const struct {
		u32 busy_us, enter_us, exit_us;
	} hopeless[] = {
		{ 0, 0, 0 },
		{ 33300, 0, 0 },
		{ 16650, 10000, 8000 },
		{ 1000, 0, 0 },		/* 80 W */
	};
	const struct nst_policy_ops *other =
		nst_policy_find("predictive-stop");
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(hopeless); i++) {
		struct loop *loop = loop_new(test, 70000, 3996, 0,
					     hopeless[i].busy_us);
		struct loop *same = loop_new(test, 70000, 3996, 0,
					     hopeless[i].busy_us);

		loop->config.gate_enter_us = hopeless[i].enter_us;
		loop->config.gate_exit_us = hopeless[i].exit_us;
		same->config = loop->config;
		same->ops = other;
		for (n = 0; n < 400; n++) {
			loop_period(loop);
			loop_period(same);
			KUNIT_ASSERT_EQ(test, loop->out.run_us, 0u);
			KUNIT_ASSERT_EQ(test, loop->out.gate, same->out.gate);
			KUNIT_ASSERT_EQ(test, loop->out.reason,
					same->out.reason);
		}
	}
}

static void captures_find_a_cold_frame(struct kunit *test)
{
	struct loop *loop = loop_new(test, NONE, 15984, 5328, 16650);
	u32 i, hottest = 0;

	loop->config.thr.capture_mc = 62000;
	nst_plant_set_state(&loop->plant, 59000, 59000);
	for (i = 0; i < 3000; i++) {
		/* asked for at any time: two periods on it is there */
		loop->capture_pending = i > 1000 && i % 7 < 2;
		loop_period(loop);
		if (!loop->capture_pending)
			continue;
		KUNIT_EXPECT_EQ(test, (int)loop->out.placement,
				(int)NST_PAUSED);
		KUNIT_EXPECT_EQ(test, (int)loop->out.reason,
				(int)NST_WHY_CAPTURE);
		if (i % 7 == 1 && loop->exposure_mc > (s32)hottest)
			hottest = (u32)loop->exposure_mc;
	}
	KUNIT_EXPECT_LE(test, hottest, 62000u);
	KUNIT_EXPECT_GE(test, hottest, 61000u);
}

/* The bound that leaves room for captures may be passed within a period. */
static void a_bound_set_by_hand_binds_windows(struct kunit *test)
{
	struct loop *room = loop_new(test, NONE, 15984, 5328, 16650);
	struct loop *hand = loop_new(test, NONE, 15984, 5328, 16650);

	room->config.thr.capture_mc = 62000;
	room->config.die_max_mc = 65000;
	hand->config = room->config;
	hand->config.die_max_firm = true;
	nst_plant_set_state(&room->plant, 50000, 50000);
	nst_plant_set_state(&hand->plant, 50000, 50000);
	loop_run(room, 3000);
	loop_run(hand, 3000);
	KUNIT_EXPECT_GT(test, room->peak_mc, 66000);
	KUNIT_EXPECT_LE(test, hand->peak_mc, 65000);
	KUNIT_EXPECT_GT(test, hand->peak_mc, 64000);

	/* It may be set while the other is in force. */
	room->config.die_max_firm = true;
	loop_run(room, 3000);
	room->peak_mc = 0;
	loop_run(room, 3000);
	KUNIT_EXPECT_LE(test, room->peak_mc, 65000);
	KUNIT_EXPECT_GT(test, room->peak_mc, 64000);
}

/* Whole frames, and the VPU done with its work in half of each. */
static void a_bound_set_by_hand_binds_bursts(struct kunit *test)
{
	static const char *const policies[] = {
		"predictive", "predictive-stop",
	};
	struct loop *loop = loop_new(test, NONE, 15984, 5328, 16650);
	size_t p;

	for (p = 0; p < ARRAY_SIZE(policies); p++) {
		s32 peak_mc[2];
		u32 firm;

		for (firm = 0; firm < 2; firm++) {
			loop_init(test, loop, NONE, 15984, 5328, 16650);
			loop->ops = nst_policy_find(policies[p]);
			loop->config.die_max_mc = 65000;
			loop->config.die_max_firm = firm;
			nst_policy_reset(&loop->state);
			nst_plant_set_state(&loop->plant, 50000, 50000);
			loop->busy_first = true;
			loop->peak_mc = 0;
			loop_run(loop, 3000);
			peak_mc[firm] = loop->peak_mc;
		}
		KUNIT_EXPECT_GT(test, peak_mc[0], 66000);
		KUNIT_EXPECT_LE(test, peak_mc[1], 65000);
		KUNIT_EXPECT_GT(test, peak_mc[1], 64000);
	}
}

static void late_decisions_waste_nothing(struct kunit *test)
{
	struct loop *loop = loop_new(test, 75000, 7992, 5328, 16650);
	s32 share;

	loop->config.act_delay_frames = 2;
	share = loop_delivered_permyriad(loop, 70000);
	KUNIT_EXPECT_EQ(test, loop->violations, 0u);
	KUNIT_EXPECT_GE(test, share, 5700);
}

/* A window that was not run makes no frame exposed before it any colder. */
static void a_closed_gate_cools_no_frame(struct kunit *test)
{
	struct loop *loop = loop_new(test, 75000, 15984, 8325, 8325);

	loop->guard_every = 7;
	loop_delivered_permyriad(loop, 60000);
	KUNIT_EXPECT_EQ(test, loop->violations, 0u);
	KUNIT_EXPECT_GT(test, loop->delivered, 500u);
}

static void a_margin_comes_off_the_limit(struct kunit *test)
{
	struct loop *loop = loop_new(test, 75000, 3996, 0, 16650);
	struct loop *strict = loop_new(test, 74000, 3996, 0, 16650);
	s32 share, strict_share;

	loop->margin_mc = 1000;
	share = loop_delivered_permyriad(loop, 70000);
	strict_share = loop_delivered_permyriad(strict, 70000);
	KUNIT_EXPECT_LE(test, share, strict_share + 10);
	KUNIT_EXPECT_GE(test, share, strict_share - 10);
}

static void no_sensor_gates(struct kunit *test)
{
	struct loop *loop = loop_new(test, 75000, 3996, 0, 16650);
	struct nst_policy_inputs in = {
		.model = &loop->plant,
		.ambient_mc = AMBIENT_MC,
	};

	loop_run(loop, 10);
	KUNIT_EXPECT_EQ(test, (int)loop->out.placement, (int)NST_NEAR);
	loop->ops->decide(&loop->config, &loop->state, &in, &loop->out);
	KUNIT_EXPECT_EQ(test, (int)loop->out.placement, (int)NST_PAUSED);
	KUNIT_EXPECT_EQ(test, (int)loop->out.reason, (int)NST_WHY_NO_SENSOR);
	KUNIT_EXPECT_EQ(test, loop->out.run_us, 0u);
}

/*
 * A frame that nobody followed is never judged by one before it: behind
 * windows, or blind, whole frames begin with a frame that is left out.
 */
static void whole_frames_forget_older_exposures(struct kunit *test)
{
	struct loop *loop = loop_new(test, 75000, 3996, 0, 0);
	struct nst_policy_inputs blind = {
		.model = &loop->plant,
		.ambient_mc = AMBIENT_MC,
	};

	loop_run(loop, 10);
	KUNIT_EXPECT_EQ(test, (int)loop->out.placement, (int)NST_NEAR);
	loop->config.vpu_busy_us = 16650;
	loop_run(loop, 10);
	KUNIT_EXPECT_EQ(test, (int)loop->out.placement, (int)NST_NEAR);
	KUNIT_EXPECT_GT(test, loop->out.run_us, 0u);
	loop->config.vpu_busy_us = 0;
	loop_period(loop);
	KUNIT_EXPECT_EQ(test, (int)loop->out.placement, (int)NST_PAUSED);
	KUNIT_EXPECT_EQ(test, (int)loop->out.reason, (int)NST_WHY_TOO_HOT);
	loop_period(loop);
	KUNIT_EXPECT_EQ(test, (int)loop->out.placement, (int)NST_NEAR);

	loop->ops->decide(&loop->config, &loop->state, &blind, &loop->out);
	loop_period(loop);
	KUNIT_EXPECT_EQ(test, (int)loop->out.placement, (int)NST_PAUSED);
	KUNIT_EXPECT_EQ(test, (int)loop->out.reason, (int)NST_WHY_TOO_HOT);
}

static void a_new_exposure_moves_the_window(struct kunit *test)
{
	struct loop *loop = loop_new(test, 75000, 3996, 0, 8325);
	u32 before_us;

	loop_run(loop, 10);
	before_us = loop->out.run_from_us;
	loop->config.exposure_us = 15984;
	loop_run(loop, 10);
	KUNIT_EXPECT_EQ(test, (int)loop->out.placement, (int)NST_NEAR);
	KUNIT_EXPECT_GT(test, loop->out.run_from_us, before_us);
}

static struct kunit_case phase_cases[] = {
	KUNIT_CASE(windows_are_what_fine_steps_say),
	KUNIT_CASE(bad_windows_are_refused),
	KUNIT_CASE(windows_deliver_what_the_map_says),
	KUNIT_CASE(the_window_is_as_long_as_the_work),
	KUNIT_CASE(falls_back_where_it_cannot_win),
	KUNIT_CASE(captures_find_a_cold_frame),
	KUNIT_CASE(a_bound_set_by_hand_binds_windows),
	KUNIT_CASE(a_bound_set_by_hand_binds_bursts),
	KUNIT_CASE(late_decisions_waste_nothing),
	KUNIT_CASE(a_closed_gate_cools_no_frame),
	KUNIT_CASE(a_margin_comes_off_the_limit),
	KUNIT_CASE(no_sensor_gates),
	KUNIT_CASE(whole_frames_forget_older_exposures),
	KUNIT_CASE(a_new_exposure_moves_the_window),
	{}
};

static struct kunit_suite phase_suite = {
	.name = "phase",
	.test_cases = phase_cases,
};

kunit_test_suite(phase_suite);

MODULE_DESCRIPTION("KUnit suite of the VPU's window");
MODULE_LICENSE("Dual MIT/GPL");
