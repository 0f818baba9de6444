// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * rec_reader.c - strict reader of recordings
 *
 * A recording is evidence: a line that cannot be understood ends the reading
 * with its number and with what would have been valid, and never becomes a
 * guessed record. Columns are found by name, so a file with further columns,
 * or with the same ones in another order, reads as well.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "rec.h"
#include "rec_columns.h"

#define LINE_LEN 4096
#define FIELDS_MAX 64

struct nst_rec_reader {
	FILE *in;
	FILE *err;
	const char *name;
	unsigned long line_no;
	unsigned int meta_count;
	char *meta[NST_REC_METAS_MAX];
	unsigned int field_count;
	int at[REC_COLUMN_COUNT];	/* column -> field of the line */
	char line[LINE_LEN];
	char *field[FIELDS_MAX];
};

__attribute__((format(printf, 2, 3)))
static int bad(const struct nst_rec_reader *r, const char *fmt, ...)
{
	va_list ap;

	fprintf(r->err, "%s:%lu: ", r->name, r->line_no);
	va_start(ap, fmt);
	vfprintf(r->err, fmt, ap);
	va_end(ap);
	fputc('\n', r->err);
	return -EBADMSG;
}

/* Text of a broken file in a message: one short printable word. */
static const char *quote(const char *text, char *buf, size_t size)
{
	size_t i;

	for (i = 0; text[i] && i + 1 < size; i++) {
		unsigned char c = (unsigned char)text[i];

		buf[i] = c < ' ' || c >= 0x7f ? '?' : (char)c;
	}
	buf[i] = '\0';
	return buf;
}

/* 1 and the line without its newline, 0 at the end, -EBADMSG */
static int read_line(struct nst_rec_reader *r)
{
	size_t len;

	/* A NUL would hide the rest of the line: find it by its effect. */
	memset(r->line, '\n', sizeof(r->line));
	if (!fgets(r->line, sizeof(r->line), r->in)) {
		if (ferror(r->in)) {
			bad(r, "cannot be read: %s", strerror(errno));
			return -EBADMSG;
		}
		return 0;
	}
	r->line_no++;
	len = strlen(r->line);
	if (!len || r->line[len - 1] != '\n') {
		if (len + 1 == sizeof(r->line))
			return bad(r, "line is longer than %d characters",
				   LINE_LEN - 2);
		if (feof(r->in) && !memchr(r->line + len + 1, '\0',
					   sizeof(r->line) - len - 1))
			return bad(r, "the file ends in the middle of a line");
		return bad(r, "a NUL byte where text is expected");
	}
	r->line[--len] = '\0';
	if (len && r->line[len - 1] == '\r')
		return bad(r, "line ends with CR LF, a recording has LF alone");
	return 1;
}

static int split(struct nst_rec_reader *r)
{
	char *pos = r->line;

	r->field_count = 0;
	for (;;) {
		char *comma = strchr(pos, ',');

		if (r->field_count == FIELDS_MAX)
			return bad(r, "more than %d fields", FIELDS_MAX);
		r->field[r->field_count++] = pos;
		if (!comma)
			return 0;
		*comma = '\0';
		pos = comma + 1;
	}
}

/* -------------------------------------------------------------- fields */

static int read_u64(struct nst_rec_reader *r, int col, u64 max, u64 *ret)
{
	const char *text = r->field[r->at[col]];
	char shown[32];
	u64 val = 0;

	if (!*text)
		return bad(r, "%s is empty, valid is 0 to %" PRIu64,
			   nst_rec_column[col], max);
	for (const char *p = text; *p; p++) {
		u64 digit = (u64)(*p - '0');

		if (*p < '0' || *p > '9' || val > (max - digit) / 10 ||
		    digit > max)
			return bad(r, "%s is '%s', valid is 0 to %" PRIu64,
				   nst_rec_column[col],
				   quote(text, shown, sizeof(shown)), max);
		val = val * 10 + digit;
	}
	*ret = val;
	return 0;
}

static int read_u32(struct nst_rec_reader *r, int col, u32 max, u32 *ret)
{
	u64 val;
	int err;

	err = read_u64(r, col, max, &val);
	if (!err)
		*ret = (u32)val;
	return err;
}

/* An empty field is "no limit", "not known": NST_TEMP_NONE_MC. */
static int read_temp(struct nst_rec_reader *r, int col, s32 *ret)
{
	const char *text = r->field[r->at[col]];
	char *end;
	char shown[32];
	long val;

	if (!*text) {
		*ret = NST_TEMP_NONE_MC;
		return 0;
	}
	errno = 0;
	val = strtol(text, &end, 10);
	if ((*text != '-' && (*text < '0' || *text > '9')) || *end ||
	    end == text || errno || val < NST_TEMP_MIN_MC ||
	    val > NST_TEMP_MAX_MC)
		return bad(r, "%s is '%s', valid is %d to %d or nothing",
			   nst_rec_column[col],
			   quote(text, shown, sizeof(shown)),
			   NST_TEMP_MIN_MC, NST_TEMP_MAX_MC);
	*ret = (s32)val;
	return 0;
}

