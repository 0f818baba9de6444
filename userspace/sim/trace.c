// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* trace.c - light and weather of a simulated run, see trace.h */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "light_log.h"
#include "number.h"
#include "trace.h"
#include "words.h"

#define STEPS_MAX 1000000
#define COLUMNS_MAX 16
#define US_PER_S 1e6
#define SECONDS_MAX 1e9

enum column {
	COL_TIME,
	COL_LIGHT,
	COL_LUX,
	COL_EXPOSURE,
	COL_ISO,
	COL_AMBIENT,
	COL_CAPTURES,
	COL_COUNT
};

static const char *const column_names[COL_COUNT] = {
	"t_s", "light", "lux", "exposure_us", "iso", "ambient_mc",
	"captures_hz"
};

struct reader {
	const char *path;
	FILE *err;
	unsigned int line;
	int columns[COLUMNS_MAX];	/* enum column of each field */
	size_t column_count;
	bool have[COL_COUNT];
};

static int complain(const struct reader *rd, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int complain(const struct reader *rd, const char *format, ...)
{
	va_list ap;

	if (rd->err) {
		fprintf(rd->err, "%s:%u: ", rd->path, rd->line);
		va_start(ap, format);
		vfprintf(rd->err, format, ap);
		va_end(ap);
		fputc('\n', rd->err);
	}
	return -EINVAL;
}

/* Thirds of a stop: cameras do not move a shutter for less. */
static double third_stops(double value)
{
	return exp2(round(log2(value) * 3.0) / 3.0);
}

void nst_trace_auto_exposure(u32 lux_milli, u32 *ret_exposure_us,
			     u32 *ret_iso)
{
	/* dim, office, daylight */
	const struct nst_profile_light *at = nst_profile_lights;
	double lux = lux_milli ? lux_milli : 1, share, exposure, iso;
	unsigned int i = 0;

	if (lux >= at[2].lux_milli || lux <= at[0].lux_milli) {
		const struct nst_profile_light *end =
			&at[lux <= at[0].lux_milli ? 0 : 2];

		*ret_exposure_us = end->exposure_us;
		*ret_iso = end->iso;
		return;
	}
	if (lux >= at[1].lux_milli)
		i = 1;
	share = log(lux / at[i].lux_milli) /
		log((double)at[i + 1].lux_milli / at[i].lux_milli);
	/* Steps are counted from the dim setting, so the ends are exact. */
	exposure = pow((double)at[i + 1].exposure_us / at[i].exposure_us,
		       share) * at[i].exposure_us / at[0].exposure_us;
	iso = pow((double)at[i + 1].iso / at[i].iso, share) * at[i].iso /
	      at[0].iso;
	*ret_exposure_us =
		(u32)lround(at[0].exposure_us * third_stops(exposure));
	*ret_iso = (u32)lround(at[0].iso * third_stops(iso));
}

/* Cut a line into fields in place; Return: how many, COLUMNS_MAX + 1 at most */
static size_t split(char *line, char **fields)
{
	size_t n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	for (;;) {
		char *comma = strchr(line, ',');

		if (n < COLUMNS_MAX)
			fields[n] = line;
		n++;
		if (!comma || n > COLUMNS_MAX)
			return n;
		*comma = '\0';
		line = comma + 1;
	}
}

static int read_header(struct reader *rd, char *line)
{
	char *fields[COLUMNS_MAX];
	size_t n = split(line, fields);
	char hint[256];

	if (n > COLUMNS_MAX)
		return complain(rd, "more than %d columns", COLUMNS_MAX);
	for (size_t i = 0; i < n; i++) {
		int c = COL_COUNT;

		for (int j = 0; j < COL_COUNT; j++) {
			if (!strcmp(fields[i], column_names[j]))
				c = j;
		}
		if (c == COL_COUNT) {
			nst_words_hint(hint, sizeof(hint), "valid columns",
				       fields[i], column_names, COL_COUNT);
			return complain(rd, "unknown column '%s'; %s",
					fields[i], hint);
		}
		if (rd->have[c])
			return complain(rd, "column '%s' again", fields[i]);
		rd->have[c] = true;
		rd->columns[i] = c;
	}
	rd->column_count = n;
	if (!rd->have[COL_TIME])
		return complain(rd, "no column 't_s'; the first line names the columns");
	if (rd->have[COL_EXPOSURE] != rd->have[COL_ISO])
		return complain(rd, "'exposure_us' and 'iso' come together");
	if (rd->have[COL_LIGHT] + rd->have[COL_LUX] +
	    rd->have[COL_EXPOSURE] != 1)
		return complain(rd,
				"one of 'light', 'lux' and 'exposure_us,iso' is needed, and only one");
	return 0;
}

static int bad_number(const struct reader *rd, int column, const char *text,
		      double min, double max)
{
	return complain(rd, "'%s' is not a valid %s; valid: %g to %g", text,
			column_names[column], min, max);
}

static int read_field(struct reader *rd, int column, const char *text,
		      struct nst_trace_step *step)
{
	const struct nst_profile_light *light;
	const char *words[8];
	char hint[256];
	long long value;
	double real;

	switch (column) {
	case COL_TIME:
		if (nst_number_real(text, 0, SECONDS_MAX, &real))
			return bad_number(rd, column, text, 0, SECONDS_MAX);
		step->t_us = (u64)llround(real * US_PER_S);
		return 0;
	case COL_LIGHT:
		light = nst_profile_light_find(text);
		if (light) {
			step->exposure_us = light->exposure_us;
			step->iso = light->iso;
			step->lux_milli = light->lux_milli;
			return 0;
		}
		for (unsigned int i = 0; i < nst_profile_light_count; i++)
			words[i] = nst_profile_lights[i].name;
		nst_words_hint(hint, sizeof(hint), "valid", text, words,
			       nst_profile_light_count);
		return complain(rd, "unknown light '%s'; %s", text, hint);
	case COL_LUX:
		if (nst_number_real(text, 0, 200000, &real))
			return bad_number(rd, column, text, 0, 200000);
		step->lux_milli = (u32)lround(real * 1000.0);
		nst_trace_auto_exposure(step->lux_milli, &step->exposure_us,
					&step->iso);
		return 0;
	case COL_EXPOSURE:
		if (nst_number_int(text, 1, 5000000, &value))
			return bad_number(rd, column, text, 1, 5000000);
		step->exposure_us = (u32)value;
		return 0;
	case COL_ISO:
		if (nst_number_int(text, 1, 1000000, &value))
			return bad_number(rd, column, text, 1, 1000000);
		step->iso = (u32)value;
		return 0;
	case COL_CAPTURES:
		if (nst_number_real(text, 0, NST_TRACE_CAPTURES_MAX_HZ, &real))
			return bad_number(rd, column, text, 0,
					  NST_TRACE_CAPTURES_MAX_HZ);
		step->has_captures = true;
		step->captures_hz = (float)real;
		return 0;
	default:
		if (nst_number_int(text, -40000, 85000, &value))
			return bad_number(rd, column, text, -40000, 85000);
		step->has_ambient = true;
		step->ambient_mc = (s32)value;
		return 0;
	}
}

static int read_step(struct reader *rd, char *line,
		     struct nst_trace_step *step)
{
	char *fields[COLUMNS_MAX];
	size_t n = split(line, fields);
	int r;

	memset(step, 0, sizeof(*step));
	if (n != rd->column_count)
		return complain(rd, "%zu fields where the header has %zu", n,
				rd->column_count);
	for (size_t i = 0; i < n; i++) {
		r = read_field(rd, rd->columns[i], fields[i], step);
		if (r)
			return r;
	}
	return 0;
}

static int append(struct reader *rd, struct nst_trace *trace,
		  const struct nst_trace_step *step, size_t *room)
{
	const struct nst_trace_step *last =
		trace->count ? &trace->steps[trace->count - 1] : NULL;

	if (!last && step->t_us)
		return complain(rd, "the first step must be at t_s 0");
	if (last && step->t_us <= last->t_us)
		return complain(rd, "t_s must rise from line to line");
	if (trace->count >= STEPS_MAX)
		return complain(rd, "more than %d steps", STEPS_MAX);
	if (trace->count == *room) {
		size_t more = *room ? *room * 2 : 64;
		void *p = reallocarray(trace->steps, more,
				       sizeof(*trace->steps));

		if (!p)
			return -ENOMEM;
		trace->steps = p;
		*room = more;
	}
	trace->steps[trace->count++] = *step;
	return 0;
}

static int read_all(struct reader *rd, FILE *in, struct nst_trace *trace)
{
	struct nst_trace_step step;
	bool have_header = false;
	char line[512];
	size_t room = 0;
	int r;

	while (fgets(line, sizeof(line), in)) {
		rd->line++;
		if (!strchr(line, '\n') && !feof(in))
			return complain(rd, "the line is too long");
		if (*line == '#' || !line[strspn(line, " \t\r\n")])
			continue;
		if (!have_header) {
			r = read_header(rd, line);
			have_header = true;
		} else {
			r = read_step(rd, line, &step);
			if (!r)
				r = append(rd, trace, &step, &room);
		}
		if (r)
			return r;
	}
	if (ferror(in))
		return -EIO;
	if (!trace->count)
		return complain(rd, "the trace has no steps");
	return 0;
}

/* By its first line; the file is at its start again afterwards. */
static bool is_light_log(FILE *in)
{
	char line[512];
	bool is = false;

	while (fgets(line, sizeof(line), in)) {
		if (*line == '#' || !line[strspn(line, " \t\r\n")])
			continue;
		is = nst_light_log_is(line);
		break;
	}
	rewind(in);
	return is;
}

int nst_trace_load(struct nst_trace *ret, const char *path, FILE *err)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	struct reader rd = { .path = path, .err = err };
	struct nst_trace trace = { .count = 0 };
	struct stat st;
	int r;

	if (!in || fstat(fileno(in), &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (is_light_log(in))
		return nst_light_log_load(ret, path, err);
	r = read_all(&rd, in, &trace);
	if (r) {
		free(trace.steps);
		return r;
	}
	snprintf(trace.name, sizeof(trace.name), "%s", path);
	if (trace.count > 1)
		trace.end_us = 2 * trace.steps[trace.count - 1].t_us -
			       trace.steps[trace.count - 2].t_us;
	*ret = trace;
	return 0;
}

int nst_trace_light(struct nst_trace *ret,
		    const struct nst_profile_light *light)
{
	struct nst_trace_step *step = calloc(1, sizeof(*step));

	if (!step)
		return -ENOMEM;
	step->exposure_us = light->exposure_us;
	step->iso = light->iso;
	step->lux_milli = light->lux_milli;
	memset(ret, 0, sizeof(*ret));
	strcpy(ret->name, light->name);
	ret->steps = step;
	ret->count = 1;
	return 0;
}

void nst_trace_free(struct nst_trace *trace)
{
	free(trace->steps);
	trace->steps = NULL;
	trace->count = 0;
}
