// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* stream.c - frames of one camera to results: see stream.h */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "stream.h"
#include "v4l2.h"

/* A verdict comes within a frame or two; nstd that needs longer hangs. */
#define VERDICT_MS 1000
/* After learning the task needs a few frames until it reports anything. */
#define SETTLED_FRAMES 6

void nst_tally_reset(struct nst_tally *t)
{
	*t = (struct nst_tally){
		.hot_mc = -NST_CLIENT_NONE_MC,
		.cold_mc = NST_CLIENT_NONE_MC,
		.limit_mc = NST_CLIENT_NONE_MC,
	};
}

void nst_shot_reset(struct nst_shot *s)
{
	unsigned char *pixels = s->pixels;

	*s = (struct nst_shot){ .pixels = pixels };
}

/* ----------------------------------------------------------------- open */

static int open_camera(struct nst_stream *s, const char *selector,
		       const struct nst_camera_want *want)
{
	int r = nst_camera_open(&s->cam, selector, want);
	char list[512];

	if (r == -ENODEV) {
		nst_v4l2_list("", list, sizeof(list));
		nst_log(NST_LOG_ERR, "%s: no camera '%s', there are: %s",
			s->name, selector, list);
		return r;
	}
	if (r == -EINVAL)
		return nst_log_err(r, "%s: '%s' is neither /dev/videoN nor "
				   "card:NAME", s->name, selector);
	if (r == -ENOTTY)
		return nst_log_err(r, "%s: %s is not a capture node", s->name,
				   selector);
	if (r == -ENOTSUP)
		return nst_log_err(r, "%s: %s does not stream grey of %u bits",
				   s->name, selector,
				   want->bits ? want->bits : 8);
	return r ? nst_log_err(r, "%s: cannot open %s", s->name, selector) : 0;
}

static int open_truth(struct nst_stream *s)
{
	int r = nst_truth_dir(s->cam.bus, s->truth_dir, sizeof(s->truth_dir));

	if (!r)
		return 0;
	s->truth_dir[0] = '\0';
	if (r == -ENODEV)
		nst_log(NST_LOG_NOTICE, "%s: %s is not emulated, so "
			"detections cannot be scored", s->name, s->cam.card);
	else
		nst_log_err(r, "%s: the emulator's truth cannot be read "
			    "(debugfs, root)", s->name);
	return 0;
}

static int open_client(struct nst_stream *s, const char *socket)
{
	int r;

	s->client.conn = NULL;
	if (!socket)
		return 0;
	r = nst_client_connect(&s->client, socket);
	if (r)
		return nst_log_err(r, "%s: nstd does not answer at %s; start "
				   "it, or run with --ungoverned", s->name,
				   socket);
	s->governed = true;
	return 0;
}

static int open_task(struct nst_stream *s)
{
	size_t pixels = (size_t)s->cam.width * s->cam.height;
	int r = nst_vision_task_init(&s->task, s->cam.width, s->cam.height,
				     s->cam.bits);

	if (r)
		return nst_log_err(r, "%s: no task for frames of %ux%u",
				   s->name, s->cam.width, s->cam.height);
	s->hot.pixels = malloc(pixels);
	s->cold.pixels = malloc(pixels);
	s->last_seen.pixels = malloc(pixels);
	if (!s->hot.pixels || !s->cold.pixels || !s->last_seen.pixels)
		return nst_log_err(-ENOMEM, "%s", s->name);
	return 0;
}

int nst_stream_open(struct nst_stream *s, const char *name,
		    const char *selector, const char *socket,
		    const struct nst_camera_want *want,
		    const struct nst_fidelity_config *fidelity,
		    const char *far_device)
{
	int r;

	*s = (struct nst_stream){ .cam.fd = -1 };
	strncpy(s->name, name, sizeof(s->name) - 1);
	strncpy(s->selector, selector, sizeof(s->selector) - 1);
	nst_tally_reset(&s->second);
	nst_tally_reset(&s->phase);
	nst_farside_init(&s->farside, far_device);
	r = open_camera(s, selector, want);
	if (!r)
		r = open_truth(s);
	if (!r)
		r = open_client(s, socket);
	if (!r)
		r = open_task(s);
	if (!r)
		r = nst_fidelity_open(&s->fidelity, s->name, &s->cam,
				      fidelity);
	if (!r)
		r = nst_farside_open(&s->farside, &s->cam, s->name);
	if (r)
		nst_stream_close(s);
	return r;
}

