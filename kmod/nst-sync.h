/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-sync.h - frames from the edges of a wire
 *
 * An edge of the frame-sync line says that a frame begins, and nothing else:
 * the period has to be measured, an edge can be lost, a glitch looks like one
 * too many, the camera may change its rate or stop. The edges rule; a period
 * that somebody named is only what is believed until they have been seen.
 *
 *	time since the last frame	what it is
 *	  < 5/8 of a period		doubled: no frame
 *	  about n periods		a frame, and n - 1 edges were missed
 *	  more than NST_SYNC_STOP_US,
 *	  and than 4 periods		the source had stopped: a new start
 *
 *	three intervals that agree within 1/8, and not with the period:
 *	the rate has changed, their mean is the period from now on
 *
 * Where frames are expected is filtered over some eight of them, so an edge
 * may be a quarter of a period off its place. Edges of a stopped source do
 * not come, so whoever owns a clock has to notice that.
 *
 * Pure: time comes with the edge.
 */
#ifndef NST_SYNC_H
#define NST_SYNC_H

#include "host.h"

/* Intervals that have to agree before they are a period. */
#define NST_SYNC_AGREE 3
/* A gap as long as this is a stop, unless the period is of that order. */
#define NST_SYNC_STOP_US 500000

enum nst_sync_verdict {
	NST_SYNC_SEARCHING = 0,	/* no period is known yet */
	NST_SYNC_FRAME,		/* a frame began */
	NST_SYNC_RATE,		/* a frame began, and the period is a new one */
	NST_SYNC_DOUBLED,	/* no frame */
};

/**
 * struct nst_sync - one line
 * @seq: frames since the start, missed ones included
 * @period_us: 0 until it is known
 * @jitter_us: how far edges are from where they are expected, on average
 * @missed, @doubled, @restarts: counters
 *
 * Read these; the rest is private.
 */
struct nst_sync {
	u64 seq;
	u32 period_us;
	u32 jitter_us;
	u64 missed;
	u64 doubled;
	u64 restarts;

	u64 phase_us;		/* the last frame, less the jitter of its edge */
	u64 edge_us;		/* the last edge of all */
	u32 period_q8;		/* @period_us with its fraction */
	u32 interval_us[NST_SYNC_AGREE];
	u8 intervals;
	bool started;
};

/** nst_sync_init() - @period_us: what is believed, 0 for nothing */
void nst_sync_init(struct nst_sync *sync, u32 period_us);

/** nst_sync_edge() - an edge came at @t_us */
enum nst_sync_verdict nst_sync_edge(struct nst_sync *sync, u64 t_us);

#endif /* NST_SYNC_H */
