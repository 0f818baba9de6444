// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * vpu-blobs.c - from cells that differ to boxes
 *
 * A lone cell is noise or a hot pixel: a cell counts only among its kind.
 * What is left is gathered into connected patches (eight neighbours) by a
 * breadth-first walk whose queue holds every cell at most once.
 */
#include "vpu-internal.h"

/* Cells outside the frame do not differ. */
static u32 count_neighbours(const struct vpu_state *state,
			    const struct vpu_work *work, u32 col, u32 row)
{
	u32 c0 = col ? col - 1 : 0, c1 = col + 1 < state->cols ? col + 1 : col;
	u32 r0 = row ? row - 1 : 0, r1 = row + 1 < state->rows ? row + 1 : row;
	u32 count = 0;

	for (u32 r = r0; r <= r1; r++)
		for (u32 c = c0; c <= c1; c++)
			count += work->mask[r * state->cols + c] &
				 VPU_MASK_WEAK;
	return count - 1;	/* itself, which is masked when we are asked */
}

static void density_filter(const struct vpu_state *state,
			   struct vpu_work *work)
{
	for (u32 row = 0; row < state->rows; row++)
		for (u32 col = 0; col < state->cols; col++) {
			u8 *mask = &work->mask[row * state->cols + col];

			if ((*mask & VPU_MASK_WEAK) &&
			    count_neighbours(state, work, col, row) >=
				    VPU_NEIGHBOURS_MIN)
				*mask |= VPU_MASK_KEPT;
		}
}

struct extent {
	u32 c0, c1, r0, r1;	/* inclusive */
	u32 cells, strong, weight;
};

/* Labels and gathers the patch that @start belongs to. */
static void walk(const struct vpu_state *state, struct vpu_work *work,
		 u32 start, u8 label, struct extent *e)
{
	u32 head = 0, tail = 0;

	work->queue[tail++] = (u16)start;
	work->label[start] = label;
	e->c0 = start % state->cols;
	e->c1 = e->c0;
	e->r0 = start / state->cols;
	e->r1 = e->r0;
	e->cells = 0;
	e->strong = 0;
	e->weight = 0;

	while (head < tail) {
		u32 cell = work->queue[head++];
		u32 col = cell % state->cols, row = cell / state->cols;
		u32 rb = row ? row - 1 : 0;
		u32 re = row + 1 < state->rows ? row + 1 : row;
		u32 cb = col ? col - 1 : 0;
		u32 ce = col + 1 < state->cols ? col + 1 : col;

		e->cells++;
		e->strong += !!(work->mask[cell] & VPU_MASK_STRONG);
		e->weight += (u32)vpu_abs(work->diff_q8[cell]);
		e->c0 = col < e->c0 ? col : e->c0;
		e->c1 = col > e->c1 ? col : e->c1;
		e->r0 = row < e->r0 ? row : e->r0;
		e->r1 = row > e->r1 ? row : e->r1;

		for (u32 r = rb; r <= re; r++)
			for (u32 c = cb; c <= ce; c++) {
				u32 next = r * state->cols + c;

				if (!(work->mask[next] & VPU_MASK_KEPT) ||
				    work->label[next] != VPU_LABEL_NONE)
					continue;
				work->label[next] = label;
				work->queue[tail++] = (u16)next;
			}
	}
}

/*
 * Largest difference on one column or row of a labelled patch. The largest
 * and not the sum: a round object has few cells on its outer line, and they
 * are no less covered for it.
 */
static s32 line_peak(const struct vpu_state *state,
		     const struct vpu_work *work, const struct extent *e,
		     u8 label, bool column, u32 at)
{
	u32 from = column ? e->r0 : e->c0, to = column ? e->r1 : e->c1;
	s32 peak = 0;

	for (u32 i = from; i <= to; i++) {
		u32 cell = column ? i * state->cols + at : at * state->cols + i;
		s32 size = vpu_abs(work->diff_q8[cell]);

		if (work->label[cell] == label && size > peak)
			peak = size;
	}
	return peak;
}

