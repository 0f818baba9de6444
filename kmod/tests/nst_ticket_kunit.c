// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_ticket_kunit.c - frames that are cold enough, late, or never
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "../nst-ticket.c"

#define PERIOD_US 33333

static const char somebody;

static struct nst_ticket ticket_for(s32 temp_mc, u64 deadline_us, u32 frames)
{
	return (struct nst_ticket){
		.owner = &somebody,
		.id = 7,
		.temp_mc = temp_mc,
		.deadline_us = deadline_us,
		.frames_left = frames,
	};
}

/* Frame @seq of a camera that began at 0, with that temperature. */
static bool frame(struct nst_ticket *ticket, u64 seq, s32 temp_mc,
		  struct nst_ticket_answer *ret)
{
	return nst_ticket_frame(ticket, seq, (seq + 1) * PERIOD_US, temp_mc,
				ret);
}

static void the_first_cold_frame_is_ready(struct kunit *test)
{
	struct nst_ticket t = ticket_for(74000, 10 * PERIOD_US, 1);
	struct nst_ticket_answer a;

	KUNIT_EXPECT_TRUE(test, nst_ticket_wants(&t));
	KUNIT_EXPECT_FALSE(test, frame(&t, 1, 87000, &a));
	KUNIT_EXPECT_FALSE(test, nst_ticket_confirm(&t, 0, &a));
	KUNIT_EXPECT_FALSE(test, frame(&t, 2, 74001, &a));
	KUNIT_EXPECT_TRUE(test, nst_ticket_wants(&t));
	KUNIT_EXPECT_FALSE(test, frame(&t, 3, 74000, &a));
	/* It is chosen: the gate may open. */
	KUNIT_EXPECT_FALSE(test, nst_ticket_wants(&t));
	KUNIT_EXPECT_TRUE(test, nst_ticket_confirm(&t, -100, &a));
	KUNIT_EXPECT_FALSE(test, a.missed);
	KUNIT_EXPECT_EQ(test, 3ull, (unsigned long long)a.seq);
	KUNIT_EXPECT_EQ(test, 73900, a.temp_mc);
	KUNIT_EXPECT_EQ(test, 0u, a.left);
	KUNIT_EXPECT_PTR_EQ(test, t.owner, NULL);
	KUNIT_EXPECT_FALSE(test, nst_ticket_wants(&t));
}

static void a_sample_takes_a_candidate_back(struct kunit *test)
{
	struct nst_ticket t = ticket_for(74000, 10 * PERIOD_US, 1);
	struct nst_ticket_answer a;

	frame(&t, 1, 73500, &a);
	/* A candidate waits for its sample, not for a better frame. */
	KUNIT_EXPECT_FALSE(test, frame(&t, 2, 60000, &a));
	KUNIT_EXPECT_EQ(test, 1ull, (unsigned long long)t.candidate_seq);
	KUNIT_EXPECT_FALSE(test, nst_ticket_confirm(&t, 501, &a));
	KUNIT_EXPECT_TRUE(test, nst_ticket_wants(&t));
	frame(&t, 3, 73000, &a);
	KUNIT_EXPECT_TRUE(test, nst_ticket_confirm(&t, 501, &a));
	KUNIT_EXPECT_EQ(test, 3ull, (unsigned long long)a.seq);
	KUNIT_EXPECT_EQ(test, 73501, a.temp_mc);
}

