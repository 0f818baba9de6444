// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reply.c - what each request of the socket does
 *
 * One table: the name, who may ask, the members it has, the function. A
 * member that a request does not have is an error that names those it has,
 * since a misspelt one would otherwise be silently without effect.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "manager.h"
#include "reply.h"

#define PROTOCOL 1
#define WAIT_MAX_MS 10000
#define MEMBERS_MAX 8
#define STOP_FRAMES_MAX 1000
#define DWELL_MS_MAX 600000

struct call {
	struct nst_manager *m;
	struct nst_client *c;
	const struct nst_request *req;
	u64 now_ms;
	struct nst_out *o;
	bool later;
};

struct request_type {
	const char *name;
	bool admin;
	const char *member[MEMBERS_MAX];	/* beside "id" and "req" */
	void (*run)(struct call *call);
};

/* -------------------------------------------------------------- answers */

void nst_reply_error(struct nst_out *o, const char *id, int err,
		     const char *what)
{
	const char *name = strerrorname_np(-err);

	nst_out_printf(o, "{\"id\":%s,\"error\":{\"errno\":\"%s\",\"what\":",
		       id, name ? name : "EIO");
	nst_out_string(o, what);
	nst_out_printf(o, "}}");
}

static void error(struct call *call, int err, const char *what)
{
	nst_reply_error(call->o, call->req->id, err, what);
}

static void begin_ok(struct call *call)
{
	nst_out_printf(call->o, "{\"id\":%s,\"ok\":", call->req->id);
}

static void end_ok(struct call *call)
{
	nst_out_printf(call->o, "}");
}

static void ok(struct call *call)
{
	begin_ok(call);
	nst_out_printf(call->o, "{}");
	end_ok(call);
}

/* -------------------------------------------------------------- members */

static bool get_string(struct call *call, const char *key, const char **ret)
{
	const struct nst_member *m = nst_request_find(call->req, key);
	char what[80];

	if (m && m->type == NST_MEMBER_STRING) {
		*ret = m->text;
		return true;
	}
	snprintf(what, sizeof(what), "\"%s\" has to be a string", key);
	error(call, -EINVAL, what);
	return false;
}

static bool get_int(struct call *call, const char *key, s64 min, s64 max,
		    s64 *ret)
{
	const struct nst_member *m = nst_request_find(call->req, key);
	char what[120];

	if (m && m->type == NST_MEMBER_INT && m->number >= min &&
	    m->number <= max) {
		*ret = m->number;
		return true;
	}
	snprintf(what, sizeof(what), "\"%s\" has to be a whole number from %"
		 PRId64 " to %" PRId64, key, min, max);
	error(call, m && m->type == NST_MEMBER_INT ? -ERANGE : -EINVAL, what);
	return false;
}

static struct nst_sensor *get_sensor(struct call *call)
{
	struct nst_manager *m = call->m;
	struct nst_sensor *s;
	const char *name;
	char what[400];
	int len;

	if (!get_string(call, "sensor", &name))
		return NULL;
	s = nst_manager_find(m, name);
	if (s)
		return s;
	len = snprintf(what, sizeof(what), "no sensor \"%.40s\", there are:",
		       name);
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++)
		if (m->sensor[i].used && len < (int)sizeof(what))
			len += snprintf(what + len, sizeof(what) - (size_t)len,
					" %s", m->sensor[i].name);
	error(call, -ENOENT, what);
	return NULL;
}

/* --------------------------------------------------------------- frames */

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
		      const struct nst_verdict *v)
{
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
	nst_out_printf(o, ",\"power_mw\":%u,\"exposure_us\":%u,\"iso\":%u,"
		       "\"lux_milli\":%u,\"delivered\":%s,\"reason\":",
		       v->power_mw, v->exposure_us, v->iso, v->lux_milli,
		       v->outcome == NST_DELIVERED ? "true" : "false");
	nst_out_string(o, nst_verdict_reason(v));
	nst_out_printf(o, "}");
}

static void wait_for(struct call *call, const struct nst_sensor *s, u64 seq,
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
	error(call, -EBUSY, "too many requests wait for their frames");
}

