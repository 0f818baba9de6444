// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* follow.c - identification beside an observer, see follow.h */
#include <math.h>

#include "follow.h"

#define C_PER_MC 1e-3
/* Of an exact sensor and of the model: rounding. */
#define LEAST_VAR_C2 (0.02 * 0.02)
/*
 * A step says something when it leaves so much of what was open. Not more: in
 * a pattern that repeats itself a step says the same again and again. Open is
 * the observer's bound just before the step, or when the filter was last told
 * or the observer last surprised, whichever is more: what a surprise opened is
 * closed by many steps that take a little each.
 */
#define NEWS 0.5
/* Readings between two looks at whether the observer's plant will do. */
#define LOOK_READINGS 16
/* How far the observer's plant may be off, of the error it counts with. */
#define WORTH 0.3
/* The model's own error, of which the observer has to know. */
#define LEAST_MODEL_C 0.03
#define EDGE_TERMS 12

static void take_over(struct nst_follow *f)
{
	f->ratio_r_pa = nst_identify_ratio(&f->id, NST_IDENT_R_PA);
	f->ratio_r_jp = nst_identify_ratio(&f->id, NST_IDENT_R_JP);
	f->ln_tau = log(nst_identify_ratio(&f->id, NST_IDENT_TAU_P));
	f->ambient_c = nst_identify_ambient_c(&f->id);
}

/* How far the observer's model would settle from the identified one. */
static double apart_c(const struct nst_follow *f)
{
	return fabs(nst_identify_settle_off_c(&f->id, f->ambient_c,
					      f->ratio_r_pa, f->ln_tau));
}

static void tell(struct nst_follow *f, struct nst_observer *obs)
{
	double model_c = NST_FOLLOW_SIGMAS * nst_identify_settle_sd_c(&f->id) +
			 apart_c(f) + LEAST_MODEL_C;
	double jump_c = NST_FOLLOW_SIGMAS * nst_identify_jump_sd_c(&f->id) +
			nst_identify_jump_c(&f->id) *
				fabs(nst_identify_ratio(&f->id, NST_IDENT_R_JP) /
				     f->ratio_r_jp - 1);

	obs->model_mc = (s32)fmin(ceil(model_c / C_PER_MC),
				  NST_OBSERVER_MODEL_MAX_MC);
	f->margin_mc = (s32)fmin(ceil(jump_c / C_PER_MC),
				 NST_OBSERVER_MODEL_MAX_MC);
}

int nst_follow_init(struct nst_follow *f,
		    const struct nst_identify_config *config,
		    struct nst_observer *obs)
{
	const struct nst_observer_config *s = &obs->config;
	double lsb_c = s->lsb_mc * C_PER_MC, noise_c = s->noise_mc * C_PER_MC;
	struct nst_follow fresh = { .plant = obs->plant.params };
	int err;

	err = nst_identify_init(&fresh.id, config);
	if (err)
		return err;
	fresh.var_c2 = lsb_c * lsb_c / 12 + noise_c * noise_c + LEAST_VAR_C2;
	fresh.half_step_c = s->floor ? lsb_c / 2 : 0;
	fresh.power_mw = (u32)lround(config->gated_w / C_PER_MC);
	fresh.direct = !s->lsb_mc || 5 * s->noise_mc >= 2 * s->lsb_mc;
	fresh.told_ambient_mc = (s32)lround(config->ambient_c / C_PER_MC);
	take_over(&fresh);
	tell(&fresh, obs);
	*f = fresh;
	return 0;
}

void nst_follow_advance(struct nst_follow *f, struct nst_observer *obs,
			u32 power_mw, u32 dt_us)
{
	double power_w = power_mw * C_PER_MC;

	/* An edge, of a jump that is not known to a step of the sensor. */
	if (power_mw != f->power_mw) {
		nst_observer_widen(obs, (s32)(f->margin_mc *
					      fabs(power_w - f->power_mw *
							     C_PER_MC) /
					      nst_identify_span_w(&f->id)));
		f->power_mw = power_mw;
		f->since_edge_us = 0;
	}
	if (f->since_edge_us <= NST_OBSERVER_CONVERSION_MAX_US)
		f->since_edge_us += dt_us;
	if (f->plant.leak_ref_uw)
		power_w += nst_plant_leak_uw(&f->plant,
					     nst_observer_die_mc(obs)) / 1e6;
	nst_identify_advance(&f->id, power_w, dt_us / 1e6);
}

/*
 * The die as the filter has it, but within the observer's bound, and the
 * package below it by what flows through R_jp.
 */
static bool put_in(struct nst_follow *f, struct nst_observer *obs)
{
	double die_c = nst_observer_die_mc(obs) * C_PER_MC;
	double open_c = obs->uncertainty_mc * C_PER_MC;
	double filter_c = nst_identify_die_c(&f->id), package_c;
	struct nst_plant_params plant;

	if (nst_identify_plant(&f->id, &plant))
		return false;
	take_over(f);
	obs->ambient_mc = (s32)lround(f->ambient_c / C_PER_MC);
	die_c = fmin(fmax(filter_c, die_c - open_c), die_c + open_c);
	package_c = die_c - nst_identify_above_c(&f->id);
	if (nst_observer_set_model(obs, &plant,
				   (s32)lround(package_c / C_PER_MC)))
		return false;
	f->plant = plant;
	return true;
}

