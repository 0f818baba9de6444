// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * window.c - periods in which the VPU works for a part of the time
 *
 * A row is exposed over at most three pieces of constant power, and its dark
 * rate is the mean of theirs, weighted by time. With a window inside, the
 * hottest row may be any of them: nine are tried, and nine more around the
 * best of those.
 */
#include "window.h"

#define ROWS 9
#define PIECES 3

int nst_window_map_init(struct nst_window_map *map, const struct nst_window *w,
			const struct nst_plant *plant, u32 span_mc)
{
	const struct nst_plant_mode *mode = plant->mode;
	u32 i;

	if (w->period_us < NST_FRAME_PERIOD_MIN_US ||
	    w->period_us > NST_FRAME_PERIOD_MAX_US || !w->exposure_us ||
	    (u64)w->from_us + w->heat_us > w->period_us ||
	    (u64)w->exposure_us + w->readout_us > w->period_us ||
	    w->idle_mw > w->heat_mw || w->heat_mw > NST_POWER_MAX_MW ||
	    span_mc > NST_TEMP_NONE_MC ||
	    w->doubling_mc < NST_DOUBLING_MIN_MC ||
	    w->doubling_mc > NST_DOUBLING_MAX_MC ||
	    (u64)w->period_us * 64000 > mode[1].tau_ns ||
	    plant->params.leak_ref_uw)
		return -ERANGE;

	map->w = *w;
	map->fast = mode[0];
	map->step_mc = span_mc / (NST_WINDOW_ENTRIES - 1) + 1;
	map->inv_step_q64 = map->step_mc > 1 ? nst_ratio_q64(1, map->step_mc) :
					       ~0ull;
	map->slow_q64 = nst_lose_q64(&mode[1].rate, 1);
	map->len_us[0] = w->from_us;
	map->len_us[1] = w->heat_us;
	map->len_us[2] = w->period_us - w->from_us - w->heat_us;
	for (i = 0; i < PIECES; i++) {
		map->lose_q64[i][0] = nst_lose_q64(&mode[0].rate,
						   map->len_us[i]);
		map->lose_q64[i][1] = nst_lose_q64(&mode[1].rate,
						   map->len_us[i]);
	}
	for (i = 0; i < NST_WINDOW_ENTRIES; i++)
		map->entry[i].age_us = 0;
	return 0;
}

/* Far from 1 as long as the die is fast: some rounds and it has closed. */
u32 nst_window_rest_mc(const struct nst_window *w,
		       const struct nst_plant *plant)
{
	const struct nst_rate *rate = &plant->mode[0].rate;
	u64 lose_q64 = nst_lose_q64(rate, w->heat_us);
	u64 keep_q64 = nst_keep_q64(rate, w->period_us - w->heat_us);
	u64 after_q64 = nst_keep_q64(rate,
				     w->period_us - w->from_us - w->heat_us);
	s64 hot_q32 = plant->mode[0].gain_q32 *
		      (s64)(w->heat_mw - w->idle_mw);
	s64 end_q32 = 0;
	u32 i;

	for (i = 0; i < 200; i++) {
		s64 start_q32 = nst_mul_q64(end_q32, keep_q64);

		end_q32 = start_q32 + nst_mul_q64(hot_q32 - start_q32,
						  lose_q64);
	}
	return (u32)nst_round_q32(nst_mul_q64(end_q32, after_q64)) + 1;
}

/* ---------------------------------------------------------- fast mode --- */

struct parts {
	u32 count;
	s32 mc[PIECES];
	u32 us[PIECES];
	u32 age_us[PIECES];
};

