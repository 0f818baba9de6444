// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* sensors_none.c - built without libsensors, see sensors.h */
#include <errno.h>
#include <stdio.h>

#include "sensors.h"

int nst_sensors_init(void)
{
	return -ENOSYS;
}

int nst_sensors_read(const char *selector, int32_t *ret_mc)
{
	(void)selector;
	(void)ret_mc;
	return -ENOSYS;
}

void nst_sensors_names(char *buf, size_t size)
{
	snprintf(buf, size, "none, built without libsensors");
}

void nst_sensors_deinit(void)
{
}
