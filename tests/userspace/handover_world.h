/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * handover_world.h - two workers, a camera and a governor around handover.c
 *
 * Periods of eight steps. Messages travel for a step or more and can be lost,
 * late, doubled or lies; workers die, come back, fall silent or hang. In
 * period n+1 the frame n can be processed: by the near worker only then and
 * only when the gate is open, by the far one for some frames longer.
 *
 * The task is a hash that is carried from frame to frame, and firmware/vpu
 * beside it where that is wanted. A frame is published by what the ledger
 * counts as done; the world keeps what was published of each frame, how often
 * and by whom, and checks it as it goes.
 */
#ifndef NST_TESTS_HANDOVER_WORLD_H
#define NST_TESTS_HANDOVER_WORLD_H

#include <stdlib.h>
#include <string.h>

#include "../../userspace/nstd/handover.h"
#include "ktap.h"
#include "vpu.h"

#define STEPS 8
#define PERIOD_US 33333ull
#define GIVE_US 150000ull	/* a state without a frame, as nst-worker */
#define WIRE 256
#define BLOBS 64
#define RESULTS 64
#define CAMERA_KEEPS 12		/* frames that the far worker can still get */
#define SIDE 64

static u64 step_us = PERIOD_US / STEPS;

enum fault {
	NO_FAULT = 0, LOSE, TWICE, LATE, VERY_LATE, LIE, KILL, MUTE, HANG,
	FAULTS
};

enum kind {
	READY, STATE, COPIED, FAILED, ACK, DONE,	/* to the daemon */
	REPLY, EVENT,					/* from it */
};

/* What is carried from frame to frame. */
struct task_state {
	u64 hash;
	u64 last;
	struct vpu_state vpu;
};

struct message {
	bool used;
	u8 kind;		/* enum kind */
	u8 home;
	u8 what;		/* of EVENT */
	bool fresh;
	bool owner;		/* of REPLY */
	bool lie;
	int err;		/* of REPLY */
	u32 epoch;
	u32 checksum;
	u32 life;		/* of the worker */
	u64 seq;
	u64 hash;		/* result of a DONE */
	u64 due;
	u64 order;
	int blob;
};

struct result {
	u64 seq;
	u64 hash;
	u32 checksum;
	bool answered;
	u64 sent;
};

struct sim_worker {
	bool alive;
	bool mute;
	bool hang;
	bool on;		/* processes frames */
	bool has_state;
	u32 life;
	u64 until;		/* not the frames from here on */
	u64 back_at;		/* period in which it is started again */
	bool give;
	u32 give_epoch;
	u64 give_after;
	struct task_state state;
	struct result result[RESULTS];
};

struct published {
	u64 hash;
	u8 count;
	u8 home;
};

struct world {
	struct nst_handover h;
	struct sim_worker w[NST_HOMES];
	struct message wire[WIRE];
	struct task_state blob[BLOBS];
	int next_blob, daemon_blob;
	u64 step, period, order;
	bool gate_run;
	bool with_vpu;
	bool other_pixels;	/* near sees what the camera does not give */
	bool never_hot;		/* the governor waits for the target */
	u8 want;
	/* faults: by number of the message, or by chance in a million */
	unsigned long messages, at[2], handovers_only;
	enum fault fault[2];
	u32 chance_ppm;
	u32 seed;
	bool excused;		/* a frame may be lost: nobody had it */
	unsigned long kills, excuses, closed;
	unsigned long switch_out, switch_in;
	u64 first, frames, before;
	bool begun;
	struct published *pub;	/* by frame */
	u64 pub_size;
};

static struct vpu_work world_work;

