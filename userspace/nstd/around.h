/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * around.h - the surroundings of one sensor: what is made of them, and said
 *
 * Plain numbers of host.h go through the rules of far.h and ambient.h to the
 * governor. Messages come on change.
 */
#ifndef NST_NSTD_AROUND_H
#define NST_NSTD_AROUND_H

#include "ambient.h"
#include "far.h"
#include "host.h"

struct nst_around {
	struct nst_host_want want;
	struct nst_host_seen seen;
	bool reported;			/* @seen is of a report */

	struct nst_far far;
	struct nst_far_limits limits;
	struct nst_far_rule rule;
	struct nst_ambient ambient;

	u8 said_far;			/* enum nst_gov_far */
	u8 said_ambient;		/* enum nst_ambient_state */
	s32 said_err[3];		/* of the thermometers */
	s32 told_mc;			/* ambient that the governor has */
};

/** nst_around_configure() - take the profile's selectors and limits */
void nst_around_configure(struct nst_around *a, struct nst_governor *g,
			  const struct nst_profile_sensor *ps);

/**
 * nst_around_take() - a report, about once a second
 * @seen: NULL when the process that reports is silent: nothing is known
 * @name: of the sensor, for messages
 */
void nst_around_take(struct nst_around *a, struct nst_governor *g,
		     const struct nst_host_seen *seen, const char *name);

#endif /* NST_NSTD_AROUND_H */
