/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_KERNEL32_ERRNO_H
#define SHIM_KERNEL32_ERRNO_H

#define EPERM 1
#define EIO 5
#define EAGAIN 11
#define EBUSY 16
#define ENODEV 19
#define EINVAL 22
#define ERANGE 34
#define ENODATA 61
#define EPROTO 71

#endif /* SHIM_KERNEL32_ERRNO_H */
