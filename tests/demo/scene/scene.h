/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * scene.h - a small picture generator for the tests of the vision task
 *
 * Independent of the emulated stack on purpose: the detector is judged here
 * by a scene that shares no source with the one it meets in the VM. Boxes
 * and discs of known place move before a textured wall and are reflected at
 * its edges; a pixel carries photon shot noise, dark charge with its shot
 * noise and fixed pattern, hot pixels and read noise (EMVA 1288 terms).
 */
#ifndef TEST_SCENE_H
#define TEST_SCENE_H

#include "host.h"

#define SCENE_OBJECTS_MAX 8
#define SCENE_PIXELS_MAX (1920 * 1080)

struct scene_box {
	int x, y, w, h;
};

/**
 * struct scene_camera - setting of one exposure
 * @full_e: electrons at full scale: full well over gain
 * @level_e: signal of the brightest patch of the scene
 * @dark_e: mean dark charge of the exposure; see scene_dark_e()
 */
struct scene_camera {
	double full_e;
	double level_e;
	double dark_e;
};

struct scene {
	int width, height, objects;
	double x[SCENE_OBJECTS_MAX], y[SCENE_OBJECTS_MAX];
	double vx[SCENE_OBJECTS_MAX], vy[SCENE_OBJECTS_MAX];
	int w[SCENE_OBJECTS_MAX], h[SCENE_OBJECTS_MAX];
	double shade[SCENE_OBJECTS_MAX];
	bool round[SCENE_OBJECTS_MAX];
	u64 seed;
};

/*
 * Wall and fixed patterns are kept for the scene initialised last: tests
 * look at one at a time.
 */
void scene_init(struct scene *s, int width, int height, int objects,
		double speed_px, u64 seed);
void scene_step(struct scene *s, int periods);
struct scene_box scene_box(const struct scene *s, int object);

/** scene_dark_e() - 244 e-/s at 60 degC, doubling every 7 K */
double scene_dark_e(double temp_c, double exposure_s);

/** scene_render() - rows without gaps; @noise false gives the bare scene */
void scene_render(const struct scene *s, const struct scene_camera *camera,
		  u64 frame, bool noise, int bits, u8 *pixels);

/** scene_iou_permille() - overlap of two boxes */
int scene_iou_permille(const struct scene_box *a, const struct scene_box *b);

#endif /* TEST_SCENE_H */
