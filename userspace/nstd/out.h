/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * out.h - JSON text into a buffer of fixed size
 *
 * What does not fit is cut and remembered: check nst_out_full() before the
 * text is sent.
 */
#ifndef NST_OUT_H
#define NST_OUT_H

#include <stdbool.h>
#include <stddef.h>

struct nst_out {
	char *buf;
	size_t size;
	size_t len;
	bool full;
};

static inline void nst_out_init(struct nst_out *o, char *buf, size_t size)
{
	*o = (struct nst_out){ .buf = buf, .size = size };
	buf[0] = '\0';
}

void nst_out_printf(struct nst_out *o, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** nst_out_string() - quoted and escaped; what is not UTF-8 becomes '?' */
void nst_out_string(struct nst_out *o, const char *text);

/** nst_out_temp() - "key":number, with a comma before it; nothing for NONE */
void nst_out_temp(struct nst_out *o, const char *key, int temp_mc);

#endif /* NST_OUT_H */
