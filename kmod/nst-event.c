// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-event.c - the ring of events behind read() of /dev/nstN
 *
 * One ring per device; each open file keeps the number of the record that it
 * reads next. A reader that is more than the ring behind has lost records:
 * it gets one LOST record with their count, then goes on with the oldest
 * that is still there. So a reader that never reads costs nothing.
 */
#include <linux/mm.h>
#include <linux/poll.h>

#include "nst.h"

int nst_ring_init(struct nst_ring *ring)
{
	ring->ev = kvcalloc(NST_RING_LEN, sizeof(*ring->ev), GFP_KERNEL);
	if (!ring->ev)
		return -ENOMEM;
	spin_lock_init(&ring->lock);
	init_waitqueue_head(&ring->wait);
	ring->head = 0;
	return 0;
}

void nst_ring_deinit(struct nst_ring *ring)
{
	kvfree(ring->ev);
	ring->ev = NULL;
}

/* nst_event() - one record for all readers; gate and version are filled in */
void nst_event(struct nst *nst, const struct nst_uapi_event *ev)
{
	struct nst_ring *ring = &nst->ring;
	struct nst_uapi_event *slot;

	spin_lock(&ring->lock);
	slot = &ring->ev[ring->head & (NST_RING_LEN - 1)];
	*slot = *ev;
	slot->version = NST_ABI_VERSION;
	slot->gate = nst->gate_real;
	slot->placement = nst->placement;
	ring->head++;
	spin_unlock(&ring->lock);
	wake_up_interruptible_poll(&ring->wait, EPOLLIN | EPOLLRDNORM);
}

void nst_event_param(struct nst *nst, u32 param, s64 value)
{
	const struct nst_uapi_event ev = {
		.type = NST_EVENT_PARAM,
		.code = param,
		.t_us = nst->settled_us,
		.seq = nst->frame_seq,
		.value = value,
		.temp_mc = (s32)clamp_t(s64, value, S32_MIN, S32_MAX),
	};

	nst_event(nst, &ev);
}

u64 nst_ring_head(struct nst_ring *ring)
{
	u64 head;

	spin_lock(&ring->lock);
	head = ring->head;
	spin_unlock(&ring->lock);
	return head;
}

/*
 * Called without read_lock by poll() and by a reader about to sleep: tail is
 * 64 bits wide and only grows, so the worst of a torn read is one more look.
 */
bool nst_ring_has(struct nst_ring *ring, const struct nst_file *file)
{
	return nst_ring_head(ring) != READ_ONCE(file->tail);
}

/*
 * nst_ring_peek() - the next record of a reader, which stays where it is
 * Called with read_lock. Return: false when there is none.
 */
bool nst_ring_peek(struct nst_ring *ring, struct nst_file *file,
		   struct nst_uapi_event *ret)
{
	bool have = true;

	spin_lock(&ring->lock);
	if (ring->head - file->tail > NST_RING_LEN) {
		u64 oldest = ring->head - NST_RING_LEN;

		file->lost += oldest - file->tail;
		WRITE_ONCE(file->tail, oldest);
	}
	if (file->lost) {
		const struct nst_uapi_event *next =
			&ring->ev[file->tail & (NST_RING_LEN - 1)];

		*ret = (struct nst_uapi_event){
			.version = NST_ABI_VERSION,
			.type = NST_EVENT_LOST,
			.t_us = next->t_us,
			.seq = next->seq,
			.value = (s64)file->lost,
			.gate = next->gate,
			.placement = next->placement,
		};
	} else if (ring->head != file->tail) {
		*ret = ring->ev[file->tail & (NST_RING_LEN - 1)];
	} else {
		have = false;
	}
	spin_unlock(&ring->lock);
	return have;
}

/* nst_ring_next() - @ev has reached the user */
void nst_ring_next(struct nst_file *file, const struct nst_uapi_event *ev)
{
	if (ev->type == NST_EVENT_LOST)
		file->lost = 0;
	else
		WRITE_ONCE(file->tail, file->tail + 1);
}
