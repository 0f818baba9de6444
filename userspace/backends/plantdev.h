/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * plantdev.h - an emulated stack inside the process
 *
 * The device and the camera of backend.h on the plant of policies/core, for
 * running the daemon's loop where there is no kernel module. It keeps the
 * rules of the real one: a gate asked for period k takes effect when k
 * begins, or at the next boundary when it is asked too late; without a
 * lease a guard gates between the two thresholds.
 *
 * Time moves by nst_plantdev_advance() alone, or, with a clock scale, by a
 * timer that makes the device's fd readable once a frame.
 */
#ifndef NST_PLANTDEV_H
#define NST_PLANTDEV_H

#include "backend.h"
#include "exposure.h"

#define NST_PLANTDEV_EVENTS 256
#define NST_PLANTDEV_TRUTH 4096
#define NST_PLANTDEV_TICKETS 8

/**
 * struct nst_plantdev_config - the stack and its camera
 * @latency_us: how far into a period a reader finds the clock
 * @sensor_lsb_mc: step of the sensor, 0 for an exact one (rounds down)
 * @clock_scale: device time over wall time; 0: by hand
 */
struct nst_plantdev_config {
	const char *name;
	struct nst_plant_params params;
	s32 ambient_mc;
	u32 near_mw;
	u32 gated_mw;
	u32 frame_period_us;
	u32 exposure_us;
	u32 readout_us;
	u32 doubling_mc;
	u32 latency_us;
	u32 sensor_lsb_mc;
	u32 lease_ms;
	unsigned int clock_scale;
	struct nst_thresholds thr;
};

struct nst_plantdev_ticket {
	u32 id;				/* 0: free */
	struct nst_dev_capture want;
	u64 until_us;
};

struct nst_plantdev {
	struct nst_dev dev;
	struct nst_plantdev_config config;
	int fd;
	bool open;
	bool gone;
	struct nst_plant plant;		/* at now_us */
	struct nst_plant at_start;	/* at the start of the period */
	u64 now_us;
	u64 frame_seq;
	u64 frame_start_us;
	u64 gate_since_us;
	u8 gate;
	u8 gate_prev;
	u8 gate_at_start;
	u8 sample_state;		/* enum nst_sample_state, for faults */
	bool pending;
	u8 pending_gate;
	u64 pending_seq;
	bool leased;
	bool foreign_lease;		/* somebody else governs */
	bool automatic;
	struct nst_thresholds thr;
	struct nst_band guard;
	u32 next_exposure_us;
	u32 ticket_id;
	struct nst_plantdev_ticket ticket[NST_PLANTDEV_TICKETS];
	bool ticket_gated;
	u8 ticket_found;		/* gate to go back to */
	s32 ceiling_mc;			/* max_mc above it is refused */
	/* what a test wants to know */
	unsigned int samples, gates, limits, renewals;
	unsigned int event_head, event_tail;
	struct nst_dev_event event[NST_PLANTDEV_EVENTS];
	s32 truth_mc[NST_PLANTDEV_TRUTH];
};

int nst_plantdev_init(struct nst_plantdev *d,
		      const struct nst_plantdev_config *config);
void nst_plantdev_deinit(struct nst_plantdev *d);

/** nst_plantdev_open() - -ENODEV while it is away */
int nst_plantdev_open(struct nst_plantdev *d, struct nst_dev **ret);

/** nst_plantdev_advance() - to the start of the period @frames later */
void nst_plantdev_advance(struct nst_plantdev *d, unsigned int frames);

/** nst_plantdev_vanish() - unplugged, or back as after power-on */
void nst_plantdev_vanish(struct nst_plantdev *d, bool gone);

/** nst_plantdev_set_policy() - as a user does through sysfs: auto is off */
void nst_plantdev_set_policy(struct nst_plantdev *d,
			     const struct nst_thresholds *thr);

/** nst_plantdev_exposure_mc() - true exposure temperature of an old frame */
s32 nst_plantdev_exposure_mc(const struct nst_plantdev *d, u64 seq);

struct nst_plantcam {
	struct nst_cam cam;
	struct nst_plantdev *dev;
	int fd;
	struct nst_light light;
};

int nst_plantcam_init(struct nst_plantcam *c, struct nst_plantdev *dev,
		      const struct nst_light *light);
void nst_plantcam_deinit(struct nst_plantcam *c);

/** nst_plantcam_set() - what an auto-exposure program does */
void nst_plantcam_set(struct nst_plantcam *c, const struct nst_light *light);

#endif /* NST_PLANTDEV_H */
