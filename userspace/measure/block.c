// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* block.c - a block of frames to the noise of its tiles: see region.h */
#include <math.h>
#include <string.h>

#include "block.h"
#include "bound.h"

#define HOT_SIGMA 6
#define HOT_ROUNDS 2
/* More of them in one tile are an edge. */
#define HOT_SHARE_MAX 20	/* one in so many */
#define STRUCTURE 4		/* times the median of the fixed variance */
/* Pixels that are cut off make noise look smaller: one in so many. */
#define CLIPPED_MAX 300
#define QUANTISATION (1.0 / 12)
#define QUANTISED_DN2 (0.6 * 0.6)

/* Quickselect after Hoare; the upper one of an even number. */
double nst_median(double *value, size_t count)
{
	ptrdiff_t lo = 0, hi = (ptrdiff_t)count - 1, k = (ptrdiff_t)count / 2;

	while (lo < hi) {
		double pivot = value[k], swap;
		ptrdiff_t i = lo, j = hi;

		while (i <= j) {
			while (value[i] < pivot)
				i++;
			while (value[j] > pivot)
				j--;
			if (i > j)
				break;
			swap = value[i];
			value[i++] = value[j];
			value[j--] = swap;
		}
		if (j < k)
			lo = i;
		if (i > k)
			hi = j;
	}
	return value[k];
}

/* ---------------------------------------------------------------- tiles */

struct tile {
	const struct nst_region *r;
	uint32_t index;
	size_t first;		/* pixel */
	double n;		/* pixels that are not hot */
	double mean;
	double noise;		/* variance in a single frame */
	double spread;		/* variance of the mean frame */
	double temporal;
};

static struct tile tile_at(const struct nst_region *r, uint32_t index)
{
	const struct nst_region_config *c = &r->config;

	return (struct tile){
		.r = r,
		.index = index,
		.first = (size_t)(index / r->across) * c->tile_h * c->rect.w +
			 (size_t)(index % r->across) * c->tile_w,
	};
}

/*
 * The sum over frames of the squared mean of the pixels that are not hot: of
 * all of them it is known, and the others' mean is a constant away.
 */
static double means_squared(const struct tile *t, double all, double sum)
{
	const struct nst_region *r = t->r;
	double v2 = r->tile[t->index].v2 / (all * all), every = 0, off;

	for (uint32_t y = 0; y < r->config.tile_h; y++)
		for (uint32_t x = 0; x < r->config.tile_w; x++)
			every += r->sum[t->first +
					(size_t)y * r->config.rect.w + x];
	every /= all * r->frames;
	off = every - sum / t->n / r->frames;
	return v2 - 2 * off * every * r->frames + off * off * r->frames;
}

/* All of a tile without its hot pixels. */
static void look_at_tile(struct tile *t)
{
	const struct nst_region *r = t->r;
	const struct nst_region_config *c = &r->config;
	double all = (double)c->tile_w * c->tile_h;
	double sum = 0, squares = 0, differences = 0, values = 0, drift;

	t->n = 0;
	for (uint32_t y = 0; y < c->tile_h; y++) {
		size_t at = t->first + (size_t)y * c->rect.w;

		for (uint32_t x = 0; x < c->tile_w; x++, at++) {
			double v = r->sum[at];

			if (r->hot[at])
				continue;
			t->n++;
			sum += v;
			squares += v * v;
			differences += (double)r->change[at];
			values += (double)r->square[at];
		}
	}
	if (t->n < 2) {
		t->mean = 0;
		t->noise = 0;
		t->spread = 0;
		t->temporal = 0;
		return;
	}
	t->mean = sum / t->n / r->frames;
	t->spread = (squares - sum * sum / t->n) / (t->n - 1) / r->frames /
		    r->frames;
	drift = r->tile[t->index].d2 / all * t->n / all;
	t->temporal = (differences - drift) / (2.0 * r->pairs * (t->n - 1));
	t->noise = (values - t->n * means_squared(t, all, sum)) /
		   (t->n - 1) / r->frames +
		   r->tile[t->index].common / r->frames;
}

/* How many pixels of a tile are hot; they are marked. */
static uint32_t mark_hot(struct nst_region *r, const struct tile *t,
			 double limit)
{
	const struct nst_region_config *c = &r->config;
	uint32_t count = 0;

	for (uint32_t y = 0; y < c->tile_h; y++) {
		size_t at = t->first + (size_t)y * c->rect.w;

		for (uint32_t x = 0; x < c->tile_w; x++, at++) {
			double off = (double)r->sum[at] / r->frames - t->mean;

			r->hot[at] = fabs(off) > limit;
			count += r->hot[at];
		}
	}
	return count;
}

