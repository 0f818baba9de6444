// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* truth.c - debugfs of the emulated stack: see truth.h */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "truth.h"

#define BUS_PREFIX	"platform:nst-sim."
#define DEBUGFS		"/sys/kernel/debug/nst-sim/"

int nst_truth_dir(const char *bus, char *ret, unsigned long size)
{
	size_t skip = strlen(BUS_PREFIX);

	if (strncmp(bus, BUS_PREFIX, skip))
		return -ENODEV;
	if ((unsigned long)snprintf(ret, size, DEBUGFS "%s", bus + skip) >=
	    size)
		return -ENAMETOOLONG;
	return access(ret, R_OK | X_OK) ? -EACCES : 0;
}

static FILE *open_file(const char *dir, const char *name, const char *mode)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fopen(path, mode);
}

/* `key value` lines; unknown keys are for other readers. */
static unsigned int take(const char *key, const char *text,
			 struct nst_truth_now *now)
{
	const struct {
		const char *key;
		const char *format;
		void *at;
	} fields[] = {
		{ "now_us", "%" SCNu64, &now->now_us },
		{ "die_mc", "%d", &now->die_mc },
		{ "ambient_mc", "%d", &now->ambient_mc },
		{ "power_mw", "%u", &now->power_mw },
		{ "frame_period_us", "%u", &now->frame_period_us },
		{ "frame_seq", "%" SCNu64, &now->frame_seq },
		{ "energy_uj", "%" SCNu64, &now->energy_uj },
		{ "time_run_us", "%" SCNu64, &now->time_run_us },
		{ "slipped_us", "%" SCNu64, &now->slipped_us },
		{ "gate", "%15s", now->gate },
	};

	for (unsigned int i = 0; i < NST_ARRAY_SIZE(fields); i++)
		if (!strcmp(key, fields[i].key) &&
		    sscanf(text, fields[i].format, fields[i].at) == 1)
			return 1u << i;
	return 0;
}

int nst_truth_now(const char *dir, struct nst_truth_now *ret)
{
	_cleanup_fclose_ FILE *f = open_file(dir, "truth", "re");
	struct nst_truth_now now = { 0 };
	unsigned int found = 0;
	char line[128];

	if (!f)
		return -ENODEV;
	while (fgets(line, sizeof(line), f)) {
		char *space = strchr(line, ' ');

		if (!space)
			continue;
		*space = '\0';
		found |= take(line, space + 1, &now);
	}
	if (ferror(f))
		return -ENODEV;
	if (found != (1u << 10) - 1)
		return -EPROTO;
	*ret = now;
	return 0;
}

int nst_truth_parse_frame(const char *line, struct nst_truth_frame *ret)
{
	struct nst_truth_frame f = { 0 };
	char gate[16];
	unsigned int n;
	int used = 0;

	if (sscanf(line, "%" SCNu64 " %" SCNu64 " %d %d %15s %u%n", &f.seq,
		   &f.start_us, &f.hot_mc, &f.cold_mc, gate, &n, &used) != 6 ||
	    n > NST_TRUTH_OBJECTS)
		return -EPROTO;
	for (line += used; f.boxes < n; line += used) {
		struct nst_box *b = &f.box[f.boxes];

		if (sscanf(line, " %d,%d,%d,%d%n", &b->x, &b->y, &b->w, &b->h,
			   &used) != 4)
			return -EPROTO;
		f.boxes++;
	}
	*ret = f;
	return 0;
}

int nst_truth_frames(const char *dir, struct nst_truth_frame *ret)
{
	_cleanup_fclose_ FILE *f = open_file(dir, "frames", "re");
	char line[512];
	int n = 0;

	if (!f)
		return -ENODEV;
	while (n < NST_TRUTH_FRAMES && fgets(line, sizeof(line), f)) {
		int r = nst_truth_parse_frame(line, &ret[n]);

		if (r)
			return r;
		n++;
	}
	return ferror(f) ? -ENODEV : n;
}

int nst_truth_set_ambient(const char *dir, int ambient_mc)
{
	FILE *f = open_file(dir, "ambient_mc", "we");
	int r = 0;

	if (!f)
		return -errno;
	if (fprintf(f, "%d\n", ambient_mc) < 0)
		r = -EIO;
	/* The driver's answer comes when the buffer is written. */
	if (fclose(f) && !r)
		r = -errno;
	return r;
}
