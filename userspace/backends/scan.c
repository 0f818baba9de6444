// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* scan.c - names in a directory, see scan.h */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "path.h"
#include "scan.h"

int nst_scan_dir(const char *path, int (*fn)(const char *name, void *arg),
		 void *arg)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_Alignas(struct dirent64) char buf[2048];
	ssize_t len;

	if (fd < 0)
		return -errno;
	while ((len = getdents64(fd, buf, sizeof(buf))) > 0) {
		for (ssize_t at = 0; at < len;) {
			const struct dirent64 *d = (const void *)(buf + at);
			int r;

			at += d->d_reclen;
			if (!strcmp(d->d_name, ".") ||
			    !strcmp(d->d_name, ".."))
				continue;
			r = fn(d->d_name, arg);
			if (r)
				return r;
		}
	}
	return len < 0 ? -errno : 0;
}

struct list {
	const char *dir;
	bool (*describe)(const char *node, const char *name, char *text,
			 size_t size);
	char *buf;
	size_t size;
	size_t len;
};

static int add_to_list(const char *node, void *arg)
{
	char path[256], name[64], text[128];
	struct list *l = arg;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s/name", l->dir, node) >=
	    sizeof(path) || nst_path_read_line(path, name, sizeof(name)) < 0 ||
	    !l->describe(node, name, text, sizeof(text)))
		return 0;
	l->len += (size_t)snprintf(l->buf + l->len, l->size - l->len, "%s%s",
				   l->len ? ", " : "", text);
	return l->len >= l->size;
}

void nst_scan_list(const char *root, const char *class_dir,
		   bool (*describe)(const char *node, const char *name,
				    char *text, size_t size),
		   char *buf, size_t size)
{
	char dir[128];
	struct list l = {
		.dir = dir, .describe = describe, .buf = buf, .size = size,
	};

	if (!nst_path_join(dir, sizeof(dir), root, class_dir))
		(void)nst_scan_dir(dir, add_to_list, &l);
	if (!l.len)
		snprintf(buf, size, "none");
}
