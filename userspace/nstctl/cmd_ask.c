// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cmd_ask.c - nstctl ask: could a frame be that cold at that time?
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "daemon.h"
#include "log.h"
#include "nstctl.h"
#include "options.h"
#include "places.h"
#include "units.h"

enum {
	OPT_TASK,
	OPT_SENSOR,
	OPT_TEMP,
	OPT_IN,
	OPT_FRAMES,
	OPT_JSON,
	OPT_SOCKET,
	OPT_HELP,
};

static const struct nst_option options[] = {
	[OPT_TASK] = { "--task", "NAME",
		       "as cold as this task needs it at the present light" },
	[OPT_SENSOR] = { "--sensor", "NAME",
			 "or: a sensor, and the temperature" },
	[OPT_TEMP] = { "--temp-mc", "N",
		       "exposure temperature at most, millidegrees Celsius" },
	[OPT_IN] = { "--in-ms", "N",
		     "from now to the exposure (0..60000; the deadline of an "
		     "imaging task)" },
	[OPT_FRAMES] = { "--frames", "N", "frames in a row (1..100; 1)" },
	[OPT_JSON] = { "--json", NULL, "print JSON" },
	[OPT_SOCKET] = { "--socket", "PATH",
			 "socket of nstd (" NST_PLACES_SOCKET_HELP ")" },
	[OPT_HELP] = { "--help", NULL, "show this help" },
};

struct args {
	const char *task;
	const char *sensor;
	const char *socket;
	long long temp_mc;
	long long in_ms;
	long long frames;
	bool has_temp;
	bool json;
	bool help;
};

static int parse_one(struct args *a, const struct nst_options *opts, int i,
		     const char *value)
{
	switch (i) {
	case OPT_TASK:
		a->task = value;
		return 0;
	case OPT_SENSOR:
		a->sensor = value;
		return 0;
	case OPT_TEMP:
		a->has_temp = true;
		return nst_options_int(opts, i, value, NST_TEMP_MIN_MC,
				       NST_TEMP_MAX_MC, &a->temp_mc);
	case OPT_IN:
		return nst_options_int(opts, i, value, 0, 60000, &a->in_ms);
	case OPT_FRAMES:
		return nst_options_int(opts, i, value, 1, 100, &a->frames);
	case OPT_JSON:
		a->json = true;
		return 0;
	case OPT_SOCKET:
		a->socket = value;
		return 0;
	case OPT_HELP:
		a->help = true;
		return 0;
	case NST_OPTIONS_PLAIN:
		return nst_options_none_plain(opts, value);
	default:
		return -EINVAL;
	}
}

static int parse(int argc, char **argv, struct args *a)
{
	struct nst_options opts;
	const char *value;
	int i;

	nst_options_init(&opts, "nstctl ask", options,
			 NST_ARRAY_SIZE(options), argc, argv);
	while ((i = nst_options_next(&opts, &value)) != NST_OPTIONS_END) {
		if (parse_one(a, &opts, i, value))
			return -EINVAL;
	}
	if (a->help || (a->task ? !a->sensor && !a->has_temp
				: a->sensor && a->has_temp))
		return 0;
	nst_log(NST_LOG_ERR, "ask for a --task, or for a --sensor and a "
		"--temp-mc");
	return -EINVAL;
}

static struct json_object *request(const struct args *a)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "req",
			       json_object_new_string("capture.ask"));
	if (a->task) {
		json_object_object_add(o, "task",
				       json_object_new_string(a->task));
	} else {
		json_object_object_add(o, "sensor",
				       json_object_new_string(a->sensor));
		json_object_object_add(o, "temp_mc",
				       json_object_new_int64(a->temp_mc));
	}
	if (a->in_ms >= 0)
		json_object_object_add(o, "in_ms",
				       json_object_new_int64(a->in_ms));
	json_object_object_add(o, "frames", json_object_new_int64(a->frames));
	return o;
}

static double thousandth(struct json_object *o, const char *key)
{
	return (double)nst_daemon_int(o, key, 0) / 1e3;
}

static double seconds(struct json_object *o, const char *key)
{
	return (double)nst_daemon_int(o, key, 0) / 1e6;
}

static void print_answer(struct json_object *o)
{
	printf("%s: %s\n", nst_daemon_text(o, "answer"),
	       nst_daemon_text(o, "why"));
	if (nst_daemon_get(o, "bound"))
		printf("  doubt        %s, %.3f K of it\n",
		       nst_daemon_text(o, "bound"), thousandth(o, "bound_mc"));
	printf("  exposure     in %.3f s", seconds(o, "exposure_in_us"));
	if (nst_daemon_get(o, "temp_mc"))
		printf(", at most %.2f degC", thousandth(o, "temp_mc"));
	if (nst_daemon_get(o, "reached_mc"))
		printf("; gated at once %.2f +- %.2f degC",
		       thousandth(o, "reached_mc"),
		       thousandth(o, "margin_mc"));
	printf("\n");
	if (!json_object_get_boolean(nst_daemon_get(o, "gate")))
		return;
	printf("  gate         in %.3f s at the latest",
	       seconds(o, "gate_in_us"));
	if (nst_daemon_get(o, "late_in_us"))
		printf(", too late in %.3f s", seconds(o, "late_in_us"));
	printf("\n  cost         %+.1f mJ, %" PRId64 " frames gated, %" PRId64
	       " of them processed by nobody\n", thousandth(o, "cost_uj"),
	       nst_daemon_int(o, "gated_frames", 0),
	       nst_daemon_int(o, "lost_frames", 0));
}

int nst_cmd_ask(int argc, char **argv)
{
	_cleanup_(nst_daemon_putp) struct json_object *req = NULL;
	_cleanup_(nst_daemon_putp) struct json_object *answer = NULL;
	_cleanup_close_ int fd = -1;
	struct args a = { .socket = nst_places_socket(), .in_ms = -1,
			  .frames = 1 };
	int r;

	if (parse(argc, argv, &a))
		return NST_EXIT_USAGE;
	if (a.help) {
		printf("usage: nstctl ask --task NAME | --sensor NAME "
		       "--temp-mc N [OPTIONS]\n");
		nst_options_help(options, NST_ARRAY_SIZE(options), stdout);
		return NST_EXIT_OK;
	}
	fd = nst_daemon_connect(a.socket);
	if (fd < 0)
		return nst_exit_from_errno(fd);
	req = request(&a);
	r = nst_daemon_request(fd, req, &answer);
	if (r)
		return nst_exit_from_errno(r);
	if (a.json)
		printf("%s\n", json_object_to_json_string_ext(
			answer, JSON_C_TO_STRING_PRETTY));
	else
		print_answer(answer);
	return NST_EXIT_OK;
}
