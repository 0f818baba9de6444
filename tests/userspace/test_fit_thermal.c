// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_fit_thermal.c - the fit of the two-node RC model
 *
 * Readings are made from an integration of the two equations in small steps,
 * which shares no line with the closed form of the fit.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "fit_synthetic.h"
#include "fit_thermal.h"
#include "ktap.h"

#define WIDEST 0.1
#define RUNS 40

struct stack {
	double param[NST_FIT_THERMAL_PARAMS];
};

/* Reference stack, 12.1 of the physics reference; an un-stacked part. */
static const struct stack reference = { { 5.5, 28.5, 0.005, 19.95, 26.4 } };
static const struct stack unstacked = { { 13.1, 20.9, 0.02, 35, 21 } };

static struct nst_fit_reading reading[NST_FIT_THERMAL_READINGS_MAX];
static double truth[NST_FIT_THERMAL_READINGS_MAX];
static double *scratch;
static int count;

static struct {
	const struct stack *stack;
	double t_s, die_c, package_c, power_w;
	double lsb_c, noise_c;
} sim;

static void advance(double until_s)
{
	const double *k = sim.stack->param;
	double c_j = k[NST_FIT_TAU_J] / k[NST_FIT_R_JP];
	double c_p = k[NST_FIT_TAU_P] / k[NST_FIT_R_PA];

	while (sim.t_s < until_s) {
		double dt = fmin(k[NST_FIT_TAU_J] / 20, until_s - sim.t_s);
		double flow = (sim.die_c - sim.package_c) / k[NST_FIT_R_JP];
		double out = (sim.package_c - k[NST_FIT_AMBIENT]) /
			     k[NST_FIT_R_PA];
		/* one step of the midpoint rule */
		double die = sim.die_c + dt / 2 * (sim.power_w - flow) / c_j;
		double package = sim.package_c + dt / 2 * (flow - out) / c_p;

		flow = (die - package) / k[NST_FIT_R_JP];
		out = (package - k[NST_FIT_AMBIENT]) / k[NST_FIT_R_PA];
		sim.die_c += dt * (sim.power_w - flow) / c_j;
		sim.package_c += dt * (flow - out) / c_p;
		sim.t_s += dt;
	}
}

static void read_at(double t_s)
{
	double seen;

	advance(t_s);
	seen = sim.die_c + sim.noise_c * synthetic_normal();
	if (sim.lsb_c > 0)
		seen = round(seen / sim.lsb_c) * sim.lsb_c;
	reading[count++] = (struct nst_fit_reading){ sim.t_s, seen,
						     sim.power_w, 0 };
}

static void power(double power_w)
{
	sim.power_w = power_w;
	reading[count++] = (struct nst_fit_reading){ sim.t_s, NAN, power_w,
						     0 };
}

static void begin(const struct stack *stack, double lsb_c, double noise_c)
{
	const double *k = stack->param;

	count = 0;
	sim.stack = stack;
	sim.t_s = 0;
	sim.power_w = 0.1;
	sim.lsb_c = lsb_c;
	sim.noise_c = noise_c;
	sim.package_c = k[NST_FIT_AMBIENT] + 2;
	sim.die_c = sim.package_c + k[NST_FIT_R_JP] * sim.power_w;
}

/* Readings every @fast_s for a while after the step, then every @slow_s. */
static void hold(double power_w, double for_s, double fast_s, double slow_s)
{
	double from = sim.t_s, t = 0;

	power(power_w);
	while (t < for_s) {
		/* uneven, as a busy machine reads */
		t += (t < 0.06 ? fast_s : slow_s) *
		     (0.7 + 0.6 * synthetic_uniform());
		read_at(from + fmin(t, for_s));
	}
}

/* As `nstctl calibrate --thermal` does it. */
static void protocol(double long_s, int pulses, double fast_s)
{
	hold(0.1, 2, fast_s, 0.5);
	hold(2.5, long_s, fast_s, 0.5);
	for (int i = 0; i < pulses; i++) {
		hold(0.1, 0.1, fast_s, 0.02);
		hold(2.5, 0.1, fast_s, 0.02);
	}
	hold(0.1, 2 * long_s, fast_s, 0.5);
}

static int fit(struct nst_fit_thermal *ret)
{
	return nst_fit_thermal(reading, count, WIDEST, scratch, ret);
}

