// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_nstd_report.c - what applications tell of their frames, in the daemon
 *
 * The clock of reports is the daemon's; here it is a number, so nothing
 * waits. Temperatures go by the clock of the emulated stack.
 */
#include "nstd_loop.h"

static struct nst_sensor *sensor(void)
{
	return &m.sensor[1];
}

static s32 high_mc(void)
{
	return sensor()->gov.pc.thr.high_mc;
}

static void apply(const struct nst_report *r)
{
	EXPECT(!nst_report_apply(&m, sensor(), r), " ");
}

/* Dim light, daylight, and back: the very next frame has the new limit. */
static void light_at_the_next_frame(void)
{
	const struct nst_report day = { .exposure_us = 16000, .iso = 100 };
	const struct nst_report dim = { .exposure_us = 64000, .iso = 800 };
	s32 dim_mc;

	begin(PROFILE);
	frames(10);
	dim_mc = high_mc();
	for (int i = 0; i < 20; i++) {
		apply(&day);
		frames(1);
		/*
		 * ISO alone is worth 7 K times log2(8); the exposure is the
		 * device's own, which knows better.
		 */
		EXPECT(high_mc() == dim_mc + 21000, "%d, dim %d", high_mc(),
		       dim_mc);
		apply(&dim);
		frames(1);
		EXPECT(high_mc() == dim_mc, "%d, dim %d", high_mc(), dim_mc);
	}
	end();
}

/* What is not told any more is no longer in force. */
static void light_expires(void)
{
	const struct nst_report day = { .iso = 100, .frame_us = 40000 };
	const struct nst_light camera = { .exposure_us = 5000, .iso = 400 };
	struct nst_reported *r;
	struct nst_light light;
	u64 at_ms;

	begin(PROFILE);
	frames(10);
	r = &sensor()->reported;
	apply(&day);
	at_ms = r->light_at_ms;
	light = nst_report_light(r, &camera, at_ms + NST_REPORT_MS - 1);
	EXPECT(light.iso == 100 && light.exposure_us == 5000 &&
	       light.frame_us == 40000, " ");
	EXPECT(!nst_report_expire(r, at_ms + NST_REPORT_MS - 1), " ");
	light = nst_report_light(r, &camera, at_ms + NST_REPORT_MS);
	EXPECT(light.iso == 400 && !light.frame_us, " ");
	EXPECT(nst_report_expire(r, at_ms + NST_REPORT_MS), " ");
	EXPECT(!nst_report_expire(r, at_ms + NST_REPORT_MS), "said twice");
	/* The timer of the sensor is who asks. */
	apply(&day);
	frames(1);
	EXPECT(sensor()->gov.light.iso == 100, " ");
	nst_sensor_timer(sensor(), nst_now_ms() + NST_REPORT_MS);
	frames(1);
	EXPECT(sensor()->gov.light.iso == 800, "%u", sensor()->gov.light.iso);
	end();
}

/* A sub-device tells of nothing: it is read with the frame. */
static void polled_camera(void)
{
	const struct nst_light day = DAYLIGHT, dim = DIM;
	const struct nst_report told = { .iso = 400 };
	struct nst_governor *g;

	begin(PROFILE);
	g = &m.sensor[0].gov;
	m.sensor[0].cam->polled = true;
	frames(10);
	cam.light = day;
	frames(1);
	EXPECT(g->light.iso == 100, "%u", g->light.iso);
	cam.light = dim;
	frames(1);
	EXPECT(g->light.iso == 800, "%u", g->light.iso);
	/* What the application tells of its frames stays in front. */
	EXPECT(!nst_report_apply(&m, &m.sensor[0], &told), " ");
	cam.light = day;
	frames(1);
	EXPECT(g->light.iso == 400 && g->light.lux_milli == day.lux_milli,
	       "%u", g->light.iso);
	end();
}

/* ----------------------------------------------------------- temperature */

