// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * plant.c - two-node RC model in modal form
 *
 * With the products A = R_jp*C_j, B = R_pa*C_p and D = R_pa*C_j (millikelvin
 * per watt times microjoule per kelvin is nanoseconds) the time constants
 * are the roots of tau^2 - (A + B + D)*tau + A*B, and in terms of them
 *
 *	die gain of the fast mode     R_jp * tau0/A * (B - tau0)/(tau1 - tau0)
 *	die gain of the slow mode     R_jp + R_pa - that
 *	ambient in the fast mode      -tau0/(tau1 - tau0)
 *	ambient in the slow mode      tau1/(tau1 - tau0)
 *	Tp from the modes             z1 - z1 * A/tau1 - z0 * (tau1 - B)/B
 *
 * Every fraction lies between 0 and 1, so nothing is lost in computing them.
 */
#include "exposure.h"
#include "plant.h"

const struct nst_plant_params nst_plant_reference = {
	.r_jp_mk_per_w = 5500,
	.r_pa_mk_per_w = 28500,
	.c_j_uj_per_k = 909,
	.c_p_uj_per_k = 700000,
	.leak_ref_uw = 0,
	.leak_beta_ppm_per_k = 7500,
};

/* 13.1 + 20.9 K/W; 20 ms / 13.1 K/W; the package constant as above. */
const struct nst_plant_params nst_plant_ar0330 = {
	.r_jp_mk_per_w = 13100,
	.r_pa_mk_per_w = 20900,
	.c_j_uj_per_k = 1527,
	.c_p_uj_per_k = 954545,
	.leak_ref_uw = 0,
	.leak_beta_ppm_per_k = 7500,
};

static bool r_in_range(u32 r_mk_per_w)
{
	return r_mk_per_w >= NST_R_MIN_MK_PER_W &&
	       r_mk_per_w <= NST_R_MAX_MK_PER_W;
}

static bool c_in_range(u32 c_uj_per_k)
{
	return c_uj_per_k >= NST_C_MIN_UJ_PER_K &&
	       c_uj_per_k <= NST_C_MAX_UJ_PER_K;
}

int nst_plant_params_check(const struct nst_plant_params *params)
{
	u64 a_ns, b_ns;

	if (!r_in_range(params->r_jp_mk_per_w) ||
	    !r_in_range(params->r_pa_mk_per_w) ||
	    !c_in_range(params->c_j_uj_per_k) ||
	    !c_in_range(params->c_p_uj_per_k))
		return -ERANGE;
	if (params->c_p_uj_per_k <= 20 * (u64)params->c_j_uj_per_k)
		return -ERANGE;
	a_ns = (u64)params->r_jp_mk_per_w * params->c_j_uj_per_k;
	b_ns = (u64)params->r_pa_mk_per_w * params->c_p_uj_per_k;
	if (a_ns < 2000 || b_ns < 4 * a_ns)
		return -ERANGE;
	if (params->leak_ref_uw > NST_POWER_MAX_MW * 1000u ||
	    params->leak_beta_ppm_per_k > NST_LEAK_BETA_MAX)
		return -ERANGE;
	return 0;
}

/* @num / @den in Q32, any proportion that fits */
static s64 ratio_q32(u64 num, u64 den)
{
	u64 whole = nst_div_u64(num, den);

	return (s64)((whole << 32) +
		     (nst_ratio_q64(num - whole * den, den) >> 32));
}

static void plant_modes(struct nst_plant_mode mode[2],
			const struct nst_plant_params *params)
{
	u64 a = (u64)params->r_jp_mk_per_w * params->c_j_uj_per_k;
	u64 b = (u64)params->r_pa_mk_per_w * params->c_p_uj_per_k;
	u64 d = (u64)params->r_pa_mk_per_w * params->c_j_uj_per_k;
	u64 sum = a + b + d;
	u64 prod_q64, root_q32, tau0, tau1;
	u64 gain;

	/* tau1 = sum * (1 + sqrt(1 - 4*A*B/sum^2)) / 2, tau0 = A*B/tau1 */
	prod_q64 = nst_mulhi_u64(nst_ratio_q64(a, sum),
				 nst_ratio_q64(b, sum));
	root_q32 = nst_sqrt_u64(0 - 4 * prod_q64);
	tau1 = nst_mulhi_u64(sum, (root_q32 << 31) + (1ull << 63));
	tau0 = nst_mulhi_u64(a, nst_ratio_q64(b, tau1));

	mode[0].tau_ns = tau0;
	mode[1].tau_ns = tau1;
	mode[0].rate = nst_rate_from_tau(tau0);
	mode[1].rate = nst_rate_from_tau(tau1);

	/* R in mK/W is mC per W: a thousandth of it is mC per mW. */
	gain = nst_mulhi_u64((u64)params->r_jp_mk_per_w << 32,
			     nst_ratio_q64(tau0, a));
	gain = nst_mulhi_u64(gain, nst_ratio_q64(b - tau0, tau1 - tau0));
	mode[0].gain_q32 = nst_div_s64((s64)gain, 1000);
	gain = (((u64)params->r_jp_mk_per_w + params->r_pa_mk_per_w) << 32) -
	       gain;
	mode[1].gain_q32 = nst_div_s64((s64)gain, 1000);

	mode[0].ambient_q32 = -ratio_q32(tau0, tau1 - tau0);
	mode[1].ambient_q32 = NST_ONE_Q32 - mode[0].ambient_q32;
	mode[0].lag_q64 = nst_ratio_q64(tau1 - b, b);
	mode[1].lag_q64 = nst_ratio_q64(a, tau1);
}

