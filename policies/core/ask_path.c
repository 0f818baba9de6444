// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ask_path.c - how hot exposures get on the way: see ask_path.h
 *
 * A threshold closes the gate for whole frames, so that the die ends each
 * frame below it. A near frame may begin while
 *
 *	slow mode <= threshold - fast mode at the end of a near frame
 *
 * and the latter is least after a gated one. So much bounds the slow mode at
 * every boundary: near frames heat it up to there, gated ones cool it. The
 * fast mode is never above that of a VPU that has run for long.
 *
 * Leakage follows the die, so a step with leakage is cut into slices that
 * grow with the time since the power changed. Each takes the leakage of its
 * start or of its end, whichever errs to the side asked for.
 */
#include "ask_path.h"

/*
 * The package bends by less than a slice's share of its constant. What takes
 * many of them has settled long before, and a question is worth no more
 * slices than that.
 */
#define SLICES_PER_TAU 256

/* Rows tried that begin before the edge of a gate. */
#define EDGE_ROWS 8

/* No bound for a mode: more than any is. */
#define S64_FAR ((s64)1 << 60)

static s32 higher(s32 a, s32 b)
{
	return a > b ? a : b;
}

/* ---------------------------------------------------------------- steps */

static void leaky_slice(struct nst_plant *plant,
			const struct nst_plant_factors *lose, u32 power_mw,
			s32 ambient_mc, u32 leak_uw)
{
	int i;

	for (i = 0; i < 2; i++) {
		const struct nst_plant_mode *mode = &plant->mode[i];
		s64 target = nst_plant_target_q32(mode, power_mw, ambient_mc) +
			     nst_plant_leak_target_q32(mode, leak_uw);

		plant->z_q32[i] += nst_mul_q64(target - plant->z_q32[i],
					       lose->lose_q64[i]);
	}
}

static void slice(const struct nst_ask_path *path, struct nst_plant *plant,
		  const struct nst_plant_factors *lose, u32 power_mw)
{
	const struct nst_plant_params *params = &plant->params;
	struct nst_plant end = *plant;
	u32 leak_uw = 0, end_uw;

	if (params->leak_ref_uw)
		leak_uw = nst_plant_leak_uw(params, nst_plant_die_mc(plant));
	leaky_slice(&end, lose, power_mw, path->ambient_mc, leak_uw);
	if (params->leak_ref_uw) {
		end_uw = nst_plant_leak_uw(params, nst_plant_die_mc(&end));
		if (!path->side)
			end_uw = leak_uw + end_uw / 2 - leak_uw / 2;
		else if ((end_uw > leak_uw) != (path->side > 0))
			end_uw = leak_uw;
		if (end_uw != leak_uw) {
			end = *plant;
			leaky_slice(&end, lose, power_mw, path->ambient_mc,
				    end_uw);
		}
	}
	*plant = end;
}

static void walk(const struct nst_ask_path *path, struct nst_plant *plant,
		 u32 power_mw, u32 us)
{
	u32 most = (u32)nst_div_u64(plant->mode[1].tau_ns,
				    1000 * SLICES_PER_TAU) + 1;
	u32 len = (u32)nst_div_u64(plant->mode[0].tau_ns, 4000) + 1;
	struct nst_plant_factors lose = { 0 };

	if (most < us / SLICES_PER_TAU)
		most = us / SLICES_PER_TAU;
	while (us) {
		u32 dt_us = us < len ? us : len;

		if (lose.dt_us != dt_us)
			nst_plant_factors_set(&lose, plant, dt_us);
		slice(path, plant, &lose, power_mw);
		us -= dt_us;
		len = len > most / 2 ? most : 2 * len;
	}
}

static void advance(const struct nst_ask_path *path, struct nst_plant *plant,
		    u32 power_mw, u32 us)
{
	if (plant->params.leak_ref_uw)
		walk(path, plant, power_mw, us);
	else
		nst_plant_step(plant, power_mw, path->ambient_mc, us);
}

/* ----------------------------------------------------------------- init */

static u32 power_of(u32 mw, u32 off_mw, s32 side)
{
	if (side < 0)
		return mw > off_mw ? mw - off_mw : 0;
	if (side > 0)
		mw += off_mw;
	return mw < NST_POWER_MAX_MW ? mw : NST_POWER_MAX_MW;
}

static s32 limit_mc(s64 mc)
{
	return mc < NST_TEMP_MIN_MC ? NST_TEMP_MIN_MC :
	       mc > NST_TEMP_MAX_MC ? NST_TEMP_MAX_MC : (s32)mc;
}

