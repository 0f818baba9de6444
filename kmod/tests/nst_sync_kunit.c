// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_sync_kunit.c - frames from edges that are late, lost, doubled, or stop
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "units.h"
#include "../nst-sync.c"

#define PERIOD_US 33333

/* A line and its clock. */
struct line {
	struct nst_sync sync;
	u64 now_us;
};

static enum nst_sync_verdict edge(struct line *line, u64 after_us)
{
	line->now_us += after_us;
	return nst_sync_edge(&line->sync, line->now_us);
}

static void begin(struct line *line, u32 period_us)
{
	nst_sync_init(&line->sync, period_us);
	line->now_us = 1000000;
}

/* Running for a while, at the frame that began last. */
static void run(struct kunit *test, struct line *line, u32 period_us,
		unsigned int frames)
{
	u64 seq = line->sync.seq;
	unsigned int i;

	for (i = 0; i < frames; i++)
		KUNIT_ASSERT_EQ(test, (int)NST_SYNC_FRAME,
				(int)edge(line, period_us));
	KUNIT_ASSERT_EQ(test, seq + frames, line->sync.seq);
}

static void a_period_is_measured(struct kunit *test)
{
	struct line line;

	begin(&line, 0);
	KUNIT_EXPECT_EQ(test, (int)NST_SYNC_SEARCHING, (int)edge(&line, 0));
	KUNIT_EXPECT_EQ(test, (int)NST_SYNC_SEARCHING,
			(int)edge(&line, PERIOD_US));
	KUNIT_EXPECT_EQ(test, (int)NST_SYNC_SEARCHING,
			(int)edge(&line, PERIOD_US + 300));
	KUNIT_EXPECT_EQ(test, 0u, line.sync.period_us);
	KUNIT_EXPECT_EQ(test, (int)NST_SYNC_RATE,
			(int)edge(&line, PERIOD_US - 300));
	KUNIT_EXPECT_EQ(test, (u32)PERIOD_US, line.sync.period_us);
	KUNIT_EXPECT_EQ(test, 1ull, (unsigned long long)line.sync.seq);
	run(test, &line, PERIOD_US, 10);
	KUNIT_EXPECT_EQ(test, 0ull, (unsigned long long)line.sync.missed);
	KUNIT_EXPECT_EQ(test, 0ull, (unsigned long long)line.sync.doubled);
}

static void a_named_period_is_believed_at_once(struct kunit *test)
{
	struct line line;

	begin(&line, PERIOD_US);
	KUNIT_EXPECT_EQ(test, (int)NST_SYNC_FRAME, (int)edge(&line, 0));
	run(test, &line, PERIOD_US, 20);
	KUNIT_EXPECT_EQ(test, (u32)PERIOD_US, line.sync.period_us);
}

static void a_wrong_one_is_corrected(struct kunit *test)
{
	/* Half, twice and half as much again of what is named. */
	static const u32 real_us[] = { 16667, 66667, 50000 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(real_us); i++) {
		struct line line;
		int n;

		begin(&line, PERIOD_US);
		edge(&line, 0);
		for (n = 0; n < 3; n++)
			edge(&line, real_us[i]);
		KUNIT_EXPECT_EQ(test, real_us[i], line.sync.period_us);
		run(test, &line, real_us[i], 5);
	}
}

static void a_clock_that_is_a_little_off_is_followed(struct kunit *test)
{
	struct line line;

	begin(&line, PERIOD_US);
	edge(&line, 0);
	/* 1 % slow: never a rate of its own. */
	run(test, &line, PERIOD_US + 333, 60);
	KUNIT_EXPECT_GE(test, line.sync.period_us, (u32)PERIOD_US + 320);
	KUNIT_EXPECT_LE(test, line.sync.period_us, (u32)PERIOD_US + 333);
}

static void jitter_is_no_rate_and_no_glitch(struct kunit *test)
{
	/* Each edge up to a tenth of a period off its place. */
	static const int off_us[] = { 3300, -3300, 1000, -2800, 3100, -500 };
	struct line line;
	u64 place_us, frames = 120, i;

	begin(&line, PERIOD_US);
	edge(&line, 0);
	place_us = line.now_us;
	for (i = 0; i < frames; i++) {
		place_us += PERIOD_US;
		line.now_us = place_us +
			      (u64)(s64)off_us[i % ARRAY_SIZE(off_us)];
		nst_sync_edge(&line.sync, line.now_us);
	}
	KUNIT_EXPECT_EQ(test, frames + 1, line.sync.seq);
	KUNIT_EXPECT_EQ(test, 0ull, (unsigned long long)line.sync.missed);
	KUNIT_EXPECT_EQ(test, 0ull, (unsigned long long)line.sync.doubled);
	KUNIT_EXPECT_GE(test, line.sync.period_us, (u32)PERIOD_US - 2000);
	KUNIT_EXPECT_LE(test, line.sync.period_us, (u32)PERIOD_US + 2000);
	KUNIT_EXPECT_GE(test, line.sync.jitter_us, 1000u);
	KUNIT_EXPECT_LE(test, line.sync.jitter_us, 7000u);
}

