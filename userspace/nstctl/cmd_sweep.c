// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cmd_sweep.c - nstctl sweep: every policy in every situation
 *
 * Runs a shard of a matrix into a file, goes on where an earlier run was
 * stopped, and puts files of shards together.
 */
#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "log.h"
#include "nstctl.h"
#include "number.h"
#include "options.h"
#include "sweep_axes.h"

enum {
	OPT_NEAR,
	OPT_AMBIENT,
	OPT_LIGHT,
	OPT_SNR,
	OPT_BOUND,
	OPT_MODE,
	OPT_COST,
	OPT_SENSOR,
	OPT_POLICY,
	OPT_PROFILE,
	OPT_STACK,
	OPT_DURATION,
	OPT_CAPTURES,
	OPT_SEED,
	OPT_SHARD,
	OPT_OUTPUT,
	OPT_MERGE,
	OPT_TABLE,
	OPT_BY,
	OPT_JSON,
	OPT_HELP,
};

static const struct nst_option options[] = {
	[OPT_NEAR] = { "--near-mw", "LIST",
		"near powers; default: those of the reference matrix" },
	[OPT_AMBIENT] = { "--ambient-mc", "LIST",
		"ambient temperatures, mdegC" },
	[OPT_LIGHT] = { "--light", "LIST",
		"names of lights, or traces FILE.csv" },
	[OPT_SNR] = { "--snr", "LIST",
		"what a task asks for, dB, or none; default: 35,26,20,none" },
	[OPT_BOUND] = { "--bound", "LIST",
		"continuous, on-demand: whom it binds; default: each" },
	[OPT_MODE] = { "--mode", "LIST",
		"stop, migration; default: each" },
	[OPT_COST] = { "--switch-cost", "LIST",
		"zero, real: of a migration; default: each" },
	[OPT_SENSOR] = { "--sensor", "LIST",
		"exact, 1c, 1c-noisy; default: each" },
	[OPT_POLICY] = { "--policy", "LIST",
		"policies, gate-for-ever among them; default: all" },
	[OPT_PROFILE] = { "--profile", "FILE",
		"sensor of this profile in place of the reference stack" },
	[OPT_STACK] = { "--stack", "NAME",
		"which of its sensors; default: the first with a vision task" },
	[OPT_DURATION] = { "--duration", "S",
		"seconds counted; default: 300, or the length of the trace" },
	[OPT_CAPTURES] = { "--captures", "RATE",
		"captures a second where they bind; default: 1/60" },
	[OPT_SEED] = { "--seed", "N",
		"seed of captures and sensor noise; default: 1" },
	[OPT_SHARD] = { "--shard", "I/N",
		"run every N-th cell, from the I-th on" },
	[OPT_OUTPUT] = { "--output", "FILE",
		"write here, and go on where it ends; default: standard output" },
	[OPT_MERGE] = { "--merge", NULL,
		"run nothing: put the files of shards together" },
	[OPT_TABLE] = { "--table", NULL,
		"print tables of policies instead of rows" },
	[OPT_BY] = { "--by", "LIST",
		"columns that have tables of their own; default: mode,switch_cost,sensor" },
	[OPT_JSON] = { "--json", NULL,
		"print JSON instead of CSV" },
	[OPT_HELP] = { "--help", NULL,
		"show this help" },
};

#define COMMAND "nstctl sweep"

#define DURATION_MAX_S 31536000.0
#define DEFAULT_BY "mode,switch_cost,sensor"

struct request {
	struct nst_sweep_lists lists;
	const char *profile;
	const char *stack;
	const char *shard_text;
	const char *output;
	const char *by;
	enum nst_sweep_column by_columns[NST_SWEEP_LIST_MAX];
	size_t by_count;
	double duration_s;
	double captures_hz;
	bool has_captures;
	long long seed;
	bool has_seed;
	bool merge;
	bool table;
	bool json;
	bool help;
	const char **files;
	size_t file_count;
	struct nst_sweep_shard shard;
};

/* ------------------------------------------------------ command line --- */

/* Where the text of an option goes that is taken as it is. */
static const char **text_of(struct request *req, int i)
{
	switch (i) {
	case OPT_NEAR:
		return &req->lists.near_mw;
	case OPT_AMBIENT:
		return &req->lists.ambient_mc;
	case OPT_LIGHT:
		return &req->lists.light;
	case OPT_SNR:
		return &req->lists.snr;
	case OPT_BOUND:
		return &req->lists.bound;
	case OPT_MODE:
		return &req->lists.mode;
	case OPT_COST:
		return &req->lists.cost;
	case OPT_SENSOR:
		return &req->lists.sensor;
	case OPT_POLICY:
		return &req->lists.policy;
	case OPT_PROFILE:
		return &req->profile;
	case OPT_STACK:
		return &req->stack;
	case OPT_SHARD:
		return &req->shard_text;
	case OPT_OUTPUT:
		return &req->output;
	case OPT_BY:
		return &req->by;
	default:
		return NULL;
	}
}

