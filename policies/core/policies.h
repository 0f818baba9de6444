/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * policies.h - what the policies give to the table; for pol_*.c and policy.c
 */
#ifndef NST_POLICIES_H
#define NST_POLICIES_H

#include "policy.h"

/* A placement for the whole period, and the gate that goes with it. */
static inline void nst_placed(struct nst_policy_outputs *out,
			      enum nst_placement placement,
			      enum nst_reason reason)
{
	out->gate = placement == NST_NEAR ? NST_GATE_RUN : NST_GATE_STANDBY;
	out->placement = (u8)placement;
	out->reason = (u8)reason;
	out->run_from_us = 0;
	out->run_us = 0;
}

extern const struct nst_policy_ops nst_pol_full_near;
extern const struct nst_policy_ops nst_pol_full_far;
extern const struct nst_policy_ops nst_pol_stop_capture_go;
extern const struct nst_policy_ops nst_pol_seasonal_migration;
extern const struct nst_policy_ops nst_pol_predictive;
extern const struct nst_policy_ops nst_pol_predictive_stop;
extern const struct nst_policy_ops nst_pol_phase_locked;
extern const struct nst_policy_ops nst_pol_auto;

#endif /* NST_POLICIES_H */
