/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * plot_draw.h - text, axes and curves that pictures are made of; for the plots
 */
#ifndef NST_PLOT_DRAW_H
#define NST_PLOT_DRAW_H

#include "plot.h"

#define NST_DRAW_TEXT_SIZE 13.0

struct colour {
	double r, g, b, a;
};

/* black of text and frames, and of lines that are hardly there */
extern const struct colour nst_draw_ink;
extern const struct colour nst_draw_faint;

struct box {
	double x, y, w, h;
};

struct scale {
	double from, to;		/* values */
	double at_from, at_to;		/* places */
};

/**
 * struct canvas - one recording on a surface: two panels over a time axis
 */
struct canvas {
	cairo_t *cr;
	const struct nst_plot_data *data;
	struct scale time, celsius;
	struct box temp, strip;
};

enum align { LEFT, CENTRE, RIGHT };

/* What a curve is of; NAN where there is nothing to draw. */
typedef double (*value_fn)(const struct nst_plot_frame *f);

void nst_draw_colour(cairo_t *cr, const struct colour *c, double alpha);
double nst_draw_place(const struct scale *s, double value);
void nst_draw_text(cairo_t *cr, double x, double y, enum align align,
		   const char *s);

/** nst_draw_title() - white paper with a bold line on it; text is set small */
void nst_draw_title(cairo_t *cr, double x, const char *title);

/** nst_draw_axis_y() - of a panel, with about @wanted steps */
void nst_draw_axis_y(cairo_t *cr, const struct box *box,
		     const struct scale *s, const char *label, double wanted);

/** nst_draw_axis_x() - through all panels, with the numbers below the last */
void nst_draw_axis_x(cairo_t *cr, const struct scale *s,
		     const struct box *const *panels, size_t count,
		     const char *label);
void nst_draw_frame_box(cairo_t *cr, const struct box *box);

/** nst_draw_is_gap() - frames are missing before frame @i */
bool nst_draw_is_gap(const struct nst_plot_data *data, size_t i);

/** nst_draw_curve() - a line, or a band where frames share columns */
void nst_draw_curve(struct canvas *c, const struct box *box,
		    const struct scale *s, value_fn value,
		    const struct colour *colour, double width, bool steps);

/** nst_draw_threshold() - thin steps, dashed, at whatever density */
void nst_draw_threshold(struct canvas *c, const struct scale *s,
			value_fn value, const struct colour *colour,
			const double *dash, int dash_count, double width);

#endif /* NST_PLOT_DRAW_H */
