// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-supply.c - the supply of an emulated VPU, as a regulator
 *
 * Made with config.supply where no device tree has one: a switch on the line
 * "supply", and the "vpu" supply of the companion. Kernels of distributions
 * seldom have a driver for that which a module could use.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/regulator/driver.h>
#include <linux/regulator/machine.h>
#include <linux/slab.h>

#include "nst-sim-bus.h"

#if NST_SIM_HAS_BUS

#if IS_REACHABLE(CONFIG_REGULATOR)

/* Belongs to the stack's device, which it outlives. */
struct nst_sim_supply {
	struct mutex lock;	/* guards @sim */
	struct nst_sim *sim;
	struct regulator_desc desc;
	struct regulator_init_data init;
	struct regulator_consumer_supply consumer;
	char name[32];
	char consumer_name[32];
};

static int supply_switch(struct regulator_dev *rdev, bool on)
{
	struct nst_sim_supply *supply = rdev_get_drvdata(rdev);
	int err = -ENODEV;

	mutex_lock(&supply->lock);
	if (supply->sim) {
		nst_sim_lines_drive(supply->sim, NST_SIM_LINE_SUPPLY, on);
		err = 0;
	}
	mutex_unlock(&supply->lock);
	return err;
}

static int supply_enable(struct regulator_dev *rdev)
{
	return supply_switch(rdev, true);
}

static int supply_disable(struct regulator_dev *rdev)
{
	return supply_switch(rdev, false);
}

static int supply_is_enabled(struct regulator_dev *rdev)
{
	struct nst_sim_supply *supply = rdev_get_drvdata(rdev);
	int on = -ENODEV;

	mutex_lock(&supply->lock);
	if (supply->sim)
		on = nst_sim_lines_level(supply->sim, NST_SIM_LINE_SUPPLY);
	mutex_unlock(&supply->lock);
	return on;
}

static const struct regulator_ops supply_ops = {
	.enable = supply_enable,
	.disable = supply_disable,
	.is_enabled = supply_is_enabled,
};

int nst_sim_supply_make(struct nst_sim *sim, const char *consumer)
{
	struct regulator_config config = { .dev = sim->dev };
	struct nst_sim_supply *supply;
	struct regulator_dev *rdev;

	supply = devm_kzalloc(sim->dev, sizeof(*supply), GFP_KERNEL);
	if (!supply)
		return -ENOMEM;
	mutex_init(&supply->lock);
	supply->sim = sim;
	snprintf(supply->name, sizeof(supply->name), "nst-sim-%s-vpu",
		 sim->config.name);
	strscpy(supply->consumer_name, consumer,
		sizeof(supply->consumer_name));
	supply->consumer.dev_name = supply->consumer_name;
	supply->consumer.supply = "vpu";
	supply->init.constraints.name = supply->name;
	supply->init.constraints.valid_ops_mask = REGULATOR_CHANGE_STATUS;
	supply->init.consumer_supplies = &supply->consumer;
	supply->init.num_consumer_supplies = 1;
	supply->desc.name = supply->name;
	supply->desc.type = REGULATOR_VOLTAGE;
	supply->desc.owner = THIS_MODULE;
	supply->desc.ops = &supply_ops;
	config.init_data = &supply->init;
	config.driver_data = supply;
	rdev = devm_regulator_register(sim->dev, &supply->desc, &config);
	if (IS_ERR(rdev))
		return PTR_ERR(rdev);
	sim->bus->supply = supply;
	return 0;
}

void nst_sim_supply_drop(struct nst_sim *sim)
{
	struct nst_sim_supply *supply = sim->bus->supply;

	if (!supply)
		return;
	sim->bus->supply = NULL;
	mutex_lock(&supply->lock);
	supply->sim = NULL;
	mutex_unlock(&supply->lock);
}

#else

int nst_sim_supply_make(struct nst_sim *sim, const char *consumer)
{
	pr_err("nst-sim: %s: supply needs a kernel with REGULATOR\n",
	       sim->config.name);
	return -EOPNOTSUPP;
}

void nst_sim_supply_drop(struct nst_sim *sim)
{
}

#endif

#endif /* NST_SIM_HAS_BUS */
