// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* oracle_actions.c - what can be done for a while, see oracle_actions.h */
#include <math.h>
#include <string.h>

#include "oracle_actions.h"

#define TINY (1 / 1e9)

double nst_oracle_setting_slow_c(const struct nst_oracle_setting *s,
				 double near_share)
{
	const struct nst_oracle_case *c = &s->c;

	return c->ambient_c +
	       s->modes.gain[1] *
		       (c->gated_w + near_share * (c->near_w - c->gated_w));
}

/* An action that another one can replace at any temperature is none. */
static bool is_worse(const struct nst_oracle_action *a,
		     const struct nst_oracle_action *b)
{
	return fabs(a->near_share - b->near_share) < TINY &&
	       a->delivered_share <= b->delivered_share + TINY &&
	       a->until_c <= b->until_c;
}

static void add(struct nst_oracle_setting *s,
		const struct nst_oracle_action *a)
{
	for (int i = 1; i < s->count; i++) {
		if (is_worse(a, &s->actions[i]))
			return;
	}
	for (int i = 1; i < s->count; i++) {
		if (!is_worse(&s->actions[i], a))
			continue;
		s->actions[i] = *a;
		return;
	}
	if (s->count < NST_ORACLE_ACTIONS_MAX)
		s->actions[s->count++] = *a;
}

/* -------------------------------------------------------------- stop --- */

static int by_share(const struct nst_oracle_point *a,
		    const struct nst_oracle_point *b)
{
	return a->near_share < b->near_share ? -1 :
					       a->near_share > b->near_share;
}

/* Upper hull of points in place; Return: how many are on it. */
static int hull(struct nst_oracle_point *p, int n)
{
	int kept = 0;

	for (int i = 1; i < n; i++) {
		for (int j = i; j > 0 && by_share(&p[j - 1], &p[j]) > 0; j--) {
			struct nst_oracle_point swap = p[j];

			p[j] = p[j - 1];
			p[j - 1] = swap;
		}
	}
	for (int i = 0; i < n; i++) {
		while (kept >= 2) {
			const struct nst_oracle_point *a = &p[kept - 2];
			const struct nst_oracle_point *b = &p[kept - 1];

			if ((b->delivered_share - a->delivered_share) *
				    (p[i].near_share - a->near_share) >
			    (p[i].delivered_share - a->delivered_share) *
				    (b->near_share - a->near_share))
				break;
			kept--;
		}
		p[kept++] = p[i];
	}
	/* Beyond the most delivered there is only more heat. */
	while (kept >= 2 &&
	       p[kept - 1].delivered_share <= p[kept - 2].delivered_share)
		kept--;
	return kept;
}

static double hull_at(const struct nst_oracle_point *p, int n, double share)
{
	for (int i = 1; i < n; i++) {
		double part;

		if (share > p[i].near_share)
			continue;
		part = (share - p[i - 1].near_share) /
		       (p[i].near_share - p[i - 1].near_share);
		return p[i - 1].delivered_share +
		       part * (p[i].delivered_share -
			       p[i - 1].delivered_share);
	}
	return n ? p[n - 1].delivered_share : 0.0;
}

static void add_stop_at(struct nst_oracle_setting *s,
			const struct nst_oracle *o, double until_c)
{
	struct nst_oracle_point p[NST_ORACLE_POINTS_MAX] = { { 0 } };
	int n = hull(p, nst_oracle_points(o, &s->c, until_c, p));
	double hold = nst_oracle_share(o, &s->c, until_c);
	double delivered = hull_at(p, n, hold);

	for (int i = 0; i < n; i++) {
		struct nst_oracle_action a = {
			.near_share = p[i].near_share,
			.delivered_share = p[i].delivered_share,
			.until_c = until_c,
			.hold_share = hold,
			.hold_delivered = delivered,
		};

		if (a.near_share > TINY)
			add(s, &a);
	}
}

static void add_stop(struct nst_oracle_setting *s, const struct nst_oracle *o)
{
	double most_c = nst_oracle_setting_slow_c(s, 1.0);

	for (int i = 0; i < o->over_count; i++)
		add_stop_at(s, o, s->c.exposure_max_c - o->over_k[i]);
	for (int i = 0; i < o->peak_count; i++)
		add_stop_at(s, o, nst_oracle_die_limit_c(o, &s->c,
							 o->peak_k[i]));
	/* Where nothing is in the way of what can be reached. */
	add_stop_at(s, o, most_c + 1.0);
}

/* --------------------------------------------------------- migration --- */

static void add_migration(struct nst_oracle_setting *s,
			  const struct nst_oracle *o)
{
	for (int i = 0; i < o->count; i++) {
		const struct nst_oracle_pattern *p = &o->patterns[i];
		double share = (double)p->near / p->len;
		struct nst_oracle_action a = {
			.near_share = share,
			.delivered_share = 1.0,
			.until_c = s->c.exposure_max_c - p->all_k,
			.hold_delivered = 1.0,
		};

		/* Seasons move the slow mode themselves. */
		a.until_c = fmin(a.until_c, s->pays ?
				 s->c.die_max_c - p->peak_k :
				 nst_oracle_die_limit_c(o, &s->c, p->peak_k));
		if (!p->near)
			s->cool_c = s->c.exposure_max_c - p->all_k;
		/* Paid switches: all near or all far. */
		if (!p->near || (s->pays && p->near < p->len))
			continue;
		a.hold_share = nst_oracle_share(o, &s->c, a.until_c);
		add(s, &a);
	}
}

