// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* reply_measured.c - what applications told of a sensor: reply_measured.h */
#include <inttypes.h>

#include "reply_measured.h"

static void put_reported(const struct nst_reported *r, u64 now_ms,
			 struct nst_out *o)
{
	enum nst_report_temp state = nst_report_temp(r, now_ms);

	if (!r->count)
		return;
	nst_out_printf(o, ",\"reported\":{\"count\":%" PRIu64 ",\"age_ms\":%"
		       PRIu64 ",\"temp_state\":\"%s\"", r->count,
		       now_ms - r->at_ms, nst_report_temp_text(state));
	if (state == NST_REPORT_TEMP_VALID)
		nst_out_temp(o, "temp_mc", r->temp_mc);
	nst_out_printf(o, "}");
}

static void put_task(const struct nst_sensor *s,
		     const struct nst_profile_task *task, bool dark,
		     double demand_db, u64 now_ms, struct nst_out *o)
{
	struct nst_report_fidelity f =
		nst_report_fidelity(&s->reported, dark, demand_db, now_ms);

	nst_out_printf(o, "{\"name\":");
	nst_out_string(o, task->name);
	nst_out_printf(o, ",\"snr_of\":\"%s\",\"demand_cdb\":%d,"
		       "\"measured\":\"%s\"", dark ? "dark" : "total",
		       nst_report_demand_cdb(demand_db),
		       nst_report_measured_text(f.state));
	if (f.state == NST_REPORT_MEASURED)
		nst_out_printf(o, ",\"snr_cdb\":%d,\"snr_low_cdb\":%d,"
			       "\"margin_cdb\":%d,\"met\":%s", f.snr_cdb,
			       f.snr_low_cdb, f.margin_cdb,
			       f.met ? "true" : "false");
	if (f.state != NST_REPORT_UNMEASURED)
		nst_out_printf(o, ",\"age_ms\":%" PRIu64, f.age_ms);
	nst_out_printf(o, "}");
}

void nst_reply_measured(const struct nst_sensor *s, u64 now_ms,
			struct nst_out *o)
{
	const struct nst_profile *p = s->gov.profile;
	bool dark = p->sensors[s->gov.sensor].noise == NST_NOISE_PAPER;
	bool first = true;
	double demand_db;

	put_reported(&s->reported, now_ms, o);
	nst_out_printf(o, ",\"tasks\":[");
	for (unsigned int i = 0; i < p->task_count; i++) {
		const struct nst_profile_task *task = &p->tasks[i];

		/* One that asks for a temperature asks for no SNR. */
		if (task->sensor != s->gov.sensor ||
		    nst_profile_task_snr_db(task, &demand_db))
			continue;
		nst_out_printf(o, "%s", first ? "" : ",");
		put_task(s, task, dark, demand_db, now_ms, o);
		first = false;
	}
	nst_out_printf(o, "]");
}
