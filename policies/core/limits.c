// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * limits.c - thresholds from demands
 */
#include "limits.h"

static bool limit_in_range(s32 limit_mc)
{
	return limit_mc == NST_TEMP_NONE_MC || nst_temp_in_range(limit_mc);
}

int nst_thresholds_check(const struct nst_thresholds *thr)
{
	if (!nst_temp_in_range(thr->low_mc) ||
	    !nst_temp_in_range(thr->high_mc) ||
	    !nst_temp_in_range(thr->max_mc) ||
	    !limit_in_range(thr->capture_mc))
		return -ERANGE;
	if (thr->low_mc >= thr->high_mc || thr->high_mc > thr->max_mc)
		return -EINVAL;
	return 0;
}

int nst_thresholds_from_demand(struct nst_thresholds *ret,
			       const struct nst_demand *demand,
			       const struct nst_plant_params *params)
{
	struct nst_thresholds thr;
	u32 delta_mw;
	s32 high_mc, gap_mc;
	int err;

	err = nst_plant_params_check(params);
	if (err)
		return err;
	if (!limit_in_range(demand->vision_max_mc) ||
	    !limit_in_range(demand->imaging_max_mc) ||
	    !nst_temp_in_range(demand->ceiling_mc) ||
	    demand->accuracy_mc < 0 ||
	    !nst_temp_in_range(demand->accuracy_mc) ||
	    demand->latency_us > NST_DT_MAX_US ||
	    demand->near_mw > NST_POWER_MAX_MW ||
	    demand->capture_mw > NST_POWER_MAX_MW ||
	    demand->gap_mc > NST_TEMP_MAX_MC - NST_TEMP_MIN_MC)
		return -ERANGE;
	if (demand->near_mw < demand->capture_mw)
		return -EINVAL;

	delta_mw = demand->near_mw - demand->capture_mw;
	high_mc = demand->ceiling_mc;
	if (demand->vision_max_mc < high_mc)
		high_mc = demand->vision_max_mc;
	if (demand->imaging_max_mc != NST_TEMP_NONE_MC) {
		s64 bound_mc = (s64)demand->imaging_max_mc +
			       nst_plant_jump_mc(params, delta_mw,
						 demand->latency_us);

		if (bound_mc < high_mc)
			high_mc = (s32)bound_mc;
	}
	high_mc -= demand->accuracy_mc;

	if (demand->gap_mc) {
		gap_mc = (s32)demand->gap_mc;
	} else {
		/* All of the jump: what a switch does once it has settled. */
		gap_mc = nst_plant_jump_mc(params, delta_mw, NST_DT_MAX_US);
		if (gap_mc > NST_TEMP_MAX_MC - NST_TEMP_MIN_MC)
			return -ERANGE;
		gap_mc += NST_GAP_EXTRA_MC;
	}

	thr.high_mc = high_mc;
	thr.low_mc = high_mc - gap_mc;
	thr.max_mc = demand->ceiling_mc - demand->accuracy_mc;
	thr.capture_mc = demand->imaging_max_mc;
	if (thr.capture_mc != NST_TEMP_NONE_MC)
		thr.capture_mc -= demand->accuracy_mc;
	err = nst_thresholds_check(&thr);
	if (err)
		return err;
	*ret = thr;
	return 0;
}
