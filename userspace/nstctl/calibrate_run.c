// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * calibrate_run.c - a noise calibration from the first frame to the file
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calibrate_noise.h"
#include "cleanup.h"
#include "log.h"

#define BAR 30
#define PATH_LEN 1024

/* ------------------------------------------------------------- progress */

static int told_percent = -1;
static bool bar_open;

void nst_cal_progress(double done, double of, const char *text)
{
	int percent = of > 0 ? (int)(100 * done / of) : 0;

	if (isatty(STDERR_FILENO)) {
		char bar[BAR + 1];

		for (int i = 0; i < BAR; i++)
			bar[i] = i * 100 < percent * BAR ? '#' : '.';
		bar[BAR] = '\0';
		fprintf(stderr, "\r[%s] %3d %%  %-34.34s", bar, percent, text);
		fflush(stderr);
		bar_open = true;
		return;
	}
	/* in a log: a line for each tenth */
	if (percent / 10 == told_percent / 10 && told_percent >= 0)
		return;
	told_percent = percent;
	fprintf(stderr, "nstctl: calibrate: %3d %%  %s\n", percent, text);
}

void nst_cal_progress_end(void)
{
	if (bar_open)
		fputc('\n', stderr);
	bar_open = false;
}

/* ----------------------------------------------------------------- file */

int nst_cal_save(const struct nst_calibration *c, const char *path)
{
	char part[PATH_LEN];
	struct stat sb;
	/* A device or a pipe is written to; to rename over it would end it. */
	bool file = stat(path, &sb) || S_ISREG(sb.st_mode);
	FILE *out;
	int r;

	if ((size_t)snprintf(part, sizeof(part), "%s%s", path,
			     file ? ".part" : "") >= sizeof(part))
		return nst_log_err(-ENAMETOOLONG, "%s", path);
	out = fopen(part, "we");
	if (!out)
		return nst_log_err(-errno, "%s", part);
	r = nst_calibration_save(c, out);
	if (!r && (fflush(out) || (file && fsync(fileno(out)))))
		r = -errno;
	if (fclose(out) && !r)
		r = -errno;
	if (!r && file && rename(part, path))
		r = -errno;
	if (r) {
		if (file)
			unlink(part);
		return nst_log_err(r, "%s", path);
	}
	return 0;
}

/* ----------------------------------------------------------------- plan */

/* Lowest, and four and eight times that: three that differ, or what there is. */
static int choose_gains(struct nst_cal_args *args, struct nst_capture *camera)
{
	u32 min, max, want[3];

	if (nst_capture_gains(camera, &min, &max)) {
		if (args->gains) {
			nst_log(NST_LOG_ERR, "%s has no gain that can be set, --gains cannot be kept",
				camera->node);
			return -ERANGE;
		}
		args->gain[0] = 0;
		args->gains = 1;
		return 0;
	}
	for (u32 i = 0; i < args->gains; i++) {
		if (args->gain[i] >= min && args->gain[i] <= max)
			continue;
		nst_log(NST_LOG_ERR, "%s: gain %" PRIu32 " is not between %" PRIu32 " and %" PRIu32,
			camera->node, args->gain[i], min, max);
		return -ERANGE;
	}
	if (args->gains)
		return 0;
	want[0] = min;
	want[1] = min && !camera->iso_is_menu ? 4 * min : (min + max) / 2;
	want[2] = min && !camera->iso_is_menu ? 8 * min : max;
	for (int i = 0; i < 3; i++)
		if (want[i] <= max && (!args->gains ||
				       want[i] > args->gain[args->gains - 1]))
			args->gain[args->gains++] = want[i];
	return 0;
}

static int choose_heat(const struct nst_cal_args *args,
		       const struct nst_cal_stack *stack)
{
	if (args->hot_mc == NST_TEMP_NONE_MC || args->hot_mc <= stack->top_mc)
		return 0;
	nst_log(NST_LOG_ERR, "--hot-mc %d is too near to the ceiling of %d mC: at most %d",
		args->hot_mc, stack->ceiling_mc, stack->top_mc);
	return -ERANGE;
}

