// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-shots.c - exposures on their way to those who wait for them
 *
 *	worker	expose: the period has ended; what was exposed, for whom
 *		deliver: the boundary is dealt with; what the VPU does with it
 *	work	temperatures, pixels, the VPU's task, the record, the buffers
 *
 * A frame is made into a picture only by the work item, in order and out of
 * the worker's way: the shot carries the history of the plant over its
 * exposure. There are more shots than buffers, so that nobody waits for one
 * but on a host that has fallen behind by dozens of frames; then device time
 * waits with the worker.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "nst-sim.h"
#include "uapi/nst.h"

static_assert(NST_SIM_SHOTS > VB2_MAX_FRAME);

/* What a picture of one size is made with. */
struct nst_sim_studio {
	struct nst_sim_render render;
};

/* What the temperatures of a frame are made with, and its record. */
struct nst_sim_heat {
	struct nst_sim_grid grid;
	struct nst_plant plant;
	s32 dark_q6[NST_SIM_HEIGHT_MAX];
	struct nst_sim_meta meta;
};

/* --------------------------------------------------------------- studio */

static void studio_free(struct nst_sim_studio *studio)
{
	struct nst_sim_render *r;

	if (!studio)
		return;
	r = &studio->render;
	kvfree(r->background);
	kvfree(r->prnu);
	kvfree(r->dsnu);
	kvfree(r->base_q6);
	kvfree(r->hot);
	kvfree(studio);
}

static struct nst_sim_studio *studio_new(struct nst_sim *sim, u32 width,
					 u32 height)
{
	const struct nst_sim_config *c = &sim->config;
	u32 pixels = width * height;
	struct nst_sim_studio *studio;
	struct nst_sim_render *r;
	s32 *scratch;
	u32 hots;

	studio = kvzalloc(sizeof(*studio), GFP_KERNEL);
	scratch = kvmalloc_array(width, sizeof(*scratch), GFP_KERNEL);
	if (!studio || !scratch)
		goto err_free;
	r = &studio->render;
	hots = nst_sim_hot_count(&c->sensor, width, height);
	r->pool = nst_sim_shared_pool();
	r->sensor = c->sensor;
	r->width = width;
	r->height = height;
	r->seed = c->seed;
	r->noiseless = !c->noise;
	r->background = kvmalloc(pixels, GFP_KERNEL);
	r->prnu = kvmalloc(pixels, GFP_KERNEL);
	r->dsnu = kvmalloc(pixels, GFP_KERNEL);
	r->base_q6 = kvmalloc_array(pixels, sizeof(*r->base_q6), GFP_KERNEL);
	r->hot = kvmalloc_array(max(hots, 1u), sizeof(*r->hot), GFP_KERNEL);
	if (!r->background || !r->prnu || !r->dsnu || !r->base_q6 || !r->hot)
		goto err_free;

	nst_sim_scene_init(&r->scene, &c->scene, c->seed, width, height);
	nst_sim_scene_background(&r->scene, r->background, scratch);
	nst_sim_render_init(r);
	kvfree(scratch);
	return studio;

err_free:
	kvfree(scratch);
	studio_free(studio);
	return NULL;
}

/*
 * Kept while the size stays. No picture is in the making when it changes:
 * neither the capture node streams then, nor has the VPU's task a frame.
 */
int nst_sim_studio_get(struct nst_sim *sim)
{
	struct nst_sim_camera *camera = &sim->camera;
	struct nst_sim_studio *studio = camera->studio;
	u32 width = camera->format.width, height = camera->format.height;

	if (studio && studio->render.width == width &&
	    studio->render.height == height)
		return 0;
	flush_work(&camera->work);
	studio_free(studio);
	camera->studio = studio_new(sim, width, height);
	return camera->studio ? 0 : -ENOMEM;
}

/* ------------------------------------------------------------ rendering */

static void log_frame(struct nst_sim_camera *camera,
		      const struct nst_sim_frame *frame, u64 render_ns)
{
	mutex_lock(&camera->log_lock);
	camera->log[camera->delivered % NST_SIM_FRAMES_LOGGED] = *frame;
	camera->delivered++;
	camera->render_ns += render_ns;
	mutex_unlock(&camera->log_lock);
}

static void make_picture(struct nst_sim *sim, const struct nst_sim_shot *shot,
			 struct nst_sim_frame *frame, void *pixels)
{
	struct nst_sim_camera *camera = &sim->camera;
	struct nst_sim_render *render = &camera->studio->render;
	struct nst_sim_clean clean;

