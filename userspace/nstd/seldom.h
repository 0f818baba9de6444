/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * seldom.h - a line of the log that others can cause, not more often than
 * every so many milliseconds; those in between are counted
 */
#ifndef NST_SELDOM_H
#define NST_SELDOM_H

#include <stdbool.h>

#include "host.h"

/** struct nst_seldom - of one kind of line; all zero: never said */
struct nst_seldom {
	u64 said_ms;
	unsigned int unsaid;
};

/**
 * nst_seldom_may() - whether the line may be said now, else it is counted
 * @ret_unsaid: when it may: how many were not, since the last that was
 */
bool nst_seldom_may(struct nst_seldom *s, u32 gap_ms, u64 now_ms,
		    unsigned int *ret_unsaid);

#endif /* NST_SELDOM_H */
