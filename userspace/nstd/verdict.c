// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * verdict.c - what the sensor tells, and what became of every frame
 *
 * Timeline (frame n is exposed in period n and processed in period n+1): at
 * the tick in period k the exposure of frame k-1 is over and who processes
 * it is known, so that is when it gets its verdict.
 *
 * The model is carried from tick to tick through the edges of the gate, and
 * its state is kept at the start of each period. A sample corrects the model
 * and, by as much, the periods that began since the sample before.
 */
#include <errno.h>
#include <string.h>

#include "governor.h"
#include "identified.h"

/* Edges of real hardware come a little after the boundary they are for. */
#define EDGE_SLACK_US 2000u

/* A sensor that gives the same reading for longer is not read any more. */
#define STALE_US 3000000

static const struct nst_profile_sensor *sensor_of(const struct nst_governor *g)
{
	return &g->profile->sensors[g->sensor];
}

static struct nst_gov_period *period_of(struct nst_governor *g, u64 seq)
{
	return &g->period[seq % NST_GOV_PERIODS];
}

void nst_gov_event(struct nst_governor *g, const struct nst_dev_event *event)
{
	if (event->type == NST_DEV_FRAME) {
		g->start_us[event->seq % NST_GOV_PERIODS] = event->t_us;
		g->start_seq[event->seq % NST_GOV_PERIODS] = event->seq;
	} else if (event->type == NST_DEV_GATE && g->started) {
		nst_history_edge(&g->history, event->t_us, event->gate);
	}
}

/* ------------------------------------------------------------- periods */

static u64 period_start(const struct nst_governor *g,
			const struct nst_dev_state *state, u64 seq)
{
	u64 back;

	if (seq == state->frame_seq)
		return state->frame_start_us;
	if (g->start_seq[seq % NST_GOV_PERIODS] == seq)
		return g->start_us[seq % NST_GOV_PERIODS];
	back = (state->frame_seq - seq) * state->frame_period_us;
	return back < state->frame_start_us ? state->frame_start_us - back : 0;
}

static void advance(struct nst_governor *g, u64 to_us)
{
	while (g->obs_us < to_us) {
		u64 end;
		u32 power = nst_history_piece(&g->history, g->obs_us, to_us,
					      &end);

		nst_observer_advance(&g->obs, power, (u32)(end - g->obs_us));
		nst_identified_advance(g, power, (u32)(end - g->obs_us));
		g->obs_us = end;
	}
}

static void begin_period(struct nst_governor *g,
			 const struct nst_dev_state *state, u64 seq)
{
	const struct nst_gov_ask *ask = &g->ask[seq % NST_GOV_PERIODS];
	struct nst_gov_period *p = period_of(g, seq);
	u64 start_us = period_start(g, state, seq);

	if (start_us > state->now_us)
		start_us = state->now_us;
	advance(g, start_us);
	if (ask->seq == seq) {
		g->placement = ask->placement;
		g->why = ask->why;
		g->run_from_us = ask->run_from_us;
		g->run_us = ask->run_us;
	}
	*p = (struct nst_gov_period){
		.seq = seq,
		.start_us = start_us,
		.at_start = g->obs.plant,
		/* until its tick; a late tick finds periods without one */
		.temp_state = NST_SAMPLE_NOT_READY,
		.asked = g->placement,
		.why = g->why,
		.run_from_us = g->run_from_us,
		.run_us = g->run_us,
		.no_far = g->far == NST_FAR_REFUSED || g->workers.any,
		.both = g->workers.both,
	};
	g->last_seq = seq;
}

