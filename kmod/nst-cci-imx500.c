// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-cci-imx500.c - what an IMX500 has beside a thermometer
 *
 * Its own driver uploads firmware and, when there is one, a network; the
 * upload fails while the thermometer is on (raspberrypi/linux PR 6877), so
 * 0x0138 is the driver's alone: it is set last, and while it is not set the
 * sensor is not ready. After that 0xd02a tells whether it streams (bit 0) and
 * whether it has a network (bit 1). Without power the network is gone;
 * kernels with PR 7323 keep the sensor powered while it has one. Suspended is
 * therefore never taken for cool, and a network that was there before a power
 * cycle and is not after it is told as a fault.
 *
 * The DNN runs while 0xd100 is 4 and rests while it is 0; the driver does the
 * same around its tensor injection. With nst,imx500-dnn-pause that is the
 * gate: run and standby. It is written only while the sensor streams with a
 * network and its driver is through with the upload. At any other time a
 * request is kept; the driver's own start sets 4, so it is looked at again
 * with the first reading after each start.
 *
 * A driver from before PR 6877 never sets 0x0138. One that streams with it off
 * is such a driver, for the others set it before they start the stream: that
 * is said, and a pause is refused rather than kept for a start that never
 * comes.
 */
#include "nst-cci.h"

#define STATE_STREAMING 0x01
#define STATE_NETWORK 0x02

#define CTRL_REG 0x0138
#define CTRL_ENABLE 0x01

/* A stream may end and another begin between two registers, but not twice. */
#define OFF_TIMES 2

static int read_state(struct nst_cci *cci, u16 *ret)
{
	int err;

	err = nst_cci_bus_read_field(cci, NST_CCI_IMX500_STATE, 1, false, ret);
	if (err)
		return err;
	return *ret > (STATE_STREAMING | STATE_NETWORK) ? -EIO : 0;
}

static int read_enable(struct nst_cci *cci, bool *ret)
{
	u16 value;
	int err;

	err = nst_cci_bus_read_field(cci, CTRL_REG, 1, false, &value);
	if (err)
		return err;
	if (value == 0xff)
		return -EIO;
	*ret = value & CTRL_ENABLE;
	return 0;
}

static bool left_off(const struct nst_cci *cci)
{
	return cci->imx500.off_seen >= OFF_TIMES;
}

/*
 * nst_cci_imx500_off() - the thermometer is off: does its driver stream so?
 * The state first and then the enable bit once more, for the driver may have
 * come in between. What the state is during an upload is nobody's business.
 * Return: -EAGAIN, or the bus's error.
 */
int nst_cci_imx500_off(struct nst_cci *cci)
{
	struct nst_cci_imx500 *imx500 = &cci->imx500;
	bool enabled;
	u16 state;
	int err;

	if (left_off(cci))
		return -EAGAIN;
	if (read_state(cci, &state) || !(state & STATE_STREAMING)) {
		imx500->off_seen = 0;
		return -EAGAIN;
	}
	err = read_enable(cci, &enabled);
	if (err)
		return err;
	imx500->off_seen = enabled ? 0 : (u8)(imx500->off_seen + 1);
	if (left_off(cci) && !imx500->off_told) {
		dev_warn(cci->dev,
			 "its driver streams with the thermometer off: no temperature%s with this kernel (raspberrypi/linux PR 6877)\n",
			 imx500->pause ? " and no pause" : "");
		imx500->off_told = true;
	}
	return -EAGAIN;
}

static int read_dnn(struct nst_cci *cci, enum nst_gate *ret)
{
	u16 value;
	int err;

	err = nst_cci_bus_read_field(cci, NST_CCI_IMX500_DNN, 1, false,
				     &value);
	if (err)
		return err;
	if (value != NST_CCI_IMX500_DNN_RUN &&
	    value != NST_CCI_IMX500_DNN_PAUSE)
		return -EIO;
	*ret = value == NST_CCI_IMX500_DNN_RUN ? NST_GATE_RUN :
						 NST_GATE_STANDBY;
	return 0;
}

