/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * rec_columns.h - what writer and reader of recordings share; private
 */
#ifndef NST_REC_COLUMNS_H
#define NST_REC_COLUMNS_H

#include <stdbool.h>

#include "units.h"

enum {
	REC_SEQ = 0,
	REC_T_US,
	REC_SENSOR,
	REC_TEMP_MC,
	REC_TEMP_STATE,
	REC_GATE,
	REC_PLACEMENT,
	REC_EXPOSURE_TEMP_MC,
	REC_LIMIT_MC,
	REC_HIGH_MC,
	REC_LOW_MC,
	REC_MAX_MC,
	REC_POWER_MW,
	REC_AMBIENT_MC,
	REC_EXPOSURE_US,
	REC_ISO,
	REC_LUX_MILLI,
	REC_DELIVERED,
	REC_REASON,
	REC_COLUMN_COUNT
};

extern const char *const nst_rec_column[REC_COLUMN_COUNT];

/* ISO numbers of cameras end far below; larger is a broken file. */
#define NST_REC_ISO_MAX 10000000

bool nst_rec_name_ok(const char *name);
bool nst_rec_text_ok(const char *text, bool comma);
/* In range, or NST_TEMP_NONE_MC (an empty field). */
bool nst_rec_temp_ok(s32 temp_mc);
bool nst_rec_limits_ok(s32 low_mc, s32 high_mc, s32 max_mc);

#endif /* NST_REC_COLUMNS_H */
