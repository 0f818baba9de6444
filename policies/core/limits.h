/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * limits.h - from the demands of tasks to the thresholds of the stack
 *
 *	T_high = min(T_vision, T_imaging + T_jump * (1 - e^(-t_lat/tau_j)),
 *		     T_max)
 *	T_low  = T_high - gap,  gap = T_jump + 4 K unless set
 *
 * (Sensors 2021 21(3) 926, section 4; the sign of the exponential as in
 * erratum C1.) The accuracy of the sensor comes off every limit.
 */
#ifndef NST_LIMITS_H
#define NST_LIMITS_H

#include "plant.h"

#define NST_GAP_EXTRA_MC 4000

/**
 * struct nst_demand - what limits the die, NST_TEMP_NONE_MC where nothing
 * @vision_max_mc: continuous: binds every delivered frame
 * @imaging_max_mc: on demand: binds captures only
 * @ceiling_mc: the part's own maximum
 * @accuracy_mc: error of the sensor, taken off every limit
 * @latency_us: from the request of a capture to the start of its exposure
 * @near_mw: power of the stack while the VPU runs
 * @capture_mw: power of the stack while it is gated
 * @gap_mc: T_high - T_low, 0 for the default
 */
struct nst_demand {
	s32 vision_max_mc;
	s32 imaging_max_mc;
	s32 ceiling_mc;
	s32 accuracy_mc;
	u32 latency_us;
	u32 near_mw;
	u32 capture_mw;
	u32 gap_mc;
};

/**
 * struct nst_thresholds - low < high <= max
 * @capture_mc: limit of an on-demand exposure, NST_TEMP_NONE_MC for none
 */
struct nst_thresholds {
	s32 high_mc;
	s32 low_mc;
	s32 capture_mc;
	s32 max_mc;
};

/** nst_thresholds_check() - 0, or -EINVAL when low < high <= max fails */
int nst_thresholds_check(const struct nst_thresholds *thr);

/** nst_thresholds_from_demand() - Return: 0, -ERANGE or -EINVAL */
int nst_thresholds_from_demand(struct nst_thresholds *ret,
			       const struct nst_demand *demand,
			       const struct nst_plant_params *params);

/*
 * Two thresholds and a dwell: the state machine of the kernel guard and of
 * the firmware's fail-safe.
 *
 *	open ──── temp >= high ────> gated
 *	  ^                            │
 *	  └── temp <= low, dwell over ─┘
 *
 * Gating never waits for the dwell; only releasing does.
 */
enum nst_band_state { NST_BAND_OPEN = 0, NST_BAND_GATED };

struct nst_band {
	u8 state;
	u64 since_us;
};

/**
 * nst_band_step() - one observation
 * @dwell_us: shortest time in the gated state
 * Return: the state from now on.
 */
enum nst_band_state nst_band_step(struct nst_band *band, s32 high_mc,
				  s32 low_mc, u32 dwell_us, s32 temp_mc,
				  u64 now_us);

/*
 * Frame dithering: @duty of @levels frames run, spread as evenly as integers
 * allow (error accumulation). State 0 starts a fresh pattern.
 */
struct nst_dither {
	u32 error;
};

/** nst_dither_step() - true: this frame may run; @duty 0..@levels */
bool nst_dither_step(struct nst_dither *dither, u32 duty, u32 levels);

#endif /* NST_LIMITS_H */
