// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* host.c - the process that looks at the host, seen from nstd: see host.h */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"
#include "log.h"

#define CHILD_FD 3

void nst_host_init(struct nst_host *h, const char *root)
{
	memset(h, 0, sizeof(*h));
	h->root = root;
	h->fd = -1;
}

static bool wants_something(const struct nst_host_want *want)
{
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++)
		if (want[i].far_device[0] || want[i].far_sensor[0] ||
		    want[i].ambient_sensor[0] || want[i].board_sensor[0])
			return true;
	return false;
}

/* One that hangs in a driver is not waited for: the timer asks again. */
static bool reap(struct nst_host *h)
{
	if (h->pid > 0 && waitpid(h->pid, NULL, WNOHANG))
		h->pid = 0;
	return !h->pid;
}

static void end_child(struct nst_host *h)
{
	if (h->fd >= 0)
		close(h->fd);
	h->fd = -1;
	if (h->pid > 0)
		kill(h->pid, SIGKILL);
	(void)reap(h);
}

/* In the child: nothing of the daemon but standard error and its socket. */
static void become_child(int fd, pid_t parent, const char *root)
{
	sigset_t none;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It may have gone before the line above. */
	if (getppid() != parent)
		_exit(0);
	(void)prctl(PR_SET_NAME, "nstd-host");
	(void)setpriority(PRIO_PROCESS, 0, 0);
	/* Keys of the terminal are for the daemon, which ends us. */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (fd != CHILD_FD && dup2(fd, CHILD_FD) < 0)
		_exit(1);
	/* The lease of a sensor must not live on in here. */
	if (close_range(CHILD_FD + 1, ~0u, 0))
		_exit(1);
	nst_host_child(CHILD_FD, root);
}

/* One that hangs does not take it: the next one does, in its time. */
static void tell_child(struct nst_host *h)
{
	if (send(h->fd, h->want, sizeof(h->want), MSG_DONTWAIT | MSG_NOSIGNAL) >=
	    0)
		return;
	nst_log_err(-errno, "the process that looks at the host does not take "
		    "what it shall look at; it is started again");
	end_child(h);
}

static void start_child(struct nst_host *h, u64 now_ms)
{
	pid_t parent = getpid();
	int fds[2];

	if (!reap(h))
		return;
	h->started_ms = now_ms;
	h->heard_ms = now_ms;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds)) {
		nst_log_err(-errno, "host process");
		return;
	}
	h->pid = fork();
	if (!h->pid)
		become_child(fds[1], parent, h->root);
	close(fds[1]);
	if (h->pid < 0) {
		nst_log_err(-errno, "host process");
		h->pid = 0;
		close(fds[0]);
		return;
	}
	h->fd = fds[0];
	tell_child(h);
}

void nst_host_configure(struct nst_host *h, const struct nst_host_want *want,
			u64 now_ms)
{
	h->wanted = wants_something(want);
	memcpy(h->want, want, sizeof(h->want));
	if (!h->wanted)
		end_child(h);
	else if (h->fd >= 0)
		tell_child(h);
	else
		start_child(h, now_ms);
}

int nst_host_read(struct nst_host *h, struct nst_host_seen *ret, u64 now_ms)
{
	const size_t size = sizeof(*ret) * NST_PROFILE_SENSORS_MAX;
	ssize_t n;

	if (h->fd < 0)
		return -EPIPE;
	n = recv(h->fd, ret, size, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	if (n == (ssize_t)size) {
		h->heard_ms = now_ms;
		h->said_dead = false;
		return 0;
	}
	if (!h->said_dead)
		nst_log(NST_LOG_WARNING, "the process that looks at the host "
			"has ended; it is started again");
	h->said_dead = true;
	end_child(h);
	return -EPIPE;
}

bool nst_host_timer(struct nst_host *h, u64 now_ms)
{
	if (h->fd < 0)
		(void)reap(h);
	if (!h->wanted)
		return false;
	if (h->fd < 0 && now_ms - h->started_ms >= NST_HOST_SILENT_MS)
		start_child(h, now_ms);
	if (now_ms - h->heard_ms < NST_HOST_SILENT_MS)
		return false;
	/* As if a report had come: the next one is due in a period. */
	h->heard_ms += NST_HOST_PERIOD_MS;
	if (h->fd >= 0 && !h->said_dead) {
		nst_log(NST_LOG_WARNING, "the process that looks at the host "
			"does not answer: a thermometer or driver holds it "
			"up");
		h->said_dead = true;
	}
	return true;
}

void nst_host_deinit(struct nst_host *h)
{
	end_child(h);
	h->wanted = false;
}
