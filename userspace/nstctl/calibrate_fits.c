// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * calibrate_fits.c - from the points of a noise calibration to its figures
 */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate_noise.h"
#include "cleanup.h"
#include "log.h"

#define REF_MC 60000.0
#define CLIPPED_MAX 0.005
/* Of white: a dark level above it has hot pixels in white. */
#define DARK_MOST 0.8
/* Of the mean: how alike means of different gains can be at all. */
#define GAIN_FLOOR 0.002
#define MEAN_FLOOR_DN 0.005
/*
 * Where hot pixels stand out, and white is far: dark level over black at
 * which five standard deviations are less than 1.5 times it, and thirty
 * times it is below white.
 */
#define HOT_STANDS_OUT 1.5
#define HOT_ROOM 30.0
#define HOT_LEAST 20.0

static double sq(double v)
{
	return v * v;
}

/* ------------------------------------------------------------- transfer */

static int fit_transfer(const struct nst_cal_state *st, u32 gain,
			double white_dn, struct nst_cal_fits *ret)
{
	struct nst_fit_pair flat[NST_FIT_PAIRS_MAX / 4];
	struct nst_fit_pair black[NST_FIT_PAIRS_MAX / 4];
	int flats = 0, blacks = 0, r;

	for (u32 i = 0; i < st->points; i++) {
		const struct nst_cal_point *p = &st->point[i];

		if (p->gain != gain)
			continue;
		ret->iso[gain] = p->iso;
		if (p->kind == NST_CAL_BLACK &&
		    (size_t)blacks < NST_ARRAY_SIZE(black))
			black[blacks++] = p->stat.pair;
		if (p->kind == NST_CAL_FLAT &&
		    (size_t)flats < NST_ARRAY_SIZE(flat) &&
		    p->stat.clipped < CLIPPED_MAX)
			flat[flats++] = p->stat.pair;
	}
	r = nst_fit_transfer(flat, flats, black, blacks, white_dn,
			     &ret->transfer[gain]);
	switch (r) {
	case -ERANGE:
		return nst_log_err(r, "ISO %" PRIu32 ": dark frames are cut off at 0 DN, the black level has to be raised",
				   ret->iso[gain]);
	case -ENODATA:
		return nst_log_err(r, "ISO %" PRIu32 ": %d levels of the flat field below white, at least three are needed",
				   ret->iso[gain], flats);
	case -EDOM:
		return nst_log_err(r, "ISO %" PRIu32 ": the noise does not rise with the light: are the frames processed?",
				   ret->iso[gain]);
	}
	return r ? nst_log_err(r, "photon transfer") : 0;
}

/* ----------------------------------------------------------------- dark */

static bool dark_usable(const struct nst_cal_point *p, double white_dn)
{
	return p->kind == NST_CAL_DARK && p->stat.clipped < CLIPPED_MAX &&
	       p->stat.pair.mean_dn < DARK_MOST * white_dn;
}

static int fit_dark(const struct nst_cal_state *st, double white_dn,
		    struct nst_cal_fits *ret)
{
	_cleanup_free_ double *scratch =
		calloc(NST_FIT_PAIRS_MAX * (NST_FIT_PARAMS_MAX + 4),
		       sizeof(*scratch));
	_cleanup_free_ struct nst_fit_dark_point *point =
		calloc(NST_FIT_PAIRS_MAX, sizeof(*point));
	struct nst_fit_value k[NST_FIT_GAINS_MAX];
	/* Visits of which nothing can be used are no visits. */
	int visit[NST_FIT_VISITS_MAX], visits = 0;
	double sd = 0;
	int n = 0, r;

