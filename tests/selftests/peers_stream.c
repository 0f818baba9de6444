// SPDX-License-Identifier: GPL-2.0-only
/*
 * peers_stream.c - peers_stream VIDEO ROUNDS: stop and start, as users report
 * that it breaks elsewhere
 *
 * Each round asks for another format, streams a frame, stops, and gives the
 * buffers back. Between them: a stop without a start, a start and a stop
 * twice, a start that fails, a stop with all buffers queued. Prints KTAP.
 * Sums up what failed by the errno and the round of the first time.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/videodev2.h>

#define BUFFERS 3
#define FORMATS_MAX 8

static int fd;
static unsigned int count;
static int failed;

static void ok(int good, const char *name)
{
	count++;
	printf("%sok %u %s\n", good ? "" : "not ", count, name);
	failed |= !good;
}

static int xioctl(unsigned long what, void *arg)
{
	int r;

	do {
		r = ioctl(fd, what, arg);
	} while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

static int stream(int on)
{
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;

	return xioctl(on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}

static int buffers(unsigned int n)
{
	struct v4l2_requestbuffers r = {
		.count = n, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_MMAP,
	};
	int err = xioctl(VIDIOC_REQBUFS, &r);

	return err ? err : r.count == n ? 0 : -ENOSPC;
}

static int queue_all(void)
{
	for (unsigned int i = 0; i < BUFFERS; i++) {
		struct v4l2_buffer b = {
			.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
			.memory = V4L2_MEMORY_MMAP, .index = i,
		};
		int err = xioctl(VIDIOC_QBUF, &b);

		if (err)
			return err;
	}
	return 0;
}

/* One frame of the size that was agreed upon. */
static int frame(unsigned int size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct v4l2_buffer b = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_MMAP,
	};
	int err;

	if (poll(&p, 1, 10000) != 1)
		return -ETIMEDOUT;
	err = xioctl(VIDIOC_DQBUF, &b);
	if (err)
		return err;
	return b.bytesused == size && !(b.flags & V4L2_BUF_FLAG_ERROR)
		? 0 : -EBADMSG;
}

static unsigned int formats(struct v4l2_format *ret)
{
	struct v4l2_fmtdesc desc = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE };
	unsigned int n = 0;

	for (; !xioctl(VIDIOC_ENUM_FMT, &desc); desc.index++) {
		struct v4l2_frmsizeenum size = {
			.pixel_format = desc.pixelformat,
		};

		for (; n < FORMATS_MAX &&
		     !xioctl(VIDIOC_ENUM_FRAMESIZES, &size); size.index++) {
			ret[n] = (struct v4l2_format){
				.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
			};
			ret[n].fmt.pix.width = size.discrete.width;
			ret[n].fmt.pix.height = size.discrete.height;
			ret[n++].fmt.pix.pixelformat = desc.pixelformat;
		}
	}
	return n;
}

static int one_round(const struct v4l2_format *want)
{
	struct v4l2_format f = *want;
	int err;

	err = xioctl(VIDIOC_S_FMT, &f);
	if (!err && (f.fmt.pix.width != want->fmt.pix.width ||
		     f.fmt.pix.height != want->fmt.pix.height))
		err = -ERANGE;
	if (!err)
		err = buffers(BUFFERS);
	if (!err)
		err = queue_all();
	if (!err)
		err = stream(1);
	if (!err)
		err = frame(f.fmt.pix.sizeimage);
	if (!err)
		err = stream(0);
	if (!err)
		err = buffers(0);
	return err;
}

int main(int argc, char **argv)
{
	struct v4l2_buffer b = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
				 .memory = V4L2_MEMORY_MMAP };
	struct v4l2_format fmt[FORMATS_MAX];
	unsigned int n, i, rounds;
	int err = 0;

	fd = argc == 3 ? open(argv[1], O_RDWR | O_NONBLOCK) : -1;
	n = fd < 0 ? 0 : formats(fmt);
	if (!n) {
		fprintf(stderr, "usage: peers_stream VIDEO ROUNDS\n");
		return 2;
	}
	rounds = (unsigned int)atoi(argv[2]);
	printf("KTAP version 1\n1..8\n");

	ok(n >= 2, "there are formats to change between");
	ok(!stream(0), "a stop of what is stopped is no error");
	ok(stream(1) == -EINVAL && !stream(0),
	   "a start without buffers fails, the stop after it does not");

	/*
	 * On a clock that only moves while all sleep, the kernel gets round to
	 * taking back what was unmapped when somebody does; without that a
	 * user-mode kernel runs out of the host's mappings.
	 */
	for (i = 0; i < rounds && !err; i++) {
		err = one_round(&fmt[i % n]);
		if (i % 16 == 15)
			usleep(20000);
	}
	if (err)
		printf("# round %u: %s\n", i, strerror(-err));
	printf("# %u rounds, %u formats\n", rounds, n);
	ok(!err && rounds, "stop, change the format, start, again and again");

	err = buffers(BUFFERS);
	if (!err)
		err = queue_all();
	if (!err)
		err = stream(1);
	ok(!err && !stream(1), "a start of what is started is no error");
	ok(!stream(0) && xioctl(VIDIOC_DQBUF, &b) == -EINVAL && !queue_all(),
	   "a stop gives back all buffers");
	ok(!stream(0) && !stream(0) && !queue_all() && !stream(1) &&
	   xioctl(VIDIOC_S_FMT, &fmt[0]) == -EBUSY,
	   "the format of a stream does not change under it");
	ok(!stream(0) && !buffers(0) && !one_round(&fmt[0]),
	   "and after all that it streams");
	close(fd);
	return failed;
}
