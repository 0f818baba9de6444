/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-obey.h - does the gate do as it is told?
 *
 * A gate fails in two ways: it refuses (the call ends in an error) or it lies
 * (the call succeeds, and the hardware reports another gate afterwards).
 * Either way it is told again, at first at every boundary, then less and less
 * often, at last once a second; and once, when it has failed often enough,
 * that is a fault.
 *
 *	state	REFUSED		CONTRADICTED	ACCEPTED	AGREED
 *	good	trying		trying		good		good
 *	trying	trying, fault	trying, fault	trying		good (*)
 *		after 10	after 10
 *	fault	fault		fault		fault		good (*)
 *
 * (*) if it is the gate that failed, and it was accepted since. That a call
 * was accepted proves nothing, and neither does a gate that is where nobody
 * could move it from: a stack whose VPU cannot be stopped runs very well.
 * Where the hardware reports nothing (an error) the caller says nothing.
 *
 * Only the gate that failed is held back; any other is tried at once. So is the
 * one that failed when somebody asks for it anew: the answer is then what the
 * hardware says now, not what it said last. Pure: time is an argument.
 */
#ifndef NST_OBEY_H
#define NST_OBEY_H

#include "host.h"

/* Failures of one kind after which it is a fault. */
#define NST_OBEY_MAX 10
/* The first ones are tried again at once, that is at the next boundary. */
#define NST_OBEY_AT_ONCE 3
#define NST_OBEY_FIRST_US 20000
#define NST_OBEY_LONGEST_US 1000000

enum nst_obey_state { NST_OBEY_GOOD = 0, NST_OBEY_TRYING, NST_OBEY_FAULT };

enum nst_obey_event {
	NST_OBEY_REFUSED = 0,
	NST_OBEY_CONTRADICTED,
	NST_OBEY_ACCEPTED,
	NST_OBEY_AGREED,
	NST_OBEY_EVENT_COUNT
};

/** enum nst_obey_news - what there is to tell */
enum nst_obey_news {
	NST_OBEY_NOTHING = 0,
	NST_OBEY_IS_FAULT,	/* from now on; said once */
	NST_OBEY_IS_BACK,	/* the fault is over */
};

/**
 * struct nst_obey
 * @gate: the one that failed; means nothing in state good
 * @accepted: a call for it has succeeded since it was last refused
 * @next_us: not to be told again before this time
 * @tries: times it was told in vain
 */
struct nst_obey {
	u8 state;
	u8 gate;
	bool accepted;
	u16 refused;
	u16 contradicted;
	u16 tries;
	u64 next_us;
};

/** nst_obey_event() - something was seen of @gate at @t_us */
enum nst_obey_news nst_obey_event(struct nst_obey *obey,
				  enum nst_obey_event event, u8 gate,
				  u64 t_us);

/**
 * nst_obey_tried() - it was told again although it had failed before
 * The time until the next try grows.
 */
void nst_obey_tried(struct nst_obey *obey, u64 t_us);

/**
 * nst_obey_asked() - somebody asks for @gate
 * It may be tried once, now; if it fails the time until the next try is as long
 * as it would have been.
 */
void nst_obey_asked(struct nst_obey *obey, u8 gate);

/** nst_obey_may_try() - is it time to ask for @gate (again)? */
bool nst_obey_may_try(const struct nst_obey *obey, u8 gate, u64 t_us);

#endif /* NST_OBEY_H */
