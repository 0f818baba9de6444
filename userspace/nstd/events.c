// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* events.c - what changed, for clients that asked to be told: see events.h */
#include <inttypes.h>
#include <string.h>

#include "events.h"
#include "manager.h"

/* A slow reader misses some, and learns with the next one how many. */
static void broadcast(struct nst_manager *m, struct nst_out *o)
{
	for (int i = 0; i < NST_SERVER_CLIENTS && !o->full; i++) {
		struct nst_client *c = &m->server.client[i];
		struct nst_out one = *o;

		if (c->fd < 0 || !c->events)
			continue;
		if (c->events_lost)
			nst_out_printf(&one, ",\"lost\":%" PRIu64,
				       c->events_lost);
		nst_out_printf(&one, "}");
		if (one.full)
			continue;
		if (nst_server_offer(c, &one))
			c->events_lost++;
		else
			c->events_lost = 0;
	}
}

static void begin(struct nst_out *o, char *buf, size_t size,
		  const char *event, const struct nst_sensor *s)
{
	nst_out_init(o, buf, size);
	nst_out_printf(o, "{\"event\":\"%s\",\"sensor\":", event);
	nst_out_string(o, s->name);
}

static void tell_state(struct nst_manager *m, const struct nst_sensor *s)
{
	char buf[512];
	struct nst_out o;

	begin(&o, buf, sizeof(buf), "sensor", s);
	nst_out_printf(&o, ",\"state\":");
	nst_out_string(&o, s->used ? nst_sensor_state_text(s)
				   : "not governed");
	broadcast(m, &o);
}

static void tell_placement(struct nst_manager *m, const struct nst_sensor *s)
{
	const struct nst_governor *g = &s->gov;
	char buf[512];
	struct nst_out o;

	begin(&o, buf, sizeof(buf), "season", s);
	nst_out_printf(&o, ",\"placement\":\"%s\",\"seq\":%" PRIu64
		       ",\"reason\":",
		       nst_placement_name((enum nst_placement)g->placement),
		       g->last_seq);
	nst_out_string(&o, nst_reason_text((enum nst_reason)g->why));
	broadcast(m, &o);
}

static void tell_limits(struct nst_manager *m, const struct nst_sensor *s,
			const struct nst_told *t)
{
	char buf[512];
	struct nst_out o;

	begin(&o, buf, sizeof(buf), "limits", s);
	nst_out_printf(&o, ",\"met\":%s", t->met ? "true" : "false");
	nst_out_temp(&o, "limit_mc", t->limit_mc);
	nst_out_temp(&o, "high_mc", t->thr.high_mc);
	nst_out_temp(&o, "low_mc", t->thr.low_mc);
	nst_out_temp(&o, "capture_mc", t->thr.capture_mc);
	nst_out_temp(&o, "max_mc", t->thr.max_mc);
	broadcast(m, &o);
}

static bool same_limits(const struct nst_told *a, const struct nst_told *b)
{
	return a->met == b->met && a->limit_mc == b->limit_mc &&
	       a->thr.high_mc == b->thr.high_mc &&
	       a->thr.low_mc == b->thr.low_mc &&
	       a->thr.capture_mc == b->thr.capture_mc &&
	       a->thr.max_mc == b->thr.max_mc;
}

static void pump_sensor(struct nst_manager *m, const struct nst_sensor *s,
			struct nst_told *told)
{
	const struct nst_governor *g = &s->gov;
	struct nst_told now = {
		.used = s->used,
		.state = (u8)s->state,
		.placement = g->placement,
		.met = !g->pc_err,
		.limit_mc = g->vision_mc,
		.thr = g->pc.thr,
	};
	struct nst_told was = *told;

	/* Before its first frame there is nothing to say of the rest. */
	if (!s->used || !g->started) {
		now = was;
		now.used = s->used;
		now.state = (u8)s->state;
	}
	*told = now;
	if (now.used != was.used || now.state != was.state)
		tell_state(m, s);
	if (now.placement != was.placement)
		tell_placement(m, s);
	if (!same_limits(&now, &was))
		tell_limits(m, s, &now);
}

static void tell_profile(struct nst_manager *m)
{
	char buf[256];
	struct nst_out o;

	nst_out_init(&o, buf, sizeof(buf));
	nst_out_printf(&o, "{\"event\":\"profile\",\"tasks\":%u",
		       m->profile[m->in_use].task_count);
	broadcast(m, &o);
}

void nst_events_pump(struct nst_manager *m)
{
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++)
		if (m->sensor[i].used || m->events.told[i].used)
			pump_sensor(m, &m->sensor[i], &m->events.told[i]);
	if (m->events.profiles == m->events.told_profiles)
		return;
	m->events.told_profiles = m->events.profiles;
	tell_profile(m);
}
