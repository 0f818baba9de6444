// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_ask.c - answers in advance against a stack that is rolled forward
 *
 * 10,000 random questions about random stacks in random states. The answer is
 * from policies/core/ask.h; whether it was right is shown by a stack within
 * the bounds in doubles (ask_plant.h), gated from the moment that the answer
 * names, a frame earlier and a frame later.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "ask_plant.h"
#include "ktap.h"
#include "../core/rng.h"

#define QUESTIONS 10000

/*
 * What nstd knows of a stack that it has identified for some minutes: 0.3 K
 * now, and where it tends to 1.3 K (test_nstd_forecast.c, at one second and at
 * ten). The rest is small beside it and here for its effects.
 */
static const struct nst_ask_bounds identified = {
	.state_mc = 300,
	.ambient_mc = 1300,
	.near_mw = 10,
	.gated_mw = 2,
	.package_permyriad = 100,
};

static uint64_t seed;

static double uniform(double lo, double hi)
{
	return lo + (hi - lo) * (double)(rng_next(&seed) >> 11) * 0x1p-53;
}

static double log_uniform(double lo, double hi)
{
	return lo * pow(hi / lo, uniform(0, 1));
}

static u32 between(u32 lo, u32 hi)
{
	return rng_between(&seed, lo, hi);
}

struct asked {
	struct nst_plant plant;
	struct nst_ask_stack stack;
	struct nst_ask_question q;
	struct nst_ask_answer a;
};

static void random_stack(struct asked *k, bool leaks)
{
	struct nst_plant_params p = nst_plant_reference;
	double tau_j = log_uniform(2e-3, 20e-3), tau_p = log_uniform(5, 60);
	u32 r_jp = between(2000, 12000), r_pa = between(12000, 50000);

	/* The package holds far more heat than the die, see plant.h. */
	tau_p = fmax(tau_p, 40 * tau_j * r_pa / r_jp);
	p.r_jp_mk_per_w = r_jp;
	p.r_pa_mk_per_w = r_pa;
	p.c_j_uj_per_k = (u32)(tau_j * 1e9 / r_jp);
	p.c_p_uj_per_k = (u32)(tau_p * 1e9 / r_pa);
	if (leaks)
		p.leak_ref_uw = between(1000, 50000);
	k->stack = (struct nst_ask_stack){
		.plant = &k->plant,
		.ambient_mc = (s32)between(0, 45000),
		.near_mw = between(800, 3500),
		.gated_mw = between(50, 300),
		.high_mc = NST_TEMP_NONE_MC,
		.frame_period_us = between(0, 1) ? 33333 : 66667,
		.doubling_mc = between(5000, 9000),
		.drops = between(0, 1),
		.near_sys_mw = 2500,
		.gated_sys_mw = 100,
	};
	k->stack.exposure_us = (u32)log_uniform(1000, 64000);
	if (k->stack.exposure_us > k->stack.frame_period_us - 1000)
		k->stack.exposure_us = k->stack.frame_period_us - 1000;
	k->stack.readout_us = between(0, k->stack.frame_period_us -
				      k->stack.exposure_us);
	if (between(0, 3) == 0)
		k->stack.gate_enter_us = between(1, 1500);
	if (nst_plant_init(&k->plant, &p, k->stack.ambient_mc))
		abort();
}

/* Some duty for long, then some gate for a while. */
static void random_state(struct asked *k)
{
	struct nst_ask_stack *s = &k->stack;
	u32 mean_mw = (u32)uniform(s->gated_mw, s->near_mw);

	s->gated = !between(0, 3);
	nst_plant_set_steady(&k->plant, mean_mw, s->ambient_mc);
	nst_plant_step(&k->plant, s->gated ? s->gated_mw : s->near_mw,
		       s->ambient_mc, between(0, 60000));
}

static void random_question(struct asked *k)
{
	k->q = (struct nst_ask_question){
		.temp_mc = (s32)between(35000, 105000),
		.time_us = (u32)log_uniform(1000, 60e6),
		.frames = between(0, 2) ? 1 : (u32)log_uniform(1, 30),
	};
}

static struct ask_world world_of(const struct nst_ask_stack *s)
{
	const struct nst_plant_params *p = &s->plant->params;

	return (struct ask_world){
		.r_jp = p->r_jp_mk_per_w / 1e3,
		.r_pa = p->r_pa_mk_per_w / 1e3,
		.c_j = p->c_j_uj_per_k / 1e6,
		.c_p = p->c_p_uj_per_k / 1e6,
		.leak_w = p->leak_ref_uw / 1e6,
		.leak_beta = p->leak_beta_ppm_per_k / 1e6,
		.ambient = s->ambient_mc / 1e3,
		.near_w = s->near_mw / 1e3,
		.gated_w = s->gated_mw / 1e3,
		.high = s->high_mc == NST_TEMP_NONE_MC ? INFINITY
						       : s->high_mc / 1e3,
		.period = s->frame_period_us / 1e6,
		.exposure = s->exposure_us / 1e6,
		.readout = s->readout_us / 1e6,
		.doubling = s->doubling_mc / 1e3,
		.enter = s->gate_enter_us / 1e6,
		.gated = s->gated,
	};
}

