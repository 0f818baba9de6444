// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* result.c - derived figures of a run, see sim.h */
#include <math.h>

#include "sim_private.h"

static u64 div_round(u64 num, u64 den)
{
	return den ? (num + den / 2) / den : 0;
}

u32 nst_sim_mean_power_mw(const struct nst_sim_result *r)
{
	/* uJ per us is W */
	return (u32)div_round(r->energy_uj * 1000, r->time_us);
}

u32 nst_sim_full_far_power_mw(const struct nst_sim_result *r)
{
	return (u32)div_round(r->full_far_energy_uj * 1000, r->time_us);
}

u32 nst_sim_energy_per_frame_uj(const struct nst_sim_result *r)
{
	return (u32)div_round(r->energy_uj, r->frames_delivered);
}

s32 nst_sim_saving_permyriad(const struct nst_sim_result *r)
{
	double mine, far;

	if (!r->frames_delivered || !r->frames || !r->full_far_energy_uj)
		return 0;
	mine = (double)r->energy_uj / (double)r->frames_delivered;
	far = (double)r->full_far_energy_uj / (double)r->frames;
	return (s32)lround(NST_PERMYRIAD * (1.0 - mine / far));
}

u32 nst_sim_duty_permyriad(const struct nst_sim_result *r)
{
	return (u32)div_round(r->near_us * NST_PERMYRIAD, r->time_us);
}

double nst_sim_effective_fps(const struct nst_sim_result *r)
{
	return r->time_us ? (double)r->frames_delivered * 1e6 /
				    (double)r->time_us :
			    0.0;
}
