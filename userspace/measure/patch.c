// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* patch.c - where a frame is flat: see patch.h */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "patch.h"

#define TILE 16
#define SIGNAL_MIN 20		/* one in so many of the full scale */
#define VARIANCE_MAX 1.5	/* of the quietest square's */
/* A tile that is flat but for its noise is never thus much off the others. */
#define QUANTISATION (1.0 / 12)

struct flat {
	double mean, variance;
	bool clipped;
};

/* Tiles of the whole frame. */
struct map {
	struct flat *tile;
	uint32_t across, down;
};

struct candidate {
	double variance;	/* mean of its tiles */
	double uneven;		/* variance of their means */
	bool usable;
};

static void look_at_tile(const struct nst_view *view, uint32_t x0, uint32_t y0,
			 struct flat *ret)
{
	uint32_t max = nst_view_max(&view->format), clipped = 0;
	double n = TILE * TILE;
	uint64_t sum = 0, squares = 0;
	uint16_t v[TILE];

	for (uint32_t y = y0; y < y0 + TILE; y++) {
		nst_view_row(view, x0, y, TILE, v);
		for (int i = 0; i < TILE; i++) {
			sum += v[i];
			squares += (uint64_t)v[i] * v[i];
			clipped += !v[i] || v[i] >= max;
		}
	}
	ret->mean = (double)sum / n;
	ret->variance = ((double)squares - (double)sum * (double)sum / n) /
			(n - 1);
	/* Hot pixels may be at white, a whole corner may not. */
	ret->clipped = clipped > 4;
}

static struct candidate judge(const struct map *map, uint32_t tx, uint32_t ty,
			      uint32_t side, double least)
{
	struct candidate c = { .usable = true };
	double n = side * side, sum = 0, squares = 0;

	for (uint32_t y = ty; y < ty + side; y++) {
		for (uint32_t x = tx; x < tx + side; x++) {
			const struct flat *t = &map->tile[y * map->across + x];

			c.usable &= !t->clipped;
			c.variance += t->variance / n;
			sum += t->mean;
			squares += t->mean * t->mean;
		}
	}
	c.uneven = (squares - sum * sum / n) / (n - 1);
	c.usable &= sum / n >= least;
	return c;
}

static double quietest(const struct map *map, uint32_t side, double least)
{
	double best = INFINITY;

	for (uint32_t y = 0; y + side <= map->down; y++) {
		for (uint32_t x = 0; x + side <= map->across; x++) {
			struct candidate c = judge(map, x, y, side, least);

			if (c.usable && c.variance < best)
				best = c.variance;
		}
	}
	return best;
}

static int choose(const struct map *map, uint32_t side, double least,
		  uint32_t first_row, struct nst_rect *ret)
{
	double limit = VARIANCE_MAX *
		       (quietest(map, side, least) + QUANTISATION);
	double best = INFINITY;

	for (uint32_t y = 0; y + side <= map->down; y++) {
		for (uint32_t x = 0; x + side <= map->across; x++) {
			struct candidate c = judge(map, x, y, side, least);

			if (!c.usable || c.variance > limit ||
			    c.uneven >= best)
				continue;
			best = c.uneven;
			*ret = (struct nst_rect){
				.x = x * TILE, .y = first_row + y * TILE,
				.w = side * TILE, .h = side * TILE,
			};
		}
	}
	return best < INFINITY ? 0 : -ENOENT;
}

int nst_patch_find(const struct nst_view *view, uint32_t side,
		   uint32_t first_row, uint32_t rows, double black_dn,
		   struct nst_rect *ret)
{
	double least = black_dn + (nst_view_max(&view->format) - black_dn) /
		       SIGNAL_MIN;
	struct map map;
	int r;

	if (!side || side % TILE || first_row >= view->format.height ||
	    rows > view->format.height - first_row)
		return -EINVAL;
	if (side > view->format.width || side > rows)
		return -ENOENT;
	map.across = view->format.width / TILE;
	map.down = rows / TILE;
	map.tile = calloc((size_t)map.across * map.down, sizeof(*map.tile));
	if (!map.tile)
		return -ENOMEM;
	for (uint32_t y = 0; y < map.down; y++)
		for (uint32_t x = 0; x < map.across; x++)
			look_at_tile(view, x * TILE, first_row + y * TILE,
				     &map.tile[y * map.across + x]);
	r = choose(&map, side / TILE, least, first_row, ret);
	free(map.tile);
	return r;
}
