// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* region.c - frames into blocks: see region.h; blocks are in block.c */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"

#define MOVED_SIGMA 8
/* Of a tile's temporal variance in one pair, against the median. */
#define MOVED_VARIANCE 2.5
#define QUANTISATION (1.0 / 12)
/* Standard deviation over median deviation of a normal distribution. */
#define MAD_SIGMA 1.4826

const char *nst_measure_state_text(enum nst_measure_state state)
{
	static const char *const text[] = {
		[NST_UNMEASURED] = "unmeasured",
		[NST_MEASURED] = "measured",
		[NST_MEASURE_SETTLING] = "settling",
		[NST_MEASURE_NO_PATCH] = "no-patch",
		[NST_MEASURE_CLIPPED] = "clipped",
		[NST_MEASURE_MOVING] = "moving",
		[NST_MEASURE_DAMAGED] = "damaged",
	};

	return text[state];
}

/* ------------------------------------------------------------- lifetime */

static int check(const struct nst_region_config *c)
{
	if (nst_view_format_check(&c->format) ||
	    !nst_rect_inside(&c->rect, &c->format))
		return -EINVAL;
	if (c->tile_w < 2 || c->tile_h < 2 || c->tile_w * c->tile_h < 64 ||
	    c->rect.w % c->tile_w || c->rect.h % c->tile_h)
		return -EINVAL;
	if (c->block_frames < 4 ||
	    c->block_frames > NST_REGION_BLOCK_FRAMES_MAX || !c->blocks ||
	    c->blocks > NST_REGION_BLOCKS_MAX)
		return -EINVAL;
	if ((c->rect.w / c->tile_w) * (c->rect.h / c->tile_h) >
	    NST_REGION_TILES_MAX)
		return -EINVAL;
	return 0;
}

int nst_region_init(struct nst_region *r,
		    const struct nst_region_config *config)
{
	size_t pixels = (size_t)config->rect.w * config->rect.h;
	int err = check(config);

	memset(r, 0, sizeof(*r));
	if (err)
		return err;
	r->config = *config;
	r->across = config->rect.w / config->tile_w;
	r->down = config->rect.h / config->tile_h;
	r->square = calloc(pixels, sizeof(*r->square));
	r->change = calloc(pixels, sizeof(*r->change));
	r->column = calloc(config->rect.w, sizeof(*r->column));
	r->sum = calloc(pixels, sizeof(*r->sum));
	r->last = calloc(pixels, sizeof(*r->last));
	r->clipped = calloc(pixels, sizeof(*r->clipped));
	r->hot = calloc(pixels, sizeof(*r->hot));
	if (!r->square || !r->change || !r->column || !r->sum || !r->last ||
	    !r->clipped || !r->hot) {
		nst_region_deinit(r);
		return -ENOMEM;
	}
	nst_region_reset(r);
	return 0;
}

void nst_region_deinit(struct nst_region *r)
{
	free(r->square);
	free(r->change);
	free(r->column);
	free(r->sum);
	free(r->last);
	free(r->clipped);
	free(r->hot);
	memset(r, 0, sizeof(*r));
}

/* A block that has not begun; the ring stays. */
static void restart_block(struct nst_region *r)
{
	size_t pixels = (size_t)r->config.rect.w * r->config.rect.h;

	r->frames = 0;
	r->pairs = 0;
	memset(r->square, 0, pixels * sizeof(*r->square));
	memset(r->change, 0, pixels * sizeof(*r->change));
	memset(r->sum, 0, pixels * sizeof(*r->sum));
	memset(r->clipped, 0, pixels * sizeof(*r->clipped));
	memset(r->tile, 0, r->across * r->down * sizeof(r->tile[0]));
}

static void restart(struct nst_region *r, enum nst_measure_state state)
{
	restart_block(r);
	memset(r->column, 0, r->config.rect.w * sizeof(*r->column));
	r->filled = 0;
	r->next = 0;
	r->state = state;
	r->restarts++;
}

void nst_region_reset(struct nst_region *r)
{
	restart(r, NST_MEASURE_SETTLING);
	r->failed = 0;
}

int nst_region_move(struct nst_region *r, uint32_t x, uint32_t y)
{
	struct nst_rect rect = r->config.rect;

	rect.x = x;
	rect.y = y;
	if (!nst_rect_inside(&rect, &r->config.format))
		return -EINVAL;
	r->config.rect = rect;
	nst_region_reset(r);
	return 0;
}

