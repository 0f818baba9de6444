/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ask_path.h - one stack within the bounds: run, gated, exposed; for ask.c
 */
#ifndef NST_ASK_PATH_H
#define NST_ASK_PATH_H

#include "ask.h"

/**
 * struct nst_ask_path - a stack that runs from boundary 0 on
 * @side: which way to err where the arithmetic has to: 1 up, -1 down
 * @first_mw: from boundary 0 on; that of a gate where the threshold demands it
 * @slow_q32: what the threshold keeps the slow mode below, see ask_path.c
 * @fast_q32: and the most that the fast mode may be then
 */
struct nst_ask_path {
	const struct nst_ask_stack *stack;
	struct nst_plant plant;
	s32 ambient_mc;
	u32 near_mw;
	u32 gated_mw;
	s32 side;
	u32 first_mw;
	s64 slow_q32;
	s64 fast_q32;
};

/**
 * nst_ask_path_init() - a corner of what is possible
 * @bounds: what is off, all of it in one direction
 * @side: 1 hot, -1 cold, 0 as known
 * @package_permyriad: of the heat capacity of the package, signed
 * Return: 0, or -ERANGE where that is no plant.
 */
int nst_ask_path_init(struct nst_ask_path *path,
		      const struct nst_ask_stack *stack,
		      const struct nst_ask_bounds *bounds, s32 side,
		      s32 package_permyriad);

/**
 * nst_ask_path_hottest_mc() - hottest of @frames exposures, @first the first
 * @gate_frame: boundary from which on it is gated
 */
s32 nst_ask_path_hottest_mc(const struct nst_ask_path *path, u32 gate_frame,
			    u32 first, u32 frames);

/**
 * nst_ask_path_free() - does it run until then, for all that the threshold
 * says?
 */
bool nst_ask_path_free(const struct nst_ask_path *path, u32 until_frame);

#endif /* NST_ASK_PATH_H */