static struct nst_window_entry parts_mean(const struct parts *parts,
					  u32 exposure_us, u32 doubling_mc)
{
	struct nst_window_entry ret = { NST_TEMP_MIN_MC, 0 };
	u64 sum = 0, ages = 0;
	s32 hottest = parts->mc[0];
	u32 i;

	for (i = 1; i < parts->count; i++) {
		if (parts->mc[i] > hottest)
			hottest = parts->mc[i];
	}
	for (i = 0; i < parts->count; i++) {
		s64 octaves_q16 = nst_div_s64(((s64)parts->mc[i] - hottest) *
					      65536, (s32)doubling_mc);
		u64 part;

		if (octaves_q16 <= -40 * 65536)
			continue;
		part = nst_exp2_q32((s32)octaves_q16) * parts->us[i];
		sum += part;
		ages += (part >> 24) * parts->age_us[i];
	}
	ret.over_mc = hottest +
		      (s32)((nst_log2_q16(nst_div_u64(sum, exposure_us)) *
			     (s64)doubling_mc) >> 16);
	if (sum >> 24)
		ret.age_us = (u32)nst_div_u64(ages, sum >> 24);
	ret.age_us++;
	return ret;
}

/* The row that begins @row_us into the period; @dev_q32 is over rest. */
static struct nst_window_entry row_over(const struct nst_window_map *map,
					s64 dev_q32, u32 row_us)
{
	const struct nst_window *w = &map->w;
	s64 hot_q32 = map->fast.gain_q32 * (s64)(w->heat_mw - w->idle_mw);
	u32 end_us = row_us + w->exposure_us, at_us = 0, i;
	struct parts parts = { 0 };

	for (i = 0; i < PIECES && at_us < end_us; i++) {
		s64 target_q32 = i == 1 ? hot_q32 : 0;
		u32 next_us = at_us + map->len_us[i];
		u32 lo = row_us > at_us ? row_us : at_us;
		u32 hi = end_us < next_us ? end_us : next_us;

		if (lo < hi) {
			s64 from_q32 = nst_mul_q64(dev_q32 - target_q32,
				nst_keep_q64(&map->fast.rate, lo - at_us));
			struct nst_exposure_map_entry part;
			u32 n = parts.count++;

			part = nst_exposure_map_entry(&map->fast,
						      nst_round_q32(from_q32),
						      0, hi - lo,
						      w->doubling_mc);
			parts.us[n] = hi - lo;
			parts.mc[n] = nst_round_q32(target_q32) + part.fast_mc;
			parts.age_us[n] = lo + part.slow_us;
		}
		dev_q32 += nst_mul_q64(target_q32 - dev_q32,
				       map->lose_q64[i][0]);
		at_us = next_us;
	}
	return parts_mean(&parts, w->exposure_us, w->doubling_mc);
}

static struct nst_window_entry hottest_row(const struct nst_window_map *map,
					   s64 dev_q32, u32 first_us,
					   u32 last_us, u32 *ret_at_us)
{
	struct nst_window_entry best = row_over(map, dev_q32, first_us);
	u32 i;

	*ret_at_us = first_us;
	for (i = 1; i < ROWS; i++) {
		u32 at_us = first_us + (u32)nst_div_u64((u64)(last_us -
						first_us) * i, ROWS - 1);
		struct nst_window_entry row = row_over(map, dev_q32, at_us);

		if (row.over_mc <= best.over_mc)
			continue;
		best = row;
		*ret_at_us = at_us;
	}
	return best;
}

static struct nst_window_entry frame_over(const struct nst_window_map *map,
					  s64 dev_q32)
{
	u32 readout_us = map->w.readout_us, apart_us = readout_us / (ROWS - 1);
	struct nst_window_entry best, near_by;
	u32 at_us, first_us, last_us;

	if (!readout_us)
		return row_over(map, dev_q32, 0);
	best = hottest_row(map, dev_q32, 0, readout_us, &at_us);
	/* Without a window the die falls or rises all the time. */
	if (!map->w.heat_us)
		return best;
	first_us = at_us > apart_us ? at_us - apart_us : 0;
	last_us = at_us + apart_us < readout_us ? at_us + apart_us : readout_us;
	near_by = hottest_row(map, dev_q32, first_us, last_us, &at_us);
	return near_by.over_mc > best.over_mc ? near_by : best;
}

