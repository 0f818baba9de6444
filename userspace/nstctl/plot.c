// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * plot.c - a recording of one sensor as a picture
 *
 * Three panels over one time axis: temperatures against their limits with
 * the seasons as shades behind; who processed the frames and which of them
 * were not delivered; power of the system.
 *
 * A picture has fewer columns than a recording has frames. Where several
 * frames share a column the curves become bands from their lowest to their
 * highest value, and shades mix by their share. Lines break where frames
 * are missing and where a reading was not valid: nothing is drawn across.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

#define MARGIN_LEFT 70.0
#define MARGIN_RIGHT 22.0
#define MARGIN_TOP 92.0
#define MARGIN_BOTTOM 56.0
#define STRIP_HEIGHT 64.0
#define SPACE 34.0
#define TEXT_SIZE 13.0
#define GAP_PERIODS 3.5
#define NEARBY_MC 25000
#define TINY (1 / 1e6)
#define ACROSS_S 0.9		/* of a column: a line rather than a band */

struct colour {
	double r, g, b, a;
};

static const struct colour ink = { 0.13, 0.15, 0.18, 1 };
static const struct colour faint = { 0.13, 0.15, 0.18, 0.12 };
static const struct colour die_colour = { 0.78, 0.16, 0.12, 1 };
static const struct colour exposure_colour = { 0.70, 0.55, 0.85, 1 };
static const struct colour limit_colour = { 0.93, 0.45, 0.00, 1 };
static const struct colour high_colour = { 0.80, 0.10, 0.35, 1 };
static const struct colour low_colour = { 0.10, 0.42, 0.80, 1 };
static const struct colour max_colour = { 0.10, 0.10, 0.10, 1 };
static const struct colour ambient_colour = { 0.10, 0.50, 0.25, 1 };
static const struct colour power_colour = { 0.20, 0.30, 0.40, 1 };

static const struct colour placement_colour[NST_PLACEMENT_COUNT] = {
	[NST_NEAR] = { 0.30, 0.69, 0.31, 1 },
	[NST_FAR] = { 0.26, 0.53, 0.92, 1 },
	[NST_PAUSED] = { 0.62, 0.62, 0.62, 1 },
};

struct box {
	double x, y, w, h;
};

struct scale {
	double from, to;		/* values */
	double at_from, at_to;		/* places */
};

struct canvas {
	cairo_t *cr;
	const struct nst_plot_data *data;
	struct scale time, celsius;
	struct box temp, strip, power;
};

static void set_colour(cairo_t *cr, const struct colour *c, double alpha)
{
	cairo_set_source_rgba(cr, c->r, c->g, c->b, c->a * alpha);
}

static double place(const struct scale *s, double value)
{
	return s->at_from + (value - s->from) / (s->to - s->from) *
				    (s->at_to - s->at_from);
}

/* -------------------------------------------------------------- text --- */

enum align { LEFT, CENTRE, RIGHT };

