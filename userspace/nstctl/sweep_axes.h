/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * sweep_axes.h - lists on the command line as axes of a matrix
 *
 * Each takes the text of one option, words or numbers between commas, and
 * replaces an axis. Nothing may be there twice.
 * Return: 0, or NST_EXIT_USAGE or another exit code after a message.
 */
#ifndef NST_SWEEP_AXES_H
#define NST_SWEEP_AXES_H

#include "sweep.h"

#define NST_SWEEP_LIST_MAX NST_MATRIX_AXIS_MAX

/**
 * struct nst_sweep_lists - texts of the options, NULL where not given
 */
struct nst_sweep_lists {
	const char *near_mw;
	const char *ambient_mc;
	const char *light;
	const char *snr;
	const char *bound;
	const char *mode;
	const char *cost;
	const char *sensor;
	const char *policy;
};

/** nst_sweep_axes() - all lists that were given */
int nst_sweep_axes(struct nst_matrix *m, const struct nst_sweep_lists *lists);

/**
 * nst_sweep_base() - a profile's sensor in place of the reference stack
 * Near power, ambient temperature, and light become those of the profile.
 */
int nst_sweep_base(struct nst_matrix *m, const char *path, const char *stack);

/** nst_sweep_by() - names of columns; @ret has room for NST_SWEEP_LIST_MAX */
int nst_sweep_by(const char *text, enum nst_sweep_column *ret,
		 size_t *ret_count);

#endif /* NST_SWEEP_AXES_H */
