// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * nstdev.c - a device behind /dev/nstN
 *
 * The character device gives samples, events, lease, gate and limits; the
 * policy attributes, whose values a user may have set by hand, are read from
 * sysfs. Everything is translated into the plain structs of backend.h here,
 * and values that the header does not know (a newer kernel) are refused or
 * passed over, never taken for something else.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ioctl.h"
#include "nstdev.h"
#include "path.h"
#include "scan.h"
#include "uapi/nst.h"

#define CLASS_DIR "/sys/class/nst"
#define EVENTS_MAX 64

static_assert((int)NST_UGATE_RUN == (int)NST_GATE_RUN &&
	      (int)NST_UGATE_STANDBY == (int)NST_GATE_STANDBY &&
	      (int)NST_UGATE_CLEARED == (int)NST_GATE_CLEARED &&
	      (int)NST_UGATE_OFF == (int)NST_GATE_OFF, "gates");
static_assert((int)NST_UPLACE_NEAR == (int)NST_NEAR &&
	      (int)NST_UPLACE_FAR == (int)NST_FAR &&
	      (int)NST_UPLACE_PAUSED == (int)NST_PAUSED, "placements");
static_assert((int)NST_USAMPLE_VALID == (int)NST_SAMPLE_VALID &&
	      (int)NST_USAMPLE_NOT_READY == (int)NST_SAMPLE_NOT_READY &&
	      (int)NST_USAMPLE_NO_DATA == (int)NST_SAMPLE_NO_DATA &&
	      (int)NST_USAMPLE_BUS_FAULT == (int)NST_SAMPLE_BUS_FAULT &&
	      (int)NST_USAMPLE_GONE == (int)NST_SAMPLE_GONE &&
	      (int)NST_USAMPLE_IMPLAUSIBLE == (int)NST_SAMPLE_IMPLAUSIBLE,
	      "sample states");
static_assert((int)NST_UBOUND_AT_LEAST == (int)NST_BOUND_AT_LEAST &&
	      (int)NST_UBOUND_AT_MOST == (int)NST_BOUND_AT_MOST, "bounds");
static_assert(NST_CHANNELS_MAX == NST_DEV_CHANNELS_MAX, "channels");
static_assert(sizeof(struct nst_uapi_event) == 64, "event record");

static struct nst_nstdev *from_dev(struct nst_dev *dev)
{
	return (struct nst_nstdev *)dev;
}

static int do_ioctl(struct nst_nstdev *d, unsigned long req, void *arg)
{
	return d->fd < 0 ? -ENODEV : nst_ioctl(d->fd, req, arg);
}

/* --------------------------------------------------------- translation */

static void copy_text(char *to, size_t size, const char *from, size_t len)
{
	size_t n = strnlen(from, len < size - 1 ? len : size - 1);

	memcpy(to, from, n);
	to[n] = '\0';
}

static struct nst_sample sample_from_uapi(const struct nst_uapi_sample *u)
{
	struct nst_sample s = {
		.t_us = u->t_us,
		.value_mc = u->value_mc,
		.state = u->state,
		.bound = u->bound,
	};

	/* A state or bound of a later version is one we cannot judge. */
	if (u->state >= NST_SAMPLE_STATE_COUNT || u->bound > NST_BOUND_AT_MOST)
		s.state = NST_SAMPLE_NO_DATA;
	return s;
}

static struct nst_dev_event event_from_uapi(const struct nst_uapi_event *u)
{
	struct nst_dev_event e = { .t_us = u->t_us, .seq = u->seq,
				   .value = u->value };

	switch (u->type) {
	case NST_EVENT_LOST:
		e.type = NST_DEV_LOST;
		break;
	case NST_EVENT_FRAME:
		e.type = NST_DEV_FRAME;
		break;
	case NST_EVENT_GATE:
		e.type = u->code < NST_GATE_COUNT ? NST_DEV_GATE
						  : NST_DEV_OTHER;
		e.gate = (u8)u->code;
		break;
	case NST_EVENT_LEASE_LOST:
		e.type = NST_DEV_LEASE_LOST;
		break;
	case NST_EVENT_FAILSAFE_ENTER:
	case NST_EVENT_FAILSAFE_LEAVE:
		e.type = NST_DEV_FAILSAFE;
		e.value = u->type == NST_EVENT_FAILSAFE_ENTER;
		break;
	case NST_EVENT_PARAM:
		e.type = NST_DEV_PARAM;
		e.value = u->code != NST_PARAM_TIMING &&
			  u->code != NST_PARAM_BOUND;
		break;
	case NST_EVENT_CAPTURE_READY:
	case NST_EVENT_CAPTURE_MISSED:
		e.type = u->type == NST_EVENT_CAPTURE_READY
			? NST_DEV_CAPTURE_READY : NST_DEV_CAPTURE_MISSED;
		e.id = u->id;
		e.temp_mc = u->temp_mc;
		break;
	default:
		break;
	}
	return e;
}

