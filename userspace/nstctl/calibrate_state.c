// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * calibrate_state.c - the state file of a calibration
 *
 *	nst calibration state 1
 *	sensor ...
 *	options ...
 *	date 2026-01-31T12:00:00Z
 *	block NAME POINTS
 *	point KIND GAIN VISIT EXPOSURE ISO TEMP SD MEAN ... (one line each)
 *	done NAME
 *
 * A block that is not closed by its `done` line was being written when the
 * program ended: it is cut off.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "calibrate_state.h"
#include "cleanup.h"
#include "log.h"

#define MAGIC "nst calibration state 1"
#define LINE_LEN 512

/* ----------------------------------------------------------------- read */

static bool read_line(FILE *in, char *buf, size_t size)
{
	size_t len;

	if (!fgets(buf, (int)size, in))
		return false;
	len = strlen(buf);
	/* half a line is no line */
	if (!len || buf[len - 1] != '\n')
		return false;
	buf[len - 1] = '\0';
	return true;
}

static bool header(FILE *in, const char *key, char *ret, size_t size)
{
	char line[LINE_LEN];
	size_t len = strlen(key);

	if (!read_line(in, line, sizeof(line)) || strncmp(line, key, len) ||
	    line[len] != ' ' || strlen(line + len + 1) >= size)
		return false;
	strcpy(ret, line + len + 1);
	return true;
}

static bool parse_point(const char *line, struct nst_cal_point *p)
{
	struct nst_cal_stat *s = &p->stat;
	int end = 0;

	if (sscanf(line,
		   "point %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32
		   " %" SCNu32 " %la %la %la %la %la %la %la %la %la %la %la%n",
		   &p->kind, &p->gain, &p->visit, &p->exposure_us, &p->iso,
		   &p->temp_mc, &p->temp_sd_mc, &s->pair.mean_dn,
		   &s->pair.temporal_dn2, &s->pair.fixed_dn2, &s->pair.pixels,
		   &s->clipped, &s->hot.pixels, &s->hot.of, &s->hot.log_sum,
		   &s->hot.log2_sum, &end) != 16 || line[end])
		return false;
	return p->kind < NST_CAL_KINDS && p->gain < NST_FIT_GAINS_MAX &&
	       p->visit < NST_FIT_VISITS_MAX && p->exposure_us &&
	       isfinite(p->temp_mc) && isfinite(p->temp_sd_mc) &&
	       isfinite(s->pair.mean_dn) && isfinite(s->pair.temporal_dn2) &&
	       isfinite(s->pair.fixed_dn2) && s->pair.pixels > 0 &&
	       isfinite(s->hot.log_sum) && isfinite(s->hot.log2_sum);
}

/* One block; false at the first that is not whole. */
static bool read_block(struct nst_cal_state *st, FILE *in)
{
	char line[LINE_LEN], name[NST_CAL_NAME_LEN], done[NST_CAL_NAME_LEN + 8];
	u32 count, first = st->points;

	if (!read_line(in, line, sizeof(line)) ||
	    sscanf(line, "block %23s %" SCNu32, name, &count) != 2 ||
	    st->blocks == NST_CAL_BLOCKS_MAX ||
	    count > NST_CAL_POINTS_MAX - st->points)
		return false;
	for (u32 i = 0; i < count; i++) {
		if (!read_line(in, line, sizeof(line)) ||
		    !parse_point(line, &st->point[first + i]))
			return false;
	}
	snprintf(done, sizeof(done), "done %s", name);
	if (!read_line(in, line, sizeof(line)) || strcmp(line, done))
		return false;
	st->points += count;
	strcpy(st->block[st->blocks++], name);
	return true;
}

static int load(struct nst_cal_state *st, const char *sensor,
		const char *options)
{
	_cleanup_fclose_ FILE *in = fopen(st->path, "re");
	char line[LINE_LEN];
	long good;

	if (!in)
		return nst_log_err(-errno, "%s", st->path);
	if (!read_line(in, line, sizeof(line)) || strcmp(line, MAGIC) ||
	    !header(in, "sensor", st->sensor, sizeof(st->sensor)) ||
	    !header(in, "options", st->options, sizeof(st->options)) ||
	    !header(in, "date", st->date, sizeof(st->date))) {
		nst_log(NST_LOG_ERR, "%s is no state of a calibration; --restart begins a new one",
			st->path);
		return -EBADMSG;
	}
	if (strcmp(st->sensor, sensor)) {
		nst_log(NST_LOG_ERR, "%s belongs to another sensor: %s, this one is %s; --restart throws it away",
			st->path, st->sensor, sensor);
		return -EEXIST;
	}
	if (strcmp(st->options, options)) {
		nst_log(NST_LOG_ERR, "%s was begun with other options: %s, now %s; repeat those, or --restart",
			st->path, st->options, options);
		return -EEXIST;
	}
	do {
		good = ftell(in);
	} while (read_block(st, in));
	if (good < 0 || ftruncate(st->fd, good))
		return nst_log_err(-errno, "%s", st->path);
	return 0;
}

