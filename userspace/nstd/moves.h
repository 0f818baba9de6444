/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * moves.h - the workers of a sensor's task: between governor, socket and
 * hand-over
 *
 * Around each tick of a sensor: before it the governor learns which placement
 * has a worker, after it the hand-over learns which frame began, what the
 * gate was and where the task is wanted, and switches when the governor has
 * decided so. The messages are written and read in reply_worker.c.
 *
 * A task goes near -> far when its target has caught up; where the plan says
 * that T_high is near it is made to catch up ahead of it. While far is wanted
 * and nobody is ready there, near frames are paused as far as the stack needs
 * it. A task goes far -> near when it is wanted there: the near processor is
 * switched on, follows, and takes over. In both directions both are on in
 * between. When the far one has acknowledged, the gate is closed for the
 * period that comes; should it not have by then, near goes on for two frames
 * at most, so that nothing is lost if the answer never comes.
 *
 * One task of a sensor has workers, since a sensor has one near processor.
 */
#ifndef NST_MOVES_H
#define NST_MOVES_H

#include "handover.h"
#include "profile.h"
#include "seldom.h"

struct nst_client;
struct nst_manager;
struct nst_sensor;

enum nst_moves_said { NST_SAID_COUNT = 8 };

struct nst_moves {
	struct nst_handover h;
	char task[NST_PROFILE_NAME_LEN];
	u64 client[NST_HOMES];		/* serial of its connection */
	int state_fd;			/* of the state that came last, or -1 */
	u64 seen_seq;			/* newest frame told to the hand-over */
	bool ahead;			/* far is prepared by prediction */
	bool closing;			/* close the gate when it is switched */
	struct nst_seldom said[NST_SAID_COUNT];
};

void nst_moves_init(struct nst_moves *v);

/** nst_moves_before() - what the workers allow, for the next decision */
void nst_moves_before(struct nst_sensor *s);

/** nst_moves_after() - what the tick found and decided */
void nst_moves_after(struct nst_manager *m, struct nst_sensor *s, u64 now_ms);

/** nst_moves_timer() - time-outs, for all sensors */
void nst_moves_timer(struct nst_manager *m, u64 now_ms);

/** nst_moves_run() - carry out what the hand-over wants done */
void nst_moves_run(struct nst_manager *m, struct nst_sensor *s, u64 now_ms);

/**
 * nst_moves_find() - the sensor that a connection is a worker of
 * Return: NULL when it is none.
 */
struct nst_sensor *nst_moves_find(struct nst_manager *m,
				  const struct nst_client *c,
				  enum nst_home *ret_home);

/** nst_moves_drop() - connections were closed: whose worker is gone? */
void nst_moves_drop(struct nst_manager *m, u64 now_ms);

/**
 * nst_moves_check() - the profile changed: workers of tasks that are no more
 * are sent away
 */
void nst_moves_check(struct nst_manager *m, struct nst_sensor *s, u64 now_ms);

/** nst_moves_end() - the sensor is removed: all workers are sent away */
void nst_moves_end(struct nst_manager *m, struct nst_sensor *s, u64 now_ms);

/** nst_now_us() - CLOCK_MONOTONIC */
u64 nst_now_us(void);

#endif /* NST_MOVES_H */
