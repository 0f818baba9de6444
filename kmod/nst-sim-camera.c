// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-camera.c - the V4L2 capture device of an emulated stack
 *
 * The camera runs whether anybody looks or not; a frame is delivered when
 * its period ends, to the oldest buffer that waits (nst-sim-shots.c).
 * v4l2_buffer.sequence is the number of the frame on the device's clock, and
 * the timestamp its start.
 *
 * A smaller format is the corner of the array at the origin, with a lens
 * that shows the same scene: pixels keep their fixed pattern, objects scale
 * with the width.
 */
#include <linux/math.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <media/v4l2-common.h>
#include <media/v4l2-dev.h>
#include <media/v4l2-event.h>
#include <media/v4l2-fh.h>
#include <media/v4l2-ioctl.h>

#include "nst-sim.h"

#define EXPOSURE_UNIT_US	100
#define EXPOSURE_DEFAULT	320
#define ISO_DEFAULT		400
#define LIGHT_DEFAULT_MLX	320000
#define LIGHT_MAX_MLX		2000000000
#define PARM_UNITS		1000000

static const struct {
	u32 width, height;
} sizes[] = {
	{ 640, 480 }, { 800, 600 }, { 1280, 720 }, { 1920, 1080 },
};

static const u32 pixel_formats[] = { V4L2_PIX_FMT_GREY, V4L2_PIX_FMT_Y10 };

static struct nst_sim *camera_sim(struct nst_sim_camera *camera)
{
	return container_of(camera, struct nst_sim, camera);
}

static struct nst_sim_camera *queue_camera(struct vb2_queue *queue)
{
	return container_of(queue, struct nst_sim_camera, queue);
}

/* ---------------------------------------------------------------- queue */

static int queue_setup(struct vb2_queue *queue, unsigned int *buffers,
		       unsigned int *planes, unsigned int plane_size[],
		       struct device *alloc_devs[])
{
	u32 size = queue_camera(queue)->format.sizeimage;

	return nst_sim_node_planes(planes, plane_size, size);
}

static int buf_prepare(struct vb2_buffer *vb)
{
	u32 size = queue_camera(vb->vb2_queue)->format.sizeimage;

	if (!nst_sim_node_holds(vb, size))
		return -EINVAL;
	vb2_set_plane_payload(vb, 0, size);
	return 0;
}

static void buf_queue(struct vb2_buffer *vb)
{
	struct nst_sim_camera *camera = queue_camera(vb->vb2_queue);
	bool streaming;

	spin_lock(&camera->slock);
	list_add_tail(&nst_sim_to_buffer(vb)->node, &camera->free);
	streaming = camera->streaming;
	spin_unlock(&camera->slock);
	/* A returned frame moves the step clock; the first ones do not. */
	if (streaming)
		nst_sim_step_frame(camera_sim(camera));
}

static void return_unused(struct nst_sim_camera *camera)
{
	struct nst_sim_buffer *buffer, *next;
	LIST_HEAD(list);

	spin_lock(&camera->slock);
	list_splice_init(&camera->free, &list);
	spin_unlock(&camera->slock);
	list_for_each_entry_safe(buffer, next, &list, node) {
		list_del(&buffer->node);
		vb2_buffer_done(&buffer->vb.vb2_buf, VB2_BUF_STATE_QUEUED);
	}
}

static int start_streaming(struct vb2_queue *queue, unsigned int count)
{
	struct nst_sim_camera *camera = queue_camera(queue);
	struct nst_sim *sim = camera_sim(camera);
	int err;

	err = nst_sim_studio_get(sim);
	if (err) {
		return_unused(camera);
		return err;
	}
	nst_sim_owner_use(sim, true);
	spin_lock(&camera->slock);
	camera->streaming = true;
	spin_unlock(&camera->slock);
	nst_sim_step_frame(sim);
	return 0;
}

