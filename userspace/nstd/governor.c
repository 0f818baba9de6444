// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * governor.c - configuration, situation and decisions of one sensor
 *
 * What the sensor tells and what became of frames is in verdict.c.
 */
#include <errno.h>
#include <string.h>

#include "governor.h"
#include "identified.h"
#include "situation.h"

/*
 * Taken off every threshold beside the model's own uncertainty: the plant's
 * decay factors and the ambient of one frame are good to some millikelvins.
 */
#define MODEL_MARGIN_MC 20

/* Decisions per judgement on lateness: 4 s at 30 fps. */
#define LATE_WINDOW 128
/* Windows in time before less delay is believed. */
#define CALM_WINDOWS 8

#define PERIOD_DEFAULT_US 33333

static const struct nst_profile_sensor *sensor_of(const struct nst_governor *g)
{
	return &g->profile->sensors[g->sensor];
}

static bool same_plant(const struct nst_plant_params *a,
		       const struct nst_plant_params *b)
{
	return a->r_jp_mk_per_w == b->r_jp_mk_per_w &&
	       a->r_pa_mk_per_w == b->r_pa_mk_per_w &&
	       a->c_j_uj_per_k == b->c_j_uj_per_k &&
	       a->c_p_uj_per_k == b->c_p_uj_per_k &&
	       a->leak_ref_uw == b->leak_ref_uw &&
	       a->leak_beta_ppm_per_k == b->leak_beta_ppm_per_k;
}

static bool same_thresholds(const struct nst_thresholds *a,
			    const struct nst_thresholds *b)
{
	return a->high_mc == b->high_mc && a->low_mc == b->low_mc &&
	       a->capture_mc == b->capture_mc && a->max_mc == b->max_mc;
}

/* ------------------------------------------------------- configuration */

int nst_gov_configure(struct nst_governor *g,
		      const struct nst_profile *profile, unsigned int sensor)
{
	const struct nst_profile_sensor *s = &profile->sensors[sensor];
	const struct nst_profile_task *task;
	struct nst_observer obs;
	int r;

	task = nst_profile_vision_task(profile, sensor);
	if (!task || !task->policy)
		return -ENOENT;
	r = nst_observer_init(&obs, &s->observer, &s->plant, s->ambient_mc);
	if (r)
		return r;

	if (!g->profile ||
	    !same_plant(g->identifies ? &g->ident.id.config.params :
					&g->obs.plant.params, &s->plant)) {
		g->obs = obs;
		g->started = false;
	} else {
		g->obs.config = obs.config;
	}
	if (g->policy != task->policy)
		nst_policy_reset(&g->ps);
	g->stay = nst_policy_find("stop-capture-go");
	g->profile = profile;
	g->sensor = sensor;
	g->policy = task->policy;
	g->stop_frames = 0;
	g->dwell_ms = UINT32_MAX;
	nst_identified_configure(g);
	nst_gov_ambient(g, g->ambient_mc);
	g->history.doubling_mc = s->doubling_mc;
	g->history.power_mw[NST_GATE_RUN] = s->near_mw;
	for (int i = NST_GATE_STANDBY; i < NST_GATE_COUNT; i++)
		g->history.power_mw[i] = s->capture_mw;
	g->stale = true;
	return 0;
}

int nst_gov_init(struct nst_governor *g, const struct nst_profile *profile,
		 unsigned int sensor)
{
	memset(g, 0, sizeof(*g));
	g->automatic = true;
	g->ceiling_mc = NST_TEMP_NONE_MC;
	g->ambient_mc = NST_TEMP_NONE_MC;
	g->pc.thr = (struct nst_thresholds){
		.high_mc = NST_TEMP_NONE_MC, .low_mc = NST_TEMP_NONE_MC,
		.capture_mc = NST_TEMP_NONE_MC, .max_mc = NST_TEMP_NONE_MC,
	};
	g->placement = NST_PAUSED;
	g->why = NST_WHY_NO_SENSOR;
	return nst_gov_configure(g, profile, sensor);
}

void nst_gov_restart(struct nst_governor *g)
{
	g->started = false;
	g->told = false;
}

void nst_gov_windows(struct nst_governor *g, bool windows)
{
	g->windows = windows;
	g->stale = true;
}

void nst_gov_light(struct nst_governor *g, const struct nst_light *light)
{
	g->camera = *light;
	g->stale = true;
}

void nst_gov_far(struct nst_governor *g, enum nst_gov_far far)
{
	g->far_device = (u8)far;
	g->far = g->far_device > g->far_share ? g->far_device : g->far_share;
}

