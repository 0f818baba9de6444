// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_nstd_governor.c - the tick on an emulated stack
 *
 * The stack keeps the truth: the exposure temperature of every frame on its
 * own plant, which the governor sees through samples alone. Duty is held
 * against the closed form of physics (policies share it), temperatures
 * against an integration in doubles that shares no code with the governor.
 */
#include <errno.h>
#include <math.h>

#include "nstd/cursor.h"
#include "nstd/far.h"
#include "nstd/identified.h"
#include "nstd/tick.h"
#include "ktap.h"
#include "nstd_fixture.h"

static struct nst_profile profile;
static struct nst_plantdev stack;
static struct nst_governor gov;

/* What delivered frames were on the true plant. */
static struct {
	u64 delivered;
	u64 hot;
	s32 worst_mc;		/* above the limit */
	s32 error_mc;		/* of the governor's figure */
	u64 next;
} truth;

static void begin(const char *text, const struct nst_plantdev_config *config)
{
	struct nst_dev *dev;
	u32 limit_ms;

	fixture_profile(&profile, text);
	EXPECT(!nst_gov_init(&gov, &profile, 0), " ");
	EXPECT(!nst_plantdev_init(&stack, config), " ");
	EXPECT(!nst_plantdev_open(&stack, &dev), " ");
	EXPECT(!dev->ops->lease(dev, NST_DEV_TAKE, 0, &limit_ms), " ");
	memset(&truth, 0, sizeof(truth));
}

static void end(void)
{
	stack.dev.ops->close(&stack.dev);
	nst_plantdev_deinit(&stack);
}

static void look_at_truth(void)
{
	const struct nst_verdict *v;
	int err;

	for (; truth.next < gov.judged_seq; truth.next++) {
		s32 mc = nst_plantdev_exposure_mc(&stack, truth.next), off;

		v = nst_gov_verdict(&gov, truth.next, &err);
		if (!v || v->exposure_temp_mc == NST_TEMP_NONE_MC)
			continue;
		off = abs(v->exposure_temp_mc - mc);
		if (off > truth.error_mc)
			truth.error_mc = off;
		if (v->outcome != NST_DELIVERED)
			continue;
		truth.delivered++;
		if (mc <= v->limit_mc)
			continue;
		truth.hot++;
		if (mc - v->limit_mc > truth.worst_mc)
			truth.worst_mc = mc - v->limit_mc;
	}
}

static struct nst_tick tick_once(void)
{
	struct nst_tick t;

	EXPECT(!nst_tick(&gov, &stack.dev, true, 105000, &t), " ");
	EXPECT(!t.gate_err && !t.limits_err, "%d %d", t.gate_err,
	       t.limits_err);
	look_at_truth();
	return t;
}

static void run(unsigned int ticks, unsigned int frames_per_tick)
{
	for (unsigned int i = 0; i < ticks; i++) {
		nst_plantdev_advance(&stack, frames_per_tick);
		tick_once();
	}
}

static double duty(const struct nst_gov_stats *from)
{
	return 100.0 * (double)(gov.stats.near - from->near) /
	       (double)(gov.stats.frames - from->frames);
}

/* d_max of physics, section 5, in percent */
static double duty_of(double high_c)
{
	return 100 * ((high_c - 5.5 * 2.5 - 26.4) / 28.5 - 0.1) / (2.5 - 0.1);
}

#define FRAMES_PER_S 15		/* dim: 64 ms of exposure, 1 ms of read-out */

static void steady_stop_capture_go(void)
{
	struct nst_plantdev_config config = fixture_stack("s");
	struct nst_gov_stats warm;

	begin("version: 1\nsensors:\n" SENSOR_YAML("s", "") "tasks:\n"
	      VISION_YAML("v", "s", "stop-capture-go", "20")
	      IMAGING_YAML("i", "s", "26"), &config);
	run(150 * FRAMES_PER_S, 1);
	warm = gov.stats;
	run(200 * FRAMES_PER_S, 1);
	printf("# duty %.2f, closed form %.2f; exposure temperature off by at "
	       "most %d mC\n", duty(&warm), duty_of(74.0 + 13.2),
	       truth.error_mc);
	/* The continuous limit is the one that binds: 81.1 in dim light. */
	EXPECT(fabs(duty(&warm) - duty_of(81.1)) < 1.5, "%f", duty(&warm));
	EXPECT(truth.hot == 0, "%llu frames, worst %d mC",
	       (unsigned long long)truth.hot, truth.worst_mc);
	EXPECT(truth.delivered > 200 * FRAMES_PER_S, "%llu",
	       (unsigned long long)truth.delivered);
	EXPECT(truth.error_mc < 20, "%d", truth.error_mc);
	EXPECT(gov.stats.withheld <= 4, "%llu",
	       (unsigned long long)gov.stats.withheld);
	EXPECT(gov.stats.late == 0 && gov.stats.missed == 0, " ");
	EXPECT(gov.stats.frames == gov.stats.delivered + gov.stats.dropped +
	       gov.stats.withheld, "frames do not add up");
	end();
}