static uint32_t count_clipped(const struct nst_region *r, const struct tile *t)
{
	const struct nst_region_config *c = &r->config;
	uint32_t count = 0;

	for (uint32_t y = 0; y < c->tile_h; y++) {
		size_t at = t->first + (size_t)y * c->rect.w;

		for (uint32_t x = 0; x < c->tile_w; x++, at++)
			count += r->hot[at] ? 0 : r->clipped[at];
	}
	return count;
}

/* What the hot pixels of a tile have of variance, beside the others' mean. */
static void add_hot(const struct nst_region *r, const struct tile *t,
		    double *sum, double *error2)
{
	const struct nst_region_config *c = &r->config;

	for (uint32_t y = 0; y < c->tile_h; y++) {
		size_t at = t->first + (size_t)y * c->rect.w;

		for (uint32_t x = 0; x < c->tile_w; x++, at++) {
			double off = (double)r->sum[at] / r->frames - t->mean;
			double temporal = (double)r->change[at] /
					  (2.0 * r->pairs);

			if (!r->hot[at])
				continue;
			*sum += off * off + temporal * (1 - 1.0 / r->frames);
			*error2 += 4 * off * off * temporal / r->frames +
				   3 * temporal * temporal / r->pairs;
		}
	}
}

/* ---------------------------------------------------------------- block */

/* Median over the tiles in which nothing moved. */
static double median_spread(const struct nst_region *r)
{
	double value[NST_REGION_TILES_MAX];
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->across * r->down; i++) {
		struct tile t = tile_at(r, i);

		if (r->tile[i].moved)
			continue;
		look_at_tile(&t);
		value[count++] = t.spread;
	}
	return count ? nst_median(value, count) : 0;
}

static void find_hot(struct nst_region *r)
{
	double limit;

	memset(r->hot, 0, (size_t)r->config.rect.w * r->config.rect.h);
	limit = HOT_SIGMA * sqrt(median_spread(r));
	/* Not the flicker of a pixel between two codes. */
	if (limit < 1)
		limit = 1;
	for (int round = 0; round < HOT_ROUNDS; round++) {
		for (uint32_t i = 0; i < r->across * r->down; i++) {
			struct tile t = tile_at(r, i);

			if (r->tile[i].moved)
				continue;
			look_at_tile(&t);
			mark_hot(r, &t, limit);
		}
	}
}

enum nst_measure_state nst_block_work_out(struct nst_region *r,
					  struct nst_region_block *ret)
{
	double all = (double)r->config.tile_w * r->config.tile_h;
	uint32_t tiles = r->across * r->down, out = 0;
	double pixels = 0, hot = 0, clipped = 0, hot_sum = 0, error2 = 0;
	double limit;

	find_hot(r);
	limit = STRUCTURE * (median_spread(r) + QUANTISATION / r->frames);
	for (uint32_t i = 0; i < tiles; i++) {
		struct nst_region_result *result = &ret->tile[i];
		struct tile t = tile_at(r, i);

		look_at_tile(&t);
		result->used = !r->tile[i].moved && t.spread <= limit &&
			       (all - t.n) * HOT_SHARE_MAX <= all;
		if (!result->used) {
			out++;
			continue;
		}
		result->mean = t.mean;
		result->noise = t.noise;
		result->temporal = t.temporal;
		result->fixed = t.spread - t.temporal / r->frames;
		pixels += all;
		hot += all - t.n;
		clipped += count_clipped(r, &t);
		add_hot(r, &t, &hot_sum, &error2);
	}
	if (2 * out > tiles)
		return NST_MEASURE_MOVING;
	if (clipped * CLIPPED_MAX > pixels * r->frames)
		return NST_MEASURE_CLIPPED;
	ret->hot_share = hot / pixels;
	ret->hot_dn2 = hot_sum / pixels;
	ret->hot_error2 = error2 / (pixels * pixels);
	return NST_MEASURED;
}

/* ------------------------------------------------------------- estimate */

/* Means over the blocks of the ring. */
struct estimate {
	uint32_t tiles;
	double mean, noise, temporal, fixed;
	double total[NST_REGION_TILES_MAX];	/* variance per tile */
	double level[NST_REGION_TILES_MAX];
	bool used[NST_REGION_TILES_MAX];
};

