// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * oracle.c - the best that any policy could do, see oracle.h
 *
 * Migration. With x = (Tj, Tp) the plant is x' = A x + b. In the base of
 * A's eigenvectors each mode is a lag of its own, and a cycle of t_n near
 * and t_f far closes when
 *
 *	z_end_of_near = [a(1 - e1) + b(1 - e2)e1] / (1 - e1 e2)
 *
 * with a, b the mode's targets near and far and e1, e2 what is left of a
 * deviation after each season. The die is hottest at the end of the near
 * season, and so is the exposure of its last frame. For each t_n the
 * shortest t_f that meets the limits is found by bisection.
 *
 * Stop. The die forgets a gate in 20 ms, the package in a minute. So the
 * package is one temperature, given by the mean power; on top of it the die
 * runs through the pattern, and every frame has a fixed distance from the
 * package. A pattern is allowed while its peak stays below die_max_c; a
 * frame counts when its exposure stays below exposure_max_c and the period
 * after it runs. Best is a mix of two patterns whose mean power the package
 * can carry, at the package temperature where that is most.
 */
#include <math.h>
#include <string.h>

#include "oracle.h"

#define POINTS 48		/* of a mean over an exposure */
#define WORD_MAX 10		/* frames of a gate pattern */
#define WORD_COUNT (1 << (WORD_MAX + 1))
#define SEASON_MAX_S 20000.0
#define TINY (1 / 1e9)

/* --------------------------------------------------------- two nodes --- */

struct modes {
	double rate[2];		/* of decay, per second */
	double gain[2];		/* K per W in the die */
};

/* Die temperature over ambient as the sum of two lags of the power. */
static void modes_solve(const struct nst_oracle_case *c, struct modes *m)
{
	double a = 1.0 / (c->r_jp * c->c_j);
	double b = 1.0 / (c->r_jp * c->c_p);
	double d = b + 1.0 / (c->r_pa * c->c_p);
	double half = (a + d) / 2.0;
	double root = sqrt(half * half - a * (d - b));
	double r_tot = c->r_jp + c->r_pa;

	m->rate[0] = half + root;
	m->rate[1] = a * (d - b) / m->rate[0];
	/* A step of 1 W: gains add up to r_tot, the first slope is 1/c_j. */
	m->gain[0] = (1.0 / c->c_j - m->rate[1] * r_tot) /
		     (m->rate[0] - m->rate[1]);
	m->gain[1] = r_tot - m->gain[0];
}

struct cycle {
	double target[2];	/* near */
	double start[2];	/* at the start of the near season */
	double near_s;
	double peak_c;
};

static void cycle_solve(const struct nst_oracle_case *c,
			const struct modes *m, double near_s, double far_s,
			struct cycle *cy)
{
	cy->near_s = near_s;
	cy->peak_c = c->ambient_c;
	for (int i = 0; i < 2; i++) {
		double a = m->gain[i] * c->near_w;
		double b = m->gain[i] * c->gated_w;
		double lost1 = -expm1(-near_s * m->rate[i]);
		double lost2 = -expm1(-far_s * m->rate[i]);
		double kept1 = 1.0 - lost1;
		double whole = -expm1(-(near_s + far_s) * m->rate[i]);
		double end = (a * lost1 + b * lost2 * kept1) / whole;

		cy->target[i] = a;
		cy->start[i] = b + (end - b) * (1.0 - lost2);
		cy->peak_c += end;
	}
}

static double cycle_die_c(const struct nst_oracle_case *c,
			  const struct modes *m, const struct cycle *cy,
			  double t_s)
{
	double die_c = c->ambient_c;

	for (int i = 0; i < 2; i++)
		die_c += cy->target[i] + (cy->start[i] - cy->target[i]) *
						 exp(-t_s * m->rate[i]);
	return die_c;
}

/* Exposure temperature of the last near frame: hotter of its end rows. */
static double cycle_exposure_c(const struct nst_oracle_case *c,
			       const struct modes *m, const struct cycle *cy)
{
	double hottest = -INFINITY;

	for (int row = 0; row < 2; row++) {
		double from = cy->near_s - c->period_s + row * c->readout_s;
		double sum = 0.0, row_c;

		for (int i = 0; i < POINTS; i++) {
			double t = from + c->exposure_s * (i + 0.5) / POINTS;

			sum += exp2(cycle_die_c(c, m, cy, t) / c->doubling_k);
		}
		row_c = c->doubling_k * log2(sum / POINTS);
		if (row_c > hottest)
			hottest = row_c;
	}
	return hottest;
}

