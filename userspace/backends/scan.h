/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * scan.h - names in a directory, without allocation
 *
 * A device that vanished is looked for once a second by a daemon that does
 * not allocate, and opendir() does.
 */
#ifndef NST_SCAN_H
#define NST_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/**
 * nst_scan_dir() - call @fn for every name but "." and ".."
 * @fn: a value other than 0 ends the scan
 * Return: that value, 0 at the end, or a negative errno of opening.
 */
int nst_scan_dir(const char *path, int (*fn)(const char *name, void *arg),
		 void *arg);

/**
 * nst_scan_list() - devices of a class, one after the other, for messages
 * @root: "" for this machine
 * @class_dir: each entry of which has its name in a file `name`
 * @describe: writes what to call one, or returns false to leave it out
 *
 * Opens no device. What does not fit is left out; "none" where there are none.
 */
void nst_scan_list(const char *root, const char *class_dir,
		   bool (*describe)(const char *node, const char *name,
				    char *text, size_t size),
		   char *buf, size_t size);

#endif /* NST_SCAN_H */
