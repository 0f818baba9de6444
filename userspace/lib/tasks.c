// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* tasks.c - what a program needs, and captures: see nst/libnst.h */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "conn.h"

/* --------------------------------------------------------------- tasks */

LIBNST_API void nst_task_init(struct nst_task *task, const char *name,
			      const char *sensor, enum nst_kind kind)
{
	memset(task, 0, sizeof(*task));
	task->name = name;
	task->sensor = sensor;
	task->kind = kind;
	task->min_snr_db = NAN;
	task->max_accuracy_drop_percent = NAN;
	task->max_temp_mc = NST_NO_TEMP;
}

/* With "null" for what is not asked for: an update takes it away. */
static void put_task(struct libnst_out *o, const struct nst_task *t,
		     bool whole)
{
	libnst_put_text(o, "name", t->name);
	libnst_put_text(o, "sensor", t->sensor);
	libnst_put_text(o, "kind", t->kind == NST_KIND_IMAGING ? "imaging"
							       : "vision");
	if (!isnan(t->min_snr_db))
		libnst_put_real(o, "min_snr_db", t->min_snr_db);
	else if (whole)
		libnst_put(o, ",\"min_snr_db\":null");
	if (t->max_temp_mc != NST_NO_TEMP)
		libnst_put_int(o, "max_temp_mc", t->max_temp_mc);
	else if (whole)
		libnst_put(o, ",\"max_temp_mc\":null");
	if (!isnan(t->max_accuracy_drop_percent))
		libnst_put_real(o, "max_accuracy_drop_percent",
				t->max_accuracy_drop_percent);
	else if (whole)
		libnst_put(o, ",\"max_accuracy_drop_percent\":null");
	if (t->accuracy_curve)
		libnst_put_text(o, "accuracy_curve", t->accuracy_curve);
	else if (whole)
		libnst_put(o, ",\"accuracy_curve\":null");
	if (t->fps)
		libnst_put_int(o, "fps", t->fps);
	else if (whole)
		libnst_put(o, ",\"fps\":null");
	if (t->deadline_ms)
		libnst_put_int(o, "deadline_ms", t->deadline_ms);
	else if (whole)
		libnst_put(o, ",\"deadline_ms\":null");
	if (t->policy)
		libnst_put_text(o, "policy", t->policy);
}

static int send_task(struct nst_conn *conn, const char *req,
		     const struct nst_task *task, bool whole,
		     int32_t *ret_limit_mc)
{
	struct libnst_value ok = { 0 };
	int r;

	if (!task->name || !task->sensor)
		return libnst_fail(conn, -EINVAL, "a task has a name and a "
				   "sensor");
	put_task(libnst_begin(conn, req), task, whole);
	r = libnst_send(conn, -1, &ok);
	if (!r && ret_limit_mc)
		*ret_limit_mc = (int32_t)libnst_int(libnst_get(ok, "limit_mc"),
						    NST_NO_TEMP);
	return r;
}

LIBNST_API int nst_task_add(struct nst_conn *conn, const struct nst_task *task,
			    int32_t *ret_limit_mc)
{
	return send_task(conn, "task.add", task, false, ret_limit_mc);
}

LIBNST_API int nst_task_update(struct nst_conn *conn,
			       const struct nst_task *task,
			       int32_t *ret_limit_mc)
{
	return send_task(conn, "task.update", task, true, ret_limit_mc);
}

LIBNST_API int nst_task_set(struct nst_conn *conn, const struct nst_task *task,
			    int32_t *ret_limit_mc)
{
	int r = nst_task_update(conn, task, ret_limit_mc);

	return r == -ENOENT ? nst_task_add(conn, task, ret_limit_mc) : r;
}

LIBNST_API int nst_task_remove(struct nst_conn *conn, const char *name)
{
	libnst_put_text(libnst_begin(conn, "task.remove"), "name", name);
	return libnst_send(conn, -1, NULL);
}

/* ------------------------------------------------------------ captures */

static int put_spec(struct nst_conn *conn, const char *req,
		    const struct nst_capture_spec *spec, const char *time)
{
	struct libnst_out *o = libnst_begin(conn, req);

	if (!spec->task && !spec->sensor)
		return libnst_fail(conn, -EINVAL, "a capture is for a task, or "
				   "for a sensor and a temperature");
	if (spec->task) {
		libnst_put_text(o, "task", spec->task);
	} else {
		libnst_put_text(o, "sensor", spec->sensor);
		libnst_put_int(o, "temp_mc", spec->temp_mc);
	}
	if (spec->in_ms)
		libnst_put_int(o, time, spec->in_ms);
	if (spec->frames)
		libnst_put_int(o, "frames", spec->frames);
	return 0;
}

