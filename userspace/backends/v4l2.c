// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * v4l2.c - exposure, gain, frame time and light of a video node, see v4l2.h
 *
 * Exposure is V4L2_CID_EXPOSURE_ABSOLUTE (100 us). The sensitivity is
 * V4L2_CID_ISO_SENSITIVITY, a menu of 1000 * ISO. V4L2_CID_ANALOGUE_GAIN is
 * a register code of the sensor on most drivers and means nothing without
 * its calibration, so it is taken for an ISO number from nst-sim alone,
 * which defines it so; the light level is a private control of the same.
 *
 * Plain ioctls, also of simple capture nodes: libv4l2 looks for plug-ins and
 * loads them when it takes a node over, allocates, and shares memory for its
 * conversions. nstd opens a camera that came back in its loop, which does
 * none of that, and needs no pixel of it. Programs that show frames
 * (nst-vision) do go by libv4l2.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/videodev2.h>

#include "ioctl.h"
#include "path.h"
#include "scan.h"
#include "sidedata.h"
#include "uapi/nst-sim.h"
#include "v4l2.h"

#define CLASS_DIR "/sys/class/video4linux"
#define SIM_DRIVER "nst-sim"
#define EXPOSURE_UNIT_US 100
#define SIDE_TRIES 8

static struct nst_v4l2 *from_cam(struct nst_cam *cam)
{
	return (struct nst_v4l2 *)cam;
}

static int cam_fd(struct nst_cam *cam)
{
	return from_cam(cam)->fd;
}

/* Events only say that something changed; the values are read at once. */
static int drain_events(struct nst_v4l2 *v)
{
	struct v4l2_event ev;
	int r;

	do {
		memset(&ev, 0, sizeof(ev));
		r = nst_ioctl(v->fd, VIDIOC_DQEVENT, &ev);
	} while (!r);
	return r == -ENOENT || r == -EAGAIN ? 0 : r;
}

static int menu_iso(struct nst_v4l2 *v, s32 index, u32 *ret)
{
	struct v4l2_querymenu menu = { .id = v->iso_id, .index = (u32)index };
	int r;

	r = nst_ioctl(v->fd, VIDIOC_QUERYMENU, &menu);
	if (r)
		return r;
	if (menu.value <= 0 || menu.value > UINT32_MAX)
		return -ERANGE;
	*ret = (u32)((menu.value + 500) / 1000);
	return 0;
}

static u32 positive(s64 val, u32 unit)
{
	return val > 0 && val <= UINT32_MAX / unit ? (u32)val * unit : 0;
}

/* Time of a frame, 0 where the node does not tell. It sends no event. */
static u32 frame_us(struct nst_v4l2 *v)
{
	struct v4l2_streamparm parm = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE };
	const struct v4l2_fract *t = &parm.parm.capture.timeperframe;
	u64 us;

	if (nst_ioctl(v->fd, VIDIOC_G_PARM, &parm) || !t->denominator ||
	    !(parm.parm.capture.capability & V4L2_CAP_TIMEPERFRAME))
		return 0;
	us = (u64)t->numerator * 1000000 / t->denominator;
	return us <= UINT32_MAX ? (u32)us : 0;
}

