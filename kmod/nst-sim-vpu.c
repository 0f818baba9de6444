// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-vpu.c - the vision processor under the pixels, and /dev/nst-vpu-*
 *
 * Runs the task of firmware/vpu on the pixels that the capture node has, or
 * would have: it sits under them and needs nobody to stream. Which frames are
 * its own is decided on the device's clock, when a period ends and the gate of
 * the next one is known; the work is done by the render work, behind that
 * clock, in order. What reaches the state is thus a matter of frame numbers
 * and gates, not of how fast the host is.
 *
 *	schedule	started, first, stop, epoch: nst_sim.lock
 *	memory		state, scratch, pixels: vpu.lock; what it is said to
 *			hold (loaded, its epoch) changes with both
 *
 * A gate that takes the network away (cleared, off) does so at its edge: it
 * counts up the epoch, and a state of an older epoch is none.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "nst-sim.h"
#include "vpu.h"

static_assert(sizeof(struct nst_vpu_status) == 128);
static_assert(sizeof(struct nst_vpu_start) == 16);
static_assert(sizeof(struct nst_vpu_stop) == 16);
static_assert(NST_SIM_DETECTIONS_MAX == VPU_DETECTIONS_MAX);

/**
 * struct nst_sim_vpu_file - an open file
 * @sim: the stack, which lives as long as the file
 * @lock: guards what follows
 * @copy: what reads beyond offset 0 go on with; NULL before the first
 * @copied: it is one
 * @flags: of the status as it was told last
 */
struct nst_sim_vpu_file {
	struct nst_sim *sim;
	struct mutex lock;		/* guards what follows */
	struct vpu_state *copy;
	bool copied;
	u32 flags;
};

/* ------------------------------------------------------------- schedule */

static bool powered(const struct nst_sim *sim)
{
	return sim->gate <= NST_GATE_STANDBY;
}

/* Last frame that is over: the present period is not. */
static u64 seen_seq(const struct nst_sim *sim)
{
	return sim->seq ? sim->seq - 1 : 0;
}

static bool within(const struct nst_sim_vpu *vpu, u64 seq)
{
	return seq >= vpu->first_seq && seq <= vpu->stop_seq;
}

/*
 * All that was due by now is done. Not of a stack that is going: its bus may
 * be gone.
 */
static void settle_now(struct nst_sim *sim)
{
	if (!sim->vpu.gone)
		nst_sim_now_locked(sim);
}

/* Of the task that runs: @last_seq, which is over or before its first. */
static void end_run(struct nst_sim_vpu *vpu, u64 last_seq)
{
	vpu->started = false;
	vpu->stop_seq = last_seq;
	wake_up_all(&vpu->wait);
}

void nst_sim_vpu_expose(struct nst_sim *sim, struct nst_sim_shot *shot)
{
	struct nst_sim_vpu *vpu = &sim->vpu;

	shot->owner = NST_SIM_OWNER_NONE;
	shot->result = NST_SIM_RESULT_NONE;
	if (vpu->started && within(vpu, shot->seq)) {
		shot->owner = NST_SIM_OWNER_VPU;
		shot->vpu_epoch = vpu->epoch;
		vpu->taken++;
	} else if (vpu->broken && within(vpu, shot->seq)) {
		shot->result = NST_SIM_RESULT_LOST;
	}
	/* Frames that are not delivered (clock scaled) may lie in between. */
	if (vpu->started && shot->seq >= vpu->stop_seq)
		end_run(vpu, vpu->stop_seq);
	else if (vpu->started)
		wake_up_all(&vpu->wait);
}

void nst_sim_vpu_decide(struct nst_sim *sim, struct nst_sim_shot *shot)
{
	struct nst_sim_vpu *vpu = &sim->vpu;
	u32 busy_us = min(sim->config.vpu_busy_us, sim->period_us);

	if (shot->owner != NST_SIM_OWNER_VPU)
		return;
	if (shot->vpu_epoch != vpu->epoch)
		shot->result = NST_SIM_RESULT_LOST;
	else if (nst_sim_run_ahead_us(sim) < busy_us)
		shot->result = NST_SIM_RESULT_GATED;
	else
		shot->result = NST_SIM_RESULT_DONE;
	if (shot->result == NST_SIM_RESULT_DONE)
		return;
	vpu->done++;
	if (shot->result == NST_SIM_RESULT_GATED)
		vpu->gated++;
}

