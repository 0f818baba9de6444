// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* gpio_none.c - built without libgpiod, see gpio_lib.h */
#include <errno.h>

#include "gpio_lib.h"

int nst_gpio_lib_lines(const char *path,
		       int (*fn)(const struct nst_gpio_info *info, void *arg),
		       void *arg)
{
	(void)path;
	(void)fn;
	(void)arg;
	return -ENOSYS;
}

int nst_gpio_lib_take(struct nst_gpio_lib *l, const char *path,
		      unsigned int offset, bool active_low)
{
	(void)path;
	(void)offset;
	(void)active_low;
	*l = (struct nst_gpio_lib){ 0 };
	return -ENOSYS;
}

int nst_gpio_lib_set(struct nst_gpio_lib *l, bool active)
{
	(void)l;
	(void)active;
	return -ENOSYS;
}

int nst_gpio_lib_get(struct nst_gpio_lib *l)
{
	(void)l;
	return -ENOSYS;
}

void nst_gpio_lib_release(struct nst_gpio_lib *l)
{
	(void)l;
}
