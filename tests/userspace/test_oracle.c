// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_oracle.c - the oracle against fine steps, random schedules, captures
 * and itself
 */
#include <math.h>
#include <stdlib.h>

#include "ktap.h"
#include "oracle_patterns.h"
#include "oracle_trace.h"

#define STEP_S (50 / 1e6)

static void stack_set(struct nst_oracle_case *c, double near_w,
		      double exposure_s)
{
	*c = (struct nst_oracle_case){
		.r_jp = 5.5, .r_pa = 28.5, .c_j = 0.909 / 1e3, .c_p = 0.7,
		.ambient_c = 26.4, .near_w = near_w, .gated_w = 0.1,
		.far_w = near_w + 1.4,
		.period_s = fmax(1 / 30.0, exposure_s + 0.001),
		.exposure_s = exposure_s, .readout_s = 0.001, .doubling_k = 7,
		.die_max_c = 105, .exposure_max_c = INFINITY,
	};
}

static void pays(struct nst_oracle_case *c)
{
	c->switch_j = (c->near_w + c->far_w) / 1e4 + c->period_s * c->near_w;
}

/* --------------------------------------------------------- fine steps --- */

struct nodes {
	double die_c, package_c;
};

static void nodes_step(const struct nst_oracle_case *c, struct nodes *n,
		       double power_w, double dt_s)
{
	double flow_w = (n->die_c - n->package_c) / c->r_jp;
	double out_w = (n->package_c - c->ambient_c) / c->r_pa;

	n->die_c += dt_s * (power_w - flow_w) / c->c_j;
	n->package_c += dt_s * (flow_w - out_w) / c->c_p;
}

/* One frame; Return: exposure temperature of its hotter end row. */
static double nodes_frame(const struct nst_oracle_case *c, struct nodes *n,
			  bool near, double *peak_c)
{
	double power_w = near ? c->near_w : c->gated_w;
	long steps = lround(c->period_s / STEP_S);
	double dt_s = c->period_s / (double)steps, sum[2] = { 0, 0 };
	double taken[2] = { 0, 0 };

	for (long i = 0; i < steps; i++) {
		double t = ((double)i + 0.5) * dt_s;

		*peak_c = fmax(*peak_c, n->die_c);
		nodes_step(c, n, power_w, dt_s);
		for (int row = 0; row < 2; row++) {
			double from = row * c->readout_s;

			if (t < from || t > from + c->exposure_s)
				continue;
			sum[row] += exp2(n->die_c / c->doubling_k);
			taken[row] += 1;
		}
	}
	return c->doubling_k * log2(fmax(sum[0] / taken[0], sum[1] / taken[1]));
}

static void patterns_hold_in_fine_steps(void)
{
	static const double exposures[] = { 0.064, 0.032, 0.004 };
	static const struct {
		unsigned int bits;
		int len;
	} patterns[] = { { 1, 2 }, { 1, 3 }, { 3, 4 }, { 1, 1 }, { 0x17, 7 } };

	for (unsigned int e = 0; e < KTAP_COUNT(exposures); e++) {
		static struct nst_oracle o;
		struct nst_oracle_case c;

		stack_set(&c, 2.5, exposures[e]);
		nst_oracle_patterns_fill(&o, &c);
		EXPECT(o.count == NST_ORACLE_PATTERN_COUNT, "%d", o.count);
		for (unsigned int i = 0; i < KTAP_COUNT(patterns); i++) {
			unsigned int bits = patterns[i].bits;
			int len = patterns[i].len, near = 0, k = 0;
			double share, slow_c, hot = -INFINITY, peak = 0, moves;
			const struct nst_oracle_pattern *p = NULL;
			struct nodes n;

			for (k = 0; k < o.count; k++) {
				if (o.patterns[k].bits == bits &&
				    o.patterns[k].len == len)
					p = &o.patterns[k];
			}
			for (k = 0; k < len; k++)
				near += (bits & 1u << k) != 0;
			EXPECT(p && p->near == near, "pattern %x", bits);
			share = (double)near / len;
			slow_c = nst_oracle_slow_c(&o, &c, share);
			n.package_c = c.ambient_c +
				      c.r_pa * (c.gated_w +
						share * (c.near_w - c.gated_w));
			n.die_c = n.package_c;
			/* Into the cycle, and one round that is looked at. */
			for (k = 0; k < 40 * len; k++)
				nodes_frame(&c, &n, bits >> (k % len) & 1,
					    &peak);
			peak = 0;
			for (k = 0; k < len; k++)
				hot = fmax(hot,
					   nodes_frame(&c, &n, bits >> k & 1,
						       &peak));
			/* The oracle's slow mode does not move in a round. */
			moves = 0.03 + near * c.period_s * (1 - share) *
					       (c.near_w - c.gated_w) / c.c_p;
			EXPECT(p && fabs(hot - slow_c - p->all_k) < moves,
			       "%g s, pattern %x/%d: %.3f, %.3f", c.exposure_s,
			       bits, len, hot, slow_c + (p ? p->all_k : 0));
			EXPECT(p && fabs(peak - slow_c - p->peak_k) < moves,
			       "%g s, pattern %x/%d: %.3f, %.3f", c.exposure_s,
			       bits, len, peak,
			       slow_c + (p ? p->peak_k : 0));
		}
	}
}

