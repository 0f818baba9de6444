// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * identify.c - a stack's thermal figures while it runs, see identify.h
 *
 * R_pa and R_jp are kept as ratios to the profile's, less one, for then a
 * temperature is linear in them; tau_p as the logarithm of its ratio.
 */
#include <math.h>

#include "identify.h"

enum { SLOW, AMBIENT, R_PA, R_JP, LN_TAU };

#define N NST_IDENT_STATES
/* Decay factors and two modes are this good, per root of a second. */
#define MODEL_C 0.002
/* Nothing is known of the package before the first reading. */
#define PACKAGE_SD_C 100.0
/* A changed stack: so many times the tolerance, and a room in the sun. */
#define CHANGED_TIMES 3.0
#define CHANGED_TOLERANCE 0.1
#define CHANGED_AMBIENT_C 10.0
#define CHANGED_SLOW_C 3.0
/* Deviations beyond reason, and their trend of some 32 readings. */
#define WILD_SIGMAS 7.0
#define WILD_READINGS 3
#define TREND_SHARE (1.0 / 32)
#define TREND_SIGMAS 5.5
#define OFF_MAX_C 500.0
#define MOVE_SHARE 0.25
#define MEAN_S 1.0
/*
 * A temperature is not linear in tau_p: far from rest and with a tau_p that
 * is not known yet, what the tangent leaves out is common to many readings.
 * So many they count as; found by the coverage in test_identify.c.
 */
#define BEND 200.0
#define Z95 1.959964

static const struct {
	const char *name, *unit;
} words[NST_IDENT_PARAMS] = {
	[NST_IDENT_AMBIENT] = { "ambient", "degC" },
	[NST_IDENT_R_PA] = { "r_pa", "K/W" },
	[NST_IDENT_R_JP] = { "r_jp", "K/W" },
	[NST_IDENT_TAU_P] = { "tau_p", "s" },
	[NST_IDENT_NEAR] = { "near", "W" },
	[NST_IDENT_JUMP] = { "jump", "K" },
};

const char *nst_identify_name(enum nst_identify_param param)
{
	return words[param].name;
}

const char *nst_identify_unit(enum nst_identify_param param)
{
	return words[param].unit;
}

/* ---------------------------------------------------------------- state */

static double trend_sd(void)
{
	return sqrt(TREND_SHARE / (2 - TREND_SHARE));
}

static void forget(struct nst_identify *id, double tolerance,
		   double ambient_sd_c, double slow_sd_c)
{
	const double sd[N] = { slow_sd_c, ambient_sd_c, tolerance, tolerance,
			       tolerance };

	for (int i = 0; i < N; i++) {
		for (int k = 0; k < N; k++)
			id->p[i][k] = i == k ? sd[i] * sd[i] : 0;
		if (i > AMBIENT)
			id->x[i] = 0;
	}
	id->trend = 0;
	id->wild = 0;
}

int nst_identify_init(struct nst_identify *id,
		      const struct nst_identify_config *config)
{
	const double ambient_mc = 1000 * config->ambient_c;
	struct nst_identify fresh = { .config = *config };
	struct nst_plant plant;

	if (!(config->near_w > config->gated_w) || !isfinite(config->near_w) ||
	    !(config->gated_w >= 0) || !(config->tolerance >= 0) ||
	    !(config->tolerance <= 1) || !(config->ambient_sd_c >= 0) ||
	    !isfinite(config->ambient_sd_c) || !(config->wander_c >= 0) ||
	    !isfinite(config->wander_c) || !(ambient_mc >= NST_TEMP_MIN_MC) ||
	    !(ambient_mc <= NST_TEMP_MAX_MC))
		return -ERANGE;
	if (nst_plant_init(&plant, &config->params, (s32)ambient_mc))
		return -ERANGE;
	fresh.gain_fast = (double)plant.mode[0].gain_q32 / NST_ONE_Q32;
	fresh.gain_slow = (double)plant.mode[1].gain_q32 / NST_ONE_Q32;
	fresh.tau_fast = (double)plant.mode[0].tau_ns / 1e9;
	fresh.tau_slow = (double)plant.mode[1].tau_ns / 1e9;
	nst_identify_begin(&fresh, config->gated_w);
	fresh.x[AMBIENT] = config->ambient_c;
	fresh.x[SLOW] = config->ambient_c + fresh.gain_slow * config->gated_w;
	forget(&fresh, config->tolerance, config->ambient_sd_c, PACKAGE_SD_C);
	*id = fresh;
	return 0;
}

