// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* picture.c - see picture.h */
#include <errno.h>
#include <string.h>

#include <cairo.h>

#include "picture.h"

#define CAPTION_HEIGHT 26

/* Cairo has no grey format that can be painted: widen to 32 bits. */
static cairo_surface_t *surface_from_grey(const struct nst_picture *p)
{
	cairo_surface_t *s;
	unsigned char *data;
	int stride;

	s = cairo_image_surface_create(CAIRO_FORMAT_RGB24, p->width,
				       p->height + CAPTION_HEIGHT);
	if (cairo_surface_status(s) != CAIRO_STATUS_SUCCESS)
		return s;
	data = cairo_image_surface_get_data(s);
	stride = cairo_image_surface_get_stride(s);
	memset(data, 0, (size_t)stride * (size_t)(p->height + CAPTION_HEIGHT));
	for (int y = 0; y < p->height; y++) {
		const unsigned char *from = p->pixels +
			(size_t)y * (size_t)p->stride;
		unsigned char *to = data + (size_t)y * (size_t)stride;

		for (int x = 0; x < p->width; x++, to += 4)
			memset(to, from[x], 3);
	}
	cairo_surface_mark_dirty(s);
	return s;
}

static void draw_box(cairo_t *cr, const struct nst_box *box)
{
	cairo_rectangle(cr, box->x + 0.5, box->y + 0.5, box->w - 1,
			box->h - 1);
	cairo_stroke(cr);
}

static void draw_caption(cairo_t *cr, const struct nst_picture *p)
{
	cairo_set_source_rgb(cr, 1, 1, 1);
	cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
			       CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, 15);
	cairo_move_to(cr, 8, p->height + 18);
	cairo_show_text(cr, p->caption);
}

int nst_picture_write(const struct nst_picture *picture, const char *path)
{
	static const double dashes[] = { 6, 4 };
	cairo_surface_t *s = surface_from_grey(picture);
	cairo_t *cr = cairo_create(s);
	cairo_status_t status;

	cairo_set_line_width(cr, 2);
	cairo_set_source_rgb(cr, 0.25, 0.9, 0.35);
	cairo_set_dash(cr, dashes, 2, 0);
	for (unsigned int i = 0; i < picture->truth_count; i++)
		draw_box(cr, &picture->truth[i]);
	cairo_set_dash(cr, NULL, 0, 0);
	for (unsigned int i = 0; i < picture->found_count; i++) {
		if (picture->found_matched && !picture->found_matched[i])
			cairo_set_source_rgb(cr, 0.95, 0.2, 0.2);
		else
			cairo_set_source_rgb(cr, 1, 0.65, 0.1);
		draw_box(cr, &picture->found[i]);
	}
	if (picture->caption)
		draw_caption(cr, picture);

	status = cairo_status(cr);
	cairo_destroy(cr);
	if (status == CAIRO_STATUS_SUCCESS)
		status = cairo_surface_write_to_png(s, path);
	cairo_surface_destroy(s);
	if (status == CAIRO_STATUS_NO_MEMORY)
		return -ENOMEM;
	return status == CAIRO_STATUS_SUCCESS ? 0 : -EIO;
}
