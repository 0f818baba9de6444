// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* handover.c - a task moves between its workers: see handover.h */
#include <errno.h>
#include <string.h>

#include "handover.h"

/*
 * How long an answer may take. A start opens a camera and may load a
 * network; the others are work of a frame at most.
 */
#define PREPARE_US	5000000
/* How many frames the gate of a near target may need until it stays open. */
#define OPEN_FRAMES	8
#define COPY_US		1000000
#define LOAD_US		1000000
#define COMMIT_US	500000
#define DRAIN_US	500000
/* Asked again so often within that: a message may have been lost. */
#define REPEATS		4

/* Pauses after roll-backs double, up to this. */
#define PAUSE_MIN_US	250000
#define PAUSE_MAX_US	8000000

/* A target that is further behind than this does not keep up. */
#define BEHIND_MAX	16
/* Copies of one attempt: late ones, and the one after states that differed. */
#define COPIES_MAX	4

/*
 * An owner without a frame for so long and so many frames is not there. While
 * the target has what is missing, frames alone decide, and soon enough that
 * none of them leaves the ledger.
 */
#define SILENT_US	3000000
#define SILENT_FRAMES	8
#define SILENT_BOTH	(NST_LEDGER_FRAMES / 2)

#define REPAIR_US	100000

const char *nst_handover_step_name(enum nst_handover_step step)
{
	static const char *const names[NST_HANDOVER_STEPS] = {
		[NST_HANDOVER_IDLE] = "idle",
		[NST_HANDOVER_PREPARE] = "prepare",
		[NST_HANDOVER_COPY] = "copy",
		[NST_HANDOVER_LOAD] = "load",
		[NST_HANDOVER_FOLLOW] = "follow",
		[NST_HANDOVER_COMMIT] = "commit",
		[NST_HANDOVER_DRAIN] = "drain",
	};

	return (unsigned int)step < NST_HANDOVER_STEPS ? names[step]
						       : "invalid";
}

const char *nst_handover_do_name(enum nst_handover_do what)
{
	static const char *const names[NST_DO_WORKER_COUNT] = {
		[NST_DO_PREPARE] = "prepare",
		[NST_DO_COPY] = "copy",
		[NST_DO_LOAD] = "load",
		[NST_DO_COMMIT] = "commit",
		[NST_DO_RELEASE] = "release",
	};

	return (unsigned int)what < NST_DO_WORKER_COUNT ? names[what]
							: "invalid";
}

void nst_handover_init(struct nst_handover *h)
{
	memset(h, 0, sizeof(*h));
	h->near_on = h->near_goes_on = true;
	h->owner = h->target = h->old = NST_HOME_NONE;
}

static enum nst_home other(enum nst_home home)
{
	return home == NST_HOME_NEAR ? NST_HOME_FAR : NST_HOME_NEAR;
}

/* ---------------------------------------------------------------- outputs */

/* Told once more to the same worker: the newest one stands. */
static void tell(struct nst_handover *h, enum nst_handover_do what,
		 enum nst_home home, u64 seq, bool fresh)
{
	const struct nst_handover_out o = {
		.what = (u8)what, .home = (u8)home, .step = h->step,
		.fresh = fresh, .epoch = h->epoch, .seq = seq,
	};

	for (unsigned int i = 0; i < h->outs; i++)
		if (h->out[i].what == o.what && h->out[i].home == o.home) {
			memmove(&h->out[i], &h->out[i + 1],
				(h->outs - i - 1) * sizeof(o));
			h->outs--;
			break;
		}
	/* One of each kind and home: 22 fit. */
	h->out[h->outs++] = o;
}

bool nst_handover_next(struct nst_handover *h, struct nst_handover_out *ret)
{
	if (!h->outs)
		return false;
	*ret = h->out[0];
	memmove(&h->out[0], &h->out[1], --h->outs * sizeof(*ret));
	return true;
}

static void say_lost(struct nst_handover *h)
{
	if (h->ledger.lost == h->lost_said)
		return;
	tell(h, NST_DO_SAY_LOST, h->owner, h->ledger.lost - h->lost_said,
	     false);
	h->lost_said = h->ledger.lost;
}

/* ------------------------------------------------------------------ steps */

