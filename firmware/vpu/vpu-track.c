// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * vpu-track.c - blobs of one frame to objects over time
 *
 *	free -- a blob nobody owns --> trial -- seen and moved --> sure
 *	 ^                              |                           |
 *	 +----- not seen twice ---------+-- not seen for long ------+
 *
 * Tracks move on with constant velocity, nearest pairs of track and blob
 * are joined first. Only what has moved is an object: ghosts of the first
 * frames and patches of fixed pattern noise stay on trial until the
 * background has absorbed them.
 *
 * A blob over the centres of several sure tracks is those objects in front
 * of each other: each goes on at its own speed and size. A blob inside a
 * sure track that has one already is another part of the same object.
 */
#include "vpu-internal.h"

#define NONE		0xff

/* Sightings and movement that make a track sure. */
#define SURE_HITS	3
#define MOVED_Q8	(6 * 256)
/* Frames without a sighting that end it, or end its being reported. */
#define TRIAL_MISSES	1
#define SURE_MISSES	10
#define HIDDEN_MISSES	40
#define REPORT_MISSES	3
/* Its size is known; how long a larger patch is not believed. */
#define SETTLED_HITS	8
#define SWOLLEN_MISSES	20
/*
 * A sure track that has stayed where it is for so long is part of the scene:
 * the task is to find what moves.
 */
#define STILL_FRAMES	24

/* Distance beyond the object's own half size that a pair may span. */
#define GATE_SURE_PX	16
#define GATE_TRIAL_PX	32

/* A longer gap says nothing about where things are now. */
#define PERIODS_MAX	128

struct pairing {
	u8 of_track[VPU_TRACKS_MAX];	/* blob, or NONE */
	u8 of_blob[VPU_BLOBS_MAX];	/* track, or NONE */
	u8 covered[VPU_BLOBS_MAX];	/* sure tracks with their centre here */
	bool hidden[VPU_TRACKS_MAX];
};

static s32 blob_cx_q8(const struct vpu_blob *b)
{
	return (b->x0_q8 + b->x1_q8) / 2;
}

static s32 blob_cy_q8(const struct vpu_blob *b)
{
	return (b->y0_q8 + b->y1_q8) / 2;
}

static s32 larger(s32 a, s32 b)
{
	return a > b ? a : b;
}

static s32 smaller(s32 a, s32 b)
{
	return a < b ? a : b;
}

void vpu_tracks_forget(struct vpu_state *state)
{
	for (u32 i = 0; i < VPU_TRACKS_MAX; i++)
		state->track[i] = (struct vpu_track){ 0 };
}

static void track_predict(struct vpu_track *t, s32 periods)
{
	t->cx_q8 += t->vx_q8 * periods;
	t->cy_q8 += t->vy_q8 * periods;
}

/* Squared distance in pixels, or U32_MAX when the two cannot be one. */
static u32 pair_cost(const struct vpu_track *t, const struct vpu_blob *b)
{
	s32 dx = (blob_cx_q8(b) - t->cx_q8) / 256;
	s32 dy = (blob_cy_q8(b) - t->cy_q8) / 256;
	s32 size = larger(t->w_q8, t->h_q8) / 512;
	s32 gate = size + (t->phase == VPU_TRACK_SURE ? GATE_SURE_PX :
							GATE_TRIAL_PX);

	if (vpu_abs(dx) > gate || vpu_abs(dy) > gate)
		return UINT32_MAX;
	return (u32)(dx * dx + dy * dy);
}

static bool blob_covers(const struct vpu_blob *b, const struct vpu_track *t)
{
	return t->cx_q8 >= b->x0_q8 && t->cx_q8 < b->x1_q8 &&
	       t->cy_q8 >= b->y0_q8 && t->cy_q8 < b->y1_q8;
}

/* The blob's centre lies in the track's box, an eighth wider each side. */
static bool track_covers(const struct vpu_track *t, const struct vpu_blob *b)
{
	s32 half_w = t->w_q8 / 2 + t->w_q8 / 8;
	s32 half_h = t->h_q8 / 2 + t->h_q8 / 8;

	return vpu_abs(blob_cx_q8(b) - t->cx_q8) <= half_w &&
	       vpu_abs(blob_cy_q8(b) - t->cy_q8) <= half_h;
}

