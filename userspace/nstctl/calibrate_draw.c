// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * calibrate_draw.c - pictures of the fits
 *
 * Panels under each other: points that were measured, and through them the
 * curve of the fit in the same colour.
 */
#include <cairo/cairo-svg.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "log.h"

#define WIDTH 1000.0
#define PANEL_HEIGHT 430.0
#define TOP 46.0
#define LEFT 84.0
#define RIGHT 190.0
#define BETWEEN 84.0
#define TEXT_SIZE 13.0
#define DOT 2.6
#define DOTS_MANY 400		/* smaller ones from there on */
#define TINY (1 / 1e9)

static const double colours[NST_CAL_SERIES_MAX][3] = {
	{ 0.10, 0.42, 0.80 }, { 0.78, 0.16, 0.12 }, { 0.10, 0.50, 0.25 },
	{ 0.93, 0.45, 0.00 }, { 0.50, 0.30, 0.70 }, { 0.35, 0.35, 0.35 },
	{ 0.00, 0.55, 0.60 }, { 0.60, 0.45, 0.10 },
};

struct axis {
	double from, to;	/* values, or their logarithms */
	double at_from, at_to;	/* places */
	bool log;
};

static double place(const struct axis *a, double v)
{
	if (a->log)
		v = log10(v);
	return a->at_from + (v - a->from) / (a->to - a->from) *
				    (a->at_to - a->at_from);
}

static bool shown(const struct axis *a, double v)
{
	return isfinite(v) && (!a->log || v > 0);
}

static void ink(cairo_t *cr, double alpha)
{
	cairo_set_source_rgba(cr, 0.13, 0.15, 0.18, alpha);
}

/* -1 left of @x, 0 about it, 1 right-aligned to it */
static void text(cairo_t *cr, double x, double y, int align, const char *s)
{
	cairo_text_extents_t e;

	cairo_text_extents(cr, s, &e);
	if (!align)
		x -= e.x_advance / 2;
	else if (align > 0)
		x -= e.x_advance;
	cairo_move_to(cr, x, y);
	cairo_show_text(cr, s);
}

/* ----------------------------------------------------------------- axes */

static void stretch(struct axis *a, const double *v, int n)
{
	for (int i = 0; i < n; i++) {
		double at = v[i];

		if (!shown(a, at))
			continue;
		at = a->log ? log10(at) : at;
		a->from = fmin(a->from, at);
		a->to = fmax(a->to, at);
	}
}

static void settle(struct axis *a)
{
	double room;

	if (!(a->to >= a->from)) {
		a->from = 0;
		a->to = 1;
	}
	room = (a->to - a->from) * 0.04;
	if (room < TINY)
		room = 0.5;
	a->from -= room;
	a->to += room;
}

