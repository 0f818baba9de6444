// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fit_thermal.c - the two-node RC model from steps of power
 *
 * Residuals of a fit are seldom independent: the change of power that came a
 * little late moves all readings after it, a path of heat that two nodes do
 * not have moves them for minutes. So intervals come from sums over blocks of
 * readings, and from the residual as it is, whichever is wider.
 *
 * How much a figure needs is asked of the same fit: with readings as they
 * would be, its covariance says what interval they would leave.
 */
#include <math.h>

#include "fit_thermal.h"

#define READINGS_LEAST 8
#define STEP_LEAST_W 0.01	/* of power, and a twentieth of the largest */
#define SAME_C 0.0005
#define NOISE_LEAST_C 0.001
#define LOG_LIMIT 25.0
/* Temperatures are fitted in tens of degrees: of the order of one. */
#define TENS 10.0
#define TAU_STARTS 3
#define TAU_J_SHARE 0.02	/* of the shortest time at one power, to begin */
#define DESIGN_READINGS 128
#define DESIGN_DOUBLINGS 8
#define STEPS_MOST 100000
/* R_jp of a die that is not seen apart from its package. */
#define NOTHING_K_PER_W 0.0001
/* tau_j of one that settles at once, in gaps before the first reading. */
#define NOTHING_SHARE (1.0 / 100000000)
/* Of the residual, that a model of one node may have more. */
#define ONE_NODE_WORSE 1.5
/* Of chi2, what a free tau_j must gain: 4 standard errors. */
#define SEEN 16.0
/* Anywhere between first and last, each as likely: mean, one over variance. */
#define LATE_MEAN 0.5
#define LATE_WEIGHT 12.0
/* Readings that hang together: from one step to the next, or so much of all. */
#define BLOCKS_MAX 256
#define BLOCK_SHARE (1.0 / 40)
/* Different readings that a coarse sensor has for all there is to see. */
#define STEPS_FEW 8
/* Sooner after its step than any die settles (tau_j is milliseconds). */
#define GAP_LEAST_S 0.001
/* Quantisation that noise does not blur is alike in every step. */
#define ALIKE M_SQRT2
#define BLURRED 0.4
/* Of the readings that tell something new: fewer, and a sensor is coarse. */
#define REPEATS 0.8

/* Parameters of the fit: logarithms of the first four, tens of degrees. */
enum { PACKAGE = NST_FIT_THERMAL_PARAMS, LATE, PARAMS = LATE + NST_FIT_EDGES };

struct recording {
	const struct nst_fit_reading *reading;
	int readings;
};

static void to_param(const double *p, double *param)
{
	for (int k = 0; k < NST_FIT_AMBIENT; k++) {
		double v = p[k];

		/* far beyond anything: keeps the exponentials finite */
		v = v > LOG_LIMIT ? LOG_LIMIT : v < -LOG_LIMIT ? -LOG_LIMIT : v;
		param[k] = exp(v);
	}
	param[NST_FIT_AMBIENT] = TENS * p[NST_FIT_AMBIENT];
}

static void predict(const double *p, double *ret, const void *arg)
{
	const struct recording *rec = arg;
	double param[NST_FIT_THERMAL_PARAMS];

	to_param(p, param);
	nst_fit_thermal_predict(param, TENS * p[PACKAGE], p + LATE,
				rec->reading, rec->readings, ret);
}

/* ------------------------------------------------- what the readings are */

static void sort(double *v, int n)
{
	for (int gap = n / 2; gap; gap /= 2) {
		for (int i = gap; i < n; i++) {
			double t = v[i];
			int j = i;

			for (; j >= gap && v[j - gap] > t; j -= gap)
				v[j] = v[j - gap];
			v[j] = t;
		}
	}
}

/* The smallest distance of two values that are not the same. */
static double lsb_of(const struct recording *rec, double *v, double *ret_span)
{
	double lsb = INFINITY;
	int n = 0;

	for (int i = 0; i < rec->readings; i++)
		if (!isnan(rec->reading[i].temp_c))
			v[n++] = rec->reading[i].temp_c;
	sort(v, n);
	*ret_span = n ? v[n - 1] - v[0] : 0;
	for (int i = 1; i < n; i++) {
		double d = v[i] - v[i - 1];

		if (d > SAME_C && d < lsb)
			lsb = d;
	}
	return isinf(lsb) ? 0 : lsb;
}

