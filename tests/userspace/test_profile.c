// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_profile.c - profiles: messages, round trip, keys, limits, deadlines
 *
 * profiles-bad/NAME.yaml is a broken profile, NAME.expect the messages that
 * it must get, all of them and in this order, without the file's name.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "keys.h"
#include "ktap.h"
#include "profile.h"
#include "situation.h"

static char top[512];

static void top_find(void)
{
	const char *env = getenv("NST_TOP");

	snprintf(top, sizeof(top), "%s", env ? env : ".");
}

static char *file_text(const char *path)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	char *text;
	size_t n;

	if (!in)
		return NULL;
	text = calloc(1, 65536);
	n = text ? fread(text, 1, 65535, in) : 0;
	if (text)
		text[n] = '\0';
	return text;
}

/* Files that a profile names are told with the folder they are in. */
static void cut_folder(char *text, const char *path)
{
	_cleanup_free_ char *real = realpath(path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL, *at = text;

	if (!slash)
		return;
	slash[1] = '\0';
	while ((at = strstr(at, real)))
		memmove(at, at + strlen(real), strlen(at + strlen(real)) + 1);
}

/* Load @path; messages without the name of the file. */
static int load_messages(const char *path, struct nst_profile *profile,
			 char **ret)
{
	_cleanup_free_ char *raw = NULL;
	size_t size = 0, skip = strlen(path) + 1;
	char *line, *save = NULL, *out;
	FILE *err = open_memstream(&raw, &size);
	int r;

	r = nst_profile_load(profile, path, err);
	fclose(err);
	out = calloc(1, size + 1);
	*ret = out;
	for (line = strtok_r(raw, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, path, skip - 1) || line[skip - 1] != ':')
			return -EPROTO;
		strcat(out, line + skip);
		strcat(out, "\n");
	}
	cut_folder(out, path);
	return r;
}

static void check_bad(const char *name)
{
	_cleanup_free_ char *want = NULL, *got = NULL;
	char yaml[1024], expect[1024];
	struct nst_profile profile, before;
	int r;

	snprintf(yaml, sizeof(yaml), "%s/tests/userspace/profiles-bad/%s.yaml",
		 top, name);
	snprintf(expect, sizeof(expect),
		 "%s/tests/userspace/profiles-bad/%s.expect", top, name);
	want = file_text(expect);
	EXPECT(want && *want, "%s is missing or empty", expect);
	if (!want)
		return;
	memset(&profile, 0x5a, sizeof(profile));
	before = profile;
	r = load_messages(yaml, &profile, &got);
	EXPECT(r == -EINVAL, "%s: %d", name, r);
	EXPECT(!memcmp(&profile, &before, sizeof(profile)),
	       "%s: half applied", name);
	EXPECT(!strcmp(got, want), "%s\n# got:\n%s# wanted:\n%s", name, got,
	       want);
	/* Nobody has to listen. */
	EXPECT(nst_profile_load(&profile, yaml, NULL) == -EINVAL, "%s", name);
}

static void bad_profiles(void)
{
	char path[1024];
	unsigned int count = 0;
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/tests/userspace/profiles-bad", top);
	dir = opendir(path);
	EXPECT(dir, "%s", path);
	while (dir && (entry = readdir(dir))) {
		char *dot = strrchr(entry->d_name, '.');

		if (!dot || strcmp(dot, ".yaml"))
			continue;
		*dot = '\0';
		check_bad(entry->d_name);
		count++;
	}
	if (dir)
		closedir(dir);
	EXPECT(count >= 60, "only %u", count);
}

static void not_a_file(void)
{
	struct nst_profile profile;

	EXPECT(nst_profile_load(&profile, "/no/such/file", stdout) == -ENOENT,
	       "missing");
	EXPECT(nst_profile_load(&profile, "/", stdout) == -EISDIR, "folder");
	EXPECT(nst_profile_load(&profile, "/dev/zero", stdout) == -EFBIG,
	       "endless");
}

