// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * oracle.c - the best that any policy could do, see oracle.h
 *
 * A pattern may be run up to the slow temperature at which its hottest frame
 * (or the die) meets a limit, and the mean power that holds the stack there
 * is what it may spend. Between the temperatures at which a frame of some
 * pattern drops out nothing is lost by being warmer, so the best is at one of
 * those.
 */
#include <math.h>
#include <string.h>

#include "oracle_patterns.h"
#include "oracle_seasons.h"

#define TINY (1 / 1e9)

enum nst_oracle_bound nst_oracle_bound(const struct nst_oracle_case *c)
{
	double most_c = fmin(c->die_max_c, c->exposure_max_c);
	double r_tot = c->r_jp + c->r_pa;

	if (c->ambient_c + r_tot * c->gated_w > most_c)
		return NST_ORACLE_NEVER;
	return c->ambient_c + r_tot * c->near_w > most_c ? NST_ORACLE_BINDS :
							   NST_ORACLE_FREE;
}

/* --------------------------------------------------------- migration --- */

/* Free switches: the pattern, thinned out with far frames as needed. */
static void try_mix(const struct nst_oracle *o,
		    const struct nst_oracle_case *c,
		    const struct nst_oracle_pattern *p,
		    struct nst_oracle_result *best)
{
	double slow_c = fmin(c->exposure_max_c - p->all_k,
			     nst_oracle_die_limit_c(o, c, p->peak_k));
	double share = fmin(nst_oracle_share(o, c, slow_c),
			    (double)p->near / p->len);

	if (share <= best->near_share + TINY)
		return;
	best->near_share = share;
	best->pattern = p->bits;
	best->pattern_len = p->len;
}

/* Each switch costs: the pattern over and over, or not at all. */
static void try_pattern(const struct nst_oracle *o,
			const struct nst_oracle_case *c,
			const struct nst_oracle_pattern *p,
			struct nst_oracle_result *best)
{
	double slow_c = fmin(c->exposure_max_c - p->all_k,
			     nst_oracle_die_limit_c(o, c, p->peak_k));
	double share = (double)p->near / p->len, power_w;

	if (nst_oracle_share(o, c, slow_c) < share)
		return;
	power_w = share * c->near_w + (1.0 - share) * c->far_w +
		  p->switches * c->switch_j / (p->len * c->period_s);
	if (power_w >= best->power_w)
		return;
	best->power_w = power_w;
	best->near_share = share;
	best->pattern = p->bits;
	best->pattern_len = p->len;
}

bool nst_oracle_migration(struct nst_oracle *o,
			  const struct nst_oracle_case *c,
			  struct nst_oracle_result *ret)
{
	struct nst_oracle_result best = { .power_w = c->far_w,
					  .delivered_share = 1.0 };
	struct nst_oracle once = { .filled = false };
	enum nst_oracle_bound bound = nst_oracle_bound(c);

	if (bound == NST_ORACLE_NEVER)
		return false;
	if (c->near_w >= c->far_w) {
		*ret = best;
		return true;
	}
	if (bound == NST_ORACLE_FREE) {
		best.power_w = c->near_w;
		best.near_share = 1.0;
		*ret = best;
		return true;
	}
	if (!o)
		o = &once;
	nst_oracle_patterns_fill(o, c);
	for (int i = 0; i < o->count; i++) {
		if (c->switch_j > 0.0)
			try_pattern(o, c, &o->patterns[i], &best);
		else
			try_mix(o, c, &o->patterns[i], &best);
	}
	if (c->switch_j > 0.0)
		nst_oracle_seasons(c, &best);
	else
		best.power_w = best.near_share * c->near_w +
			       (1.0 - best.near_share) * c->far_w;
	*ret = best;
	return true;
}

/* -------------------------------------------------------------- stop --- */

/* Most delivered at one slow temperature, mixing two patterns. */
static void try_slow(const struct nst_oracle *o,
		     const struct nst_oracle_case *c, double slow_c,
		     struct nst_oracle_result *best)
{
	double most = nst_oracle_share(o, c, slow_c);
	struct nst_oracle_point points[NST_ORACLE_POINTS_MAX];
	int n = nst_oracle_points(o, c, slow_c, points);

	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++) {
			const struct nst_oracle_point *a = &points[i], *b = &points[j];
			double share = a->near_share;
			double delivered = a->delivered_share;

			if (a->near_share > most + TINY)
				continue;
			if (b->near_share > most) {
				double mix = (most - a->near_share) /
					     (b->near_share - a->near_share);

				share = most;
				delivered += mix * (b->delivered_share -
						    a->delivered_share);
			}
			if (delivered < best->delivered_share - TINY ||
			    (delivered <= best->delivered_share + TINY &&
			     share >= best->near_share))
				continue;
			best->delivered_share = delivered;
			best->near_share = share;
			if (a->delivered_share * b->near_share <
			    b->delivered_share * a->near_share)
				a = b;
			best->pattern = a->pattern->bits;
			best->pattern_len = a->pattern->len;
		}
	}
}

bool nst_oracle_stop(struct nst_oracle *o, const struct nst_oracle_case *c,
		     struct nst_oracle_result *ret)
{
	struct nst_oracle_result best = { .delivered_share = -1.0 };
	struct nst_oracle once = { .filled = false };
	double low_c, high_c;

	if (c->ambient_c + (c->r_jp + c->r_pa) * c->gated_w > c->die_max_c)
		return false;
	if (!o)
		o = &once;
	nst_oracle_patterns_fill(o, c);
	low_c = nst_oracle_slow_c(o, c, 0.0);
	high_c = nst_oracle_slow_c(o, c, 1.0);
	try_slow(o, c, low_c, &best);
	try_slow(o, c, high_c, &best);
	for (int i = 0; i < o->over_count + o->peak_count; i++) {
		double slow_c = i < o->over_count ?
			c->exposure_max_c - o->over_k[i] :
			nst_oracle_die_limit_c(
				o, c, o->peak_k[i - o->over_count]);

		if (slow_c > low_c && slow_c < high_c)
			try_slow(o, c, slow_c, &best);
	}
	if (best.delivered_share < 0.0)
		best.delivered_share = 0.0;
	best.power_w = best.near_share * c->near_w +
		       (1.0 - best.near_share) * c->gated_w;
	*ret = best;
	return true;
}
