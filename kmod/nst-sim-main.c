// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-main.c - emulated stacked sensors: module, devices, lifetime
 *
 * Every stack is a platform device of its own, made by configfs or by the
 * module parameters, so that it can be unbound and bound again like any
 * other. Memory of a bound stack belongs to its V4L2 device: it goes when
 * the driver is unbound and the last file of the camera is closed.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "nst-sim.h"
#include "uapi/nst.h"

#define STACKS_MAX	8
/* A block at 1 kHz takes a third of a second, in which nothing can end it. */
#define BUS_MIN_HZ	1000
#define BRIDGE_ADDR	0x40

static unsigned int stacks = 1;
module_param(stacks, uint, 0444);
MODULE_PARM_DESC(stacks, "stacks made at load, sim0 and up to seven more (default 1)");

static char *clock = "real";
module_param(clock, charp, 0444);
MODULE_PARM_DESC(clock, "their clock: real, scaled or step (default real)");

static unsigned int clock_scale = 1;
module_param(clock_scale, uint, 0444);
MODULE_PARM_DESC(clock_scale, "device time over real time with clock=scaled, 1 to 64 (default 1)");

static unsigned long long seed = 1;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "of scene, fixed pattern and noise (default 1)");

static bool vpu;
module_param(vpu, bool, 0444);
MODULE_PARM_DESC(vpu, "their vision processors can be used (default no)");

static bool metadata;
module_param(metadata, bool, 0444);
MODULE_PARM_DESC(metadata, "they have a node with a record beside each frame (default no)");

static bool scene_input;
module_param(scene_input, bool, 0444);
MODULE_PARM_DESC(scene_input, "they have a node for frames in the place of the scene (default no)");

/* ------------------------------------------------------- configuration */

const char *const nst_sim_clock_names[NST_SIM_CLOCK_COUNT] = {
	[NST_SIM_CLOCK_REAL] = "real",
	[NST_SIM_CLOCK_SCALED] = "scaled",
	[NST_SIM_CLOCK_STEP] = "step",
};

const char *const nst_sim_attach_names[NST_SIM_ATTACH_COUNT] = {
	[NST_SIM_ATTACH_DIRECT] = "direct",
	[NST_SIM_ATTACH_CCI] = "cci",
	[NST_SIM_ATTACH_MCU] = "mcu",
};

const char *const nst_sim_gate_by_names[NST_SIM_GATE_BY_COUNT] = {
	[NST_SIM_GATE_BY_NONE] = "none",
	[NST_SIM_GATE_BY_GPIO] = "gpio",
	[NST_SIM_GATE_BY_DNN] = "dnn",
};

/* The reference stack: thermal and noise figures are calibrated. */
const struct nst_sim_config nst_sim_config_default = {
	.tell_frames = 1,
	.gate_at_time = 1,
	.attach = NST_SIM_ATTACH_DIRECT,
	.bus_hz = 400000,
	.bus_blocks = 1,
	.sensor_addr = 0x1a,
	.gate_by = NST_SIM_GATE_BY_GPIO,
	.run_depth = NST_GATE_STANDBY,
	.owner_pm = 1,
	.owner_delay_ms = 1000,
	.owner_enables = 1,
	/* raspberrypi/linux issue 7613: it hangs after 20 to 25. */
	.bridge_life = 20,
	.upload_ms = 50,
	/* A block of 8 KiB at the 5 Mbit/s of the fast transfer. */
	.upload_lock_ms = 13,
	.vpu_busy_us = 5000,
	.noise = 1,
	.clock = NST_SIM_CLOCK_REAL,
	.clock_scale = 1,
	.seed = 1,
	.frame_period_us = 33333,
	.readout_us = 1000,
	.width = 640,
	.height = 480,
	.ambient_mc = 26400,
	.hot_start_mc = NST_TEMP_NONE_MC,
	.power_mw = {
		[NST_GATE_RUN] = 2500,
		[NST_GATE_STANDBY] = 100,
		[NST_GATE_CLEARED] = 90,
		[NST_GATE_OFF] = 0,
	},
	.params = {
		.r_jp_mk_per_w = 5500,
		.r_pa_mk_per_w = 28500,
		.c_j_uj_per_k = 909,
		.c_p_uj_per_k = 700000,
	},
	.max_temp_mc = 105000,
	.rail_low_mc = -40000,
	.rail_high_mc = 150000,
	.scene = {
		.objects = 4,
		.speed_mpx = 1500,
		.contrast_permille = 100,
	},
	.sensor = {
		.doubling_mc = 7000,
		.dark_e_per_s_60c = 244,
		.read_noise_me = 2700,
		.full_well_e = 7900,
		.prnu_permyriad = 100,
		.dsnu_permyriad = 1000,
		.hot_ppm = 1000,
	},
};

