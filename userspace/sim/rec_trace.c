// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* rec_trace.c - a recording as a trace, see rec_trace.h */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "light_log.h"
#include "number.h"
#include "rec_trace.h"

#define GAPS_TOLD 5
#define STEPS_MAX 1000000
#define US_PER_S 1000000ull

struct reader {
	const char *path;
	FILE *err;
	const struct nst_profile_sensor *profile;
	struct nst_rec_reader *rec;
	struct nst_rec_trace *ret;
	size_t room;
	struct nst_rec_frame last;
	u64 start_us;
	u64 period_us;		/* of the last two frames without a gap */
};

static void say(const struct reader *rd, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(const struct reader *rd, const char *format, ...)
{
	va_list ap;

	fprintf(rd->err, "%s:%lu: ", rd->path, nst_rec_reader_line(rd->rec));
	va_start(ap, format);
	vfprintf(rd->err, format, ap);
	va_end(ap);
	fputc('\n', rd->err);
}

/* ------------------------------------------------------------- steps --- */

static int put_step(struct reader *rd, const struct nst_trace_step *step)
{
	struct nst_trace *trace = &rd->ret->trace;

	if (trace->count >= STEPS_MAX) {
		say(rd, "light or weather have changed %d times: too many",
		    STEPS_MAX);
		return -EBADMSG;
	}
	if (trace->count == rd->room) {
		size_t more = rd->room ? rd->room * 2 : 64;
		void *p = reallocarray(trace->steps, more, sizeof(*step));

		if (!p)
			return -ENOMEM;
		trace->steps = p;
		rd->room = more;
	}
	trace->steps[trace->count++] = *step;
	return 0;
}

static bool same_ambient(const struct nst_trace_step *a,
			 const struct nst_trace_step *b)
{
	return abs(a->ambient_mc - b->ambient_mc) < NST_REC_TRACE_AMBIENT_MC;
}

static int take_step(struct reader *rd, const struct nst_rec_frame *f)
{
	const struct nst_profile_light *light = &rd->profile->light;
	struct nst_rec_trace *ret = rd->ret;
	struct nst_trace_step step = {
		.t_us = f->t_us - rd->start_us,
		.exposure_us = f->exposure_us,
		.iso = f->iso,
		.lux_milli = f->lux_milli,
		.has_ambient = true,
		.ambient_mc = f->ambient_mc,
	}, *last = NULL;

	if (ret->trace.count)
		last = &ret->trace.steps[ret->trace.count - 1];
	if (!f->exposure_us || !f->iso) {
		if (!ret->without_light++)
			say(rd, "exposure or gain are not recorded from here on: taken as the profile has them, %u us, ISO %u",
			    light->exposure_us, light->iso);
		step.exposure_us = light->exposure_us;
		step.iso = light->iso;
		step.lux_milli = light->lux_milli;
	}
	if (f->ambient_mc == NST_TEMP_NONE_MC) {
		if (!ret->without_ambient++)
			say(rd, "ambient temperature is not recorded from here on: taken as the profile has it, %.1f degC",
			    rd->profile->ambient_mc / 1000.0);
		step.ambient_mc = rd->profile->ambient_mc;
	}
	if (last && !last->unknown && last->exposure_us == step.exposure_us &&
	    last->iso == step.iso && same_ambient(last, &step))
		return 0;
	return put_step(rd, &step);
}

/* What was recorded last holds for a while; then nobody knows. */
static int take_gap(struct reader *rd, u64 missing, u64 len_us)
{
	struct nst_rec_trace *ret = rd->ret;
	u64 hold_us = NST_LIGHT_HOLD_S * US_PER_S;
	struct nst_trace_step step = { .unknown = true };

	ret->gaps++;
	ret->missing += missing;
	ret->gap_us += len_us;
	/* A period of it is that of the frame that is there. */
	if (len_us > rd->period_us)
		ret->lost_us += len_us - rd->period_us;
	if (ret->gaps <= GAPS_TOLD)
		say(rd, "%" PRIu64 " frames, %.3f s, are missing after %.3f s: light and weather are taken to hold%s",
		    missing, (double)len_us / 1e6,
		    (double)(rd->last.t_us - rd->start_us) / 1e6,
		    len_us > hold_us ? " for 300 s, then light to be dim" : "");
	if (len_us <= hold_us)
		return 0;
	ret->unknown_us += len_us - hold_us;
	step.t_us = rd->last.t_us - rd->start_us + hold_us;
	nst_trace_auto_exposure(0, &step.exposure_us, &step.iso);
	return put_step(rd, &step);
}

/* ------------------------------------------------------------ frames --- */

/* 0, or -EBADMSG where time or numbers do not rise */
static int take_time(struct reader *rd, const struct nst_rec_frame *f)
{
	const struct nst_rec_frame *last = &rd->last;
	u64 len_us, missing;

	if (f->t_us <= last->t_us) {
		say(rd, "t_us %" PRIu64 " after %" PRIu64 ": time goes back, and a policy cannot follow",
		    f->t_us, last->t_us);
		return -EBADMSG;
	}
	if (f->seq <= last->seq) {
		say(rd, "seq %" PRIu64 " after %" PRIu64 ": frames go back, this is more than one recording",
		    f->seq, last->seq);
		return -EBADMSG;
	}
	len_us = f->t_us - last->t_us;
	missing = f->seq - last->seq - 1;
	/* A stretch of time without numbers missing is a camera that stood. */
	if (missing || len_us > NST_FRAME_PERIOD_MAX_US)
		return take_gap(rd, missing, len_us);
	rd->period_us = len_us;
	return 0;
}

static void sum_up(struct reader *rd, const struct nst_rec_frame *f)
{
	struct nst_rec_trace *ret = rd->ret;

	if (ret->frames && f->placement != rd->last.placement)
		ret->switches++;
	ret->frames++;
	ret->near += f->placement == NST_NEAR;
	if (f->delivered)
		ret->delivered++;
	else if (f->placement == NST_PAUSED)
		ret->dropped++;
	else
		ret->withheld++;
	if (f->delivered && f->exposure_temp_mc != NST_TEMP_NONE_MC &&
	    f->limit_mc != NST_TEMP_NONE_MC &&
	    f->exposure_temp_mc > f->limit_mc)
		ret->violations++;
	ret->energy_uj += (u64)f->power_mw * rd->period_us / 1000;
}

static void take_start(struct reader *rd, const struct nst_rec_frame *f)
{
	struct nst_rec_trace *ret = rd->ret;
	u32 power_mw = f->gate == NST_GATE_RUN ? ret->near_mw :
						 ret->capture_mw;

	if (ret->has_start || f->temp_state != NST_SAMPLE_VALID)
		return;
	if (!power_mw)
		power_mw = f->gate == NST_GATE_RUN ? rd->profile->near_mw :
						     rd->profile->capture_mw;
	ret->has_start = true;
	ret->start_die_mc = f->temp_mc;
	/* The die has forgotten its past after 20 ms. */
	ret->start_package_mc = f->temp_mc -
				(s32)(rd->profile->plant.r_jp_mk_per_w *
				      power_mw / 1000);
}

static void take_name(struct nst_rec_trace *ret, const char *name)
{
	for (size_t i = 0; i < ret->name_count; i++) {
		if (!strcmp(ret->names[i], name))
			return;
	}
	if (ret->name_count < NST_REC_TRACE_NAMES_MAX)
		strcpy(ret->names[ret->name_count++], name);
}

/* ---------------------------------------------------------- meta lines --- */

static int meta_power(const struct reader *rd, const char *text,
		      const char *key, u32 *ret)
{
	const char *at = strstr(text, key);
	char word[16];
	long long n;

	if (!at)
		return 0;
	at += strlen(key);
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, " "), at);
	if (nst_number_int(word, 1, NST_POWER_MAX_MW, &n)) {
		fprintf(rd->err, "%s: '%s%s' of the description is not valid; valid: 1 to %d\n",
			rd->path, key + 1, word, NST_POWER_MAX_MW);
		return -EBADMSG;
	}
	*ret = (u32)n;
	return 0;
}

