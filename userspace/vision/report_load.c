// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* report_load.c - the files of a run: see report.h */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "cleanup.h"
#include "log.h"
#include "rec.h"
#include "report.h"

/* Below this share of the camera's rate the run says so. */
#define SUSTAINED_PERCENT 90

static void json_putp(struct json_object **o)
{
	if (*o)
		json_object_put(*o);
}

static s64 number(struct json_object *line, const char *key, s64 otherwise)
{
	struct json_object *m;

	return json_object_object_get_ex(line, key, &m) ?
		json_object_get_int64(m) : otherwise;
}

static void text(struct json_object *line, const char *key, char *ret,
		 size_t size)
{
	struct json_object *m;

	snprintf(ret, size, "%s", json_object_object_get_ex(line, key, &m) ?
		 json_object_get_string(m) : "");
}

static struct nst_report_sensor *sensor_of(struct nst_report *report,
					   const char *name)
{
	struct nst_report_sensor *s;

	for (unsigned int i = 0; i < report->sensors; i++)
		if (!strcmp(report->sensor[i].name, name))
			return &report->sensor[i];
	if (report->sensors == NST_REPORT_SENSORS)
		return NULL;
	s = &report->sensor[report->sensors++];
	snprintf(s->name, sizeof(s->name), "%s", name);
	return s;
}

/* -------------------------------------------------------- vision.jsonl */

static void load_phase(struct nst_report *report, struct json_object *line)
{
	struct nst_report_sensor *s;
	struct nst_report_row *r;
	char name[32];

	text(line, "sensor", name, sizeof(name));
	s = sensor_of(report, name);
	if (!s)
		return;
	if (s->phases == NST_REPORT_PHASES) {
		if (!s->more++)
			nst_log(NST_LOG_WARNING, "%s: more than %d phases, "
				"the last ones are left out", name,
				NST_REPORT_PHASES);
		return;
	}
	text(line, "card", s->card, sizeof(s->card));
	s->near_mw = (u32)number(line, "near_mw", 0);
	s->far_mw = (u32)number(line, "far_mw", 0);

	r = &s->row[s->phases++];
	text(line, "phase", r->phase, sizeof(r->phase));
	r->from_us = (u64)number(line, "from_us", 0);
	r->to_us = (u64)number(line, "to_us", 0);
	r->duty_permyriad = (int)number(line, "duty_permyriad",
					NST_REPORT_NONE);
	r->run_us = r->duty_permyriad < 0 ? 0 :
		(r->to_us - r->from_us) * (u64)r->duty_permyriad / 10000;
	r->has_limit = json_object_object_get_ex(line, "limit_mc", NULL);
	r->limit_mc = (int)number(line, "limit_mc", 0);
	r->has_hottest = json_object_object_get_ex(line, "hottest_exposure_mc",
						   NULL);
	r->hottest_mc = (int)number(line, "hottest_exposure_mc", 0);
	r->ambient_mc = (int)number(line, "ambient_mc", 0);
	r->seen = (u64)number(line, "frames", 0);
	r->checked = (u64)number(line, "checked", 0);
	r->violations = (u64)number(line, "violations", 0);
	r->blind = (u64)number(line, "blind", 0);
	r->unjudged = (u64)number(line, "unjudged", 0);
	r->slipped_us = (u64)number(line, "slipped_us", 0);
	r->matches = (u64)number(line, "matches", 0);
	r->detections = (u64)number(line, "detections", 0);
	r->objects = (u64)number(line, "objects", 0);
	r->fps_milli = (u32)number(line, "fps_milli", 0);
	r->expected_fps_milli = (u32)number(line, "expected_fps_milli", 0);
	r->handovers = (u64)number(line, "handovers", 0);
	r->handovers_failed = (u64)number(line, "handovers_failed", 0);
	r->handover_us_max = (u64)number(line, "handover_us_max", 0);
	r->snr_cdb = (int)number(line, "mean_snr_cdb", 0);
	r->snr_low_cdb = (int)number(line, "lowest_snr_cdb", 0);
	r->snr_frames = (u64)number(line, "snr_frames", 0);
	r->demand_cdb = (int)number(line, "demand_cdb", 0);
	r->snr_asked = (u64)number(line, "snr_asked", 0);
	r->snr_below = (u64)number(line, "snr_below", 0);
	if ((u64)r->fps_milli * 100 <
	    (u64)r->expected_fps_milli * SUSTAINED_PERCENT)
		report->slow = true;
}

