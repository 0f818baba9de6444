/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * oracle.h - what the policies should reach, in doubles and on its own
 *
 * Shares nothing with policies/: not a header, not a formula in another
 * form. Temperatures are degrees Celsius, powers watts, times seconds,
 * resistances K/W, capacities J/K.
 */
#ifndef TESTS_ORACLE_H
#define TESTS_ORACLE_H

struct oracle_cell {
	double r_jp;
	double r_pa;
	double c_j;
	double c_p;
	double near_w;
	double gated_w;
	double ambient;
	double t_high;
	double t_low;
	double frame;
	double exposure;
	double doubling;
};

struct oracle_state {
	double die;
	double package;
};

/* Leakage of a stack, zero for none. */
struct oracle_leak {
	double ref_w;
	double beta;
};

/**
 * oracle_rk4() - the two differential equations, classic Runge-Kutta
 * @steps: of @h seconds each
 */
void oracle_rk4(const struct oracle_cell *cell,
		const struct oracle_leak *leak, struct oracle_state *state,
		double power_w, double h, long steps);

/** oracle_jump() - fall of the die within @t of gating */
double oracle_jump(const struct oracle_cell *cell, double t);

/**
 * oracle_stop_duty() - largest share of running frames below T_high
 *
 * From the balance of the package: its mean temperature may be what a near
 * frame that ends at T_high leaves below it.
 */
double oracle_stop_duty(const struct oracle_cell *cell);

/**
 * oracle_season_duty() - share of near time of the cycle T_low..T_high
 *
 * The two published times with erratum C4. NAN when the cycle does not
 * exist: always near, never near, or T_low out of reach.
 */
double oracle_season_duty(const struct oracle_cell *cell);

/**
 * oracle_exposure() - exposure temperature of a row that starts now
 * @package: held; only the die moves
 */
double oracle_exposure(const struct oracle_cell *cell, double die,
		       double package, double power_w);

/**
 * oracle_stop_patterns() - most frames that a stop mode can deliver
 * @limit: continuous: on the exposure temperature of every delivered frame
 * @longest: of the periodic gate patterns tried, at most 16
 * @ret_pattern: bits of the best one, bit n = period n runs
 * @ret_length: and its length
 *
 * Frame n is exposed in period n and processed in period n + 1 if that
 * runs; when it would pass the limit, it is not delivered. The package is
 * taken at the mean power of the pattern.
 */
double oracle_stop_patterns(const struct oracle_cell *cell, double limit,
			    int longest, unsigned int *ret_pattern,
			    int *ret_length);

#endif /* TESTS_ORACLE_H */