/* --------------------------------------------------------- good ones --- */

static int from_text(struct nst_profile *profile, const char *text)
{
	char path[] = "/tmp/nst-test-XXXXXX";
	int fd = mkstemp(path), r;
	size_t len = strlen(text);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		return -EIO;
	close(fd);
	r = nst_profile_load(profile, path, stdout);
	unlink(path);
	return r;
}

static int dump_text(const struct nst_profile *profile, char **ret)
{
	size_t size = 0;
	FILE *out = open_memstream(ret, &size);
	int r = nst_profile_dump(profile, out);

	fclose(out);
	return r;
}

static void round_trip_of(const struct nst_profile *profile, const char *what)
{
	_cleanup_free_ char *first = NULL, *second = NULL;
	struct nst_profile again;

	EXPECT(!dump_text(profile, &first), "%s", what);
	EXPECT(!from_text(&again, first), "%s:\n%s", what, first);
	EXPECT(!memcmp(profile, &again, sizeof(again)), "%s:\n%s", what,
	       first);
	EXPECT(!dump_text(&again, &second), "%s", what);
	EXPECT(!strcmp(first, second), "%s", what);
}

static const char everything[] =
	"version: 1\n"
	"tasks:\n"
	"  - { name: look, sensor: a.b-c_1, kind: vision, fps: 12,\n"
	"      policy: stop-capture-go, stop_frames: 3, dwell_ms: 250,\n"
	"      gap_mc: 17500, far_load_permyriad: 2500,\n"
	"      fidelity: { min_snr_db: 20.125, max_temp_mc: 71500 } }\n"
	"  - { name: still, sensor: a.b-c_1, kind: imaging,\n"
	"      deadline_ms: 70, fidelity: { min_snr_db: 0.1 } }\n"
	"sensors:\n"
	"  - name: a.b-c_1\n"
	"    max_temp_mc: 99000\n"
	"    device: /dev/nst3\n"
	"    camera: 'card:a \"b\" \\ c'\n"
	"    thermal: { c_p_uj_per_k: 350000, preset: ar0330,\n"
	"               leak_ref_uw: 50000 }\n"
	"    ambient_mc: -1500\n"
	"    accuracy_mc: 250\n"
	"    noise: { model: paper, doubling_mc: 6500 }\n"
	"    power: { near_mw: 1300, far_mw: 2700, capture_mw: 90,\n"
	"             vpu_busy_us: 20000, gate_enter_us: 10,\n"
	"             gate_exit_us: 20, switch_us: 150 }\n"
	"    far: { capacity_permyriad: 20000 }\n"
	"    readout_us: 16500\n"
	"    sample_delay_us: 450\n"
	"    shutter: global\n"
	"    observer: { lsb_mc: 1000, floor: true, noise_mc: 300,\n"
	"                implausible_mc: 9000, bad_max: 5, good_min: 7 }\n"
	"    light: { preset: office, illuminance_lux: 12.5, iso: 500 }\n";