void nst_sim_vpu_gate(struct nst_sim *sim)
{
	struct nst_sim_vpu *vpu = &sim->vpu;

	if (!sim->config.vpu)
		return;
	if (!powered(sim)) {
		if (vpu->loaded && vpu->loaded_epoch == vpu->epoch)
			vpu->losses++;
		vpu->epoch++;
		if (vpu->started) {
			vpu->started = false;
			vpu->broken = true;
		}
	}
	wake_up_all(&vpu->wait);
}

bool nst_sim_vpu_active(struct nst_sim *sim)
{
	bool active;

	mutex_lock(&sim->lock);
	active = sim->vpu.started || sim->vpu.taken != sim->vpu.done;
	mutex_unlock(&sim->lock);
	return active;
}

/* ------------------------------------------------------------- the work */

static void fill_result(struct nst_sim_meta *meta,
			const struct vpu_result *result)
{
	u32 i;

	meta->vpu_flags = result->flags;
	meta->noise_q8 = result->noise_q8;
	meta->pedestal_q8 = result->pedestal_q8;
	meta->masked_permyriad = result->masked_permyriad;
	meta->saturated_permyriad = result->saturated_permyriad;
	meta->blobs = result->blobs;
	meta->detections = result->detections;
	for (i = 0; i < result->detections; i++) {
		const struct vpu_detection *from = &result->detection[i];
		struct nst_sim_detection *to = &meta->detection[i];

		to->x = from->x;
		to->y = from->y;
		to->w = from->w;
		to->h = from->h;
		to->id = from->id;
		to->age = from->age;
		to->seen = from->seen;
	}
}

void nst_sim_vpu_do(struct nst_sim *sim, const struct nst_sim_shot *shot,
		    const void *pixels, struct nst_sim_meta *meta)
{
	struct nst_sim_vpu *vpu = &sim->vpu;
	struct vpu_frame frame = {
		.seq = shot->seq,
		.pixels = pixels,
		.width = shot->width,
		.height = shot->height,
		.stride = sim->camera.format.bytesperline,
		.bits = shot->bits,
	};
	struct vpu_result result;

	mutex_lock(&vpu->lock);
	if (!vpu->loaded || vpu->loaded_epoch != shot->vpu_epoch) {
		meta->result = NST_SIM_RESULT_LOST;
	} else if (vpu_process(vpu->state, vpu->work, &frame, &result)) {
		meta->result = NST_SIM_RESULT_REFUSED;
		vpu->refused++;
	} else {
		vpu_seal(vpu->state);
		vpu->frames++;
		meta->state_checksum = vpu->state->checksum;
		fill_result(meta, &result);
	}
	mutex_unlock(&vpu->lock);

	mutex_lock(&sim->lock);
	vpu->done++;
	mutex_unlock(&sim->lock);
	wake_up_all(&vpu->wait);
}

/* --------------------------------------------------------------- status */

/* With nst_sim.lock, settled; @loaded by the caller, who has vpu.lock. */
static u32 flags_of(struct nst_sim *sim, const struct nst_sim_vpu_file *file,
		    bool loaded)
{
	const struct nst_sim_vpu *vpu = &sim->vpu;
	bool busy = vpu->taken != vpu->done;
	u32 flags = 0;

	if (vpu->started)
		flags |= NST_VPU_STARTED;
	if (busy || (vpu->started && sim->seq >= vpu->first_seq))
		flags |= NST_VPU_RUNNING;
	if (vpu->started && vpu->stop_seq != NST_VPU_NEVER)
		flags |= NST_VPU_STOPPING;
	if (loaded && vpu->loaded_epoch == vpu->epoch)
		flags |= NST_VPU_LOADED;
	else if (loaded)
		flags |= NST_VPU_LOST;
	if (powered(sim))
		flags |= NST_VPU_POWERED;
	if (vpu->started && vpu->owner == file)
		flags |= NST_VPU_MINE;
	return flags;
}

static u32 flags_now(struct nst_sim_vpu_file *file)
{
	struct nst_sim *sim = file->sim;
	u32 flags;

	mutex_lock(&sim->vpu.lock);
	mutex_lock(&sim->lock);
	settle_now(sim);
	flags = flags_of(sim, file, sim->vpu.loaded);
	mutex_unlock(&sim->lock);
	mutex_unlock(&sim->vpu.lock);
	return flags;
}