/* --------------------------------------------------------------- frames */

struct row {
	const uint16_t *v;
	size_t at;		/* of the row's first pixel */
	bool pair;
	uint32_t max;
};

/* Returns the bits that are set in any of the values. */
static uint32_t add_segment(struct nst_region *r, const struct row *row,
			    uint32_t x, struct nst_region_tile *t)
{
	const uint16_t *v = row->v + x;
	uint64_t *square = r->square + row->at + x;
	uint64_t *change = r->change + row->at + x;
	uint32_t *column = r->column + x;
	uint32_t *sum = r->sum + row->at + x;
	uint16_t *last = r->last + row->at + x;
	uint16_t *clipped = r->clipped + row->at + x;
	int64_t sd = 0, sdd = 0;
	uint64_t sv = 0, svv = 0;
	uint32_t bits = 0;

	for (uint32_t i = 0; i < r->config.tile_w; i++) {
		int32_t d = (int32_t)v[i] - (row->pair ? last[i] : v[i]);
		uint64_t dd = (uint64_t)((int64_t)d * d);
		uint64_t vv = (uint64_t)v[i] * v[i];

		sv += v[i];
		svv += vv;
		sd += d;
		sdd += (int64_t)dd;
		square[i] += vv;
		change[i] += dd;
		sum[i] += v[i];
		column[i] += v[i];
		clipped[i] = (uint16_t)(clipped[i] +
					(!v[i] || v[i] >= row->max));
		bits |= v[i];
		last[i] = v[i];
	}
	t->v += (int64_t)sv;
	t->vv += svv;
	t->d += sd;
	t->dd += sdd;
	t->rows2 += (double)sv * (double)sv;
	return bits;
}

/* The columns of a row of tiles are complete. */
static void end_columns(struct nst_region *r, struct nst_region_tile *t)
{
	const uint32_t *column = r->column;

	for (uint32_t i = 0; i < r->across; i++, t++)
		for (uint32_t x = 0; x < r->config.tile_w; x++, column++)
			t->columns2 += (double)*column * *column;
	memset(r->column, 0, r->config.rect.w * sizeof(*r->column));
}

static uint32_t add_rows(struct nst_region *r, const struct nst_view *view)
{
	const struct nst_rect *rect = &r->config.rect;
	uint16_t line[NST_VIEW_SIDE_MAX];
	struct row row = {
		.v = line,
		.pair = r->frames,
		.max = nst_view_max(&r->config.format),
	};
	uint32_t bits = 0;

	for (uint32_t y = 0; y < rect->h; y++, row.at += rect->w) {
		struct nst_region_tile *first =
			r->tile + y / r->config.tile_h * r->across;
		struct nst_region_tile *t = first;

		nst_view_row(view, rect->x, rect->y + y, rect->w, line);
		for (uint32_t x = 0; x < rect->w; x += r->config.tile_w)
			bits |= add_segment(r, &row, x, t++);
		if ((y + 1) % r->config.tile_h == 0)
			end_columns(r, first);
	}
	return bits;
}

/* ---------------------------------------------------------------- pairs */

/* What the tiles of a pair of frames have in common. */
struct pair {
	double n;		/* pixels of a tile */
	double level;		/* over black */
	double step;		/* of the level */
	double temporal;	/* median of the tiles' variance */
	double sigma;		/* of a tile's mean difference, robust */
};

static double tile_variance(const struct nst_region_tile *t, double n)
{
	return ((double)t->dd - (double)t->d * (double)t->d / n) /
	       (2 * (n - 1));
}

/* Difference of a tile's mean, less its share of a change of light. */
static double tile_step(const struct nst_region *r, const struct pair *p,
			const struct nst_region_tile *t)
{
	double level = (double)t->v / p->n - r->config.black_dn;
	double share = p->level > 1 ? level / p->level : 1;

	return (double)t->d / p->n - p->step * share;
}

static struct pair look_at_pair(const struct nst_region *r)
{
	uint32_t tiles = r->across * r->down;
	struct pair p = { .n = (double)r->config.tile_w * r->config.tile_h };
	double value[NST_REGION_TILES_MAX];
	double least;

