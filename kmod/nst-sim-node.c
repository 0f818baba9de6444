// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-node.c - what the video nodes of a stack have in common
 *
 * Camera, records and scene are three nodes of one V4L2 device. They differ in
 * format and direction; names, lifetime and the one input are the same.
 */
#include <linux/string.h>
#include <media/v4l2-dev.h>
#include <media/videobuf2-vmalloc.h>

#include "nst-sim.h"

int nst_sim_node_init(struct nst_sim *sim, struct video_device *vdev,
		      struct vb2_queue *q, struct mutex *lock,
		      const char *role)
{
	q->drv_priv = sim;
	q->buf_struct_size = sizeof(struct nst_sim_buffer);
	q->mem_ops = &vb2_vmalloc_memops;
	q->lock = lock;
	q->dev = sim->dev;

	snprintf(vdev->name, sizeof(vdev->name), "nst-sim %s%s",
		 sim->config.name, role);
	vdev->v4l2_dev = &sim->camera.v4l2_dev;
	vdev->queue = q;
	vdev->lock = lock;
	vdev->release = video_device_release_empty;
	video_set_drvdata(vdev, sim);
	return vb2_queue_init(q);
}

int nst_sim_node_querycap(struct file *file, void *fh,
			  struct v4l2_capability *cap)
{
	struct nst_sim *sim = video_drvdata(file);

	strscpy(cap->driver, "nst-sim", sizeof(cap->driver));
	strscpy(cap->card, video_devdata(file)->name, sizeof(cap->card));
	snprintf(cap->bus_info, sizeof(cap->bus_info), "platform:nst-sim.%s",
		 sim->config.name);
	return 0;
}

int nst_sim_node_enum_input(struct file *file, void *fh,
			    struct v4l2_input *input)
{
	if (input->index)
		return -EINVAL;
	input->type = V4L2_INPUT_TYPE_CAMERA;
	strscpy(input->name, "Pixel array", sizeof(input->name));
	return 0;
}

int nst_sim_node_get_index(struct file *file, void *fh, unsigned int *index)
{
	*index = 0;
	return 0;
}

int nst_sim_node_set_index(struct file *file, void *fh, unsigned int index)
{
	return index ? -EINVAL : 0;
}

int nst_sim_node_planes(unsigned int *planes, unsigned int plane_size[],
			u32 size)
{
	if (*planes)
		return *planes != 1 || plane_size[0] < size ? -EINVAL : 0;
	*planes = 1;
	plane_size[0] = size;
	return 0;
}

bool nst_sim_node_holds(struct vb2_buffer *vb, u32 size)
{
	return vb2_plane_size(vb, 0) >= size && vb2_plane_vaddr(vb, 0);
}
