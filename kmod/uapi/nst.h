/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * nst.h - user interface of /dev/nstN
 *
 * Times are microseconds of the device clock (INFO tells it in clock_id:
 * CLOCK_MONOTONIC on hardware, the emulated clock on nst-sim), temperatures
 * millidegrees Celsius, powers milliwatts. Every struct has a fixed size on
 * every ABI, pads are zero, unknown flags give -EINVAL.
 */
#ifndef _UAPI_NST_H
#define _UAPI_NST_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define NST_ABI_VERSION		1

#define NST_CHANNELS_MAX	8
#define NST_LABEL_LEN		16
#define NST_NAME_LEN		64

/* Gates, deepest last; values as in sysfs "gate". */
#define NST_UGATE_RUN		0
#define NST_UGATE_STANDBY	1
#define NST_UGATE_CLEARED	2
#define NST_UGATE_OFF		3

/* Placements, carried by NST_EVENT_SEASON and set by SET_GATE. */
#define NST_UPLACE_NEAR		0
#define NST_UPLACE_FAR		1
#define NST_UPLACE_PAUSED	2

/* States of a sample; anything but VALID has no value. */
#define NST_USAMPLE_VALID	0
#define NST_USAMPLE_NOT_READY	1
#define NST_USAMPLE_NO_DATA	2
#define NST_USAMPLE_BUS_FAULT	3
#define NST_USAMPLE_GONE	4
#define NST_USAMPLE_IMPLAUSIBLE	5

/* Flags of a sample. */
#define NST_USAMPLE_F_ESTIMATED	0x0001	/* of a model, not read from the part */

#define NST_UBOUND_NONE		0
#define NST_UBOUND_AT_LEAST	1
#define NST_UBOUND_AT_MOST	2

#define NST_UFRAMES_NONE	0
#define NST_UFRAMES_GPIO	1
#define NST_UFRAMES_USER	2
#define NST_UFRAMES_TIMER	3
#define NST_UFRAMES_PROVIDER	4	/* emulated, or counted by the part */

#define NST_CAP_GATE_STANDBY	0x01
#define NST_CAP_GATE_CLEARED	0x02
#define NST_CAP_GATE_OFF	0x04
#define NST_CAP_GATE_AT_TIME	0x08	/* edges at a given time */
#define NST_CAP_POWER		0x10	/* power1_input exists */
#define NST_CAP_TIMING_RW	0x20	/* timing can be written */

/**
 * struct nst_uapi_info - what is here
 * @clock_id: clockid_t of every time, or -1 for the device's own clock
 * @gate_power_mw: nominal power per gate, 0 where the gate is missing
 * @gate_enter_us, @gate_exit_us: cost per gate
 */
struct nst_uapi_info {
	__u32 abi_version;
	__u32 caps;
	__s32 clock_id;
	__u32 channels;
	char name[NST_NAME_LEN];
	char provider[NST_LABEL_LEN];
	char model[NST_NAME_LEN];
	char label[NST_CHANNELS_MAX][NST_LABEL_LEN];
	__u32 gate_power_mw[4];
	__u32 gate_enter_us[4];
	__u32 gate_exit_us[4];
	__u32 reserved[8];
};

struct nst_uapi_sample {
	__u64 t_us;
	__s32 value_mc;
	__u8 state;
	__u8 bound;
	__u16 flags;		/* NST_USAMPLE_F_* */
};

/**
 * struct nst_uapi_state - SAMPLE: everything at once
 * @now_us: device clock when the call was served
 * @frame_seq: last frame boundary, 0 before the first
 * @frame_start_us: its time
 * @next_start_us: expected time of the next one, 0 when unknown
 * @gate: gate now, @gate_pending: the one that a boundary will bring
 * @gate_since_us: time of the last change
 * @gate_prev: the gate before it
 * @bound_permyriad: near duty that the cooling device allows
 * @guard: 1 while the kernel gates by itself (ceiling, bad sensor, bound)
 * @power_mw: measured or nominal power; valid with NST_CAP_POWER
 * @phase_age_us: how long ago the frame source last told its phase; grows
 *	while NST_UFRAMES_TIMER carries on by itself
 * @highest: the hottest that the die was in the last period of the frame
 *	dither, as temp1_highest; NOT_READY when there is none. ESTIMATED
 *	where it is the model's: no reading tells of a peak inside a period.
 *	@highest.t_us 0: a driver that does not tell it yet
 */
