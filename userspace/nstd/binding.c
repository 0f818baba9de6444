// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* binding.c - whose demand binds a sensor, see binding.h */
#include <stdio.h>
#include <string.h>

#include "binding.h"
#include "log.h"
#include "manager.h"
#include "out.h"

#define SAID_MS 10000

static const char *const kind_text[2] = {
	[NST_TASK_VISION] = "vision",
	[NST_TASK_IMAGING] = "imaging",
};

static void say(struct nst_sensor *s, const struct nst_binding *was, int kind,
		u64 now_ms)
{
	struct nst_binding *b = &s->binding;
	unsigned int unsaid;
	char what[160];

	if (!strcmp(b->name[kind], was->name[kind]))
		return;
	/* The only one there is binds, and nobody wonders. */
	if (b->count[kind] < 2 && was->count[kind] < 2)
		return;
	/* A client, or auto-exposure between two demands, may cause many. */
	if (!nst_seldom_may(&b->changed[kind], SAID_MS, now_ms, &unsaid))
		return;
	if (!b->name[kind][0])
		snprintf(what, sizeof(what), "no demand of %s tasks is left",
			 kind_text[kind]);
	else if (b->limit_mc[kind] == NST_TEMP_MIN_MC)
		snprintf(what, sizeof(what), "of %u %s tasks %s binds, which "
			 "no temperature gives at %u us and ISO %u",
			 b->count[kind], kind_text[kind], b->name[kind],
			 b->exposure_us, b->iso);
	else
		snprintf(what, sizeof(what), "of %u %s tasks %s binds: at most "
			 "%.2f degC at %u us and ISO %u", b->count[kind],
			 kind_text[kind], b->name[kind],
			 b->limit_mc[kind] / 1000.0, b->exposure_us, b->iso);
	nst_log(NST_LOG_NOTICE, "%s: %s (%u other such since the last line)",
		s->name, what, unsaid);
}

static void judge(struct nst_sensor *s, u64 now_ms)
{
	const struct nst_governor *g = &s->gov;
	const struct nst_profile *p = g->profile;
	struct nst_binding *b = &s->binding, was = *b;
	int task[2];

	if (nst_profile_binding(p, g->sensor, b->exposure_us, b->iso, task,
				b->limit_mc))
		return;
	memset(b->count, 0, sizeof(b->count));
	for (unsigned int i = 0; i < p->task_count; i++)
		if (p->tasks[i].sensor == g->sensor)
			b->count[p->tasks[i].kind]++;
	for (int kind = 0; kind < 2; kind++) {
		memset(b->name[kind], 0, sizeof(b->name[kind]));
		if (task[kind] >= 0)
			memcpy(b->name[kind], p->tasks[task[kind]].name,
			       sizeof(b->name[kind]));
		say(s, &was, kind, now_ms);
	}
}

void nst_binding_watch(struct nst_manager *m, u64 now_ms)
{
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		struct nst_sensor *s = &m->sensor[i];
		struct nst_binding *b = &s->binding;
		const struct nst_light *light = &s->gov.light;

		/* Before the first tick nobody knows the light. */
		if (!s->used || !light->exposure_us || !light->iso)
			continue;
		if (b->exposure_us == light->exposure_us &&
		    b->iso == light->iso &&
		    b->profiles == m->events.profiles + 1)
			continue;
		b->exposure_us = light->exposure_us;
		b->iso = light->iso;
		/* All zero is nothing worked out yet. */
		b->profiles = m->events.profiles + 1;
		judge(s, now_ms);
	}
}

/* What T_high follows from at present. */
static const char *high_by(const struct nst_governor *g)
{
	const struct nst_policy_config *pc = &g->pc;

	if (g->pc_err)
		return "nothing";
	if (!g->automatic)
		return "hand";
	if (pc->thr.high_mc >= pc->thr.max_mc)
		return "ceiling";
	return pc->vision_max_mc <= pc->thr.high_mc ? "vision" : "imaging";
}

void nst_binding_put(const struct nst_sensor *s, struct nst_out *o)
{
	const struct nst_binding *b = &s->binding;

	nst_out_printf(o, ",\"binding\":{\"high_by\":\"%s\"",
		       high_by(&s->gov));
	for (int kind = 0; kind < 2; kind++) {
		if (!b->name[kind][0])
			continue;
		nst_out_printf(o, ",\"%s\":{\"task\":", kind_text[kind]);
		nst_out_string(o, b->name[kind]);
		nst_out_printf(o, ",\"of\":%u", b->count[kind]);
		if (b->limit_mc[kind] != NST_TEMP_MIN_MC)
			nst_out_temp(o, "limit_mc", b->limit_mc[kind]);
		nst_out_printf(o, "}");
	}
	nst_out_printf(o, "}");
}
