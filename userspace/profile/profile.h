/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * profile.h - what a user asks for, as plain numbers
 *
 * A profile is the YAML file of nst.yaml(5): sensors and the tasks on them.
 * It is configuration only; nothing here changes while it is in use, and a
 * reload makes a new one beside the old. Units are in the names.
 */
#ifndef NST_PROFILE_H
#define NST_PROFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "limits.h"
#include "observer.h"
#include "plant.h"
#include "policy.h"

#define NST_PROFILE_NAME_LEN 32
#define NST_PROFILE_PATH_LEN 64
#define NST_PROFILE_SENSORS_MAX 8
#define NST_PROFILE_TASKS_MAX 16

enum nst_task_kind { NST_TASK_VISION = 0, NST_TASK_IMAGING };
enum nst_noise_model { NST_NOISE_PAPER = 0 };
enum nst_shutter { NST_SHUTTER_ROLLING = 0, NST_SHUTTER_GLOBAL };

/* Camera situation assumed where the device does not tell it. */
struct nst_profile_light {
	char name[NST_PROFILE_NAME_LEN];	/* dim, office, daylight, ... */
	unsigned int lux_milli;
	unsigned int exposure_us;
	unsigned int iso;
};

struct nst_profile_sensor {
	char name[NST_PROFILE_NAME_LEN];
	char device[NST_PROFILE_PATH_LEN];		/* nst name, or /dev/nstN, "" for none */
	char camera[NST_PROFILE_PATH_LEN];		/* V4L2 node for exposure and gain, "" */
	char preset[NST_PROFILE_NAME_LEN];
	struct nst_plant_params plant;
	s32 ambient_mc;
	s32 max_temp_mc;
	s32 accuracy_mc;
	struct nst_observer_config observer;
	enum nst_noise_model noise;
	unsigned int doubling_mc;
	unsigned int near_mw;		/* stack, VPU running */
	unsigned int capture_mw;	/* stack, VPU gated */
	unsigned int far_mw;		/* whole system, task on the host */
	unsigned int vpu_busy_us;	/* 0: a whole frame */
	unsigned int gate_enter_us;
	unsigned int gate_exit_us;
	unsigned int switch_us;		/* hand-shake, 100 */
	unsigned int readout_us;
	unsigned int sample_delay_us;
	enum nst_shutter shutter;
	struct nst_profile_light light;
};

struct nst_profile_task {
	char name[NST_PROFILE_NAME_LEN];
	unsigned int sensor;		/* index into sensors */
	enum nst_task_kind kind;
	unsigned int fps;		/* vision only: a maximum */
	bool has_snr;
	double min_snr_db;
	bool has_max_temp;
	s32 max_temp_mc;
	unsigned int deadline_ms;	/* imaging only */
	const struct nst_policy_ops *policy;	/* vision only */
	unsigned int stop_frames;
	unsigned int dwell_ms;
	unsigned int gap_mc;		/* 0: T_jump + 4 K */
};

struct nst_profile {
	unsigned int sensor_count;
	unsigned int task_count;
	struct nst_profile_sensor sensors[NST_PROFILE_SENSORS_MAX];
	struct nst_profile_task tasks[NST_PROFILE_TASKS_MAX];
};

/* The named lights of physics: dim, office, daylight, night, fast. */
extern const struct nst_profile_light nst_profile_lights[];
extern const unsigned int nst_profile_light_count;
const struct nst_profile_light *nst_profile_light_find(const char *name);

/**
 * nst_profile_load() - read and check one file
 * @path: file name, used in messages
 * @err: where messages go, one per line: "path:line:column: text"
 * Return: 0 with @ret filled; -ENOENT and other errno of opening; -EINVAL
 * after at least one message, @ret untouched.
 */
int nst_profile_load(struct nst_profile *ret, const char *path, FILE *err);

/** nst_profile_dump() - YAML that loads to the same profile */
int nst_profile_dump(const struct nst_profile *profile, FILE *out);

/**
 * nst_profile_explain() - a key: type, unit, range, default, meaning
 * @key: "near_mw" or "sensors.power.near_mw"; NULL for all keys
 * @out: NULL to find out only whether there is such a key
 * Return: 0, or -ENOENT after a message on @out that names the keys.
 */
int nst_profile_explain(const char *key, FILE *out);

/**
 * nst_profile_vision_task() - the vision task that governs a sensor
 * Return: the first one on it, or NULL.
 */
const struct nst_profile_task *
nst_profile_vision_task(const struct nst_profile *profile,
			unsigned int sensor);

/**
 * nst_profile_demand() - limits of a sensor at a camera situation
 * @exposure_us, @iso: the present setting
 * @ret_vision_mc, @ret_imaging_mc: NST_TEMP_NONE_MC where no task asks;
 *	the strictest task of each kind
 * Return: 0, or -EDOM when a task asks for what no temperature can give
 * (the message names it; the outputs then hold NST_TEMP_MIN_MC for it).
 */
int nst_profile_demand(const struct nst_profile *profile, unsigned int sensor,
		       unsigned int exposure_us, unsigned int iso,
		       s32 *ret_vision_mc, s32 *ret_imaging_mc);

#endif /* NST_PROFILE_H */
