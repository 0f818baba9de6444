// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* gatedev.c - a device gated by a GPIO line, see gatedev.h */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "gatedev.h"

static struct nst_gatedev *from_dev(struct nst_dev *dev)
{
	return (struct nst_gatedev *)dev;
}

static s64 mono_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (s64)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* ----------------------------------------------------------------- lines */

static int drive(struct nst_gatedev *g, u8 gate, u8 placement)
{
	int r = nst_gpio_set(&g->gate_line, gate == NST_GATE_RUN), r2 = 0;

	if (g->strobe_line.open)
		r2 = nst_gpio_set(&g->strobe_line, placement == NST_PAUSED);
	if (!r && gate != g->gate) {
		g->gate_prev = g->gate;
		g->gate = gate;
		g->since_us = (u64)(mono_us() + g->ahead_us);
		g->told = false;
	}
	return r ? r : r2;
}

/* @at_us on the device's clock; 0 stops the timer */
static void set_timer(struct nst_gatedev *g, u64 at_us)
{
	s64 at = at_us ? (s64)at_us - g->ahead_us : 0;
	struct itimerspec its = {
		.it_value = { .tv_sec = at / 1000000,
			      .tv_nsec = at % 1000000 * 1000 },
	};

	/* In the past it is now; 0 and less would stop it. */
	if (at_us && at <= 0)
		its.it_value = (struct timespec){ .tv_nsec = 1 };
	timerfd_settime(g->timer_fd, TFD_TIMER_ABSTIME, &its, NULL);
}

static int take_due(struct nst_gatedev *g)
{
	u64 expirations;

	if (read(g->timer_fd, &expirations, sizeof(expirations)) < 0 ||
	    !g->pending)
		return 0;
	g->pending = false;
	return drive(g, g->pending_gate, g->pending_placement);
}

/* ------------------------------------------------------------ operations */

static int dev_fd(struct nst_dev *dev)
{
	return from_dev(dev)->epoll_fd;
}

static int dev_info(struct nst_dev *dev, struct nst_dev_info *ret)
{
	struct nst_gatedev *g = from_dev(dev);
	int r;

	if (!g->inner)
		return -ENODEV;
	r = g->inner->ops->info(g->inner, ret);
	/* A line that is moved from here is moved too late for that. */
	if (!r)
		ret->windows = false;
	return r;
}

static int dev_sample(struct nst_dev *dev, struct nst_dev_state *ret)
{
	struct nst_gatedev *g = from_dev(dev);
	int r;

	if (!g->inner)
		return -ENODEV;
	r = g->inner->ops->sample(g->inner, &g->state);
	if (r)
		return r;
	g->ahead_us = (s64)g->state.now_us - mono_us();
	g->state.gate = g->gate;
	g->state.gate_prev = g->gate_prev;
	/* Two clocks that are read one after the other. */
	g->state.gate_since_us = g->since_us < g->state.now_us
		? g->since_us : g->state.now_us;
	*ret = g->state;
	return 0;
}

static bool is_for_us(const struct nst_dev_event *e)
{
	/* The driver's own notion of a gate that it has not. */
	return e->type != NST_DEV_GATE;
}

static int dev_events(struct nst_dev *dev, struct nst_dev_event *ret,
		      unsigned int max)
{
	struct nst_gatedev *g = from_dev(dev);
	int r, count = 0, kept = 0;

	if (!g->inner || !max)
		return -ENODEV;
	r = take_due(g);
	if (r)
		return r;
	if (!g->told) {
		ret[kept++] = (struct nst_dev_event){
			.type = NST_DEV_GATE, .gate = g->gate,
			.t_us = g->since_us,
		};
		g->told = true;
	}
	if ((unsigned int)kept == max)
		return kept;
	count = g->inner->ops->events(g->inner, ret + kept,
				      max - (unsigned int)kept);
	if (count < 0)
		return count;
	/* As many as there were: full means that there may be more. */
	for (int i = kept; i < kept + count; i++)
		if (!is_for_us(&ret[i]))
			ret[i].type = NST_DEV_OTHER;
	return kept + count;
}

static int dev_lease(struct nst_dev *dev, enum nst_dev_lease op,
		     u32 heartbeat_ms, u32 *ret_limit_ms)
{
	struct nst_gatedev *g = from_dev(dev);

	return g->inner ? g->inner->ops->lease(g->inner, op, heartbeat_ms,
					       ret_limit_ms) : -ENODEV;
}

static int dev_owner(struct nst_dev *dev, char *buf, size_t size)
{
	struct nst_gatedev *g = from_dev(dev);

	return g->inner ? g->inner->ops->owner(g->inner, buf, size) : -ENODEV;
}

static int dev_set_gate(struct nst_dev *dev, const struct nst_dev_gate *gate,
			struct nst_dev_applied *ret)
{
	struct nst_gatedev *g = from_dev(dev);
	const struct nst_dev_state *s = &g->state;
	u64 seq = gate->frame_seq;
	u8 to = gate->gate == NST_GATE_RUN && s->bound_permyriad
		? NST_GATE_RUN : NST_GATE_STANDBY;
	int r = 0;

