// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_boundary.c - nst_boundary DEVICE DEBUGFS ROUNDS: requests and boundaries
 *
 * On a stack with the step clock whose gate takes no time. In each round the
 * clock is moved to some time inside a frame, down to a microsecond before
 * its end; the other gate is asked for at the boundary, and the clock moves
 * on past it. What the emulated hardware counted as time in run tells to the
 * microsecond when the gate changed: at the start of the next exposure, not
 * after it and not before. Exit status 1 with a line for each that was not.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "uapi/nst.h"

static const char *debugfs;

static unsigned long long truth(const char *key)
{
	unsigned long long value;
	char path[256], name[64], text[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/truth", debugfs);
	f = fopen(path, "r");
	while (f && fscanf(f, "%63s %63s", name, text) == 2) {
		if (strcmp(name, key))
			continue;
		fclose(f);
		value = strtoull(text, NULL, 10);
		return value;
	}
	fprintf(stderr, "nst_boundary: no %s in %s\n", key, path);
	exit(2);
}

static void advance_us(unsigned long long us)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/advance_us", debugfs);
	f = fopen(path, "w");
	if (!f || fprintf(f, "%llu", us) < 0 || fclose(f)) {
		perror(path);
		exit(2);
	}
}

static void call(int fd, unsigned long cmd, void *arg, const char *what)
{
	if (!ioctl(fd, cmd, arg))
		return;
	fprintf(stderr, "nst_boundary: %s: %s\n", what, strerror(errno));
	exit(2);
}

int main(int argc, char **argv)
{
	struct nst_uapi_lease lease = {
		.op = NST_LEASE_TAKE,
		.heartbeat_ms = 600000,
	};
	unsigned long rounds, i;
	int fd, bad = 0;

	if (argc != 4) {
		fprintf(stderr,
			"usage: nst_boundary DEVICE DEBUGFS ROUNDS\n");
		return 2;
	}
	debugfs = argv[2];
	rounds = strtoul(argv[3], NULL, 0);
	fd = open(argv[1], O_RDWR);
	if (fd < 0) {
		perror(argv[1]);
		return 2;
	}
	call(fd, NST_IOC_LEASE, &lease, "LEASE");
	srand(1);
	for (i = 0; i < rounds; i++) {
		struct nst_uapi_gate gate = {
			.when = NST_GATE_WHEN_FRAME,
			.gate = i & 1 ? NST_UGATE_RUN : NST_UGATE_STANDBY,
		};
		unsigned long long left, before, past, want, got, run;
		struct nst_uapi_state state;

		call(fd, NST_IOC_SAMPLE, &state, "SAMPLE");
		left = state.next_start_us - state.now_us;
		/* Anywhere, and every fourth time as late as can be. */
		before = i % 4 == 3 ? 1 : 1 + (unsigned long long)rand() %
						      left;
		if (left > before)
			advance_us(left - before);
		run = truth("time_run_us");
		call(fd, NST_IOC_SET_GATE, &gate, "SET_GATE");
		past = 1 + (unsigned long long)rand() % 20000;
		advance_us(before + past);
		got = truth("time_run_us") - run;
		want = gate.gate == NST_UGATE_RUN ? past : before;
		call(fd, NST_IOC_SAMPLE, &state, "SAMPLE");
		if (got != want || gate.ret_frame_seq != state.frame_seq ||
		    state.gate != gate.gate ||
		    state.gate_since_us != state.frame_start_us) {
			printf("# round %lu: asked %llu us before frame %llu, in run %llu us of %llu\n",
			       i, before,
			       (unsigned long long)gate.ret_frame_seq, got,
			       want);
			bad = 1;
		}
	}
	printf("# %lu requests\n", rounds);
	return bad;
}
