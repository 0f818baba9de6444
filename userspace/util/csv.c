// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* csv.c - see csv.h */
#include <string.h>

#include "csv.h"

size_t nst_csv_cut(char *line, char **cells, size_t max)
{
	size_t n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	while (n < max) {
		char *comma = strchr(line, ',');

		cells[n++] = line;
		if (!comma)
			break;
		*comma = '\0';
		line = comma + 1;
	}
	return n;
}
