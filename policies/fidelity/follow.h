/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * follow.h - identification beside an observer
 *
 * The observer (policies/core/observer.h) keeps the die's temperature and a
 * bound of its error; it needs a plant, an ambient temperature, and how far
 * off the two are at most. Those come from here: what is identified is put
 * into the observer as soon as it differs by more than its own error, and
 * the bound is NST_FOLLOW_SIGMAS standard deviations of what is left.
 *
 * Readings go into the filter as they come where noise blurs the sensor's
 * steps, and where there are none. Where there is a step and no noise, a
 * reading that is like the one before says nothing: what goes in is the
 * observer's estimate whenever steps have narrowed it down. Where a reading
 * contradicts the observer its bound is wide again, and the steps that narrow
 * that down tell the filter what it was that contradicted.
 */
#ifndef NST_FOLLOW_H
#define NST_FOLLOW_H

#include "identify.h"
#include "observer.h"

#define NST_FOLLOW_SIGMAS 3

/**
 * struct nst_follow - @id is for nst_identify_value() and the like
 * @margin_mc: to be taken off every threshold beside the observer's own
 *	uncertainty: the jump that an edge makes is not known better
 */
struct nst_follow {
	struct nst_identify id;
	s32 margin_mc;

	struct nst_plant_params plant;	/* in the observer now */
	double ratio_r_pa, ratio_r_jp, ln_tau, ambient_c;
	double var_c2, half_step_c;
	bool direct;
	u32 power_mw;
	u32 since_edge_us;
	s32 told_ambient_mc;
	u32 readings;
	u32 surprises;		/* of the observer, so far */
	s32 open_mc;		/* its bound when last told or surprised */
};

/**
 * nst_follow_init() - @obs: fresh, with the profile's plant and ambient
 * temperature, which @id repeats
 * Return: 0, or -ERANGE as nst_identify_init().
 */
int nst_follow_init(struct nst_follow *f,
		    const struct nst_identify_config *config,
		    struct nst_observer *obs);

/** nst_follow_advance() - after nst_observer_advance() with the same */
void nst_follow_advance(struct nst_follow *f, struct nst_observer *obs,
			u32 power_mw, u32 dt_us);

/**
 * nst_follow_sample() - after nst_observer_sample()
 * @verdict: what that returned
 * @before_mc: the observer's uncertainty before it
 * Return: true when the observer has another plant from now on: whoever
 * planned with the old one has to do it again.
 */
bool nst_follow_sample(struct nst_follow *f, struct nst_observer *obs,
		       const struct nst_sample *sample,
		       enum nst_observer_verdict verdict, s32 before_mc);

/**
 * nst_follow_gap() - the observer begins anew after @dt_us of nothing
 * @power_mw: in the die before the first reading
 */
bool nst_follow_gap(struct nst_follow *f, struct nst_observer *obs,
		    u32 power_mw, u64 dt_us);

/**
 * nst_follow_ambient() - the air around the stack is measured, and differs
 * from what it was
 */
void nst_follow_ambient(struct nst_follow *f, struct nst_observer *obs,
			s32 ambient_mc);

/**
 * nst_follow_edge_mc() - what the die's own constant may add to an exposure
 * that begins at an edge; it is not identified, and twice the tolerance off
 * @doubling_mc: T_d of the sensor; 0 while there is no exposure to speak of
 * Return: mC, 0 without @doubling_mc
 */
s32 nst_follow_edge_mc(const struct nst_follow *f, u32 exposure_us,
		       u32 doubling_mc);

#endif /* NST_FOLLOW_H */