static int take_meta(struct reader *rd)
{
	struct nst_rec_trace *ret = rd->ret;
	const char *text, *at;
	char head[48];
	int r;

	snprintf(head, sizeof(head), "sensor %s ", ret->sensor);
	for (unsigned int i = 0; (text = nst_rec_reader_meta(rd->rec, i)); i++) {
		if (strncmp(text, head, strlen(head)))
			continue;
		r = meta_power(rd, text, " near_mw=", &ret->near_mw);
		if (!r)
			r = meta_power(rd, text, " capture_mw=",
				       &ret->capture_mw);
		if (!r)
			r = meta_power(rd, text, " far_mw=", &ret->far_mw);
		if (r)
			return r;
		at = strstr(text, " policy=");
		if (at)
			snprintf(ret->policy, sizeof(ret->policy), "%.*s",
				 (int)strcspn(at + 8, " "), at + 8);
	}
	if (ret->near_mw && ret->capture_mw > ret->near_mw) {
		fprintf(rd->err, "%s: capture_mw %u of the description is above near_mw %u\n",
			rd->path, ret->capture_mw, ret->near_mw);
		return -EBADMSG;
	}
	return 0;
}

/* --------------------------------------------------------------- file --- */

static int first_frame(struct reader *rd, const struct nst_rec_frame *f)
{
	rd->start_us = f->t_us;
	rd->ret->limit_mc = f->limit_mc;
	return take_meta(rd);
}

