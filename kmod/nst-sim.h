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
 * lock, vpu.lock, nst_sim.lock, camera.slock.
 */
#ifndef NST_SIM_H
#define NST_SIM_H

#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
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

/* What a stack is for its host: nothing but itself, or a part on a board. */
enum nst_sim_attach {
	NST_SIM_ATTACH_DIRECT = 0,
	NST_SIM_ATTACH_CCI,
	NST_SIM_ATTACH_MCU,
	NST_SIM_ATTACH_COUNT
};

/* How the companion of a CCI sensor gates the VPU. */
enum nst_sim_gate_by {
	NST_SIM_GATE_BY_NONE = 0,
	NST_SIM_GATE_BY_GPIO,
	NST_SIM_GATE_BY_DNN,
	NST_SIM_GATE_BY_COUNT
};

#define NST_SIM_PROPERTIES_MAX	12
#define NST_SIM_PROPERTY_LEN	40
#define NST_SIM_PROPERTY_WORDS	4

/**
 * struct nst_sim_property - one device property of the provider's device
 * @words: 32-bit values; 0 with an empty @text is a flag
 */
struct nst_sim_property {
	char name[NST_SIM_PROPERTY_LEN];
	char text[NST_SIM_PROPERTY_LEN];
	u32 value[NST_SIM_PROPERTY_WORDS];
	u8 words;
	bool is_text;
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
 * @attach: NST_SIM_ATTACH_*; what follows is for cci and mcu
 * @bus_hz: clock of the I2C bus, 0 for one that takes no time
 * @bus_blocks: the adapter takes the length of a block from the target
 * @model: index into nst_sim_models
 * @sensor_addr: its address
 * @gate_by: NST_SIM_GATE_BY_*
 * @run_depth: gate that a deasserted run line means
 * @supply: the VPU has a supply of its own, line 3
 * @thermometer: a chip on the bus has the temperature of the package
 * @owner_pm: the sensor's driver has runtime PM; without, the sensor is on as
 *	long as the driver is bound
 * @owner_delay_ms: autosuspend of the sensor's driver
 * @owner_enables: that driver turns the temperature sensor on
 * @bridge_life: power cycles after which the bridge of an IMX500 hangs
 * @upload_ms: how long its firmware takes at the first start
 * @upload_lock_ms: of that, how long the adapter is locked for each block
 * @vpu: the task of firmware/vpu can run under the pixels
 * @vpu_busy_us: time in gate run that it takes for a frame
 * @metadata: there is a node with a record beside each frame
 * @scene_input: there is a node for clean frames in the place of the scene
 * @noise: 0 makes pixels that depend on the scene and the camera's setting,
 *	not on temperature or chance
 * @property: put on the provider's device, over what nst-sim puts there
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
	u32 attach;
	u32 bus_hz;
	u32 bus_blocks;
	u32 model;
	u32 sensor_addr;
	u32 gate_by;
	u32 run_depth;
	u32 supply;
	u32 thermometer;
	u32 owner_pm;
	u32 owner_delay_ms;
	u32 owner_enables;
	u32 bridge_life;
	u32 upload_ms;
	u32 upload_lock_ms;
	u32 vpu;
	u32 vpu_busy_us;
	u32 metadata;
	u32 scene_input;
	u32 noise;
	u32 properties;
	struct nst_sim_property property[NST_SIM_PROPERTIES_MAX];
	struct nst_sim_scene_params scene;
	struct nst_sim_sensor sensor;
};

extern const struct nst_sim_config nst_sim_config_default;
extern const char *const nst_sim_clock_names[NST_SIM_CLOCK_COUNT];
extern const char *const nst_sim_attach_names[NST_SIM_ATTACH_COUNT];
extern const char *const nst_sim_gate_by_names[NST_SIM_GATE_BY_COUNT];

/**
 * nst_sim_config_check() - fields that have to fit each other
 * Return: 0, -EINVAL or -ERANGE, with the reason in the kernel log.
 */
int nst_sim_config_check(const struct nst_sim_config *config);

