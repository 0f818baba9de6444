// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_identify_boards.c - real boards under load: the last third of a run from
 * the first two
 *
 * Of 20 runs load and temperature are known, power and surroundings are not.
 * Nobody made these boards as two nodes; they have fans that start and clocks
 * that are lowered. Noise, wandering, time constant and rise are guessed, each
 * guess with the weight that the first two thirds give it. What such a
 * prediction states of its own error is too little for boards like these, by
 * a factor that the other 19 runs tell: with it, the statement has to hold.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "identify.h"
#include "ktap.h"

#define POINTS_MAX 128
#define RUNS_MAX 24
#define BOARD_TOLERANCE 0.5
/* Nobody knows the watts, and only their products with the resistances count. */
#define IDLE_W 0.1
#define FULL_W 0.5
/* Of what load says of power. */
#define LOAD_SD 0.25
#define AMBIENT_C 25.0
#define AMBIENT_SD_C 15.0

struct point {
	double t_s, temp_c, power_w;
};

struct run {
	char id[16];
	struct point p[POINTS_MAX];
	int n;
	int ahead;		/* readings of the last third */
	double off[POINTS_MAX];	/* of the prediction, and what it says */
	double sd[POINTS_MAX];
};

static const double noises_c[] = { 0.1, 0.2, 0.4, 0.8, 1.6 };
static const double wanders_c[] = { 0.01, 0.03, 0.1, 0.2, 0.4 };
static const double taus_s[] = { 15, 40, 100, 250 };
/* From idle to full load. */
static const double rises_c[] = { 6, 15, 40 };

#define GUESSES (5 * 5 * 4 * 3)

static struct run runs[RUNS_MAX];
static int run_count;

/* Columns result_id,t_s,cpu_percent,temp_C; a run's rows are together. */
static int load(void)
{
	const char *top = getenv("NST_TOP");
	char path[512], line[512];
	FILE *f;

	snprintf(path, sizeof(path),
		 "%s/tests/userspace/thermal-step/sbcbench-load.csv",
		 top ? top : ".");
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		struct run *run = &runs[run_count ? run_count - 1 : 0];
		double t_s, percent, temp_c;
		char id[16];

		if (sscanf(line, "%15[^,],%lf,%lf,%lf", id, &t_s, &percent,
			   &temp_c) != 4)
			continue;
		if (!run_count || strcmp(run->id, id)) {
			if (run_count == RUNS_MAX)
				break;
			run = &runs[run_count++];
			strcpy(run->id, id);
		}
		if (run->n == POINTS_MAX)
			continue;
		run->p[run->n++] = (struct point){
			t_s, temp_c, IDLE_W + FULL_W * percent / 100
		};
	}
	fclose(f);
	return 0;
}

/* One way that a board might be; what is known of it decides among them. */
struct guess {
	double noise_c, wander_c, tau_s, rise_c;
};

static struct guess guess_of(int i)
{
	struct guess g = {
		.noise_c = noises_c[i % 5],
		.wander_c = wanders_c[i / 5 % 5],
		.tau_s = taus_s[i / 25 % 4],
		.rise_c = rises_c[i / 100],
	};

	return g;
}

static void begin(struct nst_identify *id, const struct guess *g)
{
	/* a third of the rise is there at once */
	double r_pa = g->rise_c / FULL_W * 2 / 3;
	struct nst_identify_config config = {
		.params = { .r_jp_mk_per_w = (u32)(500 * r_pa),
			    .r_pa_mk_per_w = (u32)(1000 * r_pa),
			    .c_j_uj_per_k = 10000,
			    .c_p_uj_per_k = (u32)(g->tau_s / r_pa * 1e6) },
		.near_w = IDLE_W + FULL_W,
		.gated_w = IDLE_W,
		.tolerance = BOARD_TOLERANCE,
		.ambient_c = AMBIENT_C,
		.ambient_sd_c = AMBIENT_SD_C,
		.wander_c = g->wander_c,
	};
	int err = nst_identify_init(id, &config);

	EXPECT(!err, "%d", err);
}

/* Load is of the time since the reading before. */
static void stretch(const struct run *run, int i, double *ret_w, double *ret_s)
{
	*ret_w = run->p[i].power_w;
	*ret_s = run->p[i].t_s - run->p[i - 1].t_s;
}

/*
 * A processor that is busy draws more for one benchmark than for another: what
 * load says of power is right to a quarter or so.
 */
static double load_sd_c(const struct nst_identify *id, const struct guess *g,
			double power_w)
{
	return LOAD_SD * g->rise_c * nst_identify_ratio(id, NST_IDENT_R_PA) *
	       (power_w - IDLE_W) / FULL_W;
}

