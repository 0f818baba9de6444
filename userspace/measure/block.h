/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * block.h - a block of frames to the noise of its tiles, for region.c
 */
#ifndef NST_MEASURE_BLOCK_H
#define NST_MEASURE_BLOCK_H

#include "region.h"

/** nst_median() - of values that it puts into another order */
double nst_median(double *value, size_t count);

/**
 * nst_block_work_out() - from the sums of a full block
 * Return: NST_MEASURED with @ret filled; else why there is no number.
 */
enum nst_measure_state nst_block_work_out(struct nst_region *r,
					  struct nst_region_block *ret);

#endif /* NST_MEASURE_BLOCK_H */
