// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* output.c - see output.h */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "output.h"

static unsigned int fps_milli(const struct nst_tally *t, unsigned long ms)
{
	return ms ? (unsigned int)(t->frames * 1000000 / ms) : 0;
}

/*
 * The emulated clock delivers every N-th frame of N times as many: in real
 * time the rate of the device. What that was over the span, for at its end
 * the light, and the period with it, may be of the next phase.
 */
unsigned int nst_output_expected_fps_milli(const struct nst_span *span)
{
	uint64_t us = span->truth.now_us - span->truth_before.now_us;
	uint64_t frames = span->truth.frame_seq - span->truth_before.frame_seq;

	if (!span->have_truth || !span->truth.frame_period_us)
		return 0;
	/* else the stack was made anew, or it is a moment only */
	if (span->truth.now_us > span->truth_before.now_us &&
	    span->truth.frame_seq > span->truth_before.frame_seq)
		return (unsigned int)(frames * 1000000000 / us);
	return 1000000000u / span->truth.frame_period_us;
}

static unsigned int mean_power_mw(const struct nst_tally *t)
{
	return t->judged ? (unsigned int)(t->power_mw_sum / t->judged) : 0;
}

/* Share of device time that the VPU ran, by the emulator. */
static int duty_permyriad(const struct nst_span *span)
{
	uint64_t run = span->truth.time_run_us - span->truth_before.time_run_us;
	uint64_t all = span->truth.now_us - span->truth_before.now_us;

	return span->have_truth && all ? (int)(run * 10000 / all) : -1;
}

static void put_temp(FILE *out, const char *key, int temp_mc)
{
	if (temp_mc > -NST_CLIENT_NONE_MC && temp_mc < NST_CLIENT_NONE_MC)
		fprintf(out, ",\"%s\":%d", key, temp_mc);
}

static void put_ratio(FILE *out, const char *key, int permyriad)
{
	if (permyriad >= 0)
		fprintf(out, ",\"%s\":%d", key, permyriad);
}

static void put_tally(FILE *out, const struct nst_tally *t,
		      const struct nst_span *span)
{
	fprintf(out, ",\"frames\":%lu,\"delivered\":%lu,\"dropped\":%lu,"
		"\"withheld\":%lu,\"unjudged\":%lu,\"near\":%lu,\"far\":%lu,"
		"\"handovers\":%lu,\"checked\":%lu,\"violations\":%lu,"
		"\"blind\":%lu,\"damaged\":%lu,\"fps_milli\":%u,\"expected_fps_milli\":%u,"
		"\"model_power_mw\":%u",
		t->frames, t->delivered, t->dropped, t->withheld, t->unjudged,
		t->near, t->far, t->handovers, t->checked, t->violations,
		t->blind, t->damaged, fps_milli(t, span->took_ms),
		nst_output_expected_fps_milli(span), mean_power_mw(t));
	put_temp(out, "hottest_exposure_mc", t->hot_mc);
	put_temp(out, "coldest_exposure_mc", t->cold_mc);
	put_temp(out, "limit_mc", t->limit_mc);
	fprintf(out, ",\"matches\":%lu,\"detections\":%lu,\"objects\":%lu",
		t->score.matches, t->score.detections, t->score.objects);
	put_ratio(out, "precision_permyriad",
		  nst_score_precision_permyriad(&t->score));
	put_ratio(out, "recall_permyriad",
		  nst_score_recall_permyriad(&t->score));
	put_ratio(out, "duty_permyriad", duty_permyriad(span));
}

static void put_head(FILE *out, const char *kind, const struct nst_stream *s,
		     const struct nst_span *span)
{
	fprintf(out, "{\"kind\":\"%s\",\"at_ms\":%lu,\"took_ms\":%lu,"
		"\"phase\":\"%s\",\"sensor\":\"%s\",\"card\":\"%s\"",
		kind, span->at_ms, span->took_ms, span->phase, s->name,
		s->cam.card);
	if (span->have_truth)
		fprintf(out, ",\"from_us\":%" PRIu64 ",\"to_us\":%" PRIu64
			",\"die_mc\":%d,\"ambient_mc\":%d,\"gate\":\"%s\","
			"\"slipped_us\":%" PRIu64, span->truth_before.now_us,
			span->truth.now_us, span->truth.die_mc,
			span->truth.ambient_mc, span->truth.gate,
			span->truth.slipped_us - span->truth_before.slipped_us);
}

