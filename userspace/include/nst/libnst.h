/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * libnst.h - what a program tells nstd and learns from it
 *
 * Calls return 0 or more, or a negative errno; nst_error() has a sentence for
 * the last failure. The library has no threads, writes no messages and touches
 * no signal. A call sends one packet and waits for its reply, at most as long
 * as nst_set_timeout() says; events that come meanwhile are kept for
 * nst_next_event(). A connection is for one thread at a time.
 *
 * Temperatures are millidegrees Celsius, times microseconds or what the name
 * says, signal to noise ratios hundredths of a decibel (_cdb) or decibels.
 * See libnst(3).
 */
#ifndef NST_LIBNST_H
#define NST_LIBNST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NST_SOCKET_DEFAULT "/run/nst/nstd.sock"
#define NST_NAME_MAX 32
#define NST_TEXT_MAX 96

/* Where there is no temperature. */
#define NST_NO_TEMP 1000000

struct nst_conn;

/* ---------------------------------------------------------- connection */

/**
 * nst_connect() - to nstd
 * @path: of the socket; NULL for $NST_SOCKET, else NST_SOCKET_DEFAULT
 * Return: 0; -ENOENT or -ECONNREFUSED nobody listens; -EACCES not a member of
 * group nst; -EUSERS too many clients; -EPROTO it is not nstd.
 */
int nst_connect(struct nst_conn **ret, const char *path);

/** nst_close() - tasks and tickets of the connection end; NULL is allowed */
void nst_close(struct nst_conn *conn);

/** nst_fd() - to poll for reading: nst_next_event() has something to do then */
int nst_fd(const struct nst_conn *conn);

/** nst_error() - why the last call on it failed, "" when it did not */
const char *nst_error(const struct nst_conn *conn);

/** nst_set_timeout() - of every call, 2000 ms to begin with */
void nst_set_timeout(struct nst_conn *conn, int timeout_ms);

/** nst_is_admin() - may this connection change policies? */
bool nst_is_admin(const struct nst_conn *conn);

/* --------------------------------------------------------------- tasks */

enum nst_kind {
	NST_KIND_VISION = 0,	/* every frame counts */
	NST_KIND_IMAGING,	/* captures on demand */
};

/**
 * struct nst_task - what a program needs of a sensor
 * @min_snr_db: NAN for none
 * @max_temp_mc: of the exposure; NST_NO_TEMP for none
 * @max_accuracy_drop_percent: most that noise may cost the task, NAN for none
 * @accuracy_curve: name of the curve that it is read from, of those that ship
 *	with nst; NULL for none
 * @fps: vision, 0 for the default
 * @deadline_ms: imaging, from the request to the exposure; 0 for the default
 * @policy: NULL for the one in force; another one needs an administrator
 *
 * To be begun with nst_task_init(): members that are added later keep the
 * meaning of none.
 */
struct nst_task {
	const char *name;
	const char *sensor;
	enum nst_kind kind;
	double min_snr_db;
	double max_accuracy_drop_percent;
	const char *accuracy_curve;
	int32_t max_temp_mc;
	uint32_t fps;
	uint32_t deadline_ms;
	const char *policy;
	const void *reserved[4];
};

void nst_task_init(struct nst_task *task, const char *name,
		   const char *sensor, enum nst_kind kind);

/**
 * nst_task_add() - it lives as long as the connection
 * @ret_limit_mc: what it asks for at the present light, NST_NO_TEMP for
 *	nothing; NULL when nobody wants to know
 * Return: 0; -EINVAL what a profile could not say either; -EDOM what the
 * sensor cannot give; -EDQUOT, -ENOSPC too many; -EPERM a policy.
 */
int nst_task_add(struct nst_conn *conn, const struct nst_task *task,
		 int32_t *ret_limit_mc);

/** nst_task_update() - all of it anew; -ENOENT when it was not added */
int nst_task_update(struct nst_conn *conn, const struct nst_task *task,
		    int32_t *ret_limit_mc);

/** nst_task_set() - add it, or update it where this connection has it */
int nst_task_set(struct nst_conn *conn, const struct nst_task *task,
		 int32_t *ret_limit_mc);

