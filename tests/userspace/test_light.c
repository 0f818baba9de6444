// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_light.c - logs of light meters, and the loop closed over a day
 *
 * tests/data/light/outdoor-day.csv is a recorded day. The other logs are
 * written here in the formats of real ones, with the faults that those have.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "ktap.h"
#include "light_log.h"
#include "oracle_trace.h"
#include "sim.h"
#include "trace.h"

static char path[32] = "/tmp/nst-light-XXXXXX";

static int put(const char *text)
{
	_cleanup_fclose_ FILE *out = fopen(path, "we");

	return out && fputs(text, out) >= 0 ? 0 : -EIO;
}

static bool load(struct nst_trace *trace, const char *text)
{
	int r;

	memset(trace, 0, sizeof(*trace));
	EXPECT(!put(text), "write");
	r = nst_trace_load(trace, path, stdout);
	EXPECT(!r, "%d for\n%s", r, text);
	return !r;
}

static void step_is(const struct nst_trace *t, size_t i, u64 t_s,
		    bool unknown, u32 lux_milli)
{
	const struct nst_trace_step *s = &t->steps[i];

	EXPECT(i < t->count, "step %zu of %zu", i, t->count);
	if (i >= t->count)
		return;
	EXPECT(s->t_us == t_s * 1000000 && s->unknown == unknown &&
	       s->lux_milli == lux_milli,
	       "step %zu: %llu us, %s, %u", i, (unsigned long long)s->t_us,
	       s->unknown ? "unknown" : "known", s->lux_milli);
	/* Nobody knows the light: the setting is the hardest one. */
	EXPECT(!unknown || (s->exposure_us == 64000 && s->iso == 800),
	       "%u us ISO %u", s->exposure_us, s->iso);
}

/* -------------------------------------------------------------- logs --- */

static void formats_are_known(void)
{
	struct nst_trace t;

	if (load(&t, "# a comment\nlocal_time,lux,logger_temp_C\n"
		     "2023-08-28T23:59,320,26.9\n2023-08-29T00:01,5.5,27\n")) {
		EXPECT(t.count == 2 && t.log.is && t.log.readings == 2 &&
		       t.end_us == 240000000, "%zu", t.count);
		step_is(&t, 0, 0, false, 320000);
		step_is(&t, 1, 120, false, 5500);
		EXPECT(t.steps[0].exposure_us == 32000 &&
		       t.steps[0].iso == 400, "auto-exposure");
		nst_trace_free(&t);
	}
	if (load(&t, "2023-05-02,15:34:47,1099.5\n2023-05-02,15:35:08,1095\n")) {
		step_is(&t, 0, 0, false, 1099500);
		step_is(&t, 1, 21, false, 1095000);
		nst_trace_free(&t);
	}
	/* Irradiance; a little less than none at night is none. */
	if (load(&t, "DATE (MM/DD/YYYY),MST,Global PSP [W/m^2],x\n"
		     "10/14/2018,00:00,-7.6,4\n10/14/2018,00:01,100,4\n")) {
		step_is(&t, 0, 0, false, 0);
		step_is(&t, 1, 60, false, 11500000);
		EXPECT(!t.log.invalid, "%u", t.log.invalid);
		nst_trace_free(&t);
	}
	/* The strict format is what it was. */
	if (load(&t, "t_s,lux\n0,10\n5,20\n")) {
		EXPECT(!t.log.is && t.count == 2, "a trace");
		nst_trace_free(&t);
	}
}

