// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reply_capture.c - frames on demand: asked for in advance, and triggered
 *
 * Both are for a task, whose limit at the present light and whose deadline
 * hold, or for a sensor and a temperature.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "forecast.h"
#include "possible.h"
#include "reply_call.h"

struct wanted {
	struct nst_sensor *s;
	s32 temp_mc;		/* as asked, accuracy not taken off yet */
	s64 deadline_ms;	/* of the task, 0 without one */
	s64 frames;
};

static void no_task(struct nst_call *call, const struct nst_profile *p,
		    const char *name)
{
	char what[400];
	int len;

	len = snprintf(what, sizeof(what), "no task \"%.31s\", there are:",
		       name);
	for (unsigned int i = 0; i < p->task_count; i++)
		if (len < (int)sizeof(what))
			len += snprintf(what + len, sizeof(what) - (size_t)len,
					" %s", p->tasks[i].name);
	nst_call_error(call, -ENOENT, what);
}

static bool get_task(struct nst_call *call, struct wanted *ret)
{
	const struct nst_profile *p = &call->m->profile[call->m->in_use];
	const struct nst_profile_task *t;
	const char *name;

	if (!nst_call_string(call, "task", &name))
		return false;
	t = nst_tasks_find(call->m, name);
	if (!t) {
		no_task(call, p, name);
		return false;
	}
	ret->s = nst_manager_find(call->m, p->sensors[t->sensor].name);
	if (!ret->s) {
		nst_call_errorf(call, -ENODEV, "the sensor of task %.31s is "
				"not governed", name);
		return false;
	}
	if (nst_tasks_limit(call->m, name, &ret->temp_mc)) {
		nst_call_errorf(call, -EDOM, "at the present light no "
				"temperature gives what task %.31s asks for",
				name);
		return false;
	}
	if (t->kind == NST_TASK_IMAGING)
		ret->deadline_ms = t->deadline_ms;
	return true;
}

static bool get_wanted(struct nst_call *call, struct wanted *ret)
{
	s64 temp_mc;

	*ret = (struct wanted){ .frames = 1 };
	if (nst_call_has(call, "frames") &&
	    !nst_call_int(call, "frames", 1, NST_FORECAST_FRAMES_MAX,
			  &ret->frames))
		return false;
	if (nst_call_has(call, "task")) {
		if (!nst_call_has(call, "sensor") &&
		    !nst_call_has(call, "temp_mc"))
			return get_task(call, ret);
		nst_call_error(call, -EINVAL, "either \"task\", or \"sensor\" "
			       "and \"temp_mc\"");
		return false;
	}
	ret->s = nst_call_sensor(call);
	if (!ret->s || !nst_call_int(call, "temp_mc", NST_TEMP_MIN_MC,
				     NST_TEMP_MAX_MC, &temp_mc))
		return false;
	ret->temp_mc = (s32)temp_mc;
	return true;
}

/*
 * get_time() - the time that is asked for, else the deadline of the task
 * @option: of nstctl, whose users never see the key; NULL without one
 */
static bool get_time(struct nst_call *call, const struct wanted *w,
		     const char *key, const char *option, s64 min_ms,
		     s64 *ret_ms)
{
	*ret_ms = w->deadline_ms;
	if (nst_call_has(call, key))
		return nst_call_int(call, key, min_ms, NST_FORECAST_MAX_MS,
				    ret_ms);
	if (w->deadline_ms)
		return true;
	nst_call_errorf(call, -EINVAL, "\"%s\"%s is required, %" PRId64
			" to %d: %s", key, option ? option : "", min_ms,
			NST_FORECAST_MAX_MS, nst_call_has(call, "task") ?
			"this task has no deadline" :
			"a sensor has no deadline");
	return false;
}

/* The device's clock; it runs on since the last tick. */
static u64 device_now_us(const struct nst_sensor *s)
{
	struct nst_dev_state state;

	if (s->dev && !s->dev->ops->sample(s->dev, &state))
		return state.now_us;
	return s->gov.state.now_us;
}

