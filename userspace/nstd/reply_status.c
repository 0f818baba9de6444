// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* reply_status.c - who the daemon is and how it goes */
#include <inttypes.h>
#include <unistd.h>

#include "cursor.h"
#include "farload.h"
#include "identified.h"
#include "reply_call.h"
#include "reply_measured.h"

#define PROTOCOL 1

static void put_temperature(const struct nst_sensor *s, struct nst_out *o)
{
	const struct nst_governor *g = &s->gov;
	const struct nst_sample *sample = &g->state.sample[0];
	u8 state = NST_SAMPLE_NO_DATA;

	if (s->dev && g->started)
		state = g->period[g->last_seq % NST_GOV_PERIODS].temp_state;
	if (state == NST_SAMPLE_VALID)
		nst_out_temp(o, "temp_mc", sample->value_mc);
	nst_out_printf(o, ",\"temp_state\":\"%s\"",
		       nst_rec_state_name((enum nst_sample_state)state));
	if (s->dev && nst_gov_trusted(g))
		nst_out_temp(o, "model_mc", nst_observer_die_mc(&g->obs));
}

static void put_limits(const struct nst_sensor *s, struct nst_out *o)
{
	const struct nst_governor *g = &s->gov;

	nst_out_temp(o, "limit_mc", g->vision_mc);
	nst_out_printf(o, ",\"thresholds\":{\"auto\":%s",
		       g->automatic ? "true" : "false");
	nst_out_temp(o, "high_mc", g->pc.thr.high_mc);
	nst_out_temp(o, "low_mc", g->pc.thr.low_mc);
	nst_out_temp(o, "capture_mc", g->pc.thr.capture_mc);
	nst_out_temp(o, "max_mc", g->pc.thr.max_mc);
	nst_out_printf(o, "},\"limits_met\":%s", g->pc_err ? "false" : "true");
}

/* What the noise model says of a frame at the die's present temperature. */
static void put_noise(const struct nst_sensor *s, struct nst_out *o)
{
	const struct nst_governor *g = &s->gov;
	const struct nst_profile_sensor *ps = &g->profile->sensors[g->sensor];
	bool emva = ps->noise == NST_NOISE_EMVA;
	s32 cdb;

	nst_out_printf(o, ",\"noise\":{\"model\":\"%s\"",
		       emva ? "emva" : "paper");
	if (emva)
		nst_out_printf(o, ",\"signal_permyriad\":%u",
			       ps->signal_permyriad);
	if (s->dev && !nst_gov_snr_cdb(g, &cdb))
		nst_out_printf(o, ",\"snr_cdb\":%d", cdb);
	nst_out_printf(o, "}");
}

/* Figures of the stack with their 95 % intervals, where they are looked for. */
static void put_identified(const struct nst_governor *g, struct nst_out *o)
{
	static const struct {
		const char *key;
		double scale;
	} keys[NST_IDENT_PARAMS] = {
		[NST_IDENT_AMBIENT] = { "ambient_mc", 1e3 },
		[NST_IDENT_R_PA] = { "r_pa_mk_per_w", 1e3 },
		[NST_IDENT_R_JP] = { "r_jp_mk_per_w", 1e3 },
		[NST_IDENT_TAU_P] = { "tau_p_ms", 1e3 },
		[NST_IDENT_NEAR] = { "near_mw", 1e3 },
		[NST_IDENT_JUMP] = { "jump_mc", 1e3 },
	};

	if (!g->identifies)
		return;
	nst_out_printf(o, ",\"identified\":{\"changes\":%u,\"margin_mc\":%d",
		       g->ident.id.changes, g->obs.uncertainty_mc +
		       nst_identified_margin_mc(g));
	for (int k = 0; k < NST_IDENT_PARAMS; k++) {
		struct nst_fit_value v = nst_identify_value(
			&g->ident.id, (enum nst_identify_param)k);

		nst_out_printf(o, ",\"%s\":{\"value\":%.0f,\"lo\":%.0f,"
			       "\"hi\":%.0f}", keys[k].key,
			       v.value * keys[k].scale, v.lo * keys[k].scale,
			       v.hi * keys[k].scale);
	}
	nst_out_printf(o, "}");
}