static void faults_are_states(void)
{
	struct nst_trace t;

	/* Error codes hold the last reading, and then nothing is known. */
	if (load(&t, "2023-05-02,10:00:00,100\n2023-05-02,10:01:00,-2\n"
		     "2023-05-02,10:04:00,-1\n2023-05-02,10:08:00,-2\n"
		     "2023-05-02,10:09:00,200\n")) {
		EXPECT(t.count == 3 && t.log.invalid == 3, "%zu, %u", t.count,
		       t.log.invalid);
		step_is(&t, 0, 0, false, 100000);
		step_is(&t, 1, NST_LIGHT_HOLD_S, true, 0);
		step_is(&t, 2, 540, false, 200000);
		EXPECT(t.log.unknown_us == 240000000, "%llu",
		       (unsigned long long)t.log.unknown_us);
		nst_trace_free(&t);
	}
	/* So does the time between two lines. */
	if (load(&t, "2023-05-02,10:00:00,100\n2023-05-02,12:00:00,100\n")) {
		EXPECT(t.count == 3 && t.log.gaps == 1, "%zu", t.count);
		step_is(&t, 1, NST_LIGHT_HOLD_S, true, 0);
		step_is(&t, 2, 7200, false, 100000);
		nst_trace_free(&t);
	}
	/* Errors before the first reading are no light; nor those at the end. */
	if (load(&t, "2023-05-02,10:00:00,-2\n2023-05-02,10:01:00,7\n"
		     "2023-05-02,11:00:00,-2\n")) {
		EXPECT(t.count == 2, "%zu", t.count);
		step_is(&t, 0, 0, false, 7000);
		step_is(&t, 1, NST_LIGHT_HOLD_S, true, 0);
		nst_trace_free(&t);
	}
	/* A clock that was set back. */
	if (load(&t, "2023-05-02,10:00:00,1\n2023-05-02,10:00:20,2\n"
		     "2023-05-02,10:00:20,3\n2023-05-02,09:00:00,4\n"
		     "2023-05-02,10:00:40,5\n")) {
		EXPECT(t.count == 3 && t.log.backward == 2, "%zu, %u",
		       t.count, t.log.backward);
		step_is(&t, 2, 40, false, 5000);
		nst_trace_free(&t);
	}
}

static void stuck_is_unknown(void)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct nst_trace t;

	/* Two hours of the same, then it moves; a night of nothing is one. */
	for (int i = 0; i < 120; i++)
		fprintf(out, "2023-05-02,%02d:%02d:00,38.33333\n", 10 + i / 60,
			i % 60);
	fprintf(out, "2023-05-02,12:00:00,39\n");
	for (int i = 1; i < 180; i++)
		fprintf(out, "2023-05-02,%02d:%02d:00,0\n", 12 + i / 60,
			i % 60);
	fclose(out);
	if (!load(&t, text))
		return;
	EXPECT(t.log.stuck == 1 && t.count == 4, "%u, %zu", t.log.stuck,
	       t.count);
	step_is(&t, 0, 0, false, 38333);
	step_is(&t, 1, NST_LIGHT_STUCK_S + 60, true, 0);
	step_is(&t, 2, 7200, false, 39000);
	step_is(&t, 3, 7260, false, 0);
	nst_trace_free(&t);
}

static void bad_logs(void)
{
	static const struct {
		const char *text;
		const char *want;
	} bad[] = {
		{ "local_time,lux\n", ":1: no good reading in the whole log" },
		{ "2023-05-02,10:00:00,-2\n2023-05-02,10:01:00,-2\n",
		  ":2: no good reading in the whole log" },
		{ "local_time,lux\n2023-08-28T08:28,bright\n",
		  ":2: 'bright' is no reading of a light meter" },
		{ "local_time,lux\n2023-08-28T08:28,nan\n",
		  ":2: 'nan' is no reading of a light meter" },
		{ "local_time,lux\nyesterday,1\n",
		  ":2: 'yesterday' is no time as in the lines before" },
		{ "local_time,lux\n2023-08-28T08:28\n",
		  ":2: fewer than 2 fields" },
		{ "2023-05-02,10:00:00,1\n2023-05-02,noon,1\n",
		  ":2: '2023-05-02' is no time as in the lines before" },
		/* neither: the columns of a trace are told */
		{ "time,brightness\n1,2\n", ":1: unknown column 'time'" },
	};

	for (unsigned int i = 0; i < KTAP_COUNT(bad); i++) {
		_cleanup_free_ char *text = NULL;
		size_t size = 0;
		FILE *err = open_memstream(&text, &size);
		struct nst_trace t = { .count = 77 };

		EXPECT(!put(bad[i].text), "write");
		EXPECT(nst_trace_load(&t, path, err) == -EINVAL, "%s",
		       bad[i].text);
		fclose(err);
		EXPECT(strstr(text, bad[i].want), "%s# wanted %s", text,
		       bad[i].want);
		EXPECT(t.count == 77, "touched");
		EXPECT(nst_trace_load(&t, path, NULL) == -EINVAL,
		       "nobody listens");
	}
}

/* --------------------------------------------------------------- day --- */

