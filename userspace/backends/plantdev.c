// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* plantdev.c - an emulated stack inside the process, see plantdev.h */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "plantdev.h"

static struct nst_plantdev *from_dev(struct nst_dev *dev)
{
	return (struct nst_plantdev *)dev;
}

static u32 gate_power(const struct nst_plantdev *d)
{
	return d->gate == NST_GATE_RUN ? d->config.near_mw
				       : d->config.gated_mw;
}

static void raise_fd(struct nst_plantdev *d)
{
	const uint64_t one = 1;

	if (!d->config.clock_scale && write(d->fd, &one, sizeof(one)) < 0)
		return; /* the counter is full: readable already */
}

static void push_event(struct nst_plantdev *d,
		       const struct nst_dev_event *event)
{
	unsigned int next = (d->event_head + 1) % NST_PLANTDEV_EVENTS;

	if (next == d->event_tail)	/* the oldest goes */
		d->event_tail = (d->event_tail + 1) % NST_PLANTDEV_EVENTS;
	d->event[d->event_head] = *event;
	d->event_head = next;
}

static void step_to(struct nst_plantdev *d, u64 t_us)
{
	if (t_us <= d->now_us)
		return;
	nst_plant_step(&d->plant, gate_power(d), d->config.ambient_mc,
		       (u32)(t_us - d->now_us));
	d->now_us = t_us;
}

static void change_gate(struct nst_plantdev *d, u8 gate)
{
	struct nst_dev_event e = { .type = NST_DEV_GATE, .gate = gate,
				   .t_us = d->now_us, .seq = d->frame_seq };

	if (gate == d->gate)
		return;
	d->gate_prev = d->gate;
	d->gate = gate;
	d->gate_since_us = d->now_us;
	push_event(d, &e);
}

/* Without a lease: two thresholds, as the kernel's guard. */
static void guard(struct nst_plantdev *d)
{
	if (d->leased)
		return;
	change_gate(d, nst_band_step(&d->guard, d->thr.high_mc, d->thr.low_mc,
				     0, nst_plant_die_mc(&d->plant),
				     d->now_us) == NST_BAND_GATED
			    ? NST_GATE_STANDBY : NST_GATE_RUN);
}

static u64 period(const struct nst_plantdev *d)
{
	u64 need = (u64)d->config.exposure_us + d->config.readout_us;

	return need > d->config.frame_period_us ? need
						: d->config.frame_period_us;
}

static struct nst_plantdev_ticket *find_ticket(struct nst_plantdev *d, u32 id)
{
	for (int i = 0; i < NST_PLANTDEV_TICKETS; i++)
		if (d->ticket[i].id == id)
			return &d->ticket[i];
	return NULL;
}

/* A ticket gates from the next boundary on, as the kernel's does. */
static bool ticket_wants(const struct nst_plantdev *d)
{
	for (int i = 0; i < NST_PLANTDEV_TICKETS; i++)
		if (d->ticket[i].id)
			return true;
	return false;
}

/* The frame that begins: cold enough, or the last one that may be it. */
static void serve_tickets(struct nst_plantdev *d)
{
	s32 temp_mc;

	if (!ticket_wants(d))
		return;
	temp_mc = nst_exposure_frame_mc(&d->plant, gate_power(d),
					d->config.ambient_mc,
					d->config.exposure_us,
					d->config.readout_us,
					d->config.doubling_mc);
	for (int i = 0; i < NST_PLANTDEV_TICKETS; i++) {
		struct nst_plantdev_ticket *t = &d->ticket[i];
		bool ready = temp_mc <= t->want.temp_mc;
		struct nst_dev_event e = {
			.type = ready ? NST_DEV_CAPTURE_READY
				      : NST_DEV_CAPTURE_MISSED,
			.id = t->id, .temp_mc = temp_mc, .t_us = d->now_us,
			.seq = d->frame_seq,
		};

		if (!t->id ||
		    (!ready && d->now_us + period(d) <= t->until_us))
			continue;
		e.value = ready ? --t->want.frames : 0;
		if (!ready || !t->want.frames)
			t->id = 0;
		push_event(d, &e);
	}
}

/* A ticket's gate comes and goes at boundaries; the one found comes back. */
static void ticket_gate(struct nst_plantdev *d)
{
	bool wants = ticket_wants(d);

	if (wants && !d->ticket_gated) {
		d->ticket_found = d->gate;
		d->ticket_gated = true;
	}
	if (wants)
		change_gate(d, NST_GATE_STANDBY);
	else if (d->ticket_gated)
		change_gate(d, d->ticket_found);
	d->ticket_gated = wants;
}

