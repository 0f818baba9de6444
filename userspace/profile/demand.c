// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * demand.c - what the tasks of a sensor ask of its temperature
 *
 * An accuracy becomes an SNR through the task's curve, an SNR a temperature
 * through the sensor's noise model at the present exposure and gain; the
 * strictest task of each kind wins. A sensor has one noise model: what its
 * tasks ask and what is predicted of its frames are numbers of that model.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "paper.h"
#include "profile.h"

#define PERMYRIAD 10000.0
#define PERCENT 100.0

const struct nst_profile_task *
nst_profile_vision_task(const struct nst_profile *profile,
			unsigned int sensor)
{
	for (unsigned int i = 0; i < profile->task_count; i++) {
		const struct nst_profile_task *task = &profile->tasks[i];

		if (task->sensor == sensor && task->kind == NST_TASK_VISION)
			return task;
	}
	return NULL;
}

/* ------------------------------------------------------------- model --- */

static struct nst_paper paper_of(const struct nst_profile_sensor *sensor)
{
	struct nst_paper model = nst_paper_default;

	model.doubling_mc = sensor->doubling_mc;
	return model;
}

double nst_profile_signal_e(const struct nst_profile_sensor *sensor,
			    unsigned int iso)
{
	if (sensor->noise != NST_NOISE_EMVA)
		return 0.0;
	return nst_emva_capacity_e(&sensor->emva, iso) *
	       (sensor->signal_permyriad / PERMYRIAD);
}

double nst_profile_predicted_snr_db(const struct nst_profile_sensor *sensor,
				    double temp_mc, unsigned int exposure_us,
				    unsigned int iso)
{
	struct nst_paper paper = paper_of(sensor);

	if (sensor->noise == NST_NOISE_EMVA)
		return nst_emva_snr_db(&sensor->emva, temp_mc, exposure_us,
				       iso, nst_profile_signal_e(sensor, iso));
	return nst_paper_snr_db(&paper, temp_mc, exposure_us, iso);
}

static int snr_temp_mc(const struct nst_profile_sensor *sensor,
		       double min_snr_db, unsigned int exposure_us,
		       unsigned int iso, s32 *ret_mc)
{
	struct nst_paper paper = paper_of(sensor);

	if (sensor->noise == NST_NOISE_EMVA)
		return nst_emva_temp_max_mc(&sensor->emva, min_snr_db,
					    exposure_us, iso,
					    nst_profile_signal_e(sensor, iso),
					    ret_mc);
	return nst_paper_temp_max_mc(&paper, min_snr_db, exposure_us, iso,
				     ret_mc);
}

/*
 * Never reached, whatever the gain, exposure and temperature: under emva the
 * SNR of a full range without dark signal, read noise and quantisation.
 */
static double best_snr_db(const struct nst_profile_sensor *sensor)
{
	const struct nst_emva *m = &sensor->emva;
	double signal_e;

	if (sensor->noise != NST_NOISE_EMVA)
		return nst_paper_default.best_snr_db;
	signal_e = m->full_well_e * (sensor->signal_permyriad / PERMYRIAD);
	return -10.0 * log10(1.0 / signal_e + m->prnu * m->prnu);
}

/* -------------------------------------------------------------- task --- */

int nst_profile_task_snr_db(const struct nst_profile_task *task,
			    double *ret_db)
{
	double drop_db = -INFINITY, db = -INFINITY;
	int r;

	if (!task->has_snr && !task->has_drop)
		return -ENOENT;
	if (task->has_snr)
		db = task->min_snr_db;
	if (task->has_drop) {
		r = nst_accuracy_snr_min_db(&task->curve,
					    task->max_accuracy_drop_percent /
						    PERCENT,
					    &drop_db);
		if (r)
			return -EDOM;
	}
	*ret_db = fmax(db, drop_db);
	return 0;
}

static int task_limit_mc(const struct nst_profile_sensor *sensor,
			 const struct nst_profile_task *task,
			 unsigned int exposure_us, unsigned int iso,
			 s32 *ret_mc)
{
	s32 limit_mc = NST_TEMP_NONE_MC, snr_mc;
	double min_snr_db;
	int r;

	if (task->has_max_temp)
		limit_mc = task->max_temp_mc;
	r = nst_profile_task_snr_db(task, &min_snr_db);
	if (!r)
		r = snr_temp_mc(sensor, min_snr_db, exposure_us, iso, &snr_mc);
	if (!r && snr_mc < limit_mc)
		limit_mc = snr_mc;
	if (r && r != -ENOENT) {
		*ret_mc = NST_TEMP_MIN_MC;
		return r;
	}
	*ret_mc = limit_mc;
	return 0;
}

