// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_vpu.c - the vision task on synthetic frames
 *
 * The scene of tests/demo/scene shares nothing with the emulated stack's; it
 * is included as source, like the units that a test wants to see inside.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../demo/scene/scene.c"
#include "ktap.h"
#include "vpu.h"

#define W 640
#define H 480
#define FULL_WELL_E 7900.0

/* Exposures of the dim room: 64 ms, ISO 800, white at 70 % of full scale. */
static const struct scene_camera *dim(double temp_c)
{
	static struct scene_camera c;

	c = (struct scene_camera){
		.full_e = FULL_WELL_E / 8,
		.level_e = 0.7 * FULL_WELL_E / 8,
		.dark_e = scene_dark_e(temp_c, 0.064),
	};
	return &c;
}

struct counts {
	int matches, found, objects, frames;
};

struct rig {
	struct vpu_state state;
	struct vpu_work work;
	struct vpu_result result;
	struct scene scene;
	u8 pixels[2 * 1920 * 1080];
	u64 seq;
};

/* Big, and the same for all tests: each sets up what it looks at. */
static struct rig rig, other;

static void rig_init(struct rig *r, int width, int height, int bits,
		     int objects, double speed_px, u64 seed)
{
	scene_init(&r->scene, width, height, objects, speed_px, seed);
	r->seq = 0;
	EXPECT(!vpu_init(&r->state, (u32)width, (u32)height, (u32)bits),
	       "%dx%d", width, height);
}

static int rig_frame(struct rig *r, const struct scene_camera *camera,
		     bool noise, int step)
{
	int bits = (int)r->state.bits;
	struct vpu_frame f = {
		.pixels = r->pixels,
		.width = r->state.width,
		.height = r->state.height,
		.stride = r->state.width * (bits == 8 ? 1 : 2),
		.bits = r->state.bits,
	};

	scene_step(&r->scene, step);
	r->seq += (u64)step;
	f.seq = r->seq;
	scene_render(&r->scene, camera, r->seq, noise, bits, r->pixels);
	return vpu_process(&r->state, &r->work, &f, &r->result);
}

/* Best overlap first would matter only for objects on top of each other. */
static void judge(const struct rig *r, struct counts *c)
{
	bool used[VPU_DETECTIONS_MAX] = { false };

	for (int i = 0; i < r->scene.objects; i++) {
		struct scene_box truth = scene_box(&r->scene, i);
		int best = 499, at = -1;

		for (u32 k = 0; k < r->result.detections; k++) {
			const struct vpu_detection *d = &r->result.detection[k];
			struct scene_box box = { d->x, d->y, d->w, d->h };
			int iou = scene_iou_permille(&truth, &box);

			if (!used[k] && iou > best) {
				best = iou;
				at = (int)k;
			}
		}
		if (at >= 0) {
			used[at] = true;
			c->matches++;
		}
	}
	c->objects += r->scene.objects;
	c->found += (int)r->result.detections;
	c->frames++;
}

/* Learning and the first confirmations take 30 frames. */
static struct counts watch(struct rig *r, double temp_c, int frames, int step)
{
	struct counts c = { 0 };

	for (int n = 0; n < 30 + frames; n++) {
		EXPECT(!rig_frame(r, dim(temp_c), true, step), "frame %d", n);
		if (n >= 30)
			judge(r, &c);
	}
	return c;
}

static int percent(int part, int whole)
{
	return whole ? 100 * part / whole : -1;
}

static void cold_frames(void)
{
	static const double temps_c[] = { 30, 64, 81 };

	for (unsigned int i = 0; i < KTAP_COUNT(temps_c); i++) {
		struct counts c;

		rig_init(&rig, W, H, 8, 4, 1.0, 7);
		c = watch(&rig, temps_c[i], 100, 8);
		printf("# %g degC: precision %d %%, recall %d %%\n",
		       temps_c[i], percent(c.matches, c.found),
		       percent(c.matches, c.objects));
		EXPECT(percent(c.matches, c.found) > 90, "%g", temps_c[i]);
		EXPECT(percent(c.matches, c.objects) > 90, "%g", temps_c[i]);
	}
}

