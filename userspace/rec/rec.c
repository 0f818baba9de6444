// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * rec.c - recordings: columns, names and the writer
 *
 * One table of column names serves the writer and the reader, so that the
 * two cannot drift apart. The writer allocates when it is made and never
 * again: it is called from the loop of the daemon.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rec.h"
#include "rec_columns.h"

const char *const nst_rec_column[REC_COLUMN_COUNT] = {
	[REC_SEQ] = "seq",
	[REC_T_US] = "t_us",
	[REC_SENSOR] = "sensor",
	[REC_TEMP_MC] = "temp_mc",
	[REC_TEMP_STATE] = "temp_state",
	[REC_GATE] = "gate",
	[REC_PLACEMENT] = "placement",
	[REC_EXPOSURE_TEMP_MC] = "exposure_temp_mc",
	[REC_LIMIT_MC] = "limit_mc",
	[REC_HIGH_MC] = "high_mc",
	[REC_LOW_MC] = "low_mc",
	[REC_MAX_MC] = "max_mc",
	[REC_POWER_MW] = "power_mw",
	[REC_AMBIENT_MC] = "ambient_mc",
	[REC_EXPOSURE_US] = "exposure_us",
	[REC_ISO] = "iso",
	[REC_LUX_MILLI] = "lux_milli",
	[REC_DELIVERED] = "delivered",
	[REC_REASON] = "reason",
};

static const char *const state_name[NST_SAMPLE_STATE_COUNT] = {
	[NST_SAMPLE_VALID] = "valid",
	[NST_SAMPLE_NOT_READY] = "not-ready",
	[NST_SAMPLE_NO_DATA] = "no-data",
	[NST_SAMPLE_BUS_FAULT] = "bus-fault",
	[NST_SAMPLE_GONE] = "gone",
	[NST_SAMPLE_IMPLAUSIBLE] = "implausible",
};

const char *nst_rec_state_name(enum nst_sample_state state)
{
	if ((unsigned int)state >= NST_SAMPLE_STATE_COUNT)
		return "unknown";
	return state_name[state];
}

bool nst_rec_name_ok(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len < NST_REC_SENSOR_LEN &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_.-") == len;
}

/* One line of printable text; a comma would end the field. */
bool nst_rec_text_ok(const char *text, bool comma)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f ||
		    (*text == ',' && !comma))
			return false;
	return true;
}

bool nst_rec_temp_ok(s32 temp_mc)
{
	return temp_mc == NST_TEMP_NONE_MC || nst_temp_in_range(temp_mc);
}

bool nst_rec_limits_ok(s32 low_mc, s32 high_mc, s32 max_mc)
{
	if (low_mc == NST_TEMP_NONE_MC || high_mc == NST_TEMP_NONE_MC ||
	    max_mc == NST_TEMP_NONE_MC)
		return true;
	return low_mc < high_mc && high_mc <= max_mc;
}

/* -------------------------------------------------------------- writer */

struct nst_rec_writer {
	FILE *out;
	bool header_done;
};

static int check_out(FILE *out)
{
	return ferror(out) ? -EIO : 0;
}

int nst_rec_writer_new(struct nst_rec_writer **ret, FILE *out)
{
	struct nst_rec_writer *w;

	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->out = out;
	fprintf(out, "# nst-recording %d\n", NST_REC_VERSION);
	if (check_out(out)) {
		free(w);
		return -EIO;
	}
	*ret = w;
	return 0;
}

int nst_rec_writer_meta(struct nst_rec_writer *w, const char *line)
{
	if (w->header_done)
		return -EBUSY;
	if (!*line || !nst_rec_text_ok(line, true) ||
	    strlen(line) >= NST_REC_META_LEN)
		return -EINVAL;
	fprintf(w->out, "# %s\n", line);
	return check_out(w->out);
}

/* No record may be written that the reader would refuse. */
static int check_frame(const struct nst_rec_frame *f)
{
	if (!nst_rec_name_ok(f->sensor) || !f->reason_text ||
	    !nst_rec_text_ok(f->reason_text, false) ||
	    strlen(f->reason_text) >= NST_REC_REASON_LEN ||
	    (unsigned int)f->temp_state >= NST_SAMPLE_STATE_COUNT ||
	    (unsigned int)f->gate >= NST_GATE_COUNT ||
	    (unsigned int)f->placement >= NST_PLACEMENT_COUNT)
		return -EINVAL;
	if (f->temp_state == NST_SAMPLE_VALID &&
	    !nst_temp_in_range(f->temp_mc))
		return -ERANGE;
	if (!nst_rec_temp_ok(f->exposure_temp_mc) ||
	    !nst_rec_temp_ok(f->limit_mc) || !nst_rec_temp_ok(f->high_mc) ||
	    !nst_rec_temp_ok(f->low_mc) || !nst_rec_temp_ok(f->max_mc) ||
	    !nst_rec_temp_ok(f->ambient_mc) ||
	    f->power_mw > NST_POWER_MAX_MW ||
	    f->exposure_us > NST_FRAME_PERIOD_MAX_US ||
	    f->iso > NST_REC_ISO_MAX)
		return -ERANGE;
	if (!nst_rec_limits_ok(f->low_mc, f->high_mc, f->max_mc))
		return -EINVAL;
	return 0;
}

static void put_header(struct nst_rec_writer *w)
{
	for (int i = 0; i < REC_COLUMN_COUNT; i++)
		fprintf(w->out, "%s%s", i ? "," : "", nst_rec_column[i]);
	fputc('\n', w->out);
	w->header_done = true;
}

static void put_temp(FILE *out, s32 temp_mc)
{
	if (temp_mc == NST_TEMP_NONE_MC)
		fputc(',', out);
	else
		fprintf(out, "%" PRId32 ",", temp_mc);
}

int nst_rec_writer_frame(struct nst_rec_writer *w,
			 const struct nst_rec_frame *f)
{
	FILE *out = w->out;
	int r;

	r = check_frame(f);
	if (r)
		return r;
	if (!w->header_done)
		put_header(w);
	fprintf(out, "%" PRIu64 ",%" PRIu64 ",%s,", f->seq, f->t_us,
		f->sensor);
	put_temp(out, f->temp_state == NST_SAMPLE_VALID ? f->temp_mc
							: NST_TEMP_NONE_MC);
	fprintf(out, "%s,%s,%s,", nst_rec_state_name(f->temp_state),
		nst_gate_name(f->gate), nst_placement_name(f->placement));
	put_temp(out, f->exposure_temp_mc);
	put_temp(out, f->limit_mc);
	put_temp(out, f->high_mc);
	put_temp(out, f->low_mc);
	put_temp(out, f->max_mc);
	fprintf(out, "%" PRIu32 ",", f->power_mw);
	put_temp(out, f->ambient_mc);
	fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%d,%s\n",
		f->exposure_us, f->iso, f->lux_milli, f->delivered ? 1 : 0,
		f->reason_text);
	return check_out(out);
}

void nst_rec_writer_free(struct nst_rec_writer *w)
{
	if (!w)
		return;
	if (!w->header_done)
		put_header(w);
	(void)fflush(w->out);
	free(w);
}