static int parse_one(struct nst_options *opts, int i, const char *value,
		     struct request *req)
{
	const char **text = text_of(req, i);

	if (text) {
		*text = value;
		return 0;
	}
	switch (i) {
	case OPT_DURATION:
		return nst_options_real(opts, i, value, 10, DURATION_MAX_S,
					&req->duration_s);
	case OPT_CAPTURES:
		req->has_captures = true;
		return nst_options_real(opts, i, value, 0, 1000,
					&req->captures_hz);
	case OPT_SEED:
		req->has_seed = true;
		return nst_options_int(opts, i, value, 0, INT64_MAX,
				       &req->seed);
	case OPT_MERGE:
		req->merge = true;
		return 0;
	case OPT_TABLE:
		req->table = true;
		return 0;
	case OPT_JSON:
		req->json = true;
		return 0;
	default:
		req->help = true;
		return 0;
	}
}

static int parse_shard(struct request *req)
{
	_cleanup_free_ char *text = NULL;
	long long i, n;
	char *slash;

	req->shard = (struct nst_sweep_shard){ 0, 1 };
	if (!req->shard_text)
		return 0;
	text = strdup(req->shard_text);
	slash = text ? strchr(text, '/') : NULL;
	if (slash)
		*slash = '\0';
	if (!slash || nst_number_int(slash + 1, 1, 1000000, &n) ||
	    nst_number_int(text, 1, n, &i)) {
		fprintf(stderr,
			COMMAND ": --shard: '%s' is not valid; valid: I/N with I from 1 to N, N to 1000000\n",
			req->shard_text);
		return -EINVAL;
	}
	req->shard = (struct nst_sweep_shard){ (size_t)i - 1, (size_t)n };
	return 0;
}

/* What is wrong is told before hours of work, and before a file is lost. */
static int check(struct request *req)
{
	const char *wrong = NULL;

	if (req->merge && !req->file_count)
		wrong = "--merge wants the files of the shards";
	else if (!req->merge && req->file_count)
		wrong = "only --merge takes files";
	else if (req->table && req->json)
		wrong = "--table or --json, not both";
	else if (req->by && !req->table)
		wrong = "--by is for --table";
	else if (req->stack && !req->profile)
		wrong = "--stack is for --profile";
	else if (req->merge && (req->shard_text || req->profile ||
				req->lists.near_mw || req->lists.light))
		wrong = "with --merge nothing is run: no axes and no --shard";
	else if (!req->merge && req->shard.count > 1 &&
		 (req->table || req->json))
		wrong = "a shard is CSV; --table and --json are for the whole: --merge the shards";
	if (wrong) {
		fprintf(stderr, COMMAND ": %s\n", wrong);
		return -EINVAL;
	}
	if (!req->table)
		return 0;
	return nst_sweep_by(req->by ? req->by : DEFAULT_BY, req->by_columns,
			    &req->by_count) ? -EINVAL : 0;
}

static int parse(int argc, char **argv, struct request *req)
{
	struct nst_options opts;
	const char *value;
	int i;

	nst_options_init(&opts, COMMAND, options, NST_ARRAY_SIZE(options),
			 argc, argv);
	while ((i = nst_options_next(&opts, &value)) != NST_OPTIONS_END) {
		if (i == NST_OPTIONS_PLAIN) {
			req->files[req->file_count++] = value;
			continue;
		}
		if (i == NST_OPTIONS_BAD || parse_one(&opts, i, value, req))
			return -EINVAL;
	}
	if (req->help)
		return 0;
	return parse_shard(req) || check(req) ? -EINVAL : 0;
}

/* ------------------------------------------------------------ output --- */

static int put_all(const struct request *req, const struct nst_sweep *s,
		   FILE *out)
{
	int r;

	if (req->table)
		r = nst_sweep_tables(s, req->by_columns, req->by_count, out);
	else if (req->json)
		r = nst_sweep_json(s, out);
	else
		r = nst_sweep_csv(s, out);
	if (r)
		nst_log_err(r, "%s", req->output ? req->output : "output");
	return r ? NST_EXIT_FAILURE : NST_EXIT_OK;
}

static int read_one(struct nst_sweep *s, const char *path)
{
	int r = nst_sweep_read(s, path, NULL, stderr);

	if (r && r != -EINVAL)
		nst_log_err(r, "%s", path);
	return r;
}

