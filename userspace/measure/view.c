// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* view.c - a raw frame in memory: see view.h */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "view.h"

#define CHUNK 256

int nst_view_format_check(const struct nst_view_format *format)
{
	if (!format->width || format->width > NST_VIEW_SIDE_MAX ||
	    !format->height || format->height > NST_VIEW_SIDE_MAX)
		return -EINVAL;
	if (format->bytes == 1 ? format->bits != 8 :
	    format->bytes != 2 || format->bits < 9 || format->bits > 16)
		return -EINVAL;
	if (format->stride < format->width * format->bytes ||
	    format->stride > 16 * NST_VIEW_SIDE_MAX)
		return -EINVAL;
	return 0;
}

int nst_view_check(const struct nst_view *view,
		   const struct nst_view_format *format)
{
	const struct nst_view_format *f = &view->format;

	if (f->width != format->width || f->height != format->height ||
	    f->stride != format->stride || f->bytes != format->bytes ||
	    f->bits != format->bits)
		return -EPROTO;
	/* The padding after the last row need not be there. */
	if (!view->pixels ||
	    view->size < (size_t)f->stride * (f->height - 1) +
			 (size_t)f->width * f->bytes)
		return -EMSGSIZE;
	return 0;
}

uint32_t nst_view_max(const struct nst_view_format *format)
{
	return (1u << format->bits) - 1;
}

bool nst_rect_inside(const struct nst_rect *rect,
		     const struct nst_view_format *format)
{
	return rect->w && rect->h && rect->w <= format->width &&
	       rect->h <= format->height &&
	       rect->x <= format->width - rect->w &&
	       rect->y <= format->height - rect->h;
}

void nst_view_row(const struct nst_view *view, uint32_t x, uint32_t y,
		  uint32_t count, uint16_t *ret)
{
	const uint8_t *from = view->pixels +
			      (size_t)y * view->format.stride +
			      (size_t)x * view->format.bytes;

	if (view->format.bytes == 1) {
		for (uint32_t i = 0; i < count; i++)
			ret[i] = from[i];
		return;
	}
	memcpy(ret, from, (size_t)count * 2);
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		for (uint32_t i = 0; i < count; i++)
			ret[i] = le16toh(ret[i]);
}

struct sums {
	int64_t a, b, dd;
	uint32_t clipped;
	uint32_t bits;		/* all that are set anywhere */
};

static void add_chunk(struct sums *s, const uint16_t *a, const uint16_t *b,
		      uint32_t count, uint32_t max)
{
	for (uint32_t i = 0; i < count; i++) {
		int64_t d = (int64_t)b[i] - a[i];

		s->a += a[i];
		s->b += b[i];
		s->dd += d * d;
		s->clipped += !a[i] || !b[i] || a[i] >= max || b[i] >= max;
		s->bits |= a[i] | b[i];
	}
}

int nst_view_pair(const struct nst_view *a, const struct nst_view *b,
		  const struct nst_view_format *format,
		  const struct nst_rect *rect, struct nst_pair *ret)
{
	uint32_t max = nst_view_max(format);
	uint16_t va[CHUNK], vb[CHUNK];
	struct sums s = { 0 };
	double n, d;
	int r;

	r = nst_view_check(a, format);
	if (!r)
		r = nst_view_check(b, format);
	if (r)
		return r;
	if (!nst_rect_inside(rect, format) || rect->w * rect->h < 2)
		return -EINVAL;
	for (uint32_t y = rect->y; y < rect->y + rect->h; y++) {
		for (uint32_t x = 0; x < rect->w; x += CHUNK) {
			uint32_t count = rect->w - x < CHUNK ? rect->w - x :
							       CHUNK;

			nst_view_row(a, rect->x + x, y, count, va);
			nst_view_row(b, rect->x + x, y, count, vb);
			add_chunk(&s, va, vb, count, max);
		}
	}
	if (s.bits > max)
		return -ERANGE;
	n = (double)rect->w * rect->h;
	d = (double)(s.b - s.a);
	*ret = (struct nst_pair){
		.mean_dn = (double)(s.a + s.b) / (2 * n),
		.drift_dn = d / n,
		.temporal_dn2 = ((double)s.dd - d * d / n) / (2 * (n - 1)),
		.pixels = rect->w * rect->h,
		.clipped = s.clipped,
	};
	return 0;
}
