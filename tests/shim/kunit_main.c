// SPDX-License-Identifier: GPL-2.0-only
/*
 * kunit_main.c - run the registered suites in userspace, print KTAP
 *
 * One line of result for each case, named suite.case, at the top level: what
 * reads plain TAP counts cases, not files. Exit status 1 after a failure.
 */
#include <kunit/test.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SUITES_MAX 64

/* Both are filled by constructors, before main(). */
static struct kunit_suite *suites[SUITES_MAX];
static size_t suite_count;

struct alloc {
	struct alloc *next;
	max_align_t data[];
};

void shim_register(struct kunit_suite *suite)
{
	if (suite_count == SUITES_MAX) {
		fprintf(stderr, "too many suites: raise SUITES_MAX\n");
		abort();
	}
	suites[suite_count++] = suite;
}

void *kunit_kzalloc(struct kunit *test, size_t size, int gfp)
{
	struct alloc *alloc = calloc(1, sizeof(*alloc) + size);

	(void)gfp;
	if (!alloc)
		return NULL;
	alloc->next = test->allocs;
	test->allocs = alloc;
	return alloc->data;
}

static void free_allocs(struct kunit *test)
{
	struct alloc *alloc, *next;

	for (alloc = test->allocs; alloc; alloc = next) {
		next = alloc->next;
		free(alloc);
	}
	test->allocs = NULL;
}

static void print_where(const struct kunit *test)
{
	printf("# %s.%s", test->suite, test->name);
	if (test->param_desc[0])
		printf(" [%s]", test->param_desc);
	printf(": ");
}

void kunit_info(const struct kunit *test, const char *fmt, ...)
{
	va_list ap;

	print_where(test);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	/* As in the kernel, the newline is the caller's, if at all. */
	if (!*fmt || fmt[strlen(fmt) - 1] != '\n')
		putchar('\n');
}

void shim_fail(struct kunit *test, bool fatal, const char *file, int line,
	       const char *fmt, ...)
{
	va_list ap;

	test->failed = true;
	print_where(test);
	printf("%s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	if (fatal)
		longjmp(test->abort, 1);
}

void kunit_skip(struct kunit *test, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(test->skip_reason, sizeof(test->skip_reason), fmt, ap);
	va_end(ap);
	longjmp(test->abort, 1);
}

/* One run of a case: with one parameter, or the only one. */
static void run_once(struct kunit *test, const struct kunit_suite *suite,
		     const struct kunit_case *kcase)
{
	if (!setjmp(test->abort)) {
		if (suite->init && suite->init(test))
			shim_fail(test, true, __FILE__, __LINE__,
				  "init of the suite failed");
		kcase->run_case(test);
	}
	if (suite->exit)
		suite->exit(test);
	free_allocs(test);
}

static bool run_case(const struct kunit_suite *suite,
		     const struct kunit_case *kcase, int number)
{
	struct kunit test = { .suite = suite->name, .name = kcase->name };

	if (!kcase->generate_params) {
		run_once(&test, suite, kcase);
	} else {
		const void *param = NULL;

		while ((param = kcase->generate_params(param,
						       test.param_desc))) {
			test.param_value = param;
			run_once(&test, suite, kcase);
			test.param_index++;
			test.param_desc[0] = '\0';
		}
		if (!test.param_index)
			shim_fail(&test, false, __FILE__, __LINE__,
				  "no parameters");
	}
	printf("%sok %d %s.%s", test.failed ? "not " : "", number,
	       suite->name, kcase->name);
	if (test.skip_reason[0])
		printf(" # SKIP %s", test.skip_reason);
	putchar('\n');
	fflush(stdout);
	return !test.failed;
}

int main(void)
{
	int total = 0, number = 0, failed = 0;
	const struct kunit_case *kcase;
	size_t i;

	for (i = 0; i < suite_count; i++)
		for (kcase = suites[i]->test_cases; kcase->run_case; kcase++)
			total++;
	printf("KTAP version 1\n1..%d\n", total);
	for (i = 0; i < suite_count; i++)
		for (kcase = suites[i]->test_cases; kcase->run_case; kcase++)
			failed += !run_case(suites[i], kcase, ++number);
	return failed || !total ? 1 : 0;
}
