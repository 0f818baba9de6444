/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-board.h - what a board says about a stack, for providers on real buses
 *
 * A board describes the surroundings of a sensor with device properties, from
 * a device tree or from software nodes alike: the line and the supply that
 * gate its VPU, the line that tells frames, the powers and the thermal
 * constants. Providers read none of these themselves:
 *
 *	desc.provider = "...";			defaults of the part
 *	board = devm_nst_board(dev, &desc);	what the board says
 *	nst = nst_register(dev, &desc, &ops, priv);
 *	err = nst_board_start(board, nst);	frames begin
 *	...
 *	nst_board_stop(board);
 *	nst_unregister(nst);
 *
 * and their set_gate and get_gate call nst_board_set_gate() and
 * nst_board_get_gate() where nst_board_has_gate().
 */
#ifndef NST_BOARD_H
#define NST_BOARD_H

#include "nst-provider.h"

struct nst_board;

/**
 * devm_nst_board() - read the properties of @dev into @desc
 * @desc: fields that the caller has set are defaults; a property wins. Fields
 *	that are zero and have no property get the reference stack's values
 *	(plant, powers, ambient, 75 degC), and @plant_guessed. Filled are @name, @caps (only the
 *	NST_CAP_GATE_* of the board's own gate, added), the four arrays per
 *	gate, @params, @ambient_mc, @max_temp_mc, @timing and @frame_source.
 *
 * Nothing of the hardware changes: a line that is an output already keeps its
 * level, one that is not is driven as it was read, and a supply that is on is
 * held on. The objects belong to @dev and go with it.
 *
 * Return: the board, or an ERR_PTR: -EINVAL for an impossible property
 * (logged with its name, value and valid range), -EPROBE_DEFER while a line
 * or supply has no driver yet, -EOPNOTSUPP for one that this kernel cannot
 * drive. @desc is unchanged then.
 */
struct nst_board *devm_nst_board(struct device *dev, struct nst_desc *desc);

/** nst_board_has_gate() - a line or a supply gates the VPU */
bool nst_board_has_gate(const struct nst_board *board);

/**
 * nst_board_set_gate() - bring line and supply into the state of @gate
 * Sleeps. Idempotent. Opening: supply first, then the line; closing: the line
 * first. After an error the VPU is no less gated than it was.
 * Return: 0, -EOPNOTSUPP for a gate that the board does not have, or the
 * error of line or supply.
 */
int nst_board_set_gate(struct nst_board *board, enum nst_gate gate);

/**
 * nst_board_get_gate() - the gate as line and supply are, now
 * Reads the level of the line where the chip can, and the supply itself: one
 * that somebody else keeps on does not count as off.
 */
int nst_board_get_gate(struct nst_board *board, enum nst_gate *ret);

/**
 * nst_board_start() - edges of the frame-sync line become frame boundaries
 * Without such a line nothing is done. Called once, after nst_register().
 */
int nst_board_start(struct nst_board *board, struct nst *nst);

/**
 * nst_board_stop() - no boundary runs or will be told when this returns
 * Before nst_unregister(); does nothing when not started.
 */
void nst_board_stop(struct nst_board *board);

#endif /* NST_BOARD_H */
