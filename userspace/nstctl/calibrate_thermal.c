// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * calibrate_thermal.c - nstctl calibrate --thermal
 *
 * At rest, then running until hot, then a few short stops, then at rest until
 * that has settled. Readings are close to each other after an edge, where the
 * die moves, and further apart later. The stops fall at other times against
 * the sensor's own pace, so that a slow one sees the die's fall at many
 * points of it.
 */
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calibrate.h"
#include "cleanup.h"
#include "log.h"

#define WIDEST 0.1
#define FAST_US 1000
#define FAST_FOR_US 60000
#define SLOW_US 250000
#define SETTLE_US 1000000
#define REST_US 3000000
#define STOP_US 90000
#define STOP_ODD_US 7300	/* that each stop is longer than the one before */
#define LOOK_US 10000000
/* Left of a rise or fall, by its slope: three constants. */
#define SLOPE_SHARE 0.02
#define HOT_SHARE 0.9		/* of the way to the top, which is enough */
#define SHORTEST_US 8000000
#define STAMP_US 1		/* that a stamp is cut to */
/* Residual in steps of the sensor that is worth a word, and not noise. */
#define RESIDUAL_STEPS 3
#define STEP_LEAST_C 0.001
#define FOLLOW 0.3

struct run {
	const struct nst_cal_args *args;
	struct nst_cal_stack stack;
	struct nst_fit_reading reading[NST_FIT_THERMAL_READINGS_MAX];
	double scratch[NST_FIT_THERMAL_SCRATCH];
	int readings;
	u64 origin_us;
	u64 last_us;
	u64 edge_us;
	u64 in_force_us;	/* the edge, by all bounds; 0: its power is told */
	int edge;		/* its line */
	u8 gate;
	double power_w;
	int done;
};

/* ------------------------------------------------------------ recording */

static int put(struct run *run, double t_s, double temp_c, double late_s)
{
	if (run->readings == NST_FIT_THERMAL_READINGS_MAX)
		return nst_log_err(-ENOSPC, "too many readings for a fit");
	/* the edge is placed between two readings, when it is heard of */
	if (run->readings && t_s < run->reading[run->readings - 1].t_s)
		t_s = run->reading[run->readings - 1].t_s;
	run->reading[run->readings++] = (struct nst_fit_reading){
		t_s, temp_c, run->power_w, late_s };
	return 0;
}

static double seconds(const struct run *run, u64 t_us)
{
	return t_us > run->origin_us ? (double)(t_us - run->origin_us) / 1e6
				     : 0;
}

/* A change of the gate; its power is that of before until it is in force. */
static int put_edge(struct run *run)
{
	const struct nst_cal_stack *s = &run->stack;
	u64 late_us = nst_cal_stack_late_us(s);

	run->gate = s->now.gate;
	run->edge_us = s->now.gate_since_us;
	run->in_force_us = run->edge_us + late_us;
	run->edge = run->readings;
	return put(run, seconds(run, run->edge_us), NAN,
		   (double)(late_us + STAMP_US) / 1e6);
}

static void tell_power(struct run *run)
{
	run->in_force_us = 0;
	run->power_w = run->stack.now.power_mw / 1e3;
	for (int i = run->edge; i < run->readings; i++)
		run->reading[i].power_w = run->power_w;
}

/* What the last tick brought: an edge, a reading, or nothing new. */
static int record(struct run *run)
{
	const struct nst_cal_stack *s = &run->stack;
	const struct nst_cal_reading *m = &s->reading[s->readings - 1];
	int r = 0;

	if (s->now.gate != run->gate)
		r = put_edge(run);
	if (!r && run->in_force_us && s->now.now_us >= run->in_force_us)
		tell_power(run);
	/* one of before the edge that comes late would be misplaced */
	if (r || m->t_us <= run->last_us || m->t_us < run->edge_us)
		return r;
	run->last_us = m->t_us;
	return put(run, seconds(run, m->t_us), m->temp_mc / 1e3, 0);
}

static int hold(struct run *run, u64 for_us)
{
	struct nst_cal_stack *s = &run->stack;
	u64 end_us = s->now.now_us + for_us;
	int r = 0;

	while (!r && s->now.now_us < end_us) {
		u64 since = s->now.now_us - run->edge_us;
		u64 step = since < FAST_FOR_US ? FAST_US :
			   since < 10 * FAST_FOR_US ? 20 * FAST_US : SLOW_US;

		if (step > end_us - s->now.now_us)
			step = end_us - s->now.now_us;
		if (step < FAST_US)
			step = FAST_US;
		r = nst_cal_stack_wait(s, step, (u32)step);
		if (!r)
			r = record(run);
	}
	return r;
}

