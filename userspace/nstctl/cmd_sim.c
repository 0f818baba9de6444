// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cmd_sim.c - nstctl sim: a policy on the model of a sensor
 */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <string.h>

#include "cleanup.h"
#include "light_log.h"
#include "log.h"
#include "nstctl.h"
#include "options.h"
#include "sim.h"
#include "words.h"

enum {
	OPT_PROFILE,
	OPT_STACK,
	OPT_POLICY,
	OPT_DURATION,
	OPT_AMBIENT,
	OPT_LIGHT,
	OPT_SENSOR,
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
#define JSON_FLAGS (JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | \
		    JSON_C_TO_STRING_NOSLASHESCAPE)
#define DEFAULT_DURATION_US 600000000ull
#define DURATION_MAX_S 315360000.0

struct request {
	const char *profile_path;
	const char *stack;
	const char *policy;
	const char *light;
	const char *record_path;
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
	const char *words[32];
	char hint[512];
	size_t n = 0;

	if (!req->policy)
		return 0;
	req->sim.policy = nst_policy_find(req->policy);
	if (req->sim.policy)
		return 0;
	while (n < NST_ARRAY_SIZE(words) && nst_policies[n] &&
	       nst_policies[n]->name) {
		words[n] = nst_policies[n]->name;
		n++;
	}
	nst_words_hint(hint, sizeof(hint), "valid", req->policy, words, n);
	fprintf(stderr, COMMAND ": unknown policy '%s'; %s\n", req->policy,
		hint);
	return NST_EXIT_USAGE;
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

/* ------------------------------------------------------------ output --- */

static void add_int(struct json_object *obj, const char *key, int64_t value)
{
	json_object_object_add(obj, key, json_object_new_int64(value));
}

static void add_text(struct json_object *obj, const char *key,
		     const char *text)
{
	json_object_object_add(obj, key, json_object_new_string(text));
}

/* null where no task asks for anything */
static void add_limit(struct json_object *obj, const char *key, s32 limit_mc)
{
	json_object_object_add(obj, key,
			       limit_mc == NST_TEMP_NONE_MC ?
				       NULL :
				       json_object_new_int(limit_mc));
}

static void add_fps(struct json_object *obj, const char *key, double fps)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", fps);
	json_object_object_add(obj, key, json_object_new_double_s(fps, text));
}

static void add_oracle(struct json_object *obj, const struct nst_sim_result *r)
{
	static const char *const keys[] = { "oracle_power_mw",
					    "oracle_frames_delivered",
					    "oracle_gap_permyriad" };

	if (!r->oracle) {
		for (size_t i = 0; i < NST_ARRAY_SIZE(keys); i++)
			json_object_object_add(obj, keys[i], NULL);
		return;
	}
	add_int(obj, keys[0], r->oracle_power_mw);
	add_int(obj, keys[1], (int64_t)r->oracle_frames_delivered);
	add_int(obj, keys[2], r->oracle_gap_permyriad);
}

/* null for a light that is no log */
static void add_log(struct json_object *obj, const struct nst_trace_log *log)
{
	struct json_object *l = NULL;

	if (log->is) {
		l = json_object_new_object();
		add_int(l, "readings", log->readings);
		add_int(l, "invalid", log->invalid);
		add_int(l, "gaps", log->gaps);
		add_int(l, "stuck", log->stuck);
		add_int(l, "backward", log->backward);
		add_int(l, "unknown_us", (int64_t)log->unknown_us);
	}
	json_object_object_add(obj, "light_log", l);
}