void nst_gov_share(struct nst_governor *g, enum nst_gov_far far)
{
	g->far_share = (u8)far;
	g->far = g->far_device > g->far_share ? g->far_device : g->far_share;
}

void nst_gov_ambient(struct nst_governor *g, s32 ambient_mc)
{
	g->ambient_mc = ambient_mc;
	if (ambient_mc == NST_TEMP_NONE_MC)
		ambient_mc = sensor_of(g)->ambient_mc;
	nst_identified_ambient(g, ambient_mc);
}

void nst_gov_policy(struct nst_governor *g,
		    const struct nst_dev_policy *policy)
{
	g->automatic = policy->automatic;
	g->manual = policy->thr;
	g->stale = true;
}

/* ----------------------------------------------------------- situation */

static u32 first_of(u32 a, u32 b, u32 c)
{
	return a ? a : b ? b : c;
}

/* Thresholds that the device takes, with the gap as it was. */
static void clamp_ceiling(struct nst_thresholds *thr, s32 ceiling_mc)
{
	s32 down;

	if (thr->max_mc > ceiling_mc)
		thr->max_mc = ceiling_mc;
	down = thr->high_mc - thr->max_mc;
	if (down > 0) {
		thr->high_mc -= down;
		thr->low_mc -= down;
	}
}

static void override_policy(const struct nst_governor *g,
			    struct nst_policy_config *pc)
{
	u64 frames;

	if (g->stop_frames)
		pc->stop_frames = g->stop_frames;
	if (g->dwell_ms == UINT32_MAX)
		return;
	frames = (g->dwell_ms * 1000ull + pc->frame_period_us - 1) /
		 pc->frame_period_us;
	pc->dwell_frames = frames ? (u32)frames : 1;
}

static int work_out(struct nst_governor *g, struct nst_policy_config *ret)
{
	const struct nst_profile_sensor *s = sensor_of(g);
	struct nst_situation sit;
	s32 imaging_mc;
	int r;

	r = nst_situation_get_plant(&sit, g->profile, g->sensor,
				    nst_identified_plant(g),
				    g->light.exposure_us, g->light.iso);
	if (r) {
		/* The limit still tells which frames may be delivered. */
		if (nst_profile_demand(g->profile, g->sensor,
				       g->light.exposure_us, g->light.iso,
				       &g->vision_mc, &imaging_mc) == -ERANGE)
			g->vision_mc = NST_TEMP_MIN_MC;
		return r;
	}
	g->vision_mc = sit.policy.vision_max_mc;
	*ret = sit.policy;
	/* What the camera does, not what the profile hoped for. */
	if (g->state.frame_period_us)
		ret->frame_period_us = g->state.frame_period_us;
	else if (g->camera.frame_us)
		ret->frame_period_us = g->camera.frame_us;
	ret->switch_uj = nst_situation_switch_uj(s, ret->frame_period_us);
	if (s->shutter == NST_SHUTTER_ROLLING && g->state.readout_us)
		ret->readout_us = g->state.readout_us;
	if (ret->exposure_us + ret->readout_us > ret->frame_period_us)
		ret->exposure_us = ret->frame_period_us > ret->readout_us
			? ret->frame_period_us - ret->readout_us : 1;
	/*
	 * Work that cannot be placed is as good as spread, and without frames
	 * a device knows no period that a window could be in.
	 */
	if (!g->windows || !g->state.frames)
		ret->vpu_busy_us = 0;
	override_policy(g, ret);
	if (!g->automatic) {
		ret->thr = g->manual;
		ret->die_max_mc = g->manual.high_mc;
		ret->die_max_firm = true;
	} else {
		clamp_ceiling(&ret->thr, g->ceiling_mc);
		if (ret->die_max_mc > ret->thr.max_mc)
			ret->die_max_mc = ret->thr.max_mc;
	}
	ret->act_delay_frames = g->delay_frames;
	return nst_policy_config_check(ret);
}

/* A period's situation is the one at the first tick that knows it. */
static void fill_periods(struct nst_governor *g)
{
	for (u64 seq = g->filled_seq + 1; seq <= g->last_seq; seq++) {
		struct nst_gov_period *p = &g->period[seq % NST_GOV_PERIODS];

		p->vision_mc = g->vision_mc;
		p->thr = g->pc.thr;
		p->light = g->light;
		p->readout_us = sensor_of(g)->shutter == NST_SHUTTER_ROLLING
			? first_of(g->state.readout_us,
				   sensor_of(g)->readout_us, 0) : 0;
	}
	g->filled_seq = g->last_seq;
}

