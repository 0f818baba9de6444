// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* oracle_trace.c - the best where light changes, see oracle_trace.h */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_actions.h"
#include "oracle_trace.h"

/* What a lost frame costs in the sum: more than any frame could save. */
#define LOST_J 1000.0
#define CELL_K 0.1
#define NODES_MAX 3000
/* Steps in a constant of the slow mode; with seasons to be resolved, and not. */
#define STEPS_SEASONS 120
#define STEPS 24
/* Longer steps where a trace would take more of them than this. */
#define STEPS_MAX 400000
#define CONSTANTS 12
#define SETTLED_J (1 / 1e6)

/* What an action does to a node, and where it leads. */
struct move {
	int to;			/* node below; < 0: may not be done */
	float part;		/* of the way to the node above */
	float lost;
	double cost_j;
	bool near;
};

/* Costs to go from each node: [placement][node]. */
struct values {
	double *cost_j[2];
	double *lost[2];
};

struct setting {
	struct nst_oracle_setting s;
	struct values v;	/* if nothing ever changes again */
	struct move *moves;	/* [placement][node][action] */
	double moves_dt_s;
	bool solved;
};

struct solver {
	double low_c;
	double cell_k;
	int nodes;
	int placements;
	double step_s;
	struct setting *settings;
	int setting_count;
	int *of;		/* setting of each stretch */
	struct values spare;
};

/* ------------------------------------------------------------- tables --- */

static int values_new(const struct solver *sv, struct values *v)
{
	for (int p = 0; p < sv->placements; p++) {
		v->cost_j[p] = calloc((size_t)sv->nodes, sizeof(double));
		v->lost[p] = calloc((size_t)sv->nodes, sizeof(double));
		if (!v->cost_j[p] || !v->lost[p])
			return -1;
	}
	return 0;
}

static void values_free(struct values *v)
{
	for (int p = 0; p < 2; p++) {
		free(v->cost_j[p]);
		free(v->lost[p]);
	}
}

static int node_of(const struct solver *sv, double slow_c, double *part)
{
	double at = (slow_c - sv->low_c) / sv->cell_k;
	int i = (int)floor(at);

	if (i < 0)
		i = 0;
	if (i > sv->nodes - 2)
		i = sv->nodes - 2;
	*part = fmin(1.0, fmax(0.0, at - i));
	return i;
}

static void move_set(const struct solver *sv,
		     const struct nst_oracle_setting *s, int action, int node,
		     bool near, double dt_s, struct move *m)
{
	struct nst_oracle_step st;
	double part;

	if (!nst_oracle_step(s, &s->actions[action],
			     sv->low_c + node * sv->cell_k, near, dt_s, &st)) {
		m->to = -1;
		return;
	}
	m->to = node_of(sv, st.slow_c, &part);
	m->part = (float)part;
	m->lost = (float)st.lost;
	m->cost_j = st.energy_j + LOST_J * st.lost;
	m->near = st.near && sv->placements > 1;
}

static int moves_fill(const struct solver *sv, struct setting *set,
		      double dt_s)
{
	struct move *m;
	size_t n = (size_t)sv->placements * (size_t)sv->nodes *
		   (size_t)set->s.count;

	if (set->moves && fabs(set->moves_dt_s - dt_s) < dt_s * 1e-9)
		return 0;
	if (!set->moves)
		set->moves = calloc(n, sizeof(*set->moves));
	if (!set->moves)
		return -1;
	set->moves_dt_s = dt_s;
	m = set->moves;
	for (int p = 0; p < sv->placements; p++) {
		for (int i = 0; i < sv->nodes; i++) {
			for (int a = 0; a < set->s.count; a++)
				move_set(sv, &set->s, a, i, p, dt_s, m++);
		}
	}
	return 0;
}

/* One step back in time: @to from @from. */
static void step_back(const struct solver *sv, const struct setting *set,
		      const struct values *from, struct values *to)
{
	const struct move *m = set->moves;

	for (int p = 0; p < sv->placements; p++) {
		for (int i = 0; i < sv->nodes; i++) {
			const struct move *best = NULL;
			double least = INFINITY;

			for (int a = 0; a < set->s.count; a++, m++) {
				const double *v;
				double cost;

				if (m->to < 0)
					continue;
				v = &from->cost_j[m->near][m->to];
				cost = m->cost_j + v[0] +
				       (double)m->part * (v[1] - v[0]);
				if (cost < least) {
					least = cost;
					best = m;
				}
			}
			if (best) {
				const double *u =
					&from->lost[best->near][best->to];

				to->lost[p][i] = (double)best->lost + u[0] +
						 (double)best->part *
							 (u[1] - u[0]);
			}
			to->cost_j[p][i] = least;
		}
	}
}

/* All nodes move by the same: from here on only the sum grows. */
static bool settled(const struct solver *sv, const struct values *a,
		    const struct values *b)
{
	double least = INFINITY, most = -INFINITY;

	for (int p = 0; p < sv->placements; p++) {
		for (int i = 0; i < sv->nodes; i++) {
			double by = a->cost_j[p][i] - b->cost_j[p][i];

			least = fmin(least, by);
			most = fmax(most, by);
		}
	}
	return most - least < SETTLED_J * fmax(1.0, fabs(most));
}