/* ---------------------------------------------------------- operations */

static int dev_fd(struct nst_dev *dev)
{
	return from_dev(dev)->fd;
}

static int dev_info(struct nst_dev *dev, struct nst_dev_info *ret)
{
	*ret = from_dev(dev)->info;
	return 0;
}

static int dev_sample(struct nst_dev *dev, struct nst_dev_state *ret)
{
	struct nst_uapi_state u = { 0 };
	int r;

	r = do_ioctl(from_dev(dev), NST_IOC_SAMPLE, &u);
	if (r)
		return r;
	if (u.gate >= NST_GATE_COUNT || u.gate_prev >= NST_GATE_COUNT ||
	    u.channels > NST_DEV_CHANNELS_MAX)
		return -EPROTO;
	memset(ret, 0, sizeof(*ret));
	ret->now_us = u.now_us;
	ret->frame_seq = u.frame_seq;
	ret->frame_start_us = u.frame_start_us;
	ret->next_start_us = u.next_start_us;
	ret->gate_since_us = u.gate_since_us;
	ret->frame_period_us = u.frame_period_us;
	ret->exposure_us = u.exposure_us;
	ret->readout_us = u.readout_us;
	ret->bound_permyriad = u.bound_permyriad;
	ret->power_mw = u.power_mw;
	ret->channels = u.channels;
	ret->gate = u.gate;
	ret->gate_prev = u.gate_prev;
	ret->guard = u.guard;
	ret->frames = u.frame_source != NST_UFRAMES_NONE;
	for (u32 i = 0; i < u.channels; i++)
		ret->sample[i] = sample_from_uapi(&u.sample[i]);
	return 0;
}

static int dev_events(struct nst_dev *dev, struct nst_dev_event *ret,
		      unsigned int max)
{
	struct nst_nstdev *d = from_dev(dev);
	struct nst_uapi_event u[EVENTS_MAX];
	unsigned int count;
	ssize_t len;

	if (d->fd < 0)
		return -ENODEV;
	if (max > EVENTS_MAX)
		max = EVENTS_MAX;
	do {
		len = read(d->fd, u, max * sizeof(u[0]));
	} while (len < 0 && errno == EINTR);
	if (len < 0)
		return errno == EAGAIN ? 0 : -errno;
	count = (unsigned int)((size_t)len / sizeof(u[0]));
	for (unsigned int i = 0; i < count; i++) {
		if (u[i].version != NST_ABI_VERSION)
			return -EPROTO;
		ret[i] = event_from_uapi(&u[i]);
	}
	return (int)count;
}

static int dev_lease(struct nst_dev *dev, enum nst_dev_lease op,
		     u32 heartbeat_ms, u32 *ret_limit_ms)
{
	static const u32 ops[] = {
		[NST_DEV_TAKE] = NST_LEASE_TAKE,
		[NST_DEV_RENEW] = NST_LEASE_RENEW,
		[NST_DEV_GIVE_BACK] = NST_LEASE_GIVE_BACK,
	};
	struct nst_uapi_lease u = { .op = ops[op],
				    .heartbeat_ms = heartbeat_ms };
	int r;

	r = do_ioctl(from_dev(dev), NST_IOC_LEASE, &u);
	if (r)
		return r;
	if (ret_limit_ms)
		*ret_limit_ms = u.heartbeat_ms;
	return 0;
}

static int dev_set_gate(struct nst_dev *dev, const struct nst_dev_gate *gate,
			struct nst_dev_applied *ret)
{
	struct nst_uapi_gate u = {
		.gate = gate->gate,
		.when = gate->frame_seq ? NST_GATE_WHEN_FRAME
					: NST_GATE_WHEN_NOW,
		.flags = NST_GATE_PLACEMENT |
			 (gate->run_us ? NST_GATE_WINDOW : 0),
		.offset_us = gate->run_from_us,
		.window_us = gate->run_us,
		.frame_seq = gate->frame_seq,
		.placement = gate->placement,
		.reason = gate->reason,
	};
	int r;

