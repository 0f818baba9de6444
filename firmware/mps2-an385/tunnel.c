// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tunnel.c - SMBus transfers over a serial line, see board.h
 */
#include "board.h"

#define REQUEST		0xa5
#define ANSWER		0x5a
#define SILENCE_US	1000000

enum {
	WAITS = 0,
	HAS_START,
	HAS_WRITE,
	HAS_READ,
};

static u8 address_of(const struct nst_app *app, bool read)
{
	return (u8)(app->config->address << 1 | (read ? 1 : 0));
}

/* Only our own address is acknowledged. */
static u8 write_all(const struct tunnel *tunnel, struct nst_app *app,
		    u64 now_us)
{
	u8 acked;

	if (tunnel->buf[0] != address_of(app, false) ||
	    !nst_app_bus_start(app, false, now_us))
		return 0;
	for (acked = 1; acked < tunnel->write; acked++)
		if (!nst_app_bus_write(app, tunnel->buf[acked]))
			break;
	return acked;
}

static void transfer(struct tunnel *tunnel, struct nst_app *app, u64 now_us)
{
	u8 acked = write_all(tunnel, app, now_us);
	u8 read = 0;
	u8 i;

	if (tunnel->read && acked == tunnel->write &&
	    nst_app_bus_start(app, true, now_us))
		read = tunnel->read;
	for (i = 0; i < read; i++)
		tunnel->buf[i] = nst_app_bus_read(app);
	if (acked)
		nst_app_bus_stop(app);

	board_send(ANSWER);
	board_send(acked);
	board_send(read);
	for (i = 0; i < read; i++)
		board_send(tunnel->buf[i]);
}

/* tunnel_byte() - one byte came over the line at @now_us */
void tunnel_byte(struct tunnel *tunnel, struct nst_app *app, u8 byte,
		 u64 now_us)
{
	if (now_us > tunnel->byte_us + SILENCE_US)
		tunnel->state = WAITS;
	tunnel->byte_us = now_us;

	switch (tunnel->state) {
	case WAITS:
		if (byte == REQUEST)
			tunnel->state = HAS_START;
		break;
	case HAS_START:
		tunnel->write = byte;
		tunnel->state = byte && byte <= TUNNEL_MAX ? HAS_WRITE : WAITS;
		break;
	case HAS_WRITE:
		tunnel->read = byte;
		tunnel->len = 0;
		tunnel->state = byte <= TUNNEL_MAX ? HAS_READ : WAITS;
		break;
	default:
		tunnel->buf[tunnel->len++] = byte;
		if (tunnel->len < tunnel->write)
			break;
		tunnel->state = WAITS;
		transfer(tunnel, app, now_us);
		break;
	}
}
