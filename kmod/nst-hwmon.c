// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-hwmon.c - temperatures and power for sensors(1) and everybody else
 *
 * Channel n of the provider is temp<n+1>. Every read of an _input is a read
 * of the hardware: what is not ready is -EAGAIN, never the number before.
 * _max is the threshold where the policy acts, _crit the ceiling. On systems
 * with a device tree hwmon makes the thermal zones (HWMON_C_REGISTER_TZ).
 */
#include <linux/hwmon.h>

#include "nst.h"

static umode_t hwmon_visible(const void *data, enum hwmon_sensor_types type,
			     u32 attr, int channel)
{
	const struct nst *nst = data;

	switch (type) {
	case hwmon_temp:
		if (channel >= (int)nst->channels)
			return 0;
		return attr == hwmon_temp_highest && channel ? 0 : 0444;
	case hwmon_power:
		return nst->caps & NST_CAP_POWER && nst->ops->read_power ?
			       0444 : 0;
	default:
		return 0;
	}
}

static int read_temp(struct nst *nst, u32 attr, u32 ch, long *ret)
{
	struct nst_sample sample;
	s32 temp_mc;
	int err;

	switch (attr) {
	case hwmon_temp_input:
		err = nst_show_channel(nst, ch, &sample);
		if (!err)
			*ret = sample.value_mc;
		return err;
	case hwmon_temp_max:
		*ret = nst->thr.high_mc;
		return 0;
	case hwmon_temp_crit:
		*ret = nst->thr.max_mc;
		return 0;
	case hwmon_temp_highest:
		err = nst_guard_envelope(nst, &temp_mc, NULL);
		if (!err)
			*ret = temp_mc;
		return err;
	case hwmon_temp_fault:
		/* Not ready yet is not a fault; a broken bus is one. */
		nst_show_channel(nst, ch, &sample);
		*ret = sample.state == NST_SAMPLE_BUS_FAULT ||
		       sample.state == NST_SAMPLE_GONE ||
		       (!ch && nst->sensor_bad);
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int hwmon_read(struct device *dev, enum hwmon_sensor_types type,
		      u32 attr, int channel, long *ret)
{
	struct nst *nst = dev_get_drvdata(dev);
	u32 power_mw;
	int err;

	err = nst_lock(nst);
	if (err)
		return err;
	nst_settle(nst, nst_now_us(nst));
	if (type == hwmon_temp) {
		err = read_temp(nst, attr, (u32)channel, ret);
	} else {
		err = nst_power_now(nst, &power_mw);
		if (!err)
			*ret = (long)power_mw * 1000;
	}
	nst_unlock(nst);
	return err;
}

static int hwmon_read_string(struct device *dev, enum hwmon_sensor_types type,
			     u32 attr, int channel, const char **ret)
{
	struct nst *nst = dev_get_drvdata(dev);

	if (type != hwmon_temp || attr != hwmon_temp_label)
		return -EOPNOTSUPP;
	*ret = nst->hwmon_label[channel];
	return 0;
}

static const struct hwmon_ops hwmon_ops = {
	.is_visible = hwmon_visible,
	.read = hwmon_read,
	.read_string = hwmon_read_string,
};

#define NST_HWMON_TEMP (HWMON_T_INPUT | HWMON_T_MAX | HWMON_T_CRIT | \
			HWMON_T_FAULT | HWMON_T_LABEL | HWMON_T_HIGHEST)

static const struct hwmon_channel_info *nst_hwmon_info_const hwmon_channels[] = {
	HWMON_CHANNEL_INFO(chip, HWMON_C_REGISTER_TZ),
	HWMON_CHANNEL_INFO(temp, NST_HWMON_TEMP, NST_HWMON_TEMP,
			   NST_HWMON_TEMP, NST_HWMON_TEMP, NST_HWMON_TEMP,
			   NST_HWMON_TEMP, NST_HWMON_TEMP, NST_HWMON_TEMP),
	HWMON_CHANNEL_INFO(power, HWMON_P_INPUT),
	NULL
};

static const struct hwmon_chip_info nst_chip_info = {
	.ops = &hwmon_ops,
	.info = hwmon_channels,
};

/*
 * nst_hwmon_init() - register with hwmon
 * Below the hardware's own device where there is one: libsensors looks at
 * its bus and ignores chips below a class of its own.
 */
int nst_hwmon_init(struct nst *nst)
{
	struct device *parent = nst->dev.parent ?: &nst->dev;
	struct device *hwmon;

	hwmon = hwmon_device_register_with_info(parent, "nst", nst,
						&nst_chip_info, NULL);
	if (IS_ERR(hwmon))
		return PTR_ERR(hwmon);
	nst->hwmon = hwmon;
	return 0;
}

void nst_hwmon_exit(struct nst *nst)
{
	if (nst->hwmon)
		hwmon_device_unregister(nst->hwmon);
	nst->hwmon = NULL;
}
