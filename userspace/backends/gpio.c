// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* gpio.c - an output line of the host, see gpio.h */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/limits.h>

#include "gpio.h"
#include "number.h"
#include "path.h"
#include "scan.h"

#define CHIP_LEN 32

/* The kernel may take a moment to let go of the line of a process that ended. */
#define GUARD_TRIES 2000
#define GUARD_WAIT_NS 1000000

/* ----------------------------------------------------------------- find */

struct search {
	const char *selector;
	char dir[PATH_MAX - CHIP_LEN - 1];	/* /dev */
	char chip[CHIP_LEN];		/* label of CHIP:NUMBER, "" for a name */
	long long offset;
	unsigned int found;
	int err;			/* of a chip that could not be read */
	char at_chip[CHIP_LEN];		/* gpiochipN of the first one found */
	unsigned int at_offset;
	char consumer[CHIP_LEN];
	bool used;
	char other[NST_GPIO_NAME_LEN];	/* the second one */
};

static bool split(const char *selector, char *chip, long long *ret_offset)
{
	const char *colon = strrchr(selector, ':');
	size_t len;

	if (!colon || colon == selector)
		return false;
	len = (size_t)(colon - selector);
	if (len >= CHIP_LEN || nst_number_int(colon + 1, 0, 65535, ret_offset))
		return false;
	memcpy(chip, selector, len);
	chip[len] = '\0';
	return true;
}

bool nst_gpio_check(const char *selector)
{
	return selector[0] && strlen(selector) < NST_GPIO_NAME_LEN;
}

static int look_at_line(const struct nst_gpio_info *info, void *arg)
{
	struct search *s = arg;
	bool fits;

	/* A name may have a colon and digits in it too. */
	fits = !strcmp(info->name, s->selector) ||
	       (s->chip[0] && !strcmp(info->label, s->chip) &&
		info->offset == s->offset);
	if (!fits)
		return 0;
	if (s->found++) {
		snprintf(s->other, sizeof(s->other), "%s line %u", info->chip,
			 info->offset);
		return 1;
	}
	snprintf(s->at_chip, sizeof(s->at_chip), "%s", info->chip);
	snprintf(s->consumer, sizeof(s->consumer), "%s", info->consumer);
	s->at_offset = info->offset;
	s->used = info->used;
	return 0;
}

static int look_at_chip(const char *name, void *arg)
{
	struct search *s = arg;
	char path[PATH_MAX];
	int r;

	if (strncmp(name, "gpiochip", 8) || strlen(name) >= CHIP_LEN)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", s->dir, name);
	r = nst_gpio_lib_lines(path, look_at_line, s);
	/* One chip that cannot be read does not hide those of the others. */
	if (r < 0)
		s->err = r;
	return r > 0;
}

static int find(struct search *s, char *why, size_t why_size)
{
	if (!nst_gpio_check(s->selector)) {
		snprintf(why, why_size, "a line is a name, or CHIP:NUMBER");
		return -EINVAL;
	}
	if (!split(s->selector, s->chip, &s->offset))
		s->chip[0] = '\0';
	(void)nst_scan_dir(s->dir, look_at_chip, s);
	if (s->found > 1) {
		snprintf(why, why_size, "two lines have the name '%s': %s line "
			 "%u and %s; give one as CHIP:NUMBER", s->selector,
			 s->at_chip, s->at_offset, s->other);
		return -ENOTUNIQ;
	}
	if (s->found)
		return 0;
	if (s->err) {
		snprintf(why, why_size, "no line '%s' among those that can be "
			 "read (%s)", s->selector, strerror(-s->err));
		return s->err;
	}
	snprintf(why, why_size, "no line '%s' on any chip", s->selector);
	return -ENODEV;
}

/* ---------------------------------------------------------------- guard */

