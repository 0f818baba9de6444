/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ask_plant.h - a stack in doubles, to check answers in advance against
 *
 * Shares nothing with policies/core: the matrix exponential of the two
 * equations instead of modes, a trapezoid rule over a fine grid instead of
 * Gauss points. Degrees Celsius, watts, seconds, K/W, J/K.
 */
#ifndef NST_TESTS_ASK_PLANT_H
#define NST_TESTS_ASK_PLANT_H

#include <math.h>
#include <stdbool.h>

#define ASK_GRID 320		/* points of a frame, per constant power */
#define ASK_ROWS 24

struct ask_world {
	double r_jp, r_pa, c_j, c_p;
	double leak_w, leak_beta;
	double ambient, near_w, gated_w;
	double high;		/* INFINITY: nothing holds the die */
	double period, exposure, readout, doubling, enter;
	bool gated;		/* at the start */
};

struct ask_nodes {
	double die, package;
};

static inline double ask_leak(const struct ask_world *w, double die)
{
	return w->leak_w ? w->leak_w *
			   exp(w->leak_beta * (die + 273.15 - 300)) : 0;
}

/* exp(A t), to be applied around an equilibrium */
struct ask_matrix {
	double jj, jp, pj, pp;
};

/* From the trace and the determinant. */
static inline struct ask_matrix ask_matrix(const struct ask_world *w, double t)
{
	double a = -1 / (w->r_jp * w->c_j), b = -a;
	double c = 1 / (w->r_jp * w->c_p);
	double d = -(1 / w->r_jp + 1 / w->r_pa) / w->c_p;
	double mid = (a + d) / 2, det = a * d - b * c;
	double root = sqrt(mid * mid - det);
	double slow = exp((mid + root) * t), fast = exp((mid - root) * t);
	double even = (slow + fast) / 2, odd = (slow - fast) / (2 * root);

	return (struct ask_matrix){
		.jj = even + odd * (a - mid),
		.jp = odd * b,
		.pj = odd * c,
		.pp = even + odd * (d - mid),
	};
}

static inline struct ask_nodes ask_apply(const struct ask_world *w,
					 const struct ask_matrix *m,
					 struct ask_nodes x, double power_w)
{
	double package = w->ambient + w->r_pa * power_w;
	double die = package + w->r_jp * power_w;
	double y0 = x.die - die, y1 = x.package - package;

	x.die = die + m->jj * y0 + m->jp * y1;
	x.package = package + m->pj * y0 + m->pp * y1;
	return x;
}

static inline struct ask_nodes ask_linear(const struct ask_world *w,
					  struct ask_nodes x, double power_w,
					  double t)
{
	struct ask_matrix m = ask_matrix(w, t);

	return ask_apply(w, &m, x, power_w);
}

/* With leakage in steps that grow, each with that of its middle. */
static inline struct ask_nodes ask_step(const struct ask_world *w,
					struct ask_nodes x, double power_w,
					double t)
{
	double len = w->r_jp * w->c_j / 10;

	if (!w->leak_w)
		return ask_linear(w, x, power_w, t);
	while (t > 0) {
		double dt = t < len ? t : len;
		struct ask_nodes mid;

		mid = ask_linear(w, x, power_w + ask_leak(w, x.die), dt / 2);
		x = ask_linear(w, x, power_w + ask_leak(w, mid.die), dt);
		t -= dt;
		len = fmin(len * 1.5, w->r_pa * w->c_p / 1000);
	}
	return x;
}

/* Dark charge collected since the start of a frame. */
struct ask_charge {
	int count;
	double t[3 * ASK_GRID + 1];
	double sum[3 * ASK_GRID + 1];
};

static inline void ask_collect(struct ask_charge *q, const struct ask_world *w,
			       struct ask_nodes *x, double power_w, double t)
{
	double h = t / ASK_GRID, from = q->t[q->count - 1];
	double was = exp2(x->die / w->doubling), now;
	struct ask_matrix m = ask_matrix(w, h);

