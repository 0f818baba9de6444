/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * plant.h - two-node RC model of a stacked die in its package
 *
 *	P ──> die (C_j) ──R_jp── package (C_p) ──R_pa── ambient
 *
 *	dTj/dt = (P - (Tj - Tp)/R_jp) / C_j
 *	dTp/dt = ((Tj - Tp)/R_jp - (Tp - T_amb)/R_pa) / C_p
 *
 * The pair is diagonalised once, at init: each mode is a first-order lag
 * with its own time constant, driven by power and ambient, and
 *
 *	Tj = z0 + z1,   Tp = -lag0*z0 + (1 - lag1)*z1
 *
 * so a step with constant power and ambient is exact for any dt: one decay
 * factor per mode. Factors are kept in 2^-64 and the state in 2^-96 mC, so
 * the product of the two is added whole: a microsecond step moves the 20 s
 * mode by the right amount (see policies/tests/plant_kunit.c).
 *
 * Leakage, P_ref*exp(beta*(T - 300 K)), is not linear: with leak_ref_uw set
 * a step is cut into slices of at most NST_PLANT_LEAK_SLICE_US.
 */
#ifndef NST_PLANT_H
#define NST_PLANT_H

#include "fixp.h"
#include "units.h"

#define NST_PLANT_LEAK_SLICE_US 5000

/**
 * struct nst_plant_params - constants of one stack
 * @r_jp_mk_per_w: die to package, the jump gain alpha
 * @r_pa_mk_per_w: package to ambient
 * @c_j_uj_per_k: heat capacity of the die
 * @c_p_uj_per_k: heat capacity of the package, more than 20 times @c_j
 * @leak_ref_uw: leakage power at 300 K, 0 for none, at most NST_POWER_MAX_MW
 * @leak_beta_ppm_per_k: exponent of the leakage, 7500 for ITRS, at most
 *	NST_LEAK_BETA_MAX
 *
 * R and C lie in the ranges of units.h. The model is of a small die in a
 * slow package: R_jp * C_j is at least 2 us, and R_pa * C_p at least four
 * times that product. Anything else is refused.
 */
#define NST_LEAK_BETA_MAX 100000

struct nst_plant_params {
	u32 r_jp_mk_per_w;
	u32 r_pa_mk_per_w;
	u32 c_j_uj_per_k;
	u32 c_p_uj_per_k;
	u32 leak_ref_uw;
	u32 leak_beta_ppm_per_k;
};

/* The reference stack: alpha 5.5 K/W, R_tot 34 K/W, 5 ms and 20 s. */
extern const struct nst_plant_params nst_plant_reference;
/* The un-stacked AR0330 of the validation: 34 K/W, 13.1 K/W, 20 ms. */
extern const struct nst_plant_params nst_plant_ar0330;

/* One eigenmode; private to policies/core. */
struct nst_plant_mode {
	u64 tau_ns;		/* time constant */
	struct nst_rate rate;	/* its inverse */
	s64 gain_q32;		/* mC per mW, Q32 */
	s64 ambient_q32;	/* share of ambient in the die, Q32 */
	u64 lag_q64;		/* what the package lacks of it, see plant.c */
};

/* Decay factors of one dt: frame loops use the same again and again. */
struct nst_plant_factors {
	u32 dt_us;
	u64 lose_q64[2];	/* 1 - exp(-dt/tau) */
};

struct nst_plant {
	struct nst_plant_params params;
	struct nst_plant_mode mode[2];	/* 0 fast (die), 1 slow (package) */
	s64 z_q32[2];			/* mC, Q32 */
	u64 z_low[2];			/* the next 64 bits of z */
	struct nst_plant_factors cache[2];	/* most recent first */
};

/** nst_plant_params_check() - 0, or -ERANGE and nothing is changed */
int nst_plant_params_check(const struct nst_plant_params *params);

/**
 * nst_plant_init() - a plant in equilibrium with @ambient_mc at no power
 * Return: 0, or -ERANGE with @plant untouched.
 */
int nst_plant_init(struct nst_plant *plant,
		   const struct nst_plant_params *params, s32 ambient_mc);

/** nst_plant_set_state() - start from known node temperatures (hot start) */
int nst_plant_set_state(struct nst_plant *plant, s32 die_mc, s32 package_mc);

/** nst_plant_set_steady() - the state after a long time at @power_mw */
int nst_plant_set_steady(struct nst_plant *plant, u32 power_mw,
			 s32 ambient_mc);

/**
 * nst_plant_step() - advance by @dt_us with constant power and ambient
 * @power_mw: heat put into the die, 0..NST_POWER_MAX_MW
 * @dt_us: 0..NST_DT_MAX_US
 * Return: 0, or -ERANGE with the state unchanged.
 */
int nst_plant_step(struct nst_plant *plant, u32 power_mw, s32 ambient_mc,
		   u32 dt_us);

/** nst_plant_shift() - move both nodes by @delta_mc (observer's correction) */
void nst_plant_shift(struct nst_plant *plant, s32 delta_mc);

s32 nst_plant_die_mc(const struct nst_plant *plant);
s32 nst_plant_package_mc(const struct nst_plant *plant);

/** nst_plant_peek_die_mc() - die temperature after @dt_us, state unchanged */
s32 nst_plant_peek_die_mc(const struct nst_plant *plant, u32 power_mw,
			  s32 ambient_mc, u32 dt_us);

/**
 * nst_plant_leak_uw() - leakage power at a die temperature
 *
 * Never more than NST_POWER_MAX_MW: a runaway ends there.
 */
u32 nst_plant_leak_uw(const struct nst_plant_params *params, s32 die_mc);

/*
 * For loops that look ahead without a plant of their own (policies,
 * exposure.c): the value a mode tends to, and the factors of one dt.
 */
static inline s64 nst_plant_target_q32(const struct nst_plant_mode *mode,
				       u32 power_mw, s32 ambient_mc)
{
	return mode->gain_q32 * (s64)power_mw +
	       mode->ambient_q32 * (s64)ambient_mc;
}

/* The same of leakage, finer than a milliwatt. */
static inline s64 nst_plant_leak_target_q32(const struct nst_plant_mode *mode,
					    u32 leak_uw)
{
	u32 mw = leak_uw / 1000;

	return mode->gain_q32 * (s64)mw +
	       nst_div_s64(mode->gain_q32 * (s64)(leak_uw - mw * 1000), 1000);
}

void nst_plant_factors_set(struct nst_plant_factors *factors,
			   const struct nst_plant *plant, u32 dt_us);

/**
 * nst_plant_steady_die_mc() - die temperature after a long time
 *
 * With leakage: the lowest equilibrium, or the limit of the leakage when
 * there is none. Parameters and arguments must be in range.
 */
s32 nst_plant_steady_die_mc(const struct nst_plant_params *params,
			    u32 power_mw, s32 ambient_mc);

/**
 * nst_plant_jump_mc() - fall of the die @t_us after a drop of @delta_mw
 *
 * alpha * dP * (1 - exp(-t/tau_j)): the publications print the exponential
 * itself, which would give the whole drop at t = 0 (erratum C1).
 */
s32 nst_plant_jump_mc(const struct nst_plant_params *params, u32 delta_mw,
		      u32 t_us);

#endif /* NST_PLANT_H */
