// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* v4l2_subdev.c - a camera's sub-device: see v4l2_subdev.h */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <linux/v4l2-subdev.h>
#include <linux/videodev2.h>

#include "ioctl.h"
#include "path.h"
#include "scan.h"
#include "v4l2_subdev.h"

#define CLASS_DIR "/sys/class/video4linux"
#define NODE "v4l-subdev"
#define PADS_MAX 8
#define LINES_MAX 10000000

enum {
	EXPOSURE,
	HBLANK,
	VBLANK,
	PIXEL_RATE,
	GAIN,
	DIGITAL_GAIN,
	CONTROLS
};

static const u32 control_id[CONTROLS] = {
	[EXPOSURE] = V4L2_CID_EXPOSURE,
	[HBLANK] = V4L2_CID_HBLANK,
	[VBLANK] = V4L2_CID_VBLANK,
	[PIXEL_RATE] = V4L2_CID_PIXEL_RATE,
	[GAIN] = V4L2_CID_ANALOGUE_GAIN,
	[DIGITAL_GAIN] = V4L2_CID_DIGITAL_GAIN,
};

/* -------------------------------------------------------------- numbers */

/* @count lines in microseconds, rounded; 0 when that is not known. */
static u32 lines_us(const struct nst_subdev_raw *raw, s64 count)
{
	u64 pixels, us;

	if (count <= 0 || count > LINES_MAX || raw->hblank < 0 ||
	    raw->hblank > 10000000 || raw->pixel_rate <= 0 || !raw->width)
		return 0;
	pixels = (u64)count * (raw->width + (u64)raw->hblank);
	if (pixels > UINT64_MAX / 1000000)
		return 0;
	us = (pixels * 1000000 + (u64)raw->pixel_rate / 2) /
	     (u64)raw->pixel_rate;
	return us <= UINT32_MAX ? (u32)us : 0;
}

struct nst_light nst_subdev_light(const char *part,
				  const struct nst_subdev_raw *raw)
{
	struct nst_light light = {
		.exposure_us = lines_us(raw, raw->exposure_lines),
		.iso = nst_gain_iso(part, raw->gain_code),
	};
	u64 iso;

	if (raw->vblank >= 0 && raw->vblank < LINES_MAX && raw->height)
		light.frame_us = lines_us(raw, (s64)raw->height + raw->vblank);
	if (light.iso && raw->digital_gain > 0 && raw->digital_unity > 0 &&
	    raw->digital_gain <= UINT32_MAX) {
		iso = (light.iso * (u64)raw->digital_gain +
		       (u64)raw->digital_unity / 2) /
		      (u64)raw->digital_unity;
		light.iso = iso && iso <= UINT32_MAX ? (u32)iso : 0;
	}
	return light;
}

/* -------------------------------------------------------------- reading */

static int real_ioctl(void *arg, unsigned long request, void *data)
{
	return nst_ioctl(*(int *)arg, request, data);
}

static int ask(struct nst_subdev *s, unsigned long request, void *data)
{
	/* The fd may have moved with the struct. */
	return s->io.ioctl(s->io.arg ? s->io.arg : &s->fd, request, data);
}

static bool has(const struct nst_subdev *s, int control)
{
	return s->controls & (1u << control);
}

static int read_format(struct nst_subdev *s, struct nst_subdev_raw *raw)
{
	struct v4l2_subdev_format f = {
		.which = V4L2_SUBDEV_FORMAT_ACTIVE,
		.pad = s->pad,
	};
	int r = ask(s, VIDIOC_SUBDEV_G_FMT, &f);

	if (r == -ENODEV)
		return r;
	/* Without it times in lines mean nothing, and are not told. */
	if (!r) {
		raw->width = f.format.width;
		raw->height = f.format.height;
	}
	return 0;
}

