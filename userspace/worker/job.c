// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* job.c - the worker's side of the hand-over: see job.h */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "log.h"
#include "job.h"

/*
 * The state after the next frame leaves the target a whole period; without
 * a frame for so long there is none, and the last one will do.
 */
#define GIVE_MS 150

/* A record of a frame that is in the state already is not far. */
#define RECORD_MS 200

#define TELL_MS 1000

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* A refusal is no end; what ends a connection is. */
static int link_only(struct nst_job *w, int r, const char *what)
{
	if (r >= 0)
		return 0;
	switch (r) {
	case -ETIMEDOUT:
		w->silent = true;
		return -EPIPE;
	case -EPIPE:
	case -ECONNRESET:
	case -ENOTCONN:
		return -EPIPE;
	default:
		nst_log(NST_LOG_DEBUG, "%s: %s", what, nst_error(w->conn));
		return 0;
	}
}

/* ----------------------------------------------------------------- frames */

static int hand_in(struct nst_job *w, const struct nst_work *work)
{
	struct nst_frame frame;
	bool owner = false;
	int r;

	r = nst_worker_done(w->conn, work->seq, work->checksum, &owner);
	if (r || !owner)
		return link_only(w, r, "frame");
	/* It counts. May the task see it, as far as is known by now? */
	r = nst_frame_get(w->conn, w->sensor, work->seq, 0, &frame);
	nst_results_publish(&w->results, work, r ? -1 : frame.deliver,
			    r ? "" : frame.reason);
	return link_only(w, r, "verdict");
}

/* Return: 1 when there was a frame, 0 for none, -errno. */
static int take_frame(struct nst_job *w)
{
	struct nst_work work;
	int r = w->home->ops->next(w->home, &work);

	switch (r) {
	case 0:
		break;
	case -EAGAIN:
		return 0;
	case -EIO:
		/* Damaged: a gap, as a frame that the camera lost. */
		if (!w->damaged++)
			nst_log(NST_LOG_WARNING, "a damaged frame is passed "
				"over; later ones are counted");
		return 1;
	default:
		return nst_log_err(r, "frames of the %s home",
				   w->home->ops->name);
	}
	w->last = work.seq;
	r = hand_in(w, nst_results_add(&w->results, &work));
	return r ? r : 1;
}

/* ------------------------------------------------------------------ state */

static int send_state(struct nst_job *w)
{
	_cleanup_close_ int fd = memfd_create("nst-state", MFD_CLOEXEC |
					      MFD_ALLOW_SEALING);
	int r;

	if (fd < 0)
		return nst_log_err(-errno, "memory for the state");
	if (write(fd, &w->state, sizeof(w->state)) != sizeof(w->state) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW))
		return nst_log_err(-errno, "memory for the state");
	r = nst_worker_state(w->conn, w->give_epoch, w->state.last_seq, fd);
	return link_only(w, r, "state");
}

/* The state may be ahead of what was handed in: that goes first. */
static int give_state(struct nst_job *w)
{
	uint64_t until_ms = now_ms() + RECORD_MS;
	int r;

	w->give = false;
	r = w->home->ops->state(w->home, &w->state);
	while (!r && w->state.last_seq > w->last && w->last &&
	       now_ms() < until_ms) {
		struct pollfd p = { .fd = w->home->ops->fd(w->home),
				    .events = POLLIN };

		(void)poll(&p, 1, RECORD_MS);
		r = take_frame(w);
		if (r < 0)
			return r;
		r = 0;
	}
	if (r)
		return link_only(w, nst_worker_failed(w->conn, w->give_epoch,
						      w->home->why), "state");
	return send_state(w);
}

static int load_state(struct nst_job *w, const struct nst_event *e)
{
	ssize_t len = pread(e->fd, &w->state, sizeof(w->state), 0);
	const char *why = w->home->why;
	int r = 0;

	if (len != sizeof(w->state) || vpu_check(&w->state) ||
	    w->state.last_seq != e->frame.seq) {
		r = -EPROTO;
		why = "the state that came is damaged";
	}
	if (!r)
		r = w->home->ops->load(w->home, &w->state);
	if (r)
		return link_only(w, nst_worker_failed(w->conn, e->epoch, why),
				 "load");
	w->last = e->frame.seq;
	return link_only(w, nst_worker_copied(w->conn, e->epoch,
					      e->frame.seq), "copied");
}