/** nst_sim_of_config() - what a device tree asks for; see nst-sim-of.c */
int nst_sim_of_config(struct device *dev, struct nst_sim_config *config);

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
 * @gate_ignored: a gate change is taken and not carried out
 * @gate_refused: gate changes from now on that end in an error, -1 for all
 *
 * On a bus, transfers from now on, -1 for all:
 * @nack: nobody answers
 * @arb_lost: another master wins
 * @torn: a reading's bytes are of two conversions
 * @pec_error: the last byte is wrong by a bit
 * @all_ones, @all_zeros: the data line is stuck
 * @spike: readings 40 degC too high
 * @idle_code: no conversion ever ends: the power-on default stays
 * @late_us: how old a reading is
 */
struct nst_sim_faults {
	s32 read_error;
	s32 not_ready;
	bool stuck;
	s32 stuck_mc[NST_SIM_CHANNELS];
	enum nst_sim_rail rail;
	u32 slow_gate_us;
	bool gate_ignored;
	s32 gate_refused;
	s32 nack;
	s32 arb_lost;
	s32 torn;
	s32 pec_error;
	s32 all_ones;
	s32 all_zeros;
	s32 spike;
	bool idle_code;
	u32 late_us;
};

/** nst_sim_fault_due() - does this one fail? Counts it. */
static inline bool nst_sim_fault_due(s32 *fault)
{
	if (*fault > 0)
		(*fault)--;
	else if (!*fault)
		return false;
	return true;
}

/* --------------------------------------------------------------- camera */

/* A buffer of one of the three queues. */
struct nst_sim_buffer {
	struct vb2_v4l2_buffer vb;	/* first: videobuf2 casts */
	struct list_head node;
};

/**
 * struct nst_sim_shot - a finished exposure, all that its picture needs
 * @gate, @gate_next: when its period, and the next one, began
 * @owner: NST_SIM_OWNER_*; @result: NST_SIM_RESULT_*, DONE when the VPU is to
 *	do it with the state of @vpu_epoch
 * @told: what the governor said about this frame
 * @sensor: what the temperature sensor says of it, but for the value, which
 *	is @sensor.value_mc more than the exposure temperature; @stuck: it is
 *	@sensor.value_mc
 * @video, @meta: who gets it, or NULL
 * @clean: a frame to show from this exposure on, or NULL
 * @input: one is shown, for the first time or @repeated; @input_seq: which
 * @width, @height, @bits: of the capture node's format
 */
struct nst_sim_shot {
	struct list_head node;
	u64 seq;
	u64 start_us;
	u32 period_us;
	u32 vpu_epoch;
	u8 gate;
	u8 gate_next;
	u8 owner;
	u8 result;
	u8 bits;
	bool input;
	bool repeated;
	bool stuck;
	u64 input_seq;
	struct nst_sample sensor;
	struct nst_sim_tell told;
	struct nst_sim_buffer *video;
	struct nst_sim_buffer *meta;
	struct nst_sim_buffer *clean;
	struct nst_sim_setting setting;
	u32 width;
	u32 height;
	u32 segs;
	struct nst_sim_seg seg[NST_SIM_SEGS_MAX];
};

/* As many as a queue has buffers, and some that nobody else looks at. */
#define NST_SIM_SHOTS		40

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
 * @slock: guards the lists, @streaming and the counters of the three queues
 * @free: buffers of the consumer, waiting for an exposure
 * @spare, @shots: of @shot, and those that wait for @work
 * @exposed: the one whose boundary is being dealt with, or NULL
 * @heat: what temperatures of a picture are made with; of @work alone
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
	struct list_head spare;
	struct list_head shots;
	struct nst_sim_shot *exposed;
	bool streaming;
	u64 missed;
	struct nst_sim_shot *shot;
	wait_queue_head_t spare_wait;

	struct work_struct work;
	struct workqueue_struct *wq;
	struct nst_sim_heat *heat;
	struct nst_sim_studio *studio;

	struct mutex log_lock;		/* guards @log and counters */
	struct nst_sim_frame *log;
	u64 delivered;
	u64 render_ns;			/* spent on pictures */
};

/**
 * struct nst_sim_metadata - the node with a record beside each frame
 * @lock: serialises ioctls and the queue
 * @free, @streaming, @missed: as those of the camera, with its slock
 * @told: what the governor said, the newest last, with nst_sim.lock
 */
