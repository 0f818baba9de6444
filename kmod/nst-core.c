// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-core.c - class nst: registration, lifetime, what providers call
 *
 * nst_register() makes everything that users see, in an order in which each
 * part finds what it reads ready: books and model, character device with its
 * sysfs groups, cooling device and zone, hwmon last. nst_unregister() sets
 * @dead first, so that whoever gets the lock afterwards turns round, and then
 * takes the interfaces down, each of which waits for its own callers.
 */
#include <linux/idr.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "nst.h"

#define CREATE_TRACE_POINTS
#include "nst-trace.h"

static struct class nst_class = {
	.name = "nst",
	.pm = &nst_pm_ops,
};

/*
 * With a plant that is a guess a healthy part can be far from it: twice the
 * power, in a hot enclosure. 60 K still tell a dead reading from a die.
 */
#define GUESSED_IMPLAUSIBLE_MC 60000

/* A part that is not read once in so long cannot be guarded. */
#define NST_SAMPLE_MAX_US 1000000

static dev_t nst_devt;
static DEFINE_IDA(nst_ida);

/* ------------------------------------------------------------- helpers */

/* nst_now_us() - the device clock */
u64 nst_now_us(struct nst *nst)
{
	if (nst->ops->now_us)
		return nst->ops->now_us(nst->priv);
	return (u64)ktime_to_us(ktime_get());
}

bool nst_gate_exists(const struct nst *nst, u32 gate)
{
	switch (gate) {
	case NST_GATE_RUN:
		return true;
	case NST_GATE_STANDBY:
		return nst->caps & NST_CAP_GATE_STANDBY;
	case NST_GATE_CLEARED:
		return nst->caps & NST_CAP_GATE_CLEARED;
	case NST_GATE_OFF:
		return nst->caps & NST_CAP_GATE_OFF;
	default:
		return false;
	}
}

/* nst_gate_power() - nominal power of the stack in a gate, milliwatts */
u32 nst_gate_power(const struct nst *nst, u8 gate)
{
	return nst->gate_power_mw[gate];
}

/* nst_has_frames() - frames come, so decisions are made at boundaries */
bool nst_has_frames(const struct nst *nst)
{
	return nst->frame_source != NST_UFRAMES_NONE && !nst->stalled &&
	       nst->timing.frame_period_us;
}

const char *nst_frame_source_name(u32 source)
{
	static const char * const names[] = {
		[NST_UFRAMES_NONE] = "none",
		[NST_UFRAMES_GPIO] = "gpio",
		[NST_UFRAMES_USER] = "user",
		[NST_UFRAMES_TIMER] = "timer",
		[NST_UFRAMES_PROVIDER] = "provider",
	};

	return source < ARRAY_SIZE(names) ? names[source] : names[0];
}

/*
 * nst_read_channel() - one reading, with its state told in @ret
 * Not ready while the system sleeps. Return: 0, or the errno that a user gets
 * for it.
 */
int nst_read_channel(struct nst *nst, u32 ch, struct nst_sample *ret)
{
	struct nst_sample sample = {
		.t_us = nst->settled_us,
	};
	int err;

	err = nst->asleep ? -EAGAIN :
			    nst->ops->read_temp(nst->priv, ch, &sample);
	nst->stats.samples++;
	if (err) {
		nst->stats.sample_errors++;
		sample.state = nst_sample_from_errno(err);
		sample.value_mc = 0;
		sample.bound = NST_BOUND_NONE;
	}
	*ret = sample;
	return nst_sample_errno(&sample);
}

/*
 * nst_show_channel() - a reading for a user
 * Who asks more often than the part may be read gets what the last one got,
 * with its time.
 */
int nst_show_channel(struct nst *nst, u32 ch, struct nst_sample *ret)
{
	if (!nst->seen_us[ch] || nst->asleep ||
	    nst->settled_us - nst->seen_us[ch] >= nst->sample_min_us) {
		nst_read_channel(nst, ch, &nst->seen[ch]);
		nst->seen_us[ch] = nst->settled_us;
	}
	*ret = nst->seen[ch];
	return nst_sample_errno(ret);
}

