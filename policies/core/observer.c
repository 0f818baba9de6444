// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * observer.c - set-membership observer on the plant model, and sensor health
 */
#include "observer.h"

/* Times the reading did not follow before the sensor counts as frozen. */
#define FROZEN_MAX 3
/* Movements below this are not judged, whatever the step of the sensor. */
#define MOVE_MIN_MC 1500
/* Less than this is rounding, of readings and of the model. */
#define SURPRISE_MC 50
/* No more uncertain than the range of temperatures. */
#define WIDTH_MAX_MC (NST_TEMP_MAX_MC - NST_TEMP_MIN_MC)

const struct nst_observer_config nst_observer_default = {
	.lsb_mc = 0,
	.floor = false,
	.noise_mc = 0,
	.implausible_mc = 20000,
	.bad_max = 5,
	.good_min = 3,
};

/*
 * Temperatures of the die that a reading leaves possible; @own_mc: how far
 * apart they are for the sensor's step and noise alone.
 */
struct possible {
	s32 lo_mc;
	s32 hi_mc;
	s32 own_mc;
};

static s32 magnitude(s32 v)
{
	return v < 0 ? -v : v;
}

static s32 fast_mc(const struct nst_observer *obs)
{
	return nst_round_q32(obs->plant.z_q32[0]);
}

/* Three steps of the sensor, clear of its noise. */
static s32 move_mc(const struct nst_observer_config *config)
{
	s32 move = 3 * (s32)config->lsb_mc;

	if (move < 6 * (s32)config->noise_mc)
		move = 6 * (s32)config->noise_mc;
	return move < MOVE_MIN_MC ? MOVE_MIN_MC : move;
}

int nst_observer_init(struct nst_observer *obs,
		      const struct nst_observer_config *config,
		      const struct nst_plant_params *params, s32 ambient_mc)
{
	struct nst_observer fresh = { .ambient_mc = ambient_mc };
	int err;

	if (!config)
		config = &nst_observer_default;
	if (config->lsb_mc > 20000 || config->noise_mc > 20000 ||
	    !config->implausible_mc || config->implausible_mc > 200000 ||
	    !config->bad_max || !config->good_min ||
	    config->conversion_us > NST_OBSERVER_CONVERSION_MAX_US)
		return -ERANGE;
	err = nst_plant_init(&fresh.plant, params, ambient_mc);
	if (err)
		return err;
	fresh.config = *config;
	fresh.width_q32 = WIDTH_MAX_MC * NST_ONE_Q32;
	fresh.uncertainty_mc = WIDTH_MAX_MC;
	*obs = fresh;
	return 0;
}

static void set_width(struct nst_observer *obs, s64 width_q32)
{
	if (width_q32 > WIDTH_MAX_MC * NST_ONE_Q32)
		width_q32 = WIDTH_MAX_MC * NST_ONE_Q32;
	obs->width_q32 = width_q32;
	obs->uncertainty_mc = (s32)((width_q32 + NST_ONE_Q32 - 1) >> 32);
}

static struct nst_observer_range fast_now(const struct nst_observer *obs)
{
	s32 fast = fast_mc(obs);

	return (struct nst_observer_range){ fast, fast };
}

static void widen(struct nst_observer_range *range,
		  const struct nst_observer_range *by)
{
	if (by->lo_mc < range->lo_mc)
		range->lo_mc = by->lo_mc;
	if (by->hi_mc > range->hi_mc)
		range->hi_mc = by->hi_mc;
}

/* The fast mode during the last conversion; now, where it takes no time. */
static struct nst_observer_range fast_of_late(const struct nst_observer *obs)
{
	struct nst_observer_range range = fast_now(obs);
	unsigned int i;

	if (obs->config.conversion_us) {
		for (i = 0; i <= NST_OBSERVER_PARTS; i++)
			widen(&range, &obs->part[i]);
	}
	return range;
}

static void forget(struct nst_observer *obs)
{
	unsigned int i;

	for (i = 0; i <= NST_OBSERVER_PARTS; i++)
		obs->part[i] = fast_now(obs);
	obs->part_us = 0;
}

static void move_parts(struct nst_observer *obs, s32 delta_mc)
{
	unsigned int i;

	for (i = 0; i <= NST_OBSERVER_PARTS; i++) {
		obs->part[i].lo_mc += delta_mc;
		obs->part[i].hi_mc += delta_mc;
	}
}

/*
 * Step the plant. What a conversion can still show is stepped through in
 * parts, because the range of a long step says little about its end.
 */
