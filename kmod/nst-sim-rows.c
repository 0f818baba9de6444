// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-rows.c - dark charge of every row of a frame
 *
 * Between two events (a gate edge, a change of ambient) the plant is exact
 * in closed form. The frame's window is cut at the events; in each piece the
 * die is followed in steps that double as the fast mode dies away, the dark
 * current 2^(T/T_d) is taken at every step relative to the hottest one, and
 * its integral is kept as a running sum. A row is the difference of two
 * points of that sum, interpolated with the current's own slope. One pass
 * over the grid serves all rows.
 *
 * Steps of 64 us at an edge keep the trapezoid within 0.05 % of the charge
 * for the reference stack, which is 5 mC of exposure temperature.
 */
#include "nst-sim-render.h"
#include "exposure.h"

#define STEP_FIRST_US	64
#define STEPS_A_LEVEL	16
#define DARK_REF_MC	60000	/* where dark_e_per_s_60c holds */
/* Hotter than that is treated as that: 65536 times the reference. */
#define RATE_LOG2_MAX	16
/* Beyond white by a factor of two nothing can be seen. */
#define DARK_MAX_Q6	(2 * 65536)

static s32 clamp_s64(s64 v, s32 lo, s32 hi)
{
	return v < lo ? lo : v > hi ? hi : (s32)v;
}

/* Octaves between @temp_mc and @ref_mc, Q16. */
static s32 octaves_q16(s32 temp_mc, s32 ref_mc, u32 doubling_mc)
{
	s64 x = nst_div_s64(((s64)temp_mc - ref_mc) * 65536,
			    (s32)doubling_mc);

	return clamp_s64(x, -40 * 65536, RATE_LOG2_MAX * 65536);
}

static void grid_add(struct nst_sim_grid *grid, u64 t_us, s32 temp_mc)
{
	u32 n = grid->points;

	if (n == NST_SIM_GRID_MAX)
		return;
	grid->t_us[n] = (u32)t_us;
	grid->temp_mc[n] = temp_mc;
	grid->points = n + 1;
}

/* Follow one piece, [@from_us, @to_us) after the start of the frame. */
static void grid_piece(struct nst_sim_grid *grid, struct nst_plant *plant,
		       const struct nst_sim_seg *seg, u64 from_us, u64 to_us,
		       u32 a_level)
{
	u32 step = STEP_FIRST_US, i = 0;

	while (from_us < to_us) {
		u32 dt = step;

		if (dt > to_us - from_us)
			dt = (u32)(to_us - from_us);
		nst_plant_step(plant, seg->power_mw, seg->ambient_mc, dt);
		from_us += dt;
		grid_add(grid, from_us, nst_plant_die_mc(plant));
		if (++i == a_level) {
			i = 0;
			step *= 2;
		}
	}
}

/* Temperatures from the first row's start to the last row's end. */
static void grid_fill(struct nst_sim_grid *grid, const struct nst_plant *plant,
		      const struct nst_sim_window *window)
{
	u64 end_us = (u64)window->exposure_us + window->readout_us;
	/* Many events leave room for fewer steps after each. */
	u32 a_level = window->segs > 8 ? STEPS_A_LEVEL / 2 : STEPS_A_LEVEL;
	struct nst_plant p = *plant;
	u32 i;

	grid->points = 0;
	for (i = 0; i < window->segs; i++) {
		const struct nst_sim_seg *seg = &window->seg[i];
		u64 from_us = 0, to_us = end_us, lead_us = 0;

		if (seg->t_us < window->start_us)
			lead_us = window->start_us - seg->t_us;
		else
			from_us = seg->t_us - window->start_us;
		if (i + 1 < window->segs) {
			if (seg[1].t_us <= window->start_us)
				continue;
			if (seg[1].t_us - window->start_us < to_us)
				to_us = seg[1].t_us - window->start_us;
		}
		if (from_us >= to_us)
			break;

		p.z_q32[0] = seg->z_q32[0];
		p.z_q32[1] = seg->z_q32[1];
		if (lead_us)
			nst_plant_step(&p, seg->power_mw, seg->ambient_mc,
				       (u32)lead_us);
		/*
		 * The start of every piece: a state that was set from outside
		 * makes two points of one time.
		 */
		grid_add(grid, from_us, nst_plant_die_mc(&p));
		grid_piece(grid, &p, seg, from_us, to_us, a_level);
	}
}

