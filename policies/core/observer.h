/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * observer.h - the die temperature now, from a model and coarse samples
 *
 * Between samples the temperature is the plant model's. A usable sample
 * moves the model by the part of the difference that the sensor's step and
 * noise cannot explain: the jump of the die at a gate edge is known from the
 * power, so what is wrong is the slow part, and both nodes move together.
 *
 * Health: one bad sample never changes anything but a counter; bad_max in a
 * row make the sensor unhealthy and good_min good ones in a row bring it
 * back (architecture: one bad sample never acts).
 */
#ifndef NST_OBSERVER_H
#define NST_OBSERVER_H

#include "plant.h"
#include "sample.h"

/**
 * struct nst_observer_config - what is known of sensor and model
 * @lsb_mc: step of the sensor, 0 for an exact one
 * @floor: the sensor rounds down (a reading of T means T..T+lsb)
 * @noise_mc: standard deviation of one reading
 * @implausible_mc: a reading further than this from the model is bad
 * @bad_max: bad samples in a row before the sensor is unhealthy
 * @good_min: good samples in a row before it is healthy again
 */
struct nst_observer_config {
	u32 lsb_mc;
	bool floor;
	u32 noise_mc;
	u32 implausible_mc;
	u16 bad_max;
	u16 good_min;
};

extern const struct nst_observer_config nst_observer_default;

enum nst_observer_verdict {
	NST_OBSERVED = 0,	/* taken into the estimate */
	NST_OBSERVED_BOUND,	/* high rail: estimate raised to the bound */
	NST_OBSERVED_BAD,	/* counted, estimate unchanged */
};

struct nst_observer {
	struct nst_observer_config config;
	struct nst_plant plant;
	s32 ambient_mc;
	s32 uncertainty_mc;
	u16 bad_run;
	u16 good_run;
	bool primed;		/* the first usable sample sets the state */
	bool healthy;
	u32 bad_count;
};

int nst_observer_init(struct nst_observer *obs,
		      const struct nst_observer_config *config,
		      const struct nst_plant_params *params, s32 ambient_mc);

/** nst_observer_advance() - time passes with @power_mw in the die */
int nst_observer_advance(struct nst_observer *obs, u32 power_mw, u32 dt_us);

/**
 * nst_observer_sample() - take one reading, made at the model's present time
 * @power_mw: power before the reading, tells the jump of a first sample
 */
enum nst_observer_verdict nst_observer_sample(struct nst_observer *obs,
					      const struct nst_sample *sample,
					      u32 power_mw);

/** nst_observer_die_mc() - best estimate; meaningless until primed */
s32 nst_observer_die_mc(const struct nst_observer *obs);

#endif /* NST_OBSERVER_H */