static void run_frame_get(struct call *call)
{
	const struct nst_verdict *v;
	struct nst_sensor *s;
	s64 seq, wait_ms = 0;
	int err;

	s = get_sensor(call);
	if (!s || !get_int(call, "seq", 0, INT64_MAX, &seq))
		return;
	if (nst_request_find(call->req, "wait_ms") &&
	    !get_int(call, "wait_ms", 0, WAIT_MAX_MS, &wait_ms))
		return;
	v = nst_gov_verdict(&s->gov, (u64)seq, &err);
	if (v)
		nst_reply_frame(call->o, call->req->id, v);
	else if (err == -EAGAIN && wait_ms)
		wait_for(call, s, (u64)seq, wait_ms);
	else
		nst_reply_frame_missing(call->o, call->req->id, err);
}

static void run_subscribe(struct call *call)
{
	struct nst_manager *m = call->m;
	char line[NST_REC_META_LEN];
	bool first = true;

	begin_ok(call);
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
	end_ok(call);
	call->c->subscribed = true;
}

/* --------------------------------------------------------------- status */

static void put_temperature(const struct nst_sensor *s, struct nst_out *o)
{
	const struct nst_governor *g = &s->gov;
	const struct nst_sample *sample = &g->state.sample[0];
	u8 state = NST_SAMPLE_NO_DATA;

	if (s->dev && g->started)
		state = g->period[g->last_seq % NST_GOV_PERIODS].temp_state;
	if (state == NST_SAMPLE_VALID)
		nst_out_temp(o, "temp_mc", sample->value_mc);
	nst_out_printf(o, ",\"temp_state\":\"%s\"",
		       nst_rec_state_name((enum nst_sample_state)state));
	if (s->dev && nst_gov_trusted(g))
		nst_out_temp(o, "model_mc", nst_observer_die_mc(&g->obs));
}

static void put_limits(const struct nst_sensor *s, struct nst_out *o)
{
	const struct nst_governor *g = &s->gov;

	nst_out_temp(o, "limit_mc", g->vision_mc);
	nst_out_printf(o, ",\"thresholds\":{\"auto\":%s",
		       g->automatic ? "true" : "false");
	nst_out_temp(o, "high_mc", g->pc.thr.high_mc);
	nst_out_temp(o, "low_mc", g->pc.thr.low_mc);
	nst_out_temp(o, "capture_mc", g->pc.thr.capture_mc);
	nst_out_temp(o, "max_mc", g->pc.thr.max_mc);
	nst_out_printf(o, "},\"limits_met\":%s", g->pc_err ? "false" : "true");
}

static void put_headroom(const struct nst_governor *g, struct nst_out *o)
{
	u32 permyriad, ms;

	if (nst_gov_headroom(g, &permyriad, &ms))
		return;
	nst_out_printf(o, ",\"headroom\":{\"permyriad\":%u", permyriad);
	if (ms != UINT32_MAX)
		nst_out_printf(o, ",\"limit_in_ms\":%u", ms);
	nst_out_printf(o, "}");
}

static void put_stats(const struct nst_governor *g, struct nst_out *o)
{
	const struct nst_gov_stats *s = &g->stats;
	u32 mean_mw, far_mw;

	nst_gov_mean_power_mw(g, &mean_mw, &far_mw);
	nst_out_printf(o, ",\"duty_permyriad\":%" PRIu64 ",\"mean_power_mw\":%u"
		       ",\"full_far_power_mw\":%u,\"saving_permyriad\":%d",
		       s->frames ? s->near * NST_PERMYRIAD / s->frames : 0,
		       mean_mw, far_mw, nst_gov_saving_permyriad(g));
	nst_out_printf(o, ",\"time_us\":%" PRIu64 ",\"energy_uj\":%" PRIu64
		       ",\"frames\":%" PRIu64 ",\"frames_delivered\":%" PRIu64
		       ",\"frames_withheld\":%" PRIu64 ",\"frames_dropped\":%"
		       PRIu64 ",\"frames_missed\":%" PRIu64, s->time_us,
		       s->energy_nj / 1000, s->frames, s->delivered,
		       s->withheld, s->dropped, s->missed);
	nst_out_printf(o, ",\"switches\":%" PRIu64 ",\"violations\":%" PRIu64
		       ",\"late_decisions\":%" PRIu64 ",\"sensor_faults\":%"
		       PRIu64 ",\"act_delay_frames\":%u", s->switches,
		       s->violations, s->late, s->sensor_faults,
		       g->delay_frames);
}