	render->clean = NULL;
	if (shot->input) {
		nst_sim_input_clean(sim, &clean);
		render->clean = &clean;
	} else if (shot->setting.pattern == NST_SIM_PATTERN_SCENE) {
		frame->boxes = (u8)nst_sim_scene_boxes(&render->scene,
						       shot->seq, frame->box);
	}
	nst_sim_render_frame(render, shot->seq, &shot->setting,
			     camera->heat->dark_q6, shot->bits > 8, pixels,
			     camera->format.bytesperline, frame->box,
			     frame->boxes);
	render->clean = NULL;
}

static void fill_meta(struct nst_sim *sim, const struct nst_sim_shot *shot,
		      s32 hot_mc, struct nst_sim_meta *meta)
{
	s32 mc = shot->sensor.value_mc;

	memset(meta, 0, sizeof(*meta));
	meta->magic = NST_SIM_META_FOURCC;
	meta->version = NST_SIM_META_VERSION;
	meta->size = sizeof(*meta);
	meta->seq = shot->seq;
	meta->start_us = shot->start_us;
	meta->flags = (shot->input ? NST_SIM_META_INPUT : 0) |
		      (shot->repeated ? NST_SIM_META_REPEATED : 0) |
		      (sim->config.noise ? 0 : NST_SIM_META_NOISELESS) |
		      (shot->video ? NST_SIM_META_PIXELS : 0);
	meta->period_us = shot->period_us;
	meta->exposure_us = shot->setting.exposure_us;
	meta->readout_us = sim->config.readout_us;
	meta->iso = shot->setting.iso;
	meta->light_mlx = shot->setting.light_mlx;
	meta->temp_state = shot->sensor.state;
	if (shot->sensor.state == NST_SAMPLE_VALID) {
		if (!shot->stuck && !shot->sensor.bound)
			mc = nst_sim_round_mc(sim, hot_mc + mc);
		meta->temp_bound = shot->sensor.bound;
		if (mc >= sim->config.rail_high_mc)
			meta->temp_bound = NST_UBOUND_AT_LEAST;
		else if (mc <= sim->config.rail_low_mc)
			meta->temp_bound = NST_UBOUND_AT_MOST;
		meta->temp_mc = clamp(mc, sim->config.rail_low_mc,
				      sim->config.rail_high_mc);
	}
	meta->gate = shot->gate;
	meta->gate_next = shot->gate_next;
	meta->owner = shot->owner;
	meta->result = shot->result;
	if (shot->told.flags & NST_SIM_TELL_SNR) {
		meta->flags |= NST_SIM_META_SNR;
		meta->snr_cdb = shot->told.snr_cdb;
	}
	if (shot->told.flags & NST_SIM_TELL_PLACEMENT) {
		meta->flags |= NST_SIM_META_PLACEMENT;
		meta->placement = (u8)shot->told.placement;
	}
	meta->input_seq = shot->input_seq;
	meta->width = shot->width;
	meta->height = shot->height;
	meta->bits = shot->bits;
}

static void buffer_done(struct nst_sim_buffer *buffer,
			const struct nst_sim_shot *shot)
{
	buffer->vb.sequence = (u32)shot->seq;
	buffer->vb.field = V4L2_FIELD_NONE;
	buffer->vb.vb2_buf.timestamp = shot->start_us * NSEC_PER_USEC;
	vb2_buffer_done(&buffer->vb.vb2_buf, VB2_BUF_STATE_DONE);
}

static void render_shot(struct nst_sim *sim, struct nst_sim_shot *shot)
{
	struct nst_sim_camera *camera = &sim->camera;
	struct nst_sim_heat *heat = camera->heat;
	struct nst_sim_window window = {
		.start_us = shot->start_us,
		.exposure_us = shot->setting.exposure_us,
		.readout_us = sim->config.readout_us,
		.rows = shot->height,
		.seg = shot->seg,
		.segs = shot->segs,
	};
	struct nst_sim_frame frame = {
		.seq = shot->seq,
		.start_us = shot->start_us,
		.gate = shot->gate,
	};
	bool taken = shot->result == NST_SIM_RESULT_DONE;
	u64 begin_ns = ktime_get_ns();
	void *pixels = NULL;

	if (shot->clean)
		nst_sim_input_show(sim, shot);
	if (shot->video)
		pixels = vb2_plane_vaddr(&shot->video->vb.vb2_buf, 0);
	else if (taken)
		pixels = sim->vpu.pixels;
	if (pixels || shot->meta)
		nst_sim_rows(&heat->grid, &heat->plant, &sim->config.sensor,
			     nst_sim_gain_q16(&sim->config.sensor,
					      shot->setting.iso),
			     &window, heat->dark_q6, &frame.hot_mc,
			     &frame.cold_mc);
	if (pixels)
		make_picture(sim, shot, &frame, pixels);
	/* Truth first: who has the frame can look it up. */
	if (shot->video)
		log_frame(camera, &frame, ktime_get_ns() - begin_ns);
	fill_meta(sim, shot, frame.hot_mc, &heat->meta);
	/* Before the picture is the consumer's, who may write on it. */
	if (taken)
		nst_sim_vpu_do(sim, shot, pixels, &heat->meta);
	if (shot->meta) {
		memcpy(vb2_plane_vaddr(&shot->meta->vb.vb2_buf, 0),
		       &heat->meta, sizeof(heat->meta));
		buffer_done(shot->meta, shot);
	}
	if (shot->video)
		buffer_done(shot->video, shot);
}

