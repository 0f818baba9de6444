// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_stress.c - nst_stress [-n THREADS] DEVICE: keep a device busy
 *
 * Readers blocked in read() and poll(), lease takers, gate changes, samples
 * and captures from several threads on files of their own, until the device
 * goes away: then every call has to fail with ENODEV, and every file has to
 * close. Prints "busy" once all are at work and "gone N" at the end, N being
 * the calls made. Exit status 1 when a call failed in a way it must not.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "uapi/nst.h"

static const char *device;
static atomic_ulong calls;
static atomic_int wrong;
static atomic_int at_work;

static void expect_gone(const char *what)
{
	if (errno == ENODEV)
		return;
	printf("# %s: %s\n", what, strerror(errno));
	atomic_store(&wrong, 1);
}

/*
 * Where guest time stands still while the guest computes, it has to sleep, and
 * not in such small steps: every one of them is simulated.
 */
static void pause_briefly(void)
{
	const char *travel = getenv("NST_TIME_TRAVEL");

	usleep(travel && *travel ? 500 : 20);
}

static void read_events(int fd)
{
	struct nst_uapi_event ev[8];

	for (;;) {
		if (read(fd, ev, sizeof(ev)) < 0) {
			expect_gone("read");
			return;
		}
		atomic_fetch_add(&calls, 1);
	}
}

static void poll_events(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct nst_uapi_event ev;

	for (;;) {
		if (poll(&pfd, 1, 5000) < 0) {
			expect_gone("poll");
			return;
		}
		atomic_fetch_add(&calls, 1);
		if (pfd.revents & POLLHUP) {
			errno = ENODEV;
			return;
		}
		if (read(fd, &ev, sizeof(ev)) < 0 && errno != EAGAIN) {
			expect_gone("read after poll");
			return;
		}
	}
}

static void govern(int fd)
{
	struct nst_uapi_lease lease;
	struct nst_uapi_gate gate;
	unsigned int turn = 0;

	for (;; turn++) {
		memset(&lease, 0, sizeof(lease));
		lease.op = turn % 8 == 7 ? NST_LEASE_GIVE_BACK :
					   NST_LEASE_TAKE;
		if (ioctl(fd, NST_IOC_LEASE, &lease) && errno != EBUSY &&
		    errno != EPERM) {
			expect_gone("LEASE");
			return;
		}
		memset(&gate, 0, sizeof(gate));
		gate.gate = turn % 2;
		gate.when = turn % 3;
		gate.offset_us = gate.when == NST_GATE_WHEN_OFFSET ? 500 : 0;
		if (ioctl(fd, NST_IOC_SET_GATE, &gate) && errno != EBUSY &&
		    errno != EPERM) {
			expect_gone("SET_GATE");
			return;
		}
		atomic_fetch_add(&calls, 2);
		pause_briefly();
	}
}

static void look(int fd)
{
	struct nst_uapi_capture capture;
	struct nst_uapi_state state;

	for (;;) {
		if (ioctl(fd, NST_IOC_SAMPLE, &state)) {
			expect_gone("SAMPLE");
			return;
		}
		memset(&capture, 0, sizeof(capture));
		capture.temp_mc = 40000;
		capture.deadline_us = 100000;
		capture.frames = 1;
		if (ioctl(fd, NST_IOC_CAPTURE, &capture) && errno != EBUSY) {
			expect_gone("CAPTURE");
			return;
		}
		atomic_fetch_add(&calls, 2);
		pause_briefly();
	}
}

static void (*const jobs[])(int fd) = { read_events, poll_events, govern,
					look };

static void *work(void *arg)
{
	size_t job = (size_t)arg;
	int fd;

	fd = open(device, O_RDWR | (job % 4 == 1 ? O_NONBLOCK : 0));
	if (fd < 0) {
		printf("# %s: %s\n", device, strerror(errno));
		atomic_store(&wrong, 1);
		atomic_fetch_add(&at_work, 1);
		return NULL;
	}
	atomic_fetch_add(&at_work, 1);
	jobs[job % 4](fd);
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	size_t threads = 8, i;
	pthread_t *thread;
	int opt;

	while ((opt = getopt(argc, argv, "n:")) != -1) {
		if (opt != 'n')
			return 2;
		threads = (size_t)atoi(optarg);
	}
	if (optind + 1 != argc || !threads) {
		fprintf(stderr, "usage: nst_stress [-n THREADS] DEVICE\n");
		return 2;
	}
	device = argv[optind];
	thread = calloc(threads, sizeof(*thread));
	if (!thread)
		return 2;
	for (i = 0; i < threads; i++) {
		if (pthread_create(&thread[i], NULL, work, (void *)i))
			return 2;
	}
	while ((size_t)atomic_load(&at_work) < threads)
		usleep(1000);
	puts("busy");
	fflush(stdout);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	free(thread);
	printf("gone %lu\n", atomic_load(&calls));
	return atomic_load(&wrong);
}
