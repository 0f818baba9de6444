/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ambient.h - is this the temperature of the air?
 *
 * A thermometer of the host tells the ambient that the model of the stack
 * starts from. It is believed slowly: a reading has to be one that air can
 * have, the first one has to be repeated, and a step is taken only when the
 * readings stay at the new level. Exactly 0 is what many dead ones show, and
 * counts only once another value was seen. When readings fail for long the
 * last value stands, or the profile's where that is warmer: a dead sensor
 * must not make the model of the stack a cool one.
 */
#ifndef NST_NSTD_AMBIENT_H
#define NST_NSTD_AMBIENT_H

#include "units.h"

#define NST_AMBIENT_MIN_MC (-40000)
#define NST_AMBIENT_MAX_MC 85000
#define NST_AMBIENT_STEP_MC 1000	/* between two readings, a second apart */
#define NST_AMBIENT_RUN 5		/* readings at a new level */
#define NST_AMBIENT_DEAD 10		/* without a reading */

enum nst_ambient_state {
	NST_AMBIENT_NONE = 0,	/* no reading was ever believed */
	NST_AMBIENT_GOOD,
	NST_AMBIENT_STEP,	/* readings are elsewhere, not believed yet */
	NST_AMBIENT_LOST,	/* the last one stands */
};

/** struct nst_ambient - all zero is a fresh start */
struct nst_ambient {
	u8 state;		/* enum nst_ambient_state */
	bool moved;		/* has shown something but 0 */
	u8 run;
	u8 missing;
	s32 value_mc;		/* believed, unless NONE */
	s32 level_mc;		/* of the readings that are not yet */
};

/**
 * nst_ambient_take() - one reading, about once a second
 * @err: 0, or why there is none
 */
void nst_ambient_take(struct nst_ambient *a, int err, s32 temp_mc);

/** nst_ambient_mc() - for the model; @profile_mc where nothing is known */
s32 nst_ambient_mc(const struct nst_ambient *a, s32 profile_mc);

/** nst_ambient_state_name() - "none", "good", "step", "lost" */
const char *nst_ambient_state_name(enum nst_ambient_state state);

#endif /* NST_NSTD_AMBIENT_H */