void nst_stream_close(struct nst_stream *s)
{
	nst_farside_close(&s->farside);
	nst_camera_close(&s->cam);
	nst_client_close(&s->client);
	nst_vision_task_deinit(&s->task);
	nst_fidelity_close(&s->fidelity);
	free(s->hot.pixels);
	free(s->cold.pixels);
	free(s->last_seen.pixels);
	s->hot.pixels = NULL;
	s->cold.pixels = NULL;
	s->last_seen.pixels = NULL;
}

void nst_stream_lose(struct nst_stream *s)
{
	nst_farside_close(&s->farside);
	nst_camera_close(&s->cam);
	s->lost = true;
	/* Their buffers went with it, and its numbers begin anew. */
	s->held_count = 0;
	s->results = 0;
	s->phase_seq = 0;
	s->truth_dir[0] = '\0';
	nst_fidelity_reset(&s->fidelity);
}

int nst_stream_find(struct nst_stream *s)
{
	const struct nst_camera_want want = { s->cam.width, s->cam.height,
					      s->cam.bits };
	unsigned int stride = s->cam.stride;
	int r = nst_camera_open(&s->cam, s->selector, &want);

	if (!r && (s->cam.width != want.width ||
		   s->cam.height != want.height || s->cam.stride != stride))
		r = -EXDEV;
	if (!r)
		r = nst_farside_open(&s->farside, &s->cam, s->name);
	if (!r)
		r = nst_camera_start(&s->cam);
	if (r) {
		nst_farside_close(&s->farside);
		nst_camera_close(&s->cam);
		/* Opening has forgotten what is looked for. */
		s->cam.width = want.width;
		s->cam.height = want.height;
		s->cam.bits = want.bits;
		s->cam.stride = stride;
		return r;
	}
	s->lost = false;
	/* The camera counts from new, the task goes on. */
	s->seq_base = s->seq_task + 1;
	return open_truth(s);
}

/* --------------------------------------------------------------- frames */

static void damaged(struct nst_stream *s)
{
	const struct nst_camera_frame nothing = { 0 };

	s->second.damaged++;
	s->phase.damaged++;
	nst_fidelity_add(&s->fidelity, s->name, &s->cam, &nothing);
}

int nst_stream_take(struct nst_stream *s, unsigned long now_ms)
{
	while (s->held_count < NST_STREAM_HELD) {
		int r = nst_camera_next(&s->cam, &s->held[s->held_count]);

		if (r == -EAGAIN)
			return 0;
		if (r == -EIO) {	/* damaged, given back already */
			damaged(s);
			continue;
		}
		if (r)
			return r;
		if (!s->held_count++)
			s->held_since_ms = now_ms;
		s->second.frames++;
		s->phase.frames++;
	}
	return 0;
}

static int drop_oldest(struct nst_stream *s, unsigned long now_ms)
{
	int r = nst_camera_give_back(&s->cam, &s->held[0]);

	s->held_count--;
	memmove(&s->held[0], &s->held[1],
		s->held_count * sizeof(s->held[0]));
	s->held_since_ms = now_ms;
	return r;
}

static void keep_shot(struct nst_stream *s, struct nst_shot *shot,
		      const struct nst_camera_frame *f, int temp_mc,
		      const struct nst_result *result)
{
	shot->used = true;
	shot->temp_mc = temp_mc;
	shot->seq = f->seq;
	shot->truth_count = 0;
	shot->found_count = result->found_count;
	memcpy(shot->found, result->found, sizeof(shot->found));
	memset(shot->matched, 0, sizeof(shot->matched));
	for (unsigned int y = 0; y < s->cam.height; y++)
		nst_camera_row8(&s->cam, f, y,
				shot->pixels + (size_t)y * s->cam.width);
}

