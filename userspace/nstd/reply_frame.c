// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* reply_frame.c - verdicts on frames, asked for or subscribed to */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "reply_call.h"

#define WAIT_MAX_MS 10000

void nst_reply_frame(struct nst_out *o, const char *id,
		     const struct nst_verdict *v)
{
	nst_out_printf(o, "{\"id\":%s,\"ok\":{\"seq\":%" PRIu64, id, v->seq);
	nst_out_temp(o, "exposure_temp_mc", v->exposure_temp_mc);
	nst_out_temp(o, "limit_mc", v->limit_mc);
	nst_out_printf(o, ",\"placement\":\"%s\",\"deliver\":%s,\"reason\":",
		       nst_placement_name((enum nst_placement)v->placement),
		       v->outcome == NST_DELIVERED ? "true" : "false");
	nst_out_string(o, nst_verdict_reason(v));
	nst_out_printf(o, "}}");
}

void nst_reply_frame_missing(struct nst_out *o, const char *id, int err)
{
	nst_reply_error(o, id, err, err == -EAGAIN
			? "the verdict on this frame is not known yet"
			: "no verdict on this frame: it is too old, or was "
			  "missed");
}

void nst_reply_record(struct nst_out *o, const char *sensor,
		      const struct nst_governor *g,
		      const struct nst_verdict *v)
{
	s32 snr_cdb;

	nst_out_printf(o, "{\"seq\":%" PRIu64 ",\"t_us\":%" PRIu64
		       ",\"sensor\":", v->seq, v->t_us);
	nst_out_string(o, sensor);
	if (v->temp_state == NST_SAMPLE_VALID)
		nst_out_temp(o, "temp_mc", v->temp_mc);
	nst_out_printf(o, ",\"temp_state\":\"%s\",\"gate\":\"%s\","
		       "\"placement\":\"%s\"",
		       nst_rec_state_name((enum nst_sample_state)v->temp_state),
		       nst_gate_name((enum nst_gate)v->gate),
		       nst_placement_name((enum nst_placement)v->placement));
	nst_out_temp(o, "exposure_temp_mc", v->exposure_temp_mc);
	nst_out_temp(o, "limit_mc", v->limit_mc);
	nst_out_temp(o, "high_mc", v->high_mc);
	nst_out_temp(o, "low_mc", v->low_mc);
	nst_out_temp(o, "max_mc", v->max_mc);
	nst_out_temp(o, "ambient_mc", v->ambient_mc);
	if (!nst_verdict_snr_cdb(g, v, &snr_cdb))
		nst_out_printf(o, ",\"snr_cdb\":%d", snr_cdb);
	nst_out_printf(o, ",\"power_mw\":%u,\"exposure_us\":%u,\"iso\":%u,"
		       "\"lux_milli\":%u,\"delivered\":%s,\"reason\":",
		       v->power_mw, v->exposure_us, v->iso, v->lux_milli,
		       v->outcome == NST_DELIVERED ? "true" : "false");
	nst_out_string(o, nst_verdict_reason(v));
	nst_out_printf(o, "}");
}

static void wait_for(struct nst_call *call, const struct nst_sensor *s, u64 seq,
		     s64 wait_ms)
{
	struct nst_client *c = call->c;

	for (int i = 0; i < NST_SERVER_WAITS; i++) {
		struct nst_wait *w = &c->wait[i];

		if (w->used)
			continue;
		*w = (struct nst_wait){
			.used = true,
			.slot = s->slot,
			.seq = seq,
			.until_ms = call->now_ms + (u64)wait_ms,
		};
		strcpy(w->id, call->req->id);
		c->waits++;
		call->later = true;
		return;
	}
	nst_call_error(call, -EBUSY, "too many requests wait for their frames");
}

void nst_run_frame_get(struct nst_call *call)
{
	const struct nst_verdict *v;
	struct nst_sensor *s;
	s64 seq, wait_ms = 0;
	int err;

	s = nst_call_sensor(call);
	if (!s || !nst_call_int(call, "seq", 0, INT64_MAX, &seq))
		return;
	if (nst_request_find(call->req, "wait_ms") &&
	    !nst_call_int(call, "wait_ms", 0, WAIT_MAX_MS, &wait_ms))
		return;
	v = nst_gov_verdict(&s->gov, (u64)seq, &err);
	if (v)
		nst_reply_frame(call->o, call->req->id, v);
	else if (err == -EAGAIN && wait_ms)
		wait_for(call, s, (u64)seq, wait_ms);
	else
		nst_reply_frame_missing(call->o, call->req->id, err);
}

static bool get_bool(struct nst_call *call, const char *key, bool missing,
		     bool *ret)
{
	const struct nst_member *m = nst_request_find(call->req, key);

	*ret = m ? m->truth : missing;
	if (!m || m->type == NST_MEMBER_BOOL)
		return true;
	nst_call_errorf(call, -EINVAL, "\"%s\" has to be true or false", key);
	return false;
}

/* Frames unless said otherwise; the last subscription is the one in force. */
void nst_run_subscribe(struct nst_call *call)
{
	struct nst_manager *m = call->m;
	char line[NST_REC_META_LEN];
	bool first = true, frames, events;

	if (!get_bool(call, "frames", true, &frames) ||
	    !get_bool(call, "events", false, &events))
		return;
	nst_call_begin(call);
	nst_out_printf(call->o, "{\"meta\":[");
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		if (!m->sensor[i].used)
			continue;
		nst_cursor_init(&call->c->cursor[i], &m->sensor[i].gov);
		nst_recording_meta(&m->sensor[i], line, sizeof(line));
		nst_out_printf(call->o, "%s", first ? "" : ",");
		nst_out_string(call->o, line);
		first = false;
	}
	nst_out_printf(call->o, "]}");
	nst_call_end(call);
	call->c->subscribed = frames;
	call->c->events = events;
}
