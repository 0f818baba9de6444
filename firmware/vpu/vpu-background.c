// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * vpu-background.c - what the scene looks like when nothing moves
 *
 * Per cell a running mean and a running mean absolute deviation. Dark
 * charge lifts the whole frame by the same amount and changes with the die
 * temperature, 13 degC within a frame at a gate edge: the lift ("pedestal")
 * is measured in every frame as the median difference and taken off before
 * anything is compared or learnt, so that the background is the scene's and
 * not the temperature's. Cells that the lift pushed to full scale are
 * expected to be there and say nothing.
 */
#include "vpu-internal.h"

#define PEDESTAL_BINS	511	/* one DN each, -255 .. 255 */
#define PEDESTAL_ZERO	255
#define NOISE_BINS	512	/* 1/32 DN each */
#define NOISE_BIN_SHIFT	3

static void bins_clear(struct vpu_work *work, u32 bins)
{
	for (u32 i = 0; i < bins; i++)
		work->bin[i] = 0;
}

/* First bin at which half of @total is reached. */
static u32 bins_median(const struct vpu_work *work, u32 bins, u32 total)
{
	u32 seen = 0;

	for (u32 i = 0; i < bins; i++) {
		seen += work->bin[i];
		if (2 * seen >= total)
			return i;
	}
	return bins - 1;
}

static bool usable(const struct vpu_state *state, const struct vpu_work *work,
		   u32 cell)
{
	return work->value_q8[cell] < VPU_FULL_Q8 &&
	       state->mean_q8[cell] < VPU_FULL_Q8;
}

/*
 * The median by bins of one DN, then the average of the differences within
 * a DN and a half of it: as robust as the first, as fine as the second.
 */
static bool measure_pedestal(const struct vpu_state *state,
			     struct vpu_work *work, s32 *ret_q8)
{
	u32 cells = vpu_cells(state);
	u32 total = 0;
	s32 middle, sum = 0;
	s32 count = 0;

	bins_clear(work, PEDESTAL_BINS);
	for (u32 i = 0; i < cells; i++) {
		s32 diff;

		if (!usable(state, work, i))
			continue;
		diff = (s32)work->value_q8[i] - state->mean_q8[i];
		/* Round to the nearest bin; the bias keeps it positive. */
		work->bin[(u32)(diff + PEDESTAL_ZERO * 256 + 128) >> 8]++;
		total++;
	}
	if (total == 0 || total < cells / VPU_USABLE_PART)
		return false;

	middle = ((s32)bins_median(work, PEDESTAL_BINS, total) -
		  PEDESTAL_ZERO) * 256;
	for (u32 i = 0; i < cells; i++) {
		s32 diff;

		if (!usable(state, work, i))
			continue;
		diff = (s32)work->value_q8[i] - state->mean_q8[i] - middle;
		if (vpu_abs(diff) <= 384) {
			sum += diff;
			count++;
		}
	}
	*ret_q8 = middle + (count ? sum / count : 0);
	return true;
}

static u32 share_permyriad(u32 part, u32 cells)
{
	return part * 10000 / cells;
}

static void count_saturated(const struct vpu_state *state,
			    const struct vpu_work *work,
			    struct vpu_result *ret)
{
	u32 cells = vpu_cells(state), full = 0;

	for (u32 i = 0; i < cells; i++)
		full += work->value_q8[i] >= VPU_FULL_Q8;
	ret->saturated_permyriad = share_permyriad(full, cells);
}

/*
 * Each cell elects the value that it has most of the time (the majority
 * vote of Boyer and Moore): agreement with the candidate adds a vote and
 * refines it, disagreement takes one away, and a candidate without votes is
 * replaced. What covers a cell for less than half of the learning time
 * leaves no mark, which no running mean can promise.
 */
