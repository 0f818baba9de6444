/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * i2c-gpio.h - an I2C controller made of two lines
 *
 * Both lines are open drain: true lets one float high, false pulls it low.
 */
#ifndef NST_HAL_I2C_GPIO_H
#define NST_HAL_I2C_GPIO_H

#include "host.h"

/**
 * struct hal_i2c - the two lines
 * @set_scl, @set_sda: pull low or let go
 * @get_scl, @get_sda: level now
 * @half_bit: wait half a clock, 5 us at 100 kHz
 */
struct hal_i2c {
	void (*set_scl)(bool high);
	void (*set_sda)(bool high);
	bool (*get_scl)(void);
	bool (*get_sda)(void);
	void (*half_bit)(void);
};

/**
 * hal_i2c_transfer() - write @out, then read @in after a repeated start
 * Either may be of no bytes.
 * Return: 0, -ENODEV when the address is not acknowledged, -EIO when a byte
 * is not, or when the bus is held. The bus is left free if it can be.
 */
int hal_i2c_transfer(const struct hal_i2c *bus, u8 address, const u8 *out,
		     u32 out_len, u8 *in, u32 in_len);

#endif /* NST_HAL_I2C_GPIO_H */
