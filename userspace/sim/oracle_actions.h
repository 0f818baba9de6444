/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * oracle_actions.h - what can be done for a while in one situation
 *
 * The state of a stack whose patterns are short against its package is its
 * slow temperature. An action is a share of near time kept up until the slow
 * temperature meets the highest at which that may be done; from there on the
 * temperature is held by what the patterns allow there.
 */
#ifndef NST_ORACLE_ACTIONS_H
#define NST_ORACLE_ACTIONS_H

#include "oracle_patterns.h"

#define NST_ORACLE_ACTIONS_MAX 192

/**
 * struct nst_oracle_action - @near_share 0 is always the first one: gated
 * @delivered_share: of frames
 * @until_c: slow temperature up to which it may be done
 * @hold_share, @hold_delivered: what holds it there
 */
struct nst_oracle_action {
	double near_share;
	double delivered_share;
	double until_c;
	double hold_share;
	double hold_delivered;
};

/**
 * struct nst_oracle_setting - a situation and what can be done in it
 * @never: nothing is delivered at any temperature
 * @drops: frames may be dropped; else gated frames go to the far side
 * @pays: changes of placement cost, so that it is part of the state
 * @cool_c: slow temperature up to which far frames are cool enough
 */
struct nst_oracle_setting {
	struct nst_oracle_case c;
	struct nst_oracle_modes modes;
	bool never;
	bool drops;
	bool pays;
	double cool_c;
	int count;
	struct nst_oracle_action actions[NST_ORACLE_ACTIONS_MAX];
};

/** nst_oracle_setting_fill() - @o: memory for patterns, filled as needed */
void nst_oracle_setting_fill(struct nst_oracle_setting *ret,
			     struct nst_oracle *o,
			     const struct nst_oracle_case *c, bool never,
			     bool drops);

/**
 * struct nst_oracle_step - what an action does in a time
 * @slow_c: slow temperature at the end
 * @energy_j: of the system, switches included
 * @lost: frames not delivered
 * @near: placement at the end
 */
struct nst_oracle_step {
	double slow_c;
	double energy_j;
	double lost;
	bool near;
};

/**
 * nst_oracle_step() - do it; from above @until_c, gated down to it and held
 * @near: placement before; matters where switches cost
 * Return: false when the action may not be done at @slow_c.
 */
bool nst_oracle_step(const struct nst_oracle_setting *s,
		     const struct nst_oracle_action *a, double slow_c,
		     bool near, double dt_s, struct nst_oracle_step *ret);

/** nst_oracle_setting_slow_c() - slow temperature that a share leads to */
double nst_oracle_setting_slow_c(const struct nst_oracle_setting *s,
				 double near_share);

#endif /* NST_ORACLE_ACTIONS_H */