/* Share of a reading in what its run has told. */
static int weigh(const struct recording *rec, double lsb_c, double *weight)
{
	double sd = lsb_c / sqrt(12), var;
	int told = 0, first = -1, last = -1, run = 0;

	if (sd < NOISE_LEAST_C)
		sd = NOISE_LEAST_C;
	var = sd * sd;
	for (int i = 0; i <= rec->readings; i++) {
		bool end = i == rec->readings;

		if (!end) {
			weight[i] = 0;
			if (isnan(rec->reading[i].temp_c))
				continue;
		}
		if (run && (end || fabs(rec->reading[i].temp_c -
					rec->reading[last].temp_c) > SAME_C)) {
			for (int k = first; k <= last; k++)
				if (!isnan(rec->reading[k].temp_c))
					weight[k] = 1 / (var * run);
			told++;
			run = 0;
		}
		if (end)
			break;
		if (!run)
			first = i;
		last = i;
		run++;
	}
	return told;
}

/* @ret_shortest_s: shortest time at one power that ends with a step */
static int survey(const struct recording *rec, struct nst_fit_thermal *ret,
		  double *ret_highest_w, double *ret_shortest_s)
{
	double highest = 0, least, since, step_at = -1, first_t = INFINITY;

	ret->gap_s = INFINITY;
	*ret_shortest_s = INFINITY;
	ret->steps = 0;
	ret->readings = 0;
	ret->longest_s = 0;
	for (int i = 0; i < rec->readings; i++) {
		const struct nst_fit_reading *m = &rec->reading[i];

		if (!isfinite(m->t_s) || isinf(m->temp_c) ||
		    !(m->power_w >= 0 && m->power_w <= 1000) ||
		    !(m->late_s >= 0 && m->late_s <= 1000) ||
		    (i && m->t_s < m[-1].t_s))
			return -EINVAL;
		highest = m->power_w > highest ? m->power_w : highest;
		if (isnan(m->temp_c))
			continue;
		if (!ret->readings)
			first_t = m->t_s;
		ret->readings++;
	}
	*ret_highest_w = highest;
	if (ret->readings < READINGS_LEAST)
		return -ENODATA;
	least = highest / 20 > STEP_LEAST_W ? highest / 20 : STEP_LEAST_W;
	since = rec->reading[0].t_s;
	for (int i = 1; i < rec->readings; i++) {
		const struct nst_fit_reading *m = &rec->reading[i];
		bool stepped = fabs(m->power_w - m[-1].power_w) >= least;

		if (step_at >= 0 && !isnan(m->temp_c)) {
			double gap = m->t_s - step_at;

			if (gap > 0 && gap < ret->gap_s)
				ret->gap_s = gap;
			if (gap > 0)
				step_at = -1;
		}
		if (!stepped && i + 1 < rec->readings)
			continue;
		if (m->t_s - since > ret->longest_s)
			ret->longest_s = m->t_s - since;
		if (stepped && m->t_s - since < *ret_shortest_s)
			*ret_shortest_s = m->t_s - since;
		since = m->t_s;
		if (stepped && m->t_s >= first_t && i + 1 < rec->readings) {
			ret->steps++;
			/* a reading tells of the die from then on for sure */
			step_at = m->t_s + m->late_s;
		}
	}
	return ret->steps && isfinite(ret->gap_s) ? 0 : -ENODATA;
}

/* ------------------------------------------------------------------ fit */