static void render_work(struct work_struct *work)
{
	struct nst_sim_camera *camera =
		container_of(work, struct nst_sim_camera, work);
	struct nst_sim_shot *shot;

	for (;;) {
		spin_lock(&camera->slock);
		shot = list_first_entry_or_null(&camera->shots,
						struct nst_sim_shot, node);
		if (shot)
			list_del(&shot->node);
		spin_unlock(&camera->slock);
		if (!shot)
			return;
		render_shot(container_of(camera, struct nst_sim, camera),
			    shot);
		spin_lock(&camera->slock);
		list_add(&shot->node, &camera->spare);
		spin_unlock(&camera->slock);
		wake_up(&camera->spare_wait);
		cond_resched();
	}
}

/* ----------------------------------------------------------- boundaries */

static bool has_spare(struct nst_sim_camera *camera)
{
	bool has;

	spin_lock(&camera->slock);
	has = !list_empty(&camera->spare);
	spin_unlock(&camera->slock);
	return has;
}

/* Only the worker takes them, so the one it finds here stays. */
void nst_sim_shots_reserve(struct nst_sim *sim)
{
	wait_event(sim->camera.spare_wait, has_spare(&sim->camera));
}

/* What the temperature sensor has to say, but for the temperature. */
static void ask_sensor(const struct nst_sim *sim, struct nst_sim_shot *shot)
{
	const struct nst_sim_faults *f = &sim->faults;
	struct nst_sample *s = &shot->sensor;

	memset(s, 0, sizeof(*s));
	shot->stuck = f->stuck;
	if (f->read_error)
		s->state = NST_SAMPLE_BUS_FAULT;
	else if (f->not_ready)
		s->state = NST_SAMPLE_NOT_READY;
	else if (f->rail == NST_SIM_RAIL_HIGH)
		s->bound = NST_BOUND_AT_LEAST;
	else if (f->rail == NST_SIM_RAIL_LOW)
		s->bound = NST_BOUND_AT_MOST;
	if (s->bound)
		s->value_mc = s->bound == NST_BOUND_AT_LEAST ?
			      sim->config.rail_high_mc :
			      sim->config.rail_low_mc;
	else if (f->stuck)
		s->value_mc = f->stuck_mc[0];
	else
		s->value_mc = nst_sim_noise_mc(sim, 0, shot->start_us +
					       shot->setting.exposure_us);
}

/* The oldest buffer that waits, of a queue that streams. */
static struct nst_sim_buffer *take_buffer(struct list_head *list,
					  bool streaming, u64 *missed)
{
	struct nst_sim_buffer *buffer;

	if (!streaming)
		return NULL;
	buffer = list_first_entry_or_null(list, struct nst_sim_buffer, node);
	if (buffer)
		list_del(&buffer->node);
	else
		(*missed)++;
	return buffer;
}