static int write_dnn(struct nst_cci *cci, u8 gate)
{
	return nst_cci_bus_write(cci, NST_CCI_IMX500_DNN, 1,
				 gate == NST_GATE_RUN ?
				 NST_CCI_IMX500_DNN_RUN :
				 NST_CCI_IMX500_DNN_PAUSE);
}

/*
 * nst_cci_imx500_seen() - it gives readings: once after each start, is the
 * network still there, and is the gate what was asked for?
 */
int nst_cci_imx500_seen(struct nst_cci *cci)
{
	struct nst_cci_imx500 *imx500 = &cci->imx500;
	enum nst_gate gate;
	bool network;
	u16 state;
	int err;

	imx500->off_seen = 0;
	if (!imx500->unseen)
		return 0;
	err = read_state(cci, &state);
	if (err)
		return err;
	network = state & STATE_NETWORK;
	if (imx500->network && !network)
		nst_cci_fault(cci, NST_FAULT_NETWORK, state);
	imx500->network = network;
	if (!(state & STATE_STREAMING))
		return 0;
	if (imx500->pause && network) {
		err = read_dnn(cci, &gate);
		if (!err && gate != imx500->gate)
			err = write_dnn(cci, imx500->gate);
		if (err)
			return err;
	}
	imx500->unseen = false;
	return 0;
}

/* Return: 0 the DNN can be paused, -EAGAIN not now, or the bus's error. */
static int reachable(struct nst_cci *cci)
{
	bool enabled;
	u16 value;
	int err;

	err = read_enable(cci, &enabled);
	if (err)
		return err;
	if (!enabled)
		return nst_cci_imx500_off(cci);
	cci->imx500.off_seen = 0;
	err = read_state(cci, &value);
	if (err)
		return err;
	return value == (STATE_STREAMING | STATE_NETWORK) ? 0 : -EAGAIN;
}

/*
 * What the DNN does says nothing of the thermometer, which may have no value
 * yet: when it is asked next is for its own readings to decide, and the gate
 * waits with it.
 */
static int gate_end(struct nst_cci *cci, int err)
{
	if (err && err != -EAGAIN)
		return nst_cci_sensor_end(cci, err);
	nst_cci_sensor_heard(cci);
	return err;
}

/*
 * nst_cci_imx500_set_gate() - run or standby
 * Return: 0 it is, or it will be as soon as the DNN could run; -EIO the
 * sensor does not answer; -EOPNOTSUPP its driver is one that there is no pause
 * with.
 */
int nst_cci_imx500_set_gate(struct nst_cci *cci, enum nst_gate gate)
{
	int err;

	cci->imx500.gate = (u8)gate;
	err = nst_cci_sensor_begin(cci);
	if (!err) {
		err = reachable(cci);
		if (!err)
			err = write_dnn(cci, (u8)gate);
		err = gate_end(cci, err);
	}
	if (err != -EAGAIN && err != -ENODATA)
		return err;
	if (left_off(cci)) {
		cci->imx500.gate = NST_GATE_RUN;
		return gate == NST_GATE_RUN ? 0 : -EOPNOTSUPP;
	}
	cci->imx500.unseen = true;
	return 0;
}

/*
 * nst_cci_imx500_get_gate() - what the DNN does
 * While it cannot run, what was asked for.
 */
int nst_cci_imx500_get_gate(struct nst_cci *cci, enum nst_gate *ret)
{
	enum nst_gate gate;
	int err;

	err = nst_cci_sensor_begin(cci);
	if (!err) {
		err = reachable(cci);
		if (!err)
			err = read_dnn(cci, &gate);
		err = gate_end(cci, err);
	}
	if (err && err != -EAGAIN && err != -ENODATA)
		return err;
	if (err)
		gate = left_off(cci) ? NST_GATE_RUN : cci->imx500.gate;
	*ret = gate;
	return 0;
}
