/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* csv.h - lines of numbers between commas, without quoting */
#ifndef NST_CSV_H
#define NST_CSV_H

#include <stddef.h>

/**
 * nst_csv_cut() - the cells of a line, cut in place
 * @line: its end of line is cut off, too
 * @max: room in @cells; what lies behind is not looked at
 * Return: how many there are; an empty line is one empty cell.
 */
size_t nst_csv_cut(char *line, char **cells, size_t max);

#endif /* NST_CSV_H */