static int do_status(struct nst_sim_vpu_file *file,
		     struct nst_vpu_status *status)
{
	struct nst_sim *sim = file->sim;
	struct nst_sim_camera *camera = &sim->camera;
	struct nst_sim_vpu *vpu = &sim->vpu;

	mutex_lock(&file->lock);
	mutex_lock(&vpu->lock);
	mutex_lock(&sim->lock);
	settle_now(sim);
	status->version = NST_VPU_ABI_VERSION;
	status->flags = flags_of(sim, file, vpu->loaded);
	status->state_size = sizeof(struct vpu_state);
	status->state_version = VPU_VERSION;
	if (status->flags & NST_VPU_LOADED) {
		status->checksum = vpu->state->checksum;
		status->last_seq = vpu->state->last_seq;
	}
	status->first_seq = vpu->first_seq;
	status->stop_seq = vpu->stop_seq;
	status->seen_seq = seen_seq(sim);
	status->frames = vpu->frames;
	status->gated = vpu->gated;
	status->refused = vpu->refused;
	status->losses = vpu->losses;
	status->owner_pid = vpu->started ? vpu->owner_pid : 0;
	spin_lock(&camera->slock);
	status->width = camera->format.width;
	status->height = camera->format.height;
	status->bits = camera->format.pixelformat == V4L2_PIX_FMT_Y10 ? 10 : 8;
	spin_unlock(&camera->slock);
	mutex_unlock(&sim->lock);
	mutex_unlock(&vpu->lock);
	file->flags = status->flags;
	mutex_unlock(&file->lock);
	return 0;
}

/* ---------------------------------------------------------------- start */

/* Where pictures are made that nobody else gets; with camera.lock. */
static int pixels_get(struct nst_sim *sim)
{
	struct nst_sim_vpu *vpu = &sim->vpu;
	u32 size = sim->camera.format.sizeimage;

	if (vpu->pixels_size >= size)
		return 0;
	kvfree(vpu->pixels);
	vpu->pixels_size = 0;
	vpu->pixels = kvmalloc(size, GFP_KERNEL);
	if (!vpu->pixels)
		return -ENOMEM;
	vpu->pixels_size = size;
	return 0;
}

static bool state_fits(const struct nst_sim *sim,
		       const struct vpu_state *state)
{
	const struct v4l2_pix_format *format = &sim->camera.format;

	return state->width == format->width &&
	       state->height == format->height &&
	       state->bits == (format->pixelformat == V4L2_PIX_FMT_Y10 ?
			       10 : 8);
}

/* Everything that can be refused; with all locks. Fills in first_seq. */
static int start_check(struct nst_sim_vpu_file *file,
		       struct nst_vpu_start *start)
{
	struct nst_sim *sim = file->sim;
	struct nst_sim_vpu *vpu = &sim->vpu;

	if (vpu->gone)
		return -ENODEV;
	if (!powered(sim))
		return -ENXIO;
	if (!start->first_seq)
		start->first_seq = max(sim->seq, 1ull);
	if (start->first_seq <= seen_seq(sim))
		return -ESTALE;
	if (start->first_seq == NST_VPU_NEVER)
		return -EINVAL;
	if (start->flags & NST_VPU_START_FRESH)
		return 0;
	if (!vpu->loaded || vpu->loaded_epoch != vpu->epoch)
		return -ENODATA;
	if (!state_fits(sim, vpu->state))
		return -EINVAL;
	if (vpu->state->frames && vpu->state->last_seq >= start->first_seq)
		return -EINVAL;
	return 0;
}

/* With camera.lock, and no frame of an earlier run left. */
static int start_run(struct nst_sim_vpu_file *file,
		     struct nst_vpu_start *start)
{
	struct nst_sim *sim = file->sim;
	struct nst_sim_vpu *vpu = &sim->vpu;
	const struct v4l2_pix_format *format = &sim->camera.format;
	int err;

