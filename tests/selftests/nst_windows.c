// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_windows.c - nst_windows DEVICE SIM AHEAD CASE: windows of the gate where
 * frames are told late, lost, corrected, or give way to something else
 *
 * On a stack with the step clock and no frame source: this is the holder, and
 * tells the frames. AHEAD is 1 where the gate takes edges ahead of their time.
 * All times are exact: what the kernel makes itself it makes when it is called
 * next. Prints KTAP. Two cases are for other stacks: "highest" prints what
 * SAMPLE has of it, and "wire" holds a window for three seconds where frames
 * come by themselves, and says how late its edges were at most. "wall" makes the
 * edges of a wire by hand, by the wall clock, and leaves the driver alone with
 * them: nobody settles it in between.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "step_holder.h"

#define PERIOD_US 50000
#define STEP_US 1000
#define EDGES_MAX 64

static int failed, tests;
static bool ahead;

/* The period told last, and the edges since it began. */
static uint64_t seq, start_us;

struct edge {
	uint64_t at_us;
	uint32_t gate;
};

static struct edge edge[EDGES_MAX];
static unsigned int edges;

static void result(bool good, const char *name)
{
	failed += !good;
	printf("%sok %d - %s\n", good ? "" : "not ", ++tests, name);
	for (unsigned int i = 0; !good && i < edges; i++)
		printf("# edge %u at %lld of period %llu\n", edge[i].gate,
		       (long long)(edge[i].at_us - start_us),
		       (unsigned long long)seq);
}

static struct nst_uapi_state sample(void)
{
	struct nst_uapi_state state;
	struct nst_uapi_event ev;

	if (ioctl(dev, NST_IOC_SAMPLE, &state))
		die("SAMPLE");
	while (read(dev, &ev, sizeof(ev)) == sizeof(ev)) {
		if (ev.type == NST_EVENT_GATE && edges < EDGES_MAX)
			edge[edges++] = (struct edge){ ev.t_us, ev.code };
	}
	return state;
}

/* To @us of the period told last, or after it, in steps. */
static struct nst_uapi_state to(uint64_t us)
{
	struct nst_uapi_state state = sample();

	while (state.now_us < start_us + us) {
		uint64_t left = start_us + us - state.now_us;

		advance(left < STEP_US ? left : STEP_US);
		state = sample();
	}
	return state;
}

static void told(uint64_t us, uint32_t period_us)
{
	struct nst_uapi_frame frame = {
		.frame_seq = ++seq,
		.start_us = start_us + us,
		.exposure_us = 5000,
		.period_us = period_us,
	};

	edges = 0;
	start_us += us;
	if (ioctl(dev, NST_IOC_FRAME, &frame))
		die("FRAME");
	sample();
}

/* The next period is told of @late_us after it began, with no call between. */
static void frame(uint64_t late_us)
{
	to(PERIOD_US - STEP_US);
	advance(STEP_US + late_us);
	told(PERIOD_US, PERIOD_US);
}

static int ask(uint32_t gate, uint32_t when, uint32_t flags, uint32_t from_us,
	       uint32_t len_us, struct nst_uapi_gate *ret)
{
	struct nst_uapi_gate req = {
		.gate = gate,
		.when = when,
		.flags = flags,
		.offset_us = from_us,
		.window_us = len_us,
	};
	int err = ioctl(dev, NST_IOC_SET_GATE, &req) ? errno : 0;

	if (ret)
		*ret = req;
	return err;
}

static void window(uint32_t from_us, uint32_t len_us)
{
	if (ask(NST_UGATE_RUN, NST_GATE_WHEN_FRAME, NST_GATE_WINDOW, from_us,
		len_us, NULL))
		die("SET_GATE");
}

static void shut(void)
{
	if (ask(NST_UGATE_STANDBY, NST_GATE_WHEN_NOW, 0, 0, 0, NULL))
		die("SET_GATE");
	sample();
	edges = 0;
}

/* One opening and one closing, and when. */
static bool ran(uint64_t from_us, uint64_t end_us)
{
	return edges == 2 && edge[0].gate == NST_UGATE_RUN &&
	       edge[1].gate == NST_UGATE_STANDBY &&
	       edge[0].at_us - start_us == from_us &&
	       edge[1].at_us - start_us == end_us;
}

static bool closed_at(uint64_t us)
{
	return edges && edge[edges - 1].gate == NST_UGATE_STANDBY &&
	       edge[edges - 1].at_us - start_us == us;
}

/* Two periods with a window, to begin with. */
static void begin(uint32_t from_us, uint32_t len_us)
{
	seq = 100;
	start_us = sample().now_us;
	told(0, PERIOD_US);
	shut();
	window(from_us, len_us);
	frame(0);
	to(from_us + len_us);
	result(ran(from_us, from_us + len_us), "told in time it is whole");
}

