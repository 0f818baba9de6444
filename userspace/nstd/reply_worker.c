// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reply_worker.c - what workers tell, see handover.h
 *
 * A connection is one worker. What it is to do comes as events:
 *
 *	{"event":"worker","do":"prepare","epoch":E}
 *		start; answer worker.ready
 *	{... "do":"copy","epoch":E}
 *		give the state after the next frame, or after the last one
 *		when none comes; go on; answer worker.state
 *	{... "do":"load","epoch":E,"seq":S} and a file descriptor
 *		take the state after frame S, process every frame after it;
 *		answer worker.copied
 *	{... "do":"commit","epoch":E,"seq":C,"fresh":B}
 *		frames from C on are yours; hand in again what you have of
 *		them; answer worker.ack. Fresh: there is no state of before.
 *	{... "do":"release","epoch":E,"seq":C}
 *		frames from C on are not: stop after C-1
 *
 * An answer carries the epoch of its question. Each frame that is processed
 * is handed in by worker.done, also while only following: the answer tells
 * whether its result counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "reply_call.h"

/* Tens of KiB, says the architecture; nobody reads it here. */
#define STATE_MAX (1 << 20)

/* ----------------------------------------------------------- registration */

static const struct nst_profile_task *find_task(struct nst_call *call,
						const char *name,
						struct nst_sensor **ret)
{
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		struct nst_sensor *s = &call->m->sensor[i];

		if (!s->used)
			continue;
		for (unsigned int j = 0; j < s->gov.profile->task_count; j++) {
			const struct nst_profile_task *t =
				&s->gov.profile->tasks[j];

			if (t->sensor != s->gov.sensor ||
			    t->kind != NST_TASK_VISION ||
			    strcmp(t->name, name))
				continue;
			*ret = s;
			return t;
		}
	}
	return NULL;
}

static void no_task(struct nst_call *call, const char *name)
{
	char what[400];
	int len;

	len = snprintf(what, sizeof(what), "no vision task \"%.40s\", there "
		       "are:", name);
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		const struct nst_sensor *s = &call->m->sensor[i];
		const struct nst_profile *p = s->gov.profile;

		for (unsigned int j = 0; s->used && j < p->task_count; j++)
			if (p->tasks[j].sensor == s->gov.sensor &&
			    p->tasks[j].kind == NST_TASK_VISION &&
			    len < (int)sizeof(what))
				len += snprintf(what + len, sizeof(what) -
						(size_t)len, " %s",
						p->tasks[j].name);
	}
	nst_call_error(call, -ENOENT, what);
}

static bool get_home(struct nst_call *call, enum nst_home *ret)
{
	const char *text;

	if (!nst_call_string(call, "home", &text))
		return false;
	for (int home = 0; home < NST_HOMES; home++)
		if (!strcmp(text, nst_home_name((enum nst_home)home))) {
			*ret = (enum nst_home)home;
			return true;
		}
	nst_call_errorf(call, -EINVAL, "no home \"%.40s\", there are: near "
			"far", text);
	return false;
}

void nst_run_worker_register(struct nst_call *call)
{
	struct nst_sensor *s = NULL;
	struct nst_moves *v;
	enum nst_home home;
	const char *task;

	if (!nst_call_string(call, "task", &task) || !get_home(call, &home))
		return;
	if (nst_moves_find(call->m, call->c, &home)) {
		nst_call_error(call, -EALREADY, "this connection is a worker "
			       "already");
		return;
	}
	if (!find_task(call, task, &s)) {
		no_task(call, task);
		return;
	}
	v = &s->moves;
	if (nst_handover_used(&v->h) && strcmp(v->task, task)) {
		nst_call_errorf(call, -EBUSY, "task \"%.40s\" on the same "
				"sensor has workers, and a sensor has one near "
				"processor", v->task);
		return;
	}
	if (v->h.worker[home].present) {
		nst_call_errorf(call, -EEXIST, "task \"%.40s\" has a %s worker",
				task, nst_home_name(home));
		return;
	}
	snprintf(v->task, sizeof(v->task), "%s", task);
	v->client[home] = call->c->serial;
	nst_log(NST_LOG_NOTICE, "%s: process %d is the %s worker of %s",
		s->name, (int)call->c->pid, nst_home_name(home), task);
	(void)nst_handover_register(&v->h, home, nst_now_us());
	nst_call_begin(call);
	nst_out_printf(call->o, "{\"sensor\":");
	nst_out_string(call->o, s->name);
	nst_out_printf(call->o, ",\"device\":");
	nst_out_string(call->o, s->dev ? s->info.name : s->selector);
	nst_out_printf(call->o, ",\"camera\":");
	nst_out_string(call->o, s->camera);
	nst_out_printf(call->o, "}");
	nst_call_end(call);
	nst_moves_run(call->m, s, call->now_ms);
}

/* ---------------------------------------------------------------- answers */

static struct nst_sensor *get_worker(struct nst_call *call,
				     enum nst_home *ret_home)
{
	struct nst_sensor *s = nst_moves_find(call->m, call->c, ret_home);

