// SPDX-License-Identifier: GPL-2.0-only
/*
 * mcu_gate_time.c - mcu_gate_time DEVICE COUNT END: how long SET_GATE takes
 *
 * Takes the lease of /dev/nstN and asks for standby and run in turn, now. END
 * is a file that tells when the bus write of the last call was over, in
 * nanoseconds of CLOCK_MONOTONIC. Prints the median and the least time from
 * the call to there, and the median to the return of the call, in nanoseconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "uapi/nst.h"

#define COUNT_MAX 10000

static unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (unsigned long long)ts.tv_sec * 1000000000ull +
	       (unsigned long long)ts.tv_nsec;
}

static int by_time(const void *a, const void *b)
{
	unsigned long long left = *(const unsigned long long *)a;
	unsigned long long right = *(const unsigned long long *)b;

	return left < right ? -1 : left > right;
}

static unsigned long long end_ns(int fd)
{
	char text[32];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	if (len <= 0)
		return 0;
	text[len] = '\0';
	return strtoull(text, NULL, 10);
}

static int fail(const char *what)
{
	fprintf(stderr, "mcu_gate_time: %s: %s\n", what, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	static unsigned long long ns[COUNT_MAX], whole_ns[COUNT_MAX];
	struct nst_uapi_lease lease = {
		.op = NST_LEASE_TAKE,
		.heartbeat_ms = 60000,
	};
	unsigned long long begin, end;
	int fd, end_fd, count, i;

	count = argc == 4 ? atoi(argv[2]) : 0;
	if (count < 1 || count > COUNT_MAX) {
		fprintf(stderr, "usage: mcu_gate_time DEVICE COUNT (1 to %d) END\n",
			COUNT_MAX);
		return 2;
	}
	fd = open(argv[1], O_RDWR);
	if (fd < 0)
		return fail(argv[1]);
	end_fd = open(argv[3], O_RDONLY);
	if (end_fd < 0)
		return fail(argv[3]);
	if (ioctl(fd, NST_IOC_LEASE, &lease))
		return fail("lease");
	for (i = 0; i < count; i++) {
		struct nst_uapi_gate gate = {
			.gate = i % 2 ? NST_UGATE_RUN : NST_UGATE_STANDBY,
			.when = NST_GATE_WHEN_NOW,
		};

		begin = now_ns();
		if (ioctl(fd, NST_IOC_SET_GATE, &gate))
			return fail("gate");
		whole_ns[i] = now_ns() - begin;
		end = end_ns(end_fd);
		if (end <= begin) {
			fprintf(stderr, "mcu_gate_time: no write was seen\n");
			return 1;
		}
		ns[i] = end - begin;
		if (gate.ret_applied != gate.gate) {
			fprintf(stderr, "mcu_gate_time: gate %u, not %u\n",
				gate.ret_applied, gate.gate);
			return 1;
		}
	}
	close(fd);
	close(end_fd);
	qsort(ns, (size_t)count, sizeof(ns[0]), by_time);
	qsort(whole_ns, (size_t)count, sizeof(whole_ns[0]), by_time);
	printf("%llu %llu %llu\n", ns[count / 2], ns[0], whole_ns[count / 2]);
	return 0;
}
