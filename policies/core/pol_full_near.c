// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pol_full_near.c - the VPU never stops: the baseline that shows what heat
 * costs
 *
 * It heeds no threshold. The one thing it does not do is heat a stack that
 * nobody measures: without a trustworthy temperature the VPU is gated, and
 * frames are dropped until there is one.
 */
#include "policies.h"

static void full_near_decide(const struct nst_policy_config *config,
			     struct nst_policy_state *state,
			     const struct nst_policy_inputs *in,
			     struct nst_policy_outputs *out)
{
	(void)config;
	(void)state;
	if (in->sensor_ok)
		nst_placed(out, NST_NEAR, NST_WHY_FIXED);
	else
		nst_placed(out, NST_PAUSED, NST_WHY_NO_SENSOR);
}

const struct nst_policy_ops nst_pol_full_near = {
	.name = "full-near",
	.drops = false,
	.decide = full_near_decide,
};
