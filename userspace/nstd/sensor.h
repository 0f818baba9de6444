/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * sensor.h - one sensor of the profile and the device behind it
 *
 *	absent ──open──> held by another ──lease──> governed
 *	   ^                    ^                      │
 *	   │                    └───── lease lost ─────┤
 *	   └──────────────── device gone ──────────────┘
 *
 * A device is found by its name once a second until it is there. What it
 * had in gate and limits when the lease was taken is put back when the
 * lease is given back, on every way out.
 */
#ifndef NST_SENSOR_H
#define NST_SENSOR_H

#include "binding.h"
#include "moves.h"
#include "report.h"
#include "around.h"
#include "tick.h"

enum nst_sensor_state {
	NST_SENSOR_ABSENT = 0,
	NST_SENSOR_HELD,	/* open, somebody else governs it */
	NST_SENSOR_GOVERNED,	/* open, the lease is ours */
	NST_SENSOR_WATCHED,	/* open, dry run: no lease wanted */
};

/**
 * struct nst_env - how devices and cameras are come by
 * @slot: each sensor has a number of its own below NST_PROFILE_SENSORS_MAX
 * @prepare: told of the sensor of a slot before it is opened; may be NULL
 * @open_device, @open_camera: 0, or -ENODEV and the like
 * @why: what is wrong with the device that did not open, "" for no more
 *	than the errno; may be NULL
 * @list_devices: names for messages
 * @host: the surroundings are those of this machine, seen from @root
 */
struct nst_env {
	void (*prepare)(void *arg, unsigned int slot,
			const struct nst_profile_sensor *sensor);
	int (*open_device)(void *arg, unsigned int slot, const char *selector,
			   struct nst_dev **ret);
	int (*open_camera)(void *arg, unsigned int slot, const char *selector,
			   struct nst_cam **ret);
	const char *(*why)(void *arg, unsigned int slot);
	void (*list_devices)(void *arg, char *buf, size_t size);
	void *arg;
	const char *root;
	bool host;
	bool dry_run;
};

/* Some lines at once, then one in two seconds. */
struct nst_log_bucket {
	unsigned int tokens;
	unsigned int suppressed;
	u64 filled_ms;
};

struct nst_sensor {
	const struct nst_env *env;
	unsigned int slot;
	bool used;
	char name[NST_PROFILE_NAME_LEN];
	char device[NST_DEV_NAME_LEN];		/* as the profile has it */
	char camera[NST_DEV_NAME_LEN];
	char selector[NST_DEV_NAME_LEN];	/* what it is found again by */
	char gpio[2][NST_PROFILE_PATH_LEN];	/* lines it is gated by */
	bool gpio_low[2];

	enum nst_sensor_state state;
	struct nst_dev *dev;			/* NULL while absent */
	u64 opening;				/* counts, over all sensors */
	unsigned int captures;			/* answers to tickets */
	struct nst_dev_event capture[NST_TICK_CAPTURES];
	struct nst_dev_info info;
	struct nst_cam *cam;			/* NULL without one */
	struct nst_light cam_light;		/* what it told last */
	struct nst_reported reported;
	u32 lease_ms;
	u64 renewed_ms;
	u64 retry_ms;
	u64 cam_retry_ms;

	bool found;				/* the next two are valid */
	u8 found_gate;
	struct nst_dev_policy found_policy;

	/* said already: messages come on change */
	int said_open, said_cam, said_limits, said_gate, said_pc;
	bool said_blind, said_manual;
	u8 said_placement;
	u32 said_delay;
	struct nst_log_bucket bucket;
	struct nst_log_bucket failsafe_bucket;

	struct nst_governor gov;
	struct nst_around around;
	struct nst_binding binding;
	struct nst_moves moves;		/* workers of its task */
};

/**
 * nst_sensor_init() - a sensor of a profile, not opened yet
 * Return: 0; -ENOENT when there is nothing to govern; the message is out.
 */
int nst_sensor_init(struct nst_sensor *s, const struct nst_env *env,
		    unsigned int slot, const struct nst_profile *profile,
		    unsigned int index);

/**
 * nst_sensor_configure() - a new profile for a sensor that stays
 * Return: 0; -EXDEV when device or camera are others now and the sensor has
 * to be closed and made anew; as nst_gov_configure().
 */
int nst_sensor_configure(struct nst_sensor *s,
			 const struct nst_profile *profile,
			 unsigned int index);

/**
 * nst_sensor_open() - find the device, take the lease
 * Return: 0 when it is governed (or watched), -EBUSY when another holds the
 * lease, -ENODEV, -EACCES, ...; the message is out, once per change.
 */
int nst_sensor_open(struct nst_sensor *s, u64 now_ms);

/** nst_sensor_close() - put back what was found, give the lease back */
void nst_sensor_close(struct nst_sensor *s);

/** nst_sensor_ready() - the device's fd is readable: one tick */
void nst_sensor_ready(struct nst_sensor *s, u64 now_ms);

/** nst_sensor_camera_ready() - the camera's fd is */
void nst_sensor_camera_ready(struct nst_sensor *s, u64 now_ms);

/** nst_sensor_gone() - an fd reported that the device is gone */
void nst_sensor_gone(struct nst_sensor *s, u64 now_ms);
void nst_sensor_camera_gone(struct nst_sensor *s, u64 now_ms);

/** nst_sensor_timer() - heartbeat, and looking for what is absent */
void nst_sensor_timer(struct nst_sensor *s, u64 now_ms);

/** nst_sensor_state_text() - "governed", "absent", ... */
const char *nst_sensor_state_text(const struct nst_sensor *s);

#endif /* NST_SENSOR_H */
