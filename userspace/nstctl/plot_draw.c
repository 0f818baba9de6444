// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * plot_draw.c - text, axes and curves, see plot_draw.h
 *
 * A picture has fewer columns than a recording has frames. Where several
 * frames share a column the curves become bands from their lowest to their
 * highest value. Lines break where frames are missing and where a reading
 * was not valid: nothing is drawn across.
 */
#include <math.h>

#include "plot_draw.h"

#define GAP_PERIODS 3.5
#define TINY (1 / 1e6)
#define ACROSS_S 0.9		/* of a column: a line rather than a band */

const struct colour nst_draw_ink = { 0.13, 0.15, 0.18, 1 };
const struct colour nst_draw_faint = { 0.13, 0.15, 0.18, 0.12 };

void nst_draw_colour(cairo_t *cr, const struct colour *c, double alpha)
{
	cairo_set_source_rgba(cr, c->r, c->g, c->b, c->a * alpha);
}

double nst_draw_place(const struct scale *s, double value)
{
	return s->at_from + (value - s->from) / (s->to - s->from) *
				    (s->at_to - s->at_from);
}

/* -------------------------------------------------------------- text --- */

void nst_draw_text(cairo_t *cr, double x, double y, enum align align,
		   const char *s)
{
	cairo_text_extents_t e;

	cairo_text_extents(cr, s, &e);
	if (align == CENTRE)
		x -= e.x_advance / 2;
	else if (align == RIGHT)
		x -= e.x_advance;
	cairo_move_to(cr, x, y);
	cairo_show_text(cr, s);
}

void nst_draw_title(cairo_t *cr, double x, const char *title)
{
	cairo_set_source_rgb(cr, 1, 1, 1);
	cairo_paint(cr);
	cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
			       CAIRO_FONT_WEIGHT_BOLD);
	cairo_set_font_size(cr, 16);
	nst_draw_colour(cr, &nst_draw_ink, 1);
	nst_draw_text(cr, x, 26, LEFT, title);
	cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
			       CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, NST_DRAW_TEXT_SIZE);
}

static void text_up(cairo_t *cr, double x, double y, const char *s)
{
	cairo_save(cr);
	cairo_translate(cr, x, y);
	cairo_rotate(cr, -M_PI / 2);
	nst_draw_text(cr, 0, 0, CENTRE, s);
	cairo_restore(cr);
}

/* -------------------------------------------------------------- axes --- */

