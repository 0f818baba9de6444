// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-cdev.c - /dev/nstN
 *
 * read() gives whole records of events, poll() tells of them, ioctl() does
 * the rest; uapi/nst.h describes both. The size of an ioctl's struct is part
 * of its number, so a program built for another layout gets -ENOTTY.
 */
#include <linux/build_bug.h>
#include <linux/compat.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "nst.h"

static_assert(sizeof(struct nst_uapi_info) == 368);
static_assert(sizeof(struct nst_uapi_sample) == 16);
static_assert(sizeof(struct nst_uapi_state) == 232);
static_assert(sizeof(struct nst_uapi_lease) == 16);
static_assert(sizeof(struct nst_uapi_gate) == 56);
static_assert(sizeof(struct nst_uapi_frame) == 32);
static_assert(sizeof(struct nst_uapi_capture) == 24);
static_assert(sizeof(struct nst_uapi_capture_cancel) == 8);
static_assert(sizeof(struct nst_uapi_limits) == 24);
static_assert(sizeof(struct nst_uapi_event) == 64);

/* The two ways to say the same thing must not drift apart. */
static_assert(NST_UGATE_RUN == (int)NST_GATE_RUN &&
	      NST_UGATE_OFF == (int)NST_GATE_OFF);
static_assert(NST_UPLACE_NEAR == (int)NST_NEAR &&
	      NST_UPLACE_PAUSED == (int)NST_PAUSED);
static_assert(NST_USAMPLE_IMPLAUSIBLE == (int)NST_SAMPLE_IMPLAUSIBLE);
static_assert(NST_UBOUND_AT_MOST == (int)NST_BOUND_AT_MOST);

static int nst_open(struct inode *inode, struct file *filp)
{
	struct nst *nst = container_of(inode->i_cdev, struct nst, cdev);
	struct nst_file *file;

	file = kzalloc(sizeof(*file), GFP_KERNEL);
	if (!file)
		return -ENOMEM;
	if (nst_lock(nst)) {
		kfree(file);
		return -ENODEV;
	}
	file->nst = nst;
	file->may_write = filp->f_mode & FMODE_WRITE;
	mutex_init(&file->read_lock);
	file->tail = nst_ring_head(&nst->ring);
	get_device(&nst->dev);
	nst_unlock(nst);
	filp->private_data = file;
	return stream_open(inode, filp);
}

static int nst_close(struct inode *inode, struct file *filp)
{
	struct nst_file *file = filp->private_data;
	struct nst *nst = file->nst;

	if (!nst_lock(nst)) {
		nst_settle(nst, nst_now_us(nst));
		nst_capture_drop(nst, file);
		nst_lease_close(nst, file);
		nst_unlock(nst);
	}
	kfree(file);
	put_device(&nst->dev);
	return 0;
}

/* ---------------------------------------------------------------- events */

static ssize_t nst_read(struct file *filp, char __user *buf, size_t len,
			loff_t *pos)
{
	struct nst_file *file = filp->private_data;
	struct nst *nst = file->nst;
	struct nst_uapi_event ev;
	size_t done = 0;
	int err;

	if (len < sizeof(ev))
		return -EINVAL;
	do {
		if (READ_ONCE(nst->dead))
			return -ENODEV;
		if (!(filp->f_flags & O_NONBLOCK)) {
			err = wait_event_interruptible(nst->ring.wait,
						       READ_ONCE(nst->dead) ||
						       nst_ring_has(&nst->ring, file));
			if (err)
				return err;
			if (READ_ONCE(nst->dead))
				return -ENODEV;
		}

		err = mutex_lock_interruptible(&file->read_lock);
		if (err)
			return err;
		while (len - done >= sizeof(ev) &&
		       nst_ring_peek(&nst->ring, file, &ev)) {
			if (copy_to_user(buf + done, &ev, sizeof(ev))) {
				err = -EFAULT;
				break;
			}
			nst_ring_next(file, &ev);
			done += sizeof(ev);
		}
		mutex_unlock(&file->read_lock);
		if (done)
			return done;
		if (err)
			return err;
		/* Another thread on this file was faster: wait again. */
	} while (!(filp->f_flags & O_NONBLOCK));
	return -EAGAIN;
}

