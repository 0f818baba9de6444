// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * keys.c - the table of keys, see keys.h
 *
 * Ranges are those a stack can have, not those a variable can hold: a value
 * outside is a slip of unit or digit and is refused with the range named.
 */
#include <string.h>

#include "arbiter.h"
#include "cleanup.h"
#include "keys.h"

/* ------------------------------------------------------------- words --- */

static const char *kind_name(const struct nst_profile *p, unsigned int i)
{
	static const char *const names[] = { "vision", "imaging" };

	(void)p;
	return i < NST_ARRAY_SIZE(names) ? names[i] : NULL;
}

static void kind_set(void *base, unsigned int i)
{
	((struct nst_profile_task *)base)->kind = (enum nst_task_kind)i;
}

static int kind_get(const void *base)
{
	return (int)((const struct nst_profile_task *)base)->kind;
}

static const struct nst_choices kinds = { kind_name, kind_set, kind_get };

static const char *shutter_name(const struct nst_profile *p, unsigned int i)
{
	static const char *const names[] = { "rolling", "global" };

	(void)p;
	return i < NST_ARRAY_SIZE(names) ? names[i] : NULL;
}

static void shutter_set(void *base, unsigned int i)
{
	((struct nst_profile_sensor *)base)->shutter = (enum nst_shutter)i;
}

static int shutter_get(const void *base)
{
	return (int)((const struct nst_profile_sensor *)base)->shutter;
}

static const struct nst_choices shutters = { shutter_name, shutter_set,
					     shutter_get };

static const char *noise_name(const struct nst_profile *p, unsigned int i)
{
	static const char *const names[] = { "paper", "emva" };

	(void)p;
	return i < NST_ARRAY_SIZE(names) ? names[i] : NULL;
}

static void noise_set(void *base, unsigned int i)
{
	((struct nst_profile_sensor *)base)->noise = (enum nst_noise_model)i;
}

static int noise_get(const void *base)
{
	return (int)((const struct nst_profile_sensor *)base)->noise;
}

static const struct nst_choices noises = { noise_name, noise_set, noise_get };

static const char *noise_preset_name(const struct nst_profile *p,
				     unsigned int i)
{
	(void)p;
	return nst_profile_noise_presets[i].name;
}

static void noise_preset_set(void *base, unsigned int i)
{
	struct nst_profile_sensor *sensor = base;

	strcpy(sensor->noise_preset, nst_profile_noise_presets[i].name);
	sensor->emva = *nst_profile_noise_presets[i].emva;
}

static int noise_preset_get(const void *base)
{
	const struct nst_profile_sensor *sensor = base;

	for (int i = 0; nst_profile_noise_presets[i].name; i++) {
		if (!strcmp(nst_profile_noise_presets[i].name,
			    sensor->noise_preset))
			return i;
	}
	return -1;
}

static const struct nst_choices noise_presets = { noise_preset_name,
						  noise_preset_set,
						  noise_preset_get };

static const char *policy_name(const struct nst_profile *p, unsigned int i)
{
	(void)p;
	return nst_policies[i] ? nst_policies[i]->name : NULL;
}

static void policy_set(void *base, unsigned int i)
{
	((struct nst_profile_task *)base)->policy = nst_policies[i];
}

static int policy_get(const void *base)
{
	const struct nst_profile_task *task = base;

	for (int i = 0; nst_policies[i] && nst_policies[i]->name; i++) {
		if (nst_policies[i] == task->policy)
			return i;
	}
	return -1;
}

static const struct nst_choices policies = { policy_name, policy_set,
					     policy_get };

static const char *preset_name(const struct nst_profile *p, unsigned int i)
{
	(void)p;
	return nst_profile_presets[i].name;
}

static void preset_set(void *base, unsigned int i)
{
	const struct nst_profile_preset *preset = &nst_profile_presets[i];
	struct nst_profile_sensor *sensor = base;

	strcpy(sensor->preset, preset->name);
	sensor->plant = *preset->plant;
	sensor->max_temp_mc = preset->max_temp_mc;
	if (preset->lsb_mc)
		sensor->observer.lsb_mc = preset->lsb_mc;
}

