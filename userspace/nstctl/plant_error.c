// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* plant_error.c - a plant that is not quite the profile's */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "nstctl.h"
#include "number.h"
#include "plant_error.h"
#include "words.h"

enum { R_JP, R_PA, C_J, C_P, NEAR, AMBIENT, COUNT };

static const char *const names[COUNT] = { "r_jp", "r_pa", "c_j",
					  "c_p", "near", "ambient" };

static int find(const char *name)
{
	for (int i = 0; i < COUNT; i++) {
		if (!strcmp(name, names[i]))
			return i;
	}
	return -1;
}

static void scale(struct nst_profile_sensor *s, int what, double factor)
{
	unsigned int *const figure[] = {
		[R_JP] = &s->plant.r_jp_mk_per_w,
		[R_PA] = &s->plant.r_pa_mk_per_w,
		[C_J] = &s->plant.c_j_uj_per_k,
		[C_P] = &s->plant.c_p_uj_per_k,
		[NEAR] = &s->near_mw,
	};

	if (what == AMBIENT)
		s->ambient_mc = (s32)lround(s->ambient_mc * factor);
	else
		*figure[what] = (unsigned int)lround(*figure[what] * factor);
}

static int apply_one(struct nst_profile_sensor *s, char *item,
		     unsigned int *seen, FILE *err)
{
	char *value = strchr(item, '=');
	double percent;
	char hint[256];
	int what;

	if (value)
		*value++ = '\0';
	what = find(item);
	if (what < 0) {
		nst_words_hint(hint, sizeof(hint), "valid", item, names, COUNT);
		fprintf(err, "--plant-error: unknown parameter '%s'; %s\n",
			item, hint);
		return -EINVAL;
	}
	if (!value || nst_number_real(value, -NST_PLANT_ERROR_MAX_PERCENT,
				      NST_PLANT_ERROR_MAX_PERCENT, &percent)) {
		fprintf(err,
			"--plant-error: %s wants a percentage from -%d to %d, as in %s=20\n",
			item, NST_PLANT_ERROR_MAX_PERCENT,
			NST_PLANT_ERROR_MAX_PERCENT, item);
		return -EINVAL;
	}
	if (*seen & 1u << what) {
		fprintf(err, "--plant-error: %s is given twice\n", item);
		return -EINVAL;
	}
	*seen |= 1u << what;
	scale(s, what, 1 + percent / 100);
	return 0;
}

int nst_plant_error_apply(struct nst_profile_sensor *sensor, const char *text,
			  FILE *err)
{
	struct nst_profile_sensor changed = *sensor;
	unsigned int seen = 0;
	char copy[256], *item, *rest;
	int r;

	if (strlen(text) >= sizeof(copy)) {
		fprintf(err, "--plant-error: more than %zu characters\n",
			sizeof(copy) - 1);
		return -EINVAL;
	}
	strcpy(copy, text);
	for (item = copy; item; item = rest) {
		rest = strchr(item, ',');
		if (rest)
			*rest++ = '\0';
		r = apply_one(&changed, item, &seen, err);
		if (r)
			return r;
	}
	if (nst_plant_params_check(&changed.plant) ||
	    !nst_temp_in_range(changed.ambient_mc) ||
	    changed.near_mw > NST_POWER_MAX_MW ||
	    changed.near_mw < changed.capture_mw) {
		fprintf(err, "--plant-error: no stack is like that\n");
		return -EINVAL;
	}
	*sensor = changed;
	return 0;
}