static int read_all(struct reader *rd, const char *sensor)
{
	struct nst_rec_trace *ret = rd->ret;
	struct nst_rec_frame f;
	int r;

	while ((r = nst_rec_reader_next(rd->rec, &f)) > 0) {
		take_name(ret, f.sensor);
		if (!*ret->sensor)
			strcpy(ret->sensor, sensor ? sensor : f.sensor);
		if (strcmp(ret->sensor, f.sensor))
			continue;
		r = ret->frames ? take_time(rd, &f) : first_frame(rd, &f);
		if (!r)
			r = take_step(rd, &f);
		if (r)
			return r;
		take_start(rd, &f);
		sum_up(rd, &f);
		rd->last = f;
	}
	if (r)
		return r;
	if (!ret->name_count) {
		say(rd, "the recording has no frames");
		return -EBADMSG;
	}
	return ret->frames ? 0 : -ENOENT;
}

static int load(struct reader *rd, const char *sensor, FILE *in)
{
	struct nst_rec_trace *ret = rd->ret;
	int r;

	r = nst_rec_reader_new(&rd->rec, in, rd->path, rd->err);
	if (r)
		return r;
	r = read_all(rd, sensor);
	if (!r && ret->gaps > GAPS_TOLD)
		say(rd, "frames are missing %" PRIu64 " times in all",
		    ret->gaps);
	nst_rec_reader_free(rd->rec);
	if (r)
		return r;
	/* The last frame lasts as long as the one before it. */
	ret->duration_us = rd->last.t_us - rd->start_us + rd->period_us;
	ret->trace.end_us = ret->duration_us;
	snprintf(ret->trace.name, sizeof(ret->trace.name), "%s", rd->path);
	return 0;
}

int nst_rec_trace_load(struct nst_rec_trace *ret, const char *path,
		       const char *sensor,
		       const struct nst_profile_sensor *profile, FILE *err)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	struct reader rd = { .path = path, .err = err, .profile = profile,
			     .ret = ret, .period_us = 33333 };
	struct stat st;
	int r;

	memset(ret, 0, sizeof(*ret));
	ret->limit_mc = NST_TEMP_NONE_MC;
	if (!in || fstat(fileno(in), &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (sensor && strlen(sensor) >= NST_REC_SENSOR_LEN)
		sensor = "";
	r = load(&rd, sensor, in);
	if (r)
		nst_trace_free(&ret->trace);
	return r;
}
