// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * app-gate.c - who says what the gate is, and whether it obeys
 *
 * Strictest first, each may only close what the next one left open:
 *
 *	no trusted temperature   power-on, or the die sensor is lost
 *	ceiling                  always, whoever governs
 *	capture                  the pixels are to be cold
 *	hold                     two thresholds, while no host governs
 *	request                  of the host, or of power-on
 *
 * A host that falls silent leaves its last request behind: what it had closed
 * stays closed, so a host that sleeps or died is never the reason that the
 * stack heats up; what it had open is kept between the thresholds.
 *
 * Closing is at once. A shallower gate waits until the present one has been
 * held for the dwell. Both bands look one sample ahead with the VPU at work,
 * because nothing can be decided before the next sample.
 */
#include "app-internal.h"

/* The ceiling lets go this far below itself. */
#define CEILING_RELEASE_MC	2000
/* Failures in a row until the gate counts as not obeying. */
#define FAILURES_MAX		10
/* From then on it is tried this often. */
#define RETRY_SLOW_US		1000000

bool nst_app_gate_exists(const struct nst_app *app, u32 gate)
{
	static const u16 cap[NST_GATE_COUNT] = {
		[NST_GATE_STANDBY] = NST_MCU_CAPS_STANDBY,
		[NST_GATE_CLEARED] = NST_MCU_CAPS_CLEARED,
		[NST_GATE_OFF] = NST_MCU_CAPS_OFF,
	};

	return gate == NST_GATE_RUN ||
	       (gate < NST_GATE_COUNT && app->config->caps & cap[gate]);
}

/* nst_app_gate_init() - a VPU that was at work is stopped until proven cool */
void nst_app_gate_init(struct nst_app *app)
{
	struct nst_app_gate *gate = &app->gate;

	gate->request = app->config->boot_gate;
	/* What it is now nobody knows: the hotter guess. */
	gate->actual = NST_GATE_RUN;
	gate->set = NST_GATE_RUN;
	gate->since_us = app->now_us;
	app->hold.state = NST_BAND_OPEN;
	nst_app_gate_decide(app);
}

static bool at_rail(struct nst_app *app)
{
	const struct nst_app_channel *die = &app->channel[0];
	const struct nst_sample sample = {
		.value_mc = die->value_mc,
		.state = die->state,
		.bound = die->bound,
	};

	return nst_rail_observe(&app->rail, &sample, &app->observer,
				app->config->gate_power_mw[0]);
}

/* nst_app_gate_bands() - a sample was taken: where is the die, and where to? */
void nst_app_gate_bands(struct nst_app *app)
{
	const struct nst_observer *obs = &app->observer;
	s32 die_mc = nst_observer_die_mc(obs);
	s32 ahead_mc, hold_mc;
	u8 before = app->ceiling.state;

	if (!nst_app_trusted(app))
		return;
	ahead_mc = nst_plant_peek_die_mc(&obs->plant,
					 app->config->gate_power_mw[0],
					 obs->ambient_mc,
					 app->config->sample_period_us);
	if (ahead_mc < die_mc)
		ahead_mc = die_mc;

	nst_band_step(&app->ceiling, app->ceiling_mc,
		      app->ceiling_mc - CEILING_RELEASE_MC, 0,
		      at_rail(app) ? NST_TEMP_MAX_MC : ahead_mc,
		      app->now_us);
	if (app->ceiling.state == NST_BAND_GATED && before == NST_BAND_OPEN) {
		app->status |= NST_MCU_STATUS_CEILING;
		app->counters.failsafes++;
	}
	if (die_mc >= app->high_mc && !app->above_high)
		app->status |= NST_MCU_STATUS_HIGH;
	app->above_high = die_mc >= app->high_mc;

	if (app->gate.host)
		return;
	hold_mc = app->hold.state == NST_BAND_OPEN ? ahead_mc : die_mc;
	nst_band_step(&app->hold, app->high_mc, app->low_mc,
		      (u32)nst_app_ms_to_us(app->dwell_ms), hold_mc,
		      app->now_us);
}

/* The host fell silent: the hold goes on with the gate that it finds. */
static void host_lost(struct nst_app *app)
{
	bool closed = app->gate.set != NST_GATE_RUN;

	app->gate.host = false;
	app->hold.state = closed ? NST_BAND_GATED : NST_BAND_OPEN;
	app->hold.since_us = app->gate.since_us;
	app->status |= NST_MCU_STATUS_WATCHDOG;
	app->counters.watchdogs++;
}

static void gate_failed(struct nst_app *app, u8 wanted)
{
	struct nst_app_gate *gate = &app->gate;

	gate->settled = false;
	if (gate->failures < FAILURES_MAX)
		gate->failures++;
	if (gate->failures < FAILURES_MAX)
		return;
	gate->retry_us = app->now_us + RETRY_SLOW_US;
	if (gate->fault)
		return;
	gate->fault = true;
	app->status |= NST_MCU_STATUS_GATE;
	app->fault = NST_MCU_FAULT_GATE;
	app->fault_value = wanted;
}

