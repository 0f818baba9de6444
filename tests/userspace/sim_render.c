// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_render.c - the pictures of nst-sim, against statistics and closed forms
 *
 * The rendering files of the module are compiled in here as they are, so
 * that the sanitizers see them. With --bench it prints what a pixel costs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emva.h"
#include "exposure.h"
#include "nst-sim-scene.c"
#include "nst-sim-rows.c"
#include "nst-sim-noise.c"

#define W 640
#define H 480
#define N (W * H)
#define FIRST (NST_SIM_DARK_ROWS * W)	/* first pixel that sees light */

static struct nst_sim_pool pool;
static struct nst_sim_render studio;
static struct nst_sim_grid grid;
static struct nst_plant plant;
static s32 dark[NST_SIM_HEIGHT_MAX];
static u16 frame_a[N], frame_b[N];
static u8 frame_8[N];
static double sum1[N], sum2[N];

static const struct nst_sim_sensor sensor = {
	.doubling_mc = 7000, .dark_e_per_s_60c = 244, .read_noise_me = 2700,
	.full_well_e = 7900, .prnu_permyriad = 100, .dsnu_permyriad = 1000,
	.hot_ppm = 1000,
};

static int tests, failures;

static void report(bool ok, const char *name)
{
	printf("%sok %d %s\n", ok ? "" : "not ", ++tests, name);
	failures += !ok;
}

/* @got within @permille of @want; says so when it is not. */
static bool close_to(const char *what, double got, double want,
		     double permille)
{
	if (fabs(got - want) <= fabs(want) * permille / 1000)
		return true;
	printf("# %s: got %g, want %g +- %g permille\n", what, got, want,
	       permille);
	return false;
}

static bool below(const char *what, double got, double limit)
{
	if (fabs(got) <= limit)
		return true;
	printf("# %s: %g is beyond %g\n", what, got, limit);
	return false;
}

static void *need(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		exit(2);
	return p;
}

static u32 card;		/* of the studios that are made */

static void studio_make(struct nst_sim_render *r, u64 seed,
			const struct nst_sim_sensor *s, u32 objects)
{
	const struct nst_sim_scene_params params = {
		.objects = objects, .speed_mpx = 1500,
		.contrast_permille = 100, .card = card,
	};
	s32 *scratch = need(W, sizeof(*scratch));

	memset(r, 0, sizeof(*r));
	r->pool = &pool;
	r->sensor = *s;
	r->width = W;
	r->height = H;
	r->seed = seed;
	r->background = need(N, 1);
	r->prnu = need(N, 1);
	r->dsnu = need(N, 1);
	r->base_q6 = need(N, 2);
	r->hot = need(nst_sim_hot_count(s, W, H) + 1, sizeof(*r->hot));
	nst_sim_scene_init(&r->scene, &params, seed, W, H);
	nst_sim_scene_background(&r->scene, r->background, scratch);
	nst_sim_render_init(r);
	free(scratch);
}

static void studio_end(struct nst_sim_render *r)
{
	free(r->background);
	free(r->prnu);
	free(r->dsnu);
	free(r->base_q6);
	free(r->hot);
}

static void take(struct nst_sim_render *r, u64 seq,
		 const struct nst_sim_setting *s, u16 *to)
{
	struct nst_sim_box box[NST_SIM_OBJECTS_MAX];
	u32 n = nst_sim_scene_boxes(&r->scene, seq, box);

	nst_sim_render_frame(r, seq, s, dark, true, to, 2 * W, box, n);
}

static void dark_level(double electrons, u32 iso)
{
	double level = electrons * nst_sim_gain_q16(&sensor, iso) / 65536;
	u32 y;

	for (y = 0; y < NST_SIM_HEIGHT_MAX; y++)
		dark[y] = (s32)lround(level);
}

/* ---------------------------------------------------------------- pool */

