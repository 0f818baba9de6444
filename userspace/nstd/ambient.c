// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ambient.c - is this the temperature of the air? See ambient.h */
#include <stdlib.h>

#include "ambient.h"

static void missing(struct nst_ambient *a)
{
	a->run = 0;
	if (a->missing < NST_AMBIENT_DEAD)
		a->missing++;
	if (a->missing == NST_AMBIENT_DEAD && a->state != NST_AMBIENT_NONE)
		a->state = NST_AMBIENT_LOST;
}

static void believe(struct nst_ambient *a, s32 temp_mc)
{
	a->state = NST_AMBIENT_GOOD;
	a->value_mc = temp_mc;
	a->run = 0;
}

void nst_ambient_take(struct nst_ambient *a, int err, s32 temp_mc)
{
	if (!err && temp_mc)
		a->moved = true;
	if (err || !a->moved || temp_mc < NST_AMBIENT_MIN_MC ||
	    temp_mc > NST_AMBIENT_MAX_MC) {
		missing(a);
		return;
	}
	a->missing = 0;
	if ((a->state == NST_AMBIENT_GOOD || a->state == NST_AMBIENT_STEP) &&
	    abs(temp_mc - a->value_mc) <= NST_AMBIENT_STEP_MC) {
		believe(a, temp_mc);
		return;
	}
	/* The first one, one after a gap, or a step: it has to stay there. */
	if (abs(temp_mc - a->level_mc) > NST_AMBIENT_STEP_MC)
		a->run = 0;
	a->level_mc = temp_mc;
	if (++a->run >= NST_AMBIENT_RUN)
		believe(a, temp_mc);
	else if (a->state == NST_AMBIENT_GOOD)
		a->state = NST_AMBIENT_STEP;
}

s32 nst_ambient_mc(const struct nst_ambient *a, s32 profile_mc)
{
	if (a->state == NST_AMBIENT_NONE)
		return profile_mc;
	if (a->state == NST_AMBIENT_LOST && a->value_mc < profile_mc)
		return profile_mc;
	return a->value_mc;
}

const char *nst_ambient_state_name(enum nst_ambient_state state)
{
	switch (state) {
	case NST_AMBIENT_NONE:
		return "none";
	case NST_AMBIENT_GOOD:
		return "good";
	case NST_AMBIENT_STEP:
		return "step";
	case NST_AMBIENT_LOST:
		return "lost";
	}
	return "invalid";
}