/* nst_power_now() - measured power, -EOPNOTSUPP where there is none */
int nst_power_now(struct nst *nst, u32 *ret_mw)
{
	if (!(nst->caps & NST_CAP_POWER) || !nst->ops->read_power)
		return -EOPNOTSUPP;
	if (nst->asleep)
		return -EAGAIN;
	return nst->ops->read_power(nst->priv, ret_mw);
}

/* ---------------------------------------------------- called by providers */

/* An edge of the frame-sync line. Return: it began a frame, number @ret. */
static bool edge_is_frame(struct nst *nst, u64 t_us, u64 *ret)
{
	u32 told_us = nst->timing.frame_period_us;
	enum nst_sync_verdict verdict = nst_sync_edge(&nst->sync, t_us);
	u32 period_us = nst->sync.period_us;

	if (verdict != NST_SYNC_FRAME && verdict != NST_SYNC_RATE)
		return false;
	*ret = nst->sync.seq;
	nst->timing.frame_period_us = period_us;
	/* A clock that drifts is not news; a new rate is. */
	if (verdict == NST_SYNC_RATE || !told_us)
		nst_event_param(nst, NST_PARAM_TIMING, period_us);
	return true;
}

void nst_frame_boundary(struct nst *nst, u64 seq, u64 start_us)
{
	if (nst_lock(nst))
		return;
	if (nst->asleep ||
	    (nst->frames_by == NST_UFRAMES_GPIO &&
	     !edge_is_frame(nst, start_us, &seq)))
		goto out;
	nst->phase_us = start_us;
	nst_guard_boundary(nst, seq, start_us);
out:
	nst_unlock(nst);
}
EXPORT_SYMBOL_GPL(nst_frame_boundary);

void nst_timing_changed(struct nst *nst, const struct nst_timing *timing)
{
	unsigned long flags;

	spin_lock_irqsave(&nst->pending_lock, flags);
	nst->pending_timing = *timing;
	nst->timing_pending = true;
	spin_unlock_irqrestore(&nst->pending_lock, flags);
}
EXPORT_SYMBOL_GPL(nst_timing_changed);

/* nst_fault_locked() - the event and the count; the caller has words for it */
void nst_fault_locked(struct nst *nst, u32 code, s64 value)
{
	const struct nst_uapi_event ev = {
		.type = NST_EVENT_FAULT,
		.code = code,
		.t_us = nst->settled_us,
		.seq = nst->frame_seq,
		.value = value,
	};

	nst->stats.faults++;
	nst_event(nst, &ev);
}

static const char *fault_text(u32 code)
{
	switch (code) {
	case NST_FAULT_GATE:
		return "the gate does not obey";
	case NST_FAULT_BRIDGE:
		return "the bus bridge does not answer";
	case NST_FAULT_NETWORK:
		return "the VPU has lost its network";
	case NST_FAULT_OWNER:
		return "the sensor's own driver is gone";
	default:
		return "fault";
	}
}

void nst_fault(struct nst *nst, u32 code, s64 value)
{
	if (nst_lock(nst))
		return;
	nst_settle(nst, nst_now_us(nst));
	nst_fault_locked(nst, code, value);
	nst_unlock(nst);
	dev_warn_ratelimited(&nst->dev, "%s (%#x, %lld)\n", fault_text(code),
			     code, value);
}
EXPORT_SYMBOL_GPL(nst_fault);

void nst_notify(struct nst *nst)
{
	queue_work(nst_system_wq, &nst->notify_work);
}
EXPORT_SYMBOL_GPL(nst_notify);

/* An alert: look at the die now and close if the ranks say so. */
static void nst_notify_work(struct work_struct *work)
{
	struct nst *nst = container_of(work, struct nst, notify_work);

	if (nst_lock(nst))
		return;
	if (!nst->asleep)
		nst_guard_alert(nst, nst_now_us(nst));
	nst_unlock(nst);
}

