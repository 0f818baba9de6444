// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * calibrate_shoot.c - pairs of frames at a setting, see calibrate_shoot.h
 *
 * While frames are waited for, the sensor is read and the lease kept: the
 * temperature of an exposure is what a curve through those readings says for
 * its middle.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "calibrate_shoot.h"
#include "log.h"
#include "v4l2.h"

#define TICK_MS 20
#define DAMAGED_MAX 5
/* Queued before a change; more are of a clock that is behind ours. */
#define STALE_MAX (NST_CAPTURE_BUFFERS + 2)
#define SILENCE_MS 3000
/* Stamps further off than that are of another clock. */
#define CLOCK_FAR_US 100000000

/* ----------------------------------------------------------------- open */

/* The node of "card:NAME", which is closed again: it is only looked for. */
static int find_node(const char *selector, char *ret, size_t size)
{
	struct nst_v4l2 v;
	char list[512];
	int r = nst_v4l2_open(&v, "", selector);

	if (r == -EINVAL) {
		nst_log(NST_LOG_ERR, "camera '%s': valid are /dev/videoN and card:NAME",
			selector);
		return r;
	}
	if (r == -ENODEV) {
		nst_v4l2_list("", list, sizeof(list));
		nst_log(NST_LOG_ERR, "no camera '%s', there are: %s", selector,
			list);
		return r;
	}
	if (r)
		return nst_log_err(r, "camera '%s'", selector);
	snprintf(ret, size, "%s", v.node);
	v.cam.ops->close(&v.cam);
	return 0;
}

int nst_cal_shoot_open(struct nst_cal_shoot *s, const char *device,
		       const char *camera)
{
	struct nst_view_format format;
	struct nst_rect rect;
	char node[NST_DEV_NAME_LEN], why[320];
	u32 rows;
	int r;

	s->camera.fd = -1;
	r = find_node(camera, node, sizeof(node));
	if (!r)
		r = nst_cal_stack_take(&s->stack, device);
	if (r)
		return r;
	r = nst_capture_open(&s->camera, node, why, sizeof(why));
	if (r)
		return nst_log_err(r, "%s", why);
	format = (struct nst_view_format){
		.width = s->camera.width, .height = s->camera.height,
		.stride = s->camera.stride, .bytes = s->camera.bytes,
		.bits = s->camera.bits,
	};
	/* even, or the mosaic begins at another place */
	rows = (s->camera.dark_rows + 1) & ~1u;
	rect = (struct nst_rect){ 0, rows, format.width,
				  format.height > rows ? format.height - rows
						       : 0 };
	r = nst_cal_frames_init(&s->whole, &format, &rect);
	rect = (struct nst_rect){ format.width / 4 & ~1u,
				  format.height / 4 & ~1u, format.width / 2,
				  format.height / 2 };
	if (!r)
		r = nst_cal_frames_init(&s->middle, &format, &rect);
	return r ? nst_log_err(r, "%s: frames of %" PRIu32 "x%" PRIu32, node,
			       format.width, format.height) : 0;
}

void nst_cal_shoot_close(struct nst_cal_shoot *s)
{
	nst_cal_stack_leave(&s->stack);
	nst_capture_close(&s->camera);
	nst_cal_frames_free(&s->whole);
	nst_cal_frames_free(&s->middle);
}

/* --------------------------------------------------------------- frames */

/*
 * The next frame, while the sensor is looked after. Damaged ones are passed
 * over, a few: a real link drops one now and then.
 */
static int next(struct nst_cal_shoot *s, u32 exposure_us, u32 *damaged,
		struct nst_capture_frame *ret)
{
	u64 end_ms = nst_cal_now_ms() + SILENCE_MS + 10 * exposure_us / 1000;
	struct nst_capture *c = &s->camera;
	int r;