static bool cycle_allowed(const struct nst_oracle_case *c,
			  const struct modes *m, double near_s, double far_s)
{
	struct cycle cy;

	cycle_solve(c, m, near_s, far_s, &cy);
	return cy.peak_c <= c->die_max_c &&
	       cycle_exposure_c(c, m, &cy) <= c->exposure_max_c;
}

/* Shortest far season that goes with a near season; < 0: there is none. */
static double shortest_far_s(const struct nst_oracle_case *c,
			     const struct modes *m, double near_s)
{
	double low = c->period_s, high = SEASON_MAX_S;

	if (cycle_allowed(c, m, near_s, low))
		return low;
	if (!cycle_allowed(c, m, near_s, high))
		return -1.0;
	for (int i = 0; i < 60; i++) {
		double mid = sqrt(low * high);

		if (cycle_allowed(c, m, near_s, mid))
			high = mid;
		else
			low = mid;
	}
	return high;
}

static void try_seasons(const struct nst_oracle_case *c,
			const struct modes *m, double near_s,
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
}

bool nst_oracle_migration(const struct nst_oracle_case *c,
			  struct nst_oracle_result *ret)
{
	struct nst_oracle_result best = { .delivered_share = 1.0 };
	double r_tot = c->r_jp + c->r_pa, step;
	double near_c = c->ambient_c + r_tot * c->near_w;
	double far_c = c->ambient_c + r_tot * c->gated_w;
	struct modes m;

	if (far_c > c->die_max_c || far_c > c->exposure_max_c)
		return false;
	best.power_w = c->far_w;
	if (near_c <= c->die_max_c && near_c <= c->exposure_max_c &&
	    c->near_w < best.power_w) {
		best.power_w = c->near_w;
		best.near_share = 1.0;
	}

	modes_solve(c, &m);
	step = pow(SEASON_MAX_S / c->period_s, 1.0 / 400.0);
	for (int i = 0; i <= 400; i++)
		try_seasons(c, &m, c->period_s * pow(step, i), &best);
	/* Twice finer around the best so far. */
	for (int fine = 0; fine < 2 && best.near_s > 0.0; fine++) {
		double at = best.near_s;
		double finer = pow(step, 1.0 / (fine ? 400.0 : 20.0));

		for (int i = -20; i <= 20; i++) {
			double near_s = at * pow(finer, i);

			if (near_s >= c->period_s)
				try_seasons(c, &m, near_s, &best);
		}
	}
	*ret = best;
	return true;
}

/* ------------------------------------------------------ gate patterns --- */

struct word {
	int len;
	int runs;
	double peak_k;			/* die over package */
	int cold;			/* frames that may be delivered */
	double over_k[WORD_MAX];	/* their exposures over package */
};

/* Exposure over package of a frame that starts at @u with target @v. */
static double over_package_k(const struct nst_oracle_case *c, double u,
			     double v)
{
	double tau = c->r_jp * c->c_j, hottest = -INFINITY;

	for (int row = 0; row < 2; row++) {
		double sum = 0.0, row_k;

		for (int i = 0; i < POINTS; i++) {
			double t = row * c->readout_s +
				   c->exposure_s * (i + 0.5) / POINTS;

			sum += exp2((v + (u - v) * exp(-t / tau)) /
				    c->doubling_k);
		}
		row_k = c->doubling_k * log2(sum / POINTS);
		if (row_k > hottest)
			hottest = row_k;
	}
	return hottest;
}