static void steady_migration(void)
{
	struct nst_plantdev_config config = fixture_stack("s");
	struct nst_gov_stats warm;

	begin("version: 1\nsensors:\n" SENSOR_YAML("s", "") "tasks:\n"
	      VISION_YAML("v", "s", "seasonal-migration", "20"), &config);
	run(200 * FRAMES_PER_S, 1);
	warm = gov.stats;
	run(400 * FRAMES_PER_S, 1);
	printf("# duty %.2f, %.0f switches in 400 s\n", duty(&warm),
	       (double)(gov.stats.switches - warm.switches));
	EXPECT(truth.hot == 0, "%llu frames, worst %d mC",
	       (unsigned long long)truth.hot, truth.worst_mc);
	EXPECT(gov.stats.dropped == 0, " ");
	/* All but the first few, which had no trustworthy sensor yet. */
	EXPECT(gov.stats.delivered >= gov.stats.frames - 4, " ");
	/* Below what frame dithering reaches, above a quarter. */
	EXPECT(duty(&warm) < duty_of(81.1) && duty(&warm) > 25, "%f",
	       duty(&warm));
	EXPECT(gov.stats.switches - warm.switches > 20, "no seasons");
	end();
}

static void coarse_sensor(void)
{
	struct nst_plantdev_config config = fixture_stack("s");

	config.sensor_lsb_mc = 1000;
	begin("version: 1\nsensors:\n"
	      "  - name: s\n"
	      "    device: plant-s\n"
	      "    thermal: { preset: stacked-reference }\n"
	      "    power: { preset: neurostream, capture_mw: 100 }\n"
	      "    observer: { lsb_mc: 1000, floor: true }\n"
	      "    light: { preset: dim }\n"
	      "tasks:\n" VISION_YAML("v", "s", "seasonal-migration", "20"),
	      &config);
	run(400 * FRAMES_PER_S, 1);
	printf("# exposure temperature off by at most %d mC\n",
	       truth.error_mc);
	EXPECT(truth.hot == 0, "%llu frames, worst %d mC",
	       (unsigned long long)truth.hot, truth.worst_mc);
	EXPECT(truth.delivered > 390 * FRAMES_PER_S, " ");
	end();
}

/* A stack that jumps further, is slower, and stands in a warmer room. */
static void another_stack_is_identified(void)
{
	static const s32 lsb_mc[] = { 0, 1000 };

	for (int i = 0; i < 4; i++) {
		struct nst_plantdev_config config = fixture_stack("s");
		struct nst_fit_value jump, tau;
		struct nst_gov_stats warm;
		char text[1024];

		config.params.r_jp_mk_per_w = config.params.r_jp_mk_per_w * 6 / 5;
		config.params.c_p_uj_per_k = config.params.c_p_uj_per_k * 11 / 10;
		config.ambient_mc += 3000;
		config.sensor_lsb_mc = (u32)lsb_mc[i / 2];
		snprintf(text, sizeof(text),
			 "version: 1\nsensors:\n"
			 "  - name: s\n"
			 "    device: plant-s\n"
			 "    thermal: { preset: stacked-reference, tolerance_percent: 20 }\n"
			 "    power: { preset: neurostream, capture_mw: 100 }\n"
			 "    observer: { lsb_mc: %d, floor: %s }\n"
			 "    light: { preset: dim }\n"
			 "tasks:\n" VISION_YAML("v", "s", "%s", "20"),
			 lsb_mc[i / 2], lsb_mc[i / 2] ? "true" : "false",
			 i % 2 ? "seasonal-migration" : "stop-capture-go");
		begin(text, &config);
		run(150 * FRAMES_PER_S, 1);
		warm = gov.stats;
		run(150 * FRAMES_PER_S, 1);
		jump = nst_identify_value(&gov.ident.id, NST_IDENT_R_JP);
		tau = nst_identify_value(&gov.ident.id, NST_IDENT_TAU_P);
		printf("# r_jp %.2f (%.2f to %.2f), tau_p %.2f (%.2f to %.2f), margin %d mC, duty %.2f\n",
		       jump.value, jump.lo, jump.hi, tau.value, tau.lo, tau.hi,
		       gov.obs.uncertainty_mc + nst_identified_margin_mc(&gov),
		       duty(&warm));
		EXPECT(truth.hot == 0, "%llu frames, worst %d mC",
		       (unsigned long long)truth.hot, truth.worst_mc);
		EXPECT(gov.identifies && !gov.ident.id.changes, "%u changes",
		       gov.ident.id.changes);
		EXPECT(fabs(jump.value - 6.6) < (lsb_mc[i / 2] ? 0.3 : 0.05),
		       "%g", jump.value);
		EXPECT(jump.lo < jump.value && jump.value < jump.hi, " ");
		/* what the policy plans with is what was identified */
		EXPECT(!memcmp(&gov.pc.params, &gov.obs.plant.params,
			       sizeof(gov.pc.params)), "planned with another");
		EXPECT(truth.delivered > 100 * FRAMES_PER_S, "%llu",
		       (unsigned long long)truth.delivered);
		end();
	}
}

