// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * app-regs.c - what the registers say and take
 *
 * The tables come from firmware/abi/registers.def; here is what each register
 * means. A write is checked as a whole before anything of it is applied.
 */
#include "app-internal.h"

#define CAPTURE_DEADLINE_MAX_US	NST_DT_MAX_US
#define U32_LAST		0xffffffffu

/* Access of a register, 0 where there is none. */
#define ACCESS_RO	0x01
#define ACCESS_RW	0x02
#define ACCESS_W1C	0x03
#define ACCESS_BW	0x04
#define ACCESS_MASK	0x0f
/* and with it, for the upper half of 32 bits: */
#define HIGH_HALF	0x10
#define FLAG_HIGH	HIGH_HALF
#define FLAG_LOW	0
#define FLAG_U16	0
#define FLAG_S16	0
#define FLAG_TEMP	0
#define FLAG_MW		0
#define FLAG_MK		0
#define FLAG_MS		0
#define FLAG_US		0
#define FLAG_BITS	0
#define FLAG_ENUM	0
#define FLAG_COUNT	0
#define FLAG_TEXT	0

static const u8 registers[NST_MCU_BLOCKS_BEGIN] = {
#define ROW(name, addr, access, kind) \
	[addr] = ACCESS_##access | FLAG_##kind,
	NST_MCU_REGISTERS(ROW)
#undef ROW
};

