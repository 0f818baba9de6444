// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reply.c - the table of requests, and what all of them have in common
 *
 * One table: the name, who may ask, the members it has, the function. A
 * member that a request does not have is an error that names those it has,
 * since a misspelt one would otherwise be silently without effect. The
 * functions are in reply_*.c, by what they are about.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "reply_call.h"

static const struct nst_request_type types[] = {
	{ "hello", 0, { NULL }, nst_run_hello },
	{ "status", 0, { NULL }, nst_run_status },
	{ "frame.get", 0, { "sensor", "seq", "wait_ms" }, nst_run_frame_get },
	{ "subscribe", 0, { "frames", "events" }, nst_run_subscribe },
	{ "snapshot", 0, { "sensor" }, nst_run_snapshot },
	{ "task.add", NST_CALL_OPEN | NST_CALL_COSTLY, { NULL }, nst_run_task_add },
	{ "task.update", NST_CALL_OPEN | NST_CALL_COSTLY, { NULL }, nst_run_task_update },
	{ "task.remove", NST_CALL_COSTLY, { "name" }, nst_run_task_remove },
	{ "capture.ask", NST_CALL_COSTLY, { "task", "sensor", "temp_mc", "in_ms",
			      "frames" }, nst_run_capture_ask },
	{ "capture.trigger", 0, { "task", "sensor", "temp_mc", "deadline_ms",
				  "frames" }, nst_run_capture_trigger },
	{ "frame.report", 0, { "sensor", "seq", "temp_mc", "exposure_us",
			       "iso", "lux_milli", "frame_us", "measured",
			       "snr_cdb", "snr_low_cdb", "dark_measured",
			       "dark_snr_cdb", "dark_snr_low_cdb",
			       "imports", "copies" },
	  nst_run_frame_report },
	{ "worker.register", 0, { "task", "home" }, nst_run_worker_register },
	{ "worker.ready", 0, { "epoch" }, nst_run_worker_ready },
	{ "worker.state", NST_CALL_FD, { "epoch", "seq" },
	  nst_run_worker_state },
	{ "worker.copied", 0, { "epoch", "seq" }, nst_run_worker_copied },
	{ "worker.failed", 0, { "epoch", "what" }, nst_run_worker_failed },
	{ "worker.ack", 0, { "epoch", "seq" }, nst_run_worker_ack },
	{ "worker.done", 0, { "seq", "checksum" }, nst_run_worker_done },
	{ "worker.leave", 0, { NULL }, nst_run_worker_leave },
	{ "policy.set", NST_CALL_ADMIN, { "sensor", "policy", "stop_frames",
					  "dwell_ms" }, nst_run_policy_set },
	{ "reload", NST_CALL_ADMIN, { NULL }, nst_run_reload },
	{ "stop-recording", NST_CALL_ADMIN, { NULL },
	  nst_run_stop_recording },
};

#define TYPES (sizeof(types) / sizeof(types[0]))

static void unknown_request(struct nst_call *call, const char *name)
{
	char what[512];
	int len;

	len = snprintf(what, sizeof(what), "no request \"%.40s\", there are:",
		       name);
	for (size_t i = 0; i < TYPES && len < (int)sizeof(what); i++)
		len += snprintf(what + len, sizeof(what) - (size_t)len, " %s",
				types[i].name);
	nst_call_error(call, -EINVAL, what);
}

static bool has_member(const struct nst_request_type *t, const char *key)
{
	if (!strcmp(key, "id") || !strcmp(key, "req"))
		return true;
	for (int i = 0; i < NST_CALL_MEMBERS_MAX && t->member[i]; i++)
		if (!strcmp(t->member[i], key))
			return true;
	return false;
}

static bool check_members(struct nst_call *call,
			  const struct nst_request_type *t)
{
	for (unsigned int i = 0; i < call->req->count; i++) {
		const char *key = call->req->member[i].key;
		char what[512];
		int len;

		if (has_member(t, key))
			continue;
		len = snprintf(what, sizeof(what), "%s has no member "
			       "\"%.40s\", it has: id req", t->name, key);
		for (int j = 0; j < NST_CALL_MEMBERS_MAX && t->member[j] &&
		     len < (int)sizeof(what); j++)
			len += snprintf(what + len, sizeof(what) - (size_t)len,
					" %s", t->member[j]);
		nst_call_error(call, -EINVAL, what);
		return false;
	}
	return true;
}

/*
 * What takes milliseconds must not keep the loop from its frames when somebody
 * asks for it without end.
 */
#define COSTLY_AT_ONCE 64
#define COSTLY_EVERY_MS 50

static bool take_turn(struct nst_client *c, u64 now_ms)
{
	u64 more = (now_ms - c->costly_ms) / COSTLY_EVERY_MS;

	if (!c->costly_ms || more >= COSTLY_AT_ONCE - c->costly) {
		c->costly = COSTLY_AT_ONCE;
		c->costly_ms = now_ms;
	} else {
		c->costly += (unsigned int)more;
		c->costly_ms += more * COSTLY_EVERY_MS;
	}
	if (!c->costly)
		return false;
	c->costly--;
	return true;
}

static void carry_out(struct nst_call *call, const char *name)
{
	const struct nst_request_type *t = NULL;

	for (size_t i = 0; i < TYPES && !t; i++)
		if (!strcmp(types[i].name, name))
			t = &types[i];
	if (!t)
		unknown_request(call, name);
	else if ((t->flags & NST_CALL_ADMIN) && !call->c->admin)
		nst_call_error(call, -EPERM, "this request needs root or "
			       "membership in group nst-admin");
	else if (call->fd >= 0 && !(t->flags & NST_CALL_FD))
		nst_call_errorf(call, -EINVAL, "%s takes no file descriptor",
				t->name);
	else if ((t->flags & NST_CALL_COSTLY) &&
		 !take_turn(call->c, call->now_ms))
		nst_call_errorf(call, -EAGAIN, "too much at once: a client has "
				"%d of these requests, and 20 more a second",
				COSTLY_AT_ONCE);
	else if ((t->flags & NST_CALL_OPEN) || check_members(call, t))
		t->run(call);
}

bool nst_reply(struct nst_manager *m, struct nst_client *c,
	       const struct nst_request *req, int fd, u64 now_ms,
	       struct nst_out *o, int *ret_fd)
{
	struct nst_call call = { .m = m, .c = c, .req = req, .now_ms = now_ms,
				 .o = o, .fd = fd, .send_fd = -1 };
	const char *name;

	if (nst_call_string(&call, "req", &name))
		carry_out(&call, name);
	if (call.fd >= 0)
		close(call.fd);
	*ret_fd = call.send_fd;
	return !call.later;
}