	mutex_lock(&vpu->lock);
	mutex_lock(&sim->lock);
	settle_now(sim);
	err = start_check(file, start);
	if (!err && start->flags & NST_VPU_START_FRESH) {
		err = vpu_init(vpu->state, format->width, format->height,
			       format->pixelformat == V4L2_PIX_FMT_Y10 ?
			       10 : 8);
		if (!err) {
			vpu_seal(vpu->state);
			vpu->loaded = true;
			vpu->loaded_epoch = vpu->epoch;
		}
	}
	if (!err) {
		vpu->started = true;
		vpu->broken = false;
		vpu->owner = file;
		vpu->owner_pid = task_tgid_nr(current);
		vpu->first_seq = start->first_seq;
		vpu->stop_seq = NST_VPU_NEVER;
		vpu->gated = 0;
		vpu->frames = 0;
		vpu->refused = 0;
		wake_up_all(&vpu->wait);
	}
	mutex_unlock(&sim->lock);
	mutex_unlock(&vpu->lock);
	return err;
}

/* A run goes on: is it the one that is asked for? 0, -EBUSY; 1: none does. */
static int start_again(struct nst_sim_vpu_file *file,
		       struct nst_vpu_start *start)
{
	struct nst_sim *sim = file->sim;
	struct nst_sim_vpu *vpu = &sim->vpu;
	int ret = 1;

	mutex_lock(&sim->lock);
	settle_now(sim);
	if (vpu->gone) {
		ret = -ENODEV;
	} else if (vpu->started) {
		ret = -EBUSY;
		if (vpu->owner == file &&
		    (!start->first_seq || start->first_seq == vpu->first_seq))
			ret = 0;
		if (!ret)
			start->first_seq = vpu->first_seq;
	} else if (vpu->taken != vpu->done) {
		ret = -EBUSY;
	}
	mutex_unlock(&sim->lock);
	return ret;
}

static int do_start(struct nst_sim_vpu_file *file,
		    struct nst_vpu_start *start)
{
	struct nst_sim *sim = file->sim;
	int err;

	if (start->reserved || start->flags & ~NST_VPU_START_FRESH)
		return -EINVAL;
	/* What is left of a run that has stopped. */
	nst_sim_camera_flush(sim);
	err = mutex_lock_interruptible(&sim->camera.lock);
	if (err)
		return err;
	err = start_again(file, start);
	if (err != 1)
		goto out;
	/* No other task starts meanwhile, and the format stays. */
	err = pixels_get(sim);
	if (!err)
		err = nst_sim_studio_get(sim);
	if (!err)
		err = start_run(file, start);
out:
	mutex_unlock(&sim->camera.lock);
	return err;
}

/* ----------------------------------------------------------------- stop */

/* With nst_sim.lock. */
static int stop_locked(struct nst_sim_vpu_file *file,
		       struct nst_vpu_stop *stop)
{
	struct nst_sim *sim = file->sim;
	struct nst_sim_vpu *vpu = &sim->vpu;
	u64 seen = seen_seq(sim);

	if (vpu->gone)
		return -ENODEV;
	if (!vpu->started) {
		if (stop->last_seq && stop->last_seq < vpu->stop_seq &&
		    vpu->stop_seq >= vpu->first_seq)
			return -ESTALE;
		stop->last_seq = vpu->stop_seq;
		return 0;
	}
	if (vpu->owner != file)
		return -EBUSY;
	if (!stop->last_seq)
		stop->last_seq = seen;
	if (stop->last_seq < vpu->first_seq && seen < vpu->first_seq) {
		end_run(vpu, stop->last_seq);
		return 0;
	}
	if (stop->last_seq < seen)
		return -ESTALE;
	if (stop->last_seq == seen) {
		end_run(vpu, seen);
		return 0;
	}
	vpu->stop_seq = stop->last_seq;
	wake_up_all(&vpu->wait);
	return 0;
}

static int do_stop(struct nst_sim_vpu_file *file, struct nst_vpu_stop *stop)
{
	struct nst_sim *sim = file->sim;
	int err;

	if (stop->flags || stop->reserved)
		return -EINVAL;
	mutex_lock(&sim->lock);
	settle_now(sim);
	err = stop_locked(file, stop);
	mutex_unlock(&sim->lock);
	return err;
}

