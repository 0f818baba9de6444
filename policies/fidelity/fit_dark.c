// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fit_dark.c - dark current against exposure and temperature, see fit_noise.h
 *
 *	mean = black[gain] + K[gain] * I * 2^((T + e[visit] - T_ref)/T_d) * t
 *
 * with I, T_d, the blacks and the errors e of the thermometer unknown. The
 * errors are held by what is known of the thermometer, so that they take what
 * a coarse one does and leave a good one alone.
 */
#include <math.h>

#include "fit_noise.h"

#define DOUBLING_START_MC 7000.0
#define SPAN_LEAST_MC 5000.0
#define VISITS_LEAST 3
/* Parameters: ln I, ln T_d, then the blacks, then the errors. */
#define FIRST_BLACK 2

struct dark {
	const struct nst_fit_dark_point *point;
	const struct nst_fit_value *gain;
	int points, gains, visits;
	double ref_mc;
	double temp_sd_mc;
	double black_dn[NST_FIT_GAINS_MAX];	/* start, the fit moves it */
};

static double sq(double v)
{
	return v * v;
}

static void predict(const double *p, double *ret, const void *arg)
{
	const struct dark *d = arg;
	const double *error = p + FIRST_BLACK + d->gains;
	double per_s = exp(p[0]), doubling = exp(p[1]);

	for (int i = 0; i < d->points; i++) {
		const struct nst_fit_dark_point *m = &d->point[i];
		/* errors in their own standard deviations, and octaves */
		double temp = m->temp_mc + error[m->visit] * d->temp_sd_mc;

		ret[i] = d->black_dn[m->gain] + p[FIRST_BLACK + m->gain] +
			 d->gain[m->gain].value * per_s *
				 exp2((temp - d->ref_mc) / doubling) *
				 m->exposure_us / 1e6;
	}
}

static int check(struct dark *d, double *ref_mc, double *ret_span_mc)
{
	double lo = INFINITY, hi = -INFINITY;
	bool seen[NST_FIT_VISITS_MAX] = { false };
	bool gain_seen[NST_FIT_GAINS_MAX] = { false };

	if (d->gains < 1 || d->gains > NST_FIT_GAINS_MAX ||
	    d->points > NST_FIT_PAIRS_MAX)
		return -EINVAL;
	d->visits = 0;
	for (int i = 0; i < d->points; i++) {
		const struct nst_fit_dark_point *m = &d->point[i];

		if (m->gain < 0 || m->gain >= d->gains || m->visit < 0 ||
		    m->visit >= NST_FIT_VISITS_MAX || !(m->sd_dn > 0) ||
		    !isfinite(m->mean_dn) || !(m->exposure_us > 0) ||
		    !isfinite(m->temp_mc))
			return -EINVAL;
		seen[m->visit] = true;
		gain_seen[m->gain] = true;
		if (m->visit >= d->visits)
			d->visits = m->visit + 1;
		lo = m->temp_mc < lo ? m->temp_mc : lo;
		hi = m->temp_mc > hi ? m->temp_mc : hi;
	}
	for (int g = 0; g < d->gains; g++)
		if (!gain_seen[g])
			return -ENODATA;
	for (int v = 0; v < d->visits; v++)
		if (!seen[v])
			return -EINVAL;
	if (d->visits < VISITS_LEAST)
		return -ENODATA;
	*ret_span_mc = hi - lo;
	if (hi - lo < SPAN_LEAST_MC)
		return -ERANGE;
	if (*ref_mc < lo || *ref_mc > hi)
		*ref_mc = 1000 * round((lo + hi) / 2000);
	return 0;
}

/*
 * A start: black is the lowest mean of each gain, and the dark current that
 * of the point with the most dark signal.
 */
static int start(struct dark *d, double *p)
{
	double most = 0;
	int at = -1;

	for (int g = 0; g < d->gains; g++)
		d->black_dn[g] = INFINITY;
	for (int i = 0; i < d->points; i++) {
		const struct nst_fit_dark_point *m = &d->point[i];

		if (m->mean_dn < d->black_dn[m->gain])
			d->black_dn[m->gain] = m->mean_dn;
	}
	for (int i = 0; i < d->points; i++) {
		const struct nst_fit_dark_point *m = &d->point[i];
		double dark = (m->mean_dn - d->black_dn[m->gain]) /
			      d->gain[m->gain].value;

		if (dark > most) {
			most = dark;
			at = i;
		}
	}
	if (at < 0)
		return -EDOM;
	p[0] = log(most / (d->point[at].exposure_us / 1e6)) -
	       M_LN2 * (d->point[at].temp_mc - d->ref_mc) /
		       DOUBLING_START_MC;
	p[1] = log(DOUBLING_START_MC);
	for (int k = FIRST_BLACK; k < FIRST_BLACK + d->gains + d->visits; k++)
		p[k] = 0;
	return 0;
}

