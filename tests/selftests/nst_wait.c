// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_wait.c - nst_wait FILE MS: wait for a sysfs file to wake up poll()
 *
 * Reads the file, prints "ready", waits for POLLPRI and prints "woken" or,
 * after MS milliseconds, "timeout" (exit status 1).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct pollfd pfd = { .events = POLLPRI };
	char text[4096];
	int n;

	if (argc != 3) {
		fprintf(stderr, "usage: nst_wait FILE MS\n");
		return 2;
	}
	pfd.fd = open(argv[1], O_RDONLY);
	if (pfd.fd < 0 || read(pfd.fd, text, sizeof(text)) < 0) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
		return 2;
	}
	puts("ready");
	fflush(stdout);
	n = poll(&pfd, 1, atoi(argv[2]));
	if (n < 0) {
		fprintf(stderr, "poll: %s\n", strerror(errno));
		return 2;
	}
	puts(n && pfd.revents & POLLPRI ? "woken" : "timeout");
	return n ? 0 : 1;
}
