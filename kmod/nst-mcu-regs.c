// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-mcu-regs.c - what the words of the management MCU say
 *
 * See nst-mcu-regs.h. The layout of a block is not repeated here: WORD() finds
 * a register in it by the addresses of registers.def.
 */
#include "nst-mcu-regs.h"

/* Uploading a network over a slow bridge takes minutes. */
#define COST_MAX_US 600000000u

#define WORD(block, reg) \
	(NST_MCU_REG_##reg - NST_MCU_BLK_##block##_FIRST)

int nst_mcu_words_from_wire(u16 *ret, const u8 *bytes, u32 len)
{
	u32 i;

	if (!len || len % 2 || len > NST_MCU_BLOCK_MAX)
		return -EPROTO;
	for (i = 0; i < len / 2; i++)
		ret[i] = (u16)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
	return (int)(len / 2);
}

u32 nst_mcu_words_to_wire(u8 *ret, const u16 *words, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		ret[2 * i] = (u8)(words[i] >> 8);
		ret[2 * i + 1] = (u8)words[i];
	}
	return 2 * count;
}

/* ----------------------------------------------------------- identity */

/* What is not printable is not a name; the text ends there. */
static void model_from_regs(char *ret, const u16 *words)
{
	u32 i;

	for (i = 0; i < 2 * NST_MCU_MODEL_WORDS; i++) {
		u8 c = (u8)(i % 2 ? words[i / 2] : words[i / 2] >> 8);

		if (c < 0x20 || c > 0x7e)
			break;
		ret[i] = (char)c;
	}
	ret[i] = '\0';
}

int nst_mcu_identity_from_regs(struct nst_mcu_identity *ret,
			       const u16 *words, u32 count)
{
	struct nst_mcu_identity id;
	u16 version;

	if (count < NST_MCU_BLK_IDENTITY_MIN)
		return -EPROTO;
	if (words[WORD(IDENTITY, MAGIC)] != NST_MCU_MAGIC_VALUE)
		return -ENODEV;
	version = words[WORD(IDENTITY, VERSION)];
	id.major = (u8)(version >> 8);
	id.minor = (u8)version;
	id.caps = words[WORD(IDENTITY, CAPS)];
	id.channels = words[WORD(IDENTITY, CHANNELS)];
	if (!id.channels || id.channels > NST_MCU_CHANNELS_MAX)
		return -EPROTO;
	id.serial = (u64)nst_mcu_u32(words + WORD(IDENTITY, SERIAL_A_HI)) << 32 |
		    nst_mcu_u32(words + WORD(IDENTITY, SERIAL_B_HI));
	model_from_regs(id.model, words + WORD(IDENTITY, MODEL));
	*ret = id;
	return 0;
}

/* ------------------------------------------------------------- sample */

int nst_mcu_temp_from_reg(s32 *ret, u16 word)
{
	s32 temp_mc;

	if ((s16)word == NST_MCU_TEMP_NONE)
		return -EPROTO;
	temp_mc = nst_mcu_temp_to_mc((s16)word);
	if (!nst_temp_in_range(temp_mc))
		return -EPROTO;
	*ret = temp_mc;
	return 0;
}

bool nst_mcu_gate_exists(u16 caps, u32 gate)
{
	switch (gate) {
	case NST_GATE_RUN:
		return true;
	case NST_GATE_STANDBY:
		return caps & NST_MCU_CAPS_STANDBY;
	case NST_GATE_CLEARED:
		return caps & NST_MCU_CAPS_CLEARED;
	case NST_GATE_OFF:
		return caps & NST_MCU_CAPS_OFF;
	default:
		return false;
	}
}

int nst_mcu_gate_from_reg(u8 *ret, u16 caps, u16 word)
{
	if (!nst_mcu_gate_exists(caps, word))
		return -EPROTO;
	*ret = (u8)word;
	return 0;
}

