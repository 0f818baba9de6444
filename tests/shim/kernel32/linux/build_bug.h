/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_KERNEL32_BUILD_BUG_H
#define SHIM_KERNEL32_BUILD_BUG_H

#define static_assert(cond, ...) _Static_assert(cond, #cond)

#endif /* SHIM_KERNEL32_BUILD_BUG_H */
