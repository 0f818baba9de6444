/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * measure.h - what the frames of a camera are worth, from the frames
 *
 * Two figures, which are never taken for each other:
 *
 *	flat	total SNR of a flat patch, what an `emva` task asks for:
 *		20 log10(signal / noise), signal the mean of the patch over
 *		the mean of the dark rows (over black where there are none),
 *		noise temporal and fixed, hot pixels of the patch included
 *	dark	20 log10(reference level / noise of the dark rows), what a
 *		`paper` task asks for; the reference level is full scale over
 *		black unless told otherwise
 *
 * Both come with a lower bound that holds with 99.9 % confidence (how:
 * region.h). The noise is the running estimate's, over blocks * block_frames
 * frames; a change of temperature is in it after that many. The signal is
 * that of the patch, not of a population of patches; its error is that of
 * the black level. A demand is met when the bound is not below it.
 *
 * CAL and others that want DN and not decibels use region.h and
 * nst_view_pair() (view.h).
 *
 * Cost: the pixels of patch and dark rows, nothing else of a frame, but for
 * the one in which an automatic patch is looked for (at most one a second at
 * 30 fps, only while there is none).
 */
#ifndef NST_MEASURE_H
#define NST_MEASURE_H

#include "region.h"

#define NST_MEASURE_SIDE 128		/* of an automatic patch; the least */

/**
 * struct nst_measure_config
 * @dark_rows: optically dark rows from @dark_row on, 0 for none
 * @patch: its place, at least 128 x 128; all zero: found in the frames
 * @no_patch: dark rows only
 * @black_dn: level of no charge
 * @reference_dn: over black, 0 for full scale
 * @block_frames, @blocks: 0 for 16 and 4
 */
struct nst_measure_config {
	struct nst_view_format format;
	uint32_t dark_row, dark_rows;
	struct nst_rect patch;
	bool no_patch;
	double black_dn;
	double reference_dn;
	uint32_t block_frames, blocks;
};

/**
 * struct nst_measure_figure - one of the two
 * @state: everything else is for NST_MEASURED
 * @snr_db, @low_db: estimate and lower 99.9 % bound
 * @signal_dn: over black; the reference level for dark rows
 * @dark_dn: mean of the dark rows over black, for dark rows
 */
struct nst_measure_figure {
	enum nst_measure_state state;
	double snr_db, low_db;
	double signal_dn;
	double dark_dn;
	struct nst_region_stats stats;
};

struct nst_measure {
	struct nst_measure_config config;
	bool automatic;
	bool have_patch;
	uint32_t wait;		/* frames until a patch is looked for */
	struct nst_region *flat, *dark;
};

/**
 * nst_measure_init() - allocates what it needs
 * Return: 0; -EINVAL when format, patch or dark rows do not fit; -ENOMEM.
 */
int nst_measure_init(struct nst_measure *m,
		     const struct nst_measure_config *config);
void nst_measure_deinit(struct nst_measure *m);

/** nst_measure_reset() - exposure, gain or scene are others now */
void nst_measure_reset(struct nst_measure *m);

/**
 * nst_measure_add() - a frame
 * Return: 0; as nst_region_add() for one that is not used.
 */
int nst_measure_add(struct nst_measure *m, const struct nst_view *view);

/**
 * nst_measure_get() - both figures
 * @ret_flat, @ret_dark: may be NULL
 */
void nst_measure_get(const struct nst_measure *m,
		     struct nst_measure_figure *ret_flat,
		     struct nst_measure_figure *ret_dark);

/**
 * nst_measure_margin_db() - bound less demand
 * Return: dB, not negative when the demand is met; -INFINITY in any state
 * but NST_MEASURED: what is not measured is not met.
 */
double nst_measure_margin_db(const struct nst_measure_figure *figure,
			     double demand_db);

#endif /* NST_MEASURE_H */