/* --------------------------------------------------------- registration */

static void nst_release(struct device *dev)
{
	struct nst *nst = nst_from_dev(dev);

	nst_ring_deinit(&nst->ring);
	kfree(nst);
}

static int desc_check(const struct nst_desc *desc, const struct nst_ops *ops)
{
	unsigned int i;

	if (!desc->name || !desc->provider || !desc->model)
		return -EINVAL;
	if (!desc->channels || desc->channels > NST_CHANNELS_MAX)
		return -EINVAL;
	for (i = 0; i < desc->channels; i++) {
		if (!desc->labels[i])
			return -EINVAL;
	}
	/* The guard needs a gate that costs nothing to open again, or none. */
	if (desc->caps & NST_CAP_GATE_STANDBY) {
		if (!ops->set_gate || !ops->get_gate)
			return -EINVAL;
	} else if (desc->caps & (NST_CAP_GATE_CLEARED | NST_CAP_GATE_OFF |
				 NST_CAP_GATE_AT_TIME)) {
		return -EINVAL;
	}
	if (!ops->read_temp)
		return -EINVAL;
	if (desc->caps & NST_CAP_TIMING_RW && !ops->set_timing)
		return -EINVAL;
	switch (desc->frame_source) {
	case NST_UFRAMES_NONE:
		break;
	case NST_UFRAMES_PROVIDER:
		if (!desc->timing.frame_period_us)
			return -EINVAL;
		fallthrough;
	case NST_UFRAMES_GPIO:
		if (desc->timing.frame_period_us &&
		    (desc->timing.frame_period_us < NST_FRAME_PERIOD_MIN_US ||
		     desc->timing.frame_period_us > NST_FRAME_PERIOD_MAX_US))
			return -ERANGE;
		break;
	default:
		return -EINVAL;
	}
	if (desc->channels_estimated >> desc->channels)
		return -EINVAL;
	if (desc->sample_min_us > NST_SAMPLE_MAX_US)
		return -ERANGE;
	if (!nst_temp_in_range(desc->ambient_mc) ||
	    !nst_temp_in_range(desc->max_temp_mc))
		return -ERANGE;
	for (i = 0; i < NST_GATE_COUNT; i++) {
		if (desc->gate_power_mw[i] > NST_POWER_MAX_MW)
			return -ERANGE;
	}
	return 0;
}

static void desc_copy(struct nst *nst, const struct nst_desc *desc)
{
	unsigned int i;

	strscpy(nst->name, desc->name, sizeof(nst->name));
	strscpy(nst->provider, desc->provider, sizeof(nst->provider));
	strscpy(nst->model, desc->model, sizeof(nst->model));
	for (i = 0; i < desc->channels; i++) {
		bool estimated = desc->channels_estimated & BIT(i);

		strscpy(nst->label[i], desc->labels[i], sizeof(nst->label[i]));
		snprintf(nst->hwmon_label[i], sizeof(nst->hwmon_label[i]),
			 "%.*s%s", NST_LABEL_LEN - 1, desc->labels[i],
			 estimated ? " (estimated)" : "");
	}
	nst->channels_estimated = desc->channels_estimated;
	nst->sample_min_us = desc->sample_min_us;
	nst->channels = desc->channels;
	nst->caps = desc->caps;
	memcpy(nst->gate_power_mw, desc->gate_power_mw,
	       sizeof(nst->gate_power_mw));
	memcpy(nst->gate_enter_us, desc->gate_enter_us,
	       sizeof(nst->gate_enter_us));
	memcpy(nst->gate_exit_us, desc->gate_exit_us,
	       sizeof(nst->gate_exit_us));
	memcpy(nst->budget, desc->gate_budget, sizeof(nst->budget));
	nst->rated_max_mc = desc->max_temp_mc;
	nst->ambient_mc = desc->ambient_mc;
	nst->frames_by = desc->frame_source;
	nst->timing = desc->timing;
	nst->frame_source = desc->frame_source;
	nst_sync_init(&nst->sync, desc->timing.frame_period_us);
}

