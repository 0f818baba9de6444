/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * curve.h - accuracy-versus-SNR curves as files
 *
 * policies/profiles/accuracy/README.md has the format.
 */
#ifndef NST_CURVE_H
#define NST_CURVE_H

#include <stdio.h>

#include "accuracy.h"

/**
 * nst_curve_load() - read and check one file
 * @err: "path:line:column: text" of the first thing that is wrong, or NULL
 * Return: 0; errno of opening; -EINVAL after the message; @ret is untouched
 * then.
 */
int nst_curve_load(struct nst_accuracy *ret, const char *path, FILE *err);

#endif /* NST_CURVE_H */