	r = do_ioctl(from_dev(dev), NST_IOC_SET_GATE, &u);
	if (r)
		return r;
	ret->frame_seq = u.ret_frame_seq;
	ret->gate = (u8)u.ret_applied;
	ret->clamped = u.ret_clamped;
	return 0;
}

static int read_attr(struct nst_nstdev *d, const char *attr, char *buf,
		     size_t size)
{
	char path[NST_NSTDEV_PATH_LEN + 32];

	snprintf(path, sizeof(path), "%s/%s", d->sys, attr);
	return nst_path_read_line(path, buf, size);
}

static int read_temp(struct nst_nstdev *d, const char *attr, s32 *ret_mc)
{
	char path[NST_NSTDEV_PATH_LEN + 32], text[16];
	long long val;
	int r;

	snprintf(path, sizeof(path), "%s/%s", d->sys, attr);
	r = nst_path_read_line(path, text, sizeof(text));
	if (r >= 0 && !strcmp(text, "none")) {
		*ret_mc = NST_TEMP_NONE_MC;
		return 0;
	}
	r = nst_path_read_int(path, &val);
	if (r)
		return r;
	if (val != NST_TEMP_NONE_MC &&
	    (val < NST_TEMP_MIN_MC || val > NST_TEMP_MAX_MC))
		return -ERANGE;
	*ret_mc = (s32)val;
	return 0;
}

/* The attribute files go before the character device says so. */
static int gone(int r)
{
	return r == -ENOENT ? -ENODEV : r;
}

static int dev_owner(struct nst_dev *dev, char *buf, size_t size)
{
	int r = read_attr(from_dev(dev), "owner", buf, size);

	return r < 0 ? gone(r) : 0;
}

static int dev_get_policy(struct nst_dev *dev, struct nst_dev_policy *ret)
{
	struct nst_nstdev *d = from_dev(dev);
	struct nst_dev_policy p = { 0 };
	char text[16];
	int r;

	r = read_attr(d, "policy/auto", text, sizeof(text));
	if (r < 0)
		return gone(r);
	if (strcmp(text, "0") && strcmp(text, "1"))
		return -EPROTO;
	p.automatic = text[0] == '1';
	r = read_temp(d, "policy/high_temp", &p.thr.high_mc);
	if (!r)
		r = read_temp(d, "policy/low_temp", &p.thr.low_mc);
	if (!r)
		r = read_temp(d, "policy/capture_temp", &p.thr.capture_mc);
	if (!r)
		r = read_temp(d, "policy/max_temp", &p.thr.max_mc);
	if (r)
		return gone(r);
	*ret = p;
	return 0;
}

static int dev_set_limits(struct nst_dev *dev,
			  const struct nst_thresholds *thr)
{
	struct nst_uapi_limits u = {
		.high_mc = thr->high_mc,
		.low_mc = thr->low_mc,
		.capture_mc = thr->capture_mc,
		.max_mc = thr->max_mc,
	};

	return do_ioctl(from_dev(dev), NST_IOC_SET_LIMITS, &u);
}

static int dev_capture(struct nst_dev *dev,
		       const struct nst_dev_capture *ticket, u32 *ret_id)
{
	struct nst_uapi_capture u = {
		.temp_mc = ticket->temp_mc,
		.deadline_us = ticket->deadline_us,
		.frames = ticket->frames,
	};
	int r;

	r = do_ioctl(from_dev(dev), NST_IOC_CAPTURE, &u);
	if (!r)
		*ret_id = u.ret_id;
	return r;
}

static int dev_capture_cancel(struct nst_dev *dev, u32 id)
{
	struct nst_uapi_capture_cancel u = { .id = id };

	return do_ioctl(from_dev(dev), NST_IOC_CAPTURE_CANCEL, &u);
}

static void dev_close(struct nst_dev *dev)
{
	struct nst_nstdev *d = from_dev(dev);

	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

static const struct nst_dev_ops nstdev_ops = {
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

/* ------------------------------------------------------------- finding */

struct find {
	const char *class_dir;
	const char *selector;
	char node[NST_DEV_NAME_LEN];	/* nstN */
};

static int read_name(const char *class_dir, const char *node, char *buf,
		     size_t size)
{
	char path[NST_NSTDEV_PATH_LEN + NST_DEV_NAME_LEN];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s/name", class_dir,
			     node) >= sizeof(path))
		return -ENAMETOOLONG;
	return nst_path_read_line(path, buf, size);
}

