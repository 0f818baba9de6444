// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* version.c - see version.h; the Makefile says which, and links it last */
#include <stdio.h>

#include "version.h"

#ifndef NST_VERSION
#define NST_VERSION "0"
#endif

void nst_version_print(const char *program)
{
	printf("%s %s\n", program, NST_VERSION);
}
