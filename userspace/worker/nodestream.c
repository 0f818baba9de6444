// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* nodestream.c - buffers of a V4L2 node: see nodestream.h */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ioctl.h"
#include "nodestream.h"

static uint32_t type_of(const struct nst_nodestream *c)
{
	return c->records ? V4L2_BUF_TYPE_META_CAPTURE
			  : V4L2_BUF_TYPE_VIDEO_CAPTURE;
}

/* ----------------------------------------------------------------- find */

/* @card: NULL for any. Return: the open node, or -errno. */
static int try_node(const char *node, const char *card, bool records)
{
	struct v4l2_capability cap = { 0 };
	int fd = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	uint32_t wanted = records ? V4L2_CAP_META_CAPTURE
				  : V4L2_CAP_VIDEO_CAPTURE;
	int r;

	if (fd < 0)
		return errno == ENOENT || errno == ENXIO ? -ENODEV : -errno;
	r = nst_ioctl(fd, VIDIOC_QUERYCAP, &cap);
	if (!r && card && strcmp((const char *)cap.card, card))
		r = -ENODEV;
	if (!r && (!(cap.device_caps & wanted) ||
		   !(cap.device_caps & V4L2_CAP_STREAMING)))
		r = card ? -ENODEV : -ENOTSUP;
	if (!r)
		return fd;
	close(fd);
	return r == -ENOTTY ? -ENOTSUP : r;
}

static int find_card(struct nst_nodestream *c, const char *card)
{
	DIR *dir = opendir("/dev");
	struct dirent *e;
	int fd = -ENODEV;

	if (!dir)
		return -errno;
	while (fd < 0 && (e = readdir(dir))) {
		if (strncmp(e->d_name, "video", 5) ||
		    snprintf(c->node, sizeof(c->node), "/dev/%s", e->d_name) >=
		    (int)sizeof(c->node))
			continue;
		fd = try_node(c->node, card, c->records);
	}
	closedir(dir);
	return fd < 0 ? -ENODEV : fd;
}

static int find(struct nst_nodestream *c, const char *selector)
{
	if (!strncmp(selector, "card:", 5))
		return find_card(c, selector + 5);
	if (selector[0] != '/' || strlen(selector) >= sizeof(c->node))
		return -EINVAL;
	strcpy(c->node, selector);
	return try_node(c->node, NULL, c->records);
}

/* --------------------------------------------------------------- format */

static uint32_t bits_of(uint32_t fourcc)
{
	switch (fourcc) {
	case V4L2_PIX_FMT_GREY:
		return 8;
	case V4L2_PIX_FMT_Y10:
		return 10;
	case V4L2_PIX_FMT_Y12:
		return 12;
	case V4L2_PIX_FMT_Y16:
		return 16;
	default:
		return 0;
	}
}

static int get_format(struct nst_nodestream *c)
{
	struct v4l2_format f = { .type = type_of(c) };
	int r = nst_ioctl(c->fd, VIDIOC_G_FMT, &f);

	if (r)
		return r;
	if (c->records) {
		c->fourcc = f.fmt.meta.dataformat;
		return 0;
	}
	c->width = f.fmt.pix.width;
	c->height = f.fmt.pix.height;
	c->stride = f.fmt.pix.bytesperline;
	c->bits = bits_of(f.fmt.pix.pixelformat);
	return c->bits ? 0 : -ENOTSUP;
}

/* -------------------------------------------------------------- buffers */

static int map_buffer(struct nst_nodestream *c, unsigned int index)
{
	struct v4l2_buffer b = {
		.index = index, .type = type_of(c),
		.memory = V4L2_MEMORY_MMAP,
	};
	int r = nst_ioctl(c->fd, VIDIOC_QUERYBUF, &b);
	void *map;

	if (r)
		return r;
	if (!c->records && b.length < (size_t)c->stride * c->height)
		return -EIO;
	map = mmap(NULL, b.length, PROT_READ, MAP_SHARED, c->fd, b.m.offset);
	if (map == MAP_FAILED)
		return -errno;
	c->map[index] = map;
	c->size = b.length;
	return nst_nodestream_give_back(c, index);
}

static int start(struct nst_nodestream *c)
{
	struct v4l2_requestbuffers req = {
		.count = NST_NODESTREAM_BUFFERS, .type = type_of(c),
		.memory = V4L2_MEMORY_MMAP,
	};
	uint32_t type = type_of(c);
	int r = nst_ioctl(c->fd, VIDIOC_REQBUFS, &req);

	if (r)
		return r;
	c->buffers = req.count < NST_NODESTREAM_BUFFERS ? req.count
						     : NST_NODESTREAM_BUFFERS;
	for (unsigned int i = 0; i < c->buffers && !r; i++)
		r = map_buffer(c, i);
	if (!r)
		r = nst_ioctl(c->fd, VIDIOC_STREAMON, &type);
	c->streaming = !r;
	return r;
}

int nst_nodestream_open(struct nst_nodestream *c, const char *selector,
		     bool records)
{
	int r;

	*c = (struct nst_nodestream){ .fd = -1, .records = records };
	r = find(c, selector);
	if (r < 0)
		return r;
	c->fd = r;
	r = get_format(c);
	if (!r)
		r = start(c);
	if (r)
		nst_nodestream_close(c);
	return r;
}

void nst_nodestream_close(struct nst_nodestream *c)
{
	uint32_t type = type_of(c);

	if (c->fd < 0)
		return;
	if (c->streaming)
		(void)nst_ioctl(c->fd, VIDIOC_STREAMOFF, &type);
	c->streaming = false;
	for (unsigned int i = 0; i < c->buffers; i++)
		if (c->map[i])
			munmap(c->map[i], c->size);
	memset(c->map, 0, sizeof(c->map));
	c->buffers = 0;
	close(c->fd);
	c->fd = -1;
}

int nst_nodestream_next(struct nst_nodestream *c, struct nst_nodestream_buffer *ret)
{
	struct v4l2_buffer b = {
		.type = type_of(c), .memory = V4L2_MEMORY_MMAP,
	};
	size_t least = c->records ? 1 : (size_t)c->stride * c->height;
	int r = nst_ioctl(c->fd, VIDIOC_DQBUF, &b);

	if (r)
		return r;
	if (b.index >= c->buffers)
		return -EIO;
	if (b.flags & V4L2_BUF_FLAG_ERROR || b.bytesused < least) {
		r = nst_nodestream_give_back(c, b.index);
		return r ? r : -EIO;
	}
	*ret = (struct nst_nodestream_buffer){
		.index = b.index,
		.sequence = b.sequence,
		.used = b.bytesused,
		.bytes = c->map[b.index],
	};
	return 0;
}

int nst_nodestream_give_back(struct nst_nodestream *c, unsigned int index)
{
	struct v4l2_buffer b = {
		.index = index, .type = type_of(c),
		.memory = V4L2_MEMORY_MMAP,
	};

	return nst_ioctl(c->fd, VIDIOC_QBUF, &b);
}