	if (!scratch || !point)
		return -ENOMEM;
	ret->coldest_mc = INFINITY;
	ret->hottest_mc = -INFINITY;
	for (u32 g = 0; g < ret->gains; g++)
		k[g] = ret->transfer[g].dn_per_e;
	for (int v = 0; v < NST_FIT_VISITS_MAX; v++)
		visit[v] = -1;
	for (u32 i = 0; i < st->points; i++) {
		const struct nst_cal_point *p = &st->point[i];
		const struct nst_fit_pair *m = &p->stat.pair;
		double dark = m->mean_dn - ret->transfer[p->gain].black_dn;

		if (!dark_usable(p, white_dn))
			continue;
		if (visit[p->visit] < 0)
			visit[p->visit] = visits++;
		point[n++] = (struct nst_fit_dark_point){
			.temp_mc = p->temp_mc,
			.exposure_us = p->exposure_us,
			.mean_dn = m->mean_dn,
			.sd_dn = sqrt((m->temporal_dn2 / 2 +
				       fabs(m->fixed_dn2)) / m->pixels +
				      sq(MEAN_FLOOR_DN) +
				      sq(GAIN_FLOOR * dark)),
			.gain = (int)p->gain,
			.visit = visit[p->visit],
		};
		sd += sq(p->temp_sd_mc);
		ret->coldest_mc = fmin(ret->coldest_mc, p->temp_mc);
		ret->hottest_mc = fmax(ret->hottest_mc, p->temp_mc);
	}
	ret->temp_sd_mc = n ? sqrt(sd / n) : 0;
	r = n ? nst_fit_dark(point, n, k, (int)ret->gains, ret->temp_sd_mc,
			     REF_MC, scratch, &ret->dark) : -ENODATA;
	switch (r) {
	case -ERANGE:
		return nst_log_err(r, "the sensor went from %.1f to %.1f degC: at least 5 K are needed, the VPU does not heat it enough",
				   ret->coldest_mc / 1e3,
				   ret->hottest_mc / 1e3);
	case -ENODATA:
		return nst_log_err(r, "too few dark frames below white: three temperatures with all gains are needed");
	case -EDOM:
		return nst_log_err(r, "the dark level does not rise with exposure and temperature: is the lens covered, and the camera's own black level correction off?");
	}
	return r ? nst_log_err(r, "dark current") : 0;
}

/* ---------------------------------------------------------------- fixed */

/* Of a flat field: what of it is dark signal, by the fit. */
static double dark_in(const struct nst_cal_fits *f,
		      const struct nst_cal_point *p)
{
	return f->transfer[p->gain].dn_per_e.value * f->dark.e_per_s.value *
	       exp2((p->temp_mc - f->dark.ref_mc) /
		    f->dark.doubling_mc.value) * p->exposure_us / 1e6;
}

static int fit_fixed(const struct nst_cal_state *st, double white_dn,
		     struct nst_cal_fits *ret)
{
	_cleanup_free_ struct nst_fit_fixed_point *point =
		calloc(NST_CAL_POINTS_MAX, sizeof(*point));
	int n = 0, r;

	if (!point)
		return -ENOMEM;
	for (u32 i = 0; i < st->points; i++) {
		const struct nst_cal_point *p = &st->point[i];
		const struct nst_fit_pair *m = &p->stat.pair;
		double above = m->mean_dn - ret->dark.black_dn[p->gain];
		double dark = p->kind == NST_CAL_DARK ? above
						      : dark_in(ret, p);

		if (p->kind == NST_CAL_FLAT ? p->stat.clipped >= CLIPPED_MAX
					    : !dark_usable(p, white_dn))
			continue;
		point[n++] = (struct nst_fit_fixed_point){
			.signal_dn = above - dark,
			.dark_dn = dark,
			.pair = *m,
		};
	}
	r = nst_fit_fixed(point, n, &ret->fixed);
	return r ? nst_log_err(r, "fixed patterns") : 0;
}

/* From the pairs in which hot pixels stand out and are not white. */
static void fit_hot(const struct nst_cal_state *st, double white_dn,
		    struct nst_cal_fits *ret)
{
	double n = 0, of = 0, sum = 0, sum2 = 0, mean;

	for (u32 i = 0; i < st->points; i++) {
		const struct nst_cal_point *p = &st->point[i];
		const struct nst_fit_pair *m = &p->stat.pair;
		double black = ret->dark.black_dn[p->gain];
		double dark = m->mean_dn - black;
		double noise = 5 * sqrt(m->temporal_dn2 / 2 +
					fabs(m->fixed_dn2));

		if (p->kind != NST_CAL_DARK ||
		    noise > HOT_STANDS_OUT * dark ||
		    HOT_ROOM * dark > white_dn - black)
			continue;
		n += p->stat.hot.pixels;
		of += p->stat.hot.of;
		sum += p->stat.hot.log_sum;
		sum2 += p->stat.hot.log2_sum;
	}
	ret->hot_known = n >= HOT_LEAST;
	if (!ret->hot_known)
		return;
	mean = sum / n;
	ret->hot_ppm = 1e6 * n / of;
	ret->hot_median = exp(mean);
	ret->hot_sigma = sqrt(fmax(sum2 / n - mean * mean, 0));
}

