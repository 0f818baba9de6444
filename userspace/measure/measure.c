// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* measure.c - what the frames of a camera are worth: see measure.h */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "patch.h"

#define BLOCK_FRAMES 16
#define BLOCKS 4
#define TILE 16
#define DARK_TILE_W 32
#define DARK_ROWS_MIN 2
/* Tiles of a wide array are wider, so that there are not too many. */
#define DARK_TILES_MAX 128
/* A step of light beyond which the frames before say nothing. */
#define JUMP_PERMILLE 250
#define LOOK_FRAMES 30
/* Blocks without a number until another patch is looked for. */
#define GIVE_UP_BLOCKS 2

/* ------------------------------------------------------------- lifetime */

static struct nst_region *new_region(const struct nst_region_config *config,
				     int *ret_err)
{
	struct nst_region *r = malloc(sizeof(*r));

	*ret_err = r ? nst_region_init(r, config) : -ENOMEM;
	if (!*ret_err)
		return r;
	free(r);
	return NULL;
}

static struct nst_region_config region_config(const struct nst_measure *m)
{
	const struct nst_measure_config *c = &m->config;

	return (struct nst_region_config){
		.format = c->format,
		.tile_w = TILE,
		.tile_h = TILE,
		.block_frames = c->block_frames,
		.blocks = c->blocks,
		.black_dn = c->black_dn,
	};
}

static int init_flat(struct nst_measure *m)
{
	struct nst_region_config c = region_config(m);
	const struct nst_rect *patch = &m->config.patch;
	int err;

	c.jump_permille = JUMP_PERMILLE;
	m->automatic = !patch->w && !patch->h && !patch->x && !patch->y;
	m->have_patch = !m->automatic;
	c.rect = *patch;
	if (m->automatic)
		c.rect = (struct nst_rect){ .w = NST_MEASURE_SIDE,
					    .h = NST_MEASURE_SIDE };
	if (c.rect.w < NST_MEASURE_SIDE || c.rect.h < NST_MEASURE_SIDE)
		return -EINVAL;
	/* Whole tiles of it, and tiles that are not too many. */
	while ((c.rect.w / c.tile_w) * (c.rect.h / c.tile_h) >
	       NST_REGION_TILES_MAX) {
		c.tile_w *= 2;
		c.tile_h *= 2;
	}
	c.rect.w -= c.rect.w % c.tile_w;
	c.rect.h -= c.rect.h % c.tile_h;
	m->flat = new_region(&c, &err);
	return err;
}

static int init_dark(struct nst_measure *m)
{
	struct nst_region_config c = region_config(m);
	uint32_t width = m->config.format.width;
	int err;

	if (m->config.dark_rows < DARK_ROWS_MIN)
		return -EINVAL;
	c.tile_h = m->config.dark_rows;
	c.tile_w = DARK_TILE_W;
	while (width / c.tile_w > DARK_TILES_MAX)
		c.tile_w *= 2;
	c.rect = (struct nst_rect){
		.y = m->config.dark_row,
		.w = width - width % c.tile_w,
		.h = m->config.dark_rows,
	};
	m->dark = new_region(&c, &err);
	return err;
}

int nst_measure_init(struct nst_measure *m,
		     const struct nst_measure_config *config)
{
	int r;

	memset(m, 0, sizeof(*m));
	m->config = *config;
	if (!m->config.block_frames)
		m->config.block_frames = BLOCK_FRAMES;
	if (!m->config.blocks)
		m->config.blocks = BLOCKS;
	r = nst_view_format_check(&config->format);
	if (!r && !(config->black_dn >= 0 &&
		    config->black_dn < nst_view_max(&config->format)))
		r = -EINVAL;
	if (r)
		return r;
	if (!config->reference_dn)
		m->config.reference_dn = nst_view_max(&config->format) -
					 config->black_dn;
	if (!config->no_patch)
		r = init_flat(m);
	if (!r && config->dark_rows)
		r = init_dark(m);
	if (r)
		nst_measure_deinit(m);
	return r;
}

void nst_measure_deinit(struct nst_measure *m)
{
	if (m->flat)
		nst_region_deinit(m->flat);
	if (m->dark)
		nst_region_deinit(m->dark);
	free(m->flat);
	free(m->dark);
	m->flat = NULL;
	m->dark = NULL;
}

void nst_measure_reset(struct nst_measure *m)
{
	if (m->flat)
		nst_region_reset(m->flat);
	if (m->dark)
		nst_region_reset(m->dark);
	if (m->automatic)
		m->have_patch = false;
	m->wait = 0;
}