static void enter(struct nst_handover *h, enum nst_handover_step step,
		  u64 limit_us, u64 now_us)
{
	h->step = (u8)step;
	h->copy_due = false;
	h->asked_us = now_us;
	h->deadline_us = limit_us ? now_us + limit_us : UINT64_MAX;
	h->repeat_us = limit_us ? now_us + limit_us / REPEATS : UINT64_MAX;
}

static void to_idle(struct nst_handover *h)
{
	enter(h, NST_HANDOVER_IDLE, 0, 0);
	h->target = h->old = NST_HOME_NONE;
	h->took_over = false;
}

static void send_commit(struct nst_handover *h, enum nst_home home, u64 seq,
			bool fresh)
{
	tell(h, NST_DO_COMMIT, home, seq, fresh);
	h->stats.commits++;
}

static void ask_owner(struct nst_handover *h, u64 now_us)
{
	enter(h, NST_HANDOVER_COPY, COPY_US, now_us);
	tell(h, NST_DO_COPY, (enum nst_home)h->owner, 0, false);
}

static void ask_for_state(struct nst_handover *h, u64 now_us)
{
	h->copies++;
	h->differs = h->compared = false;
	/* A near target has to be on from the next frame on: see gate(). */
	if (h->target == NST_HOME_NEAR && !(h->near_on && h->near_goes_on)) {
		enter(h, NST_HANDOVER_COPY, 0, now_us);
		h->copy_due = true;
		h->copy_waits = 0;
		return;
	}
	ask_owner(h, now_us);
}

/* The target has what came before the switch, or nothing of it. */
static void make_owner(struct nst_handover *h, enum nst_home home, u64 seq,
		       bool fresh, u64 now_us)
{
	h->owner = (u8)home;
	h->target = (u8)home;
	h->commit_seq = seq;
	h->fresh = fresh;
	h->repaired_us = now_us;
	nst_ledger_assign(&h->ledger, seq, home);
	enter(h, NST_HANDOVER_COMMIT, COMMIT_US, now_us);
	/* An owner that says nothing from now on is silent from now on. */
	h->worker[home].heard_us = now_us;
	send_commit(h, home, seq, fresh);
}

/* @seq: 0 for the frame that is being exposed */
static void begin_fresh(struct nst_handover *h, enum nst_home home, u64 seq,
			u64 now_us)
{
	if (!seq)
		seq = h->ledger.newest ? h->ledger.newest : 1;
	h->epoch++;
	h->old = NST_HOME_NONE;
	h->took_over = true;
	h->stats.fresh++;
	make_owner(h, home, seq, true, now_us);
	tell(h, NST_DO_SAY_FRESH, home, seq, true);
}

/* Frames from where the other one ends are handed in again, none is lost. */
static void take_over(struct nst_handover *h, enum nst_home home, u64 now_us)
{
	u64 seq = nst_ledger_lowest(&h->ledger, other(home), false);

	if (!seq)
		seq = h->ledger.newest + 1;
	h->old = NST_HOME_NONE;
	h->took_over = true;
	h->stats.taken_over++;
	make_owner(h, home, seq, false, now_us);
	tell(h, NST_DO_SAY_TAKEN_OVER, home, seq, false);
}

/* The owner stays or becomes it again; the target is not needed. */
static void roll_back(struct nst_handover *h, u64 now_us)
{
	enum nst_home target = (enum nst_home)h->target;
	enum nst_home old = (enum nst_home)h->old;

	h->stats.rolled_back[h->step]++;
	tell(h, NST_DO_SAY_ROLLED_BACK, target, h->commit_seq, false);
	if (h->step == NST_HANDOVER_COMMIT) {
		u64 seq = nst_ledger_lowest(&h->ledger, target, false);

		if (!seq)
			seq = h->ledger.newest + 1;
		h->owner = (u8)old;
		h->repaired_us = now_us;
		h->worker[old].heard_us = now_us;
		nst_ledger_assign(&h->ledger, seq, old);
		send_commit(h, old, seq, false);
	}
	if (h->worker[target].present)
		tell(h, NST_DO_RELEASE, target, 1, false);
	h->pause_len_us = h->pause_len_us ? h->pause_len_us * 2 : PAUSE_MIN_US;
	if (h->pause_len_us > PAUSE_MAX_US)
		h->pause_len_us = PAUSE_MAX_US;
	h->pause_us = now_us + h->pause_len_us;
	to_idle(h);
}

