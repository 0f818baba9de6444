// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* path.c - small files below a root, see path.h */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "number.h"
#include "path.h"

int nst_path_join(char *buf, size_t size, const char *root, const char *path)
{
	size_t root_len = root ? strlen(root) : 0;
	size_t len = strlen(path);

	while (root_len && root[root_len - 1] == '/')
		root_len--;
	if (root_len + len >= size)
		return -ENAMETOOLONG;
	memmove(buf + root_len, path, len + 1);
	if (root_len)
		memcpy(buf, root, root_len);
	return 0;
}

int nst_path_read_line(const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = read(fd, buf, size - 1);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return (int)strlen(buf);
}

int nst_path_read_int(const char *path, long long *ret)
{
	char buf[64];
	int r = nst_path_read_line(path, buf, sizeof(buf));

	if (r < 0)
		return r;
	return nst_number_int(buf, INT64_MIN, INT64_MAX, ret);
}

int nst_path_write(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(text);
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = write(fd, text, len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}
