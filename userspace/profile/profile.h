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

#include "accuracy.h"
#include "emva.h"
#include "limits.h"
#include "observer.h"
#include "plant.h"
#include "policy.h"

#define NST_PROFILE_NAME_LEN 32
#define NST_PROFILE_PATH_LEN 64
#define NST_PROFILE_FILE_LEN 256
#define NST_PROFILE_SENSORS_MAX 8
#define NST_PROFILE_TASKS_MAX 16

enum nst_task_kind { NST_TASK_VISION = 0, NST_TASK_IMAGING };
/*
 * What an SNR means, and which model turns it into a temperature. A sensor
 * has one of them; tasks on it speak its language.
 */
enum nst_noise_model {
	NST_NOISE_PAPER = 0,	/* dark-frame noise against a signal level */
	NST_NOISE_EMVA,		/* total SNR of a flat patch */
};

enum nst_shutter { NST_SHUTTER_ROLLING = 0, NST_SHUTTER_GLOBAL };

/* Camera situation assumed where the device does not tell it. */
struct nst_profile_light {
	char name[NST_PROFILE_NAME_LEN];	/* dim, office, daylight, ... */
	unsigned int lux_milli;
	unsigned int exposure_us;
	unsigned int iso;
};

/* Whose a calibration is: empty where there is none. */
struct nst_profile_owner {
	char name[64];
	char card[64];
};

struct nst_profile_sensor {
	char name[NST_PROFILE_NAME_LEN];
	char device[NST_PROFILE_PATH_LEN];		/* nst name, or /dev/nstN, "" for none */
	char camera[NST_PROFILE_PATH_LEN];		/* V4L2 node for exposure and gain, "" */
	char preset[NST_PROFILE_NAME_LEN];
	struct nst_plant_params plant;
	unsigned int tolerance_percent;	/* of plant and near_mw; 0: right */
	s32 ambient_mc;
	s32 max_temp_mc;
	s32 accuracy_mc;
	struct nst_observer_config observer;
	enum nst_noise_model noise;
	unsigned int doubling_mc;	/* of emva where that is the model */
	char noise_preset[NST_PROFILE_NAME_LEN];	/* emva: this, or */
	char noise_file[NST_PROFILE_FILE_LEN];		/* a calibration */
	struct nst_profile_owner noise_owner;
	struct nst_emva emva;		/* all 0 under paper */
	unsigned int signal_permyriad;	/* emva: level that is promised */
	char thermal_file[NST_PROFILE_FILE_LEN];
	struct nst_profile_owner thermal_owner;
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
	char gate_line[NST_PROFILE_PATH_LEN];		/* GPIO that gates, "" */
	char strobe_line[NST_PROFILE_PATH_LEN];
	bool gate_active_low;
	bool strobe_active_low;
	char ambient_sensor[NST_PROFILE_PATH_LEN];	/* CHIP/LABEL, "" */
	char board_sensor[NST_PROFILE_PATH_LEN];
	char far_device[NST_PROFILE_PATH_LEN];		/* render or accel node, "" */
	char far_sensor[NST_PROFILE_PATH_LEN];
	unsigned int far_busy_permyriad;	/* 0: no limit */
	s32 far_temp_max_mc;
	unsigned int far_capacity_permyriad;	/* 0: no limit */
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
	bool has_drop;			/* emva only, with a curve */
	double max_accuracy_drop_percent;
	char curve_file[NST_PROFILE_FILE_LEN];
	struct nst_accuracy curve;
	unsigned int deadline_ms;	/* imaging only */
	const struct nst_policy_ops *policy;	/* vision only */
	unsigned int stop_frames;
	unsigned int dwell_ms;
	unsigned int gap_mc;		/* 0: T_jump + 4 K */
	unsigned int far_load_permyriad;	/* of the far device */
};

struct nst_profile {
	unsigned int sensor_count;
	unsigned int task_count;
	struct nst_profile_sensor sensors[NST_PROFILE_SENSORS_MAX];
	struct nst_profile_task tasks[NST_PROFILE_TASKS_MAX];
};

/**
 * nst_profile_owner_is() - whether a calibration was made on this sensor
 * @card: V4L2 card name, "" where not known: decides when both have one
 * @device, @name: else the nst device's name (sim0) or the profile's name of
 *	the sensor has to be the one in the file
 * @ret_theirs, @ret_ours: the two that were compared
 */
bool nst_profile_owner_is(const struct nst_profile_owner *owner,
			  const char *card, const char *device,
			  const char *name, const char **ret_theirs,
			  const char **ret_ours);

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

/**
 * nst_profile_add_task() - one more task, as if the file had it at its end
 * @profile: a profile that was loaded; changed on success only
 * @text: a YAML mapping with the keys of a task
 * @ret_what: the first message, without a place
 * Return: 0; -EINVAL; -ENOSPC for a task too many; -ENOMEM
 */
int nst_profile_add_task(struct nst_profile *profile, const char *text,
			 size_t len, char *ret_what, size_t what_size);

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
 * nst_profile_signal_e() - signal that an SNR under emva is promised at
 * signal_permyriad of the range at this gain, in electrons; 0 under paper.
 */
double nst_profile_signal_e(const struct nst_profile_sensor *sensor,
			    unsigned int iso);

/**
 * nst_profile_predicted_snr_db() - what the model says of a frame
 * @temp_mc: exposure temperature; @exposure_us, @iso: above 0
 * Return: dB in the sense of the sensor's noise model, under emva of a flat
 * patch at the signal promised; -INFINITY where the picture is white.
 */
double nst_profile_predicted_snr_db(const struct nst_profile_sensor *sensor,
				    double temp_mc, unsigned int exposure_us,
				    unsigned int iso);

/**
 * nst_profile_task_snr_db() - lowest SNR that a task accepts
 * From its min_snr_db and its accuracy drop, the stricter of the two.
 * Return: 0; -ENOENT when it asks for none; -EDOM when no SNR is enough.
 */
int nst_profile_task_snr_db(const struct nst_profile_task *task,
			    double *ret_db);

/**
 * nst_profile_task_check() - whether a task can be on its sensor
 * @ret_key: key of tasks.fidelity that is wrong; "" for all of fidelity
 * @ret: what is wrong and what is valid, cut to @size
 * Return: 0 or -EINVAL with both outputs set.
 */
int nst_profile_task_check(const struct nst_profile *profile,
			   const struct nst_profile_task *task,
			   const char **ret_key, char *ret, size_t size);

/**
 * nst_profile_binding() - whose demand is the strictest at a camera situation
 * @ret_task: by kind, index into the tasks; -1 where nobody asks
 * @ret_mc: what it asks for, NST_TEMP_NONE_MC for nothing, NST_TEMP_MIN_MC for
 *	what no temperature can give
 * Of equal ones the first in the profile. Return: 0 or -ERANGE.
 */
int nst_profile_binding(const struct nst_profile *profile, unsigned int sensor,
			unsigned int exposure_us, unsigned int iso,
			int ret_task[2], s32 ret_mc[2]);

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
