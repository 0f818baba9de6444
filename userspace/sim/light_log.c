// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* light_log.c - what a light meter wrote down, see light_log.h */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cleanup.h"
#include "csv.h"
#include "light_log.h"
#include "number.h"

#define LINES_MAX 1000000
#define FIELDS_MAX 16
#define LUX_MAX 200000.0
#define LUX_PER_W_M2 115.0
#define US_PER_S 1000000ull

/* ----------------------------------------------------------- formats --- */

static bool read_time(const char *format, const char *text, time_t *ret)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, format, &tm);

	if (!end || *end)
		return false;
	/* Of no time zone: only differences count. */
	*ret = timegm(&tm);
	return true;
}

static bool time_iso(char **f, time_t *ret)
{
	return read_time("%Y-%m-%dT%H:%M", f[0], ret);
}

static bool time_split(char **f, time_t *ret)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%s %s", f[0], f[1]);

	return n > 0 && n < (int)sizeof(text) &&
	       read_time("%Y-%m-%d %H:%M:%S", text, ret);
}

static bool time_american(char **f, time_t *ret)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%s %s", f[0], f[1]);

	return n > 0 && n < (int)sizeof(text) &&
	       read_time("%m/%d/%Y %H:%M", text, ret);
}

/**
 * struct format - a kind of log
 * @header: how its first line begins; NULL for none
 * @value: field of the reading; @fields: how many there have to be at least
 * @scale: from a reading to lux
 * @floor: readings below 0 are 0, not errors
 */
static const struct format {
	const char *header;
	size_t fields;
	size_t value;
	double scale;
	bool floor;
	bool (*time)(char **fields, time_t *ret);
} formats[] = {
	{ "local_time,lux", 2, 1, 1.0, false, time_iso },
	{ "DATE (MM/DD/YYYY),MST,Global PSP [W/m^2]", 3, 2, LUX_PER_W_M2, true,
	  time_american },
	{ NULL, 3, 2, 1.0, false, time_split },
};

static const struct format *format_of(const char *line)
{
	char *fields[FIELDS_MAX], copy[256];
	time_t t;

	for (size_t i = 0; i < NST_ARRAY_SIZE(formats); i++) {
		const struct format *f = &formats[i];

		if (f->header && !strncmp(line, f->header, strlen(f->header)))
			return f;
		snprintf(copy, sizeof(copy), "%s", line);
		if (!f->header &&
		    nst_csv_cut(copy, fields, FIELDS_MAX) >= f->fields &&
		    f->time(fields, &t))
			return f;
	}
	return NULL;
}

bool nst_light_log_is(const char *line)
{
	return format_of(line);
}

/* ------------------------------------------------------------- steps --- */

struct log {
	const char *path;
	FILE *err;
	unsigned int line;
	const struct format *format;
	struct nst_trace trace;
	size_t room;
	bool started;
	bool any;
	time_t start;		/* of the trace: the first good reading */
	time_t last;		/* time of the last line that rises */
	time_t interval;	/* and of the one before it until then */
	time_t good;		/* of the last good reading */
	time_t moved;		/* since when it is what it is */
	double lux;
	bool stuck;
};

