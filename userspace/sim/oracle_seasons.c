// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* oracle_seasons.c - seasons that pay for switches, see oracle_seasons.h */
#include <math.h>

#include "oracle_seasons.h"

#define SEASON_MAX_S 20000.0
#define STEPS 200		/* season lengths that are tried first */
#define SOLVED_K (1 / 1e7)
#define ROUNDS_MAX 60
#define SHORT_FRAMES 4

struct cycle {
	double target[2][2];	/* far, near; of each mode */
	double start[2];	/* at the start of the near season */
	double end[2];		/* and at its end */
	double near_s;
};

static void cycle_solve(const struct nst_oracle_case *c,
			const struct nst_oracle_modes *m, double near_s,
			double far_s, struct cycle *cy)
{
	cy->near_s = near_s;
	for (int i = 0; i < 2; i++) {
		double a = m->gain[i] * c->near_w;
		double b = m->gain[i] * c->gated_w;
		double lost1 = -expm1(-near_s * m->rate[i]);
		double lost2 = -expm1(-far_s * m->rate[i]);
		double kept1 = 1.0 - lost1;
		double whole = -expm1(-(near_s + far_s) * m->rate[i]);
		double end = (a * lost1 + b * lost2 * kept1) / whole;

		cy->target[0][i] = b;
		cy->target[1][i] = a;
		cy->start[i] = b + (end - b) * (1.0 - lost2);
		cy->end[i] = end;
	}
}

/*
 * Exposure of a frame that starts with the modes at @z, hotter of its end
 * rows. The slow mode is straight within a frame: it counts at the middle.
 */
static double frame_c(const struct nst_oracle_case *c,
		      const struct nst_oracle_modes *m, const double *z,
		      const double *target)
{
	double hottest = -INFINITY;

	for (int row = 0; row < 2; row++) {
		double from_s = row * c->readout_s;
		double middle_s = from_s + c->exposure_s / 2.0;
		double slow = target[1] + (z[1] - target[1]) *
						  exp(-middle_s * m->rate[1]);
		double fast = target[0] +
			      nst_oracle_exposure_k(z[0] - target[0],
						    m->rate[0], from_s,
						    c->exposure_s,
						    c->doubling_k);

		hottest = fmax(hottest, c->ambient_c + slow + fast);
	}
	return hottest;
}

/* By how much the hottest moment of a cycle is over its limit. */
static double over_k(const struct nst_oracle_case *c,
		     const struct nst_oracle_modes *m, double near_s,
		     double far_s)
{
	double z[2], over = -INFINITY;
	struct cycle cy;

	cycle_solve(c, m, near_s, far_s, &cy);
	over = c->ambient_c + cy.end[0] + cy.end[1] - c->die_max_c;
	if (isinf(c->exposure_max_c))
		return over;
	for (int i = 0; i < 2; i++)
		z[i] = cy.target[1][i] +
		       (cy.start[i] - cy.target[1][i]) *
			       exp(-(near_s - c->period_s) * m->rate[i]);
	over = fmax(over, frame_c(c, m, z, cy.target[1]) - c->exposure_max_c);
	/* The frame after an isolated one starts hot and may be the hotter. */
	if (near_s < SHORT_FRAMES * c->period_s)
		over = fmax(over, frame_c(c, m, cy.end, cy.target[0]) -
					  c->exposure_max_c);
	return over;
}

/* Shortest far season that goes with a near season; < 0: there is none. */
static double shortest_far_s(const struct nst_oracle_case *c,
			     const struct nst_oracle_modes *m, double near_s)
{
	double low = log(c->period_s), high = log(SEASON_MAX_S);
	double at_low = over_k(c, m, near_s, c->period_s), at_high;
	int side = 0;

	if (at_low <= 0.0)
		return c->period_s;
	at_high = over_k(c, m, near_s, SEASON_MAX_S);
	if (at_high > 0.0)
		return -1.0;
	/* False position, Illinois; @high always meets the limits. */
	for (int i = 0; i < ROUNDS_MAX && at_high < -SOLVED_K; i++) {
		double at = i % 8 == 7 ? (low + high) / 2.0 :
			    (low * at_high - high * at_low) /
				    (at_high - at_low);
		double over = over_k(c, m, near_s, exp(at));

		if (over > 0.0) {
			low = at;
			at_low = over;
			if (side < 0)
				at_high /= 2.0;
			side = -1;
		} else {
			high = at;
			at_high = over;
			if (side > 0)
				at_low /= 2.0;
			side = 1;
		}
		if (high - low < SOLVED_K)
			break;
	}
	return exp(high);
}

static void try_seasons(const struct nst_oracle_case *c,
			const struct nst_oracle_modes *m, double near_s,
			struct nst_oracle_result *best)
{
	double far_s = shortest_far_s(c, m, near_s), power_w;

	if (far_s < 0.0)
		return;
	power_w = (near_s * c->near_w + far_s * c->far_w + 2.0 * c->switch_j) /
		  (near_s + far_s);
	if (power_w >= best->power_w)
		return;
	best->power_w = power_w;
	best->near_share = near_s / (near_s + far_s);
	best->near_s = near_s;
	best->far_s = far_s;
	best->pattern = 0;
	best->pattern_len = 0;
}

void nst_oracle_seasons(const struct nst_oracle_case *c,
			struct nst_oracle_result *best)
{
	double step = pow(SEASON_MAX_S / c->period_s, 1.0 / STEPS);
	struct nst_oracle_modes m;

	nst_oracle_modes_get(&m, c);
	for (int i = 0; i <= STEPS; i++)
		try_seasons(c, &m, c->period_s * pow(step, i), best);
	/* Twice finer around the best so far. */
	for (int fine = 0; fine < 2 && best->near_s > 0.0; fine++) {
		double at = best->near_s;
		double finer = pow(step, 1.0 / (fine ? 200.0 : 10.0));

		for (int i = -10; i <= 10; i++) {
			double near_s = at * pow(finer, i);

			if (near_s >= c->period_s)
				try_seasons(c, &m, near_s, best);
		}
	}
}
