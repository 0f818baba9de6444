// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_ahead.c - nst_ahead DEVICE SIM NST: a holder that works right at the ceiling
 *
 * On a stack with the step clock whose die is slow. Runs every other period
 * and says so 1 ms after the boundary before, as a governor does; the ceiling
 * is where two periods in a row would cross it. The kernel has nothing to do
 * there. Then the holder says nothing any more and the gate stays open, or
 * opens it in the middle of a period: then it has. Prints KTAP.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "step_holder.h"

#define SAY_US 1000

static int failed, tests;
static const char *nst;

static void result(int good, const char *name)
{
	failed += !good;
	printf("%sok %d - %s\n", good ? "" : "not ", ++tests, name);
}

static unsigned long entries(void)
{
	char path[256], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/stats/failsafe_entries", nst);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		die(path);
	close(fd);
	return strtoul(text, NULL, 10);
}

/* Highest estimate at a boundary, and changes to run, since it was cleared. */
static int32_t hottest_mc;
static unsigned int opened;

static struct nst_uapi_state sample(void)
{
	struct nst_uapi_state state;
	struct nst_uapi_event ev;

	if (ioctl(dev, NST_IOC_SAMPLE, &state))
		die("SAMPLE");
	while (read(dev, &ev, sizeof(ev)) == sizeof(ev)) {
		if (ev.type == NST_EVENT_SAMPLE && ev.value > hottest_mc)
			hottest_mc = (int32_t)ev.value;
		if (ev.type == NST_EVENT_GATE && ev.code == NST_UGATE_RUN)
			opened++;
	}
	return state;
}

/* To SAY_US after the next boundary. */
static void next_period(void)
{
	struct nst_uapi_state state = sample();

	advance(state.next_start_us + SAY_US - state.now_us);
	sample();
}

static struct nst_uapi_gate ask(uint32_t gate, uint32_t when)
{
	struct nst_uapi_gate req = { .gate = gate, .when = when };

	if (ioctl(dev, NST_IOC_SET_GATE, &req))
		die("SET_GATE");
	return req;
}

/* Every other period runs. Return: requests that were not taken as asked. */
static unsigned int alternate(unsigned int periods)
{
	unsigned int clamped = 0;

	for (unsigned int i = 0; i < periods; i++) {
		clamped += ask(i & 1 ? NST_UGATE_STANDBY : NST_UGATE_RUN,
			       NST_GATE_WHEN_FRAME).ret_clamped;
		next_period();
	}
	return clamped;
}

int main(int argc, char **argv)
{
	struct nst_uapi_lease lease = { .op = NST_LEASE_TAKE,
					.heartbeat_ms = 600000 };
	struct nst_uapi_gate gate;
	unsigned int clamped;
	unsigned long was;
	int32_t max_mc;
	char path[256];

	if (argc != 4)
		return 2;
	nst = argv[3];
	snprintf(path, sizeof(path), "%s/advance_us", argv[2]);
	dev = open(argv[1], O_RDWR | O_NONBLOCK);
	sim = open(path, O_WRONLY);
	if (dev < 0 || sim < 0 || ioctl(dev, NST_IOC_LEASE, &lease))
		die(argv[1]);

	puts("1..7");
	alternate(600);
	hottest_mc = 0;
	alternate(40);
	max_mc = hottest_mc + 1000;
	set_max(max_mc, 10000);
	was = entries();
	hottest_mc = 0;
	opened = 0;
	clamped = alternate(200);
	printf("# ceiling %d mC, hottest %d, %u runs, %u clamped\n", max_mc,
	       hottest_mc, opened, clamped);
	result(opened == 100 && !clamped,
	       "what stays under the ceiling is as asked");
	result(entries() == was, "and the kernel does not step in");

	/* The last word was standby: one run, then silence. */
	ask(NST_UGATE_RUN, NST_GATE_WHEN_FRAME);
	hottest_mc = 0;
	for (int i = 0; i < 20; i++)
		next_period();
	printf("# silent: hottest %d\n", hottest_mc);
	result(entries() > was, "a holder that is silent is stopped");
	result(hottest_mc < max_mc, "before it crosses");

	/* Back to where one run is all there is room for. */
	ask(NST_UGATE_STANDBY, NST_GATE_WHEN_FRAME);
	set_max(140000, 10000);
	alternate(40);
	set_max(max_mc, 10000);
	ask(NST_UGATE_RUN, NST_GATE_WHEN_FRAME);
	next_period();
	gate = ask(NST_UGATE_RUN, NST_GATE_WHEN_FRAME);
	result(gate.ret_clamped && gate.ret_applied == NST_UGATE_STANDBY,
	       "a second run in a row is clamped when it is asked for");
	next_period();

	ask(NST_UGATE_STANDBY, NST_GATE_WHEN_FRAME);
	next_period();
	set_max(sample().sample[0].value_mc + 1500, 10000);
	next_period();
	opened = 0;
	gate = ask(NST_UGATE_RUN, NST_GATE_WHEN_NOW);
	sample();
	result(gate.ret_clamped && !opened,
	       "a run at once that would cross does not open");
	hottest_mc = 0;
	next_period();
	result(!opened, "nor afterwards");
	return failed != 0;
}
