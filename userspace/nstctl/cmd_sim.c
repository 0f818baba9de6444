// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cmd_sim.c - nstctl sim: a policy on the model of a sensor
 */
#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "log.h"
#include "nstctl.h"
#include "options.h"
#include "policy_name.h"
#include "plant_error.h"
#include "sim_output.h"
#include "words.h"

enum {
	OPT_PROFILE,
	OPT_STACK,
	OPT_POLICY,
	OPT_DURATION,
	OPT_AMBIENT,
	OPT_LIGHT,
	OPT_SENSOR,
	OPT_PLANT_ERROR,
	OPT_SWITCH_COST,
	OPT_CAPTURES,
	OPT_SEED,
	OPT_COLD,
	OPT_RECORD,
	OPT_JSON,
	OPT_HELP,
};

static const struct nst_option options[] = {
	[OPT_PROFILE] = { "--profile", "FILE",
		"profile that describes sensor and tasks (required)" },
	[OPT_STACK] = { "--stack", "NAME",
		"sensor of the profile; default: the first with a vision task" },
	[OPT_POLICY] = { "--policy", "NAME",
		"policy; default: the one of the vision task" },
	[OPT_DURATION] = { "--duration", "S",
		"seconds counted; default: 600, or the length of the trace" },
	[OPT_AMBIENT] = { "--ambient-mc", "N",
		"ambient temperature, mdegC; default: the profile's" },
	[OPT_LIGHT] = { "--light", "NAME|TRACE.csv",
		"camera setting over time, or a light meter's log; default: the profile's" },
	[OPT_SENSOR] = { "--sensor", "MODEL",
		"exact, 1c (whole degrees) or 1c-noisy; default: exact" },
	[OPT_PLANT_ERROR] = { "--plant-error", "PARAM=PERCENT,...",
		"true plant off the profile's: r_jp, r_pa, c_j, c_p, near or ambient" },
	[OPT_SWITCH_COST] = { "--switch-cost", "zero|real",
		"whether a migration costs energy; default: real" },
	[OPT_CAPTURES] = { "--captures", "RATE",
		"on-demand captures a second, at random times; default: 0" },
	[OPT_SEED] = { "--seed", "N",
		"seed of captures and sensor noise; default: 1" },
	[OPT_COLD] = { "--cold-start", NULL,
		"count from a cold stack on, without warm-up" },
	[OPT_RECORD] = { "--record", "FILE",
		"write every frame to a recording" },
	[OPT_JSON] = { "--json", NULL,
		"print JSON" },
	[OPT_HELP] = { "--help", NULL,
		"show this help" },
};

#define COMMAND "nstctl sim"
#define DEFAULT_DURATION_US 600000000ull
#define DURATION_MAX_S 315360000.0

struct request {
	const char *profile_path;
	const char *stack;
	const char *policy;
	const char *light;
	const char *record_path;
	const char *plant_error;
	double duration_s;
	bool json;
	bool help;
	struct nst_sim_options sim;
};

/* ------------------------------------------------------ command line --- */

static int parse_one(struct nst_options *opts, int i, const char *value,
		     struct request *req)
{
	static const char *const sensors[] = { "exact", "1c", "1c-noisy" };
	static const char *const costs[] = { "zero", "real" };
	long long n;
	int r, word;

	switch (i) {
	case OPT_PROFILE:
		req->profile_path = value;
		return 0;
	case OPT_STACK:
		req->stack = value;
		return 0;
	case OPT_POLICY:
		req->policy = value;
		return 0;
	case OPT_DURATION:
		return nst_options_real(opts, i, value, 10, DURATION_MAX_S,
					&req->duration_s);
	case OPT_AMBIENT:
		r = nst_options_int(opts, i, value, -40000, 85000, &n);
		if (!r) {
			req->sim.has_ambient = true;
			req->sim.ambient_mc = (s32)n;
		}
		return r;
	case OPT_LIGHT:
		req->light = value;
		return 0;
	case OPT_SENSOR:
		r = nst_options_word(opts, i, value, sensors,
				     NST_ARRAY_SIZE(sensors), &word);
		if (!r)
			req->sim.sensor_model = (enum nst_sim_sensor)word;
		return r;
	case OPT_PLANT_ERROR:
		req->plant_error = value;
		return 0;
	case OPT_SWITCH_COST:
		r = nst_options_word(opts, i, value, costs,
				     NST_ARRAY_SIZE(costs), &word);
		if (!r)
			req->sim.switch_cost = word;
		return r;
	case OPT_CAPTURES:
		return nst_options_real(opts, i, value, 0, 1000,
					&req->sim.capture_rate_hz);
	case OPT_SEED:
		r = nst_options_int(opts, i, value, 0, INT64_MAX, &n);
		if (!r)
			req->sim.seed = (u64)n;
		return r;
	case OPT_COLD:
		req->sim.cold_start = true;
		return 0;
	case OPT_RECORD:
		req->record_path = value;
		return 0;
	case OPT_JSON:
		req->json = true;
		return 0;
	default:
		req->help = true;
		return 0;
	}
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
		if (i == NST_OPTIONS_PLAIN) {
			fprintf(stderr,
				COMMAND ": '%s' is not an option; "
				"a profile is given with --profile\n",
				value);
			return -EINVAL;
		}
		if (i == NST_OPTIONS_BAD || parse_one(&opts, i, value, req))
			return -EINVAL;
	}
	if (!req->profile_path && !req->help) {
		fprintf(stderr, COMMAND ": --profile FILE is required\n");
		return -EINVAL;
	}
	return 0;
}

