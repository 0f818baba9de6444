// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-bench.c - bare regmap writes of a register, and how long they take
 *
 * The yardstick of the gate's path: the same register of the same chip on the
 * same adapter, written through a regmap whose reg_write is the same SMBus
 * call with PEC, and nothing around it. The client of the chip is bound to
 * its driver, so the transfers name the adapter and the address.
 *
 *	adapter, addr, reg	where to
 *	values			two of them, written in turn
 *	run			write N: that many writes; read: the median and
 *				the least of their times, in nanoseconds
 *	end_ns			when the last write of that register was over,
 *				whoever made it, CLOCK_MONOTONIC
 *
 * The end of a write is where the I2C core says so, in its own tracepoint.
 */
#include <linux/device.h>
#include <linux/i2c.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/regmap.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#define RUN_MAX 10000

static int adapter = -1;
module_param(adapter, int, 0644);
MODULE_PARM_DESC(adapter, "number of the I2C adapter");

static ushort addr = 0x36;
module_param(addr, ushort, 0644);
MODULE_PARM_DESC(addr, "7-bit address of the chip (default 0x36)");

static ushort reg = 0x20;
module_param(reg, ushort, 0644);
MODULE_PARM_DESC(reg, "register to write (default 0x20)");

static ushort values[2] = { 1, 0 };
module_param_array(values, ushort, NULL, 0644);
MODULE_PARM_DESC(values, "what is written in turn (default 1,0)");

static DEFINE_MUTEX(run_lock);
static u64 median_ns, least_ns;

static int bench_write(void *context, unsigned int reg, unsigned int val)
{
	union i2c_smbus_data data = { .word = swab16((u16)val) };

	return i2c_smbus_xfer(context, addr, I2C_CLIENT_PEC, I2C_SMBUS_WRITE,
			      (u8)reg, I2C_SMBUS_WORD_DATA, &data);
}

static const struct regmap_config bench_config = {
	.reg_bits = 8,
	.val_bits = 16,
	.max_register = 0xff,
	.reg_write = bench_write,
	.cache_type = REGCACHE_NONE,
};

static int by_time(const void *a, const void *b)
{
	u64 left = *(const u64 *)a, right = *(const u64 *)b;

	return left < right ? -1 : left > right;
}

static int measure(struct regmap *map, u64 *ns, unsigned int count)
{
	unsigned int i;
	u64 begin;
	int err;

	for (i = 0; i < count; i++) {
		begin = ktime_get_ns();
		err = regmap_write(map, reg, values[i % 2]);
		ns[i] = ktime_get_ns() - begin;
		if (err)
			return err;
	}
	sort(ns, count, sizeof(*ns), by_time, NULL);
	median_ns = ns[count / 2];
	least_ns = ns[0];
	return 0;
}

static int run_set(const char *text, const struct kernel_param *kp)
{
	struct i2c_adapter *bus;
	struct device *root;
	struct regmap *map;
	unsigned int count;
	u64 *ns;
	int err;

	err = kstrtouint(text, 0, &count);
	if (err)
		return err;
	if (!count || count > RUN_MAX)
		return -ERANGE;
	bus = i2c_get_adapter(adapter);
	if (!bus)
		return -ENODEV;
	ns = kvmalloc_array(count, sizeof(*ns), GFP_KERNEL);
	/* A regmap wants a device for its name. */
	root = root_device_register("nst-bench");
	map = IS_ERR(root) ? ERR_CAST(root) :
			     regmap_init(root, NULL, bus, &bench_config);
	if (!ns) {
		err = -ENOMEM;
	} else if (IS_ERR(map)) {
		err = PTR_ERR(map);
	} else {
		mutex_lock(&run_lock);
		err = measure(map, ns, count);
		mutex_unlock(&run_lock);
	}
	if (!IS_ERR(map))
		regmap_exit(map);
	if (!IS_ERR(root))
		root_device_unregister(root);
	kvfree(ns);
	i2c_put_adapter(bus);
	return err;
}

static int run_get(char *page, const struct kernel_param *kp)
{
	return sysfs_emit(page, "%llu %llu\n", median_ns, least_ns);
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
	.get = run_get,
};
module_param_cb(run, &run_ops, NULL, 0644);
MODULE_PARM_DESC(run, "writes to make; median and least time of the last run");

/* ------------------------------------------------------- end of a write */

static struct tracepoint *result_point;
static u64 end_ns;

static void on_result(void *unused, const struct i2c_adapter *bus, u16 chip,
		      unsigned short flags, char read_write, u8 command,
		      int protocol, const union i2c_smbus_data *data, int err)
{
	if (bus->nr == adapter && chip == addr && command == reg &&
	    read_write == I2C_SMBUS_WRITE)
		WRITE_ONCE(end_ns, ktime_get_ns());
}

static int end_get(char *page, const struct kernel_param *kp)
{
	return sysfs_emit(page, "%llu\n", READ_ONCE(end_ns));
}

static const struct kernel_param_ops end_ops = {
	.get = end_get,
};
module_param_cb(end_ns, &end_ops, NULL, 0444);
MODULE_PARM_DESC(end_ns, "when the last write was over, CLOCK_MONOTONIC");

static void find_point(struct tracepoint *point, void *unused)
{
	if (!strcmp(point->name, "smbus_result"))
		result_point = point;
}

/* --------------------------------------------------------------- module */

static int __init bench_init(void)
{
	for_each_kernel_tracepoint(find_point, NULL);
	if (!result_point)
		return -EOPNOTSUPP;
	return tracepoint_probe_register(result_point, on_result, NULL);
}

static void __exit bench_exit(void)
{
	tracepoint_probe_unregister(result_point, on_result, NULL);
	tracepoint_synchronize_unregister();
}

module_init(bench_init);
module_exit(bench_exit);

MODULE_DESCRIPTION("bare regmap writes, timed");
MODULE_LICENSE("GPL");
