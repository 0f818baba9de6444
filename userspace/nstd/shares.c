// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* shares.c - who may use a far device, see shares.h */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "manager.h"
#include "out.h"
#include "shares.h"

/* A policy that goes to and fro between frames wants far all the time. */
#define WISH_MS 500

/* Turns change every few seconds: not each of them is worth a line. */
#define SAY_MS 10000

static const struct nst_profile_sensor *profile_of(const struct nst_sensor *s)
{
	return &s->gov.profile->sensors[s->gov.sensor];
}

static u32 load_of(const struct nst_sensor *s)
{
	const struct nst_profile *p = s->gov.profile;
	u32 load = 0;

	for (unsigned int i = 0; i < p->task_count; i++) {
		const struct nst_profile_task *t = &p->tasks[i];

		if (t->sensor == s->gov.sensor && t->kind == NST_TASK_VISION)
			load += t->far_load_permyriad;
	}
	return load < NST_ARBITER_LOAD_MAX ? load : NST_ARBITER_LOAD_MAX;
}

/* Frames that a stop would cost: the balance of the package at T_high. */
static u32 urgency_of(const struct nst_sensor *s)
{
	const struct nst_governor *g = &s->gov;
	const struct nst_plant_params *p = &g->pc.params;
	s64 near = g->pc.near_mw, gated = g->pc.gated_mw, mean, duty;
	s64 package_mc;

	if (g->pc_err || near <= gated || !p->r_pa_mk_per_w)
		return NST_PERMYRIAD;
	package_mc = g->pc.thr.high_mc - near * p->r_jp_mk_per_w / 1000 -
		     g->obs.ambient_mc;
	mean = package_mc * 1000 / (s64)p->r_pa_mk_per_w;
	duty = (mean - gated) * NST_PERMYRIAD / (near - gated);
	if (duty < 0)
		duty = 0;
	return duty < NST_PERMYRIAD ? NST_PERMYRIAD - (u32)duty : 0;
}

/* In the period that runs or in the one that was decided, or yet to be moved. */
static bool is_far(const struct nst_sensor *s)
{
	const struct nst_governor *g = &s->gov;
	const struct nst_gov_ask *last = &g->ask[g->decided_seq %
						 NST_GOV_PERIODS];

	return g->placement == NST_FAR ||
	       (last->seq == g->decided_seq && last->placement == NST_FAR) ||
	       (g->workers.any && s->moves.h.owner == NST_HOME_FAR);
}

static void look(struct nst_share *h, const struct nst_sensor *s, u64 now_ms)
{
	const struct nst_governor *g = &s->gov;

	h->capacity = profile_of(s)->far_capacity_permyriad;
	h->load = load_of(s);
	h->urgency = urgency_of(s);
	h->far = s->state == NST_SENSOR_GOVERNED && is_far(s);
	if (s->state == NST_SENSOR_GOVERNED && !g->policy->drops &&
	    (h->far || g->wish == NST_FAR)) {
		h->wished = true;
		h->wish_ms = now_ms;
	} else if (now_ms - h->wish_ms > WISH_MS) {
		h->wished = false;
	}
}

/* ------------------------------------------------------------- messages */

static const char *device_of(const struct nst_sensor *s)
{
	const char *name = profile_of(s)->far_device;

	return name[0] ? name : "the host";
}

static bool worth_saying(const struct nst_share *h)
{
	u8 why = h->grant.why, said = h->said;

	/* What happens while there is room for all is no news. */
	if (why == NST_ARBITER_IDLE || why == said)
		return false;
	if (why == NST_ARBITER_ROOM)
		return said == NST_ARBITER_WAITS || said == NST_ARBITER_NEVER;
	if (h->grant.granted)
		return said == NST_ARBITER_WAITS;
	return true;
}

/* Who has it: "a, c" */
static void holders(const struct nst_manager *m, const struct nst_sensor *s,
		    char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		const struct nst_sensor *o = &m->sensor[i];

		if (!o->used || o == s || !m->shares.of[i].grant.granted ||
		    strcmp(device_of(o), device_of(s)) || len >= size)
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s",
					len ? ", " : " (", o->name);
	}
	if (len && len < size)
		snprintf(buf + len, size - len, ")");
}

static void say(struct nst_manager *m, const struct nst_sensor *s, u64 now_ms)
{
	struct nst_share *h = &m->shares.of[s->slot];
	char others[200], more[48] = "";
	unsigned int unsaid;

	if (!worth_saying(h))
		return;
	h->said = h->grant.why;
	if (!nst_seldom_may(&h->changed, SAY_MS, now_ms, &unsaid))
		return;
	if (unsaid)
		snprintf(more, sizeof(more), " (and %u changes since the last "
			 "line)", unsaid);
	holders(m, s, others, sizeof(others));
	nst_log(h->grant.why == NST_ARBITER_NEVER ? NST_LOG_WARNING
						  : NST_LOG_NOTICE,
		"%s: %s on %s, %u of %u permyriad: %s%s%s", s->name,
		h->grant.granted ? "granted" : "no place", device_of(s),
		h->load, h->capacity,
		nst_arbiter_why_text((enum nst_arbiter_why)h->grant.why),
		h->grant.granted ? "" : others, more);
}

