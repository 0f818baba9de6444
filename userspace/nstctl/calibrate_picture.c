// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * calibrate_picture.c - a noise calibration as two diagrams
 *
 * Photon transfer, variance against level, and dark current against
 * temperature, both on logarithmic axes where straight lines are expected.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "calibrate_noise.h"

#define CURVE 60

static int add_transfer(struct nst_cal_panel *panel,
			const struct nst_cal_state *st,
			const struct nst_cal_fits *f, u32 gain)
{
	const struct nst_fit_transfer *t = &f->transfer[gain];
	struct nst_cal_series *s;
	double floor_dn2 = 0, lo = INFINITY, hi = 0;
	char name[64];
	int n = 0, blacks = 0;

	snprintf(name, sizeof(name), "ISO %" PRIu32 ", %.4g DN/e-",
		 f->iso[gain], t->dn_per_e.value);
	s = nst_cal_series_add(panel, name, (int)st->points, CURVE);
	if (!s)
		return -ENOMEM;
	for (u32 i = 0; i < st->points; i++) {
		const struct nst_cal_point *p = &st->point[i];

		if (p->gain != gain || p->kind == NST_CAL_DARK)
			continue;
		if (p->kind == NST_CAL_BLACK) {
			floor_dn2 += p->stat.pair.temporal_dn2;
			blacks++;
			continue;
		}
		s->x[n] = p->stat.pair.mean_dn - t->black_dn;
		s->y[n] = p->stat.pair.temporal_dn2;
		lo = fmin(lo, s->x[n]);
		hi = fmax(hi, s->x[n]);
		n++;
	}
	s->count = n;
	if (!blacks || !(lo > 0)) {
		s->curves = 0;
		return 0;
	}
	for (int i = 0; i < CURVE; i++) {
		s->curve_x[i] = lo * pow(hi / lo, (double)i / (CURVE - 1));
		s->curve_y[i] = floor_dn2 / blacks +
				t->dn_per_e.value * s->curve_x[i];
	}
	return 0;
}

static int add_dark(struct nst_cal_panel *panel,
		    const struct nst_cal_state *st,
		    const struct nst_cal_fits *f, u32 gain)
{
	double k = f->transfer[gain].dn_per_e.value;
	struct nst_cal_series *s;
	char name[64];
	int n = 0;

	snprintf(name, sizeof(name), "ISO %" PRIu32, f->iso[gain]);
	s = nst_cal_series_add(panel, name, (int)st->points,
			       gain ? 0 : CURVE);
	if (!s)
		return -ENOMEM;
	for (u32 i = 0; i < st->points; i++) {
		const struct nst_cal_point *p = &st->point[i];
		double dark = p->stat.pair.mean_dn - f->dark.black_dn[gain];

		if (p->gain != gain || p->kind != NST_CAL_DARK || !(dark > 0))
			continue;
		s->x[n] = p->temp_mc / 1e3;
		s->y[n++] = dark / k / (p->exposure_us / 1e6);
	}
	s->count = n;
	for (int i = 0; i < s->curves; i++) {
		double mc = f->coldest_mc + (f->hottest_mc - f->coldest_mc) *
					    i / (CURVE - 1);

		s->curve_x[i] = mc / 1e3;
		s->curve_y[i] = f->dark.e_per_s.value *
				exp2((mc - f->dark.ref_mc) /
				     f->dark.doubling_mc.value);
	}
	return 0;
}

int nst_cal_fits_draw(const struct nst_cal_state *st,
		      const struct nst_cal_fits *f, const char *path,
		      const char *title)
{
	struct nst_cal_panel panel[2];
	int r = 0;

	memset(panel, 0, sizeof(panel));
	panel[0] = (struct nst_cal_panel){
		.title = "photon transfer", .x_label = "level over black, DN",
		.y_label = "temporal variance, DN^2", .x_log = true,
		.y_log = true,
	};
	panel[1] = (struct nst_cal_panel){
		.x_label = "temperature of the exposure, degC",
		.y_label = "dark current, e-/s", .y_log = true,
	};
	snprintf(panel[1].title, sizeof(panel[1].title),
		 "dark current: %.4g e-/s at %.0f degC, doubles every %.2f K",
		 f->dark.e_per_s.value, f->dark.ref_mc / 1e3,
		 f->dark.doubling_mc.value / 1e3);
	for (u32 g = 0; !r && g < f->gains; g++) {
		r = add_transfer(&panel[0], st, f, g);
		if (!r)
			r = add_dark(&panel[1], st, f, g);
	}
	if (!r)
		r = nst_cal_draw(path, title, panel, 2);
	nst_cal_panels_free(panel, 2);
	return r;
}
