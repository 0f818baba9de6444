/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * manager.h - the daemon's loop: sensors, clients, signals, timer
 *
 * One thread on epoll. Cameras are looked at first, so that a tick knows the
 * light, then devices, then the rest. After nst_manager_init() nothing is
 * allocated any more except by a reload and by tasks that clients bring, which
 * are read with libyaml.
 */
#ifndef NST_MANAGER_H
#define NST_MANAGER_H

#include "captures.h"
#include "events.h"
#include "recording.h"
#include "sensor.h"
#include "server.h"
#include "shares.h"
#include "tasks.h"

struct nst_manager_config {
	const char *profile_path;
	const char *socket_path;
	const char *record_path;	/* NULL for none */
	const struct nst_env *env;
};

/* Who tells of a sensor's frames, see reply_report.c. */
struct nst_reporter {
	u64 serial;			/* of the client, 0 for nobody */
	u64 at_ms;
};

struct nst_manager {
	struct nst_manager_config config;
	int epoll_fd;
	int timer_fd;
	int signal_fd;
	bool stop;
	u64 started_ms;
	s64 asleep_ms;			/* time in suspend, as last seen */
	u32 timer_ms;
	u64 reloads;
	struct nst_profile file;	/* as it was read, without clients */
	struct nst_profile profile[2];	/* one in use, one to be made */
	unsigned int in_use;
	struct nst_sensor sensor[NST_PROFILE_SENSORS_MAX];
	int dev_fd[NST_PROFILE_SENSORS_MAX];	/* watched, -1 for none */
	int cam_fd[NST_PROFILE_SENSORS_MAX];
	struct nst_host host;
	int host_fd;				/* watched, -1 for none */
	struct nst_server server;
	struct nst_tasks tasks;
	struct nst_shares shares;
	struct nst_captures captures;
	struct nst_events events;
	struct nst_reporter reporter[NST_PROFILE_SENSORS_MAX][2];
	struct nst_recording recording;
};

/**
 * nst_manager_init() - load, open, listen
 * Signals SIGTERM, SIGINT, SIGHUP and SIGUSR1 are blocked and taken over.
 * Return: 0; -EBADMSG bad profile; -ENODEV no device at all; -EBUSY all
 * devices are governed by another; -EACCES or -EPERM; other errno. The
 * messages are out. nst_manager_deinit() is due in every case.
 */
int nst_manager_init(struct nst_manager *m,
		     const struct nst_manager_config *config);

/** nst_manager_run() - until a signal; 0 or -errno */
int nst_manager_run(struct nst_manager *m);

/** nst_manager_step() - one round of the loop, for tests */
int nst_manager_step(struct nst_manager *m, int timeout_ms);

/** nst_manager_deinit() - restore and close everything; idempotent */
void nst_manager_deinit(struct nst_manager *m);

/**
 * nst_manager_reload() - read the profile again
 * Return: 0; else nothing is changed, the messages are out and the first
 * one is in @ret_what.
 */
int nst_manager_reload(struct nst_manager *m, char *ret_what,
		       size_t what_size);

/** nst_manager_adopt() - the profile that is not in use is from now on */
void nst_manager_adopt(struct nst_manager *m);

/** nst_manager_find() - sensor by name, or NULL */
struct nst_sensor *nst_manager_find(struct nst_manager *m, const char *name);

/** nst_now_ms() - CLOCK_MONOTONIC */
u64 nst_now_ms(void);

#endif /* NST_MANAGER_H */
