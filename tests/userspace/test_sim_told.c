// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_sim_told.c - a governor that has a profile and readings, and a plant
 *
 * What coarse readings cost against being told the plant, and what a profile
 * does that is 20 % wrong in one figure.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "ktap.h"
#include "sim.h"

#define TOLERANCE 0.1

static struct nst_trace_step step;
static struct nst_trace trace = { .steps = &step, .count = 1 };

/* Dim light, a continuous limit or one on demand of 35 dB. */
static void profile_set(struct nst_profile *p, unsigned int near_mw,
			bool on_demand, const char *policy)
{
	struct nst_profile_sensor *s = &p->sensors[0];
	struct nst_profile_task *v = &p->tasks[0], *i = &p->tasks[1];

	memset(p, 0, sizeof(*p));
	p->sensor_count = 1;
	p->task_count = on_demand ? 2 : 1;
	strcpy(s->name, "cam0");
	s->plant = nst_plant_reference;
	s->observer = nst_observer_default;
	s->ambient_mc = 26400;
	s->max_temp_mc = 105000;
	s->doubling_mc = 7000;
	s->near_mw = near_mw;
	s->capture_mw = 100;
	s->far_mw = near_mw + 1400;
	s->switch_us = 100;
	s->readout_us = 1000;
	s->light = *nst_profile_light_find("dim");
	strcpy(v->name, "detect");
	v->kind = NST_TASK_VISION;
	v->fps = 30;
	v->stop_frames = 1;
	v->policy = nst_policy_find(policy);
	v->has_snr = !on_demand;
	v->min_snr_db = 35;
	strcpy(i->name, "still");
	i->kind = NST_TASK_IMAGING;
	i->deadline_ms = 100;
	i->has_snr = true;
	i->min_snr_db = 35;
}

static void run(struct nst_sim_result *r, const struct nst_profile *p,
		const struct nst_profile *told, enum nst_sim_sensor sensor,
		bool cold)
{
	struct nst_sim_options opt = {
		.profile = p,
		.told = told,
		.tolerance = told ? TOLERANCE : 0,
		.duration_us = 300 * 1000000ull,
		.trace = &trace,
		.capture_rate_hz = p->task_count > 1 ? 0.2 : 0,
		.seed = 1,
		.sensor_model = sensor,
		.cold_start = cold,
		.without_oracle = true,
	};
	int err;

	step = (struct nst_trace_step){
		.exposure_us = p->sensors[0].light.exposure_us,
		.iso = p->sensors[0].light.iso,
		.lux_milli = p->sensors[0].light.lux_milli,
	};
	memset(r, 0, sizeof(*r));
	err = nst_sim_run(r, &opt, stdout);
	EXPECT(!err, "%s", strerror(-err));
}

/* Of frames where some may be dropped, of power else; percent. */
static double loss(const struct nst_sim_result *r,
		   const struct nst_sim_result *best)
{
	if (r->policy->drops)
		return 100.0 - 100.0 * (double)r->frames_delivered /
				       (double)best->frames_delivered;
	return 100.0 * nst_sim_mean_power_mw(r) /
		       nst_sim_mean_power_mw(best) - 100.0;
}

static const char *const policies[] = { "predictive-stop",
					"predictive" };

static void coarse_readings_cost_little(void)
{
	static const unsigned int near_mw[] = { 1300, 2000, 2500, 4960 };

	for (int i = 0; i < 16; i++) {
		const char *policy = policies[i % 2];
		struct nst_sim_result exact, r;
		bool noisy = i / 2 % 2;
		unsigned int mw = near_mw[i / 4];
		struct nst_profile p;
		double percent;

		profile_set(&p, mw, true, policy);
		run(&exact, &p, NULL, NST_SIM_EXACT, false);
		run(&r, &p, NULL, noisy ? NST_SIM_1C_NOISY : NST_SIM_1C, false);
		percent = loss(&r, &exact);
		printf("# %s, %u mW, %s: %.2f %%\n", policy, mw,
		       noisy ? "noise" : "steps", percent);
		EXPECT(percent < (mw < 2000 ? 3.0 : 1.0), "%s %u: %g", policy,
		       mw, percent);
		EXPECT(!r.violations, "%llu", (unsigned long long)r.violations);
	}
}

enum { R_JP, R_PA, C_J, C_P, NEAR, AMBIENT, FIGURES };