static void update_situation(struct nst_governor *g)
{
	const struct nst_profile_light *fallback = &sensor_of(g)->light;
	struct nst_policy_config pc = { 0 };
	bool changed = g->pc_err;

	g->light.exposure_us = first_of(g->state.exposure_us,
					g->camera.exposure_us,
					fallback->exposure_us);
	g->light.iso = first_of(g->camera.iso, fallback->iso, 0);
	g->light.lux_milli = first_of(g->camera.lux_milli,
				      fallback->lux_milli, 0);
	g->stale = false;
	g->pc_err = work_out(g, &pc);
	if (g->pc_err)
		return;
	if (changed || !same_thresholds(&pc.thr, &g->pc.thr))
		g->limits_due = true;
	g->pc = pc;
}

bool nst_gov_limits(struct nst_governor *g)
{
	const u32 timing_us[3] = { g->state.exposure_us, g->state.readout_us,
				   g->state.frame_period_us };

	if (g->stale || g->had_frames != g->state.frames ||
	    memcmp(timing_us, g->timing_us, sizeof(timing_us))) {
		memcpy(g->timing_us, timing_us, sizeof(timing_us));
		g->had_frames = g->state.frames;
		update_situation(g);
	}
	fill_periods(g);
	return g->limits_due && g->automatic && !g->pc_err;
}

/* ------------------------------------------------------------ decisions */

bool nst_gov_trusted(const struct nst_governor *g)
{
	return g->started && g->obs.primed && g->obs.healthy;
}

/*
 * Ticks that come late are a delay between decision and effect: the policy
 * plans that much ahead. One late tick is no reason, one in fifty is; less
 * delay is believed after eight windows without reason.
 */
static u32 delay_needed(const struct nst_governor *g)
{
	u32 frames = 1 + g->window_late / LATE_WINDOW;

	if (g->window_late * 50 <= LATE_WINDOW)
		return 0;
	return frames < NST_GOV_DELAY_MAX ? frames : NST_GOV_DELAY_MAX;
}

static void feed_back_late(struct nst_governor *g, u64 late)
{
	u32 needed;

	g->stats.late += late;
	g->window_decided++;
	g->window_late += late > LATE_WINDOW ? LATE_WINDOW : (u32)late;
	if (g->window_decided < LATE_WINDOW)
		return;
	needed = delay_needed(g);
	if (needed >= g->delay_frames) {
		g->delay_frames = needed;
		g->calm_windows = 0;
	} else if (++g->calm_windows >= CALM_WINDOWS) {
		g->delay_frames = needed;
		g->calm_windows = 0;
	}
	g->window_decided = 0;
	g->window_late = 0;
	if (!g->pc_err)
		g->pc.act_delay_frames = g->delay_frames;
}

static bool may_go_far(const struct nst_governor *g)
{
	const struct nst_gov_ask *last = &g->ask[g->decided_seq %
						 NST_GOV_PERIODS];

	if (g->workers.any && !g->workers.may_far)
		return false;
	if (g->far == NST_FAR_LESS)
		return g->decided_seq && last->seq == g->decided_seq &&
		       last->placement == NST_FAR;
	return g->far == NST_FAR_WELCOME;
}

/*
 * A placement whose worker is not ready has to wait. Far goes on in the place
 * of near or of a stop, both of which are about the stack, which is cool.
 */
static void ask_workers(const struct nst_governor *g,
			struct nst_policy_outputs *out)
{
	const struct nst_gov_workers *w = &g->workers;

	if (!w->any)
		return;
	if (out->placement != NST_FAR && !w->may_near) {
		out->placement = w->may_far ? NST_FAR : NST_PAUSED;
		out->gate = NST_GATE_STANDBY;
	}
	if (out->placement == NST_FAR && w->near_on)
		out->gate = NST_GATE_RUN;
}

/* Both policies plan with what was really decided, whoever decided it. */
static void decide(struct nst_governor *g, const struct nst_policy_inputs *in,
		   struct nst_policy_outputs *out)
{
	u32 gated_bits = g->ps.gated_bits;

