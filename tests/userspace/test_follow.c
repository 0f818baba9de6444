// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_follow.c - a filter beside an observer with a sensor of whole degrees
 *
 * The stack is policies/core's plant and the profile is right; the room becomes
 * warmer by 4 K a minute, and nobody measures that. The gate keeps the estimate
 * of a gated die at a limit, as policies do: where that is inside one step, the
 * reading of a gated die is the same for seconds, and a step comes as a
 * surprise.
 */
#include <math.h>

#include "follow.h"
#include "ktap.h"

#define FRAME_US 33333
#define NEAR_MW 2500
#define GATED_MW 100
#define LSB_MC 1000
#define AMBIENT_MC 26400
#define RAMP_MC_PER_S (4000 / 60.0)
#define SETTLED_FRAMES 3000
#define RAMP_FRAMES 2400

struct world {
	struct nst_plant plant;
	struct nst_observer obs;
	struct nst_follow follow;
	s32 limit_mc;
	double ambient_mc;
	u32 power_mw;
};

/* What became of a ramp. */
struct ramp {
	unsigned int told;	/* readings that the filter took in */
	unsigned int surprises;
	unsigned int passed_over; /* with nothing told before the next one */
	unsigned int hot;	/* gated frames above the limit */
};

static void world_begin(struct world *w, s32 limit_mc)
{
	static const struct nst_observer_config sensor = {
		.lsb_mc = LSB_MC,
		.floor = true,
		.implausible_mc = 20000,
		.bad_max = 5,
		.good_min = 3,
	};
	const struct nst_identify_config config = {
		.params = nst_plant_reference,
		.near_w = NEAR_MW / 1000.0,
		.gated_w = GATED_MW / 1000.0,
		.ambient_c = AMBIENT_MC / 1000.0,
		.ambient_sd_c = 5,
		.wander_c = NST_IDENT_WANDER_C,
	};

	*w = (struct world){
		.limit_mc = limit_mc,
		.ambient_mc = AMBIENT_MC,
		.power_mw = GATED_MW,
	};
	EXPECT(!nst_plant_init(&w->plant, &nst_plant_reference, AMBIENT_MC),
	       "plant");
	EXPECT(!nst_observer_init(&w->obs, &sensor, &nst_plant_reference,
				  AMBIENT_MC), "observer");
	EXPECT(!nst_follow_init(&w->follow, &config, &w->obs), "filter");
}

/* Near while the die, once gated, is surely below the limit. */
static void choose(struct world *w)
{
	s32 jump_mc = nst_plant_jump_mc(&w->obs.plant.params,
					w->power_mw - GATED_MW, FRAME_US);

	w->power_mw = nst_observer_die_mc(&w->obs) - jump_mc +
				      w->obs.uncertainty_mc < w->limit_mc ?
			      NEAR_MW : GATED_MW;
}

/* Return: true when the filter took the reading in. */
static bool frame(struct world *w)
{
	struct nst_sample sample = { .state = NST_SAMPLE_VALID };
	enum nst_observer_verdict verdict;
	s32 before_mc;
	double slow_c;

	nst_plant_step(&w->plant, w->power_mw, (s32)lround(w->ambient_mc),
		       FRAME_US);
	nst_observer_advance(&w->obs, w->power_mw, FRAME_US);
	nst_follow_advance(&w->follow, &w->obs, w->power_mw, FRAME_US);
	sample.value_mc = nst_plant_die_mc(&w->plant) / LSB_MC * LSB_MC;
	before_mc = w->obs.uncertainty_mc;
	slow_c = nst_identify_slow_c(&w->follow.id);
	verdict = nst_observer_sample(&w->obs, &sample, w->power_mw);
	nst_follow_sample(&w->follow, &w->obs, &sample, verdict, before_mc);
	return fabs(nst_identify_slow_c(&w->follow.id) - slow_c) > 0;
}

static void become_warmer(struct world *w, struct ramp *ramp)
{
	u32 before = w->obs.surprises, seen = before;
	bool open = false;

	for (int n = 0; n < RAMP_FRAMES; n++) {
		choose(w);
		w->ambient_mc += RAMP_MC_PER_S * FRAME_US / 1e6;
		if (frame(w)) {
			ramp->told++;
			open = false;
		}
		if (w->obs.surprises != seen) {
			ramp->passed_over += open;
			seen = w->obs.surprises;
			open = true;
		}
		ramp->hot += w->power_mw == GATED_MW &&
			     nst_plant_die_mc(&w->plant) > w->limit_mc;
	}
	ramp->surprises += seen - before;
}

static void surprises_reach_the_filter(void)
{
	struct ramp all = { 0 };

	for (s32 limit_mc = 65100; limit_mc < 65900; limit_mc += 100) {
		struct ramp ramp = { 0 };
		struct world w;

		world_begin(&w, limit_mc);
		for (int n = 0; n < SETTLED_FRAMES; n++) {
			choose(&w);
			frame(&w);
		}
		become_warmer(&w, &ramp);
		printf("# limit %d mC: %u surprises, %u of them passed over, told %u times, room %.1f K off, %u frames too hot\n",
		       limit_mc, ramp.surprises, ramp.passed_over, ramp.told,
		       nst_identify_ambient_c(&w.follow.id) -
			       w.ambient_mc / 1e3, ramp.hot);
		EXPECT(ramp.told > 0, "%d mC: never told", limit_mc);
		/* Neither the same again and again. */
		EXPECT(ramp.told < RAMP_FRAMES / 4, "%d mC: %u", limit_mc,
		       ramp.told);
		EXPECT(!ramp.passed_over, "%d mC: %u", limit_mc,
		       ramp.passed_over);
		all.surprises += ramp.surprises;
		all.hot += ramp.hot;
	}
	printf("# %u surprises, %u frames too hot\n", all.surprises, all.hot);
	EXPECT(all.surprises, "none: what was tested?");
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "surprises reach the filter", surprises_reach_the_filter },
	};

	return ktap_main(tests, KTAP_COUNT(tests));
}
