// SPDX-License-Identifier: GPL-2.0-only
/*
 * cci_logic_kunit.c - when a silent sensor is tried again, and the names of
 * board thermometers
 */
#include <kunit/test.h>
#include <linux/module.h>

/* Pure, and small: tested as a part of the suite. */
#include "../nst-cci-board-spec.c"
#include "../nst-cci-health.c"

#define MS ((u64)1000)

/* --- health -------------------------------------------------------------- */

static void given_up_after_so_many(struct kunit *test)
{
	struct nst_cci_health health = { 0 };
	u32 i;

	for (i = 1; i < NST_CCI_FAILS; i++) {
		KUNIT_EXPECT_FALSE(test, nst_cci_health_bad(&health, 0));
		/* till then at once, as often as somebody asks */
		KUNIT_EXPECT_EQ(test, 0, nst_cci_health_may(&health, 0));
	}
	KUNIT_EXPECT_TRUE(test, nst_cci_health_bad(&health, 0));
	KUNIT_EXPECT_EQ(test, -EIO, nst_cci_health_may(&health, 999 * MS));
	KUNIT_EXPECT_EQ(test, 0, nst_cci_health_may(&health, 1000 * MS));
}

/* Said once, tried for ever, never more than a minute apart. */
static void tried_for_ever(struct kunit *test)
{
	struct nst_cci_health health = { 0 };
	u64 now = 0, was;
	u32 i, said = 0;

	for (i = 0; i < NST_CCI_FAILS; i++)
		said += nst_cci_health_bad(&health, now);
	for (i = 0; i < 100; i++) {
		was = now;
		now = health.retry_us;
		KUNIT_ASSERT_EQ(test, 0, nst_cci_health_may(&health, now));
		KUNIT_EXPECT_GE(test, now - was, NST_CCI_DEAD_MS * MS);
		KUNIT_EXPECT_LE(test, now - was, NST_CCI_DEAD_MAX_MS * MS);
		said += nst_cci_health_bad(&health, now);
	}
	KUNIT_EXPECT_EQ(test, 1u, said);
	KUNIT_EXPECT_EQ(test, NST_CCI_DEAD_MAX_MS * MS, health.retry_us - now);

	/* and back with the first answer */
	KUNIT_EXPECT_TRUE(test, nst_cci_health_good(&health));
	KUNIT_EXPECT_EQ(test, 0, nst_cci_health_may(&health, now));
	KUNIT_EXPECT_FALSE(test, nst_cci_health_good(&health));
	for (i = 1; i < NST_CCI_FAILS; i++)
		KUNIT_EXPECT_FALSE(test, nst_cci_health_bad(&health, now));
	KUNIT_EXPECT_TRUE(test, nst_cci_health_bad(&health, now));
}

static void idle_is_asked_less_often(struct kunit *test)
{
	struct nst_cci_health health = { 0 };
	u64 now = 0;
	u32 i;

	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_FALSE(test,
				   nst_cci_health_idle(&health, now, 0,
						       -EAGAIN));
		KUNIT_EXPECT_EQ(test, -EAGAIN,
				nst_cci_health_may(&health, now));
		KUNIT_EXPECT_LE(test, health.retry_us - now,
				NST_CCI_IDLE_MAX_MS * MS);
		now = health.retry_us;
	}
	KUNIT_EXPECT_EQ(test, (u32)NST_CCI_IDLE_MAX_MS, health.wait_ms);
	/* a time that is known is kept, and a value starts it afresh */
	nst_cci_health_idle(&health, now, now + 21 * MS, -ENODATA);
	KUNIT_EXPECT_EQ(test, -ENODATA, nst_cci_health_may(&health, now));
	KUNIT_EXPECT_EQ(test, now + 21 * MS, health.retry_us);
	nst_cci_health_good(&health);
	nst_cci_health_idle(&health, now, 0, -EAGAIN);
	KUNIT_EXPECT_EQ(test, now + NST_CCI_IDLE_MS * MS, health.retry_us);
}

static void an_answer_without_value_is_alive(struct kunit *test)
{
	struct nst_cci_health health = { 0 };
	u32 i;

	for (i = 0; i < NST_CCI_FAILS; i++)
		nst_cci_health_bad(&health, 0);
	KUNIT_EXPECT_TRUE(test,
			  nst_cci_health_idle(&health, 0, 0, -EAGAIN));
	KUNIT_EXPECT_FALSE(test, health.dead);
	KUNIT_EXPECT_EQ(test, (u32)NST_CCI_IDLE_MS, health.wait_ms);
}

