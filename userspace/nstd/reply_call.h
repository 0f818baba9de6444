/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * reply_call.h - one request while it is carried out
 *
 * What the functions of reply_*.c share: the table of reply.c names one per
 * request, and each of them reads members, does its work and prints the whole
 * reply. A function that says nothing has answered later: @later is set.
 *
 * A request is carried out wholly or not at all: members are looked at first,
 * and what is wrong with them is answered before anything changes.
 */
#ifndef NST_REPLY_CALL_H
#define NST_REPLY_CALL_H

#include "manager.h"
#include "reply.h"

/**
 * struct nst_call
 * @fd: file descriptor that came with the request, -1 for none. A function
 *	that keeps it sets -1 here; what is left is closed after it.
 * @send_fd: goes with the reply, -1 for none; stays the function's own
 * @later: the reply comes another time
 */
struct nst_call {
	struct nst_manager *m;
	struct nst_client *c;
	const struct nst_request *req;
	u64 now_ms;
	struct nst_out *o;
	int fd;
	int send_fd;
	bool later;
};

#define NST_CALL_MEMBERS_MAX 24

#define NST_CALL_ADMIN	(1u << 0)	/* root or group nst-admin */
#define NST_CALL_FD	(1u << 1)	/* may carry a file descriptor */
#define NST_CALL_OPEN	(1u << 2)	/* looks at its members itself */
#define NST_CALL_COSTLY	(1u << 3)	/* some at once, then some a second */

/**
 * struct nst_request_type - a line of the table
 * @member: beside "id" and "req"
 */
struct nst_request_type {
	const char *name;
	unsigned int flags;
	const char *member[NST_CALL_MEMBERS_MAX];
	void (*run)(struct nst_call *call);
};

/* ------------------------------------------------------------- answers */

void nst_call_error(struct nst_call *call, int err, const char *what);

/** nst_call_errorf() - as above, with a format */
void nst_call_errorf(struct nst_call *call, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** nst_call_begin(), nst_call_end() - around the object of a good reply */
void nst_call_begin(struct nst_call *call);
void nst_call_end(struct nst_call *call);

/** nst_call_ok() - a good reply that says nothing more */
void nst_call_ok(struct nst_call *call);

/* ------------------------------------------------------------- members */

static inline bool nst_call_has(const struct nst_call *call, const char *key)
{
	return nst_request_find(call->req, key);
}

/*
 * A member of a type; false after an error reply. A member that may be missing
 * is asked for with nst_call_has() first.
 */
bool nst_call_string(struct nst_call *call, const char *key,
		     const char **ret);
bool nst_call_int(struct nst_call *call, const char *key, s64 min, s64 max,
		  s64 *ret);

/** nst_call_sensor() - the sensor that "sensor" names, or NULL */
struct nst_sensor *nst_call_sensor(struct nst_call *call);

/** nst_put_workers() - "workers" in the status of a sensor that has some */
void nst_put_workers(const struct nst_sensor *s, struct nst_out *o);

/* ------------------------------------------------------ of the table */

void nst_run_hello(struct nst_call *call);
void nst_run_status(struct nst_call *call);
void nst_run_frame_get(struct nst_call *call);
void nst_run_subscribe(struct nst_call *call);
void nst_run_snapshot(struct nst_call *call);
void nst_run_task_add(struct nst_call *call);
void nst_run_task_update(struct nst_call *call);
void nst_run_task_remove(struct nst_call *call);
void nst_run_capture_ask(struct nst_call *call);
void nst_run_capture_trigger(struct nst_call *call);
void nst_run_frame_report(struct nst_call *call);
void nst_run_worker_register(struct nst_call *call);
void nst_run_worker_ready(struct nst_call *call);
void nst_run_worker_state(struct nst_call *call);
void nst_run_worker_copied(struct nst_call *call);
void nst_run_worker_failed(struct nst_call *call);
void nst_run_worker_ack(struct nst_call *call);
void nst_run_worker_done(struct nst_call *call);
void nst_run_worker_leave(struct nst_call *call);
void nst_run_policy_set(struct nst_call *call);
void nst_run_reload(struct nst_call *call);
void nst_run_stop_recording(struct nst_call *call);

#endif /* NST_REPLY_CALL_H */
