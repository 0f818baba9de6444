/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * plot_sweep.h - policies of a sweep against the optimum, as a picture
 */
#ifndef NST_PLOT_SWEEP_H
#define NST_PLOT_SWEEP_H

#include <cairo/cairo.h>
#include <stdio.h>

#include "sweep.h"

/** nst_plot_sweep_is() - whether @in begins as a sweep does; rewinds it */
bool nst_plot_sweep_is(FILE *in);

/** nst_plot_sweep_column() - a column to draw over, -1 after a message */
int nst_plot_sweep_column(const char *name);

/**
 * nst_plot_sweep_draw() - distance to the optimum over one column
 * @over: the column; each of its values has a place of its own
 *
 * A panel for cells in which frames may be dropped, and one for migration. Of
 * every policy the median over the cells in which a limit binds, and a line up
 * to the worst of them.
 * Return: 0; -ENODATA when there is no such cell; -E2BIG for a column of too
 * many values; -ENOMEM.
 */
int nst_plot_sweep_draw(cairo_t *cr, double width, double height,
			const struct nst_sweep *sweep,
			enum nst_sweep_column over, const char *title);

#endif /* NST_PLOT_SWEEP_H */
