/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * nst-wire.h - numbers as the registers of the management MCU carry them
 *
 * For both sides of the bus. Temperatures are signed 1/128 degC: 7.8125 mC a
 * step, so a value of the register goes to millidegrees and back unchanged.
 */
#ifndef NST_WIRE_H
#define NST_WIRE_H

#include "host.h"
#include "nst-regs.h"

/* Not a temperature: -256 degC. */
#define NST_MCU_TEMP_NONE	(-32768)

/* Bytes of a block, without its count. */
#define NST_MCU_BLOCK_MAX	32

/* 7-bit address unless a board says otherwise. */
#define NST_MCU_ADDRESS		0x36

/** nst_mcu_temp_to_mc() - nearest millidegree; @raw is not NST_MCU_TEMP_NONE */
static inline s32 nst_mcu_temp_to_mc(s16 raw)
{
	s32 num = (s32)raw * 125;

	return (num + (num < 0 ? -8 : 8)) / 16;
}

/** nst_mcu_temp_from_mc() - nearest step; what does not fit is the last one */
static inline s16 nst_mcu_temp_from_mc(s32 temp_mc)
{
	s32 num;

	if (temp_mc >= 255992)
		return 32767;
	if (temp_mc <= -255992)
		return -32767;
	num = temp_mc * 16;
	return (s16)((num + (num < 0 ? -62 : 62)) / 125);
}

/** nst_mcu_pec() - SMBus PEC (x^8 + x^2 + x + 1) of one more byte */
static inline u8 nst_mcu_pec(u8 crc, u8 byte)
{
	int bit;

	crc ^= byte;
	for (bit = 0; bit < 8; bit++)
		crc = (u8)(crc & 0x80 ? crc << 1 ^ 0x07 : crc << 1);
	return crc;
}

#endif /* NST_WIRE_H */