void nst_output_second(FILE *out, const struct nst_stream *s,
		       const struct nst_span *span)
{
	put_head(out, "second", s, span);
	put_tally(out, &s->second, span);
	fprintf(out, ",\"owner\":\"%s\",\"reason\":\"%s\",\"noise_q8\":%u,"
		"\"pedestal_q8\":%d,\"saturated_permyriad\":%u",
		s->task.owner == NST_TASK_NEAR ? "near" : "far",
		s->last.reason, s->seen.noise_q8, s->seen.pedestal_q8,
		s->seen.saturated_permyriad);
	nst_fidelity_put(&s->fidelity, out);
	nst_fidelity_put_tally(&s->fidelity.second, out);
	nst_farside_put(&s->farside, out);
	fprintf(out, "}\n");
	fflush(out);
}

void nst_output_phase(FILE *out, const struct nst_stream *s,
		      const struct nst_span *span)
{
	put_head(out, "phase", s, span);
	put_tally(out, &s->phase, span);
	fprintf(out, ",\"near_mw\":%u,\"far_mw\":%u,\"handovers_failed\":%lu,"
		"\"handover_us_max\":%lu", s->near_mw, s->far_mw,
		s->task.failed, s->task.handover_us_max);
	nst_fidelity_put_tally(&s->fidelity.phase, out);
	nst_farside_put(&s->farside, out);
	fprintf(out, "}\n");
	fflush(out);
}

static void put_percent(FILE *out, const char *name, int permyriad)
{
	if (permyriad < 0)
		fprintf(out, " %s   -", name);
	else
		fprintf(out, " %s%4d", name, (permyriad + 50) / 100);
}

void nst_output_status(FILE *out, const struct nst_stream *s,
		       const struct nst_span *span)
{
	const struct nst_tally *t = &s->second;
	const char *who = s->last.placement == NST_CLIENT_FAR	 ? "far" :
			  s->last.placement == NST_CLIENT_PAUSED ? "stop" :
								   "near";
	unsigned int fps = fps_milli(t, span->took_ms);

	fprintf(out, " | %s", s->name);
	if (span->have_truth)
		fprintf(out, " %5.1f", span->truth.die_mc / 1000.0);
	else
		fprintf(out, "     -");
	if (s->last.limit_mc < NST_CLIENT_NONE_MC)
		fprintf(out, "/%.1f C", s->last.limit_mc / 1000.0);
	else
		fprintf(out, "/none");
	fprintf(out, " %-4s %-7s %4.2f W", who,
		span->have_truth ? span->truth.gate : "?",
		mean_power_mw(t) / 1000.0);
	put_percent(out, "duty", duty_permyriad(span));
	fprintf(out, "%% %4.1f fps", fps / 1000.0);
	if (t->withheld)
		fprintf(out, " (%lu withheld)", t->withheld);
	put_percent(out, "P", nst_score_precision_permyriad(&t->score));
	put_percent(out, "R", nst_score_recall_permyriad(&t->score));
	fprintf(out, "%%");
	nst_fidelity_put_status(&s->fidelity, out);
}

static void put_boxes(FILE *out, const char *key, const struct nst_box *box,
		      const bool *matched, unsigned int count)
{
	fprintf(out, ",\"%s\":[", key);
	for (unsigned int i = 0; i < count; i++)
		fprintf(out, "%s[%d,%d,%d,%d,%d]", i ? "," : "", box[i].x,
			box[i].y, box[i].w, box[i].h,
			matched ? matched[i] : 1);
	fputc(']', out);
}

static int write_pgm(const char *path, const struct nst_stream *s,
		     const struct nst_shot *shot)
{
	FILE *f = fopen(path, "we");
	size_t len = (size_t)s->cam.width * s->cam.height;
	bool ok;

	if (!f)
		return -errno;
	ok = fprintf(f, "P5\n%u %u\n255\n", s->cam.width, s->cam.height) > 0 &&
	     fwrite(shot->pixels, 1, len, f) == len;
	if (fclose(f) || !ok)
		return -EIO;
	return 0;
}

int nst_output_shot(FILE *out, const char *dir, const struct nst_stream *s,
		    const struct nst_shot *shot, const char *phase,
		    const char *what)
{
	char path[512];
	int r;

	if (!shot->used)
		return 0;
	snprintf(path, sizeof(path), "%s/%s-%s-%s.pgm", dir, s->name, phase,
		 what);
	r = write_pgm(path, s, shot);
	if (r)
		return r;
	fprintf(out, "{\"kind\":\"picture\",\"file\":\"%s-%s-%s.pgm\","
		"\"sensor\":\"%s\",\"phase\":\"%s\",\"what\":\"%s\","
		"\"seq\":%" PRIu64 ",\"exposure_mc\":%d",
		s->name, phase, what, s->name, phase, what, shot->seq,
		shot->temp_mc);
	put_boxes(out, "found", shot->found, shot->matched, shot->found_count);
	put_boxes(out, "truth", shot->truth, NULL, shot->truth_count);
	fprintf(out, "}\n");
	fflush(out);
	return 0;
}
