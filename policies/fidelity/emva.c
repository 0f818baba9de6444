// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * emva.c - the `emva` noise model, forward and inverted
 *
 * Every term of the noise rises with the dark signal or does not change
 * with it, so SNR falls with temperature and the inverse is a search over
 * whole millidegrees: what it finds keeps the SNR in the very arithmetic of
 * the forward function, and one more does not.
 */
#include <math.h>

#include "emva.h"

#define US_PER_S 1e6

const struct nst_emva nst_emva_reference = {
	.dark_e_per_s = 244.0,
	.ref_mc = 60000.0,
	.doubling_mc = 7000.0,
	.full_well_e = 7900.0,
	.prnu = 0.01,
	.dsnu = 0.1,
	.hot_share = 0.001,
	.hot_median = 10.0,
	.hot_sigma = 0.5,
	.bits = 10,
	.black_dn = 64,
	.gains = 1,
	.gain = { { 100, (1023.0 - 64.0) / 7900.0, 2.7 } },
};

int nst_emva_check(const struct nst_emva *m)
{
	/* Written so that a NaN fails every test. */
	if (!(m->dark_e_per_s >= 0.0 && m->dark_e_per_s <= 1e9) ||
	    !(m->ref_mc >= NST_TEMP_MIN_MC && m->ref_mc <= NST_TEMP_MAX_MC) ||
	    !(m->doubling_mc >= 1000.0 && m->doubling_mc <= 50000.0) ||
	    !(m->full_well_e >= 1.0 && m->full_well_e <= 1e8) ||
	    !(m->prnu >= 0.0 && m->prnu <= 1.0) ||
	    !(m->dsnu >= 0.0 && m->dsnu <= 100.0) ||
	    !(m->hot_share >= 0.0 && m->hot_share <= 0.5))
		return -ERANGE;
	if (m->hot_share > 0.0 &&
	    (!(m->hot_median >= 1.0 && m->hot_median <= 1e4) ||
	     !(m->hot_sigma >= 0.01 && m->hot_sigma <= 3.0)))
		return -ERANGE;
	if (m->bits < 6 || m->bits > 24 ||
	    m->black_dn >= (1u << m->bits) - 1 || !m->gains ||
	    m->gains > NST_EMVA_GAINS_MAX)
		return -ERANGE;
	for (unsigned int i = 0; i < m->gains; i++) {
		const struct nst_emva_gain *g = &m->gain[i];

		if (!g->iso || !(g->dn_per_e >= 1e-6 && g->dn_per_e <= 1e6) ||
		    !(g->read_noise_e >= 0.0 && g->read_noise_e <= 1e6))
			return -ERANGE;
		if (i && (g->iso <= g[-1].iso || g->dn_per_e < g[-1].dn_per_e))
			return -ERANGE;
	}
	return 0;
}

void nst_emva_gain_at(const struct nst_emva *m, unsigned int iso,
		      struct nst_emva_gain *ret)
{
	const struct nst_emva_gain *lo = m->gain, *hi;
	double share;

	while (lo < &m->gain[m->gains - 1] && lo[1].iso <= iso)
		lo++;
	hi = lo;
	if (iso > lo->iso && lo < &m->gain[m->gains - 1])
		hi = lo + 1;
	if (hi == lo) {
		*ret = (struct nst_emva_gain){
			iso, lo->dn_per_e * iso / lo->iso, lo->read_noise_e,
		};
		return;
	}
	share = log((double)iso / lo->iso) / log((double)hi->iso / lo->iso);
	*ret = (struct nst_emva_gain){
		iso,
		lo->dn_per_e * pow(hi->dn_per_e / lo->dn_per_e, share),
		lo->read_noise_e +
			(hi->read_noise_e - lo->read_noise_e) * share,
	};
}

static double capacity_e(const struct nst_emva *m, double dn_per_e)
{
	double range_e = ((1u << m->bits) - 1 - m->black_dn) / dn_per_e;

	return fmin(m->full_well_e, range_e);
}

double nst_emva_capacity_e(const struct nst_emva *m, unsigned int iso)
{
	struct nst_emva_gain gain;

	nst_emva_gain_at(m, iso, &gain);
	return capacity_e(m, gain.dn_per_e);
}