/* A reload with other figures, and a sleep: nothing stale is believed. */
static void what_is_identified_goes_with_its_profile(void)
{
	struct nst_plantdev_config config = fixture_stack("s");
	static const char *const text =
		"version: 1\nsensors:\n"
		"  - name: s\n"
		"    device: plant-s\n"
		"    thermal: { preset: stacked-reference, tolerance_percent: 20 }\n"
		"    power: { preset: neurostream, capture_mw: 100 }\n"
		"    light: { preset: dim }\n"
		"tasks:\n" VISION_YAML("v", "s", "seasonal-migration", "20");
	static struct nst_profile other;
	double found;

	config.params.r_pa_mk_per_w = config.params.r_pa_mk_per_w * 9 / 10;
	begin(text, &config);
	run(100 * FRAMES_PER_S, 1);
	found = nst_identify_value(&gov.ident.id, NST_IDENT_R_PA).value;
	EXPECT(found < 27, "%g", found);
	/* the same again, and a start after a sleep: it is still known */
	EXPECT(!nst_gov_configure(&gov, &profile, 0), " ");
	nst_gov_restart(&gov);
	run(10, 1);
	EXPECT(gov.identifies &&
	       fabs(nst_identify_value(&gov.ident.id, NST_IDENT_R_PA).value -
		    found) < 0.5, "forgotten");
	EXPECT(gov.obs.plant.params.r_pa_mk_per_w < 27500, "%u",
	       gov.obs.plant.params.r_pa_mk_per_w);
	/* the user says that the figures are right */
	other = profile;
	other.sensors[0].tolerance_percent = 0;
	EXPECT(!nst_gov_configure(&gov, &other, 0), " ");
	run(10, 1);
	EXPECT(!gov.identifies && !nst_identified_margin_mc(&gov) &&
	       gov.obs.plant.params.r_pa_mk_per_w == 28500, "%u",
	       gov.obs.plant.params.r_pa_mk_per_w);
	end();
}

/* From daylight to dim: what cannot be saved is withheld, not delivered. */
static void light_falls(void)
{
	struct nst_plantdev_config config = fixture_stack("s");
	const struct nst_light day = DAYLIGHT, dim = DIM;
	struct nst_gov_stats before;
	s32 day_high_mc;

	config.exposure_us = 16000;
	begin("version: 1\nsensors:\n" SENSOR_YAML("s", "") "tasks:\n"
	      VISION_YAML("v", "s", "seasonal-migration", "26"), &config);
	nst_gov_light(&gov, &day);
	run(300 * 30, 1);
	day_high_mc = gov.pc.thr.high_mc;
	EXPECT(day_high_mc == stack.thr.high_mc, "the device was not told");
	before = gov.stats;

	nst_gov_light(&gov, &dim);
	stack.next_exposure_us = dim.exposure_us;
	run(1, 1);
	EXPECT(gov.pc.thr.high_mc < day_high_mc - 20000,
	       "thresholds did not move with the next frame");
	EXPECT(stack.thr.high_mc == gov.pc.thr.high_mc, " ");
	run(60 * FRAMES_PER_S, 1);
	printf("# T_high %d -> %d mC, %llu frames withheld\n", day_high_mc,
	       gov.pc.thr.high_mc,
	       (unsigned long long)(gov.stats.withheld - before.withheld));
	EXPECT(gov.stats.withheld > before.withheld + 30, "nothing withheld");
	EXPECT(truth.hot == 0, "%llu frames, worst %d mC",
	       (unsigned long long)truth.hot, truth.worst_mc);
	EXPECT(gov.stats.violations == 0, " ");
	/* It recovers. */
	before = gov.stats;
	run(60 * FRAMES_PER_S, 1);
	EXPECT(gov.stats.withheld == before.withheld, " ");
	end();
}

/*
 * Under emva: 28 dB are a matter of temperature by day and out of reach at
 * ISO 800, where frames are withheld and it is said why, until it is day.
 */
