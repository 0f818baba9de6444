// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* plot_sweep.c - policies of a sweep against the optimum, see plot_sweep.h */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "plot_draw.h"
#include "plot_sweep.h"
#include "words.h"

#define MARGIN_LEFT 70.0
#define MARGIN_RIGHT 22.0
#define MARGIN_TOP 76.0
#define MARGIN_BOTTOM 56.0
#define SPACE 40.0
#define VALUES_MAX 24
#define POLICIES_MAX 16
#define APART 7.0		/* of two policies at one place */
#define MODES 2

static const char *const mode_name[MODES] = { "stop", "migration" };

static const struct colour policy_colour[] = {
	{ 0.05, 0.40, 0.55, 1 }, { 0.85, 0.37, 0.00, 1 },
	{ 0.20, 0.60, 0.25, 1 }, { 0.70, 0.15, 0.45, 1 },
	{ 0.45, 0.35, 0.75, 1 }, { 0.55, 0.45, 0.10, 1 },
	{ 0.30, 0.30, 0.30, 1 }, { 0.10, 0.65, 0.70, 1 },
};

/* Distances of one policy at one place, in percent. */
struct spot {
	double *percent;
	size_t count;
	size_t room;
};

struct chart {
	enum nst_sweep_column over;
	const char *value[VALUES_MAX];
	size_t values;
	const char *policy[POLICIES_MAX];
	size_t policies;
	struct spot spot[MODES][POLICIES_MAX][VALUES_MAX];
	size_t binding[MODES];
	double most[MODES];
};

bool nst_plot_sweep_is(FILE *in)
{
	static const char magic[] = "# nstctl sweep ";
	char line[sizeof(magic)] = "";
	bool is = fgets(line, sizeof(line), in) && !strcmp(line, magic);

	rewind(in);
	return is;
}

int nst_plot_sweep_column(const char *name)
{
	const char *words[NST_SWEEP_COLUMN_COUNT];
	char hint[512];
	size_t n = 0;

	/* Those before the policy are what a cell is made of. */
	for (int c = NST_SWEEP_NEAR; c < NST_SWEEP_POLICY; c++) {
		if (!strcmp(nst_sweep_columns[c].name, name))
			return c;
		words[n++] = nst_sweep_columns[c].name;
	}
	nst_words_hint(hint, sizeof(hint), "valid", name, words, n);
	fprintf(stderr, "nstctl plot: --over '%s' is no column to draw over; %s\n",
		name, hint);
	return -1;
}

/* --------------------------------------------------------------- rows --- */

/* Index of a word in a list that it is added to; -1 when there is no room. */
static int place_of(const char **list, size_t *count, size_t max,
		    const char *word)
{
	for (size_t i = 0; i < *count; i++) {
		if (!strcmp(list[i], word))
			return (int)i;
	}
	if (*count == max)
		return -1;
	list[*count] = word;
	return (int)(*count)++;
}

static int by_number(const void *a, const void *b)
{
	double x = 0, y = 0;

	if (nst_number_real(*(const char *const *)a, -1e12, 1e12, &x) ||
	    nst_number_real(*(const char *const *)b, -1e12, 1e12, &y))
		return 0;
	return (x > y) - (x < y);
}

static bool binds(const struct nst_sweep_row *row)
{
	return !strcmp(row->value[NST_SWEEP_LIMIT], "binds");
}

/* Names first, so that numbers are in order when their spots are filled. */
static int collect_names(struct chart *ch, const struct nst_sweep *sweep)
{
	for (size_t i = 0; i < sweep->count; i++) {
		const struct nst_sweep_row *row = &sweep->rows[i];

		if (!binds(row))
			continue;
		if (place_of(ch->value, &ch->values, VALUES_MAX,
			     row->value[ch->over]) < 0 ||
		    place_of(ch->policy, &ch->policies, POLICIES_MAX,
			     row->value[NST_SWEEP_POLICY]) < 0)
			return -E2BIG;
	}
	if (!ch->values)
		return -ENODATA;
	if (!nst_sweep_columns[ch->over].text)
		qsort(ch->value, ch->values, sizeof(*ch->value), by_number);
	return 0;
}

