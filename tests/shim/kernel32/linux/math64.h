/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_KERNEL32_MATH64_H
#define SHIM_KERNEL32_MATH64_H

#include <linux/types.h>

s64 div_s64(s64 dividend, s32 divisor);
u64 div64_u64(u64 dividend, u64 divisor);

#endif /* SHIM_KERNEL32_MATH64_H */
