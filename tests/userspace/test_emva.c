// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_emva.c - the emva noise model and accuracy curves
 *
 * The model is held against pixels that are drawn one by one (Poisson
 * electrons, Gaussian read noise, gain, rounding, clipping), which share no
 * formula with it, and against what nst-sim is set up with.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"
#include "cleanup.h"
#include "curve.h"
#include "emva.h"
#include "ktap.h"
#include "paper.h"
#include "rng.h"

#define PIXELS 150000

static const struct nst_emva *ref = &nst_emva_reference;
static struct nst_rng rng = { 1288 };

static const struct {
	const char *name;
	unsigned int exposure_us, iso;
} lights[] = {
	{ "dim", 64000, 800 },
	{ "office", 32000, 400 },
	{ "daylight", 16000, 100 },
	{ "night", 8000, 3200 },
	{ "fast", 4000, 6400 },
};

static double level(const struct nst_emva *m, unsigned int iso, double share)
{
	return share * nst_emva_capacity_e(m, iso);
}

/* A sensor with several gains, as a calibration finds it. */
static struct nst_emva measured_sensor(void)
{
	struct nst_emva m = *ref;

	m.hot_share = 0;
	m.bits = 12;
	m.black_dn = 256;
	m.full_well_e = 8180;
	m.gains = 3;
	m.gain[0] = (struct nst_emva_gain){ 100, 0.47, 3.0 };
	m.gain[1] = (struct nst_emva_gain){ 400, 1.9, 2.1 };
	m.gain[2] = (struct nst_emva_gain){ 1600, 7.5, 1.5 };
	return m;
}

/* ------------------------------------------------ forward and inverse --- */

static void inverse_of(const struct nst_emva *m, unsigned int *found,
		       unsigned int *impossible)
{
	static const double shares[] = { 0.05, 0.35, 0.5, 0.9 };

	for (unsigned int i = 0; i < KTAP_COUNT(lights); i++) {
		for (unsigned int j = 0; j < KTAP_COUNT(shares); j++) {
			unsigned int us = lights[i].exposure_us;
			unsigned int iso = lights[i].iso;
			double e = level(m, iso, shares[j]);

			for (double db = -5; db < 40; db += 0.37) {
				s32 mc = 12345;
				int r = nst_emva_temp_max_mc(m, db, us, iso, e,
							     &mc);

				if (r) {
					EXPECT(r == -EDOM && mc == 12345,
					       "%d, %d", r, mc);
					EXPECT(nst_emva_snr_db(m,
						NST_TEMP_MIN_MC, us, iso, e) <
					       db, "%g dB is possible", db);
					++*impossible;
					continue;
				}
				++*found;
				EXPECT(nst_emva_snr_db(m, mc, us, iso, e) >= db,
				       "%s %g dB", lights[i].name, db);
				EXPECT(mc == NST_TEMP_MAX_MC ||
				       nst_emva_snr_db(m, mc + 1, us, iso, e) <
					       db, "%s %g dB: %d is not the last",
				       lights[i].name, db, mc);
			}
		}
	}
}

static void inverse_is_exact(void)
{
	struct nst_emva m = measured_sensor();
	unsigned int found = 0, impossible = 0;

	inverse_of(ref, &found, &impossible);
	inverse_of(&m, &found, &impossible);
	m = *ref;
	m.dark_e_per_s = 0;
	inverse_of(&m, &found, &impossible);
	printf("# %u temperatures, %u impossible\n", found, impossible);
	EXPECT(found > 1000 && impossible > 500, "not much of a test");
}

static void impossible_is_said(void)
{
	double e = level(ref, 800, 0.5);
	s32 mc = 12345;

	/* C8: no 35 dB at ISO 800, however cold. */
	EXPECT(nst_emva_temp_max_mc(ref, 35, 64000, 800, 987, &mc) == -EDOM,
	       "35 dB at ISO 800");
	EXPECT(nst_emva_temp_max_mc(ref, 20, 64000, 800, 988, &mc) == -EDOM,
	       "beyond full scale");
	EXPECT(nst_emva_temp_max_mc(ref, 20, 0, 800, e, &mc) == -ERANGE,
	       "0 us");
	EXPECT(nst_emva_temp_max_mc(ref, 20, 64000, 0, e, &mc) == -ERANGE,
	       "ISO 0");
	EXPECT(nst_emva_temp_max_mc(ref, 20, 64000, 800, 0, &mc) == -ERANGE,
	       "no signal");
	EXPECT(nst_emva_temp_max_mc(ref, 20, 64000, 800, NAN, &mc) == -ERANGE,
	       "signal is no number");
	EXPECT(nst_emva_temp_max_mc(ref, 20, 64000, 800, INFINITY, &mc) ==
	       -ERANGE, "endless signal");
	EXPECT(nst_emva_temp_max_mc(ref, NAN, 64000, 800, e, &mc) == -ERANGE,
	       "no number");
	EXPECT(nst_emva_temp_max_mc(ref, INFINITY, 64000, 800, e, &mc) ==
	       -EDOM, "endless");
	EXPECT(mc == 12345, "touched: %d", mc);
	EXPECT(isinf(nst_emva_snr_db(ref, 20000, 64000, 800, 0)), "no signal");
	EXPECT(isinf(nst_emva_snr_db(ref, 150000, 64000, 800, e)), "white");
}

