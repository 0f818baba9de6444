/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * handover.h - a task moves between its near and its far worker
 *
 *	idle ─> prepare ─> copy ─> load ─> follow ─> commit ─> drain ─> idle
 *
 * To begin with one worker owns the task: its results count. The other one,
 * the target, is told to start (prepare), the owner is asked for its state
 * (copy) and the target gets it (load) while the owner goes on. The state is
 * older than the switch will be: so the target follows, which means that it
 * processes every frame after that state just as the owner does, on the same
 * pixels, and its results count for nothing. Both are on meanwhile. When it
 * has caught up it *has* the owner's state, and the switch carries none: one
 * message to the target (commit: frames from SEQ on are yours), one message
 * back (acknowledged). The owner processes up to and including SEQ-1; then
 * it is released, which is not part of the switch.
 *
 * Whether the pixels are the same shows: both report the checksum of their
 * state after each frame. When they differ the copy is done once more; if
 * they differ again (a near processor that sees other pixels than the camera
 * delivers) the target follows with the state it has, and that is counted.
 *
 * Who owns a frame is decided here and nowhere else (ledger.h), at one
 * moment, when commit is sent. Both workers keep the results of some frames
 * that did not count, so that a roll-back, or the death of one of them while
 * both are on, loses none: who becomes the owner of frames that it processed
 * already is told to hand them in again.
 *
 * Every step that waits has a time-out, asks again meanwhile, and ends in a
 * roll-back: the owner goes on, the target is released, and another attempt
 * is made after a pause. A late or repeated answer is known by its epoch.
 *
 * No I/O, no clock, no allocation. Inputs are calls; what has to be done
 * about them is taken from nst_handover_next(). Times are microseconds of
 * any clock that does not go back.
 */
#ifndef NST_HANDOVER_H
#define NST_HANDOVER_H

#include "ledger.h"

/* One of each kind for each home. */
#define NST_HANDOVER_OUTS 36

enum nst_handover_step {
	NST_HANDOVER_IDLE = 0,
	NST_HANDOVER_PREPARE,	/* the target starts */
	NST_HANDOVER_COPY,	/* the owner gives its state */
	NST_HANDOVER_LOAD,	/* the target takes it */
	NST_HANDOVER_FOLLOW,	/* both on */
	NST_HANDOVER_COMMIT,	/* switched, to be acknowledged */
	NST_HANDOVER_DRAIN,	/* the old owner does its last frames */
	NST_HANDOVER_STEPS,
};

enum nst_handover_do {
	/* for a worker */
	NST_DO_PREPARE = 0,
	NST_DO_COPY,
	NST_DO_LOAD,		/* with the state that came last */
	NST_DO_COMMIT,
	NST_DO_RELEASE,
	NST_DO_WORKER_COUNT,
	/* for the caller */
	NST_DO_CLOSE = NST_DO_WORKER_COUNT,	/* it does not do its frames */
	NST_DO_SAY_MOVED,
	NST_DO_SAY_ROLLED_BACK,		/* @step did not work */
	NST_DO_SAY_TAKEN_OVER,		/* the owner went, the other has it */
	NST_DO_SAY_FRESH,		/* and has no state of it */
	NST_DO_SAY_LOST,		/* @seq frames */
};

/**
 * struct nst_handover_out - something to do
 * @seq: of the state, or first frame of the new owner
 * @fresh: with COMMIT: there was no state to take over
 */
struct nst_handover_out {
	u8 what;		/* enum nst_handover_do */
	u8 home;		/* whom it is for or about */
	u8 step;
	bool fresh;
	u32 epoch;
	u64 seq;
};

/**
 * struct nst_handover_worker
 * @last: newest frame that it processed, 0 for none
 * @refused: frames that it handed in and that were not its to hand in
 */
struct nst_handover_worker {
	bool present;
	u64 last;
	u64 heard_us;
	u64 refused;
};

/**
 * struct nst_handover_stats
 * @moved: hand-overs done; @cancelled: not wanted any more before the switch
 * @inexact: of those done, with states that were not the same
 * @switch_us, @switch_max_us: from commit to its answer
 * @ready_us: from prepare until the target had caught up, the last time
 * @commits, @acks: messages of the switch itself
 */
struct nst_handover_stats {
	u64 moved;
	u64 rolled_back[NST_HANDOVER_STEPS];
	u64 cancelled;
	u64 taken_over;
	u64 fresh;
	u64 inexact;
	u64 closed;
	u64 commits;
	u64 acks;
	u64 switch_us;
	u64 switch_max_us;
	u64 ready_us;
};

/* All zero but @owner is one without workers: see nst_handover_init(). */
struct nst_handover {
	struct nst_handover_worker worker[NST_HOMES];
	struct nst_ledger ledger;
	struct nst_handover_stats stats;