int nst_plant_init(struct nst_plant *plant,
		   const struct nst_plant_params *params, s32 ambient_mc)
{
	int err = nst_plant_params_check(params);
	int i;

	if (err)
		return err;
	if (!nst_temp_in_range(ambient_mc))
		return -ERANGE;

	plant->params = *params;
	plant_modes(plant->mode, params);
	for (i = 0; i < 2; i++) {
		plant->z_q32[i] = plant->mode[i].ambient_q32 * ambient_mc;
		plant->z_low[i] = 0;
		plant->cache[i].dt_us = 0;
		plant->cache[i].lose_q64[0] = 0;
		plant->cache[i].lose_q64[1] = 0;
	}
	return 0;
}

int nst_plant_set_state(struct nst_plant *plant, s32 die_mc, s32 package_mc)
{
	u64 tau0 = plant->mode[0].tau_ns, tau1 = plant->mode[1].tau_ns;
	u64 b = (u64)plant->params.r_pa_mk_per_w * plant->params.c_p_uj_per_k;
	s64 diff_q32, mag, scale_q32;

	if (!nst_temp_in_range(die_mc) || !nst_temp_in_range(package_mc))
		return -ERANGE;

	/* z0 = (Tj - Tp - Tj * A/tau1) * B/(tau1 - tau0), z1 = Tj - z0 */
	diff_q32 = ((s64)die_mc - package_mc) * NST_ONE_Q32 -
		   nst_mul_q64(die_mc * NST_ONE_Q32, plant->mode[1].lag_q64);
	scale_q32 = ratio_q32(b, tau1 - tau0);
	mag = diff_q32 < 0 ? -diff_q32 : diff_q32;
	/* |diff| < 2^51 and scale < 2^33 */
	mag = (s64)nst_mulhi_u64((u64)mag << 12, (u64)scale_q32 << 20);
	plant->z_q32[0] = diff_q32 < 0 ? -mag : mag;
	plant->z_q32[1] = die_mc * NST_ONE_Q32 - plant->z_q32[0];
	plant->z_low[0] = 0;
	plant->z_low[1] = 0;
	return 0;
}

u32 nst_plant_leak_uw(const struct nst_plant_params *params, s32 die_mc)
{
	const s32 ref_mc = 26850;	/* 300 K */
	const s32 span_mc = 4000000;	/* far outside anything that exists */
	s32 over_mc;
	s64 octaves_q16;
	u64 leak;

	if (!params->leak_ref_uw)
		return 0;
	if (die_mc > span_mc)
		die_mc = span_mc;
	if (die_mc < -span_mc)
		die_mc = -span_mc;
	over_mc = die_mc - ref_mc;
	/*
	 * beta * dT in 1e-6, then in octaves: 2^16 * log2(e) * 1e-6 =
	 * 101520638 * 2^-30.
	 */
	octaves_q16 = nst_div_s64((s64)params->leak_beta_ppm_per_k * over_mc,
				  1000);
	octaves_q16 = (octaves_q16 * 101520638) >> 30;
	/* Within 600 octaves either way: below, 0, above, more than a limit. */
	leak = nst_mulhi_u64(nst_exp2_q32((s32)octaves_q16),
			     (u64)params->leak_ref_uw << 32);
	if (leak > NST_POWER_MAX_MW * 1000u)
		leak = NST_POWER_MAX_MW * 1000u;
	return (u32)leak;
}

s32 nst_plant_steady_die_mc(const struct nst_plant_params *params,
			    u32 power_mw, s32 ambient_mc)
{
	u64 r = (u64)params->r_jp_mk_per_w + params->r_pa_mk_per_w;
	s64 base = (s64)nst_div_u64(r * power_mw + 500, 1000) + ambient_mc;
	s64 die = base, next;
	int i;

	/* From below: the iteration climbs to the lowest equilibrium. */
	for (i = 0; params->leak_ref_uw && i < 200; i++) {
		next = base + (s64)nst_div_u64(r *
			nst_plant_leak_uw(params, (s32)die), 1000000);
		if (next == die)
			break;
		die = next;
	}
	return (s32)die;
}

int nst_plant_set_steady(struct nst_plant *plant, u32 power_mw,
			 s32 ambient_mc)
{
	u32 leak_uw;
	int i;

	if (power_mw > NST_POWER_MAX_MW || !nst_temp_in_range(ambient_mc))
		return -ERANGE;
	leak_uw = nst_plant_leak_uw(&plant->params,
				    nst_plant_steady_die_mc(&plant->params,
							    power_mw,
							    ambient_mc));
	for (i = 0; i < 2; i++) {
		plant->z_q32[i] =
			nst_plant_target_q32(&plant->mode[i], power_mw,
					     ambient_mc) +
			nst_plant_leak_target_q32(&plant->mode[i], leak_uw);
		plant->z_low[i] = 0;
	}
	return 0;
}