/* --------------------------------------------------------- monotone --- */

static double random_between(double lo, double hi)
{
	return lo + (hi - lo) * (double)(nst_rng_u64(&rng) >> 11) /
			    9007199254740992.0;
}

static void monotone(void)
{
	const struct nst_emva other = measured_sensor();

	for (int i = 0; i < 40000; i++) {
		const struct nst_emva *m = i & 1 ? &other : ref;
		double mc = random_between(-60000, 130000);
		unsigned int us = (unsigned int)random_between(10, 100000);
		unsigned int iso = (unsigned int)random_between(50, 8000);
		unsigned int more = (unsigned int)random_between(1, 1000);
		double e = level(m, iso, random_between(0.001, 1.0));
		double db = nst_emva_snr_db(m, mc, us, iso, e), warm, slow;
		double gain;

		warm = nst_emva_snr_db(m, mc + random_between(0.1, 30000), us,
				       iso, e);
		slow = nst_emva_snr_db(m, mc, us + more, iso, e);
		EXPECT(warm <= db + 1e-9, "%g mC: %g then %g", mc, db, warm);
		EXPECT(slow <= db + 1e-9, "%u us: %g then %g", us, db, slow);
		/* Up to full scale. */
		gain = nst_emva_snr_db(m, mc, us, iso + more, e);
		EXPECT(isinf(gain) || gain >= db - 1e-9, "ISO %u: %g then %g",
		       iso, db, gain);
		if (!isinf(db)) {
			double bright = nst_emva_snr_db(m, mc, us, iso,
							e * 1.01);

			EXPECT(isinf(bright) || bright > db,
			       "%g e-: %g then %g", e, db, bright);
		}
		/*
		 * At the same share of the range gain costs, but for steps
		 * that are coarser than the pixel.
		 */
		if (iso < 100)
			continue;
		gain = nst_emva_snr_db(m, mc, us, iso + more,
				       e * nst_emva_capacity_e(m, iso + more) /
					       nst_emva_capacity_e(m, iso));
		EXPECT(gain <= db + 1e-9, "ISO %u: %g then %g", iso, db, gain);
	}
}

static void gain_table(void)
{
	const struct nst_emva m = measured_sensor();
	struct nst_emva_gain g;
	double last = 0;

	nst_emva_gain_at(&m, 400, &g);
	EXPECT(g.dn_per_e == 1.9 && g.read_noise_e == 2.1, "an entry");
	nst_emva_gain_at(&m, 800, &g);
	EXPECT(fabs(g.dn_per_e - sqrt(1.9 * 7.5)) < 1e-12 &&
	       fabs(g.read_noise_e - 1.8) < 1e-12, "in the middle");
	nst_emva_gain_at(&m, 50, &g);
	EXPECT(fabs(g.dn_per_e - 0.235) < 1e-12 && g.read_noise_e == 3.0,
	       "below");
	nst_emva_gain_at(&m, 3200, &g);
	EXPECT(fabs(g.dn_per_e - 15) < 1e-12 && g.read_noise_e == 1.5,
	       "above");
	for (unsigned int iso = 1; iso < 10000; iso++) {
		nst_emva_gain_at(&m, iso, &g);
		EXPECT(g.dn_per_e >= last, "ISO %u", iso);
		last = g.dn_per_e;
	}
}

/* ------------------------------------------------------- pixel oracle --- */

static double uniform(void)
{
	return random_between(1e-300, 1.0);
}

static double normal(void)
{
	return sqrt(-2.0 * log(uniform())) * cos(2.0 * M_PI * uniform());
}

