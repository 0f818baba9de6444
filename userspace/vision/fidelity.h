/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fidelity.h - what the frames of a stream are worth, measured and reported
 *
 * The frames that the task is given are measured on a flat patch and, where
 * the camera has them, on its optically dark rows (userspace/measure).
 */
#ifndef NST_FIDELITY_H
#define NST_FIDELITY_H

#include <stdio.h>

#include "camera.h"
#include "client.h"
#include "measure.h"

/**
 * struct nst_fidelity_config
 * @off: do not measure
 * @patch: where, at least 128 x 128; all zero: looked for
 * @black_dn: level of no charge; below 0: nst-sim's of an nst-sim, else 0,
 *	which takes the black level for signal
 */
struct nst_fidelity_config {
	bool off;
	struct nst_rect patch;
	int black_dn;
};

/**
 * struct nst_fidelity_tally - of a while
 * @figures: how often there was a number, and the sum of SNRs
 * @low_cdb: lowest of the bounds
 * @demand_cdb: highest that was asked for, NST_CLIENT_NONE_CDB for nothing
 * @asked, @below: figures with a demand, and of them with a bound below it
 */
struct nst_fidelity_tally {
	unsigned long figures;
	unsigned long asked;
	unsigned long below;
	int demand_cdb;
	long long sum_cdb;
	int low_cdb;
};

struct nst_fidelity {
	bool on;
	struct nst_measure measure;
	bool news;			/* frames since the last report */
	unsigned long told_ms;
	int told_err;			/* said already */
	int demand_cdb;			/* of nstd's tasks, now */
	unsigned int skip;		/* frames of the setting before */
	enum nst_measure_state said;	/* of the flat patch */
	struct nst_measure_figure flat, dark;	/* newest */
	struct nst_fidelity_tally second, phase;
};

/**
 * nst_fidelity_open() - for frames of a camera that is open
 * Return: 0; -EINVAL when the patch does not fit, the message is out;
 * -ENOMEM.
 */
int nst_fidelity_open(struct nst_fidelity *f, const char *name,
		      const struct nst_camera *cam,
		      const struct nst_fidelity_config *config);
void nst_fidelity_close(struct nst_fidelity *f);

/**
 * nst_fidelity_reset() - exposure or gain are others from here on
 * As many frames as may be on their way are left out.
 */
void nst_fidelity_reset(struct nst_fidelity *f);

/** nst_fidelity_ask() - the demand that figures are held against from now on */
void nst_fidelity_ask(struct nst_fidelity *f, int demand_cdb);

/** nst_fidelity_add() - a frame that the task got, or one that is damaged */
void nst_fidelity_add(struct nst_fidelity *f, const char *name,
		      const struct nst_camera *cam,
		      const struct nst_camera_frame *frame);

/**
 * nst_fidelity_tell() - report to nstd, at most twice a second, and nothing
 * while there are no frames: an old figure must not look new
 * Return: 0, or the errno of a connection that is lost. What nstd refuses
 * is said once and no reason to end.
 */
int nst_fidelity_tell(struct nst_fidelity *f, const char *name,
		      struct nst_client *client, uint64_t seq,
		      unsigned long now_ms);

void nst_fidelity_tally_reset(struct nst_fidelity_tally *t);

/** nst_fidelity_put() - members of a JSON object, with a comma before them */
void nst_fidelity_put(const struct nst_fidelity *f, FILE *out);

/** nst_fidelity_put_tally() - the same of a while; nothing without a figure */
void nst_fidelity_put_tally(const struct nst_fidelity_tally *t, FILE *out);

/** nst_fidelity_put_status() - a few words for people */
void nst_fidelity_put_status(const struct nst_fidelity *f, FILE *out);

/** nst_fidelity_parse_patch() - "auto", "off" or "X,Y,WxH"; -EINVAL */
int nst_fidelity_parse_patch(const char *text,
			     struct nst_fidelity_config *ret);

#endif /* NST_FIDELITY_H */
