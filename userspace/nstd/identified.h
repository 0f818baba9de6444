/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * identified.h - what a governor identifies of its stack
 *
 * Only where the profile says that its figures may be off
 * (thermal.tolerance_percent), and where a reading is one of this die: a
 * plant that is a guess is not a little off, and an estimate is no reading.
 */
#ifndef NST_IDENTIFIED_H
#define NST_IDENTIFIED_H

#include "governor.h"

/** nst_identified_configure() - a profile came; what is known of its plant stays */
void nst_identified_configure(struct nst_governor *g);

/**
 * nst_identified_start() - the observer begins anew after @gap_us
 * @power_mw: in the die before the first reading
 */
void nst_identified_start(struct nst_governor *g, u32 power_mw, u64 gap_us);

/** nst_identified_ambient() - the air is measured, or no longer */
void nst_identified_ambient(struct nst_governor *g, s32 ambient_mc);

void nst_identified_advance(struct nst_governor *g, u32 power_mw, u32 dt_us);

/** nst_identified_sample() - after the observer took one */
void nst_identified_sample(struct nst_governor *g,
			   const struct nst_sample *sample,
			   enum nst_observer_verdict verdict, s32 before_mc);

/** nst_identified_plant() - the profile's where nothing is identified */
const struct nst_plant_params *
nst_identified_plant(const struct nst_governor *g);

/** nst_identified_margin_mc() - beside the observer's uncertainty */
s32 nst_identified_margin_mc(const struct nst_governor *g);

#endif /* NST_IDENTIFIED_H */