int nst_cal_fit(const struct nst_cal_state *st, u32 gains, double white_dn,
		struct nst_cal_fits *ret)
{
	const struct nst_fit_transfer *t;
	u32 lowest = 0;
	double room;
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	ret->gains = gains;
	for (u32 g = 0; !r && g < gains; g++)
		r = fit_transfer(st, g, white_dn, ret);
	if (!r)
		r = fit_dark(st, white_dn, ret);
	if (!r)
		r = fit_fixed(st, white_dn, ret);
	if (r)
		return r;
	fit_hot(st, white_dn, ret);
	for (u32 g = 1; g < gains; g++)
		if (ret->transfer[g].dn_per_e.value <
		    ret->transfer[lowest].dn_per_e.value)
			lowest = g;
	/* What the converter can show; a pixel may hold more. */
	t = &ret->transfer[lowest];
	room = white_dn - t->black_dn;
	ret->full_well_e = (struct nst_fit_value){ room / t->dn_per_e.value,
						   room / t->dn_per_e.hi,
						   room / t->dn_per_e.lo };
	return 0;
}

/* ---------------------------------------------------------------- print */

static void row(FILE *out, const char *name, const struct nst_fit_value *v,
		const char *unit)
{
	fprintf(out, "%-24s %10.5g %-6s %10.5g to %-10.5g\n", name, v->value,
		unit, v->lo, v->hi);
}

static void print_table(const struct nst_cal_fits *f, FILE *out)
{
	struct nst_fit_value kelvin = f->dark.doubling_mc;
	char name[64];

	fprintf(out, "%-24s %10s %-6s %s\n", "", "value", "",
		"95 % interval");
	for (u32 g = 0; g < f->gains; g++) {
		const struct nst_fit_transfer *t = &f->transfer[g];

		snprintf(name, sizeof(name), "gain at ISO %" PRIu32, f->iso[g]);
		row(out, name, &t->dn_per_e, "DN/e-");
		snprintf(name, sizeof(name), "read noise at ISO %" PRIu32,
			 f->iso[g]);
		if (t->read.below)
			fprintf(out, "%-24s below quantisation, at most %.3g e- (%.2f DN)\n",
				name, t->read.upper_e, t->read.upper_dn);
		else
			row(out, name, &t->read.e, "e-");
	}
	snprintf(name, sizeof(name), "dark current at %.0f degC",
		 f->dark.ref_mc / 1e3);
	row(out, name, &f->dark.e_per_s, "e-/s");
	kelvin.value /= 1e3;
	kelvin.lo /= 1e3;
	kelvin.hi /= 1e3;
	row(out, "doubling temperature", &kelvin, "K");
	row(out, "DSNU, of dark signal", &f->fixed.dsnu, "");
	row(out, "PRNU, of signal", &f->fixed.prnu, "");
	row(out, "full scale", &f->full_well_e, "e-");
	if (f->hot_known)
		fprintf(out, "%-24s %10.4g ppm    around %.3g times the dark current\n",
			"hot pixels", f->hot_ppm, f->hot_median);
	fprintf(out,
		"from %.1f to %.1f degC; residuals: dark level %.3g DN, thermometer %.0f mK",
		f->coldest_mc / 1e3, f->hottest_mc / 1e3,
		f->dark.residual_dn, f->dark.temp_error_mc);
	for (u32 g = 0; g < f->gains; g++)
		fprintf(out, "%s%.2g %%", g ? ", " : ", transfer ",
			100 * f->transfer[g].residual);
	fputc('\n', out);
}

static void put(struct json_object *o, const char *key, double value)
{
	/* JSON has no infinity */
	json_object_object_add(o, key, isfinite(value)
				       ? json_object_new_double(value) : NULL);
}

static void put_value(struct json_object *o, const char *key,
		      const struct nst_fit_value *v)
{
	struct json_object *e = json_object_new_object();

	put(e, "value", v->value);
	put(e, "lo", v->lo);
	put(e, "hi", v->hi);
	json_object_object_add(o, key, e);
}