static void every_key_is_read(void)
{
	const struct nst_profile_sensor *s;
	const struct nst_profile_task *t;
	struct nst_profile p;

	EXPECT(!from_text(&p, everything), "it is valid");
	s = &p.sensors[0];
	t = &p.tasks[0];
	EXPECT(p.sensor_count == 1 && p.task_count == 2, "counts");
	EXPECT(!strcmp(s->name, "a.b-c_1") && !strcmp(s->device, "/dev/nst3"),
	       "%s %s", s->name, s->device);
	EXPECT(!strcmp(s->camera, "card:a \"b\" \\ c"), "%s", s->camera);
	/* The preset comes first wherever it stands. */
	EXPECT(s->plant.c_p_uj_per_k == 350000 &&
	       s->plant.r_jp_mk_per_w == nst_plant_ar0330.r_jp_mk_per_w &&
	       s->plant.leak_ref_uw == 50000, "plant");
	EXPECT(s->max_temp_mc == 99000, "%d", s->max_temp_mc);
	EXPECT(s->ambient_mc == -1500 && s->accuracy_mc == 250, "temps");
	EXPECT(s->doubling_mc == 6500, "doubling");
	EXPECT(s->near_mw == 1300 && s->far_mw == 2700 &&
	       s->capture_mw == 90 && s->vpu_busy_us == 20000 &&
	       s->gate_enter_us == 10 && s->gate_exit_us == 20 &&
	       s->switch_us == 150, "power");
	EXPECT(s->readout_us == 16500 && s->sample_delay_us == 450 &&
	       s->shutter == NST_SHUTTER_GLOBAL, "camera");
	EXPECT(s->observer.lsb_mc == 1000 && s->observer.floor &&
	       s->observer.noise_mc == 300 &&
	       s->observer.implausible_mc == 9000 &&
	       s->observer.bad_max == 5 && s->observer.good_min == 7,
	       "observer");
	EXPECT(!strcmp(s->light.name, "custom") &&
	       s->light.lux_milli == 12500 && s->light.exposure_us == 32000 &&
	       s->light.iso == 500, "light");
	EXPECT(t->kind == NST_TASK_VISION && t->fps == 12 &&
	       t->policy == nst_policy_find("stop-capture-go") &&
	       t->stop_frames == 3 && t->dwell_ms == 250 &&
	       t->gap_mc == 17500 && t->far_load_permyriad == 2500, "vision");
	EXPECT(s->far_capacity_permyriad == 20000, "far");
	EXPECT(t->has_snr && t->min_snr_db == 20.125 && t->has_max_temp &&
	       t->max_temp_mc == 71500, "fidelity");
	EXPECT(p.tasks[1].kind == NST_TASK_IMAGING &&
	       p.tasks[1].deadline_ms == 70 && p.tasks[1].has_snr &&
	       !p.tasks[1].has_max_temp, "imaging");
}

/* Paths in it are absolute, for the text is loaded from elsewhere. */
static void write_emva(char *text, size_t size)
{
	_cleanup_free_ char *real = realpath(top, NULL);

	snprintf(text, size,
		 "version: 1\n"
		 "sensors:\n"
		 "  - name: cam0\n"
		 "    noise: { signal_permyriad: 4000, model: emva,\n"
		 "      calibration: %s/tests/userspace/profiles-bad/files/cam0-noise.txt }\n"
		 "    thermal: { c_p_uj_per_k: 800000, preset: imx500-like,\n"
		 "      calibration: %s/tests/userspace/profiles-bad/files/cam0-thermal.txt }\n"
		 "    power: { preset: neurostream }\n"
		 "  - { name: cam1, power: { preset: light },\n"
		 "      noise: { model: emva, preset: reference-sensor } }\n"
		 "tasks:\n"
		 "  - { name: look, sensor: cam0, kind: vision,\n"
		 "      policy: full-near, fidelity: { min_snr_db: 12,\n"
		 "      max_accuracy_drop_percent: 12.5, accuracy_curve:\n"
		 "      %s/policies/profiles/accuracy/retinanet-r50-coco.csv } }\n",
		 real, real, real);
}

