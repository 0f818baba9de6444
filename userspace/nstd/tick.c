// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* tick.c - sample, observe, decide, act: see tick.h */
#include <errno.h>

#include "tick.h"

#define EVENTS_PER_READ 64

/* Boundaries that pass while we work; more can wait for the next one. */
#define ROUNDS_MAX 4

static int take_policy(struct nst_governor *g, struct nst_dev *dev)
{
	struct nst_dev_policy policy;
	int r;

	r = dev->ops->get_policy(dev, &policy);
	/*
	 * Our own SET_LIMITS comes back as this event too. It changes
	 * nothing unless a user took the values over.
	 */
	if (!r && (policy.automatic != g->automatic || !policy.automatic))
		nst_gov_policy(g, &policy);
	return r == -ENODEV ? r : 0;
}

/* @ret_wanted: something happened that a tick is for */
static int take_events(struct nst_governor *g, struct nst_dev *dev,
		       struct nst_tick *t, bool *ret_wanted)
{
	struct nst_dev_event event[EVENTS_PER_READ];
	bool param = false;
	int count;

	do {
		count = dev->ops->events(dev, event, EVENTS_PER_READ);
		if (count < 0)
			return count;
		for (int i = 0; i < count; i++) {
			switch (event[i].type) {
			case NST_DEV_LOST:
				t->events_lost += (u64)event[i].value;
				*ret_wanted = true;
				break;
			case NST_DEV_FRAME:
				nst_gov_event(g, &event[i]);
				*ret_wanted = true;
				break;
			case NST_DEV_GATE:
				nst_gov_event(g, &event[i]);
				break;
			case NST_DEV_LEASE_LOST:
				t->lease_lost = true;
				break;
			case NST_DEV_FAILSAFE:
				t->failsafe_changed = true;
				t->failsafe = event[i].value;
				break;
			case NST_DEV_PARAM:
				param = param || event[i].value;
				*ret_wanted = true;
				break;
			case NST_DEV_CAPTURE_READY:
			case NST_DEV_CAPTURE_MISSED:
				if (t->captures < NST_TICK_CAPTURES)
					t->capture[t->captures++] = event[i];
				break;
			default:
				break;
			}
		}
	} while (count == EVENTS_PER_READ);
	return param ? take_policy(g, dev) : 0;
}

/* A device without frames is governed in periods of our own. */
static void make_frames(const struct nst_governor *g,
			struct nst_dev_state *state)
{
	u32 period_us = state->frame_period_us;

	if (state->frames)
		return;
	if (!period_us)
		period_us = g->pc.frame_period_us ? g->pc.frame_period_us
						  : 33333;
	state->frame_period_us = period_us;
	state->frame_seq = state->now_us / period_us;
	state->frame_start_us = state->frame_seq * period_us;
	state->next_start_us = state->frame_start_us + period_us;
}

static bool lost_lease(int err)
{
	return err == -EPERM || err == -EBUSY;
}

/* The stack is cooler for a lower ceiling, never for a higher one. */
static int tell_limits(struct nst_governor *g, struct nst_dev *dev,
		       s32 max_mc, struct nst_tick *t)
{
	int r;

	t->limits_told = true;
	r = dev->ops->set_limits(dev, &g->pc.thr);
	if ((r == -EINVAL || r == -ERANGE) && g->pc.thr.max_mc > max_mc) {
		g->ceiling_mc = max_mc;
		g->stale = true;
		t->limits_clamped = true;
		(void)nst_gov_limits(g);
		r = g->pc_err ? g->pc_err
			      : dev->ops->set_limits(dev, &g->pc.thr);
	}
	/* What is out of order now is so when it is said again. */
	if (!r || r == -EINVAL || r == -ERANGE)
		g->limits_due = false;
	return r;
}

static int tell_gate(struct nst_governor *g, struct nst_dev *dev,
		     const struct nst_dev_gate *want, bool frames,
		     struct nst_tick *t)
{
	struct nst_dev_gate asked = *want;
	struct nst_dev_applied applied;
	int r;

	t->gate_told = true;
	if (!frames) {
		asked.frame_seq = 0;
		asked.run_from_us = 0;
		asked.run_us = 0;
	}
	r = dev->ops->set_gate(dev, &asked, &applied);
	if (r)
		return r;
	t->gate_clamped = applied.clamped;
	if (!frames)
		applied.frame_seq = want->frame_seq;
	nst_gov_acted(g, want, &applied);
	return 0;
}

static int tick(struct nst_governor *g, struct nst_dev *dev, bool act,
		s32 max_mc, struct nst_tick *ret, bool *ret_again)
{
	struct nst_dev_state state;
	struct nst_dev_gate want;
	bool frames;
	int r;

	r = dev->ops->sample(dev, &state);
	/*
	 * A boundary is told by several events, and the first one wakes us
	 * up: the others are there once the sample is. Not taking them now
	 * would be another wake-up for nothing.
	 */
	if (!r)
		r = take_events(g, dev, ret, ret_again);
	if (r)
		return r;
	frames = state.frames;
	make_frames(g, &state);
	nst_gov_observe(g, &state);
	if (nst_gov_limits(g) && act)
		ret->limits_err = tell_limits(g, dev, max_mc, ret);
	nst_gov_judge(g);
	if (nst_gov_decide(g, &want) && act)
		ret->gate_err = tell_gate(g, dev, &want, frames, ret);
	if (lost_lease(ret->gate_err) || lost_lease(ret->limits_err))
		ret->lease_lost = true;
	if (ret->gate_err == -ENODEV || ret->limits_err == -ENODEV)
		return -ENODEV;
	return 0;
}

int nst_tick(struct nst_governor *g, struct nst_dev *dev, bool act,
	     s32 max_mc, struct nst_tick *ret)
{
	bool wanted = !g->started || !g->state.frames;
	int r, rounds = 0;

	*ret = (struct nst_tick){ 0 };
	r = take_events(g, dev, ret, &wanted);
	while (!r && wanted && rounds++ < ROUNDS_MAX && !ret->lease_lost) {
		wanted = false;
		r = tick(g, dev, act, max_mc, ret, &wanted);
	}
	return r;
}