/* Dark charge fills the converter: 820 e- of 988 at 100 degC. */
static void hot_frames(void)
{
	struct counts c;

	rig_init(&rig, W, H, 8, 4, 1.0, 7);
	(void)watch(&rig, 40, 10, 8);
	EXPECT(rig.result.detections == 4, "%u", rig.result.detections);
	c = (struct counts){ 0 };
	for (int n = 0; n < 60; n++) {
		EXPECT(!rig_frame(&rig, dim(105), true, 8), "%d", n);
		/* What is still reported has been predicted from before. */
		if (n >= 10)
			judge(&rig, &c);
	}
	EXPECT(rig.result.flags & VPU_BLIND, "flags %x", rig.result.flags);
	EXPECT(c.matches == 0, "%d", c.matches);
	/* And it finds them again in the cold, with the same background. */
	c = (struct counts){ 0 };
	for (int n = 0; n < 60; n++) {
		EXPECT(!rig_frame(&rig, dim(60), true, 8), "%d", n);
		if (n >= 10)
			judge(&rig, &c);
	}
	EXPECT(percent(c.matches, c.objects) > 90, "%d of %d", c.matches,
	       c.objects);
}

/* Seasons: the die jumps by 13 degC, and with it the brightness of all. */
static void seasons(void)
{
	struct counts c = { 0 };

	rig_init(&rig, W, H, 8, 4, 1.0, 11);
	for (int n = 0; n < 150; n++) {
		double temp_c = n / 20 % 2 ? 68 : 81;

		EXPECT(!rig_frame(&rig, dim(temp_c), true, 8), "%d", n);
		if (n >= 30)
			judge(&rig, &c);
	}
	EXPECT(percent(c.matches, c.found) > 90, "%d of %d", c.matches,
	       c.found);
	EXPECT(percent(c.matches, c.objects) > 90, "%d of %d", c.matches,
	       c.objects);
}

static void nothing_moves(void)
{
	struct counts c;

	rig_init(&rig, W, H, 8, 0, 0, 3);
	c = watch(&rig, 81, 100, 8);
	EXPECT(c.found == 0, "%d false detections", c.found);
}

static void sizes_and_depths(void)
{
	static const struct {
		int w, h, bits;
		u32 shift;
	} cases[] = {
		{ 640, 480, 10, 3 }, { 1280, 720, 8, 4 },
		{ 1920, 1080, 8, 4 }, { 1920, 1080, 10, 4 },
		{ 650, 470, 8, 3 },		/* cut cells at two edges */
	};

	for (unsigned int i = 0; i < KTAP_COUNT(cases); i++) {
		struct counts c;

		rig_init(&rig, cases[i].w, cases[i].h, cases[i].bits, 3,
			 1.0 * cases[i].h / 480, 5);
		EXPECT(rig.state.cell_shift == cases[i].shift, "%u", i);
		c = watch(&rig, 50, 10, 8);
		EXPECT(percent(c.matches, c.objects) > 90, "case %u: %d of %d",
		       i, c.matches, c.objects);
	}
}

static u32 crc_of(const void *data, size_t len)
{
	const u8 *p = data;
	u32 h = 2166136261u;

	while (len--)
		h = (h ^ *p++) * 16777619u;
	return h;
}

static bool same_result(const struct vpu_result *a, const struct vpu_result *b)
{
	if (a->flags != b->flags || a->noise_q8 != b->noise_q8 ||
	    a->pedestal_q8 != b->pedestal_q8 || a->blobs != b->blobs ||
	    a->detections != b->detections)
		return false;
	for (u32 i = 0; i < a->detections; i++) {
		const struct vpu_detection *p = &a->detection[i];
		const struct vpu_detection *q = &b->detection[i];

		if (p->x != q->x || p->y != q->y || p->w != q->w ||
		    p->h != q->h || p->id != q->id || p->age != q->age ||
		    p->seen != q->seen)
			return false;
	}
	return true;
}

