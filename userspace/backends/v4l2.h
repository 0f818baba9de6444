/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * v4l2.h - exposure, gain and light of a video node
 *
 * The controls of a camera that another program runs are read, never
 * written, and their changes arrive as V4L2 control events.
 */
#ifndef NST_V4L2_H
#define NST_V4L2_H

#include "backend.h"

#define NST_V4L2_CONTROLS 3

struct nst_v4l2 {
	struct nst_cam cam;
	int fd;
	char node[NST_DEV_NAME_LEN];
	u32 exposure_id;		/* 0: the node does not have it */
	u32 iso_id;
	bool iso_is_menu;		/* values of the menu are 1000 * ISO */
	u32 lux_id;
	int side_fd;			/* of its records, -1 for none */
	unsigned int side_tries;	/* left, to find that node */
	char side_card[32];
	const char *root;
};

/**
 * nst_v4l2_open() - find a video node and watch its controls
 * @root: prefix of /sys and /dev, "" for the real ones
 * @selector: /dev/videoN, or "card:" and the card name of the node
 * Return: 0; -ENODEV when there is none; -ENOTTY when it is no video node;
 * -EACCES; -EINVAL for another form of selector.
 */
int nst_v4l2_open(struct nst_v4l2 *v, const char *root, const char *selector);

/**
 * nst_v4l2_nodes() - a number that changes with the nodes that there are,
 * video nodes and sub-devices
 * @selector: what is looked for among them, part of the number
 *
 * Made of their names and of device number and change time of their files,
 * which are not opened: to open every camera once a second while one is
 * missing wakes sensors up that are not ours. Never 0.
 */
u64 nst_v4l2_nodes(const char *root, const char *selector);

/**
 * nst_v4l2_list() - "/dev/videoN (name)" of every video node, for messages
 * Opens none of them; "none" where there are none.
 */
void nst_v4l2_list(const char *root, char *buf, size_t size);

#endif /* NST_V4L2_H */
