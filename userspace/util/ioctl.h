/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ioctl.h - a request of a device, whatever signals come */
#ifndef NST_IOCTL_H
#define NST_IOCTL_H

/** nst_ioctl() - ioctl(), again after a signal; Return: 0 or a negative errno */
int nst_ioctl(int fd, unsigned long request, void *arg);

#endif /* NST_IOCTL_H */
