// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* sim_output.c - what a simulated run is told as, see sim_output.h */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "cleanup.h"
#include "light_log.h"
#include "oracle_trace.h"
#include "sim_output.h"

#define JSON_FLAGS (JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | \
		    JSON_C_TO_STRING_NOSLASHESCAPE)

static void add_int(struct json_object *obj, const char *key, int64_t value)
{
	json_object_object_add(obj, key, json_object_new_int64(value));
}

static void add_text(struct json_object *obj, const char *key,
		     const char *text)
{
	json_object_object_add(obj, key, json_object_new_string(text));
}

/* null where no task asks for anything */
static void add_limit(struct json_object *obj, const char *key, s32 limit_mc)
{
	json_object_object_add(obj, key,
			       limit_mc == NST_TEMP_NONE_MC ?
				       NULL :
				       json_object_new_int(limit_mc));
}

static void add_fps(struct json_object *obj, const char *key, double fps)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", fps);
	json_object_object_add(obj, key, json_object_new_double_s(fps, text));
}

static void add_oracle(struct json_object *obj, const struct nst_sim_result *r)
{
	static const char *const keys[] = { "oracle_power_mw",
					    "oracle_frames_delivered",
					    "oracle_gap_permyriad",
					    "foreseen_power_mw",
					    "foreseen_frames_delivered" };

	if (!r->oracle) {
		for (size_t i = 0; i < NST_ARRAY_SIZE(keys); i++)
			json_object_object_add(obj, keys[i], NULL);
		return;
	}
	add_int(obj, keys[0], r->oracle_power_mw);
	add_int(obj, keys[1], (int64_t)r->oracle_frames_delivered);
	add_int(obj, keys[2], r->oracle_gap_permyriad);
	add_int(obj, keys[3], r->foreseen_power_mw);
	add_int(obj, keys[4], (int64_t)r->foreseen_frames_delivered);
}

/* null for a light that is no log */
static void add_log(struct json_object *obj, const struct nst_trace_log *log)
{
	struct json_object *l = NULL;

	if (log->is) {
		l = json_object_new_object();
		add_int(l, "readings", log->readings);
		add_int(l, "invalid", log->invalid);
		add_int(l, "gaps", log->gaps);
		add_int(l, "stuck", log->stuck);
		add_int(l, "backward", log->backward);
		add_int(l, "unknown_us", (int64_t)log->unknown_us);
	}
	json_object_object_add(obj, "light_log", l);
}

struct json_object *nst_sim_output_json(const struct nst_sim_options *sim,
					const char *profile_path,
					const struct nst_sim_result *r)
{
	const struct nst_profile_sensor *s = &sim->profile->sensors[sim->sensor];
	struct json_object *obj = json_object_new_object();

	add_text(obj, "profile", profile_path);
	add_text(obj, "sensor", s->name);
	add_text(obj, "policy", r->policy->name);
	add_text(obj, "light", sim->trace->name);
	add_log(obj, &sim->trace->log);
	add_text(obj, "noise_model",
		 s->noise == NST_NOISE_EMVA ? "emva" : "paper");
	add_int(obj, "duration_us", (int64_t)r->time_us);
	add_text(obj, "power_source", "model");
	add_int(obj, "energy_mj", (int64_t)((r->energy_uj + 500) / 1000));
	add_int(obj, "mean_power_mw", nst_sim_mean_power_mw(r));
	add_int(obj, "full_far_power_mw", nst_sim_full_far_power_mw(r));
	add_int(obj, "energy_per_frame_uj", nst_sim_energy_per_frame_uj(r));
	add_int(obj, "saving_permyriad", nst_sim_saving_permyriad(r));
	add_int(obj, "duty_permyriad", nst_sim_duty_permyriad(r));
	add_int(obj, "frames", (int64_t)r->frames);
	add_int(obj, "frames_delivered", (int64_t)r->frames_delivered);
	add_int(obj, "frames_dropped", (int64_t)r->frames_dropped);
	add_int(obj, "frames_withheld", (int64_t)r->frames_withheld);
	add_int(obj, "frames_withheld_avoidable",
		(int64_t)r->frames_withheld_avoidable);
	add_int(obj, "frames_impossible", (int64_t)r->frames_impossible);
	add_fps(obj, "effective_fps", nst_sim_effective_fps(r));
	add_int(obj, "switches", (int64_t)r->switches);
	add_int(obj, "max_temp_mc", r->max_temp_mc);
	add_int(obj, "ceiling_periods", (int64_t)r->guarded);
	add_int(obj, "violations", (int64_t)r->violations);
	add_int(obj, "violations_avoidable", (int64_t)r->violations_avoidable);
	add_int(obj, "capture_violations", (int64_t)r->capture_violations);
	add_int(obj, "captures", (int64_t)r->captures);
	add_int(obj, "captures_missed", (int64_t)r->captures_missed);
	add_int(obj, "capture_latency_us_p50", r->capture_latency_us_p50);
	add_int(obj, "capture_latency_us_p99", r->capture_latency_us_p99);
	add_oracle(obj, r);
	add_int(obj, "frame_period_us", r->first.frame_period_us);
	json_object_object_add(obj, "frame_period_stretched",
			       json_object_new_boolean(r->first.stretched));
	add_int(obj, "exposure_us", r->first.exposure_us);
	add_int(obj, "iso", r->first.iso);
	add_int(obj, "ambient_mc", r->first.ambient_mc);
	add_limit(obj, "vision_max_mc", r->first.vision_max_mc);
	add_limit(obj, "imaging_max_mc", r->first.imaging_max_mc);
	add_int(obj, "high_temp_mc", r->first.thr.high_mc);
	add_int(obj, "low_temp_mc", r->first.thr.low_mc);
	add_limit(obj, "capture_temp_mc", r->first.thr.capture_mc);
	add_int(obj, "ceiling_mc", r->first.thr.max_mc);
	return obj;
}

