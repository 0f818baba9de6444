// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* cursor.c - readers of the verdicts of a sensor, see cursor.h */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "cursor.h"

void nst_cursor_init(struct nst_cursor *c, const struct nst_governor *g)
{
	*c = (struct nst_cursor){ .seq = g->judged_seq, .epoch = g->epoch };
}

const struct nst_verdict *nst_cursor_next(struct nst_cursor *c,
					  const struct nst_governor *g)
{
	/* Frame numbers may have begun anew, or jumped. */
	if (c->epoch != g->epoch) {
		c->epoch = g->epoch;
		if (c->seq > g->judged_seq)
			c->seq = 0;
	}
	if (g->judged_seq - c->seq > NST_GOV_VERDICTS &&
	    g->judged_seq > c->seq) {
		u64 oldest = g->judged_seq - NST_GOV_VERDICTS;

		if (c->seq)
			c->lost += oldest - c->seq;
		c->seq = oldest;
	}
	while (c->seq < g->judged_seq) {
		const struct nst_verdict *v;
		int err;

		v = nst_gov_verdict(g, c->seq++, &err);
		if (v)
			return v;
	}
	return NULL;
}

const char *nst_verdict_reason(const struct nst_verdict *v)
{
	if (v->outcome == NST_DELIVERED)
		return nst_reason_text((enum nst_reason)v->why);
	if (v->outcome == NST_WITHHELD_HOT && v->limit_mc == NST_TEMP_MIN_MC)
		return "withheld: no temperature gives what the task asks";
	return nst_outcome_text((enum nst_outcome)v->outcome);
}

struct nst_rec_frame nst_verdict_to_rec(const struct nst_verdict *v,
					const char *sensor)
{
	struct nst_rec_frame f = {
		.seq = v->seq,
		.t_us = v->t_us,
		.temp_mc = v->temp_mc,
		.temp_state = (enum nst_sample_state)v->temp_state,
		.gate = (enum nst_gate)v->gate,
		.placement = (enum nst_placement)v->placement,
		.exposure_temp_mc = v->exposure_temp_mc,
		.limit_mc = v->limit_mc,
		.high_mc = v->high_mc,
		.low_mc = v->low_mc,
		.max_mc = v->max_mc,
		.power_mw = v->power_mw,
		.ambient_mc = v->ambient_mc,
		.exposure_us = v->exposure_us,
		.iso = v->iso,
		.lux_milli = v->lux_milli,
		.delivered = v->outcome == NST_DELIVERED,
		.reason_text = nst_verdict_reason(v),
	};

	snprintf(f.sensor, sizeof(f.sensor), "%s", sensor);
	return f;
}

static int predicted_cdb(const struct nst_governor *g, s32 temp_mc,
			 u32 exposure_us, u32 iso, s32 *ret_cdb)
{
	const struct nst_profile_sensor *s = &g->profile->sensors[g->sensor];
	double db;

	if (!exposure_us || !iso)
		return -ENODATA;
	db = nst_profile_predicted_snr_db(s, temp_mc, exposure_us, iso);
	if (!isfinite(db))
		return -ENODATA;
	*ret_cdb = (s32)lrint(100 * db);
	return 0;
}

int nst_gov_snr_cdb(const struct nst_governor *g, s32 *ret_cdb)
{
	if (!nst_gov_trusted(g))
		return -ENODATA;
	return predicted_cdb(g, nst_observer_die_mc(&g->obs),
			     g->light.exposure_us, g->light.iso, ret_cdb);
}

int nst_verdict_snr_cdb(const struct nst_governor *g,
			const struct nst_verdict *v, s32 *ret_cdb)
{
	if (v->exposure_temp_mc == NST_TEMP_NONE_MC)
		return -ENODATA;
	return predicted_cdb(g, v->exposure_temp_mc, v->exposure_us, v->iso,
			     ret_cdb);
}
