// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * near.c - the task in the processor of the stack, see uapi/nst-sim.h
 *
 * A frame is processed when its period ends, so a task that goes on after
 * frame S has to be started before period S+1 is over: there is a frame
 * period for the state to come here. Started too late it is refused, and a
 * newer state is asked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "nodestream.h"
#include "home.h"
#include "uapi/nst-sim.h"

struct near {
	struct nst_home home;
	char path[128];
	char records[128];
	int fd;			/* of the processor, -1: closed */
	struct nst_nodestream capture;
	uint64_t last_seq;	/* given by next(), or loaded */
};

int nst_home_fail(struct nst_home *h, int err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(h->why, sizeof(h->why), format, ap);
	va_end(ap);
	return err;
}

static struct near *near_of(struct nst_home *h)
{
	return (struct near *)h;
}

static int near_fd(const struct nst_home *h)
{
	return ((const struct near *)h)->capture.fd;
}

static int vpu_call(struct near *n, unsigned long request, void *arg)
{
	int r;

	do {
		r = ioctl(n->fd, request, arg);
	} while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

static int near_prepare(struct nst_home *h)
{
	struct near *n = near_of(h);
	int r;

	if (n->fd < 0) {
		n->fd = open(n->path, O_RDWR | O_CLOEXEC);
		if (n->fd < 0)
			return nst_home_fail(h, -errno, "'%s': %s", n->path,
					     strerror(errno));
	}
	if (n->capture.fd >= 0)
		return 0;
	r = nst_nodestream_open(&n->capture, n->records, true);
	if (!r && n->capture.fourcc != NST_SIM_META_FOURCC) {
		nst_nodestream_close(&n->capture);
		r = -ENOTSUP;
	}
	if (r)
		return nst_home_fail(h, r, "metadata node '%s': %s",
				     n->records, strerror(-r));
	return 0;
}

static int status(struct near *n, struct nst_vpu_status *ret)
{
	int r = vpu_call(n, NST_VPU_IOC_STATUS, ret);

	if (r)
		return nst_home_fail(&n->home, r, "'%s': no status: %s",
				     n->path, strerror(-r));
	if (ret->version != NST_VPU_ABI_VERSION ||
	    ret->state_size != sizeof(struct vpu_state) ||
	    ret->state_version != VPU_VERSION)
		return nst_home_fail(&n->home, -EPROTO, "'%s' runs another "
				     "version of the task", n->path);
	return 0;
}

static int start(struct near *n, uint64_t first_seq, bool fresh)
{
	struct nst_vpu_start start = {
		.first_seq = first_seq,
		.flags = fresh ? NST_VPU_START_FRESH : 0,
	};
	int r = vpu_call(n, NST_VPU_IOC_START, &start);

	if (r == -ESTALE)
		return nst_home_fail(&n->home, r, "frame %llu is over",
				     (unsigned long long)first_seq);
	if (r)
		return nst_home_fail(&n->home, r, "'%s' cannot start at frame "
				     "%llu: %s", n->path,
				     (unsigned long long)first_seq,
				     strerror(-r));
	return 0;
}

static int near_stop(struct nst_home *h, uint64_t last)
{
	struct near *n = near_of(h);
	struct nst_vpu_stop stop = { .last_seq = last };
	int r;

	if (n->fd < 0)
		return 0;
	r = vpu_call(n, NST_VPU_IOC_STOP, &stop);
	if (r == -ESTALE && last != NST_VPU_NEVER) {
		stop.last_seq = 0;
		r = vpu_call(n, NST_VPU_IOC_STOP, &stop);
	}
	if (r)
		return nst_home_fail(h, r, "'%s' cannot stop: %s", n->path,
				     strerror(-r));
	return 0;
}

/* What was there before is of use when it is for such frames. */
static int near_begin(struct nst_home *h, uint64_t seq)
{
	struct near *n = near_of(h);
	struct nst_vpu_status st;
	int r = near_prepare(h);

	if (!r)
		r = status(n, &st);
	if (r)
		return r;
	/* Runs already; a stop that is not due yet is taken back. */
	if (st.flags & NST_VPU_MINE &&
	    (!(st.flags & NST_VPU_STOPPING) ||
	     !near_stop(h, NST_VPU_NEVER)))
		return 0;
	if (seq <= st.seen_seq)
		seq = 0;
	if (st.flags & NST_VPU_LOADED) {
		n->last_seq = st.last_seq;
		if (!start(n, seq, false))
			return 0;
	}
	n->last_seq = 0;
	return start(n, seq, true);
}

static int near_load(struct nst_home *h, const struct vpu_state *state)
{
	struct near *n = near_of(h);
	ssize_t len;
	int r = near_prepare(h);

	if (!r)
		r = near_stop(h, 0);
	if (r)
		return r;
	len = pwrite(n->fd, state, sizeof(*state), 0);
	if (len != sizeof(*state)) {
		r = len < 0 ? -errno : -EIO;
		return nst_home_fail(h, r, "'%s' does not take the state: %s",
				     n->path, strerror(-r));
	}
	/* One without a frame in it can begin with any. */
	r = start(n, state->frames ? state->last_seq + 1 : 0, false);
	if (!r)
		n->last_seq = state->last_seq;
	return r;
}

static int near_state(struct nst_home *h, struct vpu_state *ret)
{
	struct near *n = near_of(h);
	ssize_t len = pread(n->fd, ret, sizeof(*ret), 0);
	int r;

	if (len == sizeof(*ret))
		return 0;
	r = len < 0 ? -errno : -EIO;
	return nst_home_fail(h, r, "'%s' does not give its state: %s", n->path,
			     strerror(-r));
}

static void copy_result(struct vpu_result *to, const struct nst_sim_meta *from)
{
	memset(to, 0, sizeof(*to));
	to->flags = from->vpu_flags;
	to->noise_q8 = from->noise_q8;
	to->pedestal_q8 = from->pedestal_q8;
	to->masked_permyriad = from->masked_permyriad;
	to->saturated_permyriad = from->saturated_permyriad;
	to->blobs = from->blobs;
	to->detections = from->detections < VPU_DETECTIONS_MAX
		? from->detections : VPU_DETECTIONS_MAX;
	for (uint32_t i = 0; i < to->detections; i++) {
		const struct nst_sim_detection *d = &from->detection[i];

		to->detection[i] = (struct vpu_detection){
			.x = d->x, .y = d->y, .w = d->w, .h = d->h,
			.id = d->id, .age = d->age, .seen = d->seen,
		};
	}
}

/* Records of frames that were not its own are passed over. */
static int near_next(struct nst_home *h, struct nst_work *ret)
{
	struct near *n = near_of(h);
	struct nst_nodestream_buffer b;
	struct nst_sim_meta meta;
	int r;

	if (n->capture.fd < 0)
		return -EAGAIN;
	for (;;) {
		r = nst_nodestream_next(&n->capture, &b);
		if (r)
			return r;
		if (b.used < sizeof(meta)) {
			(void)nst_nodestream_give_back(&n->capture, b.index);
			return -EIO;
		}
		memcpy(&meta, b.bytes, sizeof(meta));
		r = nst_nodestream_give_back(&n->capture, b.index);
		if (r)
			return r;
		if (meta.magic != NST_SIM_META_FOURCC ||
		    meta.version != NST_SIM_META_VERSION)
			return -EPROTO;
		if (meta.result != NST_SIM_RESULT_DONE ||
		    meta.seq <= n->last_seq)
			continue;
		n->last_seq = meta.seq;
		ret->seq = meta.seq;
		ret->checksum = meta.state_checksum;
		copy_result(&ret->result, &meta);
		return 0;
	}
}

static void near_close(struct nst_home *h)
{
	struct near *n = near_of(h);

	nst_nodestream_close(&n->capture);
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
}

static const struct nst_home_ops near_ops = {
	.name = "near",
	.prepare = near_prepare,
	.fd = near_fd,
	.begin = near_begin,
	.load = near_load,
	.state = near_state,
	.stop = near_stop,
	.next = near_next,
	.close = near_close,
};

struct nst_home *nst_near_new(const char *vpu, const char *records)
{
	struct near *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->home.ops = &near_ops;
	n->fd = n->capture.fd = -1;
	snprintf(n->path, sizeof(n->path), "%s", vpu);
	snprintf(n->records, sizeof(n->records), "%s", records);
	return &n->home;
}
