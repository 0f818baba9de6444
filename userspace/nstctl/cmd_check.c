// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cmd_check.c - nstctl check, explain, dump: profiles
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "cleanup.h"
#include "log.h"
#include "nstctl.h"
#include "options.h"
#include "places.h"
#include "profile.h"
#include "situation.h"

#define JSON_FLAGS (JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | \
		    JSON_C_TO_STRING_NOSLASHESCAPE)

enum { OPT_JSON, OPT_HELP };

static const struct nst_option options[] = {
	[OPT_JSON] = { "--json", NULL, "print JSON" },
	[OPT_HELP] = { "--help", NULL, "show this help" },
};

struct request {
	const char *argument;
	bool json;
	bool help;
};

static int parse(int argc, char **argv, const char *command, const char *what,
		 bool may_json, struct request *req)
{
	const struct nst_option *table = may_json ? options : options + 1;
	struct nst_options opts;
	const char *value;
	int i;

	memset(req, 0, sizeof(*req));
	nst_options_init(&opts, command, table,
			 NST_ARRAY_SIZE(options) - !may_json, argc, argv);
	while ((i = nst_options_next(&opts, &value)) != NST_OPTIONS_END) {
		if (i == NST_OPTIONS_BAD)
			return -EINVAL;
		if (i == NST_OPTIONS_PLAIN) {
			if (req->argument) {
				fprintf(stderr, "%s: one %s only, '%s' is too many\n",
					command, what, value);
				return -EINVAL;
			}
			req->argument = value;
		} else if (table[i].name == options[OPT_JSON].name) {
			req->json = true;
		} else {
			req->help = true;
		}
	}
	if (req->help) {
		printf("usage: %s [OPTIONS] [%s]\n", command, what);
		nst_options_help(table, NST_ARRAY_SIZE(options) - !may_json,
				 stdout);
	}
	return 0;
}

/* ------------------------------------------------------------- check --- */

static void sensor_text(const struct nst_profile *p, unsigned int i)
{
	const struct nst_profile_task *task = nst_profile_vision_task(p, i);
	const struct nst_profile_sensor *s = &p->sensors[i];
	struct nst_situation sit;
	int r;

	printf("  %s: ", s->name);
	if (!task) {
		printf("no vision task, so no policy governs it\n");
		return;
	}
	printf("%s; in %s light (%u us, ISO %u) ", task->policy->name,
	       s->light.name, s->light.exposure_us, s->light.iso);
	r = nst_situation_get(&sit, p, i, s->light.exposure_us, s->light.iso);
	if (r) {
		printf("no temperature meets the tasks\n");
		return;
	}
	printf("low %.1f, high %.1f degC, frame period %u us%s\n",
	       sit.policy.thr.low_mc / 1000.0, sit.policy.thr.high_mc / 1000.0,
	       sit.policy.frame_period_us,
	       sit.stretched ? " (stretched by the exposure)" : "");
	if (s->noise == NST_NOISE_EMVA)
		printf("  %s: a frame at T_high has %.1f dB of total SNR at %u %% of the range\n",
		       s->name,
		       nst_profile_predicted_snr_db(s, sit.policy.thr.high_mc,
						    s->light.exposure_us,
						    s->light.iso),
		       s->signal_permyriad / 100);
	if (sit.no_capture)
		printf("  %s: note: an imaging task asks for more than this light gives at any temperature: no captures in it\n",
		       s->name);
	if (sit.policy.thr.high_mc <=
	    nst_plant_steady_die_mc(&s->plant, s->capture_mw, s->ambient_mc))
		printf("  %s: note: at %.1f degC ambient the limits are below "
		       "what the gated stack reaches: it will not run near\n",
		       s->name, s->ambient_mc / 1000.0);
}

static struct json_object *sensor_json(const struct nst_profile *p,
				       unsigned int i)
{
	const struct nst_profile_task *task = nst_profile_vision_task(p, i);
	const struct nst_profile_sensor *s = &p->sensors[i];
	struct json_object *obj = json_object_new_object();
	struct json_object *policy = NULL, *period;
	struct nst_situation sit;

	json_object_object_add(obj, "name", json_object_new_string(s->name));
	if (task)
		policy = json_object_new_string(task->policy->name);
	json_object_object_add(obj, "policy", policy);
	if (!task ||
	    nst_situation_get(&sit, p, i, s->light.exposure_us, s->light.iso))
		return obj;
	json_object_object_add(obj, "light",
			       json_object_new_string(s->light.name));
	json_object_object_add(obj, "low_temp_mc",
			       json_object_new_int(sit.policy.thr.low_mc));
	json_object_object_add(obj, "high_temp_mc",
			       json_object_new_int(sit.policy.thr.high_mc));
	period = json_object_new_int64(sit.policy.frame_period_us);
	json_object_object_add(obj, "frame_period_us", period);
	json_object_object_add(obj, "frame_period_stretched",
			       json_object_new_boolean(sit.stretched));
	return obj;
}