/* 1, 2 or 5 times a power of ten, for about @wanted steps. */
static double nice_step(double range, double wanted)
{
	double raw = range / wanted;
	double power = pow(10.0, floor(log10(raw)));
	double lead = raw / power;

	return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static int decimals(double step)
{
	int n = (int)ceil(-log10(step) - TINY);

	return n > 0 ? n : 0;
}

void nst_draw_axis_y(cairo_t *cr, const struct box *box,
		     const struct scale *s, const char *label, double wanted)
{
	double step = nice_step(s->to - s->from, wanted);
	char buf[32];

	cairo_set_line_width(cr, 1);
	for (double v = ceil(s->from / step - TINY) * step;
	     v <= s->to + step * TINY; v += step) {
		double y = floor(nst_draw_place(s, v)) + 0.5;

		nst_draw_colour(cr, &nst_draw_faint, 1);
		cairo_move_to(cr, box->x, y);
		cairo_line_to(cr, box->x + box->w, y);
		cairo_stroke(cr);
		snprintf(buf, sizeof(buf), "%.*f", decimals(step),
			 fabs(v) < step * TINY ? 0.0 : v);
		nst_draw_colour(cr, &nst_draw_ink, 1);
		nst_draw_text(cr, box->x - 8, y + NST_DRAW_TEXT_SIZE * 0.36, RIGHT, buf);
	}
	nst_draw_colour(cr, &nst_draw_ink, 1);
	text_up(cr, box->x - 50, box->y + box->h / 2, label);
}

void nst_draw_axis_x(cairo_t *cr, const struct scale *s,
		     const struct box *const *panels, size_t count,
		     const char *label)
{
	const struct box *last = panels[count - 1];
	double bottom = last->y + last->h;
	double step = nice_step(s->to - s->from, 10);
	char buf[32];

	cairo_set_line_width(cr, 1);
	for (double v = ceil(s->from / step - TINY) * step;
	     v <= s->to + step * TINY; v += step) {
		double x = floor(nst_draw_place(s, v)) + 0.5;

		nst_draw_colour(cr, &nst_draw_faint, 1);
		for (size_t i = 0; i < count; i++) {
			cairo_move_to(cr, x, panels[i]->y);
			cairo_line_to(cr, x, panels[i]->y + panels[i]->h);
		}
		cairo_stroke(cr);
		snprintf(buf, sizeof(buf), "%.*f", decimals(step),
			 fabs(v) < step * TINY ? 0.0 : v);
		nst_draw_colour(cr, &nst_draw_ink, 1);
		nst_draw_text(cr, x, bottom + 20, CENTRE, buf);
	}
	nst_draw_text(cr, last->x + last->w / 2, bottom + 42, CENTRE, label);
}

void nst_draw_frame_box(cairo_t *cr, const struct box *box)
{
	nst_draw_colour(cr, &nst_draw_ink, 0.6);
	cairo_set_line_width(cr, 1);
	cairo_rectangle(cr, floor(box->x) + 0.5, floor(box->y) + 0.5,
			floor(box->w), floor(box->h));
	cairo_stroke(cr);
}

/* ------------------------------------------------------------ curves --- */

bool nst_draw_is_gap(const struct nst_plot_data *data, size_t i)
{
	return data->frames[i].t_s - data->frames[i - 1].t_s >
	       GAP_PERIODS * data->period_s;
}

/* Frames of [*i, end) that fall on one column. */
struct column {
	size_t first, end;
	double low, high;		/* NAN when nothing was valid */
};

static struct column next_column(const struct canvas *c, size_t i,
				 value_fn value)
{
	const struct nst_plot_data *data = c->data;
	struct column col = { i, i, NAN, NAN };
	double x = floor(nst_draw_place(&c->time, data->frames[i].t_s));

	for (; col.end < data->count; col.end++) {
		double v = value(&data->frames[col.end]);

		if (col.end > i &&
		    (floor(nst_draw_place(&c->time, data->frames[col.end].t_s)) != x ||
		     nst_draw_is_gap(data, col.end)))
			break;
		if (isnan(v))
			continue;
		if (!(v >= col.low))
			col.low = v;
		if (!(v <= col.high))
			col.high = v;
	}
	return col;
}

/* Many frames a column: a band between lowest and highest. */
static void curve_band(struct canvas *c, const struct scale *s, value_fn value)
{
	const struct nst_plot_data *data = c->data;
	cairo_t *cr = c->cr;
	struct column col;
	double last = NAN, half = cairo_get_line_width(cr) / 2;

	cairo_set_antialias(cr, CAIRO_ANTIALIAS_NONE);
	for (size_t i = 0; i < data->count; i = col.end) {
		double x, w, y0, y1;

		col = next_column(c, i, value);
		if (isnan(col.low)) {
			last = NAN;
			continue;
		}
		if (i && nst_draw_is_gap(data, i))
			last = NAN;
		/* Columns join where one frame follows the other. */
		if (last < col.low)
			col.low = last;
		if (last > col.high)
			col.high = last;
		last = value(&data->frames[col.end - 1]);
		x = floor(nst_draw_place(&c->time, data->frames[col.first].t_s));
		w = 1;
		if (col.end < data->count && !nst_draw_is_gap(data, col.end))
			w = floor(nst_draw_place(&c->time, data->frames[col.end].t_s)) - x;
		y0 = nst_draw_place(s, col.high) - half;
		y1 = nst_draw_place(s, col.low) + half;
		cairo_rectangle(cr, x, y0, w, y1 - y0);
	}
	cairo_fill(cr);
}

/* A step from frame to frame where @steps, else straight lines. */
static void curve_line(struct canvas *c, const struct scale *s, value_fn value,
		       bool steps)
{
	const struct nst_plot_data *data = c->data;
	cairo_t *cr = c->cr;
	double last_y = NAN;

	for (size_t i = 0; i < data->count; i++) {
		double v = value(&data->frames[i]);
		double x = nst_draw_place(&c->time, data->frames[i].t_s), y;

		if (isnan(v)) {
			last_y = NAN;
			continue;
		}
		y = nst_draw_place(s, v);
		if (i && nst_draw_is_gap(data, i))
			last_y = NAN;
		if (isnan(last_y))
			cairo_move_to(cr, x, y);
		else if (steps)
			cairo_line_to(cr, x, last_y);
		/* An only point still leaves a mark: round caps. */
		cairo_line_to(cr, x, y);
		last_y = y;
		if (steps && (i + 1 == data->count || nst_draw_is_gap(data, i + 1)))
			cairo_line_to(cr,
				      nst_draw_place(&c->time, data->frames[i].t_s +
							      data->period_s),
				      y);
	}
	cairo_stroke(cr);
}

static bool is_dense(const struct canvas *c)
{
	double column_s = (c->time.to - c->time.from) / c->temp.w;

	return c->data->period_s < ACROSS_S * column_s;
}

void nst_draw_curve(struct canvas *c, const struct box *box,
		    const struct scale *s, value_fn value,
		    const struct colour *colour, double width, bool steps)
{
	cairo_t *cr = c->cr;

	cairo_save(cr);
	cairo_rectangle(cr, box->x, box->y, box->w, box->h);
	cairo_clip(cr);
	nst_draw_colour(cr, colour, 1);
	cairo_set_line_width(cr, width);
	cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
	cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
	if (is_dense(c))
		curve_band(c, s, value);
	else
		curve_line(c, s, value, steps);
	cairo_restore(cr);
}

void nst_draw_threshold(struct canvas *c, const struct scale *s,
			value_fn value, const struct colour *colour,
			const double *dash, int dash_count, double width)
{
	cairo_t *cr = c->cr;

	cairo_save(cr);
	cairo_rectangle(cr, c->temp.x, c->temp.y, c->temp.w, c->temp.h);
	cairo_clip(cr);
	nst_draw_colour(cr, colour, 1);
	cairo_set_line_width(cr, width);
	cairo_set_dash(cr, dash, dash_count, 0);
	curve_line(c, s, value, true);
	cairo_restore(cr);
}
