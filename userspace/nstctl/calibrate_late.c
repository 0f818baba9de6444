// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * calibrate_late.c - changes of power while the machine was late
 *
 * How late power changes is fitted as one share of all bounds. That is true of
 * what a driver takes every time, and not of a program or a machine that stood
 * still somewhere between the two stamps: such a bound is many times that of
 * the others, and says nothing of the share.
 */
#include <math.h>
#include <stdlib.h>

#include "calibrate.h"

#define LATE_TIMES 2.0		/* of the usual bound: more is no driver */
#define LATE_LEAST_S 0.0001	/* below: what a good machine does */
/* After so many bounds less than a half percent of the step is left of it. */
#define SPOILT_BOUNDS 100.0

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A change of power with a bound, up or down. */
static bool edge(const struct nst_fit_reading *reading, int i, bool rise)
{
	double more = i ? reading[i].power_w - reading[i - 1].power_w : 0;

	return reading[i].late_s > 0 && (rise ? more > 0 : more < 0);
}

static int leave_out(struct nst_fit_reading *reading, int readings, bool rise,
		     double *scratch)
{
	double usual, until_s = -INFINITY;
	int n = 0, spoilt = 0;

	for (int i = 0; i < readings; i++)
		if (edge(reading, i, rise))
			scratch[n++] = reading[i].late_s;
	if (!n)
		return 0;
	qsort(scratch, (size_t)n, sizeof(*scratch), compare);
	usual = scratch[(n - 1) / 2];
	for (int i = 0; i < readings; i++) {
		struct nst_fit_reading *m = &reading[i];

		if (m->late_s > 0)
			until_s = -INFINITY;
		if (edge(reading, i, rise) &&
		    m->late_s > fmax(LATE_TIMES * usual, LATE_LEAST_S)) {
			until_s = m->t_s + SPOILT_BOUNDS * m->late_s;
			m->late_s = usual;
			spoilt++;
		}
		if (m->t_s < until_s)
			m->temp_c = NAN;
	}
	return spoilt;
}

/* A gate may take longer one way than the other. */
int nst_cal_late(struct nst_fit_reading *reading, int readings,
		 double *scratch)
{
	return leave_out(reading, readings, true, scratch) +
	       leave_out(reading, readings, false, scratch);
}
