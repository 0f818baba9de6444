// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* sweep_write.c - rows of nstctl sweep as CSV and JSON, see sweep.h */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "number.h"
#include "sweep.h"

const struct nst_sweep_column_info nst_sweep_columns[NST_SWEEP_COLUMN_COUNT] = {
	[NST_SWEEP_CELL] = { "cell", false, false },
	[NST_SWEEP_RUN] = { "run", false, false },
	[NST_SWEEP_RUNS] = { "runs", false, false },
	[NST_SWEEP_NEAR] = { "near_mw", false, false },
	[NST_SWEEP_FAR] = { "far_mw", false, false },
	[NST_SWEEP_AMBIENT] = { "ambient_mc", false, false },
	[NST_SWEEP_LIGHT] = { "light", true, false },
	[NST_SWEEP_SNR] = { "snr_db", true, true },
	[NST_SWEEP_BOUND] = { "bound", true, false },
	[NST_SWEEP_MODE] = { "mode", true, false },
	[NST_SWEEP_COST] = { "switch_cost", true, false },
	[NST_SWEEP_SENSOR] = { "sensor", true, false },
	[NST_SWEEP_POLICY] = { "policy", true, false },
	[NST_SWEEP_LIMIT] = { "limit", true, false },
	[NST_SWEEP_TIME] = { "time_us", false, false },
	[NST_SWEEP_FRAMES] = { "frames", false, false },
	[NST_SWEEP_DELIVERED] = { "frames_delivered", false, false },
	[NST_SWEEP_DROPPED] = { "frames_dropped", false, false },
	[NST_SWEEP_WITHHELD] = { "frames_withheld", false, false },
	[NST_SWEEP_WITHHELD_AVOIDABLE] = { "frames_withheld_avoidable", false,
					   false },
	[NST_SWEEP_VIOLATIONS] = { "violations", false, false },
	[NST_SWEEP_VIOLATIONS_AVOIDABLE] = { "violations_avoidable", false,
					     false },
	[NST_SWEEP_CAPTURES] = { "captures", false, false },
	[NST_SWEEP_CAPTURES_MISSED] = { "captures_missed", false, false },
	[NST_SWEEP_SWITCHES] = { "switches", false, false },
	[NST_SWEEP_ENERGY] = { "energy_mj", false, false },
	[NST_SWEEP_SAVING] = { "saving_permyriad", false, true },
	[NST_SWEEP_DUTY] = { "duty_permyriad", false, false },
	[NST_SWEEP_MAX_TEMP] = { "max_temp_mc", false, false },
	[NST_SWEEP_ORACLE_ENERGY] = { "oracle_energy_mj", false, true },
	[NST_SWEEP_ORACLE_DELIVERED] = { "oracle_frames_delivered", false,
					 true },
	[NST_SWEEP_FORESEEN_ENERGY] = { "foreseen_energy_mj", false, true },
	[NST_SWEEP_FORESEEN_DELIVERED] = { "foreseen_frames_delivered", false,
					   true },
	[NST_SWEEP_DISTANCE] = { "distance_permyriad", false, true },
	[NST_SWEEP_ENERGY_DISTANCE] = { "energy_distance_permyriad", false,
					true },
};

/* -------------------------------------------------------- the matrix --- */

static void describe_lists(FILE *out, const struct nst_matrix *m)
{
	for (size_t i = 0; i < m->near_count; i++)
		fprintf(out, "%s%u", i ? "," : " near_mw=", m->near_mw[i]);
	for (size_t i = 0; i < m->light_count; i++)
		fprintf(out, "%s%s", i ? "," : " light=", m->lights[i].name);
	for (size_t i = 0; i < m->ambient_count; i++)
		fprintf(out, "%s%d", i ? "," : " ambient_mc=",
			m->ambient_mc[i]);
	for (size_t i = 0; i < m->demand_count; i++)
		fprintf(out, "%s%g:%s", i ? "," : " demand=",
			m->demands[i].snr_db,
			nst_matrix_bound_name(m->demands[i].bound));
	for (size_t i = 0; i < m->mode_count; i++)
		fprintf(out, "%s%s:%s", i ? "," : " mode=",
			nst_matrix_mode_name(m->modes[i]),
			nst_matrix_cost_name(m->modes[i]));
	for (size_t i = 0; i < m->sensor_count; i++)
		fprintf(out, "%s%s", i ? "," : " sensor=",
			nst_matrix_sensor_name(m->sensors[i]));
	for (size_t i = 0; m->policies[i]; i++)
		fprintf(out, "%s%s", i ? "," : " policy=",
			m->policies[i]->name);
}