static void emva_by_day_and_night(void)
{
	struct nst_plantdev_config config = fixture_stack("s");
	const struct nst_light day = DAYLIGHT, dim = DIM;
	const struct nst_verdict *v;
	struct nst_gov_stats before;
	s32 cdb = 0;
	int err;

	config.exposure_us = 16000;
	begin("version: 1\nsensors:\n" SENSOR_YAML("s",
	      "    noise: { model: emva, preset: reference-sensor }\n") "tasks:\n"
	      VISION_YAML("v", "s", "seasonal-migration", "28"), &config);
	nst_gov_light(&gov, &day);
	run(60 * FRAMES_PER_S, 1);
	EXPECT(!gov.pc_err && gov.vision_mc == 111949, "%d", gov.vision_mc);
	EXPECT(gov.stats.delivered > 55 * FRAMES_PER_S, " ");
	v = nst_gov_verdict(&gov, gov.judged_seq - 1, &err);
	EXPECT(v && !nst_verdict_snr_cdb(&gov, v, &cdb) && cdb >= 2800 &&
	       cdb < 3452, "%d", cdb);

	nst_gov_light(&gov, &dim);
	stack.next_exposure_us = dim.exposure_us;
	run(10, 1);
	before = gov.stats;
	run(50, 1);
	EXPECT(gov.pc_err == -EDOM && gov.vision_mc == NST_TEMP_MIN_MC &&
	       stack.gate == NST_GATE_STANDBY, "%d", gov.pc_err);
	EXPECT(gov.stats.delivered == before.delivered &&
	       gov.stats.withheld == before.withheld + 50, " ");
	v = nst_gov_verdict(&gov, gov.judged_seq - 1, &err);
	EXPECT(v && strstr(nst_verdict_reason(v), "no temperature gives"),
	       "%s", v ? nst_verdict_reason(v) : "none");
	EXPECT(v && !nst_verdict_snr_cdb(&gov, v, &cdb) && cdb < 2800, "%d",
	       cdb);

	nst_gov_light(&gov, &day);
	stack.next_exposure_us = day.exposure_us;
	run(10, 1);
	before = gov.stats;
	run(60 * FRAMES_PER_S, 1);
	EXPECT(gov.stats.withheld == before.withheld, " ");
	EXPECT(gov.stats.violations == 0 && truth.hot == 0, " ");
	end();
}

static void sensor_dies(void)
{
	struct nst_plantdev_config config = fixture_stack("s");
	struct nst_gov_stats before;
	unsigned int gates;

	begin("version: 1\nsensors:\n" SENSOR_YAML("s", "") "tasks:\n"
	      VISION_YAML("v", "s", "seasonal-migration", "20"), &config);
	run(20 * FRAMES_PER_S, 1);
	EXPECT(gov.placement == NST_NEAR, " ");
	gates = stack.gates;

	/* One bad reading changes nothing. */
	stack.sample_state = NST_SAMPLE_BUS_FAULT;
	run(1, 1);
	stack.sample_state = NST_SAMPLE_VALID;
	run(10, 1);
	EXPECT(stack.gates == gates && gov.placement == NST_NEAR, " ");

	/* A sensor that stays bad gates, and nothing is delivered blind. */
	stack.sample_state = NST_SAMPLE_BUS_FAULT;
	run(20, 1);
	EXPECT(stack.gate == NST_GATE_STANDBY && gov.placement == NST_FAR &&
	       gov.why == NST_WHY_NO_SENSOR, " ");
	EXPECT(gov.stats.sensor_faults == 1, " ");
	before = gov.stats;
	run(50, 1);
	EXPECT(gov.stats.delivered == before.delivered, "delivered blind");
	EXPECT(gov.stats.withheld == before.withheld + 50, " ");

	/* And back. */
	stack.sample_state = NST_SAMPLE_VALID;
	run(60 * FRAMES_PER_S, 1);
	EXPECT(gov.placement != NST_FAR || gov.why != NST_WHY_NO_SENSOR, " ");
	EXPECT(gov.stats.delivered > before.delivered + 30, " ");
	EXPECT(truth.hot == 0, " ");
	end();
}

static void late_ticks(void)
{
	struct nst_plantdev_config config = fixture_stack("s");

	begin("version: 1\nsensors:\n" SENSOR_YAML("s", "") "tasks:\n"
	      VISION_YAML("v", "s", "stop-capture-go", "20"), &config);
	run(100 * FRAMES_PER_S, 3);
	printf("# %llu late of %llu frames, plans %u ahead\n",
	       (unsigned long long)gov.stats.late,
	       (unsigned long long)gov.stats.frames, gov.delay_frames);
	EXPECT(gov.delay_frames > 0, "lateness is not fed back");
	EXPECT(gov.stats.late > gov.stats.frames / 2, " ");
	EXPECT(truth.hot == 0, "%llu frames, worst %d mC",
	       (unsigned long long)truth.hot, truth.worst_mc);
	EXPECT(truth.delivered > 1000, "%llu",
	       (unsigned long long)truth.delivered);
	EXPECT(truth.error_mc < 20, "%d", truth.error_mc);
	/* In time again: it notices, after a while. */
	run(100 * FRAMES_PER_S, 1);
	EXPECT(gov.delay_frames == 0, "%u", gov.delay_frames);
	/* A pause longer than the ring: missed, not invented. */
	nst_plantdev_advance(&stack, 200);
	tick_once();
	EXPECT(gov.stats.missed >= 199, "%llu",
	       (unsigned long long)gov.stats.missed);
	run(20 * FRAMES_PER_S, 1);
	EXPECT(truth.hot == 0, " ");
	end();
}

