/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * region.h - noise of a rectangle of raw frames, frame after frame
 *
 * The rectangle is divided into tiles. Per block of frames and per tile:
 *
 *	noise	  variance within the tile in a single frame, mean of the
 *		  block's: temporal and fixed, whatever their correlation in
 *		  time. A change of light, which moves a tile as a whole, is
 *		  not in it, nor is a shading that is wide against a tile
 *	temporal  mean of d^2 / 2 over the differences d of successive frames,
 *		  less the tile's own mean difference: a drift of light, which
 *		  is slow against a frame, is not in it
 *	fixed	  variance within the tile of the mean of the block's frames,
 *		  less temporal / frames, what is left of temporal noise in it
 *
 * Noise is what counts; the parts explain it. What is slow against a frame
 * is missing from the first part and found, diluted, in the second. Noise
 * that rows or columns of pixels have in common would be seen too small by
 * what a tile's mean takes of it; an analysis of variance of rows and columns
 * puts that back into noise, while the parts lack up to 6 % of it. A running
 * estimate is the mean over the last few blocks.
 *
 * Hot pixels, further than six standard deviations from their tile's mean in
 * the mean frame, are taken out of both and their own share of the variance
 * is kept beside: it is known for the pixels of this rectangle, and is no
 * sample of anything.
 *
 * The bound. Estimates of successive frames are correlated: they share
 * frames, and all of them share the fixed pattern. So what counts as one
 * observation is a tile's mean over time, and the scatter between tiles,
 * whose pixels are others, tells its error, whatever the correlation within
 * a tile and in time. Where noise is common to a row or a column of pixels
 * tiles are not independent; so rows and columns of tiles are taken for
 * observations as well, and the widest of the three bounds holds. Quantiles
 * are Student's, one-sided 99.9 %, with a term for the skewness of a
 * variance (bound.h). A rectangle of a single row of tiles, as dark rows
 * are, cannot tell how much noise common to its rows differs from row to
 * row: such noise is in the estimate, its error is not in the bound.
 *
 * A tile is left out of a block when something moves in it (a frame in which
 * its mean or its temporal variance differs from that of the others by more
 * than eight standard deviations) or when it holds structure (an edge: four
 * times the others' fixed variance, or one pixel in twenty "hot"). What is
 * left out is told; with half of the tiles gone there is a state and no
 * number. Nothing is left out for being noisy alone: the limits are far
 * beyond what tiles of 256 pixels scatter.
 */
#ifndef NST_MEASURE_REGION_H
#define NST_MEASURE_REGION_H

#include "view.h"

#define NST_REGION_TILES_MAX 1024
#define NST_REGION_BLOCKS_MAX 8
#define NST_REGION_BLOCK_FRAMES_MAX 256

/* What there is to say: a number in one state alone. */
enum nst_measure_state {
	NST_UNMEASURED = 0,	/* there is no such region */
	NST_MEASURED,
	NST_MEASURE_SETTLING,	/* not enough frames yet */
	NST_MEASURE_NO_PATCH,	/* nothing flat to measure on */
	NST_MEASURE_CLIPPED,	/* pixels at white or at zero */
	NST_MEASURE_MOVING,	/* something moves in most of it */
	NST_MEASURE_DAMAGED,	/* truncated, or of another format */
	NST_MEASURE_STATE_COUNT
};

/** nst_measure_state_text() - "measured", "settling", ... */
const char *nst_measure_state_text(enum nst_measure_state state);

/**
 * struct nst_region_config
 * @rect: a multiple of tiles wide and high
 * @tile_w, @tile_h: together at least 64 pixels
 * @block_frames: at least 4
 * @blocks: in the running estimate
 * @black_dn: level of no charge, for @jump_permille
 * @jump_permille: a step of the level over black by more than this begins
 *	anew; 0 for never
 */
struct nst_region_config {
	struct nst_view_format format;
	struct nst_rect rect;
	uint32_t tile_w, tile_h;
	uint32_t block_frames;
	uint32_t blocks;
	double black_dn;
	uint32_t jump_permille;
};

struct nst_region_tile {
	/* sums of the present frame; of values, squares, differences */
	int64_t v, d, dd;
	uint64_t vv;
	double rows2, columns2;	/* of the sums of rows and columns, squared */
	/* sums over the block */
	double v2;		/* of v^2 */
	double d2;		/* of d^2 */
	double common;		/* what the tile's mean takes, see above */
	bool moved;
};

struct nst_region_result {
	double mean, noise, temporal, fixed;
	bool used;
};

struct nst_region_block {
	struct nst_region_result tile[NST_REGION_TILES_MAX];
	double hot_share;	/* of pixels */
	double hot_dn2;		/* their part of the variance of a pixel */
	double hot_error2;	/* variance of that */
};

struct nst_region {
	struct nst_region_config config;
	enum nst_measure_state state;
	uint32_t across, down;	/* tiles */
	uint32_t frames;	/* in the present block */
	uint32_t pairs;
	uint32_t filled;	/* blocks in the ring */
	uint32_t next;
	uint64_t restarts;
	uint32_t failed;	/* blocks in a row that gave no number */
	/* per pixel of the rectangle */
	uint64_t *square;	/* sum of values squared */
	uint64_t *change;	/* sum of differences squared */
	uint32_t *sum;
	uint32_t *column;	/* of one row of tiles */
	uint16_t *last;
	uint16_t *clipped;
	uint8_t *hot;
	struct nst_region_tile tile[NST_REGION_TILES_MAX];
	struct nst_region_block block[NST_REGION_BLOCKS_MAX];
};

/**
 * struct nst_region_stats - of the last blocks, in DN and DN^2
 * @tiles, @tiles_out: of the newest block
 * @mean_dn: of pixels that are not hot
 * @mean_margin_dn: how far the mean of an even region may be off, 99.9 %
 * @temporal_dn2, @fixed_dn2: the parts, without hot pixels
 * @hot_dn2: what hot pixels have of @noise_dn2
 * @noise_dn2: all of it; not below 1/12, what quantisation alone gives
 * @noise_high_dn2: its upper 99.9 % bound
 * @quantised: noise is below 0.6 DN: what of it is the converter's cannot
 *	be told, and less noise would not be seen
 */
struct nst_region_stats {
	uint32_t frames;
	uint32_t tiles, tiles_out;
	uint32_t hot_ppm;
	double mean_dn, mean_margin_dn;
	double temporal_dn2, fixed_dn2, hot_dn2;
	double noise_dn2, noise_high_dn2;
	bool quantised;
};

/**
 * nst_region_init() - allocates; nothing else does
 * Return: 0; -EINVAL for a configuration that is none; -ENOMEM.
 */
int nst_region_init(struct nst_region *r,
		    const struct nst_region_config *config);
void nst_region_deinit(struct nst_region *r);

/** nst_region_move() - to another place of the same size, from new */
int nst_region_move(struct nst_region *r, uint32_t x, uint32_t y);

/** nst_region_reset() - the setting changed: what was measured is of before */
void nst_region_reset(struct nst_region *r);

/**
 * nst_region_add() - a frame
 * Return: 0; -EPROTO for another format, -EMSGSIZE for a truncated frame,
 * -ERANGE for a value that does not fit its bits. The state then is
 * NST_MEASURE_DAMAGED until whole frames have made a block again.
 */
int nst_region_add(struct nst_region *r, const struct nst_view *view);

/**
 * nst_region_get() - the running estimate
 * Return: its state; @ret is filled for NST_MEASURED alone.
 */
enum nst_measure_state nst_region_get(const struct nst_region *r,
				      struct nst_region_stats *ret);

#endif /* NST_MEASURE_REGION_H */