static int cam_read(struct nst_cam *cam, struct nst_light *ret)
{
	struct nst_v4l2 *v = from_cam(cam);
	struct v4l2_ext_control ctrl[NST_V4L2_CONTROLS] = { 0 };
	struct v4l2_ext_controls ctrls = {
		.which = V4L2_CTRL_WHICH_CUR_VAL,
		.controls = ctrl,
	};
	const u32 ids[NST_V4L2_CONTROLS] = { v->exposure_id, v->iso_id,
					     v->lux_id };
	struct nst_light light = { 0 };
	int r;

	if (v->fd < 0)
		return -ENODEV;
	r = drain_events(v);
	if (r)
		return r;
	light.frame_us = frame_us(v);
	for (int i = 0; i < NST_V4L2_CONTROLS; i++)
		if (ids[i])
			ctrl[ctrls.count++].id = ids[i];
	if (!ctrls.count) {
		*ret = light;
		return 0;
	}
	r = nst_ioctl(v->fd, VIDIOC_G_EXT_CTRLS, &ctrls);
	if (r)
		return r;
	for (u32 i = 0; i < ctrls.count; i++) {
		if (ctrl[i].id == v->exposure_id)
			light.exposure_us = positive(ctrl[i].value,
						     EXPOSURE_UNIT_US);
		else if (ctrl[i].id == v->lux_id)
			light.lux_milli = positive(ctrl[i].value, 1);
		else if (!v->iso_is_menu)
			light.iso = positive(ctrl[i].value, 1);
		else if (ctrl[i].value >= 0)
			r = menu_iso(v, ctrl[i].value, &light.iso);
	}
	if (r)
		return r;
	*ret = light;
	return 0;
}

/* The node of the records comes a moment after that of the camera. */
static int cam_tell(struct nst_cam *cam, const struct nst_side *side)
{
	struct nst_v4l2 *v = from_cam(cam);

	if (v->side_fd < 0 && v->side_tries) {
		v->side_tries--;
		v->side_fd = nst_sidedata_open(v->root, v->side_card);
	}
	if (v->side_fd < 0)
		return -ENODEV;
	return nst_sidedata_tell(v->side_fd, side);
}

static void cam_close(struct nst_cam *cam)
{
	struct nst_v4l2 *v = from_cam(cam);

	if (v->side_fd >= 0)
		close(v->side_fd);
	v->side_fd = -1;
	if (v->fd >= 0)
		close(v->fd);
	v->fd = -1;
}

static const struct nst_cam_ops v4l2_ops = {
	.epoll_events = EPOLLPRI,
	.fd = cam_fd,
	.read = cam_read,
	.tell = cam_tell,
	.close = cam_close,
};

/* ------------------------------------------------------------ controls */

/* The id when the node has it as a plain readable number, and is watched. */
static u32 watch(int fd, u32 id, u32 *ret_type)
{
	struct v4l2_queryctrl query = { .id = id };
	struct v4l2_event_subscription sub = { .type = V4L2_EVENT_CTRL,
					       .id = id };

	if (nst_ioctl(fd, VIDIOC_QUERYCTRL, &query) ||
	    (query.flags & (V4L2_CTRL_FLAG_DISABLED |
			    V4L2_CTRL_FLAG_WRITE_ONLY)))
		return 0;
	if (query.type != V4L2_CTRL_TYPE_INTEGER &&
	    query.type != V4L2_CTRL_TYPE_INTEGER_MENU)
		return 0;
	if (nst_ioctl(fd, VIDIOC_SUBSCRIBE_EVENT, &sub))
		return 0;
	*ret_type = query.type;
	return id;
}

static void find_controls(struct nst_v4l2 *v, bool sim)
{
	u32 type = 0;

	v->exposure_id = watch(v->fd, V4L2_CID_EXPOSURE_ABSOLUTE, &type);
	v->iso_id = watch(v->fd, V4L2_CID_ISO_SENSITIVITY, &type);
	v->iso_is_menu = v->iso_id && type == V4L2_CTRL_TYPE_INTEGER_MENU;
	if (!sim)
		return;
	if (!v->iso_id)
		v->iso_id = watch(v->fd, V4L2_CID_ANALOGUE_GAIN, &type);
	v->lux_id = watch(v->fd, NST_SIM_CID_LIGHT, &type);
}

/* ------------------------------------------------------------- finding */

struct find {
	const char *root;
	const char *card;
	int fd;
	bool sim;
	char found[32];			/* its card */
	char node[NST_DEV_NAME_LEN];
};

