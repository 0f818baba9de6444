/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * words.h - messages that name the valid choices
 *
 * A wrong word gets the whole list of right ones, and the nearest first
 * where one is near enough to be a slip of the finger.
 */
#ifndef NST_WORDS_H
#define NST_WORDS_H

#include <stddef.h>

/** nst_words_distance() - edits and swaps of neighbours between two words */
unsigned int nst_words_distance(const char *a, const char *b);

/** nst_words_nearest() - index of the likely meant word, or -1 */
int nst_words_nearest(const char *word, const char *const *words,
		      size_t count);

/**
 * nst_words_hint() - "did you mean 'x'? valid: a, b, x"
 * @what: the noun in front of the list, for example "valid keys"
 * Empty words are left out. The text is cut with "..." when @size is too small.
 */
void nst_words_hint(char *buf, size_t size, const char *what,
		    const char *word, const char *const *words, size_t count);

#endif /* NST_WORDS_H */
