// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-board-depth.c - which gate a line and a supply stand for; pure
 *
 * Each of the two closes the gate to a depth of its own. A gate needs closed
 * whatever is not deeper than it:
 *
 *	line standby, supply off	line	supply
 *	run				open	open
 *	standby				closed	open
 *	off				closed	closed
 *
 * Read back it is the other way round: what is closed deepest decides, so a
 * supply that is down means off whatever the line says.
 */
#include "nst-board-model.h"
#include "uapi/nst.h"

bool nst_board_depths_valid(const struct nst_board_depths *depths)
{
	if (depths->line >= NST_GATE_COUNT || depths->supply >= NST_GATE_COUNT)
		return false;
	return depths->supply == NST_GATE_RUN || depths->line <= depths->supply;
}

static u32 depth_cap(enum nst_gate depth)
{
	switch (depth) {
	case NST_GATE_STANDBY:
		return NST_CAP_GATE_STANDBY;
	case NST_GATE_CLEARED:
		return NST_CAP_GATE_CLEARED;
	case NST_GATE_OFF:
		return NST_CAP_GATE_OFF;
	default:
		return 0;
	}
}

u32 nst_board_depths_caps(const struct nst_board_depths *depths)
{
	return depth_cap(depths->line) | depth_cap(depths->supply);
}

int nst_board_depths_levels(const struct nst_board_depths *depths,
			    enum nst_gate gate, struct nst_board_levels *ret)
{
	if (gate != NST_GATE_RUN && gate != depths->line &&
	    gate != depths->supply)
		return -EOPNOTSUPP;
	ret->line = depths->line == NST_GATE_RUN || depths->line > gate;
	ret->supply = depths->supply == NST_GATE_RUN || depths->supply > gate;
	return 0;
}

enum nst_gate nst_board_depths_gate(const struct nst_board_depths *depths,
				    const struct nst_board_levels *levels)
{
	if (depths->supply != NST_GATE_RUN && !levels->supply)
		return depths->supply;
	if (depths->line != NST_GATE_RUN && !levels->line)
		return depths->line;
	return NST_GATE_RUN;
}
