// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* told.c - what the governor of a simulated run goes by, see told.h */
#include <errno.h>
#include <stdlib.h>

#include "told.h"

#define W_PER_MW 1e-3
/* A room is known to some kelvins before anything is seen. */
#define AMBIENT_SD_C 5.0

static void sensor_set(const struct run *run,
		       struct nst_observer_config *config)
{
	config->lsb_mc = NST_ENGINE_STEP_1C_MC;
	config->floor = true;
	config->noise_mc = 0;
	if (run->opt->sensor_model == NST_SIM_1C_NOISY)
		config->noise_mc = NST_ENGINE_NOISE_1C_MC;
	if (run->opt->sensor_model == NST_SIM_EXACT)
		config->lsb_mc = 0;
}

int nst_told_init(struct run *run)
{
	const struct nst_sim_options *opt = run->opt;
	struct nst_told *told = calloc(1, sizeof(*told));
	struct nst_observer_config config;
	struct nst_profile_sensor *s;
	struct nst_identify_config ident;
	int r;

	if (!told)
		return -ENOMEM;
	run->tell = told;
	told->profile = opt->told ? *opt->told : *opt->profile;
	s = &told->profile.sensors[opt->sensor];
	if (opt->has_ambient)
		s->ambient_mc = opt->ambient_mc;
	config = s->observer;
	sensor_set(run, &config);
	r = nst_observer_init(&run->obs, &config, &s->plant, s->ambient_mc);
	if (r)
		return r;
	ident = (struct nst_identify_config){
		.params = s->plant,
		.near_w = s->near_mw * W_PER_MW,
		.gated_w = s->capture_mw * W_PER_MW,
		.tolerance = opt->tolerance,
		.ambient_c = s->ambient_mc / 1e3,
		.ambient_sd_c = AMBIENT_SD_C,
		.wander_c = NST_IDENT_WANDER_C,
	};
	return nst_follow_init(&told->follow, &ident, &run->obs);
}

void nst_told_free(struct run *run)
{
	free(run->tell);
	run->tell = NULL;
}

/* Everything that hangs on the plant, at the present light. */
static int work_out(struct run *run)
{
	const struct nst_sim_options *opt = run->opt;
	struct nst_told *told = run->tell;
	const struct nst_profile_sensor *s =
		&told->profile.sensors[opt->sensor];
	const struct nst_policy_config *cfg = &told->sit.policy;
	struct nst_situation sit;
	int r;

	r = nst_situation_get_any(&sit, &told->profile, opt->sensor,
				  told->exposure_us, told->iso);
	if (r)
		return r;
	told->sit = sit;
	if (!opt->switch_cost)
		told->sit.policy.switch_uj = 0;
	/*
	 * The table is of the fast mode. Where only the package has become
	 * another it stays good to 5 mK, far within the margin, and making it
	 * takes as long as a thousand frames.
	 */
	if (!told->mapped || told->map.exposure_us != cfg->exposure_us ||
	    told->map.readout_us != cfg->readout_us ||
	    told->map_r_jp_mk_per_w != cfg->params.r_jp_mk_per_w ||
	    told->map_c_j_uj_per_k != cfg->params.c_j_uj_per_k)
		told->mapped = !nst_exposure_map_init(&told->map, &cfg->params,
						      cfg->exposure_us,
						      cfg->readout_us,
						      cfg->doubling_mc);
	told->map_r_jp_mk_per_w = cfg->params.r_jp_mk_per_w;
	told->map_c_j_uj_per_k = cfg->params.c_j_uj_per_k;
	told->sub = (struct nst_subframe){
		.near_mw = cfg->near_mw,
		.gated_mw = cfg->gated_mw,
		.period_us = cfg->frame_period_us,
		.busy_us = s->vpu_busy_us,
		.enter_us = s->gate_enter_us,
	};
	told->margin_mc = nst_follow_edge_mc(&told->follow, cfg->exposure_us,
					     cfg->doubling_mc);
	run->told = cfg;
	/* Worked out again with the plant, when a policy asks for one. */
	run->windowed = false;
	return 0;
}

