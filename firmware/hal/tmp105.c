// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tmp105.c - TI TMP105 (SLLS648D)
 */
#include "tmp105.h"

#define REG_TEMP	0x00
#define REG_CONFIG	0x01
/* R1:R0 = 01, ten bits; everything else as after power-on */
#define CONFIG_10_BITS	0x20
/* without the one-shot bit, which reads as a state */
#define CONFIG_MASK	0x7f

/* Ends of what it can say, at ten bits (table 5). */
#define RAIL_LOW_MC	(-55000)
#define RAIL_HIGH_MC	127750

static int set_up(struct tmp105 *tmp, u64 now_us)
{
	static const u8 config[] = { REG_CONFIG, CONFIG_10_BITS };
	int err;

	err = hal_i2c_transfer(tmp->bus, tmp->address, config, sizeof(config),
			       NULL, 0);
	if (err)
		return err;
	tmp->ready = true;
	tmp->ready_us = now_us + TMP105_CONVERSION_US;
	return -EAGAIN;
}

static int read_reg(const struct tmp105 *tmp, u8 reg, u8 *ret, u32 len)
{
	return hal_i2c_transfer(tmp->bus, tmp->address, &reg, 1, ret, len);
}

int tmp105_read(struct tmp105 *tmp, u64 now_us, struct nst_sample *ret)
{
	u8 raw[2], config;
	s32 steps;
	int err;

	if (!tmp->ready)
		return set_up(tmp, now_us);
	if (now_us < tmp->ready_us)
		return -EAGAIN;
	err = read_reg(tmp, REG_TEMP, raw, sizeof(raw));
	if (!err)
		err = read_reg(tmp, REG_CONFIG, &config, 1);
	/* After the reading: it may have lost its power before it. */
	if (err || (config & CONFIG_MASK) != CONFIG_10_BITS) {
		tmp->ready = false;
		return err ? err : set_up(tmp, now_us);
	}
	/* Left-justified: 256 steps a degree, the last six bits zero. */
	steps = (s16)(raw[0] << 8 | raw[1]) / 64;
	ret->value_mc = steps * TMP105_LSB_MC;
	if (ret->value_mc >= RAIL_HIGH_MC)
		ret->bound = NST_BOUND_AT_LEAST;
	else if (ret->value_mc <= RAIL_LOW_MC)
		ret->bound = NST_BOUND_AT_MOST;
	return 0;
}
