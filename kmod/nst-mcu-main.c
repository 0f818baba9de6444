// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-mcu-main.c - finding the management MCU, its facts, lifetime
 *
 * The MCU knows its part: sensor, thermal model, powers and costs are read
 * from it, and what the board says with properties stands above that. Version
 * and capabilities are read as plain words first, for whether there is a PEC
 * is one of them; the rest after that, and every value is judged before
 * anything is made of it.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/pm.h>

#include "nst-mcu.h"
#include "uapi/nst.h"

/* An MCU that has just got its power takes a moment. */
#define BOOT_TRIES	5
#define BOOT_WAIT_MS	20

/* Samples that may stay away before the last one is none. */
#define STALE_SAMPLES	4
#define STALE_BUS_US	100000

/* ------------------------------------------------------------ identity */

/* Version, capabilities and magic, before it is known how to ask for more. */
static int first_words(struct nst_mcu *mcu, u16 *ret_version, u16 *ret_caps)
{
	struct device *dev = &mcu->client->dev;
	u16 magic = 0;
	int tries, err;

	for (tries = 0; tries < BOOT_TRIES; tries++) {
		if (tries)
			msleep(BOOT_WAIT_MS);
		err = nst_mcu_word_read(mcu, NST_MCU_REG_MAGIC, &magic);
		if (!err)
			break;
	}
	if (err)
		return dev_err_probe(dev, err, "no MCU answers at %#04x\n",
				     mcu->client->addr);
	if (magic != NST_MCU_MAGIC_VALUE)
		return dev_err_probe(dev, -ENODEV,
				     "not our MCU: register %#04x is %#06x, not %#06x\n",
				     NST_MCU_REG_MAGIC, magic,
				     NST_MCU_MAGIC_VALUE);
	err = nst_mcu_word_read(mcu, NST_MCU_REG_VERSION, ret_version);
	if (!err)
		err = nst_mcu_word_read(mcu, NST_MCU_REG_CAPS, ret_caps);
	if (err)
		return dev_err_probe(dev, err, "version and capabilities\n");
	return 0;
}

/* A block that has to be there, and what it says of itself when it is not. */
static int fact_read(struct nst_mcu *mcu, u8 command, const char *name,
		     u16 *words)
{
	int count = nst_mcu_block_read(mcu, command, words);

	if (count < 0)
		return dev_err_probe(&mcu->client->dev, count, "block %s\n",
				     name);
	return count;
}

static int fact_impossible(struct nst_mcu *mcu, const char *name,
			   const u16 *words, int count)
{
	u8 bytes[NST_MCU_BLOCK_MAX];
	int len = (int)nst_mcu_words_to_wire(bytes, words, (u32)count);

	return dev_err_probe(&mcu->client->dev, -EPROTO,
			     "block %s: impossible values: %*ph\n", name, len,
			     bytes);
}

static int identify(struct nst_mcu *mcu)
{
	struct device *dev = &mcu->client->dev;
	u16 words[NST_MCU_BLOCK_WORDS];
	u16 version, caps;
	int count, err;

	err = first_words(mcu, &version, &caps);
	if (err)
		return err;
	/* A major version may do anything; a minor one only adds. */
	if (version >> 8 != NST_MCU_VERSION_MAJOR)
		return dev_err_probe(dev, -EPROTONOSUPPORT,
				     "register map %u.%u: this driver has %u.x\n",
				     version >> 8, version & 0xff,
				     NST_MCU_VERSION_MAJOR);
	if (caps & NST_MCU_CAPS_PEC) {
		err = nst_mcu_bus_pec(mcu);
		if (err)
			return err;
	}
	count = fact_read(mcu, NST_MCU_BLK_IDENTITY, "IDENTITY", words);
	if (count < 0)
		return count;
	/* The words without a PEC may have been wrong. */
	if (nst_mcu_identity_from_regs(&mcu->id, words, (u32)count) ||
	    mcu->id.caps != caps || mcu->id.major != version >> 8)
		return fact_impossible(mcu, "IDENTITY", words, count);
	return 0;
}

/* --------------------------------------------------------------- facts */

static int sensor_facts(struct nst_mcu *mcu, struct nst_desc *desc)
{
	u16 words[NST_MCU_BLOCK_WORDS];
	struct nst_mcu_sensor sensor;
	int count;

	count = fact_read(mcu, NST_MCU_BLK_SENSOR, "SENSOR", words);
	if (count < 0)
		return count;
	if (nst_mcu_sensor_from_regs(&sensor, words, (u32)count))
		return fact_impossible(mcu, "SENSOR", words, count);
	mcu->sample_period_us = sensor.sample_period_us;
	mcu->stale_us = STALE_SAMPLES * sensor.sample_period_us +
			STALE_BUS_US;
	/* A step of the register is one of the sensor, too. */
	desc->sensor_lsb_mc = max_t(u32, sensor.lsb_mc, 8);
	desc->sensor_noise_mc = sensor.noise_mc;
	desc->sensor_floor = sensor.floor;
	desc->sample_min_us = sensor.sample_period_us;
	desc->conversion_us = min_t(u32, 1000000, sensor.conversion_us +
						   sensor.sample_period_us);
	return 0;
}