	u8 owner;		/* enum nst_home: of frames to come */
	u8 step;		/* enum nst_handover_step */
	u8 target;
	u8 old;			/* in COMMIT and DRAIN, NONE when it is gone */
	u32 epoch;
	u64 state_seq;		/* what was loaded, or is about to be */
	u64 commit_seq;
	bool fresh;		/* what commit says */
	bool took_over;		/* not a hand-over: nobody handed over */
	bool had;		/* workers are expected: frames count */
	bool begun;		/* from the first one on that was done */
	bool near_on;		/* the gate runs */
	bool near_goes_on;	/* and in the next period, as decided by now */
	bool copy_due;		/* as soon as both are so */
	unsigned int copy_waits;	/* frames since then */
	unsigned int copies;	/* of this attempt */
	bool compared;		/* a frame, since the last copy */
	bool differs;		/* and the states after it did */
	u64 begun_us;
	u64 asked_us;
	u64 deadline_us;
	u64 repeat_us;
	u64 pause_us;		/* no new attempt before this */
	u64 pause_len_us;
	u64 repaired_us;
	u64 lost_said;

	unsigned int outs;
	struct nst_handover_out out[NST_HANDOVER_OUTS];
};

void nst_handover_init(struct nst_handover *h);

/** nst_handover_next() - take the oldest thing to do; false: no more */
bool nst_handover_next(struct nst_handover *h, struct nst_handover_out *ret);

/** nst_handover_used() - is there any worker? */
static inline bool nst_handover_used(const struct nst_handover *h)
{
	return h->worker[NST_HOME_NEAR].present ||
	       h->worker[NST_HOME_FAR].present;
}

/**
 * nst_handover_register() - a worker is there
 * The first one becomes the owner and begins without a state.
 * Return: 0, -EEXIST when there is one in that home.
 */
int nst_handover_register(struct nst_handover *h, enum nst_home home,
			  u64 now_us);

/**
 * nst_handover_gone() - a worker is gone, it will do nothing any more
 * Without another one the frames that follow are nobody's, and lost.
 */
void nst_handover_gone(struct nst_handover *h, enum nst_home home,
		       u64 now_us);

/** nst_handover_leave() - as above, on purpose: the last one ends it all */
void nst_handover_leave(struct nst_handover *h, enum nst_home home,
			u64 now_us);

/*
 * Answers. Return: 0; -ESTALE for one that nobody waits for (any more): it
 * changes nothing; -EINVAL for one that cannot be true.
 */
int nst_handover_ready(struct nst_handover *h, enum nst_home home, u32 epoch,
		       u64 now_us);
int nst_handover_state(struct nst_handover *h, enum nst_home home, u32 epoch,
		       u64 seq, u64 now_us);
int nst_handover_copied(struct nst_handover *h, enum nst_home home, u32 epoch,
			u64 seq, u64 now_us);
int nst_handover_failed(struct nst_handover *h, enum nst_home home, u32 epoch,
			u64 now_us);
int nst_handover_ack(struct nst_handover *h, enum nst_home home, u32 epoch,
		     u64 seq, u64 now_us);

/**
 * nst_handover_done() - a worker processed a frame
 * @ret_owner: the frame is its own: the result counts and may be published
 * Return: 0; -ERANGE not exposed yet, or too long ago; -EALREADY handed in
 * before; -EPERM it neither owns the frame nor follows.
 */
int nst_handover_done(struct nst_handover *h, enum nst_home home, u64 seq,
		      u32 checksum, u64 now_us, bool *ret_owner);

/** nst_handover_frame() - frame @seq is being exposed now */
void nst_handover_frame(struct nst_handover *h, u64 seq, u64 now_us);

/** nst_handover_dropped() - the gate was closed when its turn came */
void nst_handover_dropped(struct nst_handover *h, u64 seq);

/**
 * nst_handover_gate() - is the near processor on in this period?
 * @goes_on: and in the next one. It is decided one period ahead: a gate that
 * runs may have been told to close before anybody wanted a near target.
 * A near target gets the state when both are so: the frame that is exposed
 * now is processed in the next period. Once a frame: it waits for some, however
 * long they are.
 */
void nst_handover_gate(struct nst_handover *h, bool run, bool goes_on,
		       u64 now_us);

/**
 * nst_handover_aim() - get @home ready to take over
 * The owner, or NONE: nobody shall; an attempt that has not switched yet is
 * given up. Once per frame at least while it is wanted.
 */
void nst_handover_aim(struct nst_handover *h, enum nst_home home, u64 now_us);

/**
 * nst_handover_caught_up() - would commit do, now?
 * The target has the owner's newest state, and they were compared after a
 * frame that both processed, unless the owner is stopped.
 */
bool nst_handover_caught_up(const struct nst_handover *h);

/**
 * nst_handover_commit() - switch: the target owns frames from @seq on
 * Later ones when the owner has done some of these.
 * Return: the first frame of the new owner, 0 when it has not caught up.
 */
u64 nst_handover_commit(struct nst_handover *h, u64 seq, u64 now_us);

/** nst_handover_time() - time-outs; now and then, at best every 50 ms */
void nst_handover_time(struct nst_handover *h, u64 now_us);

/**
 * nst_handover_needs() - has @home to be on in the next period?
 * Until the switch is acknowledged both have: the owner before can go on.
 */
bool nst_handover_needs(const struct nst_handover *h, enum nst_home home);

/** nst_handover_step_name() - "idle", "prepare", ... */
const char *nst_handover_step_name(enum nst_handover_step step);

/** nst_handover_do_name() - "prepare", "copy", ... of those for a worker */
const char *nst_handover_do_name(enum nst_handover_do what);

#endif /* NST_HANDOVER_H */
