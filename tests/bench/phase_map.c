// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * phase_map.c - where the VPU gains by working while the pixels are dark
 *
 * Delivered frames of a VPU that is run in a window of the period only, over
 * those of the best pattern of whole frames (nst_oracle_stop), by exposure,
 * part of the frame that the VPU is busy, limit and shutter. A number is that
 * ratio; "." where neither delivers anything, "=" where both deliver all.
 *
 * The die forgets in 20 ms what the package keeps for a minute, so on the
 * scale of some frames the package is one temperature, set by the mean power.
 * On top of it the die is a lag driven by a periodic, piecewise constant
 * power, whose steady state has a closed form:
 *
 *	u(0) = C / (1 - e^(-L/tau))
 *
 * with L the length of the pattern and C what it adds to a die that begins at
 * 0. All patterns of up to six periods with and without a window are tried,
 * the window at every place in the period; frame n is exposed in period n and
 * processed in period n + 1, whatever the place. Best is a mix of two
 * patterns, as with the oracle, and both are held to the same ceiling.
 *
 * near_mw is the mean over a period, so a VPU that is busy for a quarter of it
 * draws four times as much while it is. From the request it takes gate_exit
 * until the VPU draws power, and gate_enter until it no longer does: the
 * window that heats is busy + gate_enter long. The whole frames that it is
 * compared with are spared both: their power is constant over the frame, as
 * if the VPU could spread its work. One that cannot, and whose gate knows
 * whole frames only, works at the start of every period that runs: that
 * comparison is the last line.
 *
 * Nothing from policies/. Arguments: near W, ambient degC, gate_exit us,
 * gate_enter us.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

#define WORD_MAX 6
#define PLACES 40		/* of a window in the period */
#define ROWS 9
#define ENTRIES_MAX 1024
#define POINTS_MAX 64
#define PACKAGE_CELLS 400

/* The reference stack of the physics reference, section 12.1. */
static const struct nst_oracle_case stack = {
	.r_jp = 5.5, .r_pa = 28.5, .c_j = 0.909 / 1e3, .c_p = 0.7,
	.ambient_c = 26.4, .near_w = 2.5, .gated_w = 0.1, .far_w = 3.9,
	.doubling_k = 7, .die_max_c = 105,
};

/*
 * struct setting - one row of the map
 * @from_s, @to_s: the window that heats, within a period
 */
struct setting {
	struct nst_oracle_case c;
	double heat_s;
	double exit_s;
	double hot_w;		/* while it heats */
	double mean_w;		/* of a period with a window */
	double from_s, to_s;
	bool rolling;
	bool at_start;		/* the window is where the period begins */
};

/* --------------------------------------------------------------- die --- */

static double tau_s(const struct setting *s)
{
	return s->c.r_jp * s->c.c_j;
}

/* Die over package, one period after @u. */
static double period_end_k(const struct setting *s, double u, bool run)
{
	double cool_k = s->c.r_jp * s->c.gated_w;
	double hot_k = s->c.r_jp * s->hot_w, tau = tau_s(s);

	if (!run)
		return cool_k + (u - cool_k) * exp(-s->c.period_s / tau);
	u = cool_k + (u - cool_k) * exp(-s->from_s / tau);
	u = hot_k + (u - hot_k) * exp(-(s->to_s - s->from_s) / tau);
	return cool_k + (u - cool_k) * exp(-(s->c.period_s - s->to_s) / tau);
}

/* Integral of 2^(u/T_d) from @from_s on with the die at @u and target @v. */
static double charge(const struct setting *s, double u, double v, double len_s)
{
	/* Gauss-Legendre, five points */
	static const double at[5] = { 0.0469100770306680, 0.2307653449471585,
				      0.5, 0.7692346550528415,
				      0.9530899229693320 };
	static const double weight[5] = { 0.1184634425280945,
					  0.2393143352496833,
					  0.2844444444444444,
					  0.2393143352496833,
					  0.1184634425280945 };
	int panels = 1 + (int)(2.0 * len_s / tau_s(s));
	double panel_s = len_s / panels, sum = 0.0;

	for (int p = 0; p < panels; p++) {
		for (int i = 0; i < 5; i++) {
			double t = panel_s * (p + at[i]);
			double k = v + (u - v) * exp(-t / tau_s(s));

			sum += weight[i] * panel_s *
			       exp2(k / s->c.doubling_k);
		}
	}
	return sum;
}

