// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_ioctl.c - nst_ioctl DEVICE: every call of /dev/nstN, with good
 * arguments and with bad ones
 *
 * The device's frames come from its provider and its clock may stand still:
 * nothing here waits for time to pass. Prints KTAP.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uapi/nst.h"

static const char *device;
static int tests, failed;

static void result(bool good, const char *name)
{
	tests++;
	if (!good)
		failed++;
	printf("%sok %d %s\n", good ? "" : "not ", tests, name);
}

/* 0 or the errno of an ioctl. */
static int call(int fd, unsigned long cmd, void *arg)
{
	return ioctl(fd, cmd, arg) ? errno : 0;
}

static void expect(int want, int got, const char *name)
{
	if (want != got)
		printf("# want %s, got %s\n", want ? strerror(want) : "0",
		       got ? strerror(got) : "0");
	result(want == got, name);
}

static int lease_op(int fd, __u32 op)
{
	struct nst_uapi_lease lease = { .op = op };

	return call(fd, NST_IOC_LEASE, &lease);
}

static int reopen(int flags)
{
	int fd = open(device, flags);

	if (fd < 0) {
		printf("Bail out! %s: %s\n", device, strerror(errno));
		exit(1);
	}
	return fd;
}

/* ---------------------------------------------------------- information */

static void test_info(int fd)
{
	struct nst_uapi_info info;
	struct nst_uapi_state state;

	memset(&info, 0xff, sizeof(info));
	expect(0, call(fd, NST_IOC_INFO, &info), "INFO");
	result(info.abi_version == NST_ABI_VERSION &&
	       !strcmp(info.provider, "nst-sim") && info.channels == 3 &&
	       !strcmp(info.label[0], "die") &&
	       info.caps & NST_CAP_GATE_STANDBY && info.clock_id == -1 &&
	       info.gate_power_mw[NST_UGATE_RUN] >
		       info.gate_power_mw[NST_UGATE_STANDBY],
	       "INFO tells provider, channels, caps, power");
	result(!info.reserved[0] && !info.reserved[7], "INFO clears its pad");

	memset(&state, 0xff, sizeof(state));
	expect(0, call(fd, NST_IOC_SAMPLE, &state), "SAMPLE");
	result(state.channels == 3 && state.sample[0].state == 0 &&
	       state.sample[2].state == 0 &&
	       state.sample[0].value_mc > 0 &&
	       state.sample[0].value_mc < 200000 &&
	       state.sample[0].t_us <= state.now_us + 1000000 &&
	       state.frame_source == NST_UFRAMES_PROVIDER &&
	       state.frame_period_us >= 1000 &&
	       state.bound_permyriad == 10000,
	       "SAMPLE tells temperatures, frames, bound");
	result(!state.reserved[0] && !state.sample[0].flags,
	       "SAMPLE clears its pad");
}

/* ------------------------------------------------------------ bad calls */

static void test_numbers(int fd)
{
	char big[4096] = { 0 };

	expect(ENOTTY, call(fd, _IOR(NST_IOC, 0x00, char[4]), big),
	       "INFO of another size is no ioctl");
	expect(ENOTTY, call(fd, _IOWR(NST_IOC, 0x03, char[4000]), big),
	       "SET_GATE of another size is no ioctl");
	expect(ENOTTY, call(fd, _IO(NST_IOC, 0x7f), big),
	       "an unknown number is no ioctl");
	expect(ENOTTY, call(fd, _IOW(NST_IOC, 0x01, struct nst_uapi_state),
			    big), "nor is one of another direction");
	expect(EFAULT, call(fd, NST_IOC_INFO, NULL), "INFO to nowhere");
	expect(EFAULT, call(fd, NST_IOC_SET_GATE, NULL), "SET_GATE from "
	       "nowhere");
}