static void test_pool(void)
{
	bool ok = true;
	int p, i;

	for (p = 0; p < 2; p++) {
		double m = 0, v = 0, k = 0;

		for (i = 0; i < (int)NST_SIM_POOL_LEN; i++) {
			double z = pool.v[p][i] - NST_SIM_POOL_BIAS;

			m += z;
			v += z * z;
			k += z * z * z * z;
		}
		m /= NST_SIM_POOL_LEN;
		v /= NST_SIM_POOL_LEN;
		k /= NST_SIM_POOL_LEN;
		ok &= below("mean of the pool", m, 0.5);
		ok &= close_to("deviation", sqrt(v), NST_SIM_POOL_ONE, 1);
		ok &= close_to("fourth moment", k / v / v, 3, 5);
	}
	report(ok, "pool_is_normal");
}

/* ---------------------------------------------------------------- rows */

static struct nst_sim_seg seg_of(const struct nst_plant *p, u64 t, u32 mw)
{
	struct nst_sim_seg s = {
		.t_us = t, .z_q32 = { p->z_q32[0], p->z_q32[1] },
		.power_mw = mw, .ambient_mc = 26400,
	};

	return s;
}

/* Die at 87 degC after a long time in run; what follows is the case. */
static void test_rows_closed_form(void)
{
	static const struct {
		s32 die, package;
		u32 mw, exposure, readout;
	} cases[] = {
		{ 87000, 73250, 100, 32000, 1000 },
		{ 87000, 73250, 100, 64000, 1000 },
		{ 74000, 73250, 2500, 32000, 1000 },
		{ 74000, 73250, 2500, 16000, 16000 },
		{ 87000, 73250, 100, 100, 1000 },
		{ 87000, 73250, 100, 100, 33000 },
		{ 40000, 26400, 5000, 1000000, 0 },
		{ -20000, -20000, 0, 8000, 1000 },
	};
	bool ok = true;
	unsigned int i;
	s32 hot, cold, want;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nst_sim_seg seg;
		struct nst_sim_window w = {
			.start_us = 5000, .exposure_us = cases[i].exposure,
			.readout_us = cases[i].readout, .rows = 480,
			.seg = &seg, .segs = 1,
		};
		u32 last = cases[i].readout * 479 / 480;
		s32 a, b;

		nst_plant_init(&plant, &nst_plant_reference, 26400);
		nst_plant_set_state(&plant, cases[i].die, cases[i].package);
		seg = seg_of(&plant, 5000, cases[i].mw);
		nst_sim_rows(&grid, &plant, &sensor, 1 << 20, &w, dark, &hot,
			     &cold);
		a = nst_exposure_row_mc(&plant, cases[i].mw, 26400, 0,
					cases[i].exposure, 7000);
		b = nst_exposure_row_mc(&plant, cases[i].mw, 26400, last,
					cases[i].exposure, 7000);
		want = a > b ? a : b;
		if (abs(hot - want) > 5 || abs(cold - (a + b - want)) > 5) {
			printf("# case %u: %d %d, want %d %d\n", i, hot, cold,
			       want, a + b - want);
			ok = false;
		}
	}
	report(ok, "rows_match_closed_form");
}

/* Gate edges inside the exposure, against four-microsecond steps. */
static void test_rows_edges(void)
{
	static const u64 at[] = { 0, 4000, 9000, 21000, 21700 };
	static const u32 mw[] = { 2500, 100, 2500, 100, 5000 };
	struct nst_sim_seg seg[5];
	struct nst_sim_window w = {
		.exposure_us = 32000, .readout_us = 1000, .rows = 100,
		.seg = seg, .segs = 5,
	};
	static double rate[33001 + 4], total[33001 + 4];
	double first, last, hot_want, cold_want;
	struct nst_plant p;
	s32 hot, cold;
	u32 i, t;

	nst_plant_init(&p, &nst_plant_reference, 26400);
	nst_plant_set_state(&p, 80000, 73000);
	plant = p;
	for (i = 0, t = 0; t <= 33000; t++) {
		double d = nst_plant_die_mc(&p);

		if (i < 5 && at[i] == t) {
			seg[i] = seg_of(&p, t, mw[i]);
			i++;
		}
		rate[t] = exp2((d - 60000) / 7000);
		total[t] = t ? total[t - 1] + (rate[t] + rate[t - 1]) / 2 : 0;
		nst_plant_step(&p, mw[i - 1], 26400, 1);
	}
	nst_sim_rows(&grid, &plant, &sensor, 1 << 20, &w, dark, &hot, &cold);
	first = total[32000];
	last = total[32990] - total[990];
	hot_want = 60000 + 7000 * log2(fmax(first, last) / 32000);
	cold_want = 60000 + 7000 * log2(fmin(first, last) / 32000);
	/* Rows in between are not hotter: the end is a warming one. */
	report(below("hot", (double)hot - hot_want, 6) &
	       below("cold", (double)cold - cold_want, 6) &
	       close_to("dark level of row 0", dark[0],
			first * 244 / 1e6 * (1 << 20) / 65536, 2),
	       "rows_follow_gate_edges");
}