/* Poisson: products of uniforms, and Hoermann's PTRS from 10 up. */
static double poisson(double mean)
{
	double b, a, end = exp(-mean), product = 1.0, k = -1.0;

	if (mean < 10) {
		do {
			product *= uniform();
			k++;
		} while (product > end);
		return k;
	}
	b = 0.931 + 2.53 * sqrt(mean);
	a = -0.059 + 0.02483 * b;
	for (;;) {
		double u = uniform() - 0.5, v = uniform();
		double us = 0.5 - fabs(u);

		k = floor((2.0 * a / us + b) * u + mean + 0.43);
		if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2.0))
			return k;
		if (k < 0 || (us < 0.013 && v > us))
			continue;
		if (log(v * (1.1239 + 1.1328 / (b - 3.4)) /
			(a / (us * us) + b)) <=
		    k * log(mean) - mean - lgamma(k + 1.0))
			return k;
	}
}

static double dn_of(const struct nst_emva *m, const struct nst_emva_gain *g,
		    double electrons)
{
	double dn = round(electrons * g->dn_per_e + m->black_dn);

	return fmin(fmax(dn, 0), (1u << m->bits) - 1);
}

/* Total SNR of a patch of pixels, each of them drawn once, in dB. */
static double drawn_snr_db(const struct nst_emva *m, double temp_mc,
			   unsigned int exposure_us, unsigned int iso,
			   double signal_e)
{
	double dark_e = m->dark_e_per_s * exposure_us * 1e-6 *
			pow(2.0, (temp_mc - m->ref_mc) / m->doubling_mc);
	double sum = 0, square = 0, black = 0;
	struct nst_emva_gain g;

	nst_emva_gain_at(m, iso, &g);
	for (int i = 0; i < PIXELS; i++) {
		double factor = fmax(0, 1.0 + m->dsnu * normal());
		double light = signal_e * fmax(0, 1.0 + m->prnu * normal());
		double read = g.read_noise_e * normal(), lit, unlit;

		/* The right share of them, so that chance has less to say. */
		if (floor((i + 1) * m->hot_share) > floor(i * m->hot_share))
			factor = m->hot_median * exp(m->hot_sigma * normal());
		unlit = poisson(dark_e * factor);
		lit = poisson(light) + unlit + read;
		lit = fmin(lit, m->full_well_e);
		lit = dn_of(m, &g, lit);
		black += dn_of(m, &g, fmin(unlit + read, m->full_well_e));
		sum += lit;
		square += lit * lit;
	}
	sum /= PIXELS;
	return 20.0 * log10((sum - black / PIXELS) /
			    sqrt(square / PIXELS - sum * sum));
}

static void oracle(void)
{
	const struct nst_emva other = measured_sensor();
	const struct {
		const struct nst_emva *m;
		double mc;
		unsigned int us, iso;
		double share;
		double slack_db;	/* hot pixels: cautious by so much */
	} cells[] = {
		{ ref, 30000, 64000, 800, 0.5, 0.05 },
		{ ref, 70000, 64000, 800, 0.35, 0.2 },
		{ ref, 78000, 32000, 400, 0.5, 0.5 },
		{ ref, 90000, 16000, 100, 0.5, 1.5 },
		{ ref, 40000, 8000, 3200, 0.2, 0.1 },
		{ &other, 30000, 16000, 100, 0.5, 0.05 },
		{ &other, 85000, 33000, 400, 0.5, 0.05 },
		{ &other, 85000, 33000, 900, 0.3, 0.05 },
		{ &other, -20000, 100, 3200, 0.05, 0.05 },
	};

	for (unsigned int i = 0; i < KTAP_COUNT(cells); i++) {
		const struct nst_emva *m = cells[i].m;
		double e = level(m, cells[i].iso, cells[i].share);
		double want = drawn_snr_db(m, cells[i].mc, cells[i].us,
					   cells[i].iso, e);
		double got = nst_emva_snr_db(m, cells[i].mc, cells[i].us,
					     cells[i].iso, e);

		printf("# cell %u: drawn %.3f dB, model %.3f dB\n", i, want,
		       got);
		EXPECT(got < want + (m == ref ? 0.1 : 0.05) && got > want - cells[i].slack_db,
		       "cell %u: drawn %g, model %g", i, want, got);
	}
}

/* -------------------------------------------------- nst-sim, constants --- */

static double sim_default(const char *text, const char *name)
{
	char pattern[64];
	const char *at;

	snprintf(pattern, sizeof(pattern), ".%s = ", name);
	at = strstr(text, pattern);
	return at ? strtod(at + strlen(pattern), NULL) : NAN;
}

