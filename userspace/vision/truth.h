/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * truth.h - what the emulated stack knows and no real one tells
 *
 * Read from debugfs for scoring and for the demonstration; a camera that is
 * not emulated has none of it.
 */
#ifndef NST_TRUTH_H
#define NST_TRUTH_H

#include <stdint.h>

#include "score.h"

#define NST_TRUTH_OBJECTS 8
#define NST_TRUTH_FRAMES 256

struct nst_truth_frame {
	uint64_t seq;
	uint64_t start_us;
	int hot_mc;		/* exposure temperature of the hottest row */
	int cold_mc;
	unsigned int boxes;
	struct nst_box box[NST_TRUTH_OBJECTS];
};

/** struct nst_truth_now - sums since the stack was made */
struct nst_truth_now {
	uint64_t now_us;
	int die_mc;
	int ambient_mc;
	unsigned int power_mw;
	unsigned int frame_period_us;
	uint64_t frame_seq;		/* being exposed */
	uint64_t energy_uj;
	uint64_t time_run_us;
	uint64_t slipped_us;
	char gate[16];
};

/**
 * nst_truth_dir() - debugfs folder of an emulated camera
 * @bus: bus_info of the node
 * Return: 0; -ENODEV when the camera is not emulated; -EACCES when it is and
 * debugfs cannot be read.
 */
int nst_truth_dir(const char *bus, char *ret, unsigned long size);

/** nst_truth_now() - Return: 0, -ENODEV, -EPROTO for a file not understood */
int nst_truth_now(const char *dir, struct nst_truth_now *ret);

/**
 * nst_truth_frames() - the last delivered frames, oldest first
 * @ret: room for NST_TRUTH_FRAMES
 * Return: how many, or -ENODEV, -EPROTO.
 */
int nst_truth_frames(const char *dir, struct nst_truth_frame *ret);

/** nst_truth_parse_frame() - one line; 0 or -EPROTO */
int nst_truth_parse_frame(const char *line, struct nst_truth_frame *ret);

/** nst_truth_set_ambient() - the weather; errno of the write */
int nst_truth_set_ambient(const char *dir, int ambient_mc);

#endif /* NST_TRUTH_H */