static int init_plant(struct nst_ask_path *path, s32 state_mc,
		      s32 package_permyriad)
{
	const struct nst_plant *known = path->stack->plant;
	struct nst_plant_params params = known->params;
	int err;

	path->plant = *known;
	if (package_permyriad) {
		s64 c = (s64)params.c_p_uj_per_k *
			(NST_PERMYRIAD + package_permyriad);

		params.c_p_uj_per_k = (u32)nst_div_s64(c, NST_PERMYRIAD);
		err = nst_plant_init(&path->plant, &params, path->ambient_mc);
		if (!err)
			err = nst_plant_set_state(&path->plant,
						  nst_plant_die_mc(known),
						  nst_plant_package_mc(known));
		if (err)
			return err;
	}
	nst_plant_shift(&path->plant, state_mc);
	return 0;
}

static s64 fast_target_q32(const struct nst_ask_path *path, u32 power_mw,
			   s32 leak_at_mc)
{
	const struct nst_plant *plant = &path->plant;
	u32 leak_uw = nst_plant_leak_uw(&plant->params, leak_at_mc);

	return nst_plant_target_q32(&plant->mode[0], power_mw,
				    path->ambient_mc) +
	       nst_plant_leak_target_q32(&plant->mode[0], leak_uw);
}

static void init_threshold(struct nst_ask_path *path)
{
	s32 high_mc = path->stack->high_mc;
	s64 near_q32 = fast_target_q32(path, path->near_mw, high_mc);
	s32 cold_mc = high_mc - nst_round_q32(near_q32);
	s64 gated_q32 = fast_target_q32(path, path->gated_mw, cold_mc);
	u64 keep_q64 = nst_keep_q64(&path->plant.mode[0].rate,
				    path->stack->frame_period_us);
	s64 end_q32;

	path->fast_q32 = near_q32;
	near_q32 = fast_target_q32(path, path->near_mw, cold_mc);
	end_q32 = near_q32 - nst_mul_q64(near_q32 - gated_q32, keep_q64);
	path->slow_q32 = high_mc * NST_ONE_Q32 - end_q32;
	if (path->plant.z_q32[1] > path->slow_q32)
		path->first_mw = path->gated_mw;
}

int nst_ask_path_init(struct nst_ask_path *path,
		      const struct nst_ask_stack *stack,
		      const struct nst_ask_bounds *bounds, s32 side,
		      s32 package_permyriad)
{
	int err;

	path->stack = stack;
	path->side = side;
	path->ambient_mc = limit_mc(stack->ambient_mc +
				    (s64)side * bounds->ambient_mc);
	path->near_mw = power_of(stack->near_mw, bounds->near_mw, side);
	path->gated_mw = power_of(stack->gated_mw, bounds->gated_mw, side);
	path->first_mw = path->near_mw;
	err = init_plant(path, side * (s32)bounds->state_mc,
			 package_permyriad);
	if (err)
		return err;
	path->slow_q32 = S64_FAR;
	path->fast_q32 = S64_FAR;
	if (stack->high_mc != NST_TEMP_NONE_MC)
		init_threshold(path);
	return 0;
}

/* -------------------------------------------------------------- hottest */

/*
 * The stack after it ran for so long, as hot as the threshold permits. Where it
 * has to cool down first, one that is a little colder has not: it may be back
 * at near frames, with the fast mode that goes with them.
 */
static void run_to(const struct nst_ask_path *path, struct nst_plant *plant,
		   u32 us)
{
	bool cools = path->first_mw != path->near_mw;

	*plant = path->plant;
	if (!us)
		return;
	advance(path, plant, path->first_mw, us);
	if (!cools) {
		if (plant->z_q32[1] > path->slow_q32)
			plant->z_q32[1] = path->slow_q32;
		return;
	}
	if (plant->z_q32[1] > path->slow_q32 && path->side <= 0)
		return;
	if (plant->z_q32[1] < path->slow_q32)
		plant->z_q32[1] = path->slow_q32;
	if (plant->z_q32[0] < path->fast_q32)
		plant->z_q32[0] = path->fast_q32;
}

