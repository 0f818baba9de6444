// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* options.c - command lines that are read strictly, see options.h */
#include <errno.h>
#include <string.h>

#include "number.h"
#include "options.h"
#include "words.h"

#define OPTIONS_MAX 64
#define HINT_LEN 512

void nst_options_init(struct nst_options *opts, const char *command,
		      const struct nst_option *table, size_t count, int argc,
		      char **argv)
{
	memset(opts, 0, sizeof(*opts));
	opts->command = command;
	opts->table = table;
	opts->count = count < OPTIONS_MAX ? count : OPTIONS_MAX;
	opts->argc = argc;
	opts->argv = argv;
	opts->next = 1;
}

static int unknown(const struct nst_options *opts, const char *name)
{
	const char *words[OPTIONS_MAX];
	char hint[HINT_LEN];

	for (size_t i = 0; i < opts->count; i++)
		words[i] = opts->table[i].name;
	nst_words_hint(hint, sizeof(hint), "valid options", name, words,
		       opts->count);
	fprintf(stderr, "%s: unknown option '%s'; %s\n", opts->command, name,
		hint);
	return NST_OPTIONS_BAD;
}

static int find(const struct nst_options *opts, const char *name, size_t len)
{
	for (size_t i = 0; i < opts->count; i++) {
		if (strlen(opts->table[i].name) == len &&
		    !memcmp(opts->table[i].name, name, len))
			return (int)i;
	}
	return -1;
}

int nst_options_next(struct nst_options *opts, const char **ret_value)
{
	const struct nst_option *option;
	const char *arg, *equals;
	int i;

	*ret_value = NULL;
	if (opts->next >= opts->argc)
		return NST_OPTIONS_END;
	arg = opts->argv[opts->next++];
	if (!opts->only_plain && !strcmp(arg, "--")) {
		opts->only_plain = true;
		return nst_options_next(opts, ret_value);
	}
	if (opts->only_plain || arg[0] != '-' || !arg[1]) {
		*ret_value = arg;
		return NST_OPTIONS_PLAIN;
	}
	if (arg[1] != '-')
		return unknown(opts, arg);

	equals = strchr(arg, '=');
	i = find(opts, arg, equals ? (size_t)(equals - arg) : strlen(arg));
	if (i < 0)
		return unknown(opts, arg);
	option = &opts->table[i];
	if (!option->many && opts->seen & 1ull << i) {
		fprintf(stderr, "%s: option '%s' is given twice\n",
			opts->command, option->name);
		return NST_OPTIONS_BAD;
	}
	opts->seen |= 1ull << i;
	if (!option->value) {
		if (equals) {
			fprintf(stderr, "%s: option '%s' takes no value\n",
				opts->command, option->name);
			return NST_OPTIONS_BAD;
		}
		return i;
	}
	if (!equals && opts->next >= opts->argc) {
		fprintf(stderr, "%s: option '%s' needs a value: %s\n",
			opts->command, option->name, option->value);
		return NST_OPTIONS_BAD;
	}
	*ret_value = equals ? equals + 1 : opts->argv[opts->next++];
	return i;
}

int nst_options_none_plain(const struct nst_options *opts, const char *value)
{
	fprintf(stderr, "%s: '%s' is too many, there are only options\n",
		opts->command, value);
	return NST_OPTIONS_BAD;
}

void nst_options_help(const struct nst_option *table, size_t count, FILE *out)
{
	for (size_t i = 0; i < count; i++) {
		char left[64];

		snprintf(left, sizeof(left), "%s%s%s", table[i].name,
			 table[i].value ? " " : "",
			 table[i].value ? table[i].value : "");
		fprintf(out, "  %-28s %s\n", left, table[i].help);
	}
}

int nst_options_int(const struct nst_options *opts, int option,
		    const char *value, long long min, long long max,
		    long long *ret)
{
	if (!nst_number_int(value, min, max, ret))
		return 0;
	fprintf(stderr,
		"%s: option '%s': '%s' is not valid; valid: an integer from %lld to %lld\n",
		opts->command, opts->table[option].name, value, min, max);
	return NST_OPTIONS_BAD;
}

int nst_options_real(const struct nst_options *opts, int option,
		     const char *value, double min, double max, double *ret)
{
	if (!nst_number_real(value, min, max, ret))
		return 0;
	fprintf(stderr,
		"%s: option '%s': '%s' is not valid; valid: a number from %g to %.10g\n",
		opts->command, opts->table[option].name, value, min, max);
	return NST_OPTIONS_BAD;
}

int nst_options_word(const struct nst_options *opts, int option,
		     const char *value, const char *const *words,
		     size_t count, int *ret)
{
	char hint[HINT_LEN];

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(words[i], value)) {
			*ret = (int)i;
			return 0;
		}
	}
	nst_words_hint(hint, sizeof(hint), "valid", value, words, count);
	fprintf(stderr, "%s: option '%s': '%s' is not valid; %s\n",
		opts->command, opts->table[option].name, value, hint);
	return NST_OPTIONS_BAD;
}
