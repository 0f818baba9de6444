/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * vpu-internal.h - the stages of vpu.c, and the numbers they work with
 */
#ifndef NST_VPU_INTERNAL_H
#define NST_VPU_INTERNAL_H

#include "vpu.h"

/* Cells above this are at full scale: they say nothing about the scene. */
#define VPU_FULL_Q8		(250 * 256)

/* Frames of voting before anything is called different. */
#define VPU_LEARN_FRAMES	24
/* Two sightings of the same thing; above the noise of any usable frame. */
#define VPU_AGREE_Q8		(4 * 256)
/* Then each frame counts 1/32; what stopped moving, 1/16. */
#define VPU_LEARN_SHIFT		5
#define VPU_ABSORB_SHIFT	4
/* It has not moved for so many frames, or is part of the scene after so many. */
#define VPU_DIFFERS_MIN		8
#define VPU_DIFFERS_MAX		90

/*
 * A cell differs when it is further from the background than so many times
 * its usual deviation (mean absolute, 0.8 sigma of a normal distribution);
 * a patch needs cells that differ strongly. The floors stand for what
 * quantisation and flicker do on a noiseless sensor.
 */
#define VPU_WEAK_TIMES		3
#define VPU_STRONG_TIMES	6
#define VPU_WEAK_FLOOR_Q8	192
#define VPU_STRONG_FLOOR_Q8	512

/* A cell needs so many neighbours of eight, a blob so many cells. */
#define VPU_NEIGHBOURS_MIN	2
#define VPU_BLOB_CELLS_MIN	3
#define VPU_BLOB_STRONG_MIN	2

/* Most of the scene differs, twice in a row: it is another scene. */
#define VPU_UPSET_PERMYRIAD	5000
#define VPU_UPSET_FRAMES	2

/* Fewer usable cells than one in eight: no statement about the frame. */
#define VPU_USABLE_PART		8

/* Faster than a side in a few periods cannot be told from a new object. */
#define VPU_SPEED_MAX_Q8	(128 * 256)

#define VPU_MASK_WEAK		(1u << 0)
#define VPU_MASK_STRONG		(1u << 1)
#define VPU_MASK_KEPT		(1u << 2)	/* survived the density filter */

#define VPU_LABEL_NONE		0xff

static inline s32 vpu_clamp(s32 value, s32 low, s32 high)
{
	return value < low ? low : value > high ? high : value;
}

static inline s32 vpu_abs(s32 value)
{
	return value < 0 ? -value : value;
}

static inline u32 vpu_cells(const struct vpu_state *state)
{
	return state->cols * state->rows;
}

/** vpu_reduce() - pixels to the mean of each cell; vpu-cells.c */
void vpu_reduce(const struct vpu_state *state, struct vpu_work *work,
		const struct vpu_frame *frame);

/** vpu_background_learn() - one frame of the first learning */
void vpu_background_learn(struct vpu_state *state, struct vpu_work *work,
			  struct vpu_result *ret);

/**
 * vpu_background_compare() - fills diff and mask
 * Return: false when too little of the frame is usable.
 */
bool vpu_background_compare(const struct vpu_state *state,
			    struct vpu_work *work, struct vpu_result *ret);

/** vpu_background_update() - learn what does not belong to a moving blob */
void vpu_background_update(struct vpu_state *state,
			   const struct vpu_work *work);

/** vpu_blobs_find() - density filter, connected patches, boxes */
void vpu_blobs_find(const struct vpu_state *state, struct vpu_work *work,
		    struct vpu_result *ret);

/**
 * vpu_tracks_step() - associate, move, begin and end tracks
 * @periods: frame periods since the last frame, at least 1
 * @blind: there was nothing to see; tracks are moved on only
 *
 * Marks the blobs that belong to moving objects.
 */
void vpu_tracks_step(struct vpu_state *state, struct vpu_work *work,
		     u32 periods, bool blind, struct vpu_result *ret);

/** vpu_tracks_forget() - the scene is another one */
void vpu_tracks_forget(struct vpu_state *state);

#endif /* NST_VPU_INTERNAL_H */