/* The preset is what the emulated camera has; a change there shows here. */
static void preset_is_nst_sim(void)
{
	const char *top = getenv("NST_TOP");
	_cleanup_free_ char *text = calloc(1, 65536);
	_cleanup_fclose_ FILE *in = NULL;
	const char *at;
	char path[1024];

	snprintf(path, sizeof(path), "%s/kmod/nst-sim-main.c",
		 top ? top : ".");
	in = fopen(path, "re");
	EXPECT(in && fread(text, 1, 65535, in), "%s", path);
	at = strstr(text, ".sensor = {");
	EXPECT(at, "no sensor in it");
	if (!at)
		return;
	EXPECT(sim_default(at, "doubling_mc") == ref->doubling_mc, "T_d");
	EXPECT(sim_default(at, "dark_e_per_s_60c") == ref->dark_e_per_s &&
	       ref->ref_mc == 60000, "dark current");
	EXPECT(sim_default(at, "read_noise_me") / 1e3 ==
	       ref->gain[0].read_noise_e, "read noise");
	EXPECT(sim_default(at, "full_well_e") == ref->full_well_e,
	       "full well");
	EXPECT(sim_default(at, "prnu_permyriad") / 1e4 == ref->prnu, "PRNU");
	EXPECT(sim_default(at, "dsnu_permyriad") / 1e4 == ref->dsnu, "DSNU");
	EXPECT(sim_default(at, "hot_ppm") / 1e6 == ref->hot_share, "hot");
	/* Full scale at ISO 100 is the full well. */
	EXPECT(fabs(nst_emva_capacity_e(ref, 100) - 7900) < 1e-6 &&
	       fabs(nst_emva_capacity_e(ref, 800) - 987.5) < 1e-6, "gain");
	/* Dark shot noise is the read noise at 52 degC and 64 ms. */
	EXPECT(fabs(sqrt(nst_emva_dark_e(ref, 52000, 64000)) - 2.7) < 0.05,
	       "%g", nst_emva_dark_e(ref, 52000, 64000));
}

