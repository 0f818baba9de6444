// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cmd_plot.c - nstctl plot: a recording as SVG or PNG, two to compare, or the
 * table of a sweep
 */
#include <cairo/cairo-svg.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "log.h"
#include "nstctl.h"
#include "options.h"
#include "plot.h"
#include "plot_sweep.h"
#include "words.h"

enum {
	OPT_OUTPUT,
	OPT_SENSOR,
	OPT_AGAINST,
	OPT_OVER,
	OPT_FROM,
	OPT_TO,
	OPT_TITLE,
	OPT_WIDTH,
	OPT_HEIGHT,
	OPT_HELP,
};

static const struct nst_option options[] = {
	[OPT_OUTPUT] = { "--output", "FILE.svg|FILE.png",
		"picture to write (required)" },
	[OPT_SENSOR] = { "--sensor", "NAME",
		"sensor to draw; default: the first in the recording" },
	[OPT_AGAINST] = { "--against", "NAME",
		"draw this one, too: of a second recording, or of the same" },
	[OPT_OVER] = { "--over", "COLUMN",
		"of a sweep: what to draw over; default: near_mw" },
	[OPT_FROM] = { "--from", "S",
		"seconds after the start of the recording; default: 0" },
	[OPT_TO] = { "--to", "S",
		"default: the end" },
	[OPT_TITLE] = { "--title", "TEXT",
		"default: sensor and file" },
	[OPT_WIDTH] = { "--width", "PX",
		"default: 1200" },
	[OPT_HEIGHT] = { "--height", "PX",
		"default: 800" },
	[OPT_HELP] = { "--help", NULL,
		"show this help" },
};

#define COMMAND "nstctl plot"
#define SECONDS_MAX 1e10

struct request {
	const char *recording[NST_PLOT_LANES_MAX];
	const char *sensor[NST_PLOT_LANES_MAX];
	size_t recordings;
	size_t lanes;
	const char *output;
	const char *over;
	const char *title;
	double from_s, to_s;
	long long width, height;
	bool svg;
	bool help;
};

static int parse_one(struct nst_options *opts, int i, const char *value,
		     struct request *req)
{
	switch (i) {
	case OPT_OUTPUT:
		req->output = value;
		return 0;
	case OPT_SENSOR:
		req->sensor[0] = value;
		return 0;
	case OPT_AGAINST:
		req->sensor[1] = value;
		return 0;
	case OPT_OVER:
		req->over = value;
		return 0;
	case OPT_FROM:
		return nst_options_real(opts, i, value, 0, SECONDS_MAX,
					&req->from_s);
	case OPT_TO:
		return nst_options_real(opts, i, value, 0, SECONDS_MAX,
					&req->to_s);
	case OPT_TITLE:
		req->title = value;
		return 0;
	case OPT_WIDTH:
		return nst_options_int(opts, i, value, 600, 10000,
				       &req->width);
	case OPT_HEIGHT:
		return nst_options_int(opts, i, value, 500, 10000,
				       &req->height);
	case OPT_HELP:
		req->help = true;
		return 0;
	default:
		if (req->recordings == NST_PLOT_LANES_MAX) {
			fprintf(stderr,
				COMMAND ": two recordings at most, '%s' is too many\n",
				value);
			return -EINVAL;
		}
		req->recording[req->recordings++] = value;
		return 0;
	}
}

