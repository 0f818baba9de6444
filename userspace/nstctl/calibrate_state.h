/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * calibrate_state.h - what a calibration has measured so far, in a file
 *
 * Measured in blocks that are written whole or not at all: whatever ends the
 * program, the file holds the blocks that were finished, and the next run
 * goes on with the first that is missing. The figures of the end are made
 * from the file's points alone, so that a run that was broken off and one
 * that was not treat the same points the same way.
 */
#ifndef NST_CALIBRATE_STATE_H
#define NST_CALIBRATE_STATE_H

#include "calibrate_pair.h"

#define NST_CAL_POINTS_MAX NST_FIT_PAIRS_MAX
#define NST_CAL_BLOCKS_MAX 64
#define NST_CAL_NAME_LEN 24
#define NST_CAL_TEXT 192

enum nst_cal_kind {
	NST_CAL_FLAT = 0,
	NST_CAL_BLACK,
	NST_CAL_DARK,
	NST_CAL_KINDS,
};

/**
 * struct nst_cal_point - a pair of frames
 * @gain: index of the gain, @visit: of the temperature
 * @temp_mc, @temp_sd_mc: in the middle of the exposures, and how well the
 *	thermometer is known there
 */
struct nst_cal_point {
	u32 kind;
	u32 gain;
	u32 visit;
	u32 exposure_us;
	u32 iso;
	double temp_mc;
	double temp_sd_mc;
	struct nst_cal_stat stat;
};

struct nst_cal_state {
	int fd;			/* -1: closed */
	char path[256];
	char sensor[NST_CAL_TEXT];	/* "name model card" in quotes */
	char options[NST_CAL_TEXT];
	char date[32];
	char block[NST_CAL_BLOCKS_MAX][NST_CAL_NAME_LEN];
	u32 blocks;
	struct nst_cal_point point[NST_CAL_POINTS_MAX];
	u32 points;
};

/**
 * nst_cal_state_open() - go on with a file, or begin one
 * @sensor, @options: have to be the ones in the file
 * @restart: begin anew whatever is there
 *
 * Says what is wrong. Return: 0; -EEXIST when the file belongs to another
 * sensor or to other options; -EBUSY while another calibration has it;
 * -EBADMSG when it is none of ours; errno of the file.
 */
int nst_cal_state_open(struct nst_cal_state *st, const char *path,
		       const char *sensor, const char *options, bool restart);

/** nst_cal_state_close() - @finished: the file is not needed any more */
void nst_cal_state_close(struct nst_cal_state *st, bool finished);

bool nst_cal_state_has(const struct nst_cal_state *st, const char *block);

/**
 * nst_cal_state_add() - a finished block, on disk when this returns
 * Return: 0; -ENOSPC beyond the limits above; errno of the file. Said.
 */
int nst_cal_state_add(struct nst_cal_state *st, const char *block,
		      const struct nst_cal_point *point, u32 points);

#endif /* NST_CALIBRATE_STATE_H */