/* The last frame that may still start: ready or missed, by temperature. */
static void the_last_frame_before_the_deadline(struct kunit *test)
{
	static const struct { s32 temp_mc, correction_mc; bool missed; } c[] = {
		{ 76000, 0, true },
		{ 76000, -2000, false },
		{ 74000, 1, true },
		{ 74000, 0, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct nst_ticket t = ticket_for(74000, 3 * PERIOD_US, 1);
		struct nst_ticket_answer a;

		KUNIT_EXPECT_FALSE(test, frame(&t, 2, 80000, &a));
		KUNIT_EXPECT_FALSE(test, t.candidate);
		KUNIT_EXPECT_FALSE(test, frame(&t, 3, c[i].temp_mc, &a));
		KUNIT_EXPECT_TRUE(test, t.candidate);
		KUNIT_EXPECT_TRUE(test, nst_ticket_confirm(&t,
							   c[i].correction_mc,
							   &a));
		KUNIT_EXPECT_EQ(test, c[i].missed, a.missed);
		KUNIT_EXPECT_EQ(test, c[i].temp_mc + c[i].correction_mc,
				a.temp_mc);
	}
}

static void several_frames_count_down(struct kunit *test)
{
	struct nst_ticket t = ticket_for(74000, 100 * PERIOD_US, 3);
	struct nst_ticket_answer a;
	u32 n;

	for (n = 0; n < 3; n++) {
		frame(&t, 5 + n, 70000, &a);
		/* Cold ones are wanted until the last is chosen. */
		KUNIT_EXPECT_EQ(test, (bool)(n < 2), nst_ticket_wants(&t));
		KUNIT_EXPECT_TRUE(test, nst_ticket_confirm(&t, 0, &a));
		KUNIT_EXPECT_EQ(test, 2 - n, a.left);
		KUNIT_EXPECT_EQ(test, 5 + n, (u32)a.seq);
	}
	KUNIT_EXPECT_PTR_EQ(test, t.owner, NULL);
}

static void without_a_sensor_only_the_deadline_answers(struct kunit *test)
{
	struct nst_ticket t = ticket_for(74000, 3 * PERIOD_US, 1);
	struct nst_ticket_answer a;

	frame(&t, 1, 70000, &a);
	/* Nothing will confirm that one any more. */
	KUNIT_EXPECT_FALSE(test, frame(&t, 2, NST_TEMP_NONE_MC, &a));
	KUNIT_EXPECT_FALSE(test, t.candidate);
	KUNIT_EXPECT_TRUE(test, frame(&t, 3, NST_TEMP_NONE_MC, &a));
	KUNIT_EXPECT_TRUE(test, a.missed);
	KUNIT_EXPECT_EQ(test, NST_TEMP_NONE_MC, a.temp_mc);
	KUNIT_EXPECT_EQ(test, 3ull, (unsigned long long)a.seq);
}

static void frames_that_stop_are_answered_by_time(struct kunit *test)
{
	struct nst_ticket t = ticket_for(74000, 100000, 1);
	struct nst_ticket_answer a;

	KUNIT_EXPECT_FALSE(test, nst_ticket_expire(&t, 2, 100000, false, &a));
	KUNIT_EXPECT_TRUE(test, nst_ticket_expire(&t, 2, 100001, false, &a));
	KUNIT_EXPECT_TRUE(test, a.missed);
	KUNIT_EXPECT_EQ(test, NST_TEMP_NONE_MC, a.temp_mc);

	/* A candidate has its sample to come, unless there are none. */
	t = ticket_for(74000, 100000, 1);
	frame(&t, 1, 70000, &a);
	KUNIT_EXPECT_FALSE(test, nst_ticket_expire(&t, 1, 900000, false, &a));
	KUNIT_EXPECT_TRUE(test, nst_ticket_expire(&t, 1, 900000, true, &a));
}

static void no_ticket_no_answer(struct kunit *test)
{
	struct nst_ticket t = { .owner = NULL };
	struct nst_ticket_answer a;

	KUNIT_EXPECT_FALSE(test, nst_ticket_wants(&t));
	KUNIT_EXPECT_FALSE(test, frame(&t, 1, 0, &a));
	KUNIT_EXPECT_FALSE(test, frame(&t, 1, NST_TEMP_NONE_MC, &a));
	KUNIT_EXPECT_FALSE(test, nst_ticket_confirm(&t, 0, &a));
	KUNIT_EXPECT_FALSE(test, nst_ticket_expire(&t, 1, 1, true, &a));
}

static struct kunit_case nst_ticket_cases[] = {
	KUNIT_CASE(the_first_cold_frame_is_ready),
	KUNIT_CASE(a_sample_takes_a_candidate_back),
	KUNIT_CASE(the_last_frame_before_the_deadline),
	KUNIT_CASE(several_frames_count_down),
	KUNIT_CASE(without_a_sensor_only_the_deadline_answers),
	KUNIT_CASE(frames_that_stop_are_answered_by_time),
	KUNIT_CASE(no_ticket_no_answer),
	{}
};

static struct kunit_suite nst_ticket_suite = {
	.name = "nst-ticket",
	.test_cases = nst_ticket_cases,
};

kunit_test_suite(nst_ticket_suite);

MODULE_DESCRIPTION("KUnit suite of capture tickets");
MODULE_LICENSE("GPL");
