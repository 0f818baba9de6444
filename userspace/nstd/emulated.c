// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* emulated.c - the environment of emulated stacks, see emulated.h */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "emulated.h"
#include "plantdev.h"

#define LATENCY_US 300
#define LEASE_MS 1000

static unsigned int emulated_scale;

static struct {
	struct nst_plantdev dev;
	char name[NST_DEV_NAME_LEN];
	struct nst_plantdev_config config;
	bool made;
} stacks[NST_PROFILE_SENSORS_MAX];

static void prepare(void *arg, unsigned int slot,
		    const struct nst_profile_sensor *s)
{
	struct nst_plantdev_config *c = &stacks[slot].config;

	(void)arg;
	if (stacks[slot].made)
		return;
	snprintf(stacks[slot].name, sizeof(stacks[slot].name), "%s",
		 s->device);
	*c = (struct nst_plantdev_config){
		.name = stacks[slot].name,
		.params = s->plant,
		.ambient_mc = s->ambient_mc,
		.near_mw = s->near_mw,
		.gated_mw = s->capture_mw,
		.frame_period_us = 33333,
		.exposure_us = s->light.exposure_us,
		.readout_us = s->readout_us,
		.doubling_mc = s->doubling_mc,
		.latency_us = LATENCY_US,
		.sensor_lsb_mc = s->observer.lsb_mc,
		.lease_ms = LEASE_MS,
		.clock_scale = emulated_scale,
		.thr = {
			.high_mc = s->max_temp_mc,
			.low_mc = s->max_temp_mc - 20000,
			.capture_mc = NST_TEMP_NONE_MC,
			.max_mc = s->max_temp_mc,
		},
	};
}

static int open_device(void *arg, unsigned int slot, const char *selector,
		       struct nst_dev **ret)
{
	(void)arg;
	if (strcmp(selector, stacks[slot].name))
		return -ENODEV;
	if (!stacks[slot].made) {
		int r = nst_plantdev_init(&stacks[slot].dev,
					  &stacks[slot].config);

		if (r)
			return r;
		stacks[slot].made = true;
	}
	return nst_plantdev_open(&stacks[slot].dev, ret);
}

static int open_camera(void *arg, unsigned int slot, const char *selector,
		       struct nst_cam **ret)
{
	(void)arg;
	(void)slot;
	(void)selector;
	(void)ret;
	return -ENODEV;
}

static void list_devices(void *arg, char *buf, size_t size)
{
	(void)arg;
	snprintf(buf, size, "emulated ones only");
}

struct nst_env nst_emulated_env(unsigned int scale, bool dry_run)
{
	emulated_scale = scale;
	return (struct nst_env){
		.prepare = prepare,
		.open_device = open_device,
		.open_camera = open_camera,
		.list_devices = list_devices,
		.dry_run = dry_run,
	};
}
