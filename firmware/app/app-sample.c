// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * app-sample.c - readings, and what is believed of them
 *
 * Two sieves. A reading that is far from where the channel was, and for the
 * die from the model too, waits for a second one that agrees with it: a
 * single wrong conversion never gets further, and a channel that really
 * jumped is one sample late. What passes for the die goes to the observer
 * (policies/core/observer.h), which knows frozen and impossible sensors and
 * says whether the channel is healthy.
 *
 * The registers tell the last reading as it is: a channel whose last reading
 * was none, or was not believed, has no temperature, whatever it had before.
 */
#include "app-internal.h"

static bool within(s32 a_mc, s32 b_mc, u32 span_mc)
{
	s32 d = a_mc - b_mc;

	return (d < 0 ? -d : d) <= (s32)span_mc;
}

/* Does the reading need a second one to be believed? */
static bool doubtful(const struct nst_app *app, u32 ch, s32 value_mc)
{
	const struct nst_app_channel *channel = &app->channel[ch];
	u32 span_mc = app->config->spike_mc;

	if (channel->known && within(value_mc, channel->value_mc, span_mc))
		return false;
	/* At a gate edge the model knows of the jump. */
	if (ch == 0 && channel->known && app->observer.primed &&
	    within(value_mc, nst_observer_die_mc(&app->observer), span_mc))
		return false;
	return !channel->doubted ||
	       !within(value_mc, channel->doubt_mc, span_mc);
}

static void sieve(struct nst_app *app, u32 ch, struct nst_sample *sample)
{
	struct nst_app_channel *channel = &app->channel[ch];
	s32 value_mc = sample->value_mc;

	if (sample->state == NST_SAMPLE_VALID &&
	    (!nst_temp_in_range(value_mc) || sample->bound > NST_BOUND_AT_MOST))
		sample->state = NST_SAMPLE_IMPLAUSIBLE;
	if (sample->state != NST_SAMPLE_VALID) {
		channel->doubted = false;
		return;
	}
	if (doubtful(app, ch, value_mc)) {
		/* The very first has nothing to contradict. */
		sample->state = channel->known || channel->doubted ?
					NST_SAMPLE_IMPLAUSIBLE :
					NST_SAMPLE_NOT_READY;
		channel->doubt_mc = value_mc;
		channel->doubted = true;
		return;
	}
	channel->value_mc = value_mc;
	channel->known = true;
	channel->doubted = false;
}

static void read_channel(struct nst_app *app, u32 ch, struct nst_sample *ret)
{
	int err;

	*ret = (struct nst_sample){ .t_us = app->now_us };
	err = app->hal->read_temp(app->ctx, ch, ret);
	ret->t_us = app->now_us;
	ret->state = (u8)nst_sample_from_errno(err);
	sieve(app, ch, ret);
}

static void watch_health(struct nst_app *app, u8 state)
{
	const struct nst_observer *obs = &app->observer;

	if (obs->healthy) {
		app->proven = true;
		app->sensor_bad = false;
	} else if (!app->sensor_bad &&
		   obs->bad_run >= obs->config.bad_max) {
		app->sensor_bad = true;
		app->status |= NST_MCU_STATUS_SENSOR;
		/* A low rail is a reading that says nothing. */
		app->fault = state ? state : NST_SAMPLE_IMPLAUSIBLE;
		app->fault_value = 0;
		app->counters.failsafes++;
	}
}

static void sample_die(struct nst_app *app)
{
	struct nst_app_channel *channel = &app->channel[0];
	enum nst_observer_verdict verdict;
	struct nst_sample sample;
	u32 power_mw = app->config->gate_power_mw[app->gate.actual];

	read_channel(app, 0, &sample);
	verdict = nst_observer_sample(&app->observer, &sample, power_mw);
	if (verdict == NST_OBSERVED_BAD) {
		app->counters.sample_errors++;
		if (sample.state == NST_SAMPLE_VALID &&
		    sample.bound != NST_BOUND_AT_MOST)
			sample.state = NST_SAMPLE_IMPLAUSIBLE;
	}
	channel->state = sample.state;
	channel->bound = sample.bound;
	watch_health(app, sample.state);
}

static u16 power_of(struct nst_app *app)
{
	u32 power_mw;

	if (!(app->config->caps & NST_MCU_CAPS_POWER) ||
	    app->hal->read_power(app->ctx, &power_mw))
		power_mw = app->config->gate_power_mw[app->gate.actual];
	return (u16)(power_mw < 0xffff ? power_mw : 0xffff);
}

/* nst_app_sample() - one reading of everything; the model is at now */
void nst_app_sample(struct nst_app *app)
{
	struct nst_sample sample;
	u32 ch;

	sample_die(app);
	for (ch = 1; ch < app->config->channels; ch++) {
		read_channel(app, ch, &sample);
		app->channel[ch].state = sample.state;
		app->channel[ch].bound = sample.bound;
	}
	app->power_mw = power_of(app);
	app->sample_us = app->now_us;
	app->seq++;
	app->counters.samples++;
}

/* nst_app_trusted() - the estimate of the die is backed by a good sensor */
bool nst_app_trusted(const struct nst_app *app)
{
	return app->proven && !app->sensor_bad;
}