static void describe(const struct nst_cal_args *args,
		     const struct nst_capture *camera, char *buf, size_t size)
{
	size_t len = (size_t)snprintf(buf, size, "%s %" PRIu32 "x%" PRIu32
				      " gains", camera->format, camera->width,
				      camera->height);

	for (u32 i = 0; i < args->gains && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%" PRIu32,
					i ? "," : " ", args->gain[i]);
	for (u32 i = 0; i < args->exposures && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%" PRIu32,
					i ? "," : " exposures ",
					args->exposure_us[i]);
	if (len < size)
		snprintf(buf + len, size - len, " visits %" PRIu32
			 " levels %" PRIu32 " hot %d", args->visits,
			 args->levels, args->hot_mc);
}

/* ------------------------------------------------------------------ run */

static int open_all(struct nst_cal *c, struct nst_cal_args *args)
{
	const struct nst_dev_info *info = &c->shoot.stack.dev.info;
	char sensor[NST_CAL_TEXT], options[NST_CAL_TEXT], path[PATH_LEN];
	int r;

	c->shoot.settle = args->settle;
	r = nst_cal_shoot_open(&c->shoot, args->device, args->camera);
	if (!r)
		r = choose_gains(args, &c->shoot.camera);
	if (!r)
		r = choose_heat(args, &c->shoot.stack);
	if (r)
		return r;
	snprintf(sensor, sizeof(sensor), "'%.60s' '%.60s' '%.60s'",
		 info->name, info->model, c->shoot.camera.card);
	describe(args, &c->shoot.camera, options, sizeof(options));
	snprintf(path, sizeof(path), "%s%s",
		 args->state ? args->state : args->output,
		 args->state ? "" : ".state");
	r = nst_cal_state_open(&c->state, path, sensor, options,
			       args->restart);
	if (!r && c->state.blocks)
		nst_log(NST_LOG_NOTICE, "going on with %s: %" PRIu32 " of %" PRIu32 " blocks are there",
			path, c->state.blocks, 2 * args->gains + args->visits);
	return r;
}

static int finish(struct nst_cal *c)
{
	const struct nst_cal_args *args = c->args;
	const struct nst_dev_info *info = &c->shoot.stack.dev.info;
	struct nst_calibration file = { 0 };
	struct nst_cal_fits fits;
	u32 bits = c->shoot.camera.bits;
	char title[256];
	int r;

	r = nst_cal_fit(&c->state, args->gains, (double)((1u << bits) - 1),
			&fits);
	if (r)
		return r;
	nst_cal_fits_print(&fits, args->json, stdout);
	snprintf(file.name, sizeof(file.name), "%s", info->name);
	snprintf(file.model, sizeof(file.model), "%s", info->model);
	snprintf(file.card, sizeof(file.card), "%s", c->shoot.camera.card);
	snprintf(file.date, sizeof(file.date), "%s", c->state.date);
	nst_cal_fits_file(&fits, bits, &file);
	r = nst_cal_save(&file, args->output);
	if (r || !args->plot)
		return r;
	snprintf(title, sizeof(title), "%s, %s, %s", info->name,
		 c->shoot.camera.card, c->state.date);
	return nst_cal_fits_draw(&c->state, &fits, args->plot, title);
}

int nst_cal_noise(const struct nst_cal_args *args)
{
	_cleanup_free_ struct nst_cal *c = calloc(1, sizeof(*c));
	struct nst_cal_args mine = *args;
	int r;

	if (!c)
		return -ENOMEM;
	c->args = &mine;
	c->state.fd = -1;
	c->shoot.camera.fd = -1;
	c->shoot.stack.dev.fd = -1;
	r = open_all(c, &mine);
	if (!r)
		r = nst_cal_measure(c);
	nst_cal_progress_end();
	/* The sensor cools while the rest is computed. */
	nst_cal_shoot_close(&c->shoot);
	if (r == -EINTR)
		nst_log(NST_LOG_NOTICE, "stopped; the same command goes on from here");
	if (!r && !nst_cal_complete(c)) {
		nst_log(NST_LOG_NOTICE, "%" PRIu32 " blocks are measured; the rest is for a run without --only",
			c->state.blocks);
		nst_cal_state_close(&c->state, false);
		return 0;
	}
	if (!r)
		r = finish(c);
	nst_cal_state_close(&c->state, !r);
	return r;
}
