// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-cci-sensor.c - one reading of one thermometer, whatever the family
 *
 *	pause of nst-cci-health.c over?		no: -EAGAIN or -EIO, no transfer
 *	owner's runtime PM in use?		no: -EAGAIN, no transfer
 *	the part that the row is of?		no: -ENODATA, said once
 *	streaming, where that is needed?	no: -EAGAIN
 *	measuring, and long enough?		no: -EAGAIN; turned on by us where
 *						the row says so and it streams
 *	reading, calibration			value, bound, or the error
 *
 * What a register holds before its first conversion is never a temperature:
 * that a conversion is over is known from the time since the part began, and
 * a part that was off in between begins again.
 */
#include <linux/device.h>
#include <linux/string.h>

#include "nst-cci.h"

#define CCS_CAPABILITY 0x1618
#define CCS_SUPPORTED 0x01
#define CCS_FORMAT 0x02
#define CCS_RESET_80 0x04

/*
 * nst_cci_sensor_forget() - it is off, or it may have been
 * Nothing that it told holds any longer.
 */
void nst_cci_sensor_forget(struct nst_cci *cci)
{
	unsigned int i;

	for (i = 0; i < NST_CCI_CHANNELS_MAX; i++)
		cci->die[i].since_us = 0;
	cci->imx500.unseen = true;
}

/* -------------------------------------------------------------- identity */

/* All zeros and all ones are what a bus without anybody looks like. */
static bool nobody(u16 value, u8 bytes)
{
	return !value || value == (bytes == 1 ? 0xff : 0xffff);
}

/* Is it the part that the row is of? Asked before anything else is. */
static int identify(struct nst_cci *cci)
{
	const struct nst_cci_id *id = &cci->model->id;
	u16 value;
	int err;

	err = nst_cci_bus_read_field(cci, id->reg, id->bytes, false, &value);
	if (err)
		return err;
	if (nst_cci_id_fits(id, value)) {
		cci->identified = true;
		return 0;
	}
	if (nobody(value, id->bytes))
		return -EIO;
	if (!cci->id_told)
		dev_err(cci->dev,
			"the sensor calls itself %#06x, a %s is %#06x: nst,model is wrong\n",
			value, cci->model->name, id->value);
	cci->id_told = true;
	return -ENODATA;
}

/* What a CCS part says of its thermometer; parts of old do not say it. */
static int read_capability(struct nst_cci *cci)
{
	u16 value;
	int err;

	if (cci->capability_none)
		return -ENODATA;
	if (cci->capability_known ||
	    cci->model->family->convert != nst_cci_convert_ccs)
		return 0;
	err = nst_cci_bus_read_field(cci, CCS_CAPABILITY, 1, false, &value);
	if (err)
		return err;
	if (value == 0xff)
		return -EIO;
	cci->capability_known = true;
	cci->reset_80 = (value & CCS_SUPPORTED) && (value & CCS_RESET_80);
	dev_info(cci->dev, "%s: temperature capability %#04x\n",
		 cci->model->name, value);
	if (!(cci->model->flags & NST_CCI_CAPABILITY) ||
	    (value & (CCS_SUPPORTED | CCS_FORMAT)) ==
	    (CCS_SUPPORTED | CCS_FORMAT))
		return 0;
	dev_err(cci->dev, "the sensor has no thermometer of the CCS kind\n");
	cci->capability_none = true;
	return -ENODATA;
}

/* ------------------------------------------------------------- conditions */

/* Return: 0 it streams, -EAGAIN it does not, or the bus's error. */
static int streaming(struct nst_cci *cci)
{
	const struct nst_cci_family *family = cci->model->family;
	u16 value;
	int err;

	err = nst_cci_bus_read_field(cci, family->stream_reg,
				     family->stream_bytes, false, &value);
	if (err)
		return err;
	if (value == (family->stream_bytes == 1 ? 0xff : 0xffff))
		return -EIO;
	return (value & family->stream_mask) == family->stream_value ?
	       0 : -EAGAIN;
}

/* It measures: since when, and is that long enough? */
static int settled(struct nst_cci *cci, struct nst_cci_die *die)
{
	u64 now_us = nst_cci_now_us();

	if (!die->since_us)
		die->since_us = now_us;
	if (now_us - die->since_us >= cci->model->settle_us)
		return 0;
	cci->wait_until_us = die->since_us + cci->model->settle_us;
	return -EAGAIN;
}

/* It does not measure. Where the table says that this is safe, we help. */
static int turn_on(struct nst_cci *cci, const struct nst_cci_channel *ch,
		   struct nst_cci_die *die)
{
	const struct nst_cci_family *family = cci->model->family;
	int err;