/* --------------------------------------------------------------- noise */

/* Mean and temporal variance of two frames, without the hot pixels. */
static void pair_stats(double *mean, double *var)
{
	double m = 0, v = 0;
	int i, n = 0;
	u32 hot = 0;

	for (i = FIRST; i < N; i++) {
		double d;

		while (hot < studio.hots && studio.hot[hot].pos < (u32)i)
			hot++;
		if (hot < studio.hots && studio.hot[hot].pos == (u32)i)
			continue;
		d = frame_a[i] - frame_b[i];
		m += frame_a[i] + frame_b[i];
		v += d * d;
		n++;
	}
	*mean = m / n / 2;
	*var = v / n / 2;
}

/* Variance of rounding a normal deviate of @sd around a whole number. */
static double rounded_var(double sd)
{
	double v = 0;
	int i;

	for (i = 1; i < 200; i++)
		v += i * i * (erfc((i - .5) / sd / M_SQRT2) -
			      erfc((i + .5) / sd / M_SQRT2));
	return v;
}

static void test_moments(void)
{
	static const struct {
		u32 iso;
		double light;	/* share of the office's */
		double dark_e;
		u8 pattern;
	} cases[] = {
		{ 100, 1, 0, NST_SIM_PATTERN_FLAT },
		{ 100, 4, 0, NST_SIM_PATTERN_FLAT },
		{ 400, .5, 0, NST_SIM_PATTERN_FLAT },
		{ 400, .5, 300, NST_SIM_PATTERN_FLAT },
		{ 800, .1, 0, NST_SIM_PATTERN_FLAT },
		{ 800, 1, 8, NST_SIM_PATTERN_DARK },
		{ 800, 1, 400, NST_SIM_PATTERN_DARK },
		{ 6400, .02, 3, NST_SIM_PATTERN_FLAT },
		{ 100, 1, 0, NST_SIM_PATTERN_DARK },
		{ 6400, 1, 0, NST_SIM_PATTERN_DARK },
	};
	bool ok = true;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nst_sim_setting s = {
			.exposure_us = 32000, .iso = cases[i].iso,
			.light_mlx = (u32)(320000 * cases[i].light),
			.pattern = cases[i].pattern,
		};
		/* DN an electron; white in the office holds 70 % at ISO 400. */
		double k = 959.0 * cases[i].iso / 100 / 7900;
		double e = cases[i].dark_e, mean, var, want;
		char name[32];

		if (cases[i].pattern == NST_SIM_PATTERN_FLAT)
			e += .7 * 7900 / 4 * cases[i].light;
		dark_level(cases[i].dark_e, cases[i].iso);
		take(&studio, 100 + i, &s, frame_a);
		take(&studio, 200 + i, &s, frame_b);
		pair_stats(&mean, &var);
		snprintf(name, sizeof(name), "case %u mean", i);
		/* A tenth of a level is what the maps' own mean may be. */
		ok &= below(name, mean - 64 - k * e, .1 + .002 * k * e);
		want = k * k * (e + 2.7 * 2.7);
		/* Levels are spread over a step, or all at the black one. */
		want = e > 0 ? want + 1 / 12. : rounded_var(sqrt(want));
		snprintf(name, sizeof(name), "case %u variance", i);
		ok &= close_to(name, var, want, 20);
	}
	report(ok, "mean_and_variance");
}

