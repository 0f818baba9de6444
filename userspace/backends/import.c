// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* import.c - frames for a far device without a copy, see import.h */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "import.h"

/* A whole cache line each: two frames may be read at once. */
#define COPY_ALIGN 64

/* What cannot be undone alone ends the zero-copy way for all buffers. */
static void let_go(struct nst_import *im)
{
	for (unsigned int i = 0; i < im->buffers; i++) {
		struct nst_import_buffer *b = &im->buffer[i];

		if (b->handle)
			nst_render_release(&im->render, b->handle);
		b->handle = 0;
		nst_dmabuf_close(&b->far_side);
		nst_dmabuf_close(&b->camera);
	}
	nst_render_close(&im->render);
}

static int refuse(struct nst_import *im, const char *step, int err)
{
	im->step = step;
	im->why = err;
	return err;
}

static int import_one(struct nst_import *im, int video_fd, unsigned int index)
{
	struct nst_import_buffer *b = &im->buffer[index];
	int fd = -1, r;

	r = nst_dmabuf_export(video_fd, index, &b->camera);
	if (r)
		return refuse(im, "export of the camera's buffer", r);
	r = nst_render_import(&im->render, b->camera.fd, &b->handle);
	if (r)
		return refuse(im, "import by the node", r);
	r = nst_render_export(&im->render, b->handle, &fd);
	if (r)
		return refuse(im, "export by the node", r);
	b->far_side = (struct nst_dmabuf){ .fd = fd, .len = b->camera.len };
	r = nst_dmabuf_map(&b->far_side, im->frame_len);
	return r ? refuse(im, "mapping of the node's buffer", r) : 0;
}

static int import_all(struct nst_import *im, int video_fd, const char *node)
{
	int r;

	if (!node || !*node)
		return refuse(im, "no node", -ENODEV);
	r = nst_render_open(&im->render, node);
	if (r)
		return refuse(im, "node", r);
	for (unsigned int i = 0; i < im->buffers && !r; i++)
		r = import_one(im, video_fd, i);
	return r;
}

int nst_import_open(struct nst_import *im, int video_fd, unsigned int buffers,
		    size_t frame_len, const char *node)
{
	size_t stride = (frame_len + COPY_ALIGN - 1) & ~(size_t)(COPY_ALIGN - 1);

	*im = (struct nst_import){ .render = NST_RENDER_NONE };
	if (!buffers || buffers > NST_IMPORT_BUFFERS || !frame_len ||
	    stride < frame_len)
		return -EINVAL;
	im->copy_mem = aligned_alloc(COPY_ALIGN, stride * buffers);
	if (!im->copy_mem)
		return -ENOMEM;
	im->buffers = buffers;
	im->frame_len = frame_len;
	for (unsigned int i = 0; i < buffers; i++)
		im->buffer[i] = (struct nst_import_buffer){
			.camera = NST_DMABUF_NONE,
			.far_side = NST_DMABUF_NONE,
			.copy = im->copy_mem + i * stride,
		};
	if (import_all(im, video_fd, node))
		let_go(im);
	return 0;
}

static bool begin_far(struct nst_import *im, struct nst_import_buffer *b)
{
	int r;

	if (im->why)
		return false;
	r = nst_render_alive(&im->render) ? 0 : -ENODEV;
	if (r)
		refuse(im, "node", r);
	else
		r = nst_dmabuf_begin_read(&b->far_side);
	if (r && !im->why)
		refuse(im, "begin of reading", r);
	return !r;
}

const void *nst_import_begin(struct nst_import *im, unsigned int index,
			     const void *source)
{
	struct nst_import_buffer *b;

	if (index >= im->buffers)
		return NULL;
	b = &im->buffer[index];
	if (begin_far(im, b)) {
		im->imports++;
		b->reading = true;
		return b->far_side.map;
	}
	memcpy(b->copy, source, im->frame_len);
	im->copies++;
	return b->copy;
}

void nst_import_end(struct nst_import *im, unsigned int index)
{
	struct nst_import_buffer *b = &im->buffer[index];

	if (index >= im->buffers || !b->reading)
		return;
	(void)nst_dmabuf_end_read(&b->far_side);
	b->reading = false;
}

uint32_t nst_import_handle(const struct nst_import *im, unsigned int index)
{
	return index < im->buffers && !im->why ? im->buffer[index].handle : 0;
}

const char *nst_import_why(const struct nst_import *im, char *buf,
			   size_t size)
{
	if (!im->why)
		return NULL;
	snprintf(buf, size, "%s: %s", im->step, strerror(-im->why));
	return buf;
}

void nst_import_close(struct nst_import *im)
{
	let_go(im);
	im->buffers = 0;
	free(im->copy_mem);
	im->copy_mem = NULL;
}
