// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* captures.c - frames on demand: see captures.h */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "captures.h"
#include "manager.h"

/* An answer comes with a frame; so much later it was lost. */
#define GRACE_US 2000000

int nst_captures_add(struct nst_manager *m, const struct nst_client *c,
		     struct nst_sensor *s,
		     const struct nst_dev_capture *ticket, u64 *ret_id)
{
	struct nst_captures *all = &m->captures;
	struct nst_capture *place = NULL;
	unsigned int own = 0;
	u32 dev_id = 0;
	int r;

	for (int i = 0; i < NST_CAPTURES_MAX; i++) {
		own += all->capture[i].owner == c->serial;
		if (!all->capture[i].owner)
			place = &all->capture[i];
	}
	if (own >= NST_CAPTURES_PER_CLIENT)
		return -EDQUOT;
	if (!place)
		return -EBUSY;
	if (!s->dev)
		return -ENODEV;
	r = s->dev->ops->capture(s->dev, ticket, &dev_id);
	if (r)
		return r;
	*place = (struct nst_capture){
		.owner = c->serial,
		.id = ++all->next_id,
		.opening = s->opening,
		.until_us = s->gov.state.now_us + ticket->deadline_us +
			    (u64)ticket->frames *
			    s->gov.state.frame_period_us + GRACE_US,
		.dev_id = dev_id,
		.slot = s->slot,
	};
	*ret_id = place->id;
	return 0;
}

/* @e: what the device said, NULL when it will say nothing any more */
static void tell(struct nst_manager *m, struct nst_capture *t,
		 const struct nst_dev_event *e, const char *why, u64 now_ms)
{
	struct nst_client *c = nst_server_find(&m->server, t->owner);
	bool ready = e && e->type == NST_DEV_CAPTURE_READY;
	char text[512];
	struct nst_out o;

	if (!ready || !e->value)
		t->owner = 0;
	if (!c)
		return;
	nst_out_init(&o, text, sizeof(text));
	nst_out_printf(&o, "{\"event\":\"capture\",\"ticket\":%" PRIu64
		       ",\"result\":\"%s\"", t->id,
		       ready ? "ready" : "missed");
	if (e) {
		nst_out_printf(&o, ",\"seq\":%" PRIu64, e->seq);
		nst_out_temp(&o, "temp_mc", e->temp_mc);
	}
	nst_out_printf(&o, ",\"left\":%d,\"what\":",
		       ready ? (int)e->value : 0);
	nst_out_string(&o, why);
	nst_out_printf(&o, "}");
	if (!o.full)
		(void)nst_server_send(&m->server, c, &o, -1, now_ms);
}

static void answered(struct nst_manager *m, const struct nst_sensor *s,
		     const struct nst_dev_event *e, u64 now_ms)
{
	for (int i = 0; i < NST_CAPTURES_MAX; i++) {
		struct nst_capture *t = &m->captures.capture[i];

		if (!t->owner || t->slot != s->slot || t->dev_id != e->id ||
		    t->opening != s->opening)
			continue;
		tell(m, t, e, e->type == NST_DEV_CAPTURE_READY
		     ? "cold enough" : "too warm at the deadline", now_ms);
		return;
	}
}

void nst_captures_pump(struct nst_manager *m, u64 now_ms)
{
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		struct nst_sensor *s = &m->sensor[i];

		for (unsigned int j = 0; s->used && j < s->captures; j++)
			answered(m, s, &s->capture[j], now_ms);
		s->captures = 0;
	}
	for (int i = 0; i < NST_CAPTURES_MAX; i++) {
		struct nst_capture *t = &m->captures.capture[i];
		const struct nst_sensor *s = &m->sensor[t->slot];

		if (!t->owner)
			continue;
		if (!s->used || !s->dev || s->opening != t->opening)
			tell(m, t, NULL, "the device is gone", now_ms);
		else if (s->gov.state.now_us > t->until_us)
			tell(m, t, NULL, "the device did not answer", now_ms);
	}
}

void nst_captures_drop(struct nst_manager *m)
{
	for (int i = 0; i < NST_CAPTURES_MAX; i++) {
		struct nst_capture *t = &m->captures.capture[i];
		struct nst_sensor *s = &m->sensor[t->slot];

		if (!t->owner || nst_server_find(&m->server, t->owner))
			continue;
		t->owner = 0;
		/* Answered already is as good. */
		if (s->used && s->dev && s->opening == t->opening)
			(void)s->dev->ops->capture_cancel(s->dev, t->dev_id);
	}
}
