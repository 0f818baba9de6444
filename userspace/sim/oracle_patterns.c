// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* oracle_patterns.c - gate patterns, see oracle_patterns.h */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_patterns.h"

#define SAME_K (1 / 1e6)
#define TINY (1 / 1e9)
#define ROUNDS_TO_CLOSE 40

/* Hotter end row of a frame that starts at @start_k under power for ever. */
static double frame_over_k(struct nst_oracle *o, double start_k, bool hot)
{
	const struct nst_oracle_case *c = &o->of;
	double target_k = o->modes.gain[0] * (hot ? c->near_w : c->gated_w);
	struct nst_oracle_seen *seen;
	double over_k = -INFINITY;

	for (int i = 0; i < o->seen_count; i++) {
		seen = &o->seen[i];
		if (seen->hot == hot && fabs(seen->start_k - start_k) < SAME_K)
			return seen->over_k;
	}
	for (int row = 0; row < 2; row++) {
		double row_k = nst_oracle_exposure_k(start_k - target_k,
						     o->modes.rate[0],
						     row * c->readout_s,
						     c->exposure_s,
						     c->doubling_k);

		over_k = fmax(over_k, target_k + row_k);
	}
	if (o->seen_count < NST_ORACLE_OVER_MAX)
		o->seen[o->seen_count++] = (struct nst_oracle_seen){
			.start_k = start_k, .over_k = over_k, .hot = hot
		};
	return over_k;
}

static int rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void pattern_solve(struct nst_oracle *o, unsigned int bits, int len,
			  struct nst_oracle_pattern *p)
{
	const struct nst_oracle_case *c = &o->of;
	double kept = exp(-c->period_s * o->modes.rate[0]);
	double hot_k = o->modes.gain[0] * c->near_w;
	double cool_k = o->modes.gain[0] * c->gated_w;
	double at_k = cool_k, over_k[NST_ORACLE_PATTERN_LEN];

	memset(p, 0, sizeof(*p));
	p->bits = bits;
	p->len = len;
	p->peak_k = -INFINITY;
	p->all_k = -INFINITY;
	/* Rounds until the cycle has closed, then one that is looked at. */
	for (int round = 0; round <= ROUNDS_TO_CLOSE; round++) {
		for (int k = 0; k < len; k++) {
			bool hot = bits >> k & 1;
			double target_k = hot ? hot_k : cool_k;

			if (round == ROUNDS_TO_CLOSE) {
				over_k[k] = frame_over_k(o, at_k, hot);
				p->all_k = fmax(p->all_k, over_k[k]);
				p->peak_k = fmax(p->peak_k, at_k);
			}
			at_k = target_k + (at_k - target_k) * kept;
		}
	}
	for (int k = 0; k < len; k++) {
		int before = (k + len - 1) % len;

		p->switches += (bits >> k & 1) != (bits >> before & 1);
		if (bits >> k & 1)
			p->over_k[p->near++] = over_k[before];
	}
	qsort(p->over_k, (size_t)p->near, sizeof(*p->over_k), rising);
}

/* One of each set of rotations, and no pattern that repeats a shorter one. */
static bool is_first(unsigned int bits, int len)
{
	unsigned int all = (1u << len) - 1, turned = bits;

	for (int i = 1; i < len; i++) {
		turned = (turned << 1 | turned >> (len - 1)) & all;
		if (turned <= bits)
			return false;
	}
	return true;
}

static int add_different(double *list, int count, int max, double value)
{
	for (int i = 0; i < count; i++) {
		if (fabs(list[i] - value) < SAME_K)
			return count;
	}
	if (count < max)
		list[count++] = value;
	return count;
}

/* What the distances depend on; weather, limits and far power are not. */
static bool same_stack(const struct nst_oracle_case *a,
		       const struct nst_oracle_case *b)
{
	const double x[] = { a->r_jp, a->r_pa, a->c_j, a->c_p, a->near_w,
			     a->gated_w, a->period_s, a->exposure_s,
			     a->readout_s, a->doubling_k };
	const double y[] = { b->r_jp, b->r_pa, b->c_j, b->c_p, b->near_w,
			     b->gated_w, b->period_s, b->exposure_s,
			     b->readout_s, b->doubling_k };

	for (size_t i = 0; i < sizeof(x) / sizeof(x[0]); i++) {
		if (x[i] < y[i] || x[i] > y[i])
			return false;
	}
	return true;
}

void nst_oracle_patterns_fill(struct nst_oracle *o,
			      const struct nst_oracle_case *c)
{
	if (o->filled && same_stack(&o->of, c))
		return;
	o->filled = true;
	o->of = *c;
	o->count = 0;
	o->over_count = 0;
	o->peak_count = 0;
	o->seen_count = 0;
	nst_oracle_modes_get(&o->modes, c);
	for (int len = 1; len <= NST_ORACLE_PATTERN_LEN; len++) {
		for (unsigned int bits = 0; bits < 1u << len; bits++) {
			if (is_first(bits, len))
				pattern_solve(o, bits, len,
					      &o->patterns[o->count++]);
		}
	}
	for (int i = 0; i < o->count; i++) {
		const struct nst_oracle_pattern *p = &o->patterns[i];

		for (int k = 0; k < p->near; k++)
			o->over_count = add_different(o->over_k, o->over_count,
						      NST_ORACLE_OVER_MAX,
						      p->over_k[k]);
		o->peak_count = add_different(o->peak_k, o->peak_count,
					      NST_ORACLE_PATTERN_COUNT,
					      p->peak_k);
	}
}

double nst_oracle_die_limit_c(const struct nst_oracle *o,
			      const struct nst_oracle_case *c, double peak_k)
{
	double most_c = c->die_max_c - peak_k, slow_c = most_c;
	double frame_k = o->modes.gain[1] * (c->near_w - c->gated_w) *
			 -expm1(-o->modes.rate[1] * c->period_s);

	/* What it moves hangs on the share, which hangs on the temperature. */
	for (int i = 0; i < 4; i++) {
		double share = nst_oracle_share(o, c, slow_c);

		if (share >= 1.0 || share <= 0.0 || isinf(most_c))
			return slow_c;
		slow_c = most_c - frame_k * fmax(share, 1.0 - share) / 2.0;
	}
	return slow_c;
}

int nst_oracle_points(const struct nst_oracle *o,
		      const struct nst_oracle_case *c, double slow_c,
		      struct nst_oracle_point *points)
{
	int n = 0;

	for (int i = 0; i < o->count; i++) {
		const struct nst_oracle_pattern *p = &o->patterns[i];
		double share = (double)p->near / p->len, delivered;
		int k = 0, j;

		if (slow_c > nst_oracle_die_limit_c(o, c, p->peak_k) + TINY)
			continue;
		while (k < p->near &&
		       slow_c + p->over_k[k] <= c->exposure_max_c + TINY)
			k++;
		delivered = (double)k / p->len;
		for (j = 0; j < n; j++) {
			if (fabs(points[j].near_share - share) < TINY)
				break;
		}
		if (j == n && n < NST_ORACLE_POINTS_MAX)
			points[n++] = (struct nst_oracle_point){ share,
								delivered, p };
		else if (j < n && delivered > points[j].delivered_share)
			points[j] = (struct nst_oracle_point){ share,
								delivered, p };
	}
	return n;
}

struct nst_oracle *nst_oracle_new(void)
{
	return calloc(1, sizeof(struct nst_oracle));
}

void nst_oracle_free(struct nst_oracle *o)
{
	free(o);
}
