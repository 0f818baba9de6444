// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fit_thermal.c - the two-node RC model from steps of power
 *
 * Between two readings the power is constant, and the deviation of the nodes
 * from their steady state is a sum of two exponentials: the closed form of a
 * two by two system, exact for any distance of the readings.
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
/* Quantisation that noise does not blur is alike in every step. */
#define ALIKE M_SQRT2
#define BLURRED 0.4

/* Parameters of the fit: logarithms of the first four, tens of degrees. */
enum { PACKAGE = NST_FIT_THERMAL_PARAMS, PARAMS };

static const struct {
	const char *name, *unit;
} words[NST_FIT_THERMAL_PARAMS] = {
	[NST_FIT_R_JP] = { "r_jp", "K/W" },
	[NST_FIT_R_PA] = { "r_pa", "K/W" },
	[NST_FIT_TAU_J] = { "tau_j", "s" },
	[NST_FIT_TAU_P] = { "tau_p", "s" },
	[NST_FIT_AMBIENT] = { "ambient", "degC" },
};

const char *nst_fit_thermal_name(enum nst_fit_thermal_param p)
{
	return words[p].name;
}

const char *nst_fit_thermal_unit(enum nst_fit_thermal_param p)
{
	return words[p].unit;
}

/* ---------------------------------------------------------------- model */

/* x, y: how far die and package are from where this power takes them. */
struct nodes {
	double a, b, c;		/* rates: die, package to die, package */
	double root;
};

static void nodes_set(struct nodes *n, const double *param)
{
	double sum;

	n->a = 1 / param[NST_FIT_TAU_J];
	n->c = 1 / param[NST_FIT_TAU_P];
	n->b = n->c * param[NST_FIT_R_PA] / param[NST_FIT_R_JP];
	sum = n->a + n->b + n->c;
	n->root = sqrt(sum * sum - 4 * n->a * n->c);
}

static void nodes_step(const struct nodes *n, double dt_s, double *x,
		       double *y)
{
	double sum = n->a + n->b + n->c;
	double fast = -(sum + n->root) / 2;
	/* the product of the two is a * c: no difference of near numbers */
	double slow = n->a * n->c / fast;
	double ef = exp(fast * dt_s), es = exp(slow * dt_s);
	double dx = -n->a * *x + n->a * *y;
	double dy = n->b * *x - (n->b + n->c) * *y;
	double w = slow - fast;
	double xs = (dx - fast * *x) / w, ys = (dy - fast * *y) / w;

	*x = es * xs + ef * (*x - xs);
	*y = es * ys + ef * (*y - ys);
}

void nst_fit_thermal_predict(const double *param, double package_c,
			     const struct nst_fit_reading *reading,
			     int readings, double *ret_c)
{
	double r_jp = param[NST_FIT_R_JP], r_pa = param[NST_FIT_R_PA];
	double ambient = param[NST_FIT_AMBIENT];
	/* The die has been at this power for long, on the package's scale. */
	double die_c = package_c + r_jp * reading[0].power_w;
	struct nodes n;

	nodes_set(&n, param);
	ret_c[0] = die_c;
	for (int i = 1; i < readings; i++) {
		double power = reading[i - 1].power_w;
		double package_end = ambient + r_pa * power;
		double die_end = package_end + r_jp * power;
		double x = die_c - die_end, y = package_c - package_end;

		nodes_step(&n, reading[i].t_s - reading[i - 1].t_s, &x, &y);
		die_c = die_end + x;
		package_c = package_end + y;
		ret_c[i] = die_c;
	}
}

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
	nst_fit_thermal_predict(param, TENS * p[PACKAGE], rec->reading,
				rec->readings, ret);
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

