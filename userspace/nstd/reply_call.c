// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* reply_call.c - members and answers of a request: see reply_call.h */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "reply_call.h"

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

void nst_call_error(struct nst_call *call, int err, const char *what)
{
	nst_reply_error(call->o, call->req->id, err, what);
}

void nst_call_errorf(struct nst_call *call, int err, const char *format, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	nst_call_error(call, err, what);
}

void nst_call_begin(struct nst_call *call)
{
	nst_out_printf(call->o, "{\"id\":%s,\"ok\":", call->req->id);
}

void nst_call_end(struct nst_call *call)
{
	nst_out_printf(call->o, "}");
}

void nst_call_ok(struct nst_call *call)
{
	nst_call_begin(call);
	nst_out_printf(call->o, "{}");
	nst_call_end(call);
}

/* -------------------------------------------------------------- members */

bool nst_call_string(struct nst_call *call, const char *key, const char **ret)
{
	const struct nst_member *m = nst_request_find(call->req, key);
	char what[80];

	if (m && m->type == NST_MEMBER_STRING) {
		*ret = m->text;
		return true;
	}
	snprintf(what, sizeof(what), "\"%s\" has to be a string", key);
	nst_call_error(call, -EINVAL, what);
	return false;
}

bool nst_call_int(struct nst_call *call, const char *key, s64 min, s64 max,
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
	nst_call_error(call, m && m->type == NST_MEMBER_INT ? -ERANGE : -EINVAL, what);
	return false;
}

struct nst_sensor *nst_call_sensor(struct nst_call *call)
{
	struct nst_manager *m = call->m;
	struct nst_sensor *s;
	const char *name;
	char what[400];
	int len;

	if (!nst_call_string(call, "sensor", &name))
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
	nst_call_error(call, -ENOENT, what);
	return NULL;
}
