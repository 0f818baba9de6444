// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_fit_noise.c - the noise fits against data whose truth is known
 *
 * Intervals are counted: of many seeded runs about 95 % have the truth in
 * their interval. Fewer is a lie, all of them with wide intervals is no use.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "fit_noise.h"
#include "fit_synthetic.h"
#include "ktap.h"

#define RUNS 200
#define LEVELS 10
#define PIXELS 20000.0
#define WHITE 1023.0
#define BLACK 64.0

static double *scratch;

/* Statistics of a pair as frames of this sensor would give them. */
static struct nst_fit_pair pair_of(double mean, double temporal, double fixed)
{
	double total = temporal + fixed;

	return (struct nst_fit_pair){
		.mean_dn = mean + sqrt(total / PIXELS) * synthetic_normal(),
		.temporal_dn2 = temporal *
				(1 + sqrt(2 / PIXELS) * synthetic_normal()),
		.fixed_dn2 = fixed + sqrt((total * total + fixed * fixed) /
					  PIXELS) * synthetic_normal(),
		.pixels = PIXELS,
	};
}

struct sensor {
	double k;		/* DN per electron */
	double read_e;
	double prnu;
	int bad_level;		/* one at which something moved, or -1 */
};

static int transfer(const struct sensor *s, struct nst_fit_transfer *ret)
{
	double read = s->read_e * s->k * s->read_e * s->k + 1 / 12.0;
	struct nst_fit_pair flat[LEVELS], dark[3];

	for (int i = 0; i < LEVELS; i++) {
		double signal = (WHITE - BLACK) * (i + 0.5) / LEVELS;

		flat[i] = pair_of(BLACK + signal, read + s->k * signal,
				  s->prnu * s->prnu * signal * signal);
		if (i == s->bad_level)
			flat[i].temporal_dn2 *= 1.4;
	}
	for (int i = 0; i < 3; i++)
		dark[i] = pair_of(BLACK, read, 0);
	return nst_fit_transfer(flat, LEVELS, dark, 3, WHITE, ret);
}

static void gain_and_read_noise(void)
{
	const struct sensor s = { .k = 0.97, .read_e = 2.7, .prnu = 0.01,
				  .bad_level = -1 };
	int gain = 0, read = 0;
	double worst = 0, wide = 0;

	for (int i = 0; i < RUNS; i++) {
		struct nst_fit_transfer t;

		synthetic_seed((uint64_t)i);
		EXPECT(!transfer(&s, &t), "run %d", i);
		gain += covers(&t.dn_per_e, s.k);
		read += covers(&t.read.e, s.read_e);
		worst = fmax(worst, off_percent(&t.dn_per_e, s.k));
		wide = fmax(wide, t.dn_per_e.hi / t.dn_per_e.lo - 1);
		EXPECT(!t.read.below && fabs(t.black_dn - BLACK) < 0.1,
		       "run %d: black %g", i, t.black_dn);
		EXPECT(off_percent(&t.read.e, s.read_e) < 5, "run %d", i);
	}
	printf("# interval holds the gain in %d, the read noise in %d of %d runs; worst gain %.2f %%\n",
	       gain, read, RUNS, worst);
	EXPECT(gain >= 0.9 * RUNS && read >= 0.9 * RUNS, "coverage");
	EXPECT(worst < 2 && wide < 0.08, "%.2f %%, width %.3f", worst, wide);
}

static void a_bad_level_turns_nothing(void)
{
	struct sensor s = { .k = 0.5, .read_e = 4, .prnu = 0.03 };
	int held = 0;

	for (int i = 0; i < RUNS; i++) {
		struct nst_fit_transfer t;

		synthetic_seed(1000 + (uint64_t)i);
		s.bad_level = i % LEVELS;
		EXPECT(!transfer(&s, &t), "run %d", i);
		EXPECT(off_percent(&t.dn_per_e, s.k) < 3, "level %d: %.2f %%",
		       s.bad_level, off_percent(&t.dn_per_e, s.k));
		held += covers(&t.dn_per_e, s.k);
	}
	printf("# with one level of ten wrong by 40 %%: held in %d of %d\n",
	       held, RUNS);
	EXPECT(held >= 0.85 * RUNS, "%d", held);
}

static void saturation_is_left_out(void)
{
	const double k = 1.2;
	struct nst_fit_pair flat[LEVELS], dark = { 0 };
	struct nst_fit_transfer t;
	int r;

	synthetic_seed(7);
	dark = pair_of(BLACK, 9, 0);
	for (int i = 0; i < LEVELS; i++) {
		double signal = 150.0 * (i + 1);

		flat[i] = pair_of(fmin(BLACK + signal, WHITE),
				  BLACK + signal < WHITE ? 9 + k * signal : 0.1,
				  1);
	}
	r = nst_fit_transfer(flat, LEVELS, &dark, 1, WHITE, &t);
	EXPECT(!r && t.levels == 5, "%d, %d levels", r, t.levels);
	EXPECT(off_percent(&t.dn_per_e, k) < 2, "%g", t.dn_per_e.value);
	EXPECT(nst_fit_transfer(flat + 5, 5, &dark, 1, WHITE, &t) == -ENODATA,
	       "all white");
	EXPECT(nst_fit_transfer(flat, LEVELS, &dark, 0, WHITE, &t) == -ENODATA,
	       "no dark pair");
	dark.mean_dn = 2;
	EXPECT(nst_fit_transfer(flat, LEVELS, &dark, 1, WHITE, &t) == -ERANGE,
	       "cut off at zero");
	dark.mean_dn = BLACK;
	for (int i = 0; i < LEVELS; i++)
		flat[i].temporal_dn2 = 9;
	r = nst_fit_transfer(flat, 5, &dark, 1, WHITE, &t);
	EXPECT(r == -EDOM || t.dn_per_e.lo <= 0, "constant variance: %d", r);
}

