// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_fidelity.c - the paper noise model against the reference table
 */
#include <errno.h>
#include <math.h>

#include "ktap.h"
#include "paper.h"

static void table(void)
{
	/* knee and limits in degC, as the physics reference prints them */
	static const struct {
		const char *name;
		unsigned int exposure_us, iso;
		double knee, db35, db26, db20;
	} rows[] = {
		{ "dim", 64000, 800, 52, 63.1, 74.0, 81.1 },
		{ "office", 32000, 400, 66, 77.1, 88.0, 95.1 },
		{ "daylight", 16000, 100, 87, 98.1, 109.0, 116.1 },
	};
	const struct nst_paper *m = &nst_paper_default;

	for (unsigned int i = 0; i < KTAP_COUNT(rows); i++) {
		const double want[] = { rows[i].db35, rows[i].db26,
					rows[i].db20 };
		const double db[] = { 35, 26, 20 };

		EXPECT(fabs(nst_paper_knee_mc(m, rows[i].exposure_us,
					      rows[i].iso) / 1e3 -
			    rows[i].knee) < 0.05, "%s", rows[i].name);
		for (int j = 0; j < 3; j++) {
			s32 mc = 0;

			EXPECT(!nst_paper_temp_max_mc(m, db[j],
						      rows[i].exposure_us,
						      rows[i].iso, &mc),
			       "%s", rows[i].name);
			EXPECT(fabs(mc / 1e3 - want[j]) < 0.06,
			       "%s %g dB: %d, wanted %g", rows[i].name, db[j],
			       mc, want[j]);
		}
	}
}

static void published_pair(void)
{
	const struct nst_paper *m = &nst_paper_default;
	double cool = nst_paper_snr_db(m, 44000, 16000, 100);
	double hot = nst_paper_snr_db(m, 92000, 16000, 100);
	struct nst_paper shot = *m;

	EXPECT(fabs(cool - 45.0) < 0.05, "%g", cool);
	EXPECT(fabs(hot - 39.3) < 0.05, "%g", hot);
	/* Three decibels below the best at the knee, by definition. */
	EXPECT(fabs(nst_paper_snr_db(m, 52000, 64000, 800) - 41.99) < 0.01,
	       "%g", nst_paper_snr_db(m, 52000, 64000, 800));
	shot.exposure_power = 0.5;
	hot = nst_paper_snr_db(&shot, 92000, 16000, 100);
	EXPECT(fabs(hot - 34.3) < 0.05, "%g", hot);
}

/* The limit keeps the SNR, and a hundredth of a degree more does not. */
static void inverse_is_exact(void)
{
	static const unsigned int exposures[] = { 1, 100, 4000, 33000, 64000,
						  1000000 };
	static const unsigned int isos[] = { 50, 100, 800, 6400, 102400 };
	const struct nst_paper *m = &nst_paper_default;

	for (unsigned int i = 0; i < KTAP_COUNT(exposures); i++) {
		for (unsigned int j = 0; j < KTAP_COUNT(isos); j++) {
			for (double db = -10; db < 44.5; db += 0.7) {
				s32 mc;

				if (nst_paper_temp_max_mc(m, db, exposures[i],
							  isos[j], &mc) ||
				    mc == NST_TEMP_MAX_MC)
					continue;
				EXPECT(nst_paper_snr_db(m, mc, exposures[i],
							isos[j]) >= db,
				       "%g dB", db);
				EXPECT(nst_paper_snr_db(m, mc + 10,
							exposures[i],
							isos[j]) < db,
				       "%g dB", db);
			}
		}
	}
}

static void monotone(void)
{
	const struct nst_paper *m = &nst_paper_default;
	double last = 100;

	for (int mc = -40000; mc <= 150000; mc += 100) {
		double db = nst_paper_snr_db(m, mc, 32000, 400);

		EXPECT(db <= last && db < m->best_snr_db + 1 / 1e9, "%d: %g", mc,
		       db);
		last = db;
	}
	EXPECT(nst_paper_snr_db(m, 80000, 32000, 400) >
	       nst_paper_snr_db(m, 80000, 64000, 400), "exposure");
	EXPECT(nst_paper_snr_db(m, 80000, 32000, 400) >
	       nst_paper_snr_db(m, 80000, 32000, 800), "gain");
}

static void impossible_is_said(void)
{
	const struct nst_paper *m = &nst_paper_default;
	s32 mc = 12345;

	EXPECT(nst_paper_temp_max_mc(m, 45, 64000, 800, &mc) == -EDOM, "B");
	EXPECT(nst_paper_temp_max_mc(m, 60, 64000, 800, &mc) == -EDOM, "60");
	EXPECT(nst_paper_temp_max_mc(m, NAN, 64000, 800, &mc) == -EDOM,
	       "not a number");
	/* A billionth of a dB below B would need a sensor near 0 K. */
	EXPECT(nst_paper_temp_max_mc(m, 45 - 1 / 1e9, 64000, 800, &mc) == -EDOM,
	       "too near to B");
	EXPECT(nst_paper_temp_max_mc(m, 20, 0, 800, &mc) == -ERANGE, "0 us");
	EXPECT(nst_paper_temp_max_mc(m, 20, 64000, 0, &mc) == -ERANGE,
	       "ISO 0");
	EXPECT(mc == 12345, "touched: %d", mc);
	/* What any temperature gives is limited to what can be said. */
	EXPECT(!nst_paper_temp_max_mc(m, -300, 64000, 800, &mc), "-300 dB");
	EXPECT(mc == NST_TEMP_MAX_MC, "%d", mc);
}

static void constants_are_checked(void)
{
	struct nst_paper m = nst_paper_default;

	EXPECT(!nst_paper_check(&m), "the default");
	m.doubling_mc = 0;
	EXPECT(nst_paper_check(&m) == -ERANGE, "no doubling");
	m = nst_paper_default;
	m.best_snr_db = NAN;
	EXPECT(nst_paper_check(&m) == -ERANGE, "not a number");
	m = nst_paper_default;
	m.ref_iso = 0;
	EXPECT(nst_paper_check(&m) == -ERANGE, "ISO 0");
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "table of limits by light and SNR", table },
		{ "daylight image pair and the knee", published_pair },
		{ "limit is the last millidegree that keeps the SNR",
		  inverse_is_exact },
		{ "SNR falls with heat, exposure and gain", monotone },
		{ "what no temperature gives is refused", impossible_is_said },
		{ "constants are checked", constants_are_checked },
	};

	return ktap_main(tests, KTAP_COUNT(tests));
}
