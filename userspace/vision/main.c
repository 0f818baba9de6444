// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * main.c - nst-vision: the vision task on the frames of a governed camera
 *
 * Exit status: 0; 1 something failed or a camera went away; 2 no device or
 * no nstd; 3 command line; 4 profile or phases; 130 a signal.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "draw.h"
#include "farnode.h"
#include "log.h"
#include "number.h"
#include "places.h"
#include "profile.h"
#include "report.h"
#include "run.h"
#include "version.h"

static const char usage[] =
"nst-vision [OPTION]... [NAME=CAMERA]...\n"
"nst-vision --draw DIR | --report DIR | --table DIR\n"
"\n"
"Run the vision task on cameras that nstd governs. NAME is nstd's sensor,\n"
"CAMERA is /dev/videoN or card:NAME.\n"
"\n"
"  --profile FILE    cameras and powers of all its sensors\n"
"  --phases FILE     light and weather to go through\n"
"  --duration S      seconds; without it until a signal comes\n"
"  --size WxH        frame size (default: what the camera has)\n"
"  --bits N          of a pixel: 8 (default), 10, 12 or 16\n"
"  --out DIR         vision.jsonl and frames of each phase\n"
"  --status          a line a second for people instead of JSON\n"
"  --socket PATH     of nstd (" NST_PLACES_SOCKET_HELP ")\n"
"  --ungoverned      without nstd: every frame, near\n"
"  --patch PLACE     measure SNR on X,Y,WxH; auto (default) finds a flat one,\n"
"                    off does not measure\n"
"  --black DN        level of no light (default: nst-sim's; 0 of others)\n"
"  --far DEVICE      render or accel node that far frames go to (default: the\n"
"                    profile's): driver:NAME, bus:NAME or its path in /dev\n"
"  --reopen          a camera that went away is looked for\n"
"  --draw DIR        PNGs of the frames that --out DIR kept\n"
"  --table DIR       print the table of a run\n"
"  --report DIR      the same, and write DIR/report.html\n"
"  --version         what it was built from\n"
"  --help            this text\n";

struct options {
	const char *profile;
	const char *phases;
	const char *out;
	const char *socket;
	const char *draw;
	const char *report;
	const char *table;
	const char *far;
	struct nst_camera_want want;
	struct nst_fidelity_config fidelity;
	unsigned long duration_ms;
	bool status;
	bool reopen;
};

enum {
	OPT_PROFILE = 256,
	OPT_PHASES,
	OPT_DURATION,
	OPT_SIZE,
	OPT_BITS,
	OPT_OUT,
	OPT_STATUS,
	OPT_SOCKET,
	OPT_UNGOVERNED,
	OPT_PATCH,
	OPT_BLACK,
	OPT_FAR,
	OPT_REOPEN,
	OPT_DRAW,
	OPT_REPORT,
	OPT_TABLE,
	OPT_VERSION,
	OPT_HELP,
};

static int parse_size(const char *text, struct options *o)
{
	char copy[32], *x;
	long long w, h;

	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	strcpy(copy, text);
	x = strchr(copy, 'x');
	if (!x)
		return -EINVAL;
	*x = '\0';
	if (nst_number_int(copy, 1, 4096, &w) ||
	    nst_number_int(x + 1, 1, 4096, &h))
		return -EINVAL;
	o->want.width = (unsigned int)w;
	o->want.height = (unsigned int)h;
	return 0;
}

