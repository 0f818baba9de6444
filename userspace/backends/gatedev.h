/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * gatedev.h - a device whose VPU is gated by a GPIO line of the host
 *
 * For boards where the driver measures but has no gate: everything is passed
 * on to the device inside but the gate, which is a line. Run is active, every
 * other gate is not, and that is the safe value too: the VPU is stopped when
 * nstd ends, in whatever way (gpio.h). A gate for a frame boundary is driven
 * when the boundary comes, by a timer on the real clock; one that comes while
 * the machine sleeps is driven late.
 *
 * A second line, the strobe, is active in the periods whose exposure is the
 * cold one: those that the VPU is stopped for (NST_PAUSED).
 *
 * There is no kernel guard behind this: without a gate the kernel can do
 * nothing. A cooling device that is at its end stops the VPU here; one that
 * allows a part of the duty is not obeyed by halves.
 */
#ifndef NST_GATEDEV_H
#define NST_GATEDEV_H

#include "backend.h"
#include "gpio.h"

/** struct nst_gatedev_config - lines, "" for none */
struct nst_gatedev_config {
	char gate_line[NST_GPIO_NAME_LEN];
	char strobe_line[NST_GPIO_NAME_LEN];
	bool gate_active_low;
	bool strobe_active_low;
};

struct nst_gatedev {
	struct nst_dev dev;
	struct nst_dev *inner;
	struct nst_gpio gate_line;
	struct nst_gpio strobe_line;
	int epoll_fd;			/* the device inside, and the timer */
	int timer_fd;
	s64 ahead_us;			/* device clock less CLOCK_MONOTONIC */
	struct nst_dev_state state;	/* of the last sample */
	u8 gate;
	u8 gate_prev;
	u64 since_us;
	bool pending;
	u8 pending_gate;
	u8 pending_placement;
	bool told;			/* @since_us is an event that was told */
};

/**
 * nst_gatedev_open() - put the lines around a device
 * @inner: is closed with @g, and on failure
 * @why: on failure what is wrong
 * Return: 0 with @g->dev to be used; -EEXIST the device has a gate of its
 * own; as nst_gpio_open().
 */
int nst_gatedev_open(struct nst_gatedev *g, struct nst_dev *inner,
		     const char *root, const struct nst_gatedev_config *config,
		     char *why, size_t why_size);

#endif /* NST_GATEDEV_H */
