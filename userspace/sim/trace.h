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
 *	captures_hz    mean rate of on-demand captures from then on (optional)
 *
 * Lines that begin with '#' and empty lines are skipped; other columns are
 * an error. A log of a light meter is a trace, too: light_log.h. Auto-exposure
 * goes between the three published settings on a
 * logarithmic scale, in thirds of a stop as cameras do.
 */
#ifndef NST_TRACE_H
#define NST_TRACE_H

#include <stdio.h>

#include "profile.h"

/**
 * struct nst_trace_step - a setting, from @t_us on
 * @unknown: nobody knows the light; the setting is that of dim light
 */
struct nst_trace_step {
	u64 t_us;
	u32 exposure_us;
	u32 iso;
	u32 lux_milli;
	bool has_ambient;
	bool has_captures;
	bool unknown;
	s32 ambient_mc;
	float captures_hz;
};

/**
 * struct nst_trace_log - what was wrong with the light log behind a trace
 * @is: there was one; all other fields are 0 else
 * @readings: lines; @invalid: readings that are none, such as -1
 * @gaps: times between lines of more than NST_LIGHT_HOLD_S
 * @stuck: times that a reading did not move for too long
 * @backward: lines whose time does not rise
 * @unknown_us: how long the light was unknown, in all
 */
struct nst_trace_log {
	bool is;
	unsigned int readings;
	unsigned int invalid;
	unsigned int gaps;
	unsigned int stuck;
	unsigned int backward;
	u64 unknown_us;
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
	struct nst_trace_log log;
};

/* Captures a second that a trace or an option may ask for. */
#define NST_TRACE_CAPTURES_MAX_HZ 1000

/** nst_trace_light() - a light that does not change; 0 or -ENOMEM */
int nst_trace_light(struct nst_trace *ret,
		    const struct nst_profile_light *light);

/**
 * nst_trace_load() - read a CSV file: a trace, or a log of a light meter
 * @err: "path:line: text" per error
 * Return: 0, errno of opening, -EINVAL after a message; @ret untouched.
 */
int nst_trace_load(struct nst_trace *ret, const char *path, FILE *err);

void nst_trace_free(struct nst_trace *trace);

/** nst_trace_auto_exposure() - setting that a camera program would choose */
void nst_trace_auto_exposure(u32 lux_milli, u32 *ret_exposure_us,
			     u32 *ret_iso);

#endif /* NST_TRACE_H */
