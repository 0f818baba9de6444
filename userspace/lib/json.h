/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * json.h - reading packets where they are, and writing them
 *
 * Values are pieces of the packet's text. Nothing is allocated and nothing is
 * believed: text that is no JSON ends a walk with -EPROTO.
 */
#ifndef LIBNST_JSON_H
#define LIBNST_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct libnst_value {
	const char *text;	/* NULL: there is none */
	size_t len;
};

/* A walk over the members of an object or the items of an array. */
struct libnst_walk {
	const char *pos;
	const char *end;
	char close;		/* of the container, 0 when it is over */
	bool first;
};

/** libnst_walk_begin() - @open is '{' or '['; false for another value */
bool libnst_walk_begin(struct libnst_walk *w, struct libnst_value v,
		       char open);

/**
 * libnst_walk_next() - @ret_key only for an object, without its quotes
 * Return: 1, 0 at the end, -EPROTO.
 */
int libnst_walk_next(struct libnst_walk *w, struct libnst_value *ret_key,
		     struct libnst_value *ret);

/** libnst_get() - member of an object; text NULL when it has none */
struct libnst_value libnst_get(struct libnst_value object, const char *key);

/* What is of another type, or out of range, leaves the default. */
int64_t libnst_int(struct libnst_value v, int64_t missing);
bool libnst_bool(struct libnst_value v, bool missing);

/** libnst_text() - unescaped, cut to fit; "" for what is no string */
void libnst_text(struct libnst_value v, char *buf, size_t size);

/** libnst_is() - is it that string? */
bool libnst_is(struct libnst_value v, const char *text);

/* ------------------------------------------------------------- fields */

enum libnst_type { LIBNST_S32, LIBNST_U32, LIBNST_U64, LIBNST_S64,
		   LIBNST_BOOL, LIBNST_TEXT };

/** struct libnst_field - where a member goes in a struct */
struct libnst_field {
	const char *key;
	enum libnst_type type;
	size_t offset;
	size_t size;		/* of a text */
};

/**
 * libnst_fill() - members of @object into a struct, in one walk
 * @seen: bit i is set for field i, may be NULL
 * Members without a field are passed over. Return: 0 or -EPROTO.
 */
int libnst_fill(struct libnst_value object, const struct libnst_field *fields,
		size_t count, void *base, uint64_t *seen);

/* -------------------------------------------------------------- writing */

struct libnst_out {
	char *buf;
	size_t size;
	size_t len;
	bool full;
};

void libnst_put(struct libnst_out *o, const char *text);
void libnst_put_int(struct libnst_out *o, const char *key, int64_t value);
void libnst_put_text(struct libnst_out *o, const char *key,
		     const char *text);

/** libnst_put_real() - with three decimals, whatever the locale */
void libnst_put_real(struct libnst_out *o, const char *key, double value);

#endif /* LIBNST_JSON_H */