/* Exposure of the row that begins @row_s into a period, over the package. */
static double row_k(const struct setting *s, double u, bool run, double row_s)
{
	double cool_k = s->c.r_jp * s->c.gated_w;
	double hot_k = s->c.r_jp * s->hot_w, tau = tau_s(s);
	const double edge_s[4] = { 0.0, run ? s->from_s : s->c.period_s,
				   run ? s->to_s : s->c.period_s,
				   s->c.period_s };
	double end_s = row_s + s->c.exposure_s, sum = 0.0;

	for (int i = 0; i < 3; i++) {
		double v = i == 1 ? hot_k : cool_k;
		double from = fmax(edge_s[i], row_s);
		double to = fmin(edge_s[i + 1], end_s);

		if (to > from)
			sum += charge(s, v + (u - v) *
				      exp(-(from - edge_s[i]) / tau), v,
				      to - from);
		u = v + (u - v) * exp(-(edge_s[i + 1] - edge_s[i]) / tau);
	}
	return s->c.doubling_k * log2(sum / s->c.exposure_s);
}

static double frame_k(const struct setting *s, double u, bool run)
{
	double hottest = row_k(s, u, run, 0.0);

	for (int i = 1; i < ROWS && s->rolling; i++)
		hottest = fmax(hottest, row_k(s, u, run, s->c.readout_s * i /
					      (ROWS - 1)));
	return hottest;
}

/* ----------------------------------------------------------- patterns --- */

/* That many frames of a pattern can be had, with the package that hot. */
struct entry {
	double near_share;
	double delivered;
	double over_k;		/* exposure of the hottest of them */
	double peak_k;		/* of the die */
};

struct table {
	struct entry entry[ENTRIES_MAX];
	int count;
	double place_s;		/* of the window, with all frames run */
	double over_k;
};

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Exposures of the frames that a pattern processes, coldest first. */
static int pattern_solve(const struct setting *s, unsigned int bits, int len,
			 double over_k[WORD_MAX], double *ret_peak_k)
{
	double tau = tau_s(s), u = 0.0, kept = exp(-len * s->c.period_s / tau);
	double start_k[WORD_MAX];
	int runs = 0;

	for (int k = 0; k < len; k++)
		u = period_end_k(s, u, bits >> k & 1);
	u /= 1.0 - kept;
	*ret_peak_k = s->c.r_jp * s->c.gated_w;
	for (int k = 0; k < len; k++) {
		double hot_k = s->c.r_jp * s->hot_w;
		double cool_k = s->c.r_jp * s->c.gated_w, peak;

		start_k[k] = u;
		if (bits >> k & 1) {
			peak = cool_k + (u - cool_k) * exp(-s->from_s / tau);
			peak = hot_k + (peak - hot_k) *
			       exp(-(s->to_s - s->from_s) / tau);
			*ret_peak_k = fmax(*ret_peak_k, peak);
		}
		u = period_end_k(s, u, bits >> k & 1);
	}
	for (int k = 0; k < len; k++) {
		int before = (k + len - 1) % len;

		if (bits >> k & 1)
			over_k[runs++] = frame_k(s, start_k[before],
						 bits >> before & 1);
	}
	qsort(over_k, (size_t)runs, sizeof(*over_k), by_size);
	return runs;
}

/* A rotation of a smaller number is the same pattern. */
static bool is_first_rotation(unsigned int bits, int len)
{
	for (int i = 1; i < len; i++) {
		unsigned int turned = (bits >> i | bits << (len - i)) &
				      ((1u << len) - 1);

		if (turned < bits)
			return false;
	}
	return true;
}

static void pattern_enter(struct setting *s, unsigned int bits, int len,
			  struct table *t)
{
	double last_s = s->c.period_s - s->heat_s, best_k[WORD_MAX], peak_k;
	double after_s = s->c.exposure_s + (s->rolling ? s->c.readout_s : 0.0);
	int runs = 0;

	for (int i = 0; i < WORD_MAX; i++)
		best_k[i] = INFINITY;
	for (int place = 0; place <= PLACES; place++) {
		double over_k[WORD_MAX];

		if (place && (s->at_start || last_s <= s->exit_s))
			break;
		s->from_s = s->exit_s + (last_s - s->exit_s) * place /
			    (PLACES - 1);
		/* and once where the last row is done */
		if (place == PLACES)
			s->from_s = fmin(fmax(after_s, s->exit_s), last_s);
		s->to_s = s->from_s + s->heat_s;
		runs = pattern_solve(s, bits, len, over_k, &peak_k);
		for (int i = 0; i < runs; i++) {
			if (over_k[i] >= best_k[i])
				continue;
			best_k[i] = over_k[i];
			if (len == 1) {
				t->place_s = s->from_s;
				t->over_k = over_k[i];
			}
		}
	}
	for (int i = 0; i < runs && t->count < ENTRIES_MAX; i++)
		t->entry[t->count++] = (struct entry){
			.near_share = (double)runs / len,
			.delivered = (i + 1.0) / len,
			.over_k = best_k[i],
			.peak_k = peak_k,
		};
}