static const struct nst_window_entry *entry_at(struct nst_window_map *map,
					       u32 i)
{
	struct nst_window_entry *entry = &map->entry[i];

	if (!entry->age_us)
		*entry = frame_over(map, (s64)i * map->step_mc * NST_ONE_Q32);
	return entry;
}

static struct nst_window_entry over_at(struct nst_window_map *map, s64 dev_q32)
{
	const struct nst_window_entry *a, *b;
	struct nst_window_entry ret;
	u64 at_q32;
	u32 i;

	if (dev_q32 < 0)
		return frame_over(map, dev_q32);
	at_q32 = nst_mulhi_u64((u64)dev_q32, map->inv_step_q64);
	if (at_q32 >> 32 >= NST_WINDOW_ENTRIES - 1)
		return frame_over(map, dev_q32);
	i = (u32)(at_q32 >> 32);
	a = entry_at(map, i);
	b = entry_at(map, i + 1);
	/* The mean of exponentials is convex: a chord is never too cold. */
	ret.over_mc = a->over_mc + (s32)(((s64)(b->over_mc - a->over_mc) *
					  (u32)at_q32) >> 32) + 1;
	ret.age_us = a->age_us + (u32)(((s64)b->age_us - a->age_us) *
				       (u32)at_q32 >> 32);
	return ret;
}

/* ---------------------------------------------------------- both modes --- */

/* Over 1/64 of its constant the slow mode is straight. */
static s64 slow_at_q32(const struct nst_window_map *map,
		       const struct nst_plant_mode *slow, s64 z_q32,
		       s32 ambient_mc, u32 at_us)
{
	u32 heat_us = at_us > map->w.from_us ? at_us - map->w.from_us : 0;
	s64 idle = nst_plant_target_q32(slow, map->w.idle_mw, ambient_mc);
	s64 heat = nst_plant_target_q32(slow, map->w.heat_mw, ambient_mc);

	if (heat_us > map->w.heat_us)
		heat_us = map->w.heat_us;
	return z_q32 +
	       nst_mul_q64(idle - z_q32, map->slow_q64 * (at_us - heat_us)) +
	       nst_mul_q64(heat - z_q32, map->slow_q64 * heat_us);
}

s32 nst_window_map_mc(struct nst_window_map *map,
		      const struct nst_plant_mode mode[2], const s64 z_q32[2],
		      s32 ambient_mc)
{
	s64 rest_q32 = nst_plant_target_q32(&mode[0], map->w.idle_mw,
					    ambient_mc);
	struct nst_window_entry over = over_at(map, z_q32[0] - rest_q32);

	return over.over_mc +
	       nst_round_q32(rest_q32 +
			     slow_at_q32(map, &mode[1], z_q32[1], ambient_mc,
					 over.age_us - 1));
}

s32 nst_window_step(const struct nst_window_map *map,
		    const struct nst_plant_mode mode[2], s64 z_q32[2],
		    u64 z_low[2], s32 ambient_mc)
{
	s64 peak_q32 = -((s64)1 << 62);
	u32 i, m;

	for (i = 0; i < PIECES; i++) {
		u32 power_mw = i == 1 ? map->w.heat_mw : map->w.idle_mw;

		if (!map->len_us[i])
			continue;
		for (m = 0; m < 2; m++) {
			s64 target_q32 = nst_plant_target_q32(&mode[m],
							      power_mw,
							      ambient_mc);

			nst_mac_q64(&z_q32[m], &z_low[m],
				    target_q32 - z_q32[m],
				    map->lose_q64[i][m]);
		}
		if (i && z_q32[0] + z_q32[1] > peak_q32)
			peak_q32 = z_q32[0] + z_q32[1];
	}
	return nst_round_q32(peak_q32);
}
