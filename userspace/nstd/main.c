// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * main.c - nstd: arguments, one at a time, exit codes
 *
 * Everything that was changed on a device is put back by
 * nst_manager_deinit(), which runs from atexit() too; after SIGKILL the
 * kernel's guard takes over when the lease ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "emulated.h"
#include "hardware.h"
#include "log.h"
#include "manager.h"
#include "number.h"
#include "places.h"
#include "version.h"
#include "words.h"

#define OPTIONS_MAX 16

/* A decision is worth something before its frame begins: be early. */
#define NICE (-10)

enum {
	EXIT_RUNTIME = 1,
	EXIT_NO_DEVICE,
	EXIT_USAGE,
	EXIT_CONFIG,
	EXIT_RUNNING,
	EXIT_PERMISSION,
};

struct args {
	const char *config;
	const char *socket;
	const char *record;
	const char *root;
	bool dry_run;
	bool foreground;
	bool check;
	bool verbose;
	unsigned int emulate;
};

static struct nst_manager manager;
static bool manager_live;

static void usage(FILE *out)
{
	fputs("usage: nstd [options]\n"
	      "Keeps stacked image sensors cool enough for what their tasks "
	      "need.\n\n"
	      "  -c, --config FILE   profile (" NST_PLACES_ETC ", else\n"
	      "                      " NST_PLACES_LOCAL ", else\n"
	      "                      " NST_PLACES_VENDOR ")\n"
	      "  -s, --socket PATH   where clients connect (" NST_PLACES_SOCKET ")\n"
	      "  -r, --record FILE   write every frame to a recording\n"
	      "  -n, --dry-run       decide and tell, but touch no device\n"
	      "  -f, --foreground    stay attached to the terminal\n"
	      "  -C, --check         look at profile and devices, then end\n"
	      "      --root DIR      use DIR/sys and DIR/dev\n"
	      "      --emulate N     devices are emulated, N (1 to 64) times "
	      "faster than real\n"
	      "  -v, --verbose       more messages\n"
	      "  -V, --version       what it was built from\n"
	      "  -h, --help          this text\n\n"
	      "Exit codes: 0 ended by a signal, 1 failure, 2 no device, "
	      "3 bad command line,\n4 bad profile, 5 already running or "
	      "governed by another, 6 permission.\n", out);
}

/* Behind what getopt_long() says: what could have been meant by @word. */
static void say_options(const struct option *options, const char *word)
{
	char names[OPTIONS_MAX][16], hint[512];
	const char *words[OPTIONS_MAX];
	size_t count = 0;

	for (; count < OPTIONS_MAX && options[count].name; count++) {
		if (optopt && options[count].val == optopt) {
			fputs("nstd: --help lists the options\n", stderr);
			return;
		}
		snprintf(names[count], sizeof(names[count]), "--%s",
			 options[count].name);
		words[count] = names[count];
	}
	nst_words_hint(hint, sizeof(hint), "valid options", word, words,
		       count);
	fprintf(stderr, "nstd: %s\n", hint);
}

