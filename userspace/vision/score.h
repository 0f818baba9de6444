/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * score.h - detections against the truth
 *
 * The rule: a detection and an object match when their boxes overlap by at
 * least half of their union (intersection over union, the threshold of the
 * PASCAL VOC evaluation). Each matches at most one of the other kind, the
 * best overlap first. Matches are true positives, other detections false
 * positives, other objects misses.
 *
 *	precision = matches / detections	recall = matches / objects
 */
#ifndef NST_SCORE_H
#define NST_SCORE_H

#include <stdbool.h>

#define NST_SCORE_BOXES_MAX 32
#define NST_SCORE_IOU_MIN_PERMYRIAD 5000

struct nst_box {
	int x;
	int y;
	int w;
	int h;
};

/** struct nst_score - sums over frames */
struct nst_score {
	unsigned long frames;
	unsigned long matches;
	unsigned long detections;
	unsigned long objects;
};

/** nst_box_iou_permyriad() - 0 when they do not overlap */
int nst_box_iou_permyriad(const struct nst_box *a, const struct nst_box *b);

/**
 * nst_score_frame() - add one frame
 * @found_matched: one flag per detection, or NULL
 * Counts above NST_SCORE_BOXES_MAX are cut to it.
 */
void nst_score_frame(struct nst_score *score, const struct nst_box *truth,
		     unsigned int truth_count, const struct nst_box *found,
		     unsigned int found_count, bool *found_matched);

void nst_score_add(struct nst_score *sum, const struct nst_score *part);

/** Ratios in permyriad, or -1 when there is nothing to divide by. */
int nst_score_precision_permyriad(const struct nst_score *score);
int nst_score_recall_permyriad(const struct nst_score *score);

#endif /* NST_SCORE_H */
