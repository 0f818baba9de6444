// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* farload.c - how busy far devices are, see farload.h */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/limits.h>

#include "cleanup.h"
#include "farload.h"
#include "path.h"
#include "scan.h"

#define PERMYRIAD 10000
#define TEXT_LEN 8192

struct walk {
	struct nst_farload *l;
	uint64_t now_us;
	char dir[PATH_MAX];		/* .../proc/PID */
};

void nst_farload_init(struct nst_farload *l, const char *root)
{
	memset(l, 0, sizeof(*l));
	l->root = root;
}

int nst_farload_add(struct nst_farload *l, const struct nst_farnode *node)
{
	if (l->nodes == NST_FARLOAD_NODES)
		return -ENOSPC;
	l->node[l->nodes] = (struct nst_farload_node){ .node = *node };
	return (int)l->nodes++;
}

/* --------------------------------------------------------------- fdinfo */

/* The device behind an open file, or -1: by name, which does not wait. */
static int node_of(const struct nst_farload *l, const char *target)
{
	const char *name;

	if (!strncmp(target, "/dev/dri/", 9))
		name = target + 9;
	else if (!strncmp(target, "/dev/accel/", 11))
		name = target + 11;
	else
		return -1;
	for (unsigned int i = 0; i < l->nodes; i++)
		for (int k = 0; k < NST_FARNODE_SIBLINGS; k++)
			if (!strcmp(l->node[i].node.sibling[k], name))
				return (int)i;
	return -1;
}

static struct nst_farload_client *find_client(struct nst_farload *l,
					      unsigned int node, uint64_t id)
{
	struct nst_farload_client *room = NULL;

	for (unsigned int i = 0; i < NST_FARLOAD_CLIENTS; i++) {
		struct nst_farload_client *c = &l->client[i];

		if (c->used && c->node == node && c->info.client == id)
			return c;
		if (!c->used && !room)
			room = c;
	}
	if (!room) {
		l->left_out++;
		return NULL;
	}
	*room = (struct nst_farload_client){ .used = true, .node = node };
	return room;
}

static const struct nst_fdinfo_engine *engine(const struct nst_fdinfo *info,
					      const char *name)
{
	for (unsigned int i = 0; i < info->engines; i++)
		if (!strcmp(info->engine[i].name, name))
			return &info->engine[i];
	return NULL;
}

static void take_client(struct walk *w, unsigned int node,
			const struct nst_fdinfo *info)
{
	struct nst_farload_client *c = find_client(w->l, node, info->client);
	uint64_t elapsed_ns;

	/* Descriptors of one client show the same counters. */
	if (!c || c->seen)
		return;
	elapsed_ns = (w->now_us - c->t_us) * 1000;
	c->seen = true;
	c->measured = false;
	for (unsigned int i = 0; i < info->engines; i++) {
		const struct nst_fdinfo_engine *to = &info->engine[i];
		const struct nst_fdinfo_engine *from = engine(&c->info,
							      to->name);

		if (to->busy)
			w->l->node[node].fdinfo_moves = true;
		c->share[i] = 0;
		/* A line may appear with the first use of an engine. */
		if (from && !nst_fdinfo_share(from, to, elapsed_ns,
					      &c->share[i]))
			c->measured = true;
	}
	c->info = *info;
	c->t_us = w->now_us;
}

static ssize_t read_text(const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	while (len < size - 1 && (n = read(fd, buf + len, size - 1 - len)) > 0)
		len += (size_t)n;
	if (n < 0)
		return -errno;
	buf[len] = '\0';
	return (ssize_t)len;
}

static int look_at_fd(const char *name, void *arg)
{
	char path[PATH_MAX + 300], target[64], text[TEXT_LEN];
	struct nst_fdinfo info;
	struct walk *w = arg;
	ssize_t len;
	int node;

	snprintf(path, sizeof(path), "%s/fd/%s", w->dir, name);
	len = readlink(path, target, sizeof(target));
	if (len <= 0 || len == sizeof(target))
		return 0;
	target[len] = '\0';
	node = node_of(w->l, target);
	if (node < 0)
		return 0;
	snprintf(path, sizeof(path), "%s/fdinfo/%s", w->dir, name);
	if (read_text(path, text, sizeof(text)) > 0 &&
	    !nst_fdinfo_parse(text, &info))
		take_client(w, (unsigned int)node, &info);
	return 0;
}

static int look_at_process(const char *name, void *arg)
{
	char path[PATH_MAX + 8];
	struct walk *w = arg;
	size_t base = strlen(w->dir);
	int r;

	if (name[strspn(name, "0123456789")])
		return 0;
	if ((size_t)snprintf(w->dir + base, sizeof(w->dir) - base, "/%s",
			     name) < sizeof(w->dir) - base) {
		snprintf(path, sizeof(path), "%s/fd", w->dir);
		r = nst_scan_dir(path, look_at_fd, w);
		if (r == -EACCES || r == -EPERM)
			w->l->denied++;
	}
	w->dir[base] = '\0';
	return 0;
}

/* The busiest engine of a device, over what its clients kept it busy. */
static bool sum_up(const struct nst_farload *l, unsigned int node,
		   uint32_t *ret_permyriad)
{
	const struct nst_farload_client *c, *d;
	uint64_t worst = 0;
	bool any = false;

	for (c = l->client; c < l->client + NST_FARLOAD_CLIENTS; c++) {
		if (!c->used || c->node != node || !c->measured)
			continue;
		any = true;
		for (unsigned int i = 0; i < c->info.engines; i++) {
			uint64_t sum = 0;

			for (d = l->client; d < l->client + NST_FARLOAD_CLIENTS;
			     d++) {
				const struct nst_fdinfo_engine *e =
					d->used && d->node == node ?
					engine(&d->info,
					       c->info.engine[i].name) : NULL;

				if (e)
					sum += d->share[e - d->info.engine];
			}
			sum /= c->info.engine[i].capacity;
			if (sum > worst)
				worst = sum;
		}
	}
	*ret_permyriad = worst > PERMYRIAD ? PERMYRIAD : (uint32_t)worst;
	return any;
}