	g->pc.no_far = g->far == NST_FAR_REFUSED;
	g->policy->decide(&g->pc, &g->ps, in, out);
	g->wish = out->placement == NST_FAR && g->far == NST_FAR_REFUSED
		? NST_NEAR : out->placement;
	if (out->placement != NST_FAR || may_go_far(g)) {
		nst_policy_reset(&g->stay_ps);
		return;
	}
	g->stay_ps.gated_bits = gated_bits;
	g->stay->decide(&g->pc, &g->stay_ps, in, out);
	g->ps.gated_bits = g->stay_ps.gated_bits;
	if (out->placement == NST_PAUSED && out->reason != NST_WHY_NO_SENSOR)
		out->reason = NST_WHY_NO_FAR;
}

/*
 * Carry the model to a boundary. A window of the running period that has not
 * come yet will have come then.
 */
static int model_at(const struct nst_governor *g, struct nst_plant *model,
		    u64 at_us)
{
	const struct nst_gov_period *p =
		&g->period[g->last_seq % NST_GOV_PERIODS];
	struct nst_history ahead;
	u64 from_us = p->start_us + p->run_from_us;

	if (!p->run_us)
		return nst_history_advance(&g->history, model, g->obs_us,
					   at_us);
	ahead = g->history;
	nst_history_window(&ahead, from_us, from_us + p->run_us);
	return nst_history_advance(&ahead, model, g->obs_us, at_us);
}

/* Its power while it works: near_mw is the mean over the period. */
static u32 run_power_mw(const struct nst_governor *g,
			const struct nst_policy_outputs *out)
{
	const struct nst_policy_config *pc = &g->pc;
	u64 vpu_nj = (u64)(pc->near_mw - pc->gated_mw) * pc->frame_period_us;

	if (!out->run_us || !pc->vpu_busy_us)
		return sensor_of(g)->near_mw;
	return pc->gated_mw + (u32)(vpu_nj / pc->vpu_busy_us);
}

static struct nst_policy_outputs ask_policy(struct nst_governor *g, u64 seq)
{
	u32 period_us = first_of(g->state.frame_period_us,
				 g->pc.frame_period_us, PERIOD_DEFAULT_US);
	u64 start_us;
	struct nst_policy_outputs out = {
		.gate = NST_GATE_STANDBY,
		.placement = g->policy->drops || !may_go_far(g) ? NST_PAUSED
								: NST_FAR,
		.reason = NST_WHY_ABOVE_HIGH,
	};
	struct nst_plant model = g->obs.plant;
	struct nst_policy_inputs in = {
		.frame_seq = seq,
		.model = &model,
		.ambient_mc = g->obs.ambient_mc,
		.margin_mc = g->obs.uncertainty_mc + MODEL_MARGIN_MC +
			     nst_identified_margin_mc(g),
		.sensor_ok = nst_gov_trusted(g),
	};

	/* Asked for what no temperature can give: nothing to plan with. */
	if (g->pc_err) {
		g->wish = g->policy->drops ? NST_PAUSED : NST_FAR;
		ask_workers(g, &out);
		return out;
	}
	start_us = g->state.next_start_us ? g->state.next_start_us
					  : g->state.frame_start_us + period_us;
	if (start_us < g->obs_us)
		start_us = g->obs_us;
	in.t_us = start_us;
	if (model_at(g, &model, start_us))
		in.sensor_ok = false;
	g->decided_mc = nst_plant_die_mc(&model);
	decide(g, &in, &out);
	ask_workers(g, &out);
	if (out.placement != NST_NEAR) {
		out.run_from_us = 0;
		out.run_us = 0;
	}
	if (out.gate == NST_GATE_RUN)
		g->history.power_mw[NST_GATE_RUN] = run_power_mw(g, &out);
	return out;
}

bool nst_gov_decide(struct nst_governor *g, struct nst_dev_gate *ret)
{
	u64 seq = g->state.frame_seq + 1, late = 0;
	struct nst_policy_outputs out;
	struct nst_gov_ask *ask;

	/* Once per period: policies count their calls. */
	if (seq <= g->decided_seq)
		return false;
	g->fresh = !g->decided_seq;
	if (!g->fresh)
		late = seq - g->decided_seq - 1;
	feed_back_late(g, late);
	out = ask_policy(g, seq);
	g->decided_seq = seq;
	ask = &g->ask[seq % NST_GOV_PERIODS];
	*ask = (struct nst_gov_ask){
		.seq = seq,
		.run_from_us = out.run_from_us,
		.run_us = out.run_us,
		.gate = out.gate,
		.placement = out.placement,
		.why = out.reason,
	};
	if (g->told && g->told_gate == out.gate &&
	    g->told_placement == out.placement &&
	    g->told_from_us == out.run_from_us &&
	    g->told_run_us == out.run_us)
		return false;
	*ret = (struct nst_dev_gate){
		.frame_seq = seq,
		.run_from_us = out.run_from_us,
		.run_us = out.run_us,
		.gate = out.gate,
		.placement = out.placement,
		.reason = out.reason,
	};
	return true;
}