/* ---------------------------------------------------- random schedules --- */

/* Share of near time that a pattern of any length may have, thinned out. */
static double share_of(const struct nst_oracle *o,
		       const struct nst_oracle_case *c, const bool *near,
		       int len)
{
	double kept = exp(-c->period_s * o->modes.rate[0]), at = 0, hot = 0;
	int runs = 0;

	for (int k = 0; k < 3 * len; k++) {
		double target = o->modes.gain[0] *
				(near[k % len] ? c->near_w : c->gated_w);

		for (int row = 0; row < 2 && k >= 2 * len; row++)
			hot = fmax(hot, target +
				   nst_oracle_exposure_k(at - target,
							 o->modes.rate[0],
							 row * c->readout_s,
							 c->exposure_s,
							 c->doubling_k));
		at = target + (at - target) * kept;
	}
	for (int k = 0; k < len; k++)
		runs += near[k];
	return fmin((double)runs / len,
		    nst_oracle_share(o, c, c->exposure_max_c - hot));
}

static void no_longer_pattern_is_better(void)
{
	static const double exposures[] = { 0.064, 0.032, 0.016, 0.004 };
	double nearest = 1;

	srandom(5);
	for (int i = 0; i < 4000; i++) {
		static struct nst_oracle o;
		struct nst_oracle_result best;
		struct nst_oracle_case c;
		int len = 11 + (int)(random() % 14), odds;
		bool near[32];
		double share;

		stack_set(&c, 1.3 + (double)(random() % 4),
			  exposures[i / 1000]);
		c.exposure_max_c = 55 + (double)(random() % 45);
		odds = 1 + (int)(random() % 9);
		for (int k = 0; k < len; k++)
			near[k] = random() % 10 < odds;
		nst_oracle_patterns_fill(&o, &c);
		share = share_of(&o, &c, near, len);
		if (!nst_oracle_migration(&o, &c, &best))
			continue;
		EXPECT(share <= best.near_share + 1e-6,
		       "%g s, %g W, %g degC: %.5f of %d frames, oracle %.5f",
		       c.exposure_s, c.near_w, c.exposure_max_c, share, len,
		       best.near_share);
		if (best.near_share < 0.999)
			nearest = fmin(nearest, best.near_share - share);
	}
	EXPECT(nearest < 0.005, "only %.4f near", nearest);
}

