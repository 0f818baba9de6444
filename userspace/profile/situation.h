/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * situation.h - a profile at one camera setting: what a policy is given
 *
 * Simulator and daemon must mean the same by a deadline, a frame rate and a
 * limit, so the step from profile to struct nst_policy_config is here, once.
 *
 * Frame period: fps is a maximum; the period is never shorter than exposure
 * plus read-out.
 *
 * Deadline of a capture: from the request to the start of the exposure,
 * rounded down to frame boundaries. The request comes somewhere inside a
 * period, the gate acts at the boundary after it, so of n = D / period whole
 * periods n - 1 are left for cooling in the worst case; at least one is
 * always taken, and a deadline shorter than that is met one frame later
 * than asked (nst_situation_capture_last() says which frame is the last).
 */
#ifndef NST_SITUATION_H
#define NST_SITUATION_H

#include "profile.h"

/**
 * struct nst_situation - numbers that hold until the setting changes
 * @stretched: the period is longer than the fps of the task asks
 * @vision_max_mc, @imaging_max_mc: limits as the tasks state them, or NONE
 * @no_capture: an imaging task asks for what no temperature gives: captures
 *	cannot be had at this setting, and the thresholds do not wait for any;
 *	@imaging_max_mc is NST_TEMP_MIN_MC
 * @no_vision: the same of a vision task: every frame is to be withheld;
 *	@vision_max_mc and the policy's are NST_TEMP_MIN_MC
 * @deadline_us: strictest deadline of the imaging tasks, 0 for none
 * @latency_us: gate edge to start of the capture's exposure, worst case
 * @policy: thresholds, plant and timing for the policy
 */
struct nst_situation {
	u32 exposure_us;
	u32 iso;
	bool stretched;
	s32 vision_max_mc;
	s32 imaging_max_mc;
	bool no_capture;
	bool no_vision;
	u32 deadline_us;
	u32 latency_us;
	struct nst_policy_config policy;
};

/**
 * nst_situation_get() - Return: 0; -ENOENT when no vision task governs the
 * sensor; -EDOM when a vision task asks for what no temperature gives; -ERANGE or
 * -EINVAL when the thresholds are out of order. @ret is untouched then.
 */
int nst_situation_get(struct nst_situation *ret,
		      const struct nst_profile *profile, unsigned int sensor,
		      unsigned int exposure_us, unsigned int iso);

/**
 * nst_situation_get_any() - the same where frames may have to be withheld
 * Return: as above, but 0 with no_vision set instead of -EDOM.
 */
int nst_situation_get_any(struct nst_situation *ret,
			  const struct nst_profile *profile,
			  unsigned int sensor, unsigned int exposure_us,
			  unsigned int iso);

/**
 * nst_situation_switch_uj() - energy of one change between near and far
 *
 * The hand-shake with both sides on, and one frame of pre-copy near. What is
 * in @policy counts it; who wants changes for nothing sets it to 0 there.
 */
u32 nst_situation_switch_uj(const struct nst_profile_sensor *sensor,
			    u32 frame_period_us);

/**
 * nst_situation_get_plant() - as nst_situation_get(), with a plant that is
 * known better than the profile's
 */
int nst_situation_get_plant(struct nst_situation *ret,
			    const struct nst_profile *profile,
			    unsigned int sensor,
			    const struct nst_plant_params *plant,
			    unsigned int exposure_us, unsigned int iso);

/**
 * nst_situation_capture_last() - boundaries after the first one following
 * the request at which the exposure may still start
 * @wait_us: from the request to that first boundary
 */
u32 nst_situation_capture_last(const struct nst_situation *situation,
			       u32 wait_us);

#endif /* NST_SITUATION_H */
