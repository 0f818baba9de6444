// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fixp_kunit.c - exponentials and logarithms against known values
 *
 * The values were computed with fifty digits. tests/core/ sweeps the whole
 * range against floating point.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "exposure.h"
#include "fixp.h"

struct exp2_case {
	s32 x_q16;
	u64 want_q32;
};

/* 2^(x/65536) * 2^32 */
static const struct exp2_case exp2_cases[] = {
	{ 0, 4294967296ull },
	{ -1, 4294921870ull },
	{ 1, 4295012722ull },
	{ -65536, 2147483648ull },
	{ 65536, 8589934592ull },
	{ 32768, 6074001000ull },
	{ -32768, 3037000500ull },
	{ -100000, 1491504406ull },
	{ 98304, 12148002000ull },
	{ -20 * 65536, 4096ull },
	{ -33 * 65536, 1ull },		/* one half, rounded up */
	{ -34 * 65536, 0ull },
	{ 31 * 65536, 9223372036854775808ull },
};

static void exp2_known_values(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(exp2_cases); i++) {
		const struct exp2_case *c = &exp2_cases[i];
		u64 got = nst_exp2_q32(c->x_q16);
		u64 error = got > c->want_q32 ? got - c->want_q32 :
						c->want_q32 - got;

		/* 1e-7 and one unit */
		KUNIT_EXPECT_LE(test, error,
				nst_div_u64(c->want_q32, 10000000) + 1);
	}
}

static void exp2_is_monotone(struct kunit *test)
{
	u64 last = 0;
	s32 x;

	/* Every step across four octaves, table edges included. */
	for (x = -2 * 65536; x < 2 * 65536; x++) {
		u64 v = nst_exp2_q32(x);

		if (v < last)
			break;
		last = v;
	}
	KUNIT_EXPECT_EQ(test, x, 2 * 65536);
}

static void log2_undoes_exp2(struct kunit *test)
{
	s32 worst = 0, x;

	for (x = -12 * 65536; x < 20 * 65536; x += 97) {
		s32 error = nst_log2_q16(nst_exp2_q32(x)) - x;

		if (error < 0)
			error = -error;
		/* below one, Q32 itself resolves 2^-32/v */
		if (x > -8 * 65536 && error > worst)
			worst = error;
	}
	KUNIT_EXPECT_LE(test, worst, (s32)1);
	KUNIT_EXPECT_EQ(test, nst_log2_q16(1), (s32)(-32 * 65536));
	KUNIT_EXPECT_EQ(test, nst_log2_q16(1ull << 63), (s32)(31 * 65536));
	KUNIT_EXPECT_EQ(test, nst_log2_q16(3ull << 32), (s32)103872);
	KUNIT_EXPECT_EQ(test, nst_log2_q16(~0ull), (s32)(32 * 65536));
}

/*
 * The coefficients that physics.md 12.1 prints, in Q32, for time constants
 * of 5 ms and 19.95 s. A thirtieth of a second is not a whole number of
 * microseconds, but a tenth of one is, with constants three times as long.
 */
struct keep_case {
	u64 tau_ns;
	u32 dt_us;
	u64 want_q32;
};

static const struct keep_case keep_cases[] = {
	{ 5000000, 1000, 3516421809ull },
	{ 5000000, 5000, 1580030169ull },
	{ 15000000, 100000, 5465921ull },
	{ 19950000000ull, 1000, 4294752015ull },
	{ 19950000000ull, 5000, 4293890998ull },
	{ 59850000000ull, 100000, 4287797068ull },
};

static void decay_of_the_specification(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keep_cases); i++) {
		const struct keep_case *c = &keep_cases[i];
		struct nst_rate rate = nst_rate_from_tau(c->tau_ns);
		u64 keep = (0 - nst_lose_q64(&rate, c->dt_us) +
			    (1ull << 31)) >> 32;
		u64 cheap = (nst_keep_q64(&rate, c->dt_us) +
			     (1ull << 31)) >> 32;
		s64 error = (s64)(cheap - keep);

		KUNIT_EXPECT_EQ(test, keep, c->want_q32);
		if (error < 0)
			error = -error;
		/* 2e-8 of one */
		KUNIT_EXPECT_LE(test, error, (s64)86);
	}
}

static void decay_of_tiny_and_huge_steps(struct kunit *test)
{
	struct nst_rate slow = nst_rate_from_tau(20000000000ull);
	struct nst_rate slowest = nst_rate_from_tau(1ull << 48);
	struct nst_rate fast = nst_rate_from_tau(2000);

	/* 1 us of 20 s: 5e-8 - 1.25e-15, in Q64 */
	KUNIT_EXPECT_EQ(test, nst_lose_q64(&slow, 1) >> 10,
			(u64)(922337180627ull >> 10));
	/* 1000/2^48 of one; half of its square is too little to show */
	KUNIT_EXPECT_EQ(test, nst_lose_q64(&slowest, 1), (u64)65536000);
	KUNIT_EXPECT_EQ(test, nst_lose_q64(&slow, 0), (u64)0);
	KUNIT_EXPECT_EQ(test, nst_keep_q64(&slow, 0), ~(u64)0);
	/* An hour of 2 us: nothing of the old state is left. */
	KUNIT_EXPECT_EQ(test, nst_lose_q64(&fast, 3600000000u), ~(u64)0);
	KUNIT_EXPECT_EQ(test, nst_keep_q64(&fast, 3600000000u), (u64)0);
	/* exp(-180) of it is left after an hour of 20 s */
	KUNIT_EXPECT_GE(test, nst_lose_q64(&slow, 3600000000u),
			~(u64)0 - 64);
	KUNIT_EXPECT_EQ(test, nst_keep_q64(&slow, 3600000000u), (u64)0);
}

