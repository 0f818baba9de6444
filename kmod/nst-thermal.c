// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-thermal.c - zone nstN_die, so that the stock governors can work
 *
 *	trip	0 passive	policy/low_temp
 *		1 passive	policy/high_temp, nstN_duty is bound here
 *		2 hot		policy/max_temp
 *
 * A trip is the policy value: writing one is writing the other. The zone
 * reports the highest temperature of the last dither period, which a governor
 * that sleeps through several frames could not see otherwise. It comes up
 * with the governor user_space, which does nothing, until somebody selects
 * another. Where a device tree describes the zone hwmon makes it, not this.
 *
 * The thermal core calls in here with the lock of the zone held, so the zone
 * is updated from thermal_work and never under nst->lock.
 */
#include <linux/slab.h>
#include <linux/thermal.h>

#include "nst.h"

#ifndef NST_THERMAL_NO_ZONE

enum { TRIP_LOW, TRIP_HIGH, TRIP_MAX, TRIPS };

static const u32 trip_param[TRIPS] = {
	[TRIP_LOW] = NST_PARAM_LOW,
	[TRIP_HIGH] = NST_PARAM_HIGH,
	[TRIP_MAX] = NST_PARAM_MAX,
};

static const enum thermal_trip_type trip_type[TRIPS] = {
	[TRIP_LOW] = THERMAL_TRIP_PASSIVE,
	[TRIP_HIGH] = THERMAL_TRIP_PASSIVE,
	[TRIP_MAX] = THERMAL_TRIP_HOT,
};

/* How often a governor looks: while a passive trip is passed, and else. */
#define PASSIVE_MS 100
#define POLLING_MS 1000

#define TRIP_HYST_MC 1000

/*
 * bang_bang uses the hysteresis as its lower threshold. With two states the
 * die falls by the whole jump at each switch, so it has to be wider.
 */
static int trip_hyst(const struct nst *nst, unsigned int trip)
{
	if (trip == TRIP_HIGH && nst->levels == 1)
		return nst->thr.high_mc - nst->thr.low_mc;
	return TRIP_HYST_MC;
}

static int zone_temp(struct nst *nst, int *ret)
{
	s32 temp_mc;
	int err;

	/* Any other error would make some kernels give the zone up. */
	if (nst_lock(nst))
		return -EAGAIN;
	nst_settle(nst, nst_now_us(nst));
	err = nst_guard_envelope(nst, &temp_mc, NULL);
	nst_unlock(nst);
	if (err)
		return -EAGAIN;
	*ret = temp_mc;
	return 0;
}

/*
 * Where the temperature is going, for step_wise, which moves one state in
 * each poll for as long as it rises or falls. What it needs to know is
 * whether another state would do better: the slope that half a state makes is
 * steady enough. Above the trip it may not rise at all, and well below it
 * need not be kept from rising.
 *
 *	slope		-half      0  1/8      +half
 *	above trip	 drops | stable | rises
 *	within hyst	 drops |     stable     | rises
 *	below		 drops          | stable | rises
 */
static int zone_trend(struct nst *nst, unsigned int trip,
		      enum thermal_trend *ret)
{
	s32 slope, half, temp_mc, trip_mc;
	int err;

	err = nst_lock(nst);
	if (err)
		return err;
	nst_settle(nst, nst_now_us(nst));
	trip_mc = (s32)nst_policy_get(nst, trip_param[trip]);
	half = nst_duty_slope_mc_per_s(nst->levels,
				       nst_gate_power(nst, NST_GATE_RUN),
				       nst_gate_power(nst, NST_GATE_STANDBY),
				       &nst->observer.plant.params) / 2;
	err = nst_guard_envelope(nst, &temp_mc, NULL);
	if (!err)
		err = nst_guard_slope(nst, &slope);
	nst_unlock(nst);
	if (err)
		return err;