int nst_sim_config_check(const struct nst_sim_config *c)
{
	unsigned int g;
	int err;

	if (c->clock != NST_SIM_CLOCK_SCALED && c->clock_scale != 1) {
		pr_err("nst-sim: %s: clock_scale is for clock scaled\n",
		       c->name);
		return -EINVAL;
	}
	err = nst_plant_params_check(&c->params);
	if (err) {
		pr_err("nst-sim: %s: these r_* and c_* are no stack: die at least 20 times lighter than package\n",
		       c->name);
		return err;
	}
	for (g = 1; g < NST_GATE_COUNT; g++) {
		if (c->power_mw[g] <= c->power_mw[g - 1])
			continue;
		pr_err("nst-sim: %s: power_%s_mw is above power_%s_mw\n",
		       c->name, nst_gate_name(g), nst_gate_name(g - 1));
		return -EINVAL;
	}
	if (c->attach != NST_SIM_ATTACH_DIRECT &&
	    c->clock == NST_SIM_CLOCK_SCALED) {
		pr_err("nst-sim: %s: attach %s is for clock real and step: drivers on a bus know no other time\n",
		       c->name, nst_sim_attach_names[c->attach]);
		return -EINVAL;
	}
	if (c->attach != NST_SIM_ATTACH_DIRECT && !NST_SIM_HAS_BUS) {
		pr_err("nst-sim: %s: attach %s needs a kernel with I2C and GPIOLIB\n",
		       c->name, nst_sim_attach_names[c->attach]);
		return -EOPNOTSUPP;
	}
	if (c->bus_hz && c->bus_hz < BUS_MIN_HZ) {
		pr_err("nst-sim: %s: bus_hz is 0, or at least %d\n", c->name,
		       BUS_MIN_HZ);
		return -EINVAL;
	}
	if (c->attach == NST_SIM_ATTACH_CCI && c->sensor_addr == BRIDGE_ADDR &&
	    !strcmp(nst_sim_bus_model_name(c->model), "imx500")) {
		pr_err("nst-sim: %s: sensor_addr 0x%02x is that of the bridge of an imx500\n",
		       c->name, BRIDGE_ADDR);
		return -EINVAL;
	}
	if (c->attach == NST_SIM_ATTACH_CCI &&
	    c->gate_by == NST_SIM_GATE_BY_DNN &&
	    strcmp(nst_sim_bus_model_name(c->model), "imx500")) {
		pr_err("nst-sim: %s: gate dnn is for sensor_model imx500\n",
		       c->name);
		return -EINVAL;
	}
	if (c->rail_low_mc >= c->rail_high_mc) {
		pr_err("nst-sim: %s: rail_low_mc is not below rail_high_mc\n",
		       c->name);
		return -EINVAL;
	}
	return 0;
}

/* ------------------------------------------------------------- the pool */

static struct nst_sim_pool *pool;

const struct nst_sim_pool *nst_sim_shared_pool(void)
{
	return pool;
}

/* ---------------------------------------------------------------- names */

/* Names of the stacks there are. */
struct sim_entry {
	struct list_head node;
	struct platform_device *pdev;
	char name[NST_SIM_NAME_LEN];
};

