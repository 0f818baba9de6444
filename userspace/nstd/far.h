/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * far.h - may a task move to the far device now?
 *
 * Numbers of the far device go in, what the governor allows comes out:
 *
 *	gone, or hot			refused: a far season ends at once
 *	busy, or how hot is unknown	less: one that runs may end by itself
 *	else				welcome
 *
 * Our own far task makes the device busy too, which is why a busy device
 * does not end a season. Hot ends HOT_BAND below the limit and busy BUSY_BAND
 * below it, after several readings either way. A thermometer that dies does
 * not make a hot device a cold one: hot stays until a reading says otherwise.
 */
#ifndef NST_NSTD_FAR_H
#define NST_NSTD_FAR_H

#include "governor.h"

#define NST_FAR_HOT_BAND_MC 5000
#define NST_FAR_BUSY_BAND_PERMYRIAD 1000
#define NST_FAR_BUSY_RUN 3		/* readings to become busy, or not */
#define NST_FAR_BLIND_RUN 5		/* without one of a thermometer */

/**
 * struct nst_far - what is known of a far device
 * @present: its node is there, or no node is asked for
 * @busy_permyriad, @temp_mc: while @busy_known, @temp_known
 * @hot, @busy: by the rule
 * @imports, @copies: frames that its workers took without and with a copy
 */
struct nst_far {
	bool present;
	bool busy_known;
	bool temp_known;
	bool hot;
	bool busy;
	u32 busy_permyriad;
	s32 temp_mc;
	u64 imports;
	u64 copies;
};

/**
 * struct nst_far_limits - what the profile asks
 * @busy_permyriad: busy from here on, 0 for no such limit
 * @temp_mc: hot from here on, NST_TEMP_NONE_MC for no such limit
 */
struct nst_far_limits {
	u32 busy_permyriad;
	s32 temp_mc;
};

/** struct nst_far_rule - all zero is a fresh start */
struct nst_far_rule {
	bool hot;
	bool busy;
	bool blind;
	u8 busy_run;
	u8 blind_run;
	u8 allowed;		/* enum nst_gov_far */
};

/**
 * nst_far_judge() - one reading, about once a second
 * @far: @hot and @busy are filled in
 * Return: what is allowed from now on.
 */
enum nst_gov_far nst_far_judge(struct nst_far_rule *rule,
			       const struct nst_far_limits *limits,
			       struct nst_far *far);

/** nst_far_text() - "welcome", "refused: 91.5 degC, limit 90.0", ... */
void nst_far_text(const struct nst_far_rule *rule,
		  const struct nst_far_limits *limits,
		  const struct nst_far *far, char *buf, size_t size);

/** nst_far_allowed_name() - "welcome", "less", "refused" */
const char *nst_far_allowed_name(enum nst_gov_far allowed);

#endif /* NST_NSTD_FAR_H */