bool nst_ask_path_free(const struct nst_ask_path *path, u32 until_frame)
{
	struct nst_plant plant;

	if (path->stack->high_mc == NST_TEMP_NONE_MC)
		return true;
	if (path->first_mw != path->near_mw ||
	    nst_plant_die_mc(&path->plant) > path->stack->high_mc)
		return false;
	plant = path->plant;
	advance(path, &plant, path->near_mw, until_frame *
		path->stack->frame_period_us);
	return nst_plant_die_mc(&plant) <= path->stack->high_mc;
}

/* The exposure temperature of two parts of an exposure. */
static s32 mix_mc(s32 a_mc, u32 a_us, s32 b_mc, u32 b_us, u32 doubling_mc)
{
	s32 hot_mc = higher(a_mc, b_mc);
	s64 a_q16 = nst_div_s64(((s64)a_mc - hot_mc) * 65536,
				(s32)doubling_mc);
	s64 b_q16 = nst_div_s64(((s64)b_mc - hot_mc) * 65536,
				(s32)doubling_mc);
	u64 sum = 0;

	/* Less than 2^-40 of the charge is nothing. */
	if (a_q16 > -40 * 65536)
		sum += nst_exp2_q32((s32)a_q16) * a_us;
	if (b_q16 > -40 * 65536)
		sum += nst_exp2_q32((s32)b_q16) * b_us;
	sum = nst_div_u64(sum, a_us + b_us);
	return hot_mc + (s32)nst_div_s64((s64)nst_log2_q16(sum) * doubling_mc,
					 65536);
}

/*
 * An exposure takes the leakage of its start for all of it: by how much the
 * die may be off for that, to the side asked for.
 */
static s32 leak_slack_mc(const struct nst_ask_path *path,
			 const struct nst_plant *plant, u32 power_mw)
{
	const struct nst_plant_params *params = &plant->params;
	struct nst_plant end = *plant;
	s64 more_uw;

	if (!params->leak_ref_uw)
		return 0;
	advance(path, &end, power_mw, path->stack->exposure_us +
		path->stack->readout_us);
	more_uw = (s64)nst_plant_leak_uw(params, nst_plant_die_mc(&end)) -
		  nst_plant_leak_uw(params, nst_plant_die_mc(plant));
	/* The best guess is in the middle. */
	if (!path->side)
		more_uw = nst_div_s64(more_uw, 2);
	else if ((more_uw > 0) != (path->side > 0))
		return 0;
	return (s32)nst_div_s64(more_uw * params->r_jp_mk_per_w, 1000000);
}

static s32 frame_mc(const struct nst_ask_path *path,
		    const struct nst_plant *plant, u32 power_mw)
{
	const struct nst_ask_stack *stack = path->stack;

	return nst_exposure_frame_mc(plant, power_mw, path->ambient_mc,
				     stack->exposure_us, stack->readout_us,
				     stack->doubling_mc) +
	       leak_slack_mc(path, plant, power_mw);
}

/* A row that begins @row_us after the boundary, the edge @lit_us later. */
static s32 edge_row_mc(const struct nst_ask_path *path,
		       const struct nst_plant *at_row, u32 power_mw,
		       u32 lit_us)
{
	const struct nst_ask_stack *stack = path->stack;
	struct nst_plant at = *at_row;
	s32 lit_mc;

	if (lit_us >= stack->exposure_us)
		return nst_exposure_row_mc(&at, power_mw, path->ambient_mc, 0,
					   stack->exposure_us,
					   stack->doubling_mc);
	lit_mc = nst_exposure_row_mc(&at, power_mw, path->ambient_mc, 0,
				     lit_us, stack->doubling_mc);
	advance(path, &at, power_mw, lit_us);
	return mix_mc(lit_mc, lit_us,
		      nst_exposure_row_mc(&at, path->gated_mw,
					  path->ambient_mc, 0,
					  stack->exposure_us - lit_us,
					  stack->doubling_mc),
		      stack->exposure_us - lit_us, stack->doubling_mc);
}

/*
 * A frame in which the gate closes: until the edge the rows are exposed to a
 * VPU that runs. @plant is at the boundary and is left at the edge.
 */
static s32 edge_frame_mc(const struct nst_ask_path *path,
			 struct nst_plant *plant, u32 power_mw)
{
	const struct nst_ask_stack *stack = path->stack;
	u32 enter_us = stack->gate_enter_us, at_us = 0, i;
	s32 hot_mc = NST_TEMP_MIN_MC;

