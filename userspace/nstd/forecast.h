/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * forecast.h - a question in advance, put to the governor of a sensor
 *
 * The answer is policies/core/ask.h's, from the governor's present model of
 * the stack and from how far that may be off. Here are the times of the
 * device, the accuracy of the sensor, and words.
 */
#ifndef NST_FORECAST_H
#define NST_FORECAST_H

#include "ask.h"
#include "governor.h"

#define NST_FORECAST_MAX_MS 60000
#define NST_FORECAST_FRAMES_MAX 100

/**
 * struct nst_forecast_query
 * @temp_mc: exposure temperature at most, accuracy of the sensor included;
 *	NST_TEMP_NONE_MC for any
 * @in_us: from now to the latest start of the first exposure
 * @frames: in a row
 */
struct nst_forecast_query {
	s32 temp_mc;
	u32 in_us;
	u32 frames;
};

/**
 * struct nst_forecast - the answer; times are from now
 * @answer: boundaries in it count from the next one
 * @why: a sentence
 * @temp_mc: what counted: the limit less the accuracy of the sensor
 * @reached_mc: hottest exposure when gated from the next boundary on;
 *	NST_TEMP_NONE_MC without a model
 * @margin_mc: how far it may be off
 * @exposure_in_us: start of the first exposure
 * @gate_in_us: latest boundary from which on to gate; 0 without a gate
 * @late_in_us: boundary from which on it is too late; UINT32_MAX when nobody
 *	can say
 */
struct nst_forecast {
	struct nst_ask_answer answer;
	const char *why;
	s32 temp_mc;
	s32 reached_mc;
	u32 margin_mc;
	u32 exposure_in_us;
	u32 gate_in_us;
	u32 late_in_us;
};

/**
 * nst_forecast() - no change of anything
 * @now_us: the device's clock
 * Return: 0; -ERANGE for a time or a number of frames out of range.
 */
int nst_forecast(const struct nst_governor *g,
		 const struct nst_forecast_query *query, u64 now_us,
		 struct nst_forecast *ret);

#endif /* NST_FORECAST_H */
