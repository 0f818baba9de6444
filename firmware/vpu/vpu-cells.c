// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * vpu-cells.c - pixels to cells
 *
 * The only stage that touches every pixel, and so the one that decides how
 * long a frame takes. Eight 8-bit pixels are added at a time in one 64-bit
 * word: even and odd bytes go to four 16-bit lanes each, which 16 rows of
 * 16 pixels cannot overflow (16 * 4 * 255 = 16320).
 */
#include "vpu-internal.h"

#define EVEN_BYTES 0x00ff00ff00ff00ffull

static inline u64 lanes_of_8(const u8 *p)
{
	u64 v;

	__builtin_memcpy(&v, p, sizeof(v));
	return (v & EVEN_BYTES) + ((v >> 8) & EVEN_BYTES);
}

static inline u32 sum_of_lanes(u64 lanes)
{
	u32 half = (u32)lanes + (u32)(lanes >> 32);

	return (half & 0xffff) + (half >> 16);
}

static u32 sum_cell_8(const u8 *p, u32 stride)
{
	u64 lanes = 0;

	for (u32 row = 0; row < 8; row++, p += stride)
		lanes += lanes_of_8(p);
	return sum_of_lanes(lanes);
}

static u32 sum_cell_16(const u8 *p, u32 stride)
{
	u64 lanes = 0;

	for (u32 row = 0; row < 16; row++, p += stride)
		lanes += lanes_of_8(p) + lanes_of_8(p + 8);
	return sum_of_lanes(lanes);
}

/* Any rectangle of any depth; also the cells cut by the lower right edge. */
static u32 sum_rect(const u8 *p, u32 stride, u32 w, u32 h, u32 bits)
{
	u32 sum = 0;

	for (u32 y = 0; y < h; y++, p += stride) {
		if (bits == 8) {
			for (u32 x = 0; x < w; x++)
				sum += p[x];
		} else {
			for (u32 x = 0; x < w; x++)
				sum += (u32)p[2 * x] | (u32)p[2 * x + 1] << 8;
		}
	}
	return sum;
}

/* Mean of @count pixels of @bits in q8 DN of 8 bits; a power of two shifts. */
static u16 mean_q8(u32 sum, u32 count, u32 bits)
{
	u32 shift = bits - 8;
	u32 whole = sum / count;
	u32 rest = sum % count;
	u32 mean = (whole << 8) + (rest << 8) / count;

	mean >>= shift;
	return (u16)(mean > 0xffff ? 0xffff : mean);
}

void vpu_reduce(const struct vpu_state *state, struct vpu_work *work,
		const struct vpu_frame *frame)
{
	u32 side = 1u << state->cell_shift;
	u32 bytes = frame->bits == 8 ? 1 : 2;
	u16 *value = work->value_q8;

	for (u32 row = 0; row < state->rows; row++) {
		u32 y = row << state->cell_shift;
		u32 h = frame->height - y < side ? frame->height - y : side;
		const u8 *line = frame->pixels + (size_t)y * frame->stride;

		for (u32 col = 0; col < state->cols; col++) {
			u32 x = col << state->cell_shift;
			u32 w = frame->width - x < side ? frame->width - x :
							  side;
			const u8 *p = line + (size_t)x * bytes;

			if (bytes != 1 || w != side || h != side)
				*value++ = mean_q8(sum_rect(p, frame->stride, w,
							    h, frame->bits),
						   w * h, frame->bits);
			else if (side == 8)
				*value++ = (u16)(sum_cell_8(p, frame->stride)
						 << 2);
			else
				*value++ = (u16)sum_cell_16(p, frame->stride);
		}
	}
}
