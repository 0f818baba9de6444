// SPDX-License-Identifier: GPL-2.0-only
/*
 * kunit-module.c - what makes the KUnit suites a module
 */
#include <linux/module.h>

MODULE_DESCRIPTION("KUnit suites of nst");
MODULE_LICENSE("GPL");