/* As hot as a window of the present power makes it, and a little more. */
static void just_enough(void)
{
	struct nst_uapi_state state;

	for (int i = 0; i < 10; i++)
		frame(0);
	state = sample();
	if (state.highest.state != NST_USAMPLE_VALID)
		die("no highest temperature");
	set_max(state.highest.value_mc + 1500, 5000);
}

/* ------------------------------------------------------------ told late */

static void late(void)
{
	puts("1..8");
	begin(10000, 20000);
	frame(15000);
	to(30000);
	result(ran(15000, 30000), "told late: what is left of it is used");
	frame(35000);
	to(45000);
	result(!edges, "told too late: none");
	frame(0);
	to(30000);
	result(ran(10000, 30000), "and whole again");

	frame(0);
	shut();
	window(0, 5000);
	frame(0);
	to(5000);
	result(ran(0, 5000), "one that begins with the period");
	frame(2000);
	to(5000);
	/* A gate that takes edges ahead has not waited for the frame. */
	result(ran(ahead ? 0 : 2000, 5000),
	       "told late: what is left of it is used");
	frame(10000);
	to(20000);
	result(ahead ? ran(0, 5000) : !edges, "told too late: none");
	frame(0);
	to(5000);
	result(ran(0, 5000), "and whole again");
}

/* ------------------------------------------------------------- one lost */

static void lost(void)
{
	struct nst_uapi_state state;

	puts("1..4");
	begin(0, 8000);
	frame(0);
	to(PERIOD_US);
	edges = 0;
	/* The boundary is not told, and its time goes by. */
	state = to(PERIOD_US + 12000);
	result(state.gate == NST_UGATE_STANDBY && closed_at(PERIOD_US + 8000),
	       "a frame that is lost leaves no window open");
	state = to(PERIOD_US + 20000);
	result(state.gate == NST_UGATE_STANDBY, "and it stays shut");
	start_us += PERIOD_US;
	seq++;
	frame(0);
	to(8000);
	result(ran(0, 8000), "the next one is whole");
}

/* ------------------------------------------------------- one late jump */

static void jump(void)
{
	puts("1..3");
	begin(0, 8000);
	frame(0);
	to(PERIOD_US - 1000);
	edges = 0;
	/* Nobody has looked since before the window. */
	advance(20000);
	sample();
	result(ahead ? closed_at(PERIOD_US + 8000) : !edges,
	       "one that is over when the kernel wakes up does not open");
	told(PERIOD_US, PERIOD_US);
	frame(0);
	to(8000);
	result(ran(0, 8000), "the next one is whole");
}

/* ------------------------------------------------------ phase corrected */

/* The timer makes the next boundary half a period late, on its own clock. */
static void by_timer(void)
{
	struct nst_uapi_state state = to(PERIOD_US * 3 / 2);

	for (int i = 0; i < 20000 && state.frame_seq == seq; i++) {
		usleep(1000);
		state = sample();
	}
	if (state.frame_seq != seq + 1)
		die("no frame by the timer");
}

static void phase(void)
{
	struct nst_uapi_state state;

	puts("1..4");
	begin(10000, 20000);
	frame(0);
	to(PERIOD_US);
	by_timer();
	state = sample();
	result(state.gate == NST_UGATE_RUN, "made late by the timer, it is open");
	/* It was eight milliseconds earlier, and the window is over. */
	told(PERIOD_US - 8000, PERIOD_US);
	result(closed_at(33000), "corrected to where it is over: shut at once");

	frame(0);
	shut();
	window(30000, 10000);
	frame(0);
	to(PERIOD_US);
	by_timer();
	told(PERIOD_US - 8000, PERIOD_US);
	to(45000);
	result(ran(33000, 40000), "corrected into it: what is left is used");
}

/* ------------------------------------------------------------ gives way */

static void gives_way(void)
{
	struct nst_uapi_lease lease = { .op = NST_LEASE_GIVE_BACK };
	struct nst_uapi_gate gate;
	struct nst_uapi_state state;

	puts("1..5");
	begin(10000, 5000);
	just_enough();
	frame(0);
	to(12000);
	result(edges == 1 && edge[0].gate == NST_UGATE_RUN,
	       "the ceiling allows the window");
	ask(NST_UGATE_RUN, NST_GATE_WHEN_NOW, 0, 0, 0, &gate);
	state = sample();
	result(gate.ret_clamped && state.gate == NST_UGATE_STANDBY &&
	       closed_at(12000), "not all of the period: shut at once");

	set_max(140000, 5000);
	frame(0);
	shut();
	window(10000, 5000);
	just_enough();
	frame(0);
	to(12000);
	result(edges == 1 && edge[0].gate == NST_UGATE_RUN, "the same again");
	ioctl(dev, NST_IOC_LEASE, &lease);
	state = sample();
	result(state.gate == NST_UGATE_STANDBY && closed_at(12000),
	       "its holder goes: shut at once");
}

