/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * window.h - periods in which the VPU works for a part of the time
 *
 *	 idle        heat           idle
 *	|-----|================|-----------|
 *	0   from_us         + heat_us   period_us
 *
 * What such a period does to the die, and how hot the frame is that exposes
 * in it. The power of a period is piecewise constant and the same in every
 * period, so on top of the package the exposure is a function of one number,
 * how far the fast mode is from rest when the period begins. The map keeps
 * that function at some points, each worked out when it is first needed.
 */
#ifndef NST_WINDOW_H
#define NST_WINDOW_H

#include "exposure.h"

#define NST_WINDOW_ENTRIES 49

/**
 * struct nst_window - one kind of period
 * @heat_us: 0 for a period without; from_us is then 0, too
 * @readout_us: from the first row to the last, 0 for a global shutter
 */
struct nst_window {
	u32 period_us;
	u32 from_us;
	u32 heat_us;
	u32 idle_mw;
	u32 heat_mw;
	u32 exposure_us;
	u32 readout_us;
	u32 doubling_mc;
};

struct nst_window_entry {
	s32 over_mc;		/* exposure over the slow mode and rest */
	u32 age_us;		/* when the slow mode counts, and 1; 0: empty */
};

/* Private to policies/core but for @w. */
struct nst_window_map {
	struct nst_window w;
	struct nst_plant_mode fast;
	u32 step_mc;
	u64 inv_step_q64;
	u64 slow_q64;			/* slow mode: lost per microsecond */
	u32 len_us[3];
	u64 lose_q64[3][2];
	struct nst_window_entry entry[NST_WINDOW_ENTRIES];
};

/**
 * nst_window_map_init() - an empty map of one kind of period
 * @span_mc: the map is for periods that begin with a fast mode of up to so
 *	much above rest; beyond, nothing is kept, and the answer takes longer
 * Return: 0, or -ERANGE with @map untouched: a value out of range, a window
 * or an exposure that does not fit into the period, a period longer than 1/64
 * of the package's constant, or a stack that leaks, which is not linear.
 */
int nst_window_map_init(struct nst_window_map *map, const struct nst_window *w,
			const struct nst_plant *plant, u32 span_mc);

/**
 * nst_window_rest_mc() - fast mode over rest when the same period comes again
 * and again, at the boundary; the most that it can be there
 */
u32 nst_window_rest_mc(const struct nst_window *w,
		       const struct nst_plant *plant);

/**
 * nst_window_map_mc() - hottest row of the frame that exposes in the period
 * @z_q32: both modes when it begins
 * Within 15 mC of nst_exposure_frame_mc() where there is no window.
 */
s32 nst_window_map_mc(struct nst_window_map *map,
		      const struct nst_plant_mode mode[2], const s64 z_q32[2],
		      s32 ambient_mc);

/**
 * nst_window_step() - the period passes
 * @z_low: the next 64 bits of @z_q32
 * Return: the die at the end of the heat or of the period, the hotter one.
 */
s32 nst_window_step(const struct nst_window_map *map,
		    const struct nst_plant_mode mode[2], s64 z_q32[2],
		    u64 z_low[2], s32 ambient_mc);

#endif /* NST_WINDOW_H */
