/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * units.h - names and ranges of every quantity of the core
 *
 * Temperatures are signed millidegrees Celsius (_mc), temperature
 * differences millikelvins with the same suffix, powers milliwatts (_mw),
 * energies microjoules (_uj), times microseconds (_us), thermal resistances
 * millikelvins per watt (_mk_per_w), heat capacities microjoules per kelvin
 * (_uj_per_k), ratios permyriad.
 *
 * Every function that takes a quantity from outside refuses what is not in
 * the range given here with -ERANGE; arithmetic inside the ranges cannot
 * overflow.
 */
#ifndef NST_UNITS_H
#define NST_UNITS_H

#include "host.h"

#define NST_TEMP_MIN_MC (-60000)
#define NST_TEMP_MAX_MC 250000
/* "No limit": above every temperature that can be represented. */
#define NST_TEMP_NONE_MC 1000000

#define NST_POWER_MAX_MW 50000

#define NST_R_MIN_MK_PER_W 10
#define NST_R_MAX_MK_PER_W 1000000
#define NST_C_MIN_UJ_PER_K 10
#define NST_C_MAX_UJ_PER_K 100000000

/* One step of the plant: at most an hour. Longer gaps are a new start. */
#define NST_DT_MAX_US 3600000000u

#define NST_FRAME_PERIOD_MIN_US 1000
#define NST_FRAME_PERIOD_MAX_US 10000000

#define NST_PERMYRIAD 10000

static inline bool nst_temp_in_range(s32 temp_mc)
{
	return temp_mc >= NST_TEMP_MIN_MC && temp_mc <= NST_TEMP_MAX_MC;
}

#endif /* NST_UNITS_H */
