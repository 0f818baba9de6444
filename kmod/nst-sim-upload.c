// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-upload.c - the firmware of an IMX500 on its way over the wire
 *
 * As others on the bus meet it. After raspberrypi/linux, imx500.c and
 * spi-rp2040-gpio-bridge.c: the bridge is asked for each block of 8 KiB whether
 * it has it already (by an MD5 sum), a block that it lacks goes over the pins of
 * the bus with the whole adapter locked, and the sensor is polled every 50 ms
 * for how far it is. Who wants the bus meanwhile waits, and is counted.
 *
 * The time that it takes is that of config.upload_ms, whatever the wire does.
 * Where time stands still between steps there is that window and no traffic.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/workqueue.h>

#include "nst-sim-bus.h"

#if NST_SIM_HAS_BUS

#define POLL_MS		50
/* A command and the sum. */
#define QUERY_LEN	17
/* The driver's status words. */
#define REG_STATUS	0xd010
#define STATUS_LEN	4

/* Has the bridge got this block? What it says does not matter here. */
static void ask_bridge(struct nst_sim_wire *wire)
{
	u8 query[QUERY_LEN] = { 0 }, answer;
	struct i2c_msg msgs[2] = {
		{
			.addr = NST_SIM_BRIDGE_ADDR,
			.len = sizeof(query),
			.buf = query,
		}, {
			.addr = NST_SIM_BRIDGE_ADDR,
			.flags = I2C_M_RD,
			.len = 1,
			.buf = &answer,
		},
	};

	nst_sim_wire_owner_xfer(wire, msgs, ARRAY_SIZE(msgs));
}

static void send_block(struct nst_sim_wire *wire, u32 ms)
{
	if (!ms)
		return;
	nst_sim_wire_take(wire);
	msleep(ms);
	nst_sim_wire_give(wire);
}

static void poll_sensor(struct nst_sim_wire *wire, u16 addr)
{
	u8 reg[2] = { REG_STATUS >> 8, REG_STATUS & 0xff };
	u8 status[STATUS_LEN];
	struct i2c_msg msgs[2] = {
		{
			.addr = addr,
			.len = sizeof(reg),
			.buf = reg,
		}, {
			.addr = addr,
			.flags = I2C_M_RD,
			.len = sizeof(status),
			.buf = status,
		},
	};

	nst_sim_wire_owner_xfer(wire, msgs, ARRAY_SIZE(msgs));
}

void nst_sim_upload_work(struct work_struct *work)
{
	struct nst_sim_owner *owner = container_of(to_delayed_work(work),
						   struct nst_sim_owner,
						   upload_work);
	struct nst_sim *sim = owner->sim;
	struct nst_sim_wire *wire = sim->bus->wire;

	if (!nst_sim_imx500_uploads(sim))
		return;
	ask_bridge(wire);
	send_block(wire, sim->config.upload_lock_ms);
	poll_sensor(wire, (u16)sim->config.sensor_addr);
	queue_delayed_work(system_freezable_wq, &owner->upload_work,
			   msecs_to_jiffies(POLL_MS));
}

void nst_sim_upload_begin(struct nst_sim *sim)
{
	if (sim->config.clock == NST_SIM_CLOCK_REAL)
		mod_delayed_work(system_freezable_wq,
				 &sim->bus->owner.upload_work, 0);
}

#endif /* NST_SIM_HAS_BUS */
