// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cmd_replay.c - nstctl replay: other policies in the place of a recorded one
 *
 * Light, ambient temperature, powers and the state at the start come from the
 * recording, the tasks and the rest of the sensor from a profile. What each
 * policy makes of it on the model plant is told as sim tells it, beside what
 * was recorded.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cleanup.h"
#include "log.h"
#include "nstctl.h"
#include "options.h"
#include "places.h"
#include "policy_name.h"
#include "rec_trace.h"
#include "sim_output.h"
#include "words.h"

enum {
	OPT_POLICY,
	OPT_PROFILE,
	OPT_SENSOR,
	OPT_STACK,
	OPT_READINGS,
	OPT_SWITCH_COST,
	OPT_CAPTURES,
	OPT_SEED,
	OPT_RECORD,
	OPT_JSON,
	OPT_HELP,
};

static const struct nst_option options[] = {
	[OPT_POLICY] = { "--policy", "NAME",
		"policy to run; again for another one to compare (required)",
		.many = true },
	[OPT_PROFILE] = { "--profile", "FILE",
		"sensor and tasks; default: the profile that nstd would take" },
	[OPT_SENSOR] = { "--sensor", "NAME",
		"sensor of the recording; default: the first in it" },
	[OPT_STACK] = { "--stack", "NAME",
		"sensor of the profile; default: the one of the same name" },
	[OPT_READINGS] = { "--readings", "MODEL",
		"exact, 1c (whole degrees) or 1c-noisy; default: exact" },
	[OPT_SWITCH_COST] = { "--switch-cost", "zero|real",
		"whether a migration costs energy; default: real" },
	[OPT_CAPTURES] = { "--captures", "RATE",
		"on-demand captures a second, at random times; default: 0" },
	[OPT_SEED] = { "--seed", "N",
		"seed of captures and sensor noise; default: 1" },
	[OPT_RECORD] = { "--record", "FILE",
		"write every run to a recording, as a sensor of its policy's name" },
	[OPT_JSON] = { "--json", NULL,
		"print JSON: an object, or an array of them for several policies" },
	[OPT_HELP] = { "--help", NULL,
		"show this help" },
};

#define COMMAND "nstctl replay"
#define POLICIES_MAX 8

struct request {
	const char *recording;
	const char *profile_path;
	const char *sensor;
	const char *stack;
	const char *record_path;
	const struct nst_policy_ops *policy[POLICIES_MAX];
	size_t policies;
	bool json;
	bool help;
	struct nst_sim_options sim;
	struct nst_profile profile;
	struct nst_rec_trace rec;
	struct nst_sim_result result[POLICIES_MAX];
};

/* ------------------------------------------------------ command line --- */

static int add_policy(struct request *req, const char *name)
{
	const struct nst_policy_ops *policy = nst_policy_named(COMMAND, name);

	if (!policy)
		return -EINVAL;
	if (req->policies == POLICIES_MAX) {
		fprintf(stderr, COMMAND ": more than %d policies\n",
			POLICIES_MAX);
		return -EINVAL;
	}
	for (size_t i = 0; i < req->policies; i++) {
		if (req->policy[i] != policy)
			continue;
		fprintf(stderr, COMMAND ": policy '%s' is given twice\n",
			name);
		return -EINVAL;
	}
	req->policy[req->policies++] = policy;
	return 0;
}

static int parse_one(struct nst_options *opts, int i, const char *value,
		     struct request *req)
{
	static const char *const readings[] = { "exact", "1c", "1c-noisy" };
	static const char *const costs[] = { "zero", "real" };
	long long n;
	int r = 0, word;

