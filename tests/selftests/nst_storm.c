// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_storm.c - nst_storm DEVICE CALLS: two processes at once
 *
 * Each makes CALLS calls on a file of its own: every ioctl there is, with
 * arguments that are right, nearly right and garbage, as fast as it can. Both
 * want the lease and give it back now and then. A call may be refused, but
 * only in words of uapi/nst.h; anything else is printed, exit status 1.
 * Prints how many were taken and refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uapi/nst.h"

union arg {
	struct nst_uapi_info info;
	struct nst_uapi_state state;
	struct nst_uapi_lease lease;
	struct nst_uapi_gate gate;
	struct nst_uapi_frame frame;
	struct nst_uapi_capture capture;
	struct nst_uapi_capture_cancel cancel;
	struct nst_uapi_limits limits;
	unsigned char bytes[512];
};

static const unsigned long cmds[] = {
	NST_IOC_INFO, NST_IOC_SAMPLE, NST_IOC_LEASE, NST_IOC_SET_GATE,
	NST_IOC_FRAME, NST_IOC_CAPTURE, NST_IOC_CAPTURE_CANCEL,
	NST_IOC_SET_LIMITS,
};

static unsigned int seed;

static unsigned int some(unsigned int n)
{
	return (unsigned int)rand_r(&seed) % n;
}

/* Arguments as a program would have them, with a slip now and then. */
static void fill(unsigned long cmd, union arg *arg)
{
	size_t i;

	memset(arg, 0, sizeof(*arg));
	switch (cmd) {
	case NST_IOC_LEASE:
		arg->lease.op = 1 + some(8) / 7 * 2 + some(2);
		arg->lease.heartbeat_ms = some(2) ? 0 : 5 + some(2000);
		break;
	case NST_IOC_SET_GATE:
		arg->gate.gate = some(5);
		arg->gate.when = some(3);
		if (arg->gate.when == NST_GATE_WHEN_OFFSET) {
			arg->gate.offset_us = some(40000);
			arg->gate.flags = some(2) * NST_GATE_EVERY_FRAME;
		}
		if (!some(3)) {
			arg->gate.flags |= NST_GATE_PLACEMENT;
			arg->gate.placement = some(4);
		}
		break;
	case NST_IOC_FRAME:
		arg->frame.frame_seq = some(1000);
		arg->frame.start_us = some(100000000);
		arg->frame.period_us = some(50000);
		arg->frame.exposure_us = some(50000);
		break;
	case NST_IOC_CAPTURE:
		arg->capture.temp_mc = (int)some(200000) - 50000;
		arg->capture.deadline_us = some(200000);
		arg->capture.frames = some(4);
		break;
	case NST_IOC_CAPTURE_CANCEL:
		arg->cancel.id = some(2000);
		break;
	case NST_IOC_SET_LIMITS:
		arg->limits.low_mc = (int)some(120000) - 20000;
		arg->limits.high_mc = arg->limits.low_mc + (int)some(30000);
		arg->limits.max_mc = arg->limits.high_mc + (int)some(9000);
		arg->limits.capture_mc = some(2) ? 1000000 : 60000;
		break;
	default:
		break;
	}
	if (!some(8)) {
		for (i = 0; i < sizeof(arg->bytes); i++)
			arg->bytes[i] = (unsigned char)some(256);
	}
}

static int allowed(int err)
{
	switch (err) {
	case EINVAL: case EPERM: case EBUSY: case ERANGE: case ENODATA:
	case ENOENT: case EACCES:
		return 1;
	default:
		return 0;
	}
}

static int storm(const char *device, unsigned long calls, unsigned int who)
{
	unsigned long taken = 0, refused = 0, leases = 0, i;
	int fd = open(device, O_RDWR);
	union arg arg;
	int bad = 0;

	if (fd < 0) {
		perror(device);
		return 2;
	}
	seed = who + 1;
	for (i = 0; i < calls; i++) {
		unsigned long cmd = cmds[some(8)];

		fill(cmd, &arg);
		if (!ioctl(fd, cmd, &arg)) {
			taken++;
			leases += cmd == NST_IOC_LEASE;
		} else if (allowed(errno)) {
			refused++;
		} else {
			printf("# command %#lx: %s\n", cmd, strerror(errno));
			bad = 1;
		}
		if (i % 16 == 15)
			usleep(200);
	}
	close(fd);
	printf("# process %u: %lu taken, %lu of them about the lease; %lu refused\n",
	       who, taken, leases, refused);
	return bad || !taken || !leases || !refused;
}

int main(int argc, char **argv)
{
	unsigned int who;
	int bad = 0, status;

	if (argc != 3) {
		fprintf(stderr, "usage: nst_storm DEVICE CALLS\n");
		return 2;
	}
	for (who = 0; who < 2; who++) {
		switch (fork()) {
		case 0:
			status = storm(argv[1], strtoul(argv[2], NULL, 0),
				       who);
			fflush(stdout);
			_exit(status);
		case -1:
			perror("fork");
			return 2;
		default:
			break;
		}
	}
	while (wait(&status) > 0)
		bad |= !WIFEXITED(status) || WEXITSTATUS(status);
	return bad;
}