#define FIELD(k, t, m) { k, t, offsetof(struct nst_forecast, m), \
			 sizeof(((struct nst_forecast *)0)->m) }

static const struct libnst_field forecast_fields[] = {
	FIELD("why", LIBNST_TEXT, why),
	FIELD("temp_mc", LIBNST_S32, temp_mc),
	FIELD("reached_mc", LIBNST_S32, reached_mc),
	FIELD("margin_mc", LIBNST_S32, margin_mc),
	FIELD("exposure_in_us", LIBNST_U32, exposure_in_us),
	FIELD("gate", LIBNST_BOOL, gate),
	FIELD("gate_in_us", LIBNST_U32, gate_in_us),
	FIELD("gated_frames", LIBNST_U32, gated_frames),
	FIELD("lost_frames", LIBNST_U32, lost_frames),
	FIELD("cost_uj", LIBNST_S64, cost_uj),
	FIELD("bound_mc", LIBNST_U32, doubt_mc),
	FIELD("late_in_us", LIBNST_U32, late_in_us),
};

static enum nst_doubt doubt_of(struct libnst_value bound)
{
	static const char *const names[] = {
		[NST_DOUBT_TEMPERATURE] = "temperature",
		[NST_DOUBT_AMBIENT] = "ambient",
		[NST_DOUBT_POWER] = "power",
		[NST_DOUBT_PACKAGE] = "package",
		[NST_DOUBT_MODEL] = "model",
		[NST_DOUBT_SENSOR] = "sensor",
		[NST_DOUBT_PLANT] = "plant",
	};

	for (unsigned int i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
		if (libnst_is(bound, names[i]))
			return (enum nst_doubt)i;
	}
	return NST_DOUBT_OTHER;
}

LIBNST_API int nst_capture_ask(struct nst_conn *conn,
			       const struct nst_capture_spec *spec,
			       struct nst_forecast *ret)
{
	struct nst_forecast f = { .temp_mc = NST_NO_TEMP,
				  .reached_mc = NST_NO_TEMP,
				  .late_in_us = NST_NEVER };
	struct libnst_value ok = { 0 }, answer;
	int r;

	r = put_spec(conn, "capture.ask", spec, "in_ms");
	if (!r)
		r = libnst_send(conn, -1, &ok);
	if (r)
		return r;
	if (libnst_fill(ok, forecast_fields, sizeof(forecast_fields) /
			sizeof(forecast_fields[0]), &f, NULL))
		return libnst_fail(conn, -EPROTO, "a reply that is none");
	answer = libnst_get(ok, "answer");
	f.answer = libnst_is(answer, "yes") ? NST_ANSWER_YES :
		   libnst_is(answer, "no") ? NST_ANSWER_NO
					   : NST_ANSWER_UNCERTAIN;
	if (f.answer == NST_ANSWER_UNCERTAIN)
		f.doubt = doubt_of(libnst_get(ok, "bound"));
	*ret = f;
	return 0;
}

LIBNST_API int nst_capture_trigger(struct nst_conn *conn,
				   const struct nst_capture_spec *spec,
				   uint64_t *ret_ticket)
{
	struct libnst_value ok = { 0 };
	int r;

	r = put_spec(conn, "capture.trigger", spec, "deadline_ms");
	if (!r)
		r = libnst_send(conn, -1, &ok);
	if (!r && ret_ticket)
		*ret_ticket = (uint64_t)libnst_int(libnst_get(ok, "ticket"),
						   0);
	return r;
}

/* ------------------------------------------------------------ policies */

LIBNST_API int nst_policy_set(struct nst_conn *conn, const char *sensor,
			      const char *policy, int64_t stop_frames,
			      int64_t dwell_ms)
{
	struct libnst_out *o = libnst_begin(conn, "policy.set");

	libnst_put_text(o, "sensor", sensor);
	if (policy)
		libnst_put_text(o, "policy", policy);
	if (stop_frames >= 0)
		libnst_put_int(o, "stop_frames", stop_frames);
	if (dwell_ms >= 0)
		libnst_put_int(o, "dwell_ms", dwell_ms);
	return libnst_send(conn, -1, NULL);
}

LIBNST_API int nst_reload(struct nst_conn *conn)
{
	libnst_begin(conn, "reload");
	return libnst_send(conn, -1, NULL);
}
