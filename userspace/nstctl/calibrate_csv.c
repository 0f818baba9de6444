// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * calibrate_csv.c - a recording of temperature and power, see calibrate.h
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calibrate.h"
#include "cleanup.h"
#include "csv.h"
#include "log.h"
#include "number.h"

#define COLUMNS_MAX 64
#define LINE_LEN 1024

enum { TIME, TEMP, POWER, WANTED, LATE = WANTED, KNOWN };

static const struct {
	const char *name;
	int what;
	double unit;
} columns[] = {
	{ "t_s", TIME, 1 },	    { "sample", TIME, 1 },
	{ "temp_C", TEMP, 1 },	    { "temp_c", TEMP, 1 },
	{ "power_W", POWER, 1 },    { "power_w", POWER, 1 },
	{ "power_mw", POWER, 0.001 }, { "pom_5v_in_mW", POWER, 0.001 },
	{ "late_s", LATE, 1 },
};

struct layout {
	int at[KNOWN];		/* column, -1: none */
	double unit[KNOWN];
};

static int find_columns(char **cell, int cells, const char *temp_column,
			struct layout *l)
{
	for (int w = 0; w < KNOWN; w++)
		l->at[w] = -1;
	for (int c = cells - 1; c >= 0; c--) {
		if (temp_column && !strcmp(cell[c], temp_column)) {
			l->at[TEMP] = c;
			l->unit[TEMP] = 1;
			continue;
		}
		for (size_t i = 0; i < NST_ARRAY_SIZE(columns); i++) {
			if (strcmp(cell[c], columns[i].name) ||
			    (temp_column && columns[i].what == TEMP))
				continue;
			l->at[columns[i].what] = c;
			l->unit[columns[i].what] = columns[i].unit;
		}
	}
	return l->at[TIME] < 0 || l->at[TEMP] < 0 || l->at[POWER] < 0 ? -EINVAL
								     : 0;
}

static int read_row(char **cell, int cells, const struct layout *l,
		    struct nst_fit_reading *ret)
{
	double v[KNOWN] = { 0 };

	for (int w = 0; w < KNOWN; w++) {
		if (w == LATE && (l->at[w] < 0 || l->at[w] >= cells ||
				  !*cell[l->at[w]]))
			continue;
		/* a change of power that nobody looked at the sensor for */
		if (w == TEMP && l->at[w] < cells && !*cell[l->at[w]]) {
			v[w] = NAN;
			continue;
		}
		if (l->at[w] >= cells ||
		    nst_number_real(cell[l->at[w]], -1e12, 1e12, &v[w]))
			return -EINVAL;
		v[w] *= l->unit[w];
	}
	*ret = (struct nst_fit_reading){ v[TIME], v[TEMP], v[POWER],
					 v[LATE] };
	return 0;
}

int nst_cal_csv_write(const char *path, const struct nst_fit_reading *reading,
		      int readings)
{
	FILE *out = fopen(path, "we");

	if (!out)
		return nst_log_err(-errno, "%s", path);
	fputs("t_s,temp_C,power_W,late_s\n", out);
	for (int i = 0; i < readings; i++) {
		const struct nst_fit_reading *m = &reading[i];

		fprintf(out, "%.6f,", m->t_s);
		if (!isnan(m->temp_c))
			fprintf(out, "%.3f", m->temp_c);
		fprintf(out, ",%.3f", m->power_w);
		if (m->late_s > 0)
			fprintf(out, ",%.6f\n", m->late_s);
		else
			fputs(",\n", out);
	}
	/* a full disk may show with the last buffer only */
	if (fclose(out))
		return nst_log_err(-errno, "%s", path);
	return 0;
}

int nst_cal_csv_read(const char *path, const char *temp_column,
		     struct nst_fit_reading *ret, int max)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	char line[LINE_LEN], *cell[COLUMNS_MAX];
	bool header = true;
	struct layout l;
	int n = 0, number = 0;

	if (!in)
		return nst_log_err(-errno, "%s", path);
	while (fgets(line, sizeof(line), in)) {
		int cells;

		number++;
		if (!strchr(line, '\n') && !feof(in))
			return nst_log_err(-EBADMSG, "%s:%d: longer than %d characters",
					   path, number, LINE_LEN - 2);
		if (line[0] == '#' || line[0] == '\n' || line[0] == '\r')
			continue;
		cells = (int)nst_csv_cut(line, cell, COLUMNS_MAX);
		if (header) {
			header = false;
			if (find_columns(cell, cells, temp_column, &l))
				return nst_log_err(-EBADMSG, "%s:%d: no columns for time (t_s, sample), temperature (%s) and power (power_W, power_mw, pom_5v_in_mW)",
						   path, number, temp_column ?
						   temp_column : "temp_C");
			continue;
		}
		if (n == max)
			return nst_log_err(-EBADMSG, "%s: more than %d lines",
					   path, max);
		if (read_row(cell, cells, &l, &ret[n]))
			return nst_log_err(-EBADMSG, "%s:%d: no number where one is needed",
					   path, number);
		if (n && ret[n].t_s < ret[n - 1].t_s)
			return nst_log_err(-EBADMSG, "%s:%d: time goes backwards: one run at a time",
					   path, number);
		n++;
	}
	if (ferror(in))
		return nst_log_err(-EIO, "%s", path);
	return n;
}