static void put_headroom(const struct nst_governor *g, struct nst_out *o)
{
	u32 permyriad, ms;

	if (nst_gov_headroom(g, &permyriad, &ms))
		return;
	nst_out_printf(o, ",\"headroom\":{\"permyriad\":%u", permyriad);
	if (ms != UINT32_MAX)
		nst_out_printf(o, ",\"limit_in_ms\":%u", ms);
	nst_out_printf(o, "}");
}

static void put_stats(const struct nst_governor *g, struct nst_out *o)
{
	const struct nst_gov_stats *s = &g->stats;
	u32 mean_mw, far_mw;

	nst_gov_mean_power_mw(g, &mean_mw, &far_mw);
	nst_out_printf(o, ",\"duty_permyriad\":%" PRIu64 ",\"mean_power_mw\":%u"
		       ",\"full_far_power_mw\":%u,\"saving_permyriad\":%d",
		       s->frames ? s->near * NST_PERMYRIAD / s->frames : 0,
		       mean_mw, far_mw, nst_gov_saving_permyriad(g));
	nst_out_printf(o, ",\"time_us\":%" PRIu64 ",\"energy_uj\":%" PRIu64
		       ",\"frames\":%" PRIu64 ",\"frames_delivered\":%" PRIu64
		       ",\"frames_withheld\":%" PRIu64 ",\"frames_dropped\":%"
		       PRIu64 ",\"frames_missed\":%" PRIu64, s->time_us,
		       s->energy_nj / 1000, s->frames, s->delivered,
		       s->withheld, s->dropped, s->missed);
	nst_out_printf(o, ",\"switches\":%" PRIu64 ",\"violations\":%" PRIu64
		       ",\"late_decisions\":%" PRIu64 ",\"sensor_faults\":%"
		       PRIu64 ",\"act_delay_frames\":%u", s->switches,
		       s->violations, s->late, s->sensor_faults,
		       g->delay_frames);
}

static void put_host_temp(struct nst_out *o, const char *name,
			  const struct nst_host_temp *temp)
{
	if (!temp->err)
		nst_out_temp(o, name, temp->temp_mc);
}

static void put_far(const struct nst_around *a, struct nst_out *o)
{
	char text[128];

	nst_out_printf(o, ",\"far\":{\"allowed\":\"%s\",\"why\":",
		       nst_far_allowed_name((enum nst_gov_far)a->rule.allowed));
	nst_far_text(&a->rule, &a->limits, &a->far, text, sizeof(text));
	nst_out_string(o, text);
	nst_out_printf(o, ",\"device\":");
	nst_out_string(o, a->want.far_device);
	nst_out_printf(o, ",\"node\":");
	nst_out_string(o, a->seen.far_node);
	nst_out_printf(o, ",\"busy_source\":\"%s\"", nst_farload_source_text(
			       (enum nst_farload_source)a->seen.busy_source));
	if (a->far.busy_known)
		nst_out_printf(o, ",\"busy_permyriad\":%u",
			       a->far.busy_permyriad);
	put_host_temp(o, "temp_mc", &a->seen.far);
	nst_out_printf(o, ",\"imports\":%" PRIu64 ",\"copies\":%" PRIu64 "}",
		       a->far.imports, a->far.copies);
}