static void temperature_states(void)
{
	const struct nst_report none = { .iso = 100 };
	const struct nst_report zero = { .has_temp = true };
	const struct nst_report warm = { .has_temp = true, .temp_mc = 41000 };
	const struct nst_report only = { .measured = NST_REPORT_SETTLING };
	struct nst_reported *r;

	begin(PROFILE);
	frames(10);
	r = &sensor()->reported;
	EXPECT(nst_report_temp(r, nst_now_ms()) == NST_REPORT_TEMP_NEVER,
	       " ");
	apply(&none);
	EXPECT(nst_report_temp(r, r->at_ms) == NST_REPORT_TEMP_MISSING, " ");
	apply(&zero);
	EXPECT(nst_report_temp(r, r->at_ms) == NST_REPORT_TEMP_ZERO, " ");
	EXPECT(nst_report_temp(r, r->at_ms + NST_REPORT_MS) ==
	       NST_REPORT_TEMP_STALE, " ");
	apply(&warm);
	EXPECT(nst_report_temp(r, r->at_ms) == NST_REPORT_TEMP_VALID, " ");
	/* Who measures alone says nothing about it. */
	apply(&only);
	EXPECT(nst_report_temp(r, r->at_ms) == NST_REPORT_TEMP_VALID, " ");
	EXPECT(nst_report_temp(r, r->temp_at_ms + NST_REPORT_MS) ==
	       NST_REPORT_TEMP_STALE, " ");
	end();
}

static void push(bool has_temp, s32 temp_mc)
{
	const struct nst_report r = { .has_temp = has_temp,
				      .temp_mc = temp_mc, .iso = 800 };

	apply(&r);
}

/* The application is the thermometer of a stack that never had one. */
static void serves_as_the_sensor(void)
{
	unsigned int near = 0;

	begin(PROFILE);
	stack[1].sample_state = NST_SAMPLE_NO_DATA;
	frames(60);
	EXPECT(!nst_gov_trusted(&sensor()->gov), " ");
	/* Not filled in is not zero degrees. */
	for (int i = 0; i < 30; i++) {
		push(i & 1, 0);
		frames(1);
		near += stack[1].gate == NST_GATE_RUN;
	}
	EXPECT(!nst_gov_trusted(&sensor()->gov) && !near, "%u", near);
	for (int i = 0; i < 600; i++) {
		push(true, nst_plant_die_mc(&stack[1].plant));
		frames(1);
		near += stack[1].gate == NST_GATE_RUN;
	}
	EXPECT(nst_gov_trusted(&sensor()->gov) && near > 200, "%u", near);
	EXPECT(abs(nst_observer_die_mc(&sensor()->gov.obs) -
		   nst_plant_die_mc(&stack[1].plant)) < 500, " ");
	/* It ends: stale within a second of the stack's time, then gated. */
	frames(90);
	EXPECT(!nst_gov_trusted(&sensor()->gov) &&
	       stack[1].gate != NST_GATE_RUN, " ");
	end();
}

/* A word does not clear a fault, nor does it beat the device's own. */
static void is_no_cure(void)
{
	begin(PROFILE);
	frames(100);
	stack[1].sample_state = NST_SAMPLE_BUS_FAULT;
	for (int i = 0; i < 200; i++) {
		push(true, 30000);
		frames(1);
	}
	EXPECT(!nst_gov_trusted(&sensor()->gov), " ");
	stack[1].sample_state = NST_SAMPLE_VALID;
	for (int i = 0; i < 200; i++) {
		push(true, 30000);
		frames(1);
	}
	EXPECT(nst_gov_trusted(&sensor()->gov) &&
	       abs(nst_observer_die_mc(&sensor()->gov.obs) -
		   nst_plant_die_mc(&stack[1].plant)) < 500, " ");
	end();
}

/* ------------------------------------------------------------- fidelity */

static void fidelity(void)
{
	const struct nst_report both = {
		.measured = NST_REPORT_MEASURED, .snr_cdb = 2500,
		.snr_low_cdb = 2230, .dark_measured = NST_REPORT_MEASURED,
		.dark_snr_cdb = 1990, .dark_snr_low_cdb = 1950,
	};
	const struct nst_report moving = { .measured = NST_REPORT_MOVING };
	struct nst_report_fidelity f;
	struct nst_reported *r;
	u64 at_ms;

	begin(PROFILE);
	frames(10);
	r = &sensor()->reported;
	f = nst_report_fidelity(r, false, 22, nst_now_ms());
	EXPECT(f.state == NST_REPORT_UNMEASURED && !f.met, " ");
	apply(&both);
	at_ms = r->measured_at_ms;
	/* It is the bound that has to be above, not the estimate. */
	f = nst_report_fidelity(r, false, 22.3, at_ms);
	EXPECT(f.met && f.margin_cdb == 0 && f.snr_low_cdb == 2230, " ");
	f = nst_report_fidelity(r, false, 22.301, at_ms);
	EXPECT(!f.met && f.margin_cdb == -1, "%d", f.margin_cdb);
	/* Each figure for its own model. */
	f = nst_report_fidelity(r, true, 20, at_ms);
	EXPECT(f.dark && !f.met && f.snr_cdb == 1990, " ");
	f = nst_report_fidelity(r, false, 20, at_ms + NST_REPORT_MEASURED_MS);
	EXPECT(f.state == NST_REPORT_UNMEASURED && !f.met, " ");
	/* A state takes the number away, of its own figure. */
	apply(&moving);
	f = nst_report_fidelity(r, false, -100, r->measured_at_ms);
	EXPECT(f.state == NST_REPORT_MOVING && !f.met, " ");
	f = nst_report_fidelity(r, true, 19, r->dark_at_ms);
	EXPECT(f.met, " ");
	end();
}

