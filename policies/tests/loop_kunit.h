/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * loop_kunit.h - loops of loop.h for KUnit suites, and the reference's limits
 */
#ifndef NST_TESTS_LOOP_KUNIT_H
#define NST_TESTS_LOOP_KUNIT_H

#include <kunit/test.h>

#include "loop.h"

#define NONE NST_TEMP_NONE_MC

/* 35, 26 and 20 dB at dim light */
static const s32 dim_mc[3] = { 63100, 74000, 81100 };

static inline s32 abs32(s32 v)
{
	return v < 0 ? -v : v;
}

static inline struct loop *loop_new(struct kunit *test, const char *policy,
				    u32 near_mw, s32 vision_mc, s32 imaging_mc)
{
	struct loop *loop = kunit_kzalloc(test, sizeof(*loop), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, loop);
	KUNIT_ASSERT_EQ(test, loop_init(loop, policy, near_mw, vision_mc,
					imaging_mc), 0);
	return loop;
}

#endif /* NST_TESTS_LOOP_KUNIT_H */