static void keep_result(struct nst_stream *s, const struct nst_result *r)
{
	/* Without the truth nobody takes them: the oldest go. */
	if (s->results == NST_STREAM_RESULTS) {
		memmove(&s->result[0], &s->result[1],
			(NST_STREAM_RESULTS - 1) * sizeof(s->result[0]));
		s->results--;
	}
	s->result[s->results++] = *r;
}

static void keep_shots(struct nst_stream *s, const struct nst_camera_frame *f,
		       int temp_mc, const struct nst_result *result)
{
	if (!s->hot.used || temp_mc > s->hot.temp_mc)
		keep_shot(s, &s->hot, f, temp_mc, result);
	if (!s->cold.used || temp_mc < s->cold.temp_mc)
		keep_shot(s, &s->cold, f, temp_mc, result);
	if (result->found_count &&
	    (!s->last_seen.used || temp_mc > s->last_seen.temp_mc))
		keep_shot(s, &s->last_seen, f, temp_mc, result);
}

static int process(struct nst_stream *s, const struct nst_camera_frame *f,
		   const unsigned char *pixels,
		   const struct nst_client_verdict *v)
{
	struct vpu_frame frame = {
		.seq = s->seq_base + f->seq,
		.pixels = pixels,
		.width = s->cam.width,
		.height = s->cam.height,
		.stride = s->cam.stride,
		.bits = s->cam.bits,
	};
	struct nst_result result = { .seq = f->seq, .limit_mc = v->limit_mc };
	int r = nst_vision_task_process(&s->task, &frame, &s->seen);

	if (r)
		return nst_log_err(r, "%s: the task refuses frame %llu",
				   s->name, (unsigned long long)f->seq);
	s->seq_task = frame.seq;
	result.learning = s->seen.flags & VPU_LEARNING;
	result.found_count = s->seen.detections;
	for (unsigned int i = 0; i < s->seen.detections; i++) {
		const struct vpu_detection *d = &s->seen.detection[i];

		result.found[i] = (struct nst_box){ d->x, d->y, d->w, d->h };
	}
	keep_result(s, &result);
	s->settled = result.learning ? 0 : s->settled + 1;
	if (s->settled > SETTLED_FRAMES && f->seq >= s->phase_seq &&
	    v->exposure_temp_mc != NST_CLIENT_NONE_MC)
		keep_shots(s, f, v->exposure_temp_mc, &result);
	return 0;
}

static int process_far(struct nst_stream *s,
		       const struct nst_client_verdict *v)
{
	const struct nst_camera_frame *f = &s->held[0];
	const unsigned char *pixels = nst_farside_begin(&s->farside, f,
							s->name);
	int r = process(s, f, pixels, v);

	nst_farside_end(&s->farside, f);
	return r;
}

static unsigned int power_mw(const struct nst_stream *s,
			     enum nst_client_placement placement)
{
	return placement == NST_CLIENT_NEAR ? s->near_mw :
	       placement == NST_CLIENT_FAR  ? s->far_mw :
					      s->capture_mw;
}

static void count(struct nst_stream *s, struct nst_tally *t,
		  const struct nst_client_verdict *v, bool moved)
{
	t->judged++;
	t->power_mw_sum += power_mw(s, v->placement);
	t->handovers += moved;
	t->limit_mc = v->limit_mc;
	if (v->placement == NST_CLIENT_PAUSED) {
		t->dropped++;
	} else if (!v->deliver) {
		t->withheld++;
	} else {
		t->delivered++;
		t->near += v->placement == NST_CLIENT_NEAR;
		t->far += v->placement == NST_CLIENT_FAR;
		t->blind += !!(s->seen.flags & VPU_BLIND);
	}
}

