/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-provider.h - what a driver of real or emulated hardware gives to nst
 *
 * A provider fills a struct nst_desc and registers; the core makes every
 * interface that users see. All callbacks may sleep and are called with no
 * lock of the core that the provider could need; the core never calls two
 * of them at once for one device. A provider must not call
 * nst_frame_boundary() from inside a callback.
 */
#ifndef NST_PROVIDER_H
#define NST_PROVIDER_H

#include <linux/device.h>
#include <linux/types.h>

#include "policy.h"
#include "sample.h"

struct nst;

/* Gate changes that a provider with NST_CAP_GATE_AT_TIME keeps in order. */
#define NST_GATE_PENDING_MAX 4

/**
 * struct nst_timing - camera timing
 * All in microseconds; zero where unknown.
 */
struct nst_timing {
	u32 frame_period_us;
	u32 exposure_us;
	u32 readout_us;
};

/**
 * struct nst_ops - callbacks of a provider
 * @read_temp: one reading of channel @ch. 0 with @ret filled (a rail is a
 *	bound, not an error), or -EAGAIN not ready, -ENODATA never had any,
 *	-EIO bus fault, -ENODEV gone.
 * @read_power: optional, milliwatts
 * @set_gate: absent, with @get_gate, where there is no gate
 *	(no NST_CAP_GATE_STANDBY): a part of which only the temperature is
 *	known. Else: change the gate at device time @at_us; 0 or the past mean now,
 *	and inside nst_frame_boundary() now is the start of that period. A
 *	time in the future is given only with NST_CAP_GATE_AT_TIME: up to
 *	NST_GATE_PENDING_MAX changes wait, and a call drops every waiting
 *	change of its own time or later (so a call for now drops all).
 *	Idempotent.
 * @get_gate: the gate as the hardware reports it, now
 * @now_us: optional device clock; CLOCK_MONOTONIC when absent
 * @set_limits: optional, for hardware that guards by itself too: the
 *	thresholds in force, at registration and whenever they change. No
 *	error to give: it brings them there as soon as that can be reached.
 * @set_timing: optional (NST_CAP_TIMING_RW); fields that are 0 stay as they
 *	are, -ERANGE leaves all as it was
 */
struct nst_ops {
	int (*read_temp)(void *priv, unsigned int ch, struct nst_sample *ret);
	int (*read_power)(void *priv, u32 *ret_mw);
	int (*set_gate)(void *priv, enum nst_gate gate, u64 at_us);
	int (*get_gate)(void *priv, enum nst_gate *ret);
	u64 (*now_us)(void *priv);
	void (*set_limits)(void *priv, const struct nst_thresholds *thr);
	int (*set_timing)(void *priv, const struct nst_timing *timing);
};

/**
 * struct nst_desc - identity and facts of a device
 * @name: stable across reboots (DT label, configfs item, device path)
 * @provider: short name of the driver
 * @model: part or preset
 * @caps: NST_CAP_*
 * @channels, @labels: temperature channels; channel 0 is the die
 * @gate_power_mw, @gate_enter_us, @gate_exit_us, @gate_budget: per gate
 * @params: plant of the stack, for the guard's model
 * @ambient_mc: ambient the model starts from
 * @max_temp_mc: rated maximum; the ceiling can be lowered, not raised
 * @sensor_lsb_mc, @sensor_noise_mc: step and standard deviation of a reading
 *	of the die, 0 for an exact one
 * @sensor_floor: the sensor rounds down
 * @channels_estimated: bit per channel whose value is a model's and not a
 *	reading of the part itself
 * @sample_min_us: shortest time between two readings of the die, 0 for none
 *	of its own (the core reads at most 100 times a second without frames)
 * @conversion_us: how much later than the die a reading may move, at most
 *	a second
 * @plant_guessed: @params, @ambient_mc and @gate_power_mw are defaults and
 *	not known of this stack: a sensor is then not called frozen or
 *	impossible for a jump of another size or a warmer place
 * @frame_source: NST_UFRAMES_PROVIDER or NST_UFRAMES_GPIO: the provider calls
 *	nst_frame_boundary(); NST_UFRAMES_NONE otherwise. With PROVIDER
 *	@timing holds the period; with GPIO the edges rule, and a period of 0
 *	is measured
 */
struct nst_desc {
	const char *name;
	const char *provider;
	const char *model;
	u32 caps;
	unsigned int channels;
	const char *labels[8];
	u32 gate_power_mw[NST_GATE_COUNT];
	u32 gate_enter_us[NST_GATE_COUNT];
	u32 gate_exit_us[NST_GATE_COUNT];
	u32 gate_budget[NST_GATE_COUNT];
	struct nst_plant_params params;
	s32 ambient_mc;
	s32 max_temp_mc;
	u32 sensor_lsb_mc;
	u32 sensor_noise_mc;
	bool sensor_floor;
	u32 channels_estimated;
	u32 sample_min_us;
	u32 conversion_us;
	bool plant_guessed;
	u32 frame_source;
	struct nst_timing timing;
};

/**
 * nst_register() - make a device and all its interfaces
 * Return: the device or an ERR_PTR. Callbacks may arrive before it returns.
 */
struct nst *nst_register(struct device *parent, const struct nst_desc *desc,
			 const struct nst_ops *ops, void *priv);

/**
 * nst_unregister() - the device is going; open files get -ENODEV
 * On return no callback is running and none will be called again. The
 * provider makes no call for this device that could still run when this one
 * returns: it stops its frames first.
 */
void nst_unregister(struct nst *nst);

/**
 * nst_frame_boundary() - period @seq began at @start_us
 * Called once per period, in order, from process context, without locks
 * that the callbacks take. Runs the guard for period @seq + 1.
 *
 * With NST_UFRAMES_GPIO it is called for every edge, with the time that the
 * hard handler saw it at; what of them is a frame the core finds out, and it
 * counts the frames itself (@seq is not used).
 */
void nst_frame_boundary(struct nst *nst, u64 seq, u64 start_us);

/**
 * nst_timing_changed() - exposure or frame period changed on their own
 * Call it before the nst_frame_boundary() of the first period that has the
 * new timing: the end of that period is computed from it. With
 * NST_UFRAMES_GPIO the period in it is not used, the edges rule. Never sleeps and
 * takes no lock that a callback could wait for, so any context will do.
 */
void nst_timing_changed(struct nst *nst, const struct nst_timing *timing);

/**
 * nst_fault() - the hardware has failed in a way that has a name
 * @code: NST_FAULT_*, @value: what the code says
 * Told once per occurrence by the caller: an event, a counter and a line in
 * the log. From process context, never from inside a callback.
 */
void nst_fault(struct nst *nst, u32 code, s64 value);

/**
 * nst_notify() - a sample is worth taking now (alert line, new reading)
 * From any context.
 */
void nst_notify(struct nst *nst);

#endif /* NST_PROVIDER_H */
