// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fit_thermal_model.c - what the two-node RC model says, see fit_thermal.h
 *
 * Between two readings, and a change of power among them, the power is
 * constant, and the deviation of the nodes from their steady state is a sum of
 * two exponentials: the closed form of a two by two system, exact for any
 * distance of the readings.
 */
#include <math.h>

#include "fit_thermal.h"

static const struct {
	const char *name, *unit;
} words[NST_FIT_THERMAL_PARAMS] = {
	[NST_FIT_R_JP] = { "r_jp", "K/W" },
	[NST_FIT_R_PA] = { "r_pa", "K/W" },
	[NST_FIT_TAU_J] = { "tau_j", "s" },
	[NST_FIT_TAU_P] = { "tau_p", "s" },
	[NST_FIT_AMBIENT] = { "ambient", "degC" },
};

const char *nst_fit_thermal_name(enum nst_fit_thermal_param p)
{
	return words[p].name;
}

const char *nst_fit_thermal_unit(enum nst_fit_thermal_param p)
{
	return words[p].unit;
}

/* x, y: how far die and package are from where this power takes them. */
struct nodes {
	double a, b, c;		/* rates: die, package to die, package */
	double root;
};

static void nodes_set(struct nodes *n, const double *param)
{
	double sum;

	n->a = 1 / param[NST_FIT_TAU_J];
	n->c = 1 / param[NST_FIT_TAU_P];
	n->b = n->c * param[NST_FIT_R_PA] / param[NST_FIT_R_JP];
	sum = n->a + n->b + n->c;
	n->root = sqrt(sum * sum - 4 * n->a * n->c);
}

static void nodes_step(const struct nodes *n, double dt_s, double *x,
		       double *y)
{
	double sum = n->a + n->b + n->c;
	double fast = -(sum + n->root) / 2;
	/* the product of the two is a * c: no difference of near numbers */
	double slow = n->a * n->c / fast;
	double ef = exp(fast * dt_s), es = exp(slow * dt_s);
	double dx = -n->a * *x + n->a * *y;
	double dy = n->b * *x - (n->b + n->c) * *y;
	double w = slow - fast;
	double xs = (dx - fast * *x) / w, ys = (dy - fast * *y) / w;

	*x = es * xs + ef * (*x - xs);
	*y = es * ys + ef * (*y - ys);
}

/* A walk along the recording. */
struct walk {
	const double *param;
	struct nodes nodes;
	double t_s, die_c, package_c, power_w;
};

static void walk_to(struct walk *w, double t_s)
{
	double package_end = w->param[NST_FIT_AMBIENT] +
			     w->param[NST_FIT_R_PA] * w->power_w;
	double die_end = package_end + w->param[NST_FIT_R_JP] * w->power_w;
	double x = w->die_c - die_end, y = w->package_c - package_end;

	/* two changes of power may lie nearer to each other than they are late */
	if (!(t_s > w->t_s))
		return;
	nodes_step(&w->nodes, t_s - w->t_s, &x, &y);
	w->die_c = die_end + x;
	w->package_c = package_end + y;
	w->t_s = t_s;
}

/* The first reading after @at with another power; @ret_s: when that acts. */
static int next_edge(const struct nst_fit_reading *reading, int readings,
		     int at, const double *late, double *ret_s)
{
	for (int i = at + 1; i < readings; i++) {
		const struct nst_fit_reading *m = &reading[i];
		double more = m->power_w - m[-1].power_w;

		/* the same number, not nearly the same */
		if (!(more < 0) && !(more > 0))
			continue;
		*ret_s = m->t_s + m->late_s *
			 late[more > 0 ? NST_FIT_RISE : NST_FIT_FALL];
		return i;
	}
	*ret_s = INFINITY;
	return readings;
}

void nst_fit_thermal_predict(const double *param, double package_c,
			     const double *late,
			     const struct nst_fit_reading *reading,
			     int readings, double *ret_c)
{
	struct walk w = {
		.param = param,
		.t_s = reading[0].t_s,
		/* At this power for long, on the package's scale. */
		.die_c = package_c +
			 param[NST_FIT_R_JP] * reading[0].power_w,
		.package_c = package_c,
		.power_w = reading[0].power_w,
	};
	double edge_s;
	int edge = next_edge(reading, readings, 0, late, &edge_s);

	nodes_set(&w.nodes, param);
	ret_c[0] = w.die_c;
	for (int i = 1; i < readings; i++) {
		while (edge_s <= reading[i].t_s) {
			walk_to(&w, edge_s);
			w.power_w = reading[edge].power_w;
			edge = next_edge(reading, readings, edge, late,
					 &edge_s);
		}
		walk_to(&w, reading[i].t_s);
		ret_c[i] = w.die_c;
	}
}