static const struct nst_app_block blocks[] = {
#define ROW(name, cmd, first, words, min, access) \
	{ cmd, first, words, min, ACCESS_##access == ACCESS_RW },
	NST_MCU_BLOCKS(ROW)
#undef ROW
};

#define BLOCKS (sizeof(blocks) / sizeof(blocks[0]))

const struct nst_app_block *nst_app_block_find(u8 command)
{
	u32 i;

	for (i = 0; i < BLOCKS; i++)
		if (blocks[i].command == command)
			return &blocks[i];
	return NULL;
}

bool nst_app_reg_exists(u8 addr)
{
	return addr < NST_MCU_BLOCKS_BEGIN && registers[addr];
}

bool nst_app_reg_writable(u8 addr)
{
	u8 access = registers[addr] & ACCESS_MASK;

	return access == ACCESS_RW || access == ACCESS_W1C;
}

/* ---------------------------------------------------------------- reading */

static u16 model_word(const char *model, u32 word)
{
	u32 len = 0;
	u8 c[2] = { 0, 0 };
	u32 i;

	while (len < NST_APP_MODEL_LEN && model[len])
		len++;
	for (i = 0; i < 2; i++)
		if (2 * word + i < len)
			c[i] = (u8)model[2 * word + i];
	return (u16)(c[0] << 8 | c[1]);
}

static u16 wire_temp(s32 temp_mc)
{
	return (u16)nst_mcu_temp_from_mc(temp_mc);
}

static u16 channel_temp(const struct nst_app *app, u32 ch)
{
	const struct nst_app_channel *channel = &app->channel[ch];

	if (channel->state != NST_SAMPLE_VALID)
		return (u16)NST_MCU_TEMP_NONE;
	return wire_temp(channel->value_mc);
}

#define SAME(wire, core) \
	static_assert((int)NST_MCU_CHANNEL01_##wire == (int)(core), #core)

/* States and bounds go over the wire as the core has them. */
SAME(VALID, NST_SAMPLE_VALID);
SAME(NOT_READY, NST_SAMPLE_NOT_READY);
SAME(NO_DATA, NST_SAMPLE_NO_DATA);
SAME(BUS_FAULT, NST_SAMPLE_BUS_FAULT);
SAME(GONE, NST_SAMPLE_GONE);
SAME(IMPLAUSIBLE, NST_SAMPLE_IMPLAUSIBLE);
SAME(AT_LEAST, NST_BOUND_AT_LEAST << 4);
SAME(AT_MOST, NST_BOUND_AT_MOST << 4);

static u8 channel_state(const struct nst_app *app, u32 ch)
{
	const struct nst_app_channel *channel = &app->channel[ch];

	if (channel->state != NST_SAMPLE_VALID)
		return channel->state;
	return (u8)(channel->state | channel->bound << 4);
}

static u16 channel_states(const struct nst_app *app, u32 ch)
{
	return (u16)(channel_state(app, ch) << 8 | channel_state(app, ch + 1));
}

static u16 estimate(const struct nst_app *app)
{
	if (!nst_app_trusted(app))
		return (u16)NST_MCU_TEMP_NONE;
	return wire_temp(nst_observer_die_mc(&app->observer));
}

static u16 uncertainty(const struct nst_app *app)
{
	s32 mk = app->observer.uncertainty_mc;

	return (u16)(nst_app_trusted(app) && mk < 0xffff ? mk : 0xffff);
}

static u16 version(void)
{
	return NST_MCU_VERSION_MAJOR << 8 | NST_MCU_VERSION_MINOR;
}

static u16 capture_reached(const struct nst_app *app)
{
	s32 reached_mc = app->capture.reached_mc;

	if (app->capture.state == NST_MCU_CAPTURE_STATE_IDLE ||
	    reached_mc == NST_TEMP_NONE_MC)
		return (u16)NST_MCU_TEMP_NONE;
	return wire_temp(reached_mc);
}

static u16 read_word(const struct nst_app *app, u8 addr)
{
	const struct nst_app_config *config = app->config;

	switch (addr) {
	case NST_MCU_REG_VERSION:
		return version();
	case NST_MCU_REG_CAPS:
		return (u16)config->caps;
	case NST_MCU_REG_MAGIC:
		return NST_MCU_MAGIC_VALUE;
	case NST_MCU_REG_CHANNELS:
		return (u16)config->channels;
	case NST_MCU_REG_SAMPLE_SEQ:
	case NST_MCU_REG_SAMPLE_SEQ_END:
		return app->seq;
	case NST_MCU_REG_STATE:
		return nst_app_gate_state(app);
	case NST_MCU_REG_STATUS:
		return app->status;
	case NST_MCU_REG_GATE_ACTUAL:
		return app->gate.actual;
	case NST_MCU_REG_POWER:
		return app->power_mw;
	case NST_MCU_REG_DIE_ESTIMATE:
		return estimate(app);
	case NST_MCU_REG_TEMP0:
	case NST_MCU_REG_TEMP1:
	case NST_MCU_REG_TEMP2:
	case NST_MCU_REG_TEMP3:
		return channel_temp(app, addr - NST_MCU_REG_TEMP0);
	case NST_MCU_REG_CHANNEL01:
		return channel_states(app, 0);
	case NST_MCU_REG_CHANNEL23:
		return channel_states(app, 2);
	case NST_MCU_REG_UNCERTAINTY:
		return uncertainty(app);
	case NST_MCU_REG_GATE_REQUEST:
		return app->gate.request;
	case NST_MCU_REG_WATCHDOG_MS:
		return app->watchdog_ms;
	case NST_MCU_REG_DWELL_MS:
		return app->dwell_ms;
	case NST_MCU_REG_ALERT_MASK:
		return app->alert_mask;
	case NST_MCU_REG_THRESH_HIGH:
		return wire_temp(app->high_mc);
	case NST_MCU_REG_THRESH_LOW:
		return wire_temp(app->low_mc);
	case NST_MCU_REG_CEILING:
		return wire_temp(app->ceiling_mc);
	case NST_MCU_REG_RATED_MAX:
		return wire_temp(config->rated_max_mc);
	case NST_MCU_REG_CAPTURE_TEMP:
		return wire_temp(app->capture.temp_mc);
	case NST_MCU_REG_CAPTURE_FRAMES:
		return app->capture.frames;
	case NST_MCU_REG_CAPTURE_STATE:
		return app->capture.state;
	case NST_MCU_REG_CAPTURE_REACHED:
		return capture_reached(app);
	case NST_MCU_REG_FAULT:
		return app->fault;
	case NST_MCU_REG_FAULT_VALUE:
		return app->fault_value;
	case NST_MCU_REG_LAST_ERROR:
		return app->last_error;
	case NST_MCU_REG_SENSOR_LSB:
		return (u16)config->sensor.lsb_mc;
	case NST_MCU_REG_SENSOR_NOISE:
		return (u16)config->sensor.noise_mc;
	case NST_MCU_REG_SENSOR_FLAGS:
		return config->sensor.floor ? NST_MCU_SENSOR_FLAGS_FLOOR : 0;
	case NST_MCU_REG_PLANT_AMBIENT:
		return wire_temp(config->ambient_mc);
	case NST_MCU_REG_POWER_RUN:
	case NST_MCU_REG_POWER_STANDBY:
	case NST_MCU_REG_POWER_CLEARED:
	case NST_MCU_REG_POWER_OFF:
		return (u16)config->gate_power_mw[addr -
						  NST_MCU_REG_POWER_RUN];
	default:
		return model_word(config->model, addr - NST_MCU_REG_MODEL);
	}
}

static u32 frame_period(const struct nst_app *app)
{
	u64 age_us = app->now_us - app->frames.last_us;

	return age_us > NST_FRAME_PERIOD_MAX_US ? 0 : app->frames.period_us;
}

static u32 frame_age(const struct nst_app *app)
{
	u64 age_us = app->now_us - app->frames.last_us;

	return app->frames.count && age_us < U32_LAST ? (u32)age_us : U32_LAST;
}

/* Both halves at once; @addr is that of the high one. */
static u32 read_long(const struct nst_app *app, u8 addr)
{
	const struct nst_app_config *config = app->config;
	const struct nst_app_counters *counters = &app->counters;

	switch (addr) {
	case NST_MCU_REG_SERIAL_A_HI:
		return (u32)(config->serial >> 32);
	case NST_MCU_REG_SERIAL_B_HI:
		return (u32)config->serial;
	case NST_MCU_REG_SAMPLE_AGE_HI:
		return (u32)(app->now_us - app->sample_us);
	case NST_MCU_REG_CAPTURE_DEADLINE_HI:
		return app->capture.deadline_span_us;
	case NST_MCU_REG_CAPTURE_FRAME_HI:
		return app->capture.first_frame;
	case NST_MCU_REG_FRAME_COUNT_HI:
		return app->frames.count;
	case NST_MCU_REG_FRAME_PERIOD_HI:
		return frame_period(app);
	case NST_MCU_REG_FRAME_AGE_HI:
		return frame_age(app);
	case NST_MCU_REG_SAMPLES_HI:
		return counters->samples;
	case NST_MCU_REG_SAMPLE_ERRORS_HI:
		return counters->sample_errors;
	case NST_MCU_REG_GATE_CHANGES_HI:
		return counters->gate_changes;
	case NST_MCU_REG_FAILSAFES_HI:
		return counters->failsafes;
	case NST_MCU_REG_WATCHDOGS_HI:
		return counters->watchdogs;
	case NST_MCU_REG_CAPTURES_HI:
		return counters->captures;
	case NST_MCU_REG_CAPTURES_MISSED_HI:
		return counters->captures_missed;
	case NST_MCU_REG_UPTIME_HI:
		return (u32)(app->now_us - app->start_us);
	case NST_MCU_REG_TRANSFERS_HI:
		return counters->transfers;
	case NST_MCU_REG_PEC_ERRORS_HI:
		return counters->pec_errors;
	case NST_MCU_REG_PROTOCOL_ERRORS_HI:
		return counters->protocol_errors;
	case NST_MCU_REG_REFUSALS_HI:
		return counters->refusals;
	case NST_MCU_REG_SAMPLE_PERIOD_HI:
		return config->sample_period_us;
	case NST_MCU_REG_CONVERSION_HI:
		return config->conversion_us;
	case NST_MCU_REG_PLANT_R_JP_HI:
		return config->params.r_jp_mk_per_w;
	case NST_MCU_REG_PLANT_R_PA_HI:
		return config->params.r_pa_mk_per_w;
	case NST_MCU_REG_PLANT_C_J_HI:
		return config->params.c_j_uj_per_k;
	case NST_MCU_REG_PLANT_C_P_HI:
		return config->params.c_p_uj_per_k;
	default:
		break;
	}
	if (addr < NST_MCU_REG_EXIT_RUN_HI)
		return config->gate_enter_us[(addr -
					      NST_MCU_REG_ENTER_RUN_HI) / 2];
	return config->gate_exit_us[(addr - NST_MCU_REG_EXIT_RUN_HI) / 2];
}

/*
 * nst_app_reg_read() - a register that exists
 * @block: one of many of the same instant, which need no latch
 */
u16 nst_app_reg_read(struct nst_app *app, u8 addr, bool block)
{
	u32 value;

	if (registers[addr] & HIGH_HALF) {
		value = read_long(app, addr);
		if (!block) {
			app->latch_reg = addr;
			app->latch_low = (u16)value;
		}
		return (u16)(value >> 16);
	}
	if (addr && registers[addr - 1] & HIGH_HALF) {
		if (!block && app->latch_reg == addr - 1)
			return app->latch_low;
		return (u16)read_long(app, (u8)(addr - 1));
	}
	return read_word(app, addr);
}

/* ---------------------------------------------------------------- writing */

/* What a write finds: the three limits as they would be. */
static struct nst_thresholds limits_after(const struct nst_app *app,
					  const struct nst_app_write *write)
{
	s32 limit_mc[3] = { app->high_mc, app->low_mc, app->ceiling_mc };
	u32 i;

	for (i = 0; i < write->words; i++)
		limit_mc[write->first + i - NST_MCU_REG_THRESH_HIGH] =
			nst_mcu_temp_to_mc((s16)write->value[i]);
	/* As far as the register tells the rated maximum, it may be meant. */
	if (limit_mc[2] > app->config->rated_max_mc &&
	    wire_temp(limit_mc[2]) == wire_temp(app->config->rated_max_mc))
		limit_mc[2] = app->config->rated_max_mc;
	return (struct nst_thresholds){
		.high_mc = limit_mc[0],
		.low_mc = limit_mc[1],
		.max_mc = limit_mc[2],
		.capture_mc = NST_TEMP_NONE_MC,
	};
}

static u8 check_limits(const struct nst_app *app,
		       const struct nst_app_write *write)
{
	const struct nst_thresholds thr = limits_after(app, write);
	int err = nst_thresholds_check(&thr);

	if (err == -ERANGE || thr.max_mc > app->config->rated_max_mc)
		return NST_MCU_LAST_ERROR_RANGE;
	return err ? NST_MCU_LAST_ERROR_ORDER : NST_MCU_LAST_ERROR_NONE;
}

static u32 capture_deadline(const struct nst_app_write *write)
{
	return (u32)write->value[1] << 16 | write->value[2];
}

static u8 check_capture(const struct nst_app *app,
			const struct nst_app_write *write)
{
	u32 span_us = capture_deadline(write);
	u16 frames = write->value[3];

	if (!(app->config->caps & NST_MCU_CAPS_CAPTURE))
		return NST_MCU_LAST_ERROR_UNSUPPORTED;
	if (!frames)
		return NST_MCU_LAST_ERROR_NONE;
	if (!span_us || span_us > CAPTURE_DEADLINE_MAX_US ||
	    frames > NST_APP_CAPTURE_FRAMES_MAX ||
	    !nst_temp_in_range(nst_mcu_temp_to_mc((s16)write->value[0])))
		return NST_MCU_LAST_ERROR_RANGE;
	return NST_MCU_LAST_ERROR_NONE;
}

static u8 check_range(u16 value, u16 min, u16 max)
{
	return value < min || value > max ? NST_MCU_LAST_ERROR_RANGE :
					    NST_MCU_LAST_ERROR_NONE;
}

static u8 check_gate(const struct nst_app *app, u16 gate)
{
	if (gate >= NST_GATE_COUNT)
		return NST_MCU_LAST_ERROR_RANGE;
	if (!nst_app_gate_exists(app, gate))
		return NST_MCU_LAST_ERROR_UNSUPPORTED;
	return NST_MCU_LAST_ERROR_NONE;
}

#define STATUS_ALL	(2 * NST_MCU_STATUS_NETWORK - 1)

/* nst_app_write_check() - NST_MCU_LAST_ERROR_* of a write that may be made */
u8 nst_app_write_check(const struct nst_app *app,
		       const struct nst_app_write *write)
{
	u16 value = write->value[0];

	switch (write->first) {
	case NST_MCU_REG_STATUS:
	case NST_MCU_REG_ALERT_MASK:
		return check_range(value, 0, STATUS_ALL);
	case NST_MCU_REG_GATE_REQUEST:
		return check_gate(app, value);
	case NST_MCU_REG_WATCHDOG_MS:
		return check_range(value, NST_APP_WATCHDOG_MIN_MS,
				   NST_APP_WATCHDOG_MAX_MS);
	case NST_MCU_REG_DWELL_MS:
		return check_range(value, 0, NST_APP_DWELL_MAX_MS);
	case NST_MCU_REG_THRESH_HIGH:
	case NST_MCU_REG_THRESH_LOW:
	case NST_MCU_REG_CEILING:
		return check_limits(app, write);
	case NST_MCU_REG_CAPTURE_TEMP:
		return check_capture(app, write);
	default:
		return NST_MCU_LAST_ERROR_READ_ONLY;
	}
}

static void apply_limits(struct nst_app *app,
			 const struct nst_app_write *write)
{
	const struct nst_thresholds thr = limits_after(app, write);

	app->high_mc = thr.high_mc;
	app->low_mc = thr.low_mc;
	app->ceiling_mc = thr.max_mc;
	nst_app_gate_bands(app);
}

/* nst_app_write_apply() - make it; nst_app_write_check() had no objection */
void nst_app_write_apply(struct nst_app *app,
			 const struct nst_app_write *write)
{
	u16 value = write->value[0];

	switch (write->first) {
	case NST_MCU_REG_STATUS:
		app->status &= (u16)~value;
		break;
	case NST_MCU_REG_ALERT_MASK:
		app->alert_mask = value;
		break;
	case NST_MCU_REG_GATE_REQUEST:
		nst_app_gate_request(app, (u8)value);
		break;
	case NST_MCU_REG_WATCHDOG_MS:
		app->watchdog_ms = value;
		break;
	case NST_MCU_REG_DWELL_MS:
		app->dwell_ms = value;
		break;
	case NST_MCU_REG_THRESH_HIGH:
	case NST_MCU_REG_THRESH_LOW:
	case NST_MCU_REG_CEILING:
		apply_limits(app, write);
		break;
	case NST_MCU_REG_CAPTURE_TEMP:
		nst_app_capture_request(app,
					nst_mcu_temp_to_mc((s16)value),
					capture_deadline(write),
					write->value[3]);
		break;
	default:
		break;
	}
}