	*ret = THERMAL_TREND_STABLE;
	if (slope > (temp_mc >= trip_mc ? half / 8 : half))
		*ret = THERMAL_TREND_RAISING;
	else if (slope < (temp_mc < trip_mc - TRIP_HYST_MC ? half / 8 : -half))
		*ret = THERMAL_TREND_DROPPING;
	return 0;
}

static int zone_set_trip(struct nst *nst, unsigned int trip, int temp_mc)
{
	int err;

	err = nst_lock(nst);
	if (err)
		return err;
	nst_settle(nst, nst_now_us(nst));
	err = nst_policy_set(nst, trip_param[trip], temp_mc);
	nst_unlock(nst);
	return err;
}

static int get_temp(struct thermal_zone_device *tz, int *ret)
{
	return zone_temp(nst_thermal_priv(tz), ret);
}

#ifdef NST_THERMAL_TRIPS_ASKED

static int get_trip_type(struct thermal_zone_device *tz, int trip,
			 enum thermal_trip_type *ret)
{
	if (trip < 0 || trip >= TRIPS)
		return -EINVAL;
	*ret = trip_type[trip];
	return 0;
}

static int get_trip_temp(struct thermal_zone_device *tz, int trip, int *ret)
{
	struct nst *nst = nst_thermal_priv(tz);
	int err;

	if (trip < 0 || trip >= TRIPS)
		return -EINVAL;
	err = nst_lock(nst);
	if (err)
		return err;
	*ret = (int)nst_policy_get(nst, trip_param[trip]);
	nst_unlock(nst);
	return 0;
}

static int get_trip_hyst(struct thermal_zone_device *tz, int trip, int *ret)
{
	struct nst *nst = nst_thermal_priv(tz);
	int err;

	if (trip < 0 || trip >= TRIPS)
		return -EINVAL;
	err = nst_lock(nst);
	if (err)
		return err;
	*ret = trip_hyst(nst, trip);
	nst_unlock(nst);
	return 0;
}

static int get_trend(struct thermal_zone_device *tz, int trip,
		     enum thermal_trend *ret)
{
	if (trip < 0 || trip >= TRIPS)
		return -EINVAL;
	return zone_trend(nst_thermal_priv(tz), trip, ret);
}

#else /* an array of trips */

static unsigned int trip_number(const struct thermal_trip *trip)
{
	return (unsigned int)(uintptr_t)trip->priv;
}

static int get_trend(struct thermal_zone_device *tz,
		     const struct thermal_trip *trip, enum thermal_trend *ret)
{
	return zone_trend(nst_thermal_priv(tz), trip_number(trip), ret);
}

static void fill_trips(const struct nst *nst, struct thermal_trip *trips)
{
	unsigned int i;

	for (i = 0; i < TRIPS; i++) {
		trips[i].temperature = (int)nst_policy_get(nst, trip_param[i]);
		trips[i].hysteresis = trip_hyst(nst, i);
		trips[i].type = trip_type[i];
		trips[i].priv = (void *)(uintptr_t)i;
	}
}

#endif

#ifndef NST_THERMAL_TRIPS_COPIED

static int set_trip_temp(struct thermal_zone_device *tz, int trip, int temp)
{
	if (trip < 0 || trip >= TRIPS)
		return -EINVAL;
	return zone_set_trip(nst_thermal_priv(tz), trip, temp);
}

static int bind(struct thermal_zone_device *tz,
		struct thermal_cooling_device *cdev)
{
	struct nst *nst = nst_thermal_priv(tz);

	if (cdev != nst->cooling)
		return 0;
	return thermal_zone_bind_cooling_device(tz, TRIP_HIGH, cdev,
						THERMAL_NO_LIMIT,
						THERMAL_NO_LIMIT,
						THERMAL_WEIGHT_DEFAULT);
}

static int unbind(struct thermal_zone_device *tz,
		  struct thermal_cooling_device *cdev)
{
	struct nst *nst = nst_thermal_priv(tz);