static int plant_facts(struct nst_mcu *mcu, struct nst_desc *desc)
{
	u16 words[NST_MCU_BLOCK_WORDS];
	struct nst_mcu_plant plant;
	int count;

	count = fact_read(mcu, NST_MCU_BLK_PLANT, "PLANT", words);
	if (count < 0)
		return count;
	if (nst_mcu_plant_from_regs(&plant, words, (u32)count))
		return fact_impossible(mcu, "PLANT", words, count);
	desc->params = plant.params;
	desc->ambient_mc = plant.ambient_mc;
	return 0;
}

static int gate_facts(struct nst_mcu *mcu, struct nst_desc *desc)
{
	u16 words[NST_MCU_BLOCK_WORDS];
	int count, i;

	count = fact_read(mcu, NST_MCU_BLK_POWERS, "POWERS", words);
	if (count < 0)
		return count;
	if (nst_mcu_powers_from_regs(desc->gate_power_mw, words, (u32)count))
		return fact_impossible(mcu, "POWERS", words, count);
	/* 0 where the gate is missing: as much as the one below it. */
	for (i = NST_GATE_OFF - 1; i >= NST_GATE_STANDBY; i--) {
		if (!nst_mcu_gate_exists(mcu->id.caps, (u32)i))
			desc->gate_power_mw[i] = desc->gate_power_mw[i + 1];
	}
	count = fact_read(mcu, NST_MCU_BLK_GATE_TIMES, "GATE_TIMES", words);
	if (count < 0)
		return count;
	if (nst_mcu_times_from_regs(desc->gate_enter_us, desc->gate_exit_us,
				    words, (u32)count))
		return fact_impossible(mcu, "GATE_TIMES", words, count);
	return 0;
}

static int rated_max(struct nst_mcu *mcu, s32 *ret_mc)
{
	u16 word;
	int err;

	err = nst_mcu_word_read(mcu, NST_MCU_REG_RATED_MAX, &word);
	if (err)
		return dev_err_probe(&mcu->client->dev, err, "rated maximum\n");
	if (nst_mcu_temp_from_reg(ret_mc, word))
		return fact_impossible(mcu, "RATED_MAX", &word, 1);
	return 0;
}

static void caps_facts(struct nst_mcu *mcu, struct nst_desc *desc)
{
	if (mcu->id.caps & NST_MCU_CAPS_STANDBY)
		desc->caps |= NST_CAP_GATE_STANDBY;
	if (mcu->id.caps & NST_MCU_CAPS_CLEARED)
		desc->caps |= NST_CAP_GATE_CLEARED;
	if (mcu->id.caps & NST_MCU_CAPS_OFF)
		desc->caps |= NST_CAP_GATE_OFF;
	if (mcu->id.caps & NST_MCU_CAPS_POWER)
		desc->caps |= NST_CAP_POWER;
}

static int facts_read(struct nst_mcu *mcu, struct nst_desc *desc)
{
	static const char * const labels[NST_MCU_CHANNELS_MAX] = {
		"die", "vpu", "dram", "aux",
	};
	u32 ch;
	int err;

	desc->provider = "nst-mcu";
	desc->model = mcu->id.model[0] ? mcu->id.model : "mcu";
	desc->channels = mcu->id.channels;
	for (ch = 0; ch < mcu->id.channels; ch++)
		desc->labels[ch] = labels[ch];
	caps_facts(mcu, desc);
	err = sensor_facts(mcu, desc);
	if (err)
		return err;
	err = plant_facts(mcu, desc);
	if (err)
		return err;
	err = gate_facts(mcu, desc);
	if (err)
		return err;
	return rated_max(mcu, &desc->max_temp_mc);
}

/* What the board says, held against what the MCU is. */
static int board_read(struct nst_mcu *mcu, struct nst_desc *desc)
{
	struct device *dev = &mcu->client->dev;
	s32 rated_mc = desc->max_temp_mc;

	mcu->board = devm_nst_board(dev, desc);
	if (IS_ERR(mcu->board))
		return PTR_ERR(mcu->board);
	if (desc->max_temp_mc > rated_mc)
		return dev_err_probe(dev, -EINVAL,
				     "nst,max-millicelsius %d: not in %d to %d, the rated maximum of the MCU\n",
				     desc->max_temp_mc, NST_TEMP_MIN_MC,
				     rated_mc);
	if (mcu->id.caps & NST_MCU_CAPS_STANDBY &&
	    nst_board_has_gate(mcu->board))
		return dev_err_probe(dev, -EINVAL,
				     "run-gpios, vpu-supply: none of them with an MCU that has the gate\n");
	/* A host is heard at each frame, or at each sample without frames. */
	mcu->watchdog_ms = (u16)clamp_t(u32,
					max(desc->timing.frame_period_us,
					    mcu->sample_period_us) / 250,
					NST_MCU_WATCHDOG_MS, 60000);
	return 0;
}

/* ------------------------------------------------------------ lifetime */