/* The other side continues with the same bits, whatever was in it. */
static void hand_over(void)
{
	rig_init(&rig, W, H, 8, 4, 1.0, 7);
	(void)watch(&rig, 70, 20, 8);

	memset(&other, 0xa5, sizeof(other));
	vpu_seal(&rig.state);
	memcpy(&other.state, &rig.state, sizeof(other.state));
	other.scene = rig.scene;
	other.seq = rig.seq;
	EXPECT(!vpu_check(&other.state), "a copy");
	for (int n = 0; n < 40; n++) {
		EXPECT(!rig_frame(&rig, dim(70), true, 8), "%d", n);
		EXPECT(!rig_frame(&other, dim(70), true, 8), "%d", n);
		EXPECT(same_result(&rig.result, &other.result),
		       "frame %d differs", n);
	}
	EXPECT(!memcmp(&rig.state, &other.state, sizeof(rig.state)),
	       "states differ");
	EXPECT(rig.result.detections > 0, "nothing to compare");
}

/* Every flipped bit is noticed, wherever it is. */
static void damaged_state(void)
{
	u8 *bytes = (u8 *)&other.state;

	rig_init(&rig, W, H, 8, 4, 1.0, 7);
	(void)watch(&rig, 50, 5, 8);
	vpu_seal(&rig.state);
	for (size_t at = 0; at < sizeof(other.state); at += 97) {
		memcpy(&other.state, &rig.state, sizeof(other.state));
		bytes[at] ^= (u8)(1u << (at & 7));
		EXPECT(vpu_check(&other.state), "byte %zu", at);
	}
	memcpy(&other.state, &rig.state, sizeof(other.state));
	other.state.version++;
	vpu_seal(&other.state);
	EXPECT(vpu_check(&other.state) == -EPROTO, "version");
	memcpy(&other.state, &rig.state, sizeof(other.state));
	other.state.cols = 4000;
	vpu_seal(&other.state);
	EXPECT(vpu_check(&other.state) == -ERANGE, "geometry");
	memcpy(&other.state, &rig.state, sizeof(other.state));
	other.state.track[3].vx_q8 = INT32_MIN;
	vpu_seal(&other.state);
	EXPECT(vpu_check(&other.state) == -ERANGE, "track");
	/* Not sealed since it was used. */
	memcpy(&other.state, &rig.state, sizeof(other.state));
	other.scene = rig.scene;
	other.seq = rig.seq;
	EXPECT(!rig_frame(&other, dim(50), true, 8), "frame");
	EXPECT(vpu_check(&other.state) == -EIO, "stale seal");
}

static void twice_the_same(void)
{
	u32 first;

	rig_init(&rig, W, H, 8, 4, 1.3, 21);
	(void)watch(&rig, 90, 60, 8);
	first = crc_of(&rig.state, sizeof(rig.state));
	memset(&rig, 0x5a, sizeof(rig));
	rig_init(&rig, W, H, 8, 4, 1.3, 21);
	(void)watch(&rig, 90, 60, 8);
	EXPECT(crc_of(&rig.state, sizeof(rig.state)) == first, "state");
}

static void refusals(void)
{
	struct vpu_frame f = { .seq = 1, .pixels = rig.pixels, .width = W,
			       .height = H, .stride = W, .bits = 8 };
	u32 before;

	EXPECT(vpu_init(&rig.state, 32, 480, 8) == -ERANGE, "narrow");
	EXPECT(vpu_init(&rig.state, 4096, 480, 8) == -ERANGE, "wide");
	EXPECT(vpu_init(&rig.state, 2048, 2048, 8) == -ERANGE, "area");
	EXPECT(vpu_init(&rig.state, W, H, 9) == -ERANGE, "depth");
	EXPECT(!vpu_init(&rig.state, W, H, 8), "VGA");
	memset(rig.pixels, 60, sizeof(rig.pixels));
	EXPECT(!vpu_process(&rig.state, &rig.work, &f, &rig.result), "first");
	before = crc_of(&rig.state, sizeof(rig.state));
	EXPECT(vpu_process(&rig.state, &rig.work, &f, &rig.result) == -EINVAL,
	       "the same frame again");
	f.seq = 2;
	f.stride = W - 1;
	EXPECT(vpu_process(&rig.state, &rig.work, &f, &rig.result) == -EINVAL,
	       "stride");
	f.stride = W;
	f.bits = 10;
	EXPECT(vpu_process(&rig.state, &rig.work, &f, &rig.result) == -EINVAL,
	       "depth");
	EXPECT(crc_of(&rig.state, sizeof(rig.state)) == before,
	       "a refused frame left its mark");
}