/* Nearest pair first, until no pair is left; sure tracks before trials. */
static void pair_up(const struct vpu_state *state, const struct vpu_work *work,
		    enum vpu_track_phase phase, struct pairing *p)
{
	for (;;) {
		u32 best = UINT32_MAX, best_t = 0, best_b = 0;

		for (u32 t = 0; t < VPU_TRACKS_MAX; t++) {
			if (state->track[t].phase != phase ||
			    p->of_track[t] != NONE || p->hidden[t])
				continue;
			for (u32 b = 0; b < work->blobs; b++) {
				u32 cost;

				if (p->of_blob[b] != NONE || p->covered[b] > 1)
					continue;
				cost = pair_cost(&state->track[t],
						 &work->blob[b]);
				if (cost < best) {
					best = cost;
					best_t = t;
					best_b = b;
				}
			}
		}
		if (best == UINT32_MAX)
			return;
		p->of_track[best_t] = (u8)best_b;
		p->of_blob[best_b] = (u8)best_t;
	}
}

static void find_hidden(const struct vpu_state *state,
			const struct vpu_work *work, struct pairing *p)
{
	for (u32 b = 0; b < work->blobs; b++) {
		p->covered[b] = 0;
		for (u32 t = 0; t < VPU_TRACKS_MAX; t++)
			if (state->track[t].phase == VPU_TRACK_SURE &&
			    blob_covers(&work->blob[b], &state->track[t]))
				p->covered[b]++;
		if (p->covered[b] < 2)
			continue;
		for (u32 t = 0; t < VPU_TRACKS_MAX; t++)
			if (state->track[t].phase == VPU_TRACK_SURE &&
			    blob_covers(&work->blob[b], &state->track[t]))
				p->hidden[t] = true;
	}
}

/* Larger than the track by more than 1/@part: more than its object. */
static bool too_large(const struct vpu_track *t, const struct vpu_blob *b,
		      s32 part)
{
	return b->x1_q8 - b->x0_q8 > t->w_q8 + t->w_q8 / part ||
	       b->y1_q8 - b->y0_q8 > t->h_q8 + t->h_q8 / part;
}

static bool at_border(const struct vpu_state *state, const struct vpu_blob *b)
{
	return b->x0_q8 <= 0 || b->y0_q8 <= 0 ||
	       b->x1_q8 >= (s32)(state->width << 8) ||
	       b->y1_q8 >= (s32)(state->height << 8);
}

/* Parts of one object: unowned blobs inside a sure track join its blob. */
static void join_parts(struct vpu_state *state, struct vpu_work *work,
		       struct pairing *p)
{
	for (u32 b = 0; b < work->blobs; b++) {
		struct vpu_blob *part = &work->blob[b];

		if (p->of_blob[b] != NONE || p->covered[b] > 1)
			continue;
		for (u32 i = 0; i < VPU_TRACKS_MAX; i++) {
			const struct vpu_track *t = &state->track[i];
			struct vpu_blob *whole, both;

			if (t->phase != VPU_TRACK_SURE ||
			    p->of_track[i] == NONE || !track_covers(t, part))
				continue;
			whole = &work->blob[p->of_track[i]];
			both = *whole;
			both.x0_q8 = smaller(whole->x0_q8, part->x0_q8);
			both.y0_q8 = smaller(whole->y0_q8, part->y0_q8);
			both.x1_q8 = larger(whole->x1_q8, part->x1_q8);
			both.y1_q8 = larger(whole->y1_q8, part->y1_q8);
			if (too_large(t, &both, 8))
				continue;
			/* In pieces: good for the place, not for the size. */
			both.pieces = 1;
			*whole = both;
			part->moving = 1;
			p->of_blob[b] = (u8)i;
			break;
		}
	}
}