/* What the MCU was told for us alone, and its status of times before us. */
static int take_over(struct nst_mcu *mcu)
{
	u16 status;
	int err;

	err = nst_mcu_word_read(mcu, NST_MCU_REG_DWELL_MS,
				&mcu->found_dwell_ms);
	if (!err)
		err = nst_mcu_word_read(mcu, NST_MCU_REG_WATCHDOG_MS,
					&mcu->found_watchdog_ms);
	if (!err)
		err = nst_mcu_word_read(mcu, NST_MCU_REG_STATUS, &status);
	/* Only bits that it has, or it refuses. */
	if (!err)
		err = nst_mcu_word_write(mcu, NST_MCU_REG_STATUS, status &
					 (u16)~NST_MCU_STATUS_NETWORK);
	if (!err)
		err = nst_mcu_configure(mcu);
	if (err)
		return dev_err_probe(&mcu->client->dev, err,
				     "watchdog and dwell\n");
	return 0;
}

/*
 * The limits stay, for they are the last good ones; the MCU governs by them
 * as soon as its watchdog has run out. It may be gone: no error to give.
 */
static void give_back(struct nst_mcu *mcu)
{
	nst_mcu_word_write(mcu, NST_MCU_REG_ALERT_MASK, 0);
	nst_mcu_word_write(mcu, NST_MCU_REG_DWELL_MS, mcu->found_dwell_ms);
	nst_mcu_word_write(mcu, NST_MCU_REG_WATCHDOG_MS,
			   mcu->found_watchdog_ms);
}

static void mcu_down(void *data)
{
	struct nst_mcu *mcu = data;

	nst_mcu_debugfs_exit(mcu);
	nst_board_stop(mcu->board);
	nst_mcu_status_stop(mcu);
	nst_unregister(mcu->nst);
	/* A last callback may have looked before it was closed to it. */
	cancel_work_sync(&mcu->status_work);
	give_back(mcu);
}

static int mcu_probe(struct i2c_client *client)
{
	struct device *dev = &client->dev;
	struct nst_desc desc = {};
	struct nst_mcu *mcu;
	int err;

	mcu = devm_kzalloc(dev, sizeof(*mcu), GFP_KERNEL);
	if (!mcu)
		return -ENOMEM;
	mcu->client = client;
	mcu->irq = client->irq > 0 ? client->irq : 0;
	/* As an earlier binding has left it. */
	client->flags &= (unsigned short)~I2C_CLIENT_PEC;
	nst_mcu_status_init(mcu);
	err = nst_mcu_bus_init(mcu);
	if (err)
		return err;
	err = identify(mcu);
	if (err)
		return err;
	err = facts_read(mcu, &desc);
	if (err)
		return err;
	err = board_read(mcu, &desc);
	if (err)
		return err;
	nst_mcu_ops_init(mcu);
	err = take_over(mcu);
	if (err)
		return err;
	i2c_set_clientdata(client, mcu);

	mcu->nst = nst_register(dev, &desc, &mcu->ops, mcu);
	if (IS_ERR(mcu->nst)) {
		give_back(mcu);
		return dev_err_probe(dev, PTR_ERR(mcu->nst), "no device\n");
	}
	err = devm_add_action_or_reset(dev, mcu_down, mcu);
	if (err)
		return err;
	err = nst_mcu_status_start(mcu);
	if (err)
		return err;
	err = nst_board_start(mcu->board, mcu->nst);
	if (err)
		return err;
	nst_mcu_debugfs_init(mcu);
	dev_info(dev, "%s, register map %u.%u%s, serial %016llx\n", desc.model,
		 mcu->id.major, mcu->id.minor, mcu->pec ? " with PEC" : "",
		 mcu->id.serial);
	return 0;
}

static int __maybe_unused mcu_suspend(struct device *dev)
{
	nst_mcu_status_pause(dev_get_drvdata(dev));
	return 0;
}

/* It may have lost its power meanwhile, and was not fed in any case. */
static int __maybe_unused mcu_resume(struct device *dev)
{
	struct nst_mcu *mcu = dev_get_drvdata(dev);

	set_bit(NST_MCU_UNCONFIGURED, &mcu->flags);
	mcu->sampled = false;
	nst_mcu_status_resume(mcu);
	return 0;
}

static SIMPLE_DEV_PM_OPS(mcu_pm, mcu_suspend, mcu_resume);

static const struct i2c_device_id mcu_ids[] = {
	{ "nst-mcu" },
	{ }
};
MODULE_DEVICE_TABLE(i2c, mcu_ids);

static const struct of_device_id mcu_of_ids[] = {
	{ .compatible = "nst,mcu" },
	{ }
};
MODULE_DEVICE_TABLE(of, mcu_of_ids);

static struct i2c_driver mcu_driver = {
	.driver = {
		.name = "nst-mcu",
		.of_match_table = mcu_of_ids,
		.pm = &mcu_pm,
	},
	.nst_i2c_probe = mcu_probe,
	.id_table = mcu_ids,
};
module_i2c_driver(mcu_driver);

MODULE_DESCRIPTION("Near-sensor thermal management: management MCU");
MODULE_LICENSE("GPL");
