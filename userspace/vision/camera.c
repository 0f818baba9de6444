// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* camera.c - a V4L2 capture node through libv4l2: see camera.h */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <libv4l2.h>

#include "camera.h"
#include "cleanup.h"
#include "uapi/nst-sim.h"

#define SYS_VIDEO "/sys/class/video4linux"

/* ioctl numbers do not fit the int of some prototypes; libv4l2 takes long. */
static int camera_ioctl(const struct nst_camera *cam, unsigned long request,
			void *arg)
{
	int r;

	do {
		r = v4l2_ioctl(cam->fd, request, arg);
	} while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

/* ----------------------------------------------------------------- find */

static bool node_has_name(const char *node, const char *card)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[sizeof(SYS_VIDEO) + 300];
	char name[NST_CAMERA_TEXT + 64];

	snprintf(path, sizeof(path), SYS_VIDEO "/%s/name", node);
	f = fopen(path, "re");
	if (!f || !fgets(name, sizeof(name), f))
		return false;
	name[strcspn(name, "\n")] = '\0';
	return !strcmp(name, card);
}

static int find_card(const char *card, char *ret, size_t size)
{
	DIR *dir = opendir(SYS_VIDEO);
	struct dirent *e;
	int r = -ENODEV;

	if (!dir)
		return -ENODEV;
	while (r && (e = readdir(dir)))
		if (!strncmp(e->d_name, "video", 5) &&
		    node_has_name(e->d_name, card) &&
		    snprintf(ret, size, "/dev/%s", e->d_name) < (int)size)
			r = 0;
	closedir(dir);
	return r;
}

static int find_node(const char *selector, char *ret, size_t size)
{
	if (!strncmp(selector, "card:", 5))
		return find_card(selector + 5, ret, size);
	if (selector[0] != '/' || strlen(selector) >= size)
		return -EINVAL;
	strcpy(ret, selector);
	return 0;
}

/* ----------------------------------------------------------------- open */

static int open_node(struct nst_camera *cam)
{
	int fd = open(cam->node, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return errno == ENXIO || errno == ENOENT ? -ENODEV : -errno;
	/* Grey is wanted as it is; a conversion could only add to the noise. */
	if (v4l2_fd_open(fd, V4L2_DISABLE_CONVERSION) < 0) {
		int r = -errno;

		close(fd);
		return r == -EINVAL ? -ENOTTY : r;
	}
	cam->fd = fd;
	return 0;
}

static int query(struct nst_camera *cam)
{
	struct v4l2_capability cap = { 0 };
	int r = camera_ioctl(cam, VIDIOC_QUERYCAP, &cap);
	unsigned int caps;

	if (r)
		return -ENOTTY;
	caps = cap.capabilities & V4L2_CAP_DEVICE_CAPS ? cap.device_caps :
							 cap.capabilities;
	if (!(caps & V4L2_CAP_VIDEO_CAPTURE))
		return -ENOTTY;
	if (!(caps & V4L2_CAP_STREAMING))
		return -ENOTSUP;
	snprintf(cam->card, sizeof(cam->card), "%s", (char *)cap.card);
	snprintf(cam->bus, sizeof(cam->bus), "%s", (char *)cap.bus_info);
	return 0;
}

static const struct {
	unsigned int bits;
	unsigned int fourcc;
} greys[] = {
	{ 8, V4L2_PIX_FMT_GREY },
	{ 10, V4L2_PIX_FMT_Y10 },
	{ 12, V4L2_PIX_FMT_Y12 },
	{ 16, V4L2_PIX_FMT_Y16 },
};

static unsigned int grey_of(unsigned int bits)
{
	for (size_t i = 0; i < NST_ARRAY_SIZE(greys); i++)
		if (greys[i].bits == bits)
			return greys[i].fourcc;
	return 0;
}

static int set_format(struct nst_camera *cam,
		      const struct nst_camera_want *want)
{
	struct v4l2_format f = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE };
	unsigned int bits = want->bits ? want->bits : 8;
	unsigned int fourcc = grey_of(bits);
	int r;

	if (!fourcc)
		return -EINVAL;
	r = camera_ioctl(cam, VIDIOC_G_FMT, &f);
	if (r)
		return r;
	f.fmt.pix.pixelformat = fourcc;
	f.fmt.pix.field = V4L2_FIELD_NONE;
	f.fmt.pix.bytesperline = 0;
	f.fmt.pix.sizeimage = 0;
	if (want->width && want->height) {
		f.fmt.pix.width = want->width;
		f.fmt.pix.height = want->height;
	}
	r = camera_ioctl(cam, VIDIOC_S_FMT, &f);
	if (r)
		return r;
	if (f.fmt.pix.pixelformat != fourcc)
		return -ENOTSUP;
	cam->width = f.fmt.pix.width;
	cam->height = f.fmt.pix.height;
	cam->bits = bits;
	cam->stride = f.fmt.pix.bytesperline;
	return 0;
}

