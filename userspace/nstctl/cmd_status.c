// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cmd_status.c - nstctl status: what nstd does now
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "daemon.h"
#include "nstctl.h"
#include "options.h"
#include "places.h"
#include "units.h"

enum { OPT_JSON, OPT_SOCKET, OPT_HELP };

static const struct nst_option options[] = {
	[OPT_JSON] = { "--json", NULL, "print JSON" },
	[OPT_SOCKET] = { "--socket", "PATH",
			 "socket of nstd (" NST_PLACES_SOCKET_HELP ")" },
	[OPT_HELP] = { "--help", NULL, "show this help" },
};

struct args {
	const char *socket;
	bool json;
	bool help;
};

static int parse(int argc, char **argv, struct args *a)
{
	struct nst_options opts;
	const char *value;
	int i;

	nst_options_init(&opts, "nstctl status", options,
			 NST_ARRAY_SIZE(options), argc, argv);
	while ((i = nst_options_next(&opts, &value)) != NST_OPTIONS_END) {
		switch (i) {
		case OPT_JSON:
			a->json = true;
			break;
		case OPT_SOCKET:
			a->socket = value;
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
	return 0;
}

static void put_temp(struct json_object *o, const char *key,
		     const char *label)
{
	int64_t mc = nst_daemon_int(o, key, NST_TEMP_NONE_MC);

	if (mc != NST_TEMP_NONE_MC)
		printf("%s%.2f", label, (double)mc / 1000);
}

static void print_temperature(struct json_object *s)
{
	struct json_object *thr = nst_daemon_get(s, "thresholds");

	printf("  temperature  ");
	if (nst_daemon_get(s, "temp_mc")) {
		put_temp(s, "temp_mc", "");
		printf(" degC");
		put_temp(s, "model_mc", ", model ");
	} else {
		printf("not known: %s", nst_daemon_text(s, "temp_state"));
	}
	printf("\n  limits       ");
	put_temp(s, "limit_mc", "task ");
	put_temp(thr, "high_mc", "  T_high ");
	put_temp(thr, "low_mc", "  T_low ");
	put_temp(thr, "max_mc", "  max ");
	printf("  (%s)\n", json_object_get_boolean(nst_daemon_get(thr, "auto"))
	       ? "computed" : "set by hand");
}

static void print_binding(struct json_object *s)
{
	static const char *const kinds[] = { "vision", "imaging" };
	struct json_object *b = nst_daemon_get(s, "binding");

	if (!b)
		return;
	printf("  binding      T_high by %s", nst_daemon_text(b, "high_by"));
	for (size_t i = 0; i < NST_ARRAY_SIZE(kinds); i++) {
		struct json_object *k = nst_daemon_get(b, kinds[i]);

		if (!k)
			continue;
		printf("; %s: %s of %" PRId64, kinds[i],
		       nst_daemon_text(k, "task"),
		       nst_daemon_int(k, "of", 0));
		put_temp(k, "limit_mc", ", at most ");
	}
	printf("\n");
}

static double percent(struct json_object *s, const char *key)
{
	return (double)nst_daemon_int(s, key, 0) / 100;
}

static void print_headroom(struct json_object *s)
{
	struct json_object *h = nst_daemon_get(s, "headroom");
	int64_t ms = nst_daemon_int(h, "limit_in_ms", -1);

	if (!h)
		return;
	printf("  headroom     %.1f %%, ", percent(h, "permyriad"));
	if (ms < 0)
		printf("never at T_high\n");
	else
		printf("%.1f s of near work to T_high\n", (double)ms / 1000);
}

static double decibels(struct json_object *o, const char *key)
{
	return (double)nst_daemon_int(o, key, 0) / 100;
}

static void print_identified(struct json_object *s)
{
	static const struct {
		const char *key, *name, *unit;
	} rows[] = {
		{ "ambient_mc", "ambient", "degC" },
		{ "r_pa_mk_per_w", "r_pa", "K/W" },
		{ "r_jp_mk_per_w", "r_jp", "K/W" },
		{ "tau_p_ms", "tau_p", "s" },
		{ "near_mw", "near", "W" },
	};
	struct json_object *id = nst_daemon_get(s, "identified");

	if (!id)
		return;
	printf("  identified   margin %.2f degC",
	       (double)nst_daemon_int(id, "margin_mc", 0) / 1e3);
	if (nst_daemon_int(id, "changes", 0))
		printf(", the stack changed %lld times",
		       (long long)nst_daemon_int(id, "changes", 0));
	putchar('\n');
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct json_object *v = nst_daemon_get(id, rows[i].key);

		printf("    %-8s %.2f %s (%.2f to %.2f)\n", rows[i].name,
		       (double)nst_daemon_int(v, "value", 0) / 1e3, rows[i].unit,
		       (double)nst_daemon_int(v, "lo", 0) / 1e3,
		       (double)nst_daemon_int(v, "hi", 0) / 1e3);
	}
}

static void print_task(struct json_object *t)
{
	const char *what = strcmp(nst_daemon_text(t, "snr_of"), "dark")
		? "total SNR" : "SNR of dark rows";

	printf("  measured     %s: ", nst_daemon_text(t, "name"));
	if (!nst_daemon_get(t, "snr_cdb")) {
		printf("%s, asks for %s of %.2f dB\n",
		       nst_daemon_text(t, "measured"), what,
		       decibels(t, "demand_cdb"));
		return;
	}
	printf("%s %.2f dB, at least %.2f (99.9 %%), asked for %.2f: %s, "
	       "margin %+.2f dB\n", what, decibels(t, "snr_cdb"),
	       decibels(t, "snr_low_cdb"), decibels(t, "demand_cdb"),
	       json_object_get_boolean(nst_daemon_get(t, "met")) ? "met"
	       : "NOT met", decibels(t, "margin_cdb"));
}

static void print_measured(struct json_object *s)
{
	struct json_object *tasks = nst_daemon_get(s, "tasks");
	struct json_object *r = nst_daemon_get(s, "reported");
	size_t count = json_object_is_type(tasks, json_type_array)
		? json_object_array_length(tasks) : 0;

	for (size_t i = 0; i < count; i++)
		print_task(json_object_array_get_idx(tasks, i));
	if (!r)
		return;
	printf("  reports      %" PRId64 ", temperature ",
	       nst_daemon_int(r, "count", 0));
	if (nst_daemon_get(r, "temp_mc"))
		put_temp(r, "temp_mc", "");
	else
		printf("%s", nst_daemon_text(r, "temp_state"));
	printf("\n");
}

/* By the model, at the temperature of the die just now. */
static void print_predicted(struct json_object *s)
{
	struct json_object *n = nst_daemon_get(s, "noise");
	bool emva = !strcmp(nst_daemon_text(n, "model"), "emva");

	if (!n)
		return;
	printf("  predicted    ");
	if (nst_daemon_get(n, "snr_cdb"))
		printf("%.2f dB ", decibels(n, "snr_cdb"));
	if (emva)
		printf("total SNR of a flat patch at %.0f %% of the range (emva)\n",
		       percent(n, "signal_permyriad"));
	else
		printf("SNR of a dark frame against a signal level (paper)\n");
}

/* Only what the profile asks to look at. */
static void print_around(struct json_object *s)
{
	struct json_object *air = nst_daemon_get(s, "ambient");
	struct json_object *far = nst_daemon_get(s, "far");

	if (nst_daemon_get(air, "sensor")) {
		put_temp(air, "temp_mc", "  ambient      ");
		printf(" degC from %s (%s: %s)\n",
		       strcmp(nst_daemon_text(air, "source"), "sensor")
		       ? "the profile" : "the sensor",
		       nst_daemon_text(air, "sensor"),
		       nst_daemon_text(air, "state"));
	}
	if (nst_daemon_get(s, "board_mc")) {
		put_temp(s, "board_mc", "  board        ");
		printf(" degC\n");
	}
	if (!far)
		return;
	printf("  far device   %s", nst_daemon_text(far, "why"));
	if (nst_daemon_text(far, "node")[0])
		printf(", %s", nst_daemon_text(far, "node"));
	if (nst_daemon_get(far, "busy_permyriad"))
		printf(", %.0f %% busy (%s)", percent(far, "busy_permyriad"),
		       nst_daemon_text(far, "busy_source"));
	put_temp(far, "temp_mc", ", degC ");
	printf("; frames %" PRId64 " without a copy, %" PRId64 " copied\n",
	       nst_daemon_int(far, "imports", 0),
	       nst_daemon_int(far, "copies", 0));
}

static void print_share(struct json_object *s)
{
	struct json_object *h = nst_daemon_get(s, "far_share");

	if (!h)
		return;
	printf("  far share    %s on %s, %.1f of %.1f %%, urgency %.1f %%: %s",
	       json_object_get_boolean(nst_daemon_get(h, "granted"))
	       ? "granted" : "none", nst_daemon_text(h, "device"),
	       percent(h, "load_permyriad"), percent(h, "capacity_permyriad"),
	       percent(h, "urgency_permyriad"), nst_daemon_text(h, "why"));
	if (nst_daemon_get(h, "since_ms"))
		printf(", since %.1f s",
		       (double)nst_daemon_int(h, "since_ms", 0) / 1000);
	printf("\n");
}

static void print_workers(struct json_object *s)
{
	struct json_object *w = nst_daemon_get(s, "workers");

	if (!w)
		return;
	printf("  workers      %s has %s; near %s, far %s",
	       nst_daemon_text(w, "owner"), nst_daemon_text(w, "task"),
	       json_object_get_boolean(nst_daemon_get(w, "near"))
	       ? "there" : "missing",
	       json_object_get_boolean(nst_daemon_get(w, "far"))
	       ? "there" : "missing");
	if (strcmp(nst_daemon_text(w, "step"), "idle"))
		printf(", a move in step %s", nst_daemon_text(w, "step"));
	printf("\n  moves        %" PRId64 " (%" PRId64 " us the last switch, %"
	       PRId64 " us to get ready), %" PRId64 " rolled back, %" PRId64
	       " taken over, %" PRId64 " without a state\n",
	       nst_daemon_int(w, "moved", 0),
	       nst_daemon_int(w, "switch_us", 0),
	       nst_daemon_int(w, "ready_us", 0),
	       nst_daemon_int(w, "rolled_back", 0),
	       nst_daemon_int(w, "taken_over", 0),
	       nst_daemon_int(w, "fresh", 0));
	printf("  done         %" PRId64 " near, %" PRId64 " far, %" PRId64
	       " by both (states differed after %" PRId64 "), %" PRId64
	       " gated, %" PRId64 " lost\n", nst_daemon_int(w, "done_near", 0),
	       nst_daemon_int(w, "done_far", 0),
	       nst_daemon_int(w, "frames_both", 0),
	       nst_daemon_int(w, "diverged", 0),
	       nst_daemon_int(w, "frames_gated", 0),
	       nst_daemon_int(w, "frames_lost", 0));
	if (nst_daemon_int(w, "imports", 0) || nst_daemon_int(w, "copies", 0))
		printf("  far frames   %" PRId64 " without a copy, %" PRId64
		       " copied\n", nst_daemon_int(w, "imports", 0),
		       nst_daemon_int(w, "copies", 0));
}

static void print_sensor(struct json_object *s)
{
	struct json_object *light = nst_daemon_get(s, "light");

	printf("\n%s: %s, %s, policy %s\n", nst_daemon_text(s, "name"),
	       nst_daemon_text(s, "device"), nst_daemon_text(s, "state"),
	       nst_daemon_text(s, "policy"));
	print_temperature(s);
	printf("  now          %s (%s)", nst_daemon_text(s, "placement"),
	       nst_daemon_text(s, "reason"));
	if (nst_daemon_get(s, "gate"))
		printf(", gate %s%s", nst_daemon_text(s, "gate"),
		       json_object_get_boolean(nst_daemon_get(s, "guard"))
		       ? ", held by the kernel's guard" : "");
	printf("\n  light        %" PRId64 " us, ISO %" PRId64
	       ", %.1f lux (from the %s)\n",
	       nst_daemon_int(light, "exposure_us", 0),
	       nst_daemon_int(light, "iso", 0),
	       (double)nst_daemon_int(light, "lux_milli", 0) / 1000,
	       nst_daemon_text(light, "source"));
	printf("  power        %" PRId64 " mW mean by the model, full-far %"
	       PRId64 " mW, %.1f %% saved per delivered frame\n",
	       nst_daemon_int(s, "mean_power_mw", 0),
	       nst_daemon_int(s, "full_far_power_mw", 0),
	       percent(s, "saving_permyriad"));
	printf("  frames       %" PRId64 ": %" PRId64 " delivered, %" PRId64
	       " withheld, %" PRId64 " dropped, %" PRId64 " missed; %" PRId64
	       " above the limit\n", nst_daemon_int(s, "frames", 0),
	       nst_daemon_int(s, "frames_delivered", 0),
	       nst_daemon_int(s, "frames_withheld", 0),
	       nst_daemon_int(s, "frames_dropped", 0),
	       nst_daemon_int(s, "frames_missed", 0),
	       nst_daemon_int(s, "violations", 0));
	printf("  near duty    %.1f %%, %" PRId64 " switches, %" PRId64
	       " late decisions\n", percent(s, "duty_permyriad"),
	       nst_daemon_int(s, "switches", 0),
	       nst_daemon_int(s, "late_decisions", 0));
	print_binding(s);
	print_headroom(s);
	print_identified(s);
	print_around(s);
	print_predicted(s);
	print_share(s);
	print_workers(s);
	print_measured(s);
}

static void print_status(struct json_object *status)
{
	struct json_object *sensors = nst_daemon_get(status, "sensors");
	size_t count = json_object_is_type(sensors, json_type_array)
		? json_object_array_length(sensors) : 0;

	printf("nstd %" PRId64 ", profile %s, up %.1f s%s\n",
	       nst_daemon_int(status, "pid", 0),
	       nst_daemon_text(status, "profile"),
	       (double)nst_daemon_int(status, "uptime_ms", 0) / 1000,
	       json_object_get_boolean(nst_daemon_get(status, "dry_run"))
	       ? ", dry run" : "");
	for (size_t i = 0; i < count; i++)
		print_sensor(json_object_array_get_idx(sensors, i));
}

int nst_cmd_status(int argc, char **argv)
{
	_cleanup_(nst_daemon_putp) struct json_object *status = NULL;
	_cleanup_close_ int fd = -1;
	struct args a = { .socket = nst_places_socket() };
	int r;

	if (parse(argc, argv, &a))
		return NST_EXIT_USAGE;
	if (a.help) {
		printf("usage: nstctl status [OPTIONS]\n");
		nst_options_help(options, NST_ARRAY_SIZE(options), stdout);
		return NST_EXIT_OK;
	}
	fd = nst_daemon_connect(a.socket);
	if (fd < 0)
		return nst_exit_from_errno(fd);
	r = nst_daemon_call(fd, "status", &status);
	if (r)
		return nst_exit_from_errno(r);
	if (a.json)
		printf("%s\n", json_object_to_json_string_ext(
			status, JSON_C_TO_STRING_PRETTY));
	else
		print_status(status);
	return NST_EXIT_OK;
}
