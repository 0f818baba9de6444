// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-cci-owner.c - the driver that owns the sensor: find it, stay behind it
 *
 * The owner is an I2C device with a driver of its own, named by a phandle, or
 * by a bus and an address where the tree that has the camera is not ours.
 * Until it is bound the companion's probe is deferred. A device link then
 * makes the driver core take the companion down before the owner, be it
 * unbound, removed, or gone with its adapter. nst_cci_owner_wait() puts the
 * companion back in the queue of deferred probes, so that it comes back with
 * the owner. The link has no part in runtime PM.
 *
 * The sensor is never woken. Where the owner has runtime PM, nobody but it
 * keeps the sensor on; a reference is taken only when there is one already.
 */
#include <linux/device.h>
#include <linux/of.h>
#include <linux/pm_runtime.h>
#include <linux/property.h>
#include <linux/slab.h>

#include "nst-cci.h"

#define ADDR_MIN 0x08
#define ADDR_MAX 0x77

/* ------------------------------------------------------------------ find */

struct by_addr {
	unsigned short addr;
	struct i2c_client *client;
};

static int match_addr(struct device *dev, void *data)
{
	struct i2c_client *client = i2c_verify_client(dev);
	struct by_addr *want = data;

	if (!client || client->addr != want->addr ||
	    client->flags & I2C_CLIENT_TEN)
		return 0;
	get_device(dev);
	want->client = client;
	return 1;
}

static int find_on_adapter(struct device *dev, struct i2c_adapter *adapter,
			   u32 addr, struct nst_cci_owner *owner)
{
	struct by_addr want = { .addr = (unsigned short)addr };

	device_for_each_child(&adapter->dev, &want, match_addr);
	if (!want.client)
		return dev_err_probe(dev, -EPROBE_DEFER,
				     "no device at %#x of %s yet\n", addr,
				     adapter->name);
	owner->client = want.client;
	return 0;
}

static int read_addr(struct device *dev, u32 *ret)
{
	u32 addr;

	if (device_property_read_u32(dev, "nst,sensor-addr", &addr))
		return dev_err_probe(dev, -EINVAL,
				     "nst,sensor-addr is missing: address of the sensor, %#x to %#x\n",
				     ADDR_MIN, ADDR_MAX);
	if (addr < ADDR_MIN || addr > ADDR_MAX)
		return dev_err_probe(dev, -EINVAL,
				     "nst,sensor-addr %#x is not within %#x to %#x\n",
				     addr, ADDR_MIN, ADDR_MAX);
	*ret = addr;
	return 0;
}

static int find_by_phandle(struct device *dev, struct nst_cci_owner *owner)
{
	struct device_node *node;
	struct i2c_client *client;
	int err = 0;

	node = of_parse_phandle(dev->of_node, "nst,sensor", 0);
	if (!node)
		return dev_err_probe(dev, -EINVAL,
				     "nst,sensor is no phandle of a sensor\n");
	client = of_find_i2c_device_by_node(node);
	if (client)
		owner->client = client;
	else
		err = dev_err_probe(dev, -EPROBE_DEFER,
				    "sensor %pOF is no I2C device yet\n",
				    node);
	of_node_put(node);
	return err;
}

static int find_by_bus(struct device *dev, struct nst_cci_owner *owner)
{
	struct i2c_adapter *adapter;
	struct device_node *node;
	u32 addr;
	int err;

	err = read_addr(dev, &addr);
	if (err)
		return err;
	node = of_parse_phandle(dev->of_node, "nst,sensor-bus", 0);
	if (!node)
		return dev_err_probe(dev, -EINVAL,
				     "nst,sensor-bus is no phandle of a bus\n");
	adapter = of_find_i2c_adapter_by_node(node);
	if (!adapter)
		err = dev_err_probe(dev, -EPROBE_DEFER,
				    "bus %pOF is not there yet\n", node);
	of_node_put(node);
	if (err)
		return err;
	err = find_on_adapter(dev, adapter, addr, owner);
	put_device(&adapter->dev);
	return err;
}

static int find_by_number(struct device *dev, struct nst_cci_owner *owner)
{
	struct i2c_adapter *adapter;
	u32 number, addr;
	int err;

	err = read_addr(dev, &addr);
	if (err)
		return err;
	err = device_property_read_u32(dev, "nst,bus-number", &number);
	if (err || number > INT_MAX)
		return dev_err_probe(dev, -EINVAL,
				     "nst,bus-number is not a bus number\n");
	adapter = i2c_get_adapter((int)number);
	if (!adapter)
		return dev_err_probe(dev, -EPROBE_DEFER,
				     "bus %u is not there yet\n", number);
	err = find_on_adapter(dev, adapter, addr, owner);
	i2c_put_adapter(adapter);
	return err;
}

/* nst_cci_owner_named() - a property says which sensor it is */
bool nst_cci_owner_named(struct device *dev)
{
	return device_property_present(dev, "nst,sensor") ||
	       device_property_present(dev, "nst,sensor-bus") ||
	       device_property_present(dev, "nst,bus-number");
}

static void put_client(void *data)
{
	struct i2c_client *client = data;

	put_device(&client->dev);
}

/*
 * nst_cci_owner_find() - the device that the properties name
 * Return: 0 with a reference that @dev keeps, -EPROBE_DEFER while it is not
 * there, -EINVAL for impossible properties; each said.
 */
