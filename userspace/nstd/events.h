/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * events.h - what changed, for clients that asked to be told
 *
 * What is told is found by comparing what a sensor is with what it was told
 * to be last, once a round of the loop: so nothing that decides has to know
 * of listeners, and of two changes in one round the last one is told.
 */
#ifndef NST_EVENTS_H
#define NST_EVENTS_H

#include "profile.h"

struct nst_manager;

/* What was told of a sensor last. */
struct nst_told {
	bool used;
	u8 state;
	u8 placement;
	bool met;
	s32 limit_mc;
	struct nst_thresholds thr;
};

struct nst_events {
	struct nst_told told[NST_PROFILE_SENSORS_MAX];
	u64 profiles;			/* changes of the profile in force */
	u64 told_profiles;
};

/** nst_events_pump() - once a round */
void nst_events_pump(struct nst_manager *m);

#endif /* NST_EVENTS_H */
