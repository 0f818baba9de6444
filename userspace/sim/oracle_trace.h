/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * oracle_trace.h - the best that any policy could do where light and weather
 * change
 *
 * Dynamic programming over the slow temperature (and over the placement,
 * where changing it costs), in steps of a fraction of a second. Of ways that
 * lose equally few frames the one that needs least energy.
 *
 * Two optima. One learns of a change when it comes: from then on it does what
 * is best if nothing ever changes again. The other knows the trace from its
 * beginning, so that it is cool when the light falls; no policy can be better,
 * and none that does not know the future need come near.
 */
#ifndef NST_ORACLE_TRACE_H
#define NST_ORACLE_TRACE_H

#include <stddef.h>

#include "oracle.h"

/**
 * struct nst_oracle_stretch - a situation, from @from_s on
 * @never: no temperature gives what the task asks: every frame is lost
 * The stack is the same in all of them.
 */
struct nst_oracle_stretch {
	double from_s;
	bool never;
	struct nst_oracle_case c;
};

struct nst_oracle_sum {
	double energy_j;
	double delivered;
};

/* Situations that are worked out, each once. */
#define NST_ORACLE_SETTINGS_MAX 256

/**
 * nst_oracle_trace() - both optima
 * @end_s: end of the last stretch
 * @drops: frames may be dropped, else each goes near or far
 * @cold: it starts from ambient temperature; else as the first situation has
 *	left it after a long time
 * @learning, @foreseeing: the two
 * Return: 0; -1 without memory, or for more than NST_ORACLE_SETTINGS_MAX
 * different situations.
 */
int nst_oracle_trace(const struct nst_oracle_stretch *stretches, size_t count,
		     double end_s, bool drops, bool cold,
		     struct nst_oracle_sum *learning,
		     struct nst_oracle_sum *foreseeing);

#endif /* NST_ORACLE_TRACE_H */
