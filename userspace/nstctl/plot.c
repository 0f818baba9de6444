// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * plot.c - recordings of a sensor as a picture
 *
 * Panels over one time axis: temperatures against their limits with the
 * seasons as shades behind; who processed the frames and which of them were
 * not delivered; power of the system. Of two recordings each has the first
 * two, and the last has what came of it: frames delivered so far, or energy
 * where none were lost.
 *
 * A picture has fewer columns than a recording has frames: shades of a column
 * mix by their share.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "plot_draw.h"

#define MARGIN_LEFT 70.0
#define MARGIN_RIGHT 22.0
#define MARGIN_TOP 92.0
#define MARGIN_BOTTOM 56.0
#define STRIP_HEIGHT 64.0
#define SPACE 34.0
#define CAPTION 26.0
#define NEARBY_MC 25000

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


static const struct colour lane_colour[NST_PLOT_LANES_MAX] = {
	{ 0.05, 0.40, 0.55, 1 },
	{ 0.75, 0.35, 0.05, 1 },
};

/* ------------------------------------------------------------ values --- */

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
	m->x = floor(nst_draw_place(&c->time, data->frames[i].t_s));
	for (m->end = i; m->end < data->count; m->end++) {
		const struct nst_plot_frame *f = &data->frames[m->end];

		if (m->end > i && (floor(nst_draw_place(&c->time, f->t_s)) != m->x ||
				   nst_draw_is_gap(data, m->end)))
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
	if (m->end < data->count && !nst_draw_is_gap(data, m->end))
		until_s = data->frames[m->end].t_s;
	m->w = floor(nst_draw_place(&c->time, until_s));
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
	nst_draw_colour(cr, &mixed, alpha);
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
			nst_draw_colour(cr, &nst_draw_ink, 0.2 + 0.6 * m.dropped);
			cairo_rectangle(cr, m.x, box->y, m.w, box->h);
			cairo_fill(cr);
		}
		if (m.withheld > 0) {
			nst_draw_colour(cr, &die_colour, 0.3 + 0.7 * m.withheld);
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
	include(s, floor(all.from / 5 - 0.2) * 5);
	include(s, ceil(all.to / 5 + 0.2) * 5);
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

	nst_draw_colour(cr, &nst_draw_ink, 1);
	for (size_t i = 0; i < data->count; i++) {
		if (data->frames[i].blind)
			pointer(cr, nst_draw_place(&c->time, data->frames[i].t_s),
				c->temp.y + c->temp.h);
	}
	cairo_fill(cr);
}

static void draw_temp(struct canvas *c)
{
	static const double dashes[] = { 7, 4 }, dots[] = { 1.5, 3 };
	struct scale s = c->celsius;

	shade(c, &c->temp, 0.17);
	nst_draw_axis_y(c->cr, &c->temp, &s, "temperature, \302\260C", 8);
	nst_draw_threshold(c, &s, ambient_c, &ambient_colour, dots, 2, 1.5);
	nst_draw_threshold(c, &s, max_c, &max_colour, dots, 2, 1.5);
	nst_draw_threshold(c, &s, limit_c, &limit_colour, NULL, 0, 3);
	nst_draw_curve(c, &c->temp, &s, exposure_c, &exposure_colour, 4, false);
	nst_draw_curve(c, &c->temp, &s, die_c, &die_colour, 1.5, false);
	nst_draw_threshold(c, &s, high_c, &high_colour, dashes, 2, 1.5);
	nst_draw_threshold(c, &s, low_c, &low_colour, dashes, 2, 1.5);
	blind_marks(c);
	nst_draw_frame_box(c->cr, &c->temp);
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
	nst_draw_colour(cr, &nst_draw_ink, 1);
	nst_draw_text(cr, bar.x - 8, bar.y + bar.h / 2 + 4, RIGHT, "who");
	nst_draw_text(cr, lost.x - 8, lost.y + lost.h / 2 + 5, RIGHT, "lost");
	nst_draw_colour(cr, &nst_draw_ink, 0.6);
	cairo_set_line_width(cr, 1);
	cairo_move_to(cr, lost.x, floor(lost.y) + 0.5);
	cairo_line_to(cr, lost.x + lost.w, floor(lost.y) + 0.5);
	cairo_stroke(cr);
	nst_draw_frame_box(cr, &c->strip);
}

static double mean_power_w(const struct nst_plot_data *data)
{
	double sum = 0;

	for (size_t i = 0; i < data->count; i++)
		sum += power_w(&data->frames[i]);
	return sum / (double)data->count;
}

