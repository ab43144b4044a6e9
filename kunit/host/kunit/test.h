/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As much of <kunit/test.h> as the suites use.
 */
#ifndef SSDUP_SHIM_KUNIT_H
#define SSDUP_SHIM_KUNIT_H

#include <setjmp.h>

#include "tools/lib/shim.h"

#define KUNIT_PARAM_DESC_SIZE	128

struct kunit {
	void		*priv;
	const void	*param_value;
	const char	*name;
	char		desc[KUNIT_PARAM_DESC_SIZE];
	bool		failed;
	jmp_buf		abort;
	void		*mem;		/* allocated by the case, a chain */
};

struct kunit_case {
	void		(*run_case)(struct kunit *test);
	const char	*name;
	const void	*(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char	*name;
	int		(*suite_init)(struct kunit_suite *suite);
	void		(*suite_exit)(struct kunit_suite *suite);
	int		(*init)(struct kunit *test);
	void		(*exit)(struct kunit *test);
	struct kunit_case *test_cases;
	struct kunit_suite *next;	/* here only */
};

void kunit_register(struct kunit_suite *suite);
void kunit_note(struct kunit *test, const char *fmt, ...) __printf(2, 3);
void *kunit_zalloc(struct kunit *test, size_t len);
void kunit_kfree(struct kunit *test, void *p);

#define kunit_test_suite(suite) \
	static void __attribute__((constructor)) register_##suite(void) \
	{								\
		kunit_register(&(suite));				\
	}								\
	_Static_assert(1, "takes the semicolon")

#define KUNIT_CASE(fn)			{ .run_case = fn, .name = #fn }
#define KUNIT_CASE_SLOW(fn)		KUNIT_CASE(fn)
#define KUNIT_CASE_PARAM(fn, gen)	{ .run_case = fn, .name = #fn, .generate_params = gen }

#define KUNIT_ARRAY_PARAM(name, array, get_desc) \
	static const void *name##_gen_params(const void *prev, char *desc)	\
	{									\
		typeof(&(array)[0]) next = prev ? (typeof(next))prev + 1 : (array); \
		void (*describe)(typeof(next), char *) = get_desc;		\
										\
		if (next >= (array) + ARRAY_SIZE(array))			\
			return NULL;						\
		if (describe)							\
			describe(next, desc);					\
		return next;							\
	}

#define kunit_kzalloc(test, len, gfp)		kunit_zalloc(test, len)
#define kunit_kmalloc(test, len, gfp)		kunit_zalloc(test, len)
#define kunit_kcalloc(test, n, len, gfp)	kunit_zalloc(test, (size_t)(n) * (len))
#define kunit_kmalloc_array(test, n, len, gfp)	kunit_zalloc(test, (size_t)(n) * (len))

#define kunit_info(test, fmt, ...)	kunit_note(test, fmt, ##__VA_ARGS__)
#define kunit_warn(test, fmt, ...)	kunit_note(test, fmt, ##__VA_ARGS__)
#define kunit_err(test, fmt, ...)	kunit_note(test, fmt, ##__VA_ARGS__)
#define kunit_log(lvl, test, fmt, ...)	kunit_note(test, fmt, ##__VA_ARGS__)

#define KUNIT_SUCCEED(test)		((void)(test))

#define __shim_failed(test, fatal, fmt, ...) do {			\
	kunit_note(test, "%s:%d: " fmt, __FILE__, __LINE__, ##__VA_ARGS__); \
	(test)->failed = true;						\
	if (fatal)							\
		longjmp((test)->abort, 1);				\
} while (0)

#define __shim_cmp(test, fatal, a, op, b, fmt, ...) do {		\
	typeof(a) _a = (a);						\
	typeof(b) _b = (b);						\
	if (!(_a op _b))						\
		__shim_failed(test, fatal, "expected %s %s %s, but %lld and %lld " fmt,	\
			      #a, #op, #b, (long long)_a, (long long)_b, ##__VA_ARGS__); \
} while (0)

#define __shim_true(test, fatal, cond, fmt, ...) do {			\
	if (!(cond))							\
		__shim_failed(test, fatal, "expected %s " fmt, #cond, ##__VA_ARGS__); \
} while (0)

#define __shim_ptr(test, fatal, a, op, b) do {				\
	const void *_pa = (a), *_pb = (b);				\
	if (!(_pa op _pb))						\
		__shim_failed(test, fatal, "expected %s %s %s, but %p and %p", \
			      #a, #op, #b, _pa, _pb);			\
} while (0)

#define KUNIT_FAIL(t, fmt, ...)		__shim_failed(t, false, fmt, ##__VA_ARGS__)

#define KUNIT_EXPECT_TRUE(t, c)		__shim_true(t, false, c, "")
#define KUNIT_EXPECT_FALSE(t, c)	__shim_true(t, false, !(c), "")
#define KUNIT_EXPECT_EQ(t, a, b)	__shim_cmp(t, false, a, ==, b, "")
#define KUNIT_EXPECT_NE(t, a, b)	__shim_cmp(t, false, a, !=, b, "")
#define KUNIT_EXPECT_LT(t, a, b)	__shim_cmp(t, false, a, <, b, "")
#define KUNIT_EXPECT_LE(t, a, b)	__shim_cmp(t, false, a, <=, b, "")
#define KUNIT_EXPECT_GT(t, a, b)	__shim_cmp(t, false, a, >, b, "")
#define KUNIT_EXPECT_GE(t, a, b)	__shim_cmp(t, false, a, >=, b, "")
#define KUNIT_EXPECT_PTR_EQ(t, a, b)	__shim_ptr(t, false, a, ==, b)
#define KUNIT_EXPECT_NULL(t, p)		__shim_ptr(t, false, p, ==, NULL)
#define KUNIT_EXPECT_NOT_NULL(t, p)	__shim_ptr(t, false, p, !=, NULL)
#define KUNIT_EXPECT_STREQ(t, a, b)	__shim_true(t, false, !strcmp(a, b), "")

#define KUNIT_EXPECT_TRUE_MSG(t, c, ...)	__shim_true(t, false, c, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE_MSG(t, c, ...)	__shim_true(t, false, !(c), __VA_ARGS__)
#define KUNIT_EXPECT_EQ_MSG(t, a, b, ...)	__shim_cmp(t, false, a, ==, b, __VA_ARGS__)
#define KUNIT_EXPECT_NE_MSG(t, a, b, ...)	__shim_cmp(t, false, a, !=, b, __VA_ARGS__)
#define KUNIT_EXPECT_LT_MSG(t, a, b, ...)	__shim_cmp(t, false, a, <, b, __VA_ARGS__)
#define KUNIT_EXPECT_LE_MSG(t, a, b, ...)	__shim_cmp(t, false, a, <=, b, __VA_ARGS__)
#define KUNIT_EXPECT_GT_MSG(t, a, b, ...)	__shim_cmp(t, false, a, >, b, __VA_ARGS__)
#define KUNIT_EXPECT_GE_MSG(t, a, b, ...)	__shim_cmp(t, false, a, >=, b, __VA_ARGS__)

#define KUNIT_ASSERT_TRUE(t, c)		__shim_true(t, true, c, "")
#define KUNIT_ASSERT_FALSE(t, c)	__shim_true(t, true, !(c), "")
#define KUNIT_ASSERT_EQ(t, a, b)	__shim_cmp(t, true, a, ==, b, "")
#define KUNIT_ASSERT_NE(t, a, b)	__shim_cmp(t, true, a, !=, b, "")
#define KUNIT_ASSERT_LT(t, a, b)	__shim_cmp(t, true, a, <, b, "")
#define KUNIT_ASSERT_LE(t, a, b)	__shim_cmp(t, true, a, <=, b, "")
#define KUNIT_ASSERT_GT(t, a, b)	__shim_cmp(t, true, a, >, b, "")
#define KUNIT_ASSERT_GE(t, a, b)	__shim_cmp(t, true, a, >=, b, "")
#define KUNIT_ASSERT_PTR_EQ(t, a, b)	__shim_ptr(t, true, a, ==, b)
#define KUNIT_ASSERT_NULL(t, p)		__shim_ptr(t, true, p, ==, NULL)
#define KUNIT_ASSERT_NOT_NULL(t, p)	__shim_ptr(t, true, p, !=, NULL)
#define KUNIT_ASSERT_NOT_ERR_OR_NULL(t, p) KUNIT_ASSERT_NOT_NULL(t, p)

#define KUNIT_ASSERT_TRUE_MSG(t, c, ...)	__shim_true(t, true, c, __VA_ARGS__)
#define KUNIT_ASSERT_FALSE_MSG(t, c, ...)	__shim_true(t, true, !(c), __VA_ARGS__)
#define KUNIT_ASSERT_EQ_MSG(t, a, b, ...)	__shim_cmp(t, true, a, ==, b, __VA_ARGS__)
#define KUNIT_ASSERT_NE_MSG(t, a, b, ...)	__shim_cmp(t, true, a, !=, b, __VA_ARGS__)
#define KUNIT_ASSERT_LT_MSG(t, a, b, ...)	__shim_cmp(t, true, a, <, b, __VA_ARGS__)
#define KUNIT_ASSERT_LE_MSG(t, a, b, ...)	__shim_cmp(t, true, a, <=, b, __VA_ARGS__)
#define KUNIT_ASSERT_GT_MSG(t, a, b, ...)	__shim_cmp(t, true, a, >, b, __VA_ARGS__)
#define KUNIT_ASSERT_GE_MSG(t, a, b, ...)	__shim_cmp(t, true, a, >=, b, __VA_ARGS__)

#endif
