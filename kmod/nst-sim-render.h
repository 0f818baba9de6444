/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-sim-render.h - from temperatures to pixels, pure
 *
 * Integers only, no clock, no allocation: the same files build into the
 * module and into the tests of userspace. A frame is a function of seed,
 * sequence, dark charge per row and camera setting, of nothing else.
 *
 *	scene	what the lens shows: reflectance per pixel, moving objects
 *	rows	dark charge per row, from the history of the plant
 *	noise	pixels
 *
 * Levels are held in 1/64 DN of the ten-bit scale (_q6).
 */
#ifndef NST_SIM_RENDER_H
#define NST_SIM_RENDER_H

#if defined(__KERNEL__)
#include <linux/sched.h>
#endif

#include "plant.h"
#include "uapi/nst-sim.h"

/*
 * Between rows: a frame takes 5 ms on an emulated processor, and a kernel
 * that does not preempt itself would let no boundary through meanwhile.
 */
static inline void nst_sim_render_pause(void)
{
#if defined(__KERNEL__)
	cond_resched();
#endif
}

#define NST_SIM_WIDTH_MIN	640
#define NST_SIM_HEIGHT_MIN	480
#define NST_SIM_WIDTH_MAX	1920
#define NST_SIM_HEIGHT_MAX	1080
#define NST_SIM_EXPOSURE_MAX_US	1000000
#define NST_SIM_ISO_MIN		100
#define NST_SIM_ISO_MAX		6400

/* ------------------------------------------------------------- hashing */

