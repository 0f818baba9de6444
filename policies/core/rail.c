// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* rail.c - a sensor at the upper end of its range; see rail.h */
#include "rail.h"

bool nst_rail_step(struct nst_rail *rail, const struct nst_sample *sample,
		   s32 work_mc)
{
	if (sample->state != NST_SAMPLE_VALID)
		return rail->left;
	if (sample->bound == NST_BOUND_AT_LEAST) {
		rail->rail_mc = sample->value_mc;
		rail->left = NST_RAIL_GOOD;
	} else if (rail->left) {
		if (work_mc < rail->rail_mc - NST_RAIL_ROOM_MC)
			rail->left--;
		else
			rail->left = NST_RAIL_GOOD;
	}
	return rail->left;
}

bool nst_rail_observe(struct nst_rail *rail, const struct nst_sample *sample,
		      const struct nst_observer *obs, u32 run_mw)
{
	s32 work_mc = NST_TEMP_MAX_MC;

	if (rail->left)
		work_mc = nst_plant_peek_die_mc(&obs->plant, run_mw,
						obs->ambient_mc,
						NST_RAIL_AHEAD_US);
	return nst_rail_step(rail, sample, work_mc);
}
