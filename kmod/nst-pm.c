// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-pm.c - the system sleeps and wakes
 *
 * A device of class nst sleeps before the hardware below it and wakes after
 * it. Before sleep the VPU goes to standby, for nobody guards it while the
 * host is away, and everything that runs by the clock stops. The lease stays;
 * its heartbeat cannot be given by a frozen program, so it starts anew.
 *
 * After it nothing of before is believed: the gate is what the hardware
 * reports, the model waits for a reading to start from (so nothing is derived
 * across the gap), the period of the frames is kept but not their phase. For
 * NST_WAKING_MS readings that fail are not held against the sensor, and the
 * VPU stays in standby until good ones are back.
 */
#include <linux/pm.h>

#include "nst.h"

/*
 * The VPU stops. A gate that was seen not to obey is told once more, whatever
 * it is spared otherwise (nst-obey.h): there is no next time for long.
 */
static void stop_for_sleep(struct nst *nst, u64 now_us)
{
	u8 gate = max_t(u8, nst->gate, NST_GATE_STANDBY);
	int err;

	if (!nst_has_gate(nst))
		return;
	err = nst_gate_now(nst, gate, nst->placement, now_us);
	if (err || nst->gate_real != gate)
		err = nst->ops->set_gate(nst->priv, (enum nst_gate)gate, 0);
	/* What waits would be made by nobody, or by a timer asleep. */
	nst->plan.edges = 0;
	if (err)
		dev_warn(&nst->dev,
			 "cannot stop the VPU before sleep: %d\n", err);
}

static int __maybe_unused nst_suspend(struct device *dev)
{
	struct nst *nst = nst_from_dev(dev);
	u64 now_us;

	if (nst_lock(nst))
		return 0;
	now_us = nst_now_us(nst);
	nst_settle(nst, now_us);
	stop_for_sleep(nst, now_us);
	nst->asleep = true;
	nst_unlock(nst);

	/* Each of these finds the device asleep, and does not start again. */
	cancel_delayed_work_sync(&nst->tick_work);
	cancel_delayed_work_sync(&nst->lease_work);
	cancel_delayed_work_sync(&nst->frame_work);
	cancel_delayed_work_sync(&nst->edge_work);
	cancel_work_sync(&nst->notify_work);
	return 0;
}

static int __maybe_unused nst_resume(struct device *dev)
{
	struct nst *nst = nst_from_dev(dev);

	if (nst_lock(nst))
		return 0;
	nst->asleep = false;
	nst_gate_wake(nst, nst_now_us(nst));
	nst_guard_wake(nst);
	nst_lease_wake(nst);
	nst_guard_replan(nst, nst->settled_us);
	nst_unlock(nst);
	return 0;
}

const struct dev_pm_ops nst_pm_ops = {
	SET_SYSTEM_SLEEP_PM_OPS(nst_suspend, nst_resume)
};