static void set_by_hand(void)
{
	struct nst_plantdev_config config = fixture_stack("s");
	struct nst_thresholds mine = { .high_mc = 60000, .low_mc = 40000,
				       .capture_mc = NST_TEMP_NONE_MC,
				       .max_mc = 90000 };
	unsigned int limits;

	begin("version: 1\nsensors:\n" SENSOR_YAML("s", "") "tasks:\n"
	      VISION_YAML("v", "s", "seasonal-migration", "20"), &config);
	run(20 * FRAMES_PER_S, 1);
	EXPECT(stack.limits == 1, "%u", stack.limits);
	limits = stack.limits;
	nst_plantdev_set_policy(&stack, &mine);
	run(1, 1);
	EXPECT(!gov.automatic && gov.pc.thr.high_mc == 60000,
	       "not adopted with the next tick");
	EXPECT(gov.pc.die_max_mc == 60000 && gov.pc.die_max_firm,
	       "bursts may pass it");
	EXPECT(gov.pc.thr.max_mc == 90000, "the ceiling is another");
	run(100 * FRAMES_PER_S, 1);
	EXPECT(stack.limits == limits, "overwritten");
	EXPECT(nst_plant_die_mc(&stack.plant) < 60000, " ");
	stack.automatic = true;
	stack.event[stack.event_head++ % NST_PLANTDEV_EVENTS] =
		(struct nst_dev_event){ .type = NST_DEV_PARAM, .value = 1 };
	run(1, 1);
	EXPECT(gov.automatic && stack.limits == limits + 1 &&
	       stack.thr.high_mc > 70000, "computed again");
	EXPECT(!gov.pc.die_max_firm, "still by hand");
	end();
}

static void more_than_light_gives(void)
{
	struct nst_plantdev_config config = fixture_stack("s");

	/* The model's best is 45 dB: 44.9 needs a die below freezing. */
	begin("version: 1\nsensors:\n" SENSOR_YAML("s", "") "tasks:\n"
	      VISION_YAML("v", "s", "seasonal-migration", "44.9999"),
	      &config);
	run(20 * FRAMES_PER_S, 1);
	EXPECT(stack.gate == NST_GATE_STANDBY, "runs");
	EXPECT(gov.stats.delivered == 0, "%llu delivered",
	       (unsigned long long)gov.stats.delivered);
	EXPECT(gov.stats.withheld > 250, " ");
	end();

	/* Before the first situation that has one there is no exposure. */
	begin("version: 1\nsensors:\n  - name: s\n    device: plant-s\n"
	      "    thermal: { preset: stacked-reference, "
	      "tolerance_percent: 10 }\n"
	      "    power: { preset: neurostream, capture_mw: 100 }\n"
	      "    light: { preset: dim }\ntasks:\n"
	      VISION_YAML("v", "s", "seasonal-migration", "44.9999"),
	      &config);
	run(FRAMES_PER_S, 1);
	EXPECT(gov.identifies && nst_identified_margin_mc(&gov) >
	       gov.ident.margin_mc, "%d", nst_identified_margin_mc(&gov));
	gov.pc = (struct nst_policy_config){ 0 };
	EXPECT(nst_identified_margin_mc(&gov) == gov.ident.margin_mc, "%d",
	       nst_identified_margin_mc(&gov));
	end();
}

/* A device that knows no frames has no period for a window to be in. */
static void windows_need_frames(void)
{
	struct nst_plantdev_config config = fixture_stack("s");

	begin("version: 1\nsensors:\n  - name: s\n    device: plant-s\n"
	      "    thermal: { preset: stacked-reference }\n"
	      "    power: { preset: neurostream, capture_mw: 100, "
	      "vpu_busy_us: 20000 }\n"
	      "    light: { preset: dim }\ntasks:\n"
	      VISION_YAML("v", "s", "phase-locked", "20"), &config);
	nst_gov_windows(&gov, true);
	run(3, 1);
	EXPECT(gov.pc.vpu_busy_us == 20000, "%u", gov.pc.vpu_busy_us);
	gov.state.frames = false;
	nst_gov_limits(&gov);
	EXPECT(!gov.pc.vpu_busy_us, "%u", gov.pc.vpu_busy_us);
	run(3, 1);
	EXPECT(gov.pc.vpu_busy_us == 20000, "%u", gov.pc.vpu_busy_us);
	end();
}

/* Baselines deliver whatever it is, and the heat shows as violations. */
static void full_near(void)
{
	struct nst_plantdev_config config = fixture_stack("s");

	begin("version: 1\nsensors:\n" SENSOR_YAML("s", "") "tasks:\n"
	      VISION_YAML("v", "s", "full-near", "20"), &config);
	run(200 * FRAMES_PER_S, 1);
	EXPECT(gov.stats.violations > 100 * FRAMES_PER_S, "%llu",
	       (unsigned long long)gov.stats.violations);
	EXPECT(gov.stats.withheld <= 4 && gov.stats.dropped <= 6, " ");
	end();
}