	if (cdev != nst->cooling)
		return 0;
	return thermal_zone_unbind_cooling_device(tz, TRIP_HIGH, cdev);
}

static struct thermal_zone_device_ops zone_ops = {
	.bind = bind,
	.unbind = unbind,
	.get_temp = get_temp,
#ifdef NST_THERMAL_TRIPS_ASKED
	.get_trip_type = get_trip_type,
	.get_trip_temp = get_trip_temp,
	.get_trip_hyst = get_trip_hyst,
#endif
	.set_trip_temp = set_trip_temp,
	.get_trend = get_trend,
};

#endif

#if defined(NST_THERMAL_TRIPS_ASKED)

static struct thermal_zone_device *
zone_register(struct nst *nst, const char *type,
	      struct thermal_zone_params *tzp)
{
	return thermal_zone_device_register(type, TRIPS, BIT(TRIPS) - 1, nst,
					    &zone_ops, tzp, PASSIVE_MS,
					    POLLING_MS);
}

/* The trips are asked for: nothing to bring up to date. */
static void zone_sync(struct nst *nst, struct thermal_zone_device *tz)
{
}

#elif defined(NST_THERMAL_TRIPS_SHARED)

static struct thermal_zone_device *
zone_register(struct nst *nst, const char *type,
	      struct thermal_zone_params *tzp)
{
	nst->trips = kcalloc(TRIPS, sizeof(*nst->trips), GFP_KERNEL);
	if (!nst->trips)
		return ERR_PTR(-ENOMEM);
	fill_trips(nst, nst->trips);
	return thermal_zone_device_register_with_trips(type, nst->trips, TRIPS,
						       BIT(TRIPS) - 1, nst,
						       &zone_ops, tzp,
						       PASSIVE_MS,
						       POLLING_MS);
}

/* The core reads our array whenever it looks at the zone. */
static void zone_sync(struct nst *nst, struct thermal_zone_device *tz)
{
	unsigned int i;

	if (nst_lock(nst))
		return;
	for (i = 0; i < TRIPS; i++)
		WRITE_ONCE(nst->trips[i].temperature,
			   (int)nst_policy_get(nst, trip_param[i]));
	nst_unlock(nst);
}

#else /* NST_THERMAL_TRIPS_COPIED */

static int set_trip_temp(struct thermal_zone_device *tz,
			 const struct thermal_trip *trip, int temp)
{
	return zone_set_trip(nst_thermal_priv(tz), trip_number(trip), temp);
}

static bool should_bind(struct thermal_zone_device *tz,
			const struct thermal_trip *trip,
			struct thermal_cooling_device *cdev,
			struct cooling_spec *spec)
{
	struct nst *nst = nst_thermal_priv(tz);

	return cdev == nst->cooling && trip_number(trip) == TRIP_HIGH;
}

static const struct thermal_zone_device_ops zone_ops = {
	.should_bind = should_bind,
	.get_temp = get_temp,
	.set_trip_temp = set_trip_temp,
	.get_trend = get_trend,
};

static struct thermal_zone_device *
zone_register(struct nst *nst, const char *type,
	      struct thermal_zone_params *tzp)
{
	struct thermal_trip trips[TRIPS] = {};
	unsigned int i;

	fill_trips(nst, trips);
	for (i = 0; i < TRIPS; i++)
		trips[i].flags = THERMAL_TRIP_FLAG_RW_TEMP;
	return thermal_zone_device_register_with_trips(type, trips, TRIPS,
						       nst, &zone_ops, tzp,
						       PASSIVE_MS,
						       POLLING_MS);
}

struct zone_sync {
	struct thermal_zone_device *tz;
	int temp_mc[TRIPS];
};

static int sync_trip(struct thermal_trip *trip, void *data)
{
	const struct zone_sync *sync = data;

	thermal_zone_set_trip_temp(sync->tz, trip,
				   sync->temp_mc[trip_number(trip)]);
	return 0;
}

