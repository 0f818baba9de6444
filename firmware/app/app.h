/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * app.h - the application of the management MCU
 *
 * Samples the temperature channels, serves the register map of
 * firmware/abi/registers.def as a target on an SMBus, and keeps the stack
 * from harm by itself: ceiling, lost sensor, silent host. Pure C without
 * libc, allocation, clock or interrupt of its own, so the same files are the
 * firmware (firmware/mps2-an385), a program (firmware/host) and a part of
 * the emulated stack (kmod/nst-sim).
 *
 *	hal ── read_temp ──> filter ──> observer ──> bands ──┐
 *	                       │                             v
 *	bus <── registers <────┴──── requests, limits ──> rank ── set_gate
 *
 * The caller owns struct nst_app and calls
 *
 *	nst_app_init()		once
 *	nst_app_tick()		each millisecond, or late: it catches up
 *	nst_app_frame()		at each frame edge, if the board has them
 *	nst_app_bus_*()		as the bus goes, see below
 *
 * never two of them at a time. Times are microseconds of one clock that
 * never goes back. Any of them may call set_gate() before it returns;
 * read_temp() and read_power() are called by nst_app_tick() alone.
 */
#ifndef NST_APP_H
#define NST_APP_H

#include "limits.h"
#include "nst-wire.h"
#include "observer.h"
#include "policy.h"
#include "rail.h"

#define NST_APP_CHANNELS_MAX	4
#define NST_APP_MODEL_LEN	16

#define NST_APP_WATCHDOG_MIN_MS	10
#define NST_APP_WATCHDOG_MAX_MS	60000
#define NST_APP_DWELL_MAX_MS	60000
#define NST_APP_CAPTURE_FRAMES_MAX 1000

/**
 * struct nst_app_config - facts of one board; constant
 * @model: NUL-terminated, at most NST_APP_MODEL_LEN bytes are told
 * @serial: of this piece, 0 for none
 * @caps: NST_MCU_CAPS_*. STANDBY is a must: without a gate nothing can be
 *	kept from harm. CAPTURE needs FRAMES.
 * @address: 7-bit address on the bus, part of every PEC
 * @channels: 1 to NST_APP_CHANNELS_MAX, channel 0 is the die
 * @params, @ambient_mc: the thermal model; params of nothing but the die
 *	sensor's surroundings will do where the stack itself is unknown
 * @sensor: how the die is read and when it is not believed
 * @spike_mc: a reading this far from both the last one and the model waits
 *	for a second one that agrees with it. At least 1.
 * @sample_period_us: 1000 to 1000000
 * @conversion_us: how much later than the die a reading may move, at most
 *	NST_OBSERVER_CONVERSION_MAX_US; the one of @sensor is not used
 * @rated_max_mc: of the part
 * @high_mc, @low_mc, @ceiling_mc: limits after power-on,
 *	low < high <= ceiling <= rated_max
 * @gate_power_mw, @gate_enter_us, @gate_exit_us: per gate; power of those
 *	that exist feeds the model
 * @boot_gate: the request after power-on, until a host makes one
 * @watchdog_ms, @dwell_ms: after power-on
 */
struct nst_app_config {
	const char *model;
	u64 serial;
	u32 caps;
	u32 address;
	u32 channels;
	struct nst_plant_params params;
	s32 ambient_mc;
	struct nst_observer_config sensor;
	u32 spike_mc;
	u32 sample_period_us;
	u32 conversion_us;
	s32 rated_max_mc;
	s32 high_mc;
	s32 low_mc;
	s32 ceiling_mc;
	u32 gate_power_mw[NST_GATE_COUNT];
	u32 gate_enter_us[NST_GATE_COUNT];
	u32 gate_exit_us[NST_GATE_COUNT];
	u8 boot_gate;
	u16 watchdog_ms;
	u16 dwell_ms;
};

/**
 * struct nst_app_hal - what the board does
 * @read_temp: one reading of channel @ch. 0 with value_mc, and bound where it
 *	is a rail, filled in; or -EAGAIN not ready, -ENODATA never had any,
 *	-EIO bus fault, -ENODEV gone. The rest of @ret is the caller's.
 * @read_power: measured power in mW; needed with NST_MCU_CAPS_POWER. 0 or a
 *	negative errno, when the nominal power of the gate stands in.
 * @set_gate: bring the gate about; 0 or a negative errno, when it is tried
 *	again. Only gates that @caps of the configuration has.
 * @get_gate: the gate as the hardware reports it; NULL where it does not
 */
struct nst_app_hal {
	int (*read_temp)(void *ctx, u32 ch, struct nst_sample *ret);
	int (*read_power)(void *ctx, u32 *ret_mw);
	int (*set_gate)(void *ctx, u32 gate);
	int (*get_gate)(void *ctx, u32 *ret_gate);
};

/* All below is private to firmware/app. */

enum nst_app_bus_phase {
	NST_APP_BUS_IDLE = 0,	/* between transfers, or not addressed */
	NST_APP_BUS_COMMAND,	/* addressed for writing, nothing came yet */
	NST_APP_BUS_DATA,	/* the command is known */
	NST_APP_BUS_READ,	/* we send */
	NST_APP_BUS_REFUSED,	/* until the stop */
};