static void show(const char *what, const struct nst_fit_thermal *f)
{
	printf("# %s: %d readings, %d told, lsb %.3g, noise %.3g\n", what,
	       f->readings, f->told, f->lsb_c, f->noise_c);
	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++)
		printf("#   %-8s %10.4g %-5s (%.4g to %.4g)%s\n",
		       nst_fit_thermal_name((enum nst_fit_thermal_param)k),
		       f->param[k].value,
		       nst_fit_thermal_unit((enum nst_fit_thermal_param)k),
		       f->param[k].lo, f->param[k].hi,
		       f->weak & (1u << k) ? " weak" : "");
	if (f->weak)
		printf("#   enough: %.3g s, %d steps, lsb %.3g, gap %.3g s (has %.3g s, %d steps, gap %.3g s)\n",
		       f->enough_s, f->enough_steps, f->enough_lsb_c,
		       f->enough_gap_s, f->longest_s, f->steps, f->gap_s);
}

static void within(const struct nst_fit_thermal *f, const struct stack *s,
		   double percent, const char *what)
{
	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++)
		EXPECT(off_percent(&f->param[k], s->param[k]) < percent,
		       "%s: %s %g", what,
		       nst_fit_thermal_name((enum nst_fit_thermal_param)k),
		       f->param[k].value);
}

static void exact_sensor(void)
{
	const struct stack *stacks[] = { &reference, &unstacked };
	struct nst_fit_thermal f;

	for (int i = 0; i < 2; i++) {
		int r;

		synthetic_seed(1);
		begin(stacks[i], 0, 0);
		protocol(40, 8, 0.002);
		r = fit(&f);
		show(i ? "un-stacked" : "reference", &f);
		EXPECT(!r && !f.weak, "%d, weak %#x", r, f.weak);
		within(&f, stacks[i], 0.5, "exact");
	}
}

static void coverage(double lsb_c, double noise_c, const char *what,
		     double percent)
{
	int held[NST_FIT_THERMAL_PARAMS] = { 0 }, least = RUNS;
	struct nst_fit_thermal f;

	synthetic_seed(100);
	begin(&reference, 0, 0);
	protocol(40, 12, 0.002);
	for (int i = 0; i < count; i++)
		truth[i] = reading[i].temp_c;
	for (int i = 0; i < RUNS; i++) {
		/* the same stack in a room that is so much warmer */
		struct stack s = reference;
		double offset = synthetic_uniform();
		int r;

		s.param[NST_FIT_AMBIENT] += offset;
		for (int k = 0; k < count; k++) {
			double seen = truth[k] + offset +
				      noise_c * synthetic_normal();

			reading[k].temp_c = lsb_c > 0 ?
				round(seen / lsb_c) * lsb_c : seen;
		}
		r = fit(&f);
		if (!i)
			show(what, &f);
		EXPECT(!r, "%s, run %d: %d", what, i, r);
		within(&f, &s, percent, what);
		for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++)
			held[k] += covers(&f.param[k], s.param[k]);
	}
	printf("# %s held in", what);
	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++) {
		printf(" %d", held[k]);
		least = held[k] < least ? held[k] : least;
	}
	printf(" of %d\n", RUNS);
	EXPECT(least >= 0.85 * RUNS, "%s: %d", what, least);
}

static void noisy_sensor(void)
{
	coverage(0, 0.3, "0.3 degC of noise", 5);
}

static void coarse_sensor(void)
{
	coverage(1, 0, "1 degC steps", 5);
	coverage(1, 0.5, "1 degC steps and 0.5 degC of noise", 8);
}

static void steps_too_short(void)
{
	struct nst_fit_thermal f;
	int r;

	synthetic_seed(2);
	begin(&reference, 0.5, 0.2);
	protocol(1.5, 4, 0.002);
	r = fit(&f);
	show("1.5 s", &f);
	EXPECT(r == -EDOM, "%d", r);
	EXPECT(f.weak & 1u << NST_FIT_TAU_P, "weak %#x", f.weak);
	EXPECT(f.enough_s > 3 && f.enough_s < 400, "%g s", f.enough_s);
	/* and what it says is true */
	begin(&reference, 0.5, 0.2);
	protocol(f.enough_s, 4, 0.002);
	r = fit(&f);
	show("as long as was asked for", &f);
	EXPECT(!(f.weak & (1u << NST_FIT_TAU_P | 1u << NST_FIT_R_PA)),
	       "weak %#x", f.weak);
}

static void sensor_too_coarse(void)
{
	struct nst_fit_thermal f;
	double lsb;
	int r;

	synthetic_seed(3);
	begin(&reference, 8, 0);
	protocol(40, 1, 0.004);
	r = fit(&f);
	show("8 degC steps", &f);
	EXPECT(r == -EDOM && f.weak, "%d, %#x", r, f.weak);
	lsb = f.enough_lsb_c;
	EXPECT(lsb > 0.01 && lsb < 8, "%g", lsb);
	if (!(lsb > 0))
		return;
	begin(&reference, lsb, 0);
	protocol(40, 1, 0.004);
	r = fit(&f);
	show("as fine as was asked for", &f);
	EXPECT(!r, "weak %#x", f.weak);
}

