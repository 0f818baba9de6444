/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * subframe.h - periods in which the power is not constant
 *
 * A gate that takes time to close lets the VPU draw power into the period
 * that it was to be closed for; a VPU that needs only part of a frame draws
 * all of its energy in that part. Either way a period has two pieces.
 */
#ifndef NST_SUBFRAME_H
#define NST_SUBFRAME_H

#include "exposure.h"

struct nst_power_piece {
	u32 power_mw;
	u32 len_us;
};

#define NST_PIECES_MAX 2

/**
 * struct nst_subframe - what splits a period
 * @near_mw: mean over a near period; @gated_mw: with the VPU gated
 * @busy_us: 0 for the whole period
 * @enter_us: from the boundary until the gate is closed
 */
struct nst_subframe {
	u32 near_mw;
	u32 gated_mw;
	u32 period_us;
	u32 busy_us;
	u32 enter_us;
};

/** nst_subframe_check() - -ERANGE when the busy part draws too much */
int nst_subframe_check(const struct nst_subframe *sub);

/** nst_subframe_splits() - does any period have two pieces? */
bool nst_subframe_splits(const struct nst_subframe *sub);

/**
 * nst_subframe_pieces() - a period with the gate @now after one with @before
 * Return: how many pieces, together period_us long.
 */
unsigned int nst_subframe_pieces(const struct nst_subframe *sub, bool run_now,
				 bool run_before,
				 struct nst_power_piece ret[NST_PIECES_MAX]);

/**
 * nst_subframe_exposure_mc() - hottest row of a frame over the pieces
 * @start: plant at the start of the period, not changed
 *
 * With two pieces the hottest row may be any: nine are tried, and nine more
 * around the best of them.
 */
s32 nst_subframe_exposure_mc(const struct nst_plant *start,
			     const struct nst_power_piece *pieces,
			     unsigned int count, s32 ambient_mc,
			     u32 exposure_us, u32 readout_us,
			     u32 doubling_mc);

#endif /* NST_SUBFRAME_H */
