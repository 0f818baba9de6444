// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ioctl.c - see ioctl.h */
#include <errno.h>
#include <sys/ioctl.h>

#include "ioctl.h"

int nst_ioctl(int fd, unsigned long request, void *arg)
{
	int r;

	do {
		r = ioctl(fd, request, arg);
	} while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}