static int step_plant(struct nst_observer *obs, u32 power_mw, u32 dt_us)
{
	u32 conversion_us = obs->config.conversion_us;
	u32 len_us = (conversion_us + NST_OBSERVER_PARTS - 1) /
		     NST_OBSERVER_PARTS;
	u32 first_us = dt_us > conversion_us ? dt_us - conversion_us : 0;
	int err;

	if (!conversion_us)
		return nst_plant_step(&obs->plant, power_mw, obs->ambient_mc,
				      dt_us);
	/* The range of every argument is known after the first call. */
	err = nst_plant_step(&obs->plant, power_mw, obs->ambient_mc, first_us);
	if (err)
		return err;
	if (first_us)
		forget(obs);
	for (dt_us -= first_us; dt_us;) {
		u32 us = dt_us < len_us ? dt_us : len_us;
		struct nst_observer_range now;
		unsigned int i;

		nst_plant_step(&obs->plant, power_mw, obs->ambient_mc, us);
		dt_us -= us;
		now = fast_now(obs);
		widen(&obs->part[0], &now);
		obs->part_us += us;
		if (obs->part_us < len_us)
			continue;
		for (i = NST_OBSERVER_PARTS; i > 0; i--)
			obs->part[i] = obs->part[i - 1];
		obs->part[0] = now;
		obs->part_us = 0;
	}
	return 0;
}

/* Averages are for noise that blurs the steps, of readings that are prompt. */
static bool averages(const struct nst_observer *obs)
{
	const struct nst_observer_config *config = &obs->config;

	return obs->model_mc && config->noise_mc && !config->conversion_us &&
	       5 * config->noise_mc >= 2 * config->lsb_mc;
}

static void grow(struct nst_observer *obs, u64 keep_q64, u32 dt_us)
{
	/* mC per microsecond in Q32 */
	const s64 drift_q32 = NST_OBSERVER_DRIFT_MC_PER_S * NST_ONE_Q32 /
			      1000000;
	s64 model_q32 = obs->model_mc * NST_ONE_Q32;

	if (averages(obs) && obs->average.n) {
		nst_average_advance(&obs->average, keep_q64, obs->model_mc);
		set_width(obs, nst_average_bound_q32(&obs->average));
	} else if (obs->model_mc) {
		set_width(obs, model_q32 + nst_mul_q64(obs->width_q32 -
						       model_q32, keep_q64));
	} else {
		set_width(obs, obs->width_q32 + drift_q32 * dt_us);
	}
}

int nst_observer_advance(struct nst_observer *obs, u32 power_mw, u32 dt_us)
{
	u64 keep_q64;
	int err;

	err = step_plant(obs, power_mw, dt_us);
	if (err)
		return err;
	keep_q64 = nst_keep_q64(&obs->plant.mode[1].rate, dt_us);
	obs->offset_q32 = nst_mul_q64(obs->offset_q32, keep_q64);
	if (obs->primed)
		grow(obs, keep_q64, dt_us);
	obs->owed_us -= dt_us < obs->owed_us ? dt_us : obs->owed_us;
	return 0;
}

static enum nst_observer_verdict bad_sample(struct nst_observer *obs)
{
	obs->good_run = 0;
	obs->bad_count++;
	if (obs->bad_run < 0xffff)
		obs->bad_run++;
	if (obs->bad_run >= obs->config.bad_max)
		obs->healthy = false;
	return NST_OBSERVED_BAD;
}

static void good_sample(struct nst_observer *obs)
{
	obs->bad_run = 0;
	obs->agree_run = 0;
	if (obs->good_run < 0xffff)
		obs->good_run++;
	if (obs->good_run >= obs->config.good_min)
		obs->healthy = true;
}

static struct possible sample_possible(const struct nst_observer_config *config,
				       const struct nst_sample *sample)
{
	s32 lsb_mc = (s32)config->lsb_mc;
	s32 slack_mc = 3 * (s32)config->noise_mc;
	struct possible p;

	p.lo_mc = sample->value_mc - slack_mc;
	p.hi_mc = sample->value_mc + slack_mc;
	if (config->floor) {
		p.hi_mc += lsb_mc;
	} else {
		p.lo_mc -= lsb_mc / 2;
		p.hi_mc += lsb_mc - lsb_mc / 2;
	}
	p.own_mc = p.hi_mc - p.lo_mc;
	if (sample->bound == NST_BOUND_AT_LEAST)
		p.hi_mc = NST_TEMP_NONE_MC;
	return p;
}