int nst_task_remove(struct nst_conn *conn, const char *name);

/* ------------------------------------------------------------ captures */

/**
 * struct nst_capture_spec - which frames
 * @task: whose limit and deadline hold; or NULL, and then @sensor and
 *	@temp_mc do
 * @in_ms: from now to the latest start of the exposure; 0: of the task
 * @frames: in a row, 0 for one
 */
struct nst_capture_spec {
	const char *task;
	const char *sensor;
	int32_t temp_mc;
	uint32_t in_ms;
	uint32_t frames;
	const void *reserved[4];
};

enum nst_answer { NST_ANSWER_NO = 0, NST_ANSWER_YES, NST_ANSWER_UNCERTAIN };

/* What an uncertain answer depends on most. */
enum nst_doubt {
	NST_DOUBT_NONE = 0,
	NST_DOUBT_TEMPERATURE,		/* of the stack, now */
	NST_DOUBT_AMBIENT,
	NST_DOUBT_POWER,
	NST_DOUBT_PACKAGE,		/* how fast it cools */
	NST_DOUBT_MODEL,		/* too close to tell */
	NST_DOUBT_SENSOR,		/* no temperature to go by */
	NST_DOUBT_PLANT,		/* the stack's constants are a guess */
	NST_DOUBT_OTHER,		/* of a newer nstd */
};

#define NST_NEVER UINT32_MAX

/**
 * struct nst_forecast - an answer in advance
 * @temp_mc: what counted: the limit less the sensor's accuracy
 * @reached_mc: hottest exposure when gated from the next frame on, with
 *	@margin_mc of uncertainty; NST_NO_TEMP where nobody knows
 * @exposure_in_us: until the first exposure
 * @gate: gating is needed, at the latest from @gate_in_us on
 * @gated_frames: from then to the end; @lost_frames of them are not processed
 * @cost_uj: of the whole system; below zero where it saves
 * @doubt: what an uncertain answer depends on, and @doubt_mc of how much
 * @late_in_us: gating from then on is too late where the VPU runs until then;
 *	NST_NEVER where nobody can say
 */
struct nst_forecast {
	enum nst_answer answer;
	int32_t temp_mc;
	int32_t reached_mc;
	int32_t margin_mc;
	uint32_t exposure_in_us;
	uint32_t gate_in_us;
	uint32_t gated_frames;
	uint32_t lost_frames;
	int64_t cost_uj;
	bool gate;
	char why[NST_TEXT_MAX];
	enum nst_doubt doubt;
	uint32_t doubt_mc;
	uint32_t late_in_us;
	uint32_t reserved32;
	uint64_t reserved[2];
};

/** nst_capture_ask() - could it be done? Nothing is changed. */
int nst_capture_ask(struct nst_conn *conn,
		    const struct nst_capture_spec *spec,
		    struct nst_forecast *ret);

/**
 * nst_capture_trigger() - do it
 * @ret_ticket: what the events NST_EVENT_CAPTURE carry
 */
int nst_capture_trigger(struct nst_conn *conn,
			const struct nst_capture_spec *spec,
			uint64_t *ret_ticket);

/* -------------------------------------------------------------- frames */

enum nst_measured {
	NST_MEASURED_NOT = 0,		/* nothing to say of it */
	NST_MEASURED_OK,
	NST_MEASURED_SETTLING,
	NST_MEASURED_NO_PATCH,
	NST_MEASURED_CLIPPED,
	NST_MEASURED_MOVING,
	NST_MEASURED_DAMAGED,
};

/**
 * struct nst_report_spec - what a camera application knows of a frame
 * @seq: 0 when not known; the others too, but for
 * @temp_mc: of the sensor, NST_NO_TEMP when the metadata have none. A zero
 *	is passed on and taken for "not filled in".
 * @snr_cdb, @snr_low_cdb: total, with its lower 99.9 % bound; the dark ones
 *	are of the dark rows
 * @imports, @copies: frames that went to the far device since the start,
 *	without a copy and with one; both 0: nothing to say of it
 */
