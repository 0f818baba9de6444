// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * drive.c - take stacks on the step clock through a trace, and keep the score
 *
 * usage: drive [-s SOCKET] [-w] [-o DIR] PROFILE TRACE STACK[:nstd|:BELOW_MC]...
 *
 * Every stack sees the same trace, frame by frame. The limit is what the
 * vision task of the profile's first sensor needs at the present exposure and
 * gain. A stack with ":nstd" is governed by nstd (a sensor of the stack's
 * name), which works its limit out for itself and is asked for each verdict
 * before time goes on. All others are told: policy/high_temp follows the
 * limit, BELOW_MC under it, and policy/low_temp keeps its distance.
 *
 *	-w	no period takes less than itself by the wall clock, for those
 *		who govern by that. A late machine makes periods longer, and a
 *		governor sees more of each then, never less
 *	-o	write a recording of each stack there
 *
 * A frame is delivered when the VPU runs for the whole period after its
 * exposure, or as nstd says. It is a violation when its exposure temperature,
 * worked out here from the ground truth at the start of the period, is above
 * its limit; at a step of the light the more lenient of both limits holds for
 * one frame. Prints a line per stack:
 *
 *	NAME frames delivered withheld dropped violations worst_mc energy_uj
 *		max_die_mc gate_changes
 *
 * and "pace ..." with how late this program was. Exit status 1 when the truth
 * is not what the model here makes of it, or nstd has another limit.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "exposure.h"
#include "profile.h"
#include "rec.h"
#include "situation.h"
#include "trace.h"

#define STACKS_MAX 16
#define DEBUG_DIR "/sys/kernel/debug/nst-sim"
#define CLASS_DIR "/sys/class/nst"
#define TRUTH_TOLERANCE_MC 20
/* T_jump and 4 K: the default gap of the published policy */
#define GAP_MC 17200

struct truth {
	u64 now_us, frame_seq, energy_uj, time_run_us;
	s32 die_mc, package_mc, ambient_mc, max_die_mc;
	u32 period_us, exposure_us;
};

struct frame {
	bool there;
	u64 seq, t_us;
	s32 start_mc, exposure_mc, limit_mc, ambient_mc;
	bool run;
};

struct stack {
	const char *name;
	char dir[64];			/* of the class */
	bool nstd;
	s32 below_mc;
	int video_fd, truth_fd, advance_fd;
	struct truth at;
	struct frame frame;
	FILE *file;
	struct nst_rec_writer *rec;
	unsigned long frames, delivered, withheld, dropped, violations;
	unsigned long wrong, limits_differ;
	s32 worst_mc;
	u64 energy0_uj, changes0;
};

struct drive {
	struct nst_profile profile;
	struct nst_trace trace;
	struct nst_situation sit;
	struct stack stack[STACKS_MAX];
	size_t count;
	s32 limit_mc, limit_before_mc;
	int nstd_fd;
	bool wall;
	u64 due_us, late_sum_us, late_max_us, waits, late_over;
};

/* --------------------------------------------------------------- files */

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), r = 0;

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		r = -errno;
	if (r)
		fprintf(stderr, "%s: %s: %s\n", path, text, strerror(-r));
	if (fd >= 0)
		close(fd);
	return r;
}

static int put_number(const char *dir, const char *name, const char *attr,
		      long long value)
{
	char path[160], text[32];

	snprintf(path, sizeof(path), "%s/%s/%s", dir, name, attr);
	snprintf(text, sizeof(text), "%lld", value);
	return put(path, text);
}

