/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * cursor.h - readers of the verdicts of a sensor, each at its own pace
 *
 * The ring of verdicts in the governor is the only buffer. A reader that
 * does not come back within 1024 frames loses the oldest, and knows how many.
 */
#ifndef NST_CURSOR_H
#define NST_CURSOR_H

#include "governor.h"
#include "rec.h"

struct nst_cursor {
	u64 seq;
	u32 epoch;
	u64 lost;
};

/** nst_cursor_init() - from the next frame on */
void nst_cursor_init(struct nst_cursor *c, const struct nst_governor *g);

/** nst_cursor_next() - the next verdict, or NULL when all are read */
const struct nst_verdict *nst_cursor_next(struct nst_cursor *c,
					  const struct nst_governor *g);

/** nst_verdict_reason() - why it was not delivered, or why it is where */
const char *nst_verdict_reason(const struct nst_verdict *v);

/**
 * nst_verdict_snr_cdb() - predicted SNR of a frame, hundredths of a decibel
 * By the noise model of the sensor, at the exposure temperature and the
 * setting of that frame: for `paper` dark noise, for `emva` the total.
 * Return: 0; -ENODATA without a temperature, or where the model has none.
 */
int nst_verdict_snr_cdb(const struct nst_governor *g,
			const struct nst_verdict *v, s32 *ret_cdb);

/**
 * nst_gov_snr_cdb() - the same of a frame at the die's present temperature
 * Return: 0; -ENODATA without a temperature or setting that can be trusted.
 */
int nst_gov_snr_cdb(const struct nst_governor *g, s32 *ret_cdb);

/** nst_verdict_to_rec() - as a line of a recording */
struct nst_rec_frame nst_verdict_to_rec(const struct nst_verdict *v,
					const char *sensor);

#endif /* NST_CURSOR_H */
