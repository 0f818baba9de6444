// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* request.c - flat JSON objects, read in place: see request.h */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "request.h"

struct reader {
	const char *start;
	char *pos;
	const char *end;
	const char *error;
};

static bool fail(struct reader *r, const char *error)
{
	if (!r->error)
		r->error = error;
	return false;
}

static bool at_end(const struct reader *r)
{
	return r->pos >= r->end;
}

static void skip_space(struct reader *r)
{
	while (!at_end(r) && (*r->pos == ' ' || *r->pos == '\t' ||
			      *r->pos == '\n' || *r->pos == '\r'))
		r->pos++;
}

static bool take(struct reader *r, char c)
{
	if (at_end(r) || *r->pos != c)
		return false;
	r->pos++;
	return true;
}

/* -------------------------------------------------------------- strings */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool read_hex4(struct reader *r, uint32_t *ret)
{
	uint32_t val = 0;

	if (r->end - r->pos < 4)
		return fail(r, "\\u needs four hexadecimal digits");
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(r->pos[i]);

		if (digit < 0)
			return fail(r, "\\u needs four hexadecimal digits");
		val = val << 4 | (uint32_t)digit;
	}
	r->pos += 4;
	*ret = val;
	return true;
}

/* An escape is never shorter than what it stands for: in place is safe. */
static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

static bool read_unicode(struct reader *r, char **to)
{
	uint32_t c, low;

	if (!read_hex4(r, &c))
		return false;
	if (c == 0)
		return fail(r, "a NUL in a string");
	if (c >= 0xdc00 && c <= 0xdfff)
		return fail(r, "half of a surrogate pair");
	if (c >= 0xd800 && c <= 0xdbff) {
		if (!take(r, '\\') || !take(r, 'u') || !read_hex4(r, &low) ||
		    low < 0xdc00 || low > 0xdfff)
			return fail(r, "half of a surrogate pair");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	*to = put_utf8(*to, c);
	return true;
}

static bool read_escape(struct reader *r, char **to)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	const char *found;
	char c;

	if (at_end(r))
		return fail(r, "a string without an end");
	c = *r->pos++;
	if (c == 'u')
		return read_unicode(r, to);
	found = c ? strchr(from, c) : NULL;
	if (!found)
		return fail(r, "an unknown escape in a string");
	*(*to)++ = into[found - from];
	return true;
}

