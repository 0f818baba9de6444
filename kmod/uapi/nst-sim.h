/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * nst-sim.h - what a program may know of the camera of the emulated stack
 *
 * Pixels: DN = black + K * electrons, ten bits; GREY is the same value
 * shifted right by two. K is (white - black) over the full scale in
 * electrons, which is full_well_e * 100 / ISO. The first rows are optically
 * dark: they carry everything but light, so their mean above the black level
 * is the dark charge of the top of the frame.
 */
#ifndef _UAPI_NST_SIM_H
#define _UAPI_NST_SIM_H

#include <linux/v4l2-controls.h>

#define NST_SIM_BLACK_DN	64	/* of Y10 */
#define NST_SIM_WHITE_DN	1023
#define NST_SIM_DARK_ROWS	8

/*
 * Controls beside V4L2_CID_EXPOSURE_ABSOLUTE (100 us), V4L2_CID_TEST_PATTERN
 * (scene, lens cap, flat field) and V4L2_CID_ANALOGUE_GAIN, which is an ISO
 * number. They take effect with the next frame.
 */
#define NST_SIM_CID_BASE	(V4L2_CID_USER_BASE + 0x1f00)
/* Illuminance, millilux. Only with the iris fixed does it change pictures. */
#define NST_SIM_CID_LIGHT	(NST_SIM_CID_BASE + 0)
/*
 * 1: white stays at 70 % of the full scale of the present gain, whatever the
 * light and the exposure. 0: it is what 32 ms at 320 lux give at ISO 400,
 * in proportion to light, exposure and gain.
 */
#define NST_SIM_CID_AUTO_IRIS	(NST_SIM_CID_BASE + 1)

/* Entries of V4L2_CID_TEST_PATTERN. */
#define NST_SIM_PATTERN_SCENE	0
#define NST_SIM_PATTERN_DARK	1	/* lens cap */
#define NST_SIM_PATTERN_FLAT	2	/* white everywhere */
#define NST_SIM_PATTERN_COUNT	3

#endif /* _UAPI_NST_SIM_H */
