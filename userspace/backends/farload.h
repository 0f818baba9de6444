/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * farload.h - how busy far devices are
 *
 * By the first of these that tells something:
 *
 *  counter	npu_busy_time_us of the device (intel ivpu)
 *  fdinfo	engine time of every DRM client in the machine, summed per
 *		engine over its capacity; the busiest engine counts
 *  pm		runtime-PM active time, where runtime PM may suspend the
 *		device: one that is held awake is not busy for that
 *
 * Where other processes may not be looked into, fdinfo tells too little, and
 * runtime PM, which tells too much, goes first.
 *
 * A round walks /proc/PID/fd, which takes milliseconds and may wait for a
 * driver: it is for a process of its own, not for a loop that must not wait.
 * Two rounds are needed for a figure, some hundred milliseconds apart.
 */
#ifndef NST_FARLOAD_H
#define NST_FARLOAD_H

#include <stdint.h>

#include "farnode.h"
#include "fdinfo.h"

#define NST_FARLOAD_NODES 8
#define NST_FARLOAD_CLIENTS 128

enum nst_farload_source {
	NST_FARLOAD_NONE = 0,	/* nothing tells */
	NST_FARLOAD_COUNTER,
	NST_FARLOAD_FDINFO,
	NST_FARLOAD_PM,
};

/* One DRM client as seen last. */
struct nst_farload_client {
	bool used;
	bool seen;			/* in the present round */
	bool measured;			/* share[] is valid */
	unsigned int node;
	uint64_t t_us;
	struct nst_fdinfo info;
	uint32_t share[NST_FDINFO_ENGINES];	/* permyriad */
};

struct nst_farload_node {
	struct nst_farnode node;
	bool fdinfo_moves;		/* some engine counter was seen above 0 */
	bool has_counter, has_pm;	/* the last values are valid */
	uint64_t counter_us, counter_t_us;
	uint64_t active_ms, suspended_ms;
	uint32_t busy_permyriad;
	enum nst_farload_source source;
};

/**
 * struct nst_farload - all of them
 * @denied: processes of the last round that may not be looked into: what
 *	they use is missing from fdinfo's figure
 * @left_out: clients that found no room
 */
struct nst_farload {
	const char *root;
	unsigned int nodes;
	struct nst_farload_node node[NST_FARLOAD_NODES];
	struct nst_farload_client client[NST_FARLOAD_CLIENTS];
	unsigned int denied;
	unsigned int left_out;
};

/** nst_farload_init() - @root "" for the real tree; nothing is watched */
void nst_farload_init(struct nst_farload *l, const char *root);

/**
 * nst_farload_add() - watch a device
 * Return: its index, to be used with the figures; -ENOSPC.
 */
int nst_farload_add(struct nst_farload *l, const struct nst_farnode *node);

/** nst_farload_round() - look at everything once; @now_us monotonic */
void nst_farload_round(struct nst_farload *l, uint64_t now_us);

/** nst_farload_source_text() - "fdinfo", "pm", ... */
const char *nst_farload_source_text(enum nst_farload_source source);

#endif /* NST_FARLOAD_H */