static int get_text(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	char *line = f ? fgets(buf, (int)size, f) : NULL;

	if (f)
		fclose(f);
	if (!line)
		return -ENOENT;
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

static int open_debug(const char *name, const char *file, int flags)
{
	char path[160];
	int fd;

	snprintf(path, sizeof(path), DEBUG_DIR "/%s/%s", name, file);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	return fd;
}

/* The number behind a key; all of them are there, or this is not the file. */
static long long truth_of(const char *text, const char *key, bool *missing)
{
	size_t len = strlen(key);

	while (*text) {
		if (!strncmp(text, key, len) && text[len] == ' ')
			return strtoll(text + len, NULL, 10);
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	*missing = true;
	return 0;
}

static int read_truth(const struct stack *s, struct truth *t)
{
	bool missing = false;
	char text[2048];
	ssize_t len = pread(s->truth_fd, text, sizeof(text) - 1, 0);

	if (len < 0)
		return -errno;
	text[len] = '\0';
	t->now_us = (u64)truth_of(text, "now_us", &missing);
	t->frame_seq = (u64)truth_of(text, "frame_seq", &missing);
	t->energy_uj = (u64)truth_of(text, "energy_uj", &missing);
	t->time_run_us = (u64)truth_of(text, "time_run_us", &missing);
	t->die_mc = (s32)truth_of(text, "die_mc", &missing);
	t->package_mc = (s32)truth_of(text, "package_mc", &missing);
	t->ambient_mc = (s32)truth_of(text, "ambient_mc", &missing);
	t->max_die_mc = (s32)truth_of(text, "max_die_mc", &missing);
	t->period_us = (u32)truth_of(text, "frame_period_us", &missing);
	t->exposure_us = (u32)truth_of(text, "exposure_us", &missing);
	return missing ? -EPROTO : 0;
}

static int advance(const struct stack *s)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", s->at.period_us);

	return pwrite(s->advance_fd, text, (size_t)len, 0) == len ? 0 : -errno;
}

static u64 gate_changes(const struct stack *s)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), "%s/stats/gate_changes", s->dir);
	if (get_text(path, text, sizeof(text)))
		return 0;
	return strtoull(text, NULL, 10);
}

/* --------------------------------------------------------------- stacks */

static int find_class(struct stack *s)
{
	char path[128], text[64];

	for (int i = 0; i < 256; i++) {
		snprintf(path, sizeof(path), CLASS_DIR "/nst%d/name", i);
		if (get_text(path, text, sizeof(text)) ||
		    strcmp(text, s->name))
			continue;
		snprintf(s->dir, sizeof(s->dir), CLASS_DIR "/nst%d", i);
		return 0;
	}
	fprintf(stderr, "no stack '%s'\n", s->name);
	return -ENODEV;
}

static int find_camera(struct stack *s)
{
	char path[64], card[64];
	struct v4l2_capability cap;

	snprintf(card, sizeof(card), "nst-sim %s", s->name);
	for (int i = 0; i < 256; i++) {
		snprintf(path, sizeof(path), "/dev/video%d", i);
		s->video_fd = open(path, O_RDWR | O_CLOEXEC);
		if (s->video_fd < 0)
			continue;
		if (!ioctl(s->video_fd, VIDIOC_QUERYCAP, &cap) &&
		    !strcmp((const char *)cap.card, card))
			return 0;
		close(s->video_fd);
	}
	fprintf(stderr, "no camera '%s'\n", card);
	return -ENODEV;
}

static int set_camera(const struct stack *s, u32 exposure_us, u32 iso)
{
	struct v4l2_ext_control c[2] = {
		{ .id = V4L2_CID_EXPOSURE_ABSOLUTE,
		  .value = (int)(exposure_us / 100) },
		{ .id = V4L2_CID_ANALOGUE_GAIN, .value = (int)iso },
	};
	struct v4l2_ext_controls all = { .count = 2, .controls = c };

	if (!ioctl(s->video_fd, VIDIOC_S_EXT_CTRLS, &all))
		return 0;
	fprintf(stderr, "%s: camera controls: %s\n", s->name, strerror(errno));
	return -EIO;
}

/* In an order in which low < high holds all the way. */
static int set_limit(const struct stack *s, s32 limit_mc)
{
	s32 high_mc = limit_mc - s->below_mc;

	return put_number(s->dir, "policy", "low_temp", NST_TEMP_MIN_MC) ||
	       put_number(s->dir, "policy", "high_temp", high_mc) ||
	       put_number(s->dir, "policy", "low_temp", high_mc - GAP_MC);
}

