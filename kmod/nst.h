/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nst.h - one device of class nst, and what the files of the driver share
 *
 * Lifetime. struct nst lives as long as its struct device is referenced: by
 * the provider between nst_register() and nst_unregister(), and by each open
 * file. After nst_unregister() has set @dead no callback of the provider is
 * called; whatever is still open gets -ENODEV.
 *
 * Locks, outermost first:
 *
 *	s_active of a sysfs file, lock of hwmon, of a thermal zone, of a
 *	cooling device, of a reader (nst_file.read_lock)
 *	  nst->lock		all state below; held while the provider is
 *				called, which keeps its callbacks apart
 *	    locks of the provider
 *	      nst->pending_lock	timing told from any context
 *	      ring.lock		events
 *
 * So with nst->lock held nothing of hwmon or thermal is called and nothing
 * in sysfs is removed; zone updates go through thermal_work.
 */
#ifndef NST_H
#define NST_H

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "nst-claim.h"
#include "nst-duty.h"
#include "nst-obey.h"
#include "nst-plan.h"
#include "nst-provider.h"
#include "nst-rank.h"
#include "nst-sync.h"
#include "nst-ticket.h"
#include "observer.h"
#include "rail.h"
#include "uapi/nst.h"

#define NST_MINORS 64

#define NST_RING_LEN 2048	/* events kept for slow readers, power of 2 */
#define NST_TICKETS_MAX 8

/* Sampling without frames: at most 100 Hz (a read takes 0.45 ms of bus). */
#define NST_SAMPLE_MS 10
/* After a resume a sensor has as long to come back before that is a fault. */
#define NST_WAKING_MS 2000
/* With frames: how often is looked whether they still come. */
#define NST_STALL_MS 100

#define NST_DWELL_MAX_MS 60000
#define NST_STOP_FRAMES_MAX 1000

struct nst_file;
struct thermal_cooling_device;
struct thermal_trip;
struct thermal_zone_device;
struct thermal_zone_params;

enum nst_engine { NST_ENGINE_HOLD = 0, NST_ENGINE_NONE };

/**
 * struct nst_request - a gate and a placement asked for by the holder
 * @from_us, @len_us: the part of each period that @gate is for, at least
 *	standby for the rest; len 0: all of it
 */
struct nst_request {
	u8 gate;
	u8 placement;
	u32 reason;
	u32 from_us;
	u32 len_us;
};

/** struct nst_offset_program - an edge inside frames, once or every frame */
struct nst_offset_program {
	struct nst_request req;
	u64 seq;		/* first period that has it */
	u32 offset_us;
	bool active;
	bool every;
};

/** struct nst_stats - counters of sysfs stats/ */
struct nst_stats {
	u64 gate_changes;
	u64 gate_retries;
	u64 gate_faults;
	u64 faults;
	u64 captures;
	u64 captures_late;
	u64 samples;
	u64 sample_errors;
	u64 failsafe_entries;
	u64 lease_expiries;
	u64 frames_bound;
	u64 windows_late;
	u64 bound_changes;
	u64 time_in_run_us;
};

/** struct nst_ring - the last events; readers keep their own place */
struct nst_ring {
	spinlock_t lock;	/* head and ev[] */
	wait_queue_head_t wait;
	u64 head;
	struct nst_uapi_event *ev;
};

struct nst_envelope {
	u64 t_us;
	s32 temp_mc;
	bool estimated;			/* the model's, not a reading */
};

/* Highest numbers of attribute groups: base, policy, stats, four gates. */
#define NST_GROUPS_MAX 8

struct nst {
	struct device dev;
	struct cdev cdev;
	int id;

	/* Constant after registration. */
	char name[NST_NAME_LEN];
	char provider[NST_LABEL_LEN];
	char model[NST_NAME_LEN];
	char label[NST_CHANNELS_MAX][NST_LABEL_LEN];
	char hwmon_label[NST_CHANNELS_MAX][NST_LABEL_LEN + 16];
	u32 caps;
	u32 channels;
	u32 gate_power_mw[NST_GATE_COUNT];
	u32 gate_enter_us[NST_GATE_COUNT];
	u32 gate_exit_us[NST_GATE_COUNT];
	s32 rated_max_mc;
	s32 ambient_mc;
	u32 frames_by;			/* NST_UFRAMES_* of the provider */
	u32 channels_estimated;
	u32 sample_min_us;
	u32 levels;			/* of the cooling device */
	const struct attribute_group *groups[NST_GROUPS_MAX + 1];
	struct kernfs_node *gate_kn;
	struct kernfs_node *owner_kn;
	struct device *hwmon;
	struct thermal_cooling_device *cooling;
	struct thermal_zone_params *tzp;
	struct thermal_trip *trips;	/* where the core keeps ours */