static int turn(struct run *run, enum nst_gate gate)
{
	int r = nst_cal_stack_gate(&run->stack, gate);

	if (!r)
		r = nst_cal_stack_tick(&run->stack);
	/* a gate that takes its time is looked at until it has moved */
	for (int i = 0; !r && run->stack.now.gate != gate && i < 1000; i++)
		r = nst_cal_stack_wait(&run->stack, FAST_US, FAST_US);
	if (!r && run->stack.now.gate != gate)
		return nst_log_err(-EIO, "%s: the gate does not move to %s",
				   run->stack.dev.info.node,
				   nst_gate_name(gate));
	return r ? r : record(run);
}

/* Until it has nearly settled, is hot enough, or has lasted long enough. */
static int until_settled(struct run *run, const char *text, bool heating)
{
	struct nst_cal_stack *s = &run->stack;
	u64 begin_us = s->now.now_us;
	double first = NAN, top = s->top_mc - 2000;
	int r = 0;

	while (!r) {
		double t_s = (double)(s->now.now_us - begin_us) / 1e6;
		double now = s->reading[s->readings - 1].temp_mc;
		struct nst_cal_curve curve;
		char what[96];

		snprintf(what, sizeof(what), "%s, %.1f degC", text, now / 1e3);
		nst_cal_progress(run->done + fmin(t_s / 120, 0.9), 5, what);
		r = hold(run, 1000000);
		if (r || t_s >= run->args->longest_s ||
		    (heating && now >= top) ||
		    (heating && s->now.gate != NST_GATE_RUN))
			return r;
		if (s->now.now_us - begin_us < SHORTEST_US ||
		    nst_cal_stack_curve(s, s->now.now_us -
					(s->now.now_us - begin_us < LOOK_US ?
					 SHORTEST_US : LOOK_US), &curve))
			continue;
		if (isnan(first))
			first = fabs(curve.c[1]);
		/* with the slope, what is left of the way has fallen */
		if (fabs(curve.slope_mc_per_s) < SLOPE_SHARE * first ||
		    fabs(curve.slope_mc_per_s) < 2 + s->lsb_mc / 20.0)
			return 0;
	}
	return r;
}

static int protocol(struct run *run)
{
	struct nst_cal_stack *s = &run->stack;
	int r;

	/*
	 * The fit takes the die as settled in the first reading; what was
	 * before, and when it ended, is not known.
	 */
	r = nst_cal_stack_gate(s, NST_GATE_STANDBY);
	if (!r)
		r = nst_cal_stack_wait(s, SETTLE_US, SLOW_US);
	nst_cal_stack_forget(s);
	run->origin_us = s->now.now_us;
	run->gate = s->now.gate;
	run->power_w = s->now.power_mw / 1e3;
	if (!r)
		r = hold(run, REST_US);
	run->done = 1;
	if (!r)
		r = turn(run, NST_GATE_RUN);
	if (!r)
		r = until_settled(run, "running", true);
	run->done = 3;
	for (u32 i = 0; !r && i < run->args->pulses; i++) {
		nst_cal_progress(run->done, 5, "short stops");
		r = turn(run, NST_GATE_STANDBY);
		if (!r)
			r = hold(run, STOP_US + i * STOP_ODD_US);
		if (!r)
			r = turn(run, NST_GATE_RUN);
		if (!r)
			r = hold(run, STOP_US + i * STOP_ODD_US);
	}
	run->done = 4;
	if (!r)
		r = turn(run, NST_GATE_STANDBY);
	if (!r)
		r = until_settled(run, "at rest", false);
	if (!r)
		nst_cal_progress(5, 5, "done");
	nst_cal_progress_end();
	return r;
}

/* --------------------------------------------------------------- result */

static void print_table(const struct nst_fit_thermal *f)
{
	printf("%-10s %10s %-6s %s\n", "", "value", "", "95 % interval");
	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++) {
		enum nst_fit_thermal_param p = (enum nst_fit_thermal_param)k;
		bool weak = f->weak & (1u << k);

		printf("%-10s ", nst_fit_thermal_name(p));
		if (weak && !(f->param[k].value > 0))
			printf("%10s ", "unknown");
		else
			printf("%10.5g ", f->param[k].value);
		printf("%-6s %.5g to %.5g%s\n", nst_fit_thermal_unit(p),
		       f->param[k].lo, f->param[k].hi,
		       weak ? "  too wide" : "");
	}
	printf("%d readings, %d of them new, over %d steps; sensor steps %.3g K, residual %.3g K\n",
	       f->readings, f->told, f->steps, f->lsb_c, f->noise_c);
}