static DEFINE_MUTEX(entries_lock);
static LIST_HEAD(entries);

static bool name_taken(const char *name)
{
	struct sim_entry *entry;

	list_for_each_entry(entry, &entries, node)
		if (!strcmp(entry->name, name))
			return true;
	return false;
}

static struct sim_entry *entry_add(struct platform_device *pdev,
				   const char *name)
{
	struct sim_entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);

	if (!entry)
		return NULL;
	entry->pdev = pdev;
	strscpy(entry->name, name, sizeof(entry->name));
	list_add_tail(&entry->node, &entries);
	return entry;
}

static void entry_remove(struct platform_device *pdev)
{
	struct sim_entry *entry;

	list_for_each_entry(entry, &entries, node) {
		if (entry->pdev != pdev)
			continue;
		list_del(&entry->node);
		kfree(entry);
		return;
	}
}

static void of_name_drop(void *dev)
{
	mutex_lock(&entries_lock);
	entry_remove(to_platform_device(dev));
	mutex_unlock(&entries_lock);
}

/* Nodes of a tree may have names that somebody else has. */
static int of_name_take(struct device *dev, const char *name)
{
	int err = -ENOMEM;

	mutex_lock(&entries_lock);
	if (name_taken(name))
		err = -EEXIST;
	else if (entry_add(to_platform_device(dev), name))
		err = 0;
	mutex_unlock(&entries_lock);
	if (err)
		return dev_err_probe(dev, err, "the name %s\n", name);
	return devm_add_action_or_reset(dev, of_name_drop, dev);
}

/* --------------------------------------------------------------- driver */

static int register_core(struct nst_sim *sim)
{
	const struct nst_sim_config *c = &sim->config;
	struct nst_desc desc = {
		.name = c->name,
		.provider = "nst-sim",
		.model = "stacked-reference",
		.caps = NST_CAP_GATE_STANDBY | NST_CAP_GATE_CLEARED |
			NST_CAP_GATE_OFF | NST_CAP_POWER | NST_CAP_TIMING_RW |
			(c->gate_at_time ? NST_CAP_GATE_AT_TIME : 0),
		.channels = NST_SIM_CHANNELS,
		.labels = { "die", "vpu", "dram" },
		.params = c->params,
		.ambient_mc = c->ambient_mc,
		.max_temp_mc = c->max_temp_mc,
		.sensor_lsb_mc = c->sensor_lsb_mc,
		.sensor_noise_mc = c->sensor_noise_mc,
		.frame_source = c->tell_frames ? NST_UFRAMES_PROVIDER :
						 NST_UFRAMES_NONE,
		.timing = {
			.frame_period_us = sim->period_us,
			.exposure_us = sim->setting.exposure_us,
			.readout_us = c->readout_us,
		},
	};
	struct nst *nst;
	unsigned int g;

	for (g = 0; g < NST_GATE_COUNT; g++) {
		desc.gate_power_mw[g] = c->power_mw[g];
		if (g == NST_GATE_RUN)
			continue;
		desc.gate_enter_us[g] = c->gate_enter_us;
		desc.gate_exit_us[g] = c->gate_exit_us;
	}
	nst = nst_register(sim->dev, &desc, &nst_sim_ops, sim);
	if (IS_ERR(nst))
		return PTR_ERR(nst);
	sim->nst = nst;
	return 0;
}

/* What programs open. */
static int nodes_register(struct nst_sim *sim)
{
	int err;

	err = nst_sim_vpu_register(sim);
	if (!err)
		err = nst_sim_camera_register(sim);
	if (!err)
		err = nst_sim_meta_register(sim);
	if (!err)
		err = nst_sim_input_register(sim);
	return err;
}

/* Also of those that did not all come. */
static void nodes_unregister(struct nst_sim *sim)
{
	nst_sim_camera_unregister(sim);
	nst_sim_meta_unregister(sim);
	nst_sim_input_unregister(sim);
	nst_sim_vpu_unregister(sim);
}

