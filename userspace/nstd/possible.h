/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * possible.h - what the present light lets a sensor give
 *
 * A task is refused when no temperature meets its demand at the exposure and
 * gain of now, or only one that the die does not reach with the VPU gated for
 * good. The light changes after that: whoever brought the task is told when
 * its demand becomes impossible, with the reason, and when it is possible
 * again. Its frames are withheld meanwhile; it stays, for the light may come
 * back, and may ask for less.
 */
#ifndef NST_POSSIBLE_H
#define NST_POSSIBLE_H

#include "profile.h"

struct nst_manager;

/**
 * nst_possible() - can the sensor give what a task of @p asks for?
 * Return: 0; -EDOM with the reason in @ret_what; -ENOENT no such task.
 */
int nst_possible(const struct nst_manager *m, const struct nst_profile *p,
		 const char *name, char *ret_what, size_t size);

/**
 * nst_tasks_limit() - what a task alone asks for at the present light
 * Return: 0; -EDOM with @ret_mc NST_TEMP_MIN_MC.
 */
int nst_tasks_limit(const struct nst_manager *m, const char *name,
		    s32 *ret_mc);

/**
 * nst_possible_watch() - once a round: events "task" to those concerned
 * Works on a task only when its light or the profile is another.
 */
void nst_possible_watch(struct nst_manager *m, u64 now_ms);

#endif /* NST_POSSIBLE_H */
