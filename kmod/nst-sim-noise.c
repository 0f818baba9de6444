// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-noise.c - pixels with the noise of their temperature
 *
 * In electrons (EMVA 1288 terms), for a pixel with response 1 + p and dark
 * pattern 1 + d, both fixed:
 *
 *	mean	 signal * (1 + p) + dark(row) * (1 + d)
 *	variance mean + read^2		photon shot, dark shot, read noise
 *
 * then gain, black level, clipping and rounding to ten bits. The shot noise
 * is drawn from a normal distribution of the right mean and variance, also
 * where a Poisson count would be below twenty or so: skewness is not
 * modelled, and what lies below zero DN is clipped, which at the black level
 * of 64 DN cuts less than 0.2 % off the read noise at ISO 6400 and nothing
 * below that.
 *
 * Speed decides how this is written: a VGA frame is 307,200 pixels, thirty a
 * second, on an emulated processor, for two cameras. Signal and PRNU of the
 * static scene are kept per pixel (base_q6) and made anew only when light,
 * gain or exposure change. What is left per pixel is one multiplication for
 * the dark pattern and one for the noise; the standard deviation comes from
 * a table over the level; four pixels are read, added and written as one
 * 64-bit word. Objects are put into a copy of their rows.
 */
#include "nst-sim-render.h"
#include "exposure.h"

#define SPAN_DN		(NST_SIM_WHITE_DN - NST_SIM_BLACK_DN)
/*
 * Levels carry half a step of the sigma table on top, so that the black level
 * is in the middle of a step: where there is no light all pixels are there.
 */
#define SIGMA_SHIFT	3	/* of a level, to its entry */
#define LEVEL_BIAS	4
#define ROUND_Q6	(32 - LEVEL_BIAS)
#define BLACK_Q6	(NST_SIM_BLACK_DN * 64 + LEVEL_BIAS)
#define LEVEL_MAX_Q6	65535
/* White under auto-iris, and at the reference light without it. */
#define WHITE_SHARE_Q6	(SPAN_DN * 64 * 7 / 10)
#define OFFICE_ISO	400
#define OFFICE_MLX	320000
#define OFFICE_US	32000

/* times the largest deviate (10 sigma of one pool) it fits 31 bits */
#define SIGMA_MAX_Q9	148000
/* sigma_q9 * deviate to a level in q6. */
#define NOISE_SHIFT	(9 - 6 + 11)
#define DSNU_SHIFT	11
#define PRNU_SHIFT	20

/* Independent streams of the same seed. */
#define SALT_PRNU	0x70726e75
#define SALT_DSNU	0x64736e75
#define SALT_HOT	0x686f7400
#define SALT_ROW	0x726f7700
#define SALT_TAIL	0x7461696c

#define HOT_MEDIAN_LOG2_Q16	217706	/* log2(10) */
#define HOT_SIGMA_LOG2_Q16	47274	/* 0.5 in natural logarithm */

#ifndef __KERNEL__
#define noinline	__attribute_noinline__
#endif

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BIG_ENDIAN_HOST	1
#define LANE16(i)	(16 * (3 - (i)))
#define LANE8(i)	(8 * (3 - (i)))
#define TO_LE16(v)	__builtin_bswap16(v)
#else
#define BIG_ENDIAN_HOST	0
#define LANE16(i)	(16 * (i))
#define LANE8(i)	(8 * (i))
#define TO_LE16(v)	(v)
#endif

