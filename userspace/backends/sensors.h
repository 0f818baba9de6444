/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * sensors.h - temperatures of host and board, by libsensors
 *
 * A thermometer is named as `sensors` prints it: "CHIP/LABEL", for example
 * "sht4x-i2c-1-44/temp1" or "coretemp-isa-0000/Package id 0". The number of
 * hwmonN is no part of it. Where the number of a bus is an accident of
 * probing a '*' stands for it: "lm75-i2c-*-48/temp1". A name that fits two
 * thermometers is an error; nothing is picked.
 *
 * libsensors keeps its state in globals and knows only what was there at its
 * init: nst_sensors_init() again after something came or went. Reading can
 * wait for a bus. So this is for a process of its own or for a tool, not for
 * a loop that must not wait. Without the library at build time every call
 * says -ENOSYS (sensors_none.c).
 */
#ifndef NST_SENSORS_H
#define NST_SENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NST_SENSORS_NAME_LEN 64

/* What no thermometer of a room, a board or a chip reads. */
#define NST_SENSORS_MIN_MC (-55000)
#define NST_SENSORS_MAX_MC 150000

/** nst_sensors_check() - has it the form CHIP/LABEL? */
bool nst_sensors_check(const char *selector);

/**
 * nst_sensors_match() - does a selector name this thermometer?
 * @feature: its name in the driver, "temp1"
 * @label: what `sensors` prints; either one may be given in the selector
 */
bool nst_sensors_match(const char *selector, const char *chip,
		       const char *feature, const char *label);

/**
 * nst_sensors_init() - look at what is there, anew
 * Return: 0, also with nothing there, or with configuration files that the
 * library refuses (labels are the drivers' then); -EIO; -ENOSYS.
 */
int nst_sensors_init(void);

/**
 * nst_sensors_read() - one thermometer, in millidegrees
 * Return: 0; -ENODEV none of that name; -ENOTUNIQ more than one; -ENODATA it
 * has no reading now: it says that it is faulty, or gives what stands for
 * "none" (outside NST_SENSORS_MIN_MC..NST_SENSORS_MAX_MC); -EIO it does not
 * answer; -EINVAL not a selector; -ENOSYS. A chip that fails is the affair
 * of those who asked for it.
 */
int nst_sensors_read(const char *selector, int32_t *ret_mc);

/** nst_sensors_names() - "a/b, c/d": every thermometer, for messages */
void nst_sensors_names(char *buf, size_t size);

/** nst_sensors_deinit() - also when it is not initialised */
void nst_sensors_deinit(void);

#endif /* NST_SENSORS_H */
