// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* curve.c - accuracy-versus-SNR curves as files, see curve.h */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "curve.h"
#include "number.h"

#define HEADER "snr_db,accuracy"
#define LINE_LEN 256
#define LINES_MAX 1000

struct reader {
	const char *path;
	FILE *err;
	unsigned int line;
	unsigned int column;
};

static int complain(const struct reader *rd, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int complain(const struct reader *rd, const char *format, ...)
{
	va_list ap;

	if (rd->err) {
		fprintf(rd->err, "%s:%u:%u: ", rd->path, rd->line, rd->column);
		va_start(ap, format);
		vfprintf(rd->err, format, ap);
		va_end(ap);
		fputc('\n', rd->err);
	}
	return -EINVAL;
}

/* "SNR,ACCURACY", or "clean,ACCURACY" which ends the curve. */
static int read_point(struct reader *rd, char *text, struct nst_accuracy *c)
{
	struct nst_accuracy_point *p = &c->point[c->points];
	char *comma = strchr(text, ',');
	double accuracy;

	if (c->clean > 0.0)
		return complain(rd, "nothing may follow the line 'clean'");
	if (!comma)
		return complain(rd, "a point is 'SNR,ACCURACY' or 'clean,ACCURACY', not '%s'",
				text);
	*comma = '\0';
	rd->column = (unsigned int)(comma - text) + 2;
	if (nst_number_real(comma + 1, 0.0, 1e6, &accuracy))
		return complain(rd, "'%s' is no accuracy; valid: 0 to 1e+06",
				comma + 1);
	if (c->points && accuracy < p[-1].accuracy)
		return complain(rd, "accuracy %g is less than the %g of the noisier point before",
				accuracy, p[-1].accuracy);
	if (!strcmp(text, "clean")) {
		if (!(accuracy > 0.0))
			return complain(rd, "the accuracy on clean images must be above 0");
		c->clean = accuracy;
		return 0;
	}
	rd->column = 1;
	if (c->points == NST_ACCURACY_POINTS_MAX)
		return complain(rd, "more than %d points",
				NST_ACCURACY_POINTS_MAX);
	if (nst_number_real(text, -60.0, 120.0, &p->snr_db))
		return complain(rd, "'%s' is no SNR; valid: -60 to 120 dB, or clean",
				text);
	if (c->points && p->snr_db <= p[-1].snr_db)
		return complain(rd, "SNR must rise from point to point");
	p->accuracy = accuracy;
	c->points++;
	return 0;
}

static int read_all(struct reader *rd, FILE *in, struct nst_accuracy *c)
{
	bool have_header = false;
	char text[LINE_LEN];
	int r;

	while (fgets(text, sizeof(text), in)) {
		rd->line++;
		rd->column = 1;
		if (!strchr(text, '\n') && !feof(in))
			return complain(rd, "a line of more than %d characters",
					LINE_LEN - 2);
		if (rd->line > LINES_MAX)
			return complain(rd, "more than %d lines", LINES_MAX);
		text[strcspn(text, "\r\n")] = '\0';
		if (!*text || *text == '#')
			continue;
		if (!have_header) {
			if (strcmp(text, HEADER))
				return complain(rd, "the first line must be '%s', not '%s'",
						HEADER, text);
			have_header = true;
			continue;
		}
		r = read_point(rd, text, c);
		if (r)
			return r;
	}
	if (ferror(in))
		return -EIO;
	if (!have_header)
		return complain(rd, "no line '%s': this is no curve", HEADER);
	if (!c->points || !(c->clean > 0.0))
		return complain(rd, "a curve has at least one point and ends with 'clean,ACCURACY'");
	if (nst_accuracy_check(c))
		return complain(rd, "these points are no curve");
	return 0;
}

int nst_curve_load(struct nst_accuracy *ret, const char *path, FILE *err)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	struct reader rd = { .path = path, .err = err };
	struct nst_accuracy c;
	struct stat st;
	int r;

	memset(&c, 0, sizeof(c));
	if (!in || fstat(fileno(in), &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	r = read_all(&rd, in, &c);
	if (r)
		return r;
	*ret = c;
	return 0;
}
