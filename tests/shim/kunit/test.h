/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kunit/test.h - the part of KUnit that our suites use, for userspace
 *
 * A suite is written against the KUnit of Linux 5.15 and builds unchanged in
 * a kernel and here. To keep that true the shim is as strict as the kernel:
 * both sides of a comparison must have the same type, and only what is
 * declared below exists. kunit_main.c runs the suites and prints KTAP.
 */
#ifndef SHIM_KUNIT_TEST_H
#define SHIM_KUNIT_TEST_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define KUNIT_PARAM_DESC_SIZE 128
#define GFP_KERNEL 0
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

struct kunit {
	void *priv;
	const void *param_value;
	int param_index;

	/* private to the shim */
	const char *suite;
	const char *name;
	char param_desc[KUNIT_PARAM_DESC_SIZE];
	bool failed;
	char skip_reason[KUNIT_PARAM_DESC_SIZE];
	jmp_buf abort;
	void *allocs;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(test_name) { .run_case = test_name, .name = #test_name }
#define KUNIT_CASE_PARAM(test_name, gen_params) \
	{ .run_case = test_name, .name = #test_name, \
	  .generate_params = gen_params }

#define KUNIT_ARRAY_PARAM(name, array, get_desc)			\
	static const void *name##_gen_params(const void *prev,		\
					     char *desc)		\
	{								\
		const char *first = (const char *)(array);		\
		const char *next = first;				\
									\
		if (prev)						\
			next = (const char *)prev + sizeof((array)[0]);	\
		if (next == first + sizeof(array))			\
			return NULL;					\
		get_desc((const void *)next, desc);			\
		return next;						\
	}

/* Registered before main() runs; the order is that of the link. */
void shim_register(struct kunit_suite *suite);

#define kunit_test_suite(suite)						\
	static __attribute__((constructor)) void shim_register_##suite(void) \
	{								\
		shim_register(&suite);					\
	}								\
	struct kunit_suite

void *kunit_kzalloc(struct kunit *test, size_t size, int gfp);

__attribute__((format(printf, 2, 3)))
void kunit_info(const struct kunit *test, const char *fmt, ...);

__attribute__((format(printf, 5, 6)))
void shim_fail(struct kunit *test, bool fatal, const char *file, int line,
	       const char *fmt, ...);

__attribute__((noreturn, format(printf, 2, 3)))
void kunit_skip(struct kunit *test, const char *fmt, ...);

#define KUNIT_FAIL(test, fmt, ...) \
	shim_fail(test, false, __FILE__, __LINE__, fmt, ##__VA_ARGS__)

#define SHIM_TRUE(test, fatal, cond, want)				\
	do {								\
		if (!!(cond) != (want))					\
			shim_fail(test, fatal, __FILE__, __LINE__,	\
				  "%s is %s", #cond,			\
				  (want) ? "false" : "true");		\
	} while (0)

/* The comparison of two pointers is the kernel's __typecheck(). */
#define SHIM_CMP(test, fatal, left, op, right)				\
	do {								\
		typeof(left) shim_left = (left);			\
		typeof(right) shim_right = (right);			\
									\
		(void)(&shim_left == &shim_right);			\
		if (!(shim_left op shim_right))				\
			shim_fail(test, fatal, __FILE__, __LINE__,	\
				  "%s %s %s, but %lld and %lld",	\
				  #left, #op, #right,			\
				  (long long)shim_left,			\
				  (long long)shim_right);		\
	} while (0)

#define SHIM_PTR(test, fatal, left, op, right)				\
	do {								\
		const void *shim_left = (left);				\
		const void *shim_right = (right);			\
									\
		if (!(shim_left op shim_right))				\
			shim_fail(test, fatal, __FILE__, __LINE__,	\
				  "%s %s %s, but %p and %p", #left,	\
				  #op, #right, shim_left, shim_right);	\
	} while (0)

#define SHIM_STR(test, fatal, left, right)				\
	do {								\
		const char *shim_left = (left);				\
		const char *shim_right = (right);			\
									\
		if (strcmp(shim_left, shim_right))			\
			shim_fail(test, fatal, __FILE__, __LINE__,	\
				  "%s is \"%s\", not \"%s\"", #left,	\
				  shim_left, shim_right);		\
	} while (0)

#define KUNIT_EXPECT_TRUE(test, cond) SHIM_TRUE(test, false, cond, true)
#define KUNIT_EXPECT_FALSE(test, cond) SHIM_TRUE(test, false, cond, false)
#define KUNIT_EXPECT_EQ(test, l, r) SHIM_CMP(test, false, l, ==, r)
#define KUNIT_EXPECT_NE(test, l, r) SHIM_CMP(test, false, l, !=, r)
#define KUNIT_EXPECT_LT(test, l, r) SHIM_CMP(test, false, l, <, r)
#define KUNIT_EXPECT_LE(test, l, r) SHIM_CMP(test, false, l, <=, r)
#define KUNIT_EXPECT_GT(test, l, r) SHIM_CMP(test, false, l, >, r)
#define KUNIT_EXPECT_GE(test, l, r) SHIM_CMP(test, false, l, >=, r)
#define KUNIT_EXPECT_PTR_EQ(test, l, r) SHIM_PTR(test, false, l, ==, r)
#define KUNIT_EXPECT_PTR_NE(test, l, r) SHIM_PTR(test, false, l, !=, r)
#define KUNIT_EXPECT_STREQ(test, l, r) SHIM_STR(test, false, l, r)

#define KUNIT_ASSERT_TRUE(test, cond) SHIM_TRUE(test, true, cond, true)
#define KUNIT_ASSERT_FALSE(test, cond) SHIM_TRUE(test, true, cond, false)
#define KUNIT_ASSERT_EQ(test, l, r) SHIM_CMP(test, true, l, ==, r)
#define KUNIT_ASSERT_NE(test, l, r) SHIM_CMP(test, true, l, !=, r)
#define KUNIT_ASSERT_LT(test, l, r) SHIM_CMP(test, true, l, <, r)
#define KUNIT_ASSERT_LE(test, l, r) SHIM_CMP(test, true, l, <=, r)
#define KUNIT_ASSERT_GT(test, l, r) SHIM_CMP(test, true, l, >, r)
#define KUNIT_ASSERT_GE(test, l, r) SHIM_CMP(test, true, l, >=, r)
#define KUNIT_ASSERT_PTR_EQ(test, l, r) SHIM_PTR(test, true, l, ==, r)
#define KUNIT_ASSERT_PTR_NE(test, l, r) SHIM_PTR(test, true, l, !=, r)
#define KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ptr) \
	SHIM_PTR(test, true, ptr, !=, NULL)

#endif /* SHIM_KUNIT_TEST_H */
