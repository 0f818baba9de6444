// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bench_sim.c - speed of the simulator's integer loop, and of the same work
 * in plain double precision
 *
 * Both loops run the same closed loop frame by frame: predict the coming
 * near frame, decide, settle the fate of the frame exposed before, take the
 * exposure temperature of the next from a table, advance both nodes, keep
 * the same sums. The double loop has nothing that an author in a hurry would
 * not write: two modes, one decay factor each, linear interpolation in the
 * table. It is compiled with the same flags. It has no profile behind it, no
 * captures, sensors or recordings, and takes the exposure of every frame;
 * the simulator leaves out those whose bound stays below the limit. Lines
 * with "limit binds" are of tasks whose continuous limit is where the policy
 * works.
 *
 * The planning policies have the same in doubles: exposures of the coming
 * near frame and of a far one after it, or of the frame before, and the level
 * at which a season pays.
 *
 * The two must agree on what happened, else their speeds say nothing: duty
 * and frames delivered are compared, and the run fails when they differ by
 * more than 0.1 points. Times are CPU time of this thread, the best of three.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "sim.h"
#include "situation.h"

#define FRAMES 30000000u
#define ROUNDS 3
#define WANTED_CHEAPEST 20e6
#define WANTED_DEAREST 5e6
#define WANTED_RATIO 0.2
#define TABLE_STEP_K 0.5
#define TABLE_LEN 257
#define TABLE_POINTS 64

static double cpu_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* ------------------------------------------------------- double loop --- */

struct dplant {
	double tau[2], gain[2];		/* s, K/W in the die */
	double ambient;
	double kept[2];			/* over a frame */
	double z[2];
};

struct dsums {
	unsigned long frames, delivered, dropped, withheld, violations;
	unsigned long switches;
	double near_s, far_s, paused_s, switch_j, max_c;
};

enum dkind { D_BAND, D_STOP, D_PREDICTIVE, D_PREDICTIVE_STOP };

struct dloop {
	enum dkind kind;
	struct dplant plant;
	double period_s, near_w, gated_w, far_w;
	double high_c, low_c, vision_c, die_max_c, switch_j;
	double release_k;	/* slow mode at which a season begins */
	double first[TABLE_LEN], last[TABLE_LEN];
	double first_at_s, last_at_s;
};

/* Exposure over the slow part, by the fast deviation at the frame's start. */
static void table_fill(struct dloop *d, double *table, double from_s,
		       double exposure_s, double doubling_k)
{
	for (int i = 0; i < TABLE_LEN; i++) {
		double dev = (i - TABLE_LEN / 2) * TABLE_STEP_K, sum = 0.0;

		for (int j = 0; j < TABLE_POINTS; j++) {
			double t = from_s +
				   exposure_s * (j + 0.5) / TABLE_POINTS;

			sum += exp2(dev * exp(-t / d->plant.tau[0]) /
				    doubling_k);
		}
		table[i] = doubling_k * log2(sum / TABLE_POINTS);
	}
}

/* The level under the end of a near season that costs least. */
static void release_find(struct dloop *d)
{
	const struct dplant *p = &d->plant;
	double end_k = fmin(d->die_max_c, d->vision_c) - p->ambient -
		       p->gain[0] * d->near_w;
	double warm_k = p->gain[1] * d->near_w - end_k;
	double cool_k = end_k - p->gain[1] * d->gated_w;
	double least_w = d->far_w;

	d->release_k = INFINITY;
	if (warm_k <= 0)
		return;
	d->release_k = -INFINITY;
	for (double k = cool_k * 0.999; k > 0.001; k *= 0.98) {
		double near_s = p->tau[1] * log1p(k / warm_k);
		double far_s = -p->tau[1] * log1p(-k / cool_k);
		double w = (near_s * d->near_w + far_s * d->far_w +
			    2 * d->switch_j) / (near_s + far_s);

		if (w < least_w) {
			least_w = w;
			d->release_k = end_k - k;
		}
	}
}