/*
 * A gate may take its time, and not say so: a reading that follows this much
 * later has followed. In so long the package moves by less than half of what
 * the die jumps by.
 */
#define LATE_US 300000

static void mark(struct nst_observer *obs, s32 value_mc)
{
	obs->mark = fast_of_late(obs);
	obs->mark_fast_mc = fast_mc(obs);
	obs->mark_value_mc = value_mc;
}

static void prime(struct nst_observer *obs, const struct possible *p,
		  const struct nst_sample *sample, u32 power_mw)
{
	bool rail = sample->bound == NST_BOUND_AT_LEAST;
	s32 die_mc = rail ? p->lo_mc : p->lo_mc + (p->hi_mc - p->lo_mc) / 2;
	s32 fast = fast_mc(obs);
	s32 package_mc;

	if (power_mw > NST_POWER_MAX_MW)
		power_mw = NST_POWER_MAX_MW;
	if (die_mc < NST_TEMP_MIN_MC)
		die_mc = NST_TEMP_MIN_MC;
	if (die_mc > NST_TEMP_MAX_MC)
		die_mc = NST_TEMP_MAX_MC;
	/* The die has settled above its package, unless it just began. */
	package_mc = die_mc - nst_plant_jump_mc(&obs->plant.params, power_mw,
						NST_DT_MAX_US);
	if (package_mc < NST_TEMP_MIN_MC)
		package_mc = NST_TEMP_MIN_MC;
	/* Both are in range: this cannot fail. */
	nst_plant_set_state(&obs->plant, die_mc, package_mc);
	/* What the power has done of late it has done, whatever the level. */
	move_parts(obs, fast_mc(obs) - fast);
	obs->primed = true;
	obs->average.n = 0;
	obs->offset_q32 = 0;
	set_width(obs, rail ? WIDTH_MAX_MC * NST_ONE_Q32 :
			      (p->hi_mc - die_mc) * NST_ONE_Q32);
	mark(obs, sample->value_mc);
	obs->last_fast_mc = obs->mark_fast_mc;
	obs->last_value_mc = sample->value_mc;
}

/*
 * Half of what was predicted, or a step in the right direction where the
 * plant is a guess.
 */
static bool has_followed(const struct nst_observer *obs, s32 predicted,
			 s32 seen)
{
	if (predicted < 0)
		seen = -seen;
	return (obs->config.plant_guessed &&
		3 * seen >= move_mc(&obs->config)) ||
	       2 * seen >= magnitude(predicted);
}

/* A movement of the fast mode is over: did the reading follow? */
static void judge_movement(struct nst_observer *obs, s32 predicted,
			   s32 from_mc, s32 value_mc)
{
	s32 move = move_mc(&obs->config), seen = value_mc - from_mc;

	if (magnitude(predicted) < move)
		return;
	obs->owed_us = 0;
	if (has_followed(obs, predicted, seen)) {
		obs->frozen_run = 0;
		return;
	}
	obs->frozen_run++;
	obs->owed_mc = predicted;
	obs->owed_from_mc = from_mc;
	obs->owed_us = LATE_US;
}

/* What did not follow in time: has it now? */
static void watch_late(struct nst_observer *obs, s32 value_mc)
{
	s32 seen = value_mc - obs->owed_from_mc;

	if (!obs->owed_us || !has_followed(obs, obs->owed_mc, seen))
		return;
	obs->owed_us = 0;
	obs->frozen_run = 0;
}

/*
 * The same where a reading may lag by more than a sample. The fast modes that
 * two readings can show are two ranges; only what is between these is a
 * movement that has to be seen, however late the sensor is.
 */
static void watch_frozen_late(struct nst_observer *obs, s32 value_mc)
{
	struct nst_observer_range range = fast_of_late(obs);
	s32 move = move_mc(&obs->config);
	s32 predicted = 0;

	if (range.lo_mc > obs->mark.hi_mc)
		predicted = range.lo_mc - obs->mark.hi_mc;
	else if (range.hi_mc < obs->mark.lo_mc)
		predicted = range.hi_mc - obs->mark.lo_mc;

	if (magnitude(predicted) >= move) {
		judge_movement(obs, predicted, obs->mark_value_mc, value_mc);
		mark(obs, value_mc);
	} else if (range.hi_mc - range.lo_mc < move / 8) {
		mark(obs, value_mc);
	}
}

/*
 * Watch the fast mode move. The mark is where a movement began; it is judged
 * when the mode comes to rest or turns round, so that a reading which lags
 * by less than a sample is not held against the sensor.
 */
