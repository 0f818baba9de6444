// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* json.c - reading packets where they are, and writing them: see json.h */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "json.h"

/* ----------------------------------------------------------------- walk */

static const char *skip_space(const char *pos, const char *end)
{
	while (pos < end && (*pos == ' ' || *pos == '\t' || *pos == '\n' ||
			     *pos == '\r'))
		pos++;
	return pos;
}

/* Behind the closing quote, or NULL. @pos is behind the opening one. */
static const char *skip_string(const char *pos, const char *end)
{
	for (; pos < end; pos++) {
		if (*pos == '"')
			return pos + 1;
		if (*pos == '\\')
			pos++;
	}
	return NULL;
}

/* Behind the value that begins at @pos, or NULL. */
static const char *skip_value(const char *pos, const char *end)
{
	unsigned int depth = 0;

	do {
		if (pos >= end)
			return NULL;
		switch (*pos) {
		case '"':
			pos = skip_string(pos + 1, end);
			if (!pos)
				return NULL;
			break;
		case '{':
		case '[':
			depth++;
			pos++;
			break;
		case '}':
		case ']':
			if (!depth)
				return NULL;
			depth--;
			pos++;
			break;
		default:
			if (!depth) {
				size_t len = 0;

				while (pos + len < end &&
				       !strchr(",]} \t\r\n", pos[len]))
					len++;
				return len ? pos + len : NULL;
			}
			pos++;
		}
	} while (depth);
	return pos;
}

bool libnst_walk_begin(struct libnst_walk *w, struct libnst_value v, char open)
{
	*w = (struct libnst_walk){ 0 };
	if (!v.text || !v.len || *v.text != open)
		return false;
	w->pos = v.text + 1;
	w->end = v.text + v.len;
	w->close = open == '{' ? '}' : ']';
	w->first = true;
	return true;
}

static int broken(struct libnst_walk *w)
{
	w->close = 0;
	return -EPROTO;
}

static const char *read_key(struct libnst_walk *w, struct libnst_value *ret)
{
	const char *pos = w->pos, *after;

	if (pos >= w->end || *pos != '"')
		return NULL;
	after = skip_string(pos + 1, w->end);
	if (!after)
		return NULL;
	ret->text = pos + 1;
	ret->len = (size_t)(after - pos) - 2;
	pos = skip_space(after, w->end);
	if (pos >= w->end || *pos != ':')
		return NULL;
	return skip_space(pos + 1, w->end);
}

int libnst_walk_next(struct libnst_walk *w, struct libnst_value *ret_key,
		     struct libnst_value *ret)
{
	const char *after;

	if (!w->close)
		return 0;
	w->pos = skip_space(w->pos, w->end);
	if (w->pos >= w->end)
		return broken(w);
	if (*w->pos == w->close) {
		w->close = 0;
		return 0;
	}
	if (!w->first) {
		if (*w->pos != ',')
			return broken(w);
		w->pos = skip_space(w->pos + 1, w->end);
	}
	w->first = false;
	if (w->close == '}') {
		w->pos = read_key(w, ret_key);
		if (!w->pos)
			return broken(w);
	}
	after = skip_value(w->pos, w->end);
	if (!after)
		return broken(w);
	ret->text = w->pos;
	ret->len = (size_t)(after - w->pos);
	w->pos = after;
	return 1;
}

static bool same(struct libnst_value v, const char *text)
{
	return strlen(text) == v.len && !memcmp(v.text, text, v.len);
}

struct libnst_value libnst_get(struct libnst_value object, const char *key)
{
	struct libnst_value k, v;
	struct libnst_walk w;

	if (libnst_walk_begin(&w, object, '{'))
		while (libnst_walk_next(&w, &k, &v) > 0)
			if (same(k, key))
				return v;
	return (struct libnst_value){ 0 };
}

/* --------------------------------------------------------------- values */

static bool read_int(struct libnst_value v, int64_t *ret)
{
	bool minus = v.len && *v.text == '-';
	int64_t val = 0;

	if (!v.text || v.len == minus)
		return false;
	for (size_t i = minus; i < v.len; i++) {
		char c = v.text[i];

		if (c < '0' || c > '9' ||
		    __builtin_mul_overflow(val, 10, &val) ||
		    __builtin_sub_overflow(val, c - '0', &val))
			return false;
	}
	if (!minus && val == INT64_MIN)
		return false;
	*ret = minus ? val : -val;
	return true;
}

int64_t libnst_int(struct libnst_value v, int64_t missing)
{
	int64_t val;

	return read_int(v, &val) ? val : missing;
}

bool libnst_bool(struct libnst_value v, bool missing)
{
	if (v.text && same(v, "true"))
		return true;
	return v.text && same(v, "false") ? false : missing;
}

/* Four hexadecimal digits as Latin-1, a question mark beyond. */
static char from_hex(const char *pos, const char *end)
{
	unsigned int val = 0;

	for (int i = 0; i < 4; i++) {
		char c = pos + i < end ? pos[i] : 'x';

		val <<= 4;
		if (c >= '0' && c <= '9')
			val |= (unsigned int)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			val |= (unsigned int)((c | 0x20) - 'a' + 10);
		else
			return '?';
	}
	return val > 0 && val < 0x80 ? (char)val : '?';
}