static void average(const struct nst_region *r, struct estimate *e)
{
	memset(e, 0, sizeof(*e));
	for (uint32_t i = 0; i < r->across * r->down; i++) {
		double mean = 0, noise = 0, temporal = 0, fixed = 0, n = 0;

		for (uint32_t b = 0; b < r->filled; b++) {
			const struct nst_region_result *t =
				&r->block[b].tile[i];

			if (!t->used)
				continue;
			mean += t->mean;
			noise += t->noise;
			temporal += t->temporal;
			fixed += t->fixed;
			n++;
		}
		if (n == 0)
			continue;
		e->used[i] = true;
		e->total[i] = noise / n;
		e->level[i] = mean / n;
		e->mean += mean / n;
		e->noise += noise / n;
		e->temporal += temporal / n;
		e->fixed += fixed / n;
		e->tiles++;
	}
	e->mean /= e->tiles;
	e->noise /= e->tiles;
	e->temporal /= e->tiles;
	e->fixed /= e->tiles;
}

/*
 * Rows of tiles, columns of tiles or the tiles themselves as observations:
 * tile (x, y) belongs to group x / @wide + y / @high * @groups_across.
 * A variance that is drawn @draws times for an observation is skewed by
 * sqrt(8 / freedom): pixels of a tile, rows or columns of a group.
 */
static double margin(const struct nst_region *r, const struct estimate *e,
		     uint32_t wide, uint32_t high, uint32_t draws)
{
	uint32_t groups_across = (r->across + wide - 1) / wide, groups = 0;
	double sum[NST_REGION_TILES_MAX] = { 0 };
	uint32_t count[NST_REGION_TILES_MAX] = { 0 };

	for (uint32_t i = 0; i < r->across * r->down; i++) {
		uint32_t g = i % r->across / wide +
			     i / r->across / high * groups_across;

		if (!e->used[i])
			continue;
		sum[g] += e->total[i];
		count[g]++;
	}
	for (uint32_t g = 0; g < r->across * r->down; g++)
		if (count[g])
			sum[groups++] = sum[g] / count[g];
	return nst_bound_mean(sum, groups, sqrt(8.0 / (draws - 1)));
}

/* A region of one row of tiles has no rows to tell apart. */
static double widest(const struct nst_region *r, const struct estimate *e)
{
	uint32_t w = r->config.tile_w, h = r->config.tile_h;
	double m = margin(r, e, 1, 1, w * h), other;

	if (r->down >= 4) {
		other = margin(r, e, r->across, 1, h);
		m = other > m ? other : m;
	}
	if (r->across >= 4) {
		other = margin(r, e, 1, r->down, w);
		m = other > m ? other : m;
	}
	return m;
}

static double level_margin(const struct nst_region *r,
			   const struct estimate *e)
{
	double level[NST_REGION_TILES_MAX];
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->across * r->down; i++)
		if (e->used[i])
			level[count++] = e->level[i];
	return nst_bound_mean(level, count, 0);
}

enum nst_measure_state nst_region_get(const struct nst_region *r,
				      struct nst_region_stats *ret)
{
	double hot_share = 0, hot_dn2 = 0, error2 = 0, n = r->filled;
	struct nst_region_stats s = { 0 };
	struct estimate e;
	uint32_t newest;

	if (r->state != NST_MEASURED || !r->filled)
		return r->state;
	average(r, &e);
	for (uint32_t b = 0; b < r->filled; b++) {
		hot_share += r->block[b].hot_share / n;
		hot_dn2 += r->block[b].hot_dn2 / n;
		error2 += r->block[b].hot_error2 / (n * n);
	}
	newest = (r->next + r->config.blocks - 1) % r->config.blocks;
	s.tiles = r->across * r->down;
	for (uint32_t i = 0; i < s.tiles; i++)
		s.tiles_out += !r->block[newest].tile[i].used;
	s.frames = r->filled * r->config.block_frames;
	s.hot_ppm = (uint32_t)lround(hot_share * 1e6);
	s.mean_dn = e.mean;
	s.mean_margin_dn = level_margin(r, &e);
	s.temporal_dn2 = e.temporal;
	s.fixed_dn2 = e.fixed;
	s.hot_dn2 = hot_dn2;
	s.noise_dn2 = e.noise * (1 - hot_share) + hot_dn2;
	s.noise_high_dn2 = s.noise_dn2 + widest(r, &e) +
			   nst_bound_t(1000) * sqrt(error2);
	s.quantised = s.noise_dn2 < QUANTISED_DN2;
	if (s.noise_dn2 < QUANTISATION)
		s.noise_dn2 = QUANTISATION;
	if (s.noise_high_dn2 < s.noise_dn2)
		s.noise_high_dn2 = s.noise_dn2;
	*ret = s;
	return NST_MEASURED;
}