#define NST_SIM_TOLD_MAX	4

struct nst_sim_metadata {
	struct video_device vdev;
	struct vb2_queue queue;
	struct mutex lock;		/* of ioctls and queue */
	struct list_head free;
	bool streaming;
	u64 missed;
	struct nst_sim_tell told[NST_SIM_TOLD_MAX];
};

/**
 * struct nst_sim_input - the node for clean frames
 * @lock: serialises ioctls and the queue
 * @waiting: frames that no exposure has shown, with camera.slock as all up to
 *	@underruns
 * @shown: there has been one; @seq: how many since streaming started
 * @taken, @underruns: frames and repetitions since the stack lives
 * @plane: the frame that is shown, of the render work while streaming
 */
struct nst_sim_input {
	struct video_device vdev;
	struct vb2_queue queue;
	struct mutex lock;		/* of ioctls and queue */
	struct v4l2_pix_format format;
	u32 period_us;

	struct list_head waiting;
	bool streaming;
	bool shown;
	u64 seq;
	u64 taken;
	u64 underruns;

	u16 *plane;
};

/* ------------------------------------------------------------------ VPU */

struct nst_sim_vpu_file;
struct vpu_state;
struct vpu_work;

/**
 * struct nst_sim_vpu - the task under the pixels
 * @misc: /dev/nst-vpu-<name>
 * @wait: of poll(); when flags of the status change
 *
 * With nst_sim.lock:
 * @owner: the file that started the task; it, @first_seq and @stop_seq are
 *	those of the last run when not @started
 * @broken: the last run ended by a loss
 * @epoch: edges to a gate that takes states away; @losses: states they took
 * @taken, @done: frames that were the task's, and those dealt with
 *
 * With @lock, which the render work holds for a frame:
 * @loaded: @state is one, of @loaded_epoch
 * @pixels: where a frame is made that the capture node does not get
 */
struct nst_sim_vpu {
	struct miscdevice misc;
	char dev_name[NST_SIM_NAME_LEN + 16];
	bool registered;
	wait_queue_head_t wait;

	bool gone;
	bool started;
	bool broken;
	struct nst_sim_vpu_file *owner;
	pid_t owner_pid;
	u64 first_seq;
	u64 stop_seq;
	u32 epoch;
	u64 losses;
	u64 taken;
	u64 done;
	u64 gated;

	struct mutex lock;		/* guards what follows */
	bool loaded;
	u32 loaded_epoch;
	u64 frames;
	u64 refused;
	struct vpu_state *state;
	struct vpu_work *work;
	void *pixels;
	u32 pixels_size;
};

/* ---------------------------------------------------------------- stack */

struct nst_sim_edge {
	u64 asked_us;
	u64 at_us;	/* when it takes effect */
	u8 gate;
};

#define NST_SIM_EDGES_MAX	(2 * NST_GATE_PENDING_MAX)

/* Pieces of history that late readings can come from. */
#define NST_SIM_PAST_MAX	128

/* A millisecond of the MCU. */
#define NST_SIM_TICK_US		1000

struct nst_sim_bus;

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
 *
 * With a bus, @past is a ring of the pieces before @seg, and a step clock has
 * come to @paced_us on its way to @step_us. While the handlers of a frame-sync
 * edge run on the step clock (@in_boundary), the wire moves time to @wire_us,
 * which never goes back. @tick_us is the MCU's next millisecond.
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
	bool in_boundary;
	u64 paced_us;
	u64 wire_us;
	u64 tick_us;
	u32 past_count;
	struct nst_sim_seg past[NST_SIM_PAST_MAX];

	struct nst_sim_bus *bus;	/* NULL when attached directly */
	struct mutex active_lock;	/* guards @owner_active */
	bool owner_active;		/* by debugfs */
	struct nst_sim_camera camera;
	struct nst_sim_metadata metadata;
	struct nst_sim_input input;
	struct nst_sim_vpu vpu;
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

/* For the bus, with nst_sim.lock held. */