/* An isolated near frame is colder, so that it may come on a warmer package. */
static void isolated_frames_are_used(void)
{
	struct nst_oracle_result best;
	struct nst_oracle_case c;
	double d_max;

	stack_set(&c, 2.5, 0.032);
	c.exposure_max_c = 63.08;
	EXPECT(nst_oracle_migration(NULL, &c, &best), "optimum");
	d_max = ((63.08 - c.r_jp * c.near_w - c.ambient_c) / c.r_pa -
		 c.gated_w) / (c.near_w - c.gated_w);
	EXPECT(best.near_share > d_max + 0.02 && best.near_share < d_max + 0.05,
	       "%.4f, season %.4f", best.near_share, d_max);
	EXPECT(best.pattern_len >= 2 && best.pattern == 1, "pattern %x/%d",
	       best.pattern, best.pattern_len);
}

/*
 * Under a bound on the die alone, near whenever the coming frame fits is the
 * best there is. It neither beats the oracle nor is left behind, although a
 * frame of 5 W and 65 ms moves the package by half a degree.
 */
static void greed_comes_as_far(void)
{
	static const double limits_c[] = { 76, 90, 105 };

	for (int i = 0; i < 12; i++) {
		struct nst_oracle_result best;
		struct nst_oracle_modes m;
		struct nst_oracle_case c;
		double z[2] = { 0, 0 }, near = 0, all = 0;

		stack_set(&c, i % 2 ? 4.96 : 2.5, i % 4 < 2 ? 0.064 : 0.016);
		c.die_max_c = limits_c[i / 4];
		EXPECT(nst_oracle_migration(NULL, &c, &best), "optimum");
		nst_oracle_modes_get(&m, &c);
		for (long k = 0; k < 60000; k++) {
			double end_c = c.ambient_c, next[2], power_w;
			bool fits;

			for (int j = 0; j < 2; j++) {
				double to = m.gain[j] * c.near_w;

				end_c += to + (z[j] - to) *
						      exp(-m.rate[j] *
							  c.period_s);
			}
			fits = end_c <= c.die_max_c;
			power_w = fits ? c.near_w : c.gated_w;
			for (int j = 0; j < 2; j++) {
				double to = m.gain[j] * power_w;

				next[j] = to + (z[j] - to) *
						       exp(-m.rate[j] *
							   c.period_s);
				z[j] = next[j];
			}
			if (k < 10000)
				continue;
			near += fits;
			all++;
		}
		EXPECT(near / all < best.near_share * 1.0005 &&
		       near / all > best.near_share * 0.9975,
		       "%g W, %g degC: %.5f, oracle %.5f", c.near_w,
		       c.die_max_c, near / all, best.near_share);
	}
}

/* ---------------------------------------------------------- captures --- */

/*
 * On demand the oracle bounds the die, by what a capture needs. Asked for at
 * the worst moment of its optimum, a capture is cold enough, and would not be
 * a tenth of a degree warmer.
 */
static void captures_are_just_cold_enough(void)
{
	static const double latencies_s[] = { 0.0334, 0.0667 };

	for (int i = 0; i < 12; i++) {
		double latency_s = latencies_s[i % 2], imaging_c = 60 + i;
		double cold_c, peak_c = 0;
		struct nst_oracle_result best;
		struct nst_oracle_case c;
		struct nodes n;
		double share;

		stack_set(&c, i < 6 ? 2.5 : 4.0, i % 3 ? 0.016 : 0.032);
		c.die_max_c = imaging_c +
			      c.r_jp * (c.near_w - c.gated_w) *
				      -expm1(-latency_s / (c.r_jp * c.c_j));
		EXPECT(nst_oracle_stop(NULL, &c, &best), "optimum");
		share = best.near_share;
		EXPECT(share > 0.1 && share < 1, "%.3f", share);
		n.package_c = c.ambient_c +
			      c.r_pa * (c.gated_w +
					share * (c.near_w - c.gated_w));
		/* Behind a near frame, which took it up, comes the request. */
		n.package_c += c.period_s * fmax(share, 1 - share) / 2 *
			       (c.near_w - c.gated_w) / c.c_p;
		n.die_c = n.package_c + c.r_jp * c.near_w;
		for (double t = 0; t < latency_s; t += STEP_S)
			nodes_step(&c, &n, c.gated_w, STEP_S);
		cold_c = nodes_frame(&c, &n, false, &peak_c);
		EXPECT(cold_c <= imaging_c + 0.1 && cold_c > imaging_c - 0.1,
		       "%.0f ms: %.3f, limit %.2f", 1e3 * latency_s, cold_c,
		       imaging_c);
	}
}