struct nst_uapi_state {
	__u64 now_us;
	__u64 frame_seq;
	__u64 frame_start_us;
	__u64 next_start_us;
	__u64 gate_since_us;
	__u32 frame_period_us;
	__u32 exposure_us;
	__u32 readout_us;
	__u32 frame_source;
	__u8 gate;
	__u8 gate_pending;
	__u8 gate_prev;
	__u8 guard;
	__u32 bound_permyriad;
	__u32 power_mw;
	__u32 channels;
	struct nst_uapi_sample sample[NST_CHANNELS_MAX];
	__u32 phase_age_us;
	__u32 reserved0;
	struct nst_uapi_sample highest;
	__u32 reserved[2];
};

/*
 * SET_GATE, FRAME, SET_LIMITS and RENEW are for who holds the lease: -EBUSY
 * while another file does, -EPERM while none does. SET_GATE and FRAME renew
 * it too. TAKE needs a file opened for writing, else -EPERM.
 */
#define NST_LEASE_TAKE		1
#define NST_LEASE_RENEW		2
#define NST_LEASE_GIVE_BACK	3

/**
 * struct nst_uapi_lease
 * @op: NST_LEASE_*
 * @heartbeat_ms: in: 0 keeps policy/lease_ms; out: the limit in force
 */
struct nst_uapi_lease {
	__u32 op;
	__u32 flags;
	__u32 heartbeat_ms;
	__u32 reserved;
};

#define NST_GATE_WHEN_NOW	0	/* at once */
#define NST_GATE_WHEN_FRAME	1	/* at the boundary named, or the next */
#define NST_GATE_WHEN_OFFSET	2	/* offset_us after a boundary */

#define NST_GATE_EVERY_FRAME	0x01	/* with OFFSET: repeat */
#define NST_GATE_PLACEMENT	0x02	/* placement is given */
#define NST_GATE_WINDOW		0x04	/* with FRAME: in a part of each period */

/**
 * struct nst_uapi_gate - SET_GATE
 * @frame_seq: with WHEN_FRAME: the period the gate is meant for; 0 or one
 *	that has begun already means the next boundary
 * @offset_us, @window_us: with NST_GATE_WINDOW: @gate, which is run, holds
 *	from @offset_us after the start of each period on, for @window_us, and
 *	standby for the rest of it. The kernel makes the edges until another
 *	request takes their place, one with an offset too; the ceiling plans
 *	with the window instead of the whole period. In a period that is told
 *	of after its window should have opened what is left of it is used, and
 *	none if it is over (stats/windows_late counts both); it never closes
 *	later than it should. A period too short for @offset_us goes without.
 * @placement: who processes from then on, NST_UPLACE_*; for the records
 * @ret_applied: out: the gate after clamping by ceiling and bound
 * @ret_frame_seq: out: the period that the change takes effect in
 */
struct nst_uapi_gate {
	__u32 gate;
	__u32 when;
	__u32 flags;
	__u32 offset_us;
	__u64 frame_seq;
	__u32 placement;
	__u32 reason;
	__u32 ret_applied;
	__u32 ret_clamped;
	__u64 ret_frame_seq;
	__u32 window_us;
	__u32 reserved;
};

/** struct nst_uapi_frame - FRAME: a boundary seen by the lease holder */
struct nst_uapi_frame {
	__u64 frame_seq;
	__u64 start_us;
	__u32 exposure_us;
	__u32 readout_us;
	__u32 period_us;
	__u32 flags;
};

/**
 * struct nst_uapi_capture - CAPTURE: ticket in, id out
 * @temp_mc: exposure temperature wanted at most
 * @deadline_us: from now; latest start of the exposure
 * @frames: how many in a row
 */
struct nst_uapi_capture {
	__s32 temp_mc;
	__u32 deadline_us;
	__u32 frames;
	__u32 flags;
	__u32 ret_id;
	__u32 reserved;
};

struct nst_uapi_capture_cancel {
	__u32 id;
	__u32 flags;
};