void nst_identify_begin(struct nst_identify *id, double power_w)
{
	id->drive_w = power_w;
	id->mean_w = power_w;
	id->slant_w = 0;
}

/* One row and column of the covariance from the others: F P F', F = I + row. */
static void spread(struct nst_identify *id, double keep, const double *row)
{
	double c[N], sum;

	for (int i = 0; i < N; i++) {
		sum = keep * id->p[SLOW][i];
		for (int k = AMBIENT; k < N; k++)
			sum += row[k] * id->p[k][i];
		c[i] = sum;
	}
	sum = keep * c[SLOW];
	for (int k = AMBIENT; k < N; k++)
		sum += row[k] * c[k];
	id->p[SLOW][SLOW] = sum;
	for (int k = AMBIENT; k < N; k++) {
		id->p[SLOW][k] = c[k];
		id->p[k][SLOW] = c[k];
	}
}

static void factors(struct nst_identify *id, double tau_s, double dt_s)
{
	if (id->kept_dt != dt_s) {
		id->keep_fast = exp(-dt_s / id->tau_fast);
		id->keep_mean = exp(-dt_s / MEAN_S);
		id->kept_tau = 0;
		id->kept_dt = dt_s;
	}
	if (id->kept_tau != tau_s) {
		id->keep_slow = exp(-dt_s / tau_s);
		id->kept_tau = tau_s;
	}
}

void nst_identify_advance(struct nst_identify *id, double power_w, double dt_s)
{
	double rise = id->gain_slow * power_w;
	double tau = id->tau_slow * exp(id->x[LN_TAU]);
	double target = id->x[AMBIENT] + (1 + id->x[R_PA]) * rise, keep, off;
	double row[N] = { 0 };

	if (!(dt_s > 0))
		return;
	factors(id, tau, dt_s);
	keep = id->keep_slow;
	off = id->x[SLOW] - target;
	row[AMBIENT] = 1 - keep;
	row[R_PA] = (1 - keep) * rise;
	row[LN_TAU] = off * keep * dt_s / tau;
	id->x[SLOW] = target + off * keep;
	spread(id, keep, row);
	id->p[AMBIENT][AMBIENT] += id->config.wander_c * id->config.wander_c *
				   dt_s;
	id->p[SLOW][SLOW] += MODEL_C * MODEL_C * dt_s;
	id->slant_w = (id->slant_w + (id->drive_w - power_w) * dt_s /
					     id->tau_fast) * id->keep_fast;
	id->drive_w = power_w + (id->drive_w - power_w) * id->keep_fast;
	id->mean_w = power_w + (id->mean_w - power_w) * id->keep_mean;
}

static double jump_c(const struct nst_identify *id, double drive_w)
{
	return id->gain_fast * (1 + id->x[R_JP]) * drive_w;
}

/* How far the slow mode is from where it tends to. */
static double settle_off_c(const struct nst_identify *id)
{
	return id->x[SLOW] - id->x[AMBIENT] -
	       (1 + id->x[R_PA]) * id->gain_slow * id->mean_w;
}

/* Another stack, or another place for it. */
static void changed(struct nst_identify *id, double off_c)
{
	id->changes++;
	id->x[SLOW] += off_c;
	forget(id, CHANGED_TIMES * fmax(id->config.tolerance,
					CHANGED_TOLERANCE / CHANGED_TIMES),
	       CHANGED_AMBIENT_C, CHANGED_SLOW_C);
}

/*
 * Return: true when it is not to be explained. One reading alone is never
 * enough, however wild.
 */
static bool judge(struct nst_identify *id, double sigmas)
{
	double tame = fmin(fmax(sigmas, -WILD_SIGMAS), WILD_SIGMAS);

	id->trend += (tame - id->trend) * TREND_SHARE;
	id->wild = fabs(sigmas) > WILD_SIGMAS ? id->wild + 1 : 0;
	return id->wild >= WILD_READINGS ||
	       fabs(id->trend) > TREND_SIGMAS * trend_sd();
}

