/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * backend.h - the two seams of the daemon: a device and a camera
 *
 * A device is one stack: it is sampled, it tells what happened, and it takes
 * a gate and thresholds. A camera tells exposure, gain and light. Both are
 * structs of plain numbers and a table of operations, so that the governor
 * is the same on /dev/nstN and on the emulated stack of plantdev.c.
 *
 * Times are microseconds of the device's clock, temperatures millidegrees
 * Celsius. Every call returns 0 or a negative errno and leaves its outputs
 * alone on failure; -ENODEV means that the device has gone for good and has
 * to be found again. No call allocates memory.
 */
#ifndef NST_BACKEND_H
#define NST_BACKEND_H

#include "limits.h"
#include "policy.h"
#include "sample.h"

#define NST_DEV_NAME_LEN 64
#define NST_DEV_LABEL_LEN 16
#define NST_DEV_CHANNELS_MAX 8

/**
 * struct nst_dev_info - what is there
 * @name: stable across reboots, what a device is found again by
 * @node: how messages call it, for example /dev/nst0
 * @gate_power_mw: nominal power per gate, 0 where the gate is missing
 * @gate_enter_us, @gate_exit_us: time that it takes into a gate and out of it
 */
struct nst_dev_info {
	char name[NST_DEV_NAME_LEN];
	char node[NST_DEV_NAME_LEN];
	char provider[NST_DEV_LABEL_LEN];
	char model[NST_DEV_NAME_LEN];
	char label[NST_DEV_CHANNELS_MAX][NST_DEV_LABEL_LEN];
	u32 channels;
	u32 gate_power_mw[NST_GATE_COUNT];
	u32 gate_enter_us[NST_GATE_COUNT];
	u32 gate_exit_us[NST_GATE_COUNT];
	bool has_power;
	bool windows;		/* takes run_from_us and run_us */
};

/**
 * struct nst_dev_state - everything at once
 * @now_us: when this was read
 * @frame_seq: the period that is running, which began at @frame_start_us
 * @next_start_us: start of the next one, 0 when it is not known
 * @frames: false when the device has no notion of frames
 * @gate, @gate_prev, @gate_since_us: the gate, the one before, the change
 * @guard: the kernel gates by itself
 * @bound_permyriad: near duty that the cooling device allows
 * @sample: channel 0 is the die
 */
struct nst_dev_state {
	u64 now_us;
	u64 frame_seq;
	u64 frame_start_us;
	u64 next_start_us;
	u64 gate_since_us;
	u32 frame_period_us;
	u32 exposure_us;
	u32 readout_us;
	u32 bound_permyriad;
	u32 power_mw;
	u32 channels;
	u8 gate;
	u8 gate_prev;
	bool guard;
	bool frames;
	struct nst_sample sample[NST_DEV_CHANNELS_MAX];
};

enum nst_dev_event_type {
	NST_DEV_OTHER = 0,	/* of no interest to a governor */
	NST_DEV_LOST,		/* value: events that were lost */
	NST_DEV_FRAME,		/* seq began at t_us */
	NST_DEV_GATE,		/* gate since t_us */
	NST_DEV_LEASE_LOST,
	NST_DEV_FAILSAFE,	/* value: 1 entered, 0 left */
	NST_DEV_PARAM,		/* value: 1 policy, 0 timing or bound */
	NST_DEV_CAPTURE_READY,	/* id, seq, temp_mc; value: frames left */
	NST_DEV_CAPTURE_MISSED,	/* id, seq, temp_mc reached */
};

struct nst_dev_event {
	u8 type;		/* enum nst_dev_event_type */
	u8 gate;
	u32 id;			/* of a capture ticket */
	s32 temp_mc;		/* NST_TEMP_NONE_MC where not known */
	u64 t_us;
	u64 seq;
	s64 value;
};

/**
 * struct nst_dev_capture - a ticket: gate until a frame is cold enough
 * @temp_mc: exposure temperature wanted at most
 * @deadline_us: from now, to the latest start of the exposure
 * @frames: how many in a row
 */
struct nst_dev_capture {
	s32 temp_mc;
	u32 deadline_us;
	u32 frames;
};

enum nst_dev_lease { NST_DEV_TAKE = 0, NST_DEV_RENEW, NST_DEV_GIVE_BACK };

