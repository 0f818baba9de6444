/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-board-priv.h - what the files of nst-board share
 *
 * nst-board.c	the object and its lifetime
 * nst-board-props.c	properties of a device to struct nst_desc
 * nst-board-gate.c	the line and the supply that gate the VPU
 * nst-board-depth.c	which gate they stand for together; pure
 * nst-board-frames.c	the frame-sync line
 */
#ifndef NST_BOARD_PRIV_H
#define NST_BOARD_PRIV_H

#include <linux/device.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "nst-board.h"
#include "nst-board-model.h"
#include "uapi/nst.h"

struct gpio_desc;
struct regulator;

/* Edges between hard and threaded handler; one frame needs one. */
#define NST_BOARD_STAMPS 16

struct nst_board {
	struct device *dev;

	struct nst_board_depths depths;
	struct gpio_desc *run;
	struct regulator *supply;
	bool run_level;		/* as last driven */
	bool run_blind;		/* it cannot be read back */
	bool supply_held;	/* we have it enabled */

	struct gpio_desc *frame_sync;
	int frame_irq;		/* 0: not started */
	struct nst *nst;
	u64 edges;		/* told so far; threaded handler only */
	spinlock_t stamp_lock;	/* the three below */
	u64 stamp_us[NST_BOARD_STAMPS];
	unsigned int stamps;
	u64 stamp_last_us;
};

int nst_board_props_read(struct device *dev, struct nst_desc *desc);
int nst_board_prop_depth(struct device *dev, const char *prop,
			 enum nst_gate standard, enum nst_gate *ret);
int nst_board_gate_init(struct nst_board *board);
int nst_board_frames_init(struct nst_board *board);

#endif /* NST_BOARD_PRIV_H */
