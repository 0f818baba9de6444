/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * rec.h - recordings: one line of text per frame and sensor
 *
 * A recording is UTF-8 text. The first line is "# nst-recording 1". Lines
 * "# key value" describe sensors ("# sensor cam0 near_mw=2500 ..."). Then
 * one header line with the column names below and comma-separated records.
 * A temperature that was not valid is an empty field beside its state: it
 * is never written as a number. An empty field in another temperature
 * column is NST_TEMP_NONE_MC: no limit, or not known. Readers refuse a file
 * of another version, a missing column, a malformed field and a last line
 * without an end, with the line number; an unknown further column and a
 * comment line among the records are ignored.
 *
 * seq,t_us,sensor,temp_mc,temp_state,gate,placement,exposure_temp_mc,
 * limit_mc,high_mc,low_mc,max_mc,power_mw,ambient_mc,exposure_us,iso,
 * lux_milli,delivered,reason
 */
#ifndef NST_REC_H
#define NST_REC_H

#include <stdio.h>

#include "policy.h"
#include "sample.h"

#define NST_REC_VERSION 1
#define NST_REC_SENSOR_LEN 32
#define NST_REC_REASON_LEN 96
#define NST_REC_META_LEN 512
#define NST_REC_METAS_MAX 64

/**
 * struct nst_rec_frame - one frame of one sensor
 * @placement: who processed frame @seq (in the period after its exposure)
 * @gate: gate during its exposure
 * @temp_mc: meaningful with @temp_state NST_SAMPLE_VALID only
 * @exposure_temp_mc: NST_TEMP_NONE_MC when the model does not know it
 * @limit_mc: the limit that binds the delivered frame, or NONE
 * @power_mw: system power while it was processed (model)
 * @delivered: 1 delivered, 0 dropped or withheld (see @reason_text)
 * @reason_text: printable, no comma; from a reader it is valid until the
 *	next call
 */
struct nst_rec_frame {
	u64 seq;
	u64 t_us;
	char sensor[NST_REC_SENSOR_LEN];
	s32 temp_mc;
	enum nst_sample_state temp_state;
	enum nst_gate gate;
	enum nst_placement placement;
	s32 exposure_temp_mc;
	s32 limit_mc;
	s32 high_mc;
	s32 low_mc;
	s32 max_mc;
	u32 power_mw;
	s32 ambient_mc;
	u32 exposure_us;
	u32 iso;
	u32 lux_milli;
	bool delivered;
	const char *reason_text;
};

struct nst_rec_writer;
struct nst_rec_reader;

/** nst_rec_state_name() - "valid", "not-ready", ..., as in temp_state */
const char *nst_rec_state_name(enum nst_sample_state state);

/**
 * nst_rec_writer_new() - on an open stream; writes the head at once
 * Return: 0, -ENOMEM, or -EIO when the stream does not take it. The stream
 * stays the caller's.
 */
int nst_rec_writer_new(struct nst_rec_writer **ret, FILE *out);

/**
 * nst_rec_writer_meta() - one "# key value" line, before the first frame
 * @line: printable text without the "# ", shorter than NST_REC_META_LEN
 * Return: 0, -EINVAL, -EBUSY after the first frame, -EIO.
 */
int nst_rec_writer_meta(struct nst_rec_writer *w, const char *line);

/**
 * nst_rec_writer_frame() - one record; allocates nothing
 * Return: 0; -EINVAL or -ERANGE for what a reader would refuse, with nothing
 * written; -EIO.
 */
int nst_rec_writer_frame(struct nst_rec_writer *w,
			 const struct nst_rec_frame *frame);

/** nst_rec_writer_free() - flushes; accepts NULL */
void nst_rec_writer_free(struct nst_rec_writer *w);

/**
 * nst_rec_reader_new() - read the head
 * @name: used in messages on @err; both must outlive the reader
 * Return: 0, -ENOMEM, or -EBADMSG after a message "name:line: text".
 */
int nst_rec_reader_new(struct nst_rec_reader **ret, FILE *in,
		       const char *name, FILE *err);

/** nst_rec_reader_meta() - description line @index of the head, or NULL */
const char *nst_rec_reader_meta(const struct nst_rec_reader *r,
				unsigned int index);

/**
 * nst_rec_reader_next() - the next record
 * Return: 1 with @ret filled, 0 at the end, -EBADMSG after a message.
 */
int nst_rec_reader_next(struct nst_rec_reader *r, struct nst_rec_frame *ret);

/** nst_rec_reader_line() - number of the line that was read last */
unsigned long nst_rec_reader_line(const struct nst_rec_reader *r);
void nst_rec_reader_free(struct nst_rec_reader *r);

#endif /* NST_REC_H */
