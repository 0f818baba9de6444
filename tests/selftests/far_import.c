// SPDX-License-Identifier: GPL-2.0-only
/*
 * far_import VIDEO NODE FRAMES
 *
 * Streams frames and takes each by userspace/backends/import.h, NODE "" for
 * none. Prints "why TEXT" where frames are copied, and last "frames N
 * imports N copies N differ N handles N": frames whose bytes are not those
 * of the camera's own mapping, and buffers that are objects of the node.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/videodev2.h>

#include "import.h"

#define BUFFERS 4

static void *map[BUFFERS];
static size_t length;

static int queue(int fd, unsigned int index, unsigned long what,
		 struct v4l2_buffer *b)
{
	memset(b, 0, sizeof(*b));
	b->type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	b->memory = V4L2_MEMORY_MMAP;
	b->index = index;
	return ioctl(fd, what, b);
}

static int start(int fd)
{
	struct v4l2_requestbuffers r = {
		.count = BUFFERS, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_MMAP,
	};
	struct v4l2_buffer b;

	if (ioctl(fd, VIDIOC_REQBUFS, &r) || r.count != BUFFERS)
		return -1;
	for (unsigned int i = 0; i < BUFFERS; i++) {
		if (queue(fd, i, VIDIOC_QUERYBUF, &b))
			return -1;
		length = b.length;
		map[i] = mmap(NULL, b.length, PROT_READ, MAP_SHARED, fd,
			      b.m.offset);
		if (map[i] == MAP_FAILED || queue(fd, i, VIDIOC_QBUF, &b))
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long wanted = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	unsigned long frames, differ = 0, handles = 0;
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	struct nst_import im;
	struct v4l2_buffer b;
	const void *pixels;
	char why[128];
	int fd, r;

	fd = wanted ? open(argv[1], O_RDWR) : -1;
	if (fd < 0 || start(fd)) {
		fprintf(stderr, "usage: far_import VIDEO NODE FRAMES\n");
		return 2;
	}
	r = nst_import_open(&im, fd, BUFFERS, length, argv[2]);
	if (r || ioctl(fd, VIDIOC_STREAMON, &type)) {
		fprintf(stderr, "%s\n", strerror(r ? -r : errno));
		return 1;
	}
	for (unsigned int i = 0; i < BUFFERS; i++)
		handles += !!nst_import_handle(&im, i);
	for (frames = 0; frames < wanted; frames++) {
		if (queue(fd, 0, VIDIOC_DQBUF, &b))
			break;
		pixels = nst_import_begin(&im, b.index, map[b.index]);
		differ += !!memcmp(pixels, map[b.index], length);
		nst_import_end(&im, b.index);
		if (queue(fd, b.index, VIDIOC_QBUF, &b))
			break;
	}
	if (frames < wanted)
		printf("ended by %s\n", strerrorname_np(errno));
	if (nst_import_why(&im, why, sizeof(why)))
		printf("why %s\n", why);
	printf("frames %lu imports %llu copies %llu differ %lu handles %lu\n",
	       frames, (unsigned long long)im.imports,
	       (unsigned long long)im.copies, differ, handles);
	nst_import_close(&im);
	for (unsigned int i = 0; i < BUFFERS; i++)
		munmap(map[i], length);
	close(fd);
	return 0;
}
