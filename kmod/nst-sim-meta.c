// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-meta.c - a record beside each frame
 *
 * A V4L2 metadata node whose buffers are struct nst_sim_meta: one for every
 * frame of the camera, whether the capture node got it or not, with what a
 * program that has never heard of nst's socket wants to know of the frame.
 * Temperature and gate come from the stack, results from the task in the
 * VPU; the predicted SNR and the placement only the governor knows, which
 * tells them for a number of frames to come.
 *
 * The buffers of this node do not move the step clock: two consumers of one
 * camera would move it twice.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/string.h>
#include <media/v4l2-dev.h>
#include <media/v4l2-event.h>
#include <media/v4l2-fh.h>
#include <media/v4l2-ioctl.h>

#include "nst-sim.h"
#include "uapi/nst.h"

static_assert(sizeof(struct nst_sim_detection) == 24);
static_assert(sizeof(struct nst_sim_meta) == 936);
static_assert(offsetof(struct nst_sim_meta, detection) == 168);
static_assert(sizeof(struct nst_sim_tell) == 32);

/* ----------------------------------------------------------------- told */

static bool told_holds(const struct nst_sim_tell *told, u64 seq)
{
	if (told->periods == NST_SIM_TELL_FOREVER)
		return true;
	return seq - told->from_seq < told->periods;
}

/* What was said last about @seq, be it that nothing is known any more. */
void nst_sim_meta_told(const struct nst_sim *sim, u64 seq,
		       struct nst_sim_tell *ret)
{
	const struct nst_sim_tell *told = sim->metadata.told;
	unsigned int i;

	memset(ret, 0, sizeof(*ret));
	for (i = NST_SIM_TOLD_MAX; i--;) {
		if (!told[i].from_seq || told[i].from_seq > seq)
			continue;
		if (told_holds(&told[i], seq))
			*ret = told[i];
		return;
	}
}

static int tell_check(const struct nst_sim_tell *tell)
{
	if (tell->reserved ||
	    tell->flags & ~(NST_SIM_TELL_SNR | NST_SIM_TELL_PLACEMENT))
		return -EINVAL;
	if (tell->flags & NST_SIM_TELL_PLACEMENT ?
	    tell->placement > NST_UPLACE_PAUSED : tell->placement)
		return -EINVAL;
	if (!(tell->flags & NST_SIM_TELL_SNR) && tell->snr_cdb)
		return -EINVAL;
	return 0;
}

static int tell_add(struct nst_sim *sim, struct nst_sim_tell *tell)
{
	struct nst_sim_tell *told = sim->metadata.told;
	int err = 0;

	mutex_lock(&sim->lock);
	if (!tell->from_seq)
		tell->from_seq = max(sim->seq, 1ull);
	if (tell->from_seq < sim->seq) {
		err = -ESTALE;
	} else {
		memmove(&told[0], &told[1],
			(NST_SIM_TOLD_MAX - 1) * sizeof(*told));
		told[NST_SIM_TOLD_MAX - 1] = *tell;
	}
	mutex_unlock(&sim->lock);
	return err;
}

static long private_ioctl(struct file *file, void *fh, bool valid_prio,
			  unsigned int cmd, void *arg)
{
	struct nst_sim_tell *tell = arg;
	int err;

	if (cmd != NST_SIM_IOC_TELL)
		return -ENOTTY;
	if (!valid_prio)
		return -EBUSY;
	if (!(file->f_mode & FMODE_WRITE))
		return -EPERM;
	err = tell_check(tell);
	return err ? err : tell_add(video_drvdata(file), tell);
}

/* ---------------------------------------------------------------- queue */

static int queue_setup(struct vb2_queue *queue, unsigned int *buffers,
		       unsigned int *planes, unsigned int plane_size[],
		       struct device *alloc_devs[])
{
	u32 size = sizeof(struct nst_sim_meta);

	/* read() would make do with one, and have to be in time for each. */
	if (vb2_fileio_is_active(queue))
		*buffers = max(*buffers, 4u);
	return nst_sim_node_planes(planes, plane_size, size);
}

static int buf_prepare(struct vb2_buffer *vb)
{
	u32 size = sizeof(struct nst_sim_meta);

	if (!nst_sim_node_holds(vb, size))
		return -EINVAL;
	vb2_set_plane_payload(vb, 0, size);
	return 0;
}

static void buf_queue(struct vb2_buffer *vb)
{
	struct nst_sim *sim = vb2_get_drv_priv(vb->vb2_queue);

	spin_lock(&sim->camera.slock);
	list_add_tail(&nst_sim_to_buffer(vb)->node, &sim->metadata.free);
	spin_unlock(&sim->camera.slock);
}