/* Books, model and policy as they are before the first sample. */
static int state_init(struct nst *nst, const struct nst_desc *desc)
{
	struct nst_observer_config sensor = nst_observer_default;
	enum nst_gate gate = NST_GATE_RUN;
	int err;

	sensor.lsb_mc = desc->sensor_lsb_mc;
	sensor.noise_mc = desc->sensor_noise_mc;
	sensor.floor = desc->sensor_floor;
	sensor.conversion_us = desc->conversion_us;
	sensor.estimated = desc->channels_estimated & BIT(0);
	sensor.plant_guessed = desc->plant_guessed;
	if (desc->plant_guessed)
		sensor.implausible_mc = GUESSED_IMPLAUSIBLE_MC;
	err = nst_rank_thresholds(&nst->thr, &desc->params,
				  desc->gate_power_mw[NST_GATE_RUN],
				  desc->gate_power_mw[NST_GATE_STANDBY],
				  desc->max_temp_mc);
	if (err)
		return err;
	err = nst_observer_init(&nst->observer, &sensor, &desc->params,
				desc->ambient_mc);
	if (err)
		return err;
	if (nst_has_gate(nst)) {
		err = nst->ops->get_gate(nst->priv, &gate);
		if (err)
			return err;
		if (!nst_gate_exists(nst, gate))
			return -EINVAL;
	}
	nst->gate = (u8)gate;
	nst->gate_prev = (u8)gate;
	nst->gate_real = (u8)gate;
	nst->settled_us = nst_now_us(nst);
	nst->gate_since_us = nst->settled_us;
	nst->frame_start_us = nst->settled_us;
	nst->free_run_us = nst->settled_us;
	nst->levels = nst_cooling_levels();
	nst_guard_init(nst);
	return 0;
}

/* The VPU runs now, and was about to be stopped. */
static bool was_to_close(const struct nst *nst)
{
	unsigned int i;

	if (nst->gate != NST_GATE_RUN || !nst_has_gate(nst))
		return false;
	if (nst->close_retry_us)
		return true;
	for (i = 0; i < nst->plan.edges; i++)
		if (nst->plan.edge[i].gate != nst->gate)
			return true;
	return false;
}

/*
 * From here on no callback of the provider runs: whoever takes the lock
 * finds @dead. A gate that is closed stays closed, for nobody guards it any
 * more, and one that was to close does: a VPU in the middle of its window
 * would run for good. What waits at the provider is dropped.
 */
static void nst_down(struct nst *nst)
{
	mutex_lock(&nst->lock);
	if (!nst->dead) {
		bool waits = nst->plan.edges &&
			     nst->caps & NST_CAP_GATE_AT_TIME;
		struct nst_edge edge;
		bool closes;

		/* What the provider has made by now is not to be undone. */
		while (waits &&
		       nst_plan_due(&nst->plan, nst_now_us(nst), &edge))
			nst->gate = edge.sent ? edge.gate : nst->gate;
		closes = was_to_close(nst);
		if (closes || waits)
			nst->ops->set_gate(nst->priv,
					   closes ? NST_GATE_STANDBY :
						    (enum nst_gate)nst->gate,
					   0);
		nst->plan.edges = 0;
		nst->claim.holder = NULL;
		nst->dead = true;
	}
	mutex_unlock(&nst->lock);
	wake_up_interruptible_all(&nst->ring.wait);
	cancel_delayed_work_sync(&nst->tick_work);
	cancel_delayed_work_sync(&nst->lease_work);
	cancel_delayed_work_sync(&nst->frame_work);
	cancel_delayed_work_sync(&nst->edge_work);
	cancel_work_sync(&nst->thermal_work);
	cancel_work_sync(&nst->notify_work);
}

