/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * step_holder.h - the holder of a stack's lease on the step clock, for the
 * nst_*.c selftests
 *
 * What has to work for a test to be a test ends the program when it does not.
 */
#ifndef NST_STEP_HOLDER_H
#define NST_STEP_HOLDER_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "uapi/nst.h"

/* The device, and advance_us of its stack. */
static int dev, sim;

static inline void die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

static inline void advance(uint64_t us)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%llu", (unsigned long long)us);

	if (pwrite(sim, text, (size_t)len, 0) != len)
		die("advance_us");
}

/* The ceiling, T_high at it and T_low @band_mc below. */
static inline void set_max(int32_t max_mc, int32_t band_mc)
{
	struct nst_uapi_limits limits = {
		.high_mc = max_mc,
		.low_mc = max_mc - band_mc,
		.capture_mc = 1000000,
		.max_mc = max_mc,
	};

	if (ioctl(dev, NST_IOC_SET_LIMITS, &limits))
		die("SET_LIMITS");
}

#endif /* NST_STEP_HOLDER_H */
