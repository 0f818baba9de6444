/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * v4l2_subdev.h - exposure, gain and frame time of a camera's sub-device
 *
 * A raw sensor behind a receiver has its controls on /dev/v4l-subdevN, in
 * units of its own: exposure in lines, blanking in pixels and lines, gain as
 * a code of the part. They are read, never written.
 *
 *	line		(width + HBLANK) / PIXEL_RATE
 *	exposure	EXPOSURE lines
 *	frame		(height + VBLANK) lines
 *	ISO		100 * gain of ANALOGUE_GAIN * DIGITAL_GAIN / its default
 *
 * width and height are those of the format on the sensor's first source pad.
 * What a gain code means is known for the parts of a table (v4l2_gain.c); of
 * another one the ISO is not told, and the profile's holds. What cannot be
 * worked out for want of a control is not told either.
 *
 * Most sensor drivers send no control events for a sub-device; one that does
 * not is read with every frame (struct nst_cam, @polled).
 */
#ifndef NST_V4L2_SUBDEV_H
#define NST_V4L2_SUBDEV_H

#include "backend.h"

/* What a sensor tells, as it tells it; negative where it does not. */
struct nst_subdev_raw {
	s64 exposure_lines;
	s64 hblank, vblank;
	s64 pixel_rate;			/* of a second */
	s64 gain_code;
	s64 digital_gain, digital_unity;
	u32 width, height;		/* 0 where not known */
};

/**
 * struct nst_subdev_io - how to ask, for tests
 * @ioctl: 0 or a negative errno
 */
struct nst_subdev_io {
	int (*ioctl)(void *arg, unsigned long request, void *data);
	void *arg;
};

struct nst_subdev {
	struct nst_cam cam;
	int fd;
	struct nst_subdev_io io;
	char node[NST_DEV_NAME_LEN];
	char name[NST_DEV_NAME_LEN];	/* "imx477 10-001a" */
	u32 pad;
	u32 controls;			/* bit per control that is there */
	s64 digital_unity;
};

/**
 * nst_gain_iso() - ISO of a gain code of a part
 * @part: name of the sub-device; what comes after the part is ignored
 * Return: ISO, 100 for gain one; 0 for a part or a code that is not known.
 */
u32 nst_gain_iso(const char *part, s64 code);

/** nst_subdev_light() - what the numbers of a part mean */
struct nst_light nst_subdev_light(const char *part,
				  const struct nst_subdev_raw *raw);

/**
 * nst_subdev_open() - find a sub-device and look at its controls
 * @root: prefix of /sys and /dev, "" for the real ones
 * @selector: /dev/v4l-subdevN, or "subdev:" and its name, or the first word
 *	of it where that is of one sub-device only
 * Return: 0; -ENODEV when there is none; -ENOTUNIQ when several have that
 * name; -ENOTTY when it has neither exposure nor gain; -EACCES; -EINVAL for
 * another form of selector.
 */
int nst_subdev_open(struct nst_subdev *s, const char *root,
		    const char *selector);

/** nst_subdev_attach() - the same on what is open already, for tests */
int nst_subdev_attach(struct nst_subdev *s, const char *name,
		      const struct nst_subdev_io *io);

/** nst_subdev_selected() - is this selector one of a sub-device? */
bool nst_subdev_selected(const char *selector);

#endif /* NST_V4L2_SUBDEV_H */
