// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_sim_subframe.c - exposures over two pieces of power
 *
 * Held against the two equations in doubles, stepped in 1 us, with the mean
 * of 2^(T/T_d) summed for 321 rows.
 */
#include <errno.h>
#include <math.h>

#include "ktap.h"
#include "plant.h"
#include "rng.h"
#include "subframe.h"

#define STEP_S (1 / 1e6)
#define ROWS 321
#define STEPS_MAX 60000

static double fine_exposure_mc(double tj, double tp,
			       const struct nst_power_piece *pieces,
			       unsigned int count, double ambient,
			       double exposure_us, double readout_us,
			       double doubling)
{
	static double sum[STEPS_MAX + 1];
	double hottest = -INFINITY, t_us = 0;
	unsigned int i = 0;

	sum[0] = 0;
	for (int n = 0; n < STEPS_MAX; n++) {
		double q, p;

		while (i + 1 < count && t_us >= pieces[i].len_us &&
		       pieces[i].len_us)
			t_us -= pieces[i++].len_us;
		p = pieces[i].power_mw / 1e3;
		q = (tj - tp) / 5.5;
		sum[n + 1] = sum[n] + exp2((tj - 60) / doubling);
		tj += STEP_S * (p - q) / (0.909 / 1e3);
		tp += STEP_S * (q - (tp - ambient) / 28.5) / 0.7;
		t_us += STEP_S * 1e6;
	}
	for (int row = 0; row < ROWS; row++) {
		int from = (int)(readout_us * row / (ROWS - 1));
		int to = from + (int)exposure_us;
		double mc = 60 + doubling * log2((sum[to] - sum[from]) /
						 (to - from));

		if (mc > hottest)
			hottest = mc;
	}
	return hottest * 1e3;
}

static void against_fine_steps(void)
{
	struct nst_rng rng = { 5 };
	double worst = 0;

	for (int i = 0; i < 100; i++) {
		struct nst_power_piece pieces[2] = {
			{ (u32)(nst_rng_u64(&rng) % 8000),
			  (u32)(1000 + nst_rng_u64(&rng) % 30000) },
			{ (u32)(nst_rng_u64(&rng) % 3000), 60000 },
		};
		s32 tp = (s32)(20000 + nst_rng_u64(&rng) % 70000);
		s32 tj = tp + (s32)(nst_rng_u64(&rng) % 20000);
		u32 exposure = (u32)(1000 + nst_rng_u64(&rng) % 32000);
		u32 readout = (u32)(nst_rng_u64(&rng) % 16000);
		struct nst_plant plant;
		double fine, got;

		EXPECT(!nst_plant_init(&plant, &nst_plant_reference, 26400),
		       "plant");
		EXPECT(!nst_plant_set_state(&plant, tj, tp), "state");
		got = nst_subframe_exposure_mc(&plant, pieces, 2, 26400,
					       exposure, readout, 7000);
		fine = fine_exposure_mc(tj / 1e3, tp / 1e3, pieces, 2, 26.4,
					exposure, readout, 7);
		worst = fmax(worst, fabs(got - fine));
	}
	/* up to 8 W and 16 ms of read-out: rows between the tried ones */
	EXPECT(worst < 40, "%.1f mK", worst);
	printf("# worst difference %.1f mK\n", worst);
}

static void one_piece_is_the_plain_exposure(void)
{
	struct nst_power_piece piece = { 2500, 33333 };
	struct nst_plant plant;

	EXPECT(!nst_plant_init(&plant, &nst_plant_reference, 26400), "plant");
	for (int i = 0; i < 100; i++) {
		s32 split, plain;

		split = nst_subframe_exposure_mc(&plant, &piece, 1, 26400,
						 32000, 1000, 7000);
		plain = nst_exposure_frame_mc(&plant, 2500, 26400, 32000,
					      1000, 7000);
		EXPECT(split == plain, "%d %d", split, plain);
		nst_plant_step(&plant, i & 1 ? 100 : 2500, 26400, 33333);
	}
}

static void pieces_keep_time_and_energy(void)
{
	struct nst_subframe sub = { .near_mw = 2500, .gated_mw = 100,
				    .period_us = 33333, .busy_us = 10000,
				    .enter_us = 500 };
	struct nst_power_piece p[NST_PIECES_MAX];
	double uj;

	EXPECT(nst_subframe_splits(&sub), "splits");
	EXPECT(nst_subframe_pieces(&sub, true, false, p) == 2, "near");
	EXPECT(p[0].len_us == 10000 && p[0].len_us + p[1].len_us == 33333,
	       "time");
	uj = (p[0].power_mw * (double)p[0].len_us +
	      p[1].power_mw * (double)p[1].len_us) / 1e3;
	EXPECT(fabs(uj - 2.5 * 33333) < 10, "%g uJ", uj);

	EXPECT(nst_subframe_pieces(&sub, false, true, p) == 2, "closing");
	EXPECT(p[0].power_mw == 2500 && p[0].len_us == 500 &&
	       p[1].power_mw == 100 && p[1].len_us == 32833, "closing");
	EXPECT(nst_subframe_pieces(&sub, false, false, p) == 1 &&
	       p[0].power_mw == 100 && p[0].len_us == 33333, "gated");
	/* Slower than the frame: all of it. */
	sub.enter_us = 40000;
	EXPECT(nst_subframe_pieces(&sub, false, true, p) == 1 &&
	       p[0].power_mw == 2500 && p[0].len_us == 33333, "slow");

	sub.enter_us = 0;
	sub.busy_us = 0;
	EXPECT(!nst_subframe_splits(&sub) && !nst_subframe_check(&sub), "-");
	sub.busy_us = 1000;
	EXPECT(nst_subframe_check(&sub) == -ERANGE, "80 W");
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "pieces keep time and energy", pieces_keep_time_and_energy },
		{ "one piece is the plain exposure",
		  one_piece_is_the_plain_exposure },
		{ "two pieces against 1 us steps", against_fine_steps },
	};

	return ktap_main(tests, KTAP_COUNT(tests));
}
