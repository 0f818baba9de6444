// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_hold.c - nst_hold [-b MS] [-g GATE] [-n] [-o US] [-r] [-w US -W US] DEVICE:
 * hold the lease
 *
 * Takes the lease, asks for GATE (number as in uapi/nst.h) at the next
 * boundary, makes its heartbeat one of MS from then on, prints "held" and waits
 * to be killed. So a short one begins when all is done that needs the lease.
 * With -n GATE is asked for at once. With -o the gate is standby from US after the start of every frame on.
 * With -w and -W it is for a window of each period, from, and for so long.
 * With -r the lease is renewed four times a heartbeat; without, it is left
 * to run out, and every event that ends a lease is printed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "uapi/nst.h"

static int fail(const char *what)
{
	fprintf(stderr, "nst_hold: %s: %s\n", what, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	struct nst_uapi_lease lease = {
		.op = NST_LEASE_TAKE,
		.heartbeat_ms = 60000,
	};
	__u32 heartbeat_ms = 1000;
	struct nst_uapi_gate gate = { .when = NST_GATE_WHEN_FRAME };
	struct nst_uapi_gate offset = {
		.gate = NST_UGATE_STANDBY,
		.when = NST_GATE_WHEN_OFFSET,
		.flags = NST_GATE_EVERY_FRAME,
	};
	struct nst_uapi_event ev;
	struct pollfd pfd = { .events = POLLIN };
	bool renew = false;
	int opt;

	while ((opt = getopt(argc, argv, "b:g:G:no:rw:W:")) != -1) {
		switch (opt) {
		case 'b':
			heartbeat_ms = (__u32)atoi(optarg);
			break;
		case 'g':
			gate.gate = (__u32)atoi(optarg);
			break;
		case 'G':
			offset.gate = (__u32)atoi(optarg);
			break;
		case 'n':
			gate.when = NST_GATE_WHEN_NOW;
			break;
		case 'o':
			offset.offset_us = (__u32)atoi(optarg);
			break;
		case 'r':
			renew = true;
			break;
		case 'w':
			gate.offset_us = (__u32)atoi(optarg);
			break;
		case 'W':
			gate.window_us = (__u32)atoi(optarg);
			gate.flags = NST_GATE_WINDOW;
			break;
		default:
			return 2;
		}
	}
	if (optind + 1 != argc) {
		fprintf(stderr,
			"usage: nst_hold [-b MS] [-g GATE] [-n] [-o US] [-G GATE] [-r] [-w US -W US] DEVICE\n");
		return 2;
	}
	pfd.fd = open(argv[optind], O_RDWR);
	if (pfd.fd < 0)
		return fail(argv[optind]);
	if (ioctl(pfd.fd, NST_IOC_LEASE, &lease))
		return fail("LEASE");
	if (ioctl(pfd.fd, NST_IOC_SET_GATE, &gate))
		return fail("SET_GATE");
	if (offset.offset_us && ioctl(pfd.fd, NST_IOC_SET_GATE, &offset))
		return fail("SET_GATE at an offset");
	lease.op = NST_LEASE_RENEW;
	lease.heartbeat_ms = heartbeat_ms;
	if (ioctl(pfd.fd, NST_IOC_LEASE, &lease))
		return fail("RENEW");
	puts("held");
	fflush(stdout);

	for (;;) {
		int wait = renew ? (int)lease.heartbeat_ms / 4 : -1;

		if (poll(&pfd, 1, wait) < 0)
			return fail("poll");
		if (renew) {
			if (ioctl(pfd.fd, NST_IOC_LEASE, &lease))
				return fail("RENEW");
		}
		if (!(pfd.revents & (POLLIN | POLLHUP)))
			continue;
		if (read(pfd.fd, &ev, sizeof(ev)) != sizeof(ev))
			return fail("read");
		if (ev.type == NST_EVENT_LEASE_LOST) {
			printf("lost %u\n", ev.code);
			fflush(stdout);
		}
	}
}