static void report(const struct dark *d, const struct nst_fit_lm *lm,
		   const double *p, struct nst_fit_dark *ret)
{
	int free_params = FIRST_BLACK + d->gains;
	double scale = lm->chi2 / lm->dof, t, wide, rel_k = 0, sum = 0;
	const double *error = p + free_params;

	/*
	 * Doubling and dark current are as certain as the visits are many:
	 * theirs is the error that does not average out.
	 */
	t = nst_fit_t975(d->visits - 2) * sqrt(scale > 1 ? scale : 1);
	ret->ref_mc = d->ref_mc;
	wide = t * nst_fit_sd(lm, 1);
	ret->doubling_mc.value = exp(p[1]);
	ret->doubling_mc.lo = exp(p[1] - wide);
	ret->doubling_mc.hi = exp(p[1] + wide);
	for (int g = 0; g < d->gains; g++)
		rel_k += (d->gain[g].hi - d->gain[g].lo) /
			 (2 * d->gain[g].value) / d->gains;
	wide = sqrt(sq(t * nst_fit_sd(lm, 0)) + sq(rel_k));
	ret->e_per_s.value = exp(p[0]);
	ret->e_per_s.lo = exp(p[0] - wide);
	ret->e_per_s.hi = exp(p[0] + wide);
	for (int g = 0; g < d->gains; g++)
		ret->black_dn[g] = d->black_dn[g] + p[FIRST_BLACK + g];
	for (int i = 0; i < d->points; i++)
		sum += sq(d->point[i].mean_dn - lm->scratch[i]);
	ret->residual_dn = sqrt(sum / d->points);
	sum = 0;
	for (int v = 0; v < d->visits; v++)
		sum += sq(error[v] * d->temp_sd_mc);
	ret->temp_error_mc = sqrt(sum / d->visits);
}

int nst_fit_dark(const struct nst_fit_dark_point *point, int points,
		 const struct nst_fit_value *gain, int gains,
		 double temp_sd_mc, double ref_mc, double *scratch,
		 struct nst_fit_dark *ret)
{
	struct dark d = { .point = point, .gain = gain, .points = points,
			  .gains = gains, .temp_sd_mc = temp_sd_mc };
	double p[NST_FIT_PARAMS_MAX], *y = scratch, *weight = y + points;
	struct nst_fit_lm lm = { .model = predict, .arg = &d, .y = y,
				 .weight = weight, .points = points,
				 .scratch = weight + points };
	double grown = 0;
	int r;

	r = check(&d, &ref_mc, &ret->span_mc);
	if (r)
		return r;
	d.ref_mc = ref_mc;
	lm.params = FIRST_BLACK + gains + d.visits;
	for (int i = 0; i < points; i++) {
		y[i] = point[i].mean_dn;
		weight[i] = 1 / sq(point[i].sd_dn);
	}
	for (int v = 0; v < d.visits; v++)
		lm.prior_weight[FIRST_BLACK + gains + v] = 1;
	r = start(&d, p);
	if (r)
		return r;
	r = nst_fit_lm(&lm, p);
	if (r)
		return r;
	/* Is there dark signal at all, or noise that was fitted? */
	for (int i = 0; i < points; i++) {
		double dark = lm.scratch[i] - d.black_dn[point[i].gain] -
			      p[FIRST_BLACK + point[i].gain];

		if (dark / point[i].sd_dn > grown)
			grown = dark / point[i].sd_dn;
	}
	report(&d, &lm, p, ret);
	if (grown < 10 || !(ret->doubling_mc.value > 1000 &&
			    ret->doubling_mc.value < 50000) ||
	    ret->doubling_mc.hi > 3 * ret->doubling_mc.value)
		return -EDOM;
	return 0;
}
