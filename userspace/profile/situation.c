// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* situation.c - a profile at one camera setting, see situation.h */
#include <string.h>

#include "situation.h"

#define US_PER_S 1000000u
#define US_PER_MS 1000u

static u32 strictest_deadline_us(const struct nst_profile *profile,
				 unsigned int sensor)
{
	u32 deadline_us = 0;

	for (unsigned int i = 0; i < profile->task_count; i++) {
		const struct nst_profile_task *task = &profile->tasks[i];
		u32 us = task->deadline_ms * US_PER_MS;

		if (task->sensor != sensor || task->kind != NST_TASK_IMAGING)
			continue;
		if (!deadline_us || us < deadline_us)
			deadline_us = us;
	}
	return deadline_us;
}

/* Several vision tasks share the sensor: the fastest one sets the rate. */
static u32 fastest_fps(const struct nst_profile *profile, unsigned int sensor)
{
	u32 fps = 1;

	for (unsigned int i = 0; i < profile->task_count; i++) {
		const struct nst_profile_task *task = &profile->tasks[i];

		if (task->sensor == sensor && task->kind == NST_TASK_VISION &&
		    task->fps > fps)
			fps = task->fps;
	}
	return fps;
}

static u32 div_up(u32 num, u32 den)
{
	return num / den + (num % den != 0);
}

u32 nst_situation_switch_uj(const struct nst_profile_sensor *sensor,
			    u32 frame_period_us)
{
	u64 nj = (u64)sensor->switch_us * (sensor->near_mw + sensor->far_mw) +
		 (u64)frame_period_us * sensor->near_mw;

	return (u32)((nj + 500) / 1000);
}

static int get_any(struct nst_situation *ret,
		   const struct nst_profile *profile, unsigned int sensor,
		   const struct nst_plant_params *plant,
		   unsigned int exposure_us, unsigned int iso)
{
	const struct nst_profile_task *task;
	const struct nst_profile_sensor *s;
	struct nst_situation sit;
	struct nst_demand demand;
	struct nst_thresholds die;
	u32 asked_us, frames;
	int r;

	if (sensor >= profile->sensor_count)
		return -ERANGE;
	s = &profile->sensors[sensor];
	task = nst_profile_vision_task(profile, sensor);
	if (!task || !task->policy)
		return -ENOENT;

	memset(&sit, 0, sizeof(sit));
	sit.exposure_us = exposure_us;
	sit.iso = iso;
	r = nst_profile_demand(profile, sensor, exposure_us, iso,
			       &sit.vision_max_mc, &sit.imaging_max_mc);
	/* What only a capture cannot have does not stop the vision tasks. */
	sit.no_capture = r == -EDOM && sit.imaging_max_mc == NST_TEMP_MIN_MC;
	sit.no_vision = r == -EDOM && sit.vision_max_mc == NST_TEMP_MIN_MC;
	if (r && r != -EDOM)
		return r;

	asked_us = (US_PER_S + fastest_fps(profile, sensor) / 2) /
		   fastest_fps(profile, sensor);
	sit.policy.frame_period_us = asked_us;
	if (exposure_us + s->readout_us > asked_us) {
		sit.policy.frame_period_us = exposure_us + s->readout_us;
		sit.stretched = true;
	}

	sit.deadline_us = strictest_deadline_us(profile, sensor);
	frames = sit.deadline_us / sit.policy.frame_period_us;
	frames = frames > 1 ? frames - 1 : 1;
	sit.latency_us = frames * sit.policy.frame_period_us;

	demand = (struct nst_demand){
		.vision_max_mc = sit.no_vision ? NST_TEMP_NONE_MC :
						 sit.vision_max_mc,
		.imaging_max_mc = sit.no_capture ? NST_TEMP_NONE_MC :
						   sit.imaging_max_mc,
		.ceiling_mc = s->max_temp_mc,
		.accuracy_mc = s->accuracy_mc,
		.latency_us = sit.latency_us,
		.near_mw = s->near_mw,
		.capture_mw = s->capture_mw,
		.gap_mc = task->gap_mc,
	};
	r = nst_thresholds_from_demand(&sit.policy.thr, &demand, plant);
	if (r)
		return r;

	/* The same without the continuous limit bounds the die itself. */
	demand.vision_max_mc = NST_TEMP_NONE_MC;
	r = nst_thresholds_from_demand(&die, &demand, plant);
	if (r)
		return r;

	sit.policy.params = *plant;
	sit.policy.die_max_mc = die.high_mc;
	sit.policy.near_mw = s->near_mw;
	sit.policy.gated_mw = s->capture_mw;
	sit.policy.far_mw = s->far_mw;
	sit.policy.switch_uj =
		nst_situation_switch_uj(s, sit.policy.frame_period_us);
	sit.policy.vpu_busy_us = s->vpu_busy_us;
	sit.policy.gate_enter_us = s->gate_enter_us;
	sit.policy.gate_exit_us = s->gate_exit_us;
	sit.policy.exposure_us = exposure_us;
	/* Global shutter: read-out takes its time, all rows see the same. */
	sit.policy.readout_us =
		s->shutter == NST_SHUTTER_ROLLING ? s->readout_us : 0;
	sit.policy.doubling_mc = s->doubling_mc;
	sit.policy.vision_max_mc = sit.vision_max_mc;
	if (sit.vision_max_mc != NST_TEMP_NONE_MC && !sit.no_vision)
		sit.policy.vision_max_mc -= s->accuracy_mc;
	sit.policy.stop_frames = task->stop_frames;
	sit.policy.dwell_frames = div_up(task->dwell_ms * US_PER_MS,
					 sit.policy.frame_period_us);
	if (!sit.policy.dwell_frames)
		sit.policy.dwell_frames = 1;
	r = nst_policy_config_check(&sit.policy);
	if (r)
		return r;
	*ret = sit;
	return 0;
}

int nst_situation_get_any(struct nst_situation *ret,
			  const struct nst_profile *profile,
			  unsigned int sensor, unsigned int exposure_us,
			  unsigned int iso)
{
	if (sensor >= profile->sensor_count)
		return -ERANGE;
	return get_any(ret, profile, sensor, &profile->sensors[sensor].plant,
		       exposure_us, iso);
}

int nst_situation_get_plant(struct nst_situation *ret,
			    const struct nst_profile *profile,
			    unsigned int sensor,
			    const struct nst_plant_params *plant,
			    unsigned int exposure_us, unsigned int iso)
{
	struct nst_situation sit;
	int r = get_any(&sit, profile, sensor, plant, exposure_us, iso);

	if (!r && sit.no_vision)
		r = -EDOM;
	if (!r)
		*ret = sit;
	return r;
}

int nst_situation_get(struct nst_situation *ret,
		      const struct nst_profile *profile, unsigned int sensor,
		      unsigned int exposure_us, unsigned int iso)
{
	if (sensor >= profile->sensor_count)
		return -ERANGE;
	return nst_situation_get_plant(ret, profile, sensor,
				       &profile->sensors[sensor].plant,
				       exposure_us, iso);
}

u32 nst_situation_capture_last(const struct nst_situation *situation,
			       u32 wait_us)
{
	u32 frames = 0;

	if (situation->deadline_us > wait_us)
		frames = (situation->deadline_us - wait_us) /
			 situation->policy.frame_period_us;
	return frames ? frames : 1;
}
