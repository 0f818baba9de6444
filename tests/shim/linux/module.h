/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module.h - the licence and description lines of a test suite mean nothing
 * in userspace
 */
#ifndef SHIM_LINUX_MODULE_H
#define SHIM_LINUX_MODULE_H

#define MODULE_LICENSE(text) \
	extern const char shim_module_license[sizeof(text)]
#define MODULE_DESCRIPTION(text) \
	extern const char shim_module_description[sizeof(text)]

#endif /* SHIM_LINUX_MODULE_H */