static int complain(const struct log *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int complain(const struct log *l, const char *format, ...)
{
	va_list ap;

	if (l->err) {
		fprintf(l->err, "%s:%u: ", l->path, l->line);
		va_start(ap, format);
		vfprintf(l->err, format, ap);
		va_end(ap);
		fputc('\n', l->err);
	}
	return -EINVAL;
}

/* From @at on the light is @lux, or unknown. */
static int put_step(struct log *l, time_t at, bool known, double lux)
{
	struct nst_trace_step step = { 0 }, *last = NULL;

	if (l->trace.count)
		last = &l->trace.steps[l->trace.count - 1];
	step.t_us = (u64)(at - l->start) * US_PER_S;
	step.unknown = !known;
	if (known)
		step.lux_milli = (u32)lround(lux * 1000.0);
	nst_trace_auto_exposure(step.lux_milli, &step.exposure_us, &step.iso);
	/* Steps that change nothing are none. */
	if (last && last->unknown == step.unknown &&
	    last->lux_milli == step.lux_milli)
		return 0;
	if (l->trace.count == l->room) {
		size_t more = l->room ? l->room * 2 : 256;
		void *p = reallocarray(l->trace.steps, more, sizeof(step));

		if (!p)
			return -ENOMEM;
		l->trace.steps = p;
		l->room = more;
	}
	l->trace.steps[l->trace.count++] = step;
	return 0;
}

/* What has run out since the last line is unknown from then on. */
static int expire(struct log *l, time_t now)
{
	if (!l->started || now - l->good <= NST_LIGHT_HOLD_S ||
	    l->trace.steps[l->trace.count - 1].unknown)
		return 0;
	return put_step(l, l->good + NST_LIGHT_HOLD_S, false, 0);
}

static int take(struct log *l, time_t now, double reading)
{
	struct nst_trace_log *log = &l->trace.log;
	bool valid = reading >= 0.0 || l->format->floor;
	double lux = fmax(reading, 0.0) * l->format->scale;
	int r;

	log->readings++;
	if (l->any && now <= l->last) {
		log->backward++;
		return 0;
	}
	l->interval = l->any ? now - l->last : 1;
	if (l->interval > NST_LIGHT_HOLD_S) {
		log->gaps++;
		l->interval = NST_LIGHT_HOLD_S;
		/* What it was meanwhile nobody knows. */
		l->moved = now;
	}
	l->any = true;
	l->last = now;
	r = expire(l, now);
	if (r)
		return r;
	if (!valid) {
		log->invalid++;
		return 0;
	}
	if (!l->started) {
		l->started = true;
		l->start = now;
		l->moved = now;
	} else if (lux != l->lux || !(lux > 0.0)) {
		l->moved = now;
		l->stuck = false;
	}
	l->lux = lux;
	l->good = now;
	if (now - l->moved <= NST_LIGHT_STUCK_S)
		return put_step(l, now, true, fmin(lux, LUX_MAX));
	log->stuck += !l->stuck;
	l->stuck = true;
	return put_step(l, now, false, 0);
}

static int read_line(struct log *l, char *text)
{
	char *fields[FIELDS_MAX];
	double reading;
	time_t now;

	if (nst_csv_cut(text, fields, FIELDS_MAX) < l->format->fields)
		return complain(l, "fewer than %zu fields", l->format->fields);
	if (!l->format->time(fields, &now))
		return complain(l, "'%s' is no time as in the lines before",
				fields[0]);
	if (nst_number_real(fields[l->format->value], -1e6, 1e6, &reading))
		return complain(l, "'%s' is no reading of a light meter",
				fields[l->format->value]);
	return take(l, now, reading);
}

static int read_all(struct log *l, FILE *in)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	int r;

	while (getline(&line, &size, in) >= 0) {
		if (++l->line > LINES_MAX)
			return complain(l, "more than %d lines", LINES_MAX);
		if (*line == '#' || !line[strspn(line, " \t\r\n")])
			continue;
		if (!l->format) {
			l->format = format_of(line);
			if (!l->format)
				return complain(l, "no light log of a known kind");
			if (l->format->header)
				continue;
		}
		r = read_line(l, line);
		if (r)
			return r;
	}
	if (ferror(in))
		return -EIO;
	if (!l->started)
		return complain(l, "no good reading in the whole log");
	return expire(l, l->last);
}

int nst_light_log_load(struct nst_trace *ret, const char *path, FILE *err)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	struct log l = { .path = path, .err = err };
	struct stat st;
	int r;

	if (!in || fstat(fileno(in), &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	r = read_all(&l, in);
	if (r) {
		free(l.trace.steps);
		return r;
	}
	snprintf(l.trace.name, sizeof(l.trace.name), "%s", path);
	/* The last line holds as long as the one before it. */
	l.trace.end_us = (u64)(l.last - l.start + l.interval) * US_PER_S;
	l.trace.log.is = true;
	for (size_t i = 0; i < l.trace.count; i++) {
		u64 end_us = i + 1 < l.trace.count ?
				     l.trace.steps[i + 1].t_us :
				     l.trace.end_us;

		if (l.trace.steps[i].unknown)
			l.trace.log.unknown_us += end_us -
						  l.trace.steps[i].t_us;
	}
	*ret = l.trace;
	return 0;
}
