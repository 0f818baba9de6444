// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* matrix.c - every policy in every situation, see matrix.h */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cleanup.h"
#include "matrix.h"

#define REFERENCE_FPS 30
#define REFERENCE_DEADLINE_MS 100
#define REFERENCE_GAP_MW 1400

/* ---------------------------------------------------------- policies --- */

static void gate_for_ever(const struct nst_policy_config *config,
			  struct nst_policy_state *state,
			  const struct nst_policy_inputs *in,
			  struct nst_policy_outputs *out)
{
	(void)config;
	(void)state;
	(void)in;
	*out = (struct nst_policy_outputs){
		.gate = NST_GATE_STANDBY,
		.placement = NST_PAUSED,
		.reason = NST_WHY_FIXED,
	};
}

const struct nst_policy_ops nst_matrix_gate_for_ever = {
	.name = "gate-for-ever",
	.drops = true,
	.decide = gate_for_ever,
};

/* ------------------------------------------------------------- names --- */

const char *nst_matrix_bound_name(enum nst_matrix_bound bound)
{
	static const char *const names[] = { "none", "continuous",
					     "on-demand" };

	return names[bound];
}

const char *nst_matrix_mode_name(enum nst_matrix_mode mode)
{
	return mode == NST_MATRIX_STOP ? "stop" : "migration";
}

/* Gating alone is no migration and costs nothing. */
const char *nst_matrix_cost_name(enum nst_matrix_mode mode)
{
	return mode == NST_MATRIX_MIGRATION ? "real" : "zero";
}

const char *nst_matrix_sensor_name(enum nst_sim_sensor sensor)
{
	static const char *const names[] = { "exact", "1c", "1c-noisy" };

	return names[sensor];
}

/* --------------------------------------------------------- reference --- */

static void reference_base(struct nst_profile *p)
{
	struct nst_profile_sensor *s = &p->sensors[0];
	struct nst_profile_task *v = &p->tasks[0], *i = &p->tasks[1];

	p->sensor_count = 1;
	p->task_count = 2;
	strcpy(s->name, "reference");
	s->plant = nst_plant_reference;
	s->observer = nst_observer_default;
	s->ambient_mc = 26400;
	s->max_temp_mc = 105000;
	s->doubling_mc = NST_DOUBLING_DEFAULT_MC;
	s->near_mw = 2500;
	s->capture_mw = 100;
	s->far_mw = s->near_mw + REFERENCE_GAP_MW;
	s->switch_us = 100;
	s->readout_us = 1000;
	s->light = *nst_profile_light_find("dim");
	strcpy(v->name, "detect");
	v->kind = NST_TASK_VISION;
	v->fps = REFERENCE_FPS;
	v->stop_frames = 1;
	v->policy = nst_policies[0];
	strcpy(i->name, "still");
	i->kind = NST_TASK_IMAGING;
	i->deadline_ms = REFERENCE_DEADLINE_MS;
}

int nst_matrix_reference(struct nst_matrix *ret)
{
	static const unsigned int near_mw[] = { 1240, 1300, 2000,
						2500, 3000, 4960 };
	static const s32 ambient_mc[] = { 20000, 26400, 30000, 40000 };
	static const double snr_db[] = { 35, 26, 20 };
	struct nst_matrix *m = ret;
	int r;

	memset(m, 0, sizeof(*m));
	reference_base(&m->base);
	memcpy(m->near_mw, near_mw, sizeof(near_mw));
	m->near_count = NST_ARRAY_SIZE(near_mw);
	memcpy(m->ambient_mc, ambient_mc, sizeof(ambient_mc));
	m->ambient_count = NST_ARRAY_SIZE(ambient_mc);
	for (size_t i = 0; i < nst_profile_light_count; i++) {
		r = nst_trace_light(&m->lights[i], &nst_profile_lights[i]);
		if (r) {
			nst_matrix_free(m);
			return r;
		}
		m->light_count++;
	}
	for (size_t i = 0; i < NST_ARRAY_SIZE(snr_db); i++) {
		for (int b = NST_MATRIX_CONTINUOUS; b < NST_MATRIX_BOUND_COUNT;
		     b++)
			m->demands[m->demand_count++] =
				(struct nst_matrix_demand){
					(enum nst_matrix_bound)b, snr_db[i]
				};
	}
	m->demands[m->demand_count++] =
		(struct nst_matrix_demand){ NST_MATRIX_NONE, 0 };
	for (int i = 0; i < NST_MATRIX_MODE_COUNT; i++)
		m->modes[m->mode_count++] = (enum nst_matrix_mode)i;
	for (int i = NST_SIM_EXACT; i <= NST_SIM_1C_NOISY; i++)
		m->sensors[m->sensor_count++] = (enum nst_sim_sensor)i;
	for (size_t i = 0; nst_policies[i] && nst_policies[i]->name; i++) {
		if (i + 1 >= NST_MATRIX_POLICIES_MAX)
			break;
		m->policies[i] = nst_policies[i];
		m->policies[i + 1] = &nst_matrix_gate_for_ever;
	}
	m->captures_hz = 1 / 60.0;
	m->seed = 1;
	return 0;
}

