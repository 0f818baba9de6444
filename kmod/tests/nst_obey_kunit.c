// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_obey_kunit.c - gates that refuse and gates that lie
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "policy.h"
#include "../nst-obey.c"

#define RUN ((u8)NST_GATE_RUN)
#define STANDBY ((u8)NST_GATE_STANDBY)

static enum nst_obey_news tell(struct nst_obey *obey, enum nst_obey_event event,
			       u64 t_us)
{
	return nst_obey_event(obey, event, STANDBY, t_us);
}

/* Into a state by events alone. */
static struct nst_obey in_state(u8 state, bool accepted)
{
	struct nst_obey obey = { 0 };
	int i;

	if (state != NST_OBEY_GOOD)
		tell(&obey, NST_OBEY_REFUSED, 0);
	for (i = 1; state == NST_OBEY_FAULT && i < NST_OBEY_MAX; i++)
		tell(&obey, NST_OBEY_REFUSED, 0);
	if (accepted)
		tell(&obey, NST_OBEY_ACCEPTED, 0);
	return obey;
}

struct step_case {
	const char *name;
	u8 from;
	bool accepted;
	enum nst_obey_event event;
	u8 gate;
	u8 to;
	enum nst_obey_news news;
};

/* Every state and every event. */
static const struct step_case step_cases[] = {
	{ "good, refused", NST_OBEY_GOOD, false, NST_OBEY_REFUSED, STANDBY,
	  NST_OBEY_TRYING, NST_OBEY_NOTHING },
	{ "good, contradicted", NST_OBEY_GOOD, false, NST_OBEY_CONTRADICTED,
	  STANDBY, NST_OBEY_TRYING, NST_OBEY_NOTHING },
	{ "good, accepted", NST_OBEY_GOOD, false, NST_OBEY_ACCEPTED, STANDBY,
	  NST_OBEY_GOOD, NST_OBEY_NOTHING },
	{ "good, agreed", NST_OBEY_GOOD, false, NST_OBEY_AGREED, STANDBY,
	  NST_OBEY_GOOD, NST_OBEY_NOTHING },
	{ "trying, refused", NST_OBEY_TRYING, false, NST_OBEY_REFUSED, STANDBY,
	  NST_OBEY_TRYING, NST_OBEY_NOTHING },
	{ "trying, contradicted", NST_OBEY_TRYING, false,
	  NST_OBEY_CONTRADICTED, STANDBY, NST_OBEY_TRYING, NST_OBEY_NOTHING },
	{ "trying, accepted", NST_OBEY_TRYING, false, NST_OBEY_ACCEPTED,
	  STANDBY, NST_OBEY_TRYING, NST_OBEY_NOTHING },
	{ "trying, agreed to nothing", NST_OBEY_TRYING, false,
	  NST_OBEY_AGREED, STANDBY, NST_OBEY_TRYING, NST_OBEY_NOTHING },
	{ "trying, accepted, agreed", NST_OBEY_TRYING, true, NST_OBEY_AGREED,
	  STANDBY, NST_OBEY_GOOD, NST_OBEY_NOTHING },
	{ "trying, another agreed", NST_OBEY_TRYING, true, NST_OBEY_AGREED,
	  RUN, NST_OBEY_TRYING, NST_OBEY_NOTHING },
	{ "fault, refused", NST_OBEY_FAULT, false, NST_OBEY_REFUSED, STANDBY,
	  NST_OBEY_FAULT, NST_OBEY_NOTHING },
	{ "fault, contradicted", NST_OBEY_FAULT, false, NST_OBEY_CONTRADICTED,
	  STANDBY, NST_OBEY_FAULT, NST_OBEY_NOTHING },
	{ "fault, accepted", NST_OBEY_FAULT, false, NST_OBEY_ACCEPTED, STANDBY,
	  NST_OBEY_FAULT, NST_OBEY_NOTHING },
	{ "fault, agreed to nothing", NST_OBEY_FAULT, false, NST_OBEY_AGREED,
	  STANDBY, NST_OBEY_FAULT, NST_OBEY_NOTHING },
	{ "fault, accepted, agreed", NST_OBEY_FAULT, true, NST_OBEY_AGREED,
	  STANDBY, NST_OBEY_GOOD, NST_OBEY_IS_BACK },
	{ "fault, another agreed", NST_OBEY_FAULT, true, NST_OBEY_AGREED, RUN,
	  NST_OBEY_FAULT, NST_OBEY_NOTHING },
	{ "no such event", NST_OBEY_FAULT, true, NST_OBEY_EVENT_COUNT, STANDBY,
	  NST_OBEY_FAULT, NST_OBEY_NOTHING },
};

static void step_case_name(const struct step_case *c, char *desc)
{
	size_t i;

	for (i = 0; i < KUNIT_PARAM_DESC_SIZE - 1 && c->name[i]; i++)
		desc[i] = c->name[i];
	desc[i] = '\0';
}

KUNIT_ARRAY_PARAM(step, step_cases, step_case_name);

static void states_and_events(struct kunit *test)
{
	const struct step_case *c = test->param_value;
	struct nst_obey obey = in_state(c->from, c->accepted);

	KUNIT_ASSERT_EQ(test, c->from, obey.state);
	KUNIT_EXPECT_EQ(test, (int)c->news,
			(int)nst_obey_event(&obey, c->event, c->gate, 0));
	KUNIT_EXPECT_EQ(test, c->to, obey.state);
}