static long vpu_ioctl(struct file *filp, unsigned int cmd, unsigned long uarg)
{
	struct nst_sim_vpu_file *file = filp->private_data;
	void __user *user = (void __user *)uarg;
	union {
		struct nst_vpu_status status;
		struct nst_vpu_start start;
		struct nst_vpu_stop stop;
	} arg;
	int err;

	memset(&arg, 0, sizeof(arg));
	if (cmd != NST_VPU_IOC_STATUS && cmd != NST_VPU_IOC_START &&
	    cmd != NST_VPU_IOC_STOP)
		return -ENOTTY;
	if (READ_ONCE(file->sim->vpu.gone))
		return -ENODEV;
	if (cmd != NST_VPU_IOC_STATUS && !(filp->f_mode & FMODE_WRITE))
		return -EPERM;
	if (_IOC_DIR(cmd) & _IOC_WRITE &&
	    copy_from_user(&arg, user, _IOC_SIZE(cmd)))
		return -EFAULT;
	if (cmd == NST_VPU_IOC_STATUS)
		err = do_status(file, &arg.status);
	else if (cmd == NST_VPU_IOC_START)
		err = do_start(file, &arg.start);
	else
		err = do_stop(file, &arg.stop);
	if (err)
		return err;
	if (copy_to_user(user, &arg, _IOC_SIZE(cmd)))
		return -EFAULT;
	return 0;
}

/* --------------------------------------------------------------- memory */

/* Is there memory, and with @state, a state in it? With vpu.lock. */
static int memory_check(struct nst_sim *sim, bool state)
{
	struct nst_sim_vpu *vpu = &sim->vpu;
	int err = 0;

	mutex_lock(&sim->lock);
	settle_now(sim);
	if (vpu->gone)
		err = -ENODEV;
	else if (!powered(sim))
		err = -ENXIO;
	else if (state && (!vpu->loaded || vpu->loaded_epoch != vpu->epoch))
		err = -ENODATA;
	else if (!state && (vpu->started || vpu->taken != vpu->done))
		err = -EBUSY;
	mutex_unlock(&sim->lock);
	return err;
}

/* A copy for @file; with its lock. */
static int copy_state(struct nst_sim_vpu_file *file)
{
	struct nst_sim *sim = file->sim;
	struct nst_sim_vpu *vpu = &sim->vpu;
	int err;

	if (!file->copy)
		file->copy = kvmalloc(sizeof(*file->copy), GFP_KERNEL);
	if (!file->copy)
		return -ENOMEM;
	file->copied = false;
	mutex_lock(&vpu->lock);
	err = memory_check(sim, true);
	if (!err)
		*file->copy = *vpu->state;
	mutex_unlock(&vpu->lock);
	file->copied = !err;
	return err;
}

static ssize_t vpu_read(struct file *filp, char __user *to, size_t len,
			loff_t *pos)
{
	struct nst_sim_vpu_file *file = filp->private_data;
	ssize_t ret = 0;

	if (READ_ONCE(file->sim->vpu.gone))
		return -ENODEV;
	if (*pos < 0)
		return -EINVAL;
	ret = mutex_lock_interruptible(&file->lock);
	if (ret)
		return ret;
	if (!*pos || !file->copied)
		ret = copy_state(file);
	if (!ret)
		ret = simple_read_from_buffer(to, len, pos, file->copy,
					      sizeof(*file->copy));
	mutex_unlock(&file->lock);
	return ret;
}

static int load_state(struct nst_sim *sim, const struct vpu_state *state)
{
	struct nst_sim_vpu *vpu = &sim->vpu;
	int err;

	err = vpu_check(state);
	if (err)
		return err;
	mutex_lock(&vpu->lock);
	err = memory_check(sim, false);
	if (!err) {
		*vpu->state = *state;
		mutex_lock(&sim->lock);
		vpu->loaded = true;
		vpu->loaded_epoch = vpu->epoch;
		mutex_unlock(&sim->lock);
	}
	mutex_unlock(&vpu->lock);
	wake_up_all(&vpu->wait);
	return err;
}