/* One transfer as it comes in, byte by byte. */
struct nst_app_bus {
	u8 phase;
	u8 crc;
	u8 command;
	u8 len;			/* bytes that came after the command, or went */
	u8 want;		/* bytes of a write, or to send, without PEC */
	bool complete;		/* the write may be applied */
	u8 buf[NST_MCU_BLOCK_MAX + 1];
};

struct nst_app_channel {
	s32 value_mc;		/* the last reading that was believed */
	s32 doubt_mc;		/* one that waits for a second */
	u8 state;		/* enum nst_sample_state of the last reading */
	u8 bound;
	bool known;		/* value_mc is one */
	bool doubted;		/* doubt_mc is one */
};

struct nst_app_gate {
	u8 request;		/* of the host, or boot_gate */
	u8 target;		/* what the ranks say */
	u8 set;			/* what the hardware was told last, and took */
	u8 tried;		/* what it was told last */
	u8 actual;		/* what it reports */
	bool host;		/* the request governs */
	bool settled;		/* the hardware took the last one */
	bool fault;
	u16 failures;		/* in a row */
	u64 since_us;
	u64 retry_us;
	u64 heard_us;		/* last sign of life of the host */
};

struct nst_app_capture {
	u8 state;
	u16 frames;
	u16 left;
	s32 temp_mc;
	s32 reached_mc;
	u32 deadline_span_us;	/* as it was asked for */
	u64 deadline_us;
	u32 first_frame;
};

struct nst_app_frames {
	u32 count;
	u32 period_us;
	u64 last_us;
};

/* The 32-bit counters of the map. */
struct nst_app_counters {
	u32 samples;
	u32 sample_errors;
	u32 gate_changes;
	u32 failsafes;
	u32 watchdogs;
	u32 captures;
	u32 captures_missed;
	u32 transfers;
	u32 pec_errors;
	u32 protocol_errors;
	u32 refusals;
};

struct nst_app {
	const struct nst_app_config *config;
	const struct nst_app_hal *hal;
	void *ctx;

	u64 now_us;
	u64 start_us;
	u64 sample_us;		/* of the last sample */
	u64 next_sample_us;

	struct nst_observer observer;	/* settled at model_us */
	u64 model_us;
	struct nst_app_channel channel[NST_APP_CHANNELS_MAX];
	u16 seq;
	u16 power_mw;

	s32 high_mc;
	s32 low_mc;
	s32 ceiling_mc;
	u16 watchdog_ms;
	u16 dwell_ms;
	struct nst_band ceiling;
	struct nst_band hold;
	bool proven;		/* the die sensor has been healthy once */
	bool sensor_bad;
	bool above_high;
	struct nst_rail rail;

	u16 status;
	u16 alert_mask;
	u16 fault;
	u16 fault_value;
	u16 last_error;

	struct nst_app_gate gate;
	struct nst_app_capture capture;
	struct nst_app_frames frames;
	struct nst_app_counters counters;
	struct nst_app_bus bus;
	u8 latch_reg;		/* high half that was read last */
	u16 latch_low;		/* and the low half of that time */
};

/**
 * nst_app_init() - power-on: the gate goes to standby until the die sensor
 *	has shown itself healthy, then the boot gate is requested
 * @config, @hal: kept, not copied
 * Return: 0, or -ERANGE for a value out of range, -EINVAL for values that do
 * not go together, with @app untouched and no callback made.
 */
int nst_app_init(struct nst_app *app, const struct nst_app_config *config,
		 const struct nst_app_hal *hal, void *ctx, u64 now_us);

/** nst_app_tick() - time has come to @now_us: sample, watch, act */
void nst_app_tick(struct nst_app *app, u64 now_us);

/** nst_app_frame() - the exposure of a frame began at @now_us */
void nst_app_frame(struct nst_app *app, u64 now_us);

/**
 * nst_app_alert() - level of the alert line, true asserted
 * It may change in any of the calls above and in nst_app_bus_stop().
 */
bool nst_app_alert(const struct nst_app *app);

/*
 * The target side of the bus. A transfer is
 *
 *	start(write) command data... stop		a write
 *	start(write) command start(read) bytes... stop	a read
 *
 * A write takes effect inside nst_app_bus_stop() and only when all of it
 * came; whatever else came is refused whole.
 */

/**
 * nst_app_bus_start() - our address was seen after a start, or a repeated one
 * @read: the direction bit
 * Return: true to acknowledge the address.
 */
bool nst_app_bus_start(struct nst_app *app, bool read, u64 now_us);

/** nst_app_bus_write() - the host sent @byte. Return: true to acknowledge. */
bool nst_app_bus_write(struct nst_app *app, u8 byte);

/** nst_app_bus_read() - the byte to send; 0xff when there is none */
u8 nst_app_bus_read(struct nst_app *app);

/** nst_app_bus_stop() - stop condition */
void nst_app_bus_stop(struct nst_app *app);

#endif /* NST_APP_H */
