// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_cam.c - sim_cam VIDEO: stream until the camera goes away
 *
 * Prints "streaming" after the first frame, then hands buffers back and
 * forth until something fails, and prints the errno of that and of what
 * comes after it: poll events, QUERYCAP, DQBUF. The mapped buffers are read
 * once more at the end; they outlive the device.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/videodev2.h>

#define BUFFERS 3

static const char *name_of(int result)
{
	return result < 0 ? strerrorname_np(errno) : "0";
}

static int queue(int fd, unsigned int index, unsigned long what,
		 struct v4l2_buffer *b)
{
	memset(b, 0, sizeof(*b));
	b->type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	b->memory = V4L2_MEMORY_MMAP;
	b->index = index;
	return ioctl(fd, what, b);
}

int main(int argc, char **argv)
{
	struct v4l2_requestbuffers r = {
		.count = BUFFERS, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_MMAP,
	};
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	const unsigned char *map[BUFFERS];
	size_t length[BUFFERS], at;
	struct v4l2_capability cap;
	unsigned long frames = 0, sum = 0;
	struct v4l2_buffer b;
	struct pollfd pfd;
	unsigned int i;
	int fd;

	fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
	if (fd < 0 || ioctl(fd, VIDIOC_REQBUFS, &r) || r.count != BUFFERS) {
		fprintf(stderr, "usage: sim_cam VIDEO (a capture node)\n");
		return 2;
	}
	for (i = 0; i < BUFFERS; i++) {
		if (queue(fd, i, VIDIOC_QUERYBUF, &b))
			return 2;
		length[i] = b.length;
		map[i] = mmap(NULL, b.length, PROT_READ, MAP_SHARED, fd,
			      b.m.offset);
		if (map[i] == MAP_FAILED || queue(fd, i, VIDIOC_QBUF, &b))
			return 2;
	}
	if (ioctl(fd, VIDIOC_STREAMON, &type))
		return 2;
	for (;;) {
		if (queue(fd, 0, VIDIOC_DQBUF, &b))
			break;
		if (!frames++) {
			puts("streaming");
			fflush(stdout);
		}
		if (queue(fd, b.index, VIDIOC_QBUF, &b))
			break;
	}
	printf("ended by %s\n", strerrorname_np(errno));
	pfd.fd = fd;
	pfd.events = POLLIN;
	poll(&pfd, 1, 1000);
	printf("poll %s\n", pfd.revents & POLLERR ? "POLLERR" : "other");
	printf("querycap %s\n", name_of(ioctl(fd, VIDIOC_QUERYCAP, &cap)));
	printf("dqbuf %s\n", name_of(queue(fd, 0, VIDIOC_DQBUF, &b)));
	for (i = 0; i < BUFFERS; i++)
		for (at = 0; at < length[i]; at += 4096)
			sum += map[i][at];
	for (i = 0; i < BUFFERS; i++)
		munmap((void *)(uintptr_t)map[i], length[i]);
	close(fd);
	printf("frames %lu sum %lu\n", frames, sum);
	return 0;
}
