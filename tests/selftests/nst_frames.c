// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_frames.c - nst_frames DEVICE: a lease holder that tells the frames
 *
 * For a device without a frame source, on a clock that runs. Tells 20 frames
 * of 50 ms, is silent for a second while the kernel's timer carries the
 * phase on, tells frames again, and leaves. Prints KTAP.
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

#define PERIOD_US 50000

static int fd, tests, failed;

static void result(bool good, const char *name)
{
	tests++;
	if (!good)
		failed++;
	printf("%sok %d %s\n", good ? "" : "not ", tests, name);
}

static int call(unsigned long cmd, void *arg)
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

static struct nst_uapi_state now(void)
{
	struct nst_uapi_state state = { 0 };

	if (call(NST_IOC_SAMPLE, &state)) {
		printf("Bail out! SAMPLE: %s\n", strerror(errno));
		exit(1);
	}
	return state;
}

/*
 * A machine that is late by some periods finds the frames stalled: till the
 * timer has made the next one.
 */
static struct nst_uapi_state framed(void)
{
	struct nst_uapi_state state = now();
	int i;

	for (i = 0; i < 20000 && !state.next_start_us; i++) {
		usleep(1000);
		state = now();
	}
	return state;
}

/* There are no frames to wait for; a gate behind a bus takes the bus's time. */
static bool gated(void)
{
	int i;

	for (i = 0; i < 20000 && now().gate != NST_UGATE_STANDBY; i++)
		usleep(1000);
	return i < 20000;
}

static bool carried_on(const struct nst_uapi_state *state,
		       const struct nst_uapi_state *since)
{
	return state->frame_source == NST_UFRAMES_TIMER &&
	       state->frame_seq >= since->frame_seq + 10 &&
	       state->phase_age_us >= 800000 && state->gate == NST_UGATE_RUN;
}

static int tell(__u64 seq, __u64 start_us)
{
	struct nst_uapi_frame frame = {
		.frame_seq = seq,
		.start_us = start_us,
		.exposure_us = 10000,
		.readout_us = 1000,
		.period_us = PERIOD_US,
	};

	return call(NST_IOC_FRAME, &frame);
}

