/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - every difference between kernel versions
 *
 * Force-included by Kbuild; no other file of the driver tests a version.
 * Each entry says in which release the change came.
 *
 *	6.1, 6.12	built and run (Debian's kernels)
 *	7.3		built (Debian's backports)
 *	5.15, 6.6, 6.18	written from their headers, not built
 *
 * What needs no entry, because one form does for all of them: no class is
 * created (class_create() lost an argument in 6.4), no driver has a remove
 * (i2c's returned int before 6.1, a platform driver's before 6.11), no timer
 * is used by itself (del_timer_sync() became timer_delete_sync() in 6.15),
 * words are put together from bytes (asm/unaligned.h moved in 6.12), and
 * pm_runtime_get_if_in_use() has one argument everywhere.
 */
#ifndef NST_COMPAT_H
#define NST_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 15, 0)
#error "nst needs Linux 5.15 or later"
#endif

/* 6.4: hwmon_chip_info.info points to const pointers. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define nst_hwmon_info_const
#else
#define nst_hwmon_info_const const
#endif

/* 6.4: thermal_zone_device_priv(); 6.9 hides the structure. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define nst_thermal_priv(tz) ((tz)->devdata)
#else
#define nst_thermal_priv(tz) thermal_zone_device_priv(tz)
#endif

/*
 * Trips of a zone without device tree.
 *
 *	..6.5	asked: get_trip_*() of the driver whenever one is needed
 *	6.6..8	shared: an array of the driver, which the core reads and
 *		writes; get_trip_*() is gone, get_trend() is given the trip
 *	6.9..11	neither: the array is copied, and set_trip_temp() and the
 *		binding change from one release to the next. None of these
 *		had a long life, and no zone is made there
 *	6.12..	copied: with should_bind(), set_trip_temp() given the trip, and
 *		thermal_zone_set_trip_temp() to change the copy
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define NST_THERMAL_TRIPS_ASKED
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
#define NST_THERMAL_TRIPS_SHARED
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define NST_THERMAL_NO_ZONE
#else
#define NST_THERMAL_TRIPS_COPIED
#endif

/*
 * 7.2: a cooling device of a device tree has a number within its node, and
 * without THERMAL_OF there are none. Read in the headers of 7.2 and 7.3; not
 * in those of 6.12.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#define nst_of_cooling_register(node, type, data, ops) \
	thermal_of_cooling_device_register(node, 0, type, data, ops)
#else
#define nst_of_cooling_register(node, type, data, ops) \
	thermal_of_cooling_device_register(node, type, data, ops)
#endif

/* 7.0: videobuf2 drops a queue's lock by itself; the callbacks are gone. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define NST_VB2_WAIT
#endif

/* 6.3: i2c_driver.probe has one argument, as probe_new had; 6.6: no other. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define nst_i2c_probe probe_new
#else
#define nst_i2c_probe probe
#endif

/* 6.11: i2c_algorithm.xfer, formerly master_xfer. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define nst_i2c_xfer master_xfer
#else
#define nst_i2c_xfer xfer
#endif

/*
 * 6.17: system_percpu_wq, formerly system_wq; 7.2 warns of the old name. A
 * longterm kernel may have both.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define nst_system_wq system_wq
#else
#define nst_system_wq system_percpu_wq
#endif

/* 6.17: gpio_chip.set can fail. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define nst_gpio_set_ret void
#define NST_GPIO_SET_DONE
#else
#define nst_gpio_set_ret int
#define NST_GPIO_SET_DONE 0
#endif

/*
 * 7.0: consumers of IIO import a namespace. Imported from 6.13 on, when a
 * namespace became a string; one that is not there does no harm.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define NST_IIO_CONSUMER_NS "IIO_CONSUMER"
#endif

/* 5.17: gpio_chip.fwnode; before, of_node where there are device trees. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
#define nst_gpio_chip_set_fwnode(_chip, _fwnode) ((_chip)->fwnode = (_fwnode))
#elif defined(CONFIG_OF_GPIO)
#define nst_gpio_chip_set_fwnode(_chip, _fwnode) \
	((_chip)->of_node = to_of_node(_fwnode))
#else
#define nst_gpio_chip_set_fwnode(_chip, _fwnode) \
	((void)(_chip), (void)(_fwnode))
#endif

#endif /* NST_COMPAT_H */