static double correlation(const u16 *a, const u16 *b, int n, double ma,
			  double mb)
{
	double ab = 0, aa = 0, bb = 0;
	int i;

	for (i = 0; i < n; i++) {
		ab += (a[i] - ma) * (b[i] - mb);
		aa += (a[i] - ma) * (a[i] - ma);
		bb += (b[i] - mb) * (b[i] - mb);
	}
	return ab / sqrt(aa * bb);
}

static double mean_of(const u16 *v, int n)
{
	double m = 0;
	int i;

	for (i = 0; i < n; i++)
		m += v[i];
	return m / n;
}

/* No fixed pattern: whatever two pixels have in common is a flaw. */
static void test_independence(void)
{
	struct nst_sim_sensor plain = sensor;
	struct nst_sim_setting s = {
		.exposure_us = 32000, .iso = 800, .auto_iris = true,
		.pattern = NST_SIM_PATTERN_FLAT,
	};
	struct nst_sim_render r;
	double worst = 0, m;
	bool ok = true;
	int i, lag, strong = 0;

	plain.prnu_permyriad = 0;
	plain.dsnu_permyriad = 0;
	plain.hot_ppm = 0;
	studio_make(&r, 5, &plain, 0);
	dark_level(0, 800);
	take(&r, 1, &s, frame_a);
	take(&r, 2, &s, frame_b);
	m = mean_of(frame_a + FIRST, N - FIRST);
	ok &= below("frame to frame",
		    correlation(frame_a + FIRST, frame_b + FIRST, N - FIRST, m,
				m), .01);
	for (lag = 1; lag <= 4; lag++)
		ok &= below("along the row",
			    correlation(frame_a + FIRST, frame_a + FIRST + lag,
					N - FIRST - lag, m, m), .01);
	for (lag = 1; lag <= 4; lag++)
		ok &= below("down the column",
			    correlation(frame_a + FIRST,
					frame_a + FIRST + lag * W,
					N - FIRST - lag * W, m, m), .01);
	/* Neighbouring rows one by one: stretches that happen to meet. */
	for (i = NST_SIM_DARK_ROWS; i < H - 1; i++) {
		double c = correlation(frame_a + i * W, frame_a + i * W + W, W,
				       m, m);

		if (fabs(c) > worst)
			worst = fabs(c);
		strong += fabs(c) > .2;
	}
	if (strong > 1) {
		printf("# %d neighbouring rows resemble, worst %.2f\n",
		       strong, worst);
		ok = false;
	}
	/* A pixel over time: as many frames as a background model learns. */
	memset(sum1, 0, sizeof(sum1));
	memset(sum2, 0, sizeof(sum2));
	for (i = 0; i < 64; i++) {
		int x;

		take(&r, 1000 + (u64)i, &s, frame_a);
		for (x = FIRST; x < N; x++) {
			sum1[x] += frame_a[x];
			sum2[x] += (double)frame_a[x] * frame_a[x];
		}
	}
	m = 0;
	for (i = FIRST; i < N; i++)
		m += (sum2[i] - sum1[i] * sum1[i] / 64) / 63;
	m /= N - FIRST;
	worst = 959.0 * 8 / 7900;	/* DN an electron */
	ok &= close_to("variance over time", m,
		       worst * worst * (.7 * 7900 / 8 + 7.29) + 1 / 12., 10);
	studio_end(&r);
	report(ok, "noise_is_independent");
}

