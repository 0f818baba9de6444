// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sweep_table.c - policies against each other over many cells, see sweep.h
 *
 * Worst and median are over the cells in which a limit binds: elsewhere every
 * policy that does nothing is right. Order: what delivers no frame at all is
 * last whatever it saves, for it does not do the job; then violations that
 * could have been avoided and captures missed, fewest first; then the mean
 * distance to the oracle.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "number.h"
#include "sweep.h"

#define STRONG_MW 2000

struct cell_figures {
	double distance;
	double energy_distance;
	double saving;
	double switches_h;	/* an hour */
	bool strong;		/* STRONG_MW and more */
};

/* One policy in one table. */
struct line {
	const char *policy;
	struct cell_figures *cells;
	size_t count;
	size_t room;
	size_t runs;		/* in all cells, binding or not */
	unsigned long long delivered;
	unsigned long long violations;
	unsigned long long avoidable;
	unsigned long long withheld;
	unsigned long long missed;
	double mean;
};

struct table {
	const struct nst_sweep_row *like;	/* first row of it */
	struct line lines[NST_MATRIX_POLICIES_MAX];
	size_t line_count;
	size_t binds, free, never, unknown;
	bool stop;
};

static long long number(const struct nst_sweep_row *row,
			enum nst_sweep_column c)
{
	long long n = 0;

	nst_number_int(row->value[c], INT64_MIN, INT64_MAX, &n);
	return n;
}

/* No value means that there is no frame to divide by. */
static double share(const struct nst_sweep_row *row, enum nst_sweep_column c)
{
	if (!*row->value[c])
		return INFINITY;
	return (double)number(row, c) / 100.0;
}

static bool same_group(const struct nst_sweep_row *a,
		       const struct nst_sweep_row *b,
		       const enum nst_sweep_column *by, size_t by_count)
{
	/* Stop and migration have different objectives. */
	if (strcmp(a->value[NST_SWEEP_MODE], b->value[NST_SWEEP_MODE]))
		return false;
	for (size_t i = 0; i < by_count; i++) {
		if (strcmp(a->value[by[i]], b->value[by[i]]))
			return false;
	}
	return true;
}

static struct line *line_of(struct table *t, const char *policy)
{
	for (size_t i = 0; i < t->line_count; i++) {
		if (!strcmp(t->lines[i].policy, policy))
			return &t->lines[i];
	}
	if (t->line_count == NST_MATRIX_POLICIES_MAX)
		return NULL;
	t->lines[t->line_count].policy = policy;
	return &t->lines[t->line_count++];
}

static int add_binding(struct line *l, const struct nst_sweep_row *row)
{
	double hours = (double)number(row, NST_SWEEP_TIME) / 3.6e9;
	struct cell_figures *f;

	if (l->count == l->room) {
		size_t more = l->room ? l->room * 2 : 64;
		void *p = reallocarray(l->cells, more, sizeof(*l->cells));

		if (!p)
			return -ENOMEM;
		l->cells = p;
		l->room = more;
	}
	f = &l->cells[l->count++];
	f->distance = share(row, NST_SWEEP_DISTANCE);
	f->energy_distance = share(row, NST_SWEEP_ENERGY_DISTANCE);
	f->saving = *row->value[NST_SWEEP_SAVING] ?
			    share(row, NST_SWEEP_SAVING) :
			    -INFINITY;
	f->switches_h = hours > 0.0 ? (double)number(row, NST_SWEEP_SWITCHES) /
					      hours :
				      0.0;
	f->strong = number(row, NST_SWEEP_NEAR) >= STRONG_MW;
	return 0;
}

static int table_add(struct table *t, const struct nst_sweep_row *row)
{
	const char *limit = row->value[NST_SWEEP_LIMIT];
	bool binds = !strcmp(limit, "binds");
	struct line *l = line_of(t, row->value[NST_SWEEP_POLICY]);

	if (!l)
		return -ENOMEM;
	if (row->run == 1) {
		t->binds += binds;
		t->free += !strcmp(limit, "free");
		t->never += !strcmp(limit, "never");
		t->unknown += !strcmp(limit, "unknown");
	}
	l->runs++;
	l->delivered += (unsigned long long)number(row, NST_SWEEP_DELIVERED);
	l->violations += (unsigned long long)number(row, NST_SWEEP_VIOLATIONS);
	l->avoidable += (unsigned long long)
		number(row, NST_SWEEP_VIOLATIONS_AVOIDABLE);
	l->withheld += (unsigned long long)
		number(row, NST_SWEEP_WITHHELD_AVOIDABLE);
	l->missed += (unsigned long long)
		number(row, NST_SWEEP_CAPTURES_MISSED);
	return binds ? add_binding(l, row) : 0;
}

/* ----------------------------------------------------------- figures --- */

static int rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

enum figure { DISTANCE, ENERGY_DISTANCE, SAVING, SWITCHES };

static double figure(const struct cell_figures *f, enum figure which)
{
	switch (which) {
	case DISTANCE:
		return f->distance;
	case ENERGY_DISTANCE:
		return f->energy_distance;
	case SAVING:
		return f->saving;
	default:
		return f->switches_h;
	}
}