/* @steps of the step last seen, at once. */
static void extrapolate(const struct solver *sv, struct values *v,
			const struct values *before, double steps)
{
	double cost_j = v->cost_j[0][0] - before->cost_j[0][0];
	double lost = v->lost[0][0] - before->lost[0][0];

	for (int p = 0; p < sv->placements; p++) {
		for (int i = 0; i < sv->nodes; i++) {
			v->cost_j[p][i] += steps * cost_j;
			v->lost[p][i] += steps * lost;
		}
	}
}

/* @count steps back, @v in place. */
static int steps_back(struct solver *sv, struct setting *set, double dt_s,
		      long count, struct values *v)
{
	struct values a = *v, b = sv->spare;

	if (moves_fill(sv, set, dt_s))
		return -1;
	for (long k = 1; k <= count; k++) {
		struct values swap;

		step_back(sv, set, &a, &b);
		if (k % 64 == 0 && settled(sv, &b, &a)) {
			extrapolate(sv, &b, &a, (double)(count - k));
			k = count;
		}
		swap = a;
		a = b;
		b = swap;
	}
	*v = a;
	sv->spare = b;
	return 0;
}

/* What is best in a situation that lasts. */
static int solve(struct solver *sv, struct setting *set)
{
	double tau_s = 1.0 / set->s.modes.rate[1];

	if (set->solved)
		return 0;
	set->solved = true;
	return steps_back(sv, set, sv->step_s,
			  lround(CONSTANTS * tau_s / sv->step_s), &set->v);
}

/* ------------------------------------------------------------ forward --- */

struct state {
	double slow_c;
	bool near;
};

static void step_forward(const struct solver *sv, const struct setting *set,
			 double dt_s, struct state *at, double *energy_j,
			 double *lost)
{
	struct nst_oracle_step best = { .slow_c = at->slow_c }, st;
	double least = INFINITY;

	for (int a = 0; a < set->s.count; a++) {
		const double *v;
		double cost, part;
		int node;

		if (!nst_oracle_step(&set->s, &set->s.actions[a], at->slow_c,
				     at->near, dt_s, &st))
			continue;
		node = node_of(sv, st.slow_c, &part);
		v = &set->v.cost_j[st.near && sv->placements > 1][node];
		cost = st.energy_j + LOST_J * st.lost + v[0] +
		       part * (v[1] - v[0]);
		if (cost < least) {
			least = cost;
			best = st;
		}
	}
	at->slow_c = best.slow_c;
	at->near = best.near;
	*energy_j += best.energy_j;
	*lost += best.lost;
}

static void go_forward(const struct solver *sv, const struct setting *set,
		       double time_s, struct state *at, double *energy_j,
		       double *lost)
{
	long steps = lround(ceil(time_s / sv->step_s - 1e-9));

	for (long k = 0; k < steps; k++)
		step_forward(sv, set, time_s / (double)steps, at, energy_j,
			     lost);
}

/* As a run is warmed up: until it repeats itself, to the start of a season. */
static void warm_up(const struct solver *sv, const struct setting *set,
		    struct state *at)
{
	double tau_s = 1.0 / set->s.modes.rate[1], energy_j = 0.0, lost = 0.0;

	at->slow_c = nst_oracle_setting_slow_c(&set->s, 0.0);
	go_forward(sv, set, CONSTANTS * tau_s, at, &energy_j, &lost);
	if (!set->s.pays)
		return;
	for (int k = 0; k < 10 * STEPS_SEASONS; k++) {
		bool before = at->near;

		step_forward(sv, set, sv->step_s, at, &energy_j, &lost);
		if (at->near && !before)
			break;
	}
}

/* ------------------------------------------------------------ set-up --- */

static bool same_case(const struct nst_oracle_stretch *a,
		      const struct nst_oracle_setting *b)
{
	const double x[] = { a->c.ambient_c, a->c.period_s, a->c.exposure_s,
			     a->c.readout_s, a->c.die_max_c,
			     a->c.exposure_max_c, a->c.switch_j };
	const double y[] = { b->c.ambient_c, b->c.period_s, b->c.exposure_s,
			     b->c.readout_s, b->c.die_max_c,
			     b->c.exposure_max_c, b->c.switch_j };

	for (size_t i = 0; i < sizeof(x) / sizeof(x[0]); i++) {
		if (x[i] < y[i] || x[i] > y[i])
			return false;
	}
	return a->never == b->never;
}

static int settings_fill(struct solver *sv, struct nst_oracle *o,
			 const struct nst_oracle_stretch *stretches,
			 size_t count, bool drops)
{
	for (size_t k = 0; k < count; k++) {
		int i = 0;

		while (i < sv->setting_count &&
		       !same_case(&stretches[k], &sv->settings[i].s))
			i++;
		if (i == NST_ORACLE_SETTINGS_MAX)
			return -1;
		if (i == sv->setting_count) {
			nst_oracle_setting_fill(&sv->settings[i].s, o,
						&stretches[k].c,
						stretches[k].never, drops);
			sv->setting_count++;
		}
		sv->of[k] = i;
	}
	return 0;
}

