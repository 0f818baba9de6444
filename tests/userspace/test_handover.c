// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_handover.c - a task moves, whatever happens to its workers
 */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "handover_world.h"

static struct world world;
static bool thorough;		/* NST_LONG is set */

#ifdef NST_SAN
#define SLOWER 4
#else
#define SLOWER 1
#endif

static u64 moves(const struct world *w)
{
	return w->h.stats.moved;
}

static u64 rollbacks(const struct world *w)
{
	u64 sum = 0;

	for (int i = 0; i < NST_HANDOVER_STEPS; i++)
		sum += w->h.stats.rolled_back[i];
	return sum;
}

static void run(struct world *w, u64 periods)
{
	while (periods--)
		world_period(w);
}

/* What a run without any hand-over publishes. */
static void compare_with_none(const struct world *w, u64 until)
{
	static struct task_state t;
	u64 differ = 0, missing = 0;

	task_init(w, &t);
	for (u64 seq = 1; seq <= until; seq++) {
		struct result r = task_frame(w, &t, seq, false);

		missing += !w->pub[seq].count;
		differ += w->pub[seq].hash != r.hash;
	}
	EXPECT(!missing, "%llu frames missing", (unsigned long long)missing);
	EXPECT(!differ, "%llu frames differ", (unsigned long long)differ);
}

static void one_way_and_back(void)
{
	const struct nst_handover_stats *st = &world.h.stats;
	u64 overlap;

	world_init(&world, 100);
	world_begin(&world);
	run(&world, 20);
	world.switch_out = world.switch_in = 0;
	world.want = NST_HOME_FAR;
	run(&world, 20);
	EXPECT(world.h.owner == NST_HOME_FAR && moves(&world) == 1, "owner");
	EXPECT(world.switch_out == 1 && world.switch_in == 1,
	       "%lu messages and %lu back", world.switch_out, world.switch_in);
	overlap = world.h.ledger.overlap;
	EXPECT(overlap >= 1, "both on for %llu frames",
	       (unsigned long long)overlap);
	EXPECT(!nst_handover_needs(&world.h, NST_HOME_NEAR), "near is off");
	world.want = NST_HOME_NEAR;
	run(&world, 20);
	EXPECT(world.h.owner == NST_HOME_NEAR && moves(&world) == 2, "owner");
	EXPECT(world.switch_out == 2 && world.switch_in == 2,
	       "%lu messages and %lu back", world.switch_out, world.switch_in);
	EXPECT(world.h.ledger.overlap > overlap, "both, on the way back");
	EXPECT(!world.h.ledger.diverged && !st->inexact && !rollbacks(&world),
	       "exact");
	EXPECT(!world.h.ledger.lost && !world.h.ledger.dropped, "lost");
	world_check(&world);
	compare_with_none(&world, world.period - 2);
	printf("# both on for %llu frames in 2 hand-overs, switch %llu us\n",
	       (unsigned long long)world.h.ledger.overlap,
	       (unsigned long long)st->switch_us);
}

/* Ten thousand, nothing goes wrong, the real task. */
static void many_exact(void)
{
	const u64 wanted = 10000 / SLOWER;
	u64 periods = wanted * 10;

	world_init(&world, periods);
	world.with_vpu = true;
	world_begin(&world);
	while (world.period < periods - 2 && moves(&world) < wanted) {
		if (world.h.owner == world.want &&
		    world.h.step == NST_HANDOVER_IDLE && !rnd(&world, 2))
			world.want ^= 1;
		world_period(&world);
	}
	EXPECT(moves(&world) == wanted, "%llu hand-overs",
	       (unsigned long long)moves(&world));
	EXPECT(!world.h.ledger.lost && !world.h.ledger.dropped &&
	       !world.h.ledger.diverged && !rollbacks(&world), "clean");
	/* One to begin with; each switch is one message, and one back. */
	EXPECT(world.switch_out == wanted + 1 && world.switch_in == wanted + 1,
	       "%lu, %lu", world.switch_out, world.switch_in);
	world_check(&world);
	compare_with_none(&world, world.period - 2);
	printf("# %llu hand-overs in %llu frames, both on for %llu of them\n",
	       (unsigned long long)moves(&world),
	       (unsigned long long)world.period,
	       (unsigned long long)world.h.ledger.overlap);
}