	do {
		r = nst_cal_stack_tick(&s->stack);
		if (r)
			return r;
		r = nst_capture_next(c, TICK_MS, ret);
		if (!r && ret->size < (size_t)c->stride * c->height) {
			r = nst_capture_give_back(c, ret);
			if (r)
				break;
			if (++*damaged > DAMAGED_MAX)
				return nst_log_err(-EIO, "%s: frames are truncated, %zu bytes instead of %zu",
						   c->node, ret->size,
						   (size_t)c->stride *
						   c->height);
			r = -EAGAIN;
		} else if (r == -EIO && ++*damaged <= DAMAGED_MAX) {
			r = -EAGAIN;
		}
	} while (r == -EAGAIN && nst_cal_now_ms() < end_ms);
	if (r == -EAGAIN)
		return nst_log_err(-ETIME, "%s gives no frames", c->node);
	if (r == -ENODEV)
		return nst_log_err(r, "the camera %s is gone", c->node);
	return r ? nst_log_err(r, "%s", c->node) : 0;
}

/* By the device's clock; by when it came, where the stamp is of another. */
static double middle_of(const struct nst_cal_shoot *s,
			const struct nst_capture_frame *frame, u32 exposure_us)
{
	const struct nst_dev_state *now = &s->stack.now;
	double stamp = (double)frame->t_us, at = (double)now->now_us;

	/* rows in the middle begin half a read-out after the first */
	if (stamp < at - CLOCK_FAR_US || stamp > at + CLOCK_FAR_US)
		return at - now->readout_us / 2.0 - exposure_us / 2.0;
	if (frame->at_start)
		return stamp + now->readout_us / 2.0 + exposure_us / 2.0;
	return stamp - now->readout_us / 2.0 - exposure_us / 2.0;
}

int nst_cal_shoot_pair(struct nst_cal_shoot *s,
		       const struct nst_cal_setting *setting, bool middle,
		       double black_dn, struct nst_cal_shot *ret_shot,
		       struct nst_cal_stat *ret)
{
	struct nst_cal_frames *frames = middle ? &s->middle : &s->whole;
	struct nst_capture *c = &s->camera;
	u32 damaged = 0, stale = 0, pass = s->settle;
	u64 set_us;
	int r;

	r = nst_capture_set(c, setting->exposure_us, setting->gain,
			    &ret_shot->exposure_us, &ret_shot->iso);
	if (r)
		return nst_log_err(r, "%s does not take an exposure of %" PRIu32 " us at gain %" PRIu32,
				   c->node, setting->exposure_us,
				   setting->gain);
	r = nst_cal_stack_tick(&s->stack);
	if (!r && !c->streaming) {
		r = nst_capture_start(c);
		if (r)
			return nst_log_err(r, "%s does not stream%s", c->node,
					   r == -EBUSY ? ", another program does"
						       : "");
	}
	set_us = s->stack.now.now_us;
	ret_shot->mid_us = 0;
	for (int got = 0; !r && got < 2;) {
		struct nst_capture_frame frame;
		struct nst_view view;
		double mid;

		r = next(s, ret_shot->exposure_us, &damaged, &frame);
		if (r)
			return r;
		mid = middle_of(s, &frame, ret_shot->exposure_us);
		/* frames that were exposed, or begun, before the change */
		if (mid - ret_shot->exposure_us / 2.0 < (double)set_us &&
		    stale++ < STALE_MAX) {
			r = nst_capture_give_back(c, &frame);
			continue;
		}
		if (pass) {
			pass--;
			r = nst_capture_give_back(c, &frame);
			continue;
		}
		view = (struct nst_view){ frames->format, frame.pixels,
					  frame.size };
		r = nst_cal_frames_copy(frames, got, &view);
		if (!r)
			r = nst_capture_give_back(c, &frame);
		ret_shot->mid_us += mid / 2;
		got++;
	}
	if (r)
		return nst_log_err(r, "%s", c->node);
	r = nst_cal_frames_stat(frames, black_dn, ret);
	return r ? nst_log_err(r, "%s: no two frames are alike: does the picture move?",
			       c->node) : 0;
}
