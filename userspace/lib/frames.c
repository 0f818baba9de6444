// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* frames.c - reports, snapshots and verdicts: see nst/libnst.h */
#include <errno.h>
#include <string.h>

#include "conn.h"

/* -------------------------------------------------------------- reports */

LIBNST_API void nst_report_init(struct nst_report_spec *report,
				const char *sensor)
{
	memset(report, 0, sizeof(*report));
	report->sensor = sensor;
	report->temp_mc = NST_NO_TEMP;
}

static const char *const measured_text[] = {
	[NST_MEASURED_NOT] = "unmeasured",
	[NST_MEASURED_OK] = "measured",
	[NST_MEASURED_SETTLING] = "settling",
	[NST_MEASURED_NO_PATCH] = "no-patch",
	[NST_MEASURED_CLIPPED] = "clipped",
	[NST_MEASURED_MOVING] = "moving",
	[NST_MEASURED_DAMAGED] = "damaged",
};

static int put_measured(struct libnst_out *o, enum nst_measured measured,
			const char *state_key, const char *snr_key,
			int32_t snr_cdb, const char *low_key, int32_t low_cdb)
{
	if ((unsigned int)measured >= sizeof(measured_text) /
				      sizeof(measured_text[0]))
		return -EINVAL;
	if (measured == NST_MEASURED_OK) {
		libnst_put_int(o, snr_key, snr_cdb);
		libnst_put_int(o, low_key, low_cdb);
	} else if (measured != NST_MEASURED_NOT) {
		libnst_put_text(o, state_key, measured_text[measured]);
	}
	return 0;
}

static void put_given(struct libnst_out *o, const char *key, uint64_t value)
{
	if (value)
		libnst_put_int(o, key, (int64_t)value);
}

LIBNST_API int nst_frame_report(struct nst_conn *conn,
				const struct nst_report_spec *r)
{
	struct libnst_out *o = libnst_begin(conn, "frame.report");

	if (!r->sensor)
		return libnst_fail(conn, -EINVAL, "a report is of a sensor");
	libnst_put_text(o, "sensor", r->sensor);
	put_given(o, "seq", r->seq);
	if (r->temp_mc != NST_NO_TEMP)
		libnst_put_int(o, "temp_mc", r->temp_mc);
	put_given(o, "exposure_us", r->exposure_us);
	put_given(o, "iso", r->iso);
	put_given(o, "lux_milli", r->lux_milli);
	put_given(o, "frame_us", r->frame_us);
	put_given(o, "imports", r->imports);
	put_given(o, "copies", r->copies);
	if (put_measured(o, r->measured, "measured", "snr_cdb", r->snr_cdb,
			 "snr_low_cdb", r->snr_low_cdb) ||
	    put_measured(o, r->dark_measured, "dark_measured", "dark_snr_cdb",
			 r->dark_snr_cdb, "dark_snr_low_cdb",
			 r->dark_snr_low_cdb))
		return libnst_fail(conn, -EINVAL, "no such state of a "
				   "measurement");
	return libnst_send(conn, -1, NULL);
}

/* ------------------------------------------------------------ snapshots */

LIBNST_API int nst_snapshot(struct nst_conn *conn, const char *sensor,
			    struct nst_snapshot *ret)
{
	struct nst_snapshot s = { 0 };
	struct libnst_value ok = { 0 };
	int r;

	libnst_put_text(libnst_begin(conn, "snapshot"), "sensor", sensor);
	r = libnst_send(conn, -1, &ok);
	if (r)
		return r;
	if (libnst_frame_fill(ok, &s.frame))
		return libnst_fail(conn, -EPROTO, "a reply that is none");
	libnst_text(libnst_get(ok, "state"), s.state, sizeof(s.state));
	s.has_frame = libnst_get(ok, "seq").text;
	s.headroom_permyriad =
		(int32_t)libnst_int(libnst_get(ok, "headroom_permyriad"), -1);
	strncpy(s.frame.sensor, sensor, sizeof(s.frame.sensor) - 1);
	*ret = s;
	return 0;
}

LIBNST_API int nst_frame_get(struct nst_conn *conn, const char *sensor,
			     uint64_t seq, uint32_t wait_ms,
			     struct nst_frame *ret)
{
	struct libnst_out *o = libnst_begin(conn, "frame.get");
	int timeout_ms = conn->timeout_ms, r;
	struct libnst_value ok = { 0 };
	struct nst_frame f;

	libnst_put_text(o, "sensor", sensor);
	libnst_put_int(o, "seq", (int64_t)seq);
	if (wait_ms) {
		libnst_put_int(o, "wait_ms", wait_ms);
		/* nstd is asked to be silent for so long. */
		if (wait_ms <= 10000)
			conn->timeout_ms += (int)wait_ms;
	}
	r = libnst_send(conn, -1, &ok);
	conn->timeout_ms = timeout_ms;
	if (r)
		return r;
	if (libnst_frame_fill(ok, &f))
		return libnst_fail(conn, -EPROTO, "a reply that is none");
	strncpy(f.sensor, sensor, sizeof(f.sensor) - 1);
	*ret = f;
	return 0;
}

LIBNST_API int nst_subscribe(struct nst_conn *conn, unsigned int flags)
{
	struct libnst_out *o = libnst_begin(conn, "subscribe");

	if (flags & ~(NST_SUBSCRIBE_FRAMES | NST_SUBSCRIBE_CHANGES))
		return libnst_fail(conn, -EINVAL, "an unknown flag");
	libnst_put(o, flags & NST_SUBSCRIBE_FRAMES ? ",\"frames\":true"
						   : ",\"frames\":false");
	libnst_put(o, flags & NST_SUBSCRIBE_CHANGES ? ",\"events\":true"
						    : ",\"events\":false");
	return libnst_send(conn, -1, NULL);
}