/* -------------------------------------------------------------- offsets */

static void offset(void)
{
	struct nst_uapi_gate req = {
		.gate = NST_UGATE_RUN,
		.when = NST_GATE_WHEN_FRAME,
		.flags = NST_GATE_WINDOW,
		.offset_us = 20000,
		.window_us = 10000,
	};

	puts("1..5");
	begin(10000, 20000);
	/* Open all the time but from 12 ms on, in the place of the window. */
	ask(NST_UGATE_STANDBY, NST_GATE_WHEN_OFFSET, NST_GATE_EVERY_FRAME,
	    12000, 0, NULL);
	frame(0);
	to(45000);
	result(ran(0, 12000), "an offset ends the window");
	req.frame_seq = seq + 3;
	if (ioctl(dev, NST_IOC_SET_GATE, &req))
		die("SET_GATE");
	frame(0);
	to(45000);
	result(ran(0, 12000), "a window that is for later ends no offset");
	frame(0);
	to(45000);
	result(ran(0, 12000), "nor in the period before its own");
	frame(0);
	to(45000);
	result(ran(20000, 30000), "and then it does");
}

/* ------------------------------------------------------- short, capture */

static void short_period(void)
{
	puts("1..3");
	begin(30000, 10000);
	to(PERIOD_US);
	told(PERIOD_US, 25000);
	to(24000);
	result(!edges, "a period too short for it goes without");
	to(25000);
	told(25000, PERIOD_US);
	to(45000);
	result(ran(30000, 40000), "one that is not has it");
}

static void capture(void)
{
	struct nst_uapi_capture ticket = {
		.temp_mc = 140000, .deadline_us = 1000000, .frames = 1,
	};

	puts("1..3");
	begin(10000, 20000);
	to(35000);
	if (ioctl(dev, NST_IOC_CAPTURE, &ticket))
		die("CAPTURE");
	frame(0);
	to(45000);
	result(!edges, "a period that is a capture's goes without");
	frame(0);
	to(45000);
	result(ran(10000, 30000), "the next one has it");
}

/* -------------------------------------------------------------- refused */

/* The close at @us fails once; on to when it is tried again. */
static void refuse_close(const char *path, uint64_t us)
{
	struct nst_uapi_state state;
	int fault;

	to(us - STEP_US);
	fault = open(path, O_WRONLY);
	if (fault < 0 || write(fault, "gate_refused 1", 14) != 14)
		die(path);
	close(fault);
	to(us);
	state = to(us + 1000);
	for (int i = 0; i < 2000 && state.gate != NST_UGATE_STANDBY; i++) {
		usleep(1000);
		state = sample();
	}
}

static void refused(const char *path)
{
	puts("1..3");
	begin(10000, 8000);
	frame(0);
	refuse_close(path, 18000);
	result(closed_at(19000), "a close that is refused is tried again soon");
	frame(0);
	to(45000);
	result(ran(10000, 18000), "the next window is whole");
}

/* A close at an offset is nothing that the request of the period knows of. */
static void refused_offset(const char *path)
{
	puts("1..3");
	begin(10000, 8000);
	ask(NST_UGATE_RUN, NST_GATE_WHEN_FRAME, 0, 0, 0, NULL);
	ask(NST_UGATE_STANDBY, NST_GATE_WHEN_OFFSET, NST_GATE_EVERY_FRAME,
	    12000, 0, NULL);
	frame(0);
	frame(0);
	refuse_close(path, 12000);
	result(closed_at(13000), "an offset's close is tried again as well");
	frame(14000);
	result(closed_at(14000), "told after its time it closes at once");
}

/* ---------------------------------------------------------- other stacks */

/*
 * A frame by the wall clock: the stack is moved by a period, which makes an
 * edge, and that long is waited.
 */
static void wall_frames(unsigned int count)
{
	while (count--) {
		advance(33333);
		usleep(33333);
	}
}

static void take_edges(uint64_t *ret_longest_us)
{
	struct nst_uapi_event ev;
	uint64_t opened_us = 0;

	*ret_longest_us = 0;
	edges = 0;
	while (read(dev, &ev, sizeof(ev)) == sizeof(ev)) {
		if (ev.type != NST_EVENT_GATE)
			continue;
		edges++;
		if (ev.code == NST_UGATE_RUN)
			opened_us = ev.t_us;
		else if (opened_us && ev.t_us - opened_us > *ret_longest_us)
			*ret_longest_us = ev.t_us - opened_us;
	}
}

