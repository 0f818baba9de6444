/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * emulated.h - the environment of emulated stacks (--emulate)
 *
 * Every device of the profile is a plant inside the process, with the
 * constants that the profile gives its sensor. It shows what nstd does
 * where there is no kernel module; nobody looks at the pixels.
 */
#ifndef NST_EMULATED_H
#define NST_EMULATED_H

#include "sensor.h"

#define NST_EMULATED_SCALE_MAX 64

/** nst_emulated_env() - @scale: device time over wall time */
struct nst_env nst_emulated_env(unsigned int scale, bool dry_run);

#endif /* NST_EMULATED_H */