static void test_lease(int fd)
{
	struct nst_uapi_lease lease;
	int other = reopen(O_RDWR), reader = reopen(O_RDONLY);
	int third;

	expect(EPERM, lease_op(fd, NST_LEASE_RENEW),
	       "RENEW of no lease");
	expect(EPERM, lease_op(fd, NST_LEASE_GIVE_BACK),
	       "GIVE_BACK of no lease");
	expect(EINVAL, lease_op(fd, 0), "LEASE without an operation");
	expect(EINVAL, lease_op(fd, 4), "LEASE with an unknown operation");
	expect(EPERM, lease_op(reader, NST_LEASE_TAKE),
	       "a lease needs write permission");

	memset(&lease, 0, sizeof(lease));
	lease.op = NST_LEASE_TAKE;
	lease.flags = 1;
	expect(EINVAL, call(fd, NST_IOC_LEASE, &lease),
	       "LEASE with an unknown flag");
	lease.flags = 0;
	lease.reserved = 1;
	expect(EINVAL, call(fd, NST_IOC_LEASE, &lease),
	       "LEASE with a reserved field");
	lease.reserved = 0;
	lease.heartbeat_ms = 1;
	expect(EINVAL, call(fd, NST_IOC_LEASE, &lease),
	       "a heartbeat of 1 ms");
	lease.heartbeat_ms = 3600000;
	expect(EINVAL, call(fd, NST_IOC_LEASE, &lease),
	       "a heartbeat of an hour");

	lease.heartbeat_ms = 5000;
	expect(0, call(fd, NST_IOC_LEASE, &lease), "LEASE taken");
	result(lease.heartbeat_ms == 5000, "with the heartbeat asked for");
	expect(EBUSY, lease_op(other, NST_LEASE_TAKE), "a second lease");
	expect(EBUSY, lease_op(other, NST_LEASE_RENEW),
	       "RENEW of another's lease");
	expect(EBUSY, lease_op(other, NST_LEASE_GIVE_BACK),
	       "GIVE_BACK of another's lease");
	expect(0, lease_op(fd, NST_LEASE_TAKE), "TAKE of one's own");
	expect(0, lease_op(fd, NST_LEASE_RENEW), "RENEW");
	expect(0, lease_op(fd, NST_LEASE_GIVE_BACK), "GIVE_BACK");
	expect(0, lease_op(other, NST_LEASE_TAKE), "then another takes it");
	close(other);
	third = reopen(O_RDWR);
	expect(0, lease_op(third, NST_LEASE_TAKE), "close() gives it back");
	close(third);
	close(reader);
}

static const struct bad_gate {
	struct nst_uapi_gate gate;
	int want;
	const char *name;
} bad_gates[] = {
	{ { .gate = 4 }, EINVAL, "gate 4" },
	{ { .gate = ~0u }, EINVAL, "gate -1" },
	{ { .when = 3 }, EINVAL, "an unknown when" },
	{ { .flags = 1u << 3 }, EINVAL, "an unknown flag" },
	{ { .flags = NST_GATE_WINDOW, .window_us = 1000 }, EINVAL,
	  "a window, now" },
	{ { .when = NST_GATE_WHEN_FRAME, .flags = NST_GATE_WINDOW }, EINVAL,
	  "a window of nothing" },
	{ { .when = NST_GATE_WHEN_FRAME, .window_us = 1000 }, EINVAL,
	  "a window without its flag" },
	{ { .gate = NST_UGATE_STANDBY, .when = NST_GATE_WHEN_FRAME,
	    .flags = NST_GATE_WINDOW, .window_us = 1000 }, EINVAL,
	  "a window of standby" },
	{ { .when = NST_GATE_WHEN_FRAME, .window_us = 20000000,
	    .flags = NST_GATE_WINDOW }, ERANGE, "a window beyond the frame" },
	{ { .when = NST_GATE_WHEN_FRAME, .window_us = ~0u, .offset_us = 2,
	    .flags = NST_GATE_WINDOW }, ERANGE, "a window around the clock" },
	{ { .flags = NST_GATE_EVERY_FRAME }, EINVAL, "every frame, now" },
	{ { .when = NST_GATE_WHEN_FRAME, .offset_us = 1 }, EINVAL,
	  "an offset at a boundary" },
	{ { .frame_seq = 5 }, EINVAL, "a frame, now" },
	{ { .placement = 1 }, EINVAL, "a placement without its flag" },
	{ { .flags = NST_GATE_PLACEMENT, .placement = 3 }, EINVAL,
	  "an unknown placement" },
	{ { .reserved = 1 }, EINVAL, "a reserved field" },
	{ { .when = NST_GATE_WHEN_OFFSET, .offset_us = 20000000 }, ERANGE,
	  "an offset beyond the frame" },
};