static void next_frame(struct nst_plantdev *d)
{
	struct nst_dev_event e = { .type = NST_DEV_FRAME };
	u32 power = d->gate_at_start == NST_GATE_RUN ? d->config.near_mw
						     : d->config.gated_mw;

	d->truth_mc[d->frame_seq % NST_PLANTDEV_TRUTH] =
		nst_exposure_frame_mc(&d->at_start, power,
				      d->config.ambient_mc,
				      d->config.exposure_us,
				      d->config.readout_us,
				      d->config.doubling_mc);
	step_to(d, d->frame_start_us + period(d));
	d->frame_seq++;
	d->frame_start_us = d->now_us;
	d->config.exposure_us = d->next_exposure_us;
	if (d->pending && d->pending_seq <= d->frame_seq) {
		d->pending = false;
		if (d->ticket_gated)
			d->ticket_found = d->pending_gate;
		else
			change_gate(d, d->pending_gate);
	}
	guard(d);
	ticket_gate(d);
	d->at_start = d->plant;
	d->gate_at_start = d->gate;
	e.seq = d->frame_seq;
	e.t_us = d->now_us;
	push_event(d, &e);
	serve_tickets(d);
}

void nst_plantdev_advance(struct nst_plantdev *d, unsigned int frames)
{
	for (unsigned int i = 0; i < frames; i++)
		next_frame(d);
	step_to(d, d->frame_start_us + d->config.latency_us);
	raise_fd(d);
}

s32 nst_plantdev_exposure_mc(const struct nst_plantdev *d, u64 seq)
{
	return d->truth_mc[seq % NST_PLANTDEV_TRUTH];
}

/* ---------------------------------------------------------- operations */

static int dev_fd(struct nst_dev *dev)
{
	return from_dev(dev)->fd;
}

static int dev_info(struct nst_dev *dev, struct nst_dev_info *ret)
{
	struct nst_plantdev *d = from_dev(dev);

	memset(ret, 0, sizeof(*ret));
	snprintf(ret->name, sizeof(ret->name), "%s", d->config.name);
	snprintf(ret->node, sizeof(ret->node), "plant:%.50s", d->config.name);
	snprintf(ret->provider, sizeof(ret->provider), "plant");
	snprintf(ret->label[0], sizeof(ret->label[0]), "die");
	ret->channels = 1;
	ret->gate_power_mw[NST_GATE_RUN] = d->config.near_mw;
	ret->gate_power_mw[NST_GATE_STANDBY] = d->config.gated_mw;
	ret->has_power = true;
	return 0;
}

static s32 sensor_reading(const struct nst_plantdev *d)
{
	s32 lsb = (s32)d->config.sensor_lsb_mc;
	s32 die = nst_plant_die_mc(&d->plant);
	s32 rest;

	if (!lsb)
		return die;
	rest = die % lsb;
	return die - (rest < 0 ? rest + lsb : rest);
}

static int dev_sample(struct nst_dev *dev, struct nst_dev_state *ret)
{
	struct nst_plantdev *d = from_dev(dev);

	if (d->gone)
		return -ENODEV;
	d->samples++;
	memset(ret, 0, sizeof(*ret));
	ret->now_us = d->now_us;
	ret->frame_seq = d->frame_seq;
	ret->frame_start_us = d->frame_start_us;
	ret->next_start_us = d->frame_start_us + period(d);
	ret->frame_period_us = (u32)period(d);
	ret->exposure_us = d->config.exposure_us;
	ret->readout_us = d->config.readout_us;
	ret->bound_permyriad = NST_PERMYRIAD;
	ret->frames = true;
	ret->gate = d->gate;
	ret->gate_prev = d->gate_prev;
	ret->gate_since_us = d->gate_since_us;
	ret->power_mw = gate_power(d);
	ret->channels = 1;
	ret->sample[0].t_us = d->now_us;
	ret->sample[0].state = d->sample_state;
	if (d->sample_state == NST_SAMPLE_VALID)
		ret->sample[0].value_mc = sensor_reading(d);
	return 0;
}

