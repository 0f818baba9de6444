// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* sensors_match.c - names of thermometers, see sensors.h */
#include <string.h>

#include "sensors.h"

bool nst_sensors_check(const char *selector)
{
	const char *slash = strchr(selector, '/');

	return slash && slash != selector && slash[1] &&
	       strlen(selector) < NST_SENSORS_NAME_LEN;
}

/* '*' stands for any text. The last one is the only one to go back to. */
static bool chip_fits(const char *pattern, size_t len, const char *chip)
{
	const char *end = pattern + len, *star = NULL, *from = NULL;

	while (*chip) {
		if (pattern < end && *pattern == '*') {
			star = ++pattern;
			from = chip;
		} else if (pattern < end && *pattern == *chip) {
			pattern++;
			chip++;
		} else if (star) {
			pattern = star;
			chip = ++from;
		} else {
			return false;
		}
	}
	while (pattern < end && *pattern == '*')
		pattern++;
	return pattern == end;
}

bool nst_sensors_match(const char *selector, const char *chip,
		       const char *feature, const char *label)
{
	const char *slash = strchr(selector, '/');

	if (!slash || !chip_fits(selector, (size_t)(slash - selector), chip))
		return false;
	return !strcmp(slash + 1, feature) || !strcmp(slash + 1, label);
}