static struct ask_nodes nodes_of(const struct nst_plant *plant)
{
	return (struct ask_nodes){
		.die = nst_plant_die_mc(plant) / 1e3,
		.package = nst_plant_package_mc(plant) / 1e3,
	};
}

/* A stack within the bounds: each at @share of it, or a random one of NAN. */
static void put_off(struct ask_world *w, struct ask_nodes *x,
		    const struct nst_ask_bounds *b, double share)
{
	double part[5];

	for (int i = 0; i < 5; i++) {
		part[i] = !isnan(share) ? share :
			  between(0, 3) ? uniform(-1, 1) :
			  between(0, 1) ? 1 : -1;
	}
	x->die += part[0] * b->state_mc / 1e3;
	x->package += part[0] * b->state_mc / 1e3;
	w->ambient += part[1] * b->ambient_mc / 1e3;
	w->near_w += part[2] * b->near_mw / 1e3;
	w->gated_w += part[3] * b->gated_mw / 1e3;
	if (isnan(share))
		w->c_p *= 1 + part[4] * b->package_permyriad / 1e4;
}

struct tally {
	unsigned int yes, no, uncertain, free, undecided, wrong;
	double worst_mc;
};

static void wrong(struct tally *t, const struct asked *k, const char *what,
		  double got)
{
	const struct nst_ask_stack *s = &k->stack;

	if (t->wrong++ < 5)
		printf("# %s: %.3f for %.3f; in %u us, %u frames of %u us; "
		       "gate %u of %u, late %u; reached %.3f, %.3f to %.3f; "
		       "exposure %u readout %u enter %u high %d\n", what, got,
		       k->q.temp_mc / 1e3, k->q.time_us, k->q.frames,
		       s->frame_period_us, k->a.gate_frame,
		       k->a.exposure_frame, k->a.late_frame,
		       k->a.reached_mc / 1e3, k->a.cold_mc / 1e3,
		       k->a.hot_mc / 1e3, s->exposure_us, s->readout_us,
		       s->gate_enter_us, s->high_mc);
}

static void check_yes(struct tally *t, const struct asked *k,
		      const struct ask_world *w, struct ask_nodes x)
{
	u32 first = k->a.exposure_frame, frames = k->q.frames;
	u32 gate = k->a.gate ? k->a.gate_frame : first + frames;
	double limit = k->q.temp_mc / 1e3;
	double at = ask_roll(w, x, gate, first, frames);

	if (at > limit)
		wrong(t, k, "yes, and too warm", at);
	if (gate) {
		at = ask_roll(w, x, gate - 1, first, frames);
		if (at > limit)
			wrong(t, k, "yes, a frame earlier too warm", at);
	}
	if (k->a.late_frame == NST_ASK_NEVER)
		return;
	at = ask_roll(w, x, k->a.late_frame, first, frames);
	if (at <= limit)
		wrong(t, k, "said to be late, and is not", at);
	t->undecided += k->a.late_frame != gate + 1;
}

/* By how much one of the bounds alone moves what is reached. */
static double share_mc(const struct asked *k, u32 bound)
{
	const struct nst_ask_bounds *b = &k->stack.bounds;
	struct ask_world w = world_of(&k->stack);
	struct ask_nodes x = nodes_of(&k->plant);
	double side = k->a.reached_mc <= k->q.temp_mc ? 1 : -1;
	double from = ask_roll(&w, x, 0, k->a.exposure_frame,
			       k->q.frames), to;

	switch (bound) {
	case NST_ASK_BY_STATE:
		x.die += side * b->state_mc / 1e3;
		x.package += side * b->state_mc / 1e3;
		break;
	case NST_ASK_BY_AMBIENT:
		w.ambient += side * b->ambient_mc / 1e3;
		break;
	case NST_ASK_BY_POWER:
		w.near_w += side * b->near_mw / 1e3;
		w.gated_w += side * b->gated_mw / 1e3;
		break;
	case NST_ASK_BY_PACKAGE:
		w.c_p *= 1 + b->package_permyriad / 1e4;
		to = ask_roll(&w, x, 0, k->a.exposure_frame,
			      k->q.frames);
		w.c_p = world_of(&k->stack).c_p *
			(1 - b->package_permyriad / 1e4);
		return fmax((to - from) * side,
			    (ask_roll(&w, x, 0,
				      k->a.exposure_frame, k->q.frames) -
			     from) * side) * 1e3;
	default:
		return k->a.bound_mc;
	}
	to = ask_roll(&w, x, 0, k->a.exposure_frame,
		      k->q.frames);
	return (to - from) * side * 1e3;
}

