/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * host.h - the only host switch of the pure core
 *
 * policies/core is compiled unchanged into nst.ko, into userspace and into
 * the firmware. Whatever the three do not share comes from here: integer
 * types, errno values, 64-bit division and the wide multiply. A port to a
 * fourth host replaces this file and nothing else.
 */
#ifndef NST_HOST_H
#define NST_HOST_H

#if defined(__KERNEL__)

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/types.h>

#ifndef UINT32_MAX
#define UINT32_MAX U32_MAX
#endif

#else /* userspace and firmware */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#if __STDC_HOSTED__
#include <errno.h>
#else
/* Freestanding: the values of Linux, so that a code means one thing. */
#define EPERM 1
#define EIO 5
#define EAGAIN 11
#define EBUSY 16
#define ENODEV 19
#define EINVAL 22
#define ERANGE 34
#define ENODATA 61
#define EPROTO 71
#endif

#ifndef static_assert
#define static_assert _Static_assert
#endif

#endif

/** nst_div_s64() - quotient rounded towards zero; @den must not be 0 */
static inline s64 nst_div_s64(s64 num, s32 den)
{
#if defined(__KERNEL__)
	return div_s64(num, den);
#else
	return num / den;
#endif
}

/** nst_div_u64() - quotient rounded down; @den must not be 0 */
static inline u64 nst_div_u64(u64 num, u64 den)
{
#if defined(__KERNEL__)
	return div64_u64(num, den);
#else
	return num / den;
#endif
}

/**
 * nst_mulhi_u64() - upper half of the 128-bit product
 *
 * Four partial products where the compiler has no 128-bit integer: 32-bit
 * kernels and the microcontroller.
 */
static inline u64 nst_mulhi_u64(u64 a, u64 b)
{
#if defined(__SIZEOF_INT128__)
	return (u64)(((__uint128_t)a * b) >> 64);
#else
	u64 a_lo = (u32)a, a_hi = a >> 32;
	u64 b_lo = (u32)b, b_hi = b >> 32;
	u64 mid = a_hi * b_lo + ((a_lo * b_lo) >> 32);
	u64 mid2 = a_lo * b_hi + (u32)mid;

	return a_hi * b_hi + (mid >> 32) + (mid2 >> 32);
#endif
}

/**
 * nst_mac_q64() - add a * b to the 128-bit number *hi:*lo
 *
 * @lo counts 2^-64 of @hi: with @b a fraction in Q64 this is *hi += a * b
 * with nothing rounded away. |@a| must be below 2^61. The lowest bit of @b
 * is not used, which makes it one signed multiplication.
 */
static inline void nst_mac_q64(s64 *hi, u64 *lo, s64 a, u64 b)
{
#if defined(__SIZEOF_INT128__)
	__uint128_t acc = ((__uint128_t)(u64)*hi << 64) | *lo;

	acc += (__uint128_t)((__int128_t)(a * 2) * (s64)(b >> 1));
	*hi = (s64)(u64)(acc >> 64);
	*lo = (u64)acc;
#else
	u64 mag = a < 0 ? 0 - (u64)a : (u64)a;
	u64 was = *lo;
	u64 mag_hi, mag_lo;

	b &= ~1ull;
	mag_hi = nst_mulhi_u64(mag, b);
	mag_lo = mag * b;
	if (a < 0) {
		*lo = was - mag_lo;
		*hi = (s64)((u64)*hi - mag_hi - (was < mag_lo));
	} else {
		*lo = was + mag_lo;
		*hi = (s64)((u64)*hi + mag_hi + (*lo < was));
	}
#endif
}

/** nst_clz_u64() - leading zero bits; @v must not be 0 */
static inline u32 nst_clz_u64(u64 v)
{
#if defined(__KERNEL__)
	return 64 - (u32)fls64(v);
#else
	return (u32)__builtin_clzll(v);
#endif
}

#endif /* NST_HOST_H */