static void watch_frozen(struct nst_observer *obs, s32 value_mc)
{
	s32 move = move_mc(&obs->config);
	s32 fast = fast_mc(obs);
	s32 step = fast - obs->last_fast_mc;
	s32 moved = obs->last_fast_mc - obs->mark_fast_mc;

	if (obs->frozen_run < FROZEN_MAX)
		watch_late(obs, value_mc);
	if (obs->frozen_run >= FROZEN_MAX) {
		/* It has to move by itself to be believed again. */
		if (magnitude(value_mc - obs->mark_value_mc) >= move) {
			obs->frozen_run = 0;
			mark(obs, value_mc);
		}
	} else if (obs->config.conversion_us) {
		watch_frozen_late(obs, value_mc);
	} else if (magnitude(step) < move / 8) {
		judge_movement(obs, fast - obs->mark_fast_mc,
			       obs->mark_value_mc, value_mc);
		mark(obs, value_mc);
	} else if ((step < 0 && moved > 0) || (step > 0 && moved < 0)) {
		judge_movement(obs, moved, obs->mark_value_mc,
			       obs->last_value_mc);
		obs->mark_fast_mc = obs->last_fast_mc;
		obs->mark_value_mc = obs->last_value_mc;
	}
	obs->last_fast_mc = fast;
	obs->last_value_mc = value_mc;
}

static void shift(struct nst_observer *obs, s32 by_mc)
{
	s32 fast = fast_mc(obs);

	nst_plant_shift(&obs->plant, by_mc);
	move_parts(obs, fast_mc(obs) - fast);
	obs->offset_q32 += by_mc * NST_ONE_Q32;
}

static void average(struct nst_observer *obs, s32 value_mc)
{
	const struct nst_observer_config *config = &obs->config;
	u32 var_mc2 = config->noise_mc * config->noise_mc +
		      config->lsb_mc * config->lsb_mc / 12;
	bool surprise;

	/* The middle of what a reading stands for. */
	if (config->floor)
		value_mc += (s32)config->lsb_mc / 2;
	if (!obs->average.n)
		nst_average_begin(&obs->average, obs->width_q32);
	shift(obs, nst_average_reading(&obs->average,
				       value_mc - nst_observer_die_mc(obs),
				       var_mc2, &surprise));
	obs->surprises += surprise;
	set_width(obs, nst_average_bound_q32(&obs->average));
}

static void correct(struct nst_observer *obs, const struct possible *p,
		    bool rail)
{
	/* Not the rounded one: half a millikelvin per sample adds up. */
	s64 die_q32 = obs->plant.z_q32[0] + obs->plant.z_q32[1];
	s32 die_mc = nst_round_q32(die_q32);
	s64 lo = die_q32 - obs->width_q32;
	s64 hi = die_q32 + obs->width_q32;
	s64 least = (s64)obs->config.noise_mc * NST_ONE_Q32;
	s64 width;
	s32 shift_mc;

	obs->average.n = 0;
	if (p->lo_mc * NST_ONE_Q32 > lo)
		lo = p->lo_mc * NST_ONE_Q32;
	if (p->hi_mc * NST_ONE_Q32 < hi)
		hi = p->hi_mc * NST_ONE_Q32;
	if (lo > hi) {
		/*
		 * Nothing in common: the sample is right, its nearer edge is
		 * the estimate. A rail does not tell how far above it the die
		 * is; the model was wrong by the shift at least.
		 */
		shift_mc = die_mc < p->lo_mc ? p->lo_mc - die_mc :
					       p->hi_mc - die_mc;
		obs->surprises += magnitude(shift_mc) > SURPRISE_MC;
		width = rail ? obs->width_q32 + shift_mc * NST_ONE_Q32 :
			       p->own_mc * NST_ONE_Q32;
	} else {
		shift_mc = nst_round_q32(lo + ((hi - lo) >> 1) - die_q32);
		die_q32 += shift_mc * NST_ONE_Q32;
		width = hi - die_q32 > die_q32 - lo ? hi - die_q32 :
						      die_q32 - lo;
	}
	set_width(obs, width > least ? width : least);
	shift(obs, shift_mc);
}

/* What the die may have done since the sensor looked at it. */
static void lag(const struct nst_observer *obs, struct possible *p, bool rail)
{
	struct nst_observer_range range = fast_of_late(obs);
	s32 fast = fast_mc(obs);

	p->lo_mc += fast - range.hi_mc;
	if (!rail)
		p->hi_mc += fast - range.lo_mc;
}