static int preset_get(const void *base)
{
	const struct nst_profile_sensor *sensor = base;

	for (int i = 0; nst_profile_presets[i].name; i++) {
		if (!strcmp(nst_profile_presets[i].name, sensor->preset))
			return i;
	}
	return -1;
}

static const struct nst_choices presets = { preset_name, preset_set,
					    preset_get };

static const char *workload_name(const struct nst_profile *p, unsigned int i)
{
	(void)p;
	return nst_profile_workloads[i].name;
}

static void workload_set(void *base, unsigned int i)
{
	struct nst_profile_sensor *sensor = base;

	sensor->near_mw = nst_profile_workloads[i].near_mw;
	sensor->far_mw = nst_profile_workloads[i].far_mw;
}

static int workload_get(const void *base)
{
	(void)base;
	return -1;
}

static const struct nst_choices workloads = { workload_name, workload_set,
					      workload_get };

static const char *light_name(const struct nst_profile *p, unsigned int i)
{
	(void)p;
	return i < nst_profile_light_count ? nst_profile_lights[i].name : NULL;
}

static void light_set(void *base, unsigned int i)
{
	((struct nst_profile_sensor *)base)->light = nst_profile_lights[i];
}

static int light_get(const void *base)
{
	const struct nst_profile_sensor *sensor = base;

	for (unsigned int i = 0; i < nst_profile_light_count; i++) {
		if (!strcmp(nst_profile_lights[i].name, sensor->light.name))
			return (int)i;
	}
	return -1;
}

static const struct nst_choices lights = { light_name, light_set, light_get };

static const char *sensor_name(const struct nst_profile *p, unsigned int i)
{
	return p && i < p->sensor_count ? p->sensors[i].name : NULL;
}

static void sensor_set(void *base, unsigned int i)
{
	((struct nst_profile_task *)base)->sensor = i;
}

static int sensor_get(const void *base)
{
	return (int)((const struct nst_profile_task *)base)->sensor;
}

static const struct nst_choices sensors = { sensor_name, sensor_set,
					    sensor_get };

/* ------------------------------------------------------------- texts --- */

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static const char *check_name(const char *text)
{
	if (!strspn(text, LETTERS) ||
	    text[strspn(text, LETTERS "0123456789_.-")])
		return "a name is a letter followed by letters, digits, '_', '.' and '-'";
	return NULL;
}

static const char *check_device(const char *text)
{
	if (!*text || text[strspn(text, LETTERS "0123456789_.:@/-")])
		return "valid: the name of an nst device (nst0, sim0), or /dev/nstN";
	if (*text == '/' && strncmp(text, "/dev/", 5))
		return "valid: the name of an nst device (nst0, sim0), or /dev/nstN";
	return NULL;
}

static const char *check_camera(const char *text)
{
	if (!strncmp(text, "/dev/", 5) && text[5])
		return NULL;
	if (!strncmp(text, "card:", 5) && text[5])
		return NULL;
	if (!strncmp(text, "subdev:", 7) && text[7])
		return NULL;
	return "valid: /dev/videoN or /dev/v4l-subdevN, card:NAME for the node with that V4L2 card name, or subdev:NAME for the sub-device of that name";
}

static const char *check_far_device(const char *text)
{
	static const char *const forms[] = { "driver:", "bus:",
					     "/dev/dri/renderD",
					     "/dev/accel/accel" };

	for (size_t i = 0; i < NST_ARRAY_SIZE(forms); i++) {
		size_t len = strlen(forms[i]);

		if (!strncmp(text, forms[i], len) && text[len])
			return NULL;
	}
	return "valid: driver:NAME, bus:NAME (bus:pci-0000:03:00.0), /dev/dri/renderDN or /dev/accel/accelN";
}

static const char *check_line(const char *text)
{
	/* Any text can be the name of a line; an empty one is none's. */
	return *text ? NULL : "valid: the name of a line, or CHIP:NUMBER with the label of the chip, for example pinctrl-bcm2711:17";
}

