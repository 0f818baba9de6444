/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * draw.h - the frames that a run kept, as PNG with their boxes
 */
#ifndef NST_DRAW_H
#define NST_DRAW_H

/**
 * nst_draw_all() - every "picture" line of DIR/vision.jsonl
 * Writes NAME.png beside NAME.pgm. Says what it cannot read.
 * Return: 0 or the first errno.
 */
int nst_draw_all(const char *dir);

#endif /* NST_DRAW_H */
