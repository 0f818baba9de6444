/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst-sim.h - an emulated stack: configuration, state, who owns what
 *
 * Contexts of one stack:
 *
 *	worker	one thread; crosses the frame boundaries in order, advances
 *		the plant, calls the nst core
 *	ops	callbacks of the nst core: hwmon readers, /dev/nstN, the
 *		worker itself inside nst_frame_boundary()
 *	render	one work item; turns finished exposures into pictures
 *	user	V4L2 ioctls, debugfs
 *
 * struct nst_sim.lock guards the plant, the clock and the gate and is never
 * held across a call into the nst core. Order: queue lock, control handler
 * lock, nst_sim.lock, camera.slock.
 */
#ifndef NST_SIM_H
#define NST_SIM_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <media/v4l2-ctrls.h>
#include <media/v4l2-device.h>
#include <media/videobuf2-v4l2.h>

#include "nst-provider.h"
#include "nst-sim-render.h"

/* "platform:nst-sim.<name>" has to fit the bus_info of V4L2. */
#define NST_SIM_NAME_LEN	15
#define NST_SIM_CHANNELS	3
#define NST_SIM_FRAMES_LOGGED	256

/* -------------------------------------------------------- configuration */

enum nst_sim_clock {
	NST_SIM_CLOCK_REAL = 0,
	NST_SIM_CLOCK_SCALED,
	NST_SIM_CLOCK_STEP,
	NST_SIM_CLOCK_COUNT
};

/**
 * struct nst_sim_config - what a stack is made from; constant while it lives
 * @clock_scale: device time over real time, with NST_SIM_CLOCK_SCALED; every
 *	@clock_scale-th frame is delivered
 * @frame_period_us: shortest period; the exposure and the readout stretch it
 * @hot_start_mc: die and package at the start, NST_TEMP_NONE_MC for none
 * @power_mw: power of the stack per gate
 * @rail_low_mc, @rail_high_mc: range of the temperature sensor
 * @sensor_lsb_mc: its resolution, 0 for exact
 * @sensor_noise_mc: its noise, one standard deviation
 * @tell_frames: the core hears of frame boundaries; 0 is a part without a
 *	frame source
 * @gate_at_time: gate changes can be asked for ahead of time; 0 is a part
 *	that only knows now
 * @gate_enter_us, @gate_exit_us: from the edge of a deeper or a shallower
 *	gate to its effect
 */
struct nst_sim_config {
	char name[NST_SIM_NAME_LEN];
	u32 clock;
	u32 clock_scale;
	u64 seed;
	u32 frame_period_us;
	u32 readout_us;
	u32 width;
	u32 height;
	s32 ambient_mc;
	s32 hot_start_mc;
	u32 power_mw[NST_GATE_COUNT];
	struct nst_plant_params params;
	s32 max_temp_mc;
	s32 rail_low_mc;
	s32 rail_high_mc;
	u32 sensor_lsb_mc;
	u32 sensor_noise_mc;
	u32 gate_enter_us;
	u32 gate_exit_us;
	u32 tell_frames;
	u32 gate_at_time;
	struct nst_sim_scene_params scene;
	struct nst_sim_sensor sensor;
};

extern const struct nst_sim_config nst_sim_config_default;
extern const char *const nst_sim_clock_names[NST_SIM_CLOCK_COUNT];

/**
 * nst_sim_config_check() - fields that have to fit each other
 * Return: 0, -EINVAL or -ERANGE, with the reason in the kernel log.
 */
int nst_sim_config_check(const struct nst_sim_config *config);

/**
 * nst_sim_create() - make a stack live
 * Return: its device or an ERR_PTR: -EEXIST when the name is taken, what
 * nst_sim_config_check() says, -ENODEV when it did not start (see the log).
 */
struct platform_device *nst_sim_create(const struct nst_sim_config *config);
void nst_sim_destroy(struct platform_device *pdev);

/* --------------------------------------------------------------- faults */

enum nst_sim_rail {
	NST_SIM_RAIL_OFF = 0,
	NST_SIM_RAIL_LOW,
	NST_SIM_RAIL_HIGH,
};

/**
 * struct nst_sim_faults - injected, zero when healthy
 * @read_error, @not_ready: reads that fail from now on, -1 for all
 * @slow_gate_us: added to every gate change
 */
struct nst_sim_faults {
	s32 read_error;
	s32 not_ready;
	bool stuck;
	s32 stuck_mc[NST_SIM_CHANNELS];
	enum nst_sim_rail rail;
	u32 slow_gate_us;
};

/* --------------------------------------------------------------- camera */

/**
 * struct nst_sim_shot - a finished exposure, all that its picture needs
 */
struct nst_sim_shot {
	u64 seq;
	u64 start_us;
	u8 gate;
	struct nst_sim_setting setting;
	u32 segs;
	struct nst_sim_seg seg[NST_SIM_SEGS_MAX];
};

struct nst_sim_buffer {
	struct vb2_v4l2_buffer vb;	/* first: videobuf2 casts */
	struct list_head node;
	struct nst_sim_shot shot;
};

/* One line of debugfs "frames". */
struct nst_sim_frame {
	u64 seq;
	u64 start_us;
	s32 hot_mc;
	s32 cold_mc;
	u8 gate;
	u8 boxes;
	struct nst_sim_box box[NST_SIM_OBJECTS_MAX];
};

/**
 * struct nst_sim_camera - the V4L2 side of a stack
 * @lock: serialises ioctls and the queue
 * @slock: guards @free, @shots, @streaming, @missed
 * @free: buffers of the consumer, waiting for an exposure
 * @shots: exposures waiting for @work
 * @studio: what rendering needs for @format, made when streaming starts
 */