/* Both ways, with up to two faults at given messages. */
static void scenario(struct world *w, unsigned long at0, enum fault f0,
		     unsigned long at1, enum fault f1)
{
	world_init(w, 130);
	w->handovers_only = true;
	world_begin(w);
	run(w, 6);
	w->messages = 0;
	w->at[0] = at0;
	w->fault[0] = f0;
	w->at[1] = at1;
	w->fault[1] = f1;
	w->want = NST_HOME_FAR;
	run(w, 30);
	w->want = NST_HOME_NEAR;
	run(w, 30);
	/* No more faults: it gets where it is wanted. */
	w->fault[0] = w->fault[1] = NO_FAULT;
	for (int i = 0; i < NST_HOMES; i++)
		w->w[i].mute = false;
	run(w, 60);
	world_check(w);
}

static void every_fault(void)
{
	unsigned long count, runs = 0;
	bool failed = false;

	scenario(&world, 0, NO_FAULT, 0, NO_FAULT);
	count = world.messages;
	printf("# %lu messages of hand-overs in a run without faults\n", count);
	for (unsigned long at = 1; at <= count && !failed; at++)
		for (int f = LOSE; f < FAULTS && !failed; f++) {
			scenario(&world, at, (enum fault)f, 0, NO_FAULT);
			failed = ktap_failed;
			if (failed)
				printf("# message %lu, fault %d\n", at, f);
			runs++;
			if (!world.excused)
				EXPECT(!world.h.ledger.lost, "%lu %d", at, f);
		}
	printf("# %lu runs\n", runs);
}

static void every_pair_of_faults(void)
{
	unsigned long count, runs = 0, stride = thorough ? 1 : 7 * SLOWER;
	bool failed = false;

	scenario(&world, 0, NO_FAULT, 0, NO_FAULT);
	count = world.messages + 6;
	for (unsigned long n = 0; n < count * count * 64 && !failed;
	     n += stride) {
		unsigned long rest = n / 64, a = 1 + rest % count,
			      b = 1 + rest / count;

		if (b < a)
			continue;
		scenario(&world, a, (enum fault)(1 + n % 8), b,
			 (enum fault)(1 + n / 8 % 8));
		failed = ktap_failed;
		if (failed)
			printf("# message %lu fault %lu, %lu fault %lu\n", a,
			       1 + n % 8, b, 1 + n / 8 % 8);
		runs++;
	}
	printf("# %lu runs\n", runs);
}

/*
 * Ten thousand while everything goes wrong, also the frames' own messages.
 * A frame is lost only where nobody had it, and that is said.
 */
static void many_with_faults(void)
{
	const u64 wanted = 10000;
	u64 periods = wanted * 60;

	world_init(&world, periods);
	world.chance_ppm = 4000;
	world_begin(&world);
	while (world.period < periods - 2 && moves(&world) < wanted &&
	       !ktap_failed) {
		if (!rnd(&world, 6)) {
			world.want = (u8)rnd(&world, 2);
			world.never_hot = rnd(&world, 4);
		}
		/* It never answers: somebody restarts it. */
		for (int i = 0; i < NST_HOMES; i++)
			if ((world.w[i].mute || world.w[i].hang) &&
			    !rnd(&world, 400))
				kill_worker(&world, i);
		drain_outs(&world);
		world_period(&world);
	}
	EXPECT(moves(&world) == wanted, "%llu hand-overs in %llu frames",
	       (unsigned long long)moves(&world),
	       (unsigned long long)world.period);
	world_check(&world);
	printf("# %llu hand-overs, %llu frames: %llu roll-backs, %lu deaths, "
	       "%llu taken over, %lu without a state, %llu lost, "
	       "%llu dropped for heat\n", (unsigned long long)moves(&world),
	       (unsigned long long)world.period,
	       (unsigned long long)rollbacks(&world), world.kills,
	       (unsigned long long)world.h.stats.taken_over, world.excuses,
	       (unsigned long long)world.h.ledger.lost,
	       (unsigned long long)world.h.ledger.dropped);
}

/*
 * Deaths, silence and bad messages in every step of ten thousand hand-overs,
 * but never of a worker that is alone: then no frame is lost at all.
 */