static void print_json(const struct nst_cal_fits *f, FILE *out)
{
	struct json_object *o = json_object_new_object();
	struct json_object *gains = json_object_new_array();

	for (u32 g = 0; g < f->gains; g++) {
		const struct nst_fit_transfer *t = &f->transfer[g];
		struct json_object *e = json_object_new_object();

		json_object_object_add(e, "iso",
				       json_object_new_int64(f->iso[g]));
		put_value(e, "dn_per_e", &t->dn_per_e);
		if (t->read.below)
			put(e, "read_noise_max_e", t->read.upper_e);
		else
			put_value(e, "read_noise_e", &t->read.e);
		put(e, "black_dn", t->black_dn);
		put(e, "residual", t->residual);
		json_object_array_add(gains, e);
	}
	json_object_object_add(o, "gains", gains);
	put(o, "ref_mc", f->dark.ref_mc);
	put_value(o, "dark_e_per_s", &f->dark.e_per_s);
	put_value(o, "doubling_mc", &f->dark.doubling_mc);
	put_value(o, "dsnu", &f->fixed.dsnu);
	put_value(o, "prnu", &f->fixed.prnu);
	put_value(o, "full_well_e", &f->full_well_e);
	if (f->hot_known) {
		put(o, "hot_ppm", f->hot_ppm);
		put(o, "hot_median", f->hot_median);
		put(o, "hot_sigma", f->hot_sigma);
	}
	put(o, "coldest_mc", f->coldest_mc);
	put(o, "hottest_mc", f->hottest_mc);
	put(o, "dark_residual_dn", f->dark.residual_dn);
	put(o, "temp_error_mc", f->dark.temp_error_mc);
	fprintf(out, "%s\n",
		json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY));
	json_object_put(o);
}

void nst_cal_fits_print(const struct nst_cal_fits *f, bool json, FILE *out)
{
	if (json)
		print_json(f, out);
	else
		print_table(f, out);
}

/* ----------------------------------------------------------------- file */

static struct nst_calibration_value file_value(const struct nst_fit_value *v,
					       double unit)
{
	return (struct nst_calibration_value){
		.value = v->value * unit, .lo = v->lo * unit,
		.hi = v->hi * unit, .known = true,
		.interval = isfinite(v->lo) && isfinite(v->hi),
	};
}

static struct nst_calibration_value plain(double value)
{
	return (struct nst_calibration_value){ .value = value,
					       .known = true };
}

/* Entries rise with ISO, whatever order was measured in. */
static void file_gains(const struct nst_cal_fits *f,
		       struct nst_calibration_noise *n)
{
	bool used[NST_FIT_GAINS_MAX] = { false };

	n->gains = 0;
	for (u32 k = 0; k < f->gains; k++) {
		struct nst_calibration_gain *e = &n->gain[n->gains];
		const struct nst_fit_read *read;
		u32 at = 0;

		while (used[at])
			at++;
		for (u32 g = at + 1; g < f->gains; g++)
			if (!used[g] && f->iso[g] < f->iso[at])
				at = g;
		used[at] = true;
		read = &f->transfer[at].read;
		*e = (struct nst_calibration_gain){
			.iso = f->iso[at],
			.dn_per_e = file_value(&f->transfer[at].dn_per_e, 1),
		};
		if (read->below)
			e->read_noise_max_e = read->upper_e;
		else
			e->read_noise_e = file_value(&read->e, 1);
		n->gains++;
	}
}

void nst_cal_fits_file(const struct nst_cal_fits *f, u32 bits,
		       struct nst_calibration *ret)
{
	struct nst_calibration_noise *n = &ret->noise;
	double residual = 0, level = 0, black = 0;

	ret->kind = NST_CALIBRATION_NOISE;
	*n = (struct nst_calibration_noise){
		.ref_mc = f->dark.ref_mc,
		.dark_e_per_s = file_value(&f->dark.e_per_s, 1),
		.doubling_mc = file_value(&f->dark.doubling_mc, 1),
		.full_well_e = file_value(&f->full_well_e, 1),
		.prnu_permyriad = file_value(&f->fixed.prnu, 1e4),
		.dsnu_permyriad = file_value(&f->fixed.dsnu, 1e4),
		.bits = bits,
	};
	if (f->hot_known) {
		n->hot_ppm = plain(f->hot_ppm);
		n->hot_median_permyriad = plain(1e4 * f->hot_median);
		n->hot_sigma_permyriad = plain(1e4 * f->hot_sigma);
	}
	file_gains(f, n);
	for (u32 g = 0; g < f->gains; g++) {
		residual = fmax(residual, f->transfer[g].residual);
		black += f->transfer[g].black_dn / f->gains;
		level = fmax(level, f->transfer[g].dn_per_e.value);
	}
	n->black_dn = (unsigned int)lround(black);
	n->gain_residual_permyriad = plain(1e4 * residual);
	/* of the level that a tenth of a second at the reference gives */
	level *= f->dark.e_per_s.value / 10;
	n->dark_residual_permyriad = plain(1e4 * f->dark.residual_dn / level);
}