static void status_tells(void)
{
	const struct nst_report dark = {
		.dark_measured = NST_REPORT_MEASURED, .dark_snr_cdb = 2210,
		.dark_snr_low_cdb = 2150, .has_temp = true,
		.measured = NST_REPORT_CLIPPED,
	};
	struct json_object *o;
	int fd;

	begin(PROFILE);
	frames(10);
	fd = client();
	o = ask(fd, "{\"id\":1,\"req\":\"status\"}");
	EXPECT(!at(o, "ok/sensors/1/reported") &&
	       !strcmp(text_at(o, "ok/sensors/1/tasks/0/measured"),
		       "unmeasured") &&
	       !at(o, "ok/sensors/1/tasks/0/snr_cdb"), "%s",
	       json_object_to_json_string(o));
	json_object_put(o);
	apply(&dark);
	o = ask(fd, "{\"id\":1,\"req\":\"status\"}");
	/* A `paper` task is held against the dark rows. */
	EXPECT(!strcmp(text_at(o, "ok/sensors/1/tasks/0/snr_of"), "dark") &&
	       json_object_get_int(at(o, "ok/sensors/1/tasks/0/margin_cdb")) ==
	       150 &&
	       json_object_get_boolean(at(o, "ok/sensors/1/tasks/0/met")),
	       "%s", json_object_to_json_string(o));
	EXPECT(!strcmp(text_at(o, "ok/sensors/1/reported/temp_state"),
		       "zero") && !at(o, "ok/sensors/1/reported/temp_mc"),
	       " ");
	json_object_put(o);
	close(fd);
	end();
}

static void checks(void)
{
	static const struct nst_report bad[] = {
		{ .has_temp = true, .temp_mc = -60001 },
		{ .has_temp = true, .temp_mc = 250001 },
		{ .exposure_us = NST_REPORT_TIME_MAX_US + 1 },
		{ .frame_us = NST_REPORT_TIME_MAX_US + 1 },
		{ .iso = NST_REPORT_ISO_MAX + 1 },
		{ .measured = NST_REPORT_MEASURED_COUNT },
		{ .measured = NST_REPORT_MEASURED, .snr_cdb = 20001 },
		{ .measured = NST_REPORT_MEASURED, .snr_cdb = 10,
		  .snr_low_cdb = 11 },
		{ .dark_measured = NST_REPORT_MEASURED,
		  .dark_snr_low_cdb = -20001 },
	};
	const char *what;

	begin(PROFILE);
	frames(2);
	for (unsigned int i = 0; i < KTAP_COUNT(bad); i++) {
		what = "";
		EXPECT(nst_report_check(&bad[i], &what) == -ERANGE &&
		       what[0], "%u", i);
		EXPECT(nst_report_apply(&m, sensor(), &bad[i]) == -ERANGE,
		       "%u", i);
	}
	EXPECT(!sensor()->reported.count, " ");
	for (int i = 0; i < NST_REPORT_MEASURED_COUNT; i++)
		EXPECT(nst_report_measured_from_text(
			nst_report_measured_text((unsigned int)i)) == i, " ");
	EXPECT(nst_report_measured_from_text("") == -EINVAL, " ");
	end();
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "light_at_the_next_frame", light_at_the_next_frame },
		{ "light_expires", light_expires },
		{ "polled_camera", polled_camera },
		{ "temperature_states", temperature_states },
		{ "serves_as_the_sensor", serves_as_the_sensor },
		{ "is_no_cure", is_no_cure },
		{ "fidelity", fidelity },
		{ "status_tells", status_tells },
		{ "checks", checks },
	};

	return ktap_main(tests, KTAP_COUNT(tests));
}
