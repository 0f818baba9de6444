// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ask.c - answers in advance from the two corners of what is possible
 *
 * Later gating is never colder, so the latest moment is found by bisection on
 * each corner. All but one of the quantities move an exposure temperature in
 * one direction. The exception is the heat capacity of the package, which
 * makes a stack slower to warm and to cool: a corner is taken at both of its
 * ends and in the middle.
 */
#include "ask_path.h"

/*
 * What the arithmetic may be off: exposures are good to 5 mC, see exposure.h,
 * rows at the edge of a gate are tried at some places only; steps and states
 * are good to less than one. tests/userspace/test_ask.c has not seen 9.
 */
#define MODEL_MC 10

struct corner {
	s32 reached_mc;		/* gated from boundary 0 on */
	u32 latest;		/* boundary that still does; NEVER for none */
};

int nst_ask_check(const struct nst_ask_stack *stack,
		  const struct nst_ask_question *q)
{
	const struct nst_ask_bounds *b = &stack->bounds;
	u64 end_us = (u64)q->frames * stack->frame_period_us + q->time_us;

	if (!nst_temp_in_range(q->temp_mc) || !q->frames ||
	    q->frames > NST_ASK_FRAMES_MAX || end_us > NST_DT_MAX_US)
		return -ERANGE;
	if (!nst_temp_in_range(stack->ambient_mc) ||
	    (stack->high_mc != NST_TEMP_NONE_MC &&
	     !nst_temp_in_range(stack->high_mc)) ||
	    stack->near_mw > NST_POWER_MAX_MW ||
	    stack->frame_period_us < NST_FRAME_PERIOD_MIN_US ||
	    stack->frame_period_us > NST_FRAME_PERIOD_MAX_US ||
	    !stack->exposure_us || stack->doubling_mc < NST_DOUBLING_MIN_MC ||
	    stack->doubling_mc > NST_DOUBLING_MAX_MC ||
	    b->state_mc > NST_TEMP_MAX_MC || b->ambient_mc > NST_TEMP_MAX_MC ||
	    b->near_mw > NST_POWER_MAX_MW || b->gated_mw > NST_POWER_MAX_MW ||
	    b->package_permyriad > NST_ASK_PACKAGE_MAX)
		return -ERANGE;
	if (stack->gated_mw > stack->near_mw ||
	    stack->exposure_us > stack->frame_period_us ||
	    stack->readout_us > stack->frame_period_us - stack->exposure_us ||
	    stack->gate_enter_us >= stack->frame_period_us)
		return -EINVAL;
	return nst_plant_params_check(&stack->plant->params);
}

/* -------------------------------------------------------------- corners */

struct search {
	const struct nst_ask_stack *stack;
	const struct nst_ask_question *q;
	u32 first;		/* boundary of the first exposure */
};

static s32 hottest_mc(const struct search *s, const struct nst_ask_path *path,
		      u32 gate_frame)
{
	s32 hot_mc = nst_ask_path_hottest_mc(path, gate_frame, s->first,
					     s->q->frames);

	return hot_mc + path->side * MODEL_MC;
}