static int parse_stack(struct drive *d, char *arg)
{
	struct stack *s = &d->stack[d->count];
	char *mark = strchr(arg, ':');

	if (d->count == STACKS_MAX)
		return -E2BIG;
	*s = (struct stack){ .name = arg, .video_fd = -1, .truth_fd = -1,
			     .advance_fd = -1,
			     .worst_mc = NST_TEMP_MIN_MC };
	if (mark) {
		*mark++ = '\0';
		s->nstd = !strcmp(mark, "nstd");
		s->below_mc = s->nstd ? 0 : (s32)strtol(mark, NULL, 10);
	}
	d->count++;
	s->truth_fd = open_debug(s->name, "truth", O_RDONLY);
	s->advance_fd = open_debug(s->name, "advance_us", O_WRONLY);
	return s->truth_fd < 0 || s->advance_fd < 0 || find_class(s) ||
	       find_camera(s);
}

static int open_recording(struct stack *s, const char *dir)
{
	char path[256], line[128];

	snprintf(path, sizeof(path), "%s/%s.rec", dir, s->name);
	s->file = fopen(path, "we");
	if (!s->file || nst_rec_writer_new(&s->rec, s->file))
		return -EIO;
	snprintf(line, sizeof(line), "sensor %s device=%s", s->name, s->name);
	return nst_rec_writer_meta(s->rec, line);
}

/* ----------------------------------------------------------------- nstd */

static int connect_to(const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", path);
	if (!connect(fd, (struct sockaddr *)&sun, sizeof(sun)))
		return fd;
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	return -1;
}

/* Waits for the verdict: time stands still meanwhile. */
static int verdict(struct drive *d, struct stack *s, bool *delivered,
		   bool *paused)
{
	struct json_object *reply = NULL, *ok, *o;
	static char buf[65537];
	ssize_t len;
	int r = -EIO;

	len = snprintf(buf, sizeof(buf),
		       "{\"id\":1,\"req\":\"frame.get\",\"sensor\":\"%s\",\"seq\":%" PRIu64
		       ",\"wait_ms\":9000}", s->name, s->frame.seq);
	if (send(d->nstd_fd, buf, (size_t)len, MSG_NOSIGNAL) != len)
		return -EIO;
	len = recv(d->nstd_fd, buf, sizeof(buf) - 1, 0);
	if (len <= 0)
		return -EIO;
	buf[len] = '\0';
	reply = json_tokener_parse(buf);
	if (!json_object_object_get_ex(reply, "ok", &ok)) {
		fprintf(stderr, "nstd: %s\n", buf);
		goto out;
	}
	*delivered = json_object_object_get_ex(ok, "deliver", &o) &&
		     json_object_get_boolean(o);
	*paused = json_object_object_get_ex(ok, "placement", &o) &&
		  !strcmp(json_object_get_string(o), "paused");
	if (json_object_object_get_ex(ok, "limit_mc", &o) &&
	    abs(json_object_get_int(o) - d->limit_mc) > 1 &&
	    abs(json_object_get_int(o) - d->limit_before_mc) > 1)
		s->limits_differ++;
	r = 0;
out:
	json_object_put(reply);
	return r;
}

/* ---------------------------------------------------------------- score */

static int write_frame(const struct drive *d, struct stack *s, bool delivered,
		       bool paused, const char *why)
{
	const struct nst_profile_sensor *sensor = &d->profile.sensors[0];
	const struct frame *f = &s->frame;
	struct nst_rec_frame rec = {
		.seq = f->seq,
		.t_us = f->t_us,
		.temp_mc = f->start_mc,
		.temp_state = NST_SAMPLE_VALID,
		.gate = f->run ? NST_GATE_RUN : NST_GATE_STANDBY,
		.placement = paused ? NST_PAUSED : NST_NEAR,
		.exposure_temp_mc = f->exposure_mc,
		.limit_mc = f->limit_mc,
		.high_mc = NST_TEMP_NONE_MC,
		.low_mc = NST_TEMP_NONE_MC,
		.max_mc = sensor->max_temp_mc,
		.power_mw = paused ? sensor->capture_mw : sensor->near_mw,
		.ambient_mc = f->ambient_mc,
		.exposure_us = d->sit.exposure_us,
		.iso = d->sit.iso,
		.delivered = delivered,
		.reason_text = why,
	};

	if (!s->rec)
		return 0;
	memcpy(rec.sensor, s->name, strlen(s->name) + 1);
	return nst_rec_writer_frame(s->rec, &rec);
}