static void sim_remove(void *data)
{
	struct nst_sim *sim = data;

	nst_sim_debugfs_remove(sim);
	nst_sim_bus_depopulate(sim);
	nodes_unregister(sim);
	nst_sim_stack_stop(sim);
	if (sim->nst)
		nst_unregister(sim->nst);
	nst_sim_bus_free(sim);
	/* What the VPU's task is still at. */
	nst_sim_camera_flush(sim);
	v4l2_device_put(&sim->camera.v4l2_dev);
}

/* A device of ours has its configuration with it, and its name is taken. */
static int read_config(struct device *dev, struct nst_sim_config *ret)
{
	const struct nst_sim_config *config = dev_get_platdata(dev);
	int err;

	if (config) {
		*ret = *config;
		return 0;
	}
	err = nst_sim_of_config(dev, ret);
	return err ? err : of_name_take(dev, ret->name);
}

static int sim_probe(struct platform_device *pdev)
{
	struct nst_sim *sim;
	int err;

	sim = kzalloc(sizeof(*sim), GFP_KERNEL);
	if (!sim)
		return -ENOMEM;
	err = read_config(&pdev->dev, &sim->config);
	if (err) {
		kfree(sim);
		return err;
	}
	sim->dev = &pdev->dev;
	mutex_init(&sim->lock);
	mutex_init(&sim->active_lock);
	init_waitqueue_head(&sim->wake);
	init_waitqueue_head(&sim->idle);

	err = nst_sim_camera_init(sim);
	if (err) {
		kfree(sim);
		return err;
	}
	err = nst_sim_stack_init(sim);
	if (err)
		goto err_put;
	if (sim->config.attach == NST_SIM_ATTACH_DIRECT)
		err = register_core(sim);
	else
		err = nst_sim_bus_make(sim);
	if (err)
		goto err_put;
	/* Streaming on the step clock waits for the worker. */
	err = nst_sim_stack_start(sim);
	if (err)
		goto err_unregister_core;
	err = nodes_register(sim);
	if (err)
		goto err_unregister_nodes;
	err = nst_sim_bus_populate(sim);
	if (err)
		goto err_unregister_nodes;
	nst_sim_debugfs_add(sim);
	platform_set_drvdata(pdev, sim);
	return devm_add_action_or_reset(&pdev->dev, sim_remove, sim);

err_unregister_nodes:
	nodes_unregister(sim);
	nst_sim_stack_stop(sim);
err_unregister_core:
	if (sim->nst)
		nst_unregister(sim->nst);
	nst_sim_bus_free(sim);
err_put:
	v4l2_device_put(&sim->camera.v4l2_dev);
	return err;
}

static const struct of_device_id sim_of_match[] = {
	{ .compatible = "nst,sim" },
	{ }
};
MODULE_DEVICE_TABLE(of, sim_of_match);

static struct platform_driver sim_driver = {
	.probe = sim_probe,
	.driver = {
		.name = "nst-sim",
		.of_match_table = sim_of_match,
		.probe_type = PROBE_FORCE_SYNCHRONOUS,
	},
};

/* -------------------------------------------------------------- devices */

static struct platform_device *make_device(const struct nst_sim_config *config)
{
	struct platform_device *pdev;
	int err;

	pdev = platform_device_alloc("nst-sim", PLATFORM_DEVID_AUTO);
	if (!pdev)
		return ERR_PTR(-ENOMEM);
	err = platform_device_add_data(pdev, config, sizeof(*config));
	if (!err)
		err = platform_device_add(pdev);
	if (err) {
		platform_device_put(pdev);
		return ERR_PTR(err);
	}
	if (!platform_get_drvdata(pdev)) {
		platform_device_unregister(pdev);
		return ERR_PTR(-ENODEV);
	}
	return pdev;
}

struct platform_device *nst_sim_create(const struct nst_sim_config *config)
{
	struct platform_device *pdev;
	int err;