static int dev_events(struct nst_dev *dev, struct nst_dev_event *ret,
		      unsigned int max)
{
	struct nst_plantdev *d = from_dev(dev);
	uint64_t count;
	unsigned int n = 0;

	if (d->gone)
		return -ENODEV;
	if (read(d->fd, &count, sizeof(count)) == sizeof(count) &&
	    d->config.clock_scale)
		nst_plantdev_advance(d, (unsigned int)count);
	for (; n < max && d->event_tail != d->event_head; n++) {
		ret[n] = d->event[d->event_tail];
		d->event_tail = (d->event_tail + 1) % NST_PLANTDEV_EVENTS;
	}
	if (d->event_tail != d->event_head)
		raise_fd(d);
	return (int)n;
}

static int dev_lease(struct nst_dev *dev, enum nst_dev_lease op,
		     u32 heartbeat_ms, u32 *ret_limit_ms)
{
	struct nst_plantdev *d = from_dev(dev);

	if (d->gone)
		return -ENODEV;
	if (op == NST_DEV_TAKE && (d->foreign_lease || d->leased))
		return -EBUSY;
	if (op != NST_DEV_TAKE && !d->leased)
		return -EPERM;
	if (op == NST_DEV_RENEW)
		d->renewals++;
	d->leased = op != NST_DEV_GIVE_BACK;
	if (ret_limit_ms)
		*ret_limit_ms = heartbeat_ms ? heartbeat_ms
					     : d->config.lease_ms;
	return 0;
}

static int dev_owner(struct nst_dev *dev, char *buf, size_t size)
{
	struct nst_plantdev *d = from_dev(dev);

	snprintf(buf, size, "%s", d->leased ? "user" :
		 d->foreign_lease ? "user 1 other" : "kernel");
	return 0;
}

static int dev_set_gate(struct nst_dev *dev, const struct nst_dev_gate *gate,
			struct nst_dev_applied *ret)
{
	struct nst_plantdev *d = from_dev(dev);

	if (d->gone)
		return -ENODEV;
	if (!d->leased)
		return d->foreign_lease ? -EBUSY : -EPERM;
	d->gates++;
	ret->gate = gate->gate;
	ret->clamped = false;
	d->pending = gate->frame_seq != 0;
	if (!d->pending) {
		if (d->ticket_gated)
			d->ticket_found = gate->gate;
		else
			change_gate(d, gate->gate);
		ret->frame_seq = d->frame_seq;
		return 0;
	}
	d->pending_gate = gate->gate;
	d->pending_seq = gate->frame_seq > d->frame_seq ? gate->frame_seq
							: d->frame_seq + 1;
	ret->frame_seq = d->pending_seq;
	return 0;
}

static int dev_get_policy(struct nst_dev *dev, struct nst_dev_policy *ret)
{
	struct nst_plantdev *d = from_dev(dev);

	if (d->gone)
		return -ENODEV;
	ret->thr = d->thr;
	ret->automatic = d->automatic;
	return 0;
}

static int dev_set_limits(struct nst_dev *dev,
			  const struct nst_thresholds *thr)
{
	struct nst_plantdev *d = from_dev(dev);

	if (d->gone)
		return -ENODEV;
	if (!d->leased)
		return -EPERM;
	if (nst_thresholds_check(thr) || thr->max_mc > d->ceiling_mc)
		return -EINVAL;
	d->limits++;
	d->thr = *thr;
	return 0;
}

static int dev_capture(struct nst_dev *dev,
		       const struct nst_dev_capture *ticket, u32 *ret_id)
{
	struct nst_plantdev *d = from_dev(dev);
	struct nst_plantdev_ticket *t = find_ticket(d, 0);

	if (d->gone)
		return -ENODEV;
	if (!ticket->frames || !nst_temp_in_range(ticket->temp_mc))
		return -EINVAL;
	if (!t)
		return -EBUSY;
	*t = (struct nst_plantdev_ticket){
		.id = ++d->ticket_id,
		.want = *ticket,
		.until_us = d->now_us + ticket->deadline_us,
	};
	*ret_id = t->id;
	return 0;
}

static int dev_capture_cancel(struct nst_dev *dev, u32 id)
{
	struct nst_plantdev *d = from_dev(dev);
	struct nst_plantdev_ticket *t = id ? find_ticket(d, id) : NULL;

	if (d->gone)
		return -ENODEV;
	if (!t)
		return -ENOENT;
	t->id = 0;
	return 0;
}