static int settle(const struct drive *d, struct stack *s, bool delivered,
		  bool paused)
{
	struct frame *f = &s->frame;
	s32 over_mc = f->exposure_mc - f->limit_mc;

	if (!f->there)
		return 0;
	s->frames++;
	s->delivered += delivered;
	s->dropped += !delivered && paused;
	s->withheld += !delivered && !paused;
	if (delivered && over_mc > 0)
		s->violations++;
	if (delivered && over_mc > s->worst_mc)
		s->worst_mc = over_mc;
	return write_frame(d, s, delivered, paused,
			   delivered ? "delivered" :
			   paused ? "dropped" : "withheld");
}

/* The exposure in the period from @from on, from its state at the start. */
static void expose(const struct drive *d, struct stack *s,
		   const struct truth *from, const struct truth *to, bool run)
{
	const struct nst_profile_sensor *sensor = &d->profile.sensors[0];
	u32 power_mw = run ? sensor->near_mw : sensor->capture_mw;
	u32 len_us = (u32)(to->now_us - from->now_us);
	struct nst_plant plant;

	if (nst_plant_init(&plant, &sensor->plant, from->ambient_mc) ||
	    nst_plant_set_state(&plant, from->die_mc, from->package_mc)) {
		s->wrong++;
		return;
	}
	s->frame = (struct frame){
		.there = true,
		.seq = from->frame_seq,
		.t_us = from->now_us,
		.start_mc = from->die_mc,
		.ambient_mc = from->ambient_mc,
		.run = run,
		.limit_mc = d->limit_mc > d->limit_before_mc ?
				    d->limit_mc : d->limit_before_mc,
		.exposure_mc = nst_exposure_frame_mc(&plant, power_mw,
						     from->ambient_mc,
						     from->exposure_us,
						     sensor->readout_us,
						     sensor->doubling_mc),
	};
	nst_plant_step(&plant, power_mw, from->ambient_mc, len_us);
	if (abs(nst_plant_die_mc(&plant) - to->die_mc) > TRUTH_TOLERANCE_MC)
		s->wrong++;
}

static int one_stack(struct drive *d, struct stack *s)
{
	struct truth from = s->at;
	u64 run_us, len_us;
	bool run, paused, delivered;
	int r;

	r = read_truth(s, &s->at);
	if (r)
		return r;
	run_us = s->at.time_run_us - from.time_run_us;
	len_us = s->at.now_us - from.now_us;
	run = run_us * 2 > len_us;
	/* Gates change at boundaries, and a step is one period. */
	if ((run_us && run_us != len_us) ||
	    s->at.frame_seq != from.frame_seq + 1)
		s->wrong += s->frame.there;
	if (!s->nstd) {
		r = settle(d, s, run, !run);
		expose(d, s, &from, &s->at, run);
		return r;
	}
	expose(d, s, &from, &s->at, run);
	/* Number 0 is "before the first". */
	s->frame.there = s->frame.seq > 1;
	if (!s->frame.there)
		return 0;
	r = verdict(d, s, &delivered, &paused);
	return r ? r : settle(d, s, delivered, paused);
}

/* ---------------------------------------------------------------- drive */

static u64 wall_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000 + (u64)ts.tv_nsec / 1000;
}

static void pace(struct drive *d, u32 period_us)
{
	struct timespec ts;
	u64 now_us;

	if (!d->wall)
		return;
	d->due_us += period_us;
	ts.tv_sec = (time_t)(d->due_us / 1000000);
	ts.tv_nsec = (long)(d->due_us % 1000000) * 1000;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) ==
	       EINTR)
		;
	now_us = wall_us();
	if (now_us - d->due_us > d->late_max_us)
		d->late_max_us = now_us - d->due_us;
	d->late_sum_us += now_us - d->due_us;
	d->late_over += now_us - d->due_us > period_us;
	d->waits++;
	/* What is late is not caught up with. */
	d->due_us = now_us;
}

