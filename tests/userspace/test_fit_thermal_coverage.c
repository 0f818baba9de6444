// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_fit_thermal_coverage.c - do 95 % intervals hold in 95 % of the runs?
 *
 * Every run has another room, other times of its readings, other noise, and
 * changes of power that come into force when they like within their bound. The
 * two equations are integrated by the classical method of Runge and Kutta,
 * which shares no line with the closed form of the fit.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "fit_synthetic.h"
#include "fit_thermal.h"
#include "ktap.h"

#define WIDEST 0.1
#define RUNS 20	/* NST_COVERAGE_RUNS has more */
#define STOPS 12

static const double constants[NST_FIT_THERMAL_PARAMS] = {
	5.5, 28.5, 0.005, 19.95, 26.4	/* 12.1 of the physics reference */
};

/**
 * struct kind - of sensor and gate
 * @lsb_c, @noise_c: of the sensor
 * @late_s: bound of what is told; @alike: the same share of it in a whole run,
 *	else each change has its own
 * @hidden_s: a change comes up to so much later and nobody tells
 */
struct kind {
	const char *name;
	double lsb_c, noise_c;
	double late_s;
	bool alike;
	double hidden_s;
};

static struct nst_fit_reading reading[NST_FIT_THERMAL_READINGS_MAX];
static double *scratch;
static int count, runs;

static struct {
	const struct kind *kind;
	double param[NST_FIT_THERMAL_PARAMS];
	double share[NST_FIT_EDGES];
	double t_s, edge_s;
	double die_c, package_c;
	double power_w, next_w;
} sim;

static void slopes(double die_c, double package_c, double *ret)
{
	const double *k = sim.param;
	double flow = (die_c - package_c) / k[NST_FIT_R_JP];
	double out = (package_c - k[NST_FIT_AMBIENT]) / k[NST_FIT_R_PA];

	ret[0] = (sim.power_w - flow) * k[NST_FIT_R_JP] / k[NST_FIT_TAU_J];
	ret[1] = (flow - out) * k[NST_FIT_R_PA] / k[NST_FIT_TAU_P];
}

static void advance(double until_s)
{
	while (sim.t_s < until_s) {
		double tau = sim.param[NST_FIT_TAU_J];
		double most = sim.t_s - sim.edge_s < 12 * tau ? tau / 10 : tau;
		double dt = fmin(most, until_s - sim.t_s);
		double a[2], b[2], c[2], d[2];

		if (sim.t_s < sim.edge_s)
			dt = fmin(dt, sim.edge_s - sim.t_s);
		else
			sim.power_w = sim.next_w;
		slopes(sim.die_c, sim.package_c, a);
		slopes(sim.die_c + dt / 2 * a[0], sim.package_c + dt / 2 * a[1],
		       b);
		slopes(sim.die_c + dt / 2 * b[0], sim.package_c + dt / 2 * b[1],
		       c);
		slopes(sim.die_c + dt * c[0], sim.package_c + dt * c[1], d);
		sim.die_c += dt / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0]);
		sim.package_c += dt / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1]);
		sim.t_s += dt;
	}
}

static void read_at(double t_s)
{
	const struct kind *kind = sim.kind;
	double seen;

	advance(t_s);
	seen = sim.die_c + kind->noise_c * synthetic_normal();
	if (kind->lsb_c > 0)
		seen = round(seen / kind->lsb_c) * kind->lsb_c;
	reading[count++] = (struct nst_fit_reading){
		.t_s = t_s, .temp_c = seen, .power_w = sim.next_w };
}

/* Readings every 2 ms for a while, then every @slow_s, all of them uneven. */
static void hold(double power_w, double for_s, double slow_s)
{
	const struct kind *kind = sim.kind;
	double from = sim.t_s, t = 0, share = synthetic_uniform();

	if (kind->alike)
		share = sim.share[power_w > sim.next_w ? NST_FIT_RISE
						       : NST_FIT_FALL];
	sim.next_w = power_w;
	sim.edge_s = from + share * (kind->late_s + kind->hidden_s);
	reading[count++] = (struct nst_fit_reading){
		.t_s = from, .temp_c = NAN, .power_w = power_w,
		.late_s = kind->late_s };
	while (t < for_s) {
		t += (t < 0.06 ? 0.002 : slow_s) *
		     (0.7 + 0.6 * synthetic_uniform());
		read_at(from + fmin(t, for_s));
	}
}