	struct nst_ring ring;

	spinlock_t pending_lock;	/* the two below */
	struct nst_timing pending_timing;
	bool timing_pending;

	struct mutex lock;		/* everything below */
	bool dead;
	const struct nst_ops *ops;
	void *priv;
	struct thermal_zone_device *tz;

	/* Frames. */
	struct nst_timing timing;
	u32 frame_source;
	struct nst_sync sync;		/* with NST_UFRAMES_GPIO */
	bool stalled;			/* frames should come and do not */
	u64 frame_seq;
	u64 frame_start_us;
	u64 frame_count;
	u64 phase_us;			/* when a source last told its phase */

	/* Gate: in force, its past, and changes under way. */
	u8 gate;
	u8 gate_prev;
	u8 placement;
	u64 gate_since_us;
	u64 settled_us;			/* model and books are at this time */
	struct nst_plan plan;
	struct nst_obey obey;
	int gate_err;			/* why it was refused last */
	u64 close_retry_us;		/* when a refused close is tried again */
	u8 close_retry_gate;
	u32 edge_wake;			/* counts what edge_wait is woken for */
	wait_queue_head_t edge_wait;
	u8 gate_real;			/* what the hardware reports */
	u32 cycles[NST_GATE_COUNT];
	u32 budget[NST_GATE_COUNT];

	/* Guard. */
	struct nst_observer observer;
	struct nst_sample last_die;	/* of the guard's own sampling */
	u64 sampled_us;			/* when that was, 0 for never */
	struct nst_sample seen[NST_CHANNELS_MAX];	/* by users */
	u64 seen_us[NST_CHANNELS_MAX];
	bool sensor_bad;
	bool asleep;			/* between suspend and resume */
	bool waking;			/* resumed, and no reading yet */
	u64 waking_until_us;
	struct nst_band hold;
	struct nst_band ceiling;
	struct nst_rail rail;
	struct nst_dither dither;
	u32 duty_state;			/* of the cooling device */
	bool bound_now;			/* the dither closes this period */
	bool bound_next;		/* and the next one */
	u8 failsafe;			/* NST_FAILSAFE_* in force */
	bool guard;
	u8 manual_gate;			/* sysfs "gate" */
	struct nst_envelope envelope[NST_COOLING_LEVELS_MAX];
	unsigned int envelope_head;
	unsigned int envelope_len;
	u8 zone_level;			/* trips under the envelope */
	u64 free_run_us;		/* last evaluation without frames */
	s32 ahead_mc;			/* die at the end of a coming run frame */
	s32 peak_mc;			/* where the gate closed since a boundary */
	s32 past_peak_mc;		/* and in the period before it */
	bool near_crosses;		/* a run that nobody has told of would */

	/* Policy. */
	enum nst_engine engine;
	struct nst_thresholds thr;
	bool policy_auto;
	u32 dwell_ms;
	u32 stop_frames;
	u32 lease_ms;

	/* Lease. */
	struct nst_claim claim;
	pid_t holder_pid;
	char holder_comm[TASK_COMM_LEN];
	struct nst_request held;
	struct nst_request queued;
	u64 queued_seq;
	bool queue_full;
	u32 window_us;			/* that the holder runs the gate for */
	u64 window_late_seq;		/* last period counted as late */
	bool capture_now;		/* the present period is a capture's */
	struct nst_offset_program offset;
	u64 frame_timer_us;		/* when a frame is made if none is told */

	struct nst_ticket ticket[NST_TICKETS_MAX];
	u32 ticket_id;

	struct nst_stats stats;

	struct delayed_work tick_work;
	struct delayed_work lease_work;
	struct delayed_work frame_work;
	struct delayed_work edge_work;
	struct work_struct thermal_work;
	struct work_struct notify_work;
};