static void missed_edges_are_counted(struct kunit *test)
{
	struct line line;
	u64 seq;

	begin(&line, PERIOD_US);
	edge(&line, 0);
	run(test, &line, PERIOD_US, 10);
	seq = line.sync.seq;
	KUNIT_EXPECT_EQ(test, (int)NST_SYNC_FRAME,
			(int)edge(&line, 2 * PERIOD_US));
	KUNIT_EXPECT_EQ(test, seq + 2, line.sync.seq);
	KUNIT_EXPECT_EQ(test, 1ull, (unsigned long long)line.sync.missed);
	run(test, &line, PERIOD_US, 3);
	KUNIT_EXPECT_EQ(test, (int)NST_SYNC_FRAME,
			(int)edge(&line, 4 * PERIOD_US));
	KUNIT_EXPECT_EQ(test, seq + 9, line.sync.seq);
	KUNIT_EXPECT_EQ(test, 4ull, (unsigned long long)line.sync.missed);
	KUNIT_EXPECT_EQ(test, (u32)PERIOD_US, line.sync.period_us);
}

static void doubled_edges_are_no_frames(struct kunit *test)
{
	static const u32 glitch_us[] = { 1, 40, 5000, 16000, 20000 };
	struct line line;
	size_t i;

	begin(&line, PERIOD_US);
	edge(&line, 0);
	run(test, &line, PERIOD_US, 5);
	for (i = 0; i < ARRAY_SIZE(glitch_us); i++) {
		u64 seq = line.sync.seq;

		KUNIT_EXPECT_EQ(test, (int)NST_SYNC_DOUBLED,
				(int)edge(&line, glitch_us[i]));
		KUNIT_EXPECT_EQ(test, (int)NST_SYNC_FRAME,
				(int)edge(&line, PERIOD_US - glitch_us[i]));
		KUNIT_EXPECT_EQ(test, seq + 1, line.sync.seq);
		run(test, &line, PERIOD_US, 3);
	}
	KUNIT_EXPECT_EQ(test, 5ull, (unsigned long long)line.sync.doubled);
	/* Time that stands still or goes back is no frame either. */
	KUNIT_EXPECT_EQ(test, (int)NST_SYNC_DOUBLED, (int)edge(&line, 0));
	KUNIT_EXPECT_EQ(test, (int)NST_SYNC_DOUBLED,
			(int)nst_sync_edge(&line.sync, line.now_us - 9));
	KUNIT_EXPECT_EQ(test, (u32)PERIOD_US, line.sync.period_us);
}

static void every_edge_doubled_is_one_frame_each(struct kunit *test)
{
	struct line line;
	int i;

	begin(&line, PERIOD_US);
	edge(&line, 0);
	for (i = 0; i < 50; i++) {
		edge(&line, 200);
		edge(&line, PERIOD_US - 200);
	}
	KUNIT_EXPECT_EQ(test, 51ull, (unsigned long long)line.sync.seq);
	KUNIT_EXPECT_EQ(test, (u32)PERIOD_US, line.sync.period_us);
}

static void a_stop_is_not_a_thousand_missed_frames(struct kunit *test)
{
	struct line line;
	u64 seq;

	begin(&line, PERIOD_US);
	edge(&line, 0);
	run(test, &line, PERIOD_US, 5);
	seq = line.sync.seq;
	KUNIT_EXPECT_EQ(test, (int)NST_SYNC_FRAME,
			(int)edge(&line, 40000000));
	KUNIT_EXPECT_EQ(test, seq + 1, line.sync.seq);
	KUNIT_EXPECT_EQ(test, 0ull, (unsigned long long)line.sync.missed);
	KUNIT_EXPECT_EQ(test, 1ull, (unsigned long long)line.sync.restarts);
	run(test, &line, PERIOD_US, 5);

	/* And may come back at another rate. */
	edge(&line, 40000000);
	edge(&line, 10000);
	edge(&line, 10000);
	KUNIT_EXPECT_EQ(test, (int)NST_SYNC_RATE, (int)edge(&line, 10000));
	KUNIT_EXPECT_EQ(test, 10000u, line.sync.period_us);
}

/* Neither slower than a camera can be nor faster than one is. */
static void what_no_camera_does_is_no_rate(struct kunit *test)
{
	struct line line;
	int i;

	begin(&line, 0);
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_EQ(test, (int)NST_SYNC_SEARCHING,
				(int)edge(&line, NST_FRAME_PERIOD_MIN_US / 2));
	begin(&line, 0);
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_EQ(test, (int)NST_SYNC_SEARCHING,
				(int)edge(&line, NST_FRAME_PERIOD_MAX_US + 1));
	/* The slowest there is. */
	begin(&line, 0);
	for (i = 0; i < 3; i++)
		edge(&line, NST_FRAME_PERIOD_MAX_US);
	KUNIT_EXPECT_EQ(test, (int)NST_SYNC_RATE,
			(int)edge(&line, NST_FRAME_PERIOD_MAX_US));
	run(test, &line, NST_FRAME_PERIOD_MAX_US, 5);
}

static struct kunit_case nst_sync_cases[] = {
	KUNIT_CASE(a_period_is_measured),
	KUNIT_CASE(a_named_period_is_believed_at_once),
	KUNIT_CASE(a_wrong_one_is_corrected),
	KUNIT_CASE(a_clock_that_is_a_little_off_is_followed),
	KUNIT_CASE(jitter_is_no_rate_and_no_glitch),
	KUNIT_CASE(missed_edges_are_counted),
	KUNIT_CASE(doubled_edges_are_no_frames),
	KUNIT_CASE(every_edge_doubled_is_one_frame_each),
	KUNIT_CASE(a_stop_is_not_a_thousand_missed_frames),
	KUNIT_CASE(what_no_camera_does_is_no_rate),
	{}
};

static struct kunit_suite nst_sync_suite = {
	.name = "nst-sync",
	.test_cases = nst_sync_cases,
};

kunit_test_suite(nst_sync_suite);

MODULE_DESCRIPTION("KUnit suite of frames from edges");
MODULE_LICENSE("GPL");