static void try_again(struct nst_handover *h, u64 now_us)
{
	if (h->copies < COPIES_MAX)
		ask_for_state(h, now_us);
	else
		roll_back(h, now_us);
}

static void finish(struct nst_handover *h)
{
	if (!h->took_over) {
		h->stats.moved++;
		tell(h, NST_DO_SAY_MOVED, (enum nst_home)h->owner,
		     h->commit_seq, false);
	}
	h->pause_len_us = 0;
	to_idle(h);
}

static void drained(struct nst_handover *h)
{
	u64 seq = nst_ledger_due(&h->ledger, (enum nst_home)h->old,
				 h->worker[h->old].last);

	if (!seq || seq >= h->commit_seq)
		finish(h);
}

static void acknowledged(struct nst_handover *h, u64 now_us)
{
	h->stats.acks++;
	h->stats.switch_us = now_us - h->asked_us;
	if (h->stats.switch_us > h->stats.switch_max_us)
		h->stats.switch_max_us = h->stats.switch_us;
	if (h->old == NST_HOME_NONE) {
		finish(h);
		return;
	}
	tell(h, NST_DO_RELEASE, (enum nst_home)h->old, h->commit_seq, false);
	enter(h, NST_HANDOVER_DRAIN, DRAIN_US, now_us);
	drained(h);
}

/* ---------------------------------------------------------------- workers */

int nst_handover_register(struct nst_handover *h, enum nst_home home,
			  u64 now_us)
{
	struct nst_handover_worker *w = &h->worker[home];

	if (w->present)
		return -EEXIST;
	*w = (struct nst_handover_worker){ .present = true,
					   .heard_us = now_us };
	h->pause_us = 0;
	h->pause_len_us = 0;
	h->had = true;
	if (h->owner == NST_HOME_NONE)
		begin_fresh(h, home, 0, now_us);
	return 0;
}

static void owner_gone(struct nst_handover *h, enum nst_home home, u64 now_us)
{
	enum nst_home heir = other(home);

	if (!h->worker[heir].present) {
		h->owner = NST_HOME_NONE;
		(void)nst_ledger_lose(&h->ledger, home);
		to_idle(h);
		return;
	}
	if (h->step == NST_HANDOVER_FOLLOW) {
		take_over(h, heir, now_us);
		return;
	}
	/* Of a while ago at best is its state, but it may have the frames. */
	begin_fresh(h, heir, nst_ledger_due(&h->ledger, home,
					    h->worker[home].last), now_us);
	(void)nst_ledger_lose(&h->ledger, home);
}

void nst_handover_leave(struct nst_handover *h, enum nst_home home, u64 now_us)
{
	if (!h->worker[other(home)].present) {
		h->had = h->begun = false;
		nst_ledger_forget(&h->ledger);
	}
	nst_handover_gone(h, home, now_us);
}

void nst_handover_gone(struct nst_handover *h, enum nst_home home, u64 now_us)
{
	struct nst_handover_worker *w = &h->worker[home];

	if (!w->present)
		return;
	w->present = false;
	if (home == h->old) {
		u64 seq = nst_ledger_lowest(&h->ledger, home, false);

		/* What it did not do, the new owner did while it followed. */
		h->old = NST_HOME_NONE;
		if (seq && seq < h->commit_seq)
			make_owner(h, (enum nst_home)h->owner, seq, false,
				   now_us);
		else if (h->step == NST_HANDOVER_DRAIN)
			finish(h);
	} else if (home == h->owner && h->step == NST_HANDOVER_COMMIT &&
		   h->old != NST_HOME_NONE) {
		roll_back(h, now_us);
	} else if (home == h->owner) {
		owner_gone(h, home, now_us);
	} else if (home == h->target) {
		roll_back(h, now_us);
	}
	say_lost(h);
}

/* ---------------------------------------------------------------- answers */

static bool awaited(const struct nst_handover *h, enum nst_handover_step step,
		    enum nst_home home, enum nst_home from, u32 epoch)
{
	return h->step == step && h->epoch == epoch && home == from;
}

