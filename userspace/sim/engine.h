/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * engine.h - state of a simulated run; between engine.c and sim.c
 */
#ifndef NST_ENGINE_H
#define NST_ENGINE_H

#include "captures.h"
#include "exposure.h"
#include "follow.h"
#include "limits.h"
#include "observer.h"
#include "sim.h"
#include "situation.h"
#include "subframe.h"
#include "window.h"

#define NST_ENGINE_STEP_1C_MC 1000
#define NST_ENGINE_NOISE_1C_MC 500

struct nst_told;

struct sums {
	u64 placed_us[NST_PLACEMENT_COUNT];
	u64 switch_nj;
	u64 switches;
	u64 frames;
	u64 delivered;
	u64 dropped;
	u64 withheld;
	u64 withheld_avoidable;
	u64 impossible;
	u64 violations;
	u64 avoidable;
	u64 capture_violations;
	u64 guarded;
	s32 max_temp_mc;
};

/* The frame exposed last; it is processed in the coming period. */
struct exposed {
	bool there;
	bool avoidable;
	bool impossible;
	s32 true_mc;
	s32 seen_mc;		/* with the margin of the governor */
	s32 limit_mc;		/* of the task */
	s32 seen_limit_mc;	/* less the accuracy of the sensor */
	struct nst_rec_frame rec;
};

struct run {
	const struct nst_sim_options *opt;
	const struct nst_profile_sensor *sensor;
	const struct nst_policy_ops *ops;
	struct nst_situation sit;
	bool impossible;	/* no temperature gives what vision asks */
	struct nst_exposure_map map;
	bool mapped;
	struct nst_subframe sub;
	bool split;
	struct nst_window_map window;
	bool windowed;		/* there is one, and it is set up */
	u32 window_from_us;	/* asked for by the policy */
	u32 window_run_us;
	bool whole_before;	/* the period before ran from end to end */
	u32 power_before_mw;	/* at its end */
	struct nst_band ceiling;
	s32 guard_from_mc;
	struct nst_policy_state state;
	struct nst_plant plant;
	struct nst_observer obs;
	bool observed;
	/* what the governor goes by, &sit.policy unless it is observed */
	const struct nst_policy_config *told;
	struct nst_told *tell;
	bool out_of_reach;
	struct nst_plant reach;
	struct nst_rng noise;
	struct nst_captures captures;
	struct exposed last;
	struct sums sums;
	s32 ambient_mc;
	s32 start_mc;		/* die at the start of the period */
	s32 die_mc;		/* and now */
	u32 lux_milli;
	u8 placement;
	u8 gate;
	u64 t_us;
	u64 seq;
	struct nst_rec_writer *record;
	int error;
};

/** nst_engine_frame() - one period */
void nst_engine_frame(struct run *run);

/** nst_engine_until() - periods that begin before @until_us */
void nst_engine_until(struct run *run, u64 until_us);

#endif /* NST_ENGINE_H */