static void print_json(const struct request *req, const struct nst_profile *p,
		       const struct nst_sim_result *r)
{
	struct json_object *obj = json_object_new_object();

	add_text(obj, "profile", req->profile_path);
	add_text(obj, "sensor", p->sensors[req->sim.sensor].name);
	add_text(obj, "policy", r->policy->name);
	add_text(obj, "light", req->sim.trace->name);
	add_log(obj, &req->sim.trace->log);
	add_text(obj, "noise_model",
		 p->sensors[req->sim.sensor].noise == NST_NOISE_EMVA ? "emva" :
								      "paper");
	add_int(obj, "duration_us", (int64_t)r->time_us);
	add_text(obj, "power_source", "model");
	add_int(obj, "energy_mj", (int64_t)((r->energy_uj + 500) / 1000));
	add_int(obj, "mean_power_mw", nst_sim_mean_power_mw(r));
	add_int(obj, "full_far_power_mw", nst_sim_full_far_power_mw(r));
	add_int(obj, "energy_per_frame_uj", nst_sim_energy_per_frame_uj(r));
	add_int(obj, "saving_permyriad", nst_sim_saving_permyriad(r));
	add_int(obj, "duty_permyriad", nst_sim_duty_permyriad(r));
	add_int(obj, "frames", (int64_t)r->frames);
	add_int(obj, "frames_delivered", (int64_t)r->frames_delivered);
	add_int(obj, "frames_dropped", (int64_t)r->frames_dropped);
	add_int(obj, "frames_withheld", (int64_t)r->frames_withheld);
	add_int(obj, "frames_withheld_avoidable",
		(int64_t)r->frames_withheld_avoidable);
	add_int(obj, "frames_impossible", (int64_t)r->frames_impossible);
	add_fps(obj, "effective_fps", nst_sim_effective_fps(r));
	add_int(obj, "switches", (int64_t)r->switches);
	add_int(obj, "max_temp_mc", r->max_temp_mc);
	add_int(obj, "ceiling_periods", (int64_t)r->guarded);
	add_int(obj, "violations", (int64_t)r->violations);
	add_int(obj, "violations_avoidable", (int64_t)r->violations_avoidable);
	add_int(obj, "capture_violations", (int64_t)r->capture_violations);
	add_int(obj, "captures", (int64_t)r->captures);
	add_int(obj, "captures_missed", (int64_t)r->captures_missed);
	add_int(obj, "capture_latency_us_p50", r->capture_latency_us_p50);
	add_int(obj, "capture_latency_us_p99", r->capture_latency_us_p99);
	add_oracle(obj, r);
	add_int(obj, "frame_period_us", r->first.frame_period_us);
	json_object_object_add(obj, "frame_period_stretched",
			       json_object_new_boolean(r->first.stretched));
	add_int(obj, "exposure_us", r->first.exposure_us);
	add_int(obj, "iso", r->first.iso);
	add_int(obj, "ambient_mc", r->first.ambient_mc);
	add_limit(obj, "vision_max_mc", r->first.vision_max_mc);
	add_limit(obj, "imaging_max_mc", r->first.imaging_max_mc);
	add_int(obj, "high_temp_mc", r->first.thr.high_mc);
	add_int(obj, "low_temp_mc", r->first.thr.low_mc);
	add_limit(obj, "capture_temp_mc", r->first.thr.capture_mc);
	add_int(obj, "ceiling_mc", r->first.thr.max_mc);
	printf("%s\n", json_object_to_json_string_ext(obj, JSON_FLAGS));
	json_object_put(obj);
}

