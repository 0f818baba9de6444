// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_window.c - nst_window DEVICE SIM FROM_US LEN_US SLACK_US
 *
 * Takes the lease of a stack on the step clock, asks for run in a window of
 * each period, and looks at the edges of 40 periods: one that opens FROM_US
 * after the boundary and one that closes LEN_US later, at most SLACK_US late,
 * and one change of placement in all. Then a request for standby ends it.
 * Prints KTAP; an edge at the boundary itself is told with the frame.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "uapi/nst.h"

#define PERIODS 40
#define STEP_US 250

static int dev, sim, failed, tests;

struct seen {
	uint64_t start_us;
	unsigned int frames, opened, closed, wrong, seasons;
};

static void result(int good, const char *name)
{
	failed += !good;
	printf("%sok %d - %s\n", good ? "" : "not ", ++tests, name);
}

static int advance(unsigned int us)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", us);

	return pwrite(sim, text, (size_t)len, 0) == len ? 0 : -1;
}

static void take(const struct nst_uapi_event *ev, uint64_t from_us,
		 uint64_t len_us, uint64_t slack_us, struct seen *s)
{
	uint64_t at_us = ev->t_us - s->start_us;

	if (ev->type == NST_EVENT_FRAME) {
		s->start_us = ev->t_us;
		s->frames++;
	} else if (ev->type == NST_EVENT_SEASON) {
		s->seasons++;
	} else if (ev->type == NST_EVENT_GATE && ev->code == NST_UGATE_RUN) {
		s->opened++;
		s->wrong += at_us < from_us || at_us > from_us + slack_us;
	} else if (ev->type == NST_EVENT_GATE) {
		s->closed++;
		s->wrong += at_us < from_us + len_us ||
			    at_us > from_us + len_us + slack_us;
	}
}

/* A call settles what is due, so edges are at most a step late. */
static int watch(unsigned int periods, uint64_t from_us, uint64_t len_us,
		 uint64_t slack_us, struct seen *s)
{
	struct nst_uapi_state state;
	struct nst_uapi_event ev[32];
	uint64_t last;

	memset(s, 0, sizeof(*s));
	if (ioctl(dev, NST_IOC_SAMPLE, &state))
		return -1;
	s->start_us = state.frame_start_us;
	last = state.frame_seq + periods;
	while (state.frame_seq <= last) {
		ssize_t len;

		if (advance(STEP_US) || ioctl(dev, NST_IOC_SAMPLE, &state))
			return -1;
		while ((len = read(dev, ev, sizeof(ev))) > 0) {
			for (size_t i = 0; i < (size_t)len / sizeof(ev[0]);
			     i++)
				take(&ev[i], from_us, len_us, slack_us, s);
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct nst_uapi_lease lease = { .op = NST_LEASE_TAKE,
					.heartbeat_ms = 60000 };
	struct nst_uapi_gate gate = { .when = NST_GATE_WHEN_FRAME,
				      .flags = NST_GATE_PLACEMENT,
				      .gate = NST_UGATE_STANDBY,
				      .placement = NST_UPLACE_PAUSED };
	uint64_t from_us, len_us, slack_us;
	char path[256];
	struct seen s;

	if (argc != 6)
		return 2;
	from_us = strtoull(argv[3], NULL, 10);
	len_us = strtoull(argv[4], NULL, 10);
	slack_us = strtoull(argv[5], NULL, 10);
	snprintf(path, sizeof(path), "%s/advance_us", argv[2]);
	dev = open(argv[1], O_RDWR | O_NONBLOCK);
	sim = open(path, O_WRONLY);
	if (dev < 0 || sim < 0 || ioctl(dev, NST_IOC_LEASE, &lease) ||
	    ioctl(dev, NST_IOC_SET_GATE, &gate) ||
	    watch(3, 0, 0, 0, &s)) {
		perror("nst_window");
		return 1;
	}

	printf("1..4\n");
	gate.gate = NST_UGATE_RUN;
	gate.placement = NST_UPLACE_NEAR;
	gate.flags |= NST_GATE_WINDOW;
	gate.offset_us = (uint32_t)from_us;
	gate.window_us = (uint32_t)len_us;
	result(!ioctl(dev, NST_IOC_SET_GATE, &gate) &&
	       gate.ret_applied == NST_UGATE_RUN && !gate.ret_clamped,
	       "a window is taken");
	if (watch(PERIODS, from_us, len_us, slack_us, &s))
		perror("nst_window");
	printf("# %u frames, %u edges open, %u close, %u wrong, %u seasons\n",
	       s.frames, s.opened, s.closed, s.wrong, s.seasons);
	/* the period in which it was asked for had none */
	result(s.frames == PERIODS + 1 && s.opened >= PERIODS &&
	       s.closed >= PERIODS - 1 && !s.wrong,
	       "every period opens and closes where it was told");
	result(s.seasons == 1, "the placement is one all the time");

	gate.gate = NST_UGATE_STANDBY;
	gate.placement = NST_UPLACE_PAUSED;
	gate.flags = NST_GATE_PLACEMENT;
	gate.offset_us = 0;
	gate.window_us = 0;
	if (ioctl(dev, NST_IOC_SET_GATE, &gate) ||
	    watch(2, from_us, len_us, slack_us, &s))
		perror("nst_window");
	if (watch(10, from_us, len_us, slack_us, &s))
		perror("nst_window");
	result(s.frames == 11 && !s.opened && !s.closed,
	       "another request ends it");
	return !!failed;
}
