// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* gpio_v2.c - lines by libgpiod 2, see gpio_lib.h */
#include <errno.h>
#include <string.h>

#include <gpiod.h>

#include "gpio_lib.h"

#define CONSUMER "nst"

static int lines_of(struct gpiod_chip *chip, struct gpiod_chip_info *chip_info,
		    int (*fn)(const struct nst_gpio_info *info, void *arg),
		    void *arg)
{
	size_t count = gpiod_chip_info_get_num_lines(chip_info);
	int r = 0;

	for (size_t i = 0; i < count && !r; i++) {
		struct gpiod_line_info *line =
			gpiod_chip_get_line_info(chip, (unsigned int)i);
		const char *name, *consumer;
		struct nst_gpio_info info;

		/* One that does not tell is not the one that is looked for. */
		if (!line)
			continue;
		name = gpiod_line_info_get_name(line);
		consumer = gpiod_line_info_get_consumer(line);
		info = (struct nst_gpio_info){
			.chip = gpiod_chip_info_get_name(chip_info),
			.label = gpiod_chip_info_get_label(chip_info),
			.name = name ? name : "",
			.consumer = consumer ? consumer : "",
			.offset = (unsigned int)i,
			.used = gpiod_line_info_is_used(line),
		};
		r = fn(&info, arg);
		gpiod_line_info_free(line);
	}
	return r;
}

int nst_gpio_lib_lines(const char *path,
		       int (*fn)(const struct nst_gpio_info *info, void *arg),
		       void *arg)
{
	struct gpiod_chip *chip = gpiod_chip_open(path);
	struct gpiod_chip_info *chip_info;
	int r;

	if (!chip)
		return -errno;
	chip_info = gpiod_chip_get_info(chip);
	r = chip_info ? lines_of(chip, chip_info, fn, arg) : -errno;
	if (chip_info)
		gpiod_chip_info_free(chip_info);
	gpiod_chip_close(chip);
	return r;
}

struct config {
	struct gpiod_line_settings *settings;
	struct gpiod_line_config *lines;
	struct gpiod_request_config *request;
};

static void config_free(struct config *c)
{
	gpiod_request_config_free(c->request);
	gpiod_line_config_free(c->lines);
	gpiod_line_settings_free(c->settings);
}

static int config_make(struct config *c, bool active_low)
{
	c->settings = gpiod_line_settings_new();
	c->lines = gpiod_line_config_new();
	c->request = gpiod_request_config_new();
	if (!c->settings || !c->lines || !c->request)
		return -ENOMEM;
	gpiod_request_config_set_consumer(c->request, CONSUMER);
	gpiod_line_settings_set_active_low(c->settings, active_low);
	return 0;
}

static int config_direct(struct config *c, unsigned int offset,
			 enum gpiod_line_direction direction)
{
	gpiod_line_config_reset(c->lines);
	if (gpiod_line_settings_set_direction(c->settings, direction) ||
	    gpiod_line_config_add_line_settings(c->lines, &offset, 1,
						c->settings))
		return -errno;
	return 0;
}

/* A value first, then the direction: no level that nobody asked for. */
static int take_as_it_is(struct nst_gpio_lib *l, struct config *c)
{
	int value, r;

	r = config_direct(c, l->offset, GPIOD_LINE_DIRECTION_AS_IS);
	if (r)
		return r;
	l->line = gpiod_chip_request_lines(l->chip, c->request, c->lines);
	if (!l->line)
		return -errno;
	value = gpiod_line_request_get_value(l->line, l->offset);
	if (value < 0 ||
	    gpiod_line_settings_set_output_value(c->settings,
						 (enum gpiod_line_value)value))
		return -errno;
	r = config_direct(c, l->offset, GPIOD_LINE_DIRECTION_OUTPUT);
	if (!r && gpiod_line_request_reconfigure_lines(l->line, c->lines))
		r = -errno;
	return r;
}

int nst_gpio_lib_take(struct nst_gpio_lib *l, const char *path,
		      unsigned int offset, bool active_low)
{
	struct config c = { 0 };
	int r;

	*l = (struct nst_gpio_lib){ .offset = offset,
				    .active_low = active_low };
	l->chip = gpiod_chip_open(path);
	if (!l->chip)
		return -errno;
	r = config_make(&c, active_low);
	if (!r)
		r = take_as_it_is(l, &c);
	config_free(&c);
	if (r)
		nst_gpio_lib_release(l);
	return r;
}

int nst_gpio_lib_set(struct nst_gpio_lib *l, bool active)
{
	return gpiod_line_request_set_value(l->line, l->offset, active ?
					    GPIOD_LINE_VALUE_ACTIVE :
					    GPIOD_LINE_VALUE_INACTIVE) ?
		       -errno : 0;
}

int nst_gpio_lib_get(struct nst_gpio_lib *l)
{
	int value = gpiod_line_request_get_value(l->line, l->offset);

	return value < 0 ? -errno : value;
}

void nst_gpio_lib_release(struct nst_gpio_lib *l)
{
	if (l->line)
		gpiod_line_request_release(l->line);
	if (l->chip)
		gpiod_chip_close(l->chip);
	*l = (struct nst_gpio_lib){ 0 };
}
