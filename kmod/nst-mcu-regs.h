/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-mcu-regs.h - what the words of the management MCU say, as pure functions
 *
 * From words to structs with the units of the driver, and back. Every value
 * is checked against what registers.def allows before it is passed on: a bus
 * that idles high or hangs low, a firmware of another mind, never become a
 * temperature. The suite in tests/ runs this in user space too.
 *
 * @words of every *_from_regs() are those of the block it is named after,
 * first register first; a block that is shorter than version 1.0 has it, or
 * a value that cannot be, gives -EPROTO and @ret is unchanged. A block of a
 * newer minor version may be longer.
 */
#ifndef NST_MCU_REGS_H
#define NST_MCU_REGS_H

#include "nst-wire.h"
#include "policy.h"
#include "sample.h"

#define NST_MCU_CHANNELS_MAX	4
#define NST_MCU_BLOCK_WORDS	(NST_MCU_BLOCK_MAX / 2)

/** struct nst_mcu_identity - block IDENTITY; @model ends with a zero */
struct nst_mcu_identity {
	u8 major;
	u8 minor;
	u16 caps;
	u32 channels;
	u64 serial;
	char model[2 * NST_MCU_MODEL_WORDS + 1];
};

/** struct nst_mcu_channel - one channel of a sample */
struct nst_mcu_channel {
	s32 value_mc;		/* with NST_SAMPLE_VALID */
	u8 state;		/* enum nst_sample_state */
	u8 bound;		/* enum nst_sample_bound */
};

/** struct nst_mcu_sample - block SAMPLE */
struct nst_mcu_sample {
	u16 seq;
	u16 state;		/* NST_MCU_STATE_* */
	u16 status;		/* NST_MCU_STATUS_* */
	u8 gate;		/* enum nst_gate */
	u32 age_us;
	u32 power_mw;
	struct nst_mcu_channel channel[NST_MCU_CHANNELS_MAX];
};

/** struct nst_mcu_frames - block FRAME */
struct nst_mcu_frames {
	u32 count;
	u32 period_us;
	u32 age_us;
};

/** struct nst_mcu_fault - block FAULTS */
struct nst_mcu_fault {
	u16 code;
	u16 value;
	u8 refused_command;
	u8 refused_why;		/* NST_MCU_LAST_ERROR_* */
};

/** struct nst_mcu_sensor - block SENSOR */
struct nst_mcu_sensor {
	u32 lsb_mc;
	u32 noise_mc;
	bool floor;
	u32 sample_period_us;
	u32 conversion_us;
};

/** struct nst_mcu_plant - block PLANT */
struct nst_mcu_plant {
	struct nst_plant_params params;
	s32 ambient_mc;
};

/** struct nst_mcu_request - block CAPTURE: a capture by the MCU itself */
struct nst_mcu_request {
	s32 temp_mc;
	u32 deadline_us;
	u32 frames;		/* 0 cancels */
};

/** struct nst_mcu_result - block CAPTURE_RESULT */
struct nst_mcu_result {
	u8 state;		/* NST_MCU_CAPTURE_STATE_* */
	bool reached;		/* reached_mc is a temperature */
	s32 reached_mc;
	u32 frame;
};

/**
 * nst_mcu_words_from_wire() - bytes of a block, high byte first, to words
 * @len: even, at most NST_MCU_BLOCK_MAX
 * Return: words, or -EPROTO.
 */
int nst_mcu_words_from_wire(u16 *ret, const u8 *bytes, u32 len);

/** nst_mcu_words_to_wire() - Return: bytes */
u32 nst_mcu_words_to_wire(u8 *ret, const u16 *words, u32 count);

/** nst_mcu_u32() - high half first */
static inline u32 nst_mcu_u32(const u16 *words)
{
	return (u32)words[0] << 16 | words[1];
}

/**
 * nst_mcu_identity_from_regs() - who is there
 * Version and capabilities are told, not judged; without the magic it is
 * nobody: -ENODEV.
 */
int nst_mcu_identity_from_regs(struct nst_mcu_identity *ret,
			       const u16 *words, u32 count);

/**
 * nst_mcu_sample_from_regs() - one sample of all channels
 * @channels, @caps: of the identity; more channels are not looked at, a gate
 *	that the stack does not have cannot be
 * A block whose two sequence numbers differ is torn: -EPROTO like the rest.
 */
int nst_mcu_sample_from_regs(struct nst_mcu_sample *ret, u32 channels,
			     u16 caps, const u16 *words, u32 count);

/** nst_mcu_gate_from_reg() - GATE_ACTUAL; a gate without its bit is -EPROTO */
int nst_mcu_gate_from_reg(u8 *ret, u16 caps, u16 word);

/** nst_mcu_gate_exists() - run always, the others by their bit of CAPS */
bool nst_mcu_gate_exists(u16 caps, u32 gate);

/** nst_mcu_temp_from_reg() - a temperature, or -EPROTO: none, out of range */
int nst_mcu_temp_from_reg(s32 *ret, u16 word);

int nst_mcu_frames_from_regs(struct nst_mcu_frames *ret, const u16 *words,
			     u32 count);
int nst_mcu_fault_from_regs(struct nst_mcu_fault *ret, const u16 *words,
			    u32 count);
int nst_mcu_sensor_from_regs(struct nst_mcu_sensor *ret, const u16 *words,
			     u32 count);
int nst_mcu_plant_from_regs(struct nst_mcu_plant *ret, const u16 *words,
			    u32 count);

/** nst_mcu_powers_from_regs() - block POWERS; each at most the one before */
int nst_mcu_powers_from_regs(u32 ret_mw[NST_GATE_COUNT], const u16 *words,
			     u32 count);

/** nst_mcu_times_from_regs() - block GATE_TIMES; each at most ten minutes */
int nst_mcu_times_from_regs(u32 ret_enter_us[NST_GATE_COUNT],
			    u32 ret_exit_us[NST_GATE_COUNT],
			    const u16 *words, u32 count);

int nst_mcu_result_from_regs(struct nst_mcu_result *ret, const u16 *words,
			     u32 count);

/**
 * nst_mcu_limits_to_regs() - block LIMITS of thresholds that hold
 * In steps of the registers, low < high <= ceiling still holds, and no limit
 * is rounded to less strict than it was, ceiling and low included.
 */
void nst_mcu_limits_to_regs(u16 ret[NST_MCU_BLK_LIMITS_WORDS],
			    const struct nst_thresholds *thr);

/**
 * nst_mcu_request_to_regs() - block CAPTURE
 * Return: 0, or -ERANGE for what the map does not take, @ret unchanged.
 */
int nst_mcu_request_to_regs(u16 ret[NST_MCU_BLK_CAPTURE_WORDS],
			    const struct nst_mcu_request *request);

/** enum nst_mcu_access - how a register may be used */
enum nst_mcu_access {
	NST_MCU_ACCESS_NONE = 0,	/* there is none */
	NST_MCU_ACCESS_RO,
	NST_MCU_ACCESS_RW,
	NST_MCU_ACCESS_W1C,
	NST_MCU_ACCESS_BW,		/* written by a block alone */
};

/** nst_mcu_access() - of a register of the version that we know */
enum nst_mcu_access nst_mcu_access(u32 reg);

#endif /* NST_MCU_REGS_H */