/**
 * struct nst_uapi_limits - SET_LIMITS
 * low < high <= max <= the rated maximum, or -EINVAL; -EACCES while
 * policy/auto is 0, when the values set by hand hold. @capture_mc: 1000000
 * for none.
 */
struct nst_uapi_limits {
	__s32 high_mc;
	__s32 low_mc;
	__s32 capture_mc;
	__s32 max_mc;
	__u32 flags;
	__u32 reserved;
};

#define NST_IOC			0xb7
#define NST_IOC_INFO		_IOR(NST_IOC, 0x00, struct nst_uapi_info)
#define NST_IOC_SAMPLE		_IOR(NST_IOC, 0x01, struct nst_uapi_state)
#define NST_IOC_LEASE		_IOWR(NST_IOC, 0x02, struct nst_uapi_lease)
#define NST_IOC_SET_GATE	_IOWR(NST_IOC, 0x03, struct nst_uapi_gate)
#define NST_IOC_FRAME		_IOW(NST_IOC, 0x04, struct nst_uapi_frame)
#define NST_IOC_CAPTURE		_IOWR(NST_IOC, 0x05, struct nst_uapi_capture)
#define NST_IOC_CAPTURE_CANCEL	_IOW(NST_IOC, 0x06, struct nst_uapi_capture_cancel)
#define NST_IOC_SET_LIMITS	_IOW(NST_IOC, 0x07, struct nst_uapi_limits)

/*
 * Records of read(). Temperatures of the die are in temp_mc; an event that
 * carries none has 0 there, and a SAMPLE with a state other than VALID has no
 * temperature.
 */
#define NST_EVENT_LOST			1	/* value: records lost */
#define NST_EVENT_SAMPLE		2	/* code: state; value: estimate, mC */
#define NST_EVENT_GATE			3	/* code: new gate, value: old */
#define NST_EVENT_SEASON		4	/* code: new placement, value: old */
#define NST_EVENT_CAPTURE_READY		5	/* id, seq, temp_mc; value: left */
#define NST_EVENT_CAPTURE_MISSED	6	/* id, seq, temp_mc reached */
#define NST_EVENT_LEASE_LOST		7	/* code: 1 heartbeat, 2 close; value: pid */
#define NST_EVENT_FAILSAFE_ENTER	8	/* temp_mc, code: reason */
#define NST_EVENT_FAILSAFE_LEAVE	9
#define NST_EVENT_PARAM			10	/* code: NST_PARAM_*; value */
#define NST_EVENT_FAULT			11	/* code: sample state or NST_FAULT_*, once */
#define NST_EVENT_FRAME			12	/* seq, t_us: start; value: period_us */

#define NST_FAULT_GATE		0x100	/* it does not obey; value: gate wanted */
#define NST_FAULT_BRIDGE	0x101	/* the bus bridge of the module is dead */
#define NST_FAULT_NETWORK	0x102	/* the VPU has lost its network */
#define NST_FAULT_OWNER		0x103	/* the sensor's own driver is gone */

#define NST_FAILSAFE_CEILING	1
#define NST_FAILSAFE_SENSOR	2
#define NST_FAILSAFE_HOLD	3	/* policy/engine hold gates */

#define NST_PARAM_HIGH		1
#define NST_PARAM_LOW		2
#define NST_PARAM_CAPTURE	3
#define NST_PARAM_MAX		4
#define NST_PARAM_AUTO		5
#define NST_PARAM_DWELL		6
#define NST_PARAM_STOP		7
#define NST_PARAM_LEASE		8
#define NST_PARAM_ENGINE	9
#define NST_PARAM_TIMING	10
#define NST_PARAM_BOUND		11	/* the cooling device moved */

/**
 * struct nst_uapi_event - 64 bytes; read() gives whole records only
 * @version: NST_ABI_VERSION
 */
struct nst_uapi_event {
	__u16 version;
	__u16 type;
	__u32 code;
	__u64 t_us;
	__u64 seq;
	__s64 value;
	__s32 temp_mc;
	__u32 id;
	__u8 gate;
	__u8 placement;
	__u8 reserved[22];
};

#endif /* _UAPI_NST_H */
