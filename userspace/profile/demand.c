// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * demand.c - what the tasks of a sensor ask of its temperature
 *
 * An SNR becomes a temperature through the noise model at the present
 * exposure and gain; the strictest task of each kind wins.
 */
#include "paper.h"
#include "profile.h"

const struct nst_profile_task *
nst_profile_vision_task(const struct nst_profile *profile,
			unsigned int sensor)
{
	for (unsigned int i = 0; i < profile->task_count; i++) {
		const struct nst_profile_task *task = &profile->tasks[i];

		if (task->sensor == sensor && task->kind == NST_TASK_VISION)
			return task;
	}
	return NULL;
}

static int task_limit_mc(const struct nst_profile_sensor *sensor,
			 const struct nst_profile_task *task,
			 unsigned int exposure_us, unsigned int iso,
			 s32 *ret_mc)
{
	struct nst_paper model = nst_paper_default;
	s32 limit_mc = NST_TEMP_NONE_MC, snr_mc;
	int r;

	if (task->has_max_temp)
		limit_mc = task->max_temp_mc;
	if (task->has_snr) {
		model.doubling_mc = sensor->doubling_mc;
		r = nst_paper_temp_max_mc(&model, task->min_snr_db,
					  exposure_us, iso, &snr_mc);
		if (r) {
			*ret_mc = NST_TEMP_MIN_MC;
			return r;
		}
		if (snr_mc < limit_mc)
			limit_mc = snr_mc;
	}
	*ret_mc = limit_mc;
	return 0;
}

int nst_profile_demand(const struct nst_profile *profile, unsigned int sensor,
		       unsigned int exposure_us, unsigned int iso,
		       s32 *ret_vision_mc, s32 *ret_imaging_mc)
{
	s32 strictest[2] = { NST_TEMP_NONE_MC, NST_TEMP_NONE_MC };
	int result = 0;

	if (sensor >= profile->sensor_count || !exposure_us || !iso)
		return -ERANGE;
	for (unsigned int i = 0; i < profile->task_count; i++) {
		const struct nst_profile_task *task = &profile->tasks[i];
		s32 limit_mc;

		if (task->sensor != sensor)
			continue;
		if (task_limit_mc(&profile->sensors[sensor], task, exposure_us,
				  iso, &limit_mc))
			result = -EDOM;
		if (limit_mc < strictest[task->kind])
			strictest[task->kind] = limit_mc;
	}
	*ret_vision_mc = strictest[NST_TASK_VISION];
	*ret_imaging_mc = strictest[NST_TASK_IMAGING];
	return result;
}