void nst_gov_acted(struct nst_governor *g, const struct nst_dev_gate *asked,
		   const struct nst_dev_applied *applied)
{
	g->told = true;
	g->told_gate = asked->gate;
	g->told_placement = asked->placement;
	g->told_from_us = asked->run_from_us;
	g->told_run_us = asked->run_us;
	g->told_seq = applied->frame_seq;
	g->decided_why = asked->reason;
	if (applied->frame_seq <= asked->frame_seq)
		return;
	/* It came too late: until then the placement before goes on. */
	for (u64 seq = asked->frame_seq;
	     seq < applied->frame_seq &&
	     seq < asked->frame_seq + NST_GOV_PERIODS; seq++)
		g->ask[seq % NST_GOV_PERIODS].seq = 0;
	g->ask[applied->frame_seq % NST_GOV_PERIODS] = (struct nst_gov_ask){
		.seq = applied->frame_seq,
		.run_from_us = asked->run_from_us,
		.run_us = asked->run_us,
		.gate = asked->gate,
		.placement = asked->placement,
		.why = asked->reason,
	};
	/* The first one comes when the device was found, in mid-period. */
	if (g->fresh)
		return;
	g->window_late++;
	g->stats.late += applied->frame_seq - asked->frame_seq;
}

/* ----------------------------------------------------------- statistics */

void nst_gov_mean_power_mw(const struct nst_governor *g, u32 *ret_mw,
			   u32 *ret_far_mw)
{
	const struct nst_gov_stats *s = &g->stats;

	*ret_mw = s->time_us ? (u32)(s->energy_nj / s->time_us) : 0;
	*ret_far_mw = sensor_of(g)->far_mw;
}

/* 1 - (E / delivered) / (E_far / frames): full-far delivers every frame. */
s32 nst_gov_saving_permyriad(const struct nst_governor *g)
{
	const struct nst_gov_stats *s = &g->stats;
	double own, far;

	if (!s->delivered || !s->frames || !s->far_energy_nj)
		return 0;
	own = (double)s->energy_nj / (double)s->delivered;
	far = (double)s->far_energy_nj / (double)s->frames;
	if (own / far > 1000)
		return -9990000;
	return (s32)((1 - own / far) * NST_PERMYRIAD);
}

/* When the die reaches a temperature under full near power, by bisection. */
static u32 reach_ms(const struct nst_governor *g, s32 temp_mc)
{
	const struct nst_observer *obs = &g->obs;
	u32 power = sensor_of(g)->near_mw, lo = 0, hi = NST_DT_MAX_US / 1000;

	if (nst_plant_peek_die_mc(&obs->plant, power, obs->ambient_mc,
				  NST_DT_MAX_US) < temp_mc)
		return UINT32_MAX;
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (nst_plant_peek_die_mc(&obs->plant, power, obs->ambient_mc,
					  mid * 1000) < temp_mc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

u32 nst_gov_reach_ms(const struct nst_governor *g)
{
	if (!nst_gov_trusted(g) || g->pc_err)
		return UINT32_MAX;
	if (nst_observer_die_mc(&g->obs) >= g->pc.thr.high_mc)
		return 0;
	return reach_ms(g, g->pc.thr.high_mc);
}

int nst_gov_headroom(const struct nst_governor *g, u32 *ret_permyriad,
		     u32 *ret_ms)
{
	s32 high_mc = g->pc.thr.high_mc, die_mc, cold_mc;
	s64 share;

	if (!nst_gov_trusted(g) || g->pc_err)
		return -ENODATA;
	die_mc = nst_observer_die_mc(&g->obs);
	cold_mc = nst_plant_steady_die_mc(&g->obs.plant.params,
					  sensor_of(g)->capture_mw,
					  g->obs.ambient_mc);
	share = high_mc > cold_mc
		? ((s64)high_mc - die_mc) * NST_PERMYRIAD / (high_mc - cold_mc)
		: 0;
	*ret_permyriad = share < 0 ? 0 : share > NST_PERMYRIAD ?
			 NST_PERMYRIAD : (u32)share;
	*ret_ms = die_mc >= high_mc ? 0 : reach_ms(g, high_mc);
	return 0;
}
