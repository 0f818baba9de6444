// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * vpu.c - one frame through the stages, and the state's way elsewhere
 */
#include "vpu-internal.h"

static u32 cells_along(u32 pixels, u32 shift)
{
	return (pixels + (1u << shift) - 1) >> shift;
}

/*
 * Cells of 8 pixels where they fit, else of 16. Cells at the right and
 * lower edge may be narrower.
 */
static int grid_choose(u32 width, u32 height, u32 *ret_shift)
{
	for (u32 shift = 3; shift <= 4; shift++)
		if (cells_along(width, shift) * cells_along(height, shift) <=
		    VPU_CELLS_MAX) {
			*ret_shift = shift;
			return 0;
		}
	return -ERANGE;
}

static bool side_ok(u32 pixels)
{
	return pixels >= VPU_SIDE_MIN && pixels <= VPU_SIDE_MAX;
}

static bool bits_ok(u32 bits)
{
	return bits == 8 || (bits >= 10 && bits <= 16);
}

int vpu_init(struct vpu_state *state, u32 width, u32 height, u32 bits)
{
	u32 shift;

	if (!side_ok(width) || !side_ok(height) || !bits_ok(bits) ||
	    grid_choose(width, height, &shift))
		return -ERANGE;

	/*
	 * Every byte has a value, used or not: the checksum covers them all
	 * and two states that did the same are equal as memory.
	 */
	__builtin_memset(state, 0, sizeof(*state));
	state->magic = VPU_MAGIC;
	state->version = VPU_VERSION;
	state->size = sizeof(*state);
	state->width = width;
	state->height = height;
	state->bits = bits;
	state->cell_shift = shift;
	state->cols = cells_along(width, shift);
	state->rows = cells_along(height, shift);
	return 0;
}

static int frame_check(const struct vpu_state *state,
		       const struct vpu_frame *frame)
{
	u32 bytes = frame->bits == 8 ? 1 : 2;

	if (!frame->pixels || frame->width != state->width ||
	    frame->height != state->height || frame->bits != state->bits ||
	    frame->stride < frame->width * bytes)
		return -EINVAL;
	if (state->frames && frame->seq <= state->last_seq)
		return -EINVAL;
	return 0;
}

static void scene_forget(struct vpu_state *state)
{
	vpu_tracks_forget(state);
	state->learnt = 0;
	state->upset = 0;
}

static void compare_and_track(struct vpu_state *state, struct vpu_work *work,
			      u32 periods, struct vpu_result *ret)
{
	if (!vpu_background_compare(state, work, ret)) {
		ret->flags |= VPU_BLIND;
		vpu_tracks_step(state, work, periods, true, ret);
		return;
	}
	if (ret->masked_permyriad > VPU_UPSET_PERMYRIAD) {
		/* Once may be a flash; nothing is learnt from it. */
		vpu_tracks_step(state, work, periods, true, ret);
		if (++state->upset >= VPU_UPSET_FRAMES) {
			scene_forget(state);
			ret->flags |= VPU_RELEARN;
			ret->detections = 0;
		}
		return;
	}
	state->upset = 0;
	vpu_blobs_find(state, work, ret);
	vpu_tracks_step(state, work, periods, false, ret);
	vpu_background_update(state, work);
}

int vpu_process(struct vpu_state *state, struct vpu_work *work,
		const struct vpu_frame *frame, struct vpu_result *ret)
{
	int r = frame_check(state, frame);
	u64 gap;

	if (r)
		return r;
	gap = state->frames ? frame->seq - state->last_seq : 1;
	ret->flags = 0;
	ret->noise_q8 = 0;
	ret->pedestal_q8 = 0;
	ret->masked_permyriad = 0;
	ret->saturated_permyriad = 0;
	ret->blobs = 0;
	ret->detections = 0;

	vpu_reduce(state, work, frame);
	if (state->learnt < VPU_LEARN_FRAMES) {
		ret->flags |= VPU_LEARNING;
		vpu_background_learn(state, work, ret);
	} else {
		compare_and_track(state, work,
				  gap > UINT32_MAX ? UINT32_MAX : (u32)gap,
				  ret);
	}
	state->last_seq = frame->seq;
	state->frames++;
	return 0;
}

/*
 * CRC-32 (reflected, 0xedb88320) four bits at a time: a table of 64 bytes
 * is what a small processor has room for.
 */
static u32 crc32_add(u32 crc, const u8 *bytes, size_t len)
{
	static const u32 nibble[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};

	while (len--) {
		crc ^= *bytes++;
		crc = nibble[crc & 15] ^ (crc >> 4);
		crc = nibble[crc & 15] ^ (crc >> 4);
	}
	return crc;
}

static u32 state_crc(const struct vpu_state *state)
{
	const u8 *bytes = (const u8 *)state;
	const size_t at = offsetof(struct vpu_state, checksum);
	const u8 zero[sizeof(state->checksum)] = { 0 };
	u32 crc = 0xffffffffu;

	crc = crc32_add(crc, bytes, at);
	crc = crc32_add(crc, zero, sizeof(zero));
	crc = crc32_add(crc, bytes + at + sizeof(zero),
			sizeof(*state) - at - sizeof(zero));
	return ~crc;
}

void vpu_seal(struct vpu_state *state)
{
	state->checksum = state_crc(state);
}

static bool within(s32 value, s32 low, s32 high)
{
	return value >= low && value <= high;
}

/*
 * What track_step() can produce, with room: outside of it 32 bits would not
 * hold the tracker's sums.
 */
static bool track_possible(const struct vpu_track *t)
{
	const s32 far_q8 = 1 << 26, side_q8 = VPU_SIDE_MAX * 256;

	return t->phase <= VPU_TRACK_SURE &&
	       within(t->cx_q8, -far_q8, far_q8) &&
	       within(t->cy_q8, -far_q8, far_q8) &&
	       within(t->bx_q8, 0, side_q8) && within(t->by_q8, 0, side_q8) &&
	       within(t->w_q8, 0, side_q8) && within(t->h_q8, 0, side_q8) &&
	       within(t->vx_q8, -VPU_SPEED_MAX_Q8, VPU_SPEED_MAX_Q8) &&
	       within(t->vy_q8, -VPU_SPEED_MAX_Q8, VPU_SPEED_MAX_Q8);
}

int vpu_check(const struct vpu_state *state)
{
	u32 shift;

	if (state->magic != VPU_MAGIC || state->version != VPU_VERSION ||
	    state->size != sizeof(*state))
		return -EPROTO;
	if (state->checksum != state_crc(state))
		return -EIO;
	if (!side_ok(state->width) || !side_ok(state->height) ||
	    !bits_ok(state->bits) ||
	    grid_choose(state->width, state->height, &shift) ||
	    shift != state->cell_shift ||
	    state->cols != cells_along(state->width, shift) ||
	    state->rows != cells_along(state->height, shift))
		return -ERANGE;
	for (u32 i = 0; i < VPU_TRACKS_MAX; i++)
		if (!track_possible(&state->track[i]))
			return -ERANGE;
	return 0;
}