static unsigned int count_boxes(struct json_object *line, const char *key,
				bool only_matched)
{
	struct json_object *list;
	unsigned int n = 0;

	if (!json_object_object_get_ex(line, key, &list) ||
	    !json_object_is_type(list, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *box = json_object_array_get_idx(list, i);

		if (!json_object_is_type(box, json_type_array))
			continue;
		n += !only_matched || json_object_get_int(
			json_object_array_get_idx(box, 4));
	}
	return n;
}

static void load_picture(struct nst_report *report, struct json_object *line)
{
	struct nst_report_picture *p;
	size_t len;

	if (report->pictures == NST_REPORT_PICTURES)
		return;
	p = &report->picture[report->pictures];
	text(line, "file", p->file, sizeof(p->file));
	len = strlen(p->file);
	if (len < 5 || strchr(p->file, '/'))
		return;
	strcpy(p->file + len - 4, ".png");
	text(line, "sensor", p->sensor, sizeof(p->sensor));
	text(line, "phase", p->phase, sizeof(p->phase));
	text(line, "what", p->what, sizeof(p->what));
	p->exposure_mc = (int)number(line, "exposure_mc", 0);
	p->found = count_boxes(line, "found", false);
	p->matched = count_boxes(line, "found", true);
	p->truth = count_boxes(line, "truth", false);
	report->pictures++;
}

static int load_vision(struct nst_report *report)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	unsigned int number_of_line = 0;
	size_t size = 0;
	char path[512];

	snprintf(path, sizeof(path), "%s/vision.jsonl", report->dir);
	f = fopen(path, "re");
	if (!f)
		return nst_log_err(-errno, "%s", path);
	while (getline(&line, &size, f) > 0) {
		_cleanup_(json_putp) struct json_object *o =
			json_tokener_parse(line);
		char kind[16];

		number_of_line++;
		if (!o || !json_object_is_type(o, json_type_object)) {
			nst_log(NST_LOG_WARNING, "%s:%u: not a JSON object",
				path, number_of_line);
			continue;
		}
		text(o, "kind", kind, sizeof(kind));
		if (!strcmp(kind, "phase"))
			load_phase(report, o);
		else if (!strcmp(kind, "picture"))
			load_picture(report, o);
	}
	return report->sensors ? 0 : -ENODATA;
}

/* ------------------------------------------------------------ recording */

static void load_meta(struct nst_report *report, const char *line)
{
	char name[32], policy[32];
	const char *at;

	if (sscanf(line, "sensor %31s", name) != 1)
		return;
	for (unsigned int i = 0; i < report->sensors; i++) {
		struct nst_report_sensor *s = &report->sensor[i];

		if (strcmp(s->name, name))
			continue;
		at = strstr(line, " policy=");
		if (at && sscanf(at, " policy=%31s", policy) == 1)
			strcpy(s->policy, policy);
		at = strstr(line, " capture_mw=");
		if (at)
			(void)sscanf(at, " capture_mw=%u", &s->capture_mw);
	}
}

/* Where a sensor's last frame was, to know how long it lasted. */
struct follow {
	bool any;
	struct nst_rec_frame last;
};

static struct nst_report_row *row_at(struct nst_report_sensor *s, u64 t_us)
{
	for (unsigned int i = 0; i < s->phases; i++)
		if (t_us >= s->row[i].from_us && t_us < s->row[i].to_us)
			return &s->row[i];
	return NULL;
}

/* @last lasted until @next began. */
static void add_frame(struct nst_report_sensor *s,
		      const struct nst_rec_frame *last,
		      const struct nst_rec_frame *next)
{
	struct nst_report_row *r = row_at(s, last->t_us);
	u64 us = next->t_us - last->t_us;

	if (!r || next->seq != last->seq + 1)
		return;		/* between two runs, or a gap: no duration */
	r->frames++;
	r->time_us += us;
	/* mW * us = nJ */
	r->energy_uj += us * last->power_mw / 1000;
	r->far_energy_uj += us * s->far_mw / 1000;
	r->switches += next->placement != last->placement;
	if (last->delivered)
		r->delivered++;
	else if (last->placement == NST_PAUSED)
		r->dropped++;
	else
		r->withheld++;
}