static void put_sensor(const struct nst_sensor *s, struct nst_out *o)
{
	const struct nst_governor *g = &s->gov;
	const struct nst_dev_state *state = &g->state;

	nst_out_printf(o, "{\"name\":");
	nst_out_string(o, s->name);
	nst_out_printf(o, ",\"device\":");
	nst_out_string(o, s->dev ? s->info.node : s->selector);
	nst_out_printf(o, ",\"state\":");
	nst_out_string(o, nst_sensor_state_text(s));
	put_temperature(s, o);
	put_limits(s, o);
	if (s->dev && g->started)
		nst_out_printf(o, ",\"gate\":\"%s\",\"guard\":%s,"
			       "\"bound_permyriad\":%u,\"frame_seq\":%" PRIu64
			       ",\"frame_period_us\":%u",
			       nst_gate_name((enum nst_gate)state->gate),
			       state->guard ? "true" : "false",
			       state->bound_permyriad, state->frame_seq,
			       state->frame_period_us);
	nst_out_printf(o, ",\"placement\":\"%s\",\"reason\":",
		       nst_placement_name((enum nst_placement)g->placement));
	nst_out_string(o, nst_reason_text((enum nst_reason)g->why));
	nst_out_printf(o, ",\"policy\":\"%s\",\"light\":{\"source\":\"%s\","
		       "\"exposure_us\":%u,\"iso\":%u,\"lux_milli\":%u}",
		       g->policy->name, s->cam ? "camera" : "profile",
		       g->light.exposure_us, g->light.iso,
		       g->light.lux_milli);
	put_stats(g, o);
	put_headroom(g, o);
	nst_out_printf(o, "}");
}

void nst_reply_status(const struct nst_manager *m, struct nst_out *o)
{
	bool first = true;

	nst_out_printf(o, "{\"profile\":");
	nst_out_string(o, m->config.profile_path);
	nst_out_printf(o, ",\"pid\":%d,\"uptime_ms\":%" PRIu64 ",\"reloads\":%"
		       PRIu64 ",\"dry_run\":%s,\"power_source\":\"model\","
		       "\"sensors\":[", (int)getpid(),
		       nst_now_ms() - m->started_ms, m->reloads,
		       m->config.env->dry_run ? "true" : "false");
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		if (!m->sensor[i].used)
			continue;
		nst_out_printf(o, "%s", first ? "" : ",");
		put_sensor(&m->sensor[i], o);
		first = false;
	}
	nst_out_printf(o, "]}");
}

static void run_status(struct call *call)
{
	begin_ok(call);
	nst_reply_status(call->m, call->o);
	end_ok(call);
}

static void run_hello(struct call *call)
{
	begin_ok(call);
	nst_out_printf(call->o, "{\"name\":\"nstd\",\"protocol\":%d,\"pid\":%d"
		       ",\"admin\":%s}", PROTOCOL, (int)getpid(),
		       call->c->admin ? "true" : "false");
	end_ok(call);
}

/* -------------------------------------------------------------- changes */

static const struct nst_policy_ops *get_policy(struct call *call)
{
	const struct nst_policy_ops *policy;
	const char *name;
	char what[256];
	int len;

	if (!get_string(call, "policy", &name))
		return NULL;
	policy = nst_policy_find(name);
	if (policy)
		return policy;
	len = snprintf(what, sizeof(what), "no policy \"%.40s\", there are:",
		       name);
	for (int i = 0; nst_policies[i]->name && len < (int)sizeof(what); i++)
		len += snprintf(what + len, sizeof(what) - (size_t)len, " %s",
				nst_policies[i]->name);
	error(call, -EINVAL, what);
	return NULL;
}

