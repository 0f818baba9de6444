/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * request.h - one JSON object with plain members, read in place
 *
 * Requests of the socket are flat: strings, numbers, booleans and null. The
 * reader works inside the received packet and allocates nothing, since the
 * daemon's loop does not, and it accepts a subset of what RFC 8259 allows:
 * no nested values, at most NST_REQUEST_MEMBERS members, no key twice, no
 * NUL in a string. (tests/userspace/test_nstd_request.c holds it against
 * json-c.)
 */
#ifndef NST_REQUEST_H
#define NST_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NST_REQUEST_MEMBERS 32
#define NST_REQUEST_ID_LEN 40

enum nst_member_type {
	NST_MEMBER_NULL = 0,
	NST_MEMBER_BOOL,
	NST_MEMBER_INT,		/* a number without fraction in int64_t */
	NST_MEMBER_REAL,	/* any other number */
	NST_MEMBER_STRING,
};

/**
 * struct nst_member
 * @text: of a string, unescaped and ended; of a number as it stands in the
 *	packet, @len bytes without an end
 */
struct nst_member {
	const char *key;
	const char *text;
	size_t len;
	int64_t number;
	bool truth;
	uint8_t type;
};

/**
 * struct nst_request - members in the order of the packet
 * @id: the text of the member "id" as it goes into the reply, "null" if none
 */
struct nst_request {
	unsigned int count;
	struct nst_member member[NST_REQUEST_MEMBERS];
	char id[NST_REQUEST_ID_LEN];
};

/**
 * nst_request_parse() - @buf[@len] is writable and becomes the NUL
 * Return: 0 or -EINVAL with @ret_what a message that names the position.
 * @ret->id is good in both cases: a reply to a broken request can carry it
 * when it was read before the break.
 */
int nst_request_parse(struct nst_request *ret, char *buf, size_t len,
		      char *ret_what, size_t what_size);

/** nst_utf8_len() - of the sequence at @pos, 0 when it is not well formed */
size_t nst_utf8_len(const char *pos, const char *end);

const struct nst_member *nst_request_find(const struct nst_request *req,
					  const char *key);

#endif /* NST_REQUEST_H */
