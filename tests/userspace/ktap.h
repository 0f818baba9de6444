/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ktap.h - tests of a program, printed as KTAP
 *
 * A test is a function. EXPECT() says where it failed and goes on; a test
 * passes when no EXPECT() in it failed.
 */
#ifndef NST_TESTS_KTAP_H
#define NST_TESTS_KTAP_H

#include <stdbool.h>
#include <stdio.h>

static bool ktap_failed;

#define EXPECT(cond, ...)                                               \
	do {                                                            \
		if (!(cond)) {                                          \
			ktap_failed = true;                             \
			printf("# %s:%d: %s", __FILE__, __LINE__, #cond); \
			printf(" -- " __VA_ARGS__);                     \
			printf("\n");                                   \
		}                                                       \
	} while (0)

struct ktap_test {
	const char *name;
	void (*run)(void);
};

/* Runs them all; the exit code of main(). */
static inline int ktap_main(const struct ktap_test *tests, unsigned int count)
{
	unsigned int failures = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n1..%u\n", count);
	for (unsigned int i = 0; i < count; i++) {
		ktap_failed = false;
		tests[i].run();
		printf("%sok %u - %s\n", ktap_failed ? "not " : "", i + 1,
		       tests[i].name);
		failures += ktap_failed;
	}
	return failures ? 1 : 0;
}

#define KTAP_COUNT(a) ((unsigned int)(sizeof(a) / sizeof((a)[0])))

#endif /* NST_TESTS_KTAP_H */