static void lose_is_monotone_in_time(struct kunit *test)
{
	struct nst_rate rate = nst_rate_from_tau(4993014);
	u64 last = 0, lose = 1;
	u32 us;

	/* To 20 constants, where 2e-9 is left to lose. */
	for (us = 1; us < 100000 && lose > last; us++) {
		last = us == 1 ? 0 : lose;
		lose = nst_lose_q64(&rate, us);
	}
	KUNIT_EXPECT_EQ(test, us, (u32)100000);
}

static void mac_is_exact(struct kunit *test)
{
	s64 hi = 5;
	u64 lo = 3;

	nst_mac_q64(&hi, &lo, 7, 1ull << 63);
	KUNIT_EXPECT_EQ(test, hi, (s64)8);
	KUNIT_EXPECT_EQ(test, lo, ((u64)1 << 63) + 3);
	nst_mac_q64(&hi, &lo, -7, 1ull << 63);
	KUNIT_EXPECT_EQ(test, hi, (s64)5);
	KUNIT_EXPECT_EQ(test, lo, (u64)3);
	/* A borrow through zero and back */
	nst_mac_q64(&hi, &lo, -6, ~1ull);
	KUNIT_EXPECT_EQ(test, hi, (s64)-1);
	KUNIT_EXPECT_EQ(test, lo, (u64)15);
	nst_mac_q64(&hi, &lo, 6, ~1ull);
	KUNIT_EXPECT_EQ(test, hi, (s64)5);
	KUNIT_EXPECT_EQ(test, lo, (u64)3);
	/* The largest factors allowed */
	hi = 0;
	lo = 0;
	nst_mac_q64(&hi, &lo, -((s64)1 << 60), ~1ull);
	KUNIT_EXPECT_EQ(test, hi, -((s64)1 << 60));
	KUNIT_EXPECT_EQ(test, lo, (u64)1 << 61);
}

static void wide_product_and_root(struct kunit *test)
{
	u32 i;

	KUNIT_EXPECT_EQ(test, nst_mulhi_u64(~0ull, ~0ull), ~(u64)1);
	KUNIT_EXPECT_EQ(test, nst_mulhi_u64(0x123456789abcdef0ull,
					    0xfedcba9876543210ull),
			(u64)0x121fa00ad77d7422ull);
	KUNIT_EXPECT_EQ(test, nst_sqrt_u64(~0ull), ~(u32)0);
	KUNIT_EXPECT_EQ(test, nst_sqrt_u64(99), (u32)9);
	KUNIT_EXPECT_EQ(test, nst_sqrt_u64(0), (u32)0);
	/* Around squares, from every power of two on, odd ones among them. */
	for (i = 0; i < 64; i++) {
		u64 v = 1ull << i;
		u32 root = nst_sqrt_u64(v);

		KUNIT_EXPECT_LE(test, (u64)root * root, v);
		KUNIT_EXPECT_GT(test, ((u64)root + 1) * ((u64)root + 1), v);
		root = (u32)(v >> 32) + (u32)v + 1;
		v = (u64)root * root;
		KUNIT_EXPECT_EQ(test, nst_sqrt_u64(v), root);
		KUNIT_EXPECT_EQ(test, nst_sqrt_u64(v - 1), root - 1);
	}
	KUNIT_EXPECT_EQ(test, nst_ratio_q64(1, 3),
			(u64)0x5555555555555555ull);
	KUNIT_EXPECT_EQ(test, nst_ratio_q64(0, 3), (u64)0);
}

static struct kunit_case fixp_cases[] = {
	KUNIT_CASE(exp2_known_values),
	KUNIT_CASE(exp2_is_monotone),
	KUNIT_CASE(log2_undoes_exp2),
	KUNIT_CASE(decay_of_the_specification),
	KUNIT_CASE(decay_of_tiny_and_huge_steps),
	KUNIT_CASE(lose_is_monotone_in_time),
	KUNIT_CASE(mac_is_exact),
	KUNIT_CASE(wide_product_and_root),
	{}
};

static struct kunit_suite fixp_suite = {
	.name = "fixp",
	.test_cases = fixp_cases,
};
kunit_test_suite(fixp_suite);

MODULE_DESCRIPTION("KUnit suite of the fixed-point arithmetic");
MODULE_LICENSE("Dual MIT/GPL");