	err = nst_sim_config_check(config);
	if (err)
		return ERR_PTR(err);

	mutex_lock(&entries_lock);
	pdev = name_taken(config->name) ? ERR_PTR(-EEXIST) :
					  make_device(config);
	if (!IS_ERR(pdev) && !entry_add(pdev, config->name)) {
		platform_device_unregister(pdev);
		pdev = ERR_PTR(-ENOMEM);
	}
	mutex_unlock(&entries_lock);
	return pdev;
}

void nst_sim_destroy(struct platform_device *pdev)
{
	mutex_lock(&entries_lock);
	entry_remove(pdev);
	platform_device_unregister(pdev);
	mutex_unlock(&entries_lock);
}

/* --------------------------------------------------------------- module */

static struct platform_device *loaded[STACKS_MAX];

static void unload_stacks(void)
{
	unsigned int i;

	for (i = 0; i < STACKS_MAX; i++) {
		if (loaded[i])
			nst_sim_destroy(loaded[i]);
		loaded[i] = NULL;
	}
}

static struct platform_device *load_stack(unsigned int i, u32 kind)
{
	struct platform_device *pdev;
	struct nst_sim_config *config;

	config = kmemdup(&nst_sim_config_default,
			 sizeof(nst_sim_config_default), GFP_KERNEL);
	if (!config)
		return ERR_PTR(-ENOMEM);
	config->clock = kind;
	config->clock_scale = clock_scale;
	config->seed = seed;
	config->vpu = vpu;
	config->metadata = metadata;
	config->scene_input = scene_input;
	snprintf(config->name, sizeof(config->name), "sim%u", i);
	pdev = nst_sim_create(config);
	kfree(config);
	return pdev;
}

static int load_stacks(void)
{
	struct platform_device *pdev;
	unsigned int i;
	int kind;

	kind = match_string(nst_sim_clock_names, NST_SIM_CLOCK_COUNT, clock);
	if (kind < 0) {
		pr_err("nst-sim: clock=%s: real, scaled or step\n", clock);
		return -EINVAL;
	}
	if (clock_scale < 1 || clock_scale > 64) {
		pr_err("nst-sim: clock_scale=%u: 1 to 64\n", clock_scale);
		return -EINVAL;
	}
	if (stacks > STACKS_MAX) {
		pr_err("nst-sim: stacks=%u: 0 to %u\n", stacks, STACKS_MAX);
		return -EINVAL;
	}
	for (i = 0; i < stacks; i++) {
		pdev = load_stack(i, (u32)kind);
		if (IS_ERR(pdev))
			return PTR_ERR(pdev);
		loaded[i] = pdev;
	}
	return 0;
}

static int __init nst_sim_init(void)
{
	int err;

	pool = kvmalloc(sizeof(*pool), GFP_KERNEL);
	if (!pool)
		return -ENOMEM;
	nst_sim_pool_init(pool);
	nst_sim_debugfs_root(true);

	err = nst_sim_buses_init();
	if (err)
		goto err_free_pool;
	err = platform_driver_register(&sim_driver);
	if (err)
		goto err_exit_buses;
	err = load_stacks();
	if (err)
		goto err_unload;
	err = nst_sim_configfs_register();
	if (err)
		goto err_unload;
	return 0;

err_unload:
	unload_stacks();
	platform_driver_unregister(&sim_driver);
err_exit_buses:
	nst_sim_buses_exit();
err_free_pool:
	nst_sim_debugfs_root(false);
	kvfree(pool);
	return err;
}

static void __exit nst_sim_exit(void)
{
	/* Every item of configfs holds the module, so none is left. */
	nst_sim_configfs_unregister();
	unload_stacks();
	platform_driver_unregister(&sim_driver);
	nst_sim_buses_exit();
	nst_sim_debugfs_root(false);
	kvfree(pool);
}

module_init(nst_sim_init);
module_exit(nst_sim_exit);

MODULE_DESCRIPTION("Emulated stacked image sensor for nst");
MODULE_LICENSE("GPL");