int nst_handover_ready(struct nst_handover *h, enum nst_home home, u32 epoch,
		       u64 now_us)
{
	if (!awaited(h, NST_HANDOVER_PREPARE, home,
		     (enum nst_home)h->target, epoch))
		return -ESTALE;
	ask_for_state(h, now_us);
	return 0;
}

int nst_handover_state(struct nst_handover *h, enum nst_home home, u32 epoch,
		       u64 seq, u64 now_us)
{
	if (!awaited(h, NST_HANDOVER_COPY, home, (enum nst_home)h->owner,
		     epoch))
		return -ESTALE;
	/*
	 * It hands a frame in before it gives the state after it. One that has
	 * not handed in any may have a state of an earlier life.
	 */
	if (h->worker[home].last ? seq != h->worker[home].last
				 : seq > h->ledger.newest)
		return -EINVAL;
	h->state_seq = seq;
	enter(h, NST_HANDOVER_LOAD, LOAD_US, now_us);
	tell(h, NST_DO_LOAD, (enum nst_home)h->target, seq, false);
	return 0;
}

int nst_handover_copied(struct nst_handover *h, enum nst_home home, u32 epoch,
			u64 seq, u64 now_us)
{
	if (!awaited(h, NST_HANDOVER_LOAD, home, (enum nst_home)h->target,
		     epoch))
		return -ESTALE;
	if (seq != h->state_seq)
		return -EINVAL;
	h->worker[home].last = seq;
	enter(h, NST_HANDOVER_FOLLOW, 0, now_us);
	h->stats.ready_us = now_us - h->begun_us;
	return 0;
}

int nst_handover_failed(struct nst_handover *h, enum nst_home home, u32 epoch,
			u64 now_us)
{
	if (epoch != h->epoch)
		return -ESTALE;
	switch (h->step) {
	case NST_HANDOVER_LOAD:
	case NST_HANDOVER_FOLLOW:
		if (home != h->target)
			return -ESTALE;
		try_again(h, now_us);
		return 0;
	case NST_HANDOVER_PREPARE:
		if (home != h->target)
			return -ESTALE;
		break;
	case NST_HANDOVER_COPY:
		if (home != h->owner)
			return -ESTALE;
		break;
	case NST_HANDOVER_COMMIT:
		if (home != h->target || h->old == NST_HOME_NONE)
			return -ESTALE;
		break;
	default:
		return -ESTALE;
	}
	roll_back(h, now_us);
	return 0;
}

int nst_handover_ack(struct nst_handover *h, enum nst_home home, u32 epoch,
		     u64 seq, u64 now_us)
{
	/* The owner before is told again after a roll-back: taken for granted. */
	if (!awaited(h, NST_HANDOVER_COMMIT, home, (enum nst_home)h->target,
		     epoch))
		return home == h->owner && epoch == h->epoch ? 0 : -ESTALE;
	if (seq != h->commit_seq)
		return -EINVAL;
	acknowledged(h, now_us);
	return 0;
}

/* ----------------------------------------------------------------- frames */

static void note_followed(struct nst_handover *h, u64 seq, u64 now_us)
{
	const struct nst_frame_record *r = nst_ledger_find(&h->ledger, seq);
	const u8 both = 1u << NST_HOME_NEAR | 1u << NST_HOME_FAR;

	if (h->step != NST_HANDOVER_FOLLOW || !r || r->told != both ||
	    seq <= h->state_seq)
		return;
	h->compared = true;
	if (r->checksum[NST_HOME_NEAR] == r->checksum[NST_HOME_FAR])
		return;
	if (h->copies < 2)
		ask_for_state(h, now_us);
	else
		h->differs = true;
}

