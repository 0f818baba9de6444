/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * matrix.h - every policy in every situation
 *
 * A matrix is a product of axes: near power, light, weather, what the tasks
 * demand, whether frames may be dropped and what a switch costs, and the
 * temperature sensor. A cell is one point of it; all policies run in it on
 * the same trace, beside the oracle. A cell depends on nothing but its number
 * and the axes, so that cells can be worked out anywhere and in any order.
 */
#ifndef NST_MATRIX_H
#define NST_MATRIX_H

#include <stddef.h>

#include "optimum.h"
#include "sim.h"

#define NST_MATRIX_AXIS_MAX 32
#define NST_MATRIX_POLICIES_MAX 16
#define NST_MATRIX_STEADY_S 300
#define NST_MATRIX_FREE_S 60

enum nst_matrix_bound {
	NST_MATRIX_NONE = 0,	/* the ceiling only */
	NST_MATRIX_CONTINUOUS,	/* every frame */
	NST_MATRIX_ON_DEMAND,	/* captures, asked for at random times */
	NST_MATRIX_BOUND_COUNT
};

enum nst_matrix_mode {
	NST_MATRIX_STOP = 0,		/* frames may be dropped */
	NST_MATRIX_MIGRATION_FREE,	/* every frame, switches are free */
	NST_MATRIX_MIGRATION,		/* every frame, switches cost */
	NST_MATRIX_MODE_COUNT
};

/**
 * struct nst_matrix_demand - what a task asks for
 * @snr_db: 0 where @bound is none
 */
struct nst_matrix_demand {
	enum nst_matrix_bound bound;
	double snr_db;
};

/**
 * struct nst_matrix - axes and what all cells have in common
 * @base: a sensor, with a vision task on it and an imaging task if it likes;
 *	near_mw moves far_mw along, demands take the place of the tasks'
 * @lights: traces
 * @policies: to run; those of the other mode and none of stop and migration
 *	are left out of a cell. The table ends with NULL.
 * @duration_us: counted, 0 for the length of the trace, else
 *	NST_MATRIX_STEADY_S, and NST_MATRIX_FREE_S where no limit binds
 * @captures_hz: mean rate of captures where the bound is on demand
 */
struct nst_matrix {
	struct nst_profile base;
	unsigned int near_mw[NST_MATRIX_AXIS_MAX];
	struct nst_trace lights[NST_MATRIX_AXIS_MAX];
	s32 ambient_mc[NST_MATRIX_AXIS_MAX];
	struct nst_matrix_demand demands[NST_MATRIX_AXIS_MAX];
	enum nst_matrix_mode modes[NST_MATRIX_MODE_COUNT];
	enum nst_sim_sensor sensors[3];
	size_t near_count;
	size_t light_count;
	size_t ambient_count;
	size_t demand_count;
	size_t mode_count;
	size_t sensor_count;
	const struct nst_policy_ops *policies[NST_MATRIX_POLICIES_MAX + 1];
	u64 duration_us;
	double captures_hz;
	u64 seed;
};

/**
 * struct nst_matrix_cell - one point
 * @light: of the matrix
 */
struct nst_matrix_cell {
	size_t number;
	unsigned int near_mw;
	unsigned int far_mw;
	s32 ambient_mc;
	const struct nst_trace *light;
	struct nst_matrix_demand demand;
	enum nst_matrix_mode mode;
	enum nst_sim_sensor sensor;
};

/**
 * struct nst_matrix_run - one policy in one cell
 * @distance: from the oracle, as a share; see nst_matrix_distance()
 * @energy_distance: energy per frame delivered within its limit, against the
 *	oracle's; INFINITY where there is no such frame, NAN without an oracle
 */
struct nst_matrix_run {
	struct nst_sim_result sim;
	struct nst_optimum optimum;
	double distance;
	double energy_distance;
};

/** nst_matrix_reference() - all axes of the reference matrix; 0 or -ENOMEM */
int nst_matrix_reference(struct nst_matrix *ret);
void nst_matrix_free(struct nst_matrix *m);

size_t nst_matrix_count(const struct nst_matrix *m);

/** nst_matrix_cell() - @number below nst_matrix_count() */
void nst_matrix_cell(const struct nst_matrix *m, size_t number,
		     struct nst_matrix_cell *ret);

/**
 * nst_matrix_cell_policies() - what runs in a cell
 * @ret: room for NST_MATRIX_POLICIES_MAX
 * Return: how many. Those that look at no temperature run with the exact
 * sensor in any cell. full-near runs in both modes, and so does
 * nst_matrix_gate_for_ever.
 */
size_t nst_matrix_cell_policies(const struct nst_matrix *m,
				const struct nst_matrix_cell *cell,
				const struct nst_policy_ops **ret);

/* Never runs and never delivers; what a power meter alone would choose. */
extern const struct nst_policy_ops nst_matrix_gate_for_ever;

/**
 * nst_matrix_run() - a policy in a cell
 * @oracle: remembers patterns from call to call, or NULL
 * @optimum: of the cell, from nst_matrix_optimum()
 * @err: what is wrong, one line
 * Return: 0, or as nst_sim_run().
 */
int nst_matrix_run(const struct nst_matrix *m,
		   const struct nst_matrix_cell *cell,
		   const struct nst_policy_ops *policy,
		   const struct nst_optimum *optimum,
		   struct nst_matrix_run *ret, FILE *err);

void nst_matrix_optimum(const struct nst_matrix *m,
			const struct nst_matrix_cell *cell,
			struct nst_oracle *oracle, struct nst_optimum *ret);

/**
 * nst_matrix_distance() - how much worse than the oracle a run is
 *
 * Stop: the share of the oracle's delivered frames that is missing.
 * Migration: energy per frame over the oracle's, less 1; which is the same of
 * mean power where every frame was delivered. A frame that was delivered
 * above its limit is none. INFINITY without any, NAN without an oracle.
 */
double nst_matrix_distance(const struct nst_matrix_run *run, bool drops);

const char *nst_matrix_bound_name(enum nst_matrix_bound bound);
const char *nst_matrix_mode_name(enum nst_matrix_mode mode);
const char *nst_matrix_cost_name(enum nst_matrix_mode mode);
const char *nst_matrix_sensor_name(enum nst_sim_sensor sensor);

#endif /* NST_MATRIX_H */
