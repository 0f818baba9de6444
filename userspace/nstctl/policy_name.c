// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* policy_name.c - the policy that an option names, see policy_name.h */
#include <stdio.h>

#include "cleanup.h"
#include "policy_name.h"
#include "words.h"

const struct nst_policy_ops *nst_policy_named(const char *command,
					      const char *name)
{
	const struct nst_policy_ops *policy = nst_policy_find(name);
	const char *words[32];
	char hint[512];
	size_t n = 0;

	if (policy)
		return policy;
	while (n < NST_ARRAY_SIZE(words) && nst_policies[n] &&
	       nst_policies[n]->name) {
		words[n] = nst_policies[n]->name;
		n++;
	}
	nst_words_hint(hint, sizeof(hint), "valid", name, words, n);
	fprintf(stderr, "%s: unknown policy '%s'; %s\n", command, name, hint);
	return NULL;
}