/* "path:line:column: text" lines to objects; the path may hold colons. */
static struct json_object *errors_json(const char *path, char *lines)
{
	struct json_object *array = json_object_new_array();
	size_t skip = strlen(path) + 1;
	char *line, *save = NULL;

	for (line = strtok_r(lines, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct json_object *obj = json_object_new_object();
		unsigned int row = 0, column = 0;
		int used = 0;

		if (strlen(line) > skip &&
		    sscanf(line + skip, "%u:%u: %n", &row, &column, &used) == 2)
			line += skip + (size_t)used;
		json_object_object_add(obj, "line", json_object_new_int64(row));
		json_object_object_add(obj, "column",
				       json_object_new_int64(column));
		json_object_object_add(obj, "text",
				       json_object_new_string(line));
		json_object_array_add(array, obj);
	}
	return array;
}

static int check_json(const char *path)
{
	_cleanup_free_ char *lines = NULL;
	struct json_object *obj;
	struct nst_profile profile;
	size_t size = 0;
	FILE *err;
	int r;

	err = open_memstream(&lines, &size);
	if (!err)
		return nst_exit_from_errno(nst_log_err(-errno, "check"));
	r = nst_profile_load(&profile, path, err);
	if (r && r != -EINVAL)
		fprintf(err, "%s:0:0: %s\n", path, strerror(-r));
	fclose(err);

	obj = json_object_new_object();
	json_object_object_add(obj, "file", json_object_new_string(path));
	json_object_object_add(obj, "valid", json_object_new_boolean(!r));
	json_object_object_add(obj, "errors", errors_json(path, lines));
	if (!r) {
		struct json_object *array = json_object_new_array();

		for (unsigned int i = 0; i < profile.sensor_count; i++)
			json_object_array_add(array,
					      sensor_json(&profile, i));
		json_object_object_add(obj, "sensors", array);
	}
	printf("%s\n", json_object_to_json_string_ext(obj, JSON_FLAGS));
	json_object_put(obj);
	return r ? NST_EXIT_CONFIG : NST_EXIT_OK;
}

int nst_cmd_check(int argc, char **argv)
{
	struct nst_profile profile;
	struct request req;
	int r;

	if (parse(argc, argv, "nstctl check", "FILE", true, &req))
		return NST_EXIT_USAGE;
	if (req.help)
		return NST_EXIT_OK;
	if (!req.argument)
		req.argument = nst_places_need_profile("nstctl check", "FILE");
	if (!req.argument)
		return NST_EXIT_CONFIG;
	if (req.json)
		return check_json(req.argument);
	r = nst_profile_load(&profile, req.argument, stderr);
	if (r) {
		if (r != -EINVAL)
			nst_log_err(r, "%s", req.argument);
		return NST_EXIT_CONFIG;
	}
	printf("%s: valid, %u sensor%s, %u task%s\n", req.argument,
	       profile.sensor_count, profile.sensor_count == 1 ? "" : "s",
	       profile.task_count, profile.task_count == 1 ? "" : "s");
	for (unsigned int i = 0; i < profile.sensor_count; i++)
		sensor_text(&profile, i);
	return NST_EXIT_OK;
}

/* ----------------------------------------------------- explain, dump --- */

int nst_cmd_explain(int argc, char **argv)
{
	struct request req;

	if (parse(argc, argv, "nstctl explain", "KEY", false, &req))
		return NST_EXIT_USAGE;
	if (req.help)
		return NST_EXIT_OK;
	if (!req.argument)
		return nst_profile_explain(NULL, stdout) ? NST_EXIT_FAILURE :
							   NST_EXIT_OK;
	/* What is wrong belongs on standard error. */
	if (nst_profile_explain(req.argument, NULL))
		return nst_profile_explain(req.argument, stderr) ?
			       NST_EXIT_USAGE :
			       NST_EXIT_OK;
	nst_profile_explain(req.argument, stdout);
	return NST_EXIT_OK;
}

int nst_cmd_dump(int argc, char **argv)
{
	struct nst_profile profile;
	struct request req;
	int r;

	if (parse(argc, argv, "nstctl dump", "FILE", false, &req))
		return NST_EXIT_USAGE;
	if (req.help)
		return NST_EXIT_OK;
	if (!req.argument)
		req.argument = nst_places_need_profile("nstctl dump", "FILE");
	if (!req.argument)
		return NST_EXIT_CONFIG;
	r = nst_profile_load(&profile, req.argument, stderr);
	if (r) {
		if (r != -EINVAL)
			nst_log_err(r, "%s", req.argument);
		return NST_EXIT_CONFIG;
	}
	r = nst_profile_dump(&profile, stdout);
	if (r) {
		nst_log_err(r, "cannot write");
		return NST_EXIT_FAILURE;
	}
	return NST_EXIT_OK;
}
