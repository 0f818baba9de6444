/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * rec.h - recordings: one line of text per frame and sensor
 *
 * A recording is UTF-8 text. The first line is "# nst-recording 1". Lines
 * "# key value" describe sensors ("# sensor cam0 near_mw=2500 ..."). Then
 * one header line with the column names below and comma-separated records.
 * A temperature that was not valid is an empty field beside its state: it
 * is never written as a number. Readers refuse a file of another version,
 * a missing column and a malformed field with the line number; an unknown
 * further column is ignored.
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

/**
 * struct nst_rec_frame - one frame of one sensor
 * @placement: who processed frame @seq (in the period after its exposure)
 * @gate: gate during its exposure
 * @limit_mc: the limit that binds the delivered frame, or NONE
 * @power_mw: system power while it was processed (model)
 * @delivered: 1 delivered, 0 dropped or withheld (see @reason_text)
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

/** nst_rec_writer_new() - on an open stream; writes the head at once */
int nst_rec_writer_new(struct nst_rec_writer **ret, FILE *out);
int nst_rec_writer_meta(struct nst_rec_writer *w, const char *line);
int nst_rec_writer_frame(struct nst_rec_writer *w,
			 const struct nst_rec_frame *frame);
void nst_rec_writer_free(struct nst_rec_writer *w);

/**
 * nst_rec_reader_new() - @name is used in messages on @err
 * nst_rec_reader_next() - Return: 1 with @ret filled, 0 at the end,
 * -EBADMSG after a message "name:line: text".
 */
int nst_rec_reader_new(struct nst_rec_reader **ret, FILE *in,
		       const char *name, FILE *err);
int nst_rec_reader_next(struct nst_rec_reader *r, struct nst_rec_frame *ret);
void nst_rec_reader_free(struct nst_rec_reader *r);

#endif /* NST_REC_H */