static int read_raw(struct nst_subdev *s, struct nst_subdev_raw *raw)
{
	struct v4l2_ext_control c[CONTROLS] = { 0 };
	struct v4l2_ext_controls ctrls = {
		.which = V4L2_CTRL_WHICH_CUR_VAL,
		.controls = c,
	};
	s64 value[CONTROLS];
	int r;

	for (int i = 0; i < CONTROLS; i++)
		if (has(s, i))
			c[ctrls.count++].id = control_id[i];
	r = ask(s, VIDIOC_G_EXT_CTRLS, &ctrls);
	if (r)
		return r;
	for (int i = 0, k = 0; i < CONTROLS; i++) {
		value[i] = -1;
		if (!has(s, i))
			continue;
		value[i] = i == PIXEL_RATE ? c[k].value64 : c[k].value;
		k++;
	}
	*raw = (struct nst_subdev_raw){
		.exposure_lines = value[EXPOSURE],
		.hblank = value[HBLANK],
		.vblank = value[VBLANK],
		.pixel_rate = value[PIXEL_RATE],
		.gain_code = value[GAIN],
		.digital_gain = value[DIGITAL_GAIN],
		.digital_unity = s->digital_unity,
	};
	return read_format(s, raw);
}

static struct nst_subdev *from_cam(struct nst_cam *cam)
{
	return (struct nst_subdev *)cam;
}

/* poll() on a sub-device without events says EPOLLERR at once, and for ever. */
static int cam_fd(struct nst_cam *cam)
{
	return cam->polled ? -1 : from_cam(cam)->fd;
}

static int cam_read(struct nst_cam *cam, struct nst_light *ret)
{
	struct nst_subdev *s = from_cam(cam);
	struct v4l2_event ev = { 0 };
	struct nst_subdev_raw raw;
	int r;

	/* That something changed is all there is in them. */
	if (!s->cam.polled)
		while (!ask(s, VIDIOC_DQEVENT, &ev))
			;
	r = read_raw(s, &raw);
	if (r)
		return r;
	*ret = nst_subdev_light(s->name, &raw);
	return 0;
}

static void cam_close(struct nst_cam *cam)
{
	struct nst_subdev *s = from_cam(cam);

	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static const struct nst_cam_ops subdev_ops = {
	.epoll_events = EPOLLPRI,
	.fd = cam_fd,
	.read = cam_read,
	.close = cam_close,
};

/* -------------------------------------------------------------- opening */

static bool find_control(struct nst_subdev *s, int control)
{
	struct v4l2_query_ext_ctrl q = { .id = control_id[control] };

	if (ask(s, VIDIOC_QUERY_EXT_CTRL, &q) ||
	    (q.flags & (V4L2_CTRL_FLAG_DISABLED | V4L2_CTRL_FLAG_WRITE_ONLY)))
		return false;
	if (q.type != (control == PIXEL_RATE ? V4L2_CTRL_TYPE_INTEGER64
					     : V4L2_CTRL_TYPE_INTEGER))
		return false;
	if (control == DIGITAL_GAIN)
		s->digital_unity = q.default_value;
	s->controls |= 1u << control;
	return true;
}

/* All controls but the pixel rate, which stays. */
static bool watch_all(struct nst_subdev *s)
{
	for (int i = 0; i < CONTROLS; i++) {
		struct v4l2_event_subscription sub = {
			.type = V4L2_EVENT_CTRL, .id = control_id[i],
		};

		if (i != PIXEL_RATE && has(s, i) &&
		    ask(s, VIDIOC_SUBSCRIBE_EVENT, &sub))
			return false;
	}
	return true;
}

/* The first pad that has a format: a sensor's only or first source. */
static void find_pad(struct nst_subdev *s)
{
	for (u32 pad = 0; pad < PADS_MAX; pad++) {
		struct v4l2_subdev_format f = {
			.which = V4L2_SUBDEV_FORMAT_ACTIVE, .pad = pad,
		};

		if (ask(s, VIDIOC_SUBDEV_G_FMT, &f) || !f.format.width)
			continue;
		s->pad = pad;
		return;
	}
}

static int look(struct nst_subdev *s)
{
	for (int i = 0; i < CONTROLS; i++)
		(void)find_control(s, i);
	if (!has(s, EXPOSURE) && !has(s, GAIN))
		return -ENOTTY;
	find_pad(s);
	s->cam.polled = !watch_all(s);
	return 0;
}

int nst_subdev_attach(struct nst_subdev *s, const char *name,
		      const struct nst_subdev_io *io)
{
	struct nst_subdev new = { .cam.ops = &subdev_ops, .fd = -1,
				  .io = *io };
	int r;

	snprintf(new.name, sizeof(new.name), "%s", name);
	r = look(&new);
	if (!r)
		*s = new;
	return r;
}

/* -------------------------------------------------------------- finding */

struct find {
	const char *root;
	const char *wanted;		/* name, NULL for any */
	unsigned int exact, partly;
	char node[NST_DEV_NAME_LEN];
	char name[NST_DEV_NAME_LEN];
};

bool nst_subdev_selected(const char *selector)
{
	return !strncmp(selector, "subdev:", 7) ||
	       !strncmp(selector, "/dev/" NODE, 5 + sizeof(NODE) - 1);
}

static int read_name(const char *root, const char *node, char *ret,
		     size_t size)
{
	char file[160], path[256];
	ssize_t n;
	int fd, r;

	snprintf(file, sizeof(file), CLASS_DIR "/%.40s/name", node);
	r = nst_path_join(path, sizeof(path), root, file);
	if (r)
		return r;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, ret, size - 1);
	close(fd);
	if (n <= 0)
		return -ENODEV;
	ret[n] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
	return 0;
}

