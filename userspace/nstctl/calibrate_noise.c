// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * calibrate_noise.c - the plan of a noise calibration
 *
 *	flat-G	  per gain: a flat field at several exposures, up to white
 *	black-G	  per gain: no light, shortest exposure
 *	visit-N	  no light, all exposures and gains, at one temperature
 *
 * The first visit is at rest, with the VPU gated. The others follow while it
 * runs and the sensor warms up: nothing waits for a temperature to settle,
 * as every pair of frames has its own, from a curve through the readings.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate_noise.h"
#include "log.h"

#define TICK_US 50000
#define LOOK_US 5000000		/* for a slope */
#define LOOK_US_PER_MC 15000
#define LOOK_MOST_US 30000000
#define FLAT_MC_PER_S 30.0	/* slower than that is settled */
#define COOL_MAX_S 600
#define HEAT_MAX_S 1800
#define EDGE_US 100000		/* after which the die has settled */
#define BEFORE_US 2000000	/* of a visit that its curve may use */
#define TEMP_FLOOR_MC 30.0
#define REDO_MAX 3
#define ABOVE_MC 3000		/* a target by more: cool first */
#define BLACK_US 100
#define BLACK_PAIRS 2
/* Of white: up to where a flat field goes, and how far it has to get. */
#define FLAT_TOP 0.88
#define FLAT_LEAST 0.3
#define HOT_BELOW_TOP_MC 5000
#define HOT_MOST_MC 95000

static u64 latest_us(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* ---------------------------------------------------------------- scene */

static int prompt(struct nst_cal *c, const char *what)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	char line[64];
	int r;

	nst_cal_progress_end();
	fprintf(stderr, "%s, then press Enter: ", what);
	do {
		r = nst_cal_stack_wait(&c->shoot.stack, TICK_US, TICK_US);
		if (r)
			return r;
	} while (poll(&p, 1, 0) <= 0);
	return fgets(line, sizeof(line), stdin) ? 0 : -EINTR;
}

/* By the camera itself, by the person in front of it, or taken as said. */
static int show(struct nst_cal *c, enum nst_capture_scene scene)
{
	int r = nst_capture_show(&c->shoot.camera, scene);

	if (r != -ENOTSUP)
		return r ? nst_log_err(r, "%s: test pattern",
				       c->shoot.camera.node) : 0;
	if (c->scene == scene)
		return 0;
	c->scene = scene;
	if (c->args->only != NST_CAL_ALL && !isatty(STDIN_FILENO))
		return 0;
	if (!isatty(STDIN_FILENO)) {
		nst_log(NST_LOG_ERR, "%s cannot show a flat field and darkness by itself: run this on a terminal, or in two parts, --only flat and --only dark",
			c->shoot.camera.card);
		return -EOPNOTSUPP;
	}
	return prompt(c, scene == NST_CAPTURE_FLAT ?
		      "Show the camera an even light (a white sheet, steady lamp)" :
		      "Cover the lens so that no light gets in");
}

/* ----------------------------------------------------------------- flat */

static double white_of(const struct nst_cal *c)
{
	return (double)((1u << c->shoot.camera.bits) - 1);
}

static int shoot(struct nst_cal *c, u32 exposure_us, u32 gain, bool middle,
		 double black_dn, struct nst_cal_point *ret, double *ret_mid)
{
	const struct nst_cal_setting setting = { exposure_us,
						 c->args->gain[gain] };
	struct nst_cal_shot shot;
	int r = nst_cal_shoot_pair(&c->shoot, &setting, middle, black_dn,
				   &shot, &ret->stat);

	if (r)
		return r;
	ret->gain = gain;
	ret->exposure_us = shot.exposure_us;
	ret->iso = shot.iso ? shot.iso : c->args->gain[gain];
	ret->temp_mc = c->shoot.stack.reading[
		c->shoot.stack.readings - 1].temp_mc;
	*ret_mid = shot.mid_us;
	return 0;
}