struct nst_report_spec {
	const char *sensor;
	uint64_t seq;
	int32_t temp_mc;
	uint32_t exposure_us;
	uint32_t iso;
	uint32_t lux_milli;
	uint32_t frame_us;
	enum nst_measured measured;
	int32_t snr_cdb;
	int32_t snr_low_cdb;
	enum nst_measured dark_measured;
	int32_t dark_snr_cdb;
	int32_t dark_snr_low_cdb;
	uint64_t imports;
	uint64_t copies;
	uint64_t reserved[2];
};

void nst_report_init(struct nst_report_spec *report, const char *sensor);

/** nst_frame_report() - -EBUSY when another client tells this sensor's */
int nst_frame_report(struct nst_conn *conn,
		     const struct nst_report_spec *report);

enum nst_place {
	NST_PLACE_UNKNOWN = 0,
	NST_PLACE_NEAR,
	NST_PLACE_FAR,
	NST_PLACE_PAUSED,
};

/**
 * struct nst_frame - the side data of a frame
 * @exposure_temp_mc: when it was exposed; NST_NO_TEMP unless @valid
 * @temp_mc: last reading of the sensor, or NST_NO_TEMP
 * @limit_mc: of the strictest task, or NST_NO_TEMP
 * @snr_cdb: predicted; with @has_snr
 * @placement: who processes it
 * @deliver: it may be used; @reason says why not, or why it is where it is
 */
struct nst_frame {
	char sensor[NST_NAME_MAX];
	uint64_t seq;
	uint64_t t_us;
	int32_t exposure_temp_mc;
	int32_t temp_mc;
	int32_t limit_mc;
	int32_t snr_cdb;
	uint32_t exposure_us;
	uint32_t iso;
	uint32_t lux_milli;
	enum nst_place placement;
	bool valid;
	bool has_snr;
	bool deliver;
	char reason[NST_TEXT_MAX];
	uint64_t reserved[4];
};

/**
 * struct nst_snapshot - a sensor now
 * @state: "governed", "absent", ...
 * @has_frame: @frame is the newest frame that has a verdict
 * @headroom_permyriad: 0 at the threshold, 10000 as cold as can be; -1 when
 *	not known
 */
struct nst_snapshot {
	char state[NST_NAME_MAX];
	bool has_frame;
	int32_t headroom_permyriad;
	struct nst_frame frame;
	uint64_t reserved[4];
};

int nst_snapshot(struct nst_conn *conn, const char *sensor,
		 struct nst_snapshot *ret);

/**
 * nst_frame_get() - the verdict of one frame
 * @wait_ms: how long it may take until there is one
 * Return: 0; -EAGAIN not known yet; -ENOENT too old, or no such sensor.
 */
int nst_frame_get(struct nst_conn *conn, const char *sensor, uint64_t seq,
		  uint32_t wait_ms, struct nst_frame *ret);

/* -------------------------------------------------------------- events */

enum nst_event_type {
	NST_EVENT_FRAME_DONE = 1,	/* frame */
	NST_EVENT_PLACEMENT,		/* frame.sensor, .seq, .placement */
	NST_EVENT_THRESHOLDS,		/* limits */
	NST_EVENT_STATE,		/* of a sensor: what */
	NST_EVENT_TASKS,		/* the profile in force is another */
	NST_EVENT_CAPTURE,		/* ticket, ready, left, temp_mc, what */
	NST_EVENT_TASK_ENDED,		/* name, what */
	NST_EVENT_WORKER,		/* see nst_worker_register() */
	NST_EVENT_OTHER,		/* of a newer nstd: what is its name */
	NST_EVENT_TASK,			/* of ours: name, met, what, limit */
};

/* What a worker is told to do, see nst_worker_register(). */
enum nst_order {
	NST_ORDER_UNKNOWN = 0,
	NST_ORDER_PREPARE,	/* start; then nst_worker_ready() */
	NST_ORDER_COPY,		/* give the state; nst_worker_state() */
	NST_ORDER_LOAD,		/* take fd, of frame.seq; nst_worker_copied() */
	NST_ORDER_COMMIT,	/* frame.seq on are yours; nst_worker_ack() */
	NST_ORDER_RELEASE,	/* frame.seq on are not */
};

