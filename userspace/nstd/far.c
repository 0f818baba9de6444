// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* far.c - may a task move to the far device now? See far.h */
#include <inttypes.h>
#include <stdio.h>

#include "far.h"

static void judge_temp(struct nst_far_rule *rule,
		       const struct nst_far_limits *limits,
		       const struct nst_far *far)
{
	if (limits->temp_mc == NST_TEMP_NONE_MC) {
		rule->hot = rule->blind = false;
		rule->blind_run = 0;
		return;
	}
	if (!far->temp_known) {
		if (rule->blind_run < NST_FAR_BLIND_RUN)
			rule->blind_run++;
		rule->blind = rule->blind_run == NST_FAR_BLIND_RUN;
		return;
	}
	rule->blind_run = 0;
	rule->blind = false;
	if (far->temp_mc >= limits->temp_mc)
		rule->hot = true;
	else if (far->temp_mc < limits->temp_mc - NST_FAR_HOT_BAND_MC)
		rule->hot = false;
}

static void judge_busy(struct nst_far_rule *rule,
		       const struct nst_far_limits *limits,
		       const struct nst_far *far)
{
	u32 limit = limits->busy_permyriad;
	bool other;

	if (!limit || !far->busy_known) {
		rule->busy = false;
		rule->busy_run = 0;
		return;
	}
	if (rule->busy)
		other = limit > far->busy_permyriad +
				NST_FAR_BUSY_BAND_PERMYRIAD;
	else
		other = far->busy_permyriad >= limit;
	rule->busy_run = other ? (u8)(rule->busy_run + 1) : 0;
	if (rule->busy_run < NST_FAR_BUSY_RUN)
		return;
	rule->busy = !rule->busy;
	rule->busy_run = 0;
}

enum nst_gov_far nst_far_judge(struct nst_far_rule *rule,
			       const struct nst_far_limits *limits,
			       struct nst_far *far)
{
	judge_temp(rule, limits, far);
	judge_busy(rule, limits, far);
	far->hot = rule->hot;
	far->busy = rule->busy;
	rule->allowed = !far->present || rule->hot ? NST_FAR_REFUSED :
			rule->busy || rule->blind ? NST_FAR_LESS
						  : NST_FAR_WELCOME;
	return rule->allowed;
}

void nst_far_text(const struct nst_far_rule *rule,
		  const struct nst_far_limits *limits,
		  const struct nst_far *far, char *buf, size_t size)
{
	if (!far->present)
		snprintf(buf, size, "refused: the device is not there");
	else if (rule->hot && !far->temp_known)
		snprintf(buf, size, "refused: it was hot, and its temperature "
			 "cannot be read any more");
	else if (rule->hot)
		snprintf(buf, size, "refused: %.1f degC, limit %.1f",
			 far->temp_mc / 1000.0, limits->temp_mc / 1000.0);
	else if (rule->busy)
		snprintf(buf, size, "less: %.0f %% busy, limit %.0f",
			 far->busy_permyriad / 100.0,
			 limits->busy_permyriad / 100.0);
	else if (rule->blind)
		snprintf(buf, size, "less: its temperature cannot be read");
	else
		snprintf(buf, size, "welcome");
}

const char *nst_far_allowed_name(enum nst_gov_far allowed)
{
	switch (allowed) {
	case NST_FAR_WELCOME:
		return "welcome";
	case NST_FAR_LESS:
		return "less";
	case NST_FAR_REFUSED:
		return "refused";
	}
	return "invalid";
}