static void table_set(struct setting *s, struct table *t)
{
	memset(t, 0, sizeof(*t));
	for (int len = 1; len <= WORD_MAX; len++) {
		for (unsigned int bits = 1; bits < 1u << len; bits++) {
			if (is_first_rotation(bits, len))
				pattern_enter(s, bits, len, t);
		}
	}
}

/* --------------------------------------------------------------- best --- */

struct point {
	double x, y;
};

static int points_at(const struct setting *s, const struct table *t,
		     double package_c, struct point points[POINTS_MAX])
{
	int n = 1;

	points[0] = (struct point){ 0.0, 0.0 };
	for (int i = 0; i < t->count; i++) {
		const struct entry *e = &t->entry[i];
		int j;

		if (package_c + e->over_k > s->c.exposure_max_c ||
		    package_c + e->peak_k > s->c.die_max_c)
			continue;
		for (j = 1; j < n; j++) {
			if (fabs(points[j].x - e->near_share) < 1e-9)
				break;
		}
		if (j == POINTS_MAX)
			continue;
		if (j == n)
			points[n++] = (struct point){ e->near_share, 0.0 };
		points[j].y = fmax(points[j].y, e->delivered);
	}
	return n;
}

static double best_at(const struct setting *s, const struct table *t,
		      double package_c)
{
	double most = ((package_c - s->c.ambient_c) / s->c.r_pa -
		       s->c.gated_w) / (s->mean_w - s->c.gated_w);
	struct point points[POINTS_MAX];
	int n = points_at(s, t, package_c, points);
	double best = 0.0;

	for (int i = 0; i < n; i++) {
		const struct point *a = &points[i];

		if (a->x > most)
			continue;
		best = fmax(best, a->y);
		for (int j = 0; j < n; j++) {
			const struct point *b = &points[j];

			if (b->x > most)
				best = fmax(best, a->y + (b->y - a->y) *
					    (most - a->x) / (b->x - a->x));
		}
	}
	return best;
}

static double delivered_share(const struct setting *s, const struct table *t)
{
	double low_c = s->c.ambient_c + s->c.r_pa * s->c.gated_w;
	double cell_c = s->c.r_pa * (s->mean_w - s->c.gated_w) /
			PACKAGE_CELLS;
	double best = 0.0, at_c = low_c;

	for (int i = 0; i <= PACKAGE_CELLS; i++) {
		double share = best_at(s, t, low_c + cell_c * i);

		if (share > best) {
			best = share;
			at_c = low_c + cell_c * i;
		}
	}
	for (int i = -100; i <= 100; i++)
		best = fmax(best, best_at(s, t, at_c + cell_c * i / 100.0));
	return best;
}

/* ---------------------------------------------------------------- map --- */

static const double limits_c[] = { 50, 55, 60, 65, 70, 75,
				   80, 85, 90, 95, 100, 105 };
static const double exposures_ms[] = { 1, 2, 4, 8, 16, 32, 64 };
static const double busy_parts[] = { 0.25, 0.5, 1 };

#define LIMITS (sizeof(limits_c) / sizeof(*limits_c))
#define EXPOSURES (sizeof(exposures_ms) / sizeof(*exposures_ms))
#define BUSY_PARTS (sizeof(busy_parts) / sizeof(*busy_parts))

/* Read-outs of IMX500, 4056x3040 and binned; physics reference, section 11. */
static const struct shutter {
	const char *name;
	bool rolling;
	double readout_s;
} shutters[] = {
	{ "global shutter", false, 0.0055 },
	{ "rolling shutter, read-out 5.5 ms", true, 0.0055 },
	{ "rolling shutter, read-out 16.5 ms", true, 0.0165 },
};

#define SHUTTERS (sizeof(shutters) / sizeof(*shutters))

struct counts {
	int wins, ties, losses;
	int quarter, quarter_wins;	/* exposures of a quarter at most */
	int same_wins, same_losses;	/* over the same VPU at the start */
	double same_most;
};

/* The best whole frames; they do not depend on how long the VPU is busy. */
static double whole_frames(struct nst_oracle *o,
			   const struct nst_oracle_case *c, bool rolling)
{
	struct nst_oracle_case whole = *c;
	struct nst_oracle_result best;

	if (!rolling)
		whole.readout_s = 0.0;
	return nst_oracle_stop(o, &whole, &best) ? best.delivered_share : 0.0;
}

static void print_cell(double ours, double theirs, bool quarter,
		       struct counts *counts)
{
	bool win = ours > theirs * 1.005, loss = ours < theirs * 0.995;