static int choose_stack(struct request *req, const struct nst_profile *p)
{
	const char *words[NST_PROFILE_SENSORS_MAX];
	char hint[512];

	for (unsigned int i = 0; i < p->sensor_count; i++) {
		if (req->stack ? !strcmp(req->stack, p->sensors[i].name) :
				 !!nst_profile_vision_task(p, i)) {
			req->sim.sensor = i;
			return 0;
		}
		words[i] = p->sensors[i].name;
	}
	if (!req->stack) {
		fprintf(stderr, COMMAND ": %s: no sensor has a vision task\n",
			req->profile_path);
		return NST_EXIT_CONFIG;
	}
	nst_words_hint(hint, sizeof(hint), "valid", req->stack, words,
		       p->sensor_count);
	fprintf(stderr, COMMAND ": no sensor '%s' in %s; %s\n", req->stack,
		req->profile_path, hint);
	return NST_EXIT_USAGE;
}

static int choose_policy(struct request *req)
{
	if (!req->policy)
		return 0;
	req->sim.policy = nst_policy_named(COMMAND, req->policy);
	return req->sim.policy ? 0 : NST_EXIT_USAGE;
}

static int choose_light(struct request *req, const struct nst_profile *p,
			struct nst_trace *trace)
{
	const struct nst_profile_light *light;
	const char *words[8];
	char hint[512];
	int r;

	light = req->light ? nst_profile_light_find(req->light) :
			     &p->sensors[req->sim.sensor].light;
	if (light) {
		r = nst_trace_light(trace, light);
		return r ? nst_exit_from_errno(nst_log_err(r, "light")) : 0;
	}
	if (!strpbrk(req->light, "./")) {
		for (unsigned int i = 0; i < nst_profile_light_count; i++)
			words[i] = nst_profile_lights[i].name;
		nst_words_hint(hint, sizeof(hint), "valid", req->light, words,
			       nst_profile_light_count);
		fprintf(stderr,
			COMMAND ": unknown light '%s'; %s, or a file TRACE.csv\n",
			req->light, hint);
		return NST_EXIT_USAGE;
	}
	r = nst_trace_load(trace, req->light, stderr);
	if (r == -EINVAL)
		return NST_EXIT_CONFIG;
	if (r) {
		nst_log_err(r, "%s", req->light);
		return NST_EXIT_CONFIG;
	}
	return 0;
}

/* --------------------------------------------------------------- run --- */

static int run(struct request *req, const struct nst_profile *p)
{
	_cleanup_fclose_ FILE *out = NULL;
	struct nst_sim_result result;
	int r;

	if (req->record_path) {
		out = fopen(req->record_path, "we");
		if (!out) {
			r = nst_log_err(-errno, "%s", req->record_path);
			return nst_exit_from_errno(r);
		}
		r = nst_rec_writer_new(&req->sim.record, out);
		if (!r)
			r = nst_sim_output_describe(
				req->sim.record, &req->sim,
				p->sensors[req->sim.sensor].name, COMMAND);
		if (r) {
			nst_log_err(r, "%s", req->record_path);
			nst_rec_writer_free(req->sim.record);
			return nst_exit_from_errno(r);
		}
	}
	r = nst_sim_run(&result, &req->sim, stderr);
	nst_rec_writer_free(req->sim.record);
	if (!r && out && fflush(out) == EOF)
		r = nst_log_err(-errno, "%s", req->record_path);
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
	if (req->json)
		nst_sim_output_put(nst_sim_output_json(
			&req->sim, req->profile_path, &result));
	else
		nst_sim_output_table(&req->sim, &result);
	return NST_EXIT_OK;
}

int nst_cmd_sim(int argc, char **argv)
{
	struct nst_trace trace = { .count = 0 };
	struct nst_profile profile, told;
	struct request req;
	int r;

	if (parse(argc, argv, &req))
		return NST_EXIT_USAGE;
	if (req.help) {
		printf("usage: " COMMAND " --profile FILE [OPTIONS]\n");
		nst_options_help(options, NST_ARRAY_SIZE(options), stdout);
		return NST_EXIT_OK;
	}
	r = nst_profile_load(&profile, req.profile_path, stderr);
	if (r) {
		if (r != -EINVAL)
			nst_log_err(r, "%s", req.profile_path);
		return NST_EXIT_CONFIG;
	}
	r = choose_stack(&req, &profile);
	if (!r)
		r = choose_policy(&req);
	if (!r)
		r = choose_light(&req, &profile, &trace);
	if (r)
		return r;

	req.sim.profile = &profile;
	req.sim.trace = &trace;
	if (req.plant_error) {
		told = profile;
		if (nst_plant_error_apply(&profile.sensors[req.sim.sensor],
					  req.plant_error, stderr)) {
			nst_trace_free(&trace);
			return NST_EXIT_USAGE;
		}
		req.sim.told = &told;
		req.sim.tolerance = NST_PLANT_ERROR_TOLERANCE;
	}
	req.sim.duration_us = (u64)(req.duration_s * 1e6);
	if (!req.sim.duration_us)
		req.sim.duration_us = trace.end_us ? trace.end_us :
						     DEFAULT_DURATION_US;
	r = run(&req, &profile);
	nst_trace_free(&trace);
	return r;
}