static void ceiling(void)
{
	struct nst_plantdev_config config = fixture_stack("s");
	struct nst_tick t;
	bool clamped = false;

	config.exposure_us = 16000;
	begin("version: 1\nsensors:\n" SENSOR_YAML("s", "") "tasks:\n"
	      VISION_YAML("v", "s", "seasonal-migration", "20"), &config);
	gov.camera = (struct nst_light)DAYLIGHT;
	/* A device that takes 70 degC at most refuses the profile's 105. */
	stack.ceiling_mc = 70000;
	for (int i = 0; i < 20; i++) {
		nst_plantdev_advance(&stack, 1);
		EXPECT(!nst_tick(&gov, &stack.dev, true, 70000, &t), " ");
		clamped = clamped || t.limits_clamped;
	}
	EXPECT(clamped && stack.thr.max_mc == 70000 &&
	       stack.thr.high_mc <= 70000 &&
	       stack.thr.high_mc == gov.pc.thr.high_mc, "%d",
	       stack.thr.high_mc);
	run(200 * 30, 1);
	EXPECT(nst_plant_die_mc(&stack.plant) <= 70000, " ");
	end();
}

static void verdicts_by_number(void)
{
	struct nst_plantdev_config config = fixture_stack("s");
	int err = 0;

	begin("version: 1\nsensors:\n" SENSOR_YAML("s", "") "tasks:\n"
	      VISION_YAML("v", "s", "full-far", "20"), &config);
	EXPECT(!nst_gov_verdict(&gov, 0, &err) && err == -EAGAIN, " ");
	nst_plantdev_advance(&stack, 100);
	run(1, 1);
	EXPECT(!nst_gov_verdict(&gov, 50, &err) && err == -ENOENT,
	       "before the start");
	EXPECT(!nst_gov_verdict(&gov, 101, &err) && err == -EAGAIN, " ");
	run(1, 1);
	EXPECT(nst_gov_verdict(&gov, 101, &err), " ");
	run(NST_GOV_VERDICTS + 5, 1);
	EXPECT(!nst_gov_verdict(&gov, 101, &err) && err == -ENOENT,
	       "fell out of the ring");
	EXPECT(nst_gov_verdict(&gov, gov.judged_seq - 1, &err), " ");
	EXPECT(!nst_gov_verdict(&gov, gov.judged_seq, &err) && err == -EAGAIN,
	       " ");

	/* Numbers begin anew: old verdicts are not those of new frames. */
	stack.frame_seq = 0;
	stack.now_us = 0;
	stack.frame_start_us = 0;
	stack.gate_since_us = 0;
	stack.event_tail = stack.event_head;
	run(1, 1);
	EXPECT(!nst_gov_verdict(&gov, gov.judged_seq + 200, &err) &&
	       err == -EAGAIN, " ");
	end();
}

/* --------------------------------------------- exposure with edges inside */

/* The two nodes by small steps, and the mean of 2^(T/T_d) of one row. */
static double oracle_mc(double die, double package, const double *edge_us,
			const double *power_w, int edges, double row_us,
			double exposure_us)
{
	const double dt_us = 5;
	double sum = 0, n = 0;

	for (double t = 0; t < row_us + exposure_us; t += dt_us) {
		double p = power_w[0], dj, dp;

		for (int i = 0; i < edges; i++)
			if (t >= edge_us[i])
				p = power_w[i + 1];
		if (t >= row_us) {
			sum += exp2(die / 7);
			n++;
		}
		dj = (p - (die - package) / 5.5) / 0.000909;
		dp = ((die - package) / 5.5 - (package - 26.4) / 28.5) / 0.7;
		die += dj * dt_us * 1e-6;
		package += dp * dt_us * 1e-6;
	}
	return 7000 * log2(sum / n);
}

static void edges_inside(void)
{
	static const struct {
		u64 edge_us[2];
		u8 gate[3];
		int edges;
	} cases[] = {
		{ { 0, 0 }, { NST_GATE_RUN }, 0 },
		{ { 10000, 0 }, { NST_GATE_RUN, NST_GATE_STANDBY }, 1 },
		{ { 30000, 0 }, { NST_GATE_STANDBY, NST_GATE_RUN }, 1 },
		{ { 5000, 25000 }, { NST_GATE_RUN, NST_GATE_STANDBY,
				     NST_GATE_RUN }, 2 },
	};

	for (unsigned int i = 0; i < KTAP_COUNT(cases); i++) {
		struct nst_history h = {
			.power_mw = { 2500, 100, 100, 100 },
			.ambient_mc = 26400,
			.doubling_mc = 7000,
		};
		struct nst_plant plant;
		double edge_us[2], power_w[3], want = -1e9;
		s32 got;

		EXPECT(!nst_plant_init(&plant, &nst_plant_reference, 26400),
		       " ");
		EXPECT(!nst_plant_set_state(&plant, 80000, 67000), " ");
		nst_history_reset(&h, 0, cases[i].gate[0], cases[i].gate[0]);
		for (int e = 0; e < cases[i].edges; e++) {
			nst_history_edge(&h, 1000000 + cases[i].edge_us[e],
					 cases[i].gate[e + 1]);
			edge_us[e] = (double)cases[i].edge_us[e];
		}
		for (int e = 0; e <= cases[i].edges; e++)
			power_w[e] = h.power_mw[cases[i].gate[e]] / 1000.0;
		for (int row = 0; row <= 8; row++) {
			double mc = oracle_mc(80, 67, edge_us, power_w,
					      cases[i].edges, row * 2000,
					      32000);

			want = mc > want ? mc : want;
		}
		got = nst_history_exposure_mc(&h, &plant, 1000000, 32000,
					      16000);
		EXPECT(fabs(got - want) < 15, "case %u: %d, oracle %.1f", i,
		       got, want);
	}
}

