/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-duty.h - the map of the cooling device, as pure functions
 *
 *	state	0 .. levels	of each <levels> frames so many may not run
 *	power	run .. gated	mean power of the stack in that state
 *
 * With what the package allows at a temperature:
 *
 *	P_mean = (T_high - R_jp P_run - T_amb) / R_pa
 *
 * is the mean power at which the die peaks at T_high in the frames that run
 * (Sensors 2021 21(3) 926, section 4, solved for the duty).
 */
#ifndef NST_DUTY_H
#define NST_DUTY_H

#include "plant.h"

#define NST_COOLING_LEVELS_MAX 32

/** nst_duty_period() - frames after which the dither pattern repeats */
u32 nst_duty_period(u32 state, u32 levels);

/** nst_duty_power_mw() - mean power of the stack in a cooling state */
u32 nst_duty_power_mw(u32 state, u32 levels, u32 run_mw, u32 gated_mw);

/** nst_duty_state() - smallest state that needs no more than @power_mw */
u32 nst_duty_state(u32 power_mw, u32 levels, u32 run_mw, u32 gated_mw);

/**
 * nst_duty_sustainable_mw() - mean power that keeps a running die at @high_mc
 * Between that of a gated and that of a running stack.
 */
u32 nst_duty_sustainable_mw(s32 high_mc, s32 ambient_mc, u32 run_mw,
			    u32 gated_mw,
			    const struct nst_plant_params *params);

/** nst_duty_slope_mc_per_s() - what one state changes the package's slope by */
s32 nst_duty_slope_mc_per_s(u32 levels, u32 run_mw, u32 gated_mw,
			    const struct nst_plant_params *params);

#endif /* NST_DUTY_H */
