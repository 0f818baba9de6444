// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * band.c - two thresholds and a dwell, and frame dithering
 *
 *	state   temp >= high   low < temp < high   temp <= low
 *	open    gated          open                open
 *	gated   gated          gated               open once the dwell is over
 */
#include "limits.h"

enum nst_band_state nst_band_step(struct nst_band *band, s32 high_mc,
				  s32 low_mc, u32 dwell_us, s32 temp_mc,
				  u64 now_us)
{
	if (band->state == NST_BAND_OPEN) {
		if (temp_mc >= high_mc) {
			band->state = NST_BAND_GATED;
			band->since_us = now_us;
		}
		return (enum nst_band_state)band->state;
	}

	/* A clock that was set back starts the dwell anew. */
	if (now_us < band->since_us)
		band->since_us = now_us;
	if (temp_mc <= low_mc && temp_mc < high_mc &&
	    now_us - band->since_us >= dwell_us) {
		band->state = NST_BAND_OPEN;
		band->since_us = now_us;
	}
	return (enum nst_band_state)band->state;
}

bool nst_dither_step(struct nst_dither *dither, u32 duty, u32 levels)
{
	u64 error;

	if (!levels)
		return false;
	if (duty > levels)
		duty = levels;
	/* What is left of a pattern with more levels is not a debt. */
	error = dither->error < levels ? dither->error : levels - 1;
	error += duty;
	if (error >= levels) {
		dither->error = (u32)(error - levels);
		return true;
	}
	dither->error = (u32)error;
	return false;
}
