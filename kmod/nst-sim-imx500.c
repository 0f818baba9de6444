// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-imx500.c - what an IMX500 and its bridge do beside other sensors
 *
 * After raspberrypi/linux drivers/media/i2c/imx500.c and the RP2040 bridge of
 * the AI Camera:
 *
 *	0x0138	the owner's alone. Set while firmware is being uploaded, the
 *		upload fails and is counted: the sensor then runs without a
 *		network until the next start.
 *	0x013a	holds no value during an upload
 *	0x0100	is set after it: the stream begins when the firmware is there
 *	0xd02a	system state: bit 0 streaming, bit 1 network loaded
 *	0xd100	4 runs the network on each frame, 0 does not: the gate
 *
 * A network goes with the power. The bridge at 0x40 switches clock and reset
 * of the sensor; after as many power cycles as config.bridge_life says it
 * hangs, answers no more, and the sensor stays in reset. Only a new stack
 * helps, as only unplugging does. Of the bridge's own protocol nothing is
 * emulated but that it acknowledges. What an upload does to the wire is in
 * nst-sim-upload.c.
 */
#include <linux/time64.h>

#include "nst-sim-bus.h"

#if NST_SIM_HAS_BUS

#define REG_ENABLE		0x0138
#define REG_VALUE		0x013a
#define REG_SYSTEM_STATE	0xd02a
#define REG_DNN			0xd100

#define STATE_STREAMING		0x01
#define STATE_NETWORK		0x02
#define DNN_RUN			0x04

static bool is_imx500(const struct nst_sim *sim)
{
	return sim->bus->chip.model->id == 0x0500;
}

static bool uploading(const struct nst_sim *sim, u64 now)
{
	return sim->bus->imx500.uploading &&
	       now < sim->bus->imx500.upload_until_us;
}

/* ----------------------------------------------------------------- gate */

/* The VPU works while the network is there and runs. */
static void update_gate(struct nst_sim *sim, u64 now)
{
	struct nst_sim_bus *bus = sim->bus;
	u8 gate = NST_GATE_RUN;

	if (sim->config.gate_by != NST_SIM_GATE_BY_DNN)
		return;
	if (!bus->chip.powered)
		gate = NST_GATE_OFF;
	else if (!bus->imx500.network &&
		 (!bus->imx500.starting || bus->imx500.failed))
		gate = NST_GATE_CLEARED;
	else if (bus->chip.regs[REG_DNN] != DNN_RUN || uploading(sim, now))
		gate = NST_GATE_STANDBY;
	nst_sim_bus_gate(sim, gate, now);
}

/* --------------------------------------------------------------- states */

void nst_sim_imx500_upload(struct nst_sim *sim, u32 ms)
{
	struct nst_sim_bus *bus = sim->bus;

	u64 now;

	if (!is_imx500(sim))
		return;
	/* Its ticks end what was before it, and have to be over by then. */
	now = nst_sim_now_locked(sim);
	bus->count.uploads++;
	bus->imx500.failed = false;
	bus->imx500.upload_until_us = now + (u64)ms * USEC_PER_MSEC;
	bus->imx500.uploading = true;
}

bool nst_sim_imx500_uploads(struct nst_sim *sim)
{
	bool uploads;

	mutex_lock(&sim->lock);
	nst_sim_now_locked(sim);
	uploads = sim->bus->imx500.uploading && sim->bus->chip.powered;
	mutex_unlock(&sim->lock);
	return uploads;
}

void nst_sim_imx500_power(struct nst_sim *sim, bool on)
{
	struct nst_sim_bus *bus = sim->bus;

	if (!is_imx500(sim))
		return;
	bus->imx500.network = false;
	bus->imx500.uploading = false;
	bus->imx500.starting = false;
	bus->imx500.upload_until_us = 0;
	if (on) {
		bus->count.bridge_power_cycles++;
		if (bus->imx500.life > 0)
			bus->imx500.life--;
		else if (!bus->imx500.life)
			bus->chip.powered = false;
	}
	update_gate(sim, nst_sim_now_locked(sim));
}

/* As the owner's start and stop: an upload when there is no network yet. */
bool nst_sim_imx500_stream(struct nst_sim *sim, bool on, u64 now)
{
	struct nst_sim_bus *bus = sim->bus;

	if (!is_imx500(sim))
		return false;
	if (!on) {
		/* Half of a firmware is none. */
		bus->imx500.uploading = false;
		bus->imx500.starting = false;
		nst_sim_chip_set(sim, REG_DNN, 0, now);
		return false;
	}
	nst_sim_chip_set(sim, REG_ENABLE, 0, now);
	if (!bus->imx500.network && sim->config.upload_ms) {
		nst_sim_imx500_upload(sim, sim->config.upload_ms);
		bus->imx500.starting = true;
		update_gate(sim, now);
		nst_sim_upload_begin(sim);
		return true;
	}
	bus->imx500.network = true;
	nst_sim_chip_set(sim, REG_DNN, DNN_RUN, now);
	return false;
}

void nst_sim_imx500_write(struct nst_sim *sim, u16 reg, bool wire, u64 now)
{
	struct nst_sim_bus *bus = sim->bus;

	if (!is_imx500(sim))
		return;
	if (reg == REG_ENABLE && wire) {
		bus->count.foreign_enable++;
		if ((bus->chip.regs[reg] & 1) && uploading(sim, now) &&
		    !bus->imx500.failed) {
			bus->imx500.failed = true;
			bus->imx500.network = false;
			bus->count.upload_failures++;
		}
	}
	if (reg == REG_DNN || reg == REG_ENABLE)
		update_gate(sim, now);
}

/* The network runs from the end of the upload on. */
void nst_sim_imx500_tick(struct nst_sim *sim, u64 t_us)
{
	struct nst_sim_imx500 *imx500 = &sim->bus->imx500;

	if (!imx500->uploading || uploading(sim, t_us))
		return;
	imx500->uploading = false;
	/* The owner turns on what there is, and the thermometer last. */
	if (imx500->starting) {
		imx500->starting = false;
		imx500->network = !imx500->failed;
		if (imx500->network)
			nst_sim_chip_set(sim, REG_DNN, DNN_RUN, t_us);
		nst_sim_chip_begin(sim, true, t_us);
	}
	update_gate(sim, t_us);
}

bool nst_sim_imx500_read(struct nst_sim *sim, u16 reg)
{
	struct nst_sim_bus *bus = sim->bus;

	if (!is_imx500(sim))
		return true;
	if (reg == REG_SYSTEM_STATE)
		bus->chip.regs[reg] =
			(bus->chip.streaming_us != U64_MAX ?
			 STATE_STREAMING : 0) |
			(bus->imx500.network ? STATE_NETWORK : 0);
	if (reg == REG_VALUE && uploading(sim, nst_sim_now_locked(sim))) {
		bus->chip.regs[reg] =
			(u8)nst_sim_model_idle_code(bus->chip.model);
		return false;
	}
	return true;
}

/* --------------------------------------------------------------- bridge */

static bool bridge_start(struct nst_sim *sim, bool read)
{
	return sim->bus->imx500.life != 0;
}

static bool bridge_write(struct nst_sim *sim, u8 byte)
{
	return true;
}

static u8 bridge_read(struct nst_sim *sim)
{
	return 0;
}

const struct nst_sim_target nst_sim_bridge_target = {
	.start = bridge_start,
	.write = bridge_write,
	.read = bridge_read,
};

#endif /* NST_SIM_HAS_BUS */