static int channel_from_regs(struct nst_mcu_channel *ret, u8 code, u16 temp)
{
	static const u8 states[] = {
		[NST_MCU_CHANNEL01_VALID] = NST_SAMPLE_VALID,
		[NST_MCU_CHANNEL01_NOT_READY] = NST_SAMPLE_NOT_READY,
		[NST_MCU_CHANNEL01_NO_DATA] = NST_SAMPLE_NO_DATA,
		[NST_MCU_CHANNEL01_BUS_FAULT] = NST_SAMPLE_BUS_FAULT,
		[NST_MCU_CHANNEL01_GONE] = NST_SAMPLE_GONE,
		[NST_MCU_CHANNEL01_IMPLAUSIBLE] = NST_SAMPLE_IMPLAUSIBLE,
	};
	const u8 bounds = NST_MCU_CHANNEL01_AT_LEAST |
			  NST_MCU_CHANNEL01_AT_MOST;
	u8 state = code & (u8)~bounds;

	if (state >= sizeof(states))
		return -EPROTO;
	ret->state = states[state];
	ret->value_mc = 0;
	ret->bound = NST_BOUND_NONE;
	if (ret->state != NST_SAMPLE_VALID) {
		/* A rail is a reading. */
		return code & bounds ? -EPROTO : 0;
	}
	switch (code & bounds) {
	case 0:
		break;
	case NST_MCU_CHANNEL01_AT_LEAST:
		ret->bound = NST_BOUND_AT_LEAST;
		break;
	case NST_MCU_CHANNEL01_AT_MOST:
		ret->bound = NST_BOUND_AT_MOST;
		break;
	default:
		return -EPROTO;
	}
	return nst_mcu_temp_from_reg(&ret->value_mc, temp);
}

/* A die of zero degrees, read this very microsecond, without any power. */
static bool all_zero(const u16 *words, u32 count)
{
	while (count--) {
		if (*words++)
			return false;
	}
	return true;
}

int nst_mcu_sample_from_regs(struct nst_mcu_sample *ret, u32 channels,
			     u16 caps, const u16 *words, u32 count)
{
	const u16 *codes = words + WORD(SAMPLE, CHANNEL01);
	struct nst_mcu_sample sample = {};
	u32 ch;
	int err;

	if (count < NST_MCU_BLK_SAMPLE_MIN ||
	    words[WORD(SAMPLE, SAMPLE_SEQ)] !=
	    words[WORD(SAMPLE, SAMPLE_SEQ_END)] ||
	    all_zero(words, NST_MCU_BLK_SAMPLE_MIN))
		return -EPROTO;
	sample.seq = words[WORD(SAMPLE, SAMPLE_SEQ)];
	sample.state = words[WORD(SAMPLE, STATE)];
	sample.status = words[WORD(SAMPLE, STATUS)];
	err = nst_mcu_gate_from_reg(&sample.gate, caps,
				    words[WORD(SAMPLE, GATE_ACTUAL)]);
	if (err)
		return err;
	sample.age_us = nst_mcu_u32(words + WORD(SAMPLE, SAMPLE_AGE_HI));
	sample.power_mw = words[WORD(SAMPLE, POWER)];
	if (sample.power_mw > NST_POWER_MAX_MW)
		return -EPROTO;
	for (ch = 0; ch < channels; ch++) {
		u16 pair = codes[ch / 2];

		err = channel_from_regs(&sample.channel[ch],
					(u8)(ch % 2 ? pair : pair >> 8),
					words[WORD(SAMPLE, TEMP0) + ch]);
		if (err)
			return err;
	}
	*ret = sample;
	return 0;
}

/* ---------------------------------------------------- frames and faults */

int nst_mcu_frames_from_regs(struct nst_mcu_frames *ret, const u16 *words,
			     u32 count)
{
	struct nst_mcu_frames frames;

	if (count < NST_MCU_BLK_FRAME_MIN)
		return -EPROTO;
	frames.count = nst_mcu_u32(words + WORD(FRAME, FRAME_COUNT_HI));
	frames.period_us = nst_mcu_u32(words + WORD(FRAME, FRAME_PERIOD_HI));
	frames.age_us = nst_mcu_u32(words + WORD(FRAME, FRAME_AGE_HI));
	/* Two edges make a period. */
	if (frames.count < 2 && frames.period_us)
		return -EPROTO;
	*ret = frames;
	return 0;
}

