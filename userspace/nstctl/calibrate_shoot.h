/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * calibrate_shoot.h - pairs of frames at a setting, and how warm they were
 */
#ifndef NST_CALIBRATE_SHOOT_H
#define NST_CALIBRATE_SHOOT_H

#include "calibrate_pair.h"
#include "calibrate_stack.h"
#include "capture.h"

/**
 * struct nst_cal_shoot - a camera and its sensor
 * @settle: frames that are let pass after a change of setting
 * @whole, @middle: room for pairs of all pixels and of the middle ones
 */
struct nst_cal_shoot {
	struct nst_capture camera;
	struct nst_cal_stack stack;
	u32 settle;
	struct nst_cal_frames whole;
	struct nst_cal_frames middle;
};

/**
 * struct nst_cal_setting - exposure and gain
 * @gain: as nst_capture_set() has it
 */
struct nst_cal_setting {
	u32 exposure_us;
	u32 gain;
};

/**
 * struct nst_cal_shot - where and when
 * @exposure_us, @iso: what the driver made of the setting
 * @mid_us: middle of both exposures, by the device's clock
 */
struct nst_cal_shot {
	u32 exposure_us;
	u32 iso;
	double mid_us;
};

/**
 * nst_cal_shoot_open() - take device and camera
 * Says what is wrong. Return: 0 or a negative errno; to be closed anyway.
 */
int nst_cal_shoot_open(struct nst_cal_shoot *s, const char *device,
		       const char *camera);
void nst_cal_shoot_close(struct nst_cal_shoot *s);

/**
 * nst_cal_shoot_pair() - two frames of one setting
 * @black_dn: as nst_cal_frames_stat() has it
 * Return: 0 or a negative errno, said: -ENODEV the camera is gone, -EIO
 * damaged or truncated frames, -ETIME none at all.
 */
int nst_cal_shoot_pair(struct nst_cal_shoot *s,
		       const struct nst_cal_setting *setting, bool middle,
		       double black_dn, struct nst_cal_shot *ret_shot,
		       struct nst_cal_stat *ret);

#endif /* NST_CALIBRATE_SHOOT_H */