static void test_fixed_patterns(void)
{
	struct nst_sim_setting s = {
		.exposure_us = 32000, .iso = 100, .auto_iris = true,
		.pattern = NST_SIM_PATTERN_FLAT,
	};
	double k = 959.0 / 7900, m = 0, v = 0;
	int i, j, n = 0, hots = 0, frames = 100;
	bool ok = true;

	dark_level(0, 100);
	memset(sum1, 0, sizeof(sum1));
	for (i = 0; i < frames; i++) {
		take(&studio, 300 + (u64)i, &s, frame_a);
		for (j = FIRST; j < N; j++)
			sum1[j] += frame_a[j];
	}
	for (i = FIRST; i < N; i++)
		m += sum1[i] / frames / (N - FIRST);
	for (i = FIRST; i < N; i++)
		v += pow(sum1[i] / frames - m, 2) / (N - FIRST);
	v -= (k * (m - 64) + k * k * 7.29 + 1 / 12.) / frames;
	ok &= close_to("PRNU", sqrt(v) / (m - 64), .01, 30);

	s.pattern = NST_SIM_PATTERN_DARK;
	s.iso = 800;
	k *= 8;
	dark_level(300, 800);
	memset(sum1, 0, sizeof(sum1));
	for (i = 0; i < frames; i++) {
		take(&studio, 500 + (u64)i, &s, frame_a);
		for (j = 0; j < N; j++)
			sum1[j] += frame_a[j];
	}
	m = 0;
	v = 0;
	for (i = 0; i < N; i++) {
		/* Three times the dark level is no normal pixel. */
		if (sum1[i] / frames - 64 > 3 * 300 * k) {
			hots++;
			continue;
		}
		m += sum1[i] / frames;
		v += sum1[i] / frames * sum1[i] / frames;
		n++;
	}
	m /= n;
	v = v / n - m * m - (k * (m - 64) + k * k * 7.29) / frames;
	ok &= close_to("DSNU", sqrt(v) / (m - 64), .1, 30);
	/* Saturation hides no hot pixel, the tail's lower end does. */
	ok &= close_to("hot pixels", hots, N / 1000., 60);
	report(ok, "fixed_patterns");
}

static void test_limits(void)
{
	struct nst_sim_setting s = {
		.exposure_us = 1000000, .iso = 6400, .light_mlx = 2000000000,
		.pattern = NST_SIM_PATTERN_FLAT,
	};
	bool white = true, ok = true, saturated = true;
	int i;

	dark_level(0, 800);
	take(&studio, 1, &s, frame_a);
	for (i = FIRST; i < N; i++)
		white &= frame_a[i] == 1023;
	s.pattern = NST_SIM_PATTERN_DARK;
	for (i = 0; i < H; i++)
		dark[i] = 2 * 65536;
	take(&studio, 2, &s, frame_a);
	for (i = 0; i < N; i++)
		saturated &= frame_a[i] == 1023;
	/* Eight bits are the ten without the last two. */
	s.pattern = NST_SIM_PATTERN_SCENE;
	s.auto_iris = true;
	s.iso = 800;
	dark_level(60, 800);
	take(&studio, 3, &s, frame_a);
	{
		struct nst_sim_box box[NST_SIM_OBJECTS_MAX];
		u32 n = nst_sim_scene_boxes(&studio.scene, 3, box);

		nst_sim_render_frame(&studio, 3, &s, dark, false, frame_8, W,
				     box, n);
	}
	for (i = 0; i < N; i++)
		ok &= frame_8[i] == frame_a[i] >> 2;
	if (!white)
		printf("# light does not saturate\n");
	if (!saturated)
		printf("# dark charge does not saturate\n");
	report(white & saturated & ok, "saturation_and_eight_bits");
}

/* A frame depends on nothing that was rendered before it. */
static void test_purity(void)
{
	struct nst_sim_setting s = {
		.exposure_us = 64000, .iso = 800, .auto_iris = true,
	};
	struct nst_sim_setting other = s;
	struct nst_sim_render r;
	bool ok;

	dark_level(100, 800);
	take(&studio, 77, &s, frame_a);
	other.iso = 100;
	take(&studio, 78, &other, frame_b);
	other.pattern = NST_SIM_PATTERN_FLAT;
	take(&studio, 79, &other, frame_b);
	take(&studio, 77, &s, frame_b);
	ok = !memcmp(frame_a, frame_b, sizeof(frame_a));
	studio_make(&r, studio.seed, &sensor, 4);
	take(&r, 77, &s, frame_b);
	ok &= !memcmp(frame_a, frame_b, sizeof(frame_a));
	studio_end(&r);
	studio_make(&r, studio.seed + 1, &sensor, 4);
	take(&r, 77, &s, frame_b);
	ok &= !!memcmp(frame_a, frame_b, sizeof(frame_a));
	studio_end(&r);
	report(ok, "frame_is_a_function_of_seed_and_sequence");
}