void nst_sim_output_put(struct json_object *obj)
{
	printf("%s\n", json_object_to_json_string_ext(obj, JSON_FLAGS));
	json_object_put(obj);
}

static void row(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void row(const char *name, const char *format, ...)
{
	va_list ap;

	printf("  %-26s", name);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
}

static void row_limit(const char *name, s32 limit_mc)
{
	if (limit_mc == NST_TEMP_NONE_MC)
		row(name, "none");
	else
		row(name, "%.1f degC", limit_mc / 1000.0);
}

static void print_log(const struct nst_trace_log *log)
{
	row("light log", "%u readings, %u invalid, %u out of order",
	    log->readings, log->invalid, log->backward);
	row("light unknown",
	    "%.0f s, taken as dim: %u gaps over %d s, %u times stuck",
	    (double)log->unknown_us / 1e6, log->gaps, NST_LIGHT_HOLD_S,
	    log->stuck);
}

static void print_oracle(const struct nst_sim_result *r)
{
	double gap = r->oracle_gap_permyriad / 100.0;

	if (!r->oracle) {
		row("oracle",
		    "none: power within a period changes, light and weather go through more than %d situations, or nothing meets the limits",
		    NST_ORACLE_SETTINGS_MAX);
		return;
	}
	if (r->policy->drops)
		row("oracle",
		    "%" PRIu64 " frames delivered; this run has %.2f %% fewer",
		    r->oracle_frames_delivered, gap);
	else if (gap < 0 && r->violations)
		row("oracle",
		    "%u mW within the limits; this run is %.2f %% below, outside of them",
		    r->oracle_power_mw, -gap);
	else
		row("oracle",
		    "%u mW, %" PRIu64 " frames delivered; this run needs %.2f %% more power",
		    r->oracle_power_mw, r->oracle_frames_delivered, gap);
	if (r->situations > 1)
		row("had it foreseen the trace",
		    "%u mW, %" PRIu64 " frames delivered",
		    r->foreseen_power_mw, r->foreseen_frames_delivered);
}

void nst_sim_output_table(const struct nst_sim_options *sim,
			  const struct nst_sim_result *r)
{
	printf("%s on %s, %s, %.1f s of model time\n", r->policy->name,
	       sim->profile->sensors[sim->sensor].name, sim->trace->name,
	       (double)r->time_us / 1e6);
	if (sim->trace->log.is)
		print_log(&sim->trace->log);
	row("frame period", "%u us%s", r->first.frame_period_us,
	    r->first.stretched ? " (longer than fps asks: exposure and read-out)" :
				 "");
	row_limit("limit, continuous", r->first.vision_max_mc);
	row_limit("limit, on demand", r->first.imaging_max_mc);
	row("thresholds", "low %.1f, high %.1f, ceiling %.1f degC",
	    r->first.thr.low_mc / 1000.0, r->first.thr.high_mc / 1000.0,
	    r->first.thr.max_mc / 1000.0);
	row("hottest die", "%.1f degC", r->max_temp_mc / 1000.0);
	if (r->guarded)
		row("ceiling", "the kernel's guard gated %" PRIu64 " periods",
		    r->guarded);
	row("duty near", "%.2f %%", nst_sim_duty_permyriad(r) / 100.0);
	row("mean power, model", "%u mW (full-far %u mW)", nst_sim_mean_power_mw(r),
	    nst_sim_full_far_power_mw(r));
	row("energy per frame", "%.2f mJ (saving %.2f %%)",
	    nst_sim_energy_per_frame_uj(r) / 1000.0,
	    nst_sim_saving_permyriad(r) / 100.0);
	row("frames", "%" PRIu64 ": %" PRIu64 " delivered, %" PRIu64
		      " dropped, %" PRIu64 " withheld",
	    r->frames, r->frames_delivered, r->frames_dropped,
	    r->frames_withheld);
	if (r->frames_withheld)
		row("withheld", "%" PRIu64 " could have been had, %" PRIu64
				" at light in which no temperature would do",
		    r->frames_withheld_avoidable, r->frames_impossible);
	row("effective rate", "%.2f frames/s", nst_sim_effective_fps(r));
	row("switches", "%" PRIu64, r->switches);
	row("violations", "%" PRIu64 ", %" PRIu64 " of them avoidable",
	    r->violations, r->violations_avoidable);
	if (r->captures || r->captures_missed)
		row("captures",
		    "%" PRIu64 " served, %" PRIu64
		    " missed, latency p50 %.1f ms, p99 %.1f ms",
		    r->captures, r->captures_missed,
		    r->capture_latency_us_p50 / 1e3,
		    r->capture_latency_us_p99 / 1e3);
	print_oracle(r);
}

int nst_sim_output_describe(struct nst_rec_writer *writer,
			    const struct nst_sim_options *sim,
			    const char *name, const char *source)
{
	const struct nst_profile_sensor *s = &sim->profile->sensors[sim->sensor];
	const struct nst_profile_task *task =
		nst_profile_vision_task(sim->profile, sim->sensor);
	char line[256];
	int r;

	snprintf(line, sizeof(line),
		 "sensor %s near_mw=%u capture_mw=%u far_mw=%u policy=%s",
		 name, s->near_mw, s->capture_mw, s->far_mw,
		 sim->policy ? sim->policy->name : task->policy->name);
	r = nst_rec_writer_meta(writer, line);
	if (r)
		return r;
	snprintf(line, sizeof(line), "source %s, model plant", source);
	return nst_rec_writer_meta(writer, line);
}
