/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * binding.h - whose demand is it that binds a sensor?
 *
 * Several tasks share a sensor, and the strictest live demand of each kind
 * binds: of the vision tasks in every frame, of the imaging tasks ahead of
 * their captures. Which it is depends on the light. That is said when it
 * becomes another task's, and stands in the status.
 */
#ifndef NST_NSTD_BINDING_H
#define NST_NSTD_BINDING_H

#include "profile.h"
#include "seldom.h"

struct nst_manager;
struct nst_out;
struct nst_sensor;

/**
 * struct nst_binding - of one sensor
 * @name: task that binds, by kind; "" where none asks for anything
 * @limit_mc: what it asks for, NST_TEMP_NONE_MC for nothing
 * @count: tasks of the kind
 * @exposure_us, @iso, @profiles: what that was worked out for
 * @changed: what is said of changes, by kind
 */
struct nst_binding {
	char name[2][NST_PROFILE_NAME_LEN];
	s32 limit_mc[2];
	unsigned int count[2];
	u32 exposure_us;
	u32 iso;
	u64 profiles;
	struct nst_seldom changed[2];
};

/** nst_binding_watch() - once a round; works only when something changed */
void nst_binding_watch(struct nst_manager *m, u64 now_ms);

/** nst_binding_put() - as a member of a status */
void nst_binding_put(const struct nst_sensor *s, struct nst_out *o);

#endif /* NST_NSTD_BINDING_H */
