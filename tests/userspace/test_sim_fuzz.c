// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_sim_fuzz.c - the simulator over whatever a profile may hold
 *
 * Numbers are drawn from the ranges of the table of keys, their ends more
 * often than not, so that arithmetic at the edges is seen by the sanitizers.
 * A run is refused with an errno or its sums agree.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "keys.h"
#include "ktap.h"
#include "rng.h"
#include "sim.h"

#define ROUNDS 150

static struct nst_rng rng = { 31 };

static u64 pick(u64 n)
{
	return nst_rng_u64(&rng) % n;
}

/* An end of the range, or anything in it, evenly or by order of magnitude. */
static long long in_range(double min, double max)
{
	double u = (double)(nst_rng_u64(&rng) >> 11) / 0x1p53;

	switch (pick(4)) {
	case 0:
		return (long long)(pick(2) ? min : max);
	case 1:
		return (long long)(min + u * (max - min));
	default:
		return (long long)(min + pow(max - min + 1, u) - 1);
	}
}

static void draw(const char *scope, void *base)
{
	for (int i = 0; nst_keys[i].name; i++) {
		const struct nst_key *key = &nst_keys[i];

		if (strncmp(key->scope, scope, strlen(scope)) ||
		    (key->type != NST_KEY_INT && key->type != NST_KEY_SHORT) ||
		    pick(3))
			continue;
		nst_key_set_int(key, base, in_range(key->min, key->max));
	}
}

static void profile_draw(struct nst_profile *p)
{
	struct nst_profile_sensor *s = &p->sensors[0];
	static unsigned int n;
	unsigned int policies = 0;

	memset(p, 0, sizeof(*p));
	p->sensor_count = 1;
	p->task_count = 2;
	nst_profile_sensor_defaults(s);
	strcpy(s->name, "cam0");
	s->near_mw = 2500;
	s->far_mw = 3900;
	draw("sensors", s);
	/* What the reader checks beyond the ranges. */
	if (s->near_mw <= s->capture_mw)
		s->capture_mw = s->near_mw - 1;
	if (nst_plant_params_check(&s->plant))
		s->plant = nst_plant_reference;
	if (s->ambient_mc >= s->max_temp_mc - s->accuracy_mc)
		s->ambient_mc = s->max_temp_mc - s->accuracy_mc - 1;
	while (nst_policies[policies] && nst_policies[policies]->name)
		policies++;
	for (int i = 0; i < 2; i++) {
		struct nst_profile_task *t = &p->tasks[i];

		nst_profile_task_defaults(t);
		draw("tasks", t);
		strcpy(t->name, i ? "still" : "detect");
		t->kind = i ? NST_TASK_IMAGING : NST_TASK_VISION;
		/* fast cameras take long and say nothing new */
		if (t->fps > 60)
			t->fps = 60;
		t->policy = nst_policies[n++ % policies];
		t->has_snr = i || pick(2);
		t->min_snr_db = (double)pick(44);
		t->has_max_temp = !pick(4);
	}
}

static void run(const struct nst_profile *p, unsigned int *ran)
{
	const struct nst_profile_light *l = &p->sensors[0].light;
	struct nst_trace_step steps[3] = {
		{ .exposure_us = l->exposure_us, .iso = l->iso },
		{ .t_us = 2000000, .exposure_us = 16000, .iso = 100 },
		{ .t_us = 5000000, .exposure_us = 64000, .iso = 800,
		  .has_ambient = true, .ambient_mc = 40000 },
	};
	struct nst_trace trace = { .steps = steps, .count = 1 + pick(3) };
	struct nst_sim_options opt = {
		.profile = p,
		.duration_us = 10000000 + pick(2000000),
		.trace = &trace,
		.switch_cost = pick(2),
		.capture_rate_hz = (double)pick(3),
		.seed = pick(100),
		.sensor_model = (enum nst_sim_sensor)pick(3),
		.cold_start = pick(16),
	};
	struct nst_sim_result r;
	int err = nst_sim_run(&r, &opt, NULL);

	EXPECT(!err || err == -EDOM || err == -ERANGE || err == -EINVAL, "%d",
	       err);
	if (err)
		return;
	++*ran;
	EXPECT(r.frames == r.frames_delivered + r.frames_dropped +
				   r.frames_withheld, "frames");
	EXPECT(r.violations_avoidable <= r.violations &&
	       r.violations <= r.frames_delivered + r.captures, "violations");
	EXPECT(r.near_us <= r.time_us, "duty");
	EXPECT(r.time_us >= opt.duration_us &&
	       r.time_us < opt.duration_us + NST_FRAME_PERIOD_MAX_US, "time");
}

static void fuzz(void)
{
	unsigned int ran = 0;

	for (int i = 0; i < ROUNDS && !ktap_failed; i++) {
		struct nst_profile p;

		profile_draw(&p);
		run(&p, &ran);
	}
	printf("# %u of %d ran\n", ran, ROUNDS);
	EXPECT(ran > ROUNDS / 4, "%u", ran);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "anything a profile may hold runs or is refused", fuzz },
	};

	return ktap_main(tests, KTAP_COUNT(tests));
}