static int situation(struct drive *d, const struct nst_trace_step *step)
{
	int r = nst_situation_get(&d->sit, &d->profile, 0, step->exposure_us,
				  step->iso);

	if (r) {
		fprintf(stderr, "no situation at %u us, ISO %u\n",
			step->exposure_us, step->iso);
		return r;
	}
	d->limit_mc = d->sit.vision_max_mc;
	for (size_t i = 0; i < d->count && !r; i++) {
		struct stack *s = &d->stack[i];

		r = set_camera(s, step->exposure_us, step->iso);
		if (!r && step->has_ambient)
			r = put_number(DEBUG_DIR, s->name, "ambient_mc",
				       step->ambient_mc);
		if (!r && !s->nstd)
			r = set_limit(s, d->limit_mc);
		/* What the step says of the weather holds at once. */
		if (!r)
			r = read_truth(s, &s->at);
	}
	return r;
}

static int drive(struct drive *d)
{
	u64 t_us = 0, next = 0;
	u32 period_us = 0;
	int r = 0;

	d->due_us = wall_us();
	while (!r && t_us < d->trace.end_us) {
		d->limit_before_mc = next ? d->limit_mc : NST_TEMP_MIN_MC;
		if (next < d->trace.count &&
		    t_us >= d->trace.steps[next].t_us) {
			r = situation(d, &d->trace.steps[next++]);
			period_us = d->sit.policy.frame_period_us;
		}
		pace(d, period_us);
		for (size_t i = 0; i < d->count && !r; i++)
			r = advance(&d->stack[i]);
		for (size_t i = 0; i < d->count && !r; i++)
			r = one_stack(d, &d->stack[i]);
		t_us += period_us;
	}
	return r;
}

static int report(struct drive *d, u64 began_us)
{
	double wall_s = (double)(wall_us() - began_us) / 1e6;
	int bad = 0;

	for (size_t i = 0; i < d->count; i++) {
		struct stack *s = &d->stack[i];

		printf("stack %s %lu %lu %lu %lu %lu %d %" PRIu64 " %d %" PRIu64 "\n",
		       s->name, s->frames, s->delivered, s->withheld,
		       s->dropped, s->violations, s->worst_mc,
		       s->at.energy_uj - s->energy0_uj, s->at.max_die_mc,
		       gate_changes(s) - s->changes0);
		if (s->wrong || s->limits_differ) {
			fprintf(stderr, "%s: %lu periods not as the truth has them, %lu limits not nstd's\n",
				s->name, s->wrong, s->limits_differ);
			bad = 1;
		}
		nst_rec_writer_free(s->rec);
		if (s->file && fclose(s->file))
			bad = 1;
	}
	printf("pace %.1f s of the stack in %.1f s; late %.1f ms on average, %.1f ms at most, more than a period %" PRIu64
	       " of %" PRIu64 " times\n",
	       (double)d->trace.end_us / 1e6, wall_s,
	       d->waits ? (double)d->late_sum_us / (double)d->waits / 1e3 : 0.0,
	       (double)d->late_max_us / 1e3, d->late_over, d->waits);
	return bad;
}

int main(int argc, char **argv)
{
	static struct drive d = { .nstd_fd = -1 };
	const char *out = NULL;
	u64 began_us;
	int c;

	while ((c = getopt(argc, argv, "s:wo:")) != -1) {
		if (c == 'w')
			d.wall = true;
		else if (c == 'o')
			out = optarg;
		else if (c == 's')
			d.nstd_fd = connect_to(optarg);
		else
			return 3;
	}
	if (argc - optind < 3)
		return 3;
	if (nst_profile_load(&d.profile, argv[optind], stderr) ||
	    nst_trace_load(&d.trace, argv[optind + 1], stderr))
		return 1;
	for (int i = optind + 2; i < argc; i++) {
		struct stack *s = &d.stack[d.count];

		if (parse_stack(&d, argv[i]) ||
		    (out && open_recording(s, out)) ||
		    (s->nstd && d.nstd_fd < 0) ||
		    read_truth(s, &s->at))
			return 1;
		s->energy0_uj = s->at.energy_uj;
		s->changes0 = gate_changes(s);
	}
	began_us = wall_us();
	if (drive(&d)) {
		fprintf(stderr, "drive: ended early\n");
		return 1;
	}
	return report(&d, began_us);
}