/** nst_sim_now_locked() - device time; all that was due by then is done */
u64 nst_sim_now_locked(struct nst_sim *sim);

/**
 * nst_sim_seen_mc() - the temperature that a sensor at channel @ch converts
 * @t_us: now or earlier, as far back as there is history
 * With the noise and the faults of the part, not its resolution and range.
 */
s32 nst_sim_seen_mc(struct nst_sim *sim, unsigned int ch, u64 t_us);

/** nst_sim_package_mc() - of the package, now */
s32 nst_sim_package_mc(struct nst_sim *sim);

/** nst_sim_round_mc() - to the resolution of the temperature sensor */
s32 nst_sim_round_mc(const struct nst_sim *sim, s32 mc);

/** nst_sim_gate_locked() - the hardware's gate input changes, now; -EBUSY */
int nst_sim_gate_locked(struct nst_sim *sim, u8 gate, u64 now_us);

/** nst_sim_wire_time() - the wire was busy for so long */
void nst_sim_wire_time(struct nst_sim *sim, u32 us);

extern const struct nst_ops nst_sim_ops;

/** nst_sim_noise_mc() - of the temperature sensor, a function of time */
s32 nst_sim_noise_mc(const struct nst_sim *sim, unsigned int ch, u64 t_us);

/** nst_sim_run_ahead_us() - of the present period, by what is known now */
u64 nst_sim_run_ahead_us(const struct nst_sim *sim);

/* nst-sim-camera.c */
int nst_sim_camera_init(struct nst_sim *sim);
int nst_sim_camera_register(struct nst_sim *sim);
void nst_sim_camera_unregister(struct nst_sim *sim);

/* nst-sim-shots.c */
int nst_sim_shots_init(struct nst_sim *sim);
void nst_sim_shots_free(struct nst_sim *sim);

/** nst_sim_studio_get() - for the present format; with camera.lock */
int nst_sim_studio_get(struct nst_sim *sim);

/** nst_sim_shots_reserve() - wait until there is room for an exposure */
void nst_sim_shots_reserve(struct nst_sim *sim);

/** nst_sim_camera_expose() - period @sim->seq has ended, with nst_sim.lock */
void nst_sim_camera_expose(struct nst_sim *sim);

/**
 * nst_sim_camera_deliver() - and what that changes is done
 * The gate is what it is in the next period. Hands the exposure on to the
 * renderer if somebody waits for it.
 */
void nst_sim_camera_deliver(struct nst_sim *sim);

/** nst_sim_camera_flush() - wait until every exposure is delivered */
void nst_sim_camera_flush(struct nst_sim *sim);

/**
 * nst_sim_queue_stop() - a queue stops streaming
 * @streaming, @list: its own, with camera.slock; @slot: offset of its pointer
 * in a shot. Returns all buffers when no exposure has one any more.
 */
void nst_sim_queue_stop(struct nst_sim *sim, bool *streaming,
			struct list_head *list, size_t slot);

static inline struct nst_sim_buffer *nst_sim_to_buffer(struct vb2_buffer *vb)
{
	return container_of(to_vb2_v4l2_buffer(vb), struct nst_sim_buffer, vb);
}

/* nst-sim-node.c: what the video nodes of a stack have in common */

/**
 * nst_sim_node_init() - the rest of a node that knows its own operations
 * @vdev: with fops, ioctl_ops, device_caps
 * @q: with type, io_modes, ops, timestamp_flags
 * @lock: serialises ioctls and queue; initialised by its owner, so that each
 *	node has a class of its own for lockdep
 * @role: " scene", " metadata", or "" for the camera
 */
int nst_sim_node_init(struct nst_sim *sim, struct video_device *vdev,
		      struct vb2_queue *q, struct mutex *lock,
		      const char *role);
/** nst_sim_node_planes() - of queue_setup: one of @size; 0 or -EINVAL */
int nst_sim_node_planes(unsigned int *planes, unsigned int plane_size[],
			u32 size);
/** nst_sim_node_holds() - is there room for @size bytes in the buffer? */
bool nst_sim_node_holds(struct vb2_buffer *vb, u32 size);
int nst_sim_node_querycap(struct file *file, void *fh,
			  struct v4l2_capability *cap);