/* A larger share that may be had at least as long. */
static void drop_smaller(struct nst_oracle_setting *s)
{
	int kept = 1;

	for (int i = 1; i < s->count; i++) {
		bool better = false;

		for (int j = 1; j < s->count && !better; j++)
			better = s->actions[j].near_share >
					 s->actions[i].near_share &&
				 s->actions[j].until_c >=
					 s->actions[i].until_c;
		if (!better)
			s->actions[kept++] = s->actions[i];
	}
	s->count = kept;
}

void nst_oracle_setting_fill(struct nst_oracle_setting *ret,
			     struct nst_oracle *o,
			     const struct nst_oracle_case *c, bool never,
			     bool drops)
{
	memset(ret, 0, sizeof(*ret));
	ret->c = *c;
	ret->never = never;
	ret->drops = drops;
	ret->pays = !drops && c->switch_j > 0.0;
	ret->cool_c = never ? -INFINITY : INFINITY;
	ret->actions[0].until_c = INFINITY;
	ret->count = 1;
	nst_oracle_modes_get(&ret->modes, c);
	if (never)
		return;
	nst_oracle_patterns_fill(o, c);
	if (drops) {
		add_stop(ret, o);
	} else if (c->near_w < c->far_w) {
		add_migration(ret, o);
		drop_smaller(ret);
	} else {
		add_migration(ret, o);
		ret->count = 1;
	}
}

/* -------------------------------------------------------------- step --- */

static double power_w(const struct nst_oracle_setting *s, double near_share)
{
	double else_w = s->drops ? s->c.gated_w : s->c.far_w;

	return near_share * s->c.near_w + (1.0 - near_share) * else_w;
}

/* Time until the slow mode, on its way to @target_c, passes @at_c. */
static double time_to(const struct nst_oracle_setting *s, double slow_c,
		      double target_c, double at_c)
{
	double now = slow_c - target_c, then = at_c - target_c;

	if ((now <= 0.0) == (then <= 0.0) && fabs(then) < fabs(now))
		return log(now / then) / s->modes.rate[1];
	return INFINITY;
}

static void gated(const struct nst_oracle_setting *s, double dt_s,
		  struct nst_oracle_step *st)
{
	double target_c = nst_oracle_setting_slow_c(s, 0.0), lost_s = dt_s;

	if (!s->drops) {
		double t_s = time_to(s, st->slow_c, target_c, s->cool_c);

		/* From above it cools into the limit, from below it leaves. */
		if (st->slow_c > s->cool_c)
			lost_s = fmin(dt_s, t_s);
		else
			lost_s = fmax(0.0, dt_s - t_s);
	}
	st->slow_c = target_c + (st->slow_c - target_c) *
					exp(-s->modes.rate[1] * dt_s);
	st->energy_j += dt_s * power_w(s, 0.0);
	st->lost += lost_s / s->c.period_s;
}

bool nst_oracle_step(const struct nst_oracle_setting *s,
		     const struct nst_oracle_action *a, double slow_c,
		     bool near, double dt_s, struct nst_oracle_step *ret)
{
	double target_c = nst_oracle_setting_slow_c(s, a->near_share);
	double run_s = dt_s, frames_hz = 1.0 / s->c.period_s, cool_s;
	bool to_near = a->near_share > 0.0;

	*ret = (struct nst_oracle_step){ .slow_c = slow_c, .near = to_near };
	if (s->pays && near != to_near)
		ret->energy_j += s->c.switch_j;
	if (!to_near) {
		gated(s, dt_s, ret);
		return true;
	}
	if (slow_c > a->until_c + TINY) {
		if (s->pays || a->hold_share < 0.0)
			return false;
		cool_s = time_to(s, slow_c, nst_oracle_setting_slow_c(s, 0.0),
				 a->until_c);
		gated(s, fmin(dt_s, cool_s), ret);
		if (cool_s >= dt_s)
			return true;
		ret->slow_c = a->until_c;
		dt_s -= cool_s;
		run_s = target_c > a->until_c ? 0.0 : dt_s;
	} else if (target_c > a->until_c) {
		run_s = slow_c >= a->until_c ? 0.0 :
			fmin(dt_s, time_to(s, slow_c, target_c, a->until_c));
	}
	ret->energy_j += run_s * power_w(s, a->near_share);
	ret->lost += run_s * frames_hz * (1.0 - a->delivered_share);
	ret->slow_c = target_c + (ret->slow_c - target_c) *
					 exp(-s->modes.rate[1] * run_s);
	if (run_s >= dt_s)
		return true;
	dt_s -= run_s;
	if (s->pays || a->hold_share < 0.0) {
		ret->near = false;
		if (s->pays)
			ret->energy_j += s->c.switch_j;
		gated(s, dt_s, ret);
		return true;
	}
	ret->slow_c = a->until_c;
	ret->energy_j += dt_s * power_w(s, a->hold_share);
	ret->lost += dt_s * frames_hz * (1.0 - a->hold_delivered);
	return true;
}
