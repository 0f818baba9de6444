// SPDX-License-Identifier: GPL-2.0-only
/*
 * soak_cycles.c - soak_cycles [-n CYCLES] DEVICE: stop and go, many times
 *
 * Holds the lease and asks for standby and run in turn, each at the next
 * boundary, and waits for the event that says it is done. Prints what was
 * asked for and what the events said:
 *
 *	cycles N closed N opened N lost N faults N
 *
 * Exit status 1 when an event did not come within 10 s, or said another gate
 * than the one asked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "uapi/nst.h"

#define WAIT_MS 10000

struct count {
	unsigned long cycles;
	unsigned long closed;
	unsigned long opened;
	unsigned long lost;
	unsigned long faults;
};

static int fail(const char *what)
{
	fprintf(stderr, "soak_cycles: %s: %s\n", what, strerror(errno));
	return 1;
}

/* Ask for a gate and read events until it is there. */
static int change(int fd, __u32 gate, struct count *count)
{
	struct nst_uapi_gate ask = { .gate = gate, .when = NST_GATE_WHEN_FRAME };
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct nst_uapi_event ev;

	if (ioctl(fd, NST_IOC_SET_GATE, &ask))
		return fail("SET_GATE");
	for (;;) {
		int n = poll(&pfd, 1, WAIT_MS);

		if (n < 0)
			return fail("poll");
		if (!n) {
			errno = ETIMEDOUT;
			return fail(gate ? "standby" : "run");
		}
		if (read(fd, &ev, sizeof(ev)) != sizeof(ev))
			return fail("read");
		switch (ev.type) {
		case NST_EVENT_LOST:
			count->lost += (unsigned long)ev.value;
			break;
		case NST_EVENT_FAULT:
		case NST_EVENT_FAILSAFE_ENTER:
		case NST_EVENT_LEASE_LOST:
			count->faults++;
			break;
		case NST_EVENT_GATE:
			if (ev.code)
				count->closed++;
			else
				count->opened++;
			if (ev.code == gate)
				return 0;
			fprintf(stderr, "soak_cycles: gate %u, not %u\n",
				ev.code, gate);
			return 1;
		}
	}
}

int main(int argc, char **argv)
{
	struct nst_uapi_lease lease = {
		.op = NST_LEASE_TAKE,
		.heartbeat_ms = 60000,
	};
	unsigned long cycles = 100;
	struct count count = { 0 };
	int opt, fd, err = 0;

	while ((opt = getopt(argc, argv, "n:")) != -1) {
		if (opt != 'n')
			return 2;
		cycles = strtoul(optarg, NULL, 10);
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: soak_cycles [-n CYCLES] DEVICE\n");
		return 2;
	}
	fd = open(argv[optind], O_RDWR);
	if (fd < 0)
		return fail(argv[optind]);
	if (ioctl(fd, NST_IOC_LEASE, &lease))
		return fail("LEASE");
	while (count.cycles < cycles && !err) {
		err = change(fd, NST_UGATE_STANDBY, &count) ||
		      change(fd, NST_UGATE_RUN, &count);
		count.cycles += !err;
	}
	printf("cycles %lu closed %lu opened %lu lost %lu faults %lu\n",
	       count.cycles, count.closed, count.opened, count.lost,
	       count.faults);
	return err;
}