int nst_shares_fit(const struct nst_sensor *s, char *ret_what, size_t size)
{
	u32 capacity = profile_of(s)->far_capacity_permyriad;
	u32 load = load_of(s);

	if (!capacity || load <= capacity)
		return 0;
	snprintf(ret_what, size, "the vision tasks of %s are %u permyriad to "
		 "%s, which takes %u: they could never be there", s->name,
		 load, device_of(s), capacity);
	return -EDOM;
}

/* ------------------------------------------------------------ decisions */

/* The sensors of one far device, in the order of their slots. */
struct group {
	u32 count;
	u32 capacity;
	unsigned int slot[NST_PROFILE_SENSORS_MAX];
	struct nst_arbiter_request request[NST_PROFILE_SENSORS_MAX];
	struct nst_arbiter_grant grant[NST_PROFILE_SENSORS_MAX];
};

/*
 * Granted, and what is still there of others leaves room: welcome. Neither is
 * it a new season where it is not granted, nor one that goes on; but the
 * governor does not tell any more what it wants while it is refused, so that
 * is for one that has to leave.
 */
static enum nst_gov_far allowed(const struct nst_manager *m,
				const struct group *g, u32 i)
{
	const struct nst_share *h = &m->shares.of[g->slot[i]];
	u64 taken = h->load;

	for (u32 k = 0; k < g->count; k++) {
		const struct nst_share *o = &m->shares.of[g->slot[k]];

		if (k != i && (o->far || o->grant.granted))
			taken += o->load;
	}
	if (h->grant.granted)
		return NST_FAR_WELCOME;
	if (h->grant.why == NST_ARBITER_IDLE && taken <= g->capacity)
		return NST_FAR_WELCOME;
	return h->far ? NST_FAR_REFUSED : NST_FAR_LESS;
}

/* A grant counts when those who have to leave have left. */
static bool has_room(const struct nst_manager *m, const struct group *g,
		     u32 i)
{
	const struct nst_share *h = &m->shares.of[g->slot[i]];
	u64 taken = h->load;

	if (h->far)
		return true;
	for (u32 k = 0; k < g->count; k++) {
		const struct nst_share *o = &m->shares.of[g->slot[k]];

		if (k != i && o->far)
			taken += o->load;
	}
	return taken <= g->capacity;
}

static void gather(struct nst_manager *m, struct group *g, unsigned int first)
{
	const struct nst_sensor *lead = &m->sensor[first];

	*g = (struct group){ .capacity = m->shares.of[first].capacity };
	for (unsigned int i = first; i < NST_PROFILE_SENSORS_MAX; i++) {
		const struct nst_share *h = &m->shares.of[i];

		if (!m->sensor[i].used || !h->capacity ||
		    strcmp(device_of(&m->sensor[i]), device_of(lead)))
			continue;
		g->slot[g->count] = i;
		g->grant[g->count] = h->grant;
		g->request[g->count++] = (struct nst_arbiter_request){
			.wants = h->wished,
			.load = h->load,
			.urgency = h->urgency,
		};
	}
}

static void decide(struct nst_manager *m, struct group *g, u64 now_ms)
{
	if (nst_arbiter_decide(g->request, g->grant, g->count, g->capacity,
			       now_ms * 1000) < 0)
		return;
	for (u32 i = 0; i < g->count; i++)
		m->shares.of[g->slot[i]].grant = g->grant[i];
	for (u32 i = 0; i < g->count; i++) {
		struct nst_sensor *s = &m->sensor[g->slot[i]];
		enum nst_gov_far far = allowed(m, g, i);

		if (far == NST_FAR_WELCOME && !has_room(m, g, i))
			far = NST_FAR_LESS;
		nst_gov_share(&s->gov, far);
		say(m, s, now_ms);
	}
}

void nst_shares_decide(struct nst_manager *m, u64 now_ms)
{
	bool done[NST_PROFILE_SENSORS_MAX] = { false };
	struct group g;

	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		done[i] = !m->sensor[i].used;
		if (done[i])
			continue;
		look(&m->shares.of[i], &m->sensor[i], now_ms);
		if (m->shares.of[i].capacity)
			continue;
		nst_gov_share(&m->sensor[i].gov, NST_FAR_WELCOME);
		done[i] = true;
	}
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		if (done[i])
			continue;
		gather(m, &g, i);
		decide(m, &g, now_ms);
		for (u32 k = 0; k < g.count; k++)
			done[g.slot[k]] = true;
	}
}

void nst_shares_forget(struct nst_shares *h, unsigned int slot)
{
	h->of[slot] = (struct nst_share){ 0 };
}

void nst_shares_put(const struct nst_manager *m, const struct nst_sensor *s,
		    struct nst_out *o)
{
	const struct nst_share *h = &m->shares.of[s->slot];
	u64 now_ms = nst_now_ms(), since_ms = h->grant.since_us / 1000;

	if (!h->capacity)
		return;
	nst_out_printf(o, ",\"far_share\":{\"device\":");
	nst_out_string(o, device_of(s));
	nst_out_printf(o, ",\"capacity_permyriad\":%u,\"load_permyriad\":%u,"
		       "\"urgency_permyriad\":%u,\"granted\":%s,\"why\":",
		       h->capacity, h->load, h->urgency,
		       h->grant.granted ? "true" : "false");
	nst_out_string(o, nst_arbiter_why_text((enum nst_arbiter_why)
					       h->grant.why));
	if (h->grant.why != NST_ARBITER_IDLE && now_ms >= since_ms)
		nst_out_printf(o, ",\"since_ms\":%" PRIu64,
			       now_ms - since_ms);
	nst_out_printf(o, "}");
}