static void row(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void row(const char *name, const char *format, ...)
{
	va_list ap;

	printf("  %-26s", name);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
}

static void row_limit(const char *name, s32 limit_mc)
{
	if (limit_mc == NST_TEMP_NONE_MC)
		row(name, "none");
	else
		row(name, "%.1f degC", limit_mc / 1000.0);
}

static void print_log(const struct nst_trace_log *log)
{
	row("light log", "%u readings, %u invalid, %u out of order",
	    log->readings, log->invalid, log->backward);
	row("light unknown",
	    "%.0f s, taken as dim: %u gaps over %d s, %u times stuck",
	    (double)log->unknown_us / 1e6, log->gaps, NST_LIGHT_HOLD_S,
	    log->stuck);
}

static void print_table(const struct request *req, const struct nst_profile *p,
			const struct nst_sim_result *r)
{
	printf("%s on %s, %s, %.1f s of model time\n", r->policy->name,
	       p->sensors[req->sim.sensor].name, req->sim.trace->name,
	       (double)r->time_us / 1e6);
	if (req->sim.trace->log.is)
		print_log(&req->sim.trace->log);
	row("frame period", "%u us%s", r->first.frame_period_us,
	    r->first.stretched ? " (longer than fps asks: exposure and read-out)" :
				 "");
	row_limit("limit, continuous", r->first.vision_max_mc);
	row_limit("limit, on demand", r->first.imaging_max_mc);
	row("thresholds", "low %.1f, high %.1f, ceiling %.1f degC",
	    r->first.thr.low_mc / 1000.0, r->first.thr.high_mc / 1000.0,
	    r->first.thr.max_mc / 1000.0);
	row("hottest die", "%.1f degC", r->max_temp_mc / 1000.0);
	if (r->guarded)
		row("ceiling", "the kernel's guard gated %" PRIu64 " periods",
		    r->guarded);
	row("duty near", "%.2f %%", nst_sim_duty_permyriad(r) / 100.0);
	row("mean power, model", "%u mW (full-far %u mW)", nst_sim_mean_power_mw(r),
	    nst_sim_full_far_power_mw(r));
	row("energy per frame", "%.2f mJ (saving %.2f %%)",
	    nst_sim_energy_per_frame_uj(r) / 1000.0,
	    nst_sim_saving_permyriad(r) / 100.0);
	row("frames", "%" PRIu64 ": %" PRIu64 " delivered, %" PRIu64
		      " dropped, %" PRIu64 " withheld",
	    r->frames, r->frames_delivered, r->frames_dropped,
	    r->frames_withheld);
	if (r->frames_withheld)
		row("withheld", "%" PRIu64 " could have been had, %" PRIu64
				" at light in which no temperature would do",
		    r->frames_withheld_avoidable, r->frames_impossible);
	row("effective rate", "%.2f frames/s", nst_sim_effective_fps(r));
	row("switches", "%" PRIu64, r->switches);
	row("violations", "%" PRIu64 ", %" PRIu64 " of them avoidable",
	    r->violations, r->violations_avoidable);
	if (r->captures || r->captures_missed)
		row("captures",
		    "%" PRIu64 " served, %" PRIu64
		    " missed, latency p50 %.1f ms, p99 %.1f ms",
		    r->captures, r->captures_missed,
		    r->capture_latency_us_p50 / 1e3,
		    r->capture_latency_us_p99 / 1e3);
	if (!r->oracle)
		row("oracle",
		    "none: power within a period changes, light and weather go through more than %d settings, or nothing meets the limits",
		    NST_SIM_ORACLE_SETTINGS_MAX);
	else if (r->policy->drops)
		row("oracle", "%" PRIu64 " frames delivered; this run has %.2f %% fewer",
		    r->oracle_frames_delivered,
		    r->oracle_gap_permyriad / 100.0);
	else if (r->oracle_gap_permyriad < 0)
		row("oracle",
		    "%u mW within the limits; this run is %.2f %% below, outside of them",
		    r->oracle_power_mw, -r->oracle_gap_permyriad / 100.0);
	else
		row("oracle", "%u mW; this run needs %.2f %% more",
		    r->oracle_power_mw, r->oracle_gap_permyriad / 100.0);
}

/* --------------------------------------------------------------- run --- */

static int describe(struct nst_rec_writer *writer, const struct request *req,
		    const struct nst_profile *p)
{
	const struct nst_profile_sensor *s = &p->sensors[req->sim.sensor];
	const struct nst_profile_task *task =
		nst_profile_vision_task(p, req->sim.sensor);
	char line[256];
	int r;

	snprintf(line, sizeof(line),
		 "sensor %s near_mw=%u capture_mw=%u far_mw=%u policy=%s",
		 s->name, s->near_mw, s->capture_mw, s->far_mw,
		 req->sim.policy ? req->sim.policy->name : task->policy->name);
	r = nst_rec_writer_meta(writer, line);
	if (r)
		return r;
	return nst_rec_writer_meta(writer, "source nstctl sim, model plant");
}

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
			r = describe(req->sim.record, req, p);
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
		print_json(req, p, &result);
	else
		print_table(req, p, &result);
	return NST_EXIT_OK;
}

int nst_cmd_sim(int argc, char **argv)
{
	struct nst_trace trace = { .count = 0 };
	struct nst_profile profile;
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
	req.sim.duration_us = (u64)(req.duration_s * 1e6);
	if (!req.sim.duration_us)
		req.sim.duration_us = trace.end_us ? trace.end_us :
						     DEFAULT_DURATION_US;
	r = run(&req, &profile);
	nst_trace_free(&trace);
	return r;
}