static void zone_sync(struct nst *nst, struct thermal_zone_device *tz)
{
	struct zone_sync sync = { .tz = tz };
	unsigned int i;

	if (nst_lock(nst))
		return;
	for (i = 0; i < TRIPS; i++)
		sync.temp_mc[i] = (int)nst_policy_get(nst, trip_param[i]);
	nst_unlock(nst);
	thermal_zone_for_each_trip(tz, sync_trip, &sync);
}

#endif

/* nst_thermal_work() - trips follow the policy, the governor gets a look */
void nst_thermal_work(struct work_struct *work)
{
	struct nst *nst = container_of(work, struct nst, thermal_work);
	struct thermal_zone_device *tz;

	if (nst_lock(nst))
		return;
	tz = nst->tz;
	nst_unlock(nst);
	if (!tz)
		return;
	zone_sync(nst, tz);
	thermal_zone_device_update(tz, THERMAL_TRIP_CHANGED);
}

/* nst_thermal_kick() - with nst->lock; the rest is done from the work */
void nst_thermal_kick(struct nst *nst)
{
	if (nst->tz)
		queue_work(nst_system_wq, &nst->thermal_work);
}

static bool zone_in_device_tree(const struct nst *nst)
{
	return IS_ENABLED(CONFIG_THERMAL_OF) && nst->dev.parent &&
	       device_property_present(nst->dev.parent,
				       "#thermal-sensor-cells");
}

/* What the zone was made from; the core reads it for as long as it lives. */
static void free_params(struct nst *nst)
{
	kfree(nst->tzp);
	kfree(nst->trips);
	nst->tzp = NULL;
	nst->trips = NULL;
}

int nst_thermal_init(struct nst *nst)
{
	static const struct thermal_zone_params tzp = {
		.governor_name = "user_space",
		.no_hwmon = true,
	};
	struct thermal_zone_device *tz;
	char type[THERMAL_NAME_LENGTH];
	int err;

	if (zone_in_device_tree(nst))
		return 0;
	/* Of its own: some kernels keep the pointer and write there. */
	nst->tzp = kmemdup(&tzp, sizeof(tzp), GFP_KERNEL);
	if (!nst->tzp)
		return -ENOMEM;
	/*
	 * What power_allocator would guess is the power of a gated stack. It
	 * makes its gains from this and from the distance of the trips, and
	 * they fit: that distance is the jump of the die and a little.
	 */
	if (nst_has_gate(nst))
		nst->tzp->sustainable_power =
			(int)nst_duty_sustainable_mw(nst->thr.high_mc,
						     nst->ambient_mc,
						     nst_gate_power(nst, NST_GATE_RUN),
						     nst_gate_power(nst, NST_GATE_STANDBY),
						     &nst->observer.plant.params);
	snprintf(type, sizeof(type), "nst%d_die", nst->id);
	tz = zone_register(nst, type, nst->tzp);
	if (IS_ERR(tz)) {
		err = PTR_ERR(tz);
		goto free_tzp;
	}
	err = thermal_zone_device_enable(tz);
	if (err)
		goto unregister;
	mutex_lock(&nst->lock);
	nst->tz = tz;
	mutex_unlock(&nst->lock);
	return 0;

unregister:
	thermal_zone_device_unregister(tz);
free_tzp:
	free_params(nst);
	return err;
}

/* nst_thermal_exit() - after nst_down(), so the work is idle */
void nst_thermal_exit(struct nst *nst)
{
	if (nst->tz)
		thermal_zone_device_unregister(nst->tz);
	nst->tz = NULL;
	free_params(nst);
}

#else /* NST_THERMAL_NO_ZONE */

int nst_thermal_init(struct nst *nst)
{
	return 0;
}

void nst_thermal_exit(struct nst *nst)
{
}

void nst_thermal_work(struct work_struct *work)
{
}

void nst_thermal_kick(struct nst *nst)
{
}

#endif
