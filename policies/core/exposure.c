// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * exposure.c - mean dark rate over an exposure, as a temperature
 *
 * The integral of 2^(T(t)/T_d) is taken with three Gauss points on panels
 * whose length grows with the time since the power changed: both modes decay
 * exponentially, so what bends the curve is gone after a few constants and a
 * panel of half the age of the transient is always fine enough. A 64 ms
 * exposure takes nine panels at the jumps of a gate.
 */
#include "exposure.h"

/* Rows tried when the hottest one may lie between the first and the last. */
#define ROWS_TRIED 8

/*
 * A fast mode closer to its target than this does not bend anything; without
 * the bound every frame of a long cool-down would be searched.
 */
#define BEND_MIN_Q32 ((s64)4 << 32)

/* The path of the die under constant power. */
struct path {
	const struct nst_plant_mode *mode;
	s64 target_q32;		/* of both modes together */
	s64 dev_q32[2];		/* z - target at time 0 */
};

/* Sums over a window, for the mean rate and the mean time. */
struct window {
	u64 weight;		/* sum of length * 18, us */
	u64 rate;		/* sum of length * 18 * rate, Q32 us */
	u64 rate_age;		/* the same times the age, Q8 us^2 */
	s32 ref_mc;		/* temperature of rate 1 */
};

