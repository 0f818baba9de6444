/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * view.h - a raw frame in memory, and a rectangle of it
 *
 * Monochrome or one colour plane, 8 bits in a byte or 9 to 16 bits in the
 * low end of a little-endian word of two bytes (V4L2's GREY, Y10, Y12, Y16).
 * A frame is looked at as what it claims to be: nst_view_check() says when
 * it is shorter, nst_region_add() when a value does not fit its bits.
 */
#ifndef NST_MEASURE_VIEW_H
#define NST_MEASURE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NST_VIEW_SIDE_MAX 16384u

/**
 * struct nst_view_format - how pixels lie in memory
 * @stride: bytes from row to row, at least @width * @bytes
 * @bytes: of a pixel, 1 or 2
 * @bits: of a value: 8 in one byte, 9 to 16 in two
 */
struct nst_view_format {
	uint32_t width;
	uint32_t height;
	uint32_t stride;
	uint32_t bytes;
	uint32_t bits;
};

/**
 * struct nst_view - a frame
 * @size: bytes that are there, V4L2's bytesused
 */
struct nst_view {
	struct nst_view_format format;
	const uint8_t *pixels;
	size_t size;
};

struct nst_rect {
	uint32_t x, y, w, h;
};

/** nst_view_format_check() - 0, or -EINVAL */
int nst_view_format_check(const struct nst_view_format *format);

/**
 * nst_view_check() - is it a whole frame of this format?
 * Return: 0; -EPROTO for another format; -EMSGSIZE when it is truncated.
 */
int nst_view_check(const struct nst_view *view,
		   const struct nst_view_format *format);

/** nst_view_max() - largest value, white */
uint32_t nst_view_max(const struct nst_view_format *format);

/** nst_rect_inside() - is all of it in a frame of this format? */
bool nst_rect_inside(const struct nst_rect *rect,
		     const struct nst_view_format *format);

/** nst_view_row() - @count values of row @y from column @x on */
void nst_view_row(const struct nst_view *view, uint32_t x, uint32_t y,
		  uint32_t count, uint16_t *ret);

/**
 * struct nst_pair - two frames of the same scene
 * @mean_dn: of both
 * @drift_dn: by how much the second is brighter
 * @temporal_dn2: variance of a pixel from frame to frame: half that of the
 *	difference about its mean, so that a drift of light does not count.
 *	Quantisation (1/12) is in it.
 * @pixels, @clipped: how many, and how many of them at 0 or at white in one
 *	of the frames: above a few permille the variance is too small
 */
struct nst_pair {
	double mean_dn;
	double drift_dn;
	double temporal_dn2;
	uint32_t pixels;
	uint32_t clipped;
};

/**
 * nst_view_pair() - photon transfer: one point of mean against variance
 * Return: 0; -EINVAL for a rectangle beyond the frame or of less than two
 * pixels; as nst_view_check() for each of the frames; -ERANGE for a value
 * that does not fit the bits.
 */
int nst_view_pair(const struct nst_view *a, const struct nst_view *b,
		  const struct nst_view_format *format,
		  const struct nst_rect *rect, struct nst_pair *ret);

#endif /* NST_MEASURE_VIEW_H */