static int parse_option(int c, struct options *o)
{
	long long v;

	switch (c) {
	case OPT_PROFILE:
		o->profile = optarg;
		return 0;
	case OPT_PHASES:
		o->phases = optarg;
		return 0;
	case OPT_OUT:
		o->out = optarg;
		return 0;
	case OPT_SOCKET:
		o->socket = optarg;
		return 0;
	case OPT_DRAW:
		o->draw = optarg;
		return 0;
	case OPT_REPORT:
		o->report = optarg;
		return 0;
	case OPT_TABLE:
		o->table = optarg;
		return 0;
	case OPT_STATUS:
		o->status = true;
		return 0;
	case OPT_UNGOVERNED:
		o->socket = NULL;
		return 0;
	case OPT_FAR:
		if (!nst_farnode_check(optarg))
			return nst_log_err(-EINVAL, "--far is driver:NAME, "
					   "bus:NAME, /dev/dri/renderDN or "
					   "/dev/accel/accelN");
		o->far = optarg;
		return 0;
	case OPT_REOPEN:
		o->reopen = true;
		return 0;
	case OPT_PATCH:
		if (!nst_fidelity_parse_patch(optarg, &o->fidelity))
			return 0;
		return nst_log_err(-EINVAL, "--patch is auto, off or "
				   "X,Y,WIDTHxHEIGHT");
	case OPT_BLACK:
		if (nst_number_int(optarg, 0, 65534, &v))
			return nst_log_err(-EINVAL, "--black is the level of "
					   "no light, from 0 to 65534");
		o->fidelity.black_dn = (int)v;
		return 0;
	case OPT_SIZE:
		if (!parse_size(optarg, o))
			return 0;
		return nst_log_err(-EINVAL, "--size is WIDTHxHEIGHT");
	case OPT_BITS:
		if (nst_number_int(optarg, 8, 16, &v) ||
		    (v != 8 && v != 10 && v != 12 && v != 16))
			return nst_log_err(-EINVAL, "--bits is 8, 10, 12 or 16");
		o->want.bits = (unsigned int)v;
		return 0;
	case OPT_DURATION:
		if (nst_number_int(optarg, 1, 86400, &v))
			return nst_log_err(-EINVAL, "--duration is a number "
					   "of seconds from 1 to 86400");
		o->duration_ms = (unsigned long)v * 1000;
		return 0;
	default:
		return -EINVAL;
	}
}

static int parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "profile", required_argument, NULL, OPT_PROFILE },
		{ "phases", required_argument, NULL, OPT_PHASES },
		{ "duration", required_argument, NULL, OPT_DURATION },
		{ "size", required_argument, NULL, OPT_SIZE },
		{ "bits", required_argument, NULL, OPT_BITS },
		{ "out", required_argument, NULL, OPT_OUT },
		{ "status", no_argument, NULL, OPT_STATUS },
		{ "socket", required_argument, NULL, OPT_SOCKET },
		{ "ungoverned", no_argument, NULL, OPT_UNGOVERNED },
		{ "patch", required_argument, NULL, OPT_PATCH },
		{ "black", required_argument, NULL, OPT_BLACK },
		{ "far", required_argument, NULL, OPT_FAR },
		{ "reopen", no_argument, NULL, OPT_REOPEN },
		{ "draw", required_argument, NULL, OPT_DRAW },
		{ "report", required_argument, NULL, OPT_REPORT },
		{ "table", required_argument, NULL, OPT_TABLE },
		{ "version", no_argument, NULL, OPT_VERSION },
		{ "help", no_argument, NULL, OPT_HELP },
		{ 0 },
	};
	int c, r;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		if (c == 'h' || c == OPT_HELP) {
			fputs(usage, stdout);
			exit(0);
		}
		if (c == OPT_VERSION) {
			nst_version_print("nst-vision");
			exit(0);
		}
		r = parse_option(c, o);
		if (r)
			return r;
	}
	return 0;
}

static struct nst_stream *add_stream(struct nst_run *run)
{
	struct nst_stream *s;

	if (run->streams == NST_RUN_CAMERAS)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (s)
		run->stream[run->streams++] = s;
	return s;
}

static int add_from_profile(struct nst_run *run, const struct options *o)
{
	_cleanup_free_ struct nst_profile *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return -ENOMEM;
	r = nst_profile_load(p, o->profile, stderr);
	if (r == -EINVAL)
		return r;
	if (r)
		return nst_log_err(r, "%s", o->profile);
	for (unsigned int i = 0; i < p->sensor_count; i++) {
		const struct nst_profile_sensor *sensor = &p->sensors[i];
		struct nst_stream *s;

		if (!sensor->camera[0])
			continue;
		s = add_stream(run);
		if (!s)
			return -ENOMEM;
		r = nst_stream_open(s, sensor->name, sensor->camera, o->socket,
				    &o->want, &o->fidelity,
				    o->far ? o->far : sensor->far_device);
		if (r) {
			run->streams--;
			free(s);
			return -ENODEV;
		}
		s->near_mw = sensor->near_mw;
		s->far_mw = sensor->far_mw;
		s->capture_mw = sensor->capture_mw;
	}
	return 0;
}

