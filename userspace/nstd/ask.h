/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ask.h - can a frame be that cold at that time, and from when on to gate?
 *
 * Answered with the governor's own model of the stack: from the present
 * state, the hottest that the thresholds permit until the gate closes, and
 * gated from there to the end of the last exposure. Exposures begin at
 * boundaries of frames, so the last boundary that is not after the time asked
 * for counts. What is not known well is said: the answer is "yes" or "no"
 * only when the model's uncertainty leaves no doubt.
 */
#ifndef NST_ASK_H
#define NST_ASK_H

#include "governor.h"

#define NST_ASK_MAX_MS 60000
#define NST_ASK_FRAMES_MAX 100

enum nst_ask_answer { NST_ASK_NO = 0, NST_ASK_YES, NST_ASK_UNCERTAIN };

/**
 * struct nst_ask
 * @temp_mc: exposure temperature at most, accuracy of the sensor included
 * @in_us: from now to the latest start of the first exposure
 * @frames: in a row
 */
struct nst_ask {
	s32 temp_mc;
	u32 in_us;
	u32 frames;
};

/**
 * struct nst_asked - the answer
 * @why: a sentence
 * @temp_mc: what counted: the limit less the accuracy of the sensor
 * @reached_mc: hottest exposure when gated from the next boundary on;
 *	NST_TEMP_NONE_MC without a model
 * @margin_mc: how far it may be off
 * @exposure_in_us: from now to the start of the first exposure
 * @gate: whether it needs gating at all; the next four are 0 without
 * @gate_in_us: from now to the latest boundary from which on to gate
 * @gated_frames: frames from there to the end
 * @lost_frames: of them, those that nobody processes
 * @cost_uj: energy of the system beyond a VPU that runs; below zero where a
 *	stop saves it
 */
struct nst_asked {
	enum nst_ask_answer answer;
	const char *why;
	s32 temp_mc;
	s32 reached_mc;
	s32 margin_mc;
	u32 exposure_in_us;
	bool gate;
	u32 gate_in_us;
	u32 gated_frames;
	u32 lost_frames;
	s64 cost_uj;
};

/**
 * nst_ask() - no change of anything
 * @now_us: the device's clock
 * Return: 0; -ERANGE for a time or a number of frames out of range.
 */
int nst_ask(const struct nst_governor *g, const struct nst_ask *ask,
	    u64 now_us, struct nst_asked *ret);

/** nst_ask_text() - "yes", "no", "uncertain" */
const char *nst_ask_text(enum nst_ask_answer answer);

#endif /* NST_ASK_H */