/* Variance of whole numbers of a normal distribution about @mean. */
static double rounded(double mean, double sigma)
{
	double m = 0, v = 0;

	for (int k = -60; k <= 60; k++) {
		double p = nst_fit_normal_cdf((k + 0.5 - mean) / sigma) -
			   nst_fit_normal_cdf((k - 0.5 - mean) / sigma);

		m += p * k;
		v += p * k * k;
	}
	return v - m * m;
}

static void below_quantisation(void)
{
	struct sensor s = { .k = 0.1214, .read_e = 2.7, .bad_level = -1 };
	struct nst_fit_transfer t;

	for (double sigma = 0.1; sigma < 3; sigma += 0.07) {
		for (double at = 0; at < 1; at += 0.11) {
			double up = nst_fit_rounded_upper(rounded(at, sigma));

			EXPECT(up >= sigma * (1 - 1e-6), "%g at %g: %g", sigma,
			       at, up);
			if (sigma > 0.7)
				EXPECT(up < 1.25 * sigma, "%g at %g: %g", sigma,
				       at, up);
		}
	}
	synthetic_seed(3);
	EXPECT(!transfer(&s, &t), "fit");
	EXPECT(t.read.below, "%g DN", t.read.dn.value);
	EXPECT(t.read.upper_e >= s.read_e && t.read.upper_e < 3 * s.read_e,
	       "bound %g", t.read.upper_e);
	EXPECT(off_percent(&t.dn_per_e, s.k) < 2, "%g", t.dn_per_e.value);
	/* at 0.7 DN it is a figure again */
	s.read_e = 0.7 / s.k;
	EXPECT(!transfer(&s, &t) && !t.read.below, "0.7 DN");
	EXPECT(off_percent(&t.read.e, s.read_e) < 5, "%g", t.read.e.value);
}

/* ------------------------------------------------------------------ dark */

#define VISITS 6
#define EXPOSURES 2
#define GAINS 3
#define POINTS (VISITS * EXPOSURES * GAINS)

struct thermometer {
	double lsb_mc;
	double offset_mc;
};

static const struct nst_fit_value gains[GAINS] = {
	{ 0.2428, 0.2418, 0.2438 }, { 0.4856, 0.4836, 0.4876 },
	{ 0.9711, 0.9671, 0.9751 },
};

static int dark(double per_s, double doubling_mc,
		const struct thermometer *sensor, struct nst_fit_dark *ret)
{
	static const double exposure_us[EXPOSURES] = { 16000, 64000 };
	struct nst_fit_dark_point p[POINTS];
	double sd = sensor->lsb_mc / sqrt(12);
	int n = 0;

	for (int v = 0; v < VISITS; v++) {
		double temp = 42000 + 9000 * v + 3000 * synthetic_uniform();
		double seen = sensor->lsb_mc > 0 ?
			round(temp / sensor->lsb_mc) * sensor->lsb_mc : temp;

		for (int i = 0; i < EXPOSURES * GAINS; i++, n++) {
			double k = gains[i % GAINS].value, d;

			p[n].gain = i % GAINS;
			p[n].exposure_us = exposure_us[i / GAINS];
			p[n].visit = v;
			p[n].temp_mc = seen + sensor->offset_mc;
			d = k * per_s * p[n].exposure_us / 1e6 *
			    exp2((temp - 60000) / doubling_mc);
			p[n].sd_dn = sqrt((k * d + 7 * k * k) / 300000 +
					  1e-4 + 4e-6 * d * d);
			p[n].mean_dn = BLACK + p[n].gain + d +
				       p[n].sd_dn * synthetic_normal();
		}
	}
	return nst_fit_dark(p, n, gains, GAINS, fmax(sd, 20), 60000, scratch,
			    ret);
}