int nst_told_situation(struct run *run, u32 exposure_us, u32 iso)
{
	run->tell->exposure_us = exposure_us;
	run->tell->iso = iso;
	return work_out(run);
}

static void advance(struct run *run, u32 power_mw, u32 dt_us)
{
	nst_observer_advance(&run->obs, power_mw, dt_us);
	nst_follow_advance(&run->tell->follow, &run->obs, power_mw, dt_us);
}

void nst_told_sample(struct run *run, const struct nst_sample *sample,
		     u32 power_before_mw)
{
	struct nst_told *told = run->tell;
	s32 before_mc = run->obs.uncertainty_mc;
	enum nst_observer_verdict verdict;

	verdict = nst_observer_sample(&run->obs, sample, power_before_mw);
	if (!nst_follow_sample(&told->follow, &run->obs, sample, verdict,
			       before_mc))
		return;
	told->profile.sensors[run->opt->sensor].plant = told->follow.plant;
	/* A plant that no threshold fits leaves the situation before. */
	work_out(run);
}

s32 nst_told_margin_mc(const struct run *run)
{
	return run->obs.uncertainty_mc + run->tell->margin_mc +
	       run->tell->follow.margin_mc;
}

s32 nst_told_whole(struct run *run)
{
	const struct nst_policy_config *cfg = run->told;
	const struct nst_told *told = run->tell;
	u32 power_mw = run->gate == NST_GATE_RUN ? cfg->near_mw :
						   cfg->gated_mw;
	s32 seen_mc;

	if (told->mapped)
		seen_mc = nst_exposure_map_mc(&told->map, &run->obs.plant,
					      power_mw, run->obs.ambient_mc);
	else
		seen_mc = nst_exposure_frame_mc(&run->obs.plant, power_mw,
						run->obs.ambient_mc,
						cfg->exposure_us,
						cfg->readout_us,
						cfg->doubling_mc);
	seen_mc += nst_told_margin_mc(run);
	advance(run, power_mw, cfg->frame_period_us);
	return seen_mc;
}

s32 nst_told_split(struct run *run, bool run_before)
{
	const struct nst_policy_config *cfg = run->told;
	struct nst_power_piece pieces[NST_PIECES_MAX];
	unsigned int count;
	s32 seen_mc;

	count = nst_subframe_pieces(&run->tell->sub, run->gate == NST_GATE_RUN,
				    run_before, pieces);
	seen_mc = nst_subframe_exposure_mc(&run->obs.plant, pieces, count,
					   run->obs.ambient_mc,
					   cfg->exposure_us, cfg->readout_us,
					   cfg->doubling_mc) +
		  nst_told_margin_mc(run);
	for (unsigned int i = 0; i < count; i++)
		advance(run, pieces[i].power_mw, pieces[i].len_us);
	return seen_mc;
}

int nst_told_window_set(struct run *run, const struct nst_window *w,
			u32 busy_us)
{
	const struct nst_policy_config *cfg = run->told;
	u64 vpu_nj = (u64)(cfg->near_mw - cfg->gated_mw) *
		     cfg->frame_period_us;
	struct nst_window own = *w;

	own.idle_mw = cfg->gated_mw;
	own.heat_mw = cfg->gated_mw + (u32)(vpu_nj / busy_us);
	return nst_window_map_init(&run->tell->window, &own, &run->obs.plant,
				   nst_window_rest_mc(&own, &run->obs.plant));
}

s32 nst_told_window(struct run *run)
{
	struct nst_window_map *map = &run->tell->window;
	const struct nst_observer *obs = &run->obs;
	s32 seen_mc = nst_window_map_mc(map, obs->plant.mode, obs->plant.z_q32,
					obs->ambient_mc) +
		      nst_told_margin_mc(run);

	for (int i = 0; i < 3; i++)
		advance(run, i == 1 ? map->w.heat_mw : map->w.idle_mw,
			map->len_us[i]);
	return seen_mc;
}
