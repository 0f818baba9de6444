/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * paper.h - the `paper` noise model: temperature to SNR and back
 *
 *	x(T)   = 2^((T - knee)/T_d) * (ISO/ISO_ref) * (t_exp/t_ref)^p
 *	SNR(T) = B - 10*log10(1 + x^2)
 *
 * SNR here is a dark-frame figure: noise of a dark frame against a signal
 * level, flat below a knee and falling above it; photon shot noise is not
 * in it. The shape and the 52 degC knee at high exposure and gain are from
 * Sensors 2021 21(3) 926; B, T_d and p are calibrated here so that the
 * published pair "87 degC before, 74 degC after a stop" comes out at 26 dB.
 * They are not quoted from the publication and not measured on a part.
 */
#ifndef NST_PAPER_H
#define NST_PAPER_H

#include "units.h"

/**
 * struct nst_paper - constants of the model
 * @best_snr_db: B, the SNR of a cold sensor; never reached
 * @knee_mc: where x is 1 at the reference setting
 * @doubling_mc: T_d, dark current doubles every so many degrees
 * @exposure_power: p, 1 for dark offset, 0.5 for its shot noise alone
 * @ref_exposure_us, @ref_iso: the setting that @knee_mc is given for
 */
struct nst_paper {
	double best_snr_db;
	double knee_mc;
	double doubling_mc;
	double exposure_power;
	double ref_exposure_us;
	double ref_iso;
};

/* B 45 dB, knee 52 degC at 64 ms ISO 800, T_d 7 K, p 1. */
extern const struct nst_paper nst_paper_default;

/** nst_paper_check() - 0, or -ERANGE: constants that are no model */
int nst_paper_check(const struct nst_paper *model);

/**
 * nst_paper_snr_db() - SNR of a frame of exposure temperature @temp_mc
 * Any temperature, exposure and ISO above 0. Return: dB, below B.
 */
double nst_paper_snr_db(const struct nst_paper *model, double temp_mc,
			unsigned int exposure_us, unsigned int iso);

/** nst_paper_knee_mc() - the temperature of x = 1 at this setting */
double nst_paper_knee_mc(const struct nst_paper *model,
			 unsigned int exposure_us, unsigned int iso);

/**
 * nst_paper_temp_max_mc() - highest exposure temperature that keeps an SNR
 * @ret_mc: rounded down, never above NST_TEMP_MAX_MC
 *
 * Return: 0; -EDOM when no temperature gives @min_snr_db: it is B or more,
 * or it is so near to B that the sensor would have to be colder than
 * NST_TEMP_MIN_MC; -ERANGE for an exposure or ISO of 0. @ret_mc is left
 * alone then.
 */
int nst_paper_temp_max_mc(const struct nst_paper *model, double min_snr_db,
			  unsigned int exposure_us, unsigned int iso,
			  s32 *ret_mc);

#endif /* NST_PAPER_H */
