// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * main.c - nstctl: look at, try out and draw near-sensor thermal management
 *
 * One table of commands; each command is a file of its own.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "log.h"
#include "nstctl.h"
#include "version.h"
#include "words.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "probe", nst_cmd_probe, "what is here, what is missing and why" },
	{ "status", nst_cmd_status, "what the daemon and the sensors do now" },
	{ "ask", nst_cmd_ask, "could a frame be that cold at that time" },
	{ "record", nst_cmd_record, "write what happens to a recording" },
	{ "sim", nst_cmd_sim, "run a policy on the model of a sensor" },
	{ "sweep", nst_cmd_sweep, "run all policies in many situations" },
	{ "replay", nst_cmd_replay,
	  "run other policies on what was recorded" },
	{ "calibrate", nst_cmd_calibrate,
	  "measure a sensor's noise, or its heat" },
	{ "plot", nst_cmd_plot, "draw a recording as SVG or PNG" },
	{ "check", nst_cmd_check, "check a profile" },
	{ "explain", nst_cmd_explain, "say what a key of a profile means" },
	{ "dump", nst_cmd_dump, "write a profile with every value in force" },
};

int nst_exit_from_errno(int err)
{
	switch (-err) {
	case 0:
		return NST_EXIT_OK;
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
	case ENOTTY:
		return NST_EXIT_NO_DEVICE;
	case EPERM:
	case EACCES:
		return NST_EXIT_PERMISSION;
	case EBUSY:
		return NST_EXIT_RUNNING;
	default:
		return NST_EXIT_FAILURE;
	}
}

static void help(FILE *out)
{
	fprintf(out, "usage: nstctl COMMAND [ARGUMENTS]\n\ncommands:\n");
	for (size_t i = 0; i < NST_ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-9s %s\n", commands[i].name,
			commands[i].help);
	fprintf(out,
		"\n'nstctl COMMAND --help' shows the arguments of a command,\n"
		"'nstctl --version' what this was built from.\n"
		"exit codes: 0 done, 1 failed, 2 not supported or no device,\n"
		"3 wrong command line, 4 wrong configuration, 5 already running,\n"
		"6 no permission\n");
}

int main(int argc, char **argv)
{
	const char *words[NST_ARRAY_SIZE(commands)];
	char hint[512];

	nst_log_init("nstctl", NST_LOG_INFO);
	if (argc < 2) {
		help(stderr);
		return NST_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		help(stdout);
		return NST_EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		nst_version_print("nstctl");
		return NST_EXIT_OK;
	}
	for (size_t i = 0; i < NST_ARRAY_SIZE(commands); i++) {
		int code;

		if (strcmp(argv[1], commands[i].name))
			continue;
		code = commands[i].run(argc - 1, argv + 1);
		/* A full disk must not look like success. */
		if (fflush(stdout) == EOF && code == NST_EXIT_OK) {
			nst_log_err(-errno, "cannot write");
			return NST_EXIT_FAILURE;
		}
		return code;
	}
	for (size_t i = 0; i < NST_ARRAY_SIZE(commands); i++)
		words[i] = commands[i].name;
	nst_words_hint(hint, sizeof(hint), "valid commands", argv[1], words,
		       NST_ARRAY_SIZE(commands));
	fprintf(stderr, "nstctl: unknown command '%s'; %s\n", argv[1], hint);
	return NST_EXIT_USAGE;
}
