// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* moves.c - governor, socket and hand-over meet: see moves.h */
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "log.h"
#include "manager.h"
#include "moves.h"

/*
 * How long before T_high the far worker is made ready: twice what it took the
 * last time, within these.
 */
#define AHEAD_MIN_MS	300u
#define AHEAD_MAX_MS	5000u

/* An unacknowledged switch keeps near on for so many frames at most. */
#define BOTH_FRAMES	2

#define SAID_MS		2000

u64 nst_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000 + (u64)ts.tv_nsec / 1000;
}

void nst_moves_init(struct nst_moves *v)
{
	memset(v, 0, sizeof(*v));
	nst_handover_init(&v->h);
	v->state_fd = -1;
}

static void put_state(struct nst_moves *v)
{
	if (v->state_fd >= 0)
		close(v->state_fd);
	v->state_fd = -1;
}

/* --------------------------------------------------------------- messages */

/* One line per kind in two seconds; the others are counted. */
static bool may_say(struct nst_moves *v, const struct nst_handover_out *o,
		    u64 now_ms, char *more, size_t size)
{
	unsigned int kind = (unsigned int)(o->what - NST_DO_WORKER_COUNT) %
			    NST_SAID_COUNT;
	unsigned int unsaid;

	if (!nst_seldom_may(&v->said[kind], SAID_MS, now_ms, &unsaid))
		return false;
	more[0] = '\0';
	if (unsaid)
		snprintf(more, size, " (and %u more since the last line)",
			 unsaid);
	return true;
}

static void say(struct nst_sensor *s, const struct nst_handover_out *o,
		u64 now_ms)
{
	struct nst_moves *v = &s->moves;
	const char *home = nst_home_name((enum nst_home)o->home);
	const char *step =
		nst_handover_step_name((enum nst_handover_step)o->step);
	char more[64];

	if (!may_say(v, o, now_ms, more, sizeof(more)))
		return;
	switch (o->what) {
	case NST_DO_SAY_MOVED:
		nst_log(NST_LOG_INFO, "%s: %s moved, the %s worker has it "
			"from frame %" PRIu64 " on%s", s->name, v->task, home,
			o->seq, more);
		break;
	case NST_DO_SAY_ROLLED_BACK:
		nst_log(NST_LOG_WARNING, "%s: %s cannot move to the %s "
			"worker now, step %s failed; it stays where it is%s",
			s->name, v->task, home, step, more);
		break;
	case NST_DO_SAY_TAKEN_OVER:
		nst_log(NST_LOG_WARNING, "%s: the other worker of %s is gone, "
			"the %s one has it from frame %" PRIu64 " on%s",
			s->name, v->task, home, o->seq, more);
		break;
	case NST_DO_SAY_FRESH:
		nst_log(NST_LOG_NOTICE, "%s: the %s worker begins %s without "
			"a state at frame %" PRIu64 "%s", s->name, home,
			v->task, o->seq, more);
		break;
	case NST_DO_SAY_LOST:
		nst_log(NST_LOG_WARNING, "%s: %" PRIu64 " frames were done by "
			"no worker of %s%s", s->name, o->seq, v->task, more);
		break;
	case NST_DO_CLOSE:
		nst_log(NST_LOG_WARNING, "%s: the %s worker of %s does not "
			"do its frames, its connection is closed%s", s->name,
			home, v->task, more);
		break;
	default:
		break;
	}
}

static void send_event(struct nst_manager *m, struct nst_sensor *s,
		       const struct nst_handover_out *o, u64 now_ms)
{
	struct nst_client *c = nst_server_find(&m->server,
					       s->moves.client[o->home]);
	struct nst_out out;
	char text[256];

	if (!c)
		return;
	nst_out_init(&out, text, sizeof(text));
	nst_out_printf(&out, "{\"event\":\"worker\",\"do\":\"%s\",\"epoch\":%u",
		       nst_handover_do_name((enum nst_handover_do)o->what),
		       o->epoch);
	if (o->seq || o->what == NST_DO_LOAD)
		nst_out_printf(&out, ",\"seq\":%" PRIu64, o->seq);
	if (o->what == NST_DO_COMMIT)
		nst_out_printf(&out, ",\"fresh\":%s",
			       o->fresh ? "true" : "false");
	nst_out_printf(&out, "}");
	/* When it fails the connection is closed, and that comes back to us. */
	(void)nst_server_send(&m->server, c, &out, o->what == NST_DO_LOAD ?
			      s->moves.state_fd : -1, now_ms);
}