/* Nothing is known of what was before: the period that runs is the first. */
static void start(struct nst_governor *g, const struct nst_dev_state *state)
{
	const struct nst_profile_sensor *s = sensor_of(g);

	nst_observer_init(&g->obs, &s->observer, &s->plant,
			  g->history.ambient_mc);
	nst_identified_start(g, g->history.power_mw[state->gate],
			     state->now_us > g->obs_us ?
				     state->now_us - g->obs_us : 0);
	nst_history_reset(&g->history, state->gate_since_us, state->gate_prev,
			  state->gate);
	nst_policy_reset(&g->ps);
	/* Numbers that come again must not find the verdicts of old frames. */
	if (state->frame_seq < g->judged_seq)
		memset(g->verdict, 0, sizeof(g->verdict));
	memset(g->start_seq, 0, sizeof(g->start_seq));
	memset(g->ask, 0, sizeof(g->ask));
	g->epoch++;
	g->obs_us = state->now_us;
	g->sample_us = 0;
	g->pushed.have = false;
	g->started = true;
	g->placement = state->gate == NST_GATE_RUN ? NST_NEAR :
		       g->policy->drops ? NST_PAUSED : NST_FAR;
	g->why = NST_WHY_NO_SENSOR;
	g->run_from_us = 0;
	g->run_us = 0;
	g->told = false;
	g->decided_seq = 0;
	g->last_seq = state->frame_seq;
	/* Number 0 is "before the first": no frame. */
	g->filled_seq = state->frame_seq ? state->frame_seq - 1 : 0;
	g->judged_seq = state->frame_seq ? state->frame_seq : 1;
	begin_period(g, state, state->frame_seq);
}

/* A new clock, a new device under the name, or a sleep: begin again. */
static bool out_of_step(struct nst_governor *g,
			const struct nst_dev_state *state)
{
	if (state->now_us < g->obs_us || state->frame_seq < g->last_seq ||
	    state->now_us - g->obs_us > NST_DT_MAX_US)
		return true;
	if (state->frame_seq - g->last_seq < NST_GOV_PERIODS - 2)
		return false;
	g->stats.missed += state->frame_seq - g->judged_seq;
	return true;
}

/* -------------------------------------------------------------- samples */

/* Die temperature of the model at a time that is not long ago. */
static bool die_at(struct nst_governor *g, u64 t_us, s32 *ret_mc)
{
	for (u64 back = 0; back < NST_GOV_PERIODS / 2 && back <= g->last_seq;
	     back++) {
		const struct nst_gov_period *p =
			period_of(g, g->last_seq - back);
		struct nst_plant plant;

		if (p->seq != g->last_seq - back)
			return false;
		if (p->start_us > t_us)
			continue;
		plant = p->at_start;
		if (nst_history_advance(&g->history, &plant, p->start_us,
					t_us))
			return false;
		*ret_mc = nst_plant_die_mc(&plant);
		return true;
	}
	return false;
}

/*
 * A reading tells of the time when it was made. The model knows what
 * happened to the die since then, and that is added, so that the observer
 * gets a reading of now.
 */
static void bring_forward(struct nst_governor *g, struct nst_sample *s)
{
	u64 made_us = s->t_us;
	u32 delay_us = sensor_of(g)->sample_delay_us;
	s32 then_mc;

	made_us -= made_us > delay_us ? delay_us : made_us;
	if (!g->obs.primed || made_us >= g->obs_us ||
	    !die_at(g, made_us, &then_mc))
		return;
	s->value_mc += nst_observer_die_mc(&g->obs) - then_mc;
	s->t_us = g->obs_us;
}

/* Corrects the periods that began since the sample before. */
static void correct_periods(struct nst_governor *g, u64 first_seq,
			    s32 delta_mc, bool was_primed)
{
	for (u64 seq = first_seq; seq <= g->last_seq; seq++) {
		struct nst_gov_period *p = period_of(g, seq);

		if (!was_primed)
			p->at_start = g->obs.plant;
		else
			nst_plant_shift(&p->at_start, delta_mc);
		p->modelled = was_primed && nst_gov_trusted(g);
	}
}

void nst_gov_push_temp(struct nst_governor *g, u64 seq, s32 temp_mc)
{
	const struct nst_gov_period *p = period_of(g, seq);

	if (!g->started)
		return;
	g->pushed.have = true;
	g->pushed.temp_mc = temp_mc;
	g->pushed.t_us = seq && p->seq == seq ? p->start_us : g->obs_us;
}

/* Never had one: another reason is a fault, and a fault stays one. */
static bool has_thermometer(const struct nst_dev_state *state)
{
	return state->channels && state->sample[0].state != NST_SAMPLE_NO_DATA;
}

static bool take_pushed(const struct nst_governor *g,
			const struct nst_dev_state *state,
			struct nst_sample *ret)
{
	if (!g->pushed.have || has_thermometer(state) ||
	    g->pushed.t_us > state->now_us ||
	    state->now_us - g->pushed.t_us > NST_GOV_PUSHED_US)
		return false;
	*ret = (struct nst_sample){
		.t_us = g->pushed.t_us,
		.value_mc = g->pushed.temp_mc,
		.state = NST_SAMPLE_VALID,
	};
	return true;
}

