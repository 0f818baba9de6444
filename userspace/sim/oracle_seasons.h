/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * oracle_seasons.h - migration in periodic seasons that pay for switches
 *
 * A cycle of t_n near and t_f far closes in each mode when
 *
 *	z_end_of_near = [a(1 - e1) + b(1 - e2)e1] / (1 - e1 e2)
 *
 * with a, b the mode's targets near and far and e1, e2 what is left of a
 * deviation after each season. The die is hottest at the end of the near
 * season, and so is the exposure of its last frame. For each t_n the
 * shortest t_f that meets the limits is solved for.
 */
#ifndef NST_ORACLE_SEASONS_H
#define NST_ORACLE_SEASONS_H

#include "oracle_modes.h"

/**
 * nst_oracle_seasons() - seasons with less mean power than @best
 * @best: replaced when there are any
 */
void nst_oracle_seasons(const struct nst_oracle_case *c,
			struct nst_oracle_result *best);

#endif /* NST_ORACLE_SEASONS_H */