/* Files and profiles may change under the same name: their content counts. */
static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ p[i]) * 0x100000001b3ull;
	return hash;
}

static uint64_t mix_trace(uint64_t hash, const struct nst_trace *trace)
{
	for (size_t i = 0; i < trace->count; i++) {
		const struct nst_trace_step *step = &trace->steps[i];
		const uint64_t numbers[] = {
			step->t_us, step->exposure_us, step->iso,
			step->has_ambient, (uint64_t)(int64_t)step->ambient_mc,
			step->has_captures,
		};

		hash = mix(hash, numbers, sizeof(numbers));
		hash = mix(hash, &step->captures_hz, sizeof(step->captures_hz));
	}
	return hash;
}

char *nst_sweep_describe(const struct nst_matrix *m, const char *base)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	char *text = NULL, *dump = NULL;
	size_t size, dump_size = 0;
	FILE *out;

	out = open_memstream(&dump, &dump_size);
	if (!out)
		return NULL;
	nst_profile_dump(&m->base, out);
	if (fclose(out) == EOF || !dump) {
		free(dump);
		return NULL;
	}
	hash = mix(hash, dump, dump_size);
	free(dump);
	for (size_t i = 0; i < m->light_count; i++)
		hash = mix_trace(hash, &m->lights[i]);

	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	fprintf(out, "cells=%zu base=%s content=%016" PRIx64,
		nst_matrix_count(m), base, hash);
	describe_lists(out, m);
	fprintf(out, " duration_us=%llu captures=%g seed=%llu",
		(unsigned long long)m->duration_us, m->captures_hz,
		(unsigned long long)m->seed);
	if (fclose(out) == EOF) {
		free(text);
		return NULL;
	}
	return text;
}

int nst_sweep_begin(FILE *out, const char *matrix,
		    const struct nst_sweep_shard *shard)
{
	fprintf(out, "# nstctl sweep 1\n# matrix %s\n# shard %zu/%zu\n",
		matrix, shard->index + 1, shard->count);
	for (int i = 0; i < NST_SWEEP_COLUMN_COUNT; i++)
		fprintf(out, "%s%s", i ? "," : "", nst_sweep_columns[i].name);
	fputc('\n', out);
	return fflush(out) == EOF ? -errno : 0;
}

/* -------------------------------------------------------------- rows --- */

static void put_share(FILE *out, double share)
{
	fputc(',', out);
	if (isfinite(share) && fabs(share) < 1e9)
		fprintf(out, "%lld", llround(share * NST_PERMYRIAD));
}

static void put_oracle(FILE *out, const struct nst_optimum *o)
{
	if (!o->there) {
		fputs(",,,,", out);
		return;
	}
	fprintf(out, ",%lld,%lld,%lld,%lld", llround(o->energy_j * 1e3),
		llround(o->delivered), llround(o->foreseen_energy_j * 1e3),
		llround(o->foreseen_delivered));
}

static const char *limit_name(const struct nst_optimum *o)
{
	static const char *const names[] = { "free", "binds", "never" };

	return o->there || o->bound == NST_ORACLE_NEVER ? names[o->bound] :
							  "unknown";
}

