// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* gpio_v1.c - lines by libgpiod 1.6, see gpio_lib.h */
#include <errno.h>
#include <string.h>

#include <gpiod.h>

#include "gpio_lib.h"

#define CONSUMER "nst"

int nst_gpio_lib_lines(const char *path,
		       int (*fn)(const struct nst_gpio_info *info, void *arg),
		       void *arg)
{
	struct gpiod_chip *chip = gpiod_chip_open(path);
	unsigned int count, mute = 0;
	int r = 0;

	if (!chip)
		return -errno;
	count = gpiod_chip_num_lines(chip);
	for (unsigned int i = 0; i < count && !r; i++) {
		struct gpiod_line *line = gpiod_chip_get_line(chip, i);
		const char *name, *consumer;
		struct nst_gpio_info info;

		/* One that does not tell is not the one that is looked for. */
		if (!line) {
			mute++;
			continue;
		}
		name = gpiod_line_name(line);
		consumer = gpiod_line_consumer(line);
		info = (struct nst_gpio_info){
			.chip = gpiod_chip_name(chip),
			.label = gpiod_chip_label(chip),
			.name = name ? name : "",
			.consumer = consumer ? consumer : "",
			.offset = i,
			.used = gpiod_line_is_used(line),
		};
		r = fn(&info, arg);
	}
	gpiod_chip_close(chip);
	/* A kernel without GPIO_CDEV_V1 has nothing for this version. */
	return !r && count && mute == count ? -EOPNOTSUPP : r;
}

/* A value first, then the direction: no level that nobody asked for. */
static int take_as_it_is(struct gpiod_line *line, bool active_low)
{
	const struct gpiod_line_request_config config = {
		.consumer = CONSUMER,
		.request_type = GPIOD_LINE_REQUEST_DIRECTION_AS_IS,
		.flags = active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0,
	};
	int value;

	if (gpiod_line_request(line, &config, 0))
		return -errno;
	value = gpiod_line_get_value(line);
	if (value < 0 || gpiod_line_set_direction_output(line, value))
		return -errno;
	return 0;
}

int nst_gpio_lib_take(struct nst_gpio_lib *l, const char *path,
		      unsigned int offset, bool active_low)
{
	int r;

	*l = (struct nst_gpio_lib){ .offset = offset,
				    .active_low = active_low };
	l->chip = gpiod_chip_open(path);
	if (!l->chip)
		return -errno;
	l->line = gpiod_chip_get_line(l->chip, offset);
	r = l->line ? take_as_it_is(l->line, active_low) : -errno;
	if (r)
		nst_gpio_lib_release(l);
	return r;
}

int nst_gpio_lib_set(struct nst_gpio_lib *l, bool active)
{
	return gpiod_line_set_value(l->line, active) ? -errno : 0;
}

int nst_gpio_lib_get(struct nst_gpio_lib *l)
{
	int value = gpiod_line_get_value(l->line);

	return value < 0 ? -errno : value;
}

void nst_gpio_lib_release(struct nst_gpio_lib *l)
{
	/* closing the chip releases its lines */
	if (l->chip)
		gpiod_chip_close(l->chip);
	*l = (struct nst_gpio_lib){ 0 };
}
