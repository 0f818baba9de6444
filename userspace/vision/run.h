/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * run.h - all cameras through all phases of a day
 *
 * One loop over poll(): frames as they come, once a second the status, at
 * the end of a phase its sums and pictures, and then the next light.
 */
#ifndef NST_RUN_H
#define NST_RUN_H

#include "phases.h"
#include "stream.h"

#define NST_RUN_CAMERAS 8

/**
 * struct nst_run - what to do; the loop's own state is not here
 * @phases: NULL leaves light and weather alone
 * @duration_ms: 0 until the signal
 * @json: JSON lines, or NULL
 * @status: status lines, or NULL
 * @dir: pictures of each phase, or NULL
 */
struct nst_run {
	struct nst_stream *stream[NST_RUN_CAMERAS];
	unsigned int streams;
	const struct nst_phases *phases;
	unsigned long duration_ms;
	bool reopen;		/* look for a camera that went away */
	FILE *json;
	FILE *status;
	const char *dir;
};

/**
 * nst_run_loop() - until the time is over, a signal came or nothing is left
 * SIGINT and SIGTERM end it with the sums of what was seen so far.
 * Return: 0; -EINTR for a signal; the first errno that ended a camera.
 */
int nst_run_loop(struct nst_run *run);

#endif /* NST_RUN_H */
