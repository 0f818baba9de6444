/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * sim.h - a policy in closed loop with the model plant
 *
 * The timeline is that of the physics reference, section 5: frame n is
 * exposed in period n and processed in period n + 1, so the decision about
 * a period settles the temperature of the frame exposed in it and the fate
 * of the frame before it. All sums are integers; the same options give the
 * same result to the last digit.
 */
#ifndef NST_SIM_H
#define NST_SIM_H

#include "profile.h"
#include "rec.h"
#include "trace.h"

enum nst_sim_sensor {
	NST_SIM_EXACT = 0,	/* the policy is told the true plant */
	NST_SIM_1C,		/* whole degrees, rounded down, observer */
	NST_SIM_1C_NOISY,	/* the same with 0.5 K of noise */
};

/**
 * struct nst_sim_options - what to run
 * @profile: sensors, tasks, and the plant as it is
 * @told: the same as the governor has it, NULL for @profile; with one of its
 *	own it has to look at readings, also at exact ones
 * @tolerance: how far off it takes the figures of its profile to be, one
 *	standard deviation as a share of them; 0: they are right
 * @sensor: index into the profile
 * @policy: NULL for the one of the sensor's vision task
 * @duration_us: counted time, after the warm-up
 * @has_ambient, @ambient_mc: in place of the profile's
 * @trace: light and weather
 * @switch_cost: count hand-shake and pre-copy of a migration
 * @capture_rate_hz: mean rate of on-demand requests, 0 for none; a trace may
 *	set another one from a step on
 * @without_captures: none, whatever the trace says
 * @cold_start: begin at ambient temperature and count from there; else the
 *	run is warmed up in the first situation until it repeats itself
 * @has_start, @start_die_mc, @start_package_mc: begin there instead, and count
 *	from there
 * @without_oracle: the caller asks it itself (optimum.h)
 * @record: gets every counted frame, or NULL
 */
struct nst_sim_options {
	const struct nst_profile *profile;
	const struct nst_profile *told;
	double tolerance;
	unsigned int sensor;
	const struct nst_policy_ops *policy;
	u64 duration_us;
	bool has_ambient;
	s32 ambient_mc;
	const struct nst_trace *trace;
	bool switch_cost;
	double capture_rate_hz;
	bool without_captures;
	u64 seed;
	enum nst_sim_sensor sensor_model;
	bool cold_start;
	bool has_start;
	s32 start_die_mc;
	s32 start_package_mc;
	bool without_oracle;
	struct nst_rec_writer *record;
};

/**
 * struct nst_sim_result - what came out
 *
 * Frames: frames = delivered + dropped + withheld. Withheld frames were
 * processed or could have been, and are too hot for the continuous limit as
 * the governor sees it. Violations count frames and captures that were
 * handed out above their limit on the true plant.
 *
 * @frames_withheld_avoidable: of those withheld, frames that gating from the
 *	moment the cause became visible would have kept cool enough
 * @frames_impossible: of those withheld, frames exposed at a setting at which
 *	no temperature gives what the vision task asks
 * @energy_uj: of the whole system, hand-overs included
 * @full_far_energy_uj: of the same time with everything on the host
 * @guarded: periods that the kernel's guard gated at the ceiling
 * @oracle: there is one (power is steady within a period, the limits can be
 *	met, and there are not too many settings: optimum.h); its fields are 0
 *	else. In changing light it is the best that learns of a change when it
 *	comes, and foreseen is the best that knows the trace beforehand; in
 *	steady light both are the same.
 * @oracle_gap_permyriad: how much worse than the oracle the run was, of power
 *	where every frame is delivered, of frames delivered where they may be
 *	dropped
 * @first: thresholds, limits and timing of the first situation
 */
struct nst_sim_result {
	const struct nst_policy_ops *policy;
	u64 time_us;
	u64 energy_uj;
	u64 full_far_energy_uj;
	u64 frames;
	u64 frames_delivered;
	u64 frames_dropped;
	u64 frames_withheld;
	u64 frames_withheld_avoidable;
	u64 frames_impossible;
	u64 near_us;
	u64 switches;
	s32 max_temp_mc;
	u64 guarded;
	u64 violations;
	u64 violations_avoidable;
	u64 capture_violations;
	u64 captures;
	u64 captures_missed;
	u32 capture_latency_us_p50;
	u32 capture_latency_us_p99;
	bool oracle;
	u32 oracle_power_mw;
	u64 oracle_frames_delivered;
	u32 foreseen_power_mw;
	u64 foreseen_frames_delivered;
	s32 oracle_gap_permyriad;
	u32 situations;
	struct {
		u32 frame_period_us;
		bool stretched;
		u32 exposure_us;
		u32 iso;
		s32 ambient_mc;
		s32 vision_max_mc;
		s32 imaging_max_mc;
		struct nst_thresholds thr;
	} first;
};

/**
 * nst_sim_run() - run it
 * @err: what is wrong with the options, one line; NULL for silence
 * Return: 0; -ENOENT, -EDOM, -ERANGE, -EINVAL as nst_situation_get() has
 * them; -ENOMEM; an error of writing the recording. @ret is untouched then.
 */
int nst_sim_run(struct nst_sim_result *ret, const struct nst_sim_options *opt,
		FILE *err);

/* Derived figures; 0 where there is nothing to divide by. */
u32 nst_sim_mean_power_mw(const struct nst_sim_result *r);
u32 nst_sim_full_far_power_mw(const struct nst_sim_result *r);
u32 nst_sim_energy_per_frame_uj(const struct nst_sim_result *r);
s32 nst_sim_saving_permyriad(const struct nst_sim_result *r);
u32 nst_sim_duty_permyriad(const struct nst_sim_result *r);
double nst_sim_effective_fps(const struct nst_sim_result *r);

#endif /* NST_SIM_H */