/* ---------------------------------------------------------------- write */

static int write_all(struct nst_cal_state *st, const char *text, size_t len)
{
	ssize_t n = write(st->fd, text, len);

	if (n < 0)
		return nst_log_err(-errno, "%s", st->path);
	if ((size_t)n < len)
		return nst_log_err(-ENOSPC, "%s", st->path);
	if (fsync(st->fd) && errno != EINVAL && errno != EROFS)
		return nst_log_err(-errno, "%s", st->path);
	return 0;
}

static int begin(struct nst_cal_state *st, const char *sensor,
		 const char *options)
{
	char text[3 * NST_CAL_TEXT];
	time_t now = time(NULL);
	struct tm tm;
	int n;

	snprintf(st->sensor, sizeof(st->sensor), "%s", sensor);
	snprintf(st->options, sizeof(st->options), "%s", options);
	gmtime_r(&now, &tm);
	strftime(st->date, sizeof(st->date), "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (ftruncate(st->fd, 0))
		return nst_log_err(-errno, "%s", st->path);
	n = snprintf(text, sizeof(text),
		     MAGIC "\nsensor %s\noptions %s\ndate %s\n", st->sensor,
		     st->options, st->date);
	return write_all(st, text, (size_t)n);
}

int nst_cal_state_open(struct nst_cal_state *st, const char *path,
		       const char *sensor, const char *options, bool restart)
{
	struct stat sb;
	int r;

	memset(st, 0, sizeof(*st));
	st->fd = -1;
	if (strlen(path) >= sizeof(st->path))
		return nst_log_err(-ENAMETOOLONG, "%s", path);
	strcpy(st->path, path);
	st->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (st->fd < 0)
		return nst_log_err(-errno, "%s", path);
	if (flock(st->fd, LOCK_EX | LOCK_NB))
		return nst_log_err(errno == EWOULDBLOCK ? -EBUSY : -errno,
				   "%s: another calibration is at it", path);
	if (fstat(st->fd, &sb))
		return nst_log_err(-errno, "%s", path);
	r = sb.st_size && !restart ? load(st, sensor, options)
				   : begin(st, sensor, options);
	if (r)
		nst_cal_state_close(st, false);
	return r;
}

void nst_cal_state_close(struct nst_cal_state *st, bool finished)
{
	if (st->fd < 0)
		return;
	if (finished)
		unlink(st->path);
	close(st->fd);
	st->fd = -1;
}

bool nst_cal_state_has(const struct nst_cal_state *st, const char *block)
{
	for (u32 i = 0; i < st->blocks; i++)
		if (!strcmp(st->block[i], block))
			return true;
	return false;
}

/* Hexadecimal floating point: what is read is what was measured. */
static void put_point(FILE *out, const struct nst_cal_point *p)
{
	const struct nst_cal_stat *s = &p->stat;

	fprintf(out,
		"point %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32
		" %" PRIu32 " %a %a %a %a %a %a %a %a %a %a %a\n",
		p->kind, p->gain, p->visit, p->exposure_us, p->iso, p->temp_mc,
		p->temp_sd_mc, s->pair.mean_dn, s->pair.temporal_dn2,
		s->pair.fixed_dn2, s->pair.pixels, s->clipped, s->hot.pixels,
		s->hot.of, s->hot.log_sum, s->hot.log2_sum);
}

int nst_cal_state_add(struct nst_cal_state *st, const char *block,
		      const struct nst_cal_point *point, u32 points)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *out;
	int r;

	if (st->blocks == NST_CAL_BLOCKS_MAX ||
	    points > NST_CAL_POINTS_MAX - st->points)
		return nst_log_err(-ENOSPC, "too many points for a calibration");
	out = open_memstream(&text, &len);
	if (!out)
		return nst_log_err(-errno, "%s", st->path);
	fprintf(out, "block %s %" PRIu32 "\n", block, points);
	for (u32 i = 0; i < points; i++)
		put_point(out, &point[i]);
	fprintf(out, "done %s\n", block);
	if (fclose(out))
		return nst_log_err(-ENOMEM, "%s", st->path);
	r = write_all(st, text, len);
	if (r)
		return r;
	memcpy(&st->point[st->points], point, points * sizeof(*point));
	st->points += points;
	snprintf(st->block[st->blocks++], NST_CAL_NAME_LEN, "%s", block);
	return 0;
}
