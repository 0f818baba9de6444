/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * camera.h - frames and settings of a V4L2 capture node, by libv4l2
 *
 * Streams grey from memory-mapped buffers, a byte a pixel (8 bits) or two, low
 * byte first (10, 12 or 16). A frame stays valid until
 * it is given back; at most NST_CAMERA_BUFFERS - 2 may be held, or the
 * driver has nothing to fill.
 */
#ifndef NST_CAMERA_H
#define NST_CAMERA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NST_CAMERA_BUFFERS 8
#define NST_CAMERA_TEXT 64

struct nst_camera {
	int fd;			/* -1: closed */
	char node[NST_CAMERA_TEXT];
	char card[NST_CAMERA_TEXT];
	char bus[NST_CAMERA_TEXT];
	unsigned int width;
	unsigned int height;
	unsigned int bits;
	unsigned int stride;
	unsigned int buffers;
	void *map[NST_CAMERA_BUFFERS];
	size_t map_len[NST_CAMERA_BUFFERS];
	bool streaming;
};

/** struct nst_camera_frame - @pixels until nst_camera_give_back() */
struct nst_camera_frame {
	uint64_t seq;
	unsigned int index;
	const unsigned char *pixels;
	size_t size;		/* bytes that the driver says are filled */
};

/**
 * struct nst_camera_want - the frames that are wanted
 * @width, @height: 0 for what the node has
 * @bits: of a pixel: 8, 10, 12 or 16; 0 for 8
 */
struct nst_camera_want {
	unsigned int width;
	unsigned int height;
	unsigned int bits;
};

/** struct nst_camera_setting - what an automatic exposure would choose */
struct nst_camera_setting {
	unsigned int exposure_us;
	unsigned int iso;
	unsigned int lux_milli;
};

/**
 * nst_camera_open() - find, open and configure
 * @selector: /dev/videoN, or "card:" and the card's name
 * Return: 0; -ENODEV no such node; -ENOTTY no capture node; -EINVAL another
 * form of selector or other bits; -ENOTSUP no such grey or no streaming; errno of the
 * driver. On failure @cam is closed.
 */
int nst_camera_open(struct nst_camera *cam, const char *selector,
		    const struct nst_camera_want *want);

/** nst_camera_bytes() - of a pixel */
unsigned int nst_camera_bytes(const struct nst_camera *cam);

/** nst_camera_row8() - row @y in eight bits a pixel, for a picture */
void nst_camera_row8(const struct nst_camera *cam,
		     const struct nst_camera_frame *frame, unsigned int y,
		     unsigned char *ret);

/** nst_camera_close() - also of one that is closed or half open */
void nst_camera_close(struct nst_camera *cam);

int nst_camera_start(struct nst_camera *cam);

/**
 * nst_camera_next() - the oldest filled buffer
 * Return: 0; -EAGAIN none yet; -ENODEV the device is gone; -EIO damaged or
 * not a whole frame, it has been given back already.
 */
int nst_camera_next(struct nst_camera *cam, struct nst_camera_frame *ret);

int nst_camera_give_back(struct nst_camera *cam,
			 const struct nst_camera_frame *frame);

/**
 * nst_camera_set() - exposure, gain and light
 * Controls that the node does not have are left out; the light is a control
 * of the emulated camera only.
 * Return: 0; -ERANGE outside what the node takes, nothing is changed.
 */
int nst_camera_set(struct nst_camera *cam,
		   const struct nst_camera_setting *setting);

/** nst_camera_get() - what it has now; 0 for what the node does not tell */
void nst_camera_get(const struct nst_camera *cam,
		    struct nst_camera_setting *ret);

/**
 * nst_camera_changed() - has anybody changed exposure or gain?
 * Such a change makes the descriptor ready for POLLPRI until it is asked.
 */
bool nst_camera_changed(struct nst_camera *cam);

/** nst_camera_is_sim() - is it the emulated one? */
bool nst_camera_is_sim(const struct nst_camera *cam);

/**
 * nst_camera_dark_rows() - optically dark rows at the top of its frames
 * Only nst-sim tells them; 0 of any other camera.
 */
unsigned int nst_camera_dark_rows(const struct nst_camera *cam);

#endif /* NST_CAMERA_H */