/* As `nstctl calibrate --thermal` does it. */
static void run(const struct kind *kind)
{
	count = 0;
	sim.kind = kind;
	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++)
		sim.param[k] = constants[k];
	sim.param[NST_FIT_AMBIENT] += 2 * synthetic_uniform();
	for (int e = 0; e < NST_FIT_EDGES; e++)
		sim.share[e] = synthetic_uniform();
	sim.t_s = 0;
	sim.edge_s = 0;
	sim.power_w = 0.1;
	sim.next_w = 0.1;
	sim.package_c = sim.param[NST_FIT_AMBIENT] + 2;
	sim.die_c = sim.package_c + sim.param[NST_FIT_R_JP] * sim.power_w;
	hold(0.1, 2, 0.5);
	hold(2.5, 40, 0.5);
	for (int i = 0; i < STOPS; i++) {
		hold(0.1, 0.1 + 0.0073 * i, 0.02);
		hold(2.5, 0.1 + 0.0073 * i, 0.02);
	}
	hold(0.1, 80, 0.5);
}

/*
 * Percent of the runs in which each interval holds. The bound is three standard
 * deviations of so many runs below 95 % for one figure, and for all of them,
 * which are not independent, one.
 */
static void coverage(const struct kind *kind, double off_most)
{
	int held[NST_FIT_THERMAL_PARAMS] = { 0 }, all = 0;
	double wide[NST_FIT_THERMAL_PARAMS] = { 0 };
	double least = 95 - 300 * sqrt(0.95 * 0.05 / runs);
	struct nst_fit_thermal f = { 0 };

	synthetic_seed(7);
	for (int i = 0; i < runs; i++) {
		int r;

		run(kind);
		r = nst_fit_thermal(reading, count, WIDEST, scratch, &f);
		EXPECT(!r, "%s, run %d: %d", kind->name, i, r);
		for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++) {
			const struct nst_fit_value *v = &f.param[k];

			held[k] += covers(v, sim.param[k]);
			wide[k] += 50 * (v->hi - v->lo) / sim.param[k] / runs;
			EXPECT(off_percent(v, sim.param[k]) < off_most,
			       "%s, run %d: %s %g", kind->name, i,
			       nst_fit_thermal_name((enum
						     nst_fit_thermal_param)k),
			       v->value);
		}
	}
	printf("# %s: residual %.3g K, sensor steps %.3g K, follow %.2f\n",
	       kind->name, f.noise_c, f.lsb_c, f.follow);
	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++) {
		double percent = 100.0 * held[k] / runs;

		all += held[k];
		printf("#   %-8s holds in %5.1f %%, +-%.3g %% on average\n",
		       nst_fit_thermal_name((enum nst_fit_thermal_param)k),
		       percent, wide[k]);
		EXPECT(percent >= least, "%s: %g, not %g", kind->name, percent,
		       least);
	}
	printf("# figure: %s: 95 %% intervals hold in %.1f %% of %d\n",
	       kind->name, 100.0 * all / (runs * NST_FIT_THERMAL_PARAMS),
	       runs * NST_FIT_THERMAL_PARAMS);
	EXPECT(100.0 * all / (runs * NST_FIT_THERMAL_PARAMS) >=
	       95 - 100 * sqrt(0.95 * 0.05 / runs), "%s: %d in all",
	       kind->name, all);
}

static void late_alike(void)
{
	static const struct kind kind = { "a millikelvin, late alike", 0.001,
					  0, 0.001, true, 0 };

	coverage(&kind, 0.1);
}

static void late_each(void)
{
	static const struct kind kind = { "a millikelvin, late each", 0.001, 0,
					  0.001, false, 0 };

	coverage(&kind, 5);
}

static void noisy(void)
{
	static const struct kind kind = { "0.3 K of noise, late alike", 0.001,
					  0.3, 0.001, true, 0 };

	coverage(&kind, 5);
}

static void coarse(void)
{
	static const struct kind kind = { "steps of 1 K, late alike", 1, 0,
					  0.001, true, 0 };

	coverage(&kind, 5);
}

/* What is later than its bound says: the residuals show it. */
static void not_told(void)
{
	static const struct kind kind = { "later than told", 0.001, 0, 0, true,
					  0.001 };
	struct nst_fit_thermal f;

	synthetic_seed(8);
	run(&kind);
	EXPECT(!nst_fit_thermal(reading, count, WIDEST, scratch, &f), "weak");
	printf("# not told: residual %.3g K, follow %.2f\n", f.noise_c,
	       f.follow);
	EXPECT(f.noise_c > 10 * f.lsb_c && f.follow > 0.3, "%g K, %g",
	       f.noise_c, f.follow);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "a fine sensor, powers late alike", late_alike },
		{ "a fine sensor, each power late by itself", late_each },
		{ "a noisy sensor, powers late alike", noisy },
		{ "a coarse sensor, powers late alike", coarse },
		{ "powers later than told: it shows", not_told },
	};
	const char *more = getenv("NST_COVERAGE_RUNS");
	int r;

	runs = more ? atoi(more) : RUNS;
	scratch = calloc(NST_FIT_THERMAL_SCRATCH, sizeof(*scratch));
	if (!scratch || runs < 1)
		return 1;
	r = ktap_main(tests, KTAP_COUNT(tests));
	free(scratch);
	return r;
}
