/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* sim_private.h - between the engine and its results */
#ifndef NST_SIM_PRIVATE_H
#define NST_SIM_PRIVATE_H

#include "sim.h"
#include "situation.h"

/* Ten years; sums of energy stay far below 2^64 nJ. */
#define NST_SIM_DURATION_MAX_US 315360000000000ull

#endif /* NST_SIM_PRIVATE_H */
