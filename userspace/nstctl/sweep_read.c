// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* sweep_read.c - files of nstctl sweep, checked line by line, see sweep.h */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "csv.h"
#include "number.h"
#include "sweep.h"

#define FIRST_LINE "# nstctl sweep 1"
#define MATRIX "# matrix "
#define SHARD "# shard "
#define CELLS_MAX 1000000000
#define RANGES_TOLD 12

void nst_sweep_free(struct nst_sweep *s)
{
	for (size_t i = 0; i < s->count; i++) {
		free(s->rows[i].text);
		free(s->rows[i].cut);
	}
	free(s->rows);
	free(s->matrix);
	free(s->paths);
	free(s->shards);
	memset(s, 0, sizeof(*s));
}

/* ------------------------------------------------------------- lines --- */

struct reader {
	const char *path;
	unsigned int line;
	FILE *in;
	FILE *err;
	char *text;		/* of the line, without its end */
	size_t room;
	bool torn;		/* it has no end */
	long start;		/* where it is in the file */
};

static int complain(const struct reader *rd, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int complain(const struct reader *rd, const char *format, ...)
{
	va_list ap;

	fprintf(rd->err, "%s:%u: ", rd->path, rd->line);
	va_start(ap, format);
	vfprintf(rd->err, format, ap);
	va_end(ap);
	fputc('\n', rd->err);
	return -EINVAL;
}

/* Return: 1 for a line, 0 for the end, -errno. */
static int next_line(struct reader *rd)
{
	ssize_t n;

	rd->start = ftell(rd->in);
	errno = 0;
	n = getline(&rd->text, &rd->room, rd->in);
	if (n < 0)
		return ferror(rd->in) ? -(errno ? errno : EIO) : 0;
	rd->line++;
	rd->torn = !n || rd->text[n - 1] != '\n';
	if (!rd->torn)
		rd->text[n - 1] = '\0';
	if (strlen(rd->text) != (size_t)n - !rd->torn)
		return complain(rd, "a zero byte in the line");
	return 1;
}

static int header_line(struct reader *rd, const char *what)
{
	int r = next_line(rd);

	if (r < 0)
		return r;
	if (!r || rd->torn) {
		rd->line += !r;
		return complain(rd, "the file breaks off before %s", what);
	}
	return 0;
}

static int read_shard(struct reader *rd, struct nst_sweep_shard *shard)
{
	char *slash;
	long long i, n;

	if (strncmp(rd->text, SHARD, strlen(SHARD)))
		return complain(rd, "not a shard; valid: '" SHARD "I/N'");
	slash = strchr(rd->text, '/');
	if (!slash)
		return complain(rd, "not a shard; valid: '" SHARD "I/N'");
	*slash = '\0';
	if (nst_number_int(slash + 1, 1, CELLS_MAX, &n) ||
	    nst_number_int(rd->text + strlen(SHARD), 1, n, &i)) {
		*slash = '/';
		return complain(rd, "'%s' is no shard; valid: I/N with I from 1 to N",
				rd->text + strlen(SHARD));
	}
	shard->index = (size_t)i - 1;
	shard->count = (size_t)n;
	return 0;
}

static int read_matrix(struct reader *rd, struct nst_sweep *s)
{
	const char *text = rd->text + strlen(MATRIX), *cells;
	char number[32];
	long long n;

	if (strncmp(rd->text, MATRIX, strlen(MATRIX)))
		return complain(rd, "not the description of a matrix");
	if (s->matrix) {
		if (!strcmp(s->matrix, text))
			return 0;
		return complain(rd, "another matrix than that of %s, line 2",
				s->path_count ? s->paths[0] :
						"this command line");
	}
	cells = strstr(text, "cells=");
	if (cells != text)
		return complain(rd, "not the description of a matrix");
	snprintf(number, sizeof(number), "%.*s",
		 (int)strcspn(cells + 6, " "), cells + 6);
	if (nst_number_int(number, 1, CELLS_MAX, &n))
		return complain(rd, "'%s' cells; valid: 1 to %d", number,
				CELLS_MAX);
	s->matrix = strdup(text);
	if (!s->matrix)
		return -ENOMEM;
	s->cells = (size_t)n;
	return 0;
}

static int read_columns(struct reader *rd)
{
	char *names[NST_SWEEP_COLUMN_COUNT + 1];
	size_t n = nst_csv_cut(rd->text, names, NST_SWEEP_COLUMN_COUNT + 1);

	for (size_t i = 0; i < n && i < NST_SWEEP_COLUMN_COUNT; i++) {
		if (strcmp(names[i], nst_sweep_columns[i].name))
			return complain(rd, "column '%s' where '%s' is",
					names[i], nst_sweep_columns[i].name);
	}
	if (n != NST_SWEEP_COLUMN_COUNT)
		return complain(rd, "%zu columns where there are %d", n,
				NST_SWEEP_COLUMN_COUNT);
	return 0;
}

static int read_header(struct reader *rd, struct nst_sweep *s,
		       struct nst_sweep_shard *shard)
{
	int r = header_line(rd, "its first line ends");

	if (!r && strcmp(rd->text, FIRST_LINE))
		r = complain(rd, "not a result of nstctl sweep; its first line is '%s'",
			     FIRST_LINE);
	if (!r)
		r = header_line(rd, "it tells its matrix");
	if (!r)
		r = read_matrix(rd, s);
	if (!r)
		r = header_line(rd, "it tells its shard");
	if (!r)
		r = read_shard(rd, shard);
	if (!r)
		r = header_line(rd, "it names its columns");
	if (!r)
		r = read_columns(rd);
	return r;
}

/* -------------------------------------------------------------- rows --- */

static int row_grow(struct nst_sweep *s)
{
	size_t more = s->room ? s->room * 2 : 256;
	void *p;

	if (s->count < s->room)
		return 0;
	p = reallocarray(s->rows, more, sizeof(*s->rows));
	if (!p)
		return -ENOMEM;
	s->rows = p;
	s->room = more;
	return 0;
}

/* Cut a line; Return: number of cells of it. */
static int row_cut(struct nst_sweep *s, const char *line, size_t *ret_n)
{
	char *cells[NST_SWEEP_COLUMN_COUNT + 1];
	struct nst_sweep_row *row;
	int r = row_grow(s);

	if (r)
		return r;
	row = &s->rows[s->count];
	memset(row, 0, sizeof(*row));
	row->text = strdup(line);
	row->cut = strdup(line);
	if (!row->text || !row->cut) {
		free(row->text);
		free(row->cut);
		return -ENOMEM;
	}
	*ret_n = nst_csv_cut(row->cut, cells, NST_ARRAY_SIZE(cells));
	for (size_t i = 0; i < NST_SWEEP_COLUMN_COUNT && i < *ret_n; i++)
		row->value[i] = cells[i];
	s->count++;
	return 0;
}

static void row_drop(struct nst_sweep *s)
{
	s->count--;
	free(s->rows[s->count].text);
	free(s->rows[s->count].cut);
}

static void row_numbers(struct nst_sweep_row *row)
{
	long long n = 0;

	nst_number_int(row->value[NST_SWEEP_CELL], 0, CELLS_MAX, &n);
	row->cell = (size_t)n;
	nst_number_int(row->value[NST_SWEEP_RUN], 1, NST_MATRIX_POLICIES_MAX,
		       &n);
	row->run = (unsigned int)n;
	nst_number_int(row->value[NST_SWEEP_RUNS], 1, NST_MATRIX_POLICIES_MAX,
		       &n);
	row->runs = (unsigned int)n;
}

int nst_sweep_append(struct nst_sweep *s, const char *line)
{
	size_t n;
	int r = row_cut(s, line, &n);

	if (!r)
		row_numbers(&s->rows[s->count - 1]);
	return r;
}

static int check_values(const struct reader *rd,
			const struct nst_sweep_row *row)
{
	for (int c = 0; c < NST_SWEEP_COLUMN_COUNT; c++) {
		const struct nst_sweep_column_info *info =
			&nst_sweep_columns[c];
		const char *value = row->value[c];
		long long n;

		if (!*value && info->empty)
			continue;
		if (!*value)
			return complain(rd, "%s is empty", info->name);
		if (!info->text &&
		    nst_number_int(value, INT64_MIN, INT64_MAX, &n))
			return complain(rd, "%s: '%s' is not a whole number",
					info->name, value);
	}
	return 0;
}

/* Against the matrix, the shard and the row before. */
static int check_place(const struct reader *rd, const struct nst_sweep *s,
		       const struct nst_sweep_shard *shard,
		       const struct nst_sweep_row *before)
{
	const struct nst_sweep_row *row = &s->rows[s->count - 1];

	if (row->cell >= s->cells)
		return complain(rd, "cell %zu of a matrix of %zu; valid: 0 to %zu",
				row->cell, s->cells, s->cells - 1);
	if (row->cell % shard->count != shard->index)
		return complain(rd, "cell %zu is not of shard %zu/%zu",
				row->cell, shard->index + 1, shard->count);
	if (!row->runs || !row->run || row->run > row->runs)
		return complain(rd, "run %u of %u; valid: 1 to %d", row->run,
				row->runs, NST_MATRIX_POLICIES_MAX);
	if (before && before->run < before->runs) {
		if (row->cell == before->cell && row->runs == before->runs &&
		    row->run == before->run + 1)
			return 0;
		return complain(rd, "cell %zu breaks off after %u of %u runs",
				before->cell, before->run, before->runs);
	}
	if (row->run != 1)
		return complain(rd, "cell %zu begins with run %u", row->cell,
				row->run);
	return 0;
}

static int read_row(struct reader *rd, struct nst_sweep *s,
		    const struct nst_sweep_shard *shard, size_t first)
{
	struct nst_sweep_row *row;
	size_t n;
	int r;

	if (rd->torn)
		return complain(rd, "the line breaks off");
	r = row_cut(s, rd->text, &n);
	if (r)
		return r;
	row = &s->rows[s->count - 1];
	if (n != NST_SWEEP_COLUMN_COUNT)
		return complain(rd, "%s%zu cells where there are %d columns",
				n > NST_SWEEP_COLUMN_COUNT ? "at least " : "",
				n, NST_SWEEP_COLUMN_COUNT);
	r = check_values(rd, row);
	if (r)
		return r;
	row_numbers(row);
	row->file = s->path_count - 1;
	row->line = rd->line;
	return check_place(rd, s, shard,
			   s->count - 1 > first ? row - 1 : NULL);
}

static int path_add(struct nst_sweep *s, const char *path,
		    const struct nst_sweep_shard *shard)
{
	void *p;

	p = reallocarray(s->paths, s->path_count + 1, sizeof(*s->paths));
	if (!p)
		return -ENOMEM;
	s->paths = p;
	p = reallocarray(s->shards, s->path_count + 1, sizeof(*s->shards));
	if (!p)
		return -ENOMEM;
	s->shards = p;
	s->paths[s->path_count] = path;
	s->shards[s->path_count++] = *shard;
	return 0;
}

/* A cell that breaks off at the end of the file. */
static int read_end(struct reader *rd, struct nst_sweep *s, size_t first,
		    bool forgive)
{
	const struct nst_sweep_row *last;

	if (s->count == first)
		return 0;
	last = &s->rows[s->count - 1];
	if (last->run == last->runs)
		return 0;
	if (!forgive)
		return complain(rd, "cell %zu breaks off after %u of %u runs",
				last->cell, last->run, last->runs);
	while (s->count > first && s->rows[s->count - 1].run != 1)
		row_drop(s);
	row_drop(s);
	return 0;
}

int nst_sweep_read(struct nst_sweep *s, const char *path, long *ret_keep,
		   FILE *err)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	_cleanup_free_ char *text = NULL;
	struct reader rd = { .path = path, .in = in, .err = err };
	struct nst_sweep_shard shard;
	size_t first = s->count;
	struct stat st;
	long keep;
	int r;

	if (!in || fstat(fileno(in), &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	r = read_header(&rd, s, &shard);
	if (!r)
		r = path_add(s, path, &shard);
	keep = r ? 0 : ftell(in);
	while (!r && (r = next_line(&rd)) > 0) {
		if (rd.torn && ret_keep) {
			r = 0;
			break;
		}
		r = read_row(&rd, s, &shard, first);
		if (!r && s->rows[s->count - 1].run ==
				  s->rows[s->count - 1].runs)
			keep = ftell(in);
	}
	if (!r)
		r = read_end(&rd, s, first, ret_keep);
	text = rd.text;
	if (!r && ret_keep)
		*ret_keep = keep;
	return r;
}

/* -------------------------------------------------------------- whole --- */

static int in_order(const void *a, const void *b)
{
	const struct nst_sweep_row *x = a, *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return x->file < y->file ? -1 : x->file > y->file;
}

static size_t tell_overlaps(const struct nst_sweep *s, FILE *err)
{
	size_t bad = 0;

	for (size_t i = 1; i < s->count; i++) {
		const struct nst_sweep_row *row = &s->rows[i], *a = row - 1;

		if (row->cell != a->cell || row->run != a->run)
			continue;
		if (row->run == 1 && ++bad <= RANGES_TOLD)
			fprintf(err, "%s:%u: cell %zu again, first at %s:%u\n",
				s->paths[row->file], row->line, row->cell,
				s->paths[a->file], a->line);
	}
	if (bad > RANGES_TOLD)
		fprintf(err, "and %zu more that are there twice\n",
			bad - RANGES_TOLD);
	return bad;
}

/* Cells @from to before @to are not there. */
static void tell_range(FILE *err, size_t from, size_t to, size_t ranges)
{
	if (ranges > RANGES_TOLD)
		return;
	fputs(ranges > 1 ? ", " : "missing: cells ", err);
	if (to - from == 1)
		fprintf(err, "%zu", from);
	else
		fprintf(err, "%zu to %zu", from, to - 1);
}

static void tell_shards(const struct nst_sweep *s, FILE *err)
{
	size_t n = s->path_count ? s->shards[0].count : 0;

	for (unsigned int i = 0; i < s->path_count; i++) {
		if (s->shards[i].count != n)
			return;
	}
	for (size_t want = 0, told = 0; want < n && told < RANGES_TOLD; want++) {
		bool there = false;

		for (unsigned int i = 0; i < s->path_count; i++)
			there = there || s->shards[i].index == want;
		if (there)
			continue;
		fprintf(err, "no file is of shard %zu/%zu\n", want + 1, n);
		told++;
	}
}

static size_t tell_missing(const struct nst_sweep *s, FILE *err)
{
	size_t next = 0, missing = 0, ranges = 0;

	for (size_t i = 0; i <= s->count; i++) {
		size_t cell = i < s->count ? s->rows[i].cell : s->cells;

		if (cell > next) {
			tell_range(err, next, cell, ++ranges);
			missing += cell - next;
		}
		if (cell >= next)
			next = cell + 1;
	}
	if (!missing)
		return 0;
	if (ranges > RANGES_TOLD)
		fprintf(err, " and %zu more ranges", ranges - RANGES_TOLD);
	fprintf(err, "; %zu of %zu\n", missing, s->cells);
	tell_shards(s, err);
	return missing;
}

int nst_sweep_whole(struct nst_sweep *s, FILE *err)
{
	size_t bad;

	if (s->count)
		qsort(s->rows, s->count, sizeof(*s->rows), in_order);
	bad = tell_overlaps(s, err);
	bad += tell_missing(s, err);
	return bad ? -EINVAL : 0;
}