	if (!s)
		nst_call_error(call, -EPERM, "this connection is no worker: "
			       "worker.register comes first");
	return s;
}

static bool get_epoch(struct nst_call *call, u32 *ret)
{
	s64 val;

	if (!nst_call_int(call, "epoch", 0, UINT32_MAX, &val))
		return false;
	*ret = (u32)val;
	return true;
}

static bool get_seq(struct nst_call *call, u64 *ret)
{
	s64 val;

	if (!nst_call_int(call, "seq", 0, INT64_MAX, &val))
		return false;
	*ret = (u64)val;
	return true;
}

static void finish(struct nst_call *call, struct nst_sensor *s, int err)
{
	const struct nst_handover *h = &s->moves.h;

	if (!err)
		nst_call_ok(call);
	else if (err == -EINVAL && h->step == NST_HANDOVER_COMMIT)
		nst_call_errorf(call, err, "it is frame %" PRIu64 " that was "
				"given", h->commit_seq);
	else if (err == -EINVAL && h->step == NST_HANDOVER_LOAD)
		nst_call_errorf(call, err, "it is the state after frame %"
				PRIu64 " that was sent", h->state_seq);
	else if (err == -EINVAL)
		nst_call_errorf(call, err, "the last frame handed in is %"
				PRIu64, h->worker[h->owner].last);
	else
		nst_call_errorf(call, err, "nobody waits for this answer: the "
				"hand-over is in step %s of epoch %u",
				nst_handover_step_name(
					(enum nst_handover_step)h->step),
				h->epoch);
	nst_moves_run(call->m, s, call->now_ms);
}

void nst_run_worker_ready(struct nst_call *call)
{
	enum nst_home home;
	struct nst_sensor *s = get_worker(call, &home);
	u32 epoch;

	if (s && get_epoch(call, &epoch))
		finish(call, s, nst_handover_ready(&s->moves.h, home, epoch,
						   nst_now_us()));
}

/* Nobody may change it any more, or the checksums would tell of another. */
static bool check_state(struct nst_call *call)
{
	struct stat st;
	int seals;

	if (call->fd < 0) {
		nst_call_error(call, -EBADF, "worker.state comes with a file "
			       "descriptor, of a memfd");
		return false;
	}
	seals = fcntl(call->fd, F_GET_SEALS);
	if (seals < 0 || !(seals & F_SEAL_WRITE) || !(seals & F_SEAL_SHRINK)) {
		nst_call_error(call, -EINVAL, "the state has to be a memfd "
			       "with F_SEAL_WRITE and F_SEAL_SHRINK");
		return false;
	}
	if (fstat(call->fd, &st) || st.st_size < 1 || st.st_size > STATE_MAX) {
		nst_call_errorf(call, -ERANGE, "a state has 1 to %d bytes",
				STATE_MAX);
		return false;
	}
	return true;
}

void nst_run_worker_state(struct nst_call *call)
{
	enum nst_home home;
	struct nst_sensor *s = get_worker(call, &home);
	u32 epoch;
	u64 seq;
	int r;

	if (!s || !get_epoch(call, &epoch) || !get_seq(call, &seq) ||
	    !check_state(call))
		return;
	r = nst_handover_state(&s->moves.h, home, epoch, seq, nst_now_us());
	if (!r) {
		if (s->moves.state_fd >= 0)
			close(s->moves.state_fd);
		s->moves.state_fd = call->fd;
		call->fd = -1;
	}
	finish(call, s, r);
}

void nst_run_worker_copied(struct nst_call *call)
{
	enum nst_home home;
	struct nst_sensor *s = get_worker(call, &home);
	u32 epoch;
	u64 seq;

	if (s && get_epoch(call, &epoch) && get_seq(call, &seq))
		finish(call, s, nst_handover_copied(&s->moves.h, home, epoch,
						    seq, nst_now_us()));
}

void nst_run_worker_failed(struct nst_call *call)
{
	enum nst_home home;
	struct nst_sensor *s = get_worker(call, &home);
	const char *what;
	u32 epoch;
	int r;

	if (!s || !get_epoch(call, &epoch) ||
	    !nst_call_string(call, "what", &what))
		return;
	r = nst_handover_failed(&s->moves.h, home, epoch, nst_now_us());
	if (!r)
		nst_log(NST_LOG_DEBUG, "%s: the %s worker of %s: %.100s",
			s->name, nst_home_name(home), s->moves.task, what);
	finish(call, s, r);
}

void nst_run_worker_ack(struct nst_call *call)
{
	enum nst_home home;
	struct nst_sensor *s = get_worker(call, &home);
	u32 epoch;
	u64 seq;

	if (s && get_epoch(call, &epoch) && get_seq(call, &seq))
		finish(call, s, nst_handover_ack(&s->moves.h, home, epoch, seq,
						 nst_now_us()));
}

/* ----------------------------------------------------------------- frames */