/* All of it or nothing: everything is looked at before anything is set. */
static void run_policy_set(struct call *call)
{
	bool has_policy = nst_request_find(call->req, "policy");
	bool has_stop = nst_request_find(call->req, "stop_frames");
	bool has_dwell = nst_request_find(call->req, "dwell_ms");
	const struct nst_policy_ops *policy = NULL;
	s64 stop = 0, dwell = 0;
	struct nst_sensor *s = get_sensor(call);

	if (!s)
		return;
	if (!has_policy && !has_stop && !has_dwell) {
		error(call, -EINVAL, "nothing to set: \"policy\", "
		      "\"stop_frames\" or \"dwell_ms\" is needed");
		return;
	}
	if (has_policy) {
		policy = get_policy(call);
		if (!policy)
			return;
	}
	if (has_stop && !get_int(call, "stop_frames", 1, STOP_FRAMES_MAX,
				 &stop))
		return;
	if (has_dwell && !get_int(call, "dwell_ms", 0, DWELL_MS_MAX, &dwell))
		return;

	if (policy && policy != s->gov.policy) {
		nst_log(NST_LOG_NOTICE, "%s: policy %s -> %s, asked by uid %u",
			s->name, s->gov.policy->name, policy->name,
			(unsigned int)call->c->uid);
		s->gov.policy = policy;
		nst_policy_reset(&s->gov.ps);
	}
	if (has_stop)
		s->gov.stop_frames = (u32)stop;
	if (has_dwell)
		s->gov.dwell_ms = (u32)dwell;
	s->gov.stale = true;
	ok(call);
}

static void run_reload(struct call *call)
{
	char what[512];
	int r;

	nst_log(NST_LOG_NOTICE, "reload, asked by uid %u",
		(unsigned int)call->c->uid);
	r = nst_manager_reload(call->m, what, sizeof(what));
	if (r)
		error(call, r, what);
	else
		ok(call);
}

static void run_stop_recording(struct call *call)
{
	if (!call->m->recording.file) {
		error(call, -ENOENT, "nothing is recorded to a file");
		return;
	}
	nst_recording_close(&call->m->recording, call->m->sensor);
	ok(call);
}

/* ---------------------------------------------------------------- table */

static const struct request_type types[] = {
	{ "hello", false, { NULL }, run_hello },
	{ "status", false, { NULL }, run_status },
	{ "frame.get", false, { "sensor", "seq", "wait_ms" }, run_frame_get },
	{ "subscribe", false, { NULL }, run_subscribe },
	{ "policy.set", true, { "sensor", "policy", "stop_frames",
				"dwell_ms" }, run_policy_set },
	{ "reload", true, { NULL }, run_reload },
	{ "stop-recording", true, { NULL }, run_stop_recording },
};

#define TYPES (sizeof(types) / sizeof(types[0]))

static void unknown_request(struct call *call, const char *name)
{
	char what[256];
	int len;

	len = snprintf(what, sizeof(what), "no request \"%.40s\", there are:",
		       name);
	for (size_t i = 0; i < TYPES && len < (int)sizeof(what); i++)
		len += snprintf(what + len, sizeof(what) - (size_t)len, " %s",
				types[i].name);
	error(call, -EINVAL, what);
}

static bool has_member(const struct request_type *t, const char *key)
{
	if (!strcmp(key, "id") || !strcmp(key, "req"))
		return true;
	for (int i = 0; i < MEMBERS_MAX && t->member[i]; i++)
		if (!strcmp(t->member[i], key))
			return true;
	return false;
}

static bool check_members(struct call *call, const struct request_type *t)
{
	for (unsigned int i = 0; i < call->req->count; i++) {
		const char *key = call->req->member[i].key;
		char what[256];
		int len;

		if (has_member(t, key))
			continue;
		len = snprintf(what, sizeof(what), "%s has no member "
			       "\"%.40s\", it has: id req", t->name, key);
		for (int j = 0; j < MEMBERS_MAX && t->member[j]; j++)
			len += snprintf(what + len, sizeof(what) - (size_t)len,
					" %s", t->member[j]);
		error(call, -EINVAL, what);
		return false;
	}
	return true;
}

bool nst_reply(struct nst_manager *m, struct nst_client *c,
	       const struct nst_request *req, u64 now_ms, struct nst_out *o)
{
	struct call call = { .m = m, .c = c, .req = req, .now_ms = now_ms,
			     .o = o };
	const struct request_type *t = NULL;
	const char *name;

	if (!get_string(&call, "req", &name))
		return true;
	for (size_t i = 0; i < TYPES && !t; i++)
		if (!strcmp(types[i].name, name))
			t = &types[i];
	if (!t)
		unknown_request(&call, name);
	else if (t->admin && !c->admin)
		error(&call, -EPERM, "this request needs root or membership "
		      "in group nst-admin");
	else if (check_members(&call, t))
		t->run(&call);
	return !call.later;
}
