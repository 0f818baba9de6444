// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* out.c - JSON text into a buffer of fixed size, see out.h */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "out.h"
#include "request.h"
#include "units.h"

void nst_out_printf(struct nst_out *o, const char *format, ...)
{
	va_list ap;
	int n;

	if (o->full)
		return;
	va_start(ap, format);
	n = vsnprintf(o->buf + o->len, o->size - o->len, format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= o->size - o->len) {
		o->buf[o->len] = '\0';
		o->full = true;
		return;
	}
	o->len += (size_t)n;
}

void nst_out_string(struct nst_out *o, const char *text)
{
	const char *end = text + strlen(text);

	nst_out_printf(o, "\"");
	while (text < end) {
		size_t len = nst_utf8_len(text, end);
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			nst_out_printf(o, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			nst_out_printf(o, "\\u%04x", c);
		else if (!len)
			nst_out_printf(o, "?");
		else
			nst_out_printf(o, "%.*s", (int)len, text);
		text += len ? len : 1;
	}
	nst_out_printf(o, "\"");
}

void nst_out_temp(struct nst_out *o, const char *key, int temp_mc)
{
	if (temp_mc != NST_TEMP_NONE_MC)
		nst_out_printf(o, ",\"%s\":%d", key, temp_mc);
}
