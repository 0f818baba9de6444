// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * startup.c - vectors, memory, and what happens when all goes wrong
 */
#include "board.h"
#include "regs.h"

/* The stack is painted with this, so that its depth can be measured. */
#define STACK_PAINT	0xa5a5a5a5u

extern u32 _data_load, _data_start, _data_end, _bss_start, _bss_end;
extern u32 _stack_bottom, _stack_top;

void reset_handler(void);

/* The compiler's own calls; it must not make these of themselves. */
#define NO_LOOP_CALLS __attribute__((optimize("no-tree-loop-distribute-patterns")))

void *memcpy(void *to, const void *from, size_t len);
void *memset(void *to, int byte, size_t len);

NO_LOOP_CALLS void *memcpy(void *to, const void *from, size_t len)
{
	const u8 *source = from;
	u8 *dest = to;

	while (len--)
		*dest++ = *source++;
	return to;
}

NO_LOOP_CALLS void *memset(void *to, int byte, size_t len)
{
	u8 *dest = to;

	while (len--)
		*dest++ = (u8)byte;
	return to;
}

NO_LOOP_CALLS void reset_handler(void)
{
	u32 *from = &_data_load;
	u32 *to, *below;

	for (to = &_data_start; to < &_data_end;)
		*to++ = *from++;
	for (to = &_bss_start; to < &_bss_end;)
		*to++ = 0;
	/* Up to what this function itself has in use. */
	below = (u32 *)__builtin_frame_address(0) - 16;
	for (to = &_stack_bottom; to < below;)
		*to++ = STACK_PAINT;
	board_main();
}

/*
 * A fault, or an interrupt that nobody asked for: the VPU is stopped here
 * and now, and the watchdog starts everything anew.
 */
static void fault_handler(void)
{
	board_panic();
	for (;;)
		;
}

typedef void (*vector)(void);

/* Fifteen of the core after the stack, then those of the board. */
__attribute__((section(".vectors"), used))
static const struct {
	u32 *stack;
	vector core[15];
	vector board[UART_RX_IRQ + 1];
} vectors = {
	.stack = &_stack_top,
	.core = {
		reset_handler,
		fault_handler,		/* NMI: the watchdog's first word */
		fault_handler,		/* hard fault */
		fault_handler,		/* memory management */
		fault_handler,		/* bus */
		fault_handler,		/* usage */
		NULL, NULL, NULL, NULL,
		fault_handler,		/* SVCall */
		fault_handler,		/* debug monitor */
		NULL,
		fault_handler,		/* PendSV */
		board_tick_handler,
	},
	.board = { board_uart_handler },
};
