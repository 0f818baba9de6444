/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * nodestream.h - buffers of a V4L2 node, pixels or records, as they come
 *
 * Plain ioctls and the format that the node has: the near processor looks at
 * the same pixels, so the format is not a worker's to change.
 */
#ifndef NST_WORKER_NODESTREAM_H
#define NST_WORKER_NODESTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NST_NODESTREAM_BUFFERS 16
#define NST_NODESTREAM_TEXT 64

struct nst_nodestream {
	int fd;			/* -1: closed */
	char node[NST_NODESTREAM_TEXT];
	bool records;		/* a metadata node */
	uint32_t width;		/* of pixels */
	uint32_t height;
	uint32_t stride;
	uint32_t bits;
	uint32_t fourcc;	/* of records */
	unsigned int buffers;
	size_t size;		/* of a buffer */
	void *map[NST_NODESTREAM_BUFFERS];
	bool streaming;
};

/** struct nst_nodestream_buffer - @bytes until nst_nodestream_give_back() */
struct nst_nodestream_buffer {
	unsigned int index;
	uint32_t sequence;
	size_t used;
	const void *bytes;
};

/**
 * nst_nodestream_open() - find, open, map and start
 * @selector: a node, or "card:" and the card's name
 * @records: a node for metadata, else for pixels
 * Return: 0; -ENODEV no such node; -ENOTSUP a format that the task does not
 * take, @c->node is set; -EINVAL another form of selector; errno of the
 * driver. On failure @c is closed.
 */
int nst_nodestream_open(struct nst_nodestream *c, const char *selector,
		     bool records);

/** nst_nodestream_close() - also of one that is closed */
void nst_nodestream_close(struct nst_nodestream *c);

/**
 * nst_nodestream_next() - the oldest filled buffer
 * Return: 0; -EAGAIN none yet; -EIO a damaged one, given back already;
 * -ENODEV the device is gone.
 */
int nst_nodestream_next(struct nst_nodestream *c, struct nst_nodestream_buffer *ret);

int nst_nodestream_give_back(struct nst_nodestream *c, unsigned int index);

#endif /* NST_WORKER_NODESTREAM_H */
