// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* sweep_axes.c - lists as axes of a matrix, see sweep_axes.h */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "log.h"
#include "nstctl.h"
#include "number.h"
#include "sweep_axes.h"
#include "words.h"

#define COMMAND "nstctl sweep"

static int bad(const char *option, const char *word, const char *valid)
{
	fprintf(stderr, COMMAND ": --%s: '%s' is not valid; valid: %s\n",
		option, word, valid);
	return NST_EXIT_USAGE;
}

/**
 * list_cut() - words between commas
 * @text: a copy that is cut in place
 */
static int list_cut(const char *option, char *text, const char **words,
		    size_t *ret_n)
{
	size_t n = 0;

	for (;;) {
		char *comma = strchr(text, ',');

		if (comma)
			*comma = '\0';
		if (!*text)
			return bad(option, text, "words between commas");
		if (n == NST_SWEEP_LIST_MAX) {
			fprintf(stderr, COMMAND ": --%s: more than %d\n",
				option, NST_SWEEP_LIST_MAX);
			return NST_EXIT_USAGE;
		}
		for (size_t i = 0; i < n; i++) {
			if (strcmp(words[i], text))
				continue;
			fprintf(stderr, COMMAND ": --%s: '%s' is there twice\n",
				option, text);
			return NST_EXIT_USAGE;
		}
		words[n++] = text;
		if (!comma)
			break;
		text = comma + 1;
	}
	*ret_n = n;
	return 0;
}

static int word_find(const char *option, const char *word,
		     const char *const *valid, size_t count, size_t *ret)
{
	char hint[512];

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(word, valid[i])) {
			*ret = i;
			return 0;
		}
	}
	nst_words_hint(hint, sizeof(hint), "valid", word, valid, count);
	fprintf(stderr, COMMAND ": --%s: '%s' is not valid; %s\n", option,
		word, hint);
	return NST_EXIT_USAGE;
}

/* -------------------------------------------------------------- axes --- */

static int near_set(struct nst_matrix *m, const char **words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		long long value;

		if (nst_number_int(words[i], m->base.sensors[0].capture_mw + 1,
				   NST_POWER_MAX_MW, &value))
			return bad("near-mw", words[i],
				   "whole mW above the capture power, to 100000");
		m->near_mw[i] = (unsigned int)value;
	}
	m->near_count = n;
	return 0;
}

static int ambient_set(struct nst_matrix *m, const char **words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		long long value;

		if (nst_number_int(words[i], -40000, 85000, &value))
			return bad("ambient-mc", words[i], "-40000 to 85000");
		m->ambient_mc[i] = (s32)value;
	}
	m->ambient_count = n;
	return 0;
}

/* A file is called by its name without folder and ending. */
static void short_name(struct nst_trace *trace, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t n = strlen(base);

	if (n > 4 && !strcmp(base + n - 4, ".csv"))
		n -= 4;
	snprintf(trace->name, sizeof(trace->name), "%.*s", (int)n, base);
	for (char *c = trace->name; *c; c++) {
		if (*c == ' ' || *c == ',' || *c == '\n' || *c == '\r')
			*c = '_';
	}
}

static int light_load(struct nst_trace *ret, const char *word)
{
	const struct nst_profile_light *light = nst_profile_light_find(word);
	const char *words[NST_SWEEP_LIST_MAX];
	size_t found;
	int r;

	if (light) {
		r = nst_trace_light(ret, light);
		return r ? nst_exit_from_errno(nst_log_err(r, "light")) : 0;
	}
	if (!strpbrk(word, "./")) {
		for (unsigned int i = 0; i < nst_profile_light_count; i++)
			words[i] = nst_profile_lights[i].name;
		return word_find("light", word, words, nst_profile_light_count,
				 &found);
	}
	r = nst_trace_load(ret, word, stderr);
	if (r) {
		if (r != -EINVAL)
			nst_log_err(r, "%s", word);
		return nst_exit_from_errno(r) == NST_EXIT_PERMISSION ?
			       NST_EXIT_PERMISSION :
			       NST_EXIT_CONFIG;
	}
	short_name(ret, word);
	return 0;
}

static int light_set(struct nst_matrix *m, const char **words, size_t n)
{
	nst_matrix_free(m);
	for (size_t i = 0; i < n; i++) {
		int r = light_load(&m->lights[i], words[i]);

		if (r)
			return r;
		m->light_count++;
		for (size_t j = 0; j < i; j++) {
			if (!strcmp(m->lights[j].name, m->lights[i].name))
				return bad("light", words[i],
					   "files of different names");
		}
	}
	return 0;
}

static int demand_add(struct nst_matrix *m, const char *word,
		      enum nst_matrix_bound bound, double db)
{
	if (m->demand_count == NST_MATRIX_AXIS_MAX)
		return bad("snr", word, "fewer of them");
	m->demands[m->demand_count++] =
		(struct nst_matrix_demand){ bound, db };
	return 0;
}

