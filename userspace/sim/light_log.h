/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * light_log.h - what a light meter wrote down, as a trace
 *
 * Three kinds of log are known by their first line:
 *
 *	local_time,lux,...	2023-08-28T08:28,0.98,...
 *	DATE (MM/DD/YYYY),MST,Global PSP [W/m^2],...	irradiance; 115 lux
 *				are taken for a W/m2, which is rough, and
 *				less than none at night is none
 *	without a header	2023-05-02,15:34:47,1099.16663
 *
 * A log has holes. A reading that is none (-1, -2: error codes of the meter)
 * and the time between two lines hold the last good reading for
 * NST_LIGHT_HOLD_S; then the light is unknown. So it is once a reading other
 * than 0 has not moved for NST_LIGHT_STUCK_S: no light outdoors or at a
 * window is that steady, a meter that hangs is. Unknown light is a state of
 * a step, its lux 0 and no value; the setting is that of dim light, at which
 * a stack has to be coldest. Lines whose time does not rise are left out.
 */
#ifndef NST_LIGHT_LOG_H
#define NST_LIGHT_LOG_H

#include "trace.h"

#define NST_LIGHT_HOLD_S 300
#define NST_LIGHT_STUCK_S 3600

/**
 * nst_light_log_is() - whether @line begins a log of a known kind
 * Comments (#) and empty lines are none.
 */
bool nst_light_log_is(const char *line);

/**
 * nst_light_log_load() - read a log
 * @err: "path:line: text" per error
 * Return: 0; errno of opening; -EINVAL after a message, also when there is
 * no good reading; @ret untouched then. What was wrong with the log without
 * making it useless is counted in @ret->log.
 */
int nst_light_log_load(struct nst_trace *ret, const char *path, FILE *err);

#endif /* NST_LIGHT_LOG_H */