static void word_solve(const struct nst_oracle_case *c, unsigned int bits,
		       int len, struct word *w)
{
	double kept = exp(-c->period_s / (c->r_jp * c->c_j));
	double hot_k = c->r_jp * c->near_w, cool_k = c->r_jp * c->gated_w;
	double u = cool_k, over[WORD_MAX];

	memset(w, 0, sizeof(*w));
	w->len = len;
	w->peak_k = -INFINITY;
	/* Rounds until the cycle has closed, then one that is looked at. */
	for (int round = 0; round < 40; round++) {
		for (int k = 0; k < len; k++) {
			double v = bits >> k & 1 ? hot_k : cool_k;

			if (round == 39) {
				over[k] = over_package_k(c, u, v);
				if (u > w->peak_k)
					w->peak_k = u;
			}
			u = v + (u - v) * kept;
		}
	}
	for (int k = 0; k < len; k++) {
		if (!(bits >> k & 1))
			continue;
		w->runs++;
		w->over_k[w->cold++] = over[(k + len - 1) % len];
	}
}

/* Best share of frames delivered at each number of runs per frame. */
struct point {
	double near_share;
	double delivered_share;
};

static int points_at(const struct nst_oracle_case *c, const struct word *words,
		     int word_count, double package_c, struct point *points,
		     int max)
{
	int n = 0;

	for (int i = 0; i < word_count; i++) {
		const struct word *w = &words[i];
		double share = (double)w->runs / w->len, delivered = 0.0;
		int j;

		if (package_c + w->peak_k > c->die_max_c)
			continue;
		for (int k = 0; k < w->cold; k++)
			delivered += package_c + w->over_k[k] <=
				     c->exposure_max_c;
		delivered /= w->len;
		for (j = 0; j < n; j++) {
			if (fabs(points[j].near_share - share) < TINY)
				break;
		}
		if (j == max)
			continue;
		if (j == n) {
			points[n].near_share = share;
			points[n++].delivered_share = delivered;
		} else if (delivered > points[j].delivered_share) {
			points[j].delivered_share = delivered;
		}
	}
	return n;
}

#define POINTS_MAX 64

/* Most delivered at one package temperature, mixing two patterns. */
static void try_package(const struct nst_oracle_case *c,
			const struct word *words, int word_count,
			double package_c, struct nst_oracle_result *best)
{
	double budget_w = (package_c - c->ambient_c) / c->r_pa;
	double most = (budget_w - c->gated_w) / (c->near_w - c->gated_w);
	struct point points[POINTS_MAX];
	int n = points_at(c, words, word_count, package_c, points, POINTS_MAX);

	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++) {
			const struct point *a = &points[i], *b = &points[j];
			double share = a->near_share;
			double delivered = a->delivered_share;

			if (a->near_share > most)
				continue;
			if (b->near_share > most) {
				double mix = (most - a->near_share) /
					     (b->near_share - a->near_share);

				share = most;
				delivered += mix * (b->delivered_share -
						    a->delivered_share);
			}
			if (delivered > best->delivered_share + TINY) {
				best->delivered_share = delivered;
				best->near_share = share;
			}
		}
	}
}

bool nst_oracle_stop(const struct nst_oracle_case *c,
		     struct nst_oracle_result *ret)
{
	struct word words[WORD_COUNT];
	struct nst_oracle_result best = { .delivered_share = -1.0 };
	double low_c = c->ambient_c + c->r_pa * c->gated_w;
	double high_c = c->ambient_c + c->r_pa * c->near_w;
	double far_c = c->ambient_c + (c->r_jp + c->r_pa) * c->gated_w;
	int word_count = 0, best_i = 0;
	double seen = -1.0, cell;

	if (far_c > c->die_max_c)
		return false;
	for (int len = 1; len <= WORD_MAX; len++) {
		for (unsigned int bits = 0; bits < 1u << len; bits++)
			word_solve(c, bits, len, &words[word_count++]);
	}

	cell = (high_c - low_c) / 500.0;
	for (int i = 0; i <= 500; i++) {
		try_package(c, words, word_count, low_c + cell * i, &best);
		if (best.delivered_share > seen) {
			seen = best.delivered_share;
			best_i = i;
		}
	}
	for (int i = -250; i <= 250; i++) {
		double package_c = low_c + cell * (best_i + i / 250.0);

		if (package_c >= low_c && package_c <= high_c)
			try_package(c, words, word_count, package_c, &best);
	}
	if (best.delivered_share < 0.0)
		best.delivered_share = 0.0;
	best.power_w = best.near_share * c->near_w +
		       (1.0 - best.near_share) * c->gated_w;
	*ret = best;
	return true;
}
