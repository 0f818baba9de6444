// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_ticket.c - nst_ticket DEVICE TEMP_MC DEADLINE_US FRAMES: one capture
 *
 * Prints "asked ID", then for each frame of the ticket a line "ready SEQ
 * TEMP_MC LEFT" or "missed SEQ TEMP_MC LEFT", and ends after the last.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "uapi/nst.h"

static int fail(const char *what)
{
	fprintf(stderr, "nst_ticket: %s: %s\n", what, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	struct nst_uapi_capture capture = { 0 };
	struct nst_uapi_event ev;
	int fd;

	if (argc != 5) {
		fprintf(stderr,
			"usage: nst_ticket DEVICE TEMP_MC DEADLINE_US FRAMES\n");
		return 2;
	}
	fd = open(argv[1], O_RDWR);
	if (fd < 0)
		return fail(argv[1]);
	capture.temp_mc = atoi(argv[2]);
	capture.deadline_us = (__u32)atoi(argv[3]);
	capture.frames = (__u32)atoi(argv[4]);
	if (ioctl(fd, NST_IOC_CAPTURE, &capture))
		return fail("CAPTURE");
	printf("asked %u\n", capture.ret_id);
	fflush(stdout);
	do {
		if (read(fd, &ev, sizeof(ev)) != sizeof(ev))
			return fail("read");
		if (ev.id != capture.ret_id ||
		    (ev.type != NST_EVENT_CAPTURE_READY &&
		     ev.type != NST_EVENT_CAPTURE_MISSED)) {
			ev.value = 1;
			continue;
		}
		printf("%s %llu %d %lld\n",
		       ev.type == NST_EVENT_CAPTURE_READY ? "ready" : "missed",
		       (unsigned long long)ev.seq, ev.temp_mc,
		       (long long)ev.value);
		fflush(stdout);
	} while (ev.value);
	close(fd);
	return 0;
}