	switch (i) {
	case OPT_POLICY:
		return add_policy(req, value);
	case OPT_PROFILE:
		req->profile_path = value;
		break;
	case OPT_SENSOR:
		req->sensor = value;
		break;
	case OPT_STACK:
		req->stack = value;
		break;
	case OPT_READINGS:
		r = nst_options_word(opts, i, value, readings,
				     NST_ARRAY_SIZE(readings), &word);
		if (!r)
			req->sim.sensor_model = (enum nst_sim_sensor)word;
		break;
	case OPT_SWITCH_COST:
		r = nst_options_word(opts, i, value, costs,
				     NST_ARRAY_SIZE(costs), &word);
		if (!r)
			req->sim.switch_cost = word;
		break;
	case OPT_CAPTURES:
		return nst_options_real(opts, i, value, 0, 1000,
					&req->sim.capture_rate_hz);
	case OPT_SEED:
		r = nst_options_int(opts, i, value, 0, INT64_MAX, &n);
		if (!r)
			req->sim.seed = (u64)n;
		break;
	case OPT_RECORD:
		req->record_path = value;
		break;
	case OPT_JSON:
		req->json = true;
		break;
	case OPT_HELP:
		req->help = true;
		break;
	default:
		if (req->recording) {
			fprintf(stderr, COMMAND ": one recording only, '%s' is too many\n",
				value);
			return -EINVAL;
		}
		req->recording = value;
	}
	return r;
}

static int parse(int argc, char **argv, struct request *req)
{
	struct nst_options opts;
	const char *value;
	int i;

	memset(req, 0, sizeof(*req));
	req->sim.switch_cost = true;
	req->sim.seed = 1;
	nst_options_init(&opts, COMMAND, options, NST_ARRAY_SIZE(options),
			 argc, argv);
	while ((i = nst_options_next(&opts, &value)) != NST_OPTIONS_END) {
		if (i == NST_OPTIONS_BAD || parse_one(&opts, i, value, req))
			return -EINVAL;
	}
	if (req->help)
		return 0;
	if (!req->recording || !req->policies) {
		fprintf(stderr, COMMAND ": a recording and --policy NAME are required\n");
		return -EINVAL;
	}
	return 0;
}

/* -------------------------------------------------------- what to run --- */

static int hint_exit(const char *what, const char *where, const char *name,
		     const char *const *words, size_t count)
{
	char hint[1024];

	nst_words_hint(hint, sizeof(hint), "valid", name, words, count);
	fprintf(stderr, COMMAND ": no sensor '%s' in %s; %s%s\n", name, where,
		hint, what);
	return NST_EXIT_USAGE;
}

/* @name: NULL for the only one with a vision task */
static int find_stack(struct request *req, const char *name)
{
	const struct nst_profile *p = &req->profile;
	const char *words[NST_PROFILE_SENSORS_MAX];
	unsigned int found = p->sensor_count, count = 0;

	for (unsigned int i = 0; i < p->sensor_count; i++) {
		words[i] = p->sensors[i].name;
		if (name ? strcmp(words[i], name) :
			   !nst_profile_vision_task(p, i))
			continue;
		found = i;
		count++;
	}
	if (count == 1) {
		req->sim.sensor = found;
		return 0;
	}
	return hint_exit(req->stack ? "" : " (--stack)", req->profile_path,
			 name ? name : "", words, p->sensor_count);
}

/* A file that may not be read is not one that says something wrong. */
static int read_exit(int err)
{
	if (err == -ENOMEM)
		return NST_EXIT_FAILURE;
	return nst_exit_from_errno(err) == NST_EXIT_PERMISSION ?
		       NST_EXIT_PERMISSION :
		       NST_EXIT_CONFIG;
}

static int load_recording(struct request *req)
{
	const struct nst_profile_sensor *s;
	const char *words[NST_REC_TRACE_NAMES_MAX];
	int r;

	s = &req->profile.sensors[req->sim.sensor];
	r = nst_rec_trace_load(&req->rec, req->recording, req->sensor, s,
			       stderr);
	if (r == -ENOENT && req->rec.name_count) {
		for (size_t i = 0; i < req->rec.name_count; i++)
			words[i] = req->rec.names[i];
		return hint_exit("", req->recording, req->sensor, words,
				 req->rec.name_count);
	}
	if (r == -EBADMSG)
		return NST_EXIT_CONFIG;
	if (r) {
		nst_log_err(r, "%s", req->recording);
		return read_exit(r);
	}
	return 0;
}

