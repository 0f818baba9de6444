// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * i2c-gpio.c - an I2C controller made of two lines
 *
 * Between transfers both lines are high, inside one SCL is low between bits.
 * (NXP UM10204, sections 3.1.4 start and stop, 3.1.16 bus clear.)
 */
#include "i2c-gpio.h"

/* Half bits that a target may hold SCL: 25 ms at 100 kHz, SMBus' limit. */
#define STRETCH_MAX	5000
/* Clocks that free a target which was reset in the middle of a byte. */
#define CLEAR_CLOCKS	9

static int scl_high(const struct hal_i2c *bus)
{
	u32 n;

	bus->set_scl(true);
	for (n = 0; n < STRETCH_MAX; n++) {
		bus->half_bit();
		if (bus->get_scl())
			return 0;
	}
	return -EIO;
}

/* One clock: put @out, return the level of SDA or an error. */
static int clock_bit(const struct hal_i2c *bus, bool out)
{
	int level;

	bus->set_sda(out);
	bus->half_bit();
	if (scl_high(bus))
		return -EIO;
	level = bus->get_sda();
	bus->set_scl(false);
	return level;
}

/* A start, or a repeated one. */
static int start(const struct hal_i2c *bus)
{
	bus->set_sda(true);
	bus->half_bit();
	if (scl_high(bus))
		return -EIO;
	if (!bus->get_sda())
		return -EIO;
	bus->set_sda(false);
	bus->half_bit();
	bus->set_scl(false);
	return 0;
}

static void stop(const struct hal_i2c *bus)
{
	bus->set_sda(false);
	bus->half_bit();
	if (scl_high(bus))
		return;
	bus->set_sda(true);
	bus->half_bit();
}

static void clear(const struct hal_i2c *bus)
{
	u32 n;

	bus->set_sda(true);
	for (n = 0; n < CLEAR_CLOCKS && !bus->get_sda(); n++) {
		bus->set_scl(false);
		bus->half_bit();
		if (scl_high(bus))
			return;
	}
	bus->set_scl(false);
	stop(bus);
}

/* 0 acknowledged, 1 not, or an error */
static int send(const struct hal_i2c *bus, u8 byte)
{
	int bit, err;

	for (bit = 7; bit >= 0; bit--) {
		err = clock_bit(bus, byte >> bit & 1);
		if (err < 0)
			return err;
	}
	return clock_bit(bus, true);
}

static int receive(const struct hal_i2c *bus, u8 *ret, bool more)
{
	u32 byte = 0;
	int bit, level;

	for (bit = 7; bit >= 0; bit--) {
		level = clock_bit(bus, true);
		if (level < 0)
			return level;
		byte = byte << 1 | (u32)level;
	}
	level = clock_bit(bus, !more);
	if (level < 0)
		return level;
	*ret = (u8)byte;
	return 0;
}

static int address_target(const struct hal_i2c *bus, u8 address, bool read)
{
	int nack = start(bus);

	if (!nack)
		nack = send(bus, (u8)(address << 1 | (read ? 1 : 0)));
	return nack > 0 ? -ENODEV : nack;
}

static int write_all(const struct hal_i2c *bus, u8 address, const u8 *out,
		     u32 len)
{
	int err = address_target(bus, address, false);
	u32 i;

	for (i = 0; i < len && !err; i++)
		if (send(bus, out[i]))
			err = -EIO;
	return err;
}

static int read_all(const struct hal_i2c *bus, u8 address, u8 *in, u32 len)
{
	int err = address_target(bus, address, true);
	u32 i;

	for (i = 0; i < len && !err; i++)
		err = receive(bus, &in[i], i + 1 < len);
	return err;
}

int hal_i2c_transfer(const struct hal_i2c *bus, u8 address, const u8 *out,
		     u32 out_len, u8 *in, u32 in_len)
{
	int err = 0;

	if (!bus->get_sda())
		clear(bus);
	if (out_len || !in_len)
		err = write_all(bus, address, out, out_len);
	if (!err && in_len)
		err = read_all(bus, address, in, in_len);
	stop(bus);
	return err;
}
