// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* report.c - what camera applications tell of their frames: see report.h */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "manager.h"
#include "report.h"

/* ---------------------------------------------------------------- check */

static bool snr_in_range(s32 snr_cdb, s32 low_cdb)
{
	return snr_cdb >= -NST_REPORT_CDB_MAX &&
	       snr_cdb <= NST_REPORT_CDB_MAX &&
	       low_cdb >= -NST_REPORT_CDB_MAX && low_cdb <= snr_cdb;
}

static bool measured_in_range(u8 state, s32 snr_cdb, s32 low_cdb)
{
	if (state >= NST_REPORT_MEASURED_COUNT)
		return false;
	return state != NST_REPORT_MEASURED || snr_in_range(snr_cdb, low_cdb);
}

int nst_report_check(const struct nst_report *report, const char **ret_what)
{
	const char *what = NULL;

	if (report->has_temp && (report->temp_mc < NST_TEMP_MIN_MC ||
				 report->temp_mc > NST_TEMP_MAX_MC))
		what = "\"temp_mc\" is millidegrees Celsius from -60000 to "
		       "250000";
	else if (report->exposure_us > NST_REPORT_TIME_MAX_US)
		what = "\"exposure_us\" is at most 10000000";
	else if (report->frame_us > NST_REPORT_TIME_MAX_US)
		what = "\"frame_us\" is at most 10000000";
	else if (report->iso > NST_REPORT_ISO_MAX)
		what = "\"iso\" is at most 10000000";
	else if (!measured_in_range(report->measured, report->snr_cdb,
				    report->snr_low_cdb))
		what = "\"snr_cdb\" is hundredths of a decibel from -20000 to "
		       "20000, and \"snr_low_cdb\" is not above it";
	else if (!measured_in_range(report->dark_measured,
				    report->dark_snr_cdb,
				    report->dark_snr_low_cdb))
		what = "\"dark_snr_cdb\" is hundredths of a decibel from "
		       "-20000 to 20000, and \"dark_snr_low_cdb\" is not above "
		       "it";
	if (!what)
		return 0;
	*ret_what = what;
	return -ERANGE;
}

/* ---------------------------------------------------------------- apply */

static bool tells_light(const struct nst_report *report)
{
	return report->exposure_us || report->iso || report->lux_milli ||
	       report->frame_us;
}

static void take_light(struct nst_sensor *s, const struct nst_report *report,
		       u64 now_ms)
{
	struct nst_reported *r = &s->reported;
	struct nst_light before = nst_report_light(r, &s->cam_light, now_ms);
	struct nst_light light;

	r->light = (struct nst_light){
		.exposure_us = report->exposure_us,
		.iso = report->iso,
		.lux_milli = report->lux_milli,
		.frame_us = report->frame_us,
	};
	r->light_at_ms = now_ms;
	light = nst_report_light(r, &s->cam_light, now_ms);
	if (!r->light_in_force || memcmp(&before, &light, sizeof(light)))
		nst_gov_light(&s->gov, &light);
	r->light_in_force = true;
}

static void take_temp(struct nst_sensor *s, const struct nst_report *report,
		      u64 now_ms)
{
	struct nst_reported *r = &s->reported;

	if (!report->has_temp) {
		r->temp_state = NST_REPORT_TEMP_MISSING;
	} else if (!report->temp_mc) {
		r->temp_state = NST_REPORT_TEMP_ZERO;
	} else {
		r->temp_state = NST_REPORT_TEMP_VALID;
		r->temp_mc = report->temp_mc;
		r->temp_at_ms = now_ms;
		nst_gov_push_temp(&s->gov, report->seq, report->temp_mc);
	}
}

static void take_measured(struct nst_reported *r,
			  const struct nst_report *report, u64 now_ms)
{
	if (report->measured != NST_REPORT_UNMEASURED) {
		r->measured.measured = report->measured;
		r->measured.snr_cdb = report->snr_cdb;
		r->measured.snr_low_cdb = report->snr_low_cdb;
		r->measured_at_ms = now_ms;
	}
	if (report->dark_measured != NST_REPORT_UNMEASURED) {
		r->measured.dark_measured = report->dark_measured;
		r->measured.dark_snr_cdb = report->dark_snr_cdb;
		r->measured.dark_snr_low_cdb = report->dark_snr_low_cdb;
		r->dark_at_ms = now_ms;
	}
}