static const char *gate_word(int i)
{
	return nst_gate_name((enum nst_gate)i);
}

static const char *placement_word(int i)
{
	return nst_placement_name((enum nst_placement)i);
}

static const char *state_word(int i)
{
	return nst_rec_state_name((enum nst_sample_state)i);
}

static int read_word(struct nst_rec_reader *r, int col,
		     const char *(*word)(int i), int count, int *ret)
{
	const char *text = r->field[r->at[col]];
	char shown[32], valid[128];
	size_t len = 0;

	for (int i = 0; i < count; i++)
		if (!strcmp(text, word(i))) {
			*ret = i;
			return 0;
		}
	for (int i = 0; i < count && len < sizeof(valid); i++)
		len += (size_t)snprintf(valid + len, sizeof(valid) - len,
					"%s%s", i ? ", " : "", word(i));
	return bad(r, "%s is '%s', valid are %s", nst_rec_column[col],
		   quote(text, shown, sizeof(shown)), valid);
}

static int read_names(struct nst_rec_reader *r, struct nst_rec_frame *f)
{
	const char *sensor = r->field[r->at[REC_SENSOR]];
	const char *reason = r->field[r->at[REC_REASON]];
	int val, err;

	if (!nst_rec_name_ok(sensor)) {
		char shown[32];

		return bad(r, "sensor is '%s', valid are 1 to %d letters, "
			   "digits, '_', '.' and '-'",
			   quote(sensor, shown, sizeof(shown)),
			   NST_REC_SENSOR_LEN - 1);
	}
	memcpy(f->sensor, sensor, strlen(sensor) + 1);
	if (strlen(reason) >= NST_REC_REASON_LEN ||
	    !nst_rec_text_ok(reason, false))
		return bad(r, "reason is not one line of at most %d characters",
			   NST_REC_REASON_LEN - 1);
	f->reason_text = reason;
	err = read_word(r, REC_TEMP_STATE, state_word, NST_SAMPLE_STATE_COUNT,
			&val);
	if (err)
		return err;
	f->temp_state = (enum nst_sample_state)val;
	err = read_word(r, REC_GATE, gate_word, NST_GATE_COUNT, &val);
	if (err)
		return err;
	f->gate = (enum nst_gate)val;
	err = read_word(r, REC_PLACEMENT, placement_word, NST_PLACEMENT_COUNT,
			&val);
	if (!err)
		f->placement = (enum nst_placement)val;
	return err;
}

static int read_temps(struct nst_rec_reader *r, struct nst_rec_frame *f)
{
	const struct {
		int col;
		s32 *ret;
	} temps[] = {
		{ REC_TEMP_MC, &f->temp_mc },
		{ REC_EXPOSURE_TEMP_MC, &f->exposure_temp_mc },
		{ REC_LIMIT_MC, &f->limit_mc },
		{ REC_HIGH_MC, &f->high_mc },
		{ REC_LOW_MC, &f->low_mc },
		{ REC_MAX_MC, &f->max_mc },
		{ REC_AMBIENT_MC, &f->ambient_mc },
	};

	for (size_t i = 0; i < sizeof(temps) / sizeof(temps[0]); i++) {
		int err = read_temp(r, temps[i].col, temps[i].ret);

		if (err)
			return err;
	}
	if (f->temp_state == NST_SAMPLE_VALID &&
	    f->temp_mc == NST_TEMP_NONE_MC)
		return bad(r, "temp_mc is empty beside temp_state 'valid'");
	if (f->temp_state != NST_SAMPLE_VALID &&
	    f->temp_mc != NST_TEMP_NONE_MC)
		return bad(r, "temp_mc is %" PRId32 " beside temp_state '%s': "
			   "a temperature that is not valid has no number",
			   f->temp_mc, nst_rec_state_name(f->temp_state));
	if (!nst_rec_limits_ok(f->low_mc, f->high_mc, f->max_mc))
		return bad(r, "limits %" PRId32 ", %" PRId32 ", %" PRId32
			   " break low_mc < high_mc <= max_mc",
			   f->low_mc, f->high_mc, f->max_mc);
	return 0;
}

static int read_numbers(struct nst_rec_reader *r, struct nst_rec_frame *f)
{
	u32 delivered = 0;
	int err;

	err = read_u64(r, REC_SEQ, UINT64_MAX, &f->seq);
	if (!err)
		err = read_u64(r, REC_T_US, UINT64_MAX, &f->t_us);
	if (!err)
		err = read_u32(r, REC_POWER_MW, NST_POWER_MAX_MW,
			       &f->power_mw);
	if (!err)
		err = read_u32(r, REC_EXPOSURE_US, NST_FRAME_PERIOD_MAX_US,
			       &f->exposure_us);
	if (!err)
		err = read_u32(r, REC_ISO, NST_REC_ISO_MAX, &f->iso);
	if (!err)
		err = read_u32(r, REC_LUX_MILLI, UINT32_MAX, &f->lux_milli);
	if (!err)
		err = read_u32(r, REC_DELIVERED, 1, &delivered);
	f->delivered = delivered;
	return err;
}