int nst_mcu_fault_from_regs(struct nst_mcu_fault *ret, const u16 *words,
			    u32 count)
{
	if (count < NST_MCU_BLK_FAULTS_MIN)
		return -EPROTO;
	ret->code = words[WORD(FAULTS, FAULT)];
	ret->value = words[WORD(FAULTS, FAULT_VALUE)];
	ret->refused_command = (u8)(words[WORD(FAULTS, LAST_ERROR)] >> 8);
	ret->refused_why = (u8)words[WORD(FAULTS, LAST_ERROR)];
	return 0;
}

/* ---------------------------------------------------------- constants */

int nst_mcu_sensor_from_regs(struct nst_mcu_sensor *ret, const u16 *words,
			     u32 count)
{
	struct nst_mcu_sensor sensor;

	if (count < NST_MCU_BLK_SENSOR_MIN)
		return -EPROTO;
	sensor.lsb_mc = words[WORD(SENSOR, SENSOR_LSB)];
	sensor.noise_mc = words[WORD(SENSOR, SENSOR_NOISE)];
	sensor.floor = words[WORD(SENSOR, SENSOR_FLAGS)] &
		       NST_MCU_SENSOR_FLAGS_FLOOR;
	sensor.sample_period_us =
		nst_mcu_u32(words + WORD(SENSOR, SAMPLE_PERIOD_HI));
	sensor.conversion_us =
		nst_mcu_u32(words + WORD(SENSOR, CONVERSION_HI));
	/* A part that is not read once in a second cannot be guarded. */
	if (!sensor.sample_period_us || sensor.sample_period_us > 1000000 ||
	    sensor.conversion_us > 1000000)
		return -EPROTO;
	*ret = sensor;
	return 0;
}

int nst_mcu_plant_from_regs(struct nst_mcu_plant *ret, const u16 *words,
			    u32 count)
{
	struct nst_mcu_plant plant = {};

	if (count < NST_MCU_BLK_PLANT_MIN)
		return -EPROTO;
	plant.params.r_jp_mk_per_w =
		nst_mcu_u32(words + WORD(PLANT, PLANT_R_JP_HI));
	plant.params.r_pa_mk_per_w =
		nst_mcu_u32(words + WORD(PLANT, PLANT_R_PA_HI));
	plant.params.c_j_uj_per_k =
		nst_mcu_u32(words + WORD(PLANT, PLANT_C_J_HI));
	plant.params.c_p_uj_per_k =
		nst_mcu_u32(words + WORD(PLANT, PLANT_C_P_HI));
	if (nst_plant_params_check(&plant.params) ||
	    nst_mcu_temp_from_reg(&plant.ambient_mc,
				  words[WORD(PLANT, PLANT_AMBIENT)]))
		return -EPROTO;
	*ret = plant;
	return 0;
}

int nst_mcu_powers_from_regs(u32 ret_mw[NST_GATE_COUNT], const u16 *words,
			     u32 count)
{
	u32 before_mw = NST_POWER_MAX_MW;
	u32 i;

	if (count < NST_MCU_BLK_POWERS_MIN)
		return -EPROTO;
	for (i = 0; i < NST_GATE_COUNT; i++) {
		/* 0 where the gate is missing, and that is in order. */
		if (words[i] > before_mw)
			return -EPROTO;
		if (words[i])
			before_mw = words[i];
	}
	for (i = 0; i < NST_GATE_COUNT; i++)
		ret_mw[i] = words[i];
	return 0;
}

int nst_mcu_times_from_regs(u32 ret_enter_us[NST_GATE_COUNT],
			    u32 ret_exit_us[NST_GATE_COUNT],
			    const u16 *words, u32 count)
{
	const u16 *enter = words + WORD(GATE_TIMES, ENTER_RUN_HI);
	const u16 *leave = words + WORD(GATE_TIMES, EXIT_RUN_HI);
	u32 i;

	if (count < NST_MCU_BLK_GATE_TIMES_MIN)
		return -EPROTO;
	for (i = 0; i < NST_GATE_COUNT; i++) {
		if (nst_mcu_u32(enter + 2 * i) > COST_MAX_US ||
		    nst_mcu_u32(leave + 2 * i) > COST_MAX_US)
			return -EPROTO;
	}
	for (i = 0; i < NST_GATE_COUNT; i++) {
		ret_enter_us[i] = nst_mcu_u32(enter + 2 * i);
		ret_exit_us[i] = nst_mcu_u32(leave + 2 * i);
	}
	return 0;
}