static int map_buffers(struct nst_camera *cam)
{
	struct v4l2_requestbuffers req = {
		.count = NST_CAMERA_BUFFERS,
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_MMAP,
	};
	int r = camera_ioctl(cam, VIDIOC_REQBUFS, &req);

	if (r)
		return r;
	if (req.count < 3)
		return -ENOMEM;
	cam->buffers = req.count < NST_CAMERA_BUFFERS ? req.count :
							NST_CAMERA_BUFFERS;
	for (unsigned int i = 0; i < cam->buffers; i++) {
		struct v4l2_buffer b = {
			.index = i,
			.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
			.memory = V4L2_MEMORY_MMAP,
		};
		void *map;

		r = camera_ioctl(cam, VIDIOC_QUERYBUF, &b);
		if (r)
			return r;
		if (b.length < (size_t)cam->stride * cam->height)
			return -EIO;
		map = v4l2_mmap(NULL, b.length, PROT_READ, MAP_SHARED, cam->fd,
				b.m.offset);
		if (map == MAP_FAILED)
			return -errno;
		cam->map[i] = map;
		cam->map_len[i] = b.length;
	}
	return 0;
}

/* A node without such controls, or without events, never changes. */
static void watch_settings(struct nst_camera *cam)
{
	static const unsigned int ids[] = { V4L2_CID_EXPOSURE_ABSOLUTE,
					    V4L2_CID_ANALOGUE_GAIN };

	for (size_t i = 0; i < NST_ARRAY_SIZE(ids); i++) {
		struct v4l2_event_subscription sub = {
			.type = V4L2_EVENT_CTRL,
			.id = ids[i],
			.flags = V4L2_EVENT_SUB_FL_ALLOW_FEEDBACK,
		};

		(void)camera_ioctl(cam, VIDIOC_SUBSCRIBE_EVENT, &sub);
	}
}

int nst_camera_open(struct nst_camera *cam, const char *selector,
		    const struct nst_camera_want *want)
{
	int r;

	*cam = (struct nst_camera){ .fd = -1 };
	r = find_node(selector, cam->node, sizeof(cam->node));
	if (!r)
		r = open_node(cam);
	if (!r)
		r = query(cam);
	if (!r)
		r = set_format(cam, want);
	if (!r)
		r = map_buffers(cam);
	if (r)
		nst_camera_close(cam);
	else
		watch_settings(cam);
	return r;
}

void nst_camera_close(struct nst_camera *cam)
{
	enum v4l2_buf_type type = V4L2_BUF_TYPE_VIDEO_CAPTURE;

	if (cam->fd < 0)
		return;
	if (cam->streaming)
		(void)camera_ioctl(cam, VIDIOC_STREAMOFF, &type);
	cam->streaming = false;
	for (unsigned int i = 0; i < cam->buffers; i++)
		if (cam->map[i])
			v4l2_munmap(cam->map[i], cam->map_len[i]);
	v4l2_close(cam->fd);
	cam->fd = -1;
}

/* --------------------------------------------------------------- stream */

static int queue(struct nst_camera *cam, unsigned int index)
{
	struct v4l2_buffer b = {
		.index = index,
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_MMAP,
	};

	return camera_ioctl(cam, VIDIOC_QBUF, &b);
}

int nst_camera_start(struct nst_camera *cam)
{
	enum v4l2_buf_type type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	int r;

	for (unsigned int i = 0; i < cam->buffers; i++) {
		r = queue(cam, i);
		if (r)
			return r;
	}
	r = camera_ioctl(cam, VIDIOC_STREAMON, &type);
	cam->streaming = !r;
	return r;
}

static bool whole(const struct nst_camera *cam, const struct v4l2_buffer *b)
{
	return b->index < cam->buffers &&
	       b->bytesused >= (size_t)cam->stride * (cam->height - 1) +
			       cam->width * nst_camera_bytes(cam);
}

