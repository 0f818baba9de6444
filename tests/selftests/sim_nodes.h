/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim_nodes.h - the nodes of an emulated stack, for the sim_*.c selftests
 *
 * One queue of one node with its buffers mapped, on the step clock or off it.
 * What has to work for a test to be a test ends the program when it does not.
 */
#ifndef NST_SIM_NODES_H
#define NST_SIM_NODES_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/videodev2.h>

#include "uapi/nst-sim.h"
#include "uapi/nst.h"

#define NODE_BUFFERS_MAX 16

struct node {
	int fd;
	uint32_t type;
	unsigned int buffers;
	void *map[NODE_BUFFERS_MAX];
	uint32_t length[NODE_BUFFERS_MAX];
	struct v4l2_pix_format pix;
};

static inline void fatal(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(2);
}

static int failures __attribute__((unused));

/* A line of KTAP without its number; sim_lib.inc counts. */
static inline bool judge(bool good, const char *name)
{
	printf("%s %s\n", good ? "ok" : "not ok", name);
	fflush(stdout);
	if (!good)
		failures++;
	return good;
}

static inline bool is_errno(int result, int want, const char *name)
{
	int got = result < 0 ? errno : 0;

	if (got != want)
		printf("# %s: want %s, got %s\n", name, strerrorname_np(want),
		       strerrorname_np(got));
	return judge(got == want, name);
}

static inline int xopen(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		fatal(path);
	return fd;
}

/* Text to a file of sysfs or debugfs. */
static inline int put(const char *dir, const char *name, const char *text)
{
	char path[512];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = xopen(path, O_WRONLY);
	n = write(fd, text, strlen(text));
	close(fd);
	return n < 0 ? -1 : 0;
}

static inline void advance_us(const char *sim, unsigned long us)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", us);
	if (put(sim, "advance_us", text))
		fatal("advance_us");
}

static inline void node_open(struct node *node, const char *path, uint32_t type)
{
	memset(node, 0, sizeof(*node));
	node->type = type;
	/* A node without a frame yet is asked again, never waited for. */
	node->fd = xopen(path, O_RDWR | O_NONBLOCK);
}

static inline int node_format(struct node *node, uint32_t width,
			      uint32_t height, uint32_t fourcc)
{
	struct v4l2_format f = { .type = node->type };

	f.fmt.pix.width = width;
	f.fmt.pix.height = height;
	f.fmt.pix.pixelformat = fourcc;
	if (ioctl(node->fd, VIDIOC_S_FMT, &f))
		return -1;
	node->pix = f.fmt.pix;
	return 0;
}

static inline int node_ask(struct node *node, unsigned long what,
			   unsigned int index, uint32_t bytes, uint32_t *seq)
{
	struct v4l2_buffer b = {
		.type = node->type, .memory = V4L2_MEMORY_MMAP,
		.index = index, .bytesused = bytes,
		.field = V4L2_FIELD_NONE,
	};

	if (ioctl(node->fd, what, &b))
		return -1;
	if (seq)
		*seq = b.sequence;
	return (int)b.index;
}

static inline int node_queue(struct node *node, unsigned int index)
{
	return node_ask(node, VIDIOC_QBUF, index, node->length[index], NULL);
}

/* The next finished buffer: its index, or -1 with errno. */
static inline int node_take(struct node *node, uint32_t *seq)
{
	return node_ask(node, VIDIOC_DQBUF, 0, 0, seq);
}

static inline void node_map(struct node *node, unsigned int buffers)
{
	struct v4l2_requestbuffers r = {
		.count = buffers, .type = node->type,
		.memory = V4L2_MEMORY_MMAP,
	};

	if (ioctl(node->fd, VIDIOC_REQBUFS, &r) || r.count > NODE_BUFFERS_MAX)
		fatal("REQBUFS");
	node->buffers = r.count;
	for (unsigned int i = 0; i < r.count; i++) {
		struct v4l2_buffer b = {
			.type = node->type, .memory = V4L2_MEMORY_MMAP,
			.index = i,
		};

		if (ioctl(node->fd, VIDIOC_QUERYBUF, &b))
			fatal("QUERYBUF");
		node->length[i] = b.length;
		node->map[i] = mmap(NULL, b.length, PROT_READ | PROT_WRITE,
				    MAP_SHARED, node->fd, b.m.offset);
		if (node->map[i] == MAP_FAILED)
			fatal("mmap");
	}
}

static inline void node_start(struct node *node)
{
	int type = (int)node->type;

	if (ioctl(node->fd, VIDIOC_STREAMON, &type))
		fatal("STREAMON");
}

static inline void node_queue_all(struct node *node)
{
	for (unsigned int i = 0; i < node->buffers; i++)
		if (node_queue(node, i) < 0)
			fatal("QBUF");
}

static inline void node_stop(struct node *node)
{
	int type = (int)node->type;

	if (ioctl(node->fd, VIDIOC_STREAMOFF, &type))
		fatal("STREAMOFF");
}

static inline void node_close(struct node *node)
{
	for (unsigned int i = 0; i < node->buffers; i++)
		munmap(node->map[i], node->length[i]);
	close(node->fd);
}

/* Waits for a buffer of a node whose time somebody else moves. */
static inline int node_wait(struct node *node, uint32_t *seq)
{
	struct pollfd p = { .fd = node->fd, .events = POLLIN | POLLOUT };

	for (;;) {
		int i = node_take(node, seq);

		if (i >= 0 || errno != EAGAIN)
			return i;
		if (poll(&p, 1, 20000) != 1) {
			errno = ETIMEDOUT;
			return -1;
		}
		if (p.revents & POLLERR) {
			errno = ENODEV;
			return -1;
		}
	}
}

#endif /* NST_SIM_NODES_H */
