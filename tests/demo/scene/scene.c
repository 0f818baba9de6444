// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* scene.c - see scene.h */
#include <math.h>

#include "scene.h"

#define READ_NOISE_E	2.7
#define PRNU		0.01
#define DSNU		0.10
#define HOT_PER_MILLION	1000
#define HOT_TIMES	10.0

/* splitmix64: a good mix of any counter, so pixels need no stored state. */
static u64 mix(u64 z)
{
	z += 0x9e3779b97f4a7c15ull;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static double uniform(u64 key)
{
	return (double)(mix(key) >> 11) * 0x1p-53;
}

/* Sum of four 16-bit uniforms: close to normal, variance 4/12. */
static double normal(u64 key)
{
	u64 r = mix(key);
	double sum = 0;

	for (int i = 0; i < 4; i++, r >>= 16)
		sum += (double)(r & 0xffff) / 65536.0 - 0.5;
	return sum * 1.7320508;
}

/* What does not change from frame to frame. */
static struct {
	float share[SCENE_PIXELS_MAX];	/* of the brightest level */
	float gain[SCENE_PIXELS_MAX];	/* 1 + PRNU */
	float dark[SCENE_PIXELS_MAX];	/* dark charge over its mean */
} still;

/* A ramp with bars and a chequered corner. */
static double wall(const struct scene *s, int x, int y)
{
	double v = 0.35 + 0.25 * x / s->width + 0.1 * y / s->height;

	if ((x / 80) % 3 == 1)
		v -= 0.12;
	if (x < s->width / 4 && y > s->height / 2 && ((x / 16 + y / 16) & 1))
		v += 0.1;
	return v;
}

static void still_init(const struct scene *s)
{
	for (int y = 0; y < s->height; y++)
		for (int x = 0; x < s->width; x++) {
			int i = y * s->width + x;
			u64 k = mix(s->seed) ^ (u64)i;
			double dark = 1 + DSNU * normal(k + 1);

			if (mix(k ^ 0x686f74) % 1000000 < HOT_PER_MILLION)
				dark = HOT_TIMES;
			still.share[i] = (float)wall(s, x, y);
			still.gain[i] = (float)(1 + PRNU * normal(k));
			still.dark[i] = (float)(dark > 0 ? dark : 0);
		}
}

void scene_init(struct scene *s, int width, int height, int objects,
		double speed_px, u64 seed)
{
	*s = (struct scene){ .width = width, .height = height,
			     .objects = objects, .seed = seed };
	for (int i = 0; i < objects; i++) {
		u64 k = seed * 1000 + (u64)i * 10;
		double angle = 6.2831853 * uniform(k);
		double scale = height / 480.0;

		s->w[i] = (int)(scale * (36 + 40 * uniform(k + 1)));
		s->h[i] = (int)(scale * (36 + 40 * uniform(k + 2)));
		s->x[i] = uniform(k + 3) * (width - s->w[i]);
		s->y[i] = uniform(k + 4) * (height - s->h[i]);
		s->vx[i] = speed_px * cos(angle);
		s->vy[i] = speed_px * sin(angle);
		s->round[i] = i & 1;
		s->shade[i] = i & 2 ? 0.15 : 0.95;
	}
	still_init(s);
}

static void reflect(double *at, double *speed, double limit)
{
	if (*at < 0) {
		*at = -*at;
		*speed = -*speed;
	}
	if (*at > limit) {
		*at = 2 * limit - *at;
		*speed = -*speed;
	}
}

void scene_step(struct scene *s, int periods)
{
	for (int n = 0; n < periods; n++)
		for (int i = 0; i < s->objects; i++) {
			s->x[i] += s->vx[i];
			s->y[i] += s->vy[i];
			reflect(&s->x[i], &s->vx[i], s->width - s->w[i]);
			reflect(&s->y[i], &s->vy[i], s->height - s->h[i]);
		}
}

struct scene_box scene_box(const struct scene *s, int object)
{
	return (struct scene_box){ (int)s->x[object], (int)s->y[object],
				   s->w[object], s->h[object] };
}

double scene_dark_e(double temp_c, double exposure_s)
{
	return 244.0 * exp2((temp_c - 60.0) / 7.0) * exposure_s;
}

static bool covers(const struct scene *s, int i, const struct scene_box *b,
		   int x, int y)
{
	double dx, dy;

	if (x < b->x || y < b->y || x >= b->x + b->w || y >= b->y + b->h)
		return false;
	if (!s->round[i])
		return true;
	dx = (x + 0.5 - b->x) / b->w * 2 - 1;
	dy = (y + 0.5 - b->y) / b->h * 2 - 1;
	return dx * dx + dy * dy <= 1;
}

static double pixel_e(const struct scene_camera *c, u64 key, int i,
		      double share, bool noise)
{
	double mean = c->level_e * share;

	if (!noise)
		return mean;
	mean = mean * (double)still.gain[i] + c->dark_e * (double)still.dark[i];
	return mean + sqrt(mean + READ_NOISE_E * READ_NOISE_E) * normal(key);
}

static void put(u8 *pixels, int bits, size_t at, double share_of_full)
{
	int full = (1 << bits) - 1;
	int code = (int)floor(share_of_full * full + 0.5);

	code = code < 0 ? 0 : code > full ? full : code;
	if (bits == 8) {
		pixels[at] = (u8)code;
	} else {
		pixels[2 * at] = (u8)code;
		pixels[2 * at + 1] = (u8)(code >> 8);
	}
}

void scene_render(const struct scene *s, const struct scene_camera *camera,
		  u64 frame, bool noise, int bits, u8 *pixels)
{
	struct scene_box box[SCENE_OBJECTS_MAX];
	u64 key = mix(s->seed ^ mix(frame));

	for (int i = 0; i < s->objects; i++)
		box[i] = scene_box(s, i);
	for (int y = 0; y < s->height; y++)
		for (int x = 0; x < s->width; x++) {
			int at = y * s->width + x;
			double share = (double)still.share[at];

			for (int i = 0; i < s->objects; i++)
				if (covers(s, i, &box[i], x, y))
					share = s->shade[i];
			put(pixels, bits, (size_t)at,
			    pixel_e(camera, key + (u64)at, at, share, noise) /
			    camera->full_e);
		}
}

int scene_iou_permille(const struct scene_box *a, const struct scene_box *b)
{
	int x0 = a->x > b->x ? a->x : b->x, y0 = a->y > b->y ? a->y : b->y;
	int x1 = a->x + a->w < b->x + b->w ? a->x + a->w : b->x + b->w;
	int y1 = a->y + a->h < b->y + b->h ? a->y + a->h : b->y + b->h;
	long both, any;

	if (x1 <= x0 || y1 <= y0)
		return 0;
	both = (long)(x1 - x0) * (y1 - y0);
	any = (long)a->w * a->h + (long)b->w * b->h - both;
	return (int)(1000 * both / any);
}