int nst_profile_task_check(const struct nst_profile *profile,
			   const struct nst_profile_task *task,
			   const char **ret_key, char *ret, size_t size)
{
	const struct nst_profile_sensor *sensor =
		&profile->sensors[task->sensor];
	bool emva = sensor->noise == NST_NOISE_EMVA;
	double best_db, db = 0.0;
	int r;

	*ret_key = "";
	/* What is wrong with the sensor is for the sensor to be told. */
	if (emva && nst_emva_check(&sensor->emva))
		return 0;
	best_db = best_snr_db(sensor);
	if (task->kind == NST_TASK_IMAGING && !task->has_snr &&
	    !task->has_max_temp && !task->has_drop) {
		snprintf(ret, size,
			 "an imaging task needs a fidelity; valid keys: min_snr_db, max_accuracy_drop_percent with accuracy_curve, max_temp_mc");
		return -EINVAL;
	}
	if (task->has_drop != !!*task->curve_file) {
		*ret_key = task->has_drop ? "max_accuracy_drop_percent" :
					    "accuracy_curve";
		snprintf(ret, size,
			 "'max_accuracy_drop_percent' and 'accuracy_curve' come together");
		return -EINVAL;
	}
	if (task->has_drop && !emva) {
		*ret_key = "max_accuracy_drop_percent";
		snprintf(ret, size,
			 "'max_accuracy_drop_percent' needs the total SNR of the noise model 'emva', and that of sensor '%s' is 'paper'",
			 sensor->name);
		return -EINVAL;
	}
	if (task->has_snr && task->min_snr_db >= best_db) {
		*ret_key = "min_snr_db";
		snprintf(ret, size,
			 "'min_snr_db' is %g, and the noise model '%s' stays below %g dB at any temperature%s; valid: -20 to less than %g",
			 task->min_snr_db, emva ? "emva" : "paper", best_db,
			 emva ? ", gain and exposure of this sensor" : "",
			 best_db);
		return -EINVAL;
	}
	r = nst_profile_task_snr_db(task, &db);
	if (task->has_drop && (r || db >= best_db)) {
		*ret_key = "max_accuracy_drop_percent";
		if (r)
			snprintf(ret, size,
				 "'max_accuracy_drop_percent' is %g, and any noise costs more",
				 task->max_accuracy_drop_percent);
		else
			snprintf(ret, size,
				 "'max_accuracy_drop_percent' is %g, which takes %.1f dB by the curve, and this sensor stays below %.1f dB at any temperature, gain and exposure",
				 task->max_accuracy_drop_percent, db, best_db);
		return -EINVAL;
	}
	return 0;
}

bool nst_profile_owner_is(const struct nst_profile_owner *owner,
			  const char *card, const char *device,
			  const char *name, const char **ret_theirs,
			  const char **ret_ours)
{
	if (*card && *owner->card) {
		*ret_theirs = owner->card;
		*ret_ours = card;
		return !strcmp(card, owner->card);
	}
	*ret_theirs = owner->name;
	*ret_ours = *device ? device : name;
	return (*device && !strcmp(device, owner->name)) ||
	       !strcmp(name, owner->name);
}

/* ------------------------------------------------------------ sensor --- */

int nst_profile_binding(const struct nst_profile *profile, unsigned int sensor,
			unsigned int exposure_us, unsigned int iso,
			int ret_task[2], s32 ret_mc[2])
{
	if (sensor >= profile->sensor_count || !exposure_us || !iso)
		return -ERANGE;
	for (int kind = 0; kind < 2; kind++) {
		ret_task[kind] = -1;
		ret_mc[kind] = NST_TEMP_NONE_MC;
	}
	for (unsigned int i = 0; i < profile->task_count; i++) {
		const struct nst_profile_task *task = &profile->tasks[i];
		s32 limit_mc;

		if (task->sensor != sensor)
			continue;
		/* What cannot be met is the strictest, and a minimum. */
		(void)task_limit_mc(&profile->sensors[sensor], task,
				    exposure_us, iso, &limit_mc);
		if (limit_mc < ret_mc[task->kind]) {
			ret_mc[task->kind] = limit_mc;
			ret_task[task->kind] = (int)i;
		}
	}
	return 0;
}

int nst_profile_demand(const struct nst_profile *profile, unsigned int sensor,
		       unsigned int exposure_us, unsigned int iso,
		       s32 *ret_vision_mc, s32 *ret_imaging_mc)
{
	s32 strictest[2] = { NST_TEMP_NONE_MC, NST_TEMP_NONE_MC };
	int result = 0;

	if (sensor >= profile->sensor_count || !exposure_us || !iso)
		return -ERANGE;
	for (unsigned int i = 0; i < profile->task_count; i++) {
		const struct nst_profile_task *task = &profile->tasks[i];
		s32 limit_mc;

		if (task->sensor != sensor)
			continue;
		if (task_limit_mc(&profile->sensors[sensor], task, exposure_us,
				  iso, &limit_mc))
			result = -EDOM;
		if (limit_mc < strictest[task->kind])
			strictest[task->kind] = limit_mc;
	}
	*ret_vision_mc = strictest[NST_TASK_VISION];
	*ret_imaging_mc = strictest[NST_TASK_IMAGING];
	return result;
}