static int parse(int argc, char **argv, struct request *req)
{
	struct nst_options opts;
	const char *value, *dot;
	int i;

	*req = (struct request){ .to_s = SECONDS_MAX,
				 .width = 1200,
				 .height = 800 };
	nst_options_init(&opts, COMMAND, options, NST_ARRAY_SIZE(options),
			 argc, argv);
	while ((i = nst_options_next(&opts, &value)) != NST_OPTIONS_END) {
		if (i == NST_OPTIONS_BAD || parse_one(&opts, i, value, req))
			return -EINVAL;
	}
	if (req->help)
		return 0;
	if (!req->recordings || !req->output) {
		fprintf(stderr, COMMAND ": a recording and --output FILE are required\n");
		return -EINVAL;
	}
	/* Against another sensor of the one recording. */
	req->lanes = req->recordings;
	if (req->lanes == 1 && req->sensor[1])
		req->recording[req->lanes++] = req->recording[0];
	dot = strrchr(req->output, '.');
	req->svg = dot && !strcmp(dot, ".svg");
	if (!req->svg && (!dot || strcmp(dot, ".png"))) {
		fprintf(stderr,
			COMMAND ": --output '%s': the name must end in .svg or .png\n",
			req->output);
		return -EINVAL;
	}
	if (req->to_s <= req->from_s) {
		fprintf(stderr, COMMAND ": --to must be after --from\n");
		return -EINVAL;
	}
	return 0;
}

static int read_recording(const struct request *req, size_t lane,
			  struct nst_plot_data *data)
{
	const char *path = req->recording[lane], *sensor = req->sensor[lane];
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	const char *words[NST_PLOT_SENSORS_MAX];
	char hint[1024];
	int r;

	if (!in)
		return nst_log_err(-errno, "%s", path);
	r = nst_plot_read(data, in, path, sensor, req->from_s,
			  req->to_s, stderr);
	switch (r) {
	case -EBADMSG:
		break;
	case -ENOENT:
		for (size_t i = 0; i < data->name_count; i++)
			words[i] = data->names[i];
		nst_words_hint(hint, sizeof(hint), "valid", sensor, words,
			       data->name_count);
		nst_log(NST_LOG_ERR, "no sensor '%s' in %s; %s", sensor,
			path, hint);
		break;
	case -ENODATA:
		nst_log(NST_LOG_ERR, "%s: no frames%s", path,
			data->name_count ? " between --from and --to" : "");
		break;
	default:
		if (r)
			nst_log_err(r, "%s", path);
	}
	return r;
}

static cairo_status_t write_bytes(void *out, const unsigned char *bytes,
				  unsigned int len)
{
	return fwrite(bytes, 1, len, out) == len ? CAIRO_STATUS_SUCCESS :
						   CAIRO_STATUS_WRITE_ERROR;
}

/* What is drawn: recordings, or the table of a sweep. */
struct subject {
	struct nst_plot_data data[NST_PLOT_LANES_MAX];
	struct nst_sweep sweep;
	bool is_sweep;
	enum nst_sweep_column over;
};

static int draw_subject(const struct request *req, const struct subject *sub,
			cairo_t *cr)
{
	double width = (double)req->width, height = (double)req->height;
	char title[256];

	if (sub->is_sweep) {
		snprintf(title, sizeof(title), "distance to the optimum \342\200\224 %s",
			 req->recording[0]);
		return nst_plot_sweep_draw(cr, width, height, &sub->sweep,
					   sub->over,
					   req->title ? req->title : title);
	}
	snprintf(title, sizeof(title), "%s \342\200\224 %s",
		 sub->data[0].sensor, req->recording[0]);
	if (req->lanes > 1)
		snprintf(title, sizeof(title), "%s against %s",
			 sub->data[0].caption, sub->data[1].caption);
	nst_plot_draw(cr, width, height, sub->data, req->lanes,
		      req->title ? req->title : title);
	return 0;
}

