/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * captures.h - on-demand requests at seeded random times, and their fate
 *
 * Requests come as a Poisson process. A request waits for the boundary
 * after it, where the policy hears of it; it is served by the first frame
 * from there on whose exposure is cold enough, as the governor sees it, and
 * missed when the last frame that its deadline allows was not.
 */
#ifndef NST_CAPTURES_H
#define NST_CAPTURES_H

#include <stddef.h>

#include "host.h"
#include "rng.h"

#define NST_CAPTURES_WAITING_MAX 64
#define NST_CAPTURES_NEVER UINT64_MAX

struct nst_capture_request {
	u64 asked_us;
	u64 last_start_us;	/* latest start of the exposure */
};

/**
 * struct nst_captures - all zero is a run without requests
 * @next_us: when the next request comes, NEVER for none
 */
struct nst_captures {
	struct nst_rng rng;
	double mean_gap_us;
	u64 next_us;
	struct nst_capture_request waiting[NST_CAPTURES_WAITING_MAX];
	unsigned int waiting_count;
	u64 served;
	u64 missed;
	u32 *latency_us;
	size_t latency_room;
};

/** nst_captures_init() - @rate_hz 0 for none; first request after @from_us */
void nst_captures_init(struct nst_captures *cap, double rate_hz, u64 seed,
		       u64 from_us);

/** nst_captures_rate() - from @from_us on another mean rate, 0 for none */
void nst_captures_rate(struct nst_captures *cap, double rate_hz, u64 from_us);

void nst_captures_free(struct nst_captures *cap);

/**
 * nst_captures_arrive() - take one request out of the process
 * @boundary_us: the first boundary after it; @period_us: frame period
 * @deadline_us: from the request; one frame after @boundary_us is always
 *	allowed
 * A request that finds the waiting room full is missed at once.
 */
void nst_captures_arrive(struct nst_captures *cap, u64 boundary_us,
			 u32 period_us, u32 deadline_us);

/**
 * nst_captures_serve() - frame that started at @start_us is cold enough
 * @ready_after_us: exposure and read-out, part of the latency
 * Return: how many requests it served, or -ENOMEM.
 */
int nst_captures_serve(struct nst_captures *cap, u64 start_us,
		       u32 ready_after_us);

/** nst_captures_expire() - no frame that starts before @next_start_us was */
void nst_captures_expire(struct nst_captures *cap, u64 next_start_us);

/** nst_captures_latency_us() - percentile of served requests, 0 for none */
u32 nst_captures_latency_us(struct nst_captures *cap, unsigned int percent);

#endif /* NST_CAPTURES_H */
