// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* arbiter.c - see arbiter.h */
#include "arbiter.h"

static bool in_range(const struct nst_arbiter_request *request, u32 count,
		     u32 capacity)
{
	u32 i;

	if (count > NST_ARBITER_MAX || capacity > NST_ARBITER_LOAD_MAX)
		return false;
	for (i = 0; i < count; i++) {
		if (request[i].load > NST_ARBITER_LOAD_MAX ||
		    request[i].urgency > NST_PERMYRIAD)
			return false;
	}
	return true;
}

static u64 age_us(const struct nst_arbiter_grant *grant, u64 now_us)
{
	return now_us > grant->since_us ? now_us - grant->since_us : 0;
}

/* How far up in the line; larger is earlier. */
static s64 standing_us(const struct nst_arbiter_request *request,
		       const struct nst_arbiter_grant *grant, u64 now_us)
{
	const u64 far_us = (u64)1 << 60;
	u64 us = age_us(grant, now_us);
	s64 age = (s64)(us < far_us ? us : far_us);

	return (s64)request->urgency *
	       (NST_ARBITER_URGENT_US / NST_PERMYRIAD) +
	       (grant->granted ? -age : age);
}

static void give(struct nst_arbiter_grant *grant, bool granted, u32 why,
		 u64 now_us)
{
	/* Waiting and holding are counted from their own beginnings. */
	if (grant->granted != granted || grant->why == NST_ARBITER_IDLE)
		grant->since_us = now_us;
	grant->granted = granted;
	grant->why = (u8)why;
}

/* What asks for nothing, what can never be, and what all the rest adds up to */
static u64 sort_out(const struct nst_arbiter_request *request,
		    struct nst_arbiter_grant *grant, u32 count, u32 capacity,
		    u64 now_us, u64 *ret_open)
{
	u64 open = 0, sum = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		if (!request[i].wants) {
			grant[i].granted = false;
			grant[i].why = NST_ARBITER_IDLE;
		} else if (request[i].load > capacity) {
			give(&grant[i], false, NST_ARBITER_NEVER, now_us);
		} else {
			open |= (u64)1 << i;
			sum += request[i].load;
			/* One that begins to ask has not waited before. */
			if (grant[i].why == NST_ARBITER_IDLE)
				give(&grant[i], false, NST_ARBITER_WAITS,
				     now_us);
		}
	}
	*ret_open = open;
	return sum;
}

static u32 first_of(const struct nst_arbiter_request *request,
		    const struct nst_arbiter_grant *grant, u64 open,
		    u64 now_us)
{
	s64 most = 0;
	u32 i, first = 64;

	for (i = 0; i < 64 && open >> i; i++) {
		s64 standing;

		if (!(open >> i & 1))
			continue;
		standing = standing_us(&request[i], &grant[i], now_us);
		if (first == 64 || standing > most) {
			first = i;
			most = standing;
		}
	}
	return first;
}

/* In the line: who fits is granted; before anybody who did not, by right. */
static void line_up(const struct nst_arbiter_request *request,
		    struct nst_arbiter_grant *grant, u64 open, u32 room,
		    u64 now_us)
{
	u32 why = NST_ARBITER_FIRST;
	u64 granted = 0, waits = 0;
	u32 i;

	while (open) {
		i = first_of(request, grant, open, now_us);
		open &= ~((u64)1 << i);
		if (request[i].load > room) {
			waits |= (u64)1 << i;
			why = NST_ARBITER_GAP;
			continue;
		}
		room -= request[i].load;
		granted |= (u64)1 << i;
		/* Standings are those of before: what is given comes last. */
		grant[i].why = (u8)why;
	}
	for (i = 0; i < 64; i++) {
		if (granted >> i & 1)
			give(&grant[i], true, grant[i].why, now_us);
		else if (waits >> i & 1)
			give(&grant[i], false, NST_ARBITER_WAITS, now_us);
	}
}

int nst_arbiter_decide(const struct nst_arbiter_request *request,
		       struct nst_arbiter_grant *grant, u32 count,
		       u32 capacity, u64 now_us)
{
	u64 open, sum;
	u32 i, room = capacity;
	int granted = 0;

	if (!in_range(request, count, capacity))
		return -ERANGE;
	sum = sort_out(request, grant, count, capacity, now_us, &open);
	for (i = 0; i < count; i++) {
		if (!(open >> i & 1))
			continue;
		if (sum <= capacity) {
			give(&grant[i], true, NST_ARBITER_ROOM, now_us);
		} else if (grant[i].granted && grant[i].why !=
			   NST_ARBITER_GAP && request[i].load <= room &&
			   age_us(&grant[i], now_us) < NST_ARBITER_TURN_US) {
			give(&grant[i], true, NST_ARBITER_TURN, now_us);
			room -= request[i].load;
			open &= ~((u64)1 << i);
		}
	}
	if (sum > capacity)
		line_up(request, grant, open, room, now_us);
	for (i = 0; i < count; i++)
		granted += grant[i].granted;
	return granted;
}

const char *nst_arbiter_why_text(enum nst_arbiter_why why)
{
	switch (why) {
	case NST_ARBITER_IDLE:
		return "nothing is asked for";
	case NST_ARBITER_ROOM:
		return "there is room for all";
	case NST_ARBITER_TURN:
		return "its turn is not over";
	case NST_ARBITER_FIRST:
		return "it comes first";
	case NST_ARBITER_GAP:
		return "it fits beside those before it";
	case NST_ARBITER_WAITS:
		return "others come first";
	case NST_ARBITER_NEVER:
		return "it is more than the whole device";
	case NST_ARBITER_WHY_COUNT:
		break;
	}
	return "?";
}
