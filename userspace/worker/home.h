/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * home.h - where the task of a worker runs: near.c or far.c
 *
 * Both run firmware/vpu: far on the processor that this runs on, on frames of
 * the camera; near in the stack, where only its memory, its start and its
 * stop are ours, and its results come as records.
 *
 * A home processes every frame from the one that it was started with until it
 * is stopped. Calls return 0 or a negative errno, with a reason in
 * nst_home.why.
 */
#ifndef NST_WORKER_HOME_H
#define NST_WORKER_HOME_H

#include <stdbool.h>
#include <stdint.h>

#include "vpu.h"

#define NST_HOME_TEXT 160
#define NST_HOME_ALL UINT64_MAX

/**
 * struct nst_work - a frame that was processed
 * @checksum: of the state after it
 */
struct nst_work {
	uint64_t seq;
	uint32_t checksum;
	struct vpu_result result;
};

struct nst_home;

/**
 * struct nst_home_ops
 * @prepare: open what frames come from; 0 when that is so already
 * @fd: readable when next() may have something; -1 before prepare()
 * @begin: with the state that is there, or an empty one, at frame @seq or as
 *	soon after it as can be
 * @load: go on with @state after @state->last_seq. -ESTALE: the frame after
 *	it is over and cannot be had any more
 * @state: after the last frame that next() gave or will give
 * @stop: after frame @last, which may be one that is over
 * @next: 0 with @ret; -EAGAIN none yet; -ENODEV the device is gone
 */
struct nst_home_ops {
	const char *name;
	int (*prepare)(struct nst_home *h);
	int (*fd)(const struct nst_home *h);
	int (*begin)(struct nst_home *h, uint64_t seq);
	int (*load)(struct nst_home *h, const struct vpu_state *state);
	int (*state)(struct nst_home *h, struct vpu_state *ret);
	int (*stop)(struct nst_home *h, uint64_t last);
	int (*next)(struct nst_home *h, struct nst_work *ret);
	void (*close)(struct nst_home *h);
};

struct nst_home {
	const struct nst_home_ops *ops;
	char why[NST_HOME_TEXT];
};

/** nst_home_fail() - note why; returns @err */
int nst_home_fail(struct nst_home *h, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * nst_near_new() - on the processor of a stack
 * @vpu: its device, /dev/nst-vpu-NAME
 * @records: metadata node, a path or "card:NAME"
 */
struct nst_home *nst_near_new(const char *vpu, const char *records);

/**
 * nst_far_new() - on the processor that this runs on
 * @camera: a path or "card:NAME"
 * @node: render or accel node that frames are imported by, NULL for none
 */
struct nst_home *nst_far_new(const char *camera, const char *node);

/** nst_far_frames() - how many were imported, how many copied */
void nst_far_frames(const struct nst_home *h, uint64_t *ret_imports,
		    uint64_t *ret_copies);

#endif /* NST_WORKER_HOME_H */