/* The level of no exposure, and how much a microsecond adds to it. */
static int flat_scale(struct nst_cal *c, u32 gain, u32 longest_us,
		      double *ret_black, double *ret_dn_per_us)
{
	struct nst_cal_point p = { 0 };
	double first, first_us, white = white_of(c), mid, rise;
	u32 us = 4 * BLACK_US;
	int r = shoot(c, BLACK_US, gain, true, 0, &p, &mid);

	if (r)
		return r;
	first = p.stat.pair.mean_dn;
	first_us = p.exposure_us;
	if (first > FLAT_TOP * white) {
		nst_log(NST_LOG_ERR, "white at the shortest exposure of %u us: less light is needed",
			BLACK_US);
		return -ERANGE;
	}
	for (;;) {
		r = shoot(c, us, gain, true, 0, &p, &mid);
		if (r)
			return r;
		if (p.stat.pair.mean_dn > FLAT_TOP * white) {
			nst_log(NST_LOG_ERR, "too bright: at ISO %" PRIu32 " an exposure of %.0f us is white already: less light, or lower --gains, are needed",
				c->args->gain[gain], (double)p.exposure_us);
			return -ERANGE;
		}
		rise = p.stat.pair.mean_dn - first;
		if (rise > 0.05 * (white - first) || us >= longest_us)
			break;
		us = us > longest_us / 4 ? longest_us : 4 * us;
	}
	*ret_dn_per_us = rise / (p.exposure_us - first_us);
	*ret_black = first - *ret_dn_per_us * first_us;
	if (rise < 1 || *ret_black + *ret_dn_per_us * longest_us <
			FLAT_LEAST * white) {
		nst_log(NST_LOG_ERR, "too dim: the longest exposure of %" PRIu32 " us reaches %.0f of %.0f DN, at least %.0f are needed",
			longest_us, first + fmax(rise, 0), white,
			FLAT_LEAST * white);
		return -ERANGE;
	}
	return 0;
}

static int block_flat(struct nst_cal *c, u32 gain, struct nst_cal_point *p,
		      u32 *ret_points)
{
	u32 longest_us = nst_capture_exposure_max_us(&c->shoot.camera);
	double black, per_us, white = white_of(c), mid;
	u32 levels = c->args->levels, n = 0, last_us = 0;
	int r = show(c, NST_CAPTURE_FLAT);

	if (!r)
		r = flat_scale(c, gain, longest_us, &black, &per_us);
	for (u32 i = 0; !r && i < levels; i++) {
		double share = FLAT_TOP * (i + 1) * (i + 1) /
			       ((double)levels * levels);
		double want = share * (white - black) / per_us;
		u32 us = want < longest_us ? (u32)want : longest_us;

		if (us < BLACK_US)
			us = BLACK_US;
		if (us / BLACK_US == last_us / BLACK_US)
			continue;
		last_us = us;
		p[n] = (struct nst_cal_point){ .kind = NST_CAL_FLAT };
		r = shoot(c, us, gain, true, 0, &p[n], &mid);
		n++;
	}
	*ret_points = n;
	return r;
}

static int block_black(struct nst_cal *c, u32 gain, struct nst_cal_point *p,
		       u32 *ret_points)
{
	double mid;
	int r = show(c, NST_CAPTURE_DARK);

	for (u32 i = 0; !r && i < BLACK_PAIRS; i++) {
		p[i] = (struct nst_cal_point){ .kind = NST_CAL_BLACK };
		r = shoot(c, BLACK_US, gain, false, 0, &p[i], &mid);
	}
	*ret_points = BLACK_PAIRS;
	return r;
}

/* ---------------------------------------------------------- temperature */

static s32 now_mc(const struct nst_cal *c)
{
	const struct nst_cal_stack *s = &c->shoot.stack;

	return s->reading[s->readings - 1].temp_mc;
}

/* True when the temperature has stood still for the last while. */
static bool settled(const struct nst_cal *c)
{
	const struct nst_cal_stack *s = &c->shoot.stack;
	struct nst_cal_curve curve;
	u64 since = s->now.gate_since_us + EDGE_US, now = s->now.now_us;
	/* a coarse sensor is looked at for longer */
	u64 look_us = LOOK_US + (u64)s->lsb_mc * LOOK_US_PER_MC;
	double least;

	if (look_us > LOOK_MOST_US)
		look_us = LOOK_MOST_US;
	/* one of its steps in that while is no slope */
	least = FLAT_MC_PER_S + 2.0 * s->lsb_mc / ((double)look_us / 1e6);
	if (now < since + look_us)
		return false;
	return !nst_cal_stack_curve(s, now - look_us, &curve) &&
	       /* readings of all that time, not of its end alone */
	       curve.from_us < (double)(now - look_us + LOOK_US / 5) &&
	       fabs(curve.slope_mc_per_s) < least;
}

/*
 * Until @target_mc is passed in the direction of the gate, or no more.
 * @target_mc: NST_TEMP_MIN_MC for as cold as it gets
 */