/* --------------------------------------------------------------- frames */

/* Rows above or below the dark ones, whichever are more. */
static void lit_rows(const struct nst_measure_config *c, uint32_t *ret_first,
		     uint32_t *ret_rows)
{
	uint32_t below = c->dark_row + c->dark_rows;

	*ret_first = 0;
	*ret_rows = c->format.height;
	if (!c->dark_rows)
		return;
	*ret_rows = c->dark_row;
	if (c->format.height - below <= c->dark_row)
		return;
	*ret_first = below;
	*ret_rows = c->format.height - below;
}

static void look_for_patch(struct nst_measure *m, const struct nst_view *view)
{
	uint32_t first, rows;
	struct nst_rect at;

	if (m->wait) {
		m->wait--;
		return;
	}
	m->wait = LOOK_FRAMES - 1;
	lit_rows(&m->config, &first, &rows);
	if (nst_patch_find(view, NST_MEASURE_SIDE, first, rows,
			   m->config.black_dn, &at) ||
	    nst_region_move(m->flat, at.x, at.y))
		return;
	m->have_patch = true;
}

int nst_measure_add(struct nst_measure *m, const struct nst_view *view)
{
	int r = 0, r2;

	if (m->dark)
		r = nst_region_add(m->dark, view);
	if (!m->flat)
		return r;
	if (!m->have_patch && !nst_view_check(view, &m->config.format))
		look_for_patch(m, view);
	else if (!m->have_patch)
		r = r ? r : nst_view_check(view, &m->config.format);
	if (!m->have_patch)
		return r;
	r2 = nst_region_add(m->flat, view);
	if (m->automatic && m->flat->failed >= GIVE_UP_BLOCKS)
		m->have_patch = false;
	return r ? r : r2;
}

/* -------------------------------------------------------------- figures */

static double db(double ratio2)
{
	return 10 * log10(ratio2);
}

static void get_dark(const struct nst_measure *m,
		     struct nst_measure_figure *ret)
{
	double signal = m->config.reference_dn;

	*ret = (struct nst_measure_figure){ .state = NST_UNMEASURED };
	if (!m->dark)
		return;
	ret->state = nst_region_get(m->dark, &ret->stats);
	if (ret->state != NST_MEASURED)
		return;
	ret->signal_dn = signal;
	ret->dark_dn = ret->stats.mean_dn - m->config.black_dn;
	ret->snr_db = db(signal * signal / ret->stats.noise_dn2);
	ret->low_db = db(signal * signal / ret->stats.noise_high_dn2);
}

static void get_flat(const struct nst_measure *m,
		     const struct nst_measure_figure *dark,
		     struct nst_measure_figure *ret)
{
	double black = m->config.black_dn, margin = 0, least;

	*ret = (struct nst_measure_figure){ .state = NST_UNMEASURED };
	if (!m->flat)
		return;
	if (!m->have_patch) {
		ret->state = NST_MEASURE_NO_PATCH;
		return;
	}
	ret->state = nst_region_get(m->flat, &ret->stats);
	if (ret->state != NST_MEASURED)
		return;
	/* Dark charge is no signal: the rows that see no light tell it. */
	if (dark->state == NST_MEASURED) {
		black += dark->dark_dn;
		margin = dark->stats.mean_margin_dn;
	}
	ret->signal_dn = ret->stats.mean_dn - black;
	least = ret->signal_dn - margin;
	if (least <= 0) {
		/* No light on it: nothing to hold noise against. */
		ret->state = NST_MEASURE_NO_PATCH;
		return;
	}
	ret->snr_db = db(ret->signal_dn * ret->signal_dn /
			 ret->stats.noise_dn2);
	ret->low_db = db(least * least / ret->stats.noise_high_dn2);
}

void nst_measure_get(const struct nst_measure *m,
		     struct nst_measure_figure *ret_flat,
		     struct nst_measure_figure *ret_dark)
{
	struct nst_measure_figure flat, dark;

	get_dark(m, &dark);
	get_flat(m, &dark, &flat);
	if (ret_flat)
		*ret_flat = flat;
	if (ret_dark)
		*ret_dark = dark;
}

double nst_measure_margin_db(const struct nst_measure_figure *figure,
			     double demand_db)
{
	return figure->state == NST_MEASURED ? figure->low_db - demand_db :
					       -INFINITY;
}