/* Whether the figures in the observer are too far from the identified. */
static bool worth_it(const struct nst_follow *f)
{
	double settle_c = NST_FOLLOW_SIGMAS * nst_identify_settle_sd_c(&f->id);
	double jump_c = NST_FOLLOW_SIGMAS * nst_identify_jump_sd_c(&f->id);
	double off_c = nst_identify_jump_c(&f->id) *
		       fabs(nst_identify_ratio(&f->id, NST_IDENT_R_JP) /
			    f->ratio_r_jp - 1);

	return apart_c(f) > WORTH * (settle_c + LEAST_MODEL_C) ||
	       off_c > WORTH * (jump_c + LEAST_MODEL_C);
}

/* Itself it says little: its bound is a whole step. */
static void note_surprise(struct nst_follow *f, const struct nst_observer *obs)
{
	if (obs->surprises == f->surprises)
		return;
	f->surprises = obs->surprises;
	f->open_mc = obs->uncertainty_mc;
}

static bool is_news(const struct nst_follow *f, const struct nst_observer *obs,
		    s32 before_mc)
{
	s32 open_mc = before_mc > f->open_mc ? before_mc : f->open_mc;

	return obs->uncertainty_mc <= NEWS * open_mc;
}

bool nst_follow_sample(struct nst_follow *f, struct nst_observer *obs,
		       const struct nst_sample *sample,
		       enum nst_observer_verdict verdict, s32 before_mc)
{
	double temp_c = sample->value_mc * C_PER_MC + f->half_step_c;
	double var_c2 = f->var_c2;
	bool changed, anew = false;

	note_surprise(f, obs);
	/* What a slow sensor shows behind an edge may be of before it. */
	if (verdict != NST_OBSERVED || sample->bound != NST_BOUND_NONE ||
	    f->since_edge_us < obs->config.conversion_us)
		return false;
	if (!f->direct) {
		double open_c = obs->uncertainty_mc * C_PER_MC;

		if (!is_news(f, obs, before_mc)) {
			tell(f, obs);
			return false;
		}
		f->open_mc = obs->uncertainty_mc;
		temp_c = nst_observer_die_mc(obs) * C_PER_MC;
		var_c2 = open_c * open_c / 3 + LEAST_VAR_C2;
	}
	changed = nst_identify_reading(&f->id, temp_c, var_c2);
	if (changed || !f->direct || ++f->readings >= LOOK_READINGS) {
		f->readings = 0;
		if (changed || worth_it(f))
			anew = put_in(f, obs);
	}
	tell(f, obs);
	return anew;
}

bool nst_follow_gap(struct nst_follow *f, struct nst_observer *obs,
		    u32 power_mw, u64 dt_us)
{
	bool anew;

	nst_identify_gap(&f->id, (double)(dt_us + 1) / 1e6);
	nst_identify_begin(&f->id, power_mw * C_PER_MC);
	f->power_mw = power_mw;
	anew = put_in(f, obs);
	tell(f, obs);
	return anew;
}

void nst_follow_ambient(struct nst_follow *f, struct nst_observer *obs,
			s32 ambient_mc)
{
	double moved_c = (ambient_mc - f->told_ambient_mc) * C_PER_MC;

	if (ambient_mc == f->told_ambient_mc)
		return;
	f->told_ambient_mc = ambient_mc;
	nst_identify_move_ambient(&f->id, moved_c);
	f->ambient_c = nst_identify_ambient_c(&f->id);
	obs->ambient_mc = (s32)lround(f->ambient_c / C_PER_MC);
	tell(f, obs);
}

/*
 * An exposure of time t that begins at an edge sees the die fall by J in
 * tau: its mean of 2^(T/T_d) is 1 + S(J ln2 / T_d) * tau / t of what comes
 * later, with S(c) the integral of exp(c exp(-s)) - 1, sum of c^n / (n n!).
 */
s32 nst_follow_edge_mc(const struct nst_follow *f, u32 exposure_us,
		       u32 doubling_mc)
{
	double t_d = doubling_mc * C_PER_MC, c;
	double tau_us = (double)f->plant.r_jp_mk_per_w * f->plant.c_j_uj_per_k /
			1e3;
	double sum = 0, term = 1, extra;

	if (!doubling_mc)
		return 0;
	c = nst_identify_jump_c(&f->id) * M_LN2 / t_d;
	for (int n = 1; n <= EDGE_TERMS; n++) {
		term *= c / n;
		sum += term / n;
	}
	extra = sum * tau_us / (exposure_us ? exposure_us : 1);
	return (s32)ceil(2 * f->id.config.tolerance * t_d / M_LN2 * extra /
			 (1 + extra) / C_PER_MC);
}
