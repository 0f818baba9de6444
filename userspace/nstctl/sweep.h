/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * sweep.h - results of nstctl sweep, in memory and in files
 *
 * A file is CSV behind three lines of comment that say what it is of:
 *
 *	# nstctl sweep 1
 *	# matrix cells=7560 near_mw=1240,1300 ...
 *	# shard 1/2
 *	cell,run,runs,near_mw,...
 *
 * Shard I/N has the cells whose number leaves I - 1 when divided by N. A row
 * is one policy in one cell, run counts from 1 to runs, and a cell is there
 * when all of its runs are. Rows of a cell are written at once.
 */
#ifndef NST_SWEEP_H
#define NST_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "matrix.h"

enum nst_sweep_column {
	NST_SWEEP_CELL = 0,
	NST_SWEEP_RUN,
	NST_SWEEP_RUNS,
	NST_SWEEP_NEAR,
	NST_SWEEP_FAR,
	NST_SWEEP_AMBIENT,
	NST_SWEEP_LIGHT,
	NST_SWEEP_SNR,
	NST_SWEEP_BOUND,
	NST_SWEEP_MODE,
	NST_SWEEP_COST,
	NST_SWEEP_SENSOR,
	NST_SWEEP_POLICY,
	NST_SWEEP_LIMIT,	/* free, binds, never, or unknown */
	NST_SWEEP_TIME,
	NST_SWEEP_FRAMES,
	NST_SWEEP_DELIVERED,
	NST_SWEEP_DROPPED,
	NST_SWEEP_WITHHELD,
	NST_SWEEP_WITHHELD_AVOIDABLE,
	NST_SWEEP_VIOLATIONS,
	NST_SWEEP_VIOLATIONS_AVOIDABLE,
	NST_SWEEP_CAPTURES,
	NST_SWEEP_CAPTURES_MISSED,
	NST_SWEEP_SWITCHES,
	NST_SWEEP_ENERGY,
	NST_SWEEP_SAVING,
	NST_SWEEP_DUTY,
	NST_SWEEP_MAX_TEMP,
	NST_SWEEP_ORACLE_ENERGY,
	NST_SWEEP_ORACLE_DELIVERED,
	NST_SWEEP_FORESEEN_ENERGY,
	NST_SWEEP_FORESEEN_DELIVERED,
	NST_SWEEP_DISTANCE,
	NST_SWEEP_ENERGY_DISTANCE,
	NST_SWEEP_COLUMN_COUNT
};

/**
 * nst_sweep_columns - names of the columns
 * @text: not a whole number
 * @empty: may have no value
 */
struct nst_sweep_column_info {
	const char *name;
	bool text;
	bool empty;
};

extern const struct nst_sweep_column_info
	nst_sweep_columns[NST_SWEEP_COLUMN_COUNT];

struct nst_sweep_shard {
	size_t index;		/* from 0 */
	size_t count;
};

/**
 * struct nst_sweep_row - one line
 * @text: the whole line, owned
 * @value: each of its cells, in @cut
 * @file: index into struct nst_sweep.paths
 */
struct nst_sweep_row {
	size_t cell;
	unsigned int run;
	unsigned int runs;
	char *text;
	char *cut;
	char *value[NST_SWEEP_COLUMN_COUNT];
	unsigned int file;
	unsigned int line;
};

/**
 * struct nst_sweep - rows of one matrix
 * @matrix: its description; two matrices are the same when these are
 */
struct nst_sweep {
	char *matrix;
	size_t cells;
	struct nst_sweep_row *rows;
	size_t count;
	size_t room;
	const char **paths;
	struct nst_sweep_shard *shards;
	unsigned int path_count;
};

void nst_sweep_free(struct nst_sweep *s);

/** nst_sweep_describe() - text of a matrix, to be freed; NULL without memory */
char *nst_sweep_describe(const struct nst_matrix *m, const char *base);

/** nst_sweep_begin() - the four lines at the start; 0 or -errno */
int nst_sweep_begin(FILE *out, const char *matrix,
		    const struct nst_sweep_shard *shard);

/** nst_sweep_put() - one row */
void nst_sweep_put(FILE *out, const struct nst_matrix_cell *cell, size_t run,
		   size_t runs, const struct nst_matrix_run *result);

/** nst_sweep_append() - a line, without its end, as a row; 0 or -ENOMEM */
int nst_sweep_append(struct nst_sweep *s, const char *line);

/**
 * nst_sweep_read() - add the rows of a file
 * @ret_keep: NULL, or what of the file is whole: a line or a cell that
 *	breaks off at the end is left out and not complained about
 * @err: "path:line: text" per error
 * Return: 0; -errno of opening; -EINVAL after a message.
 */
int nst_sweep_read(struct nst_sweep *s, const char *path, long *ret_keep,
		   FILE *err);

/**
 * nst_sweep_whole() - rows in order of their cells, and all of them there
 * Return: 0; -EINVAL after messages that name what is twice or missing.
 */
int nst_sweep_whole(struct nst_sweep *s, FILE *err);

/** nst_sweep_csv(), nst_sweep_json() - all rows; 0 or -errno */
int nst_sweep_csv(const struct nst_sweep *s, FILE *out);
int nst_sweep_json(const struct nst_sweep *s, FILE *out);

/**
 * nst_sweep_tables() - policies against each other, worst last
 * @by: columns; one table for each combination of their values
 * Return: 0 or -ENOMEM.
 */
int nst_sweep_tables(const struct nst_sweep *s,
		     const enum nst_sweep_column *by, size_t by_count,
		     FILE *out);

#endif /* NST_SWEEP_H */