static void wall(void)
{
	struct nst_uapi_state state;
	uint64_t longest_us;

	puts("1..5");
	wall_frames(10);
	if (ask(NST_UGATE_STANDBY, NST_GATE_WHEN_NOW, 0, 0, 0, NULL))
		die("SET_GATE");
	window(0, 2000);
	wall_frames(2);
	take_edges(&longest_us);
	wall_frames(20);
	take_edges(&longest_us);
	printf("# %u edges, open for %llu us at most\n", edges,
	       (unsigned long long)longest_us);
	edges = edges < EDGES_MAX ? edges : EDGES_MAX;
	result(edges >= 38 && longest_us < 3000,
	       "windows that begin with their period end in time");

	/* Frames stop: the one planned ahead closes by itself, too. */
	usleep(60000);
	take_edges(&longest_us);
	result(longest_us < 3000, "and where the frame is lost");

	wall_frames(10);
	ask(NST_UGATE_RUN, NST_GATE_WHEN_FRAME, 0, 0, 0, NULL);
	wall_frames(3);
	state = sample();
	result(state.gate == NST_UGATE_RUN, "open without a window");
	take_edges(&longest_us);
	window(0, 2000);
	/* Its frame does not come. */
	usleep(33333 + 6000);
	take_edges(&longest_us);
	result(edges == 1, "one that needs no opening closes, frame or not");
	state = sample();
	result(state.gate == NST_UGATE_STANDBY, "and is closed");
}

static void wire(void)
{
	struct nst_uapi_state state = sample();
	uint64_t end_us = state.now_us + 3000000, begun_us = 0;
	uint64_t late_us, worst_us = 0;
	unsigned int frames = 0, opened = 0, closed = 0;
	struct nst_uapi_event ev;

	window(9000, 8000);
	while (state.now_us < end_us) {
		usleep(5000);
		if (ioctl(dev, NST_IOC_SAMPLE, &state))
			die("SAMPLE");
		while (read(dev, &ev, sizeof(ev)) == sizeof(ev)) {
			if (ev.type == NST_EVENT_FRAME) {
				begun_us = ev.t_us;
				frames++;
			}
			/* The first is from before the window. */
			if (ev.type != NST_EVENT_GATE || frames < 2)
				continue;
			opened += ev.code == NST_UGATE_RUN;
			closed += ev.code != NST_UGATE_RUN;
			late_us = ev.t_us - begun_us -
				  (ev.code == NST_UGATE_RUN ? 9000 : 17000);
			if (late_us > worst_us)
				worst_us = late_us;
		}
	}
	printf("frames %u\nopened %u\nclosed %u\nlate_us %llu\n", frames,
	       opened, closed, (unsigned long long)worst_us);
}

static int highest(void)
{
	struct nst_uapi_state state = sample();

	printf("state %u\nvalue_mc %d\nestimated %u\n", state.highest.state,
	       state.highest.value_mc,
	       state.highest.flags & NST_USAMPLE_F_ESTIMATED);
	return 0;
}

int main(int argc, char **argv)
{
	struct nst_uapi_lease lease = { .op = NST_LEASE_TAKE,
					.heartbeat_ms = 600000 };
	char path[256];

	if (argc != 5) {
		fprintf(stderr, "usage: nst_windows DEVICE SIM AHEAD CASE\n");
		return 2;
	}
	ahead = argv[3][0] == '1';
	snprintf(path, sizeof(path), "%s/advance_us", argv[2]);
	dev = open(argv[1], O_RDWR | O_NONBLOCK);
	sim = open(path, O_WRONLY);
	if (dev >= 0 && !strcmp(argv[4], "highest"))
		return highest();
	if (dev < 0 || sim < 0 || ioctl(dev, NST_IOC_LEASE, &lease))
		die(argv[1]);
	snprintf(path, sizeof(path), "%s/fault", argv[2]);
	if (!strcmp(argv[4], "late"))
		late();
	else if (!strcmp(argv[4], "lost"))
		lost();
	else if (!strcmp(argv[4], "jump"))
		jump();
	else if (!strcmp(argv[4], "phase"))
		phase();
	else if (!strcmp(argv[4], "gives-way"))
		gives_way();
	else if (!strcmp(argv[4], "offset"))
		offset();
	else if (!strcmp(argv[4], "short"))
		short_period();
	else if (!strcmp(argv[4], "capture"))
		capture();
	else if (!strcmp(argv[4], "refused"))
		refused(path);
	else if (!strcmp(argv[4], "refused-offset"))
		refused_offset(path);
	else if (!strcmp(argv[4], "wire"))
		wire();
	else if (!strcmp(argv[4], "wall"))
		wall();
	else
		return 2;
	return failed != 0;
}
