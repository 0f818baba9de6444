/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * trace.h - how light and weather change during a simulated run
 *
 * A trace is a list of camera settings with the time from which each holds.
 * A named light is a trace of one step. A CSV file has a header line and
 * then one line per step, times rising from 0:
 *
 *	t_s            seconds from the start (required)
 *	light          name of a light, or
 *	lux            illuminance: an auto-exposure program chooses, or
 *	exposure_us,iso   the setting itself
 *	ambient_mc     ambient temperature from then on (optional)
 *
 * Lines that begin with '#' and empty lines are skipped; other columns are
 * an error. Auto-exposure goes between the three published settings on a
 * logarithmic scale, in thirds of a stop as cameras do.
 */
#ifndef NST_TRACE_H
#define NST_TRACE_H

#include <stdio.h>

#include "profile.h"

struct nst_trace_step {
	u64 t_us;
	u32 exposure_us;
	u32 iso;
	u32 lux_milli;
	bool has_ambient;
	s32 ambient_mc;
};

/**
 * struct nst_trace - @end_us: time of the last step and as long again as
 * the step before it held; 0 for a trace of one step
 */
struct nst_trace {
	char name[64];
	struct nst_trace_step *steps;
	size_t count;
	u64 end_us;
};

/** nst_trace_light() - a light that does not change; 0 or -ENOMEM */
int nst_trace_light(struct nst_trace *ret,
		    const struct nst_profile_light *light);

/**
 * nst_trace_load() - read a CSV file
 * @err: "path:line: text" per error
 * Return: 0, errno of opening, -EINVAL after a message; @ret untouched.
 */
int nst_trace_load(struct nst_trace *ret, const char *path, FILE *err);

void nst_trace_free(struct nst_trace *trace);

/** nst_trace_auto_exposure() - setting that a camera program would choose */
void nst_trace_auto_exposure(u32 lux_milli, u32 *ret_exposure_us,
			     u32 *ret_iso);

#endif /* NST_TRACE_H */