static void test_gate(int fd)
{
	struct nst_uapi_gate gate = { .when = NST_GATE_WHEN_NOW };
	struct nst_uapi_state before, after;
	char name[80];
	size_t i;

	expect(EPERM, call(fd, NST_IOC_SET_GATE, &gate),
	       "SET_GATE without a lease");
	lease_op(fd, NST_LEASE_TAKE);
	call(fd, NST_IOC_SAMPLE, &before);
	for (i = 0; i < sizeof(bad_gates) / sizeof(bad_gates[0]); i++) {
		gate = bad_gates[i].gate;
		snprintf(name, sizeof(name), "SET_GATE with %s",
			 bad_gates[i].name);
		expect(bad_gates[i].want, call(fd, NST_IOC_SET_GATE, &gate),
		       name);
	}
	call(fd, NST_IOC_SAMPLE, &after);
	result(before.gate == after.gate &&
	       before.gate_pending == after.gate_pending,
	       "and nothing has changed");

	memset(&gate, 0, sizeof(gate));
	gate.gate = NST_UGATE_STANDBY;
	expect(0, call(fd, NST_IOC_SET_GATE, &gate), "SET_GATE standby, now");
	call(fd, NST_IOC_SAMPLE, &after);
	result(gate.ret_applied == NST_UGATE_STANDBY && !gate.ret_clamped &&
	       after.gate == NST_UGATE_STANDBY, "is standby now");

	memset(&gate, 0, sizeof(gate));
	gate.gate = NST_UGATE_RUN;
	gate.when = NST_GATE_WHEN_FRAME;
	gate.frame_seq = after.frame_seq + 3;
	expect(0, call(fd, NST_IOC_SET_GATE, &gate),
	       "SET_GATE run, three frames on");
	result(gate.ret_frame_seq == after.frame_seq + 3,
	       "is meant for that frame");
	gate.frame_seq = 0;
	expect(0, call(fd, NST_IOC_SET_GATE, &gate),
	       "SET_GATE run, next frame");
	call(fd, NST_IOC_SAMPLE, &after);
	result(after.gate_pending == NST_UGATE_RUN, "is pending");

	memset(&gate, 0, sizeof(gate));
	gate.gate = NST_UGATE_STANDBY;
	gate.when = NST_GATE_WHEN_OFFSET;
	gate.offset_us = 1000;
	gate.flags = NST_GATE_EVERY_FRAME;
	expect(0, call(fd, NST_IOC_SET_GATE, &gate),
	       "SET_GATE at an offset of every frame");
	memset(&gate, 0, sizeof(gate));
	expect(0, call(fd, NST_IOC_SET_GATE, &gate), "SET_GATE run, now");
	lease_op(fd, NST_LEASE_GIVE_BACK);
}

static void test_limits(int fd)
{
	static const struct {
		struct nst_uapi_limits limits;
		const char *name;
	} bad[] = {
		{ { 70000, 70000, 1000000, 90000, 0, 0 }, "low = high" },
		{ { 91000, 70000, 1000000, 90000, 0, 0 }, "high above max" },
		{ { 80000, 70000, 1000000, 900000, 0, 0 }, "max above rated" },
		{ { 80000, 70000, 999999, 90000, 0, 0 }, "a wild capture" },
		{ { 80000, 70000, 1000000, 90000, 1, 0 }, "a flag" },
		{ { 80000, 70000, 1000000, 90000, 0, 1 }, "a reserved field" },
	};
	struct nst_uapi_limits limits = { 80000, 60000, 74000, 90000, 0, 0 };
	char name[80];
	size_t i;

	expect(EPERM, call(fd, NST_IOC_SET_LIMITS, &limits),
	       "SET_LIMITS without a lease");
	lease_op(fd, NST_LEASE_TAKE);
	expect(0, call(fd, NST_IOC_SET_LIMITS, &limits), "SET_LIMITS");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		limits = bad[i].limits;
		snprintf(name, sizeof(name), "SET_LIMITS with %s",
			 bad[i].name);
		expect(EINVAL, call(fd, NST_IOC_SET_LIMITS, &limits), name);
	}
	lease_op(fd, NST_LEASE_GIVE_BACK);
}

