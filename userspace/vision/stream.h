/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * stream.h - one camera through the task: frames in, sums out
 *
 *	driver ─> held, until nstd has a verdict ─> task ─> results, until
 *	the truth is read ─> score
 *
 * Frames leave in the order they came. nstd decides per frame who processes
 * it and whether it is delivered at all; without nstd ("ungoverned") the
 * near worker does every frame.
 */
#ifndef NST_STREAM_H
#define NST_STREAM_H

#include "camera.h"
#include "client.h"
#include "farside.h"
#include "fidelity.h"
#include "score.h"
#include "task.h"
#include "truth.h"

/* Buffers held while their verdict is not known; the driver needs the rest. */
#define NST_STREAM_HELD 5
#define NST_STREAM_RESULTS 256

/**
 * struct nst_tally - sums over a span of time
 * @frames: taken from the driver
 * @delivered, @dropped, @withheld: as nstd decided; @unjudged: no verdict
 * @near, @far: who processed the delivered ones
 * @violations: delivered, and by the truth hotter than the limit
 * @power_mw_sum: of the system while each judged frame was processed (model)
 * @hot_mc, @cold_mc: extremes of the exposure temperature of delivered
 *	frames, by the truth; @limit_mc: of the newest frame
 * @blind: delivered frames in which the task saw nothing for brightness
 */
struct nst_tally {
	unsigned long frames;
	unsigned long delivered;
	unsigned long dropped;
	unsigned long withheld;
	unsigned long unjudged;
	unsigned long near;
	unsigned long far;
	unsigned long handovers;
	unsigned long violations;
	unsigned long checked;		/* delivered, truth known */
	unsigned long blind;
	unsigned long damaged;	/* truncated or marked so by the driver */
	unsigned long long power_mw_sum;
	unsigned long judged;
	int hot_mc;
	int cold_mc;
	int limit_mc;
	struct nst_score score;
};

/** struct nst_shot - a frame kept for a picture */
struct nst_shot {
	bool used;
	int temp_mc;
	uint64_t seq;
	unsigned char *pixels;		/* width * height */
	unsigned int found_count;
	unsigned int truth_count;
	struct nst_box found[NST_SCORE_BOXES_MAX];
	bool matched[NST_SCORE_BOXES_MAX];
	struct nst_box truth[NST_TRUTH_OBJECTS];
};

struct nst_result {
	uint64_t seq;
	int limit_mc;
	bool learning;
	unsigned int found_count;
	struct nst_box found[NST_SCORE_BOXES_MAX];
};

struct nst_stream {
	char name[32];			/* of nstd's sensor */
	unsigned int near_mw, far_mw, capture_mw;
	bool governed;
	struct nst_camera cam;
	struct nst_camera_setting setting;	/* as it was last looked at */
	char selector[64];		/* what it is found again by */
	bool lost;			/* the camera went; it may come back */
	/* of the task's frames, whose numbers never go back */
	uint64_t seq_base, seq_task;
	char truth_dir[256];		/* "" without */
	struct nst_vision_task task;
	struct nst_client client;
	struct nst_fidelity fidelity;
	struct nst_farside farside;

	struct nst_camera_frame held[NST_STREAM_HELD];
	unsigned int held_count;
	unsigned long held_since_ms;	/* of the oldest */
	struct nst_client_verdict last;	/* newest verdict */
	struct vpu_result seen;		/* newest result */

	struct nst_result result[NST_STREAM_RESULTS];
	unsigned int results;

	struct nst_tally second;	/* cleared by the reader */
	struct nst_tally phase;
	unsigned long settled;		/* frames since the task had learnt */
	uint64_t phase_seq;		/* first frame in the phase's light */
	/* of the phase; @last_seen: the hottest with any detection in it */
	struct nst_shot hot, cold, last_seen;
	int err;			/* why it ended, 0 while it runs */
};

/**
 * nst_stream_open() - camera, task, truth and, if @socket is set, nstd
 * @far_device: selector of farnode.h, "" for none
 * On failure says why on standard error and returns the errno.
 */
int nst_stream_open(struct nst_stream *s, const char *name,
		    const char *selector, const char *socket,
		    const struct nst_camera_want *want,
		    const struct nst_fidelity_config *fidelity,
		    const char *far_device);
void nst_stream_close(struct nst_stream *s);

/** nst_stream_lose() - the camera is gone; task and figures stay */
void nst_stream_lose(struct nst_stream *s);

/**
 * nst_stream_find() - look for a camera that was lost, and start it
 * Return: 0; -ENODEV while it is not there; -EXDEV when its frames have
 * another size now; errno.
 */
int nst_stream_find(struct nst_stream *s);

/** nst_stream_take() - move filled buffers to the held ones; 0 or errno */
int nst_stream_take(struct nst_stream *s, unsigned long now_ms);

/**
 * nst_stream_work() - process what has a verdict
 * Return: 0; -EAGAIN when a frame still waits for its verdict; errno of a
 * daemon or a camera that is gone.
 */
int nst_stream_work(struct nst_stream *s, unsigned long now_ms);

/** nst_stream_score() - compare waiting results with the truth */
int nst_stream_score(struct nst_stream *s);

void nst_tally_reset(struct nst_tally *t);
void nst_shot_reset(struct nst_shot *s);

#endif /* NST_STREAM_H */
