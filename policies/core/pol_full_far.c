// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pol_full_far.c - every frame goes to the host: the baseline that savings
 * are counted against
 */
#include "policies.h"

static void full_far_decide(const struct nst_policy_config *config,
			    struct nst_policy_state *state,
			    const struct nst_policy_inputs *in,
			    struct nst_policy_outputs *out)
{
	(void)config;
	(void)state;
	(void)in;
	nst_placed(out, NST_FAR, NST_WHY_FIXED);
}

const struct nst_policy_ops nst_pol_full_far = {
	.name = "full-far",
	.drops = false,
	.decide = full_far_decide,
};