int nst_handover_done(struct nst_handover *h, enum nst_home home, u64 seq,
		      u32 checksum, u64 now_us, bool *ret_owner)
{
	struct nst_handover_worker *w = &h->worker[home];
	int r;

	*ret_owner = false;
	/* Its processing may be over before we hear that its period is. */
	if (!seq || seq > h->ledger.newest + 1) {
		w->refused++;
		return -ERANGE;
	}
	if (home != h->owner && home != h->target && home != h->old) {
		/* It did not hear, or does not heed, that it is not wanted. */
		w->refused++;
		tell(h, NST_DO_RELEASE, home, 1, false);
		return -EPERM;
	}
	/* A task begins with its first frame. */
	if (!h->begun)
		nst_ledger_begin_at(&h->ledger, seq);
	h->begun = true;
	if (seq > h->ledger.newest)
		nst_ledger_open(&h->ledger, seq, (enum nst_home)h->owner);
	r = nst_ledger_hand_in(&h->ledger, home, seq, checksum, ret_owner);
	if (r) {
		w->refused++;
		return r;
	}
	if (seq > w->last)
		w->last = seq;
	w->heard_us = now_us;
	note_followed(h, seq, now_us);
	/* A frame of its own that it hands in says as much as an answer. */
	if (*ret_owner && h->step == NST_HANDOVER_COMMIT &&
	    home == h->target && seq >= h->commit_seq)
		acknowledged(h, now_us);
	else if (h->step == NST_HANDOVER_DRAIN && home == h->old)
		drained(h);
	return 0;
}

void nst_handover_frame(struct nst_handover *h, u64 seq, u64 now_us)
{
	bool again = seq < h->ledger.newest;

	if (!h->had)
		return;
	if (again && h->step != NST_HANDOVER_IDLE &&
	    h->step < NST_HANDOVER_COMMIT)
		roll_back(h, now_us);
	nst_ledger_open(&h->ledger, seq, (enum nst_home)h->owner);
	if (again) {
		/* Numbers of another clock: nothing of before fits. */
		h->worker[NST_HOME_NEAR].last = 0;
		h->worker[NST_HOME_FAR].last = 0;
		if (h->owner != NST_HOME_NONE)
			begin_fresh(h, (enum nst_home)h->owner, 0, now_us);
	}
	say_lost(h);
	nst_handover_time(h, now_us);
}

void nst_handover_dropped(struct nst_handover *h, u64 seq)
{
	nst_ledger_drop(&h->ledger, seq);
	if (h->step == NST_HANDOVER_DRAIN)
		drained(h);
}

void nst_handover_gate(struct nst_handover *h, bool run, bool goes_on,
		       u64 now_us)
{
	h->near_on = run;
	h->near_goes_on = goes_on;
	if (!h->copy_due)
		return;
	if (run && goes_on)
		ask_owner(h, now_us);
	else if (++h->copy_waits > OPEN_FRAMES)
		roll_back(h, now_us);
}

/* ----------------------------------------------------------------- wishes */

void nst_handover_aim(struct nst_handover *h, enum nst_home home, u64 now_us)
{
	if (h->step == NST_HANDOVER_COMMIT || h->step == NST_HANDOVER_DRAIN)
		return;
	if (h->step != NST_HANDOVER_IDLE) {
		if (home == h->target)
			return;
		h->stats.cancelled++;
		tell(h, NST_DO_RELEASE, (enum nst_home)h->target, 1, false);
		to_idle(h);
		return;
	}
	if (home == NST_HOME_NONE || home == h->owner ||
	    h->owner == NST_HOME_NONE || !h->worker[home].present ||
	    now_us < h->pause_us)
		return;
	h->epoch++;
	h->target = (u8)home;
	h->copies = 0;
	h->begun_us = now_us;
	enter(h, NST_HANDOVER_PREPARE, PREPARE_US, now_us);
	tell(h, NST_DO_PREPARE, home, 0, false);
}

bool nst_handover_caught_up(const struct nst_handover *h)
{
	/* An owner that the gate stops has no frames to compare. */
	bool stopped = h->owner == NST_HOME_NEAR && !h->near_on;

	return h->step == NST_HANDOVER_FOLLOW && (h->compared || stopped) &&
	       h->worker[h->target].last + 1 >= h->worker[h->owner].last;
}

u64 nst_handover_commit(struct nst_handover *h, u64 seq, u64 now_us)
{
	if (!nst_handover_caught_up(h))
		return 0;
	if (seq <= h->worker[h->owner].last)
		seq = h->worker[h->owner].last + 1;
	h->stats.inexact += h->differs;
	h->old = h->owner;
	make_owner(h, (enum nst_home)h->target, seq, false, now_us);
	return seq;
}