int nst_camera_next(struct nst_camera *cam, struct nst_camera_frame *ret)
{
	struct v4l2_buffer b = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_MMAP,
	};
	int r = camera_ioctl(cam, VIDIOC_DQBUF, &b);

	if (r)
		return r;
	if (b.flags & V4L2_BUF_FLAG_ERROR || !whole(cam, &b)) {
		(void)queue(cam, b.index);
		return -EIO;
	}
	*ret = (struct nst_camera_frame){
		.seq = b.sequence,
		.index = b.index,
		.pixels = cam->map[b.index],
		.size = b.bytesused,
	};
	return 0;
}

unsigned int nst_camera_bytes(const struct nst_camera *cam)
{
	return cam->bits > 8 ? 2 : 1;
}

void nst_camera_row8(const struct nst_camera *cam,
		     const struct nst_camera_frame *frame, unsigned int y,
		     unsigned char *ret)
{
	const unsigned char *from = frame->pixels + (size_t)y * cam->stride;

	if (cam->bits == 8) {
		memcpy(ret, from, cam->width);
		return;
	}
	for (unsigned int x = 0; x < cam->width; x++)
		ret[x] = (unsigned char)((from[2 * x] | from[2 * x + 1] << 8) >>
					 (cam->bits - 8));
}

int nst_camera_give_back(struct nst_camera *cam,
			 const struct nst_camera_frame *frame)
{
	return queue(cam, frame->index);
}

/* ------------------------------------------------------------- settings */

static bool has_control(const struct nst_camera *cam, unsigned int id)
{
	struct v4l2_queryctrl q = { .id = id };

	return !camera_ioctl(cam, VIDIOC_QUERYCTRL, &q) &&
	       !(q.flags & V4L2_CTRL_FLAG_DISABLED);
}

bool nst_camera_is_sim(const struct nst_camera *cam)
{
	return !strncmp(cam->card, "nst-sim", 7);
}

unsigned int nst_camera_dark_rows(const struct nst_camera *cam)
{
	struct v4l2_control c = { .id = NST_SIM_CID_DARK_ROWS };

	/* The id is a private one: another driver's means something else. */
	if (!nst_camera_is_sim(cam) || !has_control(cam, c.id) ||
	    camera_ioctl(cam, VIDIOC_G_CTRL, &c) || c.value < 2 ||
	    (unsigned int)c.value >= cam->height)
		return 0;
	return (unsigned int)c.value;
}

static unsigned int value_of(const struct nst_camera *cam, unsigned int id)
{
	struct v4l2_control c = { .id = id };

	return !has_control(cam, id) || camera_ioctl(cam, VIDIOC_G_CTRL, &c) ||
	       c.value < 0 ? 0 : (unsigned int)c.value;
}

void nst_camera_get(const struct nst_camera *cam,
		    struct nst_camera_setting *ret)
{
	*ret = (struct nst_camera_setting){
		.exposure_us = value_of(cam, V4L2_CID_EXPOSURE_ABSOLUTE) * 100,
		.iso = value_of(cam, V4L2_CID_ANALOGUE_GAIN),
	};
	if (nst_camera_is_sim(cam))
		ret->lux_milli = value_of(cam, NST_SIM_CID_LIGHT);
}

bool nst_camera_changed(struct nst_camera *cam)
{
	struct v4l2_event e;
	bool changed = false;

	while (!camera_ioctl(cam, VIDIOC_DQEVENT, &e))
		changed |= e.type == V4L2_EVENT_CTRL &&
			   e.u.ctrl.changes & V4L2_EVENT_CTRL_CH_VALUE;
	return changed;
}

static void add(const struct nst_camera *cam, struct v4l2_ext_control *list,
		unsigned int *count, unsigned int id, unsigned int value)
{
	if (has_control(cam, id))
		list[(*count)++] = (struct v4l2_ext_control){
			.id = id, .value = (int)value
		};
}

int nst_camera_set(struct nst_camera *cam,
		   const struct nst_camera_setting *setting)
{
	struct v4l2_ext_control list[3];
	struct v4l2_ext_controls ctrls = {
		.which = V4L2_CTRL_WHICH_CUR_VAL,
		.controls = list,
	};

	add(cam, list, &ctrls.count, V4L2_CID_EXPOSURE_ABSOLUTE,
	    setting->exposure_us / 100);
	add(cam, list, &ctrls.count, V4L2_CID_ANALOGUE_GAIN, setting->iso);
	if (nst_camera_is_sim(cam))
		add(cam, list, &ctrls.count, NST_SIM_CID_LIGHT,
		    setting->lux_milli);
	if (!ctrls.count)
		return 0;
	return camera_ioctl(cam, VIDIOC_S_EXT_CTRLS, &ctrls);
}
