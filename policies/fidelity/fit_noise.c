// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fit_noise.c - photon transfer and fixed patterns, see fit_noise.h
 *
 * A variance of N independent differences has a standard error of
 * sqrt(2/N) of itself, a covariance one of sqrt((va*vb + cov^2)/N).
 */
#include <math.h>

#include "fit_noise.h"

#define ROUNDING_DN2 (1 / 12.0)
/* What a variance can never be told better than: light flickers. */
#define VARIANCE_FLOOR 0.001
#define ROBUST_ROUNDS 12
#define TUKEY 6.0
#define LEVELS_LEAST 3
/* Standard deviations that a level must stay away from white and from 0. */
#define ROOM 4.0
#define ROUNDS_BISECTION 60

static double sq(double v)
{
	return v * v;
}

/* ---------------------------------------------------- weighted straight */

struct line {
	double a, b;
	double var_a, var_b;	/* from the weights as given */
};

static int line_fit(const double *x, const double *y, const double *w, int n,
		    struct line *ret)
{
	double sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, mx;

	for (int i = 0; i < n; i++) {
		sw += w[i];
		sx += w[i] * x[i];
	}
	if (!(sw > 0))
		return -ENODATA;
	mx = sx / sw;
	for (int i = 0; i < n; i++) {
		sy += w[i] * y[i];
		sxx += w[i] * sq(x[i] - mx);
		sxy += w[i] * (x[i] - mx) * y[i];
	}
	if (!(sxx > 0))
		return -EDOM;
	ret->b = sxy / sxx;
	ret->a = sy / sw - ret->b * mx;
	ret->var_b = 1 / sxx;
	ret->var_a = 1 / sw + sq(mx) / sxx;
	return 0;
}