	if (!g->inner)
		return -ENODEV;
	g->pending = false;
	set_timer(g, 0);
	if (!seq || !s->frames || !s->next_start_us) {
		r = drive(g, to, gate->placement);
	} else {
		/* The one that runs cannot be changed any more. */
		if (seq <= s->frame_seq)
			seq = s->frame_seq + 1;
		g->pending = true;
		g->pending_gate = to;
		g->pending_placement = gate->placement;
		set_timer(g, s->next_start_us + (seq - s->frame_seq - 1) *
						s->frame_period_us);
	}
	if (r)
		return r;
	*ret = (struct nst_dev_applied){
		.frame_seq = seq, .gate = to,
		.clamped = to != NST_GATE_RUN && gate->gate == NST_GATE_RUN,
	};
	return 0;
}

static int dev_get_policy(struct nst_dev *dev, struct nst_dev_policy *ret)
{
	struct nst_gatedev *g = from_dev(dev);

	return g->inner ? g->inner->ops->get_policy(g->inner, ret) : -ENODEV;
}

static int dev_set_limits(struct nst_dev *dev,
			  const struct nst_thresholds *thr)
{
	struct nst_gatedev *g = from_dev(dev);

	return g->inner ? g->inner->ops->set_limits(g->inner, thr) : -ENODEV;
}

/* The kernel cannot gate for a ticket, so it takes none here. */
static int dev_capture(struct nst_dev *dev,
		       const struct nst_dev_capture *ticket, u32 *ret_id)
{
	(void)dev;
	(void)ticket;
	(void)ret_id;
	return -EOPNOTSUPP;
}

static int dev_capture_cancel(struct nst_dev *dev, u32 id)
{
	(void)dev;
	(void)id;
	return -ENOENT;
}

static void dev_close(struct nst_dev *dev)
{
	struct nst_gatedev *g = from_dev(dev);

	nst_gpio_close(&g->gate_line);
	nst_gpio_close(&g->strobe_line);
	if (g->epoll_fd >= 0)
		close(g->epoll_fd);
	if (g->timer_fd >= 0)
		close(g->timer_fd);
	g->epoll_fd = g->timer_fd = -1;
	if (g->inner)
		g->inner->ops->close(g->inner);
	g->inner = NULL;
}

static const struct nst_dev_ops gatedev_ops = {
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

/* ------------------------------------------------------------------ open */

static int open_fds(struct nst_gatedev *g)
{
	struct epoll_event ev = { .events = EPOLLIN };

	g->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	g->timer_fd = timerfd_create(CLOCK_MONOTONIC,
				     TFD_NONBLOCK | TFD_CLOEXEC);
	if (g->epoll_fd < 0 || g->timer_fd < 0 ||
	    epoll_ctl(g->epoll_fd, EPOLL_CTL_ADD, g->timer_fd, &ev) ||
	    epoll_ctl(g->epoll_fd, EPOLL_CTL_ADD,
		      g->inner->ops->fd(g->inner), &ev))
		return -errno;
	return 0;
}

static int open_lines(struct nst_gatedev *g, const char *root,
		      const struct nst_gatedev_config *config, char *why,
		      size_t why_size)
{
	int r;

	r = nst_gpio_open(&g->gate_line, root, config->gate_line,
			  config->gate_active_low, false, why, why_size);
	if (r || !config->strobe_line[0])
		return r;
	return nst_gpio_open(&g->strobe_line, root, config->strobe_line,
			     config->strobe_active_low, false, why, why_size);
}

int nst_gatedev_open(struct nst_gatedev *g, struct nst_dev *inner,
		     const char *root, const struct nst_gatedev_config *config,
		     char *why, size_t why_size)
{
	struct nst_dev_info info;
	struct nst_dev_state state;
	int r, level = 0;

	*g = (struct nst_gatedev){
		.dev.ops = &gatedev_ops,
		.inner = inner,
		.gate_line = NST_GPIO_CLOSED,
		.strobe_line = NST_GPIO_CLOSED,
		.epoll_fd = -1,
		.timer_fd = -1,
		.told = true,
	};
	why[0] = '\0';
	r = inner->ops->info(inner, &info);
	if (!r && info.gate_power_mw[NST_GATE_STANDBY]) {
		snprintf(why, why_size, "%s has a gate of its own, gate_line "
			 "is for one without", info.node);
		r = -EEXIST;
	}
	if (!r)
		r = open_lines(g, root, config, why, why_size);
	if (!r)
		r = open_fds(g);
	if (!r)
		level = nst_gpio_get(&g->gate_line);
	if (level < 0)
		r = level;
	if (!r) {
		g->gate = level ? NST_GATE_RUN : NST_GATE_STANDBY;
		g->gate_prev = g->gate;
		r = dev_sample(&g->dev, &state);
		g->since_us = r ? 0 : state.now_us;
	}
	if (r)
		dev_close(&g->dev);
	return r;
}