/*
 * A known object inside a patch that is too large for it: it touches a
 * ghost or something not yet known. It goes on as it was, for as long as a
 * hidden one may.
 */
static void find_swollen(const struct vpu_state *state,
			 const struct vpu_work *work, struct pairing *p)
{
	for (u32 i = 0; i < VPU_TRACKS_MAX; i++) {
		const struct vpu_track *t = &state->track[i];
		const struct vpu_blob *b;

		if (t->phase != VPU_TRACK_SURE || p->of_track[i] == NONE ||
		    t->hits < SETTLED_HITS || t->misses >= SWOLLEN_MISSES)
			continue;
		b = &work->blob[p->of_track[i]];
		if (at_border(state, b) ||
		    !too_large(t, b, 2))
			continue;
		p->covered[p->of_track[i]] = 2;
		p->of_track[i] = NONE;
		p->hidden[i] = true;
	}
}

/* Alpha-beta filter; gains 3/4 and 2/5, sizes 1/4 once they have settled. */
static void track_measure(struct vpu_track *t, const struct vpu_blob *b,
			  s32 periods)
{
	s32 rx = blob_cx_q8(b) - t->cx_q8, ry = blob_cy_q8(b) - t->cy_q8;
	s32 w = b->x1_q8 - b->x0_q8, h = b->y1_q8 - b->y0_q8;

	if (t->hits == 1) {
		/* The second sighting is the first that tells a speed. */
		t->vx_q8 = rx / periods;
		t->vy_q8 = ry / periods;
		t->cx_q8 += rx;
		t->cy_q8 += ry;
	} else {
		t->vx_q8 += rx * 2 / (5 * periods);
		t->vy_q8 += ry * 2 / (5 * periods);
		t->cx_q8 += rx * 3 / 4;
		t->cy_q8 += ry * 3 / 4;
	}
	t->vx_q8 = vpu_clamp(t->vx_q8, -VPU_SPEED_MAX_Q8, VPU_SPEED_MAX_Q8);
	t->vy_q8 = vpu_clamp(t->vy_q8, -VPU_SPEED_MAX_Q8, VPU_SPEED_MAX_Q8);
	if (!b->pieces) {
		t->w_q8 += (w - t->w_q8) / (t->hits < 4 ? 2 : 4);
		t->h_q8 += (h - t->h_q8) / (t->hits < 4 ? 2 : 4);
	}
	t->misses = 0;
	if (t->hits < 255)
		t->hits++;
}

static bool has_moved(const struct vpu_track *t)
{
	return vpu_abs(t->cx_q8 - t->bx_q8) + vpu_abs(t->cy_q8 - t->by_q8) >=
	       MOVED_Q8;
}

/* The anchor follows a sure track by leaps; noise does not make one. */
static void track_judge_motion(struct vpu_track *t)
{
	if (has_moved(t)) {
		t->bx_q8 = t->cx_q8;
		t->by_q8 = t->cy_q8;
		t->still = 0;
	} else if (t->still < 255) {
		t->still++;
	}
}

static void track_promote(struct vpu_track *t)
{
	if (t->phase == VPU_TRACK_TRIAL && t->hits >= SURE_HITS &&
	    has_moved(t)) {
		t->phase = VPU_TRACK_SURE;
		t->age = 0;
	}
}

static void track_miss(const struct vpu_state *state, struct vpu_track *t,
		       bool hidden)
{
	u32 limit = t->phase == VPU_TRACK_TRIAL ? TRIAL_MISSES :
		    hidden			? HIDDEN_MISSES :
						  SURE_MISSES;

	t->misses++;
	if (t->misses > limit || t->cx_q8 < 0 || t->cy_q8 < 0 ||
	    t->cx_q8 >= (s32)(state->width << 8) ||
	    t->cy_q8 >= (s32)(state->height << 8))
		*t = (struct vpu_track){ 0 };
}

