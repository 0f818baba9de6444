// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-cci-bus.c - transfers on the owner's adapter, at the owner's address
 *
 * Registers have 16-bit addresses. A read is one combined transfer, so it
 * cannot come between two parts of one of the owner's; a register is never
 * read, changed and written back. Nothing is bound to the address.
 *
 * The one place that writes asks the table first: a write that it does not
 * list is a bug of this driver and does not reach the bus.
 */
#include <linux/bug.h>

#include "nst-cci.h"

/* Lost arbitration is nobody's fault. */
#define TRIES 3

static int transfer(struct nst_cci *cci, struct i2c_msg *msgs, int num)
{
	int err, tries = TRIES;

	do {
		err = i2c_transfer(cci->owner.client->adapter, msgs, num);
	} while (err == -EAGAIN && --tries);

	if (err == num)
		return 0;
	/* Which of the two stands for "nobody there" is up to the adapter. */
	if (err == -EREMOTEIO || err == -ENXIO)
		return -ENXIO;
	return -EIO;
}

/*
 * nst_cci_bus_read() - @len bytes from @reg on
 * Return: 0, -ENXIO when nobody answers, -EIO for any other failure.
 */
int nst_cci_bus_read(struct nst_cci *cci, u16 reg, u8 *buf, unsigned int len)
{
	u8 addr[2] = { (u8)(reg >> 8), (u8)reg };
	struct i2c_msg msgs[2] = {
		{
			.addr = cci->owner.client->addr,
			.len = sizeof(addr),
			.buf = addr,
		}, {
			.addr = cci->owner.client->addr,
			.flags = I2C_M_RD,
			.len = (u16)len,
			.buf = buf,
		},
	};

	return transfer(cci, msgs, ARRAY_SIZE(msgs));
}

/* nst_cci_bus_read_field() - a register of one or two bytes */
int nst_cci_bus_read_field(struct nst_cci *cci, u16 reg, u8 bytes, bool little,
			   u16 *ret)
{
	u8 buf[2];
	int err;

	err = nst_cci_bus_read(cci, reg, buf, bytes);
	if (!err)
		*ret = nst_cci_field(buf, bytes, little);
	return err;
}

/*
 * nst_cci_bus_write() - one of the few registers that may be written
 * Return: as nst_cci_bus_read(), or -EPERM for any other register or value.
 */
int nst_cci_bus_write(struct nst_cci *cci, u16 reg, u8 bytes, u16 value)
{
	u8 buf[4] = { (u8)(reg >> 8), (u8)reg };
	struct i2c_msg msg = {
		.addr = cci->owner.client->addr,
		.len = (u16)(2 + bytes),
		.buf = buf,
	};

	if (WARN_ON_ONCE(!nst_cci_write_allowed(cci->model, cci->imx500.pause,
						reg, bytes, value)))
		return -EPERM;
	if (bytes == 2) {
		buf[2] = (u8)(value >> 8);
		buf[3] = (u8)value;
	} else {
		buf[2] = (u8)value;
	}
	return transfer(cci, &msg, 1);
}
