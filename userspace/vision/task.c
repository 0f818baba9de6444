// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* task.c - one task, two workers: see task.h */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "task.h"

int nst_vision_task_init(struct nst_vision_task *task, unsigned int width,
			 unsigned int height, unsigned int bits)
{
	*task = (struct nst_vision_task){ .owner = NST_TASK_NEAR };
	for (int i = 0; i < NST_TASK_SIDES; i++) {
		task->state[i] = calloc(1, sizeof(*task->state[i]));
		task->work[i] = calloc(1, sizeof(*task->work[i]));
		if (!task->state[i] || !task->work[i]) {
			nst_vision_task_deinit(task);
			return -ENOMEM;
		}
	}
	return vpu_init(task->state[task->owner], width, height, bits);
}

void nst_vision_task_deinit(struct nst_vision_task *task)
{
	for (int i = 0; i < NST_TASK_SIDES; i++) {
		free(task->state[i]);
		free(task->work[i]);
		task->state[i] = NULL;
		task->work[i] = NULL;
	}
}

static unsigned long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long)t.tv_sec * 1000000 +
	       (unsigned long)t.tv_nsec / 1000;
}

int nst_vision_task_move(struct nst_vision_task *task, enum nst_task_side side)
{
	struct vpu_state *from = task->state[task->owner];
	struct vpu_state *to = task->state[side];
	unsigned long began_us = now_us(), took_us;
	int r;

	if (side == task->owner)
		return 0;
	vpu_seal(from);
	memcpy(to, from, sizeof(*to));
	r = vpu_check(to);
	if (r) {
		memset(to, 0, sizeof(*to));
		task->failed++;
		return r;
	}
	/* Without its magic a state cannot be checked, sealed or not. */
	memset(from, 0, sizeof(*from));
	task->owner = side;
	task->handovers++;
	took_us = now_us() - began_us;
	if (took_us > task->handover_us_max)
		task->handover_us_max = took_us;
	return 0;
}

int nst_vision_task_process(struct nst_vision_task *task,
			    const struct vpu_frame *frame,
			    struct vpu_result *ret)
{
	int r = vpu_process(task->state[task->owner], task->work[task->owner],
			    frame, ret);

	if (!r)
		task->frames[task->owner]++;
	return r;
}