struct nst_sim_camera {
	struct v4l2_device v4l2_dev;
	struct video_device vdev;
	struct vb2_queue queue;
	struct v4l2_ctrl_handler ctrls;
	struct v4l2_ctrl *exposure;
	struct mutex lock;		/* of ioctls and queue */
	struct v4l2_pix_format format;

	spinlock_t slock;		/* guards down to @missed */
	struct list_head free;
	struct list_head shots;
	bool streaming;
	u64 missed;

	struct work_struct work;
	struct workqueue_struct *wq;
	struct nst_sim_studio *studio;

	struct mutex log_lock;		/* guards @log and counters */
	struct nst_sim_frame *log;
	u64 delivered;
	u64 render_ns;			/* spent on pictures */
};

/* ---------------------------------------------------------------- stack */

struct nst_sim_edge {
	u64 asked_us;
	u64 at_us;	/* when it takes effect */
	u8 gate;
};

#define NST_SIM_EDGES_MAX	(2 * NST_GATE_PENDING_MAX)

/**
 * struct nst_sim - one stack
 * @lock: guards all that follows up to @camera
 *
 * Clock: @base_ns is the host's time at device time @base_us; with the step
 * clock device time is @step_us. @limit_us is the next boundary that has not
 * been dealt with: no reader sees a later time.
 *
 * Period @seq began at @start_us and ends at @next_us; @seg holds its
 * history, the last entry is the present. @setting is the one it is exposed
 * with, @wanted and @wanted_period_us become valid at the next boundary.
 */
struct nst_sim {
	struct nst_sim_config config;
	struct device *dev;
	struct nst *nst;

	struct mutex lock;		/* guards down to @faults */
	u64 base_ns;
	u64 base_us;
	u64 step_us;
	u32 owed_frames;
	u64 limit_us;
	u64 slipped_us;
	bool settled;			/* no boundary is due; read lockless */
	bool stopping;

	u64 seq;
	u64 start_us;
	u64 next_us;
	u32 period_us;
	u32 wanted_period_us;
	struct nst_sim_setting setting;
	struct nst_sim_setting wanted;

	struct nst_plant plant;
	struct nst_sim_seg seg[NST_SIM_SEGS_MAX];
	u32 segs;
	struct nst_sim_edge edge[NST_SIM_EDGES_MAX];
	u32 edges;
	u8 gate;
	s32 ambient_mc;
	u64 energy_nj;
	u64 time_run_us;
	s32 max_die_mc;
	struct nst_sim_faults faults;

	struct nst_sim_camera camera;
	struct dentry *debugfs;
	struct task_struct *worker;
	wait_queue_head_t wake;		/* of the worker */
	wait_queue_head_t idle;		/* of those who wait for it */
};

/**
 * struct nst_sim_truth - what debugfs tells, of one instant
 */
struct nst_sim_truth {
	u64 now_us;
	s32 die_mc;
	s32 package_mc;
	u32 power_mw;
	u8 gate;
	s32 ambient_mc;
	u64 frame_seq;
	u32 frame_period_us;
	u32 exposure_us;
	u64 energy_uj;
	u64 time_run_us;
	u64 slipped_us;
	s32 max_die_mc;
};

/* nst-sim-stack.c */
int nst_sim_stack_init(struct nst_sim *sim);
int nst_sim_stack_start(struct nst_sim *sim);
void nst_sim_stack_stop(struct nst_sim *sim);
void nst_sim_truth(struct nst_sim *sim, struct nst_sim_truth *ret);

/** nst_sim_step() - move a step clock and wait until all is settled */
int nst_sim_step(struct nst_sim *sim, u64 us);

/** nst_sim_step_frame() - move a step clock to the end of one more frame */
void nst_sim_step_frame(struct nst_sim *sim);

/** nst_sim_step_settle() - wait until a step clock has moved so far */
void nst_sim_step_settle(struct nst_sim *sim);

/** nst_sim_set_ambient(), nst_sim_set_hot() - now; -ERANGE, -EBUSY */
int nst_sim_set_ambient(struct nst_sim *sim, s32 ambient_mc);
int nst_sim_set_hot(struct nst_sim *sim, s32 temp_mc);
void nst_sim_set_stuck(struct nst_sim *sim, bool on);

extern const struct nst_ops nst_sim_ops;

/* nst-sim-camera.c */
int nst_sim_camera_init(struct nst_sim *sim);
int nst_sim_camera_register(struct nst_sim *sim);
void nst_sim_camera_unregister(struct nst_sim *sim);

/**
 * nst_sim_camera_expose() - period @sim->seq has ended
 * With nst_sim.lock held. Hands the exposure to the renderer if somebody
 * waits for it.
 */
void nst_sim_camera_expose(struct nst_sim *sim);

/** nst_sim_camera_flush() - wait until every exposure is delivered */
void nst_sim_camera_flush(struct nst_sim *sim);

/** nst_sim_camera_set_exposure() - as if by the control */
int nst_sim_camera_set_exposure(struct nst_sim *sim, u32 exposure_us);

/* nst-sim-debugfs.c */
void nst_sim_debugfs_root(bool make);
void nst_sim_debugfs_add(struct nst_sim *sim);
void nst_sim_debugfs_remove(struct nst_sim *sim);

/* nst-sim-configfs.c */
int nst_sim_configfs_register(void);
void nst_sim_configfs_unregister(void);

/* nst-sim-main.c */
const struct nst_sim_pool *nst_sim_shared_pool(void);

#endif /* NST_SIM_H */