static int judged(struct nst_stream *s, const struct nst_client_verdict *v)
{
	unsigned long before = s->task.handovers;
	int r = 0;

	if (v->placement != NST_CLIENT_PAUSED) {
		r = nst_vision_task_move(&s->task, v->placement == NST_CLIENT_NEAR ?
						    NST_TASK_NEAR :
						    NST_TASK_FAR);
		if (r)
			nst_log_err(r, "%s: hand-over refused, the %s worker "
				    "keeps the task", s->name,
				    s->task.owner == NST_TASK_NEAR ? "near" :
								     "far");
	}
	if (v->deliver && v->placement != NST_CLIENT_PAUSED) {
		r = s->task.owner == NST_TASK_FAR ? process_far(s, v) :
			process(s, &s->held[0], s->held[0].pixels, v);
		if (r)
			return r;
		nst_fidelity_add(&s->fidelity, s->name, &s->cam, &s->held[0]);
	}
	s->last = *v;
	count(s, &s->second, v, s->task.handovers != before);
	if (v->seq >= s->phase_seq)
		count(s, &s->phase, v, s->task.handovers != before);
	return 0;
}

int nst_stream_work(struct nst_stream *s, unsigned long now_ms)
{
	while (s->held_count) {
		struct nst_client_verdict v = {
			.seq = s->held[0].seq,
			.exposure_temp_mc = NST_CLIENT_NONE_MC,
			.limit_mc = NST_CLIENT_NONE_MC,
			.placement = NST_CLIENT_NEAR,
			.deliver = true,
		};
		int r = 0;

		if (s->governed)
			r = nst_client_frame(&s->client, s->name, v.seq, &v);
		if (r == -EAGAIN && now_ms - s->held_since_ms < VERDICT_MS)
			return -EAGAIN;
		if (r == 0) {
			r = judged(s, &v);
			if (!r && s->governed)
				r = nst_fidelity_tell(&s->fidelity, s->name,
						      &s->client, v.seq,
						      now_ms);
			if (!r && s->governed)
				r = nst_farside_tell(&s->farside, s->name,
						     &s->client, now_ms);
		} else if (r == -EAGAIN || r == -ENOENT) {
			s->second.unjudged++;
			s->phase.unjudged++;
			r = 0;
		}
		if (!r)
			r = drop_oldest(s, now_ms);
		if (r)
			return r;
	}
	return 0;
}

/* ---------------------------------------------------------------- score */

static void score_shot(struct nst_shot *shot, const struct nst_truth_frame *t)
{
	struct nst_score ignored = { 0 };

	if (!shot->used || shot->seq != t->seq || shot->truth_count)
		return;
	shot->truth_count = t->boxes;
	shot->temp_mc = t->hot_mc;
	memcpy(shot->truth, t->box, sizeof(shot->truth));
	nst_score_frame(&ignored, shot->truth, shot->truth_count, shot->found,
			shot->found_count, shot->matched);
}

static void score_tally(struct nst_tally *t, const struct nst_result *result,
			const struct nst_truth_frame *truth)
{
	t->checked++;
	if (truth->hot_mc > t->hot_mc)
		t->hot_mc = truth->hot_mc;
	if (truth->hot_mc < t->cold_mc)
		t->cold_mc = truth->hot_mc;
	t->violations += truth->hot_mc > result->limit_mc;
	/* What it has not learnt yet it cannot have missed. */
	if (!result->learning)
		nst_score_frame(&t->score, truth->box, truth->boxes,
				result->found, result->found_count, NULL);
}

int nst_stream_score(struct nst_stream *s)
{
	static struct nst_truth_frame truth[NST_TRUTH_FRAMES];
	unsigned int left = 0;
	int n, i = 0;

	if (!s->truth_dir[0])
		return 0;
	n = nst_truth_frames(s->truth_dir, truth);
	if (n < 0)
		return n;
	/* Both are in order of their numbers. */
	for (unsigned int k = 0; k < s->results; k++) {
		const struct nst_result *r = &s->result[k];

		while (i < n && truth[i].seq < r->seq)
			i++;
		if (i == n) {		/* not told yet: next time */
			s->result[left++] = *r;
			continue;
		}
		if (truth[i].seq != r->seq)
			continue;	/* pushed out of the log */
		score_tally(&s->second, r, &truth[i]);
		if (r->seq >= s->phase_seq)
			score_tally(&s->phase, r, &truth[i]);
		score_shot(&s->hot, &truth[i]);
		score_shot(&s->cold, &truth[i]);
		score_shot(&s->last_seen, &truth[i]);
	}
	s->results = left;
	return 0;
}
