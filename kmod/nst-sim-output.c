// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-output.c - clean frames in the place of the scene
 *
 * A V4L2 output node. What a program writes is what the lens shows, one
 * frame a period: the values are shares of white, linear in light, and light,
 * exposure, gain, heat and noise apply to them as to the scene of our own. A
 * frame of another size is stretched to that of the capture node.
 *
 * A frame is taken at the end of each exposure. Where none waits the last one
 * stands still and is counted; where nobody streams there is the scene. The
 * buffer goes back as soon as its frame has been copied, so that a writer is
 * paced by the camera and is never waited for.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <media/v4l2-common.h>
#include <media/v4l2-dev.h>
#include <media/v4l2-event.h>
#include <media/v4l2-fh.h>
#include <media/v4l2-ioctl.h>

#include "nst-sim.h"

#define SIDE_MIN	16
#define PARM_UNITS	1000000
/* Black and white of limited range, ITU-R BT.601. */
#define LUMA_BLACK	16
#define LUMA_SPAN	219

/**
 * struct layout - how a format keeps its luma
 * @fourcc: V4L2_PIX_FMT_*
 * @step: bytes from pixel to pixel
 * @size_4: bytes of a pixel, all planes, in quarters
 * @bits: 8, or of a word, low byte first
 * @video: limited range unless full is asked for
 */
struct layout {
	u32 fourcc;
	u8 step;
	u8 size_4;
	u8 bits;
	bool video;
};

static const struct layout layouts[] = {
	{ V4L2_PIX_FMT_GREY, 1, 4, 8, false },
	{ V4L2_PIX_FMT_Y10, 2, 8, 10, false },
	{ V4L2_PIX_FMT_Y16, 2, 8, 16, false },
	{ V4L2_PIX_FMT_YUYV, 2, 8, 8, true },
	{ V4L2_PIX_FMT_NV12, 1, 6, 8, true },
};

static const struct layout *layout_of(u32 fourcc)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].fourcc == fourcc)
			return &layouts[i];
	return NULL;
}

/* -------------------------------------------------------------- showing */

void nst_sim_input_expose(struct nst_sim *sim, struct nst_sim_shot *shot)
{
	struct nst_sim_input *input = &sim->input;
	struct nst_sim_buffer *buffer = NULL;

	if (input->streaming)
		buffer = list_first_entry_or_null(&input->waiting,
						  struct nst_sim_buffer, node);
	if (buffer) {
		list_del(&buffer->node);
		input->shown = true;
		input->seq++;
		input->taken++;
	}
	shot->clean = buffer;
	shot->input = input->streaming && input->shown;
	shot->repeated = shot->input && !buffer;
	shot->input_seq = shot->input ? input->seq : 0;
	if (shot->repeated)
		input->underruns++;
}

static u16 grey_level(u8 v, bool limited)
{
	s32 luma = (s32)v - LUMA_BLACK;

	if (!limited)
		return (u16)(v * 257);
	return (u16)(clamp(luma, 0, LUMA_SPAN) * 65535 / LUMA_SPAN);
}

/* Words of @bits; what is above them is full scale. */
static u16 word_level(u16 v, unsigned int bits)
{
	u32 max = (1u << bits) - 1;

	return (u16)(min_t(u32, v, max) * 65535 / max);
}

void nst_sim_input_show(struct nst_sim *sim, struct nst_sim_shot *shot)
{
	const struct v4l2_pix_format *format = &sim->input.format;
	const struct layout *layout = layout_of(format->pixelformat);
	struct vb2_buffer *vb = &shot->clean->vb.vb2_buf;
	bool limited = layout->video &&
		       format->quantization != V4L2_QUANTIZATION_FULL_RANGE;
	const u8 *row = vb2_plane_vaddr(vb, 0), *from;
	u16 *to = sim->input.plane;
	u32 x, y;

	for (y = 0; y < format->height; y++, row += format->bytesperline) {
		from = row;
		if (layout->bits == 8)
			for (x = 0; x < format->width; x++,
			     from += layout->step)
				*to++ = grey_level(*from, limited);
		else
			for (x = 0; x < format->width; x++, from += 2)
				*to++ = word_level((u16)(from[0] |
							 from[1] << 8),
						   layout->bits);
		nst_sim_render_pause();
	}
	shot->clean->vb.sequence = (u32)shot->seq;
	shot->clean->vb.field = V4L2_FIELD_NONE;
	vb->timestamp = shot->start_us * NSEC_PER_USEC;
	vb2_buffer_done(vb, VB2_BUF_STATE_DONE);
	shot->clean = NULL;
}

