// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* identified.c - what a governor identifies of its stack, see identified.h */
#include <string.h>

#include "identified.h"

/* Of the room: where the profile only names one, and beside a thermometer. */
#define PROFILE_AMBIENT_SD_C 5.0
#define MEASURED_AMBIENT_SD_C 2.0

static const struct nst_profile_sensor *sensor_of(const struct nst_governor *g)
{
	return &g->profile->sensors[g->sensor];
}

static struct nst_identify_config config_of(const struct nst_governor *g)
{
	const struct nst_profile_sensor *s = sensor_of(g);
	bool measured = g->ambient_mc != NST_TEMP_NONE_MC;

	return (struct nst_identify_config){
		.params = s->plant,
		.near_w = s->near_mw / 1e3,
		.gated_w = s->capture_mw / 1e3,
		/* two standard deviations */
		.tolerance = s->tolerance_percent / 200.0,
		.ambient_c = (measured ? g->ambient_mc : s->ambient_mc) / 1e3,
		.ambient_sd_c = measured ? MEASURED_AMBIENT_SD_C :
					   PROFILE_AMBIENT_SD_C,
		.wander_c = NST_IDENT_WANDER_C,
	};
}

static bool same_stack(const struct nst_identify_config *a,
		       const struct nst_identify_config *b)
{
	return !memcmp(&a->params, &b->params, sizeof(a->params)) &&
	       a->near_w >= b->near_w && a->near_w <= b->near_w &&
	       a->gated_w >= b->gated_w && a->gated_w <= b->gated_w &&
	       a->tolerance >= b->tolerance && a->tolerance <= b->tolerance;
}

static bool wanted(const struct nst_governor *g)
{
	const struct nst_observer_config *o = &sensor_of(g)->observer;

	return sensor_of(g)->tolerance_percent && !o->plant_guessed &&
	       !o->estimated;
}

void nst_identified_configure(struct nst_governor *g)
{
	struct nst_identify_config config = config_of(g);

	if (wanted(g) == g->identifies &&
	    (!g->identifies || same_stack(&config, &g->ident.id.config)))
		return;
	/* Model and observer begin anew, with the profile's plant. */
	g->identifies = false;
	g->started = false;
}

void nst_identified_start(struct nst_governor *g, u32 power_mw, u64 gap_us)
{
	struct nst_identify_config config = config_of(g);

	if (!g->identifies) {
		g->identifies = wanted(g) &&
				!nst_follow_init(&g->ident, &config, &g->obs);
		gap_us = 0;
	}
	if (!g->identifies)
		return;
	nst_follow_gap(&g->ident, &g->obs, power_mw, gap_us);
	g->history.ambient_mc = g->obs.ambient_mc;
	g->stale = true;
}

void nst_identified_ambient(struct nst_governor *g, s32 ambient_mc)
{
	if (!g->identifies) {
		g->obs.ambient_mc = ambient_mc;
		g->history.ambient_mc = ambient_mc;
		return;
	}
	nst_follow_ambient(&g->ident, &g->obs, ambient_mc);
	g->history.ambient_mc = g->obs.ambient_mc;
}

void nst_identified_advance(struct nst_governor *g, u32 power_mw, u32 dt_us)
{
	if (g->identifies)
		nst_follow_advance(&g->ident, &g->obs, power_mw, dt_us);
}

void nst_identified_sample(struct nst_governor *g,
			   const struct nst_sample *sample,
			   enum nst_observer_verdict verdict, s32 before_mc)
{
	if (!g->identifies ||
	    !nst_follow_sample(&g->ident, &g->obs, sample, verdict,
			       before_mc))
		return;
	g->history.ambient_mc = g->obs.ambient_mc;
	g->stale = true;
}

const struct nst_plant_params *
nst_identified_plant(const struct nst_governor *g)
{
	return g->identifies ? &g->ident.plant : &sensor_of(g)->plant;
}

s32 nst_identified_margin_mc(const struct nst_governor *g)
{
	if (!g->identifies)
		return 0;
	return g->ident.margin_mc +
	       nst_follow_edge_mc(&g->ident, g->pc.exposure_us,
				  g->pc.doubling_mc);
}
