// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_socket.c - a frame report and a snapshot through libnst, against a
 * bare echo of the same size
 *
 * Three processes: this one, nstd's own loop with two emulated stacks, and a
 * program that answers every packet of a SOCK_SEQPACKET with one of the length
 * that nstd's reply has, and does nothing else. What is told is CPU time, of
 * client and server together, user and system, per round trip; nstd's frames
 * and timers are in it. The best of several turns of each, taken in turn, since
 * the machine may have other things to do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/conn.h"
#include "log.h"
#include "nstd/emulated.h"
#include "nstd/manager.h"

#define TURNS 7
#define TRIPS 10000
#define WANTED_RATIO 4.0

#define PROFILE "version: 1\nsensors:\n" \
	"  - { name: a, device: e0, power: { preset: neurostream } }\n" \
	"  - { name: b, device: e1, power: { preset: neurostream } }\n" \
	"tasks:\n" \
	"  - { name: va, sensor: a, kind: vision, policy: seasonal-migration,\n" \
	"      fidelity: { min_snr_db: 20 } }\n" \
	"  - { name: vb, sensor: b, kind: vision, policy: stop-capture-go,\n" \
	"      fidelity: { min_snr_db: 20 } }\n"

static struct nst_manager manager;
static struct nst_env env;

static double clock_us(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

/* CPU time of this process and another one. */
static double cpu_us(pid_t other)
{
	clockid_t id;

	if (clock_getcpuclockid(other, &id))
		abort();
	return clock_us(CLOCK_PROCESS_CPUTIME_ID) + clock_us(id);
}

/* ---------------------------------------------------------------- servers */

static pid_t start_nstd(const char *profile_path, const char *socket_path)
{
	struct nst_manager_config config = {
		.profile_path = profile_path,
		.socket_path = socket_path,
		.env = &env,
	};
	pid_t pid = fork();

	if (pid)
		return pid;
	nst_log_init("nstd", NST_LOG_WARNING);
	env = nst_emulated_env(1, false);
	if (!nst_manager_init(&manager, &config))
		(void)nst_manager_run(&manager);
	nst_manager_deinit(&manager);
	_exit(0);
}

/* The first byte of a packet says how long the answer has to be, in units. */
#define UNIT 16

static pid_t start_echo(int *ret_fd)
{
	char buf[LIBNST_PACKET];
	int pair[2];
	ssize_t len;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		abort();
	pid = fork();
	if (pid) {
		close(pair[1]);
		*ret_fd = pair[0];
		return pid;
	}
	close(pair[0]);
	while ((len = recv(pair[1], buf, sizeof(buf), 0)) > 0) {
		size_t back = (size_t)(unsigned char)buf[0] * UNIT;

		if (send(pair[1], buf, back, MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

/* ------------------------------------------------------------------ turns */

static int report(struct nst_conn *c)
{
	struct nst_report_spec r;

	nst_report_init(&r, "a");
	r.temp_mc = 45000;
	r.exposure_us = 16000;
	r.iso = 100;
	r.lux_milli = 32000000;
	r.frame_us = 33333;
	r.measured = NST_MEASURED_OK;
	r.snr_cdb = 2310;
	r.snr_low_cdb = 2290;
	return nst_frame_report(c, &r);
}

static int snapshot(struct nst_conn *c)
{
	struct nst_snapshot s;

	return nst_snapshot(c, "a", &s);
}

static double echo_turn(int fd, pid_t pid, size_t out, size_t in)
{
	char buf[LIBNST_PACKET];
	double begin_us = cpu_us(pid);

	memset(buf, 0, sizeof(buf));
	for (int i = 0; i < TRIPS; i++) {
		buf[0] = (char)((in + UNIT - 1) / UNIT);
		if (send(fd, buf, out, MSG_NOSIGNAL) < 0 ||
		    recv(fd, buf, sizeof(buf), 0) < 0)
			abort();
	}
	return (cpu_us(pid) - begin_us) / TRIPS;
}

static double call_turn(struct nst_conn *c, pid_t pid,
			int (*call)(struct nst_conn *c))
{
	double begin_us = cpu_us(pid);

	for (int i = 0; i < TRIPS; i++) {
		int r = call(c);

		if (r) {
			fprintf(stderr, "%d: %s\n", r, nst_error(c));
			exit(1);
		}
	}
	return (cpu_us(pid) - begin_us) / TRIPS;
}

static double least(double a, double b)
{
	return !a || b < a ? b : a;
}

static int compare(const char *name, struct nst_conn *c, pid_t nstd,
		   int (*call)(struct nst_conn *c), int fd, pid_t echo)
{
	double bare_us = 0, call_us = 0;
	size_t out, in;

	if (call(c)) {
		fprintf(stderr, "%s: %s\n", name, nst_error(c));
		return 1;
	}
	out = c->out.len;
	in = strlen(c->rx);
	for (int i = 0; i < TURNS; i++) {
		bare_us = least(bare_us, echo_turn(fd, echo, out, in));
		call_us = least(call_us, call_turn(c, nstd, call));
	}
	printf("%-12s %4zu B out, %4zu B back: %6.2f us of CPU, bare echo "
	       "%6.2f us, ratio %.2f (at most %.0f)\n", name, out, in, call_us,
	       bare_us, call_us / bare_us, WANTED_RATIO);
	return call_us > WANTED_RATIO * bare_us;
}

int main(void)
{
	char profile[] = "/tmp/nst-bench-XXXXXX", path[64];
	struct nst_conn *c = NULL;
	struct nst_snapshot s = { .has_frame = false };
	int fd = mkstemp(profile), echo_fd, bad;
	pid_t nstd, echo;

	if (fd < 0 || write(fd, PROFILE, strlen(PROFILE)) < 0)
		return 1;
	close(fd);
	snprintf(path, sizeof(path), "%s.sock", profile);
	nstd = start_nstd(profile, path);
	echo = start_echo(&echo_fd);
	for (int i = 0; i < 1000 && nst_connect(&c, path); i++)
		usleep(10000);
	/* A snapshot without a frame is no snapshot. */
	for (int i = 0; c && i < 1000 && !s.has_frame; i++) {
		usleep(10000);
		(void)nst_snapshot(c, "a", &s);
	}
	if (!s.has_frame) {
		fprintf(stderr, "nstd does not start\n");
		return 1;
	}
	bad = compare("frame report", c, nstd, report, echo_fd, echo);
	bad |= compare("snapshot", c, nstd, snapshot, echo_fd, echo);
	nst_close(c);
	close(echo_fd);
	kill(nstd, SIGTERM);
	while (wait(NULL) > 0)
		;
	unlink(profile);
	return bad;
}
