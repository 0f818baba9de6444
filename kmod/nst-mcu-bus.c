// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-mcu-bus.c - transfers with the management MCU
 *
 * Words go through a regmap whose reg_read and reg_write are SMBus calls:
 * regmap-i2c would use plain transfers on an adapter that can do those, and
 * they carry no PEC. Words travel high byte first.
 *
 * Blocks are SMBus block reads. An adapter that takes no length from the
 * target gets a plain transfer of the length that the MCU is known to send,
 * and the PEC is checked here.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "nst-mcu.h"

int nst_mcu_errno(int err)
{
	if (err >= 0)
		return 0;
	return err == -ENODEV || err == -ESHUTDOWN ? -ENODEV : -EIO;
}

/* -------------------------------------------------------------- words */

static int reg_read(void *context, unsigned int reg, unsigned int *ret)
{
	struct nst_mcu *mcu = context;
	int word = i2c_smbus_read_word_swapped(mcu->client, (u8)reg);

	if (word < 0)
		return word;
	*ret = (unsigned int)word;
	return 0;
}

static int reg_write(void *context, unsigned int reg, unsigned int val)
{
	struct nst_mcu *mcu = context;

	return i2c_smbus_write_word_swapped(mcu->client, (u8)reg, (u16)val);
}

static bool reg_readable(struct device *dev, unsigned int reg)
{
	return nst_mcu_access(reg) != NST_MCU_ACCESS_NONE;
}

static bool reg_writeable(struct device *dev, unsigned int reg)
{
	enum nst_mcu_access access = nst_mcu_access(reg);

	return access == NST_MCU_ACCESS_RW || access == NST_MCU_ACCESS_W1C;
}

/*
 * Nothing is cached: what can change by itself must not be, and a write of
 * the same gate is a sign of life too.
 */
static const struct regmap_config regmap_config = {
	.reg_bits = 8,
	.val_bits = 16,
	.max_register = NST_MCU_BLOCKS_BEGIN - 1,
	.readable_reg = reg_readable,
	.writeable_reg = reg_writeable,
	.reg_read = reg_read,
	.reg_write = reg_write,
	.cache_type = REGCACHE_NONE,
};

int nst_mcu_word_read(struct nst_mcu *mcu, u32 reg, u16 *ret)
{
	unsigned int val;
	int err;

	err = regmap_read(mcu->regmap, reg, &val);
	if (err)
		return nst_mcu_errno(err);
	*ret = (u16)val;
	return 0;
}

int nst_mcu_word_write(struct nst_mcu *mcu, u32 reg, u16 word)
{
	return nst_mcu_errno(regmap_write(mcu->regmap, reg, word));
}

/* ------------------------------------------------------------- blocks */

static u8 *block_words(struct nst_mcu *mcu, u8 command)
{
	return &mcu->block_words[command - NST_MCU_BLOCKS_BEGIN];
}

static u8 pec_of(u8 crc, const u8 *bytes, unsigned int len)
{
	while (len--)
		crc = nst_mcu_pec(crc, *bytes++);
	return crc;
}

/* One plain transfer of @want bytes of data. Return: bytes of data. */
static int plain_read(struct nst_mcu *mcu, u8 command, u8 *ret, u8 want)
{
	u8 buf[1 + NST_MCU_BLOCK_MAX + 1];
	const u8 head[] = { mcu->address, command, mcu->address | 1 };
	struct i2c_msg msg[] = {
		{
			.addr = mcu->client->addr,
			.len = 1,
			.buf = &command,
		}, {
			.addr = mcu->client->addr,
			.flags = I2C_M_RD,
			.len = (u16)(1 + want + mcu->pec),
			.buf = buf,
		},
	};
	u8 count, crc;
	int done;

	done = i2c_transfer(mcu->client->adapter, msg, ARRAY_SIZE(msg));
	if (done < 0)
		return done;
	count = buf[0];
	if (done != ARRAY_SIZE(msg) || !count || count > NST_MCU_BLOCK_MAX)
		return -EPROTO;
	/* Longer than known: the rest, and the PEC, did not come. */
	if (count > want)
		return count;
	crc = pec_of(pec_of(0, head, sizeof(head)), buf, 1u + count);
	if (mcu->pec && crc != buf[1 + count])
		return -EBADMSG;
	memcpy(ret, buf + 1, count);
	return count;
}

