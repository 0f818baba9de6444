// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pol_auto.c - predictive where there is a far placement, else phase-locked
 *
 * Whether there is one may change while it runs: a far device gets too hot,
 * or goes away. The two policies count phases alike, so a season goes on as
 * a stretch of runs and the other way round; what either knows of the frame
 * exposed last is not the other's.
 */
#include "policies.h"

static void auto_decide(const struct nst_policy_config *config,
			struct nst_policy_state *state,
			const struct nst_policy_inputs *in,
			struct nst_policy_outputs *out)
{
	if (state->no_far != config->no_far) {
		state->no_far = config->no_far;
		state->exposed.known = false;
		state->phase_plan.have_last = false;
	}
	if (config->no_far)
		nst_pol_phase_locked.decide(config, state, in, out);
	else
		nst_pol_predictive.decide(config, state, in, out);
}

const struct nst_policy_ops nst_pol_auto = {
	.name = "auto",
	.drops = false,
	.decide = auto_decide,
};