static const char *const figures[] = { "r_jp", "r_pa", "c_j",
				       "c_p", "near", "ambient" };

static void put_off(struct nst_profile_sensor *s, int figure, double factor)
{
	unsigned int *const at[] = {
		[R_JP] = &s->plant.r_jp_mk_per_w,
		[R_PA] = &s->plant.r_pa_mk_per_w,
		[C_J] = &s->plant.c_j_uj_per_k,
		[C_P] = &s->plant.c_p_uj_per_k,
		[NEAR] = &s->near_mw,
	};

	if (figure == AMBIENT)
		s->ambient_mc = (s32)(s->ambient_mc * factor + 0.5);
	else
		*at[figure] = (unsigned int)(*at[figure] * factor + 0.5);
}

static void wrong_by_20_percent(enum nst_sim_sensor sensor, bool on_demand,
				double most_percent)
{
	for (int i = 0; i < 4 * FIGURES; i++) {
		const char *policy = policies[i % 2];
		struct nst_sim_result exact, begin, after;
		double factor = i / 2 % 2 ? 1.2 : 0.8, percent;
		struct nst_profile p, told;
		int figure = i / 4;

		profile_set(&p, 2500, on_demand, policy);
		told = p;
		put_off(&p.sensors[0], figure, factor);
		run(&exact, &p, NULL, NST_SIM_EXACT, false);
		/* from the first frame on, and once it is identified */
		run(&begin, &p, &told, sensor, true);
		run(&after, &p, &told, sensor, false);
		percent = loss(&after, &exact);
		printf("# %s, %s * %.1f: %.2f %%\n", policy, figures[figure],
		       factor, percent);
		EXPECT(!begin.violations && !after.violations,
		       "%s, %s * %g: %llu and %llu", policy, figures[figure],
		       factor, (unsigned long long)begin.violations,
		       (unsigned long long)after.violations);
		EXPECT(percent < most_percent, "%s, %s * %g: %g", policy,
		       figures[figure], factor, percent);
	}
}

static void exact_readings_of_another_plant(void)
{
	wrong_by_20_percent(NST_SIM_EXACT, false, 3);
	wrong_by_20_percent(NST_SIM_EXACT, true, 3);
}

static void noisy_readings_of_another_plant(void)
{
	wrong_by_20_percent(NST_SIM_1C_NOISY, false, 3);
	wrong_by_20_percent(NST_SIM_1C_NOISY, true, 3);
}

/*
 * A pattern that repeats itself shows a sensor without noise the same steps
 * again and again: less is learned from them. What is said holds all the same.
 */
static void steps_of_another_plant(void)
{
	wrong_by_20_percent(NST_SIM_1C, false, 6);
	wrong_by_20_percent(NST_SIM_1C, true, 4);
}

/*
 * Readings that make the plant another one come when a window is decided: it
 * is run all the same. A gate that closes late draws 6.7 W more for 1 ms
 * behind every window, and behind no whole period of phase-locked.
 */
static void windows_outlive_a_reading(void)
{
	struct nst_profile p, told;
	struct nst_sim_result r;
	double closing_uj, windows;

	profile_set(&p, 2500, false, "phase-locked");
	p.sensors[0].vpu_busy_us = 12000;
	p.sensors[0].gate_enter_us = 1000;
	p.sensors[0].light.exposure_us = 8000;
	told = p;
	put_off(&p.sensors[0], R_PA, 1.2);
	run(&r, &p, &told, NST_SIM_1C_NOISY, true);
	windows = (double)r.near_us / r.first.frame_period_us;
	closing_uj = (double)r.energy_uj - (double)r.near_us * 2500 / 1e3 -
		     (double)(r.time_us - r.near_us) * 100 / 1e3;
	printf("# %.0f windows, %.1f uJ each\n", windows,
	       closing_uj / windows);
	EXPECT(windows > 1000 && fabs(closing_uj / windows - 6666) < 1, "%g",
	       closing_uj / windows);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "windows outlive a reading", windows_outlive_a_reading },
		{ "coarse readings cost little", coarse_readings_cost_little },
		{ "exact readings of another plant",
		  exact_readings_of_another_plant },
		{ "noisy readings of another plant",
		  noisy_readings_of_another_plant },
		{ "steps of another plant", steps_of_another_plant },
	};

	return ktap_main(tests, KTAP_COUNT(tests));
}