/* The last boundary that does, with nothing known of NEVER. */
static u32 latest_of(const struct search *s, const struct nst_ask_path *path)
{
	u32 end = s->first + s->q->frames, lo = 0, hi = end;

	if (hottest_mc(s, path, end) <= s->q->temp_mc)
		return end;
	while (hi - lo > 1) {
		u32 mid = lo + (hi - lo) / 2;

		if (hottest_mc(s, path, mid) <= s->q->temp_mc)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* One heat capacity of the package: further out than the others, if it is. */
static int visit(const struct search *s, const struct nst_ask_bounds *bounds,
		 s32 side, s32 package_permyriad, struct corner *ret)
{
	struct nst_ask_path path;
	u32 latest = NST_ASK_NEVER;
	s32 mc;
	int err;

	err = nst_ask_path_init(&path, s->stack, bounds, side,
				package_permyriad);
	if (err)
		return err;
	mc = hottest_mc(s, &path, 0);
	if (mc <= s->q->temp_mc)
		latest = latest_of(s, &path);
	if (side > 0 ? mc > ret->reached_mc : mc < ret->reached_mc)
		ret->reached_mc = mc;
	/* As a number NEVER is late; as a moment it is before the first. */
	if (side > 0 ? latest + 1 < ret->latest + 1
		     : latest + 1 > ret->latest + 1)
		ret->latest = latest;
	return 0;
}

static int corner_of(const struct search *s,
		     const struct nst_ask_bounds *bounds, s32 side,
		     struct corner *ret)
{
	s32 package = (s32)bounds->package_permyriad;
	int err;

	ret->reached_mc = side > 0 ? -NST_TEMP_NONE_MC : NST_TEMP_NONE_MC;
	ret->latest = side > 0 ? NST_ASK_NEVER - 1 : NST_ASK_NEVER;
	err = visit(s, bounds, side, 0, ret);
	if (err || !package)
		return err;
	err = visit(s, bounds, side, package, ret);
	if (!err)
		err = visit(s, bounds, side, -package, ret);
	return err;
}

/* ---------------------------------------------------------------- doubt */

static struct nst_ask_bounds only(const struct nst_ask_bounds *all,
				  enum nst_ask_bound which)
{
	struct nst_ask_bounds one = { 0 };

	switch (which) {
	case NST_ASK_BY_STATE:
		one.state_mc = all->state_mc;
		break;
	case NST_ASK_BY_AMBIENT:
		one.ambient_mc = all->ambient_mc;
		break;
	case NST_ASK_BY_POWER:
		one.near_mw = all->near_mw;
		one.gated_mw = all->gated_mw;
		break;
	case NST_ASK_BY_PACKAGE:
		one.package_permyriad = all->package_permyriad;
		break;
	default:
		break;
	}
	return one;
}

/*
 * On the side that the best guess is not on: the bound without which the
 * doubt would be least.
 */
static int find_bound(const struct search *s, struct nst_ask_answer *ret)
{
	s32 side = ret->reached_mc <= s->q->temp_mc ? 1 : -1;
	u32 which;

	ret->bound = NST_ASK_BY_MODEL;
	ret->bound_mc = MODEL_MC;
	for (which = NST_ASK_BY_STATE; which <= NST_ASK_BY_PACKAGE; which++) {
		struct nst_ask_bounds one = only(&s->stack->bounds, which);
		struct corner c;
		s32 off_mc;
		int err = corner_of(s, &one, side, &c);

		if (err)
			return err;
		off_mc = (c.reached_mc - ret->reached_mc) * side - MODEL_MC;
		if (off_mc > (s32)ret->bound_mc) {
			ret->bound = (u8)which;
			ret->bound_mc = (u32)off_mc;
		}
	}
	return 0;
}

/* --------------------------------------------------------------- answer */

/*
 * From when on it is too late. Not where a stack may get to the threshold,
 * which may close the gate before.
 */
static u32 late_frame(const struct search *s, const struct corner *cold)
{
	u32 late = cold->latest + 1;
	struct nst_ask_path path;

	if (late > s->first + s->q->frames)
		return NST_ASK_NEVER;
	if (late && (nst_ask_path_init(&path, s->stack, &s->stack->bounds, 1,
				       0) ||
		     !nst_ask_path_free(&path, late)))
		return NST_ASK_NEVER;
	return late;
}

static void set_gate(const struct search *s, u32 from,
		     struct nst_ask_answer *ret)
{
	const struct nst_ask_stack *stack = s->stack;
	u32 end = s->first + s->q->frames;
	s64 more_mw = (s64)stack->gated_sys_mw - stack->near_sys_mw;

	if (from >= end)
		return;
	ret->gate = true;
	ret->gate_frame = from;
	ret->gated_frames = end - from;
	ret->lost_frames = stack->drops ? ret->gated_frames : 0;
	ret->cost_uj = nst_div_s64(more_mw * ((s64)ret->gated_frames *
					      stack->frame_period_us), 1000) +
		       stack->switch_uj;
}

int nst_ask(const struct nst_ask_stack *stack,
	    const struct nst_ask_question *q, struct nst_ask_answer *ret)
{
	static const struct nst_ask_bounds exact;
	struct search s = { .stack = stack, .q = q };
	struct nst_ask_answer answer = { 0 };
	struct corner hot, cold;
	struct nst_ask_path path;
	int err = nst_ask_check(stack, q);

	if (err)
		return err;
	s.first = q->time_us / stack->frame_period_us;
	err = nst_ask_path_init(&path, stack, &exact, 0, 0);
	if (err)
		return err;
	answer.reached_mc = nst_ask_path_hottest_mc(&path, 0, s.first,
						    q->frames);
	err = corner_of(&s, &stack->bounds, 1, &hot);
	if (!err)
		err = corner_of(&s, &stack->bounds, -1, &cold);
	if (err)
		return err;
	answer.hot_mc = hot.reached_mc;
	answer.cold_mc = cold.reached_mc;
	answer.exposure_frame = s.first;
	answer.late_frame = late_frame(&s, &cold);
	if (hot.latest != NST_ASK_NEVER) {
		answer.verdict = NST_ASK_YES;
		set_gate(&s, hot.latest, &answer);
	} else if (cold.latest != NST_ASK_NEVER) {
		answer.verdict = NST_ASK_UNCERTAIN;
		set_gate(&s, 0, &answer);
		err = find_bound(&s, &answer);
		if (err)
			return err;
	}
	*ret = answer;
	return 0;
}

const char *nst_ask_verdict_text(enum nst_ask_verdict verdict)
{
	switch (verdict) {
	case NST_ASK_NO:
		return "no";
	case NST_ASK_YES:
		return "yes";
	case NST_ASK_UNCERTAIN:
		return "uncertain";
	}
	return "?";
}

const char *nst_ask_bound_text(enum nst_ask_bound bound)
{
	switch (bound) {
	case NST_ASK_BY_STATE:
		return "temperature";
	case NST_ASK_BY_AMBIENT:
		return "ambient";
	case NST_ASK_BY_POWER:
		return "power";
	case NST_ASK_BY_PACKAGE:
		return "package";
	case NST_ASK_BY_MODEL:
		return "model";
	case NST_ASK_BY_SENSOR:
		return "sensor";
	case NST_ASK_BY_PLANT:
		return "plant";
	case NST_ASK_BY_NOTHING:
	case NST_ASK_BOUND_COUNT:
		break;
	}
	return "";
}
