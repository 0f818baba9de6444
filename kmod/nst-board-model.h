/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-board-model.h - what line and supply mean, as pure functions
 *
 * No device is touched, so the suite in tests/ runs them in user space too.
 */
#ifndef NST_BOARD_MODEL_H
#define NST_BOARD_MODEL_H

#include "policy.h"

/**
 * struct nst_board_depths - gates that line and supply give
 * @line, @supply: NST_GATE_STANDBY to NST_GATE_OFF, or NST_GATE_RUN where
 *	there is none. With both the supply's is at least the line's: a line
 *	is not driven into a part without power.
 */
struct nst_board_depths {
	enum nst_gate line;
	enum nst_gate supply;
};

/** struct nst_board_levels - state of line and supply; true opens the gate */
struct nst_board_levels {
	bool line;
	bool supply;
};

/** nst_board_depths_valid() - see struct nst_board_depths */
bool nst_board_depths_valid(const struct nst_board_depths *depths);

/** nst_board_depths_caps() - NST_CAP_GATE_* of them */
u32 nst_board_depths_caps(const struct nst_board_depths *depths);

/**
 * nst_board_depths_levels() - what @gate wants of line and supply
 * One that does not exist is told as open. Return: 0, or -EOPNOTSUPP.
 */
int nst_board_depths_levels(const struct nst_board_depths *depths,
			    enum nst_gate gate, struct nst_board_levels *ret);

/** nst_board_depths_gate() - the gate that @levels are */
enum nst_gate nst_board_depths_gate(const struct nst_board_depths *depths,
				    const struct nst_board_levels *levels);

#endif /* NST_BOARD_MODEL_H */
