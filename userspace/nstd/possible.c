// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* possible.c - what the present light lets a sensor give: see possible.h */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "manager.h"
#include "possible.h"

#define SAID_MS 10000

static const struct nst_profile_task *task_of(const struct nst_profile *p,
					      const char *name)
{
	for (unsigned int i = 0; i < p->task_count; i++)
		if (!strcmp(p->tasks[i].name, name))
			return &p->tasks[i];
	return NULL;
}

static struct nst_light present_light(const struct nst_manager *m,
				      const struct nst_profile_sensor *ps)
{
	struct nst_light light = {
		.exposure_us = ps->light.exposure_us, .iso = ps->light.iso,
	};

	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		const struct nst_sensor *s = &m->sensor[i];

		if (!s->used || strcmp(s->name, ps->name))
			continue;
		if (s->gov.light.exposure_us)
			light.exposure_us = s->gov.light.exposure_us;
		if (s->gov.light.iso)
			light.iso = s->gov.light.iso;
	}
	return light;
}

static int limit_of(const struct nst_manager *m, const struct nst_profile *p,
		    const struct nst_profile_task *t,
		    struct nst_light *ret_light, s32 *ret_mc)
{
	static struct nst_profile alone;	/* one thread */
	s32 limit_mc[2];
	int r;

	*ret_light = present_light(m, &p->sensors[t->sensor]);
	alone = *p;
	alone.tasks[0] = *t;
	alone.task_count = 1;
	r = nst_profile_demand(&alone, t->sensor, ret_light->exposure_us,
			       ret_light->iso, &limit_mc[NST_TASK_VISION],
			       &limit_mc[NST_TASK_IMAGING]);
	if (r && r != -EDOM)
		return r;
	*ret_mc = r ? NST_TEMP_MIN_MC : limit_mc[t->kind];
	return r;
}

int nst_possible(const struct nst_manager *m, const struct nst_profile *p,
		 const char *name, char *ret_what, size_t size)
{
	const struct nst_profile_task *t = task_of(p, name);
	const struct nst_profile_sensor *s;
	struct nst_light light;
	s32 limit_mc, coldest_mc;
	int r;

	if (!t)
		return -ENOENT;
	s = &p->sensors[t->sensor];
	r = limit_of(m, p, t, &light, &limit_mc);
	if (r) {
		snprintf(ret_what, size, "no temperature gives sensor %s what "
			 "%s asks for at the present %u us and ISO %u", s->name,
			 name, light.exposure_us, light.iso);
		return r;
	}
	coldest_mc = nst_plant_steady_die_mc(&s->plant, s->capture_mw,
					     s->ambient_mc);
	if (limit_mc == NST_TEMP_NONE_MC ||
	    limit_mc - s->accuracy_mc >= coldest_mc)
		return 0;
	snprintf(ret_what, size, "%s asks for at most %d mdegC at the present "
		 "light, and sensor %s does not get below %d at an ambient of "
		 "%d, gated for good", name, limit_mc - s->accuracy_mc,
		 s->name, coldest_mc, s->ambient_mc);
	return -EDOM;
}

int nst_tasks_limit(const struct nst_manager *m, const char *name,
		    s32 *ret_mc)
{
	const struct nst_profile_task *t = nst_tasks_find(m, name);
	struct nst_light light;

	return t ? limit_of(m, &m->profile[m->in_use], t, &light, ret_mc)
		 : -ENOENT;
}

/* ----------------------------------------------------------- new light */

static void tell(struct nst_manager *m, const struct nst_client_task *t,
		 s32 limit_mc, const char *what, u64 now_ms)
{
	struct nst_client *c = nst_server_find(&m->server, t->owner);
	char text[1024];
	struct nst_out o;

	if (!c)
		return;
	nst_out_init(&o, text, sizeof(text));
	nst_out_printf(&o, "{\"event\":\"task\",\"name\":");
	nst_out_string(&o, t->name);
	nst_out_printf(&o, ",\"possible\":%s", t->impossible ? "false" : "true");
	if (!t->impossible)
		nst_out_temp(&o, "limit_mc", limit_mc);
	nst_out_printf(&o, ",\"what\":");
	nst_out_string(&o, what);
	nst_out_printf(&o, "}");
	if (!o.full)
		(void)nst_server_send(&m->server, c, &o, -1, now_ms);
}

/* Auto-exposure at the edge of what is possible must not fill the log. */
static void say(struct nst_manager *m, const struct nst_client_task *t,
		const char *what, u64 now_ms)
{
	unsigned int unsaid;

	if (nst_seldom_may(&m->tasks.impossible, SAID_MS, now_ms, &unsaid))
		nst_log(NST_LOG_NOTICE, "task %s: %s (%u other such since the "
			"last line)", t->name, what, unsaid);
}

static void judge(struct nst_manager *m, struct nst_client_task *t, u64 now_ms)
{
	const struct nst_profile *p = &m->profile[m->in_use];
	bool was = t->impossible;
	s32 limit_mc = NST_TEMP_NONE_MC;
	char what[400] = "";

	t->impossible = nst_possible(m, p, t->name, what, sizeof(what)) != 0;
	if (t->impossible == was)
		return;
	if (t->impossible) {
		say(m, t, what, now_ms);
	} else {
		(void)nst_tasks_limit(m, t->name, &limit_mc);
		snprintf(what, sizeof(what), "the sensor can give what %s "
			 "asks for again", t->name);
	}
	tell(m, t, limit_mc, what, now_ms);
}

void nst_possible_watch(struct nst_manager *m, u64 now_ms)
{
	const struct nst_profile *p = &m->profile[m->in_use];

	for (int i = 0; i < NST_PROFILE_TASKS_MAX; i++) {
		struct nst_client_task *t = &m->tasks.task[i];
		const struct nst_profile_task *pt;
		struct nst_light light;

		pt = t->owner ? task_of(p, t->name) : NULL;
		if (!pt)
			continue;
		light = present_light(m, &p->sensors[pt->sensor]);
		if (light.exposure_us == t->judged_us &&
		    light.iso == t->judged_iso &&
		    m->events.profiles == t->judged_profiles)
			continue;
		t->judged_us = light.exposure_us;
		t->judged_iso = light.iso;
		t->judged_profiles = m->events.profiles;
		judge(m, t, now_ms);
	}
}
