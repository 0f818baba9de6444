// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cmd_record.c - nstctl record: every frame into a recording
 *
 * From nstd, which gives its verdicts to subscribers; or, with --device,
 * from the kernel alone: temperature, gate and timing of every frame, with
 * no verdict and no exposure temperature, since nobody made them. A signal
 * ends the recording as its duration does: the file is complete.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "daemon.h"
#include "log.h"
#include "nstctl.h"
#include "nstdev.h"
#include "options.h"
#include "places.h"
#include "rec.h"

#define DURATION_MAX_S 10000000
#define EVENTS_MAX 64

enum {
	OPT_OUTPUT,
	OPT_DURATION,
	OPT_SENSOR,
	OPT_DEVICE,
	OPT_SOCKET,
	OPT_HELP,
};

static const struct nst_option options[] = {
	[OPT_OUTPUT] = { "--output", "FILE",
			 "where to (standard output)" },
	[OPT_DURATION] = { "--duration", "SECONDS",
			   "how long (until a signal)" },
	[OPT_SENSOR] = { "--sensor", "NAME", "this sensor only (all)" },
	[OPT_DEVICE] = { "--device", "NAME",
			 "from this nst device itself, without nstd" },
	[OPT_SOCKET] = { "--socket", "PATH",
			 "socket of nstd (" NST_PLACES_SOCKET_HELP ")" },
	[OPT_HELP] = { "--help", NULL, "show this help" },
};

struct args {
	const char *output;
	const char *sensor;
	const char *device;
	const char *socket;
	double duration_s;
	bool help;
};

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

static int parse(int argc, char **argv, struct args *a)
{
	struct nst_options opts;
	const char *value;
	int i;

	nst_options_init(&opts, "nstctl record", options,
			 NST_ARRAY_SIZE(options), argc, argv);
	while ((i = nst_options_next(&opts, &value)) != NST_OPTIONS_END) {
		switch (i) {
		case OPT_OUTPUT:
			a->output = value;
			break;
		case OPT_DURATION:
			if (nst_options_real(&opts, i, value, 0.001,
					     DURATION_MAX_S, &a->duration_s))
				return -EINVAL;
			break;
		case OPT_SENSOR:
			a->sensor = value;
			break;
		case OPT_DEVICE:
			a->device = value;
			break;
		case OPT_SOCKET:
			a->socket = value;
			break;
		case OPT_HELP:
			a->help = true;
			break;
		case NST_OPTIONS_PLAIN:
			return nst_options_none_plain(&opts, value);
		default:
			return -EINVAL;
		}
	}
	if (a->device && a->sensor) {
		fprintf(stderr, "nstctl record: --device and --sensor exclude "
			"each other\n");
		return -EINVAL;
	}
	return 0;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Time left, at most a second so that a signal between two calls is seen. */
static int left_ms(int64_t end_ms)
{
	int64_t left = end_ms < 0 ? 1000 : end_ms - now_ms();

	return left < 0 ? 0 : left > 1000 ? 1000 : (int)left;
}

static bool over(int64_t end_ms)
{
	return stopped || (end_ms >= 0 && now_ms() >= end_ms);
}

/* ---------------------------------------------------------------- nstd */

/* The index of a word, -1 for one that this program does not know. */
static int word(struct json_object *o, const char *key,
		const char *(*name)(int i), int count)
{
	const char *text = nst_daemon_text(o, key);

	for (int i = 0; i < count; i++)
		if (!strcmp(text, name(i)))
			return i;
	return -1;
}

static const char *state_name(int i)
{
	return nst_rec_state_name((enum nst_sample_state)i);
}

static const char *gate_name(int i)
{
	return nst_gate_name((enum nst_gate)i);
}

static const char *placement_name(int i)
{
	return nst_placement_name((enum nst_placement)i);
}

static s32 temp(struct json_object *o, const char *key)
{
	return (s32)nst_daemon_int(o, key, NST_TEMP_NONE_MC);
}

static int frame_from_json(struct json_object *o, struct nst_rec_frame *ret)
{
	int state = word(o, "temp_state", state_name, NST_SAMPLE_STATE_COUNT);
	int gate = word(o, "gate", gate_name, NST_GATE_COUNT);
	int placement = word(o, "placement", placement_name,
			     NST_PLACEMENT_COUNT);

	if (state < 0 || gate < 0 || placement < 0)
		return -EPROTO;
	*ret = (struct nst_rec_frame){
		.seq = (u64)nst_daemon_int(o, "seq", 0),
		.t_us = (u64)nst_daemon_int(o, "t_us", 0),
		.temp_mc = temp(o, "temp_mc"),
		.temp_state = (enum nst_sample_state)state,
		.gate = (enum nst_gate)gate,
		.placement = (enum nst_placement)placement,
		.exposure_temp_mc = temp(o, "exposure_temp_mc"),
		.limit_mc = temp(o, "limit_mc"),
		.high_mc = temp(o, "high_mc"),
		.low_mc = temp(o, "low_mc"),
		.max_mc = temp(o, "max_mc"),
		.ambient_mc = temp(o, "ambient_mc"),
		.power_mw = (u32)nst_daemon_int(o, "power_mw", 0),
		.exposure_us = (u32)nst_daemon_int(o, "exposure_us", 0),
		.iso = (u32)nst_daemon_int(o, "iso", 0),
		.lux_milli = (u32)nst_daemon_int(o, "lux_milli", 0),
		.delivered = json_object_get_boolean(
			nst_daemon_get(o, "delivered")),
		.reason_text = nst_daemon_text(o, "reason"),
	};
	snprintf(ret->sensor, sizeof(ret->sensor), "%s",
		 nst_daemon_text(o, "sensor"));
	return 0;
}

static int write_frames(struct nst_rec_writer *w, FILE *out,
			struct json_object *packet, const char *sensor)
{
	struct json_object *frames = nst_daemon_get(packet, "frames");
	size_t count = json_object_is_type(frames, json_type_array)
		? json_object_array_length(frames) : 0;

	for (size_t i = 0; i < count; i++) {
		struct json_object *o = json_object_array_get_idx(frames, i);
		struct nst_rec_frame frame;
		int r;

		if (sensor && strcmp(sensor, nst_daemon_text(o, "sensor")))
			continue;
		r = frame_from_json(o, &frame);
		if (!r)
			r = nst_rec_writer_frame(w, &frame);
		if (r)
			return nst_log_err(r, "a frame of nstd");
	}
	/* Whole lines, whatever ends us. */
	return fflush(out) ? nst_log_err(-errno, "cannot write") : 0;
}

static int write_meta(struct nst_rec_writer *w, FILE *out,
		      struct json_object *ok)
{
	struct json_object *meta = nst_daemon_get(ok, "meta");
	size_t count = json_object_is_type(meta, json_type_array)
		? json_object_array_length(meta) : 0;

	for (size_t i = 0; i < count; i++) {
		struct json_object *o = json_object_array_get_idx(meta, i);
		int r = nst_rec_writer_meta(w, json_object_get_string(o));

		if (r)
			return nst_log_err(r, "description of nstd");
	}
	return fflush(out) ? nst_log_err(-errno, "cannot write") : 0;
}

/* A name that no frame ever has would give an empty recording in silence. */
static int check_sensor(int fd, const char *sensor)
{
	_cleanup_(nst_daemon_putp) struct json_object *status = NULL;
	struct json_object *sensors;
	size_t count;
	int r;

	r = nst_daemon_call(fd, "status", &status);
	if (r)
		return r;
	sensors = nst_daemon_get(status, "sensors");
	count = json_object_is_type(sensors, json_type_array)
		? json_object_array_length(sensors) : 0;
	for (size_t i = 0; i < count; i++)
		if (!strcmp(sensor, nst_daemon_text(
				json_object_array_get_idx(sensors, i),
				"name")))
			return 0;
	fprintf(stderr, "nstctl: nstd has no sensor '%s', it has:", sensor);
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, " %s", nst_daemon_text(
				json_object_array_get_idx(sensors, i),
				"name"));
	fputc('\n', stderr);
	return -ENODEV;
}