static int block_bytes(struct nst_mcu *mcu, u8 command, u8 *ret)
{
	u8 *words = block_words(mcu, command);
	int len;

	if (mcu->smbus_blocks)
		return i2c_smbus_read_block_data(mcu->client, command, ret);
	len = plain_read(mcu, command, ret, (u8)(2 * *words));
	if (len <= 2 * *words)
		return len;
	/* A newer minor version has a longer block; once is enough to know. */
	*words = (u8)((len + 1) / 2);
	len = plain_read(mcu, command, ret, (u8)(2 * *words));
	return len > 2 * *words ? -EPROTO : len;
}

int nst_mcu_block_read(struct nst_mcu *mcu, u8 command, u16 *ret)
{
	u8 bytes[I2C_SMBUS_BLOCK_MAX];
	int len;

	len = block_bytes(mcu, command, bytes);
	if (len < 0)
		return nst_mcu_errno(len);
	len = nst_mcu_words_from_wire(ret, bytes, (u32)len);
	return len < 0 ? -EIO : len;
}

int nst_mcu_block_write(struct nst_mcu *mcu, u8 command, const u16 *words,
			u32 count)
{
	u8 bytes[NST_MCU_BLOCK_MAX];
	u32 len = nst_mcu_words_to_wire(bytes, words, count);

	return nst_mcu_errno(i2c_smbus_write_block_data(mcu->client, command,
							(u8)len, bytes));
}

/* --------------------------------------------------------------- init */

#define BLOCK_WORDS(name, command, first, count, least, access) \
	[(command) - NST_MCU_BLOCKS_BEGIN] = (count),

static const u8 known_words[NST_MCU_BLOCKS_COUNT] = {
	NST_MCU_BLOCKS(BLOCK_WORDS)
};

int nst_mcu_bus_init(struct nst_mcu *mcu)
{
	struct i2c_client *client = mcu->client;
	struct device *dev = &client->dev;

	if (client->flags & I2C_CLIENT_TEN)
		return dev_err_probe(dev, -EINVAL,
				     "reg %#x: not a 7-bit address\n",
				     client->addr);
	if (!i2c_check_functionality(client->adapter,
				     I2C_FUNC_SMBUS_WORD_DATA |
				     I2C_FUNC_SMBUS_WRITE_BLOCK_DATA))
		return dev_err_probe(dev, -EOPNOTSUPP,
				     "the adapter has no SMBus words and block writes\n");
	mcu->smbus_blocks =
		i2c_check_functionality(client->adapter,
					I2C_FUNC_SMBUS_READ_BLOCK_DATA);
	if (!mcu->smbus_blocks &&
	    !i2c_check_functionality(client->adapter, I2C_FUNC_I2C))
		return dev_err_probe(dev, -EOPNOTSUPP,
				     "the adapter has neither SMBus block reads nor plain transfers\n");
	mcu->address = (u8)(client->addr << 1);
	memcpy(mcu->block_words, known_words, sizeof(known_words));
	mcu->regmap = devm_regmap_init(dev, NULL, mcu, &regmap_config);
	return PTR_ERR_OR_ZERO(mcu->regmap);
}

int nst_mcu_bus_pec(struct nst_mcu *mcu)
{
	if (!i2c_check_functionality(mcu->client->adapter,
				     I2C_FUNC_SMBUS_PEC))
		return dev_err_probe(&mcu->client->dev, -EOPNOTSUPP,
				     "the MCU wants PEC and the adapter has none\n");
	mcu->client->flags |= I2C_CLIENT_PEC;
	mcu->pec = true;
	return 0;
}
