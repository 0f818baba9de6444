/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * output.h - what a run says: JSON lines, a status line, frames as files
 *
 * JSON lines have "kind": "second" (per camera and second), "phase" (per
 * camera, when a phase ends) and "picture" (a frame kept). Power is the
 * model's: what the profile gives for near, far and capture.
 */
#ifndef NST_OUTPUT_H
#define NST_OUTPUT_H

#include <stdio.h>

#include "phases.h"
#include "stream.h"

/**
 * struct nst_span - when and how long
 * @truth, @truth_before: of the emulator at the end and the beginning
 */
struct nst_span {
	unsigned long at_ms;		/* since the run began */
	unsigned long took_ms;
	const char *phase;
	bool have_truth;
	struct nst_truth_now truth;
	struct nst_truth_now truth_before;
};

/** nst_output_second() - one JSON line about the last second */
void nst_output_second(FILE *out, const struct nst_stream *s,
		       const struct nst_span *span);

/** nst_output_phase() - one JSON line about a whole phase */
void nst_output_phase(FILE *out, const struct nst_stream *s,
		      const struct nst_span *span);

/** nst_output_status() - this camera's part of the status line */
void nst_output_status(FILE *out, const struct nst_stream *s,
		       const struct nst_span *span);

/**
 * nst_output_shot() - write a frame as PGM and a JSON line with its boxes
 * @dir: where; the name is SENSOR-PHASE-WHAT.pgm
 * Return: 0 or the errno of writing.
 */
int nst_output_shot(FILE *out, const char *dir, const struct nst_stream *s,
		    const struct nst_shot *shot, const char *phase,
		    const char *what);

/** nst_output_expected_fps_milli() - what the camera should deliver */
unsigned int nst_output_expected_fps_milli(const struct nst_span *span);

#endif /* NST_OUTPUT_H */