static void many_never_alone(void)
{
	const u64 wanted = 10000;
	u64 periods = wanted * 40, deaths = 0;

	world_init(&world, periods);
	world_begin(&world);
	while (world.period < periods - 2 && moves(&world) < wanted &&
	       !ktap_failed) {
		struct nst_handover *h = &world.h;
		bool well = true, both = h->step == NST_HANDOVER_FOLLOW &&
				 nst_handover_caught_up(h);
		bool begins = h->step == NST_HANDOVER_PREPARE ||
			      h->step == NST_HANDOVER_COPY ||
			      h->step == NST_HANDOVER_LOAD;
		int victim = NST_HOME_NONE;

		if (h->owner == world.want && h->step == NST_HANDOVER_IDLE)
			world.want ^= !rnd(&world, 2);
		for (int i = 0; i < NST_HOMES; i++)
			well = well && world.w[i].alive && !world.w[i].mute &&
			       !world.w[i].hang;
		/* Nothing of a lone owner is touched. */
		if (!well)
			;
		else if (both && !rnd(&world, 4))
			victim = (int)rnd(&world, 2);
		else if (begins && !rnd(&world, 6))
			victim = h->target;
		if (victim != NST_HOME_NONE && world.w[victim].alive) {
			switch (rnd(&world, 3)) {
			case 0:
				world.w[victim].hang = true;
				break;
			case 1:
				world.w[victim].mute = victim == h->target;
				break;
			default:
				kill_worker(&world, victim);
			}
			deaths++;
			drain_outs(&world);
		}
		for (int i = 0; i < NST_HOMES; i++) {
			struct sim_worker *s = &world.w[i];

			if (h->step != NST_HANDOVER_IDLE)
				continue;
			if (i == h->owner)
				s->mute = false;
			else if (s->mute || s->hang)
				kill_worker(&world, i);
		}
		drain_outs(&world);
		world_period(&world);
	}
	EXPECT(moves(&world) == wanted, "%llu hand-overs in %llu frames",
	       (unsigned long long)moves(&world),
	       (unsigned long long)world.period);
	world_check(&world);
	EXPECT(!world.h.ledger.lost && !world.excuses, "%llu lost",
	       (unsigned long long)world.h.ledger.lost);
	compare_with_none(&world, world.period - 40);
	printf("# %llu hand-overs, %llu frames: %llu deaths and silences, "
	       "%llu roll-backs, %llu taken over, none lost\n",
	       (unsigned long long)moves(&world),
	       (unsigned long long)world.period, (unsigned long long)deaths,
	       (unsigned long long)rollbacks(&world),
	       (unsigned long long)world.h.stats.taken_over);
}

/* The near processor sees pixels that the camera does not deliver. */
static void other_pixels(void)
{
	world_init(&world, 200);
	world.other_pixels = true;
	world_begin(&world);
	run(&world, 20);
	world.want = NST_HOME_FAR;
	run(&world, 40);
	EXPECT(world.h.owner == NST_HOME_FAR, "owner");
	EXPECT(world.h.stats.inexact == 1, "%llu",
	       (unsigned long long)world.h.stats.inexact);
	EXPECT(world.h.ledger.diverged, "diverged");
	EXPECT(!world.h.ledger.lost, "lost");
	world_check(&world);
}

/* Far is wanted and does not come: the gate closes, dropped and counted. */
static void far_never_answers(void)
{
	world_init(&world, 400);
	world_begin(&world);
	world.never_hot = false;
	run(&world, 20);
	world.w[NST_HOME_FAR].mute = true;
	world.want = NST_HOME_FAR;
	run(&world, 2);
	for (int i = 0; i < 300; i++) {
		world_period(&world);
		EXPECT(!world.gate_run, "period %d", i);
	}
	EXPECT(world.h.owner == NST_HOME_NEAR, "owner");
	EXPECT(world.h.stats.rolled_back[NST_HANDOVER_PREPARE] >= 1,
	       "rolled back");
	EXPECT(world.h.ledger.dropped >= 300, "%llu dropped",
	       (unsigned long long)world.h.ledger.dropped);
	EXPECT(!world.h.ledger.lost, "lost");
	world.w[NST_HOME_FAR].mute = false;
	run(&world, 40);
	EXPECT(world.h.owner == NST_HOME_FAR, "it comes after all");
	world_check(&world);
}

