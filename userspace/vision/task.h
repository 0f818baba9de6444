/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * task.h - the vision task on two workers, near and far
 *
 * Each worker has a state of its own; one of them is the owner and the only
 * one that may process. A hand-over happens between two frames: the owner
 * seals its state, the bytes are copied, the other checks them and owns the
 * task, and what stays behind is made unusable. When the copy does not
 * check, the old owner keeps the task.
 */
#ifndef NST_TASK_H
#define NST_TASK_H

#include "vpu.h"

enum nst_task_side { NST_TASK_NEAR = 0, NST_TASK_FAR, NST_TASK_SIDES };

struct nst_vision_task {
	enum nst_task_side owner;
	struct vpu_state *state[NST_TASK_SIDES];
	struct vpu_work *work[NST_TASK_SIDES];
	unsigned long frames[NST_TASK_SIDES];
	unsigned long handovers;
	unsigned long failed;		/* copies that did not check */
	unsigned long handover_us_max;
};

/** nst_vision_task_init() - Return: 0, -ENOMEM, -ERANGE as of vpu_init() */
int nst_vision_task_init(struct nst_vision_task *task, unsigned int width,
			 unsigned int height, unsigned int bits);
void nst_vision_task_deinit(struct nst_vision_task *task);

/** nst_vision_task_move() - hand over to @side; 0, or what vpu_check() says */
int nst_vision_task_move(struct nst_vision_task *task, enum nst_task_side side);

/** nst_vision_task_process() - by the owner; result of vpu_process() */
int nst_vision_task_process(struct nst_vision_task *task,
			    const struct vpu_frame *frame,
			    struct vpu_result *ret);

#endif /* NST_TASK_H */