	for (uint32_t i = 0; i < tiles; i++)
		value[i] = (double)r->tile[i].v / p.n;
	p.level = nst_median(value, tiles) - r->config.black_dn;
	for (uint32_t i = 0; i < tiles; i++)
		value[i] = (double)r->tile[i].d / p.n;
	p.step = nst_median(value, tiles);
	for (uint32_t i = 0; i < tiles; i++)
		value[i] = tile_variance(&r->tile[i], p.n);
	p.temporal = nst_median(value, tiles) + QUANTISATION;
	for (uint32_t i = 0; i < tiles; i++)
		value[i] = fabs(tile_step(r, &p, &r->tile[i]));
	p.sigma = MAD_SIGMA * nst_median(value, tiles);
	least = sqrt(2 * p.temporal / p.n);
	if (p.sigma < least)
		p.sigma = least;
	return p;
}

/* A lamp was switched, or the exposure changed. */
static bool jumped(const struct nst_region *r, const struct pair *p)
{
	double limit = p->level * r->config.jump_permille / 1000;

	return r->config.jump_permille && fabs(p->step) > limit &&
	       fabs(p->step) > MOVED_SIGMA * p->sigma;
}

static void end_pair(struct nst_region *r, const struct pair *p)
{
	for (uint32_t i = 0; i < r->across * r->down; i++) {
		struct nst_region_tile *t = &r->tile[i];

		t->moved |= fabs(tile_step(r, p, t)) >
				    MOVED_SIGMA * p->sigma ||
			    tile_variance(t, p->n) >
				    MOVED_VARIANCE * p->temporal;
		t->d2 += (double)t->d * (double)t->d;
	}
	r->pairs++;
}

/*
 * Two-way analysis of variance: rows and columns of a tile may have levels
 * of their own. Their variance among h rows of w pixels appears in that of
 * all pixels as (n - w) / (n - 1) of itself; the rest is returned.
 */
static double common_noise(const struct nst_region_config *c,
			   const struct nst_region_tile *t)
{
	double w = c->tile_w, h = c->tile_h, n = w * h;
	double mean2 = (double)t->v * (double)t->v / n;
	double rows = t->rows2 / w - mean2, columns = t->columns2 / h - mean2;
	double rest = (double)t->vv - mean2 - rows - columns;
	double row_var, column_var;

	rest /= (w - 1) * (h - 1);
	row_var = (rows / (h - 1) - rest) / w;
	column_var = (columns / (w - 1) - rest) / h;
	return (row_var * (w - 1) + column_var * (h - 1)) / (n - 1);
}

static void end_frame(struct nst_region *r)
{
	for (uint32_t i = 0; i < r->across * r->down; i++) {
		struct nst_region_tile *t = &r->tile[i];

		t->v2 += (double)t->v * (double)t->v;
		t->common += common_noise(&r->config, t);
		t->v = 0;
		t->vv = 0;
		t->d = 0;
		t->dd = 0;
		t->rows2 = 0;
		t->columns2 = 0;
	}
	r->frames++;
}

static void end_block(struct nst_region *r)
{
	struct nst_region_block *b = &r->block[r->next];
	enum nst_measure_state state = nst_block_work_out(r, b);

	if (state != NST_MEASURED) {
		r->failed++;
		restart(r, state);
		return;
	}
	r->failed = 0;
	r->state = NST_MEASURED;
	r->next = (r->next + 1) % r->config.blocks;
	if (r->filled < r->config.blocks)
		r->filled++;
	restart_block(r);
}

int nst_region_add(struct nst_region *r, const struct nst_view *view)
{
	int err = nst_view_check(view, &r->config.format);
	struct pair p;

	if (!err && add_rows(r, view) > nst_view_max(&r->config.format))
		err = -ERANGE;
	if (err) {
		restart(r, NST_MEASURE_DAMAGED);
		return err;
	}
	if (r->frames) {
		p = look_at_pair(r);
		if (jumped(r, &p)) {
			/* This frame is the first of the new light. */
			restart(r, NST_MEASURE_SETTLING);
			add_rows(r, view);
		} else {
			end_pair(r, &p);
		}
	}
	end_frame(r);
	if (r->frames == r->config.block_frames)
		end_block(r);
	return 0;
}