static int add(struct spot *s, double percent)
{
	if (s->count == s->room) {
		size_t more = s->room ? s->room * 2 : 16;
		void *p = reallocarray(s->percent, more, sizeof(*s->percent));

		if (!p)
			return -ENOMEM;
		s->percent = p;
		s->room = more;
	}
	s->percent[s->count++] = percent;
	return 0;
}

static int collect(struct chart *ch, const struct nst_sweep *sweep)
{
	for (size_t i = 0; i < sweep->count; i++) {
		const struct nst_sweep_row *row = &sweep->rows[i];
		int mode, policy, value;
		double permyriad;

		/* Of one that delivers nothing there is no distance. */
		if (!binds(row) ||
		    nst_number_real(row->value[NST_SWEEP_DISTANCE], -1e9, 1e9,
				    &permyriad))
			continue;
		mode = !!strcmp(row->value[NST_SWEEP_MODE], mode_name[0]);
		policy = place_of(ch->policy, &ch->policies, POLICIES_MAX,
				  row->value[NST_SWEEP_POLICY]);
		value = place_of(ch->value, &ch->values, VALUES_MAX,
				 row->value[ch->over]);
		if (add(&ch->spot[mode][policy][value], permyriad / 100.0))
			return -ENOMEM;
		ch->binding[mode]++;
		if (permyriad / 100.0 > ch->most[mode])
			ch->most[mode] = permyriad / 100.0;
	}
	return ch->binding[0] + ch->binding[1] ? 0 : -ENODATA;
}

/* ------------------------------------------------------------- picture --- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * One percent and fifty are both of interest: roots are drawn. Less than none,
 * outside of the limits or by rounding, is none.
 */
static double height_of(const struct scale *s, double percent)
{
	return nst_draw_place(s, sqrt(fmax(percent, 0.0)));
}

static void axis_percent(cairo_t *cr, const struct box *box,
			 const struct scale *s, const char *label)
{
	static const double ticks[] = { 0, 0.1, 0.5, 1, 2, 5, 10, 20, 50,
					100, 200, 500, 1000 };
	char buf[32];

	cairo_set_line_width(cr, 1);
	for (size_t i = 0; i < sizeof(ticks) / sizeof(*ticks); i++) {
		double y = floor(height_of(s, ticks[i])) + 0.5;

		/* What would stand in the one below is left out. */
		if (sqrt(ticks[i]) > s->to ||
		    (i && height_of(s, ticks[i - 1]) - y < NST_DRAW_TEXT_SIZE))
			continue;
		nst_draw_colour(cr, &nst_draw_faint, 1);
		cairo_move_to(cr, box->x, y);
		cairo_line_to(cr, box->x + box->w, y);
		cairo_stroke(cr);
		snprintf(buf, sizeof(buf), "%g %%", ticks[i]);
		nst_draw_colour(cr, &nst_draw_ink, 1);
		nst_draw_text(cr, box->x - 8, y + NST_DRAW_TEXT_SIZE * 0.36,
			      RIGHT, buf);
	}
	nst_draw_text(cr, box->x, box->y - 8, LEFT, label);
}

static void draw_spot(cairo_t *cr, const struct scale *s, struct spot *spot,
		      double x)
{
	double mid, worst;

	qsort(spot->percent, spot->count, sizeof(double), by_value);
	mid = height_of(s, spot->percent[spot->count / 2]);
	worst = height_of(s, spot->percent[spot->count - 1]);
	cairo_set_line_width(cr, 2);
	cairo_move_to(cr, x, mid);
	cairo_line_to(cr, x, worst);
	cairo_move_to(cr, x - 3, worst);
	cairo_line_to(cr, x + 3, worst);
	cairo_stroke(cr);
	cairo_arc(cr, x, mid, 3.5, 0, 2 * M_PI);
	cairo_fill(cr);
}