static void start(const struct recording *rec, double tau_j_s, double total_s,
		  double span_c, double highest_w, int try, double *p)
{
	static const double share[TAU_STARTS] = { 0.05, 0.2, 1 };
	const struct nst_fit_reading *m = rec->reading;
	double lowest = INFINITY, lowest_w = highest_w, r;

	for (int i = 0; i < rec->readings; i++) {
		if (m[i].temp_c < lowest)
			lowest = m[i].temp_c;
		if (m[i].power_w < lowest_w)
			lowest_w = m[i].power_w;
	}
	r = span_c / (highest_w > lowest_w ? highest_w - lowest_w : highest_w);
	if (r < 0.1)
		r = 0.1;
	p[NST_FIT_R_JP] = log(r / 4);
	p[NST_FIT_R_PA] = log(r);
	p[NST_FIT_TAU_J] = log(tau_j_s);
	p[NST_FIT_TAU_P] = log(share[try] * total_s);
	p[NST_FIT_AMBIENT] = (lowest - r * lowest_w) / TENS;
	for (int e = 0; e < NST_FIT_EDGES; e++)
		p[LATE + e] = LATE_MEAN;
	for (int i = 0; i < rec->readings; i++) {
		if (isnan(m[i].temp_c))
			continue;
		p[PACKAGE] = (m[i].temp_c - r / 4 * m[0].power_w) / TENS;
		break;
	}
}

/* The best of several starts, in @lm and @p. */
static int search(const struct recording *rec, struct nst_fit_lm *lm,
		  const struct nst_fit_thermal *seen, double tau_j_s,
		  double total_s, double highest_w, double *p)
{
	double best[PARAMS] = { 0 }, best_chi2 = INFINITY;

	for (int try = 0; try < TAU_STARTS; try++) {
		start(rec, tau_j_s, total_s, seen->span_c, highest_w, try,
		      p);
		/* no heat in it either, however small R_jp becomes */
		if (lm->fixed[NST_FIT_TAU_J])
			p[NST_FIT_TAU_J] = log(seen->gap_s * NOTHING_SHARE);
		if (lm->fixed[NST_FIT_R_JP])
			p[NST_FIT_R_JP] = log(NOTHING_K_PER_W);
		if (nst_fit_lm(lm, p) == -ENODATA)
			return -ENODATA;
		if (!(lm->chi2 < best_chi2))
			continue;
		best_chi2 = lm->chi2;
		for (int k = 0; k < PARAMS; k++)
			best[k] = p[k];
	}
	if (isinf(best_chi2))
		return -EDOM;
	/* once more from there: its covariance */
	for (int k = 0; k < PARAMS; k++)
		p[k] = best[k];
	return nst_fit_lm(lm, p);
}

/* Half of the interval as the caller counts it, @wide is that of the fit. */
static double half(int k, double wide, double rise_c)
{
	return k == NST_FIT_AMBIENT ? TENS * wide / rise_c : expm1(wide);
}

static double rise_of(const double *p, double highest_w)
{
	return (exp(p[NST_FIT_R_JP]) + exp(p[NST_FIT_R_PA])) * highest_w;
}

static void set_values(const double *p, const double *wide,
		       struct nst_fit_thermal *ret)
{
	double param[NST_FIT_THERMAL_PARAMS];

	to_param(p, param);
	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++) {
		struct nst_fit_value *v = &ret->param[k];

		v->value = param[k];
		if (k == NST_FIT_AMBIENT) {
			v->lo = v->value - TENS * wide[k];
			v->hi = v->value + TENS * wide[k];
		} else {
			v->lo = v->value * exp(-wide[k]);
			v->hi = v->value * exp(wide[k]);
		}
	}
	ret->package_c = TENS * p[PACKAGE];
	for (int e = 0; e < NST_FIT_EDGES; e++)
		ret->late[e] = p[LATE + e];
}

/* ------------------------------------------------------ what would do it */