/* Median of |v|, @v is put in order on the way. */
static double median_abs(double *v, int n)
{
	for (int i = 0; i < n; i++)
		v[i] = fabs(v[i]);
	for (int i = 1; i < n; i++) {
		double t = v[i];
		int j = i;

		for (; j > 0 && v[j - 1] > t; j--)
			v[j] = v[j - 1];
		v[j] = t;
	}
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static double biweight(double u)
{
	return fabs(u) < 1 ? sq(1 - u * u) : 0;
}

/* ------------------------------------------------------ photon transfer */

struct transfer {
	double x[NST_FIT_PAIRS_MAX], y[NST_FIT_PAIRS_MAX];
	double pixels[NST_FIT_PAIRS_MAX];
	double w[NST_FIT_PAIRS_MAX];
	int n;
};

static void mean_of(const struct nst_fit_pair *pair, int n,
		    struct nst_fit_pair *ret)
{
	double pixels = 0, mean = 0, temporal = 0;

	for (int i = 0; i < n; i++) {
		pixels += pair[i].pixels;
		mean += pair[i].pixels * pair[i].mean_dn;
		temporal += pair[i].pixels * pair[i].temporal_dn2;
	}
	ret->pixels = pixels;
	ret->mean_dn = mean / pixels;
	ret->temporal_dn2 = temporal / pixels;
	ret->fixed_dn2 = 0;
}

/* Standard errors off the line, one over the variance of each point. */
static void weigh(struct transfer *t, const struct line *line)
{
	for (int i = 0; i < t->n; i++) {
		double v = line->a + line->b * t->x[i];

		/* a line that is not there yet: the point itself */
		if (!(v > 0.1 * t->y[i]))
			v = t->y[i];
		t->w[i] = 1 / (sq(v) * (2 / t->pixels[i] +
					sq(VARIANCE_FLOOR)));
	}
}

static int robust_line(struct transfer *t, struct line *line, double *ret_chi2,
		       int *ret_used)
{
	double off[NST_FIT_PAIRS_MAX], base[NST_FIT_PAIRS_MAX];
	double chi2 = 0, used = 0;
	int r;

	*line = (struct line){ 0 };
	weigh(t, line);
	r = line_fit(t->x, t->y, t->w, t->n, line);
	for (int round = 0; !r && round < ROBUST_ROUNDS; round++) {
		double scale;

		weigh(t, line);
		for (int i = 0; i < t->n; i++) {
			base[i] = t->w[i];
			off[i] = (t->y[i] - line->a - line->b * t->x[i]) *
				 sqrt(base[i]);
		}
		/* 1.483: from the median to the standard deviation */
		scale = 1.483 * median_abs(off, t->n);
		if (scale < 1)
			scale = 1;
		chi2 = 0;
		used = 0;
		for (int i = 0; i < t->n; i++) {
			double d = (t->y[i] - line->a - line->b * t->x[i]) *
				   sqrt(base[i]);
			double keep = biweight(d / (TUKEY * scale));

			t->w[i] *= keep;
			chi2 += keep * sq(d);
			used += keep > 0.05;
		}
		r = line_fit(t->x, t->y, t->w, t->n, line);
	}
	*ret_chi2 = chi2;
	*ret_used = (int)used;
	return r;
}

/* Smallest variance that noise of @sigma has once it is rounded. */
static double rounded_least(double sigma)
{
	double var = 0;

	/* the mean is a whole number: nothing reaches the next one early */
	for (int k = 1; k < 40; k++)
		var += 2 * sq(k) * (nst_fit_normal_cdf((k + 0.5) / sigma) -
				    nst_fit_normal_cdf((k - 0.5) / sigma));
	return var;
}

double nst_fit_rounded_upper(double var_dn2)
{
	double lo = 0.01, hi = 6;

	if (!(var_dn2 > 0))
		var_dn2 = 0;
	if (var_dn2 > 9)
		return sqrt(var_dn2);
	for (int i = 0; i < ROUNDS_BISECTION; i++) {
		double mid = (lo + hi) / 2;

		if (rounded_least(mid) > var_dn2)
			hi = mid;
		else
			lo = mid;
	}
	return hi;
}

static void read_noise(const struct nst_fit_pair *dark, int darks,
		       const struct nst_fit_value *k, struct nst_fit_read *ret)
{
	double t = nst_fit_t975(INFINITY), scatter = 0, rel, var, rel_k;

	/* Between the pairs, where there are several. */
	for (int i = 0; i < darks; i++)
		scatter += dark[i].pixels;
	rel = sqrt(2 / scatter);
	scatter = 0;
	{
		struct nst_fit_pair mean;

		mean_of(dark, darks, &mean);
		for (int i = 0; i < darks; i++)
			scatter += sq(dark[i].temporal_dn2 /
				      mean.temporal_dn2 - 1);
		var = mean.temporal_dn2;
	}
	if (darks > 1) {
		scatter = sqrt(scatter / (darks - 1) / darks);
		if (scatter * nst_fit_t975(darks - 1) > rel * t)
			rel = scatter * nst_fit_t975(darks - 1) / t;
	}
	rel = sqrt(sq(rel) + sq(VARIANCE_FLOOR));
	ret->dn.value = sqrt(var > ROUNDING_DN2 ? var - ROUNDING_DN2 : 0);
	ret->below = ret->dn.value < NST_FIT_READ_LEAST_DN;
	ret->upper_dn = nst_fit_rounded_upper(var * (1 + t * rel));
	/* nothing that is in it can be less than the gain's own error */
	ret->upper_e = ret->upper_dn / (k->lo > 0 ? k->lo : k->value);
	if (ret->below) {
		ret->dn = (struct nst_fit_value){ 0, 0, ret->upper_dn };
		ret->e = (struct nst_fit_value){ 0, 0, ret->upper_e };
		return;
	}
	/* half as much of the deviation as of the variance */
	rel = t * rel * var / (2 * sq(ret->dn.value));
	ret->dn.lo = ret->dn.value * (1 - rel);
	ret->dn.hi = ret->dn.value * (1 + rel);
	ret->e.value = ret->dn.value / k->value;
	rel_k = (k->hi - k->lo) / (2 * k->value);
	rel = sqrt(sq(rel) + sq(rel_k));
	ret->e.lo = ret->e.value * (1 - rel);
	ret->e.hi = ret->e.value * (1 + rel);
}

static void add(struct transfer *t, double x, const struct nst_fit_pair *pair)
{
	t->x[t->n] = x;
	t->y[t->n] = pair->temporal_dn2;
	t->pixels[t->n] = pair->pixels;
	t->n++;
}

static bool usable(const struct nst_fit_pair *pair)
{
	return pair->pixels >= 2 && isfinite(pair->mean_dn) &&
	       pair->temporal_dn2 > 0 && isfinite(pair->temporal_dn2);
}

int nst_fit_transfer(const struct nst_fit_pair *flat, int flats,
		     const struct nst_fit_pair *dark, int darks,
		     double white_dn, struct nst_fit_transfer *ret)
{
	/* below: whole numbers are too coarse for a twelfth to be true */
	const double least = sq(NST_FIT_READ_LEAST_DN) + ROUNDING_DN2;
	struct transfer t = { .n = 0 };
	struct nst_fit_pair black;
	struct line line;
	double chi2, wide;
	int used, r;

	if (darks < 1 || flats < LEVELS_LEAST ||
	    darks + flats > NST_FIT_PAIRS_MAX)
		return -ENODATA;
	for (int i = 0; i < darks; i++)
		if (!usable(&dark[i]))
			return -ENODATA;
	mean_of(dark, darks, &black);
	if (black.mean_dn - ROOM * sqrt(black.temporal_dn2) < 0)
		return -ERANGE;

	*ret = (struct nst_fit_transfer){ .black_dn = black.mean_dn };
	for (int i = 0; i < flats; i++) {
		double sd = sqrt(flat[i].temporal_dn2);

		if (!usable(&flat[i]) || flat[i].temporal_dn2 < least ||
		    flat[i].mean_dn + ROOM * sd > white_dn)
			continue;
		add(&t, flat[i].mean_dn - black.mean_dn, &flat[i]);
		ret->levels++;
	}
	if (ret->levels < LEVELS_LEAST)
		return -ENODATA;
	for (int i = 0; i < darks; i++)
		if (dark[i].temporal_dn2 >= least)
			add(&t, dark[i].mean_dn - black.mean_dn, &dark[i]);

	r = robust_line(&t, &line, &chi2, &used);
	if (r)
		return r;
	if (used < LEVELS_LEAST || !(line.b > 0))
		return -EDOM;
	ret->dn_per_e.value = line.b;
	wide = chi2 / (used - 2);
	wide = nst_fit_t975(used - 2) *
	       sqrt(line.var_b * (wide > 1 ? wide : 1));
	ret->dn_per_e.lo = line.b - wide;
	ret->dn_per_e.hi = line.b + wide;
	for (int i = 0; i < t.n; i++)
		ret->residual += sq(t.y[i] / (line.a + line.b * t.x[i]) - 1);
	ret->residual = sqrt(ret->residual / t.n);
	read_noise(dark, darks, &ret->dn_per_e, &ret->read);
	return 0;
}

/* ------------------------------------------------------- fixed patterns */

/* variance = offset + (dsnu * dark)^2 + (prnu * signal)^2 */
int nst_fit_fixed(const struct nst_fit_fixed_point *point, int points,
		  struct nst_fit_fixed *ret)
{
	double a[9] = { 0 }, g[3] = { 0 }, p[3] = { 0 }, chi2 = 0, t;
	double smallest = INFINITY;
	int dof = points - 3;

	if (dof < 1)
		return -ENODATA;
	for (int i = 0; i < points; i++) {
		const struct nst_fit_pair *m = &point[i].pair;
		double total = m->temporal_dn2 +
			       (m->fixed_dn2 > 0 ? m->fixed_dn2 : 0);
		double x[3] = { 1, sq(point[i].dark_dn),
				sq(point[i].signal_dn) };
		/* the light's own unevenness is not known better */
		double w = 1 / (2 * sq(total) / m->pixels +
				sq(0.01 * m->fixed_dn2));

		if (!(m->pixels > 1) || !isfinite(w))
			return -ENODATA;
		for (int j = 0; j < 3; j++) {
			g[j] += w * x[j] * m->fixed_dn2;
			for (int k = 0; k < 3; k++)
				a[3 * j + k] += w * x[j] * x[k];
		}
	}
	if (nst_fit_invert(a, 3))
		return -EDOM;
	for (int j = 0; j < 3; j++)
		for (int k = 0; k < 3; k++)
			p[j] += a[3 * j + k] * g[k];
	ret->residual = 0;
	for (int i = 0; i < points; i++) {
		const struct nst_fit_pair *m = &point[i].pair;
		double total = m->temporal_dn2 +
			       (m->fixed_dn2 > 0 ? m->fixed_dn2 : 0);
		double off = m->fixed_dn2 - p[0] -
			     p[1] * sq(point[i].dark_dn) -
			     p[2] * sq(point[i].signal_dn);

		chi2 += sq(off) / (2 * sq(total) / m->pixels +
				   sq(0.01 * m->fixed_dn2));
		ret->residual += sq(off / total);
	}
	ret->residual = sqrt(ret->residual / points);
	t = nst_fit_t975(dof) * sqrt(chi2 > dof ? chi2 / dof : 1);
	ret->offset_dn = p[0] > 0 ? sqrt(p[0]) : 0;
	for (int j = 1; j < 3; j++) {
		struct nst_fit_value *v = j == 1 ? &ret->dsnu : &ret->prnu;
		double wide = t * sqrt(a[4 * j]);
		double lo = p[j] - wide, hi = p[j] + wide;

		v->value = p[j] > 0 ? sqrt(p[j]) : 0;
		v->lo = lo > 0 ? sqrt(lo) : 0;
		v->hi = hi > 0 ? sqrt(hi) : 0;
		if (v->hi < smallest)
			smallest = v->hi;
	}
	return smallest > 0 ? 0 : -EDOM;
}
