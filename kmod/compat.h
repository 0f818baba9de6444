/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - every difference between kernel versions
 *
 * Force-included by Kbuild; no other file of the driver tests a version.
 * Each entry says in which release the change came. Built and run here: 6.1
 * and 6.12.
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

/*
 * Trips of a zone without device tree. Before 6.6 the core asks the driver's
 * get_trip_*() whenever it needs one. From 6.12 (6.9 for the registration,
 * should_bind and set_trip_temp(const trip *) later) it copies an array and
 * the driver updates the copy. The releases in between mix the two; no zone
 * is made there.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define NST_THERMAL_TRIPS_ASKED
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define NST_THERMAL_TRIPS_COPIED
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

/* 6.17: gpio_chip.set can fail. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define nst_gpio_set_ret void
#define nst_gpio_set_done return
#else
#define nst_gpio_set_ret int
#define nst_gpio_set_done return 0
#endif

#endif /* NST_COMPAT_H */
