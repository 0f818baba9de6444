// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_measure_bound.c - does the 99.9 % bound hold as often as it says?
 *
 * Seeded runs, each with a sensor of its own (another fixed pattern) and the
 * true SNR known. A bound above the truth is a failure; of N runs at most
 * N / 1000 are expected. It is counted where estimates are independent and
 * where they are not: with noise common to rows and columns, and with noise
 * that remembers from frame to frame. And it has to be of use: a bound far
 * below would hold too.
 */
#include "ktap.h"
#include "measure_frames.h"

#ifdef NST_SAN
#define RUNS 200
#else
#define RUNS 1000
#endif

/* 99.9 % quantile of the number of failures when 0.1 % are expected. */
static unsigned int failures_max(unsigned int runs)
{
	double mean = runs / 1000.0, p = exp(-mean), sum = p;
	unsigned int k = 0;

	while (sum < 0.999) {
		p *= mean / ++k;
		sum += p;
	}
	return k;
}

struct count {
	unsigned int failures;
	double mean_db, width_db;
};

static void one(struct syn *s, struct nst_measure *m, bool dark,
		double true_db, struct count *c)
{
	struct nst_measure_figure flat, rows;
	const struct nst_measure_figure *f = dark ? &rows : &flat;

	nst_measure_reset(m);
	for (int i = 0; i < 8; i++) {
		struct nst_view v = syn_frame(s, 0);

		EXPECT(!nst_measure_add(m, &v), " ");
	}
	nst_measure_get(m, &flat, &rows);
	EXPECT(f->state == NST_MEASURED, "%s",
	       nst_measure_state_text(f->state));
	c->failures += f->low_db > true_db;
	c->mean_db += f->snr_db / RUNS;
	c->width_db += (f->snr_db - f->low_db) / RUNS;
}

static void coverage(struct syn *s, bool dark, double width_max_db)
{
	struct nst_measure_config config = {
		.format = s->format, .black_dn = s->black,
		.dark_rows = s->dark_rows, .no_patch = dark,
		.patch = { .w = 128, .h = 128 },
		.block_frames = 4, .blocks = 2,
	};
	double noise2 = s->temporal * s->temporal + s->fixed * s->fixed +
			s->row_temporal * s->row_temporal +
			s->column_fixed * s->column_fixed + 1.0 / 12;
	double signal = dark ? nst_view_max(&s->format) - s->black
			     : s->signal;
	double true_db = 10 * log10(signal * signal / noise2);
	unsigned int most = failures_max(RUNS);
	struct count c = { 0 };
	struct nst_measure m;

	syn_alloc(s);
	EXPECT(!nst_measure_init(&m, &config), " ");
	for (unsigned int i = 0; i < RUNS; i++) {
		syn_seed(s, i + 1);
		one(s, &m, dark, true_db, &c);
	}
	nst_measure_deinit(&m);
	syn_free(s);
	printf("# the bound was above the truth in %u of %u runs (at most %u); "
	       "%.3f dB, true %.3f, bound %.2f below\n", c.failures, RUNS,
	       most, c.mean_db, true_db, c.width_db);
	EXPECT(c.failures <= most, " ");
	EXPECT(fabs(c.mean_db - true_db) < 0.05, " ");
	EXPECT(c.width_db < width_max_db, " ");
}

static void independent(void)
{
	struct syn s = syn_of(128, 128, 10);

	coverage(&s, false, 0.4);
}

static void pattern_only(void)
{
	struct syn s = syn_of(128, 128, 10);

	s.temporal = 1;
	coverage(&s, false, 0.4);
}

static void rows_and_columns(void)
{
	struct syn s = syn_of(128, 128, 10);

	s.column_fixed = 3;
	s.row_temporal = 3;
	coverage(&s, false, 2.5);
}

static void with_memory(void)
{
	struct syn s = syn_of(128, 128, 10);

	s.memory = 0.9;
	coverage(&s, false, 0.4);
}

static void dark_rows(void)
{
	struct syn s = syn_of(640, 8, 10);

	s.dark_rows = 8;
	s.temporal = 3;
	s.fixed = 2;
	coverage(&s, true, 1);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "independent", independent },
		{ "pattern_only", pattern_only },
		{ "rows_and_columns", rows_and_columns },
		{ "with_memory", with_memory },
		{ "dark_rows", dark_rows },
	};

	syn_init();
	return ktap_main(tests, KTAP_COUNT(tests));
}
