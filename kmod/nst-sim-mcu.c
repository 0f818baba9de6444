// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-mcu.c - the management MCU of an emulated stack
 *
 * Runs the firmware's own application (firmware/app) in the place of the MCU:
 * its thermometers are the plant, its gate is the VPU's, its target on the bus
 * answers at its address, its alert output is the stack's alert line and the
 * frames are the stack's.
 *
 * Time comes to it millisecond by millisecond of device time, from the stack,
 * before anything that depends on it: however late the host is, the fail-safe
 * acts in the millisecond it is due. All of this is with nst_sim.lock held.
 */
#include <linux/errno.h>
#include <linux/slab.h>

#include "app.h"
#include "nst-sim-bus.h"

#if NST_SIM_HAS_BUS

#define SAMPLE_US	2000
/* What no die does between two samples. */
#define SPIKE_SEEN_MC	10000
#define WATCHDOG_MS	1000
/* Limits until a host sets them, below the rated maximum. */
#define HIGH_BELOW_MC	10000
#define LOW_BELOW_MC	20000
#define SPIKE_MC	40000

/*
 * The firmware and the board around it.
 *
 * @now_us: time of the call into the firmware
 * @command, @sent, @crc: of the transfer that is being answered
 * @torn: its two sample numbers are to differ
 * @ready: it has been initialised; time may pass before
 * @spike, @err: of the conversion that is being read
 */
struct nst_sim_mcu {
	struct nst_app app;
	struct nst_app_config config;
	u64 now_us;
	bool commanded;
	bool torn;
	u8 command;
	u8 sent;
	u8 crc;
	bool alert;
	bool ready;
	bool spike;
	int err;
};

/* -------------------------------------------------------------- the board */

static int mcu_read_temp(void *ctx, u32 ch, struct nst_sample *ret)
{
	struct nst_sim *sim = ctx;
	struct nst_sim_faults *f = &sim->faults;
	const struct nst_sim_config *c = &sim->config;
	struct nst_sim_mcu *mcu = sim->bus->mcu;
	u64 t_us = mcu->now_us;

	/* One conversion is of all channels. */
	if (!ch) {
		sim->bus->count.readings++;
		mcu->spike = nst_sim_fault_due(&f->spike);
		mcu->err = 0;
		if (nst_sim_fault_due(&f->read_error))
			mcu->err = -EIO;
		else if (nst_sim_fault_due(&f->not_ready) || f->idle_code)
			mcu->err = -EAGAIN;
	}
	if (mcu->err)
		return mcu->err;
	t_us = t_us > f->late_us ? t_us - f->late_us : 0;
	ret->value_mc = nst_sim_round_mc(sim, nst_sim_seen_mc(sim, ch, t_us));
	if (mcu->spike)
		ret->value_mc += SPIKE_MC;
	if (f->rail == NST_SIM_RAIL_HIGH || ret->value_mc >= c->rail_high_mc) {
		ret->value_mc = c->rail_high_mc;
		ret->bound = NST_BOUND_AT_LEAST;
	}
	if (f->rail == NST_SIM_RAIL_LOW || ret->value_mc <= c->rail_low_mc) {
		ret->value_mc = c->rail_low_mc;
		ret->bound = NST_BOUND_AT_MOST;
	}
	return 0;
}

static int mcu_read_power(void *ctx, u32 *ret_mw)
{
	struct nst_sim *sim = ctx;

	*ret_mw = sim->config.power_mw[sim->gate];
	return 0;
}

static int mcu_set_gate(void *ctx, u32 gate)
{
	struct nst_sim *sim = ctx;

	return nst_sim_bus_gate(sim, (u8)gate, sim->bus->mcu->now_us);
}

static int mcu_get_gate(void *ctx, u32 *ret_gate)
{
	struct nst_sim *sim = ctx;

	*ret_gate = sim->gate;
	return 0;
}