static void put_forecast(struct nst_out *o, const struct nst_forecast *f)
{
	const struct nst_ask_answer *a = &f->answer;

	nst_out_printf(o, "{\"answer\":\"%s\",\"why\":",
		       nst_ask_verdict_text(a->verdict));
	nst_out_string(o, f->why);
	nst_out_temp(o, "temp_mc", f->temp_mc);
	nst_out_temp(o, "reached_mc", f->reached_mc);
	nst_out_printf(o, ",\"margin_mc\":%u,\"exposure_in_us\":%u,\"gate\":%s",
		       f->margin_mc, f->exposure_in_us,
		       a->gate ? "true" : "false");
	if (a->gate)
		nst_out_printf(o, ",\"gate_in_us\":%u", f->gate_in_us);
	if (f->late_in_us != UINT32_MAX)
		nst_out_printf(o, ",\"late_in_us\":%u", f->late_in_us);
	if (a->bound)
		nst_out_printf(o, ",\"bound\":\"%s\",\"bound_mc\":%u",
			       nst_ask_bound_text(a->bound), a->bound_mc);
	nst_out_printf(o, ",\"gated_frames\":%u,\"lost_frames\":%u,\"cost_uj\":%"
		       PRId64 "}", a->gated_frames, a->lost_frames,
		       a->cost_uj);
}

void nst_run_capture_ask(struct nst_call *call)
{
	struct nst_forecast_query query;
	struct nst_forecast forecast;
	struct wanted w;
	s64 in_ms;

	if (!get_wanted(call, &w))
		return;
	if (!get_time(call, &w, "in_ms", " (nstctl: --in-ms)", 0, &in_ms))
		return;
	query = (struct nst_forecast_query){
		.temp_mc = w.temp_mc,
		.in_us = (u32)in_ms * 1000,
		.frames = (u32)w.frames,
	};
	if (nst_forecast(&w.s->gov, &query, device_now_us(w.s), &forecast)) {
		nst_call_error(call, -ERANGE, "out of range");
		return;
	}
	nst_call_begin(call);
	put_forecast(call->o, &forecast);
	nst_call_end(call);
}

static const char *refusal(int err)
{
	switch (err) {
	case -EDQUOT:
		return "a client has at most 4 open tickets";
	case -EBUSY:
		return "the device has no room for another ticket";
	case -ENODEV:
		return "the sensor has no device now";
	case -ENODATA:
		return "the device knows nothing of frames";
	case -EPERM:
	case -EACCES:
	case -EBADF:
		return "the device may not be written to";
	default:
		return "the device did not take the ticket";
	}
}

void nst_run_capture_trigger(struct nst_call *call)
{
	struct nst_dev_capture ticket;
	struct wanted w;
	s64 deadline_ms;
	u64 id;
	int r;

	if (!get_wanted(call, &w))
		return;
	if (!get_time(call, &w, "deadline_ms", NULL, 1, &deadline_ms))
		return;
	if (w.s->state == NST_SENSOR_WATCHED) {
		nst_call_error(call, -EROFS, "nstd touches no device in a dry "
			       "run");
		return;
	}
	ticket = (struct nst_dev_capture){
		.temp_mc = w.temp_mc == NST_TEMP_NONE_MC ? NST_TEMP_MAX_MC
			: w.temp_mc - w.s->gov.profile->sensors
				[w.s->gov.sensor].accuracy_mc,
		.deadline_us = (u32)deadline_ms * 1000,
		.frames = (u32)w.frames,
	};
	if (ticket.temp_mc < NST_TEMP_MIN_MC)
		ticket.temp_mc = NST_TEMP_MIN_MC;
	r = nst_captures_add(call->m, call->c, w.s, &ticket, &id);
	if (r) {
		nst_call_error(call, r, refusal(r));
		return;
	}
	nst_call_begin(call);
	nst_out_printf(call->o, "{\"ticket\":%" PRIu64 ",\"temp_mc\":%d,"
		       "\"deadline_ms\":%" PRId64 ",\"frames\":%" PRId64 "}",
		       id, ticket.temp_mc, deadline_ms, w.frames);
	nst_call_end(call);
}