/* -------------------------------------------------------------- traces --- */

static void sum_of(const struct nst_oracle_stretch *s, size_t n, double end_s,
		   bool drops, struct nst_oracle_sum *learns,
		   struct nst_oracle_sum *foresees)
{
	EXPECT(!nst_oracle_trace(s, n, end_s, drops, false, learns, foresees),
	       "no optimum");
}

/* Dynamic programming over light that does not change: the steady optimum. */
static void steady_trace_is_steady(void)
{
	static const double exposures[] = { 0.064, 0.016 };
	static const double limits[] = { 63, 81, 105 };
	static const double watts[] = { 1.3, 2.5, 4.96 };
	int seen = 0;

	for (int i = 0; i < 108; i++) {
		int mode = i % 3;	/* stop, free, paid */
		struct nst_oracle_sum learns, foresees;
		struct nst_oracle_stretch s = { .from_s = 0 };
		struct nst_oracle_result best;
		double limit_c = limits[i / 3 % 3], time_s = 600, frames;

		stack_set(&s.c, watts[i / 9 % 3], exposures[i / 27 % 2]);
		if (i >= 54)
			s.c.die_max_c = fmin(105, limit_c + 13);
		else
			s.c.exposure_max_c = limit_c;
		if (mode == 2)
			pays(&s.c);
		if (nst_oracle_bound(&s.c) != NST_ORACLE_BINDS)
			continue;
		seen++;
		EXPECT(mode ? nst_oracle_migration(NULL, &s.c, &best) :
			      nst_oracle_stop(NULL, &s.c, &best), "steady");
		sum_of(&s, 1, time_s, !mode, &learns, &foresees);
		frames = time_s / s.c.period_s * best.delivered_share;
		EXPECT(fabs(learns.delivered / frames - 1) < 0.002 &&
		       fabs(foresees.delivered / frames - 1) < 0.002,
		       "%d: %.1f, %.1f, steady %.1f", i, learns.delivered,
		       foresees.delivered, frames);
		EXPECT(fabs(learns.energy_j / time_s / best.power_w - 1) <
			       0.002 &&
		       fabs(foresees.energy_j / time_s / best.power_w - 1) <
			       0.002,
		       "%d: %.4f, %.4f, steady %.4f W", i,
		       learns.energy_j / time_s, foresees.energy_j / time_s,
		       best.power_w);
	}
	EXPECT(seen > 60, "%d", seen);
}

/* From daylight to dim: what gating at once cannot save, and foresight can. */
static void light_falls(void)
{
	static const double daylight_c[] = { 116.1, 109.0, 98.1 };
	static const double dim_c[] = { 81.05, 74.03, 63.08 };
	static const double lost_s[] = { 5.8, 8.0, 10.0 };

	for (int i = 0; i < 6; i++) {
		bool drops = i >= 3;
		struct nst_oracle_sum learns, foresees;
		struct nst_oracle_stretch s[2] = { { .from_s = 0 },
						   { .from_s = 300 } };
		double frames = 400 / (1 / 30.0), got_s;

		for (int k = 0; k < 2; k++) {
			stack_set(&s[k].c, 2.5, k ? 0.032 : 0.016);
			s[k].c.die_max_c = 150;
			s[k].c.exposure_max_c = (k ? dim_c : daylight_c)[i % 3];
		}
		sum_of(s, 2, 400, drops, &learns, &foresees);
		if (drops) {
			EXPECT(foresees.delivered >= learns.delivered - 1,
			       "%.1f, %.1f", foresees.delivered,
			       learns.delivered);
			continue;
		}
		got_s = (frames - learns.delivered) / 30;
		EXPECT(fabs(got_s - lost_s[i]) < 0.35, "%.2f s, reference %.1f",
		       got_s, lost_s[i]);
		EXPECT(frames - foresees.delivered < 0.5, "%.2f",
		       frames - foresees.delivered);
		EXPECT(foresees.energy_j > learns.energy_j - 1, "%.1f, %.1f J",
		       foresees.energy_j, learns.energy_j);
	}
}

