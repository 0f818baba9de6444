// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * far.c - the task on the processor that this runs on
 *
 * While it has nothing to do the newest frames are kept, so that a state that
 * is some frames old can be gone on with.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

#include "nodestream.h"
#include "home.h"
#include "import.h"
#include "v4l2.h"

/* The driver needs the rest. */
#define KEPT_MAX (NST_NODESTREAM_BUFFERS - 6)

struct kept {
	uint64_t seq;
	unsigned int index;
	const void *bytes;
};

struct far {
	struct nst_home home;
	char camera[128];
	char node[128];
	struct nst_nodestream capture;
	struct nst_import import;
	bool on;
	uint64_t from;		/* first frame that is to be processed */
	uint64_t until;		/* and first one that is not */
	uint64_t newest;
	bool has_state;
	struct kept kept[NST_NODESTREAM_BUFFERS];
	unsigned int count;
	struct vpu_state state;
	struct vpu_work work;
};

static struct far *far_of(struct nst_home *h)
{
	return (struct far *)h;
}

static int far_fd(const struct nst_home *h)
{
	return ((const struct far *)h)->capture.fd;
}

static int far_prepare(struct nst_home *h)
{
	struct far *f = far_of(h);
	char list[512];
	int r;

	if (f->capture.fd >= 0)
		return 0;
	f->count = 0;
	r = nst_nodestream_open(&f->capture, f->camera, false);
	if (r == -ENOTSUP)
		return nst_home_fail(h, r, "camera '%s' delivers a format that "
				     "the task does not take: it takes GREY, "
				     "Y10, Y12, Y16", f->camera);
	if (r == -ENODEV) {
		nst_v4l2_list("", list, sizeof(list));
		return nst_home_fail(h, r, "camera '%s' is not there, there "
				     "are: %s", f->camera, list);
	}
	if (r)
		return nst_home_fail(h, r, "camera '%s': %s", f->camera,
				     strerror(-r));
	/* Without a device of its own the camera's mapping is as good. */
	if (!f->node[0])
		return 0;
	r = nst_import_open(&f->import, f->capture.fd, f->capture.buffers,
			    (size_t)f->capture.stride * f->capture.height,
			    f->node);
	if (r) {
		nst_nodestream_close(&f->capture);
		return nst_home_fail(h, r, "buffers of '%s': %s", f->camera,
				     strerror(-r));
	}
	return 0;
}

static bool fits(const struct far *f, const struct vpu_state *s)
{
	return s->width == f->capture.width && s->height == f->capture.height &&
	       s->bits == f->capture.bits;
}

static int far_begin(struct nst_home *h, uint64_t seq)
{
	struct far *f = far_of(h);
	int r = far_prepare(h);

	if (r)
		return r;
	if (f->on && f->until == NST_HOME_ALL)
		return 0;
	/* Numbers that start again would be refused by the old state. */
	if (!f->has_state || !fits(f, &f->state) || f->state.last_seq >= seq) {
		r = vpu_init(&f->state, f->capture.width, f->capture.height,
			     f->capture.bits);
		if (r)
			return nst_home_fail(h, r, "frames of %ux%u, %u bits "
					     "are not for this task",
					     f->capture.width,
					     f->capture.height,
					     f->capture.bits);
		vpu_seal(&f->state);
		f->has_state = true;
	}
	f->on = true;
	f->from = seq;
	f->until = NST_HOME_ALL;
	return 0;
}

static int far_load(struct nst_home *h, const struct vpu_state *state)
{
	struct far *f = far_of(h);
	int r = far_prepare(h);

	if (r)
		return r;
	if (!fits(f, state))
		return nst_home_fail(h, -EINVAL, "the state is for frames of "
				     "%ux%u, %u bits, the camera has %ux%u, "
				     "%u", state->width, state->height,
				     state->bits, f->capture.width,
				     f->capture.height, f->capture.bits);
	/* Frames before the camera was opened are not to be had. */
	if (state->frames && f->count &&
	    f->kept[0].seq > state->last_seq + 1)
		return nst_home_fail(h, -ESTALE, "frame %llu is gone",
				     (unsigned long long)state->last_seq + 1);
	f->state = *state;
	f->has_state = f->on = true;
	f->from = state->last_seq + 1;
	f->until = NST_HOME_ALL;
	return 0;
}