static int match_name(const char *node, void *arg)
{
	struct find *f = arg;
	char name[NST_DEV_NAME_LEN];

	if (strlen(node) >= sizeof(f->node) ||
	    read_name(f->class_dir, node, name, sizeof(name)) < 0 ||
	    strcmp(name, f->selector))
		return 0;
	strcpy(f->node, node);
	return 1;
}

static int match_node(const char *node, void *arg)
{
	struct find *f = arg;
	const char *wanted = f->selector;

	if (!strncmp(wanted, "/dev/", 5))
		wanted += 5;
	if (strlen(node) >= sizeof(f->node) || strcmp(node, wanted))
		return 0;
	strcpy(f->node, node);
	return 1;
}

static int find_node(struct find *f)
{
	int r;

	r = nst_scan_dir(f->class_dir, match_name, f);
	if (r == 0)
		r = nst_scan_dir(f->class_dir, match_node, f);
	if (r == -ENOENT || r == 0)
		return -ENODEV;
	return r < 0 ? r : 0;
}

static int read_info(struct nst_nstdev *d, const char *node)
{
	struct nst_uapi_info u = { 0 };
	struct nst_dev_info *info = &d->info;
	int r;

	r = do_ioctl(d, NST_IOC_INFO, &u);
	if (r == -ENOTTY || (!r && u.abi_version != NST_ABI_VERSION))
		return -EPROTO;
	if (r)
		return r;
	if (u.channels > NST_DEV_CHANNELS_MAX)
		return -EPROTO;
	memset(info, 0, sizeof(*info));
	copy_text(info->name, sizeof(info->name), u.name, sizeof(u.name));
	copy_text(info->node, sizeof(info->node), node, strlen(node));
	copy_text(info->provider, sizeof(info->provider), u.provider,
		  sizeof(u.provider));
	copy_text(info->model, sizeof(info->model), u.model,
		  sizeof(u.model));
	info->channels = u.channels;
	for (u32 i = 0; i < u.channels; i++)
		copy_text(info->label[i], sizeof(info->label[i]), u.label[i],
			  sizeof(u.label[i]));
	for (int i = 0; i < NST_GATE_COUNT; i++) {
		info->gate_power_mw[i] = u.gate_power_mw[i];
		info->gate_enter_us[i] = u.gate_enter_us[i];
		info->gate_exit_us[i] = u.gate_exit_us[i];
	}
	info->has_power = u.caps & NST_CAP_POWER;
	info->windows = u.caps & NST_CAP_GATE_STANDBY;
	return 0;
}

int nst_nstdev_open(struct nst_nstdev *d, const char *root,
		    const char *selector)
{
	char class_dir[NST_NSTDEV_PATH_LEN - NST_DEV_NAME_LEN];
	char node[NST_DEV_NAME_LEN], path[NST_NSTDEV_PATH_LEN];
	struct find f = { .class_dir = class_dir, .selector = selector };
	struct nst_nstdev new = { .dev.ops = &nstdev_ops };
	int r;

	r = nst_path_join(class_dir, sizeof(class_dir), root, CLASS_DIR);
	if (!r)
		r = find_node(&f);
	if (r)
		return r;
	snprintf(node, sizeof(node), "/dev/%.32s", f.node);
	r = nst_path_join(path, sizeof(path), root, node);
	if (r)
		return r;
	snprintf(new.sys, sizeof(new.sys), "%s/%.32s", class_dir, f.node);
	/* No write permission is no lease, but reading still works. */
	new.fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (new.fd < 0 && (errno == EACCES || errno == EPERM))
		new.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (new.fd < 0)
		return errno == ENOENT || errno == ENXIO ? -ENODEV : -errno;
	r = read_info(&new, node);
	if (r) {
		close(new.fd);
		return r;
	}
	*d = new;
	return 0;
}

static bool describe(const char *node, const char *name, char *text,
		     size_t size)
{
	snprintf(text, size, "%s (%s)", name, node);
	return true;
}

void nst_nstdev_list(const char *root, char *buf, size_t size)
{
	nst_scan_list(root, CLASS_DIR, describe, buf, size);
}