	for (int i = 1; i <= ASK_GRID; i++) {
		*x = ask_apply(w, &m, *x, power_w + ask_leak(w, x->die));
		now = exp2(x->die / w->doubling);
		q->sum[q->count] = q->sum[q->count - 1] + h * (was + now) / 2;
		q->t[q->count++] = from + h * i;
		was = now;
	}
}

static inline double ask_charge_at(const struct ask_charge *q, double t)
{
	int lo = 0, hi = q->count - 1;

	while (hi - lo > 1) {
		int mid = (lo + hi) / 2;

		if (q->t[mid] <= t)
			lo = mid;
		else
			hi = mid;
	}
	return q->sum[lo] + (q->sum[hi] - q->sum[lo]) * (t - q->t[lo]) /
	       (q->t[hi] - q->t[lo]);
}

static inline double ask_row(const struct ask_world *w,
			     const struct ask_charge *q, double from)
{
	double charge = ask_charge_at(q, from + w->exposure) -
			ask_charge_at(q, from);

	return w->doubling * log2(charge / w->exposure);
}

/* Exposure temperature of a frame: @before_w until the edge at @edge. */
static inline double ask_frame(const struct ask_world *w, struct ask_nodes x,
			       double before_w, double edge, double power_w)
{
	double all = w->exposure + w->readout, hot = -1e9, bend;
	static struct ask_charge q;

	q.count = 1;
	q.t[0] = 0;
	q.sum[0] = 0;
	if (edge > 0)
		ask_collect(&q, w, &x, before_w, fmin(edge, all));
	/* Finer while the die bends. */
	bend = fmin(all, edge + 8 * w->r_jp * w->c_j);
	if (edge < bend)
		ask_collect(&q, w, &x, power_w, bend - edge);
	if (bend < all)
		ask_collect(&q, w, &x, power_w, all - bend);
	for (int i = 0; i <= ASK_ROWS; i++) {
		double part = (double)i / ASK_ROWS;

		hot = fmax(hot, ask_row(w, &q, w->readout * part));
		hot = fmax(hot, ask_row(w, &q, fmin(edge, w->readout) *
					part));
	}
	return hot;
}

/* Power of the coming frame: near, where the die stays below the threshold. */
static inline double ask_dither(const struct ask_world *w, struct ask_nodes x)
{
	if (isinf(w->high) ||
	    ask_step(w, x, w->near_w, w->period).die <= w->high)
		return w->near_w;
	return w->gated_w;
}

/*
 * Hottest exposure of @frames from @first on, gated from boundary @gate on;
 * until then it runs, as far as the threshold permits.
 */
static inline double ask_roll(const struct ask_world *w, struct ask_nodes x,
			      unsigned int gate, unsigned int first,
			      unsigned int frames)
{
	unsigned int at = 0, end = first + frames;
	double hot = -1e9, rest, edge_w;

	if (isinf(w->high) && !w->leak_w) {
		unsigned int jump = gate < first ? gate : first;

		x = ask_step(w, x, w->near_w, jump * w->period);
		at = jump;
	}
	edge_w = !at && w->gated ? w->gated_w : w->near_w;
	for (; at < gate && at < end; at++) {
		edge_w = ask_dither(w, x);
		if (at >= first)
			hot = fmax(hot, ask_frame(w, x, 0, 0, edge_w));
		x = ask_step(w, x, edge_w, w->period);
	}
	if (at >= end)
		return hot;
	if (at >= first) {
		hot = fmax(hot, ask_frame(w, x, edge_w, w->enter, w->gated_w));
		at++;
		rest = w->period - w->enter;
	} else {
		rest = (first - at) * w->period - w->enter;
		at = first;
	}
	x = ask_step(w, x, edge_w, w->enter);
	x = ask_step(w, x, w->gated_w, rest);
	for (; at < end; at++) {
		hot = fmax(hot, ask_frame(w, x, 0, 0, w->gated_w));
		x = ask_step(w, x, w->gated_w, w->period);
	}
	return hot;
}

#endif /* NST_TESTS_ASK_PLANT_H */