static void guard_act(const char *path, unsigned int offset, bool active_low,
		      bool safe)
{
	const struct timespec moment = { .tv_nsec = GUARD_WAIT_NS };
	struct nst_gpio_lib l;
	int r = -EBUSY;

	for (int i = 0; i < GUARD_TRIES && r == -EBUSY; i++) {
		r = nst_gpio_lib_take(&l, path, offset, active_low);
		if (r == -EBUSY)
			nanosleep(&moment, NULL);
	}
	if (r)
		return;
	(void)nst_gpio_lib_set(&l, safe);
	nst_gpio_lib_release(&l);
}

static void guard_run(int fd, const char *path, unsigned int offset,
		      bool active_low, bool safe)
	__attribute__((noreturn));

static void guard_run(int fd, const char *path, unsigned int offset,
		      bool active_low, bool safe)
{
	sigset_t all;
	char byte;

	/* What ends the other one must not end this one first. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	(void)prctl(PR_SET_NAME, "nst-gpio-guard");
	if (dup2(fd, 0) < 0 || close_range(1, ~0u, 0))
		_exit(1);
	while (read(0, &byte, 1) < 0 && errno == EINTR)
		;
	guard_act(path, offset, active_low, safe);
	_exit(0);
}

static int guard_start(struct nst_gpio *g, const char *path,
		       unsigned int offset, bool active_low)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	g->guard = fork();
	if (!g->guard) {
		close(fds[1]);
		guard_run(fds[0], path, offset, active_low, g->safe);
	}
	close(fds[0]);
	if (g->guard < 0) {
		int r = -errno;

		g->guard = 0;
		close(fds[1]);
		return r;
	}
	g->guard_fd = fds[1];
	return 0;
}

/* It sits in read(): it ends at once, and has not acted. */
static void guard_stop(struct nst_gpio *g)
{
	if (g->guard > 0) {
		kill(g->guard, SIGKILL);
		while (waitpid(g->guard, NULL, 0) < 0 && errno == EINTR)
			;
	}
	g->guard = 0;
	if (g->guard_fd >= 0)
		close(g->guard_fd);
	g->guard_fd = -1;
}

/* ----------------------------------------------------------------- line */

int nst_gpio_open(struct nst_gpio *g, const char *root, const char *selector,
		  bool active_low, bool safe, char *why, size_t why_size)
{
	struct search s = { .selector = selector };
	char path[PATH_MAX];
	int r;

	*g = NST_GPIO_CLOSED;
	why[0] = '\0';
	if (nst_path_join(s.dir, sizeof(s.dir), root, "/dev"))
		return -ENAMETOOLONG;
	r = find(&s, why, why_size);
	if (r)
		return r;
	snprintf(path, sizeof(path), "%s/%s", s.dir, s.at_chip);
	snprintf(g->what, sizeof(g->what), "%.*s (%s line %u)",
		 NST_GPIO_NAME_LEN - 1, selector, s.at_chip, s.at_offset);
	g->safe = safe;
	r = nst_gpio_lib_take(&g->lib, path, s.at_offset, active_low);
	if (r == -EBUSY)
		snprintf(why, why_size, "line %s is taken by '%s'", g->what,
			 s.used && s.consumer[0] ? s.consumer : "?");
	else if (r)
		snprintf(why, why_size, "line %s: %s", g->what, strerror(-r));
	if (r)
		return r;
	g->open = true;
	r = guard_start(g, path, s.at_offset, active_low);
	if (r) {
		snprintf(why, why_size, "line %s: no guard for it: %s",
			 g->what, strerror(-r));
		nst_gpio_close(g);
	}
	return r;
}

int nst_gpio_set(struct nst_gpio *g, bool active)
{
	return g->open ? nst_gpio_lib_set(&g->lib, active) : -ENODEV;
}

int nst_gpio_get(struct nst_gpio *g)
{
	return g->open ? nst_gpio_lib_get(&g->lib) : -ENODEV;
}

void nst_gpio_close(struct nst_gpio *g)
{
	if (g->open) {
		(void)nst_gpio_lib_set(&g->lib, g->safe);
		nst_gpio_lib_release(&g->lib);
	}
	g->open = false;
	guard_stop(g);
}
