// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-scene.c - what the lens of the emulated camera shows
 *
 * A textured wall that stands still, and patches of light and shadow of
 * known size that travel over it, each in a lane of its own, reflected at
 * the borders. A patch adds a fixed share of white to what is behind it, so
 * its contrast is the same wherever it is, and whether it is found depends
 * on the noise. Positions are a function of seed and sequence. On request
 * an even card hangs in the corner: a flat patch to measure noise on.
 */
#include "nst-sim-render.h"

#define WALL_MEAN	102	/* 40 % of white */
#define WALL_MIN	40
#define WALL_MAX	180
#define LANE_MARGIN	4

/* Cell in pixels at VGA width, and half the swing in reflectance. */
#define OCTAVES		3

static const struct {
	u32 cell;
	s32 swing;
} octaves[OCTAVES] = {
	{ 96, 12 }, { 24, 7 }, { 6, 4 },
};

/* Where a point is that moves by @travel between two walls @room apart. */
static u32 bounce(u64 travel, u32 room)
{
	u64 turn, at;

	if (!room)
		return 0;
	turn = 2 * (u64)room;
	at = travel - nst_div_u64(travel, turn) * turn;
	return (u32)(at < room ? at : turn - at);
}

static u32 scaled(u32 vga_pixels, u32 width)
{
	return vga_pixels * width / NST_SIM_WIDTH_MIN;
}

void nst_sim_scene_init(struct nst_sim_scene *scene,
			const struct nst_sim_scene_params *params, u64 seed,
			u32 width, u32 height)
{
	u32 n = params->objects, i, lane, room_w, room_h;
	s32 delta = (s32)(params->contrast_permille * 255 / 1000);

	if (n > NST_SIM_OBJECTS_MAX)
		n = NST_SIM_OBJECTS_MAX;
	scene->seed = seed;
	scene->width = width;
	scene->height = height;
	scene->card = params->card ? scaled(NST_SIM_CARD, width) : 0;
	scene->objects = n;
	if (!n)
		return;

	room_w = width - scene->card;
	lane = (height - NST_SIM_DARK_ROWS) / n;
	room_h = lane - 2 * LANE_MARGIN;

	for (i = 0; i < n; i++) {
		struct nst_sim_object *o = &scene->object[i];
		u64 h = nst_sim_hash(seed, 0x6f626a00 + i);
		u32 speed;

		/* 28 to 59 pixels at VGA, as high as the lane lets it be. */
		o->w = (u16)scaled(28 + (h & 31), width);
		o->h = (u16)scaled(28 + ((h >> 5) & 31), width);
		if (o->h > room_h * 3 / 4)
			o->h = (u16)(room_h * 3 / 4);
		o->lane_y = (u16)(NST_SIM_DARK_ROWS + i * lane + LANE_MARGIN);
		o->lane_h = (u16)room_h;
		/* 0.6 to 1.4 of the mean; the lane is crossed more slowly. */
		speed = (params->speed_mpx * (600 + ((u32)(h >> 10)) % 801) +
			 500) / 1000;
		o->vx_mpx = scaled(speed, width);
		o->vy_mpx = o->vx_mpx / 4;
		o->x0_mpx = ((u32)(h >> 20)) % (2000 * (room_w - o->w));
		o->y0_mpx = ((u32)(h >> 42)) % (2000 * (room_h - o->h));
		o->delta = (s16)(i & 1 ? -delta : delta);
		o->round = i & 2;
	}
}

u32 nst_sim_scene_boxes(const struct nst_sim_scene *scene, u64 seq,
			struct nst_sim_box ret[NST_SIM_OBJECTS_MAX])
{
	u32 i;

	for (i = 0; i < scene->objects; i++) {
		const struct nst_sim_object *o = &scene->object[i];
		u32 x = bounce(o->x0_mpx + seq * o->vx_mpx,
			       1000 * (scene->width - scene->card - o->w));
		u32 y = bounce(o->y0_mpx + seq * o->vy_mpx,
			       1000u * (u32)(o->lane_h - o->h));

		ret[i].x = (u16)(scene->card + x / 1000);
		ret[i].y = (u16)(o->lane_y + y / 1000);
		ret[i].w = o->w;
		ret[i].h = o->h;
	}
	return scene->objects;
}

