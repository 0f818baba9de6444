/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * farnode.h - devices that a task can move to: DRM render and accel nodes
 *
 * Found in /sys/class/drm and /sys/class/accel. The number in a node's name
 * is the order of probing and changes; driver and bus address do not, and
 * are what a profile should name.
 */
#ifndef NST_FARNODE_H
#define NST_FARNODE_H

#include <stdbool.h>
#include <stddef.h>

#define NST_FARNODE_MAX 16
#define NST_FARNODE_NAME_LEN 32
#define NST_FARNODE_BUS_LEN 64
#define NST_FARNODE_PATH_LEN 256
#define NST_FARNODE_SIBLINGS 4

/**
 * struct nst_farnode - one node
 * @name: renderD128, accel0
 * @path: what a program opens, without the root
 * @driver: of the device; its own name where it has none (vgem)
 * @bus: "pci-0000:03:00.0", "platform-fde60000.gpu"
 * @sys: directory of the device in sysfs, with the root
 * @sibling: names of all DRM and accel nodes of the device, "" behind the last
 */
struct nst_farnode {
	char name[NST_FARNODE_NAME_LEN];
	char path[NST_FARNODE_NAME_LEN + 16];
	char driver[NST_FARNODE_NAME_LEN];
	char bus[NST_FARNODE_BUS_LEN];
	char sys[NST_FARNODE_PATH_LEN];
	char sibling[NST_FARNODE_SIBLINGS][NST_FARNODE_NAME_LEN];
	bool accel;
};

/**
 * nst_farnode_list() - what is there, in order of name
 * @root: "" for the real tree
 * Return: how many of @max were filled.
 */
size_t nst_farnode_list(const char *root, struct nst_farnode *ret, size_t max);

/**
 * nst_farnode_find() - by selector
 * @selector: /dev/dri/renderD128 or /dev/accel/accel0, driver:NAME, bus:NAME
 * Return: 0; -ENODEV none; -ENOTUNIQ more than one; -EINVAL another form.
 */
int nst_farnode_find(const char *root, const char *selector,
		     struct nst_farnode *ret);

/** nst_farnode_check() - is a selector of one of the forms? */
bool nst_farnode_check(const char *selector);

/** nst_farnode_names() - "renderD128 (amdgpu, pci-0000:03:00.0), ..." */
void nst_farnode_names(const char *root, char *buf, size_t size);

#endif /* NST_FARNODE_H */