static void print_json(const struct nst_fit_thermal *f)
{
	struct json_object *o = json_object_new_object();

	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++) {
		const double v[] = { f->param[k].value, f->param[k].lo,
				     f->param[k].hi };
		static const char *const keys[] = { "value", "lo", "hi" };
		struct json_object *e = json_object_new_object();

		for (int i = 0; i < 3; i++)
			json_object_object_add(e, keys[i], isfinite(v[i]) ?
				json_object_new_double(v[i]) : NULL);
		json_object_object_add(e, "good", json_object_new_boolean(
			!(f->weak & (1u << k))));
		json_object_object_add(o, nst_fit_thermal_name(
			(enum nst_fit_thermal_param)k), e);
	}
	json_object_object_add(o, "residual_c",
			       json_object_new_double(f->noise_c));
	json_object_object_add(o, "sensor_step_c",
			       json_object_new_double(f->lsb_c));
	json_object_object_add(o, "residual_follows",
			       json_object_new_double(f->follow));
	json_object_object_add(o, "readings",
			       json_object_new_int(f->readings));
	json_object_object_add(o, "steps", json_object_new_int(f->steps));
	printf("%s\n",
	       json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY));
	json_object_put(o);
}

/* Intervals are as wide as the residuals make them; what they may be from. */
static void warn_residual(const struct nst_fit_thermal *f)
{
	double step_c = fmax(f->lsb_c, STEP_LEAST_C);

	if (!(f->noise_c > RESIDUAL_STEPS * step_c))
		return;
	nst_log(NST_LOG_WARNING, "readings are %.3g K about the fit, %.0f steps of the sensor: %s; the intervals are wider by it",
		f->noise_c, f->noise_c / step_c, f->follow > FOLLOW ?
		"they go astray together, as where power changes later than it is told or heat has other ways than two nodes" :
		"noise");
}

/* What is wide, and what would be enough. */
static void refuse(const struct nst_fit_thermal *f)
{
	char weak[96] = "";
	bool any = false;

	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++) {
		size_t len = strlen(weak);

		if (f->weak & (1u << k))
			snprintf(weak + len, sizeof(weak) - len, "%s%s",
				 len ? ", " : "", nst_fit_thermal_name(
				 (enum nst_fit_thermal_param)k));
	}
	nst_log(NST_LOG_ERR, "no preset: %s not known to 10 %%", weak);
	if (f->enough_s > 0) {
		any = true;
		nst_log(NST_LOG_ERR, "  the steps are too short: %.3g s at one power; about %.0f s would be enough",
			f->longest_s, f->enough_s);
	}
	if (f->enough_steps > 0) {
		any = true;
		nst_log(NST_LOG_ERR, "  %d steps are too few for this sensor; about %d would be enough",
			f->steps, f->enough_steps);
	}
	if (f->enough_lsb_c > 0) {
		any = true;
		nst_log(NST_LOG_ERR, "  the sensor is too coarse: steps of %.3g K; %.2g K would be enough as it is",
			f->lsb_c, f->enough_lsb_c);
	}
	if (f->coarse) {
		any = true;
		nst_log(NST_LOG_ERR, "  the sensor is far too coarse: nothing of %s can be seen in steps of %.3g K",
			weak, f->lsb_c);
	}
	if (f->enough_gap_s > 0) {
		any = true;
		nst_log(NST_LOG_ERR, "  the die settles before the first reading, %.3g s after a step; one within %.2g s of each step would be needed to begin with",
			f->gap_s, f->enough_gap_s);
	}
	if (!any)
		nst_log(NST_LOG_ERR, "  the temperature does not follow the power as a die in a package does");
}

static struct nst_calibration_value file_value(const struct nst_fit_value *v,
					       double unit)
{
	return (struct nst_calibration_value){ v->value * unit, v->lo * unit,
					       v->hi * unit, true, true };
}

static void to_file(const struct nst_fit_thermal *f,
		    struct nst_calibration *ret)
{
	struct nst_calibration_thermal *t = &ret->thermal;