/* ------------------------------------------------- limits and captures */

/* The step at or below; temp_from_mc() takes the nearest. */
static s16 temp_floor(s32 temp_mc)
{
	s16 raw = nst_mcu_temp_from_mc(temp_mc);

	if (raw > -32767 && (s32)raw * 125 > temp_mc * 16)
		raw--;
	return raw;
}

/*
 * A step is 7.8 mC and a temperature of a register is the nearest millidegree
 * of its step, so one that came from a register goes back to it.
 */
static s16 temp_strict(s32 temp_mc)
{
	s16 raw = nst_mcu_temp_from_mc(temp_mc);

	return nst_mcu_temp_to_mc(raw) == temp_mc ? raw : temp_floor(temp_mc);
}

void nst_mcu_limits_to_regs(u16 ret[NST_MCU_BLK_LIMITS_WORDS],
			    const struct nst_thresholds *thr)
{
	s16 high = temp_strict(thr->high_mc);
	s16 low = temp_strict(thr->low_mc);

	if (low >= high)
		low = (s16)(high - 1);
	ret[WORD(LIMITS, THRESH_HIGH)] = (u16)high;
	ret[WORD(LIMITS, THRESH_LOW)] = (u16)low;
	ret[WORD(LIMITS, CEILING)] = (u16)temp_strict(thr->max_mc);
}

int nst_mcu_request_to_regs(u16 ret[NST_MCU_BLK_CAPTURE_WORDS],
			    const struct nst_mcu_request *request)
{
	if (!nst_temp_in_range(request->temp_mc) || !request->deadline_us ||
	    request->deadline_us > NST_DT_MAX_US || request->frames > 1000)
		return -ERANGE;
	ret[WORD(CAPTURE, CAPTURE_TEMP)] = (u16)temp_strict(request->temp_mc);
	ret[WORD(CAPTURE, CAPTURE_DEADLINE_HI)] =
		(u16)(request->deadline_us >> 16);
	ret[WORD(CAPTURE, CAPTURE_DEADLINE_LO)] = (u16)request->deadline_us;
	ret[WORD(CAPTURE, CAPTURE_FRAMES)] = (u16)request->frames;
	return 0;
}

int nst_mcu_result_from_regs(struct nst_mcu_result *ret, const u16 *words,
			     u32 count)
{
	struct nst_mcu_result result = {};
	u16 temp;

	if (count < NST_MCU_BLK_CAPTURE_RESULT_MIN ||
	    words[WORD(CAPTURE_RESULT, CAPTURE_STATE)] >
	    NST_MCU_CAPTURE_STATE_CANCELLED)
		return -EPROTO;
	result.state = (u8)words[WORD(CAPTURE_RESULT, CAPTURE_STATE)];
	temp = words[WORD(CAPTURE_RESULT, CAPTURE_REACHED)];
	result.reached = (s16)temp != NST_MCU_TEMP_NONE;
	if (result.reached && nst_mcu_temp_from_reg(&result.reached_mc, temp))
		return -EPROTO;
	result.frame = nst_mcu_u32(words + WORD(CAPTURE_RESULT,
						CAPTURE_FRAME_HI));
	*ret = result;
	return 0;
}

/* -------------------------------------------------------------- table */

#define ACCESS(name, address, access, kind) \
	[address] = NST_MCU_ACCESS_##access,

static const u8 accesses[] = {
	NST_MCU_REGISTERS(ACCESS)
};

enum nst_mcu_access nst_mcu_access(u32 reg)
{
	if (reg >= sizeof(accesses))
		return NST_MCU_ACCESS_NONE;
	return (enum nst_mcu_access)accesses[reg];
}