void nst_matrix_free(struct nst_matrix *m)
{
	for (size_t i = 0; i < m->light_count; i++)
		nst_trace_free(&m->lights[i]);
	m->light_count = 0;
}

/* ------------------------------------------------------------- cells --- */

size_t nst_matrix_count(const struct nst_matrix *m)
{
	return m->near_count * m->light_count * m->ambient_count *
	       m->demand_count * m->mode_count * m->sensor_count;
}

static size_t digit(size_t *number, size_t base)
{
	size_t d = *number % base;

	*number /= base;
	return d;
}

/*
 * What the oracle takes longest over changes slowest: patterns hang on power
 * and light.
 */
void nst_matrix_cell(const struct nst_matrix *m, size_t number,
		     struct nst_matrix_cell *ret)
{
	long long gap_mw = (long long)m->base.sensors[0].far_mw -
			   m->base.sensors[0].near_mw;

	ret->number = number;
	ret->sensor = m->sensors[digit(&number, m->sensor_count)];
	ret->mode = m->modes[digit(&number, m->mode_count)];
	ret->demand = m->demands[digit(&number, m->demand_count)];
	ret->ambient_mc = m->ambient_mc[digit(&number, m->ambient_count)];
	ret->light = &m->lights[digit(&number, m->light_count)];
	ret->near_mw = m->near_mw[number];
	ret->far_mw = ret->near_mw + gap_mw > 0 ?
			      (unsigned int)(ret->near_mw + gap_mw) :
			      0;
}

/* A policy that drops frames is none of migration, and the reverse. */
static bool belongs(const struct nst_policy_ops *ops, bool stop)
{
	if (ops == &nst_matrix_gate_for_ever)
		return true;
	if (!strcmp(ops->name, "full-near"))
		return true;
	return ops->drops == stop;
}

size_t nst_matrix_cell_policies(const struct nst_matrix *m,
				const struct nst_matrix_cell *cell,
				const struct nst_policy_ops **ret)
{
	size_t n = 0;

	for (size_t i = 0; m->policies[i]; i++) {
		if (belongs(m->policies[i], cell->mode == NST_MATRIX_STOP))
			ret[n++] = m->policies[i];
	}
	return n;
}

/* Looks at no temperature, so that no sensor makes a difference to it. */
static bool is_fixed(const struct nst_policy_ops *ops)
{
	return ops == &nst_matrix_gate_for_ever ||
	       !strcmp(ops->name, "full-near") ||
	       !strcmp(ops->name, "full-far");
}

/* --------------------------------------------------------------- run --- */

static void demand_set(struct nst_profile *p,
		       const struct nst_matrix_demand *demand)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < p->task_count; i++) {
		struct nst_profile_task *t = &p->tasks[i];
		bool asks = demand->bound == (t->kind == NST_TASK_VISION ?
						      NST_MATRIX_CONTINUOUS :
						      NST_MATRIX_ON_DEMAND);

		if (t->kind != NST_TASK_VISION && !asks)
			continue;
		t->has_snr = asks;
		t->min_snr_db = demand->snr_db;
		t->has_max_temp = false;
		t->has_drop = false;
		p->tasks[kept++] = *t;
	}
	p->task_count = kept;
}