static void vote(struct vpu_state *state, u32 cell, s32 value_q8)
{
	s32 mean = state->mean_q8[cell], diff = value_q8 - mean;
	u16 votes = state->dev_q8[cell];

	if (vpu_abs(diff) <= VPU_AGREE_Q8) {
		votes++;
		mean += diff / votes;
	} else if (votes > 1) {
		votes--;
	} else {
		mean = value_q8;
		votes = 1;
	}
	state->mean_q8[cell] = (u16)vpu_clamp(mean, 0, 0xffff);
	state->dev_q8[cell] = votes;
}

void vpu_background_learn(struct vpu_state *state, struct vpu_work *work,
			  struct vpu_result *ret)
{
	u32 cells = vpu_cells(state);
	s32 pedestal_q8 = 0;

	count_saturated(state, work, ret);
	if (ret->saturated_permyriad > 10000 - 10000 / VPU_USABLE_PART) {
		ret->flags |= VPU_BLIND;	/* nothing to learn here */
		return;
	}
	if (state->learnt == 0) {
		for (u32 i = 0; i < cells; i++) {
			state->mean_q8[i] = work->value_q8[i];
			state->dev_q8[i] = 1;
			state->differs[i] = 0;
		}
		state->learnt = 1;
		return;
	}
	if (!measure_pedestal(state, work, &pedestal_q8)) {
		ret->flags |= VPU_BLIND;
		return;
	}
	ret->pedestal_q8 = pedestal_q8;
	for (u32 i = 0; i < cells; i++)
		vote(state, i, (s32)work->value_q8[i] - pedestal_q8);
	if (++state->learnt < VPU_LEARN_FRAMES)
		return;
	/* The votes are counted; their place is the deviation's from now. */
	for (u32 i = 0; i < cells; i++)
		state->dev_q8[i] = VPU_WEAK_FLOOR_Q8 / VPU_WEAK_TIMES;
}

bool vpu_background_compare(const struct vpu_state *state,
			    struct vpu_work *work, struct vpu_result *ret)
{
	u32 cells = vpu_cells(state);
	u32 total = 0, masked = 0;
	s32 pedestal_q8, noise_q8;

	count_saturated(state, work, ret);
	if (!measure_pedestal(state, work, &pedestal_q8))
		return false;
	ret->pedestal_q8 = pedestal_q8;

	bins_clear(work, NOISE_BINS);
	for (u32 i = 0; i < cells; i++) {
		s32 expected = vpu_clamp(state->mean_q8[i] + pedestal_q8, 0,
					 VPU_FULL_Q8);
		s32 diff = (s32)work->value_q8[i] - expected;
		u32 bin;

		/* Full where full is expected: no evidence either way. */
		if (expected == VPU_FULL_Q8 &&
		    work->value_q8[i] >= VPU_FULL_Q8)
			diff = 0;
		work->diff_q8[i] = (s16)vpu_clamp(diff, -32767, 32767);
		if (!usable(state, work, i))
			continue;
		bin = (u32)vpu_abs(diff) >> NOISE_BIN_SHIFT;
		work->bin[bin < NOISE_BINS ? bin : NOISE_BINS - 1]++;
		total++;
	}
	/* Median of the absolute value to its mean: 0.8 / 0.674 sigma. */
	noise_q8 = (s32)(bins_median(work, NOISE_BINS, total)
			 << NOISE_BIN_SHIFT) * 19 / 16;
	ret->noise_q8 = (u32)noise_q8;

	for (u32 i = 0; i < cells; i++) {
		s32 dev = state->dev_q8[i] > noise_q8 ? state->dev_q8[i] :
							noise_q8;
		s32 size = vpu_abs(work->diff_q8[i]);
		s32 weak = VPU_WEAK_TIMES * dev;
		s32 strong = VPU_STRONG_TIMES * dev;
		u8 mask = 0;

		if (size > (weak > VPU_WEAK_FLOOR_Q8 ? weak :
						       VPU_WEAK_FLOOR_Q8))
			mask |= VPU_MASK_WEAK;
		if (size > (strong > VPU_STRONG_FLOOR_Q8 ?
				    strong : VPU_STRONG_FLOOR_Q8))
			mask |= VPU_MASK_STRONG;
		work->mask[i] = mask;
		masked += mask & VPU_MASK_WEAK;
	}
	ret->masked_permyriad = share_permyriad(masked, cells);
	return true;
}