static void gate_obeyed(struct nst_app *app)
{
	app->gate.settled = true;
	app->gate.failures = 0;
	app->gate.fault = false;
	app->gate.retry_us = 0;
}

/*
 * nst_app_gate_watch() - before a sample: what does the hardware say?
 *
 * A gate has the time that its costs give it. After that each look that
 * finds another gate counts as a failure, and it is told again.
 */
void nst_app_gate_watch(struct nst_app *app)
{
	struct nst_app_gate *gate = &app->gate;
	const struct nst_app_config *config = app->config;
	u64 grace_us = (u64)config->gate_enter_us[gate->set] +
		       config->gate_exit_us[gate->actual];
	u32 actual;

	if (!app->hal->get_gate || app->hal->get_gate(app->ctx, &actual) ||
	    actual >= NST_GATE_COUNT)
		return;
	if (actual != gate->actual) {
		/* The model had another power until now. */
		nst_app_settle(app);
		gate->actual = (u8)actual;
	}
	if (actual == gate->set) {
		if (gate->settled)
			gate_obeyed(app);
	} else if (gate->settled && app->now_us - gate->since_us > grace_us) {
		gate_failed(app, gate->set);
	}
}

static void tell(struct nst_app *app, u8 wanted)
{
	struct nst_app_gate *gate = &app->gate;
	u32 actual;

	/* Up to here the stack had the old power. */
	nst_app_settle(app);
	gate->tried = wanted;
	if (app->hal->set_gate(app->ctx, wanted)) {
		gate_failed(app, wanted);
		return;
	}
	if (wanted != gate->set) {
		if (gate->set >= NST_GATE_CLEARED && wanted < NST_GATE_CLEARED)
			app->status |= NST_MCU_STATUS_NETWORK;
		gate->set = wanted;
		gate->since_us = app->now_us;
		app->counters.gate_changes++;
	}
	gate->settled = true;
	if (!app->hal->get_gate) {
		gate->actual = wanted;
		gate_obeyed(app);
	} else if (!app->hal->get_gate(app->ctx, &actual) &&
		   actual < NST_GATE_COUNT) {
		/* A slow one may follow later, a liar does not. */
		gate->actual = (u8)actual;
	}
}

static u8 ranked(const struct nst_app *app)
{
	u8 gate = app->gate.request;
	bool close = !nst_app_trusted(app) ||
		     app->ceiling.state == NST_BAND_GATED ||
		     nst_app_capture_active(app) ||
		     (!app->gate.host && app->hold.state == NST_BAND_GATED);

	return close && gate < NST_GATE_STANDBY ? NST_GATE_STANDBY : gate;
}

static bool dwells(const struct nst_app *app)
{
	return app->gate.target < app->gate.set &&
	       app->now_us - app->gate.since_us <
		       nst_app_ms_to_us(app->dwell_ms);
}

/* nst_app_gate_decide() - bring the hardware to what the ranks say */
void nst_app_gate_decide(struct nst_app *app)
{
	struct nst_app_gate *gate = &app->gate;

	if (gate->host && app->now_us - gate->heard_us >
				  nst_app_ms_to_us(app->watchdog_ms))
		host_lost(app);
	gate->target = ranked(app);
	if (dwells(app))
		return;
	if (gate->target == gate->set && gate->settled)
		return;
	if (gate->target == gate->tried && app->now_us < gate->retry_us)
		return;
	tell(app, gate->target);
}

/* nst_app_gate_request() - the host, heard just now, governs and wants @gate */
void nst_app_gate_request(struct nst_app *app, u8 gate)
{
	app->gate.request = gate;
	app->gate.host = true;
}

/* nst_app_gate_state() - the bits of STATE */
u16 nst_app_gate_state(const struct nst_app *app)
{
	u16 state = 0;

	if (app->gate.host)
		state |= NST_MCU_STATE_HOST;
	if (!app->proven)
		state |= NST_MCU_STATE_PROVING;
	if (app->sensor_bad)
		state |= NST_MCU_STATE_SENSOR;
	if (app->ceiling.state == NST_BAND_GATED)
		state |= NST_MCU_STATE_CEILING;
	if (!app->gate.host && app->hold.state == NST_BAND_GATED)
		state |= NST_MCU_STATE_HOLD;
	if (nst_app_capture_active(app))
		state |= NST_MCU_STATE_CAPTURE;
	if (dwells(app))
		state |= NST_MCU_STATE_DWELL;
	if (app->gate.fault)
		state |= NST_MCU_STATE_GATE;
	return state;
}