static int far_state(struct nst_home *h, struct vpu_state *ret)
{
	struct far *f = far_of(h);

	if (!f->has_state)
		return nst_home_fail(h, -ENODATA, "there is no state");
	*ret = f->state;
	return 0;
}

static int far_stop(struct nst_home *h, uint64_t last)
{
	struct far *f = far_of(h);

	f->until = last + 1;
	if (f->state.last_seq + 1 >= f->until)
		f->on = false;
	return 0;
}

/* ---------------------------------------------------------------- frames */

static void forget_oldest(struct far *f)
{
	(void)nst_nodestream_give_back(&f->capture, f->kept[0].index);
	memmove(&f->kept[0], &f->kept[1], --f->count * sizeof(f->kept[0]));
}

/* V4L2 counts in 32 bits. */
static uint64_t whole_seq(const struct far *f, uint32_t sequence)
{
	uint64_t seq = (f->newest & ~0xffffffffull) | sequence;

	if (seq + 0x80000000u < f->newest)
		seq += 0x100000000ull;
	return seq;
}

static int fill(struct far *f)
{
	struct nst_nodestream_buffer b;
	int r;

	while (!(r = nst_nodestream_next(&f->capture, &b))) {
		f->newest = whole_seq(f, b.sequence);
		f->kept[f->count++] = (struct kept){
			.seq = f->newest, .index = b.index, .bytes = b.bytes,
		};
		while (f->count > KEPT_MAX)
			forget_oldest(f);
		if (f->on)
			return 0;
	}
	return r == -EAGAIN ? 0 : r;
}

static int process(struct far *f, const struct kept *k, struct nst_work *ret)
{
	struct vpu_frame frame = {
		.seq = k->seq, .width = f->capture.width,
		.height = f->capture.height, .stride = f->capture.stride,
		.bits = f->capture.bits,
	};
	int r;

	memset(&ret->result, 0, sizeof(ret->result));
	frame.pixels = f->node[0]
		? nst_import_begin(&f->import, k->index, k->bytes) : k->bytes;
	r = vpu_process(&f->state, &f->work, &frame, &ret->result);
	if (f->node[0])
		nst_import_end(&f->import, k->index);
	if (r)
		return r;
	vpu_seal(&f->state);
	ret->seq = k->seq;
	ret->checksum = f->state.checksum;
	return 0;
}

static int far_next(struct nst_home *h, struct nst_work *ret)
{
	struct far *f = far_of(h);
	int r;

	if (f->capture.fd < 0)
		return -EAGAIN;
	r = fill(f);
	if (r)
		return r;
	while (f->on && f->count) {
		bool mine = f->kept[0].seq < f->until;

		if (!mine) {
			f->on = false;
			break;
		}
		r = -EINVAL;
		if (f->kept[0].seq > f->state.last_seq &&
		    f->kept[0].seq >= f->from)
			r = process(f, &f->kept[0], ret);
		forget_oldest(f);
		if (f->state.last_seq + 1 >= f->until)
			f->on = false;
		if (!r)
			return 0;
		if (!f->count) {
			r = fill(f);
			if (r)
				return r;
		}
	}
	return -EAGAIN;
}

static void far_close(struct nst_home *h)
{
	struct far *f = far_of(h);

	f->on = false;
	f->count = 0;
	if (f->capture.fd >= 0 && f->node[0])
		nst_import_close(&f->import);
	nst_nodestream_close(&f->capture);
}

static const struct nst_home_ops far_ops = {
	.name = "far",
	.prepare = far_prepare,
	.fd = far_fd,
	.begin = far_begin,
	.load = far_load,
	.state = far_state,
	.stop = far_stop,
	.next = far_next,
	.close = far_close,
};

void nst_far_frames(const struct nst_home *h, uint64_t *ret_imports,
		    uint64_t *ret_copies)
{
	const struct far *f = (const struct far *)h;

	*ret_imports = f->import.imports;
	*ret_copies = f->import.copies;
}

struct nst_home *nst_far_new(const char *camera, const char *node)
{
	struct far *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->home.ops = &far_ops;
	f->capture.fd = -1;
	snprintf(f->camera, sizeof(f->camera), "%s", camera);
	snprintf(f->node, sizeof(f->node), "%s", node ? node : "");
	return &f->home;
}