	ret->kind = NST_CALIBRATION_THERMAL;
	*t = (struct nst_calibration_thermal){
		.r_jp_mk_per_w = file_value(&f->param[NST_FIT_R_JP], 1e3),
		.r_pa_mk_per_w = file_value(&f->param[NST_FIT_R_PA], 1e3),
		.tau_j_us = file_value(&f->param[NST_FIT_TAU_J], 1e6),
		.tau_p_us = file_value(&f->param[NST_FIT_TAU_P], 1e6),
		.ambient_mc = file_value(&f->param[NST_FIT_AMBIENT], 1e3),
		.residual_mc = { .value = 1e3 * f->noise_c, .known = true },
	};
}

static int draw(struct run *run, const struct nst_fit_thermal *f,
		const char *title)
{
	struct nst_cal_panel panel = {
		.title = "die temperature, readings and fit",
		.x_label = "time, s", .y_label = "degC",
	};
	double param[NST_FIT_THERMAL_PARAMS], *predicted = run->scratch;
	struct nst_cal_series *s = nst_cal_series_add(&panel, "readings",
						      run->readings,
						      run->readings);
	int n = 0, r;

	if (!s)
		return -ENOMEM;
	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++)
		param[k] = f->param[k].value;
	/* a constant that is a bound only: next to nothing */
	if (!(param[NST_FIT_TAU_J] > 0))
		param[NST_FIT_TAU_J] = f->gap_s / 100;
	nst_fit_thermal_predict(param, f->package_c, f->late, run->reading,
				run->readings, predicted);
	for (int i = 0; i < run->readings; i++) {
		s->curve_x[i] = run->reading[i].t_s;
		s->curve_y[i] = predicted[i];
		if (isnan(run->reading[i].temp_c))
			continue;
		s->x[n] = run->reading[i].t_s;
		s->y[n++] = run->reading[i].temp_c;
	}
	s->count = n;
	r = nst_cal_draw(run->args->plot, title, &panel, 1);
	nst_cal_panels_free(&panel, 1);
	return r;
}

static int finish(struct run *run, struct nst_calibration *file)
{
	const struct nst_cal_args *args = run->args;
	struct nst_fit_thermal f;
	bool known;
	int spoilt, r;

	spoilt = nst_cal_late(run->reading, run->readings, run->scratch);
	if (spoilt)
		nst_log(NST_LOG_NOTICE, "the machine was late at %d of the changes of power; what was read soon after them is left out",
			spoilt);
	r = nst_fit_thermal(run->reading, run->readings, WIDEST, run->scratch,
			    &f);
	if (r && r != -EDOM)
		return nst_log_err(r, "a fit needs at least eight readings and a step of power that they follow");
	if (args->json)
		print_json(&f);
	else
		print_table(&f);
	warn_residual(&f);
	known = f.param[NST_FIT_R_JP].value > 0 &&
		f.param[NST_FIT_TAU_P].value > 0;
	if (args->plot && known) {
		int err = draw(run, &f, file->name);

		if (err)
			return err;
	}
	if (r) {
		refuse(&f);
		return r;
	}
	if (!args->output)
		return 0;
	to_file(&f, file);
	return nst_cal_save(file, args->output);
}

static int from_file(struct run *run, struct nst_calibration *file)
{
	int n = nst_cal_csv_read(run->args->from, run->args->column,
				 run->reading,
				 NST_FIT_THERMAL_READINGS_MAX);

	if (n < 0)
		return n;
	run->readings = n;
	snprintf(file->name, sizeof(file->name), "%.*s",
		 NST_CALIBRATION_NAME_LEN - 1,
		 run->args->device ? run->args->device : "recording");
	return 0;
}

int nst_cal_thermal(const struct nst_cal_args *args)
{
	_cleanup_free_ struct run *run = calloc(1, sizeof(*run));
	struct nst_calibration file = { .kind = NST_CALIBRATION_THERMAL };
	time_t now = time(NULL);
	struct tm tm;
	int r;

	if (!run)
		return -ENOMEM;
	run->args = args;
	run->stack.dev.fd = -1;
	gmtime_r(&now, &tm);
	strftime(file.date, sizeof(file.date), "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (args->from) {
		r = from_file(run, &file);
		return r ? r : finish(run, &file);
	}
	r = nst_cal_stack_take(&run->stack, args->device);
	if (!r) {
		snprintf(file.name, sizeof(file.name), "%s",
			 run->stack.dev.info.name);
		snprintf(file.model, sizeof(file.model), "%s",
			 run->stack.dev.info.model);
		r = protocol(run);
	}
	nst_cal_stack_leave(&run->stack);
	if (!r && args->record)
		r = nst_cal_csv_write(args->record, run->reading,
				      run->readings);
	return r ? r : finish(run, &file);
}