/* Largest r with r * r <= v. */
static u32 root(u32 v)
{
	u32 r = 0, bit = 1u << 30;

	while (bit > v)
		bit >>= 2;
	for (; bit; bit >>= 2) {
		if (v >= r + bit) {
			v -= r + bit;
			r = (r >> 1) + bit;
		} else {
			r >>= 1;
		}
	}
	return r;
}

bool nst_sim_scene_span(const struct nst_sim_scene *scene, u32 index,
			const struct nst_sim_box *box, u32 y, u32 *ret_x,
			u32 *ret_w)
{
	u32 w = box->w, dy, h2, half;

	if (y < box->y || y >= (u32)box->y + box->h)
		return false;
	if (scene->object[index].round) {
		/*
		 * Ellipse through the middle of the row, in half pixels: at
		 * least a pixel wide, so that it touches its box all around.
		 */
		h2 = box->h;
		dy = 2 * (y - box->y) + 1;
		dy = dy > h2 ? dy - h2 : h2 - dy;
		half = root((h2 * h2 - dy * dy) << 8) * box->w / h2;
		w = (half + 8) >> 4;
		if (w < 1)
			w = 1;
		if (w > box->w || dy <= 1)
			w = box->w;
	}
	*ret_x = box->x + (box->w - w) / 2;
	*ret_w = w;
	return true;
}

u8 nst_sim_scene_shade(const struct nst_sim_scene *scene, u32 index,
		       u32 dx, u32 dy, u8 background)
{
	s32 v = background + scene->object[index].delta;

	/* A weave that moves along with it: four pixels, one level. */
	v += ((dx ^ dy) & 4) ? 1 : -1;
	return (u8)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/* Height of lattice point (@ix, @iy) of an octave, -256..255. */
static s32 lattice(u64 seed, u32 octave, u32 ix, u32 iy)
{
	u64 h = nst_sim_hash(seed + 0x77616c6c + octave,
			     ((u64)iy << 32) | ix);

	return (s32)(h & 511) - 256;
}

/* Adds one octave to a row of @sum, Q8, by bilinear interpolation. */
static void add_octave(const struct nst_sim_scene *scene, u32 octave, u32 y,
		       s32 *sum_q8)
{
	u32 cell = scaled(octaves[octave].cell, scene->width);
	u32 iy = y / cell, x = 0, ix;
	s32 fy = (s32)((y % cell) * 256 / cell);
	s32 left, right;

	for (ix = 0; x < scene->width; ix++) {
		s32 a = lattice(scene->seed, octave, ix, iy);
		s32 b = lattice(scene->seed, octave, ix, iy + 1);
		s32 c = lattice(scene->seed, octave, ix + 1, iy);
		s32 d = lattice(scene->seed, octave, ix + 1, iy + 1);
		u32 i;

		left = (a * (256 - fy) + b * fy) / 256;
		right = (c * (256 - fy) + d * fy) / 256;
		for (i = 0; i < cell && x < scene->width; i++, x++)
			sum_q8[x] += (left + (right - left) * (s32)i /
				      (s32)cell) * octaves[octave].swing;
	}
}

void nst_sim_scene_background(const struct nst_sim_scene *scene, u8 *ret,
			      s32 *scratch)
{
	u32 x, y, i;

	for (y = 0; y < scene->height; y++, ret += scene->width) {
		for (x = 0; x < scene->width; x++)
			scratch[x] = WALL_MEAN * 256;
		for (i = 0; i < OCTAVES; i++)
			add_octave(scene, i, y, scratch);
		for (x = 0; x < scene->width; x++) {
			s32 v = scratch[x] >> 8;

			ret[x] = (u8)(v < WALL_MIN ? WALL_MIN :
				      v > WALL_MAX ? WALL_MAX : v);
		}
		if (y >= NST_SIM_DARK_ROWS &&
		    y < NST_SIM_DARK_ROWS + scene->card)
			for (x = 0; x < scene->card; x++)
				ret[x] = WALL_MEAN;
	}
}