/* The ring and some seconds of samples: more records than can come before. */
static bool told_missed(__u32 id)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct nst_uapi_event ev;
	int i;

	for (i = 0; i < 3000; i++) {
		if (poll(&pfd, 1, 5000) != 1 ||
		    read(fd, &ev, sizeof(ev)) != sizeof(ev))
			return false;
		if (ev.type == NST_EVENT_CAPTURE_MISSED && ev.id == id)
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	struct nst_uapi_lease lease = { .op = NST_LEASE_TAKE,
					.heartbeat_ms = 60000 };
	struct nst_uapi_capture capture = { .temp_mc = 60000,
					    .deadline_us = 100000,
					    .frames = 1 };
	struct nst_uapi_gate gate = { .when = NST_GATE_WHEN_OFFSET,
				      .offset_us = 1000 };
	struct nst_uapi_state state, later;
	__u64 start_us, told_us, seq;
	int i, err = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: nst_frames DEVICE\n");
		return 2;
	}
	fd = open(argv[1], O_RDWR);
	if (fd < 0) {
		printf("Bail out! %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	puts("KTAP version 1\n1..25");
	state = now();
	result(state.frame_source == NST_UFRAMES_NONE, "no frames");
	expect(ENODATA, call(NST_IOC_CAPTURE, &capture),
	       "CAPTURE without frames");
	expect(0, call(NST_IOC_LEASE, &lease), "LEASE");
	expect(ENODATA, call(NST_IOC_SET_GATE, &gate),
	       "an offset without frames");
	memset(&gate, 0, sizeof(gate));
	gate.gate = NST_UGATE_STANDBY;
	gate.when = NST_GATE_WHEN_FRAME;
	expect(0, call(NST_IOC_SET_GATE, &gate),
	       "a gate at a boundary, without frames");
	result(gated(), "comes without one");

	/* The first one is now, the others when they are due. */
	start_us = now().now_us;
	for (seq = 100; seq < 120; seq++) {
		while (now().now_us < start_us)
			usleep(1000);
		err = err ? err : tell(seq, start_us);
		start_us += PERIOD_US;
	}
	expect(0, err, "20 frames told");
	state = now();
	/* On a slow machine the timer may have gone on already. */
	result(state.frame_seq >= 119 &&
	       (state.frame_start_us + 1000 * PERIOD_US - start_us) %
		       PERIOD_US == 0 &&
	       state.frame_period_us == PERIOD_US &&
	       state.exposure_us == 10000, "SAMPLE says so");
	expect(ERANGE, tell(120, start_us - PERIOD_US),
	       "the same frame again");
	expect(ERANGE, tell(120, start_us - 2 * PERIOD_US),
	       "a frame of the past");
	expect(ERANGE, tell(120, state.now_us + 1000 * PERIOD_US),
	       "a frame of the future");
	memset(&gate, 0, sizeof(gate));
	gate.gate = NST_UGATE_RUN;
	gate.when = NST_GATE_WHEN_FRAME;
	state = framed();
	call(NST_IOC_SET_GATE, &gate);
	later = now();
	result(gate.ret_frame_seq > state.frame_seq &&
	       gate.ret_frame_seq <= later.frame_seq + 1,
	       "a gate is meant for the next frame");

	usleep(1000000);
	later = framed();
	for (i = 0; i < 20000 && !carried_on(&later, &state); i++) {
		usleep(1000);
		later = framed();
	}
	result(later.frame_source == NST_UFRAMES_TIMER,
	       "the timer carries on");
	result(later.frame_seq >= state.frame_seq + 10,
	       "and counts frames");
	result((later.frame_start_us - state.frame_start_us) % PERIOD_US == 0,
	       "in phase");
	result(later.phase_age_us >= 800000,
	       "and says how old its phase is");
	result(later.gate == NST_UGATE_RUN, "the gate came with a frame");

	/* A camera that has restarted: numbers begin anew, time does not. */
	start_us = now().now_us;
	for (i = 0, err = 0; i < 5; i++) {
		while (now().now_us < start_us)
			usleep(1000);
		err = err ? err : tell((__u64)i + 1, start_us);
		start_us += PERIOD_US;
	}
	expect(0, err, "frames told again");
	state = framed();
	told_us = start_us - PERIOD_US;
	/* Half a frame after it was due the timer makes the one after them. */
	result((state.frame_source == NST_UFRAMES_USER ||
		state.now_us >= told_us + PERIOD_US * 3 / 2) &&
	       state.frame_seq >= 5 &&
	       state.phase_age_us == state.now_us - told_us,
	       "are the phase");
	/* Told when they are over, as by who waits for pictures. */
	for (i = 0, err = 0; i < 20; i++) {
		while (now().now_us < start_us + PERIOD_US * 6 / 5)
			usleep(1000);
		err = err ? err : tell((__u64)i + 6, start_us);
		start_us += PERIOD_US;
	}
	expect(0, err, "frames told a period late");
	state = now();
	result(state.frame_seq >= 25 &&
	       (state.frame_start_us + 1000 * PERIOD_US - start_us) %
		       PERIOD_US == 0,
	       "and are the phase still");
	/* The frames end while somebody waits for a cold one. */
	capture.temp_mc = -50000;
	capture.deadline_us = 500000;
	expect(0, call(NST_IOC_CAPTURE, &capture), "CAPTURE with frames");
	lease.op = NST_LEASE_GIVE_BACK;
	call(NST_IOC_LEASE, &lease);
	result(now().frame_source == NST_UFRAMES_NONE,
	       "without a holder there are no frames");
	result(told_missed(capture.ret_id),
	       "a deadline passes without frames too");
	result(now().gate == NST_UGATE_RUN, "and the gate is given back");
	close(fd);
	return failed != 0;
}
