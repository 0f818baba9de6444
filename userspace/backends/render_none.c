// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* render_none.c - built without libdrm: no device imports, see render.h */
#include <errno.h>

#include "render.h"

int nst_render_open(struct nst_render *r, const char *path)
{
	(void)path;
	*r = NST_RENDER_NONE;
	return -ENOSYS;
}

bool nst_render_alive(const struct nst_render *r)
{
	(void)r;
	return false;
}

int nst_render_import(const struct nst_render *r, int dmabuf_fd,
		      uint32_t *ret_handle)
{
	(void)r;
	(void)dmabuf_fd;
	(void)ret_handle;
	return -ENOSYS;
}

int nst_render_export(const struct nst_render *r, uint32_t handle, int *ret_fd)
{
	(void)r;
	(void)handle;
	(void)ret_fd;
	return -ENOSYS;
}

void nst_render_release(const struct nst_render *r, uint32_t handle)
{
	(void)r;
	(void)handle;
}

void nst_render_close(struct nst_render *r)
{
	*r = NST_RENDER_NONE;
}