/* The tenth of a kind is a fault, and it is said once. */
static void ten_of_a_kind(struct kunit *test)
{
	static const enum nst_obey_event kinds[] = {
		NST_OBEY_REFUSED, NST_OBEY_CONTRADICTED,
	};
	size_t kind;
	int i;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		struct nst_obey obey = { 0 };

		for (i = 1; i < NST_OBEY_MAX; i++)
			KUNIT_EXPECT_EQ(test, (int)NST_OBEY_NOTHING,
					(int)tell(&obey, kinds[kind], 0));
		KUNIT_EXPECT_EQ(test, (int)NST_OBEY_IS_FAULT,
				(int)tell(&obey, kinds[kind], 0));
		for (i = 0; i < 70000; i++)
			KUNIT_ASSERT_EQ(test, (int)NST_OBEY_NOTHING,
					(int)tell(&obey, kinds[kind], 0));
	}
}

/*
 * A liar under dithering: standby is contradicted, and run, which is asked
 * for in every other frame, is what it always has.
 */
static void a_liar_is_found_while_dithering(struct kunit *test)
{
	struct nst_obey obey = { 0 };
	int frame, faults = 0;

	for (frame = 0; frame < 100; frame++) {
		u64 t_us = (u64)frame * 33333;
		u8 gate = frame & 1 ? RUN : STANDBY;

		nst_obey_event(&obey, NST_OBEY_ACCEPTED, gate, t_us);
		faults += nst_obey_event(&obey, gate == RUN ?
					 NST_OBEY_AGREED :
					 NST_OBEY_CONTRADICTED, gate, t_us) ==
			  NST_OBEY_IS_FAULT;
	}
	KUNIT_EXPECT_EQ(test, 1, faults);
	KUNIT_EXPECT_EQ(test, (u8)NST_OBEY_FAULT, obey.state);
}

/* 30 frames a second for a minute: three at once, then 20 ms ... 1 s apart. */
static void tries_grow_apart(struct kunit *test)
{
	struct nst_obey obey = { 0 };
	u64 t_us, last_us = 0, longest_us = 0;
	int tries = 0, first_second = 0;

	for (t_us = 0; t_us < 60000000; t_us += 33333) {
		if (!nst_obey_may_try(&obey, STANDBY, t_us))
			continue;
		/* Another gate is not held back by this one. */
		KUNIT_EXPECT_TRUE(test, nst_obey_may_try(&obey, RUN, t_us));
		if (tries && t_us - last_us > longest_us)
			longest_us = t_us - last_us;
		last_us = t_us;
		tries++;
		first_second += t_us < 1000000;
		tell(&obey, NST_OBEY_REFUSED, t_us);
	}
	KUNIT_EXPECT_GE(test, first_second, 6);
	KUNIT_EXPECT_LE(test, first_second, 10);
	KUNIT_EXPECT_GE(test, tries, 55);
	KUNIT_EXPECT_LE(test, tries, 70);
	KUNIT_EXPECT_LE(test, longest_us, (u64)NST_OBEY_LONGEST_US + 33333);
}

/* Who asks is answered by the hardware, and nobody else is let through. */
static void asked_for_it_is_tried(struct kunit *test)
{
	struct nst_obey obey = { 0 };
	int i;

	for (i = 0; i < 20; i++)
		tell(&obey, NST_OBEY_REFUSED, 0);
	KUNIT_EXPECT_FALSE(test, nst_obey_may_try(&obey, STANDBY, 1000));
	nst_obey_asked(&obey, RUN);
	KUNIT_EXPECT_FALSE(test, nst_obey_may_try(&obey, STANDBY, 1000));
	nst_obey_asked(&obey, STANDBY);
	KUNIT_EXPECT_TRUE(test, nst_obey_may_try(&obey, STANDBY, 1000));
	tell(&obey, NST_OBEY_REFUSED, 1000);
	KUNIT_EXPECT_FALSE(test, nst_obey_may_try(&obey, STANDBY,
						  NST_OBEY_LONGEST_US));
	KUNIT_EXPECT_TRUE(test, nst_obey_may_try(&obey, STANDBY,
						 NST_OBEY_LONGEST_US + 1000));
	KUNIT_EXPECT_EQ(test, (u8)NST_OBEY_FAULT, obey.state);
}

static void good_again_is_as_new(struct kunit *test)
{
	struct nst_obey obey = in_state(NST_OBEY_FAULT, true);

	KUNIT_EXPECT_FALSE(test, nst_obey_may_try(&obey, STANDBY, 0));
	tell(&obey, NST_OBEY_AGREED, 0);
	KUNIT_EXPECT_TRUE(test, nst_obey_may_try(&obey, STANDBY, 0));
	KUNIT_EXPECT_EQ(test, (u16)0, obey.tries);
	KUNIT_EXPECT_EQ(test, (u16)0, obey.refused);
	KUNIT_EXPECT_EQ(test, (u16)0, obey.contradicted);
}

static struct kunit_case nst_obey_cases[] = {
	KUNIT_CASE_PARAM(states_and_events, step_gen_params),
	KUNIT_CASE(ten_of_a_kind),
	KUNIT_CASE(a_liar_is_found_while_dithering),
	KUNIT_CASE(tries_grow_apart),
	KUNIT_CASE(asked_for_it_is_tried),
	KUNIT_CASE(good_again_is_as_new),
	{}
};

static struct kunit_suite nst_obey_suite = {
	.name = "nst-obey",
	.test_cases = nst_obey_cases,
};

kunit_test_suite(nst_obey_suite);

MODULE_DESCRIPTION("KUnit suite of gates that do not obey");
MODULE_LICENSE("GPL");