/* Who knows the trace is never worse, in the order of frames, then energy. */
static void foresight_is_no_worse(void)
{
	srandom(9);
	for (int i = 0; i < 24; i++) {
		struct nst_oracle_stretch s[12];
		struct nst_oracle_sum learns, foresees;
		bool drops = i % 3 == 0, same;
		double at_s = 0;

		for (int k = 0; k < 12; k++) {
			s[k] = (struct nst_oracle_stretch){ .from_s = at_s };
			stack_set(&s[k].c, 2.5, random() % 2 ? 0.032 : 0.008);
			s[k].c.exposure_max_c = 60 + (double)(random() % 5) * 9;
			s[k].c.ambient_c = 20 + (double)(random() % 3) * 8;
			if (i % 3 == 2)
				pays(&s[k].c);
			at_s += 5 + (double)(random() % 60);
		}
		sum_of(s, 12, at_s, drops, &learns, &foresees);
		same = fabs(foresees.delivered - learns.delivered) < 2;
		EXPECT(foresees.delivered > learns.delivered * 0.999 - 1,
		       "%d: %.1f frames, %.1f", i, foresees.delivered,
		       learns.delivered);
		EXPECT(!same || foresees.energy_j < learns.energy_j * 1.002,
		       "%d: %.1f J, %.1f", i, foresees.energy_j,
		       learns.energy_j);
	}
}

static void edges_of_traces(void)
{
	static struct nst_oracle_stretch many[NST_ORACLE_SETTINGS_MAX + 1];
	struct nst_oracle_stretch s = { .never = true };
	struct nst_oracle_sum learns, foresees, warm;

	/* Nothing gives what the task asks: all far, nothing delivered. */
	stack_set(&s.c, 2.5, 0.032);
	sum_of(&s, 1, 100, false, &learns, &foresees);
	EXPECT(fabs(learns.energy_j - 390) < 0.1 &&
	       fabs(learns.delivered) < 0.1, "%.2f J, %.2f frames",
	       learns.energy_j, learns.delivered);
	/* A stack that starts cold has more to give than a warm one. */
	s.never = false;
	s.c.exposure_max_c = 74;
	sum_of(&s, 1, 100, true, &warm, &foresees);
	EXPECT(!nst_oracle_trace(&s, 1, 100, true, true, &learns, &foresees),
	       "cold");
	EXPECT(learns.delivered > warm.delivered * 1.05, "%.1f, %.1f",
	       learns.delivered, warm.delivered);
	/* So many situations, no more. */
	for (unsigned int i = 0; i < KTAP_COUNT(many); i++) {
		many[i] = s;
		many[i].from_s = i;
		many[i].c.ambient_c = 20 + i / 1e3;
	}
	EXPECT(nst_oracle_trace(many, KTAP_COUNT(many), 1000, true, false,
				&learns, &foresees) == -1, "too many");
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "gate patterns hold in 50 us steps",
		  patterns_hold_in_fine_steps },
		{ "no longer pattern is better", no_longer_pattern_is_better },
		{ "isolated near frames are used", isolated_frames_are_used },
		{ "greed comes as far under a bound on the die",
		  greed_comes_as_far },
		{ "captures are just cold enough",
		  captures_are_just_cold_enough },
		{ "a trace of steady light is the steady optimum",
		  steady_trace_is_steady },
		{ "light falls: what no policy can save", light_falls },
		{ "foresight is no worse than learning",
		  foresight_is_no_worse },
		{ "never, cold start, too many situations", edges_of_traces },
	};

	return ktap_main(tests, KTAP_COUNT(tests));
}