struct nst *nst_register(struct device *parent, const struct nst_desc *desc,
			 const struct nst_ops *ops, void *priv)
{
	struct nst *nst;
	int err;

	err = desc_check(desc, ops);
	if (err)
		return ERR_PTR(err);
	nst = kzalloc(sizeof(*nst), GFP_KERNEL);
	if (!nst)
		return ERR_PTR(-ENOMEM);
	err = nst_ring_init(&nst->ring);
	if (err) {
		kfree(nst);
		return ERR_PTR(err);
	}

	spin_lock_init(&nst->pending_lock);
	mutex_init(&nst->lock);
	INIT_DELAYED_WORK(&nst->tick_work, nst_guard_tick);
	INIT_DELAYED_WORK(&nst->lease_work, nst_lease_expire);
	INIT_DELAYED_WORK(&nst->frame_work, nst_lease_frame_timer);
	INIT_DELAYED_WORK(&nst->edge_work, nst_gate_edge_timer);
	init_waitqueue_head(&nst->edge_wait);
	INIT_WORK(&nst->thermal_work, nst_thermal_work);
	INIT_WORK(&nst->notify_work, nst_notify_work);
	device_initialize(&nst->dev);
	nst->dev.class = &nst_class;
	nst->dev.parent = parent;
	nst->dev.release = nst_release;
	nst->ops = ops;
	nst->priv = priv;
	desc_copy(nst, desc);

	err = state_init(nst, desc);
	if (err)
		goto put;
	err = ida_alloc_max(&nst_ida, NST_MINORS - 1, GFP_KERNEL);
	if (err < 0)
		goto put;
	nst->id = err;
	nst->dev.devt = MKDEV(MAJOR(nst_devt), nst->id);
	err = dev_set_name(&nst->dev, "nst%d", nst->id);
	if (err)
		goto free_id;
	nst_sysfs_groups(nst);

	cdev_init(&nst->cdev, &nst_cdev_fops);
	nst->cdev.owner = THIS_MODULE;
	err = cdev_device_add(&nst->cdev, &nst->dev);
	if (err) {
		/* By its number it could be opened for a moment. */
		nst_down(nst);
		goto free_id;
	}
	nst_sysfs_bind(nst);
	err = nst_cooling_init(nst);
	if (err)
		goto del;
	err = nst_thermal_init(nst);
	if (err)
		goto cooling;
	err = nst_hwmon_init(nst);
	if (err)
		goto thermal;

	mutex_lock(&nst->lock);
	if (nst->ops->set_limits)
		nst->ops->set_limits(nst->priv, &nst->thr);
	nst_guard_rearm(nst);
	mutex_unlock(&nst->lock);
	return nst;

thermal:
	nst_down(nst);
	nst_thermal_exit(nst);
cooling:
	nst_cooling_exit(nst);
del:
	nst_down(nst);
	cdev_device_del(&nst->cdev, &nst->dev);
	nst_sysfs_unbind(nst);
free_id:
	ida_free(&nst_ida, nst->id);
put:
	put_device(&nst->dev);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(nst_register);

void nst_unregister(struct nst *nst)
{
	nst_down(nst);
	nst_hwmon_exit(nst);
	nst_thermal_exit(nst);
	nst_cooling_exit(nst);
	cdev_device_del(&nst->cdev, &nst->dev);
	nst_sysfs_unbind(nst);
	ida_free(&nst_ida, nst->id);
	put_device(&nst->dev);
}
EXPORT_SYMBOL_GPL(nst_unregister);

/* --------------------------------------------------------------- module */

static int __init nst_init(void)
{
	int err;

	nst_sysfs_init();
	err = alloc_chrdev_region(&nst_devt, 0, NST_MINORS, "nst");
	if (err)
		return err;
	err = class_register(&nst_class);
	if (err)
		unregister_chrdev_region(nst_devt, NST_MINORS);
	return err;
}

static void __exit nst_exit(void)
{
	class_unregister(&nst_class);
	unregister_chrdev_region(nst_devt, NST_MINORS);
	ida_destroy(&nst_ida);
}

module_init(nst_init);
module_exit(nst_exit);

MODULE_DESCRIPTION("Near-sensor thermal management core");
MODULE_LICENSE("GPL");
