/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * files.h - keys of a profile that name another file
 *
 * What is in the file is read together with the profile: later nothing has
 * to be opened, and a file that changes has no effect before a reload.
 */
#ifndef NST_PROFILE_FILES_H
#define NST_PROFILE_FILES_H

#include <stdio.h>

#include "keys.h"

/**
 * nst_key_file_find() - the file that a key means, as an absolute path
 * @text: value of the key: a path, from the profile's folder where it does
 *	not begin with '/'; for what ships with nst also a name without '/'
 * @profile_path: of the profile that names it; NULL when a program does, which
 *	has no file of the daemon opened but those that ship with nst
 * @ret: NST_PROFILE_FILE_LEN characters
 * @err: what is wrong and what is valid, without a newline
 * Return: 0, or an errno after the message.
 */
int nst_key_file_find(const struct nst_key *key, const char *text,
		      const char *profile_path, char *ret, FILE *err);

/**
 * nst_key_file_read() - read what a key of type NST_KEY_FILE names
 * @base: struct of the key's scope, which takes it
 * @err: one message per line, or what errno says when there is none
 * Return: 0 or an errno.
 */
int nst_key_file_read(const struct nst_key *key, void *base,
		      const char *path, FILE *err);

#endif /* NST_PROFILE_FILES_H */
