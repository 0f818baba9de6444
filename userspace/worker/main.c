// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * main.c - nst-worker: a task near the sensor, or far from it
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "job.h"
#include "log.h"
#include "options.h"
#include "places.h"
#include "version.h"

#define RETRY_MS 1000

enum {
	EXIT_RUNTIME = 1,
	EXIT_NO_DEVICE,
	EXIT_USAGE,
	EXIT_RUNNING = 5,
	EXIT_PERMISSION,
};

enum { OPT_TASK, OPT_SOCKET, OPT_CAMERA, OPT_VPU, OPT_RECORDS, OPT_NODE,
       OPT_OUTPUT, OPT_ONCE, OPT_VERBOSE, OPT_VERSION, OPT_HELP };

static const struct nst_option options[] = {
	[OPT_TASK] = { "--task", "NAME", "vision task of nstd's profile" },
	[OPT_SOCKET] = { "--socket", "PATH", "socket of nstd ("
			 NST_PLACES_SOCKET_HELP ")" },
	[OPT_CAMERA] = { "--camera", "CAMERA", "far: frames, /dev/videoN or "
			 "card:NAME (the profile's)" },
	[OPT_VPU] = { "--vpu", "PATH", "near: the processor "
		      "(/dev/nst-vpu-DEVICE)" },
	[OPT_RECORDS] = { "--records", "CAMERA", "near: metadata node "
			  "(card:nst-sim DEVICE metadata)" },
	[OPT_NODE] = { "--node", "PATH", "far: render or accel node that "
		       "frames are imported by" },
	[OPT_OUTPUT] = { "--output", "FILE", "results, a line of JSON a frame, "
			 "appended (standard output)" },
	[OPT_ONCE] = { "--once", NULL, "end when nstd ends" },
	[OPT_VERBOSE] = { "--verbose", NULL, "more messages" },
	[OPT_VERSION] = { "--version", NULL, "what it was built from" },
	[OPT_HELP] = { "--help", NULL, "show this help" },
};

struct args {
	const char *home;
	const char *task;
	const char *socket;
	const char *camera;
	const char *vpu;
	const char *records;
	const char *node;
	const char *output;
	bool once;
	bool verbose;
	bool version;
	bool help;
};

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
	stopped = number;
}

static void usage(void)
{
	printf("usage: nst-worker near|far --task NAME [OPTIONS]\n"
	       "Runs a vision task where nstd wants it: in the processor of "
	       "the sensor\n(near), or on this one (far).\n\n");
	nst_options_help(options, NST_ARRAY_SIZE(options), stdout);
	printf("\nExit codes: 0 ended by a signal, 1 failure, 2 no device or "
	       "no nstd, 3 bad\ncommand line, 5 the task has such a worker "
	       "already, 6 permission.\n");
}

static int plain(struct args *a, const char *value)
{
	if (a->home || (strcmp(value, "near") && strcmp(value, "far"))) {
		fprintf(stderr, "nst-worker: '%s': %s\n", value,
			a->home ? "one home is enough"
				: "a worker is near or far");
		return -EINVAL;
	}
	a->home = value;
	return 0;
}

static int parse(struct args *a, int argc, char **argv)
{
	const char **text[] = {
		[OPT_TASK] = &a->task, [OPT_SOCKET] = &a->socket,
		[OPT_CAMERA] = &a->camera, [OPT_VPU] = &a->vpu,
		[OPT_RECORDS] = &a->records, [OPT_NODE] = &a->node,
		[OPT_OUTPUT] = &a->output,
	};
	struct nst_options opts;
	const char *value;
	int i;

	nst_options_init(&opts, "nst-worker", options,
			 NST_ARRAY_SIZE(options), argc, argv);
	while ((i = nst_options_next(&opts, &value)) != NST_OPTIONS_END) {
		if (i == NST_OPTIONS_PLAIN) {
			if (plain(a, value))
				return -EINVAL;
		} else if (i < 0) {
			return -EINVAL;
		} else if (i == OPT_ONCE) {
			a->once = true;
		} else if (i == OPT_VERBOSE) {
			a->verbose = true;
		} else if (i == OPT_VERSION) {
			a->version = true;
		} else if (i == OPT_HELP) {
			a->help = true;
		} else {
			*text[i] = value;
		}
	}
	if (a->help || a->version || (a->home && a->task))
		return 0;
	fputs("nst-worker: a home (near or far) and --task are needed; "
	      "--help lists the options\n", stderr);
	return -EINVAL;
}

/* ----------------------------------------------------------------- running */

static struct nst_home *make_home(const struct args *a,
				  const struct nst_worker *place)
{
	char vpu[128], records[128];

	if (!strcmp(a->home, "far"))
		return nst_far_new(a->camera ? a->camera : place->camera,
				   a->node);
	snprintf(vpu, sizeof(vpu), "/dev/nst-vpu-%s", place->device);
	snprintf(records, sizeof(records), "card:nst-sim %s metadata",
		 place->device);
	return nst_near_new(a->vpu ? a->vpu : vpu,
			    a->records ? a->records : records);
}