static int add_from_argument(struct nst_run *run, const char *arg,
			     const struct options *o)
{
	char name[32];
	const char *is = strchr(arg, '=');
	struct nst_stream *s;

	if (!is || is == arg || (size_t)(is - arg) >= sizeof(name))
		return nst_log_err(-EINVAL, "'%s' is not NAME=CAMERA", arg);
	memcpy(name, arg, (size_t)(is - arg));
	name[is - arg] = '\0';
	s = add_stream(run);
	if (!s)
		return nst_log_err(-EINVAL, "at most %d cameras",
				   NST_RUN_CAMERAS);
	if (nst_stream_open(s, name, is + 1, o->socket, &o->want,
			    &o->fidelity, o->far ? o->far : "")) {
		run->streams--;
		free(s);
		return -ENODEV;
	}
	return 0;
}

static int exit_code(int r)
{
	switch (r) {
	case 0:
		return 0;
	case -EINTR:
		return 128 + SIGINT;
	default:
		return 1;
	}
}

static int run_cameras(struct nst_run *run, const struct options *o, int argc,
		       char **argv)
{
	struct nst_phases phases;
	char path[512];
	int r;

	if (o->phases) {
		r = nst_phases_load(&phases, o->phases, stderr);
		if (r) {
			if (r != -EINVAL)
				nst_log_err(r, "%s", o->phases);
			return 4;
		}
		run->phases = &phases;
	}
	if (o->profile) {
		r = add_from_profile(run, o);
		if (r)
			return r == -ENODEV ? 2 : 4;
	}
	for (int i = optind; i < argc; i++) {
		r = add_from_argument(run, argv[i], o);
		if (r)
			return r == -ENODEV ? 2 : 3;
	}
	if (!run->streams) {
		fputs("nst-vision: no camera: name one, or give a profile "
		      "that does\n", stderr);
		return 3;
	}
	run->dir = o->out;
	run->duration_ms = o->duration_ms;
	run->reopen = o->reopen;
	run->status = o->status ? stdout : NULL;
	run->json = o->status ? NULL : stdout;
	if (o->out) {
		snprintf(path, sizeof(path), "%s/vision.jsonl", o->out);
		run->json = fopen(path, "we");
		if (!run->json) {
			nst_log_err(-errno, "%s", path);
			return 1;
		}
	}
	r = nst_run_loop(run);
	if (run->json && run->json != stdout && fclose(run->json))
		return exit_code(nst_log_err(-errno, "%s", path));
	return exit_code(r);
}

static int make_report(const char *dir, bool page)
{
	_cleanup_free_ struct nst_report *report = calloc(1, sizeof(*report));
	char path[512];
	int r;

	if (!report)
		return nst_log_err(-ENOMEM, "report");
	r = nst_report_load(report, dir);
	if (r)
		return nst_log_err(0, "%s holds no run to report", dir);
	nst_report_table(report, stdout);
	if (!page)
		return 0;
	snprintf(path, sizeof(path), "%s/report.html", dir);
	r = nst_report_html(report, path);
	return r ? nst_log_err(r, "%s", path) : 0;
}

int main(int argc, char **argv)
{
	struct options o = {
		.socket = nst_places_socket(),
		.fidelity.black_dn = -1,
	};
	struct nst_run run = { 0 };
	int code;

	nst_log_init("nst-vision", NST_LOG_NOTICE);
	if (parse(argc, argv, &o)) {
		fputs("nst-vision: --help shows the options\n", stderr);
		return 3;
	}
	if (o.draw)
		return nst_draw_all(o.draw) ? 1 : 0;
	if (o.report)
		return make_report(o.report, true) ? 1 : 0;
	if (o.table)
		return make_report(o.table, false) ? 1 : 0;
	if (o.phases && !o.duration_ms) {
		fputs("nst-vision: --phases needs a --duration to divide\n",
		      stderr);
		return 3;
	}
	code = run_cameras(&run, &o, argc, argv);
	for (unsigned int i = 0; i < run.streams; i++) {
		nst_stream_close(run.stream[i]);
		free(run.stream[i]);
	}
	return code;
}
