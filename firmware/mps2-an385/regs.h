/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * regs.h - what the image uses of the Arm MPS2+ with application note AN385
 *
 * Addresses: Arm DAI 0385, memory map. Registers: CMSDK (Arm DDI 0479) for
 * the UART and the watchdog, Armv7-M for SysTick and NVIC.
 */
#ifndef NST_MPS2_REGS_H
#define NST_MPS2_REGS_H

#include "host.h"

#define REG32(addr)		(*(volatile u32 *)(addr))

#define CPU_HZ			25000000

/* UART0 */
#define UART_DATA		REG32(0x40004000)
#define UART_STATE		REG32(0x40004004)
#define UART_STATE_TX_FULL	0x01
#define UART_STATE_RX_FULL	0x02
#define UART_CTRL		REG32(0x40004008)
#define UART_CTRL_TX		0x01
#define UART_CTRL_RX		0x02
#define UART_CTRL_RX_IRQ	0x08
#define UART_INTCLEAR		REG32(0x4000400c)
#define UART_INT_RX		0x02
#define UART_BAUDDIV		REG32(0x40004010)
#define UART_RX_IRQ		0

/* Watchdog: the first time-out interrupts, the second resets */
#define WDOG_LOAD		REG32(0x40008000)
#define WDOG_CONTROL		REG32(0x40008008)
#define WDOG_CONTROL_RESET	0x02
#define WDOG_CONTROL_INT	0x01
#define WDOG_INTCLR		REG32(0x4000800c)

/* Serial bus controller (I2C by two lines) of shield 1 */
#define SBCON_SET		REG32(0x4002a000)	/* reads as the lines */
#define SBCON_CLEAR		REG32(0x4002a004)
#define SBCON_SCL		0x01
#define SBCON_SDA		0x02

/* User LEDs of the FPGA */
#define FPGAIO_LED		REG32(0x40028000)

/* Core */
#define SYST_CSR		REG32(0xe000e010)
#define SYST_CSR_ENABLE		0x01
#define SYST_CSR_TICKINT	0x02
#define SYST_CSR_CPU		0x04
#define SYST_RVR		REG32(0xe000e014)
#define SYST_CVR		REG32(0xe000e018)
#define SCB_ICSR		REG32(0xe000ed04)
#define SCB_ICSR_PENDSTSET	0x04000000
#define NVIC_ISER0		REG32(0xe000e100)
#define NVIC_ICER0		REG32(0xe000e180)
#define NVIC_ISPR0		REG32(0xe000e200)

#endif /* NST_MPS2_REGS_H */
