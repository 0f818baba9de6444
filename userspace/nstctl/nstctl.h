/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * nstctl.h - commands of the tool
 *
 * A command gets its own name as argv[0] and returns an exit code.
 */
#ifndef NSTCTL_H
#define NSTCTL_H

enum nst_exit {
	NST_EXIT_OK = 0,
	NST_EXIT_FAILURE = 1,
	NST_EXIT_NO_DEVICE = 2,
	NST_EXIT_USAGE = 3,
	NST_EXIT_CONFIG = 4,
	NST_EXIT_RUNNING = 5,
	NST_EXIT_PERMISSION = 6,
};

/** nst_exit_from_errno() - code for a negative errno of a run */
int nst_exit_from_errno(int err);

int nst_cmd_probe(int argc, char **argv);
int nst_cmd_sim(int argc, char **argv);
int nst_cmd_sweep(int argc, char **argv);
int nst_cmd_check(int argc, char **argv);
int nst_cmd_explain(int argc, char **argv);
int nst_cmd_dump(int argc, char **argv);
int nst_cmd_plot(int argc, char **argv);
int nst_cmd_status(int argc, char **argv);
int nst_cmd_ask(int argc, char **argv);
int nst_cmd_record(int argc, char **argv);
int nst_cmd_replay(int argc, char **argv);
int nst_cmd_calibrate(int argc, char **argv);

#endif /* NSTCTL_H */