static void stop_streaming(struct vb2_queue *queue)
{
	struct nst_sim_camera *camera = queue_camera(queue);
	struct nst_sim *sim = camera_sim(camera);

	/* Every returned buffer gets its frame: two runs are the same. */
	nst_sim_step_settle(sim);
	nst_sim_queue_stop(sim, &camera->streaming, &camera->free,
			   offsetof(struct nst_sim_shot, video));
	nst_sim_owner_use(sim, false);
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

/* --------------------------------------------------------------- format */

static bool size_fits(const struct nst_sim *sim, unsigned int i)
{
	return sizes[i].width <= sim->config.width &&
	       sizes[i].height <= sim->config.height;
}

/*
 * The sizes of the table that the array can show, then that of the array
 * where it is none of them.
 */
static int size_of(const struct nst_sim *sim, u32 index, u32 *ret_width,
		   u32 *ret_height)
{
	bool listed = false;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (!size_fits(sim, i))
			continue;
		listed = listed || (sizes[i].width == sim->config.width &&
				    sizes[i].height == sim->config.height);
		if (index--)
			continue;
		*ret_width = sizes[i].width;
		*ret_height = sizes[i].height;
		return 0;
	}
	if (listed || index)
		return -EINVAL;
	*ret_width = sim->config.width;
	*ret_height = sim->config.height;
	return 0;
}

static bool pixel_format_known(u32 fourcc)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pixel_formats); i++)
		if (pixel_formats[i] == fourcc)
			return true;
	return false;
}

/* The nearest that there is. */
static void fit_format(const struct nst_sim *sim, struct v4l2_pix_format *pix)
{
	u32 fourcc = pix->pixelformat, best_w = 0, best_h = 0, w, h, i;
	u64 best = U64_MAX;

	if (!pixel_format_known(fourcc))
		fourcc = pixel_formats[0];
	for (i = 0; !size_of(sim, i, &w, &h); i++) {
		u64 distance = abs((s64)w - pix->width) +
			       abs((s64)h - pix->height);

		if (distance >= best)
			continue;
		best = distance;
		best_w = w;
		best_h = h;
	}
	memset(pix, 0, sizeof(*pix));
	pix->width = best_w;
	pix->height = best_h;
	pix->pixelformat = fourcc;
	pix->field = V4L2_FIELD_NONE;
	pix->bytesperline = best_w * (fourcc == V4L2_PIX_FMT_Y10 ? 2 : 1);
	pix->sizeimage = pix->bytesperline * best_h;
	pix->colorspace = V4L2_COLORSPACE_RAW;
	pix->xfer_func = V4L2_XFER_FUNC_NONE;
	pix->quantization = V4L2_QUANTIZATION_FULL_RANGE;
	pix->ycbcr_enc = V4L2_YCBCR_ENC_601;
}

/* --------------------------------------------------------------- ioctls */

static int enum_fmt(struct file *file, void *fh, struct v4l2_fmtdesc *f)
{
	if (f->index >= ARRAY_SIZE(pixel_formats))
		return -EINVAL;
	f->pixelformat = pixel_formats[f->index];
	return 0;
}

static int g_fmt(struct file *file, void *fh, struct v4l2_format *f)
{
	struct nst_sim *sim = video_drvdata(file);

	f->fmt.pix = sim->camera.format;
	return 0;
}

static int try_fmt(struct file *file, void *fh, struct v4l2_format *f)
{
	fit_format(video_drvdata(file), &f->fmt.pix);
	return 0;
}

static int s_fmt(struct file *file, void *fh, struct v4l2_format *f)
{
	struct nst_sim *sim = video_drvdata(file);

	if (vb2_is_busy(&sim->camera.queue) || nst_sim_vpu_active(sim))
		return -EBUSY;
	fit_format(sim, &f->fmt.pix);
	/* Exposures that go to metadata alone read the size. */
	spin_lock(&sim->camera.slock);
	sim->camera.format = f->fmt.pix;
	spin_unlock(&sim->camera.slock);
	return 0;
}

static int enum_framesizes(struct file *file, void *fh,
			   struct v4l2_frmsizeenum *f)
{
	if (!pixel_format_known(f->pixel_format))
		return -EINVAL;
	f->type = V4L2_FRMSIZE_TYPE_DISCRETE;
	return size_of(video_drvdata(file), f->index, &f->discrete.width,
		       &f->discrete.height);
}

static int enum_frameintervals(struct file *file, void *fh,
			       struct v4l2_frmivalenum *f)
{
	const struct nst_sim *sim = video_drvdata(file);
	u32 i, w, h;

