/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* version.h - what a program was built from */
#ifndef NST_VERSION_H
#define NST_VERSION_H

/**
 * nst_version_print() - "PROGRAM VERSION" on standard output, for --version
 * The version is the date and the name of the commit, of the modules' DKMS
 * package as well.
 */
void nst_version_print(const char *program);

#endif /* NST_VERSION_H */