int nst_report_apply(struct nst_manager *m, struct nst_sensor *s,
		     const struct nst_report *report)
{
	u64 now_ms = nst_now_ms();
	const char *what;
	int r;

	(void)m;
	r = nst_report_check(report, &what);
	if (r)
		return r;
	if (tells_light(report))
		take_light(s, report, now_ms);
	/* Who measures alone does not say that there is no temperature. */
	if (report->has_temp || tells_light(report) ||
	    (!report->measured && !report->dark_measured && !report->has_far))
		take_temp(s, report, now_ms);
	if (report->has_far) {
		s->around.far.imports = report->imports;
		s->around.far.copies = report->copies;
	}
	take_measured(&s->reported, report, now_ms);
	s->reported.at_ms = now_ms;
	s->reported.count++;
	return 0;
}

/* ---------------------------------------------------------------- light */

static bool fresh(u64 at_ms, u64 now_ms, u64 for_ms)
{
	return at_ms && now_ms - at_ms < for_ms;
}

struct nst_light nst_report_light(const struct nst_reported *reported,
				  const struct nst_light *camera, u64 now_ms)
{
	const struct nst_light *told = &reported->light;
	struct nst_light light = *camera;

	if (!fresh(reported->light_at_ms, now_ms, NST_REPORT_MS))
		return light;
	if (told->exposure_us)
		light.exposure_us = told->exposure_us;
	if (told->iso)
		light.iso = told->iso;
	if (told->lux_milli)
		light.lux_milli = told->lux_milli;
	if (told->frame_us)
		light.frame_us = told->frame_us;
	return light;
}

bool nst_report_expire(struct nst_reported *reported, u64 now_ms)
{
	if (!reported->light_in_force ||
	    fresh(reported->light_at_ms, now_ms, NST_REPORT_MS))
		return false;
	reported->light_in_force = false;
	return true;
}

/* ---------------------------------------------------------- temperature */

enum nst_report_temp nst_report_temp(const struct nst_reported *reported,
				     u64 now_ms)
{
	enum nst_report_temp state =
		(enum nst_report_temp)reported->temp_state;

	if (state == NST_REPORT_TEMP_VALID)
		return fresh(reported->temp_at_ms, now_ms, NST_REPORT_MS)
			? state : NST_REPORT_TEMP_STALE;
	if (state != NST_REPORT_TEMP_NEVER &&
	    !fresh(reported->at_ms, now_ms, NST_REPORT_MS))
		return NST_REPORT_TEMP_STALE;
	return state;
}

const char *nst_report_temp_text(enum nst_report_temp state)
{
	static const char *const text[] = {
		[NST_REPORT_TEMP_NEVER] = "never",
		[NST_REPORT_TEMP_MISSING] = "missing",
		[NST_REPORT_TEMP_ZERO] = "zero",
		[NST_REPORT_TEMP_VALID] = "valid",
		[NST_REPORT_TEMP_STALE] = "stale",
	};

	return text[state];
}

/* ------------------------------------------------------------- fidelity */

static const char *const measured_text[NST_REPORT_MEASURED_COUNT] = {
	[NST_REPORT_UNMEASURED] = "unmeasured",
	[NST_REPORT_MEASURED] = "measured",
	[NST_REPORT_SETTLING] = "settling",
	[NST_REPORT_NO_PATCH] = "no-patch",
	[NST_REPORT_CLIPPED] = "clipped",
	[NST_REPORT_MOVING] = "moving",
	[NST_REPORT_DAMAGED] = "damaged",
};

const char *nst_report_measured_text(unsigned int measured)
{
	return measured < NST_REPORT_MEASURED_COUNT ? measured_text[measured]
						    : NULL;
}

int nst_report_measured_from_text(const char *text)
{
	for (int i = 0; i < NST_REPORT_MEASURED_COUNT; i++)
		if (!strcmp(text, measured_text[i]))
			return i;
	return -EINVAL;
}

s32 nst_report_demand_cdb(double demand_db)
{
	return (s32)ceil(demand_db * 100 - 1e-6);
}

struct nst_report_fidelity
nst_report_fidelity(const struct nst_reported *reported, bool dark,
		    double demand_db, u64 now_ms)
{
	const struct nst_report *m = &reported->measured;
	u64 at_ms = dark ? reported->dark_at_ms : reported->measured_at_ms;
	struct nst_report_fidelity f = { .dark = dark };

	if (!fresh(at_ms, now_ms, NST_REPORT_MEASURED_MS))
		return f;
	f.state = dark ? m->dark_measured : m->measured;
	f.age_ms = now_ms - at_ms;
	if (f.state != NST_REPORT_MEASURED)
		return f;
	f.snr_cdb = dark ? m->dark_snr_cdb : m->snr_cdb;
	f.snr_low_cdb = dark ? m->dark_snr_low_cdb : m->snr_low_cdb;
	f.margin_cdb = f.snr_low_cdb - nst_report_demand_cdb(demand_db);
	f.met = f.margin_cdb >= 0;
	return f;
}