static void dloop_init(struct dloop *d, const struct nst_situation *sit,
		       const struct nst_profile_sensor *s, enum dkind kind)
{
	double r_jp = s->plant.r_jp_mk_per_w / 1e3;
	double r_pa = s->plant.r_pa_mk_per_w / 1e3;
	double c_j = s->plant.c_j_uj_per_k / 1e6;
	double c_p = s->plant.c_p_uj_per_k / 1e6;
	double a = 1 / (r_jp * c_j), b = 1 / (r_jp * c_p);
	double c = b + 1 / (r_pa * c_p);
	double root = sqrt((a + c) * (a + c) / 4 - a * (c - b));
	double fast = (a + c) / 2 + root, slow = (a + c) / 2 - root;

	memset(d, 0, sizeof(*d));
	d->period_s = sit->policy.frame_period_us / 1e6;
	d->plant.tau[0] = 1 / fast;
	d->plant.tau[1] = 1 / slow;
	d->plant.gain[0] = (1 / c_j - slow * (r_jp + r_pa)) / (fast - slow);
	d->plant.gain[1] = r_jp + r_pa - d->plant.gain[0];
	d->plant.ambient = s->ambient_mc / 1e3;
	for (int i = 0; i < 2; i++)
		d->plant.kept[i] = exp(-d->period_s / d->plant.tau[i]);
	d->near_w = s->near_mw / 1e3;
	d->gated_w = s->capture_mw / 1e3;
	d->far_w = s->far_mw / 1e3;
	d->vision_c = sit->vision_max_mc == NST_TEMP_NONE_MC ?
			      INFINITY :
			      sit->vision_max_mc / 1e3;
	d->high_c = fmin(sit->policy.thr.high_mc / 1e3, d->vision_c);
	d->low_c = sit->policy.thr.low_mc / 1e3;
	d->switch_j = s->switch_us / 1e6 * (d->near_w + d->far_w) +
		      d->period_s * d->near_w;
	d->die_max_c = sit->policy.die_max_mc / 1e3;
	d->kind = kind;
	table_fill(d, d->first, 0, sit->exposure_us / 1e6,
		   s->doubling_mc / 1e3);
	table_fill(d, d->last, sit->policy.readout_us / 1e6,
		   sit->exposure_us / 1e6, s->doubling_mc / 1e3);
	d->first_at_s = sit->exposure_us / 2e6;
	d->last_at_s = d->first_at_s + sit->policy.readout_us / 1e6;
	release_find(d);
}

static double table_at(const double *table, double dev)
{
	double x = dev / TABLE_STEP_K + TABLE_LEN / 2;
	int i;

	if (x < 0)
		x = 0;
	if (x > TABLE_LEN - 2)
		x = TABLE_LEN - 2;
	i = (int)x;
	return table[i] + (table[i + 1] - table[i]) * (x - i);
}

static double dexposure(const struct dloop *d, const double *z, double power_w)
{
	const struct dplant *p = &d->plant;
	double dev0 = z[0] - p->gain[0] * power_w;
	double dev1 = z[1] - p->gain[1] * power_w;
	double base = p->ambient + (p->gain[0] + p->gain[1]) * power_w;
	double first = table_at(d->first, dev0) +
		       dev1 * (1 - d->first_at_s / p->tau[1]);
	double last = table_at(d->last, dev0) +
		      dev1 * (1 - d->last_at_s / p->tau[1]);

	return base + (first > last ? first : last);
}

static double dnear_end(const struct dloop *d, double *end)
{
	const struct dplant *p = &d->plant;
	double sum = p->ambient;

	for (int i = 0; i < 2; i++) {
		double target = p->gain[i] * d->near_w;

		end[i] = target + (p->z[i] - target) * p->kept[i];
		sum += end[i];
	}
	return sum;
}

static int ddecide(const struct dloop *d, int placement, double exposure_c)
{
	const struct dplant *p = &d->plant;
	double die_c = p->ambient + p->z[0] + p->z[1], end[2];
	double end_c = dnear_end(d, end);
	double peak_c = end_c > die_c ? end_c : die_c;

	switch (d->kind) {
	case D_STOP:
		return peak_c <= d->high_c ? NST_NEAR : NST_PAUSED;
	case D_PREDICTIVE_STOP:
		return peak_c <= d->die_max_c && exposure_c <= d->vision_c ?
			       NST_NEAR : NST_PAUSED;
	case D_PREDICTIVE:
		if (peak_c > d->die_max_c ||
		    (peak_c > d->vision_c &&
		     (dexposure(d, p->z, d->near_w) > d->vision_c ||
		      dexposure(d, end, d->gated_w) > d->vision_c)))
			return NST_FAR;
		return placement == NST_NEAR || p->z[1] <= d->release_k ?
			       NST_NEAR : NST_FAR;
	default:
		break;
	}
	if (placement == NST_NEAR)
		return peak_c <= d->high_c ? NST_NEAR : NST_FAR;
	return die_c <= d->low_c && peak_c <= d->high_c ? NST_NEAR : NST_FAR;
}

static void dloop_run(struct dloop *d, unsigned long count,
		      struct dsums *sums)
{
	struct dplant *p = &d->plant;
	int placement = NST_NEAR;
	double exposure_c = -INFINITY;

	memset(sums, 0, sizeof(*sums));
	sums->max_c = -INFINITY;
	for (unsigned long k = 0; k < count; k++) {
		int now = ddecide(d, placement, exposure_c);
		double power_w, die_c;

		sums->frames++;
		if (now == NST_PAUSED) {
			sums->dropped++;
		} else if (exposure_c > d->vision_c) {
			sums->withheld++;
		} else {
			sums->delivered++;
			if (exposure_c > d->vision_c)
				sums->violations++;
		}
		if (now != placement) {
			sums->switches++;
			if (now != NST_PAUSED && placement != NST_PAUSED)
				sums->switch_j += d->switch_j;
		}
		placement = now;
		power_w = now == NST_NEAR ? d->near_w : d->gated_w;
		if (now == NST_NEAR)
			sums->near_s += d->period_s;
		else if (now == NST_FAR)
			sums->far_s += d->period_s;
		else
			sums->paused_s += d->period_s;

		exposure_c = dexposure(d, p->z, power_w);
		for (int i = 0; i < 2; i++) {
			double target = p->gain[i] * power_w;

			p->z[i] = target + (p->z[i] - target) * p->kept[i];
		}
		die_c = p->ambient + p->z[0] + p->z[1];
		if (die_c > sums->max_c)
			sums->max_c = die_c;
	}
}