	if (f->index || !pixel_format_known(f->pixel_format))
		return -EINVAL;
	for (i = 0; !size_of(sim, i, &w, &h); i++) {
		if (w != f->width || h != f->height)
			continue;
		f->type = V4L2_FRMIVAL_TYPE_CONTINUOUS;
		f->stepwise.min.numerator = NST_FRAME_PERIOD_MIN_US;
		f->stepwise.min.denominator = PARM_UNITS;
		f->stepwise.max.numerator = NST_FRAME_PERIOD_MAX_US;
		f->stepwise.max.denominator = PARM_UNITS;
		f->stepwise.step.numerator = 1;
		f->stepwise.step.denominator = 1;
		return 0;
	}
	return -EINVAL;
}

static void fill_parm(struct v4l2_streamparm *parm, u32 period_us)
{
	memset(&parm->parm, 0, sizeof(parm->parm));
	parm->parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
	parm->parm.capture.timeperframe.numerator = period_us;
	parm->parm.capture.timeperframe.denominator = PARM_UNITS;
	parm->parm.capture.readbuffers = 1;
}

static int g_parm(struct file *file, void *fh, struct v4l2_streamparm *parm)
{
	struct nst_sim *sim = video_drvdata(file);

	if (parm->type != V4L2_BUF_TYPE_VIDEO_CAPTURE)
		return -EINVAL;
	mutex_lock(&sim->lock);
	fill_parm(parm, sim->wanted_period_us);
	mutex_unlock(&sim->lock);
	return 0;
}

/* The shortest period; a longer exposure stretches it. */
static int s_parm(struct file *file, void *fh, struct v4l2_streamparm *parm)
{
	struct nst_sim *sim = video_drvdata(file);
	const struct v4l2_fract *t = &parm->parm.capture.timeperframe;
	u64 period_us = sim->config.frame_period_us;

	if (parm->type != V4L2_BUF_TYPE_VIDEO_CAPTURE)
		return -EINVAL;
	if (t->numerator && t->denominator)
		period_us = div_u64((u64)t->numerator * PARM_UNITS,
				    t->denominator);
	period_us = clamp_t(u64, period_us, NST_FRAME_PERIOD_MIN_US,
			    NST_FRAME_PERIOD_MAX_US);
	mutex_lock(&sim->lock);
	sim->wanted_period_us = (u32)period_us;
	mutex_unlock(&sim->lock);
	fill_parm(parm, (u32)period_us);
	return 0;
}

static const struct v4l2_ioctl_ops ioctl_ops = {
	.vidioc_querycap = nst_sim_node_querycap,
	.vidioc_enum_fmt_vid_cap = enum_fmt,
	.vidioc_g_fmt_vid_cap = g_fmt,
	.vidioc_try_fmt_vid_cap = try_fmt,
	.vidioc_s_fmt_vid_cap = s_fmt,
	.vidioc_enum_framesizes = enum_framesizes,
	.vidioc_enum_frameintervals = enum_frameintervals,
	.vidioc_g_parm = g_parm,
	.vidioc_s_parm = s_parm,
	.vidioc_enum_input = nst_sim_node_enum_input,
	.vidioc_g_input = nst_sim_node_get_index,
	.vidioc_s_input = nst_sim_node_set_index,
	.vidioc_reqbufs = vb2_ioctl_reqbufs,
	.vidioc_create_bufs = vb2_ioctl_create_bufs,
	.vidioc_prepare_buf = vb2_ioctl_prepare_buf,
	.vidioc_querybuf = vb2_ioctl_querybuf,
	.vidioc_qbuf = vb2_ioctl_qbuf,
	.vidioc_dqbuf = vb2_ioctl_dqbuf,
	.vidioc_expbuf = vb2_ioctl_expbuf,
	.vidioc_streamon = vb2_ioctl_streamon,
	.vidioc_streamoff = vb2_ioctl_streamoff,
	.vidioc_log_status = v4l2_ctrl_log_status,
	.vidioc_subscribe_event = v4l2_ctrl_subscribe_event,
	.vidioc_unsubscribe_event = v4l2_event_unsubscribe,
};