static void emva_is_read(void)
{
	const struct nst_profile_sensor *s;
	const struct nst_profile_task *t;
	static char text[4096];
	struct nst_profile p;

	write_emva(text, sizeof(text));
	EXPECT(!from_text(&p, text), "%s", text);
	s = &p.sensors[0];
	t = &p.tasks[0];
	EXPECT(s->noise == NST_NOISE_EMVA && s->signal_permyriad == 4000,
	       "model");
	EXPECT(s->emva.gain[0].dn_per_e == 0.12 && s->emva.dsnu == 0.1 &&
	       s->emva.hot_share == 0, "calibration");
	EXPECT(s->doubling_mc == 7000, "%u", s->doubling_mc);
	EXPECT(!strcmp(s->noise_owner.name, "cam0") &&
	       !strcmp(s->noise_owner.card, "left"), "owner");
	/* Preset, then calibration, then single keys. */
	EXPECT(s->max_temp_mc == 75000 && s->plant.r_jp_mk_per_w == 5500 &&
	       s->plant.c_p_uj_per_k == 800000, "thermal");
	EXPECT(p.sensors[1].emva.full_well_e == 7900 &&
	       p.sensors[1].signal_permyriad == 5000, "preset");
	EXPECT(t->has_snr && t->has_drop &&
	       t->max_accuracy_drop_percent == 12.5 && t->curve.points == 5 &&
	       t->curve.clean == 0.3561, "curve");
	round_trip_of(&p, "emva");
}

/* A program cannot make the daemon open what it likes. */
static void programs_name_no_files(void)
{
	static const char *const curves[] = { "/dev/stdin", "../x", "a/b.csv",
					      "no-such-curve" };
	static char text[4096];
	char what[1024];
	struct nst_profile p, before;

	write_emva(text, sizeof(text));
	EXPECT(!from_text(&p, text), "%s", text);
	before = p;
	for (unsigned int i = 0; i < KTAP_COUNT(curves); i++) {
		snprintf(text, sizeof(text),
			 "{ name: more, sensor: cam1, kind: vision, policy: full-near, "
			 "fidelity: { max_accuracy_drop_percent: 5, accuracy_curve: \"%s\" } }",
			 curves[i]);
		EXPECT(nst_profile_add_task(&p, text, strlen(text), what,
					    sizeof(what)) == -EINVAL, "%s",
		       curves[i]);
		EXPECT(strstr(what, i < 3 ? "ships with nst" : "is unknown"),
		       "%s", what);
		EXPECT(p.task_count == before.task_count, "half applied");
	}
}

static void round_trips(void)
{
	static const char *const names[] = { "reference", "demo", "emva",
					     "nst" };
	struct nst_profile p;

	EXPECT(!from_text(&p, everything), "everything");
	round_trip_of(&p, "everything");
	for (unsigned int i = 0; i < KTAP_COUNT(names); i++) {
		char path[1024];

		snprintf(path, sizeof(path), "%s/policies/profiles/%s.yaml",
			 top, names[i]);
		EXPECT(!nst_profile_load(&p, path, stdout), "%s", path);
		round_trip_of(&p, names[i]);
	}
}

/* Real numbers come back to the last bit. */
static void reals_round_trip(void)
{
	struct nst_profile p;

	EXPECT(!from_text(&p, everything), "everything");
	for (int i = 1; i < 2000; i++) {
		p.tasks[0].min_snr_db = 44.0 * sin(i) / 3.0;
		if (p.tasks[0].min_snr_db < -14)
			continue;
		round_trip_of(&p, "real");
	}
}

static void keys_are_explained(void)
{
	for (int i = 0; nst_keys[i].name; i++) {
		_cleanup_free_ char *text = NULL;
		char name[128];
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		snprintf(name, sizeof(name), "%s%s%s", nst_keys[i].scope,
			 *nst_keys[i].scope ? "." : "", nst_keys[i].name);
		EXPECT(!nst_profile_explain(name, out), "%s", name);
		fclose(out);
		EXPECT(!strncmp(text, name, strlen(name)), "%s: %s", name,
		       text);
		EXPECT(strstr(text, nst_keys[i].meaning), "%s", name);
		EXPECT(strstr(text, "default:") || strstr(text, "required"),
		       "%s", name);
		/* A number of a quantity has its unit in the key. */
		if (nst_keys[i].type == NST_KEY_INT &&
		    strcmp(nst_keys[i].name, "version") &&
		    strcmp(nst_keys[i].name, "iso") &&
		    strcmp(nst_keys[i].name, "bad_max") &&
		    strcmp(nst_keys[i].name, "good_min"))
			EXPECT(strstr(text, "unit:"), "%s has no unit", name);
	}
}

