/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * host.h - what goes on around a stack: air, board and far device
 *
 * Thermometers of the host hang on slow buses, libsensors allocates and knows
 * nothing of hot-plug, and the load of a GPU is found by walking /proc. None
 * of that may happen in a loop that decides once a frame. So a process of
 * its own does it (host_child.c), once a second, and sends plain numbers.
 * It is started when a profile first names something to look at, holds no
 * device and no lease, and ends with the daemon, however that ends. One that
 * hangs or dies makes its numbers unknown, and is started anew.
 */
#ifndef NST_NSTD_HOST_H
#define NST_NSTD_HOST_H

#include <sys/types.h>

#include "profile.h"

#define NST_HOST_PERIOD_MS 1000
#define NST_HOST_SILENT_MS 5000	/* without a report: nothing is known */

/** struct nst_host_want - selectors of a sensor's surroundings, "" for none */
struct nst_host_want {
	char far_device[NST_PROFILE_PATH_LEN];
	char far_sensor[NST_PROFILE_PATH_LEN];
	char ambient_sensor[NST_PROFILE_PATH_LEN];
	char board_sensor[NST_PROFILE_PATH_LEN];
};

/** struct nst_host_temp - @err 0, or why there is no @temp_mc */
struct nst_host_temp {
	s32 err;
	s32 temp_mc;
};

/**
 * struct nst_host_seen - what was found, errors where it was not
 * @far_err: -ENODEV no such device, -ENOTUNIQ more than one
 * @far_node: what a worker opens
 * @busy_source: enum nst_farload_source, 0 while @busy_permyriad is not known
 */
struct nst_host_seen {
	s32 far_err;
	u32 busy_permyriad;
	u8 busy_source;
	char far_node[NST_PROFILE_PATH_LEN];
	struct nst_host_temp far;
	struct nst_host_temp ambient;
	struct nst_host_temp board;
};

struct nst_host {
	const char *root;
	pid_t pid;
	int fd;				/* -1: not running */
	bool wanted;
	bool said_dead;
	u64 started_ms;
	u64 heard_ms;
	struct nst_host_want want[NST_PROFILE_SENSORS_MAX];
};

/** nst_host_init() - nothing runs yet; @root as of --root */
void nst_host_init(struct nst_host *h, const char *root);

/**
 * nst_host_configure() - look at this from now on
 * @want: NST_PROFILE_SENSORS_MAX of them, by slot
 */
void nst_host_configure(struct nst_host *h, const struct nst_host_want *want,
			u64 now_ms);

/**
 * nst_host_read() - a report, when the fd is readable
 * @ret: NST_PROFILE_SENSORS_MAX of them
 * Return: 0; -EAGAIN none; -EPIPE the process has ended, @h->fd is closed.
 */
int nst_host_read(struct nst_host *h, struct nst_host_seen *ret, u64 now_ms);

/**
 * nst_host_timer() - start it anew when it is due
 * Return: true once a period while nothing is heard: all is unknown.
 */
bool nst_host_timer(struct nst_host *h, u64 now_ms);

/** nst_host_deinit() - end the process; idempotent */
void nst_host_deinit(struct nst_host *h);

/**
 * nst_host_child() - what the process does; does not return
 * @fd: its end of the socket, all else is closed
 */
void nst_host_child(int fd, const char *root) __attribute__((noreturn));

#endif /* NST_NSTD_HOST_H */