int nst_sim_node_enum_input(struct file *file, void *fh,
			    struct v4l2_input *input);
/* Of inputs and outputs alike: there is one. */
int nst_sim_node_get_index(struct file *file, void *fh, unsigned int *index);
int nst_sim_node_set_index(struct file *file, void *fh, unsigned int index);

/* nst-sim-meta.c */
int nst_sim_meta_init(struct nst_sim *sim);
int nst_sim_meta_register(struct nst_sim *sim);
void nst_sim_meta_unregister(struct nst_sim *sim);
/** nst_sim_meta_told() - about frame @seq; with nst_sim.lock */
void nst_sim_meta_told(const struct nst_sim *sim, u64 seq,
		       struct nst_sim_tell *ret);

/* nst-sim-output.c */
int nst_sim_input_init(struct nst_sim *sim);
int nst_sim_input_register(struct nst_sim *sim);
void nst_sim_input_unregister(struct nst_sim *sim);
/** nst_sim_input_expose() - what @shot sees; with camera.slock */
void nst_sim_input_expose(struct nst_sim *sim, struct nst_sim_shot *shot);
/** nst_sim_input_show() - take over @shot->clean and give it back */
void nst_sim_input_show(struct nst_sim *sim, struct nst_sim_shot *shot);
/** nst_sim_input_clean() - what an exposure with @shot->input saw */
void nst_sim_input_clean(struct nst_sim *sim, struct nst_sim_clean *ret);

/* nst-sim-vpu.c */
int nst_sim_vpu_init(struct nst_sim *sim);
void nst_sim_vpu_free(struct nst_sim *sim);
int nst_sim_vpu_register(struct nst_sim *sim);
void nst_sim_vpu_unregister(struct nst_sim *sim);
/** nst_sim_vpu_expose() - is @shot the task's? with nst_sim.lock */
void nst_sim_vpu_expose(struct nst_sim *sim, struct nst_sim_shot *shot);
/** nst_sim_vpu_decide() - and is it done? with nst_sim.lock */
void nst_sim_vpu_decide(struct nst_sim *sim, struct nst_sim_shot *shot);
/** nst_sim_vpu_gate() - the gate has changed, with nst_sim.lock */
void nst_sim_vpu_gate(struct nst_sim *sim);
/** nst_sim_vpu_active() - the format must stay; with camera.lock */
bool nst_sim_vpu_active(struct nst_sim *sim);
/**
 * nst_sim_vpu_do() - a frame that is to be done
 * Fills what @meta says of it.
 */
void nst_sim_vpu_do(struct nst_sim *sim, const struct nst_sim_shot *shot,
		    const void *pixels, struct nst_sim_meta *meta);

/* nst-sim-camera.c */

/** nst_sim_camera_set_exposure() - as if by the control */
int nst_sim_camera_set_exposure(struct nst_sim *sim, u32 exposure_us);

/*
 * nst-sim-attach.c and the rest of the bus level; see nst-sim-bus.h. Where
 * the kernel lacks what a board needs only attach=direct is left.
 */
#if IS_REACHABLE(CONFIG_I2C) && IS_ENABLED(CONFIG_GPIOLIB) && \
	IS_ENABLED(CONFIG_IRQ_DOMAIN)
