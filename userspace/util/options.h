/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * options.h - command lines that are read strictly
 *
 * Long options only, in full, as "--name value" or "--name=value"; "--"
 * ends them. A wrong one is answered with the valid ones.
 */
#ifndef NST_OPTIONS_H
#define NST_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/**
 * struct nst_option - one option
 * @value: what its value is called in the help, NULL for a switch
 * @many: may be given more than once
 */
struct nst_option {
	const char *name;
	const char *value;
	const char *help;
	bool many;
};

enum {
	NST_OPTIONS_END = -1,
	NST_OPTIONS_BAD = -2,	/* a message was written */
	NST_OPTIONS_PLAIN = -3,	/* an argument that is no option */
};

/**
 * struct nst_options - a command line being read
 * @command: name in front of messages, for example "nstctl sim"
 */
struct nst_options {
	const char *command;
	const struct nst_option *table;
	size_t count;
	int argc;
	char **argv;
	int next;
	bool only_plain;
	unsigned long long seen;
};

void nst_options_init(struct nst_options *opts, const char *command,
		      const struct nst_option *table, size_t count, int argc,
		      char **argv);

/**
 * nst_options_next() - index into the table, or one of the enum above
 * @ret_value: the value, or the plain argument
 * An option given twice is an error, where many does not say otherwise.
 */
int nst_options_next(struct nst_options *opts, const char **ret_value);

/**
 * nst_options_none_plain() - say that only options are taken
 * @value: the plain argument
 * Return: NST_OPTIONS_BAD.
 */
int nst_options_none_plain(const struct nst_options *opts, const char *value);

/** nst_options_help() - the table as text */
void nst_options_help(const struct nst_option *table, size_t count, FILE *out);

/*
 * Values: 0, or NST_OPTIONS_BAD after a message that names what is valid.
 */
int nst_options_int(const struct nst_options *opts, int option,
		    const char *value, long long min, long long max,
		    long long *ret);
int nst_options_real(const struct nst_options *opts, int option,
		     const char *value, double min, double max, double *ret);
int nst_options_word(const struct nst_options *opts, int option,
		     const char *value, const char *const *words,
		     size_t count, int *ret);

#endif /* NST_OPTIONS_H */