static int record_daemon(const struct args *a, int fd,
			 struct nst_rec_writer *w, FILE *out, int64_t end_ms)
{
	_cleanup_(nst_daemon_putp) struct json_object *ok = NULL;
	int64_t lost = 0;
	int r;

	r = a->sensor ? check_sensor(fd, a->sensor) : 0;
	if (!r)
		r = nst_daemon_call(fd, "subscribe", &ok);
	if (!r)
		r = write_meta(w, out, ok);
	while (!r && !over(end_ms)) {
		_cleanup_(nst_daemon_putp) struct json_object *packet = NULL;

		r = nst_daemon_receive(fd, left_ms(end_ms), &packet);
		if (r == -ETIMEDOUT || r == -EINTR) {
			r = 0;
			continue;
		}
		if (r == -EPIPE) {
			nst_log(NST_LOG_NOTICE, "nstd has ended, and the "
				"recording with it");
			return 0;
		}
		if (r)
			return nst_log_err(r, "nstd");
		r = write_frames(w, out, packet, a->sensor);
		lost = nst_daemon_int(packet, "lost", 0);
	}
	if (lost)
		nst_log(NST_LOG_WARNING, "%" PRId64 " frames were lost: this "
			"program was too slow", lost);
	return r;
}

/* -------------------------------------------------------------- device */

static void frame_from_state(struct nst_rec_frame *f, const char *name,
			     const struct nst_dev_state *state)
{
	const struct nst_sample *s = &state->sample[0];

	*f = (struct nst_rec_frame){
		.seq = state->frame_seq,
		.t_us = state->frame_start_us,
		.temp_mc = s->value_mc,
		.temp_state = state->channels
			? (enum nst_sample_state)s->state : NST_SAMPLE_NO_DATA,
		.gate = (enum nst_gate)state->gate,
		.exposure_temp_mc = NST_TEMP_NONE_MC,
		.limit_mc = NST_TEMP_NONE_MC,
		.ambient_mc = NST_TEMP_NONE_MC,
		.exposure_us = state->exposure_us,
		.reason_text = "no governor",
	};
	snprintf(f->sensor, sizeof(f->sensor), "%.31s", name);
}