/*
 * An edge cell that is covered by half differs by half: compared with its
 * inner neighbour it tells where inside the cell the edge runs.
 * Return: the uncovered part of the outer line, q8 of a cell.
 */
static s32 uncovered_q8(s32 outer, s32 inner)
{
	return outer >= inner ? 0 : 256 - (outer << 8) / inner;
}

static void refine(const struct vpu_state *state, const struct vpu_work *work,
		   const struct extent *e, u8 label, struct vpu_blob *blob)
{
	u32 s = state->cell_shift;

	blob->x0_q8 = (s32)(e->c0 << (8 + s));
	blob->x1_q8 = (s32)((e->c1 + 1) << (8 + s));
	blob->y0_q8 = (s32)(e->r0 << (8 + s));
	blob->y1_q8 = (s32)((e->r1 + 1) << (8 + s));
	if (e->c1 - e->c0 >= 2) {
		s32 l0 = line_peak(state, work, e, label, true, e->c0);
		s32 l1 = line_peak(state, work, e, label, true, e->c0 + 1);
		s32 r1 = line_peak(state, work, e, label, true, e->c1 - 1);
		s32 r0 = line_peak(state, work, e, label, true, e->c1);

		blob->x0_q8 += uncovered_q8(l0, l1) << s;
		blob->x1_q8 -= uncovered_q8(r0, r1) << s;
	}
	if (e->r1 - e->r0 >= 2) {
		s32 t0 = line_peak(state, work, e, label, false, e->r0);
		s32 t1 = line_peak(state, work, e, label, false, e->r0 + 1);
		s32 b1 = line_peak(state, work, e, label, false, e->r1 - 1);
		s32 b0 = line_peak(state, work, e, label, false, e->r1);

		blob->y0_q8 += uncovered_q8(t0, t1) << s;
		blob->y1_q8 -= uncovered_q8(b0, b1) << s;
	}
	if (blob->x1_q8 > (s32)(state->width << 8))
		blob->x1_q8 = (s32)(state->width << 8);
	if (blob->y1_q8 > (s32)(state->height << 8))
		blob->y1_q8 = (s32)(state->height << 8);
}

void vpu_blobs_find(const struct vpu_state *state, struct vpu_work *work,
		    struct vpu_result *ret)
{
	u32 cells = vpu_cells(state);

	for (u32 i = 0; i < cells; i++)
		work->label[i] = VPU_LABEL_NONE;
	work->blobs = 0;
	density_filter(state, work);

	for (u32 i = 0; i < cells; i++) {
		struct extent e;
		struct vpu_blob *blob;

		if (!(work->mask[i] & VPU_MASK_KEPT) ||
		    !(work->mask[i] & VPU_MASK_STRONG) ||
		    work->label[i] != VPU_LABEL_NONE)
			continue;
		if (work->blobs == VPU_BLOBS_MAX) {
			ret->flags |= VPU_CROWDED;
			break;
		}
		walk(state, work, i, (u8)work->blobs, &e);
		if (e.cells < VPU_BLOB_CELLS_MIN ||
		    e.strong < VPU_BLOB_STRONG_MIN) {
			/* Not a blob: give its cells back to the learner. */
			for (u32 k = 0; k < e.cells; k++) {
				work->mask[work->queue[k]] &= (u8)~VPU_MASK_KEPT;
				work->label[work->queue[k]] = VPU_LABEL_NONE;
			}
			continue;
		}
		blob = &work->blob[work->blobs];
		blob->cells = e.cells;
		blob->weight = e.weight;
		blob->moving = 0;
		blob->pieces = 0;
		refine(state, work, &e, (u8)work->blobs, blob);
		work->blobs++;
	}
	ret->blobs = work->blobs;
}