static int match(const char *node, void *arg)
{
	struct find *f = arg;
	char name[NST_DEV_NAME_LEN];
	size_t len = strlen(f->wanted);
	bool exact;

	if (strncmp(node, NODE, sizeof(NODE) - 1) || strlen(node) > 40 ||
	    read_name(f->root, node, name, sizeof(name)) ||
	    strncmp(name, f->wanted, len) || (name[len] && name[len] != ' '))
		return 0;
	exact = !name[len];
	/* A whole name is meant before the first word of another. */
	if (exact || !f->exact) {
		snprintf(f->node, sizeof(f->node), "/dev/%.40s", node);
		snprintf(f->name, sizeof(f->name), "%s", name);
	}
	f->exact += exact;
	f->partly += !exact;
	return 0;
}

static int find(struct find *f, const char *selector)
{
	char dir[128];
	int r;

	if (strncmp(selector, "subdev:", 7)) {
		if (strlen(selector) >= sizeof(f->node))
			return -EINVAL;
		strcpy(f->node, selector);
		(void)read_name(f->root, selector + 5, f->name,
				sizeof(f->name));
		return 0;
	}
	f->wanted = selector + 7;
	if (!*f->wanted)
		return -EINVAL;
	r = nst_path_join(dir, sizeof(dir), f->root, CLASS_DIR);
	if (!r)
		r = nst_scan_dir(dir, match, f);
	if (r)
		return r == -ENOENT ? -ENODEV : r;
	if (f->exact + f->partly == 0)
		return -ENODEV;
	return f->exact > 1 || (!f->exact && f->partly > 1) ? -ENOTUNIQ : 0;
}

int nst_subdev_open(struct nst_subdev *s, const char *root,
		    const char *selector)
{
	struct nst_subdev new = { .cam.ops = &subdev_ops,
				  .io.ioctl = real_ioctl };
	struct find f = { .root = root };
	char path[256];
	int r;

	if (!nst_subdev_selected(selector))
		return -EINVAL;
	r = find(&f, selector);
	if (!r)
		r = nst_path_join(path, sizeof(path), root, f.node);
	if (r)
		return r;
	new.fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	/* Some receivers make the nodes of their sensors read-only. */
	if (new.fd < 0 && (errno == EPERM || errno == EROFS))
		new.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (new.fd < 0)
		return errno == ENOENT || errno == ENXIO ? -ENODEV : -errno;
	strcpy(new.node, f.node);
	strcpy(new.name, f.name);
	r = look(&new);
	if (r)
		close(new.fd);
	else
		*s = new;
	return r;
}