int nst_cci_owner_find(struct device *dev, struct nst_cci_owner *owner)
{
	bool phandle = device_property_present(dev, "nst,sensor");
	bool bus = device_property_present(dev, "nst,sensor-bus");
	bool number = device_property_present(dev, "nst,bus-number");
	int err;

	if (phandle + bus + number > 1)
		return dev_err_probe(dev, -EINVAL,
				     "give one of nst,sensor, nst,sensor-bus and nst,bus-number\n");
	if (phandle)
		err = find_by_phandle(dev, owner);
	else if (bus)
		err = find_by_bus(dev, owner);
	else
		err = find_by_number(dev, owner);
	if (err)
		return err;
	return devm_add_action_or_reset(dev, put_client, owner->client);
}

/* Without runtime PM it is never suspended. */
static u64 suspended_time(struct device *dev)
{
#ifdef CONFIG_PM
	return pm_runtime_suspended_time(dev);
#else
	return 0;
#endif
}

/* ------------------------------------------------------------------ link */

static bool is_bound(const struct nst_cci_owner *owner)
{
	return READ_ONCE(owner->client->dev.links.status) ==
	       DL_DEV_DRIVER_BOUND;
}

/*
 * nst_cci_owner_link() - go before the owner goes
 * From here on its adapter is there as long as we are.
 * Return: 0, -EPROBE_DEFER while it has no driver, -EOPNOTSUPP for a bus that
 * cannot do a combined transfer.
 */
int nst_cci_owner_link(struct device *dev, struct nst_cci_owner *owner)
{
	struct device *supplier = &owner->client->dev;

	if (!is_bound(owner))
		return dev_err_probe(dev, -EPROBE_DEFER,
				     "%s has no driver yet\n",
				     dev_name(supplier));
	if (!device_link_add(dev, supplier, DL_FLAG_AUTOREMOVE_CONSUMER))
		return dev_err_probe(dev, -EINVAL, "cannot follow %s\n",
				     dev_name(supplier));
	/* It may have begun to leave before there was a link. */
	if (!is_bound(owner))
		return dev_err_probe(dev, -EPROBE_DEFER, "%s is leaving\n",
				     dev_name(supplier));
	if (!i2c_check_functionality(owner->client->adapter, I2C_FUNC_I2C))
		return dev_err_probe(dev, -EOPNOTSUPP,
				     "bus %s has no combined transfers\n",
				     owner->client->adapter->name);
	owner->suspended_ns = suspended_time(supplier);
	return 0;
}

/* nst_cci_owner_leaves() - it is what takes us down */
bool nst_cci_owner_leaves(const struct nst_cci_owner *owner)
{
	return owner->client && !is_bound(owner);
}

/* ------------------------------------------------------------ come again */

static struct workqueue_struct *queue;

struct waiting {
	struct work_struct work;
	struct device *dev;
};

/*
 * Probe finds no owner and is deferred; from then on the driver core tries it
 * whenever any driver has bound.
 */
static void wait_work(struct work_struct *work)
{
	struct waiting *waiting = container_of(work, struct waiting, work);

	if (device_attach(waiting->dev) < 0)
		dev_dbg(waiting->dev, "not to be attached again\n");
	put_device(waiting->dev);
	kfree(waiting);
}

/* nst_cci_owner_wait() - @dev is being unbound; probe it again later */
void nst_cci_owner_wait(struct device *dev)
{
	struct waiting *waiting = kzalloc(sizeof(*waiting), GFP_KERNEL);

	if (!waiting)
		return;
	INIT_WORK(&waiting->work, wait_work);
	waiting->dev = get_device(dev);
	queue_work(queue, &waiting->work);
}

int nst_cci_owner_init(void)
{
	queue = alloc_workqueue("nst-cci", WQ_UNBOUND, 0);
	return queue ? 0 : -ENOMEM;
}

/* After the driver is gone: whatever waits finds nothing to bind to. */
void nst_cci_owner_exit(void)
{
	destroy_workqueue(queue);
}

/* --------------------------------------------------------------- is it on */

/* Its driver was asked to turn it on and could not. */
static bool failed(const struct device *dev)
{
#ifdef CONFIG_PM
	return READ_ONCE(dev->power.runtime_error);
#else
	return false;
#endif
}

/*
 * nst_cci_owner_get() - keep the sensor as it is for some transfers
 * @ret_cycled: it was off since the last call
 *
 * Return: 0 it is on and stays on until nst_cci_owner_put(); 1 its driver has
 * no runtime PM, so only the sensor itself can tell; -EAGAIN it is off; -EIO
 * its driver cannot turn it on.
 */
int nst_cci_owner_get(struct nst_cci_owner *owner, bool *ret_cycled)
{
	struct device *dev = &owner->client->dev;
	u64 suspended_ns;
	int in_use;

	in_use = pm_runtime_get_if_in_use(dev);
	suspended_ns = suspended_time(dev);
	*ret_cycled = suspended_ns != owner->suspended_ns;
	owner->suspended_ns = suspended_ns;
	if (in_use > 0) {
		owner->held = true;
		return 0;
	}
	if (in_use)
		return 1;
	return failed(dev) ? -EIO : -EAGAIN;
}

/* As late as the owner itself would have let go. */
void nst_cci_owner_put(struct nst_cci_owner *owner)
{
	if (!owner->held)
		return;
	owner->held = false;
	pm_runtime_put_autosuspend(&owner->client->dev);
}