/**
 * struct nst_event
 * @fd: came with it, -1 for none; whoever takes the event closes it
 * @lost: events that were thrown away because nobody took them
 */
struct nst_event {
	enum nst_event_type type;
	int fd;
	uint64_t lost;
	char name[NST_NAME_MAX];
	char what[NST_TEXT_MAX];
	struct nst_frame frame;
	/* NST_EVENT_CAPTURE */
	uint64_t ticket;
	bool ready;
	uint32_t left;
	int32_t temp_mc;
	/* NST_EVENT_THRESHOLDS; NST_EVENT_TASK, with frame.limit_mc */
	bool met;
	int32_t high_mc;
	int32_t low_mc;
	int32_t capture_mc;
	int32_t max_mc;
	/* NST_EVENT_WORKER */
	enum nst_order order;
	uint32_t epoch;
	bool fresh;
	uint64_t reserved[4];
};

#define NST_SUBSCRIBE_FRAMES	(1u << 0)
#define NST_SUBSCRIBE_CHANGES	(1u << 1)

/** nst_subscribe() - from now on, and instead of what was before */
int nst_subscribe(struct nst_conn *conn, unsigned int flags);

/**
 * nst_next_event() - without waiting
 * Return: 1 with @ret; 0 for none; -EPIPE when nstd has ended; other errno.
 */
int nst_next_event(struct nst_conn *conn, struct nst_event *ret);

/* ------------------------------------------------------------ policies */

/**
 * nst_policy_set() - needs an administrator
 * @policy: NULL, @stop_frames and @dwell_ms: -1 to leave as they are
 */
int nst_policy_set(struct nst_conn *conn, const char *sensor,
		   const char *policy, int64_t stop_frames, int64_t dwell_ms);

/** nst_reload() - read the profile again; needs an administrator */
int nst_reload(struct nst_conn *conn);

/* ------------------------------------------------------------- workers */

/** struct nst_worker - where the frames of a task come from */
struct nst_worker {
	char sensor[NST_NAME_MAX];
	char device[NST_TEXT_MAX];
	char camera[NST_TEXT_MAX];
	uint64_t reserved[4];
};

/**
 * nst_worker_register() - this connection processes frames of a vision task
 * @far: on the host or another device; else on the near processor
 *
 * A task that has a near and a far worker moves between them. From now on
 * nst_next_event() gives orders (NST_EVENT_WORKER); an answer carries the
 * epoch of its order. A worker that hands in no frames, or does not answer,
 * is rolled back, and in the end its connection is closed.
 */
int nst_worker_register(struct nst_conn *conn, const char *task, bool far,
			struct nst_worker *ret);

int nst_worker_ready(struct nst_conn *conn, uint32_t epoch);

/**
 * nst_worker_state() - the state after frame @seq
 * @memfd: sealed against writing and shrinking; stays the caller's
 */
int nst_worker_state(struct nst_conn *conn, uint32_t epoch, uint64_t seq,
		     int memfd);
int nst_worker_copied(struct nst_conn *conn, uint32_t epoch, uint64_t seq);
int nst_worker_ack(struct nst_conn *conn, uint32_t epoch, uint64_t seq);

/** nst_worker_failed() - the order cannot be carried out */
int nst_worker_failed(struct nst_conn *conn, uint32_t epoch,
		      const char *what);

/**
 * nst_worker_done() - a frame was processed
 * @checksum: of the state after it
 * @ret_owner: its result counts
 */
int nst_worker_done(struct nst_conn *conn, uint64_t seq, uint32_t checksum,
		    bool *ret_owner);
int nst_worker_leave(struct nst_conn *conn);

/* ----------------------------------------------------------- any other */

/**
 * nst_call() - a request that has no function here
 * @request: a JSON object without "id"
 * @fd: to go with it, -1 for none
 * @buf: gets the JSON text of "ok"
 * Return: its length; -EMSGSIZE when it does not fit.
 */
int nst_call(struct nst_conn *conn, const char *request, int fd, char *buf,
	     size_t size);

#ifdef __cplusplus
}
#endif

#endif /* NST_LIBNST_H */
