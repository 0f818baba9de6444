// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * capture.c - raw frames of a V4L2 capture node, see capture.h
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/videodev2.h>

#include "capture.h"
#include "ioctl.h"
#include "uapi/nst-sim.h"

#define SIM_DRIVER "nst-sim"
#define EXPOSURE_UNIT_US 100
#define TYPE V4L2_BUF_TYPE_VIDEO_CAPTURE

/* Whole values in one or two bytes; packed ones are not measured. */
static const struct {
	u32 fourcc;
	u32 bytes, bits;
} formats[] = {
	{ V4L2_PIX_FMT_Y16, 2, 16 },	 { V4L2_PIX_FMT_Y14, 2, 14 },
	{ V4L2_PIX_FMT_SRGGB14, 2, 14 }, { V4L2_PIX_FMT_SBGGR14, 2, 14 },
	{ V4L2_PIX_FMT_SGRBG14, 2, 14 }, { V4L2_PIX_FMT_SGBRG14, 2, 14 },
	{ V4L2_PIX_FMT_Y12, 2, 12 },	 { V4L2_PIX_FMT_SRGGB12, 2, 12 },
	{ V4L2_PIX_FMT_SBGGR12, 2, 12 }, { V4L2_PIX_FMT_SGRBG12, 2, 12 },
	{ V4L2_PIX_FMT_SGBRG12, 2, 12 }, { V4L2_PIX_FMT_Y10, 2, 10 },
	{ V4L2_PIX_FMT_SRGGB10, 2, 10 }, { V4L2_PIX_FMT_SBGGR10, 2, 10 },
	{ V4L2_PIX_FMT_SGRBG10, 2, 10 }, { V4L2_PIX_FMT_SGBRG10, 2, 10 },
	{ V4L2_PIX_FMT_GREY, 1, 8 },	 { V4L2_PIX_FMT_SRGGB8, 1, 8 },
	{ V4L2_PIX_FMT_SBGGR8, 1, 8 },	 { V4L2_PIX_FMT_SGRBG8, 1, 8 },
	{ V4L2_PIX_FMT_SGBRG8, 1, 8 },
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static void letters(u32 fourcc, char *ret)
{
	for (int i = 0; i < 4; i++) {
		char c = (char)(fourcc >> (8 * i) & 0x7f);

		ret[i] = c >= ' ' ? c : '?';
	}
	ret[4] = '\0';
	/* "Y10 " is called Y10 */
	while (*ret && ret[strlen(ret) - 1] == ' ')
		ret[strlen(ret) - 1] = '\0';
}

/* ------------------------------------------------------------- controls */

static int get_control(const struct nst_capture *c, u32 id, s32 *ret)
{
	struct v4l2_control ctrl = { .id = id };
	int r = nst_ioctl(c->fd, VIDIOC_G_CTRL, &ctrl);

	if (!r)
		*ret = ctrl.value;
	return r;
}

/* What was there is remembered the first time. */
static int set_control(struct nst_capture *c, u32 id, s32 value)
{
	struct v4l2_control ctrl = { .id = id, .value = value };
	bool known = false;
	s32 was;

	for (u32 i = 0; i < c->saves; i++)
		known = known || c->saved[i].id == id;
	if (!known && c->saves < NST_CAPTURE_SAVED_MAX &&
	    !get_control(c, id, &was))
		c->saved[c->saves++] = (struct nst_capture_saved){ id, was };
	return nst_ioctl(c->fd, VIDIOC_S_CTRL, &ctrl);
}

static bool query(const struct nst_capture *c, u32 id,
		  struct v4l2_queryctrl *ret)
{
	*ret = (struct v4l2_queryctrl){ .id = id };
	return !nst_ioctl(c->fd, VIDIOC_QUERYCTRL, ret) &&
	       !(ret->flags & (V4L2_CTRL_FLAG_DISABLED |
			       V4L2_CTRL_FLAG_READ_ONLY));
}

static void find_controls(struct nst_capture *c, bool sim)
{
	struct v4l2_queryctrl q;
	s32 rows;

	/* Manual before the rest: a driver may refuse values until then. */
	if (query(c, V4L2_CID_EXPOSURE_AUTO, &q))
		(void)set_control(c, q.id, V4L2_EXPOSURE_MANUAL);
	if (query(c, V4L2_CID_AUTOGAIN, &q))
		(void)set_control(c, q.id, 0);
	if (query(c, V4L2_CID_ISO_SENSITIVITY_AUTO, &q))
		(void)set_control(c, q.id, V4L2_ISO_SENSITIVITY_MANUAL);
	if (query(c, V4L2_CID_AUTO_WHITE_BALANCE, &q))
		(void)set_control(c, q.id, 0);
	if (query(c, V4L2_CID_EXPOSURE_ABSOLUTE, &q))
		c->exposure_id = q.id;
	if (query(c, V4L2_CID_ISO_SENSITIVITY, &q) &&
	    q.type == V4L2_CTRL_TYPE_INTEGER_MENU) {
		c->gain_id = q.id;
		c->iso_is_menu = true;
	} else if (query(c, V4L2_CID_ANALOGUE_GAIN, &q)) {
		c->gain_id = q.id;
	} else if (query(c, V4L2_CID_GAIN, &q)) {
		c->gain_id = q.id;
	}
	if (!sim)
		return;
	c->scenes = query(c, V4L2_CID_TEST_PATTERN, &q);
	/* Else white is the same at any exposure. */
	(void)set_control(c, NST_SIM_CID_AUTO_IRIS, 0);
	if (!get_control(c, NST_SIM_CID_DARK_ROWS, &rows) && rows >= 0)
		c->dark_rows = (u32)rows;
	else
		c->dark_rows = NST_SIM_DARK_ROWS;
}

static int menu_iso(const struct nst_capture *c, u32 index, u32 *ret)
{
	struct v4l2_querymenu menu = { .id = c->gain_id, .index = index };
	int r = nst_ioctl(c->fd, VIDIOC_QUERYMENU, &menu);

	if (r)
		return r;
	if (menu.value <= 0 || menu.value > UINT32_MAX)
		return -ERANGE;
	*ret = (u32)((menu.value + 500) / 1000);
	return 0;
}

int nst_capture_gains(struct nst_capture *c, u32 *ret_min, u32 *ret_max)
{
	struct v4l2_queryctrl q;

	if (c->fd < 0 || !c->gain_id || !query(c, c->gain_id, &q) ||
	    q.minimum < 0)
		return -ENOTSUP;
	*ret_min = (u32)q.minimum;
	*ret_max = (u32)q.maximum;
	return 0;
}

u32 nst_capture_exposure_max_us(struct nst_capture *c)
{
	struct v4l2_queryctrl q;

	if (c->fd < 0 || !query(c, c->exposure_id, &q) || q.maximum < 1)
		return 0;
	return (u32)q.maximum * EXPOSURE_UNIT_US;
}

int nst_capture_set(struct nst_capture *c, u32 exposure_us, u32 gain,
		    u32 *ret_exposure_us, u32 *ret_iso)
{
	u32 units = (exposure_us + EXPOSURE_UNIT_US / 2) / EXPOSURE_UNIT_US;
	s32 value;
	int r;

	if (c->fd < 0)
		return -ENODEV;
	if (units < 1)
		units = 1;
	r = set_control(c, c->exposure_id, (s32)units);
	if (!r)
		r = get_control(c, c->exposure_id, &value);
	if (r)
		return r;
	if (value < 1)
		return -ERANGE;
	*ret_exposure_us = (u32)value * EXPOSURE_UNIT_US;
	*ret_iso = 0;
	if (!c->gain_id)
		return 0;
	r = set_control(c, c->gain_id, (s32)gain);
	if (!r)
		r = get_control(c, c->gain_id, &value);
	if (r)
		return r;
	if (value < 0)
		return -ERANGE;
	*ret_iso = (u32)value;
	return c->iso_is_menu ? menu_iso(c, (u32)value, ret_iso) : 0;
}

int nst_capture_show(struct nst_capture *c, enum nst_capture_scene scene)
{
	static const s32 pattern[] = {
		[NST_CAPTURE_SCENE] = NST_SIM_PATTERN_SCENE,
		[NST_CAPTURE_DARK] = NST_SIM_PATTERN_DARK,
		[NST_CAPTURE_FLAT] = NST_SIM_PATTERN_FLAT,
	};

	if (c->fd < 0)
		return -ENODEV;
	if (!c->scenes)
		return -ENOTSUP;
	return set_control(c, V4L2_CID_TEST_PATTERN, pattern[scene]);
}

/* --------------------------------------------------------------- format */

static int format_of(const struct nst_capture *c, u32 *ret_at, char *list,
		     size_t size)
{
	size_t len = 0, best = FORMATS;
	char text[8];

	*list = '\0';
	for (u32 i = 0;; i++) {
		struct v4l2_fmtdesc desc = { .index = i, .type = TYPE };
		int n;

		if (nst_ioctl(c->fd, VIDIOC_ENUM_FMT, &desc))
			break;
		letters(desc.pixelformat, text);
		n = snprintf(list + len, size - len, "%s%s", len ? ", " : "",
			     text);
		if (n > 0 && (size_t)n < size - len)
			len += (size_t)n;
		for (size_t k = 0; k < best; k++)
			if (formats[k].fourcc == desc.pixelformat)
				best = k;
	}
	*ret_at = (u32)best;
	return best < FORMATS ? 0 : -ENOTSUP;
}

static int set_format(struct nst_capture *c, u32 at)
{
	struct v4l2_format f = { .type = TYPE };
	int r = nst_ioctl(c->fd, VIDIOC_G_FMT, &f);

	if (r)
		return r;
	if (f.fmt.pix.pixelformat != formats[at].fourcc)
		c->found_fourcc = f.fmt.pix.pixelformat;
	f.fmt.pix.pixelformat = formats[at].fourcc;
	f.fmt.pix.field = V4L2_FIELD_NONE;
	f.fmt.pix.bytesperline = 0;
	f.fmt.pix.sizeimage = 0;
	r = nst_ioctl(c->fd, VIDIOC_S_FMT, &f);
	if (r)
		return r;
	if (f.fmt.pix.pixelformat != formats[at].fourcc)
		return -ENOTSUP;
	letters(f.fmt.pix.pixelformat, c->format);
	c->width = f.fmt.pix.width;
	c->height = f.fmt.pix.height;
	c->stride = f.fmt.pix.bytesperline;
	c->size = f.fmt.pix.sizeimage;
	c->bytes = formats[at].bytes;
	c->bits = formats[at].bits;
	return c->stride / c->bytes < c->width ? -EPROTO : 0;
}

static int open_node(struct nst_capture *c, const char *node,
		     struct v4l2_capability *cap)
{
	u32 caps;
	int r;

	c->fd = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (c->fd < 0)
		return errno == ENOENT || errno == ENXIO ? -ENODEV : -errno;
	r = nst_ioctl(c->fd, VIDIOC_QUERYCAP, cap);
	if (r)
		return r;
	caps = cap->capabilities & V4L2_CAP_DEVICE_CAPS ? cap->device_caps
							: cap->capabilities;
	if (!(caps & V4L2_CAP_VIDEO_CAPTURE) || !(caps & V4L2_CAP_STREAMING))
		return -ENOTTY;
	snprintf(c->node, sizeof(c->node), "%s", node);
	snprintf(c->card, sizeof(c->card), "%.32s", (const char *)cap->card);
	return 0;
}

int nst_capture_open(struct nst_capture *c, const char *node, char *why,
		     size_t why_size)
{
	struct v4l2_capability cap = { 0 };
	char list[160];
	u32 at;
	int r;

	*c = (struct nst_capture){ .fd = -1 };
	snprintf(why, why_size, "%s cannot be opened as a camera", node);
	r = open_node(c, node, &cap);
	if (r)
		goto fail;
	r = format_of(c, &at, list, sizeof(list));
	if (r) {
		snprintf(why, why_size,
			 "%s has no raw format that can be measured; it has %s, valid are GREY, Y10, Y12, Y14, Y16 and unpacked Bayer of 8 to 14 bits",
			 node, *list ? list : "none");
		goto fail;
	}
	r = set_format(c, at);
	if (r) {
		snprintf(why, why_size, "%s does not take the format%s", node,
			 r == -EBUSY ? ", another program streams from it"
				     : "");
		goto fail;
	}
	find_controls(c, !strncmp((const char *)cap.driver, SIM_DRIVER,
				  sizeof(cap.driver)));
	if (!c->exposure_id) {
		snprintf(why, why_size,
			 "%s has no control exposure_time_absolute, without which no exposure can be chosen",
			 node);
		r = -ENOTSUP;
		goto fail;
	}
	*why = '\0';
	return 0;
fail:
	nst_capture_close(c);
	return r;
}

static void restore_format(struct nst_capture *c)
{
	struct v4l2_format f = { .type = TYPE };

	if (!c->found_fourcc || nst_ioctl(c->fd, VIDIOC_G_FMT, &f))
		return;
	f.fmt.pix.pixelformat = c->found_fourcc;
	f.fmt.pix.bytesperline = 0;
	f.fmt.pix.sizeimage = 0;
	(void)nst_ioctl(c->fd, VIDIOC_S_FMT, &f);
}

void nst_capture_close(struct nst_capture *c)
{
	if (c->fd < 0)
		return;
	nst_capture_stop(c);
	restore_format(c);
	/* last set first: what made others writable goes last */
	while (c->saves) {
		const struct nst_capture_saved *s = &c->saved[--c->saves];
		struct v4l2_control ctrl = { .id = s->id, .value = s->value };

		(void)nst_ioctl(c->fd, VIDIOC_S_CTRL, &ctrl);
	}
	close(c->fd);
	c->fd = -1;
}

/* --------------------------------------------------------------- frames */

static int queue(struct nst_capture *c, u32 index)
{
	struct v4l2_buffer b = { .type = TYPE, .memory = V4L2_MEMORY_MMAP,
				 .index = index };

	return nst_ioctl(c->fd, VIDIOC_QBUF, &b);
}

static int map_buffers(struct nst_capture *c)
{
	struct v4l2_requestbuffers req = { .count = NST_CAPTURE_BUFFERS,
					   .type = TYPE,
					   .memory = V4L2_MEMORY_MMAP };
	int r = nst_ioctl(c->fd, VIDIOC_REQBUFS, &req);

	if (r)
		return r;
	if (req.count < 2 || req.count > NST_CAPTURE_BUFFERS)
		return -ENOMEM;
	for (u32 i = 0; i < req.count; i++) {
		struct v4l2_buffer b = { .type = TYPE, .index = i,
					 .memory = V4L2_MEMORY_MMAP };
		void *p;

		r = nst_ioctl(c->fd, VIDIOC_QUERYBUF, &b);
		if (r)
			return r;
		p = mmap(NULL, b.length, PROT_READ, MAP_SHARED, c->fd,
			 (off_t)b.m.offset);
		if (p == MAP_FAILED)
			return -errno;
		c->map[i] = p;
		c->map_len[i] = b.length;
		c->buffers = i + 1;
	}
	return 0;
}

int nst_capture_start(struct nst_capture *c)
{
	int type = TYPE, r;

	if (c->fd < 0)
		return -ENODEV;
	if (c->streaming)
		return 0;
	r = map_buffers(c);
	for (u32 i = 0; !r && i < c->buffers; i++)
		r = queue(c, i);
	if (!r)
		r = nst_ioctl(c->fd, VIDIOC_STREAMON, &type);
	c->streaming = !r;
	if (r)
		nst_capture_stop(c);
	return r;
}

void nst_capture_stop(struct nst_capture *c)
{
	struct v4l2_requestbuffers none = { .type = TYPE,
					    .memory = V4L2_MEMORY_MMAP };
	int type = TYPE;

	if (c->fd < 0)
		return;
	if (c->streaming)
		(void)nst_ioctl(c->fd, VIDIOC_STREAMOFF, &type);
	c->streaming = false;
	for (u32 i = 0; i < c->buffers; i++)
		munmap(c->map[i], c->map_len[i]);
	if (c->buffers)
		(void)nst_ioctl(c->fd, VIDIOC_REQBUFS, &none);
	c->buffers = 0;
}

int nst_capture_next(struct nst_capture *c, int timeout_ms,
		     struct nst_capture_frame *ret)
{
	struct v4l2_buffer b = { .type = TYPE, .memory = V4L2_MEMORY_MMAP };
	struct pollfd p = { .fd = c->fd, .events = POLLIN };
	int r;

	if (c->fd < 0)
		return -ENODEV;
	if (poll(&p, 1, timeout_ms) <= 0)
		return -EAGAIN;
	r = nst_ioctl(c->fd, VIDIOC_DQBUF, &b);
	if (r)
		/* a node that has gone says POLLERR, then this */
		return r == -EINVAL ? -ENODEV : r;
	if (b.index >= c->buffers)
		return -EPROTO;
	if (b.flags & V4L2_BUF_FLAG_ERROR) {
		r = queue(c, b.index);
		return r ? r : -EIO;
	}
	*ret = (struct nst_capture_frame){
		.pixels = c->map[b.index],
		.size = b.bytesused < c->map_len[b.index]
			? b.bytesused : c->map_len[b.index],
		.t_us = (u64)b.timestamp.tv_sec * 1000000 +
			(u64)b.timestamp.tv_usec,
		.seq = b.sequence,
		.index = b.index,
		.at_start = (b.flags & V4L2_BUF_FLAG_TSTAMP_SRC_MASK) ==
			    V4L2_BUF_FLAG_TSTAMP_SRC_SOE,
	};
	return 0;
}

int nst_capture_give_back(struct nst_capture *c,
			  const struct nst_capture_frame *frame)
{
	return queue(c, frame->index);
}