static void constants_are_checked(void)
{
	const struct nst_emva good = measured_sensor();
	struct nst_emva m;

#define BAD(field, value) \
	do { \
		m = good; \
		m.field = value; \
		EXPECT(nst_emva_check(&m) == -ERANGE, #field " = " #value); \
	} while (0)
	EXPECT(!nst_emva_check(ref) && !nst_emva_check(&good), "good ones");
	BAD(dark_e_per_s, -1);
	BAD(dark_e_per_s, NAN);
	BAD(ref_mc, 1e6);
	BAD(doubling_mc, 0);
	BAD(doubling_mc, NAN);
	BAD(full_well_e, 0);
	BAD(prnu, 1.5);
	BAD(dsnu, -0.1);
	BAD(hot_share, 0.9);
	BAD(hot_share, NAN);
	BAD(bits, 5);
	BAD(bits, 32);
	BAD(black_dn, 4095);
	BAD(gains, 0);
	BAD(gains, NST_EMVA_GAINS_MAX + 1);
	BAD(gain[1].iso, 100);
	BAD(gain[1].dn_per_e, 0.1);
	BAD(gain[2].read_noise_e, NAN);
	m = *ref;
	m.hot_median = 0.5;
	EXPECT(nst_emva_check(&m) == -ERANGE, "cold hot pixels");
#undef BAD
}

/* Two models, two meanings: nothing makes their numbers agree. */
static void not_the_paper(void)
{
	double e = level(ref, 800, 0.5);
	double emva = nst_emva_snr_db(ref, 20000, 64000, 800, e);
	double paper = nst_paper_snr_db(&nst_paper_default, 20000, 64000, 800);

	EXPECT(paper - emva > 15, "paper %g, emva %g", paper, emva);
}

/* ----------------------------------------------------------- accuracy --- */

static bool shipped(const char *name, struct nst_accuracy *ret)
{
	const char *top = getenv("NST_TOP");
	char path[1024];

	snprintf(path, sizeof(path), "%s/policies/profiles/accuracy/%s.csv",
		 top ? top : ".", name);
	EXPECT(!nst_curve_load(ret, path, stdout), "%s", path);
	return ret->points;
}

static void curve_of(const char *name)
{
	struct nst_accuracy c = { 0 };
	double last = 0, last_db = 200;
	int i;

	if (!shipped(name, &c))
		return;
	EXPECT(!nst_accuracy_check(&c), "%s", name);
	for (unsigned int j = 0; j < c.points; j++)
		EXPECT(fabs(nst_accuracy_at(&c, c.point[j].snr_db) -
			    c.point[j].accuracy) < 1e-12, "%s, point %u",
		       name, j);
	for (i = -200; i < 1000; i++) {
		double a = nst_accuracy_at(&c, i / 10.0);

		EXPECT(a >= last && a < c.clean, "%s at %g dB: %g", name,
		       i / 10.0, a);
		last = a;
	}
	EXPECT(c.clean - last < 0.001 * c.clean, "clean in the end: %g", last);
	for (i = 1; i <= 1000; i++) {
		double db = NAN, drop = i / 1000.0;

		EXPECT(!nst_accuracy_snr_min_db(&c, drop, &db), "%g", drop);
		EXPECT(nst_accuracy_at(&c, db) >= c.clean * (1 - drop) - 1e-12,
		       "%s: drop %g at %g dB", name, drop, db);
		EXPECT(db == c.point[0].snr_db ||
		       nst_accuracy_at(&c, db - 1e-6) < c.clean * (1 - drop),
		       "%s: drop %g not at its lowest, %g dB", name, drop, db);
		EXPECT(db <= last_db, "more drop, more SNR");
		last_db = db;
	}
	/*
	 * What the straight line to the clean image leans on: the loss sets
	 * in slowly, so it is steeper behind the first point than before it.
	 */
	if (c.points >= 2) {
		const struct nst_accuracy_point *p = &c.point[c.points - 2];
		double x[2] = { pow(10, -p[0].snr_db / 20),
				pow(10, -p[1].snr_db / 20) };

		EXPECT((c.clean - p[1].accuracy) / x[1] <
		       (p[1].accuracy - p[0].accuracy) / (x[0] - x[1]),
		       "%s: the loss sets in fast", name);
	}
}

static void curves(void)
{
	struct nst_accuracy c = { 0 };
	double db = 0.5;

	curve_of("retinanet-r50-coco");
	curve_of("faster-rcnn-r50-voc");
	if (!shipped("retinanet-r50-coco", &c))
		return;
	/* 10 % of 0.3561 at noise 0.16 of signal costs 0.075: 0.0760. */
	EXPECT(!nst_accuracy_snr_min_db(&c, 0.1, &db) &&
	       fabs(db - 22.39) < 0.05, "%g", db);
	db = 0.5;
	EXPECT(nst_accuracy_snr_min_db(&c, 0, &db) == -EDOM, "nothing");
	EXPECT(nst_accuracy_snr_min_db(&c, -0.1, &db) == -ERANGE, "less");
	EXPECT(nst_accuracy_snr_min_db(&c, 1.1, &db) == -ERANGE, "more");
	EXPECT(nst_accuracy_snr_min_db(&c, NAN, &db) == -ERANGE, "nan");
	EXPECT(db == 0.5, "touched");
	/* All may be lost: still no less than what was measured. */
	EXPECT(!nst_accuracy_snr_min_db(&c, 1, &db) &&
	       db == c.point[0].snr_db, "%g", db);
	EXPECT(nst_accuracy_at(&c, c.point[0].snr_db - 0.01) == 0, "unknown");
	c.point[1].accuracy = 0;
	EXPECT(nst_accuracy_check(&c) == -ERANGE, "falling");
	c.points = 0;
	EXPECT(nst_accuracy_check(&c) == -ERANGE, "no point");
}

static void flat_curve(void)
{
	struct nst_accuracy c = { 0.9, 3, { { 5, 0.5 }, { 10, 0.9 },
					    { 20, 0.9 } } };
	double db = 0;

	EXPECT(!nst_accuracy_check(&c), "valid");
	EXPECT(!nst_accuracy_snr_min_db(&c, 0, &db) && db == 10, "%g", db);
	EXPECT(!nst_accuracy_snr_min_db(&c, 0.2, &db) && db > 5 && db < 10,
	       "%g", db);
	EXPECT(nst_accuracy_at(&c, 15) == 0.9, "flat");
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "limit is the last millidegree that keeps the SNR",
		  inverse_is_exact },
		{ "what no temperature gives is refused", impossible_is_said },
		{ "SNR goes with heat, exposure, gain and signal", monotone },
		{ "gains between and beyond those measured", gain_table },
		{ "pixels drawn one by one have the SNR of the model",
		  oracle },
		{ "the reference sensor is that of nst-sim",
		  preset_is_nst_sim },
		{ "constants are checked", constants_are_checked },
		{ "numbers of the paper model are other numbers",
		  not_the_paper },
		{ "shipped curves go both ways", curves },
		{ "a curve may be flat", flat_curve },
	};

	return ktap_main(tests, KTAP_COUNT(tests));
}
