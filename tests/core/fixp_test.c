// SPDX-License-Identifier: GPL-2.0-only
/*
 * fixp_test.c - the errors that fixp.h and exposure.h state, measured
 */
#include <math.h>

#include "exposure.h"
#include "fixp.h"
#include "ktap.h"
#include "rng.h"

#define TWO32 4294967296.0
#define TWO64 18446744073709551616.0

static double exp2_worst(void)
{
	double worst = 0;
	s32 x;

	for (x = -24 * 65536; x < 32 * 65536; x += 31) {
		double want = exp2(x / 65536.0);
		/* half a unit of the result is not the table's fault */
		double off = fabs((double)nst_exp2_q32(x) / TWO32 - want) -
			     0.5 / TWO32;

		worst = fmax(worst, off / want);
	}
	return worst;
}

static double log2_worst(void)
{
	uint64_t seed = 7;
	double worst = 0;
	int i;

	for (i = 0; i < 2000000; i++) {
		u64 v = rng_next(&seed) >> (i & 63);
		double want;

		if (!v)
			continue;
		want = log2((double)v) - 32;
		worst = fmax(worst, fabs(nst_log2_q16(v) - want * 65536));
	}
	return worst;
}

static void decay_worst(double *ret_lose, double *ret_keep)
{
	static const double taus_ns[] = {
		2e3, 1e5, 4993014, 2e7, 19975912984.0, 1e12, 1e14,
	};
	size_t i;

	*ret_lose = 0;
	*ret_keep = 0;
	for (i = 0; i < sizeof(taus_ns) / sizeof(taus_ns[0]); i++) {
		struct nst_rate rate = nst_rate_from_tau((u64)taus_ns[i]);
		double us;

		for (us = 1; us < 3.6e9; us *= 1.0173) {
			u32 dt_us = (u32)us;
			double x = dt_us * 1e3 / taus_ns[i];
			double lose = (double)nst_lose_q64(&rate, dt_us) /
				      TWO64;
			double keep = (double)nst_keep_q64(&rate, dt_us) /
				      TWO64;
			/* a unit of Q64 is all there is at the low end */
			double off = fabs(lose + expm1(-x)) - 1 / TWO64;

			*ret_lose = fmax(*ret_lose, off / -expm1(-x));
			*ret_keep = fmax(*ret_keep, fabs(keep - exp(-x)));
		}
	}
}

int main(void)
{
	struct ktap ktap = { 0 };
	double worst, keep;

	worst = exp2_worst();
	ktap_ok(&ktap, worst < 1e-7, "fixp.exp2 # relative error %.1e",
		worst);
	worst = log2_worst();
	ktap_ok(&ktap, worst < 0.55, "fixp.log2 # error %.2f units of Q16",
		worst);
	decay_worst(&worst, &keep);
	ktap_ok(&ktap, worst < 1e-11, "fixp.lose # relative error %.1e",
		worst);
	ktap_ok(&ktap, keep < 2e-8, "fixp.keep # error %.1e of one", keep);
	return ktap_end(&ktap);
}
