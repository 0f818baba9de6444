// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* farnode.c - DRM render and accel nodes, see farnode.h */
#include <errno.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "farnode.h"
#include "path.h"
#include "scan.h"

struct scan {
	const char *root;
	const char *class_dir;
	const char *prefix;
	const char *dev_dir;
	struct nst_farnode *node;
	size_t count, max;
};

/* A name that does not fit is none of ours: nothing is cut. */
static bool copy(char *to, size_t size, const char *from)
{
	size_t len = strlen(from);

	if (len >= size)
		return false;
	memcpy(to, from, len + 1);
	return true;
}

/* Last part of where a link leads, or false where there is none. */
static bool link_name(const char *dir, const char *name, char *ret,
		      size_t size)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *last;
	ssize_t len;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >=
	    sizeof(path))
		return false;
	len = readlink(path, target, sizeof(target) - 1);
	if (len <= 0)
		return false;
	target[len] = '\0';
	last = strrchr(target, '/');
	return copy(ret, size, last ? last + 1 : target);
}

static int add_sibling(const char *name, void *arg)
{
	struct nst_farnode *n = arg;

	if (strncmp(name, "card", 4) && strncmp(name, "renderD", 7) &&
	    strncmp(name, "accel", 5))
		return 0;
	/* A connector is called card0-HDMI-A-1. */
	if (strchr(name, '-'))
		return 0;
	for (int i = 0; i < NST_FARNODE_SIBLINGS; i++) {
		if (n->sibling[i][0])
			continue;
		(void)copy(n->sibling[i], sizeof(n->sibling[i]), name);
		break;
	}
	return 0;
}

static void add_siblings(struct nst_farnode *n)
{
	static const char *const dirs[] = { "drm", "accel" };
	char path[PATH_MAX];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", n->sys, dirs[i]);
		(void)nst_scan_dir(path, add_sibling, n);
	}
	if (!n->sibling[0][0])
		(void)copy(n->sibling[0], sizeof(n->sibling[0]), n->name);
}

static bool fill(const struct scan *s, const char *name, struct nst_farnode *n)
{
	char link[PATH_MAX], dir[PATH_MAX], real[PATH_MAX];
	char subsystem[NST_FARNODE_NAME_LEN], own[NST_FARNODE_BUS_LEN];
	const char *last;

	*n = (struct nst_farnode){ .accel = !strcmp(s->prefix, "accel") };
	if (!copy(n->name, sizeof(n->name), name))
		return false;
	snprintf(n->path, sizeof(n->path), "%s/%s", s->dev_dir, n->name);
	if ((size_t)snprintf(link, sizeof(link), "%s/%s/device", s->class_dir,
			     name) >= sizeof(link) ||
	    nst_path_join(dir, sizeof(dir), s->root, link) ||
	    !realpath(dir, real) || !copy(n->sys, sizeof(n->sys), real))
		return false;
	last = strrchr(real, '/');
	if (!last || !copy(own, sizeof(own), last + 1))
		return false;
	if (!link_name(real, "subsystem", subsystem, sizeof(subsystem)))
		strcpy(subsystem, "unknown");
	if ((size_t)snprintf(n->bus, sizeof(n->bus), "%s-%s", subsystem, own) >=
	    sizeof(n->bus))
		return false;
	if (!link_name(real, "driver", n->driver, sizeof(n->driver)))
		snprintf(n->driver, sizeof(n->driver), "%.*s",
			 (int)sizeof(n->driver) - 1, own);
	add_siblings(n);
	return true;
}

static int add(const char *name, void *arg)
{
	struct scan *s = arg;
	size_t len = strlen(s->prefix);

	if (s->count == s->max || strncmp(name, s->prefix, len) ||
	    !name[len] || name[len + strspn(name + len, "0123456789")])
		return 0;
	if (fill(s, name, &s->node[s->count]))
		s->count++;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct nst_farnode *x = a, *y = b;

	return x->accel != y->accel ? x->accel - y->accel :
				      strverscmp(x->name, y->name);
}

size_t nst_farnode_list(const char *root, struct nst_farnode *ret, size_t max)
{
	struct scan s = {
		.root = root, .class_dir = "/sys/class/drm",
		.prefix = "renderD", .dev_dir = "/dev/dri",
		.node = ret, .max = max,
	};
	char path[PATH_MAX];

	if (!nst_path_join(path, sizeof(path), root, s.class_dir))
		(void)nst_scan_dir(path, add, &s);
	s.class_dir = "/sys/class/accel";
	s.prefix = "accel";
	s.dev_dir = "/dev/accel";
	if (!nst_path_join(path, sizeof(path), root, s.class_dir))
		(void)nst_scan_dir(path, add, &s);
	qsort(ret, s.count, sizeof(*ret), by_name);
	return s.count;
}

static bool matches(const struct nst_farnode *n, const char *selector)
{
	if (!strncmp(selector, "driver:", 7))
		return !strcmp(n->driver, selector + 7);
	if (!strncmp(selector, "bus:", 4))
		return !strcmp(n->bus, selector + 4);
	return !strcmp(n->path, selector);
}

bool nst_farnode_check(const char *selector)
{
	return (!strncmp(selector, "driver:", 7) && selector[7]) ||
	       (!strncmp(selector, "bus:", 4) && selector[4]) ||
	       (!strncmp(selector, "/dev/dri/renderD", 16) && selector[16]) ||
	       (!strncmp(selector, "/dev/accel/accel", 16) && selector[16]);
}

int nst_farnode_find(const char *root, const char *selector,
		     struct nst_farnode *ret)
{
	struct nst_farnode node[NST_FARNODE_MAX];
	size_t count, found = 0;

	if (!nst_farnode_check(selector))
		return -EINVAL;
	count = nst_farnode_list(root, node, NST_FARNODE_MAX);
	for (size_t i = 0; i < count; i++)
		if (matches(&node[i], selector) && !found++)
			*ret = node[i];
	return !found ? -ENODEV : found > 1 ? -ENOTUNIQ : 0;
}

void nst_farnode_names(const char *root, char *buf, size_t size)
{
	struct nst_farnode node[NST_FARNODE_MAX];
	size_t count = nst_farnode_list(root, node, NST_FARNODE_MAX), at = 0;

	snprintf(buf, size, "none");
	for (size_t i = 0; i < count && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s (%s, %s)",
				       i ? ", " : "", node[i].name,
				       node[i].driver, node[i].bus);
}
