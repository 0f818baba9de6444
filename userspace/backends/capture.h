/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * capture.h - raw frames of a V4L2 capture node, one setting at a time
 *
 * For measuring: frames as the sensor made them, never converted, with their
 * time; exposure and gain set by hand and whatever chooses them by itself
 * switched off. What was found is put back on closing. Plain ioctl: libv4l2
 * would offer converted formats beside the raw ones.
 */
#ifndef NST_CAPTURE_H
#define NST_CAPTURE_H

#include <stddef.h>

#include "host.h"

#define NST_CAPTURE_BUFFERS 2
#define NST_CAPTURE_SAVED_MAX 10
#define NST_CAPTURE_TEXT 64

/* What the lens is to show, where the camera can do it by itself. */
enum nst_capture_scene {
	NST_CAPTURE_SCENE = 0,
	NST_CAPTURE_DARK,
	NST_CAPTURE_FLAT,
};

struct nst_capture_saved {
	u32 id;
	s32 value;
};

/**
 * struct nst_capture - an open node
 * @card: V4L2 card name
 * @format: four letters
 * @bytes, @bits: of a pixel in memory, and of its value
 * @dark_rows: optically dark ones at the top of a frame, 0 when not told
 * @scenes: the camera shows dark and flat by itself (nst-sim)
 * @iso_is_menu: gains are entries of the ISO menu, else register values,
 *	which are ISO numbers with nst-sim alone
 */
struct nst_capture {
	int fd;			/* -1: closed */
	char node[NST_CAPTURE_TEXT];
	char card[NST_CAPTURE_TEXT];
	char format[8];
	u32 found_fourcc;	/* what was set, 0: nothing to put back */
	u32 width, height, stride, size;
	u32 bytes, bits;
	u32 dark_rows;
	bool scenes;
	bool iso_is_menu;
	u32 exposure_id, gain_id;
	u32 buffers;
	void *map[NST_CAPTURE_BUFFERS];
	size_t map_len[NST_CAPTURE_BUFFERS];
	bool streaming;
	struct nst_capture_saved saved[NST_CAPTURE_SAVED_MAX];
	u32 saves;
};

/**
 * struct nst_capture_frame - @pixels until nst_capture_give_back()
 * @size: bytes that are there
 * @t_us: of the driver's stamp, @at_start: it is the start of the exposure
 *	of the first row, else the end of the frame
 */
struct nst_capture_frame {
	const u8 *pixels;
	size_t size;
	u64 t_us;
	u32 seq;
	u32 index;
	bool at_start;
};

/**
 * nst_capture_open() - open and configure
 * @node: /dev/videoN
 * @why: room for a sentence about what is wrong, of @why_size
 *
 * Takes the deepest raw format that the node has in its present size.
 * Return: 0; -ENODEV; -EACCES; -EBUSY somebody else streams; -ENOTTY no
 * capture node; -ENOTSUP no raw format that can be measured, or no exposure
 * to be set. @why says which, with what there is.
 */
int nst_capture_open(struct nst_capture *c, const char *node, char *why,
		     size_t why_size);

/** nst_capture_close() - also of one that is closed */
void nst_capture_close(struct nst_capture *c);

int nst_capture_start(struct nst_capture *c);
void nst_capture_stop(struct nst_capture *c);

/**
 * nst_capture_next() - the oldest frame
 * @timeout_ms: how long to wait
 * Return: 0; -EAGAIN none yet; -ENODEV the camera is gone; -EIO.
 */
int nst_capture_next(struct nst_capture *c, int timeout_ms,
		     struct nst_capture_frame *ret);
int nst_capture_give_back(struct nst_capture *c,
			  const struct nst_capture_frame *frame);

/**
 * nst_capture_set() - exposure and gain
 * @ret_exposure_us, @ret_iso: what the driver made of them
 * Return: 0; -ERANGE outside what the camera takes.
 */
int nst_capture_set(struct nst_capture *c, u32 exposure_us, u32 gain,
		    u32 *ret_exposure_us, u32 *ret_iso);

/** nst_capture_exposure_max_us() - longest exposure there is */
u32 nst_capture_exposure_max_us(struct nst_capture *c);

/** nst_capture_gains() - lowest and highest value of nst_capture_set() */
int nst_capture_gains(struct nst_capture *c, u32 *ret_min, u32 *ret_max);

/** nst_capture_show() - 0, or -ENOTSUP where the camera cannot by itself */
int nst_capture_show(struct nst_capture *c, enum nst_capture_scene scene);

#endif /* NST_CAPTURE_H */
