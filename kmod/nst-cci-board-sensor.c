// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-cci-board-sensor.c - the board's thermometer, twice a second
 *
 * Read by a work, never from a callback of the core: a thermal zone's lock is
 * outside the core's (the zone may drive our cooling device), and a slow chip
 * must not hold up the guard. While the system sleeps, and its buses with it,
 * nothing is read. What is older than STALE_US is no temperature any more, and
 * a sleep makes it older.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/thermal.h>
#include <linux/workqueue.h>

#include "nst-cci.h"

#define PERIOD_MS 500
#define STALE_US 3000000ull
/* Looked for in vain so often, it is said. */
#define PATIENCE 20

struct nst_cci_board_sensor {
	struct device *dev;
	struct nst_cci_board_spec spec;
	struct iio_channel *chan;
	struct delayed_work work;
	unsigned int missed;
	int told;

	spinlock_t lock;	/* the reading */
	bool any;
	s32 value_mc;
	u64 t_us;
	u64 boot_us;		/* the same, by a clock that sleep does not stop */
};

static u64 boot_now_us(void)
{
	return (u64)ktime_to_us(ktime_get_boottime());
}

/*
 * The zone is looked up each time: there is no way to hold one. It can leave
 * between the two calls as it can for every other reader in the kernel.
 */
static int read_zone(const struct nst_cci_board_spec *spec, s32 *ret_mc)
{
	struct thermal_zone_device *tz;
	int err, mc;

	tz = thermal_zone_get_zone_by_name(spec->name);
	if (IS_ERR(tz))
		return PTR_ERR(tz);
	err = thermal_zone_get_temp(tz, &mc);
	if (!err)
		*ret_mc = mc;
	return err;
}

static int read_any(struct nst_cci_board_sensor *bs, s32 *ret_mc)
{
	switch (bs->spec.kind) {
	case NST_CCI_BOARD_HWMON:
		return nst_cci_board_hwmon_read(bs->dev, &bs->spec, ret_mc);
	case NST_CCI_BOARD_ZONE:
		return read_zone(&bs->spec, ret_mc);
	case NST_CCI_BOARD_IIO:
		return nst_cci_board_iio_read(bs->dev, &bs->spec, &bs->chan,
					      ret_mc);
	default:
		return -EINVAL;
	}
}

static const char *why(int err)
{
	switch (err) {
	case -ENODEV:
		return "it is not there";
	case -ENOENT:
		return "it has no such channel, or no temperature there";
	case -EEXIST:
		return "there are several: name the device, too";
	case -EOPNOTSUPP:
		return "this kernel has no IIO";
	default:
		return "it cannot be read";
	}
}

/* Each trouble is said once, and its end. */
static void tell(struct nst_cci_board_sensor *bs, int err)
{
	const char *name = bs->spec.name[0] ? bs->spec.name :
					      bs->spec.channel;

	if (!err) {
		if (bs->told)
			dev_info(bs->dev, "board sensor %s is there\n", name);
		bs->told = 0;
		bs->missed = 0;
		return;
	}
	if (err == -EAGAIN || err == bs->told)
		return;
	if (++bs->missed < PATIENCE)
		return;
	dev_warn(bs->dev, "board sensor %s: %s (%d)\n", name, why(err), err);
	bs->told = err;
	/* Two troubles in turns are not two lines a second. */
	bs->missed = 0;
}

static void board_sensor_work(struct work_struct *work)
{
	struct nst_cci_board_sensor *bs =
		container_of(to_delayed_work(work),
			     struct nst_cci_board_sensor, work);
	s32 mc = 0;
	int err;

	err = read_any(bs, &mc);
	if (!err && !nst_temp_in_range(mc))
		err = -ERANGE;
	tell(bs, err);
	if (!err) {
		spin_lock(&bs->lock);
		bs->any = true;
		bs->value_mc = mc;
		bs->t_us = nst_cci_now_us();
		bs->boot_us = boot_now_us();
		spin_unlock(&bs->lock);
	}
	queue_delayed_work(system_freezable_wq, &bs->work,
			   msecs_to_jiffies(PERIOD_MS));
}

/*
 * devm_nst_cci_board_sensor() - a board's thermometer; it is not read yet
 */
struct nst_cci_board_sensor *
devm_nst_cci_board_sensor(struct device *dev,
			  const struct nst_cci_board_spec *spec)
{
	struct nst_cci_board_sensor *bs;

	bs = devm_kzalloc(dev, sizeof(*bs), GFP_KERNEL);
	if (!bs)
		return ERR_PTR(-ENOMEM);
	bs->dev = dev;
	bs->spec = *spec;
	spin_lock_init(&bs->lock);
	INIT_DELAYED_WORK(&bs->work, board_sensor_work);
	return bs;
}

/* The core's zone of this very device: an estimate made from itself. */
static int is_own_zone(struct device *child, void *data)
{
	const char *zone = data;
	size_t len = strlen(dev_name(child));

	return child->class && !strcmp(child->class->name, "nst") &&
	       !strncmp(zone, dev_name(child), len) &&
	       !strcmp(zone + len, "_die");
}

/*
 * nst_cci_board_sensor_start() - after nst_register(), which makes hwmon
 * Return: 0, or -EINVAL when it is our own.
 */
int nst_cci_board_sensor_start(struct nst_cci_board_sensor *bs)
{
	if (bs->spec.kind == NST_CCI_BOARD_ZONE &&
	    device_for_each_child(bs->dev, bs->spec.name, is_own_zone))
		return dev_err_probe(bs->dev, -EINVAL,
				     "nst,board-sensor \"zone:%s\" is what it is to be made from\n",
				     bs->spec.name);
	queue_delayed_work(system_freezable_wq, &bs->work, 0);
	return 0;
}

void nst_cci_board_sensor_stop(struct nst_cci_board_sensor *bs)
{
	cancel_delayed_work_sync(&bs->work);
	nst_cci_board_iio_release(&bs->chan);
}

/*
 * nst_cci_board_sensor_get() - the last reading
 * Return: 0, -EAGAIN when it is too old or there was none yet.
 */
int nst_cci_board_sensor_get(struct nst_cci_board_sensor *bs,
			     struct nst_sample *ret)
{
	u64 now_us = boot_now_us();
	int err = -EAGAIN;

	spin_lock(&bs->lock);
	if (bs->any && now_us < bs->boot_us + STALE_US) {
		ret->t_us = bs->t_us;
		ret->value_mc = bs->value_mc;
		ret->state = NST_SAMPLE_VALID;
		ret->bound = NST_BOUND_NONE;
		err = 0;
	}
	spin_unlock(&bs->lock);
	return err;
}
