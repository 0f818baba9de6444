/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * path.h - files below a root that can be moved (--root DIR)
 *
 * Every reader of /sys and /dev takes the root, so that a captured tree of
 * another board can be looked at.
 */
#ifndef NST_PATH_H
#define NST_PATH_H

#include <stddef.h>

/**
 * nst_path_join() - root + path
 * @root: "" or NULL for the real one
 * Return: 0 or -ENAMETOOLONG with @buf untouched.
 */
int nst_path_join(char *buf, size_t size, const char *root, const char *path);

/**
 * nst_path_read_line() - first line of a small file, newline cut off
 * Return: its length, or a negative errno (the one of the attribute).
 */
int nst_path_read_line(const char *path, char *buf, size_t size);

/** nst_path_read_int() - -EINVAL when it holds anything but one integer */
int nst_path_read_int(const char *path, long long *ret);

/** nst_path_write() - one write() of the text, as sysfs wants it */
int nst_path_write(const char *path, const char *text);

#endif /* NST_PATH_H */
