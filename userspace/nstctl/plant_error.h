/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * plant_error.h - a plant that is not quite the profile's
 */
#ifndef NST_PLANT_ERROR_H
#define NST_PLANT_ERROR_H

#include "profile.h"

/* Above this a profile is of another stack. */
#define NST_PLANT_ERROR_MAX_PERCENT 50
/* What a governor that is told such a profile takes as standard deviation. */
#define NST_PLANT_ERROR_TOLERANCE 0.1

/**
 * nst_plant_error_apply() - change the figures of a sensor
 * @text: "r_jp=20,near=-10": r_jp, r_pa, c_j, c_p, near, ambient, in percent
 * of what is there (of degrees Celsius for the ambient temperature)
 * Return: 0, or -EINVAL after a message on @err that names what is valid;
 * @sensor is untouched then.
 */
int nst_plant_error_apply(struct nst_profile_sensor *sensor, const char *text,
			  FILE *err);

#endif /* NST_PLANT_ERROR_H */