bool nst_handover_needs(const struct nst_handover *h, enum nst_home home)
{
	if (home == h->owner)
		return true;
	switch (h->step) {
	case NST_HANDOVER_COPY:
	case NST_HANDOVER_LOAD:
	case NST_HANDOVER_FOLLOW:
		return home == h->target;
	case NST_HANDOVER_COMMIT:
		return home == h->old;
	default:
		return false;
	}
}

/* ------------------------------------------------------------------- time */

static void ask_again(struct nst_handover *h)
{
	enum nst_home target = (enum nst_home)h->target;

	switch (h->step) {
	case NST_HANDOVER_PREPARE:
		tell(h, NST_DO_PREPARE, target, 0, false);
		break;
	case NST_HANDOVER_COPY:
		tell(h, NST_DO_COPY, (enum nst_home)h->owner, 0, false);
		break;
	case NST_HANDOVER_LOAD:
		tell(h, NST_DO_LOAD, target, h->state_seq, false);
		break;
	case NST_HANDOVER_COMMIT:
		send_commit(h, target, h->commit_seq, h->fresh);
		break;
	case NST_HANDOVER_DRAIN:
		tell(h, NST_DO_RELEASE, (enum nst_home)h->old, h->commit_seq,
		     false);
		break;
	default:
		break;
	}
}

static void time_out(struct nst_handover *h, u64 now_us)
{
	u64 seq;

	switch (h->step) {
	case NST_HANDOVER_COMMIT:
		if (h->old != NST_HOME_NONE) {
			roll_back(h, now_us);
			break;
		}
		/* Nobody to go back to: silence decides, see below. */
		enter(h, NST_HANDOVER_COMMIT, COMMIT_US, now_us);
		break;
	case NST_HANDOVER_DRAIN:
		seq = nst_ledger_lowest(&h->ledger, (enum nst_home)h->old,
					false);
		h->old = NST_HOME_NONE;
		if (seq && seq < h->commit_seq)
			make_owner(h, (enum nst_home)h->owner, seq, false,
				   now_us);
		else
			finish(h);
		break;
	default:
		roll_back(h, now_us);
	}
}

/*
 * Frames that their owner processed when they were not its own yet: it is to
 * hand them in again. The message about it may have been lost.
 */
static void repair(struct nst_handover *h, u64 now_us)
{
	u64 seq;

	if (h->step == NST_HANDOVER_COMMIT || h->owner == NST_HOME_NONE ||
	    now_us < h->repaired_us + REPAIR_US)
		return;
	h->repaired_us = now_us;
	seq = nst_ledger_lowest(&h->ledger, (enum nst_home)h->owner, true);
	if (seq)
		send_commit(h, (enum nst_home)h->owner, seq, false);
}

static bool silent(const struct nst_handover *h, u64 now_us)
{
	u64 seq;

	if (h->owner == NST_HOME_NONE)
		return false;
	/* Frames that it passed over are gaps, not silence. */
	seq = nst_ledger_due(&h->ledger, (enum nst_home)h->owner,
			     h->worker[h->owner].last);
	if (!seq)
		return false;
	if (h->step == NST_HANDOVER_FOLLOW &&
	    h->worker[h->target].last >= seq + SILENT_BOTH)
		return true;
	return seq + SILENT_FRAMES <= h->ledger.newest &&
	       now_us - h->worker[h->owner].heard_us >= SILENT_US;
}

void nst_handover_time(struct nst_handover *h, u64 now_us)
{
	enum nst_home home;

	if (h->step == NST_HANDOVER_FOLLOW &&
	    h->worker[h->owner].last > h->worker[h->target].last + BEHIND_MAX)
		roll_back(h, now_us);
	if (now_us >= h->deadline_us && h->step != NST_HANDOVER_IDLE) {
		time_out(h, now_us);
	} else if (now_us >= h->repeat_us) {
		h->repeat_us = now_us + (h->deadline_us - h->asked_us) /
			       REPEATS;
		ask_again(h);
	}
	repair(h, now_us);
	if (!silent(h, now_us))
		return;
	home = (enum nst_home)h->owner;
	h->stats.closed++;
	tell(h, NST_DO_CLOSE, home, h->worker[home].last, false);
	nst_handover_gone(h, home, now_us);
}
