// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-policy.c - thresholds and parameters, one check for every way in
 *
 * sysfs, trips of the zone and SET_LIMITS end here. A value that breaks
 * low < high <= max, or the rated maximum, is refused with -EINVAL and
 * nothing has changed. A threshold set by hand turns policy/auto off; the
 * governor's SET_LIMITS does not, and is refused while it is off.
 */
#include "nst.h"

static int check_thresholds(const struct nst *nst,
			    const struct nst_thresholds *thr)
{
	if (!nst_temp_in_range(thr->low_mc) ||
	    !nst_temp_in_range(thr->high_mc) ||
	    !nst_temp_in_range(thr->max_mc) ||
	    thr->max_mc > nst->rated_max_mc)
		return -EINVAL;
	if (thr->capture_mc != NST_TEMP_NONE_MC &&
	    !nst_temp_in_range(thr->capture_mc))
		return -EINVAL;
	return nst_thresholds_check(thr);
}

static void tell(struct nst *nst, u32 param, s64 value)
{
	nst_event_param(nst, param, value);
	nst_sysfs_notify_policy(nst, param);
}

static void take_thresholds(struct nst *nst, const struct nst_thresholds *thr)
{
	struct nst_thresholds old = nst->thr;

	nst->thr = *thr;
	if (nst->ops->set_limits)
		nst->ops->set_limits(nst->priv, thr);
	if (old.high_mc != thr->high_mc)
		tell(nst, NST_PARAM_HIGH, thr->high_mc);
	if (old.low_mc != thr->low_mc)
		tell(nst, NST_PARAM_LOW, thr->low_mc);
	if (old.capture_mc != thr->capture_mc)
		tell(nst, NST_PARAM_CAPTURE, thr->capture_mc);
	if (old.max_mc != thr->max_mc)
		tell(nst, NST_PARAM_MAX, thr->max_mc);
	nst_guard_replan(nst, nst->settled_us);
	nst_thermal_kick(nst);
}

static int set_threshold(struct nst *nst, u32 param, s64 value)
{
	struct nst_thresholds thr = nst->thr;
	int err;

	if (value < S32_MIN || value > S32_MAX)
		return -EINVAL;
	switch (param) {
	case NST_PARAM_HIGH:
		thr.high_mc = (s32)value;
		break;
	case NST_PARAM_LOW:
		thr.low_mc = (s32)value;
		break;
	case NST_PARAM_CAPTURE:
		thr.capture_mc = (s32)value;
		break;
	default:
		thr.max_mc = (s32)value;
		break;
	}
	err = check_thresholds(nst, &thr);
	if (err)
		return err;
	if (nst->policy_auto) {
		nst->policy_auto = false;
		tell(nst, NST_PARAM_AUTO, 0);
	}
	take_thresholds(nst, &thr);
	return 0;
}

static int set_number(struct nst *nst, u32 param, u32 *number, s64 value,
		      s64 least, s64 most)
{
	if (value < least || value > most)
		return -EINVAL;
	if (*number == value)
		return 0;
	*number = (u32)value;
	tell(nst, param, value);
	nst_guard_replan(nst, nst->settled_us);
	return 0;
}

/*
 * nst_policy_set() - one parameter, by hand or through a trip
 * @param: NST_PARAM_*, @value: in the unit of its sysfs file
 */
int nst_policy_set(struct nst *nst, u32 param, s64 value)
{
	switch (param) {
	case NST_PARAM_HIGH:
	case NST_PARAM_LOW:
	case NST_PARAM_CAPTURE:
	case NST_PARAM_MAX:
		return set_threshold(nst, param, value);
	case NST_PARAM_AUTO:
		if (value != 0 && value != 1)
			return -EINVAL;
		if (nst->policy_auto != value) {
			nst->policy_auto = value;
			tell(nst, param, value);
		}
		return 0;
	case NST_PARAM_DWELL:
		return set_number(nst, param, &nst->dwell_ms, value, 0,
				  NST_DWELL_MAX_MS);
	case NST_PARAM_STOP:
		return set_number(nst, param, &nst->stop_frames, value, 1,
				  NST_STOP_FRAMES_MAX);
	case NST_PARAM_LEASE:
		return set_number(nst, param, &nst->lease_ms, value,
				  NST_LEASE_MIN_MS, NST_LEASE_MAX_MS);
	case NST_PARAM_ENGINE:
		if (value != NST_ENGINE_HOLD && value != NST_ENGINE_NONE)
			return -EINVAL;
		if (nst->engine != value) {
			nst->engine = (enum nst_engine)value;
			nst->hold = (struct nst_band){};
			tell(nst, param, value);
			nst_guard_replan(nst, nst->settled_us);
		}
		return 0;
	default:
		return -EINVAL;
	}
}

/*
 * nst_policy_set_limits() - all four, from the holder of the lease
 * Return: 0, -EINVAL, or -EACCES while policy/auto is 0.
 */
int nst_policy_set_limits(struct nst *nst, const struct nst_thresholds *thr)
{
	int err = check_thresholds(nst, thr);

	if (err)
		return err;
	if (!nst->policy_auto)
		return -EACCES;
	take_thresholds(nst, thr);
	return 0;
}

s64 nst_policy_get(const struct nst *nst, u32 param)
{
	switch (param) {
	case NST_PARAM_HIGH:
		return nst->thr.high_mc;
	case NST_PARAM_LOW:
		return nst->thr.low_mc;
	case NST_PARAM_CAPTURE:
		return nst->thr.capture_mc;
	case NST_PARAM_MAX:
		return nst->thr.max_mc;
	case NST_PARAM_AUTO:
		return nst->policy_auto;
	case NST_PARAM_DWELL:
		return nst->dwell_ms;
	case NST_PARAM_STOP:
		return nst->stop_frames;
	case NST_PARAM_LEASE:
		return nst->lease_ms;
	default:
		return nst->engine;
	}
}
