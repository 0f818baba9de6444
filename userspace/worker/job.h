/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * job.h - one home of a task, and nstd that tells it what to do
 *
 * See userspace/nstd/handover.h for the hand-over; this is its other side.
 */
#ifndef NST_JOB_H
#define NST_JOB_H

#include "nst/libnst.h"
#include "results.h"

/**
 * struct nst_job - all zero but for the first three is a fresh one
 * @imports: @home is far and has a device that frames are imported by
 * @last: newest frame that was handed in or whose state was loaded
 * @silent: nstd was waited for in vain, else it ended the connection
 * @give: the state was asked for, under @give_epoch; not later than @give_ms
 */
struct nst_job {
	struct nst_conn *conn;
	struct nst_home *home;
	char sensor[NST_NAME_MAX];
	struct nst_results results;
	uint64_t last;
	bool silent;
	bool give;
	uint32_t give_epoch;
	uint64_t give_ms;
	uint64_t damaged;
	/* far, by way of a device: frames that nstd knows of, and since when */
	bool imports;
	uint64_t imports_told;
	uint64_t imports_told_ms;
	struct vpu_state state;		/* on its way from or to nstd */
};

/** nst_job_timeout_ms() - for poll(); -1 for none */
int nst_job_timeout_ms(const struct nst_job *w);

/**
 * nst_job_work() - events, frames, what is due; never waits for frames
 * Return: 0; -EPIPE the connection is gone, see @silent; -ENODEV the device is
 * gone; other errno of the home, with its reason said.
 */
int nst_job_work(struct nst_job *w);

/** nst_job_reset() - no connection: nothing is processed any more */
void nst_job_reset(struct nst_job *w);

#endif /* NST_JOB_H */