static void test_frame_and_capture(int fd)
{
	struct nst_uapi_frame frame = { .frame_seq = 1, .start_us = 1,
		.exposure_us = 1000, .period_us = 33333 };
	struct nst_uapi_capture capture = { .temp_mc = 60000,
		.deadline_us = 1000000, .frames = 1 };
	struct nst_uapi_capture_cancel cancel = { 0 };
	int reader = reopen(O_RDONLY), other = reopen(O_RDWR);
	int i, err = 0;

	expect(EPERM, call(fd, NST_IOC_FRAME, &frame),
	       "FRAME without a lease");
	lease_op(fd, NST_LEASE_TAKE);
	expect(EBUSY, call(fd, NST_IOC_FRAME, &frame),
	       "FRAME where the provider counts them");
	frame.flags = 1;
	expect(EINVAL, call(fd, NST_IOC_FRAME, &frame), "FRAME with a flag");
	frame.flags = 0;
	frame.period_us = 0;
	expect(ERANGE, call(fd, NST_IOC_FRAME, &frame),
	       "FRAME without a period");
	lease_op(fd, NST_LEASE_GIVE_BACK);

	expect(EPERM, call(reader, NST_IOC_CAPTURE, &capture),
	       "CAPTURE needs write permission");
	capture.flags = 1;
	expect(EINVAL, call(fd, NST_IOC_CAPTURE, &capture),
	       "CAPTURE with a flag");
	capture.flags = 0;
	capture.frames = 0;
	expect(EINVAL, call(fd, NST_IOC_CAPTURE, &capture),
	       "CAPTURE of no frame");
	capture.frames = 1;
	capture.temp_mc = 1000000;
	expect(EINVAL, call(fd, NST_IOC_CAPTURE, &capture),
	       "CAPTURE without a temperature");
	capture.temp_mc = 60000;
	expect(0, call(fd, NST_IOC_CAPTURE, &capture), "CAPTURE");
	cancel.id = capture.ret_id;
	expect(ENOENT, call(other, NST_IOC_CAPTURE_CANCEL, &cancel),
	       "CAPTURE_CANCEL of another's ticket");
	cancel.flags = 1;
	expect(EINVAL, call(fd, NST_IOC_CAPTURE_CANCEL, &cancel),
	       "CAPTURE_CANCEL with a flag");
	cancel.flags = 0;
	expect(0, call(fd, NST_IOC_CAPTURE_CANCEL, &cancel),
	       "CAPTURE_CANCEL");
	expect(ENOENT, call(fd, NST_IOC_CAPTURE_CANCEL, &cancel),
	       "CAPTURE_CANCEL again");
	for (i = 0; i < 100 && !err; i++)
		err = call(other, NST_IOC_CAPTURE, &capture);
	expect(EBUSY, err, "too many tickets");
	close(other);
	expect(0, call(fd, NST_IOC_CAPTURE, &capture),
	       "close() gives its tickets back");
	cancel.id = capture.ret_id;
	call(fd, NST_IOC_CAPTURE_CANCEL, &cancel);
	close(reader);
}

/* --------------------------------------------------------------- events */