void nst_sim_input_clean(struct nst_sim *sim, struct nst_sim_clean *ret)
{
	ret->level = sim->input.plane;
	ret->width = sim->input.format.width;
	ret->height = sim->input.format.height;
}

/* ---------------------------------------------------------------- queue */

static int queue_setup(struct vb2_queue *queue, unsigned int *buffers,
		       unsigned int *planes, unsigned int plane_size[],
		       struct device *alloc_devs[])
{
	struct nst_sim *sim = vb2_get_drv_priv(queue);
	u32 size = sim->input.format.sizeimage;

	/* write() would make do with one, and have to be in time for each. */
	if (vb2_fileio_is_active(queue))
		*buffers = max(*buffers, 3u);
	return nst_sim_node_planes(planes, plane_size, size);
}

static int buf_out_validate(struct vb2_buffer *vb)
{
	to_vb2_v4l2_buffer(vb)->field = V4L2_FIELD_NONE;
	return 0;
}

/* Half a frame is none. What write() brings has been looked at there. */
static int buf_prepare(struct vb2_buffer *vb)
{
	struct nst_sim *sim = vb2_get_drv_priv(vb->vb2_queue);
	u32 size = sim->input.format.sizeimage;

	if (!nst_sim_node_holds(vb, size))
		return -EINVAL;
	if (vb2_fileio_is_active(vb->vb2_queue))
		vb2_set_plane_payload(vb, 0, size);
	return vb2_get_plane_payload(vb, 0) == size ? 0 : -EINVAL;
}

static void buf_queue(struct vb2_buffer *vb)
{
	struct nst_sim *sim = vb2_get_drv_priv(vb->vb2_queue);

	spin_lock(&sim->camera.slock);
	list_add_tail(&nst_sim_to_buffer(vb)->node, &sim->input.waiting);
	spin_unlock(&sim->camera.slock);
}

static int start_streaming(struct vb2_queue *queue, unsigned int count)
{
	struct nst_sim *sim = vb2_get_drv_priv(queue);
	struct nst_sim_input *input = &sim->input;
	struct nst_sim_buffer *buffer, *next;
	LIST_HEAD(unused);

	input->plane = kvmalloc_array(input->format.width *
				      input->format.height,
				      sizeof(*input->plane), GFP_KERNEL);
	spin_lock(&sim->camera.slock);
	if (input->plane) {
		input->shown = false;
		input->seq = 0;
		input->streaming = true;
	} else {
		list_splice_init(&input->waiting, &unused);
	}
	spin_unlock(&sim->camera.slock);
	list_for_each_entry_safe(buffer, next, &unused, node) {
		list_del(&buffer->node);
		vb2_buffer_done(&buffer->vb.vb2_buf, VB2_BUF_STATE_QUEUED);
	}
	return input->plane ? 0 : -ENOMEM;
}

static void stop_streaming(struct vb2_queue *queue)
{
	struct nst_sim *sim = vb2_get_drv_priv(queue);

	nst_sim_queue_stop(sim, &sim->input.streaming, &sim->input.waiting,
			   offsetof(struct nst_sim_shot, clean));
	kvfree(sim->input.plane);
	sim->input.plane = NULL;
}

