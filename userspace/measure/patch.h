/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * patch.h - where a frame is flat
 */
#ifndef NST_MEASURE_PATCH_H
#define NST_MEASURE_PATCH_H

#include "view.h"

/**
 * nst_patch_find() - the flattest square of a frame
 * @side: of it, a multiple of 16
 * @first_row, @rows: what of the frame sees light
 * @black_dn: level of no light
 *
 * Squares with clipped pixels or less than a twentieth of the full scale of
 * signal are no candidates, nor are those whose 16 x 16 tiles vary more than
 * 1.5 times as much as those of the quietest. Among what is left the one
 * wins whose tiles are the most alike in level: chosen by its evenness and
 * not by its noise, which would make what is measured there look better
 * than it is.
 *
 * Return: 0 with @ret filled; -ENOENT when there is none; -EINVAL.
 */
int nst_patch_find(const struct nst_view *view, uint32_t side,
		   uint32_t first_row, uint32_t rows, double black_dn,
		   struct nst_rect *ret);

#endif /* NST_MEASURE_PATCH_H */
