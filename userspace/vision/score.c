// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* score.c - see score.h for the rule */
#include "score.h"

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

int nst_box_iou_permyriad(const struct nst_box *a, const struct nst_box *b)
{
	long w = smaller(a->x + a->w, b->x + b->w) - larger(a->x, b->x);
	long h = smaller(a->y + a->h, b->y + b->h) - larger(a->y, b->y);
	long both, either;

	if (w <= 0 || h <= 0)
		return 0;
	both = w * h;
	either = (long)a->w * a->h + (long)b->w * b->h - both;
	return (int)(both * 10000 / either);
}

void nst_score_frame(struct nst_score *score, const struct nst_box *truth,
		     unsigned int truth_count, const struct nst_box *found,
		     unsigned int found_count, bool *found_matched)
{
	bool truth_used[NST_SCORE_BOXES_MAX] = { false };
	bool found_used[NST_SCORE_BOXES_MAX] = { false };

	if (truth_count > NST_SCORE_BOXES_MAX)
		truth_count = NST_SCORE_BOXES_MAX;
	if (found_count > NST_SCORE_BOXES_MAX)
		found_count = NST_SCORE_BOXES_MAX;
	for (;;) {
		int best = NST_SCORE_IOU_MIN_PERMYRIAD - 1;
		unsigned int best_t = 0, best_f = 0;

		for (unsigned int t = 0; t < truth_count; t++)
			for (unsigned int f = 0; f < found_count; f++) {
				int iou;

				if (truth_used[t] || found_used[f])
					continue;
				iou = nst_box_iou_permyriad(&truth[t],
							    &found[f]);
				if (iou > best) {
					best = iou;
					best_t = t;
					best_f = f;
				}
			}
		if (best < NST_SCORE_IOU_MIN_PERMYRIAD)
			break;
		truth_used[best_t] = true;
		found_used[best_f] = true;
		score->matches++;
	}
	score->frames++;
	score->objects += truth_count;
	score->detections += found_count;
	if (found_matched)
		for (unsigned int f = 0; f < found_count; f++)
			found_matched[f] = found_used[f];
}

void nst_score_add(struct nst_score *sum, const struct nst_score *part)
{
	sum->frames += part->frames;
	sum->matches += part->matches;
	sum->detections += part->detections;
	sum->objects += part->objects;
}

static int ratio_permyriad(unsigned long part, unsigned long whole)
{
	return whole ? (int)((part * 10000 + whole / 2) / whole) : -1;
}

int nst_score_precision_permyriad(const struct nst_score *score)
{
	return ratio_permyriad(score->matches, score->detections);
}

int nst_score_recall_permyriad(const struct nst_score *score)
{
	return ratio_permyriad(score->matches, score->objects);
}
