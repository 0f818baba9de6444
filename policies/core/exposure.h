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

/**
 * nst_exposure_row_mc() - exposure temperature under constant power
 * @plant: state at the time the window is counted from; not changed
 * @start_us: start of the exposure after that time
 * @exposure_us: its length, at least 1
 * @doubling_mc: T_d
 *
 * Accurate to 5 mC against a fine integration.
 */
s32 nst_exposure_row_mc(const struct nst_plant *plant, u32 power_mw,
			s32 ambient_mc, u32 start_us, u32 exposure_us,
			u32 doubling_mc);

/**
 * nst_exposure_frame_mc() - hottest row of a frame under constant power
 *
 * The die moves monotonically towards its target while the power is
 * constant, so the hottest row is the first or the last one.
 */
s32 nst_exposure_frame_mc(const struct nst_plant *plant, u32 power_mw,
			  s32 ambient_mc, u32 exposure_us, u32 readout_us,
			  u32 doubling_mc);

/**
 * struct nst_exposure_map - the same for one camera setting, by table
 *
 * Within a frame only the fast mode bends; its deviation from the target at
 * the start of the frame decides how far the exposure temperature is from
 * the slow part. The map tabulates that distance, for loops over millions
 * of frames. Accurate to 10 mC.
 */
#define NST_EXPOSURE_MAP_SPAN_MC 64000
#define NST_EXPOSURE_MAP_STEP_MC 500
#define NST_EXPOSURE_MAP_LEN \
	(2 * NST_EXPOSURE_MAP_SPAN_MC / NST_EXPOSURE_MAP_STEP_MC + 1)

struct nst_exposure_map {
	u32 exposure_us;
	u32 readout_us;
	u32 doubling_mc;
	u32 slow_first_us;	/* middle of the first row's exposure */
	u32 slow_last_us;	/* middle of the last row's exposure */
	s32 first_mc[NST_EXPOSURE_MAP_LEN];
	s32 last_mc[NST_EXPOSURE_MAP_LEN];
};

int nst_exposure_map_init(struct nst_exposure_map *map,
			  const struct nst_plant_params *params,
			  u32 exposure_us, u32 readout_us, u32 doubling_mc);

/** nst_exposure_map_mc() - as nst_exposure_frame_mc(), from the table */
s32 nst_exposure_map_mc(const struct nst_exposure_map *map,
			const struct nst_plant *plant, u32 power_mw,
			s32 ambient_mc);

#endif /* NST_EXPOSURE_H */
