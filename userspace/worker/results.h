/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * results.h - what the task found: kept for a while, published when it counts
 *
 * A line of JSON for each frame that nstd counted as done by this worker. The
 * newest NST_RESULTS ones are kept also while they do not count, since they
 * may: when the other worker is gone, or did not take the task over.
 */
#ifndef NST_WORKER_RESULTS_H
#define NST_WORKER_RESULTS_H

#include <stdio.h>

#include "home.h"

#define NST_RESULTS 64

struct nst_results {
	FILE *out;		/* NULL: nobody wants them */
	const char *home;
	bool failed;		/* said that it cannot be written */
	uint64_t published;
	uint64_t kept;		/* processed, and did not count yet */
	struct {
		struct nst_work work;
		bool counted;
	} ring[NST_RESULTS];
};

/** nst_results_add() - a frame that was processed */
struct nst_work *nst_results_add(struct nst_results *r,
				 const struct nst_work *work);

/** nst_results_find() - the oldest kept one from @seq on that did not count */
struct nst_work *nst_results_find(struct nst_results *r, uint64_t seq);

/**
 * nst_results_publish() - it counts
 * @deliver: 1, 0, or -1 when nstd does not know yet
 */
void nst_results_publish(struct nst_results *r, const struct nst_work *work,
			 int deliver, const char *reason);

/** nst_results_forget() - numbers start again, or nobody will ask any more */
void nst_results_forget(struct nst_results *r);

#endif /* NST_WORKER_RESULTS_H */