static int exit_code(int r)
{
	switch (r) {
	case 0:
		return EXIT_SUCCESS;
	case -ENOENT:
	case -ECONNREFUSED:
	case -ENODEV:
		return EXIT_NO_DEVICE;
	case -EEXIST:
	case -EBUSY:
		return EXIT_RUNNING;
	case -EACCES:
	case -EPERM:
		return EXIT_PERMISSION;
	default:
		return EXIT_RUNTIME;
	}
}

/* Connected and known to nstd, or the reason is said. */
static int join(struct nst_job *j, const struct args *a, bool *said)
{
	struct nst_worker place;
	int r;

	r = nst_connect(&j->conn, a->socket);
	if (r) {
		if (!*said)
			nst_log(NST_LOG_ERR, "nstd does not answer on '%s': %s",
				a->socket,
				strerror(-r));
		*said = true;
		return r;
	}
	r = nst_worker_register(j->conn, a->task, !strcmp(a->home, "far"),
				&place);
	if (r) {
		if (!*said)
			nst_log(NST_LOG_ERR, "%s", nst_error(j->conn));
		*said = true;
		return r;
	}
	*said = false;
	j->silent = false;
	snprintf(j->sensor, sizeof(j->sensor), "%s", place.sensor);
	if (!j->home)
		j->home = make_home(a, &place);
	j->imports = a->node && !strcmp(a->home, "far");
	if (!j->home)
		return -ENOMEM;
	/* What frames come from is opened at once: errors show now. */
	r = j->home->ops->prepare(j->home);
	if (r)
		nst_log(NST_LOG_ERR, "%s", j->home->why);
	else
		nst_log(NST_LOG_NOTICE, "%s worker of %s on %s", a->home,
			a->task, place.sensor);
	return r;
}

static int serve(struct nst_job *j, const sigset_t *unblocked)
{
	int r = 0;

	while (!stopped && !r) {
		int ms = nst_job_timeout_ms(j);
		struct timespec ts = {
			.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000l,
		};
		struct pollfd p[2] = {
			{ .fd = nst_fd(j->conn), .events = POLLIN },
			{ .fd = j->home->ops->fd(j->home), .events = POLLIN },
		};

		if (ppoll(p, 2, ms < 0 ? NULL : &ts, unblocked) < 0 &&
		    errno != EINTR)
			return -errno;
		r = nst_job_work(j);
	}
	return r;
}

static void pause_ms(unsigned int ms, const sigset_t *unblocked)
{
	const struct timespec ts = { .tv_sec = ms / 1000,
				     .tv_nsec = ms % 1000 * 1000000l };

	if (!stopped)
		(void)ppoll(NULL, 0, &ts, unblocked);
}

static int run(struct nst_job *j, const struct args *a,
	       const sigset_t *unblocked)
{
	bool said = false, ever = false;
	int r = 0;

	while (!stopped) {
		r = join(j, a, &said);
		if (!r) {
			ever = true;
			r = nst_job_work(j);
		}
		if (!r)
			r = serve(j, unblocked);
		if (stopped && !r)
			(void)nst_worker_leave(j->conn);
		if (j->home)
			nst_job_reset(j);
		nst_close(j->conn);
		j->conn = NULL;
		if (stopped)
			return 0;
		/* Before it ever worked the reason is the user's to mend. */
		if ((r != -EPIPE && !ever) || r == -ENODEV || a->once)
			return r;
		if (r == -EPIPE)
			nst_log(NST_LOG_WARNING, "%s, trying once a second to "
				"reach it again", j->silent ?
				"nstd does not answer" :
				"nstd ended the connection (it stopped, or "
				"its log says why)");
		pause_ms(RETRY_MS, unblocked);
	}
	return 0;
}

static void sum_up(const struct nst_job *j, const struct args *a)
{
	uint64_t imports, copies;

	nst_log(NST_LOG_NOTICE, "%llu frames counted, %llu damaged",
		(unsigned long long)j->results.published,
		(unsigned long long)j->damaged);
	if (!j->home || !a->node || strcmp(a->home, "far"))
		return;
	nst_far_frames(j->home, &imports, &copies);
	nst_log(NST_LOG_NOTICE, "%llu frames imported, %llu copied",
		(unsigned long long)imports, (unsigned long long)copies);
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = on_signal };
	static struct nst_job job;
	struct args a = { .socket = nst_places_socket() };
	sigset_t blocked, unblocked;
	int r;

	if (parse(&a, argc, argv))
		return EXIT_USAGE;
	if (a.version) {
		nst_version_print("nst-worker");
		return EXIT_SUCCESS;
	}
	if (a.help) {
		usage();
		return EXIT_SUCCESS;
	}
	nst_log_init("nst-worker", a.verbose ? NST_LOG_DEBUG : NST_LOG_INFO);
	job.results.home = a.home;
	job.results.out = a.output ? fopen(a.output, "ae") : stdout;
	if (!job.results.out) {
		nst_log_err(-errno, "'%s'", a.output);
		return EXIT_RUNTIME;
	}
	/* Blocked but while it waits, so that none is missed. */
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, &unblocked);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	r = run(&job, &a, &unblocked);
	sum_up(&job, &a);
	if (job.home)
		free(job.home);
	if (a.output)
		fclose(job.results.out);
	return exit_code(r);
}
