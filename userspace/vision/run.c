// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* run.c - the loop of nst-vision: see run.h */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "log.h"
#include "output.h"
#include "run.h"

/* How long to wait before nstd is asked again about a frame. */
#define VERDICT_POLL_MS	3
/* The machine is too slow when this share of frames does not arrive. */
#define SLOW_PERCENT	90
/* A setting that stood for so long was one. */
#define SETTLED_MS	1000

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	stopped = sig;
}

struct loop {
	struct nst_run *run;
	unsigned long began_ms;
	unsigned long second_ms;	/* when the present second began */
	unsigned long phase_ms;
	unsigned int phase;
	/* without phases of a file: settings of the cameras so far */
	unsigned int settings;
	unsigned long changed_ms;
	char setting_name[24];
	bool slow_said;
	int first_err;
	/* the emulator's sums when the second and the phase began */
	struct nst_truth_now at_second[NST_RUN_CAMERAS];
	struct nst_truth_now at_phase[NST_RUN_CAMERAS];
	bool have_truth[NST_RUN_CAMERAS];
};

static unsigned long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long)t.tv_sec * 1000 +
	       (unsigned long)t.tv_nsec / 1000000;
}

static const char *phase_name(const struct loop *l)
{
	return l->run->phases ? l->run->phases->phase[l->phase].name :
				l->setting_name;
}

/* --------------------------------------------------------------- phases */

static void apply_phase(struct loop *l)
{
	const struct nst_phase *p;

	if (!l->run->phases)
		return;
	p = &l->run->phases->phase[l->phase];
	for (unsigned int i = 0; i < l->run->streams; i++) {
		struct nst_stream *s = l->run->stream[i];
		int r;

		if (s->err || s->lost)
			continue;
		r = nst_camera_set(&s->cam, &p->setting);
		nst_fidelity_reset(&s->fidelity);
		if (r)
			nst_log_err(r, "%s: the camera does not take the "
				    "setting of phase %s", s->name, p->name);
		if (!s->truth_dir[0])
			continue;
		r = nst_truth_set_ambient(s->truth_dir, p->ambient_mc);
		if (r)
			nst_log_err(r, "%s: the ambient temperature of phase "
				    "%s was refused", s->name, p->name);
	}
}

static void mark_phase(struct loop *l)
{
	for (unsigned int i = 0; i < l->run->streams; i++) {
		struct nst_stream *s = l->run->stream[i];

		nst_tally_reset(&s->phase);
		nst_fidelity_tally_reset(&s->fidelity.phase);
		nst_shot_reset(&s->hot);
		nst_shot_reset(&s->cold);
		nst_shot_reset(&s->last_seen);
		s->phase_seq = 0;
		if (s->truth_dir[0] &&
		    !nst_truth_now(s->truth_dir, &l->at_phase[i])) {
			l->have_truth[i] = true;
			/* What was exposed before may be on its way yet. */
			s->phase_seq = l->at_phase[i].frame_seq + 1;
		}
	}
	l->phase_ms = now_ms();
}

static struct nst_span span_since(const struct loop *l, unsigned int i,
				  unsigned long since_ms,
				  const struct nst_truth_now *before)
{
	const struct nst_stream *s = l->run->stream[i];
	struct nst_span span = {
		.at_ms = now_ms() - l->began_ms,
		.took_ms = now_ms() - since_ms,
		.phase = phase_name(l),
		.truth_before = *before,
	};

	if (l->have_truth[i])
		span.have_truth = !nst_truth_now(s->truth_dir, &span.truth);
	return span;
}

static void write_shots(const struct nst_run *run, const struct nst_stream *s,
			const char *phase)
{
	int r = nst_output_shot(run->json, run->dir, s, &s->cold, phase,
				"cold");

	if (!r && s->last_seen.used && s->last_seen.seq != s->hot.seq &&
	    s->last_seen.seq != s->cold.seq)
		r = nst_output_shot(run->json, run->dir, s, &s->last_seen,
				    phase, "seen");
	if (!r)
		r = nst_output_shot(run->json, run->dir, s, &s->hot, phase,
				    "hot");
	if (r)
		nst_log_err(r, "%s: cannot write pictures to %s", s->name,
			    run->dir);
}

static void finish_phase(struct loop *l)
{
	struct nst_run *run = l->run;

	for (unsigned int i = 0; i < run->streams; i++) {
		struct nst_stream *s = run->stream[i];
		struct nst_span span = span_since(l, i, l->phase_ms,
						  &l->at_phase[i]);

		(void)nst_stream_score(s);
		if (run->json)
			nst_output_phase(run->json, s, &span);
		if (run->json && run->dir)
			write_shots(run, s, span.phase);
	}
}