/* -------------------------------------------------------------- runs --- */

static int differ(const char *what, double a, double b, double tolerance)
{
	if (fabs(a - b) <= tolerance)
		return 0;
	printf("# the loops disagree on %s: %g and %g\n", what, a, b);
	return 1;
}

static int bench(const struct nst_profile *profile, const char *policy,
		 enum dkind kind, const char *what, double wanted)
{
	const unsigned int sensor = 0;
	const struct nst_profile_sensor *s = &profile->sensors[sensor];
	const struct nst_policy_ops *ops = nst_policy_find(policy);
	double mine_s = INFINITY, plain_s = INFINITY, mine, plain;
	struct nst_sim_result result;
	struct nst_sim_options opt = {
		.profile = profile,
		.sensor = sensor,
		.policy = ops,
		.switch_cost = true,
		.seed = 1,
	};
	struct nst_situation sit;
	struct nst_trace trace;
	struct dsums sums;
	struct dloop d;
	int bad = 0;

	if (!ops || nst_trace_light(&trace, &s->light) ||
	    nst_situation_get(&sit, profile, sensor, s->light.exposure_us,
			      s->light.iso))
		return 1;
	opt.trace = &trace;
	opt.duration_us = (u64)FRAMES * sit.policy.frame_period_us;

	for (int round = 0; round < ROUNDS; round++) {
		double t = cpu_s();

		/* Oracle and warm-up are inside, as users get them. */
		if (nst_sim_run(&result, &opt, stdout))
			return 1;
		mine_s = fmin(mine_s, cpu_s() - t);

		dloop_init(&d, &sit, s, kind);
		t = cpu_s();
		dloop_run(&d, FRAMES, &sums);
		plain_s = fmin(plain_s, cpu_s() - t);
	}
	nst_trace_free(&trace);

	bad += differ("duty, percent", nst_sim_duty_permyriad(&result) / 100.0,
		      100.0 * sums.near_s / (FRAMES * d.period_s), 0.1);
	bad += differ("frames delivered, percent",
		      100.0 * (double)result.frames_delivered /
			      (double)result.frames,
		      100.0 * (double)sums.delivered / (double)sums.frames,
		      0.1);
	bad += differ("hottest die, degC", result.max_temp_mc / 1e3,
		      sums.max_c, 0.1);
	mine = FRAMES / mine_s;
	plain = FRAMES / plain_s;
	printf("%-19s %-12s nstctl sim %5.1f M frames/s, "
	       "plain double %5.1f M frames/s, ratio %.2f\n",
	       policy, what, mine / 1e6, plain / 1e6, mine / plain);
	if (mine < wanted || mine / plain < WANTED_RATIO) {
		printf("# wanted: at least %.0f M frames/s and a ratio of %.2f\n",
		       wanted / 1e6, WANTED_RATIO);
		bad++;
	}
	return bad;
}

int main(void)
{
	static const struct {
		const char *file;
		const char *policy;
		enum dkind kind;
		const char *what;
		double wanted;
	} cases[] = {
		{ "reference", "stop-capture-go", D_STOP, "on demand",
		  WANTED_CHEAPEST },
		{ "reference", "seasonal-migration", D_BAND, "on demand",
		  WANTED_DEAREST },
		{ "reference", "predictive", D_PREDICTIVE, "on demand",
		  WANTED_DEAREST },
		{ "reference", "predictive-stop", D_PREDICTIVE_STOP,
		  "on demand", WANTED_DEAREST },
		{ "demo", "seasonal-migration", D_BAND, "limit binds",
		  WANTED_DEAREST },
		{ "demo", "stop-capture-go", D_STOP, "limit binds",
		  WANTED_DEAREST },
		{ "demo", "predictive", D_PREDICTIVE, "limit binds",
		  WANTED_DEAREST },
		{ "demo", "predictive-stop", D_PREDICTIVE_STOP, "limit binds",
		  WANTED_DEAREST },
	};
	int bad = 0;

	for (size_t i = 0; i < NST_ARRAY_SIZE(cases); i++) {
		struct nst_profile profile;
		char path[128];
		int r;

		snprintf(path, sizeof(path), "policies/profiles/%s.yaml",
			 cases[i].file);
		r = nst_profile_load(&profile, path, stderr);
		if (r) {
			fprintf(stderr,
				"bench_sim: %s: %s; it runs in the top folder\n",
				path, strerror(-r));
			return 1;
		}
		bad += bench(&profile, cases[i].policy, cases[i].kind,
			     cases[i].what, cases[i].wanted);
	}
	return bad ? 1 : 0;
}
