/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * gpio.h - an output line of the host, by libgpiod
 *
 * A line is named as the device tree names it, "vpu-run", and looked for on
 * every chip; a name that two lines have is an error that names both. Where
 * lines have no names it is CHIP:NUMBER with the label of the chip,
 * "pinctrl-bcm2711:17". The number of gpiochipN is no part of it.
 *
 * Values are logical: active, or not. An active-low line is low when active.
 *
 * What is taken keeps its level until it is set. On nst_gpio_close() it goes
 * to its safe value first. The kernel does no such thing: a line that is let
 * go, by close() or by the end of a process, keeps on most chips the level
 * it had, and nobody promises even that. So a guard, a process of its own,
 * waits for this one to end in whatever way, takes the line and drives it to
 * the safe value. Only the loss of both, or of the kernel, is left.
 *
 * libgpiod 1 and 2 have nothing in common but the name: gpio_v1.c and
 * gpio_v2.c, one of which is built; gpio_none.c says -ENOSYS.
 */
#ifndef NST_GPIO_H
#define NST_GPIO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "gpio_lib.h"

#define NST_GPIO_NAME_LEN 64

/**
 * struct nst_gpio - one line
 * @what: "vpu-run (gpiochip0 line 17)", for messages
 */
struct nst_gpio {
	struct nst_gpio_lib lib;
	bool open;
	bool safe;
	pid_t guard;		/* 0: none */
	int guard_fd;		/* closed: the guard acts */
	char what[NST_GPIO_NAME_LEN + 48];
};

#define NST_GPIO_CLOSED ((struct nst_gpio){ .guard_fd = -1 })

/** nst_gpio_check() - a name, or CHIP:NUMBER */
bool nst_gpio_check(const char *selector);

/**
 * nst_gpio_open() - find a line and take it, as it is
 * @root: chips are those of root/dev, "" for the real ones
 * @active_low: low when active
 * @safe: value that it gets in the end, whatever the end
 * @why: on failure what is wrong, with the names that matter
 * Return: 0; -ENODEV no such line; -ENOTUNIQ two of the name; -EBUSY it has
 * another consumer; -EINVAL not a selector; -EACCES; -ENOSYS built without
 * libgpiod; errno of the driver. On failure @g is closed.
 */
int nst_gpio_open(struct nst_gpio *g, const char *root, const char *selector,
		  bool active_low, bool safe, char *why, size_t why_size);

/** nst_gpio_set() - 0 or errno; -ENODEV the chip has gone */
int nst_gpio_set(struct nst_gpio *g, bool active);

/** nst_gpio_get() - 1 active, 0 not, or errno */
int nst_gpio_get(struct nst_gpio *g);

/** nst_gpio_close() - safe value, then let go; also of one that is closed */
void nst_gpio_close(struct nst_gpio *g);

#endif /* NST_GPIO_H */
