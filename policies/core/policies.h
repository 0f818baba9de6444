/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * policies.h - what the policies give to the table; for pol_*.c and policy.c
 */
#ifndef NST_POLICIES_H
#define NST_POLICIES_H

#include "policy.h"

extern const struct nst_policy_ops nst_pol_full_near;
extern const struct nst_policy_ops nst_pol_full_far;
extern const struct nst_policy_ops nst_pol_stop_capture_go;
extern const struct nst_policy_ops nst_pol_seasonal_migration;

#endif /* NST_POLICIES_H */