/* Every slow temperature that can come up. */
static void grid_set(struct solver *sv)
{
	double low_c = INFINITY, high_c = -INFINITY;

	for (int i = 0; i < sv->setting_count; i++) {
		const struct nst_oracle_setting *s = &sv->settings[i].s;
		double most_c = nst_oracle_setting_slow_c(s, 1.0);
		double until_c = nst_oracle_setting_slow_c(s, 0.0);

		low_c = fmin(low_c, s->c.ambient_c);
		for (int a = 1; a < s->count; a++)
			until_c = fmax(until_c, s->actions[a].until_c);
		high_c = fmax(high_c, fmin(most_c, until_c));
	}
	sv->low_c = low_c - 1.0;
	sv->nodes = (int)ceil((high_c + 1.0 - sv->low_c) / CELL_K) + 2;
	if (sv->nodes > NODES_MAX)
		sv->nodes = NODES_MAX;
	sv->cell_k = (high_c + 1.0 - sv->low_c) / (sv->nodes - 2);
}

static int tables_new(struct solver *sv)
{
	for (int i = 0; i < sv->setting_count; i++) {
		if (values_new(sv, &sv->settings[i].v))
			return -1;
	}
	return values_new(sv, &sv->spare);
}

static void solver_free(struct solver *sv)
{
	for (int i = 0; i < sv->setting_count; i++) {
		values_free(&sv->settings[i].v);
		free(sv->settings[i].moves);
	}
	values_free(&sv->spare);
	free(sv->settings);
	free(sv->of);
}

static double length_s(const struct nst_oracle_stretch *stretches,
		       size_t count, size_t k, double end_s)
{
	return (k + 1 < count ? stretches[k + 1].from_s : end_s) -
	       stretches[k].from_s;
}

static int foresee(struct solver *sv,
		   const struct nst_oracle_stretch *stretches, size_t count,
		   double end_s, const struct state *start,
		   struct nst_oracle_sum *ret)
{
	struct values v = { .cost_j = { NULL } };
	double part, cost_j, lost;
	int r = values_new(sv, &v), node;

	for (size_t k = count; k-- > 0 && !r;) {
		double time_s = length_s(stretches, count, k, end_s);
		long steps = lround(ceil(time_s / sv->step_s - 1e-9));

		r = steps_back(sv, &sv->settings[sv->of[k]],
			       time_s / (double)steps, steps, &v);
	}
	if (!r) {
		bool near = start->near && sv->placements > 1;

		node = node_of(sv, start->slow_c, &part);
		cost_j = v.cost_j[near][node] * (1.0 - part) +
			 v.cost_j[near][node + 1] * part;
		lost = v.lost[near][node] * (1.0 - part) +
		       v.lost[near][node + 1] * part;
		ret->energy_j = cost_j - LOST_J * lost;
		ret->delivered = -lost;
	}
	values_free(&v);
	return r;
}

int nst_oracle_trace(const struct nst_oracle_stretch *stretches, size_t count,
		     double end_s, bool drops, bool cold,
		     struct nst_oracle_sum *learning,
		     struct nst_oracle_sum *foreseeing)
{
	struct nst_oracle *o = nst_oracle_new();
	struct solver sv = { .nodes = 0 };
	double frames = 0.0, lost = 0.0, tau_s;
	struct state at = { .near = false }, start;
	int r = -1;

	sv.settings = calloc(NST_ORACLE_SETTINGS_MAX, sizeof(*sv.settings));
	sv.of = calloc(count, sizeof(*sv.of));
	if (!o || !sv.settings || !sv.of ||
	    settings_fill(&sv, o, stretches, count, drops))
		goto out;
	grid_set(&sv);
	sv.placements = sv.settings[0].s.pays ? 2 : 1;
	tau_s = 1.0 / sv.settings[0].s.modes.rate[1];
	sv.step_s = fmax(tau_s / (sv.placements > 1 ? STEPS_SEASONS : STEPS),
			 end_s / STEPS_MAX);
	if (tables_new(&sv) || solve(&sv, &sv.settings[sv.of[0]]))
		goto out;
	if (cold)
		at.slow_c = stretches[0].c.ambient_c;
	else
		warm_up(&sv, &sv.settings[sv.of[0]], &at);
	start = at;

	learning->energy_j = 0.0;
	for (size_t k = 0; k < count; k++) {
		double time_s = length_s(stretches, count, k, end_s);
		struct setting *set = &sv.settings[sv.of[k]];

		frames += time_s / set->s.c.period_s;
		if (solve(&sv, set))
			goto out;
		go_forward(&sv, set, time_s, &at, &learning->energy_j, &lost);
	}
	learning->delivered = frames - lost;
	r = foresee(&sv, stretches, count, end_s, &start, foreseeing);
	foreseeing->delivered += frames;
out:
	solver_free(&sv);
	nst_oracle_free(o);
	return r;
}
