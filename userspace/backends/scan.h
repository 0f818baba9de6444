/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * scan.h - names in a directory, without allocation
 *
 * A device that vanished is looked for once a second by a daemon that does
 * not allocate, and opendir() does.
 */
#ifndef NST_SCAN_H
#define NST_SCAN_H

/**
 * nst_scan_dir() - call @fn for every name but "." and ".."
 * @fn: a value other than 0 ends the scan
 * Return: that value, 0 at the end, or a negative errno of opening.
 */
int nst_scan_dir(const char *path, int (*fn)(const char *name, void *arg),
		 void *arg);

#endif /* NST_SCAN_H */