static bool has_clients(const struct nst_farload *l, unsigned int node)
{
	for (unsigned int i = 0; i < NST_FARLOAD_CLIENTS; i++)
		if (l->client[i].used && l->client[i].node == node)
			return true;
	return false;
}

static bool by_fdinfo(struct nst_farload *l, unsigned int i,
		      uint32_t *ret_permyriad)
{
	/* Counters that never moved, or none at all: it may be anything. */
	if (!l->node[i].fdinfo_moves)
		return false;
	if (sum_up(l, i, ret_permyriad))
		return true;
	*ret_permyriad = 0;
	return !has_clients(l, i) && !l->denied;
}

/* ---------------------------------------------------------------- sysfs */

static bool read_number(const struct nst_farnode *n, const char *name,
			uint64_t *ret)
{
	char path[PATH_MAX];
	long long val;

	snprintf(path, sizeof(path), "%s/%s", n->sys, name);
	if (nst_path_read_int(path, &val) || val < 0)
		return false;
	*ret = (uint64_t)val;
	return true;
}

static uint32_t share(uint64_t part, uint64_t whole)
{
	return part >= whole ? PERMYRIAD :
			       (uint32_t)((double)part / (double)whole *
					  PERMYRIAD);
}

static bool by_counter(struct nst_farload_node *n, uint64_t now_us,
		       uint32_t *ret_permyriad)
{
	uint64_t busy_us, before_us = n->counter_us, t_us = n->counter_t_us;
	bool had = n->has_counter;

	n->has_counter = read_number(&n->node, "npu_busy_time_us", &busy_us);
	if (!n->has_counter)
		return false;
	n->counter_us = busy_us;
	n->counter_t_us = now_us;
	if (!had || busy_us < before_us || now_us <= t_us)
		return false;
	*ret_permyriad = share(busy_us - before_us, now_us - t_us);
	return true;
}

static bool may_suspend(const struct nst_farnode *n)
{
	char path[PATH_MAX], text[32];

	snprintf(path, sizeof(path), "%s/power/control", n->sys);
	if (nst_path_read_line(path, text, sizeof(text)) < 0 ||
	    strcmp(text, "auto"))
		return false;
	snprintf(path, sizeof(path), "%s/power/runtime_status", n->sys);
	return nst_path_read_line(path, text, sizeof(text)) > 0 &&
	       strcmp(text, "unsupported") && strcmp(text, "error");
}

static bool by_pm(struct nst_farload_node *n, uint32_t *ret_permyriad)
{
	uint64_t active_ms, suspended_ms, active, suspended;
	bool had = n->has_pm;

	n->has_pm = may_suspend(&n->node) &&
		    read_number(&n->node, "power/runtime_active_time",
				&active_ms) &&
		    read_number(&n->node, "power/runtime_suspended_time",
				&suspended_ms);
	if (!n->has_pm)
		return false;
	active = active_ms - n->active_ms;
	suspended = suspended_ms - n->suspended_ms;
	had = had && active_ms >= n->active_ms &&
	      suspended_ms >= n->suspended_ms && active + suspended;
	n->active_ms = active_ms;
	n->suspended_ms = suspended_ms;
	if (had)
		*ret_permyriad = share(active, active + suspended);
	return had;
}

/* ---------------------------------------------------------------- round */

/* Who may not look into the first process is shown a part of them at most. */
static bool sees_all(const char *proc)
{
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s/1/fd", proc);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0;
}

void nst_farload_round(struct nst_farload *l, uint64_t now_us)
{
	struct walk w = { .l = l, .now_us = now_us };
	uint32_t busy;

	l->denied = 0;
	l->left_out = 0;
	for (unsigned int i = 0; i < NST_FARLOAD_CLIENTS; i++)
		l->client[i].seen = false;
	if (l->nodes &&
	    !nst_path_join(w.dir, sizeof(w.dir), l->root, "/proc")) {
		l->denied += !sees_all(w.dir);
		(void)nst_scan_dir(w.dir, look_at_process, &w);
	}
	for (unsigned int i = 0; i < NST_FARLOAD_CLIENTS; i++)
		l->client[i].used = l->client[i].used && l->client[i].seen;

	for (unsigned int i = 0; i < l->nodes; i++) {
		struct nst_farload_node *n = &l->node[i];
		uint32_t pm = 0;
		bool pm_ok = by_pm(n, &pm);

		if (by_counter(n, now_us, &busy)) {
			n->source = NST_FARLOAD_COUNTER;
		} else if (by_fdinfo(l, i, &busy) && !(l->denied && pm_ok)) {
			n->source = NST_FARLOAD_FDINFO;
		} else {
			n->source = pm_ok ? NST_FARLOAD_PM : NST_FARLOAD_NONE;
			busy = pm;
		}
		n->busy_permyriad = busy;
	}
}

const char *nst_farload_source_text(enum nst_farload_source source)
{
	switch (source) {
	case NST_FARLOAD_NONE:
		return "none";
	case NST_FARLOAD_COUNTER:
		return "counter";
	case NST_FARLOAD_FDINFO:
		return "fdinfo";
	case NST_FARLOAD_PM:
		return "pm";
	}
	return "invalid";
}