#define NST_SIM_HAS_BUS 1
int nst_sim_buses_init(void);
void nst_sim_buses_exit(void);
/** nst_sim_bus_make() - adapter, lines and chips, before time goes on */
int nst_sim_bus_make(struct nst_sim *sim);
/** nst_sim_bus_populate() - the devices on it; drivers bind */
int nst_sim_bus_populate(struct nst_sim *sim);
void nst_sim_bus_depopulate(struct nst_sim *sim);
void nst_sim_bus_free(struct nst_sim *sim);
/** nst_sim_bus_frame() - a period has begun, with the lock */
void nst_sim_bus_frame(struct nst_sim *sim);
/** nst_sim_bus_boundary() - its edge to the host, without the lock */
void nst_sim_bus_boundary(struct nst_sim *sim);
/** nst_sim_bus_tick() - a millisecond passed at @t_us, with the lock */
void nst_sim_bus_tick(struct nst_sim *sim, u64 t_us);
/** nst_sim_owner_use() - somebody streams, or no longer */
void nst_sim_owner_use(struct nst_sim *sim, bool on);
/** nst_sim_set_owner_active() - as if somebody streamed, idempotent */
void nst_sim_set_owner_active(struct nst_sim *sim, bool on);
/** nst_sim_owner_bind() - as by sysfs bind and unbind */
int nst_sim_owner_bind(struct nst_sim *sim, bool on);
int nst_sim_bus_model(const char *name);
const char *nst_sim_bus_model_name(u32 model);
void nst_sim_bus_model_list(char *text, size_t size);
/** nst_sim_bus_upload() - of an IMX500; -EOPNOTSUPP for other sensors */
int nst_sim_bus_upload(struct nst_sim *sim, u32 ms);
/** nst_sim_bus_bridge_life() - power cycles from now on, -1 for any number */
int nst_sim_bus_bridge_life(struct nst_sim *sim, s32 cycles);
/** nst_sim_mcu_restart() - its power fails for a moment; -EOPNOTSUPP without */
int nst_sim_mcu_restart(struct nst_sim *sim);
struct seq_file;
void nst_sim_bus_show(struct nst_sim *sim, struct seq_file *s);
#else
#define NST_SIM_HAS_BUS 0
static inline int nst_sim_buses_init(void) { return 0; }
static inline void nst_sim_buses_exit(void) { }
static inline int nst_sim_bus_make(struct nst_sim *sim) { return -EOPNOTSUPP; }
static inline int nst_sim_bus_populate(struct nst_sim *sim) { return 0; }
static inline void nst_sim_bus_depopulate(struct nst_sim *sim) { }
static inline void nst_sim_bus_free(struct nst_sim *sim) { }
static inline void nst_sim_bus_frame(struct nst_sim *sim) { }
static inline void nst_sim_bus_boundary(struct nst_sim *sim) { }
static inline void nst_sim_bus_tick(struct nst_sim *sim, u64 t_us) { }
static inline void nst_sim_owner_use(struct nst_sim *sim, bool on) { }
static inline void nst_sim_set_owner_active(struct nst_sim *sim, bool on) { }
static inline int nst_sim_owner_bind(struct nst_sim *sim, bool on)
{
	return -EOPNOTSUPP;
}

static inline int nst_sim_bus_model(const char *name) { return -EINVAL; }
static inline const char *nst_sim_bus_model_name(u32 model) { return "none"; }
static inline void nst_sim_bus_model_list(char *text, size_t size) { }
static inline int nst_sim_bus_upload(struct nst_sim *sim, u32 ms)
{
	return -EOPNOTSUPP;
}

static inline int nst_sim_bus_bridge_life(struct nst_sim *sim, s32 cycles)
{
	return -EOPNOTSUPP;
}

static inline int nst_sim_mcu_restart(struct nst_sim *sim)
{
	return -EOPNOTSUPP;
}

struct seq_file;
static inline void nst_sim_bus_show(struct nst_sim *sim,
				    struct seq_file *s) { }
#endif

/* nst-sim-of.c */
/** nst_sim_of_config() - from the node of @dev; -EINVAL, logged */
int nst_sim_of_config(struct device *dev, struct nst_sim_config *config);

/* nst-sim-fault.c */
extern const struct file_operations nst_sim_fault_fops;

/* nst-sim-debugfs.c */
/** nst_sim_get_line() - a line from user space, blanks stripped */
#define NST_SIM_WRITE_MAX	64
int nst_sim_get_line(const char __user *from, size_t len,
		     char line[NST_SIM_WRITE_MAX], char **ret);
void nst_sim_debugfs_root(bool make);
void nst_sim_debugfs_add(struct nst_sim *sim);
void nst_sim_debugfs_remove(struct nst_sim *sim);

/* nst-sim-configfs.c */
int nst_sim_configfs_register(void);
void nst_sim_configfs_unregister(void);

/* nst-sim-main.c */
const struct nst_sim_pool *nst_sim_shared_pool(void);

#endif /* NST_SIM_H */
