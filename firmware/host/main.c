// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * main.c - nst-firmware SCRIPT: the whole application against a script
 *
 * Exit status 0 when every test passed, 1 when one failed, 2 when the script
 * could not be read.
 */
#include <stdio.h>

#include "script.h"

int main(int argc, char **argv)
{
	int failures;

	if (argc != 2) {
		fprintf(stderr, "usage: nst-firmware SCRIPT\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	failures = script_run(argv[1]);
	return failures < 0 ? 2 : failures > 0;
}
