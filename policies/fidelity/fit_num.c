// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fit_num.c - least squares with intervals, see fit_num.h
 */
#include <math.h>

#include "fit_num.h"

#define ROUNDS_MAX 200
#define DAMP_FIRST 0.001
#define DAMP_MAX (1000.0 * 1000 * 1000 * 1000)
#define STEP_MOST 2.0
#define DIFFERENCE (1.0 / 100000)
/* Of chi2: a smaller gain, three times in a row, is the end. */
#define GAIN_LEAST (1.0 / 10000000)
#define GAINS_SMALL 3
#define PIVOT_LEAST (1.0 / 10000000000000.0)

double nst_fit_t975(double dof)
{
	static const double few[] = { 12.7062, 4.3027 };
	const double z = 1.959964, z2 = z * z, n = dof;

	if (!(dof >= 1))
		return INFINITY;
	if (dof < 3) {
		int i = dof < 2 ? 0 : 1;

		return few[i];
	}
	/* Abramowitz and Stegun 26.7.5 */
	return z * (1 + (z2 + 1) / (4 * n) +
		    ((5 * z2 + 16) * z2 + 3) / (96 * n * n) +
		    (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n));
}

double nst_fit_normal_cdf(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

/* Cholesky, with the diagonal brought to one first. */
int nst_fit_invert(double *a, int n)
{
	double scale[NST_FIT_PARAMS_MAX];

	for (int i = 0; i < n; i++) {
		if (!(a[i * n + i] > 0) || isinf(a[i * n + i]))
			return -EDOM;
		scale[i] = 1 / sqrt(a[i * n + i]);
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			a[i * n + j] *= scale[i] * scale[j];

	/* a = l * l', l in the lower half */
	for (int j = 0; j < n; j++) {
		for (int i = j; i < n; i++) {
			double sum = a[i * n + j];

			for (int k = 0; k < j; k++)
				sum -= a[i * n + k] * a[j * n + k];
			if (i > j) {
				a[i * n + j] = sum / a[j * n + j];
				continue;
			}
			if (!(sum > PIVOT_LEAST))
				return -EDOM;
			a[i * n + i] = sqrt(sum);
		}
	}
	/* l to its inverse, then the product of that with itself */
	for (int j = 0; j < n; j++) {
		a[j * n + j] = 1 / a[j * n + j];
		for (int i = j + 1; i < n; i++) {
			double sum = 0;

			for (int k = j; k < i; k++)
				sum -= a[i * n + k] * a[k * n + j];
			a[i * n + j] = sum / a[i * n + i];
		}
	}
	for (int i = 0; i < n; i++) {
		for (int j = 0; j <= i; j++) {
			double sum = 0;

			for (int k = i; k < n; k++)
				sum += a[k * n + i] * a[k * n + j];
			a[j * n + i] = sum;
		}
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j <= i; j++)
			a[i * n + j] = a[j * n + i];
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			a[i * n + j] *= scale[i] * scale[j];
	return 0;
}

/* ------------------------------------------------- Levenberg, Marquardt */

struct work {
	int map[NST_FIT_PARAMS_MAX];	/* free ones */
	int n;
	double a[NST_FIT_PARAMS_MAX * NST_FIT_PARAMS_MAX];
	double g[NST_FIT_PARAMS_MAX];
};

static double chi2_of(const struct nst_fit_lm *fit, const double *p,
		      const double *predicted)
{
	double sum = 0;

	for (int i = 0; i < fit->points; i++) {
		double r = fit->y[i] - predicted[i];

		if (fit->weight[i] > 0)
			sum += fit->weight[i] * r * r;
	}
	for (int k = 0; k < fit->params; k++) {
		double r = fit->prior[k] - p[k];

		if (fit->prior_weight[k] > 0)
			sum += fit->prior_weight[k] * r * r;
	}
	return sum;
}

/* Normal equations at @p; predictions are in scratch[0..points). */
static void normal(const struct nst_fit_lm *fit, struct work *w,
		   const double *p)
{
	int n = w->n, points = fit->points;
	double *predicted = fit->scratch, *moved = predicted + points;
	double *slope = moved + points;
	double q[NST_FIT_PARAMS_MAX];

	for (int k = 0; k < fit->params; k++)
		q[k] = p[k];
	for (int f = 0; f < n; f++) {
		int k = w->map[f];
		double h = DIFFERENCE * (1 + fabs(p[k]));

		q[k] = p[k] + h;
		fit->model(q, moved, fit->arg);
		q[k] = p[k] - h;
		fit->model(q, slope + f * points, fit->arg);
		q[k] = p[k];
		for (int i = 0; i < points; i++)
			slope[f * points + i] = (moved[i] -
				slope[f * points + i]) / (2 * h);
	}
	for (int f = 0; f < n; f++) {
		const double *sf = slope + f * points;
		int k = w->map[f];

		w->g[f] = fit->prior_weight[k] * (fit->prior[k] - p[k]);
		for (int i = 0; i < points; i++)
			if (fit->weight[i] > 0)
				w->g[f] += fit->weight[i] * sf[i] *
					   (fit->y[i] - predicted[i]);
		for (int e = 0; e <= f; e++) {
			const double *se = slope + e * points;
			double sum = e == f ? fit->prior_weight[k] : 0;

			for (int i = 0; i < points; i++)
				if (fit->weight[i] > 0)
					sum += fit->weight[i] * sf[i] * se[i];
			w->a[f * n + e] = sum;
			w->a[e * n + f] = sum;
		}
	}
}

/* One damped step into @q; false when the matrix cannot be inverted. */
static bool step(const struct nst_fit_lm *fit, const struct work *w,
		 double damp, const double *p, double *q)
{
	double a[NST_FIT_PARAMS_MAX * NST_FIT_PARAMS_MAX];
	double d[NST_FIT_PARAMS_MAX] = { 0 }, most = 0;
	int n = w->n;

	for (int i = 0; i < n * n; i++)
		a[i] = w->a[i];
	for (int f = 0; f < n; f++)
		a[f * n + f] *= 1 + damp;
	if (nst_fit_invert(a, n))
		return false;
	for (int k = 0; k < fit->params; k++)
		q[k] = p[k];
	for (int f = 0; f < n; f++) {
		for (int e = 0; e < n; e++)
			d[f] += a[f * n + e] * w->g[e];
		most = fmax(most, fabs(d[f]));
	}
	/* A longer one leaves what the derivatives know about. */
	for (int f = 0; f < n; f++)
		q[w->map[f]] += most > STEP_MOST ? d[f] * STEP_MOST / most
						 : d[f];
	return true;
}

static int finish(struct nst_fit_lm *fit, struct work *w, const double *p)
{
	int n = w->n;

	normal(fit, w, p);
	for (int i = 0; i < fit->params * fit->params; i++)
		fit->cov[i] = 0;
	if (nst_fit_invert(w->a, n))
		return -EDOM;
	for (int f = 0; f < n; f++)
		for (int e = 0; e < n; e++)
			fit->cov[w->map[f] * fit->params + w->map[e]] =
				w->a[f * n + e];
	return 0;
}

static int prepare(struct nst_fit_lm *fit, struct work *w)
{
	int count = 0;

	w->n = 0;
	for (int i = 0; i < fit->points; i++)
		count += fit->weight[i] > 0;
	for (int k = 0; k < fit->params; k++) {
		if (!fit->fixed[k])
			w->map[w->n++] = k;
		count += !fit->fixed[k] && fit->prior_weight[k] > 0;
	}
	fit->dof = count - w->n;
	return fit->dof < 1 ? -ENODATA : 0;
}

int nst_fit_lm(struct nst_fit_lm *fit, double *p)
{
	double *predicted = fit->scratch, damp = DAMP_FIRST;
	double q[NST_FIT_PARAMS_MAX], chi2;
	struct work w;
	int small = 0, r;

	if (fit->params < 1 || fit->params > NST_FIT_PARAMS_MAX)
		return -EINVAL;
	r = prepare(fit, &w);
	if (r)
		return r;
	fit->model(p, predicted, fit->arg);
	fit->chi2 = chi2_of(fit, p, predicted);
	if (!isfinite(fit->chi2))
		return -EDOM;
	for (int round = 0; round < ROUNDS_MAX && small < GAINS_SMALL &&
	     damp < DAMP_MAX; round++) {
		normal(fit, &w, p);
		chi2 = INFINITY;
		while (damp < DAMP_MAX) {
			if (step(fit, &w, damp, p, q)) {
				fit->model(q, predicted, fit->arg);
				chi2 = chi2_of(fit, q, predicted);
			}
			/* not a number is no improvement */
			if (chi2 <= fit->chi2)
				break;
			damp *= 8;
		}
		if (!(chi2 <= fit->chi2))
			break;
		small = fit->chi2 - chi2 <= GAIN_LEAST * fit->chi2 ? small + 1
								  : 0;
		for (int k = 0; k < fit->params; k++)
			p[k] = q[k];
		fit->chi2 = chi2;
		damp /= 10;
	}
	fit->model(p, predicted, fit->arg);
	return finish(fit, &w, p);
}

double nst_fit_sd(const struct nst_fit_lm *fit, int i)
{
	double var = fit->cov[i * fit->params + i];

	return var >= 0 ? sqrt(var) : INFINITY;
}

/* @a, @b: symmetric. Diagonal of a * b * a, @i of it. */
static double enclosed(const double *a, const double *b, int n, int i)
{
	double sum = 0;

	for (int k = 0; k < n; k++)
		for (int l = 0; l < n; l++)
			sum += a[i * n + k] * b[k * n + l] * a[l * n + i];
	return sum;
}

int nst_fit_blocks(const struct nst_fit_lm *fit, const int *first, int blocks,
		   double *ret_sd)
{
	const double *predicted = fit->scratch;
	const double *slope = predicted + 2 * fit->points;
	double a[NST_FIT_PARAMS_MAX * NST_FIT_PARAMS_MAX] = { 0 };
	double b[NST_FIT_PARAMS_MAX * NST_FIT_PARAMS_MAX] = { 0 };
	int map[NST_FIT_PARAMS_MAX], n = 0;

	for (int k = 0; k < fit->params; k++) {
		ret_sd[k] = 0;
		if (!fit->fixed[k])
			map[n++] = k;
	}
	if (blocks <= n)
		return -ENODATA;
	for (int c = 0; c < blocks; c++) {
		int end = c + 1 < blocks ? first[c + 1] : fit->points;
		double g[NST_FIT_PARAMS_MAX] = { 0 };

		for (int i = first[c]; i < end; i++)
			for (int f = 0; f < n && fit->weight[i] > 0; f++)
				g[f] += fit->weight[i] *
					slope[f * fit->points + i] *
					(fit->y[i] - predicted[i]);
		for (int f = 0; f < n; f++)
			for (int e = 0; e < n; e++)
				b[f * n + e] += g[f] * g[e];
	}
	for (int i = 0; i < n * n; i++)
		b[i] *= blocks / (double)(blocks - n);
	/* one draw of a prior says nothing of how it varies: as it is told */
	for (int f = 0; f < n; f++) {
		b[f * n + f] += fit->prior_weight[map[f]];
		for (int e = 0; e < n; e++)
			a[f * n + e] = fit->cov[map[f] * fit->params + map[e]];
	}
	for (int f = 0; f < n; f++) {
		double var = enclosed(a, b, n, f);

		ret_sd[map[f]] = var >= 0 ? sqrt(var) : INFINITY;
	}
	return 0;
}