/* Noise, blocks of noise, stripes, flashes. */
static u8 garbage_pixel(int kind, int i, u64 seq, u64 k)
{
	switch (kind) {
	case 0:
		return (u8)(k >> (8 * (i & 7)));
	case 1:
		return (u8)mix(seq * 2000 + (u64)(i / 16 % 40 + i / (W * 16) *
						  40));
	case 2:
		return (u8)(i / 16 * (int)seq);
	default:
		return (u8)(seq * 37);
	}
}

/* Frames without sense: nothing may be read or written out of bounds. */
static void garbage(void)
{
	u64 k = 1;

	for (int round = 0; round < 4; round++) {
		EXPECT(!vpu_init(&rig.state, W, H, 8), "init");
		for (u64 seq = 1; seq <= 60; seq++) {
			struct vpu_frame f = { .seq = seq * seq,
					       .pixels = rig.pixels,
					       .width = W, .height = H,
					       .stride = W, .bits = 8 };

			for (int i = 0; i < W * H; i++) {
				if (!(i & 7))
					k = mix(k);
				/* full noise, blocks, stripes, flat */
				rig.pixels[i] = garbage_pixel(round, i, seq, k);
			}
			EXPECT(!vpu_process(&rig.state, &rig.work, &f,
					    &rig.result), "%d", round);
			EXPECT(rig.result.detections <= VPU_DETECTIONS_MAX,
			       "%u", rig.result.detections);
			for (u32 i = 0; i < rig.result.detections; i++) {
				const struct vpu_detection *d =
					&rig.result.detection[i];

				EXPECT(d->x >= 0 && d->y >= 0 && d->w > 0 &&
				       d->h > 0 && d->x + d->w <= W &&
				       d->y + d->h <= H, "outside");
			}
		}
		vpu_seal(&rig.state);
		EXPECT(!vpu_check(&rig.state), "round %d", round);
	}
}

/* A light is switched on: the old background is given up and relearnt. */
static void another_scene(void)
{
	struct scene_camera bright;
	struct counts c = { 0 };

	rig_init(&rig, W, H, 8, 3, 1.0, 9);
	(void)watch(&rig, 40, 10, 8);
	rig.scene.seed += 1;
	still_init(&rig.scene);
	bright = *dim(40);
	bright.level_e *= 2;
	for (int n = 0; n < 100; n++) {
		EXPECT(!rig_frame(&rig, &bright, true, 8), "%d", n);
		if (n >= 60)
			judge(&rig, &c);
	}
	EXPECT(percent(c.matches, c.objects) > 80, "%d of %d", c.matches,
	       c.objects);
}

static const struct ktap_test tests[] = {
	{ "cold frames: precision and recall above 90 %", cold_frames },
	{ "hot frames blind it, and it recovers", hot_frames },
	{ "steps of the dark charge do not disturb", seasons },
	{ "no object, no detection", nothing_moves },
	{ "sizes from VGA to 1080p, 8 and 10 bits", sizes_and_depths },
	{ "a copied state continues bit for bit", hand_over },
	{ "a damaged state is refused", damaged_state },
	{ "two runs are the same", twice_the_same },
	{ "bad arguments change nothing", refusals },
	{ "any pixels are safe", garbage },
	{ "another scene is learnt", another_scene },
};

int main(void)
{
	return ktap_main(tests, KTAP_COUNT(tests));
}