/* 0 to go on, else the exit code plus one */
static int parse(struct args *a, int argc, char **argv)
{
	static const struct option options[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "socket", required_argument, NULL, 's' },
		{ "record", required_argument, NULL, 'r' },
		{ "dry-run", no_argument, NULL, 'n' },
		{ "foreground", no_argument, NULL, 'f' },
		{ "check", no_argument, NULL, 'C' },
		{ "root", required_argument, NULL, 'R' },
		{ "emulate", required_argument, NULL, 'E' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	long long number;
	int c;

	while ((c = getopt_long(argc, argv, "c:s:r:nfCvVh", options,
				NULL)) != -1) {
		switch (c) {
		case 'c':
			a->config = optarg;
			break;
		case 's':
			a->socket = optarg;
			break;
		case 'r':
			a->record = optarg;
			break;
		case 'n':
			a->dry_run = true;
			break;
		case 'f':
			a->foreground = true;
			break;
		case 'C':
			a->check = true;
			break;
		case 'R':
			a->root = optarg;
			break;
		case 'E':
			if (nst_number_int(optarg, 1, NST_EMULATED_SCALE_MAX,
					   &number)) {
				fprintf(stderr, "nstd: --emulate '%s': a whole "
					"number from 1 to %d\n", optarg,
					NST_EMULATED_SCALE_MAX);
				return EXIT_USAGE + 1;
			}
			a->emulate = (unsigned int)number;
			break;
		case 'v':
			a->verbose = true;
			break;
		case 'V':
			nst_version_print("nstd");
			return EXIT_SUCCESS + 1;
		case 'h':
			usage(stdout);
			return EXIT_SUCCESS + 1;
		default:
			say_options(options, argv[optind - 1]);
			return EXIT_USAGE + 1;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "nstd: '%s' is not an option; --help lists "
			"them\n", argv[optind]);
		return EXIT_USAGE + 1;
	}
	if (!a->config)
		a->config = nst_places_need_profile("nstd", "--config");
	return a->config ? 0 : EXIT_CONFIG + 1;
}

static int exit_code(int r)
{
	switch (r) {
	case 0:
		return EXIT_SUCCESS;
	case -ENODEV:
		return EXIT_NO_DEVICE;
	case -EBADMSG:
		return EXIT_CONFIG;
	case -EBUSY:
		return EXIT_RUNNING;
	case -EACCES:
	case -EPERM:
		return EXIT_PERMISSION;
	default:
		return EXIT_RUNTIME;
	}
}

/* ----------------------------------------------------------------- lock */

static void make_parent(const char *path)
{
	_cleanup_free_ char *copy = strdup(path);

	/* What cannot be made shows when the lock is opened. */
	if (copy)
		(void)mkdir(dirname(copy), 0755);
}

/* One nstd per socket. The lock ends with the process, however it ends. */
static int take_lock(const char *socket_path)
{
	char path[256], pid[16];
	int fd, len;

	if ((size_t)snprintf(path, sizeof(path), "%s.lock", socket_path) >=
	    sizeof(path))
		return nst_log_err(-ENAMETOOLONG, "socket '%s'", socket_path);
	make_parent(path);
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return nst_log_err(-errno, "lock file '%s'", path);
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		int r = -errno;
		ssize_t n = read(fd, pid, sizeof(pid) - 1);

		close(fd);
		if (r != -EWOULDBLOCK)
			return nst_log_err(r, "lock file '%s'", path);
		pid[n > 0 ? n : 0] = '\0';
		pid[strcspn(pid, "\n")] = '\0';
		nst_log(NST_LOG_ERR, "already running: process %s holds '%s'",
			pid[0] ? pid : "?", path);
		return -EBUSY;
	}
	len = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	if (ftruncate(fd, 0) || pwrite(fd, pid, (size_t)len, 0) != len)
		nst_log(NST_LOG_WARNING, "lock file '%s' does not take the "
			"process id", path);
	return fd;
}

/* ---------------------------------------------------------------- check */

static int check_sensor(const struct nst_env *env,
			const struct nst_profile *profile, unsigned int i)
{
	const struct nst_profile_sensor *s = &profile->sensors[i];
	struct nst_dev_info info = { 0 };
	struct nst_dev *dev;
	struct nst_cam *cam;
	char text[256];
	int r;

	if (!s->device[0] || !nst_profile_vision_task(profile, i)) {
		printf("%s: not governed (%s)\n", s->name,
		       s->device[0] ? "no vision task" : "no device");
		return 0;
	}
	if (env->prepare)
		env->prepare(env->arg, i, s);
	r = env->open_device(env->arg, i, s->device, &dev);
	if (r) {
		const char *why = env->why ? env->why(env->arg, i) : "";

		env->list_devices(env->arg, text, sizeof(text));
		printf("%s: device '%s': %s (there are: %s)\n", s->name,
		       s->device, why[0] ? why : strerror(-r), text);
		return r;
	}
	dev->ops->info(dev, &info);
	if (dev->ops->owner(dev, text, sizeof(text)))
		snprintf(text, sizeof(text), "?");
	printf("%s: device '%s' is %s (%s), governed by %s\n", s->name,
	       s->device, info.node, info.provider, text);
	dev->ops->close(dev);
	if (!s->camera[0])
		return 0;
	r = env->open_camera(env->arg, i, s->camera, &cam);
	printf("%s: camera '%s': %s\n", s->name, s->camera,
	       r ? strerror(-r) : "found");
	if (!r)
		cam->ops->close(cam);
	return r;
}

