// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * app-capture.c - a request for cold frames
 *
 *	state     event                              to
 *	any       a request                          COOLING
 *	cooling   frame edge, die at or below it     EXPOSING
 *	cooling   deadline passed                    MISSED
 *	exposing  edge that ends the last frame      DONE
 *	exposing  no more edges                      MISSED
 *	both      cancelled, die sensor lost         CANCELLED
 *
 * The gate is closed from the request to the end, so the die falls while the
 * frames are exposed and the start of the first one is its hottest time.
 * Whether it is cold enough is the model's to say, corrected by each sample.
 */
#include "app-internal.h"

/* Frames have stopped when none came for this many periods, or this long. */
#define STALL_PERIODS		4
#define STALL_UNKNOWN_US	NST_FRAME_PERIOD_MAX_US

bool nst_app_capture_active(const struct nst_app *app)
{
	return app->capture.state == NST_MCU_CAPTURE_STATE_COOLING ||
	       app->capture.state == NST_MCU_CAPTURE_STATE_EXPOSING;
}

static void end(struct nst_app *app, u8 state)
{
	app->capture.state = state;
	app->status |= NST_MCU_STATUS_CAPTURE;
	if (state == NST_MCU_CAPTURE_STATE_DONE)
		app->counters.captures++;
	else if (state == NST_MCU_CAPTURE_STATE_MISSED)
		app->counters.captures_missed++;
}

/* nst_app_capture_request() - @frames 0 cancels; the rest was checked */
void nst_app_capture_request(struct nst_app *app, s32 temp_mc, u32 span_us,
			     u16 frames)
{
	struct nst_app_capture *capture = &app->capture;

	if (!frames) {
		if (nst_app_capture_active(app))
			end(app, NST_MCU_CAPTURE_STATE_CANCELLED);
		return;
	}
	*capture = (struct nst_app_capture){
		.state = NST_MCU_CAPTURE_STATE_COOLING,
		.frames = frames,
		.left = frames,
		.temp_mc = temp_mc,
		.reached_mc = NST_TEMP_NONE_MC,
		.deadline_span_us = span_us,
		.deadline_us = app->now_us + span_us,
	};
}

static void missed(struct nst_app *app)
{
	nst_app_settle(app);
	app->capture.reached_mc = nst_observer_die_mc(&app->observer);
	end(app, NST_MCU_CAPTURE_STATE_MISSED);
}

/* nst_app_capture_frame() - a frame begins; the model is at now */
void nst_app_capture_frame(struct nst_app *app)
{
	struct nst_app_capture *capture = &app->capture;
	s32 die_mc = nst_observer_die_mc(&app->observer);

	if (capture->state == NST_MCU_CAPTURE_STATE_EXPOSING) {
		if (--capture->left == 0)
			end(app, NST_MCU_CAPTURE_STATE_DONE);
		return;
	}
	if (capture->state != NST_MCU_CAPTURE_STATE_COOLING)
		return;
	if (app->now_us > capture->deadline_us) {
		missed(app);
	} else if (die_mc <= capture->temp_mc && nst_app_trusted(app) &&
		   app->gate.actual != NST_GATE_RUN) {
		capture->state = NST_MCU_CAPTURE_STATE_EXPOSING;
		capture->reached_mc = die_mc;
		capture->first_frame = app->frames.count;
	}
}

static bool stalled(const struct nst_app *app)
{
	u64 limit_us = (u64)app->frames.period_us * STALL_PERIODS;

	if (!limit_us)
		limit_us = STALL_UNKNOWN_US;
	return app->now_us - app->frames.last_us > limit_us;
}

/* nst_app_capture_watch() - time has passed */
void nst_app_capture_watch(struct nst_app *app)
{
	const struct nst_app_capture *capture = &app->capture;

	if (!nst_app_capture_active(app))
		return;
	if (app->sensor_bad)
		end(app, NST_MCU_CAPTURE_STATE_CANCELLED);
	else if (capture->state == NST_MCU_CAPTURE_STATE_COOLING &&
		 app->now_us > capture->deadline_us)
		missed(app);
	else if (capture->state == NST_MCU_CAPTURE_STATE_EXPOSING &&
		 stalled(app))
		missed(app);
}