static void take_sample(struct nst_governor *g,
			const struct nst_dev_state *state, u64 first_seq)
{
	struct nst_sample s = { .state = NST_SAMPLE_NO_DATA,
				.t_us = state->now_us };
	bool was_primed = g->obs.primed, was_trusted = nst_gov_trusted(g);
	struct nst_gov_period *p = period_of(g, g->last_seq);
	enum nst_observer_verdict verdict;
	s32 before_mc, open_mc = g->obs.uncertainty_mc;

	if (state->channels)
		s = state->sample[0];
	(void)take_pushed(g, state, &s);
	p->temp_state = s.state;
	p->temp_mc = s.value_mc;
	if (s.state == NST_SAMPLE_VALID && s.t_us == g->sample_us) {
		/* Read already. No news is no fault for a while. */
		if (state->now_us < s.t_us + STALE_US) {
			correct_periods(g, first_seq, 0, was_primed);
			return;
		}
		s.state = NST_SAMPLE_NO_DATA;
		p->temp_state = NST_SAMPLE_NO_DATA;
	} else if (s.state == NST_SAMPLE_VALID) {
		g->sample_us = s.t_us;
		if (s.bound == NST_BOUND_NONE)
			bring_forward(g, &s);
	}
	before_mc = nst_plant_die_mc(&g->obs.plant);
	verdict = nst_observer_sample(&g->obs, &s,
				      g->history.power_mw[state->gate]);
	if (verdict == NST_OBSERVED_BAD && s.state == NST_SAMPLE_VALID)
		p->temp_state = NST_SAMPLE_IMPLAUSIBLE;
	if (was_trusted && !nst_gov_trusted(g))
		g->stats.sensor_faults++;
	nst_identified_sample(g, &s, verdict, open_mc);
	correct_periods(g, first_seq,
			nst_plant_die_mc(&g->obs.plant) - before_mc,
			was_primed);
}

void nst_gov_observe(struct nst_governor *g,
		     const struct nst_dev_state *state)
{
	u64 first_seq;

	if (g->started && out_of_step(g, state))
		g->started = false;
	if (!g->started) {
		start(g, state);
		first_seq = g->last_seq;
	} else {
		first_seq = g->last_seq + 1;
		nst_history_edge(&g->history, state->gate_since_us,
				 state->gate);
		while (g->last_seq < state->frame_seq)
			begin_period(g, state, g->last_seq + 1);
		advance(g, state->now_us);
	}
	g->state = *state;
	take_sample(g, state, first_seq);
}

/* ------------------------------------------------------------- verdicts */

/*
 * The gate that a period began with; with a window, the one in the middle of
 * it. The kernel makes its edges: what is still to come is taken to come,
 * unless the kernel gates by itself.
 */
static u8 gate_in(const struct nst_governor *g, const struct nst_gov_period *p)
{
	u32 slack_us = g->state.frame_period_us / 4;
	u64 mid_us = p->start_us + p->run_from_us + p->run_us / 2;

	if (p->run_us && mid_us > g->state.now_us)
		return g->state.guard ? NST_GATE_STANDBY : NST_GATE_RUN;
	if (p->run_us)
		return nst_history_gate(&g->history, mid_us);
	if (slack_us > EDGE_SLACK_US)
		slack_us = EDGE_SLACK_US;
	return nst_history_gate(&g->history, p->start_us + slack_us);
}

enum nst_gate nst_gov_gate_in(const struct nst_governor *g, u64 seq)
{
	return (enum nst_gate)gate_in(g, &g->period[seq % NST_GOV_PERIODS]);
}

/* Who really processes in a period: the gate has the last word. */
static u8 placement_in(const struct nst_governor *g,
		       const struct nst_gov_period *p)
{
	bool run = gate_in(g, p) == NST_GATE_RUN;

	if (g->follow)
		return run ? NST_NEAR : g->policy->drops ? NST_PAUSED
							 : NST_FAR;
	if (p->asked == NST_NEAR && !run)
		return g->policy->drops || p->no_far ? NST_PAUSED : NST_FAR;
	return p->asked;
}