static const struct vb2_ops queue_ops = {
	.queue_setup = queue_setup,
	.buf_out_validate = buf_out_validate,
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

/* The nearest that there is. */
static void fit_format(struct v4l2_pix_format *pix)
{
	const struct layout *layout = layout_of(pix->pixelformat);
	u32 quantization = pix->quantization;
	u32 width = clamp_t(u32, pix->width, SIDE_MIN, NST_SIM_WIDTH_MAX) & ~1u;
	u32 height = clamp_t(u32, pix->height, SIDE_MIN,
			     NST_SIM_HEIGHT_MAX) & ~1u;

	if (!layout)
		layout = &layouts[0];
	memset(pix, 0, sizeof(*pix));
	pix->width = width;
	pix->height = height;
	pix->pixelformat = layout->fourcc;
	pix->field = V4L2_FIELD_NONE;
	pix->bytesperline = width * layout->step;
	pix->sizeimage = width * height * layout->size_4 / 4;
	pix->colorspace = layout->video ? V4L2_COLORSPACE_SMPTE170M :
					  V4L2_COLORSPACE_RAW;
	pix->xfer_func = V4L2_XFER_FUNC_NONE;
	pix->ycbcr_enc = V4L2_YCBCR_ENC_601;
	pix->quantization = !layout->video ? V4L2_QUANTIZATION_FULL_RANGE :
			    quantization == V4L2_QUANTIZATION_FULL_RANGE ?
			    V4L2_QUANTIZATION_FULL_RANGE :
			    V4L2_QUANTIZATION_LIM_RANGE;
}

static int enum_fmt(struct file *file, void *fh, struct v4l2_fmtdesc *f)
{
	if (f->index >= ARRAY_SIZE(layouts))
		return -EINVAL;
	f->pixelformat = layouts[f->index].fourcc;
	return 0;
}

static int enum_framesizes(struct file *file, void *fh,
			   struct v4l2_frmsizeenum *f)
{
	if (f->index || !layout_of(f->pixel_format))
		return -EINVAL;
	f->type = V4L2_FRMSIZE_TYPE_STEPWISE;
	f->stepwise.min_width = SIDE_MIN;
	f->stepwise.max_width = NST_SIM_WIDTH_MAX;
	f->stepwise.step_width = 2;
	f->stepwise.min_height = SIDE_MIN;
	f->stepwise.max_height = NST_SIM_HEIGHT_MAX;
	f->stepwise.step_height = 2;
	return 0;
}

static int g_fmt(struct file *file, void *fh, struct v4l2_format *f)
{
	struct nst_sim *sim = video_drvdata(file);

	f->fmt.pix = sim->input.format;
	return 0;
}

static int try_fmt(struct file *file, void *fh, struct v4l2_format *f)
{
	fit_format(&f->fmt.pix);
	return 0;
}

static int s_fmt(struct file *file, void *fh, struct v4l2_format *f)
{
	struct nst_sim *sim = video_drvdata(file);

	if (vb2_is_busy(&sim->input.queue))
		return -EBUSY;
	fit_format(&f->fmt.pix);
	sim->input.format = f->fmt.pix;
	return 0;
}

/* The camera's own: a writer cannot make it faster or slower. */
static int g_parm(struct file *file, void *fh, struct v4l2_streamparm *parm)
{
	struct nst_sim *sim = video_drvdata(file);

	if (parm->type != V4L2_BUF_TYPE_VIDEO_OUTPUT)
		return -EINVAL;
	memset(&parm->parm, 0, sizeof(parm->parm));
	parm->parm.output.capability = V4L2_CAP_TIMEPERFRAME;
	mutex_lock(&sim->lock);
	parm->parm.output.timeperframe.numerator = sim->period_us;
	mutex_unlock(&sim->lock);
	parm->parm.output.timeperframe.denominator = PARM_UNITS;
	parm->parm.output.writebuffers = 2;
	return 0;
}

static int enum_output(struct file *file, void *fh, struct v4l2_output *output)
{
	if (output->index)
		return -EINVAL;
	output->type = V4L2_OUTPUT_TYPE_ANALOG;
	strscpy(output->name, "Scene", sizeof(output->name));
	return 0;
}

static const struct v4l2_ioctl_ops ioctl_ops = {
	.vidioc_querycap = nst_sim_node_querycap,
	.vidioc_enum_fmt_vid_out = enum_fmt,
	.vidioc_enum_framesizes = enum_framesizes,
	.vidioc_g_fmt_vid_out = g_fmt,
	.vidioc_try_fmt_vid_out = try_fmt,
	.vidioc_s_fmt_vid_out = s_fmt,
	.vidioc_g_parm = g_parm,
	.vidioc_enum_output = enum_output,
	.vidioc_g_output = nst_sim_node_get_index,
	.vidioc_s_output = nst_sim_node_set_index,
	.vidioc_reqbufs = vb2_ioctl_reqbufs,
	.vidioc_create_bufs = vb2_ioctl_create_bufs,
	.vidioc_prepare_buf = vb2_ioctl_prepare_buf,
	.vidioc_querybuf = vb2_ioctl_querybuf,
	.vidioc_qbuf = vb2_ioctl_qbuf,
	.vidioc_dqbuf = vb2_ioctl_dqbuf,
	.vidioc_expbuf = vb2_ioctl_expbuf,
	.vidioc_streamon = vb2_ioctl_streamon,
	.vidioc_streamoff = vb2_ioctl_streamoff,
};

/*
 * A call is a frame. videobuf2 would take any number of bytes and cut frames
 * where they end by count, so a writer of the wrong size would get a picture
 * that rolls; it gets an error instead.
 */
static ssize_t write_frame(struct file *file, const char __user *from,
			   size_t len, loff_t *pos)
{
	struct nst_sim *sim = video_drvdata(file);
	struct vb2_queue *queue = &sim->input.queue;
	u32 size, width, height;
	bool mapped;
	ssize_t ret;

	mutex_lock(&sim->input.lock);
	mapped = vb2_is_busy(queue) && !vb2_fileio_is_active(queue);
	size = sim->input.format.sizeimage;
	width = sim->input.format.width;
	height = sim->input.format.height;
	mutex_unlock(&sim->input.lock);
	if (mapped)
		return -EBUSY;
	if (len != size) {
		dev_err_ratelimited(sim->dev,
				    "a frame of %ux%u has %u bytes, not %zu\n",
				    width, height, size, len);
		return -EINVAL;
	}
	ret = vb2_fop_write(file, from, len, pos);
	/* Who waits while the stack goes is told that it streams no more. */
	if (ret < 0 && !video_is_registered(video_devdata(file)))
		return -ENODEV;
	return ret;
}

static const struct v4l2_file_operations file_ops = {
	.owner = THIS_MODULE,
	.open = v4l2_fh_open,
	.release = vb2_fop_release,
	.unlocked_ioctl = video_ioctl2,
	.write = write_frame,
	.mmap = vb2_fop_mmap,
	.poll = vb2_fop_poll,
};

/* ------------------------------------------------------------- lifetime */

int nst_sim_input_init(struct nst_sim *sim)
{
	struct nst_sim_input *input = &sim->input;
	struct video_device *vdev = &input->vdev;
	struct vb2_queue *q = &input->queue;

	mutex_init(&input->lock);
	INIT_LIST_HEAD(&input->waiting);
	input->format.width = sim->config.width;
	input->format.height = sim->config.height;
	fit_format(&input->format);
	q->type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
	q->io_modes = VB2_MMAP | VB2_DMABUF | VB2_WRITE;
	q->ops = &queue_ops;
	q->timestamp_flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
	/* Whole frames, each on its way as soon as it is written. */
	q->fileio_write_immediately = true;

	vdev->vfl_dir = VFL_DIR_TX;
	vdev->fops = &file_ops;
	vdev->ioctl_ops = &ioctl_ops;
	vdev->device_caps = V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_READWRITE |
			    V4L2_CAP_STREAMING | V4L2_CAP_EXT_PIX_FORMAT;
	return nst_sim_node_init(sim, vdev, q, &input->lock, " scene");
}

int nst_sim_input_register(struct nst_sim *sim)
{
	if (!sim->config.scene_input)
		return 0;
	return video_register_device(&sim->input.vdev, VFL_TYPE_VIDEO, -1);
}

void nst_sim_input_unregister(struct nst_sim *sim)
{
	vb2_video_unregister_device(&sim->input.vdev);
}
