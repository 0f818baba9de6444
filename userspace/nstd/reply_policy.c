// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* reply_policy.c - what needs root or group nst-admin */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "reply_call.h"

#define STOP_FRAMES_MAX 1000
#define DWELL_MS_MAX 600000

static const struct nst_policy_ops *get_policy(struct nst_call *call)
{
	const struct nst_policy_ops *policy;
	const char *name;
	char what[256];
	int len;

	if (!nst_call_string(call, "policy", &name))
		return NULL;
	policy = nst_policy_find(name);
	if (policy)
		return policy;
	len = snprintf(what, sizeof(what), "no policy \"%.40s\", there are:",
		       name);
	for (int i = 0; nst_policies[i]->name && len < (int)sizeof(what); i++)
		len += snprintf(what + len, sizeof(what) - (size_t)len, " %s",
				nst_policies[i]->name);
	nst_call_error(call, -EINVAL, what);
	return NULL;
}

/* All of it or nothing: everything is looked at before anything is set. */
void nst_run_policy_set(struct nst_call *call)
{
	bool has_policy = nst_request_find(call->req, "policy");
	bool has_stop = nst_request_find(call->req, "stop_frames");
	bool has_dwell = nst_request_find(call->req, "dwell_ms");
	const struct nst_policy_ops *policy = NULL;
	s64 stop = 0, dwell = 0;
	struct nst_sensor *s = nst_call_sensor(call);
	char what[256];

	if (!s)
		return;
	if (!has_policy && !has_stop && !has_dwell) {
		nst_call_error(call, -EINVAL, "nothing to set: \"policy\", "
		      "\"stop_frames\" or \"dwell_ms\" is needed");
		return;
	}
	if (has_policy) {
		policy = get_policy(call);
		if (!policy)
			return;
	}
	if (policy && !policy->drops &&
	    nst_shares_fit(s, what, sizeof(what))) {
		nst_call_error(call, -EDOM, what);
		return;
	}
	if (has_stop && !nst_call_int(call, "stop_frames", 1, STOP_FRAMES_MAX,
				 &stop))
		return;
	if (has_dwell && !nst_call_int(call, "dwell_ms", 0, DWELL_MS_MAX, &dwell))
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
	nst_call_ok(call);
}

void nst_run_reload(struct nst_call *call)
{
	char what[512];
	int r;

	nst_log(NST_LOG_NOTICE, "reload, asked by uid %u",
		(unsigned int)call->c->uid);
	r = nst_manager_reload(call->m, what, sizeof(what));
	if (r)
		nst_call_error(call, r, what);
	else
		nst_call_ok(call);
}

void nst_run_stop_recording(struct nst_call *call)
{
	if (!call->m->recording.file) {
		nst_call_error(call, -ENOENT, "nothing is recorded to a file");
		return;
	}
	nst_recording_close(&call->m->recording, call->m->sensor);
	nst_call_ok(call);
}
