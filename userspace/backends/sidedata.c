// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* sidedata.c - see sidedata.h */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "path.h"
#include "scan.h"
#include "sidedata.h"
#include "uapi/nst-sim.h"

#define CLASS_DIR "/sys/class/video4linux"

struct find {
	const char *root;
	char name[64];
	char node[32];
};

/* 1 when it is the one; its name says so, nothing is opened. */
static int try_name(const char *node, void *arg)
{
	struct find *f = arg;
	char path[NST_DEV_NAME_LEN + 128], sys[96], line[64];
	ssize_t n;
	int fd;

	if (strncmp(node, "video", 5) || strlen(node) > 16)
		return 0;
	snprintf(sys, sizeof(sys), CLASS_DIR "/%.16s/name", node);
	if (nst_path_join(path, sizeof(path), f->root, sys))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, line, sizeof(line) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (strcmp(line, f->name))
		return 0;
	snprintf(f->node, sizeof(f->node), "/dev/%.16s", node);
	return 1;
}

int nst_sidedata_open(const char *root, const char *card)
{
	char path[NST_DEV_NAME_LEN + 128];
	struct find f = { .root = root };
	int r;

	snprintf(f.name, sizeof(f.name), "%.32s metadata", card);
	r = nst_path_join(path, sizeof(path), root, CLASS_DIR);
	if (!r)
		r = nst_scan_dir(path, try_name, &f);
	if (r <= 0)
		return r ? r : -ENODEV;
	r = nst_path_join(path, sizeof(path), root, f.node);
	if (r)
		return r;
	r = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return r < 0 ? -errno : r;
}

int nst_sidedata_tell(int fd, const struct nst_side *side)
{
	struct nst_sim_tell tell = {
		.flags = NST_SIM_TELL_PLACEMENT |
			 (side->has_snr ? NST_SIM_TELL_SNR : 0),
		.placement = side->placement,
		.snr_cdb = side->has_snr ? side->snr_cdb : 0,
		.periods = side->frames,
	};

	return ioctl(fd, NST_SIM_IOC_TELL, &tell) ? -errno : 0;
}
