/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * import.h - a camera's frames for a far device, without a copy where it can be
 *
 *	nst_import_open()	once, when the camera has its buffers: each is
 *				exported, imported by the node and mapped
 *	nst_import_begin()	a frame was dequeued: its pixels, as the far
 *				device has them
 *	nst_import_end()	before the buffer is queued again
 *
 * Where any step is refused (no node, a driver that does not import, pages
 * that the device cannot reach, a node that went away) the frame is copied
 * instead, into memory that is set aside at the start. Both ways are
 * counted, and nst_import_why() says what was refused.
 */
#ifndef NST_IMPORT_H
#define NST_IMPORT_H

#include <stddef.h>
#include <stdint.h>

#include "dmabuf.h"
#include "render.h"

#define NST_IMPORT_BUFFERS 32

struct nst_import_buffer {
	struct nst_dmabuf camera;	/* what the camera gave */
	struct nst_dmabuf far_side;	/* the same, given back by the node */
	uint32_t handle;		/* object of the node, 0 for none */
	unsigned char *copy;		/* part of nst_import.copy_mem */
	bool reading;			/* between begin and end, not copied */
};

/**
 * struct nst_import - frames of one camera on one far device
 * @imports: frames that were not copied
 * @copies: frames that were
 * @why: 0 while frames are not copied, else errno of what was refused
 * @step: what that was, for messages
 */
struct nst_import {
	struct nst_render render;
	struct nst_import_buffer buffer[NST_IMPORT_BUFFERS];
	unsigned int buffers;
	size_t frame_len;
	unsigned char *copy_mem;
	uint64_t imports;
	uint64_t copies;
	int why;
	const char *step;
};

/**
 * nst_import_open() - make ready
 * @video_fd: capture node with @buffers buffers of memory type MMAP
 * @frame_len: bytes of a frame
 * @node: render or accel node, "" or NULL for none: every frame is copied
 * Return: 0 also when frames will have to be copied, see @im->why; -EINVAL
 * no buffers, too many, or an empty frame; -ENOMEM. On failure @im is closed.
 */
int nst_import_open(struct nst_import *im, int video_fd, unsigned int buffers,
		    size_t frame_len, const char *node);

/**
 * nst_import_begin() - the pixels of buffer @index, valid until its end
 * @source: the same buffer in the camera's own mapping, for a copy
 * Return: never NULL for an index below @im->buffers.
 */
const void *nst_import_begin(struct nst_import *im, unsigned int index,
			     const void *source);

/** nst_import_end() - the pixels of @index are no longer looked at */
void nst_import_end(struct nst_import *im, unsigned int index);

/**
 * nst_import_handle() - the device's object of a buffer, for a submission
 * Return: 0 when frames are copied: there is none.
 */
uint32_t nst_import_handle(const struct nst_import *im, unsigned int index);

/** nst_import_why() - "node: No such device", or NULL while not copied */
const char *nst_import_why(const struct nst_import *im, char *buf,
			   size_t size);

/** nst_import_close() - let everything go; counters stay readable */
void nst_import_close(struct nst_import *im);

#endif /* NST_IMPORT_H */
