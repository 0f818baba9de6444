// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* history.c - gate edges and the exposures between them, see history.h */
#include <errno.h>
#include <string.h>

#include "history.h"

/* With an edge inside it, the hottest row of a frame may be any of them. */
#define ROWS 9

void nst_history_reset(struct nst_history *h, u64 since_us, u8 before,
		       u8 gate)
{
	h->edge[0] = (struct nst_edge){ .t_us = 0, .gate = before };
	h->count = 1;
	nst_history_edge(h, since_us, gate);
}

void nst_history_edge(struct nst_history *h, u64 t_us, u8 gate)
{
	struct nst_edge *last = &h->edge[h->count - 1];

	if (gate >= NST_GATE_COUNT || gate == last->gate ||
	    t_us < last->t_us)
		return;
	if (t_us == last->t_us) {
		last->gate = gate;
		return;
	}
	if (h->count == NST_HISTORY_EDGES) {
		/* Half at a time: the move is rare. */
		h->count /= 2;
		memmove(h->edge, h->edge + h->count,
			h->count * sizeof(h->edge[0]));
	}
	h->edge[h->count++] = (struct nst_edge){ .t_us = t_us, .gate = gate };
}

void nst_history_window(struct nst_history *h, u64 from_us, u64 to_us)
{
	/* What is there already, or past, is ignored. */
	nst_history_edge(h, from_us, NST_GATE_RUN);
	nst_history_edge(h, to_us, NST_GATE_STANDBY);
}

/* The edge in force at a time. */
static unsigned int edge_at(const struct nst_history *h, u64 t_us)
{
	unsigned int i = h->count - 1;

	while (i > 0 && h->edge[i].t_us > t_us)
		i--;
	return i;
}

u8 nst_history_gate(const struct nst_history *h, u64 t_us)
{
	return h->edge[edge_at(h, t_us)].gate;
}

static u64 edge_end(const struct nst_history *h, unsigned int i, u64 end_us)
{
	if (i + 1 < h->count && h->edge[i + 1].t_us < end_us)
		return h->edge[i + 1].t_us;
	return end_us;
}

u32 nst_history_piece(const struct nst_history *h, u64 from_us, u64 to_us,
		      u64 *ret_end_us)
{
	unsigned int i = edge_at(h, from_us);

	*ret_end_us = edge_end(h, i, to_us);
	return h->power_mw[h->edge[i].gate];
}

int nst_history_advance(const struct nst_history *h, struct nst_plant *plant,
			u64 from_us, u64 to_us)
{
	if (to_us <= from_us)
		return 0;
	if (to_us - from_us > NST_DT_MAX_US)
		return -ERANGE;
	while (from_us < to_us) {
		u64 end;
		u32 power = nst_history_piece(h, from_us, to_us, &end);
		int r;

		r = nst_plant_step(plant, power, h->ambient_mc,
				   (u32)(end - from_us));
		if (r)
			return r;
		from_us = end;
	}
	return 0;
}

/*
 * Mean of 2^(T/T_d) over the pieces of constant power, weighted by time, and
 * back to a temperature; the hottest piece is the reference so that no
 * exponent is positive.
 */
static s32 row_mc(const struct nst_history *h, struct nst_plant plant,
		  u64 at_us, u64 start_us, u32 exposure_us)
{
	s32 piece_mc[NST_HISTORY_EDGES], hot_mc = NST_TEMP_MIN_MC;
	u32 piece_us[NST_HISTORY_EDGES];
	u64 end_us = start_us + exposure_us, sum_q32 = 0;
	unsigned int count = 0;

	if (nst_history_advance(h, &plant, at_us, start_us))
		return NST_TEMP_NONE_MC;
	for (unsigned int i = edge_at(h, start_us); start_us < end_us; i++) {
		u64 end = edge_end(h, i, end_us);
		u32 power = h->power_mw[h->edge[i].gate];

		piece_us[count] = (u32)(end - start_us);
		piece_mc[count] = nst_exposure_row_mc(&plant, power,
						      h->ambient_mc, 0,
						      piece_us[count],
						      h->doubling_mc);
		if (piece_mc[count] > hot_mc)
			hot_mc = piece_mc[count];
		nst_plant_step(&plant, power, h->ambient_mc, piece_us[count]);
		count++;
		start_us = end;
	}
	for (unsigned int i = 0; i < count; i++) {
		s64 x_q16 = ((s64)piece_mc[i] - hot_mc) * 65536 /
			    (s64)h->doubling_mc;

		/* 2^-40 of the charge is nothing. */
		if (x_q16 > -40 * 65536)
			sum_q32 += nst_exp2_q32((s32)x_q16) * piece_us[i] /
				   exposure_us;
	}
	if (!sum_q32)
		return hot_mc;
	return hot_mc + (s32)((s64)nst_log2_q16(sum_q32) *
			      (s64)h->doubling_mc / 65536);
}

s32 nst_history_exposure_mc(const struct nst_history *h,
			    const struct nst_plant *at_start, u64 start_us,
			    u32 exposure_us, u32 readout_us)
{
	unsigned int first = edge_at(h, start_us);
	u64 end_us = start_us + exposure_us + readout_us;
	s32 hot_mc = NST_TEMP_MIN_MC;

	if (!exposure_us)
		exposure_us = 1;
	if (edge_end(h, first, end_us) == end_us)
		return nst_exposure_frame_mc(at_start,
					     h->power_mw[h->edge[first].gate],
					     h->ambient_mc, exposure_us,
					     readout_us, h->doubling_mc);
	for (u32 i = 0; i < ROWS; i++) {
		u64 row_us = start_us + (u64)readout_us * i / (ROWS - 1);
		s32 mc = row_mc(h, *at_start, start_us, row_us, exposure_us);

		if (mc > hot_mc)
			hot_mc = mc;
	}
	return hot_mc;
}
