// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* hardware.c - real devices, one place in memory per slot; see hardware.h */
#include <errno.h>
#include <string.h>

#include "gatedev.h"
#include "hardware.h"
#include "nstdev.h"
#include "v4l2.h"
#include "v4l2_subdev.h"

static const char *hardware_root = "";
static struct nst_nstdev devices[NST_PROFILE_SENSORS_MAX];
static struct nst_gatedev gated[NST_PROFILE_SENSORS_MAX];
static struct nst_gatedev_config lines[NST_PROFILE_SENSORS_MAX];
static char whys[NST_PROFILE_SENSORS_MAX][192];
static struct nst_v4l2 cameras[NST_PROFILE_SENSORS_MAX];
static struct nst_subdev subdevs[NST_PROFILE_SENSORS_MAX];
/* The nodes among which the camera was looked for in vain, 0 for none. */
static u64 searched[NST_PROFILE_SENSORS_MAX];

static void prepare(void *arg, unsigned int slot,
		    const struct nst_profile_sensor *s)
{
	struct nst_gatedev_config *c = &lines[slot];

	(void)arg;
	memcpy(c->gate_line, s->gate_line, sizeof(s->gate_line));
	memcpy(c->strobe_line, s->strobe_line, sizeof(s->strobe_line));
	c->gate_active_low = s->gate_active_low;
	c->strobe_active_low = s->strobe_active_low;
}

static int open_device(void *arg, unsigned int slot, const char *selector,
		       struct nst_dev **ret)
{
	int r;

	(void)arg;
	whys[slot][0] = '\0';
	r = nst_nstdev_open(&devices[slot], hardware_root, selector);
	if (r)
		return r;
	*ret = &devices[slot].dev;
	if (!lines[slot].gate_line[0])
		return 0;
	r = nst_gatedev_open(&gated[slot], *ret, hardware_root, &lines[slot],
			     whys[slot], sizeof(whys[slot]));
	if (!r)
		*ret = &gated[slot].dev;
	return r;
}

static const char *why(void *arg, unsigned int slot)
{
	(void)arg;
	return whys[slot];
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
		.prepare = prepare,
		.open_device = open_device,
		.why = why,
		.open_camera = open_camera,
		.list_devices = list_devices,
		.root = root,
		.host = true,
		.dry_run = dry_run,
	};
}