/** nst_sim_hash() - 64 well-mixed bits of two numbers */
static inline u64 nst_sim_hash(u64 a, u64 b)
{
	u64 x = a + b * 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* --------------------------------------------------------------- scene */

#define NST_SIM_OBJECTS_MAX	8
#define NST_SIM_CARD		160	/* side of the card at VGA width */

struct nst_sim_box {
	u16 x, y, w, h;
};

/*
 * An object travels in a lane of its own, so two never overlap and every
 * box of the ground truth is wholly visible.
 */
struct nst_sim_object {
	u16 w, h;
	u16 lane_y, lane_h;
	u32 vx_mpx, vy_mpx;	/* milli-pixels a frame */
	u32 x0_mpx, y0_mpx;	/* phase of the bounce at sequence 0 */
	s16 delta;		/* reflectance over the background */
	bool round;
};

struct nst_sim_scene {
	u64 seed;
	u32 width, height;
	u32 card;		/* side of the card in pixels, 0 without one */
	u32 objects;
	struct nst_sim_object object[NST_SIM_OBJECTS_MAX];
};

/**
 * struct nst_sim_scene_params
 * @objects: 0..NST_SIM_OBJECTS_MAX
 * @speed_mpx: mean horizontal speed, milli-pixels a frame
 * @contrast_permille: object against background, in shares of white
 * @card: 1 puts an even card into the upper left corner, below the dark
 *	rows, as bright as the wall is on average; objects turn at its edge
 */
struct nst_sim_scene_params {
	u32 objects;
	u32 speed_mpx;
	u32 contrast_permille;
	u32 card;
};

void nst_sim_scene_init(struct nst_sim_scene *scene,
			const struct nst_sim_scene_params *params, u64 seed,
			u32 width, u32 height);

/**
 * nst_sim_scene_background() - width * height reflectances, 255 is white
 * @scratch: width numbers
 */
void nst_sim_scene_background(const struct nst_sim_scene *scene, u8 *ret,
			      s32 *scratch);

/** nst_sim_scene_boxes() - where the objects are; returns how many */
u32 nst_sim_scene_boxes(const struct nst_sim_scene *scene, u64 seq,
			struct nst_sim_box ret[NST_SIM_OBJECTS_MAX]);

/**
 * nst_sim_scene_span() - part of row @y that object @index covers
 * Return: false when it covers none of it.
 */
bool nst_sim_scene_span(const struct nst_sim_scene *scene, u32 index,
			const struct nst_sim_box *box, u32 y, u32 *ret_x,
			u32 *ret_w);

/** nst_sim_scene_shade() - reflectance of object @index over @background */
u8 nst_sim_scene_shade(const struct nst_sim_scene *scene, u32 index,
		       u32 dx, u32 dy, u8 background);

/* -------------------------------------------------------------- sensor */

/**
 * struct nst_sim_sensor - constants of the pixels, EMVA 1288 terms
 * @doubling_mc: warming that doubles the dark current
 * @dark_e_per_s_60c: dark current at 60 degC
 * @read_noise_me: read noise in millielectrons
 * @full_well_e: electrons at full scale at ISO 100
 * @prnu_permyriad: spread of the response, of the signal
 * @dsnu_permyriad: spread of the dark charge, of the dark charge
 * @hot_ppm: pixels of the log-normal tail, whose median is ten times the mean
 */
struct nst_sim_sensor {
	u32 doubling_mc;
	u32 dark_e_per_s_60c;
	u32 read_noise_me;
	u32 full_well_e;
	u32 prnu_permyriad;
	u32 dsnu_permyriad;
	u32 hot_ppm;
};

/**
 * struct nst_sim_setting - camera setting of one frame
 * @light_mlx: illuminance, used with @auto_iris off
 * @pattern: NST_SIM_PATTERN_*
 */
struct nst_sim_setting {
	u32 exposure_us;
	u32 iso;
	u32 light_mlx;
	bool auto_iris;
	u8 pattern;
};

/** nst_sim_gain_q16() - K in 1/64 DN an electron, Q16 */
u32 nst_sim_gain_q16(const struct nst_sim_sensor *sensor, u32 iso);

/* ---------------------------------------------------------------- rows */

/* Gate changes, and other events, that one frame period can hold. */
#define NST_SIM_SEGS_MAX	64
#define NST_SIM_GRID_MAX	4096

/**
 * struct nst_sim_seg - from @t_us on, until the next one
 * @z_q32: state of the plant at @t_us
 */
struct nst_sim_seg {
	u64 t_us;
	s64 z_q32[2];
	u32 power_mw;
	s32 ambient_mc;
	u8 gate;
};

/* Scratch of nst_sim_rows(). */
struct nst_sim_grid {
	u32 points;
	u32 t_us[NST_SIM_GRID_MAX];	/* from the start of the frame */
	s32 temp_mc[NST_SIM_GRID_MAX];
	u64 rate_q32[NST_SIM_GRID_MAX];	/* dark current over the hottest's */
	u64 sum_q32us[NST_SIM_GRID_MAX];
};

/**
 * struct nst_sim_window - one exposure
 * @start_us: of the first row
 * @readout_us: the last of @rows rows begins that much later, less one row
 * @seg, @segs: history; seg[0] begins at or before @start_us
 */
struct nst_sim_window {
	u64 start_us;
	u32 exposure_us;
	u32 readout_us;
	u32 rows;
	const struct nst_sim_seg *seg;
	u32 segs;
};

/**
 * nst_sim_rows() - dark charge per row and exposure temperatures
 * @plant: constants; its state is not used
 * @gain_q16: from nst_sim_gain_q16()
 * @ret_dark_q6: @window->rows levels over black; saturates far beyond white
 * @ret_hot_mc, @ret_cold_mc: hottest and coldest row
 */
void nst_sim_rows(struct nst_sim_grid *grid, const struct nst_plant *plant,
		  const struct nst_sim_sensor *sensor, u32 gain_q16,
		  const struct nst_sim_window *window, s32 *ret_dark_q6,
		  s32 *ret_hot_mc, s32 *ret_cold_mc);

/* --------------------------------------------------------------- noise */

/*
 * Two shuffles of the quantiles of the normal distribution. A row of noise
 * is a stretch of one plus a stretch of the other; the sum has a standard
 * deviation of NST_SIM_NORMAL_ONE. Values are biased so that four of them
 * are added as one 64-bit word.
 */
#define NST_SIM_POOL_LEN	65536u
#define NST_SIM_POOL_ONE	1448	/* 2048 / sqrt(2) */
#define NST_SIM_POOL_BIAS	16384
#define NST_SIM_NORMAL_ONE	2048

struct nst_sim_pool {
	u16 v[2][NST_SIM_POOL_LEN + NST_SIM_WIDTH_MAX];
};

void nst_sim_pool_init(struct nst_sim_pool *pool);

/** nst_sim_normal() - one deviate, NST_SIM_NORMAL_ONE a sigma, of @hash */
s32 nst_sim_normal(const struct nst_sim_pool *pool, u64 hash);

/* A pixel of the tail: its dark charge over the mean, Q8. */
struct nst_sim_hot {
	u32 pos;
	u32 factor_q8;
};

/* Standard deviation against level, in steps of 1/8 DN. */
#define NST_SIM_SIGMA_LEN	8192

/**
 * struct nst_sim_render - a sensor of one frame size
 *
 * The owner allocates the arrays (width * height of each but @hot, which
 * takes nst_sim_hot_count()) and calls nst_sim_render_init() once.
 *
 * @background: reflectance of the static scene
 * @prnu, @dsnu: fixed patterns, NST_SIM_FIXED_ONE a sigma
 * @base_q6: black level plus signal of the static scene, PRNU included,
 *	for @setting
 * @noiseless: pixels are the black level plus the signal
 * @clean: shown instead of the scene, or NULL; may differ for every frame
 */
#define NST_SIM_FIXED_ONE	32

/**
 * struct nst_sim_clean - a picture in the place of the scene
 * @level: width * height shares of white, of 65535
 * Stretched to the size of the frame.
 */
struct nst_sim_clean {
	const u16 *level;
	u32 width;
	u32 height;
};

struct nst_sim_render {
	const struct nst_sim_pool *pool;
	struct nst_sim_sensor sensor;
	struct nst_sim_scene scene;
	u32 width, height;
	u64 seed;
	u8 *background;
	s8 *prnu;
	s8 *dsnu;
	u16 *base_q6;
	struct nst_sim_hot *hot;
	u32 hots;
	bool noiseless;
	const struct nst_sim_clean *clean;

	struct nst_sim_setting setting;
	bool prepared;
	u32 gain_q16;
	u32 signal_q6[256];		/* by reflectance */
	u32 sigma_q9[NST_SIM_SIGMA_LEN];
	u16 line_q6[NST_SIM_WIDTH_MAX];
};

u32 nst_sim_hot_count(const struct nst_sim_sensor *sensor, u32 width,
		      u32 height);
void nst_sim_render_init(struct nst_sim_render *render);

/**
 * nst_sim_render_frame() - all pixels of a frame
 * @dark_q6: per row, from nst_sim_rows()
 * @ten_bits: Y10 (little-endian words), else GREY
 * @dst, @stride: eight-byte aligned both; stride in bytes
 * @box, @boxes: from nst_sim_scene_boxes() for @seq
 */
void nst_sim_render_frame(struct nst_sim_render *render, u64 seq,
			  const struct nst_sim_setting *setting,
			  const s32 *dark_q6, bool ten_bits, void *dst,
			  u32 stride, const struct nst_sim_box *box,
			  u32 boxes);

#endif /* NST_SIM_RENDER_H */