static void count_dark(const char *what, const struct thermometer *sensor,
		       double worst_doubling, double worst_dark)
{
	double doubling = 0, current = 0;
	int d = 0, c = 0;

	for (int i = 0; i < RUNS; i++) {
		struct nst_fit_dark ret;
		int r;

		synthetic_seed(5000 + (uint64_t)i);
		r = dark(244, 7000, sensor, &ret);
		EXPECT(!r, "%s: run %d: %d", what, i, r);
		if (r)
			return;
		d += covers(&ret.doubling_mc, 7000);
		c += covers(&ret.e_per_s, 244);
		doubling = fmax(doubling, off_percent(&ret.doubling_mc, 7000));
		current = fmax(current, off_percent(&ret.e_per_s, 244));
	}
	printf("# %s: doubling held in %d (worst %.2f %%), dark current in %d (worst %.2f %%) of %d\n",
	       what, d, doubling, c, current, RUNS);
	EXPECT(d >= 0.9 * RUNS && c >= 0.9 * RUNS, "%s: coverage", what);
	EXPECT(doubling < worst_doubling && current < worst_dark,
	       "%s: %.2f %%, %.2f %%", what, doubling, current);
}

static void dark_current(void)
{
	const struct thermometer exact = { 0 }, coarse = { .lsb_mc = 1000 };

	count_dark("exact sensor", &exact, 1, 2);
	count_dark("1 degC sensor", &coarse, 3, 10);
}

static void dark_says_no(void)
{
	const struct thermometer exact = { 0 };
	struct nst_fit_dark_point p[POINTS];
	struct nst_fit_dark ret;
	int r, n = 0;

	synthetic_seed(11);
	r = dark(0.01, 7000, &exact, &ret);
	EXPECT(r == -EDOM, "no dark signal: %d", r);
	for (int v = 0; v < 4; v++, n++)
		p[n] = (struct nst_fit_dark_point){
			.temp_mc = 60000 + 1000 * v, .exposure_us = 64000,
			.mean_dn = 70 + v, .sd_dn = 0.1, .visit = v,
		};
	r = nst_fit_dark(p, n, gains, 1, 20, 60000, scratch, &ret);
	EXPECT(r == -ERANGE, "three degrees: %d", r);
	r = nst_fit_dark(p, 2, gains, 1, 20, 60000, scratch, &ret);
	EXPECT(r == -ENODATA, "two visits: %d", r);
	p[1].mean_dn = NAN;
	r = nst_fit_dark(p, n, gains, 1, 20, 60000, scratch, &ret);
	EXPECT(r == -EINVAL, "not a number: %d", r);
}

static void fixed_patterns(void)
{
	int prnu = 0, dsnu = 0;

	for (int i = 0; i < RUNS; i++) {
		struct nst_fit_fixed_point p[12];
		struct nst_fit_fixed f;

		synthetic_seed(9000 + (uint64_t)i);
		for (int k = 0; k < 12; k++) {
			double s = k < 6 ? 120.0 * (k + 1) : 0;
			double d = k < 6 ? 1 : 15.0 * (k - 5);

			p[k].signal_dn = s;
			p[k].dark_dn = d;
			p[k].pair = pair_of(BLACK + s + d, 7 + s + d,
					    0.04 + s * s * 1e-4 + d * d * 1e-2);
		}
		EXPECT(!nst_fit_fixed(p, 12, &f), "run %d", i);
		prnu += covers(&f.prnu, 0.01);
		dsnu += covers(&f.dsnu, 0.1);
		EXPECT(off_percent(&f.prnu, 0.01) < 10 &&
		       off_percent(&f.dsnu, 0.1) < 10, "run %d: %g %g", i,
		       f.prnu.value, f.dsnu.value);
		EXPECT(nst_fit_fixed(p, 3, &f) == -ENODATA, "three points");
	}
	printf("# PRNU held in %d, DSNU in %d of %d\n", prnu, dsnu, RUNS);
	EXPECT(prnu >= 0.9 * RUNS && dsnu >= 0.9 * RUNS, "coverage");
}

static void quantiles(void)
{
	static const double table[][2] = { { 1, 12.706 }, { 2, 4.303 },
		{ 3, 3.182 }, { 5, 2.571 }, { 10, 2.228 }, { 30, 2.042 } };

	for (unsigned int i = 0; i < KTAP_COUNT(table); i++)
		EXPECT(fabs(nst_fit_t975(table[i][0]) / table[i][1] - 1) < 0.01,
		       "%g: %g", table[i][0], nst_fit_t975(table[i][0]));
	EXPECT(isinf(nst_fit_t975(0)), "none");
	EXPECT(fabs(nst_fit_t975(INFINITY) - 1.96) < 0.001, "many");
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "quantiles of Student's t", quantiles },
		{ "gain and read noise of a photon transfer",
		  gain_and_read_noise },
		{ "a bad level does not turn the line",
		  a_bad_level_turns_nothing },
		{ "saturation and what is missing", saturation_is_left_out },
		{ "read noise below quantisation has a bound",
		  below_quantisation },
		{ "dark current and doubling temperature", dark_current },
		{ "dark current that is not there", dark_says_no },
		{ "PRNU and DSNU", fixed_patterns },
	};
	int r;

	scratch = calloc(NST_FIT_PAIRS_MAX * (NST_FIT_PARAMS_MAX + 4),
			 sizeof(*scratch));
	if (!scratch)
		return 1;
	r = ktap_main(tests, KTAP_COUNT(tests));
	free(scratch);
	return r;
}
