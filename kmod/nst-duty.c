// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-duty.c - the map of the cooling device; see nst-duty.h
 */
#include "nst-duty.h"

static u32 gcd_u32(u32 a, u32 b)
{
	while (b) {
		u32 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

u32 nst_duty_period(u32 state, u32 levels)
{
	return levels / gcd_u32(levels, levels - state);
}

u32 nst_duty_power_mw(u32 state, u32 levels, u32 run_mw, u32 gated_mw)
{
	if (run_mw <= gated_mw)
		return run_mw;
	return gated_mw + (run_mw - gated_mw) * (levels - state) / levels;
}

u32 nst_duty_state(u32 power_mw, u32 levels, u32 run_mw, u32 gated_mw)
{
	u32 state;

	for (state = 0; state < levels; state++) {
		if (nst_duty_power_mw(state, levels, run_mw, gated_mw) <=
		    power_mw)
			break;
	}
	return state;
}

u32 nst_duty_sustainable_mw(s32 high_mc, s32 ambient_mc, u32 run_mw,
			    u32 gated_mw,
			    const struct nst_plant_params *params)
{
	/* mW times mK/W is uK. */
	s64 rise_uk = ((s64)high_mc - ambient_mc) * 1000 -
		      (s64)params->r_jp_mk_per_w * run_mw;
	s64 mw = nst_div_s64(rise_uk, (s32)params->r_pa_mk_per_w);

	if (mw > run_mw)
		mw = run_mw;
	if (mw < gated_mw)
		mw = gated_mw;
	return (u32)mw;
}

s32 nst_duty_slope_mc_per_s(u32 levels, u32 run_mw, u32 gated_mw,
			    const struct nst_plant_params *params)
{
	u64 step_mw = run_mw > gated_mw ? run_mw - gated_mw : 0;

	/* mW over uJ/K is K in a millisecond. */
	return (s32)nst_div_u64(step_mw * 1000000,
				(u64)levels * params->c_p_uj_per_k);
}