static const struct nst_app_hal mcu_hal = {
	.read_temp = mcu_read_temp,
	.read_power = mcu_read_power,
	.set_gate = mcu_set_gate,
	.get_gate = mcu_get_gate,
};

/* The alert output, after each call that may have changed it. */
static void mcu_alert(struct nst_sim *sim)
{
	struct nst_sim_mcu *mcu = sim->bus->mcu;
	bool alert = nst_app_alert(&mcu->app);

	if (alert == mcu->alert || !sim->bus->lines)
		return;
	mcu->alert = alert;
	sim->bus->count.alert_edges += alert;
	nst_sim_lines_alert(sim, alert);
}

/* ------------------------------------------------------------------ time */

void nst_sim_mcu_tick(struct nst_sim *sim, u64 t_us)
{
	struct nst_sim_mcu *mcu = sim->bus->mcu;

	if (!mcu->ready)
		return;
	mcu->now_us = t_us;
	nst_app_tick(&mcu->app, t_us);
	mcu_alert(sim);
}

void nst_sim_mcu_frame(struct nst_sim *sim, u64 t_us)
{
	struct nst_sim_mcu *mcu = sim->bus->mcu;

	mcu->now_us = t_us;
	nst_app_frame(&mcu->app, t_us);
	mcu_alert(sim);
}

/* ------------------------------------------------------------------ wire */

static bool mcu_start(struct nst_sim *sim, bool read)
{
	struct nst_sim_mcu *mcu = sim->bus->mcu;

	mcu->now_us = nst_sim_now_locked(sim);
	if (!read) {
		mcu->commanded = false;
		mcu->torn = false;
		mcu->crc = 0;
	} else if (mcu->commanded && mcu->command == NST_MCU_BLK_SAMPLE) {
		mcu->torn = nst_sim_fault_due(&sim->faults.torn);
	}
	mcu->sent = 0;
	mcu->crc = nst_mcu_pec(mcu->crc, (u8)(mcu->config.address << 1 | read));
	return nst_app_bus_start(&mcu->app, read, mcu->now_us);
}

static bool mcu_write(struct nst_sim *sim, u8 byte)
{
	struct nst_sim_mcu *mcu = sim->bus->mcu;

	/* The first byte of the value is not acknowledged, and none taken. */
	if (mcu->commanded && mcu->command == NST_MCU_REG_GATE_REQUEST &&
	    nst_sim_fault_due(&sim->faults.gate_refused))
		return false;
	if (!mcu->commanded)
		mcu->command = byte;
	mcu->commanded = true;
	mcu->crc = nst_mcu_pec(mcu->crc, byte);
	return nst_app_bus_write(&mcu->app, byte);
}

/*
 * The firmware latches a block, so none of its own is ever torn. A torn one
 * has another sample number at its end, and a PEC that fits.
 */
static u8 mcu_read(struct nst_sim *sim)
{
	const unsigned int bytes = 2 * NST_MCU_BLK_SAMPLE_WORDS;
	struct nst_sim_mcu *mcu = sim->bus->mcu;
	u8 byte = nst_app_bus_read(&mcu->app);
	unsigned int i = mcu->sent++;

	/* Byte 0 is the count, the last one the low half of the number. */
	if (mcu->torn && i == bytes)
		byte ^= 1;
	if (mcu->torn && i == bytes + 1)
		return mcu->crc;
	mcu->crc = nst_mcu_pec(mcu->crc, byte);
	return byte;
}

static void mcu_stop(struct nst_sim *sim)
{
	struct nst_sim_mcu *mcu = sim->bus->mcu;

	mcu->now_us = nst_sim_now_locked(sim);
	nst_app_bus_stop(&mcu->app);
	mcu_alert(sim);
}

const struct nst_sim_target nst_sim_mcu_target = {
	.start = mcu_start,
	.write = mcu_write,
	.read = mcu_read,
	.stop = mcu_stop,
};

/* -------------------------------------------------------------- lifetime */

