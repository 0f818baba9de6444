/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * oracle_modes.h - the oracle's own plant: two lags of the power
 *
 * With x = (Tj, Tp) the plant is x' = A x + b. In the base of A's
 * eigenvectors each mode is a lag of its own; the die is the sum of both over
 * ambient. The fast one forgets a gate in some 20 ms, the slow one in a
 * minute.
 */
#ifndef NST_ORACLE_MODES_H
#define NST_ORACLE_MODES_H

#include "oracle.h"

/**
 * struct nst_oracle_modes - [0] fast, [1] slow
 * @rate: of decay, per second
 * @gain: K per W in the die
 */
struct nst_oracle_modes {
	double rate[2];
	double gain[2];
};

void nst_oracle_modes_get(struct nst_oracle_modes *ret,
			  const struct nst_oracle_case *c);

/**
 * nst_oracle_exposure_k() - exposure temperature over a steady part
 * @dev_k: deviation of the fast mode from that at the start of the frame
 * @rate: its decay, per second
 * @from_s: start of the row's exposure after that of the frame
 * Power does not change within the window.
 */
double nst_oracle_exposure_k(double dev_k, double rate, double from_s,
			     double exposure_s, double doubling_k);

#endif /* NST_ORACLE_MODES_H */