static int demand_set(struct nst_matrix *m, const char **words, size_t n,
		      const bool *bounds)
{
	int r = 0;

	m->demand_count = 0;
	for (size_t i = 0; i < n && !r; i++) {
		double db = 0;

		if (!strcmp(words[i], "none")) {
			r = demand_add(m, words[i], NST_MATRIX_NONE, 0);
			continue;
		}
		if (nst_number_real(words[i], 0.1, 60, &db))
			return bad("snr", words[i], "0.1 to 60 dB, or none");
		for (int b = NST_MATRIX_CONTINUOUS;
		     b < NST_MATRIX_BOUND_COUNT && !r; b++) {
			if (bounds[b])
				r = demand_add(m, words[i],
					       (enum nst_matrix_bound)b, db);
		}
	}
	return r;
}

static int demands(struct nst_matrix *m, const struct nst_sweep_lists *lists)
{
	static const char *const valid[] = { "none", "continuous",
					     "on-demand" };
	_cleanup_free_ char *bound = strdup(lists->bound ? lists->bound :
					    "continuous,on-demand");
	_cleanup_free_ char *snr = strdup(lists->snr ? lists->snr :
					  "35,26,20,none");
	bool bounds[NST_MATRIX_BOUND_COUNT] = { false };
	const char *words[NST_SWEEP_LIST_MAX];
	size_t n, which = 0;
	int r;

	if (!bound || !snr)
		return NST_EXIT_FAILURE;
	r = list_cut("bound", bound, words, &n);
	for (size_t i = 0; i < n && !r; i++) {
		r = word_find("bound", words[i], valid + 1, 2, &which);
		if (!r)
			bounds[which + 1] = true;
	}
	if (!r)
		r = list_cut("snr", snr, words, &n);
	return r ? r : demand_set(m, words, n, bounds);
}

static int modes(struct nst_matrix *m, const struct nst_sweep_lists *lists)
{
	static const char *const mode_words[] = { "stop", "migration" };
	static const char *const cost_words[] = { "zero", "real" };
	_cleanup_free_ char *mode = strdup(lists->mode ? lists->mode :
					   "stop,migration");
	_cleanup_free_ char *cost = strdup(lists->cost ? lists->cost :
					   "zero,real");
	bool want[2] = { false }, pays[2] = { false };
	const char *words[NST_SWEEP_LIST_MAX];
	size_t n, which = 0;
	int r;

	if (!mode || !cost)
		return NST_EXIT_FAILURE;
	r = list_cut("mode", mode, words, &n);
	for (size_t i = 0; i < n && !r; i++) {
		r = word_find("mode", words[i], mode_words, 2, &which);
		if (!r)
			want[which] = true;
	}
	if (!r)
		r = list_cut("switch-cost", cost, words, &n);
	for (size_t i = 0; i < n && !r; i++) {
		r = word_find("switch-cost", words[i], cost_words, 2, &which);
		if (!r)
			pays[which] = true;
	}
	if (r)
		return r;
	m->mode_count = 0;
	if (want[0])
		m->modes[m->mode_count++] = NST_MATRIX_STOP;
	if (want[1] && pays[0])
		m->modes[m->mode_count++] = NST_MATRIX_MIGRATION_FREE;
	if (want[1] && pays[1])
		m->modes[m->mode_count++] = NST_MATRIX_MIGRATION;
	return 0;
}

static int sensor_set(struct nst_matrix *m, const char **words, size_t n)
{
	static const char *const valid[] = { "exact", "1c", "1c-noisy" };

	for (size_t i = 0; i < n; i++) {
		size_t which = 0;
		int r = word_find("sensor", words[i], valid, 3, &which);

		if (r)
			return r;
		m->sensors[i] = (enum nst_sim_sensor)which;
	}
	m->sensor_count = n;
	return 0;
}

static int policy_set(struct nst_matrix *m, const char **words, size_t n)
{
	const struct nst_policy_ops *all[NST_MATRIX_POLICIES_MAX + 1];
	const char *valid[NST_MATRIX_POLICIES_MAX + 1];
	size_t count = 0;

	memcpy(all, m->policies, sizeof(all));
	for (size_t i = 0; all[i]; i++)
		valid[count++] = all[i]->name;
	for (size_t i = 0; i < n; i++) {
		size_t which = 0;
		int r = word_find("policy", words[i], valid, count, &which);

		if (r)
			return r;
		m->policies[i] = all[which];
		m->policies[i + 1] = NULL;
	}
	return 0;
}