/** struct nst_file - one open of /dev/nstN */
struct nst_file {
	struct nst *nst;
	bool may_write;
	struct mutex read_lock;		/* tail and lost */
	u64 tail;
	u64 lost;
};

static inline struct nst *nst_from_dev(struct device *dev)
{
	return container_of(dev, struct nst, dev);
}

/**
 * nst_lock() - take the device for a call
 * Return: 0 with nst->lock held, or -ENODEV without.
 */
static inline int nst_lock(struct nst *nst)
{
	mutex_lock(&nst->lock);
	if (!nst->dead)
		return 0;
	mutex_unlock(&nst->lock);
	return -ENODEV;
}

static inline void nst_unlock(struct nst *nst)
{
	mutex_unlock(&nst->lock);
}

/* nst_has_gate() - there is something to close */
static inline bool nst_has_gate(const struct nst *nst)
{
	return nst->caps & NST_CAP_GATE_STANDBY;
}

static inline u32 nst_max_gap_us(const struct nst *nst)
{
	return 2 * nst->timing.frame_period_us;
}

/* nst-core.c: identity and small helpers; nst->lock held where state is used */
u64 nst_now_us(struct nst *nst);
void nst_fault_locked(struct nst *nst, u32 code, s64 value);
bool nst_gate_exists(const struct nst *nst, u32 gate);
u32 nst_gate_power(const struct nst *nst, u8 gate);
bool nst_has_frames(const struct nst *nst);
const char *nst_frame_source_name(u32 source);
int nst_read_channel(struct nst *nst, u32 ch, struct nst_sample *ret);
int nst_show_channel(struct nst *nst, u32 ch, struct nst_sample *ret);
int nst_power_now(struct nst *nst, u32 *ret_mw);

/* nst-event.c: the ring */
int nst_ring_init(struct nst_ring *ring);
void nst_ring_deinit(struct nst_ring *ring);
void nst_event(struct nst *nst, const struct nst_uapi_event *ev);
void nst_event_param(struct nst *nst, u32 param, s64 value);
u64 nst_ring_head(struct nst_ring *ring);
bool nst_ring_has(struct nst_ring *ring, const struct nst_file *file);
bool nst_ring_peek(struct nst_ring *ring, struct nst_file *file,
		   struct nst_uapi_event *ret);
void nst_ring_next(struct nst_file *file, const struct nst_uapi_event *ev);

/* nst-gate.c: gate machine and the books of model, time and wear */
void nst_settle(struct nst *nst, u64 now_us);
int nst_gate_now(struct nst *nst, u8 gate, u8 placement, u64 now_us);
void nst_gate_plan(struct nst *nst, const struct nst_edge *edge,
		   unsigned int edges, u64 now_us);
u8 nst_gate_at(const struct nst *nst, u64 t_us, u64 *ret_since_us);
void nst_gate_verify(struct nst *nst, u64 now_us);
void nst_gate_wake(struct nst *nst, u64 now_us);
void nst_gate_boundary(struct nst *nst, u64 seq, u64 start_us, u64 now_us);
unsigned long nst_delay(const struct nst *nst, u64 at_us, u64 now_us);
bool nst_await(const struct nst *nst, u64 at_us);
void nst_gate_edge_timer(struct work_struct *work);
int nst_gate_affordable(const struct nst *nst, u8 gate, u8 from);

/* nst-guard*.c: sampling, requests, ranks, frames */
void nst_guard_init(struct nst *nst);
void nst_guard_boundary(struct nst *nst, u64 seq, u64 start_us);
void nst_guard_free_run(struct nst *nst, u64 now_us);
void nst_guard_alert(struct nst *nst, u64 now_us);
void nst_guard_replan(struct nst *nst, u64 now_us);
void nst_guard_phase(struct nst *nst, bool waited, u64 now_us);
void nst_guard_foresee(struct nst *nst, u64 now_us);
void nst_guard_retry(struct nst *nst, u64 now_us);
void nst_guard_window_late(struct nst *nst, u64 seq);
void nst_guard_window_opens(struct nst *nst, u64 seq, u64 late_us);
bool nst_guard_window_waits(const struct nst *nst, u64 now_us);
int nst_guard_act_now(struct nst *nst, u64 now_us);
void nst_guard_timing(struct nst *nst);
const struct nst_request *nst_guard_request(const struct nst *nst);
u8 nst_guard_gate_now(struct nst *nst, u64 now_us);
u8 nst_guard_gate_next(struct nst *nst);
int nst_guard_envelope(struct nst *nst, s32 *ret_mc, bool *ret_estimated);
int nst_guard_slope(struct nst *nst, s32 *ret_mc_per_s);
void nst_guard_tick(struct work_struct *work);
void nst_guard_rearm(struct nst *nst);
void nst_guard_engine_reset(struct nst *nst);
void nst_guard_wake(struct nst *nst);