/* What is around the stack, as far as the profile asks for it. */
static void put_around(const struct nst_sensor *s, struct nst_out *o)
{
	const struct nst_around *a = &s->around;
	const struct nst_governor *g = &s->gov;

	nst_out_printf(o, ",\"ambient\":{\"source\":\"%s\"",
		       g->ambient_mc == NST_TEMP_NONE_MC ? "profile" :
							   "sensor");
	nst_out_temp(o, "temp_mc", g->ambient_mc == NST_TEMP_NONE_MC ?
		     g->profile->sensors[g->sensor].ambient_mc :
		     g->ambient_mc);
	if (a->want.ambient_sensor[0]) {
		nst_out_printf(o, ",\"sensor\":");
		nst_out_string(o, a->want.ambient_sensor);
		nst_out_printf(o, ",\"state\":\"%s\"",
			       nst_ambient_state_name((enum nst_ambient_state)
						      a->ambient.state));
	}
	nst_out_printf(o, "}");
	if (a->want.board_sensor[0] && a->reported)
		put_host_temp(o, "board_mc", &a->seen.board);
	if (a->want.far_device[0] || a->want.far_sensor[0])
		put_far(a, o);
}

static void put_sensor(const struct nst_manager *m,
		       const struct nst_sensor *s, struct nst_out *o)
{
	const struct nst_governor *g = &s->gov;
	const struct nst_dev_state *state = &g->state;

	nst_out_printf(o, "{\"name\":");
	nst_out_string(o, s->name);
	nst_out_printf(o, ",\"device\":");
	nst_out_string(o, s->dev ? s->info.node : s->selector);
	nst_out_printf(o, ",\"state\":");
	nst_out_string(o, nst_sensor_state_text(s));
	put_temperature(s, o);
	put_limits(s, o);
	nst_binding_put(s, o);
	if (s->dev && g->started)
		nst_out_printf(o, ",\"gate\":\"%s\",\"guard\":%s,"
			       "\"bound_permyriad\":%u,\"frame_seq\":%" PRIu64
			       ",\"frame_period_us\":%u",
			       nst_gate_name((enum nst_gate)state->gate),
			       state->guard ? "true" : "false",
			       state->bound_permyriad, state->frame_seq,
			       state->frame_period_us);
	nst_out_printf(o, ",\"placement\":\"%s\",\"reason\":",
		       nst_placement_name((enum nst_placement)g->placement));
	nst_out_string(o, nst_reason_text((enum nst_reason)g->why));
	nst_out_printf(o, ",\"policy\":\"%s\",\"light\":{\"source\":\"%s\","
		       "\"exposure_us\":%u,\"iso\":%u,\"lux_milli\":%u}",
		       g->policy->name, s->reported.light_in_force
		       ? "application" : s->cam ? "camera" : "profile",
		       g->light.exposure_us, g->light.iso,
		       g->light.lux_milli);
	put_around(s, o);
	nst_shares_put(m, s, o);
	put_noise(s, o);
	put_stats(g, o);
	put_identified(g, o);
	put_headroom(g, o);
	nst_reply_measured(s, nst_now_ms(), o);
	nst_put_workers(s, o);
	nst_out_printf(o, "}");
}

void nst_reply_status(const struct nst_manager *m, struct nst_out *o)
{
	bool first = true;

	nst_out_printf(o, "{\"profile\":");
	nst_out_string(o, m->config.profile_path);
	nst_out_printf(o, ",\"pid\":%d,\"uptime_ms\":%" PRIu64 ",\"reloads\":%"
		       PRIu64 ",\"dry_run\":%s,\"power_source\":\"model\","
		       "\"sensors\":[", (int)getpid(),
		       nst_now_ms() - m->started_ms, m->reloads,
		       m->config.env->dry_run ? "true" : "false");
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		if (!m->sensor[i].used)
			continue;
		nst_out_printf(o, "%s", first ? "" : ",");
		put_sensor(m, &m->sensor[i], o);
		first = false;
	}
	nst_out_printf(o, "]}");
}

void nst_run_status(struct nst_call *call)
{
	nst_call_begin(call);
	nst_reply_status(call->m, call->o);
	nst_call_end(call);
}

void nst_run_hello(struct nst_call *call)
{
	nst_call_begin(call);
	nst_out_printf(call->o, "{\"name\":\"nstd\",\"protocol\":%d,\"pid\":%d"
		       ",\"admin\":%s}", PROTOCOL, (int)getpid(),
		       call->c->admin ? "true" : "false");
	nst_call_end(call);
}