/* The box of what differs in a lane between the two pictures. */
static void differing_box(const struct nst_sim_object *lane,
			  struct nst_sim_box *ret)
{
	u32 x0 = W, x1 = 0, y0 = H, y1 = 0, x, y;

	for (y = lane->lane_y; y < (u32)lane->lane_y + lane->lane_h; y++) {
		for (x = 0; x < W; x++) {
			/* half of 10 % of white */
			if (abs(frame_a[y * W + x] - frame_b[y * W + x]) < 33)
				continue;
			x0 = x < x0 ? x : x0;
			x1 = x > x1 ? x : x1;
			y0 = y < y0 ? y : y0;
			y1 = y > y1 ? y : y1;
		}
	}
	ret->x = (u16)x0;
	ret->y = (u16)y0;
	ret->w = (u16)(x1 + 1 - x0);
	ret->h = (u16)(y1 + 1 - y0);
}

/* The boxes of the truth are those of the pixels that differ. */
static void test_boxes(void)
{
	struct nst_sim_setting s = {
		.exposure_us = 16000, .iso = 100, .auto_iris = true,
	};
	struct nst_sim_render with, without;
	struct nst_sim_box box[NST_SIM_OBJECTS_MAX], last[NST_SIM_OBJECTS_MAX];
	bool ok = true, moved = false;
	struct nst_sim_box seen;
	u32 objects, n, o;
	u64 seq;

	dark_level(0, 100);
	for (objects = 1; objects <= 8; objects++) {
		studio_make(&with, 9 + objects, &sensor, objects);
		studio_make(&without, 9 + objects, &sensor, 0);
		for (seq = 1; seq < 2000; seq += 400) {
			take(&with, seq, &s, frame_a);
			take(&without, seq, &s, frame_b);
			n = nst_sim_scene_boxes(&with.scene, seq, box);
			ok &= n == objects;
			for (o = 0; o < n; o++) {
				differing_box(&with.scene.object[o], &seen);
				if (memcmp(&seen, &box[o], sizeof(seen))) {
					printf("# object %u of %u at %u,%u,%u,%u\n",
					       o, objects, seen.x, seen.y,
					       seen.w, seen.h);
					ok = false;
				}
				moved |= seq > 1 && last[o].x != box[o].x;
			}
			memcpy(last, box, sizeof(last));
		}
		studio_end(&with);
		studio_end(&without);
	}
	report(ok & moved, "boxes_are_those_of_the_pixels");
}

/* The card is even, stands below the dark rows, and nothing crosses it. */
static void test_card(void)
{
	struct nst_sim_box box[NST_SIM_OBJECTS_MAX];
	struct nst_sim_render r;
	u32 i, n, x, y, least = W, same = 0;
	bool ok = true;
	u64 seq;

	card = 1;
	studio_make(&r, 3, &sensor, 8);
	card = 0;
	for (y = NST_SIM_DARK_ROWS; y < NST_SIM_DARK_ROWS + NST_SIM_CARD; y++)
		for (x = 0; x < NST_SIM_CARD; x++)
			ok &= r.background[y * W + x] ==
			      r.background[NST_SIM_DARK_ROWS * W];
	/* Beside and below it the wall is as it was. */
	for (i = 0; i < N; i++) {
		bool on_card = i % W < NST_SIM_CARD &&
			       i / W >= NST_SIM_DARK_ROWS &&
			       i / W < NST_SIM_DARK_ROWS + NST_SIM_CARD;

		ok &= on_card || r.background[i] == studio.background[i];
		same += on_card && r.background[i] == studio.background[i];
	}
	ok &= same < NST_SIM_CARD * NST_SIM_CARD / 2;
	for (seq = 0; seq < 20000; seq += 7) {
		n = nst_sim_scene_boxes(&r.scene, seq, box);
		for (i = 0; i < n; i++) {
			ok &= box[i].x >= NST_SIM_CARD &&
			      box[i].x + box[i].w <= W;
			least = box[i].x < least ? box[i].x : least;
		}
	}
	report(ok && least < NST_SIM_CARD + 3, "card_is_even_and_free");
	studio_end(&r);
}