void nst_sim_camera_expose(struct nst_sim *sim)
{
	struct nst_sim_camera *camera = &sim->camera;
	struct nst_sim_metadata *metadata = &sim->metadata;
	struct nst_sim_shot *shot;
	u64 rest = sim->seq;

	/* The clock starts in the middle of period 0: that one is no frame. */
	if (!sim->seq || do_div(rest, sim->config.clock_scale))
		return;

	spin_lock(&camera->slock);
	shot = list_first_entry(&camera->spare, struct nst_sim_shot, node);
	shot->seq = sim->seq;
	nst_sim_vpu_expose(sim, shot);
	shot->video = take_buffer(&camera->free, camera->streaming,
				  &camera->missed);
	shot->meta = take_buffer(&metadata->free, metadata->streaming,
				 &metadata->missed);
	nst_sim_input_expose(sim, shot);
	if (shot->video || shot->meta || shot->clean || shot->owner) {
		list_del(&shot->node);
		shot->start_us = sim->start_us;
		shot->period_us = sim->period_us;
		shot->gate = sim->seg[0].gate;
		shot->setting = sim->setting;
		ask_sensor(sim, shot);
		shot->width = camera->format.width;
		shot->height = camera->format.height;
		shot->bits = camera->format.pixelformat == V4L2_PIX_FMT_Y10 ?
			     10 : 8;
		shot->segs = sim->segs;
		memcpy(shot->seg, sim->seg, sim->segs * sizeof(shot->seg[0]));
		camera->exposed = shot;
	}
	spin_unlock(&camera->slock);
}

void nst_sim_camera_deliver(struct nst_sim *sim)
{
	struct nst_sim_camera *camera = &sim->camera;
	struct nst_sim_shot *shot;

	mutex_lock(&sim->lock);
	spin_lock(&camera->slock);
	shot = camera->exposed;
	camera->exposed = NULL;
	if (shot) {
		shot->gate_next = sim->gate;
		nst_sim_meta_told(sim, shot->seq, &shot->told);
		nst_sim_vpu_decide(sim, shot);
		list_add_tail(&shot->node, &camera->shots);
		queue_work(camera->wq, &camera->work);
	}
	spin_unlock(&camera->slock);
	mutex_unlock(&sim->lock);
}

void nst_sim_camera_flush(struct nst_sim *sim)
{
	flush_work(&sim->camera.work);
}

void nst_sim_queue_stop(struct nst_sim *sim, bool *streaming,
			struct list_head *list, size_t slot)
{
	struct nst_sim_camera *camera = &sim->camera;
	struct nst_sim_buffer *buffer, *next, **held;
	LIST_HEAD(unused);

	spin_lock(&camera->slock);
	*streaming = false;
	if (camera->exposed) {
		held = (void *)camera->exposed + slot;
		if (*held)
			list_add(&(*held)->node, list);
		*held = NULL;
		/* Without its writer the next picture is of the scene. */
		if (slot == offsetof(struct nst_sim_shot, clean))
			camera->exposed->input = false;
	}
	list_splice_init(list, &unused);
	spin_unlock(&camera->slock);
	/* No new shot from here on; the ones in the making are finished. */
	flush_work(&camera->work);
	list_for_each_entry_safe(buffer, next, &unused, node) {
		list_del(&buffer->node);
		vb2_buffer_done(&buffer->vb.vb2_buf, VB2_BUF_STATE_ERROR);
	}
}

/* ------------------------------------------------------------- lifetime */

int nst_sim_shots_init(struct nst_sim *sim)
{
	struct nst_sim_camera *camera = &sim->camera;
	unsigned int i;
	int err;

	mutex_init(&camera->log_lock);
	init_waitqueue_head(&camera->spare_wait);
	INIT_LIST_HEAD(&camera->spare);
	INIT_LIST_HEAD(&camera->shots);
	INIT_WORK(&camera->work, render_work);

	camera->log = kvcalloc(NST_SIM_FRAMES_LOGGED, sizeof(*camera->log),
			       GFP_KERNEL);
	camera->shot = kvcalloc(NST_SIM_SHOTS, sizeof(*camera->shot),
				GFP_KERNEL);
	camera->heat = kvzalloc(sizeof(*camera->heat), GFP_KERNEL);
	camera->wq = alloc_workqueue("nst-sim-render", WQ_UNBOUND, 1);
	err = -ENOMEM;
	if (camera->log && camera->shot && camera->heat && camera->wq)
		/* Constants of the plant; its state comes with each shot. */
		err = nst_plant_init(&camera->heat->plant,
				     &sim->config.params,
				     sim->config.ambient_mc);
	if (err) {
		nst_sim_shots_free(sim);
		return err;
	}
	for (i = 0; i < NST_SIM_SHOTS; i++)
		list_add_tail(&camera->shot[i].node, &camera->spare);
	return 0;
}

void nst_sim_shots_free(struct nst_sim *sim)
{
	struct nst_sim_camera *camera = &sim->camera;

	if (camera->wq)
		destroy_workqueue(camera->wq);
	studio_free(camera->studio);
	kvfree(camera->heat);
	kvfree(camera->shot);
	kvfree(camera->log);
}