static void explain_finds_and_refuses(void)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	EXPECT(!nst_profile_explain("power.near_mw", out), "part of a name");
	EXPECT(nst_profile_explain("ear_mw", out) == -ENOENT,
	       "not half a word");
	EXPECT(nst_profile_explain("near_mv", out) == -ENOENT, "typo");
	EXPECT(nst_profile_explain("near_mv", NULL) == -ENOENT, "typo");
	fclose(out);
	EXPECT(strstr(text, "did you mean 'near_mw'?"), "%s", text);
	EXPECT(strstr(text, "range: 1 to 50000"), "%s", text);
}

/* ---------------------------------------------------- what it means --- */

static const char two_tasks[] =
	"version: 1\n"
	"sensors:\n"
	"  - { name: cam0, power: { preset: neurostream },\n"
	"      accuracy_mc: %d }\n"
	"tasks:\n"
	"  - { name: v1, sensor: cam0, kind: vision, policy: full-near,\n"
	"      fps: 15, fidelity: { min_snr_db: 20 } }\n"
	"  - { name: v2, sensor: cam0, kind: vision, policy: full-near,\n"
	"      fps: 30, fidelity: { max_temp_mc: 90000 } }\n"
	"  - { name: i1, sensor: cam0, kind: imaging, deadline_ms: %d,\n"
	"      fidelity: { min_snr_db: 26 } }\n"
	"  - { name: i2, sensor: cam0, kind: imaging, deadline_ms: 5000,\n"
	"      fidelity: { min_snr_db: 35 } }\n";

static void demands_combine(void)
{
	struct nst_situation sit;
	struct nst_profile p;
	s32 vision, imaging;
	char text[1024];

	snprintf(text, sizeof(text), two_tasks, 0, 100);
	EXPECT(!from_text(&p, text), "valid");
	/* The strictest of each kind: 20 dB in dim light, 90 degC in office. */
	EXPECT(!nst_profile_demand(&p, 0, 64000, 800, &vision, &imaging),
	       "dim");
	EXPECT(abs(vision - 81050) < 60 && abs(imaging - 63080) < 60, "%d %d",
	       vision, imaging);
	EXPECT(!nst_profile_demand(&p, 0, 32000, 400, &vision, &imaging),
	       "office");
	EXPECT(vision == 90000 && abs(imaging - 77080) < 60, "%d %d", vision,
	       imaging);
	EXPECT(nst_profile_demand(&p, 1, 32000, 400, &vision, &imaging) ==
	       -ERANGE, "no such sensor");
	/* 44.999 dB exists in daylight and not at a thousand times the gain */
	p.tasks[0].min_snr_db = 44.9999999;
	EXPECT(nst_profile_demand(&p, 0, 64000, 800000, &vision, &imaging) ==
	       -EDOM, "impossible");
	EXPECT(vision == NST_TEMP_MIN_MC, "%d", vision);
	EXPECT(nst_situation_get(&sit, &p, 0, 64000, 800000) == -EDOM, "-");
}

