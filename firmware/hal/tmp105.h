/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * tmp105.h - TI TMP105 and its kin (LM75 registers)
 *
 * Set to 10 bits: steps of 0.25 degC, a conversion takes 55 ms
 * (drivers/hwmon/lm75.c); a third more is allowed for. The part reads 0 degC
 * until its first conversion is done (TI SLLS648D, "temperature register"),
 * so a part that was just set up is not ready yet; so is one that was gone
 * and came back, because it may have lost its power.
 */
#ifndef NST_HAL_TMP105_H
#define NST_HAL_TMP105_H

#include "i2c-gpio.h"
#include "sample.h"

#define TMP105_LSB_MC		250
#define TMP105_CONVERSION_US	75000

struct tmp105 {
	const struct hal_i2c *bus;
	u8 address;
	bool ready;		/* it is set up, and ready at ready_us */
	u64 ready_us;
};

/**
 * tmp105_read() - one reading at @now_us
 * Return: 0 with value and bound of @ret filled in, -EAGAIN, -EIO, -ENODEV.
 */
int tmp105_read(struct tmp105 *tmp, u64 now_us, struct nst_sample *ret);

#endif /* NST_HAL_TMP105_H */