static s32 clamp32(s32 v, s32 lo, s32 hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

/* ---------------------------------------------------------------- pool */

static void pool_shuffle(u16 *v, u64 seed)
{
	u32 i, j;
	u16 t;

	for (i = NST_SIM_POOL_LEN - 1; i; i--) {
		j = (u32)((nst_sim_hash(seed, i) >> 32) * (i + 1) >> 32);
		t = v[i];
		v[i] = v[j];
		v[j] = t;
	}
	for (i = 0; i < NST_SIM_WIDTH_MAX; i++)
		v[NST_SIM_POOL_LEN + i] = v[i];
}

/*
 * The quantiles (k + 1/2) / n of the normal distribution: its density is
 * summed in steps of one unit, and an entry is made whenever the sum passes
 * the next quantile. The distribution is thus as exact as its length allows:
 * no mean, a variance that is right to 0.1 %, tails to 4.3 sigma.
 */
static u64 density_q32(s32 z)
{
	/* 2^(-z^2 / (2 ln 2 * one^2)) */
	s64 x = (s64)z * z * 47274;	/* 65536 / (2 ln 2) */

	return nst_exp2_q32((s32)-nst_div_s64(x, NST_SIM_POOL_ONE *
					      NST_SIM_POOL_ONE));
}

void nst_sim_pool_init(struct nst_sim_pool *pool)
{
	const s32 end = 5 * NST_SIM_POOL_ONE;
	u64 total = 0, sum = 0;
	u32 k = 0;
	s32 z;

	for (z = -end; z <= end; z++)
		total += density_q32(z);
	for (z = -end; z <= end; z++) {
		sum += density_q32(z);
		/* sum / total > (2k + 1) / 2n; both sides below 2^62 */
		while (k < NST_SIM_POOL_LEN &&
		       (sum >> 2) * NST_SIM_POOL_LEN >
		       ((total >> 2) / 2) * (2 * (u64)k + 1))
			pool->v[0][k++] = (u16)(z + NST_SIM_POOL_BIAS);
	}
	while (k < NST_SIM_POOL_LEN)
		pool->v[0][k++] = (u16)(end + NST_SIM_POOL_BIAS);

	for (k = 0; k < NST_SIM_POOL_LEN; k++)
		pool->v[1][k] = pool->v[0][k];
	pool_shuffle(pool->v[0], 1);
	pool_shuffle(pool->v[1], 2);
}

s32 nst_sim_normal(const struct nst_sim_pool *pool, u64 hash)
{
	u32 a = hash & (NST_SIM_POOL_LEN - 1);
	u32 b = (hash >> 32) & (NST_SIM_POOL_LEN - 1);

	return pool->v[0][a] + pool->v[1][b] - 2 * NST_SIM_POOL_BIAS;
}

/* ------------------------------------------------------ fixed patterns */

u32 nst_sim_hot_count(const struct nst_sim_sensor *sensor, u32 width,
		      u32 height)
{
	return (u32)nst_div_u64((u64)width * height * sensor->hot_ppm,
				1000000);
}

/* One pixel somewhere in each stretch of equal length: sorted by itself. */
static void hot_init(struct nst_sim_render *r)
{
	u32 pixels = r->width * r->height, i, stretch;

	r->hots = nst_sim_hot_count(&r->sensor, r->width, r->height);
	if (!r->hots)
		return;
	stretch = pixels / r->hots;
	for (i = 0; i < r->hots; i++) {
		u64 h = nst_sim_hash(r->seed + SALT_HOT, i);
		s32 z = nst_sim_normal(r->pool, nst_sim_hash(h, SALT_TAIL));
		s32 x = HOT_MEDIAN_LOG2_Q16 +
			(s32)nst_div_s64((s64)z * HOT_SIGMA_LOG2_Q16,
					 NST_SIM_NORMAL_ONE);

		r->hot[i].pos = i * stretch + (u32)((h >> 32) * stretch >> 32);
		r->hot[i].factor_q8 = (u32)(nst_exp2_q32(x) >> 24);
	}
}

static void fixed_init(struct nst_sim_render *r, s8 *map, u64 salt, s32 lowest)
{
	u32 x, y;

	for (y = 0; y < r->height; y++) {
		u64 row = nst_sim_hash(r->seed + salt, y);

		for (x = 0; x < r->width; x++) {
			s32 z = nst_sim_normal(r->pool, nst_sim_hash(row, x));

			z = (z + 32) >> 6;	/* 2048 to 32 a sigma */
			*map++ = (s8)clamp32(z, lowest, 127);
		}
	}
}

void nst_sim_render_init(struct nst_sim_render *r)
{
	s32 lowest = -127;

	fixed_init(r, r->prnu, SALT_PRNU, -127);
	/* A dark current is not negative, however wide its spread. */
	if (r->sensor.dsnu_permyriad)
		lowest = -(s32)(NST_SIM_FIXED_ONE * 10000 /
				r->sensor.dsnu_permyriad);
	fixed_init(r, r->dsnu, SALT_DSNU, clamp32(lowest, -127, 0));
	hot_init(r);
	r->prepared = false;
}

/* -------------------------------------------------------- camera setting */

u32 nst_sim_gain_q16(const struct nst_sim_sensor *sensor, u32 iso)
{
	return (u32)nst_div_u64((u64)SPAN_DN * 64 * 65536 * iso,
				(u64)sensor->full_well_e * 100);
}

/* The level of white over black. */
static u64 white_q6(const struct nst_sim_setting *s)
{
	u64 ratio_q20;

	if (s->pattern == NST_SIM_PATTERN_DARK)
		return 0;
	if (s->auto_iris)
		return WHITE_SHARE_Q6;
	ratio_q20 = nst_div_u64(((u64)s->light_mlx * s->exposure_us) << 12,
				((u64)OFFICE_MLX * OFFICE_US) >> 8);
	/* 4096 times the office's light: white at any gain. */
	if (ratio_q20 > 1ull << 32)
		ratio_q20 = 1ull << 32;
	return nst_div_u64(ratio_q20 * WHITE_SHARE_Q6 * s->iso,
			   OFFICE_ISO) >> 20;
}

static void signal_init(struct nst_sim_render *r)
{
	u64 white = white_q6(&r->setting);
	u32 v;

	for (v = 0; v < 256; v++) {
		u64 level = nst_div_u64(white * v + 127, 255);

		/* Twice full scale; PRNU cannot bring it back below. */
		r->signal_q6[v] = level > 2 * LEVEL_MAX_Q6 ?
				  2 * LEVEL_MAX_Q6 : (u32)level;
	}
}

/* sqrt(electrons + read^2) * gain for the middle of each step. */
static void sigma_init(struct nst_sim_render *r)
{
	u64 read_q16 = nst_div_u64(((u64)r->sensor.read_noise_me *
				    r->sensor.read_noise_me) << 16, 1000000);
	u64 root_q8 = 0;
	u32 i;

	for (i = 0; i < NST_SIM_SIGMA_LEN; i++) {
		s64 level = (s64)(i << SIGMA_SHIFT) + LEVEL_BIAS - BLACK_Q6;
		u64 var_q16 = read_q16, sigma;

		if (level > 0)
			var_q16 += nst_div_u64((u64)level << 32, r->gain_q16);
		/* Grows with i, so the last root is where to go on. */
		while ((root_q8 + 1) * (root_q8 + 1) <= var_q16)
			root_q8++;
		sigma = root_q8 * r->gain_q16 >> (8 + 16 - 3);
		if (r->noiseless)
			sigma = 0;
		r->sigma_q9[i] = sigma > SIGMA_MAX_Q9 ? SIGMA_MAX_Q9 :
				 (u32)sigma;
	}
	/* A saturated pixel stays saturated. */
	r->sigma_q9[NST_SIM_SIGMA_LEN - 1] = 0;
}

/* Black level plus signal with PRNU. */
static u16 level_of(u32 signal_q6, s8 prnu, s32 prnu_coef)
{
	s32 signal = (s32)signal_q6;
	s32 level = BLACK_Q6 + signal +
		    (s32)(((s64)signal * prnu * prnu_coef) >> PRNU_SHIFT);

	return (u16)(level > LEVEL_MAX_Q6 ? LEVEL_MAX_Q6 : level);
}

static u16 base_level(const struct nst_sim_render *r, u8 reflectance, s8 prnu,
		      s32 prnu_coef)
{
	return level_of(r->signal_q6[reflectance], prnu, prnu_coef);
}

static s32 prnu_coef(const struct nst_sim_render *r)
{
	if (r->noiseless)
		return 0;
	return (s32)((r->sensor.prnu_permyriad << PRNU_SHIFT) /
		     (10000 * NST_SIM_FIXED_ONE));
}

static void base_init(struct nst_sim_render *r)
{
	bool flat = r->setting.pattern == NST_SIM_PATTERN_FLAT;
	s32 coef = prnu_coef(r);
	u32 dark = NST_SIM_DARK_ROWS * r->width;
	u32 i, n = r->width * r->height;

	for (i = 0; i < dark; i++)
		r->base_q6[i] = BLACK_Q6;
	for (; i < n; i++)
		r->base_q6[i] = base_level(r, flat ? 255 : r->background[i],
					   r->prnu[i], coef);
}

static bool setting_equal(const struct nst_sim_setting *a,
			  const struct nst_sim_setting *b)
{
	if (a->iso != b->iso || a->pattern != b->pattern ||
	    a->auto_iris != b->auto_iris)
		return false;
	return a->auto_iris || (a->exposure_us == b->exposure_us &&
				a->light_mlx == b->light_mlx);
}

static void prepare(struct nst_sim_render *r,
		    const struct nst_sim_setting *setting)
{
	bool gain_new = !r->prepared || r->setting.iso != setting->iso;

	if (r->prepared && setting_equal(&r->setting, setting))
		return;
	r->setting = *setting;
	if (gain_new) {
		r->gain_q16 = nst_sim_gain_q16(&r->sensor, setting->iso);
		sigma_init(r);
	}
	signal_init(r);
	base_init(r);
	r->prepared = true;
}

/* -------------------------------------------------------------- pixels */

/**
 * struct stretch - what a row of pixels is made from
 * @base: black level and signal, PRNU included
 * @dsnu: dark pattern
 * @noise: one stretch of each pool
 * @sigma: standard deviation by level
 * @dark_q6: mean dark level of the row
 * @dsnu_coef: level per unit of the dark pattern, Q11
 */
struct stretch {
	const u16 *base;
	const s8 *dsnu;
	const u16 *noise[2];
	const u32 *sigma;
	s32 dark_q6;
	s32 dsnu_coef;
};

static u64 load64(const void *p)
{
	u64 v;

	__builtin_memcpy(&v, p, sizeof(v));
	return v;
}

static u32 load32(const void *p)
{
	u32 v;

	__builtin_memcpy(&v, p, sizeof(v));
	return v;
}

static s32 finish(s32 mean, s32 deviate, const u32 *sigma)
{
	u32 i = (u32)clamp32(mean, 0, LEVEL_MAX_Q6) >> SIGMA_SHIFT;
	/* Beyond white the noise is that of white. */
	u32 s = mean > LEVEL_MAX_Q6 ? sigma[NST_SIM_SIGMA_LEN - 2] : sigma[i];

	return clamp32(mean + ROUND_Q6 + (((s32)s * deviate) >> NOISE_SHIFT), 0,
		       LEVEL_MAX_Q6);
}

/* Words of four pixels, and what their row has in common. */
struct quad {
	u64 base;
	u64 noise;
	u32 dsnu;
	s32 dark;
	s32 coef;
};

static __always_inline s32 quad_mean(const struct quad *q, int i)
{
	return (u16)(q->base >> LANE16(i)) + q->dark +
	       (((s8)(q->dsnu >> LANE8(i)) * q->coef) >> DSNU_SHIFT);
}

static __always_inline s32 quad_deviate(const struct quad *q, int i)
{
	return (s16)(q->noise >> LANE16(i));
}

static __always_inline s32 level(s32 mean, s32 deviate, const u32 *sigma)
{
	return mean + ROUND_Q6 +
	       (((s32)sigma[mean >> SIGMA_SHIFT] * deviate) >> NOISE_SHIFT);
}

static __always_inline bool beyond(s32 a, s32 b, s32 c, s32 d)
{
	return (a | b | c | d) & ~LEVEL_MAX_Q6;
}

static noinline u64 four_clipped(struct quad q, const u32 *sigma)
{
	u64 v = 0;
	int i;

	for (i = 0; i < 4; i++)
		v |= (u64)finish(quad_mean(&q, i), quad_deviate(&q, i),
				 sigma) << LANE16(i);
	return v;
}

/*
 * Four levels, rounded for the ten-bit scale, in the lanes of one word. The
 * sums of the noise do not carry into each other, as every term is below
 * 2^15; what is left of the bias is their sign bit. Written without arrays
 * and loops: the compiler flags of the kernel would leave them in memory.
 */
static __always_inline u64 four(const u16 *base_q6, const s8 *dsnu_map,
				const u16 *noise_a, const u16 *noise_b,
				const u32 *sigma, s32 dark, s32 coef)
{
	struct quad q = {
		.base = load64(base_q6),
		.noise = (load64(noise_a) + load64(noise_b)) ^
			 0x8000800080008000ULL,
		.dsnu = load32(dsnu_map),
		.dark = dark,
		.coef = coef,
	};
	s32 m0 = quad_mean(&q, 0), m1 = quad_mean(&q, 1);
	s32 m2 = quad_mean(&q, 2), m3 = quad_mean(&q, 3);
	s32 v0, v1, v2, v3;

	if (beyond(m0, m1, m2, m3))
		return four_clipped(q, sigma);
	v0 = level(m0, quad_deviate(&q, 0), sigma);
	v1 = level(m1, quad_deviate(&q, 1), sigma);
	v2 = level(m2, quad_deviate(&q, 2), sigma);
	v3 = level(m3, quad_deviate(&q, 3), sigma);
	if (beyond(v0, v1, v2, v3))
		return four_clipped(q, sigma);
	return (u64)v0 << LANE16(0) | (u64)v1 << LANE16(1) |
	       (u64)v2 << LANE16(2) | (u64)v3 << LANE16(3);
}

/* The upper eight bits of each lane. */
static noinline void row_grey(const struct stretch *s, u32 width, u8 *dst)
{
	const u32 *sigma = s->sigma;
	s32 dark = s->dark_q6, coef = s->dsnu_coef;
	u32 x, w;
	u64 v;

	for (x = 0; x < width; x += 4) {
		v = four(s->base + x, s->dsnu + x, s->noise[0] + x,
			 s->noise[1] + x, sigma, dark, coef);
		v = (v >> 8) & 0x00ff00ff00ff00ffULL;
		v |= v >> 8;
		w = (u32)((v & 0xffff) | ((v >> 16) & 0xffff0000));
		__builtin_memcpy(dst + x, &w, sizeof(w));
	}
}

/* The upper ten bits of each lane. */
static noinline void row_y10(const struct stretch *s, u32 width, u8 *dst)
{
	const u32 *sigma = s->sigma;
	s32 dark = s->dark_q6, coef = s->dsnu_coef;
	u32 x;
	u64 v;

	for (x = 0; x < width; x += 4) {
		v = four(s->base + x, s->dsnu + x, s->noise[0] + x,
			 s->noise[1] + x, sigma, dark, coef);
		v = (v >> 6) & 0x03ff03ff03ff03ffULL;
		if (BIG_ENDIAN_HOST)
			v = (v & 0x00ff00ff00ff00ffULL) << 8 |
			    (v >> 8 & 0x00ff00ff00ff00ffULL);
		__builtin_memcpy(dst + 2 * x, &v, sizeof(v));
	}
}

static void put_pixel(u8 *dst, u32 x, bool ten_bits, s32 level)
{
	if (ten_bits) {
		u16 w = TO_LE16((u16)(level >> 6));

		__builtin_memcpy(dst + 2 * x, &w, sizeof(w));
	} else {
		dst[x] = (u8)(level >> 8);
	}
}

/* The same pixel again, with a dark charge of its own. */
static void hot_pixel(const struct nst_sim_hot *hot, const struct stretch *s,
		      u32 x, bool ten_bits, u8 *dst)
{
	s64 dark = ((s64)s->dark_q6 * hot->factor_q8) >> 8;
	s32 noise = s->noise[0][x] + s->noise[1][x] - 2 * NST_SIM_POOL_BIAS;

	if (dark > 4 * LEVEL_MAX_Q6)
		dark = 4 * LEVEL_MAX_Q6;
	put_pixel(dst, x, ten_bits,
		  finish(s->base[x] + (s32)dark, noise, s->sigma));
}

/* The row of the picture from outside, nearest neighbour. */
static const u16 *row_clean(struct nst_sim_render *r, u32 y)
{
	const struct nst_sim_clean *clean = r->clean;
	const u16 *from = clean->level +
			  y * clean->height / r->height * clean->width;
	u64 white = white_q6(&r->setting);
	s32 coef = prnu_coef(r);
	u32 x, at = 0, rest = 0;

	if (white > 2 * LEVEL_MAX_Q6)
		white = 2 * LEVEL_MAX_Q6;
	for (x = 0; x < r->width; x++) {
		/* 65535 is all of it: a share of 65536 from the upper half on. */
		u32 share = from[at] + (from[at] >> 15);
		u32 signal = (u32)(white * share >> 16);

		r->line_q6[x] = level_of(signal, r->prnu[y * r->width + x],
					 coef);
		for (rest += clean->width; rest >= r->width; rest -= r->width)
			at++;
	}
	return r->line_q6;
}

/* The row with the objects in it, or the static scene's. */
static const u16 *row_base(struct nst_sim_render *r, u32 y,
			   const struct nst_sim_box *box, u32 boxes)
{
	const u16 *base = r->base_q6 + y * r->width;
	s32 coef = prnu_coef(r);
	bool copied = false;
	u32 i, j, x, w;

	if (r->clean && r->setting.pattern == NST_SIM_PATTERN_SCENE &&
	    y >= NST_SIM_DARK_ROWS)
		return row_clean(r, y);

	for (i = 0; i < boxes; i++) {
		if (!nst_sim_scene_span(&r->scene, i, &box[i], y, &x, &w))
			continue;
		if (!copied)
			__builtin_memcpy(r->line_q6, base, 2 * r->width);
		copied = true;
		for (j = x; j < x + w; j++) {
			u32 pos = y * r->width + j;
			u8 shade = nst_sim_scene_shade(&r->scene, i,
						       j - box[i].x,
						       y - box[i].y,
						       r->background[pos]);

			r->line_q6[j] = base_level(r, shade, r->prnu[pos],
						   coef);
		}
	}
	return copied ? r->line_q6 : base;
}

void nst_sim_render_frame(struct nst_sim_render *r, u64 seq,
			  const struct nst_sim_setting *setting,
			  const s32 *dark_q6, bool ten_bits, void *dst,
			  u32 stride, const struct nst_sim_box *box,
			  u32 boxes)
{
	u64 frame = nst_sim_hash(r->seed + SALT_ROW, seq);
	struct stretch s = { .sigma = r->sigma_q9 };
	u32 y, hot = 0;
	u8 *out = dst;

	prepare(r, setting);
	if (r->setting.pattern != NST_SIM_PATTERN_SCENE)
		boxes = 0;

	for (y = 0; y < r->height; y++, out += stride) {
		u64 h = nst_sim_hash(frame, y);
		u32 first = y * r->width;

		nst_sim_render_pause();
		/* Offsets are multiples of four, so words stay aligned. */
		s.noise[0] = r->pool->v[0] + (h & (NST_SIM_POOL_LEN - 4));
		s.noise[1] = r->pool->v[1] +
			     ((h >> 32) & (NST_SIM_POOL_LEN - 4));
		s.base = row_base(r, y, box, boxes);
		s.dsnu = r->dsnu + first;
		s.dark_q6 = r->noiseless ? 0 : dark_q6[y];
		s.dsnu_coef = (s32)nst_div_s64(((s64)s.dark_q6 *
						r->sensor.dsnu_permyriad) <<
					       DSNU_SHIFT,
					       10000 * NST_SIM_FIXED_ONE);
		if (ten_bits)
			row_y10(&s, r->width, out);
		else
			row_grey(&s, r->width, out);

		for (; hot < r->hots && r->hot[hot].pos < first + r->width;
		     hot++)
			hot_pixel(&r->hot[hot], &s, r->hot[hot].pos - first,
				  ten_bits, out);
	}
}