/*
 * What an object uncovers, or covered while the background was learnt, is a
 * ghost: it differs, but its outline is an edge of the stored background
 * and not of the picture. A cell at the rim of a blob is compared with its
 * neighbours outside: a step that only the background has gives the ghost
 * away. Ghosts so lose their outermost cells in every frame, also where
 * they touch a real object; there only after a while, because an object
 * that passes a part of the scene as dark as itself looks the same.
 */
static bool cell_is_ghost(const struct vpu_state *state,
			  const struct vpu_work *work, u32 cell)
{
	u32 col = cell % state->cols, row = cell / state->cols;
	u32 beside[4];
	u32 count = 0;
	s32 step_now = 0, step_stored = 0;

	if (work->blob[work->label[cell]].moving &&
	    state->differs[cell] < VPU_DIFFERS_MIN)
		return false;
	if (col > 0)
		beside[count++] = cell - 1;
	if (col + 1 < state->cols)
		beside[count++] = cell + 1;
	if (row > 0)
		beside[count++] = cell - state->cols;
	if (row + 1 < state->rows)
		beside[count++] = cell + state->cols;

	for (u32 i = 0; i < count; i++) {
		u32 other = beside[i];

		if (work->mask[other] & VPU_MASK_WEAK)
			continue;
		step_now += vpu_abs((s32)work->value_q8[cell] -
				    work->value_q8[other]);
		step_stored += vpu_abs((s32)state->mean_q8[cell] -
				       state->mean_q8[other]);
	}
	return step_stored > 2 * step_now + 4 * state->dev_q8[cell];
}

/*
 * A patch that does not move is learnt once it has been there for a while,
 * and a cell that has differed for very long is learnt whatever is thought
 * to cover it.
 */
static bool cell_is_protected(const struct vpu_work *work, u8 label,
			      u8 differs)
{
	return differs < (work->blob[label].moving ? VPU_DIFFERS_MAX :
						     VPU_DIFFERS_MIN);
}

/*
 * Learns the scene around moving objects. The rim of an object is not
 * always masked, so a step counts as far as noise explains it; rounded, or
 * the mean would lag by up to 1/8 DN.
 */
static void cell_learn(struct vpu_state *state, u32 cell, s32 diff)
{
	const s32 half = 1 << (VPU_LEARN_SHIFT - 1);
	s32 mean = state->mean_q8[cell], dev = state->dev_q8[cell];

	diff = vpu_clamp(diff, -4 * dev, 4 * dev);
	mean += (diff + (diff < 0 ? -half : half)) / (1 << VPU_LEARN_SHIFT);
	diff = vpu_abs(diff) - dev;
	dev += (diff + (diff < 0 ? -half : half)) / (1 << VPU_LEARN_SHIFT);
	state->mean_q8[cell] = (u16)vpu_clamp(mean, 0, 0xffff);
	state->dev_q8[cell] = (u16)vpu_clamp(dev, 1, 0xffff);
}

void vpu_background_update(struct vpu_state *state,
			   const struct vpu_work *work)
{
	u32 cells = vpu_cells(state);

	for (u32 i = 0; i < cells; i++) {
		u8 label = work->label[i];
		s32 mean = state->mean_q8[i];

		if (work->value_q8[i] >= VPU_FULL_Q8)
			continue;
		if (label == VPU_LABEL_NONE) {
			state->differs[i] = 0;
			cell_learn(state, i, work->diff_q8[i]);
			continue;
		}
		if (state->differs[i] < VPU_DIFFERS_MAX)
			state->differs[i]++;
		if (cell_is_ghost(state, work, i))
			mean += work->diff_q8[i];
		else if (!cell_is_protected(work, label, state->differs[i]))
			mean += work->diff_q8[i] / (1 << VPU_ABSORB_SHIFT);
		state->mean_q8[i] = (u16)vpu_clamp(mean, 0, 0xffff);
	}
}
