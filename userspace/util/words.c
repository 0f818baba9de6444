// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* words.c - messages that name the valid choices, see words.h */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "words.h"

#define WORD_LEN 48

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

unsigned int nst_words_distance(const char *a, const char *b)
{
	unsigned int row[3][WORD_LEN + 1];
	size_t la = strnlen(a, WORD_LEN), lb = strnlen(b, WORD_LEN);

	for (size_t j = 0; j <= lb; j++)
		row[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int *cur = row[i % 3], *up = row[(i + 2) % 3];
		unsigned int *up2 = row[(i + 1) % 3];

		cur[0] = (unsigned int)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned int change = a[i - 1] != b[j - 1];

			cur[j] = min3(up[j] + 1, cur[j - 1] + 1,
				      up[j - 1] + change);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && up2[j - 2] + 1 < cur[j])
				cur[j] = up2[j - 2] + 1;
		}
	}
	return row[la % 3][lb];
}

int nst_words_nearest(const char *word, const char *const *words,
		      size_t count)
{
	size_t len = strlen(word);
	/* One slip in a short word, two in a long one. */
	unsigned int best = len < 4 ? 1 : len < 8 ? 2 : 3;
	int found = -1;

	if (!len || len > WORD_LEN)
		return -1;
	/* The unit left out: readout for readout_us. */
	for (size_t i = 0; i < count; i++) {
		if (!strncmp(word, words[i], len) && words[i][len] == '_')
			return (int)i;
	}
	for (size_t i = 0; i < count; i++) {
		unsigned int d = nst_words_distance(word, words[i]);

		if (d < best || (d == best && found < 0)) {
			best = d;
			found = (int)i;
		}
	}
	return found;
}

static void append(char *buf, size_t size, const char *text)
{
	size_t have = strlen(buf), len = strlen(text);

	if (have + len < size) {
		memcpy(buf + have, text, len + 1);
	} else if (size > 4) {
		size_t keep = size - 4 < have ? size - 4 : have;

		memcpy(buf + keep, "...", 4);
	}
}

void nst_words_hint(char *buf, size_t size, const char *what,
		    const char *word, const char *const *words, size_t count)
{
	int nearest = nst_words_nearest(word, words, count);
	bool any = false;

	if (!size)
		return;
	buf[0] = '\0';
	if (nearest >= 0) {
		append(buf, size, "did you mean '");
		append(buf, size, words[nearest]);
		append(buf, size, "'? ");
	}
	append(buf, size, what);
	append(buf, size, ": ");
	for (size_t i = 0; i < count; i++) {
		if (!*words[i])
			continue;
		if (any)
			append(buf, size, ", ");
		append(buf, size, words[i]);
		any = true;
	}
	if (!any)
		append(buf, size, "none");
}