static void not_wanted_any_more(void)
{
	world_init(&world, 200);
	world_begin(&world);
	run(&world, 10);
	nst_handover_aim(&world.h, NST_HOME_FAR, world.step * step_us);
	EXPECT(world.h.step == NST_HANDOVER_PREPARE, "step");
	nst_handover_aim(&world.h, NST_HOME_NEAR, world.step * step_us);
	EXPECT(world.h.step == NST_HANDOVER_IDLE, "step");
	EXPECT(world.h.stats.cancelled == 1 && !rollbacks(&world), "counted");
	drain_outs(&world);
	run(&world, 30);
	EXPECT(world.h.owner == NST_HOME_NEAR && !world.h.ledger.lost, "owner");
	compare_with_none(&world, world.period - 2);
}

/*
 * Far was there first, so the gate is told to close when near comes and is
 * wanted: its first frame would be gated, and its states differ from then on.
 */
static void gate_about_to_close(void)
{
	world_init(&world, 100);
	start_worker(&world, NST_HOME_FAR);
	start_worker(&world, NST_HOME_NEAR);
	drain_outs(&world);
	world.want = NST_HOME_FAR;
	run(&world, 3);
	EXPECT(world.h.owner == NST_HOME_FAR && !world.gate_run, "begin");
	world.want = NST_HOME_NEAR;
	world.gate_run = true;
	run(&world, 1);
	EXPECT(world.h.copy_due && !world.gate_run, "it waits");
	run(&world, 20);
	EXPECT(world.h.owner == NST_HOME_NEAR && moves(&world) == 1, "owner");
	EXPECT(world.h.ledger.overlap && !world.h.ledger.diverged,
	       "%llu of %llu differ",
	       (unsigned long long)world.h.ledger.diverged,
	       (unsigned long long)world.h.ledger.overlap);
	EXPECT(!world.h.ledger.lost && !rollbacks(&world), "lost");
	world_check(&world);
	compare_with_none(&world, world.period - 2);
}

/*
 * Frames of half a second and more: a gate needs two of them to open, which is
 * more than a worker may take for an answer.
 */
static void long_frames(void)
{
	static const u64 period_us[] = { 500000, 1000000, 1500000 };

	for (size_t i = 0; i < sizeof(period_us) / sizeof(period_us[0]); i++) {
		step_us = period_us[i] / STEPS;
		world_init(&world, 200);
		world_begin(&world);
		run(&world, 10);
		world.want = NST_HOME_FAR;
		run(&world, 20);
		EXPECT(world.h.owner == NST_HOME_FAR && !world.gate_run,
		       "%llu us: far", (unsigned long long)period_us[i]);
		world.want = NST_HOME_NEAR;
		run(&world, 20);
		EXPECT(world.h.owner == NST_HOME_NEAR && moves(&world) == 2,
		       "%llu us: back", (unsigned long long)period_us[i]);
		EXPECT(!rollbacks(&world) && !world.h.ledger.diverged &&
		       !world.h.ledger.lost, "%llu us: clean",
		       (unsigned long long)period_us[i]);
		world_check(&world);
	}
	step_us = PERIOD_US / STEPS;
}

/* A gate that does not open is not waited for: another attempt later. */
static void gate_stays_shut(void)
{
	world_init(&world, 100);
	world_begin(&world);
	run(&world, 10);
	world.want = NST_HOME_FAR;
	run(&world, 20);
	EXPECT(world.h.owner == NST_HOME_FAR, "far");
	nst_handover_aim(&world.h, NST_HOME_NEAR, world.step * step_us);
	EXPECT(!nst_handover_ready(&world.h, NST_HOME_NEAR, world.h.epoch,
				   world.step * step_us), "ready");
	for (int i = 0; i < 20 && world.h.step == NST_HANDOVER_COPY; i++)
		nst_handover_gate(&world.h, i % 2, !(i % 2),
				  world.step * step_us);
	EXPECT(world.h.step == NST_HANDOVER_IDLE &&
	       world.h.stats.rolled_back[NST_HANDOVER_COPY] == 1,
	       "rolled back");
}