static const struct v4l2_file_operations file_ops = {
	.owner = THIS_MODULE,
	.open = v4l2_fh_open,
	.release = vb2_fop_release,
	.unlocked_ioctl = video_ioctl2,
	.read = vb2_fop_read,
	.mmap = vb2_fop_mmap,
	.poll = vb2_fop_poll,
};

/* ------------------------------------------------------------- controls */

static int s_ctrl(struct v4l2_ctrl *ctrl)
{
	struct nst_sim_camera *camera =
		container_of(ctrl->handler, struct nst_sim_camera, ctrls);
	struct nst_sim *sim = camera_sim(camera);
	struct nst_sim_setting *wanted = &sim->wanted;
	int err = 0;

	mutex_lock(&sim->lock);
	switch (ctrl->id) {
	case V4L2_CID_EXPOSURE_ABSOLUTE:
		wanted->exposure_us = (u32)ctrl->val * EXPOSURE_UNIT_US;
		break;
	case V4L2_CID_ANALOGUE_GAIN:
		wanted->iso = (u32)ctrl->val;
		break;
	case V4L2_CID_TEST_PATTERN:
		wanted->pattern = (u8)ctrl->val;
		break;
	case NST_SIM_CID_LIGHT:
		wanted->light_mlx = (u32)ctrl->val;
		break;
	case NST_SIM_CID_AUTO_IRIS:
		wanted->auto_iris = ctrl->val;
		break;
	default:
		err = -EINVAL;
	}
	mutex_unlock(&sim->lock);
	return err;
}

static const struct v4l2_ctrl_ops ctrl_ops = {
	.s_ctrl = s_ctrl,
};

static const char * const pattern_names[NST_SIM_PATTERN_COUNT] = {
	[NST_SIM_PATTERN_SCENE] = "Scene",
	[NST_SIM_PATTERN_DARK] = "Lens Cap",
	[NST_SIM_PATTERN_FLAT] = "Flat Field",
};

static const struct v4l2_ctrl_config ctrl_light = {
	.ops = &ctrl_ops,
	.id = NST_SIM_CID_LIGHT,
	.name = "Illuminance (mlx)",
	.type = V4L2_CTRL_TYPE_INTEGER,
	.min = 0,
	.max = LIGHT_MAX_MLX,
	.step = 1,
	.def = LIGHT_DEFAULT_MLX,
};

static const struct v4l2_ctrl_config ctrl_auto_iris = {
	.ops = &ctrl_ops,
	.id = NST_SIM_CID_AUTO_IRIS,
	.name = "Iris, Automatic",
	.type = V4L2_CTRL_TYPE_BOOLEAN,
	.max = 1,
	.step = 1,
	.def = 1,
};

/* For programs that measure: they need not know that it is this camera. */
static const struct v4l2_ctrl_config ctrl_dark_rows = {
	.id = NST_SIM_CID_DARK_ROWS,
	.name = "Optical Dark Rows",
	.type = V4L2_CTRL_TYPE_INTEGER,
	.flags = V4L2_CTRL_FLAG_READ_ONLY,
	.min = NST_SIM_DARK_ROWS,
	.max = NST_SIM_DARK_ROWS,
	.step = 1,
	.def = NST_SIM_DARK_ROWS,
};

static int controls_init(struct nst_sim_camera *camera)
{
	struct v4l2_ctrl_handler *h = &camera->ctrls;

	v4l2_ctrl_handler_init(h, 6);
	camera->exposure =
		v4l2_ctrl_new_std(h, &ctrl_ops, V4L2_CID_EXPOSURE_ABSOLUTE, 1,
				  NST_SIM_EXPOSURE_MAX_US / EXPOSURE_UNIT_US,
				  1, EXPOSURE_DEFAULT);
	v4l2_ctrl_new_std(h, &ctrl_ops, V4L2_CID_ANALOGUE_GAIN,
			  NST_SIM_ISO_MIN, NST_SIM_ISO_MAX, 1, ISO_DEFAULT);
	v4l2_ctrl_new_std_menu_items(h, &ctrl_ops, V4L2_CID_TEST_PATTERN,
				     NST_SIM_PATTERN_COUNT - 1, 0,
				     NST_SIM_PATTERN_SCENE, pattern_names);
	v4l2_ctrl_new_custom(h, &ctrl_light, NULL);
	v4l2_ctrl_new_custom(h, &ctrl_auto_iris, NULL);
	v4l2_ctrl_new_custom(h, &ctrl_dark_rows, NULL);
	if (h->error)
		return h->error;
	/* Carries the defaults into sim->wanted. */
	return v4l2_ctrl_handler_setup(h);
}