/* Relative current and its running integral; returns the reference. */
static s32 grid_integrate(struct nst_sim_grid *grid, u32 doubling_mc)
{
	s32 ref_mc = grid->temp_mc[0];
	u32 i;

	for (i = 1; i < grid->points; i++)
		if (grid->temp_mc[i] > ref_mc)
			ref_mc = grid->temp_mc[i];

	for (i = 0; i < grid->points; i++) {
		grid->rate_q32[i] =
			nst_exp2_q32(octaves_q16(grid->temp_mc[i], ref_mc,
						 doubling_mc));
		if (!i) {
			grid->sum_q32us[0] = 0;
			continue;
		}
		grid->sum_q32us[i] = grid->sum_q32us[i - 1] +
			((grid->rate_q32[i - 1] + grid->rate_q32[i]) *
			 (grid->t_us[i] - grid->t_us[i - 1]) >> 1);
	}
	return ref_mc;
}

/* The integral up to @t_us; *@at is where the last call ended. */
static u64 grid_sum(const struct nst_sim_grid *grid, u32 t_us, u32 *at)
{
	u32 i = *at, dt, span;
	s64 slope;

	while (i + 2 < grid->points && grid->t_us[i + 1] <= t_us)
		i++;
	*at = i;
	dt = t_us - grid->t_us[i];
	span = grid->t_us[i + 1] - grid->t_us[i];
	if (!dt)
		return grid->sum_q32us[i];
	if (dt >= span)
		return grid->sum_q32us[i + 1];
	/* The current is taken as linear inside a step. */
	slope = (s64)grid->rate_q32[i + 1] - (s64)grid->rate_q32[i];
	return grid->sum_q32us[i] + grid->rate_q32[i] * dt +
	       (u64)(nst_div_s64(slope * dt, (s32)span) * dt / 2);
}

static s32 row_temp_mc(u64 sum_q32us, const struct nst_sim_window *window,
		       s32 ref_mc, u32 doubling_mc)
{
	u64 mean_q32 = nst_div_u64(sum_q32us, window->exposure_us);

	if (!mean_q32)
		mean_q32 = 1;
	return ref_mc + (s32)(((s64)nst_log2_q16(mean_q32) *
			       (s32)doubling_mc) >> 16);
}

/* Levels a microsecond at the reference temperature, Q32. */
static u64 rate_q6_q32(const struct nst_sim_sensor *sensor, u32 gain_q16,
		       s32 ref_mc)
{
	u64 at_60c_q28 = nst_div_u64(((u64)sensor->dark_e_per_s_60c *
				      gain_q16) << 12, 1000000);
	u64 factor_q32 = nst_exp2_q32(octaves_q16(ref_mc, DARK_REF_MC,
						  sensor->doubling_mc));

	/* Q28 * Q32 is Q60; 36 bits of head room make the upper half Q32. */
	return nst_mulhi_u64(at_60c_q28 << 21, factor_q32 << 15);
}

void nst_sim_rows(struct nst_sim_grid *grid, const struct nst_plant *plant,
		  const struct nst_sim_sensor *sensor, u32 gain_q16,
		  const struct nst_sim_window *window, s32 *ret_dark_q6,
		  s32 *ret_hot_mc, s32 *ret_cold_mc)
{
	u64 hot = 0, cold = ~0ull, rate;
	u32 r, begin = 0, end = 0;
	s32 ref_mc;

	grid_fill(grid, plant, window);
	ref_mc = grid_integrate(grid, sensor->doubling_mc);
	rate = rate_q6_q32(sensor, gain_q16, ref_mc);

	for (r = 0; r < window->rows; r++) {
		u32 start_us = window->readout_us * r / window->rows;
		u64 sum = grid_sum(grid, start_us + window->exposure_us,
				   &end);
		u64 dark_q6;

		sum -= grid_sum(grid, start_us, &begin);
		if (sum > hot)
			hot = sum;
		if (sum < cold)
			cold = sum;
		dark_q6 = nst_mulhi_u64(sum, rate);
		ret_dark_q6[r] = dark_q6 > DARK_MAX_Q6 ? DARK_MAX_Q6 :
				 (s32)dark_q6;
	}
	*ret_hot_mc = row_temp_mc(hot, window, ref_mc, sensor->doubling_mc);
	*ret_cold_mc = row_temp_mc(cold, window, ref_mc, sensor->doubling_mc);
}
