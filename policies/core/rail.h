/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * rail.h - a sensor at the upper end of its range
 *
 * At a rail the die may be anything above it, so the VPU stops. Stopped, the
 * die falls below the rail within milliseconds and would be back there with
 * the VPU at work: it stays stopped until NST_RAIL_GOOD readings in a row show
 * so much room below the rail that work does not lead there.
 */
#ifndef NST_RAIL_H
#define NST_RAIL_H

#include "observer.h"
#include "sample.h"

/* Within this the die has made its jump to what work leads to, on any stack. */
#define NST_RAIL_AHEAD_US	200000
/* Work has to stay this far below the rail. */
#define NST_RAIL_ROOM_MC	2000
/* Readings in a row that have to show that the die has left the rail. */
#define NST_RAIL_GOOD		3

/**
 * struct nst_rail - zero for a sensor that is not at its rail
 * @rail_mc: the end of the range that it was at
 * @left: good readings until it has left it
 */
struct nst_rail {
	s32 rail_mc;
	u8 left;
};

/**
 * nst_rail_step() - one reading
 * @sample: one that is not valid changes nothing
 * @work_mc: where the model, corrected by @sample, has the die after
 *	NST_RAIL_AHEAD_US of work
 * Return: true: at the rail, or not far enough from it.
 */
bool nst_rail_step(struct nst_rail *rail, const struct nst_sample *sample,
		   s32 work_mc);

/**
 * nst_rail_observe() - one reading, with work as the observer's model has it
 * @obs: has taken @sample already
 * @run_mw: power of the stack with the VPU at work
 * The model is asked only at the rail: it costs two exponentials.
 */
bool nst_rail_observe(struct nst_rail *rail, const struct nst_sample *sample,
		      const struct nst_observer *obs, u32 run_mw);

#endif /* NST_RAIL_H */
