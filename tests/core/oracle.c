// SPDX-License-Identifier: GPL-2.0-only
/*
 * oracle.c - see oracle.h
 */
#include "oracle.h"

#include <math.h>

static double leak_w(const struct oracle_leak *leak, double die)
{
	if (!leak || leak->ref_w <= 0)
		return 0;
	return leak->ref_w * exp(leak->beta * (die + 273.15 - 300.0));
}

static struct oracle_state slope(const struct oracle_cell *cell,
				 const struct oracle_leak *leak,
				 struct oracle_state s, double power_w)
{
	double up = (s.die - s.package) / cell->r_jp;
	double out = (s.package - cell->ambient) / cell->r_pa;
	struct oracle_state d = {
		(power_w + leak_w(leak, s.die) - up) / cell->c_j,
		(up - out) / cell->c_p,
	};

	return d;
}

static struct oracle_state ahead(struct oracle_state s,
				 struct oracle_state d, double h)
{
	s.die += d.die * h;
	s.package += d.package * h;
	return s;
}

void oracle_rk4(const struct oracle_cell *cell,
		const struct oracle_leak *leak, struct oracle_state *state,
		double power_w, double h, long steps)
{
	struct oracle_state s = *state;

	while (steps--) {
		struct oracle_state k1 = slope(cell, leak, s, power_w);
		struct oracle_state k2 = slope(cell, leak,
					       ahead(s, k1, h / 2), power_w);
		struct oracle_state k3 = slope(cell, leak,
					       ahead(s, k2, h / 2), power_w);
		struct oracle_state k4 = slope(cell, leak,
					       ahead(s, k3, h), power_w);

		s.die += h / 6 * (k1.die + 2 * k2.die + 2 * k3.die + k4.die);
		s.package += h / 6 * (k1.package + 2 * k2.package +
				      2 * k3.package + k4.package);
	}
	*state = s;
}

double oracle_jump(const struct oracle_cell *cell, double t)
{
	return cell->r_jp * (cell->near_w - cell->gated_w) *
	       -expm1(-t / (cell->r_jp * cell->c_j));
}

double oracle_stop_duty(const struct oracle_cell *cell)
{
	double package = cell->t_high - cell->r_jp * cell->near_w;
	double mean_w = (package - cell->ambient) / cell->r_pa;
	double duty = (mean_w - cell->gated_w) /
		      (cell->near_w - cell->gated_w);

	return fmin(1, fmax(0, duty));
}

double oracle_season_duty(const struct oracle_cell *cell)
{
	double rc = cell->r_pa * cell->c_p;
	double r = cell->r_jp + cell->r_pa;
	double near_ss = cell->ambient + r * cell->near_w;
	double far_ss = cell->ambient + r * cell->gated_w;
	double jump = cell->r_jp * (cell->near_w - cell->gated_w);
	double t_jump = 4 * cell->r_jp * cell->c_j;
	double warm, cool;

	if (near_ss <= cell->t_high || cell->t_low <= far_ss ||
	    cell->t_low + jump >= cell->t_high)
		return NAN;
	warm = rc * log((near_ss - (cell->t_low + jump)) /
			(near_ss - cell->t_high)) + t_jump;
	cool = rc * log((cell->t_high - jump - far_ss) /
			(cell->t_low - far_ss)) + t_jump;
	return warm / (warm + cool);
}

static double exposure_in(const struct oracle_cell *cell, double die,
			  double package, double power_w, int steps)
{
	double tau = cell->r_jp * cell->c_j;
	double target = package + cell->r_jp * power_w;
	double sum = 0;
	int i;

	for (i = 0; i < steps; i++) {
		double t = cell->exposure * (i + 0.5) / steps;
		double at = target + (die - target) * exp(-t / tau);

		sum += exp2((at - die) / cell->doubling);
	}
	return die + cell->doubling * log2(sum / steps);
}

double oracle_exposure(const struct oracle_cell *cell, double die,
		       double package, double power_w)
{
	/* midpoints to 0.1 mC, a hundred kelvins from the target as well */
	return exposure_in(cell, die, package, power_w, 4000);
}

/* Deliveries of one pattern, once around; -1 when it heats without end. */
static int pattern_delivers(const struct oracle_cell *cell, double limit,
			    unsigned int pattern, int length)
{
	double keep = exp(-cell->frame / (cell->r_jp * cell->c_j));
	double exposure[16];
	double mean_w, package, die;
	int n, lap, runs = 0, delivered = 0;

	for (n = 0; n < length; n++)
		runs += pattern >> n & 1 ? 1 : 0;
	mean_w = cell->gated_w +
		 (cell->near_w - cell->gated_w) * runs / length;
	package = cell->ambient + cell->r_pa * mean_w;
	die = package;
	/* The first laps bring the die into its cycle. */
	for (lap = 0; lap < 4; lap++) {
		for (n = 0; n < length; n++) {
			double w = pattern >> n & 1 ? cell->near_w :
						      cell->gated_w;
			double target = package + cell->r_jp * w;

			if (lap == 3)
				exposure[n] = exposure_in(cell, die, package,
							  w, 100);
			die = target + (die - target) * keep;
		}
	}
	for (n = 0; n < length; n++)
		if (pattern >> ((n + 1) % length) & 1 && exposure[n] <= limit)
			delivered++;
	return delivered;
}

double oracle_stop_patterns(const struct oracle_cell *cell, double limit,
			    int longest, unsigned int *ret_pattern,
			    int *ret_length)
{
	double best = 0;
	int length;

	*ret_pattern = 0;
	*ret_length = 1;
	for (length = 1; length <= longest; length++) {
		unsigned int pattern;

		for (pattern = 0; pattern < 1u << length; pattern++) {
			double share = (double)pattern_delivers(cell, limit,
								pattern,
								length) /
				       length;

			if (share > best + 1e-12) {
				best = share;
				*ret_pattern = pattern;
				*ret_length = length;
			}
		}
	}
	return best;
}
