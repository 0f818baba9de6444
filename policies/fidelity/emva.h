/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * emva.h - the `emva` noise model: temperature to total SNR and back
 *
 * A pixel in the terms of EMVA 1288, in electrons, at signal S (photon
 * electrons), exposure time t and exposure temperature T:
 *
 *	D(T)     = I_ref * t * 2^((T - T_ref)/T_d)	dark signal
 *	temporal = S + D*(1 + hot excess) + read(gain)^2 + 1/(12*K(gain)^2)
 *	fixed    = (PRNU*S)^2 + (DSNU*D)^2 + hot spread
 *	SNR      = 20*log10(S / sqrt(temporal + fixed))
 *
 * SNR here is the total SNR of a flat patch, signal over temporal and fixed
 * noise: what a measurement on frames finds. It is no dark-frame figure;
 * the `paper` model (paper.h) is one, and numbers of the two are never
 * compared or exchanged. `emva` has photon shot noise in it, so that a high
 * gain has a best SNR that no cold reaches: an inverse says -EDOM then.
 *
 * Hot pixels: a share of the pixels has log-normal multiples of D. Their
 * excess is cut off at the room that a pixel at S has left, S and D of other
 * pixels not taken off twice: a little more noise than there is, and SNR
 * falls with heat at any temperature.
 *
 * Full scale: a pixel holds full_well_e electrons, and the converter
 * (2^bits - 1 - black_dn)/K of them. Where S + D is beyond the smaller of
 * the two the picture is white and has no signal: SNR is -INFINITY.
 */
#ifndef NST_EMVA_H
#define NST_EMVA_H

#include "units.h"

#define NST_EMVA_GAINS_MAX 16

/**
 * struct nst_emva_gain - one gain of the camera
 * @iso: gain as an ISO number, rising from entry to entry
 * @dn_per_e: K, system gain; not falling from entry to entry
 * @read_noise_e: read noise referred to electrons
 */
struct nst_emva_gain {
	unsigned int iso;
	double dn_per_e;
	double read_noise_e;
};

/**
 * struct nst_emva - a sensor
 * @dark_e_per_s: I_ref, mean dark current at @ref_mc
 * @ref_mc: T_ref
 * @doubling_mc: T_d, dark current doubles every so many mK
 * @full_well_e: electrons at saturation
 * @prnu: spread of the response, share of the signal
 * @dsnu: spread of the dark signal, share of the dark signal; with
 *	@hot_share 0 the one of all pixels, else that of the others
 * @hot_share: share of pixels that are hot
 * @hot_median, @hot_sigma: their dark current over I: median, and standard
 *	deviation of its natural logarithm
 * @bits, @black_dn: of the converter
 * @gain, @gains: 1 to NST_EMVA_GAINS_MAX entries. Between two of them K and
 *	read noise go in a straight line over log(iso), K as its logarithm;
 *	beyond the ends K is proportional to ISO and read noise stays
 */
struct nst_emva {
	double dark_e_per_s;
	double ref_mc;
	double doubling_mc;
	double full_well_e;
	double prnu;
	double dsnu;
	double hot_share;
	double hot_median;
	double hot_sigma;
	unsigned int bits;
	unsigned int black_dn;
	unsigned int gains;
	struct nst_emva_gain gain[NST_EMVA_GAINS_MAX];
};

/*
 * The reference stack (physics reference, 4 and 12.3), which nst-sim has as
 * its default: 244 e-/s at 60 degC doubling every 7 K, full well 7.9 ke-,
 * read noise 2.7 e-, PRNU 1 %, DSNU 10 %, 0.1 % hot pixels around ten times,
 * ten bits, full scale is the full well at ISO 100. Calibrated so as to fit
 * the AR0330's data sheet and published images, not measured on a part.
 */
extern const struct nst_emva nst_emva_reference;

/** nst_emva_check() - 0, or -ERANGE: constants that are no sensor */
int nst_emva_check(const struct nst_emva *m);

/** nst_emva_gain_at() - @ret: K and read noise at @iso, above 0 */
void nst_emva_gain_at(const struct nst_emva *m, unsigned int iso,
		      struct nst_emva_gain *ret);

/** nst_emva_capacity_e() - electrons over black at full scale at @iso */
double nst_emva_capacity_e(const struct nst_emva *m, unsigned int iso);

/** nst_emva_dark_e() - D: mean dark signal of an exposure */
double nst_emva_dark_e(const struct nst_emva *m, double temp_mc,
		       unsigned int exposure_us);

/**
 * struct nst_emva_noise - what the pixels of a flat patch do, electrons
 * @temporal_e, @fixed_e: standard deviations
 * @white: @signal_e + @dark_e is beyond full scale; noise is without meaning
 */
struct nst_emva_noise {
	double signal_e;
	double dark_e;
	double temporal_e;
	double fixed_e;
	bool white;
};

/**
 * nst_emva_noise() - the terms behind an SNR
 * @signal_e: photon electrons; 0 gives the noise of a dark frame
 */
void nst_emva_noise(const struct nst_emva *m, double temp_mc,
		    unsigned int exposure_us, unsigned int iso,
		    double signal_e, struct nst_emva_noise *ret);

/**
 * nst_emva_snr_db() - total SNR of a flat patch
 * Any temperature; exposure, ISO and signal above 0.
 * Return: dB; -INFINITY where the picture is white or there is no signal.
 * Falls with temperature and exposure, rises with signal up to full scale,
 * does not fall with gain at the same signal where the read noise of the
 * table does not rise, up to full scale.
 */
double nst_emva_snr_db(const struct nst_emva *m, double temp_mc,
		       unsigned int exposure_us, unsigned int iso,
		       double signal_e);

/**
 * nst_emva_temp_max_mc() - highest exposure temperature that keeps an SNR
 * @ret_mc: whole millidegrees, rounded down, at most NST_TEMP_MAX_MC: this
 *	temperature gives @min_snr_db, the next millidegree does not
 *
 * Return: 0; -EDOM when no temperature from NST_TEMP_MIN_MC up gives
 * @min_snr_db (photon noise, PRNU, read noise or full scale forbid it);
 * -ERANGE for an exposure, ISO or signal that is not above 0, or an SNR that
 * is no number. @ret_mc is left alone then.
 */
int nst_emva_temp_max_mc(const struct nst_emva *m, double min_snr_db,
			 unsigned int exposure_us, unsigned int iso,
			 double signal_e, s32 *ret_mc);

#endif /* NST_EMVA_H */
