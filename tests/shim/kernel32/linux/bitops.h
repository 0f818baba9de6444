/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_KERNEL32_BITOPS_H
#define SHIM_KERNEL32_BITOPS_H

#include <linux/types.h>

int fls64(u64 x);

#endif /* SHIM_KERNEL32_BITOPS_H */
