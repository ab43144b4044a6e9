/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the pure files use of the kernel's headers, for user space. Each header
 * that they include becomes this one.
 */
#ifndef SSDUP_LIB_SHIM_H
#define SSDUP_LIB_SHIM_H

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- types --- */

typedef unsigned char u8, __u8;
typedef unsigned short u16, __u16;
typedef unsigned int u32, __u32;
typedef unsigned long long u64, __u64;
typedef signed char s8, __s8;
typedef short s16, __s16;
typedef int s32, __s32;
typedef long long s64, __s64;
typedef u16 __le16;
typedef u32 __le32;
typedef u64 __le64;
typedef u64 sector_t;
typedef unsigned int gfp_t;

#define U8_MAX		((u8)~0U)
#define U16_MAX		((u16)~0U)
#define U32_MAX		(~0U)
#define S32_MAX		((s32)(U32_MAX >> 1))
#define U64_MAX		(~0ULL)
#define S64_MAX		((s64)(U64_MAX >> 1))

/* --- compiler --- */

#define __bitwise
#define __force
#define __packed		__attribute__((packed))
#define __maybe_unused		__attribute__((unused))
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define noinline		__attribute__((noinline))
#define fallthrough		__attribute__((fallthrough))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define barrier()		__asm__ __volatile__("" : : : "memory")
#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile typeof(x) *)&(x) = (v))
#define static_assert(cond, ...) _Static_assert(cond, #cond)
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define EXPORT_SYMBOL(s)
#define EXPORT_SYMBOL_GPL(s)

/* --- numbers --- */

#define BITS_PER_LONG		(8 * (int)sizeof(long))
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK(h, l)		((~0UL >> (BITS_PER_LONG - 1 - (h))) & (~0UL << (l)))
#define GENMASK_ULL(h, l)	((~0ULL >> (63 - (h))) & (~0ULL << (l)))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define DIV_ROUND_UP_ULL(n, d)	DIV_ROUND_UP((u64)(n), d)
#define DIV_ROUND_CLOSEST(n, d)	(((n) + (d) / 2) / (d))
#define round_up(x, y)		((((x) - 1) | ((typeof(x))(y) - 1)) + 1)
#define round_down(x, y)	((x) & ~((typeof(x))(y) - 1))
#define IS_ALIGNED(x, a)	(((x) & ((typeof(x))(a) - 1)) == 0)

/* The types have to be the same, as in older kernels. */
#define __shim_pick(x, op, y) ({ \
	typeof(x) _x = (x);	\
	typeof(y) _y = (y);	\
	(void)(&_x == &_y);	\
	_x op _y ? _x : _y; })
#define min(x, y)		__shim_pick(x, <, y)
#define max(x, y)		__shim_pick(x, >, y)
#define min_t(t, x, y)		min((t)(x), (t)(y))
#define max_t(t, x, y)		max((t)(x), (t)(y))
#define min3(x, y, z)		min(min(x, y), z)
#define max3(x, y, z)		max(max(x, y), z)
#define clamp(v, lo, hi)	min((typeof(v))max(v, lo), hi)
#define clamp_t(t, v, lo, hi)	min_t(t, max_t(t, v, lo), hi)
#define swap(a, b)	do { typeof(a) _t = (a); (a) = (b); (b) = _t; } while (0)
#define abs_diff(a, b)		((a) > (b) ? (a) - (b) : (b) - (a))

static inline u64 div_u64(u64 n, u32 d)
{
	return n / d;
}

static inline u64 div_u64_rem(u64 n, u32 d, u32 *rem)
{
	*rem = n % d;
	return n / d;
}

static inline u64 div64_u64(u64 n, u64 d)
{
	return n / d;
}

static inline u64 div64_u64_rem(u64 n, u64 d, u64 *rem)
{
	*rem = n % d;
	return n / d;
}

static inline s64 div_s64(s64 n, s32 d)
{
	return n / d;
}

static inline s64 div64_s64(s64 n, s64 d)
{
	return n / d;
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 c)
{
	return (__uint128_t)a * b / c;
}

static inline u64 mul_u64_u32_div(u64 a, u32 b, u32 c)
{
	return (__uint128_t)a * b / c;
}

#define do_div(n, d) ({ u32 _r = (n) % (d); (n) /= (d); _r; })

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

static inline int fls64(u64 n)
{
	return n ? 64 - __builtin_clzll(n) : 0;
}

#define __ffs(n)		((u32)__builtin_ctzl(n))
#define ilog2(n)		(fls64(n) - 1)
#define roundup_pow_of_two(n)	(1UL << fls64((n) - 1UL))
#define rounddown_pow_of_two(n)	(1UL << ilog2(n))

#define NSEC_PER_MSEC		1000000L

#define cpu_to_le16(x)		htole16(x)
#define cpu_to_le32(x)		htole32(x)
#define cpu_to_le64(x)		((u64)htole64(x))
#define le16_to_cpu(x)		le16toh(x)
#define le32_to_cpu(x)		le32toh(x)
#define le64_to_cpu(x)		((u64)le64toh(x))

/* Only the type: the kernel links arrays of extents in such lists. */
struct llist_node {
	struct llist_node *next;
};

/* --- functions --- */

#define WARN_ON(cond) ({ \
	bool _warn = !!(cond);						\
	if (_warn) {							\
		fprintf(stderr, "WARN_ON(%s) at %s:%d\n", #cond, __FILE__, __LINE__); \
		abort();						\
	}								\
	_warn; })
#define WARN_ON_ONCE(cond)	WARN_ON(cond)
/* Nothing races here. */
#define data_race(expr)		(expr)
/* The same. */
#define smp_store_release(p, v)	(*(p) = (v))
/* One thread. */
#define smp_load_acquire(p)	(*(p))
#define BUG_ON(cond)		((void)WARN_ON(cond))

#define scnprintf(...)		snprintf(__VA_ARGS__)
#define strscpy(to, from, len)	((void)snprintf(to, len, "%s", from))

#define GFP_KERNEL		0U
#define kzalloc(len, gfp)	calloc(1, len)
#define kmalloc(len, gfp)	malloc(len)
#define kcalloc(n, len, gfp)	calloc(n, len)
#define kfree(p)		free(p)
#define vzalloc(len)		calloc(1, len)
#define vmalloc(len)		malloc(len)
#define vfree(p)		free(p)
#define kvzalloc(len, gfp)	calloc(1, len)
#define kvcalloc(n, len, gfp)	calloc(n, len)
#define kvfree(p)		free(p)

void *memchr_inv(const void *p, int c, size_t len);
u32 crc32c(u32 crc, const void *p, size_t len);
void sort(void *base, size_t nr, size_t size, int (*cmp)(const void *, const void *),
	  void (*swap_func)(void *, void *, int));

#endif
