/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * oracle_trace.h - the best that any policy could do where light and weather
 * change
 */
#ifndef NST_ORACLE_TRACE_H
#define NST_ORACLE_TRACE_H

#include <stddef.h>

#include "oracle.h"

/**
 * struct nst_oracle_stretch - a situation, from @from_s on
 * @never: no temperature gives what the task asks: every frame is lost
 */
struct nst_oracle_stretch {
	double from_s;
	bool never;
	struct nst_oracle_case c;
};

#endif /* NST_ORACLE_TRACE_H */