/* --------------------------------------------------------------- bench */

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void bench(void)
{
	struct nst_sim_setting s = {
		.exposure_us = 64000, .iso = 800, .auto_iris = true,
	};
	struct nst_sim_box box[NST_SIM_OBJECTS_MAX];
	double t;
	u32 n;
	int i;

	dark_level(60, 800);
	take(&studio, 1, &s, frame_a);
	t = seconds();
	for (i = 0; i < 200; i++)
		take(&studio, (u64)i, &s, frame_a);
	t = (seconds() - t) / 200;
	printf("# Y10: %.3f ms a VGA frame, %.2f ns a pixel\n", 1e3 * t,
	       1e9 * t / N);
	t = seconds();
	for (i = 0; i < 200; i++) {
		n = nst_sim_scene_boxes(&studio.scene, (u64)i, box);
		nst_sim_render_frame(&studio, (u64)i, &s, dark, false, frame_8,
				     W, box, n);
	}
	t = (seconds() - t) / 200;
	printf("# GREY: %.3f ms a VGA frame, %.2f ns a pixel\n", 1e3 * t,
	       1e9 * t / N);
}

/* Total SNR of one flat picture, signal over all noise in it, in dB. */
static double picture_snr_db(u64 seq, double temp_mc, u32 exposure_us, u32 iso,
			     double electrons)
{
	/* white in the office, 32 ms, holds 70 % at ISO 400 */
	double office = .7 * 7900 / 4 * exposure_us / 32000;
	struct nst_sim_setting s = {
		.exposure_us = exposure_us, .iso = iso,
		.light_mlx = (u32)lround(320000 * electrons / office),
		.pattern = NST_SIM_PATTERN_FLAT,
	};
	double mean = 0, square = 0, black = 0;
	int i;

	dark_level(nst_emva_dark_e(&nst_emva_reference, temp_mc, exposure_us),
		   iso);
	take(&studio, seq, &s, frame_a);
	s.pattern = NST_SIM_PATTERN_DARK;
	take(&studio, seq + 1, &s, frame_b);
	for (i = FIRST; i < N; i++) {
		mean += frame_a[i];
		square += (double)frame_a[i] * frame_a[i];
		black += frame_b[i];
	}
	mean /= N - FIRST;
	black /= N - FIRST;
	square /= N - FIRST;
	return 20 * log10((mean - black) / sqrt(square - mean * mean));
}

/* Hot pixels included, of which the model sees a little more than there is. */
static void test_emva(void)
{
	static const struct {
		s32 temp_mc;
		u32 exposure_us, iso;
		double share;	/* of the range */
		double slack_db;
	} cases[] = {
		{ 30000, 32000, 400, .35, .1 },
		{ 30000, 32000, 100, .35, .1 },
		{ 85000, 32000, 400, .35, .6 },
		{ 78000, 64000, 800, .42, .6 },
		{ 100000, 16000, 100, .35, .6 },
		{ 20000, 8000, 3200, .28, .1 },
	};
	const struct nst_emva *m = &nst_emva_reference;
	bool ok = true;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double e = nst_emva_capacity_e(m, cases[i].iso) *
			   cases[i].share;
		double got = picture_snr_db(900 + 2 * i, cases[i].temp_mc,
					    cases[i].exposure_us,
					    cases[i].iso, e);
		double want = nst_emva_snr_db(m, cases[i].temp_mc,
					      cases[i].exposure_us,
					      cases[i].iso, e);

		printf("# case %u: %.2f dB, model %.2f dB\n", i, got, want);
		if (want > got + .1 || want < got - cases[i].slack_db) {
			printf("# case %u is off\n", i);
			ok = false;
		}
	}
	report(ok, "total_snr_of_the_emva_model");
}

