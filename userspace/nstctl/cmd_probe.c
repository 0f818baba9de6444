// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cmd_probe.c - nstctl probe: what is here, what is missing and why
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "daemon.h"
#include "nstctl.h"
#include "options.h"
#include "places.h"
#include "probe.h"

enum { OPT_ROOT, OPT_SOCKET, OPT_PROFILE, OPT_JSON, OPT_HELP };

static const struct nst_option options[] = {
	[OPT_ROOT] = { "--root", "DIR",
		       "a tree that holds the /sys, /proc and /dev of a machine" },
	[OPT_SOCKET] = { "--socket", "PATH",
			 "socket of nstd (" NST_PLACES_SOCKET_HELP ")" },
	[OPT_PROFILE] = { "--profile", "FILE",
			  "profile (the one that nstd would take)" },
	[OPT_JSON] = { "--json", NULL, "print JSON" },
	[OPT_HELP] = { "--help", NULL, "show this help" },
};

struct args {
	struct nst_probe_where where;
	bool json;
	bool help;
};

static int parse(int argc, char **argv, struct args *a)
{
	struct nst_options opts;
	const char *value;
	int i;

	nst_options_init(&opts, "nstctl probe", options,
			 NST_ARRAY_SIZE(options), argc, argv);
	while ((i = nst_options_next(&opts, &value)) != NST_OPTIONS_END) {
		switch (i) {
		case OPT_ROOT:
			a->where.root = value;
			break;
		case OPT_SOCKET:
			a->where.socket = value;
			break;
		case OPT_PROFILE:
			a->where.profile = value;
			break;
		case OPT_JSON:
			a->json = true;
			break;
		case OPT_HELP:
			a->help = true;
			break;
		case NST_OPTIONS_PLAIN:
			return nst_options_none_plain(&opts, value);
		default:
			return -EINVAL;
		}
	}
	if (strlen(a->where.root) > NST_PROBE_ROOT_MAX) {
		fprintf(stderr, "nstctl probe: --root is longer than %d characters\n",
			NST_PROBE_ROOT_MAX);
		return -EINVAL;
	}
	return 0;
}

/* ------------------------------------------------------------------ text */

static size_t count(struct json_object *list)
{
	return json_object_is_type(list, json_type_array)
		? json_object_array_length(list) : 0;
}

static const char *text(struct json_object *o, const char *key)
{
	return nst_daemon_text(o, key);
}

static void put_label(const char *label, bool *first)
{
	printf("%-13s", *first ? label : "");
	*first = false;
}

static void print_kernel(struct json_object *kernel)
{
	printf("%-13s%s, nst %s", "kernel", text(kernel, "release"),
	       text(kernel, "nst"));
	for (size_t i = 0; i < count(nst_daemon_get(kernel, "modules")); i++)
		printf("%s %s", i ? "," : ":",
		       json_object_get_string(json_object_array_get_idx(
			       nst_daemon_get(kernel, "modules"), i)));
	printf("\n");
}

static void print_devices(struct json_object *list)
{
	bool first = true;

	for (size_t i = 0; i < count(list); i++) {
		struct json_object *d = json_object_array_get_idx(list, i);

		put_label("devices", &first);
		printf("%s \"%s\" (%s, %s), gate %s, held by %s, frames from %s",
		       text(d, "node"), text(d, "name"), text(d, "provider"),
		       text(d, "model"), text(d, "gate"), text(d, "owner"),
		       text(d, "frame_source"));
		if (nst_daemon_get(d, "temp_mc"))
			printf(", die %.2f degC\n",
			       (double)nst_daemon_int(d, "temp_mc", 0) / 1000);
		else
			printf(", die %s\n", text(d, "temp_state"));
	}
}

/* Anything that has a node and a name. */
static void print_named(const char *label, struct json_object *list,
			const char *more)
{
	bool first = true;

	for (size_t i = 0; i < count(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);

		put_label(label, &first);
		printf("%s \"%s\"", text(o, "node"), text(o, "name"));
		if (more && *text(o, more))
			printf(", %s", text(o, more));
		printf("\n");
	}
}

static void print_missing(struct json_object *list)
{
	bool first = true;

	for (size_t i = 0; i < count(list); i++) {
		struct json_object *m = json_object_array_get_idx(list, i);

		put_label("missing", &first);
		printf("%s: %s\n", text(m, "what"), text(m, "why"));
	}
}

static void print_text(struct json_object *o)
{
	struct json_object *daemon = nst_daemon_get(o, "daemon");
	struct json_object *profile = nst_daemon_get(o, "profile");

	print_kernel(nst_daemon_get(o, "kernel"));
	print_devices(nst_daemon_get(o, "devices"));
	print_named("cameras", nst_daemon_get(o, "cameras"), NULL);
	print_named("sensors", nst_daemon_get(o, "sensors"), "thermometer");
	print_named("far devices", nst_daemon_get(o, "far"), "bus");
	print_named("hwmon", nst_daemon_get(o, "hwmon"), NULL);
	print_named("gpio", nst_daemon_get(o, "gpio"), NULL);
	if (daemon)
		printf("%-13s%s at %s\n", "nstd", text(daemon, "state"),
		       text(daemon, "socket"));
	if (profile)
		printf("%-13s%s at %s\n", "profile", text(profile, "state"),
		       text(profile, "path"));
	print_missing(nst_daemon_get(o, "missing"));
}

int nst_cmd_probe(int argc, char **argv)
{
	_cleanup_(nst_daemon_putp) struct json_object *found = NULL;
	struct args a = {
		.where = {
			.root = "",
			.socket = nst_places_socket(),
		},
	};

	if (parse(argc, argv, &a))
		return NST_EXIT_USAGE;
	if (a.help) {
		printf("usage: nstctl probe [OPTIONS]\n");
		nst_options_help(options, NST_ARRAY_SIZE(options), stdout);
		return NST_EXIT_OK;
	}
	found = nst_probe(&a.where);
	if (!found)
		return nst_exit_from_errno(-ENOMEM);
	if (a.json)
		printf("%s\n", json_object_to_json_string_ext(
			found, JSON_C_TO_STRING_PRETTY |
			       JSON_C_TO_STRING_NOSLASHESCAPE));
	else
		print_text(found);
	return count(nst_daemon_get(found, "devices")) ? NST_EXIT_OK
						       : NST_EXIT_NO_DEVICE;
}
