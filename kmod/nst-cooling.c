// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-cooling.c - cooling device nstN_duty: an upper bound on near duty
 *
 *	state	 0 .. levels	 frames of each <levels> that may run
 *	duty	 levels - state	 spread evenly (policies/core nst_dither_step)
 *
 * The bound holds whoever governs. With cooling_levels=1 it is the device
 * with two states that bang_bang drives.
 */
#include <linux/moduleparam.h>
#include <linux/thermal.h>

#include "nst.h"

static unsigned int cooling_levels = 16;

static int levels_set(const char *text, const struct kernel_param *param)
{
	unsigned int levels;

	if (kstrtouint(text, 0, &levels) || !levels ||
	    levels > NST_COOLING_LEVELS_MAX)
		return -EINVAL;
	return param_set_uint(text, param);
}

static const struct kernel_param_ops levels_ops = {
	.set = levels_set,
	.get = param_get_uint,
};

module_param_cb(cooling_levels, &levels_ops, &cooling_levels, 0644);
MODULE_PARM_DESC(cooling_levels,
		 "steps of the cooling device of new devices, 1 to 32");

/* nst_cooling_levels() - for a device that is being registered */
u32 nst_cooling_levels(void)
{
	return READ_ONCE(cooling_levels);
}

static int get_max_state(struct thermal_cooling_device *cdev,
			 unsigned long *ret)
{
	struct nst *nst = cdev->devdata;

	*ret = nst->levels;
	return 0;
}

static int get_cur_state(struct thermal_cooling_device *cdev,
			 unsigned long *ret)
{
	struct nst *nst = cdev->devdata;
	int err;

	err = nst_lock(nst);
	if (err)
		return err;
	*ret = nst->duty_state;
	nst_unlock(nst);
	return 0;
}

static int set_cur_state(struct thermal_cooling_device *cdev,
			 unsigned long state)
{
	struct nst *nst = cdev->devdata;
	int err;

	if (state > nst->levels)
		return -EINVAL;
	err = nst_lock(nst);
	if (err)
		return err;
	if (state != nst->duty_state) {
		nst_settle(nst, nst_now_us(nst));
		nst->duty_state = (u32)state;
		nst->stats.bound_changes++;
		if (!state)
			nst->dither = (struct nst_dither){};
		nst_event_param(nst, NST_PARAM_BOUND,
				NST_PERMYRIAD * (nst->levels - state) /
				nst->levels);
		nst_guard_replan(nst, nst->settled_us);
	}
	nst_unlock(nst);
	return 0;
}

static int get_requested_power(struct thermal_cooling_device *cdev, u32 *ret)
{
	struct nst *nst = cdev->devdata;
	u8 gate;
	int err;

	err = nst_lock(nst);
	if (err)
		return err;
	/* What is wanted of the stack, not what the bound leaves of it. */
	gate = nst->claim.holder ? nst->held.gate : nst->manual_gate;
	*ret = nst_gate_power(nst, gate);
	nst_unlock(nst);
	return 0;
}

static int state2power(struct thermal_cooling_device *cdev,
		       unsigned long state, u32 *ret)
{
	const struct nst *nst = cdev->devdata;

	if (state > nst->levels)
		return -EINVAL;
	*ret = nst_duty_power_mw((u32)state, nst->levels,
				 nst_gate_power(nst, NST_GATE_RUN),
				 nst_gate_power(nst, NST_GATE_STANDBY));
	return 0;
}

static int power2state(struct thermal_cooling_device *cdev, u32 power_mw,
		       unsigned long *ret)
{
	const struct nst *nst = cdev->devdata;

	*ret = nst_duty_state(power_mw, nst->levels,
			      nst_gate_power(nst, NST_GATE_RUN),
			      nst_gate_power(nst, NST_GATE_STANDBY));
	return 0;
}

static const struct thermal_cooling_device_ops cooling_ops = {
	.get_max_state = get_max_state,
	.get_cur_state = get_cur_state,
	.set_cur_state = set_cur_state,
	.get_requested_power = get_requested_power,
	.state2power = state2power,
	.power2state = power2state,
};

int nst_cooling_init(struct nst *nst)
{
	struct device *parent = nst->dev.parent;
	struct device_node *np = parent ? parent->of_node : NULL;
	struct thermal_cooling_device *cooling;
	char type[THERMAL_NAME_LENGTH];

	/* Nothing to close, nothing to cool with. */
	if (!nst_has_gate(nst))
		return 0;
	snprintf(type, sizeof(type), "nst%d_duty", nst->id);
	/* By the node a cooling map of the device tree finds it. */
	if (IS_ENABLED(CONFIG_THERMAL_OF) && np)
		cooling = nst_of_cooling_register(np, type, nst, &cooling_ops);
	else
		cooling = thermal_cooling_device_register(type, nst,
							  &cooling_ops);
	if (IS_ERR(cooling))
		return PTR_ERR(cooling);
	nst->cooling = cooling;
	return 0;
}

void nst_cooling_exit(struct nst *nst)
{
	if (nst->cooling)
		thermal_cooling_device_unregister(nst->cooling);
	nst->cooling = NULL;
}