static const char *check_host_sensor(const char *text)
{
	const char *slash = strchr(text, '/');

	if (slash && slash != text && slash[1])
		return NULL;
	return "valid: CHIP/LABEL as sensors(1) prints them, for example sht4x-i2c-*-44/temp1";
}

/* ------------------------------------------------------------- table --- */

#define SENSOR_INT(scope, name, flags, field, min, max, meaning) \
	{ scope, name, NST_KEY_INT, flags, \
	  offsetof(struct nst_profile_sensor, field), NST_KEY_NONE, \
	  min, max, NULL, NULL, meaning }
#define TASK_INT(scope, name, flags, field, min, max, meaning) \
	{ scope, name, NST_KEY_INT, flags, \
	  offsetof(struct nst_profile_task, field), NST_KEY_NONE, \
	  min, max, NULL, NULL, meaning }
#define WORD(scope, name, flags, list, meaning) \
	{ scope, name, NST_KEY_CHOICE, flags, NST_KEY_NONE, NST_KEY_NONE, \
	  0, 0, list, NULL, meaning }
/* at most @max characters */
#define SENSOR_TEXT(scope, name, flags, field, max, check, meaning) \
	{ scope, name, NST_KEY_TEXT, flags, \
	  offsetof(struct nst_profile_sensor, field), NST_KEY_NONE, \
	  0, max, NULL, check, meaning }
#define FILE_KEY(scope, name, flags, type, field, meaning) \
	{ scope, name, NST_KEY_FILE, flags, offsetof(type, field), \
	  NST_KEY_NONE, 0, NST_PROFILE_FILE_LEN - 1, NULL, NULL, meaning }
#define MAP(scope, name, flags, meaning) \
	{ scope, name, NST_KEY_MAP, flags, NST_KEY_NONE, NST_KEY_NONE, \
	  0, 0, NULL, NULL, meaning }
#define LIST(name, flags, max, meaning) \
	{ "", name, NST_KEY_LIST, flags, NST_KEY_NONE, NST_KEY_NONE, \
	  1, max, NULL, NULL, meaning }

