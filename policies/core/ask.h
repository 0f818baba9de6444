/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ask.h - can frames be that cold at that time, and from when on to gate?
 *
 * What is known of a stack is a state, a model and how far each may be off.
 * An exposure temperature only ever rises with the temperatures of the nodes,
 * with the ambient and with the power, so the two corners of what is possible
 * bound it:
 *
 *	yes		the hot corner, gated in time, is cold enough
 *	no		the cold corner, gated at once, is too warm
 *	uncertain	neither; the bound that contributes most is named
 *
 * "Yes" and "no" hold for every stack within the bounds. Until the gate closes
 * the VPU runs, or as much of it as keeps the die below a threshold.
 *
 *	boundary 0      gate_frame         time / period
 *	   |----- run -----|----- gated ------|= frames exposed =|
 */
#ifndef NST_ASK_H
#define NST_ASK_H

#include "exposure.h"

#define NST_ASK_FRAMES_MAX 1000
#define NST_ASK_NEVER UINT32_MAX

enum nst_ask_verdict { NST_ASK_NO = 0, NST_ASK_YES, NST_ASK_UNCERTAIN };

/* Which of the bounds decides an uncertain answer. */
enum nst_ask_bound {
	NST_ASK_BY_NOTHING = 0,
	NST_ASK_BY_STATE,	/* the temperature now */
	NST_ASK_BY_AMBIENT,
	NST_ASK_BY_POWER,
	NST_ASK_BY_PACKAGE,	/* its time constant */
	NST_ASK_BY_MODEL,	/* what the arithmetic rounds */
	NST_ASK_BY_SENSOR,	/* there is no temperature to go by */
	NST_ASK_BY_PLANT,	/* its constants are a guess */
	NST_ASK_BOUND_COUNT
};

/**
 * struct nst_ask_bounds - how far what is known may be off, either way
 * @state_mc: of the die and the package
 * @ambient_mc: of the ambient
 * @near_mw, @gated_mw: of the powers
 * @package_permyriad: of the package's heat capacity, at most
 *	NST_ASK_PACKAGE_MAX
 */
#define NST_ASK_PACKAGE_MAX 5000

struct nst_ask_bounds {
	u32 state_mc;
	u32 ambient_mc;
	u32 near_mw;
	u32 gated_mw;
	u32 package_permyriad;
};

/**
 * struct nst_ask_stack - what is known of the stack and its camera
 * @plant: expected at the next boundary of frames, where a gate may close
 * @ambient_mc: ambient of the model
 * @near_mw, @gated_mw: power of the stack in each gate
 * @high_mc: what the die is kept below until the gate closes, or
 *	NST_TEMP_NONE_MC
 * @frame_period_us, @exposure_us, @readout_us: exposure and readout fit into
 *	the period
 * @doubling_mc: T_d of the sensor
 * @gated: the gate is closed already, until boundary 0
 * @gate_enter_us: from a boundary to the edge of the power, less than a period
 * @bounds: how far all of that may be off
 * @drops: a gated frame's processing is nobody's, else it is done elsewhere
 * @near_sys_mw, @gated_sys_mw: power of the whole system in each gate
 * @switch_uj: energy of going away from the near VPU and coming back
 */
struct nst_ask_stack {
	const struct nst_plant *plant;
	s32 ambient_mc;
	u32 near_mw;
	u32 gated_mw;
	s32 high_mc;
	u32 frame_period_us;
	u32 exposure_us;
	u32 readout_us;
	u32 doubling_mc;
	bool gated;
	u32 gate_enter_us;
	struct nst_ask_bounds bounds;
	bool drops;
	u32 near_sys_mw;
	u32 gated_sys_mw;
	u32 switch_uj;
};

/**
 * struct nst_ask_question
 * @temp_mc: exposure temperature of every frame, at most
 * @time_us: from the next boundary to the latest start of the first exposure,
 *	which begins at the last boundary that is not later
 * @frames: in a row, 1..NST_ASK_FRAMES_MAX
 */
struct nst_ask_question {
	s32 temp_mc;
	u32 time_us;
	u32 frames;
};

/**
 * struct nst_ask_answer - boundaries are counted from the next one, 0
 * @verdict: enum nst_ask_verdict
 * @bound: enum nst_ask_bound of an uncertain answer
 * @bound_mc: how much of the doubt is that bound's
 * @reached_mc: best guess of the hottest exposure when gated from 0 on
 * @cold_mc, @hot_mc: it lies between these
 * @exposure_frame: boundary that the first exposure begins at
 * @late_frame: gating from here on surely is not enough where the VPU runs
 *	until then, 0 for a "no"; NST_ASK_NEVER when that cannot be said. With
 *	nothing uncertain that is the frame after @gate_frame, or the second
 *	after where the arithmetic does not tell.
 * @gate: whether it needs gating at all; the rest is 0 without
 * @gate_frame: latest boundary from which on gating surely is enough; 0 when
 *	uncertain, which is the best that can be done
 * @gated_frames: from @gate_frame to the end of the last exposure
 * @lost_frames: of them, those whose processing nobody does
 * @cost_uj: energy of the system beyond a VPU that runs in those frames;
 *	below zero where a stop saves it
 */
struct nst_ask_answer {
	u8 verdict;
	u8 bound;
	u32 bound_mc;
	s32 reached_mc;
	s32 cold_mc;
	s32 hot_mc;
	u32 exposure_frame;
	u32 late_frame;
	bool gate;
	u32 gate_frame;
	u32 gated_frames;
	u32 lost_frames;
	s64 cost_uj;
};

/**
 * nst_ask_check() - 0; -ERANGE for a value of @stack or @q out of range or an
 * end more than NST_DT_MAX_US away, -EINVAL for values that do not go together
 */
int nst_ask_check(const struct nst_ask_stack *stack,
		  const struct nst_ask_question *q);

/**
 * nst_ask() - answer in advance; nothing is changed
 * Return: 0, or as nst_ask_check() with @ret untouched.
 */
int nst_ask(const struct nst_ask_stack *stack,
	    const struct nst_ask_question *q, struct nst_ask_answer *ret);

/** nst_ask_verdict_text() - "yes", "no", "uncertain" */
const char *nst_ask_verdict_text(enum nst_ask_verdict verdict);

/** nst_ask_bound_text() - "temperature", "ambient", ...; "" for nothing */
const char *nst_ask_bound_text(enum nst_ask_bound bound);

#endif /* NST_ASK_H */