static void draw_power(struct canvas *c, const struct box *box)
{
	double mean = mean_power_w(c->data), y;
	struct scale s = { 0, 0.1, box->y + box->h, box->y };
	static const double dash[] = { 3, 3 };
	cairo_t *cr = c->cr;
	char buf[48];

	for (size_t i = 0; i < c->data->count; i++)
		include(&s, power_w(&c->data->frames[i]));
	s.to *= 1.15;
	nst_draw_axis_y(cr, box, &s, "power, W", 4);
	nst_draw_curve(c, box, &s, power_w, &power_colour, 1.5, true);
	y = floor(nst_draw_place(&s, mean)) + 0.5;
	nst_draw_colour(cr, &limit_colour, 1);
	cairo_set_line_width(cr, 1.5);
	cairo_set_dash(cr, dash, 2, 0);
	cairo_move_to(cr, box->x, y);
	cairo_line_to(cr, box->x + box->w, y);
	cairo_stroke(cr);
	cairo_set_dash(cr, NULL, 0, 0);
	nst_draw_frame_box(cr, box);
	nst_draw_colour(cr, &nst_draw_ink, 1);
	/* what a switch takes is in the report, not in a frame */
	snprintf(buf, sizeof(buf), "mean %.2f W (model, without switches)",
		 mean);
	nst_draw_text(cr, box->x + box->w, box->y - 8, RIGHT, buf);
	nst_draw_text(cr, box->x, box->y - 8, LEFT, "power of the whole system");
}

/* ------------------------------------------------------------ totals --- */

/* What two policies are compared by: frames where any are lost, else energy. */
static double total_at(const struct nst_plot_frame *f, double period_s,
		       bool frames)
{
	if (!frames)
		return power_w(f) * period_s;
	return f->delivered;
}

static void draw_total(const struct canvas *c, const struct box *box,
		       const struct scale *s, const struct colour *colour,
		       bool frames)
{
	const struct nst_plot_data *data = c->data;
	cairo_t *cr = c->cr;
	double sum = 0;

	nst_draw_colour(cr, colour, 1);
	cairo_set_line_width(cr, 2);
	cairo_move_to(cr, nst_draw_place(&c->time, data->frames[0].t_s),
		      box->y + box->h);
	for (size_t i = 0; i < data->count; i++) {
		sum += total_at(&data->frames[i], data->period_s, frames);
		cairo_line_to(cr,
			      nst_draw_place(&c->time, data->frames[i].t_s +
							       data->period_s),
			      nst_draw_place(s, sum));
	}
	cairo_stroke(cr);
}

static bool loses_frames(const struct nst_plot_data *data)
{
	for (size_t i = 0; i < data->count; i++) {
		if (!data->frames[i].delivered)
			return true;
	}
	return false;
}

static void draw_totals(const struct canvas *lanes, size_t count,
			const struct box *box)
{
	struct scale s = { 0, 1, box->y + box->h, box->y };
	cairo_t *cr = lanes[0].cr;
	bool frames = false;
	double x = box->x;

	for (size_t i = 0; i < count; i++)
		frames = frames || loses_frames(lanes[i].data);
	for (size_t i = 0; i < count; i++) {
		const struct nst_plot_data *data = lanes[i].data;
		double sum = 0;

		for (size_t j = 0; j < data->count; j++)
			sum += total_at(&data->frames[j], data->period_s,
					frames);
		include(&s, sum * 1.05);
	}
	nst_draw_axis_y(cr, box, &s, frames ? "frames" : "J", 4);
	for (size_t i = 0; i < count; i++)
		draw_total(&lanes[i], box, &s, &lane_colour[i], frames);
	nst_draw_frame_box(cr, box);
	nst_draw_colour(cr, &nst_draw_ink, 1);
	nst_draw_text(cr, x, box->y - 8, LEFT,
		      frames ? "frames delivered so far:" :
			       "energy so far (model, without switches):");
	x += frames ? 170 : 280;
	for (size_t i = 0; i < count; i++) {
		cairo_text_extents_t e;

		nst_draw_colour(cr, &lane_colour[i], 1);
		nst_draw_text(cr, x, box->y - 8, LEFT, lanes[i].data->caption);
		cairo_text_extents(cr, lanes[i].data->caption, &e);
		x += e.x_advance + 20;
	}
}

/* A lane says what came of it: the picture is to show why. */
static void draw_caption(const struct canvas *c, const struct colour *colour)
{
	const struct nst_plot_data *data = c->data;
	unsigned long delivered = 0, hot = 0;
	cairo_t *cr = c->cr;
	char text[192];

	for (size_t i = 0; i < data->count; i++) {
		const struct nst_plot_frame *f = &data->frames[i];

		delivered += f->delivered;
		hot += f->delivered && f->exposure_mc > f->limit_mc &&
		       f->limit_mc != NST_TEMP_NONE_MC &&
		       f->exposure_mc != NST_TEMP_NONE_MC;
	}
	nst_draw_colour(cr, colour, 1);
	nst_draw_text(cr, c->temp.x, c->temp.y - 8, LEFT, data->caption);
	snprintf(text, sizeof(text),
		 "%lu of %zu frames delivered, %lu above their limit, mean %.2f W (model)",
		 delivered, data->count, hot, mean_power_w(data));
	nst_draw_colour(cr, &nst_draw_ink, 1);
	nst_draw_text(cr, c->temp.x + c->temp.w, c->temp.y - 8, RIGHT, text);
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

	nst_draw_colour(cr, e->colour, e->kind == AREA ? 0.55 : 1);
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
	nst_draw_colour(cr, &nst_draw_ink, 1);
	nst_draw_text(cr, x + 30, y, LEFT, e->name);
	cairo_text_extents(cr, e->name, &ext);
	return x + 30 + ext.x_advance + 18;
}

