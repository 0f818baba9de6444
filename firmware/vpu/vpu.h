/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * vpu.h - the vision task that runs near the sensor and far from it
 *
 * Finds and follows what moves in front of a still camera. The same source
 * is the program of the near processor (freestanding, integers only, no
 * heap) and of the far one, so either can go on where the other stopped.
 *
 *	pixels -> cells -> difference -> mask -> blobs -> tracks -> detections
 *	             ^         |                            |
 *	             +-- background: mean, deviation <------+ what is moving
 *	                                                      is not learnt
 *
 * All that survives a frame is struct vpu_state: one flat block without
 * pointers. A hand-over is vpu_seal(), a copy of sizeof(struct vpu_state)
 * bytes, and vpu_check() on the other side; the next frame then gives the
 * same bits as if it had stayed. struct vpu_work is scratch space whose
 * content means nothing between two calls.
 *
 * Brightness is in 1/256 of an 8-bit code ("q8 DN") whatever the depth of
 * the pixels; positions and sizes in 1/256 pixel where named _q8.
 */
#ifndef NST_VPU_H
#define NST_VPU_H

#include "host.h"

#define VPU_MAGIC		0x3155504eu	/* "NPU1" in memory */
#define VPU_VERSION		1

/* 640x480 in cells of 8, up to 1920x1080 in cells of 16. */
#define VPU_CELLS_MAX		8192
#define VPU_SIDE_MIN		64
#define VPU_SIDE_MAX		2048
#define VPU_BLOBS_MAX		64
#define VPU_TRACKS_MAX		32
#define VPU_DETECTIONS_MAX	VPU_TRACKS_MAX

/* Bits of vpu_result.flags. */
#define VPU_LEARNING	(1u << 0)	/* background not known yet */
#define VPU_BLIND	(1u << 1)	/* too little of the frame is usable */
#define VPU_RELEARN	(1u << 2)	/* the scene changed: starts over */
#define VPU_CROWDED	(1u << 3)	/* blobs or tracks did not all fit */

/**
 * struct vpu_frame - one picture
 * @seq: number of the frame period; grows, gaps are dropped frames
 * @pixels: first row; 8 bits: a byte a pixel, 10..16: two, low byte first
 * @stride: bytes from row to row
 */
struct vpu_frame {
	u64 seq;
	const u8 *pixels;
	u32 width;
	u32 height;
	u32 stride;
	u32 bits;
};

/**
 * struct vpu_detection - one followed object, in pixels
 * @id: of the track; stays with the object
 * @age: frames since it was confirmed
 * @seen: false while it is only predicted (hidden or missed)
 */
struct vpu_detection {
	s32 x;
	s32 y;
	s32 w;
	s32 h;
	u16 id;
	u16 age;
	bool seen;
};

/**
 * struct vpu_result - what a frame gave
 * @flags: VPU_*
 * @noise_q8: typical deviation of a cell from the background, q8 DN
 * @pedestal_q8: brightness added to the whole frame since it was learnt:
 *	dark charge shows here
 * @masked_permyriad: share of cells that differ from the background
 * @saturated_permyriad: share of cells at full scale
 */
struct vpu_result {
	u32 flags;
	u32 noise_q8;
	s32 pedestal_q8;
	u32 masked_permyriad;
	u32 saturated_permyriad;
	u32 blobs;
	u32 detections;
	struct vpu_detection detection[VPU_DETECTIONS_MAX];
};

enum vpu_track_phase { VPU_TRACK_FREE = 0, VPU_TRACK_TRIAL, VPU_TRACK_SURE };

/**
 * struct vpu_track - an object, or what may become one
 * @cx_q8, @cy_q8: centre; @w_q8, @h_q8: size
 * @vx_q8, @vy_q8: movement per frame period
 * @bx_q8, @by_q8: where it was first seen, or last known to have moved to
 * @hits: sightings, saturating; @misses: frames in a row without one
 * @still: frames in a row without movement, saturating
 */
struct vpu_track {
	s32 cx_q8;
	s32 cy_q8;
	s32 w_q8;
	s32 h_q8;
	s32 vx_q8;
	s32 vy_q8;
	s32 bx_q8;
	s32 by_q8;
	u16 id;
	u16 age;
	u8 phase;
	u8 hits;
	u8 misses;
	u8 still;
};

/**
 * struct vpu_state - everything that is carried from frame to frame
 * @checksum: CRC-32 of all bytes with this field zero; set by vpu_seal()
 * @learnt: frames since the background was begun, saturating
 * @upset: frames in a row in which most of the scene differed
 * @mean_q8: the scene without its moving objects
 * @dev_q8: usual distance from it; votes while the background is learnt
 * @differs: frames in a row that a cell was part of a blob, saturating
 */
struct vpu_state {
	u32 magic;
	u32 version;
	u32 size;
	u32 checksum;
	u32 width;
	u32 height;
	u32 bits;
	u32 cell_shift;
	u32 cols;
	u32 rows;
	u64 last_seq;
	u64 frames;
	u32 learnt;
	u32 upset;
	u32 next_id;
	u32 reserved;
	struct vpu_track track[VPU_TRACKS_MAX];
	u16 mean_q8[VPU_CELLS_MAX];
	u16 dev_q8[VPU_CELLS_MAX];
	u8 differs[VPU_CELLS_MAX];
};

static_assert(sizeof(struct vpu_state) <= 44 * 1024,
	      "the state must stay small enough to be copied in a frame");

/**
 * struct vpu_blob - a connected patch that differs from the background
 * @x0_q8 .. @y1_q8: edges, finer than a cell
 * @cells: how many; @weight: sum of their differences, q8 DN
 * @moving: belongs to an object; @pieces: joined of several
 */
struct vpu_blob {
	s32 x0_q8;
	s32 y0_q8;
	s32 x1_q8;
	s32 y1_q8;
	u32 cells;
	u32 weight;
	u8 moving;
	u8 pieces;
	u8 reserved[2];
};

/** struct vpu_work - scratch; reuse it, never copy it */
struct vpu_work {
	u16 value_q8[VPU_CELLS_MAX];
	s16 diff_q8[VPU_CELLS_MAX];
	u16 queue[VPU_CELLS_MAX];
	u8 mask[VPU_CELLS_MAX];
	u8 label[VPU_CELLS_MAX];
	u16 bin[1024];
	struct vpu_blob blob[VPU_BLOBS_MAX];
	u32 blobs;
};

/**
 * vpu_init() - start with an unknown background
 * @bits: 8, or 10 to 16
 * Return: 0, or -ERANGE with @state untouched: a side outside
 * VPU_SIDE_MIN..VPU_SIDE_MAX, an area of more than VPU_CELLS_MAX cells of
 * 16x16, or an unknown depth.
 */
int vpu_init(struct vpu_state *state, u32 width, u32 height, u32 bits);

/**
 * vpu_process() - one frame
 * Return: 0 with @ret filled, -EINVAL for a frame of another size or depth,
 * a stride too short, or a sequence number that is not newer than the last
 * (a frame is never done twice); state and result are untouched then.
 */
int vpu_process(struct vpu_state *state, struct vpu_work *work,
		const struct vpu_frame *frame, struct vpu_result *ret);

/** vpu_seal() - compute the checksum before the state is given away */
void vpu_seal(struct vpu_state *state);

/**
 * vpu_check() - may this state be continued?
 * Return: 0; -EPROTO: not a state, of another version or size; -EIO: the
 * checksum does not match; -ERANGE: sealed, but describes an impossible
 * geometry.
 */
int vpu_check(const struct vpu_state *state);

#endif /* NST_VPU_H */
