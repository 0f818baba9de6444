/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* nstdev.h - a device behind /dev/nstN, see backend.h */
#ifndef NST_NSTDEV_H
#define NST_NSTDEV_H

#include "backend.h"

#define NST_NSTDEV_PATH_LEN 128

struct nst_nstdev {
	struct nst_dev dev;
	int fd;
	u32 caps;
	char sys[NST_NSTDEV_PATH_LEN];	/* root/sys/class/nst/nstN */
	struct nst_dev_info info;
};

/**
 * nst_nstdev_open() - find a device and open it
 * @root: prefix of /sys and /dev, "" for the real ones
 * @selector: the `name` attribute of the device; else, for convenience,
 *	nstN or /dev/nstN, which is looked up once: ask info() for the name
 *	to find it again by
 * Numbers change from boot to boot, so a name wins over a number.
 *
 * Return: 0; -ENODEV when there is none; -EACCES, -EPERM; -EPROTO when the
 * driver speaks another version of the interface.
 */
int nst_nstdev_open(struct nst_nstdev *d, const char *root,
		    const char *selector);

/**
 * nst_nstdev_list() - "name (nstN)" of every device, for messages
 * Cut where @buf ends; "none" when there is none.
 */
void nst_nstdev_list(const char *root, char *buf, size_t size);

#endif /* NST_NSTDEV_H */