/**
 * struct nst_dev_gate - a request
 * @frame_seq: the period it is meant for, 0 for at once
 * @run_from_us, @run_us: the part of each period that a gate in run is for;
 *	both 0 for all of it, as always where the device has no windows
 */
struct nst_dev_gate {
	u64 frame_seq;
	u32 run_from_us;
	u32 run_us;
	u8 gate;
	u8 placement;
	u8 reason;
};

/**
 * struct nst_dev_applied - what became of it
 * @frame_seq: the period it takes effect in; later than asked when the
 *	request came too late
 * @gate: after clamping by ceiling and bound
 */
struct nst_dev_applied {
	u64 frame_seq;
	u8 gate;
	bool clamped;
};

/**
 * struct nst_dev_policy - thresholds in force and who computes them
 * @automatic: the governor does, else the values were set by hand
 */
struct nst_dev_policy {
	struct nst_thresholds thr;
	bool automatic;
};

struct nst_dev;

/**
 * struct nst_dev_ops - operations of a device
 * @fd: becomes readable when events() has something to tell; POLLHUP and
 *	POLLERR mean that the device has gone
 * @events: at most @max events, oldest first; returns their number
 * @lease: @heartbeat_ms 0 keeps what is set; @ret_limit_ms is in force
 *	after NST_DEV_TAKE. -EBUSY: somebody else has it
 * @owner: who governs, for messages
 * @set_limits: -EINVAL unless low < high <= max
 * @capture: @ret_id is what its events carry; -EBUSY when the device has no
 *	room for another ticket, -ENODATA without frames
 * @capture_cancel: -ENOENT when it has been answered already
 * @close: accepts a device that is closed already
 */
struct nst_dev_ops {
	int (*fd)(struct nst_dev *dev);
	int (*info)(struct nst_dev *dev, struct nst_dev_info *ret);
	int (*sample)(struct nst_dev *dev, struct nst_dev_state *ret);
	int (*events)(struct nst_dev *dev, struct nst_dev_event *ret,
		      unsigned int max);
	int (*lease)(struct nst_dev *dev, enum nst_dev_lease op,
		     u32 heartbeat_ms, u32 *ret_limit_ms);
	int (*owner)(struct nst_dev *dev, char *buf, size_t size);
	int (*set_gate)(struct nst_dev *dev, const struct nst_dev_gate *gate,
			struct nst_dev_applied *ret);
	int (*get_policy)(struct nst_dev *dev, struct nst_dev_policy *ret);
	int (*set_limits)(struct nst_dev *dev,
			  const struct nst_thresholds *thr);
	int (*capture)(struct nst_dev *dev,
		       const struct nst_dev_capture *ticket, u32 *ret_id);
	int (*capture_cancel)(struct nst_dev *dev, u32 id);
	void (*close)(struct nst_dev *dev);
};

struct nst_dev {
	const struct nst_dev_ops *ops;
};

/**
 * struct nst_light - the situation of a camera, 0 where it does not tell
 */
struct nst_light {
	u32 exposure_us;
	u32 iso;
	u32 lux_milli;
	u32 frame_us;
};

/**
 * struct nst_side - what is predicted of the frames to come
 * @frames: of how many; @placement: enum nst_placement
 */
struct nst_side {
	u32 frames;
	u8 placement;
	bool has_snr;
	s32 snr_cdb;
};

struct nst_cam;

/**
 * struct nst_cam_ops - operations of a camera
 * @epoll_events: what @fd is watched for. A video node is never watched for
 *	EPOLLIN: that alone makes the driver start to stream.
 * @read: the present situation; takes what is waiting off the queue
 * @tell: for the records beside its frames; NULL, or an error, where there are
 *	none
 */
struct nst_cam_ops {
	u32 epoll_events;
	int (*fd)(struct nst_cam *cam);
	int (*read)(struct nst_cam *cam, struct nst_light *ret);
	int (*tell)(struct nst_cam *cam, const struct nst_side *side);
	void (*close)(struct nst_cam *cam);
};

/**
 * struct nst_cam
 * @polled: it tells of no change by itself: to be read with every frame;
 *	@fd of its operations is -1
 */
struct nst_cam {
	const struct nst_cam_ops *ops;
	bool polled;
};

#endif /* NST_BACKEND_H */