static bool no_permission(int err)
{
	return nst_exit_from_errno(err) == NST_EXIT_PERMISSION;
}

/* Every file is looked through, so that all that is wrong is told at once. */
static int merge(const struct request *req)
{
	struct nst_sweep s = { .count = 0 };
	FILE *out = stdout;
	int r = 0, code = NST_EXIT_CONFIG;

	for (size_t i = 0; i < req->file_count; i++) {
		int err = read_one(&s, req->files[i]);

		if (no_permission(err))
			code = NST_EXIT_PERMISSION;
		r |= err;
	}
	if (!r && !nst_sweep_whole(&s, stderr)) {
		if (req->output)
			out = fopen(req->output, "we");
		if (out) {
			code = put_all(req, &s, out);
		} else {
			r = nst_log_err(-errno, "%s", req->output);
			code = nst_exit_from_errno(r);
		}
	}
	if (out && out != stdout && fclose(out) == EOF && !code) {
		nst_log_err(-errno, "%s", req->output);
		code = NST_EXIT_FAILURE;
	}
	nst_sweep_free(&s);
	return code;
}

/* --------------------------------------------------------------- run --- */

/* A cell without a row is one that is missing: no mode without a policy. */
static void leave_out_modes(struct nst_matrix *m)
{
	const struct nst_policy_ops *policies[NST_MATRIX_POLICIES_MAX];
	size_t kept = 0;

	for (size_t i = 0; i < m->mode_count; i++) {
		struct nst_matrix_cell cell = { .mode = m->modes[i] };

		if (nst_matrix_cell_policies(m, &cell, policies))
			m->modes[kept++] = m->modes[i];
	}
	m->mode_count = kept;
}

static int matrix_set(const struct request *req, struct nst_matrix *m)
{
	int r = nst_matrix_reference(m);

	if (r)
		return nst_exit_from_errno(nst_log_err(r, "matrix"));
	if (req->profile)
		r = nst_sweep_base(m, req->profile, req->stack);
	if (!r)
		r = nst_sweep_axes(m, &req->lists);
	if (r)
		return r;
	leave_out_modes(m);
	if (!nst_matrix_count(m)) {
		fprintf(stderr, COMMAND ": the matrix has no cells: no policy runs in a mode asked for\n");
		return NST_EXIT_USAGE;
	}
	m->duration_us = (u64)(req->duration_s * 1e6);
	if (req->has_captures)
		m->captures_hz = req->captures_hz;
	if (req->has_seed)
		m->seed = (u64)req->seed;
	return 0;
}

/* Open the output behind what is there already; Return: 0 or an exit code. */
static int resume(const struct request *req, struct nst_sweep *s, FILE **ret)
{
	FILE *out = fopen(req->output, "a+e");
	struct stat st;
	long keep = 0;
	int r;

	*ret = out;
	if (!out || fstat(fileno(out), &st) < 0) {
		r = nst_log_err(-errno, "%s", req->output);
		return nst_exit_from_errno(r);
	}
	if (flock(fileno(out), LOCK_EX | LOCK_NB) < 0) {
		nst_log_err(-errno, "%s: another run writes to it",
			    req->output);
		return NST_EXIT_RUNNING;
	}
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return nst_sweep_begin(out, s->matrix, &req->shard) ?
			       NST_EXIT_FAILURE :
			       0;
	r = nst_sweep_read(s, req->output, &keep, stderr);
	if (r) {
		if (r != -EINVAL)
			nst_log_err(r, "%s", req->output);
		return NST_EXIT_CONFIG;
	}
	if (s->shards[0].index != req->shard.index ||
	    s->shards[0].count != req->shard.count) {
		fprintf(stderr, "%s:3: shard %zu/%zu, not %zu/%zu\n",
			req->output, s->shards[0].index + 1,
			s->shards[0].count, req->shard.index + 1,
			req->shard.count);
		return NST_EXIT_CONFIG;
	}
	if (keep < st.st_size && ftruncate(fileno(out), keep) < 0) {
		r = nst_log_err(-errno, "%s", req->output);
		return nst_exit_from_errno(r);
	}
	return 0;
}

/**
 * struct optima - what cells share
 * @of: whose optimum it is: cells that differ in the sensor only have one
 */
struct optima {
	struct nst_oracle *oracle;
	size_t of;
	bool there;
	struct nst_optimum optimum;
};

/* All policies in one cell, as text. */
static int run_cell(const struct nst_matrix *m, size_t number,
		    struct optima *o, FILE *text)
{
	const struct nst_policy_ops *policies[NST_MATRIX_POLICIES_MAX];
	struct nst_matrix_run result;
	struct nst_matrix_cell cell;
	size_t n;
	int r = 0;

