// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-of.c - a stack that a device tree describes
 *
 * For tests: a tree with a node "nst,sim" makes a board of a kernel that has
 * none. The stack's own properties are a few of those that configfs has:
 *
 *	label				its name (else that of the node)
 *	nst,attach			"cci" or "mcu"
 *	nst,clock			"real" (default) or "step"
 *	nst,sensor-model		with cci (default "imx477")
 *	nst,sensor-addr, nst,bus-hz, nst,owner-autosuspend-ms
 *	nst,gate-by			"gpio" (default), "dnn" or "none"
 *	nst,supply			the VPU has a supply, line 3
 *	nst,thermometer			with cci: an MLX90614 is on the bus, at 0x5a
 *	nst,vpu, nst,metadata, nst,scene-input, nst,scene-card
 *					as the attributes of these names
 *	nst,frame-period-us, nst,ambient-millicelsius, nst,max-millicelsius
 *
 * The node is the GPIO and interrupt controller, its child "i2c" the bus, and
 * the children of that its clients. Providers have nodes of their own.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/property.h>
#include <linux/string.h>

#include "nst-sim.h"

/* What may stand in a u32 of the tree, as the attributes of configfs. */
static const struct {
	const char *name;
	size_t offset;
	s64 min;
	s64 max;
} numbers[] = {
	{ "nst,sensor-addr", offsetof(struct nst_sim_config, sensor_addr),
	  0x08, 0x77 },
	{ "nst,bus-hz", offsetof(struct nst_sim_config, bus_hz), 0, 3400000 },
	{ "nst,owner-autosuspend-ms",
	  offsetof(struct nst_sim_config, owner_delay_ms), 0, 600000 },
	{ "nst,frame-period-us",
	  offsetof(struct nst_sim_config, frame_period_us),
	  NST_FRAME_PERIOD_MIN_US, NST_FRAME_PERIOD_MAX_US },
	{ "nst,ambient-millicelsius",
	  offsetof(struct nst_sim_config, ambient_mc),
	  NST_TEMP_MIN_MC, NST_TEMP_MAX_MC },
	{ "nst,max-millicelsius",
	  offsetof(struct nst_sim_config, max_temp_mc),
	  NST_TEMP_MIN_MC, NST_TEMP_MAX_MC },
};

/* What is there or not. */
static const struct {
	const char *name;
	size_t offset;
} flags[] = {
	{ "nst,supply", offsetof(struct nst_sim_config, supply) },
	{ "nst,thermometer", offsetof(struct nst_sim_config, thermometer) },
	{ "nst,vpu", offsetof(struct nst_sim_config, vpu) },
	{ "nst,metadata", offsetof(struct nst_sim_config, metadata) },
	{ "nst,scene-input", offsetof(struct nst_sim_config, scene_input) },
	{ "nst,scene-card", offsetof(struct nst_sim_config, scene.card) },
};

static void read_flags(struct device *dev, struct nst_sim_config *config)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		*(u32 *)((char *)config + flags[i].offset) =
			device_property_read_bool(dev, flags[i].name);
}

static int read_numbers(struct device *dev, struct nst_sim_config *config)
{
	unsigned int i;
	s64 n;
	u32 value;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (device_property_read_u32(dev, numbers[i].name, &value))
			continue;
		n = numbers[i].min < 0 ? (s32)value : (s64)value;
		if (n < numbers[i].min || n > numbers[i].max)
			return dev_err_probe(dev, -EINVAL,
					     "%s %lld: not in %lld to %lld\n",
					     numbers[i].name, n,
					     numbers[i].min, numbers[i].max);
		*(u32 *)((char *)config + numbers[i].offset) = value;
	}
	return 0;
}

/* A name out of a list; what is absent stays. */
static int read_name(struct device *dev, const char *property,
		     const char *const *names, unsigned int count, u32 *ret)
{
	const char *text;
	int i;

	if (device_property_read_string(dev, property, &text))
		return 0;
	i = match_string(names, count, text);
	if (i < 0)
		return dev_err_probe(dev, -EINVAL, "%s \"%s\": unknown\n",
				     property, text);
	*ret = (u32)i;
	return 0;
}

static int read_model(struct device *dev, struct nst_sim_config *config)
{
	char valid[256] = "";
	const char *text;
	int model;

	if (device_property_read_string(dev, "nst,sensor-model", &text))
		return 0;
	model = nst_sim_bus_model(text);
	if (model < 0) {
		nst_sim_bus_model_list(valid, sizeof(valid));
		return dev_err_probe(dev, -EINVAL,
				     "nst,sensor-model \"%s\": one of %s\n",
				     text, valid);
	}
	config->model = (u32)model;
	return 0;
}

int nst_sim_of_config(struct device *dev, struct nst_sim_config *config)
{
	const char *label;
	ssize_t len;
	int err;

	*config = nst_sim_config_default;
	config->attach = NST_SIM_ATTACH_CCI;
	read_flags(dev, config);
	if (device_property_read_string(dev, "label", &label))
		label = dev_name(dev);
	len = strscpy(config->name, label, sizeof(config->name));
	if (len <= 0)
		return dev_err_probe(dev, -EINVAL,
				     "label \"%s\": 1 to %zu characters\n",
				     label, sizeof(config->name) - 1);
	err = read_name(dev, "nst,attach", nst_sim_attach_names,
			NST_SIM_ATTACH_COUNT, &config->attach);
	if (!err)
		err = read_name(dev, "nst,clock", nst_sim_clock_names,
				NST_SIM_CLOCK_COUNT, &config->clock);
	if (!err)
		err = read_name(dev, "nst,gate-by", nst_sim_gate_by_names,
				NST_SIM_GATE_BY_COUNT, &config->gate_by);
	if (!err)
		err = read_model(dev, config);
	if (!err)
		err = read_numbers(dev, config);
	return err ? err : nst_sim_config_check(config);
}
