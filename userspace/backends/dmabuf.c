// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* dmabuf.c - a camera's buffers as dma-bufs, see dmabuf.h */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/videodev2.h>

#include "dmabuf.h"

static int do_ioctl(int fd, unsigned long request, void *arg)
{
	int r;

	/* DMA_BUF_IOCTL_SYNC also fails with EAGAIN, to be repeated. */
	do {
		r = ioctl(fd, request, arg);
	} while (r < 0 && (errno == EINTR || errno == EAGAIN));
	return r < 0 ? -errno : 0;
}

int nst_dmabuf_export(int video_fd, unsigned int index,
		      struct nst_dmabuf *ret)
{
	struct v4l2_exportbuffer e = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.index = index,
		.flags = O_CLOEXEC | O_RDONLY,
	};
	off_t len;
	int r;

	r = do_ioctl(video_fd, VIDIOC_EXPBUF, &e);
	if (r == -ENOTTY)
		return -ENOTSUP;
	if (r)
		return r;
	/* A dma-buf tells its size by seeking to its end. */
	len = lseek(e.fd, 0, SEEK_END);
	if (len <= 0) {
		close(e.fd);
		return -ENOTSUP;
	}
	*ret = (struct nst_dmabuf){ .fd = e.fd, .len = (size_t)len };
	return 0;
}

int nst_dmabuf_map(struct nst_dmabuf *d, size_t len)
{
	void *map;

	if (len > d->len)
		return -ERANGE;
	if (d->map)
		return 0;
	map = mmap(NULL, d->len, PROT_READ, MAP_SHARED, d->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	d->map = map;
	return 0;
}

static int sync_cpu(const struct nst_dmabuf *d, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags | DMA_BUF_SYNC_READ };

	return do_ioctl(d->fd, DMA_BUF_IOCTL_SYNC, &sync);
}

int nst_dmabuf_begin_read(const struct nst_dmabuf *d)
{
	return sync_cpu(d, DMA_BUF_SYNC_START);
}

int nst_dmabuf_end_read(const struct nst_dmabuf *d)
{
	return sync_cpu(d, DMA_BUF_SYNC_END);
}

void nst_dmabuf_close(struct nst_dmabuf *d)
{
	if (d->map)
		munmap(d->map, d->len);
	if (d->fd >= 0)
		close(d->fd);
	*d = NST_DMABUF_NONE;
}