static u64 mix(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static u32 rnd(struct world *w, u32 below)
{
	w->seed = w->seed * 1664525u + 1013904223u;
	return (u32)((u64)w->seed * below >> 32);
}

/* ------------------------------------------------------------------- task */

static void render(u8 *pixels, u64 seq)
{
	u32 x0 = (u32)(seq % 48), y0 = 20;

	for (u32 i = 0; i < SIDE * SIDE; i++)
		pixels[i] = (u8)(60 + (mix(i) & 31));
	for (u32 y = y0; y < y0 + 24; y++)
		for (u32 x = x0; x < x0 + 16; x++)
			pixels[y * SIDE + x] = 200;
}

static void task_init(const struct world *w, struct task_state *t)
{
	memset(t, 0, w->with_vpu ? sizeof(*t) : offsetof(struct task_state,
							 vpu));
	t->hash = 1;
	if (w->with_vpu && vpu_init(&t->vpu, SIDE, SIDE, 8))
		abort();
}

static void task_copy(const struct world *w, struct task_state *to,
		      const struct task_state *from)
{
	memcpy(to, from, w->with_vpu ? sizeof(*to)
				     : offsetof(struct task_state, vpu));
}

static u64 digest(const void *data, size_t len)
{
	const u8 *p = data;
	u64 h = 14695981039346656037ull;

	for (size_t i = 0; i + 8 <= len; i += 8) {
		u64 word;

		memcpy(&word, p + i, 8);
		h = (h ^ word) * 1099511628211ull;
	}
	return h;
}

static struct result task_frame(const struct world *w, struct task_state *t,
				u64 seq, bool near)
{
	struct result r = { .seq = seq };
	u64 pixels_of = near && w->other_pixels ? seq * 3 : seq;

	t->hash = mix(t->hash ^ mix(pixels_of));
	t->last = seq;
	r.hash = t->hash;
	if (w->with_vpu) {
		static u8 pixels[SIDE * SIDE];
		static struct vpu_result out;
		struct vpu_frame f = { .seq = seq, .pixels = pixels,
				       .width = SIDE, .height = SIDE,
				       .stride = SIDE, .bits = 8 };

		render(pixels, pixels_of);
		memset(&out, 0, sizeof(out));
		if (vpu_process(&t->vpu, &world_work, &f, &out))
			abort();
		r.hash ^= digest(&out, sizeof(out)) ^
			  digest(&t->vpu, sizeof(t->vpu));
	}
	r.checksum = (u32)r.hash;
	return r;
}

/* ------------------------------------------------------------------- wire */

static void put(struct world *w, struct message m, u64 delay)
{
	for (int i = 0; i < WIRE; i++) {
		if (w->wire[i].used)
			continue;
		m.used = true;
		m.due = w->step + delay;
		m.order = w->order++;
		w->wire[i] = m;
		return;
	}
	EXPECT(false, "the wire is full in period %llu",
	       (unsigned long long)w->period);
}

static void kill_worker(struct world *w, int home)
{
	struct sim_worker *s = &w->w[home];

	if (!s->alive)
		return;
	s->alive = false;
	w->kills++;
	s->back_at = w->period + 3 + rnd(w, 6);
	for (int i = 0; i < WIRE; i++)
		if (w->wire[i].used && w->wire[i].home == home)
			w->wire[i].used = false;
	nst_handover_gone(&w->h, (enum nst_home)home, w->step * step_us);
}

/*
 * It owns the frames, and the other one has not got what it would need; or
 * is about to be released, since it has acknowledged.
 */
static bool alone(const struct world *w, int home)
{
	const struct nst_handover *h = &w->h;

	for (int i = 0; i < WIRE; i++)
		if (w->wire[i].used && w->wire[i].kind == ACK &&
		    w->wire[i].home == home)
			return true;
	return home == h->owner && h->step != NST_HANDOVER_FOLLOW &&
	       (h->step != NST_HANDOVER_COMMIT || h->old == NST_HOME_NONE);
}

static enum fault fault_now(struct world *w, const struct message *m)
{
	if (w->handovers_only && (m->kind == DONE || m->kind == REPLY))
		return NO_FAULT;
	w->messages++;
	for (int i = 0; i < 2; i++)
		if (w->fault[i] != NO_FAULT && w->at[i] == w->messages)
			return w->fault[i];
	if (w->chance_ppm && rnd(w, 1000000) < w->chance_ppm)
		return (enum fault)(1 + rnd(w, FAULTS - 1));
	return NO_FAULT;
}

static void send_message(struct world *w, struct message m)
{
	struct sim_worker *s = &w->w[m.home];
	struct message lie = m;

	m.life = lie.life = s->life;
	switch (fault_now(w, &m)) {
	case LOSE:
		return;
	case TWICE:
		put(w, m, 1);
		put(w, m, 2 + rnd(w, 20));
		return;
	case LATE:
		put(w, m, 1 + STEPS);
		return;
	case VERY_LATE:
		put(w, m, 1 + STEPS * 10);
		return;
	case LIE:
		lie.lie = true;
		lie.seq += rnd(w, 2) ? 1000 : (u64)-1 - rnd(w, 3);
		if (m.kind <= DONE)
			put(w, lie, 1);
		put(w, m, 1);
		return;
	case KILL:
		kill_worker(w, m.home);
		return;
	case MUTE:
		s->mute = true;
		return;
	case HANG:
		s->hang = true;
		w->excused = w->excused || alone(w, m.home);
		return;
	default:
		put(w, m, 1);
	}
}

/* ---------------------------------------------------------------- workers */

static struct result *result_of(struct sim_worker *s, u64 seq)
{
	return &s->result[seq % RESULTS];
}

static void hand_in(struct world *w, int home, struct result *r)
{
	r->sent = w->step;
	send_message(w, (struct message){ .kind = DONE, .home = (u8)home,
		.seq = r->seq, .checksum = r->checksum, .hash = r->hash });
}

static void answer(struct world *w, int home, enum kind kind, u32 epoch,
		   u64 seq, int blob)
{
	if (!w->w[home].mute && !w->w[home].hang)
		send_message(w, (struct message){ .kind = (u8)kind,
			.home = (u8)home, .epoch = epoch, .seq = seq,
			.blob = blob });
}

static void give_state(struct world *w, int home)
{
	struct sim_worker *s = &w->w[home];
	int blob = w->next_blob++ % BLOBS;

	s->give = false;
	task_copy(w, &w->blob[blob], &s->state);
	answer(w, home, STATE, s->give_epoch, s->state.last, blob);
}

static void on_event(struct world *w, const struct message *m)
{
	struct sim_worker *s = &w->w[m->home];
	u64 seen = w->period ? w->period - 1 : 0;

	if (s->hang)
		return;
	switch (m->what) {
	case NST_DO_PREPARE:
		answer(w, m->home, READY, m->epoch, 0, 0);
		break;
	case NST_DO_COPY:
		s->give = true;
		s->give_epoch = m->epoch;
		s->give_after = w->step + GIVE_US / step_us;
		break;
	case NST_DO_LOAD:
		/* The near processor cannot get a frame of before. */
		if (m->home == NST_HOME_NEAR &&
		    w->blob[m->blob].last + 1 < seen) {
			answer(w, m->home, FAILED, m->epoch, 0, 0);
			break;
		}
		task_copy(w, &s->state, &w->blob[m->blob]);
		s->has_state = s->on = true;
		s->until = UINT64_MAX;
		answer(w, m->home, COPIED, m->epoch, m->seq, 0);
		break;
	case NST_DO_COMMIT:
		if (!s->has_state || (m->fresh && s->state.last > seen)) {
			task_init(w, &s->state);
			s->has_state = true;
		}
		if (m->fresh && s->state.last + 1 < m->seq)
			s->state.last = m->seq - 1;
		s->on = true;
		s->until = UINT64_MAX;
		if (!s->mute)
			w->switch_in++;
		answer(w, m->home, ACK, m->epoch, m->seq, 0);
		for (int i = 0; i < RESULTS; i++)
			if (s->result[i].seq >= m->seq)
				s->result[i].answered = false;
		break;
	case NST_DO_RELEASE:
		s->until = m->seq;
		if (m->seq <= s->state.last + 1)
			s->on = false;
		break;
	default:
		EXPECT(false, "no such event %u", m->what);
	}
}

static void on_reply(struct world *w, const struct message *m)
{
	struct sim_worker *s = &w->w[m->home];
	struct result *r = result_of(s, m->seq);

	if (r->seq == m->seq && m->err != -ERANGE)
		r->answered = true;
	if (m->err == -EPERM)
		s->on = false;
}

static void work_frame(struct world *w, int home, u64 seq)
{
	struct sim_worker *s = &w->w[home];
	struct result *r = result_of(s, seq);

	*r = task_frame(w, &s->state, seq, home == NST_HOME_NEAR);
	hand_in(w, home, r);
	if (s->state.last + 1 >= s->until)
		s->on = false;
	if (s->give)
		give_state(w, home);
}

static void work(struct world *w, int home)
{
	struct sim_worker *s = &w->w[home];
	u64 seen = w->period - 1;

	if (!s->alive || s->hang)
		return;
	if (s->give && w->step >= s->give_after)
		give_state(w, home);
	for (int i = 0; i < RESULTS; i++)
		if (s->result[i].seq && !s->result[i].answered &&
		    w->step >= s->result[i].sent + 4)
			hand_in(w, home, &s->result[i]);
	if (!s->on || w->step % STEPS < (home == NST_HOME_NEAR ? 2u : 3u))
		return;
	if (home == NST_HOME_NEAR) {
		if (w->gate_run && s->state.last < seen && seen < s->until &&
		    seen >= w->first)
			work_frame(w, home, seen);
		return;
	}
	if (s->state.last + CAMERA_KEEPS < seen)
		s->state.last = seen - CAMERA_KEEPS;
	while (s->alive && s->on && s->state.last < seen &&
	       s->state.last + 1 < s->until) {
		if (s->state.last + 1 < w->first)
			s->state.last = w->first - 1;
		else
			work_frame(w, home, s->state.last + 1);
	}
}

/* ----------------------------------------------------------------- daemon */

static void publish(struct world *w, const struct message *m)
{
	struct published *p = &w->pub[m->seq];

	EXPECT(m->seq < w->pub_size, "frame %llu", (unsigned long long)m->seq);
	p->count++;
	p->home = m->home;
	p->hash = m->hash;
	EXPECT(p->count == 1, "frame %llu done %u times",
	       (unsigned long long)m->seq, p->count);
	EXPECT(!m->lie || m->seq, "a lie counts");
}

static void drain_outs(struct world *w)
{
	struct nst_handover_out o;

	while (nst_handover_next(&w->h, &o)) {
		w->excused = w->excused || w->h.owner == NST_HOME_NONE;
		switch (o.what) {
		case NST_DO_CLOSE:
			w->closed++;
			w->excused = w->excused || w->h.owner == NST_HOME_NONE;
			kill_worker(w, o.home);
			break;
		case NST_DO_SAY_FRESH:
			w->excused = true;
			w->excuses++;
			break;
		case NST_DO_SAY_LOST:
			EXPECT(w->excused, "%llu frames lost in period %llu",
			       (unsigned long long)o.seq,
			       (unsigned long long)w->period);
			break;
		case NST_DO_SAY_MOVED:
		case NST_DO_SAY_ROLLED_BACK:
		case NST_DO_SAY_TAKEN_OVER:
			break;
		default:
			w->switch_out += o.what == NST_DO_COMMIT;
			if (w->w[o.home].alive)
				send_message(w, (struct message){
					.kind = EVENT, .home = o.home,
					.what = o.what, .fresh = o.fresh,
					.epoch = o.epoch, .seq = o.seq,
					.blob = w->daemon_blob });
		}
	}
}

static void to_daemon(struct world *w, const struct message *m)
{
	enum nst_home home = (enum nst_home)m->home;
	u64 now = w->step * step_us;
	bool owner = false;
	int r = 0;

	switch (m->kind) {
	case READY:
		nst_handover_ready(&w->h, home, m->epoch, now);
		break;
	case STATE:
		if (!nst_handover_state(&w->h, home, m->epoch, m->seq, now))
			w->daemon_blob = m->blob;
		break;
	case COPIED:
		nst_handover_copied(&w->h, home, m->epoch, m->seq, now);
		break;
	case FAILED:
		nst_handover_failed(&w->h, home, m->epoch, now);
		break;
	case ACK:
		nst_handover_ack(&w->h, home, m->epoch, m->seq, now);
		break;
	case DONE:
		r = nst_handover_done(&w->h, home, m->seq, m->checksum, now,
				      &owner);
		if (owner)
			publish(w, m);
		/* What was before the first frame is not counted. */
		if (owner && !w->begun)
			w->before = m->seq - w->first;
		w->begun = w->begun || owner;
		/* The answer to a lie is for nobody. */
		if (!m->lie)
			send_message(w, (struct message){ .kind = REPLY,
				.home = m->home, .seq = m->seq, .err = r,
				.owner = owner });
		break;
	}
	drain_outs(w);
}

static void deliver(struct world *w)
{
	for (;;) {
		struct message *m = NULL, copy;

		for (int i = 0; i < WIRE; i++)
			if (w->wire[i].used && w->wire[i].due <= w->step &&
			    (!m || w->wire[i].order < m->order))
				m = &w->wire[i];
		if (!m)
			return;
		copy = *m;
		m->used = false;
		if (!w->w[copy.home].alive || copy.life != w->w[copy.home].life)
			continue;
		if (copy.kind == EVENT)
			on_event(w, &copy);
		else if (copy.kind == REPLY)
			on_reply(w, &copy);
		else
			to_daemon(w, &copy);
		drain_outs(w);
	}
}

static void start_worker(struct world *w, int home)
{
	struct sim_worker *s = &w->w[home];
	u32 life = s->life + 1;

	memset(s, 0, offsetof(struct sim_worker, state));
	memset(s->result, 0, sizeof(s->result));
	s->state.last = 0;
	s->alive = true;
	s->life = life;
	EXPECT(!nst_handover_register(&w->h, (enum nst_home)home,
				      w->step * step_us), "register");
}

/* The governor: once a period, and again when the switch is acknowledged. */
static void govern(struct world *w)
{
	u64 now = w->step * step_us;

	nst_handover_aim(&w->h, (enum nst_home)w->want, now);
	drain_outs(w);
	if (w->want != w->h.owner && w->want == w->h.target &&
	    nst_handover_caught_up(&w->h))
		EXPECT(nst_handover_commit(&w->h, w->period, now) >= w->period,
		       "commit");
	drain_outs(w);
}

static bool gate_next(const struct world *w)
{
	/* Too hot for near, and far is not there yet: it has to cool. */
	if (!w->never_hot && w->want == NST_HOME_FAR &&
	    w->h.owner == NST_HOME_NEAR)
		return false;
	return nst_handover_needs(&w->h, NST_HOME_NEAR);
}

static void world_period(struct world *w)
{
	bool next_run;

	w->period++;
	w->frames++;
	for (int home = 0; home < NST_HOMES; home++)
		if (!w->w[home].alive && w->w[home].back_at &&
		    w->period >= w->w[home].back_at)
			start_worker(w, home);
	/* Of the next period, by what is known when this one begins. */
	next_run = gate_next(w);
	nst_handover_frame(&w->h, w->period, w->step * step_us);
	nst_handover_gate(&w->h, w->gate_run, next_run, w->step * step_us);
	if (!w->gate_run && w->period > w->first)
		nst_handover_dropped(&w->h, w->period - 1);
	drain_outs(w);
	govern(w);
	for (int i = 0; i < STEPS; i++, w->step++) {
		deliver(w);
		for (int home = 0; home < NST_HOMES; home++)
			work(w, home);
		nst_handover_time(&w->h, w->step * step_us);
		drain_outs(w);
		EXPECT(w->h.outs == 0, "left over");
	}
	w->gate_run = next_run;
}

static void world_init(struct world *w, u64 periods)
{
	struct published *pub = w->pub;

	memset(w, 0, sizeof(*w));
	w->pub_size = periods + 2;
	w->pub = realloc(pub, w->pub_size * sizeof(*pub));
	if (!w->pub)
		abort();
	memset(w->pub, 0, w->pub_size * sizeof(*pub));
	nst_handover_init(&w->h);
	w->first = 1;
	w->gate_run = true;
	w->want = NST_HOME_NEAR;
	w->never_hot = true;
	w->seed = 12345;
}

/* Near first: it becomes the owner. */
static void world_begin(struct world *w)
{
	start_worker(w, NST_HOME_NEAR);
	start_worker(w, NST_HOME_FAR);
	drain_outs(w);
	w->excused = false;
	w->excuses = 0;
}

/* Every frame has one fate, and what counts as done was published once. */
static void world_check(struct world *w)
{
	const struct nst_ledger *l = &w->h.ledger;
	u64 open = 0, published = 0;

	for (int i = 0; i < NST_LEDGER_FRAMES; i++)
		open += l->record[i].seq &&
			l->record[i].fate == NST_FRAME_OPEN;
	for (u64 i = 0; i < w->pub_size; i++)
		published += w->pub[i].count;
	EXPECT(published == l->done[0] + l->done[1], "%llu published",
	       (unsigned long long)published);
	EXPECT(l->done[0] + l->done[1] + l->lost + l->dropped + open +
	       w->before == w->frames, "%llu of %llu frames have a fate",
	       (unsigned long long)(l->done[0] + l->done[1] + l->lost +
				    l->dropped + open),
	       (unsigned long long)w->frames);
}

#endif /* NST_TESTS_HANDOVER_WORLD_H */