void nst_sweep_put(FILE *out, const struct nst_matrix_cell *cell, size_t run,
		   size_t runs, const struct nst_matrix_run *result)
{
	const struct nst_sim_result *r = &result->sim;

	fprintf(out, "%zu,%zu,%zu,%u,%u,%d,%s,", cell->number, run, runs,
		cell->near_mw, cell->far_mw, cell->ambient_mc,
		cell->light->name);
	if (cell->demand.bound != NST_MATRIX_NONE)
		fprintf(out, "%g", cell->demand.snr_db);
	fprintf(out, ",%s,%s,%s,%s,%s,%s",
		nst_matrix_bound_name(cell->demand.bound),
		nst_matrix_mode_name(cell->mode),
		nst_matrix_cost_name(cell->mode),
		nst_matrix_sensor_name(cell->sensor), r->policy->name,
		limit_name(&result->optimum));
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		     ",%" PRIu64 ",%" PRIu64,
		(uint64_t)r->time_us, (uint64_t)r->frames,
		(uint64_t)r->frames_delivered, (uint64_t)r->frames_dropped,
		(uint64_t)r->frames_withheld,
		(uint64_t)r->frames_withheld_avoidable);
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		     ",%" PRIu64 ",%" PRIu64 ",",
		(uint64_t)r->violations, (uint64_t)r->violations_avoidable,
		(uint64_t)r->captures, (uint64_t)r->captures_missed,
		(uint64_t)r->switches,
		((uint64_t)r->energy_uj + 500) / 1000);
	/* Per frame delivered: where there is none, nothing was saved. */
	if (r->frames_delivered)
		fprintf(out, "%d", nst_sim_saving_permyriad(r));
	fprintf(out, ",%u,%d", nst_sim_duty_permyriad(r), r->max_temp_mc);
	put_oracle(out, &result->optimum);
	put_share(out, result->distance);
	put_share(out, result->energy_distance);
	fputc('\n', out);
}

int nst_sweep_csv(const struct nst_sweep *s, FILE *out)
{
	const struct nst_sweep_shard all = { 0, 1 };
	int r = nst_sweep_begin(out, s->matrix, &all);

	for (size_t i = 0; i < s->count && !r; i++) {
		if (fputs(s->rows[i].text, out) == EOF ||
		    fputc('\n', out) == EOF)
			r = -errno;
	}
	if (!r && fflush(out) == EOF)
		r = -errno;
	return r;
}

/* -------------------------------------------------------------- JSON --- */

/* A light may be called "05.12": only what is a number by its column is one. */
static struct json_object *json_value(const char *text, int column)
{
	char number[32];
	long long n;
	double real;

	if (!*text)
		return NULL;
	if (nst_sweep_columns[column].text && column != NST_SWEEP_SNR)
		return json_object_new_string(text);
	if (!nst_number_int(text, INT64_MIN, INT64_MAX, &n))
		return json_object_new_int64(n);
	if (nst_number_real(text, -1e9, 1e9, &real))
		return json_object_new_string(text);
	snprintf(number, sizeof(number), "%g", real);
	return json_object_new_double_s(real, number);
}

/* Row by row: a matrix of a million rows need not be held twice. */
int nst_sweep_json(const struct nst_sweep *s, FILE *out)
{
	struct json_object *text = json_object_new_string(s->matrix);

	fprintf(out, "{\n  \"matrix\": %s,\n  \"cells\": %zu,\n  \"runs\": [",
		json_object_to_json_string_ext(text,
					       JSON_C_TO_STRING_NOSLASHESCAPE),
		s->cells);
	json_object_put(text);
	for (size_t i = 0; i < s->count; i++) {
		struct json_object *row = json_object_new_object();

		for (int c = 0; c < NST_SWEEP_COLUMN_COUNT; c++) {
			const struct nst_sweep_column_info *info =
				&nst_sweep_columns[c];

			json_object_object_add(row, info->name,
					       json_value(s->rows[i].value[c],
							  c));
		}
		fprintf(out, "%s\n    %s", i ? "," : "",
			json_object_to_json_string_ext(
				row, JSON_C_TO_STRING_NOSLASHESCAPE |
					     JSON_C_TO_STRING_SPACED));
		json_object_put(row);
	}
	fputs("\n  ]\n}\n", out);
	return fflush(out) == EOF ? -errno : 0;
}
