/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * plot.h - recordings of a sensor as a picture
 */
#ifndef NST_PLOT_H
#define NST_PLOT_H

#include <cairo/cairo.h>
#include <stdio.h>

#include "rec.h"

#define NST_PLOT_SENSORS_MAX 16
#define NST_PLOT_LANES_MAX 2

/* What a picture needs of a frame; NONE where there is no temperature. */
struct nst_plot_frame {
	double t_s;
	s32 temp_mc;
	s32 exposure_mc;
	s32 limit_mc;
	s32 high_mc;
	s32 low_mc;
	s32 max_mc;
	s32 ambient_mc;
	u32 power_mw;
	u8 placement;
	bool delivered;
	bool withheld;		/* processed, and not handed out */
	bool blind;		/* the sensor failed, or said nothing long */
};

/* @caption: the policy, where the recording says it, or the sensor */
struct nst_plot_data {
	char sensor[NST_REC_SENSOR_LEN];
	char caption[64];
	struct nst_plot_frame *frames;
	size_t count;
	double period_s;	/* usual distance of two frames */
	char names[NST_PLOT_SENSORS_MAX][NST_REC_SENSOR_LEN];
	size_t name_count;
};

/**
 * nst_plot_read() - frames of one sensor
 * @sensor: NULL for the first one in the file
 * @from_s, @to_s: part of the recording, seconds after its first frame
 * Return: 0; -EBADMSG after a message on @err; -ENOENT when there is no such
 * sensor (@ret->names says which there are); -ENODATA when it has no frame
 * in that part; -ENOMEM.
 */
int nst_plot_read(struct nst_plot_data *ret, FILE *in, const char *name,
		  const char *sensor, double from_s, double to_s, FILE *err);
void nst_plot_free(struct nst_plot_data *data);

/**
 * nst_plot_draw() - on a surface of @width by @height units
 * @data: one, or two to compare, NST_PLOT_LANES_MAX in all
 */
void nst_plot_draw(cairo_t *cr, double width, double height,
		   const struct nst_plot_data *data, size_t count,
		   const char *title);

#endif /* NST_PLOT_H */