static void set_policy_colour(cairo_t *cr, size_t policy)
{
	size_t n = sizeof(policy_colour) / sizeof(*policy_colour);

	/* The second time round they are paler. */
	nst_draw_colour(cr, &policy_colour[policy % n], policy < n ? 1 : 0.5);
}

static void draw_panel(cairo_t *cr, struct chart *ch, int mode,
		       const struct box *box)
{
	static const char *const what[MODES] = {
		"frames may be dropped: share of the optimum's frames that is missing",
		"every frame delivered: energy per frame over the optimum's",
	};
	struct scale s = { 0, fmax(sqrt(ch->most[mode]) * 1.05, 1),
			   box->y + box->h - 8, box->y };

	axis_percent(cr, box, &s, what[mode]);
	for (size_t v = 0; v < ch->values; v++) {
		double x = box->x + box->w * ((double)v + 0.5) /
					    (double)ch->values;

		for (size_t p = 0; p < ch->policies; p++) {
			struct spot *spot = &ch->spot[mode][p][v];

			set_policy_colour(cr, p);
			if (spot->count)
				draw_spot(cr, &s, spot,
					  x + APART * ((double)p -
						       (double)(ch->policies - 1) / 2));
		}
		nst_draw_colour(cr, &nst_draw_ink, 1);
		nst_draw_text(cr, x, box->y + box->h + 20, CENTRE,
			      *ch->value[v] ? ch->value[v] : "none");
	}
	nst_draw_frame_box(cr, box);
}

static void draw_legend(cairo_t *cr, const struct chart *ch)
{
	double x = MARGIN_LEFT;

	for (size_t p = 0; p < ch->policies; p++) {
		cairo_text_extents_t e;

		set_policy_colour(cr, p);
		cairo_arc(cr, x + 4, 42, 3.5, 0, 2 * M_PI);
		cairo_fill(cr);
		nst_draw_colour(cr, &nst_draw_ink, 1);
		nst_draw_text(cr, x + 12, 46, LEFT, ch->policy[p]);
		cairo_text_extents(cr, ch->policy[p], &e);
		x += e.x_advance + 26;
	}
}

static void draw(cairo_t *cr, double width, double height, struct chart *ch,
		 const char *title)
{
	size_t panels = ch->binding[0] && ch->binding[1] ? 2 : 1;
	double h = (height - MARGIN_TOP - MARGIN_BOTTOM -
		    SPACE * ((double)panels - 1)) / (double)panels;
	struct box box = { MARGIN_LEFT, MARGIN_TOP,
			   width - MARGIN_LEFT - MARGIN_RIGHT, h };
	char text[96];

	nst_draw_title(cr, MARGIN_LEFT, title);
	draw_legend(cr, ch);
	for (int mode = 0; mode < MODES; mode++) {
		if (!ch->binding[mode])
			continue;
		draw_panel(cr, ch, mode, &box);
		box.y += h + SPACE;
	}
	snprintf(text, sizeof(text), "%s: dot median, bar worst, over the cells in which a limit binds",
		 nst_sweep_columns[ch->over].name);
	nst_draw_colour(cr, &nst_draw_ink, 1);
	nst_draw_text(cr, width / 2, height - 14, CENTRE, text);
}

int nst_plot_sweep_draw(cairo_t *cr, double width, double height,
			const struct nst_sweep *sweep,
			enum nst_sweep_column over, const char *title)
{
	struct chart *ch = calloc(1, sizeof(*ch));
	int r;

	if (!ch)
		return -ENOMEM;
	ch->over = over;
	r = collect_names(ch, sweep);
	if (!r)
		r = collect(ch, sweep);
	if (!r)
		draw(cr, width, height, ch, title);
	for (int m = 0; m < MODES; m++)
		for (size_t p = 0; p < ch->policies; p++)
			for (size_t v = 0; v < ch->values; v++)
				free(ch->spot[m][p][v].percent);
	free(ch);
	return r;
}
