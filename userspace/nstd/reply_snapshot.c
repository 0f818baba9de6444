// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reply_snapshot.c - the newest frame of a sensor, and what holds for it
 *
 * What an application wants once a frame, in one flat object: the side data
 * of the newest frame that has a verdict (temperature, validity, placement,
 * predicted SNR) and how far the limit is.
 */
#include <inttypes.h>

#include "reply_call.h"

static void put_frame(struct nst_out *o, const struct nst_sensor *s,
		      const struct nst_verdict *v)
{
	s32 snr_cdb;

	nst_out_printf(o, ",\"seq\":%" PRIu64 ",\"t_us\":%" PRIu64
		       ",\"temp_state\":\"%s\",\"valid\":%s", v->seq, v->t_us,
		       nst_rec_state_name((enum nst_sample_state)
					  v->temp_state),
		       v->exposure_temp_mc == NST_TEMP_NONE_MC ? "false"
							       : "true");
	nst_out_temp(o, "exposure_temp_mc", v->exposure_temp_mc);
	if (v->temp_state == NST_SAMPLE_VALID)
		nst_out_temp(o, "temp_mc", v->temp_mc);
	nst_out_temp(o, "limit_mc", v->limit_mc);
	if (!nst_verdict_snr_cdb(&s->gov, v, &snr_cdb))
		nst_out_printf(o, ",\"snr_cdb\":%d", snr_cdb);
	nst_out_printf(o, ",\"gate\":\"%s\",\"placement\":\"%s\",\"deliver\":%s"
		       ",\"exposure_us\":%u,\"iso\":%u,\"lux_milli\":%u,"
		       "\"reason\":", nst_gate_name((enum nst_gate)v->gate),
		       nst_placement_name((enum nst_placement)v->placement),
		       v->outcome == NST_DELIVERED ? "true" : "false",
		       v->exposure_us, v->iso, v->lux_milli);
	nst_out_string(o, nst_verdict_reason(v));
}

void nst_run_snapshot(struct nst_call *call)
{
	const struct nst_sensor *s = nst_call_sensor(call);
	const struct nst_verdict *v;
	const struct nst_governor *g;
	u32 permyriad, ms;
	int err;

	if (!s)
		return;
	g = &s->gov;
	nst_call_begin(call);
	nst_out_printf(call->o, "{\"state\":\"%s\"", nst_sensor_state_text(s));
	v = g->judged_seq ? nst_gov_verdict(g, g->judged_seq - 1, &err) : NULL;
	if (v)
		put_frame(call->o, s, v);
	if (!nst_gov_headroom(g, &permyriad, &ms))
		nst_out_printf(call->o, ",\"headroom_permyriad\":%u",
			       permyriad);
	nst_out_printf(call->o, "}");
	nst_call_end(call);
}