static double step_of(const struct axis *a, double wanted)
{
	double raw = (a->to - a->from) / wanted;
	double power = pow(10, floor(log10(raw)));
	double lead = raw / power;

	/* decades, or whole numbers of them */
	if (a->log)
		return raw < 1 ? 1 : ceil(raw);
	return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static void ticks(cairo_t *cr, const struct axis *a, const struct axis *other,
		  bool upright)
{
	double step = step_of(a, upright ? 6 : 9);

	for (double v = ceil(a->from / step - TINY) * step;
	     v <= a->to + step * TINY; v += step) {
		double shown_v = a->log ? pow(10, v) : v;
		double p = floor(place(a, shown_v)) + 0.5;
		char s[32];

		if (!a->log && fabs(v) < step * TINY)
			shown_v = 0;
		snprintf(s, sizeof(s), "%.6g", shown_v);
		ink(cr, 0.12);
		cairo_move_to(cr, upright ? other->at_from : p,
			      upright ? p : other->at_from);
		cairo_line_to(cr, upright ? other->at_to : p,
			      upright ? p : other->at_to);
		cairo_stroke(cr);
		ink(cr, 1);
		if (upright)
			text(cr, other->at_from - 8, p + TEXT_SIZE * 0.36, 1,
			     s);
		else
			text(cr, p, other->at_from + 20, 0, s);
	}
}

static void labels(cairo_t *cr, const struct nst_cal_panel *p,
		   const struct axis *x, const struct axis *y)
{
	text(cr, (x->at_from + x->at_to) / 2, y->at_from + 40, 0, p->x_label);
	text(cr, x->at_from, y->at_to - 10, -1, p->title);
	cairo_save(cr);
	cairo_translate(cr, x->at_from - 62, (y->at_from + y->at_to) / 2);
	cairo_rotate(cr, -M_PI / 2);
	text(cr, 0, 0, 0, p->y_label);
	cairo_restore(cr);
	ink(cr, 0.6);
	cairo_rectangle(cr, floor(x->at_from) + 0.5, floor(y->at_to) + 0.5,
			x->at_to - x->at_from, y->at_from - y->at_to);
	cairo_stroke(cr);
}

/* --------------------------------------------------------------- series */

static void curve(cairo_t *cr, const struct nst_cal_series *s,
		  const struct axis *x, const struct axis *y)
{
	bool begun = false;

	cairo_set_line_width(cr, 1.2);
	for (int i = 0; i < s->curves; i++) {
		if (!shown(x, s->curve_x[i]) || !shown(y, s->curve_y[i])) {
			begun = false;
			continue;
		}
		(begun ? cairo_line_to : cairo_move_to)(
			cr, place(x, s->curve_x[i]), place(y, s->curve_y[i]));
		begun = true;
	}
	cairo_stroke(cr);
	cairo_set_line_width(cr, 1);
}

static void dots(cairo_t *cr, const struct nst_cal_series *s,
		 const struct axis *x, const struct axis *y)
{
	double r = s->count > DOTS_MANY ? DOT / 2 : DOT;

	for (int i = 0; i < s->count; i++) {
		if (!shown(x, s->x[i]) || !shown(y, s->y[i]))
			continue;
		cairo_new_sub_path(cr);
		cairo_arc(cr, place(x, s->x[i]), place(y, s->y[i]), r, 0,
			  2 * M_PI);
	}
	cairo_fill(cr);
}

static void draw_panel(cairo_t *cr, const struct nst_cal_panel *p, double top)
{
	struct axis x = { INFINITY, -INFINITY, LEFT, WIDTH - RIGHT, p->x_log };
	struct axis y = { INFINITY, -INFINITY, top + PANEL_HEIGHT - BETWEEN,
			  top, p->y_log };

	for (int i = 0; i < p->count; i++) {
		const struct nst_cal_series *s = &p->series[i];

		stretch(&x, s->x, s->count);
		stretch(&y, s->y, s->count);
		if (s->count)
			continue;
		stretch(&x, s->curve_x, s->curves);
		stretch(&y, s->curve_y, s->curves);
	}
	settle(&x);
	settle(&y);
	ticks(cr, &x, &y, false);
	ticks(cr, &y, &x, true);
	labels(cr, p, &x, &y);
	for (int i = 0; i < p->count; i++) {
		const struct nst_cal_series *s = &p->series[i];
		const double *c = colours[i];
		double at = y.at_to + 14 + 20 * i;

		cairo_set_source_rgb(cr, c[0], c[1], c[2]);
		cairo_save(cr);
		cairo_rectangle(cr, x.at_from, y.at_to, x.at_to - x.at_from,
				y.at_from - y.at_to);
		cairo_clip(cr);
		dots(cr, s, &x, &y);
		cairo_set_source_rgba(cr, c[0], c[1], c[2], 0.7);
		curve(cr, s, &x, &y);
		cairo_restore(cr);
		cairo_set_source_rgb(cr, c[0], c[1], c[2]);
		cairo_arc(cr, x.at_to + 16, at - 4, 4, 0, 2 * M_PI);
		cairo_fill(cr);
		ink(cr, 1);
		text(cr, x.at_to + 28, at, -1, s->name);
	}
}

/* ----------------------------------------------------------------- file */

static cairo_status_t write_bytes(void *out, const unsigned char *bytes,
				  unsigned int len)
{
	return fwrite(bytes, 1, len, out) == len ? CAIRO_STATUS_SUCCESS
						 : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_status_t draw_all(FILE *out, bool svg, const char *title,
			       const struct nst_cal_panel *panel, int panels)
{
	double height = TOP + 20 + panels * PANEL_HEIGHT;
	cairo_surface_t *surface;
	cairo_status_t status;
	cairo_t *cr;

	surface = svg ? cairo_svg_surface_create_for_stream(write_bytes, out,
							    WIDTH, height)
		      : cairo_image_surface_create(CAIRO_FORMAT_RGB24,
						   (int)WIDTH, (int)height);
	cr = cairo_create(surface);
	cairo_set_source_rgb(cr, 1, 1, 1);
	cairo_paint(cr);
	cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
			       CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_line_width(cr, 1);
	cairo_set_font_size(cr, 17);
	ink(cr, 1);
	text(cr, LEFT, 28, -1, title);
	cairo_set_font_size(cr, TEXT_SIZE);
	for (int i = 0; i < panels; i++)
		draw_panel(cr, &panel[i], TOP + 20 + i * PANEL_HEIGHT);
	status = cairo_status(cr);
	cairo_destroy(cr);
	if (!status && !svg)
		status = cairo_surface_write_to_png_stream(surface,
							   write_bytes, out);
	cairo_surface_finish(surface);
	if (!status)
		status = cairo_surface_status(surface);
	cairo_surface_destroy(surface);
	return status;
}

int nst_cal_draw(const char *path, const char *title,
		 const struct nst_cal_panel *panel, int panels)
{
	const char *dot = strrchr(path, '.');
	FILE *out = fopen(path, "we");
	cairo_status_t status;
	int r = 0;

	if (!out)
		return nst_log_err(-errno, "%s", path);
	status = draw_all(out, dot && !strcmp(dot, ".svg"), title, panel,
			  panels);
	if (status) {
		nst_log(NST_LOG_ERR, "%s: %s", path,
			cairo_status_to_string(status));
		r = -EIO;
	}
	if (fclose(out) == EOF && !r)
		r = nst_log_err(-errno, "%s", path);
	/* Half a picture looks like a picture. */
	if (r)
		remove(path);
	return r;
}

struct nst_cal_series *nst_cal_series_add(struct nst_cal_panel *panel,
					  const char *name, int points,
					  int curves)
{
	struct nst_cal_series *s = &panel->series[panel->count];
	size_t n = (size_t)(points > 0 ? points : 1);
	size_t m = (size_t)(curves > 0 ? curves : 1);

	if (panel->count == NST_CAL_SERIES_MAX)
		return NULL;
	memset(s, 0, sizeof(*s));
	snprintf(s->name, sizeof(s->name), "%s", name);
	/* counted at once: what is there is freed with the panel */
	panel->count++;
	s->x = calloc(n, sizeof(double));
	s->y = calloc(n, sizeof(double));
	s->curve_x = calloc(m, sizeof(double));
	s->curve_y = calloc(m, sizeof(double));
	if (!s->x || !s->y || !s->curve_x || !s->curve_y)
		return NULL;
	s->count = points;
	s->curves = curves;
	return s;
}

void nst_cal_panels_free(struct nst_cal_panel *panel, int panels)
{
	for (int i = 0; i < panels; i++) {
		for (int k = 0; k < panel[i].count; k++) {
			free(panel[i].series[k].x);
			free(panel[i].series[k].y);
			free(panel[i].series[k].curve_x);
			free(panel[i].series[k].curve_y);
		}
		panel[i].count = 0;
	}
}