/* nst-policy.c: thresholds and parameters, one check for every way in */
enum nst_policy_by { NST_BY_USER, NST_BY_TRIP, NST_BY_HOLDER };
int nst_policy_set(struct nst *nst, u32 param, s64 value);
int nst_policy_set_limits(struct nst *nst, const struct nst_thresholds *thr);
s64 nst_policy_get(const struct nst *nst, u32 param);

/* nst-capture.c: tickets */
int nst_capture_add(struct nst *nst, struct nst_file *file,
		    struct nst_uapi_capture *req);
int nst_capture_cancel(struct nst *nst, struct nst_file *file, u32 id);
void nst_capture_drop(struct nst *nst, struct nst_file *file);
bool nst_capture_wants(const struct nst *nst);
void nst_capture_confirm(struct nst *nst, s32 correction_mc);
void nst_capture_boundary(struct nst *nst, u64 seq, u64 start_us);
void nst_capture_expire(struct nst *nst);

/* nst-lease.c: who governs, and what it asks for */
int nst_lease_take(struct nst *nst, struct nst_file *file,
		   struct nst_uapi_lease *req);
int nst_lease_renew(struct nst *nst, struct nst_file *file,
		    struct nst_uapi_lease *req);
int nst_lease_give_back(struct nst *nst, struct nst_file *file);
void nst_lease_close(struct nst *nst, struct nst_file *file);
int nst_lease_set_gate(struct nst *nst, struct nst_file *file,
		       struct nst_uapi_gate *req);
int nst_lease_frame(struct nst *nst, struct nst_file *file,
		    const struct nst_uapi_frame *req);
int nst_lease_check(const struct nst *nst, const struct nst_file *file);
void nst_lease_expire(struct work_struct *work);
void nst_lease_frame_timer(struct work_struct *work);
void nst_lease_wake(struct nst *nst);

/* nst-pm.c */
extern const struct dev_pm_ops nst_pm_ops;

/* nst-cdev.c, nst-sysfs.c */
extern const struct file_operations nst_cdev_fops;
void nst_sysfs_init(void);
void nst_sysfs_groups(struct nst *nst);
void nst_sysfs_bind(struct nst *nst);
void nst_sysfs_unbind(struct nst *nst);
void nst_sysfs_notify_policy(struct nst *nst, u32 param);

#if IS_REACHABLE(CONFIG_HWMON)
int nst_hwmon_init(struct nst *nst);
void nst_hwmon_exit(struct nst *nst);
#else
static inline int nst_hwmon_init(struct nst *nst)
{
	return 0;
}

static inline void nst_hwmon_exit(struct nst *nst)
{
}
#endif

#if IS_REACHABLE(CONFIG_THERMAL)
int nst_cooling_init(struct nst *nst);
void nst_cooling_exit(struct nst *nst);
u32 nst_cooling_levels(void);
int nst_thermal_init(struct nst *nst);
void nst_thermal_exit(struct nst *nst);
void nst_thermal_work(struct work_struct *work);
void nst_thermal_kick(struct nst *nst);
#else
static inline int nst_cooling_init(struct nst *nst)
{
	return 0;
}

static inline void nst_cooling_exit(struct nst *nst)
{
}

static inline u32 nst_cooling_levels(void)
{
	return 16;
}

static inline int nst_thermal_init(struct nst *nst)
{
	return 0;
}

static inline void nst_thermal_exit(struct nst *nst)
{
}

static inline void nst_thermal_work(struct work_struct *work)
{
}

static inline void nst_thermal_kick(struct nst *nst)
{
}
#endif

#endif /* NST_H */
