/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * gpio_lib.h - the little that gpio.c needs of libgpiod, for either version
 */
#ifndef NST_GPIO_LIB_H
#define NST_GPIO_LIB_H

#include <stdbool.h>

/** struct nst_gpio_lib - a line that is held; private to the version */
struct nst_gpio_lib {
	void *chip;
	void *line;
	unsigned int offset;
	bool active_low;
};

/**
 * struct nst_gpio_info - a line as it is found
 * @chip: gpiochip0; @label: of the chip; @name: "" for none
 * @consumer: who has it, "" for nobody or unknown; @used: somebody has
 */
struct nst_gpio_info {
	const char *chip;
	const char *label;
	const char *name;
	const char *consumer;
	unsigned int offset;
	bool used;
};

/**
 * nst_gpio_lib_lines() - call @fn for every line of a chip
 * @path: /dev/gpiochipN
 * @fn: a value other than 0 ends it
 * Return: that value, 0, or -errno of opening.
 */
int nst_gpio_lib_lines(const char *path,
		       int (*fn)(const struct nst_gpio_info *info, void *arg),
		       void *arg);

/**
 * nst_gpio_lib_take() - as an output, with the value that it has now
 * Return: 0; -EBUSY; -errno.
 */
int nst_gpio_lib_take(struct nst_gpio_lib *l, const char *path,
		      unsigned int offset, bool active_low);

/** nst_gpio_lib_set(), nst_gpio_lib_get() - logical values; or -errno */
int nst_gpio_lib_set(struct nst_gpio_lib *l, bool active);
int nst_gpio_lib_get(struct nst_gpio_lib *l);

void nst_gpio_lib_release(struct nst_gpio_lib *l);

#endif /* NST_GPIO_LIB_H */