u8 nst_sim_mcu_address(void)
{
	return NST_MCU_ADDRESS;
}

static void mcu_configure(struct nst_sim *sim, struct nst_app_config *config)
{
	const struct nst_sim_config *c = &sim->config;
	unsigned int g;

	*config = (struct nst_app_config){
		.model = "nst-sim",
		.serial = c->seed,
		.caps = NST_MCU_CAPS_PEC | NST_MCU_CAPS_STANDBY |
			NST_MCU_CAPS_CLEARED | NST_MCU_CAPS_OFF |
			NST_MCU_CAPS_POWER | NST_MCU_CAPS_ALERT,
		.address = NST_MCU_ADDRESS,
		.channels = NST_SIM_CHANNELS,
		.params = c->params,
		.ambient_mc = c->ambient_mc,
		.sensor = {
			.implausible_mc = 20000,
			.bad_max = 5,
			.good_min = 3,
			.lsb_mc = c->sensor_lsb_mc,
			.noise_mc = c->sensor_noise_mc,
		},
		.spike_mc = SPIKE_SEEN_MC,
		.sample_period_us = SAMPLE_US,
		.rated_max_mc = c->max_temp_mc,
		.high_mc = c->max_temp_mc - HIGH_BELOW_MC,
		.low_mc = c->max_temp_mc - LOW_BELOW_MC,
		.ceiling_mc = c->max_temp_mc,
		.boot_gate = NST_GATE_RUN,
		.watchdog_ms = WATCHDOG_MS,
	};
	if (c->tell_frames)
		config->caps |= NST_MCU_CAPS_FRAMES | NST_MCU_CAPS_CAPTURE;
	for (g = 0; g < NST_GATE_COUNT; g++) {
		config->gate_power_mw[g] = c->power_mw[g];
		if (g == NST_GATE_RUN)
			continue;
		config->gate_enter_us[g] = c->gate_enter_us;
		config->gate_exit_us[g] = c->gate_exit_us;
	}
}

int nst_sim_mcu_init(struct nst_sim *sim)
{
	struct nst_sim_mcu *mcu = kzalloc(sizeof(*mcu), GFP_KERNEL);
	int err;

	if (!mcu)
		return -ENOMEM;
	mcu_configure(sim, &mcu->config);
	mutex_lock(&sim->lock);
	/* It gates at once, until it knows the temperature. */
	sim->bus->mcu = mcu;
	mcu->now_us = nst_sim_now_locked(sim);
	err = nst_app_init(&mcu->app, &mcu->config, &mcu_hal, sim,
			   mcu->now_us);
	mcu->ready = !err;
	mutex_unlock(&sim->lock);
	if (err)
		pr_err("nst-sim: %s: the firmware refuses the configuration: max_temp_mc is %d to %d with attach mcu, plant and powers as nst has them\n",
		       sim->config.name, NST_TEMP_MIN_MC + LOW_BELOW_MC,
		       NST_TEMP_MAX_MC);
	return err;
}

/*
 * As after a brown-out: what the host had told it is forgotten, the transfer
 * that it was in is none, and it gates until it knows the temperature.
 */
int nst_sim_mcu_restart(struct nst_sim *sim)
{
	struct nst_sim_mcu *mcu = sim->bus->mcu;
	int err;

	if (!mcu)
		return -EOPNOTSUPP;
	mutex_lock(&sim->lock);
	mcu->now_us = nst_sim_now_locked(sim);
	mcu->commanded = false;
	mcu->torn = false;
	/* The configuration has been taken once. */
	err = nst_app_init(&mcu->app, &mcu->config, &mcu_hal, sim,
			   mcu->now_us);
	mcu_alert(sim);
	mutex_unlock(&sim->lock);
	return err;
}

void nst_sim_mcu_free(struct nst_sim *sim)
{
	kfree(sim->bus->mcu);
	sim->bus->mcu = NULL;
}

#endif /* NST_SIM_HAS_BUS */