/* Through the first @n readings; Return: how likely they are. */
static double learn(struct nst_identify *id, const struct run *run, int n,
		    const struct guess *g)
{
	double sum = 0;

	nst_identify_begin(id, run->p[0].power_w);
	nst_identify_reading(id, run->p[0].temp_c, g->noise_c * g->noise_c);
	for (int i = 1; i < n; i++) {
		double w, s, c, sd, own, var, off;

		stretch(run, i, &w, &s);
		nst_identify_ahead(id, &w, &s, 1, &c, &sd);
		own = hypot(g->noise_c, load_sd_c(id, g, w));
		var = sd * sd + own * own;
		off = run->p[i].temp_c - c;
		sum -= 0.5 * (log(var) + off * off / var);
		nst_identify_advance(id, w, s);
		nst_identify_reading(id, run->p[i].temp_c, own * own);
	}
	return id->changes ? -INFINITY : sum;
}

/*
 * Prediction of reading @first on, each guess with the weight that it has from
 * the readings before: mean and standard deviation of all together.
 */
static void predict(const struct run *run, int first, double *ret_c,
		    double *ret_sd_c)
{
	double w[POINTS_MAX], s[POINTS_MAX], c[POINTS_MAX], sd[POINTS_MAX];
	double likely[GUESSES], best = -INFINITY, total = 0;
	int n = run->n - first;

	for (int i = 0; i < n; i++) {
		stretch(run, first + i, &w[i], &s[i]);
		ret_c[i] = 0;
		ret_sd_c[i] = 0;
	}
	for (int pass = 0; pass < 2; pass++) {
		for (int k = 0; k < GUESSES; k++) {
			struct guess g = guess_of(k);
			struct nst_identify id;
			double share;

			if (pass && likely[k] < best - 20)
				continue;
			begin(&id, &g);
			likely[k] = learn(&id, run, first, &g);
			best = fmax(best, likely[k]);
			if (!pass)
				continue;
			share = exp(likely[k] - best);
			total += share;
			nst_identify_ahead(&id, w, s, n, c, sd);
			for (int i = 0; i < n; i++) {
				double own = hypot(g.noise_c,
						   load_sd_c(&id, &g, w[i]));

				ret_c[i] += share * c[i];
				ret_sd_c[i] += share * (c[i] * c[i] +
							sd[i] * sd[i] +
							own * own);
			}
		}
	}
	for (int i = 0; i < n; i++) {
		ret_c[i] /= total;
		ret_sd_c[i] = sqrt(ret_sd_c[i] / total - ret_c[i] * ret_c[i]);
	}
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* 95 % of the errors of all runs but one are within so many deviations. */
static double factor_without(int without)
{
	static double off[RUNS_MAX * POINTS_MAX];
	size_t n = 0;

	for (int k = 0; k < run_count; k++)
		for (int i = 0; k != without && i < runs[k].ahead; i++)
			off[n++] = runs[k].off[i] / runs[k].sd[i];
	qsort(off, n, sizeof(*off), by_size);
	return n ? off[n * 95 / 100] : NAN;
}

static void predict_run(struct run *run)
{
	int first = run->n * 2 / 3;
	double c[POINTS_MAX];

	run->ahead = run->n - first;
	predict(run, first, c, run->sd);
	for (int i = 0; i < run->ahead; i++)
		run->off[i] = fabs(run->p[first + i].temp_c - c[i]);
}

static void last_third(void)
{
	int err = load(), inside = 0, all = 0, closer = 0;

	EXPECT(!err && run_count == 20, "%d runs: %s", run_count,
	       strerror(-err));
	for (int k = 0; k < run_count; k++)
		predict_run(&runs[k]);
	for (int k = 0; k < run_count; k++) {
		const struct run *run = &runs[k];
		double factor = factor_without(k), worst = 0, half = 0;
		double moves = 0, last_c = run->p[run->n - run->ahead - 1].temp_c;
		double sum = 0, still = 0;
		int in = 0;

		for (int i = 0; i < run->ahead; i++) {
			double from_c = fabs(run->p[run->n - run->ahead + i]
						     .temp_c - last_c);

			in += run->off[i] <= factor * run->sd[i];
			worst = fmax(worst, run->off[i]);
			half = fmax(half, factor * run->sd[i]);
			moves = fmax(moves, from_c);
			sum += run->off[i];
			still += from_c;
		}
		printf("# %s: %d of %d within what is stated, +-%.1f K at most; off by %.1f K in the mean, %.1f K at most; the board moves by %.1f K\n",
		       run->id, in, run->ahead, half, sum / run->ahead, worst,
		       moves);
		inside += in;
		all += run->ahead;
		closer += sum < still;
	}
	printf("# %d of %d readings within what is stated; closer than the last reading known in %d of %d runs\n",
	       inside, all, closer, run_count);
	EXPECT(inside >= 0.9 * all && inside <= 0.99 * all, "%d of %d", inside,
	       all);
	EXPECT(closer > run_count / 2, "%d", closer);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "last third of twenty runs", last_third },
	};

	return ktap_main(tests, KTAP_COUNT(tests));
}
