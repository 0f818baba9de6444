/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_KERNEL32_LIMITS_H
#define SHIM_KERNEL32_LIMITS_H

#define U32_MAX ((u32)~0U)

#endif /* SHIM_KERNEL32_LIMITS_H */
