/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ledger.h - which worker each frame belongs to, and whether it is done
 *
 * A task has up to two workers: one near the sensor, one far from it. Every
 * frame belongs to at most one of them at any time, and it counts as done
 * when its owner has handed it in here, once. What a worker does beside that,
 * while it only follows, counts for nothing. So no frame is done twice, and
 * one that nobody did is known to be lost.
 *
 * The newest NST_LEDGER_FRAMES frames are open to change; what leaves that
 * window undone is lost. Numbers start at 1: 0 is "none".
 */
#ifndef NST_LEDGER_H
#define NST_LEDGER_H

#include "host.h"

#define NST_LEDGER_FRAMES 64

enum nst_home {
	NST_HOME_NEAR = 0,
	NST_HOME_FAR,
	NST_HOMES,
	NST_HOME_NONE = NST_HOMES,
};

enum nst_fate {
	NST_FRAME_OPEN = 0,
	NST_FRAME_DONE,
	NST_FRAME_DROPPED,	/* the gate took its processing's place */
	NST_FRAME_LOST,
};

/**
 * struct nst_frame_record - one frame
 * @owner, @fate: enum nst_home, enum nst_fate
 * @told: bit per home that processed it, as owner or following
 * @gated: the near processor did not run when its turn was
 * @checksum: of the state after it, per home
 */
struct nst_frame_record {
	u64 seq;
	u8 owner;
	u8 fate;
	u8 told;
	bool gated;
	u32 checksum[NST_HOMES];
};

/**
 * struct nst_ledger - all zero is one that has seen nothing
 * @newest: newest frame known, 0 for none
 * @overlap: frames that both processed
 * @diverged: of these, with different states after them
 */
struct nst_ledger {
	u64 newest;
	u64 done[NST_HOMES];
	u64 dropped;
	u64 lost;
	u64 overlap;
	u64 diverged;
	struct nst_frame_record record[NST_LEDGER_FRAMES];
};

/**
 * nst_ledger_open() - frames up to @seq exist and belong to @owner
 * Numbers that start again, or a leap beyond the window, begin a new window;
 * what was open is lost.
 */
void nst_ledger_open(struct nst_ledger *l, u64 seq, enum nst_home owner);

/** nst_ledger_forget() - no frames, but the sums stay */
void nst_ledger_forget(struct nst_ledger *l);

/** nst_ledger_find() - the record of a frame in the window, or NULL */
struct nst_frame_record *nst_ledger_find(struct nst_ledger *l, u64 seq);

/** nst_ledger_assign() - open frames from @seq on belong to @owner now */
void nst_ledger_assign(struct nst_ledger *l, u64 seq, enum nst_home owner);

/**
 * nst_ledger_hand_in() - a worker processed a frame
 * @ret_owner: it counts as done by this call
 * One that only follows may come again with another state.
 * Return: 0; -ERANGE not in the window; -EALREADY it counts as done by this
 * worker already.
 */
int nst_ledger_hand_in(struct nst_ledger *l, enum nst_home home, u64 seq,
		       u32 checksum, bool *ret_owner);

/** nst_ledger_drop() - a gated near processor did not do it */
void nst_ledger_drop(struct nst_ledger *l, u64 seq);

/** nst_ledger_lose() - open frames of @owner are lost; how many */
u32 nst_ledger_lose(struct nst_ledger *l, enum nst_home owner);

/**
 * nst_ledger_lowest() - oldest open frame of @owner
 * @told: only of those that it has processed already, but not as owner
 * Return: its number, 0 for none.
 */
u64 nst_ledger_lowest(const struct nst_ledger *l, enum nst_home owner,
		      bool told);

/** nst_ledger_due() - as above, of those after @last */
u64 nst_ledger_due(const struct nst_ledger *l, enum nst_home owner, u64 last);

/** nst_ledger_begin_at() - frames before @seq were nobody's business */
void nst_ledger_begin_at(struct nst_ledger *l, u64 seq);

/** nst_home_name() - "near", "far", "none" */
const char *nst_home_name(enum nst_home home);

#endif /* NST_LEDGER_H */