static int go_to(struct nst_cal *c, enum nst_gate gate, s32 target_mc,
		 u32 most_s)
{
	struct nst_cal_stack *s = &c->shoot.stack;
	u64 end_us;
	int r;

	nst_capture_stop(&c->shoot.camera);
	r = s->now.gate == gate ? 0 : nst_cal_stack_gate(s, gate);
	if (!r)
		r = nst_cal_stack_wait(s, EDGE_US, TICK_US);
	end_us = s->now.now_us + (u64)most_s * 1000000;
	while (!r && s->now.now_us < end_us) {
		char text[80];

		if (gate == NST_GATE_RUN ? now_mc(c) >= target_mc
					 : now_mc(c) <= target_mc)
			return 0;
		if (s->now.gate != gate) {
			/* the top: as hot as it may become */
			if (gate == NST_GATE_RUN)
				return 0;
			return nst_log_err(-EBUSY, "%s: somebody changed the gate",
					   s->dev.info.node);
		}
		if (settled(c))
			return 0;
		if (target_mc == NST_TEMP_MIN_MC)
			snprintf(text, sizeof(text),
				 "cooling, %.1f degC, to the coldest",
				 now_mc(c) / 1e3);
		else
			snprintf(text, sizeof(text), "%s, %.1f degC, to %.0f",
				 gate == NST_GATE_RUN ? "warming" : "cooling",
				 now_mc(c) / 1e3, target_mc / 1e3);
		nst_cal_progress(c->done, c->of, text);
		r = nst_cal_stack_wait(s, 4 * TICK_US, TICK_US);
	}
	return r;
}

/* The first visit of the file tells where rest was. */
static double cold_of(const struct nst_cal *c)
{
	for (u32 i = 0; i < c->state.points; i++)
		if (c->state.point[i].kind == NST_CAL_DARK &&
		    !c->state.point[i].visit)
			return c->state.point[i].temp_mc;
	return NAN;
}

static s32 hot_of(const struct nst_cal *c)
{
	s32 top = c->shoot.stack.top_mc - HOT_BELOW_TOP_MC;

	if (c->args->hot_mc != NST_TEMP_NONE_MC)
		return c->args->hot_mc;
	return top < HOT_MOST_MC ? top : HOT_MOST_MC;
}

static int reach(struct nst_cal *c, u32 visit)
{
	double cold, share;
	s32 target;
	int r = 0;

	if (!visit)
		return go_to(c, NST_GATE_STANDBY, NST_TEMP_MIN_MC, COOL_MAX_S);
	cold = cold_of(c);
	share = (double)visit / (c->args->visits - 1);
	target = (s32)(cold + share * (hot_of(c) - cold));
	/* after a break the sensor may be anywhere */
	if (now_mc(c) > target + ABOVE_MC)
		r = go_to(c, NST_GATE_STANDBY, target - ABOVE_MC, COOL_MAX_S);
	return r ? r : go_to(c, NST_GATE_RUN, target, HEAT_MAX_S);
}

static double black_of(const struct nst_cal *c, u32 gain)
{
	double sum = 0;
	u32 n = 0;

	for (u32 i = 0; i < c->state.points; i++) {
		const struct nst_cal_point *p = &c->state.point[i];

		if (p->kind != NST_CAL_BLACK || p->gain != gain)
			continue;
		sum += p->stat.pair.mean_dn;
		n++;
	}
	return n ? sum / n : 0;
}

static double temp_sd(const struct nst_cal *c, const struct nst_cal_curve *v,
		      double span_mc)
{
	double lsb = c->shoot.stack.lsb_mc, crossed = fabs(span_mc) / lsb;
	double step = lsb / sqrt(12 * (crossed > 1 ? crossed : 1));

	if (!(lsb > 0))
		step = 0;
	return sqrt(step * step + TEMP_FLOOR_MC * TEMP_FLOOR_MC +
		    v->residual_mc * v->residual_mc / v->readings);
}