static int start_streaming(struct vb2_queue *queue, unsigned int count)
{
	struct nst_sim *sim = vb2_get_drv_priv(queue);

	spin_lock(&sim->camera.slock);
	sim->metadata.streaming = true;
	spin_unlock(&sim->camera.slock);
	return 0;
}

static void stop_streaming(struct vb2_queue *queue)
{
	struct nst_sim *sim = vb2_get_drv_priv(queue);

	nst_sim_queue_stop(sim, &sim->metadata.streaming, &sim->metadata.free,
			   offsetof(struct nst_sim_shot, meta));
}

static const struct vb2_ops queue_ops = {
	.queue_setup = queue_setup,
	.buf_prepare = buf_prepare,
	.buf_queue = buf_queue,
	.start_streaming = start_streaming,
	.stop_streaming = stop_streaming,
#ifdef NST_VB2_WAIT
	.wait_prepare = vb2_ops_wait_prepare,
	.wait_finish = vb2_ops_wait_finish,
#endif
};

/* --------------------------------------------------------------- ioctls */

static int enum_fmt(struct file *file, void *fh, struct v4l2_fmtdesc *f)
{
	if (f->index)
		return -EINVAL;
	f->pixelformat = NST_SIM_META_FOURCC;
	strscpy(f->description, "nst frame record", sizeof(f->description));
	return 0;
}

/* There is one, so it is what any of the three calls gives. */
static int the_fmt(struct file *file, void *fh, struct v4l2_format *f)
{
	memset(&f->fmt.meta, 0, sizeof(f->fmt.meta));
	f->fmt.meta.dataformat = NST_SIM_META_FOURCC;
	f->fmt.meta.buffersize = sizeof(struct nst_sim_meta);
	return 0;
}

static const struct v4l2_ioctl_ops ioctl_ops = {
	.vidioc_querycap = nst_sim_node_querycap,
	.vidioc_enum_input = nst_sim_node_enum_input,
	.vidioc_g_input = nst_sim_node_get_index,
	.vidioc_s_input = nst_sim_node_set_index,
	.vidioc_enum_fmt_meta_cap = enum_fmt,
	.vidioc_g_fmt_meta_cap = the_fmt,
	.vidioc_try_fmt_meta_cap = the_fmt,
	.vidioc_s_fmt_meta_cap = the_fmt,
	.vidioc_reqbufs = vb2_ioctl_reqbufs,
	.vidioc_create_bufs = vb2_ioctl_create_bufs,
	.vidioc_prepare_buf = vb2_ioctl_prepare_buf,
	.vidioc_querybuf = vb2_ioctl_querybuf,
	.vidioc_qbuf = vb2_ioctl_qbuf,
	.vidioc_dqbuf = vb2_ioctl_dqbuf,
	.vidioc_expbuf = vb2_ioctl_expbuf,
	.vidioc_streamon = vb2_ioctl_streamon,
	.vidioc_streamoff = vb2_ioctl_streamoff,
	.vidioc_default = private_ioctl,
};

static const struct v4l2_file_operations file_ops = {
	.owner = THIS_MODULE,
	.open = v4l2_fh_open,
	.release = vb2_fop_release,
	.unlocked_ioctl = video_ioctl2,
#ifdef CONFIG_COMPAT
	/* Of the private one alone, which is the same for 32 bits. */
	.compat_ioctl32 = video_ioctl2,
#endif
	.read = vb2_fop_read,
	.mmap = vb2_fop_mmap,
	.poll = vb2_fop_poll,
};

/* ------------------------------------------------------------- lifetime */

int nst_sim_meta_init(struct nst_sim *sim)
{
	struct nst_sim_metadata *metadata = &sim->metadata;
	struct video_device *vdev = &metadata->vdev;
	struct vb2_queue *q = &metadata->queue;

	mutex_init(&metadata->lock);
	INIT_LIST_HEAD(&metadata->free);
	q->type = V4L2_BUF_TYPE_META_CAPTURE;
	q->io_modes = VB2_MMAP | VB2_DMABUF | VB2_READ;
	q->ops = &queue_ops;
	q->timestamp_flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC |
			     V4L2_BUF_FLAG_TSTAMP_SRC_SOE;
	vdev->fops = &file_ops;
	vdev->ioctl_ops = &ioctl_ops;
	vdev->device_caps = V4L2_CAP_META_CAPTURE | V4L2_CAP_READWRITE |
			    V4L2_CAP_STREAMING;
	return nst_sim_node_init(sim, vdev, q, &metadata->lock, " metadata");
}

int nst_sim_meta_register(struct nst_sim *sim)
{
	if (!sim->config.metadata)
		return 0;
	return video_register_device(&sim->metadata.vdev, VFL_TYPE_VIDEO, -1);
}

void nst_sim_meta_unregister(struct nst_sim *sim)
{
	vb2_video_unregister_device(&sim->metadata.vdev);
}
