/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * loop.h - a policy in closed loop with a true plant, for the suites
 *
 * One call is one period n: the policy decides, frame n is exposed, frame
 * n - 1 is processed or dropped, the plant moves on. The model given to the
 * policy is the plant itself.
 *
 * Exposure temperatures are worked out where a continuous limit makes them
 * matter, or on request: they are most of the time of a run.
 */
#ifndef NST_TESTS_LOOP_H
#define NST_TESTS_LOOP_H

#include "policy.h"

#define LOOP_PERIOD_US 33333
#define LOOP_AMBIENT_MC 26400
#define LOOP_GATED_MW 100

struct loop {
	const struct nst_policy_ops *ops;
	struct nst_policy_config config;
	struct nst_policy_state state;
	struct nst_plant plant;
	s32 ambient_mc;
	s32 margin_mc;
	bool sensor_ok;
	bool capture_pending;
	bool expose;		/* work out exposure temperatures */

	/* of the last period */
	struct nst_policy_outputs out;
	s32 start_mc;
	s32 end_mc;
	s32 exposure_mc;	/* of the frame exposed in it */
	bool delivered;		/* the frame processed in it */
	s32 delivered_mc;	/* and that frame's exposure temperature */

	/* since loop_count_from_here() */
	u64 seq;
	u32 frames;
	u32 near;
	u32 dropped;
	u32 switches;
	u32 violations;
	s32 hottest_mc;
	u64 energy_nj;		/* of the whole system */
};

static inline void loop_count_from_here(struct loop *loop)
{
	loop->frames = 0;
	loop->near = 0;
	loop->dropped = 0;
	loop->switches = 0;
	loop->violations = 0;
	loop->energy_nj = 0;
	loop->hottest_mc = NST_TEMP_MIN_MC;
}

/* Return: 0 or an error of the core; the demand decides the thresholds. */
static inline int loop_init(struct loop *loop, const char *policy,
			    u32 near_mw, s32 vision_mc, s32 imaging_mc)
{
	struct nst_demand demand = {
		.vision_max_mc = vision_mc,
		.imaging_max_mc = imaging_mc,
		.ceiling_mc = 105000,
		.latency_us = LOOP_PERIOD_US,
		.near_mw = near_mw,
		.capture_mw = LOOP_GATED_MW,
	};
	/* Two kilobytes: too much for the stack of a kernel. */
	static const struct loop fresh;
	struct nst_thresholds die;
	int err;

	*loop = fresh;
	loop->ops = nst_policy_find(policy);
	if (!loop->ops)
		return -EINVAL;
	loop->config = (struct nst_policy_config){
		.params = nst_plant_reference,
		.near_mw = near_mw,
		.gated_mw = LOOP_GATED_MW,
		.far_mw = near_mw + 1400,
		.frame_period_us = LOOP_PERIOD_US,
		.exposure_us = 32000,
		.readout_us = 1000,
		.doubling_mc = NST_DOUBLING_DEFAULT_MC,
		.vision_max_mc = vision_mc,
		.stop_frames = 1,
		.dwell_frames = 1,
	};
	loop->ambient_mc = LOOP_AMBIENT_MC;
	loop->sensor_ok = true;
	loop->expose = vision_mc != NST_TEMP_NONE_MC;
	err = nst_thresholds_from_demand(&loop->config.thr, &demand,
					 &loop->config.params);
	if (err)
		return err;
	demand.vision_max_mc = NST_TEMP_NONE_MC;
	err = nst_thresholds_from_demand(&die, &demand, &loop->config.params);
	if (err)
		return err;
	loop->config.die_max_mc = die.high_mc;
	err = nst_policy_config_check(&loop->config);
	if (err)
		return err;
	nst_policy_reset(&loop->state);
	loop_count_from_here(loop);
	return nst_plant_init(&loop->plant, &loop->config.params,
			      loop->ambient_mc);
}

/* What the whole system draws in a period, as physics 12.2 counts it. */
static inline u32 loop_system_mw(const struct loop *loop, u8 placement)
{
	switch (placement) {
	case NST_NEAR:
		return loop->config.near_mw;
	case NST_FAR:
		return loop->config.far_mw;
	default:
		return loop->config.gated_mw;
	}
}

static inline void loop_period(struct loop *loop)
{
	const struct nst_policy_config *config = &loop->config;
	const struct nst_policy_inputs in = {
		.frame_seq = loop->seq,
		.t_us = loop->seq * config->frame_period_us,
		.model = &loop->plant,
		.ambient_mc = loop->ambient_mc,
		.margin_mc = loop->margin_mc,
		.sensor_ok = loop->sensor_ok,
		.capture_pending = loop->capture_pending,
	};
	s32 previous_mc = loop->exposure_mc;
	u8 placement = loop->out.placement;
	u32 power_mw;

	loop->ops->decide(config, &loop->state, &in, &loop->out);
	power_mw = loop->out.gate == NST_GATE_RUN ? config->near_mw :
						    config->gated_mw;
	loop->start_mc = nst_plant_die_mc(&loop->plant);
	if (loop->expose)
		loop->exposure_mc = nst_exposure_frame_mc(&loop->plant,
							  power_mw,
							  loop->ambient_mc,
							  config->exposure_us,
							  config->readout_us,
							  config->doubling_mc);
	nst_plant_step(&loop->plant, power_mw, loop->ambient_mc,
		       config->frame_period_us);
	loop->end_mc = nst_plant_die_mc(&loop->plant);

	loop->delivered = loop->seq && loop->out.placement != NST_PAUSED;
	loop->delivered_mc = previous_mc;
	if (loop->delivered && previous_mc > config->vision_max_mc)
		loop->violations++;
	if (loop->out.placement == NST_PAUSED)
		loop->dropped++;
	if (loop->out.placement == NST_NEAR)
		loop->near++;
	if (loop->seq && loop->out.placement != placement)
		loop->switches++;
	if (loop->start_mc > loop->hottest_mc)
		loop->hottest_mc = loop->start_mc;
	if (loop->end_mc > loop->hottest_mc)
		loop->hottest_mc = loop->end_mc;
	/* mW * us is nJ */
	loop->energy_nj += (u64)loop_system_mw(loop, loop->out.placement) *
			   config->frame_period_us;
	loop->frames++;
	loop->seq++;
}

static inline void loop_run(struct loop *loop, u32 periods)
{
	while (periods--)
		loop_period(loop);
}

/* To the steady cycle: 15 package constants, and then @periods counted. */
static inline void loop_settle_and_run(struct loop *loop, u32 periods)
{
	loop_run(loop, 9000);
	loop_count_from_here(loop);
	loop_run(loop, periods);
}

static inline s32 loop_duty_permyriad(const struct loop *loop)
{
	return (s32)nst_div_u64((u64)loop->near * NST_PERMYRIAD,
				loop->frames);
}

static inline s32 loop_mean_mw(const struct loop *loop)
{
	return (s32)nst_div_u64(loop->energy_nj,
				(u64)loop->frames *
				loop->config.frame_period_us);
}

#endif /* NST_TESTS_LOOP_H */
