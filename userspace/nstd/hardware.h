/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* hardware.h - the environment of real devices: /dev/nstN and video nodes */
#ifndef NST_HARDWARE_H
#define NST_HARDWARE_H

#include "sensor.h"

/** nst_hardware_env() - @root: prefix of /sys and /dev, "" for the real ones */
struct nst_env nst_hardware_env(const char *root, bool dry_run);

#endif /* NST_HARDWARE_H */