/* ----------------------------------------------------------------- events */

static int own(struct nst_job *w, const struct nst_event *e)
{
	uint64_t seq = e->frame.seq;
	struct nst_work *work;
	int r;

	r = w->home->ops->begin(w->home, e->frame.seq);
	if (r) {
		nst_log(NST_LOG_ERR, "%s", w->home->why);
		r = nst_worker_failed(w->conn, e->epoch, w->home->why);
		return link_only(w, r, "commit");
	}
	r = link_only(w, nst_worker_ack(w->conn, e->epoch, e->frame.seq),
		      "ack");
	while (!r && (work = nst_results_find(&w->results, seq))) {
		seq = work->seq + 1;
		r = hand_in(w, work);
	}
	return r;
}

static int prepare(struct nst_job *w, const struct nst_event *e)
{
	int r = w->home->ops->prepare(w->home);

	if (r)
		nst_log(NST_LOG_ERR, "%s", w->home->why);
	r = r ? nst_worker_failed(w->conn, e->epoch, w->home->why)
	      : nst_worker_ready(w->conn, e->epoch);
	return link_only(w, r, "prepare");
}

static int on_event(struct nst_job *w, const struct nst_event *e)
{
	nst_log(NST_LOG_DEBUG, "order %d of %u, frame %llu", e->order, e->epoch,
		(unsigned long long)e->frame.seq);
	switch (e->order) {
	case NST_ORDER_PREPARE:
		return prepare(w, e);
	case NST_ORDER_COPY:
		w->give = true;
		w->give_epoch = e->epoch;
		w->give_ms = now_ms() + GIVE_MS;
		return 0;
	case NST_ORDER_LOAD:
		return load_state(w, e);
	case NST_ORDER_COMMIT:
		return own(w, e);
	case NST_ORDER_RELEASE:
		(void)w->home->ops->stop(w->home,
					 e->frame.seq ? e->frame.seq - 1 : 0);
		return 0;
	case NST_ORDER_UNKNOWN:
		break;
	}
	/* Of a newer nstd: nothing that was promised. */
	return 0;
}

static int take_events(struct nst_job *w)
{
	struct nst_event e;
	int r;

	while ((r = nst_next_event(w->conn, &e)) > 0) {
		int done = 0;

		if (e.type == NST_EVENT_WORKER)
			done = on_event(w, &e);
		if (e.fd >= 0)
			close(e.fd);
		if (done)
			return done;
	}
	return r < 0 ? -EPIPE : 0;
}

/* How frames got to the far device, once a second; a refusal is no end. */
static int tell_imports(struct nst_job *w)
{
	struct nst_report_spec report;
	uint64_t now = now_ms();

	if (!w->imports || now - w->imports_told_ms < TELL_MS)
		return 0;
	nst_report_init(&report, w->sensor);
	nst_far_frames(w->home, &report.imports, &report.copies);
	if (report.imports + report.copies == w->imports_told)
		return 0;
	w->imports_told = report.imports + report.copies;
	w->imports_told_ms = now;
	return link_only(w, nst_frame_report(w->conn, &report), "imports");
}

int nst_job_timeout_ms(const struct nst_job *w)
{
	uint64_t now = now_ms();

	if (!w->give)
		return -1;
	return w->give_ms > now ? (int)(w->give_ms - now) : 0;
}

int nst_job_work(struct nst_job *w)
{
	bool busy;
	int r;

	/* A call may have taken events off the socket: look once more. */
	do {
		r = take_events(w);
		if (r)
			return r;
		r = take_frame(w);
		if (r < 0)
			return r;
		busy = r > 0;
		if (w->give && (busy || now_ms() >= w->give_ms)) {
			r = give_state(w);
			if (r < 0)
				return r;
			busy = true;
		}
	} while (busy);
	return tell_imports(w);
}

void nst_job_reset(struct nst_job *w)
{
	w->home->ops->close(w->home);
	nst_results_forget(&w->results);
	w->give = false;
	w->last = 0;
	w->imports_told = 0;
}