static ssize_t vpu_write(struct file *filp, const char __user *from,
			 size_t len, loff_t *pos)
{
	struct nst_sim_vpu_file *file = filp->private_data;
	struct vpu_state *state;
	int err;

	if (READ_ONCE(file->sim->vpu.gone))
		return -ENODEV;
	if (*pos || len != sizeof(*state))
		return -EINVAL;
	state = kvmalloc(sizeof(*state), GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	err = copy_from_user(state, from, len) ? -EFAULT : 0;
	if (!err) {
		/* What is left of a run that has stopped. */
		nst_sim_camera_flush(file->sim);
		err = load_state(file->sim, state);
	}
	kvfree(state);
	if (err)
		return err;
	*pos += len;
	return (ssize_t)len;
}

static loff_t vpu_llseek(struct file *filp, loff_t offset, int whence)
{
	return fixed_size_llseek(filp, offset, whence,
				 sizeof(struct vpu_state));
}

static __poll_t vpu_poll(struct file *filp, poll_table *wait)
{
	struct nst_sim_vpu_file *file = filp->private_data;

	poll_wait(filp, &file->sim->vpu.wait, wait);
	if (READ_ONCE(file->sim->vpu.gone))
		return EPOLLHUP | EPOLLERR;
	return flags_now(file) != READ_ONCE(file->flags) ?
	       EPOLLIN | EPOLLRDNORM : 0;
}

/* ---------------------------------------------------------------- files */

/*
 * The misc core holds its lock over an open, and takes it to let a device go:
 * the stack is there.
 */
static int vpu_open(struct inode *inode, struct file *filp)
{
	struct nst_sim *sim = container_of(filp->private_data, struct nst_sim,
					   vpu.misc);
	struct nst_sim_vpu_file *file;

	file = kzalloc(sizeof(*file), GFP_KERNEL);
	if (!file)
		return -ENOMEM;
	file->sim = sim;
	mutex_init(&file->lock);
	v4l2_device_get(&sim->camera.v4l2_dev);
	filp->private_data = file;
	return 0;
}

static int vpu_close(struct inode *inode, struct file *filp)
{
	struct nst_sim_vpu_file *file = filp->private_data;
	struct nst_sim *sim = file->sim;
	struct nst_sim_vpu *vpu = &sim->vpu;

	mutex_lock(&sim->lock);
	if (vpu->started && vpu->owner == file)
		end_run(vpu, seen_seq(sim));
	/* Another file may get this address. */
	if (vpu->owner == file)
		vpu->owner = NULL;
	mutex_unlock(&sim->lock);
	kvfree(file->copy);
	kfree(file);
	v4l2_device_put(&sim->camera.v4l2_dev);
	return 0;
}

static const struct file_operations vpu_fops = {
	.owner = THIS_MODULE,
	.open = vpu_open,
	.release = vpu_close,
	.read = vpu_read,
	.write = vpu_write,
	.llseek = vpu_llseek,
	.poll = vpu_poll,
	.unlocked_ioctl = vpu_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/* ------------------------------------------------------------- lifetime */

int nst_sim_vpu_init(struct nst_sim *sim)
{
	struct nst_sim_vpu *vpu = &sim->vpu;

	mutex_init(&vpu->lock);
	init_waitqueue_head(&vpu->wait);
	if (!sim->config.vpu)
		return 0;
	vpu->state = kvzalloc(sizeof(*vpu->state), GFP_KERNEL);
	vpu->work = kvzalloc(sizeof(*vpu->work), GFP_KERNEL);
	return vpu->state && vpu->work ? 0 : -ENOMEM;
}

void nst_sim_vpu_free(struct nst_sim *sim)
{
	kvfree(sim->vpu.pixels);
	kvfree(sim->vpu.work);
	kvfree(sim->vpu.state);
}

int nst_sim_vpu_register(struct nst_sim *sim)
{
	struct nst_sim_vpu *vpu = &sim->vpu;
	int err;

	if (!sim->config.vpu)
		return 0;
	snprintf(vpu->dev_name, sizeof(vpu->dev_name), "nst-vpu-%s",
		 sim->config.name);
	vpu->misc.minor = MISC_DYNAMIC_MINOR;
	vpu->misc.name = vpu->dev_name;
	vpu->misc.fops = &vpu_fops;
	vpu->misc.parent = sim->dev;
	vpu->misc.mode = 0660;
	err = misc_register(&vpu->misc);
	vpu->registered = !err;
	return err;
}

/* Files that are open stay so, and get -ENODEV. */
void nst_sim_vpu_unregister(struct nst_sim *sim)
{
	struct nst_sim_vpu *vpu = &sim->vpu;

	if (!vpu->registered)
		return;
	misc_deregister(&vpu->misc);
	vpu->registered = false;
	mutex_lock(&sim->lock);
	WRITE_ONCE(vpu->gone, true);
	if (vpu->started)
		end_run(vpu, seen_seq(sim));
	mutex_unlock(&sim->lock);
	wake_up_all(&vpu->wait);
}