static void text(cairo_t *cr, double x, double y, enum align align,
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

static void text_up(cairo_t *cr, double x, double y, const char *s)
{
	cairo_save(cr);
	cairo_translate(cr, x, y);
	cairo_rotate(cr, -M_PI / 2);
	text(cr, 0, 0, CENTRE, s);
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

static void axis_y(struct canvas *c, const struct box *box,
		   const struct scale *s, const char *label, double wanted)
{
	double step = nice_step(s->to - s->from, wanted);
	cairo_t *cr = c->cr;
	char buf[32];

	cairo_set_line_width(cr, 1);
	for (double v = ceil(s->from / step - TINY) * step;
	     v <= s->to + step * TINY; v += step) {
		double y = floor(place(s, v)) + 0.5;

		set_colour(cr, &faint, 1);
		cairo_move_to(cr, box->x, y);
		cairo_line_to(cr, box->x + box->w, y);
		cairo_stroke(cr);
		snprintf(buf, sizeof(buf), "%.*f", decimals(step),
			 fabs(v) < step * TINY ? 0.0 : v);
		set_colour(cr, &ink, 1);
		text(cr, box->x - 8, y + TEXT_SIZE * 0.36, RIGHT, buf);
	}
	set_colour(cr, &ink, 1);
	text_up(cr, box->x - 50, box->y + box->h / 2, label);
}

static void axis_time(struct canvas *c)
{
	double bottom = c->power.y + c->power.h;
	double step = nice_step(c->time.to - c->time.from, 10);
	const struct box *panels[] = { &c->temp, &c->power };
	cairo_t *cr = c->cr;
	char buf[32];

	cairo_set_line_width(cr, 1);
	for (double v = ceil(c->time.from / step - TINY) * step;
	     v <= c->time.to + step * TINY; v += step) {
		double x = floor(place(&c->time, v)) + 0.5;

		set_colour(cr, &faint, 1);
		for (size_t i = 0; i < 2; i++) {
			cairo_move_to(cr, x, panels[i]->y);
			cairo_line_to(cr, x, panels[i]->y + panels[i]->h);
		}
		cairo_stroke(cr);
		snprintf(buf, sizeof(buf), "%.*f", decimals(step),
			 fabs(v) < step * TINY ? 0.0 : v);
		set_colour(cr, &ink, 1);
		text(cr, x, bottom + 20, CENTRE, buf);
	}
	text(cr, c->temp.x + c->temp.w / 2, bottom + 42, CENTRE,
	     "time since the start of the recording, s");
}

static void frame_box(cairo_t *cr, const struct box *box)
{
	set_colour(cr, &ink, 0.6);
	cairo_set_line_width(cr, 1);
	cairo_rectangle(cr, floor(box->x) + 0.5, floor(box->y) + 0.5,
			floor(box->w), floor(box->h));
	cairo_stroke(cr);
}

/* ------------------------------------------------------------ curves --- */

typedef double (*value_fn)(const struct nst_plot_frame *f);

static double temp_c(s32 mc)
{
	return mc == NST_TEMP_NONE_MC ? NAN : mc / 1000.0;
}

static double die_c(const struct nst_plot_frame *f)
{
	return temp_c(f->temp_mc);
}

static double exposure_c(const struct nst_plot_frame *f)
{
	return temp_c(f->exposure_mc);
}

static double limit_c(const struct nst_plot_frame *f)
{
	return temp_c(f->limit_mc);
}

static double high_c(const struct nst_plot_frame *f)
{
	return temp_c(f->high_mc);
}

static double low_c(const struct nst_plot_frame *f)
{
	return temp_c(f->low_mc);
}

static double max_c(const struct nst_plot_frame *f)
{
	return temp_c(f->max_mc);
}

static double ambient_c(const struct nst_plot_frame *f)
{
	return temp_c(f->ambient_mc);
}

static double power_w(const struct nst_plot_frame *f)
{
	return f->power_mw / 1000.0;
}

static bool is_gap(const struct nst_plot_data *data, size_t i)
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
	double x = floor(place(&c->time, data->frames[i].t_s));

	for (; col.end < data->count; col.end++) {
		double v = value(&data->frames[col.end]);

		if (col.end > i &&
		    (floor(place(&c->time, data->frames[col.end].t_s)) != x ||
		     is_gap(data, col.end)))
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
		if (i && is_gap(data, i))
			last = NAN;
		/* Columns join where one frame follows the other. */
		if (last < col.low)
			col.low = last;
		if (last > col.high)
			col.high = last;
		last = value(&data->frames[col.end - 1]);
		x = floor(place(&c->time, data->frames[col.first].t_s));
		w = 1;
		if (col.end < data->count && !is_gap(data, col.end))
			w = floor(place(&c->time, data->frames[col.end].t_s)) - x;
		y0 = place(s, col.high) - half;
		y1 = place(s, col.low) + half;
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
		double x = place(&c->time, data->frames[i].t_s), y;

		if (isnan(v)) {
			last_y = NAN;
			continue;
		}
		y = place(s, v);
		if (i && is_gap(data, i))
			last_y = NAN;
		if (isnan(last_y))
			cairo_move_to(cr, x, y);
		else if (steps)
			cairo_line_to(cr, x, last_y);
		/* An only point still leaves a mark: round caps. */
		cairo_line_to(cr, x, y);
		last_y = y;
		if (steps && (i + 1 == data->count || is_gap(data, i + 1)))
			cairo_line_to(cr,
				      place(&c->time, data->frames[i].t_s +
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

static void curve(struct canvas *c, const struct box *box,
		  const struct scale *s, value_fn value,
		  const struct colour *colour, double width, bool steps)
{
	cairo_t *cr = c->cr;

	cairo_save(cr);
	cairo_rectangle(cr, box->x, box->y, box->w, box->h);
	cairo_clip(cr);
	set_colour(cr, colour, 1);
	cairo_set_line_width(cr, width);
	cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
	cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
	if (is_dense(c))
		curve_band(c, s, value);
	else
		curve_line(c, s, value, steps);
	cairo_restore(cr);
}

/* Thresholds: thin steps, dashed, at whatever density. */
static void threshold(struct canvas *c, const struct scale *s, value_fn value,
		      const struct colour *colour, const double *dash,
		      int dash_count, double width)
{
	cairo_t *cr = c->cr;

	cairo_save(cr);
	cairo_rectangle(cr, c->temp.x, c->temp.y, c->temp.w, c->temp.h);
	cairo_clip(cr);
	set_colour(cr, colour, 1);
	cairo_set_line_width(cr, width);
	cairo_set_dash(cr, dash, dash_count, 0);
	curve_line(c, s, value, true);
	cairo_restore(cr);
}

/* ------------------------------------------------------------ panels --- */

/* What the frames of one column say, as shares of them. */
struct mix {
	double x, w;
	double placed[NST_PLACEMENT_COUNT];
	double dropped, withheld;
	size_t end;
};

static void next_mix(const struct canvas *c, size_t i, struct mix *m)
{
	const struct nst_plot_data *data = c->data;
	double right = c->temp.x + c->temp.w, until_s, count;

	memset(m, 0, sizeof(*m));
	m->x = floor(place(&c->time, data->frames[i].t_s));
	for (m->end = i; m->end < data->count; m->end++) {
		const struct nst_plot_frame *f = &data->frames[m->end];

		if (m->end > i && (floor(place(&c->time, f->t_s)) != m->x ||
				   is_gap(data, m->end)))
			break;
		m->placed[f->placement]++;
		m->withheld += f->withheld;
		m->dropped += !f->delivered && !f->withheld;
	}
	count = (double)(m->end - i);
	for (int p = 0; p < NST_PLACEMENT_COUNT; p++)
		m->placed[p] /= count;
	m->withheld /= count;
	m->dropped /= count;

	until_s = data->frames[m->end - 1].t_s + data->period_s;
	if (m->end < data->count && !is_gap(data, m->end))
		until_s = data->frames[m->end].t_s;
	m->w = floor(place(&c->time, until_s));
	if (m->w > right)
		m->w = right;
	m->w -= m->x;
	if (m->w < 1)
		m->w = 1;
}

static bool same_mix(const struct mix *a, const struct mix *b)
{
	return a->x + a->w == b->x &&
	       !memcmp(a->placed, b->placed, sizeof(a->placed));
}

static void shade_one(cairo_t *cr, const struct box *box, const struct mix *m,
		      double alpha)
{
	struct colour mixed = { 0, 0, 0, 1 };

	for (int p = 0; p < NST_PLACEMENT_COUNT; p++) {
		mixed.r += m->placed[p] * placement_colour[p].r;
		mixed.g += m->placed[p] * placement_colour[p].g;
		mixed.b += m->placed[p] * placement_colour[p].b;
	}
	set_colour(cr, &mixed, alpha);
	cairo_rectangle(cr, m->x, box->y, m->w, box->h);
	cairo_fill(cr);
}

/* Placements as shades; columns that hold several mix by their share. */
static void shade(struct canvas *c, const struct box *box, double alpha)
{
	struct mix run = { .w = 0 }, m;

	cairo_save(c->cr);
	cairo_set_antialias(c->cr, CAIRO_ANTIALIAS_NONE);
	for (size_t i = 0; i < c->data->count; i = m.end) {
		next_mix(c, i, &m);
		if (run.w > 0 && same_mix(&run, &m)) {
			run.w += m.w;
			continue;
		}
		if (run.w > 0)
			shade_one(c->cr, box, &run, alpha);
		run = m;
	}
	shade_one(c->cr, box, &run, alpha);
	cairo_restore(c->cr);
}

/* Frames that nobody got: the fuller the colour the more of them. */
static void lost_marks(struct canvas *c, const struct box *box)
{
	cairo_t *cr = c->cr;
	struct mix m;

	cairo_save(cr);
	cairo_set_antialias(cr, CAIRO_ANTIALIAS_NONE);
	for (size_t i = 0; i < c->data->count; i = m.end) {
		next_mix(c, i, &m);
		if (m.dropped > 0) {
			set_colour(cr, &ink, 0.2 + 0.6 * m.dropped);
			cairo_rectangle(cr, m.x, box->y, m.w, box->h);
			cairo_fill(cr);
		}
		if (m.withheld > 0) {
			set_colour(cr, &die_colour, 0.3 + 0.7 * m.withheld);
			cairo_rectangle(cr, m.x, box->y, m.w, box->h);
			cairo_fill(cr);
		}
	}
	cairo_restore(cr);
}

static void include(struct scale *s, double v)
{
	if (isnan(v))
		return;
	if (!(s->from <= v))
		s->from = v;
	if (!(s->to >= v))
		s->to = v;
}

/* Range of what was measured, and of the thresholds that are near to it. */
static void temp_range(const struct nst_plot_data *data, struct scale *s)
{
	static const value_fn thresholds[] = { limit_c, high_c, low_c, max_c };
	struct scale measured, all;

	measured.from = NAN;
	measured.to = NAN;
	for (size_t i = 0; i < data->count; i++) {
		include(&measured, die_c(&data->frames[i]));
		include(&measured, exposure_c(&data->frames[i]));
	}
	if (isnan(measured.from)) {
		for (size_t i = 0; i < data->count; i++) {
			include(&measured, high_c(&data->frames[i]));
			include(&measured, low_c(&data->frames[i]));
		}
	}
	if (isnan(measured.from)) {
		measured.from = 0;
		measured.to = 100;
	}
	all = measured;
	for (size_t i = 0; i < data->count; i++) {
		for (size_t j = 0; j < 4; j++) {
			double v = thresholds[j](&data->frames[i]);

			if (v > measured.from - NEARBY_MC / 1000.0 &&
			    v < measured.to + NEARBY_MC / 1000.0 / (j == 3 ? 4 : 1))
				include(&all, v);
		}
	}
	s->from = floor(all.from / 5 - 0.2) * 5;
	s->to = ceil(all.to / 5 + 0.2) * 5;
}

static void pointer(cairo_t *cr, double x, double foot)
{
	cairo_move_to(cr, x - 4, foot);
	cairo_line_to(cr, x, foot - 11);
	cairo_line_to(cr, x + 4, foot);
	cairo_close_path(cr);
}

/* No reading to believe: a mark at the foot, never a number. */
static void blind_marks(struct canvas *c)
{
	const struct nst_plot_data *data = c->data;
	cairo_t *cr = c->cr;

	set_colour(cr, &ink, 1);
	for (size_t i = 0; i < data->count; i++) {
		if (data->frames[i].blind)
			pointer(cr, place(&c->time, data->frames[i].t_s),
				c->temp.y + c->temp.h);
	}
	cairo_fill(cr);
}

static void draw_temp(struct canvas *c)
{
	static const double dashes[] = { 7, 4 }, dots[] = { 1.5, 3 };
	struct scale s = c->celsius;

	shade(c, &c->temp, 0.17);
	axis_y(c, &c->temp, &s, "temperature, \302\260C", 8);
	threshold(c, &s, ambient_c, &ambient_colour, dots, 2, 1.5);
	threshold(c, &s, max_c, &max_colour, dots, 2, 1.5);
	threshold(c, &s, limit_c, &limit_colour, NULL, 0, 3);
	curve(c, &c->temp, &s, exposure_c, &exposure_colour, 4, false);
	curve(c, &c->temp, &s, die_c, &die_colour, 1.5, false);
	threshold(c, &s, high_c, &high_colour, dashes, 2, 1.5);
	threshold(c, &s, low_c, &low_colour, dashes, 2, 1.5);
	blind_marks(c);
	frame_box(c->cr, &c->temp);
}

static void draw_strip(struct canvas *c)
{
	struct box bar = c->strip, lost = c->strip, marks;
	cairo_t *cr = c->cr;

	bar.h = c->strip.h * 0.6;
	lost.y = bar.y + bar.h;
	lost.h = c->strip.h - bar.h;
	shade(c, &bar, 0.9);
	marks = lost;
	marks.y += lost.h * 0.2;
	marks.h -= lost.h * 0.4;
	lost_marks(c, &marks);
	set_colour(cr, &ink, 1);
	text(cr, bar.x - 8, bar.y + bar.h / 2 + 4, RIGHT, "who");
	text(cr, lost.x - 8, lost.y + lost.h / 2 + 5, RIGHT, "lost");
	set_colour(cr, &ink, 0.6);
	cairo_set_line_width(cr, 1);
	cairo_move_to(cr, lost.x, floor(lost.y) + 0.5);
	cairo_line_to(cr, lost.x + lost.w, floor(lost.y) + 0.5);
	cairo_stroke(cr);
	frame_box(cr, &c->strip);
}

static double mean_power_w(const struct nst_plot_data *data)
{
	double sum = 0;

	for (size_t i = 0; i < data->count; i++)
		sum += power_w(&data->frames[i]);
	return sum / (double)data->count;
}

static void draw_power(struct canvas *c)
{
	double mean = mean_power_w(c->data), y;
	struct scale s = { 0, 0.1, c->power.y + c->power.h, c->power.y };
	static const double dash[] = { 3, 3 };
	cairo_t *cr = c->cr;
	char buf[48];

	for (size_t i = 0; i < c->data->count; i++)
		include(&s, power_w(&c->data->frames[i]));
	s.to *= 1.15;
	axis_y(c, &c->power, &s, "power, W", 4);
	curve(c, &c->power, &s, power_w, &power_colour, 1.5, true);
	y = floor(place(&s, mean)) + 0.5;
	set_colour(cr, &limit_colour, 1);
	cairo_set_line_width(cr, 1.5);
	cairo_set_dash(cr, dash, 2, 0);
	cairo_move_to(cr, c->power.x, y);
	cairo_line_to(cr, c->power.x + c->power.w, y);
	cairo_stroke(cr);
	cairo_set_dash(cr, NULL, 0, 0);
	frame_box(cr, &c->power);
	set_colour(cr, &ink, 1);
	/* what a switch takes is in the report, not in a frame */
	snprintf(buf, sizeof(buf), "mean %.2f W (model, without switches)",
		 mean);
	text(cr, c->power.x + c->power.w, c->power.y - 8, RIGHT, buf);
	text(cr, c->power.x, c->power.y - 8, LEFT, "power of the whole system");
}

/* ------------------------------------------------------------ legend --- */

struct entry {
	const char *name;
	const struct colour *colour;
	enum { LINE, DASHED, DOTTED, AREA, MARK, POINTER } kind;
	bool shown;
};

static double legend_entry(cairo_t *cr, double x, double y,
			   const struct entry *e)
{
	static const double dashes[] = { 7, 4 }, dots[] = { 1.5, 3 };
	cairo_text_extents_t ext;

	set_colour(cr, e->colour, e->kind == AREA ? 0.55 : 1);
	cairo_set_line_width(cr, 2);
	if (e->kind == AREA) {
		cairo_rectangle(cr, x, y - 10, 24, 11);
		cairo_fill(cr);
	} else if (e->kind == MARK) {
		cairo_rectangle(cr, x + 8, y - 10, 8, 11);
		cairo_fill(cr);
	} else if (e->kind == POINTER) {
		pointer(cr, x + 12, y + 1);
		cairo_fill(cr);
	} else {
		if (e->kind == DASHED)
			cairo_set_dash(cr, dashes, 2, 0);
		else if (e->kind == DOTTED)
			cairo_set_dash(cr, dots, 2, 0);
		cairo_move_to(cr, x, y - 4.5);
		cairo_line_to(cr, x + 24, y - 4.5);
		cairo_stroke(cr);
		cairo_set_dash(cr, NULL, 0, 0);
	}
	set_colour(cr, &ink, 1);
	text(cr, x + 30, y, LEFT, e->name);
	cairo_text_extents(cr, e->name, &ext);
	return x + 30 + ext.x_advance + 18;
}

/* Is any of it inside the temperature panel? */
static bool any(const struct canvas *c, value_fn value)
{
	for (size_t i = 0; i < c->data->count; i++) {
		double v = value(&c->data->frames[i]);

		if (v >= c->celsius.from && v <= c->celsius.to)
			return true;
	}
	return false;
}

static void legend(struct canvas *c)
{
	const struct nst_plot_data *data = c->data;
	struct entry entries[] = {
		{ "die", &die_colour, LINE, any(c, die_c) },
		{ "exposure of the frame", &exposure_colour, LINE,
		  any(c, exposure_c) },
		{ "limit of the task", &limit_colour, LINE,
		  any(c, limit_c) },
		{ "T_high", &high_colour, DASHED, any(c, high_c) },
		{ "T_low", &low_colour, DASHED, any(c, low_c) },
		{ "ceiling", &max_colour, DOTTED, any(c, max_c) },
		{ "ambient", &ambient_colour, DOTTED, any(c, ambient_c) },
		{ "near", &placement_colour[NST_NEAR], AREA, false },
		{ "far", &placement_colour[NST_FAR], AREA, false },
		{ "paused", &placement_colour[NST_PAUSED], AREA, false },
		{ "dropped", &ink, MARK, false },
		{ "withheld: too hot", &die_colour, MARK, false },
		{ "no valid reading", &ink, POINTER, false },
	};
	double x = c->temp.x, y = 52;

	for (size_t i = 0; i < data->count; i++) {
		const struct nst_plot_frame *f = &data->frames[i];

		entries[7 + f->placement].shown = true;
		entries[10].shown |= !f->delivered && !f->withheld;
		entries[11].shown |= f->withheld;
		entries[12].shown |= f->blind;
	}
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		/* curves in the first line, shades and marks in the second */
		if (i == 7) {
			x = c->temp.x;
			y += 22;
		}
		if (entries[i].shown)
			x = legend_entry(c->cr, x, y, &entries[i]);
	}
}

void nst_plot_draw(cairo_t *cr, double width, double height,
		   const struct nst_plot_data *data, const char *title)
{
	struct canvas c = { .cr = cr, .data = data };
	const struct nst_plot_frame *last = &data->frames[data->count - 1];
	double w = width - MARGIN_LEFT - MARGIN_RIGHT;
	double h = height - MARGIN_TOP - MARGIN_BOTTOM - STRIP_HEIGHT -
		   SPACE - 12;

	c.temp = (struct box){ MARGIN_LEFT, MARGIN_TOP, w, h * 0.72 };
	c.strip = (struct box){ MARGIN_LEFT, c.temp.y + c.temp.h + 12, w,
				STRIP_HEIGHT };
	c.power = (struct box){ MARGIN_LEFT, c.strip.y + c.strip.h + SPACE, w,
				h * 0.28 };
	c.time = (struct scale){ data->frames[0].t_s,
				 last->t_s + data->period_s, c.temp.x,
				 c.temp.x + w };

	temp_range(data, &c.celsius);
	c.celsius.at_from = c.temp.y + c.temp.h;
	c.celsius.at_to = c.temp.y;

	cairo_set_source_rgb(cr, 1, 1, 1);
	cairo_paint(cr);
	cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
			       CAIRO_FONT_WEIGHT_BOLD);
	cairo_set_font_size(cr, 16);
	set_colour(cr, &ink, 1);
	text(cr, c.temp.x, 26, LEFT, title);
	cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
			       CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, TEXT_SIZE);
	legend(&c);
	draw_temp(&c);
	draw_strip(&c);
	draw_power(&c);
	axis_time(&c);
}
