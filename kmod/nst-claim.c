// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-claim.c - who governs; see nst-claim.h
 */
#include "nst-claim.h"

static bool heartbeat_valid(const struct nst_claim_call *call)
{
	return !call->heartbeat_ms ||
	       (call->heartbeat_ms >= NST_LEASE_MIN_MS &&
		call->heartbeat_ms <= NST_LEASE_MAX_MS);
}

static int renew(struct nst_claim *claim, u32 heartbeat_ms, u64 now_ms)
{
	if (heartbeat_ms)
		claim->lease_ms = heartbeat_ms;
	claim->until_ms = now_ms + claim->lease_ms;
	return 0;
}

static int take(struct nst_claim *claim, const struct nst_claim_call *call,
		u64 now_ms)
{
	if (!call->may_write)
		return -EPERM;
	if (claim->holder && claim->holder != call->who)
		return -EBUSY;
	if (!claim->holder) {
		claim->holder = call->who;
		claim->lease_ms = call->default_ms;
	}
	return renew(claim, call->heartbeat_ms, now_ms);
}

int nst_claim_event(struct nst_claim *claim, enum nst_claim_event event,
		    const struct nst_claim_call *call, u64 now_ms)
{
	bool holds = claim->holder && claim->holder == call->who;
	int refused = claim->holder ? -EBUSY : -EPERM;

	switch (event) {
	case NST_CLAIM_TAKE:
		return heartbeat_valid(call) ? take(claim, call, now_ms) :
					       -EINVAL;
	case NST_CLAIM_RENEW:
		if (!heartbeat_valid(call))
			return -EINVAL;
		return holds ? renew(claim, call->heartbeat_ms, now_ms) :
			       refused;
	case NST_CLAIM_USE:
		return holds ? renew(claim, 0, now_ms) : refused;
	case NST_CLAIM_GIVE_BACK:
		if (!holds)
			return refused;
		claim->holder = NULL;
		return 0;
	case NST_CLAIM_CLOSE:
		if (holds)
			claim->holder = NULL;
		return 0;
	case NST_CLAIM_TIME:
		if (claim->holder && now_ms >= claim->until_ms)
			claim->holder = NULL;
		return 0;
	default:
		return -EINVAL;
	}
}