	die->since_us = 0;
	if (cci->model->flags & NST_CCI_IMX500)
		return nst_cci_imx500_off(cci);
	if (!(cci->model->flags & NST_CCI_ENABLE_BY_US))
		return -EAGAIN;
	err = streaming(cci);
	if (err)
		return err;
	err = nst_cci_bus_write(cci, ch->ctrl_reg, family->ctrl_bytes,
				family->enable_write);
	if (err)
		return err;
	return settled(cci, die) ?: -EAGAIN;
}

/* --------------------------------------------------------------- reading */

static bool all_ones(const u8 *buf, unsigned int len)
{
	while (len--) {
		if (buf[len] != 0xff)
			return false;
	}
	return true;
}

/*
 * Reading and control register of a channel, in one transfer where they lie
 * close: then they belong together. @ret_ctrl stays as it is without one.
 */
static int fetch(struct nst_cci *cci, const struct nst_cci_channel *ch,
		 u16 *ret_raw, u16 *ret_ctrl)
{
	const struct nst_cci_family *family = cci->model->family;
	u16 first = ch->data_reg, end = ch->data_reg + family->data_bytes;
	u8 buf[NST_CCI_WINDOW_MAX];
	unsigned int len;
	bool joined = false;
	int err;

	if (ch->ctrl_reg) {
		u16 lo = min(first, ch->ctrl_reg);
		u16 hi = max_t(u16, end, ch->ctrl_reg + family->ctrl_bytes);

		joined = hi - lo <= NST_CCI_WINDOW_MAX;
		if (joined) {
			first = lo;
			end = hi;
		}
	}
	len = end - first;
	err = nst_cci_bus_read(cci, first, buf, len);
	if (err)
		return err;
	/* One byte of them is a temperature, more are an idle bus. */
	if (len > 1 && all_ones(buf, len))
		return -EIO;
	*ret_raw = nst_cci_field(buf + (ch->data_reg - first),
				 family->data_bytes, family->little);
	if (joined)
		*ret_ctrl = nst_cci_field(buf + (ch->ctrl_reg - first),
					  family->ctrl_bytes, family->little);
	else if (ch->ctrl_reg)
		err = nst_cci_bus_read_field(cci, ch->ctrl_reg,
					     family->ctrl_bytes,
					     family->little, ret_ctrl);
	return err;
}

/* Latch, read and let go; it is let go whatever happened. */
static int fetch_triggered(struct nst_cci *cci,
			   const struct nst_cci_channel *ch, u16 *ret_raw)
{
	const struct nst_cci_family *family = cci->model->family;
	int err, release = 0;

	err = nst_cci_bus_write(cci, ch->ctrl_reg, family->ctrl_bytes,
				family->trigger_on);
	if (err)
		return err;
	err = nst_cci_bus_read_field(cci, ch->data_reg, family->data_bytes,
				     family->little, ret_raw);
	if (family->trigger_release)
		release = nst_cci_bus_write(cci, ch->ctrl_reg,
					    family->ctrl_bytes,
					    family->trigger_off);
	return err ?: release;
}

/*
 * The words that the maker left in the part. They are kept, and with them what
 * went wrong on the wire: they have to read the same twice.
 */
static int calibration(struct nst_cci *cci, const struct nst_cci_channel *ch,
		       struct nst_cci_die *die)
{
	const struct nst_cci_family *family = cci->model->family;
	u16 word[ARRAY_SIZE(die->calib.word)] = { 0 };
	unsigned int i;
	int err;

	die->calib.reset_80 = cci->reset_80;
	if (die->calib_known || !ch->calib_reg[0])
		return 0;
	for (i = 0; i < ARRAY_SIZE(word); i++) {
		if (!ch->calib_reg[i])
			continue;
		err = nst_cci_bus_read_field(cci, ch->calib_reg[i], 2,
					     family->little, &word[i]);
		if (err)
			return err;
		if (word[i] == 0xffff)
			return -EIO;
	}
	if (memcmp(word, die->calib.word, sizeof(word))) {
		memcpy(die->calib.word, word, sizeof(word));
		return -EAGAIN;
	}
	die->calib_known = word[0] || word[1];
	return 0;
}

static int convert(struct nst_cci *cci, const struct nst_cci_channel *ch,
		   struct nst_cci_die *die, u16 raw, struct nst_sample *ret)
{
	int err;

	err = calibration(cci, ch, die);
	if (err)
		return err;
	err = nst_cci_convert(cci->model, &die->calib, raw, ret);
	if (err != -ENODATA)
		return err;
	if (!die->calib_told)
		dev_warn(cci->dev,
			 "%s has no calibration of its own (%#x, %#x): no temperature\n",
			 ch->label, die->calib.word[0], die->calib.word[1]);
	die->calib_told = true;
	die->calib_known = false;
	return err;
}