/* At the highest temperature that emva gives for a demand it is there. */
static void test_demands(void)
{
	static const struct {
		u32 exposure_us, iso;
	} lights[] = { { 64000, 800 }, { 32000, 400 }, { 16000, 100 },
		       { 8000, 3200 } };
	const struct nst_emva *m = &nst_emva_reference;
	unsigned int i, possible = 0;
	bool ok = true;
	double db, got;

	for (i = 0; i < sizeof(lights) / sizeof(lights[0]); i++) {
		double e = nst_emva_capacity_e(m, lights[i].iso) / 2;

		for (db = 14; db < 34; db += 2) {
			s32 mc;

			if (nst_emva_temp_max_mc(m, db, lights[i].exposure_us,
						 lights[i].iso, e, &mc))
				continue;
			got = picture_snr_db(1000 + 100 * i + 2 * possible++,
					     mc, lights[i].exposure_us,
					     lights[i].iso, e);
			if (got >= db - .05)
				continue;
			printf("# %u us ISO %u, %g dB at %d mC: %.2f dB\n",
			       lights[i].exposure_us, lights[i].iso, db, mc,
			       got);
			ok = false;
		}
	}
	report(ok && possible > 20, "demands_are_met_at_their_temperature");
}

/* ------------------------------------------------- clean and noiseless */

static void test_noiseless(void)
{
	struct nst_sim_setting s = {
		.exposure_us = 32000, .iso = 400, .auto_iris = true,
	};
	struct nst_sim_render r;
	bool ok = true;
	u32 i;

	studio_make(&r, 9, &sensor, 0);
	r.noiseless = true;
	dark_level(0, 400);
	take(&r, 1, &s, frame_a);
	dark_level(3000, 400);
	take(&r, 77, &s, frame_b);
	ok &= !memcmp(frame_a, frame_b, sizeof(frame_a));
	for (i = 0; i < N; i++) {
		/* black plus 70 % of the span, times the reflectance */
		double want = i < FIRST ? 64 : 64 + .7 * 959 *
			      r.background[i] / 255;

		ok &= fabs(frame_a[i] - want) <= .51;
	}
	report(ok, "without_noise_a_frame_is_its_scene");
	studio_end(&r);
}

static void test_clean(void)
{
	static u16 level[4 * N];
	struct nst_sim_clean clean = { .level = level, .width = W,
				       .height = H };
	struct nst_sim_setting s = {
		.exposure_us = 32000, .iso = 400, .auto_iris = true,
	};
	struct nst_sim_render r;
	bool ok = true;
	u32 i;

	studio_make(&r, 9, &sensor, 4);
	dark_level(200, 400);
	s.pattern = NST_SIM_PATTERN_FLAT;
	take(&r, 5, &s, frame_a);
	s.pattern = NST_SIM_PATTERN_SCENE;
	for (i = 0; i < 4 * N; i++)
		level[i] = 65535;
	r.clean = &clean;
	take(&r, 5, &s, frame_b);
	ok &= !memcmp(frame_a, frame_b, sizeof(frame_a));
	/* Of any size: the same, and nothing read beyond its end. */
	clean.width = 16;
	clean.height = 16;
	clean.level = level + 4 * N - 16 * 16;
	take(&r, 5, &s, frame_b);
	ok &= !memcmp(frame_a, frame_b, sizeof(frame_a));
	clean.width = 2 * W;
	clean.height = 2 * H;
	clean.level = level;
	take(&r, 5, &s, frame_b);
	ok &= !memcmp(frame_a, frame_b, sizeof(frame_a));
	report(ok, "a_white_picture_is_a_flat_field");

	/* Patterns are those of the camera, whatever it is shown. */
	s.pattern = NST_SIM_PATTERN_DARK;
	take(&r, 6, &s, frame_a);
	r.clean = NULL;
	take(&r, 6, &s, frame_b);
	report(!memcmp(frame_a, frame_b, sizeof(frame_a)),
	       "a_lens_cap_hides_it");
	studio_end(&r);
}

int main(int argc, char **argv)
{
	printf("KTAP version 1\n1..15\n");
	nst_sim_pool_init(&pool);
	nst_plant_init(&plant, &nst_plant_reference, 26400);
	studio_make(&studio, 3, &sensor, 4);

	test_pool();
	test_rows_closed_form();
	test_rows_edges();
	test_moments();
	test_independence();
	test_fixed_patterns();
	test_limits();
	test_purity();
	test_boxes();
	test_card();
	test_emva();
	test_demands();
	test_noiseless();
	test_clean();
	if (argc > 1 && !strcmp(argv[1], "--bench"))
		bench();

	studio_end(&studio);
	return failures != 0;
}