static const char profile_text[] =
	"version: 1\n"
	"sensors:\n"
	"  - name: cam0\n"
	"    power: { preset: neurostream }\n"
	"    noise: { model: emva, preset: reference-sensor }\n"
	"tasks:\n"
	"  - { name: detect, sensor: cam0, kind: vision, fps: 30,\n"
	"      policy: seasonal-migration, fidelity: { min_snr_db: 22 } }\n";

struct day {
	struct nst_profile profile;
	struct nst_trace trace;
	struct nst_sim_options opt;
	struct nst_sim_result r;
};

static bool day_run(struct day *d, const char *policy, double min_snr_db)
{
	const char *top = getenv("NST_TOP");
	char file[1024];

	snprintf(file, sizeof(file), "%s/tests/data/light/outdoor-day.csv",
		 top ? top : ".");
	memset(d, 0, sizeof(*d));
	EXPECT(!put(profile_text), "write");
	if (nst_profile_load(&d->profile, path, stdout) ||
	    nst_trace_load(&d->trace, file, stdout)) {
		EXPECT(false, "%s", file);
		return false;
	}
	d->profile.tasks[0].policy = nst_policy_find(policy);
	d->profile.tasks[0].min_snr_db = min_snr_db;
	d->opt = (struct nst_sim_options){
		.profile = &d->profile,
		.trace = &d->trace,
		.duration_us = d->trace.end_us,
		.switch_cost = true,
		.seed = 1,
	};
	EXPECT(!nst_sim_run(&d->r, &d->opt, stdout), "%s", policy);
	printf("# %s, %g dB: %llu frames, %llu delivered (oracle %llu), "
	       "%llu withheld, %llu of them avoidable, %llu impossible\n",
	       policy, min_snr_db, (unsigned long long)d->r.frames,
	       (unsigned long long)d->r.frames_delivered,
	       (unsigned long long)d->r.oracle_frames_delivered,
	       (unsigned long long)d->r.frames_withheld,
	       (unsigned long long)d->r.frames_withheld_avoidable,
	       (unsigned long long)d->r.frames_impossible);
	nst_trace_free(&d->trace);
	return true;
}

/* No avoidable miss, and the oracle's frames less 2 %. */
static void day_is_kept(const struct day *d)
{
	const struct nst_sim_result *r = &d->r;

	EXPECT(!r->violations, "%llu", (unsigned long long)r->violations);
	EXPECT(!r->frames_withheld_avoidable, "%llu",
	       (unsigned long long)r->frames_withheld_avoidable);
	EXPECT(r->oracle, "no oracle");
	EXPECT(r->frames_delivered * 100 >= r->oracle_frames_delivered * 98,
	       "%llu of %llu", (unsigned long long)r->frames_delivered,
	       (unsigned long long)r->oracle_frames_delivered);
}

static void day_of_seasons(void)
{
	static struct day d;

	if (!day_run(&d, "seasonal-migration", 22))
		return;
	day_is_kept(&d);
	EXPECT(d.r.frames_delivered == d.r.frames, "none lost");
	EXPECT(nst_sim_duty_permyriad(&d.r) > 5000, "%u",
	       nst_sim_duty_permyriad(&d.r));
	EXPECT(d.r.oracle_gap_permyriad < 200, "%d permyriad over the oracle",
	       d.r.oracle_gap_permyriad);
}

static void day_of_stops(void)
{
	static struct day d;

	if (day_run(&d, "stop-capture-go", 22))
		day_is_kept(&d);
}

/* 28 dB: not at ISO 800, however cold; most of the day has it. */
static void impossible_by_night(void)
{
	static struct day d;

	if (!day_run(&d, "seasonal-migration", 28))
		return;
	day_is_kept(&d);
	EXPECT(d.r.frames_impossible == d.r.frames_withheld &&
	       d.r.frames_impossible > d.r.frames / 5 &&
	       d.r.frames_impossible < d.r.frames / 2, "%llu",
	       (unsigned long long)d.r.frames_impossible);
}

