// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-cci-board-hwmon.c - read a temperature of another hwmon chip
 *
 * hwmon has no interface for readers inside the kernel. Its class is that of
 * the chip which the core of nst makes below the companion; a chip is found
 * in it by name and read through the attribute that users read. The driver
 * behind a chip cannot go meanwhile: its device is locked, or, when that is
 * taken, the reading is put off.
 */
#include <linux/device.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "nst-cci.h"

struct lookup {
	const struct nst_cci_board_spec *spec;
	char *page;
	unsigned int found;
	unsigned int busy;
	struct device *chip;
};

static struct device_attribute *
find_in(const struct attribute_group *const *groups, const char *name)
{
	unsigned int i;

	for (; groups && *groups; groups++) {
		if ((*groups)->name || !(*groups)->attrs)
			continue;
		for (i = 0; (*groups)->attrs[i]; i++) {
			struct attribute *attr = (*groups)->attrs[i];

			if (!strcmp(attr->name, name))
				return container_of(attr,
						    struct device_attribute,
						    attr);
		}
	}
	return NULL;
}

static ssize_t show(struct device *chip, const char *name, char *page)
{
	struct device_attribute *attr;

	attr = find_in(chip->groups, name);
	if (!attr)
		attr = find_in(chip->class->dev_groups, name);
	if (!attr || !attr->show)
		return -ENOENT;
	return attr->show(chip, attr, page);
}

/*
 * Keep its driver from leaving. Return: 0, -EAGAIN when it just is leaving, or
 * is busy, -ENODEV for a chip that hangs on no driver, as those of thermal
 * zones: nothing holds it. A zone has a name of its own to be read by.
 */
static int hold(struct device *chip)
{
	int err = 0;

	if (!chip->parent)
		return -ENODEV;
	if (!device_trylock(chip->parent))
		return -EAGAIN;
	if (!chip->parent->driver)
		err = -ENODEV;
	else if (!device_is_registered(chip))
		err = -EAGAIN;
	if (err)
		device_unlock(chip->parent);
	return err;
}

static void release(struct device *chip)
{
	device_unlock(chip->parent);
}

static int match(struct device *chip, void *data)
{
	struct lookup *look = data;
	const char *parent = chip->parent ? dev_name(chip->parent) : "";
	ssize_t len;
	int err;

	if (look->spec->device[0] && strcmp(look->spec->device, parent))
		return 0;
	err = hold(chip);
	if (err) {
		look->busy += err == -EAGAIN;
		return 0;
	}
	len = show(chip, "name", look->page);
	release(chip);
	if (len <= 0)
		return 0;
	look->page[min_t(size_t, len, PAGE_SIZE - 1)] = '\0';
	if (strcmp(strim(look->page), look->spec->name))
		return 0;
	if (!look->found++)
		look->chip = get_device(chip);
	return 0;
}

static int is_hwmon(struct device *dev, void *data)
{
	struct device **ret = data;

	if (!dev->class || strcmp(dev->class->name, "hwmon"))
		return 0;
	*ret = get_device(dev);
	return 1;
}

static int read_chip(struct device *chip, const char *channel, char *page,
		     s32 *ret_mc)
{
	char name[48];
	ssize_t len;
	int err, mc;

	snprintf(name, sizeof(name), "%s_input", channel);
	err = hold(chip);
	if (err)
		return err;
	len = show(chip, name, page);
	release(chip);
	if (len < 0)
		return (int)len;
	page[min_t(size_t, len, PAGE_SIZE - 1)] = '\0';
	if (kstrtoint(strim(page), 10, &mc))
		return -EIO;
	*ret_mc = mc;
	return 0;
}

/*
 * nst_cci_board_hwmon_read() - a temperature by chip and channel
 * @dev: the companion, with the core's chip below it
 *
 * Return: 0, -ENODEV no such chip (yet), -ENOENT no such channel, -EEXIST
 * several chips of that name, -EAGAIN busy, or the chip's own error.
 */
int nst_cci_board_hwmon_read(struct device *dev,
			     const struct nst_cci_board_spec *spec,
			     s32 *ret_mc)
{
	struct lookup look = { .spec = spec };
	struct device *own = NULL;
	int err = -ENODEV;

	device_for_each_child(dev, &own, is_hwmon);
	if (!own)
		return -ENODEV;
	look.page = (char *)__get_free_page(GFP_KERNEL);
	if (!look.page) {
		put_device(own);
		return -ENOMEM;
	}
	class_for_each_device(own->class, NULL, &look, match);
	if (look.found > 1)
		err = -EEXIST;
	else if (look.found)
		err = read_chip(look.chip, spec->channel, look.page, ret_mc);
	else if (look.busy)
		err = -EAGAIN;
	put_device(look.chip);
	free_page((unsigned long)look.page);
	put_device(own);
	return err;
}
