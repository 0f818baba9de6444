// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* hardware.c - real devices, one place in memory per slot; see hardware.h */
#include <errno.h>

#include "hardware.h"
#include "nstdev.h"
#include "v4l2.h"
#include "v4l2_subdev.h"

static const char *hardware_root = "";
static struct nst_nstdev devices[NST_PROFILE_SENSORS_MAX];
static struct nst_v4l2 cameras[NST_PROFILE_SENSORS_MAX];
static struct nst_subdev subdevs[NST_PROFILE_SENSORS_MAX];
/* The nodes among which the camera was looked for in vain, 0 for none. */
static u64 searched[NST_PROFILE_SENSORS_MAX];

static int open_device(void *arg, unsigned int slot, const char *selector,
		       struct nst_dev **ret)
{
	int r;

	(void)arg;
	r = nst_nstdev_open(&devices[slot], hardware_root, selector);
	if (!r)
		*ret = &devices[slot].dev;
	return r;
}

static int open_camera(void *arg, unsigned int slot, const char *selector,
		       struct nst_cam **ret)
{
	u64 nodes = nst_v4l2_nodes(hardware_root, selector);
	int r;

	(void)arg;
	if (searched[slot] == nodes)
		return -ENODEV;
	if (nst_subdev_selected(selector)) {
		r = nst_subdev_open(&subdevs[slot], hardware_root, selector);
		if (!r)
			*ret = &subdevs[slot].cam;
	} else {
		r = nst_v4l2_open(&cameras[slot], hardware_root, selector);
		if (!r)
			*ret = &cameras[slot].cam;
	}
	searched[slot] = r == -ENODEV ? nodes : 0;
	return r;
}

static void list_devices(void *arg, char *buf, size_t size)
{
	(void)arg;
	nst_nstdev_list(hardware_root, buf, size);
}

struct nst_env nst_hardware_env(const char *root, bool dry_run)
{
	hardware_root = root;
	return (struct nst_env){
		.open_device = open_device,
		.open_camera = open_camera,
		.list_devices = list_devices,
		.root = root,
		.host = true,
		.dry_run = dry_run,
	};
}