/* --------------------------------------------------------- a far device */

static u64 asked[NST_PLACEMENT_COUNT];

static void count_asked(unsigned int ticks)
{
	memset(asked, 0, sizeof(asked));
	for (unsigned int i = 0; i < ticks; i++) {
		const struct nst_gov_ask *ask;

		run(1, 1);
		ask = &gov.ask[gov.decided_seq % NST_GOV_PERIODS];
		asked[ask->placement]++;
	}
}

/* Nobody there to take frames over: as stop-capture-go, never hot. */
static void far_refused(const char *policy)
{
	struct nst_plantdev_config config = fixture_stack("s");
	struct nst_gov_stats warm;
	char text[1024];

	snprintf(text, sizeof(text), "version: 1\nsensors:\n"
		 SENSOR_YAML("s", "") "tasks:\n"
		 VISION_YAML("v", "s", "%s", "20"), policy);
	begin(text, &config);
	nst_gov_far(&gov, NST_FAR_REFUSED);
	run(150 * FRAMES_PER_S, 1);
	warm = gov.stats;
	count_asked(100 * FRAMES_PER_S);
	printf("# %s: duty %.2f, closed form %.2f\n", policy, duty(&warm),
	       duty_of(81.1));
	EXPECT(!asked[NST_FAR], "%llu asked far",
	       (unsigned long long)asked[NST_FAR]);
	EXPECT(asked[NST_PAUSED] > 10 && asked[NST_NEAR] > 10, " ");
	EXPECT(fabs(duty(&warm) - duty_of(81.1)) < 1.5, "%f", duty(&warm));
	EXPECT(truth.hot == 0, "worst %d mC", truth.worst_mc);
	EXPECT(gov.why == NST_WHY_NO_FAR || gov.placement == NST_NEAR, "%s",
	       nst_reason_text(gov.why));

	nst_gov_far(&gov, NST_FAR_WELCOME);
	count_asked(100 * FRAMES_PER_S);
	EXPECT(asked[NST_FAR] > 10, "it does not come back");
	EXPECT(!asked[NST_PAUSED], " ");
	EXPECT(truth.hot == 0, "worst %d mC", truth.worst_mc);
	end();
}

static void far_refused_both(void)
{
	far_refused("seasonal-migration");
	far_refused("full-far");
}

/* A season that runs ends by itself; after it none begins. */
static void far_less(void)
{
	struct nst_plantdev_config config = fixture_stack("s");
	unsigned int left = 0;

	begin("version: 1\nsensors:\n" SENSOR_YAML("s", "") "tasks:\n"
	      VISION_YAML("v", "s", "seasonal-migration", "20"), &config);
	run(200 * FRAMES_PER_S, 1);
	while (gov.told_placement != NST_FAR)
		run(1, 1);
	nst_gov_far(&gov, NST_FAR_LESS);
	for (; gov.told_placement == NST_FAR && left < 1000 * FRAMES_PER_S;
	     left++)
		run(1, 1);
	printf("# the far season went on for %u frames\n", left);
	EXPECT(left > 10 && gov.told_placement == NST_NEAR, "cut short");
	count_asked(200 * FRAMES_PER_S);
	EXPECT(!asked[NST_FAR], "%llu asked far",
	       (unsigned long long)asked[NST_FAR]);
	EXPECT(truth.hot == 0, "worst %d mC", truth.worst_mc);

	/* Refused in mid-season: the very next decision is another one. */
	nst_gov_far(&gov, NST_FAR_WELCOME);
	while (gov.told_placement != NST_FAR)
		run(1, 1);
	nst_gov_far(&gov, NST_FAR_REFUSED);
	run(1, 1);
	EXPECT(gov.told_placement != NST_FAR, " ");
	run(20 * FRAMES_PER_S, 1);
	EXPECT(truth.hot == 0, "worst %d mC", truth.worst_mc);
	end();
}