/* A gate that could be told makes nobody ask for a temperature earlier. */
static void another_answer_ends_failures_only(struct kunit *test)
{
	struct nst_cci_health health = { 0 };
	u64 until_us;
	u32 i;

	nst_cci_health_idle(&health, 0, 0, -EAGAIN);
	nst_cci_health_idle(&health, 20 * MS, 0, -EAGAIN);
	until_us = health.retry_us;
	KUNIT_EXPECT_EQ(test, 60 * MS, until_us);
	KUNIT_EXPECT_FALSE(test, nst_cci_health_heard(&health));
	KUNIT_EXPECT_EQ(test, until_us, health.retry_us);
	nst_cci_health_idle(&health, until_us, 0, -EAGAIN);
	KUNIT_EXPECT_EQ(test, 80u, health.wait_ms);

	for (i = 0; i < NST_CCI_FAILS; i++)
		nst_cci_health_bad(&health, until_us);
	KUNIT_EXPECT_EQ(test, -EIO, nst_cci_health_may(&health, until_us));
	nst_cci_health_wake(&health);
	KUNIT_EXPECT_EQ(test, 0, nst_cci_health_may(&health, until_us));
	KUNIT_EXPECT_TRUE(test, health.dead);
	KUNIT_EXPECT_TRUE(test, nst_cci_health_heard(&health));
	KUNIT_EXPECT_FALSE(test, health.dead);
	KUNIT_EXPECT_EQ(test, 0, nst_cci_health_may(&health, until_us));
}

/* --- names of board thermometers ----------------------------------------- */

struct spec_case {
	const char *text;
	int err;
	u8 kind;
	const char *name, *device, *channel;
};

#define BAD(text) { text, -EINVAL, 0, NULL, NULL, NULL }

static const struct spec_case specs[] = {
	{ "hwmon:tmp102:temp1", 0, NST_CCI_BOARD_HWMON, "tmp102", "",
	  "temp1" },
	{ "hwmon:tmp102@1-0048:temp12", 0, NST_CCI_BOARD_HWMON, "tmp102",
	  "1-0048", "temp12" },
	{ "hwmon:lm75@i2c:5:temp2", 0, NST_CCI_BOARD_HWMON, "lm75", "i2c:5",
	  "temp2" },
	{ "zone:soc-thermal", 0, NST_CCI_BOARD_ZONE, "soc-thermal", "", "" },
	{ "zone:a:b", 0, NST_CCI_BOARD_ZONE, "a:b", "", "" },
	{ "iio:board", 0, NST_CCI_BOARD_IIO, "", "", "board" },
	{ "iio:adc0:board", 0, NST_CCI_BOARD_IIO, "adc0", "", "board" },
	BAD(""), BAD("hwmon"), BAD("hwmon:"),
	BAD("hwmon:tmp102"), BAD("hwmon::temp1"),
	BAD("hwmon:tmp102:"), BAD("hwmon:tmp102:temp"),
	BAD("hwmon:tmp102:temp0"),
	BAD("hwmon:tmp102:temp1_input"),
	BAD("hwmon:tmp102:in1"), BAD("hwmon:tmp102@:temp1"),
	BAD("hwmon:@1-0048:temp1"), BAD("zone:"),
	BAD("iio:"), BAD("iio::board"),
	BAD("iio:adc0:"), BAD("HWMON:tmp102:temp1"),
	BAD("thermal_zone0"),
	BAD("zone:a-name-longer-than-any-thermal-zone-may-have"),
};

static void spec_name(const struct spec_case *c, char *desc)
{
	size_t i;

	for (i = 0; i < KUNIT_PARAM_DESC_SIZE - 1 && c->text[i]; i++)
		desc[i] = c->text[i];
	desc[i] = '\0';
}

KUNIT_ARRAY_PARAM(spec, specs, spec_name);

static void specs_are_parsed(struct kunit *test)
{
	const struct spec_case *c = test->param_value;
	struct nst_cci_board_spec spec = { .name = "untouched" };

	KUNIT_ASSERT_EQ(test, c->err,
			nst_cci_board_spec_parse(c->text, &spec));
	if (c->err) {
		KUNIT_EXPECT_STREQ(test, "untouched", spec.name);
		return;
	}
	KUNIT_EXPECT_EQ(test, (int)c->kind, (int)spec.kind);
	KUNIT_EXPECT_STREQ(test, c->name, spec.name);
	KUNIT_EXPECT_STREQ(test, c->device, spec.device);
	KUNIT_EXPECT_STREQ(test, c->channel, spec.channel);
}

static struct kunit_case cci_logic_cases[] = {
	KUNIT_CASE(given_up_after_so_many),
	KUNIT_CASE(tried_for_ever),
	KUNIT_CASE(idle_is_asked_less_often),
	KUNIT_CASE(an_answer_without_value_is_alive),
	KUNIT_CASE(another_answer_ends_failures_only),
	KUNIT_CASE_PARAM(specs_are_parsed, spec_gen_params),
	{}
};

static struct kunit_suite cci_logic_suite = {
	.name = "nst-cci-logic",
	.test_cases = cci_logic_cases,
};

kunit_test_suite(cci_logic_suite);

MODULE_DESCRIPTION("KUnit suite of the logic of nst-cci");
MODULE_LICENSE("GPL");
