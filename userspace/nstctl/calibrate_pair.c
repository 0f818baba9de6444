// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * calibrate_pair.c - statistics of two frames, see calibrate_pair.h
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "calibrate_pair.h"

#define TILE 32
#define PLACES 4		/* of the mosaic */
#define SIGMAS 5.0
#define ROUNDS 8
#define LEFT_LEAST 0.5		/* of the pixels */

int nst_cal_frames_init(struct nst_cal_frames *f,
			const struct nst_view_format *format,
			const struct nst_rect *rect)
{
	size_t pixels = (size_t)rect->w * rect->h;

	*f = (struct nst_cal_frames){ .format = *format, .rect = *rect };
	if (nst_view_format_check(format) || !nst_rect_inside(rect, format) ||
	    rect->w < TILE || rect->h < TILE)
		return -EINVAL;
	for (int i = 0; i < 2; i++) {
		f->pixels[i] = calloc(pixels, sizeof(u16));
		if (!f->pixels[i]) {
			nst_cal_frames_free(f);
			return -ENOMEM;
		}
	}
	return 0;
}

void nst_cal_frames_free(struct nst_cal_frames *f)
{
	for (int i = 0; i < 2; i++) {
		free(f->pixels[i]);
		f->pixels[i] = NULL;
	}
}

int nst_cal_frames_copy(struct nst_cal_frames *f, int which,
			const struct nst_view *view)
{
	int r = nst_view_check(view, &f->format);

	for (u32 y = 0; !r && y < f->rect.h; y++)
		nst_view_row(view, f->rect.x, f->rect.y + y, f->rect.w,
			     f->pixels[which] + (size_t)y * f->rect.w);
	return r;
}

/* What is kept: mean of the two near @mean's, difference near the usual. */
struct limits {
	double half, difference;
};

struct sums {
	double n, a, b, aa, bb, ab;
};

struct totals {
	double n, mean, dof;
	double aa, bb, ab;	/* about the means of the tiles */
};

static void sum_up(struct totals *t, const struct sums *s)
{
	double ma, mb;

	if (s->n < 2)
		return;
	ma = s->a / s->n;
	mb = s->b / s->n;
	t->n += s->n;
	t->dof += s->n - 1;
	t->mean += (s->a + s->b) / 2;
	t->aa += s->aa - s->n * ma * ma;
	t->bb += s->bb - s->n * mb * mb;
	t->ab += s->ab - s->n * ma * mb;
}

/*
 * One place of the mosaic in one tile, about the mean of the last round: a
 * hot pixel of a thousand neighbours moves that by little.
 */
static void tile_place(const struct nst_cal_frames *f, u32 x0, u32 y0,
		       u32 place, const struct limits *limits, double *mean,
		       struct totals *t)
{
	u32 x1 = x0 + TILE < f->rect.w ? x0 + TILE : f->rect.w;
	u32 y1 = y0 + TILE < f->rect.h ? y0 + TILE : f->rect.h;
	struct sums s = { 0 };

	for (u32 y = y0 + place / 2; y < y1; y += 2) {
		const u16 *a = f->pixels[0] + (size_t)y * f->rect.w;
		const u16 *b = f->pixels[1] + (size_t)y * f->rect.w;

		for (u32 x = x0 + place % 2; x < x1; x += 2) {
			double va = a[x] - *mean, vb = b[x] - *mean;

			if (fabs(va + vb) > 2 * limits->half ||
			    fabs(va - vb) > limits->difference)
				continue;
			s.n++;
			s.a += va;
			s.b += vb;
			s.aa += va * va;
			s.bb += vb * vb;
			s.ab += va * vb;
		}
	}
	sum_up(t, &s);
	if (s.n >= 2) {
		t->mean += s.n * *mean;
		*mean += (s.a + s.b) / 2 / s.n;
	}
}

static void pass(const struct nst_cal_frames *f, const struct limits *limits,
		 double *mean, struct totals *t)
{
	*t = (struct totals){ 0 };
	for (u32 y = 0; y < f->rect.h; y += TILE)
		for (u32 x = 0; x < f->rect.w; x += TILE)
			for (u32 place = 0; place < PLACES; place++)
				tile_place(f, x, y, place, limits, mean++, t);
}

static double temporal(const struct totals *t)
{
	return (t->aa + t->bb - 2 * t->ab) / (2 * t->dof);
}

static double fixed(const struct totals *t)
{
	return t->ab / t->dof;
}

/* Against the mean of their own tile, in dark signal. */
static void count_hot(const struct nst_cal_frames *f, const double *mean,
		      double above_dn, double black_dn,
		      struct nst_cal_hot *hot)
{
	u32 across = (f->rect.w + TILE - 1) / TILE;

	for (u32 y = 0; y < f->rect.h; y++) {
		const u16 *a = f->pixels[0] + (size_t)y * f->rect.w;
		const u16 *b = f->pixels[1] + (size_t)y * f->rect.w;

		for (u32 x = 0; x < f->rect.w; x++) {
			u32 place = 2 * (y & 1) + (x & 1);
			double m = mean[PLACES * (y / TILE * across +
						  x / TILE) + place];
			double v = (a[x] + b[x]) / 2.0, share;

			if (v - m <= above_dn || m <= black_dn)
				continue;
			share = log((v - black_dn) / (m - black_dn));
			hot->pixels++;
			hot->log_sum += share;
			hot->log2_sum += share * share;
		}
	}
	hot->of = (double)f->rect.w * f->rect.h;
}

static double clipped(const struct nst_cal_frames *f)
{
	size_t pixels = (size_t)f->rect.w * f->rect.h, n = 0;
	u32 white = nst_view_max(&f->format);

	for (size_t i = 0; i < pixels; i++)
		n += !f->pixels[0][i] || f->pixels[0][i] >= white ||
		     !f->pixels[1][i] || f->pixels[1][i] >= white;
	return (double)n / (double)pixels;
}

int nst_cal_frames_stat(const struct nst_cal_frames *f, double black_dn,
			struct nst_cal_stat *ret)
{
	u32 across = (f->rect.w + TILE - 1) / TILE;
	u32 down = (f->rect.h + TILE - 1) / TILE;
	double pixels = (double)f->rect.w * f->rect.h, last = -1;
	struct limits limits = { INFINITY, INFINITY };
	struct totals t = { 0 };
	double *mean = calloc((size_t)PLACES * across * down, sizeof(*mean));

	if (!mean)
		return -ENOMEM;
	for (int round = 0; round < ROUNDS && t.n != last; round++) {
		double half;

		last = t.n;
		pass(f, &limits, mean, &t);
		if (t.dof < LEFT_LEAST * pixels)
			break;
		half = fixed(&t) + temporal(&t) / 2;
		/* rounding of a quiet pixel has no variance to speak of */
		limits.half = SIGMAS * sqrt(half > 0.1 ? half : 0.1);
		limits.difference = SIGMAS * sqrt(2 * temporal(&t) + 0.1);
	}
	*ret = (struct nst_cal_stat){
		.pair = { t.mean / t.n, temporal(&t), fixed(&t), t.dof },
		.clipped = clipped(f),
	};
	if (black_dn > 0)
		count_hot(f, mean, limits.half, black_dn, &ret->hot);
	free(mean);
	return t.dof < LEFT_LEAST * pixels ? -ENODATA : 0;
}
