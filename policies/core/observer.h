/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * observer.h - the die temperature now, from a model and coarse samples
 *
 * Between samples the temperature is the plant model's. A usable sample says
 * that the die lies between two temperatures, as far apart as the sensor's
 * step and noise make them. What the model thought possible and what the
 * sample leaves possible are intersected; the middle is the estimate and
 * half the width its uncertainty, which grows again with time. The jump of
 * the die at a gate edge is known from the power, so what a sample corrects
 * is the slow part, and both nodes move together.
 *
 * How fast the uncertainty grows depends on what is known of the model. Where
 * nothing is (@model_mc 0) it is NST_OBSERVER_DRIFT_MC_PER_S. Where somebody
 * knows how far from the truth the model alone would settle at most, an error
 * of the estimate goes towards that with the time constant of the package,
 * and so does its bound. Then noisy readings are averaged, too (average.h):
 * there the bound takes in four standard deviations of what is left of the
 * noise. With noise of less than 0.4 of the sensor's step the mean of many
 * readings is not that of the die, and the steps are intersected.
 *
 * Health: one bad sample never changes anything but a counter; bad_max in a
 * row make the sensor unhealthy and good_min good ones in a row bring it
 * back (architecture: one bad sample never acts). Bad is a sample
 *
 *  - that is none (any read error, "not ready" included), a low rail or a
 *    value out of range;
 *  - implausibly far from the model, or that would keep the estimate
 *    implausibly far from where the model alone would be: a sensor stuck
 *    while the die warms does that;
 *  - of a frozen sensor: three times the fast mode, which depends on nothing
 *    but power, has moved by three steps and the reading did not follow. One
 *    that follows up to 0.3 s later lives as well: a gate may take longer than
 *    it says, and a frozen sensor does not move at all.
 *
 * A sensor that converts slowly shows the die as it was up to @conversion_us
 * ago. So a reading leaves possible what any die of that time would be by
 * now, and a movement counts only by as much as no such delay explains: edges
 * that come faster than the sensor converts say nothing about it.
 *
 * Where the plant is a guess (@plant_guessed) the size of a jump is one too:
 * a reading that moves a step in the right direction has followed. Where the
 * reading is itself a model's (@estimated) it is never called frozen.
 *
 * A sensor that was lost by contradicting the model has to show that it
 * lives before it is believed again: its reading has to move (gating, which
 * its loss leads to, sees to that) and to move with the model. Constant
 * garbage never does, so a dead sensor cannot come back as a cold one.
 */
#ifndef NST_OBSERVER_H
#define NST_OBSERVER_H

#include "average.h"
#include "plant.h"
#include "sample.h"

/**
 * struct nst_observer_config - what is known of sensor and model
 * @lsb_mc: step of the sensor, 0 for an exact one
 * @floor: the sensor rounds down (a reading of T means T..T+lsb)
 * @noise_mc: standard deviation of one reading
 * @implausible_mc: a reading further than this from the model is bad
 *	(at least; every step and three times the noise come on top)
 * @bad_max: bad samples in a row before the sensor is unhealthy, at least 1
 * @good_min: good samples in a row before it is healthy again, at least 1
 * @conversion_us: how much later than the die a reading may move, at most
 *	NST_OBSERVER_CONVERSION_MAX_US
 * @plant_guessed: the plant is not known to be that of the stack
 * @estimated: what is called a reading is computed from another one
 */
struct nst_observer_config {
	u32 lsb_mc;
	bool floor;
	u32 noise_mc;
	u32 implausible_mc;
	u16 bad_max;
	u16 good_min;
	u32 conversion_us;
	bool plant_guessed;
	bool estimated;
};

#define NST_OBSERVER_CONVERSION_MAX_US 1000000

/* Parts that the time of a conversion is remembered in, and one begun. */
#define NST_OBSERVER_PARTS 4

/* An exact sensor; 20 K, 5 bad, 3 good. */
extern const struct nst_observer_config nst_observer_default;

/* How fast the uncertainty grows without samples, nothing known. */
#define NST_OBSERVER_DRIFT_MC_PER_S 50

#define NST_OBSERVER_MODEL_MAX_MC 100000