static void dev_close(struct nst_dev *dev)
{
	struct nst_plantdev *d = from_dev(dev);

	memset(d->ticket, 0, sizeof(d->ticket));
	d->open = false;
	d->leased = false;
	d->pending = false;
}

static const struct nst_dev_ops plantdev_ops = {
	.fd = dev_fd,
	.info = dev_info,
	.sample = dev_sample,
	.events = dev_events,
	.lease = dev_lease,
	.owner = dev_owner,
	.set_gate = dev_set_gate,
	.get_policy = dev_get_policy,
	.set_limits = dev_set_limits,
	.capture = dev_capture,
	.capture_cancel = dev_capture_cancel,
	.close = dev_close,
};

/* ---------------------------------------------------------------- life */

static int start_timer(struct nst_plantdev *d)
{
	u64 wall_ns = period(d) * 1000 / d->config.clock_scale;
	struct itimerspec its = {
		.it_interval = { .tv_sec = (time_t)(wall_ns / 1000000000),
				 .tv_nsec = (long)(wall_ns % 1000000000) },
	};

	its.it_value = its.it_interval;
	return timerfd_settime(d->fd, 0, &its, NULL) < 0 ? -errno : 0;
}

int nst_plantdev_init(struct nst_plantdev *d,
		      const struct nst_plantdev_config *config)
{
	int r;

	memset(d, 0, sizeof(*d));
	d->dev.ops = &plantdev_ops;
	d->config = *config;
	d->thr = config->thr;
	d->automatic = true;
	d->ceiling_mc = config->thr.max_mc;
	d->next_exposure_us = config->exposure_us;
	r = nst_plant_init(&d->plant, &config->params, config->ambient_mc);
	if (r)
		return r;
	d->at_start = d->plant;
	d->fd = config->clock_scale
		? timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)
		: eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (d->fd < 0)
		return -errno;
	r = config->clock_scale ? start_timer(d) : 0;
	if (r)
		nst_plantdev_deinit(d);
	return r;
}

void nst_plantdev_deinit(struct nst_plantdev *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

int nst_plantdev_open(struct nst_plantdev *d, struct nst_dev **ret)
{
	if (d->gone)
		return -ENODEV;
	if (d->open)
		return -EBUSY;
	d->open = true;
	d->event_tail = d->event_head;
	*ret = &d->dev;
	return 0;
}

void nst_plantdev_vanish(struct nst_plantdev *d, bool gone)
{
	d->gone = gone;
	if (gone) {
		raise_fd(d);
		return;
	}
	d->gate = NST_GATE_RUN;
	d->gate_prev = NST_GATE_RUN;
	d->gate_since_us = d->now_us;
	d->thr = d->config.thr;
}

void nst_plantdev_set_policy(struct nst_plantdev *d,
			     const struct nst_thresholds *thr)
{
	struct nst_dev_event e = { .type = NST_DEV_PARAM, .value = 1,
				   .t_us = d->now_us };

	d->thr = *thr;
	d->automatic = false;
	push_event(d, &e);
	raise_fd(d);
}

/* -------------------------------------------------------------- camera */

static int cam_fd(struct nst_cam *cam)
{
	return ((struct nst_plantcam *)cam)->fd;
}

static int cam_read(struct nst_cam *cam, struct nst_light *ret)
{
	struct nst_plantcam *c = (struct nst_plantcam *)cam;
	uint64_t count;

	if (read(c->fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return -errno;
	*ret = c->light;
	return 0;
}

static void cam_close(struct nst_cam *cam)
{
	(void)cam;
}

static const struct nst_cam_ops plantcam_ops = {
	.epoll_events = EPOLLIN,
	.fd = cam_fd,
	.read = cam_read,
	.close = cam_close,
};

int nst_plantcam_init(struct nst_plantcam *c, struct nst_plantdev *dev,
		      const struct nst_light *light)
{
	c->cam.ops = &plantcam_ops;
	c->dev = dev;
	c->light = *light;
	c->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (c->fd < 0)
		return -errno;
	dev->next_exposure_us = light->exposure_us;
	return 0;
}

void nst_plantcam_deinit(struct nst_plantcam *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

void nst_plantcam_set(struct nst_plantcam *c, const struct nst_light *light)
{
	const uint64_t one = 1;

	c->light = *light;
	c->dev->next_exposure_us = light->exposure_us;
	if (write(c->fd, &one, sizeof(one)) < 0)
		return; /* the counter is full: readable already */
}
