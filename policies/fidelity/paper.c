// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * paper.c - the `paper` noise model, forward and inverted
 *
 * The inverse is closed form, so there is no iteration to fail: with
 * m = sqrt(10^((B - SNR)/10) - 1) the temperature is knee + T_d*log2(m),
 * where knee has exposure and gain in it already. m is not a number for
 * SNR > B and 0 for SNR = B: both mean that no temperature is cold enough.
 */
#include <math.h>

#include "paper.h"

const struct nst_paper nst_paper_default = {
	.best_snr_db = 45.0,
	.knee_mc = 52000.0,
	.doubling_mc = 7000.0,
	.exposure_power = 1.0,
	.ref_exposure_us = 64000.0,
	.ref_iso = 800.0,
};

int nst_paper_check(const struct nst_paper *model)
{
	/* Written so that a NaN fails every test. */
	if (!(model->best_snr_db > 0.0 && model->best_snr_db <= 120.0) ||
	    !(model->knee_mc >= NST_TEMP_MIN_MC &&
	      model->knee_mc <= NST_TEMP_MAX_MC) ||
	    !(model->doubling_mc >= 1000.0 && model->doubling_mc <= 50000.0) ||
	    !(model->exposure_power >= 0.0 && model->exposure_power <= 2.0) ||
	    !(model->ref_exposure_us > 0.0) || !(model->ref_iso > 0.0))
		return -ERANGE;
	return 0;
}

double nst_paper_knee_mc(const struct nst_paper *model,
			 unsigned int exposure_us, unsigned int iso)
{
	double octaves = log2(iso / model->ref_iso) +
			 model->exposure_power *
				 log2(exposure_us / model->ref_exposure_us);

	return model->knee_mc - model->doubling_mc * octaves;
}

double nst_paper_snr_db(const struct nst_paper *model, double temp_mc,
			unsigned int exposure_us, unsigned int iso)
{
	double knee_mc = nst_paper_knee_mc(model, exposure_us, iso);
	double x = exp2((temp_mc - knee_mc) / model->doubling_mc);

	return model->best_snr_db - 10.0 * log10(1.0 + x * x);
}

int nst_paper_temp_max_mc(const struct nst_paper *model, double min_snr_db,
			  unsigned int exposure_us, unsigned int iso,
			  s32 *ret_mc)
{
	double room, temp_mc;

	if (!exposure_us || !iso)
		return -ERANGE;
	if (!(min_snr_db < model->best_snr_db))
		return -EDOM;

	room = pow(10.0, (model->best_snr_db - min_snr_db) / 10.0) - 1.0;
	temp_mc = nst_paper_knee_mc(model, exposure_us, iso) +
		  model->doubling_mc * log2(sqrt(room));
	if (!(temp_mc >= NST_TEMP_MIN_MC))
		return -EDOM;
	if (temp_mc > NST_TEMP_MAX_MC)
		temp_mc = NST_TEMP_MAX_MC;
	*ret_mc = (s32)floor(temp_mc);
	return 0;
}
