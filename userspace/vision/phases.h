/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * phases.h - the day in a file: light and weather, one phase a line
 *
 *	# name  share  exposure_us  iso  lux_milli  ambient_mc
 *	dim     1      64000        800  3200       26400
 *
 * Shares divide the time of a run. Names are letters, digits and '-'.
 */
#ifndef NST_PHASES_H
#define NST_PHASES_H

#include <stdio.h>

#include "camera.h"

#define NST_PHASES_MAX 16
#define NST_PHASE_NAME_LEN 16

struct nst_phase {
	char name[NST_PHASE_NAME_LEN];
	unsigned int share;
	struct nst_camera_setting setting;
	int ambient_mc;
};

struct nst_phases {
	unsigned int count;
	unsigned int shares;
	struct nst_phase phase[NST_PHASES_MAX];
};

/**
 * nst_phases_load() - read a file
 * @err: where "path:line: text" goes
 * Return: 0; errno of opening; -EINVAL with a message, @ret untouched.
 */
int nst_phases_load(struct nst_phases *ret, const char *path, FILE *err);

/** nst_phases_end_ms() - when phase @index of a run of @total_ms ends */
unsigned long nst_phases_end_ms(const struct nst_phases *phases,
				unsigned int index, unsigned long total_ms);

#endif /* NST_PHASES_H */
