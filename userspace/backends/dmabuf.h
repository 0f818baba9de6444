/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dmabuf.h - a camera's buffers as dma-bufs: exported, mapped, synchronised
 *
 * A buffer of a V4L2 queue (memory MMAP, single-planar) is exported once and
 * stays valid as long as its fd is open, longer than the queue and even the
 * camera. What the CPU reads in a mapping is bracketed by
 * nst_dmabuf_begin_read() and nst_dmabuf_end_read(): without them a cache
 * may hold what was there before the device wrote.
 */
#ifndef NST_DMABUF_H
#define NST_DMABUF_H

#include <stddef.h>

struct nst_dmabuf {
	int fd;			/* -1: none */
	size_t len;
	void *map;		/* NULL: not mapped */
};

#define NST_DMABUF_NONE ((struct nst_dmabuf){ .fd = -1 })

/**
 * nst_dmabuf_export() - VIDIOC_EXPBUF
 * @video_fd: a single-planar capture node with buffers requested
 * Return: 0; -ENOTSUP the driver's buffers are not of a kind that can be
 * exported; -EINVAL no such buffer, or a node without export; -ENODEV gone;
 * other errno.
 */
int nst_dmabuf_export(int video_fd, unsigned int index,
		      struct nst_dmabuf *ret);

/**
 * nst_dmabuf_map() - for reading, @len bytes from the begin
 * Return: 0, also when it is mapped already; -ERANGE the buffer is smaller;
 * errno of mmap().
 */
int nst_dmabuf_map(struct nst_dmabuf *d, size_t len);

/** nst_dmabuf_begin_read() - the CPU reads from now on; 0 or errno */
int nst_dmabuf_begin_read(const struct nst_dmabuf *d);

/** nst_dmabuf_end_read() - and no longer */
int nst_dmabuf_end_read(const struct nst_dmabuf *d);

/** nst_dmabuf_close() - unmap and close; also of NST_DMABUF_NONE */
void nst_dmabuf_close(struct nst_dmabuf *d);

#endif /* NST_DMABUF_H */