/* One release and one gate of @each_s: half intervals of the slow figures. */
static double design(const double *p, bool one_node, double each_s,
		     double highest_w, double sd_c, double lsb_c,
		     double *scratch)
{
	struct nst_fit_reading m[DESIGN_READINGS];
	struct recording rec = { m, DESIGN_READINGS };
	double q[PARAMS], lo = INFINITY, hi = -INFINITY, worst = 0, share;
	double *y = scratch, *weight = y + DESIGN_READINGS;
	struct nst_fit_lm lm = {
		.params = PARAMS, .points = DESIGN_READINGS,
		.model = predict, .arg = &rec, .y = y, .weight = weight,
		.scratch = weight + DESIGN_READINGS,
	};
	int each = DESIGN_READINGS / 2;

	for (int i = 0; i < DESIGN_READINGS; i++) {
		m[i].t_s = each_s * i / each;
		m[i].power_w = i < each ? highest_w : 0;
		m[i].temp_c = 0;
		m[i].late_s = 0;
	}
	for (int k = 0; k < PARAMS; k++)
		q[k] = p[k];
	q[PACKAGE] = q[NST_FIT_AMBIENT];
	/* of the fast ones these readings say nothing */
	lm.fixed[NST_FIT_TAU_J] = true;
	lm.fixed[NST_FIT_R_JP] = one_node;
	for (int e = 0; e < NST_FIT_EDGES; e++)
		lm.fixed[LATE + e] = true;
	predict(q, y, &rec);
	for (int i = 0; i < DESIGN_READINGS; i++) {
		lo = y[i] < lo ? y[i] : lo;
		hi = y[i] > hi ? y[i] : hi;
	}
	/* a coarse sensor says no more than it has steps to say it in */
	share = lsb_c > 0 ? 2 * (hi - lo) / lsb_c / DESIGN_READINGS : 1;
	if (share > 1)
		share = 1;
	for (int i = 0; i < DESIGN_READINGS; i++)
		weight[i] = share / (sd_c * sd_c);
	if (nst_fit_lm(&lm, q))
		return INFINITY;
	for (int k = NST_FIT_R_PA; k < NST_FIT_THERMAL_PARAMS; k++) {
		double h;

		if (k == NST_FIT_TAU_J)
			continue;
		h = half(k, 2 * ALIKE * nst_fit_sd(&lm, k),
			 rise_of(q, highest_w));
		worst = h > worst ? h : worst;
	}
	return worst;
}

static void advise(const double *p, double highest_w, double widest,
		   double sd_c, const double *halves, double *scratch,
		   struct nst_fit_thermal *ret)
{
	const unsigned int slow = 1u << NST_FIT_R_PA | 1u << NST_FIT_TAU_P |
				  1u << NST_FIT_AMBIENT;
	const unsigned int fast = 1u << NST_FIT_R_JP | 1u << NST_FIT_TAU_J;
	double q[PARAMS], worst = 0, each = ret->longest_s;
	bool stepped;

	if (ret->weak & slow) {
		for (int k = 0; k < PARAMS; k++)
			q[k] = p[k];
		/* a constant that is not known is long rather than short */
		if (!(halves[NST_FIT_TAU_P] < 0.5))
			q[NST_FIT_TAU_P] = fmax(p[NST_FIT_TAU_P],
						log(ret->longest_s));
		for (int i = 0; i < DESIGN_DOUBLINGS; i++) {
			each *= 2;
			if (design(q, isinf(halves[NST_FIT_R_JP]), each,
				   highest_w, sd_c, ret->lsb_c, scratch) >
			    widest)
				continue;
			ret->enough_s = each;
			break;
		}
	}
	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++)
		if (ret->weak & (1u << k) && halves[k] > worst)
			worst = halves[k];
	/* Noise of a share of its step is the step's own. */
	stepped = ret->lsb_c > 0.5 * ret->noise_c;
	/* Of an interval as wide as that nothing follows but that it is wide. */
	if (stepped && worst >= 50 &&
	    (ret->lsb_c * STEPS_FEW > ret->span_c ||
	     ret->gap_s < GAP_LEAST_S)) {
		ret->coarse = true;
		return;
	}
	if (ret->weak & fast) {
		double h = fmax(halves[NST_FIT_R_JP], halves[NST_FIT_TAU_J]);
		double steps = ceil(ret->steps * pow(h / widest, 2));

		/* seen, but not well enough: more of the same */
		if (h < 4 && steps < STEPS_MOST)
			ret->enough_steps = (int)steps;
		else if (halves[NST_FIT_TAU_J] >= 4 &&
			 ret->gap_s >= GAP_LEAST_S)
			ret->enough_gap_s = ret->gap_s / 10;
	}
	if (stepped && worst < 50 &&
	    ret->lsb_c * widest / worst > NOISE_LEAST_C)
		ret->enough_lsb_c = ret->lsb_c * widest / worst;
}

/* A way to explain the readings, and how good that is. */
struct attempt {
	struct nst_fit_lm lm;
	double p[PARAMS];
	int r;
	double noise_c;
	double follow;
	double block_sd[PARAMS];
	double wide[NST_FIT_THERMAL_PARAMS];	/* half of 95 % */
	double halves[NST_FIT_THERMAL_PARAMS];
	unsigned int weak;
};