/*
 * A sensor whose steps swallow the die: no figure of how fine it should be, and
 * no advice to read it sooner than at once.
 */
static void sensor_far_too_coarse(void)
{
	struct nst_fit_thermal f;
	int r;

	synthetic_seed(3);
	begin(&reference, 20, 0);
	protocol(40, 1, 0.004);
	power(2.5);
	read_at(sim.t_s + 0.000001);
	hold(2.5, 2, 0.004, 0.5);
	r = fit(&f);
	show("steps of the whole rise", &f);
	EXPECT(r == -EDOM && f.weak, "%d, %#x", r, f.weak);
	EXPECT(f.coarse && !(f.enough_lsb_c > 0), "%d, %g", f.coarse,
	       f.enough_lsb_c);
	EXPECT(!(f.enough_gap_s > 0), "%g", f.enough_gap_s);
}

/* A reading every two seconds: the die's constant is bounded, no more. */
static void readings_too_slow(void)
{
	struct nst_fit_thermal f;
	int r;

	synthetic_seed(4);
	begin(&reference, 0.1, 0);
	hold(0.1, 60, 2, 2);
	hold(2.5, 100, 2, 2);
	hold(0.1, 100, 2, 2);
	r = fit(&f);
	show("every 2 s", &f);
	EXPECT(r == -EDOM, "%d", r);
	EXPECT(f.weak == 1u << NST_FIT_TAU_J, "weak %#x", f.weak);
	EXPECT(f.enough_gap_s > 0 && f.enough_gap_s < 1, "%g",
	       f.enough_gap_s);
	EXPECT(covers(&f.param[NST_FIT_TAU_J], 0.005), "bound %g",
	       f.param[NST_FIT_TAU_J].hi);
	EXPECT(off_percent(&f.param[NST_FIT_TAU_P], 19.95) < 2, "tau_p");
	EXPECT(off_percent(&f.param[NST_FIT_R_JP], 5.5) < 5, "r_jp");
}

static void no_use(void)
{
	struct nst_fit_thermal f;
	int r;

	synthetic_seed(5);
	begin(&reference, 0.1, 0);
	hold(2.5, 100, 1, 1);
	for (int i = 0; i < count; i++)
		reading[i].power_w = 2.5;
	EXPECT(fit(&f) == -ENODATA, "no step");
	count = 5;
	EXPECT(fit(&f) == -ENODATA, "five readings");
	begin(&reference, 0.1, 0);
	protocol(5, 0, 0.01);
	reading[10].t_s = 1e6;
	EXPECT(fit(&f) == -EINVAL, "out of order");
	begin(&reference, 0.1, 0);
	protocol(5, 0, 0.01);
	reading[10].power_w = NAN;
	EXPECT(fit(&f) == -EINVAL, "no power");
	/* stuck: nothing follows the steps */
	begin(&reference, 0, 0);
	protocol(40, 4, 0.01);
	for (int i = 0; i < count; i++)
		reading[i].temp_c = 40;
	r = fit(&f);
	EXPECT(r == -EDOM && f.weak, "stuck: %d, %#x", r, f.weak);
	/* noise alone */
	begin(&reference, 0, 0);
	protocol(10, 2, 0.01);
	for (int i = 0; i < count; i++)
		reading[i].temp_c = 40 + synthetic_normal();
	r = fit(&f);
	EXPECT(r == -EDOM && f.weak, "noise: %d, %#x", r, f.weak);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "an exact sensor gives the constants", exact_sensor },
		{ "a noisy sensor, intervals counted", noisy_sensor },
		{ "a coarse sensor, intervals counted", coarse_sensor },
		{ "steps too short: refused, and what is enough is",
		  steps_too_short },
		{ "sensor too coarse: refused, and what is enough is",
		  sensor_too_coarse },
		{ "a sensor that is far too coarse", sensor_far_too_coarse },
		{ "readings too slow for the die", readings_too_slow },
		{ "recordings that are no use", no_use },
	};
	int r;

	scratch = calloc(NST_FIT_THERMAL_SCRATCH, sizeof(*scratch));
	if (!scratch)
		return 1;
	r = ktap_main(tests, KTAP_COUNT(tests));
	free(scratch);
	return r;
}
