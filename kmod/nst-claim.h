/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-claim.h - who governs: one open file, or the kernel
 *
 *	state	event		by the holder	by another
 *	free	take		-		held; -EPERM without write access
 *	free	renew, use, give back	-	-EPERM
 *	free	close, time		nothing
 *	held	take, renew	renewed		-EBUSY (take: -EPERM first)
 *	held	use		renewed		-EBUSY
 *	held	give back	free		-EBUSY
 *	held	close		free		nothing
 *	held	time		free once the heartbeat is over, else nothing
 *
 * Use is any call that only the holder may make. A heartbeat that is asked
 * for holds until another is; 0 asks for none. Pure: time is an argument, on
 * a clock that does not go back.
 */
#ifndef NST_CLAIM_H
#define NST_CLAIM_H

#include "host.h"

#define NST_LEASE_MIN_MS 10
#define NST_LEASE_MAX_MS 600000
#define NST_LEASE_DEFAULT_MS 1000

enum nst_claim_event {
	NST_CLAIM_TAKE = 0,
	NST_CLAIM_RENEW,
	NST_CLAIM_USE,
	NST_CLAIM_GIVE_BACK,
	NST_CLAIM_CLOSE,
	NST_CLAIM_TIME,
	NST_CLAIM_EVENT_COUNT
};

/**
 * struct nst_claim
 * @holder: NULL while the kernel governs
 * @lease_ms: heartbeat in force, @until_ms: when it is over
 */
struct nst_claim {
	const void *holder;
	u32 lease_ms;
	u64 until_ms;
};

/**
 * struct nst_claim_call
 * @who: the file that calls; not looked at for NST_CLAIM_TIME
 * @may_write: it was opened for writing
 * @heartbeat_ms: asked for by take and renew, 0 for what is in force
 * @default_ms: what a take gets that asks for none
 */
struct nst_claim_call {
	const void *who;
	bool may_write;
	u32 heartbeat_ms;
	u32 default_ms;
};

/**
 * nst_claim_event() - something happens to the lease
 * Return: 0, -EINVAL for a heartbeat out of range, -EPERM, -EBUSY; nothing
 * has changed after an error. Who governed before and after tells the rest.
 */
int nst_claim_event(struct nst_claim *claim, enum nst_claim_event event,
		    const struct nst_claim_call *call, u64 now_ms);

#endif /* NST_CLAIM_H */