void nst_plant_factors_set(struct nst_plant_factors *factors,
			   const struct nst_plant *plant, u32 dt_us)
{
	factors->dt_us = dt_us;
	factors->lose_q64[0] = nst_lose_q64(&plant->mode[0].rate, dt_us);
	factors->lose_q64[1] = nst_lose_q64(&plant->mode[1].rate, dt_us);
}

/* The two cached dt, most recent first: a frame, or a frame and a slice. */
static const u64 *cached_lose(struct nst_plant *plant, u32 dt_us)
{
	struct nst_plant_factors *cache = plant->cache;
	struct nst_plant_factors other;

	if (cache[0].dt_us == dt_us)
		return cache[0].lose_q64;
	other = cache[1];
	cache[1] = cache[0];
	if (other.dt_us != dt_us)
		nst_plant_factors_set(&other, plant, dt_us);
	cache[0] = other;
	return cache[0].lose_q64;
}

static void step_linear(struct nst_plant *plant, const u64 lose_q64[2],
			u32 power_mw, s32 ambient_mc, u32 leak_uw)
{
	const struct nst_plant_mode *mode = plant->mode;
	s64 fast = nst_plant_target_q32(&mode[0], power_mw, ambient_mc);
	s64 slow = nst_plant_target_q32(&mode[1], power_mw, ambient_mc);

	if (leak_uw) {
		fast += nst_plant_leak_target_q32(&mode[0], leak_uw);
		slow += nst_plant_leak_target_q32(&mode[1], leak_uw);
	}
	nst_mac_q64(&plant->z_q32[0], &plant->z_low[0],
		    fast - plant->z_q32[0], lose_q64[0]);
	nst_mac_q64(&plant->z_q32[1], &plant->z_low[1],
		    slow - plant->z_q32[1], lose_q64[1]);
}

int nst_plant_step(struct nst_plant *plant, u32 power_mw, s32 ambient_mc,
		   u32 dt_us)
{
	u32 slices, slice_us, longer;

	if (power_mw > NST_POWER_MAX_MW || !nst_temp_in_range(ambient_mc) ||
	    dt_us > NST_DT_MAX_US)
		return -ERANGE;
	if (!dt_us)
		return 0;
	if (!plant->params.leak_ref_uw) {
		step_linear(plant, cached_lose(plant, dt_us), power_mw,
			    ambient_mc, 0);
		return 0;
	}

	slices = (dt_us - 1) / NST_PLANT_LEAK_SLICE_US + 1;
	slice_us = dt_us / slices;
	longer = dt_us - slice_us * slices;
	for (; slices; slices--) {
		u32 leak_uw = nst_plant_leak_uw(&plant->params,
						nst_plant_die_mc(plant));
		u32 us = slice_us;

		if (longer) {
			us++;
			longer--;
		}
		step_linear(plant, cached_lose(plant, us), power_mw,
			    ambient_mc, leak_uw);
	}
	return 0;
}

void nst_plant_shift(struct nst_plant *plant, s32 delta_mc)
{
	s64 fast = plant->mode[0].ambient_q32 * delta_mc;

	plant->z_q32[0] += fast;
	plant->z_q32[1] += delta_mc * NST_ONE_Q32 - fast;
}

s32 nst_plant_die_mc(const struct nst_plant *plant)
{
	return nst_round_q32(plant->z_q32[0] + plant->z_q32[1]);
}

s32 nst_plant_package_mc(const struct nst_plant *plant)
{
	const struct nst_plant_mode *mode = plant->mode;

	return nst_round_q32(plant->z_q32[1] -
			     nst_mul_q64(plant->z_q32[1], mode[1].lag_q64) -
			     nst_mul_q64(plant->z_q32[0], mode[0].lag_q64));
}

s32 nst_plant_peek_die_mc(const struct nst_plant *plant, u32 power_mw,
			  s32 ambient_mc, u32 dt_us)
{
	struct nst_plant copy = *plant;

	/* Out of range: no time passes, as nst_plant_step() has it. */
	if (nst_plant_step(&copy, power_mw, ambient_mc, dt_us))
		return nst_plant_die_mc(plant);
	return nst_plant_die_mc(&copy);
}

s32 nst_plant_jump_mc(const struct nst_plant_params *params, u32 delta_mw,
		      u32 t_us)
{
	u64 tau_ns = (u64)params->r_jp_mk_per_w * params->c_j_uj_per_k;
	struct nst_rate rate = nst_rate_from_tau(tau_ns);
	u64 full_q32 = nst_div_u64((u64)params->r_jp_mk_per_w * delta_mw *
				   65536, 1000) << 16;

	return nst_round_q32((s64)nst_mulhi_u64(full_q32,
						nst_lose_q64(&rate, t_us)));
}
