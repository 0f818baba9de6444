// SPDX-License-Identifier: GPL-2.0-only
/*
 * rk4_test.c - the plant against its differential equations
 *
 * Twenty random cells: constants, powers, ambient and gate pattern. The two
 * equations are integrated in doubles with 50 us Runge-Kutta steps, the
 * plant makes one step for each stretch of constant power, and both states
 * are compared at the end of every stretch. Four more cells leak.
 */
#include <math.h>
#include <stdlib.h>

#include "ktap.h"
#include "oracle.h"
#include "plant.h"
#include "rng.h"

#define CELLS 20
#define LEAKY_CELLS 4
#define STRETCHES 300
#define H_US 50

/* The die is compared with its fraction: what is left is Runge-Kutta's. */
#define BOUND_MC 0.1
/* Leakage is held for a slice of 5 ms. */
#define LEAKY_BOUND_MC 10.0
/* The package comes out in whole mC only. */
#define ROUNDING_MC 0.5

struct cell {
	struct nst_plant_params params;
	u32 near_mw;
	u32 gated_mw;
	s32 ambient_mc;
};

static struct cell cell_random(uint64_t *seed, bool leaky)
{
	struct cell c;
	u32 tau_j_us = rng_between(seed, 1000, 20000);
	u32 tau_p_ms = rng_between(seed, 5000, 40000);

	c.params.r_jp_mk_per_w = rng_between(seed, 2000, 15000);
	c.params.r_pa_mk_per_w = rng_between(seed, 10000, 50000);
	/* us * 1e6 / (mK/W) = uJ/K, ms * 1e9 / (mK/W) = uJ/K */
	c.params.c_j_uj_per_k = (u32)((u64)tau_j_us * 1000 /
				      c.params.r_jp_mk_per_w);
	c.params.c_p_uj_per_k = (u32)((u64)tau_p_ms * 1000000 /
				      c.params.r_pa_mk_per_w);
	c.params.leak_ref_uw = leaky ? rng_between(seed, 10000, 80000) : 0;
	c.params.leak_beta_ppm_per_k = 7500;
	c.near_mw = rng_between(seed, 500, 5000);
	c.gated_mw = rng_between(seed, 0, 300);
	c.ambient_mc = (s32)rng_between(seed, 0, 60000) - 10000;
	return c;
}

/* Return: the largest difference of a node, in mC */
static double cell_run(const struct cell *c, uint64_t *seed)
{
	const struct oracle_cell o = {
		.r_jp = c->params.r_jp_mk_per_w * 1e-3,
		.r_pa = c->params.r_pa_mk_per_w * 1e-3,
		.c_j = c->params.c_j_uj_per_k * 1e-6,
		.c_p = c->params.c_p_uj_per_k * 1e-6,
		.ambient = c->ambient_mc * 1e-3,
	};
	const struct oracle_leak leak = {
		.ref_w = c->params.leak_ref_uw * 1e-6,
		.beta = c->params.leak_beta_ppm_per_k * 1e-6,
	};
	struct oracle_state truth = { o.ambient, o.ambient };
	struct nst_plant plant;
	double worst = 0;
	int i;

	if (nst_plant_init(&plant, &c->params, c->ambient_mc))
		return INFINITY;
	for (i = 0; i < STRETCHES; i++) {
		/* one frame mostly, up to two seconds at times */
		u32 steps = rng_between(seed, 1, 8) > 1 ?
			    666 : rng_between(seed, 1, 40000);
		u32 mw = rng_next(seed) & 1 ? c->near_mw : c->gated_mw;
		double die, package;

		oracle_rk4(&o, &leak, &truth, mw * 1e-3, H_US * 1e-6, steps);
		if (nst_plant_step(&plant, mw, c->ambient_mc, steps * H_US))
			return INFINITY;
		die = fabs((double)(plant.z_q32[0] + plant.z_q32[1]) /
			   4294967296.0 - truth.die * 1e3);
		package = fabs(nst_plant_package_mc(&plant) -
			       truth.package * 1e3) - ROUNDING_MC;
		worst = fmax(worst, fmax(die, package));
	}
	return worst;
}

int main(void)
{
	struct ktap ktap = { 0 };
	uint64_t seed = 20210330;
	double worst = 0, worst_leaky = 0;
	int i;

	for (i = 0; i < CELLS + LEAKY_CELLS; i++) {
		bool leaky = i >= CELLS;
		struct cell c = cell_random(&seed, leaky);
		double error = cell_run(&c, &seed);
		double bound = leaky ? LEAKY_BOUND_MC : BOUND_MC;

		ktap_ok(&ktap, error <= bound,
			"rk4.cell_%02d%s # %u+%u mK/W %u/%u uJ/K %u/%u mW: %.4f mC",
			i, leaky ? "_leaky" : "", c.params.r_jp_mk_per_w,
			c.params.r_pa_mk_per_w, c.params.c_j_uj_per_k,
			c.params.c_p_uj_per_k, c.near_mw, c.gated_mw, error);
		if (leaky)
			worst_leaky = fmax(worst_leaky, error);
		else
			worst = fmax(worst, error);
	}
	printf("# largest difference to Runge-Kutta: %.4f mC, leaking %.2f mC\n",
	       worst, worst_leaky);
	return ktap_end(&ktap);
}