	counts->wins += win;
	counts->losses += loss;
	counts->ties += !win && !loss;
	counts->quarter += quarter;
	counts->quarter_wins += quarter && win;
	if (ours < 1e-6 && theirs < 1e-6)
		printf("     .");
	else if (ours > 1.0 - 1e-6 && theirs > 1.0 - 1e-6)
		printf("     =");
	else if (theirs < 1e-6)
		printf("   inf");
	else
		printf(" %5.2f", ours / theirs);
}

static void print_row(struct setting *s, const double theirs[LIMITS],
		      struct counts *counts)
{
	static struct table t, at_start;
	bool quarter = s->c.exposure_s <= s->c.period_s / 4.0;

	s->at_start = true;
	table_set(s, &at_start);
	s->at_start = false;
	table_set(s, &t);
	for (size_t i = 0; i < LIMITS; i++) {
		double ours, same;

		s->c.exposure_max_c = limits_c[i];
		ours = delivered_share(s, &t);
		same = delivered_share(s, &at_start);
		print_cell(ours, theirs[i], quarter, counts);
		counts->same_wins += ours > same * 1.005;
		counts->same_losses += ours < same * 0.995;
		if (same > 0.0)
			counts->same_most = fmax(counts->same_most,
						 ours / same);
	}
	printf("   %5.1f %5.1f\n", t.place_s * 1000.0, t.over_k);
}

static void print_shutter(struct nst_oracle *o,
			  const struct nst_oracle_case *base,
			  const struct shutter *shutter, double exit_s,
			  double enter_s, struct counts *counts)
{
	double theirs[EXPOSURES][LIMITS];
	struct nst_oracle_case c[EXPOSURES];

	for (size_t e = 0; e < EXPOSURES; e++) {
		c[e] = *base;
		c[e].exposure_s = exposures_ms[e] / 1000.0;
		c[e].readout_s = shutter->readout_s;
		c[e].period_s = fmax(1.0 / 30.0,
				     c[e].exposure_s + c[e].readout_s);
		for (size_t i = 0; i < LIMITS; i++) {
			c[e].exposure_max_c = limits_c[i];
			theirs[e][i] = whole_frames(o, &c[e],
						    shutter->rolling);
		}
	}
	for (size_t b = 0; b < BUSY_PARTS; b++) {
		printf("\n%s, busy %g frame\n%8s", shutter->name,
		       busy_parts[b], "exposure");
		for (size_t i = 0; i < LIMITS; i++)
			printf(" %5.0f", limits_c[i]);
		printf(" degC from ms, over K\n");
		for (size_t e = 0; e < EXPOSURES; e++) {
			struct setting s = { .c = c[e], .exit_s = exit_s,
					     .rolling = shutter->rolling };
			double busy_s = busy_parts[b] * s.c.period_s;
			double over_w = s.c.near_w - s.c.gated_w;

			/* A VPU that is always busy needs no gate. */
			s.heat_s = busy_s + enter_s;
			if (s.exit_s + s.heat_s > s.c.period_s) {
				s.exit_s = 0.0;
				s.heat_s = s.c.period_s;
			}
			s.hot_w = s.c.gated_w + over_w * s.c.period_s / busy_s;
			s.mean_w = s.c.gated_w + (s.hot_w - s.c.gated_w) *
				   s.heat_s / s.c.period_s;
			printf("%5.0f ms", exposures_ms[e]);
			print_row(&s, theirs[e], counts);
		}
	}
}

int main(int argc, char **argv)
{
	struct nst_oracle_case base = stack;
	double exit_s = 0.0, enter_s = 0.0;
	struct counts counts = { 0 };
	struct nst_oracle *o = nst_oracle_new();

	if (argc > 1)
		base.near_w = atof(argv[1]);
	if (argc > 2)
		base.ambient_c = atof(argv[2]);
	if (argc > 3)
		exit_s = atof(argv[3]) / 1e6;
	if (argc > 4)
		enter_s = atof(argv[4]) / 1e6;
	printf("delivered frames, window over whole frames; near %g W, %g degC, ceiling %g degC, gate exit %g us, enter %g us\n",
	       base.near_w, base.ambient_c, base.die_max_c, exit_s * 1e6,
	       enter_s * 1e6);
	for (size_t i = 0; i < SHUTTERS; i++)
		print_shutter(o, &base, &shutters[i], exit_s, enter_s,
			      &counts);
	printf("\n%d cells won, %d equal, %d lost; of %d with exposures of at most a quarter of the frame %d won\n",
	       counts.wins, counts.ties, counts.losses, counts.quarter,
	       counts.quarter_wins);
	printf("over the same VPU with a gate that knows whole frames only: %d won, %d lost, at most %.2f\n",
	       counts.same_wins, counts.same_losses, counts.same_most);
	nst_oracle_free(o);
	return 0;
}