static void track_birth(struct vpu_state *state, const struct vpu_blob *b,
			struct vpu_result *ret)
{
	for (u32 i = 0; i < VPU_TRACKS_MAX; i++) {
		struct vpu_track *t = &state->track[i];

		if (t->phase != VPU_TRACK_FREE)
			continue;
		*t = (struct vpu_track){
			.cx_q8 = blob_cx_q8(b),
			.cy_q8 = blob_cy_q8(b),
			.bx_q8 = blob_cx_q8(b),
			.by_q8 = blob_cy_q8(b),
			.w_q8 = b->x1_q8 - b->x0_q8,
			.h_q8 = b->y1_q8 - b->y0_q8,
			.id = (u16)state->next_id,
			.phase = VPU_TRACK_TRIAL,
			.hits = 1,
		};
		state->next_id = (state->next_id + 1) & 0xffff;
		return;
	}
	ret->flags |= VPU_CROWDED;
}

static void report(const struct vpu_state *state, const struct vpu_track *t,
		   bool hidden, struct vpu_result *ret)
{
	struct vpu_detection *d;
	s32 x0, y0, x1, y1;

	if (t->phase != VPU_TRACK_SURE || t->still >= STILL_FRAMES ||
	    (t->misses > REPORT_MISSES && !hidden))
		return;
	x0 = vpu_clamp((t->cx_q8 - t->w_q8 / 2 + 128) / 256, 0,
		       (s32)state->width - 1);
	y0 = vpu_clamp((t->cy_q8 - t->h_q8 / 2 + 128) / 256, 0,
		       (s32)state->height - 1);
	x1 = vpu_clamp((t->cx_q8 + t->w_q8 / 2 + 128) / 256, x0 + 1,
		       (s32)state->width);
	y1 = vpu_clamp((t->cy_q8 + t->h_q8 / 2 + 128) / 256, y0 + 1,
		       (s32)state->height);
	d = &ret->detection[ret->detections++];
	*d = (struct vpu_detection){
		.x = x0,
		.y = y0,
		.w = x1 - x0,
		.h = y1 - y0,
		.id = t->id,
		.age = t->age,
		.seen = t->misses == 0,
	};
}

void vpu_tracks_step(struct vpu_state *state, struct vpu_work *work,
		     u32 periods, bool blind, struct vpu_result *ret)
{
	s32 dt = (s32)(periods < PERIODS_MAX ? periods : PERIODS_MAX);
	struct pairing p;

	if (periods > PERIODS_MAX)
		vpu_tracks_forget(state);
	for (u32 t = 0; t < VPU_TRACKS_MAX; t++) {
		p.of_track[t] = NONE;
		p.hidden[t] = false;
		if (state->track[t].phase != VPU_TRACK_FREE)
			track_predict(&state->track[t], dt);
	}
	if (blind)
		work->blobs = 0;
	for (u32 b = 0; b < work->blobs; b++)
		p.of_blob[b] = NONE;
	find_hidden(state, work, &p);
	pair_up(state, work, VPU_TRACK_SURE, &p);
	join_parts(state, work, &p);
	find_swollen(state, work, &p);
	pair_up(state, work, VPU_TRACK_TRIAL, &p);

	for (u32 i = 0; i < VPU_TRACKS_MAX; i++) {
		struct vpu_track *t = &state->track[i];

		if (t->phase == VPU_TRACK_FREE)
			continue;
		if (p.of_track[i] == NONE) {
			track_miss(state, t, p.hidden[i]);
		} else {
			struct vpu_blob *b = &work->blob[p.of_track[i]];

			track_measure(t, b, dt);
			track_promote(t);
			if (t->phase == VPU_TRACK_SURE)
				track_judge_motion(t);
			b->moving = t->phase == VPU_TRACK_SURE &&
				    t->still < STILL_FRAMES;
		}
		if (t->phase == VPU_TRACK_SURE && t->age < 0xffff)
			t->age++;
		report(state, t, p.hidden[i], ret);
	}
	for (u32 b = 0; b < work->blobs; b++) {
		if (p.covered[b] > 1)
			work->blob[b].moving = 1;
		else if (p.of_blob[b] == NONE)
			track_birth(state, &work->blob[b], ret);
	}
}