int nst_sweep_axes(struct nst_matrix *m, const struct nst_sweep_lists *lists)
{
	const struct {
		const char *option;
		const char *text;
		int (*set)(struct nst_matrix *m, const char **words, size_t n);
	} axes[] = {
		{ "near-mw", lists->near_mw, near_set },
		{ "ambient-mc", lists->ambient_mc, ambient_set },
		{ "light", lists->light, light_set },
		{ "sensor", lists->sensor, sensor_set },
		{ "policy", lists->policy, policy_set },
	};
	int r = 0;

	for (size_t i = 0; i < NST_ARRAY_SIZE(axes) && !r; i++) {
		const char *words[NST_SWEEP_LIST_MAX];
		_cleanup_free_ char *text = NULL;
		size_t n;

		if (!axes[i].text)
			continue;
		text = strdup(axes[i].text);
		if (!text)
			return NST_EXIT_FAILURE;
		r = list_cut(axes[i].option, text, words, &n);
		if (!r)
			r = axes[i].set(m, words, n);
	}
	if (!r && (lists->snr || lists->bound))
		r = demands(m, lists);
	if (!r && (lists->mode || lists->cost))
		r = modes(m, lists);
	return r;
}

/* -------------------------------------------------------------- base --- */

static int stack_find(const struct nst_profile *p, const char *path,
		      const char *stack, unsigned int *ret)
{
	const char *names[NST_PROFILE_SENSORS_MAX];
	size_t found = 0;
	int r;

	for (unsigned int i = 0; i < p->sensor_count; i++)
		names[i] = p->sensors[i].name;
	if (stack) {
		r = word_find("stack", stack, names, p->sensor_count, &found);
		if (r)
			return r;
	}
	while (!stack && found < p->sensor_count &&
	       !nst_profile_vision_task(p, (unsigned int)found))
		found++;
	if (found == p->sensor_count ||
	    !nst_profile_vision_task(p, (unsigned int)found)) {
		fprintf(stderr, COMMAND ": %s: no vision task on %s\n", path,
			stack ? stack : "any sensor");
		return NST_EXIT_CONFIG;
	}
	*ret = (unsigned int)found;
	return 0;
}

int nst_sweep_base(struct nst_matrix *m, const char *path, const char *stack)
{
	struct nst_profile_task still = m->base.tasks[1];
	struct nst_profile p;
	unsigned int sensor, kept = 0;
	bool imaging = false;
	int r;

	r = nst_profile_load(&p, path, stderr);
	if (r) {
		if (r != -EINVAL)
			nst_log_err(r, "%s", path);
		return NST_EXIT_CONFIG;
	}
	r = stack_find(&p, path, stack, &sensor);
	if (r)
		return r;
	p.sensors[0] = p.sensors[sensor];
	p.sensor_count = 1;
	for (unsigned int i = 0; i < p.task_count; i++) {
		if (p.tasks[i].sensor != sensor)
			continue;
		imaging = imaging || p.tasks[i].kind == NST_TASK_IMAGING;
		p.tasks[kept] = p.tasks[i];
		p.tasks[kept++].sensor = 0;
	}
	if (!imaging && kept < NST_PROFILE_TASKS_MAX)
		p.tasks[kept++] = still;
	p.task_count = kept;

	m->base = p;
	m->near_mw[0] = p.sensors[0].near_mw;
	m->near_count = 1;
	m->ambient_mc[0] = p.sensors[0].ambient_mc;
	m->ambient_count = 1;
	nst_matrix_free(m);
	r = nst_trace_light(&m->lights[0], &p.sensors[0].light);
	if (r)
		return nst_exit_from_errno(nst_log_err(r, "light"));
	m->light_count = 1;
	return 0;
}

int nst_sweep_by(const char *text, enum nst_sweep_column *ret,
		 size_t *ret_count)
{
	static const enum nst_sweep_column columns[] = {
		NST_SWEEP_MODE,	   NST_SWEEP_COST,    NST_SWEEP_SENSOR,
		NST_SWEEP_LIGHT,   NST_SWEEP_BOUND,   NST_SWEEP_SNR,
		NST_SWEEP_NEAR,	   NST_SWEEP_AMBIENT,
	};
	const char *valid[NST_ARRAY_SIZE(columns)];
	const char *words[NST_SWEEP_LIST_MAX];
	_cleanup_free_ char *copy = strdup(text);
	int r;

	for (size_t i = 0; i < NST_ARRAY_SIZE(columns); i++)
		valid[i] = nst_sweep_columns[columns[i]].name;
	if (!copy)
		return NST_EXIT_FAILURE;
	r = list_cut("by", copy, words, ret_count);
	for (size_t i = 0; i < *ret_count && !r; i++) {
		size_t which = 0;

		r = word_find("by", words[i], valid, NST_ARRAY_SIZE(valid),
			      &which);
		if (!r)
			ret[i] = columns[which];
	}
	return r;
}