double nst_emva_dark_e(const struct nst_emva *m, double temp_mc,
		       unsigned int exposure_us)
{
	return m->dark_e_per_s * (exposure_us / US_PER_S) *
	       exp2((temp_mc - m->ref_mc) / m->doubling_mc);
}

static double normal_below(double z)
{
	return 0.5 * erfc(-z / sqrt(2.0));
}

/* E[f^k] of the part of a log-normal distribution below exp(@end). */
static double partial_moment(double mu, double sigma, int k, double end)
{
	return exp(k * mu + 0.5 * k * k * sigma * sigma) *
	       normal_below((end - mu) / sigma - k * sigma);
}

/*
 * The squared excess of a hot pixel over @dark_e, at most @room_e: below
 * f = 1 + room/D it is (f - 1)*D, beyond it @room_e. Rises with both.
 */
static double hot_square(const struct nst_emva *m, double dark_e,
			 double room_e)
{
	double mu = log(m->hot_median), end, inside;

	if (!(dark_e > 0.0))
		return 0.0;
	end = log1p(room_e / dark_e);
	inside = partial_moment(mu, m->hot_sigma, 2, end) -
		 2.0 * partial_moment(mu, m->hot_sigma, 1, end) +
		 partial_moment(mu, m->hot_sigma, 0, end);
	return fmax(inside, 0.0) * dark_e * dark_e +
	       room_e * room_e * normal_below((mu - end) / m->hot_sigma);
}

void nst_emva_noise(const struct nst_emva *m, double temp_mc,
		    unsigned int exposure_us, unsigned int iso,
		    double signal_e, struct nst_emva_noise *ret)
{
	double dark_e = nst_emva_dark_e(m, temp_mc, exposure_us);
	double fixed, temporal, capacity, step_e;
	struct nst_emva_gain gain;

	nst_emva_gain_at(m, iso, &gain);
	capacity = capacity_e(m, gain.dn_per_e);
	step_e = 1.0 / gain.dn_per_e;

	temporal = signal_e + dark_e + gain.read_noise_e * gain.read_noise_e +
		   step_e * step_e / 12.0;
	fixed = m->prnu * signal_e * m->prnu * signal_e +
		m->dsnu * dark_e * m->dsnu * dark_e;
	if (m->hot_share > 0.0 && signal_e < capacity) {
		double room_e = capacity - signal_e;
		double mean = m->hot_median *
			      exp(0.5 * m->hot_sigma * m->hot_sigma);

		temporal += m->hot_share *
			    fmin((mean - 1.0) * dark_e, room_e);
		fixed += m->hot_share * hot_square(m, dark_e, room_e);
	}
	*ret = (struct nst_emva_noise){
		.signal_e = signal_e,
		.dark_e = dark_e,
		.temporal_e = sqrt(temporal),
		.fixed_e = sqrt(fixed),
		.white = !(signal_e + dark_e <= capacity),
	};
}

double nst_emva_snr_db(const struct nst_emva *m, double temp_mc,
		       unsigned int exposure_us, unsigned int iso,
		       double signal_e)
{
	struct nst_emva_noise n;

	nst_emva_noise(m, temp_mc, exposure_us, iso, signal_e, &n);
	if (n.white || !(signal_e > 0.0))
		return -INFINITY;
	return 20.0 * log10(signal_e / hypot(n.temporal_e, n.fixed_e));
}

int nst_emva_temp_max_mc(const struct nst_emva *m, double min_snr_db,
			 unsigned int exposure_us, unsigned int iso,
			 double signal_e, s32 *ret_mc)
{
	s32 lo = NST_TEMP_MIN_MC, hi = NST_TEMP_MAX_MC + 1;

	if (!exposure_us || !iso || !(signal_e > 0.0) || isinf(signal_e) ||
	    isnan(min_snr_db))
		return -ERANGE;
	if (!(nst_emva_snr_db(m, lo, exposure_us, iso, signal_e) >=
	      min_snr_db))
		return -EDOM;
	/* @lo keeps the SNR, @hi does not or cannot be said. */
	while (hi - lo > 1) {
		s32 mid = lo + (hi - lo) / 2;

		if (nst_emva_snr_db(m, mid, exposure_us, iso, signal_e) >=
		    min_snr_db)
			lo = mid;
		else
			hi = mid;
	}
	*ret_mc = lo;
	return 0;
}
