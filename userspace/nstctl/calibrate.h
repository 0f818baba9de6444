/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * calibrate.h - nstctl calibrate: what its files share
 *
 *	cmd_calibrate		the command line
 *	calibrate_noise		plan of the noise calibration, fits, file
 *	calibrate_shoot		pairs of frames at a setting
 *	calibrate_pair		statistics of two frames
 *	calibrate_thermal	steps of the gate, or a recording; fit, file
 *	calibrate_csv		a recording of somebody else's
 *	calibrate_stack		lease, gate and temperature
 *	calibrate_state		what has been measured, in a file
 *	calibrate_draw		pictures of the fits
 */
#ifndef NST_CALIBRATE_H
#define NST_CALIBRATE_H

#include <stdio.h>

#include "calibrate_stack.h"
#include "calibrate_state.h"
#include "calibration.h"
#include "fit_thermal.h"

#define NST_CAL_EXPOSURES_MAX 4
#define NST_CAL_VISITS_MAX 16
#define NST_CAL_LEVELS_MAX 16

enum nst_cal_only { NST_CAL_ALL = 0, NST_CAL_ONLY_FLAT, NST_CAL_ONLY_DARK };

/**
 * struct nst_cal_args - the command line, checked
 * @hot_mc: where the hottest visit begins; NST_TEMP_NONE_MC for as hot as is
 *	sensible
 * @longest_s: of a step of --thermal, at most
 */
struct nst_cal_args {
	const char *device;
	const char *camera;
	const char *output;
	const char *plot;
	const char *state;
	const char *from;
	const char *record;
	const char *column;
	u32 gain[NST_FIT_GAINS_MAX];
	u32 gains;
	u32 exposure_us[NST_CAL_EXPOSURES_MAX];
	u32 exposures;
	u32 visits;
	u32 levels;
	u32 settle;
	s32 hot_mc;
	double longest_s;
	u32 pulses;
	enum nst_cal_only only;
	bool thermal;
	bool restart;
	bool json;
};

int nst_cal_noise(const struct nst_cal_args *args);
int nst_cal_thermal(const struct nst_cal_args *args);

/**
 * nst_cal_progress() - a bar on a terminal, else a line now and then
 * @done, @of: steps; @text: what is being done
 */
void nst_cal_progress(double done, double of, const char *text);
/** nst_cal_progress_end() - leave the line */
void nst_cal_progress_end(void);

/** nst_cal_save() - whole or not at all; says what is wrong */
int nst_cal_save(const struct nst_calibration *c, const char *path);

/* ------------------------------------------------------------------ csv */

/**
 * nst_cal_csv_read() - a recording of temperature and power
 *
 * Comma-separated with a header line; lines that begin with # are passed
 * over. Columns by name: t_s, or sample (a second each); temp_C or temp_c;
 * power_W, power_w, power_mw or pom_5v_in_mW. @temp_column names another one
 * for the temperature. A line without a temperature is a change of power.
 * @ret: at most @max. Return: how many; negative errno, said with the line.
 */
int nst_cal_csv_read(const char *path, const char *temp_column,
		     struct nst_fit_reading *ret, int max);

/** nst_cal_csv_write() - what the above reads; 0 or a negative errno, said */
int nst_cal_csv_write(const char *path, const struct nst_fit_reading *reading,
		      int readings);

/* ----------------------------------------------------------------- draw */

/**
 * struct nst_cal_series - points with a curve through them
 * @x, @y: @count points; @curve_y: @curves values over @curve_x
 */
struct nst_cal_series {
	char name[64];
	double *x, *y;
	int count;
	double *curve_x, *curve_y;
	int curves;
};

#define NST_CAL_SERIES_MAX 8

/** struct nst_cal_panel - one diagram; logarithmic axes where asked for */
struct nst_cal_panel {
	char title[128];
	char x_label[64], y_label[64];
	bool x_log, y_log;
	struct nst_cal_series series[NST_CAL_SERIES_MAX];
	int count;
};

/** nst_cal_draw() - panels under each other; 0 or a negative errno, said */
int nst_cal_draw(const char *path, const char *title,
		 const struct nst_cal_panel *panel, int panels);

/** nst_cal_series_add() - room for the points; NULL without memory */
struct nst_cal_series *nst_cal_series_add(struct nst_cal_panel *panel,
					  const char *name, int points,
					  int curves);
void nst_cal_panels_free(struct nst_cal_panel *panel, int panels);

/**
 * nst_cal_late() - leave out what follows changes of power of unusual bound
 * @reading, @readings: their temperatures become NAN, the bound the usual one
 * @scratch: as many numbers
 * Return: how many changes those were.
 */
int nst_cal_late(struct nst_fit_reading *reading, int readings,
		 double *scratch);

#endif /* NST_CALIBRATE_H */