static int load_frames(struct nst_report *report, struct nst_rec_reader *reader)
{
	struct follow follow[NST_REPORT_SENSORS] = { 0 };
	struct nst_rec_frame frame;
	int r;

	while ((r = nst_rec_reader_next(reader, &frame)) == 1)
		for (unsigned int i = 0; i < report->sensors; i++) {
			struct follow *f = &follow[i];

			if (strcmp(report->sensor[i].name, frame.sensor))
				continue;
			if (f->any)
				add_frame(&report->sensor[i], &f->last,
					  &frame);
			f->any = true;
			f->last = frame;
		}
	return r;
}

static int load_recording(struct nst_report *report)
{
	_cleanup_fclose_ FILE *f = NULL;
	struct nst_rec_reader *reader;
	const char *meta;
	char path[512];
	int r;

	snprintf(path, sizeof(path), "%s/demo.rec", report->dir);
	f = fopen(path, "re");
	if (!f)
		return nst_log_err(-errno, "%s", path);
	r = nst_rec_reader_new(&reader, f, path, stderr);
	if (r)
		return r;
	for (unsigned int i = 0; (meta = nst_rec_reader_meta(reader, i)); i++)
		load_meta(report, meta);
	r = load_frames(report, reader);
	nst_rec_reader_free(reader);
	return r;
}

/* ---------------------------------------------------------------- totals */

static void add_row(struct nst_report_row *all, const struct nst_report_row *r)
{
	all->frames += r->frames;
	all->delivered += r->delivered;
	all->withheld += r->withheld;
	all->dropped += r->dropped;
	all->switches += r->switches;
	all->time_us += r->time_us;
	all->energy_uj += r->energy_uj;
	all->far_energy_uj += r->far_energy_uj;
	all->run_us += r->run_us;
	all->to_us += r->to_us - r->from_us;
	all->seen += r->seen;
	all->checked += r->checked;
	all->violations += r->violations;
	all->blind += r->blind;
	all->unjudged += r->unjudged;
	all->slipped_us += r->slipped_us;
	all->matches += r->matches;
	all->detections += r->detections;
	all->objects += r->objects;
	all->handovers += r->handovers;
	all->handovers_failed = r->handovers_failed;
	if (r->handover_us_max > all->handover_us_max)
		all->handover_us_max = r->handover_us_max;
	if (r->has_hottest &&
	    (!all->has_hottest || r->hottest_mc > all->hottest_mc)) {
		all->hottest_mc = r->hottest_mc;
		all->has_hottest = true;
	}
}

static void sum_up(struct nst_report_sensor *s)
{
	strcpy(s->all.phase, "all");
	for (unsigned int i = 0; i < s->phases; i++)
		add_row(&s->all, &s->row[i]);
	s->all.duty_permyriad = s->all.to_us ?
		(int)(s->all.run_us * 10000 / s->all.to_us) : NST_REPORT_NONE;
}

int nst_report_load(struct nst_report *report, const char *dir)
{
	int r;

	*report = (struct nst_report){ .dir = dir };
	r = load_vision(report);
	if (r)
		return r;
	if (load_recording(report))
		report->partial = true;
	for (unsigned int i = 0; i < report->sensors; i++)
		sum_up(&report->sensor[i]);
	return 0;
}

/* ------------------------------------------------------- derived figures */

int nst_report_power_mw(const struct nst_report_row *row)
{
	return row->time_us ? (int)(row->energy_uj * 1000 / row->time_us) :
			      NST_REPORT_NONE;
}

int nst_report_far_power_mw(const struct nst_report_row *row)
{
	return row->time_us ? (int)(row->far_energy_uj * 1000 / row->time_us) :
			      NST_REPORT_NONE;
}

long nst_report_frame_uj(const struct nst_report_row *row)
{
	return row->delivered ? (long)(row->energy_uj / row->delivered) :
				NST_REPORT_NONE;
}

/* On energy per delivered frame; full-far delivers every frame. */
int nst_report_saving_permyriad(const struct nst_report_row *row)
{
	double near, far;

	if (!row->delivered || !row->far_energy_uj)
		return NST_REPORT_NONE;
	near = (double)row->energy_uj / (double)row->delivered;
	far = (double)row->far_energy_uj / (double)row->frames;
	if (near / far > 1000)
		return -9990000;
	return (int)(10000 * (1 - near / far));
}

static int ratio(u64 part, u64 whole)
{
	return whole ? (int)((part * 10000 + whole / 2) / whole) :
		       NST_REPORT_NONE;
}

int nst_report_precision_permyriad(const struct nst_report_row *row)
{
	return ratio(row->matches, row->detections);
}

int nst_report_recall_permyriad(const struct nst_report_row *row)
{
	return ratio(row->matches, row->objects);
}
