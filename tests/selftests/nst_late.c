// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst_late.c - nst_late: how late is this machine?
 *
 * A process on every processor sleeps to the next hundredth of a second, again
 * and again. Prints "watching" when all are at it and, told to end by SIGTERM,
 * "late N": by how many milliseconds the worst of them woke up late.
 */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 10000000ll
#define CPUS_MAX 64

struct shared {
	atomic_long worst_us;
	atomic_int begun;
};

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static void watch(int cpu, struct shared *shared)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	/* One that is not there is watched from another. */
	sched_setaffinity(0, sizeof(set), &set);
	atomic_fetch_add(&shared->begun, 1);
	for (;;) {
		long long at_ns = now_ns() + STEP_NS;
		struct timespec ts = {
			.tv_sec = (time_t)(at_ns / 1000000000ll),
			.tv_nsec = (long)(at_ns % 1000000000ll),
		};
		long late_us, worst_us;

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		late_us = (long)((now_ns() - at_ns) / 1000);
		worst_us = atomic_load(&shared->worst_us);
		while (late_us > worst_us &&
		       !atomic_compare_exchange_weak(&shared->worst_us,
						     &worst_us, late_us))
			;
	}
}

int main(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct shared *shared;
	pid_t pid[CPUS_MAX];
	sigset_t set;
	int i, sig;

	if (cpus < 1 || cpus > CPUS_MAX)
		return 2;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (i = 0; i < cpus; i++) {
		pid[i] = fork();
		if (pid[i] < 0) {
			perror("fork");
			return 2;
		}
		if (!pid[i]) {
			/* However this one ends. */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			watch(i, shared);
		}
	}
	while (atomic_load(&shared->begun) < cpus)
		usleep(1000);
	puts("watching");
	fflush(stdout);
	sigwait(&set, &sig);
	for (i = 0; i < cpus; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	printf("late %ld\n", atomic_load(&shared->worst_us) / 1000 + 1);
	return 0;
}