/* Name of the sensor in the first record. */
static int first_sensor(const struct request *req, char ret[NST_REC_SENSOR_LEN])
{
	_cleanup_fclose_ FILE *in = fopen(req->recording, "re");
	struct nst_rec_reader *reader;
	struct nst_rec_frame f;
	int r;

	if (!in) {
		r = nst_log_err(-errno, "%s", req->recording);
		return read_exit(r);
	}
	r = nst_rec_reader_new(&reader, in, req->recording, stderr);
	if (r)
		return read_exit(r);
	r = nst_rec_reader_next(reader, &f);
	if (r > 0)
		strcpy(ret, f.sensor);
	else if (!r)
		fprintf(stderr, "%s:%lu: the recording has no frames\n",
			req->recording, nst_rec_reader_line(reader));
	nst_rec_reader_free(reader);
	return r > 0 ? 0 : NST_EXIT_CONFIG;
}

/* Which sensor of the profile it is the recording says. */
static int choose(struct request *req)
{
	char first[NST_REC_SENSOR_LEN] = "";
	int r;

	if (req->stack || req->sensor)
		return find_stack(req, req->stack ? req->stack : req->sensor);
	if (req->profile.sensor_count == 1)
		return find_stack(req, NULL);
	r = first_sensor(req, first);
	return r ? r : find_stack(req, first);
}

static void take_powers(struct request *req)
{
	struct nst_profile_sensor *s = &req->profile.sensors[req->sim.sensor];

	if (req->rec.near_mw && req->rec.capture_mw) {
		s->near_mw = req->rec.near_mw;
		s->capture_mw = req->rec.capture_mw;
	}
	if (req->rec.far_mw)
		s->far_mw = req->rec.far_mw;
}

/* Another limit is another question: it is answered, and said. */
static void compare_limit(const struct request *req)
{
	s32 ours = req->result[0].first.vision_max_mc;

	if (req->rec.limit_mc == ours)
		return;
	if (req->rec.limit_mc == NST_TEMP_NONE_MC)
		nst_log(NST_LOG_NOTICE, "%s has no limit, that of the profile is %.2f degC",
			req->recording, ours / 1000.0);
	else if (ours == NST_TEMP_NONE_MC)
		nst_log(NST_LOG_NOTICE, "the limit of %s is %.2f degC, the profile has none",
			req->recording, req->rec.limit_mc / 1000.0);
	else if (req->rec.limit_mc - ours > 1 || ours - req->rec.limit_mc > 1)
		nst_log(NST_LOG_NOTICE, "the limit of %s is %.2f degC, that of the profile %.2f",
			req->recording, req->rec.limit_mc / 1000.0,
			ours / 1000.0);
}

/* ------------------------------------------------------------- output --- */

static void add(struct json_object *obj, const char *key, u64 value)
{
	json_object_object_add(obj, key, json_object_new_int64((int64_t)value));
}

static u64 mean_mw(const struct nst_rec_trace *rec, u64 period_sum_us)
{
	return period_sum_us ? rec->energy_uj * 1000 / period_sum_us : 0;
}

/* Of the time that was recorded: gaps are none of it. */
static u64 recorded_us(const struct nst_rec_trace *rec)
{
	return rec->duration_us > rec->lost_us ?
		       rec->duration_us - rec->lost_us :
		       0;
}

static struct json_object *recording_json(const struct request *req)
{
	const struct nst_rec_trace *rec = &req->rec;
	struct json_object *obj = json_object_new_object();