const struct nst_key nst_keys[] = {
	{ "", "version", NST_KEY_INT, NST_KEY_REQUIRED, NST_KEY_NONE,
	  NST_KEY_NONE, 1, 1, NULL, NULL,
	  "format of the file; this program reads 1" },
	LIST("sensors", NST_KEY_REQUIRED | NST_KEY_FIRST,
	     NST_PROFILE_SENSORS_MAX, "the stacked sensors, a list"),
	LIST("tasks", NST_KEY_REQUIRED, NST_PROFILE_TASKS_MAX,
	     "what runs on the sensors, a list"),

	SENSOR_TEXT("sensors", "name", NST_KEY_REQUIRED, name,
		    NST_PROFILE_NAME_LEN - 1, check_name,
	     "name of the sensor in tasks, messages and recordings"),
	SENSOR_TEXT("sensors", "device", 0, device, NST_PROFILE_PATH_LEN - 1,
		    check_device,
	     "nst device that gates and measures it; none: simulation only"),
	SENSOR_TEXT("sensors", "camera", 0, camera, NST_PROFILE_PATH_LEN - 1,
		    check_camera,
	     "V4L2 node or sub-device that tells exposure and gain; none: the light below holds"),
	MAP("sensors", "thermal", NST_KEY_FIRST,
	    "heat path from die to ambient"),
	WORD("sensors.thermal", "preset", NST_KEY_FIRST, &presets,
	     "part whose constants are taken; it also sets max_temp_mc and observer.lsb_mc"),
	FILE_KEY("sensors.thermal", "calibration", 0,
		 struct nst_profile_sensor, thermal_file,
	     "file of nstctl calibrate --thermal whose constants are taken"),
	SENSOR_INT("sensors.thermal", "r_jp_mk_per_w", 0, plant.r_jp_mk_per_w,
	    NST_R_MIN_MK_PER_W, NST_R_MAX_MK_PER_W,
	    "thermal resistance die to package, mK/W: the fast jump per watt"),
	SENSOR_INT("sensors.thermal", "r_pa_mk_per_w", 0, plant.r_pa_mk_per_w,
	    NST_R_MIN_MK_PER_W, NST_R_MAX_MK_PER_W,
	    "thermal resistance package to ambient, mK/W"),
	SENSOR_INT("sensors.thermal", "c_j_uj_per_k", 0, plant.c_j_uj_per_k,
	    NST_C_MIN_UJ_PER_K, NST_C_MAX_UJ_PER_K,
	    "heat capacity of the die, uJ/K"),
	SENSOR_INT("sensors.thermal", "c_p_uj_per_k", 0, plant.c_p_uj_per_k,
	    NST_C_MIN_UJ_PER_K, NST_C_MAX_UJ_PER_K,
	    "heat capacity of the package, uJ/K, more than 20 times the die's"),
	SENSOR_INT("sensors.thermal", "tolerance_percent", 0,
	    tolerance_percent, 0, 50,
	    "how far off these constants, near_mw and ambient_mc may be, percent; above 0 they are identified while the stack runs, and limits keep their distance until they are"),
	SENSOR_INT("sensors.thermal", "leak_ref_uw", 0, plant.leak_ref_uw,
	    0, 1000000, "leakage power at 300 K, uW; 0 for none"),
	SENSOR_INT("sensors.thermal", "leak_beta_ppm_per_k", 0,
	    plant.leak_beta_ppm_per_k, 0, 50000,
	    "exponent of the leakage, 1e-6 per kelvin"),
	SENSOR_INT("sensors", "ambient_mc", NST_KEY_SIGNED, ambient_mc,
	    -40000, 85000, "ambient temperature assumed, mdegC"),
	SENSOR_INT("sensors", "max_temp_mc", NST_KEY_SIGNED, max_temp_mc,
	    0, 150000, "ceiling of the part: never exceeded, mdegC"),
	SENSOR_INT("sensors", "accuracy_mc", NST_KEY_SIGNED, accuracy_mc,
	    0, 20000, "error of the temperature sensor, taken off every limit, mK"),
	SENSOR_TEXT("sensors", "ambient_sensor", 0, ambient_sensor,
		    NST_PROFILE_PATH_LEN - 1, check_host_sensor,
	    "thermometer of the air, a name of libsensors; none: ambient_mc holds"),
	SENSOR_TEXT("sensors", "board_sensor", 0, board_sensor,
		    NST_PROFILE_PATH_LEN - 1, check_host_sensor,
	    "thermometer of the board, a name of libsensors; for status only"),
	MAP("sensors", "noise", 0, "from temperature to image noise"),
	WORD("sensors.noise", "model", 0, &noises,
	     "noise model: paper, SNR of a dark frame against a signal level; emva, total SNR of a flat patch"),
	WORD("sensors.noise", "preset", NST_KEY_FIRST | NST_KEY_EMVA,
	     &noise_presets, "sensor whose emva constants are taken"),
	FILE_KEY("sensors.noise", "calibration", NST_KEY_EMVA,
		 struct nst_profile_sensor, noise_file,
	     "file of nstctl calibrate with the emva constants of this very sensor"),
	SENSOR_INT("sensors.noise", "signal_permyriad", NST_KEY_EMVA,
		   signal_permyriad, 1, 10000,
	    "signal at which an SNR is promised, of the range over black at the present gain; 5000 is middle grey"),
	SENSOR_INT("sensors.noise", "doubling_mc", NST_KEY_PAPER, doubling_mc,
	    1000, 50000, "dark current doubles every so many mK"),
	MAP("sensors", "power", NST_KEY_REQUIRED,
	    "power by placement and cost of changing it"),
	WORD("sensors.power", "preset",
	     NST_KEY_FIRST | NST_KEY_PRESET | NST_KEY_NO_DUMP, &workloads,
	     "workload whose near_mw and far_mw are taken"),
	SENSOR_INT("sensors.power", "near_mw", NST_KEY_REQUIRED, near_mw,
	    1, NST_POWER_MAX_MW,
	    "stack with the VPU running, mean over a frame at full duty, mW"),
	SENSOR_INT("sensors.power", "far_mw", NST_KEY_REQUIRED, far_mw,
	    1, NST_POWER_MAX_MW,
	    "whole system with the task on the host, mW"),
	SENSOR_INT("sensors.power", "capture_mw", 0, capture_mw,
	    0, NST_POWER_MAX_MW, "stack with the VPU gated, mW"),
	SENSOR_INT("sensors.power", "vpu_busy_us", 0, vpu_busy_us,
	    0, NST_FRAME_PERIOD_MAX_US,
	    "time a frame keeps the VPU busy, us; 0: the whole frame"),
	SENSOR_INT("sensors.power", "gate_enter_us", 0, gate_enter_us,
	    0, 1000000, "from the request until the VPU draws no power, us"),
	SENSOR_INT("sensors.power", "gate_exit_us", 0, gate_exit_us,
	    0, 1000000, "from the request until the VPU works again, us"),
	SENSOR_INT("sensors.power", "switch_us", 0, switch_us,
	    0, 1000000, "hand-shake of a migration, both sides on, us"),
	SENSOR_INT("sensors", "readout_us", 0, readout_us,
	    0, 1000000, "first row to last row, us"),
	SENSOR_INT("sensors", "sample_delay_us", 0, sample_delay_us,
	    0, 1000000, "age of a temperature reading when it arrives, us"),
	WORD("sensors", "shutter", 0, &shutters,
	     "whether rows start one after another"),
	MAP("sensors", "observer", 0, "the temperature sensor and trust in it"),
	SENSOR_INT("sensors.observer", "lsb_mc", 0, observer.lsb_mc,
	    0, 20000, "step of the temperature sensor, mK; 0: exact"),
	{ "sensors.observer", "floor", NST_KEY_BOOL, 0,
	  offsetof(struct nst_profile_sensor, observer.floor), NST_KEY_NONE,
	  0, 1, NULL, NULL,
	  "it rounds down: a reading of T means T to T+lsb" },
	SENSOR_INT("sensors.observer", "noise_mc", 0, observer.noise_mc,
	    0, 20000, "standard deviation of one reading, mK"),
	SENSOR_INT("sensors.observer", "implausible_mc", 0,
	    observer.implausible_mc, 1000, 200000,
	    "a reading further than this from the model is bad, mK"),
	{ "sensors.observer", "bad_max", NST_KEY_SHORT, 0,
	  offsetof(struct nst_profile_sensor, observer.bad_max), NST_KEY_NONE,
	  1, 1000, NULL, NULL,
	  "bad readings in a row before the sensor is not trusted" },
	{ "sensors.observer", "good_min", NST_KEY_SHORT, 0,
	  offsetof(struct nst_profile_sensor, observer.good_min), NST_KEY_NONE,
	  1, 1000, NULL, NULL,
	  "good readings in a row before it is trusted again" },
	MAP("sensors", "gpio", 0,
	    "lines of the host, for a device whose driver has no gate"),
	SENSOR_TEXT("sensors.gpio", "gate_line", 0, gate_line,
		    NST_PROFILE_PATH_LEN - 1, check_line,
	    "line that lets the VPU run: its name, or CHIP:NUMBER"),
	{ "sensors.gpio", "gate_active_low", NST_KEY_BOOL, 0,
	  offsetof(struct nst_profile_sensor, gate_active_low), NST_KEY_NONE,
	  0, 1, NULL, NULL, "the VPU runs while it is low" },
	SENSOR_TEXT("sensors.gpio", "strobe_line", 0, strobe_line,
		    NST_PROFILE_PATH_LEN - 1, check_line,
	    "line that is active while a cold frame is exposed; needs gate_line"),
	{ "sensors.gpio", "strobe_active_low", NST_KEY_BOOL, 0,
	  offsetof(struct nst_profile_sensor, strobe_active_low), NST_KEY_NONE,
	  0, 1, NULL, NULL, "it is low while it is active" },
	MAP("sensors", "far", 0, "the device that far frames go to"),
	SENSOR_TEXT("sensors.far", "device", 0, far_device,
		    NST_PROFILE_PATH_LEN - 1, check_far_device,
	    "render or accel node; none: the far placement is always there"),
	SENSOR_TEXT("sensors.far", "sensor", 0, far_sensor,
		    NST_PROFILE_PATH_LEN - 1, check_host_sensor,
	    "thermometer of the far device, a name of libsensors"),
	SENSOR_INT("sensors.far", "busy_permyriad", 0, far_busy_permyriad,
	    0, NST_PERMYRIAD,
	    "as busy as this no far season begins; 0: however busy it is"),
	SENSOR_INT("sensors.far", "temp_max_mc", NST_KEY_SIGNED,
	    far_temp_max_mc, 20000, 150000,
	    "as hot as this it is refused, mdegC; needs the sensor"),
	SENSOR_INT("sensors.far", "capacity_permyriad", 0,
	    far_capacity_permyriad, 0, NST_ARBITER_LOAD_MAX,
	    "far load that all sensors of this device may put on it; 0: any"),
	MAP("sensors", "light", 0,
	    "camera situation assumed where the device does not tell it"),
	WORD("sensors.light", "preset", NST_KEY_FIRST, &lights,
	     "named situation"),
	{ "sensors.light", "illuminance_lux", NST_KEY_MILLI, 0,
	  offsetof(struct nst_profile_sensor, light.lux_milli), NST_KEY_NONE,
	  0, 200000, NULL, NULL,
	  "light on the scene, lux; for the record only" },
	SENSOR_INT("sensors.light", "exposure_us", 0, light.exposure_us,
	    1, 5000000, "exposure time, us"),
	SENSOR_INT("sensors.light", "iso", 0, light.iso,
	    1, 1000000, "gain as an ISO number"),

	{ "tasks", "name", NST_KEY_TEXT, NST_KEY_REQUIRED,
	  offsetof(struct nst_profile_task, name), NST_KEY_NONE,
	  0, NST_PROFILE_NAME_LEN - 1, NULL, check_name,
	  "name of the task in messages" },
	WORD("tasks", "sensor", NST_KEY_REQUIRED, &sensors,
	     "sensor that it runs on"),
	WORD("tasks", "kind", NST_KEY_REQUIRED | NST_KEY_FIRST, &kinds,
	     "vision: every frame counts; imaging: captures on demand"),
	TASK_INT("tasks", "fps", NST_KEY_VISION, fps, 1, 1000,
	    "frames a second, a maximum: exposure plus read-out may stretch it"),
	MAP("tasks", "fidelity", 0,
	    "what the frames must be good enough for; none: do not care"),
	{ "tasks.fidelity", "min_snr_db", NST_KEY_REAL, 0,
	  offsetof(struct nst_profile_task, min_snr_db),
	  offsetof(struct nst_profile_task, has_snr), -20, 100, NULL, NULL,
	  "lowest signal to noise ratio, dB, as the sensor's noise model means it" },
	{ "tasks.fidelity", "max_accuracy_drop_percent", NST_KEY_REAL, 0,
	  offsetof(struct nst_profile_task, max_accuracy_drop_percent),
	  offsetof(struct nst_profile_task, has_drop), 0, 100, NULL, NULL,
	  "most that noise may cost the task, in percent of its accuracy on clean images; with accuracy_curve, under emva" },
	FILE_KEY("tasks.fidelity", "accuracy_curve", 0,
		 struct nst_profile_task, curve_file,
	     "accuracy of the task against SNR: a name that ships with nst or a file"),
	{ "tasks.fidelity", "max_temp_mc", NST_KEY_INT, NST_KEY_SIGNED,
	  offsetof(struct nst_profile_task, max_temp_mc),
	  offsetof(struct nst_profile_task, has_max_temp),
	  -40000, 150000, NULL, NULL,
	  "highest exposure temperature, mdegC" },
	TASK_INT("tasks", "deadline_ms", NST_KEY_IMAGING, deadline_ms,
	    1, 60000, "from the request to the start of the exposure, ms"),
	WORD("tasks", "policy", NST_KEY_VISION, &policies,
	     "who decides where the frames are processed"),
	TASK_INT("tasks", "stop_frames", NST_KEY_VISION, stop_frames,
	    1, 10000, "shortest stop of stop-capture-go and predictive-stop, frames"),
	TASK_INT("tasks", "far_load_permyriad", NST_KEY_VISION,
	    far_load_permyriad, 0, NST_ARBITER_LOAD_MAX,
	    "load on the far device while the task is there, 10000: one whole"),
	TASK_INT("tasks", "dwell_ms", NST_KEY_VISION, dwell_ms,
	    0, 600000, "shortest far season of seasonal-migration and predictive, ms"),
	TASK_INT("tasks", "gap_mc", NST_KEY_VISION, gap_mc,
	    0, 100000, "T_high - T_low, mK; 0: the jump of the die plus 4000"),
	{ NULL, NULL, NST_KEY_INT, 0, 0, 0, 0, 0, NULL, NULL, NULL },
};