/* The sensor contradicts the model: it has to show that it lives. */
static enum nst_observer_verdict contradiction(struct nst_observer *obs,
					       const struct nst_sample *sample,
					       const struct possible *p,
					       s32 miss_mc)
{
	bool rail = sample->bound == NST_BOUND_AT_LEAST;
	s32 apart = magnitude(miss_mc - obs->last_miss_mc);
	bool was_healthy = obs->healthy;

	obs->last_miss_mc = miss_mc;
	if (obs->frozen_run < FROZEN_MAX && !obs->healthy &&
	    apart <= move_mc(&obs->config)) {
		if (++obs->agree_run >= obs->config.good_min) {
			/* It lives and moves with the model: believe it. */
			correct(obs, p, rail);
			obs->offset_q32 = 0;
			obs->good_run = 0;
			good_sample(obs);
			return NST_OBSERVED;
		}
	} else {
		obs->agree_run = 0;
	}
	bad_sample(obs);
	if (was_healthy && !obs->healthy) {
		obs->frozen_run = FROZEN_MAX;
		mark(obs, sample->value_mc);
	}
	return NST_OBSERVED_BAD;
}

enum nst_observer_verdict nst_observer_sample(struct nst_observer *obs,
					      const struct nst_sample *sample,
					      u32 power_mw)
{
	bool rail = sample->bound == NST_BOUND_AT_LEAST;
	struct possible p;
	s32 die_mc, miss_mc, offset_mc;

	if (!nst_sample_usable(sample))
		return bad_sample(obs);
	p = sample_possible(&obs->config, sample);
	lag(obs, &p, rail);
	if (!obs->primed) {
		prime(obs, &p, sample, power_mw);
		good_sample(obs);
		return rail ? NST_OBSERVED_BOUND : NST_OBSERVED;
	}

	if (!rail && !obs->config.estimated)
		watch_frozen(obs, sample->value_mc);
	die_mc = nst_observer_die_mc(obs);
	miss_mc = die_mc < p.lo_mc ? p.lo_mc - die_mc :
		  die_mc > p.hi_mc ? p.hi_mc - die_mc : 0;
	offset_mc = nst_round_q32(obs->offset_q32) + miss_mc;
	if (magnitude(miss_mc) > (s32)obs->config.implausible_mc ||
	    magnitude(offset_mc) > (s32)obs->config.implausible_mc)
		return contradiction(obs, sample, &p, miss_mc);
	obs->last_miss_mc = miss_mc;
	if (obs->frozen_run >= FROZEN_MAX)
		return bad_sample(obs);

	if (averages(obs) && !rail)
		average(obs, sample->value_mc);
	else
		correct(obs, &p, rail);
	good_sample(obs);
	return rail && miss_mc > 0 ? NST_OBSERVED_BOUND : NST_OBSERVED;
}

int nst_observer_set_model(struct nst_observer *obs,
			   const struct nst_plant_params *params,
			   s32 package_mc)
{
	s32 fast = fast_mc(obs), die_mc = nst_observer_die_mc(obs);
	s64 above = die_mc - nst_plant_package_mc(&obs->plant);
	struct nst_plant plant;
	s64 moved_q32;
	int err;

	err = nst_plant_init(&plant, params, obs->ambient_mc);
	if (err)
		return err;
	above = nst_div_s64(above * params->r_jp_mk_per_w,
			    (s32)obs->plant.params.r_jp_mk_per_w);
	if (above < NST_TEMP_MIN_MC || above > NST_TEMP_MAX_MC)
		return -ERANGE;
	err = nst_plant_set_state(&plant, package_mc + (s32)above, package_mc);
	if (err)
		return err;
	moved_q32 = magnitude(package_mc + (s32)above - die_mc) * NST_ONE_Q32;
	obs->plant = plant;
	obs->offset_q32 = 0;
	move_parts(obs, fast_mc(obs) - fast);
	obs->average.bias_q32 += moved_q32;
	set_width(obs, obs->width_q32 + moved_q32);
	return 0;
}

void nst_observer_widen(struct nst_observer *obs, s32 by_mc)
{
	if (!averages(obs))
		set_width(obs, obs->width_q32 + by_mc * NST_ONE_Q32);
}

s32 nst_observer_die_mc(const struct nst_observer *obs)
{
	return nst_plant_die_mc(&obs->plant);
}

s32 nst_observer_drift_mc(const struct nst_observer *obs, u32 dt_us)
{
	return nst_round_q32(nst_mul_q64(obs->offset_q32,
					 nst_lose_q64(&obs->plant.mode[1].rate,
						      dt_us)));
}