	for (i = 0; i < EDGE_ROWS && at_us < enter_us; i++) {
		u32 row_us = enter_us * i / EDGE_ROWS;

		if (row_us > stack->readout_us)
			break;
		advance(path, plant, power_mw, row_us - at_us);
		at_us = row_us;
		hot_mc = higher(hot_mc, edge_row_mc(path, plant, power_mw,
						    enter_us - at_us));
	}
	advance(path, plant, power_mw, enter_us - at_us);
	/* Rows that begin later, as many as there are. */
	if (!enter_us || stack->readout_us > enter_us)
		hot_mc = higher(hot_mc, frame_mc(path, plant,
						 path->gated_mw));
	return hot_mc;
}

/* A die that is on its way up first may be hottest in between. */
static bool may_peak(const struct nst_plant *plant, u32 power_mw,
		     s32 ambient_mc)
{
	u32 leak_uw = nst_plant_leak_uw(&plant->params,
					nst_plant_die_mc(plant));
	s64 target = nst_plant_target_q32(&plant->mode[0], power_mw,
					  ambient_mc) +
		     nst_plant_leak_target_q32(&plant->mode[0], leak_uw);

	return plant->z_q32[0] < target - NST_ONE_Q32;
}

/* Hottest of @frames under constant power; @plant moves to the last one. */
static s32 row_of_frames_mc(const struct nst_ask_path *path,
			    struct nst_plant *plant, u32 power_mw, u32 frames)
{
	u32 period_us = path->stack->frame_period_us;
	s32 hot_mc = frame_mc(path, plant, power_mw);

	for (; frames > 1 && may_peak(plant, power_mw, path->ambient_mc);
	     frames--) {
		advance(path, plant, power_mw, period_us);
		hot_mc = higher(hot_mc, frame_mc(path, plant, power_mw));
	}
	if (frames > 1) {
		advance(path, plant, power_mw, (frames - 1) * period_us);
		hot_mc = higher(hot_mc, frame_mc(path, plant, power_mw));
	}
	return hot_mc;
}

/* Exposures while the VPU runs: no hotter than the threshold permits. */
static s32 running_mc(const struct nst_ask_path *path, u32 first, u32 frames)
{
	u32 start_us = first * path->stack->frame_period_us;
	s32 high_mc = path->stack->high_mc, hot_mc;
	struct nst_plant plant;

	run_to(path, &plant, start_us);
	hot_mc = row_of_frames_mc(path, &plant, path->first_mw, frames);
	if (path->first_mw == path->near_mw)
		return hot_mc < high_mc ? hot_mc : high_mc;
	/* Cooled down to it on the way, or within the bounds: near frames. */
	return path->side > 0 || plant.z_q32[1] <= path->slow_q32
		? higher(hot_mc, high_mc) : hot_mc;
}

/* Power until the edge: of the gate as it is, or of one that runs. */
static u32 edge_mw(const struct nst_ask_path *path, u32 gate_frame)
{
	return !gate_frame && path->stack->gated ? path->gated_mw
						 : path->near_mw;
}

static s32 gated_mc(const struct nst_ask_path *path, u32 gate_frame,
		    u32 first, u32 frames)
{
	const struct nst_ask_stack *stack = path->stack;
	u32 wait_us = (first - gate_frame) * stack->frame_period_us;
	u32 gate_us = gate_frame * stack->frame_period_us;
	s32 hot_mc = NST_TEMP_MIN_MC;
	struct nst_plant plant;
	u32 power_mw;

	run_to(path, &plant, gate_us);
	power_mw = edge_mw(path, gate_frame);
	if (first == gate_frame) {
		hot_mc = edge_frame_mc(path, &plant, power_mw);
		wait_us = stack->frame_period_us;
		frames--;
		if (!frames)
			return hot_mc;
	} else {
		advance(path, &plant, power_mw, stack->gate_enter_us);
	}
	advance(path, &plant, path->gated_mw, wait_us - stack->gate_enter_us);
	return higher(hot_mc, row_of_frames_mc(path, &plant, path->gated_mw,
					       frames));
}

s32 nst_ask_path_hottest_mc(const struct nst_ask_path *path, u32 gate_frame,
			    u32 first, u32 frames)
{
	u32 running = 0;
	s32 hot_mc = NST_TEMP_MIN_MC;

	if (gate_frame > first) {
		running = gate_frame - first;
		if (running > frames)
			running = frames;
		hot_mc = running_mc(path, first, running);
	}
	if (running < frames)
		hot_mc = higher(hot_mc, gated_mc(path, gate_frame,
						 first + running,
						 frames - running));
	return hot_mc;
}
