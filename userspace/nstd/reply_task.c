// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* reply_task.c - tasks that clients bring, change and take back */
#include <errno.h>

#include "possible.h"
#include "reply_call.h"

/* What the task asks for at the present light, and what came of all. */
static void answer(struct nst_call *call, const char *name)
{
	const struct nst_profile_task *t = nst_tasks_find(call->m, name);
	const struct nst_profile *p = &call->m->profile[call->m->in_use];
	const struct nst_sensor *s = NULL;
	s32 limit_mc = NST_TEMP_NONE_MC;

	if (t) {
		s = nst_manager_find(call->m, p->sensors[t->sensor].name);
		(void)nst_tasks_limit(call->m, name, &limit_mc);
	}
	nst_call_begin(call);
	nst_out_printf(call->o, "{\"name\":");
	nst_out_string(call->o, name);
	nst_out_temp(call->o, "limit_mc", limit_mc);
	nst_out_printf(call->o, ",\"governed\":%s}",
		       s && s->state == NST_SENSOR_GOVERNED ? "true"
							    : "false");
	nst_call_end(call);
}

static const char *name_of(const struct nst_call *call)
{
	const struct nst_member *m = nst_request_find(call->req, "name");

	return m && m->type == NST_MEMBER_STRING ? m->text : "";
}

void nst_run_task_add(struct nst_call *call)
{
	char what[400];
	int r = nst_tasks_add(call->m, call->c, call->req, call->now_ms, what,
			      sizeof(what));

	if (r)
		nst_call_error(call, r, what);
	else
		answer(call, name_of(call));
}

void nst_run_task_update(struct nst_call *call)
{
	char what[400];
	int r = nst_tasks_update(call->m, call->c, call->req, call->now_ms,
				 what, sizeof(what));

	if (r)
		nst_call_error(call, r, what);
	else
		answer(call, name_of(call));
}

void nst_run_task_remove(struct nst_call *call)
{
	const char *name;
	char what[400];
	int r;

	if (!nst_call_string(call, "name", &name))
		return;
	r = nst_tasks_remove(call->m, call->c, name, call->now_ms, what,
			     sizeof(what));
	if (r)
		nst_call_error(call, r, what);
	else
		nst_call_ok(call);
}
