// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sim_ask.c - answers in advance, checked on three stacks on the step clock
 *
 * usage: sim_ask COUNT SEED (SIM NST)...
 *
 * The three stacks have had the same history, so they are in the same state.
 * Each question is random, and is asked of policies/core/ask.h with the state
 * that the ground truth has. Then one stack is gated from the moment that the
 * answer names, one a frame later and one a frame earlier, and the exposure
 * temperatures of all are measured: the die is read a millisecond at a time.
 * Prints "key value" lines.
 */
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "../core/rng.h"

#define STACKS 3

/* As sim_ask.sh makes the stacks. */
#define PERIOD_US 40000u
#define EXPOSURE_US 20000u
#define ENTER_US 400u
#define NEAR_MW 2500u
#define GATED_MW 100u
#define AMBIENT_MC 26400
#define DOUBLING_MC 7000
#define SETTLE_US 30000000u

/* The truth is in whole millidegrees, and read a millisecond at a time. */
#define SLACK_MC 25

struct stack {
	const char *sim;
	const char *nst;
	int truth_fd;
};

static const struct nst_plant_params params = {
	.r_jp_mk_per_w = 5500,
	.r_pa_mk_per_w = 28500,
	.c_j_uj_per_k = 909,
	.c_p_uj_per_k = 100000,
};

static uint64_t rng;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void put(const char *dir, const char *name, const char *text)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail(path);
	close(fd);
}

static void advance(const struct stack *s, unsigned long us)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", us);
	put(s->sim, "advance_us", text);
}

static long truth(const struct stack *s, const char *key)
{
	char buf[1024], *at;
	ssize_t len = pread(s->truth_fd, buf, sizeof(buf) - 1, 0);

	if (len <= 0)
		fail("truth");
	buf[len] = '\0';
	at = strstr(buf, key);
	if (!at) {
		fprintf(stderr, "no %s in the truth\n", key);
		exit(1);
	}
	return strtol(at + strlen(key), NULL, 10);
}

/* Of a frame that begins now; the clock is moved by it. */
static double exposure_mc(const struct stack *s)
{
	double sum = 0, was, now;

	was = exp2((double)truth(s, "die_mc ") / DOUBLING_MC);
	for (unsigned int us = 0; us < EXPOSURE_US; us += 1000) {
		advance(s, 1000);
		now = exp2((double)truth(s, "die_mc ") / DOUBLING_MC);
		/* The edge bends in the middle of a step: by a half. */
		sum += (was + now) / 2;
		was = now;
	}
	return DOUBLING_MC * log2(sum / (EXPOSURE_US / 1000));
}

/* Hottest of the frames asked for, gated from boundary @gate on. */
static double roll(const struct stack *s, unsigned int gate,
		   unsigned int first, unsigned int frames)
{
	unsigned int end = first + frames, at = 0;
	double hot = -1e9, mc;

	/* What is asked for in a frame comes with the boundary after it. */
	if (gate > 1 && first > 1) {
		at = (gate < first ? gate : first) - 1;
		advance(s, (unsigned long)at * PERIOD_US);
	}
	for (unsigned int done = 0; at < end; at++) {
		if (at == gate)
			put(s->nst, "gate", "standby");
		advance(s, PERIOD_US - done);
		done = 0;
		if (at < first)
			continue;
		mc = exposure_mc(s);
		hot = mc > hot ? mc : hot;
		done = EXPOSURE_US;
	}
	/* To the beginning of a frame again. */
	advance(s, PERIOD_US - EXPOSURE_US);
	return hot;
}

/* The same random state in all of them. */
static void same_state(const struct stack *stacks)
{
	unsigned long cool = rng_between(&rng, 0, 200) * PERIOD_US;
	unsigned long warm = rng_between(&rng, 1, 80) * PERIOD_US;

	for (int i = 0; i < STACKS; i++) {
		put(stacks[i].nst, "gate", "run");
		advance(&stacks[i], SETTLE_US);
		put(stacks[i].nst, "gate", "standby");
		advance(&stacks[i], PERIOD_US + cool);
		put(stacks[i].nst, "gate", "run");
		advance(&stacks[i], PERIOD_US + warm);
	}
}

