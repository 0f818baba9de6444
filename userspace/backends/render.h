/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * render.h - a render or accel node that takes dma-bufs by PRIME
 *
 * The one place that knows libdrm; without the library at build time every
 * call says -ENOSYS (render_none.c), and frames are copied.
 *
 * A buffer that was imported is the device's own as any other: its handle is
 * what a driver's submission takes. nst_render_export() gives the same pages
 * back as a dma-buf, which is how a program maps what the device sees (an
 * imported object has no mapping of its own on a render node).
 */
#ifndef NST_RENDER_H
#define NST_RENDER_H

#include <stdbool.h>
#include <stdint.h>

#define NST_RENDER_NAME_LEN 32

struct nst_render {
	int fd;				/* -1: closed */
	char driver[NST_RENDER_NAME_LEN];
};

#define NST_RENDER_NONE ((struct nst_render){ .fd = -1 })

/**
 * nst_render_open() - a node that imports
 * @path: /dev/dri/renderD128, /dev/accel/accel0
 * Return: 0; -ENODEV no such node; -ENOTTY not a DRM node; -ENOTSUP its
 * driver does not import; -EACCES; -ENOSYS built without libdrm.
 */
int nst_render_open(struct nst_render *r, const char *path);

/** nst_render_alive() - false when the device has gone under us */
bool nst_render_alive(const struct nst_render *r);

/**
 * nst_render_import() - a dma-buf becomes an object of the device
 * Importing the same dma-buf again gives the same handle.
 * Return: 0; -ENODEV gone; the driver's errno when it cannot reach these
 * pages (-EINVAL, -ENOMEM, ...).
 */
int nst_render_import(const struct nst_render *r, int dmabuf_fd,
		      uint32_t *ret_handle);

/** nst_render_export() - the object as a dma-buf, the caller closes @ret_fd */
int nst_render_export(const struct nst_render *r, uint32_t handle,
		      int *ret_fd);

/** nst_render_release() - the device lets go of the object */
void nst_render_release(const struct nst_render *r, uint32_t handle);

/** nst_render_close() - also of one that is closed */
void nst_render_close(struct nst_render *r);

#endif /* NST_RENDER_H */