/* All settings at the temperature there is; -EAGAIN when the gate moved. */
static int try_visit(struct nst_cal *c, u32 visit, struct nst_cal_point *p,
		     u32 *ret_points)
{
	const struct nst_cal_args *args = c->args;
	struct nst_cal_stack *s = &c->shoot.stack;
	u64 gate_us = s->now.gate_since_us, from_us;
	double mid[NST_FIT_GAINS_MAX * NST_CAL_EXPOSURES_MAX], sd;
	struct nst_cal_curve curve;
	u32 n = 0;
	int r = show(c, NST_CAPTURE_DARK);

	from_us = latest_us(gate_us + EDGE_US,
			    s->now.now_us - latest_us(BEFORE_US, 1));
	for (u32 g = 0; !r && g < args->gains; g++) {
		for (u32 e = 0; !r && e < args->exposures; e++, n++) {
			p[n] = (struct nst_cal_point){ .kind = NST_CAL_DARK,
						       .visit = visit };
			r = shoot(c, args->exposure_us[e], g, false,
				  black_of(c, g), &p[n], &mid[n]);
		}
	}
	if (r)
		return r;
	if (s->now.gate_since_us != gate_us)
		return -EAGAIN;
	r = nst_cal_stack_curve(s, from_us, &curve);
	if (r)
		return nst_log_err(r, "%s: too few readings of the temperature",
				   s->dev.info.node);
	sd = temp_sd(c, &curve, nst_cal_curve_at(&curve, mid[n - 1]) -
				nst_cal_curve_at(&curve, (double)from_us));
	for (u32 i = 0; i < n; i++) {
		p[i].temp_mc = nst_cal_curve_at(&curve, mid[i]);
		p[i].temp_sd_mc = sd;
	}
	*ret_points = n;
	return 0;
}

static int block_visit(struct nst_cal *c, u32 visit, struct nst_cal_point *p,
		       u32 *ret_points)
{
	int r = -EAGAIN;

	for (int i = 0; r == -EAGAIN && i < REDO_MAX; i++) {
		r = reach(c, visit);
		if (!r)
			r = try_visit(c, visit, p, ret_points);
	}
	if (r == -EAGAIN)
		return nst_log_err(-EBUSY, "%s: the gate does not stay where it is put: is the ceiling too near?",
				   c->shoot.stack.dev.info.node);
	return r;
}

/* ----------------------------------------------------------------- plan */

static const struct {
	const char *name, *text;
	int (*run)(struct nst_cal *c, u32 i, struct nst_cal_point *p,
		   u32 *ret_points);
	enum nst_cal_only only;
} kinds[] = {
	{ "flat", "flat field", block_flat, NST_CAL_ONLY_FLAT },
	{ "black", "black level", block_black, NST_CAL_ONLY_DARK },
	{ "visit", "dark current", block_visit, NST_CAL_ONLY_DARK },
};

static u32 count_of(const struct nst_cal *c, size_t kind)
{
	return kind == 2 ? c->args->visits : c->args->gains;
}

static int run_block(struct nst_cal *c, size_t kind, u32 i)
{
	struct nst_cal_point p[NST_FIT_GAINS_MAX * NST_CAL_EXPOSURES_MAX +
			       NST_CAL_LEVELS_MAX];
	char name[NST_CAL_NAME_LEN], text[80];
	u32 points = 0;
	int r;

	snprintf(name, sizeof(name), "%s-%" PRIu32, kinds[kind].name, i);
	if (nst_cal_state_has(&c->state, name))
		return 0;
	snprintf(text, sizeof(text), "%s %" PRIu32 " of %" PRIu32,
		 kinds[kind].text, i + 1, count_of(c, kind));
	nst_cal_progress(c->done, c->of, text);
	nst_cal_stack_forget(&c->shoot.stack);
	/* Heat is for visits. */
	r = kind == 2 || c->shoot.stack.now.gate == NST_GATE_STANDBY ? 0 :
		nst_cal_stack_gate(&c->shoot.stack, NST_GATE_STANDBY);
	if (!r)
		r = kinds[kind].run(c, i, p, &points);
	return r ? r : nst_cal_state_add(&c->state, name, p, points);
}

int nst_cal_measure(struct nst_cal *c)
{
	int r = 0;

	c->of = 2 * c->args->gains + c->args->visits;
	for (size_t kind = 0; kind < 3; kind++) {
		if (c->args->only != NST_CAL_ALL &&
		    c->args->only != kinds[kind].only) {
			c->done += count_of(c, kind);
			continue;
		}
		for (u32 i = 0; !r && i < count_of(c, kind); i++) {
			r = run_block(c, kind, i);
			c->done++;
		}
	}
	if (!r)
		nst_cal_progress(c->of, c->of, "done");
	nst_cal_progress_end();
	nst_capture_stop(&c->shoot.camera);
	return r;
}

bool nst_cal_complete(const struct nst_cal *c)
{
	char name[NST_CAL_NAME_LEN];

	for (size_t kind = 0; kind < 3; kind++) {
		for (u32 i = 0; i < count_of(c, kind); i++) {
			snprintf(name, sizeof(name), "%s-%" PRIu32,
				 kinds[kind].name, i);
			if (!nst_cal_state_has(&c->state, name))
				return false;
		}
	}
	return true;
}
