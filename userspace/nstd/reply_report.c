// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reply_report.c - what camera applications tell of their frames
 *
 * Who tells a sensor's situation and who measures its frames is one client
 * each: two that contradict each other would move the thresholds to and fro.
 * The place is free again when its client ends or is silent for a while.
 */
#include <errno.h>

#include "reply_call.h"
#include "report.h"

#define SILENT_MS 2000

static bool claim(struct nst_call *call, struct nst_reporter *place,
		  const char *what)
{
	if (place->serial && place->serial != call->c->serial &&
	    call->now_ms - place->at_ms < SILENT_MS) {
		const struct nst_client *other =
			nst_server_find(&call->m->server, place->serial);

		if (other) {
			nst_call_errorf(call, -EBUSY, "process %d tells %s of "
					"this sensor already", (int)other->pid,
					what);
			return false;
		}
	}
	place->serial = call->c->serial;
	place->at_ms = call->now_ms;
	return true;
}

static bool get_optional(struct nst_call *call, const char *key, s64 min,
			 s64 max, s64 *ret)
{
	const struct nst_member *m = nst_request_find(call->req, key);

	*ret = 0;
	return !m || m->type == NST_MEMBER_NULL ||
	       nst_call_int(call, key, min, max, ret);
}

static bool get_u32(struct nst_call *call, const char *key, u32 *ret)
{
	s64 number;

	if (!get_optional(call, key, 0, UINT32_MAX, &number))
		return false;
	*ret = (u32)number;
	return true;
}

static bool get_temp(struct nst_call *call, struct nst_report *r)
{
	const struct nst_member *m = nst_request_find(call->req, "temp_mc");
	s64 temp_mc;

	if (!get_optional(call, "temp_mc", INT32_MIN, INT32_MAX, &temp_mc))
		return false;
	r->has_temp = m && m->type == NST_MEMBER_INT;
	r->temp_mc = (s32)temp_mc;
	return true;
}

/* A figure without a word for its state was measured. */
static bool get_measured(struct nst_call *call, const char *state_key,
			 const char *snr_key, const char *low_key, u8 *state,
			 s32 *snr_cdb, s32 *low_cdb)
{
	s64 snr, low;
	const char *text;
	int r;

	if (!get_optional(call, snr_key, INT32_MIN, INT32_MAX, &snr) ||
	    !get_optional(call, low_key, INT32_MIN, INT32_MAX, &low))
		return false;
	if (nst_call_has(call, snr_key) != nst_call_has(call, low_key)) {
		nst_call_errorf(call, -EINVAL, "\"%s\" and \"%s\" come "
				"together", snr_key, low_key);
		return false;
	}
	*snr_cdb = (s32)snr;
	*low_cdb = (s32)low;
	*state = nst_call_has(call, snr_key) ? NST_REPORT_MEASURED
					     : NST_REPORT_UNMEASURED;
	if (!nst_call_has(call, state_key))
		return true;
	if (!nst_call_string(call, state_key, &text))
		return false;
	r = nst_report_measured_from_text(text);
	if (r >= 0) {
		*state = (u8)r;
		return true;
	}
	nst_call_errorf(call, -EINVAL, "\"%s\" is one of: unmeasured measured "
			"settling no-patch clipped moving damaged", state_key);
	return false;
}

static bool get_report(struct nst_call *call, struct nst_report *r)
{
	s64 seq, imports, copies;

	*r = (struct nst_report){ 0 };
	if (!get_optional(call, "seq", 0, INT64_MAX, &seq) ||
	    !get_optional(call, "imports", 0, INT64_MAX, &imports) ||
	    !get_optional(call, "copies", 0, INT64_MAX, &copies))
		return false;
	r->seq = (u64)seq;
	r->has_far = nst_call_has(call, "imports") ||
		     nst_call_has(call, "copies");
	r->imports = (u64)imports;
	r->copies = (u64)copies;
	return get_temp(call, r) &&
	       get_u32(call, "exposure_us", &r->exposure_us) &&
	       get_u32(call, "iso", &r->iso) &&
	       get_u32(call, "lux_milli", &r->lux_milli) &&
	       get_u32(call, "frame_us", &r->frame_us) &&
	       get_measured(call, "measured", "snr_cdb", "snr_low_cdb",
			    &r->measured, &r->snr_cdb, &r->snr_low_cdb) &&
	       get_measured(call, "dark_measured", "dark_snr_cdb",
			    "dark_snr_low_cdb", &r->dark_measured,
			    &r->dark_snr_cdb, &r->dark_snr_low_cdb);
}

void nst_run_frame_report(struct nst_call *call)
{
	struct nst_sensor *s = nst_call_sensor(call);
	struct nst_reporter *place;
	struct nst_report report;
	const char *what = NULL;
	bool measured, situation;

	if (!s || !get_report(call, &report))
		return;
	if (nst_report_check(&report, &what)) {
		nst_call_error(call, -ERANGE, what);
		return;
	}
	/* A frame that the device has not begun yet is not one. */
	if (s->gov.started && report.seq > s->gov.state.frame_seq + 1) {
		nst_call_errorf(call, -ERANGE, "frame %llu has not begun, the "
				"newest one is %llu",
				(unsigned long long)report.seq,
				(unsigned long long)s->gov.state.frame_seq);
		return;
	}
	measured = report.measured || report.dark_measured;
	situation = (!measured && !report.has_far) || report.has_temp || report.exposure_us ||
		    report.iso || report.lux_milli || report.frame_us;
	place = call->m->reporter[s->slot];
	if ((situation && !claim(call, &place[0], "the situation")) ||
	    (measured && !claim(call, &place[1], "the fidelity")))
		return;
	(void)nst_report_apply(call->m, s, &report);
	nst_call_ok(call);
}
