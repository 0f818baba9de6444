// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * app.c - power-on, time and frames
 */
#include "app-internal.h"

#define SAMPLE_PERIOD_MIN_US	1000
#define SAMPLE_PERIOD_MAX_US	1000000
/* Edges closer than this are one edge that bounced. */
#define FRAME_MIN_US		NST_FRAME_PERIOD_MIN_US

static int check_gates(const struct nst_app_config *config)
{
	u32 gate;

	if (!(config->caps & NST_MCU_CAPS_STANDBY) ||
	    config->boot_gate > NST_GATE_STANDBY)
		return -EINVAL;
	for (gate = 0; gate < NST_GATE_COUNT; gate++)
		if (config->gate_power_mw[gate] > NST_POWER_MAX_MW)
			return -ERANGE;
	return 0;
}

static int check_limits(const struct nst_app_config *config)
{
	const struct nst_thresholds thr = {
		.high_mc = config->high_mc,
		.low_mc = config->low_mc,
		.max_mc = config->ceiling_mc,
		.capture_mc = NST_TEMP_NONE_MC,
	};

	if (!nst_temp_in_range(config->rated_max_mc))
		return -ERANGE;
	if (config->ceiling_mc > config->rated_max_mc)
		return -EINVAL;
	return nst_thresholds_check(&thr);
}

static int check(const struct nst_app_config *config,
		 const struct nst_app_hal *hal)
{
	const u32 frames = NST_MCU_CAPS_FRAMES | NST_MCU_CAPS_CAPTURE;
	int err;

	if (!config->model || !hal->read_temp || !hal->set_gate)
		return -EINVAL;
	if ((config->caps & frames) == NST_MCU_CAPS_CAPTURE)
		return -EINVAL;
	if (config->caps & NST_MCU_CAPS_POWER && !hal->read_power)
		return -EINVAL;
	if (config->address > 0x7f || !config->channels ||
	    config->channels > NST_APP_CHANNELS_MAX || !config->spike_mc ||
	    config->spike_mc > NST_TEMP_MAX_MC ||
	    config->sample_period_us < SAMPLE_PERIOD_MIN_US ||
	    config->sample_period_us > SAMPLE_PERIOD_MAX_US ||
	    config->dwell_ms > NST_APP_DWELL_MAX_MS ||
	    config->watchdog_ms < NST_APP_WATCHDOG_MIN_MS ||
	    config->watchdog_ms > NST_APP_WATCHDOG_MAX_MS)
		return -ERANGE;
	err = check_gates(config);
	return err ? err : check_limits(config);
}

int nst_app_init(struct nst_app *app, const struct nst_app_config *config,
		 const struct nst_app_hal *hal, void *ctx, u64 now_us)
{
	struct nst_observer_config sensor = config->sensor;
	struct nst_observer observer;
	int err;

	err = check(config, hal);
	if (err)
		return err;
	sensor.conversion_us = config->conversion_us;
	err = nst_observer_init(&observer, &sensor, &config->params,
				config->ambient_mc);
	if (err)
		return err;

	*app = (struct nst_app){
		.config = config,
		.hal = hal,
		.ctx = ctx,
		.now_us = now_us,
		.start_us = now_us,
		.sample_us = now_us,
		.next_sample_us = now_us,
		.model_us = now_us,
		.high_mc = config->high_mc,
		.low_mc = config->low_mc,
		.ceiling_mc = config->ceiling_mc,
		.watchdog_ms = config->watchdog_ms,
		.dwell_ms = config->dwell_ms,
		.status = NST_MCU_STATUS_POWER_ON,
	};
	app->observer = observer;
	for (u32 ch = 0; ch < NST_APP_CHANNELS_MAX; ch++)
		app->channel[ch].state = ch < config->channels ?
						 NST_SAMPLE_NOT_READY :
						 NST_SAMPLE_NO_DATA;
	nst_app_gate_init(app);
	return 0;
}

/* nst_app_time() - a clock that was set back stands still */
void nst_app_time(struct nst_app *app, u64 now_us)
{
	if (now_us > app->now_us)
		app->now_us = now_us;
}

/* nst_app_settle() - bring the model to now with the gate that held */
void nst_app_settle(struct nst_app *app)
{
	u64 dt_us = app->now_us - app->model_us;

	/* After an hour it has settled, whatever came before. */
	if (dt_us > NST_DT_MAX_US)
		dt_us = NST_DT_MAX_US;
	/* Power and step are in range: this cannot fail. */
	nst_observer_advance(&app->observer,
			     app->config->gate_power_mw[app->gate.actual],
			     (u32)dt_us);
	app->model_us = app->now_us;
}

void nst_app_tick(struct nst_app *app, u64 now_us)
{
	nst_app_time(app, now_us);
	if (app->now_us >= app->next_sample_us) {
		app->next_sample_us += app->config->sample_period_us;
		if (app->next_sample_us <= app->now_us)
			app->next_sample_us = app->now_us +
					      app->config->sample_period_us;
		nst_app_gate_watch(app);
		nst_app_settle(app);
		nst_app_sample(app);
		nst_app_gate_bands(app);
	}
	nst_app_capture_watch(app);
	nst_app_gate_decide(app);
}

void nst_app_frame(struct nst_app *app, u64 now_us)
{
	struct nst_app_frames *frames = &app->frames;
	u64 period_us;

	if (!(app->config->caps & NST_MCU_CAPS_FRAMES))
		return;
	nst_app_time(app, now_us);
	period_us = app->now_us - frames->last_us;
	if (frames->count && period_us < FRAME_MIN_US)
		return;
	/* The first edge, and one after a pause, end no period. */
	frames->period_us = 0;
	if (frames->count && period_us <= NST_FRAME_PERIOD_MAX_US)
		frames->period_us = (u32)period_us;
	frames->last_us = app->now_us;
	frames->count++;

	nst_app_settle(app);
	nst_app_capture_frame(app);
	nst_app_gate_decide(app);
}

bool nst_app_alert(const struct nst_app *app)
{
	return app->status & app->alert_mask;
}