/* Frame n is processed in the period after: written when that is known. */
static int device_frame(struct nst_dev *dev, const char *name,
			struct nst_rec_writer *w, struct nst_rec_frame *held,
			bool *has_held)
{
	struct nst_dev_policy policy;
	struct nst_dev_state state;
	int r;

	r = dev->ops->sample(dev, &state);
	if (r)
		return r;
	if (*has_held && state.frame_seq <= held->seq)
		return 0;
	if (*has_held) {
		held->placement = state.gate == NST_GATE_RUN ? NST_NEAR
							     : NST_PAUSED;
		held->delivered = state.gate == NST_GATE_RUN;
		held->power_mw = state.power_mw;
		r = nst_rec_writer_frame(w, held);
		if (r)
			return r;
	}
	frame_from_state(held, name, &state);
	r = dev->ops->get_policy(dev, &policy);
	if (r)
		return r;
	held->high_mc = policy.thr.high_mc;
	held->low_mc = policy.thr.low_mc;
	held->max_mc = policy.thr.max_mc;
	*has_held = true;
	return 0;
}

/* Device names may be paths; names in recordings may not. */
static void sensor_name(char *buf, size_t size, const char *device)
{
	size_t i;

	for (i = 0; device[i] && i + 1 < size; i++) {
		char c = device[i];
		bool plain = (c >= 'a' && c <= 'z') ||
			     (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || strchr("_.-", c);

		buf[i] = plain ? c : '_';
	}
	buf[i] = '\0';
}

static int record_device(struct nst_nstdev *d, struct nst_rec_writer *w,
			 int64_t end_ms)
{
	struct nst_dev *dev = &d->dev;
	struct pollfd p = { .fd = d->fd, .events = POLLIN };
	struct nst_dev_event events[EVENTS_MAX];
	struct nst_rec_frame held = { 0 };
	bool has_held = false;
	char name[NST_REC_SENSOR_LEN], line[160];
	int r;

	sensor_name(name, sizeof(name), d->info.name);
	snprintf(line, sizeof(line), "sensor %s device=%s", name,
		 d->info.name);
	r = nst_rec_writer_meta(w, line);
	while (!r && !over(end_ms)) {
		bool frame = false;
		int count;

		if (poll(&p, 1, left_ms(end_ms)) <= 0)
			continue;
		count = dev->ops->events(dev, events, EVENTS_MAX);
		for (int i = 0; i < count; i++)
			frame = frame || events[i].type == NST_DEV_FRAME;
		r = count < 0 ? count : 0;
		if (!r && frame)
			r = device_frame(dev, name, w, &held, &has_held);
	}
	return r ? nst_log_err(r, "device '%s'", d->info.node) : 0;
}

/* -------------------------------------------------------------- command */

struct source {
	struct nst_nstdev dev;
	int fd;
};

static int open_source(const struct args *a, struct source *src)
{
	char list[256];
	int r;

	if (!a->device) {
		src->fd = nst_daemon_connect(a->socket);
		return src->fd < 0 ? src->fd : 0;
	}
	r = nst_nstdev_open(&src->dev, "", a->device);
	if (!r)
		return 0;
	nst_nstdev_list("", list, sizeof(list));
	return nst_log_err(r, "device '%s' (there are: %s)", a->device, list);
}

static int run(const struct args *a, struct source *src, FILE *out)
{
	struct nst_rec_writer *w = NULL;
	int64_t end_ms = -1;
	int r;

	r = nst_rec_writer_new(&w, out);
	if (r)
		return nst_log_err(r, "cannot write");
	if (a->duration_s > 0)
		end_ms = now_ms() + (int64_t)(a->duration_s * 1000);
	r = a->device ? record_device(&src->dev, w, end_ms)
		      : record_daemon(a, src->fd, w, out, end_ms);
	nst_rec_writer_free(w);
	if (!r && (ferror(out) || fflush(out)))
		r = nst_log_err(-EIO, "cannot write");
	return r;
}

/* The output is made when there is something to put in, not before. */
static int record(const struct args *a)
{
	_cleanup_fclose_ FILE *file = NULL;
	struct source src = { .dev.fd = -1, .fd = -1 };
	int r;

	r = open_source(a, &src);
	if (!r && a->output && strcmp(a->output, "-")) {
		file = fopen(a->output, "we");
		if (!file)
			r = nst_log_err(-errno, "'%s'", a->output);
	}
	if (!r)
		r = run(a, &src, file ? file : stdout);
	if (src.dev.fd >= 0)
		src.dev.dev.ops->close(&src.dev.dev);
	if (src.fd >= 0)
		close(src.fd);
	return r;
}

int nst_cmd_record(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal };
	struct args a = { .socket = nst_places_socket() };

	if (parse(argc, argv, &a))
		return NST_EXIT_USAGE;
	if (a.help) {
		printf("usage: nstctl record [OPTIONS]\n");
		nst_options_help(options, NST_ARRAY_SIZE(options), stdout);
		return NST_EXIT_OK;
	}
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	return nst_exit_from_errno(record(&a));
}