static int ask(const struct stack *s, struct nst_ask_question *q,
	       struct nst_ask_answer *ret)
{
	struct nst_plant plant;
	const struct nst_ask_stack known = {
		.plant = &plant,
		.ambient_mc = AMBIENT_MC,
		.near_mw = NEAR_MW,
		.gated_mw = GATED_MW,
		.high_mc = NST_TEMP_NONE_MC,
		.frame_period_us = PERIOD_US,
		.exposure_us = EXPOSURE_US,
		.doubling_mc = DOUBLING_MC,
		.gate_enter_us = ENTER_US,
		.bounds = { .state_mc = SLACK_MC },
	};

	if (nst_plant_init(&plant, &params, AMBIENT_MC) ||
	    nst_plant_set_state(&plant, (s32)truth(s, "die_mc "),
				(s32)truth(s, "package_mc ")) ||
	    nst_plant_step(&plant, NEAR_MW, AMBIENT_MC, PERIOD_US))
		return -1;
	*q = (struct nst_ask_question){
		.temp_mc = (s32)rng_between(&rng, 35000, 105000),
		.time_us = rng_between(&rng, 0, 100) * PERIOD_US,
		.frames = rng_between(&rng, 1, 3),
	};
	return nst_ask(&known, q, ret);
}

struct sums {
	unsigned int yes, free, no, uncertain, late, wrong;
};

static void wrong(struct sums *sums, const char *what, double mc,
		  const struct nst_ask_question *q,
		  const struct nst_ask_answer *a)
{
	sums->wrong++;
	fprintf(stderr, "%s: %.0f for %d, in %u frames, %u of them, gate %u, "
		"late %u, reached %d\n", what, mc, q->temp_mc,
		a->exposure_frame, q->frames, a->gate_frame, a->late_frame,
		a->reached_mc);
}

static void check_yes(struct sums *sums, const struct stack *stacks,
		      const struct nst_ask_question *q,
		      const struct nst_ask_answer *a)
{
	unsigned int end = a->exposure_frame + q->frames;
	unsigned int gate = a->gate ? a->gate_frame : end;
	double mc = roll(&stacks[0], gate, a->exposure_frame, q->frames);

	if (mc > q->temp_mc)
		wrong(sums, "yes, and too warm", mc, q, a);
	if (gate) {
		mc = roll(&stacks[1], gate - 1, a->exposure_frame, q->frames);
		if (mc > q->temp_mc)
			wrong(sums, "a frame earlier, and too warm", mc, q, a);
	}
	sums->free += !a->gate;
	if (a->late_frame == NST_ASK_NEVER)
		return;
	sums->late += a->late_frame == gate + 1;
	mc = roll(&stacks[2], a->late_frame, a->exposure_frame, q->frames);
	if (mc <= q->temp_mc)
		wrong(sums, "too late, and cold enough", mc, q, a);
}

int main(int argc, char **argv)
{
	struct stack stacks[STACKS];
	struct sums sums = { 0 };
	long count;

	if (argc != 3 + 2 * STACKS) {
		fprintf(stderr, "usage: sim_ask COUNT SEED (SIM NST)...\n");
		return 3;
	}
	count = strtol(argv[1], NULL, 10);
	rng = strtoull(argv[2], NULL, 10);
	for (int i = 0; i < STACKS; i++) {
		char path[256];

		stacks[i] = (struct stack){ argv[3 + 2 * i], argv[4 + 2 * i],
					    -1 };
		snprintf(path, sizeof(path), "%s/truth", stacks[i].sim);
		stacks[i].truth_fd = open(path, O_RDONLY);
		if (stacks[i].truth_fd < 0)
			fail(path);
	}
	for (long n = 0; n < count; n++) {
		struct nst_ask_question q;
		struct nst_ask_answer a;
		double mc;

		same_state(stacks);
		if (ask(&stacks[0], &q, &a)) {
			fprintf(stderr, "no answer\n");
			return 1;
		}
		if (a.verdict == NST_ASK_YES) {
			sums.yes++;
			check_yes(&sums, stacks, &q, &a);
		} else if (a.verdict == NST_ASK_NO) {
			sums.no++;
			mc = roll(&stacks[0], 0, a.exposure_frame, q.frames);
			if (mc <= q.temp_mc)
				wrong(&sums, "no, and cold enough", mc, &q,
				      &a);
		} else {
			sums.uncertain++;
		}
	}
	printf("yes %u\nfree %u\nno %u\nuncertain %u\nlate %u\nwrong %u\n",
	       sums.yes, sums.free, sums.no, sums.uncertain, sums.late,
	       sums.wrong);
	return 0;
}
