// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * raw.c - a transfer by hand
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"

/* What has gone over the wire since the first start. */
struct hand {
	u8 wire[256];
	u32 len;
	bool ack;
};

static void went(struct hand *h, u8 byte)
{
	if (h->len < sizeof(h->wire))
		h->wire[h->len++] = byte;
}

static u8 address(const struct board *board, bool read)
{
	return (u8)(board->config.address << 1 | (read ? 1 : 0));
}

static void start(struct script *s, struct hand *h, bool read)
{
	if (!read)
		h->len = 0;
	master_start(&s->board, read);
	h->ack = master_address_acked(&s->board);
	went(h, address(&s->board, read));
}

static void send(struct script *s, struct hand *h, u8 byte)
{
	h->ack = master_send(&s->board, byte);
	went(h, byte);
}

static u8 receive(struct script *s, struct hand *h)
{
	u8 byte = master_receive(&s->board);

	went(h, byte);
	return byte;
}

static void must_come(struct script *s, struct hand *h, u8 want,
		      const char *what)
{
	u8 got = receive(s, h);

	if (got != want)
		script_fail(s, "got %02x where %s (%02x) was due", got, what,
			    want);
}

static bool hex(const char *text, u8 *ret)
{
	char *end;
	unsigned long v = strtoul(text, &end, 16);

	if (strlen(text) != 2 || *end)
		return false;
	*ret = (u8)v;
	return true;
}

static bool token(struct script *s, struct hand *h, const char *text)
{
	u8 pec = master_pec(h->wire, h->len);
	u8 byte;

	if (!strcmp(text, "S"))
		start(s, h, false);
	else if (!strcmp(text, "R"))
		start(s, h, true);
	else if (!strcmp(text, "P"))
		master_stop(&s->board);
	else if (!strcmp(text, "PEC"))
		send(s, h, pec);
	else if (!strcmp(text, "~PEC"))
		send(s, h, (u8)~pec);
	else if (!strcmp(text, "=PEC"))
		must_come(s, h, pec, "the PEC");
	else if (!strcmp(text, "A") || !strcmp(text, "N")) {
		if (h->ack != (*text == 'A'))
			script_fail(s, "%s", h->ack ? "was acknowledged" :
						      "was not acknowledged");
	} else if (*text == '?') {
		for (int n = atoi(text + 1); n > 0; n--)
			receive(s, h);
	} else if (*text == '=' && hex(text + 1, &byte)) {
		must_come(s, h, byte, "another byte");
	} else if (hex(text, &byte)) {
		send(s, h, byte);
	} else {
		return false;
	}
	return true;
}

void raw(struct script *s, char **word, unsigned int words)
{
	struct hand h = { .len = 0 };

	for (unsigned int i = 0; i < words; i++)
		if (!token(s, &h, word[i]))
			script_fail(s, "'%s' is no token of raw", word[i]);
}
