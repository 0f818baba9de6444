// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-owner.c - the driver that owns an emulated sensor
 *
 * As a vendor's: binds to the sensor's address by the name of the part, powers
 * it by runtime PM with autosuspend, starts and stops it when somebody
 * streams. With config.owner_pm 0 it has no runtime PM, and the sensor is on
 * from probe to remove. Registers go to the sensor directly and not over the wire, so that
 * what the wire counts is what others do; the firmware of an IMX500 goes over it
 * and is counted apart (nst-sim-upload.c). unbind and bind of sysfs work at any
 * time; a stream goes on without its sensor then, as on a board.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/pm_runtime.h>

#include "nst-sim-bus.h"

#if NST_SIM_HAS_BUS

/* -------------------------------------------------------------- streams */

/* With owner.lock held and the driver bound. */
static void owner_start(struct nst_sim *sim)
{
	struct nst_sim_owner *owner = &sim->bus->owner;
	int err;

	err = sim->config.owner_pm ? pm_runtime_get_sync(owner->dev) : 0;
	if (err < 0) {
		dev_err(owner->dev, "no power: %d\n", err);
		pm_runtime_put_noidle(owner->dev);
		return;
	}
	owner->active = true;
	mutex_lock(&sim->lock);
	nst_sim_chip_stream(sim, true);
	mutex_unlock(&sim->lock);
}

static void owner_stop(struct nst_sim *sim)
{
	struct nst_sim_owner *owner = &sim->bus->owner;

	if (!owner->active)
		return;
	owner->active = false;
	mutex_lock(&sim->lock);
	nst_sim_chip_stream(sim, false);
	mutex_unlock(&sim->lock);
	if (!sim->config.owner_pm)
		return;
	pm_runtime_mark_last_busy(owner->dev);
	pm_runtime_put_autosuspend(owner->dev);
}

void nst_sim_owner_use(struct nst_sim *sim, bool on)
{
	struct nst_sim_owner *owner;

	if (!sim->bus)
		return;
	owner = &sim->bus->owner;
	mutex_lock(&owner->lock);
	if (on) {
		if (!owner->users++ && owner->dev)
			owner_start(sim);
	} else if (!WARN_ON(!owner->users)) {
		if (!--owner->users && owner->dev)
			owner_stop(sim);
	}
	mutex_unlock(&owner->lock);
}

void nst_sim_set_owner_active(struct nst_sim *sim, bool on)
{
	mutex_lock(&sim->active_lock);
	if (sim->owner_active != on)
		nst_sim_owner_use(sim, on);
	WRITE_ONCE(sim->owner_active, on);
	mutex_unlock(&sim->active_lock);
}

/* ----------------------------------------------------------- runtime PM */

static int __maybe_unused owner_power(struct device *dev, bool on)
{
	struct nst_sim *sim = dev_get_drvdata(dev);
	int err = 0;

	mutex_lock(&sim->lock);
	nst_sim_now_locked(sim);
	if (on)
		sim->bus->count.owner_resumes++;
	else
		sim->bus->count.owner_suspends++;
	nst_sim_chip_power(sim, on);
	/* Drivers look for the identity first: nobody answers. */
	if (on && !sim->bus->chip.powered)
		err = -ENXIO;
	/* The system slept in the middle of a stream. */
	else if (on && sim->bus->owner.active)
		nst_sim_chip_stream(sim, true);
	mutex_unlock(&sim->lock);
	return err;
}

static int __maybe_unused owner_suspend(struct device *dev)
{
	return owner_power(dev, false);
}

static int __maybe_unused owner_resume(struct device *dev)
{
	return owner_power(dev, true);
}

static const struct dev_pm_ops owner_pm = {
	SET_SYSTEM_SLEEP_PM_OPS(pm_runtime_force_suspend,
				pm_runtime_force_resume)
	SET_RUNTIME_PM_OPS(owner_suspend, owner_resume, NULL)
};

/* --------------------------------------------------------------- driver */

static void owner_gone(void *data)
{
	struct nst_sim *sim = data;
	struct nst_sim_owner *owner = &sim->bus->owner;
	struct device *dev = owner->dev;

	mutex_lock(&owner->lock);
	owner_stop(sim);
	owner->dev = NULL;
	mutex_unlock(&owner->lock);
	cancel_delayed_work_sync(&owner->upload_work);

	if (!sim->config.owner_pm) {
		owner_power(dev, false);
		return;
	}
	pm_runtime_disable(dev);
	pm_runtime_dont_use_autosuspend(dev);
	if (!pm_runtime_status_suspended(dev))
		owner_power(dev, false);
	pm_runtime_set_suspended(dev);
}

static int owner_probe(struct i2c_client *client)
{
	struct nst_sim *sim = nst_sim_wire_sim(client->adapter);
	struct nst_sim_owner *owner;
	struct device *dev = &client->dev;
	int err;

	/* Only the sensor that is there, not a name typed into new_device. */
	if (!sim || client->addr != sim->config.sensor_addr ||
	    !sim->bus->target[client->addr])
		return -ENODEV;
	owner = &sim->bus->owner;
	dev_set_drvdata(dev, sim);
	err = owner_power(dev, true);
	if (err)
		return err;
	if (sim->config.owner_pm) {
		pm_runtime_set_active(dev);
		pm_runtime_get_noresume(dev);
		pm_runtime_enable(dev);
		pm_runtime_set_autosuspend_delay(dev,
						 (int)sim->config.owner_delay_ms);
		pm_runtime_use_autosuspend(dev);
	}

	mutex_lock(&owner->lock);
	owner->dev = dev;
	owner->client = client;
	if (owner->users)
		owner_start(sim);
	mutex_unlock(&owner->lock);
	if (sim->config.owner_pm) {
		pm_runtime_mark_last_busy(dev);
		pm_runtime_put_autosuspend(dev);
	}
	return devm_add_action_or_reset(dev, owner_gone, sim);
}

/* As the names of the models, which is how a board names the parts. */
static const struct i2c_device_id owner_ids[] = {
	{ "imx477" }, { "imx708" }, { "imx500" }, { "imx296" }, { "imx219" },
	{ "ar0144" }, { "ar0234" }, { "ar0331" }, { "ar0231" }, { "ov48b" },
	{ "ox03c10" }, { "s5kjn1" }, { "vd56g3" }, { "ov9281" },
	{ }
};

static struct i2c_driver owner_driver = {
	.driver = {
		.name = "nst-sim-sensor",
		.pm = &owner_pm,
		.probe_type = PROBE_FORCE_SYNCHRONOUS,
	},
	.nst_i2c_probe = owner_probe,
	.id_table = owner_ids,
};

int nst_sim_owner_register(void)
{
	return i2c_add_driver(&owner_driver);
}

void nst_sim_owner_unregister(void)
{
	i2c_del_driver(&owner_driver);
}

int nst_sim_owner_bind(struct nst_sim *sim, bool on)
{
	struct i2c_client *client;
	int err = 0;

	if (!sim->bus)
		return -EOPNOTSUPP;
	client = sim->bus->owner.client;
	if (!client)
		return -ENODEV;
	if (on)
		err = device_attach(&client->dev);
	else
		device_release_driver(&client->dev);
	return err < 0 ? err : 0;
}

#endif /* NST_SIM_HAS_BUS */