struct problem {
	struct recording rec;
	struct nst_fit_lm lm;	/* before anything is fixed */
	const struct nst_fit_thermal *seen;
	int first[BLOCKS_MAX], blocks;
	double total_s, shortest_s, highest_w, widest;
};

/* Steps of power, and what is between them in pieces. */
static void cut(struct problem *b)
{
	const struct nst_fit_reading *m = b->rec.reading;
	double least = fmax(b->highest_w / 20, STEP_LEAST_W);
	double since = m[0].t_s;

	b->first[0] = 0;
	b->blocks = 1;
	for (int i = 1; i < b->rec.readings && b->blocks < BLOCKS_MAX; i++) {
		if (fabs(m[i].power_w - m[i - 1].power_w) < least &&
		    m[i].t_s - since < BLOCK_SHARE * b->total_s)
			continue;
		b->first[b->blocks++] = i;
		since = m[i].t_s;
	}
}

/* When in its bounds a power came into force, if there are any. */
static void allow_late(struct problem *b)
{
	const struct nst_fit_reading *m = b->rec.reading;
	struct nst_fit_lm *lm = &b->lm;

	for (int e = 0; e < NST_FIT_EDGES; e++)
		lm->fixed[LATE + e] = true;
	for (int i = 1; i < b->rec.readings; i++) {
		double more = m[i].power_w - m[i - 1].power_w;
		int k = LATE + (more > 0 ? NST_FIT_RISE : NST_FIT_FALL);

		if (!(m[i].late_s > 0) || !(fabs(more) > 0))
			continue;
		lm->fixed[k] = false;
		lm->prior[k] = LATE_MEAN;
		lm->prior_weight[k] = LATE_WEIGHT;
	}
}

static void attempt(const struct problem *b, bool die_settled, bool one_node,
		    struct attempt *ret)
{
	*ret = (struct attempt){ .lm = b->lm };
	ret->lm.fixed[NST_FIT_TAU_J] = die_settled;
	ret->lm.fixed[NST_FIT_R_JP] = one_node;
	/* it may come at once: then of the order of the shortest stop */
	ret->r = search(&b->rec, &ret->lm, b->seen,
			fmax(b->seen->gap_s, TAU_J_SHARE * b->shortest_s),
			b->total_s, b->highest_w, ret->p);
	/* from what the search has left behind */
	if (ret->r || nst_fit_blocks(&ret->lm, b->first, b->blocks,
				     ret->block_sd))
		for (int k = 0; k < PARAMS; k++)
			ret->block_sd[k] = 0;
}

/* About the fit: their size, and how far each is like the one before. */
static void residuals(const struct problem *b, struct attempt *a)
{
	double sum = 0, with_next = 0, last = 0;

	predict(a->p, a->lm.scratch, &b->rec);
	for (int i = 0; i < b->rec.readings; i++) {
		double off = a->lm.y[i] - a->lm.scratch[i];

		if (!(a->lm.weight[i] > 0))
			continue;
		sum += off * off;
		with_next += off * last;
		last = off;
	}
	a->noise_c = sqrt(sum / b->seen->readings);
	a->follow = sum > 0 ? with_next / sum : 0;
}

/* Whichever is wider: of readings each by itself, of blocks of them. */
static double wide_of(const struct problem *b, const struct attempt *a, int k,
		      double factor)
{
	if (a->lm.fixed[k])
		return INFINITY;
	return fmax(factor * nst_fit_sd(&a->lm, k),
		    nst_fit_t975(b->blocks - 1) * a->block_sd[k]);
}

/* Residual, and which intervals are too wide. */
static void judge(const struct problem *b, struct attempt *a)
{
	/* runs are what is independent, not readings */
	int dof = b->seen->told - LATE;
	double scale, factor;

	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++)
		a->halves[k] = INFINITY;
	a->weak = (1u << NST_FIT_THERMAL_PARAMS) - 1;
	a->noise_c = INFINITY;
	if (a->r || dof < 1)
		return;
	residuals(b, a);
	scale = a->lm.chi2 / dof;
	/* a sensor that repeats itself may be off by its step for all it says */
	if (scale < 1 && b->seen->told < REPEATS * b->seen->readings)
		scale = 1;
	factor = nst_fit_t975(dof) * sqrt(scale);
	if (a->noise_c < BLURRED * b->seen->lsb_c &&
	    b->seen->told < REPEATS * b->seen->readings)
		factor *= ALIKE;
	a->weak = 0;
	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++) {
		a->wide[k] = wide_of(b, a, k, factor);
		a->halves[k] = half(k, a->wide[k],
				    rise_of(a->p, b->highest_w));
		if (!(a->halves[k] <= b->widest))
			a->weak |= 1u << k;
	}
}