int nst_sim_camera_set_exposure(struct nst_sim *sim, u32 exposure_us)
{
	u32 units = DIV_ROUND_CLOSEST(exposure_us, EXPOSURE_UNIT_US);

	if (!units || exposure_us > NST_SIM_EXPOSURE_MAX_US)
		return -ERANGE;
	return v4l2_ctrl_s_ctrl(sim->camera.exposure, (s32)units);
}

/* ------------------------------------------------------------- lifetime */

/*
 * The last reference to the V4L2 device: that of the driver, or that of the
 * last open file when the device has gone before.
 */
static void camera_release(struct v4l2_device *v4l2_dev)
{
	struct nst_sim_camera *camera =
		container_of(v4l2_dev, struct nst_sim_camera, v4l2_dev);

	nst_sim_shots_free(camera_sim(camera));
	v4l2_ctrl_handler_free(&camera->ctrls);
	v4l2_device_unregister(v4l2_dev);
	nst_sim_vpu_free(camera_sim(camera));
	kfree(camera_sim(camera));
}

/*
 * Everything but the node. @sim becomes owned by the V4L2 device: on failure
 * nothing is left but @sim itself, on success v4l2_device_put() frees it.
 */
int nst_sim_camera_init(struct nst_sim *sim)
{
	struct nst_sim_camera *camera = &sim->camera;
	struct video_device *vdev = &camera->vdev;
	struct vb2_queue *q = &camera->queue;
	int err;

	mutex_init(&camera->lock);
	spin_lock_init(&camera->slock);
	INIT_LIST_HEAD(&camera->free);
	err = nst_sim_shots_init(sim);
	if (err)
		return err;
	err = nst_sim_meta_init(sim);
	if (!err)
		err = nst_sim_input_init(sim);
	if (!err)
		err = nst_sim_vpu_init(sim);
	if (err)
		goto err_free_vpu;
	camera->format.width = sim->config.width;
	camera->format.height = sim->config.height;
	fit_format(sim, &camera->format);

	snprintf(camera->v4l2_dev.name, sizeof(camera->v4l2_dev.name),
		 "nst-sim %s", sim->config.name);
	err = v4l2_device_register(sim->dev, &camera->v4l2_dev);
	if (err)
		goto err_free_vpu;
	err = controls_init(camera);
	if (err)
		goto err_free_ctrls;
	q->type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	q->io_modes = VB2_MMAP | VB2_DMABUF | VB2_READ;
	q->ops = &queue_ops;
	q->timestamp_flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC |
			     V4L2_BUF_FLAG_TSTAMP_SRC_SOE;
	vdev->ctrl_handler = &camera->ctrls;
	vdev->fops = &file_ops;
	vdev->ioctl_ops = &ioctl_ops;
	vdev->device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_READWRITE |
			    V4L2_CAP_STREAMING | V4L2_CAP_EXT_PIX_FORMAT;
	err = nst_sim_node_init(sim, vdev, q, &camera->lock, "");
	if (err)
		goto err_free_ctrls;
	camera->v4l2_dev.release = camera_release;
	return 0;

err_free_ctrls:
	v4l2_ctrl_handler_free(&camera->ctrls);
	v4l2_device_unregister(&camera->v4l2_dev);
err_free_vpu:
	nst_sim_vpu_free(sim);
	nst_sim_shots_free(sim);
	return err;
}

int nst_sim_camera_register(struct nst_sim *sim)
{
	return video_register_device(&sim->camera.vdev, VFL_TYPE_VIDEO, -1);
}

/*
 * The node goes, open files get -ENODEV. Streaming has stopped and no shot is
 * in the making when it returns.
 */
void nst_sim_camera_unregister(struct nst_sim *sim)
{
	vb2_video_unregister_device(&sim->camera.vdev);
}
