/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * picture.h - frames with boxes drawn on them, as PNG
 */
#ifndef NST_PICTURE_H
#define NST_PICTURE_H

#include "score.h"

/**
 * struct nst_picture - what is shown
 * @pixels: 8-bit grey, @stride bytes a row
 * @truth: boxes of the objects, dashed green; @truth_count may be 0
 * @found: boxes of the detections, orange; matched ones are solid
 * @caption: one line below the picture
 */
struct nst_picture {
	const unsigned char *pixels;
	int width;
	int height;
	int stride;
	const struct nst_box *truth;
	unsigned int truth_count;
	const struct nst_box *found;
	const bool *found_matched;
	unsigned int found_count;
	const char *caption;
};

/**
 * nst_picture_write() - PNG by cairo
 * Return: 0, -ENOMEM, or -EIO when the file cannot be written.
 */
int nst_picture_write(const struct nst_picture *picture, const char *path);

#endif /* NST_PICTURE_H */