	json_object_object_add(obj, "file",
			       json_object_new_string(req->recording));
	json_object_object_add(obj, "sensor",
			       json_object_new_string(rec->sensor));
	json_object_object_add(obj, "policy",
			       *rec->policy ?
				       json_object_new_string(rec->policy) :
				       NULL);
	add(obj, "duration_us", rec->duration_us);
	add(obj, "gaps", rec->gaps);
	add(obj, "frames_missing", rec->missing);
	add(obj, "gap_us", rec->gap_us);
	add(obj, "unknown_us", rec->unknown_us);
	add(obj, "frames_without_light", rec->without_light);
	add(obj, "frames_without_ambient", rec->without_ambient);
	add(obj, "frames", rec->frames);
	add(obj, "frames_delivered", rec->delivered);
	add(obj, "frames_dropped", rec->dropped);
	add(obj, "frames_withheld", rec->withheld);
	add(obj, "switches", rec->switches);
	add(obj, "violations", rec->violations);
	add(obj, "mean_power_mw", mean_mw(rec, recorded_us(rec)));
	return obj;
}

static void print_json(const struct request *req)
{
	struct json_object *all = json_object_new_array(), *one = NULL;

	for (size_t i = 0; i < req->policies; i++) {
		one = nst_sim_output_json(&req->sim, req->profile_path,
					  &req->result[i]);
		json_object_object_add(one, "recording", recording_json(req));
		json_object_array_add(all, one);
	}
	if (req->policies > 1) {
		nst_sim_output_put(all);
		return;
	}
	nst_sim_output_put(json_object_get(one));
	json_object_put(all);
}

typedef u64 (*count_fn)(const struct nst_sim_result *r);

static u64 delivered(const struct nst_sim_result *r)
{
	return r->frames_delivered;
}

static u64 dropped(const struct nst_sim_result *r)
{
	return r->frames_dropped;
}

static u64 withheld(const struct nst_sim_result *r)
{
	return r->frames_withheld;
}

static u64 violations(const struct nst_sim_result *r)
{
	return r->violations;
}

static u64 switches(const struct nst_sim_result *r)
{
	return r->switches;
}

static u64 frames(const struct nst_sim_result *r)
{
	return r->frames;
}

static u64 power(const struct nst_sim_result *r)
{
	return nst_sim_mean_power_mw(r);
}

static u64 per_frame(const struct nst_sim_result *r)
{
	return nst_sim_energy_per_frame_uj(r);
}

static void print_table(const struct request *req)
{
	const struct nst_rec_trace *rec = &req->rec;
	const struct {
		const char *name;
		count_fn count;
		u64 recorded;
	} rows[] = {
		{ "violations", violations, rec->violations },
		{ "frames", frames, rec->frames },
		{ "  delivered", delivered, rec->delivered },
		{ "  dropped", dropped, rec->dropped },
		{ "  withheld", withheld, rec->withheld },
		{ "mean power, mW", power, mean_mw(rec, recorded_us(rec)) },
		{ "energy per frame, uJ", per_frame,
		  rec->delivered ? rec->energy_uj / rec->delivered : 0 },
		{ "switches", switches, rec->switches },
	};

	printf("%s, %.1f s of %s", req->recording,
	       (double)rec->duration_us / 1e6, rec->sensor);
	if (rec->gaps)
		printf(", %.1f s of them missing", (double)rec->gap_us / 1e6);
	printf("\n%-24s%20s", "", *rec->policy ? rec->policy : "?");
	for (size_t i = 0; i < req->policies; i++)
		printf("%20s", req->policy[i]->name);
	printf("\n%-24s%20s", "", "as recorded");
	for (size_t i = 0; i < req->policies; i++)
		printf("%20s", "model");
	putchar('\n');
	for (size_t j = 0; j < NST_ARRAY_SIZE(rows); j++) {
		printf("  %-22s%20" PRIu64, rows[j].name, rows[j].recorded);
		for (size_t i = 0; i < req->policies; i++)
			printf("%20" PRIu64, rows[j].count(&req->result[i]));
		putchar('\n');
	}
}