enum nst_observer_verdict {
	NST_OBSERVED = 0,	/* taken into the estimate */
	NST_OBSERVED_BOUND,	/* high rail: estimate raised to the bound */
	NST_OBSERVED_BAD,	/* counted, estimate unchanged */
};

/** struct nst_observer_range - of the fast mode in a part of a conversion */
struct nst_observer_range {
	s32 lo_mc;
	s32 hi_mc;
};

/**
 * struct nst_observer - one sensor and its model
 * @uncertainty_mc: half width of what is possible; the margin of a policy
 * @primed: a usable sample has set the state; before, there is no estimate
 * @healthy: enough good samples of late; false until the first good_min
 * @bad_count: bad samples ever
 * @surprises: times that readings were further off than model and noise
 *	explain
 * @offset_q32: estimate less what the model alone would say, mC
 *
 * Read @ambient_mc, @uncertainty_mc, @healthy, @primed, @plant and the
 * counters; @ambient_mc and @model_mc may be set when they are known better,
 * @model_mc to at most NST_OBSERVER_MODEL_MAX_MC. The rest is private, but
 * for nst_observer_set_model().
 */
struct nst_observer {
	struct nst_observer_config config;
	struct nst_plant plant;
	s32 ambient_mc;
	s32 model_mc;
	s32 uncertainty_mc;
	u32 surprises;
	u16 bad_run;
	u16 good_run;
	bool primed;
	bool healthy;
	u32 bad_count;

	s64 width_q32;		/* uncertainty with its fraction */
	struct nst_average average;
	s64 offset_q32;
	s32 mark_fast_mc;	/* fast mode and reading at the last mark */
	s32 mark_value_mc;
	s32 last_fast_mc;	/* and at the last sample */
	s32 last_value_mc;
	s32 last_miss_mc;	/* reading less model at the last sample */
	u16 frozen_run;
	s32 owed_mc;		/* movement that did not follow, from where */
	s32 owed_from_mc;
	u32 owed_us;		/* for so long it may still */
	u16 agree_run;

	/* With a slow conversion: the fast mode of late, newest part first. */
	struct nst_observer_range part[NST_OBSERVER_PARTS + 1];
	u32 part_us;		/* how far the newest one has come */
	struct nst_observer_range mark;
};

/**
 * nst_observer_init() - @config NULL for the default
 * Return: 0, or -ERANGE with @obs untouched.
 */
int nst_observer_init(struct nst_observer *obs,
		      const struct nst_observer_config *config,
		      const struct nst_plant_params *params, s32 ambient_mc);

/**
 * nst_observer_advance() - time passes with @power_mw in the die
 * Return: 0, or -ERANGE as nst_plant_step(), with nothing changed.
 */
int nst_observer_advance(struct nst_observer *obs, u32 power_mw, u32 dt_us);

/**
 * nst_observer_sample() - take one reading, made at the model's present time
 * @power_mw: power before the reading, tells the jump of a first sample
 */
enum nst_observer_verdict nst_observer_sample(struct nst_observer *obs,
					      const struct nst_sample *sample,
					      u32 power_mw);

/**
 * nst_observer_set_model() - the plant is known better
 * @package_mc: where the package is, as far as is known now
 *
 * The die is as far above the package as the new plant makes it. It counts as
 * uncertain by as much as it moves; health stays as it is.
 *
 * Return: 0, or -ERANGE with @obs untouched.
 */
int nst_observer_set_model(struct nst_observer *obs,
			   const struct nst_plant_params *params,
			   s32 package_mc);

/**
 * nst_observer_widen() - the die has just moved by more or less than the model
 * says, by @by_mc at most
 * An average of readings is left alone: what one edge puts in the next takes
 * out.
 */
void nst_observer_widen(struct nst_observer *obs, s32 by_mc);

/** nst_observer_die_mc() - best estimate; meaningless until primed */
s32 nst_observer_die_mc(const struct nst_observer *obs);

/**
 * nst_observer_drift_mc() - what samples will correct in @dt_us to come, if
 * they go on as they did: where the plant or the ambient are not quite those
 * of the model the die drifts away from it by so much
 */
s32 nst_observer_drift_mc(const struct nst_observer *obs, u32 dt_us);

#endif /* NST_OBSERVER_H */
