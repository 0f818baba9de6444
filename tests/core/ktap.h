/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ktap.h - results of a C test program, one line each
 *
 * The plan comes last, so that a program that dies is seen to have died.
 */
#ifndef TESTS_KTAP_H
#define TESTS_KTAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct ktap {
	int count;
	int failed;
};

__attribute__((format(printf, 3, 4)))
static inline bool ktap_ok(struct ktap *ktap, bool ok, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d ", ok ? "" : "not ", ++ktap->count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	ktap->failed += !ok;
	return ok;
}

/* Return: the exit status */
static inline int ktap_end(const struct ktap *ktap)
{
	printf("1..%d\n", ktap->count);
	return ktap->failed || !ktap->count ? 1 : 0;
}

#endif /* TESTS_KTAP_H */