static void test_events(void)
{
	int fd = reopen(O_RDWR | O_NONBLOCK);
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct nst_uapi_event ev[4];
	struct nst_uapi_gate gate = { .gate = NST_UGATE_STANDBY };
	struct nst_uapi_limits limits = { 80000, 60000, 74000, 90000, 0, 0 };
	struct nst_uapi_lease lease = { .op = NST_LEASE_TAKE,
					.heartbeat_ms = 60000 };
	long lost = 0, seen = 0;
	bool first = true, order = true;
	ssize_t len;
	int i;

	expect(EINVAL, read(fd, ev, sizeof(ev[0]) - 1) < 0 ? errno : 0,
	       "read() of less than a record");
	while (read(fd, ev, sizeof(ev)) > 0)
		;
	expect(EAGAIN, read(fd, ev, sizeof(ev)) < 0 ? errno : 0,
	       "read() of nothing does not wait if told so");

	/* Not every machine does what follows in a second. */
	call(fd, NST_IOC_LEASE, &lease);
	call(fd, NST_IOC_SET_GATE, &gate);
	result(poll(&pfd, 1, 1000) == 1 && pfd.revents & POLLIN,
	       "poll() tells of an event");
	len = read(fd, ev, sizeof(ev[0]) + 1);
	result(len == sizeof(ev[0]), "read() gives whole records");
	result(ev[0].version == NST_ABI_VERSION &&
	       ((ev[0].type == NST_EVENT_SEASON &&
		 ev[0].code == NST_UPLACE_PAUSED) ||
		ev[0].type != NST_EVENT_SEASON),
	       "with version and placement");

	/* More events than any ring holds: one for each new threshold. */
	for (i = 0; i < 8000; i++) {
		limits.high_mc = i % 2 ? 80000 : 81000;
		call(fd, NST_IOC_SET_LIMITS, &limits);
	}
	while ((len = read(fd, ev, sizeof(ev))) > 0) {
		for (i = 0; i < (int)(len / (ssize_t)sizeof(ev[0])); i++) {
			if (ev[i].type == NST_EVENT_LOST) {
				order = order && first;
				lost += (long)ev[i].value;
			} else {
				seen++;
			}
			first = false;
		}
	}
	printf("# %ld lost, %ld seen\n", lost, seen);
	result(order && lost > 0 && seen >= 1000 && lost + seen >= 8000,
	       "a slow reader is told how many records it lost");
	lease_op(fd, NST_LEASE_GIVE_BACK);
	close(fd);
}

/* -------------------------------------------- 32-bit program, 64-bit kernel */

#if defined(__x86_64__)
static bool user_mode_linux(void)
{
	char line[256];
	FILE *f = fopen("/proc/cpuinfo", "r");
	bool uml = false;

	while (f && fgets(line, sizeof(line), f))
		uml = uml || strstr(line, "User Mode Linux");
	if (f)
		fclose(f);
	return uml;
}

/* ioctl as a 32-bit program makes it: its gate, pointers below 4 GiB. */
static int call32(int fd, unsigned long cmd, void *arg)
{
	long ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(54L), "b"((long)fd), "c"(cmd), "d"(arg)
			 : "memory", "r8", "r9", "r10", "r11");
	return (int)-(int)ret;
}

static void test_compat(int fd)
{
	struct nst_uapi_state *state, native;
	struct nst_uapi_lease *lease;
	char *low;

	if (user_mode_linux()) {
		tests++;
		printf("ok %d compat_ioctl # SKIP no 32-bit programs here\n",
		       tests);
		return;
	}
	low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (low == MAP_FAILED) {
		result(false, "memory below 4 GiB");
		return;
	}
	state = (struct nst_uapi_state *)low;
	call(fd, NST_IOC_SAMPLE, &native);
	expect(0, call32(fd, NST_IOC_SAMPLE, state), "SAMPLE by a 32-bit "
	       "program");
	result(state->frame_period_us == native.frame_period_us &&
	       state->channels == native.channels,
	       "says the same to it");
	lease = (struct nst_uapi_lease *)(low + 1024);
	lease->op = NST_LEASE_TAKE;
	lease->flags = 8;
	expect(EINVAL, call32(fd, NST_IOC_LEASE, lease),
	       "and its flags are checked too");
	munmap(low, 4096);
}
#else
static void test_compat(int fd)
{
	(void)fd;
}
#endif

int main(int argc, char **argv)
{
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: nst_ioctl DEVICE\n");
		return 2;
	}
	device = argv[1];
	puts("KTAP version 1");
	fd = reopen(O_RDWR);
	test_info(fd);
	test_numbers(fd);
	test_lease(fd);
	test_gate(fd);
	test_limits(fd);
	test_frame_and_capture(fd);
	test_events();
	test_compat(fd);
	close(fd);
	printf("1..%d\n", tests);
	return failed != 0;
}
