// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * main.c - the application on an Arm MPS2+ (AN385, Cortex-M3)
 *
 * The board carries no stack. What it has of one is a TMP105 at 0x49 on the
 * I2C bus of shield 1 as the die sensor, LED 0 as the run line of a VPU and
 * LED 1 as the alert line; the bus to the host is a serial line (board.h).
 * Nothing is known of what the TMP105 measures, so its model has no power and
 * only readings that a TMP105 cannot make are impossible.
 */
#include "board.h"
#include "regs.h"
#include "tmp105.h"

#define TMP105_ADDRESS	0x49
#define LED_RUN		0x01
#define LED_ALERT	0x02

#define TICK_CYCLES	(CPU_HZ / 1000)
#define CYCLES_PER_US	(CPU_HZ / 1000000)
/* Twice this without a turn of the main loop starts everything anew. */
#define WDOG_CYCLES	(4 * CPU_HZ)

/* A power of two. */
#define RX_LEN		64

static volatile u64 ticks_ms;
static struct {
	volatile u8 head;
	volatile u8 tail;
	volatile u8 byte[RX_LEN];
} rx;

/* ------------------------------------------------------------------- time */

void board_tick_handler(void)
{
	ticks_ms++;
}

/* A count that began anew and is not counted yet would set time back. */
u64 board_now_us(void)
{
	u32 left, pending;
	u64 ms;

	do {
		ms = ticks_ms;
		left = SYST_CVR;
		pending = SCB_ICSR & SCB_ICSR_PENDSTSET;
	} while (pending || ms != ticks_ms);
	return ms * 1000 + (TICK_CYCLES - 1 - left) / CYCLES_PER_US;
}

static void time_start(void)
{
	SYST_RVR = TICK_CYCLES - 1;
	SYST_CVR = 0;
	SYST_CSR = SYST_CSR_ENABLE | SYST_CSR_TICKINT | SYST_CSR_CPU;
}

/* ------------------------------------------------------------ serial line */

void board_uart_handler(void)
{
	/* Before the byte is taken: the next one may follow at once. */
	UART_INTCLEAR = UART_INT_RX;
	while (UART_STATE & UART_STATE_RX_FULL) {
		u8 next = (u8)((rx.head + 1) % RX_LEN);

		if (next == rx.tail) {
			/* No room: the main loop calls again. */
			NVIC_ICER0 = 1u << UART_RX_IRQ;
			return;
		}
		rx.byte[rx.head] = (u8)UART_DATA;
		rx.head = next;
	}
}

void board_send(u8 byte)
{
	while (UART_STATE & UART_STATE_TX_FULL)
		;
	UART_DATA = byte;
}

static void uart_start(void)
{
	UART_BAUDDIV = CPU_HZ / 115200;
	UART_CTRL = UART_CTRL_TX | UART_CTRL_RX | UART_CTRL_RX_IRQ;
	NVIC_ISER0 = 1u << UART_RX_IRQ;
}

/* --------------------------------------------------------------- I2C lines */

static void line(u32 bit, bool high)
{
	if (high)
		SBCON_SET = bit;
	else
		SBCON_CLEAR = bit;
}

static void set_scl(bool high)
{
	line(SBCON_SCL, high);
}

static void set_sda(bool high)
{
	line(SBCON_SDA, high);
}

static bool get_scl(void)
{
	return SBCON_SET & SBCON_SCL;
}

static bool get_sda(void)
{
	return SBCON_SET & SBCON_SDA;
}

static void half_bit(void)
{
	u32 from = SYST_CVR;
	u32 gone;

	do {
		u32 now = SYST_CVR;

		gone = from >= now ? from - now : from + TICK_CYCLES - now;
	} while (gone < 5 * CYCLES_PER_US);
}

static const struct hal_i2c i2c = {
	.set_scl = set_scl,
	.set_sda = set_sda,
	.get_scl = get_scl,
	.get_sda = get_sda,
	.half_bit = half_bit,
};

