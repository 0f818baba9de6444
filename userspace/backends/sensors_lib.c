// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* sensors_lib.c - thermometers by libsensors, see sensors.h */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sensors/error.h>
#include <sensors/sensors.h>

#include "cleanup.h"
#include "sensors.h"

struct thermometer {
	const sensors_chip_name *chip;
	const sensors_feature *feature;
	char chip_text[NST_SENSORS_NAME_LEN];
	const char *label;
};

static bool ready;

int nst_sensors_init(void)
{
	_cleanup_fclose_ FILE *empty = NULL;

	nst_sensors_deinit();
	ready = !sensors_init(NULL);
	if (ready)
		return 0;
	/*
	 * One bad line in one of the library's configuration files, and it
	 * knows nothing at all. What the drivers say needs none of them.
	 */
	sensors_cleanup();
	empty = fopen("/dev/null", "re");
	ready = empty && !sensors_init(empty);
	return ready ? 0 : -EIO;
}

void nst_sensors_deinit(void)
{
	if (ready)
		sensors_cleanup();
	ready = false;
}

/* Calls @fn for each thermometer till it returns something but 0. */
static int for_each(int (*fn)(const struct thermometer *t, void *arg),
		    void *arg)
{
	const sensors_chip_name *chip;
	int chip_nr = 0, r;

	while ((chip = sensors_get_detected_chips(NULL, &chip_nr))) {
		const sensors_feature *feature;
		struct thermometer t = { .chip = chip };
		int feature_nr = 0;

		if (sensors_snprintf_chip_name(t.chip_text,
					       sizeof(t.chip_text), chip) < 0)
			continue;
		while ((feature = sensors_get_features(chip, &feature_nr))) {
			_cleanup_free_ char *label = NULL;

			if (feature->type != SENSORS_FEATURE_TEMP)
				continue;
			label = sensors_get_label(chip, feature);
			t.feature = feature;
			t.label = label ? label : feature->name;
			r = fn(&t, arg);
			if (r)
				return r;
		}
	}
	return 0;
}

struct search {
	const char *selector;
	const sensors_chip_name *chip;
	const sensors_feature *feature;
};

static int search_one(const struct thermometer *t, void *arg)
{
	struct search *s = arg;

	if (!nst_sensors_match(s->selector, t->chip_text, t->feature->name,
			       t->label))
		return 0;
	if (s->feature)
		return -ENOTUNIQ;
	s->chip = t->chip;
	s->feature = t->feature;
	return 0;
}

static int get(const struct search *s, sensors_subfeature_type type,
	       double *ret)
{
	const sensors_subfeature *sub =
		sensors_get_subfeature(s->chip, s->feature, type);
	int r;

	if (!sub || !(sub->flags & SENSORS_MODE_R))
		return -ENODATA;
	r = sensors_get_value(s->chip, sub->number, ret);
	if (!r)
		return 0;
	/* Kernel: the file is gone. Access: it has nothing to tell now. */
	return r == -SENSORS_ERR_KERNEL || r == -SENSORS_ERR_NO_ENTRY ? -ENODEV
	       : r == -SENSORS_ERR_ACCESS_R ? -ENODATA : -EIO;
}

int nst_sensors_read(const char *selector, int32_t *ret_mc)
{
	struct search s = { .selector = selector };
	double fault = 0, temp_c;
	int r;

	if (!nst_sensors_check(selector))
		return -EINVAL;
	if (!ready)
		return -ENODEV;
	r = for_each(search_one, &s);
	if (r)
		return r;
	if (!s.feature)
		return -ENODEV;
	if (!get(&s, SENSORS_SUBFEATURE_TEMP_FAULT, &fault) && fault != 0)
		return -ENODATA;
	r = get(&s, SENSORS_SUBFEATURE_TEMP_INPUT, &temp_c);
	if (r)
		return r;
	/* Written so that what is no number at all is refused too. */
	if (!(temp_c * 1000 >= NST_SENSORS_MIN_MC &&
	      temp_c * 1000 <= NST_SENSORS_MAX_MC))
		return -ENODATA;
	*ret_mc = (int32_t)(temp_c * 1000 + (temp_c < 0 ? -0.5 : 0.5));
	return 0;
}

struct text {
	char *buf;
	size_t size, len;
};

static int add_name(const struct thermometer *t, void *arg)
{
	struct text *text = arg;
	int n;

	n = snprintf(text->buf + text->len, text->size - text->len, "%s%s/%s",
		     text->len ? ", " : "", t->chip_text, t->label);
	text->len += n > 0 ? (size_t)n : 0;
	return text->len >= text->size;
}

void nst_sensors_names(char *buf, size_t size)
{
	struct text text = { .buf = buf, .size = size };

	buf[0] = '\0';
	if (ready)
		(void)for_each(add_name, &text);
	if (!buf[0])
		snprintf(buf, size, "none");
}
