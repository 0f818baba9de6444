// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-board.c - the surroundings of a stack: the object and its lifetime
 *
 * Everything is acquired before anything is changed: a board that waits for a
 * driver of its line, or has an impossible property, leaves the hardware as
 * it was found.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/slab.h>

#include "nst-board-priv.h"

struct nst_board *devm_nst_board(struct device *dev, struct nst_desc *desc)
{
	struct nst_desc read = *desc;
	struct nst_board *board;
	int err;

	board = devm_kzalloc(dev, sizeof(*board), GFP_KERNEL);
	if (!board)
		return ERR_PTR(-ENOMEM);
	board->dev = dev;

	err = nst_board_props_read(dev, &read);
	if (err)
		return ERR_PTR(err);
	err = nst_board_frames_init(board);
	if (err)
		return ERR_PTR(err);
	err = nst_board_gate_init(board);
	if (err)
		return ERR_PTR(err);

	read.caps |= nst_board_depths_caps(&board->depths);
	if (board->frame_sync)
		read.frame_source = NST_UFRAMES_GPIO;
	*desc = read;
	return board;
}
EXPORT_SYMBOL_GPL(devm_nst_board);
