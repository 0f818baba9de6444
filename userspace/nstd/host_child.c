// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * host_child.c - the process that looks at the host: see host.h
 *
 * It may wait, allocate and die. It ends when the other end of its socket
 * is closed.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "farload.h"
#include "host.h"
#include "scan.h"
#include "sensors.h"

#define HWMON_DIR "/sys/class/hwmon"

/* A name that is not there is looked for again this often, in periods. */
#define RESOLVE_PERIODS 5

static struct nst_host_want want[NST_PROFILE_SENSORS_MAX];
static struct nst_host_seen seen[NST_PROFILE_SENSORS_MAX];
static struct nst_farnode node[NST_PROFILE_SENSORS_MAX];
static struct nst_farload load;
static int load_index[NST_PROFILE_SENSORS_MAX];	/* -1: none */
static bool sensors_off;	/* --root: the library reads the real /sys */
static u64 hwmon_names;
static unsigned int missing_periods;

static u64 now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000 + (u64)ts.tv_nsec / 1000;
}

/* ---------------------------------------------------------- thermometers */

static int add_name(const char *name, void *arg)
{
	u64 *sum = arg, hash = 14695981039346656037u;	/* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 1099511628211u;
	/* in whatever order they come */
	*sum += hash;
	return 0;
}

/* hwmon devices that come and go get new numbers: see whether any did. */
static bool hwmon_changed(void)
{
	u64 names = 0;

	(void)nst_scan_dir(HWMON_DIR, add_name, &names);
	if (names == hwmon_names)
		return false;
	hwmon_names = names;
	return true;
}

static void read_one(const char *selector, struct nst_host_temp *ret,
		     bool *missing)
{
	*ret = (struct nst_host_temp){ .err = -ENODATA };
	if (!selector[0])
		return;
	ret->err = sensors_off ? -ENOSYS :
				 nst_sensors_read(selector, &ret->temp_mc);
	*missing = *missing || ret->err == -ENODEV;
}

static void read_sensors(void)
{
	bool missing = false;

	if (hwmon_changed() || missing_periods >= RESOLVE_PERIODS) {
		missing_periods = 0;
		if (!sensors_off)
			(void)nst_sensors_init();
	}
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		read_one(want[i].far_sensor, &seen[i].far, &missing);
		read_one(want[i].ambient_sensor, &seen[i].ambient, &missing);
		read_one(want[i].board_sensor, &seen[i].board, &missing);
	}
	missing_periods = missing ? missing_periods + 1 : 0;
}

/* ----------------------------------------------------------- far devices */

static void watch_again(const char *root)
{
	nst_farload_init(&load, root);
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		load_index[i] = -1;
		for (unsigned int k = 0; k < i && load_index[i] < 0; k++)
			if (load_index[k] >= 0 &&
			    !strcmp(node[k].path, node[i].path))
				load_index[i] = load_index[k];
		if (load_index[i] < 0 && node[i].path[0])
			load_index[i] = nst_farload_add(&load, &node[i]);
	}
}

static void look_at_far(const char *root)
{
	bool changed = false;

	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		struct nst_farnode found = { 0 };
		int err = 0;

		if (want[i].far_device[0])
			err = nst_farnode_find(root, want[i].far_device,
					       &found);
		changed = changed || err != seen[i].far_err ||
			  strcmp(found.path, node[i].path);
		seen[i].far_err = err;
		node[i] = found;
		snprintf(seen[i].far_node, sizeof(seen[i].far_node), "%s",
			 found.path);
	}
	if (changed)
		watch_again(root);
	nst_farload_round(&load, now_us());
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		const struct nst_farload_node *n =
			load_index[i] >= 0 ? &load.node[load_index[i]] : NULL;

		seen[i].busy_source = n ? (u8)n->source : NST_FARLOAD_NONE;
		seen[i].busy_permyriad = n ? n->busy_permyriad : 0;
	}
}

/* ------------------------------------------------------------------ loop */

/* False when there is nobody any more to look for. */
static bool take_config(int fd, const char *root)
{
	ssize_t n = recv(fd, want, sizeof(want), 0);

	if (n != (ssize_t)sizeof(want))
		return n < 0 && errno == EINTR;
	memset(seen, 0, sizeof(seen));
	memset(node, 0, sizeof(node));
	watch_again(root);
	missing_periods = RESOLVE_PERIODS;
	return true;
}

void nst_host_child(int fd, const char *root)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	u64 next_us = now_us(), at_us;

	sensors_off = *root;
	if (!take_config(fd, root))
		_exit(0);
	for (;;) {
		look_at_far(root);
		read_sensors();
		if (send(fd, seen, sizeof(seen), MSG_DONTWAIT | MSG_NOSIGNAL) <
		    0 && errno != EAGAIN)
			_exit(0);
		next_us += NST_HOST_PERIOD_MS * 1000;
		at_us = now_us();
		if (next_us < at_us)
			next_us = at_us;
		if (poll(&pfd, 1, (int)((next_us - at_us) / 1000)) > 0 &&
		    !take_config(fd, root))
			_exit(0);
	}
}
