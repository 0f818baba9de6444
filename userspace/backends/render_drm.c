// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* render_drm.c - PRIME on a render or accel node by libdrm, see render.h */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <xf86drm.h>

#include "render.h"

static int take_driver(struct nst_render *r)
{
	drmVersionPtr version = drmGetVersion(r->fd);
	uint64_t prime = 0;

	if (!version)
		return errno == ENODEV ? -ENODEV : -ENOTTY;
	snprintf(r->driver, sizeof(r->driver), "%s",
		 version->name ? version->name : "?");
	drmFreeVersion(version);
	if (drmGetCap(r->fd, DRM_CAP_PRIME, &prime) ||
	    !(prime & DRM_PRIME_CAP_IMPORT))
		return -ENOTSUP;
	return 0;
}

int nst_render_open(struct nst_render *r, const char *path)
{
	int err;

	*r = NST_RENDER_NONE;
	r->fd = open(path, O_RDWR | O_CLOEXEC);
	if (r->fd < 0)
		return errno == ENOENT || errno == ENXIO ? -ENODEV : -errno;
	err = take_driver(r);
	if (err)
		nst_render_close(r);
	return err;
}

bool nst_render_alive(const struct nst_render *r)
{
	uint64_t prime;

	/* Every ioctl of a device that was unplugged says -ENODEV. */
	return r->fd >= 0 && !drmGetCap(r->fd, DRM_CAP_PRIME, &prime);
}

int nst_render_import(const struct nst_render *r, int dmabuf_fd,
		      uint32_t *ret_handle)
{
	return drmPrimeFDToHandle(r->fd, dmabuf_fd, ret_handle) ? -errno : 0;
}

int nst_render_export(const struct nst_render *r, uint32_t handle, int *ret_fd)
{
	return drmPrimeHandleToFD(r->fd, handle, DRM_CLOEXEC, ret_fd) ? -errno
								      : 0;
}

void nst_render_release(const struct nst_render *r, uint32_t handle)
{
	struct drm_gem_close gone = { .handle = handle };

	if (r->fd >= 0)
		(void)drmIoctl(r->fd, DRM_IOCTL_GEM_CLOSE, &gone);
}

void nst_render_close(struct nst_render *r)
{
	if (r->fd >= 0)
		close(r->fd);
	*r = NST_RENDER_NONE;
}