static void situation_follows(void)
{
	struct nst_situation sit;
	struct nst_profile p;
	char text[1024];

	snprintf(text, sizeof(text), two_tasks, 1500, 100);
	EXPECT(!from_text(&p, text), "valid");
	EXPECT(!nst_situation_get(&sit, &p, 0, 16000, 100), "daylight");
	EXPECT(sit.policy.frame_period_us == 33333 && !sit.stretched, "%u",
	       sit.policy.frame_period_us);
	/* 100 ms are three periods, one of which passes before the gate. */
	EXPECT(sit.latency_us == 2 * 33333, "%u", sit.latency_us);
	EXPECT(sit.policy.vision_max_mc == 90000 - 1500, "%d",
	       sit.policy.vision_max_mc);
	EXPECT(sit.policy.thr.high_mc == 90000 - 1500, "%d",
	       sit.policy.thr.high_mc);

	EXPECT(!nst_situation_get(&sit, &p, 0, 64000, 800), "dim");
	EXPECT(sit.policy.frame_period_us == 65000 && sit.stretched, "%u",
	       sit.policy.frame_period_us);
	EXPECT(sit.latency_us == 65000, "at least one frame: %u",
	       sit.latency_us);
	/* T_imaging + 13.2 K of jump, less the accuracy; below vision's. */
	EXPECT(abs(sit.policy.thr.high_mc - (63080 + 13200 - 1500)) < 60,
	       "%d", sit.policy.thr.high_mc);
	EXPECT(sit.policy.thr.high_mc - sit.policy.thr.low_mc == 13200 + 4000,
	       "%d", sit.policy.thr.low_mc);

	p.sensors[0].shutter = NST_SHUTTER_GLOBAL;
	EXPECT(!nst_situation_get(&sit, &p, 0, 64000, 800), "global");
	EXPECT(sit.policy.readout_us == 0 &&
	       sit.policy.frame_period_us == 65000, "read-out takes time");
}

static void deadlines_round_down(void)
{
	struct nst_situation sit;
	struct nst_profile p;
	char text[1024];

	snprintf(text, sizeof(text), two_tasks, 0, 100);
	EXPECT(!from_text(&p, text), "valid");
	EXPECT(!nst_situation_get(&sit, &p, 0, 16000, 100), "daylight");
	/* Request right before a boundary: 99 ms are left, two periods. */
	EXPECT(nst_situation_capture_last(&sit, 1000) == 2, "%u",
	       nst_situation_capture_last(&sit, 1000));
	/* Right after one: a period is gone; 66 ms are one period. */
	EXPECT(nst_situation_capture_last(&sit, 33300) == 2, "%u",
	       nst_situation_capture_last(&sit, 33300));
	EXPECT(nst_situation_capture_last(&sit, 33335) == 1, "%u",
	       nst_situation_capture_last(&sit, 33335));
	/* One frame is always allowed. */
	EXPECT(nst_situation_capture_last(&sit, 99000) == 1, "-");
	EXPECT(nst_situation_capture_last(&sit, 200000) == 1, "-");
}

static void no_task_no_policy(void)
{
	struct nst_situation sit;
	struct nst_profile p;
	char text[1024];

	snprintf(text, sizeof(text), two_tasks, 0, 100);
	EXPECT(!from_text(&p, text), "valid");
	p.tasks[0].kind = NST_TASK_IMAGING;
	p.tasks[1].kind = NST_TASK_IMAGING;
	EXPECT(!nst_profile_vision_task(&p, 0), "none");
	EXPECT(nst_situation_get(&sit, &p, 0, 16000, 100) == -ENOENT, "-");
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "broken profiles get all their messages", bad_profiles },
		{ "what is no file has its errno", not_a_file },
		{ "every key reaches its field", every_key_is_read },
		{ "constants and curves are read from their files",
		  emva_is_read },
		{ "programs name no files", programs_name_no_files },
		{ "dump reads back to itself", round_trips },
		{ "reals read back to the last bit", reals_round_trip },
		{ "every key is explained, with its unit",
		  keys_are_explained },
		{ "explain finds parts and refuses the rest",
		  explain_finds_and_refuses },
		{ "strictest task of each kind wins", demands_combine },
		{ "frame period, latency and thresholds", situation_follows },
		{ "deadlines round down, one frame at least",
		  deadlines_round_down },
		{ "a sensor without a vision task has no policy",
		  no_task_no_policy },
	};

	top_find();
	return ktap_main(tests, KTAP_COUNT(tests));
}
