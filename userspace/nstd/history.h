/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * history.h - what the gate did, and what that did to the pixels
 *
 * The exposure of a frame is over before its temperature can be known, and a
 * tick may be late by some frames. So the gate's edges are kept with their
 * times, and a plant can be carried through them from any moment that is not
 * too long ago.
 */
#ifndef NST_HISTORY_H
#define NST_HISTORY_H

#include "exposure.h"
#include "policy.h"

#define NST_HISTORY_EDGES 64

struct nst_edge {
	u64 t_us;
	u8 gate;
};

/**
 * struct nst_history - edges, oldest first
 * @power_mw: power of the stack per gate
 */
struct nst_history {
	u32 power_mw[NST_GATE_COUNT];
	s32 ambient_mc;
	u32 doubling_mc;
	unsigned int count;
	struct nst_edge edge[NST_HISTORY_EDGES];
};

/** nst_history_reset() - @gate since @since_us, @before until then */
void nst_history_reset(struct nst_history *h, u64 since_us, u8 before,
		       u8 gate);

/**
 * nst_history_edge() - the gate changed
 * An edge that is known already, or older than the newest one, is ignored:
 * it is told twice, by an event and by the next sample.
 */
void nst_history_edge(struct nst_history *h, u64 t_us, u8 gate);

/** nst_history_window() - edges to come: run from a time until another */
void nst_history_window(struct nst_history *h, u64 from_us, u64 to_us);

/** nst_history_gate() - gate at a time; before the first edge, the first */
u8 nst_history_gate(const struct nst_history *h, u64 t_us);

/**
 * nst_history_piece() - constant power from a time on
 * @ret_end_us: where it ends, at most @to_us
 * Return: the power of the piece.
 */
u32 nst_history_piece(const struct nst_history *h, u64 from_us, u64 to_us,
		      u64 *ret_end_us);

/**
 * nst_history_advance() - carry a plant from one time to another
 * Return: 0, or -ERANGE when that is more than NST_DT_MAX_US; the plant is
 * then as it was.
 */
int nst_history_advance(const struct nst_history *h, struct nst_plant *plant,
			u64 from_us, u64 to_us);

/**
 * nst_history_exposure_mc() - exposure temperature of a frame
 * @at_start: the plant when the frame began
 * Gate edges inside the exposure are taken into account row by row.
 */
s32 nst_history_exposure_mc(const struct nst_history *h,
			    const struct nst_plant *at_start, u64 start_us,
			    u32 exposure_us, u32 readout_us);

#endif /* NST_HISTORY_H */
