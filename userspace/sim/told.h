/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * told.h - what the governor of a simulated run goes by
 *
 * With an exact sensor it is told the true plant. Else it has the profile, an
 * observer, and what is identified while it runs (policies/fidelity/follow.h);
 * the profile it has need not be that of the plant.
 */
#ifndef NST_TOLD_H
#define NST_TOLD_H

#include "engine.h"

/**
 * struct nst_told - the governor's side of a run
 * @profile: with the plant as it is identified
 * @sit: situation by @profile
 * @map: exposures by it
 */
struct nst_told {
	struct nst_profile profile;
	struct nst_follow follow;
	struct nst_situation sit;
	struct nst_exposure_map map;
	bool mapped;
	u32 map_r_jp_mk_per_w;
	u32 map_c_j_uj_per_k;
	struct nst_subframe sub;
	struct nst_window_map window;
	u32 exposure_us;
	u32 iso;
	s32 margin_mc;
};

/**
 * nst_told_init() - observer and identification of a run, in @run->tell
 * Return: 0, -ENOMEM, or -ERANGE.
 */
int nst_told_init(struct run *run);

void nst_told_free(struct run *run);

/** nst_told_situation() - the light changed; Return: as nst_situation_get_any() */
int nst_told_situation(struct run *run, u32 exposure_us, u32 iso);

/** nst_told_sample() - one reading of the sensor */
void nst_told_sample(struct run *run, const struct nst_sample *sample,
		     u32 power_before_mw);

/**
 * nst_told_window_set() - the policy asked for another window
 * @w: as it is on the plant; @busy_us: that the work of a frame is drawn in
 * Return: as nst_window_map_init()
 */
int nst_told_window_set(struct run *run, const struct nst_window *w,
			u32 busy_us);

/** nst_told_margin_mc() - how far off the governor's model may be */
s32 nst_told_margin_mc(const struct run *run);

/*
 * A period passes for the governor, in one piece or in those that its own
 * figures make of it. Return: the exposure temperature of the frame in it,
 * margin included.
 */
s32 nst_told_whole(struct run *run);
s32 nst_told_split(struct run *run, bool run_before);
s32 nst_told_window(struct run *run);

#endif /* NST_TOLD_H */