	nst_matrix_cell(m, number, &cell);
	n = nst_matrix_cell_policies(m, &cell, policies);
	if (!o->there || o->of != number / m->sensor_count)
		nst_matrix_optimum(m, &cell, o->oracle, &o->optimum);
	o->there = true;
	o->of = number / m->sensor_count;
	for (size_t i = 0; i < n && !r; i++) {
		r = nst_matrix_run(m, &cell, policies[i], &o->optimum,
				   &result, stderr);
		if (!r)
			nst_sweep_put(text, &cell, i + 1, n, &result);
	}
	if (r)
		nst_log_err(r, "cell %zu: %u mW, %s, %d mdegC, %g dB %s",
			    number, cell.near_mw, cell.light->name,
			    cell.ambient_mc, cell.demand.snr_db,
			    nst_matrix_bound_name(cell.demand.bound));
	return r;
}

static int keep_lines(struct nst_sweep *s, char *text)
{
	int r = 0;

	for (char *end; *text && !r; text = end + 1) {
		end = strchr(text, '\n');
		*end = '\0';
		r = nst_sweep_append(s, text);
	}
	return r;
}

static int run_cells(const struct request *req, const struct nst_matrix *m,
		     struct nst_sweep *s, FILE *out)
{
	bool keep = req->table || req->json;
	struct optima o = { .oracle = nst_oracle_new() };
	size_t had = s->count, at = 0;
	int r = o.oracle ? 0 : -ENOMEM;

	/* Cells come in order, so what is there already does, too. */
	for (size_t i = req->shard.index; i < s->cells && !r;
	     i += req->shard.count) {
		char *text = NULL;
		size_t size = 0;
		FILE *stream;

		while (at < had && s->rows[at].cell < i)
			at++;
		if (at < had && s->rows[at].cell == i)
			continue;
		stream = open_memstream(&text, &size);
		if (!stream) {
			r = -ENOMEM;
			break;
		}
		r = run_cell(m, i, &o, stream);
		if (fclose(stream) == EOF && !r)
			r = -ENOMEM;
		if (!r && out &&
		    (fwrite(text, 1, size, out) != size ||
		     fflush(out) == EOF))
			r = nst_log_err(-errno, "%s", req->output ?
					req->output : "output");
		if (!r && keep)
			r = keep_lines(s, text);
		free(text);
	}
	nst_oracle_free(o.oracle);
	return r;
}

static int run(const struct request *req, struct nst_matrix *m,
	       struct nst_sweep *s)
{
	bool direct = !req->table && !req->json;
	FILE *out = NULL;
	int r = 0;

	s->matrix = nst_sweep_describe(m, req->profile ? "profile" :
							 "reference");
	s->cells = nst_matrix_count(m);
	if (!s->matrix)
		return NST_EXIT_FAILURE;
	if (req->output) {
		r = resume(req, s, &out);
	} else if (direct) {
		out = stdout;
		r = nst_sweep_begin(out, s->matrix, &req->shard) ?
			    NST_EXIT_FAILURE :
			    0;
	}
	if (!r) {
		switch (run_cells(req, m, s, out)) {
		case 0:
			break;
		case -ENOENT:
		case -EDOM:
		case -ERANGE:
		case -EINVAL:
			r = NST_EXIT_CONFIG;
			break;
		default:
			r = NST_EXIT_FAILURE;
		}
	}
	if (out && out != stdout && fclose(out) == EOF && !r) {
		nst_log_err(-errno, "%s", req->output);
		r = NST_EXIT_FAILURE;
	}
	if (!r && !direct)
		r = put_all(req, s, stdout);
	return r;
}

int nst_cmd_sweep(int argc, char **argv)
{
	_cleanup_free_ const char **files =
		calloc((size_t)argc + 1, sizeof(*files));
	struct nst_matrix *m = calloc(1, sizeof(*m));
	struct request req = { .files = files };
	struct nst_sweep s = { .count = 0 };
	int r = NST_EXIT_FAILURE;

	if (!files || !m) {
		free(m);
		return r;
	}
	if (parse(argc, argv, &req)) {
		r = NST_EXIT_USAGE;
	} else if (req.help) {
		printf("usage: " COMMAND " [OPTIONS]\n"
		       "       " COMMAND " --merge [OPTIONS] FILE...\n");
		nst_options_help(options, NST_ARRAY_SIZE(options), stdout);
		r = NST_EXIT_OK;
	} else if (req.merge) {
		r = merge(&req);
	} else {
		r = matrix_set(&req, m);
		if (!r)
			r = run(&req, m, &s);
	}
	nst_matrix_free(m);
	free(m);
	nst_sweep_free(&s);
	return r;
}