static int sample(struct nst_cci *cci, unsigned int channel,
		  struct nst_sample *ret)
{
	const struct nst_cci_channel *ch = &cci->model->channel[channel];
	const struct nst_cci_family *family = cci->model->family;
	struct nst_cci_die *die = &cci->die[channel];
	u16 raw, ctrl = family->enable_value;
	int err;

	err = read_capability(cci);
	if (err)
		return err;
	if (cci->model->flags & NST_CCI_STREAMING) {
		err = streaming(cci);
		if (err) {
			die->since_us = 0;
			return err;
		}
	}
	if (family->trigger) {
		err = settled(cci, die);
		if (!err)
			err = fetch_triggered(cci, ch, &raw);
		if (err)
			return err;
	} else {
		err = fetch(cci, ch, &raw, &ctrl);
		/* Zeros alone are what a bus that hangs has, and a part at rest. */
		if (!err && !raw && !ch->ctrl_reg &&
		    !(cci->model->flags & NST_CCI_STREAMING))
			err = streaming(cci);
		if (err)
			return err;
		if ((ctrl & family->enable_mask) != family->enable_value)
			return turn_on(cci, ch, die);
		err = settled(cci, die);
		if (err)
			return err;
	}
	ret->t_us = nst_cci_now_us();
	return convert(cci, ch, die, raw, ret);
}

/* ---------------------------------------------------------------- access */

/*
 * nst_cci_sensor_begin() - the sensor may be talked to until _end()
 * Return: 0; else it may not, and _end() is not called.
 */
int nst_cci_sensor_begin(struct nst_cci *cci)
{
	bool cycled;
	int off, err;

	err = nst_cci_health_may(&cci->health, nst_cci_now_us());
	if (err)
		return err;
	off = nst_cci_owner_get(&cci->owner, &cycled);
	if (off < 0 || cycled)
		nst_cci_sensor_forget(cci);
	if (off == -EAGAIN)
		return off;
	cci->wait_until_us = 0;
	if (off < 0)
		return nst_cci_sensor_end(cci, off);
	if (!off && cci->identified)
		return 0;
	err = identify(cci);
	if (!err)
		return 0;
	/* Nobody but the sensor can tell, and it does not answer: off. */
	if (off && err == -ENXIO) {
		nst_cci_sensor_forget(cci);
		err = -EAGAIN;
	}
	return nst_cci_sensor_end(cci, err);
}

static void tell_back(struct nst_cci *cci)
{
	dev_info(cci->dev, "%s answers again\n", cci->model->name);
}

/*
 * nst_cci_sensor_heard() - let go of one that answered, and was not asked for
 * a temperature: when it is asked for one again has not changed.
 */
void nst_cci_sensor_heard(struct nst_cci *cci)
{
	nst_cci_owner_put(&cci->owner);
	if (nst_cci_health_heard(&cci->health))
		tell_back(cci);
}

/*
 * nst_cci_sensor_end() - let go, and learn from how it went
 * Return: @err as a reader of a temperature may see it.
 */
int nst_cci_sensor_end(struct nst_cci *cci, int err)
{
	u64 now_us = nst_cci_now_us();
	bool back = false;

	nst_cci_owner_put(&cci->owner);
	switch (err) {
	case 0:
		back = nst_cci_health_good(&cci->health);
		break;
	case -EAGAIN:
	case -ENODATA:
		back = nst_cci_health_idle(&cci->health, now_us,
					   cci->wait_until_us, err);
		break;
	default:
		err = -EIO;
		if (!nst_cci_health_bad(&cci->health, now_us))
			break;
		nst_cci_sensor_forget(cci);
		if (cci->model->flags & NST_CCI_IMX500)
			nst_cci_fault(cci, NST_FAULT_BRIDGE,
				      cci->health.fails);
		dev_warn(cci->dev,
			 "%s does not answer when it should: tried every %u to %u s from now on\n",
			 cci->model->name, NST_CCI_DEAD_MS / 1000,
			 NST_CCI_DEAD_MAX_MS / 1000);
		break;
	}
	if (back)
		tell_back(cci);
	return err;
}

/*
 * nst_cci_sensor_read() - as nst_ops.read_temp
 */
int nst_cci_sensor_read(struct nst_cci *cci, unsigned int ch,
			struct nst_sample *ret)
{
	int err;

	err = nst_cci_sensor_begin(cci);
	if (err)
		return err;
	err = sample(cci, ch, ret);
	if (!err && (cci->model->flags & NST_CCI_IMX500))
		err = nst_cci_imx500_seen(cci);
	/* What another thermometer lacks is no reason to leave the die alone. */
	if (ch && (err == -EAGAIN || err == -ENODATA)) {
		nst_cci_owner_put(&cci->owner);
		return err;
	}
	return nst_cci_sensor_end(cci, err);
}