/* What a worker says that is not so changes nothing. */
static void lies(void)
{
	struct nst_handover *h = &world.h;
	struct nst_handover before;
	u64 now;
	bool owner;

	world_init(&world, 100);
	world_begin(&world);
	run(&world, 20);
	now = world.step * step_us;
	before = *h;
	EXPECT(nst_handover_register(h, NST_HOME_NEAR, now) == -EEXIST, "two");
	EXPECT(nst_handover_ready(h, NST_HOME_FAR, 7, now) == -ESTALE, "ready");
	EXPECT(nst_handover_state(h, NST_HOME_NEAR, h->epoch, 3, now) ==
	       -ESTALE, "state");
	EXPECT(nst_handover_copied(h, NST_HOME_FAR, h->epoch, 3, now) ==
	       -ESTALE, "copied");
	EXPECT(nst_handover_ack(h, NST_HOME_FAR, h->epoch, 3, now) == -ESTALE,
	       "ack");
	EXPECT(nst_handover_failed(h, NST_HOME_FAR, h->epoch, now) == -ESTALE,
	       "failed");
	EXPECT(nst_handover_done(h, NST_HOME_NEAR, h->ledger.newest + 2, 0, now,
				 &owner) == -ERANGE && !owner, "future");
	EXPECT(nst_handover_done(h, NST_HOME_NEAR, 0, 0, now, &owner) ==
	       -ERANGE, "none");
	EXPECT(nst_handover_done(h, NST_HOME_NEAR, 5, 0, now, &owner) ==
	       -EALREADY && !owner, "again");
	EXPECT(nst_handover_done(h, NST_HOME_FAR, 21, 0, now, &owner) ==
	       -EPERM && !owner, "not its own");
	EXPECT(h->worker[0].refused == before.worker[0].refused + 3 &&
	       h->worker[1].refused == before.worker[1].refused + 1, "counted");
	EXPECT(h->step == before.step && h->owner == before.owner &&
	       !memcmp(&h->ledger, &before.ledger, sizeof(h->ledger)),
	       "unchanged");
	/* In a hand-over: a state that is not the newest, a false answer. */
	nst_handover_aim(h, NST_HOME_FAR, now);
	EXPECT(!nst_handover_ready(h, NST_HOME_FAR, h->epoch, now), "ready");
	EXPECT(nst_handover_state(h, NST_HOME_NEAR, h->epoch,
				  h->worker[0].last - 1, now) == -EINVAL,
	       "old state");
	EXPECT(!nst_handover_state(h, NST_HOME_NEAR, h->epoch,
				   h->worker[0].last, now), "state");
	EXPECT(nst_handover_copied(h, NST_HOME_FAR, h->epoch, 1, now) ==
	       -EINVAL, "another state");
	EXPECT(!nst_handover_commit(h, 20, now), "not caught up");
}

/* The clock of the device starts again. */
static void numbers_again(void)
{
	bool owner;

	world_init(&world, 200);
	world_begin(&world);
	run(&world, 50);
	nst_handover_frame(&world.h, 3, world.step * step_us);
	EXPECT(world.h.owner == NST_HOME_NEAR && world.h.ledger.newest == 3,
	       "owner");
	EXPECT(world.h.stats.fresh == 2, "begins anew");
	EXPECT(!nst_handover_done(&world.h, NST_HOME_NEAR, 3, 1,
				  world.step * step_us, &owner) && owner,
	       "counts");
}

static void the_last_one_leaves(void)
{
	world_init(&world, 200);
	world_begin(&world);
	run(&world, 20);
	nst_handover_leave(&world.h, NST_HOME_FAR, world.step * step_us);
	nst_handover_leave(&world.h, NST_HOME_NEAR, world.step * step_us);
	EXPECT(!nst_handover_used(&world.h) && !world.h.ledger.newest, "used");
	nst_handover_frame(&world.h, 30, world.step * step_us);
	EXPECT(!world.h.ledger.newest, "frames are not counted any more");
}

static const struct ktap_test tests[] = {
	{ "there and back: one message each way, both on", one_way_and_back },
	{ "thousands of hand-overs equal a run with none", many_exact },
	{ "every fault at every message", every_fault },
	{ "every pair of faults", every_pair_of_faults },
	{ "10000 hand-overs with faults everywhere", many_with_faults },
	{ "10000 hand-overs, failures while both are on", many_never_alone },
	{ "other pixels are noticed and counted", other_pixels },
	{ "far never answers: gated, dropped, said", far_never_answers },
	{ "not wanted any more", not_wanted_any_more },
	{ "near waits for a gate that stays open", gate_about_to_close },
	{ "frames of half a second and more", long_frames },
	{ "a gate that stays shut is not waited for", gate_stays_shut },
	{ "lies change nothing", lies },
	{ "frame numbers start again", numbers_again },
	{ "the last one leaves", the_last_one_leaves },
};

int main(void)
{
	int r;

	thorough = getenv("NST_LONG");
	r = ktap_main(tests, KTAP_COUNT(tests));
	free(world.pub);
	return r;
}