/* ------------------------------------------------------------- settings */

/*
 * Without a file of phases there is one for each setting of the cameras, by
 * whomever it was set. Numbered, for one may come back.
 */
static void name_setting(struct loop *l, const struct nst_camera_setting *now)
{
	bool ms = now->exposure_us >= 1000;

	if (!now->exposure_us)
		snprintf(l->setting_name, sizeof(l->setting_name), "as-is");
	else
		snprintf(l->setting_name, sizeof(l->setting_name),
			 "%u-%u%s-iso%u", l->settings % 100,
			 ms ? now->exposure_us / 1000 % 10000 :
			      now->exposure_us, ms ? "ms" : "us",
			 now->iso % 100000);
}

/* An automatic exposure never stands quite still: an eighth is a change. */
static bool far_from(unsigned int a, unsigned int b)
{
	unsigned int more = a > b ? a : b, less = a > b ? b : a;

	return (more - less) * 8ull > more;
}

/* Steps on the way to a setting are no phases of their own. */
static void follow_setting(struct loop *l, struct nst_stream *s)
{
	unsigned long now = now_ms();
	bool settled = now - l->changed_ms >= SETTLED_MS;
	struct nst_camera_setting setting;

	nst_camera_get(&s->cam, &setting);
	if (!far_from(setting.exposure_us, s->setting.exposure_us) &&
	    !far_from(setting.iso, s->setting.iso))
		return;
	s->setting = setting;
	l->changed_ms = now;
	nst_fidelity_reset(&s->fidelity);
	if (l->run->phases)
		return;
	if (settled) {
		finish_phase(l);
		l->settings++;
	}
	name_setting(l, &setting);
	if (settled)
		mark_phase(l);
}

/* -------------------------------------------------------------- cameras */

static void end_stream(struct loop *l, struct nst_stream *s, int err)
{
	if (s->err)
		return;
	if (err == -ENODEV && l->run->reopen) {
		nst_log(NST_LOG_WARNING, "%s: the camera is gone, looking for "
			"it once a second", s->name);
		nst_stream_lose(s);
		return;
	}
	s->err = err;
	if (!l->first_err)
		l->first_err = err;
	if (err == -ENODEV)
		nst_log_err(0, "%s: the camera is gone", s->name);
	else if (err == -EPIPE || err == -ECONNRESET)
		nst_log_err(0, "%s: nstd is gone", s->name);
	else if (err == -ETIMEDOUT)
		nst_log_err(0, "%s: nstd does not answer", s->name);
	else if (err == -EXDEV)
		nst_log_err(0, "%s: the camera is back with frames of another "
			    "size", s->name);
	else
		nst_log_err(err, "%s: stopped", s->name);
}

/* A camera that is not there yet is no news. */
static void find_lost(struct loop *l, struct nst_stream *s)
{
	int r;

	if (!s->lost || s->err)
		return;
	r = nst_stream_find(s);
	if (!r) {
		nst_log(NST_LOG_NOTICE, "%s: the camera is back", s->name);
		follow_setting(l, s);
	} else if (r == -EXDEV) {
		end_stream(l, s, r);
	}
}

static unsigned int running(const struct nst_run *run)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < run->streams; i++)
		n += !run->stream[i]->err;
	return n;
}

/* Frames of one camera; true when one waits for nstd. */
static bool serve(struct loop *l, struct nst_stream *s, short revents)
{
	int r = 0;

	if (revents & POLLPRI && nst_camera_changed(&s->cam))
		follow_setting(l, s);
	if (revents & POLLIN)
		r = nst_stream_take(s, now_ms());
	else if (revents & (POLLERR | POLLHUP | POLLNVAL))
		r = -ENODEV;
	if (!r)
		r = nst_stream_work(s, now_ms());
	if (r && r != -EAGAIN)
		end_stream(l, s, r);
	return r == -EAGAIN;
}

static void wait_and_serve(struct loop *l, unsigned long until_ms,
			   bool *waiting)
{
	struct nst_run *run = l->run;
	struct pollfd fds[NST_RUN_CAMERAS];
	unsigned long now = now_ms();
	int timeout = until_ms > now ? (int)(until_ms - now) : 0;
	int r;

	for (unsigned int i = 0; i < run->streams; i++) {
		const struct nst_stream *s = run->stream[i];

		/* A negative descriptor is passed over. */
		fds[i] = (struct pollfd){
			.fd = s->err || s->lost ||
			      s->held_count == NST_STREAM_HELD ? -1
							       : s->cam.fd,
			.events = POLLIN | POLLPRI,
		};
	}
	if (*waiting && timeout > VERDICT_POLL_MS)
		timeout = VERDICT_POLL_MS;
	r = poll(fds, run->streams, timeout);
	*waiting = false;
	if (r < 0)
		return;		/* a signal: the caller looks */
	for (unsigned int i = 0; i < run->streams; i++) {
		struct nst_stream *s = run->stream[i];

		if (!s->err && !s->lost &&
		    (fds[i].revents || s->held_count))
			*waiting |= serve(l, s, fds[i].revents);
	}
}

