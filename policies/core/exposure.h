/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * exposure.h - exposure temperature of rows and frames
 *
 * Dark charge doubles every T_d, so a row that warms or cools while it
 * collects light is as noisy as one at
 *
 *	T_d * log2( mean over the exposure of 2^(T/T_d) )
 *
 * The exposure temperature of a frame is that of its hottest row. With a
 * rolling shutter row r of N starts readout_us * r / N after the frame.
 */
#ifndef NST_EXPOSURE_H
#define NST_EXPOSURE_H

#include "plant.h"

#define NST_DOUBLING_DEFAULT_MC 7000

/**
 * nst_exp2_q32() - 2^(x/2^16) in Q32; @x_q16 <= 0 gives a value in (0, 1]
 *
 * Positive arguments up to 31 are allowed. Relative error below 1e-7.
 */
u64 nst_exp2_q32(s32 x_q16);

/** nst_log2_q16() - log2(v/2^32) in Q16; @v_q32 must not be 0 */
s32 nst_log2_q16(u64 v_q32);

/*
 * Ranges of the functions below: @doubling_mc NST_DOUBLING_MIN_MC to _MAX_MC,
 * the start of the window and its length at most NST_FRAME_PERIOD_MAX_US,
 * power and ambient as for nst_plant_step(). What is out of range is taken
 * as the nearest value in range.
 */
#define NST_DOUBLING_MIN_MC 1000
#define NST_DOUBLING_MAX_MC 100000

/**
 * nst_exposure_row_mc() - exposure temperature under constant power
 * @plant: state at the time the window is counted from; not changed
 * @start_us: start of the exposure after that time
 * @exposure_us: its length, at least 1
 * @doubling_mc: T_d
 *
 * Accurate to 5 mC against a fine integration. Leakage is taken as constant
 * over the window.
 */
s32 nst_exposure_row_mc(const struct nst_plant *plant, u32 power_mw,
			s32 ambient_mc, u32 start_us, u32 exposure_us,
			u32 doubling_mc);

/**
 * nst_exposure_frame_mc() - hottest row of a frame under constant power
 *
 * The die moves monotonically towards its target while the power is
 * constant, so the hottest row is the first or the last one. The exception
 * is a die that warms while its package cools: then rows between are tried
 * as well.
 */
s32 nst_exposure_frame_mc(const struct nst_plant *plant, u32 power_mw,
			  s32 ambient_mc, u32 exposure_us, u32 readout_us,
			  u32 doubling_mc);

/**
 * struct nst_exposure_map - the same for one camera setting, by table
 *
 * Within a frame only the fast mode bends. Its deviation from the target at
 * the start of the frame decides how far the exposure temperature is from
 * the slow part, and when, on average, the dark charge is collected: the
 * slow part is taken at that time. The map tabulates both, for loops over
 * millions of frames. Accurate to 10 mC.
 */
#define NST_EXPOSURE_MAP_SPAN_MC 64000
#define NST_EXPOSURE_MAP_STEP_MC 500
#define NST_EXPOSURE_MAP_LEN \
	(2 * NST_EXPOSURE_MAP_SPAN_MC / NST_EXPOSURE_MAP_STEP_MC + 1)

struct nst_exposure_map_entry {
	s32 fast_mc;		/* share of the fast mode */
	u32 slow_us;		/* when the slow mode counts */
};

struct nst_exposure_map {
	u32 exposure_us;
	u32 readout_us;
	u32 doubling_mc;
	u64 slow_q64;		/* slow mode: part lost per microsecond */
	struct nst_exposure_map_entry first[NST_EXPOSURE_MAP_LEN];
	struct nst_exposure_map_entry last[NST_EXPOSURE_MAP_LEN];
};

/**
 * nst_exposure_map_entry() - one row of a table, for tables of one's own
 * @mode: the fast mode
 * @dev_mc: its deviation from the target at the start of the frame
 * @start_us: start of the row, @exposure_us: its length, at least 1
 */
struct nst_exposure_map_entry
nst_exposure_map_entry(const struct nst_plant_mode *mode, s32 dev_mc,
		       u32 start_us, u32 exposure_us, u32 doubling_mc);

/**
 * nst_exposure_map_init() - tabulate one camera setting of one stack
 * Return: 0, or -ERANGE with @map untouched: a parameter out of range, or a
 * window (exposure and readout) longer than 1/64 of the package's constant,
 * over which the slow mode bends too.
 */
int nst_exposure_map_init(struct nst_exposure_map *map,
			  const struct nst_plant_params *params,
			  u32 exposure_us, u32 readout_us, u32 doubling_mc);

/** nst_exposure_map_mc() - as nst_exposure_frame_mc(), from the table */
s32 nst_exposure_map_mc(const struct nst_exposure_map *map,
			const struct nst_plant *plant, u32 power_mw,
			s32 ambient_mc);

#endif /* NST_EXPOSURE_H */