static_assert(NST_ARRAY_SIZE(nst_keys) <= NST_KEYS_MAX, "NST_KEYS_MAX");

/* ----------------------------------------------------------- helpers --- */

int nst_key_find(const char *scope, const char *name)
{
	for (int i = 0; nst_keys[i].name; i++) {
		if (!strcmp(nst_keys[i].scope, scope) &&
		    !strcmp(nst_keys[i].name, name))
			return i;
	}
	return -1;
}

size_t nst_key_names(const char *scope, const char **names, size_t max)
{
	size_t n = 0;

	for (int i = 0; nst_keys[i].name && n < max; i++) {
		if (!strcmp(nst_keys[i].scope, scope))
			names[n++] = nst_keys[i].name;
	}
	return n;
}

size_t nst_key_choice_names(const struct nst_key *key,
			    const struct nst_profile *profile,
			    const char **names, size_t max)
{
	const char *name;
	size_t n = 0;

	while (n < max &&
	       (name = key->choices->name(profile, (unsigned int)n)))
		names[n++] = name;
	return n;
}

long long nst_key_get_int(const struct nst_key *key, const void *base)
{
	const char *field = (const char *)base + key->offset;
	u16 v16;
	u32 v32;

	if (key->offset == NST_KEY_NONE)
		return (long long)key->min;
	if (key->type == NST_KEY_SHORT) {
		memcpy(&v16, field, sizeof(v16));
		return v16;
	}
	memcpy(&v32, field, sizeof(v32));
	return key->flags & NST_KEY_SIGNED ? (s32)v32 : (long long)v32;
}