static u64 duration_us(const struct nst_matrix *m,
		       const struct nst_trace *light)
{
	if (m->duration_us)
		return m->duration_us;
	return light->end_us ? light->end_us :
			       NST_MATRIX_STEADY_S * 1000000ull;
}

static void options_set(const struct nst_matrix *m,
			const struct nst_matrix_cell *cell,
			struct nst_profile *profile,
			struct nst_sim_options *opt)
{
	*profile = m->base;
	profile->sensors[0].near_mw = cell->near_mw;
	profile->sensors[0].far_mw = cell->far_mw;
	demand_set(profile, &cell->demand);
	*opt = (struct nst_sim_options){
		.profile = profile,
		.duration_us = duration_us(m, cell->light),
		.has_ambient = true,
		.ambient_mc = cell->ambient_mc,
		.trace = cell->light,
		.switch_cost = cell->mode == NST_MATRIX_MIGRATION,
		.seed = m->seed,
		.sensor_model = cell->sensor,
		.without_oracle = true,
	};
	if (cell->demand.bound == NST_MATRIX_ON_DEMAND)
		opt->capture_rate_hz = m->captures_hz;
	else
		opt->without_captures = true;
}

/* Nothing happens there, and a third of the matrix is such cells. */
static bool is_short(const struct nst_matrix *m,
		     const struct nst_matrix_cell *cell,
		     const struct nst_optimum *optimum)
{
	return !m->duration_us && cell->light->count == 1 &&
	       optimum->bound != NST_ORACLE_BINDS;
}

void nst_matrix_optimum(const struct nst_matrix *m,
			const struct nst_matrix_cell *cell,
			struct nst_oracle *oracle, struct nst_optimum *ret)
{
	struct nst_sim_options opt;
	struct nst_profile profile;

	options_set(m, cell, &profile, &opt);
	nst_optimum_get(ret, oracle, &opt, opt.duration_us,
			cell->mode == NST_MATRIX_STOP);
	if (is_short(m, cell, ret))
		nst_optimum_get(ret, oracle, &opt,
				NST_MATRIX_FREE_S * 1000000ull,
				cell->mode == NST_MATRIX_STOP);
}

static double good_frames(const struct nst_sim_result *r)
{
	u64 hot = r->violations - r->capture_violations;

	return (double)(r->frames_delivered - hot);
}

static double energy_distance(const struct nst_matrix_run *run)
{
	const struct nst_optimum *o = &run->optimum;
	double frames = good_frames(&run->sim);

	if (!o->there)
		return NAN;
	if (frames <= 0.0)
		return INFINITY;
	return (double)run->sim.energy_uj / 1e6 / frames /
		       (o->energy_j / o->delivered) -
	       1.0;
}

double nst_matrix_distance(const struct nst_matrix_run *run, bool drops)
{
	const struct nst_optimum *o = &run->optimum;
	double time_share;

	if (!drops || !o->there)
		return energy_distance(run);
	/* Runs end with a whole frame, the oracle at the time asked for. */
	time_share = run->sim.frames ? (double)run->sim.frames : 1.0;
	return 1.0 - good_frames(&run->sim) / time_share /
			     (o->delivered / o->frames);
}

int nst_matrix_run(const struct nst_matrix *m,
		   const struct nst_matrix_cell *cell,
		   const struct nst_policy_ops *policy,
		   const struct nst_optimum *optimum,
		   struct nst_matrix_run *ret, FILE *err)
{
	struct nst_sim_options opt;
	struct nst_profile profile;
	int r;

	options_set(m, cell, &profile, &opt);
	opt.policy = policy;
	if (is_fixed(policy))
		opt.sensor_model = NST_SIM_EXACT;
	if (is_short(m, cell, optimum))
		opt.duration_us = NST_MATRIX_FREE_S * 1000000ull;
	r = nst_sim_run(&ret->sim, &opt, err);
	if (r)
		return r;
	ret->optimum = *optimum;
	ret->distance = nst_matrix_distance(ret,
					    cell->mode == NST_MATRIX_STOP);
	ret->energy_distance = energy_distance(ret);
	return 0;
}
