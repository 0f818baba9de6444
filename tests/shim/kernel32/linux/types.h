/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel32/ - what host.h takes from a kernel, as declarations only
 *
 * The core is compiled against this for a 32-bit processor, to see that it
 * divides 64-bit numbers through the kernel's functions and nothing else: a
 * plain division would leave a call into the compiler's library.
 */
#ifndef SHIM_KERNEL32_TYPES_H
#define SHIM_KERNEL32_TYPES_H

#include <stdbool.h>
#include <stddef.h>

typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#endif /* SHIM_KERNEL32_TYPES_H */