/* An ambiguous end of the day: no sensor, and nobody far. */
static void far_refused_blind(void)
{
	struct nst_plantdev_config config = fixture_stack("s");

	begin("version: 1\nsensors:\n" SENSOR_YAML("s", "") "tasks:\n"
	      VISION_YAML("v", "s", "seasonal-migration", "20"), &config);
	nst_gov_far(&gov, NST_FAR_REFUSED);
	run(60 * FRAMES_PER_S, 1);
	stack.sample_state = NST_SAMPLE_BUS_FAULT;
	run(20 * FRAMES_PER_S, 1);
	EXPECT(gov.told_placement == NST_PAUSED, " ");
	EXPECT(gov.why == NST_WHY_NO_SENSOR, "%s", nst_reason_text(gov.why));
	end();
}

static void far_rule(void)
{
	const struct nst_far_limits limits = { 8000, 90000 };
	const struct {
		const char *what;
		int temp_c;		/* -1: not known */
		int busy_percent;	/* -1: not known */
		enum nst_gov_far want;
	} steps[] = {
		{ "cool and idle", 50, 0, NST_FAR_WELCOME },
		{ "at the limit", 90, 0, NST_FAR_REFUSED },
		{ "inside the band", 86, 0, NST_FAR_REFUSED },
		{ "hot, and the thermometer dies", -1, 0, NST_FAR_REFUSED },
		{ "for good", -1, 0, NST_FAR_REFUSED },
		{ "below the band", 84, 0, NST_FAR_WELCOME },
		{ "above the band again", 89, 0, NST_FAR_WELCOME },
		{ "busy once", 50, 95, NST_FAR_WELCOME },
		{ "twice", 50, 95, NST_FAR_WELCOME },
		{ "three times", 50, 80, NST_FAR_LESS },
		{ "less, in the band", 50, 75, NST_FAR_LESS },
		{ "idle once", 50, 10, NST_FAR_LESS },
		{ "busy between", 50, 79, NST_FAR_LESS },
		{ "idle", 50, 10, NST_FAR_LESS },
		{ "idle twice", 50, 10, NST_FAR_LESS },
		{ "idle three times", 50, 10, NST_FAR_WELCOME },
		{ "busy and hot", 95, 100, NST_FAR_REFUSED },
		{ "not known how busy", 50, -1, NST_FAR_WELCOME },
	};
	struct nst_far_rule rule = { 0 };
	struct nst_far far;
	char text[128];

	for (unsigned int i = 0; i < KTAP_COUNT(steps); i++) {
		far = (struct nst_far){
			.present = true,
			.temp_known = steps[i].temp_c >= 0,
			.temp_mc = steps[i].temp_c * 1000,
			.busy_known = steps[i].busy_percent >= 0,
			.busy_permyriad = (u32)steps[i].busy_percent * 100,
		};
		EXPECT(nst_far_judge(&rule, &limits, &far) == steps[i].want,
		       "%s", steps[i].what);
		nst_far_text(&rule, &limits, &far, text, sizeof(text));
		EXPECT(!strncmp(text, nst_far_allowed_name(steps[i].want),
				strlen(nst_far_allowed_name(steps[i].want))),
		       "%s: %s", steps[i].what, text);
	}
	for (int i = 0; i < NST_FAR_BLIND_RUN; i++) {
		far = (struct nst_far){ .present = true };
		EXPECT(rule.allowed == NST_FAR_WELCOME, "%d", i);
		nst_far_judge(&rule, &limits, &far);
	}
	EXPECT(rule.allowed == NST_FAR_LESS, "blind");
	far = (struct nst_far){ .present = false };
	EXPECT(nst_far_judge(&rule, &limits, &far) == NST_FAR_REFUSED, " ");
	nst_far_text(&rule, &limits, &far, text, sizeof(text));
	EXPECT(strstr(text, "not there"), "%s", text);
}

static const struct ktap_test tests[] = {
	{ "edges_inside_exposure", edges_inside },
	{ "steady_stop_capture_go", steady_stop_capture_go },
	{ "steady_migration", steady_migration },
	{ "another_stack_is_identified", another_stack_is_identified },
	{ "what_is_identified_goes_with_its_profile",
	  what_is_identified_goes_with_its_profile },
	{ "coarse_sensor", coarse_sensor },
	{ "light_falls", light_falls },
	{ "emva_by_day_and_night", emva_by_day_and_night },
	{ "sensor_dies", sensor_dies },
	{ "late_ticks", late_ticks },
	{ "set_by_hand", set_by_hand },
	{ "more_than_light_gives", more_than_light_gives },
	{ "windows_need_frames", windows_need_frames },
	{ "full_near", full_near },
	{ "ceiling", ceiling },
	{ "verdicts_by_number", verdicts_by_number },
	{ "far_rule", far_rule },
	{ "far_refused", far_refused_both },
	{ "far_less", far_less },
	{ "far_refused_blind", far_refused_blind },
};

int main(void)
{
	return ktap_main(tests, KTAP_COUNT(tests));
}