/* 1 when the node is the one wanted; its fd stays open */
static int try_node(const char *name, void *arg)
{
	struct find *f = arg;
	char path[NST_DEV_NAME_LEN + 128], dev[NST_DEV_NAME_LEN];
	struct v4l2_capability cap = { 0 };
	int fd, r;

	if (strncmp(name, "video", 5) || strlen(name) > 40)
		return 0;
	snprintf(dev, sizeof(dev), "/dev/%.40s", name);
	r = nst_path_join(path, sizeof(path), f->root, dev);
	if (r)
		return r;
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return f->card ? 0 : -errno;
	r = nst_ioctl(fd, VIDIOC_QUERYCAP, &cap);
	if (r || (f->card && strncmp((const char *)cap.card, f->card,
				     sizeof(cap.card)))) {
		close(fd);
		return f->card ? 0 : r;
	}
	f->fd = fd;
	f->sim = !strncmp((const char *)cap.driver, SIM_DRIVER,
			  sizeof(cap.driver));
	strcpy(f->node, dev);
	memcpy(f->found, cap.card, sizeof(f->found) - 1);
	return 1;
}

int nst_v4l2_open(struct nst_v4l2 *v, const char *root, const char *selector)
{
	struct nst_v4l2 new = { .cam.ops = &v4l2_ops };
	struct find f = { .root = root };
	char class_dir[128];
	int r;

	if (!strncmp(selector, "card:", 5)) {
		f.card = selector + 5;
		r = nst_path_join(class_dir, sizeof(class_dir), root,
				  CLASS_DIR);
		if (!r)
			r = nst_scan_dir(class_dir, try_node, &f);
	} else if (!strncmp(selector, "/dev/video", 10)) {
		r = try_node(selector + 5, &f);
	} else {
		return -EINVAL;
	}
	if (r == 0 || r == -ENOENT || r == -ENXIO)
		return -ENODEV;
	if (r < 0)
		return r;
	new.fd = f.fd;
	strcpy(new.node, f.node);
	new.root = root;
	new.side_fd = -1;
	new.side_tries = f.sim ? SIDE_TRIES : 0;
	memcpy(new.side_card, f.found, sizeof(new.side_card));
	find_controls(&new, f.sim);
	*v = new;
	return 0;
}

/* --------------------------------------------------------------- nodes */

struct nodes {
	const char *root;
	u64 sum;
};

/* FNV-1a */
static void add(struct nodes *n, const void *data, size_t len)
{
	const unsigned char *at = data;

	for (size_t i = 0; i < len; i++)
		n->sum = (n->sum ^ at[i]) * 0x100000001b3;
}

static int add_node(const char *name, void *arg)
{
	struct nodes *n = arg;
	char path[NST_DEV_NAME_LEN + 128], dev[NST_DEV_NAME_LEN];
	struct stat st;

	if ((strncmp(name, "video", 5) && strncmp(name, "v4l-subdev", 10)) ||
	    strlen(name) > 40)
		return 0;
	add(n, name, strlen(name));
	snprintf(dev, sizeof(dev), "/dev/%.40s", name);
	if (nst_path_join(path, sizeof(path), n->root, dev) ||
	    stat(path, &st))
		return 0;
	/* a new owner or mode changes ctime, and who may open it */
	add(n, &st.st_rdev, sizeof(st.st_rdev));
	add(n, &st.st_ctim.tv_sec, sizeof(st.st_ctim.tv_sec));
	add(n, &st.st_ctim.tv_nsec, sizeof(st.st_ctim.tv_nsec));
	return 0;
}

u64 nst_v4l2_nodes(const char *root, const char *selector)
{
	struct nodes n = { .root = root, .sum = 0xcbf29ce484222325 };
	char dir[128];

	add(&n, selector, strlen(selector));
	if (!nst_path_join(dir, sizeof(dir), root, CLASS_DIR))
		(void)nst_scan_dir(dir, add_node, &n);
	return n.sum ? n.sum : 1;
}

static bool describe(const char *node, const char *name, char *text,
		     size_t size)
{
	if (strncmp(node, "video", 5))
		return false;
	snprintf(text, size, "/dev/%s (%s)", node, name);
	return true;
}

void nst_v4l2_list(const char *root, char *buf, size_t size)
{
	nst_scan_list(root, CLASS_DIR, describe, buf, size);
}
