/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * tick.h - sample, observe, decide, act: where device and governor meet
 *
 * One tick is one wake-up: all events that are waiting, one sample, one
 * decision, and a request only when something changes. A wake-up without a
 * boundary or a changed parameter costs a read() and no more. It never waits
 * and never allocates.
 */
#ifndef NST_TICK_H
#define NST_TICK_H

#include "governor.h"

/**
 * struct nst_tick - what a tick found and did
 * @lease_lost: the device says so, or refused a request for want of it
 * @events_lost: of the device's queue; the model is as good as its samples
 * @limits_err, @gate_err: 0, or what the device answered
 * @limits_clamped: max_mc was above what the device takes
 * @capture, @captures: answers to capture tickets, oldest first
 */
#define NST_TICK_CAPTURES 16

struct nst_tick {
	bool lease_lost;
	bool failsafe_changed;
	bool failsafe;
	bool gate_told;
	bool limits_told;
	bool limits_clamped;
	bool gate_clamped;
	u64 events_lost;
	int limits_err;
	int gate_err;
	unsigned int captures;
	struct nst_dev_event capture[NST_TICK_CAPTURES];
};

/**
 * nst_tick() - one wake-up of a device
 * @act: false in a dry run and without the lease: decide, tell nobody
 * @max_mc: highest ceiling that the device takes, as found at the start
 * Return: 0, or the errno of the device when it could not be read; the
 * governor is then as it was.
 */
int nst_tick(struct nst_governor *g, struct nst_dev *dev, bool act,
	     s32 max_mc, struct nst_tick *ret);

#endif /* NST_TICK_H */