/*
 * With the die's constant next to nothing, then free. Readings that come
 * after the die has settled are explained by many pairs of tau_j and R_jp;
 * only where a free one explains them better is it seen. Where neither is, a
 * die that is one with its package may still tell the package's figures.
 */
static void explain(const struct problem *b, struct attempt *ret)
{
	const unsigned int die = 1u << NST_FIT_R_JP | 1u << NST_FIT_TAU_J;
	struct attempt other;

	attempt(b, true, false, ret);
	attempt(b, false, false, &other);
	if (ret->r || (!other.r && nst_fit_sd(&other.lm, NST_FIT_TAU_J) < 1 &&
		       ret->lm.chi2 - other.lm.chi2 >
			       SEEN * fmax(1, other.lm.chi2 / other.lm.dof)))
		*ret = other;
	judge(b, ret);
	if ((ret->weak & die) != die)
		return;
	attempt(b, true, true, &other);
	judge(b, &other);
	if (other.noise_c <= ONE_NODE_WORSE * ret->noise_c &&
	    other.halves[NST_FIT_TAU_P] < ret->halves[NST_FIT_TAU_P] / 2 &&
	    other.halves[NST_FIT_R_PA] < ret->halves[NST_FIT_R_PA] / 2)
		*ret = other;
}

int nst_fit_thermal(const struct nst_fit_reading *reading, int readings,
		    double widest, double *scratch,
		    struct nst_fit_thermal *ret)
{
	double *y = scratch, *weight = y + readings;
	struct problem b = {
		.rec = { reading, readings },
		.lm = { .params = PARAMS, .points = readings,
			.model = predict, .arg = &b.rec, .y = y,
			.weight = weight },
		.seen = ret,
		.widest = widest,
	};
	struct attempt best;
	int r;

	*ret = (struct nst_fit_thermal){ 0 };
	if (readings < 1)
		return -ENODATA;
	if (readings > NST_FIT_THERMAL_READINGS_MAX || !(widest > 0))
		return -EINVAL;
	r = survey(&b.rec, ret, &b.highest_w, &b.shortest_s);
	if (r)
		return r;
	b.lm.scratch = weight + readings;
	ret->lsb_c = lsb_of(&b.rec, b.lm.scratch, &ret->span_c);
	ret->told = weigh(&b.rec, ret->lsb_c, weight);
	for (int i = 0; i < readings; i++)
		y[i] = isnan(reading[i].temp_c) ? 0 : reading[i].temp_c;
	b.total_s = reading[readings - 1].t_s - reading[0].t_s;
	cut(&b);
	allow_late(&b);

	explain(&b, &best);
	ret->weak = best.weak;
	ret->noise_c = isfinite(best.noise_c) ? best.noise_c : 0;
	ret->follow = best.follow;
	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++)
		ret->param[k] = (struct nst_fit_value){ 0, -INFINITY,
							INFINITY };
	if (isfinite(best.noise_c))
		set_values(best.p, best.wide, ret);
	if (best.lm.fixed[NST_FIT_TAU_J])
		ret->param[NST_FIT_TAU_J] = (struct nst_fit_value){
			0, 0, best.lm.fixed[NST_FIT_R_JP] ? INFINITY
							  : ret->gap_s };
	if (best.lm.fixed[NST_FIT_R_JP])
		ret->param[NST_FIT_R_JP] = (struct nst_fit_value){ 0, 0,
								   INFINITY };
	if (!ret->weak)
		return 0;
	advise(best.p, b.highest_w, widest,
	       fmax(ret->noise_c, ret->lsb_c / sqrt(12)), best.halves,
	       b.lm.scratch, ret);
	return -EDOM;
}