void nst_key_set_int(const struct nst_key *key, void *base, long long value)
{
	char *field = (char *)base + key->offset;
	u16 v16 = (u16)value;
	u32 v32 = (u32)value;

	if (key->offset == NST_KEY_NONE)
		return;
	if (key->type == NST_KEY_SHORT)
		memcpy(field, &v16, sizeof(v16));
	else
		memcpy(field, &v32, sizeof(v32));
}

void nst_profile_sensor_defaults(struct nst_profile_sensor *sensor)
{
	memset(sensor, 0, sizeof(*sensor));
	sensor->observer = nst_observer_default;
	preset_set(sensor, 0);
	sensor->ambient_mc = 26400;
	sensor->noise = NST_NOISE_PAPER;
	sensor->doubling_mc = NST_DOUBLING_DEFAULT_MC;
	sensor->signal_permyriad = 5000;
	sensor->capture_mw = 100;
	sensor->switch_us = 100;
	sensor->readout_us = 1000;
	sensor->shutter = NST_SHUTTER_ROLLING;
	sensor->far_busy_permyriad = 8000;
	sensor->far_temp_max_mc = 90000;
	light_set(sensor, 0);
}

void nst_profile_task_defaults(struct nst_profile_task *task)
{
	memset(task, 0, sizeof(*task));
	task->fps = 30;
	task->deadline_ms = 100;
	task->stop_frames = 1;
	task->far_load_permyriad = NST_PERMYRIAD;
}