/* ---------------------------------------------------------------- run --- */

static int describe(struct request *req)
{
	int r = 0;

	for (size_t i = 0; i < req->policies && !r; i++) {
		req->sim.policy = req->policy[i];
		r = nst_sim_output_describe(req->sim.record, &req->sim,
					    req->policy[i]->name, COMMAND);
	}
	return r;
}

static int run_all(struct request *req)
{
	struct nst_profile_sensor *s = &req->profile.sensors[req->sim.sensor];
	int r = 0;

	for (size_t i = 0; i < req->policies && !r; i++) {
		req->sim.policy = req->policy[i];
		/* Frames in the recording are of a sensor of this name. */
		if (req->sim.record)
			snprintf(s->name, sizeof(s->name), "%s",
				 req->policy[i]->name);
		r = nst_sim_run(&req->result[i], &req->sim, stderr);
	}
	return r;
}

static int run(struct request *req)
{
	_cleanup_fclose_ FILE *out = NULL;
	char name[NST_PROFILE_NAME_LEN];
	struct nst_profile_sensor *s = &req->profile.sensors[req->sim.sensor];
	int r = 0;

	memcpy(name, s->name, sizeof(name));
	if (req->record_path) {
		out = fopen(req->record_path, "we");
		r = out ? nst_rec_writer_new(&req->sim.record, out) : -errno;
		if (!r)
			r = describe(req);
		if (r) {
			nst_log_err(r, "%s", req->record_path);
			nst_rec_writer_free(req->sim.record);
			return nst_exit_from_errno(r);
		}
	}
	r = run_all(req);
	memcpy(s->name, name, sizeof(name));
	nst_rec_writer_free(req->sim.record);
	if (!r && out && fflush(out) == EOF) {
		r = nst_log_err(-errno, "%s", req->record_path);
		return nst_exit_from_errno(r);
	}
	switch (r) {
	case 0:
		break;
	case -ENOENT:
	case -EDOM:
	case -ERANGE:
	case -EINVAL:
		return NST_EXIT_CONFIG;
	default:
		nst_log_err(r, "simulation");
		return nst_exit_from_errno(r);
	}
	compare_limit(req);
	if (req->json)
		print_json(req);
	else
		print_table(req);
	return NST_EXIT_OK;
}

int nst_cmd_replay(int argc, char **argv)
{
	static struct request req;
	int r;

	if (parse(argc, argv, &req))
		return NST_EXIT_USAGE;
	if (req.help) {
		printf("usage: " COMMAND " RECORDING --policy NAME [--policy NAME]... [OPTIONS]\n");
		nst_options_help(options, NST_ARRAY_SIZE(options), stdout);
		return NST_EXIT_OK;
	}
	if (!req.profile_path)
		req.profile_path = nst_places_need_profile(COMMAND,
							   "--profile");
	if (!req.profile_path)
		return NST_EXIT_CONFIG;
	r = nst_profile_load(&req.profile, req.profile_path, stderr);
	if (r) {
		if (r != -EINVAL)
			nst_log_err(r, "%s", req.profile_path);
		return NST_EXIT_CONFIG;
	}
	r = choose(&req);
	if (!r)
		r = load_recording(&req);
	if (r)
		return r;
	take_powers(&req);
	req.sim.profile = &req.profile;
	req.sim.trace = &req.rec.trace;
	req.sim.duration_us = req.rec.duration_us;
	req.sim.cold_start = true;
	req.sim.has_start = req.rec.has_start;
	req.sim.start_die_mc = req.rec.start_die_mc;
	req.sim.start_package_mc = req.rec.start_package_mc;
	r = run(&req);
	nst_trace_free(&req.rec.trace);
	return r;
}