static void close_gate(struct nst_sensor *s)
{
	struct nst_governor *g = &s->gov;
	struct nst_dev_gate want = {
		.frame_seq = g->state.frames ? g->decided_seq : 0,
		.gate = NST_GATE_STANDBY,
		.placement = NST_FAR,
		.reason = g->decided_why,
	};
	struct nst_dev_applied applied;

	s->moves.closing = false;
	if (!s->dev || s->state != NST_SENSOR_GOVERNED ||
	    g->told_placement != NST_FAR || g->told_gate != NST_GATE_RUN)
		return;
	/* What goes wrong here goes wrong at the next tick too, which says it. */
	if (s->dev->ops->set_gate(s->dev, &want, &applied))
		return;
	g->told_gate = NST_GATE_STANDBY;
	s->moves.h.near_goes_on = false;
}

void nst_moves_run(struct nst_manager *m, struct nst_sensor *s, u64 now_ms)
{
	struct nst_moves *v = &s->moves;
	struct nst_handover_out o;
	struct nst_client *c;

	while (nst_handover_next(&v->h, &o)) {
		if (o.what < NST_DO_WORKER_COUNT) {
			send_event(m, s, &o, now_ms);
			continue;
		}
		say(s, &o, now_ms);
		if (o.what != NST_DO_CLOSE)
			continue;
		c = nst_server_find(&m->server, v->client[o.home]);
		if (c)
			nst_server_close_client(c);
	}
	if (v->closing && v->h.step != NST_HANDOVER_COMMIT) {
		if (v->h.owner == NST_HOME_FAR)
			close_gate(s);
		v->closing = false;
	}
	if (v->h.step == NST_HANDOVER_IDLE ||
	    v->h.step == NST_HANDOVER_FOLLOW)
		put_state(v);
}

/* --------------------------------------------------------------- the tick */

void nst_moves_before(struct nst_sensor *s)
{
	const struct nst_handover *h = &s->moves.h;
	struct nst_gov_workers w = { 0 };
	bool ready = nst_handover_caught_up(h);

	w.any = h->had && s->state == NST_SENSOR_GOVERNED;
	w.may_near = h->owner == NST_HOME_NEAR ||
		     (ready && h->target == NST_HOME_NEAR);
	w.may_far = h->owner == NST_HOME_FAR ||
		    (ready && h->target == NST_HOME_FAR);
	w.near_on = nst_handover_needs(h, NST_HOME_NEAR);
	if (h->step == NST_HANDOVER_COMMIT && h->old == NST_HOME_NEAR &&
	    h->ledger.newest >= h->commit_seq + BOTH_FRAMES)
		w.near_on = false;
	w.both = h->step == NST_HANDOVER_FOLLOW ||
		 h->step == NST_HANDOVER_COMMIT;
	s->gov.workers = w;
}

/* Does the gate run in the period after @seq, as far as anybody knows by now? */
static bool goes_on(const struct nst_governor *g, u64 seq)
{
	if (seq < g->last_seq)
		return nst_gov_gate_in(g, seq + 1) == NST_GATE_RUN;
	if (g->state.guard)
		return false;
	return !g->told || (g->told_gate == NST_GATE_RUN &&
			    g->told_seq <= g->last_seq + 1);
}

static void tell_frames(struct nst_sensor *s, u64 now_us)
{
	struct nst_moves *v = &s->moves;
	const struct nst_governor *g = &s->gov;
	u64 seq = v->seen_seq + 1;

	if (g->last_seq < seq || g->last_seq - seq >= NST_GOV_PERIODS / 2)
		seq = g->last_seq;
	if (v->seen_seq == g->last_seq)
		return;
	for (; seq <= g->last_seq; seq++) {
		bool run = nst_gov_gate_in(g, seq) == NST_GATE_RUN;

		nst_handover_frame(&v->h, seq, now_us);
		nst_handover_gate(&v->h, run, goes_on(g, seq), now_us);
		if (!run && seq > 1)
			nst_handover_dropped(&v->h, seq - 1);
	}
	v->seen_seq = g->last_seq;
}

/* Will the policy want far soon? With hysteresis, since it costs power. */
static bool far_ahead(struct nst_sensor *s)
{
	struct nst_moves *v = &s->moves;
	const struct nst_governor *g = &s->gov;
	u64 lead_ms = v->h.stats.ready_us / 500;
	u32 reach_ms;

	if (g->policy->drops || g->far != NST_FAR_WELCOME ||
	    g->wish != NST_NEAR || g->why == NST_WHY_FIXED)
		return false;
	if (lead_ms < AHEAD_MIN_MS)
		lead_ms = AHEAD_MIN_MS;
	if (lead_ms > AHEAD_MAX_MS)
		lead_ms = AHEAD_MAX_MS;
	reach_ms = nst_gov_reach_ms(g);
	return reach_ms < (v->ahead ? 2 * lead_ms : lead_ms);
}

static enum nst_home aim_of(struct nst_sensor *s)
{
	struct nst_moves *v = &s->moves;
	const struct nst_governor *g = &s->gov;

