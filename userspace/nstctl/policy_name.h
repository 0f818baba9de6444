/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* policy_name.h - the policy that an option names */
#ifndef NST_POLICY_NAME_H
#define NST_POLICY_NAME_H

#include "policy.h"

/**
 * nst_policy_named() - @name in the table of policies
 * @command: "nstctl sim", begins the message
 * Return: NULL after a message that names those there are.
 */
const struct nst_policy_ops *nst_policy_named(const char *command,
					      const char *name);

#endif /* NST_POLICY_NAME_H */