static u32 clamp_u32(u32 v, u32 lo, u32 hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

static void path_set(struct path *path, const struct nst_plant *plant,
		     u32 power_mw, s32 ambient_mc)
{
	u32 leak_uw = 0;
	int i;

	if (plant->params.leak_ref_uw)
		leak_uw = nst_plant_leak_uw(&plant->params,
					    nst_plant_die_mc(plant));
	power_mw = clamp_u32(power_mw, 0, NST_POWER_MAX_MW);
	if (ambient_mc < NST_TEMP_MIN_MC)
		ambient_mc = NST_TEMP_MIN_MC;
	if (ambient_mc > NST_TEMP_MAX_MC)
		ambient_mc = NST_TEMP_MAX_MC;

	path->mode = plant->mode;
	path->target_q32 = 0;
	for (i = 0; i < 2; i++) {
		s64 target = nst_plant_target_q32(&plant->mode[i], power_mw,
						  ambient_mc);

		if (leak_uw)
			target += nst_plant_leak_target_q32(&plant->mode[i],
							    leak_uw);
		path->target_q32 += target;
		path->dev_q32[i] = plant->z_q32[i] - target;
	}
}

static s64 path_mode_q32(const struct path *path, int i, u32 t_us)
{
	return nst_mul_q64(path->dev_q32[i],
			   nst_keep_q64(&path->mode[i].rate, t_us));
}

static s64 path_at_q32(const struct path *path, u32 t_us)
{
	return path->target_q32 + path_mode_q32(path, 0, t_us) +
	       path_mode_q32(path, 1, t_us);
}

/* A temperature that the die does not exceed in the window. */
static s64 path_bound_q32(const struct path *path, u32 start_us, u32 end_us)
{
	s64 bound = path->target_q32;
	int i;

	for (i = 0; i < 2; i++) {
		u32 t_us = path->dev_q32[i] > 0 ? start_us : end_us;

		bound += path_mode_q32(path, i, t_us);
	}
	return bound;
}

/* A die that warms while its package cools peaks somewhere on the way. */
static bool path_peaks(const struct path *path)
{
	return path->dev_q32[0] < -BEND_MIN_Q32 && path->dev_q32[1] > 0;
}

/* Dark rate at a temperature below the reference, which has rate 1. */
static u64 rate_q32(s64 under_q32, u32 doubling_mc, u32 inv_doubling_q32)
{
	if (under_q32 >> 32 < -40 * (s64)doubling_mc)
		return 0;
	/* Q16 mC times Q32 octaves per mC, to Q16 octaves */
	return nst_exp2_q32((s32)(((under_q32 >> 16) *
				   (s64)inv_doubling_q32) >> 32));
}

/*
 * Shortest panel: half a constant of the fast mode while that moves the rate
 * by a few octaves, in proportion less when it is a long way from its target.
 */
static u32 panel_us(const struct path *path, u32 doubling_mc)
{
	s64 dev_q32 = path->dev_q32[0];
	u64 dev_mc = (u64)(dev_q32 < 0 ? -dev_q32 : dev_q32) >> 32;
	u64 parts = 1 + nst_div_u64(dev_mc, 3 * (u64)doubling_mc);

	return (u32)nst_div_u64(path->mode[0].tau_ns, 2000 * parts) + 1;
}

static void window_sum(struct window *win, const struct path *path,
		       u32 start_us, u32 exposure_us, u32 doubling_mc)
{
	static const struct {
		u32 at_q32;		/* abscissa on 0..1 */
		u32 weight;		/* of 18 */
	} gauss[3] = {
		{ 0x1cda042fu, 5 }, { 0x80000000u, 8 }, { 0xe325fbd1u, 5 },
	};
	u32 inv_q32 = 0xffffffffu / doubling_mc;
	u32 grain_us = panel_us(path, doubling_mc);
	u32 end_us = start_us + exposure_us;
	s64 ref_q32 = path_bound_q32(path, start_us, end_us);
	u32 at = start_us;

	/* A whole number of mC at or above the bound. */
	win->ref_mc = (s32)(ref_q32 >> 32) + 1;
	win->weight = 18 * (u64)exposure_us;
	win->rate = 0;
	win->rate_age = 0;
	while (at < end_us) {
		u32 len = at / 2 > grain_us ? at / 2 : grain_us;
		int i;

		if (len > end_us - at)
			len = end_us - at;
		for (i = 0; i < 3; i++) {
			u32 t_us = at + (u32)(((u64)len * gauss[i].at_q32 +
					       (1u << 31)) >> 32);
			s64 under = path_at_q32(path, t_us) -
				    win->ref_mc * NST_ONE_Q32;
			u64 part = rate_q32(under, doubling_mc, inv_q32) *
				   gauss[i].weight * len;

			win->rate += part;
			win->rate_age += (part >> 24) * t_us;
		}
		at += len;
	}
}

static s32 window_mc(const struct window *win, u32 doubling_mc)
{
	u64 mean_q32 = nst_div_u64(win->rate, win->weight);

	if (!mean_q32)
		mean_q32 = 1;
	return win->ref_mc +
	       (s32)(((s64)nst_log2_q16(mean_q32) * doubling_mc +
		      (1 << 15)) >> 16);
}

static s32 row_mc(const struct path *path, u32 start_us, u32 exposure_us,
		  u32 doubling_mc)
{
	struct window win;

	window_sum(&win, path, start_us, exposure_us, doubling_mc);
	return window_mc(&win, doubling_mc);
}

s32 nst_exposure_row_mc(const struct nst_plant *plant, u32 power_mw,
			s32 ambient_mc, u32 start_us, u32 exposure_us,
			u32 doubling_mc)
{
	struct path path;

	path_set(&path, plant, power_mw, ambient_mc);
	return row_mc(&path, clamp_u32(start_us, 0, NST_FRAME_PERIOD_MAX_US),
		      clamp_u32(exposure_us, 1, NST_FRAME_PERIOD_MAX_US),
		      clamp_u32(doubling_mc, NST_DOUBLING_MIN_MC,
				NST_DOUBLING_MAX_MC));
}

s32 nst_exposure_frame_mc(const struct nst_plant *plant, u32 power_mw,
			  s32 ambient_mc, u32 exposure_us, u32 readout_us,
			  u32 doubling_mc)
{
	struct path path;
	s32 hottest, last;
	u32 i;

	exposure_us = clamp_u32(exposure_us, 1, NST_FRAME_PERIOD_MAX_US);
	readout_us = clamp_u32(readout_us, 0, NST_FRAME_PERIOD_MAX_US);
	doubling_mc = clamp_u32(doubling_mc, NST_DOUBLING_MIN_MC,
				NST_DOUBLING_MAX_MC);
	path_set(&path, plant, power_mw, ambient_mc);
	hottest = row_mc(&path, 0, exposure_us, doubling_mc);
	if (!readout_us)
		return hottest;
	last = row_mc(&path, readout_us, exposure_us, doubling_mc);
	if (last > hottest)
		hottest = last;
	if (path_peaks(&path)) {
		for (i = 1; i < ROWS_TRIED; i++) {
			s32 mid = row_mc(&path, readout_us * i / ROWS_TRIED,
					 exposure_us, doubling_mc);

			if (mid > hottest)
				hottest = mid;
		}
	}
	return hottest;
}

struct nst_exposure_map_entry
nst_exposure_map_entry(const struct nst_plant_mode *mode, s32 dev_mc,
		       u32 start_us, u32 exposure_us, u32 doubling_mc)
{
	struct path path = {
		.mode = mode,
		.dev_q32 = { dev_mc * NST_ONE_Q32, 0 },
	};
	struct nst_exposure_map_entry entry;
	struct window win;

	window_sum(&win, &path, start_us, exposure_us, doubling_mc);
	entry.fast_mc = window_mc(&win, doubling_mc);
	entry.slow_us = win.rate >> 24 ?
		(u32)nst_div_u64(win.rate_age, win.rate >> 24) :
		start_us + exposure_us / 2;
	return entry;
}

int nst_exposure_map_init(struct nst_exposure_map *map,
			  const struct nst_plant_params *params,
			  u32 exposure_us, u32 readout_us, u32 doubling_mc)
{
	struct nst_plant plant;
	int i, err;

	err = nst_plant_init(&plant, params, 0);
	if (err)
		return err;
	if (!exposure_us || exposure_us > NST_FRAME_PERIOD_MAX_US ||
	    readout_us > NST_FRAME_PERIOD_MAX_US ||
	    doubling_mc < NST_DOUBLING_MIN_MC ||
	    doubling_mc > NST_DOUBLING_MAX_MC)
		return -ERANGE;
	if (((u64)exposure_us + readout_us) * 64000 > plant.mode[1].tau_ns)
		return -ERANGE;

	map->exposure_us = exposure_us;
	map->readout_us = readout_us;
	map->doubling_mc = doubling_mc;
	map->slow_q64 = nst_lose_q64(&plant.mode[1].rate, 1);
	for (i = 0; i < NST_EXPOSURE_MAP_LEN; i++) {
		s32 dev_mc = i * NST_EXPOSURE_MAP_STEP_MC -
			     NST_EXPOSURE_MAP_SPAN_MC;

		map->first[i] = nst_exposure_map_entry(plant.mode, dev_mc, 0,
						       exposure_us,
						       doubling_mc);
		map->last[i] = nst_exposure_map_entry(plant.mode, dev_mc,
						      readout_us, exposure_us,
						      doubling_mc);
	}
	return 0;
}

/*
 * Fast share plus what the slow mode has lost when it counts. Over 1/64 of
 * its constant the slow mode is straight to 1e-4 of its deviation.
 */
static s64 map_row_q32(const struct nst_exposure_map_entry *entry,
		       u32 between_q32, s64 slow_dev_q32, u64 slow_q64)
{
	s64 fast_q32 = entry[0].fast_mc * NST_ONE_Q32 +
		       (s64)(entry[1].fast_mc - entry[0].fast_mc) *
		       between_q32;
	s64 us_q32 = ((s64)entry[0].slow_us << 32) +
		     ((s64)entry[1].slow_us - (s64)entry[0].slow_us) *
		     between_q32;

	return fast_q32 -
	       nst_mul_q64(slow_dev_q32, (u64)(us_q32 >> 32) * slow_q64);
}

s32 nst_exposure_map_mc(const struct nst_exposure_map *map,
			const struct nst_plant *plant, u32 power_mw,
			s32 ambient_mc)
{
	struct path path;
	s64 hottest = -((s64)1 << 62);
	s64 at_q32;
	u64 steps_q32;
	u32 index;

	path_set(&path, plant, power_mw, ambient_mc);
	at_q32 = path.dev_q32[0] +
		 NST_EXPOSURE_MAP_SPAN_MC * NST_ONE_Q32;
	if (at_q32 < 0 ||
	    at_q32 >= 2 * NST_EXPOSURE_MAP_SPAN_MC * NST_ONE_Q32 ||
	    (map->readout_us && path_peaks(&path)))
		return nst_exposure_frame_mc(plant, power_mw, ambient_mc,
					     map->exposure_us,
					     map->readout_us,
					     map->doubling_mc);

	/* 1/500 in Q64, rounded up */
	steps_q32 = nst_mulhi_u64((u64)at_q32, 0x0083126e978d4fe0ull);
	index = (u32)(steps_q32 >> 32);
	/*
	 * Both modes falling: the first row. Both rising: the last. A fast
	 * mode that rises in a falling slow one was dealt with above.
	 */
	if (path.dev_q32[1] >= 0 || path.dev_q32[0] >= 0)
		hottest = map_row_q32(&map->first[index], (u32)steps_q32,
				      path.dev_q32[1], map->slow_q64);
	if (path.dev_q32[1] < 0) {
		s64 last = map_row_q32(&map->last[index], (u32)steps_q32,
				       path.dev_q32[1], map->slow_q64);

		if (last > hottest)
			hottest = last;
	}
	return nst_round_q32(path.target_q32 + path.dev_q32[1] + hottest);
}