/* ---------------------------------------------------------------- head */

static int read_version(struct nst_rec_reader *r)
{
	static const char magic[] = "# nst-recording ";
	char shown[32];
	int err;

	err = read_line(r);
	if (err < 0)
		return err;
	if (err == 0) {
		r->line_no = 1;
		return bad(r, "the file is empty, a recording begins with "
			   "'%s%d'", magic, NST_REC_VERSION);
	}
	if (strncmp(r->line, magic, strlen(magic)))
		return bad(r, "'%s' is not the first line of a recording, "
			   "which is '%s%d'",
			   quote(r->line, shown, sizeof(shown)), magic,
			   NST_REC_VERSION);
	if (strcmp(r->line + strlen(magic), "1"))
		return bad(r, "recording version '%s', this program reads "
			   "version %d",
			   quote(r->line + strlen(magic), shown,
				 sizeof(shown)), NST_REC_VERSION);
	return 0;
}

static int read_meta(struct nst_rec_reader *r)
{
	const char *text = r->line + 1;

	text += strspn(text, " ");
	if (r->meta_count == NST_REC_METAS_MAX)
		return bad(r, "more than %d description lines",
			   NST_REC_METAS_MAX);
	if (strlen(text) >= NST_REC_META_LEN || !nst_rec_text_ok(text, true))
		return bad(r, "description is not one line of at most %d "
			   "characters", NST_REC_META_LEN - 1);
	r->meta[r->meta_count] = strdup(text);
	if (!r->meta[r->meta_count])
		return -ENOMEM;
	r->meta_count++;
	return 0;
}

static int read_header(struct nst_rec_reader *r)
{
	int err;

	err = split(r);
	if (err)
		return err;
	for (int col = 0; col < REC_COLUMN_COUNT; col++) {
		r->at[col] = -1;
		for (unsigned int i = 0; i < r->field_count; i++) {
			if (strcmp(r->field[i], nst_rec_column[col]))
				continue;
			if (r->at[col] >= 0)
				return bad(r, "column '%s' twice",
					   nst_rec_column[col]);
			r->at[col] = (int)i;
		}
		if (r->at[col] < 0) {
			bad(r, "column '%s' is missing; needed are:",
			    nst_rec_column[col]);
			for (int i = 0; i < REC_COLUMN_COUNT; i++)
				fprintf(r->err, "%s%s", i ? "," : "  ",
					nst_rec_column[i]);
			fputc('\n', r->err);
			return -EBADMSG;
		}
	}
	return 0;
}

int nst_rec_reader_new(struct nst_rec_reader **ret, FILE *in,
		       const char *name, FILE *err)
{
	struct nst_rec_reader *r;
	int res;

	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->in = in;
	r->err = err;
	r->name = name;
	res = read_version(r);
	while (!res) {
		res = read_line(r);
		if (res == 0) {
			r->line_no++;
			res = bad(r, "the file ends before its column names");
		} else if (res > 0 && r->line[0] == '#') {
			res = read_meta(r);
		} else if (res > 0) {
			res = read_header(r);
			break;
		}
	}
	if (res) {
		nst_rec_reader_free(r);
		return res;
	}
	*ret = r;
	return 0;
}

const char *nst_rec_reader_meta(const struct nst_rec_reader *r,
				unsigned int index)
{
	return index < r->meta_count ? r->meta[index] : NULL;
}

int nst_rec_reader_next(struct nst_rec_reader *r, struct nst_rec_frame *ret)
{
	unsigned int columns = r->field_count;
	struct nst_rec_frame f = { 0 };
	int err;

	do {
		err = read_line(r);
		if (err <= 0)
			return err;
	} while (r->line[0] == '#');
	err = split(r);
	if (!err && r->field_count != columns)
		err = bad(r, "%u fields, the header names %u columns",
			  r->field_count, columns);
	r->field_count = columns;
	if (!err)
		err = read_numbers(r, &f);
	if (!err)
		err = read_names(r, &f);
	if (!err)
		err = read_temps(r, &f);
	if (err)
		return err;
	*ret = f;
	return 1;
}

unsigned long nst_rec_reader_line(const struct nst_rec_reader *r)
{
	return r->line_no;
}

void nst_rec_reader_free(struct nst_rec_reader *r)
{
	if (!r)
		return;
	for (unsigned int i = 0; i < r->meta_count; i++)
		free(r->meta[i]);
	free(r);
}