static int survey(const struct recording *rec, struct nst_fit_thermal *ret,
		  double *ret_highest_w)
{
	double highest = 0, least, since, step_at = -1, first_t = INFINITY;

	ret->gap_s = INFINITY;
	ret->steps = 0;
	ret->readings = 0;
	ret->longest_s = 0;
	for (int i = 0; i < rec->readings; i++) {
		const struct nst_fit_reading *m = &rec->reading[i];

		if (!isfinite(m->t_s) || isinf(m->temp_c) ||
		    !(m->power_w >= 0 && m->power_w <= 1000) ||
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
		since = m->t_s;
		if (stepped && m->t_s >= first_t && i + 1 < rec->readings) {
			ret->steps++;
			step_at = m->t_s;
		}
	}
	return ret->steps && isfinite(ret->gap_s) ? 0 : -ENODATA;
}

/* ------------------------------------------------------------------ fit */

static void start(const struct recording *rec, double gap_s, double total_s,
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
	p[NST_FIT_TAU_J] = log(gap_s);
	p[NST_FIT_TAU_P] = log(share[try] * total_s);
	p[NST_FIT_AMBIENT] = (lowest - r * lowest_w) / TENS;
	for (int i = 0; i < rec->readings; i++) {
		if (isnan(m[i].temp_c))
			continue;
		p[PACKAGE] = (m[i].temp_c - r / 4 * m[0].power_w) / TENS;
		break;
	}
}

/* The best of several starts, in @lm and @p. */
static int search(const struct recording *rec, struct nst_fit_lm *lm,
		  const struct nst_fit_thermal *seen, double total_s,
		  double highest_w, double *p)
{
	double best[PARAMS] = { 0 }, best_chi2 = INFINITY;

	for (int try = 0; try < TAU_STARTS; try++) {
		start(rec, seen->gap_s, total_s, seen->span_c, highest_w, try,
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

/* Half of the interval as the caller counts it, at @scale of the errors. */
static double half(const struct nst_fit_lm *lm, int k, double factor,
		   double rise_c)
{
	double sd = lm->fixed[k] ? INFINITY : factor * nst_fit_sd(lm, k);

	if (k == NST_FIT_AMBIENT)
		return TENS * sd / rise_c;
	return expm1(sd);
}

static double rise_of(const double *p, double highest_w)
{
	return (exp(p[NST_FIT_R_JP]) + exp(p[NST_FIT_R_PA])) * highest_w;
}

static void set_values(const struct nst_fit_lm *lm, const double *p,
		       double factor, struct nst_fit_thermal *ret)
{
	double param[NST_FIT_THERMAL_PARAMS];

	to_param(p, param);
	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++) {
		struct nst_fit_value *v = &ret->param[k];
		double sd = lm->fixed[k] ? INFINITY
					 : factor * nst_fit_sd(lm, k);

		v->value = param[k];
		if (k == NST_FIT_AMBIENT) {
			v->lo = v->value - TENS * sd;
			v->hi = v->value + TENS * sd;
		} else {
			v->lo = v->value * exp(-sd);
			v->hi = v->value * exp(sd);
		}
	}
	ret->package_c = TENS * p[PACKAGE];
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
	}
	for (int k = 0; k < PARAMS; k++)
		q[k] = p[k];
	q[PACKAGE] = q[NST_FIT_AMBIENT];
	/* of the fast ones these readings say nothing */
	lm.fixed[NST_FIT_TAU_J] = true;
	lm.fixed[NST_FIT_R_JP] = one_node;
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
		h = half(&lm, k, 2 * ALIKE, rise_of(q, highest_w));
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
	if (ret->weak & fast) {
		double h = fmax(halves[NST_FIT_R_JP], halves[NST_FIT_TAU_J]);
		double steps = ceil(ret->steps * pow(h / widest, 2));

		/* seen, but not well enough: more of the same */
		if (h < 4 && steps < STEPS_MOST)
			ret->enough_steps = (int)steps;
		else if (halves[NST_FIT_TAU_J] >= 4)
			ret->enough_gap_s = ret->gap_s / 10;
	}
	/* Noise of a share of its step is the step's own. */
	if (ret->lsb_c > 0.5 * ret->noise_c && worst < 50 &&
	    ret->lsb_c * widest / worst > NOISE_LEAST_C)
		ret->enough_lsb_c = ret->lsb_c * widest / worst;
}

/* A way to explain the readings, and how good that is. */
struct attempt {
	struct nst_fit_lm lm;
	double p[PARAMS];
	int r;
	double noise_c;
	double halves[NST_FIT_THERMAL_PARAMS];
	unsigned int weak;
	double factor;
};

struct problem {
	struct recording rec;
	struct nst_fit_lm lm;	/* before anything is fixed */
	const struct nst_fit_thermal *seen;
	double total_s, highest_w, widest;
};

static void attempt(const struct problem *b, bool die_settled, bool one_node,
		    struct attempt *ret)
{
	*ret = (struct attempt){ .lm = b->lm };
	ret->lm.fixed[NST_FIT_TAU_J] = die_settled;
	ret->lm.fixed[NST_FIT_R_JP] = one_node;
	ret->r = search(&b->rec, &ret->lm, b->seen, b->total_s, b->highest_w,
			ret->p);
}

/* Residual, and which intervals are too wide. */
static void judge(const struct problem *b, struct attempt *a)
{
	/* runs are what is independent, not readings */
	int dof = b->seen->told - PARAMS;
	double sum = 0, scale;

	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++)
		a->halves[k] = INFINITY;
	a->weak = (1u << NST_FIT_THERMAL_PARAMS) - 1;
	a->noise_c = INFINITY;
	if (a->r || dof < 1)
		return;
	predict(a->p, a->lm.scratch, &b->rec);
	for (int i = 0; i < b->rec.readings; i++) {
		double off = a->lm.y[i] - a->lm.scratch[i];

		if (a->lm.weight[i] > 0)
			sum += off * off;
	}
	a->noise_c = sqrt(sum / b->seen->readings);
	scale = a->lm.chi2 / dof;
	scale = scale > 1 ? sqrt(scale) : 1;
	a->factor = nst_fit_t975(dof) * scale;
	if (a->noise_c < BLURRED * b->seen->lsb_c)
		a->factor *= ALIKE;
	a->weak = 0;
	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++) {
		a->halves[k] = half(&a->lm, k, a->factor,
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
	r = survey(&b.rec, ret, &b.highest_w);
	if (r)
		return r;
	b.lm.scratch = weight + readings;
	ret->lsb_c = lsb_of(&b.rec, b.lm.scratch, &ret->span_c);
	ret->told = weigh(&b.rec, ret->lsb_c, weight);
	for (int i = 0; i < readings; i++)
		y[i] = isnan(reading[i].temp_c) ? 0 : reading[i].temp_c;
	b.total_s = reading[readings - 1].t_s - reading[0].t_s;

	explain(&b, &best);
	ret->weak = best.weak;
	ret->noise_c = isfinite(best.noise_c) ? best.noise_c : 0;
	for (int k = 0; k < NST_FIT_THERMAL_PARAMS; k++)
		ret->param[k] = (struct nst_fit_value){ 0, -INFINITY,
							INFINITY };
	if (isfinite(best.noise_c))
		set_values(&best.lm, best.p, best.factor, ret);
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