static __poll_t nst_poll(struct file *filp, poll_table *wait)
{
	struct nst_file *file = filp->private_data;
	struct nst *nst = file->nst;

	poll_wait(filp, &nst->ring.wait, wait);
	if (READ_ONCE(nst->dead))
		return EPOLLHUP | EPOLLERR;
	return nst_ring_has(&nst->ring, file) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* ---------------------------------------------------------------- ioctls */

/*
 * What any ioctl can carry. Each handler is called settled, with nst->lock,
 * and what it leaves in the struct goes back to the user if it succeeds.
 */
union nst_arg {
	struct nst_uapi_info info;
	struct nst_uapi_state state;
	struct nst_uapi_lease lease;
	struct nst_uapi_gate gate;
	struct nst_uapi_frame frame;
	struct nst_uapi_capture capture;
	struct nst_uapi_capture_cancel cancel;
	struct nst_uapi_limits limits;
};

static int do_info(struct nst *nst, struct nst_file *file, union nst_arg *arg)
{
	struct nst_uapi_info *info = &arg->info;
	unsigned int i;

	info->abi_version = NST_ABI_VERSION;
	info->caps = nst->caps;
	info->clock_id = nst->ops->now_us ? -1 : CLOCK_MONOTONIC;
	info->channels = nst->channels;
	strscpy(info->name, nst->name, sizeof(info->name));
	strscpy(info->provider, nst->provider, sizeof(info->provider));
	strscpy(info->model, nst->model, sizeof(info->model));
	for (i = 0; i < nst->channels; i++)
		strscpy(info->label[i], nst->label[i], NST_LABEL_LEN);
	for (i = 0; i < NST_GATE_COUNT; i++) {
		if (!nst_gate_exists(nst, i))
			continue;
		info->gate_power_mw[i] = nst->gate_power_mw[i];
		info->gate_enter_us[i] = nst->gate_enter_us[i];
		info->gate_exit_us[i] = nst->gate_exit_us[i];
	}
	return 0;
}

static void show_highest(struct nst *nst, struct nst_uapi_sample *ret)
{
	bool estimated;

	ret->t_us = nst->settled_us;
	if (nst_guard_envelope(nst, &ret->value_mc, &estimated)) {
		ret->state = NST_USAMPLE_NOT_READY;
		return;
	}
	ret->state = NST_USAMPLE_VALID;
	if (estimated || nst->channels_estimated & BIT(0))
		ret->flags = NST_USAMPLE_F_ESTIMATED;
}

static int do_sample(struct nst *nst, struct nst_file *file,
		     union nst_arg *arg)
{
	struct nst_uapi_state *state = &arg->state;
	unsigned int i;

	state->now_us = nst->settled_us;
	state->frame_seq = nst->frame_seq;
	state->frame_start_us = nst->frame_count ? nst->frame_start_us : 0;
	if (nst_has_frames(nst) && nst->frame_count) {
		state->next_start_us = nst->frame_start_us +
				       nst->timing.frame_period_us;
		/* A phase may be told a little ahead of its time. */
		if (nst->settled_us > nst->phase_us)
			state->phase_age_us = (u32)min_t(u64, U32_MAX,
							 nst->settled_us -
							 nst->phase_us);
	}
	state->gate_since_us = nst->gate_since_us;
	state->frame_period_us = nst->timing.frame_period_us;
	state->exposure_us = nst->timing.exposure_us;
	state->readout_us = nst->timing.readout_us;
	state->frame_source = nst->frame_source;
	state->gate = nst->gate_real;
	state->gate_pending = nst_guard_gate_next(nst);
	state->gate_prev = nst->gate_prev;
	state->guard = nst->guard;
	state->bound_permyriad = NST_PERMYRIAD *
				 (nst->levels - nst->duty_state) / nst->levels;
	state->power_mw = nst_gate_power(nst, nst->gate_real);
	nst_power_now(nst, &state->power_mw);
	state->channels = nst->channels;
	for (i = 0; i < nst->channels; i++) {
		struct nst_sample sample;

		nst_show_channel(nst, i, &sample);
		state->sample[i].t_us = sample.t_us;
		state->sample[i].value_mc = sample.value_mc;
		state->sample[i].state = sample.state;
		state->sample[i].bound = sample.bound;
		if (nst->channels_estimated & BIT(i))
			state->sample[i].flags = NST_USAMPLE_F_ESTIMATED;
	}
	show_highest(nst, &state->highest);
	return 0;
}

static int do_lease(struct nst *nst, struct nst_file *file,
		    union nst_arg *arg)
{
	struct nst_uapi_lease *lease = &arg->lease;

	switch (lease->op) {
	case NST_LEASE_TAKE:
		return nst_lease_take(nst, file, lease);
	case NST_LEASE_RENEW:
		return nst_lease_renew(nst, file, lease);
	case NST_LEASE_GIVE_BACK:
		if (lease->flags || lease->reserved)
			return -EINVAL;
		return nst_lease_give_back(nst, file);
	default:
		return -EINVAL;
	}
}

static int do_set_gate(struct nst *nst, struct nst_file *file,
		       union nst_arg *arg)
{
	return nst_lease_set_gate(nst, file, &arg->gate);
}

static int do_frame(struct nst *nst, struct nst_file *file,
		    union nst_arg *arg)
{
	return nst_lease_frame(nst, file, &arg->frame);
}

static int do_capture(struct nst *nst, struct nst_file *file,
		      union nst_arg *arg)
{
	int err;

	if (!file->may_write)
		return -EPERM;
	err = nst_capture_add(nst, file, &arg->capture);
	if (!err)
		nst_guard_replan(nst, nst->settled_us);
	return err;
}

static int do_capture_cancel(struct nst *nst, struct nst_file *file,
			     union nst_arg *arg)
{
	int err;

	if (arg->cancel.flags)
		return -EINVAL;
	err = nst_capture_cancel(nst, file, arg->cancel.id);
	if (!err)
		nst_guard_replan(nst, nst->settled_us);
	return err;
}

static int do_set_limits(struct nst *nst, struct nst_file *file,
			 union nst_arg *arg)
{
	const struct nst_thresholds thr = {
		.high_mc = arg->limits.high_mc,
		.low_mc = arg->limits.low_mc,
		.capture_mc = arg->limits.capture_mc,
		.max_mc = arg->limits.max_mc,
	};
	int err;

	if (arg->limits.flags || arg->limits.reserved)
		return -EINVAL;
	err = nst_lease_check(nst, file);
	if (err)
		return err;
	return nst_policy_set_limits(nst, &thr);
}

static const struct nst_ioctl {
	unsigned int cmd;
	int (*call)(struct nst *nst, struct nst_file *file,
		    union nst_arg *arg);
} nst_ioctls[] = {
	{ NST_IOC_INFO, do_info },
	{ NST_IOC_SAMPLE, do_sample },
	{ NST_IOC_LEASE, do_lease },
	{ NST_IOC_SET_GATE, do_set_gate },
	{ NST_IOC_FRAME, do_frame },
	{ NST_IOC_CAPTURE, do_capture },
	{ NST_IOC_CAPTURE_CANCEL, do_capture_cancel },
	{ NST_IOC_SET_LIMITS, do_set_limits },
};

static long nst_ioctl(struct file *filp, unsigned int cmd, unsigned long uarg)
{
	struct nst_file *file = filp->private_data;
	const struct nst_ioctl *ioctl = NULL;
	void __user *user = (void __user *)uarg;
	struct nst *nst = file->nst;
	union nst_arg arg;
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(nst_ioctls); i++) {
		if (nst_ioctls[i].cmd == cmd)
			ioctl = &nst_ioctls[i];
	}
	if (!ioctl)
		return -ENOTTY;

	memset(&arg, 0, sizeof(arg));
	if (_IOC_DIR(cmd) & _IOC_WRITE &&
	    copy_from_user(&arg, user, _IOC_SIZE(cmd)))
		return -EFAULT;
	err = nst_lock(nst);
	if (err)
		return err;
	nst_settle(nst, nst_now_us(nst));
	if (!nst_has_frames(nst))
		nst_guard_timing(nst);
	err = ioctl->call(nst, file, &arg);
	nst_unlock(nst);
	if (err)
		return err;
	/* The zone shows the new limits before the caller goes on. */
	if (cmd == NST_IOC_SET_LIMITS)
		flush_work(&nst->thermal_work);
	if (_IOC_DIR(cmd) & _IOC_READ &&
	    copy_to_user(user, &arg, _IOC_SIZE(cmd)))
		return -EFAULT;
	return 0;
}

const struct file_operations nst_cdev_fops = {
	.owner = THIS_MODULE,
	.open = nst_open,
	.release = nst_close,
	.read = nst_read,
	.poll = nst_poll,
	.unlocked_ioctl = nst_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