static void refuse_done(struct nst_call *call, const struct nst_handover *h,
			int err, u64 seq)
{
	u64 newest = h->ledger.newest;

	if (err == -ERANGE)
		nst_call_errorf(call, err, "frame %" PRIu64 " cannot be handed "
				"in, those from %" PRIu64 " to %" PRIu64 " can",
				seq, newest > NST_LEDGER_FRAMES
				? newest - NST_LEDGER_FRAMES + 1 : 1, newest);
	else if (err == -EALREADY)
		nst_call_errorf(call, err, "frame %" PRIu64 " counts as done "
				"already", seq);
	else
		nst_call_errorf(call, err, "frame %" PRIu64 " is not yours: "
				"the %s worker has the task", seq,
				nst_home_name((enum nst_home)h->owner));
}

void nst_run_worker_done(struct nst_call *call)
{
	enum nst_home home;
	struct nst_sensor *s = get_worker(call, &home);
	const struct nst_verdict *verdict;
	bool owner;
	s64 sum;
	u64 seq;
	int r;

	if (!s || !get_seq(call, &seq) ||
	    !nst_call_int(call, "checksum", 0, UINT32_MAX, &sum))
		return;
	r = nst_handover_done(&s->moves.h, home, seq, (u32)sum, nst_now_us(),
			      &owner);
	if (r) {
		refuse_done(call, &s->moves.h, r, seq);
	} else {
		nst_call_begin(call);
		nst_out_printf(call->o, "{\"owner\":%s",
			       owner ? "true" : "false");
		verdict = nst_gov_verdict(&s->gov, seq, &r);
		if (verdict) {
			nst_out_printf(call->o, ",\"deliver\":%s,\"reason\":",
				       verdict->outcome == NST_DELIVERED
				       ? "true" : "false");
			nst_out_string(call->o, nst_verdict_reason(verdict));
		}
		nst_out_printf(call->o, "}");
		nst_call_end(call);
	}
	nst_moves_run(call->m, s, call->now_ms);
}

void nst_run_worker_leave(struct nst_call *call)
{
	enum nst_home home;
	struct nst_sensor *s = get_worker(call, &home);

	if (!s)
		return;
	nst_log(NST_LOG_NOTICE, "%s: the %s worker of %s leaves", s->name,
		nst_home_name(home), s->moves.task);
	nst_handover_leave(&s->moves.h, home, nst_now_us());
	nst_call_ok(call);
	nst_moves_run(call->m, s, call->now_ms);
}

/* ----------------------------------------------------------------- status */

void nst_put_workers(const struct nst_sensor *s, struct nst_out *o)
{
	const struct nst_handover *h = &s->moves.h;
	const struct nst_handover_stats *st = &h->stats;
	u64 back = 0;

	if (!h->had)
		return;
	for (int i = 0; i < NST_HANDOVER_STEPS; i++)
		back += st->rolled_back[i];
	nst_out_printf(o, ",\"workers\":{\"task\":");
	nst_out_string(o, s->moves.task);
	nst_out_printf(o, ",\"owner\":\"%s\",\"near\":%s,\"far\":%s,"
		       "\"step\":\"%s\"",
		       nst_home_name((enum nst_home)h->owner),
		       h->worker[NST_HOME_NEAR].present ? "true" : "false",
		       h->worker[NST_HOME_FAR].present ? "true" : "false",
		       nst_handover_step_name((enum nst_handover_step)h->step));
	nst_out_printf(o, ",\"moved\":%" PRIu64 ",\"rolled_back\":%" PRIu64
		       ",\"cancelled\":%" PRIu64 ",\"taken_over\":%" PRIu64
		       ",\"fresh\":%" PRIu64 ",\"inexact\":%" PRIu64
		       ",\"closed\":%" PRIu64, st->moved, back, st->cancelled,
		       st->taken_over, st->fresh, st->inexact, st->closed);
	nst_out_printf(o, ",\"done_near\":%" PRIu64 ",\"done_far\":%" PRIu64
		       ",\"frames_lost\":%" PRIu64 ",\"frames_gated\":%" PRIu64
		       ",\"frames_both\":%" PRIu64 ",\"diverged\":%" PRIu64
		       ",\"refused\":%" PRIu64, h->ledger.done[NST_HOME_NEAR],
		       h->ledger.done[NST_HOME_FAR], h->ledger.lost,
		       h->ledger.dropped, h->ledger.overlap,
		       h->ledger.diverged,
		       h->worker[NST_HOME_NEAR].refused +
		       h->worker[NST_HOME_FAR].refused);
	nst_out_printf(o, ",\"commits\":%" PRIu64 ",\"acks\":%" PRIu64
		       ",\"switch_us\":%" PRIu64 ",\"switch_max_us\":%" PRIu64
		       ",\"ready_us\":%" PRIu64, st->commits, st->acks,
		       st->switch_us, st->switch_max_us, st->ready_us);
	nst_out_printf(o, ",\"imports\":%" PRIu64 ",\"copies\":%" PRIu64 "}",
		       s->around.far.imports, s->around.far.copies);
}
