// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* scan.c - names in a directory, see scan.h */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
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
