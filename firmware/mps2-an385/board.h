/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * board.h - what the files of this image give each other
 */
#ifndef NST_MPS2_BOARD_H
#define NST_MPS2_BOARD_H

#include "app.h"

/* main.c */
_Noreturn void board_main(void);
void board_panic(void);
void board_tick_handler(void);
void board_uart_handler(void);
u64 board_now_us(void);
void board_send(u8 byte);

/*
 * tunnel.c: SMBus transfers over a serial line. A request is
 *
 *	0xa5  WRITE  READ  byte * WRITE
 *
 * WRITE (1 to 40) bytes as they go over the bus after the start condition,
 * the address byte first, a PEC among them where there is one; then, when
 * READ (0 to 40) is not 0, a repeated start, the address for reading, READ
 * bytes, the PEC among them; then the stop condition. The answer is
 *
 *	0x5a  ACKED  READ  byte * READ
 *
 * with ACKED the number of written bytes that were acknowledged, and 0 for
 * READ when the transfer did not come that far. What is no request is
 * skipped up to the next 0xa5; one that stops in the middle is dropped after
 * a second without a byte.
 */
#define TUNNEL_MAX	40

struct tunnel {
	u8 state;
	u8 write;
	u8 read;
	u8 len;
	u64 byte_us;
	u8 buf[TUNNEL_MAX];
};

void tunnel_byte(struct tunnel *tunnel, struct nst_app *app, u8 byte,
		 u64 now_us);

#endif /* NST_MPS2_BOARD_H */