size_t nst_utf8_len(const char *pos, const char *end)
{
	const unsigned char *s = (const unsigned char *)pos;
	size_t left = (size_t)(end - pos), len;
	uint32_t c;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (left < len)
		return 0;
	c = s[0] & (0xffu >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if ((len == 3 && c < 0x800) || (len == 4 && c < 0x10000) ||
	    c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	return len;
}

static bool read_string(struct reader *r, const char **ret)
{
	char *to;

	if (!take(r, '"'))
		return fail(r, "a string is expected");
	*ret = to = r->pos;
	while (!at_end(r)) {
		size_t len;

		if (take(r, '"')) {
			*to = '\0';
			return true;
		}
		if (take(r, '\\')) {
			if (!read_escape(r, &to))
				return false;
			continue;
		}
		if ((unsigned char)*r->pos < 0x20)
			return fail(r, "a control character in a string");
		len = nst_utf8_len(r->pos, r->end);
		if (!len)
			return fail(r, "a string that is not UTF-8");
		memmove(to, r->pos, len);
		to += len;
		r->pos += len;
	}
	return fail(r, "a string without an end");
}

/* --------------------------------------------------------------- values */

static bool digits(struct reader *r)
{
	const char *from = r->pos;

	while (!at_end(r) && *r->pos >= '0' && *r->pos <= '9')
		r->pos++;
	return r->pos > from || fail(r, "a digit is expected");
}

static bool to_int64(const char *text, const char *end, int64_t *ret)
{
	bool minus = *text == '-';
	int64_t val = 0;

	for (text += minus; text < end; text++)
		if (__builtin_mul_overflow(val, 10, &val) ||
		    __builtin_sub_overflow(val, *text - '0', &val))
			return false;
	if (!minus && val == INT64_MIN)
		return false;
	*ret = minus ? val : -val;
	return true;
}

static bool read_number(struct reader *r, struct nst_member *m)
{
	const char *from = r->pos;
	bool whole = true;

	take(r, '-');
	if (!take(r, '0') && !digits(r))
		return false;
	if (take(r, '.')) {
		whole = false;
		if (!digits(r))
			return false;
	}
	if (take(r, 'e') || take(r, 'E')) {
		whole = false;
		if (!take(r, '+'))
			take(r, '-');
		if (!digits(r))
			return false;
	}
	m->type = whole && to_int64(from, r->pos, &m->number)
		? NST_MEMBER_INT : NST_MEMBER_REAL;
	m->text = from;
	m->len = (size_t)(r->pos - from);
	return true;
}

static bool read_word(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(r->end - r->pos) < len || memcmp(r->pos, word, len))
		return fail(r, "a value is expected");
	r->pos += len;
	return true;
}

static bool read_value(struct reader *r, struct nst_member *m)
{
	if (at_end(r))
		return fail(r, "a value is expected");
	switch (*r->pos) {
	case '"':
		m->type = NST_MEMBER_STRING;
		return read_string(r, &m->text);
	case 't':
		m->type = NST_MEMBER_BOOL;
		m->truth = true;
		return read_word(r, "true");
	case 'f':
		m->type = NST_MEMBER_BOOL;
		return read_word(r, "false");
	case 'n':
		return read_word(r, "null");
	case '{':
	case '[':
		return fail(r, "a nested value, no request has one");
	default:
		return read_number(r, m);
	}
}

/* A number or a string is copied as it stands, before unescaping. */
static bool keep_id(struct reader *r, struct nst_request *req,
		    const char *from, size_t len, uint8_t type)
{
	if (type == NST_MEMBER_BOOL)
		return fail(r, "\"id\" is a number or a string");
	if (len >= sizeof(req->id))
		return fail(r, "\"id\" is too long");
	memcpy(req->id, from, len);
	req->id[len] = '\0';
	return true;
}

static bool read_member(struct reader *r, struct nst_request *req)
{
	struct nst_member m = { 0 };
	char raw[NST_REQUEST_ID_LEN];
	const char *from;
	size_t len;

	if (!read_string(r, &m.key))
		return false;
	if (nst_request_find(req, m.key))
		return fail(r, "a key twice");
	if (req->count == NST_REQUEST_MEMBERS)
		return fail(r, "too many members");
	skip_space(r);
	if (!take(r, ':'))
		return fail(r, "':' is expected");
	skip_space(r);
	from = r->pos;
	len = (size_t)(r->end - r->pos);
	memcpy(raw, from, len < sizeof(raw) ? len : sizeof(raw));
	if (!read_value(r, &m))
		return false;
	if (!strcmp(m.key, "id") &&
	    !keep_id(r, req, raw, (size_t)(r->pos - from), m.type))
		return false;
	req->member[req->count++] = m;
	return true;
}

static bool read_object(struct reader *r, struct nst_request *req)
{
	skip_space(r);
	if (!take(r, '{'))
		return fail(r, "a request is a JSON object");
	skip_space(r);
	if (take(r, '}'))
		return true;
	for (;;) {
		skip_space(r);
		if (!read_member(r, req))
			return false;
		skip_space(r);
		if (take(r, '}'))
			return true;
		if (!take(r, ','))
			return fail(r, "',' or '}' is expected");
	}
}

int nst_request_parse(struct nst_request *ret, char *buf, size_t len,
		      char *ret_what, size_t what_size)
{
	struct reader r = { .start = buf, .pos = buf, .end = buf + len };

	ret->count = 0;
	strcpy(ret->id, "null");
	if (read_object(&r, ret)) {
		skip_space(&r);
		if (at_end(&r))
			return 0;
		fail(&r, "something follows the object");
	}
	snprintf(ret_what, what_size, "not a request, byte %td: %s",
		 r.pos - r.start, r.error);
	return -EINVAL;
}

const struct nst_member *nst_request_find(const struct nst_request *req,
					  const char *key)
{
	for (unsigned int i = 0; i < req->count; i++)
		if (!strcmp(req->member[i].key, key))
			return &req->member[i];
	return NULL;
}
