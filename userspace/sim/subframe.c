// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * subframe.c - periods in which the power is not constant, see subframe.h
 *
 * The exposure of a row over two pieces is the mean of the dark rates of its
 * parts, each part an exposure under constant power of its own.
 */
#include "subframe.h"

#define ROWS 9

int nst_subframe_check(const struct nst_subframe *sub)
{
	u64 vpu_nj = (u64)(sub->near_mw - sub->gated_mw) * sub->period_us;

	if (sub->busy_us &&
	    sub->gated_mw + vpu_nj / sub->busy_us > NST_POWER_MAX_MW)
		return -ERANGE;
	return 0;
}

bool nst_subframe_splits(const struct nst_subframe *sub)
{
	return sub->enter_us || (sub->busy_us && sub->busy_us < sub->period_us);
}

unsigned int nst_subframe_pieces(const struct nst_subframe *sub, bool run_now,
				 bool run_before,
				 struct nst_power_piece ret[NST_PIECES_MAX])
{
	u32 first_us = sub->period_us, first_mw = sub->gated_mw;
	u64 vpu_nj = (u64)(sub->near_mw - sub->gated_mw) * sub->period_us;

	if (run_now) {
		first_mw = sub->near_mw;
		if (sub->busy_us && sub->busy_us < sub->period_us) {
			first_us = sub->busy_us;
			first_mw = sub->gated_mw + (u32)(vpu_nj / first_us);
		}
	} else if (run_before && sub->enter_us) {
		first_mw = sub->near_mw;
		if (sub->enter_us < sub->period_us)
			first_us = sub->enter_us;
	}
	ret[0] = (struct nst_power_piece){ first_mw, first_us };
	ret[1] = (struct nst_power_piece){ sub->gated_mw,
					   sub->period_us - first_us };
	return first_us < sub->period_us ? 2 : 1;
}

/* Mean of the dark rates of parts of a row, as a temperature. */
static s32 mean_mc(const s32 *part_mc, const u32 *part_us, unsigned int count,
		   u32 exposure_us, u32 doubling_mc)
{
	s32 hottest = part_mc[0];
	u64 sum = 0;

	for (unsigned int i = 1; i < count; i++) {
		if (part_mc[i] > hottest)
			hottest = part_mc[i];
	}
	for (unsigned int i = 0; i < count; i++) {
		s64 octaves_q16 = ((s64)part_mc[i] - hottest) * 65536 /
				  (s64)doubling_mc;

		if (octaves_q16 > -40 * 65536)
			sum += nst_exp2_q32((s32)octaves_q16) * part_us[i];
	}
	return hottest + (s32)(((s64)nst_log2_q16(sum / exposure_us) *
				(s64)doubling_mc) / 65536);
}

struct window {
	const struct nst_plant *start;
	const struct nst_power_piece *pieces;
	unsigned int count;
	s32 ambient_mc;
	u32 exposure_us;
	u32 doubling_mc;
};

/* Exposure of the row that starts @from us into the period. */
static s32 row_mc(const struct window *win, u32 from)
{
	u32 to = from + win->exposure_us, at = 0, part_us[NST_PIECES_MAX];
	s32 part_mc[NST_PIECES_MAX] = { 0 };
	struct nst_plant plant = *win->start;
	unsigned int parts = 0;

	for (unsigned int i = 0; i < win->count; i++) {
		const struct nst_power_piece *piece = &win->pieces[i];
		u32 end = at + piece->len_us;
		u32 lo = from > at ? from : at;
		/* The last piece goes on until the row is done. */
		u32 hi = to < end || i + 1 == win->count ? to : end;

		if (lo < hi) {
			part_mc[parts] = nst_exposure_row_mc(&plant,
							     piece->power_mw,
							     win->ambient_mc,
							     lo - at, hi - lo,
							     win->doubling_mc);
			part_us[parts++] = hi - lo;
		}
		nst_plant_step(&plant, piece->power_mw, win->ambient_mc,
			       piece->len_us);
		at = end;
	}
	return mean_mc(part_mc, part_us, parts, win->exposure_us,
		       win->doubling_mc);
}

/* Hottest of ROWS rows from @first to @last; where it is in @ret_at. */
static s32 hottest_of(const struct window *win, u32 first, u32 last,
		      u32 *ret_at)
{
	s32 hottest = NST_TEMP_MIN_MC;

	for (u32 i = 0; i < ROWS; i++) {
		u32 at = first + (u32)((u64)(last - first) * i / (ROWS - 1));
		s32 mc = row_mc(win, at);

		if (!i || mc > hottest) {
			hottest = mc;
			*ret_at = at;
		}
	}
	return hottest;
}

s32 nst_subframe_exposure_mc(const struct nst_plant *start,
			     const struct nst_power_piece *pieces,
			     unsigned int count, s32 ambient_mc,
			     u32 exposure_us, u32 readout_us,
			     u32 doubling_mc)
{
	const struct window win = { start, pieces, count, ambient_mc,
				    exposure_us, doubling_mc };
	u32 apart = readout_us / (ROWS - 1), at = 0, first, last;
	s32 hottest;

	if (!readout_us)
		return row_mc(&win, 0);
	hottest = hottest_of(&win, 0, readout_us, &at);
	if (count > 1) {
		s32 near_by;

		first = at > apart ? at - apart : 0;
		last = at + apart < readout_us ? at + apart : readout_us;
		near_by = hottest_of(&win, first, last, &at);
		if (near_by > hottest)
			hottest = near_by;
	}
	return hottest;
}