/* Is any of it inside the temperature panel? */
static bool any(const struct canvas *lanes, size_t count, value_fn value)
{
	for (size_t i = 0; i < count; i++) {
		const struct canvas *c = &lanes[i];

		for (size_t j = 0; j < c->data->count; j++) {
			double v = value(&c->data->frames[j]);

			if (v >= c->celsius.from && v <= c->celsius.to)
				return true;
		}
	}
	return false;
}

static void legend_marks(const struct nst_plot_data *data,
			 struct entry *placements, struct entry *marks)
{
	for (size_t i = 0; i < data->count; i++) {
		const struct nst_plot_frame *f = &data->frames[i];

		placements[f->placement].shown = true;
		marks[0].shown |= !f->delivered && !f->withheld;
		marks[1].shown |= f->withheld;
		marks[2].shown |= f->blind;
	}
}

static void legend(const struct canvas *c, size_t count)
{
	struct entry entries[] = {
		{ "die", &die_colour, LINE, any(c, count, die_c) },
		{ "exposure of the frame", &exposure_colour, LINE,
		  any(c, count, exposure_c) },
		{ "limit of the task", &limit_colour, LINE,
		  any(c, count, limit_c) },
		{ "T_high", &high_colour, DASHED, any(c, count, high_c) },
		{ "T_low", &low_colour, DASHED, any(c, count, low_c) },
		{ "ceiling", &max_colour, DOTTED, any(c, count, max_c) },
		{ "ambient", &ambient_colour, DOTTED,
		  any(c, count, ambient_c) },
		{ "near", &placement_colour[NST_NEAR], AREA, false },
		{ "far", &placement_colour[NST_FAR], AREA, false },
		{ "paused", &placement_colour[NST_PAUSED], AREA, false },
		{ "dropped", &nst_draw_ink, MARK, false },
		{ "withheld: too hot", &die_colour, MARK, false },
		{ "no valid reading", &nst_draw_ink, POINTER, false },
	};
	double x = c->temp.x, y = 52;

	for (size_t i = 0; i < count; i++)
		legend_marks(c[i].data, &entries[7], &entries[10]);
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

/* ----------------------------------------------------------- pictures --- */

/* Time and temperatures are the same for all lanes. */
static void set_scales(struct canvas *lanes, size_t count)
{
	struct scale time = { NAN, NAN, lanes[0].temp.x,
			      lanes[0].temp.x + lanes[0].temp.w };
	struct scale celsius = { NAN, NAN, 0, 0 };

	for (size_t i = 0; i < count; i++) {
		const struct nst_plot_data *data = lanes[i].data;

		include(&time, data->frames[0].t_s);
		include(&time, data->frames[data->count - 1].t_s +
				       data->period_s);
		temp_range(data, &celsius);
	}
	for (size_t i = 0; i < count; i++) {
		lanes[i].time = time;
		lanes[i].celsius = celsius;
		lanes[i].celsius.at_from = lanes[i].temp.y + lanes[i].temp.h;
		lanes[i].celsius.at_to = lanes[i].temp.y;
	}
}

void nst_plot_draw(cairo_t *cr, double width, double height,
		   const struct nst_plot_data *data, size_t count,
		   const char *title)
{
	struct canvas lanes[NST_PLOT_LANES_MAX];
	const struct box *panels[NST_PLOT_LANES_MAX + 1];
	double caption = count > 1 ? CAPTION : 0;
	double w = width - MARGIN_LEFT - MARGIN_RIGHT, y = MARGIN_TOP;
	double h = height - MARGIN_TOP - MARGIN_BOTTOM - SPACE -
		   (double)count * (STRIP_HEIGHT + 12 + caption);
	struct box last = { MARGIN_LEFT, height - MARGIN_BOTTOM - h * 0.28, w,
			    h * 0.28 };

	for (size_t i = 0; i < count; i++) {
		y += caption;
		lanes[i] = (struct canvas){
			.cr = cr,
			.data = &data[i],
			.temp = { MARGIN_LEFT, y, w,
				  h * 0.72 / (double)count },
		};
		y += lanes[i].temp.h + 12;
		lanes[i].strip = (struct box){ MARGIN_LEFT, y, w,
					       STRIP_HEIGHT };
		y += STRIP_HEIGHT;
		panels[i] = &lanes[i].temp;
	}
	panels[count] = &last;
	set_scales(lanes, count);

	nst_draw_title(cr, MARGIN_LEFT, title);
	legend(lanes, count);
	for (size_t i = 0; i < count; i++) {
		draw_temp(&lanes[i]);
		draw_strip(&lanes[i]);
		if (count > 1)
			draw_caption(&lanes[i], &lane_colour[i]);
	}
	if (count > 1)
		draw_totals(lanes, count, &last);
	else
		draw_power(&lanes[0], &last);
	nst_draw_axis_x(cr, &lanes[0].time, panels, count + 1,
			"time since the start of the recording, s");
}
