/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module.h - the licence and description lines of a test suite mean nothing
 * in userspace
 */
#ifndef SHIM_LINUX_MODULE_H
#define SHIM_LINUX_MODULE_H

#define MODULE_LICENSE(text) struct shim_module_license
#define MODULE_DESCRIPTION(text) struct shim_module_description

#endif /* SHIM_LINUX_MODULE_H */
