// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sync.c - frames from the edges of a wire; see nst-sync.h
 */
#include "nst-sync.h"
#include "units.h"

void nst_sync_init(struct nst_sync *sync, u32 period_us)
{
	*sync = (struct nst_sync){
		.period_us = period_us,
		.period_q8 = period_us << 8,
	};
}

/* The rate that the last intervals agree on, 0 when they do not. */
static u32 agreed_us(const struct nst_sync *sync)
{
	u32 lo = ~0u, hi = 0, mean_us;
	u64 sum = 0;
	unsigned int i;

	if (sync->intervals < NST_SYNC_AGREE)
		return 0;
	for (i = 0; i < NST_SYNC_AGREE; i++) {
		u32 us = sync->interval_us[i];

		lo = us < lo ? us : lo;
		hi = us > hi ? us : hi;
		sum += us;
	}
	mean_us = (u32)nst_div_u64(sum + NST_SYNC_AGREE / 2, NST_SYNC_AGREE);
	if (hi - lo > mean_us / 8 || mean_us < NST_FRAME_PERIOD_MIN_US ||
	    mean_us > NST_FRAME_PERIOD_MAX_US)
		return 0;
	return mean_us;
}

static void remember(struct nst_sync *sync, u32 gap_us)
{
	unsigned int i;

	for (i = NST_SYNC_AGREE - 1; i > 0; i--)
		sync->interval_us[i] = sync->interval_us[i - 1];
	sync->interval_us[0] = gap_us;
	if (sync->intervals < NST_SYNC_AGREE)
		sync->intervals++;
}

static u32 apart(u32 a, u32 b)
{
	return a > b ? a - b : b - a;
}

/* A source that starts, or starts again: no interval belongs to this edge. */
static enum nst_sync_verdict start(struct nst_sync *sync, u64 t_us)
{
	if (sync->started)
		sync->restarts++;
	sync->started = true;
	sync->intervals = 0;
	sync->phase_us = t_us;
	sync->edge_us = t_us;
	if (!sync->period_us)
		return NST_SYNC_SEARCHING;
	sync->seq++;
	return NST_SYNC_FRAME;
}

/*
 * An alpha-beta filter: a quarter of what an edge is off its place corrects
 * the phase, a 32nd the period. What is lost comes in with more frames.
 */
static void track(struct nst_sync *sync, u64 t_us, u32 frames)
{
	u64 place_us = sync->phase_us +
		       (((u64)frames * sync->period_q8 + 128) >> 8);
	s64 off_us = (s64)(t_us - place_us);
	u64 far_us = (u64)(off_us < 0 ? -off_us : off_us);

	sync->jitter_us = (u32)nst_div_u64(7ull * sync->jitter_us + far_us + 4,
					   8);
	sync->phase_us = place_us + (u64)nst_div_s64(off_us, 4);
	sync->period_q8 = (u32)(sync->period_q8 +
				nst_div_s64(off_us * 8, (s32)frames));
	sync->period_us = (sync->period_q8 + 128) >> 8;
}

enum nst_sync_verdict nst_sync_edge(struct nst_sync *sync, u64 t_us)
{
	u64 stop_us = 4ull * sync->period_us;
	u64 gap_us, since_us;
	u32 agreed, frames;

	if (stop_us < NST_SYNC_STOP_US)
		stop_us = NST_SYNC_STOP_US;
	if (!sync->started)
		return start(sync, t_us);
	/* Two of one time, or one of before: not a second frame. */
	if (t_us <= sync->edge_us) {
		sync->doubled++;
		return NST_SYNC_DOUBLED;
	}
	gap_us = t_us - sync->edge_us;
	/* Before there is a period the slowest camera has its time. */
	if (gap_us > (sync->period_us ? stop_us :
		      (u64)NST_FRAME_PERIOD_MAX_US))
		return start(sync, t_us);

	sync->edge_us = t_us;
	remember(sync, (u32)gap_us);
	agreed = agreed_us(sync);
	if (agreed && apart(agreed, sync->period_us) > sync->period_us / 8) {
		sync->period_us = agreed;
		sync->period_q8 = agreed << 8;
		sync->jitter_us = 0;
		sync->phase_us = t_us;
		sync->seq++;
		return NST_SYNC_RATE;
	}
	if (!sync->period_us)
		return NST_SYNC_SEARCHING;

	since_us = t_us > sync->phase_us ? t_us - sync->phase_us : 0;
	if (8 * since_us < 5ull * sync->period_us) {
		sync->doubled++;
		return NST_SYNC_DOUBLED;
	}
	frames = (u32)nst_div_u64(since_us + sync->period_us / 2,
				  sync->period_us);
	if (!frames)
		frames = 1;
	track(sync, t_us, frames);
	sync->missed += frames - 1;
	sync->seq += frames;
	return NST_SYNC_FRAME;
}
