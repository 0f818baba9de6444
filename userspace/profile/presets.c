// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * presets.c - named lights, parts and workloads
 *
 * The three lights of the publication are dim, office and daylight; night
 * and fast are ours, for short exposures at high gain.
 */
#include <string.h>

#include "cleanup.h"
#include "keys.h"

const struct nst_profile_light nst_profile_lights[] = {
	{ "dim", 3200, 64000, 800 },
	{ "office", 320000, 32000, 400 },
	{ "daylight", 32000000, 16000, 100 },
	{ "night", 1000, 8000, 3200 },
	{ "fast", 320000, 4000, 6400 },
};

const unsigned int nst_profile_light_count =
	NST_ARRAY_SIZE(nst_profile_lights);

const struct nst_profile_light *nst_profile_light_find(const char *name)
{
	for (unsigned int i = 0; i < nst_profile_light_count; i++) {
		if (!strcmp(nst_profile_lights[i].name, name))
			return &nst_profile_lights[i];
	}
	return NULL;
}

/*
 * stacked-reference: LPDDR4 in the stack, extended range up to 105 degC.
 * ar0330: un-stacked; its rated junction maximum is 70 degC.
 * imx500-like: the range of the part and whole degrees from its sensor; the
 * thermal constants are those of the reference stack.
 */
const struct nst_profile_preset nst_profile_presets[] = {
	{ "stacked-reference", &nst_plant_reference, 105000, 0 },
	{ "ar0330", &nst_plant_ar0330, 70000, 0 },
	{ "imx500-like", &nst_plant_reference, 75000, 1000 },
	{ NULL, NULL, 0, 0 },
};

/* One gap of 1.4 W between near and far explains all four. */
const struct nst_profile_workload nst_profile_workloads[] = {
	{ "light", 1240, 2640 },
	{ "resnet-1080p34", 1300, 2700 },
	{ "neurostream", 2500, 3900 },
	{ "heavy", 4960, 6360 },
	{ NULL, 0, 0 },
};

/* What nst-sim emulates by default. */
const struct nst_profile_noise_preset nst_profile_noise_presets[] = {
	{ "reference-sensor", &nst_emva_reference },
	{ NULL, NULL },
};