bool nst_identify_reading(struct nst_identify *id, double temp_c,
			  double var_c2)
{
	double jump = id->gain_fast * id->drive_w;
	double off = temp_c - nst_identify_die_c(id);
	double bend = settle_off_c(id) * id->p[LN_TAU][LN_TAU];
	/* In the milliseconds behind an edge the die's own constant matters. */
	double edge = id->gain_fast * id->slant_w * 2 * id->config.tolerance;
	double ph[N], s;

	for (int i = 0; i < N; i++)
		ph[i] = id->p[i][SLOW] + jump * id->p[i][R_JP];
	s = ph[SLOW] + jump * ph[R_JP] + var_c2 + BEND * bend * bend +
	    edge * edge;
	/* That is no temperature, or no reading. */
	if (!(var_c2 > 0) || !isfinite(s) || !(fabs(off) < OFF_MAX_C))
		return false;
	if (id->primed && judge(id, off / sqrt(s))) {
		changed(id, off);
		return true;
	}
	/* The next ones tell whether it was the reading or the stack. */
	if (id->wild)
		return false;
	id->primed = true;
	for (int i = 0; i < N; i++)
		id->x[i] += ph[i] * off / s;
	for (int i = 0; i < N; i++)
		for (int k = 0; k <= i; k++) {
			id->p[i][k] -= ph[i] * ph[k] / s;
			id->p[k][i] = id->p[i][k];
		}
	return false;
}

void nst_identify_gap(struct nst_identify *id, double dt_s)
{
	if (!(dt_s > 0))
		return;
	for (int k = 0; k < N; k++) {
		id->p[SLOW][k] = 0;
		id->p[k][SLOW] = 0;
	}
	id->p[SLOW][SLOW] = PACKAGE_SD_C * PACKAGE_SD_C;
	id->p[AMBIENT][AMBIENT] += id->config.wander_c * id->config.wander_c *
				   dt_s;
	id->trend = 0;
	id->wild = 0;
}

void nst_identify_move_ambient(struct nst_identify *id, double by_c)
{
	if (!(fabs(by_c) < OFF_MAX_C))
		return;
	id->x[AMBIENT] += by_c;
	id->p[AMBIENT][AMBIENT] += by_c * by_c * MOVE_SHARE * MOVE_SHARE;
}

/* --------------------------------------------------------------- answers */

static double half_of(double var)
{
	return Z95 * sqrt(var > 0 ? var : 0);
}

static struct nst_fit_value ratio(double value, double less_one, double var)
{
	double half = half_of(var);
	struct nst_fit_value v = {
		.value = value * (1 + less_one),
		.lo = value * (1 + less_one - half),
		.hi = value * (1 + less_one + half),
	};

	return v;
}

static struct nst_fit_value log_ratio(double value, double ln, double var)
{
	double half = half_of(var);
	struct nst_fit_value v = {
		.value = value * exp(ln),
		.lo = value * exp(ln - half),
		.hi = value * exp(ln + half),
	};

	return v;
}

struct nst_fit_value nst_identify_value(const struct nst_identify *id,
					enum nst_identify_param param)
{
	const struct nst_identify_config *c = &id->config;
	double span = c->near_w - c->gated_w, half;
	struct nst_fit_value v;

	switch (param) {
	case NST_IDENT_R_PA:
		return ratio(c->params.r_pa_mk_per_w / 1000.0, id->x[R_PA],
			     id->p[R_PA][R_PA]);
	case NST_IDENT_R_JP:
		return ratio(c->params.r_jp_mk_per_w / 1000.0, id->x[R_JP],
			     id->p[R_JP][R_JP]);
	case NST_IDENT_TAU_P:
		return log_ratio((double)c->params.r_pa_mk_per_w *
					 c->params.c_p_uj_per_k / 1e9,
				 id->x[LN_TAU], id->p[LN_TAU][LN_TAU]);
	case NST_IDENT_JUMP:
		return ratio(c->params.r_jp_mk_per_w / 1000.0 * span,
			     id->x[R_JP], id->p[R_JP][R_JP]);
	case NST_IDENT_NEAR:
		v = ratio(span, id->x[R_PA], id->p[R_PA][R_PA]);
		v.value += c->gated_w;
		v.lo += c->gated_w;
		v.hi += c->gated_w;
		return v;
	case NST_IDENT_AMBIENT:
	case NST_IDENT_PARAMS:
		break;
	}
	half = half_of(id->p[AMBIENT][AMBIENT]);
	v.value = id->x[AMBIENT];
	v.lo = v.value - half;
	v.hi = v.value + half;
	return v;
}

