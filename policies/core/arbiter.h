/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * arbiter.h - who may use what several want and not all can have
 *
 * Requests are for shares of one capacity: a far device and the load that the
 * frames of a sensor are to it. While all of them fit everybody is granted.
 * When they do not, they are granted in the order of
 *
 *	urgency + time waited - time held
 *
 * as far as they fit, smaller ones in the gaps of larger ones. A request that
 * has to wait gains on those that hold without end, so it comes first some
 * day, and what comes first fits: none that fits at all starves. One that was
 * granted keeps it for NST_ARBITER_TURN_US at least, and what that holds is not
 * there for others meanwhile; one in a gap has no such turn, or gaps would keep
 * a large one out for ever. The same requests give the same grants: equal ones
 * go by their place in the list.
 */
#ifndef NST_ARBITER_H
#define NST_ARBITER_H

#include "units.h"

#define NST_ARBITER_MAX 64

/* Shorter turns are spent on moving to and fro, see physics: seasons. */
#define NST_ARBITER_TURN_US 2000000

/* A whole of urgency is worth so much of waiting. */
#define NST_ARBITER_URGENT_US 16000000

/* Loads and capacities are permyriads; several devices may be one. */
#define NST_ARBITER_LOAD_MAX 1000000

enum nst_arbiter_why {
	NST_ARBITER_IDLE = 0,	/* it asks for nothing */
	NST_ARBITER_ROOM,	/* all that is asked for fits */
	NST_ARBITER_TURN,	/* granted a while ago, and for a while more */
	NST_ARBITER_FIRST,	/* urgent, or has waited */
	NST_ARBITER_GAP,	/* fits beside what comes before it */
	NST_ARBITER_WAITS,	/* others come first */
	NST_ARBITER_NEVER,	/* more than the whole capacity */
	NST_ARBITER_WHY_COUNT
};

/**
 * struct nst_arbiter_request - of one who may want a share
 * @wants: it asks
 * @load: share that it takes when granted, permyriad
 * @urgency: 0..NST_PERMYRIAD
 */
struct nst_arbiter_request {
	bool wants;
	u32 load;
	u32 urgency;
};

/**
 * struct nst_arbiter_grant - and what it got; all zero is a fresh start
 * @granted: it may
 * @why: enum nst_arbiter_why
 * @since_us: it wants and is granted, or wants and waits, since then
 */
struct nst_arbiter_grant {
	bool granted;
	u8 why;
	u64 since_us;
};

/**
 * nst_arbiter_decide() - grant what fits
 * @request, @grant: @count of each, in the same order; @grant is what the last
 *	call left
 * @capacity: permyriad
 * @now_us: any clock that does not go back
 * Return: how many are granted; -ERANGE for a value out of range, and nothing
 * is changed.
 */
int nst_arbiter_decide(const struct nst_arbiter_request *request,
		       struct nst_arbiter_grant *grant, u32 count,
		       u32 capacity, u64 now_us);

/** nst_arbiter_why_text() - "there is room", "others come first", ... */
const char *nst_arbiter_why_text(enum nst_arbiter_why why);

#endif /* NST_ARBITER_H */