/* A light that never does is an error, not a run of nothing. */
static void impossible_is_an_error(void)
{
	_cleanup_free_ char *text = NULL;
	struct nst_sim_result r;
	struct nst_profile p;
	struct nst_trace t;
	struct nst_sim_options opt = {
		.profile = &p, .trace = &t, .duration_us = 60000000,
	};
	size_t size = 0;
	FILE *err = open_memstream(&text, &size);

	EXPECT(!put(profile_text), "write");
	EXPECT(!nst_profile_load(&p, path, stdout), "profile");
	EXPECT(!nst_trace_light(&t, nst_profile_light_find("dim")), "light");
	p.tasks[0].min_snr_db = 28;
	EXPECT(nst_sim_run(&r, &opt, err) == -EDOM, "28 dB in dim light");
	fclose(err);
	EXPECT(strstr(text, "no temperature gives"), "%s", text);
	nst_trace_free(&t);
}

/* An imaging task that asks too much loses its captures, nothing else. */
static void captures_that_cannot_be(void)
{
	struct nst_sim_result with, without;
	struct nst_profile p;
	struct nst_trace t;
	struct nst_sim_options opt = {
		.profile = &p, .trace = &t, .duration_us = 300000000,
		.capture_rate_hz = 1, .seed = 3, .switch_cost = true,
	};

	EXPECT(!put(profile_text), "write");
	EXPECT(!nst_profile_load(&p, path, stdout), "profile");
	EXPECT(!nst_trace_light(&t, nst_profile_light_find("dim")), "light");
	p.tasks[1] = p.tasks[0];
	p.tasks[1].kind = NST_TASK_IMAGING;
	p.tasks[1].min_snr_db = 28;
	p.tasks[1].deadline_ms = 200;
	p.task_count = 2;
	EXPECT(!nst_sim_run(&with, &opt, stdout), "with");
	EXPECT(with.captures == 0 && with.captures_missed > 200, "%llu, %llu",
	       (unsigned long long)with.captures,
	       (unsigned long long)with.captures_missed);
	p.task_count = 1;
	opt.capture_rate_hz = 0;
	EXPECT(!nst_sim_run(&without, &opt, stdout), "without");
	EXPECT(with.first.thr.high_mc == without.first.thr.high_mc, "%d, %d",
	       with.first.thr.high_mc, without.first.thr.high_mc);
	EXPECT(!with.frames_withheld && !with.violations, "%llu",
	       (unsigned long long)with.frames_withheld);
	nst_trace_free(&t);
}

/* A search for each setting: weather that drifts is not searched through. */
static void oracle_has_an_end(void)
{
	static struct nst_trace_step steps[NST_ORACLE_SETTINGS_MAX + 1];
	struct nst_trace t = { .steps = steps, .count = KTAP_COUNT(steps) };
	struct nst_profile p;
	struct nst_sim_result r;
	struct nst_sim_options opt = {
		.profile = &p, .trace = &t,
		.duration_us = KTAP_COUNT(steps) * 1000000ull,
	};

	EXPECT(!put(profile_text), "write");
	EXPECT(!nst_profile_load(&p, path, stdout), "profile");
	for (unsigned int i = 0; i < KTAP_COUNT(steps); i++)
		steps[i] = (struct nst_trace_step){
			.t_us = i * 1000000ull, .exposure_us = 16000,
			.iso = 100, .has_ambient = true,
			.ambient_mc = 20000 + (s32)i,
		};
	EXPECT(!nst_sim_run(&r, &opt, stdout), "run");
	EXPECT(!r.oracle && r.frames > 1000, "an oracle of %zu", t.count);
	t.count = 2;
	EXPECT(!nst_sim_run(&r, &opt, stdout) && r.oracle, "of two settings");
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "logs are known by their first line", formats_are_known },
		{ "readings that are none, gaps and a clock set back",
		  faults_are_states },
		{ "a meter that hangs tells nothing", stuck_is_unknown },
		{ "what is no log gets a message", bad_logs },
		{ "a day of seasons under emva", day_of_seasons },
		{ "a day of stops under emva", day_of_stops },
		{ "what no temperature gives is withheld by night",
		  impossible_by_night },
		{ "what is never possible is an error",
		  impossible_is_an_error },
		{ "captures that cannot be had bind nothing",
		  captures_that_cannot_be },
		{ "the oracle searches so many settings, no more",
		  oracle_has_an_end },
	};
	int fd = mkstemp(path), r;

	if (fd < 0)
		return 1;
	close(fd);
	r = ktap_main(tests, KTAP_COUNT(tests));
	unlink(path);
	return r;
}