static u32 system_power_mw(const struct nst_governor *g,
			   const struct nst_gov_period *p)
{
	const struct nst_profile_sensor *s = sensor_of(g);

	switch (placement_in(g, p)) {
	case NST_NEAR:
		return s->near_mw + (p->both ? s->far_mw - s->capture_mw : 0);
	case NST_FAR:
		return s->far_mw + (p->both && gate_in(g, p) == NST_GATE_RUN
				    ? s->near_mw - s->capture_mw : 0);
	default:
		return s->capture_mw;
	}
}

static u8 outcome_of(const struct nst_gov_period *p, const struct nst_verdict *v)
{
	if (v->placement == NST_PAUSED)
		return NST_DROPPED;
	if (v->why == NST_WHY_FIXED || v->limit_mc == NST_TEMP_NONE_MC)
		return NST_DELIVERED;
	if (!p->modelled)
		return NST_WITHHELD_BLIND;
	return v->exposure_temp_mc > v->limit_mc ? NST_WITHHELD_HOT
						 : NST_DELIVERED;
}

static void count(struct nst_governor *g, const struct nst_gov_period *p,
		  const struct nst_gov_period *next,
		  const struct nst_verdict *v)
{
	struct nst_gov_stats *s = &g->stats;
	u8 placement = placement_in(g, p);
	u64 us = next->start_us - p->start_us;

	s->frames++;
	s->time_us += us;
	s->energy_nj += us * system_power_mw(g, p);
	s->far_energy_nj += us * sensor_of(g)->far_mw;
	s->near += placement == NST_NEAR;
	s->switches += placement != v->placement;
	switch (v->outcome) {
	case NST_DELIVERED:
		s->delivered++;
		s->violations += v->exposure_temp_mc != NST_TEMP_NONE_MC &&
				 v->exposure_temp_mc > v->limit_mc;
		break;
	case NST_DROPPED:
		s->dropped++;
		break;
	default:
		s->withheld++;
	}
}

static void judge(struct nst_governor *g, const struct nst_gov_period *p,
		  const struct nst_gov_period *next)
{
	struct nst_verdict *v = &g->verdict[p->seq % NST_GOV_VERDICTS];

	*v = (struct nst_verdict){
		.seq = p->seq,
		.t_us = p->start_us,
		.temp_mc = p->temp_mc,
		.temp_state = p->temp_state,
		.exposure_temp_mc = NST_TEMP_NONE_MC,
		/* A change of light: the stricter of the two. */
		.limit_mc = p->vision_mc < next->vision_mc ? p->vision_mc
							   : next->vision_mc,
		.high_mc = p->thr.high_mc,
		.low_mc = p->thr.low_mc,
		.max_mc = p->thr.max_mc,
		.ambient_mc = g->obs.ambient_mc,
		.exposure_us = p->light.exposure_us,
		.iso = p->light.iso,
		.lux_milli = p->light.lux_milli,
		.gate = gate_in(g, p),
		.placement = placement_in(g, next),
		.why = next->why,
	};
	v->power_mw = system_power_mw(g, next);
	if (p->modelled)
		v->exposure_temp_mc =
			nst_history_exposure_mc(&g->history, &p->at_start,
						p->start_us,
						p->light.exposure_us,
						p->readout_us);
	v->outcome = outcome_of(p, v);
	count(g, p, next, v);
}

void nst_gov_judge(struct nst_governor *g)
{
	for (; g->judged_seq < g->last_seq; g->judged_seq++) {
		const struct nst_gov_period *p = period_of(g, g->judged_seq);

		judge(g, p, period_of(g, g->judged_seq + 1));
	}
}

const struct nst_verdict *nst_gov_verdict(const struct nst_governor *g,
					  u64 seq, int *ret_err)
{
	const struct nst_verdict *v = &g->verdict[seq % NST_GOV_VERDICTS];

	if (v->outcome != NST_NO_VERDICT && v->seq == seq &&
	    seq < g->judged_seq)
		return v;
	*ret_err = !g->started || seq >= g->judged_seq ? -EAGAIN : -ENOENT;
	return NULL;
}

const char *nst_outcome_text(enum nst_outcome outcome)
{
	switch (outcome) {
	case NST_NO_VERDICT:
		break;
	case NST_DELIVERED:
		return "delivered";
	case NST_DROPPED:
		return "dropped for a stop";
	case NST_WITHHELD_HOT:
		return "withheld: exposure temperature above the limit";
	case NST_WITHHELD_BLIND:
		return "withheld: no trustworthy temperature";
	}
	return "invalid";
}