/* --------------------------------------------------------- the application */

static struct nst_app app;
static struct tunnel tunnel;
static struct tmp105 tmp105 = { .bus = &i2c, .address = TMP105_ADDRESS };

static int read_temp(void *ctx, u32 ch, struct nst_sample *ret)
{
	(void)ctx;
	(void)ch;
	return tmp105_read(&tmp105, board_now_us(), ret);
}

static int set_gate(void *ctx, u32 gate)
{
	u32 leds = FPGAIO_LED & ~(u32)LED_RUN;

	(void)ctx;
	FPGAIO_LED = gate == NST_GATE_RUN ? leds | LED_RUN : leds;
	return 0;
}

static int get_gate(void *ctx, u32 *ret_gate)
{
	(void)ctx;
	*ret_gate = FPGAIO_LED & LED_RUN ? NST_GATE_RUN : NST_GATE_STANDBY;
	return 0;
}

static const struct nst_app_hal hal = {
	.read_temp = read_temp,
	.set_gate = set_gate,
	.get_gate = get_gate,
};

static const struct nst_app_config config = {
	.model = "mps2-an385",
	.caps = NST_MCU_CAPS_PEC | NST_MCU_CAPS_STANDBY | NST_MCU_CAPS_ALERT,
	.address = NST_MCU_ADDRESS,
	.channels = 1,
	/* nst_plant_reference, which the compiler cannot look into */
	.params = {
		.r_jp_mk_per_w = 5500,
		.r_pa_mk_per_w = 28500,
		.c_j_uj_per_k = 909,
		.c_p_uj_per_k = 700000,
	},
	.ambient_mc = 26400,
	.sensor = {
		.lsb_mc = TMP105_LSB_MC,
		.floor = true,
		.implausible_mc = 200000,
		.bad_max = 5,
		.good_min = 3,
	},
	.spike_mc = 8000,
	.sample_period_us = 80000,
	.conversion_us = TMP105_CONVERSION_US,
	.rated_max_mc = 90000,
	.high_mc = 65000,
	.low_mc = 45000,
	.ceiling_mc = 85000,
	.boot_gate = NST_GATE_RUN,
	.watchdog_ms = 1000,
	.dwell_ms = 0,
};

void board_panic(void)
{
	FPGAIO_LED = 0;
}

static void show_alert(void)
{
	u32 leds = FPGAIO_LED & ~(u32)LED_ALERT;

	FPGAIO_LED = nst_app_alert(&app) ? leds | LED_ALERT : leds;
}

static void drain(void)
{
	while (rx.tail != rx.head) {
		u8 byte = rx.byte[rx.tail];

		rx.tail = (u8)((rx.tail + 1) % RX_LEN);
		tunnel_byte(&tunnel, &app, byte, board_now_us());
	}
	/* After a full buffer its interrupt is off, and may have been lost. */
	NVIC_ISPR0 = 1u << UART_RX_IRQ;
	NVIC_ISER0 = 1u << UART_RX_IRQ;
}

_Noreturn void board_main(void)
{
	u64 ticked_ms = 0;

	WDOG_LOAD = WDOG_CYCLES;
	WDOG_CONTROL = WDOG_CONTROL_RESET | WDOG_CONTROL_INT;
	time_start();
	uart_start();
	/* Nothing is kept from harm: stop, until the watchdog tries again. */
	if (nst_app_init(&app, &config, &hal, NULL, board_now_us())) {
		board_panic();
		for (;;)
			;
	}

	for (;;) {
		/* Any write starts the count anew. */
		WDOG_INTCLR = 1;
		drain();
		if (ticks_ms != ticked_ms) {
			ticked_ms = ticks_ms;
			nst_app_tick(&app, board_now_us());
		}
		show_alert();
		__asm__ volatile("wfi");
	}
}