int nst_identify_plant(const struct nst_identify *id,
		       struct nst_plant_params *ret)
{
	const struct nst_plant_params *was = &id->config.params;
	double r_pa = was->r_pa_mk_per_w * (1 + id->x[R_PA]);
	double r_jp = was->r_jp_mk_per_w * (1 + id->x[R_JP]);
	/* Each mode keeps its own constant. */
	double c_p = was->c_p_uj_per_k * exp(id->x[LN_TAU]) / (1 + id->x[R_PA]);
	double c_j = was->c_j_uj_per_k / (1 + id->x[R_JP]);
	struct nst_plant_params params = *was;

	if (!(r_pa > 0) || !(r_jp > 0) || !(r_pa < UINT32_MAX) || !(r_jp < UINT32_MAX) ||
	    !(c_p < UINT32_MAX) || !(c_j < UINT32_MAX))
		return -ERANGE;
	params.r_pa_mk_per_w = (u32)(r_pa + 0.5);
	params.r_jp_mk_per_w = (u32)(r_jp + 0.5);
	params.c_p_uj_per_k = (u32)(c_p + 0.5);
	params.c_j_uj_per_k = (u32)(c_j + 0.5);
	if (nst_plant_params_check(&params))
		return -ERANGE;
	*ret = params;
	return 0;
}

double nst_identify_ambient_c(const struct nst_identify *id)
{
	return id->x[AMBIENT];
}

double nst_identify_slow_c(const struct nst_identify *id)
{
	return id->x[SLOW];
}

double nst_identify_die_c(const struct nst_identify *id)
{
	return id->x[SLOW] + jump_c(id, id->drive_w);
}

double nst_identify_above_c(const struct nst_identify *id)
{
	return id->config.params.r_jp_mk_per_w / 1000.0 * (1 + id->x[R_JP]) *
	       id->drive_w;
}

double nst_identify_ratio(const struct nst_identify *id,
			  enum nst_identify_param param)
{
	switch (param) {
	case NST_IDENT_R_PA:
		return 1 + id->x[R_PA];
	case NST_IDENT_R_JP:
		return 1 + id->x[R_JP];
	case NST_IDENT_TAU_P:
		return exp(id->x[LN_TAU]);
	case NST_IDENT_AMBIENT:
	case NST_IDENT_NEAR:
	case NST_IDENT_JUMP:
	case NST_IDENT_PARAMS:
		break;
	}
	return NAN;
}

double nst_identify_span_w(const struct nst_identify *id)
{
	return id->config.near_w - id->config.gated_w;
}

double nst_identify_jump_c(const struct nst_identify *id)
{
	return jump_c(id, nst_identify_span_w(id));
}

double nst_identify_settle_off_c(const struct nst_identify *id,
				 double ambient_c, double ratio_r_pa,
				 double ln_tau)
{
	double rise = id->gain_slow * id->mean_w;

	return id->x[AMBIENT] - ambient_c + (1 + id->x[R_PA] - ratio_r_pa) * rise +
	       settle_off_c(id) * (id->x[LN_TAU] - ln_tau);
}

double nst_identify_settle_sd_c(const struct nst_identify *id)
{
	double rise = id->gain_slow * id->mean_w;
	const double h[N] = { 0, 1, rise, 0, settle_off_c(id) };
	double sum = 0;

	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			sum += h[i] * h[k] * id->p[i][k];
	return sum > 0 ? sqrt(sum) : 0;
}

double nst_identify_jump_sd_c(const struct nst_identify *id)
{
	double var = id->p[R_JP][R_JP];

	return id->gain_fast * nst_identify_span_w(id) *
	       sqrt(var > 0 ? var : 0);
}

void nst_identify_ahead(const struct nst_identify *id, const double *power_w,
			const double *dt_s, int steps, double *ret_c,
			double *ret_sd_c)
{
	struct nst_identify at = *id;

	for (int i = 0; i < steps; i++) {
		double jump, var;

		nst_identify_advance(&at, power_w[i], dt_s[i]);
		jump = at.gain_fast * at.drive_w;
		var = at.p[SLOW][SLOW] + 2 * jump * at.p[SLOW][R_JP] +
		      jump * jump * at.p[R_JP][R_JP];
		ret_c[i] = nst_identify_die_c(&at);
		ret_sd_c[i] = var > 0 ? sqrt(var) : 0;
	}
}
