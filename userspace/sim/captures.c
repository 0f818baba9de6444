// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* captures.c - on-demand requests and their fate, see captures.h */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "captures.h"

static void draw_next(struct nst_captures *cap, u64 from_us)
{
	/* (0, 1], so that the logarithm is finite */
	double u = ((double)(nst_rng_u64(&cap->rng) >> 11) + 1.0) / 0x1p53;
	double gap_us = -log(u) * cap->mean_gap_us;

	cap->next_us = from_us + (u64)gap_us + 1;
}

void nst_captures_init(struct nst_captures *cap, double rate_hz, u64 seed,
		       u64 from_us)
{
	memset(cap, 0, sizeof(*cap));
	cap->rng.state = seed;
	nst_captures_rate(cap, rate_hz, from_us);
}

void nst_captures_rate(struct nst_captures *cap, double rate_hz, u64 from_us)
{
	cap->next_us = NST_CAPTURES_NEVER;
	if (rate_hz > 0.0) {
		cap->mean_gap_us = 1e6 / rate_hz;
		draw_next(cap, from_us);
	}
}

void nst_captures_free(struct nst_captures *cap)
{
	free(cap->latency_us);
	cap->latency_us = NULL;
	cap->latency_room = 0;
}

void nst_captures_arrive(struct nst_captures *cap, u64 boundary_us,
			 u32 period_us, u32 deadline_us)
{
	u64 asked_us = cap->next_us, last_us = asked_us + deadline_us;

	draw_next(cap, asked_us);
	if (cap->waiting_count == NST_CAPTURES_WAITING_MAX) {
		cap->missed++;
		return;
	}
	if (last_us < boundary_us + period_us)
		last_us = boundary_us + period_us;
	cap->waiting[cap->waiting_count].asked_us = asked_us;
	cap->waiting[cap->waiting_count].last_start_us = last_us;
	cap->waiting_count++;
}

static int latency_room(struct nst_captures *cap, size_t count)
{
	size_t room = cap->latency_room ? cap->latency_room * 2 : 256;
	void *p;

	if (count <= cap->latency_room)
		return 0;
	while (room < count)
		room *= 2;
	p = reallocarray(cap->latency_us, room, sizeof(*cap->latency_us));
	if (!p)
		return -ENOMEM;
	cap->latency_us = p;
	cap->latency_room = room;
	return 0;
}

int nst_captures_serve(struct nst_captures *cap, u64 start_us,
		       u32 ready_after_us)
{
	unsigned int count = cap->waiting_count;
	int r;

	r = latency_room(cap, cap->served + count);
	if (r)
		return r;
	for (unsigned int i = 0; i < count; i++)
		cap->latency_us[cap->served++] =
			(u32)(start_us - cap->waiting[i].asked_us +
			      ready_after_us);
	cap->waiting_count = 0;
	return (int)count;
}

void nst_captures_expire(struct nst_captures *cap, u64 next_start_us)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < cap->waiting_count; i++) {
		if (cap->waiting[i].last_start_us < next_start_us)
			cap->missed++;
		else
			cap->waiting[kept++] = cap->waiting[i];
	}
	cap->waiting_count = kept;
}

static int by_value(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

u32 nst_captures_latency_us(struct nst_captures *cap, unsigned int percent)
{
	u64 rank;

	if (!cap->served)
		return 0;
	qsort(cap->latency_us, cap->served, sizeof(*cap->latency_us),
	      by_value);
	/* Nearest rank: the smallest value that so many do not exceed. */
	rank = (cap->served * percent + 99) / 100;
	return cap->latency_us[rank ? rank - 1 : 0];
}