static char from_escape(char c)
{
	switch (c) {
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	default:
		return c;
	}
}

void libnst_text(struct libnst_value v, char *buf, size_t size)
{
	const char *pos, *end;
	size_t len = 0;

	buf[0] = '\0';
	if (!v.text || v.len < 2 || *v.text != '"')
		return;
	end = v.text + v.len - 1;
	for (pos = v.text + 1; pos < end && len + 1 < size; pos++) {
		if (*pos != '\\') {
			buf[len++] = *pos;
			continue;
		}
		if (++pos >= end)
			break;
		if (*pos == 'u') {
			buf[len++] = from_hex(pos + 1, end);
			pos += 4;
		} else {
			buf[len++] = from_escape(*pos);
		}
	}
	/* Not in the middle of a character. */
	if (len + 1 == size && pos < end)
		while (len && ((unsigned char)*pos & 0xc0) == 0x80) {
			pos--;
			len--;
		}
	buf[len] = '\0';
}

bool libnst_is(struct libnst_value v, const char *text)
{
	size_t len = strlen(text);

	return v.text && v.len == len + 2 && *v.text == '"' &&
	       !memcmp(v.text + 1, text, len);
}

/* --------------------------------------------------------------- fields */

static bool store(const struct libnst_field *f, struct libnst_value v,
		  char *to)
{
	int64_t number = 0;
	bool truth;

	switch (f->type) {
	case LIBNST_TEXT:
		libnst_text(v, to, f->size);
		return *v.text == '"';
	case LIBNST_BOOL:
		truth = libnst_bool(v, false);
		memcpy(to, &truth, sizeof(truth));
		return *v.text == 't' || *v.text == 'f';
	default:
		break;
	}
	if (!read_int(v, &number))
		return false;
	if (f->type == LIBNST_S32) {
		int32_t n = (int32_t)number;

		if (number != n)
			return false;
		memcpy(to, &n, sizeof(n));
	} else if (f->type == LIBNST_U32) {
		uint32_t n = (uint32_t)number;

		if (number != n)
			return false;
		memcpy(to, &n, sizeof(n));
	} else {
		if (f->type == LIBNST_U64 && number < 0)
			return false;
		memcpy(to, &number, sizeof(number));
	}
	return true;
}

int libnst_fill(struct libnst_value object, const struct libnst_field *fields,
		size_t count, void *base, uint64_t *seen)
{
	struct libnst_value k, v;
	struct libnst_walk w;
	size_t next = 0;
	int r;

	if (seen)
		*seen = 0;
	if (!libnst_walk_begin(&w, object, '{'))
		return -EPROTO;
	while ((r = libnst_walk_next(&w, &k, &v)) > 0) {
		/* Members come in the order of the table, as a rule. */
		for (size_t i = 0; i < count; i++) {
			size_t at = (next + i) % count;

			if (!same(k, fields[at].key))
				continue;
			if (store(&fields[at], v,
				  (char *)base + fields[at].offset) && seen)
				*seen |= 1ull << at;
			next = at + 1;
			break;
		}
	}
	return r;
}

/* -------------------------------------------------------------- writing */

static void put(struct libnst_out *o, const char *text, size_t len)
{
	if (o->full || len >= o->size - o->len) {
		o->full = true;
		return;
	}
	memcpy(o->buf + o->len, text, len);
	o->len += len;
	o->buf[o->len] = '\0';
}

void libnst_put(struct libnst_out *o, const char *text)
{
	put(o, text, strlen(text));
}

static void put_key(struct libnst_out *o, const char *key)
{
	put(o, ",\"", 2);
	libnst_put(o, key);
	put(o, "\":", 2);
}

static void put_number(struct libnst_out *o, int64_t value)
{
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	char text[24], *pos = text + sizeof(text);

	do {
		*--pos = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (value < 0)
		*--pos = '-';
	put(o, pos, (size_t)(text + sizeof(text) - pos));
}

void libnst_put_int(struct libnst_out *o, const char *key, int64_t value)
{
	put_key(o, key);
	put_number(o, value);
}

void libnst_put_text(struct libnst_out *o, const char *key, const char *text)
{
	static const char hex[] = "0123456789abcdef";

	put_key(o, key);
	put(o, "\"", 1);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		char escaped[6] = { '\\', 'u', '0', '0', hex[c >> 4],
				    hex[c & 15] };

		if (c == '"' || c == '\\' || c < 0x20)
			put(o, escaped, sizeof(escaped));
		else
			put(o, text, 1);
	}
	put(o, "\"", 1);
}

void libnst_put_real(struct libnst_out *o, const char *key, double value)
{
	int64_t milli = fabs(value) < 1e12 ? llrint(value * 1000)
					   : INT64_MAX;
	uint64_t rest = milli < 0 ? 0 - (uint64_t)milli : (uint64_t)milli;
	char fraction[5] = { '.', (char)('0' + rest / 100 % 10),
			     (char)('0' + rest / 10 % 10),
			     (char)('0' + rest % 10), '\0' };

	put_key(o, key);
	if (milli < 0)
		put(o, "-", 1);
	put_number(o, (int64_t)(rest / 1000));
	libnst_put(o, fraction);
}