static int check(const struct args *a, const struct nst_env *env)
{
	static struct nst_profile profile;
	int r, first = 0;

	r = nst_profile_load(&profile, a->config, stderr);
	if (r) {
		if (r != -EINVAL)
			nst_log_err(r, "profile '%s'", a->config);
		return -EBADMSG;
	}
	for (unsigned int i = 0; i < profile.sensor_count; i++) {
		r = check_sensor(env, &profile, i);
		if (r && !first)
			first = r;
	}
	return first;
}

/* ------------------------------------------------------------------ run */

static void restore(void)
{
	if (manager_live)
		nst_manager_deinit(&manager);
	manager_live = false;
}

/* @ready_fd: gets the exit code of the start, -1 for nobody who waits */
static int serve(const struct args *a, const struct nst_env *env, int ready_fd)
{
	struct nst_manager_config config = {
		.profile_path = a->config,
		.socket_path = a->socket,
		.record_path = a->record,
		.env = env,
	};
	unsigned char code;
	int lock_fd, r;

	/* Not allowed is no reason not to govern. */
	(void)setpriority(PRIO_PROCESS, 0, NICE);
	lock_fd = take_lock(a->socket);
	r = lock_fd < 0 ? lock_fd : 0;
	if (!r) {
		manager_live = true;
		atexit(restore);
		r = nst_manager_init(&manager, &config);
	}
	code = (unsigned char)exit_code(r);
	if (ready_fd >= 0) {
		if (write(ready_fd, &code, 1) != 1)
			r = r ? r : -EPIPE;
		close(ready_fd);
	}
	if (!r)
		r = nst_manager_run(&manager);
	restore();
	if (lock_fd >= 0)
		close(lock_fd);
	return exit_code(r);
}

/* Returns in the child with an fd, in the parent not at all. */
static int go_to_background(void)
{
	unsigned char code = EXIT_RUNTIME;
	int fds[2], null_fd;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return nst_log_err(-errno, "pipe");
	pid = fork();
	if (pid < 0)
		return nst_log_err(-errno, "fork");
	if (pid > 0) {
		close(fds[1]);
		while (read(fds[0], &code, 1) < 0 && errno == EINTR)
			;
		_exit(code);
	}
	close(fds[0]);
	setsid();
	/* Messages go on to where standard error goes. */
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd >= 0) {
		dup2(null_fd, STDIN_FILENO);
		dup2(null_fd, STDOUT_FILENO);
		close(null_fd);
	}
	return fds[1];
}

int main(int argc, char **argv)
{
	struct args a = { .socket = NST_PLACES_SOCKET, .root = "" };
	struct nst_env env;
	int r, ready_fd = -1;

	r = parse(&a, argc, argv);
	if (r)
		return r - 1;
	nst_log_init("nstd", a.verbose ? NST_LOG_DEBUG : NST_LOG_INFO);
	/*
	 * A reader of our messages that goes, and a recording that reaches a
	 * limit, are errors of a write: no reason to end without restoring.
	 */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	env = a.emulate ? nst_emulated_env(a.emulate, a.dry_run)
			: nst_hardware_env(a.root, a.dry_run);
	if (a.check)
		return exit_code(check(&a, &env));
	if (!a.foreground) {
		ready_fd = go_to_background();
		if (ready_fd < 0)
			return EXIT_RUNTIME;
	}
	return serve(&a, &env, ready_fd);
}