/* @part: 0 least, 0.5 median, 1 greatest; NAN without cells */
static double quantile(const struct line *l, enum figure which, double part)
{
	_cleanup_free_ double *sorted = calloc(l->count + 1, sizeof(*sorted));

	if (!l->count || !sorted)
		return NAN;
	for (size_t i = 0; i < l->count; i++)
		sorted[i] = figure(&l->cells[i], which);
	qsort(sorted, l->count, sizeof(*sorted), rising);
	return sorted[(size_t)(part * (double)(l->count - 1) + 0.5)];
}

static double worst_strong(const struct line *l)
{
	double worst = NAN;

	for (size_t i = 0; i < l->count; i++) {
		if (l->cells[i].strong)
			worst = fmax(worst, l->cells[i].distance);
	}
	return worst;
}

static double mean_distance(const struct line *l)
{
	double sum = 0.0;

	for (size_t i = 0; i < l->count; i++)
		sum += l->cells[i].distance;
	return l->count ? sum / (double)l->count : 0.0;
}

static int best_first(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	unsigned long long fails_x = x->avoidable + x->missed;
	unsigned long long fails_y = y->avoidable + y->missed;

	if (!x->delivered != !y->delivered)
		return x->delivered ? -1 : 1;
	if (fails_x != fails_y)
		return fails_x < fails_y ? -1 : 1;
	if (x->mean < y->mean || x->mean > y->mean)
		return x->mean < y->mean ? -1 : 1;
	return strcmp(x->policy, y->policy);
}

/* ------------------------------------------------------------ output --- */

static void put(FILE *out, double value, int decimals)
{
	if (isnan(value))
		fputs(" - |", out);
	else if (isinf(value))
		fputs(" none |", out);
	else
		fprintf(out, " %.*f |", decimals, value);
}

static void put_line(FILE *out, const struct table *t, const struct line *l)
{
	fprintf(out, "| %s |", l->policy);
	put(out, quantile(l, DISTANCE, 1), 2);
	put(out, worst_strong(l), 2);
	put(out, quantile(l, DISTANCE, 0.5), 2);
	if (t->stop) {
		put(out, quantile(l, ENERGY_DISTANCE, 1), 2);
		put(out, quantile(l, ENERGY_DISTANCE, 0.5), 2);
	}
	put(out, quantile(l, SAVING, 0), 1);
	put(out, quantile(l, SAVING, 0.5), 1);
	fprintf(out, " %llu | %llu | %llu | %llu |", l->violations,
		l->avoidable, l->withheld, l->missed);
	put(out, quantile(l, SWITCHES, 0.5), 0);
	fputc('\n', out);
}

static void put_table(FILE *out, struct table *t,
		      const enum nst_sweep_column *by, size_t by_count)
{
	int columns = t->stop ? 13 : 11;

	fprintf(out, "### %s", t->like->value[NST_SWEEP_MODE]);
	for (size_t i = 0; i < by_count; i++) {
		if (by[i] == NST_SWEEP_MODE ||
		    (by[i] == NST_SWEEP_COST && t->stop))
			continue;
		fprintf(out, ", %s %s", nst_sweep_columns[by[i]].name,
			*t->like->value[by[i]] ? t->like->value[by[i]] :
						 "none");
	}
	fprintf(out, "\n\nA limit binds in %zu of %zu cells; it does not in %zu, nothing meets it in %zu",
		t->binds, t->binds + t->free + t->never + t->unknown, t->free,
		t->never);
	if (t->unknown)
		fprintf(out, ", the oracle has no form for %zu", t->unknown);
	fprintf(out, ".\n\n| policy | distance %%, worst | from %d mW | median |",
		STRONG_MW);
	if (t->stop)
		fputs(" energy a frame %, worst | median |", out);
	fputs(" saved %, worst | median | violations | avoidable | withheld, avoidable | captures missed | switches/h, median |\n|---|",
	      out);
	for (int i = 1; i < columns; i++)
		fputs("---:|", out);
	fputc('\n', out);
	for (size_t i = 0; i < t->line_count; i++)
		t->lines[i].mean = mean_distance(&t->lines[i]);
	qsort(t->lines, t->line_count, sizeof(*t->lines), best_first);
	for (size_t i = 0; i < t->line_count; i++)
		put_line(out, t, &t->lines[i]);
	fputc('\n', out);
}

static void table_free(struct table *t)
{
	for (size_t i = 0; i < t->line_count; i++)
		free(t->lines[i].cells);
	memset(t, 0, sizeof(*t));
}

int nst_sweep_tables(const struct nst_sweep *s,
		     const enum nst_sweep_column *by, size_t by_count,
		     FILE *out)
{
	_cleanup_free_ bool *done = calloc(s->count + 1, sizeof(*done));
	struct table t = { .line_count = 0 };
	int r = done ? 0 : -ENOMEM;

	for (size_t i = 0; i < s->count && !r; i++) {
		if (done[i])
			continue;
		t.like = &s->rows[i];
		t.stop = !strcmp(t.like->value[NST_SWEEP_MODE], "stop");
		for (size_t j = i; j < s->count && !r; j++) {
			if (done[j] ||
			    !same_group(t.like, &s->rows[j], by, by_count))
				continue;
			done[j] = true;
			r = table_add(&t, &s->rows[j]);
		}
		if (!r)
			put_table(out, &t, by, by_count);
		table_free(&t);
	}
	if (!r && fflush(out) == EOF)
		r = -errno;
	return r;
}
