// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * master.c - the host's side of the bus
 *
 * Its PEC is computed another way than the application's: the two are each
 * other's oracle.
 */
#include <string.h>

#include "board.h"

static bool address_acked;
/* All bytes of the transfer, addresses included. */
static u8 wire[128];
static u32 wire_len;

/* The remainder of bytes * x^8 divided by x^8 + x^2 + x + 1, bit by bit. */
u8 master_pec(const u8 *bytes, u32 len)
{
	u32 rest = 0;

	for (u32 bit = 0; bit < 8 * (len + 1); bit++) {
		u32 byte = bit / 8 < len ? bytes[bit / 8] : 0;
		u32 in = byte >> (7 - bit % 8) & 1;

		rest = rest << 1 | in;
		if (rest & 0x100)
			rest ^= 0x107;
	}
	return (u8)rest;
}

static void on_wire(u8 byte)
{
	if (wire_len < sizeof(wire))
		wire[wire_len++] = byte;
}

static u8 pec_now(void)
{
	return master_pec(wire, wire_len);
}

void master_start(struct board *board, bool read)
{
	u8 address = (u8)(board->config.address << 1 | (read ? 1 : 0));

	board_run(board, BOARD_BYTE_US);
	if (!read)
		wire_len = 0;
	on_wire(address);
	address_acked = nst_app_bus_start(&board->app, read, board->now_us);
}

bool master_address_acked(const struct board *board)
{
	(void)board;
	return address_acked;
}

bool master_send(struct board *board, u8 byte)
{
	board_run(board, BOARD_BYTE_US);
	on_wire(byte);
	return nst_app_bus_write(&board->app, byte);
}

u8 master_receive(struct board *board)
{
	u8 byte = nst_app_bus_read(&board->app);

	on_wire(byte);
	board_run(board, BOARD_BYTE_US);
	return byte;
}

void master_stop(struct board *board)
{
	nst_app_bus_stop(&board->app);
}

static bool has_pec(const struct board *board)
{
	return board->config.caps & NST_MCU_CAPS_PEC;
}

static bool begin_read(struct board *board, u8 command)
{
	master_start(board, false);
	if (!address_acked || !master_send(board, command))
		return false;
	master_start(board, true);
	return address_acked;
}

static void end_read(struct board *board, struct transfer *t)
{
	if (has_pec(board)) {
		u8 want = pec_now();

		t->pec_bad = master_receive(board) != want;
	}
	t->ok = !t->pec_bad;
}

struct transfer master_read_word(struct board *board, u8 command)
{
	struct transfer t = { .ok = false };

	if (begin_read(board, command)) {
		t.data[0] = master_receive(board);
		t.data[1] = master_receive(board);
		t.len = 2;
		end_read(board, &t);
	}
	master_stop(board);
	return t;
}

struct transfer master_read_block(struct board *board, u8 command)
{
	struct transfer t = { .ok = false };

	if (begin_read(board, command)) {
		u8 count = master_receive(board);

		if (count && count <= NST_MCU_BLOCK_MAX) {
			for (t.len = 0; t.len < count; t.len++)
				t.data[t.len] = master_receive(board);
			end_read(board, &t);
		}
	}
	master_stop(board);
	return t;
}

/* @data as it goes: for a block with its count first */
bool master_write(struct board *board, u8 command, const u8 *data, u32 len)
{
	bool ok;

	master_start(board, false);
	ok = address_acked && master_send(board, command);
	for (u32 i = 0; ok && i < len; i++)
		ok = master_send(board, data[i]);
	if (ok && has_pec(board))
		ok = master_send(board, pec_now());
	master_stop(board);
	return ok;
}