	v->ahead = v->h.owner == NST_HOME_NEAR && far_ahead(s);
	if (g->wish == NST_FAR || v->ahead)
		return NST_HOME_FAR;
	/* A stop is no reason to move. */
	return g->wish == NST_NEAR ? NST_HOME_NEAR
				   : (enum nst_home)v->h.owner;
}

/* The first period of a placement that another worker has to take. */
static u64 switches_in(const struct nst_governor *g, enum nst_home *ret_home)
{
	u64 seq = g->told_seq > g->decided_seq ? g->told_seq : g->decided_seq;
	const struct nst_gov_ask *ask = &g->ask[seq % NST_GOV_PERIODS];

	if (ask->seq != seq || ask->placement == NST_PAUSED)
		return 0;
	*ret_home = ask->placement == NST_FAR ? NST_HOME_FAR : NST_HOME_NEAR;
	return seq;
}

void nst_moves_after(struct nst_manager *m, struct nst_sensor *s, u64 now_ms)
{
	struct nst_moves *v = &s->moves;
	struct nst_governor *g = &s->gov;
	enum nst_home home = NST_HOME_NONE;
	u64 seq, now_us;

	if (!s->dev || !g->started)
		return;
	if (!v->h.had) {
		/* Frames before the one that is exposed are no worker's. */
		v->seen_seq = g->last_seq ? g->last_seq - 1 : 0;
		return;
	}
	now_us = nst_now_us();
	tell_frames(s, now_us);
	if (s->state == NST_SENSOR_GOVERNED) {
		seq = switches_in(g, &home);
		/* Processed in period seq: the frame before it. */
		if (seq > 1 && home != v->h.owner && home == v->h.target &&
		    nst_handover_commit(&v->h, seq - 1, now_us))
			v->closing = home == NST_HOME_FAR;
		nst_handover_aim(&v->h, aim_of(s), now_us);
	}
	nst_moves_run(m, s, now_ms);
}

void nst_moves_timer(struct nst_manager *m, u64 now_ms)
{
	u64 now_us = nst_now_us();

	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		struct nst_sensor *s = &m->sensor[i];

		if (!s->used || !s->moves.h.had)
			continue;
		nst_handover_time(&s->moves.h, now_us);
		nst_moves_run(m, s, now_ms);
	}
}

/* ---------------------------------------------------------------- workers */

struct nst_sensor *nst_moves_find(struct nst_manager *m,
				  const struct nst_client *c,
				  enum nst_home *ret_home)
{
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		struct nst_sensor *s = &m->sensor[i];

		for (int home = 0; s->used && home < NST_HOMES; home++)
			if (s->moves.h.worker[home].present &&
			    s->moves.client[home] == c->serial) {
				*ret_home = (enum nst_home)home;
				return s;
			}
	}
	return NULL;
}

static void drop(struct nst_manager *m, struct nst_sensor *s, u64 now_ms)
{
	struct nst_moves *v = &s->moves;

	for (int home = 0; home < NST_HOMES; home++) {
		if (!v->h.worker[home].present ||
		    nst_server_find(&m->server, v->client[home]))
			continue;
		nst_log(NST_LOG_NOTICE, "%s: the %s worker of %s is gone",
			s->name, nst_home_name((enum nst_home)home), v->task);
		nst_handover_gone(&v->h, (enum nst_home)home, nst_now_us());
		nst_moves_run(m, s, now_ms);
	}
}

void nst_moves_drop(struct nst_manager *m, u64 now_ms)
{
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++)
		if (m->sensor[i].used)
			drop(m, &m->sensor[i], now_ms);
}

void nst_moves_end(struct nst_manager *m, struct nst_sensor *s, u64 now_ms)
{
	struct nst_moves *v = &s->moves;

	for (int home = 0; home < NST_HOMES; home++) {
		struct nst_client *c = nst_server_find(&m->server,
						       v->client[home]);

		if (!v->h.worker[home].present)
			continue;
		nst_handover_leave(&v->h, (enum nst_home)home, nst_now_us());
		if (c)
			nst_server_close_client(c);
	}
	nst_moves_run(m, s, now_ms);
	put_state(v);
	nst_moves_init(v);
	s->gov.workers = (struct nst_gov_workers){ 0 };
}

void nst_moves_check(struct nst_manager *m, struct nst_sensor *s, u64 now_ms)
{
	const struct nst_profile *p = s->gov.profile;

	if (!s->moves.h.had)
		return;
	for (unsigned int i = 0; i < p->task_count; i++)
		if (p->tasks[i].sensor == s->gov.sensor &&
		    p->tasks[i].kind == NST_TASK_VISION &&
		    !strcmp(p->tasks[i].name, s->moves.task))
			return;
	nst_log(NST_LOG_NOTICE, "%s: there is no task %s any more, its workers "
		"are sent away", s->name, s->moves.task);
	nst_moves_end(m, s, now_ms);
}