/* --------------------------------------------------------------- second */

/* Once is enough: a slow machine is slow in every second. */
static void say_slow(struct loop *l, const struct nst_stream *s,
		     const struct nst_span *span)
{
	unsigned int want = nst_output_expected_fps_milli(span);
	unsigned long got;

	if (l->slow_said || !want || span->took_ms < 900 ||
	    span->at_ms < 3000)
		return;
	got = s->second.frames * 1000000 / span->took_ms;
	if (got * 100 >= (unsigned long)want * SLOW_PERCENT)
		return;
	l->slow_said = true;
	nst_log(NST_LOG_WARNING, "this machine does not sustain the frame "
		"rate: %s delivers %lu.%lu of %u.%u frames a second", s->name,
		got / 1000, got % 1000 / 100, want / 1000, want % 1000 / 100);
}

static void finish_second(struct loop *l)
{
	struct nst_run *run = l->run;

	if (run->status)
		fprintf(run->status, "%3lu s %-10s",
			(now_ms() - l->began_ms + 500) / 1000, phase_name(l));
	for (unsigned int i = 0; i < run->streams; i++) {
		struct nst_stream *s = run->stream[i];
		struct nst_span span = span_since(l, i, l->second_ms,
						  &l->at_second[i]);
		int r = s->err ? 0 : nst_stream_score(s);

		if (s->governed && !s->err && s->fidelity.on)
			nst_fidelity_ask(&s->fidelity,
					 nst_client_demand(&s->client,
							   s->name));
		if (r)
			nst_log_err(r, "%s: the emulator's truth", s->name);
		if (run->json && !s->err)
			nst_output_second(run->json, s, &span);
		if (run->status)
			nst_output_status(run->status, s, &span);
		say_slow(l, s, &span);
		find_lost(l, s);
		nst_tally_reset(&s->second);
		nst_fidelity_tally_reset(&s->fidelity.second);
		if (span.have_truth)
			l->at_second[i] = span.truth;
	}
	if (run->status) {
		fputc('\n', run->status);
		fflush(run->status);
	}
	l->second_ms = now_ms();
}

/* ----------------------------------------------------------------- loop */

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	stopped = 0;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static unsigned long phase_end_ms(const struct loop *l)
{
	if (!l->run->duration_ms)
		return ~0ul;
	if (!l->run->phases)
		return l->began_ms + l->run->duration_ms;
	return l->began_ms + nst_phases_end_ms(l->run->phases, l->phase,
					       l->run->duration_ms);
}

static void loop(struct loop *l)
{
	bool waiting = false;

	while (!stopped && running(l->run)) {
		unsigned long now = now_ms(), end = phase_end_ms(l);
		unsigned long until = l->second_ms + 1000;

		if (now >= until || now >= end)
			finish_second(l);
		if (now >= end) {
			finish_phase(l);
			if (!l->run->phases ||
			    l->phase + 1 == l->run->phases->count)
				return;
			l->phase++;
			apply_phase(l);
			mark_phase(l);
			continue;
		}
		wait_and_serve(l, until < end ? until : end, &waiting);
	}
	/* Ended early: what there is of the phase. */
	finish_second(l);
	finish_phase(l);
}

int nst_run_loop(struct nst_run *run)
{
	struct loop l = { .run = run };

	catch_signals();
	apply_phase(&l);
	for (unsigned int i = 0; i < run->streams; i++) {
		int r = nst_camera_start(&run->stream[i]->cam);

		if (r)
			end_stream(&l, run->stream[i], r);
	}
	l.began_ms = now_ms();
	l.second_ms = l.began_ms;
	l.settings = 1;
	for (unsigned int i = 0; i < run->streams; i++)
		nst_camera_get(&run->stream[i]->cam,
			       &run->stream[i]->setting);
	name_setting(&l, &run->stream[0]->setting);
	mark_phase(&l);
	memcpy(l.at_second, l.at_phase, sizeof(l.at_second));
	loop(&l);
	if (stopped)
		return -EINTR;
	return l.first_err;
}
