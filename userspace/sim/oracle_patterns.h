/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * oracle_patterns.h - gate patterns on one slow temperature
 *
 * The slow mode is one temperature, given by the mean power; on top of it
 * the fast mode runs through the pattern, and every frame has a fixed
 * distance from the slow mode. In any schedule that repeats itself, the mean
 * power at each slow temperature is the one that holds it there (it is
 * crossed upwards as often as downwards), so that the best schedule is a mix
 * of patterns at one slow temperature.
 */
#ifndef NST_ORACLE_PATTERNS_H
#define NST_ORACLE_PATTERNS_H

#include "oracle_modes.h"

#define NST_ORACLE_PATTERN_LEN 10
/* Patterns that are no rotation or repetition of another (Lyndon words). */
#define NST_ORACLE_PATTERN_COUNT 226
/* Different exposures in all of them together. */
#define NST_ORACLE_OVER_MAX 4096

/**
 * struct nst_oracle_pattern - temperatures are over the slow mode, ambient
 * included in that
 * @bits, @len: the pattern, 1 = near, first frame in bit 0
 * @near: near frames
 * @switches: changes of placement in a round
 * @peak_k: die at its hottest
 * @all_k: hottest exposure of all frames
 * @over_k: exposures of frames that a near frame follows (they would be
 *	delivered), rising; @near of them
 */
struct nst_oracle_pattern {
	unsigned int bits;
	int len;
	int near;
	int switches;
	double peak_k;
	double all_k;
	double over_k[NST_ORACLE_PATTERN_LEN];
};

struct nst_oracle_seen {
	double start_k;
	double over_k;
	bool hot;
};

struct nst_oracle {
	bool filled;
	struct nst_oracle_case of;	/* the case they were worked out for */
	struct nst_oracle_modes modes;
	int count;
	struct nst_oracle_pattern patterns[NST_ORACLE_PATTERN_COUNT];
	/* every different exposure of @patterns, and every peak */
	int over_count, peak_count;
	double over_k[NST_ORACLE_OVER_MAX];
	double peak_k[NST_ORACLE_PATTERN_COUNT];
	int seen_count;
	struct nst_oracle_seen seen[NST_ORACLE_OVER_MAX];
};

/** nst_oracle_patterns_fill() - for @c, unless it holds them already */
void nst_oracle_patterns_fill(struct nst_oracle *o,
			      const struct nst_oracle_case *c);

/**
 * nst_oracle_die_limit_c() - mean slow temperature that a bound on the die
 * allows a pattern with its peak at @peak_k
 *
 * A near frame takes the slow mode up by what the rest of the schedule takes
 * it down, so at its end it is above its mean: by half of what one frame moves
 * at least, however near and far frames are mixed. At 5 W and 65 ms that is
 * 0.2 K, a hundredth of the frames.
 */
double nst_oracle_die_limit_c(const struct nst_oracle *o,
			      const struct nst_oracle_case *c, double peak_k);

/**
 * struct nst_oracle_point - best share of frames delivered at a share of near
 * frames, and the pattern that does it
 */
struct nst_oracle_point {
	double near_share;
	double delivered_share;
	const struct nst_oracle_pattern *pattern;
};

/* Different shares of near frames in patterns of up to ten: 33. */
#define NST_ORACLE_POINTS_MAX 40

/**
 * nst_oracle_points() - what patterns deliver at a slow temperature
 * @o: filled for @c; @points: room for NST_ORACLE_POINTS_MAX
 * Return: how many there are.
 */
int nst_oracle_points(const struct nst_oracle *o,
		      const struct nst_oracle_case *c, double slow_c,
		      struct nst_oracle_point *points);

/** nst_oracle_share() - share of near time that holds a slow temperature */
static inline double nst_oracle_share(const struct nst_oracle *o,
				      const struct nst_oracle_case *c,
				      double slow_c)
{
	return ((slow_c - c->ambient_c) / o->modes.gain[1] - c->gated_w) /
	       (c->near_w - c->gated_w);
}

/** nst_oracle_slow_c() - the reverse */
static inline double nst_oracle_slow_c(const struct nst_oracle *o,
				       const struct nst_oracle_case *c,
				       double share)
{
	return c->ambient_c +
	       o->modes.gain[1] *
		       (c->gated_w + share * (c->near_w - c->gated_w));
}

#endif /* NST_ORACLE_PATTERNS_H */