static int draw(const struct request *req, const struct subject *sub,
		FILE *out)
{
	cairo_surface_t *surface;
	cairo_status_t status;
	cairo_t *cr;
	int r;

	if (req->svg)
		surface = cairo_svg_surface_create_for_stream(write_bytes, out,
							      (double)req->width,
							      (double)req->height);
	else
		surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24,
						     (int)req->width,
						     (int)req->height);
	cr = cairo_create(surface);
	r = draw_subject(req, sub, cr);
	status = cairo_status(cr);
	cairo_destroy(cr);
	if (!r && !status && !req->svg)
		status = cairo_surface_write_to_png_stream(surface,
							   write_bytes, out);
	cairo_surface_finish(surface);
	if (!status)
		status = cairo_surface_status(surface);
	cairo_surface_destroy(surface);
	if (r == -ENODATA)
		nst_log(NST_LOG_ERR, "%s: no cell in which a limit binds",
			req->recording[0]);
	else if (r == -E2BIG)
		nst_log(NST_LOG_ERR, "%s: %s has too many values to draw",
			req->recording[0], nst_sweep_columns[sub->over].name);
	else if (r)
		nst_log_err(r, "%s", req->output);
	if (!r && status) {
		nst_log(NST_LOG_ERR, "%s: %s", req->output,
			cairo_status_to_string(status));
		r = -EIO;
	}
	return r;
}

/* Half a picture looks like a picture: there is a whole one or none. */
static int write_picture(const struct request *req, const struct subject *sub)
{
	FILE *out = fopen(req->output, "we");
	int r;

	if (!out)
		return nst_log_err(-errno, "%s", req->output);
	r = draw(req, sub, out);
	if (fclose(out) == EOF && !r)
		r = nst_log_err(-errno, "%s", req->output);
	if (r)
		remove(req->output);
	return r;
}

/* What is of recordings means nothing here, and is not passed over. */
static int read_sweep(const struct request *req, struct subject *sub)
{
	int over = nst_plot_sweep_column(req->over ? req->over : "near_mw");
	int r;

	if (over < 0)
		return NST_EXIT_USAGE;
	if (req->lanes > 1 || req->sensor[0] || req->from_s > 0 ||
	    req->to_s < SECONDS_MAX) {
		fprintf(stderr, COMMAND ": %s is a sweep: there are no sensors, no times and no second one to it\n",
			req->recording[0]);
		return NST_EXIT_USAGE;
	}
	sub->over = (enum nst_sweep_column)over;
	r = nst_sweep_read(&sub->sweep, req->recording[0], NULL, stderr);
	if (r == -EINVAL)
		return NST_EXIT_FAILURE;
	return r ? nst_exit_from_errno(nst_log_err(r, "%s",
						   req->recording[0])) : 0;
}

/* 0 or an exit code */
static int read_subject(const struct request *req, struct subject *sub)
{
	FILE *in = fopen(req->recording[0], "re");
	int r = 0;

	/* What cannot be opened is told below. */
	if (in) {
		sub->is_sweep = nst_plot_sweep_is(in);
		fclose(in);
	}
	if (sub->is_sweep)
		return read_sweep(req, sub);
	if (req->over) {
		fprintf(stderr, COMMAND ": --over is of a sweep, and %s is none\n",
			req->recording[0]);
		return NST_EXIT_USAGE;
	}
	for (size_t i = 0; i < req->lanes && !r; i++)
		r = read_recording(req, i, &sub->data[i]);
	return r ? nst_exit_from_errno(r) : 0;
}

int nst_cmd_plot(int argc, char **argv)
{
	struct subject sub = { .is_sweep = false };
	struct request req;
	int r;

	if (parse(argc, argv, &req))
		return NST_EXIT_USAGE;
	if (req.help) {
		printf("usage: " COMMAND " RECORDING [RECORDING] --output FILE [OPTIONS]\n"
		       "       " COMMAND " SWEEP.csv --output FILE [OPTIONS]\n");
		nst_options_help(options, NST_ARRAY_SIZE(options), stdout);
		return NST_EXIT_OK;
	}
	r = read_subject(&req, &sub);
	if (!r)
		r = nst_exit_from_errno(write_picture(&req, &sub));
	for (size_t i = 0; i < NST_PLOT_LANES_MAX; i++)
		nst_plot_free(&sub.data[i]);
	nst_sweep_free(&sub.sweep);
	return r;
}