/* It may be either: shown by the stack at each corner. */
static void check_uncertain(struct tally *t, const struct asked *k)
{
	double limit = k->q.temp_mc / 1e3, at, slack;
	struct ask_world w;
	struct ask_nodes x;

	for (int side = -1; side <= 1; side += 2) {
		w = world_of(&k->stack);
		x = nodes_of(&k->plant);
		put_off(&w, &x, &k->stack.bounds, side);
		at = ask_roll(&w, x, 0, k->a.exposure_frame,
			      k->q.frames);
		at += side * share_mc(k, NST_ASK_BY_PACKAGE) / 1e3;
		if ((at - limit) * side < -0.03)
			wrong(t, k, "uncertain without a reason", at);
	}
	/* With leakage a corner has some slack of its own. */
	slack = k->plant.params.leak_ref_uw ? 80 : 20;
	at = share_mc(k, k->a.bound);
	if (k->a.bound == NST_ASK_BY_NOTHING ||
	    fabs(at - k->a.bound_mc) > slack)
		wrong(t, k, "another share of the doubt", at / 1e3);
	for (u32 b = NST_ASK_BY_STATE; b <= NST_ASK_BY_PACKAGE; b++) {
		if (share_mc(k, b) > at + slack)
			wrong(t, k, "another bound decides", b);
	}
}

static void check_answer(struct tally *t, const struct asked *k)
{
	struct ask_world w = world_of(&k->stack);
	struct ask_nodes x = nodes_of(&k->plant);
	double at;

	put_off(&w, &x, &k->stack.bounds, NAN);
	switch (k->a.verdict) {
	case NST_ASK_YES:
		t->yes++;
		t->free += !k->a.gate;
		check_yes(t, k, &w, x);
		break;
	case NST_ASK_NO:
		t->no++;
		at = ask_roll(&w, x, 0, k->a.exposure_frame,
			      k->q.frames);
		if (at <= k->q.temp_mc / 1e3)
			wrong(t, k, "no, and cold enough", at);
		break;
	default:
		t->uncertain++;
		check_uncertain(t, k);
		break;
	}
	if (k->stack.bounds.state_mc)
		return;
	/* The best guess, on the stack as it is known. */
	w = world_of(&k->stack);
	at = ask_roll(&w, nodes_of(&k->plant), 0,
		      k->a.exposure_frame, k->q.frames);
	t->worst_mc = fmax(t->worst_mc,
			   fabs(at * 1e3 - k->a.reached_mc));
}

static void say(const struct tally *t, unsigned int asked)
{
	printf("# %u questions: %u yes (%u without a gate), %u no, %u "
	       "uncertain (%.2f %%), %u of the moments not told to a frame, "
	       "best guess within %.1f mC, %u wrong\n", asked, t->yes, t->free,
	       t->no, t->uncertain, 100.0 * t->uncertain / asked,
	       t->undecided, t->worst_mc, t->wrong);
}

static struct tally ask_many(unsigned int count,
			     const struct nst_ask_bounds *bounds, bool leaks,
			     bool held)
{
	struct tally t = { 0 };

	for (unsigned int i = 0; i < count; i++) {
		struct asked k;
		int r;

		random_stack(&k, leaks);
		random_state(&k);
		random_question(&k);
		if (bounds)
			k.stack.bounds = *bounds;
		if (held)
			k.stack.high_mc = (s32)between(50000, 105000);
		r = nst_ask(&k.stack, &k.q, &k.a);
		if (r) {
			EXPECT(!r, "%d", r);
			break;
		}
		check_answer(&t, &k);
	}
	say(&t, count);
	EXPECT(!t.wrong, "%u", t.wrong);
	EXPECT(t.yes > count / 10 && t.no > count / 10, "yes %u no %u", t.yes,
	       t.no);
	EXPECT(t.free < t.yes, "every one without a gate");
	return t;
}

/* -------------------------------------------------------------- the tests */

static void exact_knowledge(void)
{
	struct tally t = ask_many(QUESTIONS * 3 / 10, NULL, false, false);

	/* Two frames that differ by less than the arithmetic tells. */
	EXPECT(t.undecided * 5 < t.yes, "%u of %u", t.undecided, t.yes);
	EXPECT(t.uncertain * 1000 <= QUESTIONS * 3 / 10 * 2, "%u",
	       t.uncertain);
}

static void identified_plant(void)
{
	unsigned int count = QUESTIONS * 5 / 10;
	struct tally t = ask_many(count, &identified, false, false);

	EXPECT(t.uncertain * 50 <= count, "%u of %u", t.uncertain, count);
}

static void below_a_threshold(void)
{
	unsigned int count = QUESTIONS * 15 / 100;
	struct tally t = ask_many(count, &identified, false, true);

	EXPECT(t.uncertain * 50 <= count, "%u of %u", t.uncertain, count);
}

static void with_leakage(void)
{
	unsigned int count = QUESTIONS * 5 / 100;
	struct tally t = ask_many(count, &identified, true, false);

	EXPECT(t.uncertain * 50 <= count, "%u of %u", t.uncertain, count);
}

static const struct ktap_test tests[] = {
	{ "an exact plant: right to the frame", exact_knowledge },
	{ "an identified plant: never wrong, seldom uncertain",
	  identified_plant },
	{ "kept below a threshold until then", below_a_threshold },
	{ "with leakage", with_leakage },
};

int main(void)
{
	seed = 20;
	return ktap_main(tests, KTAP_COUNT(tests));
}
